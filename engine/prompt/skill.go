package prompt

import (
	"fmt"
	"slices"

	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// injected is the record of what was loaded in this run.
func (v *visit) injected() []skill.Injected {
	if len(v.n.Skills) == 0 {
		return nil
	}
	return Skills.Get(v.t.State)
}

// skills finds the node's skills, and which of them were loaded.
func (v *visit) skills() error {
	if len(v.n.Skills) == 0 {
		return nil
	}
	v.listed = v.d.Skills.Only(v.n.Skills)
	for _, name := range v.n.Skills {
		if name != "*" && !slices.ContainsFunc(v.listed, func(s *skill.Skill) bool { return s.Name == name }) {
			return fmt.Errorf("prompt: node %s: there is no skill %q; holdpoint skills list names those that are there", v.t.Stage, name)
		}
	}
	for _, name := range skill.Names(v.injected()) {
		i := slices.IndexFunc(v.listed, func(s *skill.Skill) bool { return s.Name == name })
		if i >= 0 {
			v.loaded = append(v.loaded, v.listed[i])
		}
	}
	return nil
}

// changed pauses the stage when a skill is not what it was when it was loaded: a person
// says whether to go on with what it is now.
func (v *visit) changed() *graph.Result {
	for _, s := range v.loaded {
		was, _ := skill.Latest(v.injected(), s.Name)
		if was.Digest == s.Digest {
			continue
		}
		f := rule.Firing{Rule: "skill_changed", Question: fmt.Sprintf("The skill %s has changed since this turn loaded it. Go on with what it is now?", s.Title)}
		approved, _, pause := call.Ask(v.t, "skill."+string(v.t.Run.ID)+"."+s.Name+"."+s.Digest, f, true)
		switch {
		case pause != nil:
			return &graph.Result{Pauses: []graph.Pause{*pause}}
		case !approved:
			// The turn keeps what it was told, and the tools of the skill go.
			v.loaded = slices.DeleteFunc(slices.Clone(v.loaded), func(x *skill.Skill) bool { return x == s })
			v.listed = slices.DeleteFunc(slices.Clone(v.listed), func(x *skill.Skill) bool { return x == s })
			continue
		}
		r := v.load([]*skill.Skill{s}, nil)
		return &r
	}
	return nil
}

// selectable are the node's skills that were not loaded yet.
func (v *visit) selectable() []*skill.Skill {
	return slices.DeleteFunc(slices.Clone(v.listed), func(s *skill.Skill) bool { return slices.Contains(v.loaded, s) })
}

// selects says that the model's words select skills.
func (v *visit) selects(text string) bool { return len(skill.Selected(text, v.selectable())) > 0 }

// selected loads the skills that the model's words select.
func (v *visit) selected(text string, b *bound) (graph.Result, bool) {
	found := skill.Selected(text, v.selectable())
	if len(found) == 0 {
		return graph.Result{}, false
	}
	return v.load(found, b), true
}

// load makes skills part of the conversation, marked in the record, and enters the stage
// again with them.
func (v *visit) load(found []*skill.Skill, b *bound) graph.Result {
	room := leastSkill
	if b != nil {
		room = max(room, b.info.Context*turn.CharsPerToken/4)
	}
	r := graph.Result{Reenter: SkillsSelected}
	for _, s := range found {
		text, tier := s.Message(room, v.entities())
		m := v.d.Skills.Manifest([]*skill.Skill{s}, v.program())
		told := journal.SkillLoadedData{Skill: s.Name, Title: s.Title, Digest: s.Digest, Tier: tier, Missing: m.Missing}
		for _, t := range m.Tools {
			told.Tools = append(told.Tools, t.Name)
		}
		r.Patch = append(r.Patch, Skills.Add(skill.Injected{Skill: s.Name, Digest: s.Digest, Tier: tier}), Messages.Add(model.Message{Role: "system", Text: text}))
		r.Events = append(r.Events, journal.Event{}.With(told))
	}
	*v.kept = remembered{} // tools and prompt are others now
	return r
}

// leastSkill is how much of a skill is loaded at least, in characters.
const leastSkill = 6000

// entities is what is known of what the turn is about.
func (v *visit) entities() string {
	if about := turn.SubjectOf(v.t); about.ID != "" {
		return "This turn is about " + about.String() + "."
	}
	return ""
}

func (v *visit) program() *tool.Set {
	if v.d.Tools == nil {
		return none
	}
	return v.d.Tools
}

// equip adds the tools of loaded skills to those of the node.
func (v *visit) equip() error {
	if len(v.loaded) == 0 {
		return nil
	}
	all := make([]tool.Tool, 0, v.kept.tools.Len())
	for _, o := range v.kept.tools.Offer() {
		t, err := v.kept.tools.Get(o.Name)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	for _, t := range v.d.Skills.Manifest(v.loaded, v.program()).Tools {
		if !slices.ContainsFunc(all, func(have tool.Tool) bool { return have.Name == t.Name }) {
			all = append(all, t)
		}
	}
	set, err := tool.NewSet(all...)
	v.kept.tools = set
	return err
}

// rules are those of the turn and of the loaded skills; nil when there are no more.
func (v *visit) rules() (*rule.Set, error) {
	var groups []rule.Group
	for _, s := range v.loaded {
		if len(s.Rules) > 0 {
			groups = append(groups, s.RuleGroup())
		}
	}
	if len(groups) == 0 {
		return nil, nil
	}
	return v.d.Rules.With(groups...)
}
