// Package manifest says what a node of an agent asks a model with: one YAML file a node that
// names its prompts, its tools and the schema of its answer, compiled for the state of a
// conversation. Nodes written in Go read it; an author changes what a node says and may call
// without changing Go. (graph.Manifest is something else: how a whole graph is drawn.)
//
//	node: give_advice
//	prompts:
//	  base: give_advice_system_prompt        # names of texts, see package text
//	  snippets:
//	    - privacy_guidelines
//	    - {text: first_advice_extension, condition: first_advice}
//	tools:
//	  catalog:
//	    - {tool: research_strategies, condition: first_advice}
//	response_schema: GiveAdviceAnswer
//	routes:
//	  - {action: user_feedback, to: user_feedback}
//
// Conditions are expressions (package expression) over the state that the agent declares.
// Tools come first: while one is offered the answer has no schema; once tools have answered,
// or none is to be offered, it has.
package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"holdpoint/engine/expression"
	"holdpoint/engine/model"
)

// Manifest is what one node asks with.
type Manifest struct {
	Node           string  `yaml:"node" json:"node" jsonschema:"the node's name in the graph"`
	Prompts        Prompts `yaml:"prompts" json:"prompts" jsonschema:"what the model is told, by names of texts"`
	Tools          Tools   `yaml:"tools" json:"tools,omitempty" jsonschema:"what the model may call"`
	ResponseSchema string  `yaml:"response_schema" json:"response_schema,omitempty" jsonschema:"name of the answer's schema; none for free text"`
	Routes         []Route `yaml:"routes" json:"routes,omitempty" jsonschema:"where each action that the answer may name leads"`
}

// Prompts name texts, in the order in which they stand in the prompt.
type Prompts struct {
	Base     string    `yaml:"base" json:"base" jsonschema:"the text that the prompt begins with"`
	Snippets []Snippet `yaml:"snippets" json:"snippets,omitempty" jsonschema:"texts that follow"`
}

// Snippet is a text that follows where its condition holds; in a file a name alone will do.
type Snippet struct {
	Text      string `yaml:"text" json:"text" jsonschema:"the text's name"`
	Condition string `yaml:"condition" json:"condition,omitempty" jsonschema:"expression over the state; always without one"`
}

// UnmarshalYAML also takes a name alone.
func (s *Snippet) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&s.Text)
	}
	type plain Snippet
	return n.Decode((*plain)(s))
}

// Tools are those that a node may offer.
type Tools struct {
	Catalog []Tool `yaml:"catalog" json:"catalog,omitempty"`
}

// Tool is offered where its condition holds.
type Tool struct {
	Tool      string `yaml:"tool" json:"tool" jsonschema:"the tool's name"`
	Condition string `yaml:"condition" json:"condition,omitempty" jsonschema:"expression over the state; always without one"`
}

// Route says where an action leads.
type Route struct {
	Action string `yaml:"action" json:"action"`
	To     string `yaml:"to" json:"to" jsonschema:"a node of the graph"`
}

// Schema is the JSON Schema of these files, made from the types above.
func Schema() json.RawMessage {
	root, err := jsonschema.For[Manifest](nil)
	if err != nil {
		panic("manifest: " + err.Error()) // a mistake in the types, found by every test
	}
	root.Schema, root.Title, root.Description = "https://json-schema.org/draft/2020-12/schema", "Holdpoint node manifest", "What a node of an agent asks a model with."
	plain := func(s *jsonschema.Schema) { // inference would also allow null for a list
		s.Type, s.Types = "array", nil
	}
	snippets := root.Properties["prompts"].Properties["snippets"]
	plain(snippets)
	snippets.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, snippets.Items}}
	plain(root.Properties["tools"].Properties["catalog"])
	plain(root.Properties["routes"])
	return model.JSON(root)
}

// Known is what an agent's manifests may name.
type Known struct {
	// State are the values that conditions read, with an example of each one's type.
	State map[string]any
	// Nodes are those of the graph, Tools the agent's, Schemas those of answers.
	Nodes, Tools, Schemas []string
	// Text says whether there is a text of a name.
	Text func(name string) bool
}

