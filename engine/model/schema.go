package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	orderedmap "github.com/wk8/go-ordered-map/v2"
)

const (
	// longestString is the longest repetition that Ollama's grammars take
	// (MAX_REPETITION_THRESHOLD in llama.cpp's llama-grammar.cpp).
	longestString = 2000
	// usualString is the bound of strings whose schema has none.
	usualString = 400
	usualItems  = 16
	deepest     = 12
)

// boundSchema rewrites a JSON Schema for Ollama's grammar conversion: references
// are put in place, keywords that it can't convert are left out, and strings and
// arrays without a bound get one, since a small model may never close them. The
// order of properties is kept. The result only ever allows less than the schema's
// kept keywords do; callers still validate.
func boundSchema(schema json.RawMessage, maxTokens int) (json.RawMessage, error) {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	b := bounder{root: schema, string: min(longestString, max(1, 3*maxTokens))}
	return b.bound(schema, 0)
}

// roomy is a schema as it is sent as a format. Ollama makes a grammar of it in a room of four
// bytes for each byte of the schema, 32 KiB at least and 1 MiB at most (llama.SchemaToGrammar
// of v0.24.0), cuts one that is longer, and its runner dies of the half. A grammar grows with
// each member that may be left out: those of tools come to five bytes for each of the schema's.
// A comment makes the room.
func roomy(schema json.RawMessage) json.RawMessage {
	const (
		least   = 32 << 10 // bytes of room that every schema has
		perByte = 32       // bytes of grammar that a byte of the schema may come to
		most    = 1 << 20
	)
	room := min(perByte*len(schema), most)
	if room <= least || !bytes.HasPrefix(schema, []byte(`{"`)) {
		return schema
	}
	comment := strings.Repeat(" ", max(0, room/4-len(schema)))
	return slices.Concat([]byte(`{"$comment":"`+comment+`",`), schema[1:])
}

type bounder struct {
	root   json.RawMessage
	string int // most characters of a string
}

func (b bounder) bound(raw json.RawMessage, depth int) (json.RawMessage, error) {
	if depth > deepest {
		return nil, fmt.Errorf("%w: the schema is nested too deeply or refers to itself", ErrRequest)
	}
	in := orderedmap.New[string, json.RawMessage]()
	if err := json.Unmarshal(raw, in); err != nil {
		return nil, fmt.Errorf("%w: a schema must be an object", ErrRequest)
	}
	if ref, ok := in.Get("$ref"); ok {
		target, err := b.resolve(ref)
		if err != nil {
			return nil, err
		}
		return b.bound(target, depth+1)
	}
	out := orderedmap.New[string, json.RawMessage]()
	for p := in.Oldest(); p != nil; p = p.Next() {
		value, err := p.Value, error(nil)
		switch p.Key {
		case "type", "const", "enum", "required", "minItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "maxItems":
		case "format":
			switch strings.Trim(string(value), `"`) {
			case "date", "time", "date-time", "uuid":
			default:
				continue
			}
		case "items":
			value, err = b.bound(value, depth+1)
		case "anyOf", "oneOf":
			value, err = b.each(value, depth)
		case "properties":
			value, err = b.properties(value, depth)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Set(p.Key, value)
	}
	b.limit(out)
	bounded, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("%w: the schema: %s", ErrRequest, clip(err.Error()))
	}
	return bounded, nil
}

// limit adds the bounds that a string, an array or an object lacks.
func (b bounder) limit(out *orderedmap.OrderedMap[string, json.RawMessage]) {
	for _, fixed := range []string{"enum", "const", "anyOf", "oneOf", "format"} {
		if _, ok := out.Get(fixed); ok {
			return
		}
	}
	kind, _ := out.Get("type")
	if strings.Contains(string(kind), `"string"`) {
		least := number(out, "minLength", 0)
		most := max(min(number(out, "maxLength", usualString), b.string), min(least, longestString))
		out.Set("maxLength", json.RawMessage(fmt.Sprint(most)))
		if least > most {
			out.Set("minLength", json.RawMessage(fmt.Sprint(most)))
		}
	}
	if strings.Contains(string(kind), `"array"`) {
		if _, ok := out.Get("maxItems"); !ok {
			out.Set("maxItems", json.RawMessage(fmt.Sprint(max(usualItems, number(out, "minItems", 0)))))
		}
		if _, ok := out.Get("items"); !ok {
			out.Set("items", json.RawMessage(fmt.Sprintf(`{"type":"string","maxLength":%d}`, min(usualString, b.string))))
		}
	}
	if _, ok := out.Get("properties"); ok {
		out.Set("additionalProperties", json.RawMessage("false"))
	} else if string(kind) == `"object"` {
		// Any object at all would let a model write for ever.
		out.Set("properties", json.RawMessage("{}"))
		out.Set("additionalProperties", json.RawMessage("false"))
	}
}

func (b bounder) each(raw json.RawMessage, depth int) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%w: anyOf and oneOf hold a list of schemas", ErrRequest)
	}
	for i := range list {
		var err error
		if list[i], err = b.bound(list[i], depth+1); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}

func (b bounder) properties(raw json.RawMessage, depth int) (json.RawMessage, error) {
	props := orderedmap.New[string, json.RawMessage]()
	if err := json.Unmarshal(raw, props); err != nil {
		return nil, fmt.Errorf("%w: properties must be an object", ErrRequest)
	}
	for p := props.Oldest(); p != nil; p = p.Next() {
		var err error
		if p.Value, err = b.bound(p.Value, depth+1); err != nil {
			return nil, err
		}
	}
	return json.Marshal(props)
}

// pointerStep undoes the escapes of a JSON pointer (RFC 6901).
var pointerStep = strings.NewReplacer("~1", "/", "~0", "~")

// resolve finds a local reference such as #/$defs/slot.
func (b bounder) resolve(raw json.RawMessage) (json.RawMessage, error) {
	var ref string
	if err := json.Unmarshal(raw, &ref); err != nil || !strings.HasPrefix(ref, "#") {
		return nil, fmt.Errorf("%w: the schema refers to %s outside itself", ErrRequest, clip(string(raw)))
	}
	at := b.root
	for _, step := range strings.Split(strings.Trim(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if step == "" {
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(at, &object); err != nil || object[pointerStep.Replace(step)] == nil {
			return nil, fmt.Errorf("%w: the schema has no %s", ErrRequest, clip(ref))
		}
		at = object[pointerStep.Replace(step)]
	}
	return at, nil
}

func number(m *orderedmap.OrderedMap[string, json.RawMessage], key string, otherwise int) int {
	raw, ok := m.Get(key)
	var n int
	if !ok || json.Unmarshal(raw, &n) != nil || n < 0 {
		return otherwise
	}
	return n
}
