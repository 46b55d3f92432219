package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"holdpoint/app/tongue"
	"holdpoint/engine/agent"
	"holdpoint/engine/encoder"
	"holdpoint/engine/journal"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
	"holdpoint/store"
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

// HelpAnswer is the reviewed text, and the numbers that stand above it.
type HelpAnswer struct {
	Text    string          `json:"text"`
	Numbers []safety.Number `json:"numbers"`
}

// HelpText is the reviewed text; nothing in it is generated.
func HelpText(q HelpQuery) (HelpAnswer, error) {
	h := safety.Help{Category: safety.Category(q.Category), Speaker: safety.Speaker(q.Speaker), Language: safety.Language(q.Language), Region: q.Region, Informal: q.Informal, Child: q.Child}
	if q.CheckIn {
		return HelpAnswer{h.CheckIn(), h.Numbers()}, nil
	}
	text, ok := h.Intervention()
	if !ok {
		return HelpAnswer{}, Bad("There is no such kind of danger.", "Use a category of package safety.")
	}
	return HelpAnswer{text, h.Numbers()}, nil
}

// MessageCheck asks what a message that cannot be sent yet says of danger: a person who is
// in danger answers no questions first.
type MessageCheck struct {
	Agent string            `json:"agent"`
	Text  string            `json:"text"`
	Vars  map[string]string `json:"vars"` // as far as they were chosen
}

// MessageFinding is what it says, with the reviewed text for it; "" where it says nothing.
type MessageFinding = agent.Help

// CheckMessage reads a message for danger with the tiers that need no model, as a turn
// does before anything else, and keeps nothing of it.
//
// One that is too long to be sent is read as well, its ends first.
func (a *App) CheckMessage(m MessageCheck) (MessageFinding, error) {
	var to agent.Addressee
	if m.Agent != "" {
		x, err := a.agents.find(m.Agent)
		if err != nil {
			return MessageFinding{}, err
		}
		if x.Cards != nil {
			to = x.Cards.Addressee(agent.CardState{Vars: m.Vars})
		}
	}
	return helpWith(m.Text, func(part string) turn.Finding { return a.check(part, to) }), nil
}

// mostOfEnd is how much of each end of a message that is refused is read first, and at once of what
// lies between, in bytes.
const mostOfEnd = 32 << 10

// overlap is how much of one piece of a long message is in the next as well: no sentence is cut in both.
const overlap = 1 << 10

// ownSentences is how many sentences at an end of such a message are read as a message of their
// own: between what was pasted, the words of who sends it are few.
const ownSentences = 3

// refusedParts are what is read of a message that is refused: all of it, or of one that is too long
// its outermost sentences by themselves, then its beginning and its end together, and then what lies
// between, piece by piece, in whole characters.
func refusedParts(text string) []string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= 2*mostOfEnd {
		return []string{text}
	}
	head, tail := strings.ToValidUTF8(text[:mostOfEnd], ""), strings.ToValidUTF8(text[len(text)-mostOfEnd:], "")
	outer := func(part string) []string { return encoder.Sentences(strings.ToValidUTF8(part, "")) }
	first, last := outer(head[:min(len(head), 1<<10)]), outer(tail[max(0, len(tail)-1<<10):])
	parts := []string{strings.Join(first[:min(len(first), ownSentences)], " "), strings.Join(last[max(0, len(last)-ownSentences):], " "), head + "\n\n" + tail}
	for from, end := mostOfEnd-overlap, len(text)-mostOfEnd; from < end; from += mostOfEnd - overlap {
		parts = append(parts, strings.ToValidUTF8(text[from:min(from+mostOfEnd, end+overlap)], ""))
	}
	return parts
}

// gravest is what the check finds in the part that asks for most. Where one asks for an
// intervention, help waits for no other.
func gravest(parts []string, check func(string) turn.Finding) (most turn.Finding) {
	for i, part := range parts {
		if f := check(part); i == 0 || f.Level == safety.Intervene && most.Level != safety.Intervene || f.Level == safety.CheckIn && most.Level == safety.Calm {
			most = f
		}
		if most.Level == safety.Intervene {
			break
		}
	}
	return most
}

// helpWith is the reviewed text for a message that nobody works on, refused or not sent yet, as a check finds it.
func helpWith(message string, check func(string) turn.Finding) MessageFinding {
	v := helpFor(gravest(refusedParts(message), check))
	v.Text = strings.Join(slices.DeleteFunc(strings.Split(v.Text, "\n\n"), atWork.MatchString), "\n\n")
	return v
}

// atWork is in the paragraph of a check-in that says where the reply is.
var atWork = lazyregexp.New(`\breply to your message comes below\b|\bréponse à (?:votre|ton) message vient ci-dessous\b`)

