package definition

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Whether a rule can ever hold. A rule is taken apart into ways to hold, each a list of
// claims about values that have to be true together; when each of them contradicts itself,
// or what is known of a value, the rule is dead. What is not understood may always hold.

// mostWays bounds how far a rule is taken apart.
const mostWays = 64

// mostClaims bounds what has to be true together for no rule of a router to hold.
const mostClaims = 32

// mostValues bounds how many whole numbers between two bounds are looked at one by one.
const mostValues = 64

// claim is one thing that has to be true of a value.
type claim struct {
	of    string // the value, as it is written
	op    string // == != < <= > >=, or "" for a test of which only the opposite is known
	value any    // text, float64, bool, nil
	not   bool   // of a test with op ""
}

// domain is what is known of a value: the texts or figures that it may be, or bounds.
type domain struct {
	values     []any
	least      *float64
	most       *float64
	why        func(of string) string // says so in words
	ignoreCase bool
}

// never says why a rule can never hold; "" when it may.
func (c *checker) never(w *When) string {
	if w == nil {
		return ""
	}
	if w.Expression == "" {
		return c.neverTest(w)
	}
	e, err := c.expression(w.Expression)
	if e == nil || err != nil {
		return "" // it is told elsewhere
	}
	if len(e.Operands()) == 0 {
		if ok, err := e.Eval(nil); err == nil && !ok {
			return phrase("it is false whatever happens")
		}
		return ""
	}
	r := c.compiled[w.Expression]
	if r.dead == nil {
		why := c.deadFor(e)
		r.dead = &why
		c.compiled[w.Expression] = r
	}
	return *r.dead
}

// deadFor says why an expression can never hold; "" when it may.
func (c *checker) deadFor(e *Expression) (why string) {
	ways, ok := waysToHold(e.Tree(), false)
	if !ok {
		return ""
	}
	for _, claims := range ways {
		if why = c.contradiction(claims); why == "" {
			return ""
		}
	}
	return or(why, phrase("it is false whatever happens"))
}

// always says that a rule holds whatever happens.
func (c *checker) always(w *When) bool {
	if w == nil || w.Expression == "" {
		return false
	}
	e, err := c.expression(w.Expression)
	if e == nil || err != nil {
		return false
	}
	if len(e.Operands()) > 0 {
		return c.inevitable(e)
	}
	ok, err := e.Eval(nil)
	return ok && err == nil
}

// inevitable says that a rule holds whatever the values are that every run has.
func (c *checker) inevitable(e *Expression) bool {
	for _, o := range e.Operands() {
		if o.Name != "input" {
			return false // it may be missing, and then the rule does not hold
		}
	}
	ways, ok := waysToHold(e.Tree(), true)
	return ok && !slices.ContainsFunc(ways, func(claims []claim) bool { return c.contradiction(claims) == "" })
}

// certain says that a router always chooses: a model does, or its rules leave nothing out.
func (c *checker) certain(n *Node) bool {
	var none [][]claim // ways in which no rule holds
	known, seen := false, map[string]bool{}
	for _, choice := range n.Choices {
		if choice.When == nil || c.always(choice.When) {
			return true
		}
		if seen[choice.When.Expression] {
			continue
		}
		seen[choice.When.Expression] = choice.When.Expression != ""
		ways, ok := c.waysNot(choice.When)
		if !ok {
			continue
		}
		if !known {
			none, known = [][]claim{nil}, true
		}
		var both [][]claim
		for _, a := range none {
			for _, b := range ways {
				claims := slices.Clone(a)
				for _, each := range b {
					if !slices.Contains(claims, each) {
						claims = append(claims, each)
					}
				}
				if both = append(both, claims); len(both) > mostWays || len(claims) > mostClaims {
					return false
				}
			}
		}
		none = both
	}
	return known && !slices.ContainsFunc(none, func(claims []claim) bool { return c.contradiction(claims) == "" })
}

