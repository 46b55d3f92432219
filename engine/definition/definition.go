package definition

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
)

// Most that a count can be.
const (
	maxTimes = 100
	maxSteps = 1000
)

// Definition is a graph as a person writes it. Parse makes one from YAML.
type Definition struct {
	Name        string `json:"name" jsonschema:"short name of the graph: lower-case letters, digits and underscores"`
	Title       string `json:"title,omitempty" jsonschema:"name for people"`
	Description string `json:"description,omitempty" jsonschema:"one or two sentences on what the graph is for"`
	// Example is a message that shows what the graph does, in practice mode too.
	Example      string `json:"example,omitempty" jsonschema:"a message that shows what the graph does"`
	Instructions string `json:"instructions,omitempty" jsonschema:"what every node that asks a model is told first; may hold {{ … }}"`
	// Vars are what a run is started with (--var) or, of a pattern, what the node that uses
	// it hands in (with).
	Vars map[string]Value `json:"vars,omitempty" jsonschema:"what the graph is started with: --var NAME=VALUE; of a pattern, with at the node that uses it"`
	// Outputs are keys of a pattern that a node which uses it may take over.
	Outputs []string `json:"outputs,omitempty" jsonschema:"of a pattern: keys of its context that a node which uses it may take over"`
	Entry   string   `json:"entry,omitempty" jsonschema:"node to begin with; the first one when left out"`
	Mutable bool     `json:"mutable,omitempty" jsonschema:"lets think and plan nodes change the graph while it runs"`
	MayAdd  []string `json:"may_add,omitempty" jsonschema:"kinds of nodes that a model may add to a mutable graph"`
	Limits  Limits   `json:"limits,omitzero" jsonschema:"bounds of a run"`
	Nodes   Nodes    `json:"nodes" jsonschema:"the nodes of the graph"`
	Edges   []Edge   `json:"edges,omitempty" jsonschema:"ways between nodes beside each node's own"`
	Rules   []Rule   `json:"rules,omitempty" jsonschema:"what is to happen at nodes, calls of tools and changes of the graph"`
}

// Limits bound a run; what is left out has the default.
type Limits struct {
	MaxIterations     int      `json:"max_iterations,omitempty" jsonschema:"super-steps of a run; 50 when left out"`
	MaxNodeIterations int      `json:"max_node_iterations,omitempty" jsonschema:"super-steps of one node; 25 when left out"`
	MaxMutations      int      `json:"max_mutations,omitempty" jsonschema:"changes of the graph in a run; 10 when left out"`
	MaxTokens         int      `json:"max_tokens,omitempty" jsonschema:"tokens of all model calls together"`
	MaxTime           Duration `json:"max_time,omitzero" jsonschema:"time under way, waits for people not counted"`
	Cycle             int      `json:"cycle,omitempty" jsonschema:"end the run when the same sequence of nodes ran this many times in a row"`
}

// LimitField is the field of a graph's file that sets a limit, by the limit's name; "" for
// none of them.
func LimitField(limit string) string {
	return map[string]string{"": "max_iterations", graph.LimitSteps: "max_iterations", graph.LimitVisits: "max_node_iterations", graph.LimitMutations: "max_mutations",
		graph.LimitTokens: "max_tokens", graph.LimitTime: "max_time", graph.LimitCycle: "cycle", LimitAutonomous: "max_steps"}[limit]
}

// Nodes is a list of nodes; a type of its own because nodes hold nodes.
type Nodes []Node

