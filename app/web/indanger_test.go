package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/journal"
)

// "I wrote that I want to kill myself, and it stood in the list for everybody who opens the laptop."
func TestCrisis_WhatWasWrittenInDangerIsNoTitle(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	titles := func() map[string]string {
		out := map[string]string{}
		for _, s := range get[struct{ Sessions []app.SessionView }](w, "/api/sessions").Sessions {
			out[s.ID] = s.Title
		}
		return out
	}
	begin := func(text string) string {
		t.Helper()
		s := done[app.Started](w, "send", map[string]any{"agent": "navigator", "text": text})
		w.wait(events, journal.TurnCompleted)
		return s.Session
	}
	ill, calm := begin("I want to kill myself tonight, I have the pills here"), begin("Which appointments are free on Monday?")
	if got := titles(); !strings.HasPrefix(got[ill], "Help in danger, 2") || !strings.Contains(got[ill], ":") || got[calm] != "Which appointments are free on Monday?" {
		t.Errorf("%q", got)
	}
	if err := w.app.Set("language", json.RawMessage(`"fr"`)); err != nil {
		t.Fatal(err)
	}
	if got := titles(); !strings.HasPrefix(got[ill], "Aide en cas de danger, ") || !strings.Contains(got[ill], ":") {
		t.Errorf("%q", got)
	}
	if got := get[app.SessionView](w, "/api/sessions/"+ill); got.Title != titles()[ill] {
		t.Errorf("%q", got.Title)
	}
	// "Three of them are called the same." They are told apart by when they began, in exports as well.
	if name := w.do("GET", "/api/sessions/"+ill+"/export?format=md&language=en", "", nil); !strings.Contains(name.body, "Help in danger, ") || strings.Contains(name.body, "Aide en cas de danger") {
		t.Errorf("the export in English: %s", name.body[:min(len(name.body), 300)])
	}
	// A title that a person gave stays, and so does one of a calm beginning.
	done[any](w, "rename_session", map[string]any{"id": ill, "title": "Lundi"})
	for _, id := range []string{ill, calm} {
		done[app.Started](w, "send", map[string]any{"session": id, "text": "Je veux mourir, j'ai les cachets devant moi"})
		w.wait(events, journal.TurnCompleted)
	}
	if got := titles(); got[ill] != "Lundi" || got[calm] != "Which appointments are free on Monday?" {
		t.Errorf("%q", got)
	}
}

// "I wrote that I can't go on some days; it only asked whether I'm safe, and my words stood in the list of
// sessions for whoever looked over my shoulder."
func TestCheckIn_WhatWasWrittenIsNoTitle(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	begin := func(agent, text string) string {
		t.Helper()
		s := done[app.Started](w, "send", map[string]any{"agent": agent, "text": text})
		w.wait(events, journal.TurnCompleted)
		return s.Session
	}
	title := func(id string) string {
		t.Helper()
		one := get[app.SessionView](w, "/api/sessions/"+id).Title
		for _, s := range get[struct{ Sessions []app.SessionView }](w, "/api/sessions").Sessions {
			if s.ID == id && s.Title != one {
				t.Errorf("the list says %q, the session %q", s.Title, one)
			}
		}
		return one
	}
	for agent, text := range map[string]string{"navigator": "how many paracetamol does it take", "reasoner": "j'ai des idées noires"} {
		id := begin(agent, text)
		if got := title(id); !strings.HasPrefix(got, "Untitled session, 2") || !strings.Contains(got, ":") {
			t.Errorf("%s is called %q", agent, got)
		}
		if err := w.app.Set("language", json.RawMessage(`"fr"`)); err != nil {
			t.Fatal(err)
		}
		if got := title(id); !strings.HasPrefix(got, "Session sans titre, ") {
			t.Errorf("in French %s is called %q", agent, got)
		}
		if file := w.do("GET", "/api/sessions/"+id+"/export?format=md&language=en", "", nil).body; !strings.Contains(strings.SplitN(file, "\n", 2)[0], "Untitled session, ") {
			t.Errorf("the export begins with %q", file[:min(len(file), 200)])
		}
		if err := w.app.Set("language", json.RawMessage(`"en"`)); err != nil {
			t.Fatal(err)
		}
		done[any](w, "rename_session", map[string]any{"id": id, "title": "Monday"})
		done[app.Started](w, "send", map[string]any{"session": id, "text": text})
		w.wait(events, journal.TurnCompleted)
		if got := title(id); got != "Monday" {
			t.Errorf("the title that a person gave became %q", got)
		}
	}
	id := begin("navigator", "Which appointments are free on Monday?")
	done[app.Started](w, "send", map[string]any{"session": id, "text": "how many paracetamol does it take"})
	w.wait(events, journal.TurnCompleted)
	if got := title(id); got != "Which appointments are free on Monday?" {
		t.Errorf("a calm beginning became %q", got)
	}
}

