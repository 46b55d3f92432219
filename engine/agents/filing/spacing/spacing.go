// Package spacing compares where a well is with the distances that a rule asks for:
// to the lines of its lease, and to the wells of the same lease and reservoir (16 TAC
// §3.37, or the special rules of a field, which replace the statewide numbers).
//
// Distances are compared unrounded, and nearer than a limit is a violation: equal is not.
// What cannot be decided from what is there is not decided: the assessment names what is
// missing, or that the margin is smaller than the accuracy.
package spacing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/survey"
)

// Limits are the least distances that a rule allows, in US survey feet, and the rule. One
// that is not known is nil; 0 says that the rule asks for none.
type Limits struct {
	LeaseLine    *float64 `json:"lease_line"`
	BetweenWells *float64 `json:"between_wells"`
	Source       string   `json:"source"`
}

// Line and Between are the distances in feet, 0 where one is not known or not asked for.
func (l Limits) Line() float64    { return feet(l.LeaseLine) }
func (l Limits) Between() float64 { return feet(l.BetweenWells) }

func feet(ft *float64) float64 {
	if ft == nil {
		return 0
	}
	return *ft
}

// Words are both distances for a sentence.
func (l Limits) Words() string {
	word := func(ft *float64) string {
		if ft == nil {
			return "not known"
		}
		return fmt.Sprintf("%.0f ft", *ft)
	}
	return fmt.Sprintf("to lease lines %s, between wells %s", word(l.LeaseLine), word(l.BetweenWells))
}

// Radius is how far around a well who is heard of an exception is looked for,
// §3.37(a)(2): half of the distance between wells or the one to lease lines, whichever is
// more; ok is false where either is not known.
func (l Limits) Radius() (ft float64, ok bool) {
	return math.Max(l.Between()/2, l.Line()), l.LeaseLine != nil && l.BetweenWells != nil
}

// Statewide are the limits of §3.37(a)(1), for fields without rules of their own.
func Statewide() Limits {
	return Limits{new(467.0), new(1200.0), "16 TAC 3.37(a)(1), statewide"}
}

// Profiles of wells.
const (
	Vertical    = "vertical"
	Horizontal  = "horizontal"
	Directional = "directional"
)

// Bore is where a well is.
type Bore struct {
	Profile string
	Datum   survey.Datum
	Surface *survey.Point
	// TakePoints are the first and the last one of a horizontal well.
	TakePoints []survey.Point
	// Bottom is the projected bottom hole.
	Bottom *survey.Point
}

// Neighbour is another well.
type Neighbour struct {
	API string
	Bore
	// SameLease and SameReservoir are nil where nobody knows.
	SameLease     *bool
	SameReservoir *bool
	Status        string
}

// Lease is the tract that the well drains.
type Lease struct {
	Rings survey.Rings
	Datum survey.Datum
	// AccuracyFt is how far the lines may lie from the legal ones; infinite where nobody
	// confirmed that they are the lease's.
	AccuracyFt float64
	// Source says where the lines come from.
	Source string
}

// Input of an assessment.
type Input struct {
	API        string
	Bore       Bore
	Neighbours []Neighbour
	Lease      *Lease
	Limits     Limits
	// Convert allows to convert between datums with the accuracy that the conversion has;
	// else places of two datums are not compared.
	Convert bool
}

// Statuses of an assessment.
const (
	OK         = "ok"
	NeedsInput = "needs_input"
	Failed     = "error"
)

// onLineFt is how near to a line a place is on it: half of what distances are told in.
const onLineFt = 0.05

// Names of violations.
const (
	LeaseLine    = "lease_line"
	BetweenWells = "between_wells"
)

