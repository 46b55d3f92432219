package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Slots is a server that speaks as Ollama does and keeps prompts as its runner does: a
// request takes the free slot that has most of its prompt, the first one of equals, and
// only the rest is read. Tokens are four bytes; reading and writing one takes time, and
// nothing is computed at once. It answers formats with their first choices.
type Slots struct {
	*httptest.Server
	// Read and Write are what a token costs.
	Read, Write time.Duration
	// Say answers where a model chooses between actions; nil is a reply in words.
	Say func(messages []Said) string

	mu    sync.Mutex
	slots []slot
	core  sync.Mutex
	asked []Asked
}

type slot struct {
	prompt string
	busy   bool
}

// Said is a message of a request.
type Said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Asked is what a request cost, in tokens.
type Asked struct {
	Messages                 []Said
	Format                   bool
	Sent, Evaluated, Written int
}

// NewSlots starts a server with n slots.
func NewSlots(t *testing.T, n int, read, write time.Duration) *Slots {
	t.Helper()
	s := &Slots{Read: read, Write: write, slots: make([]slot, n)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// Asked lists the chats so far.
func (s *Slots) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

func (s *Slots) serve(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []Said          `json:"messages"`
		Format   json.RawMessage `json:"format"`
		Options  struct {
			NumPredict int `json:"num_predict"`
		} `json:"options"`
	}
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body) // what is no JSON has no messages
	}
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.24.0"}`)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"stub:latest","digest":"aa"}]}`)
	case "/api/ps":
		fmt.Fprint(w, `{"models":[]}`)
	case "/api/show":
		fmt.Fprint(w, `{"capabilities":["completion"],"model_info":{"llama.context_length":8192}}`)
	case "/api/generate":
		s.mu.Lock()
		s.slots = make([]slot, len(s.slots))
		s.mu.Unlock()
		fmt.Fprintln(w, `{"done":true}`)
	case "/api/chat":
		s.chat(r.Context(), w, body.Messages, body.Format, body.Options.NumPredict)
	default:
		http.NotFound(w, r)
	}
}

const tokenBytes = 4

func (s *Slots) chat(ctx context.Context, w http.ResponseWriter, messages []Said, format json.RawMessage, limit int) {
	prompt := ""
	for _, m := range messages {
		prompt += "<" + m.Role + ">" + m.Content
	}
	at, kept := s.take(prompt)
	a := Asked{Messages: messages, Format: len(format) > 0, Sent: len(prompt) / tokenBytes, Evaluated: (len(prompt) - kept) / tokenBytes}
	began := time.Now()
	// A batch at a time, so that others come in between.
	for left := a.Evaluated; left > 0; left -= 64 {
		s.work(time.Duration(min(left, 64)) * s.Read)
	}
	read := time.Since(began)
	text := s.answer(messages, format)
	began = time.Now()
	out := 0
	for ; len(text) > 0 && out < limit && ctx.Err() == nil; out++ {
		n := min(tokenBytes, len(text))
		s.work(s.Write)
		line, err := json.Marshal(map[string]any{"message": Said{"assistant", text[:n]}})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "%s\n", line)
		w.(http.Flusher).Flush()
		text = text[n:]
	}
	s.mu.Lock()
	s.slots[at].busy = false
	a.Written = out
	s.asked = append(s.asked, a)
	s.mu.Unlock()
	fmt.Fprintf(w, `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":%d,"prompt_eval_duration":%d,"eval_count":%d,"eval_duration":%d}`+"\n",
		a.Sent, read, out, time.Since(began))
}

func (s *Slots) work(d time.Duration) {
	s.core.Lock()
	defer s.core.Unlock()
	time.Sleep(d) // the cost itself
}

// take waits for a free slot and chooses as Ollama's runner does.
func (s *Slots) take(prompt string) (at, kept int) {
	for {
		s.mu.Lock()
		at, kept = -1, -1
		for i, x := range s.slots {
			if x.busy {
				continue
			}
			n := 0
			for n < min(len(x.prompt), len(prompt)) && x.prompt[n] == prompt[n] {
				n++
			}
			if n > kept {
				at, kept = i, n
			}
		}
		if at >= 0 {
			s.slots[at] = slot{prompt, true}
			s.mu.Unlock()
			return at, kept
		}
		s.mu.Unlock()
		time.Sleep(time.Millisecond) // a queue
	}
}

// answer fills a format with its first choices, or says something.
func (s *Slots) answer(messages []Said, format json.RawMessage) string {
	const words = "This is what the record says, in a few words that take a while to write, because a person reads them as they come, one after the other, until the end of the reply. " +
		"A reply of a usual length has some sentences more: which of the people here may help, what they do, when they have time, and the question what should be done next, so that the person can say yes or no."
	if len(format) == 0 {
		return words
	}
	if s.Say != nil && strings.Contains(string(format), `"action"`) {
		return s.Say(messages)
	}
	var f shape
	if json.Unmarshal(format, &f) != nil {
		return "{}"
	}
	return f.fill("", words)
}

type shape struct {
	Const      json.RawMessage   `json:"const"`
	Enum       []json.RawMessage `json:"enum"`
	AnyOf      []shape           `json:"anyOf"`
	Type       string            `json:"type"`
	Properties map[string]shape  `json:"properties"`
	Required   []string          `json:"required"`
	MinLength  int               `json:"minLength"`
}

func (f shape) fill(name, words string) string {
	switch {
	case len(f.Const) > 0:
		return string(f.Const)
	case len(f.Enum) > 0:
		return string(f.Enum[0])
	case len(f.AnyOf) > 0:
		return f.AnyOf[len(f.AnyOf)-1].fill(name, words)
	case f.Type == "array":
		return "[]"
	case f.Type == "object":
		var parts []string
		for _, p := range f.Required {
			parts = append(parts, fmt.Sprintf("%q:%s", p, f.Properties[p].fill(p, words)))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	if name != "text" && len(words) > 40 {
		words = words[:40]
	}
	for len(words) < f.MinLength {
		words += " " + words
	}
	return fmt.Sprintf("%q", words)
}
