package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/model"
)

// A model may be named with its tag, without it, or not at all; the server is
// always asked for the one that it has.
func TestReasoner_R01_AModelIsTakenByAnyOfItsNames(t *testing.T) {
	for _, name := range []string{"", "stub", "stub:latest"} {
		var mu sync.Mutex
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := `{}`
			switch r.URL.Path {
			case "/api/version":
				body = `{"version":"0.24.0"}`
			case "/api/tags":
				body = `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1}]}`
			case "/api/show":
				body = `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
			case "/api/chat":
				raw, err := io.ReadAll(r.Body)
				var q struct {
					Model string `json:"model"`
				}
				if err == nil {
					err = json.Unmarshal(raw, &q)
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				asked = append(asked, q.Model)
				mu.Unlock()
				body = `{"message":{"role":"assistant","content":"four"},"done":true,"done_reason":"stop"}`
			}
			w.Header().Set("Content-Type", "application/json")
			if _, err := io.WriteString(w, body); err != nil {
				t.Error(err)
			}
		}))
		defer server.Close()
		a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: server.URL, Model: name})
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: "What is two and two?"})
		if err != nil || out.Run.Output != "four" || out.Run.Model != "stub:latest" {
			t.Errorf("%q: %s %q of %q, %v %v", name, out.Run.Status, out.Run.Output, out.Run.Model, out.Err, err)
		}
		mu.Lock()
		if len(asked) == 0 || slices.ContainsFunc(asked, func(m string) bool { return m != "stub:latest" }) {
			t.Errorf("%q: the server was asked for %q", name, asked)
		}
		mu.Unlock()
		closeApp(t, a)
		if name != "stub" {
			continue
		}
		a, err = app.Open(app.Options{Dir: t.TempDir(), Ollama: server.URL, Model: "other"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: "hello"}); !errors.Is(err, model.ErrNoModel) {
			t.Errorf("a model that is not there: %v", err)
		}
		closeApp(t, a)
	}
}
