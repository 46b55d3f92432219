package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var t0 = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// patience is how long a test waits for something that has to come.
const patience = 20 * time.Second

const (
	run1 = graph.RunID("turn:1")
	ses1 = "session-1"
)

// rig is a store with an executor on it. cold gives it a new executor, as a new
// process would have.
type rig struct {
	t    testing.TB
	db   *store.DB
	disk run.Checkpointer // db, or what a test puts before it
	x    *run.Executor

	mu    sync.Mutex
	seen  []journal.Event
	tap   func(journal.Event)
	ids   int
	grace time.Duration
}

func newRig(t testing.TB) *rig { return rigOn(t, storetest.Open(t)) }

func newFileRig(t testing.TB) (*rig, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db, err := store.Open(path)
	must(t, err)
	return rigOn(t, db), path
}

func rigOn(t testing.TB, db *store.DB) *rig {
	r := &rig{t: t, db: db, disk: db}
	t.Cleanup(func() { must(t, db.Close()) })
	db.Subscribe(r.on)
	r.cold()
	return r
}

func (r *rig) cold() {
	r.x = run.NewExecutor(run.Options{Store: r.disk, Now: func() time.Time { return t0 }, NewID: r.newID, OnToken: r.token, Grace: r.grace, Closing: call.Close})
}

func (r *rig) newID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return fmt.Sprintf("id-%d", r.ids)
}

func (r *rig) token(e journal.Event) { r.on(&e) }

func (r *rig) on(e *journal.Event) {
	r.typed(*e)
	r.mu.Lock()
	r.seen = append(r.seen, *e)
	tap := r.tap
	r.mu.Unlock()
	if tap != nil {
		tap(*e)
	}
}

// typed holds what the executor itself tells, some of it written by hand, against the
// types that readers have.
func (r *rig) typed(e journal.Event) {
	switch e.Kind {
	case journal.TurnStarted, journal.TurnResumed, journal.TurnPaused, journal.TurnCompleted, journal.TurnLimited, journal.StageCompleted, journal.StagePaused,
		journal.StageRetried, journal.CheckpointSaved, journal.GraphMutated:
	default:
		return // what the stages of a test tell is theirs
	}
	told, err := journal.Decode(e)
	if err != nil {
		r.t.Errorf("a reader: %v: %s", err, e.Data)
		return
	}
	if len(e.Data) == 0 || strings.Contains(string(e.Data), `"blob":"sha256:`) {
		return
	}
	again := journal.Event{}.With(told)
	again.Render()
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal(e.Data, &want), json.Unmarshal(again.Data, &got)); err != nil || !reflect.DeepEqual(got, want) {
		r.t.Errorf("%s is not what its type says: %s and %s, %v", e.Kind, e.Data, again.Data, err)
	}
}

func (r *rig) events() []journal.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

func (r *rig) start(g *graph.Graph) run.Outcome {
	r.t.Helper()
	out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Input: "hello"})
	must(r.t, err)
	return out
}

func (r *rig) resume(g *graph.Graph, answers ...string) run.Outcome {
	r.t.Helper()
	out, err := r.x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap(answers...)})
	must(r.t, err)
	return out
}

func answerMap(kv ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i := 0; i < len(kv); i += 2 {
		out[kv[i]] = json.RawMessage(kv[i+1])
	}
	return out
}

func (r *rig) journal() []journal.Event {
	r.t.Helper()
	events, err := r.db.Journal(ses1, 0, 0)
	must(r.t, err)
	return events
}

func (r *rig) checkpoint() run.Checkpoint {
	r.t.Helper()
	cp, err := r.db.Load(run1)
	must(r.t, err)
	return cp
}

// count is how many journal events have the kind and, unless empty, the stage.
func (r *rig) count(kind journal.Kind, stage graph.StageID) int {
	r.t.Helper()
	n := 0
	for _, e := range r.journal() {
		if e.Kind == kind && (stage == "" || e.Stage == stage) {
			n++
		}
	}
	return n
}

// tell renders events briefly, one a line.
func tell(events []journal.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s%s%s %d %s %s %s\n", e.Kind, e.Stage, e.From, arrow(e.To), e.Attempt, e.Resolver, e.Condition, e.Data)
	}
	return b.String()
}

func arrow(to graph.StageID) string {
	if to == "" {
		return ""
	}
	return "→" + string(to)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func wantStatus(t testing.TB, out run.Outcome, want run.Status) {
	t.Helper()
	if out.Run.Status != want {
		t.Fatalf("the run is %s (%v), want %s", out.Run.Status, out.Err, want)
	}
}

// wait takes from a channel or fails.
func wait[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// lab records which stages ran, how often and how many at once.
type lab struct {
	mu      sync.Mutex
	starts  map[graph.StageID]int
	order   []graph.StageID
	running int
	peak    int
}

func newLab() *lab { return &lab{starts: map[graph.StageID]int{}} }

func (l *lab) enter(id graph.StageID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starts[id]++
	l.order = append(l.order, id)
	l.running++
	l.peak = max(l.peak, l.running)
	return l.starts[id]
}

func (l *lab) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
}

func (l *lab) ran(id graph.StageID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.starts[id]
}

func (l *lab) wants(t testing.TB, want map[graph.StageID]int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range want {
		if l.starts[id] != n {
			t.Errorf("stage %s ran %d times, want %d (order %v)", id, l.starts[id], n, l.order)
		}
	}
}

// done is the channel that every stage of these tests adds its id to.
var done = graph.Append[string]("done")

// stage makes a stage that is recorded, adds its id to done and then does what do says.
func (l *lab) stage(id graph.StageID, do ...func(ctx context.Context, t *graph.Task, nth int) (graph.Result, error)) graph.Stage {
	return graph.Stage{ID: id, Run: func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		nth := l.enter(id)
		defer l.leave()
		var res graph.Result
		for _, d := range do {
			var err error
			if res, err = d(ctx, t, nth); err != nil {
				return res, err
			}
		}
		if len(res.Pauses) == 0 {
			res.Patch = append(res.Patch, done.Add(string(id)))
		}
		return res, nil
	}}
}

