package mcp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"holdpoint/engine/identity"
	"holdpoint/engine/mcp"
)

// elsewhere serves a server under https://tools.test as if it were far away: the
// resolver's answers are addresses, and dialling a public one ends at the site.
func (s *shop) elsewhere(h http.Handler, resolve func(n int64) []string) (dialled func() []string, url string) {
	s.t.Helper()
	ts := httptest.NewUnstartedServer(h)
	ts.Config.ErrorLog = log.New(io.Discard, "", 0)
	ts.StartTLS()
	s.t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	pool := x509.NewCertPool()
	pool.AddCert(ts.Certificate())
	s.o.TLS = &tls.Config{RootCAs: pool, ServerName: "example.com"}
	var n atomic.Int64
	list := []string{}
	s.o.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		var out []netip.Addr
		for _, a := range resolve(n.Add(1)) {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
	s.o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		s.mu.Lock()
		list = append(list, address)
		s.mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, ts.Listener.Addr().String())
	}
	s.servers.Close()
	s.open()
	// A connection may be dialled for what is sent after an answer: whoever asks gets those until now.
	return func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Clone(list)
	}, "https://tools.test/mcp"
}

func handler(server *sdk.Server) http.Handler {
	return http.NewCrossOriginProtection().Handler(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true}))
}

func TestThreat23_OnlyPublicAddressesAreDialled(t *testing.T) {
	for address, good := range map[string]bool{
		"1.1.1.1": true, "2606:4700:4700::1111": true, "::ffff:1.1.1.1": true,
		"127.0.0.1": false, "::1": false, "::ffff:127.0.0.1": false, "0.0.0.0": false, "::": false, "::ffff:0.0.0.0": false, "127.1.2.3": false,
		"10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "::ffff:10.0.0.1": false, "fd00::1": false, "fc00::1": false, "fe80::1": false,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "64:ff9b::a9fe:a9fe": false, "2002:a9fe:a9fe::1": false, "fd00:ec2::254": false,
		"100.64.0.1": false, "100.100.100.200": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "192.0.0.1": false,
		"ff02::1": false, "::127.0.0.1": false, "2001::1": false, "fec0::1": false, "64:ff9b:1::1": false, "240.0.0.1": false,
	} {
		t.Run(address, func(t *testing.T) {
			s := newShop(t)
			s.online = true
			dialled, url := s.elsewhere(handler(testServer("plain", t.TempDir()+"/e")), func(int64) []string { return []string{address} })
			_, err := s.servers.Add(t.Context(), mcp.Config{Title: "Far", Transport: mcp.HTTP, URL: url}, nil)
			if good && (err != nil || len(dialled()) == 0) || !good && (!errors.Is(err, mcp.ErrAddress) || len(dialled()) != 0) {
				t.Errorf("%v, dialled %v", err, dialled())
			}
			// The same, written into the address itself.
			host := address
			if strings.Contains(address, ":") {
				host = "[" + address + "]"
			}
			_, err = s.servers.Add(t.Context(), mcp.Config{Title: "Near", Transport: mcp.HTTP, URL: "http://" + host + ":9/mcp"}, nil)
			a := netip.MustParseAddr(address).Unmap()
			if a.IsLoopback() {
				return // this machine, as it was named: allowed
			}
			if !errors.Is(err, mcp.ErrConfig) {
				t.Errorf("http elsewhere: %v", err)
			}
		})
	}
}

func TestThreat23_AResolverThatChangesItsMindIsOfNoUse(t *testing.T) {
	for name, later := range map[string][]string{"to loopback": {"127.0.0.1"}, "to one of two": {"1.1.1.1", "169.254.169.254"}, "to a mapped one": {"::ffff:127.0.0.1"}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.online = true
			var rebound atomic.Bool
			dialled, url := s.elsewhere(handler(testServer("plain", t.TempDir()+"/e")), func(int64) []string {
				if rebound.Load() {
					return later
				}
				return []string{"1.1.1.1"}
			})
			s.add(mcp.Config{Title: "Far", Transport: mcp.HTTP, URL: url})
			x := s.tool("far.add")
			rebound.Store(true)
			before := len(dialled())
			_, err := call(t.Context(), x, identity.Caller{}, `{"a":1,"b":2}`)
			if no := refusal(t, err); !strings.Contains(no, "private network") || len(dialled()) != before {
				t.Errorf("%s, dialled %v", no, dialled())
			}
		})
	}
}

