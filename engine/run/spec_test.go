package run_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

var (
	hijacked = graph.Value[bool]("safety_hijacked")
	failed   = graph.Value[bool]("assembly_failed")
	other    = graph.Value[string]("other")
)

func nothing(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }

func stages(ids ...graph.StageID) []graph.Stage {
	var out []graph.Stage
	for _, id := range ids {
		out = append(out, graph.Stage{ID: id, Run: nothing})
	}
	return out
}

// turnSpec has the shape of the navigator's whole-turn graph.
func turnSpec(l *lab, safety func() bool) graph.Spec {
	s := graph.Spec{
		Agent: "sample", Title: "Sample", Channels: []graph.AnyChannel{hijacked, failed},
		Conditions: []graph.Condition{
			graph.When("safety_hijacked", hijacked).AsSafety(), graph.Unless("not_safety_hijacked", hijacked).AsSafety(),
			graph.When("assembly_failed", failed), graph.Unless("not_assembly_failed", failed),
		},
		Edges: []graph.Edge{
			edge(graph.Start, "preflight", graph.Entry),
			onlyIf("preflight", "safety_intervention", "safety_hijacked"),
			onlyIf("preflight", "assembly_gate", "not_safety_hijacked"),
			edge("safety_intervention", "finalize", graph.TerminalPath),
			edge("assembly_gate", "context_assembly", graph.ParallelBranch),
			edge("assembly_gate", "empathy", graph.ParallelBranch),
			edge("context_assembly", "context_format", graph.JoinInput),
			edge("empathy", "context_format", graph.JoinInput),
			onlyIf("context_format", "navigator", "not_assembly_failed"),
			onlyIf("context_format", "finalize", "assembly_failed"),
			edge("navigator", "finalize", graph.Sequence),
			edge("finalize", graph.End, graph.Exit),
		},
	}
	for _, id := range []graph.StageID{"preflight", "safety_intervention", "assembly_gate", "context_assembly", "empathy", "context_format", "navigator", "finalize"} {
		if id == "preflight" {
			s.Stages = append(s.Stages, l.stage(id, func(context.Context, *graph.Task, int) (graph.Result, error) {
				return graph.Result{Patch: graph.Patch{hijacked.Set(safety())}}, nil
			}))
			continue
		}
		s.Stages = append(s.Stages, l.stage(id))
	}
	return s
}

