package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
)

// tx is one transaction over either backend; all rows and indexes are kept here
// and in the files beside it. It belongs to the goroutine that was handed it.
type tx struct {
	kv    kvTx
	write bool
	done  bool
	// writes counts changes: a scan looks at it to find its place again.
	writes int
	// bad is the first error of the backend. A caller that swallows it must not commit.
	bad error
	// session owns the blobs that are put; empty outside runs.
	session string
	// listing says that scans go on behind rows that cannot be read, which lost names: for who looks at a list, and
	// for who deletes. Nothing is decided on what is left.
	listing bool
	lost    []*rowError
	// adrift says that a value went that did not say which pieces are its own.
	adrift bool
	heads  heads // nil in views
	heard  []func(*journal.Event)
	told   [][]journal.Event // for them, once it is on disk
	wrote  func()
}

// Tx is what may be read and changed in one transaction. Valid only during the call
// it was handed to.
type Tx interface {
	record.Tx
	ledger.Tx
	graph.Tx
	memory.Tx
	board.Tx
	// Session reads a session, or session.ErrNotFound.
	Session(id string) (session.Session, error)
	session.ConsentTx
	// Skip rows are the durable skip gates, keyed by session and tool.
	Skip(session, tool string) (json.RawMessage, error) // nil, nil when there is none
	PutSkip(session, tool string, row json.RawMessage) error
	// ApprovalsBehind pages through approvals, NewestApprovals begins at the other end;
	// EntriesIn finds calls by their state.
	ApprovalsBehind(status ledger.Status, after string, fn func(ledger.Approval) (bool, error)) error
	NewestApprovals(status ledger.Status, fn func(ledger.Approval) (bool, error)) error
	// ApprovalsNaming finds those that have a text as a value.
	ApprovalsNaming(text string, status ledger.Status, fn func(ledger.Approval) (bool, error)) error
	EntriesIn(state ledger.State, fn func(ledger.Entry) (bool, error)) error
}

var _ Tx = (*tx)(nil)

// Kept is a nil transaction of the store's type: a type assertion on it says whether the store keeps a noun, that is,
// has the methods of its interface. Nothing may be called on it.
func Kept() graph.Tx { return (*tx)(nil) }

// seal and unseal are the only way of a value into and out of a backend: the place for encryption
// of values, each bound to its bucket and key. They change nothing, since the file lies on a disk
// that the system encrypts.
func seal(_ bucket, _, plain []byte) ([]byte, error) { return plain, nil }

func unseal(_ bucket, _, sealed []byte) ([]byte, error) { return sealed, nil }

func (t *tx) broken(b bucket, err error) error {
	err = fmt.Errorf("store: %s: %w", b, err)
	if t.bad == nil {
		t.bad = err
	}
	return err
}

// passOver lets a view go on behind a damaged row; whoever calls it tells of the row.
func (t *tx) passOver() {
	if !t.write && errors.Is(t.bad, ErrDamaged) {
		t.bad = nil
	}
}

// rowError is about a row that is there and cannot be read.
type rowError struct {
	b   bucket
	k   []byte
	err error
}

// Error does not tell whoever misses one row to begin anew.
func (e *rowError) Error() string {
	return strings.ReplaceAll(e.err.Error(), ErrDamaged.Error(), errRow.Error())
}

func (e *rowError) Unwrap() error { return e.err }

// atRow says of damage which row it is of; what is of another row, or no damage, stays.
func atRow(b bucket, k []byte, err error) error {
	var known *rowError
	if !errors.Is(err, ErrDamaged) || errors.As(err, &known) {
		return err
	}
	return &rowError{b, bytes.Clone(k), err}
}

// pass says whether a scan goes on behind what fails with err.
func (t *tx) pass(err error) bool {
	var row *rowError
	if !t.listing || !errors.As(err, &row) {
		return false
	}
	t.lost = append(t.lost, row)
	t.passOver()
	return true
}

