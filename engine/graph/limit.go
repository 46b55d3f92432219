package graph

import (
	"maps"
	"time"
)

// Names of limits, as TurnLimited and Run.Limit say them.
const (
	LimitSteps     = "steps"
	LimitNode      = "node_iterations"
	LimitMutations = "mutations"
	LimitTokens    = "tokens"
	LimitCost      = "cost"
	LimitTime      = "time"
	LimitCycle     = "cycle"
)

// Limits bound a run. They persist with it: a restart does not reset what was
// used. Zero means no limit, but 10 for Mutations, where a negative value means
// none. Steps are Spec.MaxSteps.
type Limits struct {
	// Node bounds the super-steps of one stage.
	Node int `json:"node_iterations,omitempty" yaml:"node_iterations,omitempty"`
	// Mutations bounds the changes of the graph.
	Mutations int `json:"mutations,omitempty" yaml:"mutations,omitempty"`
	// Tokens and Cost bound the sum of Result.Usage; cost is in the unit that stages report.
	Tokens int     `json:"tokens,omitempty" yaml:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty" yaml:"cost,omitempty"`
	// Time bounds the time under way, waits for people not counted.
	Time time.Duration `json:"time_ns,omitempty" yaml:"time,omitempty"`
	// Cycle ends the run when the same sequence of two or more stages ran this many
	// times in a row; 0 looks for none.
	Cycle int `json:"cycle,omitempty" yaml:"cycle,omitempty"`
	// Own are limits of stages, by name; see Task.Limit.
	Own map[string]int `json:"own,omitempty" yaml:"-"`
}

const defaultMutationLimit = 10

// Usage is what a stage used up.
type Usage struct {
	Tokens int     `json:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
}

// Used is what a run used up so far.
type Used struct {
	Usage
	Time      time.Duration `json:"time_ns,omitempty"`
	Mutations int           `json:"mutations,omitempty"`
}

// Reached is a limit of a stage's own that it came to: the run ends as Limited
// and its stages run again once a person granted more.
type Reached struct {
	Name string
	Max  int
}

// grants says whether a resumption gives more of what a run came to the end of.
func (r Resumption) grants(limit string) bool {
	switch limit {
	case LimitSteps, "": // "" in rows from before limits had names
		return r.MoreSteps > 0
	case LimitNode:
		return r.More.Node > 0
	case LimitMutations:
		return r.More.Mutations > 0
	case LimitTokens:
		return r.More.Tokens > 0
	case LimitCost:
		return r.More.Cost > 0
	case LimitTime:
		return r.More.Time > 0
	case LimitCycle:
		return r.More.Cycle > 0
	}
	return r.More.Own[limit] > 0
}

// grant adds what a resumption gives to the run's limits.
func (d *driver) grant(r Resumption) {
	l, more := &d.row.Limits, r.More
	d.row.MaxSteps += r.MoreSteps
	if l.Node > 0 {
		l.Node += more.Node
	}
	if more.Mutations > 0 && l.Mutations == 0 {
		l.Mutations = defaultMutationLimit
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
	if d.row.Limit == LimitCycle {
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
