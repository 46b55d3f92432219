package safety

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"holdpoint/engine/lazyregexp"
)

//go:embed lines.yaml
var linesYAML []byte

// International is the region code used until a person has chosen a region.
const International = "international"

// Language is one that the reviewed texts are written in.
type Language string

// The languages of the reviewed texts.
const (
	English Language = "en"
	French  Language = "fr"
)

// Words are a text by language; a text without a language counts for all.
type Words map[Language]string

// In is the text in a language, else in English, else as it is for all.
func (w Words) In(l Language) string {
	for _, l := range []Language{l, English, ""} {
		if s := w[l]; s != "" {
			return s
		}
	}
	return ""
}

// UnmarshalYAML takes a word, or a map of words by language.
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = Words{"": n.Value}
		return nil
	}
	var m map[Language]string
	if err := n.Decode(&m); err != nil {
		return err
	}
	for l := range m {
		if l != English && l != French {
			return fmt.Errorf("there is no language %q", l)
		}
	}
	*w = m
	return nil
}

// Topic is what a line is for.
type Topic string

// The topics.
const (
	ForSuicide  Topic = "suicide"
	ForAbuse    Topic = "abuse"
	ForChildren Topic = "children"
	ForPoison   Topic = "poison"
)

// Costs that are known. A line without one was found without a reliable word on it.
const (
	Freephone = "freephone" // no charge
	NoCredit  = "no_credit" // also from a phone without credit
)

// AllDay are the hours of a line that answers day and night; HoursUnknown those that
// nothing reliable was found on.
const (
	AllDay       = "24"
	HoursUnknown = "?"
)

// Line is one place that helps. Numbers are written as people in the region write them.
type Line struct {
	For      []Topic  `yaml:"for" json:"for"`
	Name     Words    `yaml:"name" json:"name"`
	Call     []Words  `yaml:"call" json:"call,omitempty"`
	Text     []TextTo `yaml:"text" json:"text,omitempty"`
	WhatsApp string   `yaml:"whatsapp" json:"whatsapp,omitempty"`
	Where    Words    `yaml:"where" json:"where,omitempty"`   // the part of the region it is for
	Serves   Words    `yaml:"serves" json:"serves,omitempty"` // whom it is for
	// Adults says that a line about children is for those who worry about one.
	Adults bool `yaml:"adults" json:"adults,omitempty"`
	// Health says that people who treat illness answer: of voices they come first.
	Health    bool     `yaml:"health" json:"health,omitempty"`
	Languages []string `yaml:"languages" json:"languages,omitempty"`
	Hours     Words    `yaml:"hours" json:"hours"` // AllDay, HoursUnknown or words
	Cost      string   `yaml:"cost" json:"cost,omitempty"`
	Deaf      Words    `yaml:"deaf" json:"deaf,omitempty"`
	Note      Words    `yaml:"note" json:"note,omitempty"`
	// Unseen: the call is not on the bill and stays in the phone's list of calls.
	Unseen bool `yaml:"unseen" json:"unseen,omitempty"`
	// NotEmergency: the line says that it is not for emergencies.
	NotEmergency bool `yaml:"not_emergency" json:"not_emergency,omitempty"`
	// Unconfirmed: one secondary source, or none that was looked at on the day of the check.
	Unconfirmed bool  `yaml:"unconfirmed" json:"unconfirmed,omitempty"`
	Source      Words `yaml:"source" json:"source"` // a page, or who published it and when
}

// TextTo is a number that takes text messages, with the word to begin with.
type TextTo struct {
	Word string `yaml:"word" json:"word,omitempty"`
	To   string `yaml:"to" json:"to"`
}

// Emergency is whom to call when a life is in danger.
type Emergency struct {
	Call        Words     `yaml:"call" json:"call"`
	Also        []Special `yaml:"also" json:"also,omitempty"`
	Note        Words     `yaml:"note" json:"note,omitempty"`
	Unconfirmed bool      `yaml:"unconfirmed" json:"unconfirmed,omitempty"`
	Source      Words     `yaml:"source" json:"source"`
}