func TestValidate_FindsEveryMistake(t *testing.T) {
	yes := graph.When("yes", hijacked)
	diamond := fan("a", "d", "b", "c")
	for name, c := range map[string]struct {
		spec graph.Spec
		want error
	}{
		"two stages with one id":                   {graph.Spec{Stages: stages("a", "a"), Edges: chain("a")}, graph.ErrDuplicate},
		"a stage without an id":                    {graph.Spec{Stages: stages("a", ""), Edges: chain("a")}, graph.ErrBadID},
		"a stage called start":                     {graph.Spec{Stages: stages("a", "start"), Edges: chain("a")}, graph.ErrBadID},
		"a stage called end":                       {graph.Spec{Stages: stages("a", "end"), Edges: chain("a")}, graph.ErrBadID},
		"an id with the separator of nested ids":   {graph.Spec{Stages: stages("a/b"), Edges: chain("a/b")}, graph.ErrBadID},
		"an id with a zero byte":                   {graph.Spec{Stages: stages("a\x00b"), Edges: chain("a\x00b")}, graph.ErrBadID},
		"a stage that does nothing":                {graph.Spec{Stages: []graph.Stage{{ID: "a"}}, Edges: chain("a")}, graph.ErrBody},
		"a stage with a function and a graph":      {graph.Spec{Stages: []graph.Stage{{ID: "a", Run: nothing, Graph: &graph.Spec{Stages: stages("b"), Edges: chain("b")}}}, Edges: chain("a")}, graph.ErrBody},
		"a join policy nobody knows":               {graph.Spec{Stages: []graph.Stage{{ID: "a", Run: nothing, Join: "some"}}, Edges: chain("a")}, graph.ErrUnknownName},
		"an edge from an unknown stage":            {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), edge("x", "a", graph.Sequence))}, graph.ErrUnknownName},
		"an edge to an unknown stage":              {graph.Spec{Stages: stages("a"), Edges: chain("a", "x")}, graph.ErrUnknownName},
		"an edge back to start":                    {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), edge("a", graph.Start, graph.Sequence))}, graph.ErrUnknownName},
		"an edge out of the end":                   {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), edge(graph.End, "a", graph.Sequence))}, graph.ErrUnknownName},
		"the same edge twice":                      {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), edge("a", graph.End, graph.Exit))}, graph.ErrDuplicate},
		"no way in":                                {graph.Spec{Stages: stages("a"), Edges: []graph.Edge{edge("a", graph.End, graph.Exit)}}, graph.ErrNoEntry},
		"a stage that nothing leads to":            {graph.Spec{Stages: stages("a", "b"), Edges: append(chain("a"), edge("b", graph.End, graph.Exit))}, graph.ErrUnreachable},
		"a stage that leads nowhere":               {graph.Spec{Stages: stages("a", "b", "c"), Edges: append(fan("a", "b", "b", "c")[:3:3], edge("b", graph.End, graph.Exit))}, graph.ErrNoExit},
		"a cycle without a way out":                {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.Sequence), edge("b", "a", graph.Sequence)}}, graph.ErrNoExit},
		"a join of a single input":                 {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.JoinInput), edge("b", graph.End, graph.Exit)}}, graph.ErrJoin},
		"a join that nothing fans out to":          {graph.Spec{Stages: stages("a", "b", "c", "d"), Channels: []graph.AnyChannel{hijacked}, Conditions: []graph.Condition{yes, graph.Unless("no", hijacked)}, Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), onlyIf("a", "b", "yes"), onlyIf("a", "c", "no"), edge("b", "d", graph.JoinInput), edge("c", "d", graph.JoinInput), edge("d", graph.End, graph.Exit)}}, graph.ErrJoin},
		"a condition without its opposite":         {graph.Spec{Stages: stages("a", "b"), Channels: []graph.AnyChannel{hijacked}, Conditions: []graph.Condition{yes}, Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), onlyIf("a", "b", "yes"), edge("b", graph.End, graph.Exit)}}, graph.ErrCondition},
		"opposites on two different channels":      {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{hijacked, failed}, Conditions: []graph.Condition{yes, graph.Unless("no", failed)}, Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), onlyIf("a", graph.End, "yes"), onlyIf("a", "a", "no")}}, graph.ErrCondition},
		"a condition that is not declared":         {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), onlyIf("a", "a", "x"))}, graph.ErrUnknownName},
		"a condition on an undeclared channel":     {graph.Spec{Stages: stages("a"), Conditions: []graph.Condition{yes}, Edges: chain("a")}, graph.ErrUnknownName},
		"a condition without a channel":            {graph.Spec{Stages: stages("a"), Conditions: []graph.Condition{{Name: "x"}}, Edges: chain("a")}, graph.ErrUnknownName},
		"two conditions with one name":             {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{hijacked}, Conditions: []graph.Condition{yes, yes}, Edges: chain("a")}, graph.ErrDuplicate},
		"a condition without a name":               {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{hijacked}, Conditions: []graph.Condition{graph.When("", hijacked)}, Edges: chain("a")}, graph.ErrDuplicate},
		"two channels with one name":               {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{hijacked, graph.Value[bool]("safety_hijacked")}, Edges: chain("a")}, graph.ErrDuplicate},
		"a channel without a name":                 {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{graph.Value[bool]("")}, Edges: chain("a")}, graph.ErrBadID},
		"a channel that nobody made":               {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{graph.Channel[int]{}, nil}, Edges: chain("a")}, graph.ErrBadID},
		"a reply channel that is not declared":     {graph.Spec{Stages: stages("a"), Edges: chain("a"), Reply: other}, graph.ErrUnknownName},
		"a conditional edge without condition":     {graph.Spec{Stages: stages("a"), Edges: append(chain("a"), edge("a", "a", graph.Conditional))}, graph.ErrEdgeType},
		"a plain edge with a condition":            {graph.Spec{Stages: stages("a"), Channels: []graph.AnyChannel{hijacked}, Conditions: []graph.Condition{yes}, Edges: append(chain("a"), graph.Edge{From: "a", To: "a", Type: graph.Sequence, Condition: "yes"})}, graph.ErrEdgeType},
		"an entry edge in the middle":              {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.Entry), edge("b", graph.End, graph.Exit)}}, graph.ErrEdgeType},
		"a first edge that is no entry":            {graph.Spec{Stages: stages("a"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Sequence), edge("a", graph.End, graph.Exit)}}, graph.ErrEdgeType},
		"an exit edge that goes on":                {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.Exit), edge("b", graph.End, graph.Exit)}}, graph.ErrEdgeType},
		"a sequence into the end":                  {graph.Spec{Stages: stages("a"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", graph.End, graph.Sequence)}}, graph.ErrEdgeType},
		"an edge type nobody knows":                {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", "hop"), edge("b", graph.End, graph.Exit)}}, graph.ErrEdgeType},
		"two plain edges out of one stage":         {graph.Spec{Stages: stages("a", "b"), Edges: append(chain("a", "b"), edge("a", graph.End, graph.Exit))}, graph.ErrEdgeType},
		"a fan-out of one":                         {graph.Spec{Stages: stages("a", "b"), Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("b", graph.End, graph.Exit)}}, graph.ErrEdgeType},
		"a fan-out beside a plain edge":            {graph.Spec{Stages: stages("a", "b", "c", "d"), Edges: append(slices.Clone(diamond), edge("a", "d", graph.Sequence))}, graph.ErrEdgeType},
		"a mistake inside a nested graph":          {graph.Spec{Stages: []graph.Stage{{ID: "a", Graph: &graph.Spec{Stages: stages("b", "c"), Edges: chain("b")}}}, Edges: chain("a")}, graph.ErrUnreachable},
		"a nested channel that shadows an outer's": {graph.Spec{Stages: []graph.Stage{{ID: "a", Graph: &graph.Spec{Stages: stages("b"), Edges: chain("b"), Channels: []graph.AnyChannel{graph.Value[int]("other")}}}}, Edges: chain("a"), Channels: []graph.AnyChannel{other}}, graph.ErrDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			wantErr(t, graph.Validate(c.spec), c.want)
			if _, err := graph.New(c.spec); err == nil {
				t.Error("New took it")
			}
		})
	}
	t.Run("several mistakes are all named", func(t *testing.T) {
		err := graph.Validate(graph.Spec{Stages: append(stages("a", "a"), graph.Stage{ID: "b"}), Edges: chain("x")})
		for _, want := range []error{graph.ErrDuplicate, graph.ErrBody, graph.ErrUnknownName} {
			wantErr(t, err, want)
		}
	})
	t.Run("a sound spec has none", func(t *testing.T) {
		must(t, graph.Validate(graph.Spec{Stages: stages("a", "b", "c", "d"), Edges: diamond}))
	})
}

