package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// InMemory is a Checkpointer for runs that need not outlive the process: measurements and
// tests. The application keeps every run in a store. It keeps what the durable store keeps of runs, their journals
// and blobs, and no records or approvals. Safe for concurrent use.
type InMemory struct {
	heard []func(*journal.Event) // fixed before the first run

	// mu guards what follows.
	mu       sync.RWMutex
	runs     map[graph.RunID]*kept
	journals map[string]*told // by session
	blobs    map[string][]byte
	event    journal.Event // what who listens gets to see
}

// kept is one run.
type kept struct {
	row      *Run
	epoch    uint64
	channels []graph.ChannelValue
	places   graph.Places
	pending  []Pending
	pauses   []graph.Pause
}

// told is a session's journal: the commits that told something, as they came.
type told struct {
	commits []numbered
	last    uint64
}

// numbered is a commit of which the first event has this number.
type numbered struct {
	*Commit
	first uint64
}

// each shows the events that are kept, in order; see notes.each.
func (n numbered) each(e *journal.Event, see func(*journal.Event)) {
	n.notes.each(n.first, e, see)
	for i := range n.Events {
		if n.Events[i].Seq > 0 {
			see(&n.Events[i])
		}
	}
}

// NewInMemory returns an empty one.
func NewInMemory() *InMemory {
	return &InMemory{runs: map[graph.RunID]*kept{}, journals: map[string]*told{}, blobs: map[string][]byte{}}
}

// staged is the transaction of one Apply: what it wrote is seen by nobody else
// until all of it holds.
type staged struct {
	m     *InMemory
	blobs map[string][]byte
	given []int // events that each commit came with
	holds bool
	done  bool
}

func (s *staged) PutBlob(body []byte) (string, error) {
	if s.done {
		return "", ErrTxDone
	}
	name := BlobName(body)
	if s.blobs == nil {
		s.blobs = map[string][]byte{}
	}
	s.blobs[name] = slices.Clone(body)
	return name, nil
}

func (s *staged) Blob(name string) ([]byte, error) {
	if s.done {
		return nil, ErrTxDone
	}
	if b, ok := s.blobs[name]; ok {
		return b, nil
	}
	if b, ok := s.m.blobs[name]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("run: blob %q: %w", name, ErrNoBlob)
}

// Apply implements Checkpointer: whatever can fail comes before anything is kept.
func (m *InMemory) Apply(commits ...*Commit) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var tx *staged // for those that run code of their own
	if slices.ContainsFunc(commits, func(c *Commit) bool { return c.Do != nil }) {
		tx = &staged{m: m}
		for _, c := range commits {
			tx.given = append(tx.given, len(c.Events))
		}
		defer tx.end(commits) // also when a Do panics
	}
	for i, c := range commits {
		session, err := m.check(c, commits[:i])
		if err == nil && c.Do != nil {
			err = c.Do(tx, c.tell)
		}
		if err == nil {
			err = c.CheckSession(session)
		}
		if err == nil {
			err = c.checkJSON()
		}
		if err != nil {
			return err
		}
	}
	for _, c := range commits {
		m.apply(c)
	}
	if tx != nil {
		tx.holds = true
		maps.Copy(m.blobs, tx.blobs)
	}
	return nil
}

// end is that of the transaction: what its Dos told is taken back unless all holds.
func (s *staged) end(commits []*Commit) {
	s.done = true
	if s.holds {
		return
	}
	for i, c := range commits {
		c.Events = c.Events[:s.given[i]]
	}
}

// check says why a commit cannot be applied after those before it, or else of which session its run is.
func (m *InMemory) check(c *Commit, before []*Commit) (session string, err error) {
	if err := c.Check(); err != nil {
		return "", err
	}
	epoch, known := uint64(0), false
	if k := m.runs[c.Run]; k != nil {
		epoch, session, known = k.epoch, k.row.Session, true
	}
	for _, b := range before {
		if b.Admit && b.Run == c.Run {
			epoch, session, known = b.Row.LeaseEpoch, b.Row.Session, true
		}
	}
	switch {
	case c.Admit && known:
		return "", fmt.Errorf("run: run %q: %w", c.Run, ErrRunExists)
	case c.Admit:
		return c.Row.Session, nil
	case !known:
		return "", fmt.Errorf("run: run %q: %w", c.Run, ErrNoRun)
	case c.LeaseEpoch != epoch:
		return "", fmt.Errorf("run: run %q: %w", c.Run, ErrFenced)
	}
	return session, nil
}

