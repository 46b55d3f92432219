package journal

import (
	"encoding/json"
	"time"
)

// StageStartedData is empty: the event's Stage began its Attempt, counted from 1.
type StageStartedData struct{}

func (StageStartedData) Kind() Kind { return StageStarted }

// StageCompletedData is a stage's result.
type StageCompletedData struct {
	// MS is how long the stage ran, in milliseconds.
	MS int64 `json:"ms"`
	// Patch is what it wrote, by channel.
	Patch map[string]json.RawMessage `json:"patch"`
}

func (StageCompletedData) Kind() Kind { return StageCompleted }

// StagePausedData is what one stage waits for.
type StagePausedData struct {
	Pauses []Pause `json:"pauses"`
}

func (StagePausedData) Kind() Kind { return StagePaused }

// StageFailedData says why a stage failed; absent where all that is known is that it did.
type StageFailedData struct {
	// Failure is refused, rejected, unknown or limited.
	Failure string `json:"failure"`
}

func (StageFailedData) Kind() Kind { return StageFailed }

// StageRetriedData says when a stage runs again.
type StageRetriedData struct {
	// WaitMS is how long it waits before, in milliseconds.
	WaitMS int64 `json:"wait_ms"`
}

func (StageRetriedData) Kind() Kind { return StageRetried }

// StageOutputData is what a verbose stage gave, whole.
type StageOutputData struct {
	// Item counts the outputs of a fan-out from 1, and Of is how many there are; absent
	// for the output of a stage that is none.
	Item   int             `json:"item,omitempty"`
	Of     int             `json:"of,omitempty"`
	Output json.RawMessage `json:"output"`
}

func (StageOutputData) Kind() Kind { return StageOutput }

// StageSkippedData is empty: the event's Reason says why its Stage does not run.
type StageSkippedData struct{}

func (StageSkippedData) Kind() Kind { return StageSkipped }

// ObservedData is what an observable stage took.
type ObservedData struct {
	Stage   StageID `json:"stage"`
	Attempt int     `json:"attempt"`
	// Took is in nanoseconds.
	Took    time.Duration `json:"took_ns"`
	Usage   Usage         `json:"usage"`
	Cached  bool          `json:"cached,omitempty"`
	Skipped bool          `json:"skipped,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
	// OverTime says that it took longer than it should.
	OverTime bool `json:"over_time,omitempty"`
	// OutputBytes is the size of the output as JSON.
	OutputBytes int `json:"output_bytes"`
}

func (ObservedData) Kind() Kind { return Observed }

// TransitionData is empty: the event's From and To are the stages, Condition led from one to the other, Resolver decided, Reason is why.
type TransitionData struct{}

func (TransitionData) Kind() Kind { return Transition }
