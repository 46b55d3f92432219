package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// The child of the kill tests: it carries one run as far as it can and kills
// itself, without a goodbye, at the write it was told.
const (
	childStore = "HOLDPOINT_TEST_STORE"
	childKill  = "HOLDPOINT_TEST_KILL" // "before 3", "after 3"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		if err := child(path, os.Getenv(childKill)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killer is a disk that kills the process before or after its nth write.
type killer struct {
	*store.DB
	mu     sync.Mutex
	writes int
	before int
	after  int
}

func (k *killer) write(do func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.writes++
	if k.writes == k.before {
		die()
	}
	err := do()
	if k.writes == k.after {
		die()
	}
	return err
}

func die() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {}
}

func (k *killer) Acquire(id graph.RunID) (cp run.Checkpoint, err error) {
	err = k.write(func() (err error) { cp, err = k.DB.Acquire(id); return err })
	return cp, err
}

func (k *killer) Apply(commits ...*run.Commit) error {
	return k.write(func() error { return k.DB.Apply(commits...) })
}

// killGraph has five stages: a pair at once, an approval, an effect. Each start
// of a stage is a line of the log, written before the stage does anything.
func killGraph(log func(line string) error) (*graph.Graph, error) {
	l := newLab()
	logged := func(id graph.StageID, do ...doing) graph.Stage {
		first := func(_ context.Context, t *graph.Task, _ int) (graph.Result, error) {
			return graph.Result{}, log(string(t.Stage))
		}
		return l.stage(id, append([]doing{first}, do...)...)
	}
	b := booking{call: "call-1"}
	join := acting(logged("book", b.do))
	edges := fan("prepare", "book", "left", "right")
	edges[len(edges)-1] = edge("book", "reply", graph.Sequence)
	return graph.New(graph.Spec{Agent: "kill", Channels: []graph.AnyChannel{done}, Edges: append(edges, edge("reply", graph.End, graph.Exit)),
		Stages: []graph.Stage{logged("prepare"), logged("left"), logged("right"), join, logged("reply")}})
}

func child(path, kill string) error {
	db, err := store.Open(path)
	if err != nil {
		return err
	}
	k := &killer{DB: db}
	if side, n, ok := strings.Cut(kill, " "); ok {
		at, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		if side == "before" {
			k.before = at
		} else {
			k.after = at
		}
	}
	file, err := os.OpenFile(path+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	g, err := killGraph(func(line string) error { _, err := file.WriteString(line + "\n"); return err })
	if err != nil {
		return err
	}
	if err := carry(k, g); err != nil {
		return err
	}
	return errors.Join(file.Close(), db.Close())
}

// carry starts or resumes the run and gives the verdicts it asks for, to the end.
func carry(k *killer, g *graph.Graph) error {
	n := 0
	var mu sync.Mutex
	x := run.NewExecutor(run.Options{Store: k, Now: func() time.Time { return t0 }, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("id-%d-%d", os.Getpid(), n)
	}})
	ctx := context.Background()
	var out run.Outcome
	_, err := k.Load(run1)
	if errors.Is(err, run.ErrNoRun) {
		out, err = x.Start(ctx, g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Input: "book it"})
	} else if err == nil {
		out, err = x.Resume(ctx, g, run1, run.Resumption{})
	}
	for err == nil && out.Run.Status == run.Paused {
		answers := map[string]json.RawMessage{}
		for _, p := range out.Pauses {
			answers[p.ID] = json.RawMessage(`"decided"`)
			derr := k.write(func() error { return verdict(k.DB, p.ID, true, t0) })
			if derr != nil && !strings.Contains(derr.Error(), "already decided") {
				return derr
			}
		}
		out, err = x.Resume(ctx, g, run1, run.Resumption{Answers: answers})
	}
	if err == nil && out.Run.Status != run.Completed {
		err = fmt.Errorf("the run is %s: %w", out.Run.Status, out.Err)
	}
	return err
}

// live runs one child; killed says that it died as it was told.
func live(t *testing.T, path, kill string) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+path, childKill+"="+kill)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL {
			return true
		}
	}
	if err != nil {
		t.Fatalf("the child failed: %v\n%s", err, out)
	}
	return false
}

