package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// fillSessions makes n sessions with a run and events each in few transactions.
func fillSessions(t testing.TB, db *DB, n, eventsEach int) {
	t.Helper()
	for from := 0; from < n; from += 2000 {
		must(t, db.update(func(x *tx) error {
			for i := from; i < min(n, from+2000); i++ {
				id := fmt.Sprintf("s%05d", i)
				row := sessionRow{Session: session.Session{ID: id, Title: fmt.Sprintf("Session %d about asthma", i), UpdatedAt: t0.Add(time.Duration(i*7919%n) * time.Minute)}}
				ev := make([]journal.Event, eventsEach)
				for j := range ev {
					ev[j] = journal.Event{Kind: journal.StageCompleted, Stage: "stage", Text: "an event of the usual length, more or less", Data: json.RawMessage(`{"patch":{"channel":"value"},"ms":12}`)}
				}
				if err := x.appendEvents(&row, ev); err != nil {
					return err
				}
				if err := sessions.put(x, nil, &row); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func TestSessions_50Of10000ListInUnder100msAtP95(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "holdpoint.db"))
	defer func() { must(t, db.Close()) }()
	fillSessions(t, db, 10_000, 0)
	p95 := listing(t, db)
	if p95 <= 100*time.Millisecond {
		return
	}
	// The machine is slow or busy: then a short list is slow as well.
	few := openFile(t, filepath.Join(t.TempDir(), "holdpoint.db"))
	defer func() { must(t, few.Close()) }()
	fillSessions(t, few, 100, 0)
	if short := listing(t, few); p95 > 3*short {
		t.Errorf("p95 is %s, of 100 sessions %s", p95, short)
	}
}

// listing is how long a page of the list takes at p95.
func listing(t *testing.T, db *DB) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 40 {
		start := time.Now()
		list, err := db.Sessions(SessionQuery{Limit: 50})
		must(t, err)
		if len(list) != 50 {
			t.Fatalf("%d sessions", len(list))
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[37]
}

func BenchmarkSessions(b *testing.B) {
	db, err := Open(filepath.Join(b.TempDir(), "holdpoint.db"))
	must(b, err)
	defer func() { must(b, db.Close()) }()
	fillSessions(b, db, 10_000, 0)
	for name, q := range map[string]SessionQuery{"list50": {Limit: 50}, "search": {Limit: 50, Search: "none"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := db.Sessions(q)
				must(b, err)
			}
		})
	}
}

// BenchmarkOpen opens stores with 10,000 sessions and 100,000 events (every page is
// looked at) or a million (branch pages are).
func BenchmarkOpen(b *testing.B) {
	for _, each := range []int{10, 100} {
		b.Run(fmt.Sprintf("10000x%d", each), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "holdpoint.db")
			db, err := Open(path)
			must(b, err)
			fillSessions(b, db, 10_000, each)
			must(b, db.Close())
			info, err := os.Stat(path)
			must(b, err)
			for b.Loop() {
				db, err := Open(path)
				must(b, err)
				must(b, db.Close())
			}
			b.ReportMetric(float64(info.Size())/(1<<20), "MB")
		})
	}
}

// BenchmarkCommit compares one put and fsync on bare bbolt with the result of a
// typical stage, alone and with five others in one transaction.
func BenchmarkCommit(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		db, err := bolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
		must(b, err)
		defer func() { must(b, db.Close()) }()
		must(b, db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err }))
		n := uint64(0)
		for b.Loop() {
			n++
			must(b, db.Update(func(tx *bolt.Tx) error {
				return tx.Bucket([]byte("x")).Put(numKey(nil, n), []byte(strings.Repeat("x", 400)))
			}))
		}
	})
	for name, open := range map[string]func(b *testing.B) *DB{
		"bolt": func(b *testing.B) *DB {
			db, err := Open(filepath.Join(b.TempDir(), "holdpoint.db"))
			must(b, err)
			return db
		},
		"memory": func(b *testing.B) *DB { return openInMemory() },
	} {
		for _, merged := range []int{1, 6} {
			b.Run(fmt.Sprintf("%s/stages%d", name, merged), func(b *testing.B) {
				db := open(b)
				defer func() { must(b, db.Close()) }()
				cp := admit(b, db, "r", "s")
				row := cp.Run
				commits := make([]*run.Commit, merged)
				for b.Loop() {
					for i := range commits {
						row.Step++
						next := row
						commits[i] = &run.Commit{Run: "r", LeaseEpoch: 1, Row: &next, Clear: true,
							Set:    chans("completed_stages", `["a","b","c"]`, "reply", `"`+strings.Repeat("x", 300)+`"`),
							Events: events(journal.StageStarted, journal.ModelCalled, journal.Transition, journal.StageCompleted)}
					}
					must(b, db.Apply(commits...))
				}
			})
		}
	}
}
