package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/board"
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
	past, err := a.pastOf(x, row)
	if errors.Is(err, run.ErrNoPoint) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for step := 0; step <= row.Step; step++ {
		p, err := a.pointOf(g, row, step, past)
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
		past, err := a.pastOf(x, row)
		var p run.Point
		if err == nil {
			p, err = a.pointOf(g, row, step, past)
		}
		if errors.Is(err, run.ErrNoPoint) {
			return nil, Bad(fmt.Sprintf("The turn cannot be replayed from checkpoint %d: %s.", step, strings.TrimPrefix(err.Error(), run.ErrNoPoint.Error()+": ")),
				"Choose another: holdpoint replay "+row.Turn+" lists them.")
		}
		return &p, err
	}
	return s, nil
}

// past is what a turn began with and what it told.
type past struct {
	begin  graph.Patch
	events []journal.Event
}

// pastOf reads it. The error wraps run.ErrNoPoint for a turn without checkpoints of its own.
func (a *App) pastOf(x *registered, row run.Run) (p past, err error) {
	if p.begin, err = a.beginning(x.Agent, row); err != nil {
		return p, err
	}
	replays := ""
	err = a.eachEvent(row.Session, func(e journal.Event) bool {
		if e.Turn != row.Turn {
			return true
		}
		p.events = append(p.events, e)
		if e.Kind == journal.TurnStarted {
			if d, err := journal.Read[journal.TurnStartedData](e); err == nil && d.Replays != nil {
				replays = d.Replays.Turn
			}
		}
		return true
	})
	if err == nil && replays != "" {
		err = fmt.Errorf("%w: it is a replay itself; replay the turn %s", run.ErrNoPoint, replays)
	}
	return p, err
}

// pointOf reads a checkpoint of a turn out of its past.
func (a *App) pointOf(g *graph.Graph, row run.Run, step int, past past) (p run.Point, err error) {
	err = a.Store.Read(func(tx store.Tx) error {
		p, err = run.PointAt(g, row.Turn, step, past.begin, past.events, tx.Blob)
		return err
	})
	return p, err
}

// beginning is the state that a turn began with.
func (a *App) beginning(x agent.Agent, row run.Run) (graph.Patch, error) {
	before, err := a.turnsBefore(row)
	if err != nil {
		return nil, err
	}
	history, err := a.historyBefore(row.Session, before)
	if err != nil {
		return nil, err
	}
	message := turn.Message{Text: row.Input, Vars: row.Vars, History: history}
	if earlier := row.Vars[board.ContinuesVar]; earlier != "" && earlier != board.ContinuesNone {
		if err := a.earlier(&message, earlier); err != nil {
			return nil, err
		}
	}
	return x.Begin(message), nil
}
