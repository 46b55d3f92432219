package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// Errors of Start and Resume that callers decide on.
var (
	ErrNoID = errors.New("run: a run needs an id and a session")
	// ErrLive says that the run is being driven right now.
	ErrLive = errors.New("run: run is under way")
	// ErrTopology says that the graph changed since the run's checkpoint was written.
	ErrTopology = errors.New("run: the graph has changed since this run began")
	// ErrUnknownPause, ErrEmptyAnswer and ErrAnswered refuse an answer; nothing changes.
	ErrUnknownPause = errors.New("run: no open question has this id")
	ErrEmptyAnswer  = errors.New("run: an answer needs a value")
	ErrAnswered     = errors.New("run: already answered")
	// ErrLimit says that the run reached one of its limits and was not given more of it.
	ErrLimit = errors.New("run: limit reached")
	// ErrFinal says that the run was cancelled or abandoned and cannot go on.
	ErrFinal = errors.New("run: the run was given up")
	// ErrConflict says that two stages of one super-step wrote a channel without a reducer.
	ErrConflict = errors.New("run: two stages wrote the same channel")
	// ErrPause says that a stage asked in a way that answers could not be told apart.
	ErrPause = errors.New("run: ambiguous pause")
	// ErrDamaged says that a checkpoint names what the graph does not have.
	ErrDamaged = errors.New("run: checkpoint does not fit the graph")
	// ErrStuck says that nothing could run although the end was not reached.
	ErrStuck = errors.New("run: no stage left to run before the end")
)

// Executor runs graphs on a store. It is safe for concurrent use; each run is
// driven by one goroutine, which alone owns the run's state.
type Executor struct {
	store   Checkpointer
	now     func() time.Time
	newID   func() string
	token   func(journal.Event) // may be nil
	grace   time.Duration
	sleep   func(context.Context, time.Duration) error
	closing func(row Run, why string, now time.Time) graph.Change

	// mu guards what follows.
	mu    sync.Mutex
	live  map[graph.RunID]struct{} // runs that are being driven
	spare []*scratch               // of runs that ended
}

