package run

import (
	"maps"

	"holdpoint/engine/graph"
)

// grants says whether a resumption gives more of what a run came to the end of.
func (r Resumption) grants(limit string) bool {
	switch limit {
	case graph.LimitSteps, "": // "" in rows from before limits had names
		return r.MoreSteps > 0
	case graph.LimitVisits:
		return r.More.Visits > 0
	case graph.LimitMutations:
		return r.More.Mutations > 0
	case graph.LimitTokens:
		return r.More.Tokens > 0
	case graph.LimitCost:
		return r.More.Cost > 0
	case graph.LimitTime:
		return r.More.Time > 0
	case graph.LimitCycle:
		return r.More.Cycle > 0
	}
	return r.More.Own[limit] > 0
}

// grant adds what a resumption gives to the run's limits.
func (d *driver) grant(r Resumption) {
	l, more := &d.row.Limits, r.More
	d.row.MaxSteps += r.MoreSteps
	if l.Visits > 0 {
		l.Visits += more.Visits
	}
	if more.Mutations > 0 && l.Mutations == 0 {
		l.Mutations = graph.DefaultMutations
	}
	if l.Mutations > 0 {
		l.Mutations += more.Mutations
	}
	if l.Tokens > 0 {
		l.Tokens += more.Tokens
	}
	if l.Cost > 0 {
		l.Cost += more.Cost
	}
	if l.Time > 0 {
		l.Time += more.Time
	}
	if d.row.Limit == graph.LimitCycle {
		d.row.Path = nil // the cycle was seen and allowed
	}
	if len(more.Own) > 0 {
		own := maps.Clone(l.Own)
		if own == nil {
			own = map[string]int{}
		}
		for name, n := range more.Own {
			own[name] += n
		}
		l.Own = own
	}
	d.row.Limit, d.view = "", nil
}
