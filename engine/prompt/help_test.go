package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var t0 = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// puppet is a model that answers as the test says, in order; the last answer is
// repeated.
type puppet struct {
	mu      sync.Mutex
	answers []model.Message
	// answer is asked instead when it is set.
	answer func(r model.Request) (model.Message, error)
	info   model.Info
	// most is the longest prompt that is taken, in characters, when it is not 0.
	most int
	// evaluated is what the server says about the prompt, nil for one that says nothing.
	evaluated *int
	asked     []model.Request
}

func (p *puppet) Info(context.Context) (model.Info, error) {
	if p.info.Name == "" {
		return model.Info{Name: "puppet", Digest: "sha256:p", Context: 8192, Tools: true}, nil
	}
	return p.info, nil
}

func (p *puppet) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Messages = slices.Clone(r.Messages)
	p.asked = append(p.asked, r)
	if p.most > 0 && sizeOf(r) > p.most {
		return model.Response{}, fmt.Errorf("%w: 400: too long", model.ErrRequest)
	}
	var m model.Message
	var err error
	if p.answer != nil {
		m, err = p.answer(r)
	} else {
		m = p.answers[min(len(p.asked), len(p.answers))-1]
	}
	if onText != nil {
		for word := range strings.SplitAfterSeq(m.Text, " ") {
			onText(word)
		}
	}
	m.Role, m.Calls = "assistant", slices.Clone(m.Calls)
	return model.Response{Message: m, Usage: model.Usage{PromptTokens: 10, Evaluated: p.evaluated, OutputTokens: 5}}, err
}

func sizeOf(r model.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

func (p *puppet) request(i int) model.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[i]
}

func (p *puppet) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func says(texts ...string) *puppet {
	p := &puppet{}
	for _, s := range texts {
		p.answers = append(p.answers, model.Message{Text: s})
	}
	return p
}

func calling(calls ...model.Call) model.Message { return model.Message{Calls: calls} }

func wants(name, args string) model.Call {
	return model.Call{ID: "x", Tool: name, Arguments: json.RawMessage(args)}
}

// lab runs graphs of prompt nodes on a store in memory.
type lab struct {
	t    testing.TB
	db   *store.DB
	live *turn.Dependencies
	g    *graph.Graph

	mu     sync.Mutex
	events []journal.Event
}

func newLab(t testing.TB, p *puppet, tools ...tool.Tool) *lab {
	t.Helper()
	set, err := tool.NewSet(tools...)
	must(t, err)
	l := &lab{t: t, db: storetest.Open(t), live: &turn.Dependencies{Models: model.Set{Main: p, Light: p}, Tools: set}}
	l.db.Subscribe(l.hear)
	t.Cleanup(func() { must(t, l.db.Close()) })
	return l
}

// spec is a chain of the nodes' stages.
func spec(stages ...graph.Stage) graph.Spec {
	s := graph.Spec{Agent: "test", Channels: Channels(), Context: Context, History: History(), Reply: Reply, Stages: stages}
	from := graph.Start
	for _, st := range stages {
		typ := graph.Sequence
		if from == graph.Start {
			typ = graph.Entry
		}
		s.Edges = append(s.Edges, graph.Edge{From: from, To: st.ID, Type: typ})
		from = st.ID
	}
	s.Edges = append(s.Edges, graph.Edge{From: from, To: graph.End, Type: graph.Exit})
	return s
}

func (l *lab) build(s graph.Spec) *lab {
	l.t.Helper()
	g, err := graph.New(s)
	must(l.t, err)
	l.g = g
	return l
}

func (l *lab) executor() *run.Executor {
	var n int
	var mu sync.Mutex
	return run.NewExecutor(run.Options{Store: l.db, Now: func() time.Time { return t0 }, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprint("id", n)
	}, OnToken: func(e journal.Event) { l.hear(&e) }})
}

func (l *lab) hear(e *journal.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, *e)
}

// ask starts the run of turn 1 with more state beside the person's message.
func (l *lab) ask(text string, more ...graph.Write) run.Outcome {
	l.t.Helper()
	state := graph.Patch{Messages.Add(model.Message{Role: "user", Text: text})}
	out, err := l.executor().Start(context.Background(), l.g, run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: text,
		State: append(state, more...), Dependencies: l.live, Vars: map[string]string{"patient": "pat"}})
	must(l.t, err)
	return out
}

func (l *lab) resume(answers ...string) run.Outcome {
	l.t.Helper()
	r := run.Resumption{Dependencies: l.live, Answers: map[string]json.RawMessage{}}
	for _, a := range answers {
		r.Answers[a] = json.RawMessage(`{"decided":true}`)
	}
	out, err := l.executor().Resume(context.Background(), l.g, "turn:1", r)
	must(l.t, err)
	return out
}

func (l *lab) approve(id string) {
	l.t.Helper()
	_, err := storetest.Decide(l.db, ledger.Verdict{ID: id, Approve: true, Reviewer: "Test Reviewer"}, t0)
	must(l.t, err)
}

// of lists the journal's events of a kind.
func (l *lab) of(kind journal.Kind) (out []journal.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

func (l *lab) entries() (out []ledger.Entry) {
	l.t.Helper()
	must(l.t, l.db.Read(func(tx store.Tx) error {
		return tx.Entries("", func(e ledger.Entry) (bool, error) { out = append(out, e); return true, nil })
	}))
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantStatus(t testing.TB, out run.Outcome, want run.Status) {
	t.Helper()
	if out.Run.Status != want {
		t.Fatalf("the run is %s (%v, limit %q), want %s", out.Run.Status, out.Err, out.Run.Limit, want)
	}
}

// value is what a key of the context holds, as a person reads it.
func value(out run.Outcome, key string) string { return Plain(Context.Get(out.State)[key]) }

const anything = `{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":false}`

// look is a read tool that repeats what it was asked and counts.
func look(name string, ran *counter) tool.Tool {
	return tool.Tool{Name: name, Description: "Looks " + name + " up.", Parameters: json.RawMessage(anything),
		Read: func(_ context.Context, env tool.Env, args json.RawMessage) (json.RawMessage, error) {
			ran.add(env.Call)
			return json.RawMessage(`{"found":` + string(args) + `}`), nil
		}}
}

// write is a tool that changes nothing of the records, once approved.
func write(name string, ran *counter) tool.Tool {
	return tool.Tool{Name: name, Description: "Writes.", Parameters: json.RawMessage(anything),
		Plan: func(_ record.Tx, env tool.Env, args json.RawMessage) (tool.Plan, error) {
			ran.add(env.Call)
			return tool.Plan{Args: args, Title: "Write", Result: json.RawMessage(`{"status":"written"}`)}, nil
		}}
}

type counter struct {
	mu   sync.Mutex
	list []string
}

func (c *counter) add(s string) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, s)
	}
}

func (c *counter) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

func role(name string) func(identity.Caller) error {
	return func(c identity.Caller) error {
		if !slices.Contains(c.Roles, name) {
			return errors.New("this needs the role " + name)
		}
		return nil
	}
}

func text(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return b.String()
}

func holds(t testing.TB, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is missing in:\n%s", w, got)
		}
	}
}

func lacks(t testing.TB, got string, not ...string) {
	t.Helper()
	for _, w := range not {
		if strings.Contains(got, w) {
			t.Errorf("%q is in:\n%s", w, got)
		}
	}
}
