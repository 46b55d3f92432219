package store

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	back     backend // only the writer may use it without enter
	readOnly bool

	commits atomic.Uint64

	write  sync.Mutex // one writer at a time
	heads  heads      // the writer's
	mu     sync.Mutex // guards what is below, and back
	latch  error
	closed bool
	views  int        // readers under way
	moving bool       // Compact puts another backend in place
	moved  *sync.Cond // moving became false
	heard  []func(*journal.Event)
	wrote  func()             // after each commit
	lost   map[Lost]*rowError // what lists left out

	// Faults that tests inject at the two sides of a commit.
	beforeCommit, afterCommit func() error
}

var (
	_ run.Checkpointer = (*DB)(nil)
	_ record.Store     = (*DB)(nil)
)

func newDB(back backend, readOnly bool) *DB {
	db := &DB{back: back, readOnly: readOnly, heads: heads{}}
	db.moved = sync.NewCond(&db.mu)
	return db
}

// Close waits for transactions that are under way and frees the file's lock.
// A second Close does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	for db.moving {
		db.moved.Wait()
	}
	closed, back := db.closed, db.back
	db.closed = true
	db.mu.Unlock()
	if closed {
		return nil
	}
	if err := back.close(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// Subscribe hands every event that the store commits to fn: once it is on disk, in the
// order of its session's sequence, before the call that wrote it returns. fn must be
// quick, must not write to the store and must copy the event if it keeps it.
func (db *DB) Subscribe(fn func(*journal.Event)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.heard = append(db.heard, fn)
}

// OnCommit has fn called after each write that is on disk, whatever it was. fn must be quick and must not use
// the store.
func (db *DB) OnCommit(fn func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.wrote = fn
}

// ReadOnly says that the store refuses every write.
func (db *DB) ReadOnly() bool { return db.readOnly }

// Commits is the number of write transactions that reached the disk since the
// store was opened.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// View runs fn on a consistent read-only snapshot; a write is ErrView. Inside fn,
// call nothing of DB: the file cannot grow while a view is open, and who waits for
// that keeps the next view waiting.
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
	back := db.back
	if !write {
		var err error
		if back, err = db.enter(); err != nil {
			return nil, err
		}
	}
	kv, err := back.begin(write)
	if err != nil {
		if !write {
			db.leave()
		}
		// Close may have won since; its own error says more than the backend's.
		if serr := db.state(write); serr != nil {
			return nil, serr
		}
		return nil, fmt.Errorf("store: begin: %w", err)
	}
	t := &tx{kv: kv, write: write}
	if write {
		db.mu.Lock()
		t.heads, t.heard, t.wrote = db.heads, db.heard, db.wrote
		db.mu.Unlock()
	}
	return t, nil
}

// enter lets a reader in, who must leave again.
func (db *DB) enter() (backend, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for db.moving {
		db.moved.Wait()
	}
	if db.closed {
		return nil, ErrClosed
	}
	db.views++
	return db.back, nil
}

func (db *DB) leave() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.views--
}

func (db *DB) view(fn func(*tx) error) error { return db.viewAs(false, fn) }

func (db *DB) viewAs(listing bool, fn func(*tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer db.alone()()
	t, err := db.begin(false)
	if err != nil {
		return err
	}
	t.listing = listing
	defer func() {
		t.done = true
		db.leftOut(t.lost)
		if rerr := t.kv.rollback(); rerr != nil && err == nil {
			err = fmt.Errorf("store: end view: %w", rerr)
		}
		db.leave()
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.bad
}

func (db *DB) update(fn func(*tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db.alone()()
	db.write.Lock()
	defer db.write.Unlock()
	t, err := db.begin(true)
	if err != nil {
		return err
	}
	open := true
	defer func() { // also when fn panics
		t.done = true
		db.leftOut(t.lost)
		if open {
			if rerr := t.kv.rollback(); rerr != nil {
				err = errors.Join(err, fmt.Errorf("store: roll back: %w", rerr))
			}
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if t.adrift {
		if _, err := t.dropAdrift(); err != nil {
			return err
		}
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
	if t.wrote != nil {
		t.wrote()
	}
	for _, events := range t.told { // the writer's lock keeps the order
		for i := range events {
			if events[i].Seq == 0 {
				continue // is not kept
			}
			for _, fn := range t.heard {
				fn(&events[i])
			}
		}
	}
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
	if errors.Is(err, syscall.ENOSPC) {
		return noRoom{err}
	}
	return fmt.Errorf("store: commit: %w (%w)", err, ErrLatched)
}

// noRoom is a commit that found the disk full, as people read it in a turn that failed.
type noRoom struct{ err error }

func (noRoom) Error() string {
	return "store: the disk is full; free some space, then go on. What was acknowledged before is on disk"
}

func (e noRoom) Unwrap() []error { return []error{e.err, ErrLatched} }
