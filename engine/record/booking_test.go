package record_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/record"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

// A provider with a schedule of their own, one through a role, one without any and
// one who left; two patients and one who died. noon is Monday 23 November 2026.
const practice = `
{"resourceType":"Patient","id":"pat","name":[{"given":["Ada"],"family":"Birch"}],"birthDate":"1990-11-24"}
{"resourceType":"Patient","id":"other","name":[{"text":"Bo Cedar"}]}
{"resourceType":"Patient","id":"dead","name":[{"text":"Cy Elm"}],"deceasedDateTime":"2020-01-01"}
{"resourceType":"Practitioner","id":"own","name":[{"text":"Dr Own"}],"identifier":[{"system":"urn:npi","value":"77"}]}
{"resourceType":"Practitioner","id":"byrole","name":[{"text":"Dr Role"}]}
{"resourceType":"Practitioner","id":"nosched","name":[{"text":"Dr None"}]}
{"resourceType":"Practitioner","id":"left","active":false,"name":[{"text":"Dr Left"}]}
{"resourceType":"PractitionerRole","id":"role","practitioner":{"reference":"Practitioner/byrole"},"specialty":[{"text":"Sleep medicine"}]}
{"resourceType":"Schedule","id":"s1","actor":[{"reference":"Practitioner/own"}]}
{"resourceType":"Schedule","id":"s2","actor":[{"reference":"https://x.example/fhir/PractitionerRole/role"}]}
{"resourceType":"Slot","id":"past","schedule":{"reference":"Schedule/s1"},"status":"free","start":"2026-11-23T09:00:00Z","end":"2026-11-23T09:50:00Z"}
{"resourceType":"Slot","id":"a","schedule":{"reference":"Schedule/s1"},"status":"free","start":"2026-11-24T09:00:00-05:00","end":"2026-11-24T09:50:00-05:00","comment":"<b>&"}
{"resourceType":"Slot","id":"b","schedule":{"reference":"Schedule/s1"},"status":"free","start":"2026-11-24T16:00:00Z","end":"2026-11-24T16:50:00Z"}
{"resourceType":"Slot","id":"c","schedule":{"reference":"Schedule/s1"},"status":"busy","start":"2026-11-24T17:00:00Z","end":"2026-11-24T17:50:00Z"}
{"resourceType":"Slot","id":"d","schedule":{"reference":"Schedule/s1"},"status":"free","start":"2026-11-24T17:30:00Z","end":"2026-11-24T18:20:00Z"}
{"resourceType":"Slot","id":"e","schedule":{"reference":"Schedule/s1"},"status":"free","start":"2026-11-25T16:00:00Z","end":"2026-11-25T16:50:00Z"}
{"resourceType":"Slot","id":"odd","schedule":{"reference":"Schedule/s1"},"status":"free","start":"soon"}
{"resourceType":"Slot","id":"r","schedule":{"reference":"Schedule/s2"},"status":"free","start":"2026-11-24T14:30:00Z","end":"2026-11-24T15:20:00Z"}
`

func clinic(t testing.TB, extra ...string) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	r, err := record.ImportReader(t.Context(), db, "c.ndjson", strings.NewReader(practice+strings.Join(extra, "\n")), at(noon))
	if err != nil || r.Total.Failed > 0 {
		t.Fatalf("%+v %v", r.Errors, err)
	}
	return db
}

