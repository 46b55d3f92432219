package navigator_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/navigator"
	closing "holdpoint/engine/call"
	"holdpoint/engine/graph"
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

// puppet is a model whose answers the test gives. Classifiers and extractors are
// answered by the title of their schema, each part of a title like "a+b" by itself, the
// chat by think.
type puppet struct {
	mu      sync.Mutex
	answers map[string]string
	errs    map[string]error
	// before runs ahead of every answer to a schema.
	before func(part string)
	// think answers the chat; nil says "Noted."
	think func(r model.Request) model.Message
	asked []model.Request // of the chat
	// light are the texts of what was asked under a schema.
	light []string
	// context is what the model says it has, in tokens; most is the longest prompt
	// that it takes, in bytes, when it is not 0.
	context, most int
	parameters    int64          // how many weights it says it has
	digest        string         // what it is known by; "" for one of its own
	count         map[string]int // by part of the schema
}

func newPuppet() *puppet {
	return &puppet{context: 8192, errs: map[string]error{}, count: map[string]int{}, answers: map[string]string{
		"safety":            `{"risk":"none","category":"none"}`,
		"intent":            `{"intent":"question"}`,
		"empathy":           `{"tone":"warm","acknowledgement":"That sounds tiring."}`,
		"client_signal":     `{"signal_summary":"wants help with sleep","concerns":["sleep"],"goals":["rest"],"preferences":["mornings"],"urgency":"soon"}`,
		"session_narrative": `{"narrative":"They talk about sleep.","open_questions":[]}`,
	}}
}

func (p *puppet) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "puppet", Digest: cmp.Or(p.digest, "sha256:puppet"), Context: p.context, Tools: true, Parameters: p.parameters}, nil
}

func (p *puppet) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	if r.Format != nil {
		var schema struct{ Title string }
		if err := json.Unmarshal(r.Format, &schema); err != nil {
			return model.Response{}, err
		}
		parts := strings.Split(schema.Title, "+")
		if p.answers["harmless"] != "" && strings.Contains(r.Messages[len(r.Messages)-1].Text, "bring on Monday") {
			parts = []string{"harmless"}
		}
		var all sync.WaitGroup
		for _, part := range parts {
			all.Go(func() {
				if p.before != nil {
					p.before(part)
				}
			})
		}
		all.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.light = append(p.light, said(r))
		return p.fill(parts)
	}
	p.mu.Lock()
	r.Messages = slices.Clone(r.Messages)
	p.asked = append(p.asked, r)
	think := p.think
	p.mu.Unlock()
	if p.most > 0 && sizeOf(r) > p.most {
		return model.Response{}, fmt.Errorf("%w: 400: the prompt is too long", model.ErrRequest)
	}
	m := model.Message{Role: "assistant", Text: "Noted."}
	if think != nil {
		m = think(r)
	}
	if onText != nil && m.Text != "" {
		onText(m.Text)
	}
	return model.Response{Message: m}, nil
}

// fill answers the parts of a schema; one that fails is left out, and the call fails
// when none is left. An answer that is no object breaks all.
func (p *puppet) fill(parts []string) (model.Response, error) {
	object := map[string]json.RawMessage{}
	var failed error
	for _, part := range parts {
		p.count[part]++
		if err := p.errs[part]; err != nil {
			failed = err
			continue
		}
		if err := json.Unmarshal([]byte(p.answers[part]), &object); err != nil {
			return model.Response{Message: model.Message{Role: "assistant", Text: p.answers[part]}}, nil
		}
	}
	if len(object) == 0 {
		return model.Response{}, failed
	}
	raw, err := json.Marshal(object)
	return model.Response{Message: model.Message{Role: "assistant", Text: string(raw)}}, err
}

// last is the newest request of the chat.
func (p *puppet) last() model.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[len(p.asked)-1]
}

// results are the tool messages since the person's last message.
func results(r model.Request) (out []model.Message) {
	for _, m := range r.Messages {
		if m.Role == "user" {
			out = nil
		}
		if m.Role == "tool" {
			out = append(out, m)
		}
	}
	return out
}

// calls makes a thinker that asks for these calls first and then repeats what came back.
func calls(list ...model.Call) func(model.Request) model.Message {
	return func(r model.Request) model.Message {
		got := results(r)
		if len(got) == 0 {
			return model.Message{Role: "assistant", Text: "I propose this.", Calls: slices.Clone(list)}
		}
		var b strings.Builder
		for _, m := range got {
			b.WriteString(m.Tool + " said " + m.Text + "\n")
		}
		return model.Message{Role: "assistant", Text: b.String()}
	}
}

func call(name, args string) model.Call {
	return model.Call{ID: "x", Tool: name, Arguments: json.RawMessage(args)}
}

// house is a clinic on a store of its own, with a clock and ids of the test's.
type house struct {
	t     *testing.T
	path  string
	db    *store.DB
	agent agent.Agent
	graph *graph.Graph
	set   *tool.Set
	exec  *run.Executor
	model *puppet
	live  *turn.Dependencies

	mu     sync.Mutex
	now    time.Time
	n      int
	turns  int
	events []journal.Event
	// history by session, as the app keeps it.
	history map[string][]turn.Exchange
}

