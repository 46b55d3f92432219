package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/app/tongue"
	"holdpoint/engine/identity"
	"holdpoint/engine/library"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/safety"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// Settings are a person's choices, kept in the store.
type Settings struct {
	// Region is a code of package safety; International until a person has chosen one:
	// the same digits are another line in another country.
	Region string `json:"region"`
	// RegionChosen says that a person chose the region. Older stores don't know: there
	// the region that was the default then counts as not chosen.
	RegionChosen bool    `json:"region_chosen"`
	Threshold    float64 `json:"threshold"` // of the completeness gate, above 0 and up to 1
	// Context are the context tools of an agent's turns, by agent; all that it has for one
	// that is not listed.
	Context  map[string][]string `json:"context,omitempty"`
	Reviewer string              `json:"reviewer"`
	// People are reviewers with their roles, by name; rules name roles.
	People map[string][]string `json:"people,omitempty"`
	Theme  string              `json:"theme"` // system, light, dark
	// Language is that of the screens and of exports, en or fr; "" for that of the system.
	Language string `json:"language"`
	Density  string `json:"density"` // comfortable, compact
	// Network allows a model server that is not on this machine, and pulls of models.
	Network bool `json:"network"`
	// OllamaURL is where to look for a server before the default port; --ollama comes first.
	OllamaURL string `json:"ollama_url"`
	// Zone is the clinic's time zone, e.g. Europe/London; "" for that of this machine.
	Zone string `json:"zone"`
	// OwnZone is this machine's zone when the folder was first opened, which counts where
	// Zone is "": a laptop that travels does not move the clinic's appointments.
	OwnZone  string `json:"own_zone,omitempty"`
	Practice bool   `json:"practice"`
	// Memory remembers conversations across sessions, from MemorySince on: what was said
	// while it was off is not remembered.
	Memory      bool      `json:"memory"`
	MemorySince time.Time `json:"memory_since,omitzero"`
	// Manner is how the practice model behaves: "" as asked, stubborn, wrong or slow.
	Manner model.Manner `json:"practice_manner,omitempty"`
	Main   string       `json:"main"` // model names by role; empty for the first that fits
	Light  string       `json:"light"`
	Embed  string       `json:"embed"`
	// TokenPrice is what a million tokens of the model cost, in US dollars; 0 for one that
	// runs here.
	TokenPrice float64 `json:"token_price,omitempty"`
	// Features are what a person switched on beside the usual, by name, with no restart.
	Features map[string]bool `json:"features,omitempty"`
	// Collections are the folders or files of the library that an audience's advice may come
	// from, by audience.
	Collections map[string]string `json:"collections,omitempty"`
	// Checkpoints say how long holds wait and for whom, by checkpoint type.
	Checkpoints rule.Terms `json:"checkpoints,omitempty"`
	// Budgets are what turns may use, by agent and, behind a dot, by type.
	Budgets map[string]Budget `json:"budgets,omitempty"`
	// Facts are those of agents that a person confirmed, by agent and id.
	Facts map[string]map[string]tool.Fact `json:"facts,omitempty"`
	// Mappings are what a person chose for the columns of sources that records are
	// imported from, by source.
	Mappings map[string]record.Choice `json:"mappings,omitempty"`
}

const settingsKey = "settings"

func defaults() Settings {
	return Settings{Region: safety.International, Threshold: 0.4, Theme: "system", Density: "comfortable"}
}

// Settings reads the choices.
func (a *App) Settings() (Settings, error) { return settingsOf(a.Store) }

func settingsOf(db *store.DB) (Settings, error) {
	s := defaults()
	_, err := db.Setting(settingsKey, &s)
	if !s.RegionChosen {
		if s.Region == oldDefaultRegion {
			s.Region = safety.International
		}
		s.RegionChosen = s.Region != safety.International
	}
	return s, err
}

// oldDefaultRegion is what older versions stored for people who had chosen nothing.
const oldDefaultRegion = "US"

