package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

const mutationHelp = `You may change the graph that you are part of when its nodes do not do for this task: list changes under mutations, or leave the list empty. route, if given, names the node that follows. ` +
	`add_stage adds a node (stage: name, kind, description, instructions or template or tool), add_edge and remove_edge change the ways between nodes (edge: from, to). Give a reason for each.`

// errMutation says that a model asked for a change that makes no sense.
var errMutation = errors.New("definition: that is not a change to a graph")

// change is a mutation as a model writes it.
type change struct {
	Op    string          `json:"op"`
	Stage json.RawMessage `json:"stage"`
	Edge  *struct {
		From string `json:"from"`
		To   string `json:"to"`
		Type string `json:"type"`
	} `json:"edge"`
	Reason string `json:"reason"`
}

// thoughtSchema is the answer of a think node of a mutable graph. It says little
// about what a change must have: a change that makes no sense is refused by itself
// and leaves the thought as it is.
func (c *compiler) thoughtSchema() json.RawMessage {
	text := func(most int) map[string]any { return map[string]any{"type": "string", "maxLength": most} }
	name := map[string]any{"type": "string", "maxLength": 40}
	ops := []string{graph.AddEdge, graph.RemoveEdge}
	properties := map[string]any{"reason": text(300), "edge": map[string]any{"type": "object", "properties": map[string]any{"from": name, "to": name}}}
	if len(c.def.MayAdd) > 0 {
		ops = append(ops, graph.AddStage)
		properties["stage"] = map[string]any{"type": "object", "properties": map[string]any{"name": name, "kind": map[string]any{"type": "string", "enum": c.def.MayAdd},
			"description": text(200), "instructions": text(1000), "template": text(1000), "tool": name}}
	}
	properties["op"] = map[string]any{"type": "string", "enum": ops}
	return model.JSON(map[string]any{"title": "thought_with_changes", "type": "object", "properties": map[string]any{
		"thought":   text(1500),
		"mutations": map[string]any{"type": "array", "maxItems": 3, "items": map[string]any{"type": "object", "properties": properties, "required": []string{"op"}}},
		"route":     name,
	}, "required": []string{"thought", "mutations"}})
}

// growing takes the changes out of a think node's final answer. Those that make no
// sense are told in the journal; the rest is checked by the executor.
func (l level) growing(run graph.Func, n *Node) graph.Func {
	return func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		r, err := run(ctx, t)
		if err != nil || r.Output == nil || r.Reenter != "" || len(r.Pauses) > 0 || r.Reached != nil {
			return r, err
		}
		v, _ := decode(r.Output)
		raw, ok := object(words(v))
		var answer struct {
			Thought   string            `json:"thought"`
			Route     string            `json:"route"`
			Mutations []json.RawMessage `json:"mutations"`
		}
		if !ok || json.Unmarshal(raw, &answer) != nil {
			return r, nil
		}
		if len(answer.Mutations) > maxChanges {
			r.Events = append(r.Events, warning("%d changes of the graph were asked for at once; at most %d are taken", len(answer.Mutations), maxChanges))
			answer.Mutations = answer.Mutations[:maxChanges]
		}
		for _, each := range answer.Mutations {
			made, err := l.change(each, n, t)
			if err != nil {
				r.Events = append(r.Events, journal.Event{Error: clip(err.Error(), 500)}.With(journal.MutationRefusedData{Asked: journal.LongString(clip(string(each), 1000))}))
				continue
			}
			r.Mutations = append(r.Mutations, made...)
		}
		r.Output = textOf(answer.Thought)
		r.Route = l.route(graph.StageID(answer.Route), n, t, &r)
		if answer.Route != "" {
			r.Output = model.JSON(map[string]string{"thought": answer.Thought, "route": answer.Route})
		}
		return r, nil
	}
}

const maxChanges = 3

// change turns one change into what the executor makes of it. A new node gets the
// ways that its place needs: in a pool it can be chosen and leads back, elsewhere
// the node that thought of it may lead there.
func (l level) change(raw json.RawMessage, by *Node, t *graph.Task) ([]graph.Mutation, error) {
	var c change
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("%w: %s", errMutation, clip(err.Error(), 200))
	}
	reason := clip(strings.Join(strings.Fields(c.Reason), " "), 300)
	edge := func(op, from, to string, kind graph.EdgeType) graph.Mutation {
		return graph.Mutation{Op: op, Edge: &graph.Edge{From: graph.StageID(from), To: graph.StageID(to), Type: kind}, Reason: reason}
	}
	switch c.Op {
	case graph.AddStage:
		n, err := l.c.added(c.Stage)
		if err != nil {
			return nil, err
		}
		out := []graph.Mutation{{Op: c.Op, Stage: model.JSON(n), Reason: reason}}
		if l.up.pool != "" {
			return append(out, edge(graph.AddEdge, l.up.pool, n.Name, graph.Choice), edge(graph.AddEdge, n.Name, l.up.pool, graph.Sequence)), nil
		}
		out = append(out, edge(graph.AddEdge, by.Name, n.Name, graph.Choice))
		if by.DefaultNext != "" && by.DefaultNext != "end" {
			out = append(out, edge(graph.AddEdge, n.Name, by.DefaultNext, graph.Sequence))
		}
		return out, nil
	case graph.AddEdge, graph.RemoveEdge:
		if c.Edge == nil || c.Edge.From == "" || c.Edge.To == "" {
			return nil, fmt.Errorf("%w: %s needs an edge with from and to", errMutation, c.Op)
		}
		kind := graph.EdgeType(c.Edge.Type)
		if c.Op == graph.AddEdge && kind == "" {
			kind = graph.Choice // the one way that fits beside all others
		}
		return []graph.Mutation{edge(c.Op, c.Edge.From, c.Edge.To, kind)}, nil
	}
	return nil, fmt.Errorf("%w: op is %s; use add_stage, add_edge or remove_edge", errMutation, clip(or(c.Op, "missing"), 40))
}

// added reads a node that a model wants to add and holds it to the definition's list.
func (c *compiler) added(raw json.RawMessage) (Node, error) {
	n, err := parseNode(raw)
	if err != nil {
		return n, err
	}
	if !slices.Contains(c.def.MayAdd, n.Kind) {
		return n, fmt.Errorf("%w: nodes of kind %s may not be added here; may_add lists %s", errMutation, n.Kind, or(strings.Join(c.def.MayAdd, ", "), "none"))
	}
	return n, nil
}

// grow is Spec.Grow.
func (c *compiler) grow(raw json.RawMessage) (graph.Stage, error) {
	n, err := c.added(raw)
	if err != nil {
		return graph.Stage{}, err
	}
	if len(n.Skills) > 0 && !c.skilled {
		return graph.Stage{}, fmt.Errorf("%w: a node that is added loads skills only where the graph's own nodes do", errMutation)
	}
	k := newChecker(c.def)
	k.free = true
	k.collect(c.def.Nodes, "nodes")
	k.collect(Nodes{n}, "stage")
	k.level(Nodes{n}, nil, "", "", "stage", KindAutonomous)
	if len(k.found) > 0 {
		return graph.Stage{}, k.found
	}
	last := n.Kind == KindAnswer || n.has("terminal")
	s, err := level{c: c, says: last}.stage(&n, last)
	s.MayEnd = true
	return s, err
}
