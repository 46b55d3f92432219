package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
	"holdpoint/engine/prompt"
)

// rule is a compiled When: an expression, or a test of one value.
type rule struct {
	text       string
	expression *expression.Expression
	path       string
	test       func(v any, ok bool) bool
	numbers    bool // the test compares numbers and says nothing of other values
	exists     bool // the test asks whether there is a value
}

// holds answers; the error says why a rule that does not hold could not be decided.
func (r rule) holds(context map[string]json.RawMessage) (bool, error) {
	if r.expression != nil {
		return r.expression.Eval(context)
	}
	v, ok := lookup(context, r.path)
	switch {
	case !ok && !r.exists:
		return false, fmt.Errorf("%w: %s has no value", expression.ErrAbsent, r.path)
	case r.numbers && number(v) == nil:
		return false, fmt.Errorf("%w: %s is not a number", expression.ErrUndecided, r.path)
	}
	return r.test(v, ok), nil
}

// condition makes the rule one of edges. A rule that cannot be decided does not hold;
// one of a safety edge does, unless what it asks for is not there at all.
func (r rule) condition(safety bool) graph.Condition {
	decide := func(context map[string]json.RawMessage) bool {
		ok, err := r.holds(context)
		if err != nil {
			return safety && !errors.Is(err, expression.ErrAbsent)
		}
		return ok
	}
	key := keyOf(r.path)
	counts := key == runKey
	if r.expression != nil {
		counts = slices.ContainsFunc(r.expression.Operands(), func(o expression.Operand) bool { return o.Name == runKey })
	}
	switch {
	case counts:
		return graph.WhenCounts(r.text, prompt.Context, r.text, func(context map[string]json.RawMessage, now graph.Counts) bool {
			return decide(withCounters(context, now, 0))
		})
	case r.expression != nil:
		return graph.WhenContext(r.text, prompt.Context, r.text, decide)
	}
	return graph.WhenKey(r.text, prompt.Context, key, r.text, func(raw json.RawMessage) bool {
		if raw == nil {
			return decide(nil)
		}
		return decide(map[string]json.RawMessage{key: raw})
	})
}

func (w *When) compile(vars map[string]Value) (rule, error) {
	if w.Expression != "" {
		e, err := compileExpression(w.Expression, vars, true)
		if err != nil {
			return rule{}, err
		}
		return rule{text: e.String(), expression: e}, nil
	}
	r := rule{path: w.Key}
	tests := 0
	add := func(text string, test func(v any, ok bool) bool) {
		tests++
		r.text, r.test = w.Key+" "+text, test
	}
	if w.Equals != nil {
		want, _ := decode(json.RawMessage(w.Equals))
		add("= "+clip(words(want), 60), func(v any, ok bool) bool { return ok && same(v, want) })
	}
	if w.Not != nil {
		want, _ := decode(json.RawMessage(w.Not))
		add("≠ "+clip(words(want), 60), func(v any, ok bool) bool { return !ok || !same(v, want) })
	}
	if w.Contains != "" {
		add("contains "+clip(w.Contains, 60), func(v any, ok bool) bool {
			if list, isList := v.([]any); isList {
				for _, each := range list {
					if same(each, w.Contains) {
						return true
					}
				}
				return false
			}
			return ok && strings.Contains(strings.ToLower(words(v)), strings.ToLower(w.Contains))
		})
	}
	if w.Matches != "" {
		re, err := regexp.Compile(w.Matches)
		if err != nil {
			return r, errors.New(phrase("%s is not a regular expression: %s", "matches", err))
		}
		add("matches "+clip(w.Matches, 60), func(v any, ok bool) bool { return ok && re.MatchString(words(v)) })
	}
	if w.Exists != nil {
		want, text := *w.Exists, "exists"
		r.exists = true
		if !want {
			text = "does not exist"
		}
		add(text, func(_ any, ok bool) bool { return ok == want })
	}
	if w.Above != nil {
		bound := new(big.Rat).SetFloat64(*w.Above)
		r.numbers = true
		add(fmt.Sprintf("> %v", *w.Above), func(v any, ok bool) bool { n := number(v); return ok && n != nil && n.Cmp(bound) > 0 })
	}
	if w.Below != nil {
		bound := new(big.Rat).SetFloat64(*w.Below)
		r.numbers = true
		add(fmt.Sprintf("< %v", *w.Below), func(v any, ok bool) bool { n := number(v); return ok && n != nil && n.Cmp(bound) < 0 })
	}
	if tests != 1 {
		return r, errors.New(phrase("a rule has one of equals, not, contains, matches, exists, above and below; give exactly one"))
	}
	return r, nil
}

