package filing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var t0 = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// puppet is a model that answers as the test says, in order; the last answer is repeated.
type puppet struct {
	mu      sync.Mutex
	answers []model.Message
	asked   []model.Request
	fails   error
}

func (p *puppet) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "puppet", Digest: "sha256:p", Context: 32768, Tools: true}, nil
}

func (p *puppet) Chat(_ context.Context, r model.Request, onText func(string)) (model.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Format != nil { // the light question about danger
		return model.Response{Message: model.Message{Role: "assistant", Text: `{"risk":"none","category":"none","who":"self"}`}}, nil
	}
	if p.fails != nil {
		return model.Response{}, p.fails
	}
	r.Messages = slices.Clone(r.Messages)
	p.asked = append(p.asked, r)
	m := p.answers[min(len(p.asked), len(p.answers))-1]
	m.Role, m.Calls = "assistant", slices.Clone(m.Calls)
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

func says(text string) model.Message { return model.Message{Text: text} }

func wants(calls ...any) (m model.Message) {
	for i := 0; i < len(calls); i += 2 {
		m.Calls = append(m.Calls, model.Call{ID: "x", Tool: calls[i].(string), Arguments: json.RawMessage(calls[i+1].(string))})
	}
	return m
}

// lab runs turns of a kind of the agent on a store with made-up wells.
type lab struct {
	t     testing.TB
	db    *store.DB
	agent agent.Agent
	g     *graph.Graph
	live  *turn.Dependencies
	model *puppet
	vars  map[string]string
	// limits take the place of the graph's; nil leaves those.
	limits *graph.Limits
	shelf  []*skill.Skill
	turn   int
	ids    atomic.Int64
	now    atomic.Int64 // after t0, in nanoseconds

	mu     sync.Mutex
	events []journal.Event
}

const subject = "Well/42-329-97101"

func newLab(t testing.TB, kind string, answers ...model.Message) *lab {
	t.Helper()
	l := &lab{t: t, db: storetest.Open(t), model: &puppet{answers: answers}, vars: map[string]string{filing.TypeVar: kind, session.SubjectVar: subject}}
	t.Cleanup(func() { must(t, l.db.Close()) })
	l.db.Subscribe(func(e *journal.Event) { l.mu.Lock(); defer l.mu.Unlock(); l.events = append(l.events, *e) })
	_, err := record.Import(t.Context(), l.db, os.DirFS("testdata"), record.ImportOptions{Now: l.clock, Formats: wells.Formats()})
	must(t, err)
	l.agent, err = filing.New(turn.Kit{})
	must(t, err)
	l.g, err = l.agent.Graph(l.vars)
	must(t, err)
	set, err := tool.NewSet(l.agent.Tools...)
	must(t, err)
	l.shelf, err = l.agent.Skills()
	must(t, err)
	l.live = &turn.Dependencies{Models: model.Set{Main: l.model, Light: l.model}, Tools: set, Skills: skill.NewShelf(skill.Jail{}, l.shelf...)}
	l.rules()
	return l
}

// rules are the program's with those of the test.
func (l *lab) rules(own ...rule.Rule) *lab {
	l.t.Helper()
	set, err := rule.Compile(rule.With(own)...)
	must(l.t, err)
	l.live.Rules = set
	return l
}

// with adds skills to the shelf.
func (l *lab) with(more ...*skill.Skill) *lab {
	l.live.Skills = skill.NewShelf(skill.Jail{}, append(slices.Clone(l.shelf), more...)...)
	return l
}

func (l *lab) clock() time.Time      { return t0.Add(time.Duration(l.now.Load())) }
func (l *lab) later(d time.Duration) { l.now.Add(int64(d)) }

// executor is a new one each time, as in a new process: nothing is kept in memory.
func (l *lab) executor() *run.Executor {
	return run.NewExecutor(run.Options{Store: l.db, Now: l.clock, NewID: func() string { return fmt.Sprint("id", l.ids.Add(1)) }})
}

func (l *lab) id() graph.RunID { return graph.RunID(fmt.Sprint("turn:", l.turn)) }

// ask begins the next turn of the session, with more vars by name and value.
func (l *lab) ask(text string, vars ...string) run.Outcome {
	l.t.Helper()
	l.turn++
	v := maps.Clone(l.vars)
	for i := 0; i < len(vars); i += 2 {
		v[vars[i]] = vars[i+1]
	}
	out, err := l.executor().Start(l.t.Context(), l.g, run.StartRequest{ID: l.id(), Session: "s", Turn: fmt.Sprint(l.turn), Input: text, Vars: v, Model: "puppet",
		State: l.agent.Begin(turn.Message{Text: text, Vars: v}), Limits: l.limits, Dependencies: l.live})
	must(l.t, err)
	return out
}

// resume goes on, with an answer to everything that waits.
func (l *lab) resume(more ...run.Resumption) run.Outcome {
	l.t.Helper()
	r := run.Resumption{}
	for _, m := range more {
		r = m
	}
	cp, err := l.db.Load(l.id())
	must(l.t, err)
	if r.Answers == nil {
		r.Answers = map[string]json.RawMessage{}
		for _, p := range cp.Pauses {
			r.Answers[p.ID] = json.RawMessage(`{"decided":true}`)
		}
	}
	r.Dependencies = l.live
	out, err := l.executor().Resume(l.t.Context(), l.g, l.id(), r)
	must(l.t, err)
	return out
}

// waiting are the approvals that wait.
func (l *lab) waiting() (out []ledger.Approval) {
	l.t.Helper()
	must(l.t, l.db.Read(func(tx store.Tx) error {
		return tx.Approvals(ledger.Pending, func(a ledger.Approval) (bool, error) { out = append(out, a); return true, nil })
	}))
	return out
}

// one is the only approval that waits.
func (l *lab) one() ledger.Approval {
	l.t.Helper()
	w := l.waiting()
	if len(w) != 1 {
		l.t.Fatalf("%d approvals wait, want one: %+v", len(w), w)
	}
	return w[0]
}

func (l *lab) decide(approve bool, comment string) ledger.Approval {
	l.t.Helper()
	a, err := storetest.Decide(l.db, ledger.Verdict{ID: l.one().ID, Approve: approve, Reviewer: "Test Reviewer", Comment: comment}, l.clock())
	must(l.t, err)
	return a
}

// meddle changes an approval's row behind everybody's back.
func (l *lab) meddle(id string, change func(*ledger.Approval)) {
	l.t.Helper()
	must(l.t, l.db.Update(func(tx store.Tx) error {
		a, err := tx.Approval(id)
		if err != nil {
			return err
		}
		change(&a)
		return tx.PutApproval(a)
	}))
}

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

// all are the events that were stored.
func (l *lab) all() []journal.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// after are the stages that completed right behind each visit of one.
func (l *lab) after(stage string) (out []string) {
	p := l.path()
	for i, s := range p {
		if s == stage && i+1 < len(p) {
			out = append(out, p[i+1])
		}
	}
	return out
}

// path are the stages that completed, in order.
func (l *lab) path() (out []string) {
	for _, e := range l.of(journal.StageCompleted) {
		out = append(out, string(e.Stage))
	}
	return out
}

// span is the newest one of a name.
func (l *lab) span(name string) (attributes map[string]any) {
	l.t.Helper()
	for _, e := range l.of(journal.Span) {
		d, err := journal.Read[journal.SpanData](e)
		must(l.t, err)
		if d.Name == name {
			attributes = nil
			must(l.t, json.Unmarshal(d.Attributes, &attributes))
		}
	}
	return attributes
}

// filings are the records of signed forms.
func (l *lab) filings() (out []record.Record) { return l.records(filing.FilingType) }

func (l *lab) records(typ string) (out []record.Record) {
	l.t.Helper()
	must(l.t, l.db.ViewRecords(func(tx record.Tx) error {
		return tx.Records(typ, "", func(r record.Record) (bool, error) { out = append(out, r); return true, nil })
	}))
	return out
}

func (l *lab) working() (w memory.Working) {
	l.t.Helper()
	must(l.t, l.db.ViewMemory(func(tx memory.Tx) (err error) { w, err = tx.Working("s"); return err }))
	return w
}

// ran are the names of the tools that were dispatched.
func (l *lab) ran() (out []string) {
	for _, e := range l.of(journal.ToolStarted) {
		out = append(out, e.Tool)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func status(t testing.TB, out run.Outcome, want run.Status) {
	t.Helper()
	if out.Run.Status != want {
		t.Fatalf("the turn is %s (%v, limit %q), want %s", out.Run.Status, out.Err, out.Run.Limit, want)
	}
}

func has(t testing.TB, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, got)
		}
	}
}

func lacks(t testing.TB, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(got, p) {
			t.Errorf("%s has %q:\n%s", what, p, got)
		}
	}
}

// text is a prompt as it was sent.
func text(r model.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return b.String()
}

func names(tools []model.Tool) (out []string) {
	for _, o := range tools {
		out = append(out, o.Name)
	}
	return out
}

// made is a skill of files; SKILL.md needs its front matter only.
func made(t testing.TB, files map[string]string) *skill.Skill {
	t.Helper()
	raw := map[string][]byte{}
	for name, body := range files {
		raw[name] = []byte(body)
	}
	s, err := skill.New(raw)
	must(t, err)
	return s
}

const newOperator = `{"type":"Operator","name":"MADE UP TWO LLC","number":"970999"}`

// signsOff are the answers of a model that prepares the form at once.
func signsOff() []model.Message {
	return []model.Message{wants("rule37_filing_assembly", `{}`), says("The form is put together."), says("It is signed.")}
}

// env is what a plan for an approval may know.
func (l *lab) env(a ledger.Approval) tool.Env {
	return tool.Env{Session: a.Session, Turn: a.Turn, Call: a.Call, Subject: record.Ref{Type: "Well", ID: "42-329-97101"}, Now: l.clock()}
}
