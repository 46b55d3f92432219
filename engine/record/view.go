package record

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The views below read the few fields that Holdpoint uses. What a resource lacks
// stays empty; nothing is made up.

type coding struct {
	System  string `json:"system"`
	Code    string `json:"code"`
	Display string `json:"display"`
}

type concept struct {
	Coding []coding `json:"coding"`
	Text   string   `json:"text"`
}

func (c concept) String() string {
	if c.Text != "" {
		return c.Text
	}
	for _, x := range c.Coding {
		if x.Display != "" {
			return x.Display
		}
	}
	for _, x := range c.Coding {
		if x.Code != "" {
			return x.Code
		}
	}
	return ""
}

func (c concept) code() string {
	for _, x := range c.Coding {
		if x.Code != "" {
			return x.Code
		}
	}
	return ""
}

type reference struct {
	Reference string `json:"reference"`
	Display   string `json:"display"`
}

type humanName struct {
	Use    string   `json:"use"`
	Text   string   `json:"text"`
	Family string   `json:"family"`
	Given  []string `json:"given"`
	Prefix []string `json:"prefix"`
}

func fullName(names []humanName) string {
	if len(names) == 0 {
		return ""
	}
	n := names[0]
	for _, x := range names {
		if x.Use == "official" {
			n = x
			break
		}
	}
	if n.Text != "" {
		return n.Text
	}
	return strings.Join(slices.DeleteFunc(slices.Concat(n.Prefix, n.Given, []string{n.Family}), func(s string) bool { return s == "" }), " ")
}

type period struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// Patient is a person in care.
type Patient struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	BirthDate string `json:"birth_date,omitempty"` // as in the record: year, month or day precision
	Gender    string `json:"gender,omitempty"`
	// Age in whole years at the time of reading; 0 when the birth date is not known to the day.
	Age      int  `json:"age,omitempty"`
	Deceased bool `json:"deceased,omitempty"`
}

// PatientOf reads a Patient resource; now gives the age.
func PatientOf(r Record, now time.Time) (Patient, error) {
	var v struct {
		Name             []humanName     `json:"name"`
		BirthDate        string          `json:"birthDate"`
		Gender           string          `json:"gender"`
		DeceasedBoolean  bool            `json:"deceasedBoolean"`
		DeceasedDateTime json.RawMessage `json:"deceasedDateTime"`
	}
	if err := read(r, &v); err != nil {
		return Patient{}, err
	}
	p := Patient{ID: r.ID, Name: fullName(v.Name), BirthDate: v.BirthDate, Gender: v.Gender, Deceased: v.DeceasedBoolean || v.DeceasedDateTime != nil}
	if born, err := time.Parse(time.DateOnly, v.BirthDate); err == nil {
		p.Age = now.Year() - born.Year()
		if now.Month() < born.Month() || now.Month() == born.Month() && now.Day() < born.Day() {
			p.Age--
		}
	}
	return p, nil
}

func read(r Record, into any) error {
	if err := json.Unmarshal(r.Resource, into); err != nil {
		return fmt.Errorf("record: %s cannot be read: %w", r.Ref, err)
	}
	return nil
}

// Item is one line of a summary.
type Item struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status,omitempty"`
	Date   string `json:"date,omitempty"` // as in the record
}