// Assessment is what came of it. Distances are US survey feet, rounded to a tenth for
// people after everything was decided; what is not known is null.
type Assessment struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	// Missing names what has to be found out or put right.
	Missing []string `json:"missing,omitempty"`

	API          string              `json:"api,omitempty"`
	Rule         string              `json:"rule,omitempty"`
	Limits       Limits              `json:"limits_ft"`
	Datum        string              `json:"datum,omitempty"`
	Conversions  []survey.Conversion `json:"conversions,omitempty"`
	MeasuredFrom string              `json:"measured_from,omitempty"`

	InsideLease        *bool    `json:"inside_lease,omitempty"`
	LeaseLineFt        *float64 `json:"nearest_lease_line_ft_us,omitempty"`
	LeaseLineIntlFt    *float64 `json:"nearest_lease_line_ft_intl,omitempty"`
	NearestRing        *int     `json:"nearest_ring,omitempty"`
	NearestEdges       []int    `json:"nearest_edges,omitempty"`
	LeaseSource        string   `json:"lease_source,omitempty"`
	SurfaceToLineFt    *float64 `json:"surface_to_lease_line_ft_us,omitempty"`
	SurfaceInsideLease *bool    `json:"surface_inside_lease,omitempty"`
	// OutsideFt is how far outside the lease the well is.
	OutsideFt *float64 `json:"distance_to_lease_ft_us,omitempty"`

	Neighbours []Seen    `json:"neighbours"`
	Violations []string  `json:"violations"`
	Exception  *bool     `json:"exception_required"`
	Shortfall  Shortfall `json:"shortfall,omitzero"`
	Notice     *Notice   `json:"notice,omitempty"`
	// Notes are what a reader has to know beside the verdict.
	Notes []string `json:"notes,omitempty"`
}

// Seen is a neighbour with its distance.
type Seen struct {
	API        string   `json:"api"`
	DistanceFt *float64 `json:"distance_ft_us"`
	IntlFt     *float64 `json:"distance_ft_intl"`
	Counts     bool     `json:"counts"`
	Why        string   `json:"why"`
	Violates   bool     `json:"violates"`
}

// Shortfall is by how much the distances are too short, in US survey feet.
type Shortfall struct {
	LeaseLineFt    *float64 `json:"lease_line_ft,omitempty"`
	BetweenWellsFt *float64 `json:"between_wells_ft,omitempty"`
}

// Notice says who is to be heard of an exception: those of tracts nearer to the well than
// the radius, §3.37(a)(2).
type Notice struct {
	Basis    string  `json:"basis"`
	RadiusFt float64 `json:"radius_ft"`
}

// surveyFt is how near to a limit a distance from coordinates says too little.
const surveyFt = 5.0

// unknownFt is how far the datums lie apart in Texas at most: what an unknown one may hide.
const unknownFt = 170.0

func tenth(ft float64) *float64 {
	ft = math.Round(ft*10) / 10
	return &ft
}

// lacking is by how much a distance is too short: to a tenth, or as finely as it takes not
// to be none.
func lacking(ft float64) *float64 {
	for p := 10.0; p < 1e5; p *= 10 {
		if r := math.Round(ft*p) / p; r > 0 {
			return &r
		}
	}
	return &ft
}

// told is a distance beside its limit in feet: to a tenth, or as finely as it takes to see
// on which side of the limit it is.
func told(ft, limit float64) string {
	for digits := 1; digits < 5; digits++ {
		text := strconv.FormatFloat(ft, 'f', digits, 64)
		if r, err := strconv.ParseFloat(text, 64); err == nil && (r < limit) == (ft < limit) && (r > limit) == (ft > limit) {
			return text
		}
	}
	return strconv.FormatFloat(ft, 'f', 1, 64)
}

// problem ends an assessment.
type problem struct {
	status  string
	message string
	missing []string
}

func (p *problem) Error() string { return p.message }

func wrong(names []string, format string, args ...any) *problem {
	return &problem{Failed, fmt.Sprintf(format, args...), names}
}

// Assess compares a well with the limits.
func Assess(in Input) Assessment {
	a := &assessment{in: in, out: Assessment{Status: OK, API: in.API, Rule: in.Limits.Source, Limits: in.Limits, Neighbours: []Seen{}, Violations: []string{}}}
	if err := a.run(); err != nil {
		var p *problem
		if !errors.As(err, &p) {
			p = wrong(nil, "%s", strings.TrimPrefix(err.Error(), "survey: "))
		}
		a.out.Status, a.out.Message, a.out.Missing = p.status, p.message, p.missing
		a.out.Violations, a.out.Exception = []string{}, nil
		return a.out
	}
	a.conclude()
	return a.out
}

type assessment struct {
	in    Input
	out   Assessment
	frame survey.Frame
	datum survey.Datum
	// accuracy of every comparison, leaseAccuracy that of the lease's lines beside it.
	accuracy      float64
	leaseAccuracy float64
	open          []string // what keeps it from a verdict, in sentences
	missing       []string
	well          survey.Path
	indicative    bool
	// lineFt and wellFt are the distances unrounded, wellFt in the order of the neighbours.
	lineFt float64
	wellFt []float64
}

