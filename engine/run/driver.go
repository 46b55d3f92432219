package run

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// driver drives one run. One goroutine, that of Start or Resume, owns it from the
// admission to the end; who may touch what else is said at the fields.
type driver struct {
	// Fixed while the run is driven; read by all.
	x        *Executor
	base     *graph.Graph // as the agent declares it
	deps     any
	id       graph.RunID
	epoch    uint64
	admitted func() // called once the run is on disk; may be nil

	// w takes commits from the owner and from stages.
	w writer

	// The owner's alone, as all below until turn.
	g   *graph.Graph    // with the run's mutations
	ctx context.Context // of stages: the caller's until listen
	// row is the run's row but for what the fields below hold by stage: rowCopy puts
	// both together.
	row          *Run
	view         *graph.Header // what tasks see of the row; nil after a change
	joinInputs   map[int]*joinInput
	predecessors map[int][]int
	state        graph.Snapshot
	pauses       map[string]graph.Pause
	reached      *graph.Reached // a stage came to a limit of its own
	reachedAt    graph.StageID
	at           time.Time   // the clock when it was last read
	spent        time.Time   // up to when the run's time is counted
	told         bool        // admitted was called
	results      chan result // stages on other goroutines send theirs, the owner takes them
	// hand takes stages to a goroutine that stays as long as the run is driven; free says that
	// it has none. What runs beside its stage gets a goroutine of its own. The owner sends, that goroutine takes.
	hand chan job
	free bool

	// What the next commit says. Nothing of it is on disk or queued yet.
	open    *Commit
	changed bool // the row has
	clear   bool // pending results on disk are obsolete

	spare *start // of a stage that only computes and is done with it
	// What the first stage gets: the owner writes it before that stage starts, and from then on it is the stage's.
	first struct {
		view graph.Header
		task start
	}

	// turn guards inner: the stage that runs where the owner is. What the owner has not
	// handed over yet goes ahead of what that stage sends.
	turn  sync.Mutex
	inner *graph.Task

	// mu guards what stages and the writer reach.
	mu    sync.Mutex
	stop  context.CancelCauseFunc // ends the stages; nil before listen
	lost  chan error              // hears that the store failed; nil before listen
	memos map[graph.StageID]*memo

	// Stages set these, the owner reads them; mu guards neither. waiting says that a stage found
	// deep inside that it must wait (see Wait), spends that one told what it uses up while it
	// runs (see Spend).
	waiting, spends atomic.Bool

	// The owner's alone, as all above turn; lent by the executor until giveBack.
	*scratch
}

// count is what the driver counts of one stage.
type count struct {
	attempts int // starts in this super-step
	finished int // super-steps that it finished
	round    int // super-steps of its visit so far
	mark     int // length of the history when its visit began
}

// joinInput is what a join has of its inputs.
type joinInput struct {
	got  []bool // by the input's place in CompiledStage.Inputs
	from int    // how many
}

// scratch is what a driver needs for one super-step at a time. It is used again by
// drivers that come later; nothing in it may be handed out.
type scratch struct {
	frontier               []int // stages of the super-step that is under way
	todoList, finishedList []int
	routes                 []route
	countsBefore           []count
	walk                   walk
	slab                   []visited // of the stages of a super-step that only compute

	entered map[int]time.Time // nested graphs that should take no longer than they say

	counts  []count
	done    []*visited    // finished in this super-step, by stage
	changes graph.Changes // that barriers made since the last commit
	enc     graph.Encoder

	// What the commit that is put together tells so far; it gets copies that fit.
	noteList []note
	noteData []byte
}

// spareScratches is how many an executor keeps for runs to come.
const spareScratches = 64

// scratch hands out one that no run uses.
func (x *Executor) scratch() *scratch {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.spare)
	if n == 0 {
		return new(scratch)
	}
	s := x.spare[n-1]
	x.spare = x.spare[:n-1]
	return s
}

// giveBack ends the use of the scratch. What a run left behind that may still be at work keeps it.
func (d *driver) giveBack() {
	s := d.scratch
	if !d.w.idle() {
		return
	}
	x := d.x
	d.scratch = nil
	clear(s.routes[:cap(s.routes)])
	clear(s.entered)
	s.walk = walk{next: s.walk.next[:0]}
	clear(s.slab)
	s.slab = s.slab[:0]
	clear(s.done)
	s.changes.Take()
	s.enc.Reset()
	s.frontier = s.frontier[:0]
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.spare) < spareScratches {
		x.spare = append(x.spare, s)
	}
}

