package journal

import "encoding/json"

// GraphMutatedData is a change of the graph that was made.
type GraphMutatedData struct {
	// Fingerprint is that of the graph with the change.
	Fingerprint string   `json:"fingerprint"`
	Mutation    Mutation `json:"mutation"`
}

func (GraphMutatedData) Kind() Kind { return GraphMutated }

// MutationRefusedData is a change of the graph that was not made: one of its two members.
type MutationRefusedData struct {
	// Asked is what a model wrote when it makes no mutation.
	Asked    LongString `json:"asked,omitempty"`
	Mutation *Mutation  `json:"mutation,omitempty"`
}

func (MutationRefusedData) Kind() Kind { return MutationRefused }

// Mutation is a change of the graph.
type Mutation struct {
	Op MutationOp `json:"op"`
	// ID is that of the stage that was added.
	ID StageID `json:"id,omitempty"`
	// Stage is the definition of the stage to add.
	Stage json.RawMessage `json:"stage,omitempty"`
	// Edge is what is added or removed.
	Edge *Edge `json:"edge,omitempty"`
	// Parent is the stage whose nested graph changes; absent for the outermost. The other
	// ids are those of that level.
	Parent StageID `json:"within,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// By is the stage that asked.
	By StageID `json:"by,omitempty"`
}

// Edge leads from one stage to another.
type Edge struct {
	From StageID `json:"from"`
	To   StageID `json:"to"`
	// Type is one of the graph's types of edges.
	Type      string `json:"type"`
	Condition string `json:"condition,omitempty"`
	// Match is the output that a match edge leads on from.
	Match    string `json:"match,omitempty"`
	Priority int    `json:"priority,omitempty"`
}
