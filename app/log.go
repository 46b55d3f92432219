package app

import (
	"log/slog"

	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
)

// told logs what was committed: which step of which run came when, and nothing of what
// was in it. A log is read by whoever helps with the machine, so it never holds health
// data: no text, arguments, results, reasons or errors, and no name of a tool, which is
// whatever a model wrote. All that is in the journal, under the same ids.
func (a *App) told(e *journal.Event) {
	level := slog.LevelDebug
	switch e.Kind {
	case journal.Token, journal.ModelReading:
		return
	case journal.TurnStarted, journal.TurnResumed, journal.TurnPaused, journal.TurnCompleted, journal.TurnFailed, journal.TurnCancelled, journal.TurnLimited:
		level = slog.LevelInfo
	}
	if !a.log.Enabled(a.ctx, level) {
		return
	}
	at := make([]slog.Attr, 0, 8)
	at = append(at, slog.String("session", identity.Short(e.Session)))
	if e.Seq > 0 {
		at = append(at, slog.Uint64("seq", e.Seq))
	}
	if e.Turn != "" {
		at = append(at, slog.String("turn", e.Turn), slog.String("run", string(RunID(e.Turn))))
	}
	if e.Attempt > 0 {
		at = append(at, slog.Int("attempt", e.Attempt))
	}
	if e.Call != "" {
		at = append(at, slog.String("call", e.Call))
	}
	if e.Approval != "" {
		at = append(at, slog.String("approval", e.Approval))
	}
	a.log.LogAttrs(a.ctx, level, string(e.Kind), at...)
}

// Log is where Holdpoint and its faces log.
func (a *App) Log() *slog.Logger { return a.log }

// Dir is the data folder.
func (a *App) Dir() string { return a.dir }