// checkJSON refuses what a store that writes JSON could not write.
func (c *Commit) checkJSON() error {
	for i := range c.Add {
		for j := range c.Add[i].Writes {
			v := &c.Add[i].Writes[j]
			if err := errors.Join(isJSON(v.Value), isJSON(v.Append...)); err != nil {
				return err
			}
		}
	}
	for i := range c.Pauses {
		if err := isJSON(c.Pauses[i].Data, c.Pauses[i].Answer); err != nil {
			return err
		}
	}
	for _, events := range [...][]journal.Event{c.notes.wholes, c.Events} {
		for i := range events {
			if e := &events[i]; e.Kind != journal.Token && len(e.Data) > 0 {
				if err := isJSON(e.Data); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func isJSON(values ...json.RawMessage) error {
	for _, v := range values {
		if v == nil || json.Valid(v) {
			continue
		}
		if _, err := json.Marshal(v); err != nil { // says what is wrong
			return fmt.Errorf("run: encode: %w", err)
		}
	}
	return nil
}

func (m *InMemory) apply(c *Commit) {
	k := m.runs[c.Run]
	if c.Admit {
		k = &kept{epoch: c.Row.LeaseEpoch, channels: c.Set[:0]} // the commit is the store's
		m.runs[c.Run] = k
	}
	if c.Row != nil {
		k.row = c.Row
	}
	for _, v := range c.Set {
		k.set(v)
	}
	if c.Clear {
		k.pending = nil
	}
	for _, p := range c.Add {
		if i := slices.IndexFunc(k.pending, func(o Pending) bool { return o.Stage == p.Stage }); i >= 0 {
			k.pending[i] = p
		} else {
			k.pending = append(k.pending, p)
		}
	}
	for _, p := range c.Pauses {
		if i := slices.IndexFunc(k.pauses, func(o graph.Pause) bool { return o.ID == p.ID }); i >= 0 {
			k.pauses[i] = p
		} else {
			k.pauses = append(k.pauses, p)
		}
	}
	if len(c.Unask) > 0 {
		k.pauses = slices.DeleteFunc(k.pauses, func(p graph.Pause) bool { return slices.Contains(c.Unask, p.ID) })
	}
	m.tell(k.row.Session, c)
}

// set keeps a change of a channel. A key that was taken away is one without a value.
func (k *kept) set(v graph.ChannelValue) {
	at := k.places.Find(k.channels, v.Channel, v.Key)
	switch {
	case v.Key != "":
		if v.Append = nil; string(v.Value) == "null" {
			v.Value = nil
		}
	case len(v.Append) > 0 && v.Value == nil && at >= 0:
		v.Value, v.Append = k.channels[at].Value, append(k.channels[at].Append, v.Append...)
	}
	if at >= 0 {
		k.channels[at] = v
		return
	}
	k.channels = append(k.channels, v)
	k.places.Added(k.channels)
}

// tell numbers the events of a commit and keeps them.
func (m *InMemory) tell(session string, c *Commit) {
	j := m.journals[session]
	if j == nil {
		j = new(told)
		m.journals[session] = j
	}
	n := numbered{c, j.last + 1}
	j.last += uint64(len(c.notes.list))
	for i := range c.Events {
		if c.Events[i].Render(); c.Events[i].Kind != journal.Token {
			if j.last++; c.Events[i].Session == "" {
				c.Events[i].Session = session
			}
			c.Events[i].Seq = j.last
		}
	}
	if len(m.heard) > 0 {
		m.publish(n)
	}
	if j.last >= n.first {
		j.commits = append(j.commits, n)
	}
}

// Subscribe hands every event that is kept to fn, in the order of seq. fn must be
// quick, must not use the store, and must copy the event if it keeps it. Subscribers
// are added before the first run.
func (m *InMemory) Subscribe(fn func(*journal.Event)) { m.heard = append(m.heard, fn) }

// publish tells who listens.
func (m *InMemory) publish(n numbered) {
	n.each(&m.event, func(e *journal.Event) {
		for _, fn := range m.heard {
			fn(e)
		}
	})
}

// Acquire implements Checkpointer.
func (m *InMemory) Acquire(id graph.RunID) (Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.runs[id]
	if k == nil {
		return Checkpoint{}, fmt.Errorf("run: run %q: %w", id, ErrNoRun)
	}
	k.epoch++
	return m.checkpoint(k), nil
}

// Load implements Checkpointer.
func (m *InMemory) Load(id graph.RunID) (Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.runs[id]
	if k == nil {
		return Checkpoint{}, fmt.Errorf("run: run %q: %w", id, ErrNoRun)
	}
	return m.checkpoint(k), nil
}

func (m *InMemory) checkpoint(k *kept) Checkpoint {
	cp := Checkpoint{Run: *k.row, Pending: slices.Clone(k.pending), Pauses: slices.Clone(k.pauses), LastSeq: m.journals[k.row.Session].last}
	cp.Run.LeaseEpoch = k.epoch
	for _, v := range k.channels {
		if v.Key == "" || v.Value != nil {
			cp.Channels = append(cp.Channels, v)
		}
	}
	return cp
}

// View implements Checkpointer.
func (m *InMemory) View(fn func(graph.Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	tx := &staged{m: m}
	defer func() { tx.done = true }()
	return fn(readOnly{tx})
}

// readOnly refuses to write.
type readOnly struct{ *staged }

func (r readOnly) PutBlob([]byte) (string, error) {
	if r.done {
		return "", ErrTxDone
	}
	return "", ErrView
}
