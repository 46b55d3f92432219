package app

import (
	"fmt"
	"time"
	_ "time/tzdata" // for machines without a database of zones

	"github.com/thlib/go-timezone-local/tzlocal"
)

// placeOf is the zone with a name; the machine's own for "". It is nil where nobody
// knows: then times stay in the zone of the clock.
func placeOf(name string) (*time.Location, error) {
	if name == "" {
		own, err := tzlocal.RuntimeTZ()
		if err != nil {
			return nil, nil
		}
		name = own
	}
	place, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, Bad(fmt.Sprintf("There is no time zone %q.", name), "Write it as in Europe/London, or leave it empty for the zone of this laptop.")
	}
	return place, nil
}

// keepZone makes a zone that of the clinic from now on.
func (a *App) keepZone(name string) error {
	place, err := placeOf(name)
	if err != nil {
		return err
	}
	a.place.Store(place)
	return nil
}

// When is a time as lists for people say it: in the clinic's zone, which it names.
func (a *App) When(t time.Time) string {
	return a.Tongue().When(t.In(a.now().Location()))
}

// Zone names the clinic's time zone, in which people read every time, as in
// Europe/London; "" where not even the machine knows its own.
func (a *App) Zone() string {
	if place := a.place.Load(); place != nil {
		return place.String()
	}
	return ""
}
