package graph

import (
	"encoding/json"
	"errors"
	"fmt"
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

// kept is where a run stands: as admitted, or as it stopped.
type kept struct {
	row     *Run
	fence   uint64
	state   Snapshot
	pending []Pending
	pauses  []Pause
}

func (k *kept) checkpoint(last uint64) Checkpoint {
	cp := Checkpoint{Run: *k.row, state: k.state, Pending: k.pending, Pauses: k.pauses, LastSeq: last}
	cp.Run.Fence = k.fence
	return cp
}

// journal is what one session was told.
type journal struct {
	chunks [][]note
	seq    uint64
}

const chunkSize = 32

func (j *journal) add(e *Event) {
	j.seq++
	e.Seq = j.seq
	last := len(j.chunks) - 1
	if last < 0 || len(j.chunks[last]) == chunkSize {
		j.chunks = append(j.chunks, make([]note, 0, chunkSize))
		last++
	}
	j.chunks[last] = append(j.chunks[last], shorten(e))
}

// note is an event without the fields that its kind does not use. Events that
// carry more than a note holds are kept whole.
type note struct {
	at          time.Time
	turn        string
	kind        Kind
	stage, to   StageID
	word, words string // resolver or status, and reason
	patch       Patch
	n           int64
	took        time.Duration
	whole       *Event
}

func shorten(e *Event) note {
	short := note{at: e.At, turn: e.Turn, kind: e.Kind}
	switch b := e.body.(type) {
	case step:
		short.n = int64(b)
		return short
	case *Result:
		short.stage, short.n, short.words, short.word, short.patch, short.took = e.Stage, int64(e.Attempt), e.Reason, e.Status, b.Patch, b.took
		return short
	}
	switch {
	case e.Kind == StageStarted:
		short.stage, short.n = e.Stage, int64(e.Attempt)
	case e.Kind == Transition && e.Condition == "":
		short.stage, short.to, short.word, short.words = e.From, e.To, e.Resolver, e.Reason
	default:
		whole := *e
		short.whole = &whole
	}
	return short
}

// event is the opposite of shorten.
func (n *note) event(session string, seq uint64) Event {
	if n.whole != nil {
		e := *n.whole
		e.Seq = seq
		e.render()
		return e
	}
	e := Event{Seq: seq, At: n.at, Session: session, Turn: n.turn, Kind: n.kind, Stage: n.stage}
	switch n.kind {
	case CheckpointSaved:
		e.body = step(n.n)
	case StageCompleted:
		e.Attempt, e.Reason, e.Status = int(n.n), n.words, n.word
		e.body = &Result{Patch: n.patch, took: n.took}
	case StageStarted:
		e.Attempt = int(n.n)
	case Transition:
		e.Stage, e.From, e.To, e.Resolver, e.Reason = "", n.stage, n.to, n.word, n.words
	}
	e.render()
	return e
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
		k = &kept{row: c.Row, fence: c.Row.Fence, state: c.state}
		m.runs[c.Run] = k
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
	if len(c.Events) == 0 || m.NoJournal {
		return nil
	}
	j := m.journals[k.row.Session]
	if j == nil {
		j = &journal{}
		m.journals[k.row.Session] = j
	}
	for i := range c.Events {
		if c.Events[i].Kind != Token {
			j.add(&c.Events[i])
		}
	}
	return nil
}

func (m *Memory) find(id RunID) (*kept, uint64, error) {
	k := m.runs[id]
	if k == nil {
		return nil, 0, fmt.Errorf("graph: run %q: %w", id, ErrNoRun)
	}
	if j := m.journals[k.row.Session]; j != nil {
		return k, j.seq, nil
	}
	return k, 0, nil
}

// Acquire implements Checkpointer.
func (m *Memory) Acquire(id RunID) (Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, last, err := m.find(id)
	if err != nil {
		return Checkpoint{}, err
	}
	k.fence++
	return k.checkpoint(last), nil
}

// Load implements Checkpointer.
func (m *Memory) Load(id RunID) (Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, last, err := m.find(id)
	if err != nil {
		return Checkpoint{}, err
	}
	return k.checkpoint(last), nil
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
	seq := uint64(0)
	for _, chunk := range j.chunks {
		for i := range chunk {
			if seq++; seq > after {
				out = append(out, chunk[i].event(session, seq))
			}
		}
	}
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
