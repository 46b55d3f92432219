package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Patient is a person in care.
type Patient struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	BirthDate string `json:"birth_date,omitempty"` // as in the record: year, month or day precision
	Gender    string `json:"gender,omitempty"`
	// Age in whole years at the time of reading, or at death; 0 when the day of birth, or of death, is not known.
	Age      int  `json:"age,omitempty"`
	Deceased bool `json:"deceased,omitempty"`
	// Languages are those the patient uses about health, the preferred one first; Places
	// are the cities of the addresses in use.
	Languages []string `json:"languages,omitempty"`
	Places    []string `json:"places,omitempty"`
}

// PatientOf reads a Patient resource; now gives the age.
func PatientOf(r Record, now time.Time) (Patient, error) {
	n, err := read(r)
	if err != nil {
		return Patient{}, err
	}
	p := Patient{ID: r.ID, Name: fullName(n.at("name")), BirthDate: n.at("birthDate").text(), Gender: n.at("gender").text()}
	died := n.at("deceasedDateTime").text()
	p.Deceased = died != "" || n.at("deceasedBoolean").yes()
	// Of a person who died on an unknown day nobody knows the age; it is not today's.
	if day, ok := moment(died); ok && len(died) >= len(time.DateOnly) {
		p.Age = AgeAt(p.BirthDate, day)
	} else if !p.Deceased {
		p.Age = AgeAt(p.BirthDate, now)
	}
	for _, c := range n.at("communication").each() {
		language := c.at("language").concept()
		if c.at("preferred").yes() && language != "" {
			p.Languages = append([]string{language}, slices.DeleteFunc(p.Languages, func(s string) bool { return s == language })...)
		}
		p.Languages = addOnce(p.Languages, language)
	}
	p.Places = cities(n.at("address"))
	return p, nil
}

// cities are those of a list of addresses that are in use.
func cities(addresses node) (out []string) {
	for _, a := range addresses.each() {
		if a.at("use").text() != "old" {
			out = addOnce(out, a.at("city").text())
		}
	}
	return out
}

// AgeAt returns the whole years from a birth date (2006-01-02) to a day; 0 when
// the date is not known to the day or is ahead.
func AgeAt(birthDate string, day time.Time) int {
	born, err := time.Parse(time.DateOnly, birthDate)
	if err != nil {
		return 0
	}
	age := day.Year() - born.Year()
	if day.Month() < born.Month() || day.Month() == born.Month() && day.Day() < born.Day() {
		age--
	}
	return max(0, age)
}

// Item is one line of a summary.
type Item struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status,omitempty"`
	Date   string `json:"date,omitempty"` // as in the record
}

// Day is its date without the time.
func (i Item) Day() string { return i.Date[:min(len(i.Date), len(time.DateOnly))] }

