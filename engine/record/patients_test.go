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
