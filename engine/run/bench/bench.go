// Package bench holds the graphs that measurements of the executor run: what is
// left of their time, with stages that do next to nothing, is the engine and the disk.
//
// Each figure is of one whole run, with its journal:
//
//	chain5_memory     five stages one after the other, in memory, with nobody who listens
//	chain5_journal    the same with a subscriber, as the screens are one
//	chain5_durable    the same on disk
//	turn8_memory      eight stages shaped as a turn, in memory; turn8_durable on disk
//	turn8_acting      the same on disk with stages that act, each after what precedes it is on disk
//	prompt_first      one prompt node that asks once
//	prompt_entry      the first entry of a prompt node with blocks, inputs and eight tools, alone
//	prompt_reentry    each further entry of that node, to tell the model what a tool said
//	nodes5_transform  five nodes of a graph file, compiled as the program does it; nodes5_prompt on a
//	                  model that answers at once; turn5_… behind the check that every turn begins with
//	fanoutN           N branches that compute, and their join; fanout1000_waiting of branches that may wait
//	runs10000         10,000 runs at once, with the memory they need
//	state1mb_500      500 steps on a state of 1 MB, with the bytes of the file
package bench

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// Store is a checkpointer that was opened for one measurement.
type Store struct {
	run.Checkpointer
	// Commits counts write transactions, Size the bytes of the file; nil in memory.
	Commits func() uint64
	Size    func() (int64, error)
	Close   func() error
}

// Open opens an empty durable store.
type Open func() (Store, error)

// Build makes the executor that the program runs turns on.
type Build func(run.Checkpointer) *run.Executor

// Case is one measurement. Run is a benchmark of one whole run of the graph.
type Case struct {
	Name string
	Run  func(b *testing.B)
}

// Cases lists the measurements; open is for the durable ones.
func Cases(open Open, build Build) []Case {
	in := func(memory func() *run.InMemory) Open {
		return func() (Store, error) {
			return Store{Checkpointer: memory(), Close: func() error { return nil }}, nil
		}
	}
	memory := in(heard)
	runs := func(open Open, spec graph.Spec) func(*testing.B) { return runs(open, build, spec) }
	cases := []Case{
		{"chain5_memory", runs(in(run.NewInMemory), Chain(5))},
		{"chain5_journal", runs(memory, Chain(5))},
		{"chain5_durable", runs(open, Chain(5))},
		{"turn8_memory", runs(memory, Turn(false))},
		{"turn8_durable", runs(open, Turn(false))},
		{"turn8_acting", runs(open, Turn(true))},
		{"prompt_first", prompts(build, 0, true)},
		{"prompt_entry", prompts(build, 4, true)},
		{"prompt_reentry", prompts(build, 4, false)},
		{"nodes5_transform", people(build, definition.KindTransform, false)},
		{"nodes5_prompt", people(build, definition.KindPrompt, false)},
		{"turn5_transform", people(build, definition.KindTransform, true)},
		{"turn5_prompt", people(build, definition.KindPrompt, true)},
		{"runs10000", func(b *testing.B) { concurrent(b, build, 10_000) }},
		{"state1mb_500", func(b *testing.B) { megabyte(b, build, open) }},
	}
	for _, n := range []int{10, 100, 1000} {
		cases = append(cases, Case{fmt.Sprintf("fanout%d", n), runs(memory, FanOut(n, true))})
	}
	return append(cases, Case{"fanout1000_waiting", runs(memory, FanOut(1000, false))})
}

// heard is a store in memory with a subscriber, as the screens are one.
func heard() *run.InMemory {
	m := run.NewInMemory()
	told := 0
	m.Subscribe(func(e *journal.Event) { told += len(e.Kind) + len(e.Data) })
	return m
}

// perStore is how many runs one store takes before a fresh one comes.
const perStore = 16