func logLines(t *testing.T, path string) []string {
	t.Helper()
	body, err := os.ReadFile(path + ".log")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(t, err)
	return strings.Fields(string(body))
}

// leftBehind reads what a killed child left: the completed stages and the bookings.
func leftBehind(t *testing.T, path string) (acknowledged []string, effects, committed int) {
	t.Helper()
	db, err := store.Open(path)
	must(t, err)
	r := &rig{t: t, db: db}
	for _, e := range r.journal() {
		switch e.Kind {
		case journal.StageCompleted:
			acknowledged = append(acknowledged, string(e.Stage))
		case journal.MutationCommitted:
			committed++
		}
	}
	effects = r.effects()
	must(t, db.Close())
	report, err := store.Check(path)
	must(t, err)
	if len(report.Problems) > 0 {
		t.Errorf("the check found %q", report.Problems)
	}
	return acknowledged, effects, committed
}

func wantFinished(t *testing.T, path, when string) {
	t.Helper()
	acknowledged, effects, committed := leftBehind(t, path)
	slices.Sort(acknowledged)
	if want := []string{"book", "left", "prepare", "reply", "right"}; !slices.Equal(acknowledged, want) {
		t.Errorf("%s: completed in the end: %v", when, acknowledged)
	}
	if effects != 1 || committed != 1 {
		t.Errorf("%s: %d bookings, %d in the journal", when, effects, committed)
	}
}

func TestEngine_KillAtEveryCommitPoint(t *testing.T) {
	for _, side := range []string{"before", "after"} {
		for n := 1; ; n++ {
			path := filepath.Join(t.TempDir(), "holdpoint.db")
			kill := fmt.Sprintf("%s %d", side, n)
			if !live(t, path, kill) {
				if n < 6 {
					t.Errorf("a whole run took %d writes; are they counted?", n-1)
				}
				wantFinished(t, path, "no kill")
				break
			}
			acknowledged, effects, committed := leftBehind(t, path)
			if effects != committed || effects > 1 {
				t.Errorf("%s: %d bookings, %d in the journal", kill, effects, committed)
			}
			before := len(logLines(t, path))
			if live(t, path, "") {
				t.Fatal("a child died that nobody killed")
			}
			for _, again := range logLines(t, path)[before:] {
				if slices.Contains(acknowledged, again) {
					t.Errorf("%s: stage %s was on disk and ran again", kill, again)
				}
			}
			wantFinished(t, path, kill)
		}
	}
}

func TestEngine_KillAgainAndAgainDuringRecovery(t *testing.T) {
	// Each life ends after its nth write, so that recoveries are cut as well.
	for n := 4; n <= 6; n++ { // three go to taking the run, saying so, and looking whether the call ran
		path := filepath.Join(t.TempDir(), "holdpoint.db")
		lives := 1
		for ; live(t, path, fmt.Sprintf("after %d", n)); lives++ {
			if lives > 60 {
				t.Fatalf("after %d writes each, the run does not end", n)
			}
			if _, effects, committed := leftBehind(t, path); effects != committed || effects > 1 {
				t.Errorf("life %d: %d bookings, %d in the journal", lives, effects, committed)
			}
		}
		wantFinished(t, path, fmt.Sprintf("%d lives of %d writes", lives, n))
	}
}

