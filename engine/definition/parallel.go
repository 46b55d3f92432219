package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// parallelStage compiles branches that all run in one super-step, and the join that
// gathers their outputs under their names.
func (l level) parallelStage(n *Node) (graph.Stage, error) {
	join := graph.StageID(n.Name + "_join")
	branch := level{c: l.c, caught: l.caught, given: l.given, back: string(join)}
	spec := &graph.Spec{}
	reached, gathers := n.chosen(), graph.JoinInput
	if len(reached) == len(n.Nodes)-1 {
		gathers = graph.Sequence // one begins, and leads to one of the others
	}
	for i := range n.Nodes {
		b := &n.Nodes[i]
		s, err := branch.stage(b, false)
		if err != nil {
			return s, inNode(b, err)
		}
		spec.Stages = append(spec.Stages, s)
		if !reached[b.Name] {
			spec.Edges = append(spec.Edges, graph.Edge{From: graph.Start, To: s.ID, Type: graph.Entry})
		}
		spec.Edges = append(spec.Edges, graph.Edge{From: s.ID, To: join, Type: gathers})
		for _, to := range b.chooses() {
			if to != "end" {
				spec.Edges = append(spec.Edges, graph.Edge{From: s.ID, To: graph.StageID(to), Type: graph.Choice})
			}
		}
	}
	gather := func(_ context.Context, t *graph.Task) (graph.Result, error) {
		if t.Before != "" {
			return graph.Result{}, because(t, fmt.Errorf("definition: every branch of %s failed: %s", n.Name, unprefixed(t.BeforeError)))
		}
		out := map[string]json.RawMessage{}
		for _, b := range n.Nodes {
			if raw, ok := t.Context()[b.Name+"_output"]; ok {
				out[b.Name] = raw
			}
		}
		return graph.Result{Output: model.JSON(out)}, nil
	}
	spec.Stages = append(spec.Stages, graph.Stage{ID: join, Title: "Gather", Description: "Waits for every branch and gathers the outputs", Kind: "parallel_join",
		Quick: true, Hears: true, Flags: l.fatal(), Sinks: l.sinks, Run: l.hand(gather, &Node{Name: string(join), Kind: KindTransform}, true)})
	spec.Edges = append(spec.Edges, graph.Edge{From: join, To: graph.End, Type: graph.Exit})
	return graph.Stage{Graph: spec}, nil
}

// chooses are the nodes that a node may lead to by its own choice.
func (n *Node) chooses() []string {
	out := slices.Clone(n.Routes)
	for _, c := range n.Choices {
		out = append(out, c.To)
	}
	if n.RetryAt != "" {
		out = append(out, n.RetryAt)
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// chosen are the branches that wait until another one chooses them: they do not begin by
// themselves, so each runs once and the join gathers once. A guard sends back what ran.
func (n *Node) chosen() map[string]bool {
	reached := map[string]bool{}
	for _, b := range n.Nodes {
		for _, to := range b.chooses() {
			if to != "end" && to != b.RetryAt {
				reached[to] = true
			}
		}
	}
	return reached
}
