package record

import (
	"encoding/json"
	"slices"
	"strings"
)

// ownerFields are the elements of FHIR R4 resources that say whose they are.
var ownerFields = []string{"subject", "patient", "for", "beneficiary"}

// PatientsOf returns the ids of the patients that a record belongs to, each once,
// in the order of mention: a Patient itself, and what subject, patient, for,
// beneficiary and participant.actor refer to as Patient/ID, relative or as the
// end of a URL. A resource that is not an object belongs to nobody.
func PatientsOf(r Record) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Resource, &fields) != nil {
		return nil // not an object: about nobody
	}
	var ids []string
	add := func(n node) {
		for _, ref := range n.each() {
			if id, ok := refID(ref.at("reference").text(), "Patient"); ok && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if r.Type == "Patient" {
		ids = append(ids, r.ID)
	}
	for _, name := range ownerFields {
		add(parseNode(fields[name]))
	}
	for _, p := range parseNode(fields["participant"]).each() {
		add(p.at("actor"))
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

func refID(reference, typ string) (string, bool) {
	ref, ok := splitRef(reference)
	if !ok || ref.Type != typ {
		return "", false
	}
	return ref.ID, true
}

// splitReference is splitRef in two values, both empty for what is no literal reference.
func splitReference(reference string) (typ, id string) {
	ref, _ := splitRef(reference)
	return ref.Type, ref.ID
}
