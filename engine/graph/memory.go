package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

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
	runs     map[RunID]*Checkpoint
	journals map[string]*journal
}

// journal is what one session was told, in the pieces in which it was told.
type journal struct {
	pieces [][]Event
	seq    uint64
}

// NewMemory returns an empty one.
func NewMemory() *Memory {
	return &Memory{runs: map[RunID]*Checkpoint{}, journals: map[string]*journal{}}
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
	cp := m.runs[c.Run]
	switch {
	case c.Admit && cp != nil:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrRunExists)
	case c.Admit:
		cp = &Checkpoint{Run: *c.Row, state: c.state}
		m.runs[c.Run] = cp
	case cp == nil:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrNoRun)
	case c.Fence != cp.Run.Fence:
		return fmt.Errorf("graph: run %q: %w", c.Run, ErrFenced)
	}
	if c.Do != nil {
		if err := c.Do(nothing{}, c); err != nil {
			return err
		}
	}
	if c.Row != nil && !c.Admit {
		fence := cp.Run.Fence
		cp.Run = *c.Row
		cp.Run.Fence = fence
		cp.Pauses, cp.Pending = c.Pauses, c.Add
		if c.state.graph != nil {
			cp.state = c.state
		}
	}
	if len(c.Events) == 0 || m.NoJournal {
		return nil
	}
	j := m.journals[cp.Run.Session]
	if j == nil {
		j = &journal{}
		m.journals[cp.Run.Session] = j
	}
	for i := range c.Events {
		if c.Events[i].Kind != Token {
			j.seq++
			c.Events[i].Seq = j.seq
		}
	}
	j.pieces = append(j.pieces, c.Events)
	cp.LastSeq = j.seq
	return nil
}

// Acquire implements Checkpointer.
func (m *Memory) Acquire(id RunID) (Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cp := m.runs[id]
	if cp == nil {
		return Checkpoint{}, fmt.Errorf("graph: run %q: %w", id, ErrNoRun)
	}
	cp.Run.Fence++
	return *cp, nil
}

// Load implements Checkpointer.
func (m *Memory) Load(id RunID) (Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	cp := m.runs[id]
	if cp == nil {
		return Checkpoint{}, fmt.Errorf("graph: run %q: %w", id, ErrNoRun)
	}
	return *cp, nil
}

// View implements Checkpointer; there is nothing to be seen.
func (m *Memory) View(fn func(Tx) error) error { return fn(nothing{}) }

// Journal returns the events of a session with a seq above after, oldest first.
func (m *Memory) Journal(session string, after uint64) []Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.journals[session]
	if j == nil {
		return nil
	}
	var out []Event
	for _, piece := range j.pieces {
		renderAll(piece)
		for _, e := range piece {
			if e.Seq > after {
				out = append(out, e)
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
	for id, cp := range m.runs {
		if cp.Run.Session == session {
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