func when(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func booked(id, status, actor, start, end string) string {
	return `{"resourceType":"Appointment","id":"` + id + `","status":"` + status + `","start":"` + start + `","end":"` + end + `","participant":[{"actor":{"reference":"` + actor + `"}}]}`
}

func ids(slots []record.OpenSlot) []string {
	var out []string
	for _, s := range slots {
		out = append(out, s.ID)
	}
	return out
}

func starts(slots []record.OpenSlot) []string {
	var out []string
	for _, s := range slots {
		out = append(out, s.Start.UTC().Format("2T15:04"))
	}
	return out
}

func TestAvailability_IsFreeSlotsMinusWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		name, extra string
		want        []string
	}{
		{"free slots, not the one that a busy slot overlaps", "", []string{"a", "b", "e"}},
		{"minus an appointment", booked("x", "booked", "Practitioner/own", "2026-11-24T15:30:00Z", "2026-11-24T16:10:00Z"), []string{"a", "e"}},
		{"minus a proposed one", booked("x", "proposed", "Practitioner/own", "2026-11-24T15:30:00Z", "2026-11-24T16:10:00Z"), []string{"a", "e"}},
		{"minus one that names the practitioner by identifier", booked("x", "booked", "Practitioner?identifier=urn:npi|77", "2026-11-24T15:30:00Z", "2026-11-24T16:10:00Z"), []string{"a", "e"}},
		{"a cancelled appointment takes nothing", booked("x", "cancelled", "Practitioner/own", "2026-11-24T15:30:00Z", "2026-11-24T16:10:00Z"), []string{"a", "b", "e"}},
		{"one that ends as the slot begins takes nothing", booked("x", "booked", "Practitioner/own", "2026-11-24T15:30:00Z", "2026-11-24T16:00:00Z"), []string{"a", "b", "e"}},
		{"another provider's takes nothing", booked("x", "booked", "Practitioner/byrole", "2026-11-24T15:30:00Z", "2026-11-24T16:10:00Z"), []string{"a", "b", "e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			view(t, clinic(t, c.extra), func(tx record.Tx) {
				open, assumed, err := record.Availability(tx, "own", noon, noon.AddDate(0, 0, 14))
				if err != nil || assumed || !slices.Equal(ids(open), c.want) {
					t.Errorf("%v %v %v", ids(open), assumed, err)
				}
			})
		})
	}
	t.Run("through a role", func(t *testing.T) {
		view(t, clinic(t, booked("x", "booked", "PractitionerRole/role", "2026-11-26T15:00:00Z", "2026-11-26T16:00:00Z")), func(tx record.Tx) {
			open, assumed, err := record.Availability(tx, "byrole", noon, noon.AddDate(0, 0, 14))
			if err != nil || assumed || !slices.Equal(ids(open), []string{"r"}) {
				t.Errorf("%v %v %v", ids(open), assumed, err)
			}
		})
	})
	t.Run("a schedule that is not active any more offers nothing", func(t *testing.T) {
		db := clinic(t, `{"resourceType":"Schedule","id":"s2","active":false,"actor":[{"reference":"PractitionerRole/role"}]}`)
		view(t, db, func(tx record.Tx) {
			open, assumed, err := record.Availability(tx, "byrole", noon, noon.AddDate(0, 0, 1))
			if err != nil || !assumed || slices.Contains(ids(open), "r") {
				t.Errorf("%v %v %v", open, assumed, err)
			}
		})
	})
	t.Run("usual weekday hours without a schedule", func(t *testing.T) {
		zone := time.FixedZone("", -5*3600)
		db := clinic(t, booked("x", "booked", "Practitioner/nosched", "2026-11-23T18:30:00Z", "2026-11-23T19:30:00Z"))
		view(t, db, func(tx record.Tx) {
			open, assumed, err := record.Availability(tx, "nosched", noon.In(zone), noon.AddDate(0, 0, 7))
			if err != nil || !assumed {
				t.Fatal(assumed, err)
			}
			// Monday 12:00 UTC is 07:00 there; 13:00 and 14:00 there are taken.
			if got := starts(open)[:7]; !slices.Equal(got, []string{"23T14:00", "23T15:00", "23T16:00", "23T17:00", "23T20:00", "23T21:00", "24T14:00"}) {
				t.Errorf("%v", got)
			}
			for _, s := range open {
				if wd := s.Start.Weekday(); wd == time.Saturday || wd == time.Sunday || s.End.Sub(s.Start) != 50*time.Minute || s.ID != "" {
					t.Errorf("%v", s)
				}
			}
			if len(open) != 8*5-2 {
				t.Errorf("%d", len(open))
			}
		})
	})
	t.Run("who left has none, who is unknown is not found", func(t *testing.T) {
		view(t, clinic(t), func(tx record.Tx) {
			if open, assumed, err := record.Availability(tx, "left", noon, noon.AddDate(0, 0, 7)); len(open) > 0 || assumed || err != nil {
				t.Errorf("%v %v %v", open, assumed, err)
			}
			if _, _, err := record.Availability(tx, "nobody", noon, noon.AddDate(0, 0, 7)); !errors.Is(err, record.ErrNotFound) {
				t.Error(err)
			}
			if open, _, err := record.Availability(tx, "nosched", noon, noon.AddDate(5000, 0, 0)); err != nil || len(open) > 8*366 {
				t.Error(len(open), err)
			}
		})
	})
}