// Set changes one choice by its JSON name.
func (a *App) Set(key string, value json.RawMessage) error { return a.SetBy(Proof{}, key, value) }

// SetBy is Set for a change that somebody stands for: of people's roles, or of holds.
func (a *App) SetBy(by Proof, key string, value json.RawMessage) error {
	if strings.HasPrefix(key, peopleKey) || strings.HasPrefix(key, checkpointKey) {
		if err := a.standsFor(by); err != nil {
			return err
		}
	}
	// Who says that a fact holds is kept with it, so that name is theirs.
	if strings.HasPrefix(key, factKey) && by.Name != "" {
		if _, err := a.keyFor(by.Name, by.Passphrase); err != nil {
			var f *Fault
			if errors.As(err, &f) {
				said := *f
				said.Safe = "Nothing was changed."
				return &said
			}
			return err
		}
	}
	if err := a.keepChoice(by.Name, key, value); err != nil {
		return err
	}
	if key == "network" || key == "ollama_url" {
		a.Models.lookAgain()
	}
	a.hub.notify(Notice{Kind: NoticeState})
	return nil
}

// regionCode is the code of the region that is named by its code or by its country's name in a
// language of the screens, in letters of either case.
func regionCode(name string) (code string, ok bool) {
	name = strings.TrimSpace(name)
	for _, l := range []safety.Language{safety.English, safety.French} {
		for _, r := range safety.RegionNames(l) {
			if strings.EqualFold(r.Code, name) || strings.EqualFold(r.Name, name) {
				return r.Code, true
			}
		}
	}
	return "", false
}

