package navigator_test

import (
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/board"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

const nothingDone = "Nothing was booked, cancelled or written into the record in this turn"

// "It told me that I have an appointment on Tuesday at 9. Nobody knew of one."
func TestNavigator_AReplyThatClaimsAChangeIsCorrectedWhereNoneWasMade(t *testing.T) {
	h := newTwin(t)
	sessions := 0
	reply := func(said string) (run.Outcome, string) {
		h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: said} }
		sessions++ // of its own: a turn reads all that was said before it
		out := h.status(h.askIn(fmt.Sprint("s", sessions), "pat-alder", nothing), run.Completed)
		return out, out.Run.Output
	}
	for _, said := range []string{
		"Your appointment is booked for Tuesday at 9.", "I have booked your visit with Dr. Okafor.", "Done! I've scheduled it for Tuesday.", "No problem, I just cancelled your appointment.", "It's booked.", "Your visit with Dr. Okafor has been confirmed for Tuesday at 9.",
		"I've gone ahead and booked you in for 9.", "I wrote it down in your record.", "I have saved a note to your chart.", "A care note has been added to the record.", "We've moved your appointment to Friday.", "You are all booked in for Tuesday.", "Appointment booked for Tuesday.",
		"Perfect. I’ve made an appointment for you.", "That's been cancelled.", "**Booked!** See you Tuesday.", "I've written this down.", "I have documented that in her file.", "Your booking is confirmed.", "The 9:00 slot on Tuesday has been booked for you.", "You have been booked in with Dr. Okafor.", "I was able to book you in for Tuesday at 9.", "Your appointment has now been rescheduled to Friday.", "Okay, booked: Tuesday at 9.", "Booking complete.", "Réservé !",
		"J'ai pu réserver le créneau de 9 h.", "L'annulation a été effectuée.", "Je vous ai inscrit pour mardi à 9 h.", "Your record has been updated.", "I have updated your allergy in the record.",
		"J'ai réservé votre rendez-vous pour mardi à 9 h.", "Votre rendez-vous est réservé pour mardi.", "C’est réservé !", "Votre visite a bien été annulée.", "J'ai noté cela dans votre dossier.", "Pas de souci, j'ai annulé la consultation.", "Une note a été ajoutée au dossier.",
		"J'ai pris rendez-vous avec le Dr Okafor.", "Rendez-vous confirmé pour mardi.", "Je l'ai enregistré.", "Je viens de réserver la visite.",
	} {
		out, got := reply(said)
		if !strings.HasPrefix(got, said+"\n\n") || !strings.Contains(got, nothingDone) {
			t.Errorf("%q is left as it is: %q", said, got)
		}
		for _, e := range h.of(out, journal.Message) {
			if d, err := journal.Read[journal.MessageData](e); err == nil && d.Role == journal.Assistant && e.Text != got {
				t.Errorf("%q: the journal has %q", said, e.Text)
			}
		}
	}
	for _, said := range []string{
		"You have an appointment booked on Tuesday at 9.", "Your next appointment is scheduled for Tuesday.", "According to the record, your visit is booked for Tuesday.", "Shall I say that it is booked?", "Once your appointment is booked, you get a message.", "Nothing has been booked.",
		"Your appointment has not been booked.", "No appointment has been booked yet.", "I can book a visit with Dr. Okafor.", "I will write it down if you like.", "I have proposed a visit; a person must approve it.", "The slot at 9 is booked; 10 is free.", "Dr. Okafor is fully booked.",
		"I've noted your concern.", "Your appointment was cancelled by Dr. Haddad.", "The visit was booked on 3 March.", "An appointment is booked by phone.", "I found a note in your record.", "I have confirmed that she speaks Arabic.", "- Booked: Tuesday at 9\n- Cancelled: Friday", "I have set out the choices.",
		"Appointments are booked at the desk.", "The notes are saved for ten years.", "If it's booked, you are told.", "I made a list of providers for you.", "I recorded nothing.",
		"Vous avez un rendez-vous réservé mardi.", "Votre prochain rendez-vous est fixé à mardi.", "Rien n'a été réservé.", "Je n'ai pas annulé la visite.", "Selon le dossier, la visite est réservée.", "C'est noté.", "Je peux réserver un rendez-vous.", "Si votre rendez-vous est annulé, on vous le dit.", "J'ai noté votre inquiétude.",
	} {
		if _, got := reply(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
	}
}

// "It booked the visit that I approved, and then it said that nothing was booked."
func TestNavigator_AClaimOfAChangeThatWasMadeStands(t *testing.T) {
	h := newHouse(t)
	h.model.think = func(r model.Request) model.Message {
		if len(results(r)) == 0 {
			return model.Message{Role: "assistant", Calls: []model.Call{call("add_care_note", `{"text":"Sleeps badly."}`)}}
		}
		return model.Message{Role: "assistant", Text: "I have added a note to your record."}
	}
	out := h.ask("pat-alder", nothing)
	h.decide(h.only(), true, "")
	if out = h.status(h.resume(out), run.Completed); out.Run.Output != "I have added a note to your record." {
		t.Errorf("the reply is %q", out.Run.Output)
	}
	out = h.ask("pat-alder", nothing)
	h.decide(h.only(), false, "Not this.")
	if out = h.status(h.resume(out), run.Completed); !strings.Contains(out.Run.Output, nothingDone) {
		t.Errorf("the reply to a rejected change is %q", out.Run.Output)
	}
}

