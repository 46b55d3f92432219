package flaring

import (
	"fmt"
	"maps"
	"slices"
)

// Tariff is what a pipeline takes. It is the pipeline's own, not the Commission's: nothing
// is assumed. Zero is not stated.
type Tariff struct {
	HHVMin   float64 `json:"hhv_min_btu_per_scf,omitempty"`
	HHVMax   float64 `json:"hhv_max_btu_per_scf,omitempty"`
	CO2Max   float64 `json:"co2_max_percent,omitempty"`
	H2SMax   float64 `json:"h2s_max_grains_per_100_scf,omitempty"`
	WaterMax float64 `json:"water_max_lb_per_mmscf,omitempty"`
	// Source names the tariff.
	Source string `json:"source,omitempty"`
}

// Heating values of the parts, Btu/scf at 60 °F and 14.696 psia, dry and real gas not
// corrected for (GPA 2145, rounded); c4 and c5plus as n-butane and n-pentane.
var btu = map[string]float64{"c1": 1010, "c2": 1769.7, "c3": 2516.1, "c4": 3262.3, "c5plus": 4008.7, "h2s": 637.1, "h2": 324.2}

// grainsPerMole is a mole fraction of H2S as grains in 100 scf: 34.08 lb/lbmol of 379.48
// scf, 7,000 grains a pound.
const grainsPerMole = 34.08 / 379.48 * 7000 * 100

// sourGrains in 100 cf make gas sour (Natural Resources Code §86.002).
const sourGrains = 1.5

// gasWellRatio in cf per barrel makes a well a gas well (same section).
const gasWellRatio = 100000

// Quality is what an analysis says of a gas.
type Quality struct {
	HHV        float64  `json:"hhv_btu_per_scf"`
	MMBtu      float64  `json:"hhv_mmbtu_per_scf"`
	CO2        float64  `json:"co2_percent"`
	H2S        *float64 `json:"h2s_grains_per_100_scf,omitempty"` // nil where it was not analysed
	Sour       *bool    `json:"sour,omitempty"`                   // nil where H2S was not analysed
	Carbon     float64  `json:"carbon_number"`
	GasWell    *bool    `json:"gas_well,omitempty"`
	Checks     []Limit  `json:"checks"`
	Ready      *bool    `json:"pipeline_ready"`
	Missing    []string `json:"missing,omitempty"`
	Tariff     string   `json:"tariff,omitempty"`
	Arithmetic []string `json:"arithmetic"`
}

// Limit is one line of a tariff beside the gas.
type Limit struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	OK    bool    `json:"ok"`
}

// Analyse reads a gas analysis and holds it against a tariff. waterLb is lb/MMscf, ratio
// cf of gas per barrel; either may be nil.
func Analyse(g Gas, t Tariff, waterLb, ratio *float64) (Quality, error) {
	q := Quality{Checks: []Limit{}, Tariff: t.Source}
	if err := g.Check(); err != nil {
		return q, err
	}
	for _, name := range slices.Sorted(maps.Keys(g)) { // in one order, so that the sum is the same each time
		q.HHV += g[name] * btu[name]
	}
	q.HHV = round(q.HHV, 1)
	q.MMBtu = round(q.HHV/1e6, 9)
	q.CO2 = round(g["co2"]*100, 4)
	carbon, how := g.CarbonNumber()
	q.Carbon = round(carbon, 6)
	q.Arithmetic = []string{fmt.Sprintf("HHV = sum(Y_j x HHV_j) = %s Btu/scf (GPA 2145, ideal gas)", num(q.HHV)), how}
	mole, analysed := g["h2s"]
	if analysed {
		q.H2S = new(round(mole*grainsPerMole, 3))
		q.Sour = new(*q.H2S > sourGrains)
		q.Arithmetic = append(q.Arithmetic, fmt.Sprintf("H2S = %s x %s = %s grains/100 scf; sour above %s", num(mole), num(round(grainsPerMole, 1)), num(*q.H2S), num(sourGrains)))
	} else {
		q.Missing = append(q.Missing, "the H2S of the gas: nothing says whether it is sour")
	}
	if ratio != nil {
		gas := *ratio > gasWellRatio
		q.GasWell = &gas
		q.Arithmetic = append(q.Arithmetic, fmt.Sprintf("gas well: %s cf/bbl against %d", num(*ratio), gasWellRatio))
	}
	ready := true
	check := func(name string, v, limit float64, least bool) {
		if limit == 0 {
			q.Missing = append(q.Missing, "the pipeline's limit for "+name)
			return
		}
		ok := v <= limit
		if least {
			ok = v >= limit
		}
		ready = ready && ok
		q.Checks = append(q.Checks, Limit{name, v, limit, ok})
	}
	check("lowest heating value, Btu/scf", q.HHV, t.HHVMin, true)
	check("highest heating value, Btu/scf", q.HHV, t.HHVMax, false)
	check("CO2, percent", q.CO2, t.CO2Max, false)
	if analysed {
		check("H2S, grains/100 scf", *q.H2S, t.H2SMax, false)
	}
	if waterLb != nil {
		check("water, lb/MMscf", *waterLb, t.WaterMax, false)
	} else {
		q.Missing = append(q.Missing, "the water content of the gas")
	}
	// A limit that is broken decides; without all of them nothing says that it is ready.
	if !ready || len(q.Missing) == 0 {
		q.Ready = &ready
	}
	return q, nil
}
