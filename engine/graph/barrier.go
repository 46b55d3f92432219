package graph

import (
	"fmt"
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
	c.Clear = true
	finished := make([]int, 0, len(d.row.Frontier))
	for _, id := range d.row.Frontier {
		finished = append(finished, d.g.index[id])
	}
	touched, err := d.apply(finished)
	if err == nil {
		c.Set, err = d.encodeSlots(touched)
	}
	if err != nil {
		// The results stay pending: nothing was applied.
		return d.failure(d.g.nodes[finished[0]].id, err)
	}
	if d.row.Finished == nil {
		d.row.Finished = map[StageID]int{}
	}
	for pid, p := range d.pauses {
		if slices.Contains(finished, d.g.index[p.Stage]) {
			c.Unask = append(c.Unask, pid)
			delete(d.pauses, pid)
		}
	}
	next, events, err := d.advance(finished)
	if err != nil {
		return d.failure(d.g.nodes[finished[0]].id, err)
	}
	d.done = map[int]*Result{}
	d.row.Step++
	cp := Event{Kind: CheckpointSaved, Data: raw(map[string]any{"step": d.row.Step})}
	d.stamp(&cp)
	c.Events = append(append(c.Events, events...), cp)
	if d.g.reply != nil {
		d.row.Output = d.state.value(d.g.reply).(string)
	}
	switch {
	case len(next) == 0 && !d.row.Ended:
		e := d.failure(d.g.nodes[finished[0]].id, ErrStuck)
		e.commit = c
		return e
	case len(next) == 0:
		d.row.Frontier, d.row.Attempts, d.row.Arrived = nil, nil, nil
		return &ending{status: Completed, commit: c, event: Event{Kind: TurnCompleted, Text: d.row.Output, Data: raw(map[string]any{"steps": d.row.Step})}}
	case d.row.Step >= d.row.MaxSteps:
		d.enter(next)
		d.row.Attempts = nil
		return &ending{status: Limited, commit: c, event: Event{Kind: TurnLimited, Data: raw(map[string]any{"limit": d.row.MaxSteps})}}
	}
	c.Events = append(c.Events, d.enter(next)...)
	c.Row = d.rowPtr()
	d.w.put(c, nil)
	return nil
}

// apply folds the patches into the state, in spec order.
func (d *driver) apply(finished []int) (touched []int, err error) {
	writer := map[int]int{}
	state := d.state
	for _, n := range finished {
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
	next   []int
	events []Event
	err    error
}

// advance takes the routes of the finished stages and says what runs next.
func (d *driver) advance(finished []int) ([]int, []Event, error) {
	w := &walk{d: d}
	for _, n := range finished {
		w.leave(n, d.done[n])
	}
	for w.err == nil && (w.closeNested(finished) || w.fireJoins()) {
	}
	slices.Sort(w.next)
	return slices.Compact(w.next), w.events, w.err
}

// leave takes the routes out of a finished stage.
func (w *walk) leave(n int, res *Result) {
	d := w.d
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

// fireJoins starts joins that have all they can get.
func (w *walk) fireJoins() bool {
	d := w.d
	for pass := range 2 {
		for n := range d.g.nodes {
			id := d.g.nodes[n].id
			got := d.row.Arrived[id]
			if len(got) == 0 {
				continue
			}
			missing, coming := 0, false
			for _, in := range d.g.nodes[n].inputs {
				if !slices.Contains(got, d.g.nodes[in].id) {
					missing++
					coming = coming || w.canCome(in, n)
				}
			}
			switch {
			case missing == 0, pass == 1 && !coming && d.g.nodes[n].stage.Join == JoinReachable:
				delete(d.row.Arrived, id)
				w.next = append(w.next, n)
				return true
			case pass == 1 && !coming:
				delete(d.row.Arrived, id)
				e := Event{Kind: StageSkipped, Stage: id, Reason: "an input of this join can no longer come"}
				d.stamp(&e)
				w.events = append(w.events, e)
				return true
			}
		}
	}
	return false
}

// canCome says whether node in can still complete, given what runs next and the
// other joins that wait.
func (w *walk) canCome(in, join int) bool {
	d := w.d
	for _, n := range w.next {
		if d.g.inside(n, in) || d.g.inside(in, n) || d.g.nodes[n].reach[in] {
			return true
		}
	}
	for id := range d.row.Arrived {
		if n := d.g.index[id]; n != join && len(w.next) > 0 && (n == in || d.g.nodes[n].reach[in]) {
			return true
		}
	}
	return false
}
