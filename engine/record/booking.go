package record

import (
	"cmp"
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
	// Alternatives are open slots instead, where there are any.
	Alternatives []OpenSlot
}

func (r *Refusal) Error() string { return r.Reason }

// OpenSlot is a time that can be booked. ID is that of the Slot record, empty for
// an assumed one.
type OpenSlot struct {
	ID    string    `json:"id,omitempty"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Assumed hours of a provider without a published schedule: weekdays, on the hour.
const (
	firstHour   = 9
	lastHour    = 16
	visitLength = 50 * time.Minute
)

type appointment struct {
	Status      string `json:"status"`
	Description string `json:"description"`
	Start       string `json:"start"`
	End         string `json:"end"`
	Slot        []reference
	Participant []struct {
		Actor reference `json:"actor"`
	} `json:"participant"`
	start, end time.Time
}

func appointmentOf(r Record) (appointment, error) {
	var a appointment
	if err := read(r, &a); err != nil {
		return a, err
	}
	// FHIR allows an appointment without times (proposed, cancelled): it holds nothing.
	for _, f := range []struct {
		text string
		into *time.Time
	}{{a.Start, &a.start}, {a.End, &a.end}} {
		if t, err := time.Parse(time.RFC3339, f.text); err == nil {
			*f.into = t
		}
	}
	return a, nil
}

// holds says that the appointment takes its time.
func (a appointment) holds() bool {
	return slices.Contains([]string{"proposed", "pending", "booked", "arrived", "checked-in", "waitlist"}, a.Status) && !a.start.IsZero()
}

func (a appointment) with(refs ...string) bool {
	for _, p := range a.Participant {
		typ, id := splitReference(p.Actor.Reference)
		if slices.Contains(refs, typ+"/"+id) {
			return true
		}
	}
	return false
}

func (a appointment) overlaps(start, end time.Time) bool {
	return a.start.Before(end) && start.Before(a.end)
}

// busy collects the appointments that hold time of any of the actors.
func busy(tx Tx, actors ...string) ([]appointment, error) {
	var out []appointment
	err := tx.Records("Appointment", "", func(r Record) (bool, error) {
		a, err := appointmentOf(r)
		if err == nil && a.holds() && a.with(actors...) {
			out = append(out, a)
		}
		return true, err
	})
	return out, err
}

func (p Provider) actors() []string {
	out := []string{"Practitioner/" + p.ID}
	for _, r := range p.Roles {
		out = append(out, "PractitionerRole/"+r)
	}
	return out
}

// Availability lists the open slots of a provider that start in [from, to), in
// order. assumed says that the records hold no schedule of theirs and usual
// weekday hours in from's time zone were taken. An unknown provider is ErrNotFound.
func Availability(tx Tx, providerID string, from, to time.Time) (open []OpenSlot, assumed bool, err error) {
	p, err := provider(tx, providerID)
	if err != nil {
		return nil, false, err
	}
	schedules := map[string]bool{}
	err = tx.Records("Schedule", "", func(r Record) (bool, error) {
		var v struct {
			Actor []reference `json:"actor"`
		}
		if err := read(r, &v); err != nil {
			return false, err
		}
		for _, a := range v.Actor {
			typ, id := splitReference(a.Reference)
			if slices.Contains(p.actors(), typ+"/"+id) {
				schedules["Schedule/"+r.ID] = true
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, false, err
	}
	taken, err := busy(tx, p.actors()...)
	if err != nil {
		return nil, false, err
	}
	free := func(s OpenSlot) bool {
		return !s.Start.Before(from) && s.Start.Before(to) && !slices.ContainsFunc(taken, func(a appointment) bool { return a.overlaps(s.Start, s.End) })
	}
	if len(schedules) == 0 {
		for day := from; day.Before(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
			if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday {
				continue
			}
			for h := firstHour; h <= lastHour; h++ {
				at := time.Date(day.Year(), day.Month(), day.Day(), h, 0, 0, 0, from.Location())
				if s := (OpenSlot{Start: at, End: at.Add(visitLength)}); free(s) {
					open = append(open, s)
				}
			}
		}
		return open, true, nil
	}
	err = tx.Records("Slot", "", func(r Record) (bool, error) {
		var v struct {
			Schedule   reference `json:"schedule"`
			Status     string    `json:"status"`
			Start, End time.Time
		}
		if err := read(r, &v); err != nil {
			return false, err
		}
		typ, id := splitReference(v.Schedule.Reference)
		if s := (OpenSlot{r.ID, v.Start, v.End}); v.Status == "free" && schedules[typ+"/"+id] && free(s) {
			open = append(open, s)
		}
		return true, nil
	})
	slices.SortFunc(open, func(a, b OpenSlot) int { return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID)) })
	return open, false, err
}

// Booking is a wish for a visit.
type Booking struct {
	// Call is the id of the call that books; the Appointment's id comes from it, so
	// that one call never makes two.
	Call     string
	Patient  string
	Provider string
	Start    time.Time
	Reason   string
}

// Write is one record as it is and as it would be. Before is nil for a new one.
type Write struct {
	Ref    Ref
	Before *Record
	After  json.RawMessage
}

// Visit is a planned booking.
type Visit struct {
	Writes   []Write
	Provider string // names for people
	Patient  string
	Slot     OpenSlot
	Assumed  bool
}

// PlanBooking works out the records of a booking, without writing: patient and
// provider exist, the start is ahead of now, the slot is open, and neither of the
// two has another appointment then. What speaks against it is a *Refusal. The same
// booking on the same records gives the same bytes.
func PlanBooking(tx Tx, b Booking, now time.Time) (Visit, error) {
	id := idFrom("appt-", b.Call)
	if _, err := tx.Record(Ref{"Appointment", id}); err == nil {
		return Visit{}, &Refusal{Reason: "this call has booked already"}
	} else if !errors.Is(err, ErrNotFound) {
		return Visit{}, err
	}
	patientRecord, err := tx.Record(Ref{"Patient", b.Patient})
	if err != nil {
		return Visit{}, missing(err, "there is no patient %q", b.Patient)
	}
	patient, err := PatientOf(patientRecord, now)
	if err != nil {
		return Visit{}, err
	}
	p, err := provider(tx, b.Provider)
	if err != nil {
		return Visit{}, missing(err, "there is no provider %q", b.Provider)
	}
	if !b.Start.After(now) {
		return Visit{}, &Refusal{Reason: fmt.Sprintf("%s is not ahead of now", b.Start.Format(time.RFC3339))}
	}
	open, assumed, err := Availability(tx, b.Provider, now, b.Start.AddDate(0, 0, 15))
	if err != nil {
		return Visit{}, err
	}
	at := slices.IndexFunc(open, func(s OpenSlot) bool { return s.Start.Equal(b.Start) })
	if at < 0 {
		return Visit{}, &Refusal{Reason: fmt.Sprintf("%s has no open slot at %s", p.Name, b.Start.Format(time.RFC3339)), Alternatives: open[:min(len(open), 5)]}
	}
	slot := open[at]
	theirs, err := busy(tx, "Patient/"+b.Patient)
	if err != nil {
		return Visit{}, err
	}
	for _, a := range theirs {
		if a.overlaps(slot.Start, slot.End) {
			return Visit{}, &Refusal{Reason: fmt.Sprintf("%s has another appointment at %s", patient.Name, a.start.Format(time.RFC3339)), Alternatives: open[:min(len(open), 5)]}
		}
	}
	resource := map[string]any{
		"resourceType": "Appointment", "id": id, "status": "booked",
		"identifier": []any{map[string]any{"system": "urn:holdpoint:call", "value": b.Call}},
		"start":      slot.Start.Format(time.RFC3339), "end": slot.End.Format(time.RFC3339),
		"minutesDuration": int(slot.End.Sub(slot.Start).Minutes()),
		"participant": []any{
			map[string]any{"actor": map[string]any{"reference": "Patient/" + b.Patient, "display": patient.Name}, "status": "accepted"},
			map[string]any{"actor": map[string]any{"reference": "Practitioner/" + p.ID, "display": p.Name}, "status": "accepted"},
		},
	}
	if b.Reason != "" {
		resource["description"] = b.Reason
	}
	v := Visit{Provider: p.Name, Patient: patient.Name, Slot: slot, Assumed: assumed}
	if slot.ID != "" {
		resource["slot"] = []any{map[string]any{"reference": "Slot/" + slot.ID}}
		w, err := setStatus(tx, Ref{"Slot", slot.ID}, "busy", nil)
		if err != nil {
			return Visit{}, err
		}
		v.Writes = append(v.Writes, w)
	}
	after, err := json.Marshal(resource)
	if err != nil {
		return Visit{}, fmt.Errorf("record: booking: %w", err)
	}
	v.Writes = append([]Write{{Ref: Ref{"Appointment", id}, After: after}}, v.Writes...)
	return v, nil
}

// Cancellation is a planned cancellation.
type Cancellation struct {
	Writes   []Write
	Provider string
	Patients []string // ids
	Start    time.Time
}

// PlanCancel works out the records of a cancellation: the appointment's status and
// its slots, which become free. An appointment that is over or cancelled is a *Refusal.
func PlanCancel(tx Tx, appointmentID, reason string, now time.Time) (Cancellation, error) {
	ref := Ref{"Appointment", appointmentID}
	r, err := tx.Record(ref)
	if err != nil {
		return Cancellation{}, missing(err, "there is no appointment %q", appointmentID)
	}
	a, err := appointmentOf(r)
	if err != nil {
		return Cancellation{}, err
	}
	if !a.holds() {
		return Cancellation{}, &Refusal{Reason: fmt.Sprintf("the appointment is %s and cannot be cancelled", a.Status)}
	}
	if !a.start.After(now) {
		return Cancellation{}, &Refusal{Reason: "the appointment has begun or is over"}
	}
	extra := map[string]any{}
	if reason != "" {
		extra["cancelationReason"] = map[string]any{"text": reason} // spelled as FHIR R4 does
	}
	w, err := setStatus(tx, ref, "cancelled", extra)
	if err != nil {
		return Cancellation{}, err
	}
	c := Cancellation{Writes: []Write{w}, Start: a.start, Patients: PatientsOf(r)}
	for _, p := range a.Participant {
		if typ, _ := splitReference(p.Actor.Reference); typ == "Practitioner" || typ == "PractitionerRole" {
			c.Provider = p.Actor.Display
		}
	}
	for _, s := range a.Slot {
		typ, id := splitReference(s.Reference)
		if typ != "Slot" {
			continue
		}
		w, err := setStatus(tx, Ref{"Slot", id}, "free", nil)
		if errors.Is(err, ErrNotFound) {
			continue // the slot was never imported
		}
		if err != nil {
			return Cancellation{}, err
		}
		c.Writes = append(c.Writes, w)
	}
	return c, nil
}

// PlanNote works out a care note as a DocumentReference of plain text.
func PlanNote(tx Tx, call, patientID, text string, now time.Time) ([]Write, Patient, error) {
	r, err := tx.Record(Ref{"Patient", patientID})
	if err != nil {
		return nil, Patient{}, missing(err, "there is no patient %q", patientID)
	}
	p, err := PatientOf(r, now)
	if err != nil {
		return nil, p, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, p, &Refusal{Reason: "the note is empty"}
	}
	id := idFrom("note-", call)
	if _, err := tx.Record(Ref{"DocumentReference", id}); err == nil {
		return nil, p, &Refusal{Reason: "this call has written its note already"}
	} else if !errors.Is(err, ErrNotFound) {
		return nil, p, err
	}
	after, err := json.Marshal(map[string]any{
		"resourceType": "DocumentReference", "id": id, "status": "current", "description": "Care note",
		"identifier": []any{map[string]any{"system": "urn:holdpoint:call", "value": call}},
		"subject":    map[string]any{"reference": "Patient/" + patientID, "display": p.Name},
		"type":       map[string]any{"text": "Care note"},
		"content":    []any{map[string]any{"attachment": map[string]any{"contentType": "text/plain; charset=utf-8", "data": []byte(text)}}},
	})
	return []Write{{Ref: Ref{"DocumentReference", id}, After: after}}, p, err
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
		raw, err := json.Marshal(v)
		if err != nil {
			return Write{}, fmt.Errorf("record: %w", err)
		}
		body[k] = raw
	}
	after, err := json.Marshal(body)
	if err != nil {
		return Write{}, fmt.Errorf("record: %w", err)
	}
	return Write{Ref: ref, Before: &r, After: after}, nil
}

// idFrom makes a FHIR id of a call's: other characters become dashes, and what is
// too long keeps its end, where call ids differ.
func idFrom(prefix, call string) string {
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, call)
	if room := 64 - len(prefix); len(id) > room {
		id = id[len(id)-room:]
	}
	return prefix + id
}

func missing(err error, format string, args ...any) error {
	if errors.Is(err, ErrNotFound) {
		return &Refusal{Reason: fmt.Sprintf(format, args...)}
	}
	return err
}
