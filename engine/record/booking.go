package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Refusal is a business "no": the request was understood and nothing was changed.
type Refusal struct {
	Reason string
	// Alternatives are open slots near the one asked for, in order, where there are any.
	Alternatives []OpenSlot
}

func (r *Refusal) Error() string { return r.Reason }

// Booking is a request for a visit.
type Booking struct {
	// Call is the id of the call that books; the Appointment's id comes from it, so
	// that one call never makes two.
	Call     string
	Patient  string
	Provider string
	Start    time.Time
	// End, when given, must be the slot's own.
	End    time.Time
	Reason string
}

// Write is one record as it is and as it would be. Before is nil for a new one.
type Write struct {
	Ref    Ref
	Before *Record
	After  json.RawMessage
}

// Visit is a planned booking. The first write is the Appointment.
type Visit struct {
	Writes   []Write
	Provider string // names for people
	// Specialties are the provider's, as their roles say them.
	Specialties []string
	Patient     string
	Places      []string // where the provider works
	Slot        OpenSlot
	Assumed     bool
}

// callSystem marks what a call wrote, in identifier.
const callSystem = "urn:holdpoint:call"

// How far ahead visits are booked, and how many other times a refusal names from
// the days around the one asked for.
const (
	bookingYears = 2
	alternatives = 5
	daysBefore   = 7
	daysAfter    = 28
)

// PlanBooking works out the records of a booking, without writing: patient and
// provider exist, the start is ahead of now, the slot is open, and neither of the
// two has another appointment then. What speaks against it is a *Refusal. The same
// booking on the same records gives the same bytes, whenever it is planned; assumed
// hours are those of now's time zone.
func PlanBooking(tx Tx, b Booking, now time.Time) (Visit, error) {
	ref := Ref{"Appointment", idFrom("appt-", b.Call)}
	if err := absent(tx, ref, "this call has booked already"); err != nil {
		return Visit{}, err
	}
	patient, err := living(tx, b.Patient, now)
	if err != nil {
		return Visit{}, err
	}
	p, err := provider(tx, b.Provider)
	if err != nil {
		return Visit{}, missing(err, "there is no provider %q", b.Provider)
	}
	said := func(t time.Time) string { return Moment(t.In(now.Location())) }
	switch {
	case p.inactive:
		return Visit{}, &Refusal{Reason: p.Name + " is no longer active"}
	case !b.Start.After(now):
		return Visit{}, &Refusal{Reason: fmt.Sprintf("%s is not ahead of now", said(b.Start))}
	case b.Start.After(now.AddDate(bookingYears, 0, 0)):
		return Visit{}, &Refusal{Reason: fmt.Sprintf("%s is more than %d years ahead", said(b.Start), bookingYears)}
	}
	all, err := diaries(tx, []Provider{p})
	if err != nil {
		return Visit{}, err
	}
	theirs, err := takenBy(tx, b.Patient)
	if err != nil {
		return Visit{}, err
	}
	d := all[p.ID]
	from := b.Start.AddDate(0, 0, -daysBefore)
	if from.Before(now) {
		from = now
	}
	open := d.open(from.In(now.Location()), b.Start.AddDate(0, 0, daysAfter))
	refuse := func(format string, args ...any) (Visit, error) {
		fit := slices.DeleteFunc(slices.Clone(open), func(s OpenSlot) bool {
			return !s.Start.After(now) || slices.ContainsFunc(theirs, func(t span) bool { return t.overlaps(s.Start, s.End) })
		})
		slices.SortStableFunc(fit, func(x, y OpenSlot) int {
			return cmp.Compare(x.Start.Sub(b.Start).Abs(), y.Start.Sub(b.Start).Abs())
		})
		fit = fit[:min(len(fit), alternatives)]
		slices.SortFunc(fit, func(x, y OpenSlot) int { return x.Start.Compare(y.Start) })
		return Visit{}, &Refusal{Reason: fmt.Sprintf(format, args...), Alternatives: fit}
	}
	at := slices.IndexFunc(open, func(s OpenSlot) bool { return s.Start.Equal(b.Start) })
	if at < 0 {
		if d.busy(b.Start, b.Start.Add(time.Second)) {
			return refuse("%s is already booked at %s", p.Name, said(b.Start))
		}
		return refuse("%s has no open slot at %s", p.Name, said(b.Start))
	}
	slot := open[at]
	if !b.End.IsZero() && !b.End.Equal(slot.End) {
		return refuse("the slot at %s ends at %s", said(slot.Start), said(slot.End))
	}
	for _, t := range theirs {
		if t.overlaps(slot.Start, slot.End) {
			return refuse("%s has another appointment at %s", patient.Name, said(t.start))
		}
	}
	v := Visit{Provider: p.Name, Specialties: p.Specialties, Patient: patient.Name, Places: p.Places, Slot: slot, Assumed: !d.published}
	resource := map[string]any{
		"resourceType": "Appointment", "id": ref.ID, "status": "booked",
		"identifier": []any{map[string]any{"system": callSystem, "value": b.Call}},
		"start":      slot.Start.Format(time.RFC3339), "end": slot.End.Format(time.RFC3339),
		"minutesDuration": int(slot.End.Sub(slot.Start).Minutes()),
		"participant": []any{
			map[string]any{"actor": map[string]any{"reference": "Patient/" + b.Patient, "display": patient.Name}, "status": "accepted"},
			map[string]any{"actor": map[string]any{"reference": "Practitioner/" + p.ID, "display": p.Name}, "status": "accepted"},
		},
	}
	if reason := strings.TrimSpace(b.Reason); reason != "" {
		resource["description"] = reason
	}
	var slots []Write
	if slot.ID != "" {
		resource["slot"] = []any{map[string]any{"reference": "Slot/" + slot.ID}}
		w, err := setStatus(tx, Ref{"Slot", slot.ID}, "busy", nil)
		if err != nil {
			return Visit{}, err
		}
		slots = append(slots, w)
	}
	after, err := encode(resource)
	v.Writes = append([]Write{{Ref: ref, After: after}}, slots...)
	return v, err
}

