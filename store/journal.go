package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

var journaled = table[journal.Event]{name: "journal", since: 1, ascending: true,
	key:   func(e *journal.Event) []byte { return numKey(key(e.Session), e.Seq) },
	owner: &owner[journal.Event]{table: "sessions", key: func(e *journal.Event) []byte { return key(e.Session) }}}

func init() {
	journaled.verify = func(*checker) func(*journal.Event) error {
		session, seq := "", uint64(0)
		return func(e *journal.Event) error {
			if e.Session != session {
				session, seq = e.Session, 0
			}
			was := seq
			if seq = e.Seq; seq != was+1 {
				return fmt.Errorf("event %d follows %d", seq, was)
			}
			return nil
		}
	}
	journaled.declare()
}

// usualEvent is about how many bytes the row of an event has.
const usualEvent = 200

// appendEvents numbers the events and writes them; the caller writes the row.
func (t *tx) appendEvents(srow *sessionRow, events []journal.Event) error {
	at := len(key(srow.Session.ID))
	k := numKey(key(srow.Session.ID), 0)
	rows := make([]byte, 0, usualEvent*len(events)) // they stay as they are until the commit
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
			return fmt.Errorf("store: event %s of session %q in a commit of session %q: %w", e.Kind, e.Session, srow.Session.ID, run.ErrSession)
		}
		srow.LastSeq++
		e.Seq = srow.LastSeq
		binary.BigEndian.PutUint64(k[at:], e.Seq)
		from, err := len(rows), error(nil)
		if rows, err = e.AppendJSON(append(rows, markWhole)); err != nil {
			return fmt.Errorf("store: encode: %w", err)
		}
		if err := t.add(journaled.bucket, k, rows[from:len(rows):len(rows)]); err != nil {
			return err
		}
		touch(srow, e.At)
	}
	if len(t.heard) > 0 && len(events) > 0 {
		t.told = append(t.told, events)
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
		if err := journal.Fit(t, events); err != nil {
			return err
		}
		if err := t.appendEvents(&srow, events); err != nil {
			return err
		}
		if srow == before {
			return nil
		}
		return sessions.put(t, &before, &srow)
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
		return t.scan(journaled.bucket, numKey(key(session), after+1), pastPrefix(key(session)), func(k, v []byte) (bool, error) {
			e, err := journaled.read(k, v)
			events = append(events, e)
			return limit <= 0 || len(events) < limit, err
		})
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// StoredEvent is an event as its row has it, without the cost of reading all of it.
type StoredEvent struct {
	Seq  uint64
	Turn string
	Kind journal.Kind
	JSON json.RawMessage
	// Unread says that its bytes cannot be read, or are not there: Seq is all that is known of the event.
	Unread bool

	session string
}

// Read is the whole event. Where the row has none that can be read it is ErrDamaged.
func (e StoredEvent) Read() (journal.Event, error) {
	k := numKey(key(e.session), e.Seq)
	if e.Unread {
		return journal.Event{}, atRow(journaled.bucket, k, fmt.Errorf("store: %s: %w", journaled.bucket, ErrDamaged))
	}
	return journaled.read(k, e.JSON)
}

// EachEvent shows a session's events with a seq above after, up to last, in order. One that is not there, or of which the
// bytes cannot be read, is Unread. No view is open while fn runs: it may take its time.
func (db *DB) EachEvent(session string, after, last uint64, fn func(StoredEvent) error) error {
	const some = 1000 // a longer view would keep old pages of the file in use
	p := key(session)
	for after < last {
		to := min(last, after+some)
		var found []StoredEvent
		if err := db.view(func(t *tx) error {
			found = found[:0]
			next := after + 1
			absent := func(until uint64) {
				for ; next < until; next++ {
					found = append(found, StoredEvent{Seq: next, Unread: true, session: session})
				}
			}
			if err := t.readableIn(journaled.bucket, numKey(p, next), numKey(p, to+1), func(k, v []byte, err error) bool {
				seq, odd := splitNum(k[len(p):])
				if odd != nil || seq < next || seq > to {
					return true // no event has such a key
				}
				absent(seq)
				if err == nil {
					found = append(found, StoredEvent{Seq: seq, Turn: member(v, "turn"), Kind: journal.Kind(member(v, "kind")), JSON: v, session: session})
					next = seq + 1
				} else {
					absent(seq + 1)
				}
				return true
			}); err != nil {
				return err
			}
			absent(to + 1)
			return nil
		}); err != nil {
			return err
		}
		for _, e := range found {
			if err := fn(e); err != nil {
				return err
			}
		}
		after = to
	}
	return nil
}

// member is a text among the first members of an event's row, which come before those
// that others wrote. A quote inside a JSON string is escaped, so the name is no part of one.
func member(raw []byte, name string) (text string) {
	i := bytes.Index(raw, []byte(`"`+name+`":"`))
	if i < 0 {
		return ""
	}
	value := raw[i+len(name)+3:]
	for end := 1; end < len(value); end++ {
		switch value[end] {
		case '\\':
			end++
		case '"':
			if bytes.IndexByte(value[:end], '\\') < 0 {
				return string(value[1:end])
			}
			if json.Unmarshal(value[:end+1], &text) != nil {
				return ""
			}
			return text
		}
	}
	return ""
}

// newest is the number of a session's newest event on disk.
func (t *tx) newest(session string) (seq uint64, err error) {
	p := key(session)
	err = t.scanDown(journaled.bucket, p, pastPrefix(p), func(k, _ []byte) (bool, error) {
		seq, err = splitNum(k[len(p):])
		return false, err
	})
	return seq, err
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
