package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"holdpoint/engine/identity"
)

const (
	mostBody     = 8 << 20                // bytes of one answer
	headersTime  = 10 * time.Second       // until a stream of notices begins
	farewellTime = 400 * time.Millisecond // for what only tells a server that nobody waits any more
	mostMessage  = 4 << 20                // bytes of one message
	methodHeader = "Mcp-Method"
)

// errRedirect says that a server sent its client elsewhere.
var errRedirect = errors.New("mcp: the server redirects to another address, which is refused")

// sending is what becomes of one request on the wire. It travels on its context.
type sending struct {
	// bearer is the token of the caller that the request is made for.
	bearer string
	// wanted ends when nobody waits for the answer any more.
	wanted context.Context
	// call marks a tool call: a refusal of this request is one of this call only.
	call bool

	mu     sync.Mutex
	began  bool // a request of ours was looked at
	sent   bool // its head left this machine
	status int
}

type sendingKey struct{}

func (s *sending) on(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendingKey{}, s)
}

func (s *sending) state() (sent bool, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.status
}

// wire is how all requests to one server go out.
type wire struct {
	config  Config
	network func() (bool, error)
	base    http.RoundTripper
	// stale is told when a stream of notices ended: changes may be missed from then on.
	stale func()
}

func newWire(c Config, o Options, stale func()) (*wire, *http.Transport, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: its address", ErrConfig)
	}
	base := &http.Transport{
		Proxy:       nil, // a proxy would go where it likes
		DialContext: newDialer(u.Hostname(), o).DialContext, TLSClientConfig: o.TLS,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 4,
	}
	return &wire{config: c, network: o.Network, base: base, stale: stale}, base, nil
}

// client is for the SDK.
func (w *wire) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
}

// RoundTrip sends one request: to the server's own address only, with the token of
// the caller it is made for and of no other.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if !w.config.local() {
		on, err := w.network()
		if err != nil {
			return nil, err
		}
		if !on {
			return nil, ErrNetwork
		}
	}
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	s, _ := r.Context().Value(sendingKey{}).(*sending)
	if s != nil && s.bearer != "" && r.Method != http.MethodGet {
		r.Header.Set("Authorization", "Bearer "+s.bearer)
	}
	if r.Method == http.MethodGet {
		return w.listen(r)
	}
	if r.Method == http.MethodDelete || s != nil && s.wanted.Err() != nil {
		// The SDK would wait for 5 s until it is heard.
		ctx, cancel := context.WithCancel(r.Context())
		time.AfterFunc(farewellTime, cancel)
		r = r.WithContext(ctx)
	}
	first := false
	if s != nil {
		s.mu.Lock()
		first, s.began = !s.began, true // a later one tells of a cancellation
		s.mu.Unlock()
	}
	if first || s != nil && !s.call {
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaders: func() {
			s.mu.Lock()
			s.sent = true
			s.mu.Unlock()
		}}))
	}
	resp, err := w.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if s != nil && (first || !s.call) {
		s.mu.Lock()
		s.status = resp.StatusCode
		s.mu.Unlock()
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, errors.Join(errRedirect, resp.Body.Close())
	}
	resp.Body = &limited{body: resp.Body, left: mostBody}
	if r.Header.Get(methodHeader) == "subscriptions/listen" {
		resp.Body = &watched{ReadCloser: resp.Body, ended: w.stale}
	}
	if first && s.call && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
		return refusedCall(r, resp)
	}
	return resp, nil
}

// refusedCall words a refused tool call as an error of that call: to the SDK it
// would be the end of the connection, which other callers use, too.
func refusedCall(r *http.Request, resp *http.Response) (*http.Response, error) {
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			if err := json.NewDecoder(body).Decode(&asked); err != nil {
				asked.ID = nil
			}
		}
	}
	if asked.ID == nil {
		return resp, nil
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": codeRefused, "message": "the server refuses this caller"}})
	if err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header = http.Header{"Content-Type": {"application/json"}}
	return resp, nil
}

// codeRefused is our own JSON-RPC code for a caller whom a server refuses.
const codeRefused = -32001

// listen opens the stream of notices, which nobody depends on: without one, what a
// server offers is looked at again with each call.
func (w *wire) listen(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	timer := time.AfterFunc(headersTime, cancel)
	resp, err := w.base.RoundTrip(r.WithContext(ctx))
	if err != nil || resp.StatusCode != http.StatusOK || !timer.Stop() {
		timer.Stop()
		if resp != nil {
			err = errors.Join(err, resp.Body.Close())
		}
		cancel()
		w.stale()
		if r.Context().Err() != nil {
			return nil, errors.Join(r.Context().Err(), err)
		}
		return &http.Response{StatusCode: http.StatusMethodNotAllowed, Status: "405 Method Not Allowed", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	}
	resp.Body = &notices{body: resp.Body, ctx: r.Context(), cancel: cancel, stale: w.stale}
	return resp, nil
}

// limited ends an answer that is too long.
type limited struct {
	body io.ReadCloser
	left int64
}

var errTooLong = fmt.Errorf("mcp: the answer has more than %d bytes", mostBody)

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.body.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

func (l *limited) Close() error { return l.body.Close() }

// watched tells of the end of a stream.
type watched struct {
	io.ReadCloser
	ended func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil {
		w.ended()
	}
	return n, err
}

// notices is a stream that a server may end as it likes: to the SDK that would be
// the end of the connection and of the calls that are under way.
type notices struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
	stale  func()
	over   bool
}

func (n *notices) Read(p []byte) (int, error) {
	if !n.over {
		k, err := n.body.Read(p)
		if err == nil || k > 0 {
			return k, nil
		}
		n.over = true
		n.stale()
	}
	<-n.ctx.Done()
	return 0, n.ctx.Err()
}

func (n *notices) Close() error {
	n.cancel()
	return n.body.Close()
}

// bearerOf is what of a caller goes with a request to the server.
func (c Config) bearerOf(ctx context.Context) string {
	if !c.Identity {
		return ""
	}
	return identity.From(ctx).Bearer
}
