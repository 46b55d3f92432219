package graph

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
)

// Errors of Start and Resume that callers decide on.
var (
	ErrNoID = errors.New("graph: a run needs an id and a session")
	// ErrLive says that the run is being driven right now.
	ErrLive = errors.New("graph: run is under way")
	// ErrTopology says that the graph changed since the run's checkpoint was written.
	ErrTopology = errors.New("graph: the graph has changed since this run began")
	// ErrUnknownPause, ErrEmptyAnswer and ErrAnswered refuse an answer; nothing changes.
	ErrUnknownPause = errors.New("graph: no open question has this id")
	ErrEmptyAnswer  = errors.New("graph: an answer needs a value")
	ErrAnswered     = errors.New("graph: already answered")
	// ErrLimit says that the run reached its step limit and was not given more steps.
	ErrLimit = errors.New("graph: step limit reached")
	// ErrFinal says that the run was cancelled or abandoned and cannot go on.
	ErrFinal = errors.New("graph: the run was given up")
	// ErrConflict says that two stages of one super-step wrote a channel without a reducer.
	ErrConflict = errors.New("graph: two stages wrote the same channel")
	// ErrPause says that a stage asked in a way that answers could not be told apart.
	ErrPause = errors.New("graph: ambiguous pause")
	// ErrDamaged says that a checkpoint names what the graph does not have.
	ErrDamaged = errors.New("graph: checkpoint does not fit the graph")
	// ErrStuck says that nothing could run although the end was not reached.
	ErrStuck = errors.New("graph: no stage left to run before the end")
)

// Executor runs graphs on a store. It is safe for concurrent use; each run is
// driven by one goroutine, which alone owns the run's state.
type Executor struct {
	store   Checkpointer
	now     func() time.Time
	newID   func() string
	publish func([]Event) // may be nil
	grace   time.Duration
	sleep   func(context.Context, time.Duration) error
	// volatile says that the store does not outlive the process: it gets a checkpoint
	// where a run stops, and no more.
	volatile bool

	mu   sync.Mutex
	live map[RunID]struct{}
}

