package graph

import (
	"encoding/json"
	"errors"
)

// Pause is a hold point: a stage cannot go on until an answer for ID comes.
type Pause struct {
	ID    string          `json:"id"`
	Kind  string          `json:"kind"` // "approval", "question"
	Stage StageID         `json:"stage"`
	Data  json.RawMessage `json:"data,omitempty"`
	// Answer is nil until the pause is answered.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Seen says that the stage ran with the answer and asked something else: by
	// itself the answer is no reason to run the stage again.
	Seen bool `json:"seen,omitempty"`
}

// ErrWaits says that something deep inside a stage must wait for a person.
var ErrWaits = errors.New("graph: this waits for a person")
