package definition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/graph"
	"holdpoint/engine/prompt"
	"holdpoint/engine/schema"
	"holdpoint/engine/turn"
)

// Defaults of a run's limits.
const (
	defaultIterations     = 50
	defaultNodeIterations = 25
	defaultMutations      = 10
)

// Compile makes the graph that the engine runs. The definition should come from
// Parse; one that was put together otherwise is checked by the same rules.
func Compile(def Definition) (graph.Spec, error) {
	if found := def.mistakes(); len(found) > 0 {
		return graph.Spec{}, found.sorted()
	}
	return compile(def)
}

func compile(def Definition) (graph.Spec, error) {
	c := &compiler{def: &def, ruled: def.Rules}
	top := level{c: c, says: true}
	inner, err := top.spec(def.Nodes, def.Edges, def.Entry)
	if err != nil {
		return graph.Spec{}, err
	}
	l := def.Limits
	spec := graph.Spec{
		Agent: def.Name, Title: def.Title, Description: def.Description,
		Stages: inner.Stages, Edges: inner.Edges, Conditions: inner.Conditions,
		Channels: prompt.Channels(), Reply: prompt.Reply, Context: prompt.Context, History: prompt.History(),
		MaxSteps: or(l.MaxIterations, defaultIterations), Tolerant: true,
		Limits: graph.Limits{Visits: or(l.MaxNodeIterations, defaultNodeIterations), Mutations: or(l.MaxMutations, defaultMutations),
			Tokens: l.MaxTokens, Time: time.Duration(l.MaxTime), Cycle: l.Cycle},
		Summarize: summarize, Settings: settings(def),
	}
	if c.skilled {
		spec.Channels = append(spec.Channels, prompt.Skills)
	}
	if spec.Title == "" {
		spec.Title = def.Name
	}
	if spec.Hooks, err = c.hooks(); err != nil {
		return graph.Spec{}, err
	}
	if def.Mutable {
		spec.Grow = c.grow
	} else {
		spec.Limits.Mutations = -1
	}
	return spec, nil
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// compiler turns one definition into stages.
type compiler struct {
	def *Definition
	// ruled are the rules of the graph, which hold inside patterns, too.
	ruled []Rule
	// skilled says that a node may load skills.
	skilled bool
}

// level is one list of nodes with what it hands on: the nodes that end it write
// the outputs of the nodes around them, and may speak to the person.
type level struct {
	c *compiler
	// sinks are keys of the context that an ending node writes besides its own.
	sinks []graph.Sink
	// says is set where the end of the level is the end of the run.
	says bool
	// back is where the end leads instead, inside loops; "" is the end.
	back string
	// critical makes the failure of what ends the level that of the run; caught says that
	// a node around it leads on after a failure.
	critical, caught bool
	// accept are schemas of the nodes around, for what ends the level.
	accept []accepted
	// edges are those of the level's list.
	edges []Edge
	// pool is the stage that chooses among the level's nodes, inside autonomous ones.
	pool string
	// given says that the graph works on an input that was handed in, and not on the
	// person's message.
	given bool
	// up is the level that a node stands in, while its body is compiled.
	up *level
}

// spec compiles the nodes of a level and the ways between them.
func (l level) spec(nodes Nodes, edges []Edge, entry string) (*graph.Spec, error) {
	if entry == "" {
		entry = nodes[0].Name
	}
	l.edges = edges
	w := &ways{level: l}
	w.add(graph.Edge{From: graph.Start, To: graph.StageID(entry), Type: graph.Entry})
	stages := make([]graph.Stage, 0, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		ending := ending(n, edges)
		s, err := l.stage(n, ending)
		if err != nil {
			return nil, inNode(n, err)
		}
		if err := w.of(n, edges, &s); err != nil {
			return nil, inNode(n, err)
		}
		stages = append(stages, s)
	}
	return &graph.Spec{Stages: stages, Edges: w.edges, Conditions: w.conditions}, nil
}

// nodeError is a mistake of one node.
type nodeError struct {
	node string
	err  error
}

func (e *nodeError) Error() string { return "definition: node " + e.node + ": " + e.err.Error() }
func (e *nodeError) Unwrap() error { return e.err }

// inNode names the innermost node of a mistake.
func inNode(n *Node, err error) error {
	var inner *nodeError
	if errors.As(err, &inner) {
		return err
	}
	return &nodeError{n.Name, err}
}

// ending says whether the level may be over after the node.
func ending(n *Node, edges []Edge) bool {
	on := false
	for _, e := range edges {
		if e.From != n.Name {
			continue
		}
		if e.To == "end" {
			return true
		}
		on = on || e.When == nil && (e.Type == "" || e.Type == "sequence" || e.Type == "parallel_branch" || e.Type == "join_input")
	}
	for _, to := range n.Transitions {
		if to == "end" {
			return true
		}
	}
	if slices.Contains(n.Routes, "end") {
		return true
	}
	if n.Kind == KindRouter {
		return false // its output is a choice, nothing for a person
	}
	return n.DefaultNext == "end" || n.DefaultNext == "" && !on || n.Kind == KindAnswer || slices.Contains(n.Flags, "terminal")
}

// mute says of a router that nothing follows when none of its rules holds.
func (n *Node) mute(edges []Edge) bool {
	return n.Kind == KindRouter && n.DefaultNext == "" && !slices.ContainsFunc(n.Choices, func(c Choice) bool { return c.When == nil }) &&
		!slices.ContainsFunc(edges, func(e Edge) bool {
			return e.From == n.Name && e.Type != "safety" && e.Type != "error" && e.Type != "choice"
		})
}

// stage compiles one node: what its kind does, and what is the same for all.
func (l level) stage(n *Node, ending bool) (graph.Stage, error) {
	handled := n.OnError != "" || slices.ContainsFunc(l.edges, func(e Edge) bool { return e.From == n.Name && e.Type == "error" })
	inner := level{c: l.c, up: &l, caught: l.caught || handled, given: l.given}
	if ending {
		inner.sinks, inner.says, inner.critical, inner.accept = slices.Clone(l.sinks), l.says, l.critical, slices.Clone(l.accept)
	}
	if nested(n.Kind) {
		inner.critical = inner.critical || n.has("critical")
		if n.Schema != nil {
			inner.accept = append(inner.accept, accepts(n))
		}
		inner.sinks = append(inner.sinks, graph.Sink{Key: n.Name + "_output"})
		if n.Output != "" {
			inner.sinks = append(inner.sinks, graph.Sink{Key: n.Output})
		}
	}
	s, err := inner.body(n)
	if err != nil {
		return s, err
	}
	s.ID, s.Title, s.Description, s.Kind = graph.StageID(n.Name), or(n.Title, n.Name), or(n.Description, KindTitle(n.Kind)), n.Kind
	s.Inputs, s.Output, s.Inherit = inputKeys(n), n.Output, ids(n.Inherit)
	if nested(n.Kind) {
		s.Output = "" // what is inside writes it
	}
	s.OutputSchema, s.MaxRetries, s.SoftTimeout = json.RawMessage(n.Schema), n.MaxRetries, time.Duration(n.SoftTimeout)
	for _, name := range n.Flags {
		f, err := graph.ParseFlag(name)
		if err != nil {
			return s, err
		}
		s.Flags |= f
	}
	if nested(n.Kind) {
		s.Flags &^= graph.Critical | graph.ValidateOutput // what ends it sees to that
	}
	if n.Kind == KindAnswer {
		s.Flags |= graph.Terminal
	}
	// A run whose last word failed has not done its work: it fails and can be resumed.
	if (ending || n.mute(l.edges)) && l.back == "" && !handled && s.Graph == nil {
		s.Flags |= l.fatal()
	}
	if s.Run != nil {
		if n.Output == scratchpad {
			s.Run = noting(s.Run)
		}
		s.Run = inner.hand(s.Run, n, ending)
		if ending {
			s.Sinks = inner.beyond(n)
		}
	}
	if s.Flags.Has(graph.Cacheable) {
		s.Prepares = sortedKeys(n.Before)
		s.Reads = n.reads(l.c.def.Vars)
		if formOf(n.Kind).asks || n.Kind == KindRouter {
			s.Reads = append(s.Reads, keysIn(l.c.def.Instructions, l.c.def.Vars)...)
		}
		if formOf(n.Kind).asks && !n.has("no_history") {
			s.Sees = sees
		}
	}
	return s, nil
}

// fatal makes a stage's failure that of the run where the run, or what must not fail,
// ends with it.
func (l level) fatal() graph.Flag {
	if l.critical || l.says && !l.caught {
		return graph.Critical
	}
	return 0
}

// accepted is the schema that the output of a node with nodes inside must follow, or why it cannot be read.
type accepted struct {
	node   string
	schema *validator.Schema
	err    error
}

func accepts(n *Node) accepted {
	s, err := compileSchema(n.Schema)
	return accepted{n.Name, s, err}
}

// fits says what of an output does not follow the schemas of the nodes around.
func fits(output json.RawMessage, all []accepted) error {
	for _, a := range all {
		err := a.err
		if err == nil {
			var v any
			if v, err = validator.UnmarshalJSON(bytes.NewReader(output)); err == nil {
				err = schema.Validate(a.schema, v)
			}
		}
		if err != nil {
			return fmt.Errorf("definition: the output of %s does not follow its schema: %s", a.node, clip(strings.Join(strings.Fields(err.Error()), " "), 300))
		}
	}
	return nil
}

// beyond are the keys that the output of an ending node goes to beside its own: those of
// the nodes around it.
func (l level) beyond(n *Node) []graph.Sink {
	return slices.DeleteFunc(slices.Clone(l.sinks), func(s graph.Sink) bool { return s.Around == 0 && (s.Key == n.Output || s.Key == n.Name+"_output") })
}

// hand holds an ending node's final result to what the nodes around it ask of their
// output, and makes it the reply where the node does not speak itself.
func (l level) hand(run graph.Func, n *Node, ending bool) graph.Func {
	speak := ending && l.says && !formOf(n.Kind).asks && n.Kind != KindRouter
	if !ending || !speak && len(l.accept) == 0 {
		return run
	}
	var reads []string
	if n.Template != "" {
		reads = n.reads(l.c.def.Vars)
	}
	return func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		r, err := run(ctx, t)
		if err != nil || r.Output == nil || r.Reenter != "" || len(r.Pauses) > 0 || r.Reached != nil {
			return r, err
		}
		if err := fits(r.Output, l.accept); err != nil {
			t.Emit(r.Events...)
			return graph.Result{}, err
		}
		if speak {
			reply, err := turn.Release(ctx, t, n.ownWords(t, n.lastWords(t, reads, r.Output)))
			if err != nil {
				return graph.Result{}, err
			}
			r.Patch = append(slices.Clone(r.Patch), prompt.Reply.Set(reply))
		}
		return r, nil
	}
}