// keepChoice keeps one choice, and with it those that are made at the same time. who is the
// person that chose, "" where nobody said.
func (a *App) keepChoice(who, key string, value json.RawMessage) error {
	a.choosing.Lock()
	defer a.choosing.Unlock()
	s, err := a.Settings()
	if err != nil {
		return err
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	switch key {
	case "region":
		code, ok := regionCode(text)
		if !ok {
			return Bad(fmt.Sprintf("There is no region %q.", text), "Choose one of those that holdpoint helplines lists, by its code or its country's name.")
		}
		s.Region, s.RegionChosen = code, true
	case "threshold":
		if s.Threshold, err = strconv.ParseFloat(text, 64); err != nil || !(s.Threshold > 0 && s.Threshold <= 1) {
			return Bad("The threshold is a number above 0 and up to 1.", "The default is 0.4.")
		}
	case "token_price":
		if s.TokenPrice, err = strconv.ParseFloat(text, 64); err != nil || !(s.TokenPrice >= 0 && s.TokenPrice <= 10_000) {
			return Bad("The price of a million tokens is a number of dollars from 0 to 10,000.", "Write 0 for a model on this laptop.")
		}
	case "reviewer":
		if s.Reviewer, err = nameIfAny(text); err != nil {
			return err
		}
	case "theme":
		if !slices.Contains([]string{"system", "light", "dark"}, text) {
			return Bad("A theme is system, light or dark.", "Choose one of them.")
		}
		s.Theme = text
	case "language":
		if text == "system" {
			text = ""
		}
		if text != "" && !slices.Contains(tongue.All, text) {
			return Bad(fmt.Sprintf("Holdpoint does not speak %q.", text), "Languages are en and fr; system is that of this laptop.")
		}
		s.Language = text
	case "density":
		if !slices.Contains([]string{"comfortable", "compact"}, text) {
			return Bad("A density is comfortable or compact.", "Choose one of them.")
		}
		s.Density = text
	case "network":
		on, ok := map[string]bool{"on": true, "true": true, "off": false, "false": false}[text]
		if !ok {
			return Bad("Network use is on or off.", "Write on or off.")
		}
		s.Network = on
	case "ollama_url":
		if text != "" {
			if _, err := model.NewServer(text); err != nil {
				return Bad(err.Error(), "Write it as http://127.0.0.1:11434, or leave it empty.")
			}
		}
		s.OllamaURL = text
	case "zone":
		if err := a.keepZone(text); err != nil {
			return err
		}
		s.Zone, s.OwnZone = text, ""
		if text == "" {
			s.OwnZone = a.Zone()
		}
	case "practice":
		if text == "false" || text == "" {
			s.Practice, s.Manner = false, model.Willing
			break
		}
		if s.Manner, err = model.ParseManner(text); err != nil {
			return Bad(fmt.Sprintf("Practice has no manner %q.", text), "Write true or false, or how badly it is to behave: stubborn, wrong or slow.")
		}
		s.Practice = true
	case "memory":
		on, ok := map[string]bool{"on": true, "true": true, "off": false, "false": false}[text]
		if !ok {
			return Bad("Memory is on or off.", "Write on or off. "+MemorySays)
		}
		if on && !s.Memory {
			s.MemorySince = a.now()
		}
		s.Memory = on
	case "main":
		s.Main = text
	case "light":
		s.Light = text
	case "embed":
		s.Embed = text
	default:
		if id, ok := strings.CutPrefix(key, contextKey); ok {
			if err := a.chooseContext(&s, id, text); err != nil {
				return err
			}
			break
		}
		if name, ok := strings.CutPrefix(key, peopleKey); ok && strings.TrimSpace(name) != "" {
			s.giveRoles(name, text)
			break
		}
		if name, ok := strings.CutPrefix(key, featureKey); ok && slices.Contains(a.agents.features(), name) {
			on, ok := map[string]bool{"on": true, "true": true, "off": false, "false": false}[text]
			if !ok {
				return Bad("A feature is on or off.", "Write on or off.")
			}
			s.Features = with(s.Features, name, on)
			break
		}
		if audience, ok := strings.CutPrefix(key, collectionKey); ok && slices.Contains(a.agents.audiences(), audience) {
			if err := a.hasCollection(text); err != nil {
				return err
			}
			s.Collections = with(s.Collections, audience, text)
			break
		}
		if typ, ok := strings.CutPrefix(key, checkpointKey); ok {
			if err := s.setTerm(typ, text); err != nil {
				return err
			}
			break
		}
		if of, ok := strings.CutPrefix(key, budgetKey); ok {
			if err := a.setBudget(&s, of, text); err != nil {
				return err
			}
			break
		}
		if id, ok := strings.CutPrefix(key, factKey); ok {
			if err := a.confirmFact(&s, who, id, text); err != nil {
				return err
			}
			break
		}
		return Bad(fmt.Sprintf("There is no setting %q.", key), "Settings are region, threshold, context.AGENT, fact.AGENT.ID, checkpoint.TYPE, budget.AGENT.TYPE, token_price, feature.NAME, collection.AUDIENCE, reviewer, people.NAME, theme, density, language, network, ollama_url, zone, practice, memory, main, light, embed.")
	}
	if err := a.Store.PutSetting(settingsKey, s); err != nil {
		return err
	}
	a.keepBeside(s)
	return nil
}

// featureKey begins the settings that switch a feature, collectionKey those that choose a part
// of the library for an audience.
const featureKey, collectionKey = "feature.", "collection."

// hasCollection says that documents of the library come from a source, or from a folder in one;
// "" is none.
func (a *App) hasCollection(source string) error {
	if source == "" {
		return nil
	}
	a.catchUp()
	known, err := a.Library.Summary()
	if err != nil {
		return err
	}
	var names []string
	for _, s := range known.Sources {
		names = append(names, s.Source)
	}
	there := slices.Contains(names, source)
	if err := a.Library.Documents(func(d library.Document) (bool, error) {
		there = there || strings.HasPrefix(d.Path, source)
		return !there, nil
	}); err != nil {
		return err
	}
	switch {
	case there:
		return nil
	case len(names) == 0:
		return Bad(fmt.Sprintf("The library has no collection %q.", source), "The library is empty; import documents first.")
	}
	return Bad(fmt.Sprintf("The library has no collection %q.", source), "There are: "+strings.Join(names, ", ")+".")
}

// Offered are the features and the audiences with a collection of their own, as they are set:
// also those that nobody set yet.
func (a *App) Offered(s Settings) (on map[string]bool, from map[string]string) {
	on, from = map[string]bool{}, map[string]string{}
	for _, name := range a.agents.features() {
		on[name] = s.Features[name]
	}
	for _, audience := range a.agents.audiences() {
		from[audience] = s.Collections[audience]
	}
	return on, from
}

// features are all that agents have to be switched on.
func (r *Agents) features() (out []string) {
	for _, x := range r.builtIn {
		for _, f := range x.Features {
			out = append(out, f.Name)
		}
	}
	return out
}

// with is a map with a value more; the zero value takes it out.
func with[V comparable](m map[string]V, key string, value V) map[string]V {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]V{}
	}
	var none V
	if out[key] = value; value == none {
		delete(out, key)
	}
	return out
}

