package journal

import (
	"encoding/json"
	"time"
)

// StageID names a stage of a graph; one inside another is "outer/inner".
type StageID string

// Kind names what an event tells. The names are part of the stable command line.
type Kind string

const (
	TurnStarted   Kind = "turn_started"   // text: the user's message; data: {agent, fingerprint, model, practice, vars}
	TurnResumed   Kind = "turn_resumed"   // data: {kept, rerun, unknown} numbers of stages
	TurnPaused    Kind = "turn_paused"    // data: {pauses: [{id, kind, stage, data of questions}]}
	TurnCompleted Kind = "turn_completed" // text: the reply; data: {steps, ...}
	TurnFailed    Kind = "turn_failed"    // error; stage that failed
	TurnCancelled Kind = "turn_cancelled"
	TurnLimited   Kind = "turn_limited" // status: which limit; data: {limit, name, used}

	StageStarted   Kind = "stage_started"   // attempt
	StageCompleted Kind = "stage_completed" // data: {patch: {channel: value or blob}, ms}
	StageSkipped   Kind = "stage_skipped"   // reason
	StageFailed    Kind = "stage_failed"    // error
	StagePaused    Kind = "stage_paused"    // data: {pauses: [...]}
	Transition     Kind = "transition"      // from, to, condition, resolver, reason

	CheckpointSaved Kind = "checkpoint" // data: {step}

	GraphMutated    Kind = "graph_mutated"    // stage; reason; data: {mutation, fingerprint}
	MutationRefused Kind = "mutation_refused" // stage; error: why; data: {mutation}
	HookFailed      Kind = "hook_failed"      // stage; tool: the hook; error
	Observed        Kind = "observed"         // stage; data: Metrics
	StageOutput     Kind = "stage_output"     // stage; data: {output}: of a verbose stage
	StageRetried    Kind = "stage_retried"    // stage, attempt; error; data: {wait_ms}
	Warned          Kind = "warning"          // stage; reason: what was odd; the run goes on
	GuardActed      Kind = "guard"            // stage; status: pass, transform, retry, block; reason; data: {guard}

	PhaseStarted   Kind = "phase_started"   // phase; data: {tools}
	PhaseCompleted Kind = "phase_completed" // phase; data: {ran, skipped, failed}
	ToolStarted    Kind = "tool_started"    // tool, call, attempt; data: {args}
	ToolCompleted  Kind = "tool_completed"  // tool, call; data: {result, completeness, ms}
	ToolFailed     Kind = "tool_failed"     // tool, call, error; data: {class, retry}
	ToolSkipped    Kind = "tool_skipped"    // tool, reason; data: {gate, completeness}
	ToolRefused    Kind = "tool_refused"    // tool, call, reason: a business refusal or a rejection

	ApprovalRequested Kind = "approval_requested" // approval, call, tool; data: the approval without before/after
	ApprovalDecided   Kind = "approval_decided"   // approval; status, reason: comment; data: {reviewer, digest}
	ApprovalRefused   Kind = "approval_refused"   // approval, error: what was presented was not what was approved
	MutationCommitted Kind = "mutation_committed" // call, tool, approval; data: {refs, result}

	MessageStarted Kind = "message_started" // message id: a reply begins to stream
	Message        Kind = "message"         // message id, text; data: {role, partial, model, tokens…}
	MemoryUpdated  Kind = "memory_updated"  // data: {scope, keys}
	SafetyChecked  Kind = "safety_checked"  // data: {by: rules|model|both, category, degraded, …}
	ModelCalled    Kind = "model_called"    // data: {role, model, digest, prompt_tokens, evaluated, output_tokens, ms}

	// Token is live only: a delta of a streaming message. It has seq 0 and is never stored;
	// the whole message is stored as one Message event.
	Token Kind = "token" // message id, offset (bytes of text before this delta), text
)

// Event is one entry of a session's journal. Its JSON form is flat and stays
// under 4 KB; larger bodies are content-addressed blobs referred to from Data
// as {"blob": "sha256:…", "size": bytes}.
type Event struct {
	// Seq numbers the events of a session from 1 without gaps; the store sets it at commit.
	Seq     uint64    `json:"seq,omitempty"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Turn    string    `json:"turn,omitempty"`
	Kind    Kind      `json:"kind"`

	Stage     StageID         `json:"stage,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	From      StageID         `json:"from,omitempty"`
	To        StageID         `json:"to,omitempty"`
	Condition string          `json:"condition,omitempty"`
	Resolver  string          `json:"resolver,omitempty"`
	Phase     int             `json:"phase,omitempty"` // from 1
	Tool      string          `json:"tool,omitempty"`
	Call      string          `json:"call,omitempty"`
	Approval  string          `json:"approval,omitempty"`
	Status    string          `json:"status,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Error     string          `json:"error,omitempty"`
	Message   string          `json:"message,omitempty"` // message id
	Offset    int             `json:"offset,omitempty"`  // bytes
	Text      string          `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`

	// payload is what Data is written from once somebody reads it.
	payload any
}

// With returns the event with a payload that is written out as JSON once somebody
// reads it: a value that marshals and that nobody changes any more.
func (e Event) With(payload any) Event {
	e.payload = payload
	return e
}

// Render writes the payload into Data.
func (e *Event) Render() {
	if e.payload != nil {
		e.Data, e.payload = raw(e.payload), nil
	}
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
