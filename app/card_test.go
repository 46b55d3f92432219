package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
)

func warned(a *app.App, t *testing.T, id string) app.ApprovalView {
	t.Helper()
	v, err := a.Approval(id, true)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// "Nobody told me that she has a visit that day already."
func TestApproval_WarnsOfAVisitThatDayAndOfASlotWantedElsewhere(t *testing.T) {
	a := clinic(t, 0)
	first := held(t, a, "s1")
	alone := warned(a, t, first.Pauses[0].ID)
	if len(alone.Warnings) != 0 || len(alone.Places) == 0 || !json.Valid(alone.Parameters) || alone.Subject != "Patient/pat-alder" {
		t.Fatalf("alone: warnings %q, places %q, subject %q, parameters %s", alone.Warnings, alone.Places, alone.Subject, alone.Parameters)
	}
	second := held(t, a, "s2")
	both := warned(a, t, second.Pauses[0].ID)
	if !slices.ContainsFunc(both.Warnings, func(w string) bool { return strings.Contains(w, "wants the same") && strings.Contains(w, alone.Title) }) {
		t.Errorf("the same slot is wanted twice: %q", both.Warnings)
	}
	if _, err := a.Decide(app.Decision{ID: alone.ID, Digest: alone.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), first.Run.Turn); err != nil {
		t.Fatal(err)
	}
	both = warned(a, t, second.Pauses[0].ID)
	_, when, _ := strings.Cut(alone.Title, " on ")
	if !slices.ContainsFunc(both.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "There is a visit on that day already") && strings.Contains(w, when)
	}) {
		t.Errorf("a visit is booked for %s: %q", when, both.Warnings)
	}
	// "It said approved, but the slot was gone."
	if _, err := a.Decide(app.Decision{ID: both.ID, Digest: both.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), second.Run.Turn); err != nil {
		t.Fatal(err)
	}
	if late, err := a.Approval(both.ID, false); err != nil || late.Outcome != ledger.Refused {
		t.Errorf("what could not be carried out is %s, %s, %v", late.Status, late.Outcome, err)
	}
	third := held(t, a, "s3")
	if err := a.Abandon(third.Run.Turn); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Approval(third.Pauses[0].ID, true); err != nil || v.Why != "The turn that asked was given up." {
		t.Errorf("given up: %q, %v", v.Why, err)
	}
	if v, err := a.Approval(second.Pauses[0].ID, false); err != nil || v.Warnings != nil || v.Parameters != nil {
		t.Errorf("a list has them too: %+v, %v", v, err)
	}
}

func TestChart_HasThePatientsLinesNewestFirst(t *testing.T) {
	a := clinic(t, 0)
	c, err := a.Chart("pat-alder")
	if err != nil {
		t.Fatal(err)
	}
	if c.Patient.Name != "Rowan Alder" || c.Patient.BirthDate == "" || len(c.Problems) == 0 || len(c.Notes) == 0 {
		t.Errorf("%+v", c)
	}
	if !slices.IsSortedFunc(c.Notes, func(x, y app.ChartLine) int { return strings.Compare(y.Date, x.Date) }) {
		t.Errorf("notes %+v", c.Notes)
	}
	if _, err := a.Chart("nobody"); app.AsFault(err).HTTP != 404 {
		t.Errorf("of nobody: %v", err)
	}
	b, err := a.Brief("pat-alder")
	if err != nil || b.Name != "Rowan Alder" || len(b.Allergies) != len(slices.DeleteFunc(c.Allergies, func(l app.ChartLine) bool { return l.Past })) {
		t.Errorf("%+v, %v", b, err)
	}
}

// "It booked by a profile that was half empty, and nobody said so."
// "No allergies recorded, said the banner. The record had one: anaphylaxis, to what nobody had written down."
func TestBrief_SaysAnAllergyThatNobodyNamed(t *testing.T) {
	a := clinic(t, 0)
	records := `{"resourceType":"Patient","id":"ida","name":[{"text":"Ida Fir"}],"birthDate":"1970-03-01"}
{"resourceType":"AllergyIntolerance","id":"a1","patient":{"reference":"Patient/ida"},"reaction":[{"manifestation":[{"text":"anaphylaxis"}]}]}
{"resourceType":"AllergyIntolerance","id":"a2","patient":{"reference":"Patient/ida"},"code":{"coding":[{"system":"urn:x"}]}}
{"resourceType":"AllergyIntolerance","id":"a3","patient":{"reference":"Patient/ida"},"clinicalStatus":{"coding":[{"code":"resolved"}]}}
`
	if _, err := record.ImportReader(t.Context(), a.Store, "ida.ndjson", strings.NewReader(records), record.ImportOptions{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	b, err := a.Brief("ida")
	if err != nil || !slices.Equal(b.Allergies, []string{"(not named in the record): anaphylaxis", "(not named in the record)"}) {
		t.Errorf("%q %v", b.Allergies, err)
	}
}

func TestApproval_WarnsOfLowConfidence(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Set("threshold", json.RawMessage(`1`)); err != nil {
		t.Fatal(err)
	}
	out := held(t, a, "s1")
	v := warned(a, t, out.Pauses[0].ID)
	if !slices.ContainsFunc(v.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "Low confidence: “") && strings.Contains(w, " % complete")
	}) {
		t.Errorf("parts of the context are below the threshold: %q", v.Warnings)
	}
	for _, w := range v.Warnings {
		if strings.Contains(w, "_") {
			t.Errorf("an internal name: %q", w)
		}
	}
}
