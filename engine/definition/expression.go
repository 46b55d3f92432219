package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	// Tried beside cel-go 0.31: 3.1 MB more in the program instead of 12 (2.2 and 8.3 stripped), 0.1 ms to compile instead of 1.8, and mistakes in words
	// that people read. CEL bounds its cost by itself; here allowed does.
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Bounds of an expression. Its work is at most its nodes times what it reads.
const (
	maxExpression = 500
	maxTerms      = 150
	maxRead       = 256 << 10
	maxPatterns   = 4 // regular expressions, the dearest of all it can do
)

// Expression is a rule over values of the context, such as
// score >= 0.8 && size(items) > 0, or a value that is worked out of them. It reads and
// changes nothing, and what it costs is bounded. It is safe for concurrent use.
type Expression struct {
	program *vm.Program
	tree    ast.Node
	text    string
	names   []Operand
	// patterns counts the regular expressions.
	patterns int
}

// Operand is a key of the context that an expression reads.
type Operand struct {
	Name string
	// At is where it stands first, in characters from 0.
	At int
	// inside says that members of it are read.
	inside bool
}

// ExpressionError is a mistake in an expression.
type ExpressionError struct {
	// At is where, in characters from 0.
	At      int
	Message string
}

func (e *ExpressionError) Error() string {
	return fmt.Sprintf("definition: expression, character %d: %s", e.At+1, e.Message)
}

// ErrUndecided says that an expression cannot be answered: a value is missing, of
// another type, or too large.
var ErrUndecided = errors.New("definition: the rule cannot be decided")

// errAbsent is the ErrUndecided of a value that is missing.
var errAbsent = fmt.Errorf("%w", ErrUndecided)

// known are the keys whose types are the same in every run; others may hold
// anything.
func known(vars map[string]Value) map[string]any {
	return map[string]any{"input": "", "vars": varTypes(vars),
		runKey: types.Map{"iterations": types.Int, "node_iterations": types.Int, "tokens": types.Int, "seconds": types.Float64, "rounds": types.Int}}
}

// functions are all that an expression can call; those that are true take a test
// of each item.
var functions = map[string]bool{"size": false, "len": false, "lower": false, "upper": false, "trim": false, "abs": false, "round": false, "int": false, "float": false,
	"min": false, "max": false, "sum": false, "json": false, "join": false, "clip": false, "all": true, "any": true, "none": true, "one": true, "count": true}

// ownFunctions are those that the library does not have.
var ownFunctions = map[string]func(...any) (any, error){
	"size": func(args ...any) (any, error) { return length(args[0]), nil },
	"len":  func(args ...any) (any, error) { return length(args[0]), nil },
	"json": func(args ...any) (any, error) { return jsonText(args[0]) },
	"clip": func(args ...any) (any, error) {
		return clip(wordsOf(args[0]), max(0, min(args[1].(int), maxText))), nil
	},
	"join": func(args ...any) (any, error) {
		list, ok := args[0].([]any)
		if !ok {
			return wordsOf(args[0]), nil
		}
		parts := make([]string, len(list))
		for i, each := range list {
			parts[i] = wordsOf(each)
		}
		return strings.Join(parts, args[1].(string)), nil
	},
}

// jsonText is a value as JSON.
func jsonText(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// wordsOf is a value of an expression as text.
func wordsOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := jsonText(v)
	if err != nil {
		return "" // a number that is none
	}
	return text
}

var operators = []string{"==", "!=", "<", "<=", ">", ">=", "&&", "and", "||", "or", "!", "not", "+", "-", "*", "/", "%", "??", "in", "contains", "startsWith", "endsWith", "matches"}

var comparisons = operators[:6]

// expressionOptions are those of all expressions; rule says that the answer is yes or no.
func expressionOptions(vars map[string]Value, rule bool) []expr.Option {
	out := []expr.Option{expr.Env(known(vars)), expr.AllowUndefinedVariables(), expr.MaxNodes(maxTerms), expr.DisableAllBuiltins(),
		expr.Function("size", ownFunctions["size"], new(func(any) int)), expr.Function("len", ownFunctions["len"], new(func(any) int)),
		expr.Function("json", ownFunctions["json"], new(func(any) string)), expr.Function("join", ownFunctions["join"], new(func(any, string) string)),
		expr.Function("clip", ownFunctions["clip"], new(func(any, int) string)),
		expr.Function(division, divided), expr.Patch(divisions{})}
	if rule {
		out = append(out, expr.AsBool())
	}
	for name := range functions {
		if ownFunctions[name] == nil {
			out = append(out, expr.EnableBuiltin(name))
		}
	}
	return out
}

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

