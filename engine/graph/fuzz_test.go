package graph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
)

var (
	fuzzFlag    = graph.Value[bool]("flag")
	fuzzText    = graph.Value[string]("text")
	fuzzContext = graph.Keyed("context")
)

// draw makes choices out of bytes; without any left it always makes the first.
type draw struct{ from []byte }

func (d *draw) next(n int) int {
	if len(d.from) == 0 {
		return 0
	}
	b := d.from[0]
	d.from = d.from[1:]
	return int(b) % n
}

func one[T any](d *draw, of ...T) T { return of[d.next(len(of))] }

// rare is true for one byte in n, and never without any left.
func (d *draw) rare(n int) bool { return d.next(n) == n-1 }

// id is mostly one of the stages, sometimes an end, and rarely nonsense.
func (d *draw) id(stages int) graph.StageID {
	if d.rare(8) {
		return one[graph.StageID](d, graph.Start, graph.End, graph.End, "", "a/b", "z", "ü \"x\"\n")
	}
	return graph.StageID(rune('a' + d.next(stages)))
}

func (d *draw) stage(i, stages, depth int) graph.Stage {
	s := graph.Stage{ID: graph.StageID(rune('a' + i)), Run: func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }}
	if d.rare(32) {
		s.ID = d.id(stages)
	}
	if depth > 0 && d.rare(6) {
		inner := d.spec(depth - 1)
		s.Graph, s.Run = &inner, nil
		if d.rare(4) {
			inner.Context, inner.Channels, inner.Conditions = graph.KeyedChannel{}, nil, nil
		}
	}
	if d.rare(32) {
		s.Run = nil
	}
	s.Join = one(d, graph.JoinReachable, graph.JoinReachable, graph.JoinReachable, graph.JoinAll)
	if d.rare(3) {
		s.Flags = graph.Flag(1) << d.next(24)
	}
	s.SideEffects, s.MayEnd, s.Quick = d.rare(3), d.rare(3), d.rare(3)
	if d.rare(6) {
		s.Inputs, s.Output, s.Inherit = one(d, nil, []string{"x"}, []string{""}), one(d, "", "y"), one(d, nil, []graph.StageID{d.id(stages)})
		s.OutputSchema = one(d, nil, json.RawMessage(`{"type":"object"}`), json.RawMessage(`{"type":7}`), json.RawMessage(`{`))
		s.MaxRetries, s.SoftTimeout = d.next(5)-1, time.Duration(d.next(3)-1)
	}
	return s
}

// spec is a chain of stages with edges beside it, and now and then with something
// that is missing or makes no sense.
func (d *draw) spec(depth int) graph.Spec {
	s := graph.Spec{Agent: one(d, "x", ""), MaxSteps: d.next(4), Tolerant: d.next(2) == 1, Channels: []graph.AnyChannel{fuzzFlag, fuzzText, fuzzContext}}
	stages := 1 + d.next(5)
	from := graph.Start
	for i := range stages {
		s.Stages = append(s.Stages, d.stage(i, stages, depth))
		kind := graph.Sequence
		if i == 0 {
			kind = graph.Entry
		}
		to := graph.StageID(rune('a' + i))
		if !d.rare(16) {
			s.Edges = append(s.Edges, graph.Edge{From: from, To: to, Type: kind})
		}
		from = to
	}
	if !d.rare(16) {
		s.Edges = append(s.Edges, graph.Edge{From: from, To: graph.End, Type: graph.Exit})
	}
	for range d.next(8) {
		e := graph.Edge{From: d.id(stages), To: d.id(stages), Priority: d.next(3),
			Type: one(d, graph.Choice, graph.Conditional, graph.Match, graph.OnError, graph.Sequence, graph.Entry, graph.Exit, graph.TerminalPath, graph.ParallelBranch, graph.JoinInput, "other")}
		if e.Type == graph.Conditional != d.rare(16) {
			e.Condition = one(d, "on", "off", "long", "none")
		}
		if e.Type == graph.Match != d.rare(16) {
			e.Match = "yes"
		}
		s.Edges = append(s.Edges, e)
	}
	on := graph.When("on", fuzzFlag)
	if d.rare(3) {
		on = on.AsSafety()
	}
	s.Conditions = []graph.Condition{on, graph.Unless("off", fuzzFlag), graph.WhenContext("long", fuzzContext, `a == "x" && b > 1`, func(map[string]json.RawMessage) bool { return true })}
	s.Context, s.Reply = fuzzContext, fuzzText
	if d.rare(8) {
		s.Conditions = one(d, nil, append(s.Conditions, on), []graph.Condition{{}})
		s.Channels = one(d, s.Channels, nil, []graph.AnyChannel{fuzzFlag, fuzzFlag}, []graph.AnyChannel{nil})
		s.Context, s.Reply = one(d, fuzzContext, graph.KeyedChannel{}), one(d, fuzzText, graph.Channel[string]{})
		s.Limits = graph.Limits{Visits: d.next(4) - 1, Mutations: d.next(4) - 1, Cycle: d.next(3) - 1}
	}
	return s
}

// FuzzNew: whatever a spec says, New takes it or names the mistake, and a graph that
// it took can be drawn and is the same each time.
func FuzzNew(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a chain of one stage that leads nowhere"))
	f.Add([]byte("HHa chain of onetage that\xce3\xce6.\x9a\xd8 leads no")) // a schema that is no JSON
	f.Add([]byte{0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, choices []byte) {
		spec := (&draw{choices}).spec(2)
		invalid := graph.Validate(spec)
		g, err := graph.New(spec) // which also compiles the schemas of outputs
		if err == nil && invalid != nil {
			t.Fatalf("New takes what Validate refuses: %v", invalid)
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("a mistake without words")
			}
			return
		}
		m := g.Manifest()
		if _, err := json.Marshal(m); err != nil || !strings.HasPrefix(m.Fingerprint, "sha256:") || len(m.Edges) != len(spec.Edges) {
			t.Fatalf("the manifest cannot be written: %v", err)
		}
		lines := strings.Split(strings.TrimSuffix(g.Mermaid(), "\n"), "\n")
		if lines[0] != "flowchart TD" || len(lines) < 1+len(spec.Stages)+len(spec.Edges) {
			t.Fatalf("the diagram has too little:\n%s", g.Mermaid())
		}
		again, err := graph.New((&draw{choices}).spec(2))
		if err != nil || again.Fingerprint() != g.Fingerprint() {
			t.Fatalf("the same spec gives another graph (%v)", err)
		}
	})
}
