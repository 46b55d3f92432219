package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

const policy = "test-gate/1"

// booking is a stage that asks for an approval and, once it has one, books.
type booking struct {
	call string
	args string // what it presents when it runs; "" for what was approved
	// ttl is how long the approval holds.
	ttl time.Duration
	now func() time.Time
}

func (b booking) approval(t *graph.Task) ledger.Approval {
	ttl := b.ttl
	if ttl == 0 {
		ttl = time.Hour
	}
	return ledger.Approval{ID: "ap." + b.call, Session: t.Run.Session, Turn: t.Run.Turn, Call: b.call, Tool: "book", Args: json.RawMessage(`{"slot":"` + b.call + `"}`),
		Targets: []ledger.Target{}, Changes: []ledger.Change{}, PolicyVersion: policy, Title: "Book a visit", RequestedAt: t0, ExpiresAt: t0.Add(ttl)}
}

func (b booking) do(_ context.Context, t *graph.Task, _ int) (graph.Result, error) {
	asked := b.approval(t)
	pause := graph.Result{Pauses: []graph.Pause{{ID: asked.ID, Kind: "approval"}}}
	var ap ledger.Approval
	var entry ledger.Entry
	err := graph.View(t, func(tx store.Tx) (err error) {
		if ap, err = tx.Approval(asked.ID); err != nil {
			return err
		}
		entry, err = tx.Entry(b.call)
		return err
	})
	now := t0
	if b.now != nil {
		now = b.now()
	}
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		pause.Do = graph.In(func(tx store.Tx, tell graph.Tell) error {
			_, err := ledger.Request(tx, asked)
			tell(journal.Event{At: t0, Session: t.Run.Session, Turn: t.Run.Turn, Kind: journal.ApprovalRequested, Approval: asked.ID, Call: b.call, Stage: t.Stage})
			return err
		})
		return pause, nil
	case err != nil:
		return graph.Result{}, err
	case entry.State == ledger.Refused:
		return graph.Result{}, nil
	case entry.State != ledger.Committed && ap.At(now) != ledger.Approved:
		return pause, nil // pending, expired, void: whatever the answer said
	}
	present := asked
	if b.args != "" {
		present.Args = json.RawMessage(b.args)
	}
	err = t.Commit(graph.In(func(tx store.Tx, tell graph.Tell) error {
		_, err := ledger.Execute(tx, present, now, func() (ledger.Outcome, error) {
			// Each execution would leave a record of its own.
			r := record.Record{Ref: record.Ref{Type: "Appointment", ID: t.NewID()}, Resource: json.RawMessage(`{}`), UpdatedAt: t0,
				Version: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}
			tell(journal.Event{Kind: journal.MutationCommitted, Call: b.call, Approval: asked.ID})
			return ledger.Outcome{Result: json.RawMessage(`{"booked":true}`)}, tx.PutRecord(r)
		})
		return err
	}))
	return graph.Result{}, err
}

// verdict is what a person's click does.
func verdict(db *store.DB, id string, approve bool, now time.Time) error {
	_, err := storetest.Decide(db, ledger.Verdict{ID: id, Approve: approve, Reviewer: "Dr. Test", Comment: "because"}, now)
	return err
}

func (r *rig) effects() int {
	r.t.Helper()
	n := 0
	must(r.t, r.db.Read(func(tx store.Tx) error {
		types, err := tx.RecordTypes()
		n = types["Appointment"]
		return err
	}))
	return n
}

func bookingGraph(t testing.TB, l *lab, b booking) *graph.Graph {
	return build(t, graph.Spec{Stages: []graph.Stage{l.stage("prepare"), acting(l.stage("book", b.do)), l.stage("reply")}, Edges: chain("prepare", "book", "reply")})
}

