package spacing_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/survey"
)

// home is the corner of a made-up square lease of a mile; places are given in feet from it.
var home = survey.NewFrame(survey.NAD83, survey.Point{Lon: -102.1, Lat: 31.85})

func at(x, y float64) survey.Point { return home.Point(survey.XY{X: x, Y: y}) }

func placed(x, y float64) *survey.Point { p := at(x, y); return &p }

func section() *spacing.Lease {
	return &spacing.Lease{Datum: survey.NAD83, Source: "a plat", Rings: survey.Rings{{at(0, 0), at(5280, 0), at(5280, 5280), at(0, 5280), at(0, 0)}}}
}

func vertical(x, y float64) spacing.Input {
	return spacing.Input{API: "42-329-97101", Bore: spacing.Bore{Profile: spacing.Vertical, Datum: survey.NAD83, Surface: placed(x, y)}, Lease: section(), Limits: spacing.Statewide()}
}

func neighbour(x, y float64, status string) spacing.Neighbour {
	yes := true
	return spacing.Neighbour{API: "42-329-97201", Bore: spacing.Bore{Datum: survey.NAD83, Surface: placed(x, y)}, SameLease: &yes, SameReservoir: &yes, Status: status}
}

// decided says what the assessment's verdict is: "", "exception", "none".
func decided(a spacing.Assessment) string {
	switch {
	case a.Exception == nil:
		return ""
	case *a.Exception:
		return "exception"
	}
	return "none"
}

func TestAssess_NearerThanTheLimitIsAViolationAndEqualIsNot(t *testing.T) {
	for ft, want := range map[float64]string{466.9: "exception", 467.01: "none", 2000: "none"} {
		if a := spacing.Assess(vertical(ft, 2500)); decided(a) != want || !strings.Contains(a.Message, "16 TAC 3.37(a)(1)") {
			t.Errorf("%v ft: %s", ft, a.Message)
		}
	}
	a := spacing.Assess(vertical(470, 2500))
	if !slices.ContainsFunc(a.Notes, func(s string) bool { return strings.Contains(s, "survey needed") }) {
		t.Errorf("within 5 ft of the limit nothing says that a survey is needed: %v", a.Notes)
	}
}

// A well on the line is at 0 ft of it, on whichever side the digits of its coordinates fall.
func TestAssess_AWellOnTheLineIsAtNoDistanceOfItAndOneOutsideIsNoVerdict(t *testing.T) {
	for _, x := range []float64{-0.04, 0, 0.04} {
		a := spacing.Assess(vertical(x, 2500))
		if decided(a) != "exception" || a.LeaseLineFt == nil || *a.LeaseLineFt != 0 || !*a.InsideLease {
			t.Errorf("%v ft from the line: %s", x, a.Message)
		}
	}
	if a := spacing.Assess(vertical(-0.2, 2500)); a.Status != spacing.Failed || *a.InsideLease {
		t.Errorf("outside: %s", a.Message)
	}
}

func TestAssess_FieldRulesReplaceTheStatewideOnesAndBothAreNamed(t *testing.T) {
	in := vertical(400, 2500)
	in.Limits = spacing.Limits{LeaseLine: new(330.0), BetweenWells: new(660.0), Source: "docket 08-0123456"}
	a := spacing.Assess(in)
	if decided(a) != "none" || !strings.Contains(a.Message, "docket 08-0123456") || !strings.Contains(a.Message, "467 ft") {
		t.Errorf("%s", a.Message)
	}
	in.Limits = spacing.Limits{}
	if a = spacing.Assess(in); decided(a) != "" || a.Status != spacing.NeedsInput || !slices.Contains(a.Missing, "limits") || a.LeaseLineFt == nil {
		t.Errorf("without limits the distance is told and nothing decided: %+v", a)
	}
}

