package graph

import (
	"fmt"
	"maps"
	"slices"
)

// barrier ends a super-step: patches apply in spec order, routes are taken, the
// next frontier is entered; all of it in one transaction with last, the result
// that completed the step.
func (d *driver) barrier(last *Commit) *ending {
	c := last
	if c == nil {
		c = &Commit{Run: d.row.ID, Fence: d.row.Fence}
	}
	finished := make([]int, 0, len(d.row.Frontier))
	for _, id := range d.row.Frontier {
		finished = append(finished, d.g.index[id])
	}
	if len(finished) == 0 {
		return d.failure(d.row.ErrorStage, ErrStuck)
	}
	state, arrived, counts, ended := d.state, maps.Clone(d.row.Arrived), maps.Clone(d.row.Finished), d.row.Ended
	w := &walk{d: d, at: finished[0]}
	touched, err := d.apply(w, finished)
	var set []ChannelValue
	if err == nil {
		set, err = d.encodeSlots(touched)
	}
	var next []int
	if err == nil {
		next, err = w.advance(finished)
	}
	if err != nil {
		// Nothing was applied: the results stay pending, the last one too.
		d.state, d.row.Arrived, d.row.Finished, d.row.Ended = state, arrived, counts, ended
		e := d.failure(d.g.nodes[w.at].id, err)
		e.commit = last
		return e
	}
	c.Set, c.Add, c.Clear = set, nil, true
	for pid, p := range d.pauses {
		if slices.Contains(finished, d.g.index[p.Stage]) {
			c.Unask = append(c.Unask, pid)
			delete(d.pauses, pid)
		}
	}
	d.done = map[int]*Result{}
	d.row.Step++
	cp := Event{Kind: CheckpointSaved, Data: raw(map[string]any{"step": d.row.Step})}
	d.stamp(&cp)
	c.Events = append(append(c.Events, w.events...), cp)
	if d.g.reply != nil {
		d.row.Output = d.state.value(d.g.reply).(string)
	}
	switch {
	case len(next) == 0 && !d.row.Ended:
		// What ran is done and stays done: a resume finds nothing to run and says so.
		d.row.Frontier, d.row.Attempts, d.row.Arrived = nil, nil, nil
		e := d.failure(d.g.nodes[finished[0]].id, ErrStuck)
		e.commit = c
		return e
	case len(next) == 0:
		d.row.Frontier, d.row.Attempts, d.row.Arrived = nil, nil, nil
		return &ending{status: Completed, commit: c, event: Event{Kind: TurnCompleted, Text: d.row.Output, Data: raw(map[string]any{"steps": d.row.Step})}}
	case d.row.Step >= d.row.MaxSteps:
		for _, e := range d.enter(next) {
			// A resume starts the stages themselves, but not the nested graphs around them.
			if d.g.nodes[d.g.index[e.Stage]].stage.Graph != nil {
				c.Events = append(c.Events, e)
			}
		}
		d.row.Attempts = nil
		return &ending{status: Limited, commit: c, event: Event{Kind: TurnLimited, Data: raw(map[string]any{"limit": d.row.MaxSteps})}}
	}
	c.Events = append(c.Events, d.enter(next)...)
	c.Row = d.rowPtr()
	d.w.put(c, nil)
	return nil
}

// apply folds the patches into the state, in spec order.
func (d *driver) apply(w *walk, finished []int) (touched []int, err error) {
	writer := map[int]int{}
	state := d.state
	for _, n := range finished {
		w.at = n
		next, slots, err := state.with(d.done[n].Patch)
		if err != nil {
			return nil, fmt.Errorf("stage %q: %w", d.g.nodes[n].id, err)
		}
		for _, s := range slots {
			if other, ok := writer[s]; ok && d.g.channels[s].reduce == nil {
				return nil, fmt.Errorf("%w: %q and %q both wrote %q; give it a reducer or write it in one of them",
					ErrConflict, d.g.nodes[other].id, d.g.nodes[n].id, d.g.channels[s].name)
			}
			writer[s] = n
			if !slices.Contains(touched, s) {
				touched = append(touched, s)
			}
		}
		state = next
	}
	d.state = state
	return touched, nil
}

