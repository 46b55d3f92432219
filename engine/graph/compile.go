package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"holdpoint/engine/schema"
)

// CompiledStage is one stage as the executor sees it; read-only.
type CompiledStage struct {
	ID      StageID // full: "navigator/think"
	Stage   Stage
	Parent  int // -1 at the top
	Entries []int
	Inputs  []int              // of a join
	Reach   []bool             // the stages that can still complete once this one has
	Schema  *jsonschema.Schema // of ValidateOutput

	Out         []Link // all
	Safety      []Link
	Conditional []Link // the highest priority first
	Match       []Link
	Static      []Link
	OnError     int // None, a stage or AtEnd

	Quick bool // only computes: may run on the goroutine of who executes it
	Plain bool // nothing is to be done around Run

	scope    *scope // that the stage is in
	inside   *scope // that of the graph inside; nil without one of its own
	failures failureKeys
}

// Link is a compiled edge. To is AtEnd for the end of the stage's own graph.
type Link struct {
	To        int
	Edge      Edge // with full ids
	Condition *Condition
	Input     int // of a join_input edge: its place in the join's Inputs
}

// Places that an edge may lead to which are no stages: nowhere, and the end of its graph.
const (
	AtEnd = -1
	None  = -2
)

func compile(spec Spec, mutations []Mutation, hosted, agents int) (*Graph, error) {
	g := &Graph{mutations: mutations, hosted: hosted, agents: agents, agent: spec.Agent, title: spec.Title, description: spec.Description, maxSteps: spec.MaxSteps,
		Index: map[StageID]int{}, slots: map[*definition]int{}, byName: map[string]*definition{}}
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
	g.Entries = g.add(&own, "", -1)
	g.scopes(&own)
	for _, c := range g.channels {
		g.zeros = append(g.zeros, c.zero)
	}
	if own.Context.definition != nil {
		g.branches()
	}
	joins := slices.ContainsFunc(g.Stages, func(n CompiledStage) bool { return n.Inputs != nil })
	for i := range g.Stages {
		n := &g.Stages[i]
		if joins {
			n.Reach = g.reachable(i)
		}
		if err := g.prepare(n); err != nil {
			return nil, err
		}
	}
	g.Watches = own.Context.definition != nil || len(own.Hooks) > 0 || own.Grow != nil || own.Tolerant
	g.fingerprint = fingerprintOf(g.topology())
	g.members = AppendText(append(AppendText([]byte(`"agent":`), g.agent), `,"fingerprint":`...), g.fingerprint)
	return g, nil
}

// prepare sorts the edges out of a stage and says how it runs.
func (g *Graph) prepare(n *CompiledStage) error {
	st := &n.Stage
	n.OnError = None
	for _, l := range n.Out {
		switch {
		case l.Edge.Type == OnError:
			n.OnError = l.To
		case l.Edge.Type == Choice:
		case l.Edge.Type == Match:
			n.Match = append(n.Match, l)
		case l.Condition != nil && l.Condition.Safety:
			n.Safety = append(n.Safety, l)
		case l.Condition != nil:
			n.Conditional = append(n.Conditional, l)
		default:
			n.Static = append(n.Static, l)
		}
	}
	for _, links := range [][]Link{n.Safety, n.Conditional} {
		slices.SortStableFunc(links, func(a, b Link) int { return b.Edge.Priority - a.Edge.Priority })
	}
	n.Quick = st.Quick && !st.SideEffects && st.Graph == nil && !st.Flags.Has(Retryable|RequiresHuman|SummarizeOutput)
	n.Plain = st.Flags == 0 && st.SoftTimeout == 0 && len(g.spec.Hooks) == 0 && g.spec.Context.definition == nil && len(n.Match) == 0
	g.Nested = g.Nested || st.Graph != nil
	g.TracksPredecessors = g.TracksPredecessors || st.Flags.Has(SkipOnError) || st.Hears
	if st.Flags.Has(ValidateOutput) {
		var err error
		if n.Schema, err = compileSchema(st.OutputSchema); err != nil {
			return fmt.Errorf("%w: output schema of stage %q: %w", ErrFlag, n.ID, err)
		}
	} else if st.OutputSchema != nil && !json.Valid(st.OutputSchema) {
		return fmt.Errorf("%w: output schema of stage %q is not JSON", ErrFlag, n.ID)
	}
	return nil
}

func compileSchema(text json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return schema.Compile("output.json", doc, true)
}

// clone copies the lists of a spec and of the graphs inside it. What a stage's own fields
// point to (its inputs and the like, Begins, Scope, OutputSchema) and Limits.Own stay shared:
// nobody may change them any more.
func clone(s Spec) Spec {
	s.Hooks = slices.Clone(s.Hooks)
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
		channels = append(slices.Clone(channels), s.Context, Cache)
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

// add compiles one level and returns its entry stages.
func (g *Graph) add(s *Spec, prefix StageID, parent int) []int {
	for _, st := range s.Stages {
		i := len(g.Stages)
		id := prefix + st.ID
		st.SideEffects = st.SideEffects || parent >= 0 && g.Stages[parent].Stage.SideEffects
		g.Stages = append(g.Stages, CompiledStage{ID: id, Stage: st, Parent: parent})
		g.Index[id] = i
		if st.Graph != nil {
			inner := g.add(st.Graph, id+"/", i)
			g.Stages[i].Entries = inner
		}
	}
	var entries []int
	for _, e := range s.Edges {
		full := e
		full.From, full.To = prefix+e.From, prefix+e.To
		if e.From == Start {
			entries = append(entries, g.Index[full.To])
			continue
		}
		l := Link{To: AtEnd, Edge: full}
		if e.To != End {
			l.To = g.Index[full.To]
		}
		if e.Condition != "" {
			i := slices.IndexFunc(s.Conditions, func(c Condition) bool { return c.Name == e.Condition })
			l.Condition = &s.Conditions[i]
		}
		from := g.Index[full.From]
		if e.Type == JoinInput {
			l.Input = len(g.Stages[l.To].Inputs)
		}
		g.Stages[from].Out = append(g.Stages[from].Out, l)
		if e.Type == JoinInput {
			g.Stages[l.To].Inputs = append(g.Stages[l.To].Inputs, from)
		}
	}
	return entries
}

// reachable marks the stages that can still complete once stage i has: those its
// edges lead to and, from inside a nested graph, the stages around it. A route
// that a stage picks by Goto is not foreseen.
func (g *Graph) reachable(i int) []bool {
	reach, done := make([]bool, len(g.Stages)), make([]bool, len(g.Stages))
	var enter, complete func(int)
	enter = func(n int) {
		if reach[n] {
			return
		}
		reach[n] = true
		for _, e := range g.Stages[n].Entries {
			enter(e)
		}
		if g.Stages[n].Entries == nil {
			complete(n)
		}
	}
	complete = func(n int) {
		if done[n] {
			return
		}
		done[n] = true
		if st := &g.Stages[n].Stage; (st.MayEnd || st.Flags.Has(Terminal)) && g.Stages[n].Parent >= 0 {
			reach[g.Stages[n].Parent] = true
			complete(g.Stages[n].Parent)
		}
		for _, l := range g.Stages[n].Out {
			if l.To != AtEnd {
				enter(l.To)
			} else if p := g.Stages[n].Parent; p >= 0 {
				reach[p] = true
				complete(p)
			}
		}
	}
	complete(i)
	return reach
}
