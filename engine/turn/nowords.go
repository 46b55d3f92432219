package turn

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/record"
)

// NoWordsTemplate is the template of a reply that stands for a model's.
const NoWordsTemplate = "no_words"

// UnansweredTemplate is the template of what a turn tells that no model answered.
const UnansweredTemplate = "unanswered"

// NoWords is the reply when a model gave none that a person can use: it says so, and what
// the record says where there is one, first of what the message asks about: lines of who may help, or a kind. To a mere
// courtesy it says nothing of the record. changed says that something was changed in the turn.
func NoWords(words board.Phrasing, s *record.Summary, message string, changed bool, more ...string) string {
	say, end := words.Say, words.Say("Nothing was changed. Ask again in other words, or choose a stronger model under Models.")
	if changed {
		end = words.Say("What was approved in this turn is done. Ask again in other words, or choose a stronger model under Models.")
	}
	text := ""
	if pipeline.Courtesy(message) || courteous.MatchString(plainly(message)) {
		s, more = nil, nil
	}
	if s != nil && s.Patient.Name != "" {
		text = facts(words, s, kindsAsked(plainly(message), s), more)
	} else {
		for _, line := range more {
			text += "\n- " + line
		}
	}
	if text == "" {
		return say("The model gave no answer that can be used.") + "\n\n" + end
	}
	return say("The model gave no answer that can be used, so this is from the record alone.") + "\n\n" + strings.TrimPrefix(text, "\n") + "\n\n" + end
}

// Unanswered tells, where a turn ends since no model answers it, what the record says whom it is
// about; where it is about nobody the error stands alone.
func Unanswered(t *graph.Task, err error) {
	words := Tongue(t)
	say := words.Say
	var why, next string
	switch {
	case errors.Is(err, ErrNoModel), errors.Is(err, model.ErrUnreachable), errors.Is(err, model.ErrNoModel):
		why = say("No model is at hand, so this is no answer: it is from the record alone.")
		next = say("Choose a model or practice mode under Models, then try the turn again.")
	case errors.Is(err, model.ErrMute):
		why = say("The model server does not answer, so this is from the record alone.")
		next = say("Start the model server anew, then try the turn again, or choose practice mode under Models.")
	case errors.Is(err, model.ErrStalled), errors.Is(err, model.ErrBroken), errors.Is(err, model.ErrServer), errors.Is(err, model.ErrRequest):
		why = say("The model gave no whole answer, so this is from the record alone.")
		next = say("Try the turn again, or choose another model under Models.")
	default:
		return
	}
	s := SummaryOf(t)
	if s == nil || s.Patient.Name == "" {
		return
	}
	end := say("Nothing was changed.")
	if changedIn(t) {
		end = say("What was approved in this turn is done.")
	}
	t.Emit(journal.Event{Message: t.Run.Turn + "/unanswered", Text: why + "\n\n" + facts(words, s, kindsAsked(plainly(t.Run.Input), s), nil) + "\n\n" + end + " " + next}.
		With(journal.MessageData{Role: journal.Assistant, Template: UnansweredTemplate}))
}

// changedIn says that a turn changed something, or may have.
func changedIn(t *graph.Task) bool {
	o, err := outcomeOf(t)
	return o.made || err != nil
}

// courteous is a word of thanks or a greeting in other languages.
var courteous = lazyregexp.New(`^\W*(?:(?:danke|dankeschön|vielen dank|schönen dank|hallo|guten (?:tag|morgen|abend)|tschüss|gracias|muchas gracias|hola|buenos días|buenas (?:tardes|noches)|adiós|grazie|grazie mille|ciao|buongiorno|buonasera|obrigad[oa]|olá|bedankt|dank je|tack|hej|super|gut|bien|bene|schön|ok|okay)[\s.,!🙂👍]*)+$`)

