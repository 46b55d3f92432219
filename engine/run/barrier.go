package run

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// barrier ends a super-step: patches apply in spec order, the graph's changes are
// made, routes are taken, the next frontier is entered; all of it in one commit with
// the result that completed the step.
func (d *driver) barrier() *ending {
	finished := append(d.finishedList[:0], d.frontier...)
	d.finishedList = finished
	if len(finished) == 0 {
		return d.failure(d.row.ErrorStage, ErrStuck)
	}
	var before undo
	d.save(&before)
	w := &d.walk
	w.begin(d, finished[0])
	err := d.apply(w, finished)
	if err == nil && d.g.Spec().Grow != nil {
		finished = d.mutate(w, finished)
	}
	var next []int
	if err == nil {
		next, err = w.advance(finished)
	}
	if err != nil {
		// Nothing was applied: the results stay pending.
		d.restore(&before)
		return d.failure(d.g.Stages[w.at].ID, err)
	}
	for _, n := range finished {
		r := d.done[n]
		d.clear = d.clear || r.saved
		d.changes.Add(r.Patch, r.writes)
	}
	d.changes.Add(w.patch, w.encoded)
	if len(d.pauses) > 0 {
		d.unask(finished)
	}
	clear(d.done)
	d.enc.Applied()
	d.row.Step++
	d.changed = true
	if d.row.Limits.Cycle > 0 {
		d.trail(finished)
	}
	d.leave(finished)
	d.noteSteps(noteStep, `{"step":`)
	if text, ok := d.g.Reply(d.state); ok {
		d.row.Output = text
	}
	switch {
	case len(next) == 0 && !d.row.Ended:
		// What ran is done and stays done: a resume finds nothing to run and says so.
		d.frontier, d.joinInputs = d.frontier[:0], nil
		return d.failure(d.g.Stages[finished[0]].ID, ErrStuck)
	case len(next) == 0:
		d.frontier, d.joinInputs = d.frontier[:0], nil
		return d.completed()
	}
	if name, limit, stage := d.spentUp(next); name != "" {
		d.enterLater(next)
		return d.limited(name, limit, stage)
	}
	d.enter(next)
	if d.g.Watches {
		d.view = nil
	}
	if !d.next().merges() {
		// What comes after is told after what its code tells.
		d.push(false)
	}
	return nil
}

// unask takes back what finished stages asked.
func (d *driver) unask(finished []int) {
	c := d.next()
	for pid, p := range d.pauses {
		if slices.Contains(finished, d.g.Index[p.Stage]) {
			c.Unask = append(c.Unask, pid)
			delete(d.pauses, pid)
		}
	}
}

// enterLater puts stages on the frontier that a resume starts. Nested graphs around
// them begin now.
func (d *driver) enterLater(next []int) {
	c := d.next()
	mark := len(c.notes.list)
	d.enter(next)
	kept := c.notes.list[:mark]
	for _, n := range c.notes.list[mark:] {
		if n.kind != noteStarted || d.g.Stages[n.stage].Stage.Graph != nil {
			kept = append(kept, n)
		}
	}
	c.notes.list = kept
}

// undo is what a barrier that fails puts back.
type undo struct {
	state        graph.Snapshot
	g            *graph.Graph
	joinInputs   map[int]*joinInput
	predecessors map[int][]int
	done         []*visited
	said         int
	// Of the row.
	used        graph.Used
	mutations   []graph.Mutation
	fingerprint string
	errors      map[graph.StageID]string
	ended       bool
}

func (d *driver) save(b *undo) {
	r := d.row
	b.state, b.g, b.done, b.said = d.state, d.g, d.done, len(d.next().notes.list)
	b.used, b.mutations, b.fingerprint, b.errors, b.ended = r.Used, r.Mutations, r.Fingerprint, r.Errors, r.Ended
	d.countsBefore = append(d.countsBefore[:0], d.counts...)
	if len(d.joinInputs) > 0 {
		b.joinInputs = make(map[int]*joinInput, len(d.joinInputs))
		for to, a := range d.joinInputs {
			b.joinInputs[to] = &joinInput{slices.Clone(a.got), a.from}
		}
	}
	if len(d.predecessors) > 0 {
		b.predecessors = maps.Clone(d.predecessors)
	}
}