// runs runs the graph again and again.
func runs(open Open, build Build, spec graph.Spec) func(b *testing.B) {
	return func(b *testing.B) {
		g, err := graph.New(spec)
		if err != nil {
			b.Fatal(err)
		}
		db, err := open()
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := db.Close(); err != nil {
				b.Error(err)
			}
		}()
		x := build(db.Checkpointer)
		n := 0
		var before uint64
		if db.Commits != nil {
			before = db.Commits()
		}
		ids := names(perStore)
		b.ReportAllocs()
		for b.Loop() {
			id := ids[n%perStore]
			if n++; n%perStore == 0 && db.Commits == nil {
				if db, err = open(); err != nil {
					b.Fatal(err)
				}
				x = build(db.Checkpointer)
			}
			if db.Commits != nil {
				id = strconv.Itoa(n)
			}
			once(b, x, g, id)
		}
		if db.Commits != nil && n > 0 {
			b.ReportMetric(float64(db.Commits()-before)/float64(n), "commits/op")
		}
	}
}

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

func once(b testing.TB, x *run.Executor, g *graph.Graph, id string) {
	out, err := x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(id), Session: "bench", Turn: id, Input: "hello"})
	if err != nil || out.Run.Status != run.Completed {
		b.Fatalf("the run is %s: %v %v", out.Run.Status, out.Err, err)
	}
}

var counter = graph.Value[int]("x")

// add is the work of a stage: one more than before.
func add(_ context.Context, t *graph.Task) (graph.Result, error) {
	return graph.Result{Patch: graph.Patch{counter.Set(counter.Get(t.State) + 1)}}, nil
}

// Chain is n stages one after the other; each adds one to the same number.
func Chain(n int) graph.Spec {
	spec := graph.Spec{Agent: "chain", Channels: []graph.AnyChannel{counter}}
	from := graph.Start
	for i := range n {
		id := graph.StageID("stage" + strconv.Itoa(i))
		spec.Stages = append(spec.Stages, graph.Stage{ID: id, Run: add, Quick: true})
		typ := graph.Sequence
		if i == 0 {
			typ = graph.Entry
		}
		spec.Edges = append(spec.Edges, graph.Edge{From: from, To: id, Type: typ})
		from = id
	}
	spec.Edges = append(spec.Edges, graph.Edge{From: from, To: graph.End, Type: graph.Exit})
	return spec
}

var done = graph.Append[string]("done")

// FanOut is one stage, n at once, and a join. Stages that only compute run one after
// the other where the run is; others get goroutines of their own.
func FanOut(n int, computes bool) graph.Spec {
	spec := graph.Spec{Agent: "fanout", Channels: []graph.AnyChannel{done}}
	stage := func(id graph.StageID) {
		spec.Stages = append(spec.Stages, graph.Stage{ID: id, Quick: computes, Run: func(context.Context, *graph.Task) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{done.Add(string(id))}}, nil
		}})
	}
	stage("first")
	spec.Edges = append(spec.Edges, graph.Edge{From: graph.Start, To: "first", Type: graph.Entry})
	for i := range n {
		id := graph.StageID("branch" + strconv.Itoa(i))
		stage(id)
		spec.Edges = append(spec.Edges, graph.Edge{From: "first", To: id, Type: graph.ParallelBranch}, graph.Edge{From: id, To: "join", Type: graph.JoinInput})
	}
	stage("join")
	spec.Edges = append(spec.Edges, graph.Edge{From: "join", To: graph.End, Type: graph.Exit})
	return spec
}

