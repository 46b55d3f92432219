package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var t0 = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// told are the answers that the model would get.
var told = graph.Append[model.Message]("told")

var errCut = errors.New("the process is gone")

// cutter is a store whose writes fail once it is cut.
type cutter struct {
	run.Checkpointer
	cut atomic.Bool
}

func (c *cutter) Apply(commits ...*run.Commit) error {
	if c.cut.Load() {
		return errCut
	}
	return c.Checkpointer.Apply(commits...)
}

// lab runs one stage that makes calls.
type lab struct {
	t     *testing.T
	db    *store.DB
	disk  *cutter
	tools *tool.Set
	hooks []graph.Hooks
	calls []model.Call
	// caller and readOnly are those of the round.
	caller   identity.Caller
	readOnly bool
	rules    *rule.Set

	mu     sync.Mutex
	now    time.Time
	events []journal.Event
	ran    map[string]int // by tool and call
}

func newLab(t *testing.T, tools ...tool.Tool) *lab {
	t.Helper()
	l := &lab{t: t, db: storetest.Open(t), now: t0, ran: map[string]int{}}
	l.db.Subscribe(l.hear)
	t.Cleanup(func() { must(t, l.db.Close()) })
	l.disk = &cutter{Checkpointer: l.db}
	l.use(tools...)
	return l
}

func (l *lab) use(tools ...tool.Tool) {
	l.t.Helper()
	set, err := tool.NewSet(tools...)
	must(l.t, err)
	l.tools = set
}

func (l *lab) graph() *graph.Graph {
	l.t.Helper()
	g, err := graph.New(graph.Spec{Agent: "test", Channels: []graph.AnyChannel{told},
		Stages: []graph.Stage{{ID: "act", SideEffects: true, Run: func(ctx context.Context, t *graph.Task) (graph.Result, error) {
			r := call.Round{Task: t, Tools: l.tools, Calls: l.calls, Reason: "because", Subject: record.Ref{Type: "Patient", ID: "pat"}, Caller: l.caller, ReadOnly: l.readOnly, Rules: l.rules}
			a, paused, err := r.Run(ctx)
			if err != nil || paused != nil {
				if paused == nil {
					paused = &graph.Result{}
				}
				return *paused, err
			}
			return graph.Result{Patch: graph.Patch{told.Add(a.Messages...)}, Events: a.Events}, nil
		}}},
		Edges: []graph.Edge{{From: graph.Start, To: "act", Type: graph.Entry}, {From: "act", To: graph.End, Type: graph.Exit}}})
	must(l.t, err)
	g, err = g.Hooked(graph.OfHost, l.hooks...) // the lab's own, as a program hangs them on
	must(l.t, err)
	return g
}

func (l *lab) executor() *run.Executor {
	return run.NewExecutor(run.Options{Store: l.disk, Closing: call.Close, Now: l.clock, NewID: func() string { return "id" }, OnToken: func(e journal.Event) { l.hear(&e) }})
}

func (l *lab) hear(e *journal.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, *e)
}

func (l *lab) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *lab) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// run makes the calls, named c1, c2 and so on.
func (l *lab) run(ctx context.Context, calls ...model.Call) run.Outcome {
	l.t.Helper()
	for i := range calls {
		calls[i].ID = fmt.Sprint("c", i+1)
	}
	l.calls = calls
	out, err := l.executor().Start(ctx, l.graph(), run.StartRequest{ID: "turn:1", Session: "s", Turn: "1"})
	must(l.t, err)
	return out
}

func (l *lab) start(calls ...model.Call) run.Outcome {
	l.t.Helper()
	return l.run(context.Background(), calls...)
}

