package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

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
	active := 0 // stages with goroutines of their own
	for _, n := range todo {
		if !d.g.nodes[n].quick {
			active++
		}
	}
	alone := len(todo) == 1 && active == 1
	if active > 0 {
		err := d.ready(ctx, todo)
		if err == nil && !alone {
			err = d.launch(ctx, todo)
		}
		switch {
		case err == nil:
		case parent.Err() != nil:
			return d.cancelled()
		case context.Cause(ctx) == errTime:
			return d.limited(LimitTime, int(d.row.Limits.Time/time.Second), nil)
		default:
			return &ending{err: err, keepDisk: true}
		}
	}
	if alone {
		active = 0
		d.w.kick()
	}
	here := len(todo) - active
	began := d.at
	if alone {
		began = d.x.now()
	}
	for _, n := range todo {
		if !d.g.nodes[n].quick && !alone {
			continue
		}
		here--
		res := &d.only
		if len(d.frontier) == 1 && !alone {
			*res = Result{}
		} else {
			res = new(Result)
		}
		t := d.task(n)
		d.where.Store(inStage)
		err := d.run(ctx, t, n, res)
		if !d.where.CompareAndSwap(inStage, working) {
			return gone
		}
		d.at = d.x.now()
		took := d.at.Sub(began)
		began = d.at
		if err == nil && d.short && d.stride(n, res, took) {
			if len(d.frontier) > 0 {
				return nil
			}
			return d.completed(nil)
		}
		if last, err = d.settle(n, res, err, took, active+here == 0 && failed.err == nil && parent.Err() == nil); err != nil {
			failed.add(n, err)
		}
	}
	if active > 0 {
		d.w.kick()
		var err error
		if last, err = d.wait(ctx, parent, active, &failed); err != nil {
			if errors.Is(err, errStopped) {
				return d.overdue(ctx, parent)
			}
			return &ending{err: err, keepDisk: true}
		}
	}
	if err := d.w.failure(); err != nil {
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

// stride ends a super-step of one stage with a simple result that nobody hears of
// before the run stops: what settle and barrier would do comes to this. It says
// whether it did.
func (d *driver) stride(n int, res *Result, took time.Duration) bool {
	g, next := d.g, d.g.nodes[n].next
	if next == none || !g.simple || g != d.base || len(d.frontier) != 1 || len(d.pauses) > 0 || len(d.arrived) > 0 ||
		next != atEnd && d.row.Step+1 >= d.row.MaxSteps || !res.simple() {
		return false
	}
	values := slices.Clone(d.state.values)
	for i := range res.Patch {
		w := &res.Patch[i]
		slot, ok := g.slots[w.channel]
		switch {
		case !ok || w.channel.keyed:
			return false
		case w.channel.reduce != nil:
			values[slot] = w.channel.reduce(values[slot], w.value)
		default:
			values[slot] = w.value
		}
	}
	d.state = Snapshot{g, values}
	attempt := d.counts[n].attempts
	d.counts[n].attempts = 0
	d.counts[n].finished++
	if next == atEnd {
		d.frontier, d.row.Ended = d.frontier[:0], true
	} else {
		d.counts[next].attempts = 1
		d.frontier[0] = next
	}
	d.row.Step++
	if g.reply != nil {
		d.row.Output = d.state.value(g.reply).(string)
	}
	res.took = took
	d.memory.stride(d.place, d.at, n, next, d.row.Step, res, attempt)
	d.spend()
	return true
}

// simple says that a result is a patch and nothing else.
func (r *Result) simple() bool {
	return r.Pauses == nil && r.Events == nil && r.Mutations == nil && r.Do == nil && r.Reached == nil && r.Output == nil &&
		r.Again == "" && r.Goto == "" && r.Reason == "" && r.Usage == Usage{}
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
			last, err = d.settle(r.node, r.res, r.err, r.took, active == 0 && failed.err == nil && grace == nil)
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

// ready waits until all is on disk that has to be before the stages start: the
// run's admission, and for those that act all that precedes them.
func (d *driver) ready(ctx context.Context, nodes []int) error {
	acts := false
	if len(nodes) == 1 {
		acts = d.g.nodes[nodes[0]].stage.Acts
	}
	if d.admitted && !acts {
		return nil
	}
	if err := d.w.flush(ctx); err != nil {
		return err
	}
	d.admit()
	return nil
}

// launch starts stages that may wait for something on goroutines of their own,
// those that act after all that precedes them is on disk.
func (d *driver) launch(ctx context.Context, nodes []int) error {
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
				r := result{node: n, res: new(Result)}
				r.err = d.run(ctx, t, n, r.res)
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

// header is the row without what is kept by node; it never changes.
func (d *driver) header() *Run {
	if d.view == nil {
		row := d.row
		row.Attempts, row.Finished, row.Visits, row.Marks, row.Arrived, row.Led, row.Frontier, row.Path = nil, nil, nil, nil, nil, nil, nil, nil
		d.view = &row
	}
	return d.view
}

// task makes what the stage gets to see.
func (d *driver) task(n int) *Task {
	node, c := &d.g.nodes[n], &d.counts[n]
	t := &Task{State: d.state, Run: d.header(), Stage: node.id, Attempt: c.attempts, Finished: c.finished, Live: d.live, Flags: node.stage.Flags,
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
func (d *driver) run(ctx context.Context, t *Task, n int, res *Result) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			*res, err = Result{}, fmt.Errorf("graph: stage %q panicked: %v", t.Stage, caught)
		}
	}()
	if node := &t.g.nodes[n]; node.plain {
		*res, err = node.stage.Run(ctx, t)
	} else {
		*res, err = t.visit(ctx)
	}
	return err
}

// settle makes one finished branch durable. The last one of a super-step is
// returned instead, to go into the barrier's transaction.
func (d *driver) settle(n int, res *Result, err error, took time.Duration, last bool) (*Commit, error) {
	node := &d.g.nodes[n]
	id := node.id
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
		e.Error, e.Attempt = cut(err.Error(), textRoom), d.counts[n].attempts
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
		e.Attempt, e.Reason = d.counts[n].attempts, res.Reason
		res.took = took
		e.body = res
		if res.cached {
			e.Status = "cached"
		} else if res.Again != "" {
			e.Status = "again"
		}
		c.Events = append(c.Events, e)
	}
	d.done[n] = res
	if !d.x.volatile {
		c.Add = []Pending{d.pending(id, res, writes)}
	}
	if last && len(d.openPauses()) == 0 && d.reached == nil {
		return c, nil
	}
	d.w.lazy(c)
	return nil, nil
}
