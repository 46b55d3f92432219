package bench

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// stub is a model that answers at once: with a call while it has any left in a
// run, each to another tool, else with a word.
type stub struct {
	calls int // tool rounds of each run
	asked int // requests in this run
}

func (s *stub) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "stub", Digest: "sha256:stub", Context: 8192, Tools: true}, nil
}

func (s *stub) Chat(context.Context, model.Request, func(string)) (model.Response, error) {
	s.asked++
	m := model.Message{Role: "assistant", Text: "ok"}
	if s.asked <= s.calls {
		m = model.Message{Role: "assistant", Calls: []model.Call{{ID: "c", Tool: "look" + strconv.Itoa(s.asked-1), Arguments: json.RawMessage(`{}`)}}}
	}
	return model.Response{Message: m}, nil
}

// prompts runs a graph of one prompt node. Without rounds the figure is that of
// the whole run. With rounds, in which the node calls a tool and is entered again,
// it is that of the node alone: of its first entry, or of entering it again to
// tell the model what the tool said; that node has blocks, inputs and eight tools.
func prompts(build Build, rounds int, first bool) func(b *testing.B) {
	return func(b *testing.B) {
		m := &stub{calls: rounds}
		node := &prompt.Node{Name: "p", Instructions: "say ok", Output: "answer"}
		var list []tool.Tool
		if rounds > 0 { // a node of usual size
			node.Instructions, node.Blocks = strings.Repeat("Say what is known. ", 20), []string{strings.Repeat("Answer briefly. ", 20)}
			node.Strategies, node.Perspective, node.Inputs = []string{"chain_of_thought"}, "analyst", []string{"one"}
			node.Tools, node.Rounds = []string{"*"}, rounds+1
			for i := range 8 {
				list = append(list, tool.Tool{Name: "look" + strconv.Itoa(i), Description: "Looks something up and tells what was found.",
					Parameters: json.RawMessage(`{"type":"object","additionalProperties":false}`),
					Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
						return json.RawMessage(`{"seen":1}`), nil
					}})
			}
		}
		tools, err := tool.NewSet(list...)
		if err != nil {
			b.Fatal(err)
		}
		stage := node.Stage()
		var took time.Duration
		times := 0
		if rounds > 0 {
			run := stage.Run
			stage.Run = func(ctx context.Context, t *graph.Task) (graph.Result, error) {
				asked, began := m.asked, time.Now()
				res, err := run(ctx, t)
				if m.asked > asked && (asked == 0) == first {
					took, times = took+time.Since(began), times+1
				}
				return res, err
			}
		}
		g, err := graph.New(graph.Spec{Agent: "prompt", Channels: prompt.Channels(), Context: prompt.Context, History: prompt.History(), Reply: prompt.Reply,
			Stages: []graph.Stage{stage},
			Edges:  []graph.Edge{{From: graph.Start, To: "p", Type: graph.Entry}, {From: "p", To: graph.End, Type: graph.Exit}}})
		if err != nil {
			b.Fatal(err)
		}
		live := &turn.Dependencies{Models: model.Set{Main: m, Light: m}, Tools: tools}
		ids, found := names(perStore), model.JSON(strings.Repeat("What was found. ", 60))
		n, x := 0, build(heard())
		b.ReportAllocs()
		for b.Loop() {
			if n++; n%perStore == 0 {
				x = build(heard())
			}
			m.asked = 0
			out, err := x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(ids[n%perStore]), Session: "bench", Turn: "t", Input: "hi", Dependencies: live,
				State: graph.Patch{prompt.Context.Put("one", found)}})
			if err != nil || out.Run.Status != run.Completed {
				b.Fatal(out.Run.Status, out.Err, err)
			}
		}
		if times > 0 {
			b.ReportMetric(float64(took.Nanoseconds())/float64(times), "ns/op")
		}
	}
}
