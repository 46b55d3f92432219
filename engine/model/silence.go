package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// Silence is what the requests of a turn know of models that were asked and sent nothing, or stopped in the middle of
// an answer: the later ones need not wait as long again. It is safe for concurrent use; nil knows nothing.
type Silence struct {
	mu sync.Mutex
	of map[string]silent // by the model's name
	// stuck is when a model stopped in the middle of an answer, by its name.
	stuck map[string]time.Time
	// mute is when the server gave no sign of life.
	mute time.Time
}

type silent struct {
	// waited is how long nothing came, of all requests since a byte did; until is when the last of them ended.
	waited time.Duration
	until  time.Time
	// idle says that the server had no model loaded meanwhile.
	idle bool
}

const (
	// silenceKept is how long it is known: a server may have been started anew since.
	silenceKept = 2 * time.Minute
	// loadedTime is how long a server has to say what it has loaded.
	loadedTime = 5 * time.Second
)

func (s *Silence) known(name string) silent {
	if s == nil {
		return silent{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.of[name]; time.Since(known.until) < silenceKept {
		return known
	}
	return silent{}
}

// add counts a request to which nothing came; requests beside each other count once.
func (s *Silence) add(name string, began time.Time, idle bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, known := time.Now(), s.of[name]
	if began.Sub(known.until) >= silenceKept {
		known = silent{}
	}
	if began.Before(known.until) {
		began = known.until
	}
	if s.of == nil {
		s.of = map[string]silent{}
	}
	s.of[name] = silent{known.waited + now.Sub(began), now, idle || known.idle}
}

// deaf says that a server gave no sign of life a short while ago.
func (s *Silence) deaf() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.mute) < silenceKept
}

func (s *Silence) deafened() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = time.Now()
}

// next is how long a later part of an answer may take: less once the model stopped in the middle of one.
func (s *Silence) next(name string, usual, again time.Duration) time.Duration {
	if s == nil {
		return usual
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.stuck[name]) < silenceKept {
		return min(usual, again)
	}
	return usual
}

// wrote keeps whether a model came to an end of its answer or stopped in the middle.
func (s *Silence) wrote(name string, whole bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole {
		delete(s.stuck, name)
		return
	}
	if s.stuck == nil {
		s.stuck = map[string]time.Time{}
	}
	s.stuck[name] = time.Now()
}

// Of says that a model sent nothing when it was asked last.
func (s *Silence) Of(name string) bool { return s.known(name).waited > 0 }

func (s *Silence) broken(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute = time.Time{}
	delete(s.of, name)
}

// quiet is a request to which nothing came yet.
type quiet struct {
	m     *Ollama
	turn  *Silence
	began time.Time
	// first is how long the answer may take to begin, before how long nothing came in the requests before.
	first, before time.Duration
	// chars is how long the prompt is, reading how long the model took until it spoke.
	chars   int
	reading time.Duration

	heard, over, listened chan struct{}
	spoke, idle           bool
	stop                  context.CancelFunc
}

const (
	// leastMeasured is how long a prompt is whose reading tells a speed, in characters.
	leastMeasured = 800
	// beyondSlow is how many times as long as the slowest request so far a prompt may take, for its length: a
	// machine that is busy with something else reads several times slower, and nothing of a prompt may be kept.
	beyondSlow = 4
	// staysLoaded is how long after its last word a model need not be loaded anew (servers keep one for 5 minutes).
	staysLoaded = 4 * time.Minute
)

// measured keeps how fast the prompt was read; load is what of the time went into loading the model.
func (q *quiet) measured(load time.Duration) {
	m := q.m
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spoke = time.Now()
	if q.chars >= leastMeasured && q.reading > load {
		m.slowest = max(m.slowest, (q.reading-load)/time.Duration(q.chars))
	}
}

// hangs says that a model which is loaded sent nothing for so long that, by its own speed so far, it reads no prompt.
// One whose speed is not known yet, or that may have to be loaded first, never does.
func (q *quiet) hangs(ctx context.Context) bool {
	m := q.m
	m.mu.Lock()
	slowest, spoke := m.slowest, m.spoke
	m.mu.Unlock()
	waited := time.Since(q.began)
	if slowest == 0 || waited < m.options.Again || q.began.Sub(spoke) > staysLoaded {
		return false
	}
	most := max(2*m.options.Idle, beyondSlow*slowest*time.Duration(max(q.chars, leastMeasured)))
	return waited+q.before >= most && m.server.loaded(ctx, m.name)
}

// wait begins to wait for an answer. A server that has loaded nothing works on nothing: it is
// asked for that, and a request to which it says so twice ends. One that has keeps all its
// time, loading and reading included, unless the requests before had as much in vain.
func (m *Ollama) wait(ctx context.Context, r Request, end context.CancelCauseFunc) *quiet {
	q := &quiet{m: m, turn: r.Silence, began: time.Now(), first: m.reading(r), heard: make(chan struct{}), over: make(chan struct{}), listened: make(chan struct{})}
	known, patience := q.turn.known(m.name), m.options.Idle
	q.before, q.chars = known.waited, promptOf(r)
	if known.idle || known.waited >= m.options.FirstToken {
		patience = m.options.Again
	}
	if known.waited >= m.options.FirstToken {
		q.first = min(q.first, m.options.Again)
	}
	ctx, q.stop = context.WithCancel(ctx)
	go q.watch(ctx, patience, end)
	go q.listen(ctx, end)
	return q
}

