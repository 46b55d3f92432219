package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/tool"
	"holdpoint/engine/visible"
)

const (
	mostSchema  = 64 << 10 // bytes, as sent and as made
	deepest     = 10       // levels; models' grammars take no more
	mostNodes   = 1000
	mostName    = 64
	mostRemarks = 500 // characters of a description within a schema
)

// most are the largest bounds that models' grammars take.
var most = map[string]float64{"minItems": 64, "minLength": 2000, "minProperties": 64, "minContains": 64, "maxItems": 1000, "maxLength": 1e6}

// strict rewrites the schema of a tool's arguments so that our checker and every model
// accept it: references are inlined, an object that lists its members allows no others,
// and descriptions become short visible text.
func strict(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > mostSchema {
		return nil, fmt.Errorf("its schema has more than %d bytes", mostSchema)
	}
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, fmt.Errorf("its schema cannot be read")
	}
	top, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its schema is not an object")
	}
	if top["type"] == nil {
		top["type"] = "object"
	}
	if top["type"] != "object" {
		return nil, fmt.Errorf("its arguments are not an object")
	}
	w := walker{root: top}
	made, err := w.schema(top, 0)
	if err != nil {
		return nil, err
	}
	out := made.(map[string]any)
	if out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	if _, said := out["additionalProperties"]; !said && !combines(out) {
		out["additionalProperties"] = false
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be written")
	}
	if len(body) > mostSchema {
		return nil, fmt.Errorf("its schema has more than %d bytes with its references in place", mostSchema)
	}
	if err := checkable(body); err != nil {
		return nil, err
	}
	return body, nil
}

// checkable says whether our own checker takes the schema.
func checkable(schema json.RawMessage) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("its schema cannot be checked")
		}
	}()
	_, err = tool.NewSet(tool.Tool{Name: "x.x", Server: "x", Parameters: schema, Read: nothing})
	if err != nil {
		err = fmt.Errorf("its schema cannot be checked: %s", bounded(err.Error(), 200))
	}
	return err
}

// combines says that an object's members may be listed elsewhere than in properties.
func combines(s map[string]any) bool {
	for _, k := range []string{"allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas", "not"} {
		if s[k] != nil {
			return true
		}
	}
	return false
}

type walker struct {
	root  map[string]any
	nodes int
}

// schema walks one schema; true is any value, as {} is.
func (w *walker) schema(v any, depth int) (any, error) {
	if w.nodes++; w.nodes > mostNodes {
		return nil, fmt.Errorf("its schema has more than %d parts", mostNodes)
	}
	if depth > deepest {
		return nil, fmt.Errorf("its schema is deeper than %d levels or refers to itself", deepest)
	}
	if v == true {
		return map[string]any{}, nil
	}
	in, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its schema has a part that is not a schema")
	}
	if ref, ok := in["$ref"]; ok {
		target, err := w.resolve(ref)
		if err != nil {
			return nil, err
		}
		return w.schema(target, depth+1)
	}
	out := make(map[string]any, len(in))
	for _, k := range sorted(in) {
		made, keep, err := w.keyword(k, in[k], depth)
		if err != nil {
			return nil, err
		}
		if keep {
			out[k] = made
		}
	}
	if list, ok := out["items"].([]any); ok { // how drafts before 2020-12 write a tuple
		out["prefixItems"] = list
		delete(out, "items")
		if more, ok := out["additionalItems"]; ok {
			out["items"] = more
		}
	}
	delete(out, "additionalItems")
	if _, said := out["additionalProperties"]; !said && depth > 0 && out["properties"] != nil && !combines(out) {
		out["additionalProperties"] = false
	}
	return out, nil
}

func (w *walker) keyword(k string, v any, depth int) (made any, keep bool, err error) {
	switch k {
	case "$schema", "$id", "id", "$anchor", "$defs", "definitions", "$comment", "examples", "$vocabulary":
		return nil, false, nil // references are in place; the rest only talks
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor":
		return nil, false, fmt.Errorf("its schema uses %s", k)
	case "description", "title":
		s, ok := v.(string)
		return bounded(s, mostRemarks), ok, nil
	case "default":
		s, ok := v.(string)
		if ok {
			return bounded(s, mostRemarks), true, nil
		}
		return v, true, nil
	case "properties", "patternProperties", "dependentSchemas":
		in, ok := v.(map[string]any)
		if !ok {
			return nil, false, fmt.Errorf("its schema has %s that are not an object", k)
		}
		out := make(map[string]any, len(in))
		folded := map[string]bool{}
		for _, name := range sorted(in) {
			if k == "properties" {
				if name == "" || len(name) > mostName || visible.Line(name) != name {
					return nil, false, fmt.Errorf("an argument is called %q", bounded(name, 40))
				}
				if folded[strings.ToLower(name)] {
					return nil, false, fmt.Errorf("two arguments are called %q", strings.ToLower(name))
				}
				folded[strings.ToLower(name)] = true
			}
			if out[name], err = w.schema(in[name], depth+1); err != nil {
				return nil, false, err
			}
		}
		return out, true, nil
	case "items", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems", "unevaluatedItems", "unevaluatedProperties", "additionalProperties":
		if list, ok := v.([]any); ok && k == "items" {
			made, err := w.list(list, depth)
			return made, true, err
		}
		if v == false {
			return false, true, nil
		}
		made, err := w.schema(v, depth+1)
		return made, true, err
	case "anyOf", "oneOf", "allOf", "prefixItems":
		list, ok := v.([]any)
		if !ok {
			return nil, false, fmt.Errorf("its schema has %s that is not a list", k)
		}
		made, err := w.list(list, depth)
		return made, true, err
	case "minItems", "minLength", "minProperties", "minContains":
		// A model that has to write so much never ends.
		if n, ok := v.(float64); ok && n > most[k] {
			return nil, false, fmt.Errorf("its schema asks for a %s of %.0f", k, n)
		}
	case "maxItems", "maxLength":
		// Grammars of models take no such bound; without one they have their own.
		if n, ok := v.(float64); ok && n > most[k] {
			return nil, false, nil
		}
	case "type":
		switch v := v.(type) {
		case string:
			return v, true, nil
		case []any:
			if !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(string); return !ok }) {
				return v, true, nil
			}
		}
		return nil, false, fmt.Errorf("its schema has a type that is not text")
	}
	return v, true, nil
}

func (w *walker) list(in []any, depth int) (any, error) {
	out := make([]any, len(in))
	for i := range in {
		var err error
		if out[i], err = w.schema(in[i], depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// resolve follows a pointer within the schema; nothing else is ever looked up.
func (w *walker) resolve(ref any) (any, error) {
	s, ok := ref.(string)
	if !ok || s != "#" && !strings.HasPrefix(s, "#/") {
		return nil, fmt.Errorf("its schema refers to something outside of it")
	}
	var at any = w.root
	for _, step := range strings.Split(s, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		in, ok := at.(map[string]any)
		if !ok || in[step] == nil {
			return nil, fmt.Errorf("its schema refers to a part that it does not have")
		}
		at = in[step]
	}
	return at, nil
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