func TestPromise1_NothingMutatesWithoutAVerdict(t *testing.T) {
	l, r := newLab(), newRig(t)
	g := bookingGraph(t, l, booking{call: "c1"})
	wantPauses(t, r.start(g), "ap.c1")
	// An answer is no verdict: only the approval's row is.
	wantPauses(t, r.resume(g, "ap.c1", `{"verdict":"approved"}`), "ap.c1")
	if n := r.effects(); n != 0 {
		t.Fatalf("%d bookings without a verdict", n)
	}
	must(t, verdict(r.db, "ap.c1", true, t0))
	wantStatus(t, r.resume(g, "ap.c1", `"decided"`), run.Completed)
	if n := r.effects(); n != 1 {
		t.Errorf("%d bookings", n)
	}
}

func TestPromise1_ARejectedCallDoesNotRun(t *testing.T) {
	r := newRig(t)
	g := bookingGraph(t, newLab(), booking{call: "c1"})
	r.start(g)
	must(t, verdict(r.db, "ap.c1", false, t0))
	wantStatus(t, r.resume(g, "ap.c1", `"decided"`), run.Completed)
	if n := r.effects(); n != 0 {
		t.Errorf("%d bookings after a rejection", n)
	}
}

func TestPromise2_FailClosedWhenTheVerdictCannotBeTrusted(t *testing.T) {
	later := func() time.Time { return t0.Add(2 * time.Hour) }
	tamper := func(change func(a *ledger.Approval, e *ledger.Entry)) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) {
			must(t, verdict(r.db, "ap.c1", true, t0))
			must(t, r.db.Update(func(tx store.Tx) error {
				a, err := tx.Approval("ap.c1")
				if err != nil {
					return err
				}
				e, err := tx.Entry("c1")
				if err != nil {
					return err
				}
				change(&a, &e)
				return errors.Join(tx.PutApproval(a), tx.PutEntry(e))
			}))
		}
	}
	for name, c := range map[string]struct {
		b      booking
		before func(*testing.T, *rig)
	}{
		"nobody decided":                       {booking{call: "c1"}, func(*testing.T, *rig) {}},
		"the verdict ran out":                  {booking{call: "c1", now: later}, func(t *testing.T, r *rig) { must(t, verdict(r.db, "ap.c1", true, t0)) }},
		"the status is not one we know":        {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Status = "APPROVED" })},
		"the row became void":                  {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Status = ledger.Void })},
		"the row says used, the call does not": {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Status = ledger.Used })},
		"the stored arguments changed":         {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Args = json.RawMessage(`{"slot":"evil"}`) })},
		"the stored arguments and digest too": {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) {
			a.Args = json.RawMessage(`{"slot":"evil"}`)
			a.Digest, _ = ledger.Digest(*a)
		})},
		"the arguments in memory changed":        {booking{call: "c1", args: `{"slot":"evil"}`}, tamper(func(*ledger.Approval, *ledger.Entry) {})},
		"the policy changed":                     {booking{call: "c1"}, tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.PolicyVersion = "gate/0" })},
		"the call went back to proposed":         {booking{call: "c1"}, tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = ledger.Proposed })},
		"the call has a state that nobody knows": {booking{call: "c1"}, tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = "go" })},
		"the call started and nobody knows more": {booking{call: "c1"}, tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = ledger.Started })},
		"the call names another approval":        {booking{call: "c1"}, tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.Approval = "ap.none" })},
	} {
		t.Run(name, func(t *testing.T) {
			l, r := newLab(), newRig(t)
			g := bookingGraph(t, l, c.b)
			wantPauses(t, r.start(g), "ap.c1")
			c.before(t, r)
			out := r.resume(g, "ap.c1", `"go ahead"`)
			if out.Run.Status != run.Paused && out.Run.Status != run.Failed {
				t.Errorf("the run is %s", out.Run.Status)
			}
			if r.effects() != 0 || l.ran("reply") != 0 {
				t.Errorf("%d bookings, reply ran %d times", r.effects(), l.ran("reply"))
			}
		})
	}
}