// Options of an executor.
type Options struct {
	Store Checkpointer
	Now   func() time.Time
	NewID func() string
	// OnToken hears what is live only: the pieces of a message while it is written, and that
	// a model began to read. Nothing of it is stored. It must be quick. What is stored is
	// heard from the store, once it is on disk.
	OnToken func(journal.Event)
	// Grace is the time that stages get to end after a cancel; 0 means 800 ms.
	Grace time.Duration
	// Closing settles what a run that is given up leaves open besides its own rows, in
	// the transaction that ends it; optional.
	Closing func(row Run, why string, now time.Time) graph.Change
	// Sleep waits before a retry; it ends with an error when ctx does. Default: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// NewExecutor needs a store, a clock and a source of ids.
func NewExecutor(o Options) *Executor {
	if o.Grace == 0 {
		o.Grace = 800 * time.Millisecond
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Executor{store: o.Store, now: o.Now, newID: o.NewID, token: o.OnToken, grace: o.Grace, sleep: o.Sleep, closing: o.Closing, live: map[graph.RunID]struct{}{}}
}

// sleep waits unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StartRequest is what starts a run.
type StartRequest struct {
	ID      graph.RunID
	Session string
	Turn    string
	Input   string
	// Title is what lists call a session that begins with the run; "" is Input's beginning.
	Title    string
	Model    string
	Practice bool
	// Caller names who the run acts for; "" for nobody in particular.
	Caller string
	Vars   map[string]string
	// State is written before the first stage.
	State graph.Patch
	// From is the checkpoint of another run where this one begins; nil begins at the start.
	// Its state takes the place of State.
	From *Point
	// Limits take the place of the graph's; nil leaves those.
	Limits *graph.Limits
	// Dependencies are handed to every stage and never stored.
	Dependencies any
	// With is written with the admission, or not at all; may be nil.
	With graph.Change
	// Admitted is called once the run is on disk: before anybody is told of what runs, and before any stage that may
	// wait or act; may be nil.
	Admitted func()
}

// Outcome is how a drive of a run ended.
type Outcome struct {
	Run    Run
	State  graph.Snapshot
	Pauses []graph.Pause // open ones
	// Err is why a run failed; nil for every other status.
	Err error
}

// Start admits a run and drives it until it is completed, paused, failed, limited or, with ctx, cancelled. It is on
// disk before anybody is told of it, and before any stage starts that may wait or act. The error is for runs that were
// not admitted.
func (x *Executor) Start(ctx context.Context, g *graph.Graph, a StartRequest) (out Outcome, err error) {
	if a.ID == "" || a.Session == "" {
		return Outcome{}, ErrNoID
	}
	if err := x.take(a.ID); err != nil {
		return Outcome{}, err
	}
	defer x.release(a.ID)
	now := x.now()
	d := x.newDriver(g, &Run{ID: a.ID, Session: a.Session, Turn: a.Turn, Agent: g.Agent(), Fingerprint: g.Fingerprint(), Status: Running, LeaseEpoch: 1,
		MaxSteps: g.MaxSteps(), Input: a.Input, Title: a.Title, Model: a.Model, Practice: a.Practice, Caller: a.Caller, StartedAt: now, UpdatedAt: now, Limits: g.Spec().Limits,
		Vars: maps.Clone(a.Vars)}, a.Dependencies, now)
	d.admitted = a.Admitted
	if a.Limits != nil {
		d.row.Limits = *a.Limits
	}
	first := a.State
	if a.From != nil {
		first = a.From.state
	}
	if err := d.begin(first); err != nil {
		return Outcome{}, err
	}
	d.next().Admit = true
	if err := d.also(a.With); err != nil {
		return Outcome{}, err
	}
	if a.From != nil {
		d.sayStart(a.From)
		if err := d.startAt(*a.From); err != nil {
			return Outcome{}, err
		}
	} else {
		d.noteStart()
		d.enter(g.Entries)
	}
	d.drive(ctx, &out)
	if err := d.w.failure(); err != nil && !d.w.some.Load() {
		// What only computes may run ahead of the admission: if that fails, it is as if
		// nothing had run.
		return Outcome{}, err
	}
	d.giveBack()
	return out, nil
}

// begin writes the first state.
func (d *driver) begin(p graph.Patch) error {
	encoded, err := d.enc.Patch(d.g, p)
	if err == nil {
		d.state, err = d.state.Advance(p)
	}
	if err == nil {
		d.changes.Add(p, encoded)
	}
	return err
}

// Resumption is what continues a run.
type Resumption struct {
	// Answers by pause id. Every one must belong to an open, unanswered pause.
	Answers map[string]json.RawMessage
	// MoreSteps raises the step limit.
	MoreSteps int
	// More is added to the run's limits; By is the person who gives it.
	More graph.Limits
	By   string
	// Caller names who the run acts for from here on, for the event.
	Caller string
	// Unknown is the number of calls whose outcome nobody knows, for the event.
	Unknown      int
	Dependencies any
}

// Resume continues a run from its checkpoint: after a crash, a failure, a limit
// or with answers to its pauses. A completed run stays as it is and is returned;
// so is a paused one without answers.
func (x *Executor) Resume(ctx context.Context, g *graph.Graph, id graph.RunID, r Resumption) (Outcome, error) {
	if err := x.take(id); err != nil {
		return Outcome{}, err
	}
	defer x.release(id)
	cp, err := x.store.Load(id)
	if err != nil {
		return Outcome{}, err
	}
	d, err := x.restore(g, cp, r.Dependencies)
	if err != nil {
		return Outcome{}, err
	}
	answered, err := d.checkResume(r)
	if err != nil {
		return d.outcome(nil), err
	}
	if cp.Run.Status == Completed || cp.Run.Status == Paused && len(answered) == 0 && !d.runnable() {
		return d.outcome(nil), nil
	}
	if cp, err = x.store.Acquire(id); err != nil {
		return Outcome{}, err
	}
	if d, err = x.restore(g, cp, r.Dependencies); err != nil {
		return Outcome{}, err
	}
	// Between Load and Acquire another writer may have moved the run on.
	if answered, err = d.checkResume(r); err != nil {
		return d.outcome(nil), err
	}
	if d.row.Status == Completed {
		return d.outcome(nil), nil
	}
	for _, p := range answered {
		d.pauses[p.ID] = p
	}
	d.row.Status, d.row.Error, d.row.ErrorStage = Running, "", ""
	limit, more := d.grant(r)
	todo := slices.Clone(d.todo())
	rerun := make([]graph.StageID, len(todo))
	for i, n := range todo {
		rerun[i] = d.g.Stages[n].ID
	}
	e := d.event(journal.TurnResumed, "")
	d.say(e.With(journal.TurnResumedData{Kept: d.kept(rerun), Rerun: rerun, Unknown: r.Unknown, Limit: limit, More: more, By: r.By, Caller: r.Caller}))
	d.next().Pauses = answered
	d.started(todo)
	d.changed = true
	d.push(true)
	var out Outcome
	d.drive(ctx, &out)
	d.giveBack()
	return out, nil
}

// Abandon gives a run up for good; ErrLive for one that is under way. What it leaves open besides
// its own rows is settled in the same transaction (Options.Closing): approvals that it waited for
// are void, calls that it proposed are refused.
func (x *Executor) Abandon(id graph.RunID, reason string) error {
	if err := x.take(id); err != nil {
		return err
	}
	defer x.release(id)
	cp, err := x.store.Acquire(id)
	if err != nil {
		return err
	}
	switch cp.Run.Status {
	case Completed, Cancelled, Abandoned:
		return fmt.Errorf("%w: it is %s", ErrFinal, cp.Run.Status)
	}
	row := cp.Run
	row.Status, row.UpdatedAt = Abandoned, x.now()
	c := &Commit{Run: id, LeaseEpoch: row.LeaseEpoch, Row: &row, Clear: true}
	x.last(c, row, "the turn was abandoned", journal.Event{Kind: journal.TurnCancelled, At: x.now(), Session: row.Session, Turn: row.Turn, Status: string(journal.Abandoned), Reason: reason})
	for _, p := range cp.Pauses {
		c.Unask = append(c.Unask, p.ID)
	}
	w := writer{store: x.store}
	w.room.L = &w.mu
	return w.hand(entry{commit: c, last: true}, durable)
}

// last ends a run that is given up: what it left open is settled, and the event that
// says so stays the run's last.
func (x *Executor) last(c *Commit, row Run, why string, e journal.Event) {
	if x.closing == nil {
		c.Events = append(c.Events, e)
		return
	}
	c.Do = x.closing(row, why, x.now())
	endAfter(c, e)
}

func (x *Executor) take(id graph.RunID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.live[id]; ok {
		return fmt.Errorf("%w: %s", ErrLive, id)
	}
	x.live[id] = struct{}{}
	return nil
}

func (x *Executor) release(id graph.RunID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.live, id)
}

// Live says whether the run is being driven by this executor.
func (x *Executor) Live(id graph.RunID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.live[id]
	return ok
}

func compare[T ~string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// empty says that an answer is no JSON value that says something.
func empty(a json.RawMessage) bool {
	t := string(bytes.TrimSpace(a))
	return t == "" || t == "null" || t == `""` || !json.Valid(a)
}

// checkResume refuses what must not change anything and returns the pauses that
// the answers are new to, by id.
func (d *driver) checkResume(r Resumption) ([]graph.Pause, error) {
	var answered []graph.Pause
	for _, pid := range slices.Sorted(maps.Keys(r.Answers)) {
		a := r.Answers[pid]
		p, ok := d.pauses[pid]
		switch {
		case !ok:
			return nil, fmt.Errorf("%w: %q", ErrUnknownPause, pid)
		case empty(a):
			return nil, fmt.Errorf("%w: %q", ErrEmptyAnswer, pid)
		case p.Answer == nil:
			p.Answer = a
			answered = append(answered, p)
		case string(p.Answer) != string(a):
			return nil, fmt.Errorf("%w: %q", ErrAnswered, pid)
		}
	}
	switch d.row.Status {
	case Cancelled, Abandoned:
		return nil, fmt.Errorf("%w: it is %s", ErrFinal, d.row.Status)
	case Limited:
		if r.given(d.row.Limit) <= 0 {
			name := d.row.Limit
			if name == "" {
				name = graph.LimitSteps
			}
			return nil, fmt.Errorf("%w (%s) after %d steps: resume with more", ErrLimit, name, d.row.Step)
		}
	}
	return answered, nil
}

// restore rebuilds a driver from what the store holds, and nothing else: a warm
// resume and a cold one are the same.
func (x *Executor) restore(base *graph.Graph, cp Checkpoint, deps any) (*driver, error) {
	g, err := base.Grown(cp.Run.Mutations)
	if err != nil {
		if cp.Run.Status != Completed {
			return nil, fmt.Errorf("%w: its changes do not fit any more: %w", ErrTopology, err)
		}
		g = base
	}
	if !g.Recognizes(cp.Run.Fingerprint) {
		if cp.Run.Status != Completed {
			return nil, fmt.Errorf("%w: it began on %.15s…, now %.15s…; abandon it and ask again", ErrTopology, cp.Run.Fingerprint, g.Fingerprint())
		}
	}
	if err := knows(g, cp); err != nil && cp.Run.Status != Completed {
		return nil, err
	}
	d := x.newDriver(base, &cp.Run, deps, x.now())
	if g != base {
		d.become(g, nil)
	}
	d.told = true
	if d.state, err = g.Restore(cp.Channels, cp.Run.Status == Completed); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if cp.Run.Status != Completed {
		d.adopt()
	}
	for _, p := range cp.Pending {
		if d.done[g.Index[p.Stage]], err = d.restored(p); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	for _, p := range cp.Pauses {
		if d.pauses == nil {
			d.pauses = map[string]graph.Pause{}
		}
		d.pauses[p.ID] = p
	}
	return d, nil
}

// pending is what a finished stage leaves for the barrier, in a form that lasts.
func pending(id graph.StageID, res *visited) Pending {
	p := Pending{Stage: id, Writes: whole(res.writes), Goto: res.Goto, Reason: res.Reason, Skipped: res.skipped != "", Again: res.Reenter, Route: res.Route,
		Match: res.match, HasOutput: res.hasOut, Usage: res.Usage, Mutations: res.Mutations}
	if res.failed != nil {
		p.Error = res.failed.Error()
	}
	return p
}

// whole are writes without the items of lists apart.
func whole(writes []graph.ChannelValue) []graph.ChannelValue {
	out := slices.Clone(writes)
	for i := range out {
		out[i].Append = nil
	}
	return out
}

// restored is the opposite of pending.
func (d *driver) restored(p Pending) (*visited, error) {
	patch, err := d.g.DecodePatch(p.Writes)
	if err != nil {
		return nil, err
	}
	writes, err := d.enc.Patch(d.g, patch)
	if err != nil {
		return nil, err
	}
	r := &visited{Result: graph.Result{Patch: patch, Goto: p.Goto, Route: p.Route, Reason: p.Reason, Reenter: p.Again, Usage: p.Usage, Mutations: p.Mutations}, match: p.Match, hasOut: p.HasOutput}
	r.saved, r.writes = true, writes
	if p.Skipped {
		r.skipped = p.Reason
	}
	if p.Error != "" {
		r.failed = errors.New(p.Error)
	}
	return r, nil
}

// knows refuses a checkpoint that names stages which the graph does not have: a
// name that was guessed would run another stage.
func knows(g *graph.Graph, cp Checkpoint) error {
	if !slices.Contains(states, cp.Run.Status) {
		return fmt.Errorf("%w: nobody knows the status %q", ErrDamaged, cp.Run.Status)
	}
	runs := func(id graph.StageID) bool { n, ok := g.Index[id]; return ok && g.Stages[n].Stage.Graph == nil }
	for _, id := range cp.Run.Frontier {
		if !runs(id) {
			return fmt.Errorf("%w: stage %q is due", ErrDamaged, id)
		}
	}
	for _, p := range cp.Pending {
		if !runs(p.Stage) {
			return fmt.Errorf("%w: a result of stage %q", ErrDamaged, p.Stage)
		}
	}
	for _, p := range cp.Pauses {
		if !runs(p.Stage) {
			return fmt.Errorf("%w: a question of stage %q", ErrDamaged, p.Stage)
		}
	}
	for to, from := range cp.Run.JoinInputs {
		for _, id := range append([]graph.StageID{to}, from...) {
			if _, ok := g.Index[id]; !ok {
				return fmt.Errorf("%w: stage %q at a join", ErrDamaged, id)
			}
		}
	}
	return nil
}
