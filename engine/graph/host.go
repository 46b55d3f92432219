package graph

import (
	"context"
	"time"

	"holdpoint/engine/journal"
)

// Host is what runs a stage: it serves the methods of a Task, which say what each is for. All are
// safe for concurrent use.
type Host interface {
	// Now is the clock, NewID the source of ids.
	Now() time.Time
	NewID() string
	// Emit takes events to the journal and does not wait for the disk.
	Emit(t *Task, events []journal.Event)
	// Commit is on disk when it returns nil, with all that precedes it.
	Commit(t *Task, do Change, events []journal.Event) error
	// View runs fn on what is on disk; what the stages before changed is.
	View(fn func(Tx) error) error
	// Stream starts a message, Show tells who watches now.
	Stream(t *Task, message string) Stream
	Show(t *Task, e journal.Event)
	// Memo calls make once in a visit.
	Memo(t *Task, key string, make func() (any, error)) (any, error)
	// Wait makes the stage pause once it returns.
	Wait(t *Task, p Pause)
	// Spend counts what a stage uses up while it runs, Spent is what it used up so far.
	Spend(t *Task, u Usage)
	Spent(t *Task) Usage
	// PreTool and PostTool run the hooks of these names.
	PreTool(ctx context.Context, t *Task, c *ToolUse)
	PostTool(ctx context.Context, t *Task, c *ToolUse)
}
