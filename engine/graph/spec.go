package graph

import (
	"context"
	"encoding/json"
)

// Spec describes a graph as data. New checks it and turns it into a Graph; the
// manifest, the Mermaid text, the fingerprint and the wiring all come from it.
type Spec struct {
	Agent       string
	Title       string
	Description string
	Stages      []Stage
	Edges       []Edge
	Conditions  []Condition
	Channels    []AnyChannel
	// Reply is the channel that holds the run's answer to the person; optional.
	Reply Channel[string]
	// MaxSteps bounds the super-steps of a run; 0 means 100.
	MaxSteps int
	// Limits bound the run besides its super-steps.
	Limits Limits
	// Tolerant lets the run go on after a stage without Critical failed: along its
	// error edge if it has one, else as if it had given no output.
	Tolerant bool
	// Context is where outputs go and inputs come from; needed by stages with Inputs,
	// Output or Inherit. It is declared by standing here: Channels leave it out.
	Context KeyedChannel
	// History is what NoHistory hides; optional.
	History History
	// Hooks run in this order.
	Hooks []Hooks
	// Summarize shortens an output for SummarizeOutput.
	Summarize func(ctx context.Context, t *Task, output string) (string, error)
	// Failed tells what else is to be told of a run that ends with a stage's error; optional. It
	// emits by the task, which is of that stage.
	Failed func(t *Task, err error)
	// Grow builds the stage of an add_stage mutation; without it the graph cannot grow.
	Grow func(definition json.RawMessage) (Stage, error)
	// Settings is a digest of what the code of the stages goes by and no other field says: the tools that
	// a file names, how often a loop runs, where its router leads. It is part of the topology; "" where
	// there is nothing of the kind.
	Settings string
}
