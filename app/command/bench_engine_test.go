package command

import (
	"flag"
	"path/filepath"
	"strconv"
	"testing"

	"holdpoint/engine/run/bench"
)

func BenchmarkEngine(b *testing.B) {
	for _, c := range cases(b) {
		b.Run(c.Name, c.Run)
	}
}

// "bench engine stops in the first round: the run of prompt_entry did not complete."
func TestBench_EveryCaseRunsToItsEnd(t *testing.T) {
	lasting(t, "1x")
	for _, c := range cases(t) {
		if r := testing.Benchmark(c.Run); r.N != 1 {
			t.Errorf("%s did not run to its end", c.Name)
		}
	}
}

// "Five templates in YAML took as long as a hundred stages in Go." They are read when the graph is compiled, not by each run.
func TestBench_TemplatesAreReadOnce(t *testing.T) {
	lasting(t, "64x")
	for _, c := range cases(t) {
		if c.Name != "nodes5_transform" {
			continue
		}
		if r := testing.Benchmark(c.Run); r.AllocsPerOp() > 260 {
			t.Errorf("five templates take %d allocations a run; a template that is read again takes some 70", r.AllocsPerOp())
		}
	}
}

// cases are those of holdpoint bench engine, with the executor that it measures.
func cases(tb testing.TB) []bench.Case {
	dir, n := tb.TempDir(), 0
	return bench.Cases(func() (bench.Store, error) {
		n++
		return openStore(filepath.Join(dir, strconv.Itoa(n)+".db"))
	}, executor)
}

// lasting has benchmarks of a test run so often.
func lasting(t *testing.T, times string) {
	t.Helper()
	before := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", times); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("test.benchtime", before) })
}
