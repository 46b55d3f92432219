package journal

import (
	"encoding/json"
	"time"
)

// TurnStartedData says what a turn runs on.
type TurnStartedData struct {
	Agent string `json:"agent"`
	// Fingerprint is that of the graph's topology.
	Fingerprint string `json:"fingerprint"`
	// Model is the name of the main model.
	Model string `json:"model"`
	// Practice says that a script answers in the place of a model.
	Practice bool `json:"practice"`
	// Caller names who the turn acts for: the subject of a verified token.
	Caller string `json:"caller,omitempty"`
	// Vars are the turn's inputs; absent when they are long: the run's row has them.
	Vars map[string]string `json:"vars,omitzero"`
	// Replays is the checkpoint of another turn that this one begins at.
	Replays *Replayed `json:"replays,omitempty"`
	LongText
}

func (TurnStartedData) Kind() Kind { return TurnStarted }

// Replayed is a checkpoint of a turn.
type Replayed struct {
	Turn string `json:"turn"`
	// Step counts the finished super-steps.
	Step int `json:"step"`
}

// TurnResumedData says where a turn goes on.
type TurnResumedData struct {
	// Kept are the stages whose results are on disk.
	Kept []StageID `json:"kept"`
	// Rerun are the stages that run (again).
	Rerun []StageID `json:"rerun"`
	// Unknown is the number of calls that had begun and of which nobody knows what
	// became of them.
	Unknown int `json:"unknown"`
	// Limit names the limit of which More was given, in its unit, and By who gave it; empty
	// where nothing was.
	Limit string  `json:"limit,omitempty"`
	More  float64 `json:"more,omitempty"`
	By    string  `json:"by,omitempty"`
	// Caller names who the turn acts for from here on.
	Caller string `json:"caller,omitempty"`
}

func (TurnResumedData) Kind() Kind { return TurnResumed }

// TurnPausedData is all that the turn waits for.
type TurnPausedData struct {
	Pauses []Pause `json:"pauses"`
}

func (TurnPausedData) Kind() Kind { return TurnPaused }

// Pause is a hold point.
type Pause struct {
	// Data is a question's; an approval has a row of its own.
	Data  json.RawMessage `json:"data,omitempty"`
	ID    string          `json:"id"`
	Kind  PauseKind       `json:"kind"`
	Stage StageID         `json:"stage"`
}

// TurnCompletedData is what a finished turn came to.
type TurnCompletedData struct {
	// Steps is the number of super-steps.
	Steps int `json:"steps"`
	LongText
}

func (TurnCompletedData) Kind() Kind { return TurnCompleted }

// TurnLimitedData is a limit that a turn came to.
type TurnLimitedData struct {
	// Limit is the number that was reached: seconds for the time, tokens, steps …
	Limit int `json:"limit"`
	// Name is the limit's, the same as the event's Status.
	Name string `json:"name"`
	// Steps is the number of super-steps so far.
	Steps int  `json:"steps"`
	Used  Used `json:"used"`
}

func (TurnLimitedData) Kind() Kind { return TurnLimited }

// TurnFailedData is empty: the event's Stage failed, with its Error.
type TurnFailedData struct{}

func (TurnFailedData) Kind() Kind { return TurnFailed }

// TurnCancelledData is empty: the event's Status says how the turn ended before its end, Reason why.
type TurnCancelledData struct{}

func (TurnCancelledData) Kind() Kind { return TurnCancelled }

// CheckpointSavedData says how far a turn is.
type CheckpointSavedData struct {
	// Step is the number of super-steps so far.
	Step int `json:"step"`
}

func (CheckpointSavedData) Kind() Kind { return CheckpointSaved }

// Used is what a turn used up so far. Absent members are 0.
type Used struct {
	Tokens int `json:"tokens,omitempty"`
	// Cost is in the unit that the stages report it in.
	Cost float64 `json:"cost,omitempty"`
	// Time under way, in nanoseconds; waits for people do not count.
	Time time.Duration `json:"time_ns,omitempty"`
	// Mutations is the number of changes of the graph.
	Mutations int `json:"mutations,omitempty"`
}

// Usage is what one stage used up. Absent members are 0.
type Usage struct {
	Tokens int     `json:"tokens,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
	// Rounds are the rounds of tool calls.
	Rounds int `json:"iterations,omitempty"`
}