// unsure warns of a router whose rules leave nothing out, as long as there are values: where
// one is missing no rule holds.
func (c *checker) unsure(n *Node, path string) {
	var keys []string
	for _, choice := range n.Choices {
		if c.always(choice.When) || choice.When.Exists != nil {
			return
		}
		for _, key := range c.readsOf(choice.When) {
			if !slices.Contains(keys, key) && c.mayLack(key) {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) > 0 {
		c.warn(path, "no rule of %s holds when %s has no value, and %s fails then; add default_next or a choice for that, or on_error where it is written", n.Name, strings.Join(keys, ", "), n.Name)
	}
}

// mayLack says that a key may have no value although a node writes it: because that node
// may fail and the run goes on.
func (c *checker) mayLack(key string) (may bool) {
	if may, known := c.lacking[key]; known {
		return may
	}
	defer func() { c.lacking[key] = may }()
	outputs(c.nodes, "", 0, func(n *Node, _ string) {
		may = may || (n.Output == key || n.Name+"_output" == key) && n.Kind != KindHuman && n.Kind != KindRouter && !c.handled[n.Name]
	})
	return may
}

// waysNot are the ways in which a rule does not hold; ok is false where that is not known.
func (c *checker) waysNot(w *When) ([][]claim, bool) {
	if w.Expression != "" {
		e, err := c.expression(w.Expression)
		if e == nil || err != nil {
			return nil, false
		}
		r := c.compiled[w.Expression]
		if r.not == nil {
			ways, ok := waysToHold(e.Tree(), true)
			r.not = &negated{ways, ok && !slices.ContainsFunc(ways, func(claims []claim) bool { return len(claims) > mostClaims })}
			c.compiled[w.Expression] = r
		}
		return r.not.ways, r.not.ok
	}
	if w.Exists != nil {
		return [][]claim{{{of: w.Key + " exists", not: *w.Exists}}}, true
	}
	op, raw := "!=", w.Equals
	if raw == nil {
		op, raw = "==", w.Not
	}
	if v, ok := decode(json.RawMessage(raw)); ok && raw != nil && v != nil {
		return [][]claim{{{of: w.Key, op: op, value: constantOf(v)}}}, true
	}
	return nil, false
}

// expression compiles a rule, once for each text: that takes half a millisecond. It is nil
// when the file has more of them than are read.
func (c *checker) expression(text string) (*Expression, error) {
	if r, known := c.compiled[text]; known {
		return r.expression, r.err
	}
	if len(c.compiled) >= maxExpressions {
		return nil, nil
	}
	e, err := compileExpression(text, c.vars, true)
	c.compiled[text] = compiledRule{expression: e, err: err}
	return e, err
}

type compiledRule struct {
	expression *Expression
	err        error
	dead       *string // why it never holds; nil before anybody asked
	not        *negated
}

// negated are the ways in which a rule does not hold; ok is false where they are not known.
type negated struct {
	ways [][]claim
	ok   bool
}

// readsOf are the keys that a rule goes by.
func (c *checker) readsOf(w *When) (keys []string) {
	if w.Expression == "" {
		return []string{keyOf(w.Key)}
	}
	if e, err := c.expression(w.Expression); e != nil && err == nil {
		for _, o := range e.Operands() {
			keys = append(keys, o.Name)
		}
	}
	return keys
}

func (c *checker) neverTest(w *When) string {
	if w.Equals == nil {
		return ""
	}
	want, _ := decode(json.RawMessage(w.Equals))
	d := c.domainOf(w.Key)
	if d == nil || want == nil {
		return ""
	}
	lenient := *d
	lenient.ignoreCase = true
	return lenient.refuses(w.Key, constantOf(want))
}

// waysToHold takes a rule apart. ok is false when there is too much of it.
func waysToHold(n ast.Node, not bool) (ways [][]claim, ok bool) {
	one := func(c claim) ([][]claim, bool) { return [][]claim{{c}}, true }
	switch n := n.(type) {
	case *ast.BoolNode:
		if n.Value != not {
			return [][]claim{{}}, true
		}
		return nil, true
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return waysToHold(n.Node, !not)
		}
	case *ast.BinaryNode:
		op := n.Operator
		both := op == "&&" || op == "and"
		if either := op == "||" || op == "or"; both || either {
			left, ok := waysToHold(n.Left, not)
			if !ok {
				return nil, false
			}
			right, ok := waysToHold(n.Right, not)
			if !ok {
				return nil, false
			}
			if both == not { // not (a and b) is not a or not b
				return append(left, right...), len(left)+len(right) <= mostWays
			}
			if len(left)*len(right) > mostWays {
				return nil, false
			}
			for _, l := range left {
				for _, r := range right {
					ways = append(ways, append(slices.Clone(l), r...))
				}
			}
			return ways, true
		}
		if list, isList := n.Right.(*ast.ArrayNode); isList && op == "in" {
			return waysIn(n.Left, list, not)
		}
		if opposites[op] != "" {
			if c, ok := comparison(n, not); ok {
				return one(c)
			}
		}
	}
	if valueOf, is := readsOne(n); is {
		return one(claim{of: valueOf, op: "==", value: !not})
	}
	return one(claim{of: n.String(), not: not})
}

func waysIn(left ast.Node, list *ast.ArrayNode, not bool) (ways [][]claim, ok bool) {
	var all []claim
	for _, each := range list.Nodes {
		v, constant := literal(each)
		if !constant {
			return [][]claim{{{of: left.String() + " in " + list.String(), not: not}}}, true
		}
		op := "=="
		if not {
			op = "!="
		}
		all = append(all, claim{of: left.String(), op: op, value: v})
	}
	if not {
		return [][]claim{all}, true
	}
	for _, c := range all {
		ways = append(ways, []claim{c})
	}
	return ways, len(ways) <= mostWays
}

var opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func comparison(n *ast.BinaryNode, not bool) (claim, bool) {
	op, of := n.Operator, n.Left
	v, constant := literal(n.Right)
	if !constant {
		if v, constant = literal(n.Left); !constant {
			return claim{}, false
		}
		op, of = mirrored[op], n.Right
	}
	if _, alsoConstant := literal(of); alsoConstant {
		return claim{}, false
	}
	if not {
		op = opposites[op]
	}
	return claim{of: of.String(), op: op, value: v}, true
}

// literal is a constant of an expression.
func literal(n ast.Node) (any, bool) {
	switch n := n.(type) {
	case *ast.NilNode:
		return nil, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode:
		return float64(n.Value), true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.UnaryNode:
		if v, ok := literal(n.Node); ok && n.Operator == "-" {
			f, isNumber := v.(float64)
			return -f, isNumber
		}
	}
	return nil, false
}

// readsOne says that a node is a value of the context and nothing else.
func readsOne(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, true
	case *ast.MemberNode:
		return n.String(), true
	}
	return "", false
}

