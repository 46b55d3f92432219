//go:build unix

package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"holdpoint/engine/ledger"
)

// "I pointed it at a pipe, and it hung."
func TestOpen_APipeIsAClearErrorAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	must(t, syscall.Mkfifo(path, 0o600))
	for name, open := range map[string]func() error{
		"to write": func() error { _, err := Open(path); return err },
		"to read":  func() error { _, err := OpenReadOnly(path); return err },
		"to check": func() error {
			r, err := Check(path)
			if err == nil && len(r.Problems) > 0 {
				err = ErrDamaged
			}
			if told := strings.Join(r.Problems, " "); strings.Contains(told, filepath.Dir(path)) {
				t.Errorf("it tells of the folder that it is in: %s", told)
			}
			return err
		},
	} {
		ended := make(chan error, 1)
		go func() { ended <- open() }()
		select {
		case err := <-ended:
			wantErr(t, err, ErrDamaged)
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it waits for the pipe", name)
		}
	}
}

// "It was killed while it started for the first time, and a file without a name stayed."
func TestOpen_RemovesWhatAKilledFirstStartLeft(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".holdpoint.db.new-123")
	must(t, os.WriteFile(left, []byte("half a store"), 0o600))
	db, err := Open(filepath.Join(dir, "holdpoint.db"))
	must(t, err)
	must(t, db.Close())
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("there are %v (%v)", names, err)
	}
}

// "check called my store damaged because a session's name had been used before."
func TestCheck_IsRightAfterADeletedIDIsUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db, err := Open(path)
	must(t, err)
	admit(t, db, "r", "s")
	a := approval(t, "done", "s")
	a.Status = ledger.Used
	must(t, db.Update(func(tx Tx) error {
		if err := tx.PutApproval(a); err != nil {
			return err
		}
		return tx.PutEntry(entryOf(a, ledger.Committed))
	}))
	must(t, db.DeleteSession("s"))
	admit(t, db, "r2", "s")
	must(t, db.Close())
	if r, err := Check(path); err != nil || len(r.Problems) > 0 {
		t.Errorf("problems %v (%v)", r.Problems, err)
	}
}
