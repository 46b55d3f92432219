package graph

import "time"

// Usage is what a stage used up.
type Usage struct {
	Tokens int     `json:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
	// Rounds are the rounds of tool calls.
	Rounds int `json:"iterations,omitempty"`
}

// Plus is the sum of both.
func (u Usage) Plus(more Usage) Usage {
	return Usage{u.Tokens + more.Tokens, u.Cost + more.Cost, u.Rounds + more.Rounds}
}

// Used is what a run used up so far.
type Used struct {
	Usage
	Time      time.Duration `json:"time_ns,omitempty"`
	Mutations int           `json:"mutations,omitempty"`
}
