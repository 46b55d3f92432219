package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
)

// approvalRow keeps the place of an approval in the order of requests; clocks
// may jump, so order is by number.
type approvalRow struct {
	N        uint64          `json:"n"`
	Approval ledger.Approval `json:"approval"`
}

type entryRow struct {
	N     uint64       `json:"n"`
	Entry ledger.Entry `json:"entry"`
}

// byNumber is an index whose rows are numbered behind a prefix and name the row.
func byNumber[R any](name string, since int, prefix func(r *R) []byte, number func(r *R) uint64, id func(r *R) string) index[R] {
	return index[R]{name: name, since: since, id: id, keys: func(r *R) [][]byte { return [][]byte{numKey(prefix(r), number(r))} }}
}

func (r *approvalRow) number() uint64 { return r.N }
func (r *approvalRow) id() string     { return r.Approval.ID }
func (r *entryRow) number() uint64    { return r.N }
func (r *entryRow) id() string        { return r.Entry.Call }

var (
	approvals = table[approvalRow]{name: "approvals", since: 1,
		key:     func(r *approvalRow) []byte { return key(r.Approval.ID) },
		indexes: []*index[approvalRow]{&approvalsByOrder, &approvalsByStatus, &approvalsBySession},
		owner: &owner[approvalRow]{table: "sessions", key: approvalSession, by: &approvalsBySession, loose: true,
			keep: func(r *approvalRow) bool { return r.Approval.Erased }}}

	approvalsByOrder  = byNumber("approvals_by_order", 1, func(*approvalRow) []byte { return nil }, (*approvalRow).number, (*approvalRow).id)
	approvalsByStatus = byNumber("approvals_by_status", 1, func(r *approvalRow) []byte { return key(string(r.Approval.Status)) },
		(*approvalRow).number, (*approvalRow).id)
	approvalsBySession = byNumber("approvals_by_session", 1, approvalSession, (*approvalRow).number, (*approvalRow).id)

	// Entries of calls that had, or may have had, an effect stay when their session goes.
	entries = table[entryRow]{name: "entries", since: 1,
		key:     func(r *entryRow) []byte { return key(r.Entry.Call) },
		indexes: []*index[entryRow]{&entriesByOrder, &entriesByTurn, &entriesBySession, &entriesByState},
		owner: &owner[entryRow]{table: "sessions", key: entrySession, by: &entriesBySession, loose: true,
			keep: func(r *entryRow) bool { return hadEffect(r.Entry.State) }}}

	entriesByOrder   = byNumber("entries_by_order", 1, func(*entryRow) []byte { return nil }, (*entryRow).number, (*entryRow).id)
	entriesByTurn    = byNumber("entries_by_turn", 1, func(r *entryRow) []byte { return key(r.Entry.Turn) }, (*entryRow).number, (*entryRow).id)
	entriesBySession = byNumber("entries_by_session", 2, entrySession, (*entryRow).number, (*entryRow).id)
	entriesByState   = byNumber("entries_by_state", 4, func(r *entryRow) []byte { return key(string(r.Entry.State)) }, (*entryRow).number, (*entryRow).id)
)

func approvalSession(r *approvalRow) []byte { return key(r.Approval.Session) }
func entrySession(r *entryRow) []byte       { return key(r.Entry.Session) }

func hadEffect(s ledger.State) bool {
	return s == ledger.Committed || s == ledger.Started || s == ledger.Unknown
}

func init() {
	approvals.verify = func(c *checker) func(*approvalRow) error {
		return func(r *approvalRow) error { return verdict(c.tx, r.Approval) }
	}
	approvals.declare()
	entries.verify = func(c *checker) func(*entryRow) error {
		return func(r *entryRow) error { return execution(c.tx, r.Entry) }
	}
	entries.declare()
	migrate(11, forgetOrphans)
}

