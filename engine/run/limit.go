package run

import (
	"maps"

	"holdpoint/engine/graph"
)

// given is how much more of the limit a resumption gives, in the unit that people count it in.
func (r Resumption) given(limit string) float64 {
	switch limit {
	case graph.LimitSteps, "":
		return float64(r.MoreSteps)
	case graph.LimitVisits:
		return float64(r.More.Visits)
	case graph.LimitMutations:
		return float64(r.More.Mutations)
	case graph.LimitTokens:
		return float64(r.More.Tokens)
	case graph.LimitCost:
		return r.More.Cost
	case graph.LimitTime:
		return r.More.Time.Seconds()
	case graph.LimitCycle:
		return float64(r.More.Cycle)
	}
	return float64(r.More.Own[limit])
}

// grant adds what a resumption gives to the run's limits, and says what it was: the limit
// that the run had come to and how much; nothing for a run that had come to none.
func (d *driver) grant(r Resumption) (limit string, given float64) {
	if limit = d.row.Limit; d.row.Limit != "" {
		given = r.given(limit)
	}
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
	d.row.Limit, d.row.LimitMax, d.row.LimitStage, d.view = "", 0, "", nil
	return limit, given
}
