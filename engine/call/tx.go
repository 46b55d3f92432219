package call

import (
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

// Tx is what a call may change in one transaction.
type Tx interface {
	record.Tx
	ledger.Tx
}

func (r *Round) view(fn func(Tx) error) error { return graph.View(r.Task, fn) }

func (r *Round) commit(do func(tx Tx, tell graph.Tell) error, events ...journal.Event) error {
	return r.Task.Commit(graph.In(do), events...)
}
