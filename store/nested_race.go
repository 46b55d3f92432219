//go:build race

package store

import (
	"bytes"
	"runtime"
	"sync"
)

// within is a goroutine that is in a view of a store.
type within struct {
	db        *DB
	goroutine string
}

var views sync.Map

// alone panics in a goroutine that is in a view already, and is in one until done. Two of one goroutine stop the
// whole program once a writer comes between them whose file has to grow: it waits for the first, and the second
// for it. A write within a view waits for itself.
func (db *DB) alone() (done func()) {
	head := make([]byte, 32)
	head = head[:runtime.Stack(head, false)]
	me := within{db, string(bytes.Fields(head)[1])}
	if _, twice := views.LoadOrStore(me, true); twice {
		panic("store: a transaction begins within a view of the same goroutine: use the view, or end it before")
	}
	return func() { views.Delete(me) }
}
