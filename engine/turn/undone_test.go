package turn_test

import (
	"testing"

	"holdpoint/engine/turn"
)

// "It had told me that nothing was booked, and then it told me again."
func TestSaysUndone_WhatIsToldPlainlyIsHeard(t *testing.T) {
	for _, said := range []string{
		"Nothing was booked.", "Understood: the visit was not booked.", "The appointment hasn't been cancelled.", "I have not added the note.", "I could not book it, the slot is taken.", "No visit was booked, since you said no.", "I did not write anything down.",
		"The booking could not be made.", "Nothing has changed in the record.", "I was unable to book the visit.", "I've booked nothing.", "It wasn’t saved. Shall I try again?", "The visit has not yet been moved.",
		"Rien n'a été réservé.", "Je n'ai pas réservé la visite.", "Je n’ai rien noté dans le dossier.", "La visite n'a pas été annulée.", "Aucun rendez-vous n'a été pris.", "Je n'ai pas pu réserver ce créneau.", "Le rendez-vous n'est pas réservé.", "La note n'a pas pu être ajoutée.",
	} {
		if !turn.SaysUndone(said) {
			t.Errorf("%q says nothing", said)
		}
	}
	for _, said := range []string{
		"Understood.", "I understand that Tuesday does not suit you.", "Which day suits you better?", "Was nothing booked?", "Dr Okafor is free on Monday.", "If it is not booked by Friday, the slot goes to others.", "The slot is taken.", "She has not been seen since March.",
		"The booking was rejected: Not this.", "Nothing in the record speaks against it.", "You are booked for Tuesday.", "Je comprends.", "Le créneau est pris.", "Si rien n'est réservé, appelez-nous.", "Rien dans le dossier ne s'y oppose.", "Elle n'a pas été vue depuis mars.",
	} {
		if turn.SaysUndone(said) {
			t.Errorf("%q says that nothing was done", said)
		}
	}
}
