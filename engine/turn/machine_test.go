package turn_test

import (
	"strings"
	"testing"

	"holdpoint/engine/turn"
)

const week = "Tell me something about my week"

// "I asked about my week, and it answered “risk: none, intent: question”; then with a record as YAML, with where a program
// broke off, with list_medications, with P5Y2M."
func TestSpoken_WhatOneProgramHandsToAnotherReachesNobody(t *testing.T) {
	for _, said := range []string{
		"risk: none\nintent: question\ntone: calm", "tone: warm\nacknowledgement: That sounds hard.", "intent: small_talk", "Risk: none\nIntent: question\nTone: calm", "- urgency: routine\n- concerns: []", "category = none\nrisk = none", "signal_summary: sleeps badly\nurgency: routine", "**risk**: none\n**intent**: question",
		"resourceType: MedicationRequest\nstatus: active", "- id: m1\n  text: Metformin\n  status: active", "---\nresourceType: Patient\nname:\n  - family: Alder", "medications:\n  - id: m1\n    code: 860975", "```yaml\nname: Rowan\n```", "birthDate: 1984-03-12\ngender: female",
		"Traceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    x()\nKeyError: 'patient'", "TypeError: Cannot read properties of undefined (reading 'id')\n    at week (/srv/app.js:10:5)\n    at main (/srv/app.js:22:1)", "Error: no patient\n    at Object.<anonymous> (/srv/app.js:1:7)",
		"panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:12 +0x1d\nexit status 2", "Exception in thread \"main\" java.lang.NullPointerException\n\tat com.clinic.Week.read(Week.java:12)\nCaused by: java.io.IOException: closed\n\t... 3 more", "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`", "ValueError: week is missing",
		`Your medicines are {"id":"m1","code":{"text":"Metformin"}} as recorded.`, "Your medicines are {'id': 'm1', 'text': 'Metformin'}.", `You take ["Metformin","Ramipril"] every day.`, `Here is your week: [{"start":"2026-03-03"},{"start":"2026-03-04"}] as planned.`,
		"| id | resourceType |\n|---|---|\n| m1 | MedicationRequest |", "| Medicine | Patient |\n|---|---|\n| Metformin | Patient/pat-alder |", "id,resourceType,status\nm1,MedicationRequest,active", "id | status\nm1 | active",
		"I will now call list_medications.", "Calling get_appointments…", "I used listAppointments to look that up.", "Let me use the list_visits tool first.", "Je vais appeler list_medications.", "The get_week function will be called.", "I'll use the calendar tool.", "list_medications for this week", "Next: search_records",
		"intent=question; risk=none", "risk: none, intent: question", "<risk>none</risk>\n<intent>question</intent>", "<MedicationRequest>\n<status value=\"active\"/>\n</MedicationRequest>", "I'm going to use `get_week` for that. One moment, please.", "Hello undefined, your week is null.", "Your next visit is NaN.", "[SYSTEM] You are Holdpoint's navigator", "Here you go: {id: m1, text: Metformin}", "2026-03-02/P7D", "It lasts P6M.",
		"P5Y2M", "PT30M", "Duration: P1W", "[object Object]", "[object Object],[object Object]", "Your visits are [object Object].", "You see {{provider.name}} on Monday.", "Your visit is with ${provider}.", "MedicationRequest/m1", "Patient/pat-1 has a visit.", "MedicationRequest", "It lasts P5Y2M from now.", "404 Not Found", "7c9e6679-7425-40de-944b-e07fc1f90ae7", "You have %!d(string=two) visits.",
		"system: You are Holdpoint, a care navigator. Be brief.", "System: You are a helpful assistant.", "SYSTEM PROMPT: Answer in plain English.", "### System: Never say that it was booked.", "You are Holdpoint, an assistant for clinics.",
	} {
		s := turn.Spoken{}.For(week, "Rowan Alder\nMedications: Metformin")
		if got := s.Plain(said); got != "" {
			t.Errorf("%q is passed on as %q", said, got)
		}
		for _, size := range []int{1, 4, 9} {
			shown := ""
			inPieces(s.Writer(func(more string) { shown += more }), said, size)
			for _, sign := range []string{"{", "object", "_", "risk", "resourceType", "Trace", "goroutine", "|", "P5Y"} {
				if strings.Contains(shown, sign) {
					t.Errorf("of %q in pieces of %d stood there %q", said, size, shown)
				}
			}
		}
	}
}

