package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"holdpoint/engine/expression"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// Parse reads a graph file. The error is of type Problems and names every mistake
// that was found, with its place.
func Parse(text []byte) (Definition, error) {
	r := inspect(text, nil)
	if len(r.found) > 0 {
		return Definition{}, r.found.sorted()
	}
	return r.def, nil
}

// Warnings are what is odd about a graph file and does not keep it from running: ends
// that nobody wrote, rules that can never hold.
func Warnings(text []byte) Problems { return inspect(text, nil).warned.sorted() }

// reading is a graph file with all that is to be said of it.
type reading struct {
	def    Definition
	d      *document // nil for what is no YAML
	found  Problems
	warned Problems
}

// inspect reads a file and finds all mistakes, those against the schema and those against
// the rules: what does not fit the schema is left out before the rest is looked at. tools
// are those that are known.
func inspect(text []byte, tools []tool.Description) (r reading) {
	if r.d, r.found = shape(text, &r.def); r.d == nil {
		return r
	}
	outputs(r.def.Nodes, "", 0, func(n *Node, _ string) { n.reading(tools) })
	c := check(&r.def, r.d)
	r.warned = c.warned
	for _, p := range c.found {
		if !r.d.broken.covers(p.Path) {
			r.found = append(r.found, p)
		}
	}
	return r
}

// mistakes are those of a definition that may never have been a file.
func (def *Definition) mistakes() Problems {
	raw, err := json.Marshal(def)
	if err != nil {
		return Problems{{Message: "this is not a graph file: " + err.Error()}}
	}
	d := &document{places: map[string]place{}}
	d.value, _ = decode(raw)
	if found := d.validate(built().check, "", raw); len(found) > 0 {
		return found
	}
	return check(def, d).found
}

// Read is Parse without schema and rules, for files of the program's own, which tests hold
// against both: making the schema for them took a tenth of a short command's time.
func Read(text []byte) (def Definition, err error) {
	d, err := read(text)
	if err != nil {
		return def, err
	}
	return def, json.Unmarshal(model.JSON(d.value), &def)
}

// shape reads a file as far as the schema describes it. The document is nil when nothing
// of it can be used.
func shape(text []byte, def *Definition) (*document, Problems) {
	d, err := read(text)
	if err != nil {
		var p Problems
		if !errors.As(err, &p) {
			p = Problems{{Message: err.Error()}}
		}
		return nil, p
	}
	found := d.validate(built().check, "", model.JSON(d.value))
	if _, isMap := d.value.(map[string]any); !isMap {
		return nil, found
	}
	found = append(found, d.times()...)
	d.misshapen = len(found) > 0
	d.prune()
	if err := json.Unmarshal(model.JSON(d.value), def); err != nil {
		return nil, append(found, d.at("", "%s", err))
	}
	return d, found
}

// nodePath is the place of a node, a nested one's too.
var nodePath = regexp.MustCompile(`^nodes\[\d+\](\.(nodes|pool)\[\d+\])*$`)

// holdsTime says that the place holds a duration. The end of it is looked at first: a
// hostile file has ten thousand places.
func holdsTime(path string) bool {
	node, ok := strings.CutSuffix(path, ".within")
	return ok && nodePath.MatchString(node) || path == "limits.max_time"
}

// times finds durations that are none, each at its place.
func (d *document) times() (found Problems) {
	for _, path := range sortedKeys(d.places) {
		if !holdsTime(path) {
			continue
		}
		v, ok := inside(d.value, dotted(path))
		if !ok || v == nil || d.broken.covers(path) {
			continue
		}
		var t Duration
		if err := t.UnmarshalJSON(model.JSON(v)); err != nil {
			found = append(found, d.at(path, "%s", err))
			d.broken = append(d.broken, path)
		}
	}
	return found
}

