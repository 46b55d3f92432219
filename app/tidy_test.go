package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

const canary = "zanzibar-quokka-7731"

// large puts a session of 20 MB into the store.
func large(t *testing.T, a *app.App, id string) {
	t.Helper()
	value, err := json.Marshal(strings.Repeat(canary+" ", 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	row := run.Run{ID: app.RunID(id), Session: id, Turn: id, Agent: "navigator", Status: run.Completed, Input: canary, StartedAt: time.Now(), UpdatedAt: time.Now()}
	if err := storetest.Admit(a.Store, row, []graph.ChannelValue{{Channel: "c", Value: value}}, nil); err != nil {
		t.Fatal(err)
	}
}

// openTelling is openApp with a signal after each compaction.
func openTelling(t *testing.T, dir string) (*app.App, compactions) {
	t.Helper()
	told := make(compactions, 1)
	a, err := app.Open(app.Options{Dir: dir, Version: "test", Practice: true, Log: slog.New(slog.NewTextHandler(told, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return a, told
}

// compactions hears from the log that the store was compacted.
type compactions chan struct{}

func (c compactions) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("store compacted")) {
		select {
		case c <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// until waits for compactions until something holds.
func (c compactions) until(t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() {
		select {
		case <-c:
		case <-time.After(time.Minute):
			t.Fatal("the store is not compacted")
		}
	}
}

func fileHas(t *testing.T, dir, text string) bool {
	t.Helper()
	body, err := os.ReadFile(app.StorePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(body), text)
}

func TestTidy_AfterALargeDeletionTheFileShrinksByItself(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	large(t, a, "big")
	if !fileHas(t, dir, canary) {
		t.Fatal("nothing to find")
	}
	if err := a.DeleteSession("big"); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a) // waits for what goes on in the background
	if fileHas(t, dir, canary) {
		t.Error("the canary is still in the file")
	}
	if info, err := os.Stat(app.StorePath(dir)); err != nil || info.Size() > 4<<20 {
		t.Errorf("the file has %d bytes (%v)", info.Size(), err)
	}
}

// "I deleted the patient's session while another window showed a long list, and her name
// was still in the file a week later."
func TestTidy_WhoReadsMeanwhileOnlyDelaysIt(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	large(t, a, "big")
	reading, read := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- a.Store.View(func(graph.Tx) error {
			close(reading)
			<-read
			return nil
		})
	}()
	<-reading
	if err := a.DeleteSession("big"); err != nil {
		t.Fatal(err)
	}
	close(read)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	if fileHas(t, dir, canary) {
		t.Error("the canary is still in the file")
	}
}

// "The app crashed right after I deleted her, and nothing ever finished the job."
func TestTidy_WhatACrashLeftIsDoneLater(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	large(t, a, "big")
	closeApp(t, a)
	db, err := store.Open(app.StorePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.DeleteSession("big"), db.Close()); err != nil {
		t.Fatal(err)
	}
	a = openApp(t, dir, 0)
	askIn(t, a, app.TurnRequest{Session: "talk", Patient: "pat-alder", Text: "Hello there", Practice: true})
	closeApp(t, a)
	if fileHas(t, dir, canary) {
		t.Error("the canary is still in the file")
	}
}

func TestTidy_NeverWhileATurnRunsAndThenAtItsEnd(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, time.Hour) // its first word does not come
	sample(t, a)
	large(t, a, "big")
	events, stop := a.Listen("talk")
	defer stop()
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Session: "talk", Patient: "pat-alder", Text: "Hello there", Practice: true})
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.StageStarted)
	if err := a.DeleteSession("big"); err != nil {
		t.Fatal(err)
	}
	if size, free, err := a.Store.Space(); err != nil || free < 16<<20 || free < size/2 || !a.Live(s.Turn) {
		t.Errorf("%d of %d bytes are free while the turn runs (%v)", free, size, err)
	}
	if err := a.Stop(s.Turn); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	if fileHas(t, dir, canary) {
		t.Error("the canary is still in the file")
	}
}

// "I removed forty documents, the index was made anew behind it, and 35 MB of what was gone stayed in the file." What
// frees space after the last deletion is followed by a compaction, too, not by the next deletion only.
func TestTidy_AfterTheIndexOfTheLibraryWasMadeAnew(t *testing.T) {
	a, compacted := openTelling(t, t.TempDir())
	sample(t, a)
	large(t, a, "big")
	if err := a.Store.DeleteSession("big"); err != nil {
		t.Fatal(err)
	}
	if err := a.ReindexLibrary(t.Context(), func(int64, int64, string, string) {}); err != nil {
		t.Fatal(err)
	}
	compacted.until(t, func() bool {
		_, free, err := a.Store.Space()
		if err != nil {
			t.Fatal(err)
		}
		return free < 16<<20
	})
	closeApp(t, a)
}

// "A program of mine forgot him in the conversation itself, and the file never became smaller." Whatever deletes, and
// whatever is written over, is followed by a compaction once nothing runs: nobody has to say that something was deleted.
func TestTidy_WhateverDeletesIsFollowedByItWhileNothingRuns(t *testing.T) {
	dir := t.TempDir()
	a, compacted := openTelling(t, dir)
	defer closeApp(t, a)
	sample(t, a)
	large(t, a, "big")
	if err := a.Store.DeleteSession("big"); err != nil {
		t.Fatal(err)
	}
	compacted.until(t, func() bool { return !fileHas(t, dir, canary) })
}
