package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
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

// "I asked for another day, and the card had this one without a word." "The reason said ‘insomnia on Tuesday morning’."
func TestApproval_HasTheDayThatWasAskedForOrSaysThatItHasAnother(t *testing.T) {
	a := clinic(t, 0)
	heldFor := func(session, text string) run.Outcome {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Patient: "pat-alder", Text: text})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatalf("%s: %s %v %v", text, out.Run.Status, out.Err, err)
		}
		return out
	}
	warning := func(v app.ApprovalView) string {
		i := slices.IndexFunc(v.Warnings, func(w string) bool { return strings.HasPrefix(w, "The message says") })
		if i < 0 {
			return ""
		}
		return v.Warnings[i]
	}
	for k, day := range []string{"Tuesday", "Thursday"} {
		out := heldFor(fmt.Sprint("d", k), "Book her a visit about insomnia on "+day)
		v := warned(a, t, out.Pauses[0].ID)
		if !strings.Contains(v.Title, day) || warning(v) != "" || strings.Contains(string(v.Args), day) {
			t.Errorf("%s: %s, %q, %s", day, v.Title, v.Warnings, v.Args)
		}
	}
	out := heldFor("none", "Book her a visit about insomnia on Sunday evening")
	if v := warned(a, t, out.Pauses[0].ID); !strings.HasPrefix(warning(v), "The message says “Sunday, evening”; this visit is on ") {
		t.Errorf("%s, %q", v.Title, v.Warnings)
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
	if err != nil || !slices.Equal(b.Allergies, []string{"(not named in the record)", "(not named in the record): anaphylaxis"}) {
		t.Errorf("%q %v", b.Allergies, err)
	}
}