// Special is a second emergency number: of the police, of doctors, of the fire
// brigade, for the deaf, from a mobile phone; or without a word one as good.
type Special struct {
	What string `yaml:"what" json:"what,omitempty"`
	Call string `yaml:"call" json:"call"`
	Note Words  `yaml:"note" json:"note,omitempty"`
}

// Web is a list of lines on the web: no help without a network, so it never stands alone.
type Web struct {
	For    []Topic `yaml:"for" json:"for,omitempty"` // empty for every topic
	Name   string  `yaml:"name" json:"name"`
	Source string  `yaml:"source" json:"source"`
}

// Region holds whom to call in a country.
type Region struct {
	Code      string    `yaml:"code" json:"code"` // ISO 3166-1 alpha-2, or International
	Name      Words     `yaml:"name" json:"name"`
	Emergency Emergency `yaml:"emergency" json:"emergency"`
	// Silent says what to do who cannot speak; Deaf how the deaf reach emergency services.
	Silent Words  `yaml:"silent" json:"silent,omitempty"`
	Deaf   Words  `yaml:"deaf" json:"deaf,omitempty"`
	Lines  []Line `yaml:"lines" json:"lines"`
	Web    []Web  `yaml:"web" json:"web,omitempty"`
	// Choose says that a person should choose a region: numbers differ.
	Choose bool `yaml:"choose" json:"choose,omitempty"`
}

type lineFile struct {
	Version string   `yaml:"version"`
	Checked string   `yaml:"checked"`
	Regions []Region `yaml:"regions"`
}

// known is part of the program: a mistake in the file is a mistake in the build, found
// by the package's tests.
var known = sync.OnceValue(func() lineFile { return mustParse(parseLines, linesYAML) })

func mustParse[T any](parse func([]byte) (T, error), b []byte) T {
	f, err := parse(b)
	if err != nil {
		panic(err)
	}
	return f
}

var published = lazyregexp.New(`https://[a-z0-9]|\b(19|20)\d\d\b|^European Commission|^one secondary`)

func parseLines(b []byte) (lineFile, error) {
	var f lineFile
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("safety: read lines: %w", err)
	}
	if _, err := time.Parse(time.DateOnly, f.Checked); err != nil {
		return f, fmt.Errorf("safety: lines: the day of the check: %w", err)
	}
	international := false
	for _, r := range f.Regions {
		if r.Code == "" || r.Name.In(English) == "" || r.Emergency.Call.In(English) == "" || !published.MatchString(r.Emergency.Source.In(English)) {
			return f, fmt.Errorf("safety: region %q needs code, name, and an emergency number with its source", r.Code)
		}
		has := map[Topic]bool{ForSuicide: r.Choose}
		for _, l := range r.Lines {
			if err := l.check(); err != nil {
				return f, fmt.Errorf("safety: region %s: line %q %w", r.Code, l.Name.In(English), err)
			}
			for _, t := range l.For {
				has[t] = true
			}
		}
		if !has[ForSuicide] || !has[ForAbuse] || !has[ForChildren] && r.Code != "IN" && r.Code != "ZA" {
			return f, fmt.Errorf("safety: region %s needs lines to call for suicide, abuse and children", r.Code)
		}
		for _, w := range r.Web {
			if w.Name == "" || !published.MatchString(w.Source) {
				return f, fmt.Errorf("safety: region %s: %q needs a name and a source", r.Code, w.Name)
			}
		}
		international = international || r.Code == International
	}
	if !international {
		return f, fmt.Errorf("safety: regions: %q is missing", International)
	}
	return f, nil
}

func (l Line) check() error {
	switch {
	case len(l.For) == 0 || l.Name.In(English) == "" || l.Hours.In(English) == "":
		return errors.New("needs a name, what it is for, and its hours")
	case len(l.Call)+len(l.Text) == 0:
		return errors.New("needs a number: a web address alone is no help offline")
	case !published.MatchString(l.Source.In(English)):
		return errors.New("needs a source: a page, or who published it and when")
	case l.Cost != "" && l.Cost != Freephone && l.Cost != NoCredit:
		return fmt.Errorf("has the unknown cost %q", l.Cost)
	}
	for _, t := range l.For {
		if !slices.Contains([]Topic{ForSuicide, ForAbuse, ForChildren, ForPoison}, t) {
			return fmt.Errorf("is for the unknown topic %q", t)
		}
	}
	return nil
}

