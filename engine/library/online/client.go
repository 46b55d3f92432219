package online

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/time/rate"
)

// Options of NewClient.
type Options struct {
	// Network says whether the person allowed the network; it is asked before each attempt.
	Network func() (bool, error)
	// Transport stands in for the network in tests; nil is HTTPS without a proxy.
	Transport http.RoundTripper
	Now       func() time.Time
	// Wait returns after a time, or earlier with the context's error; nil is a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout bounds a request with all its attempts; 45 seconds when it is 0.
	Timeout time.Duration
	// MaxAnswer bounds an answer in bytes, unpacked; 16 MiB when it is 0.
	MaxAnswer int64
}

// Client sends requests that a person approved. It is safe for concurrent use.
type Client struct {
	o     Options
	http  http.Client
	paces map[string]*rate.Limiter
}

const (
	usualTimeout = 45 * time.Second
	attempts     = 3
	usualAnswer  = 16 << 20
	mostHeader   = 64 << 10
	// agent is all that a source hears of who asks.
	agent = "Holdpoint"
)

// Errors of sending.
var (
	ErrNetwork  = errors.New("online: the network is not allowed")
	ErrRedirect = errors.New("online: the source sends to another address, which was not shown and is not asked")
	ErrTooLong  = errors.New("online: the answer is too long to be taken")
	ErrTimeout  = errors.New("online: the source did not answer in time")
	ErrAnswer   = errors.New("online: the source does not answer the request")
	ErrReach    = errors.New("online: the source cannot be reached")
)

// told is an error of a kind, in words for the person who approved the request.
type told struct {
	kind error
	text string
}

func (t *told) Error() string { return "online: " + t.text }
func (t *told) Unwrap() error { return t.kind }

// bad is the error of an answer that cannot be taken.
func bad(why string) error {
	return &told{ErrMalformed, phrase("the answer is not what was asked for: %s", why)}
}

// unreached says in words why a source was not reached, as far as the person can do something about it.
func unreached(err error) error {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	why := phrase("the connection fails")
	switch {
	case errors.As(err, &name), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		why = phrase("this laptop seems to have no network")
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		why = phrase("it takes no connection, or a firewall ends it")
	case errors.As(err, &certificate):
		why = phrase("who answers cannot prove to be the source; something between may read along")
	}
	return &told{ErrReach, phrase("the source cannot be reached: %s", why)}
}

// LaterError says when a source wants to be asked again.
type LaterError struct{ At time.Time }

func (l *LaterError) Error() string {
	return "online: " + phrase("the source has had too many requests; it can be asked again from %s on", l.At.Format("15:04:05"))
}

// NewClient returns a client; nothing is sent yet.
func NewClient(o Options) *Client {
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy:       nil, // a proxy is a host that is not among those shown
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: mostHeader, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 1,
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Timeout == 0 {
		o.Timeout = usualTimeout
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = usualAnswer
	}
	c := &Client{o: o, paces: map[string]*rate.Limiter{}}
	// Also a redirect to the same host is a request that nobody looked at.
	c.http = http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return ErrRedirect }}
	for _, s := range Sources {
		c.paces[s.ID] = rate.NewLimiter(rate.Every(s.Every), 1)
	}
	return c
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send sends a request as it was shown and reads the answer. It comes back after Timeout at
// the latest. A source that asks for patience is asked again, three times in all, as far as that fits.
func (c *Client) Send(ctx context.Context, r Request) (a Answer, attempt int, err error) {
	s, u, err := r.check()
	if err != nil {
		return a, 0, err
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	end := c.o.Now().Add(c.o.Timeout)
	for {
		if err := c.o.Wait(ctx, c.paces[s.ID].ReserveN(c.o.Now(), 1).DelayFrom(c.o.Now())); err != nil {
			return a, attempt, ended(whole, err)
		}
		if on, err := c.o.Network(); err != nil || !on {
			return a, attempt, errors.Join(err, ErrNetwork)
		}
		attempt++
		body, later, err := c.get(ctx, r.URL, attempt)
		if err != nil {
			return a, attempt, ended(whole, err)
		}
		if later > 0 {
			at := c.o.Now().Add(later)
			if attempt == attempts || at.After(end) {
				return a, attempt, &LaterError{at}
			}
			if err := c.o.Wait(ctx, later); err != nil {
				return a, attempt, ended(whole, err)
			}
			continue
		}
		a, err = read(r, u, body)
		return a, attempt, err
	}
}

// ended words the end of a request by whose time was up.
func ended(whole context.Context, err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case whole.Err() != nil:
		return whole.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ErrTimeout
	}
	return err
}

// get makes one attempt. later is how long the source wants to be left alone.
func (c *Client) get(ctx context.Context, address string, attempt int) (body []byte, later time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, ErrHost
	}
	req.Header.Set("User-Agent", agent)
	resp, err := c.http.Do(req)
	if err != nil {
		var about *url.Error // its text has the search in it
		if errors.As(err, &about) {
			err = about.Err
		}
		if errors.Is(err, ErrRedirect) || ctx.Err() != nil {
			return nil, 0, errors.Join(ctx.Err(), err)
		}
		return nil, 0, unreached(err)
	}
	defer resp.Body.Close() // it was only read
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return nil, c.patience(resp.Header.Get("Retry-After"), attempt), nil
	default:
		return nil, 0, &told{ErrAnswer, phrase("the source does not answer the request: %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
	}
	// Counted as it comes out of gzip: a small answer may unpack to a big one.
	body, err = io.ReadAll(io.LimitReader(resp.Body, c.o.MaxAnswer+1))
	switch {
	case int64(len(body)) > c.o.MaxAnswer:
		return nil, 0, ErrTooLong
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case err != nil:
		return nil, 0, bad("it ends too early")
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	// XML, whose entities can grow without bounds, is asked of no source, and no parser sees it.
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return nil, 0, bad("it is XML or HTML")
	}
	return body, 0, nil
}

// patience is what Retry-After says, seconds or a date (RFC 9110, 10.2.3); without it, 1 s and then 2 s.
func (c *Client) patience(header string, attempt int) time.Duration {
	header = strings.TrimSpace(header)
	if n, err := strconv.Atoi(header); err == nil && n >= 0 {
		return max(time.Duration(min(n, 86_400))*time.Second, time.Millisecond)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(c.o.Now()), time.Millisecond)
	}
	return time.Duration(attempt) * time.Second
}
