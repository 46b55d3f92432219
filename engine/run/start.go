package run

import (
	"context"
	"slices"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// start is one start of one stage: the task that its function gets, and what the
// executor keeps beside it.
type start struct {
	graph.Task
	d    *driver
	mark int // length of the history when the visit began
	// acted counts what stages that act have finished, for one that is cached.
	acted int
}

// visited is how a start of a stage went.
type visited struct {
	graph.Result
	skipped string // why the stage was passed over
	cached  bool
	failed  error         // of a stage that the run passes by
	where   graph.StageID // the innermost stage that failed; "" for the stage itself
	took    time.Duration
	match   string
	hasOut  bool // the output was looked through

	writes []graph.ChannelValue // the patch, encoded
	saved  bool                 // a commit has it
}

// Now implements graph.Host.
func (d *driver) Now() time.Time { return d.x.now() }

// NewID implements graph.Host.
func (d *driver) NewID() string { return d.x.newID() }

// inside says which stage runs where the owner is; nil for none any more.
func (d *driver) inside(t *graph.Task) {
	d.turn.Lock()
	d.inner = t
	d.turn.Unlock()
}

// precede hands over what the owner said before a stage that runs where it is. The
// owner waits in the stage meanwhile. Other stages start with nothing left to hand over.
func (d *driver) precede(t *graph.Task) {
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.inner == t {
		d.push(false)
	}
}

// Spend implements graph.Host.
func (d *driver) Spend(t *graph.Task, u graph.Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spends.Store(true)
	m := d.memo(t.Stage)
	m.used = m.used.Plus(u)
}

// Wait implements graph.Host.
func (d *driver) Wait(t *graph.Task, p graph.Pause) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting.Store(true)
	m := d.memo(t.Stage)
	if !slices.ContainsFunc(m.waits, func(have graph.Pause) bool { return have.ID == p.ID }) {
		m.waits = append(m.waits, p)
	}
}

// held makes a pause of what a stage gave if something deep inside must wait for a person.
// What the stage made without the answer is not kept, but for other hold points.
func (t *start) held(ctx context.Context, r graph.Result, err error) (graph.Result, error) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	m := t.d.memos[t.Stage]
	if m == nil || len(m.waits) == 0 || ctx.Err() != nil {
		return r, err
	}
	if err != nil || len(r.Pauses) == 0 {
		r = graph.Result{Usage: r.Usage}
	}
	r.Pauses = append(m.waits, r.Pauses...)
	m.waits = nil
	return r, nil
}

// Spent implements graph.Host.
func (d *driver) Spent(t *graph.Task) graph.Usage {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.memos[t.Stage]; m != nil {
		return m.used
	}
	return graph.Usage{}
}

// takeUsed is what a stage spent; from now on it is the owner's to count.
func (d *driver) takeUsed(id graph.StageID) graph.Usage {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.memos[id]
	if m == nil {
		return graph.Usage{}
	}
	u := m.used
	m.used = graph.Usage{}
	return u
}

// Emit implements graph.Host.
func (d *driver) Emit(t *graph.Task, events []journal.Event) {
	events = slices.Clone(events) // the writer keeps them
	for i := range events {
		d.mark(t, &events[i])
	}
	d.precede(t)
	d.w.hand(entry{commit: &Commit{Run: d.id, LeaseEpoch: d.epoch, Events: events}}, nothing)
	d.w.start()
}

// mark says of an event which stage told it and when.
func (d *driver) mark(t *graph.Task, e *journal.Event) {
	if e.Stage == "" {
		e.Stage = t.Stage
	}
	if e.At.IsZero() {
		e.At = d.x.now()
	}
	e.Session, e.Turn = t.Run.Session, t.Run.Turn
}

// Commit implements graph.Host.
func (d *driver) Commit(t *graph.Task, do graph.Change, events []journal.Event) error {
	if t.Flags.Has(graph.ReadOnly) {
		return graph.ErrReadOnly
	}
	events = slices.Clone(events)
	for i := range events {
		d.mark(t, &events[i])
	}
	c := &Commit{Run: d.id, LeaseEpoch: d.epoch, Events: events}
	c.Do = func(tx graph.Tx, tell graph.Tell) error {
		return do(tx, func(more ...journal.Event) {
			more = slices.Clone(more)
			for i := range more {
				d.mark(t, &more[i])
			}
			tell(more...)
		})
	}
	d.precede(t)
	return d.w.hand(entry{commit: c, alone: true}, durable)
}

// View implements graph.Host. A stage reads the rows that the stages before it changed.
func (d *driver) View(fn func(graph.Tx) error) error {
	if err := d.w.settled(); err != nil {
		return err
	}
	return d.x.store.View(fn)
}

// Stream implements graph.Host. After the run's end nobody sees more.
func (d *driver) Stream(t *graph.Task, message string) graph.Stream {
	d.Emit(t, []journal.Event{{Kind: journal.MessageStarted, Message: message}})
	return &stream{message: message, send: func(e journal.Event) { d.Show(t, e) }}
}

// Show implements graph.Host. After the run's end nobody sees more.
func (d *driver) Show(t *graph.Task, e journal.Event) {
	if d.x.token == nil || d.w.ended() {
		return
	}
	d.mark(t, &e)
	e.Render()
	d.x.token(e)
}
