package app_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// "There is no model yet, and it tells me nothing, although my record is right there."
func TestTurn_WithoutAModelTheRecordsFactsAreToldAndTheTurnFails(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		wants []string
	}{
		"in English": {"What does my record say about my medicines?", []string{"No model is at hand", "Sertraline 50 mg", "Penicillin", "under Models", "Nothing was changed."}},
		"in French":  {"Que dit mon dossier sur mes médicaments ?", []string{"Aucun modèle n’est disponible", "Sertraline 50 mg", "Penicillin", "sous Modèles", "Rien n’a été modifié."}},
		"small talk": {"Hello there", []string{"No model is at hand", "Rowan Alder"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: "http://127.0.0.1:9"})
			if err != nil {
				t.Fatal(err)
			}
			defer closeApp(t, a)
			sample(t, a)
			for _, agent := range []string{"navigator", "reasoner"} {
				out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: agent, Text: c.text, Subject: "Patient/pat-alder"})
				if !errors.Is(err, model.ErrUnreachable) || out.Run.Status != run.Failed || out.Run.Output != "" {
					t.Fatalf("%s: the turn is %s (%v): %q", agent, out.Run.Status, err, out.Run.Output)
				}
				told := facts(t, a, out)
				x, err := a.Export(app.ExportQuery{Session: out.Run.Session, Format: "md"})
				var export bytes.Buffer
				if err == nil {
					err = x.Write(&export)
				}
				if err != nil {
					t.Fatal(err)
				}
				if len(told) != 1 {
					t.Fatalf("%s tells %q", agent, told)
				}
				for _, want := range c.wants {
					if !strings.Contains(told[0], want) || !strings.Contains(export.String(), want) {
						t.Errorf("%s does not say %q: %s", agent, want, told[0])
					}
				}
			}
			// The companion reads no clinic's record.
			if out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: "companion", Text: c.text, Subject: "Patient/pat-alder", Vars: map[string]string{"audience": "parent"}}); err == nil && len(facts(t, a, out)) > 0 {
				t.Errorf("the companion tells %q", facts(t, a, out))
			}
			// About nobody there is nothing to tell.
			if out, _ := a.RunTurn(t.Context(), app.TurnRequest{Agent: "navigator", Text: c.text}); out.Run.Status != run.Failed || len(facts(t, a, out)) > 0 {
				t.Errorf("about nobody the turn is %s and tells %q", out.Run.Status, facts(t, a, out))
			}
		})
	}
}

// facts are what a turn told by the template of turns that no model answered.
func facts(t *testing.T, a *app.App, out run.Outcome) (told []string) {
	t.Helper()
	events, err := a.Store.Journal(out.Run.Session, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if d, err := journal.Read[journal.MessageData](e); err == nil && e.Turn == out.Run.Turn && d.Template == "unanswered" {
			told = append(told, e.Text)
		}
	}
	return told
}

// "The server is there, and its model cannot be loaded": that is no answer either, and said in other words.
func TestTurn_AModelThatFailsLeavesTheRecordsFacts(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			w.Write([]byte(`{"version":"0.24.0"}`))
		case "/api/tags":
			w.Write([]byte(`{"models":[{"name":"stub:latest","digest":"d1","size":1}]}`))
		case "/api/show":
			w.Write([]byte(`{"capabilities":["completion"],"model_info":{}}`))
		default:
			http.Error(w, `{"error":"unable to load model"}`, http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	sample(t, a)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "Which medicines does she take?", Subject: "Patient/pat-alder"})
	told := facts(t, a, out)
	if err != nil || out.Run.Status != run.Failed || len(told) != 1 || !strings.Contains(told[0], "no whole answer") || !strings.Contains(told[0], "Sertraline") {
		t.Errorf("the turn is %s (%v), and told %q", out.Run.Status, err, told)
	}
}

// "The server had hung before I began: minutes later it said that the model gave no whole answer." A server that answers
// nothing from the start is called that, within seconds, with what to do about it.
func TestTurn_AServerThatSaysNothingFromTheStartIsCalledThat(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a server")
	}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	defer s.CloseClientConnections()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	sample(t, a)
	began := time.Now()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "Which medicines does she take?", Subject: "Patient/pat-alder"})
	told := facts(t, a, out)
	if err != nil || out.Run.Status != run.Failed || len(told) != 1 || !strings.Contains(told[0], "server does not answer") || !strings.Contains(told[0], "Start the model server anew") || !strings.Contains(told[0], "Sertraline") {
		t.Errorf("the turn is %s (%v), and told %q", out.Run.Status, err, told)
	}
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("it took %v", took)
	}
}
