package run_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/run"
)

// "A prompt node that is entered again takes two thirds of its first entry." Half of it was the
// stack, which grew anew for each start: the stages of a run go on on one goroutine, those beside
// one get their own, and none is left behind.
func TestRun_StagesGoOnOnOneGoroutineAndLeaveNoneBehind(t *testing.T) {
	r, l := newRig(t), newLab()
	var mu sync.Mutex
	on := map[graph.StageID]string{}
	see := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		buf := make([]byte, 64)
		on[task.Stage] = strings.Fields(string(buf[:runtime.Stack(buf, false)]))[1]
		return graph.Result{}, nil
	}
	meet := together(2)
	both := func(ctx context.Context, task *graph.Task, nth int) (graph.Result, error) {
		if _, err := meet(ctx, task, nth); err != nil {
			return graph.Result{}, err
		}
		return see(ctx, task, nth)
	}
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", see), l.stage("b", see), l.stage("left", both), l.stage("right", both), l.stage("c", see)},
		Edges: slices.Concat([]graph.Edge{edge(graph.Start, "a", graph.Entry), edge("a", "b", graph.Sequence)}, fan("b", "c", "left", "right")[1:])})
	out := r.start(g)
	wantStatus(t, out, run.Completed)
	if on["a"] != on["b"] || on["b"] != on["c"] {
		t.Errorf("a, b and c ran on goroutines %s, %s and %s", on["a"], on["b"], on["c"])
	}
	if on["left"] == on["right"] || on["left"] != on["a"] && on["right"] != on["a"] {
		t.Errorf("the branches ran on goroutines %s and %s, the rest on %s", on["left"], on["right"], on["a"])
	}
	all := make([]byte, 1<<20)
	for until := time.Now().Add(patience); strings.Contains(string(all[:runtime.Stack(all, true)]), "goroutine "+on["a"]+" "); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the run's goroutine stays when the run has ended")
		}
	}
}