func constantOf(v any) any {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		if err != nil {
			return nil
		}
		return f
	}
	return v
}

// contradiction says why claims cannot be true together; "" when they may.
func (c *checker) contradiction(claims []claim) string {
	claims = counted(claims)
	for i, a := range claims {
		for _, b := range claims[:i] {
			if a.of != b.of {
				continue
			}
			if (a.op == "") != (b.op == "") {
				continue
			}
			if a.op == "" && a.not != b.not {
				return phrase("%s cannot be true and false", a.of)
			}
			if a.op != "" && excludes(a, b) {
				return phrase("%s and %s exclude each other", b, a)
			}
		}
	}
	for _, a := range claims {
		d := c.domainOf(pathOf(a.of))
		if d == nil || a.op == "" {
			continue
		}
		f, isNumber := a.value.(float64)
		switch {
		case a.op == "==" && a.value != nil:
			if why := d.refuses(a.of, a.value); why != "" {
				return why
			}
		case isNumber && d.most != nil && (a.op == ">" && f >= *d.most || a.op == ">=" && f > *d.most),
			isNumber && d.least != nil && (a.op == "<" && f <= *d.least || a.op == "<=" && f < *d.least):
			return d.why(a.of)
		case a.value != nil && len(d.values) > 0 && !slices.ContainsFunc(d.values, func(v any) bool {
			is := claim{of: a.of, op: "==", value: v}
			return !slices.ContainsFunc(claims, func(b claim) bool { return b.of == a.of && b.op != "" && excludes(is, b) })
		}):
			return d.why(a.of)
		}
	}
	return ""
}

