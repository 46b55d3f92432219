package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
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
	onAdmitted func()
	reached    *Reached // a stage came to a limit of its own
	results    chan result
	broken     chan error

	mu    sync.Mutex
	memos map[StageID]memo

	// Scratch of one super-step, kept to be used again.
	todoList, finishedList, slots []int
	routes                        []route
	countsBefore                  []count
	walk                          walk
	eventList                     [2]Event
	arena                         []Event
	scratch                       Commit
}

// count is what the driver counts of one node.
type count struct {
	attempts int // starts in this super-step
	finished int // super-steps that it finished
	round    int // super-steps of its visit so far
	mark     int // length of the history when its visit began
}

type result struct {
	node int
	res  Result
	err  error
	took time.Duration
}

func (x *Executor) newDriver(g *Graph, row Run, live any) *driver {
	d := &driver{x: x, base: g, g: g, row: row, live: live, at: x.now()}
	d.spent = d.at
	d.counts, d.done = make([]count, len(g.nodes)), make([]*Result, len(g.nodes))
	values := make([]any, len(g.channels))
	for i, c := range g.channels {
		values[i] = c.zero
	}
	d.state = Snapshot{g, values}
	d.w.store, d.w.publish, d.w.failed = x.store, x.publish, d.fail
	d.w.room.L = &d.w.mu
	d.w.direct = x.volatile
	return d
}

