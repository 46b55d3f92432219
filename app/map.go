package app

import (
	"encoding/json"
	"errors"

	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
)

// noMap says that there is nothing to draw.
func noMap() error {
	return &Fault{Code: "no_map", Message: "There is nothing to draw.", Hint: "Maps are of records with coordinates.", HTTP: 404}
}

// RecordMap draws a record as its agent measures it.
func (a *App) RecordMap(typ, id string) (agent.Map, error) {
	return a.drawn(record.Ref{Type: typ, ID: id}, "", nil)
}

// drawn draws a record with the agent that the tool belongs to.
func (a *App) drawn(about record.Ref, named string, args json.RawMessage) (m agent.Map, err error) {
	err = agent.ErrNoMap
	for _, x := range a.agents.builtIn {
		if x.Map == nil {
			continue
		}
		err = a.Store.ViewRecords(func(tx record.Tx) (err error) {
			m, err = x.Map(tx, about, named, args)
			return err
		})
		if !errors.Is(err, agent.ErrNoMap) {
			break
		}
	}
	var no *tool.Refusal
	switch {
	case errors.Is(err, agent.ErrNoMap):
		return m, noMap()
	case errors.As(err, &no):
		return m, &Fault{Code: "no_map", Message: sentence(no.Reason), HTTP: 404}
	}
	return m, err
}

// ApprovalMap draws what the request that waits was measured by.
func (a *App) ApprovalMap(id string) (agent.Map, error) {
	v, err := a.Approval(id, false)
	if err != nil {
		return agent.Map{}, err
	}
	about, _ := record.ParseRef(v.Subject) // of a session that is about nothing
	return a.drawn(about, v.Tool, v.Args)
}

// TurnMap draws what the last call of a turn that measured something was made of; where
// none did, what the session is about.
func (a *App) TurnMap(turn string) (agent.Map, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return agent.Map{}, err
	}
	about := session.SubjectOf(row.Vars)
	type called struct {
		tool string
		args json.RawMessage
	}
	var calls []called
	err = a.eachEvent(row.Session, func(e journal.Event) bool {
		if e.Turn == row.Turn && e.Kind == journal.ToolStarted {
			if d, err := journal.Read[journal.ToolStartedData](e); err == nil {
				calls = append(calls, called{e.Tool, d.Args})
			}
		}
		return true
	})
	if err != nil {
		return agent.Map{}, err
	}
	for i := len(calls) - 1; i >= 0; i-- {
		if m, err := a.drawn(about, calls[i].tool, calls[i].args); err == nil {
			return m, nil
		}
	}
	return a.drawn(about, "", nil)
}
