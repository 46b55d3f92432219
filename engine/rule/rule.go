// Package rule decides what may happen, what must wait for a person and what must not
// happen at all: conditions with a verdict, asked before and after a tool's call, before
// a model is asked and before a reply goes out.
//
// Rules are data, of the program, of a skill or of a person. All that fire are merged, the
// strictest first. A rule that cannot be evaluated holds.
package rule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/expression"
)

// Event is when a rule is asked.
type Event string

// Events. docs.md says which words a condition can read at each.
const (
	BeforeToolCall  Event = "before_tool_call"
	AfterToolCall   Event = "after_tool_call"
	BeforeModelCall Event = "before_model_call"
	BeforeOutput    Event = "before_output"
)

// Events lists them in the order of a turn.
var Events = []Event{BeforeModelCall, BeforeToolCall, AfterToolCall, BeforeOutput}

// Verdict is what a rule says when it fires.
type Verdict string

// Verdicts, the mildest first.
const (
	// Allow changes nothing; it lifts no other rule and no approval.
	Allow Verdict = "allow"
	// Warn tells the person and goes on.
	Warn Verdict = "warn"
	// Ask puts a question to the person. Before something, approve lets it happen and
	// anything else does not; after a call, the answer goes to the model with the result.
	Ask Verdict = "ask"
	// Hold waits until a person approved, under a checkpoint type and by a reviewer.
	Hold Verdict = "hold"
	// Refuse lets it not happen.
	Refuse Verdict = "refuse"
)

// Verdicts lists them, the mildest first.
var Verdicts = []Verdict{Allow, Warn, Ask, Hold, Refuse}

// Reviewer says who may decide on a hold: one person by name, or anybody with a role; with
// both, that person as long as they have the role.
type Reviewer struct {
	Name string `json:"name,omitempty" yaml:"name,omitempty"`
	Role string `json:"role,omitempty" yaml:"role,omitempty"`
}

func (r Reviewer) String() string {
	switch {
	case r.Name != "" && r.Role != "":
		return r.Name + ", in the role " + r.Role
	case r.Name != "":
		return r.Name
	case r.Role != "":
		return "a person with the role " + r.Role
	}
	return ""
}

// Is says whether a person of this name, with these roles, is one of those meant.
func (r Reviewer) Is(name string, roles []string) bool {
	if r.Name != "" && !SameName(name, r.Name) {
		return false
	}
	return r.Role == "" || slices.ContainsFunc(roles, func(role string) bool { return SameName(role, r.Role) })
}

// and is who both mean; false for nobody. A nil one is anybody.
func (r *Reviewer) and(other Reviewer) (*Reviewer, bool) {
	if r == nil {
		return &other, true
	}
	differ := func(a, b string) bool { return a != "" && b != "" && !SameName(a, b) }
	if differ(r.Name, other.Name) || differ(r.Role, other.Role) {
		return nil, false
	}
	return &Reviewer{Name: cmp.Or(r.Name, other.Name), Role: cmp.Or(r.Role, other.Role)}, true
}

// SameName compares names without regard to case and to how many blanks there are.
func SameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// Rule is one of them, as YAML and JSON write it.
type Rule struct {
	Name        string `json:"name" yaml:"name"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
	Event       Event  `json:"event" yaml:"event"`
	// Agents and Tools are names or patterns such as batch_*; none means all.
	Agents []string `json:"agents,omitempty" yaml:"agents,omitempty"`
	Tools  []string `json:"tools,omitempty" yaml:"tools,omitempty"`
	// When is the condition; "" fires always.
	When    string  `json:"when,omitempty" yaml:"when,omitempty"`
	Verdict Verdict `json:"verdict" yaml:"verdict"`
	// Reason is told to the person and, for a refusal, to the model.
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"`
	// Checkpoint is the type of a hold, Reviewer who may decide on it; nil is anybody.
	Checkpoint string    `json:"checkpoint,omitempty" yaml:"checkpoint,omitempty"`
	Reviewer   *Reviewer `json:"reviewer,omitempty" yaml:"reviewer,omitempty"`
	// Question is that of Ask.
	Question string `json:"question,omitempty" yaml:"question,omitempty"`
	Off      bool   `json:"off,omitempty" yaml:"off,omitempty"`
}