func sampleSpec() graph.Spec {
	s := turnSpec(newLab(), func() bool { return false })
	s.Channels = append(s.Channels, done)
	return s
}

func TestNavigator_N02_EdgesAreImmutable(t *testing.T) {
	s := sampleSpec()
	g, err := graph.New(s)
	must(t, err)
	before, fp := g.Manifest(), g.Fingerprint()
	s.Edges[0].To, s.Stages[0].ID, s.Conditions[0].Name = "finalize", "x", "y"
	m := g.Manifest()
	m.Edges[1], m.Stages[1].ID = graph.Edge{}, "z"
	if after := g.Manifest(); !reflect.DeepEqual(after, before) || g.Fingerprint() != fp {
		t.Errorf("the graph changed from outside:\n%+v\n%+v", before, after)
	}
	r := newRig(t)
	if out := r.start(g); out.Run.Status != run.Completed {
		t.Errorf("the run is %s: %v", out.Run.Status, out.Err)
	}
}

func TestNavigator_N03_EveryEdgeTypeIsDrawnAndTaken(t *testing.T) {
	l := newLab()
	g := build(t, turnSpec(l, func() bool { return false }))
	types := map[graph.EdgeType]bool{}
	for _, e := range g.Manifest().Edges {
		types[e.Type] = true
	}
	for _, typ := range []graph.EdgeType{graph.Entry, graph.Conditional, graph.TerminalPath, graph.ParallelBranch, graph.JoinInput, graph.Sequence, graph.Exit} {
		if !types[typ] {
			t.Errorf("%s is not drawn", typ)
		}
	}
	r := newRig(t)
	r.start(g)
	var taken []string
	for _, e := range r.journal() {
		if e.Kind == journal.Transition {
			taken = append(taken, string(e.From)+"→"+string(e.To)+" "+e.Resolver+" "+e.Condition)
		}
	}
	want := []string{"preflight→assembly_gate safety not_safety_hijacked", "assembly_gate→context_assembly static ", "assembly_gate→empathy static ",
		"context_assembly→context_format static ", "empathy→context_format static ", "context_format→navigator conditional not_assembly_failed",
		"navigator→finalize static ", "finalize→end static "}
	if !slices.Equal(taken, want) {
		t.Errorf("transitions:\n%s\nwant:\n%s", strings.Join(taken, "\n"), strings.Join(want, "\n"))
	}
}

