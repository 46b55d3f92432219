package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// "I imported two leases by mistake, and they stayed for ever, to be chosen again and again."
func TestRecords_WhatNothingRefersToIsRemoved(t *testing.T) {
	r := newRanch(t)
	refused := func(typ, id, why string) {
		t.Helper()
		err := r.app.RemoveRecords(record.Ref{Type: typ, ID: id})
		if err == nil || app.AsFault(err).Code != "in_use" || !strings.Contains(err.Error(), why) {
			t.Errorf("%s/%s: %v", typ, id, err)
		}
		if _, err := r.app.Record(typ, id); err != nil {
			t.Errorf("what was refused is gone: %v", err)
		}
	}
	wants(t, r.prepares(), run.Paused)
	refused("Well", "42-329-97101", "sessions are about")
	leases, err := r.app.Records("Lease", "", "", 10)
	if err != nil || len(leases.Records) == 0 {
		t.Fatal(leases, err)
	}
	refused("Lease", leases.Records[0].ID, "records refer to")
	if err := r.app.RemoveRecords(record.Ref{Type: "Lease", ID: "none"}); !errors.Is(err, record.ErrNotFound) {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "stray.csv")
	if err := os.WriteFile(file, []byte("lease_name,district,lease_number,operator_name\nSTRAY,08,12345,Mesa Oil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.ImportNow(t.Context(), file, func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	page, err := r.app.Records("Lease", "", "stray", 10)
	if err != nil || len(page.Records) != 1 {
		t.Fatal(page, err)
	}
	if err := r.app.RemoveRecords(page.Records[0].Ref); err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.Record("Lease", page.Records[0].ID); !errors.Is(err, record.ErrNotFound) {
		t.Error(err)
	}
}

// "Removed, it said, and the encounter, the prescription and the patient went on naming the doctor." And of records
// that refer to each other none could ever be removed: they go together.
func TestRecords_WhatAnyMemberRefersToStaysAndThoseThatReferToEachOtherGoTogether(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	file := filepath.Join(t.TempDir(), "clinic.json")
	if err := os.WriteFile(file, []byte(`{"resourceType":"Bundle","type":"collection","entry":[
		{"resource":{"resourceType":"Patient","id":"p1","generalPractitioner":[{"reference":"Practitioner/doc1"}]}},
		{"resource":{"resourceType":"Patient","id":"p2","link":[{"other":{"reference":"Patient/p1"},"type":"seealso"}]}},
		{"resource":{"resourceType":"Practitioner","id":"doc1"}},
		{"resource":{"resourceType":"Practitioner","id":"doc2"}},
		{"resource":{"resourceType":"Organization","id":"org1"}},
		{"fullUrl":"urn:uuid:aa-1","resource":{"resourceType":"Organization","id":"org2"}},
		{"resource":{"resourceType":"Pad","id":"pad1","of_the_house":{"deep":[{"reference":"urn:uuid:aa-1"}]}}},
		{"resource":{"resourceType":"Encounter","id":"e1","subject":{"reference":"Patient/p1"},"participant":[{"individual":{"reference":"Practitioner/doc2"}}],"serviceProvider":{"reference":"https://x.example/fhir/Organization/org1"},"diagnosis":[{"condition":{"reference":"Condition/c1"}}]}},
		{"resource":{"resourceType":"Condition","id":"c1","subject":{"reference":"Patient/p1"},"encounter":{"reference":"Encounter/e1"}}},
		{"resource":{"resourceType":"MedicationRequest","id":"m1","subject":{"reference":"Patient/p1"},"requester":{"reference":"Practitioner/doc1"},"encounter":{"reference":"Encounter/e1"}}},
		{"resource":{"resourceType":"Task","id":"t1","partOf":[{"reference":"Task/t1"}]}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportNow(t.Context(), file, func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	refs := func(texts ...string) (out []record.Ref) {
		for _, text := range texts {
			ref, ok := record.ParseRef(text)
			if !ok {
				t.Fatal(text)
			}
			out = append(out, ref)
		}
		return out
	}
	there := func(ref record.Ref) bool {
		_, err := a.Record(ref.Type, ref.ID)
		return err == nil
	}
	for text, by := range map[string]string{
		"Practitioner/doc1": "MedicationRequest/m1, Patient/p1", "Practitioner/doc2": "Encounter/e1", "Organization/org1": "Encounter/e1",
		"Organization/org2": "Pad/pad1", "Encounter/e1": "Condition/c1, MedicationRequest/m1", "Condition/c1": "Encounter/e1",
		"Patient/p1": "Condition/c1, Encounter/e1, MedicationRequest/m1, Patient/p2",
	} {
		ref := refs(text)[0]
		if err := a.RemoveRecords(ref); err == nil || !strings.Contains(err.Error(), "records refer to: "+by+".") || !there(ref) {
			t.Errorf("%s: %v", text, err)
		}
		var listed []string
		lists, err := a.Linked(ref.Type, ref.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lists {
			for _, r := range l.Records {
				listed = append(listed, r.Ref.String())
			}
		}
		if got := strings.Join(listed, ", "); got != by {
			t.Errorf("%s is referred to by %s; listed are %s", text, by, got)
		}
	}
	if err := a.RemoveRecords(refs("Encounter/e1", "Condition/c1")...); err == nil || !there(refs("Condition/c1")[0]) {
		t.Errorf("m1 still names the encounter: %v", err)
	}
	for _, together := range [][]string{{"Task/t1"}, {"Encounter/e1", "Condition/c1", "MedicationRequest/m1"},
		{"Patient/p1", "Patient/p2"}, {"Practitioner/doc1"}, {"Practitioner/doc2"}, {"Organization/org1"}, {"Pad/pad1", "Organization/org2"}} {
		if err := a.RemoveRecords(refs(together...)...); err != nil {
			t.Error(err)
		}
		for _, ref := range refs(together...) {
			if there(ref) {
				t.Errorf("%s is still there", ref)
			}
		}
	}
	if err := a.RemoveRecords(refs("Task/none")...); !errors.Is(err, record.ErrNotFound) {
		t.Error(err)
	}
	closeApp(t, a)
}
