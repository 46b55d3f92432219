package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// worst remembers the failure of the first stage in spec order.
type worst struct {
	stage int
	err   error
}

func (w *worst) add(stage int, err error) {
	if w.err == nil || stage < w.stage {
		w.stage, w.err = stage, err
	}
}

// step runs what is left of the super-step. nil means that the next one is due.
func (d *driver) step(parent context.Context) *ending {
	if parent.Err() != nil {
		return d.cancelled() // nothing starts any more
	}
	todo := d.todo()
	waiting := 0 // stages on goroutines of their own
	for _, n := range todo {
		if !d.g.Stages[n].Quick {
			waiting++
		}
	}
	if waiting > 0 {
		if err := d.spawn(todo); err != nil {
			switch {
			case parent.Err() != nil:
				return d.cancelled()
			case context.Cause(d.ctx) == errTime:
				return d.timedOut()
			}
			return &ending{err: err, keepDisk: true}
		}
	}
	var failed worst
	if waiting < len(todo) {
		d.inline(todo, &failed)
		if waiting > 0 {
			d.push(true) // what is over is said to be while the others are waited for
		}
	}
	if waiting > 0 {
		if err := d.wait(parent, waiting, &failed); err != nil {
			if errors.Is(err, errStopped) {
				return d.overdue(parent)
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
		return d.cancelled()
	case len(d.pauses) > 0 && len(d.openPauses()) > 0:
		return d.paused()
	case d.reached != nil:
		r := *d.reached
		d.reached = nil
		return d.limited(r.Name, r.Max, d.reachedAt)
	case failed.err != nil && context.Cause(d.ctx) == errTime && errors.Is(failed.err, context.Canceled):
		return d.timedOut()
	case failed.err != nil:
		if tell := d.g.Spec().Failed; tell != nil {
			// What it cannot tell is left out: the run ends all the same.
			_ = guarded(func() error { tell(&d.task(failed.stage).Task, failed.err); return nil })
		}
		return d.failure(d.g.Stages[failed.stage].ID, failed.err)
	}
	return d.barrier()
}

// inline runs the stages that only compute, one after the other.
func (d *driver) inline(todo []int, failed *worst) {
	d.slab = slices.Grow(d.slab[:0], len(todo))
	began := d.at
	for _, n := range todo {
		if !d.g.Stages[n].Quick {
			continue
		}
		d.slab = d.slab[:len(d.slab)+1]
		res := &d.slab[len(d.slab)-1]
		*res = visited{}
		t := d.task(n)
		d.inside(&t.Task)
		err := d.run(d.ctx, t, res)
		d.inside(nil)
		if err == nil && res.Do == nil {
			d.spare = t // nothing of the stage is left to use it
		}
		d.at = d.x.now()
		took := d.at.Sub(began)
		began = d.at
		if err := d.settle(n, res, err, took); err != nil {
			failed.add(n, err)
		}
	}
}

// errStopped says that the stages did not end in time after a stop.
var errStopped = errors.New("run: stopped")

// wait takes the results of the stages that run on goroutines of their own. Each is
// on its way to the disk before the next is waited for; the last goes with the barrier.
func (d *driver) wait(parent context.Context, waiting int, failed *worst) error {
	var grace <-chan time.Time
	stop, late := parent.Done(), d.ctx.Done()
	if stop != nil || d.row.Limits.Time == 0 {
		late = nil
	}
	hurry := func() {
		stop, late = nil, nil
		timer := time.NewTimer(d.x.grace)
		grace = timer.C
	}
	for waiting > 0 {
		select {
		case r := <-d.results:
			waiting--
			d.free = d.free || r.byHand
			d.at = d.x.now()
			if err := d.settle(r.stage, r.res, r.err, r.took); err != nil {
				failed.add(r.stage, err)
			}
			if waiting > 0 {
				d.push(true)
			}
		case err := <-d.lost:
			return err
		case <-stop:
			hurry()
		case <-late:
			hurry()
		case <-grace:
			return errStopped
		}
	}
	return nil
}

// spawn starts the stages that may wait for something, on goroutines of their own:
// those that act after all that precedes them is on disk, all after the admission is.
func (d *driver) spawn(stages []int) error {
	if d.results == nil || cap(d.results) < len(d.g.Stages) {
		d.results = make(chan result, len(d.g.Stages))
	}
	d.listen()
	if err := d.w.failure(); err != nil {
		return err
	}
	ctx := d.ctx
	acts, others := false, false
	for _, n := range stages {
		if compiled := &d.g.Stages[n]; !compiled.Quick {
			acts, others = acts || compiled.Stage.SideEffects, others || !compiled.Stage.SideEffects
		}
	}
	if !d.told || acts && !others {
		if err := d.flush(ctx); err != nil {
			return err
		}
	} else {
		d.push(true)
	}
	for _, acting := range []bool{false, true} {
		if acting && acts && others {
			if err := d.flush(ctx); err != nil {
				return err
			}
		}
		for _, n := range stages {
			if compiled := &d.g.Stages[n]; compiled.Quick || compiled.Stage.SideEffects != acting {
				continue
			}
			j := job{stage: n, task: d.task(n), began: d.x.now(), results: d.results}
			if d.hand == nil {
				d.hand, d.free = make(chan job, 1), true
				go d.handle(ctx, d.hand)
			}
			if d.free {
				d.free, j.byHand = false, true
				d.hand <- j
			} else {
				go d.do(ctx, j)
			}
		}
	}
	return nil
}

// job is a start of a stage on another goroutine than the owner's.
type job struct {
	stage   int
	task    *start
	began   time.Time
	byHand  bool
	results chan<- result
}

func (d *driver) do(ctx context.Context, j job) {
	r := result{stage: j.stage, byHand: j.byHand, res: new(visited)}
	r.err = d.run(ctx, j.task, r.res)
	r.took = d.x.now().Sub(j.began)
	j.results <- r
}

// handle is the run's hand: it goes on from stage to stage, on a stack that has grown once.
func (d *driver) handle(ctx context.Context, jobs <-chan job) {
	for j := range jobs {
		d.do(ctx, j)
	}
}

// listen makes the owner hear of it when the store fails from here on, and gives the stages a
// context that ends then. Those that only compute need neither: a run of such stages has none.
func (d *driver) listen() {
	if d.stop != nil {
		return
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	d.mu.Lock()
	d.ctx, d.stop, d.lost = ctx, stop, make(chan error, 1)
	d.mu.Unlock()
}

// admit says, once, that the run is on disk.
func (d *driver) admit() {
	if !d.told && d.admitted != nil {
		d.admitted()
	}
	d.told = true
}

// header is what stages see of the row; it never changes.
func (d *driver) header() *graph.Header {
	if d.view == nil {
		r := d.row
		if d.view = &d.first.view; d.view.ID != "" {
			d.view = new(graph.Header) // stages hold the one before
		}
		*d.view = graph.Header{ID: r.ID, Session: r.Session, Turn: r.Turn, Agent: r.Agent, Input: r.Input, Model: r.Model, Practice: r.Practice, Vars: r.Vars,
			StartedAt: r.StartedAt, Step: r.Step, MaxSteps: r.MaxSteps, Limits: r.Limits, Used: r.Used, Mutations: r.Mutations, Errors: r.Errors}
	}
	return d.view
}

// task makes what the stage gets to see.
func (d *driver) task(n int) *start {
	compiled, c := &d.g.Stages[n], &d.counts[n]
	t := d.spare
	if d.spare = nil; t == nil {
		t = new(start)
	}
	*t = start{d: d, mark: c.mark}
	t.State, t.Run, t.Stage, t.Attempt, t.Finished, t.Dependencies, t.Flags = d.g.InScope(d.state, n), d.header(), compiled.ID, c.attempts, c.finished, d.deps, compiled.Stage.Flags
	t.Light, t.Round, t.Graph, t.Compiled, t.Host = compiled.Stage.Flags.Has(graph.Lightweight), c.round, d.g, compiled, d
	if c.round == 0 && compiled.Stage.Flags.Has(graph.NoHistory) {
		c.mark = d.g.Spec().History.Len(d.state)
		t.mark = c.mark
	}
	if compiled.Stage.Flags.Has(graph.Cacheable) {
		for i := range d.counts {
			if d.g.Stages[i].Stage.SideEffects {
				t.acted += d.counts[i].finished
			}
		}
	}
	if len(d.pauses) > 0 {
		t.Answers = d.answers(compiled.ID)
	}
	if compiled.Stage.Hears || compiled.Stage.Flags.Has(graph.SkipOnError) {
		all := false
		if t.Before, t.BeforeError, all = d.failedBefore(n); compiled.Stage.Hears && !all {
			t.Before, t.BeforeError = "", ""
		}
	}
	return t
}

// answers are those to what a stage asked; nil for none.
func (d *driver) answers(id graph.StageID) (given map[string]json.RawMessage) {
	for _, p := range d.pauses {
		if p.Stage == id && p.Answer != nil {
			if given == nil {
				given = map[string]json.RawMessage{}
			}
			given[p.ID] = p.Answer
		}
	}
	return given
}

// failedBefore names a predecessor of stage n that failed; all says that every one did.
func (d *driver) failedBefore(n int) (id graph.StageID, why string, all bool) {
	all = true
	for _, from := range d.predecessors[n] {
		e, ok := d.row.Errors[d.g.Stages[from].ID]
		if ok {
			id, why = d.g.Stages[from].ID, e
		}
		all = all && ok
	}
	return id, why, all && id != ""
}

// run runs a stage; a panic is an error of the stage.
func (d *driver) run(ctx context.Context, t *start, res *visited) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = res.panicked(t.Stage, caught)
		}
	}()
	if t.Compiled.Plain {
		if res.Result, err = t.Compiled.Stage.Run(ctx, &t.Task); d.waiting.Load() {
			res.Result, err = t.held(ctx, res.Result, err)
		}
	} else {
		err = t.visitInto(ctx, res)
	}
	return err
}

