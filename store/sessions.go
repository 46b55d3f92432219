package store

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// sessionRow is a session with the counters that only the store needs.
type sessionRow struct {
	Session session.Session `json:"session"`
	LastSeq uint64          `json:"last_seq"`
	// Runs is the number of the newest run.
	Runs uint64 `json:"runs"`
}

// SessionQuery chooses sessions for Sessions. The zero value chooses all.
type SessionQuery struct {
	// Limit is the most that are returned; 0 for no limit.
	Limit int
	// Before is CursorOf the last session of the page before; "" for the first page.
	Before string
	// Search is a part of the title, in any case.
	Search string
	// Status is an exact status, e.g. "paused".
	Status string
}

func sessionTimeKey(s session.Session) []byte {
	return textKey(timeKey(nil, s.UpdatedAt), s.ID)
}

// CursorOf is the position behind s in the list of sessions.
func CursorOf(s session.Session) string {
	return base64.RawURLEncoding.EncodeToString(sessionTimeKey(s))
}

func (t *tx) sessionRow(id string) (sessionRow, bool, error) {
	var row sessionRow
	ok, err := t.getJSON(sessionsBucket, key(id), &row)
	if err == nil && ok && row.Session.ID != id {
		err = misplaced(sessionsBucket, id)
	}
	return row, ok, err
}

func (t *tx) needSession(id string) (sessionRow, error) {
	row, ok, err := t.sessionRow(id)
	if err == nil && !ok {
		err = fmt.Errorf("store: session %q: %w", id, session.ErrNotFound)
	}
	return row, err
}

// putSession writes the row and moves it in the index by time.
func (t *tx) putSession(row sessionRow) error {
	old, _, err := t.sessionRow(row.Session.ID)
	if err != nil {
		return err
	}
	return t.replaceSession(old, row)
}

// replaceSession is putSession where the row before is known; a new one has no id.
func (t *tx) replaceSession(old, row sessionRow) error {
	id, existed := row.Session.ID, old.Session.ID != ""
	now := sessionTimeKey(row.Session)
	if existed {
		if was := sessionTimeKey(old.Session); !bytes.Equal(was, now) {
			if err := t.del(sessionsByTime, was); err != nil {
				return err
			}
			existed = false
		}
	}
	if !existed {
		if err := t.put(sessionsByTime, now, nil); err != nil {
			return err
		}
	}
	return t.putJSON(sessionsBucket, key(id), row)
}

// pendingOf counts the approvals of a session that wait for a person.
func (t *tx) pendingOf(id string) (int, error) {
	n := 0
	err := t.scanPrefix(approvalsBySession, key(id), func(_, a []byte) (bool, error) {
		row, ok, err := t.approvalRow(string(a))
		if err == nil && !ok {
			err = dangling(approvalsBySession, string(a))
		}
		if err == nil && row.Approval.Status == ledger.Pending {
			n++
		}
		return true, err
	})
	return n, err
}

const titleRunes = 60

// titleOf makes a title of a message: its beginning on one line, without control
// and other invisible characters.
func titleOf(input string) string {
	var words []string
	for _, w := range strings.Fields(input) {
		if w = strings.Map(func(r rune) rune {
			if !unicode.IsGraphic(r) {
				return -1
			}
			return r
		}, w); w != "" {
			words = append(words, w)
		}
	}
	title := []rune(strings.Join(words, " "))
	if len(title) > titleRunes {
		return strings.TrimRight(string(title[:titleRunes-1]), " ") + "…"
	}
	return string(title)
}

// admitted brings a session's row, old, up to date with a new run, whose number is in row.
func (t *tx) admitted(run run.Run) (old, row sessionRow, err error) {
	row, existed, err := t.sessionRow(run.Session)
	if err != nil {
		return old, row, err
	}
	old = row
	s := &row.Session
	if !existed {
		s.ID, s.CreatedAt = run.Session, run.StartedAt
		if s.Approvals, err = t.pendingOf(run.Session); err != nil {
			return old, row, err
		}
	}
	if s.Title == "" {
		s.Title = titleOf(run.Input)
	}
	if s.Agent == "" {
		s.Agent = run.Agent
	}
	if s.Patient == "" {
		s.Patient = run.Vars["patient"]
	}
	s.Practice = s.Practice || run.Practice
	s.Turns++
	s.Status = string(run.Status)
	s.UpdatedAt = run.StartedAt
	if run.UpdatedAt.After(s.UpdatedAt) {
		s.UpdatedAt = run.UpdatedAt
	}
	row.Runs++
	return old, row, nil
}

// Session returns a session or an error that wraps session.ErrNotFound.
func (db *DB) Session(id string) (session.Session, error) {
	var row sessionRow
	err := db.view(func(t *tx) (err error) {
		row, err = t.needSession(id)
		return err
	})
	return row.Session, err
}

