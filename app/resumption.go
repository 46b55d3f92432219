package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// Resume continues a turn in the background. A turn that came to a limit needs More.
func (a *App) Resume(ctx context.Context, turn string) error { return a.resume(ctx, turn, nil) }

// ResumeTurn continues a turn and drives it to its end or next pause. A turn that
// waits for a verdict or an answer that nobody gave is returned as it is.
func (a *App) ResumeTurn(ctx context.Context, turn string) (run.Outcome, error) {
	return a.resumeTurn(ctx, turn, nil)
}

// resume returns once the turn goes on, on disk, or cannot.
func (a *App) resume(ctx context.Context, turn string, grant *Grant) error {
	turn = strings.TrimPrefix(turn, "turn:")
	r, row, g, err := a.resumption(ctx, turn, grant)
	if err != nil {
		return err
	}
	l, err := a.begin(turn, row.Session)
	if err != nil {
		return err
	}
	events, stop := a.Listen(row.Session)
	ended := make(chan error, 1)
	a.background(l, func(ctx context.Context) {
		_, err := saved(a.exec.Resume(ctx, g, RunID(turn), r))
		a.report(row.Session, err)
		ended <- err
	})
	defer stop()
	for {
		select {
		case err := <-ended:
			return err
		case e, open := <-events:
			if !open || e.Turn == turn && e.Kind == journal.TurnResumed {
				return nil
			}
		}
	}
}

func (a *App) resumeTurn(ctx context.Context, turn string, grant *Grant) (run.Outcome, error) {
	turn = strings.TrimPrefix(turn, "turn:")
	r, row, g, err := a.resumption(ctx, turn, grant)
	if err != nil {
		return run.Outcome{}, err
	}
	if _, err := a.begin(turn, row.Session); err != nil {
		return run.Outcome{}, err
	}
	defer a.finished(turn)
	return saved(a.exec.Resume(ctx, g, RunID(turn), r))
}

// resumption collects what a stopped turn goes on with: its agent's graph, the
// verdicts that it waits for, and more of the limit that it came to.
func (a *App) resumption(ctx context.Context, id string, grant *Grant) (run.Resumption, run.Run, *graph.Graph, error) {
	cp, err := a.Store.Load(RunID(id))
	if err != nil {
		return run.Resumption{}, run.Run{}, nil, err
	}
	r := run.Resumption{Answers: map[string]json.RawMessage{}, Caller: a.caller(ctx).Subject}
	if grant != nil {
		if r.MoreSteps, r.More, err = more(cp.Run, *grant); err != nil {
			return r, cp.Run, nil, err
		}
		r.By = cmp.Or(strings.Join(strings.Fields(grant.By), " "), a.DefaultReviewer())
	}
	x, g, err := a.agentOf(cp.Run)
	if err != nil {
		return r, cp.Run, nil, err
	}
	if cp.Run.Status == run.Completed {
		return r, cp.Run, g, nil
	}
	deps, _, err := a.dependenciesOf(ctx, x, played(cp.Run), cp.Run.Input)
	if noModel(err) && ctx.Err() == nil && asksNoModel(g.Spec()) {
		deps, err = a.dependenciesWithout(ctx, x, err)
	}
	if err != nil {
		return r, cp.Run, g, err
	}
	r.Dependencies = deps
	err = a.Store.Read(func(tx store.Tx) error {
		for _, p := range cp.Pauses {
			if p.Kind != turn.ApprovalPause || p.Answer != nil {
				continue
			}
			ap, err := tx.Approval(p.ID)
			if err != nil {
				return fmt.Errorf("app: the approval this turn waits for cannot be read, so it stays paused: %w", err)
			}
			if s := ap.At(a.now()); s != ledger.Pending {
				// The answer only wakes the stage, which reads the approval again itself.
				raw, err := json.Marshal(map[string]any{"approval": ap.ID, "status": s})
				if err != nil {
					return err
				}
				r.Answers[p.ID] = raw
			}
		}
		return tx.Entries(id, func(e ledger.Entry) (bool, error) {
			if e.State == ledger.Started || e.State == ledger.Unknown {
				r.Unknown++
			}
			return true, nil
		})
	})
	return r, cp.Run, g, err
}

// asksNoModel says that no stage of a graph asks a model: such a turn goes on without one.
func asksNoModel(s *graph.Spec) bool {
	for i := range s.Stages {
		st := &s.Stages[i]
		switch {
		case st.Graph != nil:
			if !asksNoModel(st.Graph) {
				return false
			}
		case st.Role == graph.RolePreflight || st.Role == graph.RoleIntervention:
		case st.Kind == definition.KindHuman || st.Kind == definition.KindTool || st.Kind == definition.KindTransform:
		case strings.HasSuffix(st.Kind, "_check") || strings.HasSuffix(st.Kind, "_times") || strings.HasSuffix(st.Kind, "_begin") || strings.HasSuffix(st.Kind, "_join"): // of loops, subgraphs and parallels
		default:
			return false
		}
	}
	return true
}

// played is how a run's practice model behaved; it goes on as it began.
func played(row run.Run) playing {
	return playing{row.Practice, model.MannerOf(row.Model)}
}
