package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"holdpoint/engine/journal"
)

// Task is one start of one stage: what it may read and whom it may tell. Its
// methods are safe for concurrent use by the goroutines of the stage.
type Task struct {
	// State is the state before the super-step. After a stage, hooks find there what it
	// would leave.
	State Snapshot
	// Whole is State with what flags of the stage hide from it; nil where they hide nothing.
	Whole *Snapshot
	// Run is shared, so read-only. A graph without hooks, context, growth or tolerance
	// sees it as it was when the run was taken up.
	Run *Header
	// Stage is the full id, Attempt counts its starts in this super-step from 1.
	Stage   StageID
	Attempt int
	// Dependencies are what the caller handed to Start or Resume: things that live beside
	// the state and are never stored.
	Dependencies any
	// Light says that the stage is to use the light model.
	Light bool
	// Flags are the stage's.
	Flags Flag
	// Round counts the super-steps of this visit, from 0 on entry; it survives a restart.
	Round int
	// Finished counts the super-steps that the stage has finished in this run.
	Finished int
	// Before is a predecessor of this stage that failed, BeforeError how; "" for none. Only
	// stages with SkipOnError hear of it, and those with Stage.Hears once every
	// predecessor of theirs failed.
	Before      StageID
	BeforeError string
	// Holds counts the holds of hooks that a person let pass in this start.
	Holds int
	// Answers are those to the stage's pauses, by id.
	Answers map[string]json.RawMessage
	// Graph is the one that runs, Compiled the stage in it.
	Graph    *Graph
	Compiled *CompiledStage
	// Host serves the methods.
	Host Host
}

// Hide replaces the state that the stage sees by one without what its flags leave out.
func (t *Task) Hide(s Snapshot) {
	if t.Whole == nil {
		whole := t.State
		t.Whole = &whole
	}
	t.State = s
}

// All is the state with nothing hidden, for hooks.
func (t *Task) All() Snapshot {
	if t.Whole != nil {
		return *t.Whole
	}
	return t.State
}

// Answer returns the answer to the pause with this id.
func (t *Task) Answer(pause string) (json.RawMessage, bool) {
	a, ok := t.Answers[pause]
	return a, ok
}

// Hold names the pause in which the next hook that holds the stage waits.
func (t *Task) Hold() string {
	id := fmt.Sprintf("human.%s.%s.%d", t.Run.ID, t.Stage, t.Finished+1)
	if t.Holds > 0 {
		id += fmt.Sprintf(".%d", t.Holds+1)
	}
	return id
}

// Wait makes the stage pause, whatever it returns: for what finds deep inside that a
// person must be asked first, and cannot return a result. The error, ErrWaits, is for the
// way out. The stage is entered again with the answer.
func (t *Task) Wait(p Pause) error {
	t.Host.Wait(t, p)
	return ErrWaits
}

// Now is the run's clock.
func (t *Task) Now() time.Time { return t.Host.Now() }

// NewID makes an id from the run's source of ids.
func (t *Task) NewID() string { return t.Host.NewID() }

// Emit appends events to the journal. They are on disk before anybody sees them;
// Emit itself does not wait for that.
func (t *Task) Emit(events ...journal.Event) { t.Host.Emit(t, events) }

// Commit changes rows outside the run's state in a transaction of its own, with
// events. All that precedes it is on disk first, and it is on disk when Commit
// returns nil. A cancelled context does not interrupt it: what is finished is recorded.
func (t *Task) Commit(do Change, events ...journal.Event) error {
	return t.Host.Commit(t, do, events)
}

// View reads rows outside the run's state on a consistent snapshot of the disk.
func (t *Task) View(fn func(Tx) error) error { return t.Host.View(fn) }

// Stream starts a message that the person can watch being written. The text
// reaches subscribers in pieces; the caller stores the whole as one Message event.
func (t *Task) Stream(message string) Stream { return t.Host.Stream(t, message) }

// Show tells those who watch now of an event that is live only. It is never stored.
func (t *Task) Show(e journal.Event) { t.Host.Show(t, e) }

// Memo returns what make made under the key earlier in this visit of the stage,
// or makes it now. A visit spans the stage's re-entries by Result.Reenter and ends
// when the stage is left; a Stateful stage keeps its memos for the whole run. What
// is remembered does not survive the process: make must give the same again.
func (t *Task) Memo(key string, make func() (any, error)) (any, error) {
	return t.Host.Memo(t, key, make)
}

// PreTool runs the PreTool hooks over a call, before anything of it is planned or
// shown.
func (t *Task) PreTool(ctx context.Context, c *ToolUse) { t.Host.PreTool(ctx, t, c) }

// PostTool runs the PostTool hooks over a call that was answered.
func (t *Task) PostTool(ctx context.Context, c *ToolUse) { t.Host.PostTool(ctx, t, c) }

// Input reads a key of the context as the stage may see it.
func (t *Task) Input(key string) (json.RawMessage, bool) {
	v, ok := t.Context()[key]
	return v, ok
}

// Context is what the stage may see of the context. Treat it as read-only.
func (t *Task) Context() map[string]json.RawMessage {
	if t.Graph.spec.Context.definition == nil {
		return nil
	}
	return t.Graph.spec.Context.Get(t.State)
}

// Limit is a limit of the stage's own, by its name: def, and what a person granted beyond it.
func (t *Task) Limit(name string, def int) int { return def + t.Run.Limits.Own[name] }

// Spend counts what the stage used up, at once: it counts whatever becomes of the stage.
func (t *Task) Spend(u Usage) { t.Host.Spend(t, u) }

// TokensLeft is what is left of the run's tokens; negative without a limit. It says whether one
// more request may begin, never how long its answer may be: an answer that breaks off is none.
func (t *Task) TokensLeft() int {
	if t.Run.Limits.Tokens <= 0 {
		return -1
	}
	return max(0, t.Run.Limits.Tokens-t.Run.Used.Tokens-t.Host.Spent(t).Tokens)
}
