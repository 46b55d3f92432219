package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

func TestReasoner_R16_AResultNamesTheNextStage(t *testing.T) {
	r, l := newRig(t), newLab()
	edges := append(chain("a", "c"), edge("a", "b", graph.Choice), edge("b", graph.End, graph.Exit))
	wantStatus(t, r.start(build(t, spec(edges, l.stage("a", chooses("b")), l.stage("b"), l.stage("c")))), run.Completed)
	wantList(t, "ways", ways(r), "a→b by goto", "b→end by static")
	for _, e := range r.journal() {
		if e.Resolver == "goto" && e.Reason != "it says so" {
			t.Errorf("the reason on the way is %q", e.Reason)
		}
	}
}

func TestReasoner_R19_WithoutAChoiceTheDefaultNextIsTaken(t *testing.T) {
	r, l := newRig(t), newLab()
	wantStatus(t, r.start(build(t, spec(chain("a", "b"), l.stage("a", says(`"other"`)), l.stage("b")))), run.Completed)
	wantList(t, "ways", ways(r), "a→b by static", "b→end by static")
}

func TestReasoner_R55_AfterNoHistoryTheOthersSeeEverythingAgain(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	see := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		d.add(fmt.Sprint(talk.Get(task.State)))
		return graph.Result{Patch: graph.Patch{talk.Add("by " + string(task.Stage))}}, nil
	}
	wantStatus(t, r.start(build(t, spec(chain("first", "a", "b"), l.stage("first", sets(talk.Add("system: rules", "hello"))),
		flagged(l.stage("a", see), graph.NoHistory), l.stage("b", see)))), run.Completed)
	wantList(t, "what they saw", d.all(), "[system: rules]", "[system: rules hello by a]")
}

func TestReasoner_R55_AFailureRestoresTheHistoryToo(t *testing.T) {
	r, l := newRig(t), newLab()
	out := r.start(build(t, spec(chain("first", "a"), l.stage("first", sets(talk.Add("hello"))), flagged(l.stage("a", breaks(9)), graph.NoHistory|graph.IsolatedContext))))
	wantStatus(t, out, run.Completed)
	wantList(t, "the history", talk.Get(out.State), "hello")
}

func TestReasoner_R56_IsolatedContextIsMergedByItsOutputAlone(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	a := with(l.stage("a", func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Output: json.RawMessage(`"new"`), Patch: graph.Patch{notes.Put("kept", nil), notes.Put("stray", json.RawMessage(`1`))}}, nil
	}), func(s *graph.Stage) { s.Flags, s.Output = graph.IsolatedContext, "out" })
	b := l.stage("b", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		for _, k := range []string{"kept", "stray", "out", "a_output"} {
			v, _ := task.Input(k)
			d.add(k + "=" + string(v))
		}
		return graph.Result{}, nil
	})
	wantStatus(t, r.start(build(t, spec(chain("first", "a", "b"), l.stage("first", sets(notes.Put("kept", json.RawMessage(`1`)))), a, b))), run.Completed)
	wantList(t, "what is there afterwards", d.all(), "kept=1", "stray=", `out="new"`, `a_output="new"`)
}

func TestReasoner_R57_AfterLightweightTheMainModelIsBack(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	see := func(fail bool) doing {
		return func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			d.add(fmt.Sprint(task.Stage, task.Light))
			if fail {
				return graph.Result{}, errBroken
			}
			return graph.Result{}, nil
		}
	}
	wantStatus(t, r.start(build(t, spec(chain("a", "b"), flagged(l.stage("a", see(true)), graph.Lightweight), l.stage("b", see(false))))), run.Completed)
	wantList(t, "light", d.all(), "atrue", "bfalse")
}

func TestReasoner_R65_AStageMayReadAndWriteTheContextItself(t *testing.T) {
	r, l := newRig(t), newLab()
	a := l.stage("a", sets(notes.Put("x", json.RawMessage(`1`)), notes.Put("y", json.RawMessage(`2`))))
	b := l.stage("b", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		x, _ := task.Input("x")
		return graph.Result{Patch: graph.Patch{notes.Put("x", json.RawMessage(string(x)+"0")), notes.Put("y", nil)}}, nil
	})
	ask := l.stage("ask", asks("q"))
	g := build(t, spec(chain("a", "b", "ask"), a, b, ask))
	wantStatus(t, r.start(g), run.Paused)
	r.cold() // a key that was removed stays removed
	out := r.resume(g, "q", "1")
	wantStatus(t, out, run.Completed)
	if value(out, "x") != "10" || value(out, "y") != "" || len(notes.Get(out.State)) != 1 {
		t.Errorf("context is %v", notes.Get(out.State))
	}
}