func TestPromise2_FailClosedWhenTheCheckpointCannotBeRead(t *testing.T) {
	unreadable := errors.New("a page is gone")
	l, r := newLab(), newRig(t)
	g := bookingGraph(t, l, booking{call: "c1"})
	wantPauses(t, r.start(g), "ap.c1")
	for name, disk := range map[string]run.Checkpointer{
		"the load fails": loads{r.db, func(run.Checkpoint) (run.Checkpoint, error) { return run.Checkpoint{}, unreadable }},
		"a stage is due that does not exist": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Run.Frontier = []graph.StageID{"boook"}
			return cp, nil
		}},
		"a result of a stage that does not exist": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Pending = []run.Pending{{Stage: "boook"}}
			return cp, nil
		}},
		"a question of a stage that does not exist": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Pauses = []graph.Pause{{ID: "ap.c1", Stage: "boook"}}
			return cp, nil
		}},
		"a join that does not exist": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Run.JoinInputs = map[graph.StageID][]graph.StageID{"join": {"prepare"}}
			return cp, nil
		}},
		"a channel that does not exist": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Channels = append(cp.Channels, graph.ChannelValue{Channel: "ghost", Value: json.RawMessage("1")})
			return cp, nil
		}},
		"a channel of another type": loads{r.db, func(cp run.Checkpoint) (run.Checkpoint, error) {
			cp.Channels = []graph.ChannelValue{{Channel: "done", Value: json.RawMessage(`{"no":"list"}`)}}
			return cp, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			journal, runs := tell(r.journal()), len(l.order)
			x := run.NewExecutor(run.Options{Store: disk, Now: func() time.Time { return t0 }, NewID: r.newID})
			_, err := x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap("ap.c1", `"yes"`)})
			if err == nil {
				t.Error("it went on")
			}
			if tell(r.journal()) != journal || len(l.order) != runs {
				t.Error("it did something")
			}
		})
	}
}

// loads is a disk whose checkpoints are changed on the way.
type loads struct {
	run.Checkpointer
	change func(run.Checkpoint) (run.Checkpoint, error)
}

func (l loads) Load(id graph.RunID) (run.Checkpoint, error) {
	cp, err := l.Checkpointer.Load(id)
	if err != nil {
		return cp, err
	}
	return l.change(cp)
}

func (l loads) Acquire(id graph.RunID) (run.Checkpoint, error) { return l.Load(id) }

func TestPromise3_AtMostOnceAcrossEveryCut(t *testing.T) {
	// The disk dies at each write of the second half, before or after it; then a new
	// process resumes.
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			l, r := newLab(), newRig(t)
			g := bookingGraph(t, l, booking{call: "c1"})
			wantPauses(t, r.start(g), "ap.c1")
			must(t, verdict(r.db, "ap.c1", true, t0))
			cut := &cutter{Checkpointer: r.db, at: at, after: after}
			r.disk = cut
			r.cold()
			out, err := r.x.Resume(context.Background(), g, run1, run.Resumption{Answers: answerMap("ap.c1", `"yes"`)})
			if !cut.dead {
				must(t, err)
				wantStatus(t, out, run.Completed)
				if at < 4 {
					t.Errorf("only %d writes were cut", at-1)
				}
				break
			}
			done := r.count(journal.MutationCommitted, "")
			if r.effects() != done {
				t.Errorf("cut %d (after %v): %d bookings, %d in the journal", at, after, r.effects(), done)
			}
			r.disk = r.db
			r.cold()
			// The answer may or may not be on disk; a person would be asked by the pause.
			answers := []string{}
			if cp := r.checkpoint(); len(cp.Pauses) == 1 && cp.Pauses[0].Answer == nil {
				answers = []string{"ap.c1", `"yes"`}
			}
			wantStatus(t, r.resume(g, answers...), run.Completed)
			if r.effects() != 1 || r.count(journal.MutationCommitted, "") != 1 {
				t.Errorf("cut %d (after %v): %d bookings in the end", at, after, r.effects())
			}
		}
	}
}