// lastWords is what a node puts out as the reply. A text of a model that means to call a tool
// is none, also inside a template, which reads these keys.
func (n *Node) lastWords(t *graph.Task, reads []string, output json.RawMessage) string {
	text := plainText(output)
	if n.Kind == KindTool {
		return text
	}
	texts := []string{}
	if n.Template == "" {
		if len(output) > 0 && output[0] == '"' {
			texts = append(texts, text)
		}
	} else {
		context := t.Context()
		for _, key := range reads {
			if raw := context[key]; len(raw) > 0 && raw[0] == '"' {
				texts = append(texts, plainText(raw))
			}
		}
	}
	for _, x := range texts {
		if x != "" && strings.Contains(text, x) && turn.Plain(x) == "" {
			return prompt.NoWords(t)
		}
	}
	return text
}

// ownWords is a reply of a template with its paragraphs in the person's language, as far as
// they are the program's: those of a pattern that comes with it.
func (n *Node) ownWords(t *graph.Task, reply string) string {
	if n.Template == "" {
		return reply
	}
	parts, told := strings.Split(reply, "\n\n"), turn.Tongue(t).Told
	for i, p := range parts {
		parts[i] = told(p)
	}
	return strings.Join(parts, "\n\n")
}

// body compiles what a kind does.
func (l level) body(n *Node) (graph.Stage, error) {
	switch n.Kind {
	case KindTool:
		return toolStage(n, l.c.def.Vars)
	case KindTransform:
		return transformStage(n, l.c.def.Vars)
	case KindRouter:
		return l.routerStage(n)
	case KindGuard:
		return guardStage(n)
	case KindLoop, KindRetry:
		return l.loopStage(n)
	case KindHuman:
		return humanStage(n, l.c.def.Vars)
	case KindParallel:
		return l.parallelStage(n)
	case KindSubgraph:
		return l.subgraphStage(n)
	case KindValidate:
		return validateStage(n)
	case KindFanOut:
		return l.fanOutStage(n)
	case KindAutonomous:
		return l.autonomousStage(n)
	}
	return l.promptStage(n)
}

// inputKeys are the keys that the executor hands to a stage.
func inputKeys(n *Node) []string {
	var out []string
	for _, path := range n.Inputs {
		if key := keyOf(path); !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

func ids(names []string) []graph.StageID {
	out := make([]graph.StageID, len(names))
	for i, n := range names {
		out[i] = graph.StageID(n)
	}
	return out
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
