package survey_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdpoint/engine/survey"
)

const usFoot = 1200.0 / 3937

// byFormula is the distance on GRS 80 by the radii of curvature at the middle latitude: a
// way of its own, off by 1e-7 ft at 1,200 ft and by 0.0003 at 15,000.
func byFormula(a, b survey.Point) float64 {
	const axis, e2 = 6378137.0, 0.00669438002290
	rad := math.Pi / 180
	lat := (a.Lat + b.Lat) / 2 * rad
	s := 1 - e2*math.Sin(lat)*math.Sin(lat)
	east := (b.Lon - a.Lon) * rad * axis / math.Sqrt(s) * math.Cos(lat)
	north := (b.Lat - a.Lat) * rad * axis * (1 - e2) / math.Pow(s, 1.5)
	return math.Hypot(east, north) / usFoot
}

func TestDistance_IsWithinATenthOfAFootAtAMile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := survey.Point{Lon: rapid.Float64Range(-106, -94).Draw(t, "lon"), Lat: rapid.Float64Range(26, 36).Draw(t, "lat")}
		// Up to 0.01 degrees each way: about 5,000 ft.
		b := survey.Point{Lon: a.Lon + rapid.Float64Range(-0.01, 0.01).Draw(t, "dlon"), Lat: a.Lat + rapid.Float64Range(-0.01, 0.01).Draw(t, "dlat")}
		got, want := survey.Distance(survey.NAD83, a, b), byFormula(a, b)
		if math.Abs(got-want) > 0.01 {
			t.Fatalf("%v to %v is %.4f ft, want %.4f", a, b, got, want)
		}
	})
}

func TestTract_DistanceToALineFarFromTheWell(t *testing.T) {
	// A line through two points a mile away: the nearest point is found between them.
	well := survey.Point{Lon: -102.1, Lat: 31.85}
	f := survey.NewFrame(survey.NAD83, well)
	corner := func(x, y float64) survey.Point { return f.Point(survey.XY{X: x, Y: y}) }
	ring := []survey.Point{corner(-5000, -5000), corner(5000, -5000), corner(5000, 5000), corner(-5000, 5000), corner(-5000, -5000)}
	tract, err := f.Tract(survey.Rings{ring})
	if err != nil {
		t.Fatal(err)
	}
	near := tract.Nearest(f.Path(well))
	if math.Abs(near.Ft-5000) > 0.01 || near.Ring != 0 {
		t.Errorf("%+v", near)
	}
	if near = tract.Nearest(f.Path(corner(4000, 4000))); len(near.Edges) != 2 || math.Abs(near.Ft-1000) > 0.01 {
		t.Errorf("two sides are equally near: %+v", near)
	}
	// "Both lines read 1,000.0 ft, and it says that one of them is nearest."
	if near = tract.Nearest(f.Path(corner(4000.03, 4000))); len(near.Edges) != 2 {
		t.Errorf("two sides that read the same are equally near: %+v", near)
	}
	if near = tract.Nearest(f.Path(corner(4000.2, 4000))); len(near.Edges) != 1 {
		t.Errorf("one side is nearer: %+v", near)
	}
}

func TestConversion_MovesAPlaceInTexasByAboutOneHundredToOneHundredAndSixtyFeet(t *testing.T) {
	c, err := survey.ConversionOf(survey.NAD27, survey.NAD83)
	if err != nil || c.AccuracyFt < 10 || c.Method == "" {
		t.Fatalf("a conversion has to say how exact it is: %+v %v", c, err)
	}
	back, err := survey.ConversionOf(survey.NAD83, survey.NAD27)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []survey.Point{{Lon: -106.4, Lat: 31.8}, {Lon: -102.1, Lat: 31.85}, {Lon: -97.4, Lat: 26}, {Lon: -94, Lat: 33}, {Lon: -101.8, Lat: 36}} {
		moved := c.Apply(p)
		if d := survey.Distance(survey.NAD83, p, moved); d < 100-c.AccuracyFt || d > 165+c.AccuracyFt {
			t.Errorf("%v moves by %.1f ft", p, d)
		}
		if d := survey.Distance(survey.NAD83, p, back.Apply(moved)); d > 0.01 {
			t.Errorf("%v does not come back: %.4f ft", p, d)
		}
		if moved.Lon > p.Lon {
			t.Errorf("NAD83 longitudes in Texas are the greater ones to the west: %v %v", p, moved)
		}
	}
	if _, err := survey.ConversionOf("", survey.NAD83); err == nil || !strings.Contains(err.Error(), "NAD27") {
		t.Errorf("an unknown datum is converted: %v", err)
	}
}

