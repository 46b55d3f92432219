package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

// ErrLate says that a stage went on after its run had ended; nothing was kept.
var ErrLate = errors.New("run: the run has ended; this result is discarded")

// writer puts the commits of one run on disk in order. Whatever waits when the
// disk is free goes into one transaction. Its queue is short, so a slow store
// slows the run instead of growing memory.
type writer struct {
	store   Checkpointer
	publish func([]journal.Event)

	mu     sync.Mutex
	room   sync.Cond // queue got shorter, or the writer idle
	queue  []entry
	busy   bool
	sealed bool
	err    error // of the first failed commit without a waiter; all later ones fail with it
	run    *driver
}

type entry struct {
	commit *Commit
	done   chan<- error
	last   bool         // done waits for the run's end, not for this commit alone
	admit  chan<- error // hears of the run's admission
}

const queueLimit = 256

// put queues a commit. With done, the commit stands alone: its error goes there and
// does not end the run. Without, an error ends the run.
func (w *writer) put(c *Commit, done chan<- error) { w.enqueue(entry{commit: c, done: done}, false) }

// lazy queues a commit that may stay ahead of the disk until something waits for
// it: a further put, a flush, the end, or kick.
func (w *writer) lazy(c *Commit) { w.enqueue(entry{commit: c}, true) }

// kick starts writing what was put lazily.
func (w *writer) kick() {
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

// lazyLimit is how many commits may wait for no other reason than laziness.
const lazyLimit = 64

func (w *writer) enqueue(e entry, lazy bool) {
	journal.Render(e.commit.Events)
	fit(e.commit)
	w.mu.Lock()
	for len(w.queue) >= queueLimit && w.err == nil && !w.sealed {
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
	if !lazy || len(w.queue) >= lazyLimit {
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
	if e.admit != nil {
		e.admit <- err
	}
}

func (w *writer) drain() {
	w.mu.Lock()
	for len(w.queue) > 0 {
		// Commits that somebody waits for run alone, so that their failure is theirs.
		n := 0
		for n < len(w.queue) && (w.queue[n].done == nil || w.queue[n].last) {
			n++
		}
		n = max(n, 1)
		batch := w.queue[:n:n]
		w.queue = w.queue[n:]
		err := w.err
		w.room.Broadcast()
		w.mu.Unlock()

		if err == nil {
			commits := merge(batch)
			if err = w.apply(commits); err == nil {
				for _, c := range commits {
					if len(c.Events) > 0 && w.publish != nil {
						w.publish(c.Events)
					}
				}
			} else if batch[0].done == nil {
				w.fail(err)
			}
		}
		for _, e := range batch {
			e.tell(err)
		}
		w.mu.Lock()
	}
	w.busy = false
	w.room.Broadcast()
	w.mu.Unlock()
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

func (w *writer) fail(err error) {
	w.mu.Lock()
	first := w.err == nil
	if first {
		w.err = err
	}
	w.mu.Unlock()
	if first {
		w.run.fail(err)
	}
}

// flush waits until all that was put is on disk.
func (w *writer) flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { w.mu.Lock(); w.room.Broadcast(); w.mu.Unlock() })
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
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

// seal makes last the run's last commit and waits for it: what a stage sends
// afterwards is discarded.
func (w *writer) seal(last *Commit) error {
	done := make(chan error, 1)
	w.enqueue(entry{commit: last, done: done, last: true}, false)
	return <-done
}

// failure is the error that ended the writer's work; nil while all is well.
func (w *writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// merge puts commits that follow each other into one: the row as it was last,
// the last value of each channel, and only those results that no barrier dropped.
// Commits that run code of their own, or that ask, stay as they are.
func merge(batch []entry) []*Commit {
	out := make([]*Commit, 0, 1)
	for i, e := range batch {
		c := e.commit
		if len(out) == 0 || !c.merges() || !out[len(out)-1].merges() {
			out = append(out, c)
			continue
		}
		into := out[len(out)-1]
		if into == batch[i-1].commit {
			// The first of its kind here: make room for the events of all that may follow.
			n := len(into.Events)
			for _, next := range batch[i:] {
				n += len(next.commit.Events)
			}
			into.Events = append(make([]journal.Event, 0, n), into.Events...)
		}
		if c.Row != nil {
			into.Row = c.Row
		}
		if c.Clear {
			into.Clear, into.Add = true, nil
		}
		into.Add = append(into.Add, c.Add...)
		for _, v := range c.Set {
			if i := slices.IndexFunc(into.Set, func(o graph.ChannelValue) bool { return o.Channel == v.Channel && o.Key == v.Key }); i >= 0 {
				into.Set[i] = v
			} else {
				into.Set = append(into.Set, v)
			}
		}
		into.Events = append(into.Events, c.Events...)
	}
	return out
}

func (c *Commit) merges() bool { return c.Do == nil && len(c.Pauses) == 0 && len(c.Unask) == 0 }