// fixedText is what a template without values of the run always makes.
func (c *checker) fixedText(template string) (string, bool) {
	if !strings.Contains(template, "{{") {
		return template, true
	}
	w, err := newWordings(template, c.vars)
	if err != nil || len(w.keys) > 0 {
		return "", false
	}
	text, err := w.fill(nil)
	return text, err == nil
}

// counted says of counts, which are never below 0, what their bounds come to.
func counted(claims []claim) []claim {
	claims = slices.Clone(claims)
	for i, a := range claims {
		f, isNumber := a.value.(float64)
		if !isNumber || !strings.HasPrefix(a.of, "size(") && !strings.HasPrefix(a.of, "len(") && !strings.HasPrefix(a.of, "count(") {
			continue
		}
		switch {
		case a.op == "<" && f > 0 && f <= 1, a.op == "<=" && f >= 0 && f < 1:
			claims[i].op, claims[i].value = "==", 0.0
		case a.op == ">" && f >= 0 && f < 1, a.op == ">=" && f > 0 && f <= 1:
			claims[i].op, claims[i].value = "!=", 0.0
		case a.op == "<" && f <= 0, a.op == "<=" && f < 0, a.op == "==" && f < 0:
			return []claim{{of: a.of, op: "==", value: true}, {of: a.of, op: "==", value: false}} // there is no such count
		}
	}
	return claims
}

func (a claim) String() string {
	value := "nil"
	switch v := a.value.(type) {
	case string:
		value = strconv.Quote(v)
	case float64:
		value = strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		value = strconv.FormatBool(v)
	}
	return a.of + " " + a.op + " " + value
}

// excludes says that two claims about the same value cannot both be true.
func excludes(a, b claim) bool {
	if a.op == "!=" {
		a, b = b, a
	}
	if b.op == "!=" {
		return a.op == "==" && a.value == b.value
	}
	if a.op == "==" && b.op == "==" {
		return a.value != b.value
	}
	if b.op == "==" {
		a, b = b, a
	}
	y, ok := b.value.(float64)
	if a.op == "==" {
		x, isNumber := a.value.(float64)
		if !ok {
			return false // texts are ordered, too
		}
		return !isNumber || !compare(x, b.op, y)
	}
	x, isNumber := a.value.(float64)
	if !ok || !isNumber {
		return false
	}
	lower, upper := math.Inf(-1), math.Inf(1)
	open := false
	for _, each := range []struct {
		op string
		v  float64
	}{{a.op, x}, {b.op, y}} {
		switch strings.TrimSuffix(each.op, "=") {
		case ">":
			if each.v > lower || each.v == lower && each.op == ">" {
				lower = each.v
			}
		case "<":
			upper = min(upper, each.v)
		}
		open = open || len(each.op) == 1
	}
	return lower > upper || lower == upper && open
}