// HelpIn is the reviewed text for a message that was refused before a data folder was opened, or
// that no program can open now; "" where it speaks of no danger. It changes nothing there. why is the
// reason: where another program has the store open, what stands beside it counts, and it is not waited for.
func HelpIn(dir, message string, vars map[string]string, why error) string {
	settings := settingsBeside(dir)
	if !errors.Is(why, store.ErrLocked) {
		settings = settingsIn(dir)
	}
	e := encoder.New(encoder.Options{File: filepath.Join(dir, EncoderFile)})
	defer e.Close() // it was only read
	var to agent.Addressee
	if r, err := NewAgents(dir, slog.New(slog.DiscardHandler)); err == nil {
		to = r.addressed(vars)
	}
	d := turn.Dependencies{Region: cmp.Or(to.Region, settings.Region), Language: safety.Language(cmp.Or(to.Language, settings.Language, string(tongue.OfSystem()))), Safety: safety.Offline, OfChild: to.OfChild}
	if _, err := e.Header(); err == nil {
		d.Safety = safety.With(e)
	}
	return helpWith(message, d.Check).Text
}

// addressed is who writes, as far as the variables of a run say it where no agent is asked: by
// what any agent declares of them.
func (r *Agents) addressed(vars map[string]string) (to agent.Addressee) {
	for _, x := range r.builtIn {
		for _, v := range x.Vars {
			switch said := vars[v.Name]; {
			case said == "":
			case v.Region:
				to.Region = said
			case v.Language:
				to.Language = said
			case v.Audience:
				to.OfChild = said == v.Carer
			}
		}
	}
	return to
}

// WithHelp adds the reviewed text to the reason why a message was refused, where it speaks of
// danger: whoever is in it is not told first how a command is written.
func (a *App) WithHelp(s TurnRequest, err error) error {
	if s.Text == "" || errors.Is(err, context.Canceled) {
		return err
	}
	to := a.agents.addressed(s.Vars)
	if x, found := a.agents.find(s.Agent); found == nil && x.Cards != nil {
		to = x.Cards.Addressee(agent.CardState{Vars: s.Vars})
	}
	help := helpWith(s.Text, func(part string) turn.Finding { return a.check(part, to) }).Text
	if help == "" {
		return err
	}
	f := *AsFault(err)
	f.Help, f.err = help, err
	return &f
}

// check reads what a person wrote for danger with the tiers that need no model.
func (a *App) check(text string, to agent.Addressee) turn.Finding {
	if to.Region == "" {
		settings, err := a.Settings()
		if err != nil {
			settings = defaults() // help does not wait for what cannot be read
		}
		to.Region = settings.Region
	}
	d := turn.Dependencies{Region: to.Region, Language: safety.Language(cmp.Or(to.Language, string(a.Tongue()))), Safety: a.checker(), Informal: to.Young, OfChild: to.OfChild}
	return d.Check(strings.ToValidUTF8(text, "\uFFFD"))
}

// helpFor is the reviewed text for a finding.
func helpFor(f turn.Finding) MessageFinding {
	s := f.Safety
	v := MessageFinding{Level: s.Level, Category: s.Category, Speaker: s.Speaker, Language: s.Language, Region: safety.RegionOf(s.Region).Code, Informal: s.Informal, Child: s.Child, FoundBy: s.Found}
	switch s.Level {
	case safety.Intervene:
		v.Text, _ = turn.Intervene(s, "")
	case safety.CheckIn:
		v.Text = s.CheckIn()
	}
	if v.Text != "" {
		v.Numbers = s.Numbers()
	}
	return v
}

// Where a person writes freely, but for their messages.
const (
	writtenAnswer     = "answer"
	writtenFeedback   = "feedback"
	writtenCorrection = "correction"
)

// heed reads what a person wrote elsewhere than in a message, as a message is read: whoever
// speaks of danger gets the reviewed text at once, and no model is asked first. Without danger
// there is no help, and nothing to tell. The events go into the journal beside what was written.
func (a *App) heed(sessionID, turnID, written, text string) (*agent.Help, []journal.Event) {
	var to agent.Addressee
	x, state, err := a.cardState(sessionID) // help does not wait for what cannot be read
	if err == nil && x != nil {
		to = x.Cards.Addressee(state)
	} else if row, err := a.Store.Run(RunID(turnID)); err == nil {
		to.Language = a.agents.addressed(row.Vars).Language
	}
	f := a.check(text, to)
	help := helpFor(f)
	if help.Text == "" {
		return nil, nil
	}
	said := f.Said(turnID+"/help/"+a.newID(), written)
	for i := range said {
		said[i].At, said[i].Session, said[i].Turn = a.now(), sessionID, turnID
	}
	return &help, said
}
