package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
)

// "The screen said that most of her medicines were not read; the transcript I filed did not."
func TestExport_SaysWhatTheReplyWasWrittenWithout(t *testing.T) {
	m := journal.Event{Kind: journal.Message}.With(journal.MessageData{Role: journal.Assistant,
		Degraded: []journal.Section{{Tool: "patient_context", Reason: "the record has 360 more medications than are listed"}}})
	if said := app.Lacking(tongue.Tongue("en"), nil, m); len(said) != 1 || !strings.Contains(said[0], "Degraded: patient context, the record has 360 more") {
		t.Errorf("English: %q", said)
	}
	if said := app.Lacking(tongue.French, nil, m); len(said) != 1 || !strings.HasPrefix(said[0], "Dégradé : ") {
		t.Errorf("French: %q", said)
	}
	// "Client signal? I know no such thing." As the screens call it.
	m = journal.Event{Kind: journal.Message}.With(journal.MessageData{Role: journal.Assistant, Degraded: []journal.Section{{Tool: "client_signal", Reason: "it is gone"}}})
	a := exampleApp(t)
	if said := app.Lacking("en", a.ToolTitles(), m); len(said) != 1 || !strings.HasPrefix(said[0], "Degraded: What the person seems to need, ") {
		t.Errorf("English: %q", said)
	}
	if said := app.Lacking(tongue.French, a.ToolTitles(), m); len(said) != 1 || !strings.Contains(said[0], "Ce dont la personne semble avoir besoin") {
		t.Errorf("French: %q", said)
	}
	// "At every turn it warned me that there are no providers; I know that I imported none."
	m = journal.Event{Kind: journal.Message}.With(journal.MessageData{Role: journal.Assistant, Degraded: []journal.Section{
		{Tool: "provider_genome", Reason: "there are no providers in the records yet", Absent: true}, {Tool: "provider_genome", Reason: "no room for 8 of 43 providers; all of them are searched for who fits", Again: true}}})
	if said := app.Lacking(tongue.French, a.ToolTitles(), m); len(said) != 1 || strings.Contains(said[0], "Dégradé") || !strings.Contains(said[0], "pas encore de soignants") {
		t.Errorf("what the records do not have: %q", said)
	}
	m = journal.Event{Kind: journal.Message}.With(journal.MessageData{Role: journal.Assistant, Degraded: []journal.Section{{Tool: "provider_genome", Reason: "no room for 8 of 43 providers; all of them are searched for who fits"}}})
	if said := app.Lacking(tongue.French, a.ToolTitles(), m); len(said) != 1 || !strings.Contains(said[0], "Dégradé") || !strings.Contains(said[0], "8 soignants sur 43") {
		t.Errorf("what was cut: %q", said)
	}
}