func TestPoint_SaysWhatIsWrongWithCoordinates(t *testing.T) {
	for _, x := range []struct {
		p    survey.Point
		want string
	}{
		{survey.Point{Lon: 31.7, Lat: -101.9}, "exchanged"},
		{survey.Point{Lon: 101.9, Lat: 31.7}, "minus sign"},
		{survey.Point{}, "no coordinates"},
		{survey.Point{Lon: -80, Lat: 31.7}, "not in Texas"},
	} {
		if err := x.p.Check(); !errors.Is(err, survey.ErrElsewhere) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v", x.p, err)
		}
	}
	if err := (survey.Point{Lon: -101.9, Lat: 31.7}).Check(); err != nil {
		t.Error(err)
	}
}

func TestTract_RefusesWhatBoundsNoTract(t *testing.T) {
	for name, coordinates := range map[string]string{
		"crosses itself":  `[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.9041258,31.7503475],[-101.8958781,31.7520784],[-101.9021,31.7433]]]`,
		"not closed":      `[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.8958781,31.7520784],[-101.9041258,31.7503475]]]`,
		"has 3 points":    `[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.9021,31.7433]]]`,
		"exchanged":       `[[[31.7433,-101.9021],[31.7450308,-101.8938529],[31.7520784,-101.8958781],[31.7433,-101.9021]]]`,
		"outside":         `[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.8958781,31.7520784],[-101.9041258,31.7503475],[-101.9021,31.7433]],[[-101.8,31.7],[-101.79,31.7],[-101.79,31.71],[-101.8,31.7]]]`,
		"no ring":         `[]`,
		"crosses itself ": `[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.8938529,31.7450308],[-101.9021,31.7433],[-101.9021,31.7433]]]`,
	} {
		rings, err := survey.ParseRings(json.RawMessage(fmt.Sprintf(`{"type":"Polygon","coordinates":%s}`, coordinates)))
		if err != nil {
			t.Fatal(err)
		}
		if err := rings.Check(survey.NAD83); !errors.Is(err, survey.ErrTract) || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := survey.ParseRings(json.RawMessage(`{"type":"Point","coordinates":[-101.9,31.7]}`)); err == nil {
		t.Error("a point is taken for a tract")
	}
}

func TestTract_FindsTheRoomiestPlace(t *testing.T) {
	f := survey.NewFrame(survey.NAD83, survey.Point{Lon: -102.1, Lat: 31.85})
	corner := func(x, y float64) survey.Point { return f.Point(survey.XY{X: x, Y: y}) }
	square, err := f.Tract(survey.Rings{{corner(0, 0), corner(1320, 0), corner(1320, 1320), corner(0, 1320), corner(0, 0)}})
	if err != nil {
		t.Fatal(err)
	}
	// In the middle of 40 acres the lines are 660 ft away: 193 more than 467.
	at, room := square.Roomiest(467, nil, nil, 0.5)
	if math.Abs(room-193) > 1 || math.Hypot(at.X-660, at.Y-660) > 5 {
		t.Errorf("%v %v", at, room)
	}
	// A well in the middle leaves no place that is 1,200 ft from it.
	if _, room = square.Roomiest(467, []survey.Path{f.Path(corner(660, 660))}, []float64{1200}, 0.5); room >= 0 {
		t.Errorf("room %v is left beside a well in the middle", room)
	}
}

func TestDatum_IsReadAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]survey.Datum{"NAD 27": survey.NAD27, "nad-83": survey.NAD83, "EPSG:4326": survey.WGS84, "": ""} {
		if d, err := survey.ParseDatum(text); err != nil || d != want {
			t.Errorf("%q is %q (%v)", text, d, err)
		}
	}
	if _, err := survey.ParseDatum("ED50"); err == nil {
		t.Error("ED50 is taken")
	}
}

// What is drawn between two paths is as long as the distance that is told.
func TestClosest_IsAsFarApartAsTheDistance(t *testing.T) {
	path := func(xy ...float64) (p survey.Path) {
		for i := 0; i < len(xy); i += 2 {
			p = append(p, survey.XY{X: xy[i], Y: xy[i+1]})
		}
		return p
	}
	for name, c := range map[string][2]survey.Path{
		"two places":                  {path(0, 0), path(30, 40)},
		"a place beside a line":       {path(10, 7), path(0, 0, 100, 0)},
		"a place behind a line's end": {path(120, 15), path(0, 0, 100, 0)},
		"two lines that do not meet":  {path(0, 10, 50, 20), path(0, 0, 100, 0)},
		"two lines that cross":        {path(50, -30, 60, 30), path(0, 0, 100, 0)},
		"a line of no length":         {path(3, 4, 3, 4), path(0, 0)},
	} {
		here, there := c[0].Closest(c[1])
		if got, want := math.Hypot(here.X-there.X, here.Y-there.Y), c[0].Distance(c[1]); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v to %v is %v, not %v", name, here, there, got, want)
		}
		for _, on := range []struct {
			at survey.XY
			p  survey.Path
		}{{here, c[0]}, {there, c[1]}} {
			if d := (survey.Path{on.at}).Distance(on.p); d > 1e-9 {
				t.Errorf("%s: %v is %v away from its own path", name, on.at, d)
			}
		}
	}
}
