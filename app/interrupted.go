package app

import (
	"errors"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// Interrupted is a run that was under way when the app went down.
type Interrupted struct {
	Session     string          `json:"session"`
	Turn        string          `json:"turn"`
	Title       string          `json:"title"`
	Input       string          `json:"input"`
	Kept        int             `json:"kept"`
	Rerun       int             `json:"rerun"`
	Unknown     int             `json:"unknown"`
	KeptStages  []graph.StageID `json:"kept_stages"`
	RerunStages []graph.StageID `json:"rerun_stages"`
	StartedAt   time.Time       `json:"started_at"`
}

// Interrupted lists the runs that say running although nobody drives them.
func (a *App) Interrupted() ([]Interrupted, error) {
	runs, err := a.Store.Shown().RunsWith(run.Running)
	if err != nil {
		return nil, err
	}
	out := []Interrupted{}
	for _, run := range runs {
		if a.Live(run.Turn) || a.exec.Live(run.ID) {
			continue
		}
		i, err := a.interrupted(run)
		if errors.Is(err, session.ErrDamaged) || a.Store.Shown().Passes(err) {
			continue // it cannot be gone on with; the list of sessions says so
		}
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

func (a *App) interrupted(run run.Run) (Interrupted, error) {
	cp, err := a.Store.Load(run.ID)
	if err != nil {
		return Interrupted{}, err
	}
	if x, err := a.runAgent(run); err == nil && x.Whom != nil {
		run.Input = "" // the list is everybody's
	}
	if a.inDanger(run) {
		run.Input = ""
	}
	i := Interrupted{Session: run.Session, Turn: run.Turn, Input: run.Input, StartedAt: run.StartedAt,
		KeptStages: []graph.StageID{}, RerunStages: []graph.StageID{}}
	if s, err := a.Store.Session(run.Session); err == nil {
		i.Title = a.titled(s, a.Tongue())
	} else {
		return i, err
	}
	pending := map[graph.StageID]bool{}
	for _, p := range cp.Pending {
		pending[p.Stage] = true
		i.KeptStages = append(i.KeptStages, p.Stage)
	}
	i.KeptStages = append(i.KeptStages, a.keptStages(run)...)
	for _, s := range run.Frontier {
		if !pending[s] {
			i.RerunStages = append(i.RerunStages, s)
		}
	}
	i.Kept, i.Rerun = len(i.KeptStages), len(i.RerunStages)
	err = a.Store.Read(func(tx store.Tx) error {
		return tx.Entries(run.Turn, func(e ledger.Entry) (bool, error) {
			if e.State == ledger.Started || e.State == ledger.Unknown {
				i.Unknown++
			}
			return true, nil
		})
	})
	return i, err
}

// keptStages are the finished stages of the outermost graph, in the graph's order,
// or by name when the graph is not known any more.
func (a *App) keptStages(run run.Run) []graph.StageID {
	var order []graph.StageID
	if _, g, err := a.agentOf(run); err == nil {
		if g, err = grown(g, run); err == nil {
			for _, s := range g.Manifest().Stages {
				order = append(order, s.ID)
			}
		}
	}
	if order == nil {
		for _, c := range run.Finished {
			order = append(order, c.Stage)
		}
		slices.Sort(order)
	}
	return slices.DeleteFunc(order, func(id graph.StageID) bool { return run.Finished.Of(id) == 0 || strings.Contains(string(id), "/") })
}
