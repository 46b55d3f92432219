package turn_test

import (
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// "I wrote in French, and the answer was English." What says nothing of its language has none.
func TestLanguageIn_TellsEnglishAndFrenchFromEachOtherAndFromTheRest(t *testing.T) {
	for text, want := range map[string]safety.Language{
		"Quels sont ses médicaments ?": safety.French, "Annulez son rendez-vous": safety.French, "Ajoutez une note : elle dort mal": safety.French,
		"Réservez un rendez-vous avec un thérapeute pour le sommeil": safety.French, "Préparez la dérogation Rule 37 pour ce puits": safety.French,
		"jsuis pa bien": safety.French, "Elle a mal": safety.French, "Note : pas dormi": safety.French, "Qui pourrait l’aider ?": safety.French, "Rendez-vous à midi pour elle": safety.French,
		"Book a visit for pain": safety.English, "What is (17 + 4) * 2.5?": safety.English, "Cancel her appointment": safety.English, "Does this well keep the spacing rule?": safety.English,
		"I can't sleep.": safety.English, "Hello, who could help her with sleep?": safety.English,
		"OK": "", "12,480 mcf": "", "Dr. Okafor": "", "": "", "A mal dormi": "",
		"¿Puede reservar una cita para el martes?": "", "Können Sie mir einen Termin für morgen machen?": "", "Puoi prenotare una visita per la mia insonnia?": "",
	} {
		if got := turn.LanguageIn(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// remembering is a host that remembers for one visit of a stage.
type remembering struct {
	graph.Host
	made map[string]any
}

func (r remembering) Memo(_ *graph.Task, key string, make func() (any, error)) (any, error) {
	if v, ok := r.made[key]; ok {
		return v, nil
	}
	v, err := make()
	r.made[key] = v
	return v, err
}

// "After a long message each tool takes a moment more." A stage that asks its model again and again reads the message
// for its language once.
func TestLanguageOf_AStageReadsAMessageOnce(t *testing.T) {
	for text, want := range map[string]safety.Language{"I have slept badly since May. ": safety.English, "Je dors mal depuis le mois de mai. ": safety.French, "12,480 mcf ": safety.English} {
		text = strings.Repeat(text, 50)
		task := &graph.Task{Run: &graph.Header{Input: text}, Host: remembering{made: map[string]any{}}}
		bare := &graph.Task{Run: &graph.Header{Input: text}}
		if got, once := turn.LanguageOf(task), turn.LanguageOf(bare); got != want || once != want {
			t.Errorf("%.20q is %q, %q without a host; want %q", text, got, once, want)
		}
		if n := testing.AllocsPerRun(10, func() { turn.LanguageOf(task) }); n > 2 {
			t.Errorf("%.20q was read again, with %v allocations", text, n)
		}
		if got := turn.LanguageOf(task); got != want {
			t.Errorf("%.20q is %q later, want %q", text, got, want)
		}
	}
}
