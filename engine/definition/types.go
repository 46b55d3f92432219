package definition

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"holdpoint/engine/expression"
)

// types are the types of what nodes put out, by key, as far as they are the same in every
// run. What may be missing has its type where it is there.
func (c *checker) types() map[string]types.Type {
	if c.typed != nil {
		return c.typed
	}
	c.typed = map[string]types.Type{}
	outputs(c.nodes, "", 0, func(n *Node, _ string) {
		for _, key := range []string{n.Output, n.Name + "_output"} {
			if key == "" || c.writer(key) != n || c.sets(key) || c.sets(n.Output) {
				continue // a rule that sets the one changes the other, too
			}
			if t := n.puts(c.vars); t != nil {
				c.typed[key] = t
			}
		}
	})
	return c.typed
}

// fits warns of an expression that no run can work out, for the types of what it reads. from
// is where it stands in the text, in characters.
func (c *checker) fits(e *Expression, path, text string, from int) {
	if len(c.members) > 0 {
		return // the words of a rule are others
	}
	env := known(c.vars)
	for _, o := range e.Operands() {
		t := c.types()[o.Name]
		if t != nil && (t != types.String || !o.Inside) { // a text may hold an object
			env[o.Name] = sample(t)
		}
	}
	var wrong *expression.Error
	if errors.As(e.Fits(env), &wrong) {
		c.warned = append(c.warned, c.d.atCharacter(path, text, from+wrong.At, "this can never be worked out: %s", typedField(wrong.Message)))
	}
}

// typedField says of a member that an output does not have what it has.
func typedField(message string) string {
	m := unknownField.FindStringSubmatch(message)
	switch {
	case m == nil:
		return message
	case strings.HasPrefix(message, "type map"), strings.HasPrefix(message, "unknown"):
		return phrase("there is no %s in it", m[1])
	}
	return phrase("what stands there has no members, so there is no %s in it", m[1])
}

// writer is the one node that writes a key; nil where there are several, or it is not known.
func (c *checker) writer(key string) *Node {
	if c.free {
		return nil
	}
	var by *Node
	n := 0
	outputs(c.nodes, "", 0, func(each *Node, _ string) {
		if each.Output == key || each.Name+"_output" == key {
			by, n = each, n+1
		}
		if _, taken := each.Takes[key]; taken || nested(each.Kind) && each.Output == key {
			n += 2
		}
	})
	if n != 1 {
		return nil
	}
	return by
}

// puts is the type of what a node puts out; nil where it may be anything.
func (n *Node) puts(vars map[string]Value) types.Type {
	switch {
	case n.After != "": // what the model answers is not what the node puts out
		if _, alone := whole(n.After, vars); !alone {
			return types.String
		}
	case n.Kind == KindHuman && n.Answer != nil:
		return typeOf(n.Answer.Type)
	case n.Kind == KindHuman, n.Kind == KindRouter, n.Kind == KindTransform && n.Template != "":
		return types.String
	case n.Kind == KindTransform && n.Count != "":
		return types.Int
	case slices.Contains(n.Flags, "summarize_output"):
	case n.Schema != nil:
		return schemaType(json.RawMessage(n.Schema))
	case presets[n.Kind].schema != nil:
		return schemaType(presets[n.Kind].schema)
	}
	return nil
}

// sample stands for the values of a type in what expressions are checked against.
func sample(t types.Type) any {
	switch t {
	case types.String:
		return ""
	case types.Int:
		return 0
	case types.Float64:
		return 0.0
	case types.Bool:
		return false
	}
	if m, is := t.(types.Map); is {
		return m
	}
	return []any{}
}

// scalar says in words what a type is that has no parts; "" for others.
func scalar(t types.Type) string {
	switch t {
	case types.String:
		return valueTypes["string"]
	case types.Int, types.Float64:
		return valueTypes["number"]
	case types.Bool:
		return valueTypes["boolean"]
	}
	return ""
}

// typeOf is that of a declared value; nil for any.
func typeOf(name string) types.Type {
	switch name {
	case "string":
		return types.String
	case "integer":
		return types.Int
	case "number":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		return types.Array(types.Any)
	case "object":
		return types.Map{types.Extra: types.Any}
	}
	return nil
}

// schemaType is the type of what fits a schema; nil for any.
func schemaType(raw json.RawMessage) types.Type {
	var s struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
		Additional any                        `json:"additionalProperties"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	if s.Type != "object" {
		return typeOf(s.Type)
	}
	out := types.Map{}
	if s.Additional != false {
		out[types.Extra] = types.Any
	}
	for name, each := range s.Properties {
		out[name] = types.Any
		if t := schemaType(each); t != nil {
			out[name] = t
		}
	}
	return out
}
