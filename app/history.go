package app

import (
	"cmp"
	"errors"
	"strings"

	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// history is what was said before a new turn, oldest first.
func (a *App) history(s TurnRequest) ([]turn.Exchange, error) {
	if s.Branch != "" {
		past, err := a.pastBefore(s.Branch)
		if err != nil {
			return nil, err
		}
		return a.recall(past)
	}
	row, err := a.Store.Session(s.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.historyBefore(s.Session, row.Turns)
}

// historyBefore is what was said in the first turns of a session, and before them where it
// is a branch.
func (a *App) historyBefore(id string, turns int) ([]turn.Exchange, error) {
	past, err := a.lineage(id, turns)
	if err != nil {
		return nil, err
	}
	return a.recall(past)
}

// recall reads the end of a past, as much of it as a prompt may hold.
func (a *App) recall(past []stretch) ([]turn.Exchange, error) {
	turns := 0
	for _, p := range past {
		turns += p.turns
	}
	return turn.Recall(turns, func(n int) ([]turn.Exchange, error) {
		runs, err := a.runsAfter(past, n)
		var out []turn.Exchange
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			e := turn.Exchange{User: r.Input, Reply: r.Output, Danger: !a.calm(r)}
			if r.Status != run.Completed {
				if e.Ended, err = a.became(r); err != nil {
					return nil, err
				}
			}
			if e.Reply != "" || e.Ended != "" {
				out = append(out, e)
			}
		}
		return out, nil
	})
}

// became says of a turn that was not answered what became of it: what it has done, and
// what it asks a person for.
func (a *App) became(r run.Run) (string, error) {
	words := map[run.Status]string{
		run.Failed:    "This turn failed before it was answered.",
		run.Cancelled: "The person stopped this turn before it was answered.",
		run.Abandoned: "The person gave this turn up before it was answered.",
		run.Limited:   "This turn came to a limit before it was answered.",
		run.Paused:    "This turn waits for a person and is not answered yet.",
	}[r.Status]
	parts := []string{cmp.Or(words, "This turn was interrupted before it was answered.")}
	done := 0
	err := a.Store.Read(func(tx store.Tx) error {
		return tx.Entries(r.Turn, func(e ledger.Entry) (bool, error) {
			switch e.State {
			case ledger.Committed:
				done++
				parts = append(parts, "Done before: "+e.Tool+".")
			case ledger.Started, ledger.Unknown:
				done++
				parts = append(parts, "Whether "+e.Tool+" happened is not known.")
			}
			return true, nil
		})
	})
	if err == nil && r.Status == run.Paused {
		err = a.Store.Shown().Read(func(tx store.Tx) error { // those of all turns: another's may be damaged
			return tx.Approvals(ledger.Pending, func(p ledger.Approval) (bool, error) {
				if p.Turn == r.Turn {
					parts = append(parts, "It proposed, and nobody has decided yet: "+model.OneLine(p.Title, 200)+".")
				}
				return true, nil
			})
		})
	}
	if done == 0 {
		parts = append(parts, "Nothing was changed.")
	}
	return strings.Join(parts, " "), err
}
