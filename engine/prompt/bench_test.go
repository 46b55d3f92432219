package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// stub answers at once: calls for the first rounds questions of a run, then a text.
type stub struct{ rounds, asked int }

func (s *stub) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "stub", Context: 1 << 20, Tools: true}, nil
}

var stubCalls = []model.Call{{Tool: "tool0", Arguments: json.RawMessage(`{}`)}}

func (s *stub) Chat(context.Context, model.Request, func(string)) (model.Response, error) {
	s.asked++
	if s.asked%(s.rounds+1) != 0 {
		return model.Response{Message: model.Message{Role: "assistant", Calls: append([]model.Call(nil), stubCalls...)}}, nil
	}
	return model.Response{Message: model.Message{Role: "assistant", Text: "done"}}, nil
}

// benchNode is a node of usual size: blocks, inputs, a strategy, eight tools.
func benchNode(tools bool) (*Node, []tool.Tool, graph.Patch) {
	n := &Node{Name: "a", Instructions: strings.Repeat("Say what is known. ", 20), Blocks: []string{strings.Repeat("Block. ", 30)},
		Inputs: []string{"one", "two"}, Strategies: []string{"chain_of_thought"}, Perspective: "analyst", Output: "x", Rounds: 100}
	var list []tool.Tool
	for i := range 8 {
		list = append(list, tool.Tool{Name: fmt.Sprint("tool", i), Description: "Looks something up and tells what was found.", Parameters: json.RawMessage(anything),
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{}`), nil
			}})
	}
	if tools {
		n.Tools, n.Flags = []string{"*"}, graph.ReadOnly|graph.InjectTools
	}
	return n, list, graph.Patch{Messages.Add(model.Message{Role: "user", Text: "hello"}),
		Context.Put("one", model.JSON(strings.Repeat("What was found. ", 60))), Context.Put("two", json.RawMessage(`{"k":"v"}`)),
		Plan.Set([]string{"look", "tell"}), Reflections.Add("fine so far")}
}

// bench runs a graph of one node, with so many rounds of tools, and reports what
// the node itself takes to ask its first and each further question.
func bench(b *testing.B, tools bool, rounds int) {
	n, list, state := benchNode(tools)
	set, err := tool.NewSet(list...)
	must(b, err)
	stage := n.Stage()
	var first, again, act time.Duration
	stage.Run = func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		began := time.Now()
		r, err := n.Run(ctx, t)
		switch took := time.Since(began); {
		case t.Round == 0:
			first += took
		case t.Round%2 == 0:
			again += took
		default:
			act += took
		}
		return r, err
	}
	s := spec(stage)
	s.Limits.Visits = -1
	s.MaxSteps = 1000
	g, err := graph.New(s)
	must(b, err)
	m := &stub{rounds: rounds}
	live := &turn.Dependencies{Models: model.Set{Main: m, Light: m}, Tools: set}
	var x *run.Executor
	runs := 0
	for b.Loop() {
		if runs%500 == 0 { // a store that keeps every run grows what the collector looks at
			x = run.NewExecutor(run.Options{Store: run.NewInMemory(), Now: func() time.Time { return t0 }, NewID: func() string { return "id" }})
		}
		runs++
		out, err := x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(fmt.Sprint("turn:", runs)), Session: "s", Turn: "1", State: state, Dependencies: live})
		if err != nil || out.Run.Status != run.Completed {
			b.Fatal(out.Run.Status, out.Err, err)
		}
	}
	b.ReportMetric(float64(first.Nanoseconds())/float64(runs), "ns/first")
	if rounds > 0 {
		b.ReportMetric(float64(again.Nanoseconds())/float64(runs*rounds), "ns/reentry")
		b.ReportMetric(float64(act.Nanoseconds())/float64(runs*rounds), "ns/calls")
	}
}

// BenchmarkPrompt is a whole run of one prompt node without tools.
func BenchmarkPrompt(b *testing.B) {
	b.ReportAllocs()
	bench(b, false, 0)
}

// BenchmarkPromptFirst is a whole run of one prompt node with tools that it does not use.
func BenchmarkPromptFirst(b *testing.B) {
	b.ReportAllocs()
	bench(b, true, 0)
}

// BenchmarkPromptReentry is ten rounds of tools in one visit.
func BenchmarkPromptReentry(b *testing.B) {
	b.ReportAllocs()
	bench(b, true, 10)
}
