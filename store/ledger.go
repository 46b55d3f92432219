package store

import (
	"fmt"

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

func (t *tx) approvalRow(id string) (approvalRow, bool, error) {
	var row approvalRow
	ok, err := t.getJSON(approvalsBucket, key(id), &row)
	if err == nil && ok && row.Approval.ID != id {
		err = misplaced(approvalsBucket, id)
	}
	return row, ok, err
}

// Approval returns a row or an error that wraps ledger.ErrNotFound.
func (t *tx) Approval(id string) (ledger.Approval, error) {
	row, ok, err := t.approvalRow(id)
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
	row, existed, err := t.approvalRow(a.ID)
	if err != nil {
		return err
	}
	was := row.Approval.Status
	switch {
	case !existed:
		if row.N, err = t.number("approvals"); err != nil {
			return err
		}
		if err := t.put(approvalsByOrder, numKey(nil, row.N), []byte(a.ID)); err != nil {
			return err
		}
		if err := t.put(approvalsBySession, numKey(key(a.Session), row.N), []byte(a.ID)); err != nil {
			return err
		}
	case row.Approval.Session != a.Session:
		return fmt.Errorf("store: approval %q belongs to session %q, not to %q", a.ID, row.Approval.Session, a.Session)
	}
	if existed && was != a.Status {
		if err := t.del(approvalsByStatus, numKey(key(string(was)), row.N)); err != nil {
			return err
		}
	}
	if !existed || was != a.Status {
		if err := t.put(approvalsByStatus, numKey(key(string(a.Status)), row.N), []byte(a.ID)); err != nil {
			return err
		}
		if err := t.countPending(a.Session, was, a.Status); err != nil {
			return err
		}
	}
	row.Approval = a
	return t.putJSON(approvalsBucket, key(a.ID), row)
}

func (t *tx) countPending(session string, was, is ledger.Status) error {
	if (was == ledger.Pending) == (is == ledger.Pending) {
		return nil
	}
	row, ok, err := t.sessionRow(session)
	if err != nil || !ok {
		return err // without a session row there is nothing to count in yet
	}
	if is == ledger.Pending {
		row.Session.Approvals++
	} else {
		row.Session.Approvals--
	}
	return t.putSession(row)
}

// Approvals lists rows oldest request first; status "" lists all. An unreadable
// row is an error.
func (t *tx) Approvals(status ledger.Status, fn func(ledger.Approval) (bool, error)) error {
	b, p := approvalsByOrder, []byte(nil)
	if status != "" {
		b, p = approvalsByStatus, key(string(status))
	}
	return t.scanPrefix(b, p, func(_, id []byte) (bool, error) {
		row, ok, err := t.approvalRow(string(id))
		switch {
		case err != nil:
			return false, err
		case !ok:
			return false, dangling(b, string(id))
		case status != "" && row.Approval.Status != status:
			return false, misplaced(b, string(id))
		}
		return fn(row.Approval)
	})
}

func (t *tx) entryRow(call string) (entryRow, bool, error) {
	var row entryRow
	ok, err := t.getJSON(entriesBucket, key(call), &row)
	if err == nil && ok && row.Entry.Call != call {
		err = misplaced(entriesBucket, call)
	}
	return row, ok, err
}

// Entry returns a row or an error that wraps ledger.ErrNotFound.
func (t *tx) Entry(call string) (ledger.Entry, error) {
	row, ok, err := t.entryRow(call)
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
	row, existed, err := t.entryRow(e.Call)
	if err != nil {
		return err
	}
	if existed && (row.Entry.Turn != e.Turn || row.Entry.Session != e.Session) {
		return fmt.Errorf("store: call %q belongs to turn %q, not to %q", e.Call, row.Entry.Turn, e.Turn)
	}
	if !existed {
		if row.N, err = t.number("entries"); err != nil {
			return err
		}
		if err := t.put(entriesByOrder, numKey(nil, row.N), []byte(e.Call)); err != nil {
			return err
		}
		if err := t.put(entriesByTurn, numKey(key(e.Turn), row.N), []byte(e.Call)); err != nil {
			return err
		}
	}
	row.Entry = e
	return t.putJSON(entriesBucket, key(e.Call), row)
}

// Entries lists the rows of one turn, or of all turns for "", oldest first.
func (t *tx) Entries(turn string, fn func(ledger.Entry) (bool, error)) error {
	b, p := entriesByOrder, []byte(nil)
	if turn != "" {
		b, p = entriesByTurn, key(turn)
	}
	return t.scanPrefix(b, p, func(_, call []byte) (bool, error) {
		row, ok, err := t.entryRow(string(call))
		switch {
		case err != nil:
			return false, err
		case !ok:
			return false, dangling(b, string(call))
		}
		return fn(row.Entry)
	})
}

func (t *tx) delEntry(row entryRow) error {
	if err := t.del(entriesByOrder, numKey(nil, row.N)); err != nil {
		return err
	}
	if err := t.del(entriesByTurn, numKey(key(row.Entry.Turn), row.N)); err != nil {
		return err
	}
	return t.del(entriesBucket, key(row.Entry.Call))
}
