package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
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
		if !d.g.Nodes[n].Quick {
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
			return d.limited(graph.LimitTime, int(d.row.Limits.Time/time.Second), nil)
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
		if !d.g.Nodes[n].Quick && !alone {
			continue
		}
		here--
		res := &d.only
		if len(d.frontier) == 1 && !alone {
			*res = visited{}
		} else {
			res = new(visited)
		}
		t := d.task(n)
		d.where.Store(inStage)
		err := d.run(ctx, t, res)
		if !d.where.CompareAndSwap(inStage, working) {
			return gone
		}
		d.at = d.x.now()
		took := d.at.Sub(began)
		began = d.at
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
		return d.limited(graph.LimitTime, int(d.row.Limits.Time/time.Second), last)
	case failed.err != nil:
		return d.failure(d.g.Nodes[failed.node].ID, failed.err)
	}
	return d.barrier(last)
}

// errStopped says that the stages did not end in time after a stop.
var errStopped = errors.New("run: stopped")

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
		acts = d.g.Nodes[nodes[0]].Stage.Acts
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
	if d.results == nil || cap(d.results) < len(d.g.Nodes) {
		d.results = make(chan result, len(d.g.Nodes))
	}
	for _, acting := range []bool{false, true} {
		flushed := false
		for _, n := range nodes {
			if node := &d.g.Nodes[n]; node.Quick || node.Stage.Acts != acting {
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
				r := result{node: n, res: new(visited)}
				r.err = d.run(ctx, t, r.res)
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
		if !d.g.Nodes[n].Quick {
			return false
		}
	}
	return true
}

// header is what stages see of the row; it never changes.
func (d *driver) header() *graph.Header {
	if d.view == nil {
		r := &d.row
		d.view = &graph.Header{ID: r.ID, Session: r.Session, Turn: r.Turn, Agent: r.Agent, Input: r.Input, Model: r.Model, Practice: r.Practice, Vars: r.Vars,
			StartedAt: r.StartedAt, Step: r.Step, MaxSteps: r.MaxSteps, Limits: r.Limits, Used: r.Used, Mutations: r.Mutations, Errors: r.Errors}
	}
	return d.view
}

// task makes what the stage gets to see.
func (d *driver) task(n int) *start {
	node, c := &d.g.Nodes[n], &d.counts[n]
	t := &start{Task: graph.Task{State: d.state, Run: d.header(), Stage: node.ID, Attempt: c.attempts, Finished: c.finished, Live: d.live, Flags: node.Stage.Flags,
		Light: node.Stage.Flags.Has(graph.Lightweight), Round: c.round, Graph: d.g, Node: node, Host: d}, d: d, mark: c.mark}
	if c.round == 0 && node.Stage.Flags.Has(graph.NoHistory) {
		c.mark = d.g.Spec().History.Len(d.state)
		t.mark = c.mark
	}
	for _, p := range d.pauses {
		if p.Stage == node.ID && p.Answer != nil {
			if t.Answers == nil {
				t.Answers = map[string]json.RawMessage{}
			}
			t.Answers[p.ID] = p.Answer
		}
	}
	if node.Stage.Flags.Has(graph.SkipOnError) {
		for _, from := range d.led[n] {
			if e, ok := d.row.Errors[d.g.Nodes[from].ID]; ok {
				t.before, t.beforeError = d.g.Nodes[from].ID, e
			}
		}
	}
	return t
}

// run runs a stage; a panic is an error of the stage.
func (d *driver) run(ctx context.Context, t *start, res *visited) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			*res, err = visited{}, fmt.Errorf("run: stage %q panicked: %v", t.Stage, caught)
		}
	}()
	if t.Node.Plain {
		res.Result, err = t.Node.Stage.Run(ctx, &t.Task)
	} else {
		*res, err = t.visit(ctx)
	}
	return err
}

// settle makes one finished branch durable. The last one of a super-step is
// returned instead, to go into the barrier's transaction.
func (d *driver) settle(n int, res *visited, err error, took time.Duration, last bool) (*Commit, error) {
	node := &d.g.Nodes[n]
	id := node.ID
	var writes []graph.ChannelValue
	if err == nil {
		writes, err = d.g.EncodePatch(res.Patch)
	}
	if err == nil && len(res.Pauses) > 0 {
		err = d.checkPauses(id, res)
	}
	if err == nil && res.Reached != nil {
		d.reached = res.Reached
		return nil, nil
	}
	passed := err != nil && d.g.Spec().Tolerant && !node.Stage.Flags.Has(graph.Critical) && !errors.Is(err, context.Canceled)
	if err != nil {
		// Nothing of a failed stage is kept but the word that it failed.
		kind := journal.StageFailed
		if errors.Is(err, context.Canceled) {
			kind = journal.StageSkipped
		}
		e := d.event(kind, id)
		e.Error, e.Attempt = journal.Cut(err.Error(), journal.TextRoom), d.counts[n].attempts
		if kind == journal.StageSkipped {
			e.Error, e.Reason = "", "stopped before it was finished"
		}
		if !passed {
			c := d.commit()
			c.Events = append(d.room(1), e)
			d.w.put(c, nil)
			return nil, err
		}
		// The run goes on without a result.
		*res = visited{failed: err, Result: graph.Result{Events: []journal.Event{e}, Usage: res.Usage}}
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
		e := d.event(journal.StageSkipped, id)
		e.Reason = res.skipped
		c.Events = append(c.Events, e)
	default:
		e := d.event(journal.StageCompleted, id)
		e.Attempt, e.Reason = d.counts[n].attempts, res.Reason
		res.took = took
		e = e.With(completion{took, res.Patch})
		if res.cached {
			e.Status = string(journal.Cached)
		} else if res.Again != "" {
			e.Status = string(journal.Again)
		}
		c.Events = append(c.Events, e)
	}
	d.done[n] = res
	c.Add = []Pending{d.pending(id, res, writes)}
	if last && len(d.openPauses()) == 0 && d.reached == nil {
		return c, nil
	}
	d.w.lazy(c)
	return nil, nil
}
