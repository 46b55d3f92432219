package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// driver drives one run. Its goroutine alone touches row, state, done and
// pauses; stages get copies and the writer gets clones.
type driver struct {
	x    *Executor
	g    *Graph
	w    *writer
	live any

	row    Run
	state  Snapshot
	done   map[int]*Result // finished in this super-step
	pauses map[string]Pause

	results chan result
	broken  chan error
}

type result struct {
	node int
	res  Result
	err  error
	took time.Duration
}

func (x *Executor) newDriver(g *Graph, row Run, live any) *driver {
	d := &driver{x: x, g: g, row: row, live: live, done: map[int]*Result{}, pauses: map[string]Pause{},
		results: make(chan result, len(g.nodes)), broken: make(chan error, 1)}
	d.row.Arrived, d.row.Attempts, d.row.Finished = maps.Clone(row.Arrived), maps.Clone(row.Attempts), maps.Clone(row.Finished)
	d.state = Snapshot{g, make([]any, len(g.channels))}
	for i, c := range g.channels {
		d.state.values[i] = c.zero
	}
	d.w = newWriter(x.store, x.publish, func(err error) { d.broken <- err })
	return d
}

func (d *driver) stamp(e *Event) {
	if e.At.IsZero() {
		e.At = d.x.now()
	}
	e.Session, e.Turn = d.row.Session, d.row.Turn
}

func (d *driver) rowCopy() Run {
	r := d.row
	r.UpdatedAt = d.x.now()
	r.Frontier = slices.Clone(r.Frontier)
	r.Attempts, r.Finished = maps.Clone(r.Attempts), maps.Clone(r.Finished)
	if r.Arrived != nil {
		arrived := make(map[StageID][]StageID, len(r.Arrived))
		for k, v := range r.Arrived {
			arrived[k] = slices.Clone(v)
		}
		r.Arrived = arrived
	}
	return r
}

func (d *driver) rowPtr() *Run { r := d.rowCopy(); return &r }

func (d *driver) encodeSlots(slots []int) ([]ChannelValue, error) {
	out := make([]ChannelValue, 0, len(slots))
	for _, i := range slots {
		v, err := d.g.channels[i].encode(d.state.values[i])
		if err != nil {
			return nil, err
		}
		out = append(out, ChannelValue{Channel: d.g.channels[i].name, Value: v})
	}
	return out, nil
}

// enter puts stages on the frontier, opens nested graphs and returns the
// stage_started events.
func (d *driver) enter(nodes []int) []Event {
	var events []Event
	var leaves []int
	var open func(n int)
	open = func(n int) {
		if d.g.nodes[n].stage.Graph == nil {
			if !slices.Contains(leaves, n) {
				leaves = append(leaves, n)
			}
			return
		}
		e := Event{Kind: StageStarted, Stage: d.g.nodes[n].id, Attempt: 1}
		d.stamp(&e)
		events = append(events, e)
		for _, c := range d.g.nodes[n].entries {
			open(c)
		}
	}
	for _, n := range nodes {
		open(n)
	}
	slices.Sort(leaves)
	d.row.Frontier = make([]StageID, len(leaves))
	for i, n := range leaves {
		d.row.Frontier[i] = d.g.nodes[n].id
	}
	d.row.Attempts = nil
	return append(events, d.started(leaves)...)
}

func (d *driver) started(nodes []int) []Event {
	if d.row.Attempts == nil {
		d.row.Attempts = map[StageID]int{}
	}
	events := make([]Event, 0, len(nodes))
	for _, n := range nodes {
		id := d.g.nodes[n].id
		d.row.Attempts[id]++
		e := Event{Kind: StageStarted, Stage: id, Attempt: d.row.Attempts[id]}
		d.stamp(&e)
		events = append(events, e)
	}
	return events
}

