package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// driver drives one run. Its goroutine alone touches row, state, done and
// pauses; stages get copies and the writer gets clones.
type driver struct {
	x    *Executor
	base *Graph // as the agent declares it
	g    *Graph // with the run's mutations
	w    writer
	live any

	// row is the run's row but for what the fields below hold by node: rowCopy puts
	// both together.
	row      Run
	view     *Run // what tasks see of the row; nil after a change
	frontier []int
	counts   []count
	arrived  map[int]map[int]bool
	led      map[int][]int
	state    Snapshot
	done     []*Result // finished in this super-step, by node
	pauses   map[string]Pause

	at         time.Time // the clock when it was last read
	spent      time.Time // up to when the run's time is counted
	admitted   bool      // the run's row is on disk
	short      bool      // nobody keeps the events that are handed over
	onAdmitted func()
	memory     *Memory // the store, where short is set
	place      *kept
	reached    *Reached // a stage came to a limit of its own
	results    chan result
	broken     chan error
	stop       context.CancelCauseFunc // ends the stages that run; nil where all only compute
	where      atomic.Int32

	mu    sync.Mutex
	memos map[StageID]memo

	*scratch
}

// count is what the driver counts of one node.
type count struct {
	attempts int // starts in this super-step
	finished int // super-steps that it finished
	round    int // super-steps of its visit so far
	mark     int // length of the history when its visit began
}

// scratch is what a driver needs for one super-step at a time. It is used again by
// drivers that come later; nothing in it may be handed out.
type scratch struct {
	todoList, finishedList, slots []int
	routes                        []route
	countsBefore                  []count
	walk                          walk
	arena                         []Event // events on their way to who keeps them
	only                          Result  // of a super-step of one stage that computes
	commitList                    Commit  // for a store that keeps no commit
	ended                         ending  // of a run that completed
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// giveBack ends the use of the scratch.
func (d *driver) giveBack() {
	s := d.scratch
	if s == nil {
		return
	}
	d.scratch = nil
	clear(s.arena[:cap(s.arena)])
	clear(s.routes[:cap(s.routes)])
	if !d.short {
		s.arena = nil // others keep these events
	}
	s.walk = walk{next: s.walk.next[:0]}
	s.only, s.commitList, s.ended = Result{}, Commit{}, ending{}
	scratches.Put(s)
}

type result struct {
	node int
	res  *Result
	err  error
	took time.Duration
}

func (x *Executor) newDriver(g *Graph, row Run, live any) *driver {
	d := &driver{x: x, base: g, g: g, row: row, live: live, at: x.now()}
	d.spent = d.at
	d.scratch = scratches.Get().(*scratch)
	d.counts, d.done = make([]count, len(g.nodes)), make([]*Result, len(g.nodes))
	d.short = x.volatile && x.publish == nil
	values := make([]any, len(g.channels))
	for i, c := range g.channels {
		values[i] = c.zero
	}
	d.state = Snapshot{g, values}
	d.w.store, d.w.publish, d.w.run = x.store, x.publish, d
	d.w.room.L = &d.w.mu
	d.w.direct = x.volatile
	return d
}

// fail hears from the writer that the store failed.
func (d *driver) fail(err error) {
	d.mu.Lock()
	if d.broken == nil {
		d.broken = make(chan error, 1)
	}
	select {
	case d.broken <- err:
	default:
	}
	stop := d.stop
	d.mu.Unlock()
	if stop != nil {
		stop(err)
	}
}

func (d *driver) failures() chan error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken == nil {
		d.broken = make(chan error, 1)
	}
	return d.broken
}

// adopt takes what the row says by stage into the fields by node.
func (d *driver) adopt() {
	g := d.g
	for _, id := range d.row.Frontier {
		d.frontier = append(d.frontier, g.index[id])
	}
	each := func(m map[StageID]int, set func(*count, int)) {
		for id, n := range m {
			if i, ok := g.index[id]; ok {
				set(&d.counts[i], n)
			}
		}
	}
	each(d.row.Attempts, func(c *count, n int) { c.attempts = n })
	each(d.row.Finished, func(c *count, n int) { c.finished = n })
	each(d.row.Visits, func(c *count, n int) { c.round = n })
	each(d.row.Marks, func(c *count, n int) { c.mark = n })
	for to, from := range d.row.Arrived {
		for _, id := range from {
			d.arrive(g.index[to], g.index[id])
		}
	}
	for to, from := range d.row.Led {
		for _, id := range from {
			d.leads(g.index[to], g.index[id])
		}
	}
}

