package companion_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/companion"
	"holdpoint/engine/call"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

// voice is the practice model, but for answers that a test gives by the schema's title.
type voice struct {
	model.Practice

	mu      sync.Mutex
	answers map[string]string
	fails   map[string]error
	// asked are the requests, by the schema's title; "" for those that offer tools.
	asked map[string][]model.Request
	// silent lets the model call no tool.
	silent bool
	// calls are what it calls instead of what the script does.
	calls []model.Call
}

func (v *voice) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	var schema struct{ Title string }
	if r.Format != nil {
		if err := json.Unmarshal(r.Format, &schema); err != nil {
			return model.Response{}, err
		}
	}
	v.mu.Lock()
	v.asked[schema.Title] = append(v.asked[schema.Title], r)
	answer, err, silent, calls := v.answers[schema.Title], v.fails[schema.Title], v.silent, v.calls
	v.mu.Unlock()
	switch {
	case err != nil:
		return model.Response{}, err
	case answer != "":
		return model.Response{Message: model.Message{Role: "assistant", Text: answer}}, nil
	case len(r.Tools) > 0 && calls != nil:
		return model.Response{Message: model.Message{Role: "assistant", Calls: calls}}, nil
	case len(r.Tools) > 0 && silent:
		return model.Response{Message: model.Message{Role: "assistant"}}, nil
	}
	return v.Practice.Chat(ctx, r, onText)
}

func (v *voice) last(t *testing.T, title string) string {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	list := v.asked[title]
	if len(list) == 0 {
		t.Fatalf("nothing was asked for %q", title)
	}
	r, out := list[len(list)-1], ""
	for _, m := range r.Messages {
		out += m.Text + "\n"
	}
	return out
}

func (v *voice) count(title string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.asked[title])
}

// world is a store with the companion, as the app runs it.
type world struct {
	*testing.T
	db     *store.DB
	agent  agent.Agent
	graph  *graph.Graph
	voice  *voice
	deps   *turn.Dependencies
	lake   *memory.Lake
	exec   *run.Executor
	vars   map[string]string
	now    func() time.Time
	said   map[string][]turn.Exchange // by session
	number int
}

// built is the agent, which is read from its files once: no session changes it.
var built = sync.OnceValues(func() (agent.Agent, error) { return companion.New(turn.Kit{}) })

func newWorld(t *testing.T, audience, language string) *world {
	t.Helper()
	a, err := built()
	if err != nil {
		t.Fatal(err)
	}
	g, err := a.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, db: storetest.Open(t), agent: a, graph: g, said: map[string][]turn.Exchange{}, vars: map[string]string{"audience": audience, "language": language},
		voice: &voice{Practice: model.Practice{Scripts: []model.Script{a.Script}}, answers: map[string]string{}, fails: map[string]error{}, asked: map[string][]model.Request{}}}
	var ids, clock sync.Mutex
	n, at := 0, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	now := func() time.Time {
		clock.Lock()
		defer clock.Unlock()
		at = at.Add(time.Millisecond)
		return at
	}
	w.now = now
	w.exec = run.NewExecutor(run.Options{Store: w.db, Now: now, Closing: call.Close, NewID: func() string {
		ids.Lock()
		defer ids.Unlock()
		n++
		return "id" + string(rune('a'+n/26/26%26)) + string(rune('a'+n/26%26)) + string(rune('a'+n%26))
	}})
	w.open()
	t.Cleanup(func() { w.settle() })
	words, err := text.Open(w.db, now, map[string]*text.Files{companion.Name: a.Wording})
	if err != nil {
		t.Fatal(err)
	}
	w.deps = &turn.Dependencies{Models: model.Set{Main: w.voice, Light: w.voice}, Region: "international", Texts: words, Lake: w.lake, Memory: &memory.Recaller{Store: w.db}}
	return w
}

// open gives the world a lake.
func (w *world) open() {
	w.lake = memory.Open(memory.Options{Store: w.db, Now: w.now, Make: func(_ context.Context, x memory.Waiting, old memory.Episode) (memory.Episode, error) {
		return memory.Episode{ID: x.ID(), About: x.About, Session: x.Session, Agent: x.Agent, Text: x.Text, By: x.Agent, At: x.At, Turns: x.Turns, From: old.From, Said: old.Said}, nil
	}})
	if w.deps != nil {
		w.deps.Lake = w.lake
	}
}

// settle lets the lake make what it accepted. Nothing is remembered from then on.
func (w *world) settle() {
	w.lake.Close(context.Background())
}

// reopen lets the lake make what it accepted, as a program that is ended and started again does.
func (w *world) reopen() {
	w.settle()
	w.open()
}

