package app_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/app/tongue"
)

// "Carried out by Dr. A: she had only approved it."
func TestApproval_SaysWhoApprovedItAndWhenItWasCarriedOut(t *testing.T) {
	a := clinic(t, 0)
	v := carriedOut(t, a, "s1")
	when := func(time.Time) string { return "then" }
	for in, want := range map[tongue.Tongue]string{"en": "approved by Dr. Test (name as typed, not verified), then; carried out then", tongue.French: "approuvé par Dr. Test ("} {
		if got := app.Decided(in, v, when); !strings.HasPrefix(got, want) {
			t.Errorf("%s says %q", in, got)
		}
	}
	out := held(t, a, "s2")
	if _, err := a.Decide(app.Decision{ID: out.Pauses[0].ID, Digest: warned(a, t, out.Pauses[0].ID).Digest, Reviewer: "Dr. Test", Comment: "no"}, false); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Approval(out.Pauses[0].ID, false); err != nil || !strings.HasPrefix(app.Decided("en", v, when), "rejected by Dr. Test") {
		t.Errorf("%q %v", app.Decided("en", v, when), err)
	}
}