func TestPromise3_AtMostOnceWhenCodeBeforeAPauseRunsAgain(t *testing.T) {
	// One stage books with an approval and then asks something else: it runs three times.
	r, l := newRig(t), newLab()
	b := booking{call: "c1"}
	g := build(t, graph.Spec{Stages: []graph.Stage{acting(l.stage("book", func(ctx context.Context, task *graph.Task, nth int) (graph.Result, error) {
		if res, err := b.do(ctx, task, nth); err != nil || len(res.Pauses) > 0 {
			return res, err
		}
		return asks("sure?")(ctx, task, nth)
	}))}, Edges: chain("book")})
	wantPauses(t, r.start(g), "ap.c1")
	must(t, verdict(r.db, "ap.c1", true, t0))
	wantPauses(t, r.resume(g, "ap.c1", `1`), "sure?")
	r.cold()
	wantStatus(t, r.resume(g, "sure?", `1`), run.Completed)
	l.wants(t, map[graph.StageID]int{"book": 3})
	if r.effects() != 1 {
		t.Errorf("%d bookings", r.effects())
	}
}

func TestPromise3_AtMostOnceForEachCallOfAMixedBatch(t *testing.T) {
	r, l := newRig(t), newLab()
	all := []booking{{call: "c1"}, {call: "c2"}, {call: "c3"}}
	g := build(t, graph.Spec{Stages: []graph.Stage{acting(l.stage("book", func(ctx context.Context, task *graph.Task, nth int) (graph.Result, error) {
		var res graph.Result
		for _, b := range all {
			one, err := b.do(ctx, task, nth)
			if err != nil {
				return res, err
			}
			res.Pauses = append(res.Pauses, one.Pauses...)
			if before, do := res.Do, one.Do; do != nil {
				res.Do = func(tx graph.Tx, tell graph.Tell) error {
					if before != nil {
						if err := before(tx, tell); err != nil {
							return err
						}
					}
					return do(tx, tell)
				}
			}
		}
		return res, nil
	}))}, Edges: chain("book")})
	wantPauses(t, r.start(g), "ap.c1", "ap.c2", "ap.c3")
	for id, yes := range map[string]bool{"ap.c1": true, "ap.c2": false, "ap.c3": true} {
		must(t, verdict(r.db, id, yes, t0))
	}
	wantStatus(t, r.resume(g, "ap.c1", `1`, "ap.c2", `1`, "ap.c3", `1`), run.Completed)
	if r.effects() != 2 {
		t.Errorf("%d bookings of two that were approved", r.effects())
	}
	must(t, r.db.Read(func(tx store.Tx) error {
		for call, want := range map[string]ledger.State{"c1": ledger.Committed, "c2": ledger.Refused, "c3": ledger.Committed} {
			if e, err := tx.Entry(call); err != nil || e.State != want {
				t.Errorf("call %s is %s (%v), want %s", call, e.State, err, want)
			}
		}
		return nil
	}))
}

func TestPromise4_DurableBeforeSeen(t *testing.T) {
	r, _ := newFileRig(t)
	r.tap = func(e journal.Event) {
		if e.Kind == journal.Token {
			return
		}
		if last, err := r.db.LastSeq(ses1); err != nil || e.Seq == 0 || last < e.Seq {
			t.Errorf("%s %d was seen when the disk had %d (%v)", e.Kind, e.Seq, last, err)
		}
	}
	l := newLab()
	g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b"), l.stage("c"), l.stage("join", asks("q"))}, Edges: fan("a", "join", "b", "c")})
	wantPauses(t, r.start(g), "q")
	out := r.resume(g, "q", "1")
	wantStatus(t, out, run.Completed)
	if r.checkpoint().Run.Status != run.Completed {
		t.Error("the outcome is ahead of the disk")
	}
}