func (a *assessment) run() error {
	if a.in.API != "" {
		n, err := api.Parse(a.in.API)
		if err != nil {
			return wrong([]string{a.in.API}, "%s", strings.TrimPrefix(err.Error(), "api: "))
		}
		a.in.API = n.String()
		a.out.API = a.in.API
	}
	l := a.in.Limits
	switch {
	case l.Line() < 0 || l.Between() < 0 || math.IsNaN(l.Line()+l.Between()) || l.Line() > 100000 || l.Between() > 100000:
		return wrong([]string{"limits"}, "the limits are distances in feet: lease line %v, between wells %v", l.Line(), l.Between())
	case strings.TrimSpace(l.Source) == "" || l.Line() == 0 && l.Between() == 0:
		a.in.Limits = Limits{}
		a.open = append(a.open, "no limits are known for this field; name the two distances and the rule that they are from")
		a.missing = append(a.missing, "limits")
	case l.LeaseLine == nil || l.BetweenWells == nil:
		which := "distance to lease lines"
		if l.BetweenWells == nil {
			which = "distance between wells"
		}
		a.open = append(a.open, fmt.Sprintf("the least %s is not known: %s names the other one only. Enter it, 0 where the rule asks for none", which, l.Source))
		a.missing = append(a.missing, "limits")
	}
	if err := a.places(); err != nil {
		return err
	}
	if err := a.datums(); err != nil {
		return err
	}
	if err := a.measureLease(); err != nil {
		return err
	}
	a.measureNeighbours()
	return nil
}

// Measured are the points that spacing is measured from, and what they are called.
func (b Bore) Measured() (points []survey.Point, from string) {
	switch {
	case len(b.TakePoints) == 2:
		return b.TakePoints, "take-point interval"
	case b.Profile == Directional && b.Bottom != nil:
		return []survey.Point{*b.Bottom}, "bottom hole location"
	case b.Profile == Horizontal && b.Bottom != nil && b.Surface != nil:
		return []survey.Point{*b.Surface, *b.Bottom}, "straight line from surface to bottom hole"
	case b.Surface != nil && b.Profile != Horizontal:
		return []survey.Point{*b.Surface}, "surface location"
	}
	return nil, ""
}

// indicative says that the bore lacks what decides: a horizontal well's take points, a
// directional one's bottom hole.
func (b Bore) indicative() bool {
	return len(b.TakePoints) != 2 && (b.Profile == Horizontal || b.Profile == Directional && b.Bottom == nil)
}

func (b Bore) check(what string) error {
	if !slices.Contains([]string{"", Vertical, Horizontal, Directional}, b.Profile) {
		return wrong([]string{what, "profile"}, "the profile of %s is %q; it is vertical, horizontal or directional", what, b.Profile)
	}
	for name, p := range map[string]*survey.Point{"surface": b.Surface, "bottom hole": b.Bottom} {
		if p == nil {
			continue
		}
		if err := p.Check(); err != nil {
			return wrong([]string{what, name}, "the %s location of %s cannot be right: %s", name, what, strings.TrimPrefix(err.Error(), "survey: "))
		}
	}
	for _, p := range b.TakePoints {
		if err := p.Check(); err != nil {
			return wrong([]string{what, "take points"}, "a take point of %s cannot be right: %s", what, strings.TrimPrefix(err.Error(), "survey: "))
		}
	}
	return nil
}

// places checks all coordinates before anything is measured.
func (a *assessment) places() error {
	profile := func(b *Bore) { b.Profile = strings.ToLower(strings.TrimSpace(b.Profile)) }
	profile(&a.in.Bore)
	a.in.Neighbours = slices.Clone(a.in.Neighbours)
	for i := range a.in.Neighbours {
		profile(&a.in.Neighbours[i].Bore)
	}
	points, from := a.in.Bore.Measured()
	if len(points) == 0 {
		if a.in.Bore.Surface == nil {
			return wrong([]string{"surface"}, "the well has no surface coordinates; enter its longitude and latitude with their datum")
		}
		return &problem{NeedsInput, "a horizontal well is measured along its take points; enter the first and the last one", []string{"take_points"}}
	}
	if err := a.in.Bore.check("the well"); err != nil {
		return err
	}
	a.out.MeasuredFrom = from
	a.indicative = a.in.Bore.indicative()
	switch {
	case a.indicative && a.in.Bore.Profile == Directional:
		a.open = append(a.open, "the bottom hole of the directional well is not known, so its surface location stands for it and decides nothing")
		a.missing = append(a.missing, "bottom_hole")
	case a.indicative:
		a.open = append(a.open, "the take points are not known, so the line from surface to bottom hole stands for them and decides nothing")
		a.missing = append(a.missing, "take_points")
	}
	for _, n := range a.in.Neighbours {
		if err := n.check(n.API); err != nil {
			return err
		}
	}
	return nil
}

