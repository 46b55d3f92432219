package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
)

var (
	topic   = graph.Value[bool]("topic")
	spare   = graph.Value[bool]("spare")
	answer  = graph.Value[string]("answer")
	answer2 = graph.Value[string]("answer2")
	log     = graph.Append[string]("log")
	log2    = graph.Append[string]("log2")
	facts   = graph.Keyed("facts")
	facts2  = graph.Keyed("facts2")
)

// seen and last are channels of everyPart's scope.
var seen, last = graph.Append[string]("seen"), graph.Value[string]("last")

func idle(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }

func isFixed(string) bool { return false }

// everyPart has something in every field of a spec, a stage, an edge and a condition.
func everyPart() graph.Spec {
	return graph.Spec{Agent: "sample", Title: "Sample", Description: "Tries everything", Reply: answer, MaxSteps: 7, Limits: graph.Limits{Tokens: 5},
		Context: facts, History: graph.HistoryOf(log, isFixed),
		Channels:   []graph.AnyChannel{topic, spare, answer, answer2, log, log2, facts, facts2},
		Conditions: []graph.Condition{graph.When("is", topic), graph.Unless("is_not", topic), onFacts("k", "k is there", true)},
		Hooks:      []graph.Hooks{{Name: "watch", OnError: func(context.Context, *graph.Task, error) {}}},
		Failed:     func(*graph.Task, error) {},
		Summarize:  func(context.Context, *graph.Task, string) (string, error) { return "", nil },
		Stages: []graph.Stage{
			{ID: "a", Title: "A", Description: "first", Role: "gate", Run: idle, Kind: "prompt", Flags: graph.Retryable, Inputs: []string{"x"}, Output: "y",
				MaxRetries: 1, SoftTimeout: time.Second, Sinks: []graph.Sink{{Key: "more"}}, Reads: []string{"k", "l"}, Prepares: []string{"k"},
				Sees: func(graph.Snapshot) any { return nil }, Hears: true},
			{ID: "b", Run: idle, Inherit: []graph.StageID{"a"}, Flags: graph.ValidateOutput, OutputSchema: json.RawMessage(`{"type":"object"}`)},
			{ID: "c", Run: idle, SideEffects: true},
			{ID: "d", Begins: map[string]json.RawMessage{"n": json.RawMessage("0")}, Graph: &graph.Spec{Stages: []graph.Stage{{ID: "in", Run: idle}}, Edges: []graph.Edge{
				{From: graph.Start, To: "in", Type: graph.Entry}, {From: "in", To: graph.End, Type: graph.Exit}}}},
			{ID: "e", Graph: &graph.Spec{Stages: []graph.Stage{{ID: "in", Run: idle}}, Edges: []graph.Edge{
				{From: graph.Start, To: "in", Type: graph.Entry}, {From: "in", To: graph.End, Type: graph.Exit}}},
				Scope: &graph.Scope{Begin: func(around map[string]json.RawMessage) map[string]json.RawMessage { return around }, Shows: map[string][]string{"seen": {"here"}}, Own: []graph.AnyChannel{seen}}},
		},
		Edges: []graph.Edge{{From: graph.Start, To: "a", Type: graph.Entry},
			{From: "a", To: "b", Type: graph.Conditional, Condition: "is", Priority: 1}, {From: "a", To: "c", Type: graph.Conditional, Condition: "is_not"},
			{From: "a", To: "c", Type: graph.Match, Match: "yes"},
			{From: "b", To: "d", Type: graph.Sequence}, {From: "c", To: "d", Type: graph.Sequence},
			{From: "d", To: "e", Type: graph.Conditional, Condition: "on_k"}, {From: "d", To: graph.End, Type: graph.Exit}, {From: "e", To: graph.End, Type: graph.Exit}}}
}

func onFacts(key, text string, want bool) graph.Condition {
	return graph.WhenKey("on_k", facts, key, text, func(v json.RawMessage) bool { return (v != nil) == want })
}

