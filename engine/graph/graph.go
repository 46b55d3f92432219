package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/schema"
)

// Graph is a checked spec, ready to run. It is immutable and safe for concurrent use.
type Graph struct {
	agent       string
	title       string
	description string
	maxSteps    int
	fingerprint string
	reply       *definition
	nodes       []node // every stage, nested ones behind their parent, in spec order
	index       map[StageID]int
	entries     []int // of the outermost graph
	channels    []*definition
	slots       map[*definition]int
	byName      map[string]*definition
	conditions  []Condition
	spec        *Spec
	mutations   []Mutation

	nested    bool // has graphs inside stages
	simple    bool // nothing is to be watched between super-steps but their number
	watches   bool // stages may ask what changes in the row
	tracksLed bool // somebody asks who led to a stage
	quick     bool // every stage only computes
}

// node is one stage as the executor sees it.
type node struct {
	id      StageID // full: "navigator/think"
	stage   Stage
	parent  int // -1 at the top
	entries []int
	inputs  []int // of a join
	reach   []bool
	schema  *jsonschema.Schema // of ValidateOutput

	out         []link // all
	safety      []link
	conditional []link // the highest priority first
	match       []link
	static      []link
	onError     int // none, a node or atEnd
	errorEdge   Edge

	next  int  // where a simple result leads, when that is known beforehand; else none
	quick bool // may run on the driver's goroutine
	plain bool // nothing is to be done around Run
}

// link is a compiled edge. to is -1 for the end of the node's own graph.
type link struct {
	to        int
	edge      Edge // with full ids
	condition *Condition
}

const atEnd, none = -1, -2

// New checks a spec and compiles it. The error joins every mistake found.
func New(spec Spec) (*Graph, error) { return compile(spec, nil) }

// Grown returns the graph with mutations, each of which must have been accepted
// on it before in this order; the graph itself stays as it is.
func (g *Graph) Grown(mutations []Mutation) (*Graph, error) {
	if len(mutations) == 0 {
		return g, nil
	}
	spec := clone(*g.spec)
	for _, m := range mutations {
		if err := spec.mutate(m); err != nil {
			return nil, err
		}
	}
	return compile(spec, append(slices.Clone(g.mutations), mutations...))
}

func compile(spec Spec, mutations []Mutation) (*Graph, error) {
	g := &Graph{mutations: mutations, agent: spec.Agent, title: spec.Title, description: spec.Description, maxSteps: spec.MaxSteps,
		index: map[StageID]int{}, slots: map[*definition]int{}, byName: map[string]*definition{}}
	if g.maxSteps == 0 {
		g.maxSteps = 100
	}
	own := clone(spec)
	g.spec = &own
	if err := Validate(own); err != nil {
		return nil, err
	}
	if own.Reply.definition != nil {
		g.reply = own.Reply.definition
	}
	g.declare(&own)
	g.entries = g.add(&own, "", -1)
	g.quick = true
	joins := slices.ContainsFunc(g.nodes, func(n node) bool { return n.inputs != nil })
	for i := range g.nodes {
		n := &g.nodes[i]
		if joins {
			n.reach = g.reachable(i)
		}
		if err := g.prepare(n); err != nil {
			return nil, err
		}
	}
	g.simple = own.Grow == nil && !g.tracksLed && own.Limits.Node == 0 && own.Limits.Tokens == 0 && own.Limits.Cost == 0 && own.Limits.Time == 0 && own.Limits.Cycle == 0
	g.watches = own.Context.definition != nil || len(own.Hooks) > 0 || own.Grow != nil || own.Tolerant
	g.fingerprint = g.hash()
	return g, nil
}

