package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

var (
	// ErrClosed says that the lake takes nothing any more.
	ErrClosed = errors.New("memory: the lake is closed")
	// ErrNothing is what Make says of a conversation of which nothing is to be remembered.
	ErrNothing = errors.New("memory: there is nothing to remember")
)

// Options of Open.
type Options struct {
	Store Store
	// Make makes the episode of a row: its text, who wrote it, and what turns it covers. old
	// is the episode as it is, the zero value for none. ErrNothing drops the row; any other
	// error has it made later. It is called by several workers and ends soon after ctx.
	Make func(ctx context.Context, w Waiting, old Episode) (Episode, error)
	// Vectors makes those of an episode that was made; nil, or a nil result, leaves it to
	// the first search.
	Vectors func(ctx context.Context, e Episode) (*Vectors, error)
	Now     func() time.Time
	// Rest is how long a conversation rests before it is made: one that goes on is made once.
	Rest time.Duration
	// Most bounds the queue; who accepts more waits until there is room. 0 means 200,000.
	Most int
	// Changed hears when episodes were kept, or the queue grew; it must be quick.
	Changed func()
	// Paused only takes rows, for measuring: nothing is made before Go.
	Paused bool
}

const (
	// workers of each of the two layers.
	workers    = 3
	usualMost  = 200_000
	mostAtOnce = 256 // rows of one transaction
	// ahead bounds the rows that are handed out at a time, and those that are made and not
	// kept yet: whoever keeps takes all of them in one transaction.
	ahead = mostAtOnce
	// A row that failed is made again after retryFirst, then after twice that, up to retryMost.
	retryFirst, retryMost = time.Second, 5 * time.Minute
)

// Lake makes episodes in the background. Safe for concurrent use.
type Lake struct {
	o       Options
	accepts chan accepting
	todo    chan string // ids, to the first layer
	made    chan made   // to the second
	wake    chan struct{}
	stop    chan struct{} // closed by Close
	taken   chan struct{} // closed once no row is taken any more
	ctx     context.Context
	cancel  context.CancelFunc
	front   conc.WaitGroup // takes rows
	back    conc.WaitGroup // hands them out
	first   conc.WaitGroup // makes them
	second  conc.WaitGroup // keeps them

	mu      sync.Mutex
	paused  bool
	closing bool
	// busy are the rows that are handed out, bounded by what the channels hold.
	busy map[string]bool
	// given are those that failed since Close, which are left for the next start.
	given map[string]bool
	kept  uint64
	fails uint64
	// held is when work goes on after the store failed.
	held time.Time
	last string // the last failure, in words
}

type accepting struct {
	row  Waiting
	done chan error
}

type made struct {
	row     Waiting
	episode Episode
	vectors *Vectors
	err     error
}

