package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/store"
)

// timing is one figure; NS and Allocs are per run of the whole graph.
type timing struct {
	Name    string `json:"name"`
	NS      int64  `json:"ns"`
	Allocs  int64  `json:"allocs"`
	Commits int    `json:"commits,omitempty"` // write transactions of one run
}

type benchmark struct {
	name string
	run  func() (timing, error)
}

// engineBenchmarks time graphs of stub stages: what is left is the engine and the disk.
func engineBenchmarks() []benchmark {
	chain := func() (*graph.Graph, error) {
		done := graph.Append[string]("done")
		spec := graph.Spec{Agent: "chain5", Channels: []graph.AnyChannel{done}}
		from := graph.Start
		for i := range 5 {
			id := graph.StageID("stage" + strconv.Itoa(i))
			spec.Stages = append(spec.Stages, graph.Stage{ID: id, Run: func(context.Context, *graph.Task) (graph.Result, error) {
				return graph.Result{Patch: graph.Patch{done.Add(string(id))}}, nil
			}})
			typ := graph.Sequence
			if i == 0 {
				typ = graph.Entry
			}
			spec.Edges = append(spec.Edges, graph.Edge{From: from, To: id, Type: typ})
			from = id
		}
		spec.Edges = append(spec.Edges, graph.Edge{From: from, To: graph.End, Type: graph.Exit})
		return graph.New(spec)
	}
	turn8 := func() (*graph.Graph, error) {
		done := graph.Append[string]("completed_stages")
		hijacked, failed := graph.Value[bool]("safety_hijacked"), graph.Value[bool]("assembly_failed")
		spec := graph.Spec{Agent: "turn8", Channels: []graph.AnyChannel{done, hijacked, failed}, Edges: navigator.Edges(),
			Conditions: []graph.Condition{graph.When(navigator.SafetyHijacked, hijacked).AsSafety(), graph.Unless(navigator.NotSafetyHijacked, hijacked).AsSafety(),
				graph.When(navigator.AssemblyFailed, failed), graph.Unless(navigator.NotAssemblyFailed, failed)}}
		for _, id := range []graph.StageID{navigator.Preflight, navigator.SafetyIntervention, navigator.AssemblyGate, navigator.ContextAssembly,
			navigator.EmpathyStage, navigator.ContextFormat, navigator.Navigate, navigator.Finalize} {
			spec.Stages = append(spec.Stages, graph.Stage{ID: id, Run: func(context.Context, *graph.Task) (graph.Result, error) {
				return graph.Result{Patch: graph.Patch{done.Add(string(id))}}, nil
			}})
		}
		return graph.New(spec)
	}
	return []benchmark{
		{"chain5_journal", func() (timing, error) { return timeGraph("chain5_journal", chain, false) }},
		{"chain5_durable", func() (timing, error) { return timeGraph("chain5_durable", chain, true) }},
		{"turn8_memory", func() (timing, error) { return timeGraph("turn8_memory", turn8, false) }},
		{"turn8_durable", func() (timing, error) { return timeGraph("turn8_durable", turn8, true) }},
		{"commit_bare", timeBare},
	}
}

// timeGraph runs a graph again and again on one store.
func timeGraph(name string, build func() (*graph.Graph, error), durable bool) (t timing, err error) {
	g, err := build()
	if err != nil {
		return t, err
	}
	db := store.OpenMemory()
	if durable {
		dir, err := os.MkdirTemp("", "holdpoint-bench-*")
		if err != nil {
			return t, err
		}
		defer os.RemoveAll(dir)
		if db, err = store.Open(filepath.Join(dir, "bench.db")); err != nil {
			return t, err
		}
	}
	defer db.Close()
	n := 0
	x := graph.NewExecutor(graph.Options{Store: db, Now: time.Now, NewID: func() string { n++; return strconv.Itoa(n) }})
	turn := func() error {
		n++
		id := strconv.Itoa(n)
		out, err := x.Start(context.Background(), g, graph.Admission{ID: graph.RunID("turn:" + id), Session: "bench", Turn: id, Input: "hello"})
		if err == nil && out.Run.Status != graph.Completed {
			err = fmt.Errorf("the run is %s: %w", out.Run.Status, out.Err)
		}
		return err
	}
	before := db.Commits()
	if err := turn(); err != nil {
		return t, err
	}
	commits := int(db.Commits() - before)
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := turn(); err != nil {
				b.Fatal(err)
			}
		}
	})
	return timing{name, r.NsPerOp(), r.AllocsPerOp(), commits}, nil
}

// timeBare is one bbolt commit of a stage result's size, for comparison.
func timeBare() (t timing, err error) {
	dir, err := os.MkdirTemp("", "holdpoint-bench-*")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	db, err := bbolt.Open(filepath.Join(dir, "bare.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return t, err
	}
	defer db.Close()
	body := make([]byte, 900)
	n := uint64(0)
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n++
			err := db.Update(func(tx *bbolt.Tx) error {
				bk, err := tx.CreateBucketIfNotExists([]byte("b"))
				if err != nil {
					return err
				}
				return bk.Put([]byte(strconv.FormatUint(n%1000, 10)), body)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	return timing{Name: "commit_bare", NS: r.NsPerOp(), Allocs: r.AllocsPerOp()}, nil
}