// Booked is an appointment in a summary.
type Booked struct {
	ID       string    `json:"id"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	Status   string    `json:"status"`
	Provider string    `json:"provider,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

// Seen is a record that was read, with the version it had then.
type Seen struct {
	Ref
	Version string `json:"version"`
}

// Summary is what the records say about a patient, what must not be missed first.
type Summary struct {
	Patient     Patient        `json:"patient"`
	Allergies   []Item         `json:"allergies"`   // active, the worst first; Status is the criticality
	Medications []Item         `json:"medications"` // active, newest first, each text once
	Upcoming    []Booked       `json:"upcoming_appointments"`
	Conditions  []Item         `json:"conditions"` // active, newest first, each text once
	Encounters  []Item         `json:"recent_encounters"`
	Counts      map[string]int `json:"counts"` // records by type
	// Omitted counts the lines that did not fit, by list.
	Omitted map[string]int `json:"omitted,omitempty"`
	// Versions are all records that were read: when one of them changes, so may this. A
	// record that is named and does not exist has no version.
	Versions []Seen `json:"-"`
}

// Version names everything that the summary was made of: the records, each with its
// version, and what of them holds as time passes.
func (s Summary) Version() string {
	h := sha256.New()
	for _, v := range s.Versions {
		fmt.Fprintf(h, "%s %s\n", v.Ref, v.Version)
	}
	fmt.Fprintf(h, "age %d\n", s.Patient.Age)
	for _, b := range s.Upcoming {
		fmt.Fprintf(h, "upcoming %s\n", b.ID)
	}
	return hex.EncodeToString(h.Sum(nil))
}

const (
	recentEncounters = 5
	summaryLines     = 40
	// unnamed stands for what a record does not name.
	unnamed = "(not named in the record)"
)

// PatientSummary reads a patient's profile; an unknown patient is ErrNotFound.
// What was entered in error, refuted, or is an order not to do something is left out.
func PatientSummary(tx Tx, patientID string, now time.Time) (Summary, error) {
	s := Summary{Conditions: []Item{}, Medications: []Item{}, Allergies: []Item{}, Encounters: []Item{}, Upcoming: []Booked{}, Counts: map[string]int{}}
	rec, err := tx.Record(Ref{"Patient", patientID})
	if err != nil {
		return s, err
	}
	s.Versions = append(s.Versions, Seen{rec.Ref, rec.Version})
	if s.Patient, err = PatientOf(rec, now); err != nil {
		return s, err
	}
	var allergies []AllergyIntolerance
	for _, part := range []struct {
		typ  string
		take func(Record) error
	}{
		{"Condition", func(r Record) error {
			c, err := ConditionOf(r)
			if err == nil && c.Active {
				s.Conditions = append(s.Conditions, Item{c.ID, cmp.Or(c.Text, unnamed), c.Status, c.Onset})
			}
			return err
		}},
		{"MedicationRequest", func(r Record) error {
			m, err := MedicationRequestOf(r)
			if err == nil && m.Active {
				text, err := s.medicine(tx, m)
				if err != nil {
					return err
				}
				if m.Dosage != "" {
					text += "; " + m.Dosage
				}
				s.Medications = append(s.Medications, Item{m.ID, text, m.Status, m.AuthoredOn})
			}
			return err
		}},
		{"AllergyIntolerance", func(r Record) error {
			a, err := AllergyIntoleranceOf(r)
			if err == nil && a.Active {
				a.Text = cmp.Or(a.Text, unnamed)
				allergies = append(allergies, a)
			}
			return err
		}},
		{"Encounter", func(r Record) error {
			e, err := EncounterOf(r)
			if err == nil && e.Status != "entered-in-error" && e.Status != "cancelled" {
				s.Encounters = append(s.Encounters, Item{e.ID, cmp.Or(e.Text, "encounter"), e.Status, e.Start})
			}
			return err
		}},
		{"Appointment", func(r Record) error {
			a, err := AppointmentOf(r)
			if err == nil && a.holds() && a.End.After(now) {
				read, err := a.named(tx)
				if err != nil {
					return err
				}
				s.Versions = append(s.Versions, read...)
				s.Upcoming = append(s.Upcoming, Booked{a.ID, a.Start.In(now.Location()), a.End.In(now.Location()), a.Status, a.with(), a.Reason})
			}
			return err
		}},
		{"DocumentReference", func(Record) error { return nil }},
		{"Immunization", func(Record) error { return nil }},
	} {
		err := tx.RecordsAbout(Ref{Type: "Patient", ID: patientID}, part.typ, func(r Record) (bool, error) {
			s.Counts[part.typ]++
			s.Versions = append(s.Versions, Seen{r.Ref, r.Version})
			return true, part.take(r)
		})
		if err != nil {
			return s, err
		}
	}
	s.Conditions = s.fit("conditions", newestFirst(s.Conditions))
	s.Medications = s.fit("medications", newestFirst(s.Medications))
	for _, a := range Worst(allergies) {
		s.Allergies = append(s.Allergies, Item{a.ID, a.Text, a.Criticality, a.Recorded})
	}
	s.Allergies = s.fit("allergies", s.Allergies)
	s.Encounters = newestFirst(s.Encounters)
	s.Encounters = s.Encounters[:min(len(s.Encounters), recentEncounters)]
	slices.SortFunc(s.Upcoming, func(a, b Booked) int { return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID)) })
	return s, nil
}

// medicine names what is ordered, following a reference to a Medication.
func (s *Summary) medicine(tx Tx, m MedicationRequest) (string, error) {
	if m.Text != "" || m.Medication.Type != "Medication" {
		return cmp.Or(m.Text, unnamed), nil
	}
	r, err := tx.Record(m.Medication)
	if errors.Is(err, ErrNotFound) {
		s.Versions = append(s.Versions, Seen{Ref: m.Medication})
		return unnamed, nil
	}
	if err != nil {
		return "", err
	}
	s.Versions = append(s.Versions, Seen{r.Ref, r.Version})
	n, err := read(r)
	return cmp.Or(n.at("code").concept(), unnamed), err
}

// Worst puts what may endanger life first. That none is known is left out where one is.
func Worst(allergies []AllergyIntolerance) []AllergyIntolerance {
	slices.SortStableFunc(allergies, AllergyIntolerance.Worse)
	if some := slices.IndexFunc(allergies, func(a AllergyIntolerance) bool { return a.None }); some > 0 {
		return allergies[:some]
	}
	return allergies
}

func newestFirst(items []Item) []Item {
	slices.SortFunc(items, func(a, b Item) int {
		x, _ := moment(a.Date) // what has no date comes last
		y, _ := moment(b.Date)
		return cmp.Or(y.Compare(x), strings.Compare(a.ID, b.ID))
	})
	return items
}

// fit keeps the newest line of each text, at most summaryLines, and says how many
// did not fit.
func (s *Summary) fit(list string, items []Item) []Item {
	seen := map[string]bool{}
	items = slices.DeleteFunc(items, func(i Item) bool {
		again := seen[i.Text]
		seen[i.Text] = true
		return again
	})
	if over := len(items) - summaryLines; over > 0 {
		if s.Omitted == nil {
			s.Omitted = map[string]int{}
		}
		s.Omitted[list] = over
		items = items[:summaryLines]
	}
	return items
}
