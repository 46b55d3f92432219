package flaring

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Methods of an estimate.
const (
	// SubpartW is the flare method of 40 CFR 98.233(n), equations W-19 and W-20.
	SubpartW = "subpart_w"
	// SubpartC are the factors for burning natural gas, 40 CFR 98 tables C-1 and C-2: an
	// estimate that knows no unburned gas.
	SubpartC = "subpart_c"
)

// Gas is what a gas is made of, in mole fractions.
type Gas map[string]float64

// Parts of a gas and their carbon numbers (those that count as hydrocarbons).
var carbons = map[string]float64{"c1": 1, "c2": 2, "c3": 3, "c4": 4, "c5plus": 5}
var inert = []string{"co2", "n2", "h2s", "o2", "he", "h2", "h2o"}

// sumTolerance is by how much the fractions of an analysis may miss one.
const sumTolerance = 0.01

// Check says what is wrong with an analysis.
func (g Gas) Check() error {
	if len(g) == 0 {
		return wanting([]string{"mole_fractions"}, "the gas analysis is missing; give mole fractions of c1, c2, c3, c4, c5plus, co2, n2")
	}
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(g)) {
		v := g[name]
		if _, ok := carbons[name]; !ok && !slices.Contains(inert, name) {
			return wrong([]string{name}, "%q is not a part of a gas that is known here: %s, %s", name, strings.Join(slices.Sorted(maps.Keys(carbons)), ", "), strings.Join(inert, ", "))
		}
		if !(v >= 0) || math.IsInf(v, 0) {
			return wrong([]string{name}, "the fraction of %s is %s; it cannot be negative", name, num(v))
		}
		sum += v
	}
	switch {
	case sum > 90 && sum < 110:
		return wrong([]string{"mole_fractions"}, "the fractions add up to %s: they look like percent; divide them by 100", num(sum))
	case math.Abs(sum-1) > sumTolerance:
		return wrong([]string{"mole_fractions"}, "the mole fractions add up to %s, not to 1; complete the analysis", num(sum))
	}
	return nil
}

// CarbonNumber is the sum of fraction times carbon atoms, ΣYj·Rj of equation W-20, with
// its arithmetic.
func (g Gas) CarbonNumber() (n float64, arithmetic string) {
	var terms []string
	for _, name := range []string{"c1", "c2", "c3", "c4", "c5plus"} {
		n += g[name] * carbons[name]
		terms = append(terms, num(g[name])+"x"+num(carbons[name]))
	}
	return n, fmt.Sprintf("carbon number = sum(Y_j x R_j) = %s = %s", strings.Join(terms, " + "), num(n))
}

// GWP is a set of global warming potentials over 100 years: 40 CFR 98 table A-1 as it was
// (AR4) and as it is from reporting year 2024 on (AR5).
type GWP struct {
	Name     string  `json:"name"`
	CH4, N2O float64 `json:"-"`
}

var gwps = map[string]GWP{"AR4": {"AR4", 25, 298}, "AR5": {"AR5", 28, 265}}

// Factors. Masses are those at 60 °F and 14.7 psia.
const (
	kgCH4PerScf   = 0.0192 // 40 CFR 98.233(v)
	kgCO2PerScf   = 0.0526
	kgN2OPerMMBtu = 0.0001 // table C-2
	kgCH4PerMMBtu = 0.001
	kgCO2PerMMBtu = 53.06    // table C-1, natural gas
	mmbtuPerScf   = 1.026e-3 // likewise
)

// Version names the factors and equations, to be stored with every result.
const Version = "40 CFR 98 as of 2026-07 (98.233(n), tables A-1, C-1, C-2)"

