package web_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"holdpoint/app"
	"holdpoint/app/web"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
	"holdpoint/store"
)

// site is a served app with the sample clinic, in practice mode.
type site struct {
	t      *testing.T
	app    *app.App
	origin string
	first  string       // the one-time address
	client *http.Client // holds the cookie
	key    string       // the page's
	dir    string       // the data folder
}

const keyHeader = "X-Holdpoint-Key"

var screens = fstest.MapFS{
	"index.html":    {Data: []byte("<!doctype html><title>Holdpoint</title>")},
	"assets/app.js": {Data: []byte("export {}")},
}

func open(t *testing.T, agents ...agent.New) *site {
	t.Helper()
	return openWith(t, app.Options{Agents: agents})
}

func openWith(t *testing.T, o app.Options) *site {
	t.Helper()
	dir := t.TempDir()
	o.Dir, o.Version, o.Practice = dir, "test", true
	db, err := store.Open(filepath.Join(dir, app.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportNow(t.Context(), "sample", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	s, err := web.Listen(a, screens, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	w := &site{t: t, app: a, origin: "http://" + u.Host, first: s.URL(), client: &http.Client{Jar: jar}, dir: dir}
	res, err := w.client.Get(w.first)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the one-time address: %d", res.StatusCode)
	}
	w.key = strings.TrimPrefix(res.Request.URL.Fragment, "key=")
	return w
}

type answer struct {
	status int
	body   string
	header http.Header
}

// do sends a request as the page does, with cookie and key; headers are name, value, name, value ….
func (w *site) do(method, address, body string, headers []string) answer {
	w.t.Helper()
	return w.with(w.client, method, address, body, append([]string{keyHeader, w.key}, headers...))
}

func (w *site) with(c *http.Client, method, address, body string, headers []string) answer {
	w.t.Helper()
	if !strings.HasPrefix(address, "http") {
		address = w.origin + address
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var text []byte
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		if text, err = io.ReadAll(res.Body); err != nil {
			w.t.Fatal(err)
		}
	}
	return answer{res.StatusCode, string(text), res.Header}
}

func (w *site) call(name string, in any) answer {
	w.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(http.MethodPost, "/api/call/"+name, string(body), nil)
}

// held starts a booking and returns the approval that it waits for.
func (w *site) held() app.ApprovalView {
	w.t.Helper()
	events, stop := w.app.Listen("")
	defer stop()
	res := w.call("send", map[string]string{"agent": "navigator", "patient": "pat-alder", "text": "Please book me a visit for my insomnia next week"})
	if res.status != http.StatusOK {
		w.t.Fatalf("send: %d %s", res.status, res.body)
	}
	w.wait(events, journal.TurnPaused)
	list, err := w.app.Approvals("pending")
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d pending approvals, %v", len(list), err)
	}
	return list[0]
}

func (w *site) wait(events <-chan journal.Event, kind journal.Kind) {
	w.t.Helper()
	for e := range events {
		switch e.Kind {
		case kind:
			return
		case journal.TurnFailed, journal.TurnCompleted:
			w.t.Fatalf("waited for %s, got %s %s", kind, e.Kind, e.Error)
		}
	}
}

// reads are all GET routes, with something real in their place-holders.
func (w *site) reads(session, approval, blob string) []string {
	return []string{"/", "/assets/app.js", "/sessions/x", "/api/state", "/api/agents", "/api/agents/navigator", "/api/agents/schema", "/api/agents/reasoner?pattern=verify", "/api/sessions", "/api/sessions/" + session,
		"/api/sessions/" + session + "/turns", "/api/sessions/" + session + "/journal?after=3", "/api/sessions/" + session + "/stream", "/api/stream",
		"/api/sessions/" + session + "/export?format=md", "/api/sessions/" + session + "/export?format=html&trace=1", "/api/sessions/" + session + "/export?format=json",
		"/api/blobs/" + blob, "/api/approvals", "/api/approvals?status=all", "/api/approvals/" + approval, "/api/memory/" + session, "/api/records",
		"/api/records/Patient", "/api/records/Patient/pat-alder", "/api/patients", "/api/library", "/api/library/search?q=salt",
		"/api/library/documents/none", "/api/library/documents/none/pages/1", "/api/library/documents/none/passages/1", "/api/library/documents/none/boards", "/api/texts", "/api/agents/companion/prompt?node=agent1&audience=teen", "/api/sessions/" + session + "/consent", "/api/sessions/" + session + "/cards", "/api/agents/companion/prompts", "/api/agents/companion/start", "/api/jobs", "/api/settings", "/api/help", "/api/checkpoints", "/api/budgets", "/api/people", "/api/records/Patient/pat-alder/form", "/api/records/Patient/pat-alder/map",
		"/api/approvals/" + approval + "/map", "/api/runs/none", "/api/runs/none/stream", "/api/nothing"}
}

func (w *site) routes() (get []string, a app.ApprovalView) {
	a = w.held()
	return w.reads(a.Session, a.ID, "sha256:0"), a
}

func TestThreat1_ForeignHostIsRefusedEverywhere(t *testing.T) {
	w := open(t)
	paths, a := w.routes()
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "169.254.1.1"} {
		for _, p := range append(paths, w.first) {
			if res := w.do(http.MethodGet, p, "", []string{"Host", host}); res.status != http.StatusForbidden {
				t.Errorf("GET %s as %s: %d", p, host, res.status)
			}
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodHead} {
			if res := w.do(method, "/api/call/approve", `{"id":"`+a.ID+`"}`, []string{"Host", host}); res.status != http.StatusForbidden {
				t.Errorf("%s as %s: %d", method, host, res.status)
			}
		}
	}
}

func TestThreat2_ListensOnLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.168.1.5:0", "example.com:80"} {
		if s, err := web.Listen(nil, screens, addr); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: %v %v", addr, s, err)
		}
	}
	if _, err := web.Listen(nil, screens, "nonsense"); err == nil {
		t.Error("nonsense was taken for an address")
	}
	// "I mistyped the port, and it told me that nothing is not a loopback address."
	for _, addr := range []string{":99999", "127.0.0.1:-1", "127.0.0.1:http", "localhost:", "[::1]:65536", "0.0.0.0:99999"} {
		_, err := web.Listen(nil, screens, addr)
		if f := app.AsFault(err); f.Code != "bad_request" || !strings.Contains(f.Message, "port") || !strings.Contains(f.Message, addr) || !strings.Contains(f.Hint, "127.0.0.1:0") {
			t.Errorf("%s: %+v", addr, f)
		}
	}
	// "It serves, and my browser says ERR_UNSAFE_PORT."
	for _, addr := range []string{"127.0.0.1:6000", "localhost:6667", "[::1]:10080", "127.0.0.1:1"} {
		_, err := web.Listen(nil, screens, addr)
		if f := app.AsFault(err); f.Code != "bad_request" || !strings.Contains(f.Message, "Browsers refuse") || !strings.Contains(f.Message, addr) {
			t.Errorf("%s: %+v", addr, f)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := taken.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = web.Listen(nil, screens, taken.Addr().String())
	if f := app.AsFault(err); f.Code != "busy" || !strings.Contains(f.Message, taken.Addr().String()) || !strings.Contains(f.Hint, "port") {
		t.Errorf("a port that is taken: %+v", f)
	}
}

func TestThreat3_AnotherPageCannotApprove(t *testing.T) {
	w := open(t)
	a := w.held()
	shown, err := w.app.Approval(a.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"id":%q,"digest":%q,"nonce":%q,"reviewer":"Mallory"}`, a.ID, a.Digest, shown.Nonce)
	for name, headers := range map[string][]string{
		"another port":       {"Origin", "http://127.0.0.1:1"},
		"another site":       {"Origin", "https://evil.example"},
		"no origin at all":   {"Origin", "null"},
		"cross-site fetch":   {"Sec-Fetch-Site", "cross-site"},
		"same-site fetch":    {"Sec-Fetch-Site", "same-site"},
		"a form":             {"Content-Type", "application/x-www-form-urlencoded"},
		"plain text":         {"Content-Type", "text/plain"},
		"a multi-part form":  {"Content-Type", "multipart/form-data; boundary=x"},
		"no type of content": {"Content-Type", ""},
	} {
		if res := w.do(http.MethodPost, "/api/call/approve", body, headers); res.status != http.StatusForbidden && res.status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d %s", name, res.status, res.body)
		}
	}
	if after, err := w.app.Approval(a.ID, false); err != nil || after.Status != "pending" {
		t.Errorf("the approval is %s, %v", after.Status, err)
	}
}

func TestThreat4_EveryRouteAsksForTheCookie(t *testing.T) {
	w := open(t)
	paths, _ := w.routes()
	stranger := &http.Client{}
	for _, p := range paths {
		if res := w.with(stranger, http.MethodGet, p, "", nil); res.status != http.StatusUnauthorized {
			t.Errorf("GET %s: %d", p, res.status)
		}
	}
	for _, p := range []string{"/api/call/send", "/api/call/approve", "/api/call/nothing", "/api/upload/records?name=x.ndjson", "/"} {
		if res := w.with(stranger, http.MethodPost, p, "{}", nil); res.status != http.StatusUnauthorized {
			t.Errorf("POST %s: %d", p, res.status)
		}
	}
	if res := w.with(stranger, http.MethodGet, "/api/state", "", []string{"Cookie", "holdpoint-" + port(t, w) + "=guess"}); res.status != http.StatusUnauthorized {
		t.Errorf("a guessed cookie: %d", res.status)
	}
}

func port(t *testing.T, w *site) string {
	u, err := url.Parse(w.origin)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// "A browser sends my session's cookie to whatever else listens on this machine. What it
// gets that way must open nothing of mine."
func TestThreat4_TheCookieAloneOpensNoData(t *testing.T) {
	w := open(t)
	paths, a := w.routes()
	for _, p := range paths {
		for _, key := range []string{"", "guess", w.key[:8], w.key + "x"} {
			res := w.with(w.client, http.MethodGet, p, "", []string{keyHeader, key})
			if data := strings.HasPrefix(p, "/api/"); data != (res.status == http.StatusUnauthorized) {
				t.Errorf("GET %s with the key %q: %d", p, key, res.status)
			}
			if strings.Contains(fmt.Sprint(res.header, res.body), w.key) {
				t.Errorf("GET %s tells the key", p)
			}
		}
	}
	for _, p := range []string{"/api/call/approve", "/api/upload/records?name=x.ndjson", "/x/../api/call/approve", "//api/call/approve"} {
		if res := w.with(w.client, http.MethodPost, p, `{"id":"`+a.ID+`"}`, nil); res.status == http.StatusOK && strings.Contains(res.body, a.ID) {
			t.Errorf("POST %s: %d", p, res.status)
		}
	}
	if after, err := w.app.Approval(a.ID, false); err != nil || after.Status != "pending" {
		t.Errorf("the approval is %s, %v", after.Status, err)
	}
	// The first address, used again with the cookie, tells the key to nobody.
	once := &http.Client{Jar: w.client.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if res := w.with(once, http.MethodGet, w.first, "", nil); res.header.Get("Location") != "/" {
		t.Errorf("the address used again leads to %q", res.header.Get("Location"))
	}
}

// "A program held a thousand connections open with half a request each."
func TestThreat5_HalfABodyHoldsNoConnection(t *testing.T) {
	w := open(t)
	at := must(url.Parse(w.origin)).Host
	var all []net.Conn
	for _, head := range []string{"", "Cookie: guess\r\n"} {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST /api/call/resume HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 100000\r\n\r\n{", at, head)
		if err := c.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if said, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 401") {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// "I have two Holdpoints open, and opening the second threw me out of the first."
func TestTwoHoldpointsSideBySideStayOpen(t *testing.T) {
	first, second := open(t), open(t)
	jar := first.client.Jar
	second.client.Jar.SetCookies(must(url.Parse(first.origin)), jar.Cookies(must(url.Parse(first.origin))))
	first.client.Jar = second.client.Jar // one browser: cookies know no ports
	for _, w := range []*site{first, second} {
		if res := w.do(http.MethodGet, "/api/sessions", "", nil); res.status != http.StatusOK {
			t.Errorf("%s: %d", w.origin, res.status)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestThreat5_TheTokenWorksOnceAndLeavesNoTrace(t *testing.T) {
	w := open(t)
	token := w.first[strings.Index(w.first, "=")+1:]
	once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res := w.with(once, http.MethodGet, w.first, "", nil)
	if res.status != http.StatusUnauthorized {
		t.Errorf("the second use: %d", res.status)
	}
	s, err := web.Listen(w.app, screens, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	defer func() { stop(); <-ended }()
	res = w.with(once, http.MethodGet, s.URL(), "", nil)
	cookie := res.header.Get("Set-Cookie")
	// The key is behind the #, which a browser sends to no server.
	if to := res.header.Get("Location"); res.status != http.StatusSeeOther || !strings.HasPrefix(to, "/#key=") {
		t.Errorf("%d to %q", res.status, to)
	}
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie lacks %s: %s", want, cookie)
		}
	}
	if strings.Contains(fmt.Sprint(res.header, res.body), token) || res.header.Get("Referrer-Policy") != "no-referrer" {
		t.Error("the token or the address leaks")
	}
}

func TestThreat6_ReadingChangesNothing(t *testing.T) {
	w := open(t)
	paths, _ := w.routes()
	before := w.app.Store.Commits()
	for _, p := range paths {
		if res := w.do(http.MethodGet, p, "", nil); res.status >= 500 {
			t.Errorf("GET %s: %d %s", p, res.status, res.body)
		}
	}
	for _, name := range []string{"approve", "send", "delete_session", "import_sample", "set_practice"} {
		if res := w.do(http.MethodGet, "/api/call/"+name, "", nil); res.status == http.StatusOK {
			t.Errorf("GET of the call %s: %d", name, res.status)
		}
	}
	if after := w.app.Store.Commits(); after != before {
		t.Errorf("%d transactions were written", after-before)
	}
}

func TestThreat7_ExportsRunNothing(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	hostile := `<img src=x onerror=alert(1)><script>alert(2)</script> ![b](http://evil.example/b.png) [c](javascript:alert(3))` + " \u202egnp.exe"
	res := w.call("send", map[string]string{"agent": "navigator", "text": hostile})
	if res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	w.wait2(events, journal.TurnCompleted)
	stop()
	var started app.Started
	if err := json.Unmarshal([]byte(res.body), &started); err != nil {
		t.Fatal(err)
	}
	html := w.do(http.MethodGet, "/api/sessions/"+started.Session+"/export?format=html&trace=1", "", nil)
	for _, bad := range []string{"<img", "<script", "onerror=alert(1)>", "\u202e"} {
		if strings.Contains(html.body, bad) {
			t.Errorf("the HTML export holds %q", bad)
		}
	}
	if csp := html.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "sandbox") {
		t.Errorf("its policy is %q", csp)
	}
	md := w.do(http.MethodGet, "/api/sessions/"+started.Session+"/export?format=md", "", nil)
	for _, bad := range []string{"<img", "<script", "![b]", "\u202e"} {
		if strings.Contains(md.body, bad) {
			t.Errorf("the Markdown export holds %q", bad)
		}
	}
	if !strings.Contains(md.body, "⟨U+202E⟩") {
		t.Error("the turning of the text is not shown")
	}
}

// wait2 waits for the end of a turn, however it came.
func (w *site) wait2(events <-chan journal.Event, kind journal.Kind) {
	w.t.Helper()
	for e := range events {
		if e.Kind == kind {
			return
		}
		if e.Kind == journal.TurnFailed {
			w.t.Fatal(e.Error)
		}
	}
}

// "I clicked on a link in an answer, and a program of Windows opened."
func TestThreat8_NoLinkOfAnExportOpensAnything(t *testing.T) {
	w := open(t)
	links := []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd", "smb://host/share", "ms-msdt:/id%20PCWDiagnostic",
		"search-ms:query=x", "//evil.example/x", `\\evil.example\share`, "intent://x#Intent;end"}
	var said strings.Builder
	for i, l := range links {
		fmt.Fprintf(&said, "[open %d](%s) <%s> <a href=%q>here</a> [ref %d][%d]\n\n[%d]: %s\n", i, l, l, l, i, i, i, l)
	}
	events, stop := w.app.Listen("")
	res := w.call("send", map[string]string{"agent": "navigator", "text": said.String()})
	if res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	w.wait2(events, journal.TurnCompleted)
	stop()
	var started app.Started
	if err := json.Unmarshal([]byte(res.body), &started); err != nil {
		t.Fatal(err)
	}
	html := w.do(http.MethodGet, "/api/sessions/"+started.Session+"/export?format=html&trace=1", "", nil)
	if !strings.Contains(html.body, "ms-msdt:") {
		t.Fatal("the export does not hold what was said")
	}
	if live := regexp.MustCompile(`(?i)<(a|form|iframe|object|embed|base|area|meta http-equiv)\b|<[a-z]+[^>]*\b(href|src|on\w+)=`).FindString(html.body); live != "" {
		t.Errorf("the HTML export has %s", live)
	}
	md := w.do(http.MethodGet, "/api/sessions/"+started.Session+"/export?format=md&trace=1", "", nil)
	words := regexp.MustCompile("(?s)\n```\n.*?\n```\n").ReplaceAllString(md.body, "") // a fence holds letters only
	for _, l := range links {
		for _, bad := range []string{"](" + l, "<" + l + ">", "]: " + l} {
			if at := strings.Index(words, bad); at > 0 && words[at-1] != '\\' {
				t.Errorf("the Markdown export has %q", bad)
			}
		}
	}
	// The page may go nowhere else, and nothing of it may be shown in another.
	if csp := w.do(http.MethodGet, "/", "", nil).header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "form-action 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page's policy is %q", csp)
	}
}