// leavingOut runs fn with lists that leave out what cannot be read.
func (t *tx) leavingOut(fn func() error) error {
	was := t.listing
	t.listing = true
	defer func() { t.listing = was }()
	return fn()
}

func (t *tx) get(b bucket, k []byte) ([]byte, error) {
	if t.done {
		return nil, ErrTxDone
	}
	v, err := t.kv.get(b, k)
	if err != nil {
		return nil, t.broken(b, err)
	}
	if v == nil {
		return nil, nil
	}
	return t.loaded(b, k, v)
}

// loaded is load with the row that an error is about. That its value is no value is no failure of the backend.
func (t *tx) loaded(b bucket, k, stored []byte) ([]byte, error) {
	v, err := t.load(b, k, stored)
	if err != nil {
		return nil, atRow(b, k, fmt.Errorf("store: %s: %w", b, err))
	}
	return v, nil
}

func (t *tx) mayWrite() error {
	switch {
	case t.done:
		return ErrTxDone
	case !t.write:
		return ErrView
	}
	return nil
}

func (t *tx) put(b bucket, k, v []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := t.save(b, k, v); err != nil {
		return t.broken(b, err)
	}
	t.writes++
	return nil
}

// add is put for a key that nothing stands under yet. marked is the value behind one byte for
// its mark, and the transaction's from now on; k is not.
func (t *tx) add(b bucket, k, marked []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	sealed, err := seal(b, k, marked[1:])
	switch {
	case err != nil:
	case len(sealed) > inlineLimit:
		err = t.save(b, k, marked[1:])
	default:
		marked[0] = markWhole
		err = t.kv.put(b, k, append(marked[:1], sealed...))
	}
	if err != nil {
		return t.broken(b, err)
	}
	t.writes++
	return nil
}

func (t *tx) del(b bucket, k []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	err := t.dropPieces(b, k)
	if err == nil {
		err = t.kv.del(b, k)
	}
	if err != nil {
		return t.broken(b, err)
	}
	t.writes++
	return nil
}

type visit func(k, v []byte) (more bool, err error)

// scan visits the keys from lo up to, not including, hi (nil: to the end) in
// order. fn may write; what it changes behind the current key is seen.
func (t *tx) scan(b bucket, lo, hi []byte, fn visit) error {
	if t.done {
		return ErrTxDone
	}
	c := t.kv.cursor(b, lo, hi)
	k, v, err := c.seek(lo)
	for {
		if err != nil {
			return t.broken(b, err)
		}
		if k == nil || hi != nil && bytes.Compare(k, hi) >= 0 {
			return nil
		}
		before := t.writes
		if more, err := t.shown(b, k, v, fn); err != nil || !more {
			return err
		}
		if t.writes == before {
			k, v, err = c.next()
			continue
		}
		at := k
		c = t.kv.cursor(b, lo, hi)
		if k, v, err = c.seek(at); err == nil && bytes.Equal(k, at) {
			k, v, err = c.next()
		}
	}
}

// scanDown visits the keys before hi (nil: from the end) down to lo, newest
// first. fn must not write.
func (t *tx) scanDown(b bucket, lo, hi []byte, fn visit) error {
	if t.done {
		return ErrTxDone
	}
	c := t.kv.cursor(b, lo, nil)
	var k, v []byte
	var err error
	if hi == nil {
		k, v, err = c.last()
	} else {
		k, v, err = c.before(hi)
	}
	for {
		if err != nil {
			return t.broken(b, err)
		}
		if k == nil || bytes.Compare(k, lo) < 0 {
			return nil
		}
		if more, err := t.shown(b, k, v, fn); err != nil || !more {
			return err
		}
		k, v, err = c.prev()
	}
}

// shown shows a row to fn; a scan that may goes on behind one that cannot be read.
func (t *tx) shown(b bucket, k, stored []byte, fn visit) (more bool, err error) {
	v, err := t.loaded(b, k, stored)
	if err == nil {
		more, err = fn(k, v)
	}
	if t.pass(err) {
		return true, nil
	}
	return more, err
}

