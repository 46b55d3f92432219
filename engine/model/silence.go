package model

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Silence is what the calls of a turn know of models that were asked and sent nothing: the
// later ones need not wait as long again. It is safe for concurrent use; nil knows nothing.
type Silence struct {
	mu sync.Mutex
	of map[string]silent // by the model's name
}

type silent struct {
	// waited is how long nothing came, of all calls since a byte did; until is when the last of them ended.
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

// add counts a call to which nothing came; calls beside each other count once.
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

// Of says that a model sent nothing when it was asked last.
func (s *Silence) Of(name string) bool { return s.known(name).waited > 0 }

func (s *Silence) broken(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, name)
}

// quiet is a call to which nothing came yet.
type quiet struct {
	m     *Ollama
	turn  *Silence
	began time.Time
	// first is how long the answer may take to begin.
	first time.Duration

	heard, over chan struct{}
	spoke, idle bool
	stop        context.CancelFunc
}

// wait begins to wait for an answer. A server that has loaded nothing works on nothing: it is
// asked for that, and a call to which it says so twice ends. One that has keeps all its
// time, loading and reading included, unless the calls before had as much in vain.
func (m *Ollama) wait(ctx context.Context, r Request, end context.CancelCauseFunc) *quiet {
	q := &quiet{m: m, turn: r.Silence, began: time.Now(), first: m.reading(r), heard: make(chan struct{}), over: make(chan struct{})}
	known, patience := q.turn.known(m.name), m.options.Idle
	if known.idle || known.waited >= m.options.FirstToken {
		patience = m.options.Again
	}
	if known.waited >= m.options.FirstToken {
		q.first = min(q.first, m.options.Again)
	}
	ctx, q.stop = context.WithCancel(ctx)
	go q.watch(ctx, patience, end)
	return q
}

// line hears the first sign of life.
func (q *quiet) line() {
	if !q.spoke {
		q.spoke = true
		close(q.heard)
		q.turn.broken(q.m.name)
	}
}

// end is told when the call is over.
func (q *quiet) end() {
	q.stop()
	<-q.over
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
		timer.Reset(patience / 4)
	}
}

// idle says that a server has no model in memory, nor any that it is loading.
func (s *Server) idle(ctx context.Context) bool {
	c, err := s.client(ctx)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, loadedTime)
	defer cancel()
	list, err := c.ListRunning(ctx)
	return err == nil && list != nil && len(list.Models) == 0
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