// Booked is an appointment in a summary.
type Booked struct {
	ID       string    `json:"id"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	Status   string    `json:"status"`
	Provider string    `json:"provider,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

// Summary is what the records say about a patient.
type Summary struct {
	Patient     Patient        `json:"patient"`
	Conditions  []Item         `json:"conditions"`  // active
	Medications []Item         `json:"medications"` // active
	Allergies   []Item         `json:"allergies"`
	Encounters  []Item         `json:"recent_encounters"` // newest first, at most 5
	Upcoming    []Booked       `json:"upcoming_appointments"`
	Counts      map[string]int `json:"counts"` // records by type
}

const (
	recentEncounters = 5
	summaryLines     = 20
)

// PatientSummary reads a patient's profile; an unknown patient is ErrNotFound.
func PatientSummary(tx Tx, patientID string, now time.Time) (Summary, error) {
	s := Summary{Conditions: []Item{}, Medications: []Item{}, Allergies: []Item{}, Encounters: []Item{}, Upcoming: []Booked{}, Counts: map[string]int{}}
	rec, err := tx.Record(Ref{"Patient", patientID})
	if err != nil {
		return s, err
	}
	if s.Patient, err = PatientOf(rec, now); err != nil {
		return s, err
	}
	collect := func(typ string, take func(Record) error) {
		if err != nil {
			return
		}
		err = tx.RecordsOf(patientID, typ, func(r Record) (bool, error) {
			s.Counts[typ]++
			return true, take(r)
		})
	}
	collect("Condition", func(r Record) error {
		var v struct {
			Code           concept `json:"code"`
			ClinicalStatus concept `json:"clinicalStatus"`
			Onset          string  `json:"onsetDateTime"`
		}
		if err := read(r, &v); err != nil {
			return err
		}
		if st := v.ClinicalStatus.code(); st == "" || st == "active" || st == "recurrence" || st == "relapse" {
			s.Conditions = append(s.Conditions, Item{r.ID, v.Code.String(), st, v.Onset})
		}
		return nil
	})
	collect("MedicationRequest", func(r Record) error {
		var v struct {
			Status     string    `json:"status"`
			Concept    concept   `json:"medicationCodeableConcept"`
			Medication reference `json:"medicationReference"`
			AuthoredOn string    `json:"authoredOn"`
		}
		if err := read(r, &v); err != nil {
			return err
		}
		if v.Status == "active" || v.Status == "on-hold" {
			text := v.Concept.String()
			if text == "" {
				text = v.Medication.Display
			}
			s.Medications = append(s.Medications, Item{r.ID, text, v.Status, v.AuthoredOn})
		}
		return nil
	})
	collect("AllergyIntolerance", func(r Record) error {
		var v struct {
			Code           concept `json:"code"`
			ClinicalStatus concept `json:"clinicalStatus"`
			Criticality    string  `json:"criticality"`
		}
		if err := read(r, &v); err != nil {
			return err
		}
		if st := v.ClinicalStatus.code(); st == "" || st == "active" {
			s.Allergies = append(s.Allergies, Item{r.ID, v.Code.String(), v.Criticality, ""})
		}
		return nil
	})
	collect("Encounter", func(r Record) error {
		var v struct {
			Status string    `json:"status"`
			Type   []concept `json:"type"`
			Period period    `json:"period"`
		}
		if err := read(r, &v); err != nil {
			return err
		}
		text := "encounter"
		if len(v.Type) > 0 && v.Type[0].String() != "" {
			text = v.Type[0].String()
		}
		s.Encounters = append(s.Encounters, Item{r.ID, text, v.Status, v.Period.Start})
		return nil
	})
	collect("Appointment", func(r Record) error {
		a, err := appointmentOf(r)
		if err != nil {
			return err
		}
		if a.holds() && a.end.After(now) {
			name := ""
			for _, p := range a.Participant {
				if typ, _ := splitReference(p.Actor.Reference); typ != "Patient" && p.Actor.Display != "" {
					name = p.Actor.Display
				}
			}
			s.Upcoming = append(s.Upcoming, Booked{r.ID, a.start, a.end, a.Status, name, a.Description})
		}
		return nil
	})
	for _, typ := range []string{"DocumentReference", "Immunization"} {
		collect(typ, func(Record) error { return nil })
	}
	if err != nil {
		return s, err
	}
	newest := func(a, b Item) int { return cmp.Or(strings.Compare(b.Date, a.Date), strings.Compare(a.ID, b.ID)) }
	for _, list := range []*[]Item{&s.Conditions, &s.Medications, &s.Encounters} {
		slices.SortFunc(*list, newest)
	}
	s.Conditions, s.Medications = distinct(s.Conditions), distinct(s.Medications)
	s.Encounters = s.Encounters[:min(len(s.Encounters), recentEncounters)]
	slices.SortFunc(s.Upcoming, func(a, b Booked) int { return a.Start.Compare(b.Start) })
	return s, nil
}

// distinct keeps the newest line of each text, at most summaryLines.
func distinct(in []Item) []Item {
	seen := map[string]bool{}
	out := slices.DeleteFunc(in, func(i Item) bool {
		again := seen[i.Text]
		seen[i.Text] = true
		return again
	})
	return out[:min(len(out), summaryLines)]
}

// Hit is a note that matches a search.
type Hit struct {
	ID      string  `json:"id"`
	Date    string  `json:"date,omitempty"`
	Title   string  `json:"title"`
	Excerpt string  `json:"excerpt"`
	Score   float64 `json:"score"` // share of the query's words that occur
}

// SearchNotes finds the patient's DocumentReferences by words, best first.
func SearchNotes(tx Tx, patientID, query string, limit int) ([]Hit, error) {
	words := terms(query)
	hits := []Hit{}
	if len(words) == 0 {
		return hits, nil
	}
	err := tx.RecordsOf(patientID, "DocumentReference", func(r Record) (bool, error) {
		n, err := NoteOf(r)
		if err != nil {
			return false, err
		}
		low := strings.ToLower(n.Title + "\n" + n.Text)
		found, first := 0, -1
		for _, w := range words {
			if at := strings.Index(low, w); at >= 0 {
				found++
				if in := strings.Index(strings.ToLower(n.Text), w); in >= 0 && (first < 0 || in < first) {
					first = in
				}
			}
		}
		if found > 0 {
			hits = append(hits, Hit{r.ID, n.Date, n.Title, around(n.Text, max(first, 0)), float64(found) / float64(len(words))})
		}
		return true, nil
	})
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Date, a.Date), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(len(hits), limit)], err
}

