package definition

import (
	"encoding/json"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

const (
	// runKey is what rules and templates know of the run itself; it is not in the context.
	runKey = "run"
	// errorKey is the last failure that was passed by; the executor keeps it.
	errorKey = graph.ErrorKey
)

// counters are the values under runKey: what limits count.
type counters struct {
	Iterations     int     `json:"iterations"`
	NodeIterations int     `json:"node_iterations"`
	Tokens         int     `json:"tokens"`
	Seconds        float64 `json:"seconds"`
	// Rounds are those of a loop that are done, in its until.
	Rounds int `json:"rounds"`
}

// sight is the context of a stage with the counters, where somebody reads them.
func sight(t *graph.Task, keys []string, rounds int) map[string]json.RawMessage {
	if !slices.Contains(keys, runKey) {
		return t.Context()
	}
	return withCounters(t.Context(), graph.Counts{Iterations: t.Run.Step, StageIterations: t.Finished, Tokens: t.Run.Used.Tokens, Time: t.Run.Used.Time}, rounds)
}

func withCounters(context map[string]json.RawMessage, c graph.Counts, rounds int) map[string]json.RawMessage {
	out := maps.Clone(context)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	out[runKey] = model.JSON(counters{c.Iterations, c.StageIterations, c.Tokens, c.Time.Seconds(), rounds})
	return out
}