// PutSession inserts a session or changes what people choose about it. Turns and
// Approvals are counted by the store; so is the status once there are turns.
func (db *DB) PutSession(s session.Session) error {
	if err := checkID("session", s.ID); err != nil {
		return err
	}
	return db.update(func(t *tx) error {
		row, existed, err := t.sessionRow(s.ID)
		if err != nil {
			return err
		}
		if existed {
			s.Turns, s.Approvals = row.Session.Turns, row.Session.Approvals
			if s.Turns > 0 {
				s.Status = row.Session.Status
			}
		} else {
			s.Turns = 0
			if s.Approvals, err = t.pendingOf(s.ID); err != nil {
				return err
			}
		}
		row.Session = s
		return t.putSession(row)
	})
}

// Sessions lists sessions, newest updated first.
func (db *DB) Sessions(q SessionQuery) ([]session.Session, error) {
	var hi []byte
	if q.Before != "" {
		var err error
		if hi, err = base64.RawURLEncoding.DecodeString(q.Before); err != nil || len(hi) < timeKeyLen {
			return nil, fmt.Errorf("store: sessions before %q: %w", q.Before, ErrCursor)
		}
	}
	search := strings.ToLower(q.Search)
	var found []session.Session
	err := db.view(func(t *tx) error {
		return t.scanDown(sessionsByTime, nil, hi, func(k, _ []byte) (bool, error) {
			if len(k) < timeKeyLen {
				return false, fmt.Errorf("store: %s: %w", bucketNames[sessionsByTime], ErrDamaged)
			}
			parts, err := splitTexts(k[timeKeyLen:], 1)
			if err != nil {
				return false, err
			}
			row, ok, err := t.sessionRow(parts[0])
			if err != nil {
				return false, err
			}
			if !ok {
				return false, dangling(sessionsByTime, parts[0])
			}
			s := row.Session
			if q.Status != "" && s.Status != q.Status || !strings.Contains(strings.ToLower(s.Title), search) {
				return true, nil
			}
			found = append(found, s)
			return q.Limit <= 0 || len(found) < q.Limit, nil
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// DeleteSession removes a session with its runs, their state, the journal, the
// approvals, the skip gates and the blobs that no other session holds.
//
// Ledger entries of calls that were committed, or of which nobody knows whether
// they were (started, unknown), stay: what they did stays as well, and their call id must
// not be used again. So do records and settings. The space is reused; only
// Compact gives it back and removes the old bytes from the file.
func (db *DB) DeleteSession(id string) error {
	return db.update(func(t *tx) error {
		row, err := t.needSession(id)
		if err != nil {
			return err
		}
		if err := t.dropRuns(id); err != nil {
			return err
		}
		if err := t.dropApprovals(id); err != nil {
			return err
		}
		if err := t.dropEntries(id); err != nil {
			return err
		}
		if err := t.dropBlobs(id); err != nil {
			return err
		}
		for _, b := range []bucket{journalBucket, skipsBucket} {
			if err := t.delPrefix(b, key(id)); err != nil {
				return err
			}
		}
		if err := t.del(sessionsByTime, sessionTimeKey(row.Session)); err != nil {
			return err
		}
		return t.del(sessionsBucket, key(id))
	})
}

func (t *tx) dropRuns(session string) error {
	return t.scanPrefix(runsBySession, key(session), func(k, id []byte) (bool, error) {
		row, err := t.needRun(graph.RunID(id))
		if errors.Is(err, run.ErrNoRun) {
			err = dangling(runsBySession, string(id))
		}
		if err != nil {
			return false, err
		}
		for _, b := range []bucket{channelsBucket, pendingBucket, pausesBucket} {
			if err := t.delPrefix(b, key(string(id))); err != nil {
				return false, err
			}
		}
		if err := t.del(runsByStatus, key(string(row.Run.Status), string(id))); err != nil {
			return false, err
		}
		if err := t.del(runsBucket, key(string(id))); err != nil {
			return false, err
		}
		return true, t.del(runsBySession, k)
	})
}

func (t *tx) dropApprovals(session string) error {
	return t.scanPrefix(approvalsBySession, key(session), func(k, id []byte) (bool, error) {
		row, ok, err := t.approvalRow(string(id))
		if err != nil {
			return false, err
		}
		if !ok {
			return false, dangling(approvalsBySession, string(id))
		}
		if err := t.del(approvalsByOrder, numKey(nil, row.N)); err != nil {
			return false, err
		}
		if err := t.del(approvalsByStatus, numKey(key(string(row.Approval.Status)), row.N)); err != nil {
			return false, err
		}
		if err := t.del(approvalsBucket, key(string(id))); err != nil {
			return false, err
		}
		return true, t.del(approvalsBySession, k)
	})
}

// dropEntries deletes the entries of calls that certainly had no effect.
func (t *tx) dropEntries(session string) error {
	return t.scanPrefix(entriesByOrder, nil, func(_, call []byte) (bool, error) {
		row, ok, err := t.entryRow(string(call))
		if err != nil {
			return false, err
		}
		if !ok {
			return false, dangling(entriesByOrder, string(call))
		}
		if row.Entry.Session != session || hadEffect(row.Entry.State) {
			return true, nil
		}
		return true, t.delEntry(row)
	})
}

func hadEffect(s ledger.State) bool {
	return s == ledger.Committed || s == ledger.Started || s == ledger.Unknown
}
