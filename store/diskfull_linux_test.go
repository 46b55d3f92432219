package store

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"holdpoint/engine/journal"
)

func init() { roles["full"] = fullRole }

// fullRole writes until the file may not grow any more, then shows that the store
// stops writing, goes on reading, and works again when there is room and it is opened anew.
func fullRole(args []string) error {
	path := args[0]
	db, err := Open(path)
	if err != nil {
		return err
	}
	if err := admitRow(db, newRun("r", "s"), nil, events(journal.TurnStarted)); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	full := free
	full.Cur = uint64(info.Size()) + 100_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	body := strings.Repeat("x", 20_000)
	acked := 0
	for err == nil && acked < 1000 {
		if err = db.PutSetting(fmt.Sprint("n", acked), body); err == nil {
			acked++
		}
	}
	if !errors.Is(err, ErrLatched) {
		return fmt.Errorf("a full disk after %d writes: %w", acked, err)
	}
	if err := db.PutSetting("more", 1); !errors.Is(err, ErrLatched) {
		return fmt.Errorf("a write after the failed one: %w", err)
	}
	if _, err := db.Load("r"); err != nil {
		return fmt.Errorf("reading with a full disk: %w", err)
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	r, err := Check(path)
	if err != nil || len(r.Problems) > 0 {
		return fmt.Errorf("check: %v, %w", r.Problems, err)
	}
	if db, err = Open(path); err != nil {
		return err
	}
	for i := range acked {
		var got string
		if ok, err := db.Setting(fmt.Sprint("n", i), &got); !ok || err != nil || got != body {
			return fmt.Errorf("acknowledged write %d of %d: %v, %w", i, acked, ok, err)
		}
	}
	if err := db.PutSetting("more", 1); err != nil {
		return err
	}
	fmt.Println("writes before the disk was full:", acked)
	return db.Close()
}

func TestDiskFull_LatchesKeepsWhatWasAcknowledgedAndGoesOnAfterReopening(t *testing.T) {
	out, err := child(t, "full", filepath.Join(t.TempDir(), "holdpoint.db")).Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(string(out))
}