func noContext(map[string]json.RawMessage) map[string]json.RawMessage { return nil }

func fingerprint(t *testing.T, s graph.Spec) string {
	t.Helper()
	g, err := graph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return g.Fingerprint()
}

// A person's hold of weeks must survive an update that only words things anew, and
// must not go on under a graph that behaves otherwise: each field says which it is.
func TestTopology_EachFieldOfASpecSaysWhetherItIsBehaviour(t *testing.T) {
	// Why a field is no behaviour.
	apart := map[string]string{
		"Spec.Title": "people read it", "Spec.Description": "people read it", "Condition.Title": "people read it",
		"Stage.Title": "people read it", "Stage.Description": "people read it", "Stage.Role": "screens go by it",
		"Spec.MaxSteps": "a run keeps the number that it began with, or was granted", "Spec.Limits": "a run keeps those that it began with, or was granted",
		"Stage.Run":         "code; what a file sets of it is in Settings",
		"Condition.test":    "code; its text stands for it",
		"Scope.Begin":       "code, which every scope has; what a file sets of it is in Settings",
		"Stage.SoftTimeout": "the run goes on the same, only its journal says that it took longer; a rule that reads that is in Settings",
		"Stage.Ends":        "every choice may be the end, and only validation asks for it",
		"Stage.Quick":       "how fast the same comes about",
	}
	type change struct {
		behaviour bool
		make      func(*graph.Spec)
	}
	stage := func(do func(*graph.Stage)) func(*graph.Spec) {
		return func(s *graph.Spec) { do(&s.Stages[0]) }
	}
	edge := func(i int, do func(*graph.Edge)) func(*graph.Spec) {
		return func(s *graph.Spec) { do(&s.Edges[i]) }
	}
	for typ, fields := range map[reflect.Type]map[string]change{
		reflect.TypeFor[graph.Spec](): {
			"Agent":       {true, func(s *graph.Spec) { s.Agent = "other" }},
			"Title":       {false, func(s *graph.Spec) { s.Title = "Other" }},
			"Description": {false, func(s *graph.Spec) { s.Description = "Other" }},
			"Stages": {true, func(s *graph.Spec) {
				s.Stages[3].Graph.Stages[0].ID = "inner"
				s.Stages[3].Graph.Edges = []graph.Edge{{From: graph.Start, To: "inner", Type: graph.Entry}, {From: "inner", To: graph.End, Type: graph.Exit}}
			}},
			"Edges":      {true, func(s *graph.Spec) { s.Edges = append(s.Edges, graph.Edge{From: "a", To: "d", Type: graph.Choice}) }},
			"Conditions": {true, func(s *graph.Spec) { s.Conditions[0] = graph.When("is", topic).AsSafety() }},
			"Channels":   {true, func(s *graph.Spec) { s.Channels = s.Channels[:5] }},
			"Reply":      {true, func(s *graph.Spec) { s.Reply = answer2 }},
			"MaxSteps":   {false, func(s *graph.Spec) { s.MaxSteps = 8 }},
			"Limits":     {false, func(s *graph.Spec) { s.Limits.Tokens = 6 }},
			"Tolerant":   {true, func(s *graph.Spec) { s.Tolerant = true }},
			"Context":    {true, func(s *graph.Spec) { s.Context = facts2 }},
			"History":    {true, func(s *graph.Spec) { s.History = graph.HistoryOf(log2, isFixed) }},
			"Hooks": {true, func(s *graph.Spec) {
				s.Hooks = []graph.Hooks{{Name: "keep", PreStage: func(context.Context, *graph.Task) (graph.Patch, error) { return nil, nil }}}
			}},
			"Summarize": {true, func(s *graph.Spec) { s.Summarize = nil }},
			"Settings":  {true, func(s *graph.Spec) { s.Settings = "sha256:other" }},
			"Failed":    {true, func(s *graph.Spec) { s.Failed = nil }},
			"Grow":      {true, func(s *graph.Spec) { s.Grow = func(json.RawMessage) (graph.Stage, error) { return graph.Stage{}, nil } }},
		},
		reflect.TypeFor[graph.Stage](): {
			"ID":          {true, func(s *graph.Spec) { s.Stages[1].ID, s.Edges[1].To, s.Edges[4].From = "b2", "b2", "b2" }},
			"Title":       {false, stage(func(s *graph.Stage) { s.Title = "B" })},
			"Description": {false, stage(func(s *graph.Stage) { s.Description = "B" })},
			"Role":        {false, stage(func(s *graph.Stage) { s.Role = "loop" })},
			"SideEffects": {true, func(s *graph.Spec) { s.Stages[2].SideEffects = false }},
			"Run": {false, stage(func(s *graph.Stage) {
				s.Run = func(context.Context, *graph.Task) (graph.Result, error) { panic("other") }
			})},
			"Graph": {true, func(s *graph.Spec) { s.Stages[2].Run, s.Stages[2].Graph = nil, s.Stages[3].Graph }},
			"Scope": {true, func(s *graph.Spec) {
				s.Stages[3].Scope = &graph.Scope{Begin: func(map[string]json.RawMessage) map[string]json.RawMessage { return nil }}
			}},
			"Begins":       {true, func(s *graph.Spec) { s.Stages[3].Begins = map[string]json.RawMessage{"n": json.RawMessage("1")} }},
			"Join":         {true, stage(func(s *graph.Stage) { s.Join = graph.JoinAll })},
			"Kind":         {true, stage(func(s *graph.Stage) { s.Kind = "router" })},
			"Flags":        {true, stage(func(s *graph.Stage) { s.Flags |= graph.Critical })},
			"Inputs":       {true, stage(func(s *graph.Stage) { s.Inputs = []string{"z"} })},
			"Output":       {true, stage(func(s *graph.Stage) { s.Output = "z" })},
			"Inherit":      {true, func(s *graph.Spec) { s.Stages[1].Inherit = []graph.StageID{"c"} }},
			"OutputSchema": {true, func(s *graph.Spec) { s.Stages[1].OutputSchema = json.RawMessage(`{"type":"string"}`) }},
			"MaxRetries":   {true, stage(func(s *graph.Stage) { s.MaxRetries = 2 })},
			"SoftTimeout":  {false, stage(func(s *graph.Stage) { s.SoftTimeout = time.Minute })},
			"MayEnd":       {true, stage(func(s *graph.Stage) { s.MayEnd = true })},
			"Sinks":        {true, stage(func(s *graph.Stage) { s.Sinks = []graph.Sink{{Key: "more", Around: 1}} })},
			"Reads":        {true, stage(func(s *graph.Stage) { s.Reads = []string{"k"} })},
			"Sees":         {true, stage(func(s *graph.Stage) { s.Sees = nil })},
			"Prepares":     {true, stage(func(s *graph.Stage) { s.Prepares = []string{"l"} })},
			"Hears":        {true, stage(func(s *graph.Stage) { s.Hears = false })},
			"Quick":        {false, stage(func(s *graph.Stage) { s.Quick = true })},
			"Ends":         {false, stage(func(s *graph.Stage) { s.Ends = true })},
		},
		// Test and text of a condition on the context are one field each: the text stands for
		// the code.
		reflect.TypeFor[graph.Condition](): {
			"Name": {true, func(s *graph.Spec) {
				s.Conditions[0] = graph.When("is_so", topic)
				s.Edges[1].Condition = "is_so"
			}},
			"channel": {true, func(s *graph.Spec) {
				s.Conditions[0], s.Conditions[1] = graph.When("is", spare), graph.Unless("is_not", spare)
			}},
			"want": {true, func(s *graph.Spec) {
				s.Conditions[0], s.Conditions[1] = graph.Unless("is", topic), graph.When("is_not", topic)
			}},
			"test":   {false, func(s *graph.Spec) { s.Conditions[2] = onFacts("k", "k is there", false) }},
			"key":    {true, func(s *graph.Spec) { s.Conditions[2] = onFacts("l", "k is there", true) }},
			"text":   {true, func(s *graph.Spec) { s.Conditions[2] = onFacts("k", "k is 1", true) }},
			"Safety": {true, func(s *graph.Spec) { s.Conditions[0] = s.Conditions[0].AsSafety() }},
			"Title":  {false, func(s *graph.Spec) { s.Conditions[0] = s.Conditions[0].Called("It is so") }},
		},
		reflect.TypeFor[graph.Scope](): {
			"Begin": {false, func(s *graph.Spec) { s.Stages[4].Scope.Begin = noContext }},
			"Shows": {true, func(s *graph.Spec) { s.Stages[4].Scope.Shows["seen"] = []string{"elsewhere"} }},
			"Own":   {true, func(s *graph.Spec) { s.Stages[4].Scope.Own = []graph.AnyChannel{last} }},
		},
		reflect.TypeFor[graph.Edge](): {
			"From":      {true, func(s *graph.Spec) { s.Edges = append(s.Edges, graph.Edge{From: "b", To: "c", Type: graph.Choice}) }},
			"To":        {true, edge(3, func(e *graph.Edge) { e.To = "b" })},
			"Type":      {true, edge(4, func(e *graph.Edge) { e.Type = graph.TerminalPath })},
			"Condition": {true, func(s *graph.Spec) { s.Edges[1].Condition, s.Edges[2].Condition = "is_not", "is" }},
			"Match":     {true, edge(3, func(e *graph.Edge) { e.Match = "no" })},
			"Priority":  {true, edge(1, func(e *graph.Edge) { e.Priority = 2 })},
		},
	} {
		for i := range typ.NumField() {
			if name := typ.Field(i).Name; fields[name].make == nil {
				t.Errorf("%s.%s: nobody says whether it is behaviour", typ.Name(), name)
			}
		}
		for name, c := range fields {
			t.Run(typ.Name()+"."+name, func(t *testing.T) {
				if (apart[typ.Name()+"."+name] == "") != c.behaviour {
					t.Error("nobody says why it is no behaviour")
				}
				before, s := fingerprint(t, everyPart()), everyPart()
				c.make(&s)
				if after := fingerprint(t, s); (after != before) != c.behaviour {
					t.Errorf("the fingerprint changed: %v, want %v", after != before, c.behaviour)
				}
			})
		}
	}
}