// Bounds of rules.
const (
	maxName  = 63
	maxText  = 600
	maxRules = 500
)

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_.:-]*$`)

// words are what a condition can read at an event, besides the common ones.
var words = map[Event][]string{
	BeforeToolCall:  {"tool", "args"},
	AfterToolCall:   {"tool", "args", "result", "failed"},
	BeforeModelCall: {"model", "prompt"},
	BeforeOutput:    {"output"},
}

// commonWords can be read at every event.
var commonWords = []string{"event", "agent", "stage", "input", "vars", "practice", "state"}

// memberWords are what a condition can read of a word; of those that are not here, anything.
var memberWords = map[string][]string{"tool": memberNames(Tool{}), "model": memberNames(Model{})}

// memberNames are the JSON names of a struct's fields.
func memberNames(v any) (names []string) {
	for f := range reflect.TypeOf(v).Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// Mistake is what is wrong with a rule.
type Mistake struct {
	// Line and Column count from 1; 0 outside of a file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Path is where: rules[2].when. Character is where in that text, from 0; -1 says that
	// all of it is meant.
	Path      string `json:"path"`
	Character int    `json:"-"`
	// Message says what is wrong and what to do.
	Message string `json:"message"`
}

func (m Mistake) String() string {
	text := m.Message
	if m.Path != "" {
		text = m.Path + ": " + text
	}
	if m.Line > 0 {
		return fmt.Sprintf("line %d, column %d: %s", m.Line, m.Column, text)
	}
	return text
}

// Mistakes are all that is wrong with rules, in their order.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, each := range m {
		lines[i] = each.String()
	}
	return "rule: " + strings.Join(lines, "\n")
}

// Check finds what is wrong with rules that stand under a path of a file; nil for nothing.
func Check(rules []Rule, under string) Mistakes {
	var out Mistakes
	if len(rules) > maxRules {
		return Mistakes{{Path: under, Character: -1, Message: fmt.Sprintf("there are %d rules; at most %d are read", len(rules), maxRules)}}
	}
	seen := map[string]bool{}
	for i := range rules {
		at := fmt.Sprintf("%s[%d]", under, i)
		_, bad := rules[i].compile(at)
		out = append(out, bad...)
		if name := rules[i].Name; name != "" && seen[name] {
			out = append(out, Mistake{Path: at + ".name", Character: -1, Message: fmt.Sprintf("two rules are named %s; rename one", name)})
		}
		seen[rules[i].Name] = true
	}
	return out
}

// compile checks the rule and reads its condition.
func (r *Rule) compile(at string) (*expression.Expression, Mistakes) {
	var out Mistakes
	bad := func(field, format string, args ...any) {
		out = append(out, Mistake{Path: at + "." + field, Character: -1, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case r.Name == "":
		out = append(out, Mistake{Path: at, Character: -1, Message: "name is missing; add it"})
	case len(r.Name) > maxName || !nameForm.MatchString(r.Name):
		bad("name", "%q is not a name; use lower-case letters, digits and _ . : -, a letter first, %d at most", clip(r.Name), maxName)
	}
	known := append(slices.Clone(commonWords), words[r.Event]...)
	switch {
	case r.Event == "":
		out = append(out, Mistake{Path: at, Character: -1, Message: "event is missing; add one of " + list(Events)})
	case words[r.Event] == nil:
		bad("event", "%q is not known; use one of %s%s", clip(string(r.Event)), list(Events), expression.Suggest(string(r.Event), texts(Events)))
		for _, more := range words {
			known = append(known, more...)
		}
	case len(r.Tools) > 0 && r.Event != BeforeToolCall && r.Event != AfterToolCall:
		bad("tools", "%s is about no tool; leave tools out", r.Event)
	}
	switch {
	case r.Verdict == "":
		out = append(out, Mistake{Path: at, Character: -1, Message: "verdict is missing; add one of " + list(Verdicts)})
	case !slices.Contains(Verdicts, r.Verdict):
		bad("verdict", "%q is not known; use one of %s%s", clip(string(r.Verdict)), list(Verdicts), expression.Suggest(string(r.Verdict), texts(Verdicts)))
	default:
		if r.Verdict == Ask && strings.TrimSpace(r.Question) == "" {
			out = append(out, Mistake{Path: at, Character: -1, Message: "a rule that asks needs its question; add question"})
		}
		if r.Verdict != Ask && r.Question != "" {
			bad("question", "only the verdict ask has a question; leave it out")
		}
		if r.Verdict != Hold && r.Checkpoint != "" {
			bad("checkpoint", "only the verdict hold has a checkpoint; leave it out")
		}
		if r.Verdict != Hold && r.Reviewer != nil {
			bad("reviewer", "only the verdict hold has a reviewer; leave it out")
		}
	}
	if r.Checkpoint != "" && (len(r.Checkpoint) > maxName || !nameForm.MatchString(r.Checkpoint)) {
		bad("checkpoint", "%q is not a type of checkpoint; use lower-case letters, digits and _, such as pre_filing", clip(r.Checkpoint))
	}
	if v := r.Reviewer; v != nil && (v.Name == "") == (v.Role == "") {
		bad("reviewer", "a reviewer is one person (name) or anybody with a role (role); give one of the two")
	}
	for field, text := range map[string]string{"description": r.Description, "reason": r.Reason, "question": r.Question} {
		if n := len([]rune(text)); n > maxText {
			bad(field, "this text has %d characters; at most %d are taken", n, maxText)
		}
	}
	for field, patterns := range map[string][]string{"agents": r.Agents, "tools": r.Tools} {
		for i, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				bad(fmt.Sprintf("%s[%d]", field, i), "%q is not a name or pattern; write a name, or batch_* for all that begin so", clip(p))
			}
		}
	}
	if strings.TrimSpace(r.When) == "" {
		return nil, out
	}
	e, err := expression.Compile(r.When)
	if err != nil {
		m := Mistake{Path: at + ".when", Character: -1, Message: err.Error()}
		if place, ok := err.(*expression.Error); ok {
			m.Character, m.Message = place.At, place.Message
		}
		return nil, append(out, m)
	}
	for _, o := range e.Operands() {
		if !slices.Contains(known, o.Name) {
			out = append(out, Mistake{Path: at + ".when", Character: o.At, Message: fmt.Sprintf("%s is nothing that a rule can read at %s%s; there are %s",
				clip(o.Name), cmp.Or(r.Event, "its event"), expression.Suggest(o.Name, known), strings.Join(known, ", "))})
			continue
		}
		has := memberWords[o.Name]
		for _, m := range o.Members {
			if has != nil && !slices.Contains(has, m.Name) {
				out = append(out, Mistake{Path: at + ".when", Character: m.At, Message: fmt.Sprintf("%s has no %s%s; there are %s",
					o.Name, clip(m.Name), expression.Suggest(m.Name, has), strings.Join(has, ", "))})
			}
		}
	}
	return e, out
}

// matches says whether a name is one of the patterns; none match all.
func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func list[T ~string](all []T) string { return strings.Join(texts(all), ", ") }

// clip shortens what somebody wrote for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// Tool is a tool as conditions read it.
type Tool struct {
	Name string `json:"name"`
	// Capabilities are what the tool says that it does: read, create_entity. One that says
	// nothing counts as mutating.
	Capabilities []string `json:"capabilities"`
	Mutates      bool     `json:"mutates"`
	// Server is that of a tool of somebody else; "" for our own.
	Server string `json:"server"`
}

// Model is a question to a model as conditions read it.
type Model struct {
	Name    string `json:"name"`
	Role    string `json:"role"`    // main or light
	Purpose string `json:"purpose"` // what is asked for: a stage, or the names of light questions
}

// Occasion is what rules are asked about. Its JSON names are the words of conditions.
type Occasion struct {
	Event    Event             `json:"event"`
	Agent    string            `json:"agent"`
	Stage    string            `json:"stage"`
	Input    string            `json:"input"`
	Vars     map[string]string `json:"vars"`
	Practice bool              `json:"practice"`
	// State are counters and other values of the agent, an object.
	State  json.RawMessage `json:"state,omitempty"`
	Tool   *Tool           `json:"tool,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Failed bool            `json:"failed,omitempty"`
	Model  *Model          `json:"model,omitempty"`
	Prompt string          `json:"prompt,omitempty"`
	Output string          `json:"output,omitempty"`
}

