package graph

import (
	"fmt"
	"maps"
	"slices"
)

// barrier ends a super-step: patches apply in spec order, the graph's changes
// are made, routes are taken, the next frontier is entered; all of it in one
// transaction with last, the result that completed the step.
func (d *driver) barrier(last *Commit) *ending {
	c := last
	if c == nil {
		c = d.commit()
	}
	finished := append(d.finishedList[:0], d.frontier...)
	d.finishedList = finished
	if len(finished) == 0 {
		return d.failure(d.row.ErrorStage, ErrStuck)
	}
	before := d.save()
	w := &d.walk
	mark := len(c.Events)
	*w = walk{d: d, at: finished[0], next: w.next[:0], events: c.Events, mark: mark}
	touched, patch, err := d.apply(w, finished)
	var set []ChannelValue
	if err == nil {
		set, err = d.encodeSlots(touched, patch)
	}
	if err == nil && d.g.spec.Grow != nil {
		finished = d.mutate(w, finished)
	}
	var next []int
	if err == nil {
		next, err = w.advance(finished)
	}
	if err != nil {
		// Nothing was applied: the results stay pending, the last one too.
		e := d.failure(d.g.nodes[w.at].id, err)
		d.restore(before)
		if e.commit = last; last != nil {
			last.Events = last.Events[:mark]
		}
		return e
	}
	c.Set, c.Add, c.Clear = set, nil, true
	for pid, p := range d.pauses {
		if slices.Contains(finished, d.g.index[p.Stage]) {
			c.Unask = append(c.Unask, pid)
			delete(d.pauses, pid)
		}
	}
	clear(d.done)
	d.row.Step++
	if d.row.Limits.Cycle > 0 {
		d.trail(finished)
	}
	d.leave(finished)
	c.Events, w.events = w.events, nil
	cp := d.event(CheckpointSaved, "")
	cp.body = step(d.row.Step)
	c.Events = append(c.Events, cp)
	if d.g.reply != nil {
		d.row.Output = d.state.value(d.g.reply).(string)
	}
	switch {
	case len(next) == 0 && !d.row.Ended:
		// What ran is done and stays done: a resume finds nothing to run and says so.
		d.frontier, d.arrived = d.frontier[:0], nil
		e := d.failure(d.g.nodes[finished[0]].id, ErrStuck)
		e.commit = c
		return e
	case len(next) == 0:
		d.frontier, d.arrived = d.frontier[:0], nil
		return d.completed(c)
	}
	if name, limit := d.spentUp(next); name != "" {
		for _, e := range d.enter(next, nil) {
			// A resume starts the stages themselves, but not the nested graphs around them.
			if d.g.nodes[d.g.index[e.Stage]].stage.Graph != nil {
				c.Events = append(c.Events, e)
			}
		}
		return d.limited(name, limit, c)
	}
	c.Events = d.enter(next, c.Events)
	if !d.x.volatile {
		c.Row = d.rowPtr()
	}
	if d.g.watches {
		d.view = nil
	}
	d.w.lazy(c)
	return nil
}

// completed ends a run that came to its end.
func (d *driver) completed(c *Commit) *ending {
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	done := Event{Kind: TurnCompleted, Text: d.row.Output, At: d.at}
	done.body = steps(d.row.Step)
	d.ended = ending{status: Completed, commit: c, event: done}
	return &d.ended
}

// undo is what a barrier that fails puts back.
type undo struct {
	state   Snapshot
	g       *Graph
	row     Run
	arrived map[int]map[int]bool
	led     map[int][]int
	done    []*Result
}

func (d *driver) save() undo {
	b := undo{state: d.state, g: d.g, row: d.row, done: d.done}
	d.countsBefore = append(d.countsBefore[:0], d.counts...)
	if len(d.arrived) > 0 {
		b.arrived = make(map[int]map[int]bool, len(d.arrived))
		for to, from := range d.arrived {
			b.arrived[to] = maps.Clone(from)
		}
	}
	if len(d.led) > 0 {
		b.led = maps.Clone(d.led)
	}
	return b
}

