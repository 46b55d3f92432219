package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	syntaxtree "text/template/parse"

	"github.com/expr-lang/expr/ast"

	"holdpoint/engine/expression"
	"holdpoint/engine/turn"
)

// itemKey is the item of a list that a range, or a fan-out, goes through.
const itemKey = "item"

// A template is text with actions: {{ EXPRESSION }}, {{if EXPRESSION}}, {{range EXPRESSION}}
// and {{with EXPRESSION}}, each to its {{end}}. In the older form {{.key}} stands for a
// value, with words such as upper before it. Actions with expressions become calls of
// evaluate, so that text/template does the rest.
const (
	evaluate = "__value"
	asData   = "__data"
	listed   = "__list"
)

// action is one {{…}} of a template.
type action struct {
	from, to int // in the text, braces included
	at       int // of what it says
	says     string
}

var errOpen = errors.New(phrase("the template cannot be read: an action is not closed; every {{ needs its }}"))

// actions finds those of a text, past quoted braces.
func actions(text string) (out []action, err error) {
	for from := 0; ; {
		i := strings.Index(text[from:], "{{")
		if i < 0 {
			return out, nil
		}
		a := action{from: from + i, at: from + i + 2}
		if strings.HasPrefix(text[a.at:], "- ") {
			a.at += 2
		}
		quote, end := byte(0), -1
		comment := strings.HasPrefix(strings.TrimLeft(text[a.at:], " "), "/*")
		for k := a.at; k < len(text) && end < 0; k++ {
			switch c := text[k]; {
			case comment:
				if strings.HasPrefix(text[k:], "}}") {
					end = k
				}
			case quote != 0 && c == '\\' && quote != '`':
				k++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'' || c == '`':
				quote = c
			case strings.HasPrefix(text[k:], "}}"):
				end = k
			}
		}
		if end < 0 {
			return nil, errOpen
		}
		a.to = end + 2
		a.says = strings.TrimSuffix(text[a.at:end], " -")
		lead := len(a.says) - len(strings.TrimLeft(a.says, " \t\r\n"))
		a.at, a.says = a.at+lead, strings.TrimSpace(a.says)
		out = append(out, a)
		from = a.to
	}
}

// mistakes are those of a template's expressions, in order; never none.
type mistakes []error

func (m mistakes) Error() string { return m[0].Error() }

func (m mistakes) Unwrap() []error { return m }

var errRange = errors.New(phrase("a range goes over a value of the context: {{range items}}"))

// constant says that an expression is one number or text.
func constant(n ast.Node) bool {
	switch n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
		return true
	}
	return false
}

var controlWord = regexp.MustCompile(`^(if|with|range|else if|else with)\s+`)