// Parse reads a manifest and holds it against what is known. The error joins every mistake.
func Parse(body []byte, known Known) (Manifest, error) {
	n, err := parse(body, known)
	return n.Manifest, err
}

// node is a manifest with its conditions compiled.
type node struct {
	Manifest
	conditions map[string]*expression.Expression
}

func parse(body []byte, known Known) (node, error) {
	n := node{conditions: map[string]*expression.Expression{}}
	d := yaml.NewDecoder(bytes.NewReader(body))
	d.KnownFields(true)
	if err := d.Decode(&n.Manifest); err != nil {
		return n, unread(err)
	}
	var found []error
	wrong := func(format string, args ...any) { found = append(found, fmt.Errorf("manifest: "+format, args...)) }
	named := func(what, name string, there bool) {
		if name == "" {
			wrong("%s has no name", what)
		} else if !there {
			wrong("there is no %s %q", what, name)
		}
	}
	condition := func(text string) {
		if text == "" || n.conditions[text] != nil {
			return
		}
		e, err := expression.CompileFor(text, known.State, true)
		if err != nil {
			wrong("condition %q: %w", text, err)
			return
		}
		for _, o := range e.Operands() {
			if _, ok := known.State[o.Name]; !ok {
				wrong("condition %q reads %s; conditions may read %s", text, o.Name, strings.Join(slices.Sorted(maps.Keys(known.State)), ", "))
			}
		}
		n.conditions[text] = e
	}
	named("node", n.Node, slices.Contains(known.Nodes, n.Node))
	named("text", n.Prompts.Base, known.Text(n.Prompts.Base))
	for _, s := range n.Prompts.Snippets {
		named("text", s.Text, known.Text(s.Text))
		condition(s.Condition)
	}
	for _, t := range n.Tools.Catalog {
		named("tool", t.Tool, slices.Contains(known.Tools, t.Tool))
		condition(t.Condition)
	}
	if n.ResponseSchema != "" {
		named("schema", n.ResponseSchema, slices.Contains(known.Schemas, n.ResponseSchema))
	}
	for _, r := range n.Routes {
		named("node", r.To, slices.Contains(known.Nodes, r.To))
		if r.Action == "" {
			wrong("a route to %s has no action", r.To)
		}
	}
	return n, errors.Join(found...)
}

