package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/run/bench"
	"holdpoint/store"
)

// timing is one figure; NS and Allocs are per run of the whole graph.
type timing struct {
	Name    string `json:"name"`
	NS      int64  `json:"ns"`
	Allocs  int64  `json:"allocs"`
	Commits int    `json:"commits,omitempty"` // write transactions of one run
	// FileBytes is by how much the file grew.
	FileBytes int64 `json:"file_bytes,omitempty"`
	// MemBytes is what is held once all runs have ended.
	MemBytes int64 `json:"mem_bytes,omitempty"`
}

type benchmark struct {
	name string
	run  func() (timing, error)
}

// engineBenchmarks time graphs of stub stages: what is left is the engine and the disk.
func engineBenchmarks(dir string) []benchmark {
	n := 0
	file := func() string { n++; return filepath.Join(dir, strconv.Itoa(n)+".db") }
	out := []benchmark{
		{"commit_bare", func() (timing, error) {
			return timed("commit_bare", func(b *testing.B) { bareCommits(b, file(), 2048) })
		}},
		{"commit_chain5", func() (timing, error) {
			size, err := chainBytes(file())
			if err != nil {
				return timing{}, err
			}
			return timed("commit_chain5", func(b *testing.B) { bareCommits(b, file(), size) })
		}},
	}
	for _, c := range bench.Cases(func() (bench.Store, error) { return openStore(file()) }, executor) {
		out = append(out, benchmark{c.Name, func() (timing, error) { return timed(c.Name, c.Run) }})
	}
	for _, n := range []int{10, 10_000} {
		name := fmt.Sprintf("session%d", n)
		out = append(out, benchmark{name, func() (timing, error) {
			return timed(name, func(b *testing.B) { longSession(b, filepath.Join(dir, name), n) })
		}})
	}
	return out
}

// executor is the one that the app runs turns on.
func executor(db run.Checkpointer) *run.Executor {
	var n atomic.Int64
	return app.NewExecutor(db, time.Now, func() string { return strconv.FormatInt(n.Add(1), 10) }, func(journal.Event) {})
}

// longSession times a whole turn of the usual agent, with the scripted model, in a
// session that holds this many messages already.
func longSession(b *testing.B, dir string, messages int) {
	if err := os.RemoveAll(dir); err != nil {
		b.Fatal(err)
	}
	a, err := app.Open(app.Options{Dir: dir, Practice: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	}()
	const at, many = "long", 500
	now := time.Now()
	var commits []*run.Commit
	for n := range messages / 2 {
		id := fmt.Sprintf("earlier%d", n)
		commits = append(commits, &run.Commit{Run: app.RunID(id), Admit: true, Row: &run.Run{ID: app.RunID(id), Session: at, Turn: id, Status: run.Completed,
			LeaseEpoch: 1, Input: "And how did the week go?", Output: "It went well, thank you.", StartedAt: now, UpdatedAt: now},
			Events: []journal.Event{{Kind: journal.TurnStarted, At: now, Session: at, Turn: id, Text: "And how did the week go?"},
				{Kind: journal.TurnCompleted, At: now, Session: at, Turn: id, Text: "It went well, thank you."}}})
		if len(commits) == many || n == messages/2-1 {
			if err := a.Store.Apply(commits...); err != nil {
				b.Fatal(err)
			}
			commits = nil
		}
	}
	turn := func() {
		out, err := a.RunTurn(context.Background(), app.TurnRequest{Session: at, Text: "What should I ask next?"})
		if err != nil || out.Run.Status != run.Completed {
			b.Fatal(out.Run.Status, out.Err, err)
		}
	}
	turn() // the first of a program reads its rules, which has nothing to do with the session
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}

// rounds is how often everything is measured, one after the other each time, so
// that what else the machine does falls on all alike. The median counts.
const rounds, roundTime = 5, "200ms"

func measure(benchmarks []benchmark, say func(string, ...any)) ([]timing, error) {
	testing.Init()
	if err := flag.Set("test.benchtime", roundTime); err != nil {
		return nil, err
	}
	got := make([][]timing, len(benchmarks))
	for round := range rounds {
		say("round %d of %d", round+1, rounds)
		for i, b := range benchmarks {
			r, err := b.run()
			if err != nil {
				return nil, fmt.Errorf("bench %s: %w", b.name, err)
			}
			got[i] = append(got[i], r)
		}
	}
	out := make([]timing, len(benchmarks))
	for i, rs := range got {
		slices.SortFunc(rs, func(a, b timing) int { return cmp.Compare(a.NS, b.NS) })
		out[i] = rs[len(rs)/2]
	}
	return out, nil
}

func openStore(path string) (bench.Store, error) {
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
	told := 0
	db.Subscribe(func(e *journal.Event) { told += len(e.Kind) + len(e.Data) }) // as the screens do
	return bench.Store{Checkpointer: db, Commits: db.Commits, Size: size, Close: db.Close}, nil
}

func timed(name string, run func(b *testing.B)) (timing, error) {
	r := testing.Benchmark(run)
	if r.N == 0 {
		return timing{}, fmt.Errorf("the run of %s did not complete", name)
	}
	return timing{name, r.NsPerOp(), r.AllocsPerOp(), int(r.Extra["commits/op"] + 0.5), int64(r.Extra["file_bytes"]), int64(r.Extra["mem_bytes"])}, nil
}

// chainBytes is how many bytes one durable run of five stages leaves: its row and its
// events, without their keys and indexes.
func chainBytes(path string) (size int, err error) {
	db, err := store.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	g, err := graph.New(bench.Chain(5))
	if err != nil {
		return 0, err
	}
	out, err := executor(db).Start(context.Background(), g, run.StartRequest{ID: "1", Session: "bench", Turn: "1", Input: "hello"})
	if err != nil {
		return 0, err
	}
	events, err := db.Journal("bench", 0, 0)
	if err != nil {
		return 0, err
	}
	row, err := json.Marshal(out.Run)
	if err != nil {
		return 0, err
	}
	told, err := json.Marshal(events)
	return len(row) + len(told), err
}

// bareCommits are bbolt commits of one value of this many bytes, for comparison.
func bareCommits(b *testing.B, path string, size int) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}()
	body := make([]byte, size)
	n := uint64(0)
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
}

// ratio compares two figures of one run on one machine.
type ratio struct {
	what   string
	of, to string
	times  float64 // the second figure counts this often
	most   float64
}

// ratios are those that need no other engine on the machine.
var ratios = []ratio{
	{"8-stage turn, durable, against nine bare commits", "turn8_durable", "commit_bare", 9, 0.5},
	{"8-stage turn, every stage acting, against nine bare commits", "turn8_acting", "commit_bare", 9, 1.2},
	{"fan-out 1,000, cost per branch against fan-out 10", "fanout1000", "fanout10", 100, 3},
	{"5 stages, durable, against one bare commit of the same bytes", "chain5_durable", "commit_chain5", 1, 1.3},
	{"a turn in a session of 10,000 messages against one in a session of 10", "session10000", "session10", 1, 1.2},
	{"prompt node, entered again against its first entry", "prompt_reentry", "prompt_entry", 1, 1.0 / 3},
}
