package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ownerFields are the elements of FHIR R4 resources that say whose they are.
var ownerFields = []string{"subject", "patient", "for", "beneficiary"}

// References returns what a record refers to, each once, in the order of the members' names:
// every member "reference" at any depth that names TYPE/ID, relative or as the end of a URL. A
// Patient refers to itself.
func References(r Record) []Ref {
	var refs []Ref
	seen := map[Ref]bool{}
	add := func(ref Ref) {
		if !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	if r.Type == "Patient" {
		add(r.Ref)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if ref, ok := splitRef((node{v}).at("reference").text()); ok {
				add(ref)
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name])
			}
		}
	}
	walk(parseNode(r.Resource).v)
	return refs
}

// PatientsOf returns the ids of the patients that a record is about, each once: those that
// subject, patient, for, beneficiary and participant.actor name, and a Patient itself. Others
// that it refers to, such as a relative or who wrote it, are not whose record it is.
func PatientsOf(r Record) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(r.Resource, &fields) != nil {
		return nil
	}
	var ids []string
	add := func(n node) {
		for _, to := range n.each() {
			ref, ok := splitRef(to.at("reference").text())
			if ok && ref.Type == "Patient" && !slices.Contains(ids, ref.ID) {
				ids = append(ids, ref.ID)
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

// IsAbout says whether a record that refers to another is about it: about a patient when it
// is one of PatientsOf, about anything else in any case.
func IsAbout(r Record, to Ref) bool {
	return to.Type != "Patient" || slices.Contains(PatientsOf(r), to.ID)
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