// Turn has the shape of a whole turn with stages that add their name: a safety
// edge, a fork, a join and a choice. acting makes every stage one that waits for
// what precedes it to be on disk.
func Turn(acting bool) graph.Spec {
	hijacked := graph.Value[bool]("hijacked")
	spec := graph.Spec{Agent: "turn8", Channels: []graph.AnyChannel{done, hijacked},
		Conditions: []graph.Condition{graph.When("hijacked", hijacked).AsSafety(), graph.Unless("not_hijacked", hijacked).AsSafety()}}
	for _, id := range []graph.StageID{"preflight", "intervention", "gate", "assembly", "empathy", "format", "talk", "finalize"} {
		spec.Stages = append(spec.Stages, graph.Stage{ID: id, SideEffects: acting, Quick: !acting, Run: func(context.Context, *graph.Task) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{done.Add(string(id))}}, nil
		}})
	}
	edge := func(from, to graph.StageID, typ graph.EdgeType, condition string) {
		spec.Edges = append(spec.Edges, graph.Edge{From: from, To: to, Type: typ, Condition: condition})
	}
	edge(graph.Start, "preflight", graph.Entry, "")
	edge("preflight", "intervention", graph.Conditional, "hijacked")
	edge("preflight", "gate", graph.Conditional, "not_hijacked")
	edge("intervention", "finalize", graph.TerminalPath, "")
	edge("gate", "assembly", graph.ParallelBranch, "")
	edge("gate", "empathy", graph.ParallelBranch, "")
	edge("assembly", "format", graph.JoinInput, "")
	edge("empathy", "format", graph.JoinInput, "")
	edge("format", "talk", graph.Sequence, "")
	edge("talk", "finalize", graph.Sequence, "")
	edge("finalize", graph.End, graph.Exit, "")
	return spec
}

// concurrent starts n runs at once; the figure is for all of them.
func concurrent(b *testing.B, build Build, n int) {
	g, err := graph.New(Chain(5))
	if err != nil {
		b.Fatal(err)
	}
	ids := names(n)
	grown := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		before := inUse()
		b.StartTimer()
		m := heard()
		x := build(m)
		var wg sync.WaitGroup
		for _, id := range ids {
			wg.Go(func() { once(b, x, g, id) })
		}
		wg.Wait()
		b.StopTimer()
		grown = inUse() - before
		runtime.KeepAlive(m)
		b.StartTimer()
	}
	b.ReportMetric(float64(grown), "mem_bytes")
}

// inUse is what the program holds, in bytes: live heap and stacks.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// megabyte runs 500 steps that each change one small value beside 1 MB that
// stays as it is, and reports by how much the file grew.
func megabyte(b *testing.B, build Build, open Open) {
	body := graph.Value[string]("body")
	again := graph.Value[bool]("again")
	spec := graph.Spec{Agent: "megabyte", MaxSteps: 1000, Channels: []graph.AnyChannel{body, counter, again},
		Conditions: []graph.Condition{graph.When("again", again), graph.Unless("enough", again)},
		Stages: []graph.Stage{{ID: "step", Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			x := counter.Get(t.State) + 1
			return graph.Result{Patch: graph.Patch{counter.Set(x), again.Set(x < 500)}}, nil
		}}},
		Edges: []graph.Edge{{From: graph.Start, To: "step", Type: graph.Entry}, {From: "step", To: "step", Type: graph.Conditional, Condition: "again"},
			{From: "step", To: graph.End, Type: graph.Conditional, Condition: "enough"}}}
	g, err := graph.New(spec)
	if err != nil {
		b.Fatal(err)
	}
	state := graph.Patch{body.Set(strings.Repeat("x", 1<<20))}
	grown := int64(0)
	for b.Loop() {
		db, err := open()
		if err != nil {
			b.Fatal(err)
		}
		before, err := db.Size()
		if err != nil {
			b.Fatal(err)
		}
		out, err := build(db.Checkpointer).Start(context.Background(), g, run.StartRequest{ID: "r", Session: "s", State: state})
		if err != nil || out.Run.Status != run.Completed {
			b.Fatal(out.Run.Status, out.Err, err)
		}
		after, err := db.Size()
		if err != nil {
			b.Fatal(err)
		}
		grown = after - before
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(grown), "file_bytes")
}
