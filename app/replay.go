package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// Checkpoint is one of a turn's, with the stages that come after it.
type Checkpoint struct {
	Step int             `json:"step"`
	Next []graph.StageID `json:"next"`
	// Refused says why no turn can begin there; "" for one that can.
	Refused string `json:"refused,omitempty"`
}

// Checkpoints lists those of a turn, the beginning first.
func (a *App) Checkpoints(turn string) ([]Checkpoint, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return nil, err
	}
	x, g, err := a.agentOf(row)
	if err != nil {
		return nil, err
	}
	out := []Checkpoint{}
	for step := 0; step <= row.Step; step++ {
		p, err := a.pointOf(x, g, row, step)
		if err != nil && !errors.Is(err, run.ErrNoPoint) {
			return nil, err
		}
		if len(p.Frontier) == 0 {
			continue // the end
		}
		c := Checkpoint{Step: step, Next: p.Frontier}
		if err != nil {
			c.Refused = strings.TrimPrefix(err.Error(), run.ErrNoPoint.Error()+": ")
		}
		out = append(out, c)
	}
	return out, nil
}

// Replay asks what a turn was asked again in a new turn of the session, which begins at
// one of its checkpoints: what was done before it is kept. The old turn stays.
func (a *App) Replay(ctx context.Context, turn string, step int) (Started, error) {
	s, err := a.replay(turn, step)
	if err != nil {
		return Started{}, err
	}
	return a.StartTurn(ctx, s)
}

// ReplayTurn is Replay and drives the new turn to its end or pause.
func (a *App) ReplayTurn(ctx context.Context, turn string, step int) (run.Outcome, error) {
	s, err := a.replay(turn, step)
	if err != nil {
		return run.Outcome{}, err
	}
	return a.RunTurn(ctx, s)
}

func (a *App) replay(turn string, step int) (TurnRequest, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return TurnRequest{}, err
	}
	s, err := a.sameAgain(row)
	if err != nil {
		return s, err
	}
	s.from = func(x *registered, g *graph.Graph) (*run.Point, error) {
		if !g.Recognizes(row.Fingerprint) {
			return nil, Bad("The agent's graph has changed since that turn.", "Ask again instead.")
		}
		p, err := a.pointOf(x, g, row, step)
		if errors.Is(err, run.ErrNoPoint) {
			return nil, Bad(fmt.Sprintf("The turn cannot be replayed from checkpoint %d: %s.", step, strings.TrimPrefix(err.Error(), run.ErrNoPoint.Error()+": ")),
				"Choose another: holdpoint replay "+row.Turn+" lists them.")
		}
		return &p, err
	}
	return s, nil
}

// pointOf reads a checkpoint of a turn out of the journal.
func (a *App) pointOf(x *registered, g *graph.Graph, row run.Run, step int) (p run.Point, err error) {
	begin, err := a.beginning(x.Agent, row)
	if err != nil {
		return p, err
	}
	var events []journal.Event
	for after := uint64(0); ; {
		some, err := a.Store.Journal(row.Session, after, 1000)
		if err != nil {
			return p, err
		}
		if len(some) == 0 {
			break
		}
		after = some[len(some)-1].Seq
		for _, e := range some {
			if e.Turn == row.Turn {
				events = append(events, e)
			}
		}
	}
	for _, e := range events {
		if e.Kind != journal.TurnStarted {
			continue
		}
		if d, err := journal.Read[journal.TurnStartedData](e); err == nil && d.Replays != nil {
			return p, fmt.Errorf("%w: it is a replay itself; replay the turn %s", run.ErrNoPoint, d.Replays.Turn)
		}
	}
	err = a.Store.Read(func(tx store.Tx) error {
		p, err = run.PointAt(g, row.Turn, step, begin, events, tx.Blob)
		return err
	})
	return p, err
}

// beginning is the state that a turn began with.
func (a *App) beginning(x agent.Agent, row run.Run) (graph.Patch, error) {
	runs, err := a.Store.RunsAfter(row.Session, 0)
	if err != nil {
		return nil, err
	}
	before := 0
	for before < len(runs) && runs[before].ID != row.ID {
		before++
	}
	history, err := a.historyBefore(row.Session, before)
	return x.Begin(turn.Message{Text: row.Input, Vars: row.Vars, History: history}), err
}