// "The field's table had no distance to lease lines, and it said that I need no exception
// at 395 ft." What one rule does not say is not known; 0 says that it asks for none.
func TestAssess_ALimitThatIsNotKnownDecidesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		line, between *float64
		want, status  string
	}{
		"no lease line":       {nil, new(900.0), "", spacing.NeedsInput},
		"nothing between":     {new(330.0), nil, "", spacing.NeedsInput},
		"line known and near": {new(467.0), nil, "exception", spacing.NeedsInput},
		"none asked between":  {new(330.0), new(0.0), "none", spacing.OK},
		"none asked at lines": {new(0.0), new(660.0), "none", spacing.OK},
		"both as they are":    {new(330.0), new(660.0), "none", spacing.OK},
		"nothing asked":       {new(0.0), new(0.0), "", spacing.NeedsInput},
	} {
		in := vertical(395, 2500)
		in.Neighbours = []spacing.Neighbour{neighbour(1395, 2500, "producing")}
		in.Limits = spacing.Limits{LeaseLine: c.line, BetweenWells: c.between, Source: "docket 08-1"}
		a := spacing.Assess(in)
		if decided(a) != c.want || a.Status != c.status || a.LeaseLineFt == nil || (a.Notice != nil) != (c.line != nil && c.between != nil && c.want == "exception") {
			t.Errorf("%s: %s %+v", name, a.Message, a)
		}
		if (c.line == nil || c.between == nil) && !slices.Contains(a.Missing, "limits") {
			t.Errorf("%s: nothing asks for it: %s", name, a.Message)
		}
	}
	in := vertical(2500, 2500)
	in.Limits.Source = "  "
	if a := spacing.Assess(in); a.Status != spacing.NeedsInput {
		t.Errorf("limits of no source: %s", a.Message)
	}
}

// "The well is drilled at a slant, and it was measured from where it begins."
func TestAssess_WhatAProfileIsMeasuredFromHasToBeKnown(t *testing.T) {
	for profile, want := range map[string]string{"vertical": spacing.OK, "Vertical ": spacing.OK, "": spacing.OK, "directional": spacing.NeedsInput, "HORIZONTAL": spacing.NeedsInput, "sidetrack": spacing.Failed} {
		in := vertical(2500, 2500)
		in.Bore.Profile = profile
		a := spacing.Assess(in)
		if a.Status != want || (decided(a) == "none") != (want == spacing.OK) {
			t.Errorf("%q: %s %s", profile, a.Status, a.Message)
		}
	}
	in := vertical(400, 2500)
	in.Bore.Profile, in.Bore.Bottom = spacing.Directional, placed(2500, 2500)
	if a := spacing.Assess(in); decided(a) != "none" || a.MeasuredFrom != "bottom hole location" {
		t.Errorf("with its bottom hole: %s", a.Message)
	}
}

func TestAssess_OnlyWellsThatCountAreHeldAgainstTheDistanceBetweenWells(t *testing.T) {
	no := false
	for why, change := range map[string]func(*spacing.Neighbour){
		"plugged":             func(n *spacing.Neighbour) { n.Status = "Plugged and abandoned" },
		"cancelled":           func(n *spacing.Neighbour) { n.Status = "permit cancelled" },
		"different lease":     func(n *spacing.Neighbour) { n.SameLease = &no },
		"different reservoir": func(n *spacing.Neighbour) { n.SameReservoir = &no },
		"the same well":       func(n *spacing.Neighbour) { n.API = "4232997101" },
		"counts":              func(*spacing.Neighbour) {},
	} {
		n := neighbour(2600, 2500, "producing")
		change(&n)
		in := vertical(2500, 2500)
		in.Neighbours = []spacing.Neighbour{n}
		a := spacing.Assess(in)
		if got := a.Neighbours[0]; got.Why != why || got.Violates != (why == "counts") || (decided(a) == "exception") != (why == "counts") {
			t.Errorf("%s: %+v %s", why, got, a.Message)
		}
	}
	// Where nobody knows, a near one keeps the verdict open and a far one does not matter.
	for x, want := range map[float64]string{2600: "", 4500: "none"} {
		n := neighbour(x, 2500, "producing")
		n.SameReservoir = nil
		in := vertical(2500, 2500)
		in.Neighbours = []spacing.Neighbour{n}
		if a := spacing.Assess(in); decided(a) != want {
			t.Errorf("a well at %v ft whose reservoir is not known: %q %s", x, decided(a), a.Message)
		}
	}
}

