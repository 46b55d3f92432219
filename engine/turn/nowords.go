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
	if pipeline.Thanks(message) && !changed { // there is nothing to answer
		return words.Say("You are welcome. Nothing was changed; write when you need something.")
	}
	say, end := words.Say, words.Say("Nothing was changed. Ask again in other words, or choose a stronger model under Models.")
	if changed {
		end = words.Say("What was approved in this turn is done. Ask again in other words, or choose a stronger model under Models.")
	}
	text := ""
	if pipeline.Courtesy(message) || courteous.MatchString(plainly(message)) {
		s, more = nil, nil
	}
	if s != nil && s.Patient.Name != "" {
		text = facts(words, s, plainly(message), more)
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
	t.Emit(journal.Event{Message: t.Run.Turn + "/unanswered", Text: why + "\n\n" + facts(words, s, plainly(t.Run.Input), nil) + "\n\n" + end + " " + next}.
		With(journal.MessageData{Role: journal.Assistant, Template: UnansweredTemplate}))
}

// changedIn says that a turn changed something, or may have.
func changedIn(t *graph.Task) bool {
	o, err := outcomeOf(t)
	return o.made || err != nil
}

// courteous is a word of thanks or a greeting in other languages.
var courteous = lazyregexp.New(`^\W*(?:(?:danke|dankeschön|vielen dank|schönen dank|hallo|guten (?:tag|morgen|abend)|tschüss|gracias|muchas gracias|hola|buenos días|buenas (?:tardes|noches)|adiós|grazie|grazie mille|ciao|buongiorno|buonasera|obrigad[oa]|olá|bedankt|dank je|tack|hej|super|gut|bien|bene|schön|ok|okay)[\s.,!🙂👍]*)+$`)

// facts are what the record says of a patient first: who it is, what a message, in small letters, asks about and who may
// help, then the rest.
func facts(words board.Phrasing, s *record.Summary, message string, more []string) string {
	asked := kindsAsked(message, s)
	text := whom(words, s)
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
		if k == Person {
			continue // it stands there
		}
		if k != Visits || len(s.Upcoming) > 0 || slices.Contains(asked, k) {
			text += "\n- " + k.line(words, s, message)
		}
	}
	return text
}

// Recorded is what the record says of a patient, first of what a message asks about: the reply of a practice script.
func Recorded(words board.Phrasing, s *record.Summary, message string) string {
	return words.Say("From the record:") + "\n\n" + facts(words, s, plainly(message), nil)
}

