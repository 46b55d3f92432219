// Package expression is the language of conditions and templates: of graphs, and of rules.
// One reads values and answers yes or no, or gives a value that is worked out of them; it
// changes nothing, and what it costs is bounded.
package expression

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	// Tried beside cel-go 0.31: 3.1 MB more in the program instead of 12 (2.2 and 8.3 stripped), 0.1 ms to compile instead of 1.8, and mistakes in words
	// that people read. CEL bounds its cost by itself; here allowed does.
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// MaxLength is how long an expression may be, in characters.
const MaxLength = 500

// Bounds of an expression. Its work is at most its nodes times what it reads.
const (
	maxTerms    = 150
	maxRead     = 256 << 10
	maxPatterns = 4 // regular expressions, the dearest of all it can do
)

// Expression is a rule over values of the context, such as
// score >= 0.8 && size(items) > 0, or a value. It reads values and changes nothing, and
// what it costs is bounded. It is safe for concurrent use.
type Expression struct {
	program *vm.Program
	tree    ast.Node
	source  string // as its author wrote it
	text    string
	names   []Operand
	rule    bool // the answer is yes or no
	// patterns counts the regular expressions.
	patterns int
}

// Operand is a key of the context that an expression reads.
type Operand struct {
	Name string
	// At is where it stands first, in characters from 0.
	At int
	// Inside says that members of it are read.
	Inside bool
	// Members are those that are read of it by name.
	Members []Member
}

// Member is one of an operand's, as key.member names it.
type Member struct {
	Name string
	// At is where it stands, in characters from 0.
	At int
}

// known are the keys whose types are the same in every run; others may hold
// anything.
var known = map[string]any{"input": "", "vars": map[string]string{}}

// functions are all that an expression can call; those that are true take a test
// of each item.
var functions = map[string]bool{"size": false, "len": false, "lower": false, "upper": false, "trim": false, "abs": false, "round": false, "int": false, "float": false,
	"min": false, "max": false, "sum": false, "json": false, "join": false, "clip": false, "all": true, "any": true, "none": true, "one": true, "count": true}

var operators = []string{"==", "!=", "<", "<=", ">", ">=", "&&", "and", "||", "or", "!", "not", "+", "-", "*", "/", "%", "??", "in", "contains", "startsWith", "endsWith", "matches"}

var comparisons = operators[:6]

// longest bounds what clip makes, in characters.
const longest = 64 << 10

// own are the functions that the library does not have.
var own = map[string]func(...any) (any, error){
	"size": sized,
	"len":  sized,
	"json": func(args ...any) (any, error) { return jsonText(args[0]) },
	"clip": func(args ...any) (any, error) { return clip(Words(args[0]), max(0, min(args[1].(int), longest))), nil },
	"join": func(args ...any) (any, error) {
		list, ok := args[0].([]any)
		if !ok {
			return Words(args[0]), nil
		}
		parts := make([]string, len(list))
		for i, each := range list {
			parts[i] = Words(each)
		}
		return strings.Join(parts, args[1].(string)), nil
	},
}

// sized is how many entries or characters there are of what has any.
func sized(args ...any) (any, error) {
	switch v := args[0].(type) {
	case nil, string, []any, map[string]any:
		return Length(v), nil
	default:
		return nil, fmt.Errorf("%v stands where a text, a list or an object is wanted", v)
	}
}

