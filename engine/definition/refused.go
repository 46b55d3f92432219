package definition

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Before calls that were refused failed their node, their output said so in its status.

// notDoneWords are what the status of such an output was.
var notDoneWords = []string{"refused", "rejected", "failed", "unknown"}

// statusOf tells an author who reads the status of a call what takes its place now. said
// is what it is compared with; "" where that is not known.
func (c *checker) statusOf(key, said string, bad, warn func(format string, args ...any)) {
	by := c.callOf(key)
	switch {
	case by == nil:
	case slices.Contains(notDoneWords, strings.ToLower(strings.TrimSpace(said))) && !c.handled[by.Name]:
		bad("a call of %s that is refused, rejected or failed has no output: the node fails. Write on_error at %s and ask there for error.kind == %q", by.Name, by.Name, said)
	case slices.Contains(notDoneWords, strings.ToLower(strings.TrimSpace(said))):
		bad("a call of %s that is refused, rejected or failed has no output, so this never holds; ask for error.kind == %q in the node that on_error leads to", by.Name, said)
	case !c.handled[by.Name]:
		warn("%s fails when its call is refused, rejected or failed, and then has no status; write on_error at %s for that", by.Name, by.Name)
	}
}

// callOf is the one node that writes the key, if it calls a tool.
func (c *checker) callOf(key string) (by *Node) {
	n := 0
	outputs(c.nodes, "", 0, func(each *Node, _ string) {
		if each.Output == key || each.Name+"_output" == key {
			by, n = each, n+1
		}
	})
	if n != 1 || by.Kind != KindTool {
		return nil
	}
	return by
}

// statusIn finds the status of calls that an expression reads.
func (c *checker) statusIn(e *Expression, path, text string) {
	tree := e.Tree()
	ast.Walk(&tree, visit(func(n ast.Node) {
		if b, ok := n.(*ast.BinaryNode); ok {
			for _, side := range [][2]ast.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
				if key, ok := statusNode(side[0]); ok {
					said, _ := literal(side[1])
					word, _ := said.(string)
					at := side[0].Location().From
					c.statusOf(key, word, func(format string, args ...any) {
						c.found = append(c.found, c.d.atCharacter(path, text, at, format, args...))
					}, func(format string, args ...any) {
						c.warned = append(c.warned, c.d.atCharacter(path, text, at, format, args...))
					})
				}
			}
		}
	}))
}

type visit func(ast.Node)

// Visit implements ast.Visitor.
func (v visit) Visit(n *ast.Node) { v(*n) }

// statusNode is the key of KEY.status.
func statusNode(n ast.Node) (key string, ok bool) {
	if chain, is := n.(*ast.ChainNode); is {
		n = chain.Node
	}
	if b, is := n.(*ast.BinaryNode); is && b.Operator == "??" {
		return statusNode(b.Left)
	}
	m, is := n.(*ast.MemberNode)
	if !is {
		return "", false
	}
	base, isKey := m.Node.(*ast.IdentifierNode)
	member, isText := m.Property.(*ast.StringNode)
	if !isKey || !isText || member.Value != "status" {
		return "", false
	}
	return base.Value, true
}

// statusPath checks a path: KEY.status.
func (c *checker) statusPath(path, said, at string) {
	if key, ok := strings.CutSuffix(path, ".status"); ok {
		c.statusOf(key, said, func(format string, args ...any) { c.bad(at, format, args...) }, func(format string, args ...any) { c.warn(at, format, args...) })
	}
}

// statusTest checks a rule of one test.
func (c *checker) statusTest(w *When, at string) {
	said := w.Contains
	for _, raw := range []Any{w.Equals, w.Not} {
		if v, ok := decode(json.RawMessage(raw)); ok {
			said = words(v)
		}
	}
	c.statusPath(w.Key, said, at+".key")
}

var statusField = regexp.MustCompile(`\.([a-z][a-z0-9_]*)\.status\b(?:\s+"([a-z]+)")?`)

// textField is a text in the older form of templates.
var textField = regexp.MustCompile(`(?:\{\{-?|[ (])\s*\.([a-z][a-z0-9_]*)\.text\b`)

// statusText checks a template in the older form.
func (c *checker) statusText(text, at string) {
	for _, m := range statusField.FindAllStringSubmatch(text, -1) {
		c.statusPath(m[1]+".status", m[2], at)
	}
	for _, m := range textField.FindAllStringSubmatch(text, -1) {
		c.ofRoute(m[1]+".text", func(format string, args ...any) { c.bad(at, format, args...) })
	}
}
