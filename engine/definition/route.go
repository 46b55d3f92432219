package definition

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"holdpoint/engine/graph"
	"holdpoint/engine/prompt"
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

// textAlone is what a node puts out that was asked for {text, route}: the route is where it
// leads, and the text is what it says. An answer in another form stays as it is.
func textAlone(_ context.Context, _ *graph.Task, output json.RawMessage) (json.RawMessage, error) {
	answer := output
	if len(output) > 0 && output[0] == '"' {
		answer = json.RawMessage(strings.TrimSpace(prompt.Plain(output)))
	}
	var said map[string]json.RawMessage
	if len(answer) == 0 || answer[0] != '{' || json.Unmarshal(answer, &said) != nil || len(said["text"]) == 0 || said["text"][0] != '"' {
		return output, nil
	}
	if graph.RouteOf(answer) == "" && len(said) > 1 {
		return output, nil
	}
	return said["text"], nil
}

// saysText says that a node is asked for {text, route}, of which its output is the text.
func (n *Node) saysText() bool { return len(n.Routes) > 0 && n.Schema == nil && n.After == "" }

// ofRoute refuses KEY.text where KEY is a text: that of a node with routes.
func (c *checker) ofRoute(path string, bad func(format string, args ...any)) {
	key, rest, _ := strings.Cut(path, ".")
	if member, _, _ := strings.Cut(rest, "."); member != "text" {
		return
	}
	if n := c.writer(key); n != nil && n.saysText() {
		bad("what %s puts out is its text, without the route; write %s", n.Name, key)
	}
}

// ofRoutes is ofRoute for an expression.
func (c *checker) ofRoutes(e *Expression, path, text string, from int) {
	tree := e.Tree()
	ast.Walk(&tree, visit(func(n ast.Node) {
		if m, is := n.(*ast.MemberNode); is {
			c.ofRoute(pathOf(m.String()), func(format string, args ...any) {
				c.found = append(c.found, c.d.atCharacter(path, text, from+m.Location().From, format, args...))
			})
		}
	}))
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
