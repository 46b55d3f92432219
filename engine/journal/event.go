package journal

import (
	"encoding/json"
	"reflect"
	"time"

	"holdpoint/engine/visible"
)

// StageID names a stage of a graph; one inside another is "outer/inner".
type StageID string

// Event is one entry of a session's journal. Its JSON form is flat; what each member
// says depends on the kind.
type Event struct {
	// Seq numbers the events of a session from 1 without gaps; the store sets it at
	// commit. Live events have none.
	Seq     uint64    `json:"seq,omitempty"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Turn    string    `json:"turn,omitempty"`
	Kind    Kind      `json:"kind"`

	Stage StageID `json:"stage,omitempty"`
	// Attempt counts from 1.
	Attempt int     `json:"attempt,omitempty"`
	From    StageID `json:"from,omitempty"`
	To      StageID `json:"to,omitempty"`
	// Condition is what led from one stage to another, as the graph names it.
	Condition string `json:"condition,omitempty"`
	// Resolver is the rule that chose the way.
	Resolver string `json:"resolver,omitempty"`
	// Phase counts from 1.
	Phase    int    `json:"phase,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Call     string `json:"call,omitempty"`
	Approval string `json:"approval,omitempty"`
	Status   string `json:"status,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Error    string `json:"error,omitempty"`
	// Message is a message's id.
	Message string `json:"message,omitempty"`
	// Offset is how many bytes (UTF-8) of the message's text come before this delta.
	Offset int    `json:"offset,omitempty"`
	Text   string `json:"text,omitempty"`
	// Data is the kind's payload; see Decode.
	Data json.RawMessage `json:"data,omitempty"`

	// payload is what Data is written from once somebody reads it.
	payload Payload
}

// With returns the event with a payload, and with the kind that the payload belongs to.
// The payload is written out as JSON once somebody reads the event, so nobody may change
// it any more.
func (e Event) With(p Payload) Event {
	e.Kind, e.payload = p.Kind(), p
	return e
}

// Render writes the payload into Data; an error goes into a journal without the folders
// of the machine.
func (e *Event) Render() {
	e.Error = visible.WithoutPaths(e.Error)
	if e.payload == nil {
		return
	}
	if t := reflect.TypeOf(e.payload); t.Kind() != reflect.Struct || t.NumField() > 0 { // an empty one has no Data
		e.Data = raw(e.payload)
	}
	e.payload = nil
}

// Render renders all events.
func Render(events []Event) {
	for i := range events {
		events[i].Render()
	}
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("journal: " + err.Error())
	}
	return b
}
