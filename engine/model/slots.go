package model

import (
	"sync"
	"time"
)

// slots finds out whether a server works on several prompts at once, and so keeps several
// in its cache: an Ollama of the person's own may keep one only, and does not say. It is
// safe for concurrent use.
type slots struct {
	mu      sync.Mutex
	running int
	ended   time.Time // of the last request
	single  bool
	apart   bool
}

// overlap is by how much a request must have begun before another ended, so that the server
// worked on both.
const overlap = 10 * time.Millisecond

// begin counts a request in. A request that reads ahead tells what it saw when it ends.
func (s *slots) begin(ahead bool) (end func(Usage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	beside := s.running > 0
	s.running++
	return func(u Usage) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
		if ahead && beside && u.PromptTokens > 0 {
			began := time.Now().Add(-u.PromptTime - u.OutputTime)
			s.single = s.running == 0 && began.After(s.ended.Add(-overlap))
			s.apart = !s.single
		}
		s.ended = time.Now()
	}
}

// Apart implements AheadReader.
func (m *Ollama) Apart() bool {
	m.slots.mu.Lock()
	defer m.slots.mu.Unlock()
	return m.slots.apart
}

// ReadsAhead implements AheadReader: a server is believed to keep several prompts until it
// has made one wait for another.
func (m *Ollama) ReadsAhead() bool {
	if m.server.own != nil {
		return true
	}
	m.slots.mu.Lock()
	defer m.slots.mu.Unlock()
	return !m.slots.single
}