func jsonText(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// Words is a value as text: texts as they are, everything else as JSON.
func Words(v any) string {
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

func options(env map[string]any, rule bool) []expr.Option {
	out := []expr.Option{expr.Env(env), expr.AllowUndefinedVariables(), expr.MaxNodes(maxTerms), expr.DisableAllBuiltins(),
		expr.Function("size", own["size"], new(func(any) int)), expr.Function("len", own["len"], new(func(any) int)),
		expr.Function("json", own["json"], new(func(any) string)), expr.Function("join", own["join"], new(func(any, string) string)),
		expr.Function("clip", own["clip"], new(func(any, int) string)),
		expr.Function(division, divided), expr.Patch(divisions{}), expr.Function(member, fetched, new(func(any, any) any))}
	if rule {
		out = append(out, expr.AsBool(), expr.Function(present, there, new(func(any, string) any)))
	}
	for name := range functions {
		if own[name] == nil {
			out = append(out, expr.EnableBuiltin(name))
		}
	}
	return out
}

// Compile reads an expression that answers yes or no and checks all that can be checked
// before its values are known. The error is an *Error.
func Compile(text string) (*Expression, error) { return CompileFor(text, known, true) }

// CompileFor is Compile for values of these types, an example or a type of package
// expr/types each; others may be anything. rule says that the answer is yes or no, and not
// any value.
func CompileFor(text string, env map[string]any, rule bool) (*Expression, error) {
	if n := len([]rune(text)); n > MaxLength {
		return nil, &Error{0, fmt.Sprintf("the expression has %d characters; at most %d are read. Split it, or work part of it out in a node before", n, MaxLength)}
	}
	all := options(env, rule)
	config := conf.CreateNew()
	for _, o := range all {
		o(config)
	}
	tree, err := parser.ParseWithConfig(text, config)
	if err != nil {
		return nil, misread(err, text)
	}
	e := &Expression{tree: tree.Node, source: text, text: tree.Node.String(), rule: rule}
	if err := e.allow(tree.Node, false, false); err != nil {
		return nil, err
	}
	// What is read through a function may be anything: its types are checked as it is written.
	if err := e.Fits(env); err != nil {
		return nil, err
	}
	if rule {
		all = append(all, expr.Patch(presences{}))
	}
	if e.program, err = expr.Compile(text, append(all, expr.Patch(members{}))...); err != nil {
		return nil, misread(err, text)
	}
	return e, nil
}

// Fits says where values of the types in env, by key, make the expression one that no run
// can work out; the error is an *Error.
func (e *Expression) Fits(env map[string]any) error {
	if !slices.ContainsFunc(e.names, func(o Operand) bool { return env[o.Name] != nil }) {
		return nil
	}
	config := conf.CreateNew()
	for _, o := range options(env, e.rule) {
		o(config)
	}
	for _, name := range []string{"size", "len"} {
		expr.Function(name, own[name], new(func(string) int), new(func([]any) int), new(func(map[string]any) int))(config)
	}
	tree, err := parser.ParseWithConfig(e.source, config)
	if err == nil {
		ast.Walk(&tree.Node, divisions{})
		_, err = checker.Check(tree, config)
	}
	if err != nil {
		return misread(err, e.source)
	}
	return nil
}

// String is the expression as it was understood.
func (e *Expression) String() string { return e.text }

// Tree is the expression as the library reads it; read-only.
func (e *Expression) Tree() ast.Node { return e.tree }

// Operands are the keys of the context that it reads, in their order.
func (e *Expression) Operands() []Operand { return slices.Clone(e.names) }

// Values are what expressions read. Each is decoded once, however many expressions read
// it. They are for one goroutine at a time.
type Values struct {
	raw  map[string]json.RawMessage
	made map[string]*value
	// env and machine are used again by each expression.
	env     map[string]any
	machine vm.VM
}

// value is one of them as expressions compare it. A model's JSON may arrive as text:
// members are read in inner then. broken says that it is no JSON.
type value struct {
	whole, inner   any
	broken, looked bool
}

// Read makes values of a context. It keeps the map.
func Read(context map[string]json.RawMessage) *Values {
	return &Values{raw: context, made: make(map[string]*value), env: make(map[string]any)} // they hold what is read, which is little of it
}

// of is a value; nil when there is none. inside says that members of it are read.
func (v *Values) of(name string, inside bool) *value {
	x, ok := v.made[name]
	if !ok {
		if raw, found := v.raw[name]; found {
			whole, valid := Decode(raw)
			x = &value{whole: Native(whole), broken: !valid}
		}
		v.made[name] = x
	}
	if x == nil || !inside || x.looked {
		return x
	}
	x.looked, x.inner = true, x.whole
	if text, isText := x.whole.(string); isText {
		if raw, found := Object(text); found {
			x.inner, _ = Decode(raw)
			x.inner = Native(x.inner)
		}
	}
	return x
}

// Eval answers for the values of a context. The error wraps ErrUndecided; the
// answer is no then.
func (e *Expression) Eval(context map[string]json.RawMessage) (bool, error) {
	return e.On(Read(context))
}

// Value is what the expression gives for the values of a context, and beside them, which
// come first. The error wraps ErrUndecided, and ErrAbsent where a value is missing.
func (e *Expression) Value(context map[string]json.RawMessage, beside map[string]any) (any, error) {
	return e.Of(Read(context), beside)
}

// Of is Value for values that other expressions read, too.
func (e *Expression) Of(values *Values, beside map[string]any) (any, error) {
	return e.run(values, beside)
}

// On is Eval for values that other expressions read, too.
func (e *Expression) On(values *Values) (bool, error) {
	out, err := e.run(values, nil)
	return err == nil && out == true, err
}

func (e *Expression) run(values *Values, beside map[string]any) (any, error) {
	env, room := values.env, maxRead
	var missing []string
	for _, name := range e.names {
		if v, ok := beside[name.Name]; ok {
			env[name.Name] = Native(v)
			continue
		}
		if room -= len(values.raw[name.Name]); room < 0 {
			return nil, fmt.Errorf("%w: %s is too long to be read; %d bytes are", ErrUndecided, name.Name, maxRead)
		}
		switch v := values.of(name.Name, name.Inside); {
		case v == nil || v.broken:
			delete(env, name.Name) // an item that stood beside another expression's values
			missing = append(missing, name.Name)
		case name.Inside:
			env[name.Name] = v.inner
		default:
			env[name.Name] = v.whole
		}
	}
	out, err := values.machine.Run(e.program, env)
	switch {
	case errors.Is(err, errMissing):
		return nil, fmt.Errorf("%w: %s", ErrAbsent, misread(err, e.text).Message)
	case err != nil && len(missing) > 0 && !e.rule:
		return nil, fmt.Errorf("%w: %s has no value", ErrAbsent, strings.Join(missing, ", "))
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrUndecided, unfit(misread(err, e.text).Message))
	}
	if f, ok := out.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, fmt.Errorf("%w: the result is not a number", ErrUndecided)
	}
	return out, nil
}

