package definition

import (
	"slices"

	"holdpoint/engine/graph"
	"holdpoint/engine/prompt"
)

// reads are the keys of the context that a node goes by beside its inputs, in no order:
// those of its templates, paths and rules.
func (n *Node) reads(vars map[string]Value) []string {
	var out []string
	add := func(keys ...string) {
		for _, k := range keys {
			if k != "" && !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	for _, text := range append([]string{n.Template, n.Question, n.Instructions}, n.Blocks...) {
		add(keysIn(text, vars)...)
	}
	add(keyOf(n.Pick), keyOf(n.Count), keyOf(n.Over))
	add(keysIn(n.Set, vars)...)
	add(keysIn(n.Arguments, vars)...)
	add(keysIn(n.Before, vars)...)
	add(keysIn(n.After, vars)...)
	for _, c := range n.Choices {
		add(c.When.reads(vars)...)
	}
	return out
}

// sees is what tools gave in the conversation that a node which asks a model is told. What
// models said in it is not counted: a node that is kept would then never be kept again, for
// having said so.
func sees(s graph.Snapshot) any {
	var given []string
	for _, m := range prompt.Messages.Get(s) {
		if m.Role == "tool" {
			given = append(given, m.Text)
		}
	}
	return given
}

// reads are the keys that a rule goes by; none of a rule that cannot be read.
func (w *When) reads(vars map[string]Value) (keys []string) {
	if w == nil {
		return nil
	}
	r, err := w.compile(vars)
	switch {
	case err != nil:
	case r.expression == nil:
		keys = append(keys, keyOf(w.Key))
	default:
		for _, o := range r.expression.Operands() {
			keys = append(keys, o.Name)
		}
	}
	return keys
}

// keysIn are the keys that the templates inside a value read.
func keysIn(v any, vars map[string]Value) (keys []string) {
	switch v := v.(type) {
	case string:
		if w, err := newWordings(v, vars); err == nil {
			keys = w.keys
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			keys = append(keys, keysIn(v[k], vars)...)
		}
	case []any:
		for _, each := range v {
			keys = append(keys, keysIn(each, vars)...)
		}
	}
	return keys
}
