package graph

import "fmt"

// route is where a finished stage leads, and who said so.
type route struct {
	to        int // node, or atEnd for the end of the stage's own graph
	edge      Edge
	resolver  string
	condition string
	reason    string
}

// resolver is one link of the transition chain. It returns ok when it decides;
// the first that does ends the chain.
type resolver struct {
	name    string
	resolve func(g *Graph, from int, res *Result, s Snapshot) (routes []route, ok bool, err error)
}

// chain is the one mechanism that chooses what comes next. A stage's own choice
// (goto) replaces its conditional and plain edges; it never adds to them.
var chain = []resolver{
	{"safety", func(g *Graph, from int, _ *Result, s Snapshot) ([]route, bool, error) {
		return conditional(g, from, s, true)
	}},
	{"goto", resolveGoto},
	{"conditional", func(g *Graph, from int, _ *Result, s Snapshot) ([]route, bool, error) {
		return conditional(g, from, s, false)
	}},
	{"static", func(g *Graph, from int, _ *Result, _ Snapshot) ([]route, bool, error) {
		var out []route
		for _, l := range g.nodes[from].out {
			if l.condition == nil {
				out = append(out, route{to: l.to, edge: l.edge})
			}
		}
		return out, len(out) > 0, nil
	}},
}

func resolverNames() []string {
	out := make([]string, len(chain))
	for i, r := range chain {
		out[i] = r.name
	}
	return out
}

func conditional(g *Graph, from int, s Snapshot, safety bool) ([]route, bool, error) {
	for _, l := range g.nodes[from].out {
		if l.condition != nil && l.condition.Safety == safety && l.condition.holds(s) {
			return []route{{to: l.to, edge: l.edge, condition: l.condition.Name}}, true, nil
		}
	}
	return nil, false, nil
}

func resolveGoto(g *Graph, from int, res *Result, _ Snapshot) ([]route, bool, error) {
	if res.Goto == "" {
		return nil, false, nil
	}
	prefix := StageID("")
	if p := g.nodes[from].parent; p >= 0 {
		prefix = g.nodes[p].id + "/"
	}
	id := g.nodes[from].id
	if res.Goto == End {
		return []route{{to: atEnd, edge: Edge{From: id, To: prefix + End}, reason: res.Reason}}, true, nil
	}
	to, ok := g.index[prefix+res.Goto]
	if !ok {
		return nil, false, fmt.Errorf("graph: stage %q chose %q, which its graph does not have", id, res.Goto)
	}
	// A choice along a declared edge is that edge: a join at its end still waits.
	e := Edge{From: id, To: prefix + res.Goto}
	for _, l := range g.nodes[from].out {
		if l.to == to {
			e = l.edge
		}
	}
	return []route{{to: to, edge: e, reason: res.Reason}}, true, nil
}

func (g *Graph) resolve(from int, res *Result, s Snapshot) ([]route, error) {
	for _, r := range chain {
		routes, ok, err := r.resolve(g, from, res, s)
		if err != nil {
			return nil, err
		}
		if ok {
			for i := range routes {
				routes[i].resolver = r.name
				if routes[i].reason == "" {
					routes[i].reason = res.Reason
				}
			}
			return routes, nil
		}
	}
	return nil, fmt.Errorf("graph: stage %q has no edge that holds", g.nodes[from].id)
}
