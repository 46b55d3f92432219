package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// hooked is an agent that registers hooks of its own around a graph that has rules.
func hooked(text string, hooks ...graph.Hooks) agent.New {
	return func(k turn.Kit) (agent.Agent, error) {
		for _, h := range hooks {
			k.Hook(h)
		}
		a := definition.Open("hooked")
		def, err := definition.Parse([]byte(text))
		if err != nil {
			return a, err
		}
		a.Graph = func(map[string]string) (*graph.Graph, error) { return definition.Graph(def) }
		return a, nil
	}
}

func withAgent(t *testing.T, build agent.New) *app.App {
	t.Helper()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true, Agents: []agent.New{build}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

const watched = `name: hooked
nodes:
  - {name: a, kind: tool, tool: calculator, arguments: {expression: "1+2"}, flags: [observable], output: sum, default_next: b}
  - {name: b, kind: prompt, instructions: Say it., default_next: ask}
  - {name: ask, kind: human, question: "Well?", default_next: lost}
  - {name: lost, kind: transform, pick: input.nothing, default_next: last}
  - {name: last, kind: transform, template: "{{ seen }} {{ sum }}"}
rules:
  - {name: of_the_file, event: before_node, nodes: [last], verdict: set, set: {seen: "{{ seen }}, then the file"}}
`

func TestReasoner_R71toR79_HooksOfAnAgentRunAheadOfItsGraphsRules(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	hear := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, what)
	}
	set := func(name string) func(context.Context, *graph.Task) (graph.Patch, error) {
		return func(_ context.Context, task *graph.Task) (graph.Patch, error) {
			if task.Stage != "last" {
				return nil, nil
			}
			var before string
			if raw, ok := task.Input("seen"); ok && json.Unmarshal(raw, &before) != nil {
				return nil, errors.New("seen is no text")
			}
			return graph.Patch{prompt.Context.Put("seen", json.RawMessage(`"`+strings.TrimPrefix(before+", "+name, ", ")+`"`))}, nil
		}
	}
	build := hooked(watched,
		graph.Hooks{Name: "one", PreStage: set("one"),
			PostStage: func(_ context.Context, task *graph.Task, _ *graph.Result) error {
				hear("post " + string(task.Stage))
				return nil
			},
			PreTool:      func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error { hear("before " + u.Tool); return nil },
			PostTool:     func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error { hear("after " + u.Tool); return nil },
			OnObservable: func(_ context.Context, _ *graph.Task, m graph.Metrics) { hear("observed " + string(m.Stage)) },
			OnHuman:      func(_ context.Context, task *graph.Task, _ []graph.Pause) { hear("waits " + string(task.Stage)) },
			OnError:      func(_ context.Context, task *graph.Task, _ error) { hear("failed " + string(task.Stage)) },
		},
		graph.Hooks{Name: "two", PreStage: set("two"), PostStage: func(context.Context, *graph.Task, *graph.Result) error { panic("a hook panics everywhere") }})
	a := withAgent(t, build)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Agent: "hooked", Text: "hello"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"yes"`)); err != nil {
		t.Fatal(err)
	}
	out, err = a.ResumeTurn(t.Context(), out.Run.Turn)
	if err != nil || out.Run.Status != run.Completed || out.Run.Output != `one, two, then the file {"expression":"1+2","result":"3"}` {
		t.Fatalf("%s %q %v %v", out.Run.Status, out.Run.Output, out.Err, err)
	}
	for _, want := range []string{"before calculator", "after calculator", "observed a", "post a", "post b", "waits ask", "failed lost", "post last"} {
		if !slices.Contains(heard, want) {
			t.Errorf("%q was not heard in %v", want, heard)
		}
	}
	r, err := a.TurnReport(out.Run.Turn)
	if err != nil || r.HookFailures == 0 {
		t.Errorf("the panics are not in the report: %+v %v", r, err)
	}
}

// "The update brought a hook of the agent that refuses such calls, and the turn that waited since before went on under it
// as if it had begun so." What an agent's hooks decide is a part of its graph.
func TestHooks_OfAnAgentThatDecideOtherwiseStopATurnThatWaits(t *testing.T) {
	keeper := graph.Hooks{Name: "keeper", PreStage: func(context.Context, *graph.Task) (graph.Patch, error) { return nil, nil }}
	log := graph.Hooks{Name: "log", OnHuman: func(context.Context, *graph.Task, []graph.Pause) {}}
	for name, c := range map[string]struct {
		then []graph.Hooks
		goes bool
	}{
		"as it was":    {[]graph.Hooks{keeper}, true},
		"logs as well": {[]graph.Hooks{log, keeper}, true},
		"without":      {nil, false},
		"one more":     {[]graph.Hooks{keeper, {Name: "another", PreTool: func(context.Context, *graph.Task, *graph.ToolUse) error { return nil }}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			open := func(hooks ...graph.Hooks) *app.App {
				a, err := app.Open(app.Options{Dir: dir, Practice: true, Agents: []agent.New{hooked(watched, hooks...)}})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			a := open(keeper)
			out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Agent: "hooked", Text: "hello"})
			if err != nil || out.Run.Status != run.Paused {
				t.Fatal(out.Run.Status, err)
			}
			closeApp(t, a)
			a = open(c.then...)
			defer closeApp(t, a)
			if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"yes"`)); err != nil && c.goes {
				t.Fatal(err)
			}
			out, err = a.ResumeTurn(t.Context(), out.Run.Turn)
			if c.goes != (err == nil && out.Run.Status == run.Completed) {
				t.Errorf("%s, %v", out.Run.Status, err)
			}
		})
	}
}

func TestReasoner_R78_NoHookStopsTheCheckForDanger(t *testing.T) {
	for _, do := range []graph.StopDo{graph.StopSkip, graph.StopHold, graph.StopRefuse, graph.StopEnd} {
		a := withAgent(t, hooked(watched, graph.Hooks{Name: "stop", PreStage: func(context.Context, *graph.Task) (graph.Patch, error) {
			return nil, &graph.Stop{Do: do, Reason: "not today"}
		}}))
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s", Agent: "hooked", Text: "I want to kill myself tonight, I have the pills"})
		if err != nil || out.Run.Status != run.Completed || !strings.Contains(out.Run.Output, "emergency") && !strings.Contains(out.Run.Output, "help") {
			t.Errorf("%s: %s %q %v %v", do, out.Run.Status, out.Run.Output, out.Err, err)
		}
		events, _, err := a.Journal("s", 0, 1000)
		if err != nil || !slices.ContainsFunc(events, func(e journal.Event) bool { return e.Kind == journal.HookFailed && e.Stage == turn.Preflight }) {
			t.Errorf("%s: nobody says that the hook was not heeded (%v)", do, err)
		}
	}
}
