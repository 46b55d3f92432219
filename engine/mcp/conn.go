package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/tool"
)

const (
	connectTime = 20 * time.Second // until a server has shown its tools
	callTime    = 60 * time.Second
	mostNotices = 100 // changes that a server may tell of on one connection
)

// errToken says that a server refuses callers without a token.
var errToken = errors.New("mcp: the server refuses us without a token; add it with --identity, and run as a caller who has one")

// conn is one connection to a server. Any number of callers use it at once.
type conn struct {
	config  Config
	session *sdk.ClientSession
	process *process        // nil over HTTP
	base    *http.Transport // nil over stdio
	private bool            // made for one call of one caller
	gone    chan struct{}   // closed once the other side is
	notice  chan struct{}
	notices atomic.Int64
	// stale says that what was offered may have changed since it was looked at.
	stale   atomic.Bool
	looked  atomic.Int64    // when, in Unix nanoseconds of the injected clock
	ctx     context.Context // ends with close, and all calls with it
	cancel  context.CancelFunc
	closing sync.Once
	waiters sync.WaitGroup

	mu      sync.Mutex
	users   int
	retired bool
}

// take keeps the connection from being closed by retire until give.
func (n *conn) take() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.users++
}

// give ends a take; ctx is how long the caller still waits.
func (n *conn) give(ctx context.Context) {
	n.mu.Lock()
	n.users--
	last := n.users == 0 && n.retired
	n.mu.Unlock()
	if last {
		n.close(ctx)
	}
}

// retire closes the connection once the calls on it are over; if it closed it now, their
// outcome would be unknown.
func (n *conn) retire(ctx context.Context) {
	n.mu.Lock()
	n.retired = true
	idle := n.users == 0
	n.mu.Unlock()
	if idle {
		n.close(ctx)
	}
}

// connect reaches a server. With a bearer the connection is that caller's alone.
func connect(ctx context.Context, c Config, o Options, bearer string) (_ *conn, err error) {
	n := &conn{config: c, private: bearer != "", gone: make(chan struct{}), notice: make(chan struct{}, 1)}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			n.cancel()
		}
	}()
	// The connection keeps nothing of the caller who happens to open it.
	s := &sending{bearer: bearer}
	parent := ctx
	ctx, cancel := context.WithTimeout(s.on(n.ctx), connectTime)
	defer cancel()
	defer context.AfterFunc(parent, cancel)()
	// Requests of later bear s, too: it ends with this attempt where it fails, else with the connection.
	wanted, giveUp := context.WithCancel(n.ctx)
	defer context.AfterFunc(ctx, giveUp)()
	s.wanted = wanted
	var transport sdk.Transport
	switch c.Transport {
	case Stdio:
		if n.process, err = startProcess(c, o.Folder, o.Environ); err != nil {
			return nil, err
		}
		transport = &sdk.IOTransport{Reader: n.process.stdout, Writer: n.process.stdin, MaxLineLength: mostMessage}
	default:
		w, base, err := newWire(c, o, func() { n.stale.Store(true) })
		if err != nil {
			return nil, err
		}
		n.base = base
		transport = &sdk.StreamableClientTransport{Endpoint: c.URL, HTTPClient: w.client(), MaxRetries: -1, MaxEventSize: mostMessage, DisableStandaloneSSE: n.private}
	}
	// No capability is offered: servers can't ask for files, models or forms.
	client := sdk.NewClient(&sdk.Implementation{Name: "holdpoint", Version: o.Version}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			n.stale.Store(true)
			n.notices.Add(1)
			select {
			case n.notice <- struct{}{}:
			default: // one is waiting to be looked at
			}
		}})
	if n.session, err = client.Connect(ctx, transport, nil); err != nil {
		_, status := s.state()
		if n.process != nil {
			n.process.stop(ctx)
			err = plain(err)
			if said := n.process.last.text(); said != "" {
				err = fmt.Errorf("%w; the program wrote: %s", err, said)
			}
		}
		if n.base != nil {
			n.base.CloseIdleConnections()
		}
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			return nil, errToken
		}
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, plain(err))
	}
	n.waiters.Go(func() {
		// Why it ended is told to whoever calls next.
		_ = n.session.Wait()
		close(n.gone)
	})
	return n, nil
}

// plain is an error without the address in it, which may hold what nobody else is to read.
func plain(err error) error {
	var u *url.Error
	var said *jsonrpc.Error
	switch {
	case errors.As(err, &u):
		return u.Err
	case errors.As(err, &said):
		return fmt.Errorf("it answered that it cannot: %s", bounded(said.Message, 300))
	case errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE):
		return errors.New("it ended before it answered, as a program does that is not a server of tools")
	}
	return err
}

