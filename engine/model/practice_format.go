package model

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Shape is the part of a JSON Schema that the practice model fills.
type Shape struct {
	Title      string            `json:"title"`
	Type       any               `json:"type"` // a name or a list of names
	Const      json.RawMessage   `json:"const"`
	Enum       []json.RawMessage `json:"enum"`
	AnyOf      []Shape           `json:"anyOf"`
	OneOf      []Shape           `json:"oneOf"`
	Properties map[string]Shape  `json:"properties"`
	Required   []string          `json:"required"`
	Items      *Shape            `json:"items"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	MinLength  int               `json:"minLength"`
	MaxLength  *int              `json:"maxLength"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Format     string            `json:"format"`
}

// fillFormat writes JSON for a schema from what the person said.
func fillFormat(schema json.RawMessage, scene *Scene) (json.RawMessage, error) {
	var s Shape
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("%w: the schema isn't understood: %s", ErrRequest, clip(err.Error()))
	}
	f := filler{title: s.Title, scene: scene}
	return json.Marshal(f.fill("", s, 0))
}

// argumentsFor fills a tool's parameters with the values known, and the required
// others from the schema.
func argumentsFor(tool Tool, values map[string]string, scene *Scene) (json.RawMessage, error) {
	var s Shape
	if len(tool.Parameters) > 0 {
		if err := json.Unmarshal(tool.Parameters, &s); err != nil {
			return nil, fmt.Errorf("%w: the parameters of tool %s: %s", ErrRequest, clip(tool.Name), clip(err.Error()))
		}
	}
	f := filler{title: tool.Name, scene: scene}
	arguments := map[string]any{}
	for name, property := range s.Properties {
		if value := values[name]; value != "" {
			if property.MaxLength != nil {
				value = Opening(value, *property.MaxLength)
			}
			arguments[name] = value
			if kind(property) != "string" && json.Valid([]byte(value)) {
				arguments[name] = json.RawMessage(value)
			}
		} else if slices.Contains(s.Required, name) {
			arguments[name] = f.fill(name, property, 0)
		}
	}
	return json.Marshal(arguments)
}

// filler fills a schema of a known title, or any other.
type filler struct {
	title string
	scene *Scene
}

func (f filler) fill(name string, s Shape, depth int) any {
	if depth > deepest {
		return nil
	}
	switch {
	case len(s.Const) > 0:
		return s.Const
	case len(s.Enum) > 0:
		return f.pick(name, s.Enum)
	case len(s.AnyOf) > 0:
		return f.fill(name, s.AnyOf[0], depth+1)
	case len(s.OneOf) > 0:
		return f.fill(name, s.OneOf[0], depth+1)
	}
	switch kind(s) {
	case "object":
		if s.Title != "" {
			f.title = s.Title
		}
		for i := range f.scene.scripts {
			if form := f.scene.scripts[i].Form; form != nil {
				if value, ok := form(f.scene, f.title, s); ok {
					return value
				}
			}
		}
		object := map[string]any{}
		for property, inner := range s.Properties {
			if len(s.Required) == 0 || slices.Contains(s.Required, property) {
				object[property] = f.fill(property, inner, depth+1)
			}
		}
		return object
	case "array":
		n := s.MinItems
		holds := f.scene.any(func(x *Script) bool { return x.Holds != nil && x.Holds(f.scene, name) })
		if n == 0 && holds && (s.MaxItems == nil || *s.MaxItems > 0) && s.Items != nil {
			n = 1
		}
		own := f.own()
		if own && s.MinItems == 0 && s.Items != nil {
			if n = 2; s.MaxItems != nil {
				n = min(n, *s.MaxItems)
			}
		}
		list := make([]any, 0, n)
		for i := range n {
			item := Shape{Type: "string"}
			if s.Items != nil {
				item = *s.Items
			}
			value := f.fill(name, item, depth+1)
			if text, is := value.(string); is && own && n > 1 && len(item.Enum) == 0 && item.Format == "" {
				if numbered := fmt.Sprintf("%s (%d)", text, i+1); item.MaxLength == nil || len([]rune(numbered)) <= *item.MaxLength {
					value = numbered
				}
			}
			list = append(list, value)
		}
		return list
	case "number":
		if n, ok := f.rated(s); ok {
			return n
		}
		if f.scene.Manner == Stubborn {
			return bounded(0, s)
		}
		return bounded(0.8, s)
	case "integer":
		if n, ok := f.rated(s); ok {
			return int64(math.Ceil(n))
		}
		return int64(math.Ceil(bounded(1, s)))
	case "boolean":
		return f.scene.Manner == Stubborn && slices.Contains(unwilling, name)
	case "null":
		return nil
	}
	return f.words(name, s)
}

// own says that the schema is one that the author of a graph wrote.
func (f filler) own() bool {
	return f.title == "" && f.scene.any(func(x *Script) bool { return x.Own != nil && x.Own(f.scene) })
}

// rated is a number of an author's own scale: high on it, and at its foot for a model that is
// never content. ok is false where there is no scale.
func (f filler) rated(s Shape) (n float64, ok bool) {
	if s.Minimum == nil || s.Maximum == nil || !f.own() {
		return 0, false
	}
	if f.scene.Manner == Stubborn {
		return *s.Minimum, true
	}
	return *s.Minimum + 0.8*(*s.Maximum-*s.Minimum), true
}

// kind is the type of a schema; of several the first that is not null.
func kind(s Shape) string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		for _, each := range t {
			if name, ok := each.(string); ok && name != "null" {
				return name
			}
		}
	}
	if s.Properties != nil {
		return "object"
	}
	return "string"
}

func bounded(n float64, s Shape) float64 {
	if s.Maximum != nil {
		n = min(n, *s.Maximum)
	}
	if s.Minimum != nil {
		n = max(n, *s.Minimum)
	}
	return n
}

// words are a short text of what the person said.
func (f filler) words(name string, s Shape) string {
	if s.Format == "date-time" {
		return "2030-01-01T09:00:00Z"
	}
	if s.Format == "date" {
		return "2030-01-01"
	}
	text := f.scene.first(func(x *Script) string {
		if x.Words == nil {
			return ""
		}
		return x.Words(f.scene, name)
	})
	if text == "" {
		text = OneLine(f.scene.Said, 160)
	}
	if s.MaxLength != nil {
		text = Opening(text, *s.MaxLength)
	}
	for len([]rune(text)) < s.MinLength {
		text += "."
	}
	return text
}

// harmless is what is picked from an enum that nothing is known about.
var harmless = []string{"none", "no", "low", "unknown", "other"}

// pick chooses from an enum by the property's name and what the person said.
func (f filler) pick(name string, enum []json.RawMessage) any {
	var wanted []string
	if f.scene.Manner == Stubborn {
		wanted = append(wanted, unwilling...)
	}
	for i := range f.scene.scripts {
		if pick := f.scene.scripts[i].Pick; pick != nil {
			wanted = append(wanted, pick(f.scene, name)...)
		}
	}
	for _, w := range append(wanted, harmless...) {
		quoted := json.RawMessage(`"` + w + `"`)
		if slices.ContainsFunc(enum, func(e json.RawMessage) bool { return string(e) == string(quoted) }) {
			return quoted
		}
	}
	return enum[0]
}
