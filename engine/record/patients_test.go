package record_test

import (
	"encoding/json"
	"slices"
	"testing"

	"holdpoint/engine/record"
)

func TestPatientsOf_NamesThePatientsARecordBelongsTo(t *testing.T) {
	for _, c := range []struct {
		name, typ, resource string
		want                []string
	}{
		{"a patient belongs to itself", "Patient", `{"resourceType":"Patient","id":"me"}`, []string{"me"}},
		{"subject", "Condition", `{"subject":{"reference":"Patient/a"}}`, []string{"a"}},
		{"patient", "AllergyIntolerance", `{"patient":{"reference":"Patient/a"}}`, []string{"a"}},
		{"for", "Task", `{"for":{"reference":"Patient/a"}}`, []string{"a"}},
		{"beneficiary", "Coverage", `{"beneficiary":{"reference":"Patient/a"}}`, []string{"a"}},
		{"several subjects", "Account", `{"subject":[{"reference":"Patient/a"},{"reference":"Patient/b"}]}`, []string{"a", "b"}},
		{"participants, each once", "Appointment", `{"participant":[{"actor":{"reference":"Practitioner/p"}},{"actor":{"reference":"Patient/a"}},{"actor":{"reference":"Patient/a"}}]}`, []string{"a"}},
		{"a URL that ends in the patient", "Condition", `{"subject":{"reference":"https://x.example/fhir/Patient/a"}}`, []string{"a"}},
		{"one version of the patient", "Condition", `{"subject":{"reference":"Patient/a/_history/3"}}`, []string{"a"}},
		{"a group is not a patient", "Condition", `{"subject":{"reference":"Group/a"}}`, nil},
		{"a type that ends like Patient", "Condition", `{"subject":{"reference":"NotPatient/a"}}`, nil},
		{"a path that is no reference", "Condition", `{"subject":{"reference":"../Patient/a"}}`, nil},
		{"a reference by identifier", "Condition", `{"subject":{"reference":"Patient?identifier=x|y"}}`, nil},
		{"a contained one", "Condition", `{"subject":{"reference":"#p"}}`, nil},
		{"an id that FHIR forbids", "Condition", `{"subject":{"reference":"Patient/a b"}}`, nil},
		{"another spelling of the name", "Condition", `{"Subject":{"reference":"Patient/a"}}`, nil},
		{"elements of another kind", "Condition", `{"subject":"Patient/a","participant":7,"for":[[]],"patient":null}`, nil},
		{"not an object", "Condition", `[1]`, nil},
		{"not JSON", "Condition", `{`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := record.PatientsOf(record.Record{Ref: record.Ref{Type: c.typ, ID: "me"}, Resource: json.RawMessage(c.resource)})
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// "I removed the doctor, and the encounter, the prescription and the patient went on naming her." What a record refers to
// is in every member of whatever name, at any depth; a patient has only what is about them.
func TestReferences_AreEveryReferenceAnywhereInARecord(t *testing.T) {
	for _, c := range []struct {
		name, typ, resource string
		want                []string
	}{
		{"a member that nobody listed", "Well", `{"drilling_pad":{"reference":"Pad/p"}}`, []string{"Pad/p"}},
		{"deep in lists", "Encounter", `{"participant":[{"individual":{"reference":"Practitioner/d"}}],"serviceProvider":{"reference":"Organization/o"}}`, []string{"Practitioner/d", "Organization/o"}},
		{"in what is contained and in extensions", "Claim", `{"contained":[{"resourceType":"Coverage","payor":[{"reference":"Organization/o"}]}],"extension":[{"valueReference":{"reference":"Device/x"}}]}`, []string{"Organization/o", "Device/x"}},
		{"below a member of that name", "Consent", `{"provision":{"data":[{"meaning":"instance","reference":{"reference":"Observation/o"}}]}}`, []string{"Observation/o"}},
		{"URLs and versions", "Task", `{"owner":{"reference":"https://x.example/fhir/Practitioner/d"},"focus":{"reference":"Observation/o/_history/2"}}`, []string{"Observation/o", "Practitioner/d"}},
		{"each once", "Task", `{"owner":{"reference":"Practitioner/d"},"requester":{"reference":"Practitioner/d"}}`, []string{"Practitioner/d"}},
		{"patients who are not its own", "Observation", `{"performer":[{"reference":"Patient/b"}],"subject":{"reference":"Patient/a"}}`, []string{"Patient/b", "Patient/a"}},
		{"a patient itself", "Patient", `{"link":[{"other":{"reference":"Patient/b"}}]}`, []string{"Patient/me", "Patient/b"}},
		{"what names no record", "Task", `{"owner":{"reference":"#d"},"focus":{"reference":"urn:uuid:1"},"note":"Practitioner/d","for":{"reference":["Practitioner/d"]}}`, nil},
		{"not JSON", "Task", `{`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record.Record{Ref: record.Ref{Type: c.typ, ID: "me"}, Resource: json.RawMessage(c.resource)}
			var got []string
			for _, ref := range record.References(r) {
				got = append(got, ref.String())
				if ref.Type != "Patient" && !record.IsAbout(r, ref) {
					t.Errorf("it is not about %s", ref)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if record.IsAbout(r, record.Ref{Type: "Patient", ID: "b"}) {
				t.Error("it is about a patient whom it only mentions")
			}
		})
	}
}