type result struct {
	stage  int
	byHand bool
	res    *visited
	err    error
	took   time.Duration
}

func (x *Executor) newDriver(g *graph.Graph, row *Run, deps any, now time.Time) *driver {
	s := x.scratch()
	d := new(driver)
	d.x, d.base, d.g, d.row, d.id, d.epoch, d.deps, d.at, d.spent, d.scratch = x, g, g, row, row.ID, row.LeaseEpoch, deps, now, now, s
	d.counts, d.done = slices.Grow(d.counts[:0], len(g.Stages))[:len(g.Stages)], slices.Grow(d.done[:0], len(g.Stages))[:len(g.Stages)]
	clear(d.counts)
	clear(d.done)
	d.state = g.Empty()
	d.spare = &d.first.task
	d.w.store, d.w.owner = x.store, d
	d.w.room.L = &d.w.mu
	return d
}

// fail hears from the writer that the store failed.
func (d *driver) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		d.lost <- err
	}
	if d.stop != nil {
		d.stop(err)
	}
}

// adopt takes what the row says by stage into the fields by stage.
func (d *driver) adopt() {
	g := d.g
	for _, id := range d.row.Frontier {
		d.frontier = append(d.frontier, g.Index[id])
	}
	each := func(list Counts, set func(*count, int)) {
		for _, c := range list {
			if i, ok := g.Index[c.Stage]; ok {
				set(&d.counts[i], c.N)
			}
		}
	}
	each(d.row.Attempts, func(c *count, n int) { c.attempts = n })
	each(d.row.Finished, func(c *count, n int) { c.finished = n })
	each(d.row.Visits, func(c *count, n int) { c.round = n })
	each(d.row.Marks, func(c *count, n int) { c.mark = n })
	for to, from := range d.row.JoinInputs {
		for _, id := range from {
			d.arrive(g.Index[to], slices.Index(g.Stages[g.Index[to]].Inputs, g.Index[id]))
		}
	}
	for to, from := range d.row.Predecessors {
		for _, id := range from {
			d.addPredecessor(g.Index[to], g.Index[id])
		}
	}
}

// arrive notes that the i-th input of a join is there.
func (d *driver) arrive(to, i int) {
	if d.joinInputs == nil {
		d.joinInputs = map[int]*joinInput{}
	}
	inputs := d.g.Stages[to].Inputs
	a := d.joinInputs[to]
	if a == nil {
		a = &joinInput{got: make([]bool, len(inputs))}
		d.joinInputs[to] = a
	}
	if i >= 0 && !a.got[i] {
		a.got[i] = true
		a.from++
	}
}

func (d *driver) addPredecessor(to, from int) {
	if d.predecessors == nil {
		d.predecessors = map[int][]int{}
	}
	if !slices.Contains(d.predecessors[to], from) {
		d.predecessors[to] = append(d.predecessors[to], from)
	}
}

func (d *driver) stamp(e *journal.Event) {
	if e.At.IsZero() {
		e.At = d.x.now()
	}
	e.Session, e.Turn = d.row.Session, d.row.Turn
}

// event makes an event of the driver's own: stamped with the time when the driver
// last looked at the clock.
func (d *driver) event(kind journal.Kind, stage graph.StageID) journal.Event {
	return journal.Event{Kind: kind, Stage: stage, At: d.at, Session: d.row.Session, Turn: d.row.Turn}
}

// next is the commit that is being put together.
func (d *driver) next() *Commit {
	if d.open == nil {
		d.open = &Commit{Run: d.id, LeaseEpoch: d.epoch}
		d.open.notes = notes{graph: d.g, run: d.row, since: d.at, at: d.at, list: d.noteList[:0], data: d.noteData[:0]}
	}
	return d.open
}

// say adds an event to the next commit, note one in short.
func (d *driver) say(e journal.Event) { d.next().notes.whole(e) }

const noData = -1

// note adds an event in short, with the data that was written to the notes since from.
func (d *driver) note(n note, from int) {
	t := &d.next().notes
	if d.at != t.at {
		t.at, t.lag = d.at, d.at.Sub(t.since)
	}
	n.after = t.lag
	if from != noData {
		n.from, n.end = int32(from), int32(len(t.data))
		t.large = t.large || len(t.data)-from > journal.MemberRoom
	}
	t.list = append(t.list, n)
}

// data is where the data of the next note goes.
func (d *driver) data() (t *notes, from int) {
	t = &d.next().notes
	return t, len(t.data)
}

