package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"
)

// ErrRemote says that an address or a model lies outside this laptop while the
// user has not switched that on.
var ErrRemote = errors.New("model: outside this laptop")

// Place says where a server was found.
type Place string

const (
	Named   Place = "named"   // by a flag or by OLLAMA_HOST
	Running Place = "running" // on Ollama's usual port
	Ours    Place = "own"     // our own child
)

const (
	defaultPort = 11434
	// bodyLimit is the most that is read from one answer, in bytes.
	bodyLimit = 64 << 20
	// probeTime is how long a server that may be there has for its version.
	probeTime = time.Second
)

// Server is an Ollama server, reached over HTTP; our own child is started when it
// is first needed. It is safe for concurrent use.
type Server struct {
	place  Place
	fixed  *url.URL
	own    *Own
	remote bool
	http   *http.Client
	// answered says that anything ever came from the server, spoke that a chat did.
	answered, spoke atomic.Bool
}

// Options says how Locate looks for a server.
type Options struct {
	// Flag is the address that the user gave (--ollama), Env the value of OLLAMA_HOST;
	// the first that is not empty is used and nothing else is tried.
	Flag, Env string
	// DefaultPort is the loopback port that is tried next; 0 is Ollama's, 11434, and a
	// negative one is none.
	DefaultPort int
	// Own is our own server, used when no other answers; nil where there is none.
	Own *Own
	// AllowRemote admits addresses, and models of a server, outside this laptop.
	AllowRemote bool
}

// Locate finds the server to use: the one named, else a running one, else our own,
// which is not started yet. It fails with ErrRemote for an address outside this
// laptop and with ErrUnreachable when there is none.
func Locate(ctx context.Context, o Options) (*Server, error) {
	if named := firstText(o.Flag, o.Env); named != "" {
		u, err := parseHost(named)
		if err != nil {
			return nil, err
		}
		if !o.AllowRemote && !loopbackName(u.Hostname()) {
			return nil, fmt.Errorf("%w: %s is not on this laptop; switch remote models on in the settings to use it", ErrRemote, u.Host)
		}
		return newServer(Named, u, nil, o.AllowRemote), nil
	}
	if o.DefaultPort >= 0 {
		port := o.DefaultPort
		if port == 0 {
			port = defaultPort
		}
		s := newServer(Running, &url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}, nil, o.AllowRemote)
		probe, cancel := context.WithTimeout(ctx, probeTime)
		version, err := s.Version(probe)
		cancel()
		if err == nil && version != "" {
			return s, nil
		}
		s.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("model: locate: %w", ctx.Err())
		}
	}
	if o.Own != nil {
		return newServer(Ours, nil, o.Own, false), nil
	}
	return nil, fmt.Errorf("%w: no Ollama answers on this laptop; start one, name one with --ollama, or use practice mode", ErrUnreachable)
}

// NewServer returns the server at an address on this laptop, such as http://127.0.0.1:11434.
func NewServer(address string) (*Server, error) {
	return Locate(context.Background(), Options{Flag: address})
}

func newServer(place Place, fixed *url.URL, own *Own, remote bool) *Server {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !remote {
		// The address is checked once more when it is dialled, after names were looked up.
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !at.Addr().Unmap().IsLoopback() {
				return fmt.Errorf("%w: %s", ErrRemote, address)
			}
			return nil
		}
	}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}
	s := &Server{place: place, fixed: fixed, own: own, remote: remote}
	s.http = &http.Client{
		Transport: limited{revived{transport, own}, &s.answered},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects, which Ollama never does")
		},
	}
	return s
}

// strangerTime is how long a server of which nothing ever came has for what is answered at once.
const strangerTime = 10 * time.Second

// within is how long such a question may take, and what it is when nothing came. Our own server is known to be there.
func (s *Server) within(limit time.Duration) (time.Duration, error) {
	if s.own == nil && !s.answered.Load() && limit > strangerTime {
		return strangerTime, ErrMute
	}
	return limit, ErrStalled
}

