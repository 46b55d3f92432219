package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// "My French export said “near child abuse”."
func TestExport_SaysInFrenchWhatTheCheckSaw(t *testing.T) {
	e := journal.Event{Kind: journal.SafetyChecked}.With(journal.SafetyCheckedData{Level: "check_in", Category: "child_abuse", FoundBy: []string{"meaning"},
		Tiers: []journal.SafetyTier{{Tier: "meaning", Reasons: []string{"near child abuse", "il me tape"}}}})
	_, text := app.EventWords(tongue.French, e)
	if strings.Contains(text, "near") || strings.Contains(text, "“") || !strings.Contains(text, "proche par le sens : maltraitance d’un enfant, « il me tape »") {
		t.Errorf("%+q", text)
	}
	if _, text = app.EventWords("en", e); !strings.Contains(text, "near in meaning: abuse of a child, “il me tape”") {
		t.Errorf("%+q", text)
	}
}

// "The trace that I printed read ‘par condition des questions sont ouvertes’."
func TestCompanion_C27_AnExportSaysByWhichConditionApartFromTheWay(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	events, stop := a.Listen("")
	defer stop()
	if _, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "companion", Text: "I am nervous about all my exams", Vars: map[string]string{"audience": "teen", "language": "en"}}); err != nil {
		t.Fatal(err)
	}
	session := until(t, events, journal.TurnCompleted).Session
	for language, way := range map[string]string{"en": "by conditional (questions are open)", "fr": "par condition (des questions sont ouvertes)"} {
		x, err := a.Export(app.ExportQuery{Session: session, Trace: true, Language: language})
		if err != nil {
			t.Fatal(err)
		}
		if text := exported(t, x); !strings.Contains(text, way) {
			t.Errorf("%s: no %q in %s", language, way, text)
		}
	}
}

// "The third turn was about another patient. On paper all three seemed to be about the first."
func TestExport_ATurnAboutAnotherRecordSaysSo(t *testing.T) {
	a := exampleApp(t)
	id := a.NewSessionID()
	for _, about := range []string{"Patient/pat-alder", "", "Patient/pat-birch"} {
		if out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: id, Agent: "navigator", Subject: about, Practice: true, Text: "Which medicines?"}); err != nil || out.Run.Status != run.Completed {
			t.Fatal(out.Run.Status, err)
		}
	}
	for language, says := range map[string]string{"en": "about another record than the session", "fr": "porte sur un autre dossier que la session"} {
		for _, format := range []string{"md", "html"} {
			x, err := a.Export(app.ExportQuery{Session: id, Format: format, Language: language})
			if err != nil {
				t.Fatal(err)
			}
			text := exported(t, x)
			at := strings.Index(text, says)
			if strings.Count(text, says) != 1 || at < strings.Index(text, "3 — ") || !strings.Contains(text[at:], "Birch") || !strings.Contains(text[at:], "Patient/pat-birch") {
				t.Errorf("%s, %s: %s", language, format, text)
			}
		}
	}
}
