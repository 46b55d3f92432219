package definition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
)

// faultKey says, inside a pattern, what is wrong with what it was handed.
const faultKey = "__fault"

// subgraphStage compiles nodes of their own, or a pattern, inside one stage.
func (l level) subgraphStage(n *Node) (graph.Stage, error) {
	if n.Use != "" {
		return l.patternStage(n)
	}
	spec, err := l.spec(n.Nodes, n.Edges, n.Entry)
	return graph.Stage{Graph: spec}, err
}

// patternStage compiles a pattern: its nodes have a context of their own, which begins
// with the input and the vars that the node hands in, and of which the nodes around see
// what the node takes.
func (l level) patternStage(n *Node) (graph.Stage, error) {
	p, err := ByPattern(n.Use)
	if err != nil {
		return graph.Stage{}, err
	}
	around := l.c.def.Vars
	// Its own instructions come after the graph's; it changes the graph no more than the
	// graph around it says.
	inner := p.Definition
	instructions := strings.TrimSpace(l.c.def.Instructions)
	if strings.Contains(instructions, "{{") {
		instructions = "" // they speak of keys that are not seen here
	}
	inner.Instructions = strings.TrimSpace(instructions + "\n" + inner.Instructions)
	inner.Mutable, inner.MayAdd = false, nil
	l.c = &compiler{def: &inner, ruled: l.c.ruled}
	l.sinks = slices.Clone(l.sinks)
	for i := range l.sinks {
		l.sinks[i].Around++
	}
	_, l.given = n.With["input"]
	spec, err := l.spec(inner.Nodes, inner.Edges, inner.Entry)
	if err != nil {
		return graph.Stage{}, err
	}
	if handsIn(n.With) {
		l.begin(spec, n)
	}
	shows := map[string][]string{}
	for _, key := range sortedKeys(n.Takes) {
		shows[n.Takes[key]] = append(shows[n.Takes[key]], key)
	}
	with := make(map[string]filling, len(n.With))
	for name, v := range n.With {
		with[name] = newFilling(v, around)
	}
	return graph.Stage{Graph: spec, Scope: &graph.Scope{Shows: shows, Own: []graph.AnyChannel{prompt.Observations, prompt.Plan, prompt.Reflections}, Begin: func(context map[string]json.RawMessage) map[string]json.RawMessage {
		return handed(context, with, &inner)
	}}}, nil
}

// handsIn says that something in a value has to be worked out.
func handsIn(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "{{")
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), handsIn)
	case []any:
		return slices.ContainsFunc(v, handsIn)
	}
	return false
}

// begin puts a stage in front that fails when what was handed in does not fit.
func (l level) begin(spec *graph.Spec, n *Node) {
	id := graph.StageID(n.Name + "_begin")
	fits := graph.WhenKey("what is handed in fits", prompt.Context, faultKey, "does not exist", func(raw json.RawMessage) bool { return raw == nil })
	for i, e := range spec.Edges {
		if e.Type == graph.Entry {
			spec.Edges[i] = graph.Edge{From: id, To: e.To, Type: graph.Conditional, Condition: fits.Name}
		}
	}
	spec.Edges = append(spec.Edges, graph.Edge{From: graph.Start, To: id, Type: graph.Entry})
	spec.Conditions = append(spec.Conditions, fits)
	spec.Stages = append(spec.Stages, graph.Stage{ID: id, Title: "Begin", Kind: n.Kind + "_begin", Quick: true, MayEnd: true, Flags: l.fatal(),
		Description: "Sees to it that what is handed in fits",
		Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			if raw, ok := t.Context()[faultKey]; ok {
				return graph.Result{}, fmt.Errorf("definition: %s cannot begin: %s", n.Name, plainText(raw))
			}
			return graph.Result{}, nil
		}})
}

// handed is what a pattern begins with. What does not fit is said under faultKey.
func handed(context map[string]json.RawMessage, with map[string]filling, inner *Definition) map[string]json.RawMessage {
	var outer map[string]any
	if v, ok := decode(context["vars"]); ok {
		outer, _ = v.(map[string]any)
	}
	vars, out := ownVars(outer), map[string]json.RawMessage{"input": context["input"]}
	if vars == nil {
		vars = map[string]any{}
	}
	var wrong []string
	bad := func(name string, err error) {
		why := strings.TrimPrefix(strings.TrimPrefix(err.Error(), errValue.Error()+": "), "definition: ")
		wrong = append(wrong, name+": "+why)
	}
	for _, name := range sortedKeys(with) {
		v, err := with[name](context)
		if err != nil {
			bad(name, err)
			continue
		}
		raw, err := json.Marshal(v)
		switch {
		case err != nil || len(raw) > maxText:
			bad(name, errors.New("it is too long, or no JSON"))
			continue
		case v == nil && name != "input":
			continue // nothing is known yet: the default, if it has one
		}
		v, _ = decode(raw)
		if name == "input" {
			out["input"] = textOf(words(v))
			continue
		}
		if vars[name], err = inner.varOf(name, v); err != nil {
			bad(name, err)
		}
	}
	if wrong = append(wrong, inner.fill(vars)...); len(wrong) > 0 {
		out[faultKey] = textOf(strings.Join(wrong, "; "))
	}
	out["vars"] = model.JSON(vars)
	return out
}

// varOf is a value as the var of a graph.
func (def *Definition) varOf(name string, v any) (any, error) {
	declared, ok := def.Vars[name]
	if !ok {
		return nil, fmt.Errorf("%w: there is no such var", errValue)
	}
	if text, isText := v.(string); isText {
		return declared.read(text)
	}
	return declared.of(v)
}
