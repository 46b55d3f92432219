// Package graph describes what an agent does as data: stages and edges, conditions,
// typed channels of state with their reducers, flags and limits. It runs nothing and
// knows no store, no approvals and no records; engine/run executes what it describes.
//
// New checks a Spec, reports every mistake at once, and makes a Graph of it. The
// manifest that screens draw, the Mermaid text, the fingerprint and the compiled
// stages all come from that one Spec.
//
// A stage is a Func: it gets a Task with a snapshot of the state and returns a Result
// whose Patch changes it. A Task tells events, reads and changes rows through its
// Host; Rows finds the interface of a noun (records, approvals) in a transaction, so
// that this package needs to know none.
//
// A stage ends its run otherwise than by a result with an error: Back (something earlier has to be done once more),
// Reached (a limit of its own), Stop (a hook's word). What a Spec is compiled into is for executors: Link is an edge,
// Places finds values in a long list, Sink is where else an output goes.
//
// To begin: declare channels with Value, Append and Keyed, put stages and edges into a
// Spec, call New, and start it with an Executor of engine/run. The package's example does.
package graph
