package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/record"
	"holdpoint/engine/session"
)

// patientType is the type of record that a subject had before there were others;
// clients still name it by its id alone.
const patientType = "Patient"

// aboutOf puts the subject of a new turn into its vars: what was named, else what the
// session is about.
func (a *App) aboutOf(s TurnRequest, x *registered, vars map[string]string) error {
	var ref record.Ref
	for _, name := range []string{s.Subject, onPatient(s.Patient), vars[session.SubjectVar], onPatient(vars[session.PatientVar])} {
		if name == "" {
			continue
		}
		if ref.ID != "" && ref.String() != name {
			return Bad(fmt.Sprintf("The turn is said to be about %s and about %s.", ref, name), "Name one subject.")
		}
		var err error
		if ref, err = a.subject(name); err != nil {
			return err
		}
	}
	if ref.ID != "" && len(x.Subjects) > 0 && !slices.Contains(x.Subjects, ref.Type) {
		return Bad(fmt.Sprintf("The agent %s works on %s, and %s is none.", x.ID, strings.Join(x.Subjects, ", "), ref), "Choose another subject or another agent.")
	}
	if ref.ID == "" {
		switch old, err := a.Store.Session(s.Session); {
		case err == nil:
			ref = old.About()
		case !errors.Is(err, session.ErrNotFound):
			return err
		}
	}
	if ref.ID != "" {
		session.SetSubject(vars, ref)
	}
	return nil
}

func onPatient(id string) string {
	if id == "" {
		return ""
	}
	return patientType + "/" + id
}

// subject finds the record that somebody named as TYPE/ID.
func (a *App) subject(name string) (record.Ref, error) {
	ref, ok := record.ParseRef(name)
	if !ok {
		return ref, Bad(fmt.Sprintf("The subject %q is not written as TYPE/ID.", name), "For example Patient/123; holdpoint records list TYPE shows what is there.")
	}
	err := a.Store.ViewRecords(func(tx record.Tx) error {
		_, err := tx.Record(ref)
		return err
	})
	if errors.Is(err, record.ErrNotFound) {
		return ref, Bad(fmt.Sprintf("There is no record %s.", ref), "Choose one of the records, or import it; holdpoint records list "+ref.Type+" shows what is there.")
	}
	return ref, err
}

// nameOf is what people call a record; "" for none and for one that is not there.
func (a *App) nameOf(ref record.Ref) (name string) {
	err := a.Store.ViewRecords(func(tx record.Tx) (err error) {
		name, err = a.nameIn(tx, ref)
		return err
	})
	if err != nil {
		return "" // a list without this name is better than no list
	}
	return name
}

// nameIn is nameOf in a transaction that is under way.
func (a *App) nameIn(tx record.Tx, ref record.Ref) (string, error) {
	if ref.ID == "" {
		return "", nil
	}
	r, err := tx.Record(ref)
	if errors.Is(err, record.ErrNotFound) {
		return "", nil
	}
	return cmp.Or(a.describe(r).Title, ref.ID), err
}

// SetSubject says what a session is about: a record as TYPE/ID, or nothing for "".
func (a *App) SetSubject(id, name string) error {
	var ref record.Ref
	if name != "" {
		var err error
		if ref, err = a.subject(name); err != nil {
			return err
		}
	}
	return a.changeSession(id, func(s *session.Session) { s.SetAbout(ref) })
}

// SetPatient is SetSubject for the id of a Patient.
func (a *App) SetPatient(id, patient string) error { return a.SetSubject(id, onPatient(patient)) }
