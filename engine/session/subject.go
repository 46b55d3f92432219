package session

import "holdpoint/engine/record"

// Vars of a run that name its subject: any record as TYPE/ID, and the id of a Patient,
// which is how runs named theirs first. A run about a patient has both.
const (
	SubjectVar = "subject"
	PatientVar = "patient"
)

// DefinitionVar is the var of a run that names, by digest, the file that its graph was built from; only the app sets it.
const DefinitionVar = "definition"

// BranchVar is the var of a run that begins a session made from another one: the turn of
// the other, of whose past it is reminded.
const BranchVar = "branch"

const patient = "Patient"

// SubjectOf is the record that a run is about by its vars; the zero Ref for none.
func SubjectOf(vars map[string]string) record.Ref {
	if ref, ok := record.ParseRef(vars[SubjectVar]); ok {
		return ref
	}
	if id := vars[PatientVar]; id != "" {
		return record.Ref{Type: patient, ID: id}
	}
	return record.Ref{}
}

// SetSubject puts a subject into a run's vars.
func SetSubject(vars map[string]string, ref record.Ref) {
	vars[SubjectVar] = ref.String()
	if ref.Type == patient {
		vars[PatientVar] = ref.ID
	}
}

// About is the record that the session is about; the zero Ref for none.
func (s Session) About() record.Ref {
	return SubjectOf(map[string]string{SubjectVar: s.Subject, PatientVar: s.Patient})
}

// SetAbout says what the session is about; the zero Ref is nothing.
func (s *Session) SetAbout(ref record.Ref) {
	s.Subject, s.Patient = "", ""
	if ref == (record.Ref{}) {
		return
	}
	s.Subject = ref.String()
	if ref.Type == patient {
		s.Patient = ref.ID
	}
}