func (d *driver) restore(b *undo) {
	d.state, d.g, d.joinInputs, d.predecessors, d.done = b.state, b.g, b.joinInputs, b.predecessors, b.done
	r := d.row
	r.Used, r.Mutations, r.Fingerprint, r.Errors, r.Ended = b.used, b.mutations, b.fingerprint, b.errors, b.ended
	d.counts = slices.Clone(d.countsBefore)
	d.open.notes.list = d.open.notes.list[:b.said]
	d.open.notes.move(b.g)
}

// apply folds the patches into the state, in spec order.
func (d *driver) apply(w *walk, finished []int) (err error) {
	if len(finished) == 1 {
		w.at = finished[0]
		res := d.done[w.at]
		d.use(res)
		if d.state, err = d.state.Advance(res.Patch); err != nil {
			err = fmt.Errorf("stage %q: %w", d.g.Stages[w.at].ID, err)
		}
		return err
	}
	type place struct {
		i   int
		key string
	}
	var writer map[place]int // of channels that only one stage may write
	size := 0
	for _, n := range finished {
		size += len(d.done[n].Patch)
	}
	patch := make(graph.Patch, 0, size)
	for _, n := range finished {
		w.at = n
		res := d.done[n]
		d.use(res)
		for _, write := range res.Patch {
			i, ok := d.g.Slot(write)
			switch {
			case !ok:
				return fmt.Errorf("stage %q: %w", d.g.Stages[n].ID, d.g.Declares(write))
			case write.Folds():
				continue
			case writer == nil:
				writer = map[place]int{}
			}
			s := place{i, write.Key()}
			if other, ok := writer[s]; ok && other != n {
				name := write.Channel()
				if write.Key() != "" {
					name += "/" + write.Key()
				}
				return fmt.Errorf("%w: %q and %q both wrote %q; give it a reducer or write it in one of them",
					ErrConflict, d.g.Stages[other].ID, d.g.Stages[n].ID, name)
			}
			writer[s] = n
		}
		patch = append(patch, res.Patch...)
	}
	d.state, err = d.state.Advance(patch)
	return err
}

// use counts what a stage used up.
func (d *driver) use(res *visited) {
	d.row.Used.Usage = d.row.Used.Usage.Plus(res.Usage)
}

// leave ends the visits of the stages that were not entered again.
func (d *driver) leave(finished []int) {
	for _, n := range finished {
		c := &d.counts[n]
		if slices.Contains(d.walk.again, n) {
			c.round++
			continue
		}
		c.round, c.mark = 0, 0
		if !d.g.Stages[n].Plain && !d.g.Stages[n].Stage.Flags.Has(graph.Stateful) {
			d.forget(d.g.Stages[n].ID)
		}
	}
}

// spentUp names the limit that the run has come to; "" while it may go on.
func (d *driver) spentUp(next []int) (name string, limit int, stage graph.StageID) {
	l, u := &d.row.Limits, &d.row.Used
	switch {
	case d.row.Step >= d.row.MaxSteps:
		return graph.LimitSteps, d.row.MaxSteps, ""
	case l.Tokens > 0 && u.Tokens >= l.Tokens:
		return graph.LimitTokens, l.Tokens, ""
	case l.Cost > 0 && u.Cost >= l.Cost:
		return graph.LimitCost, int(l.Cost), ""
	case l.Time > 0 && u.Time >= l.Time:
		return graph.LimitTime, int(l.Time.Seconds()), ""
	case l.Cycle > 0 && cycles(d.row.Path, l.Cycle):
		return graph.LimitCycle, l.Cycle, ""
	}
	if l.Visits > 0 {
		for _, n := range next {
			if d.counts[n].finished >= l.Visits {
				return graph.LimitVisits, l.Visits, d.g.Stages[n].ID
			}
		}
	}
	return "", 0, ""
}