func dotted(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

// paths are places of a file, in the form of Problem.Path.
type paths []string

// covers says that a path is one of them or inside one.
func (p paths) covers(path string) bool {
	return slices.ContainsFunc(p, func(b string) bool {
		rest, ok := strings.CutPrefix(path, b)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// prune puts nothing in the place of what does not fit the schema.
func (d *document) prune() {
	for _, path := range d.broken {
		steps := strings.Split(dotted(path), ".")
		v := d.value
		for i, step := range steps {
			last := i == len(steps)-1
			switch at := v.(type) {
			case map[string]any:
				if last {
					if _, ok := at[step]; ok {
						at[step] = nil
					}
				}
				v = at[step]
			case []any:
				k, err := strconv.Atoi(step)
				if err != nil || k < 0 || k >= len(at) {
					v = nil
					break
				}
				if last {
					at[k] = nil
				}
				v = at[k]
			default:
				v = nil
			}
		}
	}
}

// parseNode reads one node that a model wrote: the same form, as JSON.
func parseNode(raw json.RawMessage) (Node, error) {
	if len(raw) > maxAdded {
		return Node{}, fmt.Errorf("definition: the node has %d bytes; at most %d are taken", len(raw), maxAdded)
	}
	d := &document{}
	if p := d.validate(built().node, "", raw); len(p) > 0 {
		return Node{}, p
	}
	var n Node
	if err := json.Unmarshal(raw, &n); err != nil {
		return Node{}, Problems{{Message: err.Error()}}
	}
	return n, nil
}

// maxAdded bounds the definition of one added node, in bytes.
const maxAdded = 16 << 10

// validate checks JSON against a schema and words what does not fit.
func (d *document) validate(s *validator.Schema, path string, raw json.RawMessage) Problems {
	v, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return Problems{d.at(path, "this is not JSON: %s", clip(err.Error(), 200))}
	}
	var invalid *validator.ValidationError
	if err = s.Validate(v); err == nil {
		return nil
	} else if !errors.As(err, &invalid) {
		return Problems{d.at(path, "%s", err)}
	}
	var out Problems
	d.explain(invalid, v, &out)
	return out
}

func (d *document) explain(e *validator.ValidationError, root any, out *Problems) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			d.explain(c, root, out)
		}
		return
	}
	path, value := locate(root, e.InstanceLocation)
	switch e.ErrorKind.(type) {
	case *kind.Required, *kind.AdditionalProperties, *kind.Pattern, *kind.MinItems:
		// What is there can be used.
	default:
		if path != "" {
			d.broken = append(d.broken, path)
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, m := range k.Missing {
			*out = append(*out, d.at(path, "%s is missing; add it", m))
		}
	case *kind.AdditionalProperties:
		fields := fieldsOf(e.SchemaURL)
		for _, name := range k.Properties {
			if why, ok := gone[join(path, name)]; ok {
				*out = append(*out, d.atKey(join(path, name), "%s", why))
				d.unknown(path, name, "")
				continue
			}
			hint := suggest(name, fields)
			if def := defOf(e.SchemaURL); def == "guard" && slices.Contains(built().fields["node"], name) {
				hint = "; it is a field of the node, beside guards"
			}
			*out = append(*out, d.atKey(join(path, name), "there is no field %q here%s", clip(name, 60), hint))
			d.unknown(path, name, nearest(name, fields))
		}
	case *kind.Enum:
		var names []string
		for _, w := range k.Want {
			names = append(names, fmt.Sprint(w))
		}
		*out = append(*out, d.at(path, "%s is not known; use one of %s%s", show(value), strings.Join(names, ", "), suggest(fmt.Sprint(value), names)))
	case *kind.Type:
		want := slices.DeleteFunc(slices.Clone(k.Want), func(name string) bool { return name == "null" }) // nobody means to write that
		*out = append(*out, d.at(path, "this is %s; it must be %s", article(k.Got), article(strings.Join(want, " or "))))
	case *kind.Pattern:
		*out = append(*out, d.at(path, "%s is not a name; use lower-case letters, digits and underscores, a letter first, 40 at most", show(value)))
	case *kind.MinLength:
		*out = append(*out, d.at(path, "this text is empty; write it or leave the field out"))
	case *kind.MaxLength:
		*out = append(*out, d.at(path, "this text has %d characters; at most %d are taken", k.Got, k.Want))
	case *kind.MinItems:
		*out = append(*out, d.at(path, "this list is empty; it needs at least %d", k.Want))
	case *kind.MaxItems:
		*out = append(*out, d.at(path, "this list has %d entries; at most %d are taken", k.Got, k.Want))
	case *kind.Minimum:
		*out = append(*out, d.at(path, "%s is too small; use at least %s", show(value), k.Want.RatString()))
	case *kind.Maximum:
		*out = append(*out, d.at(path, "%s is too large; use at most %s", show(value), k.Want.RatString()))
	default:
		*out = append(*out, d.at(path, "%s does not fit the schema", show(value)))
	}
}

// unknown leaves a field out that nobody knows; meant is the one that it was taken for.
func (d *document) unknown(path, name, meant string) {
	v := d.value
	if path != "" {
		v, _ = inside(v, dotted(path))
	}
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	if _, given := m[meant]; meant != "" && !given {
		m[meant] = nil
		d.broken = append(d.broken, join(path, meant))
	}
	delete(m, name)
}

// gone are fields of earlier versions, with what to do instead.
var gone = map[string]string{
	"limits.max_cost": phrase("models have no price here, so max_cost never ended a run; leave it out and bound the run with max_tokens"),
}

// locate writes a JSON location as a path and finds its value.
func locate(root any, steps []string) (string, any) {
	path, v := "", root
	for _, s := range steps {
		switch at := v.(type) {
		case []any:
			path += "[" + s + "]"
			i := -1
			if _, err := fmt.Sscan(s, &i); err != nil || i < 0 || i >= len(at) {
				return path, nil
			}
			v = at[i]
		case map[string]any:
			path, v = join(path, s), at[s]
		default:
			return path, nil
		}
	}
	return path, v
}

// fieldsOf are the fields that the schema at a URL knows.
func fieldsOf(url string) []string { return built().fields[defOf(url)] }

// defOf is the part of the schema that a place belongs to.
func defOf(url string) string {
	if i := strings.LastIndex(url, "#/$defs/"); i >= 0 {
		name, _, _ := strings.Cut(url[i+len("#/$defs/"):], "/")
		return name
	}
	return "definition"
}

// nearest is the nearest of the known names; "" when none is near.
func nearest(name string, known []string) string {
	return strings.TrimSuffix(strings.TrimPrefix(expression.Suggest(name, known), "; did you mean "), "?")
}

func show(v any) string { return clip(string(model.JSON(v)), 60) }

// article names a JSON type in a sentence.
func article(kind string) string {
	switch kind {
	case "null":
		return "empty"
	case "string":
		return phrase("a string")
	case "number":
		return phrase("a number")
	case "boolean":
		return phrase("a boolean")
	case "integer":
		return phrase("an integer")
	case "array":
		return phrase("an array")
	case "object":
		return phrase("an object")
	case "string or object":
		return phrase("a string or object")
	}
	return "a " + kind
}
