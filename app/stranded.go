package app

import (
	"slices"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// Stranded is a turn that was held for a verdict which nobody can give any more: its
// request expired, or what it was about changed. It goes on when a person resumes it.
type Stranded struct {
	Session      string        `json:"session"`
	SessionTitle string        `json:"session_title"`
	Turn         string        `json:"turn"`
	Approval     string        `json:"approval"`
	Title        string        `json:"title"`
	Status       ledger.Status `json:"status"` // expired or void
	RequestedAt  time.Time     `json:"requested_at"`
	ExpiresAt    time.Time     `json:"expires_at"`
}

// StrandedTurns lists the turns that stand because what they asked is no longer asked,
// oldest first; a turn that waits for anything else besides is not among them.
func (a *App) StrandedTurns() ([]Stranded, error) {
	now := a.now()
	if err := a.lapse(now); err != nil {
		return nil, err
	}
	runs, err := a.Store.Shown().RunsWith(run.Paused)
	if err != nil {
		return nil, err
	}
	out := []Stranded{}
	for _, row := range runs {
		pauses, err := a.Store.Shown().Pauses(row.ID)
		if err != nil {
			return nil, err
		}
		last, err := a.noLongerAsked(pauses, now)
		if a.Store.Shown().Passes(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if last == nil {
			continue
		}
		out = append(out, Stranded{Session: row.Session, SessionTitle: a.sessionTitle(row.Session), Turn: row.Turn, Approval: last.ID, Title: last.Title,
			Status: last.Status, RequestedAt: last.RequestedAt, ExpiresAt: last.ExpiresAt})
	}
	slices.SortStableFunc(out, func(x, y Stranded) int { return x.RequestedAt.Compare(y.RequestedAt) })
	return out, nil
}

// noLongerAsked is the last of the approvals that pauses wait for, where nobody can decide on
// any of them and nothing else is waited for; nil otherwise.
func (a *App) noLongerAsked(pauses []graph.Pause, now time.Time) (last *ledger.Approval, err error) {
	err = a.Store.Read(func(tx store.Tx) error {
		last = nil
		for _, p := range pauses {
			if p.Answer != nil {
				continue
			}
			if p.Kind != turn.ApprovalPause {
				last = nil
				return nil
			}
			ap, err := tx.Approval(p.ID)
			if err != nil {
				return err
			}
			if ap.Status = ap.At(now); ap.Status != ledger.Expired && ap.Status != ledger.Void {
				last = nil
				return nil
			}
			last = &ap
		}
		return nil
	})
	return last, err
}
