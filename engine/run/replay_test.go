package run_test

import (
	"context"
	"errors"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// "It failed because something earlier could not be read; trying again failed at the same
// place, since what was missing was never read again."
func TestEngine_AFailureThatNamesAnEarlierStageStartsThereAgain(t *testing.T) {
	for _, cold := range []bool{false, true} {
		l, r := newLab(), newRig(t)
		missing := func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
			if nth == 1 {
				return graph.Result{}, &graph.Back{Failed: "left", To: "first", Err: errBroken}
			}
			return graph.Result{}, nil
		}
		edges := fan("first", "join", "left", "right")
		edges[len(edges)-1].To = "last"
		edges[len(edges)-1].Type = graph.Sequence
		g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("first"), l.stage("left"), l.stage("right"), l.stage("join"), l.stage("last", missing)},
			Edges: append(edges, edge("last", graph.End, graph.Exit))})
		out := r.start(g)
		wantStatus(t, out, run.Failed)
		if out.Run.ErrorStage != "left" || !errors.Is(out.Err, errBroken) {
			t.Errorf("failed at %s: %v", out.Run.ErrorStage, out.Err)
		}
		if cold {
			r.cold()
		}
		wantStatus(t, r.resume(g), run.Completed)
		l.wants(t, map[graph.StageID]int{"first": 2, "left": 2, "right": 2, "join": 2, "last": 2})
		if r.count(journal.TurnFailed, "left") != 1 || r.count(journal.TurnCompleted, "") != 1 {
			t.Error("the journal does not say how it went")
		}
	}
}
