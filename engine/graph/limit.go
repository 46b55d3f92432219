package graph

import "time"

// Names of limits, as TurnLimited and Run.Limit say them. They are stored, so they stay as they are.
const (
	LimitSteps     = "steps"
	LimitVisits    = "node_iterations"
	LimitMutations = "mutations"
	LimitTokens    = "tokens"
	LimitCost      = "cost"
	LimitTime      = "time"
	LimitCycle     = "cycle"
	LimitRounds    = "iterations"
)

// Limits bound a run. They persist with it: a restart does not reset what was
// used. Zero means no limit, but 10 for Mutations, where a negative value means
// none. Steps are Spec.MaxSteps.
type Limits struct {
	// Visits bounds the super-steps of one stage.
	Visits int `json:"node_iterations,omitempty" yaml:"node_iterations,omitempty"`
	// Mutations bounds the changes of the graph.
	Mutations int `json:"mutations,omitempty" yaml:"mutations,omitempty"`
	// Tokens and Cost bound the sum of Result.Usage; cost is in the unit that stages report.
	Tokens int     `json:"tokens,omitempty" yaml:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty" yaml:"cost,omitempty"`
	// Time bounds the time under way, waits for people not counted.
	Time time.Duration `json:"time_ns,omitempty" yaml:"time,omitempty"`
	// Cycle ends the run when the same sequence of stages, or one stage by an edge to itself, ran this many times in a
	// row; 0 looks for none.
	Cycle int `json:"cycle,omitempty" yaml:"cycle,omitempty"`
	// Rounds bounds the rounds of tool calls, in graphs whose stages count them; what a person
	// grants beyond it is in Own.
	Rounds int `json:"iterations,omitempty" yaml:"-"`
	// Own are limits of stages, by name; see Task.Limit.
	Own map[string]int `json:"own,omitempty" yaml:"-"`
}

// DefaultMutations is how often a run may change its graph where Limits say nothing.
const DefaultMutations = 10

// Reached is a limit of a stage's own that it came to: the run ends as Limited
// and its stages run again once a person granted more.
type Reached struct {
	Name string
	Max  int
}