// Node is one node. Which fields a kind takes is in the table of kinds.
type Node struct {
	Name        string   `json:"name" jsonschema:"name of the node: lower-case letters, digits and underscores"`
	Kind        string   `json:"kind" jsonschema:"what the node does"`
	Title       string   `json:"title,omitempty" jsonschema:"name for people"`
	Description string   `json:"description,omitempty" jsonschema:"what the node is for; a model that chooses among nodes sees it"`
	Flags       []string `json:"flags,omitempty" jsonschema:"how the node is run"`
	Inputs      []string `json:"inputs,omitempty" jsonschema:"keys of the context that the node reads"`
	Output      string   `json:"output,omitempty" jsonschema:"key of the context that the output is written to"`
	Inherit     []string `json:"inherit_context_from,omitempty" jsonschema:"nodes whose raw output the node reads too"`
	MaxRetries  int      `json:"max_retries,omitempty" jsonschema:"for the flag retryable; 3 when left out"`
	SoftTimeout Duration `json:"within,omitzero" jsonschema:"how long the node should take; longer marks its result"`
	Schema      Any      `json:"output_schema,omitempty" jsonschema:"JSON Schema of the output: asked of the model, where it is that of an object, and checked with the flag validate_output"`

	DefaultNext string            `json:"default_next,omitempty" jsonschema:"node that follows when nothing else is said; end ends the graph"`
	Transitions map[string]string `json:"transitions,omitempty" jsonschema:"node that follows an output, by the output's text"`
	Routes      []string          `json:"routes,omitempty" jsonschema:"nodes that the model may name as the next, in its answer's member route; end ends the graph"`
	OnError     string            `json:"on_error,omitempty" jsonschema:"node that follows when this one failed or ran too often"`

	// Nodes that ask a model.
	Instructions string `json:"instructions,omitempty" jsonschema:"what the model is asked to do"`
	// Before and After work on what goes into the prompt and on what came out of it.
	Before          map[string]any `json:"before,omitempty" jsonschema:"keys of the context to work out once, before the prompt is put together; texts may hold {{ … }}"`
	After           string         `json:"after,omitempty" jsonschema:"what the output becomes: {{ output }} is the answer"`
	Blocks          []string       `json:"blocks,omitempty" jsonschema:"further paragraphs of the prompt, in order"`
	Strategies      []string       `json:"strategies,omitempty" jsonschema:"ways of thinking that the prompt asks for"`
	Perspective     string         `json:"perspective,omitempty" jsonschema:"point of view that the prompt asks for"`
	PerspectiveText string         `json:"perspective_text,omitempty" jsonschema:"the point of view in words, for custom"`
	Tools           []string       `json:"tools,omitempty" jsonschema:"names of tools that may be used; * is all"`
	Skills          []string       `json:"skills,omitempty" jsonschema:"names of skills that the model may load; * is all"`
	MaxTokens       int            `json:"max_tokens,omitempty" jsonschema:"bound of one answer in tokens"`
	Temperature     float64        `json:"temperature,omitempty" jsonschema:"how freely the model words its answer, 0 to 2"`
	Guards          []Guard        `json:"guards,omitempty" jsonschema:"checks of the output, in order"`

	Tool      string         `json:"tool,omitempty" jsonschema:"tool to call"`
	Arguments map[string]any `json:"arguments,omitempty" jsonschema:"arguments of the tool; {{.key}} in a text stands for a value of the context"`

	Template string         `json:"template,omitempty" jsonschema:"text with {{.key}} for values of the context"`
	Pick     string         `json:"pick,omitempty" jsonschema:"value of the context to take: key.member.0"`
	Set      map[string]any `json:"set,omitempty" jsonschema:"object to give out; texts may hold {{.key}}"`
	Count    string         `json:"count,omitempty" jsonschema:"list, object or text of the context to count"`

	Choices []Choice `json:"choices,omitempty" jsonschema:"nodes that a router may lead to"`

	Question string   `json:"question,omitempty" jsonschema:"what the person is asked; may hold {{.key}}"`
	Answers  []string `json:"answers,omitempty" jsonschema:"answers to choose from; free text when left out"`
	Answer   *Value   `json:"answer,omitempty" jsonschema:"what the answer is, when it is not free text"`

	Nodes Nodes  `json:"nodes,omitempty" jsonschema:"nodes inside this one"`
	Edges []Edge `json:"edges,omitempty" jsonschema:"ways between the nodes inside"`
	Entry string `json:"entry,omitempty" jsonschema:"inner node to begin with; the first one when left out"`
	Use   string `json:"use,omitempty" jsonschema:"pattern to run inside instead of nodes; no graph of your own"`
	// With are the pattern's vars, and its input.
	With map[string]any `json:"with,omitempty" jsonschema:"vars of the pattern, and input for what it works on; texts may hold {{ … }}"`
	// Takes are outputs of the pattern by the keys that they get here.
	Takes map[string]string `json:"takes,omitempty" jsonschema:"outputs of the pattern that are kept: the key here, and the pattern's own"`
	Until *When             `json:"until,omitempty" jsonschema:"ends the rounds when it holds"`
	Times Count             `json:"times,omitempty" jsonschema:"most rounds or attempts, 1 to 100, as a number or an expression ({{ vars.rounds }}); 3 when left out"`

	Over   string `json:"over,omitempty" jsonschema:"list of the context whose items are worked on: key.member"`
	AtOnce int    `json:"at_once,omitempty" jsonschema:"items worked on at the same time; 4 when left out"`

	RetryAt string `json:"retry_at,omitempty" jsonschema:"node that guards with the action retry lead back to"`

	Pool     Nodes `json:"pool,omitempty" jsonschema:"nodes that an autonomous node chooses among"`
	MaxSteps Count `json:"max_steps,omitempty" jsonschema:"most choices of an autonomous node, 1 to 1000, as a number or an expression; 10 when left out"`
}

