package run

import (
	"encoding/json"
	"strconv"
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
	data := struct {
		Agent       string          `json:"agent"`
		Fingerprint string          `json:"fingerprint"`
		Model       string          `json:"model"`
		Practice    bool            `json:"practice"`
		Vars        json.RawMessage `json:"vars,omitempty"`
	}{b.agent, b.fingerprint, b.model, b.practice, json.RawMessage("null")}
	if b.vars != nil {
		vars, err := json.Marshal(b.vars)
		if err != nil {
			return nil, err
		}
		// Long vars live in the row.
		if data.Vars = vars; len(vars) > journal.TextRoom {
			data.Vars = nil
		}
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
	patch []graph.ChannelValue
}

func (c completion) MarshalJSON() ([]byte, error) {
	data := append(strconv.AppendInt([]byte(`{"ms":`), c.took.Milliseconds(), 10), `,"patch":`...)
	return append(graph.RenderPatch(data, c.patch), '}'), nil
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("run: " + err.Error())
	}
	return b
}
