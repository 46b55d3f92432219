//go:build !race

package store

// alone is nothing but where tests look for races, see nested_race.go.
func (db *DB) alone() (done func()) { return func() {} }