// visitInto is visit for run, whose own stack stays small: ten thousand runs that only
// compute have one each.
//
//go:noinline
func (t *start) visitInto(ctx context.Context, res *visited) (err error) {
	*res, err = t.visit(ctx)
	return err
}

func (r *visited) panicked(id graph.StageID, caught any) error {
	*r = visited{}
	return fmt.Errorf("run: stage %q panicked: %v", id, caught)
}

// settle takes the result of a stage into the next commit.
func (d *driver) settle(n int, res *visited, err error, took time.Duration) error {
	compiled := &d.g.Stages[n]
	id := compiled.ID
	if d.spends.Load() {
		res.Usage = res.Usage.Plus(d.takeUsed(id))
	}
	if err == nil {
		res.Patch = compiled.Placed(res.Patch)
		res.writes, err = d.enc.Patch(d.g, res.Patch)
	}
	if err == nil && len(res.Pauses) > 0 {
		err = d.checkPauses(id, res)
	}
	if err == nil && res.Reached != nil {
		d.reached, d.reachedAt = res.Reached, id
		d.use(res)
		return nil
	}
	if err != nil {
		return d.broken(n, res, err)
	}
	if len(res.Events) > 0 {
		d.sayOf(id, res.Events)
	}
	if len(res.Pauses) > 0 {
		d.use(res)
		d.pause(id, res.Pauses)
		return d.also(res.Do)
	}
	if res.skipped != "" {
		d.saySkipped(id, res.skipped)
	} else {
		res.took = took
		status := plainly
		switch {
		case res.cached:
			status = fromCache
		case res.Reenter != "":
			status = goesOn
		}
		d.finished(n, res, status)
	}
	d.done[n] = res
	return d.also(res.Do)
}