func TestPromise4_DurableBeforeAnythingActs(t *testing.T) {
	outer := func(in graph.Stage) graph.Stage {
		return acting(graph.Stage{ID: "outer", Graph: &graph.Spec{Stages: []graph.Stage{in}, Edges: chain(in.ID)}})
	}
	for name, last := range map[string]func(graph.Stage) graph.Stage{"a stage that acts": acting, "a stage inside one that acts": outer} {
		t.Run(name, func(t *testing.T) {
			r, l := newRig(t), newLab()
			disk := &gated{Checkpointer: r.db, open: make(chan struct{}), arrived: make(chan struct{}, 100)}
			r.disk = disk
			r.cold()
			ahead, acts := make(chan struct{}), make(chan int, 1)
			quiet := l.stage("quiet", func(context.Context, *graph.Task, int) (graph.Result, error) {
				close(ahead)
				return graph.Result{}, nil
			})
			end := last(l.stage("acts", func(context.Context, *graph.Task, int) (graph.Result, error) {
				acts <- r.count(journal.StageCompleted, "quiet")
				return graph.Result{}, nil
			}))
			g := build(t, graph.Spec{Stages: []graph.Stage{l.stage("a"), quiet, end}, Edges: chain("a", "quiet", end.ID)})
			ended := r.begin(context.Background(), g)
			wait(t, disk.arrived, "the first write")
			wait(t, ahead, "the stage that may run ahead of the disk")
			select {
			case <-acts:
				t.Error("a stage acted while what precedes it was not on disk")
			case <-time.After(30 * time.Millisecond): // only bounds how hard a broken engine is looked at
			}
			close(disk.open)
			wantStatus(t, wait(t, ended, "the end"), run.Completed)
			select {
			case n := <-acts:
				if n != 1 {
					t.Errorf("it began with %d results of the stage before on disk", n)
				}
			default:
			}
		})
	}
}

func TestPromise4_WaitingResultsShareOneWrite(t *testing.T) {
	r, l := newRig(t), newLab()
	disk := &gated{Checkpointer: r.db, open: make(chan struct{}), arrived: make(chan struct{}, 100)}
	r.disk = disk
	r.cold()
	ids := []graph.StageID{"a", "b", "c", "d", "e"}
	var all []graph.Stage
	last := make(chan struct{})
	for _, id := range ids {
		all = append(all, l.stage(id, func(context.Context, *graph.Task, int) (graph.Result, error) {
			if id == "e" {
				close(last)
			}
			return graph.Result{}, nil
		}))
	}
	ended := r.begin(context.Background(), build(t, graph.Spec{Stages: all, Edges: chain(ids...)}))
	wait(t, disk.arrived, "the first write")
	wait(t, last, "the last stage")
	close(disk.open)
	wantStatus(t, wait(t, ended, "the end"), run.Completed)
	// Whatever came before the first write took off is in it, what came meanwhile is
	// in the second, the end in the third.
	total := 0
	for _, n := range disk.applied {
		total += n
	}
	if total != 5 || len(disk.applied) > 3 {
		t.Errorf("the writes held %v results", disk.applied)
	}
}