func TestThreat9_AVerdictNeedsTheCardThatWasShown(t *testing.T) {
	w := open(t)
	a := w.held()
	decide := func(nonce string) answer {
		return w.call("approve", map[string]string{"id": a.ID, "digest": a.Digest, "nonce": nonce, "reviewer": "Dr. Test"})
	}
	for _, nonce := range []string{"", "guess"} {
		if res := decide(nonce); res.status != http.StatusForbidden {
			t.Errorf("nonce %q: %d %s", nonce, res.status, res.body)
		}
	}
	var card struct{ Nonce string }
	if err := json.Unmarshal([]byte(w.do(http.MethodGet, "/api/approvals/"+a.ID, "", nil).body), &card); err != nil || card.Nonce == "" {
		t.Fatalf("no nonce: %v", err)
	}
	events, stop := w.app.Listen(a.Session)
	defer stop()
	if res := decide(card.Nonce); res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	w.wait2(events, journal.TurnCompleted)
	if res := decide(card.Nonce); res.status == http.StatusOK {
		t.Error("the nonce was good twice")
	}
	page, err := w.app.Records("Appointment", "", "", 10)
	if err != nil || len(page.Records) != 1 {
		t.Errorf("%d appointments, %v", len(page.Records), err)
	}
}

// "I followed a link, and the page that came had all of Holdpoint in its hands." Whatever a
// page elsewhere kept, the cookie and the key included, is of no use to it.
func TestThreat10_APageElsewhereHasNoUseOfWhatItKept(t *testing.T) {
	w := open(t)
	paths, a := w.routes()
	shown, err := w.app.Approval(a.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	before := w.app.Store.Commits()
	for name, headers := range map[string][]string{
		"another origin": {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"},
		"another port":   {"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"},
		"no cors":        {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		"a sandbox":      {"Origin", "null", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"},
	} {
		for _, p := range paths {
			if res := w.do(http.MethodGet, p, "", headers); res.status != http.StatusForbidden {
				t.Errorf("GET %s from %s: %d", p, name, res.status)
			}
		}
		body := fmt.Sprintf(`{"id":%q,"digest":%q,"nonce":%q,"reviewer":"Mallory"}`, a.ID, a.Digest, shown.Nonce)
		for _, call := range []string{"approve", "reject", "set_setting", "delete_session", "send"} {
			if res := w.do(http.MethodPost, "/api/call/"+call, body, headers); res.status != http.StatusForbidden {
				t.Errorf("%s from %s: %d", call, name, res.status)
			}
		}
		if res := w.do(http.MethodOptions, "/api/call/approve", "", append(headers, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-holdpoint-key")); res.status != http.StatusForbidden || res.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("asking for leave from %s: %d", name, res.status)
		}
	}
	if after := w.app.Store.Commits(); after != before {
		t.Errorf("%d transactions were written", after-before)
	}
}

func TestThreat24_AnUploadsNameIsOnlyAName(t *testing.T) {
	w := open(t)
	line := `{"resourceType":"Patient","id":"up1","name":[{"family":"Upload"}]}`
	for _, name := range []string{"../../etc/passwd.ndjson", `..\\..\\x.ndjson`, "%5c%5chost%5cx.ndjson", "/dev/null.ndjson"} {
		res := w.do(http.MethodPost, "/api/upload/records?name="+url.QueryEscape(name), line, []string{"Content-Type", "application/octet-stream"})
		if res.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, res.status, res.body)
		}
		if strings.Contains(res.body, "..") || strings.Contains(res.body, "/etc") {
			t.Errorf("%s: the path survived: %s", name, res.body)
		}
	}
	if _, err := w.app.Record("Patient", "up1"); err != nil {
		t.Error(err)
	}
}

func TestThreat27_OversizeAndUnknownBodiesAreRefused(t *testing.T) {
	w := open(t)
	before := w.app.Store.Commits()
	for name, body := range map[string]string{
		"2 MB":              `{"text":"` + strings.Repeat("x", 2<<20) + `"}`,
		"a long message":    `{"text":"` + strings.Repeat("x", 100_000) + `"}`,
		"an empty message":  `{"text":"  "}`,
		"an unknown field":  `{"text":"hi","admin":true}`,
		"not JSON":          `text=hi`,
		"an unknown agent":  `{"text":"hi","agent":"other"}`,
		"a field of a list": `{"text":["hi"]}`,
	} {
		res := w.do(http.MethodPost, "/api/call/send", body, nil)
		var f struct{ Error app.Fault }
		if err := json.Unmarshal([]byte(res.body), &f); err != nil || res.status < 400 || res.status >= 500 || f.Error.Message == "" {
			t.Errorf("%s: %d %.200s %v", name, res.status, res.body, err)
		}
	}
	if after := w.app.Store.Commits(); after != before {
		t.Error("a refused message left something behind")
	}
}

func TestPages_HaveAPolicyAndUnknownRoutesAreJSON(t *testing.T) {
	w := open(t)
	page := w.do(http.MethodGet, "/", "", nil)
	csp := page.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "script-src 'self';") || strings.Contains(csp, "unsafe-eval") || page.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("policy %q", csp)
	}
	if res := w.do(http.MethodGet, "/api/nothing", "", nil); res.status != http.StatusNotFound || !json.Valid([]byte(res.body)) {
		t.Errorf("%d %s", res.status, res.body)
	}
	bare := web.NewAPI(w.app, fstest.MapFS{".gitkeep": {}})
	rec := &recorder{header: http.Header{}}
	bare.ServeHTTP(rec, mustRequest(t, "/"))
	if !strings.Contains(rec.String(), "not built yet") {
		t.Errorf("without built screens: %s", rec.String())
	}
}

type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

func mustRequest(t *testing.T, path string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// TestStream_StoredThenLiveWithoutGap reads a session's stream from the middle
// while a turn goes on: every event comes once, in order.
func TestStream_StoredThenLiveWithoutGap(t *testing.T) {
	w := open(t)
	a := w.held()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.origin+"/api/sessions/"+a.Session+"/stream?after=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", "10")
	req.Header.Set(keyHeader, w.key)
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	next := uint64(11)
	decided := false
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e journal.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq == 0 {
			continue
		}
		if e.Seq != next {
			t.Fatalf("event %d came, %d was due", e.Seq, next)
		}
		next++
		if e.Kind == journal.TurnPaused && !decided {
			decided = true
			shown, err := w.app.Approval(a.ID, true)
			if err != nil {
				t.Fatal(err)
			}
			if res := w.call("reject", map[string]string{"id": a.ID, "digest": a.Digest, "nonce": shown.Nonce, "reviewer": "Dr. Test", "comment": "the patient is away"}); res.status != http.StatusOK {
				t.Fatalf("%d %s", res.status, res.body)
			}
		}
		if e.Kind == journal.TurnCompleted {
			if !strings.Contains(e.Text, "the patient is away") {
				t.Errorf("the reply does not acknowledge the reason: %s", e.Text)
			}
			return
		}
	}
	t.Fatal(lines.Err())
}

