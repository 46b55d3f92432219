package navigator_test

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// barrier lets nobody through before all of its parties are there. When one never
// comes, the others go on after a while and the test fails.
type barrier struct {
	t       *testing.T
	mu      sync.Mutex
	waiting []string
	open    chan struct{}
	all     bool
	gone    []string // those that waited in vain
}

func newBarrier(t *testing.T, parties ...string) *barrier {
	return &barrier{t: t, waiting: parties, open: make(chan struct{})}
}

func (b *barrier) arrive(who string) {
	b.mu.Lock()
	i := slices.Index(b.waiting, who)
	if i < 0 {
		b.mu.Unlock()
		return
	}
	if b.waiting = slices.Delete(slices.Clone(b.waiting), i, i+1); len(b.waiting) == 0 {
		b.all = true
		close(b.open)
	}
	b.mu.Unlock()
	select {
	case <-b.open:
	case <-time.After(20 * time.Second):
		b.mu.Lock()
		b.gone = append(b.gone, who)
		b.mu.Unlock()
	}
}

// met fails unless all parties were there at once.
func (b *barrier) met() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.all || len(b.gone) > 0 {
		b.t.Errorf("they did not run at once; missing: %v, went on without them: %v", b.waiting, b.gone)
	}
}