func divided(args ...any) (any, error) {
	var n [2]float64
	for i, a := range args {
		switch a := a.(type) {
		case int:
			n[i] = float64(a)
		case float64:
			n[i] = a
		default:
			return nil, fmt.Errorf("%v is no number to divide with", a)
		}
	}
	if n[1] == 0 {
		return nil, errors.New("division by zero")
	}
	return n[0] / n[1], nil
}

// CompileExpression reads an expression that answers yes or no and checks all that can be
// checked before its values are known. The error is an *ExpressionError.
func CompileExpression(text string) (*Expression, error) { return compileExpression(text, nil, true) }

// compileExpression is CompileExpression for a graph with these vars; rule says that the
// answer is yes or no, and not any value.
func compileExpression(text string, vars map[string]Value, rule bool) (*Expression, error) {
	if n := len([]rune(text)); n > maxExpression {
		return nil, &ExpressionError{0, fmt.Sprintf("the expression has %d characters; at most %d are read. Split it, or work part of it out in a node before", n, maxExpression)}
	}
	options := expressionOptions(vars, rule)
	config := conf.CreateNew()
	for _, o := range options {
		o(config)
	}
	tree, err := parser.ParseWithConfig(text, config)
	if err != nil {
		return nil, misread(err, text)
	}
	e := &Expression{tree: tree.Node, text: tree.Node.String()}
	if err := e.allow(tree.Node, false, false); err != nil {
		return nil, err
	}
	if e.program, err = expr.Compile(text, options...); err != nil {
		return nil, misread(err, text)
	}
	return e, nil
}

// String is the expression as it was understood.
func (e *Expression) String() string { return e.text }

// Operands are the keys of the context that it reads, in their order.
func (e *Expression) Operands() []Operand { return slices.Clone(e.names) }

// Eval answers for the values of a context. The error wraps ErrUndecided; the
// answer is no then.
func (e *Expression) Eval(context map[string]json.RawMessage) (bool, error) {
	out, err := e.value(context, nil)
	return err == nil && out == true, err
}

// value is what the expression gives for the values of a context; item is that of a list,
// nil where none is gone through.
func (e *Expression) value(context map[string]json.RawMessage, item any) (any, error) {
	env, room := make(map[string]any, len(e.names)), maxRead
	var missing []string
	for _, name := range e.names {
		raw, ok := context[name.Name]
		if item != nil && name.Name == itemKey {
			env[itemKey] = item
			continue
		}
		if room -= len(raw); room < 0 {
			return nil, fmt.Errorf("%w: %s is too long to be read; %d bytes are", ErrUndecided, name.Name, maxRead)
		}
		v, valid := decode(raw)
		if !ok || !valid {
			missing = append(missing, name.Name)
			continue
		}
		if text, isText := v.(string); isText && name.inside {
			// A model's JSON may arrive as text.
			if inner, found := object(text); found {
				v, _ = decode(inner)
			}
		}
		env[name.Name] = native(v)
	}
	out, err := expr.Run(e.program, env)
	switch {
	case err != nil && len(missing) > 0:
		return nil, fmt.Errorf("%w: %s has no value", errAbsent, strings.Join(missing, ", "))
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrUndecided, misread(err, e.text).Message)
	}
	if f, ok := out.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, fmt.Errorf("%w: the result is no number", ErrUndecided)
	}
	return out, nil
}

// native makes numbers comparable.
func native(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && int64(int(n)) == n {
			return int(n)
		}
		f, err := v.Float64()
		if err != nil && !math.IsInf(f, 0) {
			return nil
		}
		return f
	case map[string]any:
		for k, each := range v {
			v[k] = native(each)
		}
	case []any:
		for i, each := range v {
			v[i] = native(each)
		}
	}
	return v
}

