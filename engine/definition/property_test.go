package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
	"holdpoint/engine/turn"
)

// author writes graphs at random, most of them almost right.
type author struct {
	t     *rapid.T
	names []string // of all nodes so far
	n     int
}

func (a *author) pick(list ...string) string { return rapid.SampledFrom(list).Draw(a.t, "word") }
func (a *author) upTo(n int) int             { return rapid.IntRange(0, n).Draw(a.t, "number") }
func (a *author) maybe(oneIn int) bool       { return a.upTo(oneIn-1) == 0 }

// keys are those that somebody may write.
func (a *author) key() string {
	if len(a.names) > 0 && a.maybe(2) {
		return a.pick(a.names...) + "_output"
	}
	return a.pick("input", "o1", "o2", "o3", "vars.n", "vars.tone", "error", "run.iterations", "run.tokens")
}

func (a *author) expression() string {
	k := a.key()
	return a.pick(k+" == 'yes'", "size("+k+") > 2", k+" contains 'a'", k+".verdict == 'accept'", "run.node_iterations > 3", "vars.n >= 2", "error.kind == 'failed'",
		k+" == 'x' && "+k+" == 'y'", "true", "false", k+" != nil", "("+k+".score ?? 0) > 0.5", "any("+k+", # == 1)", "vars.tone in ['plain']")
}

func (a *author) when() any {
	if a.maybe(3) {
		return map[string]any{"key": a.key(), a.pick("equals", "not", "contains"): a.pick("yes", "no", "x")}
	}
	return a.expression()
}

func (a *author) text() string {
	k := a.key()
	return a.pick("words", "{{ "+k+" }}", "{{if "+a.expression()+"}}yes{{else}}no{{end}}", "{{range "+k+"}}{{ item }}{{end}}", "{{."+k+"}}", "{{ "+k+" ?? 'none' }}",
		"{{ upper(json("+k+")) }}", "{{ vars.n + 1 }}", "{{ run.iterations }} of {{ run.tokens }}", `{"verdict":"accept","score":1}`, "yes")
}

var randomKinds = []string{"prompt", "tool", "transform", "router", "guard", "loop", "human", "parallel", "subgraph", "observe", "critique", "validate", "retry", "fan_out", "autonomous", "plan", "act", "think", "reflect", "answer", "synthesize", "justify"}

// list writes nodes of one level with the ways between them.
func (a *author) list(depth, most int, loose bool) (nodes []any, names []string) {
	n := 1 + a.upTo(most-1)
	for range n {
		a.n++
		names = append(names, fmt.Sprintf("n%d", a.n))
	}
	a.names = append(a.names, names...)
	for i, name := range names {
		nodes = append(nodes, a.node(name, names, i, depth, loose))
	}
	return nodes, names
}

func (a *author) target(names []string, i int) string {
	if i+1 < len(names) && !a.maybe(4) {
		return names[i+1]
	}
	if a.maybe(3) {
		return a.pick(names...)
	}
	return "end"
}

func (a *author) node(name string, names []string, i, depth int, loose bool) map[string]any {
	kinds := randomKinds
	if depth == 0 {
		kinds = []string{"prompt", "tool", "transform", "router", "human", "critique", "plan", "think", "answer", "fan_out", "guard", "validate"}
	}
	kind := a.pick(kinds...)
	n := map[string]any{"name": name, "kind": kind}
	if a.maybe(3) {
		n["output"] = a.pick("o1", "o2", "o3")
	}
	if a.maybe(4) {
		n["flags"] = []string{a.pick(graph.FlagNames()...)}
	}
	if a.maybe(6) {
		n["inputs"] = []string{a.key()}
	}
	if a.maybe(6) {
		n["inherit_context_from"] = []string{a.pick(a.names...)}
	}
	if !loose {
		if !a.maybe(6) {
			n["default_next"] = a.target(names, i)
		}
		if a.maybe(5) {
			n["on_error"] = a.pick(names...)
		}
		if a.maybe(8) {
			n["transitions"] = map[string]any{a.pick("yes", "no", "words"): a.target(names, i)}
		}
	}
	a.fields(n, kind, names, i, depth, loose)
	return n
}

