package definition

import (
	"encoding/json"
	"maps"
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
)

// State is the first state of a run of any compiled graph: the conversation up to
// now, to which the input is added, and the keys input and vars of the context.
func State(input string, vars map[string]string, said ...model.Message) graph.Patch {
	if vars == nil {
		vars = map[string]string{}
	}
	return state(input, model.JSON(vars), said...)
}

// Begin is State with the vars as the graph declares them; the error wraps ErrVars.
func (def *Definition) Begin(input string, vars map[string]string, said ...model.Message) (graph.Patch, error) {
	values, err := def.values(vars)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(values, func(name string, _ any) bool { return slices.Contains(turnVars, name) })
	return state(input, model.JSON(values), said...), nil
}

func state(input string, vars json.RawMessage, said ...model.Message) graph.Patch {
	return graph.Patch{prompt.Messages.Add(append(said, model.Message{Role: "user", Text: input})...),
		prompt.Context.Put("input", textOf(input)), prompt.Context.Put("vars", vars)}
}