// whom tells who it is: name, birth and age.
func whom(words board.Phrasing, s *record.Summary) string {
	say, text := words.Say, "**"+s.Patient.Name+"**"
	if s.Patient.BirthDate != "" {
		text += say(", born %s", s.Patient.BirthDate)
	}
	switch age := s.Patient.Age; {
	case s.Patient.Deceased && age > 0:
		text += say(", died aged %d", age)
	case s.Patient.Deceased:
		text += say(", died")
	case age > 0:
		text += say(" (age %d)", age)
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
	Seen       Kind = "seen"   // visits that were; told where they are asked about
	Person     Kind = "person" // who it is and how old, likewise: facts tell it first anyway
)

// of is what a record has of a kind.
func (k Kind) of(s *record.Summary) []record.Item {
	return map[Kind][]record.Item{Allergies: s.Allergies, Medicines: s.Medications, Conditions: s.Conditions}[k]
}

// items are their names.
func (k Kind) items(s *record.Summary) (out []string) {
	for _, i := range k.of(s) {
		out = append(out, i.Text)
	}
	return out
}

// line tells what a record has of a kind, with the dates where a message, in small letters, asks for them.
func (k Kind) line(words board.Phrasing, s *record.Summary, message string) string {
	say := words.Say
	none := say("none in the record")
	switch {
	case k == Person:
		return whom(words, s)
	case k == Seen && len(s.Encounters) == 0:
		return say("Last visit: %s", none)
	case k == Seen:
		e := s.Encounters[0]
		return say("Last visit: %s, %s", e.Day(), e.Text)
	case k == Visits && len(s.Upcoming) == 0:
		return say("Next visit: %s", none)
	case k == Visits:
		var next []string
		for _, b := range s.Upcoming[:min(3, len(s.Upcoming))] {
			when := words.Told(record.Moment(b.Start))
			if b.Provider != "" {
				when = say("%s with %s", when, b.Provider)
			}
			next = append(next, when)
		}
		return say("Next visit: %s", strings.Join(next, say("; ")))
	}
	names := k.items(s)
	if len(names) == 0 {
		names = []string{none}
	} else if k != Allergies && asksWhen.MatchString(message) {
		for i, item := range k.of(s) {
			if item.Date != "" {
				names[i] = say("%s, since %s", item.Text, item.Day())
			}
		}
	}
	says := map[Kind]string{Allergies: say("Allergies: %s"), Medicines: say("Medications: %s"), Conditions: say("Conditions: %s")}[k]
	return fmt.Sprintf(says, strings.Join(names, say("; ")))
}

// asksWhen asks for a date.
var asksWhen = lazyregexp.New(`\b(?:when|since|how long|how recent\w*|dates?|started|quand|depuis|combien de temps|ancienneté)\b`)

// asksOf are the words of a question about what a record has of a kind.
var asksOf = map[Kind]*lazyregexp.Regexp{
	Allergies:  lazyregexp.New(`\ballerg|\bintoleran|\bintolér|\banaphyla|\breact(?:s|ed|ions?)? to\b|\bréactions? (?:à|au)\b|\b(?:(?:can|may|might|could|should) (?:[^y\s]\S*|y[^o]\S*)|safe|ok|okay|fine|allowed) (?:for |to )?(?:\S+ ){0,2}?(?:take|give|prescribe|use|start|be given)\b|\b(?:puis-je|peut-(?:il|elle|on)|(?:je|il|elle|on) (?:peut|peux|pourrait|doit)|faut-il|dois-je|possible de) (?:\S+ ){0,3}?(?:prendre|donner|prescrire|utiliser|recevoir)(?:[^\pL]|$)`),
	Medicines:  lazyregexp.New(`\bmedic(?:ine|ation|ament)|\bmeds\b|\bdrugs?\b|\bprescri|\b(?:is|are|does) \S+ (?:\S+ )?(?:tak(?:e|ing)\b|on\s*[?])|\bwhat (?:does|is|am|do) \S+ (?:\S+ )?(?:take|taking|on)\b|\btablets?\b|\bpills?\b|\bdos(?:e|es|age)\b|\bmédic|\btraitement|\bordonnance|\bcomprimé|\bposologie|\b(?:prend|prends|prenez)[- ](?:elle|il|t-elle|t-il|je|tu|vous)\b`),
	Conditions: lazyregexp.New(`\bconditions?\b|\bdiagnos|\bdiseases?\b|\billness|\bailments?\b|\bproblem list\b|\b(?:health|medical) (?:problems?|issues?|history)\b|\bsuffers? from\b|\bmaladies?\b|\bpathologies?\b|\bantécédents?\b|\bsouffre\b|\bproblèmes? de santé\b`),
	Person:     lazyregexp.New(`\bwho (?:is|are) (?:he|she|they|this|that|it|the patient|my patient)\b|\bhow old\b|\b(?:his|her|their|the patient's) (?:age|name|birthday|date of birth|birth ?date)\b|\b(?:when|what year) (?:was|were) (?:he|she|they) born\b|\bqui est[- ](?:ce|elle|il|la patiente?|le patient)|\bquel âge\b|(?:^|[^\pL])(?:son|sa|leur) (?:âge|nom|date de naissance)|\bnée? (?:quand|en quelle)|\bquand est[- ](?:il|elle) née?(?:[^\pL]|$)`),
	Visits:     lazyregexp.New(`\b(?:appointments?|visits?|bookings?|scheduled|booked|coming up|upcoming)\b|\brendez-vous\b|\brdv\b|\bprochaine? (?:visite|consultation|séance)\b|\bvisites?\b`),
	Seen:       lazyregexp.New(`\b(?:last|previous|past|recent|latest|earlier) (?:\pL+ )?(?:visits?|appointments?|consultations?|check-?ups?|encounters?|admissions?)\b|\blast (?:seen|saw|been|come|came|here|attend\w*|visit\w*|time (?:i|he|she|they|we) (?:was|were|came|saw|visited))\b|\b(?:dernières?|précédentes?|dernier|derniers) (?:visites?|consultations?|rendez-vous|rdv|passages?)\b|\b(?:vue?s?|venue?s?) (?:pour )?la dernière fois\b`),
}

// Added is what of the record stands below a reply, "" for nothing. Below one of a very small model, to a question about
// allergies, medicines, conditions or visits, or where it speaks of these unasked, that is what the record has of them: a
// reply that names them may still say the opposite, or another dose; more are lines of what else it leaves out. Below one of any other model it is the
// allergies, where the person asks about them, or whether somebody may take something, and the reply names none.
func Added(words board.Phrasing, s *record.Summary, message, reply string, small bool, more ...string) string {
	message = plainly(message)
	text := ""
	kinds := kindsAsked(message, s)
	if small {
		for _, k := range kindsAsked(plainly(reply), s) {
			if !slices.Contains(kinds, k) && k != Visits && k != Seen && k != Person {
				kinds = append(kinds, k)
			}
		}
	}
	for _, k := range kinds {
		line := k.line(words, s, message)
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
	for _, k := range append(slices.Clip(everyKind), Seen, Person) {
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
