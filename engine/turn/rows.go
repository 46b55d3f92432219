package turn

import (
	"fmt"

	"holdpoint/engine/graph"
)

// Rows are a noun's rows in the store (records, approvals, evidence, …) as an agent reads and writes
// them; T is the interface that the noun's package declares. An agent has one value for each noun, and
// says so when it is built: see Kit.Needs.
type Rows[T any] struct{}

// View reads them on a consistent snapshot of the disk.
func (Rows[T]) View(t *graph.Task, fn func(rows T) error) error { return graph.View(t, fn) }

// Change makes a change of them, for a result or a commit.
func (Rows[T]) Change(do func(rows T, tell graph.Tell) error) graph.Change { return graph.In(do) }

// In are those of a transaction that is under way; the error wraps graph.ErrNoRows.
func (Rows[T]) In(tx graph.Tx) (T, error) { return graph.Rows[T](tx) }

func (r Rows[T]) of(tx graph.Tx) error {
	_, err := r.In(tx)
	return err
}

// Noun is a Rows, whatever its rows.
type Noun interface{ of(tx graph.Tx) error }

// Needs declares the nouns whose rows an agent works on. What the program's store does not keep is
// an error before the first turn, not in the middle of one.
func (k Kit) Needs(nouns ...Noun) error {
	for _, n := range nouns {
		if k.Keeps == nil {
			return nil
		}
		if err := n.of(k.Keeps); err != nil {
			return fmt.Errorf("turn: %w", err)
		}
	}
	return nil
}
