// Package store keeps everything that Holdpoint remembers. It owns every bucket
// and every transaction; the engine's packages only see the small interfaces that
// they declare. A store is one file (bbolt); an old file that was opened to be read only is
// brought to today's format in memory, with the same behaviour.
//
// To begin: Open a file; DB is a run.Checkpointer. AppendEvents changes rows outside a run,
// in one transaction with the events that tell of it; Read is a consistent view; Tx is what
// both hand out. Shown is for lists that people look at: a damaged row hides no other there. Check proves a file, Compact gives its free pages back.
//
// A write returns after its data is on disk. A write that fails leaves nothing
// behind; when the disk itself failed, nobody knows what it holds, so the store
// refuses all further writes until it is reopened (ErrLatched).
//
// What is kept is declared where its noun is: sessions.go, runs.go, journal.go, records.go,
// library.go and their like each declare their tables (see table.go: rows, indexes, with
// what they are deleted, what Check proves), and the store runs them all. The file's format has a number; migrate.go brings an older
// file to today's, in one transaction and with the older file kept beside. Below are
// rows and indexes as keys and values (tx.go, key.go, value.go) on one of the backends
// (bolt.go, inmemory.go).
//
// Events are told to subscribers here and nowhere else: after their commit, in order.
package store

import (
	"errors"

	"holdpoint/engine/run"
)

// Errors that callers decide on.
var (
	// ErrLocked says that another process has the file open.
	ErrLocked = errors.New("store: another Holdpoint has this store open; close it first")
	// ErrDamaged says that the file, or a row in it, is not what Holdpoint wrote. Nothing
	// was changed; restore a backup or move the file away to start afresh.
	ErrDamaged = errors.New("store: damaged, or not a Holdpoint store; restore a backup, or move the file away to start afresh")
	// ErrReadOnly says that the file, its folder or the way it was opened forbids writing.
	ErrReadOnly = errors.New("store: read-only")
	// ErrSchema says that a newer Holdpoint wrote the file.
	ErrSchema = errors.New("store: written by a newer Holdpoint; use that version or a later one")
	// ErrLatched says that a commit failed before and what is on disk is uncertain.
	ErrLatched = errors.New("store: a write to disk failed; nothing more is written until the store is closed and opened again")
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("store: closed")
	// ErrView says that a write was tried in a read-only transaction.
	ErrView = run.ErrView
	// ErrTxDone says that a transaction was used after the call it was handed to.
	ErrTxDone = run.ErrTxDone
	// ErrID says that an id is empty, longer than 4096 bytes or not UTF-8.
	ErrID = run.ErrID
	// ErrNoBlob says that no blob has the name.
	ErrNoBlob = run.ErrNoBlob
	// ErrCursor says that a list position did not come from CursorOf.
	ErrCursor = errors.New("store: not a list position")
)

// errRow is what ErrDamaged says of a row: the file need not be moved away for it.
var errRow = errors.New("its row is damaged; holdpoint check says what can be done")
