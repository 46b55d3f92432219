package record

import (
	"encoding/json"
	"slices"
	"strings"
)

// ownerFields are the elements of FHIR R4 resources that say whose they are.
var ownerFields = []string{"subject", "patient", "for", "beneficiary"}

// otherFields are further elements that refer to other records; they say nothing about
// whose record it is.
var otherFields = []string{"schedule", "slot", "practitioner", "organization", "location",
	"well", "lease", "field", "operator"}

// References returns what a record refers to, each once, in the order of mention: what
// subject, patient, for, beneficiary, participant.actor, schedule, slot, practitioner,
// organization and location, and well, lease, field and operator, name as TYPE/ID, relative or as the end of a URL; a Patient
// refers to itself. A resource that is not an object refers to nothing.
func References(r Record) []Ref {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Resource, &fields) != nil {
		return nil
	}
	var refs []Ref
	add := func(n node, owner bool) {
		for _, to := range n.each() {
			ref, ok := splitRef(to.at("reference").text())
			if ok && (owner || ref.Type != "Patient") && !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
	}
	if r.Type == "Patient" {
		refs = append(refs, r.Ref)
	}
	for _, name := range ownerFields {
		add(parseNode(fields[name]), true)
	}
	for _, p := range parseNode(fields["participant"]).each() {
		add(p.at("actor"), true)
	}
	for _, name := range otherFields {
		add(parseNode(fields[name]), false)
	}
	return refs
}

// PatientsOf returns the ids of the patients that a record belongs to: those that it
// refers to, see References.
func PatientsOf(r Record) []string {
	var ids []string
	for _, ref := range References(r) {
		if ref.Type == "Patient" {
			ids = append(ids, ref.ID)
		}
	}
	return ids
}

// splitRef reads a literal reference: Type/ID, a URL that ends so, either with a
// version behind it. Others (urn:uuid, contained, by identifier) give false.
func splitRef(reference string) (Ref, bool) {
	reference, _, _ = strings.Cut(reference, "/_history/")
	rest, id, ok := cutLast(reference)
	if !ok || !idForm.MatchString(id) {
		return Ref{}, false
	}
	typ := rest
	if base, last, ok := cutLast(rest); ok {
		if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
			return Ref{}, false
		}
		typ = last
	}
	if !typeForm.MatchString(typ) {
		return Ref{}, false
	}
	return Ref{Type: typ, ID: id}, true
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}