// "I made the group go on after a failure, and it stopped all the same": what a graph
// inside a stage can't say for itself is refused, the rest is behaviour.
func TestTopology_EachFieldOfANestedSpecIsBehaviourOrRefused(t *testing.T) {
	// The graph inside has a second stage, so that each part of it can change.
	nested := func() graph.Spec {
		s := everyPart()
		s.Stages[3].Graph = &graph.Spec{Stages: []graph.Stage{{ID: "in", Run: idle}, {ID: "out", Run: idle}}, Edges: []graph.Edge{
			{From: graph.Start, To: "in", Type: graph.Entry}, {From: "in", To: "out", Type: graph.Sequence}, {From: "out", To: graph.End, Type: graph.Exit}}}
		return s
	}
	before := fingerprint(t, nested())
	behaviour := map[string]func(*graph.Spec){
		"Stages":     func(s *graph.Spec) { s.Stages[0].Kind = "prompt" },
		"Edges":      func(s *graph.Spec) { s.Edges[1] = graph.Edge{From: "in", To: "out", Type: graph.Match, Match: "x"} },
		"Conditions": func(s *graph.Spec) { s.Conditions = []graph.Condition{graph.When("inner", topic)} },
		"Channels":   func(s *graph.Spec) { s.Channels = []graph.AnyChannel{graph.Value[int]("inner")} },
	}
	refused := map[string]func(*graph.Spec){
		"Agent":       func(s *graph.Spec) { s.Agent = "inner" },
		"Title":       func(s *graph.Spec) { s.Title = "Inner" },
		"Description": func(s *graph.Spec) { s.Description = "Inner" },
		"Reply":       func(s *graph.Spec) { s.Reply = answer },
		"MaxSteps":    func(s *graph.Spec) { s.MaxSteps = 3 },
		"Limits":      func(s *graph.Spec) { s.Limits.Own = map[string]int{"visits": 1} },
		"Tolerant":    func(s *graph.Spec) { s.Tolerant = true },
		"Context":     func(s *graph.Spec) { s.Context = facts },
		"History":     func(s *graph.Spec) { s.History = graph.HistoryOf(log, isFixed) },
		"Hooks":       func(s *graph.Spec) { s.Hooks = []graph.Hooks{{Name: "inner"}} },
		"Summarize": func(s *graph.Spec) {
			s.Summarize = func(context.Context, *graph.Task, string) (string, error) { return "", nil }
		},
		"Failed":   func(s *graph.Spec) { s.Failed = func(*graph.Task, error) {} },
		"Grow":     func(s *graph.Spec) { s.Grow = func(json.RawMessage) (graph.Stage, error) { return graph.Stage{}, nil } },
		"Settings": func(s *graph.Spec) { s.Settings = "sha256:inner" },
	}
	for i := range reflect.TypeFor[graph.Spec]().NumField() {
		name := reflect.TypeFor[graph.Spec]().Field(i).Name
		t.Run(name, func(t *testing.T) {
			s := nested()
			if change := behaviour[name]; change != nil {
				change(s.Stages[3].Graph)
				if fingerprint(t, s) == before {
					t.Error("the fingerprint stayed")
				}
				return
			}
			change := refused[name]
			if change == nil {
				t.Fatal("nobody says whether it is behaviour inside a stage")
			}
			change(s.Stages[3].Graph)
			if _, err := graph.New(s); !errors.Is(err, graph.ErrNested) || !strings.Contains(err.Error(), name+` of the graph of stage "d"`) {
				t.Errorf("not refused: %v", err)
			}
		})
	}
}

