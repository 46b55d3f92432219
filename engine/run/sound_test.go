package run_test

import (
	"testing"

	"holdpoint/store"
)

// sound closes the store and checks every row of its file.
func sound(t testing.TB, r *rig, path string) {
	t.Helper()
	must(t, r.db.Close())
	report, err := store.Check(path)
	must(t, err)
	for _, p := range report.Problems {
		t.Errorf("the check found: %s", p)
	}
}

// reopened is a rig on a store that was closed, as a new process has it.
func reopened(t testing.TB, path string) *rig {
	t.Helper()
	db, err := store.Open(path)
	must(t, err)
	return rigOn(t, db)
}
