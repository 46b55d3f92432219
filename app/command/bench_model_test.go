package command_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// "I let it measure my model, and could not tell which of the numbers was which." A server that
// says how long it took: a person reads the medians with what they are of, a program the same figures.
func TestBenchModel_APersonReadsWhatWasMeasured(t *testing.T) {
	// Of the prompts and the texts, in milliseconds; the first round only loads.
	read, wrote := []int{9000, 1000, 100, 1250, 4000, 800}, []int{9000, 2000, 100, 2500, 8000, 1000}
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/api/version":
			fmt.Fprintln(w, `{"version":"0.24.0"}`)
		case "/api/tags":
			fmt.Fprintln(w, `{"models":[{"name":"stub:latest","model":"stub:latest","digest":"d1","size":1,"details":{"quantization_level":"Q4_0"}}]}`)
		case "/api/show":
			fmt.Fprintln(w, `{"capabilities":["completion"],"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
		case "/api/chat":
			n := int(asked.Add(1)-1) % len(read) // each run loads first
			fmt.Fprintf(w, `{"message":{"role":"assistant","content":"four"},"done":true,"done_reason":"length","prompt_eval_count":475,"prompt_eval_duration":%d000000,"eval_count":48,"eval_duration":%d000000}`+"\n", read[n], wrote[n])
		}
	}))
	defer s.Close()
	x := newTerminal(t)
	measure := func(more ...string) said {
		t.Helper()
		return x.want(0, append([]string{"--ollama", s.URL, "--model", "stub", "bench", "model"}, more...)...)
	}
	got := measure()
	var form []string
	for line := range strings.Lines(got.err) {
		if name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); strings.Contains("model prompts text level", name) {
			form = append(form, name+": "+strings.Join(strings.Fields(rest), " "))
		}
	}
	level, cores, _ := strings.Cut(strings.Join(form[max(0, len(form)-1):], ""), ", ")
	want := []string{"model: stub:latest Q4_0", "prompts: 475.0 tokens/s (475 tokens, median of 5 rounds)", "text: 24.0 tokens/s (48 tokens)"}
	if len(form) != 4 || strings.Join(form[:3], "\n") != strings.Join(want, "\n") || level != "level: not ours to say" || !strings.HasSuffix(cores, " cores") || got.out != "" {
		t.Errorf("%q is printed:\n%s%s", form, got.err, got.out)
	}
	for round := 1; round <= 5; round++ {
		line := fmt.Sprintf("round %d of 5: %.1f tokens/s read, %.1f written", round, 475e3/float64(read[round]), 48e3/float64(wrote[round]))
		if !strings.Contains(got.err, line) {
			t.Errorf("no %q in\n%s", line, got.err)
		}
	}
	var v struct {
		Model, Quantization, Level string
		Rounds, Cores              int
		Read                       float64 `json:"prompt_per_s"`
		Wrote                      float64 `json:"text_per_s"`
	}
	out := measure("--json").out
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Model != "stub:latest" || v.Quantization != "Q4_0" || v.Level != "" || v.Rounds != 5 || v.Read != 475 || v.Wrote != 24 || fmt.Sprint(v.Cores, " cores") != cores {
		t.Errorf("a program reads %s (%v)", out, err)
	}
	if got := x.want(1, "bench", "model", "--model", "stub"); !strings.Contains(got.err, "  do:   ") {
		t.Errorf("without a server: %s", got.err)
	}
}