// monday is the day of all tests, a Monday morning.
var monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func newHouse(t *testing.T) *house {
	t.Helper()
	t.Parallel()
	return newTwin(t)
}

// newTwin is a house beside others of the same test.
func newTwin(t *testing.T) *house {
	t.Helper()
	clinic, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, path: filepath.Join(t.TempDir(), "holdpoint.db"), model: newPuppet(), now: monday, history: map[string][]turn.Exchange{}}
	h.live = &turn.Dependencies{Models: model.Set{Main: h.model, Light: h.model}, Region: "US", Threshold: 0.4}
	if err := os.WriteFile(h.path, clinic, 0o600); err != nil {
		t.Fatal(err)
	}
	h.open()
	t.Cleanup(func() {
		if err := h.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// sample is a store's file with the sample clinic, made once.
var sample = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "holdpoint-navigator-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "holdpoint.db")
	db, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	rep, err := record.ImportSample(context.Background(), db, monday, record.ImportOptions{})
	if err == nil && rep.Total.Failed > 0 {
		err = fmt.Errorf("the sample is not whole: %v", rep.Errors)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// open opens the store anew with a fresh agent and executor, as another process would.
func (h *house) open() {
	h.t.Helper()
	if h.db != nil {
		if err := h.db.Close(); err != nil {
			h.t.Fatal(err)
		}
	}
	var err error
	if h.db, err = store.Open(h.path); err != nil {
		h.t.Fatal(err)
	}
	if h.agent, err = navigator.New(turn.Kit{}); err != nil {
		h.t.Fatal(err)
	}
	if h.graph, err = h.agent.Graph(nil); err != nil {
		h.t.Fatal(err)
	}
	if h.set, err = tool.NewSet(h.agent.Tools...); err != nil {
		h.t.Fatal(err)
	}
	h.live.Vectors = h.db
	h.db.Subscribe(h.hear)
	h.exec = run.NewExecutor(run.Options{Closing: closing.Close, Store: h.db, Now: h.clock, NewID: h.id, OnToken: func(e journal.Event) { h.hear(&e) }})
}

func (h *house) hear(e *journal.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, *e)
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *house) id() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	return fmt.Sprintf("id%04d", h.n)
}

// ask runs one turn of session s about a patient ("" for none).
func (h *house) ask(patient, text string) run.Outcome {
	h.t.Helper()
	return h.askIn("s", patient, text)
}

func (h *house) askIn(session, patient, text string) run.Outcome {
	h.t.Helper()
	h.turns++
	id := fmt.Sprintf("t%d", h.turns)
	vars := map[string]string{"patient": patient}
	out, err := h.exec.Start(h.t.Context(), h.graph, run.StartRequest{ID: graph.RunID("turn:" + id), Session: session, Turn: id,
		Input: text, Model: "puppet", Vars: vars, Dependencies: h.live, State: h.agent.Begin(turn.Message{Text: text, Vars: vars, History: h.history[session]})})
	if err != nil {
		h.t.Fatal(err)
	}
	h.keep(out)
	return out
}

func (h *house) keep(out run.Outcome) {
	if out.Run.Status == run.Completed {
		h.history[out.Run.Session] = append(h.history[out.Run.Session], turn.Exchange{User: out.Run.Input, Reply: out.Run.Output})
	}
}

// resume answers the pauses whose approvals are no longer pending, as the app does.
func (h *house) resume(out run.Outcome) run.Outcome {
	h.t.Helper()
	answers := map[string]json.RawMessage{}
	cp, err := h.db.Load(out.Run.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, p := range cp.Pauses {
		if p.Answer == nil && h.approval(p.ID).At(h.clock()) != ledger.Pending {
			answers[p.ID] = json.RawMessage(`{"decided":true}`)
		}
	}
	next, err := h.exec.Resume(h.t.Context(), h.graph, out.Run.ID, run.Resumption{Answers: answers, Dependencies: h.live})
	if err != nil {
		h.t.Fatal(err)
	}
	h.keep(next)
	return next
}

func (h *house) approval(id string) (a ledger.Approval) {
	h.t.Helper()
	err := h.db.Read(func(tx store.Tx) error {
		var err error
		a, err = tx.Approval(id)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// approvals lists them all, oldest first.
func (h *house) approvals() (out []ledger.Approval) {
	h.t.Helper()
	err := h.db.Read(func(tx store.Tx) error {
		return tx.Approvals("", func(a ledger.Approval) (bool, error) {
			a.Status = a.At(h.clock())
			out = append(out, a)
			return true, nil
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) pending() (out []ledger.Approval) {
	return slices.DeleteFunc(h.approvals(), func(a ledger.Approval) bool { return a.Status != ledger.Pending })
}

// only is the one approval that is pending.
func (h *house) only() ledger.Approval {
	h.t.Helper()
	list := h.pending()
	if len(list) != 1 {
		h.t.Fatalf("%d approvals are pending, want one", len(list))
	}
	return list[0]
}

func (h *house) decide(a ledger.Approval, approve bool, comment string) {
	h.t.Helper()
	v := ledger.Verdict{ID: a.ID, Digest: a.Digest, Approve: approve, Reviewer: "Test Reviewer", Meaning: "agreed", Comment: comment}
	if _, err := storetest.Decide(h.db, v, h.clock()); err != nil {
		h.t.Fatal(err)
	}
}

// modify plans other arguments for an approval, as the app does.
func (h *house) modify(a ledger.Approval, args string) ledger.Approval {
	h.t.Helper()
	var next ledger.Approval
	h.update(func(tx store.Tx) error {
		checked, err := h.set.Check(a.Tool, json.RawMessage(args))
		if err != nil {
			return err
		}
		tl, err := h.set.Get(a.Tool)
		if err != nil {
			return err
		}
		p, err := tl.Plan(tx, tool.Env{Session: a.Session, Turn: a.Turn, Call: a.Call, Now: h.clock()}, checked)
		if err != nil {
			return err
		}
		next, err = ledger.Modify(tx, a.ID, a.Digest, ledger.Approval{Args: p.Args, Targets: p.Targets, Changes: p.Changes, Title: p.Title,
			Reviewer: "Test Reviewer", Comment: "edited"}, nil, h.clock())
		return err
	})
	return next
}

func (h *house) update(fn func(store.Tx) error) {
	h.t.Helper()
	if err := h.db.Update(fn); err != nil {
		h.t.Fatal(err)
	}
}

// put writes a record past everything else, as an import would.
func (h *house) put(resource string) {
	h.t.Helper()
	r, err := record.New(json.RawMessage(resource), h.clock())
	if err != nil {
		h.t.Fatal(err)
	}
	h.update(func(tx store.Tx) error { return tx.PutRecord(r) })
}

// all reads the records of a type.
func (h *house) all(typ string) (out []record.Record) {
	h.t.Helper()
	err := h.db.ViewRecords(func(tx record.Tx) error {
		return tx.Records(typ, "", func(r record.Record) (bool, error) { out = append(out, r); return true, nil })
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// contents names every record with its version: equal when nothing mutated.
func (h *house) contents() string {
	h.t.Helper()
	var b strings.Builder
	err := h.db.ViewRecords(func(tx record.Tx) error {
		types, err := tx.RecordTypes()
		if err != nil {
			return err
		}
		names := []string{}
		for typ := range types {
			names = append(names, typ)
		}
		slices.Sort(names)
		for _, typ := range names {
			if err := tx.Records(typ, "", func(r record.Record) (bool, error) {
				fmt.Fprintln(&b, r.Ref, r.Version)
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

// slots are the starts of a provider's next open slots.
func (h *house) slots(provider string) (out []string) {
	h.t.Helper()
	err := h.db.ViewRecords(func(tx record.Tx) error {
		open, _, err := record.Availability(tx, provider, h.clock(), h.clock().AddDate(0, 0, 14))
		for _, s := range open {
			out = append(out, s.Start.Format(time.RFC3339))
		}
		return err
	})
	if err != nil || len(out) < 4 {
		h.t.Fatal(err, out)
	}
	return out
}

// book is a call that books pat-alder's visit.
func (h *house) book(provider, start string) model.Call {
	return call("book_appointment", fmt.Sprintf(`{"provider":%q,"start":%q,"reason":"sleep"}`, provider, start))
}

// of lists the journal of a turn, of some kinds ("" for all), from the disk.
func (h *house) of(out run.Outcome, kinds ...journal.Kind) (list []journal.Event) {
	h.t.Helper()
	events, err := h.db.Journal(out.Run.Session, 0, 5000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range events {
		if e.Turn == out.Run.Turn && (len(kinds) == 0 || slices.Contains(kinds, e.Kind)) {
			list = append(list, e)
		}
	}
	return list
}

// tools lists the tools of a turn's events of a kind, in order.
func (h *house) tools(out run.Outcome, kind journal.Kind) []string {
	h.t.Helper()
	names := []string{}
	for _, e := range h.of(out, kind) {
		names = append(names, e.Tool)
	}
	return names
}

func (h *house) stages(out run.Outcome) []graph.StageID {
	h.t.Helper()
	names := []graph.StageID{}
	for _, e := range h.of(out, journal.StageStarted) {
		names = append(names, e.Stage)
	}
	return names
}

func (h *house) status(out run.Outcome, want run.Status) run.Outcome {
	h.t.Helper()
	if out.Run.Status != want {
		h.t.Fatalf("the turn is %s (%v), want %s", out.Run.Status, out.Err, want)
	}
	return out
}

// sound insists that the store is consistent.
func (h *house) sound() {
	h.t.Helper()
	rep, err := store.Check(h.path)
	if errors.Is(err, store.ErrLocked) {
		h.open()
		if err := h.db.Close(); err != nil {
			h.t.Fatal(err)
		}
		rep, err = store.Check(h.path)
		h.db = nil
		h.open()
	}
	if err != nil || len(rep.Problems) > 0 {
		h.t.Errorf("check: %v %v", err, rep.Problems)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
