package filing

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

//go:embed skills
var skillFiles embed.FS

// comeAlong are the skills that come with the agent, sorted by name.
var comeAlong = sync.OnceValues(func() ([]*skill.Skill, error) {
	files, err := fs.Sub(skillFiles, "skills")
	if err != nil {
		return nil, err
	}
	return skill.All(files)
})

// core are the tools of every kind.
var core = []string{EntityResolve, ContextAssemble}

// skillRoom bounds what one skill tells the model, in characters.
const skillRoom = 9000

// loaded are the skills of the record that are there and hold, in the order of loading.
func loaded(t *graph.Task, d *turn.Dependencies) (out []*skill.Skill) {
	dropped := ChannelDropped.Get(t.State)
	for _, name := range skill.Names(ChannelRecord.Get(t.State)) {
		if s := d.Skills.Get(name); s != nil && !slices.Contains(dropped, name) {
			out = append(out, s)
		}
	}
	return out
}

// selectable are the skills that the model may ask for: all that are there, less those
// that were injected. An agent without a domain has none.
func (f flow) selectable(t *graph.Task, d *turn.Dependencies) []*skill.Skill {
	if !f.kind.selects {
		return nil
	}
	injected := skill.Names(ChannelRecord.Get(t.State))
	return slices.DeleteFunc(slices.Clone(d.Skills.Only([]string{"*"})), func(s *skill.Skill) bool { return slices.Contains(injected, s.Name) })
}

// visible are the tools of now: the core and what loaded skills offer, each once, or the
// fixed list of a kind without skills.
func (f flow) visible(t *graph.Task, d *turn.Dependencies) (set *tool.Set, fromSkills int, err error) {
	if d.Tools == nil {
		return nil, 0, fmt.Errorf("filing: %w: the tools are not at hand", tool.ErrUnknown)
	}
	var list []tool.Tool
	for _, name := range slices.Concat(core, f.kind.fixed) {
		tl, err := d.Tools.Get(name)
		if err != nil {
			return nil, 0, err
		}
		if slices.Contains(f.kind.fixed, name) {
			tl = bare(tl)
		}
		list = append(list, tl)
	}
	for _, tl := range d.Skills.Manifest(loaded(t, d), d.Tools).Tools {
		if !slices.ContainsFunc(list, func(have tool.Tool) bool { return have.Name == tl.Name }) {
			list = append(list, tl)
			fromSkills++
		}
	}
	set, err = tool.NewSet(list...)
	return set, fromSkills, err
}

// rules are those of the turn with those of loaded skills. The rules of the skills that
// come with the program stay, also where a person's skill has taken the name of one, or
// offers its tools: what a form waits for is not for a skill to leave out.
func rules(t *graph.Task, d *turn.Dependencies) (*rule.Set, error) {
	list := loaded(t, d)
	if len(list) == 0 {
		return d.Rules, nil
	}
	builtin, err := comeAlong()
	if err != nil {
		return nil, err
	}
	for _, s := range builtin {
		if !slices.ContainsFunc(list, func(have *skill.Skill) bool { return have.Name == s.Name && have.Digest == s.Digest }) {
			list = append(list, s)
		}
	}
	var groups []rule.Group
	for _, s := range list {
		if len(s.Rules) > 0 {
			groups = append(groups, s.RuleGroup())
		}
	}
	return d.Rules.With(groups...)
}

// changed pauses a node when a skill is not what it was when it was injected; a person
// says whether to go on with what it is now. Else the turn goes on without it.
func (f flow) changed(t *graph.Task, d *turn.Dependencies) (*graph.Result, error) {
	for _, name := range skill.Names(ChannelRecord.Get(t.State)) {
		was, _ := skill.Latest(ChannelRecord.Get(t.State), name)
		now := d.Skills.Get(name)
		if slices.Contains(ChannelDropped.Get(t.State), name) || now != nil && now.Digest == was.Digest {
			continue
		}
		question, digest := fmt.Sprintf("The skill %s has changed since this turn loaded it. Go on with what it is now?", name), "gone"
		if now == nil {
			question = fmt.Sprintf("The skill %s, which this turn loaded, is not there any more. Go on without it?", name)
		} else {
			digest = now.Digest
		}
		approved, _, pause := call.Ask(t, "skill."+string(t.Run.ID)+"."+name+"."+digest, rule.Firing{Rule: "skill_changed", Question: question}, true)
		switch {
		case pause != nil:
			return &graph.Result{Pauses: []graph.Pause{*pause}}, nil
		case !approved || now == nil:
			return &graph.Result{Patch: graph.Patch{ChannelDropped.Set(append(slices.Clone(ChannelDropped.Get(t.State)), name))}, Reenter: skillChanged}, nil
		}
		in, err := f.load(t, d, []*skill.Skill{now})
		if err != nil {
			return nil, err
		}
		return &graph.Result{Patch: in.patch, Events: in.events, Reenter: skillChanged}, nil
	}
	return nil, nil
}

// skillChanged is the reason to enter a node again.
const skillChanged = "skill_changed"

