package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// division is the function that divides: a quotient by zero is no number that a rule
// could compare, and would pass every threshold.
const division = "__divided"

type divisions struct{}

// Visit makes a call of each division.
func (divisions) Visit(node *ast.Node) {
	if b, ok := (*node).(*ast.BinaryNode); ok && b.Operator == "/" {
		ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: division}, Arguments: []ast.Node{b.Left, b.Right}})
	}
}

// present is the function that a condition reads values through. Functions and operators
// each make something else of nothing, and a condition over what is missing is to have no
// answer whatever reads it.
const present = "__present"

var errMissing = errors.New("has no value")

func there(args ...any) (any, error) {
	if args[0] == nil {
		return nil, fmt.Errorf("%v %w", args[1], errMissing)
	}
	return args[0], nil
}

// presences reads each value through present, but where the author asks whether there is one
// (== nil), says what to take instead (??), or compares what may be nothing (?.).
type presences struct{}

// Visit comes to the parts of a node before the node.
func (presences) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode, *ast.ChainNode:
		through(node)
	case *ast.MemberNode:
		switch {
		case n.Optional:
			n.Node = bare(n.Node)
		case !optional(n.Node):
			through(node)
		}
	case *ast.CallNode:
		n.Callee = bare(n.Callee)
	case *ast.BinaryNode:
		switch n.Operator {
		case "??":
			n.Left = open(n.Left)
			if before, ok := n.Left.(*ast.BinaryNode); ok && before.Operator == "??" {
				before.Right = open(before.Right)
			}
		case "==", "!=":
			_, left := n.Left.(*ast.NilNode)
			_, right := n.Right.(*ast.NilNode)
			if maybe(n.Left) || right {
				n.Left = open(n.Left)
			}
			if maybe(n.Right) || left {
				n.Right = open(n.Right)
			}
		}
	}
}

// through makes a read one through present.
func through(node *ast.Node) {
	name := written(*node).String()
	ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: present}, Arguments: []ast.Node{*node, &ast.StringNode{Value: clip(name, 60)}}})
}

// written is a read as its author wrote it.
func written(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.CallNode:
		if len(n.Arguments) == 2 && bare(n) != n {
			return &ast.IdentifierNode{Value: n.Arguments[1].(*ast.StringNode).Value}
		}
	case *ast.MemberNode:
		m := *n
		m.Node, m.Property = written(n.Node), written(n.Property)
		return &m
	case *ast.ChainNode:
		return &ast.ChainNode{Node: written(n.Node)}
	}
	return n
}

// bare is a read as it was before through.
func bare(n ast.Node) ast.Node {
	if c, ok := n.(*ast.CallNode); ok {
		if callee, named := c.Callee.(*ast.IdentifierNode); named && callee.Value == present {
			return c.Arguments[0]
		}
	}
	return n
}

// open is a read of which no part has to be there.
func open(n ast.Node) ast.Node {
	n = bare(n)
	if m, ok := n.(*ast.MemberNode); ok {
		m.Node = open(m.Node)
	}
	return n
}

// maybe says that a read may be nothing and the author knows: a?.b.
func maybe(n ast.Node) bool {
	_, is := bare(n).(*ast.ChainNode)
	return is
}

// optional says that a member is one of what may be nothing: a?.b.c.
func optional(n ast.Node) bool {
	m, ok := n.(*ast.MemberNode)
	return ok && (m.Optional || optional(m.Node))
}

// member is the function that members are read through: one that is not there, of a list
// that is shorter or of a value that is missing itself, is nothing.
const member = "__member"

type members struct{}

// Visit makes a call of each read of a member.
func (members) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: member}, Arguments: []ast.Node{n.Node, n.Property}})
	case *ast.ChainNode:
		ast.Patch(node, n.Node)
	}
}

func fetched(args ...any) (any, error) {
	switch of := args[0].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		name, ok := args[1].(string)
		if !ok {
			return nil, fmt.Errorf("an object has members by name, and none by %s", clip(Words(args[1]), 60))
		}
		return of[name], nil
	case []any:
		at, ok := args[1].(int)
		if !ok {
			return nil, fmt.Errorf("a list has items by number, from 0, and none by %s", clip(Words(args[1]), 60))
		}
		if at < 0 {
			at += len(of)
		}
		if at < 0 || at >= len(of) {
			return nil, nil
		}
		return of[at], nil
	}
	return nil, fmt.Errorf("%s has no member %s", typeNames.Replace(fmt.Sprintf("%T", args[0])), clip(Words(args[1]), 60))
}

func divided(args ...any) (any, error) {
	var n [2]float64
	for i, a := range args {
		switch a := a.(type) {
		case int:
			n[i] = float64(a)
		case float64:
			n[i] = a
		default:
			return nil, fmt.Errorf("%v is not a number to divide by", a)
		}
	}
	if n[1] == 0 {
		return nil, errors.New("division by zero")
	}
	return n[0] / n[1], nil
}
