package graph

import (
	"encoding/json"

	"holdpoint/engine/journal"
)

// Result is what a stage returns.
type Result struct {
	Patch Patch
	// Pauses make the run wait; Patch must then be empty, and the stage runs again
	// from its start once one of them is answered. Ids must be stable over such runs.
	Pauses []Pause
	// Reenter enters the stage once more in the next super-step, for the reason it
	// gives ("tool_calls_present"); its visit goes on. Only a safety edge comes first.
	Reenter string
	// Output is what the stage has to say; see Stage.Output. It is data and leads
	// nowhere by itself, but along match edges.
	Output json.RawMessage
	// Raw is only for hooks after a stage: what goes to the stage's OutputKey and Sinks, while
	// Output goes to the stage's own key. A hook may change either.
	Raw json.RawMessage
	// Route is the next stage of the same graph that the output names, of a stage whose
	// work is to decide; see RouteOf. One that does not exist chooses nothing.
	Route StageID
	// Goto names the next stage of the same graph, ahead of conditional and plain
	// edges but never ahead of a safety edge.
	Goto StageID
	// Reason says in words why the stage chose as it did.
	Reason string
	// Events are appended before stage_completed, in the same transaction.
	Events []journal.Event
	// Do changes rows besides the run's in the transaction of the result.
	Do Change
	// Usage is added to what the run used up, with what Task.Spend counted; requests
	// to a model by package turn are counted there.
	Usage Usage
	// Mutations change the graph from the next super-step on.
	Mutations []Mutation
	// Fleeting says that another visit may well do better: the flag Cacheable does not keep it.
	Fleeting bool
	// Reached says that the stage came to a limit of its own. The rest must be empty.
	Reached *Reached
}

// OutputKey is where the raw output of a stage goes.
func OutputKey(id StageID) string { return string(id) + "_output" }
