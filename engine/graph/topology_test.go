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

func idle(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }

func isFixed(string) bool { return false }

// everyPart has something in every field of a spec, a stage, an edge and a condition.
func everyPart() graph.Spec {
	return graph.Spec{Agent: "sample", Title: "Sample", Description: "Tries everything", Reply: answer, MaxSteps: 7, Limits: graph.Limits{Tokens: 5},
		Context: facts, History: graph.HistoryOf(log, isFixed),
		Channels:   []graph.AnyChannel{topic, spare, answer, answer2, log, log2, facts, facts2},
		Conditions: []graph.Condition{graph.When("is", topic), graph.Unless("is_not", topic), onFacts("k", "k is there", true)},
		Hooks:      []graph.Hooks{{Name: "watch"}},
		Summarize:  func(context.Context, *graph.Task, string) (string, error) { return "", nil },
		Stages: []graph.Stage{
			{ID: "a", Title: "A", Description: "first", Role: "gate", Run: idle, Kind: "prompt", Flags: graph.Retryable, Inputs: []string{"x"}, Output: "y",
				MaxRetries: 1, SoftTimeout: time.Second},
			{ID: "b", Run: idle, Inherit: []graph.StageID{"a"}, Flags: graph.ValidateOutput, OutputSchema: json.RawMessage(`{"type":"object"}`)},
			{ID: "c", Run: idle, SideEffects: true},
			{ID: "d", Graph: &graph.Spec{Stages: []graph.Stage{{ID: "in", Run: idle}}, Edges: []graph.Edge{
				{From: graph.Start, To: "in", Type: graph.Entry}, {From: "in", To: graph.End, Type: graph.Exit}}}},
			{ID: "e", Graph: &graph.Spec{Stages: []graph.Stage{{ID: "in", Run: idle}}, Edges: []graph.Edge{
				{From: graph.Start, To: "in", Type: graph.Entry}, {From: "in", To: graph.End, Type: graph.Exit}}},
				Scope: &graph.Scope{Begin: func(around map[string]json.RawMessage) map[string]json.RawMessage { return around }, Shows: map[string][]string{"seen": {"here"}}}},
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
			"Hooks":      {false, func(s *graph.Spec) { s.Hooks = nil }},
			"Summarize":  {true, func(s *graph.Spec) { s.Summarize = nil }},
			"Settings":   {true, func(s *graph.Spec) { s.Settings = "sha256:other" }},
			"Failed":     {false, func(s *graph.Spec) { s.Failed = func(*graph.Task, error) {} }},
			"Grow":       {true, func(s *graph.Spec) { s.Grow = func(json.RawMessage) (graph.Stage, error) { return graph.Stage{}, nil } }},
		},
		reflect.TypeFor[graph.Stage](): {
			"ID":          {true, func(s *graph.Spec) { s.Stages[1].Inherit = nil }}, // ids stand in edges; see Stages
			"Title":       {false, stage(func(s *graph.Stage) { s.Title = "B" })},
			"Description": {false, stage(func(s *graph.Stage) { s.Description = "B" })},
			"Role":        {false, stage(func(s *graph.Stage) { s.Role = "loop" })},
			"SideEffects": {true, func(s *graph.Spec) { s.Stages[2].SideEffects = false }},
			"Run": {false, stage(func(s *graph.Stage) {
				s.Run = func(context.Context, *graph.Task) (graph.Result, error) { panic("other") }
			})},
			"Graph": {true, func(s *graph.Spec) { s.Stages[3].Graph, s.Stages[3].Run = nil, idle }},
			"Scope": {true, func(s *graph.Spec) {
				s.Stages[3].Scope = &graph.Scope{Begin: func(map[string]json.RawMessage) map[string]json.RawMessage { return nil }}
			}},
			"Begins":       {false, func(s *graph.Spec) { s.Stages[3].Begins = map[string]json.RawMessage{"x": json.RawMessage("0")} }},
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
			"Sinks":        {false, stage(func(s *graph.Stage) { s.Sinks = []graph.Sink{{Key: "more"}} })},
			"Reads":        {false, stage(func(s *graph.Stage) { s.Reads = []string{"more"} })},
			"Sees":         {false, stage(func(s *graph.Stage) { s.Sees = func(graph.Snapshot) any { return nil } })},
			"Prepares":     {false, stage(func(s *graph.Stage) { s.Prepares = []string{"more"} })},
			"Hears":        {false, stage(func(s *graph.Stage) { s.Hears = true })},
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
			"Own":   {false, func(s *graph.Spec) { s.Stages[4].Scope.Own = []graph.AnyChannel{log} }},
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