// keepEffects makes of a session's calls that had an effect, and of their approvals, what stays of them when the
// session goes: who approved what and when it was done, and nothing that was said.
// What cannot be read goes as a whole.
func (t *tx) keepEffects(session string) error {
	practice := map[string]bool{}
	if err := runs.find(t, &runsBySession, key(session), func(r runRow) (bool, error) {
		practice[r.Run.Turn] = r.Run.Practice
		return true, nil
	}); err != nil {
		return err
	}
	var used []approvalRow
	var answered []entryRow
	if err := entries.find(t, &entriesBySession, key(session), func(r entryRow) (bool, error) {
		if !hadEffect(r.Entry.State) {
			return true, nil
		}
		if len(r.Entry.Result) > 0 {
			answered = append(answered, r)
		}
		a, ok, err := approvals.get(t, key(r.Entry.Approval))
		if err == nil && ok && keepable(a.Approval) {
			used = append(used, a)
		}
		if errors.Is(err, ErrDamaged) {
			err = nil
		}
		return true, err
	}); err != nil {
		return err
	}
	for _, was := range used {
		if err := approvals.put(t, &was, &approvalRow{was.N, was.Approval.Kept(practice[was.Approval.Turn])}); err != nil {
			return err
		}
	}
	return t.forgetAnswers(answered)
}

// forgetAnswers empties what the tools of these calls answered.
func (t *tx) forgetAnswers(answered []entryRow) error {
	for _, was := range answered {
		now := was
		now.Entry.Result = nil
		if err := entries.put(t, &was, &now); err != nil {
			return err
		}
	}
	return nil
}

// forgetOrphans empties what the calls of sessions that are gone were answered.
func forgetOrphans(t *tx) error {
	var answered []entryRow
	if err := t.readable(entries.bucket, nil, func(k, v []byte, err error) bool {
		if err != nil {
			return true
		}
		r, err := entries.read(k, v)
		if err != nil || len(r.Entry.Result) == 0 || !hadEffect(r.Entry.State) {
			return true
		}
		if raw, err := t.kv.get(sessions.bucket, key(r.Entry.Session)); err == nil && raw == nil {
			answered = append(answered, r)
		}
		return true
	}); err != nil {
		return err
	}
	return t.forgetAnswers(answered)
}

// keepable says that an approval is one that somebody gave, and that was used.
func keepable(a ledger.Approval) bool {
	return a.Status == ledger.Used && a.Reviewer != "" && a.DecidedAt != nil && !a.Erased
}

// erased checks that of an approval whose session was deleted only who gave it is left.
func erased(a ledger.Approval) error {
	is, err := encode(a)
	if err != nil {
		return err
	}
	kept, err := encode(a.Kept(a.Practice))
	switch {
	case err != nil:
		return err
	case !bytes.Equal(is, kept):
		return errors.New("its session was deleted, and what it said was not")
	case a.Status != ledger.Used || a.Reviewer == "" || a.DecidedAt == nil:
		return errors.New("it stays of a deleted session, and does not say who gave it and when")
	}
	return nil
}

// verdict checks that an approval says what was shown, and that a used one was
// used by its own call.
func verdict(t *tx, a ledger.Approval) error {
	if a.Erased {
		if err := erased(a); err != nil {
			return err
		}
	} else if digest, err := ledger.Digest(a); err != nil {
		return err
	} else if digest != a.Digest {
		return errors.New("its digest is not that of its contents")
	}
	if a.Status != ledger.Used {
		return nil
	}
	e, err := t.Entry(a.Call)
	switch {
	case err != nil:
		return err
	case e.Approval != a.ID || e.Digest != a.Digest || e.Session != a.Session:
		return fmt.Errorf("it was used, but call %q names another approval", a.Call)
	case e.State == ledger.Proposed || e.State == ledger.Cleared, a.Erased && !hadEffect(e.State):
		return fmt.Errorf("it was used, but call %q is %s", a.Call, e.State)
	}
	return nil
}

// execution checks that what was done had been approved, unless the session was deleted by an
// older version, and with it the approval.
func execution(t *tx, e ledger.Entry) error {
	if e.State != ledger.Committed && e.State != ledger.Cleared {
		return nil
	}
	a, err := t.Approval(e.Approval)
	if errors.Is(err, ledger.ErrNotFound) && e.State == ledger.Committed {
		// Its session may have been deleted and the id used again.
		if there, findErr := t.hasTurn(e.Session, e.Turn); findErr != nil || !there {
			return findErr
		}
	}
	switch {
	case err != nil:
		return err
	case a.Call != e.Call || a.Digest != e.Digest:
		return fmt.Errorf("it is %s, but approval %q is for another call", e.State, a.ID)
	case e.State == ledger.Committed && a.Status != ledger.Used,
		e.State == ledger.Cleared && a.Status != ledger.Approved && a.Status != ledger.Void && a.Status != ledger.Expired:
		return fmt.Errorf("it is %s, but approval %q is %s", e.State, a.ID, a.Status)
	}
	return nil
}