func (d *driver) arrive(to, from int) {
	if d.arrived == nil {
		d.arrived = map[int]map[int]bool{}
	}
	if d.arrived[to] == nil {
		d.arrived[to] = map[int]bool{}
	}
	d.arrived[to][from] = true
}

func (d *driver) leads(to, from int) {
	if d.led == nil {
		d.led = map[int][]int{}
	}
	if !slices.Contains(d.led[to], from) {
		d.led[to] = append(d.led[to], from)
	}
}

func (d *driver) stamp(e *Event) {
	if e.At.IsZero() {
		e.At = d.x.now()
	}
	e.Session, e.Turn = d.row.Session, d.row.Turn
}

// event makes an event of the driver's own: stamped with the time when the driver
// last looked at the clock.
func (d *driver) event(kind Kind, stage StageID) Event {
	return Event{Kind: kind, Stage: stage, At: d.at, Session: d.row.Session, Turn: d.row.Turn}
}

// room returns an empty slice for n events or more.
func (d *driver) room(n int) []Event {
	if d.short {
		d.arena = slices.Grow(d.arena[:0], max(n, 8))
		return d.arena
	}
	if cap(d.arena)-len(d.arena) < n {
		d.arena = make([]Event, 0, max(n, 22))
	}
	at := len(d.arena)
	d.arena = d.arena[:at+n]
	return d.arena[at : at : at+n]
}

// rowCopy is the row as it stands, owned by the caller.
func (d *driver) rowCopy() Run {
	r, g := d.row, d.g
	r.UpdatedAt = d.at
	r.Frontier, r.Attempts, r.Finished, r.Visits, r.Marks, r.Arrived, r.Led = nil, nil, nil, nil, nil, nil, nil
	if len(d.frontier) > 0 {
		r.Frontier = make([]StageID, len(d.frontier))
		for i, n := range d.frontier {
			r.Frontier[i] = g.nodes[n].id
		}
	}
	add := func(m *map[StageID]int, id StageID, n int) {
		if n == 0 {
			return
		}
		if *m == nil {
			*m = make(map[StageID]int, 8)
		}
		(*m)[id] = n
	}
	for i := range d.counts {
		c, id := &d.counts[i], g.nodes[i].id
		add(&r.Attempts, id, c.attempts)
		add(&r.Finished, id, c.finished)
		add(&r.Visits, id, c.round)
		add(&r.Marks, id, c.mark)
	}
	for to, from := range d.arrived {
		if r.Arrived == nil {
			r.Arrived = map[StageID][]StageID{}
		}
		for _, in := range g.nodes[to].inputs {
			if from[in] {
				r.Arrived[g.nodes[to].id] = append(r.Arrived[g.nodes[to].id], g.nodes[in].id)
			}
		}
	}
	for to, from := range d.led {
		if r.Led == nil {
			r.Led = map[StageID][]StageID{}
		}
		for _, n := range from {
			r.Led[g.nodes[to].id] = append(r.Led[g.nodes[to].id], g.nodes[n].id)
		}
	}
	r.Errors, r.Path, r.Mutations = maps.Clone(r.Errors), slices.Clone(r.Path), slices.Clone(r.Mutations)
	r.Limits.Own = maps.Clone(r.Limits.Own)
	return r
}

func (d *driver) rowPtr() *Run { r := d.rowCopy(); return &r }

// commit starts a commit of this run. A volatile store keeps no part of a
// checkpoint while the run is under way, so there one is enough for all.
func (d *driver) commit() *Commit {
	if d.x.volatile {
		d.commitList = Commit{Run: d.row.ID, Fence: d.row.Fence}
		return &d.commitList
	}
	return &Commit{Run: d.row.ID, Fence: d.row.Fence}
}

func (d *driver) encodeSlots(slots []int, patch []Write) ([]ChannelValue, error) {
	if d.x.volatile {
		return nil, nil
	}
	out := make([]ChannelValue, 0, len(slots))
	for _, i := range slots {
		c := d.g.channels[i]
		if c.keyed {
			out = append(out, keyedValues(c, d.state.values[i], patch)...)
			continue
		}
		v, err := c.encode(d.state.values[i])
		if err != nil {
			return nil, err
		}
		out = append(out, ChannelValue{Channel: c.name, Value: v})
	}
	return out, nil
}