func (a *author) fields(n map[string]any, kind string, names []string, i, depth int, loose bool) {
	switch kind {
	case "prompt", "act", "think", "observe", "critique", "plan", "reflect", "answer", "synthesize", "justify":
		n["instructions"] = a.text()
		if a.maybe(5) {
			n["tools"] = []string{a.pick("calculator", "echo", "strict", "broken", "*")}
		}
		if a.maybe(6) {
			n["guards"] = []any{map[string]any{"contains": "a", "action": a.pick("block", "transform", "retry")}}
		}
		if a.maybe(6) {
			n["before"] = map[string]any{a.pick("o1", "o2", "o3", "b1"): a.text()}
		}
		if a.maybe(6) {
			n["after"] = a.pick("{{ output }}", "{{ output.text }}", "{{ upper(output) }}", "{{ "+a.key()+" }}", "x {{ output }}")
		}
		if a.maybe(6) {
			n["output_schema"] = map[string]any{"type": "object", "properties": map[string]any{"score": map[string]any{"type": "number"}}}
		}
		if !loose && a.maybe(6) && (kind == "prompt" || kind == "act" || kind == "think") {
			n["routes"] = []string{a.target(names, i)}
		}
	case "tool":
		n["tool"] = a.pick("calculator", "echo", "strict", "broken")
		n["arguments"] = map[string]any{a.pick("value", "expression"): a.text()}
	case "transform":
		n[a.pick("template", "pick", "count")] = a.pick(a.key(), "words")
		if n["template"] != nil {
			n["template"] = a.text()
		}
		if a.maybe(4) {
			delete(n, "template")
			delete(n, "pick")
			delete(n, "count")
			n["set"] = map[string]any{"verdict": a.text(), "list": []any{a.text(), 1}}
		}
	case "router":
		choices := []any{map[string]any{"to": a.target(names, i), "when": a.when()}}
		if a.maybe(2) {
			choices = append(choices, map[string]any{"to": a.target(names, i), "about": "words"})
		}
		n["choices"] = choices
	case "guard", "validate":
		n["inputs"] = []string{a.key()}
		n["guards"] = []any{map[string]any{a.pick("contains", "matches", "lacks"): "a", "action": a.pick("block", "transform", "retry")}}
		if !loose && kind == "guard" {
			n["retry_at"] = a.pick(names...)
		}
	case "human":
		n["question"] = a.text()
		if a.maybe(2) {
			n["answer"] = map[string]any{"type": a.pick("integer", "boolean", "string")}
		}
	case "fan_out":
		n["over"] = a.pick(a.key(), "o1", "o1.list")
		n[a.pick("instructions", "tool")] = a.pick("echo", "strict")
	case "loop", "retry":
		most := 3
		if kind == "retry" {
			most = 1
		}
		inner, at := a.list(depth-1, most, false)
		n["nodes"], n["until"] = inner, a.when()
		if n["times"] = any(1 + a.upTo(3)); a.maybe(4) {
			n["times"] = "{{ vars.n }}"
		}
		a.edges(n, at)
	case "parallel":
		n["nodes"], _ = a.list(depth-1, 3, true)
	case "subgraph":
		if a.maybe(3) {
			n["use"] = a.pick("verify", "debate", "react", "research")
			if a.maybe(2) {
				n["with"] = map[string]any{a.pick("rounds", "input"): a.pick("{{ vars.n }}", "{{ o1 }}", "2", "{{ input }}")}
			}
			if a.maybe(2) {
				n["takes"] = map[string]any{a.pick("o1", "o2", "o3"): a.pick("verdict", "draft", "debate")}
			}
			return
		}
		inner, at := a.list(depth-1, 3, false)
		n["nodes"] = inner
		a.edges(n, at)
	case "autonomous":
		n["pool"], _ = a.list(depth-1, 3, true)
		n["max_steps"] = 1 + a.upTo(4)
	}
}

