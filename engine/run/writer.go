package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// ErrLate says that a stage went on after its run had ended; nothing was kept.
var ErrLate = errors.New("run: the run has ended; this result is discarded")

// writer puts the commits of one run on disk in order. Whatever waits when the
// disk is free goes into one transaction. Its queue is short, so a slow store
// slows the run instead of growing memory.
type writer struct {
	// Fixed before the first commit.
	store Checkpointer
	owner *driver // hears of err; nil when nobody drives

	// mu guards what follows up to err.
	mu     sync.Mutex
	room   sync.Cond // queue got shorter, or the writer idle
	queue  []entry
	rows   int   // commits on their way that change rows of others
	busy   bool  // somebody writes
	sealed bool  // nothing comes any more
	err    error // of the first failed commit without a waiter; all later ones fail with it

	// Read by all without mu.
	broken atomic.Bool // err is set
	some   atomic.Bool // something is on disk

	one [1]*Commit // of whoever set busy to write without the queue
}

type entry struct {
	commit *Commit
	alone  bool       // its failure is its own and does not end the run
	last   bool       // nothing comes after it
	done   chan error // hears how it went; nil when nobody waits
}

const queueLimit = 256

// when says what whoever hands a commit over goes on after.
type when bool

const (
	nothing when = false // it is written when something waits for it, or start is called
	durable when = true  // it is on disk, or failed
)

// hand gives the writer the run's next commit. With nothing its error ends the run;
// with durable it is returned. Who waits writes what is queued, unless somebody else
// does.
func (w *writer) hand(e entry, after when) error {
	if after == nothing {
		w.enqueue(e)
		return nil
	}
	w.mu.Lock()
	if !w.busy && len(w.queue) == 0 && w.shut() == nil {
		// Nobody else is here.
		w.busy, w.sealed = true, e.last
		w.mu.Unlock()
		prepare(e.commit)
		w.one[0] = e.commit
		err := w.write(w.one[:], e.alone)
		w.drain()
		return err
	}
	w.mu.Unlock()
	e.done = make(chan error, 1)
	w.enqueue(e)
	w.work()
	return <-e.done
}

// start begins to write what is queued, on a goroutine of its own.
func (w *writer) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
}

func (w *writer) begin() {
	if !w.busy && len(w.queue) > 0 {
		w.busy = true
		go w.drain()
	}
}

// work writes what is queued on this goroutine, unless another one does.
func (w *writer) work() {
	w.mu.Lock()
	if w.busy || len(w.queue) == 0 {
		w.mu.Unlock()
		return
	}
	w.busy = true
	w.mu.Unlock()
	w.drain()
}

// startLimit is how many commits may be queued before they are written though nothing
// waits for them.
const startLimit = 64

// prepare makes the events of a commit ready for a store.
func prepare(c *Commit) {
	journal.Render(c.Events)
	fit(c)
}

func (w *writer) enqueue(e entry) {
	prepare(e.commit)
	w.mu.Lock()
	for len(w.queue) >= queueLimit && w.err == nil && !w.sealed {
		w.begin()
		w.room.Wait()
	}
	if err := w.shut(); err != nil {
		w.mu.Unlock()
		e.tell(err)
		return
	}
	if e.last {
		w.sealed = true
		w.room.Broadcast()
	}
	w.queue = append(w.queue, e)
	if e.commit.Do != nil {
		w.rows++
	}
	if len(w.queue) >= startLimit {
		w.begin()
	}
	w.mu.Unlock()
}

// shut says why nothing more is taken.
func (w *writer) shut() error {
	if w.sealed {
		return ErrLate
	}
	return w.err
}

// tell passes on how the commit went.
func (e entry) tell(err error) {
	if e.done != nil {
		e.done <- err
	}
}

