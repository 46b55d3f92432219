package run

import (
	"encoding/json"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// What the executor's own events say beside their members; see journal.Payload.

// shortVars are inputs that fit into an event; long ones live in the row only.
func shortVars(vars map[string]string) map[string]string {
	if len(vars) > 0 && len(raw(vars)) > journal.TextRoom {
		return nil
	}
	return vars
}

// completion is a journal.StageCompletedData that is worked out once somebody reads it.
type completion struct {
	took  time.Duration
	patch graph.Patch
}

func (c completion) MarshalJSON() ([]byte, error) {
	return json.Marshal(journal.StageCompletedData{MS: c.took.Milliseconds(), Patch: c.patch.Render()})
}

// Kind implements journal.Payload.
func (completion) Kind() journal.Kind { return journal.StageCompleted }

// told is a mutation as the journal has it.
func told(m graph.Mutation) journal.Mutation {
	return journal.Mutation{Op: journal.MutationOp(m.Op), ID: m.ID, Stage: m.Stage, Edge: toldEdge(m.Edge), Within: m.Within, Reason: m.Reason, By: m.By}
}

func toldEdge(e *graph.Edge) *journal.Edge {
	if e == nil {
		return nil
	}
	return &journal.Edge{From: e.From, To: e.To, Type: string(e.Type), Condition: e.Condition, Match: e.Match, Priority: e.Priority}
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("run: " + err.Error())
	}
	return b
}
