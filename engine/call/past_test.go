package call

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// "With long arguments each round takes longer than the model." What the tools say of a call's arguments is found
// out once, and anew for other arguments, other tools and another call.
func TestPast_TheArgumentsOfACallAreReadOnce(t *testing.T) {
	set := func(schema string) *tool.Set {
		s, err := tool.NewSet(tool.Tool{Name: "look", Description: "Looks.", Parameters: json.RawMessage(schema),
			Read: func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) { return nil, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open, shut := set(`{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`), set(`{"type":"object","additionalProperties":false}`)
	p := new(Past)
	ask := func(tools *tool.Set, id, args string) json.RawMessage {
		t.Helper()
		got, err := p.check(tools, model.Call{ID: id, Tool: "look", Arguments: json.RawMessage(args)})
		want, wantErr := tools.Check("look", json.RawMessage(args))
		if string(got) != string(want) || (err == nil) != (wantErr == nil) || errors.Is(err, tool.ErrArguments) != errors.Is(wantErr, tool.ErrArguments) {
			t.Errorf("%s: %s (%v), the tools say %s (%v)", args, got, err, want, wantErr)
		}
		return got
	}
	first := ask(open, "c", `{"b": 1, "a": 2}`)
	for _, same := range []string{`{"b": 1, "a": 2}`, string(first)} {
		if again := ask(open, "c", same); &again[0] != &first[0] {
			t.Errorf("%s was read again", same)
		}
	}
	ask(open, "c", `{"a": 3}`)
	ask(shut, "c", `{"a": 3}`)
	ask(open, "c", `{"a": 3}`)
	ask(open, "d", `[1]`)
	ask(open, "d", `[1]`)
	ask(open, "d", `{}`)
	p = nil
	ask(open, "c", `{"a": 3}`)
}
