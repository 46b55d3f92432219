package turn_test

import (
	"testing"

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
