package run

import (
	"fmt"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
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
	var set []graph.ChannelValue
	if err == nil {
		set, err = d.state.Encode(touched, patch)
	}
	if err == nil && d.g.Spec().Grow != nil {
		finished = d.mutate(w, finished)
	}
	var next []int
	if err == nil {
		next, err = w.advance(finished)
	}
	if err != nil {
		// Nothing was applied: the results stay pending, the last one too.
		e := d.failure(d.g.Nodes[w.at].ID, err)
		d.restore(before)
		if e.commit = last; last != nil {
			last.Events = last.Events[:mark]
		}
		return e
	}
	c.Set, c.Add, c.Clear = set, nil, true
	for pid, p := range d.pauses {
		if slices.Contains(finished, d.g.Index[p.Stage]) {
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
	cp := d.event(journal.CheckpointSaved, "")
	cp = cp.With(journal.CheckpointSavedData{Step: d.row.Step})
	c.Events = append(c.Events, cp)
	if text, ok := d.g.Reply(d.state); ok {
		d.row.Output = text
	}
	switch {
	case len(next) == 0 && !d.row.Ended:
		// What ran is done and stays done: a resume finds nothing to run and says so.
		d.frontier, d.arrived = d.frontier[:0], nil
		e := d.failure(d.g.Nodes[finished[0]].ID, ErrStuck)
		e.commit = c
		return e
	case len(next) == 0:
		d.frontier, d.arrived = d.frontier[:0], nil
		return d.completed(c)
	}
	if name, limit := d.spentUp(next); name != "" {
		for _, e := range d.enter(next, nil) {
			// A resume starts the stages themselves, but not the nested graphs around them.
			if d.g.Nodes[d.g.Index[e.Stage]].Stage.Graph != nil {
				c.Events = append(c.Events, e)
			}
		}
		return d.limited(name, limit, c)
	}
	c.Events = d.enter(next, c.Events)
	c.Row = d.rowPtr()
	if d.g.Watches {
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
	done := journal.Event{Kind: journal.TurnCompleted, Text: d.row.Output, At: d.at}
	done = done.With(journal.TurnCompletedData{Steps: d.row.Step})
	d.ended = ending{status: Completed, commit: c, event: done}
	return &d.ended
}

// undo is what a barrier that fails puts back.
type undo struct {
	state   graph.Snapshot
	g       *graph.Graph
	row     Run
	arrived map[int]map[int]bool
	led     map[int][]int
	done    []*visited
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
func (d *driver) apply(w *walk, finished []int) (touched []int, patch []graph.Write, err error) {
	state := d.state
	if len(finished) == 1 {
		w.at = finished[0]
		res := d.done[w.at]
		d.row.Used.Tokens, d.row.Used.Cost = d.row.Used.Tokens+res.Usage.Tokens, d.row.Used.Cost+res.Usage.Cost
		d.state, touched, err = state.With(res.Patch, d.slots[:0])
		d.slots = touched
		if err != nil {
			d.state = state
			err = fmt.Errorf("stage %q: %w", d.g.Nodes[w.at].ID, err)
		}
		return touched, res.Patch, err
	}
	type place struct {
		i   int
		key string
	}
	writer := map[place]int{}
	for _, n := range finished {
		w.at = n
		res := d.done[n]
		d.row.Used.Tokens, d.row.Used.Cost = d.row.Used.Tokens+res.Usage.Tokens, d.row.Used.Cost+res.Usage.Cost
		for _, write := range res.Patch {
			i, ok := d.g.Slot(write)
			if !ok {
				return nil, nil, fmt.Errorf("stage %q: %w", d.g.Nodes[n].ID, d.g.Declares(write))
			}
			s := place{i, write.Key()}
			if other, ok := writer[s]; ok && other != n && !write.Folds() {
				name := write.Channel()
				if write.Key() != "" {
					name += "/" + write.Key()
				}
				return nil, nil, fmt.Errorf("%w: %q and %q both wrote %q; give it a reducer or write it in one of them",
					ErrConflict, d.g.Nodes[other].ID, d.g.Nodes[n].ID, name)
			}
			writer[s] = n
		}
		patch = append(patch, res.Patch...)
	}
	d.state, touched, err = state.With(patch, nil)
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
		if !d.g.Nodes[n].Plain && !d.g.Nodes[n].Stage.Flags.Has(graph.Stateful) {
			d.forget(d.g.Nodes[n].ID)
		}
	}
}

// spentUp names the limit that the run has come to; "" while it may go on.
func (d *driver) spentUp(next []int) (name string, limit int) {
	l, u := &d.row.Limits, &d.row.Used
	switch {
	case d.row.Step >= d.row.MaxSteps:
		return graph.LimitSteps, d.row.MaxSteps
	case l.Tokens > 0 && u.Tokens >= l.Tokens:
		return graph.LimitTokens, l.Tokens
	case l.Cost > 0 && u.Cost >= l.Cost:
		return graph.LimitCost, int(l.Cost)
	case l.Time > 0 && u.Time >= l.Time:
		return graph.LimitTime, int(l.Time.Seconds())
	case l.Cycle > 0 && cycles(d.row.Path, l.Cycle):
		return graph.LimitCycle, l.Cycle
	}
	if l.Node > 0 {
		for _, n := range next {
			if d.counts[n].finished >= l.Node {
				return graph.LimitNode, l.Node
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
			d.row.Path = append(d.row.Path, d.g.Nodes[n].ID)
		}
	}
	if over := len(d.row.Path) - pathRoom; over > 0 {
		d.row.Path = slices.Clone(d.row.Path[over:])
	}
}

// cycles says that the path ends with the same sequence n times in a row.
func cycles(path []graph.StageID, n int) bool {
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
	again  map[int]bool    // nodes whose visit goes on
	events []journal.Event // of the commit
	mark   int             // where those of this walk begin
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
func (w *walk) leave(n int, res *visited) {
	d := w.d
	w.at = n
	id := d.g.Nodes[n].ID
	d.counts[n].finished++
	if res.failed != nil {
		// Stages hold the map as it was.
		d.row.Errors = maps.Clone(d.row.Errors)
		if d.row.Errors == nil {
			d.row.Errors = map[graph.StageID]string{}
		}
		d.row.Errors[id] = journal.Cut(res.failed.Error(), journal.MemberRoom)
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
		e := d.event(journal.Transition, "")
		e.From, e.To, e.Condition, e.Resolver, e.Reason = r.edge.From, r.edge.To, r.condition, r.resolver, journal.Cut(r.reason, journal.MemberRoom)
		w.events = append(w.events, e)
		if r.resolver == graph.ByAgain {
			if w.again == nil {
				w.again = map[int]bool{}
			}
			w.again[n] = true
		}
		switch {
		case r.to == graph.AtEnd:
			if d.g.Nodes[n].Parent < 0 {
				d.row.Ended = true
			}
		case len(d.g.Nodes[r.to].Inputs) > 0 && r.edge.Type == graph.JoinInput:
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
	if w.d.g.TracksLed && to != from {
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
		node := &d.g.Nodes[n]
		to, from := node.OnError, node.ID
		if to == graph.None {
			if handler, ok := d.g.Index[d.g.Prefix(n)+graph.ErrorStage]; ok && handler != n {
				to = handler
			}
		}
		if to == graph.None || to != graph.AtEnd && d.counts[to].finished >= d.row.Limits.Node {
			continue
		}
		e := d.event(journal.Transition, "")
		e.From, e.To, e.Resolver, e.Reason = from, d.g.Prefix(n)+graph.End, graph.ByError, fmt.Sprintf("%q was entered %d times", from, d.counts[n].finished)
		delete(w.again, n)
		if to == graph.AtEnd {
			w.next = slices.Delete(w.next, i, i+1)
			if node.Parent < 0 {
				d.row.Ended = true
			}
			w.events = append(w.events, e)
			return
		}
		e.To = d.g.Nodes[to].ID
		w.events = append(w.events, e)
		w.next[i] = to
	}
}

// closeNested completes a stage whose inner graph has nothing left to run.
func (w *walk) closeNested(finished []int) bool {
	d := w.d
	if !d.g.Nested {
		return false
	}
	// Innermost first: children stand behind their parents.
	for p := len(d.g.Nodes) - 1; p >= 0; p-- {
		if d.g.Nodes[p].Stage.Graph == nil {
			continue
		}
		had := slices.ContainsFunc(finished, func(n int) bool { return n != p && d.g.Inside(n, p) })
		busy := slices.ContainsFunc(w.next, func(n int) bool { return d.g.Inside(n, p) })
		for to := range d.arrived {
			busy = busy || to != p && d.g.Inside(to, p)
		}
		if !had || busy || slices.ContainsFunc(w.events[w.mark:], func(e journal.Event) bool { return e.Kind == journal.StageCompleted && e.Stage == d.g.Nodes[p].ID }) {
			continue
		}
		e := d.event(journal.StageCompleted, d.g.Nodes[p].ID)
		e.Attempt = 1
		w.events = append(w.events, e)
		w.leave(p, &visited{})
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
		missing, runs, waits := len(d.g.Nodes[n].Inputs)-len(got), false, false
		if missing > 0 {
			for _, in := range d.g.Nodes[n].Inputs {
				if !got[in] {
					runs, waits = runs || w.comes(in), waits || w.mayCome(in, n)
				}
			}
		}
		if !due(missing, runs, waits) {
			continue
		}
		delete(d.arrived, n)
		if missing == 0 || d.g.Nodes[n].Stage.Join == graph.JoinReachable {
			w.next = append(w.next, n)
			return true
		}
		e := d.event(journal.StageSkipped, d.g.Nodes[n].ID)
		e.Reason = "an input of this join can no longer come"
		w.events = append(w.events, e)
		return true
	}
	return false
}

// comes says whether node in can still complete, given what runs next.
func (w *walk) comes(in int) bool {
	g := w.d.g
	return slices.ContainsFunc(w.next, func(n int) bool { return g.Inside(n, in) || g.Inside(in, n) || g.Nodes[n].Reach[in] })
}

// mayCome says whether node in can still complete through another join that waits.
func (w *walk) mayCome(in, join int) bool {
	for n := range w.d.arrived {
		if n != join && (n == in || w.d.g.Nodes[n].Reach[in]) {
			return true
		}
	}
	return false
}
