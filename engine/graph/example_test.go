package graph_test

import (
	"context"
	"errors"
	"fmt"

	"holdpoint/engine/graph"
)

// A graph is stages, edges and typed channels. New checks all of it before anything
// runs; what screens draw comes from the same description.
func Example() {
	urgent := graph.Value[bool]("urgent")
	look := func(context.Context, *graph.Task) (graph.Result, error) {
		return graph.Result{Patch: graph.Patch{urgent.Set(true)}}, nil
	}
	done := func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }
	g, err := graph.New(graph.Spec{Agent: "triage", Channels: []graph.AnyChannel{urgent},
		Conditions: []graph.Condition{graph.When("urgent", urgent), graph.Unless("calm", urgent)},
		Stages:     []graph.Stage{{ID: "look", Run: look}, {ID: "call", Run: done}, {ID: "note", Run: done}},
		Edges: []graph.Edge{{From: graph.Start, To: "look", Type: graph.Entry},
			{From: "look", To: "call", Type: graph.Conditional, Condition: "urgent"},
			{From: "look", To: "note", Type: graph.Conditional, Condition: "calm"},
			{From: "call", To: graph.End, Type: graph.Exit}, {From: "note", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(g.Mermaid())
	// Output:
	// flowchart TD
	//   look["look"]
	//   call["call"]
	//   note["note"]
	//   start_([start]) --> look
	//   look -. urgent .-> call
	//   look -. calm .-> note
	//   call --> end_([end])
	//   note --> end_([end])
}

// Every mistake of a spec is reported at once, each as one of the sentinels.
func ExampleNew_mistakes() {
	idle := func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }
	_, err := graph.New(graph.Spec{Agent: "broken",
		Stages: []graph.Stage{{ID: "a", Run: idle}, {ID: "b", Run: idle}},
		Edges: []graph.Edge{{From: graph.Start, To: "a", Type: graph.Entry}, {From: "a", To: graph.End, Type: graph.Exit},
			{From: "b", To: graph.End, Type: graph.Exit}}})
	fmt.Println(errors.Is(err, graph.ErrUnreachable), err)
	// Output: true graph: stage cannot be reached from start: "b"
}
