package run

import (
	"encoding/json"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// What the executor's own events say beside their members; see journal.Kind.

// begun is what turn_started says.
type begun struct {
	agent, fingerprint, model string
	practice                  bool
	vars                      map[string]string
}

func (b begun) MarshalJSON() ([]byte, error) {
	data := map[string]any{"agent": b.agent, "fingerprint": b.fingerprint, "model": b.model, "practice": b.practice, "vars": b.vars}
	// Long vars live in the row.
	if vars, err := json.Marshal(b.vars); err != nil || len(vars) > journal.TextRoom {
		delete(data, "vars")
	}
	return json.Marshal(data)
}

// step is what checkpoint says: super-steps so far. steps are those of a whole run.
type step struct {
	Step int `json:"step"`
}

type steps struct {
	Steps int `json:"steps"`
}

// completion is what stage_completed says.
type completion struct {
	took  time.Duration
	patch graph.Patch
}

func (c completion) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"ms": c.took.Milliseconds(), "patch": c.patch.Render()})
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("run: " + err.Error())
	}
	return b
}
