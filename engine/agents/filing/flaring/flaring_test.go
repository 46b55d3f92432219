package flaring_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"holdpoint/engine/agents/filing/flaring"
)

func refused(t *testing.T, err error, status, want string) {
	t.Helper()
	var p *flaring.Problem
	if !errors.As(err, &p) || p.Status != status || !strings.Contains(p.Message, want) {
		t.Errorf("%v, want %s: %s", err, status, want)
	}
}

func TestAdd_ShowsEachConversionAndAssumesNoUnit(t *testing.T) {
	unit := func(s string) *string { return &s }
	v, err := flaring.Add(flaring.Volumes{Amounts: []flaring.Amount{{Value: new(1.2), Unit: unit("MMcf")}, {Value: new(850.0), Unit: unit("Mcf")}, {Value: new(430000.0), Unit: unit("scf")}}})
	if err != nil || v.Total != 2480 || len(v.Arithmetic) < 4 || !strings.Contains(v.Arithmetic[0], "1.2 MMcf x 1000 = 1200 mcf") {
		t.Errorf("%+v %v", v, err)
	}
	_, err = flaring.Add(flaring.Volumes{Amounts: []flaring.Amount{{Value: new(640.0)}}})
	refused(t, err, flaring.NeedsInput, "nothing is assumed")
	_, err = flaring.Add(flaring.Volumes{Amounts: []flaring.Amount{{Value: new(640.0), Unit: unit("barrels")}}})
	refused(t, err, flaring.Failed, "not a unit of gas")
	_, err = flaring.Add(flaring.Volumes{Start: "2025-02-30", Daily: []*float64{new(1.0)}})
	refused(t, err, flaring.Failed, "YYYY-MM-DD")
	_, err = flaring.Add(flaring.Volumes{Start: "2025-02-27", Daily: []*float64{new(1.0), new(2.0), new(-3.0)}})
	refused(t, err, flaring.Failed, "2025-03-01 is negative")
}

// "A day that nobody measured was reported as a day without flaring."
func TestAdd_ADayWithoutAValueIsAskedForAndOneThatCannotBeIsRefused(t *testing.T) {
	_, err := flaring.Add(flaring.Volumes{Start: "2025-02-27", Daily: []*float64{new(1.0), nil, new(3.0)}})
	refused(t, err, flaring.NeedsInput, "2025-02-28 is missing")
	unit := "mcf"
	_, err = flaring.Add(flaring.Volumes{Amounts: []flaring.Amount{{Unit: &unit}}})
	refused(t, err, flaring.NeedsInput, "volume 1 is missing")
	_, err = flaring.Add(flaring.Volumes{Start: "2025-02-27", Daily: []*float64{new(1e308), new(1e308)}})
	refused(t, err, flaring.Failed, "2025-02-27 cannot be right")
}

// "The well was shut in that day, and it says that it flared: nobody noticed."
func TestAfterCompletion_NamesDaysThatFlaredWithoutProducing(t *testing.T) {
	out, err := flaring.AfterCompletion("2025-03-01", []flaring.Day{{Date: "2025-03-02", Flared: 10}, {Date: "2025-03-03"}, {Date: "2025-03-04", Producing: true, Flared: 5}})
	if said := strings.Join(out.Arithmetic, "\n"); err != nil || !strings.Contains(said, "not to produce: 2025-03-02;") {
		t.Errorf("%q %v", said, err)
	}
}

// "What we flared on the day before the well was completed is in none of the two sums."
func TestAfterCompletion_NamesWhatWasFlaredBefore(t *testing.T) {
	out, err := flaring.AfterCompletion("2025-03-02", []flaring.Day{{Date: "2025-03-01", Flared: 820}, {Date: "2025-03-02", Producing: true, Flared: 10}})
	if err != nil || out.Within != 10 || !strings.Contains(strings.Join(out.Arithmetic, "\n"), "820 mcf on days before the completion") {
		t.Errorf("%+v %v", out, err)
	}
}

