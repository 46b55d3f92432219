package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/visible"
)

// ReadArguments reads arguments that a person wrote down: one object as JSON, or as YAML. In
// YAML a date stays the text that it is.
func ReadArguments(text string) (json.RawMessage, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return json.RawMessage(text), nil // as it stands: what is ambiguous in it is told
	}
	bad := func(why string) error {
		f := Bad("The arguments cannot be read: "+why, "Write one object, as YAML or JSON; holdpoint approvals arguments ID prints those that were asked for.")
		f.Code = "arguments" // as those that a tool does not take: the command was well put
		return f
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, bad("there are none.")
	case err != nil:
		return nil, bad(strings.TrimPrefix(err.Error(), "yaml: ") + ".")
	case len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode:
		return nil, bad("they are not an object.")
	}
	datesAreText(&doc)
	var v map[string]any
	if err := doc.Decode(&v); err != nil {
		return nil, bad(strings.TrimPrefix(err.Error(), "yaml: ") + ".")
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, bad("there is more than one object.")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, bad("a name in them is not text.")
	}
	return raw, nil
}

func datesAreText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		datesAreText(c)
	}
}

// WriteArguments writes arguments as YAML for a person who changes them: those that are
// there, and as comments what else may be given, by the schema of the parameters; of a form
// the boxes that nobody filled.
func WriteArguments(g tongue.Tongue, args, parameters json.RawMessage, form *agent.Form) (string, error) {
	var have map[string]any
	if err := json.Unmarshal(args, &have); err != nil {
		return "", fmt.Errorf("app: arguments: %w", err)
	}
	var b strings.Builder
	if len(have) > 0 {
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(have); err != nil {
			return "", fmt.Errorf("app: arguments: %w", err)
		}
	}
	more := &blank{}
	var p property
	if err := json.Unmarshal(parameters, &p); err != nil {
		return b.String(), nil // a tool that says nothing of what else it takes
	}
	for _, m := range p.members() {
		if _, there := have[m.name]; there {
			continue
		}
		if form != nil && m.ofBoxes() {
			more.boxes(g, m.name, form)
			continue
		}
		more.write(g, "", m)
	}
	if more.Len() > 0 {
		b.WriteString("\n# " + g.Say("Beside these may be given, without the #:") + "\n")
		for _, l := range strings.Split(strings.TrimSuffix(more.String(), "\n"), "\n") {
			b.WriteString("# " + l + "\n")
		}
	}
	return b.String(), nil
}

// property is what a JSON Schema says of one member.
type property struct {
	Type        any             `json:"type"`
	Enum        []any           `json:"enum"`
	Description string          `json:"description"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
	Items       *property       `json:"items"`
}

type member struct {
	name   string
	needed bool
	property
}

// ofBoxes says that it is a list whose rows name a box of a form each.
func (p property) ofBoxes() bool {
	return p.Items != nil && slices.ContainsFunc(p.Items.members(), func(m member) bool { return m.name == "box" })
}

// members are those of an object, in the order of its schema.
func (p property) members() (out []member) {
	dec := json.NewDecoder(bytes.NewReader(p.Properties))
	if _, err := dec.Token(); err != nil {
		return nil // it names none
	}
	for dec.More() {
		name, err := dec.Token()
		m := member{}
		if err != nil || dec.Decode(&m.property) != nil {
			return out
		}
		m.name, _ = name.(string)
		m.needed = slices.Contains(p.Required, m.name)
		out = append(out, m)
	}
	return out
}

// takes says in words what a member takes.
func (m member) takes(g tongue.Tongue) string {
	var parts []string
	if len(m.Enum) > 0 {
		words := make([]string, len(m.Enum))
		for i, x := range m.Enum {
			words[i] = fmt.Sprint(x)
		}
		parts = append(parts, strings.Join(words, ", "))
	} else if m.Type == "number" || m.Type == "integer" {
		parts = append(parts, g.Say("a number"))
	}
	if m.Description != "" {
		parts = append(parts, m.Description)
	}
	if m.needed {
		parts = append(parts, g.Say("needed"))
	}
	return visible.Line(strings.Join(parts, "; "))
}

// blank is what may be filled in.
type blank struct{ strings.Builder }

func (b *blank) line(indent, text, note string) {
	if note != "" {
		text += "  # " + note
	}
	b.WriteString(indent + text + "\n")
}

func (b *blank) write(g tongue.Tongue, indent string, m member) {
	b.line(indent, m.name+":", m.takes(g))
	within, lead := m.property, ""
	if m.Items != nil {
		within, lead = *m.Items, "- "
	}
	for i, x := range within.members() {
		at := indent + "  " + lead
		if i > 0 && lead != "" {
			at = indent + "    "
		}
		b.write(g, at, x)
	}
}

// boxes are those of a form that nobody filled.
func (b *blank) boxes(g tongue.Tongue, name string, form *agent.Form) {
	b.line("", name+":", "")
	for _, x := range form.Boxes {
		if x.Status != "missing" {
			continue
		}
		note := g.Told(x.Label)
		if x.Unit != "" {
			note += " (" + x.Unit + ")"
		}
		b.line("", fmt.Sprintf("  - box: %q", x.ID), visible.Line(note))
		b.line("", "    value:", "")
		b.line("", "    source:", "")
	}
}