// takenBy lists the times that a patient's appointments take.
func takenBy(tx Tx, patientID string) ([]span, error) {
	var out []span
	err := tx.RecordsAbout(Ref{Type: "Patient", ID: patientID}, "Appointment", func(r Record) (bool, error) {
		a, err := AppointmentOf(r)
		if err == nil && a.holds() && slices.ContainsFunc(a.Participants, func(l Link) bool { return l.Ref == Ref{"Patient", patientID} }) {
			out = append(out, span{a.Start, a.End})
		}
		return true, err
	})
	return out, err
}

// living finds the patient of a plan.
func living(tx Tx, id string, now time.Time) (Patient, error) {
	r, err := tx.Record(Ref{"Patient", id})
	if err != nil {
		return Patient{}, missing(err, "there is no patient %q", id)
	}
	p, err := PatientOf(r, now)
	if err == nil && p.Deceased {
		err = &Refusal{Reason: "the record says that " + cmp.Or(p.Name, "the patient") + " has died"}
	}
	return p, err
}

// Cancellation is a planned cancellation. The first write is the Appointment.
type Cancellation struct {
	Writes   []Write
	Visit    Appointment
	Patients []string // ids
	Places   []string // where its practitioners work
}

// PlanCancel works out the records of a cancellation: the appointment's status and
// its slots, which become free unless another appointment holds them. An
// appointment that is unknown, over or cancelled is a *Refusal.
func PlanCancel(tx Tx, appointmentID, reason string, now time.Time) (Cancellation, error) {
	ref := Ref{"Appointment", appointmentID}
	r, err := tx.Record(ref)
	if err != nil {
		return Cancellation{}, missing(err, "there is no appointment %q", appointmentID)
	}
	a, err := AppointmentOf(r)
	if err != nil {
		return Cancellation{}, err
	}
	switch {
	case a.Status == "cancelled":
		return Cancellation{}, &Refusal{Reason: "the appointment is already cancelled"}
	case !slices.Contains([]string{"proposed", "pending", "booked", "waitlist"}, a.Status):
		return Cancellation{}, &Refusal{Reason: fmt.Sprintf("the appointment is %s and cannot be cancelled", cmp.Or(a.Status, "without a status"))}
	case !a.Start.IsZero() && !a.Start.After(now):
		return Cancellation{}, &Refusal{Reason: "the appointment has begun or is over"}
	}
	extra := map[string]any{}
	if reason = strings.TrimSpace(reason); reason != "" {
		extra["cancelationReason"] = map[string]any{"text": reason} // spelled as FHIR R4 does
	}
	if _, err := a.named(tx); err != nil {
		return Cancellation{}, err
	}
	w, err := setStatus(tx, ref, "cancelled", extra)
	if err != nil {
		return Cancellation{}, err
	}
	c := Cancellation{Writes: []Write{w}, Visit: a, Patients: PatientsOf(r)}
	if c.Places, err = a.Places(tx); err != nil {
		return Cancellation{}, err
	}
	held := map[Ref]bool{}
	if len(a.Slots) > 0 {
		err := tx.Records("Appointment", "", func(r Record) (bool, error) {
			other, err := AppointmentOf(r)
			if err == nil && other.ID != a.ID && other.holds() {
				for _, s := range other.Slots {
					held[s] = true
				}
			}
			return true, err
		})
		if err != nil {
			return Cancellation{}, err
		}
	}
	for _, s := range a.Slots {
		if held[s] {
			continue
		}
		held[s] = true // an appointment may name a slot twice
		r, err := tx.Record(s)
		if errors.Is(err, ErrNotFound) {
			continue // the slot was never imported
		}
		if err != nil {
			return Cancellation{}, err
		}
		if slot, err := SlotOf(r); err != nil || slot.Status != "busy" {
			if err != nil {
				return Cancellation{}, err
			}
			continue // free already, or closed for another reason
		}
		w, err := setStatus(tx, s, "free", nil)
		if err != nil {
			return Cancellation{}, err
		}
		c.Writes = append(c.Writes, w)
	}
	return c, nil
}

