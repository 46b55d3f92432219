package app

import (
	"slices"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/store"
)

// RecordVerdict is who approved a change of a record that was carried out.
type RecordVerdict struct {
	Approval  string          `json:"approval"`
	Tool      string          `json:"tool"`
	ToolTitle string          `json:"tool_title,omitempty"`
	Reviewer  string          `json:"reviewer"`
	Identity  ledger.Identity `json:"identity,omitempty"`
	Meaning   string          `json:"meaning,omitempty"`
	DecidedAt time.Time       `json:"decided_at"`
	UsedAt    time.Time       `json:"used_at,omitzero"`
	Digest    string          `json:"digest"`
	// Modified says that the reviewer changed what the agent had asked for, Practice that a
	// script had asked.
	Modified bool `json:"modified,omitempty"`
	Practice bool `json:"practice,omitempty"`
	// Session is where it was asked; "" for one that was deleted since.
	Session      string `json:"session,omitempty"`
	SessionTitle string `json:"session_title,omitempty"`
}

// ApprovedFor lists who approved what was done to a record, the newest first, also where the
// session was deleted since. It looks through all approvals that were used, without decoding
// those of other records: nothing leads from a record to them.
func (a *App) ApprovedFor(typ, id string) ([]RecordVerdict, error) {
	ref, out := record.Ref{Type: typ, ID: id}, []RecordVerdict{}
	names := a.agents.names()
	var turns []string
	err := a.Store.Shown().Read(func(tx store.Tx) error {
		out, turns = out[:0], nil
		return tx.ApprovalsNaming(ref.ID, ledger.Used, func(ap ledger.Approval) (bool, error) {
			if ap.DecidedAt == nil || !slices.ContainsFunc(ap.Changes, func(c ledger.Change) bool { return c.Ref == ref }) {
				return true, nil
			}
			e, err := tx.Entry(ap.Call)
			if err != nil || e.State != ledger.Committed {
				return true, err
			}
			v := RecordVerdict{Approval: ap.ID, Tool: ap.Tool, ToolTitle: names[ap.Tool], Reviewer: ap.Reviewer, Identity: ap.Identity, Meaning: ap.Meaning,
				DecidedAt: *ap.DecidedAt, Digest: ap.Digest, Modified: ap.Original != nil, Practice: ap.Practice}
			if ap.UsedAt != nil {
				v.UsedAt = *ap.UsedAt
			}
			if !ap.Erased {
				v.Session = ap.Session
			}
			out, turns = append(out, v), append(turns, ap.Turn)
			return true, nil
		})
	})
	for i := range out {
		if out[i].Session == "" {
			continue
		}
		out[i].SessionTitle = a.sessionTitle(out[i].Session)
		if row, err := a.Store.Run(RunID(turns[i])); err == nil {
			out[i].Practice = row.Practice
		}
	}
	slices.Reverse(out)
	return out, err
}
