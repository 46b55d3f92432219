package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Script is what the practice model plays for an agent and its tools. Every member is
// optional; an empty answer leaves the matter to the next script, and in the end to
// what the practice model says to everything.
type Script struct {
	// Wishes are looked for in what the person said, in this order; the first decides.
	Wishes []Wish
	// Arguments are what a tool of the wish is called with after made calls of it, by
	// property. missing says in words why it can't be called.
	Arguments func(s *Scene, tool string, made int) (values map[string]string, missing string)
	// Another says that a tool of the wish is called once more after made calls.
	Another func(s *Scene, w Wish, tool string, made int) bool
	// Told words the last result.
	Told func(s *Scene, last Result) string
	// Says answers where no tool was called; Greeting does where nothing else is known.
	Says     func(s *Scene) string
	Greeting func(s *Scene) string

	// Person takes the person's words out of a message that holds more.
	Person func(text string) string
	// Ours says that a user's message was put together by a stage.
	Ours func(text string) bool

	// Form answers a format as a whole; Pick is what is chosen from an enum, the best
	// first; Words is a short text; Holds says that a list is not empty. All go by the
	// names of the schema's properties.
	Form  func(s *Scene, title string, f Shape) (value any, ok bool)
	Pick  func(s *Scene, property string) []string
	Words func(s *Scene, property string) string
	Holds func(s *Scene, property string) bool
	// Own says that formats without a title are those of a person who wrote a graph: what such
	// a list is about is worked on, so it has two items, and a number on a scale lies high on
	// it, unless the model is never content.
	Own func(s *Scene) bool
}

// Pattern is what a message is held against: an expression of package regexp, or one that is
// compiled when it is first asked.
type Pattern interface {
	MatchString(string) bool
	FindStringSubmatch(string) []string
}

// Wish is something that a person may ask for, with the tools that do it in order.
type Wish struct {
	Name  string
	Words Pattern
	// French are its words in French; nil for none. A person who is written to in French is
	// heard in both languages.
	French Pattern
	Tools  []string
}

// Result is a call of the present turn with what came of it.
type Result struct {
	Tool  string
	Value any // of JSON; nil for a result that is none
	Text  string
}

// Scene is what the scripts read of a request.
type Scene struct {
	// Said is what the person said last; Text all messages, System those of the system.
	Said, Text, System string
	Messages           []Message
	Tools              []Tool
	Results            []Result
	// Manner is the model's.
	Manner Manner
	// Language is that of the person, as the request has it.
	Language string

	scripts []Script
	calls   int // in the whole conversation, for ids
	words   Words
}

// French says that the person is written to in French.
func (s *Scene) French() bool { return s.Language == "fr" }

// Say is a text, or a format of package fmt with its values, in the person's language.
func (s *Scene) Say(format string, values ...any) string {
	if s.words.Say != nil {
		return s.words.Say(format, values...)
	}
	if len(values) == 0 {
		return format
	}
	return fmt.Sprintf(format, values...)
}

// Told is a sentence or a name of the program's in the person's language; anything else
// stays as it is.
func (s *Scene) Told(english string) string {
	if s.words.Told != nil {
		return s.words.Told(english)
	}
	return english
}

// Heard is what the person said by an expression of English or, where it is the person's
// language and says something, of French; nil for nothing.
func (s *Scene) Heard(english, french Pattern) []string {
	if s.French() && french != nil {
		if found := french.FindStringSubmatch(s.Said); found != nil {
			return found
		}
	}
	return english.FindStringSubmatch(s.Said)
}

// newScene finds the person's last message and what was called since.
func newScene(r Request, scripts []Script) *Scene {
	s := &Scene{Messages: r.Messages, Tools: r.Tools, Language: r.Language, scripts: scripts}
	mended := map[string]bool{} // calls that were made wrong on purpose: their results are no results
	for _, m := range r.Messages {
		s.Text += m.Text + "\n"
		switch m.Role {
		case "system":
			s.System += m.Text + "\n"
		case "user":
			if s.Said != "" && s.any(func(x *Script) bool { return x.Ours != nil && x.Ours(m.Text) }) {
				continue
			}
			s.Said, s.Results = s.person(m.Text), nil
		case "assistant":
			s.calls += len(m.Calls)
			for _, c := range m.Calls {
				mended[c.ID] = string(c.Arguments) == mistakenArguments
			}
		case "tool":
			if mended[m.Call] {
				continue
			}
			x := Result{Tool: m.Tool, Text: m.Text}
			// A result that isn't JSON has no fields; its text is still told.
			if json.Unmarshal([]byte(m.Text), &x.Value) != nil {
				x.Value = nil
			}
			s.Results = append(s.Results, x)
		}
	}
	return s
}