func compare(x float64, op string, y float64) bool {
	switch op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

// refuses says why the value cannot be this one; "" when it may.
func (d *domain) refuses(of string, v any) string {
	if f, ok := v.(float64); ok && (d.least != nil && f < *d.least || d.most != nil && f > *d.most) {
		return d.why(of)
	}
	if d.values == nil {
		return ""
	}
	for _, each := range d.values {
		text, isText := v.(string)
		known, alsoText := each.(string)
		if each == v || d.ignoreCase && isText && alsoText && strings.EqualFold(strings.TrimSpace(text), strings.TrimSpace(known)) {
			return ""
		}
	}
	return d.why(of)
}

// pathOf is the path of a value as when writes it; "" for anything that is no value of
// the context.
func pathOf(written string) string {
	path := strings.NewReplacer("?.", ".", `["`, ".", `"]`, "", "[", ".", "]", "").Replace(written)
	if strings.ContainsAny(path, " ()#\"'") {
		return ""
	}
	return path
}

// domainOf is what is known of a value that one node writes; nil for nothing.
func (c *checker) domainOf(path string) *domain {
	if path == "" {
		return nil
	}
	if key := keyOf(path); key == errorKey || slices.Contains(c.words, key) { // no node writes these
		list := kindsOf[path]
		if list == nil {
			return nil
		}
		return &domain{values: anyOf(list), why: func(of string) string { return phrase("%s is one of %s", of, strings.Join(list, ", ")) }}
	}
	d, known := c.domains[path]
	if !known {
		d = c.findDomain(path)
		c.domains[path] = d
	}
	return d
}

func (c *checker) findDomain(path string) *domain {
	key, rest, more := strings.Cut(path, ".")
	if key == "vars" && more {
		if v, declared := c.vars[rest]; declared {
			return v.domain()
		}
		return nil
	}
	by := c.writer(key)
	if by == nil || by.After != "" || c.sets(key) || c.sets(by.Output) {
		return nil
	}
	switch {
	case by.Kind == KindHuman && !more && by.Answer != nil:
		return by.Answer.domain()
	case by.Kind == KindHuman && !more && len(by.Answers) > 0:
		return oneOf(anyOf(by.Answers))
	case by.Kind == KindRouter && !more:
		out := []any{"none"}
		for _, choice := range by.Choices {
			out = append(out, choice.To)
		}
		return oneOf(out)
	case by.Kind == KindTransform && !more && by.Template != "":
		if text, same := c.fixedText(by.Template); same {
			return &domain{values: []any{text}, why: func(of string) string { return phrase("%s is always %s, as the graph says", of, show(text)) }}
		}
		return nil
	case by.Kind == KindTransform && more && by.Set != nil:
		if v, constant := inside(by.Set, rest); constant && !handsIn(v) && plainScalar(v) {
			return &domain{values: []any{constantOf(plainValue(v))}, why: func(of string) string { return phrase("%s is always %s, as the graph says", of, show(v)) }}
		}
		return nil
	case by.Kind == KindValidate && rest == "verdict":
		return oneOf([]any{"valid", "invalid"})
	case by.Schema != nil && more:
		return schemaDomain(json.RawMessage(by.Schema), rest)
	case by.Schema == nil && more && presets[by.Kind].schema != nil:
		return schemaDomain(presets[by.Kind].schema, rest)
	}
	return nil
}

// sets says that a rule, or what stands before a prompt, writes the key as well.
func (c *checker) sets(key string) (is bool) {
	outputs(c.nodes, "", 0, func(n *Node, _ string) { is = is || n.Before[key] != nil })
	return is || slices.ContainsFunc(c.ruled, func(r Rule) bool { return r.Set[key] != nil && (r.Event == BeforeNode || r.Event == AfterNode) })
}

func plainScalar(v any) bool {
	switch plainValue(v).(type) {
	case string, json.Number, bool:
		return true
	}
	return false
}

func oneOf(values []any) *domain {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = words(v)
	}
	return &domain{values: values, why: func(of string) string {
		return phrase("%s is one of %s, as the graph says", of, strings.Join(list, ", "))
	}}
}

func (v *Value) domain() *domain {
	d := &domain{least: v.Minimum, most: v.Maximum, why: v.known}
	for _, each := range v.Enum {
		d.values = append(d.values, constantOf(plainValue(each)))
	}
	switch {
	case v.Type == "boolean":
		d.values = []any{true, false}
	case v.Type == "integer" && len(d.values) == 0 && v.Minimum != nil && v.Maximum != nil && *v.Maximum-*v.Minimum < mostValues:
		for i := math.Ceil(*v.Minimum); i <= *v.Maximum; i++ {
			d.values = append(d.values, i)
		}
	}
	return d
}

// schemaDomain is what a schema says of a member of an object.
func schemaDomain(raw json.RawMessage, path string) *domain {
	for {
		member, rest, more := strings.Cut(path, ".")
		var s struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(raw, &s) != nil || s.Properties[member] == nil {
			return nil
		}
		raw = s.Properties[member]
		if !more {
			break
		}
		path = rest
	}
	var s struct {
		Type    string   `json:"type"`
		Enum    []any    `json:"enum"`
		Minimum *float64 `json:"minimum"`
		Maximum *float64 `json:"maximum"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	switch {
	case len(s.Enum) > 0:
		return oneOf(s.Enum)
	case s.Type == "boolean":
		return oneOf([]any{true, false})
	case (s.Type == "number" || s.Type == "integer") && (s.Minimum != nil || s.Maximum != nil):
		v := Value{Type: s.Type, Minimum: s.Minimum, Maximum: s.Maximum}
		return v.domain()
	}
	return nil
}
