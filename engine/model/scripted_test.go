package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// scripted is a server that answers as a test wants.
type scripted struct {
	*httptest.Server
	mu       sync.Mutex
	requests map[string][]json.RawMessage // by path
	chat     http.HandlerFunc
	caps     []string
	remote   string
	more     map[string]http.HandlerFunc
}

func script(t *testing.T, caps ...string) (*scripted, *Ollama) {
	t.Helper()
	s := &scripted{requests: map[string][]json.RawMessage{}, caps: caps, more: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	server, err := NewServer(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Server.CloseClientConnections()
		s.Server.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t)
	})
	n := 0
	return s, NewOllama(server, "small", OllamaOptions{NewID: func() string { n++; return fmt.Sprintf("made-%d", n) }})
}

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests[r.URL.Path] = append(s.requests[r.URL.Path], body)
	handler := s.more[r.URL.Path]
	s.mu.Unlock()
	switch {
	case handler != nil:
		handler(w, r)
	case r.URL.Path == "/api/version":
		fmt.Fprint(w, `{"version":"0.24.0"}`)
	case r.URL.Path == "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"other:latest","digest":"bb"},{"name":"small:latest","digest":"aa"}]}`)
	case r.URL.Path == "/api/show":
		json.NewEncoder(w).Encode(map[string]any{
			"capabilities": s.caps, "remote_host": s.remote,
			"model_info": map[string]any{"llama.context_length": 2048, "general.architecture": "llama"},
		})
	case r.URL.Path == "/api/chat" && s.chat != nil:
		s.chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

// last decodes the last request to a path.
func (s *scripted) last(t *testing.T, path string) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.requests[path]
	if len(all) == 0 {
		t.Fatalf("no request to %s", path)
	}
	var m map[string]any
	if err := json.Unmarshal(all[len(all)-1], &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// lines answers with lines and flushes each.
func lines(all ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, line := range all {
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		}
	}
}

// content is a stream line with a piece of text.
func content(text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"message":{"role":"assistant","content":%s},"done":false}`, quoted)
}

const done = `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","load_duration":7,"prompt_eval_count":11,"prompt_eval_duration":8,"eval_count":3,"eval_duration":9}`

func ask(text string) Request {
	return Request{Messages: []Message{{Role: "user", Text: text}}}
}

func chat(t *testing.T, m Model, r Request) (Response, string, error) {
	t.Helper()
	var heard string
	answer, err := m.Chat(context.Background(), r, func(s string) { heard += s })
	return answer, heard, err
}
