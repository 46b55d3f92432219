package store

import (
	"fmt"

	"holdpoint/engine/journal"
)

// appendEvents numbers the events and writes them; the caller writes the row.
func (t *tx) appendEvents(srow *sessionRow, events []journal.Event) error {
	for i := range events {
		e := &events[i]
		e.Render()
		if e.Kind == journal.Token {
			continue
		}
		if e.Session == "" {
			e.Session = srow.Session.ID
		}
		if e.Session != srow.Session.ID {
			return fmt.Errorf("store: event %s of session %q in a commit of session %q", e.Kind, e.Session, srow.Session.ID)
		}
		srow.LastSeq++
		e.Seq = srow.LastSeq
		if err := t.putJSON(journalBucket, numKey(key(e.Session), e.Seq), e); err != nil {
			return err
		}
		touch(srow, e.At)
	}
	return nil
}

func unnumber(events []journal.Event) {
	for i := range events {
		events[i].Seq = 0
	}
}

// AppendEvents is for changes outside a run, such as a verdict: do runs first, in
// the same transaction; it may be nil. An event without a turn gets turn. On an error nothing is
// left behind. An unknown session is session.ErrNotFound.
func (db *DB) AppendEvents(session, turn string, events []journal.Event, do func(Tx) error) error {
	err := db.update(func(t *tx) error {
		if _, err := t.needSession(session); err != nil {
			return err
		}
		if do != nil {
			t.session = session
			err := do(t)
			t.session = ""
			if err != nil {
				return err
			}
		}
		srow, err := t.needSession(session)
		if err != nil {
			return err
		}
		before := srow
		for i := range events {
			if events[i].Turn == "" {
				events[i].Turn = turn
			}
		}
		if err := t.appendEvents(&srow, events); err != nil {
			return err
		}
		if srow == before {
			return nil
		}
		return t.putSession(srow)
	})
	if err != nil {
		unnumber(events)
	}
	return err
}

// Journal returns the events of a session with a seq above after, oldest first and
// at most limit of them (0: all). An unknown session has none.
func (db *DB) Journal(session string, after uint64, limit int) ([]journal.Event, error) {
	var events []journal.Event
	err := db.view(func(t *tx) error {
		if after == ^uint64(0) {
			return nil
		}
		p := key(session)
		return t.scan(journalBucket, numKey(key(session), after+1), pastPrefix(p), func(k, v []byte) (bool, error) {
			e, err := readEvent(session, p, k, v)
			events = append(events, e)
			return limit <= 0 || len(events) < limit, err
		})
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

func readEvent(session string, prefix, k, raw []byte) (journal.Event, error) {
	var e journal.Event
	seq, err := splitNum(k[len(prefix):])
	if err != nil {
		return e, err
	}
	if err := decode(journalBucket, k, raw, &e); err != nil {
		return e, err
	}
	if e.Seq != seq || e.Session != session {
		return e, misplaced(journalBucket, fmt.Sprintf("%s#%d", session, seq))
	}
	return e, nil
}

// LastSeq is the number of a session's newest event; 0 when there is none.
func (db *DB) LastSeq(session string) (uint64, error) {
	var row sessionRow
	err := db.view(func(t *tx) (err error) {
		row, _, err = t.sessionRow(session)
		return err
	})
	return row.LastSeq, err
}
