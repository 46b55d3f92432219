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
}

// Stage is a node of a graph. It has either Run or Graph.
type Stage struct {
	ID          StageID
	Title       string
	Description string
	// Acts says that the stage reaches outside the run (writes records, calls out):
	// it starts only when all that precedes it is on disk.
	Acts bool
	Run  Func
	// Graph is a graph of its own inside the stage. Its stages are named
	// "stage/inner", share the run's channels, and the stage is done when the inner
	// graph ends.
	Graph *Spec
	// Join says when a stage with join_input edges starts.
	Join JoinPolicy
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

// Func is the work of a stage: state in, patch out. It must return within a
// second of ctx's end; what it returns later is discarded.
type Func func(ctx context.Context, t *Task) (Result, error)

// Result is what a stage returns.
type Result struct {
	Patch Patch
	// Pauses make the run wait; Patch must then be empty, and the stage runs again
	// from its start once one of them is answered. Ids must be stable over such runs.
	Pauses []Pause
	// Goto names the next stage of the same graph, ahead of conditional and plain
	// edges but never ahead of a safety edge.
	Goto StageID
	// Reason says in words why the stage chose as it did.
	Reason string
	// Events are appended before stage_completed, in the same transaction.
	Events []Event
	// Do changes rows besides the run's in the transaction of the result.
	Do func(Tx, *Commit) error
}

// EdgeType says what an edge is for.
type EdgeType string

const (
	Entry          EdgeType = "entry"
	Conditional    EdgeType = "conditional"
	TerminalPath   EdgeType = "terminal_path"
	ParallelBranch EdgeType = "parallel_branch"
	JoinInput      EdgeType = "join_input"
	Sequence       EdgeType = "sequence"
	Exit           EdgeType = "exit"
)

// Edge leads from one stage to another. It is a value: New copies the spec's
// edges, and nothing changes them afterwards.
type Edge struct {
	From      StageID  `json:"from"`
	To        StageID  `json:"to"`
	Type      EdgeType `json:"type"`
	Condition string   `json:"condition,omitempty"`
}

// Condition is a named question to one boolean channel.
type Condition struct {
	Name    string
	channel *definition
	want    bool
	// Safety makes the edges that use the condition come before all else and
	// exclude it: no choice of a stage or a model overrides them.
	Safety bool
}

// When holds while the channel is true.
func When(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition, want: true}
}

// Unless holds while the channel is false.
func Unless(name string, c Channel[bool]) Condition {
	return Condition{Name: name, channel: c.definition}
}

// AsSafety marks the condition as one of a safety edge.
func (c Condition) AsSafety() Condition { c.Safety = true; return c }

func (c Condition) holds(s Snapshot) bool { return s.value(c.channel).(bool) == c.want }

// Manifest is the graph as the screens draw it.
type Manifest struct {
	Agent       string            `json:"agent"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Fingerprint string            `json:"fingerprint"`
	MaxSteps    int               `json:"max_steps"`
	Stages      []ManifestStage   `json:"stages"`
	Edges       []Edge            `json:"edges"`
	Conditions  []ManifestRule    `json:"conditions"`
	Channels    []ManifestChannel `json:"channels"`
	Resolvers   []string          `json:"resolvers"`
	Mermaid     string            `json:"mermaid"`
}

// ManifestStage is one stage; Layer and Lane are its place in a drawing, layer 0
// being that of start.
type ManifestStage struct {
	ID          StageID         `json:"id"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Join        bool            `json:"join,omitempty"`
	Acts        bool            `json:"acts,omitempty"`
	Layer       int             `json:"layer"`
	Lane        int             `json:"lane"`
	Stages      []ManifestStage `json:"stages,omitempty"`
	Edges       []Edge          `json:"edges,omitempty"`
}

// ManifestRule is a condition.
type ManifestRule struct {
	Name    string `json:"name"`
	Channel string `json:"channel"`
	Want    bool   `json:"want"`
	Safety  bool   `json:"safety,omitempty"`
}

// ManifestChannel is a channel.
type ManifestChannel struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Reducer string `json:"reducer,omitempty"`
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return b
}
