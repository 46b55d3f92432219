package app_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
)

// "I set the clinic to New York, and every door says New York time."
func TestZone_TheClinicsZoneIsWhatEveryClockTells(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true, Now: func() time.Time { return time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeApp(t, a) })
	zone := func() string {
		t.Helper()
		s, err := a.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Zone
	}
	if got := zone(); got != "" {
		t.Errorf("nobody chose a zone, and the clock has none, but it is %q", got)
	}
	if err := a.Set("zone", json.RawMessage(`"America/New_York"`)); err != nil {
		t.Fatal(err)
	}
	if got := zone(); got != "America/New_York" {
		t.Errorf("the zone is %q", got)
	}
	var bad *app.Fault
	if err := a.Set("zone", json.RawMessage(`"Mars/Olympus"`)); !errors.As(err, &bad) || bad.HTTP != 400 || zone() != "America/New_York" {
		t.Errorf("a zone that is none: %v", err)
	}
}

// "I took the laptop to Auckland, and the visit that waited had two times."
func TestZone_ALaptopThatTravelsTakesNoAppointmentWithIt(t *testing.T) {
	dir := t.TempDir()
	in := func(zone string, do func(*app.App)) string {
		t.Helper()
		t.Setenv("TZ", zone)
		a, err := app.Open(app.Options{Dir: dir, Practice: true})
		if err != nil {
			t.Fatal(err)
		}
		defer closeApp(t, a)
		do(a)
		return a.Zone()
	}
	nothing := func(*app.App) {}
	for _, zone := range []string{"America/New_York", "Europe/London", "Pacific/Auckland"} {
		if got := in(zone, nothing); got != "America/New_York" {
			t.Errorf("in %s the clinic is in %q", zone, got)
		}
	}
	again := func(a *app.App) {
		if err := a.Set("zone", json.RawMessage(`""`)); err != nil {
			t.Fatal(err)
		}
	}
	if got := in("Europe/London", again); got != "Europe/London" {
		t.Errorf("chosen again, the laptop's zone is %q", got)
	}
	if got := in("Pacific/Auckland", nothing); got != "Europe/London" {
		t.Errorf("afterwards it is %q", got)
	}
}

// "The card says half past nine and the chat says something else."
func TestZone_OneAppointmentHasOneTimeInTitleArgumentsReplyAndTranscript(t *testing.T) {
	a := clinic(t, 0) // its slots are written in the zone of this machine
	for zone, name := range map[string]string{"America/New_York": "New York time (UTC-0", "Europe/London": "London time (UTC+0", "Pacific/Auckland": "Auckland time (UTC+1"} {
		if err := a.Set("zone", json.RawMessage(`"`+zone+`"`)); err != nil {
			t.Fatal(err)
		}
		turn := held(t, a, zone).Run.Turn
		waiting, err := a.Approvals("pending")
		if err != nil || len(waiting) != 1 {
			t.Fatalf("%d wait, %v", len(waiting), err)
		}
		ap := waiting[0]
		var args struct{ Start time.Time }
		if err := json.Unmarshal(ap.Args, &args); err != nil {
			t.Fatal(err)
		}
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		when := args.Start.In(place).Format("Monday 2 January 2006 at 15:04 ") + name
		if !strings.Contains(ap.Title, when) {
			t.Errorf("in %s the card says %q, not %q", zone, ap.Title, when)
		}
		if clock := args.Start.In(place).Format(`"2006-01-02T15:04:05`); !strings.Contains(string(ap.Args), clock) {
			t.Errorf("in %s the arguments say %s, not %s", zone, ap.Args, clock)
		}
		if _, err := a.Decide(app.Decision{ID: ap.ID, Digest: ap.Digest, Reviewer: "Dr. Test"}, true); err != nil {
			t.Fatal(err)
		}
		if _, err := a.ResumeTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		turns, err := a.Turns(zone)
		if err != nil || len(turns) != 1 || !strings.Contains(turns[0].Output, when) {
			t.Errorf("in %s the reply is %+v, %v", zone, turns, err)
		}
		e, err := a.Export(app.ExportQuery{Session: zone, Format: "md"})
		if err != nil || strings.Count(exported(t, e), strings.TrimSuffix(when, name)) < 2 {
			t.Errorf("in %s the transcript does not say %q twice, %v", zone, when, err)
		}
	}
}

// "The list of records says seven in the morning at minus seven; my clinic is in London."
func TestZone_ListsAndRefusalsSayTheClinicsTime(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Set("zone", json.RawMessage(`"Pacific/Auckland"`)); err != nil {
		t.Fatal(err)
	}
	page, err := a.Records("Slot", "", "", 5)
	if err != nil || len(page.Records) == 0 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, r := range page.Records {
		if !strings.Contains(r.Subtitle, "Auckland time (UTC+1") || strings.Contains(r.Subtitle, "T0") {
			t.Errorf("a slot reads %q", r.Subtitle)
		}
	}
	if got := a.When(time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)); got != "2026-11-23 14:00 Auckland time (UTC+13:00)" {
		t.Errorf("a list says %q", got)
	}
}

// "I put the clinic's zone right while a booking waited. The card then said two times, and my
// approval was thrown away."
func TestZone_ARequestOutlivesAnotherZone(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Set("zone", json.RawMessage(`"America/New_York"`)); err != nil {
		t.Fatal(err)
	}
	out := held(t, a, "s1")
	before := warned(a, t, out.Pauses[0].ID)
	if err := a.Set("zone", json.RawMessage(`"Pacific/Auckland"`)); err != nil {
		t.Fatal(err)
	}
	ap := warned(a, t, out.Pauses[0].ID)
	if ap.Title != before.Title || ap.Digest != before.Digest || len(ap.Current) != 0 {
		t.Errorf("what was asked changed: %+v", ap)
	}
	listed, _, err := a.ApprovalsPage(app.ApprovalQuery{Status: "pending"})
	if err != nil || len(listed) != 1 || listed[0].TitleZone != "New York" || before.TitleZone != "" {
		t.Errorf("the list says of the title's zone %+v, %v; before %q", listed, err, before.TitleZone)
	}
	const why = "The sentence says its times in New York time, the clinic's zone when it was asked; the times below are in Auckland time."
	if len(before.Warnings) != 0 || len(ap.Warnings) != 1 || ap.Warnings[0] != why {
		t.Errorf("before %q, now %q", before.Warnings, ap.Warnings)
	}
	if _, err := a.Decide(app.Decision{ID: ap.ID, Digest: ap.Digest, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	done, err := a.ResumeTurn(t.Context(), out.Run.Turn)
	if err != nil || done.Run.Status != run.Completed {
		t.Fatalf("%s %v", done.Run.Status, err)
	}
	if used := warned(a, t, ap.ID); used.Status != ledger.Used {
		t.Errorf("the approval is %s", used.Status)
	}
}
