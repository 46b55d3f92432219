package definition

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/turn"
)

// toolStage calls one tool with arguments from the context. A tool that changes
// something is held for approval like any call of a model.
func toolStage(n *Node, vars map[string]Value) (graph.Stage, error) {
	if err := checkAll(n.Arguments, vars); err != nil {
		return graph.Stage{}, err
	}
	reads, given := n.reads(vars), arguments(n.Arguments, vars)
	run := func(ctx context.Context, t *graph.Task) (graph.Result, error) {
		args, err := given(sight(t, reads, 0))
		if err != nil {
			return graph.Result{}, err
		}
		// The context stays as it is until the stage is done, so a start after a pause
		// makes the same call with the same id.
		c := model.Call{ID: callID(t, 1), Tool: n.Tool, Arguments: args}
		answer, paused, err := calls(ctx, t, n, []model.Call{c})
		if err != nil || paused != nil {
			return orPause(paused), err
		}
		if err := answer.Failures[0]; err != nil {
			t.Emit(answer.Events...)
			return graph.Result{}, notDone(n.Tool, err)
		}
		return graph.Result{Output: result(answer.Messages[0].Text), Events: answer.Events,
			Patch: graph.Patch{prompt.Messages.Add(model.Message{Role: "assistant", Calls: answer.Calls}, answer.Messages[0])}}, nil
	}
	return graph.Stage{Run: run, SideEffects: !n.has("readonly")}, nil
}

func (n *Node) has(flag string) bool {
	for _, f := range n.Flags {
		if f == flag {
			return true
		}
	}
	return false
}

// calls puts calls through the gate that all calls go through.
func calls(ctx context.Context, t *graph.Task, n *Node, list []model.Call) (call.Answer, *graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return call.Answer{}, nil, err
	}
	if d.Tools == nil {
		return call.Answer{}, nil, fmt.Errorf("definition: there are no tools here, so %s cannot be called", n.Tool)
	}
	return turn.Act{Tools: d.Tools, Calls: list, ReadOnly: n.has("readonly"), Reason: or(n.Description, "The graph's node "+n.Name+" calls this tool.")}.Take(ctx, t)
}

// notDone is the failure of a node whose call was refused, rejected or failed.
func notDone(tool string, err error) error {
	return fmt.Errorf("definition: %s was not done: %w", tool, err)
}

func orPause(paused *graph.Result) graph.Result {
	if paused == nil {
		return graph.Result{}
	}
	return *paused
}

// callID is unique in the store, and the same each time this visit is started.
func callID(t *graph.Task, i int) string {
	return fmt.Sprintf("%s.%s.%d.%d", t.Run.Turn, strings.ReplaceAll(string(t.Stage), "/", "."), t.Finished+1, i)
}

// arguments are those of a call, with the values of a context.
func arguments(args map[string]any, vars map[string]Value) func(context map[string]json.RawMessage) (json.RawMessage, error) {
	fill := newFilling(args, vars)
	return func(context map[string]json.RawMessage) (json.RawMessage, error) {
		if args == nil {
			return json.RawMessage(`{}`), nil
		}
		v, err := fill(context)
		if err != nil {
			return nil, err
		}
		return model.JSON(v), nil
	}
}

// result is a tool's answer as an output.
func result(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return textOf(text)
}