// CareNote is a note to be written into a patient's record.
type CareNote struct {
	// Call is the id of the call that writes; the note's id comes from it.
	Call    string
	Patient string
	Text    string
	// Author is the name of who signs, Date when; both are left out when empty. They
	// are written as given, so a plan that is made twice needs the same date twice.
	Author string
	Date   time.Time
}

// PlanNote works out a care note without author and date.
func PlanNote(tx Tx, call, patientID, text string, now time.Time) ([]Write, Patient, error) {
	return PlanCareNote(tx, CareNote{Call: call, Patient: patientID, Text: text}, now)
}

// PlanCareNote works out a care note as a DocumentReference of plain text, without
// writing. now is for the patient's age alone.
func PlanCareNote(tx Tx, c CareNote, now time.Time) ([]Write, Patient, error) {
	r, err := tx.Record(Ref{"Patient", c.Patient})
	if err != nil {
		return nil, Patient{}, missing(err, "there is no patient %q", c.Patient)
	}
	p, err := PatientOf(r, now)
	if err != nil {
		return nil, p, err
	}
	if strings.TrimSpace(c.Text) == "" {
		return nil, p, &Refusal{Reason: "the note is empty"}
	}
	ref := Ref{"DocumentReference", idFrom("note-", c.Call)}
	if err := absent(tx, ref, "this call has written its note already"); err != nil {
		return nil, p, err
	}
	resource := map[string]any{
		"resourceType": "DocumentReference", "id": ref.ID, "status": "current", "description": "Care note",
		"identifier": []any{map[string]any{"system": callSystem, "value": c.Call}},
		"subject":    map[string]any{"reference": "Patient/" + c.Patient, "display": p.Name},
		"type":       map[string]any{"text": "Care note"},
		"category":   []any{map[string]any{"coding": []any{map[string]any{"system": "urn:holdpoint:category", "code": "care-note"}}, "text": "Care note"}},
		"content":    []any{map[string]any{"attachment": map[string]any{"contentType": "text/plain; charset=utf-8", "data": []byte(c.Text)}}},
	}
	if c.Author != "" {
		resource["author"] = []any{map[string]any{"display": c.Author}}
	}
	if !c.Date.IsZero() {
		resource["date"] = c.Date.Format(time.RFC3339)
	}
	after, err := encode(resource)
	return []Write{{Ref: ref, After: after}}, p, err
}

// setStatus plans a change of a resource's status; all else stays as it is.
func setStatus(tx Tx, ref Ref, status string, extra map[string]any) (Write, error) {
	r, err := tx.Record(ref)
	if err != nil {
		return Write{}, err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(r.Resource, &body); err != nil {
		return Write{}, fmt.Errorf("record: %s cannot be read: %w", ref, err)
	}
	change := map[string]any{"status": status}
	maps.Copy(change, extra)
	for k, v := range change {
		if body[k], err = encode(v); err != nil {
			return Write{}, err
		}
	}
	after, err := encode(body)
	return Write{Ref: ref, Before: &r, After: after}, err
}

// encode writes JSON without the escapes for HTML, which would change text that
// came from elsewhere.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// idFrom makes a FHIR id of a call's. What does not fit one is told apart by a
// digest of the whole.
func idFrom(prefix, call string) string {
	if id := prefix + call; idForm.MatchString(id) && call != "" {
		return id
	}
	sum := sha256.Sum256([]byte(call))
	return prefix + hex.EncodeToString(sum[:20])
}

// absent refuses when the record that a call would make is there.
func absent(tx Tx, ref Ref, reason string) error {
	_, err := tx.Record(ref)
	switch {
	case err == nil:
		return &Refusal{Reason: reason}
	case errors.Is(err, ErrNotFound):
		return nil
	}
	return err
}

func missing(err error, format string, args ...any) error {
	if errors.Is(err, ErrNotFound) {
		return &Refusal{Reason: fmt.Sprintf(format, args...)}
	}
	return err
}
