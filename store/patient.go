package store

import (
	"encoding/json"
	"slices"
	"strings"

	"holdpoint/engine/record"
)

// patientsOf names the patients that a FHIR R4 record is about: a Patient itself,
// and what subject, patient, for, beneficiary and participant.actor refer to.
func patientsOf(r record.Record) []string {
	type reference struct {
		Reference string `json:"reference"`
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Resource, &fields) != nil {
		return nil // not an object: about nobody
	}
	var ids []string
	add := func(raw json.RawMessage) {
		var ref reference
		if json.Unmarshal(raw, &ref) != nil {
			return // another type's field of that name
		}
		if i := strings.LastIndex(ref.Reference, "Patient/"); i == 0 || i > 0 && ref.Reference[i-1] == '/' {
			id, _, _ := strings.Cut(ref.Reference[i+len("Patient/"):], "/")
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if r.Type == "Patient" {
		ids = append(ids, r.ID)
	}
	for _, name := range []string{"subject", "patient", "for", "beneficiary"} {
		add(fields[name])
	}
	var participants []struct {
		Actor json.RawMessage `json:"actor"`
	}
	if json.Unmarshal(fields["participant"], &participants) == nil {
		for _, p := range participants {
			add(p.Actor)
		}
	}
	return ids
}
