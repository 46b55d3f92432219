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

// "Five templates in YAML took as long as a hundred stages in Go." They are read when the graph is compiled, not by each run.
func TestBench_TemplatesAreReadOnce(t *testing.T) {
	before := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", "64x"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("test.benchtime", before) })
	for _, c := range cases(t) {
		if c.Name != "nodes5_transform" {
			continue
		}
		if r := testing.Benchmark(c.Run); r.AllocsPerOp() > 260 {
			t.Errorf("five templates take %d allocations a run; a template that is read again takes some 70", r.AllocsPerOp())
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