func (a *author) edges(into map[string]any, names []string) {
	var out []any
	for range a.upTo(2) {
		from, to := a.pick(names...), a.pick(append([]string{"end"}, names...)...)
		e := map[string]any{"from": from, "to": to}
		switch a.upTo(6) {
		case 0:
			e["type"], e["when"] = "safety", a.when()
		case 1:
			e["type"] = "error"
		case 2:
			e["type"], e["match"] = "match", "yes"
		case 3:
			e["type"] = "sequence"
		case 4, 5:
			e["when"], e["priority"] = a.when(), a.upTo(3)
		default:
			if len(names) < 3 {
				continue
			}
			// A fan-out with its join.
			out = append(out, map[string]any{"from": names[0], "to": names[1], "type": "parallel_branch"}, map[string]any{"from": names[0], "to": names[2], "type": "parallel_branch"})
			if len(names) > 3 {
				out = append(out, map[string]any{"from": names[1], "to": names[3], "type": "join_input"}, map[string]any{"from": names[2], "to": names[3], "type": "join_input"})
			}
			continue
		}
		out = append(out, e)
	}
	if out != nil {
		into["edges"] = out
	}
}

// happenings are the events of rules with what their conditions may read.
var happenings = map[string][]string{
	definition.BeforeNode:     {"stage == 'n1'", "run.node_iterations > 1", "event == 'before_node'"},
	definition.AfterNode:      {"output == 'yes'", "size(output) > 3", "output.verdict == 'accept'", "output == nil"},
	definition.BeforeToolCall: {"tool.mutates", "tool.name == 'echo'", "args.value == 'yes'", "size(args) > 0"},
	definition.AfterToolCall:  {"failed", "result == 1", "result.sum > 1", "tool.server == ''"},
	definition.Observed:       {"metrics.tokens > 0", "metrics.failed"},
	definition.HumanRequired:  {"size(pauses) > 0", "any(pauses, .kind == 'question')"},
	definition.GraphMutation:  {"mutation.op == 'add_stage'", "mutation.edge.to == 'end'", "mutation.reason contains 'a'"},
	definition.OnError:        {"error.kind == 'failed'", "error.node == 'n2'", "error.message contains 'broke'"},
}

// rule is a hook of the file; one in a few does not fit its event.
func (a *author) rule(name string) map[string]any {
	verdicts := []string{definition.Warns, definition.Sets, definition.Skips, definition.Holds, definition.Refuses, definition.Ends}
	event := a.pick(slices.Sorted(maps.Keys(happenings))...)
	r := map[string]any{"name": name, "event": event, "verdict": a.pick(verdicts...)}
	if !a.maybe(4) { // most events can only warn
		switch event {
		case definition.BeforeNode, definition.AfterNode:
		case definition.BeforeToolCall:
			r["verdict"] = a.pick(definition.Warns, definition.Sets, definition.Refuses)
		case definition.AfterToolCall:
			r["verdict"] = a.pick(definition.Warns, definition.Sets)
		case definition.GraphMutation:
			r["verdict"] = a.pick(definition.Warns, definition.Refuses)
		default:
			r["verdict"] = definition.Warns
		}
	}
	switch a.upTo(3) {
	case 0:
		r["when"] = a.when()
	case 1, 2:
		r["when"] = a.pick(happenings[event]...)
	}
	if r["verdict"] == definition.Sets {
		r["set"] = map[string]any{a.pick("o1", "o2", "o3", "value", "verdict"): a.pick("words", "{{ input }}", "{{ "+a.key()+" }}", "{{ [1, 2] }}")}
	}
	if a.maybe(3) {
		r["nodes"] = []string{a.pick("n*", "n1", "n2", "n[3-5]", a.pick(a.names...))}
	}
	if a.maybe(4) && (event == definition.BeforeToolCall || event == definition.AfterToolCall) {
		r["tools"] = []string{a.pick("e*", "calculator", "strict")}
	}
	return r
}

