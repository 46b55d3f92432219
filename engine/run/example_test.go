package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/run"
)

// A run stops where a stage asks. What it did so far is kept by the Checkpointer, so
// another process can answer and go on; only what waited runs again.
func Example() {
	said := graph.Append[string]("said")
	hello := func(context.Context, *graph.Task) (graph.Result, error) {
		return graph.Result{Patch: graph.Patch{said.Add("hello")}}, nil
	}
	ask := func(_ context.Context, t *graph.Task) (graph.Result, error) {
		answer, ok := t.Answer("name")
		if !ok {
			return graph.Result{Pauses: []graph.Pause{{ID: "name", Kind: "question"}}}, nil
		}
		return graph.Result{Patch: graph.Patch{said.Add(string(answer))}}, nil
	}
	g, err := graph.New(graph.Spec{Agent: "greeter", Channels: []graph.AnyChannel{said},
		Stages: []graph.Stage{{ID: "hello", Run: hello}, {ID: "ask", Run: ask}},
		Edges: []graph.Edge{{From: graph.Start, To: "hello", Type: graph.Entry}, {From: "hello", To: "ask", Type: graph.Sequence},
			{From: "ask", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := run.NewExecutor(run.Options{Store: run.NewInMemory(), Now: time.Now, NewID: func() string { return "id" }})
	ctx := context.Background()
	out, err := x.Start(ctx, g, run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: "hi"})
	fmt.Println(out.Run.Status, out.Pauses[0].ID, err)
	out, err = x.Resume(ctx, g, "turn:1", run.Resumption{Answers: map[string]json.RawMessage{"name": json.RawMessage(`"Ada"`)}})
	fmt.Println(out.Run.Status, said.Get(out.State), err)
	// Output:
	// paused name <nil>
	// completed [hello "Ada"] <nil>
}