// Regions returns a copy of the regions, International first.
func Regions() []Region { return mustParse(parseLines, linesYAML).Regions }

// Named is a region with its name in a language.
type Named struct{ Code, Name string }

// RegionNames are all regions by name, International first.
func RegionNames(l Language) (out []Named) {
	for _, r := range known().Regions {
		out = append(out, Named{Code: r.Code, Name: r.Name.In(l)})
	}
	return out
}

// LinesChecked is the day on which the sources of the lines were last looked at.
func LinesChecked() string { return known().Checked }

// day writes a day such as "2026-11-21" as people do: "21 November 2026", "21 novembre 2026".
func (l Language) day(s string) string {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return s
	}
	if l != French {
		return d.Format("2 January 2006")
	}
	months := strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
	first := fmt.Sprint(d.Day())
	if d.Day() == 1 {
		first = "1er"
	}
	return fmt.Sprintf("%s %s %d", first, months[d.Month()-1], d.Year())
}

// RegionOf finds the region of a code such as "GB", "gb" or "UK", or of a locale such
// as "en-GB", "fr_CA.UTF-8" or "en_GB@euro". A language alone is no region: what is
// not a country's code gives International.
func RegionOf(code string) Region {
	code, _, _ = strings.Cut(strings.TrimSpace(code), ".")
	code, _, _ = strings.Cut(code, "@")
	if i := strings.LastIndexAny(code, "-_"); i >= 0 {
		code = code[i+1:]
	}
	if code = strings.ToUpper(code); code == "UK" {
		code = "GB"
	}
	i := slices.IndexFunc(known().Regions, func(r Region) bool { return r.Code == code })
	if i < 0 {
		i = slices.IndexFunc(known().Regions, func(r Region) bool { return r.Code == International })
	}
	return known().Regions[i]
}

// speech is how a language puts lines into words.
var speech = map[Language]struct {
	colon, call, text, sep, or, and, also, speaks, hoursUnknown, allDay, unconfirmed, notEmergency, freephone, noCredit, deaf, web, choose, unseen, checked, sources, noPoison, chooseMore string
	what, languages                                                                                                                                                                        map[string]string
}{
	English: {": ", "call ", "text ", "; ", " or ", ", ", "also", "speaks ", "hours not confirmed", "day and night", "NOT CONFIRMED", "not for emergencies", "free of charge", "free, also without credit", "If you are deaf", "with a network",
		"Your region is not chosen, so no crisis line can be named here. Choose your country under Settings, Region (or `holdpoint settings set region`): its numbers are stored on this laptop and need no network.",
		"Calls to %s are not on the phone bill, but they stay in the phone's list of calls: delete the entry if somebody may look.", "Numbers checked on %s from stored copies.", "Sources", "No poison line of this country is stored here: call the emergency number, and ask there.",
		"Your region is not chosen, so only lines of several countries can be named here. Choose your country under Settings, Region (or `holdpoint settings set region`): its numbers are stored on this laptop and need no network.",
		map[string]string{"police": "police", "medical": "medical", "fire": "fire", "deaf": "deaf", "mobile": "mobile phone"},
		map[string]string{"en": "English", "fr": "French", "de": "German", "it": "Italian", "es": "Spanish", "nl": "Dutch", "lb": "Luxembourgish"}},
	French: {"\u00a0: ", "appelez le ", "SMS ", "\u00a0; ", " ou ", ", ", "aussi", "en ", "heures non confirmées", "jour et nuit", "NON CONFIRMÉ", "pas pour les urgences", "gratuit", "gratuit, même sans crédit", "Si vous êtes sourd", "avec un réseau",
		"Votre région n'est pas choisie\u00a0: aucune ligne d'écoute ne peut être nommée ici. Choisissez votre pays sous Réglages, Région (ou avec `holdpoint settings set region`)\u00a0: ses numéros sont gardés sur cet appareil et n'ont besoin d'aucun réseau.",
		"Les appels au %s n'apparaissent pas sur la facture mais restent dans la liste d'appels du téléphone\u00a0: effacez-les si quelqu'un peut regarder.", "Numéros vérifiés le %s sur des copies conservées.", "Sources", "Aucune ligne antipoison de ce pays n'est gardée ici\u00a0: appelez le numéro d'urgence et demandez-y conseil.",
		"Votre région n'est pas choisie\u00a0: seules des lignes communes à plusieurs pays peuvent être nommées ici. Choisissez votre pays sous Réglages, Région (ou avec `holdpoint settings set region`)\u00a0: ses numéros sont gardés sur cet appareil et n'ont besoin d'aucun réseau.",
		map[string]string{"police": "police", "medical": "urgences médicales", "fire": "pompiers", "deaf": "sourds", "mobile": "d'un mobile"},
		map[string]string{"en": "anglais", "fr": "français", "de": "allemand", "it": "italien", "es": "espagnol", "nl": "néerlandais", "lb": "luxembourgeois"}},
}

