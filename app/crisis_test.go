package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// broken is a model server that went wrong.
func broken(t *testing.T, how string) (url string) {
	t.Helper()
	if how == "is not there" {
		return "http://127.0.0.1:9"
	}
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch how {
		case "hangs":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "dies":
			panic(http.ErrAbortHandler)
		case "answers nonsense":
			fmt.Fprint(w, `{"version":"1","models":"many","message":{"content":"]["}`)
		case "cannot load its model":
			switch r.URL.Path {
			case "/api/version":
				fmt.Fprint(w, `{"version":"0.12.0"}`)
			case "/api/tags":
				fmt.Fprint(w, `{"models":[{"name":"broken:latest","size":1,"digest":"d"}]}`)
			case "/api/show":
				fmt.Fprint(w, `{"capabilities":["completion"],"model_info":{},"details":{}}`)
			default:
				http.Error(w, `{"error":"unable to load model"}`, http.StatusInternalServerError)
			}
		}
	}))
	t.Cleanup(func() { close(release); s.Close() })
	return s.URL
}

// crises are messages that what needs no model answers, by what must be shown.
var crises = []struct{ text, says string }{
	{"I want to kill myself tonight, I have the pills here", "What you can do now"},
	{"I feel so hopeless and alone", "are you safe right now?"},
	{"Je veux mourir, j'ai les cachets devant moi", "Ce que vous pouvez faire maintenant"},
	{"My patient just said she will hang herself tonight", "for that person"},
}

// TestCrisis_HelpComesFirstWhateverTheModelServerDoes sends a message of danger while the
// model server is not there, hangs, dies, answers nonsense or cannot load its model. Help
// is there within a second, and the session and its export keep it.
func TestCrisis_HelpComesFirstWhateverTheModelServerDoes(t *testing.T) {
	for _, how := range []string{"is not there", "hangs", "dies", "answers nonsense", "cannot load its model"} {
		for i, c := range crises {
			t.Run(fmt.Sprintf("%s %d", how, i), func(t *testing.T) {
				t.Parallel()
				a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: broken(t, how)})
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				if err := a.Set("region", json.RawMessage(`"FR"`)); err != nil {
					t.Fatal(err)
				}
				session := a.NewSessionID()
				events, stop := a.Listen(session)
				defer stop()
				began := time.Now()
				started, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Text: c.text})
				if err != nil {
					t.Fatalf("the turn did not begin: %v", err)
				}
				for shown := false; !shown; {
					select {
					case e := <-events:
						shown = e.Kind == journal.Message && strings.Contains(e.Text, c.says) && strings.Contains(e.Text, "3114")
					case <-time.After(5 * time.Second):
						t.Fatal("no help was shown")
					}
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("help came after %s", took)
				}
				if how == "hangs" {
					a.Stop(started.Turn) // a turn that is over already has nothing to stop
				}
				for a.Live(started.Turn) {
					e, ok := <-events
					if !ok || e.Kind == journal.TurnCompleted || e.Kind == journal.TurnFailed || e.Kind == journal.TurnCancelled {
						break
					}
				}
				out, err := a.Export(app.ExportQuery{Session: session, Format: "md"})
				if err != nil || !strings.Contains(exported(t, out), c.says) || !strings.Contains(exported(t, out), "3114") || !strings.Contains(exported(t, out), "found by") {
					t.Errorf("the export: %v\n%s", err, exported(t, out))
				}
				row, err := a.Store.Run(app.RunID(started.Turn))
				if err != nil || i != 1 && how != "hangs" && row.Status != run.Completed {
					t.Errorf("the turn is %s (%v)", row.Status, err)
				}
			})
		}
	}
}

// TestCrisis_ACalmMessageIsKeptWithoutAServer: what a person wrote is in the session, as a
// turn that failed, with the reason.
func TestCrisis_ACalmMessageIsKeptWithoutAServer(t *testing.T) {
	for _, agent := range []string{"navigator", "reasoner"} {
		a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: broken(t, "is not there")})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		session := a.NewSessionID()
		events, stop := a.Listen(session)
		defer stop()
		started, err := a.StartTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "Which papers do I need on Monday?"})
		if err != nil {
			t.Fatalf("%s: the turn did not begin: %v", agent, err)
		}
		for a.Live(started.Turn) {
			if e, ok := <-events; !ok || e.Kind == journal.TurnFailed || e.Kind == journal.TurnCompleted {
				break
			}
		}
		row, err := a.Store.Run(app.RunID(started.Turn))
		if err != nil || row.Status != run.Failed || row.Input != "Which papers do I need on Monday?" {
			t.Errorf("%s: the turn is %s: %q (%v)", agent, row.Status, row.Input, err)
		}
		out, err := a.Export(app.ExportQuery{Session: session, Format: "md"})
		if text := exported(t, out); err != nil || !strings.Contains(text, "Which papers do I need") || strings.Count(text, "**Failed**") != 1 || strings.Contains(text, "model: ") {
			t.Errorf("%s: the export: %v\n%s", agent, err, text)
		}
		again, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: agent, Text: "And on Tuesday?"})
		if err == nil || app.AsFault(err).Code != "no_server" {
			t.Errorf("%s: the command line says %v (%s)", agent, err, again.Run.Status)
		}
	}
}