// dead says that the other side is gone.
func (n *conn) dead() bool {
	select {
	case <-n.gone:
		return true
	default:
		return false
	}
}

// close ends the connection and the program, which may end by itself until ctx is over.
// Calls that are under way fail.
func (n *conn) close(ctx context.Context) {
	n.cancel()
	if n.process != nil {
		// First, so that a program that doesn't read can't hold the connection open.
		n.process.stop(ctx)
	}
	n.closing.Do(func() {
		// What is left of the connection on an error ends with its transport.
		_ = n.session.Close()
		if n.base != nil {
			n.base.CloseIdleConnections()
		}
	})
	n.waiters.Wait()
}

// readTime is how long a program may still take to read what is being written to it when
// nobody waits for its answer any more.
const readTime = 300 * time.Millisecond

// watch ends a program that doesn't read: what is being written to it cannot be called off
// otherwise. It looks once ctx is over; done is to be called when the call has returned.
func (n *conn) watch(ctx context.Context) (done func()) {
	if n.process == nil {
		return func() {}
	}
	returned := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(readTime)
		defer timer.Stop()
		select {
		case <-returned:
		case <-timer.C:
			n.process.stop(ctx)
		}
	})
	return func() {
		close(returned)
		stop()
	}
}

// list asks what the server offers now.
func (n *conn) list(ctx context.Context, bearer string, now time.Time) ([]Offer, error) {
	s := &sending{bearer: bearer}
	ctx, cancel := context.WithTimeout(s.on(ctx), connectTime)
	defer cancel()
	defer context.AfterFunc(n.ctx, cancel)()
	s.wanted = ctx
	defer n.watch(ctx)()
	n.stale.Store(false) // before the look: a change during it makes it stale again
	offers := []Offer{}
	cursor, size := "", 0
	for page := 0; ; page++ {
		if page == mostPages {
			return nil, fmt.Errorf("mcp: the server lists more than %d pages of tools", mostPages)
		}
		r, err := n.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if _, status := s.state(); status == http.StatusUnauthorized || status == http.StatusForbidden {
			return nil, errToken
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreachable, plain(err))
		}
		for _, t := range r.Tools {
			if len(offers) == mostTools {
				return nil, fmt.Errorf("mcp: the server offers more than %d tools", mostTools)
			}
			o := offerOf(t)
			if size += len(o.Parameters) + len(o.Description); size > mostOffer {
				return nil, fmt.Errorf("mcp: the server's tools take more than %d bytes", mostOffer)
			}
			offers = append(offers, o)
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	apart(offers)
	slices.SortStableFunc(offers, func(a, b Offer) int { return strings.Compare(a.Name+a.Digest, b.Name+b.Digest) }) // servers need not keep an order
	n.looked.Store(now.UnixNano())
	return offers, nil
}

// call sends one tool call and waits for its answer. A *tool.Refusal guarantees that the
// server did nothing.
func (n *conn) call(ctx context.Context, name string, args json.RawMessage, key, bearer string) (json.RawMessage, error) {
	s := &sending{bearer: bearer, call: true}
	limit, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	defer context.AfterFunc(n.ctx, cancel)()
	s.wanted = limit
	defer n.watch(limit)()
	r, err := n.session.CallTool(s.on(limit), &sdk.CallToolParams{Name: name, Arguments: args, Meta: sdk.Meta{"holdpoint/call": key}})
	if err == nil {
		if r.NeedsInput() {
			return nil, errors.New("mcp: the server asks for more than a call holds, which Holdpoint does not give")
		}
		return answerOf(r), nil
	}
	sent, status := s.state()
	var said *jsonrpc.Error
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return nil, &tool.Refusal{Reason: "the server refuses this caller"}
	case n.base != nil && !sent:
		return nil, &tool.Refusal{Reason: "nothing was sent: " + bounded(plain(err).Error(), 200)}
	case errors.As(err, &said) && (said.Code == jsonrpc.CodeInvalidParams || said.Code == jsonrpc.CodeMethodNotFound || said.Code == jsonrpc.CodeInvalidRequest):
		// In JSON-RPC these answer a request that was not begun.
		return nil, &tool.Refusal{Reason: "the server refuses the call: " + bounded(said.Message, 300)}
	case errors.As(err, &said):
		return nil, fmt.Errorf("mcp: the server failed: %s", bounded(said.Message, 300))
	case n.ctx.Err() != nil:
		return nil, errors.New("mcp: the connection was ended before the server answered")
	case errors.Is(limit.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, fmt.Errorf("mcp: no answer within %s", callTime)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, io.EOF):
		return nil, errors.New("mcp: the server ended before it answered")
	}
	return nil, fmt.Errorf("mcp: %s", bounded(plain(err).Error(), 300))
}
