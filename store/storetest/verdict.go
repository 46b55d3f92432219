package storetest

import (
	"errors"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// Decide stores a verdict as the app does: with the word of it in the journal. An empty
// digest is the stored one. A session that is not there is made.
func Decide(db *store.DB, v ledger.Verdict, now time.Time) (a ledger.Approval, err error) {
	if err := db.Read(func(tx store.Tx) (err error) { a, err = tx.Approval(v.ID); return err }); err != nil {
		return a, err
	}
	if v.Digest == "" {
		v.Digest = a.Digest
	}
	if _, err := db.Session(a.Session); errors.Is(err, session.ErrNotFound) {
		if err := db.PutSession(session.Session{ID: a.Session}); err != nil {
			return a, err
		}
	}
	err = db.AppendEvents(a.Session, a.Turn, []journal.Event{v.Event(a, now)}, func(tx store.Tx) error {
		a, err = ledger.Decide(tx, v, now)
		return err
	})
	return a, err
}
