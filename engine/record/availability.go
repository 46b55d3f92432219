package record

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// OpenSlot is a time that can be booked. ID is that of the Slot record, empty for
// an assumed one.
type OpenSlot struct {
	ID    string    `json:"id,omitempty"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Assumed hours of a provider without a published schedule: weekdays, on the hour,
// the last visit before 17:00. They are offered for assumedDays at most.
const (
	firstHour   = 9
	lastHour    = 16
	visitLength = 50 * time.Minute
	assumedDays = 366
)

// span is a time that is taken.
type span struct{ start, end time.Time }

func (s span) overlaps(start, end time.Time) bool {
	return s.start.Before(end) && start.Before(s.end)
}

// diary is what the records say about one provider's time.
type diary struct {
	published bool // there is a Schedule
	free      []OpenSlot
	taken     []span // by appointments and by slots that are busy
}

func (d *diary) busy(start, end time.Time) bool {
	return slices.ContainsFunc(d.taken, func(s span) bool { return s.overlaps(start, end) })
}

// diaries reads the time of some providers in one pass; by provider id. Time is
// theirs when it names the Practitioner, by reference or identifier, or one of the
// PractitionerRoles.
func diaries(tx Tx, list []Provider) (map[string]*diary, error) {
	out := map[string]*diary{}
	actors := map[Link]*diary{}
	for _, p := range list {
		d := &diary{}
		out[p.ID] = d
		for _, name := range p.names {
			actors[name] = d
		}
	}
	schedules := map[Ref][]*diary{}
	err := tx.Records("Schedule", "", func(r Record) (bool, error) {
		s, err := ScheduleOf(r)
		if err != nil || !s.Active {
			return true, err
		}
		for _, a := range s.Actors {
			if d := actors[a.bare()]; d != nil && !slices.Contains(schedules[r.Ref], d) {
				d.published = true
				schedules[r.Ref] = append(schedules[r.Ref], d)
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if len(schedules) > 0 {
		err = tx.Records("Slot", "", func(r Record) (bool, error) {
			s, err := SlotOf(r)
			if err != nil || !s.End.After(s.Start) {
				return true, err
			}
			for _, d := range schedules[s.Schedule] {
				switch s.Status {
				case "free":
					d.free = append(d.free, OpenSlot{s.ID, s.Start, s.End})
				case "busy", "busy-unavailable", "busy-tentative":
					d.taken = append(d.taken, span{s.Start, s.End})
				}
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	err = tx.Records("Appointment", "", func(r Record) (bool, error) {
		a, err := AppointmentOf(r)
		if err != nil || !a.holds() {
			return true, err
		}
		for _, p := range a.Participants {
			if d := actors[p.bare()]; d != nil {
				d.taken = append(d.taken, span{a.Start, a.End})
			}
		}
		return true, nil
	})
	return out, err
}

// open lists the times that can be booked and start in [from, to), in order.
func (d *diary) open(from, to time.Time) []OpenSlot {
	out := []OpenSlot{}
	add := func(s OpenSlot) {
		if !s.Start.Before(from) && s.Start.Before(to) && !d.busy(s.Start, s.End) {
			out = append(out, s)
		}
	}
	if d.published {
		for _, s := range d.free {
			add(s)
		}
		slices.SortFunc(out, func(a, b OpenSlot) int { return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID)) })
		return out
	}
	year, month, first := from.Date()
	for n := range assumedDays {
		day := time.Date(year, month, first+n, 0, 0, 0, 0, from.Location())
		if !day.Before(to) {
			break
		}
		if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday {
			continue
		}
		for h := firstHour; h <= lastHour; h++ {
			at := time.Date(day.Year(), day.Month(), day.Day(), h, 0, 0, 0, from.Location())
			add(OpenSlot{Start: at, End: at.Add(visitLength)})
		}
	}
	return out
}

// Availability lists the open slots of a provider that start in [from, to), in
// order: free Slots of their Schedules, minus what appointments or busy Slots
// take. assumed says that the records hold no schedule of theirs and usual weekday
// hours in from's time zone were taken, for a year at most. An inactive provider
// has none; an unknown one is ErrNotFound.
func Availability(tx Tx, providerID string, from, to time.Time) (open []OpenSlot, assumed bool, err error) {
	p, err := provider(tx, providerID)
	if err != nil {
		return nil, false, err
	}
	if p.inactive {
		return []OpenSlot{}, false, nil
	}
	all, err := diaries(tx, []Provider{p})
	if err != nil {
		return nil, false, err
	}
	d := all[p.ID]
	return d.open(from, to), !d.published, nil
}
