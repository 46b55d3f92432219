package graph

import (
	"errors"
	"fmt"

	"holdpoint/engine/journal"
)

// Tx is a transaction of the store as the graph knows it: blobs and nothing else.
// Rows finds the nouns in it. Valid only during the call it was handed to.
type Tx interface {
	// PutBlob stores body under "sha256:" + hex and returns that name.
	PutBlob(body []byte) (string, error)
	Blob(name string) ([]byte, error)
}

// ErrNoRows says that a store keeps no rows of a noun.
var ErrNoRows = errors.New("graph: this store keeps no such rows")

// Rows finds a noun's interface (records, approvals, …) in a transaction.
func Rows[T any](tx Tx) (T, error) {
	rows, ok := tx.(T)
	if !ok {
		return rows, fmt.Errorf("%w: %T", ErrNoRows, new(T))
	}
	return rows, nil
}

// Tell appends events to the transaction that a Change runs in.
type Tell func(...journal.Event)

// Change changes rows inside a transaction. It may run at most once per attempt, and
// its error rolls the whole transaction back.
type Change func(tx Tx, tell Tell) error

// In makes a Change of one that works on the rows of a noun.
func In[T any](do func(rows T, tell Tell) error) Change {
	return func(tx Tx, tell Tell) error {
		rows, err := Rows[T](tx)
		if err != nil {
			return err
		}
		return do(rows, tell)
	}
}

// View reads the rows of a noun on a consistent snapshot of the disk.
func View[T any](t *Task, fn func(rows T) error) error {
	return t.Host.View(func(tx Tx) error {
		rows, err := Rows[T](tx)
		if err != nil {
			return err
		}
		return fn(rows)
	})
}