// In is the emergency number in words, such as "112 (police 101)".
func (e Emergency) In(l Language) string {
	w := speech[l]
	s, also := e.Call.In(l), []string{}
	for _, x := range e.Also {
		if x.What == "" {
			s += w.or + x.Call
			continue
		}
		part := w.what[x.What] + " " + x.Call
		if n := x.Note.In(l); n != "" {
			part += " " + n
		}
		also = append(also, part)
	}
	if n := e.Note.In(l); n != "" {
		also = append(also, n)
	}
	if e.Unconfirmed {
		also = append(also, w.unconfirmed)
	}
	if len(also) > 0 {
		s += " (" + strings.Join(also, w.and) + ")"
	}
	return s
}

// called is the emergency number behind “call” or “appelez”: French numbers have an article.
func (e Emergency) called(l Language) string {
	s := e.In(l)
	if l != French || s == "" || s[0] < '0' || s[0] > '9' {
		return s
	}
	numbers, rest, more := strings.Cut(s, " (")
	s = "le " + strings.ReplaceAll(numbers, speech[l].or, speech[l].or+"le ")
	if more {
		s += " (" + rest
	}
	return s
}

// In is the line in words: its name, how to reach it, and what to know before.
func (l Line) In(lang Language) string {
	w := speech[lang]
	var calls, reach, more []string
	for _, c := range l.Call {
		calls = append(calls, c.In(lang))
	}
	if len(calls) > 0 {
		reach = append(reach, w.call+strings.Join(calls, w.or))
	}
	for _, t := range l.Text {
		if t.Word != "" {
			reach = append(reach, w.text+t.Word+map[Language]string{English: " to ", French: " au "}[lang]+t.To)
		} else {
			reach = append(reach, w.text+map[Language]string{English: "", French: "au "}[lang]+t.To)
		}
	}
	if l.WhatsApp != "" {
		reach = append(reach, "WhatsApp "+l.WhatsApp)
	}
	for _, s := range []string{l.Where.In(lang), l.Serves.In(lang)} {
		if s != "" {
			more = append(more, s)
		}
	}
	switch h := l.Hours.In(lang); h {
	case AllDay:
		more = append(more, w.allDay)
	case HoursUnknown:
		more = append(more, w.hoursUnknown)
	default:
		more = append(more, h)
	}
	if len(l.Languages) > 0 {
		var names []string
		for _, x := range l.Languages {
			names = append(names, w.languages[x])
		}
		more = append(more, w.speaks+strings.Join(names, w.and))
	}
	switch l.Cost {
	case Freephone:
		more = append(more, w.freephone)
	case NoCredit:
		more = append(more, w.noCredit)
	}
	for _, s := range []string{l.Note.In(lang), l.Deaf.In(lang)} {
		if s != "" {
			more = append(more, s)
		}
	}
	if l.NotEmergency {
		more = append(more, w.notEmergency)
	}
	if l.Unconfirmed {
		more = append(more, w.unconfirmed)
	}
	return l.Name.In(lang) + w.colon + strings.Join(reach, w.or) + " (" + strings.Join(more, w.sep) + ")"
}

// Of are the region's lines for any of the topics, in the topics' order.
func (r Region) Of(topics ...Topic) []Line {
	var out []Line
	for _, t := range topics {
		for _, l := range r.Lines {
			if slices.Contains(l.For, t) && !slices.ContainsFunc(out, l.same) {
				out = append(out, l)
			}
		}
	}
	return out
}

