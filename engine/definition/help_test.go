package definition_test

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

	"holdpoint/engine/call"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
	"holdpoint/engine/turn"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

// puppet is a model whose answers the test gives. say sees each request; the title
// is that of the format, "" for free text.
type puppet struct {
	mu    sync.Mutex
	say   func(title string, r model.Request) model.Message
	fail  func(title string, r model.Request) error
	asked []model.Request
	name  string
}

func (p *puppet) Info(context.Context) (model.Info, error) {
	return model.Info{Name: p.name, Context: 32768, Tools: true}, nil
}

func (p *puppet) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Messages = slices.Clone(r.Messages)
	p.asked = append(p.asked, r)
	title := titleOf(r)
	if p.fail != nil {
		if err := p.fail(title, r); err != nil {
			var off *brokenOff
			if errors.As(err, &off) {
				return model.Response{Message: model.Message{Role: "assistant", Text: off.said}}, err
			}
			return model.Response{}, err
		}
	}
	m := model.Message{Role: "assistant", Text: "Noted."}
	if p.say != nil {
		m = p.say(title, r)
		m.Role = "assistant"
	}
	if onText != nil && m.Text != "" {
		onText(m.Text)
	}
	return model.Response{Message: m, Usage: model.Usage{PromptTokens: 10, OutputTokens: 5}}, nil
}

func (p *puppet) requests() []model.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func titleOf(r model.Request) string {
	var schema struct{ Title string }
	if r.Format != nil && json.Unmarshal(r.Format, &schema) != nil {
		return "?"
	}
	return schema.Title
}

// all is what a request says, as text.
func all(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return b.String()
}

func text(s string) model.Message { return model.Message{Text: s} }

// always answers everything with the same text.
func always(s string) func(string, model.Request) model.Message {
	return func(string, model.Request) model.Message { return text(s) }
}

// desk runs graphs on a store in memory.
type desk struct {
	t     *testing.T
	db    *store.DB
	x     *run.Executor
	main  *puppet
	light *puppet
	live  *turn.Dependencies
	clock time.Time

	mu  sync.Mutex
	ids int
	n   int
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, db: storetest.Open(t), main: &puppet{name: "main"}, light: &puppet{name: "light"}, clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	t.Cleanup(func() {
		if err := d.db.Close(); err != nil {
			t.Error(err)
		}
	})
	set, err := tool.NewSet(calculator.New())
	if err != nil {
		t.Fatal(err)
	}
	d.live = &turn.Dependencies{Models: model.Set{Main: d.main, Light: d.light}, Tools: set}
	d.cold()
	return d
}

// cold is what a new process would have.
func (d *desk) cold() {
	d.x = run.NewExecutor(run.Options{Closing: call.Close, Store: d.db, Now: func() time.Time { return d.clock }, NewID: func() string {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ids++
		return fmt.Sprintf("id-%d", d.ids)
	}})
}

// compiled is a definition with its graph.
type compiled struct {
	Definition definition.Definition
	Graph      *graph.Graph
}

func compile(def definition.Definition) (*compiled, error) {
	spec, err := definition.Compile(def)
	if err != nil {
		return nil, err
	}
	g, err := graph.New(spec)
	return &compiled{def, g}, err
}

// admit makes the admission of a turn.
func admit(a run.StartRequest, said ...model.Message) run.StartRequest {
	a.State = definition.State(a.Input, a.Vars, said...)
	return a
}

func (d *desk) def(yaml string) *compiled {
	d.t.Helper()
	def, err := definition.Parse([]byte(yaml))
	if err != nil {
		d.t.Fatal(err)
	}
	return d.agent(def)
}

func (d *desk) agent(def definition.Definition) *compiled {
	d.t.Helper()
	c, err := compile(def)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (d *desk) pattern(name string) *compiled {
	d.t.Helper()
	p, err := definition.ByPattern(name)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.agent(p.Definition)
}

func (d *desk) run(a *compiled, input string) run.Outcome {
	d.t.Helper()
	return d.runAfter(a, input)
}

// runAfter runs a turn that comes after what was said.
func (d *desk) runAfter(a *compiled, input string, said ...model.Message) run.Outcome {
	d.t.Helper()
	vars := map[string]string{"tone": "plain"}
	if a.Definition.Vars != nil {
		vars = nil // others than those that it declares are refused
	}
	return d.runWith(a, input, vars, said...)
}

// runWith runs a turn that is started with vars.
func (d *desk) runWith(a *compiled, input string, vars map[string]string, said ...model.Message) run.Outcome {
	d.t.Helper()
	d.n++
	turn := fmt.Sprintf("t%d", d.n)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	req := run.StartRequest{ID: graph.RunID("turn:" + turn), Session: "s1", Turn: turn, Input: input, Dependencies: d.live, Vars: vars}
	var err error
	if req.State, err = a.Definition.Begin(input, vars, said...); err != nil {
		d.t.Fatal(err)
	}
	out, err := d.x.Start(ctx, a.Graph, req)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *desk) resume(a *compiled, out run.Outcome, r run.Resumption) run.Outcome {
	d.t.Helper()
	r.Dependencies = d.live
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	out, err := d.x.Resume(ctx, a.Graph, out.Run.ID, r)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// of lists a turn's events of some kinds, from the store.
func (d *desk) of(out run.Outcome, kinds ...journal.Kind) (list []journal.Event) {
	d.t.Helper()
	events, err := d.db.Journal("s1", 0, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range events {
		if e.Turn == out.Run.Turn && (len(kinds) == 0 || slices.Contains(kinds, e.Kind)) {
			list = append(list, e)
		}
	}
	return list
}

// path is how a run went: "from>to(resolver)".
func (d *desk) path(out run.Outcome) (steps []string) {
	for _, e := range d.of(out, journal.Transition) {
		steps = append(steps, fmt.Sprintf("%s>%s(%s)", e.From, e.To, e.Resolver))
	}
	return steps
}

func (d *desk) status(out run.Outcome, want run.Status) run.Outcome {
	d.t.Helper()
	if out.Run.Status != want {
		events := d.of(out)
		for _, e := range events[max(0, len(events)-25):] {
			d.t.Logf("%s %s %s>%s %s %s %s %s", e.Kind, e.Stage, e.From, e.To, e.Resolver, e.Reason, e.Error, e.Data)
		}
		d.t.Fatalf("the run is %s (limit %q, %v), want %s", out.Run.Status, out.Run.Limit, out.Err, want)
	}
	return out
}

// value is what the context holds.
func value(out run.Outcome, key string) string { return string(prompt.Context.Get(out.State)[key]) }

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func sameList(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s is\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// brokenOff is the failure of a model in the middle of its answer: what it used is not known.
type brokenOff struct{ said string }

func (b *brokenOff) Error() string { return "the answer broke off" }
func (b *brokenOff) Unwrap() error { return model.ErrBroken }
