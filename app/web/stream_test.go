package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"holdpoint/app"
	"holdpoint/app/web"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// reader is a browser that takes nothing while its gate is closed.
type reader struct {
	*httptest.ResponseRecorder
	gate    chan struct{}
	started chan struct{}
	once    sync.Once

	mu   sync.Mutex
	body bytes.Buffer
}

func newReader() *reader {
	return &reader{ResponseRecorder: httptest.NewRecorder(), gate: make(chan struct{}), started: make(chan struct{})}
}

func (r *reader) Write(p []byte) (int, error) {
	r.once.Do(func() { close(r.started) })
	<-r.gate
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.Write(p)
}

// WriteString keeps the recorder's own from being used.
func (r *reader) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

func (r *reader) Flush() {}

// events are those that came so far.
func (r *reader) events(t *testing.T) (out []journal.Event) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range strings.Lines(r.body.String()) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e journal.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, e)
	}
	return out
}

// paced is an app in practice mode without a server around it.
func paced(t *testing.T, pace time.Duration) (*app.App, *web.API) {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, app.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(db, app.Options{Dir: dir, Version: "test", Practice: true, Pace: pace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, web.NewAPI(a, screens)
}

// listen opens a session's stream for a reader; the channel closes when the server
// has ended it.
func listen(api *web.API, ctx context.Context, r *reader, session string, last uint64) <-chan struct{} {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/sessions/"+session+"/stream", nil)
	if last > 0 {
		req.Header.Set("Last-Event-ID", fmt.Sprint(last))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		api.ServeHTTP(r, req)
	}()
	return ended
}

func TestStream_AReaderThatStallsIsDroppedAndResumesWithoutAGap(t *testing.T) {
	a, api := paced(t, 0)
	turn := func(i int) {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: fmt.Sprintf("hello %d", i)})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%s %v", out.Run.Status, err)
		}
	}
	turn(0)
	slow := newReader()
	ended := listen(api, t.Context(), slow, "s1", 0)
	<-slow.started
	for i := range 60 {
		turn(i + 1)
	}
	close(slow.gate)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the stalled stream goes on")
	}
	last := uint64(0)
	for _, e := range slow.events(t) {
		if e.Seq == 0 {
			continue
		}
		if e.Seq != last+1 {
			t.Fatalf("event %d came after %d", e.Seq, last)
		}
		last = e.Seq
	}
	all, err := a.Store.LastSeq("s1")
	if err != nil || last == 0 || last >= all {
		t.Fatalf("dropped at %d of %d, %v", last, all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	again := newReader()
	close(again.gate)
	ended = listen(api, ctx, again, "s1", last)
	deadline := time.After(20 * time.Second)
	for next := last; next < all; {
		got := again.events(t)
		if len(got) > 0 {
			next = got[len(got)-1].Seq
		}
		select {
		case <-deadline:
			t.Fatalf("resumed after %d and came to %d of %d", last, next, all)
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	<-ended
	for _, e := range again.events(t) {
		if e.Seq != last+1 {
			t.Fatalf("after the resume event %d follows %d", e.Seq, last)
		}
		last = e.Seq
	}
}

func TestStream_AReaderThatComesLateGetsTheTextSoFar(t *testing.T) {
	a, api := paced(t, 30*time.Millisecond)
	early, stop := a.Listen("")
	defer stop()
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	sofar := ""
	for e := range early {
		if e.Kind == journal.Token {
			if sofar += e.Text; strings.Count(sofar, " ") >= 4 {
				break
			}
		}
	}
	late := newReader()
	close(late.gate)
	ctx, cancel := context.WithCancel(t.Context())
	ended := listen(api, ctx, late, s.Session, 0)
	for e := range early {
		if e.Kind == journal.TurnCompleted {
			break
		}
	}
	deadline := time.After(10 * time.Second)
	for done := false; !done; {
		for _, e := range late.events(t) {
			done = done || e.Kind == journal.TurnCompleted
		}
		select {
		case <-deadline:
			t.Fatal("the late reader does not hear of the end")
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	<-ended
	text, whole := "", ""
	for _, e := range late.events(t) {
		switch e.Kind {
		case journal.Token:
			if e.Offset != len(text) {
				t.Fatalf("a piece begins at %d, %d bytes were said", e.Offset, len(text))
			}
			if text == "" && !strings.HasPrefix(e.Text, sofar) {
				t.Errorf("the first piece is %q, said so far %q", e.Text, sofar)
			}
			text += e.Text
		case journal.Message:
			whole = e.Text
		}
	}
	if whole == "" || strings.TrimSpace(text) != whole {
		t.Errorf("the pieces say %q, the message %q", text, whole)
	}
}

func TestStream_ReadersThatLeaveLeaveNothingBehind(t *testing.T) {
	a, api := paced(t, 0)
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	var ends []<-chan struct{}
	for range 20 {
		r := newReader()
		close(r.gate)
		ends = append(ends, listen(api, ctx, r, "s1", 0))
		<-r.started
	}
	cancel()
	for _, end := range ends {
		<-end
	}
	goleak.VerifyNone(t, before)
}
