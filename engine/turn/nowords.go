package turn

import (
	"fmt"
	"strings"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/record"
)

// NoWordsTemplate is the template of a reply that stands for a model's.
const NoWordsTemplate = "no_words"

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
	text := say("The model gave no answer that can be used, so this is from the record alone.") + "\n\n**" + s.Patient.Name + "**"
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
	return text + "\n\n" + end
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
