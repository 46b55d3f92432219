package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"holdpoint/engine/identity"
)

// link is how one server is reached: one connection at a time, and the waiting time
// between attempts that fail.
type link struct {
	turn chan struct{} // holds one token; who has it may connect and drop

	mu       sync.Mutex
	conn     *conn
	error    string
	failures int
	next     time.Time // no attempt before
	over     bool
}

const longestWait = 5 * time.Minute

func newLink() *link {
	l := &link{turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	return l
}

func (l *link) hold(ctx context.Context) error {
	select {
	case <-l.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		l.turn <- struct{}{}
		return ErrDisabled
	}
	return nil
}

func (l *link) release() { l.turn <- struct{}{} }

// drop ends the connection there is, once the calls on it are over; the caller holds
// the turn.
func (l *link) drop(ctx context.Context) {
	l.mu.Lock()
	n := l.conn
	l.conn = nil
	l.mu.Unlock()
	if n != nil {
		n.retire(ctx)
	}
}

// end drops the connection for good.
func (l *link) end() {
	l.mu.Lock()
	l.over = true
	n := l.conn
	l.conn = nil
	l.mu.Unlock()
	if n != nil {
		n.close(context.Background()) // by itself, where it can
	}
}

// current is the connection if it lives.
func (l *link) current() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.conn.dead() {
		return nil
	}
	return l.conn
}

// borrow is current for a call, to be given back.
func (l *link) borrow() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil || l.conn.dead() {
		return nil
	}
	l.conn.take()
	return l.conn
}

// failed notes an attempt that failed: the next may follow after 1, 2, 4 … seconds.
func (l *link) failed(now time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.error = bounded(err.Error(), 600)
	l.next = now.Add(min(time.Second<<min(l.failures, 20), longestWait))
	l.failures++
}

// failed notes a failed attempt, logs it and tells the screens. The error's text is for
// the person who looks at the server; it stays out of the log.
func (s *Servers) failed(id string, l *link, err error) {
	l.failed(s.o.Now(), err)
	l.mu.Lock()
	failures, next := l.failures, l.next
	l.mu.Unlock()
	s.o.Log.Info("server of tools not reached", "server", identity.Short(id), "failures", failures, "next", next)
	s.tell(id)
}

func (l *link) fine() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.error, l.failures, l.next = "", 0, time.Time{}
}

func (l *link) mayTry(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.next.Sub(now); wait > 0 && wait <= longestWait { // a clock that was set back doesn't lock it out
		return fmt.Errorf("%w; the next attempt may follow in %s: %s", ErrUnreachable, wait.Round(time.Second), l.error)
	}
	return nil
}

// keep makes a connection the server's and looks after it; the caller holds the turn.
func (s *Servers) keep(id string, l *link, n *conn) {
	l.mu.Lock()
	over := l.over
	if !over {
		l.conn = n
	}
	l.mu.Unlock()
	if over {
		n.close(s.ctx)
		return
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return // Close ends the link, and with it the connection
	}
	s.wg.Add(1)
	s.mu.Unlock()
	s.o.Log.Info("server of tools connected", "server", identity.Short(id))
	go func() {
		defer s.wg.Done()
		for {
			select {
			case <-n.gone:
				s.o.Log.Info("server of tools gone", "server", identity.Short(id))
				s.tell(id)
				return
			case <-n.notice:
				if n.notices.Load() > mostNotices {
					l.failed(s.o.Now(), errors.New("mcp: the server told of more changes than it may"))
					go n.close(s.ctx)
					continue
				}
				// What it finds is in the state of the server; a call would find it, too.
				_ = s.verify(s.ctx, id, l, n)
			}
		}
	}()
}

// verify looks again at what a connected server offers.
func (s *Servers) verify(ctx context.Context, id string, l *link, n *conn) error {
	offers, err := n.list(ctx, "", s.o.Now())
	if err != nil {
		n.stale.Store(true)
		return err
	}
	trusted, err := s.compare(id, offers)
	if err != nil {
		return err
	}
	if !trusted {
		if l.hold(s.ctx) == nil {
			if l.current() == n {
				l.drop(ctx)
			}
			l.release()
		}
		return ErrDisabled
	}
	return nil
}