// line hears the first sign of life.
func (q *quiet) line() {
	if !q.spoke {
		q.spoke, q.reading = true, time.Since(q.began)
		q.m.server.spoke.Store(true)
		close(q.heard)
		q.turn.broken(q.m.name)
	}
}

// end is told when the request is over.
func (q *quiet) end() {
	q.stop()
	<-q.over
	<-q.listened
	if !q.spoke {
		q.turn.add(q.m.name, q.began, q.idle)
	}
}

// watch asks what the server has loaded, twice before patience is over.
func (q *quiet) watch(ctx context.Context, patience time.Duration, end context.CancelCauseFunc) {
	defer close(q.over)
	timer := time.NewTimer(patience * 3 / 4)
	defer timer.Stop()
	for idle := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-q.heard:
			q.m.trust(ctx)
			return
		case <-timer.C:
		}
		if q.m.server.idle(ctx) && !q.m.unlisted() {
			idle++
		} else {
			idle = 0
		}
		if idle == 2 {
			q.idle = true
			end(fmt.Errorf("%w: chat: nothing came for %v, and the server has loaded no model", ErrStalled, time.Since(q.began).Round(min(time.Second, patience))))
			return
		}
		if q.hangs(ctx) {
			end(fmt.Errorf("%w: chat: nothing came for %v, in which this model has read several times as much before", ErrStalled, time.Since(q.began).Round(min(time.Second, patience))))
			return
		}
		timer.Reset(patience / 4)
	}
}

// listen asks a server that sends nothing for a sign of life. One that gives none twice works on nothing; what the first
// request of a turn learnt of that its later ones need not learn again.
func (q *quiet) listen(ctx context.Context, end context.CancelCauseFunc) {
	defer close(q.listened)
	if q.m.server.own != nil {
		return // its process is watched
	}
	mute, first, need := q.m.options.Mute, q.m.options.Mute, 2
	switch {
	case q.turn.deaf():
		first, need = mute/4, 1
	case q.m.server.spoke.Load():
		first = q.m.options.Idle
	}
	timer := time.NewTimer(first)
	defer timer.Stop()
	for missed := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-q.heard:
			return
		case <-timer.C:
		}
		if q.m.server.alive(ctx, mute) {
			missed = 0
			timer.Reset(max(first, q.m.options.Idle))
			continue
		}
		if missed++; missed >= need && ctx.Err() == nil {
			q.turn.deafened()
			end(fmt.Errorf("%w: chat: nothing came for %v", ErrMute, time.Since(q.began).Round(min(time.Second, mute))))
			return
		}
		timer.Reset(mute / 4)
	}
}

// alive says that a server answers something, whatever that is, to one of two questions that need no model.
func (s *Server) alive(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	c, err := s.client(ctx)
	if err != nil {
		return false
	}
	answered := make(chan bool, 2)
	ask := func(question func() error) {
		err := question()
		answered <- err == nil || ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded)
	}
	var wg conc.WaitGroup
	defer wg.Wait()
	defer cancel() // the other one ends
	wg.Go(func() { ask(func() error { _, err := c.ListRunning(ctx); return err }) })
	wg.Go(func() { ask(func() error { _, err := c.Version(ctx); return err }) })
	first := <-answered
	return first || <-answered
}

// running are the models that a server has in memory or is loading; not ok where it does not say.
func (s *Server) running(ctx context.Context) (names []string, ok bool) {
	c, err := s.client(ctx)
	if err != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, loadedTime)
	defer cancel()
	list, err := c.ListRunning(ctx)
	if err != nil || list == nil {
		return nil, false
	}
	for _, m := range list.Models {
		names = append(names, strings.TrimSuffix(m.Name, ":latest"))
	}
	return names, true
}

// loaded says that a server lists a model as loaded.
func (s *Server) loaded(ctx context.Context, name string) bool {
	names, _ := s.running(ctx)
	return slices.Contains(names, strings.TrimSuffix(name, ":latest"))
}

// idle says that a server has no model in memory, nor any that it is loading.
func (s *Server) idle(ctx context.Context) bool {
	names, ok := s.running(ctx)
	return ok && len(names) == 0
}

// trust finds out once whether a server lists what answers: some that speak as Ollama does
// always list nothing.
func (m *Ollama) trust(ctx context.Context) {
	m.mu.Lock()
	known := m.lists != nil
	m.mu.Unlock()
	if known {
		return
	}
	lists := !m.server.idle(ctx)
	if ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	m.lists = &lists
	m.mu.Unlock()
}

func (m *Ollama) unlisted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lists != nil && !*m.lists
}
