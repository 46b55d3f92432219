package researcher_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/researcher"
	"holdpoint/engine/board"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/library"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// puppet is a model whose answers the test gives, by the title of the question.
type puppet struct {
	mu      sync.Mutex
	asked   []model.Request
	answers map[string]func(prompt string) string
	tokens  int // that each answer is said to have
}

var (
	passageOf    = regexp.MustCompile(`(?s)<passage id="([^"]*)" title="[^"]*">\n(.*?)\n</passage>`)
	hypothesisOf = regexp.MustCompile(`<hypothesis id="([^"]*)">`)
)

// judged answers a judge: every hypothesis gets the verdict of the passage, with this quote.
func judged(prompt string, weigh func(passage string) (verdict, quote string)) string {
	verdict, quote := weigh(passageOf.FindStringSubmatch(prompt)[2])
	list := []any{}
	for _, h := range hypothesisOf.FindAllStringSubmatch(prompt, -1) {
		list = append(list, map[string]any{"hypothesis": h[1], "verdict": verdict, "quote": quote})
	}
	return string(model.JSON(map[string]any{"judgements": list}))
}

// byWords takes what a passage says from its words.
func byWords(passage string) (verdict, quote string) {
	switch {
	case strings.Contains(passage, "helps"):
		return "supports", firstSentence(passage)
	case strings.Contains(passage, "harms"):
		return "contradicts", firstSentence(passage)
	}
	return "neutral", ""
}

func firstSentence(s string) string { return s[:strings.Index(s, ".")+1] }

func newPuppet() *puppet {
	p := &puppet{answers: map[string]func(string) string{}}
	p.answers["safety"] = func(string) string { return `{"risk":"none","category":"none","who":"self"}` }
	p.answers["hypotheses"] = func(string) string { return `{"hypotheses":[{"statement":"Tea helps people sleep"}]}` }
	p.answers["judgements"] = func(prompt string) string { return judged(prompt, byWords) }
	p.answers["resolution"] = func(string) string {
		return `{"outcome":"both","resolution":"They speak of different doses."}`
	}
	p.answers["synthesis"] = func(prompt string) string {
		id := regexp.MustCompile(`<passage id="([^"]*)"`).FindStringSubmatch(prompt)[1]
		return string(model.JSON(map[string]any{"sentences": []any{map[string]any{"text": "Tea was looked at.", "evidence": []string{id}}}}))
	}
	return p
}

func (p *puppet) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "puppet", Digest: "sha256:puppet", Context: 8192}, nil
}

func (p *puppet) Chat(ctx context.Context, r model.Request, _ func(string)) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	var schema struct{ Title string }
	if err := json.Unmarshal(r.Format, &schema); err != nil {
		return model.Response{}, fmt.Errorf("the question has no schema: %w", err)
	}
	p.mu.Lock()
	p.asked = append(p.asked, r)
	answer := p.answers[schema.Title]
	p.mu.Unlock()
	return model.Response{Message: model.Message{Role: "assistant", Text: answer(r.Messages[len(r.Messages)-1].Text)}, Usage: model.Usage{OutputTokens: p.tokens}}, nil
}

// prompts are what was asked under a title.
func (p *puppet) prompts(title string) (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.asked {
		if strings.Contains(string(r.Format), `"title":"`+title+`"`) {
			out = append(out, r.Messages[len(r.Messages)-1].Text)
		}
	}
	return out
}

// house is a store with a library, and what runs studies on it.
type house struct {
	t       *testing.T
	db      *store.DB
	lib     *library.Library
	agent   agent.Agent
	graph   *graph.Graph
	model   *puppet
	encoder encoder.Encoder
	queries []library.Query
	ids     atomic.Int64
	vars    map[string]string
	path    string
}

var day = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

// open has documents with these texts, by name.
func open(t *testing.T, documents map[string]string) *house {
	t.Helper()
	h := &house{t: t, model: newPuppet(), path: filepath.Join(t.TempDir(), "holdpoint.db"), vars: map[string]string{}}
	h.reopen()
	dir := filepath.Join(t.TempDir(), "papers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range documents {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(documents) > 0 {
		if _, err := h.lib.ImportPath(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	a, err := researcher.New(turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	h.agent = a
	if h.graph, err = a.Graph(nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// reopen opens the file anew, as after a restart.
func (h *house) reopen() {
	h.t.Helper()
	if h.db != nil {
		if err := h.db.Close(); err != nil {
			h.t.Fatal(err)
		}
	}
	db, err := store.Open(h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	h.db = db
	h.lib = library.New(library.Options{Store: db, Now: func() time.Time { return day }})
}

func (h *house) executor() *run.Executor {
	return run.NewExecutor(run.Options{Store: h.db, Now: func() time.Time { return day }, NewID: func() string { return fmt.Sprintf("id%d", h.ids.Add(1)) }})
}

func (h *house) dependencies() *turn.Dependencies {
	tools, err := tool.NewSet()
	if err != nil {
		h.t.Fatal(err)
	}
	return &turn.Dependencies{Models: model.Set{Main: h.model, Light: h.model}, Tools: tools, Encoder: h.encoder,
		Search: func(ctx context.Context, q library.Query) (library.Answer, error) {
			h.queries = append(h.queries, q)
			return h.lib.Search(ctx, q)
		}}
}

const question = "Does tea help people sleep?"

// study runs one to its end and gives its board, its report and its events.
func (h *house) study() (*board.State, string, []journal.Event) {
	h.t.Helper()
	id := fmt.Sprintf("t%d", h.ids.Add(1))
	out, err := h.executor().Start(h.t.Context(), h.graph, run.StartRequest{ID: graph.RunID("turn:" + id), Session: "s1", Turn: id, Input: question, Model: "puppet", Vars: h.vars,
		State: h.agent.Begin(turn.Message{Text: question, Vars: h.vars}), Dependencies: h.dependencies()})
	if err != nil {
		h.t.Fatal(err)
	}
	if out.Run.Status != run.Completed {
		h.t.Fatalf("the study ended as %s: %s", out.Run.Status, out.Run.Error)
	}
	return h.board(id), out.Run.Output, h.events(id)
}

func (h *house) board(turn string) *board.State {
	h.t.Helper()
	cp, err := h.db.Load(graph.RunID("turn:" + turn))
	if err != nil {
		h.t.Fatal(err)
	}
	s, err := h.graph.Restore(cp.Channels, false)
	if err != nil {
		h.t.Fatal(err)
	}
	b, err := board.Read(s)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

func (h *house) events(turn string) (out []journal.Event) {
	h.t.Helper()
	all, err := h.db.Journal("s1", 0, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range all {
		if e.Turn == turn {
			out = append(out, e)
		}
	}
	return out
}

// path are the stages that the supervisor chose, in order.
func path(events []journal.Event) (out []string) {
	for _, e := range events {
		if e.Kind == journal.Transition && e.From == researcher.Supervisor {
			out = append(out, string(e.To))
		}
	}
	return out
}

func of[T journal.Payload](t *testing.T, events []journal.Event) (out []T) {
	t.Helper()
	var kind T
	for _, e := range events {
		if e.Kind == kind.Kind() {
			d, err := journal.Read[T](e)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, d)
		}
	}
	return out
}
