package record

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// about says that the patient takes part.
func (a Appointment) about(patient string) bool {
	return slices.ContainsFunc(a.Participants, func(l Link) bool { return l.Ref == Ref{"Patient", patient} })
}

// SameDay lists the other appointments of a's patients that take time on the day on
// which a starts, in the zone of place, by start.
func SameDay(tx Tx, a Appointment, place *time.Location) ([]Appointment, error) {
	var out []Appointment
	if !a.holds() {
		return nil, nil
	}
	day := a.Start.In(place).Format(time.DateOnly)
	for _, p := range a.Participants {
		if p.Ref.Type != "Patient" {
			continue
		}
		err := tx.RecordsAbout(p.Ref, "Appointment", func(r Record) (bool, error) {
			other, err := AppointmentOf(r)
			if err == nil && other.ID != a.ID && other.holds() && other.about(p.Ref.ID) && other.Start.In(place).Format(time.DateOnly) == day {
				if _, err := other.named(tx); err != nil {
					return false, err
				}
				out = append(out, other)
			}
			return true, err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(x, y Appointment) int { return cmp.Or(x.Start.Compare(y.Start), strings.Compare(x.ID, y.ID)) })
	return out, nil
}

// SameTime says that both appointments take time of the same participant at once.
func (a Appointment) SameTime(b Appointment) bool {
	return a.holds() && b.holds() && span{a.Start, a.End}.overlaps(b.Start, b.End) &&
		slices.ContainsFunc(a.Participants, func(l Link) bool {
			return slices.ContainsFunc(b.Participants, func(m Link) bool { return l.Ref == m.Ref })
		})
}

// With names who sees the patient; "" where the record does not.
func (a Appointment) With() string { return a.with() }

// named fills in who takes part where the appointment has a reference alone, and lists what it read for that.
// Nobody is made up for a record that is not there.
func (a *Appointment) named(tx Tx) (read []Seen, err error) {
	for i := range a.Participants {
		p := &a.Participants[i]
		for ref := p.Ref; p.Display == "" && (ref.Type == "Practitioner" || ref.Type == "PractitionerRole"); {
			r, err := tx.Record(ref)
			if errors.Is(err, ErrNotFound) {
				read = append(read, Seen{Ref: ref})
				break
			}
			if err != nil {
				return read, err
			}
			read = append(read, Seen{r.Ref, r.Version})
			switch ref.Type {
			case "Practitioner":
				who, err := PractitionerOf(r)
				if err != nil {
					return read, err
				}
				p.Display = who.Name
			case "PractitionerRole":
				role, err := PractitionerRoleOf(r)
				if err != nil {
					return read, err
				}
				if p.Display = role.Practitioner.Display; p.Display == "" && role.Practitioner.Ref.Type == "Practitioner" {
					ref = role.Practitioner.Ref
					continue
				}
			}
			break
		}
	}
	return read, nil
}

// Names are those of the patients, as the appointment has them; an id where it has none.
func (a Appointment) Names() (out []string) {
	for _, p := range a.Participants {
		if p.Ref.Type == "Patient" {
			out = append(out, cmp.Or(p.Display, p.Ref.ID))
		}
	}
	return out
}

// Places are where its practitioners work; nothing of one who is not known.
func (a Appointment) Places(tx Tx) (out []string, err error) {
	for _, p := range a.Participants {
		if p.Ref.Type != "Practitioner" {
			continue
		}
		who, err := provider(tx, p.Ref.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		out = append(out, who.Places...)
	}
	return out, nil
}