// Emission is an input of an estimate.
type Emission struct {
	Method string `json:"method"`
	// Mcf is the volume; nil where nobody gave one.
	Mcf *float64 `json:"volume_mcf"`
	Gas Gas      `json:"mole_fractions"`
	// Destruction and Combustion are the flare's efficiencies, 0 to 1: 0.98/0.965,
	// 0.95/0.935 or 0.92/0.905 by the tier that its monitoring allows; 0.98 for both
	// before the amendments of 2024.
	Destruction *float64 `json:"destruction_efficiency"`
	Combustion  *float64 `json:"combustion_efficiency"`
	// Unlit is the share of the gas that went out unburned (1 is venting). Where it is nil
	// none is taken to have, and the notes say so.
	Unlit *float64 `json:"unlit_fraction"`
	// HHV is the higher heating value, mmBtu/scf.
	HHV *float64 `json:"hhv_mmbtu_per_scf"`
	GWP string   `json:"gwp_set"`
}

// Emitted is the result, metric tons.
type Emitted struct {
	Method string   `json:"method"`
	Label  string   `json:"label"`
	GWP    string   `json:"gwp_set"`
	MMBtu  *float64 `json:"mmbtu,omitempty"`
	CH4    float64  `json:"ch4_t"`
	CO2    float64  `json:"co2_t"`
	N2O    float64  `json:"n2o_t"`
	CO2e   float64  `json:"co2e_t"`
	// Version names the rules that the factors are of.
	Version    string   `json:"version"`
	Arithmetic []string `json:"arithmetic"`
	Notes      []string `json:"notes,omitempty"`
}