func TestThreat23_RedirectsAreRefused(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s := newShop(t)
			var reached atomic.Int64
			goal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
			defer goal.Close()
			here := httptest.NewServer(http.RedirectHandler(goal.URL, status))
			defer here.Close()
			_, err := s.servers.Add(t.Context(), mcp.Config{Title: "R", Transport: mcp.HTTP, URL: here.URL}, nil)
			if err == nil || !strings.Contains(err.Error(), "redirects") || reached.Load() != 0 {
				t.Errorf("%v, reached %d times", err, reached.Load())
			}
			// Also in the middle of it, with a token at hand.
			var turned atomic.Bool
			ts := site(t, testServer("plain", t.TempDir()+"/e"), nil, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if turned.Load() {
						http.Redirect(w, r, goal.URL, status)
						return
					}
					next.ServeHTTP(w, r)
				})
			})
			s.add(mcp.Config{Title: "Later", Transport: mcp.HTTP, URL: ts.URL, Identity: true})
			x := s.tool("later.add")
			turned.Store(true)
			if _, err := call(t.Context(), x, identity.Caller{Bearer: "b"}, `{"a":1,"b":1}`); err == nil || reached.Load() != 0 {
				t.Errorf("%v, reached %d times", err, reached.Load())
			}
		})
	}
}

func TestThreat23_NothingElsewhereWithoutTheNetworkSwitch(t *testing.T) {
	s := newShop(t)
	dialled, far := s.elsewhere(handler(testServer("plain", t.TempDir()+"/e")), func(int64) []string { return []string{"1.1.1.1"} })
	if _, err := s.servers.Add(t.Context(), mcp.Config{Title: "Far", Transport: mcp.HTTP, URL: far}, nil); !errors.Is(err, mcp.ErrNetwork) || len(dialled()) != 0 {
		t.Fatalf("%v, dialled %v", err, dialled())
	}
	s.mu.Lock()
	s.online = true
	s.mu.Unlock()
	s.add(mcp.Config{Title: "Far", Transport: mcp.HTTP, URL: far})
	x := s.tool("far.add")
	if _, err := call(t.Context(), x, identity.Caller{}, `{"a":1,"b":1}`); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.online = false
	s.mu.Unlock()
	was := len(dialled())
	_, err := call(t.Context(), x, identity.Caller{}, `{"a":1,"b":1}`) // also on a connection that is open
	if no := refusal(t, err); !strings.Contains(no, "switched off") || len(dialled()) != was {
		t.Errorf("%s, dialled %v", no, dialled())
	}
	if _, err := s.servers.Refresh(t.Context(), "far"); !errors.Is(err, mcp.ErrNetwork) {
		t.Error(err)
	}
}

func TestThreat23_AddressesThatAreNone(t *testing.T) {
	s := newShop(t)
	s.online = true
	for _, bad := range []string{"", "x", "http://example.org/mcp", "ftp://127.0.0.1", "file:///etc/passwd", "https://", "https://user:pw@example.org", "https://example.org/#x",
		"http://127.0.0.1.example.org/", "http://localhost.example.org/", "http://2130706433/", "http://0x7f000001/", "unix:///var/run/docker.sock"} {
		if _, err := s.servers.Add(t.Context(), mcp.Config{Title: "Bad", Transport: mcp.HTTP, URL: bad}, nil); !errors.Is(err, mcp.ErrConfig) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestThreat23_ANameOfThisMachineGoesNowhereElse(t *testing.T) {
	s := newShop(t)
	ts := site(t, testServer("plain", t.TempDir()+"/e"), nil, nil)
	u, err := url.Parse(ts.URL)
	must(t, err)
	s.o.Resolve = func(context.Context, string) ([]netip.Addr, error) { t.Error("a resolver was asked"); return nil, nil }
	s.servers.Close()
	s.open()
	s.add(mcp.Config{Title: "Here", Transport: mcp.HTTP, URL: "http://localhost:" + u.Port()})
	if _, err := call(t.Context(), s.tool("here.add"), identity.Caller{}, `{"a":1,"b":1}`); err != nil {
		t.Error(err)
	}
}

func TestThreat23_AnAnswerWithoutEndIsCutOff(t *testing.T) {
	s := newShop(t)
	var flood atomic.Bool
	ts := site(t, testServer("plain", t.TempDir()+"/e"), nil, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !flood.Load() || r.Method != http.MethodPost {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			line := []byte(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 1<<20))
			for range 64 {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		})
	})
	s.add(mcp.Config{Title: "Flood", Transport: mcp.HTTP, URL: ts.URL})
	x := s.tool("flood.add")
	if _, err := call(t.Context(), x, identity.Caller{}, `{"a":1,"b":1}`); err != nil {
		t.Fatal(err)
	}
	flood.Store(true)
	if _, err := call(t.Context(), x, identity.Caller{}, `{"a":1,"b":1}`); err == nil {
		t.Error("it was taken")
	}
}
