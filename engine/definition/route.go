package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"holdpoint/engine/graph"
)

// deciding lets the answer of a node that asks a model name what follows, among the
// node's routes. What after makes of the answer may be data, and leads nowhere.
func (l level) deciding(n *Node) func(*graph.Task, json.RawMessage, *graph.Result) {
	return func(t *graph.Task, answer json.RawMessage, r *graph.Result) {
		if len(answer) > 0 && answer[0] == '"' && len(n.Routes) > 0 {
			// An answer for the person stays text, also where it is written as an object.
			v, _ := decode(answer)
			if raw, ok := object(words(v)); ok && strings.HasPrefix(strings.TrimSpace(words(v)), "{") {
				answer = raw
			}
		}
		r.Route = l.route(graph.RouteOf(answer), n, t, r)
	}
}

// route is the stage that a name in an answer stands for: one of the node's routes, or
// a node that was added to be led to from here. Another node's name leads nowhere, and
// the journal says so.
func (l level) route(name graph.StageID, n *Node, t *graph.Task, r *graph.Result) graph.StageID {
	parent, _, _ := cutLast(string(t.Stage))
	if string(t.Stage) == n.Name {
		parent = ""
	}
	leads := func(m graph.Mutation, within graph.StageID) bool {
		return m.Op == graph.AddEdge && m.Parent == within && m.Edge.From == graph.StageID(n.Name) && m.Edge.To == name && m.Edge.Type == graph.Choice
	}
	switch {
	case name == "":
		return ""
	case slices.Contains(n.Routes, string(name)):
		w := ways{level: *l.up}
		return w.to(string(name))
	case slices.ContainsFunc(t.Run.Mutations, func(m graph.Mutation) bool { return leads(m, graph.StageID(parent)) }),
		slices.ContainsFunc(r.Mutations, func(m graph.Mutation) bool { return leads(m, "") }):
		return name
	}
	if parent != "" {
		parent += "/"
	}
	if _, there := t.Graph.Index[graph.StageID(parent)+name]; there {
		r.Events = append(r.Events, warning("the answer of %s names %s as the next node, and its routes do not", n.Name, name))
	}
	return ""
}
