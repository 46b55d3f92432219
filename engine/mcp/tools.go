package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/identity"
	"holdpoint/engine/tool"
)

// lookEvery is how long what a connected server offers is taken to be so for tools
// that only read. Before what changes something it is looked at each time.
const lookEvery = 30 * time.Second

// full is the name by which models and approvals know a tool.
func full(server, name string) string { return server + "." + name }

// bare is a tool's own name.
func bare(server, name string) string { return strings.TrimPrefix(name, server+".") }

// Tools are the tools of trusted servers, as they were trusted. Nothing is contacted.
func (s *Servers) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []tool.Tool
	for _, r := range s.rows {
		if !r.trusted() {
			continue
		}
		guard := r.guard()
		for _, o := range r.Pin.Tools {
			if o.Unusable != "" {
				continue
			}
			u := use{s: s, server: r.ID, offer: o, reads: classOf(r.Pin.Classes, o.Name) == Read}
			t := tool.Tool{Name: full(r.ID, o.Name), Description: "From the server " + r.Title + ": " + o.Description, Parameters: o.Parameters, Server: r.ID,
				Allow: func(c identity.Caller) error {
					if _, err := u.allowed(); err != nil {
						return err
					}
					return guard(c)
				}}
			if u.reads {
				t.Read = func(ctx context.Context, env tool.Env, args json.RawMessage) (json.RawMessage, error) {
					return u.call(ctx, args, env.Call)
				}
			} else {
				t.Outside = func(ctx context.Context, _ tool.Env, args json.RawMessage, key string) (json.RawMessage, error) {
					return u.call(ctx, args, key)
				}
			}
			out = append(out, t)
		}
	}
	return out
}

// use is a tool as it was offered to a run. A run may last longer than the trust.
type use struct {
	s      *Servers
	server string
	offer  Offer
	reads  bool
}

// allowed says whether the tool is still what the run was offered.
func (u use) allowed() (row, error) {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	r, err := u.s.find(u.server)
	if err != nil {
		return row{}, fmt.Errorf("%w: %s was removed", ErrDisabled, u.server)
	}
	if !r.trusted() {
		return row{}, fmt.Errorf("%w: %s, because %s", ErrDisabled, u.server, r.Changed)
	}
	i := slices.IndexFunc(r.Pin.Tools, func(o Offer) bool { return o.Name == u.offer.Name })
	if i < 0 || digest(r.Pin.Tools[i]) != digest(u.offer) || u.reads && classOf(r.Pin.Classes, u.offer.Name) != Read {
		return row{}, fmt.Errorf("%w: the tool %s is not what this run was offered", ErrDisabled, full(u.server, u.offer.Name))
	}
	return *r, nil
}

// call connects if need be, makes sure that the server is still what was trusted,
// and sends the call. Until it is sent, every failure is a refusal: nothing was done.
func (u use) call(ctx context.Context, args json.RawMessage, key string) (json.RawMessage, error) {
	refused := func(err error) error {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return &tool.Refusal{Reason: bounded("nothing was sent: "+err.Error(), 400)}
	}
	r, err := u.allowed()
	if err != nil {
		return nil, refused(err)
	}
	bearer := r.bearerOf(ctx)
	n, done, err := u.s.ready(ctx, &r, !u.reads)
	if err != nil {
		return nil, refused(err)
	}
	defer done()
	if _, err := u.allowed(); err != nil { // what was just looked at may have disabled it
		return nil, refused(err)
	}
	if ctx.Err() != nil {
		return nil, refused(ctx.Err())
	}
	return n.call(ctx, u.offer.Name, args, key, bearer)
}

// ready is a connection on which what the server offers is known to be what was
// trusted. done is to be called when the call is over.
func (s *Servers) ready(ctx context.Context, r *row, anew bool) (_ *conn, done func(), err error) {
	s.mu.Lock()
	l := s.links[r.ID]
	s.mu.Unlock()
	if l == nil {
		return nil, nil, ErrDisabled
	}
	for try := 0; ; try++ {
		n := l.borrow()
		if n == nil {
			if n, err = s.reach(ctx, l, r); err != nil {
				return nil, nil, err
			}
			if n.private {
				return n, func() { n.close(ctx) }, nil
			}
			return n, func() { n.give(ctx) }, nil
		}
		age := s.o.Now().UnixNano() - n.looked.Load()
		if !anew && !n.stale.Load() && age >= 0 && age < int64(lookEvery) {
			return n, func() { n.give(ctx) }, nil
		}
		err := s.verify(ctx, r.ID, l, n)
		if err == nil {
			return n, func() { n.give(ctx) }, nil
		}
		n.give(ctx)
		switch {
		case errors.Is(err, ErrUnreachable) && try == 0 && ctx.Err() == nil:
			// It died, or does not know this connection any more: once more from the start.
			if err := l.hold(ctx); err != nil {
				return nil, nil, err
			}
			if l.current() == n {
				l.drop(ctx)
			}
			l.release()
		default:
			return nil, nil, err
		}
	}
}

// reach connects, compares and keeps the connection; what it returns is borrowed.
func (s *Servers) reach(ctx context.Context, l *link, r *row) (*conn, error) {
	if err := l.hold(ctx); err != nil {
		return nil, err
	}
	defer l.release()
	if n := l.borrow(); n != nil { // somebody else was faster
		return n, nil
	}
	l.drop(ctx)
	if err := l.mayTry(s.o.Now()); err != nil {
		return nil, err
	}
	offers, n, err := s.look(ctx, r)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errToken) {
			s.failed(r.ID, l, err)
		}
		return nil, err
	}
	trusted, err := s.compare(r.ID, offers)
	if err != nil || !trusted {
		n.close(ctx)
		return nil, errors.Join(err, ErrDisabled)
	}
	l.fine()
	if !n.private {
		n.take()
		s.keep(r.ID, l, n)
		s.tell(r.ID)
	}
	return n, nil
}
