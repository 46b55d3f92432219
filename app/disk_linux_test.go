package app_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// breaks makes the disk fail for an app's store once a stage of a turn was stored: what it
// writes goes to the device that takes nothing.
func breaks(t *testing.T, a *app.App, dir string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	t.Cleanup(func() {
		if err := full.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := filepath.EvalSymlinks(filepath.Join(dir, app.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, e := range open {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to == file {
			if at, err = strconv.Atoi(e.Name()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if at < 0 {
		t.Fatalf("nothing has %s open", file)
	}
	var once sync.Once
	a.Store.Subscribe(func(e *journal.Event) {
		if e.Kind == journal.StageStarted {
			once.Do(func() {
				if err := syscall.Dup3(int(full.Fd()), at, syscall.O_CLOEXEC); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// "I ran a turn, it printed nothing and exited with 1; a minute later I saw that the disk was full."
func TestTurn_ADiskThatFailsUnderItIsSaid(t *testing.T) {
	start := func(t *testing.T) *app.App {
		dir := t.TempDir()
		a, err := app.Open(app.Options{Dir: dir, Practice: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() }) // what it could not write is the point
		breaks(t, a, dir)
		return a
	}
	t.Run("to whoever waits for the turn", func(t *testing.T) {
		out, err := start(t).RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "Hello."})
		if err == nil || app.AsFault(err).Code != "latched" || out.Run.Status != run.Running {
			t.Errorf("%s: %v", out.Run.Status, err)
		}
	})
	t.Run("to the screens", func(t *testing.T) {
		a := start(t)
		notices, stop := a.Watch()
		defer stop()
		if _, err := a.StartTurn(context.WithoutCancel(t.Context()), app.TurnRequest{Session: "s1", Text: "Hello."}); err != nil {
			t.Fatal(err)
		}
		for n := range notices {
			if n.Kind != app.NoticeFault {
				continue
			}
			var f app.Fault
			if err := json.Unmarshal(n.Data, &f); err != nil || f.Code != "latched" || n.ID != "s1" {
				t.Errorf("%s %s: %v", n.ID, n.Data, err)
			}
			return
		}
		t.Error("nobody was told")
	})
}