func TestPromise5_WarmEqualsCold(t *testing.T) {
	when := time.Date(2026, 3, 1, 9, 0, 0, 123, time.FixedZone("here", 3600))
	type note struct {
		At   time.Time       `json:"at"`
		Tags map[string]int  `json:"tags"`
		Raw  json.RawMessage `json:"raw"`
	}
	notes := graph.Append[note]("notes")
	play := func(r *rig, restart func(*rig) *rig) (string, string) {
		l := newLab()
		b := booking{call: "c1"}
		// Branches are told of in the order in which they finish; here b before c.
		asked := make(chan struct{})
		r.tap = func(e journal.Event) {
			if e.Kind == journal.StagePaused && e.Stage == "b" {
				close(asked)
			}
		}
		second := func(context.Context, *graph.Task, int) (graph.Result, error) {
			wait(t, asked, "b to have asked")
			return graph.Result{}, nil
		}
		tellState := func(_ context.Context, task *graph.Task, _ int) (graph.Result, error) {
			return graph.Result{Patch: graph.Patch{notes.Add(note{At: when, Tags: map[string]int{"b": 2, "a": 1}, Raw: json.RawMessage(`{"x":1}`)})},
				Reason: fmt.Sprintf("%d notes, done %v", len(notes.Get(task.State)), done.Get(task.State))}, nil
		}
		g := build(t, graph.Spec{Channels: []graph.AnyChannel{notes}, Edges: append(fan("a", "book", "b", "c")[:5:5], edge("book", "again", graph.Sequence), edge("again", graph.End, graph.Exit)),
			Stages: []graph.Stage{l.stage("a", tellState), l.stage("b", tellState, asks("q")), l.stage("c", second, tellState), acting(l.stage("book", b.do)), l.stage("again", tellState, breaks(1))}})
		wantPauses(t, r.start(g), "q")
		r = restart(r)
		wantPauses(t, r.resume(g, "q", `"yes"`), "ap.c1")
		r = restart(r)
		must(r.t, verdict(r.db, "ap.c1", true, t0))
		wantStatus(t, r.resume(g, "ap.c1", `1`), run.Failed)
		r = restart(r)
		out := r.resume(g)
		wantStatus(t, out, run.Completed)
		values, err := out.State.Values()
		must(t, err)
		state, err := json.Marshal(values)
		must(t, err)
		return tell(r.journal()), string(state)
	}
	warm, _ := newFileRig(t)
	cold, path := newFileRig(t)
	warmJournal, warmState := play(warm, func(r *rig) *rig { return r })
	coldJournal, coldState := play(cold, func(r *rig) *rig { must(t, r.db.Close()); return reopened(t, path) })
	if warmJournal != coldJournal {
		t.Errorf("warm:\n%s\ncold:\n%s", warmJournal, coldJournal)
	}
	if warmState != coldState {
		t.Errorf("warm:\n%s\ncold:\n%s", warmState, coldState)
	}
}

func TestPromise6_ChangedGraphNeverGuesses(t *testing.T) {
	old := func(l *lab) graph.Spec {
		return graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", asks("q")), l.stage("c")}, Edges: chain("a", "b", "c")}
	}
	changed := func(l *lab) graph.Spec {
		return graph.Spec{Stages: []graph.Stage{l.stage("a"), l.stage("b", asks("q")), l.stage("c"), l.stage("d")}, Edges: chain("a", "b", "c", "d")}
	}
	l, r := newLab(), newRig(t)
	g, g2 := build(t, old(l)), build(t, changed(l))
	wantPauses(t, r.start(g), "q")
	before, words := r.checkpoint(), tell(r.journal())
	for _, answers := range [][]string{nil, {"q", `"yes"`}, {"none", `1`}} {
		_, err := r.x.Resume(context.Background(), g2, run1, run.Resumption{Answers: answerMap(answers...)})
		wantErr(t, err, run.ErrTopology)
	}
	after := r.checkpoint()
	if fmt.Sprint(after) != fmt.Sprint(before) || tell(r.journal()) != words {
		t.Error("a refused resume changed the run")
	}
	t.Run("the old topology can finish it", func(t *testing.T) {
		wantStatus(t, r.resume(g, "q", `"yes"`), run.Completed)
	})
	t.Run("a completed run is shown whatever the graph is now", func(t *testing.T) {
		out := r.resume(g2)
		wantStatus(t, out, run.Completed)
		isDone(t, out, "a", "b", "c")
	})
	t.Run("or it can be abandoned", func(t *testing.T) {
		r := newRig(t)
		wantPauses(t, r.start(g), "q")
		must(t, r.x.Abandon(run1, "the graph changed"))
		cp := r.checkpoint()
		if cp.Run.Status != run.Abandoned || len(cp.Pauses)+len(cp.Pending) != 0 {
			t.Errorf("the run is %+v", cp)
		}
		events := r.journal()
		if e := events[len(events)-1]; e.Kind != journal.TurnCancelled || !strings.Contains(e.Reason, "changed") {
			t.Errorf("the last event is %+v", e)
		}
		_, err := r.x.Resume(context.Background(), g, run1, run.Resumption{})
		wantErr(t, err, run.ErrFinal)
		wantErr(t, r.x.Abandon(run1, "again"), run.ErrFinal)
	})
}