// prepare sorts the edges out of a node and says how it runs.
func (g *Graph) prepare(n *node) error {
	st := &n.stage
	n.onError = none
	for _, l := range n.out {
		switch {
		case l.edge.Type == OnError:
			n.onError, n.errorEdge = l.to, l.edge
		case l.edge.Type == Choice:
		case l.edge.Type == Match:
			n.match = append(n.match, l)
		case l.condition != nil && l.condition.Safety:
			n.safety = append(n.safety, l)
		case l.condition != nil:
			n.conditional = append(n.conditional, l)
		default:
			n.static = append(n.static, l)
		}
	}
	for _, links := range [][]link{n.safety, n.conditional} {
		slices.SortStableFunc(links, func(a, b link) int { return b.edge.Priority - a.edge.Priority })
	}
	n.quick = st.Quick && !st.Acts && st.Graph == nil && !st.Flags.Has(Retryable|RequiresHuman|SummarizeOutput)
	n.plain = st.Flags == 0 && st.Within == 0 && len(g.spec.Hooks) == 0 && g.spec.Context.definition == nil && len(n.match) == 0
	n.next = none
	if n.quick && n.plain && st.Flags == 0 && len(n.safety)+len(n.conditional)+len(n.match) == 0 && len(n.static) == 1 {
		switch to, typ := n.static[0].to, n.static[0].edge.Type; {
		case to == atEnd && typ == Exit && n.parent < 0:
			n.next = atEnd
		case to != atEnd && typ == Sequence && g.nodes[to].inputs == nil && g.nodes[to].stage.Graph == nil:
			n.next = to
		}
	}
	g.quick = g.quick && (n.quick || st.Graph != nil)
	g.nested = g.nested || st.Graph != nil
	g.tracksLed = g.tracksLed || st.Flags.Has(SkipOnError)
	if st.Flags.Has(ValidateOutput) {
		var err error
		if n.schema, err = compileSchema(st.OutputSchema); err != nil {
			return fmt.Errorf("%w: output schema of stage %q: %w", ErrFlag, n.id, err)
		}
	}
	return nil
}

// prefix is what stands before the ids of the level that node n belongs to.
func (g *Graph) prefix(n int) StageID {
	if p := g.nodes[n].parent; p >= 0 {
		return g.nodes[p].id + "/"
	}
	return ""
}

func compileSchema(text json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return schema.Compile("output.json", doc, true)
}

// clone copies all that a caller could still change.
func clone(s Spec) Spec {
	s.Stages = slices.Clone(s.Stages)
	s.Edges = slices.Clone(s.Edges)
	s.Conditions = slices.Clone(s.Conditions)
	s.Channels = slices.Clone(s.Channels)
	for i, st := range s.Stages {
		if st.Graph != nil {
			inner := clone(*st.Graph)
			s.Stages[i].Graph = &inner
		}
	}
	return s
}

func (g *Graph) declare(s *Spec) {
	channels := s.Channels
	if s.Context.definition != nil {
		channels = append(slices.Clone(channels), s.Context, cached)
	}
	for _, c := range channels {
		d := c.declared()
		if _, ok := g.slots[d]; !ok {
			g.slots[d] = len(g.channels)
			g.channels = append(g.channels, d)
			g.byName[d.name] = d
		}
	}
	g.conditions = append(g.conditions, s.Conditions...)
	for _, st := range s.Stages {
		if st.Graph != nil {
			g.declare(st.Graph)
		}
	}
}

// add compiles one level and returns its entry nodes.
func (g *Graph) add(s *Spec, prefix StageID, parent int) []int {
	for _, st := range s.Stages {
		i := len(g.nodes)
		id := prefix + st.ID
		st.Acts = st.Acts || parent >= 0 && g.nodes[parent].stage.Acts
		g.nodes = append(g.nodes, node{id: id, stage: st, parent: parent})
		g.index[id] = i
		if st.Graph != nil {
			inner := g.add(st.Graph, id+"/", i)
			g.nodes[i].entries = inner
		}
	}
	var entries []int
	for _, e := range s.Edges {
		full := e
		full.From, full.To = prefix+e.From, prefix+e.To
		if e.From == Start {
			entries = append(entries, g.index[full.To])
			continue
		}
		l := link{to: atEnd, edge: full}
		if e.To != End {
			l.to = g.index[full.To]
		}
		if e.Condition != "" {
			i := slices.IndexFunc(s.Conditions, func(c Condition) bool { return c.Name == e.Condition })
			l.condition = &s.Conditions[i]
		}
		from := g.index[full.From]
		g.nodes[from].out = append(g.nodes[from].out, l)
		if e.Type == JoinInput {
			g.nodes[l.to].inputs = append(g.nodes[l.to].inputs, from)
		}
	}
	return entries
}