// What the parser says of a value that does not fit, in the words of Go.
var (
	unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type`)
	otherKind    = regexp.MustCompile("(?s)^line (\\d+): cannot unmarshal !!(\\w+)(?: `.*`)? into (\\S+)$")
)

// kinds are what people call values, by YAML's tag.
var kinds = map[string]string{"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "seq": "a list", "map": "names with values"}

// unread words why a file cannot be read, a line each.
func unread(err error) error {
	var types *yaml.TypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("manifest: the file is empty; a manifest needs a node and its prompts")
	case !errors.As(err, &types):
		return fmt.Errorf("manifest: this is not YAML: %s; check indentation, quotes and colons near here", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var found []error
	for _, says := range types.Errors {
		if m := unknownField.FindStringSubmatch(says); m != nil {
			found = append(found, fmt.Errorf("manifest: line %s: a manifest has no %q here; see holdpoint agents schema --manifest", m[1], m[2]))
			continue
		}
		m := otherKind.FindStringSubmatch(says)
		if m == nil {
			found = append(found, fmt.Errorf("manifest: %s", says))
			continue
		}
		want := "names with values"
		switch {
		case m[3] == "string":
			want = "a text"
		case strings.HasPrefix(m[3], "[]"):
			want = "a list"
		}
		found = append(found, fmt.Errorf("manifest: line %s: here stands %s; %s belongs here", m[1], cmp.Or(kinds[m[2]], "something else"), want))
	}
	return errors.Join(found...)
}

// Set is the manifests of an agent. It is immutable and safe for concurrent use.
type Set struct {
	known Known
	nodes map[string]node
}

// Load reads all *.yaml of a folder, one node each, named as its file.
func Load(folder fs.FS, known Known) (*Set, error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	s := &Set{known: known, nodes: map[string]node{}}
	var found []error
	for _, file := range files {
		body, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		n, err := parse(body, known)
		if err == nil && n.Node+".yaml" != file {
			err = fmt.Errorf("manifest: it is of the node %q", n.Node)
		}
		if err != nil {
			found = append(found, fmt.Errorf("%s: %w", file, err))
		}
		s.nodes[n.Node] = n
	}
	return s, errors.Join(found...)
}

// Nodes are those that have a manifest, sorted.
func (s *Set) Nodes() []string { return slices.Sorted(maps.Keys(s.nodes)) }

// Texts are those that a node's prompt may be made of, in their order.
func (s *Set) Texts(node string) []string {
	n := s.nodes[node]
	out := []string{n.Prompts.Base}
	for _, x := range n.Prompts.Snippets {
		out = append(out, x.Text)
	}
	return out
}

// State are the values that conditions read, with an example of each one's type.
func (s *Set) State() map[string]any { return maps.Clone(s.known.State) }

// Check holds a file against what the agent knows.
func (s *Set) Check(body []byte) error {
	_, err := Parse(body, s.known)
	return err
}

// Routes are those of a node, by action.
func (s *Set) Routes(node string) map[string]string {
	out := map[string]string{}
	for _, r := range s.nodes[node].Routes {
		out[r.Action] = r.To
	}
	return out
}

// Actions are what a node's answer may name, in the file's order.
func (s *Set) Actions(node string) []string {
	var out []string
	for _, r := range s.nodes[node].Routes {
		out = append(out, r.Action)
	}
	return out
}

// Part is one text of a prompt.
type Part struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Compiled is what a node asks with in one state.
type Compiled struct {
	Node  string `json:"node"`
	Parts []Part `json:"parts"`
	// Left are snippets and tools whose condition does not hold.
	Left []string `json:"left"`
	// Tools are those that are offered. While there is one there is no Schema.
	Tools  []string `json:"tools"`
	Schema string   `json:"response_schema,omitempty"`
	// Actions are what the answer may name.
	Actions []string `json:"actions,omitempty"`
}

// Prompt is the text that the model is told.
func (c Compiled) Prompt() string {
	texts := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n\n")
}

// Texts are the names of its parts.
func (c Compiled) Texts() []string {
	names := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		names[i] = p.Name
	}
	return names
}

// ErrNode says that a node has no manifest.
var ErrNode = errors.New("manifest: there is no manifest of this node")

// Compile is what the node asks with in a state. words finds texts; answered says that tools
// have answered in this visit, so that only the answer is left. A condition that cannot be
// decided does not hold.
func (s *Set) Compile(name string, state map[string]any, answered bool, words func(name string) (string, error)) (Compiled, error) {
	n, ok := s.nodes[name]
	if !ok {
		return Compiled{}, fmt.Errorf("%w: %q; there are %s", ErrNode, name, strings.Join(s.Nodes(), ", "))
	}
	values := map[string]json.RawMessage{}
	for k, v := range state {
		values[k] = model.JSON(v)
	}
	holds := func(condition string) bool {
		if condition == "" {
			return true
		}
		yes, err := n.conditions[condition].Eval(values)
		return err == nil && yes
	}
	c := Compiled{Node: name, Left: []string{}, Tools: []string{}, Actions: s.Actions(name)}
	for _, x := range append([]Snippet{{Text: n.Prompts.Base}}, n.Prompts.Snippets...) {
		if !holds(x.Condition) {
			c.Left = append(c.Left, x.Text)
			continue
		}
		text, err := words(x.Text)
		if err != nil {
			return c, err
		}
		c.Parts = append(c.Parts, Part{x.Text, text})
	}
	for _, t := range n.Tools.Catalog {
		if answered || !holds(t.Condition) {
			c.Left = append(c.Left, t.Tool)
			continue
		}
		c.Tools = append(c.Tools, t.Tool)
	}
	if len(c.Tools) == 0 {
		c.Schema = n.ResponseSchema
	}
	return c, nil
}