// Open starts a lake on the rows that the store has.
func Open(o Options) *Lake {
	if o.Most == 0 {
		o.Most = usualMost
	}
	l := &Lake{o: o, paused: o.Paused, accepts: make(chan accepting, mostAtOnce), todo: make(chan string, ahead), made: make(chan made, ahead),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), taken: make(chan struct{}), busy: map[string]bool{}, given: map[string]bool{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.front.Go(l.take)
	l.back.Go(l.hand)
	for range workers {
		l.first.Go(l.make)
		l.second.Go(l.keep)
	}
	return l
}

// Accept returns nil once the row is on disk. Rows that are accepted at the same time share
// one transaction. It waits for room in the queue, until ctx ends.
func (l *Lake) Accept(ctx context.Context, w Waiting) error {
	a := accepting{row: w, done: make(chan error, 1)}
	select {
	case <-l.stop:
		return ErrClosed
	default:
	}
	select {
	case l.accepts <- a:
	case <-l.stop:
		return ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("memory: the lake has no room: %w", ctx.Err())
	}
	select {
	case err := <-a.done:
		return err
	case <-l.taken:
		// The lake closed; rows that got in just before were still answered.
		select {
		case err := <-a.done:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		// It may still be written, which is no harm: the same conversation wins over itself.
		return fmt.Errorf("memory: the lake has no room: %w", ctx.Err())
	}
}

// gather is how long a transaction that others may join is held open for them. It is far
// less than its fsync, and nobody who hands over alone waits for it.
const gather = 200 * time.Microsecond

// take writes accepted rows, those that wait together in one transaction.
func (l *Lake) take() {
	defer close(l.taken)
	batch, together := make([]accepting, 0, mostAtOnce), 0
	for {
		// Who was served together comes back together: without a moment of patience half of
		// them would miss each transaction, and wait for that of the others and for their own.
		together = max(len(batch), together/2)
		batch = batch[:0]
		select {
		case a := <-l.accepts:
			batch = append(batch, a)
		case <-l.stop:
			// Whoever got in before is still served.
			select {
			case a := <-l.accepts:
				batch = append(batch, a)
			default:
				return
			}
		}
		batch = l.joined(batch, together)
		err := l.room(len(batch))
		if err == nil {
			err = l.o.Store.UpdateMemory(func(tx Tx) error {
				for _, a := range batch {
					w := a.row
					w.At = l.o.Now()
					w.Due, w.Failed = w.At.Add(l.o.Rest), 0
					if err := tx.Enqueue(w); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, a := range batch {
			a.done <- err
		}
		l.rouse()
	}
}

// joined adds the rows that wait by now, and those that come in a moment where as many as
// before are on their way.
func (l *Lake) joined(batch []accepting, before int) []accepting {
	var patience <-chan time.Time
	for len(batch) < mostAtOnce {
		select {
		case a := <-l.accepts:
			batch = append(batch, a)
			continue
		default:
		}
		if before < 2 || len(batch) >= before {
			break
		}
		if patience == nil {
			timer := time.NewTimer(gather)
			defer timer.Stop()
			patience = timer.C
		}
		select {
		case a := <-l.accepts:
			batch = append(batch, a)
		case <-patience:
			return batch
		}
	}
	return batch
}

// room waits until the queue has room for more rows.
func (l *Lake) room(n int) error {
	for {
		length := 0
		if err := l.o.Store.ViewMemory(func(tx Tx) (err error) {
			length, err = tx.QueueLength()
			return err
		}); err != nil {
			return err
		}
		if length+n <= max(l.o.Most, n) {
			return nil
		}
		timer := time.NewTimer(10 * time.Millisecond)
		select {
		case <-timer.C:
		case <-l.stop:
			timer.Stop()
			return ErrClosed
		}
	}
}

func (l *Lake) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if l.o.Changed != nil {
		l.o.Changed()
	}
}

// Go lets a paused lake work.
func (l *Lake) Go() {
	l.mu.Lock()
	l.paused = false
	l.mu.Unlock()
	l.rouse()
}

// hand gives out rows that are due to the first layer. What waits stays on disk: memory does
// not grow with the queue.
func (l *Lake) hand() {
	defer close(l.todo)
	for {
		ids, next, idle, err := l.due()
		for _, id := range ids {
			select {
			case l.todo <- id:
			case <-l.ctx.Done():
				return
			}
		}
		if len(ids) > 0 {
			continue
		}
		if idle || l.ctx.Err() != nil {
			return
		}
		wait := retryMost
		switch {
		case err != nil:
			wait = retryFirst
		case next != nil:
			wait = *next
		}
		timer := time.NewTimer(wait)
		select {
		case <-l.wake:
		case <-timer.C:
		case <-l.ctx.Done():
		}
		timer.Stop()
	}
}

// due are rows to be made now, marked as handed out, or how long until there is one; nil for
// as long as nothing happens. A lake that closes is idle once nothing is left to be made: that
// is seen in the same breath, since a row that is just being written may have to be made again.
func (l *Lake) due() (ids []string, next *time.Duration, idle bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle = l.closing && len(l.busy) == 0
	if l.paused {
		return nil, nil, idle, nil
	}
	now := l.o.Now()
	if wait := l.held.Sub(now); wait > 0 && !l.closing {
		return nil, new(wait), false, nil
	}
	err = l.o.Store.ViewMemory(func(tx Tx) error {
		return tx.Due(func(w Waiting) (bool, error) {
			id := w.ID()
			if l.busy[id] || l.given[id] {
				return true, nil
			}
			// At the end nobody waits for a conversation to rest.
			if w.Due.After(now) && !l.closing {
				if len(ids) == 0 {
					next = new(w.Due.Sub(now))
				}
				return false, nil
			}
			ids = append(ids, id)
			return len(ids) < ahead, nil
		})
	})
	if err != nil {
		return nil, nil, idle, err
	}
	for _, id := range ids {
		l.busy[id] = true
	}
	return ids, next, idle && len(ids) == 0 && next == nil, nil
}

// make is a worker of the first layer: it takes the newest of a pair and makes its episode.
func (l *Lake) make() {
	for id := range l.todo {
		var w Waiting
		var old Episode
		var there bool
		err := l.o.Store.ViewMemory(func(tx Tx) (err error) {
			if w, there, err = tx.Queued(id); err != nil || !there {
				return err
			}
			if old, err = tx.Episode(id); errors.Is(err, ErrNotFound) {
				err = nil
			}
			return err
		})
		if !there { // it was forgotten meanwhile, or the store failed
			l.failed(err)
			l.free(id)
			continue
		}
		m := made{row: w, err: err}
		if m.err == nil {
			m.episode, m.err = l.o.Make(l.ctx, w, old)
		}
		if m.err == nil && l.o.Vectors != nil {
			m.vectors, _ = l.o.Vectors(l.ctx, m.episode) // the first search makes them otherwise
		}
		if m.err != nil && l.ctx.Err() != nil {
			l.free(id) // it was not tried to its end; the next start does
			continue
		}
		l.made <- m
	}
}

// keep is a worker of the second layer: it writes what was made, and takes its row out of
// the queue, in one transaction.
func (l *Lake) keep() {
	for m := range l.made {
		batch := []made{m}
	more:
		for len(batch) < mostAtOnce {
			select {
			case m, open := <-l.made:
				if !open {
					break more
				}
				batch = append(batch, m)
			default:
				break more
			}
		}
		kept := uint64(0)
		err := l.o.Store.UpdateMemory(func(tx Tx) error {
			kept = 0
			for _, m := range batch {
				ok, err := l.settle(tx, m)
				if err != nil {
					return err
				}
				if ok {
					kept++
				}
			}
			return nil
		})
		l.mu.Lock()
		for _, m := range batch {
			delete(l.busy, m.row.ID())
			if l.closing && (m.err != nil && !errors.Is(m.err, ErrNothing) || err != nil) {
				l.given[m.row.ID()] = true
			}
		}
		if err == nil {
			l.kept += kept
		} else {
			l.held = l.o.Now().Add(retryFirst)
		}
		l.mu.Unlock()
		for _, m := range batch {
			if m.err != nil && !errors.Is(m.err, ErrNothing) {
				l.failed(m.err)
			}
		}
		l.failed(err)
		l.rouse()
	}
}

// settle writes one episode. What a newer row of the pair replaced meanwhile is not written,
// nor what a person forgot: the row is another, or gone.
func (l *Lake) settle(tx Tx, m made) (kept bool, err error) {
	id := m.row.ID()
	now, there, err := tx.Queued(id)
	if err != nil || !there || now.N != m.row.N {
		return false, err
	}
	switch {
	case errors.Is(m.err, ErrNothing):
		return false, tx.Dequeue(id)
	case m.err != nil:
		now.Failed++
		now.Due = l.o.Now().Add(min(retryFirst<<min(now.Failed-1, 20), retryMost))
		return false, tx.PutQueued(now)
	}
	// A person may have corrected it while it was made; then it is made again.
	old, err := tx.Episode(id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	if old.From != m.episode.From || old.Said != m.episode.Said {
		return false, nil
	}
	if err := tx.PutEpisode(m.episode); err != nil {
		return false, err
	}
	if v := m.vectors; v != nil {
		if err := tx.PutVectors(*v); err != nil {
			return false, err
		}
	}
	return true, tx.Dequeue(id)
}

func (l *Lake) free(id string) {
	l.mu.Lock()
	delete(l.busy, id)
	l.mu.Unlock()
	l.rouse()
}

func (l *Lake) failed(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails++
	l.last = err.Error()
}

// State is what a lake is at.
type State struct {
	// Waiting is the length of the queue; Making is how many of them are being made.
	Waiting int `json:"waiting"`
	Making  int `json:"making"`
	// Kept and Failed count since the program started.
	Kept   uint64 `json:"kept"`
	Failed uint64 `json:"failed"`
	// Problem is the last failure; what failed is made again later.
	Problem string `json:"problem,omitempty"`
}

// State says what the lake is at.
func (l *Lake) State() (State, error) {
	var s State
	err := l.o.Store.ViewMemory(func(tx Tx) (err error) {
		s.Waiting, err = tx.QueueLength()
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Making, s.Kept, s.Failed = len(l.busy), l.kept, l.fails
	if l.fails > 0 {
		s.Problem = OneLine(l.last, 200)
	}
	return s, err
}

// Close takes no more, makes what waits until ctx ends, and stops. What is left stays in the
// queue for the next start.
func (l *Lake) Close(ctx context.Context) {
	l.mu.Lock()
	if l.closing {
		l.mu.Unlock()
		return
	}
	l.closing = true
	l.mu.Unlock()
	close(l.stop)
	l.front.Wait()
	l.rouse()
	stop := context.AfterFunc(ctx, l.cancel)
	defer stop()
	l.back.Wait()
	l.first.Wait()
	close(l.made)
	l.second.Wait()
	l.cancel()
}