// "Holdpoint was killed during an import, and the file is still in its folder."
func TestModels_AnUploadThatWasKilledIsRemovedAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "uploads", "1.gguf")
	if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, []byte("GGUF"), 0o600)); err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(app.Options{Dir: dir, Practice: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// "A file that called itself a model took Holdpoint down." The file is bytes here: what it
// says of itself is for the server's process, and its digest is what a person is shown.
func TestThreat28_AModelFileIsOnlyBytesAndItsDigestIsShown(t *testing.T) {
	got := make(chan []byte, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch {
		case r.URL.Path == "/api/version":
			fmt.Fprint(w, `{"version":"0.24.0"}`)
		case r.URL.Path == "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"kept:latest","digest":"5ca1ab1e5ca1ab1e","size":1}]}`)
		case r.URL.Path == "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion"]}`)
		case r.URL.Path == "/api/ps":
			fmt.Fprint(w, `{"models":[]}`)
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusNotFound)
		case strings.HasPrefix(r.URL.Path, "/api/blobs/"):
			got <- body
			w.WriteHeader(http.StatusCreated)
		case r.URL.Path == "/api/create" && strings.Contains(string(body), `"fine"`):
			fmt.Fprintln(w, `{"status":"success"}`)
		default:
			fmt.Fprintln(w, `{"error":"invalid file magic"}`)
		}
	}))
	defer server.Close()
	w := openWith(t, app.Options{Ollama: server.URL})
	header := "GGUF\x03\x00\x00\x00" + strings.Repeat("\xff", 16) // as many tensors and keys as a number can say
	for name, file := range map[string]string{
		"fine":     header + strings.Repeat("\x00", 64),
		"counts":   header,
		"keys":     "GGUF\x03\x00\x00\x00" + strings.Repeat("\x00", 8) + "\x01\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\xff", 8) + "key",
		"no-magic": "<script>alert(1)</script>",
		"short":    "GG",
	} {
		var m0 runtime.MemStats
		runtime.ReadMemStats(&m0)
		notices, stop := w.app.Watch()
		res := w.do(http.MethodPost, "/api/upload/model?name="+name+".gguf", file, []string{"Content-Type", "application/octet-stream"})
		var started struct{ Job app.Job }
		if !strings.HasPrefix(file, "GGUF") { // it goes nowhere
			if stop(); res.status != http.StatusBadRequest || !strings.Contains(res.body, "not a GGUF file") {
				t.Errorf("%s: %d %s", name, res.status, res.body)
			}
			continue
		}
		if err := json.Unmarshal([]byte(res.body), &started); err != nil || res.status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, res.status, res.body)
		}
		job := started.Job
		for job.Status == "running" {
			n := <-notices
			if n.Kind == app.NoticeJob && n.ID == job.ID {
				if err := json.Unmarshal(n.Data, &job); err != nil {
					t.Fatal(err)
				}
			}
		}
		stop()
		if sent := <-got; string(sent) != file {
			t.Errorf("%s: the server got %d bytes of %d", name, len(sent), len(file))
		}
		var m1 runtime.MemStats
		if runtime.ReadMemStats(&m1); m1.TotalAlloc-m0.TotalAlloc > 64<<20 {
			t.Errorf("%s: %d MB were taken", name, (m1.TotalAlloc-m0.TotalAlloc)>>20)
		}
		sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(file)))
		switch shown := fmt.Sprint(job.Result); {
		case name == "fine" && (job.Status != "done" || !strings.Contains(shown, sum)):
			t.Errorf("its digest is not shown: %s %s %s", job.Status, job.Error, shown)
		case name != "fine" && (job.Status != "failed" || job.Error == ""):
			t.Errorf("%s: %s %s", name, job.Status, job.Error)
		}
	}
	left, err := filepath.Glob(filepath.Join(w.dir, "uploads", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("of the uploads there is still %v, %v", left, err)
	}
	if list := w.do(http.MethodGet, "/api/models", "", nil); !strings.Contains(list.body, "5ca1ab1e5ca1ab1e") {
		t.Errorf("the list of models shows no digest: %s", list.body)
	}
}
