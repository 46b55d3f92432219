package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/app/tongue"
	"holdpoint/engine/journal"
)

// "My French export said “near child abuse”."
func TestExport_SaysInFrenchWhatTheCheckSaw(t *testing.T) {
	e := journal.Event{Kind: journal.SafetyChecked}.With(journal.SafetyCheckedData{Level: "check_in", Category: "child_abuse", FoundBy: []string{"meaning"},
		Tiers: []journal.SafetyTier{{Tier: "meaning", Reasons: []string{"near child abuse", "il me tape"}}}})
	_, text := app.EventWords(tongue.French, e)
	if strings.Contains(text, "near") || strings.Contains(text, "“") || !strings.Contains(text, "« il me tape »") {
		t.Errorf("%+q", text)
	}
	if _, text = app.EventWords("en", e); !strings.Contains(text, "“near child abuse”, “il me tape”") {
		t.Errorf("%+q", text)
	}
}
