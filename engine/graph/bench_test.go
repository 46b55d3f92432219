package graph_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/store"
)

// benchGraph is a chain of five stages, or one stage that fans out to n and joins.
func benchGraph(b *testing.B, fanOut int) *graph.Graph {
	b.Helper()
	stage := func(id graph.StageID) graph.Stage {
		return graph.Stage{ID: id, Run: func(context.Context, *graph.Task) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{done.Add(string(id))}}, nil
		}}
	}
	s := graph.Spec{Agent: "bench", Channels: []graph.AnyChannel{done}}
	if fanOut == 0 {
		ids := []graph.StageID{"a", "b", "c", "d", "e"}
		for _, id := range ids {
			s.Stages = append(s.Stages, stage(id))
		}
		s.Edges = chain(ids...)
	} else {
		var ids []graph.StageID
		for i := range fanOut {
			ids = append(ids, graph.StageID(fmt.Sprintf("b%04d", i)))
			s.Stages = append(s.Stages, stage(ids[i]))
		}
		s.Stages = append(s.Stages, stage("first"), stage("join"))
		s.Edges = fan("first", "join", ids...)
	}
	g, err := graph.New(s)
	must(b, err)
	return g
}

func benchRun(b *testing.B, db *store.DB, g *graph.Graph) {
	defer func() { must(b, db.Close()) }()
	x := graph.NewExecutor(graph.Options{Store: db, Now: func() time.Time { return t0 }, NewID: func() string { return "id" }})
	before := db.Commits()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		id := fmt.Sprint("turn:", n)
		out, err := x.Start(context.Background(), g, graph.Admission{ID: graph.RunID(id), Session: fmt.Sprint("s", n/100), Turn: id})
		if err != nil || out.Run.Status != graph.Completed {
			b.Fatal(out.Run.Status, out.Err, err)
		}
		n++
	}
	b.ReportMetric(float64(db.Commits()-before)/float64(n), "commits/op")
}

func BenchmarkChain5(b *testing.B) {
	b.Run("memory", func(b *testing.B) { benchRun(b, store.OpenMemory(), benchGraph(b, 0)) })
	b.Run("durable", func(b *testing.B) {
		db, err := store.Open(filepath.Join(b.TempDir(), "holdpoint.db"))
		must(b, err)
		benchRun(b, db, benchGraph(b, 0))
	})
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchRun(b, store.OpenMemory(), benchGraph(b, n)) })
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
