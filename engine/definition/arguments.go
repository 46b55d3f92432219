package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"holdpoint/engine/model"
	"holdpoint/engine/schema"
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
	takes := or(strings.Join(known, ", "), phrase("no arguments"))
	plain, meant := map[string]any{}, map[string]bool{}
	for _, name := range sortedKeys(n.Arguments) {
		switch {
		case s.Properties[name] == nil && s.AdditionalProperties == false:
			found = append(found, d.atKey(join(path, name), "%s", misnamed(t.Name, name, known, "%s takes no %s; did you mean %s? It takes %s", "%s takes no %s; it takes %s", takes)))
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

// noTool says that a name is that of no tool.
func noTool(name string, names []string) string {
	return misnamed("", name, names, "there is no tool %s; did you mean %s? There are %s, and those of servers (SERVER.TOOL)",
		"there is no tool %s; there are %s, and those of servers (SERVER.TOOL)", or(strings.Join(names, ", "), "none"))
}

// toolsOf finds tools of a rule that are not there, and arguments that none of its tools
// takes: a rule that is about nothing guards nothing.
func (d *document) toolsOf(r *Rule, at string, tools []tool.Description) (found Problems) {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	away := len(r.Tools) == 0 // tools of servers that are not here may be meant
	for k, pattern := range r.Tools {
		if strings.Contains(pattern, ".") || pattern == "*" {
			away = true
			continue
		}
		if !slices.ContainsFunc(names, func(name string) bool { return matches([]string{pattern}, name) }) {
			found = append(found, d.at(fmt.Sprintf("%s.tools[%d]", at, k), "%s", noTool(pattern, names)))
		}
	}
	if away || len(found) > 0 || r.When == nil || r.When.Expression == "" {
		return found
	}
	takes := map[string]bool{}
	for _, t := range tools {
		var s struct {
			Properties           map[string]json.RawMessage `json:"properties"`
			AdditionalProperties any                        `json:"additionalProperties"`
		}
		if !matches(r.Tools, t.Name) {
			continue
		}
		if json.Unmarshal(t.Parameters, &s) != nil || s.AdditionalProperties != false {
			return found
		}
		for name := range s.Properties {
			takes[name] = true
		}
	}
	e, err := compileExpression(r.When.Expression, nil, true)
	if err != nil {
		return found // it is told elsewhere
	}
	tree := e.Tree()
	ast.Walk(&tree, visit(func(n ast.Node) {
		if word, name, place := member(n); word == "args" && !takes[name] {
			found = append(found, d.atCharacter(at+".when", r.When.Expression, place, "%s", misnamed(strings.Join(r.Tools, ", "), name, sortedKeys(takes),
				"%s takes no %s; did you mean %s? It takes %s", "%s takes no %s; it takes %s", or(strings.Join(sortedKeys(takes), ", "), phrase("no arguments")))))
		}
	}))
	return found
}

// unfit are those of the values that a tool's schema does not allow.
func (d *document) unfit(args map[string]any, path string, parameters json.RawMessage) (found Problems) {
	s, err := compileSchema(Any(parameters))
	if err != nil {
		return nil
	}
	raw := model.JSON(args)
	v, err := validator.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return nil
	}
	var invalid *validator.ValidationError
	if !errors.As(s.Validate(v), &invalid) {
		return nil
	}
	apart := &document{places: map[string]place{}} // what is broken here is not broken in the file
	var all Problems
	for _, leaf := range schema.Leaves(invalid) {
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