// values are what the conditions named read.
func (o *Occasion) values(read map[string]bool) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(read))
	put := func(name string, v any) error {
		if !read[name] {
			return nil
		}
		raw, err := json.Marshal(v)
		out[name] = raw
		return err
	}
	state := o.State
	if len(state) == 0 {
		state = json.RawMessage(`{}`)
	}
	vars := o.Vars
	if vars == nil {
		vars = map[string]string{}
	}
	for name, v := range map[string]any{"event": o.Event, "agent": o.Agent, "stage": o.Stage, "input": o.Input, "vars": vars, "practice": o.Practice, "state": state} {
		if err := put(name, v); err != nil {
			return nil, err
		}
	}
	if o.Tool != nil {
		t := *o.Tool
		t.Mutates = t.Mutates || len(t.Capabilities) == 0
		if t.Capabilities == nil {
			t.Capabilities = []string{}
		}
		if err := put("tool", t); err != nil {
			return nil, err
		}
	}
	for name, raw := range map[string]json.RawMessage{"args": o.Args, "result": o.Result} {
		if len(raw) > 0 && read[name] {
			out[name] = raw
		}
	}
	switch o.Event {
	case AfterToolCall:
		return out, put("failed", o.Failed)
	case BeforeModelCall:
		if o.Model != nil {
			if err := put("model", o.Model); err != nil {
				return nil, err
			}
		}
		return out, put("prompt", o.Prompt)
	case BeforeOutput:
		return out, put("output", o.Output)
	}
	return out, nil
}
