package definition

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// misfits are the arguments of a file that the tool would refuse in every run, each at its place.
// What a template makes is known in the run only, and what a rule sets may be missing here.
func (d *document) misfits(n *Node, path string, t *tool.Description, rules []Rule) (found Problems) {
	var s struct {
		Properties           map[string]json.RawMessage `json:"properties"`
		Required             []string                   `json:"required"`
		AdditionalProperties any                        `json:"additionalProperties"`
	}
	if json.Unmarshal(t.Parameters, &s) != nil {
		return nil
	}
	path += ".arguments"
	if d.broken.covers(path) {
		return nil
	}
	known := sortedKeys(s.Properties)
	takes := or(strings.Join(known, ", "), "no arguments")
	plain, meant := map[string]any{}, map[string]bool{}
	for _, name := range sortedKeys(n.Arguments) {
		switch {
		case s.Properties[name] == nil && s.AdditionalProperties == false:
			found = append(found, d.atKey(join(path, name), "%s takes no %s%s", t.Name, clip(name, 60), then(suggest(name, known), "it takes "+takes)))
			meant[nearest(name, known)] = true
		case !handsIn(n.Arguments[name]):
			plain[name] = n.Arguments[name]
		}
	}
	set := slices.ContainsFunc(rules, func(r Rule) bool {
		return r.Event == BeforeToolCall && r.Verdict == Sets && matches(r.Nodes, n.Name) && matches(r.Tools, t.Name)
	})
	for _, name := range s.Required {
		if _, given := n.Arguments[name]; !given && !set && !meant[name] {
			found = append(found, d.at(path, "%s needs %s; add it to arguments", t.Name, name))
		}
	}
	return append(found, d.unfit(plain, path, t.Parameters)...)
}

// unfit are those of the values that a tool's schema does not allow.
func (d *document) unfit(args map[string]any, path string, parameters json.RawMessage) (found Problems) {
	schema, err := compileSchema(Any(parameters))
	if err != nil {
		return nil
	}
	raw := model.JSON(args)
	v, err := validator.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return nil
	}
	var invalid *validator.ValidationError
	if !errors.As(schema.Validate(v), &invalid) {
		return nil
	}
	apart := &document{places: map[string]place{}} // what is broken here is not broken in the file
	var all Problems
	for _, leaf := range leaves(invalid) {
		switch leaf.ErrorKind.(type) {
		case *kind.Required, *kind.AdditionalProperties:
			if len(leaf.InstanceLocation) == 0 {
				continue // said by name
			}
		}
		apart.explain(leaf, v, &all)
	}
	for _, p := range all {
		found = append(found, d.at(join(path, p.Path), "%s", p.Message))
	}
	return found
}

// leaves are the innermost mistakes.
func leaves(e *validator.ValidationError) (out []*validator.ValidationError) {
	if len(e.Causes) == 0 {
		return []*validator.ValidationError{e}
	}
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}
