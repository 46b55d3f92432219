package filing

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// States of a distance on a map.
const (
	short = "short"
	kept  = "kept"
	open  = "open"
	none  = "none"
)

// draw is what a tool measured of a well, or what the records say of a well or a lease.
func draw(tx record.Tx, about record.Ref, tool string, args json.RawMessage) (agent.Map, error) {
	var a spacingArgs
	switch tool {
	case "":
	case SpacingAssessment, OffsetWellAnalysis, Rule37Assembly, GoodCause:
		var form w1Args
		if err := json.Unmarshal(args, &form); err != nil {
			return agent.Map{}, agent.ErrNoMap // the tool refused them as well
		}
		a = form.measured()
	default:
		return agent.Map{}, agent.ErrNoMap
	}
	if about.Type == wells.LeaseType && a.Well == "" {
		return drawLease(tx, about)
	}
	if about.Type != wells.WellType && a.Well == "" {
		return agent.Map{}, agent.ErrNoMap
	}
	o, err := locate(tx, about, a)
	if err != nil {
		return agent.Map{}, refusal(err)
	}
	return o.draw(tx)
}

// sheet is a map under way.
type sheet struct {
	agent.Map
	frame survey.Frame
	datum survey.Datum
	// conversions are those that the assessment made.
	conversions []survey.Conversion
	convert     bool
}

func newSheet(title string, d survey.Datum, middle survey.Point) *sheet {
	return &sheet{frame: survey.NewFrame(d, middle), datum: d, Map: agent.Map{Title: title, Datum: d.Name(), Areas: []agent.Area{}, Features: []agent.MapFeature{},
		Distances: []agent.Distance{}, AsFiled: []agent.Filed{}, Unplaced: []string{}, Notes: []string{}, Legend: legend}}
}

// legend is what the signs of a map mean.
var legend = agent.Legend{
	Subject: "this well", Other: "another well", Path: "path of the bore",
	Confirmed: "lease lines, confirmed", Unconfirmed: "lease lines, not confirmed",
	Whole: "Whole lease", Near: "Near the well",
}

// points puts points into the plane, as far as they can be compared with the map's.
func (s *sheet) points(d survey.Datum, points []survey.Point) (out []survey.XY, ok bool) {
	points = slices.Clone(points)
	ok = d == s.datum || s.convert && (d == "" || s.datum == "")
	for _, c := range s.conversions {
		if c.From == d && d != s.datum {
			ok = true
			for i := range points {
				points[i] = c.Apply(points[i])
			}
		}
	}
	for _, p := range points {
		out = append(out, s.frame.XY(p))
	}
	return out, ok
}

// onMap is a place as a map has it, to a tenth of a foot.
func onMap(p survey.XY) agent.MapPoint {
	return agent.MapPoint{math.Round(p.X*10) / 10, math.Round(p.Y*10) / 10}
}

func allOnMap(points []survey.XY) []agent.MapPoint {
	out := make([]agent.MapPoint, len(points))
	for i, p := range points {
		out[i] = onMap(p)
	}
	return out
}

// tract draws a lease's lines.
func (s *sheet) tract(l wells.Lease, t *spacing.Lease) {
	out := agent.Area{Ref: wells.LeaseType + "/" + l.ID, Name: l.Name, Confirmed: l.Boundary.Confirmed, Source: l.Boundary.Source}
	for _, ring := range t.Rings {
		line, ok := s.points(t.Datum, ring)
		if !ok {
			s.Notes = append(s.Notes, fmt.Sprintf("the lines of lease %s are in %s and are not drawn", l.Name, t.Datum.Name()))
			return
		}
		out.Rings = append(out.Rings, allOnMap(line))
	}
	s.Areas = append(s.Areas, out)
}

