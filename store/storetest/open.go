// Package storetest opens stores for the tests of other packages.
package storetest

import (
	"path/filepath"
	"testing"

	"holdpoint/store"
)

// Open returns an empty store that is closed and gone when the test ends. It is a file
// as people have it, so that tests run on what the program runs on.
func Open(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "holdpoint.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