// todo are the stages of the frontier that have neither a result nor an
// unanswered pause.
func (d *driver) todo() []int {
	var out []int
	for _, id := range d.row.Frontier {
		n := d.g.index[id]
		if d.done[n] == nil && !d.waits(id) {
			out = append(out, n)
		}
	}
	return out
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
		if id := d.g.nodes[n].id; (d.row.Finished[id] > 0 || d.done[n] != nil) && !slices.Contains(rerun, id) {
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

// drive runs super-steps until the run stops, for whatever reason. The events of
// the frontier's start have been put on disk or queued before.
func (d *driver) drive(parent context.Context) Outcome {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	for {
		end := d.step(ctx, parent)
		if end == nil {
			continue
		}
		if end.keepDisk {
			return d.outcome(end.err)
		}
		d.row.Status = end.status
		if end.err != nil {
			d.row.Error = cut(end.err.Error(), textRoom)
			d.row.ErrorStage = end.stage
		}
		c := end.commit
		if c == nil {
			c = &Commit{Run: d.row.ID, Fence: d.row.Fence}
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

// ending is how a run stops: its last event, in one transaction with its last commit.
type ending struct {
	status   Status
	stage    StageID
	err      error
	event    Event
	commit   *Commit
	keepDisk bool // the store failed: write nothing more
}

// step runs what is left of the super-step. nil means that the next one is due.
func (d *driver) step(ctx, parent context.Context) *ending {
	if parent.Err() != nil {
		return d.cancelled() // nothing starts any more
	}
	failed := map[int]error{}
	var last *Commit
	todo := d.todo()
	if err := d.launch(ctx, todo); err != nil {
		if parent.Err() != nil {
			return d.cancelled()
		}
		return &ending{err: err, keepDisk: true}
	}
	var grace <-chan time.Time
	stop := parent.Done()
	for active := len(todo); active > 0; {
		select {
		case r := <-d.results:
			active--
			var err error
			last, err = d.settle(r, active == 0 && len(failed) == 0 && grace == nil)
			if err != nil {
				failed[r.node] = err
			}
		case err := <-d.broken:
			return &ending{err: err, keepDisk: true}
		case <-stop:
			stop = nil
			timer := time.NewTimer(d.x.grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			return d.cancelled()
		}
	}
	switch {
	case parent.Err() != nil:
		if last != nil {
			// What was finished when the person stopped the turn is recorded.
			d.w.put(last, nil)
		}
		return d.cancelled()
	case len(d.openPauses()) > 0:
		e := d.paused()
		e.commit = last
		return e
	case len(failed) > 0:
		n := slices.Min(slices.Collect(maps.Keys(failed)))
		return d.failure(d.g.nodes[n].id, failed[n])
	}
	return d.barrier(last)
}

// launch starts stages; those that act wait for the disk.
func (d *driver) launch(ctx context.Context, nodes []int) error {
	for _, acting := range []bool{false, true} {
		flushed := false
		for _, n := range nodes {
			if d.g.nodes[n].stage.Acts != acting {
				continue
			}
			if acting && !flushed {
				if err := d.w.flush(ctx); err != nil {
					return err
				}
				flushed = true
			}
			d.start(ctx, n)
		}
	}
	return nil
}

func (d *driver) start(ctx context.Context, n int) {
	id := d.g.nodes[n].id
	t := &Task{State: d.state, Run: d.rowCopy(), Stage: id, Attempt: d.row.Attempts[id], Live: d.live, d: d, answers: map[string]json.RawMessage{}, memo: &memo{}}
	for _, p := range d.pauses {
		if p.Stage == id && p.Answer != nil {
			t.answers[p.ID] = p.Answer
		}
	}
	run, began := d.g.nodes[n].stage.Run, d.x.now()
	go func() {
		var r result
		if caught := panics.Try(func() { r.res, r.err = run(ctx, t) }); caught != nil {
			r.err = fmt.Errorf("graph: stage %q panicked: %v", id, caught.Value)
		}
		r.node, r.took = n, d.x.now().Sub(began)
		d.results <- r
	}()
}

// settle makes one finished branch durable. The last one of a super-step is
// returned instead, to go into the barrier's transaction.
func (d *driver) settle(r result, last bool) (*Commit, error) {
	id := d.g.nodes[r.node].id
	c := &Commit{Run: d.row.ID, Fence: d.row.Fence, Do: r.res.Do, Events: r.res.Events}
	err := r.err
	var writes []ChannelValue
	if err == nil {
		writes, err = d.g.encodePatch(r.res.Patch)
	}
	if err == nil && len(r.res.Pauses) > 0 {
		err = d.checkPauses(id, r.res)
	}
	if err != nil {
		// Nothing of a failed stage is kept but the word that it failed.
		kind := StageFailed
		if errors.Is(err, context.Canceled) {
			kind = StageSkipped
		}
		e := Event{Kind: kind, Stage: id, Error: cut(err.Error(), textRoom), Attempt: d.row.Attempts[id]}
		if kind == StageSkipped {
			e.Error, e.Reason = "", "stopped before it was finished"
		}
		d.stamp(&e)
		d.w.put(&Commit{Run: d.row.ID, Fence: d.row.Fence, Events: []Event{e}}, nil)
		return nil, err
	}
	for i := range c.Events {
		if c.Events[i].Stage == "" {
			c.Events[i].Stage = id
		}
		d.stamp(&c.Events[i])
	}
	if len(r.res.Pauses) > 0 {
		d.pause(id, r.res.Pauses, c)
		if last {
			return c, nil // the turn's pause goes into the same transaction
		}
		d.w.put(c, nil)
		return nil, nil
	}
	patch := make(map[string]json.RawMessage, len(writes))
	for _, w := range writes {
		patch[w.Channel] = w.Value
	}
	e := Event{Kind: StageCompleted, Stage: id, Attempt: d.row.Attempts[id], Reason: r.res.Reason,
		Data: raw(map[string]any{"ms": r.took.Milliseconds(), "patch": patch})}
	d.stamp(&e)
	c.Events = append(c.Events, e)
	d.done[r.node] = &r.res
	c.Add = []Pending{{Stage: id, Writes: writes, Goto: r.res.Goto, Reason: r.res.Reason}}
	if last && len(d.openPauses()) == 0 {
		return c, nil
	}
	d.w.put(c, nil)
	return nil, nil
}

// checkPauses sees to it that an answer can only mean one question.
func (d *driver) checkPauses(id StageID, res Result) error {
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
	e := Event{Kind: StagePaused, Stage: id, Data: raw(map[string]any{"pauses": brief(asked)})}
	d.stamp(&e)
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

func (d *driver) cancelled() *ending {
	c := &Commit{Run: d.row.ID, Fence: d.row.Fence, Clear: true, Do: closeCalls(d.row, d.x.now(), "the turn was stopped")}
	for pid := range d.pauses {
		c.Unask = append(c.Unask, pid)
	}
	d.pauses = map[string]Pause{}
	return &ending{status: Cancelled, commit: c, event: Event{Kind: TurnCancelled}}
}
