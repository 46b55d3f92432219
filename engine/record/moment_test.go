package record_test

import (
	"testing"
	"time"

	"holdpoint/engine/record"
)

func TestMoment_NamesTheZone(t *testing.T) {
	at := time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"America/New_York": "Tuesday 1 December 2026 at 09:30 New York time (UTC-05:00)",
		"Europe/London":    "Tuesday 1 December 2026 at 14:30 London time (UTC+00:00)",
		"Pacific/Auckland": "Wednesday 2 December 2026 at 03:30 Auckland time (UTC+13:00)",
		"UTC":              "Tuesday 1 December 2026 at 14:30 UTC",
		"EST5EDT":          "Tuesday 1 December 2026 at 09:30 EST5EDT (UTC-05:00)",
		"Etc/GMT+3":        "Tuesday 1 December 2026 at 11:30 UTC-03:00",
	} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := record.Moment(at.In(place)); got != want {
			t.Errorf("in %s it is %q, want %q", zone, got, want)
		}
	}
	if got := record.Moment(at.In(time.FixedZone("", 5400))); got != "Tuesday 1 December 2026 at 16:00 UTC+01:30" {
		t.Errorf("without a name it is %q", got)
	}
}
