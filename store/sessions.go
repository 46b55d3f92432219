package store

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
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
	// Also chooses sessions whose title has no such part; nil chooses none. It must not
	// use the store.
	Also func(session.Session) bool
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

var (
	sessions = table[sessionRow]{name: "sessions", since: 1,
		key:     func(r *sessionRow) []byte { return key(r.Session.ID) },
		indexes: []*index[sessionRow]{&sessionsByTime}}

	sessionsByTime = index[sessionRow]{name: "sessions_by_time", since: 1,
		keys: func(r *sessionRow) [][]byte { return [][]byte{sessionTimeKey(r.Session)} },
		rest: func(k []byte) ([]byte, error) {
			if len(k) < timeKeyLen {
				return nil, fmt.Errorf("store: sessions_by_time: %w", ErrDamaged)
			}
			return k[timeKeyLen:], nil
		}}
)

func init() {
	sessions.verify = func(c *checker) func(*sessionRow) error {
		return func(r *sessionRow) error {
			newest, err := c.tx.newest(r.Session.ID)
			if err != nil {
				return err
			}
			if r.LastSeq != newest {
				return fmt.Errorf("newest event is %d, the row says %d", newest, r.LastSeq)
			}
			pending, err := c.tx.pendingOf(r.Session.ID)
			if err != nil {
				return err
			}
			if pending != r.Session.Approvals {
				return fmt.Errorf("%d approvals are pending, the row says %d", pending, r.Session.Approvals)
			}
			return c.tx.countsRuns(r)
		}
	}
	sessions.advice = func(t *tx, k []byte, itself bool) error {
		of, err := id(k)
		if err != nil || t.has(sessions.bucket, k) != nil {
			return nil
		}
		if itself {
			return fmt.Errorf("its row is damaged; holdpoint sessions delete %s deletes it with what belongs to it", of)
		}
		return fmt.Errorf("its row is damaged; it goes with the session that it belongs to: holdpoint sessions delete %s", of)
	}
	sessions.declare()
	migrate(11, namedByDanger)
}

// countsRuns checks what a session's row says about its runs.
func (t *tx) countsRuns(r *sessionRow) error {
	turns, newest := 0, uint64(0)
	var status run.Status
	if err := runs.find(t, &runsBySession, key(r.Session.ID), func(run runRow) (bool, error) {
		turns, newest, status = turns+1, run.N, run.Run.Status
		return true, nil
	}); err != nil {
		return err
	}
	if turns != r.Session.Turns || newest != r.Runs || turns > 0 && string(status) != r.Session.Status {
		return fmt.Errorf("it has %d runs, the newest is %d and %s; the row says %d, %d and %s",
			turns, newest, status, r.Session.Turns, r.Runs, r.Session.Status)
	}
	return nil
}

// damagedSession says whose row cannot be read.
type damagedSession struct {
	id  string
	err error
}

func (e *damagedSession) Error() string {
	return fmt.Sprintf("store: session %q: %v", e.id, session.ErrDamaged)
}

func (e *damagedSession) Unwrap() []error { return []error{session.ErrDamaged, e.err} }