// "Zinc anaphylaxis stood behind: and 24 more. What had been refuted stood before it."
func TestBrief_SaysTheWorstAllergiesFirstAndNoneThatNeverHeld(t *testing.T) {
	a := clinic(t, 0)
	coded := func(id, extra string) string {
		return `{"resourceType":"AllergyIntolerance","id":"` + id + `","patient":{"reference":"Patient/ida"},` + extra + "}\n"
	}
	of := func(lines string) (app.PatientBrief, app.Chart) {
		t.Helper()
		records := `{"resourceType":"Patient","id":"ida","name":[{"text":"Ida Fir"}],"birthDate":"1970-03-01"}` + "\n" + lines
		if _, err := record.ImportReader(t.Context(), a.Store, "ida.ndjson", strings.NewReader(records), record.ImportOptions{Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		b, err := a.Brief("ida")
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Chart("ida")
		if err != nil {
			t.Fatal(err)
		}
		return b, c
	}
	b, _ := of(coded("n1", `"code":{"coding":[{"system":"http://snomed.info/sct","code":"716186003","display":"Ei tunnettua allergiaa"}]}`) + coded("n2", `"code":{"text":"No known drug allergies"}`))
	if len(b.Allergies) != 0 || b.NoAllergies != "Ei tunnettua allergiaa, No known drug allergies" {
		t.Errorf("none is known: %+v", b)
	}
	b, c := of(coded("a1", `"code":{"text":"Apple"},"criticality":"low"`) + coded("a2", `"code":{"text":"Birch"}`) +
		coded("a3", `"code":{"text":"Alder"},"verificationStatus":{"coding":[{"code":"confirmed"}]}`) +
		coded("a4", `"code":{"text":"Egg"},"reaction":[{"severity":"severe","manifestation":[{"text":"anaphylaxis"}]}]`) +
		coded("z", `"code":{"text":"Zinc anaphylaxis"},"criticality":"high"`) +
		coded("r", `"code":{"text":"Latex"},"criticality":"high","verificationStatus":{"coding":[{"code":"refuted"}]}`) +
		coded("e", `"code":{"text":"Mango"},"verificationStatus":{"coding":[{"code":"entered-in-error"}]}`) +
		coded("s", `"code":{"coding":[{"system":"http://snomed.info/sct","code":"716186003"}],"text":"Anaphylaxis after wasps"}`) +
		coded("s2", `"code":{"text":"No known allergy but zinc"}`))
	if want := []string{"Egg", "Zinc anaphylaxis", "Alder", "Anaphylaxis after wasps", "Birch", "No known allergy but zinc", "Apple"}; !slices.Equal(b.Allergies, want) || b.Severe != 2 || b.NoAllergies != "" {
		t.Errorf("%q, %d severe, none %q", b.Allergies, b.Severe, b.NoAllergies)
	}
	said := map[string]string{}
	for _, line := range c.Allergies {
		said[line.Text] = line.Untrue
	}
	if said["Latex"] != "refuted" || said["Mango"] != "entered-in-error" || said["Egg"] != "" || c.Allergies[0].Text != "Egg" {
		t.Errorf("the chart says %q", said)
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

// overtaken asks for the same time twice, approves one and returns the card of the other, as
// it was and as it is.
func overtaken(t *testing.T) (a *app.App, before, after app.ApprovalView) {
	t.Helper()
	a = clinic(t, 0)
	ask := func(patient string) app.ApprovalView {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: patient, Text: "Please book me a visit for my insomnia next week"})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
		}
		return warned(a, t, out.Pauses[0].ID)
	}
	people, err := a.Patients("")
	if err != nil || len(people) < 2 {
		t.Fatal(people, err)
	}
	before, other := ask(people[0].ID), ask(people[1].ID)
	if _, err := a.Decide(app.Decision{ID: other.ID, Digest: other.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), other.Turn); err != nil {
		t.Fatal(err)
	}
	return a, before, warned(a, t, before.ID)
}

// "It offered me a time that had been given away an hour before, and showed it as free."
func TestApproval_IsComparedWithWhatTheRecordsHoldNow(t *testing.T) {
	_, before, after := overtaken(t)
	gone := func(w string) bool { return strings.HasPrefix(w, "It cannot be carried out any more: ") }
	if slices.ContainsFunc(before.Warnings, gone) || len(before.Current) > 0 {
		t.Fatalf("before: %q %+v", before.Warnings, before.Current)
	}
	if !slices.ContainsFunc(after.Warnings, func(w string) bool {
		return gone(w) && strings.Contains(w, "already booked") && strings.Contains(w, "open instead")
	}) {
		t.Errorf("nothing says that the time is taken: %q", after.Warnings)
	}
	if len(after.Current) != 1 || after.Current[0].Type != "Slot" || !strings.Contains(string(after.Current[0].Resource), `"busy"`) {
		t.Errorf("the slot as it is: %+v", after.Current)
	}
	for _, d := range after.Differences {
		if strings.HasPrefix(d.Record, "Slot/") && len(d.Lines) > 0 {
			t.Errorf("it is busy already: %+v", d)
		}
	}
	if after.Digest != before.Digest {
		t.Error("looking changed what is signed")
	}
}

// "I approved to cancel a visit that somebody else had cancelled, and nobody told me. Her birth date had been corrected meanwhile, too."
func TestApproval_OfAnyKindSaysWhatChangedSinceItWasAsked(t *testing.T) {
	a := clinic(t, 0)
	var err error
	p := a.Store
	out := held(t, a, "s1")
	v := warned(a, t, out.Pauses[0].ID)
	var name string
	for ref, title := range v.Names {
		if strings.HasPrefix(ref, "Patient/") {
			name = title
		}
	}
	if name != "Rowan Alder" {
		t.Errorf("names %v", v.Names)
	}
	if _, err = record.ImportReader(t.Context(), p, "again.ndjson", strings.NewReader(`{"resourceType":"Patient","id":"pat-alder","name":[{"text":"Rowan Alder"}],"birthDate":"1951-01-02"}`+"\n"), record.ImportOptions{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	if v = warned(a, t, v.ID); !slices.ContainsFunc(v.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "The record of Rowan Alder has changed since this was asked")
	}) {
		t.Errorf("the patient changed: %q", v.Warnings)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Test", Comment: "no"}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), v.Turn); err != nil {
		t.Fatal(err)
	}
	// A visit that two people ask to cancel.
	visit := `{"resourceType":"Appointment","id":"v1","status":"booked","description":"review","start":"2099-01-05T09:00:00Z","end":"2099-01-05T09:30:00Z","participant":[{"actor":{"reference":"Patient/pat-alder","display":"Rowan Alder"},"status":"accepted"},{"actor":{"reference":"Practitioner/prov-okafor","display":"Dr. Okafor"},"status":"accepted"}]}` + "\n"
	if _, err = record.ImportReader(t.Context(), p, "visit.ndjson", strings.NewReader(visit), record.ImportOptions{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	cancel := func(session string) app.ApprovalView {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Patient: "pat-alder", Text: "Please cancel the visit"})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
		}
		return warned(a, t, out.Pauses[0].ID)
	}
	first, second := cancel("c1"), cancel("c2")
	// "The card did not even say whose visit it was."
	if !strings.Contains(first.Title, "Rowan Alder") {
		t.Errorf("title %q", first.Title)
	}
	said := map[ledger.FactKind]string{}
	for _, f := range first.Summary {
		said[f.Kind] = f.Text
		if f.Kind == ledger.FactTime {
			said[f.Kind] = f.From.Format(time.RFC3339)
		}
	}
	if said[ledger.FactPerson] != "Rowan Alder" || said[ledger.FactProvider] != "Dr. Okafor" || said[ledger.FactTime] != "2099-01-05T09:00:00Z" || said[ledger.FactPlace] == "" || said[ledger.FactAbout] != "review" {
		t.Errorf("in words: %v", said)
	}
	if _, err := a.Decide(app.Decision{ID: first.ID, Digest: first.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResumeTurn(t.Context(), first.Turn); err != nil {
		t.Fatal(err)
	}
	if second = warned(a, t, second.ID); !slices.ContainsFunc(second.Warnings, func(w string) bool { return strings.Contains(w, "already cancelled") }) {
		t.Errorf("it is cancelled already: %q", second.Warnings)
	}
	if len(second.Current) != 1 || !strings.Contains(string(second.Current[0].Resource), `"cancelled"`) {
		t.Errorf("the visit as it is: %+v", second.Current)
	}
}

// "The inbox said that the turn went on without it; the session said that she was booked already, and when she is free."
func TestApproval_ThatCouldNotBeCarriedOutIsToldOnce(t *testing.T) {
	a, _, v := overtaken(t)
	answer, err := a.DecideOnScreen(t.Context(), app.Decision{ID: v.ID, Digest: v.Digest, Nonce: v.Nonce, Reviewer: "Dr. Lee"}, true)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	events, _, err := a.Journal(v.Session, 0, 1000)
	for _, e := range events {
		if err == nil && e.Kind == journal.ToolRefused && e.Call == v.Call {
			said = e.Reason
		}
	}
	if !strings.Contains(said, "open instead") {
		t.Fatalf("the session says %q", said)
	}
	late, err := a.Approval(v.ID, false)
	for where, got := range map[string]app.ApprovalView{"the verdict’s answer": answer, "the inbox": late} {
		if err != nil || got.Outcome != ledger.Refused || !strings.EqualFold(strings.TrimSuffix(got.Why, "."), strings.TrimSuffix(said, ".")) {
			t.Errorf("%s: %s %s, %q; the session says %q", where, got.Status, got.Outcome, got.Why, said)
		}
	}
}

// "Choosing which visit to cancel, the first it offered was another patient's, and no line said whose."
func TestRecords_OfAPickerAreThePatientsOwnAndSayWhoseWithWhomAndWhen(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Set("zone", json.RawMessage(`"America/New_York"`)); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i, who := range []string{"pat-birch", "pat-alder"} {
		fmt.Fprintf(&lines, `{"resourceType":"Appointment","id":"v%d","status":"booked","description":"review","start":"2099-01-05T14:00:00Z","end":"2099-01-05T14:30:00Z","participant":[{"actor":{"reference":"Patient/%s","display":"Name of %s"},"status":"accepted"},{"actor":{"reference":"Practitioner/prov-okafor","display":"Dr. Okafor"},"status":"accepted"}]}`+"\n", i, who, who)
	}
	if _, err := record.ImportReader(t.Context(), a.Store, "visits.ndjson", strings.NewReader(lines.String()), record.ImportOptions{Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	page, err := a.RecordsAbout(record.Ref{Type: "Patient", ID: "pat-alder"}, "Appointment", "", 50)
	if err != nil || len(page.Records) != 1 || page.Records[0].ID != "v1" {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, want := range []string{"Name of pat-alder", "Dr. Okafor", "Monday 5 January 2099 at 09:00 New York time", "booked"} {
		if !strings.Contains(page.Records[0].Subtitle, want) {
			t.Errorf("%q is not in %q", want, page.Records[0].Subtitle)
		}
	}
	if all, err := a.RecordsAbout(record.Ref{Type: "Patient", ID: "pat-alder"}, "Practitioner", "", 50); err != nil || len(all.Records) == 0 {
		t.Errorf("providers are nobody's: %+v, %v", all, err)
	}
}

// "Every medicine reads comma comma."
func TestChart_AMedicineHasNoEmptyCommas(t *testing.T) {
	a := clinic(t, 0)
	c, err := a.Chart("pat-alder")
	if err != nil || len(c.Medicines) == 0 {
		t.Fatalf("%+v, %v", c.Medicines, err)
	}
	for _, m := range c.Medicines {
		if line := m.Text + ", " + m.Detail; strings.Contains(line, ", ,") || strings.HasSuffix(strings.TrimSpace(line), ",") {
			t.Errorf("%q", line)
		}
	}
}

// "It warned me that “Providers that may fit” is 40 % complete. I was to approve a care note." Doubts are
// of the parts that the change goes by, and of no others.
func TestApproval_WarnsOnlyOfWhatTheChangeGoesBy(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Set("threshold", json.RawMessage(`1`)); err != nil {
		t.Fatal(err)
	}
	for text, goesBy := range map[string][]string{
		"Please write a note that she sleeps better":          {"“The patient’s profile”", "“Patient profile”"},
		"Please book me a visit for my insomnia next week":    nil,
		"Please cancel my next visit, I have no time for it.": {"“The patient’s profile”", "“Patient profile”"},
	} {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: "pat-alder", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Pauses) == 0 {
			continue // there is no visit to cancel
		}
		others := 0
		for _, w := range warned(a, t, out.Pauses[0].ID).Warnings {
			if !strings.HasPrefix(w, "Low confidence: “") {
				continue
			}
			if !slices.ContainsFunc(goesBy, func(name string) bool { return strings.Contains(w, name) }) {
				others++
			}
		}
		if (others > 0) != (goesBy == nil) {
			t.Errorf("%s: %d warnings of other parts", text, others)
		}
	}
}

// "I asked for a second visit while the first one waited, and nobody told me of the first."
func TestApproval_SaysThatAnotherVisitOfThePatientWaits(t *testing.T) {
	a := clinic(t, 0)
	ask := func(patient, text string) app.ApprovalView {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: patient, Text: text})
		if err != nil || len(out.Pauses) == 0 {
			t.Fatal(out.Run.Status, err)
		}
		return warned(a, t, out.Pauses[0].ID)
	}
	waits := func(v app.ApprovalView) bool {
		return slices.ContainsFunc(v.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "Another visit of the same patient waits") || strings.HasPrefix(w, "Another request that waits wants the same time")
		})
	}
	if first := ask("pat-alder", "Please book me a visit for my insomnia next week"); waits(first) {
		t.Errorf("%q", first.Warnings)
	}
	if second := ask("pat-alder", "Please book me a visit for my anxiety"); !waits(second) {
		t.Errorf("%s: %q", second.Title, second.Warnings)
	}
	if note := ask("pat-alder", "Please write a note that she sleeps better"); waits(note) {
		t.Errorf("a note is no visit: %q", note.Warnings)
	}
}
