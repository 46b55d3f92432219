package definition

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	syntaxtree "text/template/parse"

	orderedmap "github.com/wk8/go-ordered-map/v2"

	"holdpoint/engine/expression"
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/turn"
)

// lookup finds a value of the context by a path: key.member.0. ok is false when
// there is none.
func lookup(context map[string]json.RawMessage, path string) (v any, ok bool) {
	key, rest, more := strings.Cut(path, ".")
	raw, ok := context[key]
	if !ok {
		return nil, false
	}
	if v, ok = decode(raw); !ok || !more {
		return v, ok
	}
	return inside(v, rest)
}

func inside(v any, path string) (any, bool) {
	if text, ok := v.(string); ok {
		// A model's JSON may arrive as text.
		if inner, found := object(text); found {
			v, _ = decode(inner)
		}
	}
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = at[step]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// What graphs read as conditions do.
var (
	decode  = expression.Decode
	object  = expression.Object
	length  = expression.Length
	suggest = expression.Suggest
)

// misnamed words a name that is not known: by near when a known one is meant, which stands
// behind the name, and by far else; both begin with what the name is of, when that is said,
// and end with what there is.
func misnamed(of, name string, known []string, near, far string, there ...any) string {
	format, values := far, []any{clip(name, 60)}
	if meant := nearest(name, known); meant != "" {
		format, values = near, append(values, meant)
	}
	if of != "" {
		values = append([]any{of}, values...)
	}
	return phrase(format, append(values, there...)...)
}

// phrase is a sentence of a mistake, or a part of one, that people read in their language.
func phrase(format string, values ...any) string { return fmt.Sprintf(format, values...) }

// words is a value as text: texts as they are, everything else as JSON.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return string(model.JSON(v))
}

// plainText is an output for people.
func plainText(raw json.RawMessage) string {
	v, ok := decode(raw)
	if !ok {
		return ""
	}
	if o, isObject := v.(map[string]any); isObject {
		for _, key := range []string{"answer", "reply", "text"} {
			if text, ok := o[key].(string); ok {
				return text
			}
		}
	}
	return words(v)
}

// inSentences is the output of a step as a person reads it who was meant to get an answer: of
// an object its texts and lists, without the rest.
func inSentences(t *graph.Task, raw json.RawMessage) string {
	text := plainText(raw)
	if len(raw) > 0 && raw[0] == '"' && turn.Plain(text) == "" {
		return prompt.NoWords(t)
	}
	if len(raw) == 0 || raw[0] != '{' || !strings.HasPrefix(text, "{") {
		return text
	}
	members := orderedmap.New[string, json.RawMessage]()
	if json.Unmarshal(raw, members) != nil {
		return text
	}
	var parts []string
	for m := members.Oldest(); m != nil; m = m.Next() {
		var said string
		var list []string
		switch {
		case json.Unmarshal(m.Value, &said) == nil:
			parts = append(parts, said)
		case json.Unmarshal(m.Value, &list) == nil && len(list) > 0:
			parts = append(parts, "- "+strings.Join(list, "\n- "))
		}
	}
	return cmp.Or(strings.Join(parts, "\n\n"), text)
}

// maxText bounds what a template makes, in bytes.
const maxText = 64 << 10

var errLong = fmt.Errorf("definition: the text of a template is longer than %d bytes", maxText)

// object and list print as JSON inside a template.
type (
	jsonObject map[string]any
	jsonList   []any
)

func (o jsonObject) String() string { return string(model.JSON(map[string]any(o))) }
func (l jsonList) String() string   { return string(model.JSON([]any(l))) }

// absent stands for a value that is not there, and for all inside it.
type absent map[string]absent

func (absent) String() string { return "" }

// printable is a value of the context, or of an expression, as text/template prints it.
func printable(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case map[string]any:
		out := make(jsonObject, len(v))
		for k, each := range v {
			out[k] = printable(each)
		}
		return out
	case []any:
		out := make(jsonList, len(v))
		for i, each := range v {
			out[i] = printable(each)
		}
		return out
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	}
	return v
}

// wordings is a template of an author. It can put values in, choose and repeat,
// and nothing else: no code runs and its output is bounded.
type wordings struct {
	parsed      *template.Template
	expressions []*Expression
	places      []int     // of expressions in the text, in characters from 0
	keys        []string  // of the context
	fields      []string  // of them, those that the older form reads
	pieces      []piece   // where nothing is chosen or repeated
	readers     sync.Pool // of *reader
	within      int       // ranges and withs that are open: fields are members there
}

