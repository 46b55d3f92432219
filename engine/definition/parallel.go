package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// parallelStage compiles branches that all run in one super-step, and the join that
// gathers their outputs under their names.
func (l level) parallelStage(n *Node) (graph.Stage, error) {
	join := graph.StageID(n.Name + "_join")
	branch := level{c: l.c, caught: l.caught}
	spec := &graph.Spec{Tolerant: true}
	for i := range n.Nodes {
		b := &n.Nodes[i]
		s, err := branch.stage(b, false)
		if err != nil {
			return s, inNode(b, err)
		}
		spec.Stages = append(spec.Stages, s)
		spec.Edges = append(spec.Edges, graph.Edge{From: graph.Start, To: s.ID, Type: graph.Entry},
			graph.Edge{From: s.ID, To: join, Type: graph.JoinInput})
	}
	gather := func(_ context.Context, t *graph.Task) (graph.Result, error) {
		if t.Before != "" {
			return graph.Result{}, fmt.Errorf("definition: every branch of %s failed: %s", n.Name, t.BeforeError)
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

// subgraphStage compiles nodes of their own, or a pattern, inside one stage.
func (l level) subgraphStage(n *Node) (graph.Stage, error) {
	nodes, edges, entry := n.Nodes, n.Edges, n.Entry
	if n.Use != "" {
		p, err := ByPattern(n.Use)
		if err != nil {
			return graph.Stage{}, err
		}
		nodes, edges, entry = p.Definition.Nodes, p.Definition.Edges, p.Definition.Entry
		// Its own instructions come after the graph's; it changes the graph no more than
		// the graph around it says.
		inner := p.Definition
		inner.Instructions = strings.TrimSpace(l.c.def.Instructions + "\n" + inner.Instructions)
		inner.Mutable, inner.MayAdd = false, nil
		l.c = &compiler{def: &inner}
	}
	spec, err := l.spec(nodes, edges, entry)
	if err != nil {
		return graph.Stage{}, err
	}
	return graph.Stage{Graph: spec}, nil
}