func (t *tx) scanPrefix(b bucket, p []byte, fn visit) error {
	return t.scan(b, p, pastPrefix(p), fn)
}

// delPrefix reads no values: damaged ones go, too.
func (t *tx) delPrefix(b bucket, p []byte) error {
	end, at := pastPrefix(p), p
	for {
		k, _, err := t.kv.cursor(b, p, end).seek(at)
		if err != nil {
			return t.broken(b, err)
		}
		if k == nil || end != nil && bytes.Compare(k, end) >= 0 {
			return nil
		}
		if err := t.del(b, k); err != nil {
			return err
		}
		at = k
	}
}

// encode leaves <, > and & alone: approved arguments are kept byte for byte.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("store: encode: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func (t *tx) putJSON(b bucket, k []byte, v any) error {
	raw, err := encode(v)
	if err != nil {
		return err
	}
	return t.put(b, k, raw)
}

// getJSON reads a row; a missing one is false, an unreadable one ErrDamaged.
func (t *tx) getJSON(b bucket, k []byte, into any) (bool, error) {
	raw, err := t.get(b, k)
	if raw == nil || err != nil {
		return false, err
	}
	return true, decode(b, k, raw, into)
}

func decode(b bucket, k, raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return atRow(b, k, fmt.Errorf("store: %s %q: %w (%v)", b, k, ErrDamaged, err))
	}
	return nil
}

// misplaced is the error for a row that says of itself that it belongs elsewhere.
func misplaced(b bucket, k []byte) error {
	return fmt.Errorf("store: %s %q holds another row: %w", b, k, ErrDamaged)
}

// dangling is the error for an index that points nowhere.
func dangling(b bucket, k []byte) error {
	return fmt.Errorf("store: %s points at %q, which is missing: %w", b, k, ErrDamaged)
}

// has fails unless there is a row.
func (t *tx) has(b bucket, k []byte) error {
	switch got, err := t.kv.get(b, k); {
	case err != nil:
		return t.broken(b, err)
	case got != nil:
		return nil // whether it can be read is for its own table to say
	}
	return fmt.Errorf("%s has no such row", b)
}

// counter is the last number that was given out under a name.
type counter struct {
	Name string
	N    uint64
}

var counters = table[counter]{name: "counters", since: 1,
	key:    func(r *counter) []byte { return key(r.Name) },
	encode: func(r *counter) ([]byte, error) { return numKey(nil, r.N), nil },
	decode: func(k, raw []byte) (r counter, err error) {
		if r.Name, err = id(k); err == nil {
			r.N, err = splitNum(raw)
		}
		return r, err
	}}

func init() { counters.declare() }

// number gives out the next number of a counter, from 1.
func (t *tx) number(name string) (uint64, error) {
	n, err := t.counter(name)
	if err != nil {
		return 0, err
	}
	return n + 1, t.setCounter(name, n+1)
}

// free gives out the next number of a counter under whose key nothing stands in b: one that was damaged gives out no
// number twice.
func (t *tx) free(name string, b bucket, key func(n uint64) []byte) (uint64, error) {
	n, err := t.counter(name)
	if err != nil {
		return 0, err
	}
	for n++; ; n++ {
		if taken, err := t.kv.get(b, key(n)); err != nil {
			return 0, err
		} else if taken == nil {
			return n, t.setCounter(name, n)
		}
	}
}

// bareNumber is the key that is a number alone.
func bareNumber(n uint64) []byte { return numKey(nil, n) }

func (t *tx) counter(name string) (uint64, error) {
	r, _, err := counters.get(t, key(name))
	return r.N, err
}

func (t *tx) setCounter(name string, n uint64) error {
	if n == 0 {
		return t.del(counters.bucket, key(name))
	}
	return counters.put(t, nil, &counter{name, n})
}
