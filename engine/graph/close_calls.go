package graph

import (
	"encoding/json"
	"time"

	"holdpoint/engine/ledger"
)

// closeCalls answers every call of a turn that will not run any more: its
// approval becomes void and its ledger row refused. A call that started stays as it is.
func closeCalls(row Run, now time.Time, why string) func(Tx, *Commit) error {
	return func(tx Tx, c *Commit) error {
		var open []ledger.Entry
		err := tx.Entries(row.Turn, func(e ledger.Entry) (bool, error) {
			if e.State == ledger.Proposed || e.State == ledger.Cleared {
				open = append(open, e)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		reason, err := json.Marshal(map[string]string{"reason": why})
		if err != nil {
			return err
		}
		var refused []Event
		for _, e := range open {
			if err := ledger.Refuse(tx, e.Call, reason, now); err != nil {
				return err
			}
			refused = append(refused, Event{Kind: ToolRefused, At: now, Session: row.Session, Turn: row.Turn,
				Tool: e.Tool, Call: e.Call, Approval: e.Approval, Reason: why})
		}
		c.Events = append(refused, c.Events...) // the end of the turn stays its last event
		return nil
	}
}