// pathRoom is how many stages of the path are kept, and so how long a cycle may be.
const pathRoom = 128

// trail remembers the stages that were left.
func (d *driver) trail(finished []int) {
	for _, n := range finished {
		if !slices.Contains(d.walk.again, n) {
			d.row.Path = append(d.row.Path, d.g.Stages[n].ID)
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
	ends   []ended // of nested graphs
	d      *driver
	at     int // the stage in hand, to be named when it fails
	next   []int
	again  []int // stages whose visit goes on
	closed []int // nested graphs that this walk completed
	err    error
	// patch is what failures wrote, encoded the same.
	patch   graph.Patch
	encoded []graph.ChannelValue
}

// ended says how a stage ended the graph that it stands in.
type ended struct {
	parent int
	err    error // of a stage that failed
	where  graph.StageID
}

// begin makes the walk ready for another super-step.
func (w *walk) begin(d *driver, at int) {
	w.d, w.at, w.next, w.again, w.closed, w.ends, w.err = d, at, w.next[:0], w.again[:0], w.closed[:0], w.ends[:0], nil
	w.patch, w.encoded = nil, nil
}

// advance takes the routes of the finished stages and says what runs next.
func (w *walk) advance(finished []int) ([]int, error) {
	if len(w.d.predecessors) > 0 {
		for _, n := range finished {
			delete(w.d.predecessors, n)
		}
	}
	for _, n := range finished {
		if w.leave(n, w.d.done[n]); w.err != nil {
			return nil, w.err
		}
	}
	for w.err == nil && (w.passNested() || w.closeNested(finished) || w.fireJoins()) {
	}
	if w.err == nil && w.d.row.Limits.Visits > 0 {
		w.stuck()
	}
	slices.Sort(w.next)
	return slices.Compact(w.next), w.err
}

// leave takes the routes out of a finished stage.
func (w *walk) leave(n int, res *visited) {
	d := w.d
	w.at = n
	id := d.g.Stages[n].ID
	d.counts[n].finished++
	if res.failed != nil {
		// Stages hold the map as it was.
		d.row.Errors = maps.Clone(d.row.Errors)
		if d.row.Errors == nil {
			d.row.Errors = map[graph.StageID]string{}
		}
		d.row.Errors[id] = journal.Cut(res.failed.Error(), journal.MemberRoom)
		w.write(d.g.Fail(n, failureOf(id, res)))
	} else if _, had := d.row.Errors[id]; had && res.Reenter == "" {
		d.row.Errors = maps.Clone(d.row.Errors)
		delete(d.row.Errors, id)
		w.write(d.g.Mend(d.state, n))
	}
	routes, err := d.resolve(n, res)
	if err != nil {
		w.err = err
		return
	}
	for i := range routes {
		r := &routes[i]
		d.took(n, r)
		if r.by == byAgain {
			w.again = append(w.again, n)
		}
		switch {
		case r.to == graph.AtEnd:
			if parent := d.g.Stages[n].Parent; parent < 0 {
				d.row.Ended = true
			} else if r.by == byError {
				w.ends = append(w.ends, ended{parent: parent})
			} else {
				w.ends = append(w.ends, ended{parent, res.failed, whereOf(id, res)})
			}
		default:
			if input, ok := d.joins(n, r); ok {
				d.arrive(r.to, input)
			} else {
				w.next = append(w.next, r.to)
			}
			w.addPredecessor(r.to, n)
		}
	}
}

// write changes the state at once; the barrier keeps what was written.
func (w *walk) write(p graph.Patch) {
	if len(p) == 0 || w.err != nil {
		return
	}
	encoded, err := w.d.enc.Patch(w.d.g, p)
	if err == nil {
		w.d.state, err = w.d.state.Advance(p)
	}
	w.patch, w.encoded, w.err = append(w.patch, p...), append(w.encoded, encoded...), err
}

// failureOf is the failure of a stage as others read it.
func failureOf(id graph.StageID, res *visited) graph.Failure {
	return graph.Failure{Stage: whereOf(id, res), Kind: graph.KindOf(res.failed), Message: bareText(res.failed.Error())}
}

// packages are what errors of ours begin with, and those that they wrap; it tells people nothing.
// The same words inside a person's or a tool's sentence are theirs.
var packages = regexp.MustCompile(`(^|: )(?:(?:call|definition|graph|identity|model|prompt|run|tool|turn): )+`)

// bareText is an error's text as others read it.
func bareText(text string) string {
	return journal.Cut(packages.ReplaceAllString(text, "$1"), journal.MemberRoom)
}

// whereOf is the innermost stage that failed.
func whereOf(id graph.StageID, res *visited) graph.StageID {
	return or(res.where, or(graph.StageOf(res.failed), id))
}

// ofKind says in the event of a failure which kind it was, where that says more than that
// it was one.
func ofKind(e journal.Event, err error) journal.Event {
	if kind := graph.KindOf(err); kind != graph.KindFailed {
		return e.With(journal.StageFailedData{Failure: kind})
	}
	return e
}

// or is the first id that there is.
func or(a, b graph.StageID) graph.StageID {
	if a != "" {
		return a
	}
	return b
}

// addPredecessor remembers a predecessor of a stage, where somebody may ask.
func (w *walk) addPredecessor(to, from int) {
	if w.d.g.TracksPredecessors && to != from {
		w.d.addPredecessor(to, from)
	}
}

// stuck leads stages that were entered too often to their error edge, or to the
// graph's own error stage, and from one that was entered too often itself to its own.
// Where there is none that may still run, the run comes to its limit.
func (w *walk) stuck() {
	d := w.d
	next := make([]int, 0, len(w.next))
	for _, n := range w.next {
		for _, to := range w.handlers(n) {
			from := &d.g.Stages[n]
			e := d.event(journal.Transition, "")
			e.From, e.To, e.Resolver, e.Reason = from.ID, d.g.Prefix(n)+graph.End, graph.ByError, fmt.Sprintf("%q was entered %d times", from.ID, d.counts[n].finished)
			w.again = slices.DeleteFunc(w.again, func(other int) bool { return other == n })
			w.write(d.g.Fail(n, graph.Failure{Stage: from.ID, Kind: graph.KindLimited, Message: e.Reason}))
			if to == graph.AtEnd {
				d.row.Ended = d.row.Ended || from.Parent < 0
			} else {
				e.To = d.g.Stages[to].ID
			}
			d.say(e)
			n = to
		}
		if n != graph.AtEnd {
			next = append(next, n)
		}
	}
	w.next = next
}

// handlers are the stages that take over from one that was entered too often, one from the
// other, up to one that may still run, or to the end of the graph; none where no such one comes.
func (w *walk) handlers(n int) (chain []int) {
	d := w.d
	for at := n; at != graph.AtEnd && d.counts[at].finished >= d.row.Limits.Visits; {
		to := d.g.Stages[at].OnError
		if handler, ok := d.g.Index[d.g.Prefix(at)+graph.ErrorStage]; to == graph.None && ok && handler != at {
			to = handler
		}
		if to == graph.None || to == n || slices.Contains(chain, to) {
			return nil
		}
		chain, at = append(chain, to), to
	}
	return chain
}

// closeNested completes a stage whose inner graph has nothing left to run.
func (w *walk) closeNested(finished []int) bool {
	d := w.d
	if !d.g.Nested {
		return false
	}
	// Innermost first: children stand behind their parents.
	for p := len(d.g.Stages) - 1; p >= 0; p-- {
		if d.g.Stages[p].Stage.Graph == nil {
			continue
		}
		had := slices.ContainsFunc(finished, func(n int) bool { return n != p && d.g.Inside(n, p) })
		busy := slices.ContainsFunc(w.next, func(n int) bool { return d.g.Inside(n, p) })
		for to := range d.joinInputs {
			busy = busy || to != p && d.g.Inside(to, p)
		}
		if !had || busy || slices.Contains(w.closed, p) {
			continue
		}
		res := w.outcome(p)
		e := d.event(journal.StageCompleted, d.g.Stages[p].ID)
		if e.Attempt = 1; res.failed != nil {
			e.Kind, e.Error = journal.StageFailed, journal.Cut(res.failed.Error(), journal.TextRoom)
			e = ofKind(e, res.failed)
		}
		if most := d.g.Stages[p].Stage.SoftTimeout; most > 0 {
			if took := d.at.Sub(d.entered[p]); took > most {
				d.sayOf(d.g.Stages[p].ID, []journal.Event{overTime(took, most)})
			}
		}
		d.say(e)
		w.closed = append(w.closed, p)
		w.leave(p, res)
		return true
	}
	return false
}

// outcome is how a nested graph went: it failed when all that ended it did. What it puts
// out is what the stages inside wrote under its name.
func (w *walk) outcome(p int) *visited {
	res, compiled := &visited{}, &w.d.g.Stages[p]
	for _, end := range w.ends {
		if end.parent != p {
			continue
		}
		if end.err == nil {
			res.failed = nil
			break
		}
		res.failed, res.where = end.err, end.where
	}
	if res.failed == nil && len(compiled.Match) > 0 && w.d.g.Spec().Context.Declared() {
		res.Output = w.d.g.Spec().Context.Get(w.d.g.InScope(w.d.state, p))[graph.OutputKey(compiled.Stage.ID)]
		res.look()
	}
	return res
}

// passNested passes over one nested graph that is to be skipped after a failure.
func (w *walk) passNested() bool {
	d := w.d
	if !d.g.Nested || !d.g.TracksPredecessors {
		return false
	}
	for i, n := range w.next {
		compiled := &d.g.Stages[n]
		if compiled.Stage.Graph == nil || !compiled.Stage.Flags.Has(graph.SkipOnError) {
			continue
		}
		if before, why, _ := d.failedBefore(n); before != "" {
			w.next = slices.Delete(w.next, i, i+1)
			d.saySkipped(compiled.ID, passedOver(before, why))
			delete(d.predecessors, n)
			w.leave(n, &visited{skipped: "skipped"})
			return true
		}
	}
	return false
}

// fireJoins starts one join that has all it can get, and says whether it did. A
// join whose missing input may come from another waiting join waits for that one;
// only joins that wait for each other in a circle go ahead without.
func (w *walk) fireJoins() bool {
	if len(w.d.joinInputs) == 0 {
		return false
	}
	return w.fire(func(missing int, _, _ bool) bool { return missing == 0 }) ||
		w.fire(func(_ int, runs, waits bool) bool { return !runs && !waits }) ||
		len(w.next) == 0 && w.fire(func(_ int, runs, _ bool) bool { return !runs })
}

func (w *walk) fire(due func(missing int, runs, waits bool) bool) bool {
	d := w.d
	for _, n := range slices.Sorted(maps.Keys(d.joinInputs)) {
		got := d.joinInputs[n]
		missing, runs, waits := len(got.got)-got.from, false, false
		if missing > 0 {
			for i, in := range d.g.Stages[n].Inputs {
				if !got.got[i] {
					runs, waits = runs || w.comes(in), waits || w.mayCome(in, n)
				}
			}
		}
		if !due(missing, runs, waits) {
			continue
		}
		delete(d.joinInputs, n)
		if missing == 0 || d.g.Stages[n].Stage.Join == graph.JoinReachable {
			w.next = append(w.next, n)
			return true
		}
		e := d.event(journal.StageSkipped, d.g.Stages[n].ID)
		e.Reason = "an input of this join can no longer come"
		d.say(e)
		return true
	}
	return false
}

// comes says whether stage in can still complete, given what runs next.
func (w *walk) comes(in int) bool {
	g := w.d.g
	return slices.ContainsFunc(w.next, func(n int) bool { return g.Inside(n, in) || g.Inside(in, n) || g.Stages[n].Reach[in] })
}

// mayCome says whether stage in can still complete through another join that waits.
func (w *walk) mayCome(in, join int) bool {
	for n := range w.d.joinInputs {
		if n != join && (n == in || w.d.g.Stages[n].Reach[in]) {
			return true
		}
	}
	return false
}