// resume answers the pauses whose approvals are decided or ran out.
func (l *lab) resume() run.Outcome {
	l.t.Helper()
	cp, err := l.db.Load("turn:1")
	must(l.t, err)
	answers := map[string]json.RawMessage{}
	for _, p := range cp.Pauses {
		if p.Answer == nil && l.approval(p.ID).At(l.clock()) != ledger.Pending {
			answers[p.ID] = json.RawMessage(`{"decided":true}`)
		}
	}
	out, err := l.executor().Resume(context.Background(), l.graph(), "turn:1", run.Resumption{Answers: answers})
	must(l.t, err)
	return out
}

func (l *lab) decide(id string, approve bool) {
	l.t.Helper()
	_, err := storetest.Decide(l.db, ledger.Verdict{ID: id, Approve: approve, Reviewer: "Test Reviewer", Comment: "so be it"}, l.clock())
	must(l.t, err)
}

func (l *lab) approval(id string) (a ledger.Approval) {
	l.t.Helper()
	must(l.t, l.db.Read(func(tx store.Tx) (err error) { a, err = tx.Approval(id); return err }))
	return a
}

func (l *lab) entry(id string) (e ledger.Entry) {
	l.t.Helper()
	must(l.t, l.db.Read(func(tx store.Tx) (err error) { e, err = tx.Entry(id); return err }))
	return e
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

func (l *lab) count(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ran[name]++
}

func (l *lab) times(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ran[name]
}

const anything = `{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":false}`

func (l *lab) read(name string) tool.Tool {
	return tool.Tool{Name: name, Parameters: json.RawMessage(anything), Read: func(_ context.Context, env tool.Env, args json.RawMessage) (json.RawMessage, error) {
		l.count(name)
		return args, nil
	}}
}

// note writes a care note with the argument as its text.
func (l *lab) note(name string) tool.Tool {
	return tool.Tool{Name: name, Parameters: json.RawMessage(anything), Plan: func(_ record.Tx, env tool.Env, args json.RawMessage) (tool.Plan, error) {
		ref := record.Ref{Type: "DocumentReference", ID: env.Call}
		body := model.JSON(map[string]any{"resourceType": ref.Type, "id": ref.ID, "status": "current", "description": string(args)})
		return tool.Plan{Args: args, Title: "Write a note", Targets: []ledger.Target{{Ref: ref}}, Changes: []ledger.Change{{Ref: ref, After: body}},
			Result: json.RawMessage(`{"status":"written"}`)}, nil
	}}
}

// send reaches outside; what it does is the test's.
func (l *lab) send(do func(ctx context.Context, args json.RawMessage, key string) (json.RawMessage, error)) tool.Tool {
	return tool.Tool{Name: "send", Server: "mail", Parameters: json.RawMessage(anything), Outside: func(ctx context.Context, _ tool.Env, args json.RawMessage, key string) (json.RawMessage, error) {
		l.count("send " + key)
		return do(ctx, args, key)
	}}
}

// notes are the texts of the notes on disk.
func (l *lab) notes() (out []string) {
	l.t.Helper()
	must(l.t, l.db.ViewRecords(func(tx record.Tx) error {
		return tx.Records("DocumentReference", "", func(r record.Record) (bool, error) {
			var body struct{ Description string }
			err := json.Unmarshal(r.Resource, &body)
			out = append(out, body.Description)
			return true, err
		})
	}))
	slices.Sort(out)
	return out
}

func wants(name, args string) model.Call {
	return model.Call{Tool: name, Arguments: json.RawMessage(args)}
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
		t.Fatalf("the run is %s (%v), want %s", out.Run.Status, out.Err, want)
	}
}

// answers insists on one answer to each call and returns their texts.
func (l *lab) answers(out run.Outcome) (texts []string) {
	l.t.Helper()
	m := told.Get(out.State)
	if len(m) != len(l.calls) {
		l.t.Fatalf("%d answers to %d calls: %+v", len(m), len(l.calls), m)
	}
	for i, c := range l.calls {
		if m[i].Call != c.ID || m[i].Role != "tool" {
			l.t.Errorf("answer %d is %+v", i, m[i])
		}
		texts = append(texts, m[i].Text)
	}
	return texts
}