func (d *driver) restore(b undo) {
	d.state, d.g, d.row, d.arrived, d.led, d.done = b.state, b.g, b.row, b.arrived, b.led, b.done
	d.counts = slices.Clone(d.countsBefore)
}

// apply folds the patches into the state, in spec order.
func (d *driver) apply(w *walk, finished []int) (touched []int, patch []Write, err error) {
	state := d.state
	if len(finished) == 1 {
		w.at = finished[0]
		res := d.done[w.at]
		d.row.Used.Tokens, d.row.Used.Cost = d.row.Used.Tokens+res.Usage.Tokens, d.row.Used.Cost+res.Usage.Cost
		d.state, touched, err = state.with(res.Patch, d.slots[:0])
		d.slots = touched
		if err != nil {
			d.state = state
			err = fmt.Errorf("stage %q: %w", d.g.nodes[w.at].id, err)
		}
		return touched, res.Patch, err
	}
	type slot struct {
		i   int
		key string
	}
	writer := map[slot]int{}
	for _, n := range finished {
		w.at = n
		res := d.done[n]
		d.row.Used.Tokens, d.row.Used.Cost = d.row.Used.Tokens+res.Usage.Tokens, d.row.Used.Cost+res.Usage.Cost
		for _, write := range res.Patch {
			i, ok := d.g.slots[write.channel]
			if !ok {
				return nil, nil, fmt.Errorf("stage %q: %w", d.g.nodes[n].id, d.g.declares(write))
			}
			s := slot{i, write.key}
			if other, ok := writer[s]; ok && other != n && write.channel.reduce == nil {
				name := write.channel.name
				if write.key != "" {
					name += "/" + write.key
				}
				return nil, nil, fmt.Errorf("%w: %q and %q both wrote %q; give it a reducer or write it in one of them",
					ErrConflict, d.g.nodes[other].id, d.g.nodes[n].id, name)
			}
			writer[s] = n
		}
		patch = append(patch, res.Patch...)
	}
	d.state, touched, err = state.with(patch, nil)
	if err != nil {
		d.state = state
	}
	return touched, patch, err
}

// leave ends the visits of the stages that were not entered again.
func (d *driver) leave(finished []int) {
	for _, n := range finished {
		c := &d.counts[n]
		if d.walk.again[n] {
			c.round++
			continue
		}
		c.round, c.mark = 0, 0
		if !d.g.nodes[n].plain && !d.g.nodes[n].stage.Flags.Has(Stateful) {
			d.forget(d.g.nodes[n].id)
		}
	}
}

// spentUp names the limit that the run has come to; "" while it may go on.
func (d *driver) spentUp(next []int) (name string, limit int) {
	l, u := &d.row.Limits, &d.row.Used
	switch {
	case d.row.Step >= d.row.MaxSteps:
		return LimitSteps, d.row.MaxSteps
	case l.Tokens > 0 && u.Tokens >= l.Tokens:
		return LimitTokens, l.Tokens
	case l.Cost > 0 && u.Cost >= l.Cost:
		return LimitCost, int(l.Cost)
	case l.Time > 0 && u.Time >= l.Time:
		return LimitTime, int(l.Time.Seconds())
	case l.Cycle > 0 && cycles(d.row.Path, l.Cycle):
		return LimitCycle, l.Cycle
	}
	if l.Node > 0 {
		for _, n := range next {
			if d.counts[n].finished >= l.Node {
				return LimitNode, l.Node
			}
		}
	}
	return "", 0
}

// pathRoom is how many stages of the path are kept, and so how long a cycle may be.
const pathRoom = 128

