package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

// Memory is a Checkpointer for runs that need not outlive the process: dry runs,
// measurements, tests. It keeps journals and where each run stopped, as values
// and not as JSON, and no records, approvals or blobs. Safe for concurrent use.
type Memory struct {
	// NoJournal drops all events; set it before the first use.
	NoJournal bool

	mu       sync.RWMutex
	runs     map[RunID]*kept
	journals map[string]*journal
}

// kept is where a run stands, as admitted or as it stopped, and what was told of it.
type kept struct {
	row     *Run
	graph   *Graph // that the run began with
	fence   uint64
	state   Snapshot
	pending []Pending
	pauses  []Pause
	journal *journal
	notes   []note
}

func (k *kept) checkpoint() Checkpoint {
	cp := Checkpoint{Run: *k.row, state: k.state, Pending: k.pending, Pauses: k.pauses}
	cp.Run.Fence = k.fence
	if k.journal != nil {
		cp.LastSeq = k.journal.seq
	}
	return cp
}

// journal is what one session was told: the notes of its runs in the order of seq.
type journal struct {
	runs []*kept
	seq  uint64
}

// note is an event in short: stages by their place in the graph that the run began
// with. Events that say more than a note holds are kept whole.
type note struct {
	seq   uint64
	at    int64 // Unix nanoseconds
	kind  noteKind
	by    uint8 // place of the resolver in the chain
	node  int32
	to    int32
	n     int32  // attempt or step
	took  int64  // milliseconds
	text  string // status of a completion, reason of a transition
	patch Patch
	whole *Event
}

type noteKind uint8

const (
	noteWhole noteKind = iota
	noteStarted
	noteCompleted
	noteTransition
	noteStep
	noteBegun // of the whole run: text is the input
	noteEnded // text is the output, n the steps
)

func (k *kept) note() *note {
	k.journal.seq++
	k.notes = append(k.notes, note{seq: k.journal.seq})
	return &k.notes[len(k.notes)-1]
}

// add keeps an event.
func (k *kept) add(e *Event) {
	n := k.note()
	e.Seq = n.seq
	if k.graph == nil || e.At.Location() != k.row.StartedAt.Location() || !k.shorten(e, n) {
		whole := *e
		if _, ok := whole.body.(*Result); ok {
			whole.render() // it may be used again
		}
		n.kind, n.whole = noteWhole, &whole
	}
}

// shorten fills the note in, if it can hold the event.
func (k *kept) shorten(e *Event, n *note) bool {
	g := k.graph
	n.at = e.At.UnixNano()
	switch e.Kind {
	case TurnStarted:
		n.kind, n.text = noteBegun, e.Text
		return true
	case TurnCompleted:
		if b, ok := e.body.(steps); ok {
			n.kind, n.text, n.n = noteEnded, e.Text, int32(b)
			return true
		}
	case CheckpointSaved:
		if b, ok := e.body.(step); ok {
			n.kind, n.n = noteStep, int32(b)
			return true
		}
	case StageStarted, StageCompleted:
		i, ok := g.index[e.Stage]
		b, _ := e.body.(*Result)
		if !ok || e.Reason != "" || e.Error != "" || e.Kind == StageCompleted && b == nil {
			return false
		}
		n.kind, n.node, n.n, n.text = noteStarted, int32(i), int32(e.Attempt), e.Status
		if b != nil {
			n.kind, n.patch, n.took = noteCompleted, b.Patch, b.took.Milliseconds()
		}
		return true
	case Transition:
		i, ok := g.index[e.From]
		by := slices.Index(chainNames, e.Resolver)
		to, inside := g.index[e.To]
		if !inside {
			to = atEnd
		}
		if !ok || by < 0 || e.Condition != "" || !inside && e.To != g.prefix(i)+End {
			return false
		}
		n.kind, n.node, n.to, n.by, n.text = noteTransition, int32(i), int32(to), uint8(by), e.Reason
		return true
	}
	return false
}

// event is the opposite of add.
func (k *kept) event(n *note) Event {
	if n.kind == noteWhole {
		e := *n.whole
		e.Seq = n.seq
		e.render()
		return e
	}
	g := k.graph
	e := Event{Seq: n.seq, At: time.Unix(0, n.at).In(k.row.StartedAt.Location()), Session: k.row.Session, Turn: k.row.Turn}
	switch n.kind {
	case noteBegun:
		r := k.row
		e.Kind, e.Text, e.body = TurnStarted, n.text, begun{g.agent, g.fingerprint, r.Model, r.Practice, r.Vars}
	case noteEnded:
		e.Kind, e.Text, e.body = TurnCompleted, n.text, steps(n.n)
	case noteStep:
		e.Kind, e.body = CheckpointSaved, step(n.n)
	case noteStarted:
		e.Kind, e.Stage, e.Attempt, e.Status = StageStarted, g.nodes[n.node].id, int(n.n), n.text
	case noteCompleted:
		e.Kind, e.Stage, e.Attempt, e.Status = StageCompleted, g.nodes[n.node].id, int(n.n), n.text
		e.body = &Result{Patch: n.patch, took: time.Duration(n.took) * time.Millisecond}
	case noteTransition:
		e.Kind, e.From, e.Resolver, e.Reason = Transition, g.nodes[n.node].id, chainNames[n.by], n.text
		if e.To = g.prefix(int(n.node)) + End; n.to != atEnd {
			e.To = g.nodes[n.to].id
		}
	}
	e.render()
	return e
}