// Two datums are never compared; a conversion has its accuracy, and decides only what is
// clear beyond that.
func TestAssess_DatumsAreConvertedOnlyWhenAllowedAndDecideOnlyWhatIsClear(t *testing.T) {
	back, err := survey.ConversionOf(survey.NAD83, survey.NAD27)
	if err != nil {
		t.Fatal(err)
	}
	in27 := func(x float64) spacing.Input {
		in := vertical(x, 2500)
		p := back.Apply(*in.Bore.Surface)
		in.Bore.Surface, in.Bore.Datum = &p, survey.NAD27
		return in
	}
	if a := spacing.Assess(in27(2500)); a.Status != spacing.NeedsInput || decided(a) != "" || !strings.Contains(a.Message, "100 to 165 ft") || a.LeaseLineFt != nil {
		t.Errorf("%+v", a)
	}
	for x, want := range map[float64]string{2500: "none", 300: "exception", 480: ""} {
		in := in27(x)
		in.Convert = true
		a := spacing.Assess(in)
		if decided(a) != want || len(a.Conversions) != 1 || a.Conversions[0].AccuracyFt < 30 {
			t.Errorf("%v ft: %q %s", x, decided(a), a.Message)
		}
		if math.Abs(*a.LeaseLineFt-x) > 1 {
			t.Errorf("%v ft became %v", x, *a.LeaseLineFt)
		}
	}
	// A datum that is not known hides up to 170 ft.
	for x, want := range map[float64]string{2500: "none", 600: "", 100: "exception"} {
		in := vertical(x, 2500)
		in.Bore.Datum, in.Lease.Datum = "", ""
		if a := spacing.Assess(in); decided(a) != want {
			t.Errorf("%v ft in an unknown datum: %q %s", x, decided(a), a.Message)
		}
	}
}

func TestAssess_LinesThatNobodyConfirmedDecideNothing(t *testing.T) {
	in := vertical(100, 2500)
	in.Lease.AccuracyFt = math.Inf(1)
	if a := spacing.Assess(in); decided(a) != "" || a.Status != spacing.NeedsInput || a.LeaseLineFt == nil || !slices.Contains(a.Missing, "lease") {
		t.Errorf("%+v", a)
	}
	in.Lease.AccuracyFt = 30
	if a := spacing.Assess(in); decided(a) != "exception" {
		t.Errorf("lines that are exact to 30 ft decide at 100: %s", a.Message)
	}
	in.Lease = nil
	if a := spacing.Assess(in); decided(a) != "" || !slices.Contains(a.Missing, "lease") {
		t.Errorf("%+v", a)
	}
}

func TestAssess_HorizontalWellsAreMeasuredAlongTheirTakePoints(t *testing.T) {
	in := vertical(200, 2500)
	in.Bore.Profile, in.Bore.TakePoints = spacing.Horizontal, []survey.Point{at(1000, 2500), at(4000, 2500)}
	a := spacing.Assess(in)
	if decided(a) != "none" || a.MeasuredFrom != "take-point interval" || math.Abs(*a.LeaseLineFt-1000) > 0.2 || math.Abs(*a.SurfaceToLineFt-200) > 0.2 {
		t.Errorf("%+v", a)
	}
	in.Bore.TakePoints, in.Bore.Bottom = nil, placed(4000, 2500)
	if a = spacing.Assess(in); decided(a) != "" || !slices.Contains(a.Missing, "take_points") || a.LeaseLineFt == nil {
		t.Errorf("without take points: %+v", a)
	}
	in.Bore.Profile = spacing.Directional
	if a = spacing.Assess(in); decided(a) != "none" || a.MeasuredFrom != "bottom hole location" || math.Abs(*a.LeaseLineFt-1280) > 0.2 {
		t.Errorf("a directional well: %+v", a)
	}
}

