package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"holdpoint/engine/model"
	"holdpoint/engine/safety"
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
	Reviewer     string  `json:"reviewer"`
	Theme        string  `json:"theme"`   // system, light, dark
	Density      string  `json:"density"` // comfortable, compact
	// Network allows a model server that is not on this machine, and pulls of models.
	Network bool `json:"network"`
	// OllamaURL is where to look for a server before the default port; --ollama comes first.
	OllamaURL string `json:"ollama_url"`
	// Zone is the clinic's time zone, e.g. Europe/London; "" for that of this machine.
	Zone     string `json:"zone"`
	Practice bool   `json:"practice"`
	Main     string `json:"main"` // model names by role; empty for the first that fits
	Light    string `json:"light"`
	Embed    string `json:"embed"`
}

const settingsKey = "settings"

func defaults() Settings {
	return Settings{Region: safety.International, Threshold: 0.4, Theme: "system", Density: "comfortable"}
}

// Settings reads the choices.
func (a *App) Settings() (Settings, error) {
	s := defaults()
	_, err := a.Store.Setting(settingsKey, &s)
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
func (a *App) Set(key string, value json.RawMessage) error {
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
		if !slices.ContainsFunc(safety.Regions(), func(r safety.Region) bool { return r.Code == text }) {
			return Bad(fmt.Sprintf("There is no region %q.", text), "Choose one of the listed regions.")
		}
		s.Region, s.RegionChosen = text, true
	case "threshold":
		if s.Threshold, err = strconv.ParseFloat(text, 64); err != nil || !(s.Threshold > 0 && s.Threshold <= 1) {
			return Bad("The threshold is a number above 0 and up to 1.", "The default is 0.4.")
		}
	case "reviewer":
		s.Reviewer = text
	case "theme":
		if !slices.Contains([]string{"system", "light", "dark"}, text) {
			return Bad("A theme is system, light or dark.", "Choose one of them.")
		}
		s.Theme = text
	case "density":
		if !slices.Contains([]string{"comfortable", "compact"}, text) {
			return Bad("A density is comfortable or compact.", "Choose one of them.")
		}
		s.Density = text
	case "network":
		s.Network = text == "true"
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
		s.Zone = text
	case "practice":
		s.Practice = text == "true"
	case "main":
		s.Main = text
	case "light":
		s.Light = text
	case "embed":
		s.Embed = text
	default:
		return Bad(fmt.Sprintf("There is no setting %q.", key), "Settings are region, threshold, reviewer, theme, density, network, ollama_url, zone, practice, main, light, embed.")
	}
	if err := a.Store.PutSetting(settingsKey, s); err != nil {
		return err
	}
	if key == "network" || key == "ollama_url" {
		a.Models.lookAgain()
	}
	a.hub.notify(Notice{Kind: NoticeState})
	return nil
}