func terms(query string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if w = strings.Trim(w, ".,;:!?\"'()"); len(w) > 2 {
			out = append(out, w)
		}
	}
	return out
}

const excerptRoom = 240 // bytes

func around(text string, at int) string {
	from, to := max(0, min(at, len(text))-60), min(len(text), at+excerptRoom-60)
	return strings.Join(strings.Fields(strings.ToValidUTF8(text[from:to], "")), " ")
}

// Note is a document with its text, where the resource carries it.
type Note struct {
	ID    string `json:"id"`
	Date  string `json:"date,omitempty"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

var tags = regexp.MustCompile(`(?s)<!--.*?-->|<(script|style)\b.*?</(script|style)>|<[^>]*>`)

// NoteOf reads a DocumentReference; text is kept from text/plain and text/html
// attachments, the latter without its tags.
func NoteOf(r Record) (Note, error) {
	var v struct {
		Date        string  `json:"date"`
		Description string  `json:"description"`
		Type        concept `json:"type"`
		Content     []struct {
			Attachment struct {
				ContentType string `json:"contentType"`
				Data        string `json:"data"`
			} `json:"attachment"`
		} `json:"content"`
	}
	if err := read(r, &v); err != nil {
		return Note{}, err
	}
	n := Note{ID: r.ID, Date: v.Date, Title: cmp.Or(v.Description, v.Type.String(), "note")}
	for _, c := range v.Content {
		data, err := base64.StdEncoding.DecodeString(c.Attachment.Data)
		if err != nil || len(data) == 0 {
			continue // no text inside, or not as FHIR writes it: the note is found by its title
		}
		switch text := strings.ToValidUTF8(string(data), "�"); {
		case strings.HasPrefix(c.Attachment.ContentType, "text/plain"):
			n.Text += text
		case strings.HasPrefix(c.Attachment.ContentType, "text/html"):
			n.Text += html.UnescapeString(tags.ReplaceAllString(text, " "))
		}
	}
	return n, nil
}
