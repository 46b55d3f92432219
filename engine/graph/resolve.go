package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// route is where a finished stage leads, and who said so.
type route struct {
	to        int // node, or atEnd for the end of the stage's own graph
	edge      Edge
	resolver  string
	condition string
	reason    string
}

// Names of resolvers, as events say them.
const (
	bySafety      = "safety"
	byAgain       = "again"
	byError       = "error"
	byRoute       = "route"
	byGoto        = "goto"
	byTerminal    = "terminal"
	byConditional = "conditional"
	byMatch       = "match"
	byStatic      = "static"
	byEnd         = "end"
)

// resolver is one link of the transition chain. It appends where the stage leads;
// the first that decides ends the chain.
type resolver struct {
	name    string
	resolve func(d *driver, from int, res *Result, out []route) ([]route, error)
}

// chain is the one mechanism that chooses what comes next, in this order. Safety
// edges come before all that a stage or a model chose. A stage's own choice
// replaces its conditional and plain edges; it never adds to them.
var chain = []resolver{
	{bySafety, func(d *driver, from int, _ *Result, out []route) ([]route, error) {
		return d.conditional(d.g.nodes[from].safety, out), nil
	}},
	{byAgain, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		if res.Again == "" {
			return out, nil
		}
		id := d.g.nodes[from].id
		return append(out, route{to: from, edge: Edge{From: id, To: id, Type: Choice}, reason: res.Again}), nil
	}},
	{byError, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		if n := &d.g.nodes[from]; res.failed != nil && n.onError != none {
			return append(out, route{to: n.onError, edge: n.errorEdge, reason: res.failed.Error()}), nil
		}
		return out, nil
	}},
	{byRoute, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		if res.route == "" {
			return out, nil
		}
		return d.choice(from, res.route, "", out), nil // an output that names no stage chooses nothing
	}},
	{byGoto, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		if res.Goto == "" {
			return out, nil
		}
		next := d.choice(from, res.Goto, res.Reason, out)
		if len(next) == len(out) {
			return out, fmt.Errorf("graph: stage %q chose %q, which its graph does not have", d.g.nodes[from].id, res.Goto)
		}
		return next, nil
	}},
	{byTerminal, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		if n := &d.g.nodes[from]; n.stage.Flags.Has(Terminal) && res.failed == nil {
			return append(out, d.toEnd(from)), nil
		}
		return out, nil
	}},
	{byConditional, func(d *driver, from int, _ *Result, out []route) ([]route, error) {
		return d.conditional(d.g.nodes[from].conditional, out), nil
	}},
	{byMatch, func(d *driver, from int, res *Result, out []route) ([]route, error) {
		for i := range d.g.nodes[from].match {
			if l := &d.g.nodes[from].match[i]; res.hasOut && l.edge.Match == res.match {
				return append(out, route{to: l.to, edge: l.edge}), nil
			}
		}
		return out, nil
	}},
	{byStatic, func(d *driver, from int, _ *Result, out []route) ([]route, error) {
		for i := range d.g.nodes[from].static {
			l := &d.g.nodes[from].static[i]
			out = append(out, route{to: l.to, edge: l.edge})
		}
		return out, nil
	}},
	{byEnd, func(d *driver, from int, _ *Result, out []route) ([]route, error) {
		if d.g.nodes[from].stage.MayEnd {
			return append(out, d.toEnd(from)), nil
		}
		return out, nil
	}},
}

// chainNames are the names of the chain's resolvers by place.
var chainNames = func() []string {
	out := make([]string, len(chain))
	for i, r := range chain {
		out[i] = r.name
	}
	return out
}()

var staticResolver = uint8(slices.Index(chainNames, byStatic))

func resolverNames() []string { return slices.Clone(chainNames) }

// conditional takes the first edge that holds; links are in order of priority.
func (d *driver) conditional(links []link, out []route) []route {
	for i := range links {
		if l := &links[i]; l.condition.holds(d.state) {
			return append(out, route{to: l.to, edge: l.edge, condition: l.condition.Name})
		}
	}
	return out
}

func (d *driver) toEnd(from int) route {
	return route{to: atEnd, edge: Edge{From: d.g.nodes[from].id, To: d.g.prefix(from) + End, Type: Exit}}
}

// choice leads to a stage of the same graph by its id; nowhere if there is none.
func (d *driver) choice(from int, id StageID, reason string, out []route) []route {
	node := &d.g.nodes[from]
	e := Edge{From: node.id, To: d.g.prefix(from) + id}
	to := atEnd
	if id != End {
		n, ok := d.g.index[e.To]
		if !ok {
			return out
		}
		to = n
	}
	// A choice along a declared edge is that edge: a join at its end still waits.
	for i := range node.out {
		if l := &node.out[i]; l.to == to && to != atEnd {
			e = l.edge
		}
	}
	return append(out, route{to: to, edge: e, reason: reason})
}

func (d *driver) resolve(from int, res *Result) ([]route, error) {
	out := d.routes[:0]
	for i := range chain {
		var err error
		if out, err = chain[i].resolve(d, from, res, out); err != nil {
			return nil, err
		}
		if len(out) == 0 {
			continue
		}
		for k := range out {
			out[k].resolver = chain[i].name
			if out[k].reason == "" {
				out[k].reason = res.Reason
			}
		}
		d.routes = out
		return out, nil
	}
	return nil, fmt.Errorf("graph: stage %q has no edge that holds", d.g.nodes[from].id)
}

// look reads what an output says about the way on.
func (r *Result) look() {
	r.hasOut = len(r.Output) > 0
	if !r.hasOut {
		return
	}
	switch r.Output[0] {
	case '"':
		if json.Unmarshal(r.Output, &r.match) != nil {
			r.match = ""
		}
	case '{':
		var way struct {
			Route StageID `json:"route"`
			Next  StageID `json:"_next"`
			Goto  StageID `json:"goto"`
		}
		if json.Unmarshal(r.Output, &way) != nil {
			return // members of another type are no route
		}
		r.route = way.Route
		if r.route == "" {
			r.route = way.Next
		}
		if r.route == "" {
			r.route = way.Goto
		}
	default:
		r.match = string(r.Output)
	}
	if len(r.match) > memberRoom {
		r.match = "" // no edge's word is that long
	}
}
