package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"holdpoint/engine/rule"
	"holdpoint/engine/tool"
)

// Shelf are the skills of a turn. It is immutable; a nil one is empty.
type Shelf struct {
	skills []*Skill // by name
	jail   Jail
}

// NewShelf puts skills on a shelf; of two with one name the later counts.
func NewShelf(jail Jail, skills ...*Skill) *Shelf {
	s := &Shelf{jail: jail}
	for _, x := range skills {
		s.skills = slices.DeleteFunc(s.skills, func(have *Skill) bool { return have.Name == x.Name })
		s.skills = append(s.skills, x)
	}
	slices.SortFunc(s.skills, func(a, b *Skill) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// Get finds a skill by name; nil for none.
func (s *Shelf) Get(name string) *Skill {
	for _, x := range s.Only([]string{name}) {
		return x
	}
	return nil
}

// Only are the skills with these names, sorted; "*" is all.
func (s *Shelf) Only(names []string) (out []*Skill) {
	if s == nil {
		return nil
	}
	for _, x := range s.skills {
		if slices.Contains(names, "*") || slices.Contains(names, x.Name) {
			out = append(out, x)
		}
	}
	return out
}

// Tiers of a skill that was loaded.
const (
	Defined  = 2 // its definition
	Complete = 3 // its artifacts, too
)

// Injected is the record that a skill was loaded in a turn: nothing is loaded twice.
type Injected struct {
	Skill  string `json:"skill"`
	Digest string `json:"digest"`
	Tier   int    `json:"tier"`
}

// Latest is the newest record of a skill; ok is false when it was not loaded.
func Latest(list []Injected, name string) (found Injected, ok bool) {
	for _, x := range list {
		if x.Skill == name {
			found, ok = x, true
		}
	}
	return found, ok
}

// Names are the skills that were loaded, each once, in the order of loading.
func Names(list []Injected) (out []string) {
	for _, x := range list {
		if !slices.Contains(out, x.Skill) {
			out = append(out, x.Skill)
		}
	}
	return out
}

// Listing is the first tier for a prompt: the skills that can be selected and how; "" for
// none.
func Listing(selectable []*Skill) string {
	if len(selectable) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Skills hold knowledge and tools that you do not have yet. Where one of them is needed for the task, write SKILL_SELECT:{name} on a line of its own, for example SKILL_SELECT:{" +
		selectable[0].Name + "}, and nothing else; it is loaded then and you go on. Skills:")
	for _, s := range selectable {
		fmt.Fprintf(&b, "\n- %s: %s", s.Name, s.Description)
	}
	return b.String()
}

var selection = regexp.MustCompile(`SKILL_SELECT:\s*\{?([a-z][a-z0-9_-]{0,63})\}?`)

// Selected finds which of the selectable skills a model's words select, each once.
func Selected(text string, selectable []*Skill) (out []*Skill) {
	for _, m := range selection.FindAllStringSubmatch(text, 32) {
		i := slices.IndexFunc(selectable, func(s *Skill) bool { return s.Name == m[1] })
		if i >= 0 && !slices.Contains(out, selectable[i]) {
			out = append(out, selectable[i])
		}
	}
	return out
}

// Message is what a loaded skill tells the model: its definition, its artifacts as far as
// room goes, in characters, and what is known of what the turn is about. tier says how far
// it came.
func (s *Skill) Message(room int, entities string) (text string, tier int) {
	var b strings.Builder
	fmt.Fprintf(&b, "=== Skill Activated: %s ===\n## Description\n%s\n", s.Title, s.Description)
	if s.Definition != "" {
		b.WriteString("\n" + s.Definition + "\n")
	}
	tier = Defined
	left := room - b.Len()
	whole := true
	for _, a := range s.Artifacts {
		if a.Text == "" {
			continue
		}
		if len(a.Text) > left {
			whole = false
			fmt.Fprintf(&b, "\n## Artifact: %s\n(too long to be loaded here)\n", a.Name)
			continue
		}
		fmt.Fprintf(&b, "\n## Artifact: %s\n%s\n", a.Name, strings.TrimSpace(a.Text))
		left -= len(a.Text)
	}
	if whole && len(s.Artifacts) > 0 {
		tier = Complete
	}
	if entities != "" {
		fmt.Fprintf(&b, "\n## Entity Context\n%s\n", entities)
	}
	return strings.TrimSpace(b.String()), tier
}

// Origin names the skill in approvals.
func (s *Skill) Origin() string { return "skill " + s.Name + "@" + s.Digest }

// RuleGroup are the rules of a loaded skill.
func (s *Skill) RuleGroup() rule.Group {
	return rule.Group{Source: "skill:" + s.Name, Rules: s.Rules}
}

// Manifest routes the names that loaded skills offer: to the program's tools, and to their
// own blocks. Names that nobody has are missing.
type Manifest struct {
	Tools   []tool.Tool
	Missing []string // "SKILL: NAME"
}

// Manifest of loaded skills. A block never takes the place of a tool of the program, and
// the first of two skills with a block of one name has it.
func (s *Shelf) Manifest(loaded []*Skill, program *tool.Set) Manifest {
	var m Manifest
	seen := map[string]bool{}
	for _, x := range loaded {
		for _, name := range x.Tools {
			t, err := program.Get(name)
			switch {
			case seen[name]:
			case err != nil || slices.Contains(Reserved, name):
				m.Missing = append(m.Missing, x.Name+": "+name)
			default:
				seen[name] = true
				m.Tools = append(m.Tools, t)
			}
		}
		for _, b := range x.Blocks {
			if b.Hidden {
				continue
			}
			if _, err := program.Get(b.Name); err == nil || seen[b.Name] {
				m.Missing = append(m.Missing, x.Name+": "+b.Name+" (another has this name)")
				continue
			}
			seen[b.Name] = true
			m.Tools = append(m.Tools, s.tool(x, b))
		}
	}
	return m
}

// tool is a block as a tool. One that declares no capability counts as mutating: each of
// its calls waits for a person.
func (s *Shelf) tool(x *Skill, b Block) tool.Tool {
	run := func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		out, err := s.jail.Run(ctx, x, b, args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}
	t := tool.Tool{Name: b.Name, Description: b.Description, Parameters: b.Parameters, Capabilities: b.Capabilities, Origin: x.Origin()}
	if len(b.Capabilities) == 0 {
		t.Outside = func(ctx context.Context, _ tool.Env, args json.RawMessage, _ string) (json.RawMessage, error) {
			return run(ctx, args)
		}
	} else {
		t.Read = func(ctx context.Context, _ tool.Env, args json.RawMessage) (json.RawMessage, error) {
			return run(ctx, args)
		}
	}
	return t
}

// Call runs a block by name: it finds it, checks the arguments, and runs it in the jail.
func (s *Shelf) Call(ctx context.Context, name string, args json.RawMessage) (Output, error) {
	for _, x := range s.Only([]string{"*"}) {
		for _, b := range x.Blocks {
			if b.Name != name {
				continue
			}
			set, err := tool.NewSet(s.tool(x, b))
			if err != nil {
				return Output{}, err
			}
			if args, err = set.Check(name, args); err != nil {
				return Output{}, err
			}
			return s.jail.Run(ctx, x, b, args)
		}
	}
	return Output{}, fmt.Errorf("%w: no skill has a block %q", ErrSkill, clip(name))
}