// hasTurn says whether a session has a run for the turn.
func (t *tx) hasTurn(session, turn string) (there bool, err error) {
	err = runs.find(t, &runsBySession, key(session), func(r runRow) (bool, error) {
		there = there || r.Run.Turn == turn
		return !there, nil
	})
	return there, err
}

// Approval returns a row or an error that wraps ledger.ErrNotFound.
func (t *tx) Approval(id string) (ledger.Approval, error) {
	row, ok, err := approvals.get(t, key(id))
	switch {
	case err != nil:
		return ledger.Approval{}, err
	case !ok:
		return ledger.Approval{}, fmt.Errorf("store: approval %q: %w", id, ledger.ErrNotFound)
	}
	return row.Approval, nil
}

// PutApproval inserts or replaces a row and keeps the session's count of pending
// approvals. An approval cannot move to another session.
func (t *tx) PutApproval(a ledger.Approval) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := checkID("approval", a.ID); err != nil {
		return err
	}
	if err := checkID("session of an approval", a.Session); err != nil {
		return err
	}
	if err := checkID("status of an approval", string(a.Status)); err != nil {
		return err
	}
	row, existed, err := approvals.get(t, key(a.ID))
	if err != nil {
		return err
	}
	if !existed {
		if row.N, err = t.free("approvals", approvalsByOrder.bucket, bareNumber); err != nil {
			return err
		}
		if err := t.countPending(a.Session, "", a.Status); err != nil {
			return err
		}
		return approvals.put(t, nil, &approvalRow{row.N, a})
	}
	if row.Approval.Session != a.Session {
		return fmt.Errorf("store: approval %q belongs to session %q, not to %q", a.ID, row.Approval.Session, a.Session)
	}
	if err := t.countPending(a.Session, row.Approval.Status, a.Status); err != nil {
		return err
	}
	return approvals.put(t, &row, &approvalRow{row.N, a})
}

func (t *tx) countPending(session string, was, is ledger.Status) error {
	if (was == ledger.Pending) == (is == ledger.Pending) {
		return nil
	}
	row, ok, err := t.sessionRow(session)
	if err != nil || !ok {
		return err // without a session row there is nothing to count in yet
	}
	old := row
	if is == ledger.Pending {
		row.Session.Approvals++
	} else {
		row.Session.Approvals--
	}
	return sessions.put(t, &old, &row)
}

// Approvals lists rows oldest request first; status "" lists all. An unreadable
// row is an error, but to Shown.
func (t *tx) Approvals(status ledger.Status, fn func(ledger.Approval) (bool, error)) error {
	ix, p := &approvalsByOrder, []byte(nil)
	if status != "" {
		ix, p = &approvalsByStatus, key(string(status))
	}
	return approvals.find(t, ix, p, func(r approvalRow) (bool, error) { return fn(r.Approval) })
}

// ApprovalsBehind lists rows oldest request first, behind the one with an id; "" is the
// beginning. An id that is not there is ErrCursor.
func (t *tx) ApprovalsBehind(status ledger.Status, after string, fn func(ledger.Approval) (bool, error)) error {
	if after == "" {
		return t.Approvals(status, fn)
	}
	row, ok, err := approvals.get(t, key(after))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("store: approvals after %q: %w", after, ErrCursor)
	}
	ix, p := &approvalsByOrder, []byte(nil)
	if status != "" {
		ix, p = &approvalsByStatus, key(string(status))
	}
	return t.scan(ix.bucket, numKey(p, row.N+1), pastPrefix(p), func(k, v []byte) (bool, error) {
		r, err := approvals.follow(t, ix, k, v)
		if err != nil {
			return false, err
		}
		return fn(r.Approval)
	})
}