var templateFuncs = template.FuncMap{
	"json":  func(v any) string { return string(model.JSON(v)) },
	"upper": func(v any) string { return strings.ToUpper(fmt.Sprint(v)) },
	"lower": func(v any) string { return strings.ToLower(fmt.Sprint(v)) },
	"trim":  func(v any) string { return strings.TrimSpace(fmt.Sprint(v)) },
	"clip":  func(n int, v any) string { return clip(fmt.Sprint(v), max(0, min(n, maxText))) },
	"join": func(by string, v any) (string, error) {
		list, ok := v.(jsonList)
		if !ok {
			return fmt.Sprint(v), nil
		}
		var b strings.Builder
		for i, each := range list {
			if i > 0 {
				b.WriteString(by)
			}
			fmt.Fprint(&b, each)
			if b.Len() > maxText {
				return "", errLong
			}
		}
		return b.String(), nil
	},
}

func newWordings(text string, vars map[string]Value) (*wordings, error) {
	return readWordings(text, vars, false)
}

// newInstructions is newWordings for a text that tells a model what to do: what it puts
// in is data.
func newInstructions(text string, vars map[string]Value) (*wordings, error) {
	return readWordings(text, vars, true)
}

func readWordings(text string, vars map[string]Value, guarded bool) (*wordings, error) {
	w := &wordings{}
	if !strings.Contains(text, "{{") {
		guarded = false
	} else {
		var err error
		if text, err = w.translated(text, vars, guarded); err != nil {
			return nil, err
		}
	}
	t, err := template.New("text").Option("missingkey=zero").Funcs(templateFuncs).Funcs(w.functions(nil)).Parse(text)
	if err != nil {
		return nil, errors.New(phrase("the template cannot be read: %s", strings.TrimPrefix(err.Error(), "template: ")))
	}
	w.parsed = t
	if t.Tree == nil {
		return w, nil
	}
	if len(t.Templates()) > 1 {
		return nil, errors.New(phrase("a template cannot define others; write it in one piece"))
	}
	return w, w.allow(t.Root, 0)
}

// allow refuses all that could run away: nested ranges, ranges over numbers,
// formatting verbs, other templates.
func (w *wordings) allow(n syntaxtree.Node, ranges int) error {
	switch n := n.(type) {
	case nil, *syntaxtree.TextNode, *syntaxtree.CommentNode:
		return nil
	case *syntaxtree.ListNode:
		if n == nil {
			return nil
		}
		for _, each := range n.Nodes {
			if err := w.allow(each, ranges); err != nil {
				return err
			}
		}
		return nil
	case *syntaxtree.ActionNode:
		return w.pipe(n.Pipe)
	case *syntaxtree.IfNode:
		return w.branch(&n.BranchNode, ranges)
	case *syntaxtree.WithNode:
		return w.branch(&n.BranchNode, ranges)
	case *syntaxtree.RangeNode:
		if ranges > 0 {
			return errors.New(phrase("a template cannot have a range inside a range"))
		}
		if !overValue(n.Pipe) {
			return errRange
		}
		return w.branch(&n.BranchNode, ranges+1)
	}
	return errors.New(phrase("%s is more than a template can do here", clip(n.String(), 60)))
}

func (w *wordings) branch(n *syntaxtree.BranchNode, ranges int) error {
	if err := w.pipe(n.Pipe); err != nil {
		return err
	}
	if n.NodeType != syntaxtree.NodeIf {
		w.within++
	}
	err := w.allow(n.List, ranges)
	if n.NodeType != syntaxtree.NodeIf {
		w.within--
	}
	return errors.Join(err, w.allow(n.ElseList, ranges))
}

// overValue says that a range goes over a value of the context.
func overValue(p *syntaxtree.PipeNode) bool {
	if len(p.Cmds) != 1 {
		return false
	}
	switch a := p.Cmds[0].Args[0].(type) {
	case *syntaxtree.FieldNode, *syntaxtree.DotNode:
		return len(p.Cmds[0].Args) == 1
	case *syntaxtree.IdentifierNode:
		if a.Ident == listed && len(p.Cmds[0].Args) == 2 {
			inner, ok := p.Cmds[0].Args[1].(*syntaxtree.PipeNode)
			return ok && overValue(inner)
		}
		return a.Ident == evaluate
	}
	return false
}