// broken settles a stage that failed: nothing of it is kept but the word that it did.
func (d *driver) broken(n int, res *visited, err error) error {
	d.say(d.broke(n, err))
	// A safety edge comes before all that says where a run ends.
	critical := d.g.Stages[n].Stage.Flags.Has(graph.Critical) && !d.ledToSafety(n, err)
	if !d.g.Spec().Tolerant || critical || errors.Is(err, context.Canceled) {
		d.use(res)
		return err
	}
	// The run goes on without a result.
	*res = visited{failed: err, Result: graph.Result{Usage: res.Usage}}
	d.done[n] = res
	return nil
}

// ledToSafety says whether a safety edge is taken once the stage has failed.
func (d *driver) ledToSafety(n int, err error) bool {
	compiled := &d.g.Stages[n]
	if len(compiled.Safety) == 0 {
		return false
	}
	before := d.state
	defer func() { d.state, d.counts[n].finished = before, d.counts[n].finished-1 }()
	d.counts[n].finished++
	state, failed := d.state.With(d.g.Fail(n, failureOf(compiled.ID, &visited{failed: err})))
	if failed != nil {
		return false
	}
	d.state = state
	return len(d.conditional(n, compiled.Safety, nil)) > 0
}

// sayOf tells what a stage tells.
func (d *driver) sayOf(id graph.StageID, events []journal.Event) {
	for _, e := range events {
		if e.Stage == "" {
			e.Stage = id
		}
		d.stamp(&e)
		d.say(e)
	}
}

func (d *driver) saySkipped(id graph.StageID, why string) {
	e := d.event(journal.StageSkipped, id)
	e.Reason = why
	d.say(e)
}

// broke is the event of a stage that failed or was stopped.
func (d *driver) broke(n int, err error) journal.Event {
	e := d.event(journal.StageFailed, d.g.Stages[n].ID)
	e.Attempt = d.counts[n].attempts
	if errors.Is(err, context.Canceled) {
		e.Kind, e.Reason = journal.StageSkipped, "stopped before it was finished"
	} else {
		e.Error = journal.Cut(err.Error(), journal.TextRoom)
		e = ofKind(e, err)
	}
	return e
}

func (d *driver) finished(n int, res *visited, status uint8) {
	if res.Reason == "" {
		d.noteCompletion(n, status, res.took, res.writes)
		return
	}
	d.sayCompletion(n, res, status)
}

// sayCompletion is finished for a stage that says why it goes on as it does.
func (d *driver) sayCompletion(n int, res *visited, status uint8) {
	e := d.event(journal.StageCompleted, d.g.Stages[n].ID)
	e.Attempt, e.Reason, e.Status = d.counts[n].attempts, res.Reason, statuses[status]
	e.Data = appendCompletion(nil, res.took.Milliseconds(), res.writes)
	d.say(e)
}

// also makes the next commit run what a stage wants changed with its result.
func (d *driver) also(do graph.Change) error {
	if do == nil {
		return nil
	}
	c := d.next()
	if before := c.Do; before != nil {
		c.Do = func(tx graph.Tx, tell graph.Tell) error {
			if err := before(tx, tell); err != nil {
				return err
			}
			return do(tx, tell)
		}
		return nil
	}
	c.Do = do
	return nil
}