// "I asked when my appointment is. It told me, and then it said that nothing was booked."
func TestNavigator_AVisitOfTheRecordIsNoClaim(t *testing.T) {
	h := newHouse(t)
	h.put(`{"resourceType":"Appointment","id":"soon","status":"booked","start":"2026-12-20T09:00:00Z","end":"2026-12-20T09:50:00Z","participant":[{"actor":{"reference":"Patient/pat-alder"},"status":"accepted"},{"actor":{"reference":"Practitioner/prov-haddad"},"status":"accepted"}]}`)
	const said = "Your appointment is booked for 20 December."
	h.model.think = func(model.Request) model.Message { return model.Message{Role: "assistant", Text: said} }
	if out := h.status(h.ask("pat-alder", "When is my appointment?"), run.Completed); out.Run.Output != said {
		t.Errorf("the reply is %q", out.Run.Output)
	}
	if out := h.status(h.ask("pat-alder", "Book me another one on 20 December."), run.Completed); !strings.Contains(out.Run.Output, nothingDone) {
		t.Errorf("the reply to who asks for a booking is %q", out.Run.Output)
	}
}

// "I said no to the visit, and it thanked me and told me about sleep. Is there a visit now?" Where a change that
// was asked for, or that a person was asked about, came to nothing, the reply says so or a line beneath it does.
func TestNavigator_WhatCameToNothingIsSaid(t *testing.T) {
	const french = "fr " + nothingDone
	take := func(h *house) {
		start := h.slots("prov-okafor")[0]
		h.put(`{"resourceType":"Appointment","id":"other","status":"booked","start":"` + start + `","minutesDuration":50,"participant":[{"actor":{"reference":"Patient/pat-birch"},"status":"accepted"},{"actor":{"reference":"Practitioner/prov-okafor"},"status":"accepted"}]}`)
	}
	book := func(h *house) []model.Call { return []model.Call{h.book("prov-okafor", h.slots("prov-okafor")[0])} }
	note := func(*house) []model.Call { return []model.Call{call("add_care_note", `{"text":"Sleeps badly."}`)} }
	for name, c := range map[string]struct {
		message string
		calls   func(h *house) []model.Call
		decide  func(h *house)
		say     string
		below   string // "" for nothing
	}{
		"rejected":                  {nothing, book, func(h *house) { h.decide(h.only(), false, "Not Tuesday.") }, "I understand that Tuesday does not suit you.", nothingDone},
		"a rejected note":           {nothing, note, func(h *house) { h.decide(h.only(), false, "Not true.") }, "Thank you for telling me.", nothingDone},
		"rejected, and said":        {nothing, book, func(h *house) { h.decide(h.only(), false, "Not Tuesday.") }, "I understand; the visit was not booked.", ""},
		"never offered":             {"Please book me a visit with Dr Okafor on Tuesday", nil, nil, "Dr Okafor treats insomnia. Which time suits you?", nothingDone},
		"never offered, in French":  {"Réserve-lui une visite mardi avec le docteur Okafor", nil, nil, "Le docteur Okafor traite l'insomnie.", french},
		"a note, never offered":     {"Add a care note: he sleeps badly", nil, nil, "That must be hard for him.", nothingDone},
		"refused by the tool":       {"Book her in with nobody at nine", func(h *house) []model.Call { return []model.Call{h.book("nobody", "2026-03-03T09:00:00Z")} }, nil, "I do not know that provider.", nothingDone},
		"taken in the meantime":     {nothing, book, func(h *house) { h.decide(h.only(), true, ""); take(h) }, "Somebody else was faster.", nothingDone},
		"approved":                  {"Add a care note: he sleeps badly", note, func(h *house) { h.decide(h.only(), true, "") }, "Thank you.", ""},
		"asked for nothing":         {"Which medicines does he take?", nil, nil, "He takes sertraline.", ""},
		"wants nothing booked":      {"Don't book anything, just tell me who fits.", nil, nil, "Dr Okafor fits.", ""},
		"read only":                 {"What do the notes say about sleep?", func(*house) []model.Call { return []model.Call{call("search_notes", `{"query":"sleep"}`)} }, nil, "He sleeps badly.", ""},
		"agrees to what was not on": {"Okay, thanks", nil, nil, "You are welcome.", ""},
	} {
		h := newTwin(t)
		h.live.Phrasing = func(language string) board.Phrasing {
			return board.Phrasing{Language: language, Say: func(format string, values ...any) string { return fmt.Sprintf(language+" "+format, values...) }, Told: board.English.Told}
		}
		h.model.think = func(r model.Request) model.Message {
			if c.calls != nil && len(results(r)) == 0 {
				return model.Message{Role: "assistant", Calls: c.calls(h)}
			}
			return model.Message{Role: "assistant", Text: c.say}
		}
		out := h.ask("pat-alder", c.message)
		if c.decide != nil {
			c.decide(h)
			out = h.resume(out)
		}
		got := h.status(out, run.Completed).Run.Output
		if rest, ok := strings.CutPrefix(got, c.say); !ok || (strings.TrimSpace(rest) != "") != (c.below != "") || !strings.Contains(rest, c.below) {
			t.Errorf("%s: %q", name, got)
		}
	}
	// Who says yes to what was offered asks for it.
	h := newTwin(t)
	h.model.think = func(model.Request) model.Message {
		return model.Message{Role: "assistant", Text: "Shall I book a visit with Dr Okafor?"}
	}
	h.status(h.ask("pat-alder", "He sleeps badly."), run.Completed)
	h.model.think = func(model.Request) model.Message {
		return model.Message{Role: "assistant", Text: "Good choice."}
	}
	if got := h.status(h.ask("pat-alder", "Yes please"), run.Completed).Run.Output; !strings.Contains(got, nothingDone) {
		t.Errorf("after a yes: %q", got)
	}
}