func TestNavigator_N05_TheTwelveEdgesRouteBothWays(t *testing.T) {
	for name, c := range map[string]struct {
		hijack bool
		want   map[graph.StageID]int
	}{
		"an ordinary turn": {false, map[graph.StageID]int{"preflight": 1, "safety_intervention": 0, "assembly_gate": 1, "context_assembly": 1, "empathy": 1, "context_format": 1, "navigator": 1, "finalize": 1}},
		"a hijacked turn":  {true, map[graph.StageID]int{"preflight": 1, "safety_intervention": 1, "assembly_gate": 0, "context_assembly": 0, "empathy": 0, "context_format": 0, "navigator": 0, "finalize": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab()
			g := build(t, turnSpec(l, func() bool { return c.hijack }))
			if n := len(g.Manifest().Edges); n != 12 {
				t.Errorf("%d edges", n)
			}
			wantStatus(t, newRig(t).start(g), run.Completed)
			l.wants(t, c.want)
		})
	}
}

func TestNavigator_N06_TheExecutorOnlyReadsTheSpec(t *testing.T) {
	routes := func(turn func(*graph.Spec)) []string {
		l := newLab()
		s := turnSpec(l, func() bool { return false })
		turn(&s)
		r := newRig(t)
		wantStatus(t, r.start(build(t, s)), run.Completed)
		var out []string
		for _, e := range r.journal() {
			if e.Kind == journal.Transition {
				out = append(out, string(e.From)+"→"+string(e.To))
			}
		}
		slices.Sort(out)
		return out
	}
	want := routes(func(*graph.Spec) {})
	if got := routes(func(s *graph.Spec) { slices.Reverse(s.Stages); slices.Reverse(s.Edges) }); !slices.Equal(got, want) {
		t.Errorf("another order of declarations took %v, want %v", got, want)
	}
	// An edge that the spec does not have is never taken: without the loop through navigator the turn is shorter.
	short := routes(func(s *graph.Spec) {
		s.Edges = slices.DeleteFunc(s.Edges, func(e graph.Edge) bool {
			return e.From == "navigator" || e.To == "navigator" || e.Condition == "assembly_failed"
		})
		s.Edges = append(s.Edges, edge("context_format", "finalize", graph.Sequence))
		s.Stages = slices.DeleteFunc(s.Stages, func(st graph.Stage) bool { return st.ID == "navigator" })
	})
	if slices.Contains(short, "context_format→navigator") || !slices.Contains(short, "context_format→finalize") {
		t.Errorf("took %v", short)
	}
}

func TestNavigator_N08_TheManifestComesFromTheSpec(t *testing.T) {
	g, err := graph.New(sampleSpec())
	must(t, err)
	body, err := json.Marshal(g.Manifest())
	must(t, err)
	var m struct {
		Agent, Fingerprint string
		Stages             []struct {
			ID   string
			Join bool
		}
		Edges []struct{ From, To, Type, Condition string }
	}
	must(t, json.Unmarshal(body, &m))
	for _, st := range m.Stages {
		if st.Join != (st.ID == "context_format") {
			t.Errorf("%s join %v", st.ID, st.Join)
		}
	}
	if m.Agent != "sample" || m.Fingerprint != g.Fingerprint() || len(m.Edges) != 12 || m.Edges[1].Condition != "safety_hijacked" {
		t.Errorf("manifest is %+v", m)
	}
	for _, e := range m.Edges {
		from, to := strings.Replace(e.From, "start", "start_([start])", 1), strings.Replace(e.To, "end", "end_([end])", 1)
		arrow := " --> "
		switch e.Type {
		case "conditional":
			arrow = " -. " + e.Condition + " .-> "
		case "join_input":
			arrow = " == join ==> "
		}
		if line := "\n  " + from + arrow + to + "\n"; !strings.Contains(g.Mermaid(), line) {
			t.Errorf("the drawing lacks %q:\n%s", line, g.Mermaid())
		}
	}
}

func TestManifest_NestedGraphsHaveStagesAndEdgesOfTheirOwn(t *testing.T) {
	more := graph.Value[bool]("more")
	inner := graph.Spec{Stages: stages("think", "act"), Conditions: []graph.Condition{graph.When("more", more), graph.Unless("enough", more)},
		Edges: []graph.Edge{edge(graph.Start, "think", graph.Entry), onlyIf("think", "act", "more"), onlyIf("think", graph.End, "enough"), edge("act", "think", graph.Sequence)}}
	g := build(t, graph.Spec{Stages: []graph.Stage{{ID: "loop", Graph: &inner}, {ID: "last", Run: nothing}}, Edges: chain("loop", "last"), Channels: []graph.AnyChannel{more}})
	m := g.Manifest()
	if in := m.Stages[0].Stages; len(in) != 2 || len(m.Stages[0].Edges) != 4 {
		t.Errorf("stages are %+v", m.Stages)
	}
	for _, want := range []string{"subgraph loop[\"loop\"]", "loop__think -. more .-> loop__act", "loop__act --> loop__think", "loop --> last"} {
		if !strings.Contains(g.Mermaid(), want) {
			t.Errorf("the drawing lacks %q:\n%s", want, g.Mermaid())
		}
	}
}