// datums brings all places to one datum, or says why not.
func (a *assessment) datums() error {
	seen := []survey.Datum{}
	add := func(d survey.Datum) {
		if !slices.Contains(seen, d) {
			seen = append(seen, d)
		}
	}
	add(a.in.Bore.Datum)
	if a.in.Lease != nil {
		add(a.in.Lease.Datum)
	}
	for _, n := range a.in.Neighbours {
		if points, _ := n.Measured(); len(points) > 0 {
			add(n.Datum)
		}
	}
	a.datum = a.in.Bore.Datum
	a.out.Datum = a.datum.Name()
	if slices.Contains(seen, "") {
		a.accuracy = unknownFt
		a.out.Notes = append(a.out.Notes, fmt.Sprintf("a datum is not known: places may be off by up to %.0f ft against each other", unknownFt))
		if len(seen) == 1 || a.in.Convert {
			return nil
		}
	}
	if len(seen) == 1 {
		return nil
	}
	var names []string
	for _, d := range seen {
		names = append(names, d.Name())
	}
	if !a.in.Convert {
		return &problem{NeedsInput, "the places are in " + strings.Join(names, " and ") + "; the datums differ by about 100 to 165 ft in Texas, so they are not compared. " +
			"Give all places in one datum, or allow the conversion (datum_conversion: estimate), whose accuracy is then part of the answer", []string{"datum"}}
	}
	for _, d := range seen {
		if d == a.datum || d == "" || a.datum == "" {
			continue
		}
		c, err := survey.ConversionOf(d, a.datum)
		if err != nil {
			return err
		}
		a.out.Conversions = append(a.out.Conversions, c)
		a.accuracy = math.Max(a.accuracy, c.AccuracyFt)
	}
	return nil
}

// to converts points to the well's datum.
func (a *assessment) to(d survey.Datum, points []survey.Point) []survey.Point {
	out := slices.Clone(points)
	for _, c := range a.out.Conversions {
		if c.From == d {
			for i := range out {
				out[i] = c.Apply(out[i])
			}
		}
	}
	return out
}

func (a *assessment) measureLease() error {
	points, _ := a.in.Bore.Measured()
	middle := points[0]
	if len(points) == 2 {
		middle = survey.Point{Lon: (points[0].Lon + points[1].Lon) / 2, Lat: (points[0].Lat + points[1].Lat) / 2}
	}
	a.frame = survey.NewFrame(a.datum, middle)
	a.well = a.frame.Path(points...)
	if a.in.Lease == nil {
		a.open = append(a.open, "the lease's lines are not known")
		a.missing = append(a.missing, "lease")
		return nil
	}
	rings := make(survey.Rings, len(a.in.Lease.Rings))
	for i, r := range a.in.Lease.Rings {
		rings[i] = a.to(a.in.Lease.Datum, r)
	}
	tract, err := a.frame.Tract(rings)
	if err != nil {
		return wrong([]string{"lease"}, "the lease's lines: %s", strings.TrimPrefix(err.Error(), "survey: not a boundary: "))
	}
	a.out.LeaseSource = a.in.Lease.Source
	a.leaseAccuracy = a.in.Lease.AccuracyFt
	near := tract.Nearest(a.well)
	inside, err := tract.Holds(a.well)
	if err != nil {
		return err
	}
	// A place on the line is no farther inside than outside: by the digits of its
	// coordinates it falls on either side.
	inside = inside || len(points) == 1 && near.Ft < onLineFt
	if !inside && a.leaseAccuracy+a.accuracy == 0 {
		a.out.OutsideFt = tenth(near.Ft)
		a.out.InsideLease = &inside
		if len(points) == 2 && near.Ft < onLineFt {
			return wrong([]string{"lease"}, "the well (its %s) crosses the lines of its lease, or of a tract that is not part of it. That is not a spacing; check the location and the lease", a.out.MeasuredFrom)
		}
		return wrong([]string{"lease"}, "the well (its %s) is not all inside its lease: the line is %.1f ft away, from the wrong side. That is not a spacing; check the location and the lease",
			a.out.MeasuredFrom, near.Ft)
	}
	a.out.InsideLease = &inside
	a.lineFt = near.Ft
	a.out.LeaseLineFt, a.out.LeaseLineIntlFt = tenth(near.Ft), tenth(survey.International(near.Ft))
	a.out.NearestRing, a.out.NearestEdges = &near.Ring, near.Edges
	if a.out.MeasuredFrom != "surface location" && a.in.Bore.Surface != nil {
		surface := a.frame.Path(*a.in.Bore.Surface)
		a.out.SurfaceToLineFt = tenth(tract.Nearest(surface).Ft)
		in, err := tract.Holds(surface)
		if err != nil {
			return err
		}
		a.out.SurfaceInsideLease = &in
	}
	if !inside {
		a.open = append(a.open, fmt.Sprintf("the well plots outside the lines that are at hand, by %.0f ft, and those are exact to no more than that", near.Ft))
		a.missing = append(a.missing, "lease")
		return nil
	}
	if limit := a.in.Limits.Line(); limit > 0 {
		a.judge(LeaseLine, "the nearest lease line", near.Ft, limit, a.accuracy+a.leaseAccuracy)
		if near.Ft < limit {
			a.out.Shortfall.LeaseLineFt = lacking(limit - near.Ft)
		}
	}
	return nil
}

