package run

import (
	"encoding/json"
	"fmt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// route is where a finished stage leads, and who said so.
type route struct {
	to        int // stage, or AtEnd for the end of the stage's own graph
	edge      *graph.Edge
	by        uint8 // place in the chain
	input     int   // see graph.Link
	condition string
	reason    string
}

// resolver is one link of the transition chain. It appends where the stage leads;
// the first that decides ends the chain.
type resolver struct {
	name    string
	resolve func(d *driver, from int, res *visited, out []route) ([]route, error)
}

// chain is the one mechanism that chooses what comes next, in this order. Safety
// edges come before all that a stage or a model chose. A stage's own choice
// replaces its conditional and plain edges; it never adds to them.
var chain = []resolver{
	{graph.BySafety, func(d *driver, from int, _ *visited, out []route) ([]route, error) {
		return d.conditional(from, d.g.Stages[from].Safety, out), nil
	}},
	{graph.ByAgain, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		if res.Reenter == "" {
			return out, nil
		}
		id := d.g.Stages[from].ID
		return append(out, route{to: from, edge: &graph.Edge{From: id, To: id, Type: graph.Choice}, reason: res.Reenter}), nil
	}},
	{graph.ByError, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		if n := &d.g.Stages[from]; res.failed != nil && n.OnError != graph.None {
			return append(out, route{to: n.OnError, edge: &n.ErrorEdge, reason: res.failed.Error()}), nil
		}
		return out, nil
	}},
	{graph.ByRoute, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		if res.Route == "" {
			return out, nil
		}
		return d.choice(from, res.Route, "", out), nil // an output that names no stage chooses nothing
	}},
	{graph.ByGoto, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		if res.Goto == "" {
			return out, nil
		}
		next := d.choice(from, res.Goto, res.Reason, out)
		if len(next) == len(out) {
			return out, fmt.Errorf("run: stage %q chose %q, which its graph does not have", d.g.Stages[from].ID, res.Goto)
		}
		return next, nil
	}},
	{graph.ByTerminal, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		if n := &d.g.Stages[from]; n.Stage.Flags.Has(graph.Terminal) && res.failed == nil {
			return append(out, d.toEnd(from)), nil
		}
		return out, nil
	}},
	{graph.ByConditional, func(d *driver, from int, _ *visited, out []route) ([]route, error) {
		return d.conditional(from, d.g.Stages[from].Conditional, out), nil
	}},
	{graph.ByMatch, func(d *driver, from int, res *visited, out []route) ([]route, error) {
		for i := range d.g.Stages[from].Match {
			if l := &d.g.Stages[from].Match[i]; res.hasOut && l.Edge.Match == res.match {
				return append(out, route{to: l.To, edge: &l.Edge, input: l.Input}), nil
			}
		}
		return out, nil
	}},
	{graph.ByStatic, func(d *driver, from int, _ *visited, out []route) ([]route, error) {
		for i := range d.g.Stages[from].Static {
			l := &d.g.Stages[from].Static[i]
			out = append(out, route{to: l.To, edge: &l.Edge, input: l.Input})
		}
		return out, nil
	}},
	{graph.ByEnd, func(d *driver, from int, _ *visited, out []route) ([]route, error) {
		if d.g.Stages[from].Stage.MayEnd {
			return append(out, d.toEnd(from)), nil
		}
		return out, nil
	}},
}

// conditional takes the first edge that holds; links are in order of priority.
func (d *driver) conditional(from int, links []graph.Link, out []route) []route {
	if len(links) == 0 {
		return out
	}
	seen := d.g.Within(d.state, from)
	now := func() graph.Counts {
		return graph.Counts{Iterations: d.row.Step + 1, NodeIterations: d.counts[from].finished, Tokens: d.row.Used.Tokens, Time: d.row.Used.Time}
	}
	for i := range links {
		if l := &links[i]; l.Condition.Holds(seen, now) {
			return append(out, route{to: l.To, edge: &l.Edge, condition: l.Condition.Name, input: l.Input})
		}
	}
	return out
}

func (d *driver) toEnd(from int) route {
	return route{to: graph.AtEnd, edge: &graph.Edge{From: d.g.Stages[from].ID, To: d.g.Prefix(from) + graph.End, Type: graph.Exit}}
}

// choice leads to a stage of the same graph by its id; nowhere if there is none.
func (d *driver) choice(from int, id graph.StageID, reason string, out []route) []route {
	compiled := &d.g.Stages[from]
	e := &graph.Edge{From: compiled.ID, To: d.g.Prefix(from) + id}
	to := graph.AtEnd
	if id != graph.End {
		n, ok := d.g.Index[e.To]
		if !ok {
			return out
		}
		to = n
	}
	input := 0
	// A choice along a declared edge is that edge: a join at its end still waits.
	for i := range compiled.Out {
		if l := &compiled.Out[i]; l.To == to && to != graph.AtEnd {
			e, input = &l.Edge, l.Input
		}
	}
	return append(out, route{to: to, edge: e, reason: reason, input: input})
}

// joins says that a way into a join is one that it waits for: whatever chose it, a stage with
// a join_input edge to the join is an input of it.
func (d *driver) joins(from int, r *route) bool {
	if r.edge.Type == graph.JoinInput {
		return true
	}
	for i := range d.g.Stages[from].Out {
		if l := &d.g.Stages[from].Out[i]; l.To == r.to && l.Edge.Type == graph.JoinInput {
			r.input = l.Input
			return true
		}
	}
	return false
}

// byAgain is the place of the resolver that lets a visit go on.
const byAgain = 1

// took says which way was taken, and who said so.
func (d *driver) took(from int, r *route) {
	compiled := &d.g.Stages[from]
	if r.condition == "" && r.reason == "" && r.edge.From == compiled.ID && (r.to != graph.AtEnd && r.edge.To == d.g.Stages[r.to].ID || r.to == graph.AtEnd && r.edge.To == d.g.Prefix(from)+graph.End) {
		d.note(note{kind: noteTransition, by: r.by, stage: int32(from), to: int32(r.to)}, noData)
		return
	}
	d.sayTook(r)
}

// sayTook is took for what does not fit a note.
func (d *driver) sayTook(r *route) {
	e := d.event(journal.Transition, "")
	e.From, e.To, e.Condition, e.Resolver, e.Reason = r.edge.From, r.edge.To, r.condition, chain[r.by].name, journal.Cut(r.reason, journal.MemberRoom)
	d.say(e)
}

func (d *driver) resolve(from int, res *visited) ([]route, error) {
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
			out[k].by = uint8(i)
			if out[k].reason == "" {
				out[k].reason = res.Reason
			}
		}
		d.routes = out
		return out, nil
	}
	return nil, fmt.Errorf("run: stage %q has no edge that holds", d.g.Stages[from].ID)
}

// look reads the text of an output, for match edges.
func (r *visited) look() {
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
	default:
		r.match = string(r.Output)
	}
	if len(r.match) > journal.MemberRoom {
		r.match = "" // no edge's word is that long
	}
}