func view(t testing.TB, db record.Store, fn func(record.Tx)) {
	t.Helper()
	if err := db.ViewRecords(func(tx record.Tx) error { fn(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

// carryOut writes a plan as a call does whose approval stands, and returns the first record.
func carryOut(tx record.Tx, writes []record.Write, now time.Time) (first record.Record, err error) {
	for k, w := range writes {
		r, err := record.New(w.After, now)
		if err == nil {
			err = tx.PutRecord(r)
		}
		if err != nil {
			return first, err
		}
		if k == 0 {
			first = r
		}
	}
	return first, nil
}

func book(tx record.Tx, b record.Booking, now time.Time) ([]record.Write, error) {
	v, err := record.PlanBooking(tx, b, now)
	if err == nil {
		_, err = carryOut(tx, v.Writes, now)
	}
	return v.Writes, err
}

var wish = record.Booking{Call: "call-1", Patient: "pat", Provider: "own", Start: when("2026-11-24T14:00:00Z"), Reason: " trouble sleeping <3 "}

func TestNavigator_N39_ABookingIsRefusedWhenSomethingSpeaksAgainstIt(t *testing.T) {
	for _, c := range []struct {
		name, extra string
		change      func(*record.Booking)
		says        string
		instead     []string
	}{
		{"an unknown patient", "", func(b *record.Booking) { b.Patient = "nobody" }, `no patient "nobody"`, nil},
		{"no patient", "", func(b *record.Booking) { b.Patient = "" }, `no patient ""`, nil},
		{"a patient who died", "", func(b *record.Booking) { b.Patient = "dead" }, "Cy Elm has died", nil},
		{"an unknown provider", "", func(b *record.Booking) { b.Provider = "nobody" }, `no provider "nobody"`, nil},
		{"a provider who left", "", func(b *record.Booking) { b.Provider = "left" }, "no longer active", nil},
		{"a start in the past", "", func(b *record.Booking) { b.Start = when("2026-11-23T09:00:00Z") }, "not ahead of now", nil},
		{"a start that is now", "", func(b *record.Booking) { b.Start = noon }, "not ahead of now", nil},
		{"a start in another age", "", func(b *record.Booking) { b.Start = when("9999-01-04T09:00:00Z") }, "2 years ahead", nil},
		{"no slot then", "", func(b *record.Booking) { b.Start = when("2026-11-25T15:00:00Z") }, "no open slot", []string{"a", "b", "e"}},
		{"a busy slot", "", func(b *record.Booking) { b.Start = when("2026-11-24T17:00:00Z") }, "already booked", []string{"a", "b", "e"}},
		{"a slot that another appointment overlaps", booked("x", "arrived", "Practitioner/own", "2026-11-24T14:40:00Z", "2026-11-24T15:00:00Z"), nil, "no open slot", []string{"b", "e"}},
		{"the patient is elsewhere", booked("x", "booked", "Patient/pat", "2026-11-24T14:40:00Z", "2026-11-24T15:00:00Z"), nil, "Ada Birch has another appointment", []string{"b", "e"}},
		{"another end", "", func(b *record.Booking) { b.End = when("2026-11-24T15:00:00Z") }, "ends at Tuesday 24 November 2026 at 14:50 UTC", []string{"a", "b", "e"}},
		{"half past without a schedule", "", func(b *record.Booking) { b.Provider, b.Start = "nosched", when("2026-11-24T09:30:00Z") }, "no open slot", []string{"", "", "", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := clinic(t, c.extra)
			b := wish
			if c.change != nil {
				c.change(&b)
			}
			before := dump(t, db)
			err := db.UpdateRecords(func(tx record.Tx) error {
				_, err := book(tx, b, noon)
				return err
			})
			var no *record.Refusal
			if !errors.As(err, &no) || !strings.Contains(no.Reason, c.says) {
				t.Fatalf("%v", err)
			}
			if !slices.Equal(ids(no.Alternatives), c.instead) {
				t.Errorf("instead %v", ids(no.Alternatives))
			}
			if dump(t, db) != before {
				t.Error("something was written")
			}
		})
	}
}

// dump renders all records.
func dump(t testing.TB, db record.Store) string {
	var out strings.Builder
	view(t, db, func(tx record.Tx) {
		types, err := tx.RecordTypes()
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range slices.Sorted(mapKeys(types)) {
			err := tx.Records(typ, "", func(r record.Record) (bool, error) {
				out.WriteString(r.String() + " " + r.Version + " " + string(r.Resource) + "\n")
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	return out.String()
}

func mapKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestNavigator_N39_WhatWasShownIsWhatIsBooked(t *testing.T) {
	db := clinic(t)
	var shown record.Visit
	view(t, db, func(tx record.Tx) {
		var err error
		if shown, err = record.PlanBooking(tx, wish, noon); err != nil {
			t.Fatal(err)
		}
	})
	if len(shown.Writes) != 2 || shown.Writes[0].Before != nil || shown.Writes[1].Ref != (record.Ref{Type: "Slot", ID: "a"}) {
		t.Fatalf("%+v", shown)
	}
	later := noon.Add(3 * time.Hour)
	err := db.UpdateRecords(func(tx record.Tx) error {
		writes, err := book(tx, wish, later)
		for k, w := range writes {
			if string(w.After) != string(shown.Writes[k].After) {
				t.Errorf("shown %s\nwritten %s", shown.Writes[k].After, w.After)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := stored(t, db, "Appointment", "appt-call-1")
	if string(got.Resource) != string(shown.Writes[0].After) || !got.UpdatedAt.Equal(later) {
		t.Errorf("%s at %v", got.Resource, got.UpdatedAt)
	}
	var a struct {
		Status, Description, Start, End string
		MinutesDuration                 int
		Identifier                      []struct{ System, Value string }
		Slot                            []struct{ Reference string }
	}
	if err := json.Unmarshal(got.Resource, &a); err != nil {
		t.Fatal(err)
	}
	if a.Status != "booked" || a.Description != "trouble sleeping <3" || a.Start != "2026-11-24T09:00:00-05:00" || a.End != "2026-11-24T09:50:00-05:00" ||
		a.MinutesDuration != 50 || a.Identifier[0].System != "urn:holdpoint:call" || a.Identifier[0].Value != "call-1" || a.Slot[0].Reference != "Slot/a" {
		t.Errorf("%+v", a)
	}
	if who := record.PatientsOf(got); !slices.Equal(who, []string{"pat"}) {
		t.Errorf("belongs to %v", who)
	}
	slot := string(stored(t, db, "Slot", "a").Resource)
	if !strings.Contains(slot, `"busy"`) || !strings.Contains(slot, `"<b>&"`) {
		t.Errorf("%s", slot)
	}
	for _, again := range []record.Booking{wish, {Call: "call-2", Patient: "other", Provider: "own", Start: wish.Start}, {Call: "call-3", Patient: "pat", Provider: "byrole", Start: when("2026-11-24T14:30:00Z")}} {
		err := db.UpdateRecords(func(tx record.Tx) error {
			_, err := book(tx, again, later)
			return err
		})
		var no *record.Refusal
		if !errors.As(err, &no) {
			t.Errorf("%s: %v", again.Call, err)
		}
	}
}

func TestNavigator_N39_ACancellationFreesTheSlot(t *testing.T) {
	cancel := func(db record.Store, id string, now time.Time) error {
		return db.UpdateRecords(func(tx record.Tx) error {
			c, err := record.PlanCancel(tx, id, "cannot come", now)
			if err == nil {
				_, err = carryOut(tx, c.Writes, now)
			}
			return err
		})
	}
	booking := func(t *testing.T) *store.DB {
		db := clinic(t, booked("undated", "fulfilled", "Patient/pat", "", ""))
		err := db.UpdateRecords(func(tx record.Tx) error {
			_, err := book(tx, wish, noon)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := booking(t)
	before := string(stored(t, db, "Slot", "a").Resource)
	if err := cancel(db, "appt-call-1", noon); err != nil {
		t.Fatal(err)
	}
	got := string(stored(t, db, "Appointment", "appt-call-1").Resource)
	if !strings.Contains(got, `"status":"cancelled"`) || !strings.Contains(got, `"cancelationReason":{"text":"cannot come"}`) {
		t.Error(got)
	}
	if slot := string(stored(t, db, "Slot", "a").Resource); slot != strings.Replace(before, "busy", "free", 1) {
		t.Error(slot)
	}
	view(t, db, func(tx record.Tx) {
		open, _, err := record.Availability(tx, "own", noon, noon.AddDate(0, 0, 14))
		if err != nil || !slices.Equal(ids(open), []string{"a", "b", "e"}) {
			t.Error(ids(open), err)
		}
	})
	for _, c := range []struct {
		name, id string
		now      time.Time
		says     string
	}{
		{"an unknown one", "nothing", noon, "no appointment"},
		{"a cancelled one", "appt-call-1", noon, "already cancelled"},
		{"one that is over by its status", "undated", noon, "is fulfilled"},
	} {
		var no *record.Refusal
		if err := cancel(db, c.id, c.now); !errors.As(err, &no) || !strings.Contains(no.Reason, c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var no *record.Refusal
	if err := cancel(booking(t), "appt-call-1", wish.Start); !errors.As(err, &no) || !strings.Contains(no.Reason, "has begun") {
		t.Errorf("one that has begun: %v", err)
	}
	// A slot that another appointment holds stays busy.
	db = booking(t)
	imported(t, db, "x.ndjson", `{"resourceType":"Appointment","id":"second","status":"booked","start":"2026-11-24T14:00:00Z","end":"2026-11-24T14:50:00Z","slot":[{"reference":"Slot/a"}]}`)
	if err := cancel(db, "appt-call-1", noon); err != nil {
		t.Fatal(err)
	}
	if slot := string(stored(t, db, "Slot", "a").Resource); !strings.Contains(slot, "busy") {
		t.Error(slot)
	}
}

func TestNavigator_N39_ACareNoteIsWrittenOnceAndFound(t *testing.T) {
	db := clinic(t)
	note := record.CareNote{Call: "call 9/ü", Patient: "pat", Text: "Sleeps badly.\nWants “CBT-I”.", Author: "R. Vole", Date: noon}
	var written record.Record
	for pass := range 2 {
		err := db.UpdateRecords(func(tx record.Tx) error {
			writes, _, err := record.PlanCareNote(tx, note, noon)
			if err == nil {
				written, err = carryOut(tx, writes, noon)
			}
			return err
		})
		var no *record.Refusal
		if pass == 0 && err != nil || pass == 1 && !errors.As(err, &no) {
			t.Fatalf("pass %d: %v", pass, err)
		}
	}
	n, err := record.NoteOf(written)
	if err != nil || n.Text != note.Text || n.Author != "R. Vole" || n.Date != "2026-11-23T12:00:00Z" || n.Category != "Care note" {
		t.Errorf("%+v %v", n, err)
	}
	view(t, db, func(tx record.Tx) {
		hits, err := record.SearchNotes(tx, "pat", "cbt", 5)
		if err != nil || len(hits) != 1 || hits[0].ID != written.ID {
			t.Errorf("%+v %v", hits, err)
		}
		if hits, err := record.SearchNotes(tx, "other", "cbt", 5); err != nil || len(hits) != 0 {
			t.Errorf("another patient finds %+v %v", hits, err)
		}
		var no *record.Refusal
		if _, _, err := record.PlanCareNote(tx, record.CareNote{Call: "e", Patient: "pat", Text: " \n"}, noon); !errors.As(err, &no) {
			t.Error(err)
		}
		if _, _, err := record.PlanNote(tx, "e", "nobody", "text", noon); !errors.As(err, &no) {
			t.Error(err)
		}
	})
}