func TestFindOffsets_DoesNotMeasureAcrossDatums(t *testing.T) {
	near, far := at(100, 0), at(9000, 0)
	got := spacing.FindOffsets("a", at(0, 0), survey.NAD83, 5280, []spacing.Candidate{{API: "a", Place: placed(0, 0), Datum: survey.NAD83}, {API: "b", Place: &near, Datum: survey.NAD83, OperatorNo: "1"},
		{API: "c", Place: &near, Datum: survey.NAD27}, {API: "d", Datum: survey.NAD83}, {API: "e", Place: &far, Datum: survey.NAD83}})
	if got.Count != 1 || got.Offsets[0].API != "b" || got.Operators != 1 || !slices.Equal(got.Unplaced, []string{"c", "d"}) {
		t.Errorf("%+v", got)
	}
}

// "An exception is required: the line is 467.0 ft away, at least 467 ft." A distance is told
// as finely as it takes to see on which side of the limit it is.
func TestAssess_ADistanceAtTheLimitIsToldOnItsSide(t *testing.T) {
	a := spacing.Assess(vertical(466.97, 2500))
	if s := a.Shortfall.LeaseLineFt; decided(a) != "exception" || !strings.Contains(a.Message, "466.97 ft away (at least 467 ft)") || s == nil || *s <= 0 {
		t.Errorf("%s %+v", a.Message, a.Shortfall)
	}
	if a = spacing.Assess(vertical(467.03, 2500)); decided(a) != "none" || !strings.Contains(a.Message, "467.03 ft away") {
		t.Errorf("%s", a.Message)
	}
	in := vertical(2500, 2500)
	in.Neighbours = []spacing.Neighbour{neighbour(2500+1199.98, 2500, "producing")}
	if a = spacing.Assess(in); decided(a) != "exception" || !strings.Contains(a.Message, "1199.98 ft away (at least 1200 ft)") {
		t.Errorf("%s", a.Message)
	}
}

// "P&A is what the Commission calls a plugged well, and it asked for an exception because of
// one." A temporarily abandoned well still counts.
func TestAssess_AWellThatIsPluggedCountsUnderNoneOfItsNames(t *testing.T) {
	for status, counts := range map[string]bool{"P&A": false, "p & a 2019": false, "Plugged and abandoned": false, "CANCELED": false, "temporarily abandoned": true, "": true} {
		in := vertical(2500, 2500)
		in.Neighbours = []spacing.Neighbour{neighbour(2900, 2500, status)}
		if a := spacing.Assess(in); a.Neighbours[0].Counts != counts || (decided(a) == "exception") != counts {
			t.Errorf("%q: %+v %s", status, a.Neighbours[0], a.Message)
		}
	}
}

// "One digit of the neighbour's number was missing, and nobody told me."
func TestAssess_SaysWhatIsWrongWithTheNumbersOfNeighbours(t *testing.T) {
	in := vertical(2500, 2500)
	broken, twice := neighbour(4500, 2500, "producing"), neighbour(4500, 2600, "producing")
	broken.API, twice.API = "42-329-9720", "4232997201"
	in.Neighbours = []spacing.Neighbour{broken, neighbour(4500, 2700, "producing"), twice}
	notes := strings.Join(spacing.Assess(in).Notes, "\n")
	if !strings.Contains(notes, "42-329-9720") || !strings.Contains(notes, "has 9 digits") || !strings.Contains(notes, "42-329-97201 stands among the neighbours more than once") {
		t.Errorf("%s", notes)
	}
}

// "The line is 0.0 ft away, from the wrong side" was said of a lateral that leaves its lease.
func TestAssess_ALateralThatLeavesItsLeaseIsSaidTo(t *testing.T) {
	in := vertical(2500, 2500)
	in.Bore.Profile, in.Bore.TakePoints = spacing.Horizontal, []survey.Point{at(2500, 2500), at(6000, 2500)}
	if a := spacing.Assess(in); a.Status != spacing.Failed || !strings.Contains(a.Message, "crosses the lines of its lease") {
		t.Errorf("%s", a.Message)
	}
}
