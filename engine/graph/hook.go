package graph

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Hooks watch and change a run. All members are optional. Several sets run in
// the order of Spec.Hooks. One that fails or panics never ends a run: a
// hook_failed event tells of it. What decides is a *Stop (of PreStage and PostStage) and any
// error of OnMutation, which vetoes the change.
type Hooks struct {
	Name string
	// PreStage runs before the flags of a stage; its patch is part of what the stage
	// sees and of its result. A *Stop as its error decides about the stage; the patch stands.
	PreStage func(ctx context.Context, t *Task) (Patch, error)
	// PostStage runs after the flags and may change the result: Output for the stage's own
	// key, Raw for all others. It sees the state as the stage would leave it, with what
	// earlier sets changed. Setting Goto to End ends the graph, and no later set is asked;
	// a *Stop that refuses fails the stage.
	PostStage func(ctx context.Context, t *Task, r *Result) error
	// PreTool may change a call's arguments before anything is planned, shown or hashed;
	// PostTool may change what the model is told. Both see what flags hide from the stage, too.
	PreTool  func(ctx context.Context, t *Task, c *ToolUse) error
	PostTool func(ctx context.Context, t *Task, c *ToolUse) error
	// OnObservable hears of each stage with the flag Observable.
	OnObservable func(ctx context.Context, t *Task, m Metrics)
	// OnHuman hears that a stage waits for a person.
	OnHuman func(ctx context.Context, t *Task, pauses []Pause)
	// OnMutation is asked before a change of the graph; an error or a panic vetoes it.
	OnMutation func(ctx context.Context, t *Task, m Mutation) error
	// OnError hears of a stage that failed.
	OnError func(ctx context.Context, t *Task, err error)
}

// Stop is what a hook returns as its error to decide about a stage instead of failing. The
// first in the order of the hooks counts; those behind one that holds are asked once a person
// let the stage run. The stages that look after a person in danger
// are never stopped.
type Stop struct {
	Do StopDo
	// Reason is for people.
	Reason string
}

// StopDo is what a Stop does.
type StopDo string

const (
	// StopSkip passes over the stage: what follows it runs.
	StopSkip StopDo = "skip"
	// StopHold waits until a person lets the stage run, as RequiresHuman does.
	StopHold StopDo = "hold"
	// StopRefuse fails the stage; the error wraps ErrHookRefused.
	StopRefuse StopDo = "refuse"
	// StopEnd passes over the stage and ends the graph that it stands in.
	StopEnd StopDo = "end"
)

// ErrHookRefused says that a hook did not let a stage run, or did not accept what it gave.
var ErrHookRefused = errors.New("graph: refused")

func (s *Stop) Error() string { return string(s.Do) + ": " + s.Reason }

// ToolUse is one call as tool hooks see it.
type ToolUse struct {
	Call      string
	Tool      string
	Arguments json.RawMessage
	// Result is nil before the call; Err is why it failed.
	Result json.RawMessage
	Err    error
	// Approved says that a person gave these arguments in the place of what was asked for, and
	// a verdict on them: a hook may refuse the call, and what it changes is not used.
	Approved bool
}

// Metrics is what an observable stage reports.
type Metrics struct {
	Stage StageID `json:"stage"`
	// Attempt counts the starts of the stage in its super-step from 1, tries of the flag
	// retryable among them.
	Attempt int           `json:"attempt"`
	Took    time.Duration `json:"took_ns"`
	Usage   Usage         `json:"usage"`
	Cached  bool          `json:"cached,omitempty"`
	Skipped bool          `json:"skipped,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
	// OverTime says that the stage took longer than Stage.SoftTimeout.
	OverTime bool `json:"over_time,omitempty"`
	// OutputBytes is the size of the raw output as JSON.
	OutputBytes int `json:"output_bytes"`
}
