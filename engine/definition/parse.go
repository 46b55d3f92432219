package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"holdpoint/engine/model"
)

// Parse reads a graph file. The error is of type Problems and names every mistake
// that was found, with its place.
func Parse(text []byte) (Definition, error) {
	def, d, err := shape(text)
	if err != nil {
		return def, err
	}
	if p := check(&def, d); len(p) > 0 {
		return Definition{}, p.sorted()
	}
	return def, nil
}

// parse is Parse without the rules beyond the schema, for files of the program's
// own: patterns may stand inside each other.
func parse(text []byte) (Definition, error) {
	def, _, err := shape(text)
	return def, err
}

// shape reads a file as far as the schema describes it.
func shape(text []byte) (Definition, *document, error) {
	d, err := read(text)
	if err != nil {
		return Definition{}, nil, err
	}
	raw := model.JSON(d.value)
	if p := d.validate(built().check, "", raw); len(p) > 0 {
		return Definition{}, nil, p.sorted()
	}
	var def Definition
	if err := json.Unmarshal(raw, &def); err != nil {
		return Definition{}, nil, Problems{d.at("", "%s", err)}
	}
	return def, d, nil
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
		return Problems{d.at(path, "this is no JSON: %s", clip(err.Error(), 200))}
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
				continue
			}
			*out = append(*out, d.atKey(join(path, name), "there is no field %q here%s", clip(name, 60), suggest(name, fields)))
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
		*out = append(*out, d.at(path, "%s is no name; use lower-case letters, digits and underscores, a letter first, 40 at most", show(value)))
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

// gone are fields of earlier versions, with what to do instead.
var gone = map[string]string{
	"limits.max_cost": "models have no price here, so max_cost never ended a run; leave it out and bound the run with max_tokens",
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
func fieldsOf(url string) []string {
	if i := strings.LastIndex(url, "#/$defs/"); i >= 0 {
		name, _, _ := strings.Cut(url[i+len("#/$defs/"):], "/")
		return built().fields[name]
	}
	return built().fields["definition"]
}

func show(v any) string { return clip(string(model.JSON(v)), 60) }

func article(kind string) string {
	switch {
	case kind == "null":
		return "empty"
	case slices.Contains([]string{"a", "e", "i", "o", "u"}, kind[:1]):
		return "an " + kind
	}
	return "a " + kind
}
