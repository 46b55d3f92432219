package app

import (
	"holdpoint/app/tongue"
	"holdpoint/engine/safety"
)

// RegionView is a region as a person chooses it, with whom to call there.
type RegionView struct {
	Code      string `json:"code"`
	Name      string `json:"name"`
	Emergency string `json:"emergency"`
	// Source is where the emergency number is published.
	Source string `json:"source"`
	// Deaf and Silent say how to call without hearing or speaking; "" for nothing known.
	Deaf   string         `json:"deaf,omitempty"`
	Silent string         `json:"silent,omitempty"`
	Lines  []HelpLineView `json:"lines"`
}

// HelpLineView is a line in words.
type HelpLineView struct {
	For    []safety.Topic `json:"for"`
	Name   string         `json:"name"`
	Text   string         `json:"text"`
	Source string         `json:"source"`
	// Cost is "freephone", "no_credit" or "" where nothing reliable was found.
	Cost        string `json:"cost,omitempty"`
	Unconfirmed bool   `json:"unconfirmed,omitempty"`
}

// HelpLines are the regions with their lines, International first, in a language.
func HelpLines(g tongue.Tongue) []RegionView {
	in := safety.Language(g)
	var out []RegionView
	for _, r := range safety.Regions() {
		v := RegionView{Code: r.Code, Name: r.Name.In(in), Emergency: r.Emergency.In(in), Source: r.Emergency.Source.In(in),
			Deaf: r.Deaf.In(in), Silent: r.Silent.In(in), Lines: []HelpLineView{}}
		for _, l := range r.Lines {
			v.Lines = append(v.Lines, HelpLineView{l.For, l.Name.In(in), l.In(in), l.Source.In(in), l.Cost, l.Unconfirmed})
		}
		out = append(out, v)
	}
	return out
}

// HelpQuery asks for the reviewed text of a finding in another region: a person who
// chooses a region beside a card wants its numbers there and then.
type HelpQuery struct {
	Category string `json:"category"`
	Speaker  string `json:"speaker"`
	Language string `json:"language"`
	Region   string `json:"region"`
	// CheckIn asks for the text above a reply instead of the one in its place.
	CheckIn bool `json:"check_in"`
	// Informal addresses the person as one does a young one.
	Informal bool `json:"informal"`
	// Child adds lines for children, and for those who fear to hurt one.
	Child bool `json:"child"`
}

// HelpText is the reviewed text; nothing in it is generated.
func HelpText(q HelpQuery) (string, error) {
	h := safety.Help{Category: safety.Category(q.Category), Speaker: safety.Speaker(q.Speaker), Language: safety.Language(q.Language), Region: q.Region, Informal: q.Informal, Child: q.Child}
	if q.CheckIn {
		return h.CheckIn(), nil
	}
	text, ok := h.Intervention()
	if !ok {
		return "", Bad("There is no such kind of danger.", "Use a category of package safety.")
	}
	return text, nil
}
