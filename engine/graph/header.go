package graph

import "time"

// RunID names one run of a graph; for a turn it is "turn:{turn id}".
type RunID string

// Header is what a stage may know of its run. It never changes.
type Header struct {
	ID      RunID
	Session string
	Turn    string
	Agent   string
	// Input is the user's message.
	Input string
	// Model names the main model; Practice says that it is the scripted one.
	Model    string
	Practice bool
	// Vars are the caller's inputs, fixed for the run.
	Vars      map[string]string
	StartedAt time.Time
	// Step counts finished super-steps.
	Step     int
	MaxSteps int
	// Limits are what the run may use, Used what it has used.
	Limits Limits
	Used   Used
	// Mutations are the changes of the graph that hold, in order.
	Mutations []Mutation
	// Errors are the last errors of stages that failed and were passed by.
	Errors map[StageID]string
}
