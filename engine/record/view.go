package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The views read the few elements that Holdpoint uses. What a resource lacks or
// has in another form stays empty; nothing is made up.

// DamagedError says which record cannot be read. It is an ErrResource.
type DamagedError struct{ Ref Ref }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("record: %s cannot be read: %v", e.Ref, ErrResource)
}

func (e *DamagedError) Unwrap() error { return ErrResource }

func read(r Record) (node, error) {
	n := parseNode(r.Resource)
	if _, ok := n.v.(map[string]any); !ok {
		return n, &DamagedError{r.Ref}
	}
	return n, nil
}

// moment reads a FHIR date or dateTime of any precision; a date is its first
// moment in UTC.
func moment(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(form, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// fullName reads a list of HumanName: the official one, else the usual, else the
// first that is not an old one.
func fullName(names node) string {
	rank := func(n node) int {
		switch n.at("use").text() {
		case "official":
			return 0
		case "usual":
			return 1
		case "old", "maiden":
			return 3
		}
		return 2
	}
	list := names.each()
	slices.SortStableFunc(list, func(a, b node) int { return cmp.Compare(rank(a), rank(b)) })
	for _, n := range list {
		if s := n.at("text").text(); s != "" {
			return s
		}
		var parts []string
		for _, p := range slices.Concat(n.at("prefix").each(), n.at("given").each(), n.at("family").each()) {
			if s := p.text(); s != "" {
				parts = append(parts, s)
			}
		}
		if len(parts) > 0 {
			return strings.Join(parts, " ")
		}
	}
	return ""
}

// concepts reads a list of CodeableConcepts, each text once.
func concepts(n node) []string {
	var out []string
	for _, c := range n.each() {
		if s := c.concept(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Link is a reference to another record, as far as it can be followed.
type Link struct {
	Ref     Ref    `json:"ref"` // empty when it names no record
	Display string `json:"display,omitempty"`
	// System and Value are the identifier of a reference that names its record so.
	System string `json:"system,omitempty"`
	Value  string `json:"value,omitempty"`
}

// bare is the link for comparing: the record it names, else the identifier.
func (l Link) bare() Link {
	if l.Ref != (Ref{}) {
		return Link{Ref: l.Ref}
	}
	return Link{System: l.System, Value: l.Value}
}

func linkOf(n node) Link {
	text := n.at("reference").text()
	l := Link{Display: n.at("display").text(), System: n.at("identifier", "system").text(), Value: n.at("identifier", "value").text()}
	l.Ref, _ = splitRef(text) // stays empty for what is no literal reference
	// The conditional form that bulk exports use: Practitioner?identifier=system|value.
	if _, query, ok := strings.Cut(text, "?identifier="); ok && l.Value == "" {
		l.System, l.Value, _ = strings.Cut(query, "|")
	}
	return l
}

func linksOf(n node) []Link {
	var out []Link
	for _, x := range n.each() {
		out = append(out, linkOf(x))
	}
	return out
}

// Condition is a problem or diagnosis.
type Condition struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Code   string `json:"code,omitempty"`
	Status string `json:"status,omitempty"` // clinical status
	Onset  string `json:"onset,omitempty"`  // as in the record
	// Active says that it is present: not resolved, refuted or entered in error.
	Active bool `json:"active"`
}

// ConditionOf reads a Condition resource.
func ConditionOf(r Record) (Condition, error) {
	n, err := read(r)
	c := Condition{ID: r.ID, Text: n.at("code").concept(), Code: n.at("code").code(), Status: n.at("clinicalStatus").code(),
		Onset: cmp.Or(n.at("onsetDateTime").text(), n.at("onsetPeriod", "start").text(), n.at("recordedDate").text())}
	ended := n.at("abatementDateTime").v != nil || n.at("abatementPeriod").v != nil || n.at("abatementString").v != nil
	c.Active = !untrue(n) && (slices.Contains([]string{"active", "recurrence", "relapse"}, c.Status) || c.Status == "" && !ended)
	return c, err
}

// refutations are the words of a record for a statement that does not hold.
var refutations = []string{"refuted", "entered-in-error"}

// untrueOf says whether a statement was refuted or never meant, in the record's own word; "" for neither.
func untrueOf(n node) string {
	for _, word := range []string{n.at("verificationStatus").code(), n.at("status").text()} {
		if word = strings.ToLower(word); slices.Contains(refutations, word) {
			return word
		}
	}
	return ""
}

// Untrue says that a record was refuted or never meant, in its own word; "" for neither.
func Untrue(r Record) string { return untrueOf(parseNode(r.Resource)) }

func untrue(n node) bool { return untrueOf(n) != "" }

// MedicationRequest is an order of a medicine.
type MedicationRequest struct {
	ID         string `json:"id"`
	Text       string `json:"text"`
	Dosage     string `json:"dosage,omitempty"`
	Status     string `json:"status,omitempty"`
	AuthoredOn string `json:"authored_on,omitempty"` // as in the record
	Requester  Link   `json:"requester"`
	// Medication is the record that describes the medicine, where it is one of its own.
	Medication Ref `json:"medication"`
	// Active says that the medicine is to be taken.
	Active bool `json:"active"`
}

// MedicationRequestOf reads a MedicationRequest resource.
func MedicationRequestOf(r Record) (MedicationRequest, error) {
	n, err := read(r)
	m := MedicationRequest{ID: r.ID, Status: n.at("status").text(), AuthoredOn: n.at("authoredOn").text(), Dosage: n.at("dosageInstruction", "text").text(),
		Text: cmp.Or(n.at("medicationCodeableConcept").concept(), n.at("medicationReference", "display").text()), Requester: linkOf(n.at("requester"))}
	medicine := n.at("medicationReference", "reference").text()
	m.Medication = linkOf(n.at("medicationReference")).Ref
	for _, c := range n.at("contained").each() {
		if id := c.at("id").text(); m.Text == "" && id != "" && medicine == "#"+id {
			m.Text = c.at("code").concept()
		}
	}
	m.Active = (m.Status == "active" || m.Status == "on-hold") && !n.at("doNotPerform").yes()
	return m, err
}

// AllergyIntolerance is an allergy or intolerance.
type AllergyIntolerance struct {
	ID          string   `json:"id"`
	Text        string   `json:"text"`
	Criticality string   `json:"criticality,omitempty"`
	Reactions   []string `json:"reactions,omitempty"`
	Recorded    string   `json:"recorded,omitempty"` // as in the record
	Active      bool     `json:"active"`
	// Severe says that it may endanger life: its criticality is high, or a reaction was severe.
	Severe bool `json:"severe,omitempty"`
	// Confirmed says that somebody made sure of it.
	Confirmed bool `json:"confirmed,omitempty"`
	// None says that it is no allergy: the record states that none is known.
	None bool `json:"none,omitempty"`
}

// Worse compares two allergies: what may endanger life comes first, what is known to be of low
// criticality last; then what holds, what is confirmed, and by name.
func (a AllergyIntolerance) Worse(b AllergyIntolerance) int {
	rank := func(x AllergyIntolerance) int {
		switch {
		case x.None:
			return 3
		case x.Severe:
			return 0
		case x.Criticality == "low":
			return 2
		}
		return 1
	}
	first := func(x, y bool) int {
		switch {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), first(a.Active, b.Active), first(a.Confirmed, b.Confirmed), strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)))
}

// noneKnown are SNOMED CT's codes for no known allergy: to anything, drugs, insects, the
// environment, food, latex, animals, and those of earlier editions.
var noneKnown = []string{"716186003", "409137002", "428197003", "428607008", "429625007", "716184000", "716220001", "160244002", "1003774007"}

// sayNone is a whole text that says so. What has a word more may name an allergy: it is one.
var sayNone = regexp.MustCompile(`(?i)^(nkd?a|nkfa|(no|nil) (known|recorded|reported) ((drugs?|medications?|medicines?|foods?|latex|insects?|animals?|environmental)( (and|or) (drugs?|medications?|medicines?|foods?))? )?(allerg(y|ies)|allergies or intolerances|intolerances?|adverse reactions?)|no allergies( (known|recorded|reported))?|allerg(y|ies): none( known)?|(aucune|pas d['’])( ?)(allergie)s?( (médicamenteuse|alimentaire)s?)?( connue?s?| signalée?s?)?|keine (bekannten )?allergien?( bekannt)?)( \((situation|finding)\))?\.?$`)

// noneIn says that the code of an allergy states that none is known. What its own text or
// its reactions say against that weighs more.
func noneIn(code node, a AllergyIntolerance) bool {
	if a.Severe || len(a.Reactions) > 0 {
		return false
	}
	if sayNone.MatchString(strings.Join(strings.Fields(a.Text), " ")) {
		return true
	}
	text := code.at("text").text()
	for _, c := range code.at("coding").each() {
		system := c.at("system").text()
		if (system == "" || strings.HasPrefix(system, "http://snomed.info/sct")) && slices.Contains(noneKnown, c.at("code").text()) {
			return text == "" || text == c.at("display").text() || text == c.at("code").text()
		}
	}
	return false
}

// AllergyIntoleranceOf reads an AllergyIntolerance resource.
func AllergyIntoleranceOf(r Record) (AllergyIntolerance, error) {
	n, err := read(r)
	a := AllergyIntolerance{ID: r.ID, Text: n.at("code").concept(), Criticality: n.at("criticality").text(), Recorded: n.at("recordedDate").text()}
	a.Severe = slices.Contains([]string{"high", "crith"}, strings.ToLower(a.Criticality))
	for _, x := range n.at("reaction").each() {
		a.Severe = a.Severe || a.Criticality != "low" && x.at("severity").text() == "severe"
		a.Reactions = append(a.Reactions, concepts(x.at("manifestation"))...)
	}
	status := n.at("clinicalStatus").code()
	a.Active = !untrue(n) && (status == "" || status == "active")
	a.Confirmed = n.at("verificationStatus").code() == "confirmed"
	a.None = noneIn(n.at("code"), a)
	return a, err
}

// Encounter is a visit or stay.
type Encounter struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Class  string `json:"class,omitempty"`
	Status string `json:"status,omitempty"`
	Start  string `json:"start,omitempty"` // as in the record
	End    string `json:"end,omitempty"`
	Reason string `json:"reason,omitempty"`
	With   []Link `json:"with,omitempty"`
}

// EncounterOf reads an Encounter resource.
func EncounterOf(r Record) (Encounter, error) {
	n, err := read(r)
	e := Encounter{ID: r.ID, Text: n.at("type").concept1(), Class: n.at("class").code(), Status: n.at("status").text(),
		Start: n.at("period", "start").text(), End: n.at("period", "end").text(), Reason: n.at("reasonCode").concept1()}
	for _, p := range n.at("participant").each() {
		e.With = append(e.With, linkOf(p.at("individual")))
	}
	return e, err
}

// Appointment is a planned visit. Times are zero where the resource has none.
type Appointment struct {
	ID     string    `json:"id"`
	Status string    `json:"status"`
	Start  time.Time `json:"start"`
	End    time.Time `json:"end"`
	Reason string    `json:"reason,omitempty"`
	// Participants who declined are left out.
	Participants []Link `json:"participants"`
	Slots        []Ref  `json:"slots,omitempty"`
}

// AppointmentOf reads an Appointment resource.
func AppointmentOf(r Record) (Appointment, error) {
	n, err := read(r)
	a := Appointment{ID: r.ID, Status: n.at("status").text(), Reason: cmp.Or(n.at("description").text(), n.at("reasonCode").concept1())}
	a.Start, _ = moment(n.at("start").text()) // stays zero: FHIR allows an appointment without times
	a.End, _ = moment(n.at("end").text())
	if minutes, ok := n.at("minutesDuration").number(); ok && a.End.IsZero() && !a.Start.IsZero() && minutes > 0 && minutes < 1e6 {
		a.End = a.Start.Add(time.Duration(minutes) * time.Minute)
	}
	for _, p := range n.at("participant").each() {
		if p.at("status").text() != "declined" {
			a.Participants = append(a.Participants, linkOf(p.at("actor")))
		}
	}
	for _, s := range linksOf(n.at("slot")) {
		if s.Ref.Type == "Slot" {
			a.Slots = append(a.Slots, s.Ref)
		}
	}
	return a, err
}

// holds says that the appointment takes its time.
func (a Appointment) holds() bool {
	return slices.Contains([]string{"proposed", "pending", "booked", "arrived", "checked-in"}, a.Status) && !a.Start.IsZero() && a.End.After(a.Start)
}

// with names who sees the patient.
func (a Appointment) with() string {
	for _, p := range a.Participants {
		if p.Ref.Type == "Practitioner" || p.Ref.Type == "PractitionerRole" {
			return p.Display
		}
	}
	return ""
}

// Schedule says whose time its Slots are.
type Schedule struct {
	ID     string `json:"id"`
	Active bool   `json:"active"`
	Actors []Link `json:"actors"`
}

// ScheduleOf reads a Schedule resource.
func ScheduleOf(r Record) (Schedule, error) {
	n, err := read(r)
	return Schedule{ID: r.ID, Active: !n.at("active").no(), Actors: linksOf(n.at("actor"))}, err
}

// Slot is a time in a Schedule.
type Slot struct {
	ID       string    `json:"id"`
	Schedule Ref       `json:"schedule"`
	Status   string    `json:"status"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
}

// SlotOf reads a Slot resource.
func SlotOf(r Record) (Slot, error) {
	n, err := read(r)
	s := Slot{ID: r.ID, Schedule: linkOf(n.at("schedule")).Ref, Status: n.at("status").text()}
	s.Start, _ = moment(n.at("start").text()) // a slot without times offers nothing
	s.End, _ = moment(n.at("end").text())
	return s, err
}
