package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

// "It has said Working for a minute, and I can't tell whether anything happens": a call is
// told when it begins, with about how much there is to read and how fast that went last,
// also after a restart and to a screen that comes late.
func TestProgress_ACallIsToldWhenItBeginsWithWhatIsToRead(t *testing.T) {
	asked, go1 := make(chan struct{}, 8), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{}`
		switch r.URL.Path {
		case "/api/version":
			body = `{"version":"0.24.0"}`
		case "/api/tags":
			body = `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1,"details":{}}]}`
		case "/api/show":
			body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
		case "/api/chat":
			select {
			case asked <- struct{}{}:
			default:
			}
			select {
			case <-go1:
			case <-r.Context().Done():
				return
			}
			body = `{"message":{"role":"assistant","content":"Good morning."},"done":true,"done_reason":"stop","prompt_eval_count":500,"prompt_eval_duration":2000000000,"eval_count":4,"eval_duration":1000000}`
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := fmt.Fprintln(w, body); err != nil {
			return // the turn was stopped
		}
	}))
	defer server.Close()
	open := func(dir string) *app.App {
		a, err := app.Open(app.Options{Dir: dir, Ollama: server.URL, Model: "stub"})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	reading := func(events <-chan journal.Event) journal.ModelReadingData {
		t.Helper()
		e := until(t, events, journal.ModelReading)
		d, err := journal.Read[journal.ModelReadingData](e)
		for err == nil && d.Model == "" { // the server is asked for its models
			e = until(t, events, journal.ModelReading)
			d, err = journal.Read[journal.ModelReadingData](e)
		}
		if err != nil || e.Seq != 0 || e.Stage == "" || d.Purpose == "" || d.Model != "stub:latest" || d.Tokens < 20 {
			t.Fatalf("%+v %+v %v", e, d, err)
		}
		return d
	}

	dir := t.TempDir()
	a := open(dir)
	events, stop := a.Listen("")
	defer stop()
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: strings.Repeat("Good morning. ", 20)})
	if err != nil {
		t.Fatal(err)
	}
	if d := reading(events); d.PerSecond != 0 {
		t.Errorf("nothing was read yet, and the pace is %v", d.PerSecond)
	}
	<-asked
	late, stopLate := a.Listen(s.Session)
	if first := <-late; first.Kind != journal.ModelReading {
		t.Errorf("a screen that comes late hears of %s first", first.Kind)
	}
	stopLate()
	close(go1)
	until(t, events, journal.ModelCalled)
	stored, _, err := a.Journal(s.Session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored {
		if e.Kind == journal.ModelReading {
			t.Error("it was stored")
		}
	}
	closeApp(t, a)

	a = open(dir)
	defer closeApp(t, a)
	events, stopAgain := a.Listen("")
	defer stopAgain()
	if _, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: "Good morning again. How are you today?"}); err != nil {
		t.Fatal(err)
	}
	if d := reading(events); d.PerSecond != 250 {
		t.Errorf("500 tokens took 2 s, and the pace is %v", d.PerSecond)
	}
	until(t, events, journal.ModelCalled)
}

// "It sent three words and stopped, and for a minute it said that the model writes." A model that writes is told of
// anew every few seconds in which it does: who looks on knows since when it is silent.
func TestProgress_AModelThatWritesIsToldOfAnew(t *testing.T) {
	url := weighing(t, 8_000_000_000, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat(`{"message":{"role":"assistant","content":"Good. "},"done":false}`+"\n", 3)+`{"message":{"role":"assistant","content":"Morning."},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":4}`)
	})
	var passed atomic.Int64 // each look at the clock is three seconds after the last
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: url, Model: "stub", Now: func() time.Time { return time.Now().Add(time.Duration(passed.Add(3)) * time.Second) }})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	events, stop := a.Listen("")
	defer stop()
	if _, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: "Good morning."}); err != nil {
		t.Fatal(err)
	}
	begun := 0
	for begun < 2 {
		e := <-events
		if e.Kind == journal.ModelCalled {
			break
		}
		if d, err := journal.Read[journal.ModelReadingData](e); err == nil && e.Kind == journal.ModelReading && d.Begun {
			begun++
		}
	}
	if begun < 2 {
		t.Errorf("it was told %d times that the model writes", begun)
	}
}
