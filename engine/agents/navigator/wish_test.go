package navigator

import (
	"slices"
	"strings"
	"testing"
)

// "I only asked whether he may have co-trimoxazole, and it wanted to write into his record."
func TestAsksFor_AQuestionAsksForNoChange(t *testing.T) {
	for _, message := range []string{
		"Is he allergic to anything, and may I give him co-trimoxazole?", "What is recorded about Walter?", "Hello", "My wife died in January.", "Thanks, that helps",
		"Which medicines does she take?", "When is his next appointment?", "Who booked the visit on Tuesday?", "Did anybody add a note about sleep?", "What do the notes say about sleep?",
		"He sleeps badly and is afraid of the dark.", "Show me the record", "Please summarise the lab report", "Does she need to take it three times a day?", "Tell me about his allergies please",
		"Don't book anything yet, just tell me who fits.", "I don't want you to write a note.", "Has the appointment been cancelled?", "List her conditions", "Read her allergies to me",
		"Est-il allergique à quelque chose, et puis-je lui donner du cotrimoxazole ?", "Que dit le dossier de Walter ?", "Quand est son prochain rendez-vous ?", "Bonjour", "Quels médicaments prend-elle ?",
		"Ne réserve rien pour l'instant.", "Il dort mal.", "Montre-moi ses allergies", "Qui a annulé le rendez-vous ?", "Résume son dossier s'il te plaît",
	} {
		for tool := range changes {
			if asksFor(tool, message, false) {
				t.Errorf("%q asks for %s", message, tool)
			}
		}
	}
}

// "I asked for the visit in my own words, and the small model was not let near the calendar."
func TestAsksFor_WhatIsAskedForIsOffered(t *testing.T) {
	for message, tools := range map[string]string{
		"Book it": "book", "Please book me a visit for my insomnia next week": "book", "Could you schedule a follow-up with Dr Okafor?": "book", "I need an appointment with someone about sleep": "book",
		"She should see Dr Haddad soon": "book", "Can you get him in with a therapist?": "book", "Is it possible to set up a session on Monday?": "book", "What about making an appointment for Friday?": "book",
		"Move her visit to Thursday": "book cancel", "Cancel the appointment on Friday": "cancel", "I can't make it on Tuesday": "cancel", "Can you call it off?": "cancel", "Please remove the visit on Monday": "cancel",
		"Add a care note: sleeps badly": "note", "Write down that he sleeps badly": "note", "Please note that she moved": "note", "Put it in her record": "note", "Document this fall": "note", "I'd like you to leave a note about the fall": "note",
		"Could you record that she refused the vaccine?": "note", "Record his weight as 80 kg": "note", "Care note: fell twice": "note",
		"Réserve-lui une visite mardi": "book", "Il me faut un rendez-vous avec un psychologue": "book", "Peux-tu prendre rendez-vous pour elle ?": "book", "Elle voudrait voir le docteur Okafor": "book",
		"Annule le rendez-vous de vendredi": "cancel", "Pouvez-vous annuler sa visite ?": "cancel", "Déplacez son rendez-vous à jeudi": "book cancel",
		"Ajoute une note de soins : dort mal": "note", "Note qu'il dort mal": "note", "Écris dans son dossier qu'elle est tombée": "note", "Pourriez-vous noter que la patiente refuse ?": "note", "Mets-le dans son dossier": "note",
	} {
		var got []string
		for _, tool := range []string{"book_appointment", "cancel_appointment", "add_care_note"} {
			if asksFor(tool, message, false) {
				got = append(got, map[string]string{"book_appointment": "book", "cancel_appointment": "cancel", "add_care_note": "note"}[tool])
			}
		}
		if !slices.ContainsFunc(strings.Fields(tools), func(w string) bool { return slices.Contains(got, w) }) || len(got) > 2 {
			t.Errorf("%q asks for %v, want %s", message, got, tools)
		}
	}
	for _, yes := range []string{"Yes", "yes please", "Go ahead.", "Do it", "The first one", "Oui, vas-y", "D’accord", "Sure, Thursday"} {
		if !asksFor("book_appointment", yes, true) || asksFor("book_appointment", yes, false) {
			t.Errorf("%q agrees to what was offered before, and to nothing else", yes)
		}
	}
}

// "I asked for a visit, and it wanted to write a note into the record." A polite word at the beginning of a wish
// agrees to nothing else.
func TestAsksFor_AWishForOneChangeAgreesToNoOther(t *testing.T) {
	for message, tool := range map[string]string{
		"Please book a visit with someone for my insomnia": "add_care_note", "Please cancel Friday's visit": "add_care_note", "OK, book me in on Monday": "cancel_appointment",
		"Yes, and please note that she moved": "cancel_appointment", "Oui, prends un rendez-vous mardi": "add_care_note", "D'accord, annule le rendez-vous": "book_appointment",
	} {
		if asksFor(tool, message, true) {
			t.Errorf("%q agrees to %s", message, tool)
		}
	}
}