func TestReasoner_R65_ParallelBranchesMayWriteDifferentKeysAndNotTheSame(t *testing.T) {
	for key, want := range map[string]run.Status{"c": run.Completed, "b": run.Failed} {
		r, l := newRig(t), newLab()
		out := r.start(build(t, spec(fan("first", "join", "b", "c"), l.stage("first"), l.stage("b", sets(notes.Put("b", json.RawMessage(`1`)))),
			l.stage("c", sets(notes.Put(key, json.RawMessage(`2`)))), l.stage("join"))))
		wantStatus(t, out, want)
		if want == run.Failed {
			wantErr(t, out.Err, run.ErrConflict)
		}
	}
}

func TestReasoner_R75_OnlyObservableStagesAreObserved(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	s := spec(chain("a", "b"), flagged(l.stage("a"), graph.Observable), l.stage("b"))
	s.Hooks = []graph.Hooks{{OnObservable: func(_ context.Context, _ *graph.Task, m graph.Metrics) { d.add(string(m.Stage)) }}}
	wantStatus(t, r.start(build(t, s)), run.Completed)
	wantList(t, "observed", d.all(), "a")
}

func TestReasoner_R76_HooksHearThatAStageWaitsForAPerson(t *testing.T) {
	r, l, d := newRig(t), newLab(), &diary{}
	s := spec(chain("a"), l.stage("a", asks("q1", "q2")))
	s.Hooks = []graph.Hooks{{OnHuman: func(_ context.Context, task *graph.Task, p []graph.Pause) {
		d.add(fmt.Sprint(task.Stage, len(p)))
	}}, {OnHuman: func(context.Context, *graph.Task, []graph.Pause) { panic("oh") }}}
	g := build(t, s)
	wantStatus(t, r.start(g), run.Paused)
	wantList(t, "heard", d.all(), "a2")
	if r.count(journal.HookFailed, "a") != 1 {
		t.Error("the hook that panicked is not told of")
	}
}

func TestReadOnly_RefusesChangesOfRecordsAndOfTheGraph(t *testing.T) {
	for name, res := range map[string]graph.Result{
		"records":   {Do: graph.In(func(_ store.Tx, _ graph.Tell) error { return nil })},
		"the graph": {Mutations: []graph.Mutation{{Op: graph.RemoveEdge, Edge: &graph.Edge{From: "a", To: graph.End}}}},
	} {
		r, l := newRig(t), newLab()
		out := r.start(build(t, spec(chain("a"), flagged(l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			if err := task.Commit(graph.In(func(_ store.Tx, _ graph.Tell) error { return nil })); !errors.Is(err, graph.ErrReadOnly) {
				t.Errorf("a commit of a stage that only reads: %v", err)
			}
			return res, nil
		}), graph.ReadOnly|graph.Critical))))
		wantStatus(t, out, run.Failed)
		if !errors.Is(out.Err, graph.ErrReadOnly) {
			t.Errorf("%s: %v", name, out.Err)
		}
	}
}

func TestStateful_KeepsItsMemoryFromVisitToVisit(t *testing.T) {
	for _, stateful := range []bool{true, false} {
		r, l := newRig(t), newLab()
		made := 0
		a := l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			_, err := task.Memo("k", func() (any, error) { made++; return made, nil })
			return graph.Result{}, err
		})
		if stateful {
			a.Flags = graph.Stateful
		}
		back := l.stage("b", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
			if nth == 1 {
				return graph.Result{Goto: "a"}, nil
			}
			return graph.Result{}, nil
		})
		wantStatus(t, r.start(build(t, spec(chain("a", "b"), a, back))), run.Completed)
		if want := map[bool]int{true: 1, false: 2}[stateful]; made != want {
			t.Errorf("stateful %v: made %d times, want %d", stateful, made, want)
		}
	}
}

func TestFlags_WithoutWhatTheyNeedAreRefused(t *testing.T) {
	l := newLab()
	plain := graph.Spec{Agent: "test", Channels: []graph.AnyChannel{done}, Edges: chain("a")}
	for _, name := range graph.FlagNames() {
		f, err := graph.ParseFlag(name)
		must(t, err)
		needs := f & (graph.Cacheable | graph.IsolatedContext | graph.NoHistory | graph.SummarizeOutput | graph.ValidateOutput)
		s := plain
		s.Stages = []graph.Stage{flagged(l.stage("a"), f)}
		if err := graph.Validate(s); (needs != 0) != errors.Is(err, graph.ErrFlag) {
			t.Errorf("%s on a bare stage: %v", name, err)
		}
	}
	if _, err := graph.ParseFlag("parallel_safe"); err == nil {
		t.Error("a flag that does nothing is taken")
	}
}