// Native makes numbers comparable.
func Native(v any) any {
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
			v[k] = Native(each)
		}
	case []any:
		for i, each := range v {
			v[i] = Native(each)
		}
	}
	return v
}

// allow goes through an expression, notes what it reads, and refuses all whose cost
// would not be in proportion to that. inside says that a test of items is gone
// through, operand that a comparison in it is.
func (e *Expression) allow(n ast.Node, inside, operand bool) error {
	refuse := func(format string, args ...any) error {
		return &Error{n.Location().From, fmt.Sprintf(format, args...)}
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
			if name, ok := n.Property.(*ast.StringNode); ok {
				of := &e.names[slices.IndexFunc(e.names, func(o Operand) bool { return o.Name == base.Value })]
				of.Members = append(of.Members, Member{name.Value, n.Property.Location().From})
			}
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
			return refuse("there is no function %s%s; there are %s", clip(name, 40), Suggest(name, names(functions)), strings.Join(names(functions), ", "))
		}
		return all(false, n.Arguments...)
	case *ast.BuiltinNode:
		tests, ok := functions[n.Name]
		if !ok {
			return refuse("there is no function %s; there are %s", n.Name, strings.Join(names(functions), ", "))
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
		e.names = append(e.names, Operand{Name: n.Value, At: n.Location().From, Inside: inside})
		return
	}
	e.names[i].Inside = e.names[i].Inside || inside
}

// Decode reads JSON and keeps numbers as they were written.
func Decode(raw json.RawMessage) (v any, ok bool) {
	if text, is := plainText(raw); is {
		return text, true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// plainText is a JSON text that stands for itself, as most values are.
func plainText(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c < ' ' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return string(inner), utf8.Valid(inner)
}

// Length is how many entries a list or an object has, or characters a text.
func Length(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return utf8.RuneCountInString(v)
	case nil:
		return 0
	}
	return 1
}

// Functions are all that an expression can call, sorted.
func Functions() []string { return names(functions) }

func names(of map[string]bool) []string { return slices.Sorted(maps.Keys(of)) }
