package model

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// shape is the part of a JSON Schema that the practice model fills.
type shape struct {
	Title      string            `json:"title"`
	Type       any               `json:"type"` // a name or a list of names
	Const      json.RawMessage   `json:"const"`
	Enum       []json.RawMessage `json:"enum"`
	AnyOf      []shape           `json:"anyOf"`
	OneOf      []shape           `json:"oneOf"`
	Properties map[string]shape  `json:"properties"`
	Required   []string          `json:"required"`
	Items      *shape            `json:"items"`
	MinItems   int               `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	MinLength  int               `json:"minLength"`
	MaxLength  *int              `json:"maxLength"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	Format     string            `json:"format"`
}

// fillFormat writes JSON for a schema from what the person said.
func fillFormat(schema json.RawMessage, t turn) (json.RawMessage, error) {
	var s shape
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("%w: the schema isn't understood: %s", ErrRequest, clip(err.Error()))
	}
	f := filler{title: s.Title, said: t.said, text: t.text}
	return json.Marshal(f.fill("", s, 0))
}

// argumentsFor fills a tool's parameters with the values known, and the required
// others from the schema.
func argumentsFor(tool Tool, values map[string]any, said string) (json.RawMessage, error) {
	var s shape
	if len(tool.Parameters) > 0 {
		if err := json.Unmarshal(tool.Parameters, &s); err != nil {
			return nil, fmt.Errorf("%w: the parameters of tool %s: %s", ErrRequest, clip(tool.Name), clip(err.Error()))
		}
	}
	f := filler{title: tool.Name, said: said}
	arguments := map[string]any{}
	for name, property := range s.Properties {
		if value, ok := values[name].(string); ok && value != "" {
			if property.MaxLength != nil {
				value = firstChars(value, *property.MaxLength)
			}
			arguments[name] = value
		} else if slices.Contains(s.Required, name) {
			arguments[name] = f.fill(name, property, 0)
		}
	}
	return json.Marshal(arguments)
}

// filler fills a schema of a known title, or any other.
type filler struct{ title, said, text string }

func (f filler) fill(name string, s shape, depth int) any {
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
		if value, ok := f.fillStep(s); ok {
			return value
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
		if about := f.about(name); n == 0 && about && (s.MaxItems == nil || *s.MaxItems > 0) && s.Items != nil {
			n = 1
		}
		list := make([]any, 0, n)
		for range n {
			item := shape{Type: "string"}
			if s.Items != nil {
				item = *s.Items
			}
			list = append(list, f.fill(name, item, depth+1))
		}
		return list
	case "number":
		return within(0.8, s)
	case "integer":
		return int64(math.Ceil(within(1, s)))
	case "boolean":
		return false
	case "null":
		return nil
	}
	return f.words(name, s)
}

// kind is the type of a schema; of several the first that is not null.
func kind(s shape) string {
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

func within(n float64, s shape) float64 {
	if s.Maximum != nil {
		n = min(n, *s.Maximum)
	}
	if s.Minimum != nil {
		n = max(n, *s.Minimum)
	}
	return n
}

// about says whether a list of the person's needs would hold something: they named
// a trouble, a wish or a preference.
func (f filler) about(name string) bool {
	words := map[string]*regexp.Regexp{"concerns": troubled, "goals": wanted, "preferences": preferred}[name]
	return words != nil && words.MatchString(f.said)
}

// words extracts a short text from what the person said.
func (f filler) words(name string, s shape) string {
	if s.Format == "date-time" {
		return "2030-01-01T09:00:00Z"
	}
	if s.Format == "date" {
		return "2030-01-01"
	}
	said := oneLine(f.said, 160)
	text := said
	switch {
	case name == "acknowledgement" && troubled.MatchString(f.said):
		text = "That sounds hard, and it is good that you say so."
	case name == "acknowledgement":
		text = "Thank you for telling me."
	case name == "narrative" || strings.HasSuffix(name, "summary"):
		text = "The person says: " + said
	case name == "concerns" || name == "goals":
		text = topicOf(f.said)
	}
	if s.MaxLength != nil {
		text = firstChars(text, *s.MaxLength)
	}
	for len([]rune(text)) < s.MinLength {
		text += "."
	}
	return text
}

var (
	inDanger  = regexp.MustCompile(`(?i)\b(kill (myself|him|her|them)|suicid\w*|end (my life|it all)|(want|wish) to (die|be dead)|wish i (was|were) dead|(hurt|cut|harm)(ing)? myself|hurt (him|her|them)|overdose)\b`)
	despaired = regexp.MustCompile(`(?i)\b(hopeless|can'?t cope|can'?t go on|give up|worthless|desperate|panic)\b`)
	troubled  = regexp.MustCompile(`(?i)\b(anxi\w*|depress\w*|sad|worr\w*|pain|trouble|insomnia|sleep\w*|stress\w*|afraid|scared|lonely|tired|angry|grie\w*|hopeless|overwhelmed|hard|struggl\w*)\b`)
	wanted    = regexp.MustCompile(`(?i)\b(want|need|would like|help|find|book|see|hope|cancel|looking for)\b`)
	preferred = regexp.MustCompile(`(?i)\b(prefer\w*|rather|only|female|male|evening|morning|near|online|in person)\b`)
	pressing  = regexp.MustCompile(`(?i)\b(urgent|right now|emergency|immediately|today)\b`)
	soonish   = regexp.MustCompile(`(?i)\b(soon|this week|tomorrow)\b`)
)

// harmless is what is picked from an enum that nothing is known about.
var harmless = []string{"none", "no", "low", "routine", "calm", "unknown", "other", "small_talk", "question"}

// pick chooses from an enum by the property's name and what the person said.
func (f filler) pick(name string, enum []json.RawMessage) any {
	var wishes []string
	asked, _ := wish(f.said)
	switch {
	case name == "risk" && inDanger.MatchString(f.said):
		wishes = []string{"crisis", "high"}
	case name == "risk" && despaired.MatchString(f.said):
		wishes = []string{"concern", "medium", "moderate"}
	case name == "category" && inDanger.MatchString(f.said):
		wishes = []string{"intent", "self_harm"}
	case name == "intent":
		switch asked {
		case "availability":
			wishes = []string{"availability", "find_provider"}
		case "search":
			wishes = []string{"question"}
		case "":
			if strings.Contains(f.said, "?") {
				wishes = []string{"question"}
			}
		default:
			wishes = []string{asked}
		}
	case name == "tone" && troubled.MatchString(f.said):
		wishes = []string{"warm", "reassuring"}
	case name == "tone" && asked != "":
		wishes = []string{"practical"}
	case name == "urgency" && (pressing.MatchString(f.said) || inDanger.MatchString(f.said)):
		wishes = []string{"urgent", "high"}
	case name == "urgency" && soonish.MatchString(f.said):
		wishes = []string{"soon", "medium"}
	}
	for _, w := range append(wishes, harmless...) {
		quoted := json.RawMessage(`"` + w + `"`)
		if slices.ContainsFunc(enum, func(e json.RawMessage) bool { return string(e) == string(quoted) }) {
			return quoted
		}
	}
	return enum[0]
}