// trail remembers the stages that were left.
func (d *driver) trail(finished []int) {
	for _, n := range finished {
		if !d.walk.again[n] {
			d.row.Path = append(d.row.Path, d.g.nodes[n].id)
		}
	}
	if over := len(d.row.Path) - pathRoom; over > 0 {
		d.row.Path = slices.Clone(d.row.Path[over:])
	}
}

// cycles says that the path ends with the same sequence n times in a row.
func cycles(path []StageID, n int) bool {
	for size := 1; size*n <= len(path); size++ {
		tail := path[len(path)-size*n:]
		same := true
		for i := size; i < len(tail) && same; i++ {
			same = tail[i] == tail[i-size]
		}
		if same {
			return true
		}
	}
	return false
}

// walk is the working set of one advance.
type walk struct {
	d      *driver
	at     int // the stage in hand, to be named when it fails
	next   []int
	again  map[int]bool // nodes whose visit goes on
	events []Event      // of the commit
	mark   int          // where those of this walk begin
	err    error
}

// advance takes the routes of the finished stages and says what runs next.
func (w *walk) advance(finished []int) ([]int, error) {
	for _, n := range finished {
		delete(w.d.led, n)
	}
	for _, n := range finished {
		if w.leave(n, w.d.done[n]); w.err != nil {
			return nil, w.err
		}
	}
	for w.err == nil && (w.closeNested(finished) || w.fireJoins()) {
	}
	if w.err == nil && w.d.row.Limits.Node > 0 {
		w.stuck()
	}
	slices.Sort(w.next)
	return slices.Compact(w.next), w.err
}

// leave takes the routes out of a finished stage.
func (w *walk) leave(n int, res *Result) {
	d := w.d
	w.at = n
	id := d.g.nodes[n].id
	d.counts[n].finished++
	if res.failed != nil {
		// Stages hold the map as it was.
		d.row.Errors = maps.Clone(d.row.Errors)
		if d.row.Errors == nil {
			d.row.Errors = map[StageID]string{}
		}
		d.row.Errors[id] = cut(res.failed.Error(), memberRoom)
	} else if _, had := d.row.Errors[id]; had && res.Again == "" {
		d.row.Errors = maps.Clone(d.row.Errors)
		delete(d.row.Errors, id)
	}
	routes, err := d.resolve(n, res)
	if err != nil {
		w.err = err
		return
	}
	for i := range routes {
		r := &routes[i]
		e := d.event(Transition, "")
		e.From, e.To, e.Condition, e.Resolver, e.Reason = r.edge.From, r.edge.To, r.condition, r.resolver, cut(r.reason, memberRoom)
		w.events = append(w.events, e)
		if r.resolver == byAgain {
			if w.again == nil {
				w.again = map[int]bool{}
			}
			w.again[n] = true
		}
		switch {
		case r.to == atEnd:
			if d.g.nodes[n].parent < 0 {
				d.row.Ended = true
			}
		case len(d.g.nodes[r.to].inputs) > 0 && r.edge.Type == JoinInput:
			d.arrive(r.to, n)
			w.lead(r.to, n)
		default:
			w.next = append(w.next, r.to)
			w.lead(r.to, n)
		}
	}
}

// lead remembers who led to a stage, where somebody may ask.
func (w *walk) lead(to, from int) {
	if w.d.g.tracksLed && to != from {
		w.d.leads(to, from)
	}
}

// stuck leads stages that were entered too often to their error edge, or to the
// graph's own error stage. Where there is neither, the run comes to its limit.
func (w *walk) stuck() {
	d := w.d
	for i, n := range w.next {
		if d.counts[n].finished < d.row.Limits.Node {
			continue
		}
		node := &d.g.nodes[n]
		to, from := node.onError, node.id
		if to == none {
			if handler, ok := d.g.index[d.g.prefix(n)+errorStage]; ok && handler != n {
				to = handler
			}
		}
		if to == none || to != atEnd && d.counts[to].finished >= d.row.Limits.Node {
			continue
		}
		e := d.event(Transition, "")
		e.From, e.To, e.Resolver, e.Reason = from, d.g.prefix(n)+End, byError, fmt.Sprintf("%q was entered %d times", from, d.counts[n].finished)
		delete(w.again, n)
		if to == atEnd {
			w.next = slices.Delete(w.next, i, i+1)
			if node.parent < 0 {
				d.row.Ended = true
			}
			w.events = append(w.events, e)
			return
		}
		e.To = d.g.nodes[to].id
		w.events = append(w.events, e)
		w.next[i] = to
	}
}