// enter puts stages on the frontier, opens nested graphs and appends the
// stage_started events.
func (d *driver) enter(nodes []int, events []Event) []Event {
	d.frontier = d.frontier[:0]
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	var open func(n, via int)
	open = func(n, via int) {
		if via >= 0 && d.led != nil {
			for _, from := range d.led[via] {
				d.leads(n, from)
			}
		}
		if d.g.nodes[n].stage.Graph == nil {
			d.frontier = append(d.frontier, n)
			return
		}
		e := d.event(StageStarted, d.g.nodes[n].id)
		e.Attempt = 1
		events = append(events, e)
		for _, c := range d.g.nodes[n].entries {
			open(c, n)
		}
	}
	for _, n := range nodes {
		if d.g.nodes[n].stage.Graph == nil {
			d.frontier = append(d.frontier, n)
		} else {
			open(n, -1)
		}
	}
	slices.Sort(d.frontier)
	d.frontier = slices.Compact(d.frontier)
	return d.started(d.frontier, events)
}

func (d *driver) started(nodes []int, events []Event) []Event {
	for _, n := range nodes {
		d.counts[n].attempts++
		e := d.event(StageStarted, d.g.nodes[n].id)
		e.Attempt = d.counts[n].attempts
		events = append(events, e)
	}
	return events
}

// todo are the stages of the frontier that have neither a result nor an
// unanswered pause.
func (d *driver) todo() []int {
	d.todoList = d.todoList[:0]
	for _, n := range d.frontier {
		if d.done[n] == nil && !d.waits(d.g.nodes[n].id) {
			d.todoList = append(d.todoList, n)
		}
	}
	return d.todoList
}

// waits says that the stage asked and has had no answer since.
func (d *driver) waits(id StageID) bool {
	asked := false
	for _, p := range d.pauses {
		if p.Stage == id {
			if p.Answer != nil && !p.Seen {
				return false
			}
			asked = asked || p.Answer == nil
		}
	}
	return asked
}

func (d *driver) runnable() bool { return len(d.todo()) > 0 }

// kept are the stages whose results a resume goes on with.
func (d *driver) kept(rerun []StageID) []StageID {
	var out []StageID
	for n := range d.g.nodes {
		if id := d.g.nodes[n].id; (d.counts[n].finished > 0 || d.done[n] != nil) && !slices.Contains(rerun, id) {
			out = append(out, id)
		}
	}
	return out
}

func (d *driver) openPauses() []Pause {
	var out []Pause
	for _, p := range d.pauses {
		if p.Answer == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Pause) int { return compare(a.ID, b.ID) })
	return out
}

func (d *driver) outcome(err error) Outcome {
	return Outcome{Run: d.rowCopy(), State: d.state, Pauses: d.openPauses(), Err: err}
}

// errTime ends a drive that used up the run's time.
var errTime = errors.New("graph: time limit reached")

// Where a driver's goroutine is.
const (
	working  = iota
	inStage  // in a stage's function; it touches nothing of the driver
	departed // it stayed in the stage for too long: somebody else ended the run
)