// same compares values; texts without regard to case and space around them.
func same(a, b any) bool {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(y))
		}
	}
	if x, y := number(a), number(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	return reflect.DeepEqual(a, b)
}

// number is the value of a number; nil for anything else and for numbers whose
// exponent would take the machine's memory.
func number(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok || len(n) > 400 {
		return nil
	}
	switch f, err := n.Float64(); {
	case err != nil:
		return nil
	case f == 0: // also what is too small to tell from it
		return new(big.Rat)
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil
	}
	return r
}

var unknownField = regexp.MustCompile(`^(?:unknown field|type .* has no field) (\w+)`)

// inExpression says of a field that nobody declared what there is.
func (c *checker) inExpression(message string) string {
	m := unknownField.FindStringSubmatch(message)
	switch {
	case m == nil:
		return message
	case strings.HasPrefix(message, "type string "):
		return phrase("a text has no members, so there is no %s", m[1])
	case strings.HasPrefix(message, "type int "), strings.HasPrefix(message, "type float64 "):
		return phrase("a number has no members, so there is no %s", m[1])
	case strings.HasPrefix(message, "type bool "):
		return phrase("true and false have no members, so there is no %s", m[1])
	}
	names := append(sortedKeys(c.vars), "iterations", "node_iterations", "tokens", "seconds", "rounds", "node", "stage", "message", "kind")
	return misnamed("", m[1], names,
		"there is no %s here; did you mean %s? Vars are declared under vars, run has iterations, node_iterations, tokens, seconds and rounds, and error has node, stage, message and kind",
		"there is no %s here; vars are declared under vars, run has iterations, node_iterations, tokens, seconds and rounds, and error has node, stage, message and kind")
}

func (c *checker) when(w *When, path string) {
	if w == nil {
		return
	}
	if w.Expression != "" {
		c.expressions++
		e, err := c.expression(w.Expression)
		if c.expressions > maxExpressions {
			e, err = nil, nil
		}
		c.expressionAt(w, e, err, path)
		return
	}
	if _, err := w.compile(c.vars); err != nil {
		c.bad(path, "%s", err)
		return
	}
	c.key(w.Key, path+".key")
	if word, rest, more := strings.Cut(w.Key, "."); more && c.members[word] != nil {
		if name := keyOf(rest); !slices.Contains(c.members[word], name) {
			c.bad(path+".key", "%s", noMember(word, name, c.members[word]))
		}
	}
	c.statusTest(w, path)
}

// expressionAt checks what an expression reads.
func (c *checker) expressionAt(w *When, e *Expression, err error, path string) {
	var at *expression.Error
	switch {
	case e == nil && err == nil:
		if !c.many {
			c.bad(path, "the file has more than %d expressions; split the graph into smaller ones", maxExpressions)
		}
		c.many = true
		return
	case errors.As(err, &at):
		c.found = append(c.found, c.d.atCharacter(path, w.Expression, at.At, "%s", c.inExpression(at.Message)))
		return
	case err != nil:
		c.bad(path, "%s", err)
		return
	}
	c.statusIn(e, path, w.Expression)
	c.membersIn(e, path, w.Expression)
	c.fits(e, path, w.Expression, 0)
	c.ofRoutes(e, path, w.Expression, 0)
	for _, o := range e.Operands() {
		c.gone(o.Name, path)
		if message := c.unwritten(o.Name); message != "" {
			c.found = append(c.found, c.d.atCharacter(path, w.Expression, o.At, "%s", message))
		}
	}
}