// drain writes until nothing is queued; its caller has made the writer busy.
func (w *writer) drain() {
	w.mu.Lock()
	for len(w.queue) > 0 {
		// A commit that stands alone goes alone, so that its failure is its own.
		n := 0
		for n < len(w.queue) && !w.queue[n].alone {
			n++
		}
		n = max(n, 1)
		batch := w.queue[:n:n]
		w.queue = w.queue[n:]
		err := w.err
		w.room.Broadcast()
		w.mu.Unlock()
		if err == nil {
			err = w.write(merge(batch), batch[0].alone)
		}
		for _, e := range batch {
			e.tell(err)
		}
		w.mu.Lock()
		for _, e := range batch {
			if e.commit.Do != nil {
				w.rows--
			}
		}
	}
	w.busy = false
	w.room.Broadcast()
	w.mu.Unlock()
}

// write puts commits on disk.
func (w *writer) write(commits []*Commit, alone bool) error {
	err := w.apply(commits)
	if err != nil {
		if !alone {
			w.fail(err)
		}
		return err
	}
	w.some.Store(true)
	return nil
}

// apply turns a panic of a commit's Do into an error: the store has rolled back.
func (w *writer) apply(commits []*Commit) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("run: a commit panicked: %v", caught)
		}
	}()
	return w.store.Apply(commits...)
}

// ended says that the run's last commit was put, or can no longer be.
func (w *writer) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sealed || w.err != nil
}

// idle says that the last commit is on disk and nobody is at work.
func (w *writer) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sealed && w.err == nil && !w.busy
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	first := w.err == nil
	if first {
		w.err = err
		w.broken.Store(true)
	}
	w.mu.Unlock()
	if first && w.owner != nil {
		w.owner.fail(err)
	}
}

// flush waits until all that was queued is on disk.
func (w *writer) flush(ctx context.Context) error {
	w.work()
	stop := context.AfterFunc(ctx, func() { w.mu.Lock(); w.room.Broadcast(); w.mu.Unlock() })
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy && w.err == nil && ctx.Err() == nil {
		w.room.Wait()
	}
	if w.err != nil {
		return w.err
	}
	if w.busy {
		return ctx.Err()
	}
	return nil
}

// settled waits until the rows that stages before changed are on disk.
func (w *writer) settled() error {
	w.mu.Lock()
	rows := w.rows
	w.mu.Unlock()
	if rows == 0 {
		return nil
	}
	return w.flush(context.Background())
}

// failure is the error that ended the writer's work; nil while all is well.
func (w *writer) failure() error {
	if !w.broken.Load() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// merge puts commits that follow each other into one: the row as it was last, the
// last value of each channel, and only those results that no barrier dropped.
// Commits that run code of their own, or that ask, stay as they are.
func merge(batch []entry) []*Commit {
	out := make([]*Commit, 0, 1)
	for _, e := range batch {
		c := e.commit
		if len(out) == 0 || !c.merges() || !out[len(out)-1].merges() {
			out = append(out, c)
			continue
		}
		into := out[len(out)-1]
		if c.Row != nil {
			into.Row = c.Row
		}
		if c.Clear {
			into.Clear, into.Add = true, nil
		}
		into.Add = append(into.Add, c.Add...)
		for _, v := range c.Set {
			into.set(v)
		}
		if len(into.Events) == 0 && (len(into.notes.list) == 0 || into.notes.graph == c.notes.graph && into.notes.run == c.notes.run || len(c.notes.list) == 0) {
			if len(into.notes.list) == 0 {
				into.notes = c.notes
			} else {
				into.notes.add(&c.notes)
			}
		} else {
			into.Unfold()
			c.Unfold()
		}
		into.Events = append(into.Events, c.Events...)
	}
	return out
}

// set replaces what the commit says of a channel, or adds to a list.
func (c *Commit) set(v graph.ChannelValue) {
	i := slices.IndexFunc(c.Set, func(o graph.ChannelValue) bool { return o.Channel == v.Channel && o.Key == v.Key })
	switch {
	case i < 0:
		c.Set = append(c.Set, v)
	case v.Append != nil && c.Set[i].Append != nil:
		c.Set[i].Append = slices.Concat(c.Set[i].Append, v.Append)
	case v.Append != nil:
		c.Set = append(c.Set, v) // a whole list, and more of it
	default:
		c.Set[i] = v
	}
}

func (c *Commit) merges() bool { return c.Do == nil && len(c.Pauses) == 0 && len(c.Unask) == 0 }
