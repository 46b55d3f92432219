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
	"strconv"
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

// Mistake is what is wrong with a manifest.
type Mistake struct {
	// Line and Column count from 1; 0 when the mistake is in no one place.
	Line, Column int
	Message      string
}

// Mistakes are all that are wrong with a manifest.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i, x := range m {
		if lines[i] = x.Message; x.Line > 0 {
			lines[i] = fmt.Sprintf("line %d, column %d: %s", x.Line, x.Column, x.Message)
		}
	}
	return "manifest: " + strings.Join(lines, "\n")
}

// wrong adds a mistake at a value of the file; nil is no one place.
func (m *Mistakes) wrong(at *yaml.Node, format string, args ...any) {
	x := Mistake{Message: fmt.Sprintf(format, args...)}
	if at != nil {
		x.Line, x.Column = at.Line, at.Column
	}
	*m = append(*m, x)
}

// named adds a mistake where a name is missing, or nothing has it.
func (m *Mistakes) named(at *yaml.Node, name string, there bool, missing, unknown string) {
	if name == "" {
		m.wrong(at, "%s", missing)
	} else if !there {
		m.wrong(at, unknown, name)
	}
}

// node is a manifest with its conditions compiled.
type node struct {
	Manifest
	conditions map[string]*expression.Expression
	file       yaml.Node
}

// at is the value of a file at a path of names and numbers, or the nearest one around it.
func (n *node) at(path ...any) *yaml.Node {
	at := &n.file
	if at.Kind == yaml.DocumentNode {
		at = at.Content[0]
	}
	for _, step := range path {
		for at.Kind == yaml.AliasNode {
			at = at.Alias
		}
		var inside *yaml.Node
		switch step := step.(type) {
		case int:
			if at.Kind == yaml.SequenceNode && step < len(at.Content) {
				inside = at.Content[step]
			}
		case string:
			for i := 0; at.Kind == yaml.MappingNode && i+1 < len(at.Content); i += 2 {
				if at.Content[i].Value == step {
					inside = at.Content[i+1]
				}
			}
		}
		if inside == nil {
			return at
		}
		at = inside
	}
	return at
}

func parse(body []byte, known Known) (node, error) {
	n := node{conditions: map[string]*expression.Expression{}}
	if err := yaml.Unmarshal(body, &n.file); err != nil {
		return n, unread(err, nil)
	}
	d := yaml.NewDecoder(bytes.NewReader(body))
	d.KnownFields(true)
	if err := d.Decode(&n.Manifest); err != nil {
		return n, unread(err, &n.file)
	}
	var found Mistakes
	condition := func(at *yaml.Node, text string) {
		if text == "" || n.conditions[text] != nil {
			return
		}
		e, err := expression.CompileFor(text, known.State, true)
		var misread *expression.Error
		if errors.As(err, &misread) {
			found.wrong(at, "condition %q: %s", text, fmt.Sprintf("at character %d: %s", misread.At+1, misread.Message))
			return
		}
		if err != nil {
			found.wrong(at, "condition %q: %s", text, err)
			return
		}
		for _, o := range e.Operands() {
			if _, ok := known.State[o.Name]; !ok {
				found.wrong(at, "condition %q reads %s; conditions may read %s", text, o.Name, strings.Join(slices.Sorted(maps.Keys(known.State)), ", "))
			}
		}
		n.conditions[text] = e
	}
	found.named(n.at("node"), n.Node, slices.Contains(known.Nodes, n.Node), "the node has no name", "the graph has no node %q")
	found.named(n.at("prompts", "base"), n.Prompts.Base, known.Text(n.Prompts.Base), "the text has no name", "there is no text %q")
	for i, s := range n.Prompts.Snippets {
		found.named(n.at("prompts", "snippets", i, "text"), s.Text, known.Text(s.Text), "the text has no name", "there is no text %q")
		condition(n.at("prompts", "snippets", i, "condition"), s.Condition)
	}
	for i, t := range n.Tools.Catalog {
		found.named(n.at("tools", "catalog", i, "tool"), t.Tool, slices.Contains(known.Tools, t.Tool), "the tool has no name", "there is no tool %q")
		condition(n.at("tools", "catalog", i, "condition"), t.Condition)
	}
	if n.ResponseSchema != "" {
		found.named(n.at("response_schema"), n.ResponseSchema, slices.Contains(known.Schemas, n.ResponseSchema), "the schema has no name", "there is no schema %q")
	}
	for i, r := range n.Routes {
		found.named(n.at("routes", i, "to"), r.To, slices.Contains(known.Nodes, r.To), "the node has no name", "the graph has no node %q")
		if r.Action == "" {
			found.wrong(n.at("routes", i), "a route to %s has no action", r.To)
		}
	}
	if len(found) > 0 {
		return n, found
	}
	return n, nil
}