func (s *Scene) any(is func(*Script) bool) bool {
	for i := range s.scripts {
		if is(&s.scripts[i]) {
			return true
		}
	}
	return false
}

// first is the first text that a script has.
func (s *Scene) first(of func(*Script) string) string {
	for i := range s.scripts {
		if text := of(&s.scripts[i]); text != "" {
			return text
		}
	}
	return ""
}

func (s *Scene) person(text string) string {
	for i := range s.scripts {
		if take := s.scripts[i].Person; take != nil {
			text = take(strings.TrimSpace(text))
		}
	}
	return strings.TrimSpace(text)
}

// Wish is what the person asks for; the zero Wish is nothing known.
func (s *Scene) Wish() Wish {
	w, _ := s.wish()
	return w
}

func (s *Scene) wish() (Wish, *Script) {
	for _, french := range []bool{true, false} {
		if french && !s.French() {
			continue
		}
		for i := range s.scripts {
			for _, w := range s.scripts[i].Wishes {
				words := w.Words
				if french {
					words = w.French
				}
				if words != nil && words.MatchString(s.Said) {
					return w, &s.scripts[i]
				}
			}
		}
	}
	return Wish{}, nil
}

// next decides on a call or on a reply.
func (s *Scene) next() (*Call, string, error) {
	no := ""
	if n := len(s.Results); n > 0 {
		no = s.refusal(s.Results[n-1])
	}
	w, script := s.wish()
	insists := s.insists(w, no != "")
	if no != "" && !insists {
		return nil, no, nil
	}
	for i, name := range w.Tools {
		made := s.Made(name)
		if made > 0 && !(insists && i == len(w.Tools)-1) && (script.Another == nil || !script.Another(s, w, name, made)) {
			continue
		}
		at := slices.IndexFunc(s.Tools, func(o Tool) bool { return o.Name == name })
		if at < 0 {
			break
		}
		var values map[string]string
		if script.Arguments != nil {
			var missing string
			if values, missing = script.Arguments(s, name, made); missing != "" {
				return nil, s.noted(missing), nil
			}
		}
		arguments, err := argumentsFor(s.Tools[at], values, s)
		if err != nil {
			return nil, "", err
		}
		return &Call{ID: fmt.Sprintf("practice-%d", s.calls+1), Tool: name, Arguments: arguments}, "", nil
	}
	return nil, s.reply(), nil
}

// insists says that a stubborn model asks once more for what the wish ends with: twice
// for what it got, thrice for what it was refused.
func (s *Scene) insists(w Wish, refused bool) bool {
	most := 2
	if refused {
		most = 3
	}
	return s.Manner == Stubborn && len(w.Tools) > 0 && s.Made(w.Tools[len(w.Tools)-1]) < most
}

// Made counts the calls of a tool in this turn.
func (s *Scene) Made(tool string) (n int) {
	for _, x := range s.Results {
		if x.Tool == tool {
			n++
		}
	}
	return n
}

// List finds an array by one of its names in the newest result of a tool.
func (s *Scene) List(tool string, names ...string) []any {
	for _, x := range slices.Backward(s.Results) {
		if x.Tool != tool {
			continue
		}
		for _, name := range names {
			if list, ok := Find(x.Value, name).([]any); ok {
				return list
			}
		}
		return nil
	}
	return nil
}

// Find looks for a field by name: here first, then inside, names in order.
func Find(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		if found, ok := v[name]; ok {
			return found
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found := Find(v[key], name); found != nil {
				return found
			}
		}
	case []any:
		for _, inner := range v {
			if found := Find(inner, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// Field is a text member of an object as JSON decodes it into an any (the arguments and
// results of a Scene); "" when there is none. Bytes that were not decoded have no members.
func Field(v any, name string) string {
	if m, ok := v.(map[string]any); ok {
		if s, ok := m[name].(string); ok {
			return s
		}
	}
	return ""
}

// OneLine is a text of at most n characters without line breaks; see Opening.
func OneLine(s string, n int) string {
	return Opening(strings.Join(strings.Fields(s), " "), n)
}
