package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"holdpoint/engine/identity"
)

// Options of New.
type Options struct {
	Store Store
	// Folder is the path of the data folder, which only one process writes to at a time. New
	// ends what programs of a process that died left behind there. With "" nothing is looked for.
	Folder string
	// Network says whether addresses beyond this machine may be used; it is asked for each
	// request.
	Network func() (bool, error)
	// Void voids, in one transaction, every pending or unused approval for a server's
	// tools, or for one of them if it is named.
	Void func(server, tool, why string) error
	// Changed is called when a server's state has changed; it must not block.
	Changed func(id string)
	Version string
	// Log is told when connections come and go and when a server is disabled; nil logs nothing.
	Log *slog.Logger
	// Now and Environ default to the clock and environment of the process.
	Now     func() time.Time
	Environ func(name string) (string, bool)
	// Resolve, Dial and TLS stand in for the network in tests. Dial only gets addresses
	// that were checked.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	TLS     *tls.Config
}

// Store keeps JSON by name, durably.
type Store interface {
	Setting(name string, into any) (bool, error)
	PutSetting(name string, v any) error
}

// settingName is where the servers are kept: one row, so that they change together.
const settingName = "mcp/servers"

// row is one server as it is kept.
type row struct {
	Config
	// Values are the values of variables that a person gave with the server; they are
	// never shown. Other variables come from the environment when the program starts.
	Values map[string]string `json:"values,omitempty"`
	// Seen is what the server showed last, and is what can be trusted.
	Seen []Offer `json:"seen"`
	// Pin is what a person trusted; nil before that.
	Pin *pin `json:"pin,omitempty"`
	// Changed says why a trusted server is disabled.
	Changed string `json:"changed,omitempty"`
}

// pin is what a person trusted. Its tools are what models are offered.
type pin struct {
	Digest  string           `json:"digest"`
	At      time.Time        `json:"at"`
	Tools   []Offer          `json:"tools"`
	Classes map[string]Class `json:"classes,omitempty"`
}

func (r *row) trusted() bool { return r.Pin != nil && r.Changed == "" }

// classes returns the classes that a person gave to tools that have not changed since.
func (r *row) classes() map[string]Class {
	out := map[string]Class{}
	if r.Pin == nil {
		return out
	}
	for _, o := range r.Seen {
		if i := slices.IndexFunc(r.Pin.Tools, func(p Offer) bool { return p.Name == o.Name && p.Digest == o.Digest }); i >= 0 && classOf(r.Pin.Classes, o.Name) == Read {
			out[o.Name] = Read
		}
	}
	return out
}

// Servers are the servers that a person added. Safe for concurrent use.
type Servers struct {
	o      Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu     sync.Mutex
	rows   []*row
	links  map[string]*link
	closed bool
	wg     sync.WaitGroup
}