func TestCompare_DividesNothingBeforeItCompares(t *testing.T) {
	// 15 mcf on each of 31 days is within; a thousandth more in the month is not.
	for total, within := range map[float64]bool{465: true, 465.001: false} {
		if c, err := flaring.Compare(flaring.GasWell, total, 31); err != nil || c.Within != within {
			t.Errorf("%v: %+v %v", total, c, err)
		}
	}
	_, err := flaring.Compare("plant", 1, 1)
	refused(t, err, flaring.Failed, "plant")
}

func TestAfterCompletion_CountsProducingDaysOnly(t *testing.T) {
	days := []flaring.Day{}
	for _, d := range []string{"01", "02", "03", "04", "05"} {
		days = append(days, flaring.Day{Date: "2025-03-" + d, Producing: d != "03", Flared: 10})
	}
	c, err := flaring.AfterCompletion("2025-03-01", days)
	if err != nil || c.Tenth != nil || c.First != nil || c.Within != 50 {
		t.Errorf("four producing days: %+v %v", c, err)
	}
	_, err = flaring.AfterCompletion("2025-03-01", append(days, flaring.Day{Date: "2025-03-01"}))
	refused(t, err, flaring.Failed, "twice")
}

func TestAccumulate_CountsADayOnceAndNamesWhoDecides(t *testing.T) {
	granted := []flaring.Period{{From: "2025-01-01", To: "2025-01-31"}, {From: "2025-01-31", To: "2025-02-01"}}
	c, err := flaring.Accumulate(granted, flaring.Period{From: "2025-02-02", To: "2025-02-02"}, new(740.0))
	if err != nil || c.Granted != 32 || c.Days != 33 || c.Hearing || c.MoreDocs || c.Route != flaring.Administrative {
		t.Errorf("%+v %v", c, err)
	}
	for rate, hearing := range map[float64]bool{50: false, 50.1: true} {
		if c, err := flaring.Accumulate(nil, flaring.Period{From: "2025-01-01", To: "2025-06-30"}, &rate); err != nil || c.Days != 181 || c.Hearing != hearing || !c.MoreDocs {
			t.Errorf("%v mcf a day: %+v %v", rate, c, err)
		}
	}
	// "Nobody had said at what rate, and it told us that no hearing was needed."
	c, err = flaring.Accumulate(nil, flaring.Period{From: "2025-01-01", To: "2025-06-30"}, nil)
	refused(t, err, flaring.NeedsInput, "release rate decides")
	if c.Days != 181 || c.Route != "" {
		t.Errorf("without a rate: %+v", c)
	}
	if c, err := flaring.Accumulate(nil, flaring.Period{From: "2025-01-01", To: "2025-06-29"}, nil); err != nil || c.Route != flaring.Administrative {
		t.Errorf("180 days need no rate: %+v %v", c, err)
	}
	_, err = flaring.Accumulate(nil, flaring.Period{From: "2025-02-02", To: "2025-02-01"}, new(1.0))
	refused(t, err, flaring.Failed, "ends before it begins")
}