var templateWords = []string{"json", "upper", "lower", "trim", "clip", "join", "len", "index", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"}

func (w *wordings) pipe(p *syntaxtree.PipeNode) error {
	for _, c := range p.Cmds {
		for _, a := range c.Args {
			switch a := a.(type) {
			case *syntaxtree.FieldNode:
				if w.within == 0 {
					w.keys, w.fields = append(w.keys, a.Ident[0]), append(w.fields, a.Ident[0])
				}
			case *syntaxtree.IdentifierNode:
				if a.Ident != evaluate && a.Ident != asData && a.Ident != listed && !slices.Contains(templateWords, a.Ident) {
					return errors.New(phrase("a template has no %s; it has %s", clip(a.Ident, 40), strings.Join(templateWords, ", ")))
				}
			case *syntaxtree.PipeNode:
				if err := w.pipe(a); err != nil {
					return err
				}
			case *syntaxtree.VariableNode:
				if len(a.Ident) > 1 && a.Ident[0] == "$" {
					w.keys, w.fields = append(w.keys, a.Ident[1]), append(w.fields, a.Ident[1])
				}
			case *syntaxtree.DotNode, *syntaxtree.StringNode, *syntaxtree.NumberNode, *syntaxtree.BoolNode:
			default:
				return errors.New(phrase("%s is more than a template can do here", clip(a.String(), 60)))
			}
		}
	}
	return nil
}

// fill puts the values of the context in. A key without a value is empty text.
func (w *wordings) fill(context map[string]json.RawMessage) (string, error) {
	if w.pieces != nil {
		return w.join(context)
	}
	data := make(jsonObject, len(w.fields))
	for _, key := range w.fields {
		data[key] = absent(nil)
		if v, ok := lookup(context, key); ok {
			data[key] = printable(v)
		}
	}
	parsed := w.parsed
	if len(w.expressions) > 0 {
		r, err := w.reader()
		if err != nil {
			return "", err
		}
		r.values = expression.Read(context)
		defer func() {
			r.values = nil // nobody keeps what a run read
			w.readers.Put(r)
		}()
		parsed = r.parsed
	}
	var b bounded
	if err := parsed.Execute(&b, data); err != nil {
		if errors.Is(err, errLong) {
			return "", errLong
		}
		if errors.Is(err, expression.ErrUndecided) {
			return "", unfilled(err)
		}
		return "", fmt.Errorf("definition: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	return noValue(b.String()), nil
}

// unfilled is the failure of a template whose expression has no value.
func unfilled(err error) error {
	return fmt.Errorf("definition: the template cannot be filled: %s", cause(err))
}

// bounded is a writer that refuses to grow further.
type bounded struct{ strings.Builder }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, errLong
	}
	return b.Builder.Write(p)
}

func (b *bounded) WriteString(s string) (int, error) {
	if b.Len()+len(s) > maxText {
		return 0, errLong
	}
	return b.Builder.WriteString(s)
}

// filling is a value with templates in its texts, read once for all runs: it gives the value with those of a context put in.
type filling func(context map[string]json.RawMessage) (any, error)

// newFilling reads the templates inside a value. A mistake in one, which checkAll finds as well, is the failure of each filling.
func newFilling(v any, vars map[string]Value) filling {
	switch v := v.(type) {
	case string:
		if !strings.Contains(v, "{{") {
			break
		}
		// A text that is nothing but one value keeps the value's type.
		if key, ok := strings.CutPrefix(strings.TrimSpace(v), "{{."); ok {
			if key, ok = strings.CutSuffix(key, "}}"); ok && !strings.ContainsAny(key, " {}|") {
				return func(context map[string]json.RawMessage) (any, error) {
					found, _ := lookup(context, key)
					return found, nil
				}
			}
		}
		if e, ok := whole(v, vars); ok {
			return func(context map[string]json.RawMessage) (any, error) {
				found, err := e.Value(context, nil)
				if err != nil && !errors.Is(err, expression.ErrAbsent) {
					return nil, unfilled(err)
				}
				return found, nil
			}
		}
		w, err := newWordings(v, vars)
		return func(context map[string]json.RawMessage) (any, error) {
			if err != nil {
				return nil, err
			}
			return w.fill(context)
		}
	case map[string]any:
		members := make(map[string]filling, len(v))
		for k, each := range v {
			members[k] = newFilling(each, vars)
		}
		return func(context map[string]json.RawMessage) (any, error) {
			out := make(map[string]any, len(members))
			for k, fill := range members {
				var err error
				if out[k], err = fill(context); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
	case []any:
		items := make([]filling, len(v))
		for i, each := range v {
			items[i] = newFilling(each, vars)
		}
		return func(context map[string]json.RawMessage) (any, error) {
			out := make([]any, len(items))
			for i, fill := range items {
				var err error
				if out[i], err = fill(context); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
	}
	return func(map[string]json.RawMessage) (any, error) { return v, nil }
}

// checkAll finds the first template of a value that cannot be read.
func checkAll(v any, vars map[string]Value) error {
	switch v := v.(type) {
	case string:
		_, err := newWordings(v, vars)
		return err
	case map[string]any:
		for _, each := range v {
			if err := checkAll(each, vars); err != nil {
				return err
			}
		}
	case []any:
		for _, each := range v {
			if err := checkAll(each, vars); err != nil {
				return err
			}
		}
	}
	return nil
}
