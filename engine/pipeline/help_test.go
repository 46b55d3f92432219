package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// kit is a registry under test with a memory of what happened.
type kit struct {
	t       testing.TB
	reg     *Registry[struct{}]
	rows    map[string]json.RawMessage // by session/tool
	version map[record.Ref]string

	mu     sync.Mutex
	events []journal.Event
	inputs map[string][]Input // by tool, one for each attempt
	slept  []time.Duration
}

// fn is a tool of a test.
type fn = func(ctx context.Context, in Input) (Output, error)

func newKit(t testing.TB, configs []Config, fns map[string]fn) *kit {
	t.Helper()
	k := &kit{t: t, rows: map[string]json.RawMessage{}, version: map[record.Ref]string{}, inputs: map[string][]Input{}}
	tools := map[string]Tool[struct{}]{}
	for _, c := range configs {
		f, ok := fns[c.Name]
		if !ok {
			f = value(map[string]any{"from": c.Name}, 1)
		}
		tools[c.Name] = Tool[struct{}]{Run: func(ctx context.Context, _ struct{}, in Input) (Output, error) {
			k.mu.Lock()
			k.inputs[c.Name] = append(k.inputs[c.Name], in)
			k.mu.Unlock()
			return f(ctx, in)
		}}
	}
	reg, err := NewRegistry(configs, tools)
	if err != nil {
		t.Fatal(err)
	}
	k.reg = reg
	return k
}

func value(v any, completeness float64) fn {
	return func(context.Context, Input) (Output, error) { return Output{Value: v, Completeness: completeness}, nil }
}

func failing(err error) fn {
	return func(context.Context, Input) (Output, error) { return Output{}, err }
}

func (k *kit) Skip(session, tool string) (json.RawMessage, error) {
	return k.rows[session+"/"+tool], nil
}

func (k *kit) PutSkip(session, tool string, row json.RawMessage) error {
	k.rows[session+"/"+tool] = row
	return nil
}

func (k *kit) request(said ...string) Request {
	return Request{
		Session: "s1", Turn: fmt.Sprintf("t%d", len(said)), Tools: k.reg.Names(), Conversation: people(said...), Skips: k,
		Version: func(r record.Ref) (string, error) { return k.version[r], nil },
		Emit:    func(e journal.Event) { e.Render(); k.events = append(k.events, e) }, // one at a time is promised; -race would tell
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.slept = append(k.slept, d)
			return ctx.Err()
		},
	}
}

// turn runs a request and, like the stage, stores its rows.
func (k *kit) turn(req Request) Result {
	k.t.Helper()
	k.events, k.slept = nil, nil
	k.mu.Lock()
	clear(k.inputs)
	k.mu.Unlock()
	res, err := k.reg.Run(context.Background(), struct{}{}, req)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := res.Store(k); err != nil {
		k.t.Fatal(err)
	}
	return res
}

// calls counts attempts. A tool that was left behind may still be running.
func (k *kit) calls(tool string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.inputs[tool])
}

func (k *kit) count(kind journal.Kind, tool string) int {
	n := 0
	for _, e := range k.events {
		if e.Kind == kind && e.Tool == tool {
			n++
		}
	}
	return n
}

func (k *kit) event(kind journal.Kind, tool string) journal.Event {
	k.t.Helper()
	for _, e := range k.events {
		if e.Kind == kind && e.Tool == tool {
			return e
		}
	}
	k.t.Fatalf("no %s of %q in %v", kind, tool, k.events)
	return journal.Event{}
}

func people(said ...string) []model.Message {
	var out []model.Message
	for _, s := range said {
		out = append(out, model.Message{Role: "user", Text: s}, model.Message{Role: "assistant", Text: "About " + s + "."})
	}
	if len(out) > 0 {
		out = out[:len(out)-1] // the newest is not answered yet
	}
	return out
}

func config(name string, dependencies ...string) Config {
	c := NewConfig(name)
	c.Dependencies = dependencies
	return c
}

func optional(c Config) Config {
	c.Optional = true
	return c
}

func gates(res Result) map[string]journal.Gate {
	out := map[string]journal.Gate{}
	for _, s := range res.Skipped {
		out[s.Tool] = s.Gate
	}
	return out
}

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// navigatorYAML is row 18 as a file.
const navigatorYAML = `
tools:
  - name: client_signal
  - name: provider_genome
  - name: patient_context
  - name: session_narrative
    optional: true
  - name: therapeutic_fit
    dependencies: [client_signal, provider_genome]
    inject_inputs: [signal_summary, genome_summary]
    max_retries: 2
    optional: true
`

func navigatorConfigs(t testing.TB) []Config {
	t.Helper()
	configs, err := LoadConfigs([]byte(navigatorYAML))
	if err != nil {
		t.Fatal(err)
	}
	return configs
}