// "I wrote that I want to die, and below the help stood: question 4 of 6."
func TestCompanion_C4_WhoeverIsInDangerIsAskedNothingElse(t *testing.T) {
	w := open(t)
	events, stop := w.app.Listen("")
	defer stop()
	s := done[app.Started](w, "send", map[string]any{"agent": "companion", "text": "Je me dispute avec mes parents tout le temps", "vars": map[string]string{"audience": "teen", "language": "fr", "region": "FR", "age": "from_16_to_17"}})
	w.wait(events, journal.TurnCompleted)
	path := "/api/sessions/" + s.Session + "/cards"
	if c := get[agent.CardView](w, path); c.Open == "" || !c.Consent.Asked {
		t.Fatalf("nothing is asked: %+v", c)
	}
	say := func(text string) {
		t.Helper()
		done[app.Started](w, "send", map[string]any{"session": s.Session, "agent": "companion", "text": text})
		w.wait(events, journal.TurnCompleted)
	}
	say("je veux mourir, j'ai les cachets devant moi")
	if c := get[agent.CardView](w, path); c.Open != "" || c.Consent.Asked || c.Feedback != nil || len(c.Asked) != 6 {
		t.Errorf("below the help stands a question: %q %v", c.Open, c.Consent.Asked)
	}
	say("ça va mieux maintenant, merci")
	if c := get[agent.CardView](w, path); c.Open == "" {
		t.Error("nothing is asked any more")
	}
}

// "The settings had my country, and the form asked for it; but my son lives elsewhere."
func TestCompanion_C29_TheFormShowsTheRegionOfTheSettingsToBeChanged(t *testing.T) {
	w := open(t)
	asks := func(path string) map[string]string {
		out := map[string]string{}
		for _, f := range get[agent.StartCard](w, "/api/agents/companion/start?language=fr&audience=teen"+path).Fields {
			out[f.Var] = f.Value
		}
		return out
	}
	if value, asked := asks("")["region"]; !asked || value != "" {
		t.Errorf("before it was chosen: %q, %v", value, asked)
	}
	if err := w.app.Set("region", json.RawMessage(`"FR"`)); err != nil {
		t.Fatal(err)
	}
	if got := asks(""); got["region"] != "FR" || got["age"] != "" {
		t.Errorf("%v", got)
	}
	if value, asked := asks("&region=CA")["region"]; !asked || value != "" {
		t.Errorf("chosen for the conversation: %q, %v", value, asked)
	}
	// Whose yes is not enough there is not offered to be known again.
	if _, asked := asks("&age=from_13_to_14")["person"]; asked {
		t.Error("a name is asked for")
	}
	if err := w.app.Set("region", json.RawMessage(`"international"`)); err != nil {
		t.Fatal(err)
	}
	if value, asked := asks("")["region"]; !asked || value != "" {
		t.Errorf("no country was chosen: %q, %v", value, asked)
	}
}