// Estimate computes what flared or vented gas emits.
func Estimate(in Emission) (Emitted, error) {
	out := Emitted{Method: in.Method, GWP: in.GWP, Version: Version}
	g, ok := gwps[in.GWP]
	if !ok {
		return out, wanting([]string{"gwp_set"}, "%q is not a set of warming potentials; AR5 (methane 28) is that of reporting years from 2024, AR4 (25) that before", in.GWP)
	}
	if in.Mcf == nil {
		return out, wanting([]string{"volume_mcf"}, "the volume is missing; give it in mcf, 0 where nothing was flared or vented")
	}
	mcf := *in.Mcf
	if !(mcf >= 0) || math.IsInf(mcf, 0) {
		return out, wrong([]string{"volume_mcf"}, "the volume is %s mcf; it cannot be negative", num(mcf))
	}
	scf := mcf * 1000
	note := func(format string, args ...any) {
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf(format, args...))
	}
	var ch4, co2, n2o float64 // kg
	switch in.Method {
	case SubpartW:
		out.Label = "flare method of 40 CFR 98.233(n), equations W-19 and W-20"
		if err := in.Gas.Check(); err != nil {
			return out, err
		}
		for name, v := range map[string]*float64{"destruction_efficiency": in.Destruction, "combustion_efficiency": in.Combustion, "hhv_mmbtu_per_scf": in.HHV} {
			if v == nil {
				return out, wanting([]string{name}, "%s is missing; the efficiencies go by the flare's monitoring (98/96.5, 95/93.5 or 92/90.5 %%), the heating value by the gas analysis", name)
			}
		}
		unlit := 0.0
		if in.Unlit != nil {
			unlit = *in.Unlit
		} else {
			out.Notes = append(out.Notes, "unlit_fraction was not given: no gas is taken to have gone out unburned")
		}
		for name, v := range map[string]float64{"destruction_efficiency": *in.Destruction, "combustion_efficiency": *in.Combustion, "unlit_fraction": unlit} {
			if !(v >= 0 && v <= 1) {
				return out, wrong([]string{name}, "%s is %s; it is a share, from 0 to 1", name, num(v))
			}
		}
		if *in.Combustion > *in.Destruction {
			return out, wrong([]string{"combustion_efficiency"}, "the combustion efficiency %s is more than the destruction efficiency %s: what burns to carbon dioxide is a part of what is destroyed", num(*in.Combustion), num(*in.Destruction))
		}
		if err := heating(*in.HHV); err != nil {
			return out, err
		}
		lit := 1 - unlit
		carbon, how := in.Gas.CarbonNumber()
		note("V = %s mcf x 1000 = %s scf", num(mcf), num(scf))
		note("%s", how)
		ch4scf := scf * in.Gas["c1"] * ((1-*in.Destruction)*lit + unlit)
		co2scf := scf*in.Gas["co2"] + *in.Combustion*scf*lit*carbon
		note("CH4 = V x %s x [(1 - %s) x %s + %s] = %s scf", num(in.Gas["c1"]), num(*in.Destruction), num(lit), num(unlit), num(round(ch4scf, 3)))
		note("CO2 = V x %s + V x %s x %s x %s = %s scf", num(in.Gas["co2"]), num(*in.Combustion), num(lit), num(carbon), num(round(co2scf, 3)))
		ch4, co2, n2o = ch4scf*kgCH4PerScf, co2scf*kgCO2PerScf, scf*lit**in.HHV*kgN2OPerMMBtu
		note("CH4 mass = %s scf x %s kg/scf / 1000 = %s t", num(round(ch4scf, 3)), num(kgCH4PerScf), num(round(ch4/1000, 6)))
		note("CO2 mass = %s scf x %s kg/scf / 1000 = %s t", num(round(co2scf, 3)), num(kgCO2PerScf), num(round(co2/1000, 6)))
		note("N2O mass = V x %s x %s mmBtu/scf x %s kg/mmBtu / 1000 = %s t", num(lit), num(*in.HHV), num(kgN2OPerMMBtu), num(n2o/1000))
		out.Notes = append(out.Notes, "factors hold at 60 °F and 14.7 psia; a volume measured at 14.65 psia is 0.3 % less there")
	case SubpartC:
		out.Label = "estimate with the combustion factors of 40 CFR 98 Subpart C: no unburned methane, not the flare method"
		hhv := mmbtuPerScf
		if in.HHV != nil {
			hhv = *in.HHV
		} else {
			out.Notes = append(out.Notes, "the default heating value of table C-1 stands in for the gas's own")
		}
		if err := heating(hhv); err != nil {
			return out, err
		}
		mmbtu := scf * hhv
		rounded := round(mmbtu, 6)
		out.MMBtu = &rounded
		ch4, co2, n2o = mmbtu*kgCH4PerMMBtu, mmbtu*kgCO2PerMMBtu, mmbtu*kgN2OPerMMBtu
		note("energy = %s scf x %s = %s mmBtu", num(scf), num(hhv), num(rounded))
		note("CO2 = %s x %s / 1000 = %s t", num(rounded), num(kgCO2PerMMBtu), num(round(co2/1000, 6)))
		note("CH4 = %s x %s / 1000 = %s t", num(rounded), num(kgCH4PerMMBtu), num(ch4/1000))
		note("N2O = %s x %s / 1000 = %s t", num(rounded), num(kgN2OPerMMBtu), num(n2o/1000))
	default:
		return out, wanting([]string{"method"}, "%q is not a method; subpart_w is the flare method (needs a gas analysis), subpart_c an estimate without one", in.Method)
	}
	out.CH4, out.CO2, out.N2O = round(ch4/1000, 9), round(co2/1000, 6), round(n2o/1000, 12)
	out.CO2e = round((co2+g.CH4*ch4+g.N2O*n2o)/1000, 6)
	note("CO2e = %s + %s x %s + %s x %s = %s t", num(round(co2/1000, 6)), num(g.CH4), num(round(ch4/1000, 8)), num(g.N2O), num(n2o/1000), num(round(out.CO2e, 3)))
	return out, nil
}

// heating says that a heating value cannot be one of mmBtu per scf.
func heating(v float64) error {
	if v >= 0.0001 && v <= 0.005 {
		return nil
	}
	if v >= 100 && v <= 5000 {
		return wrong([]string{"hhv_mmbtu_per_scf"}, "a heating value of %s looks like Btu/scf; divide it by a million", num(v))
	}
	return wrong([]string{"hhv_mmbtu_per_scf"}, "a heating value of %s mmBtu/scf cannot be right; natural gas has about 0.001", num(v))
}
