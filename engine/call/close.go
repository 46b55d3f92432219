package call

import (
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// Close answers every call of a turn that can no longer run: its approval becomes
// void and its ledger row refused. A call that has started stays as it is.
func Close(row run.Run, why string, now time.Time) graph.Change {
	return graph.In(func(tx ledger.Tx, tell graph.Tell) error {
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
		for _, e := range open {
			if err := ledger.Refuse(tx, e.Call, model.JSON(map[string]string{"reason": why}), now); err != nil {
				return err
			}
			tell(journal.Event{Kind: journal.ToolRefused, At: now, Session: row.Session, Turn: row.Turn,
				Tool: e.Tool, Call: e.Call, Approval: e.Approval, Reason: why})
		}
		return nil
	})
}