func (t *tx) sessionRow(id string) (sessionRow, bool, error) {
	row, ok, err := sessions.get(t, key(id))
	if errors.Is(err, ErrDamaged) {
		err = &damagedSession{id, err}
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

// before is a row that may not have been there.
func before(row *sessionRow) *sessionRow {
	if row.Session.ID == "" {
		return nil
	}
	return row
}

// pendingOf counts the approvals of a session that wait for a person.
func (t *tx) pendingOf(id string) (int, error) {
	n := 0
	err := approvals.find(t, &approvalsBySession, key(id), func(r approvalRow) (bool, error) {
		if r.Approval.Status == ledger.Pending {
			n++
		}
		return true, nil
	})
	return n, err
}

const titleRunes = 60

// titleOf makes a title of a message: its beginning on one line. What hides in it stays,
// and is written out wherever the title is shown (package visible).
func titleOf(input string) string {
	title := []rune(strings.Join(strings.Fields(input), " "))
	if len(title) > titleRunes {
		return strings.TrimRight(string(title[:titleRunes-1]), " ") + "…"
	}
	return string(title)
}

// titleFrom says that a title is made of a message, by whatever program: older ones took what hides out of it.
func titleFrom(title, input string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, s)
	}
	title = strings.TrimSuffix(bare(title), "…")
	return title != "" && strings.HasPrefix(bare(input), title)
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
		s.Title = titleOf(cmp.Or(run.Title, run.Input))
	}
	if s.Agent == "" {
		s.Agent = run.Agent
	}
	if s.About() == (record.Ref{}) {
		s.SetAbout(session.SubjectOf(run.Vars))
	}
	if s.Turns == 0 && s.Branch == "" {
		s.Branch = run.Vars[session.BranchVar]
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
func (db *DB) Session(id string) (s session.Session, err error) {
	err = db.view(func(t *tx) (err error) {
		s, err = t.Session(id)
		return err
	})
	return s, err
}

func (t *tx) Session(id string) (session.Session, error) {
	row, err := t.needSession(id)
	return row.Session, err
}

var _ session.TitleTx = (*tx)(nil)

func (t *tx) Entitle(id, message, title string) error {
	row, there, err := t.sessionRow(id)
	if err != nil || !there {
		return err
	}
	if was := row.Session.Title; was != titleOf(message) && (was != session.Unnamed || row.Session.Turns > 1) {
		return nil
	}
	old := row
	row.Session.Title = title
	return sessions.put(t, &old, &row)
}

// unname takes a message that brought a check-in out of the title of its session.
func (t *tx) unname(of graph.RunID, s *session.Session, events []journal.Event) error {
	for _, e := range events {
		if titleAfter(e) == "" || s.Title == session.Unnamed || s.Title == session.InDanger {
			continue
		}
		row, err := t.needRun(of)
		if err != nil {
			return err
		}
		if s.Title == titleOf(row.Run.Input) {
			s.Title = session.Unnamed
		}
	}
	return nil
}

// titleAfter is what stands in the place of a message's words after a check of it; "" where they stay.
func titleAfter(e journal.Event) string {
	if e.Kind != journal.SafetyChecked {
		return ""
	}
	d, err := journal.Read[journal.SafetyCheckedData](e)
	switch {
	case err != nil || d.Written != "": // what was written elsewhere than in a message is no title
		return ""
	case d.Hijack:
		return session.InDanger
	case d.Concern && d.Model != nil && d.Model.Weak && slices.Equal(d.FoundBy, []string{"model"}):
		return "" // what no other check had a sign of is no reason to call each session of a very small model alike
	case d.Concern:
		return session.Unnamed
	}
	return ""
}

// namedByDanger takes the words of first messages that brought help out of the titles of sessions. A row that
// cannot be read keeps no store from opening: check names it, and a first turn with one goes without its words.
func namedByDanger(t *tx) error {
	var old []sessionRow
	if err := t.readable(sessions.bucket, nil, func(k, v []byte, err error) bool {
		if err != nil {
			return true
		}
		if row, err := sessions.read(k, v); err == nil {
			old = append(old, row)
		}
		return true
	}); err != nil {
		return err
	}
	for _, was := range old {
		var first run.Run
		bad := t.bad
		if err := runs.find(t, &runsBySession, key(was.Session.ID), func(r runRow) (bool, error) {
			first = r.Run
			return false, nil
		}); err != nil {
			t.bad = bad // a row of another noun, which its check names
			continue
		}
		if first.ID == "" || !titleFrom(was.Session.Title, first.Input) {
			continue
		}
		row := was
		if err := t.readable(journaled.bucket, key(was.Session.ID), func(k, v []byte, err error) bool {
			e, title := journal.Event{}, session.Unnamed // nobody knows what its check found
			if err == nil {
				if e, err = journaled.read(k, v); err == nil {
					title = titleAfter(e)
				}
			}
			if err == nil && e.Turn != "" && e.Turn != first.Turn {
				return false
			}
			if title != "" && row.Session.Title != session.InDanger {
				row.Session.Title = title
			}
			return true
		}); err != nil {
			return err
		}
		if row != was {
			if err := sessions.put(t, &was, &row); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable visits the rows under a prefix, with the error of those that cannot be read.
func (t *tx) readable(b bucket, p []byte, fn func(k, v []byte, err error) (more bool)) error {
	return t.readableIn(b, p, pastPrefix(p), fn)
}

// some says whether there are rows under a prefix, readable or not.
func (t *tx) some(b bucket, p []byte) (some bool, err error) {
	err = t.readable(b, p, func(_, _ []byte, _ error) bool {
		some = true
		return false
	})
	return some, err
}

// readableIn is readable for the rows from lo up to end.
func (t *tx) readableIn(b bucket, lo, end []byte, fn func(k, v []byte, err error) (more bool)) error {
	c := t.kv.cursor(b, lo, end)
	for k, stored, err := c.seek(lo); ; k, stored, err = c.next() {
		if err != nil {
			return t.broken(b, err)
		}
		if k == nil || end != nil && bytes.Compare(k, end) >= 0 {
			return nil
		}
		v, err := t.load(b, k, stored)
		if !fn(k, v, err) {
			return nil
		}
	}
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
		old := row
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
		return sessions.put(t, before(&old), &row)
	})
}

// Sessions lists sessions, newest updated first. One whose row is damaged is among them, as Damaged.
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
		return t.scanDown(sessionsByTime.bucket, nil, hi, func(k, v []byte) (bool, error) {
			row, err := sessions.follow(t, &sessionsByTime, k, v)
			s := row.Session
			if errors.Is(err, ErrDamaged) {
				t.passOver()
				s, err = unreadable(k)
			}
			if err != nil {
				return false, err
			}
			if q.Status != "" && s.Status != q.Status || !strings.Contains(strings.ToLower(s.Title), search) && (q.Also == nil || !q.Also(s)) {
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

// unreadable is what a key of sessionsByTime says of a session.
func unreadable(k []byte) (s session.Session, err error) {
	at, err := splitTime(k)
	if err != nil {
		return s, err
	}
	of, err := id(k[timeKeyLen:])
	return session.Session{ID: of, Title: session.Unreadable, UpdatedAt: at, Damaged: true}, err
}

// RebuildSession makes a damaged row anew out of what belongs to the session, so that it can be
// deleted, and what leads to it. One that can be read stays as it is.
func (db *DB) RebuildSession(of string) error {
	return db.update(func(t *tx) error {
		if err := t.mendIndexesOf(sessions.name, key(of)); err != nil {
			return err
		}
		switch _, there, err := t.sessionRow(of); {
		case err != nil && !errors.Is(err, ErrDamaged):
			return err
		case err == nil && there:
			return nil
		}
		t.listing = true // a row of the session's that cannot be read goes with it
		row := sessionRow{Session: session.Session{ID: of, Title: session.Unreadable}}
		s := &row.Session
		var places [][]byte
		if err := t.scan(sessionsByTime.bucket, nil, nil, func(k, _ []byte) (bool, error) {
			if u, err := unreadable(k); err == nil && u.ID == of {
				places, s.UpdatedAt = append(places, bytes.Clone(k)), u.UpdatedAt
			}
			return true, nil
		}); err != nil {
			return err
		}
		if err := runs.find(t, &runsBySession, key(of), func(r runRow) (bool, error) {
			if s.Turns++; s.Turns == 1 {
				s.Agent, s.CreatedAt = r.Run.Agent, r.Run.StartedAt
				s.SetAbout(session.SubjectOf(r.Run.Vars))
			}
			row.Runs, s.Status = r.N, string(r.Run.Status)
			return true, nil
		}); err != nil {
			return err
		}
		if len(places) == 0 && s.Turns == 0 {
			return fmt.Errorf("store: session %q: %w", of, session.ErrNotFound)
		}
		var err error
		if row.LastSeq, err = t.newest(of); err != nil {
			return err
		}
		if s.Approvals, err = t.pendingOf(of); err != nil {
			return err
		}
		for _, k := range places {
			if err := t.del(sessionsByTime.bucket, k); err != nil {
				return err
			}
		}
		return sessions.put(t, nil, &row)
	})
}

// DeleteSession removes a session with its runs, their state, the journal, the
// approvals, the skip gates and the blobs that no other session holds.
//
// Ledger entries of calls that were committed, or of which nobody knows whether
// they were (started, unknown), stay: what they did stays as well, and their call id must
// not be used again. Of their approvals stays who gave them; see ledger.Approval.Kept. Records and
// settings stay, too. The space is reused; only Compact gives it back and removes the old bytes
// from the file.
//
// With it goes what whoever had this as their last session agreed to: ends are those, beside who is known by nothing but
// the session.
func (db *DB) DeleteSession(id string, ends ...string) error {
	return db.update(func(t *tx) error {
		row, err := t.needSession(id)
		if err != nil {
			return err
		}
		if err := t.mendIndexesOf(sessions.name, key(id)); err != nil { // what no index leads to would stay
			return err
		}
		if err := t.leavingOut(func() error { return errors.Join(t.keepEffects(id), t.endConsents(id, ends)) }); err != nil {
			return err
		}
		return sessions.delete(t, &row)
	})
}