// fail hears from the writer that the store failed.
func (d *driver) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken == nil {
		d.broken = make(chan error, 1)
	}
	select {
	case d.broken <- err:
	default:
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
	if cap(d.arena)-len(d.arena) < n {
		d.arena = make([]Event, 0, max(n, 24))
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
		d.scratch = Commit{Run: d.row.ID, Fence: d.row.Fence}
		return &d.scratch
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

// drive runs super-steps until the run stops, for whatever reason. The events of
// the frontier's start have been put on disk or queued before.
func (d *driver) drive(parent context.Context) Outcome {
	ctx := parent
	if parent.Done() != nil || d.row.Limits.Time > 0 || !d.g.quick {
		within, cancel := context.WithCancelCause(parent)
		defer cancel(nil)
		if limit := d.row.Limits.Time; limit > 0 {
			timer := time.AfterFunc(max(limit-d.row.Used.Time, 0), func() { cancel(errTime) })
			defer timer.Stop()
		}
		ctx = within
	}
	for {
		end := d.step(ctx, parent)
		if end == nil {
			continue
		}
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
		c.Row = d.rowPtr()
		d.stamp(&end.event)
		last := end.event
		if do := c.Do; do != nil {
			// What Do appends comes before the word that the run stopped.
			c.Do = func(tx Tx, c *Commit) error {
				err := do(tx, c)
				c.Events = append(c.Events, last)
				return err
			}
		} else {
			c.Events = append(c.Events, last)
		}
		if err := d.w.seal(c); err != nil {
			return d.outcome(fmt.Errorf("graph: could not save the end of the run: %w", err))
		}
		return d.outcome(end.err)
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
			c.Add = append(c.Add, Pending{Stage: d.g.nodes[n].id, result: r})
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

// worst remembers the failure of the first stage in spec order.
type worst struct {
	node int
	err  error
}

func (w *worst) add(node int, err error) {
	if w.err == nil || node < w.node {
		w.node, w.err = node, err
	}
}

// step runs what is left of the super-step. nil means that the next one is due.
func (d *driver) step(ctx, parent context.Context) *ending {
	if parent.Err() != nil {
		return d.cancelled() // nothing starts any more
	}
	todo := d.todo()
	var failed worst
	var last *Commit
	active := 0
	for _, n := range todo {
		if !d.g.nodes[n].quick {
			active++
		}
	}
	if active > 0 {
		if err := d.launch(ctx, todo); err != nil {
			switch {
			case parent.Err() != nil:
				return d.cancelled()
			case context.Cause(ctx) == errTime:
				return d.limited(LimitTime, int(d.row.Limits.Time/time.Second), nil)
			}
			return &ending{err: err, keepDisk: true}
		}
	}
	quick := len(todo) - active
	began := d.at
	for _, n := range todo {
		if !d.g.nodes[n].quick {
			continue
		}
		quick--
		var r result
		d.run(ctx, d.task(n), n, &r)
		d.at = d.x.now()
		r.took, began = d.at.Sub(began), d.at
		var err error
		if last, err = d.settle(&r, active+quick == 0 && failed.err == nil); err != nil {
			failed.add(n, err)
		}
	}
	if active > 0 {
		d.w.kick()
		var err error
		if last, err = d.wait(ctx, parent, active, &failed); err != nil {
			if errors.Is(err, errStopped) {
				return d.cancelled()
			}
			return &ending{err: err, keepDisk: true}
		}
	} else if err := d.w.failure(); err != nil {
		return &ending{err: err, keepDisk: true}
	}
	d.spend()
	switch {
	case parent.Err() != nil:
		if last != nil {
			// What was finished when the person stopped the turn is recorded.
			d.w.put(last, nil)
		}
		return d.cancelled()
	case len(d.pauses) > 0 && len(d.openPauses()) > 0:
		e := d.paused()
		e.commit = last
		return e
	case d.reached != nil:
		r := *d.reached
		d.reached = nil
		return d.limited(r.Name, r.Max, last)
	case failed.err != nil && context.Cause(ctx) == errTime && errors.Is(failed.err, context.Canceled):
		return d.limited(LimitTime, int(d.row.Limits.Time/time.Second), last)
	case failed.err != nil:
		return d.failure(d.g.nodes[failed.node].id, failed.err)
	}
	return d.barrier(last)
}

// errStopped says that the stages did not end in time after a stop.
var errStopped = errors.New("graph: stopped")

// wait takes the results of the stages that run on goroutines of their own.
func (d *driver) wait(ctx, parent context.Context, active int, failed *worst) (last *Commit, err error) {
	var grace <-chan time.Time
	stop, broken := parent.Done(), d.failures()
	late := ctx.Done()
	if stop != nil || d.row.Limits.Time == 0 {
		late = nil
	}
	wait := func() {
		stop, late = nil, nil
		timer := time.NewTimer(d.x.grace)
		grace = timer.C
	}
	for active > 0 {
		select {
		case r := <-d.results:
			active--
			d.at = d.x.now()
			last, err = d.settle(&r, active == 0 && failed.err == nil && grace == nil)
			if err != nil {
				failed.add(r.node, err)
			}
		case err := <-broken:
			return nil, err
		case <-stop:
			wait()
		case <-late:
			wait()
		case <-grace:
			return nil, errStopped
		}
	}
	return last, nil
}

// launch starts the stages that may wait for something, those that act after all
// that precedes them is on disk.
func (d *driver) launch(ctx context.Context, nodes []int) error {
	if !d.admitted {
		if err := d.w.flush(ctx); err != nil {
			return err
		}
		d.admit()
	}
	if d.results == nil || cap(d.results) < len(d.g.nodes) {
		d.results = make(chan result, len(d.g.nodes))
	}
	for _, acting := range []bool{false, true} {
		flushed := false
		for _, n := range nodes {
			if node := &d.g.nodes[n]; node.quick || node.stage.Acts != acting {
				continue
			}
			if acting && !flushed {
				if err := d.w.flush(ctx); err != nil {
					return err
				}
				flushed = true
			}
			t, began, results := d.task(n), d.x.now(), d.results
			go func() {
				r := result{node: n}
				d.run(ctx, t, n, &r)
				r.took = d.x.now().Sub(began)
				results <- r
			}()
		}
	}
	return nil
}

// admit says, once, that the run is on disk.
func (d *driver) admit() {
	if !d.admitted && d.onAdmitted != nil {
		d.onAdmitted()
	}
	d.admitted = true
}

// computes says that nothing on the frontier may wait for anything.
func (d *driver) computes() bool {
	for _, n := range d.frontier {
		if !d.g.nodes[n].quick {
			return false
		}
	}
	return true
}

// task makes what the stage gets to see.
func (d *driver) task(n int) *Task {
	node, c := &d.g.nodes[n], &d.counts[n]
	switch {
	case d.view != nil:
	case d.g.watches:
		d.view = d.rowPtr()
	default:
		row := d.row
		row.Attempts, row.Finished, row.Arrived, row.Frontier = nil, nil, nil, nil
		d.view = &row
	}
	t := &Task{State: d.state, Run: d.view, Stage: node.id, Attempt: c.attempts, Live: d.live, Flags: node.stage.Flags,
		Light: node.stage.Flags.Has(Lightweight), Round: c.round, d: d, g: d.g, node: n, mark: c.mark}
	if c.round == 0 && node.stage.Flags.Has(NoHistory) {
		c.mark = d.historyLen()
		t.mark = c.mark
	}
	for _, p := range d.pauses {
		if p.Stage == node.id && p.Answer != nil {
			if t.answers == nil {
				t.answers = map[string]json.RawMessage{}
			}
			t.answers[p.ID] = p.Answer
		}
	}
	if node.stage.Flags.Has(SkipOnError) {
		for _, from := range d.led[n] {
			if e, ok := d.row.Errors[d.g.nodes[from].id]; ok {
				t.before, t.beforeError = d.g.nodes[from].id, e
			}
		}
	}
	return t
}

// run runs a stage; a panic is an error of the stage.
func (d *driver) run(ctx context.Context, t *Task, n int, r *result) {
	r.node = n
	defer func() {
		if caught := recover(); caught != nil {
			r.res, r.err = Result{}, fmt.Errorf("graph: stage %q panicked: %v", t.Stage, caught)
		}
	}()
	if node := &t.g.nodes[n]; node.plain {
		r.res, r.err = node.stage.Run(ctx, t)
	} else {
		r.res, r.err = t.visit(ctx)
	}
}

// settle makes one finished branch durable. The last one of a super-step is
// returned instead, to go into the barrier's transaction.
func (d *driver) settle(r *result, last bool) (*Commit, error) {
	node := &d.g.nodes[r.node]
	id := node.id
	res, err := &r.res, r.err
	var writes []ChannelValue
	if err == nil {
		writes, err = d.encodePatch(res.Patch)
	}
	if err == nil && len(res.Pauses) > 0 {
		err = d.checkPauses(id, res)
	}
	if err == nil && res.Reached != nil {
		d.reached = res.Reached
		return nil, nil
	}
	passed := err != nil && d.g.spec.Tolerant && !node.stage.Flags.Has(Critical) && !errors.Is(err, context.Canceled)
	if err != nil {
		// Nothing of a failed stage is kept but the word that it failed.
		kind := StageFailed
		if errors.Is(err, context.Canceled) {
			kind = StageSkipped
		}
		e := d.event(kind, id)
		e.Error, e.Attempt = cut(err.Error(), textRoom), d.counts[r.node].attempts
		if kind == StageSkipped {
			e.Error, e.Reason = "", "stopped before it was finished"
		}
		if !passed {
			c := d.commit()
			c.Events = append(d.room(1), e)
			d.w.put(c, nil)
			return nil, err
		}
		// The run goes on without a result.
		*res = Result{failed: err, Events: []Event{e}, Usage: res.Usage}
		writes = nil
	}
	c := d.commit()
	c.Do = res.Do
	c.Events = append(d.room(len(res.Events)+4), res.Events...)
	for i := range c.Events {
		if c.Events[i].Stage == "" {
			c.Events[i].Stage = id
		}
		d.stamp(&c.Events[i])
	}
	if len(res.Pauses) > 0 {
		d.pause(id, res.Pauses, c)
		if last {
			return c, nil // the turn's pause goes into the same transaction
		}
		d.w.put(c, nil)
		return nil, nil
	}
	switch {
	case res.failed != nil:
	case res.skipped != "":
		e := d.event(StageSkipped, id)
		e.Reason = res.skipped
		c.Events = append(c.Events, e)
	default:
		e := d.event(StageCompleted, id)
		e.Attempt, e.Reason = d.counts[r.node].attempts, res.Reason
		res.took = r.took
		e.body = res
		if res.cached {
			e.Status = "cached"
		} else if res.Again != "" {
			e.Status = "again"
		}
		c.Events = append(c.Events, e)
	}
	d.done[r.node] = res
	if !d.x.volatile {
		c.Add = []Pending{d.pending(id, res, writes)}
	}
	if last && len(d.openPauses()) == 0 && d.reached == nil {
		return c, nil
	}
	d.w.lazy(c)
	return nil, nil
}

// checkPauses sees to it that an answer can only mean one question.
func (d *driver) checkPauses(id StageID, res *Result) error {
	if len(res.Patch) > 0 {
		return fmt.Errorf("%w: stage %q both paused and returned a patch", ErrPause, id)
	}
	seen := map[string]bool{}
	for _, p := range res.Pauses {
		if p.ID == "" || seen[p.ID] {
			return fmt.Errorf("%w: stage %q asks with id %q, which is empty or used twice", ErrPause, id, p.ID)
		}
		if other, ok := d.pauses[p.ID]; ok && other.Stage != id {
			return fmt.Errorf("%w: stages %q and %q both ask with id %q", ErrPause, other.Stage, id, p.ID)
		}
		seen[p.ID] = true
	}
	return nil
}

// pause makes hold points durable before their event can be seen. A question
// that is asked again is open again: the answer it had was not it.
func (d *driver) pause(id StageID, asked []Pause, c *Commit) {
	now := map[string]bool{}
	asked = slices.Clone(asked)
	if d.pauses == nil {
		d.pauses = map[string]Pause{}
	}
	for i := range asked {
		p := &asked[i]
		now[p.ID] = true
		p.Stage, p.Answer, p.Seen = id, nil, false
		d.pauses[p.ID] = *p
		c.Pauses = append(c.Pauses, *p)
	}
	for _, pid := range slices.Sorted(maps.Keys(d.pauses)) {
		p := d.pauses[pid]
		switch {
		case p.Stage != id || now[pid]:
		case p.Answer == nil:
			delete(d.pauses, pid)
			c.Unask = append(c.Unask, pid)
		case !p.Seen:
			p.Seen = true
			d.pauses[pid] = p
			c.Pauses = append(c.Pauses, p)
		}
	}
	e := d.event(StagePaused, id)
	e.Data = raw(map[string]any{"pauses": brief(asked)})
	c.Events = append(c.Events, e)
}

func brief(pauses []Pause) []map[string]any {
	out := make([]map[string]any, len(pauses))
	for i, p := range pauses {
		out[i] = map[string]any{"id": p.ID, "kind": p.Kind, "stage": p.Stage}
	}
	return out
}

func (d *driver) paused() *ending {
	return &ending{status: Paused, event: Event{Kind: TurnPaused, Data: raw(map[string]any{"pauses": brief(d.openPauses())})}}
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
