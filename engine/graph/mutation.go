package graph

import "encoding/json"

// Mutation is a change of the graph that a stage asks for while the run is under
// way. It is checked like a spec, put before the hooks, counted, journalled and
// applied again on resume; the run's fingerprint covers it.
type Mutation struct {
	// Op is add_stage, add_edge or remove_edge.
	Op string `json:"op"`
	// Stage is the definition that Spec.Grow builds a stage from; for add_stage.
	Stage json.RawMessage `json:"stage,omitempty"`
	// Edge is what is added or removed, with ids of the level that the stage belongs to.
	Edge *Edge `json:"edge,omitempty"`
	// Within is the stage whose nested graph changes; "" for the outermost.
	Within StageID `json:"within,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// By is the stage that asked; set by the executor.
	By StageID `json:"by,omitempty"`
}

// Operations of a Mutation.
const (
	AddStage   = "add_stage"
	AddEdge    = "add_edge"
	RemoveEdge = "remove_edge"
)