// Choice is a way of a router.
type Choice struct {
	To    string `json:"to" jsonschema:"node, or end"`
	About string `json:"about,omitempty" jsonschema:"when to go there, for the model"`
	When  *When  `json:"when,omitempty" jsonschema:"rule that goes there without a model"`
}

// Guard checks an output. One of the tests is given.
type Guard struct {
	Name      string `json:"name,omitempty" jsonschema:"name for the journal"`
	Matches   string `json:"matches,omitempty" jsonschema:"regular expression; found means that the guard acts"`
	Lacks     string `json:"lacks,omitempty" jsonschema:"regular expression; not found means that the guard acts"`
	Contains  string `json:"contains,omitempty" jsonschema:"words in any case; found means that the guard acts"`
	MaxLength int    `json:"max_length,omitempty" jsonschema:"characters; more means that the guard acts"`
	Schema    Any    `json:"json_schema,omitempty" jsonschema:"JSON Schema; not fitting means that the guard acts"`
	Ask       string `json:"ask,omitempty" jsonschema:"question about the output to a model; a no means that the guard acts"`
	Action    string `json:"action,omitempty" jsonschema:"block (as when left out), transform or retry"`
	Replace   string `json:"replace,omitempty" jsonschema:"what transform puts in the place of each find"`
	Reason    string `json:"reason,omitempty" jsonschema:"what to say when it acts"`
}

// Edge is a way between two nodes.
type Edge struct {
	From     string `json:"from" jsonschema:"node"`
	To       string `json:"to" jsonschema:"node, or end"`
	Type     string `json:"type,omitempty" jsonschema:"what the edge is for; sequence, or conditional with when, when left out"`
	When     *When  `json:"when,omitempty" jsonschema:"rule of a conditional edge"`
	Match    string `json:"match,omitempty" jsonschema:"output of a match edge"`
	Priority int    `json:"priority,omitempty" jsonschema:"order among conditional edges, the highest first"`
}

// When is a question about the context: an expression, written as text, or one
// test of one value.
type When struct {
	// Expression stands alone: score >= 0.8 && size(items) > 0.
	Expression string `json:"-"`

	Key      string   `json:"key" jsonschema:"value of the context: key.member.0"`
	Equals   Any      `json:"equals,omitempty" jsonschema:"holds when the value is this"`
	Not      Any      `json:"not,omitempty" jsonschema:"holds when the value is another than this"`
	Contains string   `json:"contains,omitempty" jsonschema:"holds when the text has these words in any case, or the list this item"`
	Matches  string   `json:"matches,omitempty" jsonschema:"holds when the text fits the regular expression"`
	Exists   *bool    `json:"exists,omitempty" jsonschema:"holds when there is a value, or none"`
	Above    *float64 `json:"above,omitempty" jsonschema:"holds when the number is greater"`
	Below    *float64 `json:"below,omitempty" jsonschema:"holds when the number is smaller"`
}

