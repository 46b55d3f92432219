package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// measured is a model that asks for a reading first, and answers with what came.
type measured struct{}

func (measured) Info(context.Context) (model.Info, error) {
	return model.Info{Name: "measured", Context: 4096}, nil
}

func (measured) Chat(_ context.Context, r model.Request, _ func(string)) (model.Response, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == "tool" {
		return model.Response{Message: model.Message{Role: "assistant", Text: "The tool says " + last.Text}}, nil
	}
	return model.Response{Message: model.Message{Role: "assistant", Calls: []model.Call{{Tool: "read_depth", Arguments: json.RawMessage(`{}`)}}}}, nil
}

// A stage that is entered again in between is enough for a loop: it asks, keeps what was asked for
// as its result, answers that when it is entered again, and is done when the model answers in words.
func ExampleLoop() {
	talk, reply := graph.Append[model.Message]("talk"), graph.Value[string]("reply")
	tools, err := tool.NewSet(tool.Tool{Name: "read_depth", Description: "Reads the depth.", Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"depth_ft":5000}`), nil
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	work := func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		loop := turn.Loop{Talk: talk.Get(t.State), Offers: tools.Offer(), Most: 3, IDs: fmt.Sprintf("%s.%d.", t.Run.Turn, t.Round), Act: turn.Act{Tools: tools}}
		if n := len(loop.Talk); n > 0 && len(loop.Talk[n-1].Calls) > 0 {
			answer, paused, err := loop.Answer(ctx, t)
			if paused != nil { // a person is asked first
				return *paused, err
			}
			return graph.Result{Patch: graph.Patch{talk.Add(answer.Messages...)}, Events: answer.Events, Reenter: "calls_answered"}, err
		}
		loop.Chat = turn.Chat{Model: measured{}, Role: model.Main, Purpose: "reply",
			Request: model.Request{Messages: append([]model.Message{{Role: "user", Text: t.Run.Input}}, loop.Talk...)}}
		said, err := loop.Ask(ctx, t)
		if err == nil && len(said.Calls) > 0 {
			return graph.Result{Patch: graph.Patch{talk.Add(said.Asked())}, Events: said.Events, Reenter: "calls"}, nil
		}
		return graph.Result{Patch: graph.Patch{reply.Set(said.Text)}}, err
	}
	g, err := graph.New(graph.Spec{Agent: "driller", MaxSteps: 9, Channels: []graph.AnyChannel{talk, reply}, Reply: reply, Stages: []graph.Stage{{ID: "work", Run: work}},
		Edges: []graph.Edge{{From: graph.Start, To: "work", Type: graph.Entry}, {From: "work", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := run.NewExecutor(run.Options{Store: run.NewInMemory(), Now: time.Now, NewID: func() string { return "id" }})
	out, err := x.Start(context.Background(), g, run.StartRequest{ID: "turn:1", Session: "s", Turn: "1", Input: "How deep is it?", Dependencies: &turn.Dependencies{Models: model.Set{Main: measured{}, Light: measured{}}}})
	fmt.Println(out.Run.Status, out.Run.Output, err)
	// Output: completed The tool says {"depth_ft":5000} <nil>
}