// well draws one; what its spacing is measured by is returned, nil where it has no place.
func (s *sheet) well(ref, name, status string, b spacing.Bore, subject bool) survey.Path {
	measured, _ := b.Measured()
	if len(measured) == 0 && b.Surface != nil {
		measured = []survey.Point{*b.Surface}
	}
	var path []survey.Point
	for _, p := range append([]*survey.Point{b.Surface}, b.Bottom) {
		if p != nil {
			path = append(path, *p)
		}
	}
	if len(path) == 0 {
		path = measured
	}
	if len(measured) == 0 {
		s.Unplaced = append(s.Unplaced, name+": no coordinates")
		return nil
	}
	along, ok := s.points(b.Datum, measured)
	line, _ := s.points(b.Datum, path)
	if !ok {
		s.Unplaced = append(s.Unplaced, fmt.Sprintf("%s: its places are in %s", name, b.Datum.Name()))
		return nil
	}
	s.Features = append(s.Features, agent.MapFeature{Ref: ref, Name: name, Subject: subject, Former: former(status), Path: allOnMap(line), Measured: allOnMap(along)})
	return along
}

// former says that a well of this status is plugged, or that its permit was cancelled.
func former(status string) bool {
	status = strings.ToLower(status)
	return strings.Contains(status, "plug") || strings.Contains(status, "cancel")
}

// draw projects an assessment: its own numbers, at the places that they were taken of.
func (o located) draw(tx record.Tx) (agent.Map, error) {
	b, same := o.well.Bore()
	measured, _ := b.Measured()
	if len(measured) == 0 && b.Surface != nil {
		measured = []survey.Point{*b.Surface}
	}
	why := "no coordinates"
	if !same {
		measured, why = nil, "its places are in two datums"
	}
	var middle survey.Point
	if len(measured) > 0 {
		if err := measured[0].Check(); err != nil {
			measured, why = nil, strings.TrimPrefix(err.Error(), "survey: ")
		} else {
			middle = survey.Point{Lon: (measured[0].Lon + measured[len(measured)-1].Lon) / 2, Lat: (measured[0].Lat + measured[len(measured)-1].Lat) / 2}
		}
	}
	s := newSheet(o.Name, b.Datum, middle)
	s.conversions, s.convert = o.Conversions, o.input.Convert
	s.Verdict, s.Rule, s.MeasuredFrom = o.Message, o.Rule, o.MeasuredFrom
	s.Notes = append(s.Notes, o.Notes...)
	for _, f := range o.AsFiled {
		s.AsFiled = append(s.AsFiled, agent.Filed{What: f.What, Ft: f.Ft, Direction: f.Direction, Source: o.AsFiledSource})
	}
	if len(measured) == 0 {
		s.Unplaced = append(s.Unplaced, o.Name+": "+why)
		return s.Map, nil
	}
	well := s.well(o.Well, o.Name, o.well.Status, b, true)
	if o.lease != nil && o.input.Lease != nil {
		s.tract(*o.lease, o.input.Lease)
		o.toLine(s, well)
	}
	seen := map[string]bool{o.well.ID: true}
	for i, n := range o.input.Neighbours {
		seen[n.API] = true
		if err := o.toWell(tx, s, well, n, i); err != nil {
			return agent.Map{}, err
		}
	}
	if o.well.Surface == nil {
		return s.Map, nil
	}
	// Those around are drawn as well, without distances that would count.
	all, err := wells.Candidates(tx)
	if err != nil {
		return agent.Map{}, err
	}
	for _, off := range spacing.FindOffsets(o.well.ID, *o.well.Surface.Point(), o.well.Surface.Datum, offsetRadius, all).Offsets {
		if seen[off.API] || len(s.Features) >= mostWells {
			continue
		}
		n, err := wells.ReadWell(tx, off.API)
		if err != nil {
			return agent.Map{}, err
		}
		bore, _ := n.Bore()
		s.well(wells.WellType+"/"+n.ID, n.Name, n.Status, bore, false)
	}
	return s.Map, nil
}

// mostWells bounds what one map shows.
const mostWells = 300

