package rule

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/expression"
)

// maxFile bounds a file of rules, in bytes.
const maxFile = 256 << 10

// fields are all that a rule can have.
var fields = []string{"name", "description", "event", "agents", "tools", "when", "verdict", "reason", "checkpoint", "reviewer", "question", "off"}

// Parse reads a file of rules: a list, or a mapping with the list under rules. The error
// is of type Mistakes and names the line and column of each.
func Parse(text []byte) ([]Rule, error) {
	if len(text) > maxFile {
		return nil, Mistakes{{Character: -1, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(text), maxFile)}}
	}
	p := &parser{text: text, places: map[string]place{}}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0 {
		return nil, Mistakes{{Line: 1, Column: 1, Character: -1, Message: "the file is empty; write a list of rules, each with name, event and verdict"}}
	} else if err != nil {
		return nil, Mistakes{syntax(err)}
	}
	if err := dec.Decode(&more); err == nil {
		return nil, Mistakes{{Line: more.Line, Column: more.Column, Character: -1, Message: "a second document begins here; put all rules into one list"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, Mistakes{syntax(err)}
	}
	rules := p.file(root.Content[0])
	if len(p.found) == 0 {
		for _, m := range Check(rules, "rules") {
			p.found = append(p.found, p.place(m))
		}
	}
	if len(p.found) > 0 {
		slices.SortStableFunc(p.found, func(a, b Mistake) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
		return nil, p.found[:min(len(p.found), 100)]
	}
	return rules, nil
}

type parser struct {
	text   []byte
	places map[string]place
	found  Mistakes
}

type place struct{ line, column int }

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntax takes the line out of the library's error.
func syntax(err error) Mistake {
	text := strings.Join(strings.Fields(err.Error()), " ")
	m := Mistake{Line: 1, Column: 1, Character: -1, Message: text}
	if found := syntaxLine.FindStringSubmatch(text); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			m.Line = n
		}
		m.Message = found[2]
	}
	m.Message = "this is not YAML: " + clip(m.Message) + "; check indentation, quotes and colons near here"
	return m
}

func (p *parser) bad(n *yaml.Node, path, format string, args ...any) {
	p.found = append(p.found, Mistake{Line: n.Line, Column: n.Column, Path: path, Character: -1, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) note(n *yaml.Node, path string) { p.places[path] = place{n.Line, n.Column} }

func (p *parser) file(n *yaml.Node) []Rule {
	if n.Kind == yaml.MappingNode {
		var inner *yaml.Node
		p.each(n, "", []string{"rules"}, func(_ string, v *yaml.Node) { inner = v })
		if inner == nil {
			if len(p.found) == 0 {
				p.bad(n, "", "rules is missing; write the list of rules under it")
			}
			return nil
		}
		n = inner
	}
	p.note(n, "rules")
	if n.Kind != yaml.SequenceNode {
		p.bad(n, "rules", "this is not a list; begin each rule with - name:")
		return nil
	}
	out := make([]Rule, len(n.Content))
	for i, item := range n.Content {
		p.one(item, fmt.Sprintf("rules[%d]", i), &out[i])
	}
	return out
}

// each goes through a mapping's known keys.
func (p *parser) each(n *yaml.Node, path string, known []string, do func(key string, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.bad(n, path, "this must have fields: %s", strings.Join(known, ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+k.Value, ".")
		switch {
		case k.Kind != yaml.ScalarNode || !slices.Contains(known, k.Value):
			p.bad(k, at, "there is no field %q here%s", clip(k.Value), expression.Suggest(k.Value, known))
		case seen[k.Value]:
			p.bad(k, at, "%s stands twice; keep one of them", k.Value)
		case v.Kind == yaml.AliasNode || v.Anchor != "" || v.Style&yaml.TaggedStyle != 0:
			p.bad(v, at, "anchors, aliases and tags are not read; write the value out")
		default:
			seen[k.Value] = true
			p.note(v, at)
			do(k.Value, v)
		}
	}
}

func (p *parser) one(n *yaml.Node, path string, r *Rule) {
	p.note(n, path)
	p.each(n, path, fields, func(key string, v *yaml.Node) {
		at := path + "." + key
		switch key {
		case "name":
			p.scalar(v, at, &r.Name)
		case "description":
			p.scalar(v, at, &r.Description)
		case "event":
			var text string
			p.scalar(v, at, &text)
			r.Event = Event(text)
		case "agents":
			p.list(v, at, &r.Agents)
		case "tools":
			p.list(v, at, &r.Tools)
		case "when":
			p.scalar(v, at, &r.When)
		case "verdict":
			var text string
			p.scalar(v, at, &text)
			r.Verdict = Verdict(text)
		case "reason":
			p.scalar(v, at, &r.Reason)
		case "checkpoint":
			p.scalar(v, at, &r.Checkpoint)
		case "question":
			p.scalar(v, at, &r.Question)
		case "off":
			if v.ShortTag() != "!!bool" || v.Decode(&r.Off) != nil {
				p.bad(v, at, "off is true or false")
			}
		case "reviewer":
			r.Reviewer = &Reviewer{}
			p.each(v, at, []string{"name", "role"}, func(key string, v *yaml.Node) {
				to := &r.Reviewer.Name
				if key == "role" {
					to = &r.Reviewer.Role
				}
				p.scalar(v, at+"."+key, to)
			})
		}
	})
}

// scalar reads a text; a condition may be written true.
func (p *parser) scalar(n *yaml.Node, path string, into *string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || strings.TrimSpace(n.Value) == "" {
		p.bad(n, path, "this must be a text")
		return
	}
	*into = n.Value
}

// list reads texts; one alone is a list of one.
func (p *parser) list(n *yaml.Node, path string, into *[]string) {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for i, item := range items {
		text := ""
		at := fmt.Sprintf("%s[%d]", path, i)
		p.note(item, at)
		p.scalar(item, at, &text)
		*into = append(*into, text)
	}
}

// place gives a mistake its line and column: inside a condition that of the character,
// where the file writes the condition as it reads.
func (p *parser) place(m Mistake) Mistake {
	for at := m.Path; ; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		spot, ok := p.places[at]
		if ok {
			m.Line, m.Column = spot.line, spot.column
		}
		if ok || at == "" {
			break
		}
	}
	if m.Character < 0 || m.Line == 0 {
		return m
	}
	lines := bytes.Split(p.text, []byte("\n"))
	line := []rune(string(bytes.TrimPrefix(lines[min(m.Line, len(lines))-1], []byte("\xef\xbb\xbf"))))
	switch rest := string(line[min(m.Column-1, len(line)):]); {
	case strings.HasPrefix(rest, "|"), strings.HasPrefix(rest, ">"), strings.Contains(rest, `\`):
		m.Message = fmt.Sprintf("at character %d: %s", m.Character+1, m.Message)
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		m.Column += 1 + m.Character
	default:
		m.Column += m.Character
	}
	return m
}

// YAML writes rules as a file that Parse reads.
func YAML(rules []Rule) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(map[string][]Rule{"rules": rules}); err != nil {
		return nil, fmt.Errorf("rule: %w", err)
	}
	return b.Bytes(), nil
}