func TestEstimate_RefusesWhatCannotBeAndNamesWhatItTakes(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	good := flaring.Emission{Method: flaring.SubpartW, Mcf: f(100), GWP: "AR5", Gas: flaring.Gas{"c1": 0.9, "co2": 0.1}, Destruction: f(0.98), Combustion: f(0.965), HHV: f(0.001)}
	e, err := flaring.Estimate(good)
	if err != nil || e.Version == "" || e.GWP != "AR5" || len(e.Arithmetic) < 7 || math.Abs(e.CO2e-(e.CO2+28*e.CH4+265*e.N2O)) > 1e-5 {
		t.Errorf("%+v %v", e, err)
	}
	if !strings.Contains(strings.Join(e.Notes, "\n"), "unlit_fraction was not given") {
		t.Errorf("what was taken for the gas that did not burn is not said: %q", e.Notes)
	}
	for _, x := range []struct {
		change       func(*flaring.Emission)
		status, want string
	}{
		{func(e *flaring.Emission) { e.Gas = flaring.Gas{"c1": 90, "co2": 10} }, flaring.Failed, "percent"},
		{func(e *flaring.Emission) { e.Gas = flaring.Gas{"c1": 0.5} }, flaring.Failed, "not to 1"},
		{func(e *flaring.Emission) { e.Gas = flaring.Gas{"c1": 0.9, "xe": 0.1} }, flaring.Failed, "xe"},
		{func(e *flaring.Emission) { e.Gas = nil }, flaring.NeedsInput, "gas analysis"},
		{func(e *flaring.Emission) { e.Combustion = nil }, flaring.NeedsInput, "combustion_efficiency"},
		{func(e *flaring.Emission) { e.Destruction = f(98) }, flaring.Failed, "a share"},
		{func(e *flaring.Emission) { e.HHV = f(1061) }, flaring.Failed, "Btu/scf"},
		{func(e *flaring.Emission) { e.GWP = "" }, flaring.NeedsInput, "AR5"},
		{func(e *flaring.Emission) { e.Mcf = f(-1) }, flaring.Failed, "negative"},
		{func(e *flaring.Emission) { e.Mcf = nil }, flaring.NeedsInput, "volume is missing"},
		{func(e *flaring.Emission) { e.Method = "guess" }, flaring.NeedsInput, "subpart_w"},
	} {
		in := good
		x.change(&in)
		_, err := flaring.Estimate(in)
		refused(t, err, x.status, x.want)
	}
}

func TestAnalyse_SaysNothingOfAPipelineWhoseTariffIsNotKnown(t *testing.T) {
	gas := flaring.Gas{"c1": 0.93, "c2": 0.04, "co2": 0.0299, "h2s": 0.0001}
	q, err := flaring.Analyse(gas, flaring.Tariff{}, nil, nil)
	if err != nil || q.Ready != nil || len(q.Missing) == 0 {
		t.Errorf("%+v %v", q, err)
	}
	// 0.0001 mole of H2S is 6.3 grains in 100 scf: sour above 1.5.
	if !*q.Sour || math.Abs(*q.H2S-6.29) > 0.05 || math.Abs(q.HHV-1010) > 5 {
		t.Errorf("%+v", q)
	}
	water, ratio := 5.0, 120000.0
	q, err = flaring.Analyse(gas, flaring.Tariff{HHVMin: 950, HHVMax: 1100, CO2Max: 3, H2SMax: 0.25, WaterMax: 7, Source: "a tariff"}, &water, &ratio)
	if err != nil || q.Ready == nil || *q.Ready || len(q.Checks) != 5 || q.GasWell == nil || !*q.GasWell {
		t.Errorf("%+v %v", q, err)
	}
}

// "Nobody had measured the H2S, and it said that the gas was not sour."
func TestAnalyse_SaysNothingOfH2SThatWasNotAnalysed(t *testing.T) {
	water := 5.0
	q, err := flaring.Analyse(flaring.Gas{"c1": 0.96, "c2": 0.04}, flaring.Tariff{HHVMin: 950, HHVMax: 1100, CO2Max: 3, H2SMax: 0.25, WaterMax: 7}, &water, nil)
	if err != nil || q.Sour != nil || q.H2S != nil || q.Ready != nil || !strings.Contains(strings.Join(q.Missing, "; "), "H2S") {
		t.Errorf("%+v %v", q, err)
	}
	q, err = flaring.Analyse(flaring.Gas{"c1": 0.96, "c2": 0.04, "h2s": 0}, flaring.Tariff{}, nil, nil)
	if err != nil || q.Sour == nil || *q.Sour {
		t.Errorf("%+v %v", q, err)
	}
}