// graph is a file with vars, limits, nodes and rules.
func (a *author) graph() []byte {
	file := map[string]any{"name": "x", "vars": map[string]any{"n": map[string]any{"type": "integer", "default": 2}, "tone": map[string]any{"type": "string", "default": "plain"}},
		"limits": map[string]any{"max_iterations": 60}}
	if a.maybe(8) {
		file["limits"] = map[string]any{"max_iterations": 60, "max_tokens": 200, "cycle": 3}
	}
	if a.maybe(10) {
		file["mutable"], file["may_add"] = true, []string{"prompt", "transform"}
	}
	var names []string
	file["nodes"], names = a.list(2, 5, false)
	a.edges(file, names)
	if a.maybe(2) {
		var rules []any
		for i := range 1 + a.upTo(3) {
			rules = append(rules, a.rule(fmt.Sprint("r", i)))
		}
		file["rules"] = rules
	}
	raw, err := json.Marshal(file)
	if err != nil {
		a.t.Fatal(err)
	}
	return raw
}

// babbler is a model that says anything; with the same seed the same.
type babbler struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (*babbler) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "babbler", Context: 16384, Tools: true}, nil
}

func (b *babbler) Chat(ctx context.Context, r model.Request, _ func(string)) (model.Response, error) {
	if err := ctx.Err(); err != nil {
		return model.Response{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	m := model.Message{Role: "assistant", Text: []string{"yes", "no", "words", `{"verdict":"accept","problems":[],"score":1}`, `{"route":"n1","text":"x"}`, "[1, 2]", "", `{"steps":["a","b"],"list":[1]}`}[b.r.IntN(8)]}
	switch {
	case b.r.IntN(12) == 0:
		return model.Response{}, fmt.Errorf("%w: it broke off", model.ErrBroken)
	case len(r.Tools) > 0 && b.r.IntN(3) == 0:
		t := r.Tools[b.r.IntN(len(r.Tools))]
		m.Calls = []model.Call{{Tool: t.Name, Arguments: json.RawMessage(`{"expression":"1+1"}`)}}
	case r.Format != nil && b.r.IntN(6) > 0:
		m.Text = b.form(r.Format)
	}
	return model.Response{Message: m, Usage: model.Usage{PromptTokens: 7, OutputTokens: 3}}, nil
}

// form is an answer that fits a schema, mostly.
func (b *babbler) form(raw json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type string
			Enum []any
		}
	}
	if json.Unmarshal(raw, &s) != nil {
		return "{}"
	}
	out := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case len(p.Enum) > 0:
			out[name] = p.Enum[b.r.IntN(len(p.Enum))]
		case p.Type == "boolean":
			out[name] = b.r.IntN(2) == 0
		case p.Type == "number" || p.Type == "integer":
			out[name] = b.r.IntN(3)
		case p.Type == "array" && name == "mutations":
			out[name] = []any{map[string]any{"op": "add_stage", "stage": map[string]any{"name": fmt.Sprintf("m%d", b.r.IntN(3)), "kind": "transform", "template": "x"}}}
		case p.Type == "array":
			out[name] = []any{"one", "two"}
		default:
			out[name] = "words"
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// engineErrors are what no graph that passed may end with.
var engineErrors = []error{run.ErrConflict, run.ErrStuck, run.ErrTopology, run.ErrPause, run.ErrDamaged, run.ErrUnknownPause, graph.ErrUnknownName, graph.ErrBadID, graph.ErrFlag, graph.ErrJoin, graph.ErrMutation}

func engineError(err error) bool {
	for _, e := range engineErrors {
		if errors.Is(err, e) {
			return true
		}
	}
	for _, words := range []string{"panicked", "no edge that holds", "which its graph does not have", `" is not JSON`, "in the context is no", "in the context are no"} {
		if err != nil && strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// trial runs a graph that passed to its end, with a model that says anything and a person
// who answers anything, and fails where that ends in an engine error. fired counts the rules
// that did.
func trial(t fataler, def definition.Definition, file []byte, seed uint64) (out run.Outcome, fired int64) {
	set, err := tool.NewSet(calculator.New(), echo(), failing("broken", errors.New("the line is dead")), failing("strict", &tool.Refusal{Reason: "not today"}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := compile(def)
	if err != nil {
		t.Fatalf("it passes and cannot be built: %v\n%s", err, file)
	}
	babble := &babbler{r: rand.New(rand.NewPCG(seed, seed))}
	deps := &turn.Dependencies{Models: model.Set{Main: babble, Light: babble}, Tools: set}
	ids := 0
	var mu sync.Mutex
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	memory := run.NewInMemory()
	var rules atomic.Int64
	memory.Subscribe(func(e *journal.Event) {
		if e.Kind == journal.RuleFired {
			rules.Add(1)
		}
	})
	x := run.NewExecutor(run.Options{Store: memory, Now: func() time.Time { return clock }, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		ids++
		return fmt.Sprint("id", ids)
	}, Sleep: func(context.Context, time.Duration) error { return nil }})
	state, err := def.Begin("Please say yes", nil)
	switch {
	case errors.Is(err, definition.ErrVars):
		return out, 0 // nothing runs without what it needs
	case err != nil:
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err = x.Start(ctx, c.Graph, run.StartRequest{ID: "turn:t", Session: "s", Turn: "t", Input: "Please say yes", State: state, Dependencies: deps})
	for k := 0; err == nil && out.Run.Status == run.Paused && k < 12; k++ {
		answers := map[string]json.RawMessage{}
		for _, p := range out.Pauses {
			answers[p.ID] = json.RawMessage([]string{`{"answer":"yes"}`, `{"answer":"3"}`, `{"approved":true}`, `{"approved":false}`, `{"answer":"many words"}`}[(k+len(p.ID)+int(seed%5))%5])
		}
		out, err = x.Resume(ctx, c.Graph, out.Run.ID, run.Resumption{Answers: answers, Dependencies: deps})
	}
	if err != nil {
		t.Fatalf("the executor says %v\n%s", err, file)
	}
	if engineError(out.Err) || out.Run.Status == run.Running || out.Run.Status == run.Cancelled {
		t.Fatalf("it ends as %s: %v\n%s", out.Run.Status, out.Err, file)
	}
	for id, why := range out.Run.Errors {
		if engineError(errors.New(why)) {
			t.Fatalf("%s failed: %s\n%s", id, why, file)
		}
	}
	return out, rules.Load()
}

// fataler is a test of any kind.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// TestGraphs_ThatPassNeverEndInAnEngineError writes graphs at random and runs those that
// check lets through.
func TestGraphs_ThatPassNeverEndInAnEngineError(t *testing.T) {
	passed, ruled, fired, ran := 0, 0, int64(0), map[run.Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		file := (&author{t: t}).graph()
		def, err := definition.Parse(file)
		if err != nil {
			var p definition.Problems
			if !errors.As(err, &p) {
				t.Fatalf("%v is no list of problems for\n%s", err, file)
			}
			return
		}
		if passed++; len(def.Rules) > 0 {
			ruled++
		}
		out, rules := trial(t, def, file, rapid.Uint64().Draw(t, "seed"))
		ran[out.Run.Status]++
		fired += rules
	})
	t.Logf("%d graphs passed and ran: %v; %d with rules, which fired %d times", passed, ran, ruled, fired)
	if passed == 0 {
		t.Error("no graph passed")
	}
}