// Options of an executor; the zero value of Grace is 800 ms, the time that
// stages get to end after a cancel.
type Options struct {
	Store Checkpointer
	Now   func() time.Time
	NewID func() string
	// OnEvents receives events in order once they are on disk, and live-only Token
	// events. It must be quick and must not call back into the executor.
	OnEvents func([]Event)
	Grace    time.Duration
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
	_, volatile := o.Store.(*Memory)
	return &Executor{store: o.Store, now: o.Now, newID: o.NewID, publish: o.OnEvents, grace: o.Grace, sleep: o.Sleep, volatile: volatile, live: map[RunID]struct{}{}}
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

// Admission is what starts a run.
type Admission struct {
	ID       RunID
	Session  string
	Turn     string
	Input    string
	Model    string
	Practice bool
	Vars     map[string]string
	// State is written before the first stage.
	State Patch
	// Live is handed to every stage and never stored.
	Live any
	// Admitted is called once the run is on disk, before anything runs; may be nil.
	Admitted func()
}

// Outcome is how a drive of a run ended.
type Outcome struct {
	Run    Run
	State  Snapshot
	Pauses []Pause // open ones
	// Err is why a run failed; nil for every other status.
	Err error
}

// Start admits a run, on disk before anything runs, and drives it until it is
// completed, paused, failed, limited or, with ctx, cancelled. The error is for
// runs that were not admitted.
func (x *Executor) Start(ctx context.Context, g *Graph, a Admission) (Outcome, error) {
	if a.ID == "" || a.Session == "" {
		return Outcome{}, ErrNoID
	}
	if err := x.take(a.ID); err != nil {
		return Outcome{}, err
	}
	defer x.release(a.ID)
	now := x.now()
	row := Run{ID: a.ID, Session: a.Session, Turn: a.Turn, Agent: g.agent, Fingerprint: g.fingerprint, Status: Running, Fence: 1,
		MaxSteps: g.maxSteps, Input: a.Input, Model: a.Model, Practice: a.Practice, StartedAt: now, UpdatedAt: now, Limits: g.spec.Limits}
	row.Vars = maps.Clone(a.Vars)
	d := x.newDriver(g, row, a.Live)
	state, touched, err := d.state.with(a.State, nil)
	if err != nil {
		return Outcome{}, err
	}
	d.state = state
	set, err := d.encodeSlots(touched, a.State)
	if err != nil {
		return Outcome{}, err
	}
	// Long input lives in the row; the event carries the beginning.
	e := d.event(TurnStarted, "")
	e.Text = cut(a.Input, textRoom)
	if !d.short { // a store in memory knows it from the row
		e.body = begun{g.agent, g.fingerprint, a.Model, a.Practice, row.Vars}
	}
	events := d.enter(g.entries, append(d.room(1+len(g.entries)), e))
	c := d.commit()
	c.Admit, c.Set, c.Events = true, set, events
	d.onAdmitted = a.Admitted
	ahead := d.computes()
	switch {
	case x.volatile:
		c.Row, c.state = d.header(), d.state
		if err := d.w.now(entry{commit: c}); err != nil {
			return Outcome{}, err
		}
		if d.short {
			d.memory = x.store.(*Memory)
			d.place = d.memory.run(a.ID)
		}
	case !ahead:
		c.Row = d.rowPtr()
		done := make(chan error, 1)
		d.w.put(c, done)
		if err := <-done; err != nil {
			return Outcome{}, err
		}
	default:
		// What only computes may run ahead of the admission: if that fails, it is as if
		// nothing had run.
		c.Row = d.rowPtr()
		done := make(chan error, 1)
		d.w.enqueue(entry{commit: c, admit: done}, true)
		out := d.drive(ctx)
		if err := <-done; err != nil {
			return Outcome{}, err
		}
		d.admit()
		return out, nil
	}
	d.admit()
	return d.drive(ctx), nil
}

// Resumption is what continues a run.
type Resumption struct {
	// Answers by pause id. Every one must belong to an open, unanswered pause.
	Answers map[string]json.RawMessage
	// MoreSteps raises the step limit.
	MoreSteps int
	// More is added to the run's limits.
	More Limits
	// Unknown is the number of calls whose outcome nobody knows, for the event.
	Unknown int
	Live    any
}

// Resume continues a run from its checkpoint: after a crash, a failure, a limit
// or with answers to its pauses. A completed run stays as it is and is returned;
// so is a paused one without answers.
func (x *Executor) Resume(ctx context.Context, g *Graph, id RunID, r Resumption) (Outcome, error) {
	if err := x.take(id); err != nil {
		return Outcome{}, err
	}
	defer x.release(id)
	cp, err := x.store.Load(id)
	if err != nil {
		return Outcome{}, err
	}
	d, err := x.restore(g, cp, r.Live)
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
	if d, err = x.restore(g, cp, r.Live); err != nil {
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
	d.grant(r)
	todo := slices.Clone(d.todo())
	rerun := make([]StageID, len(todo))
	for i, n := range todo {
		rerun[i] = d.g.nodes[n].id
	}
	e := d.event(TurnResumed, "")
	e.Data = raw(map[string]any{"kept": d.kept(rerun), "rerun": rerun, "unknown": r.Unknown})
	events := d.started(todo, []Event{e})
	c := &Commit{Run: id, Fence: d.row.Fence, Events: events}
	if !x.volatile {
		c.Pauses, c.Row = answered, d.rowPtr()
	}
	d.w.put(c, nil)
	return d.drive(ctx), nil
}

// Abandon ends a run that is not under way for good. Approvals it waited for are
// void and its proposed calls refused, in the same transaction.
func (x *Executor) Abandon(id RunID, reason string) error {
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
	c := &Commit{Run: id, Fence: row.Fence, Row: &row, Clear: true, Do: closeCalls(row, x.now(), "the turn was abandoned"),
		Events: []Event{{Kind: TurnCancelled, At: x.now(), Session: row.Session, Turn: row.Turn, Status: string(Abandoned), Reason: reason}}}
	for _, p := range cp.Pauses {
		c.Unask = append(c.Unask, p.ID)
	}
	fit(c)
	if err := x.store.Apply(c); err != nil {
		return err
	}
	if x.publish != nil {
		x.publish(c.Events)
	}
	return nil
}

func (x *Executor) take(id RunID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.live[id]; ok {
		return fmt.Errorf("%w: %s", ErrLive, id)
	}
	x.live[id] = struct{}{}
	return nil
}

func (x *Executor) release(id RunID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.live, id)
}

// Live says whether the run is being driven by this executor.
func (x *Executor) Live(id RunID) bool {
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
func (d *driver) checkResume(r Resumption) ([]Pause, error) {
	var answered []Pause
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
		if !r.grants(d.row.Limit) {
			name := d.row.Limit
			if name == "" {
				name = LimitSteps
			}
			return nil, fmt.Errorf("%w (%s) after %d steps: resume with more", ErrLimit, name, d.row.Step)
		}
	}
	return answered, nil
}

// restore rebuilds a driver from what the store holds, and nothing else: a warm
// resume and a cold one are the same.
func (x *Executor) restore(base *Graph, cp Checkpoint, live any) (*driver, error) {
	g, err := base.Grown(cp.Run.Mutations)
	if err != nil {
		if cp.Run.Status != Completed {
			return nil, fmt.Errorf("%w: its changes do not fit any more: %w", ErrTopology, err)
		}
		g = base
	}
	if cp.Run.Fingerprint != g.fingerprint {
		if cp.Run.Status != Completed {
			return nil, fmt.Errorf("%w: it began on %.15s…, now %.15s…; abandon it and ask again", ErrTopology, cp.Run.Fingerprint, g.fingerprint)
		}
	}
	if err := g.knows(cp); err != nil && cp.Run.Status != Completed {
		return nil, err
	}
	d := x.newDriver(base, cp.Run, live)
	if g != base {
		d.become(g, nil)
	}
	d.admitted = true
	if d.short {
		d.memory = x.store.(*Memory)
		d.place = d.memory.run(cp.Run.ID)
	}
	if cp.state.graph != nil {
		copy(d.state.values, cp.state.values)
	}
	for _, cv := range cp.Channels {
		def := g.byName[cv.Channel]
		if def == nil {
			if cp.Run.Status == Completed {
				continue
			}
			return nil, fmt.Errorf("%w: channel %q", ErrDamaged, cv.Channel)
		}
		i := g.slots[def]
		if def.keyed {
			d.state.values[i] = put(d.state.values[i], cv.Key, cv.Value)
			continue
		}
		v, err := def.decode(cv.Value)
		if err != nil {
			return nil, err
		}
		d.state.values[i] = v
	}
	if cp.Run.Status != Completed {
		d.adopt()
	}
	for _, p := range cp.Pending {
		if d.done[g.index[p.Stage]], err = g.result(p); err != nil {
			return nil, err
		}
	}
	for _, p := range cp.Pauses {
		if d.pauses == nil {
			d.pauses = map[string]Pause{}
		}
		d.pauses[p.ID] = p
	}
	return d, nil
}

// pending is what a finished stage leaves for the barrier, in a form that lasts.
func (d *driver) pending(id StageID, res *Result, writes []ChannelValue) Pending {
	p := Pending{Stage: id, Writes: writes, Goto: res.Goto, Reason: res.Reason, Skipped: res.skipped != "", Again: res.Again, Route: res.route,
		Match: res.match, HasOutput: res.hasOut, Usage: res.Usage, Mutations: res.Mutations}
	if res.failed != nil {
		p.Error = res.failed.Error()
	}
	return p
}

// result is the opposite of pending.
func (g *Graph) result(p Pending) (*Result, error) {
	if p.result != nil {
		return p.result, nil
	}
	patch, err := g.decodePatch(p.Writes)
	if err != nil {
		return nil, err
	}
	r := &Result{Patch: patch, Goto: p.Goto, Reason: p.Reason, Again: p.Again, route: p.Route, match: p.Match, hasOut: p.HasOutput, Usage: p.Usage, Mutations: p.Mutations}
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
func (g *Graph) knows(cp Checkpoint) error {
	runs := func(id StageID) bool { n, ok := g.index[id]; return ok && g.nodes[n].stage.Graph == nil }
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
	for to, from := range cp.Run.Arrived {
		for _, id := range append([]StageID{to}, from...) {
			if _, ok := g.index[id]; !ok {
				return fmt.Errorf("%w: stage %q at a join", ErrDamaged, id)
			}
		}
	}
	return nil
}