// judge notes a violation, or that the margin is too small to tell.
func (a *assessment) judge(name, what string, ft, limit, accuracy float64) {
	short := ft < limit
	switch margin := math.Abs(ft - limit); {
	case math.IsInf(accuracy, 1):
		a.open = append(a.open, "nobody has confirmed that the lines at hand are the lease's; they are shown and decide nothing (where they are its legal ones, import the map again with boundary_confirmed = Y)")
		a.missing = append(a.missing, "lease")
		return
	case accuracy > 0 && margin <= accuracy:
		a.open = append(a.open, fmt.Sprintf("%s is %s ft away and the limit is %.0f ft: the margin is smaller than the accuracy of the places, %.0f ft", what, told(ft, limit), limit, accuracy))
		a.missing = append(a.missing, "datum")
		return
	case margin <= surveyFt:
		a.out.Notes = append(a.out.Notes, fmt.Sprintf("survey needed: %s is within %.0f ft of the limit", what, surveyFt))
	}
	if short && !a.indicative && !slices.Contains(a.out.Violations, name) {
		a.out.Violations = append(a.out.Violations, name)
	}
}

// there are the words in statuses of wells that spacing looks at.
var there = []string{"propos", "plan", "permit", "approv", "pending", "drill", "complet", "produc", "active", "shut", "idle", "inject", "dispos", "monitor", "temporar"}

// Known says whether it is known what a well's status means: whether the well counts. Those
// of which it is not known count. "" is no status and counts.
func Known(status string) bool {
	s := strings.ToLower(status)
	return s == "" || gone(s) != "" || slices.ContainsFunc(there, func(word string) bool { return strings.Contains(s, word) })
}

// gone says that a well of this status is no longer one that spacing looks at.
func gone(status string) string {
	s := strings.ToLower(status)
	switch {
	case strings.Contains(s, "plug"), strings.Contains(strings.ReplaceAll(s, " ", ""), "p&a"):
		return "plugged"
	case strings.Contains(s, "cancel"):
		return "cancelled"
	}
	return ""
}

// counts says whether a neighbour counts between wells, and why not.
func (n Neighbour) counts() (yes, known bool, why string) {
	switch {
	case gone(n.Status) != "":
		return false, true, gone(n.Status)
	case n.SameLease != nil && !*n.SameLease:
		return false, true, "different lease"
	case n.SameReservoir != nil && !*n.SameReservoir:
		return false, true, "different reservoir"
	case n.SameLease == nil:
		return false, false, "not known whether it is on the same lease"
	case n.SameReservoir == nil:
		return false, false, "not known whether it is in the same reservoir"
	}
	return true, true, "counts"
}

