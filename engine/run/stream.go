package run

import (
	"sync"
	"time"
	"unicode/utf8"

	"holdpoint/engine/journal"
)

// stream is a graph.Stream that merges the deltas of one message for 40 ms each and hands
// the pieces to send.
type stream struct {
	send    func(journal.Event)
	message string
	weak    bool

	mu     sync.Mutex
	buf    []byte
	sent   int
	timer  *time.Timer
	closed bool
}

// Weak implements graph.Stream.
func (s *stream) Weak() { s.weak = true }

const streamEvery = 40 * time.Millisecond

// Write implements graph.Stream.
func (s *stream) Write(text string) {
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

// Close implements graph.Stream.
func (s *stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(len(s.buf))
	s.closed = true
}

// flush sends the first n bytes. After the run's end nobody may see more.
func (s *stream) flush(n int) {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if n == 0 || s.closed {
		return
	}
	e := journal.Event{Kind: journal.Token, Message: s.message, Offset: s.sent, Text: string(s.buf[:n])}
	if s.weak {
		e = e.With(journal.TokenData{Weak: true})
	}
	s.sent += n
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.send(e)
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