// choose reads which skills the model's last words select.
func (f flow) choose(_ context.Context, t *graph.Task) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	names := []string{}
	for _, s := range skill.Selected(ChannelDraft.Get(t.State), f.selectable(t, d)) {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return leave(SkillSelect, ApprovalNode, "no skill was selected", ChannelSelected.Set(names), awaits(t)), nil
	}
	return leave(SkillSelect, SkillInject, "selected "+strings.Join(names, ", "), ChannelSelected.Set(names)), nil
}

// inject loads the selected skills, each once.
func (f flow) inject(_ context.Context, t *graph.Task) (graph.Result, error) {
	d, err := turn.DependenciesOf(t)
	if err != nil {
		return graph.Result{}, err
	}
	injected := skill.Names(ChannelRecord.Get(t.State))
	selected := slices.DeleteFunc(d.Skills.Only(ChannelSelected.Get(t.State)), func(s *skill.Skill) bool { return slices.Contains(injected, s.Name) })
	in, err := f.load(t, d, selected)
	if err != nil {
		return graph.Result{}, err
	}
	r := leave(SkillInject, "", "", append(in.patch, ChannelInjected.Set(true), ChannelNews.Set(true), awaits(t))...)
	r.Events = in.events
	return r, nil
}

type injection struct {
	patch  graph.Patch
	events []journal.Event
}

// load injects skills: definition, artifacts and what is known of the records, with the
// mark in the record that keeps them from being injected again.
func (f flow) load(t *graph.Task, d *turn.Dependencies, skills []*skill.Skill) (injection, error) {
	var in injection
	list, messages := slices.Clone(ChannelRecord.Get(t.State)), slices.Clone(ChannelSkillMessages.Get(t.State))
	active := maps.Clone(ChannelActive.Get(t.State))
	if active == nil {
		active = map[string]int{}
	}
	known, refs, err := entityContext(t)
	if err != nil {
		return in, err
	}
	for _, s := range skills {
		text, tier := s.Message(skillRoom, known)
		messages = slices.DeleteFunc(messages, func(m string) bool { return strings.HasPrefix(m, "=== Skill Activated: "+s.Title+" ===") })
		for _, c := range s.Contexts {
			if c := strings.TrimSpace(c.Text); !slices.Contains(messages, c) {
				messages = append(messages, c)
			}
		}
		messages = append(messages, text)
		list, active[s.Name] = append(list, skill.Injected{Skill: s.Name, Digest: s.Digest, Tier: tier}), tier
		m := d.Skills.Manifest([]*skill.Skill{s}, d.Tools)
		told := journal.SkillLoadedData{Skill: s.Name, Title: s.Title, Digest: s.Digest, Tier: tier, Missing: m.Missing}
		for _, tl := range m.Tools {
			told.Tools = append(told.Tools, tl.Name)
		}
		in.events = append(in.events, journal.Event{}.With(told))
	}
	entities := slices.Clone(ChannelEntities.Get(t.State))
	for _, ref := range refs {
		if !slices.Contains(entities, ref) {
			entities = append(entities, ref)
		}
	}
	in.patch = graph.Patch{ChannelRecord.Set(list), ChannelSkills.Set(skill.Names(list)), ChannelActive.Set(active), ChannelSkillMessages.Set(messages), ChannelEntities.Set(entities)}
	return in, nil
}

// inHand is the record that the turn is about: that of the session, else the one that
// working memory saw last.
func inHand(t *graph.Task) record.Ref {
	ref := turn.SubjectOf(t)
	if recent := ChannelRecent.Get(t.State); ref.ID == "" && len(recent) > 0 {
		ref, _ = record.ParseRef(recent[len(recent)-1]) // working memory holds references
	}
	if ref.ID == "" {
		if recent := turn.WorkingOf(t).Recent; len(recent) > 0 {
			ref, _ = record.ParseRef(recent[len(recent)-1]) // likewise
		}
	}
	return ref
}

// entityContext is what the records say of the record in hand and of what it is linked to,
// in lines, with their references.
func entityContext(t *graph.Task) (text string, refs []string, err error) {
	ref := inHand(t)
	if ref.ID == "" {
		return "", nil, nil
	}
	err = recordRows.View(t, func(tx record.Tx) error {
		r, err := tx.Record(ref)
		if err != nil {
			return nil // it is not there: the tools say so when they are asked
		}
		all := []record.Ref{ref}
		linked := record.References(r)
		for _, typ := range subjects {
			for _, to := range linked {
				if to.Type == typ && to != ref {
					all = append(all, to)
				}
			}
		}
		var lines []string
		for _, at := range all {
			r, err := tx.Record(at)
			if err != nil {
				continue // an operator that nobody imported
			}
			title, about := wells.Describe(r, t.Now())
			lines, refs = append(lines, fmt.Sprintf("%s: %s (%s)", at.Type, model.OneLine(title, 120), model.OneLine(strings.TrimSpace(at.ID+", "+about), 240))), append(refs, at.String())
		}
		text = strings.Join(lines, "\n")
		return nil
	})
	return text, refs, err
}
