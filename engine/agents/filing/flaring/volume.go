// Package flaring adds up gas that was flared or vented, holds it against the amounts and
// times that 16 TAC §3.32 allows without an exception, and estimates what it emits by the
// methods of 40 CFR Part 98. Every result shows its arithmetic.
package flaring

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Statuses of a result.
const (
	OK         = "ok"
	NeedsInput = "needs_input"
	Failed     = "error"
)

// Problem says why nothing was computed: what is missing, or what cannot be right.
type Problem struct {
	Status  string
	Message string
	// Names are the days or inputs that it is about.
	Names []string
}

func (p *Problem) Error() string { return p.Message }

func wrong(names []string, format string, args ...any) *Problem {
	return &Problem{Failed, fmt.Sprintf(format, args...), names}
}

func wanting(names []string, format string, args ...any) *Problem {
	return &Problem{NeedsInput, fmt.Sprintf(format, args...), names}
}

// units in mcf, a thousand standard cubic feet. M is a thousand and MM a million, as in
// the oil field.
var units = map[string]float64{"scf": 0.001, "cf": 0.001, "ft3": 0.001, "ccf": 0.1, "mcf": 1, "mscf": 1, "mmcf": 1000, "mmscf": 1000, "bcf": 1e6, "bscf": 1e6}

// Amount is a volume with its unit.
type Amount struct {
	Value *float64 `json:"value"`
	Unit  *string  `json:"unit"`
}

// Volumes of days, in one of two forms.
type Volumes struct {
	// Start is the first day, YYYY-MM-DD.
	Start string `json:"start"`
	// Daily are volumes of the days from then on, mcf; nil where one is not known.
	Daily []*float64 `json:"daily_mcf"`
	// Amounts are the same with their units.
	Amounts []Amount `json:"volumes"`
	// Authorised is the rate that the exception allows, mcf a day; nil for none.
	Authorised *float64 `json:"authorised_mcf_per_day"`
}

// Volume is what came of them. Volumes are mcf at the base pressure that they were given at.
type Volume struct {
	Total        float64   `json:"total_mcf"`
	Each         []float64 `json:"each_mcf,omitempty"`
	Days         int       `json:"days"`
	FlaringDays  int       `json:"flaring_days"`
	CalendarMean *float64  `json:"average_mcf_per_calendar_day"`
	FlaringMean  *float64  `json:"average_mcf_per_flaring_day"`
	Max          float64   `json:"max_mcf_per_day"`
	// Over are the days on which more was flared than the exception allows, OverMcf by how
	// much together.
	Over       []string `json:"days_over_authorised"`
	OverMcf    float64  `json:"volume_over_authorised_mcf"`
	Exception  *bool    `json:"exception_needed"`
	Arithmetic []string `json:"arithmetic"`
}

// mostMcf is more than a day's gas of any lease, and than all that is flared on Earth.
const mostMcf = 1e8

// round keeps n decimals.
func round(v float64, n int) float64 {
	p := math.Pow10(n)
	return math.Round(v*p) / p
}

// num writes a number without noise.
func num(v float64) string { return strconv.FormatFloat(round(v, 9), 'f', -1, 64) }

func day(s string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return t, wrong([]string{s}, "%q is not a day; write YYYY-MM-DD", s)
	}
	return t, nil
}

// Add adds up volumes of days.
func Add(in Volumes) (Volume, error) {
	out := Volume{Over: []string{}}
	if len(in.Daily) > 0 && len(in.Amounts) > 0 {
		return out, wrong([]string{"daily_mcf", "volumes"}, "give daily_mcf or volumes with their units, not both")
	}
	daily := slices.Clone(in.Daily)
	for i, a := range in.Amounts {
		if a.Value == nil {
			return out, wanting([]string{fmt.Sprintf("volume %d", i+1)}, "volume %d is missing; enter it, 0 where nothing was flared", i+1)
		}
		value := *a.Value
		if a.Unit == nil || strings.TrimSpace(*a.Unit) == "" {
			return out, wanting([]string{fmt.Sprintf("volume %d", i+1)}, "volume %d (%s) has no unit, and nothing is assumed; write scf, mcf, MMcf or Bcf", i+1, num(value))
		}
		per, ok := units[strings.ToLower(strings.TrimSpace(*a.Unit))]
		if !ok {
			return out, wrong([]string{*a.Unit}, "%q is not a unit of gas that is known here; write scf, mcf, MMcf or Bcf", *a.Unit)
		}
		mcf := value * per
		daily = append(daily, &mcf)
		out.Each = append(out.Each, round(mcf, 6))
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("%s %s x %s = %s mcf", num(value), *a.Unit, num(per), num(mcf)))
	}
	if len(daily) == 0 {
		return out, wanting([]string{"daily_mcf"}, "there are no volumes; give those of the days, or import the lease's")
	}
	start, err := day(in.Start)
	if in.Start == "" && in.Authorised != nil {
		return out, wanting([]string{"start"}, "the first day is missing; write it as YYYY-MM-DD, so that the days over the authorised rate have their dates")
	} else if err != nil && in.Start != "" {
		return out, err
	}
	name := func(i int) string {
		if in.Start == "" {
			return fmt.Sprintf("day %d", i+1)
		}
		return start.AddDate(0, 0, i).Format(time.DateOnly)
	}
	over := 0.0
	for i, known := range daily {
		if known == nil {
			return out, wanting([]string{name(i)}, "the volume of %s is missing; enter it, 0 where nothing was flared", name(i))
		}
		v := *known
		switch {
		case v > mostMcf:
			return out, wrong([]string{name(i)}, "the volume of %s cannot be right: it is more than %s mcf", name(i), num(mostMcf))
		case math.IsNaN(v) || math.IsInf(v, 0):
			return out, wrong([]string{name(i)}, "the volume of %s is not a number", name(i))
		case v < 0:
			return out, wrong([]string{name(i)}, "the volume of %s is negative (%s mcf); correct it, it is not set off against other days", name(i), num(v))
		}
		out.Total += v
		out.Max = math.Max(out.Max, v)
		if v > 0 {
			out.FlaringDays++
		}
		if in.Authorised != nil && v > *in.Authorised {
			out.Over = append(out.Over, name(i))
			over += v - *in.Authorised
		}
	}
	if in.Authorised != nil && !(*in.Authorised >= 0) {
		return out, wrong([]string{"authorised_mcf_per_day"}, "the authorised rate is %s mcf a day; it cannot be negative", num(*in.Authorised))
	}
	out.Days = len(daily)
	out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("total = sum of %d days = %s mcf", out.Days, num(out.Total)))
	mean := round(out.Total/float64(out.Days), 3)
	out.CalendarMean = &mean
	out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("per calendar day = %s / %d = %s", num(out.Total), out.Days, num(mean)))
	if out.FlaringDays > 0 {
		mean := round(out.Total/float64(out.FlaringDays), 3)
		out.FlaringMean = &mean
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("per flaring day = %s / %d = %s", num(out.Total), out.FlaringDays, num(mean)))
	}
	if in.Authorised != nil {
		needed := len(out.Over) > 0
		out.Exception = &needed
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("over %s mcf on %d days, together by %s mcf", num(*in.Authorised), len(out.Over), num(over)))
	} else if out.Total == 0 {
		none := false
		out.Exception = &none
	}
	out.Total, out.OverMcf = round(out.Total, 6), round(over, 6)
	return out, nil
}
