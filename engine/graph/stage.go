package graph

import (
	"context"
	"encoding/json"
	"time"
)

// Stage is one step of a graph. It has either Run or Graph.
type Stage struct {
	ID          StageID
	Title       string
	Description string
	// SideEffects says that the stage reaches outside the run (writes records, calls out):
	// it starts only when all that precedes it is on disk.
	SideEffects bool
	Run         Func
	// Graph is a graph of its own inside the stage. Its stages are named
	// "stage/inner", share the run's channels, and the stage is done when the inner
	// graph ends. It has stages, edges, conditions and channels; the rest of a Spec holds
	// for a whole run and is refused here (ErrNested).
	Graph *Spec
	// Scope gives that graph a context of its own; optional.
	Scope *Scope
	// Begins are keys of the context with what they hold when that graph is entered; nil
	// takes one away.
	Begins map[string]json.RawMessage
	// Join says when a stage with join_input edges starts.
	Join JoinPolicy

	// Kind names what the stage is made of ("prompt", "router"), for manifests.
	Kind string
	// Role says what the stage is to the person who watches ("" for none): screens go
	// by it, never by an id. It changes nothing of the run and is not in the hash.
	Role  string
	Flags Flag
	// Inputs are the keys of the context that the stage reads, Output the one that
	// its output is written to. The raw output also goes to "{id}_output".
	Inputs []string
	Output string
	// Sinks are further keys that the raw output is written to: those of the stages around
	// that this one ends.
	Sinks []Sink
	// Reads are keys that the stage goes by beside its inputs and what it inherits: what a
	// kept output of it depends on.
	Reads []string
	// Sees is what else the stage goes by, of other channels: what a kept output of it depends
	// on, as JSON can be made of it. nil for nothing.
	Sees func(Snapshot) any
	// Prepares are keys that the stage writes itself before it works: what is kept of it brings
	// them along and does not depend on them.
	Prepares []string
	// Inherit are stages whose raw output the stage reads beside its inputs.
	Inherit []StageID
	// OutputSchema is the JSON Schema of ValidateOutput.
	OutputSchema json.RawMessage
	// MaxRetries is how often Retryable runs the stage again; 0 means 3.
	MaxRetries int
	// SoftTimeout is how long the stage should take; longer only marks its result.
	SoftTimeout time.Duration
	// MayEnd lets the graph end after the stage when no edge of it holds.
	MayEnd bool
	// Ends says that what the stage chooses may be the end. It changes nothing of the run, where
	// every choice may, and is not in the hash.
	Ends bool
	// Hears says that the stage is told (Task.Before) when all predecessors of it failed.
	Hears bool
	// Quick says that Run only computes and waits for nothing: what it returns may
	// stay ahead of the disk until something waits. It must not use its Task after it
	// returned, but in a Do.
	Quick bool
}

// JoinPolicy says what a join does about an input that can no longer come,
// because its route was not taken.
type JoinPolicy string

const (
	// JoinReachable (the default) waits for every input that can still come and
	// then starts, once.
	JoinReachable JoinPolicy = ""
	// JoinAll starts only with every input; when one can no longer come the join is
	// skipped, and what follows it with it.
	JoinAll JoinPolicy = "all"
)

// Func is the work of a stage: state in, patch out. It must return soon after ctx ended (see
// run.Options.Grace); what it returns later is discarded.
type Func func(ctx context.Context, t *Task) (Result, error)