// facts are what the record says of a patient first: who it is, what was asked about and who may help, then the rest.
func facts(words board.Phrasing, s *record.Summary, asked []Kind, more []string) string {
	say := words.Say
	text := "**" + s.Patient.Name + "**"
	if s.Patient.BirthDate != "" {
		text += say(", born %s", s.Patient.BirthDate)
	}
	for _, line := range more { // they are there where somebody asks who could help
		text += "\n- " + line
	}
	order := slices.Clone(asked)
	for _, k := range everyKind {
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	for _, k := range order {
		if line := k.line(words, s); line != "" {
			text += "\n- " + line
		} else if slices.Contains(asked, k) {
			text += "\n- " + say("Next visit: %s", say("none in the record"))
		}
	}
	return text
}

// Kind is a kind of what a record says of a patient.
type Kind string

// Kinds that a record's facts are told of.
const (
	Allergies  Kind = "allergies"
	Medicines  Kind = "medicines"
	Conditions Kind = "conditions"
	Visits     Kind = "visits"
)

// items are what a record has of a kind, by name.
func (k Kind) items(s *record.Summary) (out []string) {
	list := map[Kind][]record.Item{Allergies: s.Allergies, Medicines: s.Medications, Conditions: s.Conditions}[k]
	for _, i := range list {
		out = append(out, i.Text)
	}
	return out
}

// line tells what a record has of a kind; "" for no visit.
func (k Kind) line(words board.Phrasing, s *record.Summary) string {
	say := words.Say
	if k == Visits {
		if len(s.Upcoming) == 0 {
			return ""
		}
		b := s.Upcoming[0]
		when := words.Told(record.Moment(b.Start))
		if b.Provider == "" {
			return say("Next visit: %s", when)
		}
		return say("Next visit: %s with %s", when, b.Provider)
	}
	names := k.items(s)
	if len(names) == 0 {
		names = []string{say("none in the record")}
	}
	says := map[Kind]string{Allergies: say("Allergies: %s"), Medicines: say("Medications: %s"), Conditions: say("Conditions: %s")}[k]
	return fmt.Sprintf(says, strings.Join(names, say("; ")))
}

// asksOf are the words of a question about what a record has of a kind.
var asksOf = map[Kind]*lazyregexp.Regexp{
	Allergies:  lazyregexp.New(`\ballerg|\bintoleran|\bintolér|\banaphyla|\breact(?:s|ed|ions?)? to\b|\bréactions? (?:à|au)\b|\b(?:(?:can|may|might|could|should) (?:[^y\s]\S*|y[^o]\S*)|safe|ok|okay|fine|allowed) (?:for |to )?(?:\S+ ){0,2}?(?:take|give|prescribe|use|start|be given)\b|\b(?:puis-je|peut-(?:il|elle|on)|(?:je|il|elle|on) (?:peut|peux|pourrait|doit)|faut-il|dois-je|possible de) (?:\S+ ){0,3}?(?:prendre|donner|prescrire|utiliser|recevoir)(?:[^\pL]|$)`),
	Medicines:  lazyregexp.New(`\bmedic(?:ine|ation|ament)|\bmeds\b|\bdrugs?\b|\bprescri|\b(?:is|are|does) \S+ (?:\S+ )?(?:tak(?:e|ing)\b|on\s*[?])|\bwhat (?:does|is|am|do) \S+ (?:\S+ )?(?:take|taking|on)\b|\btablets?\b|\bpills?\b|\bdos(?:e|es|age)\b|\bmédic|\btraitement|\bordonnance|\bcomprimé|\bposologie|\b(?:prend|prends|prenez)[- ](?:elle|il|t-elle|t-il|je|tu|vous)\b`),
	Conditions: lazyregexp.New(`\bconditions?\b|\bdiagnos|\bdiseases?\b|\billness|\bailments?\b|\bproblem list\b|\b(?:health|medical) (?:problems?|issues?|history)\b|\bsuffers? from\b|\bmaladies?\b|\bpathologies?\b|\bantécédents?\b|\bsouffre\b|\bproblèmes? de santé\b`),
	Visits:     lazyregexp.New(`\b(?:appointments?|visits?|bookings?|scheduled|booked|coming up|upcoming)\b|\brendez-vous\b|\brdv\b|\bprochaine? (?:visite|consultation|séance)\b|\bvisites?\b`),
}

// Added is what of the record stands below a reply, "" for nothing. Below one of a very small model, to a question about
// allergies, medicines, conditions or visits, that is what the record has of these: a reply that names them may still
// say the opposite, or another dose; more are lines of what else it leaves out. Below one of any other model it is the
// allergies, where the person asks about them, or whether somebody may take something, and the reply names none.
func Added(words board.Phrasing, s *record.Summary, message, reply string, small bool, more ...string) string {
	message = plainly(message)
	text := ""
	for _, k := range kindsAsked(message, s) {
		line := k.line(words, s)
		if k == Visits && line == "" {
			line = words.Say("Next visit: %s", words.Say("none in the record"))
		}
		if small || k == Allergies && asksAllergies(message) && len(s.Allergies) > 0 && !namesAllergy(reply, message, s) {
			text += "\n- " + line
		}
	}
	if small {
		for _, line := range more {
			text += "\n- " + line
		}
	}
	if text == "" {
		return ""
	}
	return words.Say("From the record:") + text
}

// everyKind are those of facts, as they are told.
var everyKind = []Kind{Allergies, Medicines, Conditions, Visits}

// kindsAsked are those that a message, in small letters, asks about.
func kindsAsked(message string, s *record.Summary) (out []Kind) {
	if s == nil || s.Patient.Name == "" {
		return nil
	}
	for _, k := range everyKind {
		if k.asked(message, s) {
			out = append(out, k)
		}
	}
	return out
}

// SummaryOf is what the record of the patient says whom a turn is about; nil for none.
func SummaryOf(t *graph.Task) *record.Summary {
	subject := SubjectOf(t)
	if subject.Type != "Patient" {
		return nil
	}
	var s record.Summary
	if graph.View(t, func(tx record.Tx) (err error) {
		s, err = record.PatientSummary(tx, subject.ID, t.Run.StartedAt)
		return err
	}) != nil {
		return nil // what cannot be read is left out
	}
	return &s
}
