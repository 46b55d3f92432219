// Package graph runs agents: a typed spec of stages and edges, state in typed
// channels, super-steps with parallel branches and joins, and pauses that
// survive a crash.
package graph
