package run_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/run"
	"holdpoint/engine/run/bench"
	"holdpoint/store"
)

func BenchmarkEngine(b *testing.B) {
	dir, n := b.TempDir(), 0
	open := func() (bench.Store, error) {
		n++
		path := filepath.Join(dir, strconv.Itoa(n)+".db")
		db, err := store.Open(path)
		if err != nil {
			return bench.Store{}, err
		}
		size := func() (int64, error) {
			info, err := os.Stat(path)
			if err != nil {
				return 0, err
			}
			return info.Size(), nil
		}
		return bench.Store{Checkpointer: db, Commits: db.Commits, Size: size, Close: db.Close}, nil
	}
	for _, c := range bench.Cases(open, func(db run.Checkpointer) *run.Executor {
		return run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	}) {
		b.Run(c.Name, c.Run)
	}
}

func BenchmarkNew(b *testing.B) {
	s := sampleSpec()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.New(s); err != nil {
			b.Fatal(err)
		}
	}
}
