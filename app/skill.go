package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/engine/session"
	"holdpoint/engine/skill"
	"holdpoint/store"
)

const skillsKey = "skills" // setting: keptSkill by name

// keptSkill is a person's skill as it was added.
type keptSkill struct {
	Digest  string            `json:"digest"`
	AddedAt time.Time         `json:"added_at"`
	Files   map[string][]byte `json:"files"`
}

// SkillView is a skill as the screens list it.
type SkillView struct {
	Name        string     `json:"name"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Digest      string     `json:"digest"`
	Source      string     `json:"source"` // builtin or user
	AddedAt     *time.Time `json:"added_at,omitempty"`
	// Tools are those of the program that it may call, Missing those of them that are not
	// here.
	Tools     []string    `json:"tools"`
	Missing   []string    `json:"missing"`
	Blocks    []BlockView `json:"blocks"`
	Rules     []rule.Rule `json:"rules"`
	Artifacts []string    `json:"artifacts"`
	// Definition is there when one skill is shown.
	Definition string `json:"definition,omitempty"`
	// Loaded is when a turn loaded it last.
	Loaded *SkillLoaded `json:"loaded,omitempty"`
	// Error says why it cannot be used.
	Error string `json:"error,omitempty"`
}

// BlockView is a code block of a skill.
type BlockView struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Capabilities []string        `json:"capabilities"`
	Hidden       bool            `json:"hidden,omitempty"`
	Parameters   json.RawMessage `json:"parameters"`
}

// SkillLoaded is when a skill was loaded, and how far.
type SkillLoaded struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Turn    string    `json:"turn"`
	Digest  string    `json:"digest"`
	Tier    int       `json:"tier"`
}

// keptSkills are a person's, as they are in the store.
func (a *App) keptSkills() (map[string]keptSkill, error) {
	kept := map[string]keptSkill{}
	_, err := a.Store.Setting(skillsKey, &kept)
	return kept, err
}

// opened reads a kept skill and sees that it is the one that was added.
func (k keptSkill) opened() (*skill.Skill, error) {
	s, err := skill.New(k.Files)
	if err == nil && s.Digest != k.Digest {
		err = errors.New("its files are not those that were added")
	}
	return s, err
}

// Skills are those that come with agents.
func (r *Agents) Skills() (all []*skill.Skill, err error) {
	for _, x := range r.builtIn {
		if x.Skills == nil {
			continue
		}
		some, err := x.Skills()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// shelf are the skills that turns may load. One that cannot be read is left out: a stage
// that names it says so.
func (a *App) shelf() (*skill.Shelf, error) {
	a.skillsMu.Lock()
	defer a.skillsMu.Unlock()
	if a.skills != nil {
		return a.skills, nil
	}
	all, err := a.agents.Skills()
	if err != nil {
		return nil, err
	}
	kept, err := a.keptSkills()
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		s, err := kept[name].opened()
		if err != nil {
			a.log.Warn("a skill cannot be used", "skill", identity.Short(name))
			continue
		}
		all = append(all, s)
	}
	a.skills = skill.NewShelf(skill.Jail{Command: a.jail}, all...)
	return a.skills, nil
}

// Skills lists the skills, by name.
func (a *App) Skills() ([]SkillView, error) {
	shelf, err := a.shelf()
	if err != nil {
		return nil, err
	}
	kept, err := a.keptSkills()
	if err != nil {
		return nil, err
	}
	loaded := map[string]SkillLoaded{}
	if _, err := a.Store.Setting(loadedKey, &loaded); err != nil {
		return nil, err
	}
	a.firedMu.Lock()
	maps.Copy(loaded, a.loaded)
	a.firedMu.Unlock()
	out := []SkillView{}
	for _, s := range shelf.Only([]string{"*"}) {
		out = append(out, a.viewSkill(shelf, s, kept))
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if _, err := kept[name].opened(); err != nil {
			out = append(out, SkillView{Name: name, Title: name, Digest: kept[name].Digest, Source: rule.User, Error: err.Error(), Tools: []string{}, Missing: []string{},
				Blocks: []BlockView{}, Rules: []rule.Rule{}, Artifacts: []string{}})
		}
	}
	for i := range out {
		if l, ok := loaded[out[i].Name]; ok {
			out[i].Loaded = &l
		}
	}
	return out, nil
}

func (a *App) viewSkill(shelf *skill.Shelf, s *skill.Skill, kept map[string]keptSkill) SkillView {
	v := SkillView{Name: s.Name, Title: s.Title, Description: s.Description, Digest: s.Digest, Source: BuiltIn, Tools: s.Tools, Missing: []string{}, Blocks: []BlockView{}, Rules: s.Rules, Artifacts: []string{}}
	if k, ok := kept[s.Name]; ok && k.Digest == s.Digest {
		v.Source, v.AddedAt = rule.User, &k.AddedAt
	}
	if v.Tools == nil {
		v.Tools = []string{}
	}
	if v.Rules == nil {
		v.Rules = []rule.Rule{}
	}
	for _, m := range shelf.Manifest([]*skill.Skill{s}, a.agents.tools).Missing {
		v.Missing = append(v.Missing, strings.TrimPrefix(m, s.Name+": "))
	}
	for _, b := range s.Blocks {
		caps := b.Capabilities
		if caps == nil {
			caps = []string{}
		}
		v.Blocks = append(v.Blocks, BlockView{b.Name, b.Description, caps, b.Hidden, b.Parameters})
	}
	for _, x := range s.Artifacts {
		v.Artifacts = append(v.Artifacts, x.Name)
	}
	return v
}

// Skill shows one skill with its definition.
func (a *App) Skill(name string) (SkillView, error) {
	all, err := a.Skills()
	if err != nil {
		return SkillView{}, err
	}
	i := slices.IndexFunc(all, func(v SkillView) bool { return v.Name == name })
	if i < 0 {
		return SkillView{}, noSkill(name)
	}
	shelf, err := a.shelf()
	if err != nil {
		return SkillView{}, err
	}
	if s := shelf.Get(name); s != nil {
		all[i].Definition = s.Definition
	}
	return all[i], nil
}

// unzipped is the skill in a zip file.
func unzipped(path string) (*skill.Skill, error) {
	body, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return skill.Unzip(body)
}

func noSkill(name string) error {
	return notFound(fmt.Sprintf("There is no skill %q.", name), "holdpoint skills list names them.")
}

// AddSkill adds the skill in a folder or zip file. One of the same name is replaced: what
// was asked or approved for it is void then.
func (a *App) AddSkill(path string) (SkillView, error) {
	info, err := Named(path, true)
	if err != nil {
		return SkillView{}, err
	}
	var s *skill.Skill
	if info.IsDir() {
		s, err = skill.Open(folderOf(path))
	} else {
		if info.Size() > mostZip {
			return SkillView{}, Bad("The file is too large for a skill.", "Give a folder with SKILL.md, or a zip file of one.")
		}
		s, err = unzipped(path)
	}
	if err != nil {
		return SkillView{}, wrongSkill(err)
	}
	return a.keepSkill(s)
}

// mostZip bounds a zip file, in bytes.
const mostZip = 4 << 20

// AddSkillZip adds the skill in a zip file that was uploaded.
func (a *App) AddSkillZip(body []byte) (SkillView, error) {
	s, err := skill.Unzip(body)
	if err != nil {
		return SkillView{}, wrongSkill(err)
	}
	return a.keepSkill(s)
}

func wrongSkill(err error) error {
	if !errors.Is(err, skill.ErrSkill) {
		return err
	}
	return &Fault{Code: "bad_request", Message: "The skill cannot be used: " + strings.TrimPrefix(err.Error(), skill.ErrSkill.Error()+": "),
		Hint: "holdpoint skills --help describes what is in a skill.", Safe: "Nothing was changed.", HTTP: 400, err: err}
}

func (a *App) keepSkill(s *skill.Skill) (SkillView, error) {
	err := a.changeSkills(s.Name, func(kept map[string]keptSkill) error {
		if old, ok := kept[s.Name]; !ok || old.Digest != s.Digest {
			kept[s.Name] = keptSkill{Digest: s.Digest, AddedAt: a.now(), Files: s.Files()}
		}
		return nil
	})
	if err != nil {
		return SkillView{}, err
	}
	return a.Skill(s.Name)
}

// RemoveSkill removes a person's skill; one of the program's that it replaced is there again.
func (a *App) RemoveSkill(name string) error {
	err := a.changeSkills(name, func(kept map[string]keptSkill) error {
		if _, ok := kept[name]; ok {
			delete(kept, name)
			return nil
		}
		builtin, err := a.agents.Skills()
		if slices.ContainsFunc(builtin, func(s *skill.Skill) bool { return s.Name == name }) {
			return Bad("The skill "+name+" comes with Holdpoint and cannot be removed.", "Add one of the same name to use that in its place.")
		}
		return errors.Join(noSkill(name), err)
	})
	if err != nil {
		return err
	}
	return a.forgetFired("", name, "")
}

// changeSkills changes a person's skills, and takes back what was asked for another
// version of the one that changed.
func (a *App) changeSkills(name string, change func(map[string]keptSkill) error) error {
	before, err := a.shelf()
	if err != nil {
		return err
	}
	a.skillsMu.Lock()
	kept, err := a.keptSkills()
	if err == nil {
		err = change(kept)
	}
	if err == nil {
		err = a.Store.PutSetting(skillsKey, kept)
	}
	if err == nil {
		a.skills = nil
	}
	a.skillsMu.Unlock()
	if err != nil {
		return err
	}
	after, err := a.shelf()
	if err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeState})
	was, is := before.Get(name), after.Get(name)
	if was == nil || is != nil && was.Digest == is.Digest {
		return nil
	}
	turns, err := a.turnsWith(was)
	if err != nil {
		return err
	}
	return a.void("the skill "+name+" has changed since; resume the turn to be asked again", func(ap ledger.Approval) bool {
		return turns[ap.Turn] || strings.Contains(ap.PolicyVersion, was.Origin())
	})
}

// turnsWith are the turns that wait for somebody, or were approved, and had loaded this
// version of a skill.
func (a *App) turnsWith(s *skill.Skill) (map[string]bool, error) {
	sessions := map[string]bool{}
	if err := a.Store.Shown().Read(func(tx store.Tx) error { // one that cannot be read is never used
		for _, status := range []ledger.Status{ledger.Pending, ledger.Approved} {
			if err := tx.Approvals(status, func(ap ledger.Approval) (bool, error) {
				sessions[ap.Session] = true
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	turns := map[string]bool{}
	for id := range sessions {
		var bad error
		err := a.eachEvent(id, func(e journal.Event) bool {
			if e.Kind == journal.SkillLoaded {
				var d journal.SkillLoadedData
				if d, bad = journal.Read[journal.SkillLoadedData](e); d.Skill == s.Name && d.Digest == s.Digest {
					turns[e.Turn] = true
				}
			}
			return bad == nil
		})
		if err = errors.Join(err, bad); err != nil && !errors.Is(err, session.ErrNotFound) { // deleted meanwhile
			return nil, err
		}
	}
	return turns, nil
}

// RunBlock runs a code block of a skill: it is found, its arguments are checked, and it
// runs in the jail.
func (a *App) RunBlock(ctx context.Context, name string, args json.RawMessage) (skill.Output, error) {
	shelf, err := a.shelf()
	if err != nil {
		return skill.Output{}, err
	}
	out, err := shelf.Call(ctx, name, args)
	return out, wrongSkill(err)
}

const loadedKey = "skills_loaded" // setting: SkillLoaded by name

// heardSkill keeps when a skill was loaded, as heardRule does.
func (a *App) heardSkill(e *journal.Event) {
	d, err := journal.Read[journal.SkillLoadedData](*e)
	if err != nil {
		return // the journal has it, in words of another version
	}
	a.firedMu.Lock()
	defer a.firedMu.Unlock()
	if a.loaded == nil {
		a.loaded = map[string]SkillLoaded{}
	}
	a.loaded[d.Skill] = SkillLoaded{At: e.At, Session: e.Session, Turn: e.Turn, Digest: d.Digest, Tier: d.Tier}
}
