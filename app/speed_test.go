package app_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/store"
)

// BenchmarkEnterToFirstRequest is the time from a sent message, with its turn on
// disk, to the first chat request at the model's server.
func BenchmarkEnterToFirstRequest(b *testing.B) {
	asked := make(chan time.Time, 64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := `{}`
		switch r.URL.Path {
		case "/api/version":
			body = `{"version":"0.24.0"}`
		case "/api/tags":
			body = `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1}]}`
		case "/api/show":
			body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
		case "/api/chat":
			select {
			case asked <- time.Now():
			default:
			}
			// The turn fails here: only the way to the first request is measured.
			w.WriteHeader(http.StatusBadRequest)
			body = `{"error":"stub"}`
		}
		if _, err := w.Write([]byte(body)); err != nil {
			return // the client went away
		}
	}))
	defer server.Close()
	db, err := store.Open(b.TempDir() + "/holdpoint.db")
	if err != nil {
		b.Fatal(err)
	}
	a, err := app.New(db, app.Options{Dir: b.TempDir(), Ollama: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	if _, err := a.Models.View(b.Context()); err != nil {
		b.Fatal(err)
	}
	events, stop := a.Listen("")
	defer stop()
	var total time.Duration
	for b.Loop() {
		for len(asked) > 0 {
			<-asked
		}
		began := time.Now()
		if _, err := a.StartTurn(b.Context(), app.TurnRequest{Text: "hello"}); err != nil {
			b.Fatal(err)
		}
		total += (<-asked).Sub(began)
		for e := range events {
			if e.Kind == journal.TurnCompleted || e.Kind == journal.TurnFailed {
				break
			}
		}
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N), "µs/first-request")
}
