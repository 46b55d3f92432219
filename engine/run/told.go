package run

import (
	"encoding/json"
	"strconv"

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

// appendSteps writes the data of a journal.CheckpointSaved or TurnCompleted.
func appendSteps(data []byte, opening string, n int) []byte {
	return append(strconv.AppendInt(append(data, opening...), int64(n), 10), '}')
}

// appendStart writes a journal.TurnStartedData, without vars, of a run that begins on the graph.
func appendStart(data []byte, g *graph.Graph, r *Run) []byte {
	data = append(append(append(data, '{'), g.Members()...), `,"model":`...)
	data = graph.AppendText(data, r.Model)
	return append(strconv.AppendBool(append(data, `,"practice":`...), r.Practice), '}')
}

// appendCompletion writes a journal.StageCompletedData from a patch that is encoded.
func appendCompletion(data []byte, ms int64, patch []graph.ChannelValue) []byte {
	data = append(strconv.AppendInt(append(data, `{"ms":`...), ms, 10), `,"patch":`...)
	return append(graph.RenderPatch(data, patch), '}')
}

// toldMutation is a mutation as the journal has it.
func toldMutation(m graph.Mutation) journal.Mutation {
	out := journal.Mutation{Op: journal.MutationOp(m.Op), ID: m.ID, Stage: m.Stage, Parent: m.Parent, Reason: m.Reason, By: m.By}
	if e := m.Edge; e != nil {
		out.Edge = &journal.Edge{From: e.From, To: e.To, Type: string(e.Type), Condition: e.Condition, Match: e.Match, Priority: e.Priority}
	}
	return out
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("run: " + err.Error())
	}
	return b
}
