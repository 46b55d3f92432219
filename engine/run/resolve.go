package run

import (
	"encoding/json"
	"fmt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// route is where a finished stage leads, and who said so.
type route struct {
	to        int         // stage, or AtEnd for the end of the stage's own graph
	link      *graph.Link // the declared edge; nil for a way without one
	condition string
	reason    string
	by        resolver
}

// resolver is the place of a resolver among graph.Resolvers: the order in which they are asked.
type resolver uint8

const (
	bySafety resolver = iota
	byAgain
	byError
	byRoute
	byGoto
	byTerminal
	byConditional
	byMatch
	byStatic
	byEnd
)

var resolvers = graph.Resolvers()

// leads asks the resolvers in their order; the first that can decides. Safety edges come
// before all that a stage or a model chose. A stage's own choice replaces its conditional
// and plain edges; it never adds to them.
func (d *driver) leads(from int, res *visited, out []route) ([]route, resolver, error) {
	n := &d.g.Stages[from]
	if out = d.conditional(from, n.Safety, out); len(out) > 0 {
		return out, bySafety, nil
	}
	if res.Reenter != "" {
		return append(out, route{to: from, reason: res.Reenter}), byAgain, nil
	}
	if res.failed != nil && n.OnError != graph.None {
		return append(out, route{to: n.OnError, reason: res.failed.Error()}), byError, nil
	}
	if res.Route != "" { // an output that names no stage chooses nothing
		if out = d.choice(from, res.Route, "", out); len(out) > 0 {
			return out, byRoute, nil
		}
	}
	if res.Goto != "" {
		if out = d.choice(from, res.Goto, res.Reason, out); len(out) == 0 {
			return out, byGoto, fmt.Errorf("run: stage %q chose %q, which its graph does not have", n.ID, res.Goto)
		}
		return out, byGoto, nil
	}
	if n.Stage.Flags.Has(graph.Terminal) && res.failed == nil {
		return append(out, route{to: graph.AtEnd}), byTerminal, nil
	}
	if out = d.conditional(from, n.Conditional, out); len(out) > 0 {
		return out, byConditional, nil
	}
	for i := range n.Match {
		if l := &n.Match[i]; res.hasOut && l.Edge.Match == res.match {
			return append(out, route{to: l.To, link: l}), byMatch, nil
		}
	}
	for i := range n.Static {
		l := &n.Static[i]
		out = append(out, route{to: l.To, link: l})
	}
	if len(out) == 0 && n.Stage.MayEnd {
		return append(out, route{to: graph.AtEnd}), byEnd, nil
	}
	return out, byStatic, nil
}

// conditional takes the first edge that holds; links are in order of priority.
func (d *driver) conditional(from int, links []graph.Link, out []route) []route {
	if len(links) == 0 {
		return out
	}
	seen := d.g.InScope(d.state, from)
	now := func() graph.Counts {
		return graph.Counts{Iterations: d.row.Step + 1, StageIterations: d.counts[from].finished, Tokens: d.row.Used.Tokens, Time: d.row.Used.Time}
	}
	for i := range links {
		if l := &links[i]; l.Condition.Holds(seen, now) {
			return append(out, route{to: l.To, link: l, condition: l.Condition.Name})
		}
	}
	return out
}

// choice leads to a stage of the same graph by its id; nowhere if there is none.
func (d *driver) choice(from int, id graph.StageID, reason string, out []route) []route {
	r := route{to: graph.AtEnd, reason: reason}
	if id != graph.End {
		n, ok := d.g.Index[d.g.Prefix(from)+id]
		if !ok {
			return out
		}
		r.to = n
		// A choice along a declared edge is that edge: a join at its end still waits.
		for i := range d.g.Stages[from].Out {
			if l := &d.g.Stages[from].Out[i]; l.To == n {
				r.link = l
			}
		}
	}
	return append(out, r)
}

// joins is the place of a way among the inputs of the join that it leads to, whatever chose it:
// a stage with a join_input edge to the join is an input of it. ok is false for any other.
func (d *driver) joins(from int, r *route) (input int, ok bool) {
	switch {
	case len(d.g.Stages[r.to].Inputs) == 0:
		return 0, false
	case r.link != nil && r.link.Edge.Type == graph.JoinInput:
		return r.link.Input, true
	}
	for i := range d.g.Stages[from].Out {
		if l := &d.g.Stages[from].Out[i]; l.To == r.to && l.Edge.Type == graph.JoinInput {
			return l.Input, true
		}
	}
	return 0, false
}

// took says which way was taken, and who said so.
func (d *driver) took(from int, r *route) {
	n := note{kind: noteTransition, by: r.by, stage: int32(from), to: int32(r.to)}
	if r.condition == "" && r.reason == "" {
		d.note(n, noData)
		return
	}
	e := d.event(journal.Transition, "")
	e.From, e.To, e.Condition, e.Resolver, e.Reason = d.g.Stages[from].ID, n.leadsTo(d.g), r.condition, resolvers[r.by], journal.Cut(r.reason, journal.MemberRoom)
	d.say(e)
}

func (d *driver) resolve(from int, res *visited) ([]route, error) {
	out, by, err := d.leads(from, res, d.routes[:0])
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("run: stage %q has no edge that holds", d.g.Stages[from].ID)
	}
	for i := range out {
		r := &out[i]
		if r.by = by; r.reason == "" {
			r.reason = res.Reason
		}
	}
	d.routes = out
	return out, nil
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
