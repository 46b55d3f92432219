package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// driver drives one run. Its goroutine alone touches row, state, done and
// pauses; stages get copies and the writer gets clones.
type driver struct {
	x    *Executor
	base *graph.Graph // as the agent declares it
	g    *graph.Graph // with the run's mutations
	w    writer
	live any

	// row is the run's row but for what the fields below hold by node: rowCopy puts
	// both together.
	row      Run
	fence    uint64        // the row's; fixed while the run is driven
	view     *graph.Header // what tasks see of the row; nil after a change
	frontier []int
	counts   []count
	arrived  map[int]map[int]bool
	led      map[int][]int
	state    graph.Snapshot
	done     []*visited // finished in this super-step, by node
	pauses   map[string]graph.Pause

	at         time.Time // the clock when it was last read
	spent      time.Time // up to when the run's time is counted
	admitted   bool      // the run's row is on disk
	onAdmitted func()
	reached    *graph.Reached // a stage came to a limit of its own
	results    chan result
	broken     chan error
	stop       context.CancelCauseFunc // ends the stages that run; nil where all only compute
	where      atomic.Int32

	mu    sync.Mutex
	memos map[graph.StageID]memo

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
	arena                         []journal.Event // events on their way to who keeps them
	only                          visited         // of a super-step of one stage that computes
	ended                         ending          // of a run that completed
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// giveBack ends the use of the scratch.
func (d *driver) giveBack() {
	s := d.scratch
	if s == nil {
		return
	}
	d.scratch = nil
	clear(s.routes[:cap(s.routes)])
	s.arena = nil // others keep these events
	s.walk = walk{next: s.walk.next[:0]}
	s.only, s.ended = visited{}, ending{}
	scratches.Put(s)
}

type result struct {
	node int
	res  *visited
	err  error
	took time.Duration
}

func (x *Executor) newDriver(g *graph.Graph, row Run, live any) *driver {
	d := &driver{x: x, base: g, g: g, row: row, fence: row.Fence, live: live, at: x.now()}
	d.spent = d.at
	d.scratch = scratches.Get().(*scratch)
	d.counts, d.done = make([]count, len(g.Nodes)), make([]*visited, len(g.Nodes))
	d.state = g.Empty()
	d.w.store, d.w.publish, d.w.run = x.store, x.publish, d
	d.w.room.L = &d.w.mu
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
		d.frontier = append(d.frontier, g.Index[id])
	}
	each := func(m map[graph.StageID]int, set func(*count, int)) {
		for id, n := range m {
			if i, ok := g.Index[id]; ok {
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
			d.arrive(g.Index[to], g.Index[id])
		}
	}
	for to, from := range d.row.Led {
		for _, id := range from {
			d.leads(g.Index[to], g.Index[id])
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

func (d *driver) stamp(e *journal.Event) {
	if e.At.IsZero() {
		e.At = d.x.now()
	}
	e.Session, e.Turn = d.row.Session, d.row.Turn
}

// event makes an event of the driver's own: stamped with the time when the driver
// last looked at the clock.
func (d *driver) event(kind journal.Kind, stage graph.StageID) journal.Event {
	return journal.Event{Kind: kind, Stage: stage, At: d.at, Session: d.row.Session, Turn: d.row.Turn}
}

// room returns an empty slice for n events or more.
func (d *driver) room(n int) []journal.Event {
	if cap(d.arena)-len(d.arena) < n {
		d.arena = make([]journal.Event, 0, max(n, 22))
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
		r.Frontier = make([]graph.StageID, len(d.frontier))
		for i, n := range d.frontier {
			r.Frontier[i] = g.Nodes[n].ID
		}
	}
	add := func(m *map[graph.StageID]int, id graph.StageID, n int) {
		if n == 0 {
			return
		}
		if *m == nil {
			*m = make(map[graph.StageID]int, 8)
		}
		(*m)[id] = n
	}
	for i := range d.counts {
		c, id := &d.counts[i], g.Nodes[i].ID
		add(&r.Attempts, id, c.attempts)
		add(&r.Finished, id, c.finished)
		add(&r.Visits, id, c.round)
		add(&r.Marks, id, c.mark)
	}
	for to, from := range d.arrived {
		if r.Arrived == nil {
			r.Arrived = map[graph.StageID][]graph.StageID{}
		}
		for _, in := range g.Nodes[to].Inputs {
			if from[in] {
				r.Arrived[g.Nodes[to].ID] = append(r.Arrived[g.Nodes[to].ID], g.Nodes[in].ID)
			}
		}
	}
	for to, from := range d.led {
		if r.Led == nil {
			r.Led = map[graph.StageID][]graph.StageID{}
		}
		for _, n := range from {
			r.Led[g.Nodes[to].ID] = append(r.Led[g.Nodes[to].ID], g.Nodes[n].ID)
		}
	}
	r.Errors, r.Path, r.Mutations = maps.Clone(r.Errors), slices.Clone(r.Path), slices.Clone(r.Mutations)
	r.Limits.Own = maps.Clone(r.Limits.Own)
	return r
}

func (d *driver) rowPtr() *Run { r := d.rowCopy(); return &r }

// commit starts a commit of this run.
func (d *driver) commit() *Commit { return &Commit{Run: d.row.ID, Fence: d.row.Fence} }

// enter puts stages on the frontier, opens nested graphs and appends the
// stage_started events.
func (d *driver) enter(nodes []int, events []journal.Event) []journal.Event {
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
		if d.g.Nodes[n].Stage.Graph == nil {
			d.frontier = append(d.frontier, n)
			return
		}
		e := d.event(journal.StageStarted, d.g.Nodes[n].ID)
		e.Attempt = 1
		events = append(events, e)
		for _, c := range d.g.Nodes[n].Entries {
			open(c, n)
		}
	}
	for _, n := range nodes {
		if d.g.Nodes[n].Stage.Graph == nil {
			d.frontier = append(d.frontier, n)
		} else {
			open(n, -1)
		}
	}
	slices.Sort(d.frontier)
	d.frontier = slices.Compact(d.frontier)
	return d.started(d.frontier, events)
}

func (d *driver) started(nodes []int, events []journal.Event) []journal.Event {
	for _, n := range nodes {
		d.counts[n].attempts++
		e := d.event(journal.StageStarted, d.g.Nodes[n].ID)
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
		if d.done[n] == nil && !d.waits(d.g.Nodes[n].ID) {
			d.todoList = append(d.todoList, n)
		}
	}
	return d.todoList
}

// waits says that the stage asked and has had no answer since.
func (d *driver) waits(id graph.StageID) bool {
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
func (d *driver) kept(rerun []graph.StageID) []graph.StageID {
	var out []graph.StageID
	for n := range d.g.Nodes {
		if id := d.g.Nodes[n].ID; (d.counts[n].finished > 0 || d.done[n] != nil) && !slices.Contains(rerun, id) {
			out = append(out, id)
		}
	}
	return out
}

func (d *driver) openPauses() []graph.Pause {
	var out []graph.Pause
	for _, p := range d.pauses {
		if p.Answer == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b graph.Pause) int { return compare(a.ID, b.ID) })
	return out
}

func (d *driver) outcome(err error) Outcome {
	return Outcome{Run: d.rowCopy(), State: d.state, Pauses: d.openPauses(), Err: err}
}

// errTime ends a drive that used up the run's time.
var errTime = errors.New("run: time limit reached")

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
	if parent.Done() == nil && d.row.Limits.Time == 0 && d.g.Quick {
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
		return d.limited(graph.LimitTime, int(d.row.Limits.Time/time.Second), nil)
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
		d.row.Error = journal.Cut(end.err.Error(), journal.TextRoom)
		d.row.ErrorStage = end.stage
	}
	c := end.commit
	if c == nil {
		c = d.commit()
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
		return d.outcome(fmt.Errorf("run: could not save the end of the run: %w", err))
	}
	out := Outcome{Run: row, State: d.state, Pauses: d.openPauses(), Err: end.err}
	d.giveBack()
	return out
}

// endAfter puts the word that the run stopped behind what the commit's Do appends.
func endAfter(c *Commit, last journal.Event) {
	do := c.Do
	last.Render()
	c.Do = func(tx graph.Tx, tell graph.Tell) error {
		err := do(tx, tell)
		tell(last)
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

// ending is how a run stops: its last event, in one transaction with its last commit.
type ending struct {
	status   Status
	limit    string
	stage    graph.StageID
	err      error
	event    journal.Event
	commit   *Commit
	keepDisk bool // the store failed: write nothing more
}

func (d *driver) failure(stage graph.StageID, err error) *ending {
	return &ending{status: Failed, stage: stage, err: err, event: journal.Event{Kind: journal.TurnFailed, Stage: stage, Error: journal.Cut(err.Error(), journal.TextRoom)}}
}

// limited ends a run at a limit; what is on the frontier runs once more is granted.
func (d *driver) limited(name string, limit int, last *Commit) *ending {
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	return &ending{status: Limited, limit: name, commit: last, event: journal.Event{Status: name}.With(journal.TurnLimitedData{Limit: limit, Name: name, Steps: d.row.Step,
		Used: journal.Used{Tokens: d.row.Used.Tokens, Cost: d.row.Used.Cost, Time: d.row.Used.Time, Mutations: d.row.Used.Mutations}})}
}

func (d *driver) cancelled() *ending {
	c := &Commit{Run: d.row.ID, Fence: d.row.Fence, Clear: true}
	if d.x.closing != nil {
		c.Do = d.x.closing(d.row, "the turn was stopped", d.x.now())
	}
	for pid := range d.pauses {
		c.Unask = append(c.Unask, pid)
	}
	d.pauses = nil
	clear(d.done)
	return &ending{status: Cancelled, commit: c, event: journal.Event{Kind: journal.TurnCancelled}}
}
