package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/rule"
	"holdpoint/store"
)

const (
	rulesKey = "rules"       // setting: a person's rules, in their order
	firedKey = "rules_fired" // setting: RuleFired by rule
)

// RuleFired is when a rule fired last.
type RuleFired struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Turn    string    `json:"turn"`
	Verdict string    `json:"verdict"`
	Tool    string    `json:"tool,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// RuleView is a rule as the screens list it.
type RuleView struct {
	rule.Rule
	// Source is platform, user, or skill:NAME.
	Source string     `json:"source"`
	Fired  *RuleFired `json:"fired,omitempty"`
}

// ownRules are a person's rules.
func (a *App) ownRules() ([]rule.Rule, error) {
	own := []rule.Rule{}
	_, err := a.Store.Setting(rulesKey, &own)
	return own, err
}

// rules are all that turns are judged by. A set that cannot be read is an error: no turn
// goes on without it.
func (a *App) rules() (*rule.Set, error) {
	own, err := a.ownRules()
	var set *rule.Set
	if err == nil {
		set, err = rule.Compile(rule.With(own)...)
	}
	if err != nil {
		return nil, &Fault{Code: "rules", Message: "The rules cannot be read: " + err.Error(), Hint: "Look at holdpoint rules list; remove the rule that is broken, or put it right.",
			Safe: "Nothing was run: no turn goes on without its rules.", HTTP: 409, err: err}
	}
	return set, nil
}

// Rules lists all rules in the order in which they are asked.
func (a *App) Rules() ([]RuleView, error) {
	own, err := a.ownRules()
	if err != nil {
		return nil, err
	}
	fired := map[string]RuleFired{}
	if _, err := a.Store.Setting(firedKey, &fired); err != nil {
		return nil, err
	}
	a.firedMu.Lock()
	maps.Copy(fired, a.fired)
	a.firedMu.Unlock()
	out := []RuleView{}
	for _, g := range rule.With(own) {
		for _, r := range g.Rules {
			v := RuleView{Rule: r, Source: g.Source}
			if f, ok := fired[r.Name]; ok {
				v.Fired = &f
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// wrongRules makes the fault of a file of rules with mistakes.
func wrongRules(err error) error {
	var found rule.Mistakes
	if !errors.As(err, &found) {
		return err
	}
	f := &Fault{Code: "bad_request", Message: "The rules have mistakes: " + strings.TrimPrefix(err.Error(), "rule: "),
		Hint: "Correct them; holdpoint rules --help describes the format.", Safe: "Nothing was changed.", HTTP: 400}
	for _, m := range found {
		f.Problems = append(f.Problems, Problem{Line: m.Line, Column: m.Column, Path: m.Path, Message: m.Message})
	}
	return f
}

// ReadRules reads a file of rules.
func ReadRules(text string) ([]rule.Rule, error) {
	rules, err := rule.Parse([]byte(text))
	return rules, wrongRules(err)
}

// AddRules adds the rules of a file; one of a name that is there already takes its place.
// It returns their names.
func (a *App) AddRules(text string, by Proof) ([]string, error) {
	if err := a.standsFor(by); err != nil {
		return nil, err
	}
	rules, err := ReadRules(text)
	if err != nil {
		return nil, err
	}
	names := []string{}
	err = a.changeRules(func(own []rule.Rule) ([]rule.Rule, error) {
		for _, r := range rules {
			names = append(names, r.Name)
			if i := slices.IndexFunc(own, func(have rule.Rule) bool { return have.Name == r.Name }); i >= 0 {
				own[i] = r
			} else {
				own = append(own, r)
			}
		}
		return own, nil
	})
	return names, err
}

// SwitchRule switches a rule on or off. One of the program's becomes a person's.
func (a *App) SwitchRule(name string, off bool, by Proof) error {
	if err := a.standsFor(by); err != nil {
		return err
	}
	return a.changeRules(func(own []rule.Rule) ([]rule.Rule, error) {
		for i := range own {
			if own[i].Name == name {
				own[i].Off = off
				return own, nil
			}
		}
		for _, r := range rule.Seeds() {
			if r.Name == name {
				r.Off = off
				return append(own, r), nil
			}
		}
		return nil, a.noRule(name)
	})
}

// RemoveRule removes a person's rule; one of the program's that it replaced is there again.
func (a *App) RemoveRule(name string, by Proof) error {
	if err := a.standsFor(by); err != nil {
		return err
	}
	if err := a.changeRules(func(own []rule.Rule) ([]rule.Rule, error) {
		rest := slices.DeleteFunc(slices.Clone(own), func(r rule.Rule) bool { return r.Name == name })
		switch {
		case len(rest) < len(own):
			return rest, nil
		case slices.ContainsFunc(rule.Seeds(), func(r rule.Rule) bool { return r.Name == name }):
			return nil, Bad("The rule "+name+" comes with Holdpoint and cannot be removed.", "Switch it off, or add a rule of the same name in its place.")
		}
		return nil, a.noRule(name)
	}); err != nil {
		return err
	}
	return a.forgetFired(name, "", "")
}

// noRule is for a name that no rule of the list has; one of a skill goes with its skill.
func (a *App) noRule(name string) error {
	skills, err := a.Skills()
	if err != nil {
		return err
	}
	for _, s := range skills {
		if slices.ContainsFunc(s.Rules, func(r rule.Rule) bool { return r.Name == name }) {
			return Bad(fmt.Sprintf("The rule %s belongs to the skill %s and cannot be changed by itself.", name, s.Name), "It holds wherever that skill is used; holdpoint skills show "+s.Name+" prints it.")
		}
	}
	return notFound(fmt.Sprintf("There is no rule %q.", name), "holdpoint rules list names them.")
}

func (a *App) changeRules(change func(own []rule.Rule) ([]rule.Rule, error)) error {
	a.rulesMu.Lock()
	defer a.rulesMu.Unlock()
	own, err := a.ownRules()
	if err != nil {
		return err
	}
	if own, err = change(own); err != nil {
		return err
	}
	if _, err := rule.Compile(rule.With(own)...); err != nil {
		return wrongRules(err)
	}
	if err := a.Store.PutSetting(rulesKey, own); err != nil {
		return err
	}
	a.hub.notify(Notice{Kind: NoticeState})
	return nil
}

// RuleTest is what rules say about one occasion of a file.
type RuleTest struct {
	Event   rule.Event    `json:"event"`
	Verdict rule.Verdict  `json:"verdict"`
	Fired   []rule.Firing `json:"fired"`
}

// TestRules asks rules about occasions, one JSON object each, without running anything.
// "" tests those that are in force.
func (a *App) TestRules(text string, occasions []rule.Occasion) ([]RuleTest, error) {
	set, err := a.rules()
	if text != "" {
		var rules []rule.Rule
		if rules, err = ReadRules(text); err != nil {
			return nil, err
		}
		set, err = rule.Compile(rule.Group{Source: rule.User, Rules: rules})
	}
	if err != nil {
		return nil, err
	}
	out := make([]RuleTest, len(occasions))
	for i, o := range occasions {
		said := set.Judge(o)
		out[i] = RuleTest{Event: o.Event, Verdict: said.Verdict(), Fired: said.Fired}
		if said.Fired == nil {
			out[i].Fired = []rule.Firing{}
		}
	}
	return out, nil
}

// heardRule keeps when a rule fired; it is on disk when the next turn begins, or the app
// closes: the journal has it at once.
func (a *App) heardRule(e *journal.Event) {
	d, err := journal.Read[journal.RuleFiredData](*e)
	if err != nil {
		return // the journal has it, in words of another version
	}
	a.firedMu.Lock()
	defer a.firedMu.Unlock()
	if a.fired == nil {
		a.fired = map[string]RuleFired{}
	}
	a.fired[d.Rule] = RuleFired{At: e.At, Session: e.Session, Turn: e.Turn, Verdict: e.Status, Tool: e.Tool, Error: e.Error}
}

// keepFired writes when rules fired and skills were loaded.
func (a *App) keepFired() {
	a.firedMu.Lock()
	defer a.firedMu.Unlock()
	err := errors.Join(keepNews(a, firedKey, a.fired), keepNews(a, loadedKey, a.loaded))
	if err != nil {
		a.log.Warn("when rules fired and skills were loaded was not kept", "code", AsFault(err).Code)
		return
	}
	a.fired, a.loaded = nil, nil
}

// keepNews writes news into a setting that holds them by name.
func keepNews[T any](a *App, key string, news map[string]T) error {
	if len(news) == 0 {
		return nil
	}
	return changeNews(a, key, func(all map[string]T) bool { maps.Copy(all, news); return true })
}

// changeNews writes the setting anew if change says that it did change it.
func changeNews[T any](a *App, key string, change func(map[string]T) bool) error {
	all := map[string]T{}
	if _, err := a.Store.Setting(key, &all); err != nil || !change(all) {
		return err
	}
	return a.Store.PutSetting(key, all)
}

// OccasionsOf reads occasions: one JSON object a line, or a list.
func OccasionsOf(text string) ([]rule.Occasion, error) {
	var list []rule.Occasion
	bad := func(n int, err error) error {
		return Bad(fmt.Sprintf("Occasion %d cannot be read: %v", n, err), `Write one JSON object a line, for example {"event":"before_tool_call","tool":{"name":"x","capabilities":["read"]},"args":{}}.`)
	}
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, bad(1, err)
		}
	} else {
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			var o rule.Occasion
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				return nil, bad(len(list)+1, err)
			}
			list = append(list, o)
		}
	}
	for i, o := range list {
		if !slices.Contains(rule.Events, o.Event) {
			return nil, bad(i+1, fmt.Errorf("event %q is none of %v", o.Event, rule.Events))
		}
	}
	return list, nil
}

// forgetFired deletes when a rule fired last, and when a skill was loaded last: of one that is removed by its name, or
// in a session.
func (a *App) forgetFired(rule, skill, session string) error {
	a.firedMu.Lock()
	defer a.firedMu.Unlock()
	goes := func(name string, f RuleFired) bool { return name == rule || f.Session == session && session != "" }
	also := func(name string, l SkillLoaded) bool { return name == skill || l.Session == session && session != "" }
	maps.DeleteFunc(a.fired, goes)
	maps.DeleteFunc(a.loaded, also)
	err := errors.Join(dropNews(a, firedKey, goes), dropNews(a, loadedKey, also))
	if errors.Is(err, store.ErrDamaged) {
		return nil // check names it, and it holds nothing up
	}
	return err
}

// dropNews is keepNews for what is to go.
func dropNews[T any](a *App, key string, drop func(string, T) bool) error {
	return changeNews(a, key, func(all map[string]T) bool {
		before := len(all)
		maps.DeleteFunc(all, drop)
		return len(all) < before
	})
}