// errorStage is the id of a stage that takes over from stages without an error edge.
const errorStage StageID = "__error__"

// inside says whether node n is the stage p or within it.
func (g *Graph) inside(n, p int) bool {
	for ; n >= 0; n = g.nodes[n].parent {
		if n == p {
			return true
		}
	}
	return false
}

// closeNested completes a stage whose inner graph has nothing left to run.
func (w *walk) closeNested(finished []int) bool {
	d := w.d
	if !d.g.nested {
		return false
	}
	// Innermost first: children stand behind their parents.
	for p := len(d.g.nodes) - 1; p >= 0; p-- {
		if d.g.nodes[p].stage.Graph == nil {
			continue
		}
		had := slices.ContainsFunc(finished, func(n int) bool { return n != p && d.g.inside(n, p) })
		busy := slices.ContainsFunc(w.next, func(n int) bool { return d.g.inside(n, p) })
		for to := range d.arrived {
			busy = busy || to != p && d.g.inside(to, p)
		}
		if !had || busy || slices.ContainsFunc(w.events[w.mark:], func(e Event) bool { return e.Kind == StageCompleted && e.Stage == d.g.nodes[p].id }) {
			continue
		}
		e := d.event(StageCompleted, d.g.nodes[p].id)
		e.Attempt = 1
		w.events = append(w.events, e)
		w.leave(p, &Result{})
		return true
	}
	return false
}

// fireJoins starts one join that has all it can get, and says whether it did. A
// join whose missing input may come from another waiting join waits for that one;
// only joins that wait for each other in a circle go ahead without.
func (w *walk) fireJoins() bool {
	if len(w.d.arrived) == 0 {
		return false
	}
	return w.fire(func(missing int, _, _ bool) bool { return missing == 0 }) ||
		w.fire(func(_ int, runs, waits bool) bool { return !runs && !waits }) ||
		len(w.next) == 0 && w.fire(func(_ int, runs, _ bool) bool { return !runs })
}

func (w *walk) fire(due func(missing int, runs, waits bool) bool) bool {
	d := w.d
	for _, n := range slices.Sorted(maps.Keys(d.arrived)) {
		got := d.arrived[n]
		missing, runs, waits := len(d.g.nodes[n].inputs)-len(got), false, false
		if missing > 0 {
			for _, in := range d.g.nodes[n].inputs {
				if !got[in] {
					runs, waits = runs || w.comes(in), waits || w.mayCome(in, n)
				}
			}
		}
		if !due(missing, runs, waits) {
			continue
		}
		delete(d.arrived, n)
		if missing == 0 || d.g.nodes[n].stage.Join == JoinReachable {
			w.next = append(w.next, n)
			return true
		}
		e := d.event(StageSkipped, d.g.nodes[n].id)
		e.Reason = "an input of this join can no longer come"
		w.events = append(w.events, e)
		return true
	}
	return false
}

// comes says whether node in can still complete, given what runs next.
func (w *walk) comes(in int) bool {
	g := w.d.g
	return slices.ContainsFunc(w.next, func(n int) bool { return g.inside(n, in) || g.inside(in, n) || g.nodes[n].reach[in] })
}

// mayCome says whether node in can still complete through another join that waits.
func (w *walk) mayCome(in, join int) bool {
	for n := range w.d.arrived {
		if n != join && (n == in || w.d.g.nodes[n].reach[in]) {
			return true
		}
	}
	return false
}
