package store

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"holdpoint/engine/graph"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	back     backend
	readOnly bool

	commits atomic.Uint64

	write  sync.Mutex // one writer at a time
	heads  heads      // the writer's
	mu     sync.Mutex // guards the two below
	latch  error
	closed bool

	// Faults that tests inject at the two sides of a commit.
	beforeCommit, afterCommit func() error
}

var (
	_ run.Checkpointer = (*DB)(nil)
	_ record.Store     = (*DB)(nil)
)

// OpenMemory returns an empty store that is gone when it is closed.
func OpenMemory() *DB {
	db := &DB{back: newMemory(), heads: heads{}}
	if err := db.update(writeMeta); err != nil {
		panic(err) // memory cannot fail
	}
	db.commits.Store(0)
	return db
}

// Close waits for transactions that are under way and frees the file's lock.
// A second Close does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if closed {
		return nil
	}
	if err := db.back.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// Commits is the number of write transactions that reached the disk since the
// store was opened.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// View runs fn on a consistent read-only snapshot; a write is ErrView. Inside fn,
// call nothing of DB that writes: the file cannot grow while a view is open.
func (db *DB) View(fn func(graph.Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// Read is View for code that knows every noun.
func (db *DB) Read(fn func(Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// Update runs fn in a transaction that is on disk when Update returns nil, and
// that leaves nothing behind otherwise. A transaction that wrote nothing costs no fsync.
func (db *DB) Update(fn func(Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

// ViewRecords is View for code that only knows records.
func (db *DB) ViewRecords(fn func(record.Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// UpdateRecords is Update for code that only knows records.
func (db *DB) UpdateRecords(fn func(record.Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

func (db *DB) state(write bool) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case db.closed:
		return ErrClosed
	case write && db.latch != nil:
		return fmt.Errorf("%w (it was: %v)", ErrLatched, db.latch)
	case write && db.readOnly:
		return ErrReadOnly
	}
	return nil
}

func (db *DB) begin(write bool) (*tx, error) {
	if err := db.state(write); err != nil {
		return nil, err
	}
	kv, err := db.back.begin(write)
	if err != nil {
		// Close may have won since; its own error says more than the backend's.
		if serr := db.state(write); serr != nil {
			return nil, serr
		}
		return nil, fmt.Errorf("store: begin: %w", err)
	}
	t := &tx{kv: kv, write: write}
	if write {
		t.heads = db.heads
	}
	return t, nil
}

func (db *DB) view(fn func(*tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	t, err := db.begin(false)
	if err != nil {
		return err
	}
	defer func() {
		t.done = true
		if rerr := t.kv.rollback(); rerr != nil && err == nil {
			err = fmt.Errorf("store: end view: %w", rerr)
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.bad
}

func (db *DB) update(fn func(*tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db.write.Lock()
	defer db.write.Unlock()
	t, err := db.begin(true)
	if err != nil {
		return err
	}
	open := true
	defer func() { // also when fn panics
		t.done = true
		if open {
			if rerr := t.kv.rollback(); rerr != nil {
				err = errors.Join(err, fmt.Errorf("store: roll back: %w", rerr))
			}
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if t.bad != nil {
		return t.bad
	}
	if t.writes == 0 {
		return nil
	}
	if h := db.beforeCommit; h != nil {
		if err := h(); err != nil {
			return db.fail(err)
		}
	}
	open = false
	if err := t.kv.commit(); err != nil {
		return db.fail(err)
	}
	if h := db.afterCommit; h != nil {
		if err := h(); err != nil {
			return db.fail(err)
		}
	}
	db.commits.Add(1)
	return nil
}

// fail closes the latch: whether the failed commit is on disk is unknown, so
// trying again could do things twice.
func (db *DB) fail(err error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.latch == nil {
		db.latch = err
	}
	return fmt.Errorf("store: commit: %w (%w)", err, ErrLatched)
}