// reachable marks the nodes that can still complete once node i has: those its
// edges lead to and, from inside a nested graph, the stages around it. A route
// that a stage picks by Goto is not foreseen.
func (g *Graph) reachable(i int) []bool {
	reach, done := make([]bool, len(g.nodes)), make([]bool, len(g.nodes))
	var enter, complete func(int)
	enter = func(n int) {
		if reach[n] {
			return
		}
		reach[n] = true
		for _, e := range g.nodes[n].entries {
			enter(e)
		}
		if g.nodes[n].entries == nil {
			complete(n)
		}
	}
	complete = func(n int) {
		if done[n] {
			return
		}
		done[n] = true
		if st := &g.nodes[n].stage; (st.MayEnd || st.Flags.Has(Terminal)) && g.nodes[n].parent >= 0 {
			reach[g.nodes[n].parent] = true
			complete(g.nodes[n].parent)
		}
		for _, l := range g.nodes[n].out {
			if l.to != atEnd {
				enter(l.to)
			} else if p := g.nodes[n].parent; p >= 0 {
				reach[p] = true
				complete(p)
			}
		}
	}
	complete(i)
	return reach
}

// Agent is the graph's name, Fingerprint a hash of its topology ("sha256:…"):
// stages, edges, conditions, channels and policies, not titles, limits or code.
func (g *Graph) Agent() string       { return g.agent }
func (g *Graph) Fingerprint() string { return g.fingerprint }

func (g *Graph) hash() string {
	m := g.Manifest()
	m.Fingerprint, m.Mermaid, m.Title, m.Description, m.Resolvers, m.MaxSteps, m.Limits = "", "", "", "", nil, 0, nil
	var strip func([]ManifestStage) []ManifestStage
	strip = func(in []ManifestStage) []ManifestStage {
		for i := range in {
			in[i].Title, in[i].Description, in[i].Layer, in[i].Lane, in[i].Added = "", "", 0, 0, false
			in[i].Stages = strip(in[i].Stages)
		}
		return in
	}
	m.Stages = strip(m.Stages)
	policies := map[StageID]JoinPolicy{}
	for _, n := range g.nodes {
		policies[n.id] = n.stage.Join
	}
	sum := sha256.Sum256(raw(struct {
		M Manifest
		P map[StageID]JoinPolicy
	}{m, policies}))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Manifest describes the graph for screens and scripts. The caller owns it.
func (g *Graph) Manifest() Manifest {
	m := Manifest{Agent: g.agent, Title: g.title, Description: g.description, Fingerprint: g.fingerprint, MaxSteps: g.maxSteps,
		Edges: slices.Clone(g.spec.Edges), Stages: g.describe(g.spec, ""), Resolvers: resolverNames(), Mermaid: g.Mermaid(), Mutations: slices.Clone(g.mutations)}
	if l := g.spec.Limits; l.Node|l.Mutations|l.Tokens|l.Cycle != 0 || l.Cost != 0 || l.Time != 0 || l.Own != nil {
		m.Limits = &l
	}
	for _, c := range g.conditions {
		m.Conditions = append(m.Conditions, ManifestRule{Name: c.Name, Channel: c.channel.name, Want: c.want, Safety: c.Safety, Key: c.key, Test: c.text})
	}
	for _, d := range g.channels {
		m.Channels = append(m.Channels, ManifestChannel{d.name, d.typ, d.reducer})
	}
	return m
}

func (g *Graph) describe(s *Spec, prefix StageID) []ManifestStage {
	layers := layer(s)
	lanes := map[int]int{}
	var out []ManifestStage
	for _, st := range s.Stages {
		ms := ManifestStage{ID: st.ID, Title: st.Title, Description: st.Description, Acts: st.Acts, Layer: layers[st.ID],
			Kind: st.Kind, Flags: st.Flags.Names(), Inputs: st.Inputs, Output: st.Output}
		ms.Added = slices.ContainsFunc(g.mutations, func(m Mutation) bool {
			return m.Op == AddStage && m.ID == st.ID && (m.Within == "" && prefix == "" || m.Within+"/" == prefix)
		})
		ms.Lane = lanes[ms.Layer]
		lanes[ms.Layer]++
		for _, e := range s.Edges {
			ms.Join = ms.Join || e.To == st.ID && e.Type == JoinInput
		}
		if st.Graph != nil {
			ms.Stages, ms.Edges = g.describe(st.Graph, prefix+st.ID+"/"), slices.Clone(st.Graph.Edges)
		}
		out = append(out, ms)
	}
	return out
}

// layer gives each stage the length of the longest path from start, edges that
// close a cycle left out.
func layer(s *Spec) map[StageID]int {
	out := map[StageID]int{Start: 0}
	var visit func(id StageID, path []StageID)
	visit = func(id StageID, path []StageID) {
		for _, e := range s.Edges {
			if e.From != id || slices.Contains(path, e.To) {
				continue
			}
			if d := out[id] + 1; d > out[e.To] {
				out[e.To] = d
				visit(e.To, append(slices.Clone(path), e.To))
			}
		}
	}
	visit(Start, []StageID{Start})
	return out
}

// Mermaid draws the graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	drawLevel(&b, g.spec, "", "  ")
	return b.String()
}

