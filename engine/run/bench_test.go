package run_test

import (
	"flag"
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
	for _, c := range cases(b) {
		b.Run(c.Name, c.Run)
	}
}

// "bench engine stops in the first round: the run of prompt_entry did not complete."
func TestBench_EveryCaseRunsToItsEnd(t *testing.T) {
	before := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", "1x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("test.benchtime", before) })
	for _, c := range cases(t) {
		if r := testing.Benchmark(c.Run); r.N != 1 {
			t.Errorf("%s did not run to its end", c.Name)
		}
	}
}

func cases(tb testing.TB) []bench.Case {
	dir, n := tb.TempDir(), 0
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
	return bench.Cases(open, func(db run.Checkpointer) *run.Executor {
		return run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "id" }})
	})
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