// noteStart notes that the run began, with its row as the data.
func (d *driver) noteStart() {
	if len(d.row.Input) >= smallText || len(d.row.Vars) > 0 || d.row.Caller != "" {
		d.sayStart(nil)
		return
	}
	t, from := d.data()
	t.data = appendStart(t.data, d.g, d.row)
	d.note(note{kind: noteBegan}, from)
}

// sayStart is noteStart for what may be long. Long input lives in the row; the event
// carries the beginning.
func (d *driver) sayStart(from *Point) {
	r, e := d.row, d.event(journal.TurnStarted, "")
	e.Text = journal.Cut(r.Input, journal.TextRoom)
	data := journal.TurnStartedData{Agent: r.Agent, Fingerprint: r.Fingerprint, Model: r.Model, Practice: r.Practice, Caller: journal.Cut(r.Caller, journal.MemberRoom), Vars: shortVars(r.Vars)}
	if from != nil {
		data.Replays = &journal.Replayed{Turn: from.Turn, Step: from.Step}
	}
	d.say(e.With(data))
}

// noteSteps notes how many super-steps the run has, at a checkpoint or at its end.
func (d *driver) noteSteps(kind noteKind, opening string) {
	t, from := d.data()
	t.data = appendSteps(t.data, opening, d.row.Step)
	d.note(note{kind: kind}, from)
}

// noteCompletion notes that a stage was completed, and what it wrote.
func (d *driver) noteCompletion(n int, status uint8, took time.Duration, patch []graph.ChannelValue) {
	t, from := d.data()
	t.data = appendCompletion(t.data, took.Milliseconds(), patch)
	d.note(note{kind: noteCompleted, stage: int32(n), n: int32(d.counts[n].attempts), status: status}, from)
}

// close completes the next commit: with the results that no barrier has taken yet,
// the channels that barriers changed, and the row. nil says that there is nothing.
func (d *driver) close() *Commit {
	c := d.open
	if c == nil && !d.changed && !d.clear && !d.changes.Any() {
		return nil
	}
	c = d.next()
	d.open = nil
	d.noteList, d.noteData = c.notes.cut(d.noteData)
	c.Clear = c.Clear || d.clear
	d.clear = false
	for _, n := range d.frontier {
		if r := d.done[n]; r != nil && !r.saved {
			r.saved = true
			c.Add = append(c.Add, pending(d.g.Stages[n].ID, r))
		}
	}
	c.Set = d.changes.Take()
	if d.changed {
		d.changed = false
		c.Row = d.rowPtr()
	}
	return c
}

// push hands the next commit to the writer, to be written when something waits for
// it; soon, at once.
func (d *driver) push(soon bool) {
	if c := d.close(); c != nil {
		d.w.hand(entry{commit: c}, nothing)
	}
	if soon {
		d.w.start()
	}
}

// flush waits until all that was said is on disk.
func (d *driver) flush(ctx context.Context) error {
	d.push(false)
	err := d.w.flush(ctx)
	if err == nil {
		d.admit()
	}
	return err
}

// rowCopy is the row as it stands, owned by the caller.
func (d *driver) rowCopy() Run {
	r := *d.row
	d.complete(&r)
	r.Errors, r.Path, r.Mutations = maps.Clone(r.Errors), slices.Clone(r.Path), slices.Clone(r.Mutations)
	r.Limits.Own = maps.Clone(r.Limits.Own)
	return r
}

// complete puts into the row what the driver holds by stage.
func (d *driver) complete(r *Run) {
	g := d.g
	r.UpdatedAt = d.at
	r.Frontier, r.Attempts, r.Finished, r.Visits, r.Marks, r.JoinInputs, r.Predecessors = nil, nil, nil, nil, nil, nil, nil
	if len(d.frontier) > 0 {
		r.Frontier = make([]graph.StageID, len(d.frontier))
		for i, n := range d.frontier {
			r.Frontier[i] = g.Stages[n].ID
		}
	}
	finished := 0
	for i := range d.counts {
		if d.counts[i].finished > 0 {
			finished++
		}
	}
	add := func(list *Counts, id graph.StageID, n int) {
		if n == 0 {
			return
		}
		if *list == nil {
			*list = make(Counts, 0, max(finished, len(d.frontier)))
		}
		*list = append(*list, Count{id, n})
	}
	for i := range d.counts {
		c, id := &d.counts[i], g.Stages[i].ID
		add(&r.Attempts, id, c.attempts)
		add(&r.Finished, id, c.finished)
		add(&r.Visits, id, c.round)
		add(&r.Marks, id, c.mark)
	}
	for to, from := range d.joinInputs {
		if r.JoinInputs == nil {
			r.JoinInputs = map[graph.StageID][]graph.StageID{}
		}
		for i, in := range g.Stages[to].Inputs {
			if from.got[i] {
				r.JoinInputs[g.Stages[to].ID] = append(r.JoinInputs[g.Stages[to].ID], g.Stages[in].ID)
			}
		}
	}
	for to, from := range d.predecessors {
		if r.Predecessors == nil {
			r.Predecessors = map[graph.StageID][]graph.StageID{}
		}
		for _, n := range from {
			r.Predecessors[g.Stages[to].ID] = append(r.Predecessors[g.Stages[to].ID], g.Stages[n].ID)
		}
	}
}