// drive runs super-steps until the run stops, for whatever reason. The events of
// the frontier's start have been put on disk or queued before. A single ready
// stage runs on the goroutine of the driver; so the driver has one of its own, and
// who called waits for it, but not for a stage that does not listen.
func (d *driver) drive(parent context.Context) Outcome {
	if parent.Done() == nil && d.row.Limits.Time == 0 && (d.g.quick || d.x.volatile) {
		// Nothing can stop this run but itself.
		end, _ := d.steps(parent, parent)
		return d.finish(end)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	d.mu.Lock()
	d.stop = cancel
	d.mu.Unlock()
	if limit := d.row.Limits.Time; limit > 0 {
		timer := time.AfterFunc(max(limit-d.row.Used.Time, 0), func() { cancel(errTime) })
		defer timer.Stop()
	}
	ended := make(chan *ending, 1)
	go func() {
		if end, mine := d.steps(ctx, parent); mine {
			ended <- end
		}
	}()
	done := ctx.Done()
	var overdue *time.Timer
	var late <-chan time.Time
	for {
		select {
		case end := <-ended:
			return d.finish(end)
		case <-done:
			done, overdue = nil, time.NewTimer(d.x.grace)
			defer overdue.Stop()
			late = overdue.C
		case <-late:
			if d.where.CompareAndSwap(inStage, departed) {
				d.scratch = new(scratch) // the old one is still in the stage's hands
				return d.finish(d.overdue(ctx, parent))
			}
			overdue.Reset(d.x.grace / 50) // it is on its way
		}
	}
}

// steps runs super-steps until the run stops. mine is false when somebody else
// has ended the run meanwhile.
func (d *driver) steps(ctx, parent context.Context) (end *ending, mine bool) {
	for end == nil {
		end = d.step(ctx, parent)
	}
	return end, end != gone
}

// gone is the ending of a driver that another goroutine took over.
var gone = &ending{}

// overdue ends a run whose stages did not end when they were told to.
func (d *driver) overdue(ctx, parent context.Context) *ending {
	switch err := d.w.failure(); {
	case err != nil:
		return &ending{err: err, keepDisk: true}
	case parent.Err() == nil && context.Cause(ctx) == errTime:
		return d.limited(LimitTime, int(d.row.Limits.Time/time.Second), nil)
	}
	return d.cancelled()
}

// finish writes how the run stopped.
func (d *driver) finish(end *ending) Outcome {
	if end.keepDisk {
		return d.outcome(end.err)
	}
	d.spend()
	d.row.Status, d.row.Limit = end.status, end.limit
	if end.err != nil {
		d.row.Error = cut(end.err.Error(), textRoom)
		d.row.ErrorStage = end.stage
	}
	c := end.commit
	if c == nil {
		c = d.commit()
	}
	if d.x.volatile {
		d.keep(c)
	}
	row := d.rowCopy()
	c.Row = &row
	d.stamp(&end.event)
	if c.Do != nil {
		endAfter(c, end.event)
	} else {
		c.Events = append(c.Events, end.event)
	}
	if err := d.w.seal(c); err != nil {
		return d.outcome(fmt.Errorf("graph: could not save the end of the run: %w", err))
	}
	out := Outcome{Run: row, State: d.state, Pauses: d.openPauses(), Err: end.err}
	d.giveBack()
	return out
}

// endAfter puts the word that the run stopped behind what the commit's Do appends.
func endAfter(c *Commit, last Event) {
	do := c.Do
	last.render()
	c.Do = func(tx Tx, c *Commit) error {
		err := do(tx, c)
		c.Events = append(c.Events, last)
		return err
	}
}

// spend adds the time since the last call to what the run used up.
func (d *driver) spend() {
	if d.at.After(d.spent) {
		d.row.Used.Time += d.at.Sub(d.spent)
		d.spent = d.at
	}
}

// keep puts the whole checkpoint into the last commit, for a store that got
// nothing of it before.
func (d *driver) keep(c *Commit) {
	c.state, c.Set = d.state, nil
	c.Clear, c.Add = true, nil
	for n, r := range d.done {
		if r != nil {
			kept := *r
			c.Add = append(c.Add, Pending{Stage: d.g.nodes[n].id, result: &kept})
		}
	}
	c.Pauses = slices.Collect(maps.Values(d.pauses))
	slices.SortFunc(c.Pauses, func(a, b Pause) int { return compare(a.ID, b.ID) })
	c.Unask = nil
}

// ending is how a run stops: its last event, in one transaction with its last commit.
type ending struct {
	status   Status
	limit    string
	stage    StageID
	err      error
	event    Event
	commit   *Commit
	keepDisk bool // the store failed: write nothing more
}

func (d *driver) failure(stage StageID, err error) *ending {
	return &ending{status: Failed, stage: stage, err: err, event: Event{Kind: TurnFailed, Stage: stage, Error: cut(err.Error(), textRoom)}}
}

// limited ends a run at a limit; what is on the frontier runs once more is granted.
func (d *driver) limited(name string, limit int, last *Commit) *ending {
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	return &ending{status: Limited, limit: name, commit: last, event: Event{Kind: TurnLimited, Status: name,
		Data: raw(map[string]any{"limit": limit, "name": name, "used": d.row.Used, "steps": d.row.Step})}}
}

func (d *driver) cancelled() *ending {
	c := &Commit{Run: d.row.ID, Fence: d.row.Fence, Clear: true, Do: closeCalls(d.row, d.x.now(), "the turn was stopped")}
	for pid := range d.pauses {
		c.Unask = append(c.Unask, pid)
	}
	d.pauses = nil
	clear(d.done)
	return &ending{status: Cancelled, commit: c, event: Event{Kind: TurnCancelled}}
}
