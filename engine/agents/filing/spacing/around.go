package spacing

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"holdpoint/engine/survey"
)

// Land is another lease: its lines, or, where nobody knows them, one of its wells.
type Land struct {
	Ref string
	// Lines are nil where they are not known; Well is then a place on it.
	Lines *Lease
	Well  *survey.Point
	Datum survey.Datum // of the well
}

// Affected is a lease whose people are to be heard of an exception.
type Affected struct {
	Ref string `json:"ref"`
	// Ft is how far the tract is from where spacing is measured, 0 where that lies on it; of
	// one that is known by a well, how far that is.
	Ft        float64 `json:"distance_ft_us"`
	Adjacent  bool    `json:"adjacent"`
	ByWell    bool    `json:"by_well,omitempty"`
	Confirmed bool    `json:"lines_confirmed"`
	Source    string  `json:"source,omitempty"`
}

// Around is who is to be heard of an exception, as far as lines and wells say it.
type Around struct {
	Tracts []Affected `json:"tracts"`
	// Unknown are the directions in which no lines say whose the land is, and AdjacentUnknown
	// says that the well's own lines are not known either.
	Unknown         []string `json:"unknown"`
	AdjacentUnknown bool     `json:"adjacent_unknown,omitempty"`
	// Unplaced are leases whose lines are in another datum or bound no tract.
	Unplaced []string `json:"unplaced,omitempty"`
}

// Least distances of a search around a well, US survey feet: how far apart two tracts that
// touch may plot, and what a gap between their lines may measure without being land of
// somebody else.
const (
	touchFt = 5.0
	gapFt   = 15.0
)

// compass are the directions of a search, from the north clockwise.
var compass = []string{"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}

// Around finds the tracts nearer to the well than radius, and with adjacent those that touch
// its own, §3.37(a)(2). Nothing is decided: whose the land is that no lines cover, is said to
// be unknown.
func (in Input) Around(radius float64, adjacent bool, all []Land) Around {
	out := Around{Tracts: []Affected{}, Unknown: []string{}}
	points, _ := in.Bore.Measured()
	if len(points) == 0 {
		out.Unknown, out.AdjacentUnknown = slices.Clone(compass), true
		return out
	}
	frame := survey.NewFrame(in.Bore.Datum, points[0])
	well := frame.Path(points...)
	var own *survey.Tract
	if in.Lease != nil && in.Lease.Datum == in.Bore.Datum {
		if t, err := frame.Tract(in.Lease.Rings); err == nil {
			own = &t
		}
	}
	out.AdjacentUnknown = own == nil && adjacent
	reach := radius
	if own != nil && adjacent {
		reach = math.Max(reach, own.Farthest(well)+touchFt)
	}
	var known []survey.Tract
	for _, l := range all {
		switch {
		case l.Lines != nil && l.Lines.Datum != in.Bore.Datum:
			if near(l.Lines.Rings, points, reach+unknownFt) {
				out.Unplaced = append(out.Unplaced, l.Ref)
			}
		case l.Lines != nil:
			if !near(l.Lines.Rings, points, reach) {
				continue
			}
			t, err := frame.Tract(l.Lines.Rings)
			if err != nil {
				out.Unplaced = append(out.Unplaced, l.Ref)
				continue
			}
			a := Affected{Ref: l.Ref, Ft: t.Distance(well), Confirmed: !math.IsInf(l.Lines.AccuracyFt, 1), Source: l.Lines.Source}
			a.Adjacent = own != nil && own.Apart(t) <= touchFt
			known = append(known, t)
			if a.Ft < radius || adjacent && a.Adjacent {
				a.Ft = *tenth(a.Ft)
				out.Tracts = append(out.Tracts, a)
			}
		case l.Well != nil && l.Datum == in.Bore.Datum:
			if ft := well.Distance(frame.Path(*l.Well)); ft < radius && (own == nil || !own.Covers(frame.XY(*l.Well), 0)) {
				out.Tracts = append(out.Tracts, Affected{Ref: l.Ref, Ft: *tenth(ft), ByWell: true})
			}
		}
	}
	slices.SortFunc(out.Tracts, func(a, b Affected) int { return cmp.Or(cmp.Compare(a.Ft, b.Ft), cmp.Compare(a.Ref, b.Ref)) })
	// Of a lease that is known by its wells, the nearest tells it.
	seen := map[string]bool{}
	out.Tracts = slices.DeleteFunc(out.Tracts, func(a Affected) bool {
		again := seen[a.Ref]
		seen[a.Ref] = true
		return again
	})
	slices.Sort(out.Unplaced)
	out.Unknown = unknownAround(well, own, known, radius, adjacent)
	return out
}

// Words say where a place of somebody is that is affected.
func (a Affected) Words() string {
	switch {
	case a.ByWell:
		return fmt.Sprintf("known by a well %.0f ft away, its lines are not", a.Ft)
	case a.Adjacent:
		return fmt.Sprintf("adjacent, %.0f ft away", a.Ft)
	}
	return fmt.Sprintf("%.0f ft away", a.Ft)
}

// near says whether some corner or side of rings may lie within ft of the points. A degree of
// latitude has at least 362,000 ft, one of longitude in Texas at least 290,000.
func near(rings survey.Rings, points []survey.Point, ft float64) bool {
	box := func(list []survey.Point) (w, s, e, n float64) {
		w, s, e, n = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, p := range list {
			w, s, e, n = math.Min(w, p.Lon), math.Min(s, p.Lat), math.Max(e, p.Lon), math.Max(n, p.Lat)
		}
		return w, s, e, n
	}
	if len(rings) == 0 {
		return false
	}
	w, s, e, n := box(rings[0])
	pw, ps, pe, pn := box(points)
	lon, lat := ft/290000, ft/362000
	return w <= pe+lon && e >= pw-lon && s <= pn+lat && n >= ps-lat
}

// unknownAround are the directions in which land within radius of a well, or beside its own
// tract, is covered by no lines.
func unknownAround(well survey.Path, own *survey.Tract, known []survey.Tract, radius float64, adjacent bool) []string {
	seen := map[string]bool{}
	look := func(p survey.XY) {
		if own != nil && own.Covers(p, gapFt) || slices.ContainsFunc(known, func(t survey.Tract) bool { return t.Covers(p, gapFt) }) {
			return
		}
		from := well.Nearest(p)
		east := math.Atan2(p.X-from.X, p.Y-from.Y) // from the north clockwise
		seen[compass[(int(math.Round(east/(math.Pi/4)))+8)%8]] = true
	}
	const steps = 8 // to the radius
	step := radius / steps
	w, s, e, n := well.Box()
	for x := w - radius; x <= e+radius && step > 0; x += step {
		for y := s - radius; y <= n+radius; y += step {
			if p := (survey.XY{X: x, Y: y}); well.Distance(survey.Path{p}) < radius {
				look(p)
			}
		}
	}
	if own != nil && adjacent {
		for _, p := range own.Outside(2*gapFt, 200) {
			look(p)
		}
	}
	out := []string{}
	for _, name := range compass {
		if seen[name] {
			out = append(out, name)
		}
	}
	return out
}
