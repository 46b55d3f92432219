package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
)

// "Modify offered me another patient, and said afterwards that this session takes none."
func TestApproval_SaysWhatTheSessionFixes(t *testing.T) {
	a := clinic(t, 0)
	v := warned(a, t, held(t, a, "s1").Pauses[0].ID)
	if !slices.Equal(v.Fixed, []string{"patient"}) {
		t.Fatalf("fixed are %q", v.Fixed)
	}
	other := strings.Replace(string(v.Args), "pat-alder", "pat-birch", 1)
	if _, err := a.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Test", Args: json.RawMessage(other)}); err == nil {
		t.Error("what is said to be fixed can be changed")
	}
	// Without a subject the patient is an argument like the others.
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s2", Text: "Please book me a visit for my insomnia next week"})
	if err == nil && len(out.Pauses) > 0 {
		if v := warned(a, t, out.Pauses[0].ID); len(v.Fixed) != 0 {
			t.Errorf("of a session about nobody are fixed %q", v.Fixed)
		}
	}
}
