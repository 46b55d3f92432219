package turn

import (
	"log/slog"

	"holdpoint/engine/graph"
)

// Kit is what an agent is built with.
type Kit struct {
	// Log hears what an agent finds odd in its own declarations; nil logs nothing.
	Log *slog.Logger
	// Hooks keeps what Hook registers, in order; nil keeps nothing.
	Hooks *[]graph.Hooks
	// Keeps has the type of the store's transactions, for Needs; nothing is called on it. nil checks nothing.
	Keeps graph.Tx
}

// Hook puts hooks around every graph of the agent: at stages, calls of tools, measurements,
// waits for people, changes of the graph and failures. They run in the order in which they
// were registered, ahead of those that a graph has itself (graph.Spec.Hooks, and rules of a
// file). One that fails or panics never ends a run. What decides (PreStage, PostStage, PreTool,
// PostTool, OnMutation) is part of the topology by its name: give one that does otherwise
// another name, and turns that wait do not go on under it.
func (k Kit) Hook(h graph.Hooks) {
	if k.Hooks != nil {
		*k.Hooks = append(*k.Hooks, h)
	}
}

// Debug logs what helps to find out why something was slow or failed.
func (k Kit) Debug(what string, args ...any) {
	if k.Log != nil {
		k.Log.Debug(what, args...)
	}
}

// Warn logs what the program survives.
func (k Kit) Warn(what string, args ...any) {
	if k.Log != nil {
		k.Log.Warn(what, args...)
	}
}