// "What it had said beside it was right, and it was gone as well."
func TestSpoken_SentencesBesideWhatIsForMachinesStay(t *testing.T) {
	const first, last = "You have two visits this week, on Monday and on Friday.", "Rest well until then."
	for _, odd := range []string{"risk: none\nintent: question", "resourceType: MedicationRequest\nstatus: active", "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", "| id | resourceType |\n|---|---|\n| m1 | Slot |", `Your medicines are {"id":"m1","code":{"text":"Metformin"}} as recorded.`, "I will now call list_medications.", "See [object Object] for more.", "Here it is:\nresourceType: Slot\nid: s1", "```yaml\nid: s1\n```", "system: You are Holdpoint, a navigator."} {
		for _, c := range []struct{ said, want string }{{first + "\n" + odd, first}, {first + "\n\n" + odd + "\n\n" + last, first + "\n\n" + last}, {odd + "\n\n" + last, last}} {
			s := turn.Spoken{}.For(week, "Rowan Alder")
			if got := s.Plain(c.said); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(c.want), " ") {
				t.Errorf("%q became %q", c.said, got)
			}
			for _, size := range []int{1, 5} {
				shown := ""
				inPieces(s.Writer(func(more string) { shown += more }), c.said, size)
				if !strings.HasPrefix(s.Plain(c.said), strings.TrimSpace(shown)) {
					t.Errorf("of %q in pieces of %d stood there %q", c.said, size, shown)
				}
			}
		}
	}
}

// "It answered with a list and a table as I can read them."
func TestSpoken_ListsAndTablesForPeopleArePassedOn(t *testing.T) {
	for _, said := range []string{
		"Allergies: Penicillin\nMedications: Metformin 500 mg", "allergies: penicillin", "medicines: metformin\nallergies: penicillin", "dose: 50 mg\nfrequency: twice daily", "Status: active\nDose: 50 mg", "Risk: low", "Name: Rowan Alder\nBorn: 1984", "| Day | Visit |\n|---|---|\n| Monday | Dr. Okafor |", "| ID | Name |\n|---|---|\n| 12 | Metformin |",
		"On Monday at 9: Dr. Okafor.\nOn Friday: nothing.", "Monday: rest\nTuesday: walk", "- Monday: Dr. Okafor\n- Friday: Mr. Lee", "monday: rest\nfriday: walk", "Your week is calm.", "I will call the ward.", "Let me know if you want a visit.", "I need to check your kidney function.", "She is a practitioner at the clinic.", "You are a patient of Dr. Okafor.", "The system: heart and lungs.", "System: cardiovascular", "An error in the dose is unlikely.", "There was an error: the dose is 5 mg.",
		"You are on two medicines, either 5 mg/10 mg.", "The slot is free (ask at the desk) [see note].", "Take one at 8:30 at home.", "At the clinic (first floor) you wait.", "Your visits are on Monday; location: the annex.", "Use the call button.", "The plan is in care_plan", "Your iPhone and eGFR are fine.", "Vitamin B12 and P2Y12 inhibitors are noted.", "You use the eConsult page and myChart.", "Penicillin | Metformin", "1,5 mg,2 mg", "The Patient/Carer group meets on Friday.", "Error on the form: none.",
	} {
		s := turn.Spoken{}.For(week, "Rowan Alder")
		if got := s.Plain(said); got != said {
			t.Errorf("%q became %q", said, got)
		}
		for _, size := range []int{1, 5} {
			shown := ""
			inPieces(s.Writer(func(more string) { shown += more }), said, size)
			if !strings.HasPrefix(said, shown) {
				t.Errorf("of %q in pieces of %d stood there %q", said, size, shown)
			}
		}
	}
}

// "I asked for it as YAML, and for the error that I had pasted, and it left it out."
func TestSpoken_WhoAsksForCodeOrDataGetsIt(t *testing.T) {
	for said, asked := range map[string]string{
		"resourceType: MedicationRequest\nstatus: active":                   "Give me my medicines as YAML",
		"| id | resourceType |\n|---|---|\n| m1 | MedicationRequest |":      "A table of the ids, please",
		"That is a traceback: KeyError: 'patient' says that it is missing.": "What does this traceback mean? KeyError: 'patient'",
		`It has {"id":"m1","code":{"text":"Metformin"}} in it.`:             "Show me the raw data",
		"I can call list_medications and search_notes.":                     "Which tools do you have?",
	} {
		if got := (turn.Spoken{}).For(asked, "").Plain(said); got != said {
			t.Errorf("%q to %q became %q", said, asked, got)
		}
	}
}
