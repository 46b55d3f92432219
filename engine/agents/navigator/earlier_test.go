package navigator_test

import (
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/memory"
	"holdpoint/engine/model"
)

// remembers switches memory on, with an earlier conversation about the patient.
func (h *house) remembers(patient, text string) {
	h.t.Helper()
	about := "Patient/" + patient
	e := memory.Episode{ID: memory.EpisodeID(about, "earlier"), About: about, Session: "earlier", Text: text, By: memory.ByCode, At: monday, Turns: 1}
	if err := h.db.UpdateMemory(func(tx memory.Tx) error { return tx.PutEpisode(e) }); err != nil {
		h.t.Fatal(err)
	}
	h.live.Memory = &memory.Recaller{Store: h.db}
}

// "Since memory is on, every answer takes twice as long": what the server keeps of a prompt
// must not change with what is recalled.
func TestNavigator_WhatIsRecalledComesAfterWhatStandsForTheSession(t *testing.T) {
	h := newHouse(t)
	h.ask("pat-alder", "I cannot sleep")
	plain := h.model.last().Messages
	twin := newTwin(t)
	twin.remembers("pat-alder", "Spoke of sleep and a sleep diary.")
	twin.ask("pat-alder", "I cannot sleep")
	got := twin.model.last().Messages
	if len(got) != len(plain)+1 {
		t.Fatalf("%d messages, %d without memory", len(got), len(plain))
	}
	at := -1
	for i, m := range got {
		if strings.HasPrefix(m.Text, "=== Memory Context ===\n[Episodic Memory -- Relevant Past Conversations]\n- (similarity: 0.") {
			at = i
		}
	}
	if at < 0 || got[at].Role != "system" || fmt.Sprint(got[:at]) != fmt.Sprint(plain[:at]) || fmt.Sprint(got[at+1:]) != fmt.Sprint(plain[at:]) || !strings.HasPrefix(got[at+1].Text, "Context for the next message:") {
		t.Errorf("memory is message %d of\n%v", at, got)
	}
	// The next turn begins as this one did.
	twin.ask("pat-alder", "And what about the sleep diary?")
	next := twin.model.last().Messages
	if fmt.Sprint(next[:at]) != fmt.Sprint(got[:at]) {
		t.Error("the prompt's beginning changed")
	}
}

// A turn that waited for a person while its memory was forgotten goes on without it.
func TestNavigator_WhatWasForgottenWhileATurnWaitedIsNotTold(t *testing.T) {
	h := newHouse(t)
	h.remembers("pat-alder", "Spoke of the visit and a secret.")
	start := h.slots("prov-okafor")[0]
	h.model.think = calls(call("book_appointment", fmt.Sprintf(`{"provider":"prov-okafor","start":%q,"patient":"pat-alder"}`, start)))
	out := h.ask("pat-alder", "Please book the visit")
	if !told(h.model.asked, "a secret") {
		t.Fatal("nothing was recalled")
	}
	if err := memory.Forget(h.db, memory.EpisodeID("Patient/pat-alder", "earlier"), 1, monday); err != nil {
		t.Fatal(err)
	}
	h.decide(h.only(), true, "")
	before := len(h.model.asked)
	h.resume(out)
	if len(h.model.asked) == before || told(h.model.asked[before:], "a secret") {
		t.Errorf("%d prompts came after it, and it is told: %v", len(h.model.asked)-before, told(h.model.asked[before:], "a secret"))
	}
}

func told(asked []model.Request, text string) bool {
	for _, r := range asked {
		for _, m := range r.Messages {
			if strings.Contains(m.Text, text) {
				return true
			}
		}
	}
	return false
}
