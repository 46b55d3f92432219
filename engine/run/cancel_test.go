package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// begin starts the run in the background.
func (r *rig) begin(ctx context.Context, g *graph.Graph) <-chan run.Outcome {
	ended := make(chan run.Outcome, 1)
	go func() {
		out, err := r.x.Start(ctx, g, run.StartRequest{ID: run1, Session: ses1, Turn: "1"})
		if err != nil {
			out.Err = err
		}
		ended <- out
	}()
	return ended
}

func TestEngine_CancelEndsWithinASecondEvenIfAStageDoesNotListen(t *testing.T) {
	r, l := newRig(t), newLab()
	inside, goOn := make(chan struct{}), make(chan struct{})
	late := make(chan error, 1)
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("deaf", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		s := task.Stream("m1")
		s.Write("early")
		close(inside)
		<-goOn
		task.Emit(journal.Event{Kind: journal.MemoryUpdated})
		s.Write("late")
		s.Close()
		late <- task.Commit(graph.In(func(tx store.Tx, _ graph.Tell) error { return tx.PutSkip(ses1, "tool", json.RawMessage(`1`)) }))
		return graph.Result{Do: graph.In(func(tx store.Tx, _ graph.Tell) error { return tx.PutSkip(ses1, "tool", json.RawMessage(`2`)) })}, nil
	}), l.stage("c")}, Edges: chain("a", "deaf", "c")})
	ctx, stop := context.WithCancel(context.Background())
	ended := r.begin(ctx, g)
	wait(t, inside, "the stage")
	began := time.Now()
	stop()
	out := wait(t, ended, "the end")
	if took := time.Since(began); took > time.Second {
		t.Errorf("the cancel took %v", took)
	}
	wantStatus(t, out, run.Cancelled)
	journal, seen := tell(r.journal()), len(r.events())
	close(goOn)
	wantErr(t, wait(t, late, "the late commit"), run.ErrLate)
	must(t, r.db.Read(func(tx store.Tx) error {
		if row, err := tx.Skip(ses1, "tool"); err != nil || row != nil {
			t.Errorf("a late result was kept: %s (%v)", row, err)
		}
		return nil
	}))
	if tell(r.journal()) != journal || len(r.events()) != seen {
		t.Errorf("after the end came %+v", r.events()[seen:])
	}
	l.wants(t, map[graph.StageID]int{"a": 1, "deaf": 1, "c": 0})
	_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{})
	wantErr(t, err, run.ErrFinal)
}

func TestEngine_CancelKeepsWhatWasFinished(t *testing.T) {
	r, l := newRig(t), newLab()
	ctx, stop := context.WithCancel(context.Background())
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), acting(l.stage("b", func(ctx context.Context, task *graph.Task, _ int) (graph.Result, error) {
		stop()
		<-ctx.Done()
		// The effect was under way when the person stopped the turn.
		return graph.Result{}, task.Commit(graph.In(func(tx store.Tx, _ graph.Tell) error { return tx.PutSkip(ses1, "tool", json.RawMessage(`1`)) }), journal.Event{Kind: journal.MutationCommitted})
	})), l.stage("c")}, Edges: chain("a", "b", "c")})
	wantStatus(t, wait(t, r.begin(ctx, g), "the end"), run.Cancelled)
	if r.count(journal.MutationCommitted, "b") != 1 || r.count(journal.StageCompleted, "b") != 1 || r.count(journal.StageStarted, "c") != 0 {
		t.Errorf("the journal is\n%s", tell(r.journal()))
	}
	if cp := r.checkpoint(); len(cp.Pending) != 0 {
		t.Errorf("a run that cannot go on keeps results for later: %+v", cp.Pending)
	}
}

func TestEngine_NothingStartsAfterACancel(t *testing.T) {
	r, l := newRig(t), newLab()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	wantStatus(t, wait(t, r.begin(ctx, build(t, graph.Spec{Stages: []graph.Stage{acting(l.stage("a"))}, Edges: chain("a")})), "the end"), run.Cancelled)
	l.wants(t, map[graph.StageID]int{"a": 0})
}

func TestEngine_CancelLeavesEveryToolCallAnswered(t *testing.T) {
	end := map[string]func(t *testing.T, r *rig, g *graph.Graph){
		"abandoned": func(t *testing.T, r *rig, _ *graph.Graph) { must(t, r.x.Abandon(run1, "the person left")) },
		"cancelled": func(t *testing.T, r *rig, g *graph.Graph) {
			ctx, stop := context.WithCancel(context.Background())
			stop()
			out, err := r.x.Resume(ctx, g, run1, run.Resumption{Answers: answerMap("ap.c1", "1")})
			must(t, err)
			wantStatus(t, out, run.Cancelled)
		},
	}
	for name, stop := range end {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), acting(l.stage("b", booking{call: "c1"}.do)), acting(l.stage("c", booking{call: "c2"}.do)),
				acting(l.stage("d", booking{call: "c3"}.do)), l.stage("join")}, Edges: fan("a", "join", "b", "c", "d")})
			wantPauses(t, r.start(g), "ap.c1", "ap.c2", "ap.c3")
			must(t, verdict(r.db, "ap.c1", true, t0))
			must(t, verdict(r.db, "ap.c2", false, t0))
			stop(t, r, g)
			answered := map[string]bool{}
			events := r.journal()
			for _, e := range events {
				if e.Kind == journal.ToolRefused {
					answered[e.Call] = true
				}
			}
			must(t, r.db.Read(func(tx store.Tx) error {
				for call, want := range map[string]ledger.Status{"c1": ledger.Void, "c2": ledger.Rejected, "c3": ledger.Void} {
					e, err := tx.Entry(call)
					if err != nil || e.State != ledger.Refused {
						t.Errorf("call %s is %s (%v)", call, e.State, err)
					}
					a, err := tx.Approval("ap." + call)
					if err != nil || a.Status != want {
						t.Errorf("approval of %s is %s (%v), want %s", call, a.Status, err, want)
					}
					if a.Status == ledger.Void != answered[call] {
						t.Errorf("call %s: told of in the journal: %v", call, answered[call])
					}
				}
				return nil
			}))
			if last := events[len(events)-1]; last.Kind != journal.TurnCancelled {
				t.Errorf("the turn's last event is %s", last.Kind)
			}
			if cp := r.checkpoint(); len(cp.Pauses) != 0 || r.effects() != 0 {
				t.Errorf("pauses %v, %d bookings", cp.Pauses, r.effects())
			}
			if err := verdict(r.db, "ap.c3", true, t0); !errors.Is(err, ledger.ErrDecided) {
				t.Errorf("a verdict after the end: %v", err)
			}
		})
	}
}

