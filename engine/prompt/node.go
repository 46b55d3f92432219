package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"holdpoint/engine/graph"
)

// Node is one prompt. It is immutable once Stage was called, and safe for
// concurrent use by many runs.
type Node struct {
	Name        graph.StageID
	Title       string
	Description string
	// Instructions and then Blocks open the prompt, byte for byte the same in every run.
	Instructions string
	Blocks       []string
	// Inputs are keys of the context, Inherit stages whose raw output is read too.
	Inputs  []string
	Inherit []graph.StageID
	// Output is the key that the answer is written to; optional.
	Output string
	Flags  graph.Flag
	// Strategies are names of Strategies, in order.
	Strategies []string
	// Perspective is a name of Perspectives; "custom" takes PerspectiveText.
	Perspective     string
	PerspectiveText string
	// Tools names what the node may call: nil nothing, "*" all that the agent has.
	Tools []string
	// Schema makes the answer JSON of this schema, an object's.
	Schema json.RawMessage
	// OutputSchema is that of the ValidateOutput flag; Schema when nil.
	OutputSchema json.RawMessage
	Guards       []Guard
	// Retries is how often guards may ask for another answer in one visit; 0 means 2.
	Retries int
	// Before runs once when the node is entered, ahead of everything else; what it
	// writes is there when the prompt is assembled.
	Before func(ctx context.Context, t *graph.Task) (graph.Patch, error)
	// After may change the output before it is written.
	After func(ctx context.Context, t *graph.Task, output json.RawMessage) (json.RawMessage, error)
	// MaxTokens bounds each answer; 0 means 1,024.
	MaxTokens   int
	Temperature float64
	// Says makes the output the run's reply: it is streamed to the person, kept as a
	// message and put into Reply.
	Says bool
	// Observes, Plans and Reflects also put the output into the channel of that name.
	Observes, Plans, Reflects bool
	// MaxRetries and Within are those of graph.Stage.
	MaxRetries int
	Within     time.Duration

	// built hears what was made anew, for tests of the caches.
	built func(what string)
}

// Stage makes the graph's stage of the node.
func (n *Node) Stage() graph.Stage {
	schema := n.OutputSchema
	if schema == nil {
		schema = n.Schema
	}
	return graph.Stage{ID: n.Name, Title: n.Title, Description: n.Description, Kind: "prompt", Run: n.Run, Flags: n.Flags,
		// Tools may write records or call out; those of a node that only reads do not.
		Acts:   len(n.Tools) > 0 && !n.Flags.Has(graph.ReadOnly),
		Inputs: n.Inputs, Inherit: n.Inherit, Output: n.Output, OutputSchema: schema, MaxRetries: n.MaxRetries, Within: n.Within}
}

// Check finds mistakes in the node: unknown strategies, perspectives, a schema
// that is none.
func (n *Node) Check() error { return nil }

// Run is one super-step of a visit.
func (n *Node) Run(context.Context, *graph.Task) (graph.Result, error) {
	return graph.Result{}, errors.New("prompt: not there yet")
}