// "I was away for three weeks, the program was updated twice, and what I had to approve was gone." Each form that
// fingerprints had is still known: these are those of everyPart when the form was the newest.
func TestTopology_RunsOfEveryFormBeforeGoOn(t *testing.T) {
	g, err := graph.New(everyPart())
	if err != nil {
		t.Fatal(err)
	}
	for form, fingerprint := range map[string]string{
		"1": "sha256:8d055df9bf1961164105f8780399d89bd471bb404a2cc2c63efcd617f4ce86ce",
		"2": "sha256:d7737fc160e0d4aaa3711762a6769b4edf48af6639b2676d8bc9e7e46a43f1c3",
		"3": "sha256:0ccad2976c2c8039a349935e52a4574753d2a4c775e3a5912599e411c6f0f1ae",
		"4": fourth,
		"5": "sha256:6f9df16343be290aea9593505235c44cfc532553e41f88f4846d7135f2b3d05a",
	} {
		if fingerprint == g.Fingerprint() || !g.Recognizes(fingerprint) {
			t.Errorf("a run that began under form %s is refused", form)
		}
	}
}

// "We log more since this week, and every turn that waited had to be asked again." Who hosts a graph may hook into it at
// any time.
func TestTopology_HooksOfTheHostAreNoPartOfIt(t *testing.T) {
	g, err := graph.New(everyPart())
	if err != nil {
		t.Fatal(err)
	}
	hooked, err := g.Hooked(graph.OfHost, graph.Hooks{Name: "log", OnError: func(context.Context, *graph.Task, error) {}})
	if err == nil {
		hooked, err = hooked.Hooked(graph.OfHost, graph.Hooks{Name: "more"})
	}
	if err != nil || hooked.Fingerprint() != g.Fingerprint() || len(hooked.Spec().Hooks) != 3 {
		t.Error("another fingerprint", err)
	}
}