// told is what came of a turn.
type told struct {
	*testing.T
	reply  string // with plain blanks
	stages []string
	events []journal.Event
	status run.Status
}

func (x told) visited(stage graph.StageID) bool { return slices.Contains(x.stages, string(stage)) }

func (x told) must(t *testing.T, stages ...graph.StageID) {
	t.Helper()
	var want []string
	for _, s := range append([]graph.StageID{turn.Preflight}, stages...) {
		want = append(want, string(s))
	}
	if !slices.Equal(x.stages, want) {
		t.Fatalf("stages are %v, not %v; it said %q", x.stages, want, x.reply)
	}
}

func (x told) warned(part string) bool {
	return slices.ContainsFunc(x.events, func(e journal.Event) bool { return e.Kind == journal.Warned && strings.Contains(e.Reason, part) })
}

// say runs a turn; vars are name, value, name, value.
func (w *world) say(session, message string, vars ...string) told {
	w.Helper()
	own := maps.Clone(w.vars)
	for i := 0; i+1 < len(vars); i += 2 {
		own[vars[i]] = vars[i+1]
	}
	w.number++
	id := "t" + string(rune('a'+w.number/26)) + string(rune('a'+w.number%26))
	out, err := w.exec.Start(w.Context(), w.graph, run.StartRequest{ID: graph.RunID("turn:" + id), Session: session, Turn: id, Input: message, Vars: own,
		State: w.agent.Begin(turn.Message{Text: message, Vars: own, History: w.said[session]}), Dependencies: w.deps})
	if err != nil {
		w.Fatal(err)
	}
	w.said[session] = append(w.said[session], turn.Exchange{User: message, Reply: out.Run.Output})
	x := told{T: w.T, reply: strings.ReplaceAll(out.Run.Output, "\u00a0", " "), status: out.Run.Status}
	events, err := w.db.Journal(session, 0, 10000)
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range events {
		if e.Turn != id {
			continue
		}
		x.events = append(x.events, e)
		if e.Kind == journal.StageCompleted {
			x.stages = append(x.stages, string(e.Stage))
		}
	}
	return x
}

// everything answers all questions at once.
var everything = map[string]string{
	"en": "I am 15 years old and live in France. For some weeks I have been so nervous about exams. I tried to learn at night. I wish I slept better.",
	"fr": "J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir.",
}

// everythingOfAParent is that of a parent, who is not as old as their child.
var everythingOfAParent = strings.Replace(everything["en"], "I am 15 years old and live", "My son is 15 years old and we live", 1)

func (w *world) consent(who string) (c session.Consent) {
	w.Helper()
	if err := w.db.Read(func(tx store.Tx) (err error) {
		c, _, err = tx.ConsentOf(who)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return c
}

// override puts words in the place of a text, and gives the texts in force.
func (w *world) override(audience, language, name, words string) agent.Say {
	w.Helper()
	catalog := w.deps.Texts
	if err := catalog.Set(text.Key{Agent: companion.Name, Audience: audience, Language: language, Name: name}, words, ""); err != nil {
		w.Fatal(err)
	}
	return func(audience, language, name string) (string, error) {
		return catalog.Get(text.Key{Agent: companion.Name, Audience: audience, Language: language, Name: name})
	}
}

// card is what the cards of a session are made of, once its next turn is in a language.
func (w *world) card(session, language string) agent.CardState {
	w.Helper()
	vars := maps.Clone(w.vars)
	vars["language"] = language
	s := agent.CardState{Session: session, Vars: vars, At: w.now()}
	if err := w.db.Read(func(tx store.Tx) (err error) {
		s.Row, err = tx.Skip(session, w.agent.Cards.Row)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return s
}

// remembered are the summaries about somebody.
func (w *world) remembered(who string) (out []memory.Episode) {
	w.Helper()
	list, err := memory.List(w.db, who)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// counting is an encoder that counts its calls: texts about sleep are near each other.
type counting struct {
	encoder.Encoder
	mu    sync.Mutex
	calls int
}

func (e *counting) Name() string   { return "counting" }
func (e *counting) Dimension() int { return 3 }
func (e *counting) Vector(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	out := make([][]float32, len(texts))
	for i, s := range texts {
		s = strings.ToLower(s)
		out[i] = []float32{0.1, 0.1, 0.1} // not of length 1: larger is nearer
		for at, words := range [][]string{{"sleep", "dormir", "sommeil"}, {"exam", "study"}, {"bull", "harc"}} {
			for _, word := range words {
				if strings.Contains(s, word) {
					out[i][at] += 1
				}
			}
		}
	}
	return out, nil
}