func TestEngine_ASlowStoreSlowsTheRunAndDoesNotGrowMemory(t *testing.T) {
	r := newRig(t)
	disk := &gated{Checkpointer: r.db, open: make(chan struct{}), arrived: make(chan struct{}, 10_000)}
	r.disk = disk
	r.cold()
	const want = 2000
	sent := make(chan int, want)
	g := build(t, graph.Spec{Stages: []graph.Stage{newLab().stage("chatty", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		for i := range want {
			task.Emit(journal.Event{Kind: journal.ModelCalled})
			sent <- i
		}
		return graph.Result{}, nil
	})}, Edges: chain("chatty")})
	ended := r.begin(context.Background(), g)
	wait(t, disk.arrived, "the first write")
	// The queue takes 256 and the write under way a batch; then the stage has to wait.
	n := 0
	for stalled := false; !stalled; {
		select {
		case <-sent:
			n++
		case <-time.After(100 * time.Millisecond): // nothing came for long: it waits
			stalled = true
		}
	}
	if n < 256 || n > 2*256+1 {
		t.Errorf("the stage was stopped after %d events", n)
	}
	close(disk.open)
	wantStatus(t, wait(t, ended, "the end"), run.Completed)
	if got := r.count(journal.ModelCalled, "chatty"); got != want {
		t.Errorf("%d events of %d are on disk", got, want)
	}
	if most := slices.Max(disk.applied); most > 257 {
		t.Errorf("one write held %d results", most)
	}
}

func TestEngine_StateIsReadWhileItIsSavedWithoutARace(t *testing.T) {
	// The race detector is the judge: branches read lists and maps of the state, and
	// the outcome of the run before, while others' results are being encoded.
	lists := graph.Append[map[string]int]("lists")
	r, l := newRig(t), newLab()
	reads := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		for range 50 {
			n := 0
			for _, m := range lists.Get(task.State) {
				for _, v := range m {
					n += v
				}
			}
			if _, err := task.State.Values(); err != nil {
				return graph.Result{}, err
			}
			task.Emit(journal.Event{Kind: journal.MemoryUpdated, Offset: n, Text: task.Run.Input})
		}
		return graph.Result{Patch: graph.Patch{lists.Add(map[string]int{string(task.Stage): 1})}}, nil
	}
	g := build(t, graph.Spec{Channels: []graph.AnyChannel{lists}, Edges: fan("a", "join", "b", "c", "d"),
		Stages: []graph.Stage{l.stage("a", reads), l.stage("b", reads), l.stage("c", reads), l.stage("d", reads), l.stage("join", reads)}})
	out := r.start(g)
	wantStatus(t, out, run.Completed)
	if n := len(lists.Get(out.State)); n != 5 {
		t.Errorf("%d entries", n)
	}
}

func TestEngine_APanicInACommitIsAnErrorAndNothingIsKept(t *testing.T) {
	r, l := newRig(t), newLab()
	g := build(t, graph.Spec{Edges: chain("a"), Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, nth int) (graph.Result, error) {
		return graph.Result{}, task.Commit(graph.In(func(tx store.Tx, _ graph.Tell) error {
			if err := tx.PutSkip(ses1, "tool", json.RawMessage(`1`)); err != nil || nth > 1 {
				return err
			}
			panic("oops")
		}))
	})}})
	out := r.start(g)
	wantStatus(t, out, run.Failed)
	must(t, r.db.Read(func(tx store.Tx) error {
		row, err := tx.Skip(ses1, "tool")
		if row != nil {
			t.Error("half a commit was kept")
		}
		return err
	}))
	wantStatus(t, r.resume(g), run.Completed)
}

func TestEngine_ACommitThatFailsLeavesTheRunToItsStage(t *testing.T) {
	r, l := newRig(t), newLab()
	g := build(t, graph.Spec{Edges: chain("a", "b"), Stages: []graph.Stage{l.stage("a", func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
		err := task.Commit(graph.In(func(_ store.Tx, _ graph.Tell) error { return errBroken }), journal.Event{Kind: journal.MutationCommitted})
		if !errors.Is(err, errBroken) {
			t.Errorf("the commit says %v", err)
		}
		return graph.Result{}, nil // the stage copes
	}), l.stage("b")}})
	wantStatus(t, r.start(g), run.Completed)
	if r.count(journal.MutationCommitted, "") != 0 {
		t.Error("an event of a failed commit was kept")
	}
}
