package turn

import (
	"errors"
	"fmt"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

// NoWordsTemplate is the template of a reply that stands for a model's.
const NoWordsTemplate = "no_words"

// UnansweredTemplate is the template of what a turn tells that no model answered.
const UnansweredTemplate = "unanswered"

// NoWords is the reply when a model gave none that a person can use: it says so, and what
// the record says where there is one. changed says that something was changed in the turn.
func NoWords(words board.Speech, s *record.Summary, changed bool) string {
	say, end := words.Say, words.Say("Nothing was changed. Ask again in other words, or choose a stronger model under Models.")
	if changed {
		end = words.Say("What was approved in this turn is done. Ask again in other words, or choose a stronger model under Models.")
	}
	if s == nil || s.Patient.Name == "" {
		return say("The model gave no answer that can be used.") + "\n\n" + end
	}
	return say("The model gave no answer that can be used, so this is from the record alone.") + "\n\n" + facts(words, s) + "\n\n" + end
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
	t.Emit(journal.Event{Message: t.Run.Turn + "/unanswered", Text: why + "\n\n" + facts(words, s) + "\n\n" + end + " " + next}.
		With(journal.MessageData{Role: journal.Assistant, Template: UnansweredTemplate}))
}

// changedIn says that a turn changed something, or may have.
func changedIn(t *graph.Task) (changed bool) {
	err := graph.View(t, func(tx interface {
		Entries(turn string, fn func(ledger.Entry) (bool, error)) error
	}) error {
		return tx.Entries(t.Run.Turn, func(e ledger.Entry) (bool, error) {
			changed = changed || e.State == ledger.Committed || e.State == ledger.Started || e.State == ledger.Unknown
			return !changed, nil
		})
	})
	return changed || err != nil
}

// facts are what the record says of a patient first.
func facts(words board.Speech, s *record.Summary) string {
	say := words.Say
	text := "**" + s.Patient.Name + "**"
	if s.Patient.BirthDate != "" {
		text += say(", born %s", s.Patient.BirthDate)
	}
	for _, part := range []struct {
		says  string
		items []record.Item
	}{{say("Allergies: %s"), s.Allergies}, {say("Medications: %s"), s.Medications}, {say("Conditions: %s"), s.Conditions}} {
		names := make([]string, 0, len(part.items))
		for _, i := range part.items {
			names = append(names, i.Text)
		}
		if len(names) == 0 {
			names = []string{say("none in the record")}
		}
		text += "\n- " + fmt.Sprintf(part.says, strings.Join(names, say("; ")))
	}
	if len(s.Upcoming) > 0 {
		b := s.Upcoming[0]
		if when := words.Told(record.Moment(b.Start)); b.Provider == "" {
			text += "\n- " + say("Next visit: %s", when)
		} else {
			text += "\n- " + say("Next visit: %s with %s", when, b.Provider)
		}
	}
	return text
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
