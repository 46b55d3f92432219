package run_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

var (
	detour  = graph.Value[bool]("detour")
	takesIt = graph.When("detour", detour)
	stays   = graph.Unless("straight", detour)
)

// detourSpec is a → (b, c) → join, where c leaves for side when detour is set.
func detourSpec(l *lab, away bool, policy graph.JoinPolicy, sideEnd graph.Edge) graph.Spec {
	join := l.stage("join")
	join.Join = policy
	return graph.Spec{Channels: []graph.AnyChannel{detour}, Conditions: []graph.Condition{takesIt, stays},
		Stages: []graph.Stage{l.stage("a", sets(detour.Set(away))), l.stage("b"), l.stage("c"), l.stage("c2"), l.stage("side"), join, l.stage("last")},
		Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("a", "c", graph.ParallelBranch),
			edge("b", "join", graph.JoinInput), onlyIf("c", "side", "detour"), onlyIf("c", "c2", "straight"), edge("c2", "join", graph.JoinInput),
			sideEnd, edge("join", "last", graph.Sequence), edge("last", graph.End, graph.Exit)}}
}

func TestEngine_ASkippedPredecessorFollowsTheJoinPolicy(t *testing.T) {
	toEnd := edge("side", graph.End, graph.Exit)
	for name, c := range map[string]struct {
		away    bool
		policy  graph.JoinPolicy
		want    map[graph.StageID]int
		skipped int
	}{
		"reachable, all inputs come":       {false, graph.JoinReachable, map[graph.StageID]int{"join": 1, "last": 1, "side": 0}, 0},
		"reachable, one input cannot come": {true, graph.JoinReachable, map[graph.StageID]int{"join": 1, "last": 1, "side": 1}, 0},
		"all, all inputs come":             {false, graph.JoinAll, map[graph.StageID]int{"join": 1, "last": 1, "side": 0}, 0},
		"all, one input cannot come":       {true, graph.JoinAll, map[graph.StageID]int{"join": 0, "last": 0, "side": 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			wantStatus(t, r.start(build(t, detourSpec(l, c.away, c.policy, toEnd))), run.Completed)
			l.wants(t, c.want)
			if n := r.count(journal.StageSkipped, "join"); n != c.skipped {
				t.Errorf("the join was skipped %d times", n)
			}
		})
	}
}

func TestEngine_ARunWhoseOnlyWayWasSkippedIsStuckAndRerunsNothing(t *testing.T) {
	// side is an input of the join as well, but the join also lacks c2: nothing is left to run.
	l, r := newLab(), newRig(t)
	s := detourSpec(l, true, graph.JoinAll, edge("side", "join", graph.JoinInput))
	out := r.start(build(t, s))
	wantStatus(t, out, run.Failed)
	wantErr(t, out.Err, run.ErrStuck)
	before := len(l.order)
	out = r.resume(build(t, s))
	wantStatus(t, out, run.Failed)
	wantErr(t, out.Err, run.ErrStuck)
	if len(l.order) != before {
		t.Errorf("a resume ran %v again", l.order[before:])
	}
}

func TestEngine_UnevenDepthsFireTheJoinOnce(t *testing.T) {
	l := newLab()
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c"), l.stage("c2"), l.stage("c3"), l.stage("join")},
		Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("a", "c", graph.ParallelBranch),
			edge("c", "c2", graph.Sequence), edge("c2", "c3", graph.Sequence), edge("b", "join", graph.JoinInput), edge("c3", "join", graph.JoinInput), edge("join", graph.End, graph.Exit)}})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "c2", "c3", "join")
}

func TestEngine_AJoinThatFeedsAnotherJoinFiresFirst(t *testing.T) {
	// late stands before early in the spec; its input early lacks an input that went elsewhere.
	l := newLab()
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{detour}, Conditions: []graph.Condition{takesIt, stays},
		Stages: []graph.Stage{l.stage("a", sets(detour.Set(true))), l.stage("late"), l.stage("early"), l.stage("b"), l.stage("c"), l.stage("d"), l.stage("d2")},
		Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("a", "c", graph.ParallelBranch), edge("a", "d", graph.ParallelBranch),
			edge("b", "late", graph.JoinInput), edge("early", "late", graph.JoinInput), edge("c", "early", graph.JoinInput),
			onlyIf("d", graph.End, "detour"), onlyIf("d", "d2", "straight"), edge("d2", "early", graph.JoinInput), edge("late", graph.End, graph.Exit)}})
	out := newRig(t).start(g)
	wantStatus(t, out, run.Completed)
	isDone(t, out, "a", "b", "c", "d", "early", "late")
}