// NewestApprovals lists rows newest request first; status "" lists all. fn must not write.
func (t *tx) NewestApprovals(status ledger.Status, fn func(ledger.Approval) (bool, error)) error {
	ix, p := &approvalsByOrder, []byte(nil)
	if status != "" {
		ix, p = &approvalsByStatus, key(string(status))
	}
	return t.scanDown(ix.bucket, p, pastPrefix(p), func(k, v []byte) (bool, error) {
		r, err := approvals.follow(t, ix, k, v)
		if err != nil {
			return false, err
		}
		return fn(r.Approval)
	})
}

// ApprovalsNaming lists those of a status whose rows have a text as one of their values, oldest request first. The
// others are looked at and not decoded.
func (t *tx) ApprovalsNaming(text string, status ledger.Status, fn func(ledger.Approval) (bool, error)) error {
	value, err := encode(text)
	if err != nil {
		return err
	}
	ix := &approvalsByStatus
	return t.scanPrefix(ix.bucket, key(string(status)), func(k, v []byte) (bool, error) {
		at, err := ix.row(k, v)
		if err != nil {
			return false, err
		}
		if raw, err := t.get(approvals.bucket, at); err != nil || raw != nil && !bytes.Contains(raw, value) {
			return err == nil, err
		}
		r, err := approvals.follow(t, ix, k, v)
		if err != nil {
			return false, err
		}
		return fn(r.Approval)
	})
}

// EntriesIn lists the rows that are in a state, oldest first.
func (t *tx) EntriesIn(state ledger.State, fn func(ledger.Entry) (bool, error)) error {
	return entries.find(t, &entriesByState, key(string(state)), func(r entryRow) (bool, error) { return fn(r.Entry) })
}

// Verdict looks for the newest verdict on an approval in its session's journal; it is
// not looked for before the request.
func (t *tx) Verdict(a ledger.Approval) (digest string, err error) {
	p := key(a.Session)
	err = t.scanDown(journaled.bucket, p, pastPrefix(p), func(k, v []byte) (bool, error) {
		e, err := journaled.read(k, v)
		if err != nil || e.Approval != a.ID {
			return true, err
		}
		if e.Kind == journal.ApprovalDecided && e.Status == string(journal.VerdictApproved) && e.Call == a.Call && e.Turn == a.Turn {
			var d struct{ Digest string } // the rest may have moved into blobs
			if err := json.Unmarshal(e.Data, &d); err != nil {
				return false, err
			}
			digest = d.Digest
		}
		return e.Kind != journal.ApprovalDecided && e.Kind != journal.ApprovalRequested, nil
	})
	return digest, err
}

// Entry returns a row or an error that wraps ledger.ErrNotFound.
func (t *tx) Entry(call string) (ledger.Entry, error) {
	row, ok, err := entries.get(t, key(call))
	switch {
	case err != nil:
		return ledger.Entry{}, err
	case !ok:
		return ledger.Entry{}, fmt.Errorf("store: call %q: %w", call, ledger.ErrNotFound)
	}
	return row.Entry, nil
}

// PutEntry inserts or replaces a row. A call cannot move to another turn or session.
func (t *tx) PutEntry(e ledger.Entry) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := checkID("call", e.Call); err != nil {
		return err
	}
	if err := checkID("turn of a call", e.Turn); err != nil {
		return err
	}
	if err := checkID("session of a call", e.Session); err != nil {
		return err
	}
	row, existed, err := entries.get(t, key(e.Call))
	if err != nil {
		return err
	}
	if !existed {
		if row.N, err = t.free("entries", entriesByOrder.bucket, bareNumber); err != nil {
			return err
		}
		return entries.put(t, nil, &entryRow{row.N, e})
	}
	if row.Entry.Turn != e.Turn || row.Entry.Session != e.Session {
		return fmt.Errorf("store: call %q belongs to turn %q, not to %q", e.Call, row.Entry.Turn, e.Turn)
	}
	return entries.put(t, &row, &entryRow{row.N, e})
}

// Entries lists the rows of one turn, or of all turns for "", oldest first.
func (t *tx) Entries(turn string, fn func(ledger.Entry) (bool, error)) error {
	ix, p := &entriesByOrder, []byte(nil)
	if turn != "" {
		ix, p = &entriesByTurn, key(turn)
	}
	return entries.find(t, ix, p, func(r entryRow) (bool, error) { return fn(r.Entry) })
}
