package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/app/tongue"
)

// "The card had warned me of a visit on that day, and the export that I signed for has no word of it." "The warning came
// after I had looked."
func TestExport_HasTheWarningsThatTheSignerSaw(t *testing.T) {
	a := clinic(t, 0)
	first := held(t, a, "s1")
	second := held(t, a, "s2")
	shown, err := a.Approval(second.Pauses[0].ID, true)
	if err != nil || len(shown.Warnings) == 0 {
		t.Fatalf("the card warns of nothing: %q %v", shown.Warnings, err)
	}
	if _, err := a.Decide(app.Decision{ID: first.Pauses[0].ID, Digest: warned(a, t, first.Pauses[0].ID).Digest, Reviewer: "Dr. Other", Comment: "no"}, false); err != nil {
		t.Fatal(err)
	}
	// What was on the card counts, not what would be there by now.
	if _, err := a.DecideOnScreen(t.Context(), app.Decision{ID: shown.ID, Digest: shown.Digest, Nonce: shown.Nonce, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	v, err := a.Approval(shown.ID, false)
	if err != nil || !slices.Equal(v.Warned, shown.Warnings) {
		t.Fatalf("kept are %q, shown were %q (%v)", v.Warned, shown.Warnings, err)
	}
	for _, in := range []tongue.Tongue{"en", tongue.French} {
		for _, w := range shown.Warnings {
			for _, format := range []string{"md", "html", "json"} {
				e, err := a.Export(app.ExportQuery{Session: "s2", Format: format, Language: string(in)})
				if err != nil {
					t.Fatal(err)
				}
				want := in.Told(w)
				if format == "json" {
					raw, err := json.Marshal(w)
					if err != nil {
						t.Fatal(err)
					}
					want = string(raw)
				}
				if text := exported(t, e); !strings.Contains(text, want) {
					t.Errorf("%s in %s has no word of %q", format, in, want)
				}
			}
			if text := app.ApprovalText(in, v, func(at time.Time) string { return in.When(at) }); !strings.Contains(text, in.Told(w)) {
				t.Errorf("the command line in %s has no word of %q:\n%s", in, w, text)
			}
		}
	}
	// Who decides on the command line has read what stands there then.
	third := held(t, a, "s3")
	stood := warned(a, t, third.Pauses[0].ID)
	if _, err := a.Decide(app.Decision{ID: stood.ID, Digest: stood.Digest, Reviewer: "Dr. Test", Comment: "no"}, false); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Approval(stood.ID, false); err != nil || len(stood.Warnings) == 0 || !slices.Equal(v.Warned, stood.Warnings) {
		t.Errorf("kept are %q, there were %q (%v)", v.Warned, stood.Warnings, err)
	}
}