// walk is the working set of one advance.
type walk struct {
	d      *driver
	at     int // the stage in hand, to be named when it fails
	next   []int
	events []Event
	err    error
}

// advance takes the routes of the finished stages and says what runs next.
func (w *walk) advance(finished []int) ([]int, error) {
	for _, n := range finished {
		if w.leave(n, w.d.done[n]); w.err != nil {
			return nil, w.err
		}
	}
	for w.err == nil && (w.closeNested(finished) || w.fireJoins()) {
	}
	slices.Sort(w.next)
	return slices.Compact(w.next), w.err
}

// leave takes the routes out of a finished stage.
func (w *walk) leave(n int, res *Result) {
	d := w.d
	w.at = n
	if d.row.Finished == nil {
		d.row.Finished = map[StageID]int{}
	}
	d.row.Finished[d.g.nodes[n].id]++
	routes, err := d.g.resolve(n, res, d.state)
	if err != nil {
		w.err = err
		return
	}
	for _, r := range routes {
		e := Event{Kind: Transition, From: r.edge.From, To: r.edge.To, Condition: r.condition, Resolver: r.resolver, Reason: cut(r.reason, memberRoom)}
		d.stamp(&e)
		w.events = append(w.events, e)
		switch {
		case r.to == atEnd:
			if d.g.nodes[n].parent < 0 {
				d.row.Ended = true
			}
		case len(d.g.nodes[r.to].inputs) > 0 && r.edge.Type == JoinInput:
			if d.row.Arrived == nil {
				d.row.Arrived = map[StageID][]StageID{}
			}
			to := d.g.nodes[r.to].id
			if id := d.g.nodes[n].id; !slices.Contains(d.row.Arrived[to], id) {
				d.row.Arrived[to] = append(d.row.Arrived[to], id)
			}
		default:
			w.next = append(w.next, r.to)
		}
	}
}

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
	// Innermost first: children stand behind their parents.
	for p := len(d.g.nodes) - 1; p >= 0; p-- {
		if d.g.nodes[p].stage.Graph == nil {
			continue
		}
		had := slices.ContainsFunc(finished, func(n int) bool { return n != p && d.g.inside(n, p) })
		busy := slices.ContainsFunc(w.next, func(n int) bool { return d.g.inside(n, p) })
		for id := range d.row.Arrived {
			busy = busy || d.g.index[id] != p && d.g.inside(d.g.index[id], p)
		}
		if !had || busy || slices.ContainsFunc(w.events, func(e Event) bool { return e.Kind == StageCompleted && e.Stage == d.g.nodes[p].id }) {
			continue
		}
		e := Event{Kind: StageCompleted, Stage: d.g.nodes[p].id, Attempt: 1}
		d.stamp(&e)
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
	return w.fire(func(missing int, _, _ bool) bool { return missing == 0 }) ||
		w.fire(func(_ int, runs, waits bool) bool { return !runs && !waits }) ||
		len(w.next) == 0 && w.fire(func(_ int, runs, _ bool) bool { return !runs })
}

func (w *walk) fire(due func(missing int, runs, waits bool) bool) bool {
	d := w.d
	for n := range d.g.nodes {
		id := d.g.nodes[n].id
		got := d.row.Arrived[id]
		if len(got) == 0 {
			continue
		}
		missing, runs, waits := 0, false, false
		for _, in := range d.g.nodes[n].inputs {
			if !slices.Contains(got, d.g.nodes[in].id) {
				missing++
				runs, waits = runs || w.comes(in), waits || w.mayCome(in, n)
			}
		}
		if !due(missing, runs, waits) {
			continue
		}
		delete(d.row.Arrived, id)
		if missing == 0 || d.g.nodes[n].stage.Join == JoinReachable {
			w.next = append(w.next, n)
			return true
		}
		e := Event{Kind: StageSkipped, Stage: id, Reason: "an input of this join can no longer come"}
		d.stamp(&e)
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
	for id := range w.d.row.Arrived {
		if n := w.d.g.index[id]; n != join && (n == in || w.d.g.nodes[n].reach[in]) {
			return true
		}
	}
	return false
}