func (a *assessment) measureNeighbours() {
	limit := a.in.Limits.Between()
	least := math.Inf(1)
	a.wellFt = make([]float64, len(a.in.Neighbours))
	seen := map[string]int{}
	for i, n := range a.in.Neighbours {
		counts, known, why := n.counts()
		name := n.API
		switch x, err := api.Parse(n.API); {
		case err != nil && (counts || !known):
			a.out.Notes = append(a.out.Notes, "the number of a neighbour is "+strings.TrimPrefix(err.Error(), "api: "))
		case err == nil && x.String() == a.in.API:
			counts, known, why = false, true, "the same well"
		case err == nil:
			name = x.String()
		}
		if seen[name]++; seen[name] == 2 {
			a.out.Notes = append(a.out.Notes, "well "+name+" stands among the neighbours more than once; keep the one that is right")
		}
		s := Seen{API: n.API, Counts: counts, Why: why}
		points, from := n.Measured()
		if len(points) == 0 {
			if counts || !known {
				a.open = append(a.open, fmt.Sprintf("well %s has no coordinates to measure to", n.API))
				a.missing = append(a.missing, n.API)
			}
			a.out.Neighbours = append(a.out.Neighbours, s)
			continue
		}
		ft := a.well.Distance(a.frame.Path(a.to(n.Datum, points)...))
		a.wellFt[i] = ft
		s.DistanceFt, s.IntlFt = tenth(ft), tenth(survey.International(ft))
		switch {
		case counts && limit == 0: // nothing is asked for, or it is not known what
		case counts:
			before := len(a.open)
			a.judge(BetweenWells, "well "+n.API, ft, limit, a.accuracy)
			if n.indicative() && len(a.open) == before {
				a.out.Notes = append(a.out.Notes, fmt.Sprintf("what well %s is measured from is not known exactly: its %s stands for it", n.API, from))
			}
			if s.Violates = ft < limit && len(a.open) == before && !a.indicative; ft < limit {
				least = math.Min(least, ft)
			}
		case !known && ft-a.accuracy < limit:
			a.open = append(a.open, fmt.Sprintf("well %s is %.0f ft away: %s", n.API, ft, why))
			a.missing = append(a.missing, n.API)
		}
		a.out.Neighbours = append(a.out.Neighbours, s)
	}
	if !math.IsInf(least, 1) {
		a.out.Shortfall.BetweenWellsFt = lacking(limit - least)
	}
}

// conclude puts the parts together.
func (a *assessment) conclude() {
	v := a.out.Violations
	l := a.in.Limits
	rule := "by " + l.Source
	if l.Source == "" {
		rule = "without a rule"
	} else if !strings.Contains(l.Source, "3.37(a)") {
		rule += fmt.Sprintf(" (%s, in the place of the statewide 467 ft and 1,200 ft of 16 TAC 3.37(a)(1))", l.Words())
	}
	yes, no := true, false
	switch {
	case len(v) > 0:
		a.out.Exception = &yes
		if radius, ok := l.Radius(); ok {
			a.out.Notice = &Notice{"3.37(a)(2)(A)", radius}
		}
		if slices.Contains(v, BetweenWells) && a.out.Notice != nil {
			a.out.Notice.Basis = "3.37(a)(2)(B)"
		}
		var too []string
		if slices.Contains(v, LeaseLine) {
			too = append(too, fmt.Sprintf("the nearest lease line is %s ft away (at least %.0f ft)", told(a.lineFt, l.Line()), l.Line()))
		}
		for i, n := range a.out.Neighbours {
			if n.Violates {
				too = append(too, fmt.Sprintf("well %s is %s ft away (at least %.0f ft)", n.API, told(a.wellFt[i], l.Between()), l.Between()))
			}
		}
		a.out.Message = "An exception is required " + rule + ": " + strings.Join(too, "; ")
	case len(a.open) == 0:
		a.out.Exception = &no
		a.out.Message = "No exception is required " + rule
		if a.out.LeaseLineFt != nil {
			a.out.Message += fmt.Sprintf(": the nearest lease line is %s ft away", told(a.lineFt, l.Line()))
		}
	default:
		a.out.Message = "No verdict " + rule
	}
	if len(a.open) > 0 {
		a.out.Status = NeedsInput
		slices.Sort(a.missing)
		a.out.Missing = slices.Compact(a.missing)
		a.out.Message += ". Not decided: " + strings.Join(a.open, "; ")
	}
	a.out.Message += "."
}