// "The update brought a hook that holds every stage until I look, and the turn that waited from before went past it." A
// hook that an agent hangs on its graphs decides what a run does, as those of the graph do; one that only watches does not.
func TestTopology_HooksOfTheAgentAreAPartOfIt(t *testing.T) {
	g, err := graph.New(everyPart())
	if err != nil {
		t.Fatal(err)
	}
	with := func(hooks ...graph.Hooks) *graph.Graph {
		t.Helper()
		more, err := g.Hooked(graph.OfAgent, hooks...)
		if err == nil {
			more, err = more.Hooked(graph.OfHost, graph.Hooks{Name: "host", PreStage: func(context.Context, *graph.Task) (graph.Patch, error) { return nil, nil }})
		}
		if err != nil {
			t.Fatal(err)
		}
		return more
	}
	stage := func(context.Context, *graph.Task) (graph.Patch, error) { return nil, nil }
	tool := func(context.Context, *graph.Task, *graph.ToolUse) error { return nil }
	known := map[string]string{g.Fingerprint(): "none"}
	for what, hooks := range map[string][]graph.Hooks{
		"before stages": {{Name: "keeper", PreStage: stage}},
		"after stages":  {{Name: "keeper", PostStage: func(context.Context, *graph.Task, *graph.Result) error { return nil }}},
		"before calls":  {{Name: "keeper", PreTool: tool}},
		"after calls":   {{Name: "keeper", PostTool: tool}},
		"of changes":    {{Name: "keeper", OnMutation: func(context.Context, *graph.Task, graph.Mutation) error { return nil }}},
		"another name":  {{Name: "another", PreStage: stage}},
		"two":           {{Name: "keeper", PreStage: stage}, {Name: "another", PreStage: stage}},
		"another order": {{Name: "another", PreStage: stage}, {Name: "keeper", PreStage: stage}},
	} {
		more := with(hooks...)
		if same, there := known[more.Fingerprint()]; there {
			t.Errorf("hooks %s have the fingerprint of %s", what, same)
		}
		known[more.Fingerprint()] = what
		if more.Recognizes(g.Fingerprint()) || g.Recognizes(more.Fingerprint()) {
			t.Errorf("hooks %s: a run goes on without or with them", what)
		}
		if !more.Recognizes(fourth) {
			t.Errorf("hooks %s: a run from before the fifth form is refused", what)
		}
	}
	if watched := with(graph.Hooks{Name: "log", OnError: func(context.Context, *graph.Task, error) {}, OnHuman: func(context.Context, *graph.Task, []graph.Pause) {},
		OnObservable: func(context.Context, *graph.Task, graph.Metrics) {}}); watched.Fingerprint() != g.Fingerprint() {
		t.Error("what only watches is a part of it")
	}
	silent := everyPart()
	silent.Hooks = nil
	if unwatched, err := graph.New(silent); err != nil || unwatched.Fingerprint() != g.Fingerprint() {
		t.Error("what only watches of the graph's own hooks is a part of it", err)
	}
}

// fourth is everyPart's fingerprint when the fourth form was the newest.
const fourth = "sha256:279d51e6dec02e45605302fdc95216901ca8429118f72bd57c85755e59c49b7d"

func TestTopology_RecognizesNothingElse(t *testing.T) {
	g, err := graph.New(everyPart())
	if err != nil {
		t.Fatal(err)
	}
	for fingerprint, want := range map[string]bool{g.Fingerprint(): true, "": false, "sha256:0": false} {
		if g.Recognizes(fingerprint) != want {
			t.Errorf("%q: %v", fingerprint, !want)
		}
	}
}