// MarshalJSON writes an expression as text.
func (w When) MarshalJSON() ([]byte, error) {
	if w.Expression != "" {
		return json.Marshal(w.Expression)
	}
	type tests When
	return json.Marshal(tests(w))
}

// UnmarshalJSON reads both forms.
func (w *When) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &w.Expression)
	}
	type tests When
	return json.Unmarshal(b, (*tests)(w))
}

// Any is a JSON value of the author's.
type Any json.RawMessage

// MarshalJSON writes the value as it is.
func (a Any) MarshalJSON() ([]byte, error) { return json.RawMessage(a).MarshalJSON() }

// UnmarshalJSON keeps the value as it is.
func (a *Any) UnmarshalJSON(b []byte) error { *a = append((*a)[:0], b...); return nil }

// Duration is written as text with a unit ("90s", "5m") or as seconds.
type Duration time.Duration

// IsZero says that none was given.
func (d Duration) IsZero() bool { return d == 0 }

// MarshalJSON writes the text form.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads both forms, up to 30 days.
func (d *Duration) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return fmt.Errorf(`%s is not a time; use seconds (90) or a unit ("90s")`, b)
		}
		each, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf(`%q is not a time; use seconds (90) or a unit ("90s")`, text)
		}
		n = each.Seconds()
	}
	if math.IsNaN(n) || n < 0 || n > 30*24*3600 {
		return fmt.Errorf("%s is out of range; use 0 to 30 days", b)
	}
	*d = Duration(n * float64(time.Second))
	return nil
}

// Count is a number, or an expression that gives one: "{{ vars.rounds }}".
type Count string

// MarshalJSON writes a number as a number.
func (c Count) MarshalJSON() ([]byte, error) {
	if n, fixed := c.fixed(); fixed {
		return json.Marshal(n)
	}
	return json.Marshal(string(c))
}

// UnmarshalJSON reads both forms.
func (c *Count) UnmarshalJSON(b []byte) error {
	var n int
	if json.Unmarshal(b, &n) == nil {
		*c = ""
		if n != 0 {
			*c = Count(strconv.Itoa(n))
		}
		return nil
	}
	return json.Unmarshal(b, (*string)(c))
}

// fixed is the number; 0 for none. ok is false for an expression.
func (c Count) fixed() (n int, ok bool) {
	if c == "" {
		return 0, true
	}
	n, err := strconv.Atoi(string(c))
	return n, err == nil
}

// fits says that the number is sure to be from 1 to most: it stands there, or is a var that
// is declared so.
func (c Count) fits(most int, vars map[string]Value) bool {
	if _, fixed := c.fixed(); fixed {
		return true
	}
	e, ok := whole(string(c), vars)
	if !ok {
		return false
	}
	word, name, _ := member(e.Tree())
	v := vars[name]
	return word == "vars" && v.Type == "integer" && v.Minimum != nil && *v.Minimum >= 1 && v.Maximum != nil && *v.Maximum <= float64(most)
}

// at is what gives the number in a run: from 1 to most, or def where there is none.
func (c Count) at(def, most int, vars map[string]Value) (func(*graph.Task) (int, error), error) {
	if n, fixed := c.fixed(); fixed {
		return func(*graph.Task) (int, error) { return or(n, def), nil }, nil
	}
	e, ok := whole(string(c), vars)
	if !ok {
		return nil, fmt.Errorf("%q is not a number; write one, or an expression that gives one: {{ vars.NAME }}", clip(string(c), 60))
	}
	var reads []string
	for _, o := range e.Operands() {
		reads = append(reads, o.Name)
	}
	return func(t *graph.Task) (int, error) {
		v, err := e.Value(sight(t, reads, 0), nil)
		if err != nil {
			return 0, err
		}
		n, ok := v.(int)
		if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<31 {
			n, ok = int(f), true
		}
		if !ok || n < 1 || n > most {
			return 0, fmt.Errorf("%s is %s, and must be a whole number from 1 to %d", e, clip(expression.Words(v), 40), most)
		}
		return n, nil
	}, nil
}
