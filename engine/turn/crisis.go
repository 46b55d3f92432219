package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/safety"
	"holdpoint/engine/session"
)

// The two stages that every graph begins with, and the conditions between them.
const (
	Preflight          graph.StageID = "preflight"
	SafetyIntervention graph.StageID = "safety_intervention"

	SafetyHijacked    = "safety_hijacked"
	NotSafetyHijacked = "not_safety_hijacked"
)

// Safety is what preflight found in the person's message.
type Safety struct {
	// By says who checked: "rules", or "rules+model", or "rules+script" in practice mode.
	By string `json:"by"`
	// Level is what was found, Found who found it, by the names of package safety.
	Level    safety.Level    `json:"level,omitempty"`
	Found    []string        `json:"found,omitempty"`
	Category string          `json:"category,omitempty"`
	Speaker  safety.Speaker  `json:"speaker,omitempty"`
	Language safety.Language `json:"language,omitempty"`
	Region   string          `json:"region"`
	// Informal says that the text addresses a young person.
	Informal bool `json:"informal,omitempty"`
	// Child says that the message tells of a child.
	Child bool `json:"child,omitempty"`
	// Concern is set when the turn goes on with a check-in.
	Concern  bool   `json:"concern,omitempty"`
	Degraded bool   `json:"degraded,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Answered says that the message was heard as the answer to a check-in's question.
	Answered bool `json:"answered,omitempty"`
	// Saw is the risk that the model's classifier saw, whatever came of it; "" for none.
	Saw string `json:"saw,omitempty"`
	// Alike says that the model sees danger in a harmless sentence, too.
	Alike bool `json:"alike,omitempty"`
	// Judge is the digest of the model whose classifier was asked.
	Judge string `json:"judge,omitempty"`
	// Unjudged says that no model's classifier read the message yet; see LateCheck.
	Unjudged bool `json:"unjudged,omitempty"`
	// Late says that the model's classifier was asked late and saw danger: the turn is over, whatever
	// stage beside or behind that one is due.
	Late bool `json:"late,omitempty"`
}

// help is which reviewed text fits.
func (s Safety) help() safety.Help {
	return safety.Help{Category: safety.Category(s.Category), Speaker: s.Speaker, Language: s.Language, Region: s.Region, Informal: s.Informal, Child: s.Child}
}

// SafetySlot names the channel of the safety in a stored run.
const SafetySlot = "safety"

// Numbers are those to call first.
func (s Safety) Numbers() []safety.Number { return s.help().Numbers() }

// CheckIn is the message that stands above the reply; "" where none does.
func (s Safety) CheckIn() string {
	if !s.Concern {
		return ""
	}
	return s.help().CheckIn()
}

// Channels of the crisis stages. The safety's type has moved.
var (
	ChannelHijacked = graph.Value[bool]("safety_hijacked")
	ChannelSafety   = graph.Value[Safety](SafetySlot).Formerly("navigator.Safety")
)

// CrisisStages are the names that no graph may give to stages of its own.
func CrisisStages() []graph.StageID { return []graph.StageID{Preflight, SafetyIntervention} }

// CrisisConditions are the conditions of the two safety edges out of preflight: nothing
// that a file, a stage or a model chooses comes before them.
func CrisisConditions() []graph.Condition {
	return []graph.Condition{graph.When(SafetyHijacked, ChannelHijacked).AsSafety().Called("somebody is in danger"),
		graph.Unless(NotSafetyHijacked, ChannelHijacked).AsSafety().Called("nothing stops the turn")}
}

// Finding is what a check says of a text, and what follows of it.
type Finding struct {
	safety.Assessment
	Safety Safety
	Hijack bool
	// Judged is the model's answer; nil when none was asked or it failed with Failed.
	Judged *Judgement
	Failed error
	// courtesy says that the message is made of nothing but a greeting or thanks.
	courtesy bool
	// shown says that the check-in has been told already, told that the model's answer, or that
	// there was none, was told with it.
	shown, told bool
}

// Check reads a text with the tiers that need no model: the same text gives the same
// finding, at once.
func (d *Dependencies) Check(text string) Finding {
	by, region, informal := safety.Offline, "", false
	if d != nil {
		region, informal = d.Region, d.Informal
		if len(d.Safety.Tiers) > 0 {
			by = d.Safety
		}
	}
	by.OfChild = d != nil && d.OfChild
	f := Finding{Assessment: by.Assess(text), courtesy: pipeline.Courtesy(text), Safety: Safety{By: string(journal.ByRules), Region: region}}
	f.Safety.Child = safety.TellsOfChild(text) || by.OfChild && f.Speaker == safety.Other
	f.Safety.Speaker, f.Safety.Language, f.Safety.Found = f.Speaker, f.Language, f.Found()
	f.Safety.Informal = informal || f.Speaker == safety.Self && safety.TellsYoung(text) // who says to be a child is told of lines for children
	if d != nil {
		f.prefer(d.Language, text)
	}
	if f.Unread {
		f.Safety.Degraded = true
		f.Safety.Reason = "the time was up before all of the message was read for its meaning; rules and words read all of it"
	}
	f.settle(f.Level)
	return f
}

// CheckMessage is Check of a turn's message. A check-in asked whether somebody is safe: a short
// message after it is heard as the answer. A no that may answer the reply as well is asked about once
// more; one in words, or a second one, is an intervention for the danger that was seen. Who goes on
// about another person after help about them is helped again, and who says that they are safe is asked
// nothing more. Who tells after help for themselves that it is done, or that it works, is helped as for a danger of now.
// Who says that an intervention misread them gets on, with help above the reply.
func (d *Dependencies) CheckMessage(t *graph.Task, text string) Finding {
	f := d.Check(text)
	if d == nil || d.CheckedIn == nil {
		return f
	}
	before, asked := d.CheckedIn(t.Run.Session, t.Run.Turn)
	if !before.Concern && before.Level != safety.Intervene {
		return f
	}
	answer := safety.AnswersUnsafe(text)
	how, rest := safety.FollowsHelp(text)
	done := safety.SaysDone(text, safety.Category(before.Category))
	other := before.Speaker == safety.Other || before.Speaker == safety.Clinician
	took, body := ofBody(before)
	switch {
	case f.Hijack && !before.Concern && answer == safety.NoAnswer && safety.SaysMisread(text):
		f.settle(safety.CheckIn)
		f.Safety.Reason = "it says that help was shown for something that is no danger; help stands above the reply"
	case f.Hijack && took && other && f.Category == safety.Medical && f.Speaker != safety.Self:
		f.Category = safety.Unresponsive // of whom something was swallowed
		f.settle(f.Level)
	case f.Hijack && other:
		f.keepPerson(before, text, answer)
	case f.Hijack:
	case done != safety.NotDone && !other:
		level := safety.Intervene
		if done == safety.DoneBare && !(before.Level == safety.Intervene && safety.Category(before.Category) != safety.Abuse) {
			level = safety.CheckIn
		}
		f.inherit(before, text, level)
		if done == safety.DoneTook && f.Category != safety.HarmOthers {
			f.Category = safety.Overdose
			f.settle(level)
		}
		f.Safety.Reason = "it tells that what help was shown for just before has happened, or happens now"
	case answer != safety.NoAnswer && (before.Concern || answer == safety.SaysNotSafe):
		// Help in the reply's place asks nothing; who says in words that somebody is not safe is heard all the same.
		level := safety.CheckIn
		switch {
		case answer == safety.SaysNotSafe, answer == safety.NoInWords && other, answer >= safety.PlainNo && (!asked || before.Answered):
			level = safety.Intervene
		}
		f.inherit(before, text, level)
		f.Safety.Answered = true
		f.Safety.Reason = "it answers the question whether everybody is safe, and does not say yes"
	case how == safety.AllSafe && f.Level == safety.CheckIn && (rest == "" || d.Check(rest).Level == safety.Calm):
		f.Safety.Answered, f.Safety.Found = true, nil
		f.Safety.Reason = "it says that everybody is safe, or that somebody is there for them"
		for i := range f.Tiers {
			f.Tiers[i].Level = safety.Calm
		}
		f.settle(safety.Calm)
	case how == safety.GoesOn && body && before.Level == safety.Intervene && !f.Hijack:
		f.inherit(before, text, safety.Intervene)
		f.Safety.Reason = "it goes on about the emergency for which help was shown just before: the same help stands there again"
	case how == safety.GoesOn && other && f.Level == safety.CheckIn && (f.Speaker != safety.Self || f.Rules.Score > 0 && safety.OfWriter(text)):
		f.keepPerson(before, text, answer)
	case how == safety.GoesOn && !other && (f.Level == safety.CheckIn && f.Rules.Score == 0 || f.Level == safety.Calm && before.Level == safety.Intervene):
		f.inherit(before, text, safety.CheckIn) // “what do I do now?” lies near to anything
		f.Safety.Reason = "it goes on about the danger for which help was shown just before"
	case how == safety.GoesOn && other:
		f.inherit(before, text, safety.CheckIn)
		f.Safety.Reason = "it goes on about the person for whom help was shown just before"
	}
	return f
}

// ofBody says that help before was for something that was swallowed, or for any emergency of a body: who writes on is
// in the middle of it, and needs the same help and no question.
func ofBody(before Safety) (took, body bool) {
	switch c := safety.Category(before.Category); c {
	case safety.Overdose, safety.Poisoned, safety.Unresponsive:
		return true, c != safety.Overdose || before.Speaker != safety.Self
	case safety.Medical:
		return false, true
	}
	return false, false
}

// inherit takes over the danger that help was shown for before, at a level.
func (f *Finding) inherit(before Safety, text string, l safety.Level) {
	f.Category, f.Speaker, f.Safety.Speaker, f.Safety.Child = safety.Category(before.Category), before.Speaker, before.Speaker, before.Child
	f.keepLanguage(before, text)
	f.Safety.Degraded = false
	if !slices.Contains(f.Safety.Found, safety.TierRules) {
		f.Safety.Found = append([]string{safety.TierRules}, f.Safety.Found...)
	}
	f.settle(l)
}

// keepPerson leaves what a message tells of the person that help was shown for before: who writes is
// not in danger themselves for a “not safe” that names nobody, and a professional stays one.
func (f *Finding) keepPerson(before Safety, text string, answer safety.Unsafe) {
	switch {
	case f.Speaker == safety.Self && !safety.OfWriter(text):
		if answer != safety.NoAnswer {
			f.Category = safety.Category(before.Category)
		}
		f.Safety.Child = f.Safety.Child || before.Child
	case f.Speaker == safety.Other && before.Speaker == safety.Clinician && !safety.TellsOfOwn(text): // a mother may write behind a nurse
	default:
		return
	}
	f.Speaker, f.Safety.Speaker = before.Speaker, before.Speaker
	f.keepLanguage(before, text)
	f.settle(f.Level)
}

// keepLanguage answers a few words in the language of the help before them.
func (f *Finding) keepLanguage(before Safety, text string) {
	if len(strings.Fields(text)) < 4 && before.Language != "" {
		f.Language, f.Safety.Language = before.Language, before.Language
	}
}

// AsksYesOrNo says that the last question of a reply can be answered with no: “shall I book it?”, and not “what
// would help?”.
func AsksYesOrNo(reply string) bool {
	end := strings.LastIndexByte(reply, '?')
	if end < 0 {
		return false
	}
	question := reply[:end]
	question = question[strings.LastIndexAny(question, ".!?\n…")+1:]
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) })
	return !slices.ContainsFunc(words, func(w string) bool { return asksFor[w] }) && (len(words) == 0 || words[0] != "que" && words[0] != "qu")
}

// asksFor are words of questions that are answered with something else than yes or no.
var asksFor = map[string]bool{"what": true, "which": true, "how": true, "when": true, "where": true, "who": true, "why": true,
	"quel": true, "quels": true, "quelle": true, "quelles": true, "comment": true, "quand": true, "où": true, "qui": true, "pourquoi": true, "combien": true, "quoi": true, "lequel": true, "laquelle": true}

// prefer answers in a language where the text itself says nothing of its own: no word
// tells of one, and no phrase of danger was known; or it is in one that nothing is written in.
func (f *Finding) prefer(l safety.Language, text string) {
	if l != "" && (f.Foreign() || !safety.Speaks(text) && len(f.Rules.Findings) == 0) {
		f.Language, f.Safety.Language = l, l
	}
}

// said is the safety with what the message's language kept the tiers from reading, where
// nothing was found.
func (f *Finding) said() Safety {
	s := f.Safety
	if f.Coverage == safety.CoverageAll || f.Level != safety.Calm || f.Unread && f.Coverage == safety.CoverageMeaning {
		return s
	}
	s.Degraded = true
	asked := f.Judged != nil && !f.Judged.Practice
	switch {
	case f.Coverage == safety.CoverageMeaning && f.Failed != nil && !unasked(f.Failed):
		s.Reason = "the message is in neither English nor French and the model's safety check failed: only its meaning was read, where plain words are mostly heard and hints often are not"
	case f.Coverage == safety.CoverageMeaning:
		s.Reason = "the message is in neither English nor French: without a model only its meaning is read, where plain words are mostly heard and hints often are not"
	case asked && f.Judged.Weak:
		s.Reason = "no check but the model's reads the language of this message, or of a part of it, and this model is too small to tell danger by itself"
	case asked:
		s.Reason = "no check but the model's reads the language of this message, or of a part of it: the model alone read that for danger"
	default:
		s.Reason = "no check that is at hand reads the language of this message, or of a part of it: that was not checked for danger"
	}
	return s
}

// settle takes over a level.
func (f *Finding) settle(l safety.Level) {
	f.Level, f.Safety.Level = l, l
	f.Hijack, f.Safety.Concern = l == safety.Intervene, l == safety.CheckIn
	f.Safety.Category = ""
	if l != safety.Calm {
		f.Safety.Category = string(f.Category)
	}
}

// Show tells the check-in, and what found it, as soon as it is known: help does not wait
// for a model. What the model says is told by a second event.
func (f *Finding) Show(t *graph.Task) {
	if f.Level == safety.CheckIn && !f.shown {
		t.Emit(f.Event(), f.checkIn(t))
		f.shown, f.told = true, f.Judged != nil || f.Failed != nil
	}
}

// Heed adds the model's judgement, or that there was none. A model takes nothing back. Its crisis
// is an intervention, whatever else was seen; its concern is a sign as that of a tier is: a check-in
// alone, an intervention beside another sign. Less is made of the word of a model that cannot tell:
//
//   - of a larger model that sees danger in a harmless sentence too: its crisis alone is a check-in,
//     and its concern counts for nothing;
//   - of a larger model that alone saw a crisis in nearly all of the session, where what it sees in a
//     harmless sentence could not be had: its crisis alone is a check-in;
//   - of one that is too small to tell danger: its crisis alone is a check-in;
//   - of a small one that sees danger in a harmless sentence too: so once in a session, and it counts
//     for nothing beside another sign;
//   - of a small one that saw danger in most of what was written before in the session: nothing;
//   - of either of these small ones nothing, too, in a message that only greets or thanks.
//
// Where nothing was seen but a faint sign of a tier, of which nothing would follow by itself, the crisis
// of a small model is a check-in in each of these cases.
func (f *Finding) Heed(j Judgement, err error) {
	if err != nil {
		f.Failed, f.Safety.Degraded, f.Safety.Unjudged = err, true, true
		switch {
		case f.Unread:
			f.Safety.Reason = "no model judged this message, and the time was up before all of it was read for its meaning; rules and words read all of it"
		case unasked(err):
			f.Safety.Reason = "there is no model to ask; this message was checked without one"
		case errors.Is(err, model.ErrStalled), errors.Is(err, context.DeadlineExceeded):
			f.Safety.Reason = "the model did not judge this message in time; it was checked without it"
		default:
			f.Safety.Reason = "the model's safety check failed; this message was checked without it"
		}
		return
	}
	f.Judged, f.Safety.By, f.Safety.Judge = &j, string(journal.ByRules)+"+"+j.tier(), j.Digest
	if j.Risk == riskNone {
		return
	}
	f.Safety.Saw, f.Safety.Alike = j.Risk, j.Alike
	seen, faint := len(f.Safety.Found) > 0, f.faint() && j.Risk == riskCrisis
	if j.Weak && (j.Alike || j.Often) && f.courtesy && !seen {
		f.Safety.Reason = "a model that is too small to tell danger saw it in mere thanks or a greeting; its answer does not count"
		return
	}
	if j.Often && j.Weak && (seen || !faint) {
		f.Safety.Reason = "a model that is too small to tell danger saw it in most of what was written in this conversation; its answer does not count any more"
		return
	}
	if j.Alike && !j.Weak && j.Risk != riskCrisis {
		f.Safety.Reason = "the model sees danger in a harmless sentence, too; its concern does not count"
		return
	}
	if j.Alike && j.Weak && (seen || j.Helped && !faint || j.Risk != riskCrisis) {
		f.Safety.Reason = "the model is too small to tell danger: it sees danger in a harmless sentence, too; its answer does not count"
		return
	}
	f.Safety.Found = append(f.Safety.Found, j.tier())
	if _, ok := (safety.Help{Category: safety.Category(j.Category)}).Intervention(); ok && !seen {
		f.Category = safety.Category(j.Category)
	}
	if with := f.Category.With(safety.Category(j.Category)); with != safety.Unresponsive || f.Speaker != safety.Self {
		f.Category = with
	}
	if f.Category == safety.None {
		f.Category = safety.Intent // its text fits everywhere
	}
	if s := safety.Speaker(j.Who); !seen && f.Speaker == safety.Self && (s == safety.Other || s == safety.Clinician) {
		f.Safety.Speaker = s
	}
	switch {
	case f.Hijack:
	case !j.Weak && !seen && j.Risk == riskCrisis && j.Alike:
		f.settle(safety.CheckIn)
		f.Safety.Reason = "the model saw a crisis, of which the words had no sign; it sees danger in a harmless sentence, too, so it is asked about"
	case !j.Weak && !seen && j.Risk == riskCrisis && j.Often:
		f.settle(safety.CheckIn)
		f.Safety.Reason = "the model saw a crisis, of which the words had no sign; it saw one in nearly all of this conversation, so it is asked about"
	case faint && (j.Often || j.Helped):
		f.settle(safety.CheckIn)
		f.Safety.Reason = "a model that is too small to tell danger saw a crisis, and the words had a faint sign of one"
	case j.Alike && j.Weak:
		f.settle(safety.CheckIn)
		f.Safety.Reason = "a model that is too small to tell danger saw a crisis; it sees danger in a harmless sentence, too, so without a sign in the words it is heeded once in a conversation"
	case j.Weak && !seen && j.Risk == riskCrisis:
		f.settle(safety.CheckIn)
		f.Safety.Reason = "a model that is too small to tell danger by itself saw a crisis, of which the words had no sign"
	case j.Risk == riskCrisis || seen:
		f.settle(safety.Intervene)
		f.Safety.Reason = saw(j, seen)
	default:
		f.settle(safety.CheckIn)
		f.Safety.Reason = saw(j, false)
	}
}

// saw says what a model, or the script in its place, made of a message that had a sign of danger or none.
func saw(j Judgement, sign bool) string {
	for _, x := range []struct {
		practice, sign bool
		risk           string
		Reason         string
	}{
		{risk: riskCrisis, Reason: "the model saw a crisis"},
		{risk: riskConcern, Reason: "the model saw a concern, of which the words had no sign"},
		{risk: riskCrisis, sign: true, Reason: "the message had a sign of danger and the model saw a crisis"},
		{risk: riskConcern, sign: true, Reason: "the message had a sign of danger and the model saw a concern"},
		{practice: true, risk: riskCrisis, Reason: "the script saw a crisis"},
		{practice: true, risk: riskConcern, Reason: "the script saw a concern, of which the words had no sign"},
		{practice: true, risk: riskCrisis, sign: true, Reason: "the message had a sign of danger and the script saw a crisis"},
		{practice: true, risk: riskConcern, sign: true, Reason: "the message had a sign of danger and the script saw a concern"},
	} {
		if x.practice == j.Practice && x.sign == sign && x.risk == j.Risk {
			return x.Reason
		}
	}
	return ""
}

// faint says that a tier that found nothing was two thirds of the way to a check-in: a third of ordinary
// questions come a third of the way.
func (f *Finding) faint() bool {
	return slices.ContainsFunc(f.Tiers, func(r safety.Reading) bool { return r.CheckIn > 0 && 3*r.Score > 2*r.CheckIn })
}

// unasked says of an error that no model was there to be asked.
func unasked(err error) bool {
	return errors.Is(err, ErrNoModel) || errors.Is(err, model.ErrUnreachable) || errors.Is(err, model.ErrNoModel)
}

// heeded is the finding with the model's judgement, which is not told yet.
func (f Finding) heeded(j Judgement) Finding {
	f.Safety.Found = slices.Clone(f.Safety.Found)
	f.Heed(j, nil)
	return f
}

// Events tell of the finding: the check, and the check-in if it was not told before. What
// was told before is told again only with something new: the model's answer, or that there
// was none.
func (f *Finding) Events(t *graph.Task) []journal.Event {
	if f.shown && (f.told || f.Judged == nil && f.Failed == nil) {
		return nil
	}
	out := []journal.Event{f.Event()}
	if f.Level == safety.CheckIn && !f.shown {
		out = append(out, f.checkIn(t))
	}
	return out
}

// CheckInText is the template of the message above a reply.
const CheckInText = "check_in"

func (f *Finding) checkIn(t *graph.Task) journal.Event {
	return checkIn(f.Safety, t.Run.Turn+"/check-in")
}

func checkIn(s Safety, id string) journal.Event {
	return journal.Event{Message: id, Text: s.CheckIn()}.
		With(journal.MessageData{Role: journal.Assistant, Template: CheckInText, Category: s.Category, Region: s.Region})
}

// Event is the finding for the journal.
func (f *Finding) Event() journal.Event {
	by, v := f.said(), f.Rules
	rules := make([]journal.SafetyRule, 0, len(v.Findings))
	for _, x := range v.Findings {
		rules = append(rules, journal.SafetyRule{Rule: x.Rule, Category: string(x.Category)})
	}
	d := journal.SafetyCheckedData{By: journal.SafetyBy(by.By), Hijack: f.Hijack, Category: by.Category,
		Region: by.Region, Informal: by.Informal, Child: by.Child, Degraded: by.Degraded, Concern: by.Concern, Reason: by.Reason, Rules: rules, Score: v.Score, Threshold: v.Threshold, RulesVersion: v.Version,
		Level: string(by.Level), FoundBy: by.Found, Speaker: string(by.Speaker), Language: string(by.Language), Coverage: string(f.Coverage), Addition: f.shown && (f.Judged != nil || f.Failed != nil)}
	for _, r := range f.Tiers {
		d.Tiers = append(d.Tiers, journal.SafetyTier{Tier: r.Tier, Level: string(r.Level), Score: r.Score, CheckIn: r.CheckIn, Intervention: r.Intervention, Category: string(r.Category), Reasons: r.Reasons})
	}
	if j := f.Judged; j != nil {
		d.Model = &journal.SafetyJudgement{Risk: j.Risk, Category: model.Shorten(j.Category, 40), Who: model.Shorten(j.Who, 40), Practice: j.Practice, Weak: j.Weak}
	}
	e := journal.Event{Status: by.By, Reason: by.Reason}
	if f.Failed != nil && !errors.Is(f.Failed, context.Canceled) {
		e.Error = f.Failed.Error()
	}
	return e.With(d)
}

// Said tell of a finding in what a person wrote elsewhere than in a message: the check, and the
// reviewed text under an id.
func (f *Finding) Said(id, written string) []journal.Event {
	checked, message := f.Event(), journal.Event{}
	if f.Level == safety.CheckIn {
		message = checkIn(f.Safety, id)
	} else {
		_, message = Intervene(f.Safety, id)
	}
	if d, err := journal.Read[journal.SafetyCheckedData](checked); err == nil {
		d.Written = written
		checked = checked.With(d)
	}
	checked.Message = id
	return []journal.Event{checked, message}
}

// Patch writes the finding into the state.
func (f *Finding) Patch() graph.Patch {
	return graph.Patch{ChannelHijacked.Set(f.Hijack), ChannelSafety.Set(f.said())}
}

// Intervene is the reviewed text for what was found, with its message under an id.
// Nothing in it is generated.
func Intervene(s Safety, id string) (text string, message journal.Event) {
	text, ok := s.help().Intervention()
	if !ok {
		// An unknown category still gets the text that fits everywhere.
		h := s.help()
		h.Category = safety.Intent
		text, _ = h.Intervention()
	}
	return text, journal.Event{Message: id, Text: text}.
		With(journal.MessageData{Role: journal.Assistant, Template: "intervention", Category: s.Category, Region: s.Region})
}

// heeding puts what a check-in asks of the reply into the first message of a request.
func heeding(t *graph.Task, messages []model.Message) []model.Message {
	if len(messages) == 0 || !ChannelSafety.Get(t.State).Concern || slices.ContainsFunc(messages, func(m model.Message) bool { return strings.Contains(m.Text, ConcernNote) }) {
		return messages
	}
	out := slices.Clone(messages)
	out[0].Text += "\n" + ConcernNote
	return out
}

// ConcernNote tells the reply's model of a check-in.
const ConcernNote = "<concern>A check saw a possible risk to this person, or to somebody they tell of. Help lines and the question whether everybody is safe stand above your reply already. " +
	"Take the risk seriously, ask gently how safe they feel, say that help is there at any time, and give no advice that could be used to do harm.</concern>"

// InterventionStage answers with the reviewed text for the category and region, and writes more.
func InterventionStage(reply graph.Channel[string], more ...graph.Write) graph.Stage {
	return graph.Stage{ID: SafetyIntervention, Role: graph.RoleIntervention, Title: "Help in danger", Description: "Answers with a reviewed crisis text",
		Run: func(_ context.Context, t *graph.Task) (graph.Result, error) {
			text, message := Intervene(ChannelSafety.Get(t.State), t.Run.Turn+"/intervention")
			return graph.Result{Patch: append(graph.Patch{reply.Set(text)}, more...), Events: []journal.Event{message}, Do: untitled(t)}, nil
		}}
}

// untitled takes the message in danger out of the title of its session.
func untitled(t *graph.Task) graph.Change {
	return graph.In(func(rows session.TitleTx, _ graph.Tell) error {
		return rows.Entitle(t.Run.Session, t.Run.Input, session.InDanger)
	})
}

// Guard puts the safety check before a graph, the same as every agent's: a message that
// speaks of danger is answered with the reviewed text of the region, and nothing of the
// graph runs. What needs no model answers first; then the model's classifier is asked, when
// a model is at hand. Both stages count as steps.
func Guard(s graph.Spec) (graph.Spec, error) {
	for _, st := range s.Stages {
		if slices.Contains(CrisisStages(), st.ID) {
			return s, fmt.Errorf("turn: the stage name %q is Holdpoint's own; choose another", st.ID)
		}
	}
	preflight, err := PreflightStage(Beside{})
	if err != nil {
		return s, err
	}
	intervention := InterventionStage(s.Reply)
	preflight.Kind, preflight.Flags = "safety", graph.Critical
	intervention.Kind, intervention.Flags = "safety", graph.Critical

	edges := []graph.Edge{
		{From: graph.Start, To: Preflight, Type: graph.Entry},
		{From: Preflight, To: SafetyIntervention, Type: graph.Conditional, Condition: SafetyHijacked},
		{From: SafetyIntervention, To: graph.End, Type: graph.TerminalPath},
	}
	var rest []graph.Edge
	entries := 0
	for _, e := range s.Edges {
		if e.From == graph.Start {
			// Conditional edges choose one way, so there is one to begin with.
			edges = append(edges, graph.Edge{From: Preflight, To: e.To, Type: graph.Conditional, Condition: NotSafetyHijacked})
			entries++
		} else {
			rest = append(rest, e)
		}
	}
	if entries != 1 {
		return s, fmt.Errorf("turn: the graph %q has %d entries; it needs one", s.Agent, entries)
	}
	s.Stages, s.Edges = append([]graph.Stage{preflight, intervention}, s.Stages...), append(edges, rest...)
	s.Conditions = append(CrisisConditions(), s.Conditions...)
	s.Channels = append([]graph.AnyChannel{ChannelHijacked, ChannelSafety}, s.Channels...)
	if s.Failed == nil {
		s.Failed = Unanswered
	}
	return s, LateCheck(&s)
}