func drawLevel(b *strings.Builder, s *Spec, prefix, indent string) {
	name := func(id StageID) string {
		var n strings.Builder
		for _, r := range prefix + string(id) {
			switch {
			case r == '_', r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				n.WriteRune(r)
			case r == '/':
				n.WriteString("__")
			default:
				fmt.Fprintf(&n, "_x%x_", r) // Mermaid's names are words
			}
		}
		return n.String()
	}
	node := func(id StageID) string {
		if id == Start || id == End {
			return fmt.Sprintf("%s_([%s])", name(id), id) // "end" alone is a Mermaid keyword
		}
		return name(id)
	}
	for _, st := range s.Stages {
		if st.Graph == nil {
			fmt.Fprintf(b, "%s%s[%s]\n", indent, name(st.ID), label(st.ID))
			continue
		}
		fmt.Fprintf(b, "%ssubgraph %s[%s]\n", indent, name(st.ID), label(st.ID))
		drawLevel(b, st.Graph, prefix+string(st.ID)+"/", indent+"  ")
		fmt.Fprintf(b, "%send\n", indent)
	}
	for _, e := range s.Edges {
		switch {
		case e.Condition != "":
			fmt.Fprintf(b, "%s%s -. %s .-> %s\n", indent, node(e.From), onEdge(e.Condition), node(e.To))
		case e.Type == JoinInput:
			fmt.Fprintf(b, "%s%s == join ==> %s\n", indent, node(e.From), node(e.To))
		default:
			fmt.Fprintf(b, "%s%s --> %s\n", indent, node(e.From), node(e.To))
		}
	}
}

// onEdge quotes a condition that Mermaid would take for its own signs.
func onEdge(condition string) string {
	if !strings.ContainsAny(condition, "\"()[]{}|&;#\n") {
		return condition
	}
	return `"` + strings.NewReplacer("#", "#35;", `"`, "#quot;", "\n", " ").Replace(condition) + `"`
}

func label(id StageID) string {
	b, err := json.Marshal(string(id)) // quotes and escapes
	if err != nil {
		return string(id)
	}
	return string(b)
}