// stride keeps what a simple super-step has to say.
func (m *Memory) stride(k *kept, at time.Time, from, to, done int, res *Result, attempt int) {
	if m.NoJournal {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	ns := at.UnixNano()
	j := k.journal
	seq := j.seq
	j.seq += 3
	k.notes = append(k.notes,
		note{seq: seq + 1, at: ns, kind: noteCompleted, node: int32(from), n: int32(attempt), patch: res.Patch, took: res.took.Milliseconds()},
		note{seq: seq + 2, at: ns, kind: noteTransition, by: staticResolver, node: int32(from), to: int32(to)},
		note{seq: seq + 3, at: ns, kind: noteStep, n: int32(done)})
	if to != atEnd {
		j.seq++
		k.notes = append(k.notes, note{seq: j.seq, at: ns, kind: noteStarted, node: int32(to), n: 1})
	}
}

// NewMemory returns an empty one.
func NewMemory() *Memory {
	return &Memory{runs: map[RunID]*kept{}, journals: map[string]*journal{}}
}

// ErrVolatile says that a volatile store keeps no records, approvals or blobs.
var ErrVolatile = errors.New("graph: this store keeps runs only")

// Apply implements Checkpointer.
func (m *Memory) Apply(commits ...*Commit) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range commits {
		if err := m.apply(c); err != nil {
			return err
		}
	}
	return nil
}

func (m *Memory) apply(c *Commit) error {
	k := m.runs[c.Run]
	switch {
	case c.Admit && k != nil:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrRunExists)
	case c.Admit:
		k = &kept{row: c.Row, graph: c.state.graph, fence: c.Row.Fence, state: c.state}
		m.runs[c.Run] = k
		m.open(k)
	case k == nil:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrNoRun)
	case c.Fence != k.fence:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrFenced)
	}
	if c.Do != nil {
		if err := c.Do(nothing{}, c); err != nil {
			return err
		}
	}
	if c.Row != nil && !c.Admit {
		k.row, k.pauses, k.pending = c.Row, c.Pauses, c.Add
		if c.state.graph != nil {
			k.state = c.state
		}
	}
	if m.NoJournal {
		return nil
	}
	for i := range c.Events {
		if c.Events[i].Kind != Token {
			k.add(&c.Events[i])
		}
	}
	return nil
}

// open gives a run its part of the session's journal.
func (m *Memory) open(k *kept) {
	if m.NoJournal {
		return
	}
	j := m.journals[k.row.Session]
	if j == nil {
		j = &journal{}
		m.journals[k.row.Session] = j
	}
	k.journal = j
	j.runs = append(j.runs, k)
	if k.graph != nil {
		k.notes = make([]note, 0, min(4*len(k.graph.nodes)+2, 64))
	}
}

// run finds what is kept of a run that this store admitted.
func (m *Memory) run(id RunID) *kept {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.runs[id]
}

// Acquire implements Checkpointer.
func (m *Memory) Acquire(id RunID) (Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.runs[id]
	if k == nil {
		return Checkpoint{}, fmt.Errorf("graph: run %q: %w", id, ErrNoRun)
	}
	k.fence++
	return k.checkpoint(), nil
}

// Load implements Checkpointer.
func (m *Memory) Load(id RunID) (Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.runs[id]
	if k == nil {
		return Checkpoint{}, fmt.Errorf("graph: run %q: %w", id, ErrNoRun)
	}
	return k.checkpoint(), nil
}

// View implements Checkpointer; there is nothing to be seen.
func (m *Memory) View(fn func(Tx) error) error { return fn(nothing{}) }

// Journal returns the events of a session with a seq above after, oldest first.
func (m *Memory) Journal(session string, after uint64) []Event {
	m.mu.RLock()
	defer m.mu.RUnlock()
	j := m.journals[session]
	if j == nil {
		return nil
	}
	var out []Event
	for _, k := range j.runs {
		for i := range k.notes {
			if k.notes[i].seq > after {
				out = append(out, k.event(&k.notes[i]))
			}
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// Forget drops a session with its runs.
func (m *Memory) Forget(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.journals, session)
	for id, k := range m.runs {
		if k.row.Session == session {
			delete(m.runs, id)
		}
	}
}

// nothing is the transaction of a store without tables: there is nothing to read,
// and writes are refused.
type nothing struct{}

func (nothing) Record(record.Ref) (record.Record, error) { return record.Record{}, record.ErrNotFound }
func (nothing) PutRecord(record.Record) error            { return ErrVolatile }
func (nothing) DeleteRecord(record.Ref) error            { return record.ErrNotFound }
func (nothing) Records(string, string, func(record.Record) (bool, error)) error {
	return nil
}
func (nothing) RecordsAbout(record.Ref, string, func(record.Record) (bool, error)) error {
	return ErrVolatile
}
func (nothing) RecordsOf(string, string, func(record.Record) (bool, error)) error {
	return nil
}
func (nothing) RecordTypes() (map[string]int, error) { return nil, nil }
func (nothing) Approval(string) (ledger.Approval, error) {
	return ledger.Approval{}, ledger.ErrNotFound
}
func (nothing) PutApproval(ledger.Approval) error { return ErrVolatile }
func (nothing) Approvals(ledger.Status, func(ledger.Approval) (bool, error)) error {
	return nil
}
func (nothing) Entry(string) (ledger.Entry, error) { return ledger.Entry{}, ledger.ErrNotFound }
func (nothing) PutEntry(ledger.Entry) error        { return ErrVolatile }
func (nothing) Entries(string, func(ledger.Entry) (bool, error)) error {
	return nil
}
func (nothing) Skip(string, string) (json.RawMessage, error)  { return nil, nil }
func (nothing) PutSkip(string, string, json.RawMessage) error { return ErrVolatile }
func (nothing) PutBlob([]byte) (string, error)                { return "", ErrVolatile }
func (nothing) Blob(string) ([]byte, error)                   { return nil, ErrVolatile }