// toLine draws the distance to the nearest lease line.
func (o located) toLine(s *sheet, well survey.Path) {
	if o.LeaseLineFt == nil || len(o.NearestEdges) == 0 || o.NearestRing == nil || well == nil {
		return
	}
	ring, ok := s.points(o.input.Lease.Datum, o.input.Lease.Rings[*o.NearestRing])
	if !ok {
		return
	}
	edge := o.NearestEdges[0]
	from, to := well.Closest(survey.Path{ring[edge], ring[edge+1]})
	d := agent.Distance{What: "nearest lease line", From: onMap(from), To: onMap(to), Ft: *o.LeaseLineFt, LimitFt: o.Limits.Line(), State: kept}
	switch {
	case slices.Contains(o.Violations, spacing.LeaseLine):
		d.State = short
	case o.InsideLease != nil && !*o.InsideLease:
		d.State, d.Why = open, "the well plots outside these lines"
	case math.IsInf(o.input.Lease.AccuracyFt, 1):
		d.State, d.Why = open, "nobody confirmed that these are the lease's lines"
	case d.LimitFt == 0:
		d.State = none
	case o.Shortfall.LeaseLineFt != nil || o.Exception == nil && math.Abs(d.Ft-d.LimitFt) <= o.input.Lease.AccuracyFt:
		d.State, d.Why = open, "the margin is smaller than the accuracy of the places"
	}
	s.Distances = append(s.Distances, d)
}

// toWell draws a neighbour with its distance.
func (o located) toWell(tx record.Tx, s *sheet, well survey.Path, n spacing.Neighbour, i int) error {
	w, err := wells.ReadWell(tx, n.API)
	if err != nil {
		return err
	}
	ref := wells.WellType + "/" + w.ID
	there := s.well(ref, w.Name, w.Status, n.Bore, false)
	if there == nil || i >= len(o.Neighbours) || o.Neighbours[i].DistanceFt == nil || well == nil {
		return nil
	}
	seen := o.Neighbours[i]
	from, to := well.Closest(there)
	d := agent.Distance{What: w.Name, Ref: ref, From: onMap(from), To: onMap(to), Ft: *seen.DistanceFt, LimitFt: o.Limits.Between(), State: kept}
	switch {
	case seen.Violates:
		d.State = short
	case !seen.Counts && strings.HasPrefix(seen.Why, "not known"):
		d.State, d.Why = open, seen.Why
	case !seen.Counts:
		d.State, d.Why, d.LimitFt = none, seen.Why, 0
	case d.LimitFt == 0:
		d.State = none
	case d.Ft < d.LimitFt:
		d.State, d.Why = open, "nothing was decided"
	}
	s.Distances = append(s.Distances, d)
	return nil
}

// drawLease is a lease's lines with its wells.
func drawLease(tx record.Tx, about record.Ref) (agent.Map, error) {
	l, ok, err := wells.ReadLease(tx, &wells.Link{Reference: about.String()})
	if err != nil {
		return agent.Map{}, err
	}
	if !ok {
		return agent.Map{}, record.ErrNotFound
	}
	all, err := wells.WellsOf(tx, about)
	if err != nil {
		return agent.Map{}, err
	}
	t, err := tractOf(l)
	if err != nil {
		return agent.Map{}, err
	}
	var s *sheet
	switch {
	case t != nil:
		s = newSheet(l.Name, t.Datum, t.Rings[0][0])
		s.tract(l, t)
	default:
		at := slices.IndexFunc(all, func(w wells.Well) bool { return w.Surface != nil })
		if at < 0 {
			return agent.Map{}, agent.ErrNoMap
		}
		s = newSheet(l.Name, all[at].Surface.Datum, *all[at].Surface.Point())
		s.Notes = append(s.Notes, "the lease's lines are not known")
	}
	for _, w := range all {
		if b, same := w.Bore(); same && len(s.Features) < mostWells {
			s.well(wells.WellType+"/"+w.ID, w.Name, w.Status, b, false)
		} else {
			s.Unplaced = append(s.Unplaced, w.Name+": its places are in two datums")
		}
	}
	return s.Map, nil
}