func (d *driver) rowPtr() *Run { r := d.rowCopy(); return &r }

// enter puts stages on the frontier and opens nested graphs, and says so.
func (d *driver) enter(stages []int) {
	d.frontier = d.frontier[:0]
	for i := range d.counts {
		d.counts[i].attempts = 0
	}
	for _, n := range stages {
		d.enterStage(n, -1)
	}
	if !slices.IsSorted(d.frontier) {
		slices.Sort(d.frontier)
	}
	d.frontier = slices.Compact(d.frontier)
	d.changed = true
	d.started(d.frontier)
}

func (d *driver) enterStage(n, via int) {
	if via >= 0 && d.predecessors != nil {
		for _, from := range d.predecessors[via] {
			d.addPredecessor(n, from)
		}
	}
	if d.g.Stages[n].Stage.Graph == nil {
		d.frontier = append(d.frontier, n)
		return
	}
	d.opened(n)
	if s := &d.g.Stages[n].Stage; s.Scope != nil || s.Begins != nil {
		d.begins(n)
	}
	for _, c := range d.g.Stages[n].Entries {
		d.enterStage(c, n)
	}
}

// begins writes what a nested graph begins with.
func (d *driver) begins(n int) {
	patch := d.g.Begin(d.state, n)
	encoded, err := d.enc.Patch(d.g, patch)
	if err != nil {
		return // they are JSON values of a channel that the graph has
	}
	if next, err := d.state.Advance(patch); err == nil {
		d.state = next
		d.changes.Add(patch, encoded)
	}
}

// opened says that a nested graph begins.
func (d *driver) opened(n int) {
	if d.g.Stages[n].Stage.SoftTimeout > 0 {
		if d.entered == nil {
			d.entered = map[int]time.Time{}
		}
		d.entered[n] = d.at
	}
	d.note(note{kind: noteStarted, stage: int32(n), n: 1}, noData)
}

// started says that stages begin.
func (d *driver) started(stages []int) {
	for _, n := range stages {
		d.counts[n].attempts++
		d.note(note{kind: noteStarted, stage: int32(n), n: int32(d.counts[n].attempts)}, noData)
	}
}

// todo are the stages of the frontier that have neither a result nor an
// unanswered pause.
func (d *driver) todo() []int {
	d.todoList = d.todoList[:0]
	for _, n := range d.frontier {
		if d.done[n] == nil && (len(d.pauses) == 0 || !d.waits(d.g.Stages[n].ID)) {
			d.todoList = append(d.todoList, n)
		}
	}
	return d.todoList
}

// waits says that the stage asked and has had no answer since.
func (d *driver) waits(id graph.StageID) bool {
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
func (d *driver) kept(rerun []graph.StageID) []graph.StageID {
	var out []graph.StageID
	for n := range d.g.Stages {
		if id := d.g.Stages[n].ID; (d.counts[n].finished > 0 || d.done[n] != nil) && !slices.Contains(rerun, id) {
			out = append(out, id)
		}
	}
	return out
}

func (d *driver) openPauses() []graph.Pause {
	var out []graph.Pause
	for _, p := range d.pauses {
		if p.Answer == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b graph.Pause) int { return compare(a.ID, b.ID) })
	return out
}

// stopped is outcome for a drive that the store ended.
//
//go:noinline
func (d *driver) stopped(out *Outcome, err error) { *out = d.outcome(err) }

func (d *driver) outcome(err error) Outcome {
	return Outcome{Run: d.rowCopy(), State: d.state, Pauses: d.openPauses(), Err: err}
}