// What the parser says of a value that does not fit, in the words of Go, and where.
var (
	unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type`)
	otherKind    = regexp.MustCompile("(?s)^line (\\d+): cannot unmarshal !!(\\w+)(?: `.*`)? into (\\S+)$")
	ofLine       = regexp.MustCompile(`(?s)^(?:yaml: )?(?:line (\d+): )?(.*)$`)
)

// kinds are what people call values, by YAML's tag.
var kinds = map[string]string{"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "seq": "a list", "map": "names with values"}

// unread words why a file, as far as its values could be read, does not fit.
func unread(err error, file *yaml.Node) error {
	var types *yaml.TypeError
	var found Mistakes
	on := func(line string, is func(n *yaml.Node) bool) *yaml.Node {
		number, _ := strconv.Atoi(line)
		if number == 0 {
			return nil
		}
		if n := find(file, func(n *yaml.Node) bool { return n.Line == number && is(n) }); n != nil {
			return n
		}
		return &yaml.Node{Line: number, Column: 1}
	}
	switch {
	case errors.Is(err, io.EOF):
		found.wrong(nil, "the file is empty; a manifest needs a node and its prompts")
		return found
	case !errors.As(err, &types):
		m := ofLine.FindStringSubmatch(err.Error())
		found.wrong(on(m[1], func(*yaml.Node) bool { return false }), "this is not YAML: %s; check indentation, quotes and colons near here", m[2])
		return found
	}
	for _, says := range types.Errors {
		if m := unknownField.FindStringSubmatch(says); m != nil {
			found.wrong(on(m[1], func(n *yaml.Node) bool { return n.Value == m[2] }), "a manifest has no %q here; see holdpoint agents schema --manifest", m[2])
			continue
		}
		m := otherKind.FindStringSubmatch(says)
		if m == nil {
			m = ofLine.FindStringSubmatch(says)
			found.wrong(on(m[1], func(*yaml.Node) bool { return false }), "%s", m[2])
			continue
		}
		want := "names with values"
		switch {
		case m[3] == "string":
			want = "a text"
		case strings.HasPrefix(m[3], "[]"):
			want = "a list"
		}
		found.wrong(on(m[1], func(n *yaml.Node) bool { return n.ShortTag() == "!!"+m[2] }), "here stands %s; %s belongs here", cmp.Or(kinds[m[2]], "something else"), want)
	}
	return found
}

// find is the first value of a file, or the first of its names, that is one.
func find(n *yaml.Node, is func(*yaml.Node) bool) *yaml.Node {
	if n == nil || is(n) {
		return n
	}
	for _, inside := range n.Content {
		if found := find(inside, is); found != nil {
			return found
		}
	}
	return nil
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

// Check holds a file against what the agent knows. A node without a manifest asks no model.
func (s *Set) Check(body []byte) error {
	n, err := parse(body, s.known)
	var found Mistakes
	errors.As(err, &found)
	if _, has := s.nodes[n.Node]; !has && slices.Contains(s.known.Nodes, n.Node) {
		found.wrong(n.at("node"), "the node %q asks no model and has no manifest; those that have are %s", n.Node, strings.Join(s.Nodes(), ", "))
	}
	if len(found) > 0 {
		slices.SortStableFunc(found, func(one, other Mistake) int {
			return cmp.Or(cmp.Compare(one.Line, other.Line), cmp.Compare(one.Column, other.Column))
		})
		return found
	}
	return nil
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
