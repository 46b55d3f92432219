package graph

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// ErrLate says that a stage went on after its run had ended; nothing was kept.
var ErrLate = errors.New("graph: the run has ended; this result is discarded")

// Task is one start of one stage: what it may read and whom it may tell. Its
// methods are safe for concurrent use by the goroutines of the stage.
type Task struct {
	// State is the state before the super-step.
	State Snapshot
	// Run is the run's row at the start of the super-step, without what it counts by
	// stage; shared, so read-only. A graph without hooks, context, growth or tolerance
	// sees it as it was when the run was taken up.
	Run *Run
	// Stage is the full id, Attempt counts its starts in this super-step from 1.
	Stage   StageID
	Attempt int
	// Live is what the caller handed to Start or Resume: things that live beside
	// the state and are never stored.
	Live any
	// Light says that the stage is to use the light model.
	Light bool
	// Flags are the stage's.
	Flags Flag
	// Round counts the super-steps of this visit, from 0 on entry; it survives a restart.
	Round int
	// Finished counts the super-steps that the stage has finished in this run.
	Finished int

	answers map[string]json.RawMessage
	d       *driver
	g       *Graph // the driver's may change
	node    int
	mark    int // length of the history when the visit began
	// before is a stage that led here and failed.
	before      StageID
	beforeError string
}

// Answer returns the answer to the pause with this id.
func (t *Task) Answer(pause string) (json.RawMessage, bool) {
	a, ok := t.answers[pause]
	return a, ok
}

// Now is the run's clock.
func (t *Task) Now() time.Time { return t.d.x.now() }

// NewID makes an id from the run's source of ids.
func (t *Task) NewID() string { return t.d.x.newID() }

// Emit appends events to the journal. They are on disk before anybody sees them;
// Emit itself does not wait for that.
func (t *Task) Emit(events ...Event) {
	events = slices.Clone(events) // the writer keeps them
	for i := range events {
		t.stamp(&events[i])
	}
	t.d.w.put(&Commit{Run: t.Run.ID, Fence: t.Run.Fence, Events: events}, nil)
}

func (t *Task) stamp(e *Event) {
	if e.Stage == "" {
		e.Stage = t.Stage
	}
	if e.At.IsZero() {
		e.At = t.d.x.now()
	}
	e.Session, e.Turn = t.Run.Session, t.Run.Turn
}

// Commit changes rows outside the run's state in a transaction of its own, with
// events. All that precedes it is on disk first, and it is on disk when Commit
// returns nil. A cancelled context does not interrupt it: what is finished is recorded.
func (t *Task) Commit(do func(Tx, *Commit) error, events ...Event) error {
	events = slices.Clone(events)
	for i := range events {
		t.stamp(&events[i])
	}
	done := make(chan error, 1)
	if t.Flags.Has(ReadOnly) {
		return ErrReadOnly
	}
	c := &Commit{Run: t.Run.ID, Fence: t.Run.Fence, Events: events}
	c.Do = func(tx Tx, c *Commit) error {
		n := len(c.Events)
		if err := do(tx, c); err != nil {
			return err
		}
		for i := n; i < len(c.Events); i++ {
			t.stamp(&c.Events[i])
		}
		return nil
	}
	t.d.w.put(c, done)
	return <-done
}

// View reads rows outside the run's state on a consistent snapshot of the disk.
func (t *Task) View(fn func(Tx) error) error { return t.d.x.store.View(fn) }

// Stream starts a message that the person can watch being written. The text
// reaches subscribers in pieces; the caller stores the whole as one Message event.
func (t *Task) Stream(message string) *Stream {
	t.Emit(Event{Kind: MessageStarted, Message: message})
	return &Stream{t: t, message: message}
}

// Stream merges the deltas of one message for 40 ms each.
type Stream struct {
	t       *Task
	message string

	mu     sync.Mutex
	buf    []byte
	sent   int
	timer  *time.Timer
	closed bool
}

const streamEvery = 40 * time.Millisecond

// Write adds a delta. It never blocks on a subscriber.
func (s *Stream) Write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || text == "" {
		return
	}
	s.buf = append(s.buf, text...)
	if s.timer == nil {
		s.timer = time.AfterFunc(streamEvery, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.flush(wholeRunes(s.buf))
		})
	}
}

// Close sends what is left.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(len(s.buf))
	s.closed = true
}

// flush sends the first n bytes. After the run's end nobody may see more.
func (s *Stream) flush(n int) {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if n == 0 || s.closed || s.t.d.w.ended() {
		return
	}
	e := Event{Kind: Token, Message: s.message, Offset: s.sent, Text: string(s.buf[:n])}
	s.sent += n
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.t.stamp(&e)
	if publish := s.t.d.x.publish; publish != nil {
		publish([]Event{e})
	}
}

// wholeRunes is the length of b without a character that is not complete yet.
func wholeRunes(b []byte) int {
	for i := max(0, len(b)-utf8.UTFMax+1); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			return i
		}
	}
	return len(b)
}
