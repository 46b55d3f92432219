package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"holdpoint/app"
)

// "It says 9,000 tokens a second, which cannot be": what the server kept from the round
// before must not count as read, so no prompt begins as another did.
func TestMeasureModel_IsTheMedianOfRoundsThatShareNothing(t *testing.T) {
	var mu sync.Mutex
	var begins []string
	milliseconds := []int{900, 1000, 100, 1100, 1000, 950} // of the prompts; the first round only loads
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{}`
		switch r.URL.Path {
		case "/api/version":
			body = `{"version":"0.24.0"}`
		case "/api/tags":
			body = `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1,"details":{"quantization_level":"Q4_0"}}]}`
		case "/api/show":
			body = `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`
		case "/api/chat":
			var q struct {
				Messages []struct {
					Content string `json:"content"`
				} `json:"messages"`
			}
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
				t.Errorf("%v, %d messages", err, len(q.Messages))
				break
			}
			mu.Lock()
			took := milliseconds[min(len(begins), len(milliseconds)-1)]
			begins = append(begins, q.Messages[0].Content)
			mu.Unlock()
			body = fmt.Sprintf(`{"message":{"role":"assistant","content":"four"},"done":true,"done_reason":"length","prompt_eval_count":500,"prompt_eval_duration":%d000000,"eval_count":64,"eval_duration":2000000000}`, took)
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := fmt.Fprintln(w, body); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: server.URL, Model: "stub"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	told := 0
	v, err := a.MeasureModel(t.Context(), func(string, ...any) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if v.Model != "stub:latest" || v.Quantization != "Q4_0" || v.Server != "user" || v.Level != "" || v.Read != 500 || v.Wrote != 32 || v.PromptTokens != 500 || v.TextTokens != 64 {
		t.Errorf("%+v", v)
	}
	if told < v.Round {
		t.Errorf("%d rounds, told of %d", v.Round, told)
	}
	seen := map[string]bool{}
	for _, text := range begins {
		if len(text) > 20 {
			text = text[:20]
		}
		if seen[text] {
			t.Errorf("two prompts begin with %q", text)
		}
		seen[text] = true
	}
}

func TestMeasureModel_ThePracticeScriptIsNoModel(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	if _, err := a.MeasureModel(t.Context(), nil); err == nil {
		t.Error("it was measured")
	}
}