// mark is for evaluated: what our own server has read so far.
func (s *Server) mark() uint64 {
	if s.own == nil {
		return 0
	}
	return s.own.read.mark()
}

// evaluated is how many tokens of the one prompt of this size since the mark were read
// anew; nil where nobody says.
func (s *Server) evaluated(mark uint64, prompt int) *int {
	if s.own == nil {
		return nil
	}
	return s.own.read.since(mark, prompt)
}

// Place says where the server was found.
func (s *Server) Place() Place { return s.place }

// Address is the server's URL; "" for our own before it runs.
func (s *Server) Address() string {
	if s.fixed != nil {
		return s.fixed.String()
	}
	return s.own.address()
}

// Version asks the server for its version; our own is started for it.
func (s *Server) Version(ctx context.Context) (string, error) {
	c, err := s.client(ctx)
	if err != nil {
		return "", err
	}
	v, err := c.Version(ctx)
	if err != nil {
		return "", explain(ctx, "version", err)
	}
	return v, nil
}

// Close gives up idle connections and stops our own server.
func (s *Server) Close() error {
	s.http.CloseIdleConnections()
	if s.own != nil {
		return s.own.Close()
	}
	return nil
}

// base is the server's URL; our own is started when it doesn't run.
func (s *Server) base(ctx context.Context) (*url.URL, error) {
	if s.own != nil {
		return s.own.URL(ctx)
	}
	return s.fixed, nil
}

func (s *Server) client(ctx context.Context) (*api.Client, error) {
	base, err := s.base(ctx)
	if err != nil {
		return nil, err
	}
	return api.NewClient(base, s.http), nil
}

// revived asks once more where our own server ended between being looked for and being
// asked. Only what was never sent is sent again.
type revived struct {
	*http.Transport
	own *Own // nil for a server that is not ours
}

func (v revived) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.Transport.RoundTrip(r)
	var failed *net.OpError
	if v.own == nil || !errors.As(err, &failed) || failed.Op != "dial" || r.Context().Err() != nil {
		return resp, err
	}
	again := r.Clone(r.Context())
	if r.Body != nil {
		if r.GetBody == nil {
			return nil, err
		}
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	base, err := v.own.URL(r.Context())
	if err != nil {
		return nil, err
	}
	again.URL.Host, again.Host = base.Host, base.Host
	return v.Transport.RoundTrip(again)
}

// limited bounds what is read of any answer, so that a hostile server cannot fill memory.
type limited struct {
	revived
	answered *atomic.Bool
}

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.revived.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	l.answered.Store(true)
	resp.Body = &limitedBody{ReadCloser: resp.Body, left: bodyLimit}
	return resp, nil
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: more than %d MiB", errTooLong, bodyLimit>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// parseHost reads an address as OLLAMA_HOST may have it: host, host:port, :port or a URL.
// An address to listen everywhere (0.0.0.0) means this laptop.
func parseHost(s string) (*url.URL, error) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	scheme, rest, found := strings.Cut(s, "://")
	port := strconv.Itoa(defaultPort)
	switch {
	case !found:
		scheme, rest = "http", s
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, fmt.Errorf("model: the address %q must start with http:// or https://", clip(s))
	}
	if strings.Contains(rest, "@") {
		return nil, errors.New("model: an Ollama address holds no user name or password")
	}
	rest, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(rest)
	if err != nil {
		host = strings.Trim(rest, "[]")
	} else if given != "" {
		port = given
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, fmt.Errorf("model: the address %q has no valid port", clip(s))
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	if strings.ContainsAny(host, "/\\?#%@ \t") {
		return nil, fmt.Errorf("model: the address %q has no valid host", clip(s))
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u, nil
}

// loopbackName says whether a host can only be this laptop.
func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// jsonObject says whether raw is one JSON object.
func jsonObject(raw []byte) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}
