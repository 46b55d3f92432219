package definition

import (
	"context"
	"encoding/json"
	"fmt"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
)

// transformStage works a value out of the context without a model or any code of
// the author's.
func transformStage(n *Node, vars map[string]Value) (graph.Stage, error) {
	work, err := n.transform(vars)
	if err != nil {
		return graph.Stage{}, err
	}
	reads := n.reads(vars)
	return graph.Stage{Quick: true, Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
		out, err := work(sight(t, reads, 0))
		if err != nil {
			return graph.Result{}, err
		}
		return graph.Result{Output: out}, nil
	}}, nil
}

func (n *Node) transform(vars map[string]Value) (func(map[string]json.RawMessage) (json.RawMessage, error), error) {
	switch {
	case n.Template != "":
		w, err := newWordings(n.Template, vars)
		return func(context map[string]json.RawMessage) (json.RawMessage, error) {
			text, err := w.fill(context)
			return textOf(text), err
		}, err
	case n.Pick != "":
		return func(context map[string]json.RawMessage) (json.RawMessage, error) {
			v, ok := lookup(context, n.Pick)
			if !ok {
				return nil, fmt.Errorf("definition: there is no value at %s", n.Pick)
			}
			return model.JSON(v), nil
		}, nil
	case n.Count != "":
		return func(context map[string]json.RawMessage) (json.RawMessage, error) {
			v, _ := lookup(context, n.Count)
			return model.JSON(length(v)), nil
		}, nil
	}
	set := newFilling(n.Set, vars)
	return func(context map[string]json.RawMessage) (json.RawMessage, error) {
		v, err := set(context)
		if err != nil {
			return nil, err
		}
		out := model.JSON(v)
		if len(out) > maxText {
			return nil, errLong
		}
		return out, nil
	}, checkAll(n.Set, vars)
}