// translated writes a template so that text/template can read it, with the expressions in
// it. guarded puts tags around texts, for a prompt.
func (w *wordings) translated(text string, vars map[string]Value, guarded bool) (string, error) {
	list, err := actions(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var open []string
	var pieces []piece
	var wrong mistakes
	last, simple := 0, true // nothing is chosen, repeated or trimmed
	for _, a := range list {
		b.WriteString(text[last:a.from])
		each := piece{text: text[last:a.from]}
		last = a.to
		opened, closed := "{{", "}}"
		if strings.HasPrefix(text[a.from:], "{{- ") {
			opened = "{{- "
		}
		if strings.HasSuffix(text[:a.to], " -}}") {
			closed = " -}}"
		}
		word := ""
		if m := controlWord.FindStringSubmatch(a.says); m != nil {
			word = m[1]
			a.at, a.says = a.at+len(m[0]), a.says[len(m[0]):]
		}
		inItem := false
		for _, o := range open {
			if o != "if" {
				inItem = o == "range"
			}
		}
		switch {
		case word == "if" || word == "with" || word == "range":
			open = append(open, word)
		case a.says == "end" && len(open) > 0:
			open = open[:len(open)-1]
		}
		says, plain := a.says, false
		switch {
		case word == "" && controls(a.says):
			plain = true
		case !older(a.says):
			e, err := compileExpression(a.says, vars, false)
			if err != nil {
				var at *expression.Error
				if errors.As(err, &at) {
					at.At += len([]rune(text[:a.at]))
				}
				wrong = append(wrong, err)
				continue
			}
			if word == "range" && constant(e.Tree()) {
				return "", errRange
			}
			says = fmt.Sprintf("%s %d", evaluate, len(w.expressions))
			if inItem {
				says += " ."
			}
			w.expressions, w.places = append(w.expressions, e), append(w.places, len([]rune(text[:a.at])))
			each.value = e
			for _, o := range e.Operands() {
				if !inItem || o.Name != itemKey {
					w.keys = append(w.keys, o.Name)
				}
			}
		}
		if guarded && word == "" && !plain && !strings.HasPrefix(a.says, "$") && !fixedVar(a.says, vars) {
			says, each.data = asData+" ("+says+")", true
		}
		simple = simple && each.value != nil && word == "" && opened == "{{" && closed == "}}"
		pieces = append(pieces, each)
		if word == "range" {
			vars, value, assigns := strings.Cut(says, ":=")
			if !assigns {
				vars, value = "", says
			} else {
				vars += ":= "
			}
			says = vars + listed + " (" + strings.TrimSpace(value) + ")"
		}
		if word != "" {
			says = word + " " + says
		}
		b.WriteString(opened + says + closed)
	}
	if len(wrong) > 0 {
		return "", wrong
	}
	b.WriteString(text[last:])
	if simple {
		w.pieces = append(pieces, piece{text: text[last:]})
	}
	return b.String(), nil
}

// piece is a text with the value behind it, if there is one.
type piece struct {
	text  string
	value *Expression
	data  bool // the value stands between tags
}

// join is fill for a template of pieces.
func (w *wordings) join(context map[string]json.RawMessage) (string, error) {
	values := expression.Read(context)
	var b bounded
	for _, p := range w.pieces {
		if _, err := b.WriteString(p.text); err != nil {
			return "", err
		}
		if p.value == nil {
			continue
		}
		v, err := p.value.Of(values, nil)
		switch {
		case errors.Is(err, expression.ErrAbsent):
			continue
		case err != nil:
			return "", unfilled(err)
		}
		if v = printable(v); p.data {
			v = data(v)
		}
		if text, is := v.(string); is {
			_, err = b.WriteString(text)
		} else {
			_, err = fmt.Fprint(&b, v)
		}
		if err != nil {
			return "", err
		}
	}
	return noValue(b.String()), nil
}

// noValue takes out what text/template writes for a member that an object lacks: it is
// nothing to people.
func noValue(s string) string { return strings.ReplaceAll(s, "<no value>", "") }

// controls says that an action is none that gives a value.
func controls(says string) bool {
	word, _, _ := strings.Cut(says, " ")
	switch word {
	case "", "end", "else", "define", "template", "block", "break", "continue":
		return true
	}
	return strings.HasPrefix(says, "/*")
}

// older says that an action is in the form before expressions: {{.key}}, {{upper .key}}.
func older(says string) bool {
	t, err := template.New("").Funcs(templateFuncs).Parse("{{" + says + "}}")
	if err != nil {
		return strings.Contains(err.Error(), "undefined variable")
	}
	if t.Tree == nil || len(t.Root.Nodes) != 1 {
		return false
	}
	a, ok := t.Root.Nodes[0].(*syntaxtree.ActionNode)
	return ok && olderPipe(a.Pipe)
}

func olderPipe(p *syntaxtree.PipeNode) bool {
	if len(p.Decl) > 0 {
		return true
	}
	for _, c := range p.Cmds {
		if len(c.Args) > 1 && c.Args[0].Type() == syntaxtree.NodeIdentifier {
			return true // {{upper "x"}}
		}
		for _, a := range c.Args {
			switch a := a.(type) {
			case *syntaxtree.FieldNode, *syntaxtree.DotNode, *syntaxtree.VariableNode, *syntaxtree.ChainNode:
				return true
			case *syntaxtree.PipeNode:
				if olderPipe(a) {
					return true
				}
			}
		}
	}
	return false
}

// fixedVar says that an action names a var whose values are the author's words or figures.
func fixedVar(says string, vars map[string]Value) bool {
	name, is := strings.CutPrefix(strings.TrimPrefix(says, "."), "vars.")
	v, declared := vars[name]
	return is && declared && (len(v.Enum) > 0 || v.Type == "integer" || v.Type == "number" || v.Type == "boolean")
}

// reader is a template that one goroutine at a time executes: its functions read the values
// of one run.
type reader struct {
	parsed *template.Template
	values *expression.Values
}

// reader is one that nobody uses; the caller gives it back to w.readers.
func (w *wordings) reader() (*reader, error) {
	if r, ok := w.readers.Get().(*reader); ok {
		return r, nil
	}
	own, err := w.parsed.Clone()
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	r := &reader{}
	r.parsed = own.Funcs(w.functions(r))
	return r, nil
}

// functions serve the expressions of a template with what r reads.
func (w *wordings) functions(r *reader) template.FuncMap {
	return template.FuncMap{evaluate: func(i int, dot ...any) (any, error) {
		if r == nil || i < 0 || i >= len(w.expressions) {
			return nil, errors.New("there is no such expression")
		}
		var item map[string]any
		if len(dot) > 0 {
			item = map[string]any{itemKey: unprinted(dot[0])}
		}
		v, err := w.expressions[i].Of(r.values, item)
		switch {
		case errors.Is(err, expression.ErrAbsent):
			return absent(nil), nil
		case err != nil:
			return nil, err
		}
		return printable(v), nil
	}, asData: data, listed: list}
}

// unprinted undoes printable, as far as expressions need it.
func unprinted(v any) any {
	switch v := v.(type) {
	case jsonObject:
		return plainNative(map[string]any(v))
	case jsonList:
		return plainNative([]any(v))
	case absent:
		return nil
	case int64:
		return int(v)
	}
	return v
}

func plainNative(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, each := range v {
			out[k] = unprinted(each)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, each := range v {
			out[i] = unprinted(each)
		}
		return out
	}
	return v
}

// list is what a range goes over; a number would be counted up to.
func list(v any) (any, error) {
	switch v := v.(type) {
	case jsonList, jsonObject:
		return v, nil
	case nil, absent:
		return jsonList(nil), nil
	case string:
		if v == "" {
			return jsonList(nil), nil
		}
	}
	return nil, errors.New("a range goes over a list or an object")
}

// data puts what a person, a model or a tool said between tags, so that a prompt does not
// take it for instructions.
func data(v any) any {
	switch v := v.(type) {
	case nil, bool, int, int64, float64, absent:
		return v
	}
	text := fmt.Sprint(v)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "<value>" + turn.TagSafe(clip(text, maxShown)) + "</value>"
}

// whole is the expression of a text that is nothing but one.
func whole(text string, vars map[string]Value) (*Expression, bool) {
	trimmed := strings.TrimSpace(text)
	list, err := actions(trimmed)
	if err != nil || len(list) != 1 || list[0].from != 0 || list[0].to != len(trimmed) || controls(list[0].says) ||
		controlWord.MatchString(list[0].says) || older(list[0].says) {
		return nil, false
	}
	e, err := compileExpression(list[0].says, vars, false)
	return e, err == nil
}

// asItStands warns of a text that is written as if values were put into it.
func (c *checker) asItStands(text, path string) {
	if strings.Contains(text, "{{") {
		c.warn(path, "%s is not a template: {{ … }} is read as it stands", path[strings.LastIndexByte(path, '.')+1:])
	}
}

func (c *checker) template(text, path string, also ...string) {
	w, err := newWordings(text, c.vars)
	c.wordings(w, err, text, path, also)
}

// instructions checks a text that tells a model what to do.
func (c *checker) instructions(text, path string, items bool) {
	if !strings.Contains(text, "{{") {
		return
	}
	w, err := newInstructions(text, c.vars)
	var also []string
	if items {
		also = append(also, itemKey)
	}
	c.wordings(w, err, text, path, also)
}

func (c *checker) wordings(w *wordings, err error, text, path string, also []string) {
	var several mistakes
	if !errors.As(err, &several) && err != nil {
		several = mistakes{err}
	}
	for _, one := range several {
		var at *expression.Error
		if errors.As(one, &at) {
			c.found = append(c.found, c.d.atCharacter(path, text, at.At, "%s", c.inExpression(at.Message)))
		} else {
			c.bad(path, "%s", one)
		}
	}
	if err != nil {
		return
	}
	if c.expressions += len(w.expressions); c.expressions > maxExpressions && !c.many {
		c.bad(path, "the file has more than %d expressions; split the graph into smaller ones", maxExpressions)
		c.many = true
	}
	c.read[text] = w.keys
	c.statusText(text, path)
	for i, e := range w.expressions {
		c.statusIn(e, path, "")
		c.membersIn(e, path, "")
		c.fits(e, path, text, w.places[i])
		c.ofRoutes(e, path, text, w.places[i])
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(w.keys))) {
		c.gone(key, path)
	}
	for _, key := range w.keys {
		if message := c.unwritten(key); message != "" && !slices.Contains(also, key) {
			c.bad(path, "%s", message)
		}
	}
}

// templates checks the texts inside a value, each at its own place.
func (c *checker) templates(v any, path string, also ...string) {
	switch v := v.(type) {
	case string:
		c.template(v, path, also...)
	case map[string]any:
		for _, key := range sortedKeys(v) {
			c.templates(v[key], join(path, key), also...)
		}
	case []any:
		for i, each := range v {
			c.templates(each, fmt.Sprintf("%s[%d]", path, i), also...)
		}
	}
}