func TestEngine_JoinsThatWaitForEachOtherDoNotHang(t *testing.T) {
	l := newLab()
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{detour}, Conditions: []graph.Condition{takesIt, stays},
		Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c"), l.stage("x"), l.stage("y")},
		Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("a", "c", graph.ParallelBranch),
			edge("b", "x", graph.JoinInput), edge("y", "x", graph.JoinInput), edge("c", "y", graph.JoinInput),
			onlyIf("x", graph.End, "detour"), edge("x", "y", graph.JoinInput)}, MaxSteps: 10})
	out := newRig(t).start(g)
	if out.Run.Status == run.Running {
		t.Errorf("the run is %s", out.Run.Status)
	}
	if l.ran("x") == 0 || l.ran("y") == 0 {
		t.Errorf("ran %v", l.order)
	}
}

func TestEngine_AChoiceReplacesStaticEdgesAndKeepsTheMeaningOfTheEdgeItTakes(t *testing.T) {
	t.Run("the static edge is not taken as well", func(t *testing.T) {
		l := newLab()
		out := newRig(t).start(build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", chooses("c")), l.stage("b"), l.stage("c")}, Edges: chain("a", "b", "c")}))
		wantStatus(t, out, run.Completed)
		isDone(t, out, "a", "c")
	})
	t.Run("a chosen edge into a join still waits", func(t *testing.T) {
		l := newLab()
		s := graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", chooses("join")), l.stage("c"), l.stage("c2"), l.stage("join")},
			Edges: []graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.ParallelBranch), edge("a", "c", graph.ParallelBranch),
				edge("c", "c2", graph.Sequence), edge("b", "join", graph.JoinInput), edge("c2", "join", graph.JoinInput), edge("join", graph.End, graph.Exit)}}
		out := newRig(t).start(build(t, s))
		wantStatus(t, out, run.Completed)
		isDone(t, out, "a", "b", "c", "c2", "join")
	})
	t.Run("a choice of the end ends the run", func(t *testing.T) {
		l := newLab()
		out := newRig(t).start(build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", chooses(graph.End)), l.stage("b")}, Edges: chain("a", "b")}))
		wantStatus(t, out, run.Completed)
		isDone(t, out, "a")
	})
	t.Run("a choice of a stage that does not exist fails the run and keeps the result", func(t *testing.T) {
		l, r := newLab(), newRig(t)
		g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", chooses("nowhere")), l.stage("c"), l.stage("join")}, Edges: fan("a", "join", "b", "c")})
		out := r.start(g)
		wantStatus(t, out, run.Failed)
		if !strings.Contains(out.Err.Error(), "nowhere") || out.Run.ErrorStage != "b" {
			t.Errorf("the error is %v at %q", out.Err, out.Run.ErrorStage)
		}
		isDone(t, out, "a") // the step was not applied
		r.cold()
		wantStatus(t, r.resume(g), run.Failed)
		l.wants(t, map[graph.StageID]int{"a": 1, "b": 1, "c": 1, "join": 0})
		if n := r.checkpoint().Run.Finished; n.Of("b") != 0 || n.Of("a") != 1 {
			t.Errorf("finished counts are %v", n)
		}
	})
}

func TestEngine_ParallelWritesWithoutAReducerNameBothStages(t *testing.T) {
	word := graph.Value[string]("word")
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{word}, Edges: fan("a", "join", "left", "right"),
		Stages: []graph.Stage{l.stage("a"), l.stage("left", sets(word.Set("l"))), l.stage("right", sets(word.Set("r"))), l.stage("join")}})
	out := r.start(g)
	wantStatus(t, out, run.Failed)
	wantErr(t, out.Err, run.ErrConflict)
	for _, want := range []string{`"left"`, `"right"`, `"word"`} {
		if !strings.Contains(out.Err.Error(), want) {
			t.Errorf("%v does not name %s", out.Err, want)
		}
	}
	if word.Get(out.State) != "" {
		t.Error("one of the writes won")
	}
	wantErr(t, r.resume(g).Err, run.ErrConflict)
	l.wants(t, map[graph.StageID]int{"left": 1, "right": 1, "join": 0})
}