// allow goes through an expression, notes what it reads, and refuses all whose cost
// would not be in proportion to that. inside says that a test of items is gone
// through, operand that a comparison in it is.
func (e *Expression) allow(n ast.Node, inside, operand bool) error {
	refuse := func(format string, args ...any) error {
		return &ExpressionError{n.Location().From, fmt.Sprintf(format, args...)}
	}
	all := func(operand bool, list ...ast.Node) error {
		for _, each := range list {
			if each == nil {
				continue
			}
			if err := e.allow(each, inside, operand); err != nil {
				return err
			}
		}
		return nil
	}
	switch n := n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
		return nil
	case *ast.IdentifierNode:
		switch {
		case strings.HasPrefix(n.Value, "$"):
			return refuse("%s is not known here; name the key that is meant", n.Value)
		case inside && !operand:
			return refuse("inside all, any, none, one and count the items can only be compared (== < >) with %s; work it out before", n.Value)
		}
		e.reads(n, false)
		return nil
	case *ast.ChainNode:
		return all(operand, n.Node)
	case *ast.MemberNode:
		if n.Method {
			return refuse("a value has no functions; it has members: key.member")
		}
		if err := all(operand, n.Node); err != nil {
			return err
		}
		if base, ok := n.Node.(*ast.IdentifierNode); ok {
			e.reads(base, true)
		}
		return all(false, n.Property)
	case *ast.SliceNode:
		return all(false, n.Node, n.From, n.To)
	case *ast.UnaryNode:
		if !slices.Contains(operators, n.Operator) {
			return refuse("%s is more than an expression can do here", n.Operator)
		}
		return all(false, n.Node)
	case *ast.BinaryNode:
		if !slices.Contains(operators, n.Operator) {
			return refuse("%s is more than an expression can do here; it has %s", n.Operator, strings.Join(operators, " "))
		}
		if _, fixed := n.Right.(*ast.StringNode); n.Operator == "matches" && !fixed {
			return refuse("the regular expression after matches must stand there in quotes")
		}
		if n.Operator == "matches" {
			if e.patterns++; e.patterns > maxPatterns {
				return refuse("an expression has at most %d regular expressions; join them with | or work it out before", maxPatterns)
			}
		}
		return all(slices.Contains(comparisons, n.Operator), n.Left, n.Right)
	case *ast.ConditionalNode:
		return all(false, n.Cond, n.Exp1, n.Exp2)
	case *ast.ArrayNode:
		return all(false, n.Nodes...)
	case *ast.PointerNode:
		if n.Name != "" {
			return refuse("#%s is more than an expression can do here", n.Name)
		}
		return nil
	case *ast.CallNode:
		name := n.Callee.String()
		if _, ok := functions[name]; !ok {
			return refuse("there is no function %s%s; there are %s", clip(name, 40), suggest(name, sortedKeys(functions)), strings.Join(sortedKeys(functions), ", "))
		}
		return all(false, n.Arguments...)
	case *ast.BuiltinNode:
		tests, ok := functions[n.Name]
		if !ok {
			return refuse("there is no function %s; there are %s", n.Name, strings.Join(sortedKeys(functions), ", "))
		}
		if !tests {
			return all(false, n.Arguments...)
		}
		if inside {
			return refuse("%s cannot stand inside another test of items", n.Name)
		}
		return all(false, n.Arguments...)
	case *ast.PredicateNode:
		if inside {
			return refuse("a test of items cannot stand inside another")
		}
		return e.allow(n.Node, true, false)
	}
	return refuse("%s is more than an expression can do here", clip(n.String(), 60))
}

// reads notes a key, once.
func (e *Expression) reads(n *ast.IdentifierNode, inside bool) {
	i := slices.IndexFunc(e.names, func(o Operand) bool { return o.Name == n.Value })
	if i < 0 {
		e.names = append(e.names, Operand{n.Value, n.Location().From, inside})
		return
	}
	e.names[i].inside = e.names[i].inside || inside
}

// misread words a mistake that the library found.
func misread(err error, in string) *ExpressionError {
	var at *file.Error
	end := len([]rune(in))
	if !errors.As(err, &at) {
		return &ExpressionError{0, firstLine(err.Error())}
	}
	text := firstLine(at.Message)
	if token, ok := strings.CutPrefix(text, "unexpected token "); ok {
		switch kind, value, _ := strings.Cut(strings.TrimSuffix(token, ")"), "("); {
		case kind == "EOF":
			text, at.From = "something is missing at the end", end
		case value == `"="`:
			text = "= is not an operator; compare with =="
		case value != "":
			text = value + " does not fit here"
		}
	}
	return &ExpressionError{max(0, min(at.From, end)), text}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return clip(line, 200)
}