func TestMermaid_DifferentIDsAreDifferentBoxes(t *testing.T) {
	g := build(t, graph.Spec{Stages: stages("a-b", "a_b", "a b"), Edges: chain("a-b", "a_b", "a b")})
	boxes := map[string]bool{}
	for line := range strings.SplitSeq(g.Mermaid(), "\n") {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), "[\""); ok {
			boxes[name] = true
			if strings.ContainsAny(name, " -") {
				t.Errorf("%q is no name for Mermaid", name)
			}
		}
	}
	if len(boxes) != 3 {
		t.Errorf("three stages are drawn as %v", boxes)
	}
}

func TestFingerprint_IsTheTopologyAndNothingElse(t *testing.T) {
	base, err := graph.New(sampleSpec())
	must(t, err)
	for name, change := range map[string]func(*graph.Spec){
		"the same again":           func(*graph.Spec) {},
		"another title":            func(s *graph.Spec) { s.Title, s.Description = "New", "Words" },
		"another title of a stage": func(s *graph.Spec) { s.Stages[1].Title, s.Stages[1].Description = "New", "Words" },
		"other code in a stage":    func(s *graph.Spec) { s.Stages[1].Run = nothing },
		"another role of a stage":  func(s *graph.Spec) { s.Stages[1].Role = graph.RoleHold },
	} {
		t.Run(name, func(t *testing.T) {
			s := sampleSpec()
			change(&s)
			g, err := graph.New(s)
			must(t, err)
			if g.Fingerprint() != base.Fingerprint() {
				t.Error("the fingerprint changed")
			}
		})
	}
	seen := map[string]string{base.Fingerprint(): "base"}
	for name, change := range map[string]func(*graph.Spec){
		"another agent": func(s *graph.Spec) { s.Agent = "else" },
		"one stage more": func(s *graph.Spec) {
			s.Stages = append(s.Stages, stages("extra")...)
			s.Edges[11].To = "extra"
			s.Edges[11].Type = graph.Sequence
			s.Edges = append(s.Edges, edge("extra", graph.End, graph.Exit))
		},
		"another name of a stage": func(s *graph.Spec) { s.Stages[6].ID = "nav"; s.Edges[8].To, s.Edges[10].From = "nav", "nav" },
		"a stage that acts":       func(s *graph.Spec) { s.Stages[6].SideEffects = true },
		"another join policy":     func(s *graph.Spec) { s.Stages[5].Join = graph.JoinAll },
		"another edge":            func(s *graph.Spec) { s.Edges[3].To = "context_format"; s.Edges[3].Type = graph.Sequence },
		"another edge type":       func(s *graph.Spec) { s.Edges[3].Type = graph.Sequence },
		"another order of edges":  func(s *graph.Spec) { s.Edges[1], s.Edges[2] = s.Edges[2], s.Edges[1] },
		"another condition": func(s *graph.Spec) {
			s.Conditions[2] = graph.When("assembly_failed", hijacked)
			s.Conditions[3] = graph.Unless("not_assembly_failed", hijacked)
		},
		"a safety edge less":   func(s *graph.Spec) { s.Conditions[0].Safety = false },
		"one channel more":     func(s *graph.Spec) { s.Channels = append(s.Channels, other) },
		"a list that is set":   func(s *graph.Spec) { s.Channels = append(s.Channels, graph.Value[[]string]("other")) },
		"another reducer":      func(s *graph.Spec) { s.Channels = append(s.Channels, graph.Append[string]("other")) },
		"another channel type": func(s *graph.Spec) { s.Channels = append(s.Channels, graph.Value[int]("other")) },
		"a nested stage": func(s *graph.Spec) {
			s.Stages[6].Run, s.Stages[6].Graph = nil, &graph.Spec{Stages: stages("x"), Edges: chain("x")}
		},
		"another nested stage": func(s *graph.Spec) {
			s.Stages[6].Run, s.Stages[6].Graph = nil, &graph.Spec{Stages: stages("y"), Edges: chain("y")}
		},
	} {
		s := sampleSpec()
		change(&s)
		g, err := graph.New(s)
		must(t, err)
		if old, ok := seen[g.Fingerprint()]; ok {
			t.Errorf("%s has the fingerprint of %s", name, old)
		}
		seen[g.Fingerprint()] = name
	}
}
