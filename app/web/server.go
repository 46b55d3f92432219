// Package web is the app over HTTP: JSON reads, calls, journals as server-sent
// events, and the embedded screens. The browser talks to it over loopback; the
// window uses the same API without a network.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"holdpoint/app"
)

// Listener serves one app to browsers on this machine.
type Listener struct {
	api  *API
	http *http.Server
	ln   net.Listener

	mu     sync.Mutex
	token  string // one-time; "" once exchanged
	cookie string
	// key is the page's own secret. A browser sends the cookie to every server of this
	// machine, whatever its port: what they see of it must open no data.
	key string
}

// keyHeader carries the key on every call and stream.
const keyHeader = "X-Holdpoint-Key"

// CallerHeader carries the token (JWT) of the person or program that a request acts for.
const CallerHeader = "X-Holdpoint-Caller"

// cookieName tells several Holdpoints on one machine apart: cookies know no ports.
func (s *Listener) cookieName() string {
	_, port, err := net.SplitHostPort(s.ln.Addr().String())
	if err != nil {
		return "holdpoint"
	}
	return "holdpoint-" + port
}

// holds says whether the request has the cookie.
func (s *Listener) holds(r *http.Request) bool {
	c, err := r.Cookie(s.cookieName())
	return err == nil && same(c.Value, s.cookie)
}

// badPorts are those that browsers refuse (fetch.spec.whatwg.org/#port-blocking); 0 takes a
// free one here.
var badPorts = []int{1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135,
	137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659,
	4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}

// Listen opens the address. Anything but a loopback address is refused: what is
// served is health data and nothing authenticates a machine in the network.
func Listen(a *app.App, files fs.FS, addr string) (*Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, app.Bad(fmt.Sprintf("The address %q is not a host and a port.", addr), "Write it as 127.0.0.1:0; port 0 takes a free one.")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, app.Bad(fmt.Sprintf("The port in %q is not a number from 0 to 65535.", addr), "Write it as 127.0.0.1:0; port 0 takes a free one.")
	}
	if n, _ := strconv.Atoi(port); slices.Contains(badPorts, n) {
		return nil, app.Bad(fmt.Sprintf("Browsers refuse the port of %q: another service has it.", addr), "Choose another port, or 0 for a free one.")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, app.Bad(fmt.Sprintf("Holdpoint serves this laptop only, and %q is not a loopback address.", addr), "Use 127.0.0.1, localhost or [::1], as in 127.0.0.1:0.")
	}
	if !slices.Contains(ownNames, host) {
		return nil, app.Bad(fmt.Sprintf("Pages under %q would not be answered.", addr), "Use 127.0.0.1, localhost or [::1], as in 127.0.0.1:0.")
	}
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &app.Fault{Code: "busy", HTTP: 409, Message: fmt.Sprintf("Another program has %q.", addr), Hint: "Choose another port, or 0 for a free one.", Safe: "Nothing was changed."}
	}
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s := &Listener{api: NewAPI(a, files), ln: ln, token: rand.Text(), cookie: rand.Text(), key: rand.Text()}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10, ErrorLog: log.New(&troubles{a.Log()}, "", 0)}
	return s, nil
}

// say is a sentence of a page that has no screens.
func (s *Listener) say(text string) string { return s.api.app.Tongue().Say(text) }

// idleTime is how long a connection that asks for nothing stays.
const idleTime = time.Minute

// troubles logs that the HTTP server has something to say, and not what: the value of a
// panic, or a piece of a request, may hold health data.
type troubles struct{ log *slog.Logger }

func (t *troubles) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("panic serving")) {
		t.log.Error("a request ended in a panic")
	} else {
		t.log.Warn("a connection failed")
	}
	return len(p), nil
}

// URL opens the app once: its token is exchanged for a cookie and a key at the first visit.
func (s *Listener) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + s.ln.Addr().String() + "/?token=" + s.token
}

// Serve answers until ctx ends, then closes connections.
func (s *Listener) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		// Open streams end with their connections; nothing waits for them.
		if err := s.http.Close(); err != nil {
			return // the listener is gone either way
		}
	})
	defer stop()
	if err := s.http.Serve(s.ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("web: %w", err)
	}
	return nil
}

// ServeHTTP guards every route, method and stream the same way, then hands over.
func (s *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	keepComing(w, r)
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self' blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if !s.ownHost(r.Host) {
		http.Error(w, s.say("Holdpoint answers only under its own address."), http.StatusForbidden)
		return
	}
	if !s.ownOrigin(r) {
		http.Error(w, s.say("Holdpoint answers only its own pages."), http.StatusForbidden)
		return
	}
	if token := r.URL.Query().Get("token"); token != "" && r.URL.Path == "/" && r.Method == http.MethodGet {
		s.exchange(w, r, token)
		return
	}
	if !s.holds(r) {
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, "<!doctype html><html lang=%s><title>Holdpoint</title><p>%s</p></html>", s.api.app.Tongue(),
			s.say("Open Holdpoint with the address that <code>holdpoint serve</code> printed. It works once; start the command again for a new one."))
		return
	}
	if strings.HasPrefix(path.Clean(r.URL.Path)+"/", "/api/") && !same(r.Header.Get(keyHeader), s.key) {
		answer(w, nil, &app.Fault{Code: "unauthorized", Message: "This page has no key to Holdpoint any more.", Hint: "Start holdpoint serve again and open the address that it prints.", Safe: "Nothing was changed.", HTTP: http.StatusUnauthorized})
		return
	}
	if named := r.Header.Values(CallerHeader); len(named) > 0 {
		// A header that is there names one caller: an empty one, or two, name nobody, and
		// never whom the program itself acts for.
		token := ""
		if len(named) == 1 {
			token = named[0]
		}
		ctx, err := s.api.app.As(r.Context(), token)
		if err != nil {
			answer(w, nil, err)
			return
		}
		r = r.WithContext(ctx)
	}
	s.api.ServeHTTP(w, r)
}

// exchange trades the one-time token for a cookie that no other site's page can use, and
// for the key, behind the # of the address: browsers send that part to nobody.
func (s *Listener) exchange(w http.ResponseWriter, r *http.Request, token string) {
	s.mu.Lock()
	good := s.token != "" && same(token, s.token)
	if good {
		s.token = ""
	}
	s.mu.Unlock()
	if !good {
		// A page opened again from the history: the cookie decides, and the page knows its key.
		if !s.holds(r) {
			http.Error(w, s.say("This address was used before. Start holdpoint serve again for a new one."), http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: s.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/#key="+s.key, http.StatusSeeOther)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// ownNames are the names that pages are answered under.
var ownNames = []string{"127.0.0.1", "localhost", "::1"}

// ownHost keeps a foreign name that was pointed at this machine from being answered.
func (s *Listener) ownHost(host string) bool {
	_, port, err := net.SplitHostPort(s.ln.Addr().String())
	if err != nil {
		return false
	}
	for _, name := range ownNames {
		full := net.JoinHostPort(name, port)
		if host == full || port == "80" && host == strings.TrimSuffix(full, ":80") { // a browser leaves the usual port out
			return true
		}
	}
	return false
}

// ownOrigin refuses what another page's script or form sent.
func (s *Listener) ownOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		// A link that a person followed from elsewhere may open the start page, nothing else.
		return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		return origin == "http://"+r.Host && s.ownHost(strings.TrimPrefix(origin, "http://"))
	}
	return true
}
