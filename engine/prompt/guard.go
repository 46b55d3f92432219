package prompt

import (
	"context"

	"holdpoint/engine/graph"
)

// Guard looks at a final answer and decides what becomes of it.
type Guard struct {
	Name string
	// Async guards run at the same time, after the others have run in order.
	Async bool
	// Check judges the output: text, or JSON as text. An error fails the node: what
	// could not be checked does not pass.
	Check func(ctx context.Context, t *graph.Task, output string) (Verdict, error)
}

// Verdict is what a guard decides. The zero value passes.
type Verdict struct {
	// Action is "", "transform", "retry" or "block".
	Action string
	// Text takes the place of the output, for transform.
	Text string
	// Reason tells the model (retry) or the journal why.
	Reason string
}

// Pass lets the output through.
func Pass() Verdict { return Verdict{} }

// Transform puts text in the place of the output.
func Transform(text, reason string) Verdict { return Verdict{"transform", text, reason} }

// Retry asks the model for another answer.
func Retry(reason string) Verdict { return Verdict{Action: "retry", Reason: reason} }

// Block fails the node; the output goes nowhere.
func Block(reason string) Verdict { return Verdict{Action: "block", Reason: reason} }
