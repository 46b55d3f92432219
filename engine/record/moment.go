package record

import (
	"strings"
	"time"
)

// Moment is a time as people read it, with the name of its zone: "Tuesday 1 December
// 2026 at 09:30 New York time (UTC-05:00)". A zone that is no place has its own name,
// one without a name its distance from UTC.
func Moment(t time.Time) string {
	return t.Format("Monday 2 January 2006 at 15:04 ") + zoneOf(t)
}

// When is Moment in few words, for lists: "2026-12-01 09:30 New York time (UTC-05:00)".
func When(t time.Time) string { return t.Format("2006-01-02 15:04 ") + zoneOf(t) }

// Zone is the name of a time's zone as people say it: "New York time"; "UTC-05:00" of one
// that is no place.
func Zone(t time.Time) string {
	switch name := t.Location().String(); {
	case name == "UTC" || name == "Etc/UTC":
		return "UTC"
	case name == "" || name == "Local" || strings.HasPrefix(name, "Etc/"):
		return t.Format("UTC-07:00")
	default:
		if place := name[strings.LastIndex(name, "/")+1:]; place != name {
			name = strings.ReplaceAll(place, "_", " ") + " time"
		}
		return name
	}
}

func zoneOf(t time.Time) string {
	zone := Zone(t)
	if !strings.HasPrefix(zone, "UTC") {
		zone += t.Format(" (UTC-07:00)")
	}
	return zone
}