func TestEngine_ACutBetweenAResultAndItsCommit(t *testing.T) {
	// Every write of a fan-out is cut, before it and after it, in one process.
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			r := newRig(t)
			spec := func(l *lab) *graph.Graph {
				return build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c"), l.stage("join")}, Edges: fan("a", "join", "b", "c")})
			}
			g := spec(newLab())
			cut := &cutter{Checkpointer: r.db, at: at, after: after}
			r.disk = cut
			r.cold()
			out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1"})
			if !cut.dead {
				break
			}
			if err == nil && out.Run.Status == run.Completed {
				if out.Err == nil {
					t.Errorf("write %d was lost and the run says completed", at)
				}
			}
			r.disk = r.db
			r.cold()
			if at == 1 && !after {
				_, err := r.db.Load(run1)
				wantErr(t, err, run.ErrNoRun)
				continue
			}
			kept := map[graph.StageID]int{}
			for _, id := range []graph.StageID{"a", "b", "c", "join"} {
				kept[id] = r.count(journal.StageCompleted, id)
			}
			l := newLab() // stages of the dead executor may still be running on theirs
			out = r.resume(spec(l))
			wantStatus(t, out, run.Completed)
			isDone(t, out, "a", "b", "c", "join")
			for id := range kept {
				if again := l.ran(id); again != 1-kept[id] {
					t.Errorf("write %d (after %v): %s ran %d times more, %d of it was on disk", at, after, id, again, kept[id])
				}
			}
		}
	}
}

func TestEngine_ACrashBeforeTheFirstCheckpointLeavesTheAdmittedRun(t *testing.T) {
	l, r := newLab(), newRig(t)
	r.disk = &cutter{Checkpointer: r.db, at: 2}
	r.cold()
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a")}, Edges: chain("a")})
	out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", Input: "hello", Vars: map[string]string{"patient": "p1"}})
	must(t, err)
	wantErr(t, out.Err, errCut)
	cp := r.checkpoint()
	if cp.Run.Status != run.Running || cp.Run.Input != "hello" || cp.Run.Vars["patient"] != "p1" || r.count(journal.TurnStarted, "") != 1 || r.count(journal.StageStarted, "a") != 1 {
		t.Errorf("the disk holds %+v", cp)
	}
	r.disk = r.db
	r.cold()
	wantStatus(t, r.resume(g), run.Completed)
}

func TestEngine_AFailedAdmissionRunsNothing(t *testing.T) {
	l, r := newLab(), newRig(t)
	r.disk = &cutter{Checkpointer: r.db, at: 1}
	r.cold()
	_, err := r.x.Start(context.Background(), build(t, graph.Spec{Stages: []graph.Stage{l.stage("a")}, Edges: chain("a")}), run.StartRequest{ID: run1, Session: ses1})
	wantErr(t, err, errCut)
	l.wants(t, map[graph.StageID]int{"a": 0})
	if len(r.events()) != 0 || r.x.Live(run1) {
		t.Error("a run that was not admitted was seen")
	}
}

func TestEngine_AFailedSaveStopsTheRun(t *testing.T) {
	l, r := newLab(), newRig(t)
	r.disk = &cutter{Checkpointer: r.db, at: 2}
	r.cold()
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), acting(l.stage("b")), l.stage("c")}, Edges: chain("a", "b", "c")})
	out := r.start(g)
	wantErr(t, out.Err, errCut)
	if out.Run.Status == run.Completed {
		t.Error("it says completed")
	}
	l.wants(t, map[graph.StageID]int{"b": 0, "c": 0})
	for _, e := range r.events() {
		if e.Kind == journal.StageCompleted || e.Kind == journal.TurnCompleted {
			t.Errorf("%s was seen and is not on disk", e.Kind)
		}
	}
}

func TestEngine_AFailedLoadNeverStartsAfresh(t *testing.T) {
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", asks("q"))}, Edges: chain("a")})
	wantPauses(t, r.start(g), "q")
	gone := errors.New("a page is gone")
	r.disk = loads{r.db, func(run.Checkpoint) (run.Checkpoint, error) { return run.Checkpoint{}, gone }}
	r.cold()
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap("q", "1")})
	wantErr(t, err, gone)
	l.wants(t, map[graph.StageID]int{"a": 1})
}

