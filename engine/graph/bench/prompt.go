package bench

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/tool"
)

// stub is a model that answers at once: with a call while it has any left in a
// run, else with a word.
type stub struct {
	calls   int // tool rounds of each run
	asked   int // questions in this run
	entered time.Time
}

func (s *stub) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "stub", Digest: "sha256:stub", Context: 8192, Tools: true}, nil
}

func (s *stub) Chat(context.Context, model.Request, func(string)) (model.Response, error) {
	if s.asked++; s.asked == 1 {
		s.entered = time.Now()
	}
	m := model.Message{Role: "assistant", Text: "ok"}
	if s.asked <= s.calls {
		m = model.Message{Role: "assistant", Calls: []model.Call{{ID: "c", Tool: "look", Arguments: json.RawMessage(`{}`)}}}
	}
	return model.Response{Message: m}, nil
}

// prompts runs a graph of one prompt node. entry measures from the start to the
// first question; back what it takes to enter the node again, from when it returned
// the results of its tools to when it returned the model's next answer, the
// executor's part in between; neither the whole run.
func prompts(entry, back bool) func(b *testing.B) {
	return func(b *testing.B) {
		m := &stub{}
		node := &prompt.Node{Name: "p", Instructions: "say ok", Output: "answer"}
		if back {
			m.calls, node.Tools, node.Rounds = 4, []string{"look"}, 8
		}
		tools, err := tool.NewSet(tool.Tool{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`),
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"seen":1}`), nil
			}})
		if err != nil {
			b.Fatal(err)
		}
		stage := node.Stage()
		var again time.Duration
		if back {
			run, left := stage.Run, time.Time{}
			stage.Run = func(ctx context.Context, t *graph.Task) (graph.Result, error) {
				asked := m.asked
				res, err := run(ctx, t)
				now := time.Now()
				if m.asked > asked && asked > 0 {
					again += now.Sub(left)
				}
				left = now
				return res, err
			}
		}
		g, err := graph.New(graph.Spec{Agent: "prompt", Channels: prompt.Channels(), Context: prompt.Context, History: prompt.History(), Reply: prompt.Reply,
			Stages: []graph.Stage{stage},
			Edges:  []graph.Edge{{From: graph.Start, To: "p", Type: graph.Entry}, {From: "p", To: graph.End, Type: graph.Exit}}})
		if err != nil {
			b.Fatal(err)
		}
		live := &prompt.Live{Models: model.Set{Main: m, Light: m}, Tools: tools}
		ids := names(perStore)
		n, entries, x := 0, time.Duration(0), executor(graph.NewMemory())
		b.ReportAllocs()
		for b.Loop() {
			if n++; n%perStore == 0 {
				x = executor(graph.NewMemory())
			}
			m.asked = 0
			began := time.Now()
			out, err := x.Start(context.Background(), g, graph.Admission{ID: graph.RunID(ids[n%perStore]), Session: "bench", Turn: "t", Input: "hi", Live: live})
			if err != nil || out.Run.Status != graph.Completed {
				b.Fatal(out.Run.Status, out.Err, err)
			}
			entries += m.entered.Sub(began)
		}
		switch {
		case entry:
			b.ReportMetric(float64(entries.Nanoseconds())/float64(n), "ns/op")
		case back:
			b.ReportMetric(float64(again.Nanoseconds())/float64(n*m.calls), "ns/op")
		}
	}
}