type doing = func(ctx context.Context, t *graph.Task, nth int) (graph.Result, error)

// asks pauses until the pause has an answer.
func asks(pauses ...string) doing {
	return func(_ context.Context, t *graph.Task, _ int) (graph.Result, error) {
		var res graph.Result
		for _, p := range pauses {
			if _, ok := t.Answer(p); !ok {
				res.Pauses = append(res.Pauses, graph.Pause{ID: p, Kind: "question"})
			}
		}
		return res, nil
	}
}

var errBroken = errors.New("the tool broke")

// breaks fails the first n starts.
func breaks(n int) doing {
	return func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth <= n {
			return graph.Result{}, errBroken
		}
		return graph.Result{}, nil
	}
}

func chooses(to graph.StageID) doing {
	return func(context.Context, *graph.Task, int) (graph.Result, error) {
		return graph.Result{Goto: to, Reason: "it says so"}, nil
	}
}

func sets(w ...graph.Write) doing {
	return func(context.Context, *graph.Task, int) (graph.Result, error) { return graph.Result{Patch: w}, nil }
}

// together holds each stage until n of them are running.
func together(n int) doing {
	var mu sync.Mutex
	all := make(chan struct{})
	return func(ctx context.Context, _ *graph.Task, _ int) (graph.Result, error) {
		mu.Lock()
		n--
		if n == 0 {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
			return graph.Result{}, nil
		case <-time.After(patience):
			return graph.Result{}, errors.New("the others never came")
		}
	}
}

func edge(from, to graph.StageID, typ graph.EdgeType) graph.Edge {
	return graph.Edge{From: from, To: to, Type: typ}
}

func onlyIf(from, to graph.StageID, condition string) graph.Edge {
	return graph.Edge{From: from, To: to, Type: graph.Conditional, Condition: condition}
}

// chain joins the stages in a row, from start to end.
func chain(ids ...graph.StageID) []graph.Edge {
	out := []graph.Edge{edge(graph.Start, ids[0], graph.Entry)}
	for i := 1; i < len(ids); i++ {
		out = append(out, edge(ids[i-1], ids[i], graph.Sequence))
	}
	return append(out, edge(ids[len(ids)-1], graph.End, graph.Exit))
}

// fan is first → all of the branches → join → end.
func fan(first, join graph.StageID, branches ...graph.StageID) []graph.Edge {
	out := []graph.Edge{edge(graph.Start, first, graph.Entry)}
	for _, b := range branches {
		out = append(out, edge(first, b, graph.ParallelBranch))
	}
	for _, b := range branches {
		out = append(out, edge(b, join, graph.JoinInput))
	}
	return append(out, edge(join, graph.End, graph.Exit))
}

func build(t testing.TB, s graph.Spec) *graph.Graph {
	t.Helper()
	if s.Agent == "" {
		s.Agent = "test"
	}
	if !slices.ContainsFunc(s.Channels, func(c graph.AnyChannel) bool { return c == graph.AnyChannel(done) }) {
		s.Channels = append(slices.Clone(s.Channels), done)
	}
	g, err := graph.New(s)
	must(t, err)
	return g
}

func isDone(t testing.TB, out run.Outcome, want ...string) {
	t.Helper()
	if got := done.Get(out.State); !slices.Equal(got, want) {
		t.Errorf("finished %v, want %v", got, want)
	}
}

var errCut = errors.New("the power went")

// cutter is a disk that dies: before its nth write or right after it. Admit,
// Acquire and Apply are writes. From then on nothing works.
type cutter struct {
	run.Checkpointer
	mu     sync.Mutex
	writes int
	at     int // 0: never
	after  bool
	dead   bool
}

func (c *cutter) write(do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return errCut
	}
	c.writes++
	if c.writes != c.at {
		return do()
	}
	c.dead = true
	if c.after {
		if err := do(); err != nil {
			return err
		}
	}
	return errCut
}

func (c *cutter) Acquire(id graph.RunID) (cp run.Checkpoint, err error) {
	err = c.write(func() (err error) { cp, err = c.Checkpointer.Acquire(id); return err })
	return cp, err
}

func (c *cutter) Apply(commits ...*run.Commit) error {
	return c.write(func() error { return c.Checkpointer.Apply(commits...) })
}

// gated is a disk whose Apply waits until it is opened.
type gated struct {
	run.Checkpointer
	open chan struct{}
	mu   sync.Mutex
	// applied are the numbers of results in the writes that were asked for.
	applied []int
	arrived chan struct{} // told of each Apply, when not nil
}

func (g *gated) Apply(commits ...*run.Commit) error {
	if commits[0].Admit {
		return g.Checkpointer.Apply(commits...) // held up is what comes after the admission
	}
	results := 0
	for _, c := range commits {
		c.Unfold()
		for _, e := range c.Events {
			if e.Kind == journal.StageCompleted {
				results++
			}
		}
	}
	g.mu.Lock()
	g.applied = append(g.applied, results)
	g.mu.Unlock()
	if g.arrived != nil {
		g.arrived <- struct{}{}
	}
	<-g.open
	return g.Checkpointer.Apply(commits...)
}
