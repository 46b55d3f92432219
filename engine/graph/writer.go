package graph

import (
	"context"
	"fmt"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// writer puts the commits of one run on disk in order. Whatever waits when the
// disk is free goes into one transaction. Its queue is short, so a slow store
// slows the run instead of growing memory.
type writer struct {
	store   Checkpointer
	publish func([]Event)

	mu     sync.Mutex
	room   sync.Cond // queue got shorter, or the writer idle
	queue  []entry
	busy   bool
	sealed bool
	err    error // of the first failed commit without a waiter; all later ones fail with it
	failed func(error)
}

type entry struct {
	commit *Commit
	done   chan<- error
}

const queueLimit = 256

func newWriter(store Checkpointer, publish func([]Event), failed func(error)) *writer {
	w := &writer{store: store, publish: publish, failed: failed}
	w.room.L = &w.mu
	return w
}

// put queues a commit. With done, the commit stands alone: its error goes there and
// does not end the run. Without, an error ends the run.
func (w *writer) put(c *Commit, done chan<- error) { w.enqueue(c, done, false) }

func (w *writer) enqueue(c *Commit, done chan<- error, last bool) {
	fit(c)
	w.mu.Lock()
	for len(w.queue) >= queueLimit && w.err == nil && !w.sealed {
		w.room.Wait()
	}
	err := w.err
	if w.sealed {
		err = ErrLate
	}
	if err != nil {
		w.mu.Unlock()
		if done != nil {
			done <- err
		}
		return
	}
	w.queue = append(w.queue, entry{c, done})
	if last {
		w.sealed = true
		w.room.Broadcast()
	}
	if !w.busy {
		w.busy = true
		go w.drain()
	}
	w.mu.Unlock()
}

func (w *writer) drain() {
	w.mu.Lock()
	for len(w.queue) > 0 {
		// Commits that somebody waits for run alone, so that their failure is theirs.
		n := 0
		for n < len(w.queue) && w.queue[n].done == nil {
			n++
		}
		n = max(n, 1)
		batch := w.queue[:n:n]
		w.queue = w.queue[n:]
		err := w.err
		w.room.Broadcast()
		w.mu.Unlock()

		if err == nil {
			commits := make([]*Commit, n)
			for i, e := range batch {
				commits[i] = e.commit
			}
			if err = w.apply(commits); err == nil {
				for _, c := range commits {
					if len(c.Events) > 0 {
						w.publish(c.Events)
					}
				}
			} else if batch[0].done == nil {
				w.fail(err)
			}
		}
		if done := batch[0].done; done != nil {
			done <- err
		}
		w.mu.Lock()
	}
	w.busy = false
	w.room.Broadcast()
	w.mu.Unlock()
}

// apply turns a panic of a commit's Do into an error: the store has rolled back.
func (w *writer) apply(commits []*Commit) (err error) {
	if caught := panics.Try(func() { err = w.store.Apply(commits...) }); caught != nil {
		return fmt.Errorf("graph: a commit panicked: %v", caught.Value)
	}
	return err
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
		w.failed(err)
	}
}

// flush waits until all that was put is on disk.
func (w *writer) flush(ctx context.Context) error {
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

// seal makes last the run's last commit and waits for it: what a stage sends
// afterwards is discarded.
func (w *writer) seal(last *Commit) error {
	done := make(chan error, 1)
	w.enqueue(last, done, true)
	return <-done
}
