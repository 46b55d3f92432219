package turn

import (
	"encoding/json"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Kinds of hold points: what a pause waits for.
const (
	ApprovalPause = string(journal.PauseApproval) // a verdict on a call; package call makes these
	QuestionPause = string(journal.PauseQuestion) // a person's words
)

// Question is what a hold point asks a person.
type Question struct {
	Prompt string        `json:"prompt"`
	Stage  graph.StageID `json:"stage,omitempty"`
	// Choices are the answers to choose from; none means free text. "approve" and
	// "reject" among them make it a question of yes or no.
	Choices []string        `json:"choices,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	// Expects says in words what an answer of the schema is: "a whole number from 1 to 12".
	Expects string `json:"expects,omitempty"`
}

// Pause is the hold point; the id must be stable over starts of the stage.
func (q Question) Pause(id string) graph.Pause {
	return graph.Pause{ID: id, Kind: QuestionPause, Stage: q.Stage, Data: model.JSON(q)}
}

// QuestionOf reads a pause's question; ok is false for any other kind of pause.
func QuestionOf(p graph.Pause) (q Question, ok bool) {
	if p.Kind != QuestionPause {
		return q, false
	}
	if json.Unmarshal(p.Data, &q) != nil || q.Prompt == "" {
		q.Prompt = "The stage " + string(p.Stage) + " waits for an answer."
	}
	return q, true
}