// For are the region's lines for help in a language, those that speak it first, as far as a
// region has lines that French has to be looked for among. A young person has the lines for
// children right behind the first one, whatever the danger is; those for adults are not theirs. Of voices
// a line that treats illness comes first.
func (r Region) For(h Help, topics ...Topic) (found []Line) {
	first := func(list []Line, has func(Line) bool) {
		rank := map[bool]int{false: 1}
		slices.SortStableFunc(list, func(a, b Line) int { return rank[has(a)] - rank[has(b)] })
	}
	spoken := func(topics ...Topic) (out []Line) {
		for _, t := range topics {
			list := r.Of(t)
			if h.language() == French {
				first(list, func(l Line) bool { return slices.Contains(l.Languages, string(French)) })
			}
			if h.Category == Voices {
				first(list, func(l Line) bool { return l.Health })
			}
			for _, l := range list {
				if !slices.ContainsFunc(out, l.same) {
					out = append(out, l)
				}
			}
		}
		return out
	}
	found = spoken(topics...)
	if h.Informal && h.Speaker != Clinician {
		if children := spoken(ForChildren); !slices.Contains(topics, ForChildren) {
			found = slices.Concat(found[:min(1, len(found))], children, found[min(1, len(found)):])
		}
		found = slices.DeleteFunc(found, func(l Line) bool { return l.Adults })
	}
	// What answers under two headings is named once: for poison where something was taken, else for the other. Where
	// the means are at hand, which may be pills or a bridge, both stand.
	taken := h.Category == Overdose || h.Category == Poisoned
	poison := func(l Line) bool { return slices.Contains(l.For, ForPoison) }
	kept := found
	return slices.DeleteFunc(slices.Clone(found), func(l Line) bool {
		return h.Category != Means && poison(l) != taken && slices.ContainsFunc(kept, func(o Line) bool {
			return poison(o) != poison(l) && o.Name.In(English) == l.Name.In(English)
		})
	})
}

func (l Line) same(o Line) bool {
	return o.Name.In(English) == l.Name.In(English) && o.Where.In(English) == l.Where.In(English) && o.Source.In(English) == l.Source.In(English)
}

// help is the list of lines for a text, and what to know about them.
func (r Region) help(h Help, topics ...Topic) (list, notes string) {
	lang := h.language()
	w := speech[lang]
	var lines, notable []string
	sources := []string{r.Emergency.Source.In(lang)}
	var unseen []string
	poison, none := slices.Equal(topics, []Topic{ForPoison}), len(topics) == 0
	found := r.For(h, topics...)
	switch {
	case none:
	case r.Choose && len(found) > 0:
		lines = append(lines, "  - "+w.chooseMore)
	case r.Choose:
		lines = append(lines, "  - "+w.choose)
	}
	if none {
		found = nil
	} else if len(found) == 0 && poison {
		if !r.Choose {
			lines = append(lines, "  - "+w.noPoison)
		}
	} else if len(found) == 0 {
		found = r.For(h, ForSuicide)
	}
	for _, l := range found {
		lines = append(lines, "  - "+l.In(lang))
		if l.Unseen {
			unseen = append(unseen, l.Call[0].In(lang))
		}
		if source := l.Source.In(lang); !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	for _, x := range r.Web {
		if len(x.For) == 0 && !poison && !none || slices.ContainsFunc(x.For, func(t Topic) bool { return slices.Contains(topics, t) }) {
			lines = append(lines, "  - "+x.Name+" ("+w.web+")")
		}
	}
	if s := r.Deaf.In(lang); s != "" {
		notable = append(notable, w.deaf+w.colon+s+".")
	}
	if slices.Contains(topics, ForAbuse) || slices.Contains(topics, ForChildren) {
		if s := r.Silent.In(lang); s != "" {
			notable = append(notable, s)
		}
		if len(unseen) > 0 {
			notable = append(notable, fmt.Sprintf(w.unseen, strings.Join(unseen, w.and)))
		}
	}
	notable = append(notable, fmt.Sprintf(w.checked, lang.day(LinesChecked()))+" "+w.sources+w.colon+strings.Join(sources, w.sep)+".")
	return strings.Join(lines, "\n"), strings.Join(notable, "\n")
}
