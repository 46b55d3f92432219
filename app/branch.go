package app

import (
	"cmp"
	"errors"
	"strings"

	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// branched completes a request that makes a session from another one: nothing of the other
// is changed.
func (a *App) branched(s TurnRequest) (TurnRequest, error) {
	if s.Branch == "" {
		return s, nil
	}
	s.Branch = strings.TrimPrefix(s.Branch, "turn:")
	if s.Session != "" {
		return s, Bad("A branch is a session of its own.", "Leave the session out.")
	}
	row, err := a.Store.Run(RunID(s.Branch))
	if err != nil {
		return s, err
	}
	same, err := a.sameAgain(row)
	if err != nil {
		return s, err
	}
	same.Session, same.Branch, same.Text = "", s.Branch, s.Text
	if s.Agent != "" && s.Agent != row.Agent {
		same.Agent, same.Definition = s.Agent, ""
		delete(same.Vars, "pattern")
	}
	for k, v := range s.Vars {
		same.Vars[k] = v
	}
	same.Subject, same.Patient, same.Practice = cmp.Or(s.Subject, same.Subject), cmp.Or(s.Patient, same.Patient), s.Practice || row.Practice && a.Models.practice.on
	if s.Practice {
		same.Manner = s.Manner
	}
	return same, nil
}

// stretch is a number of turns of a session, from its first.
type stretch struct {
	session string
	turns   int
}

// mostBranches bounds how far a past is followed from session to session.
const mostBranches = 64

// lineage is what the past of a session's first turns is made of, oldest first: turns of
// the sessions that it was made from, then its own. What was deleted of it is not there.
func (a *App) lineage(id string, turns int) ([]stretch, error) {
	past := []stretch{{id, turns}}
	for range mostBranches {
		row, err := a.Store.Session(past[0].session)
		if errors.Is(err, session.ErrNotFound) || err == nil && row.Branch == "" {
			return past, nil
		}
		if err != nil {
			return nil, err
		}
		before, err := a.Store.Run(RunID(row.Branch))
		if errors.Is(err, run.ErrNoRun) {
			return past, nil
		}
		if err != nil {
			return nil, err
		}
		n, err := a.turnsBefore(before)
		if err != nil {
			return nil, err
		}
		past = append([]stretch{{before.Session, n}}, past...)
	}
	return past, nil
}

// pastBefore is what was before a turn.
func (a *App) pastBefore(turn string) ([]stretch, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return nil, err
	}
	n, err := a.turnsBefore(row)
	if err != nil {
		return nil, err
	}
	return a.lineage(row.Session, n)
}

// turnsBefore counts the turns of a run's session that began before it.
func (a *App) turnsBefore(row run.Run) (int, error) {
	runs, err := a.Store.RunsOf(row.Session)
	n := 0
	for n < len(runs) && runs[n].ID != row.ID {
		n++
	}
	return n, err
}

// runsAfter lists the runs of a past behind its first n, oldest first.
func (a *App) runsAfter(past []stretch, n int) (out []run.Run, err error) {
	for _, p := range past {
		if n >= p.turns {
			n -= p.turns
			continue
		}
		runs, err := a.Store.RunsAfter(p.session, n, p.turns-n)
		if err != nil {
			return nil, err
		}
		out = append(out, runs...)
		n = 0
	}
	return out, nil
}
