package storetest

import (
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// Admit records a new run with its first channels and events, as an executor does.
func Admit(db *store.DB, row run.Run, set []graph.ChannelValue, events []journal.Event) error {
	return db.Apply(&run.Commit{Run: row.ID, Admit: true, Row: &row, Set: set, Events: events})
}
