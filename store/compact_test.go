package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

const canary = "canary-of-a-deleted-session"

// compacted is what compacting an open store says.
func compacted(t *testing.T, db *DB) Mended {
	t.Helper()
	m, err := db.Compact()
	must(t, err)
	return m
}

// withCanary has a session to keep, and left the bytes of a large one that was deleted.
func withCanary(t *testing.T) (path string, db *DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "holdpoint.db")
	db = openFile(t, path)
	admit(t, db, "keep", "kept")
	must(t, admitRow(db, newRun("r", "s"), chans("c", `"`+strings.Repeat(canary, 50_000)+`"`), []journal.Event{{Kind: journal.TurnStarted, At: t0, Text: canary}}))
	must(t, db.DeleteSession("s"))
	if body, err := os.ReadFile(path); err != nil || !strings.Contains(string(body), canary) {
		t.Fatal("the test writes nothing that could be removed")
	}
	return path, db
}

func TestCompact_AnOpenStoreKeepsItsContentsItsLockAndGoesOn(t *testing.T) {
	path, db := withCanary(t)
	size, free, err := db.Space()
	if err != nil || free < size/2 {
		t.Fatalf("%d of %d bytes are free, %v", free, size, err)
	}
	before := snapshot(t, db)
	compacted(t, db)
	if snapshot(t, db) != before {
		t.Error("the contents differ")
	}
	now, _, err := db.Space()
	if err != nil || now > size/4 {
		t.Errorf("%d bytes are left of %d, %v", now, size, err)
	}
	if body, err := os.ReadFile(path); err != nil || strings.Contains(string(body), canary) {
		t.Errorf("the canary is still in the file (%v)", err)
	}
	_, err = Open(path)
	wantErr(t, err, ErrLocked)
	must(t, db.Apply(&run.Commit{Run: "keep", LeaseEpoch: 1, Set: chans("c", "1"), Events: events(journal.StageStarted)}))
	compacted(t, db) // again, and it is written to in between
	must(t, db.Close())
	_, err = db.Compact()
	wantErr(t, err, ErrClosed)
	soundFile(t, path)
	if left := beside1(t, path); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	db = openFile(t, path)
	if got := loaded(t, db, "keep"); got["c"] != "1" {
		t.Errorf("what was written afterwards is %v", got)
	}
	must(t, db.Close())
}

// "It stopped in the middle of a long message." A file that grows is mapped anew while
// somebody asks for its size.
func TestSpace_IsToldWhileTheFileGrows(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "holdpoint.db"))
	admit(t, db, "keep", "kept")
	grown := make(chan struct{})
	go func() {
		defer close(grown)
		for n := range 8 {
			if err := db.Apply(&run.Commit{Run: "keep", LeaseEpoch: 1, Set: chans("c", `"`+strings.Repeat("x", 50_000<<n)+`"`)}); err != nil {
				t.Error(err)
			}
		}
	}()
	for first := int64(0); ; {
		size, free, err := db.Space()
		if err != nil || free > size || size < first {
			t.Fatalf("%d of %d bytes are free, %d before (%v)", free, size, first, err)
		}
		first = size
		select {
		case <-grown:
			must(t, db.Close())
			return
		default:
		}
	}
}

func TestCompact_WaitsForNobodyAndLosesNothingBetweenReadersAndWriters(t *testing.T) {
	path, db := withCanary(t)
	must(t, db.view(func(*tx) error {
		done := make(chan error)
		go func() { _, err := db.Compact(); done <- err }()
		wantErr(t, <-done, ErrBusy)
		return nil
	}))
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for i := range 30 {
				if err := db.PutSetting(fmt.Sprint(w, "-", i), i); err != nil {
					t.Error(err)
				}
				var got int
				if ok, err := db.Setting(fmt.Sprint(w, "-", i), &got); !ok || err != nil || got != i {
					t.Errorf("setting %d-%d is %d, %v", w, i, got, err)
				}
			}
		})
	}
	times := 0
	for range 20 {
		if _, err := db.Compact(); err == nil {
			times++
		}
	}
	all.Wait()
	compacted(t, db)
	t.Logf("compacted %d times in between", times)
	for w := range 3 {
		for i := range 30 {
			var got int
			if ok, err := db.Setting(fmt.Sprint(w, "-", i), &got); !ok || err != nil || got != i {
				t.Errorf("setting %d-%d is %d, %v", w, i, got, err)
			}
		}
	}
	must(t, db.Close())
	soundFile(t, path)
	compacted(t, openInMemory())
}

func TestSubscribe_HearsEveryEventOnceAfterItsCommitAndInOrder(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		var heard []journal.Event
		db.Subscribe(func(e *journal.Event) {
			stored, err := db.Journal(e.Session, e.Seq-1, 1)
			if err != nil || len(stored) != 1 || stored[0].Kind != e.Kind {
				t.Errorf("event %d of %s is told and not stored: %v, %v", e.Seq, e.Session, stored, err)
			}
			heard = append(heard, *e)
		})
		admit(t, db, "r", "s")
		var all sync.WaitGroup
		for _, s := range []string{"s", "u"} {
			id := map[string]string{"s": "r", "u": "q"}[s]
			if s == "u" {
				admit(t, db, id, s)
			}
			all.Go(func() {
				for range 20 {
					if err := db.AppendEvents(s, id, events(journal.StageStarted, journal.Token, journal.StageCompleted), nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		boom := fmt.Errorf("no")
		wantErr(t, db.AppendEvents("s", "r", events(journal.StageStarted), func(Tx) error { return boom }), boom)
		last := map[string]uint64{}
		for _, e := range heard {
			if e.Seq != last[e.Session]+1 {
				t.Fatalf("event %d of %s follows %d", e.Seq, e.Session, last[e.Session])
			}
			last[e.Session] = e.Seq
		}
		if last["s"] != 41 || last["u"] != 41 {
			t.Errorf("heard %v", last)
		}
		stored, err := db.Journal("s", 0, 0)
		must(t, err)
		raw, err := json.Marshal(stored)
		must(t, err)
		var mine []journal.Event
		for _, e := range heard {
			if e.Session == "s" {
				mine = append(mine, e)
			}
		}
		if now, err := json.Marshal(mine); err != nil || string(now) != string(raw) {
			t.Errorf("what was told is not what is stored (%v)", err)
		}
	})
}