// peopleKey begins the settings that give a person roles.
const peopleKey = "people."

// giveRoles takes a person's roles, with commas; "" for none.
func (s *Settings) giveRoles(name, text string) {
	people := maps.Clone(s.People)
	if people == nil {
		people = map[string][]string{}
	}
	maps.DeleteFunc(people, func(have string, _ []string) bool { return rule.SameName(have, name) })
	var roles []string
	for role := range strings.SplitSeq(text, ",") {
		if role = strings.Join(strings.Fields(role), " "); role != "" {
			roles = append(roles, role)
		}
	}
	if len(roles) > 0 {
		people[strings.Join(strings.Fields(name), " ")] = roles
	}
	s.People = people
}

// rolesOf are the roles of a person, by name.
func (s Settings) rolesOf(name string) []string {
	for have, roles := range s.People {
		if rule.SameName(have, name) {
			return roles
		}
	}
	return nil
}

// contextKey begins the settings that name an agent's context tools.
const contextKey = "context."

// chooseContext takes a list of context tools for an agent: names with commas, "all" or
// "none".
func (a *App) chooseContext(s *Settings, id, text string) error {
	x, err := a.agents.find(id)
	if err != nil {
		return err
	}
	if x.Plan == nil {
		return Bad(fmt.Sprintf("The agent %q has no context tools.", id), "Choose another agent.")
	}
	chosen := maps.Clone(s.Context)
	if chosen == nil {
		chosen = map[string][]string{}
	}
	delete(chosen, id)
	if text = strings.TrimSpace(text); text != "all" && text != "" {
		list := []string{}
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "none" {
				list = append(list, name)
			}
		}
		if _, _, err := x.Plan(list); err != nil {
			return Bad(strings.TrimPrefix(err.Error(), "pipeline: "), "Context tools of "+id+" are "+strings.Join(slices.Concat(x.Phases...), ", ")+"; or all, or none.")
		}
		chosen[id] = list
	}
	s.Context = chosen
	return nil
}

// ContextWarnings says what the choice of an agent's context tools leaves without what it
// builds on.
func (a *App) ContextWarnings(id string) ([]string, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	x, err := a.agents.find(id)
	if err != nil || x.Plan == nil || s.Context[id] == nil {
		return nil, err
	}
	_, warnings, err := x.Plan(s.Context[id])
	return warnings, err
}

// warnOfContext logs, once at start, what the choices of context tools leave out.
func (a *App) warnOfContext() error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(s.Context)) {
		warnings, err := a.ContextWarnings(id)
		for _, w := range warnings {
			a.log.Warn("context tools", "agent", identity.Short(id), "warning", w)
		}
		if err != nil {
			// The turn says so, too; the app starts.
			a.log.Warn("context tools", "agent", identity.Short(id), "code", AsFault(err).Code)
		}
	}
	return nil
}
