package store

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// "My history takes twice the room on disk that its text has." Journals only grow at their end, so
// the pages behind it are full.
func TestJournal_ThePagesBehindItsEndAreFull(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	now := time.Now()
	row := &run.Run{ID: "r", Session: "s", Turn: "t", Status: run.Running, LeaseEpoch: 1, StartedAt: now, UpdatedAt: now}
	for i := range 100 {
		c := &run.Commit{Run: "r", LeaseEpoch: 1}
		if i == 0 {
			c.Admit, c.Row = true, row
		}
		for k := range 20 {
			c.Events = append(c.Events, journal.Event{Kind: journal.StageStarted, At: now, Session: "s", Turn: "t", Stage: journal.StageID("stage" + strconv.Itoa(k)), Attempt: 1})
		}
		if err := db.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.back.(*boltFile).db.View(func(b *bolt.Tx) error {
		if s := b.Bucket([]byte("journal")).Stats(); s.LeafInuse*10 < s.LeafAlloc*8 {
			t.Errorf("%d bytes of rows take %d", s.LeafInuse, s.LeafAlloc)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