// New reads the servers; none is contacted.
func New(o Options) (*Servers, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Environ == nil {
		o.Environ = os.LookupEnv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Folder != "" {
		markOf(o.Folder).endLeft()
	}
	s := &Servers{o: o, links: map[string]*link{}}
	if _, err := o.Store.Setting(settingName, &s.rows); err != nil {
		return nil, fmt.Errorf("mcp: servers: %w", err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, r := range s.rows {
		s.links[r.ID] = newLink()
		if r.Pin == nil {
			continue
		}
		if r.Changed == "" && r.Pin.Digest != digestOf(r.Config, r.Pin.Tools, r.Pin.Classes) {
			r.Changed = phrase("what was trusted is not what is stored")
		}
		if r.Changed != "" { // the end of the process may have come in between
			if err := o.Void(r.ID, "", r.Changed); err != nil {
				s.cancel()
				return nil, err
			}
		}
	}
	return s, nil
}

// Close ends all connections and programs.
func (s *Servers) Close() {
	s.mu.Lock()
	s.closed = true
	links := s.links
	s.links = map[string]*link{}
	s.mu.Unlock()
	s.cancel()
	var wg sync.WaitGroup
	for _, l := range links {
		wg.Go(l.end)
	}
	wg.Wait()
	s.wg.Wait()
}

func (s *Servers) find(id string) (*row, error) {
	i := slices.IndexFunc(s.rows, func(r *row) bool { return r.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, bounded(id, mostID))
	}
	return s.rows[i], nil
}

// save writes all rows; the caller holds the lock.
func (s *Servers) save(rows []*row) error {
	if rows == nil {
		rows = []*row{}
	}
	if err := s.o.Store.PutSetting(settingName, rows); err != nil {
		return fmt.Errorf("mcp: servers: %w", err)
	}
	s.rows = rows
	return nil
}

// replace writes one row in place of the one before; the caller holds the lock.
func (s *Servers) replace(r row) error {
	rows := slices.Clone(s.rows)
	for i := range rows {
		if rows[i].ID == r.ID {
			rows[i] = &r
		}
	}
	return s.save(rows)
}

func (s *Servers) tell(id string) {
	if s.o.Changed != nil {
		s.o.Changed(id)
	}
}

// Add stores a server that a person described, after a look at what it offers. None of
// it is used before Trust. values holds the values of some of its variables. On an error
// nothing is stored.
func (s *Servers) Add(ctx context.Context, c Config, values map[string]string) (View, error) {
	s.mu.Lock()
	c, err := c.complete(func(id string) bool { _, err := s.find(id); return err == nil })
	s.mu.Unlock()
	if err != nil {
		return View{}, err
	}
	for name, v := range values {
		if !slices.Contains(c.Env, name) || len(v) > mostText || strings.ContainsRune(v, 0) {
			return View{}, fmt.Errorf("%w: the value of %q", ErrConfig, bounded(name, 40))
		}
	}
	r := &row{Config: c, Values: maps.Clone(values)}
	offers, n, err := s.look(ctx, r)
	if err != nil {
		return View{}, err
	}
	r.Seen = offers
	n.close(ctx) // a server that is not trusted does not stay connected
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(c.ID); err == nil || s.closed {
		return View{}, fmt.Errorf("%w: there is a server %q already", ErrConfig, c.ID)
	}
	if err := s.save(append(slices.Clone(s.rows), r)); err != nil {
		return View{}, err
	}
	s.links[c.ID] = newLink()
	s.tell(c.ID)
	return s.view(r), nil
}

// look connects and lists the tools. A server that refuses callers without a token is
// asked with the token of the caller on ctx.
func (s *Servers) look(ctx context.Context, r *row) ([]Offer, *conn, error) {
	if !r.local() {
		if on, err := s.o.Network(); err != nil || !on {
			return nil, nil, errors.Join(err, ErrNetwork)
		}
	}
	offers, n, err := s.lookAs(ctx, r, "")
	if bearer := r.bearerOf(ctx); errors.Is(err, errToken) && bearer != "" {
		return s.lookAs(ctx, r, bearer)
	}
	return offers, n, err
}

func (s *Servers) lookAs(ctx context.Context, r *row, bearer string) ([]Offer, *conn, error) {
	o := s.o
	o.Environ = func(name string) (string, bool) {
		if v, ok := r.Values[name]; ok {
			return v, true
		}
		return s.o.Environ(name)
	}
	n, err := connect(ctx, r.Config, o, bearer)
	if err != nil {
		return nil, nil, err
	}
	offers, err := n.list(ctx, bearer, s.o.Now())
	if err != nil {
		n.close(ctx)
		return nil, nil, err
	}
	return offers, n, nil
}

// Refresh looks at a server now, whatever state it is in.
func (s *Servers) Refresh(ctx context.Context, id string) (View, error) {
	s.mu.Lock()
	r, err := s.find(id)
	l := s.links[id]
	s.mu.Unlock()
	if err != nil {
		return View{}, err
	}
	if l == nil {
		return View{}, ErrDisabled
	}
	if err := l.hold(ctx); err != nil {
		return View{}, err
	}
	defer l.release()
	n := l.current()
	var offers []Offer
	if n != nil {
		offers, err = n.list(ctx, "", s.o.Now())
	}
	if n == nil || err != nil {
		l.drop(ctx)
		offers, n, err = s.look(ctx, r)
	}
	if err != nil {
		s.failed(id, l, err)
		return View{}, err
	}
	keep, err := s.compare(id, offers)
	switch {
	case l.current() == n && (err != nil || !keep):
		l.drop(ctx)
	case l.current() == n:
	case err != nil || !keep || n.private:
		n.close(ctx)
	default:
		s.keep(id, l, n)
	}
	l.fine()
	if err != nil {
		return View{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, err = s.find(id); err != nil {
		return View{}, err
	}
	s.tell(id)
	return s.view(r), nil
}

// compare compares what a server shows with what was trusted. A server that shows
// anything else is disabled and its approvals become void. It reports whether the server
// is trusted.
func (s *Servers) compare(id string, offers []Offer) (bool, error) {
	s.mu.Lock()
	r, err := s.find(id)
	if err != nil {
		s.mu.Unlock()
		return false, err
	}
	next := *r
	next.Seen = offers
	var why string
	if r.trusted() && digestOf(r.Config, offers, r.Pin.Classes) != r.Pin.Digest {
		why = difference(r.Pin.Tools, offers)
		next.Changed = why
		r.Changed = why // counts at once, also if it can't be written
	}
	err = nil
	if why != "" || digest(r.Seen) != digest(offers) {
		err = s.replace(next)
	}
	s.mu.Unlock()
	if why != "" {
		s.o.Log.Warn("server of tools disabled: it shows other tools than were trusted", "server", identity.Short(id))
		err = errors.Join(err, s.o.Void(id, "", why))
		s.tell(id)
	}
	return next.trusted(), err
}

// difference says in words what changed.
func difference(was, is []Offer) string {
	for _, o := range is {
		i := slices.IndexFunc(was, func(w Offer) bool { return w.Name == o.Name })
		switch {
		case i < 0:
			return phrase("the server offers a further tool, %s", o.Name)
		case digest(was[i]) != digest(o):
			return phrase("the tool %s is not what was trusted", o.Name)
		}
	}
	for _, w := range was {
		if !slices.ContainsFunc(is, func(o Offer) bool { return o.Name == w.Name }) {
			return phrase("the server does not offer the tool %s any more", w.Name)
		}
	}
	return phrase("what it shows is not what was trusted")
}

// phrase fills a format of a sentence that screens show, in French as well.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

// Trust pins exactly what was shown under the digest.
func (s *Servers) Trust(id, shown string) (View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(id)
	if err != nil {
		return View{}, err
	}
	classes := r.classes()
	if shown != digestOf(r.Config, r.Seen, classes) {
		return View{}, fmt.Errorf("%w; look at the server again", ErrDigest)
	}
	next := *r
	next.Changed, next.Pin = "", &pin{Digest: shown, At: s.o.Now(), Tools: r.Seen, Classes: classes}
	if err := s.replace(next); err != nil {
		return View{}, err
	}
	s.tell(id)
	return s.view(&next), nil
}

// Classify stores whether a tool only reads, as judged by a person who was shown it
// under the given digest. Pending approvals for the tool become void.
func (s *Servers) Classify(id, name string, class Class, shown string) (View, error) {
	if class != Read && class != Mutating {
		return View{}, fmt.Errorf("%w: a tool is read or mutating, not %q", ErrConfig, bounded(string(class), 40))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(id)
	if err != nil {
		return View{}, err
	}
	if !r.trusted() {
		return View{}, fmt.Errorf("%w; trust it before its tools are classed", ErrDisabled)
	}
	name = bare(id, name)
	i := slices.IndexFunc(r.Pin.Tools, func(o Offer) bool { return o.Name == name })
	if i < 0 {
		return View{}, fmt.Errorf("%w: %q", ErrNotFound, bounded(name, mostName))
	}
	if r.Pin.Tools[i].Digest != shown {
		return View{}, fmt.Errorf("%w; look at the tool again", ErrDigest)
	}
	classes := map[string]Class{}
	for _, o := range r.Pin.Tools {
		if o.Name == name && class == Read || o.Name != name && classOf(r.Pin.Classes, o.Name) == Read {
			classes[o.Name] = Read
		}
	}
	next := *r
	next.Pin = &pin{Digest: digestOf(r.Config, r.Pin.Tools, classes), At: s.o.Now(), Tools: r.Pin.Tools, Classes: classes}
	if err := s.o.Void(id, name, "the tool was classified again"); err != nil {
		return View{}, err
	}
	if err := s.replace(next); err != nil {
		return View{}, err
	}
	s.tell(id)
	return s.view(&next), nil
}

// Remove forgets a server: its connection ends and its approvals are void.
func (s *Servers) Remove(id string) error {
	s.mu.Lock()
	if _, err := s.find(id); err != nil {
		s.mu.Unlock()
		return err
	}
	err := s.save(slices.DeleteFunc(slices.Clone(s.rows), func(r *row) bool { return r.ID == id }))
	if err != nil {
		s.mu.Unlock()
		return err
	}
	l := s.links[id]
	delete(s.links, id)
	s.mu.Unlock()
	if l != nil {
		l.end()
	}
	s.tell(id)
	return s.o.Void(id, "", "the server was removed")
}