func TestEngine_ASecondWriterIsFenced(t *testing.T) {
	r, l := newRig(t), newLab()
	inside, goOn := make(chan struct{}), make(chan struct{})
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", func(_ context.Context, _ *graph.Task, nth int) (graph.Result, error) {
		if nth == 1 {
			close(inside)
			<-goOn
		}
		return graph.Result{}, nil
	}), l.stage("c")}, Edges: chain("a", "b", "c")})
	saved := make(chan struct{})
	r.tap = func(e journal.Event) {
		if e.Kind == journal.StageCompleted && e.Stage == "a" {
			close(saved)
		}
	}
	first := r.begin(context.Background(), g)
	wait(t, inside, "stage b")
	wait(t, saved, "the result of a on disk")
	// The same process refuses at once; another one takes the run over.
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{})
	wantErr(t, err, run.ErrLive)
	wantErr(t, r.x.Abandon(run1, "why"), run.ErrLive)
	two := rigOn(t, r.db)
	out := two.resume(g)
	wantStatus(t, out, run.Completed)
	before := tell(r.journal())
	close(goOn)
	late := wait(t, first, "the writer that was overtaken")
	wantErr(t, late.Err, run.ErrFenced)
	if tell(r.journal()) != before {
		t.Errorf("the overtaken writer wrote:\n%s", tell(r.journal()))
	}
	l.wants(t, map[graph.StageID]int{"a": 1, "b": 2})
	if r.checkpoint().Run.Status != run.Completed || r.count(journal.TurnCompleted, "") != 1 {
		t.Error("the run did not stay completed")
	}
}

func TestEngine_EmptyAndReusedRunIDsAreRefused(t *testing.T) {
	l, r := newLab(), newRig(t)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a", asks("q"))}, Edges: chain("a")})
	wantPauses(t, r.start(g), "q")
	before := tell(r.journal())
	for name, c := range map[string]struct {
		a    run.StartRequest
		want error
	}{
		"no id":              {run.StartRequest{Session: ses1}, run.ErrNoID},
		"no session":         {run.StartRequest{ID: "turn:2"}, run.ErrNoID},
		"the same id":        {run.StartRequest{ID: run1, Session: ses1}, run.ErrRunExists},
		"in another session": {run.StartRequest{ID: run1, Session: "session-2"}, run.ErrRunExists},
	} {
		_, err := r.x.Start(context.Background(), g, c.a)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	l.wants(t, map[graph.StageID]int{"a": 1})
	if tell(r.journal()) != before {
		t.Error("a refused run wrote something")
	}
	wantStatus(t, r.resume(g, "q", "1"), run.Completed)
}

func TestEngine_FiveHundredStepsWithAMegabyteOfUnchangedStateStayBounded(t *testing.T) {
	const steps = 500
	big, count := graph.Value[string]("big"), graph.Value[int]("count")
	more := graph.Value[bool]("more")
	r, path := newFileRig(t)
	g, err := graph.New(graph.Spec{Agent: "long", MaxSteps: steps + 10, Channels: []graph.AnyChannel{big, count, more},
		Conditions: []graph.Condition{graph.When("more", more), graph.Unless("enough", more)},
		Stages: []graph.Stage{{ID: "work", Run: func(_ context.Context, task *graph.Task) (graph.Result, error) {
			n := count.Get(task.State) + 1
			if len(big.Get(task.State)) != 1<<20 {
				return graph.Result{}, errors.New("the state is gone")
			}
			return graph.Result{Patch: graph.Patch{count.Set(n), more.Set(n < steps)}}, nil
		}}},
		Edges: []graph.Edge{edge(graph.Start, "work", graph.Entry), onlyIf("work", "work", "more"), onlyIf("work", graph.End, "enough")}})
	must(t, err)
	out, err := r.x.Start(context.Background(), g, run.StartRequest{ID: run1, Session: ses1, Turn: "1", State: graph.Patch{big.Set(strings.Repeat("x", 1<<20))}})
	must(t, err)
	wantStatus(t, out, run.Completed)
	if got := count.Get(out.State); got != steps {
		t.Errorf("%d steps", got)
	}
	info, err := os.Stat(path)
	must(t, err)
	// One copy of the state, the journal of 500 steps (under 1 MB) and bbolt's spare pages.
	if info.Size() > 12<<20 {
		t.Errorf("the file has %d bytes", info.Size())
	}
	t.Logf("%d steps: %d bytes, %d commits", steps, info.Size(), r.db.Commits())
	sound(t, r, path)
}