func TestEngine_AReducerMergesParallelWrites(t *testing.T) {
	parts := graph.Append[int]("parts")
	l := newLab()
	out := newRig(t).start(build(t, graph.Spec{Channels: []graph.AnyChannel{parts}, Edges: fan("a", "join", "b", "c"),
		Stages: []graph.Stage{l.stage("a", sets(parts.Add(1))), l.stage("b", sets(parts.Add(10))), l.stage("c", sets(parts.Add(100))), l.stage("join")}}))
	wantStatus(t, out, run.Completed)
	if got := parts.Get(out.State); !slices.Equal(got, []int{1, 10, 100}) {
		t.Errorf("merged into %v", got)
	}
}

func TestEngine_AWriteToAnUndeclaredChannelFailsItsStageOnly(t *testing.T) {
	for name, w := range map[string]graph.Write{"undeclared": graph.Value[string]("ghost").Set("x"), "never made": graph.Channel[string]{}.Set("x")} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			meet := together(2)
			bad := l.stage("bad", meet, func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
				if nth == 1 {
					return graph.Result{Patch: graph.Patch{w}}, nil
				}
				return graph.Result{}, nil
			})
			good := l.stage("good", meet)
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), bad, good, l.stage("join")}, Edges: fan("a", "join", "bad", "good")})
			out := r.start(g)
			wantStatus(t, out, run.Failed)
			wantErr(t, out.Err, graph.ErrUnknownName)
			if out.Run.ErrorStage != "bad" {
				t.Errorf("blamed %q", out.Run.ErrorStage)
			}
		})
	}
}

func TestEngine_ManyBranchesThatFinishTogetherAreAllKept(t *testing.T) {
	const n = 200
	l := newLab()
	meet := together(n)
	all := []graph.Stage{l.stage("first")}
	var ids []graph.StageID
	want := []string{"first"}
	for i := range n {
		id := graph.StageID(fmt.Sprintf("b%03d", i))
		ids = append(ids, id)
		want = append(want, string(id))
		all = append(all, l.stage(id, meet))
	}
	r, path := newFileRig(t)
	out := r.start(build(t, graph.Spec{Stages: append(all, l.stage("join")), Edges: fan("first", "join", ids...)}))
	wantStatus(t, out, run.Completed)
	isDone(t, out, append(want, "join")...)
	if got := r.count(journal.StageCompleted, ""); got != n+2 {
		t.Errorf("%d completions are on disk, want %d", got, n+2)
	}
	sound(t, r, path)
}

func TestEngine_IDsThatLookLikeOthersDoNotCollide(t *testing.T) {
	// Nested ids are written outer/inner, so neither id may hold the separator, and
	// ids that are prefixes of others or hold odd characters stay apart.
	l, r := newLab(), newRig(t)
	inner := graph.Spec{Stages: []graph.Stage{l.stage("b")}, Edges: chain("b")}
	ids := []graph.StageID{"a", "b", "a.b", "a:b", "a b", "ab", "a\x01b"}
	var all []graph.Stage
	for _, id := range ids {
		if id == "a" {
			all = append(all, graph.Stage{ID: "a", Graph: &inner})
			continue
		}
		all = append(all, l.stage(id, asks("q:"+string(id))))
	}
	g := build(t, graph.Spec{Stages: all, Edges: chain(ids...)})
	out := r.start(g)
	for _, id := range ids[1:] {
		wantStatus(t, out, run.Paused)
		if len(out.Pauses) != 1 || out.Pauses[0].Stage != id {
			t.Fatalf("pauses are %+v, want one of %q", out.Pauses, id)
		}
		out = r.resume(g, out.Pauses[0].ID, "1")
	}
	wantStatus(t, out, run.Completed)
	isDone(t, out, "b", "b", "a.b", "a:b", "a b", "ab", "a\x01b")
	if r.count(journal.StageCompleted, "a/b") != 1 || r.count(journal.StageCompleted, "b") != 1 {
		t.Error("the inner and the outer b were mixed up")
	}
}
