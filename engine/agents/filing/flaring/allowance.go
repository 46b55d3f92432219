package flaring

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What §3.32 allows without an exception: low-pressure separator gas, mcf a day, and days
// after a completion; then when an exception takes more documents, and when an order.
const (
	GasWellMcf         = 15.0
	OilLeaseMcf        = 50.0
	CompletionDays     = 10
	MoreDocuments      = 45
	AdministrativeDays = 180
)

// Source of these numbers.
const Source = "16 TAC 3.32 (secondary sources; FILING-FACTS part 5)"

// Kinds of units that low-pressure gas is measured for.
const (
	GasWell        = "gas_well"
	OilLease       = "oil_lease"
	ComminglePoint = "commingle_point"
)

// Threshold is an average rate beside what is allowed.
type Threshold struct {
	Unit   string  `json:"unit"`
	Mean   float64 `json:"average_mcf_per_day"`
	Limit  float64 `json:"limit_mcf_per_day"`
	Within bool    `json:"within_limit"`
	// Arithmetic is the division.
	Arithmetic string `json:"arithmetic"`
}

// Compare holds a total over days against what is allowed of low-pressure separator gas.
// The totals are compared, so that no division rounds.
func Compare(unit string, total float64, days int) (Threshold, error) {
	t := Threshold{Unit: unit, Limit: OilLeaseMcf}
	switch unit {
	case GasWell:
		t.Limit = GasWellMcf
	case OilLease, ComminglePoint:
	default:
		return t, wrong([]string{"unit"}, "%q is none of gas_well, oil_lease and commingle_point", unit)
	}
	if days <= 0 {
		return t, wanting([]string{"days"}, "over how many days was the gas measured?")
	}
	if !(total >= 0) {
		return t, wrong([]string{"total_mcf"}, "the total is %s mcf; it cannot be negative", num(total))
	}
	t.Mean = round(total/float64(days), 6)
	t.Within = total <= t.Limit*float64(days)
	t.Arithmetic = fmt.Sprintf("%s: %s / %d = %s mcf/d against %s", unit, num(total), days, num(t.Mean), num(t.Limit))
	return t, nil
}

// Day is one after a completion.
type Day struct {
	Date      string  `json:"date"`
	Producing Flag    `json:"producing"`
	Flared    float64 `json:"flared_mcf"`
}

// TenDays says what was flared within ten producing days of a completion.
type TenDays struct {
	Tenth      *string  `json:"tenth_producing_day"`
	Within     float64  `json:"flared_within_ten_producing_days_mcf"`
	After      float64  `json:"flared_after_mcf"`
	First      *string  `json:"first_day_needing_an_exception"`
	Arithmetic []string `json:"arithmetic"`
}

// AfterCompletion counts ten producing days: a day that the well is shut in does not count.
func AfterCompletion(completed string, days []Day) (TenDays, error) {
	out := TenDays{}
	from, err := day(completed)
	if err != nil {
		return out, err
	}
	days = slices.Clone(days)
	at := map[string]time.Time{}
	for _, d := range days {
		t, err := day(d.Date)
		if err != nil {
			return out, err
		}
		if !at[d.Date].IsZero() {
			return out, wrong([]string{d.Date}, "%s is there twice", d.Date)
		}
		if d.Flared > mostMcf {
			return out, wrong([]string{d.Date}, "the volume of %s cannot be right: it is more than %s mcf", d.Date, num(mostMcf))
		}
		if !(d.Flared >= 0) {
			return out, wrong([]string{d.Date}, "the volume of %s is negative (%s mcf); correct it", d.Date, num(d.Flared))
		}
		at[d.Date] = t
	}
	slices.SortFunc(days, func(a, b Day) int { return at[a.Date].Compare(at[b.Date]) })
	counted, before, early, shut := 0, 0.0, 0, []string{}
	for _, d := range days {
		if d.Flared > 0 && !d.Producing {
			shut = append(shut, d.Date)
		}
		if at[d.Date].Before(from) {
			if d.Flared > 0 {
				before, early = before+d.Flared, early+1
			}
			continue
		}
		if out.Tenth != nil {
			out.After += d.Flared
			if d.Flared > 0 && out.First == nil {
				out.First = &d.Date
			}
			continue
		}
		out.Within += d.Flared
		if d.Producing {
			if counted++; counted == CompletionDays {
				out.Tenth = &d.Date
			}
		}
	}
	out.Within, out.After = round(out.Within, 6), round(out.After, 6)
	if out.Tenth != nil {
		out.Arithmetic = append(out.Arithmetic, "only producing days count towards ten; the tenth is "+*out.Tenth)
	} else {
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("only producing days count towards ten; there were %d", counted))
	}
	out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("within = %s mcf, after = %s mcf", num(out.Within), num(out.After)))
	if early > 0 {
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("%s mcf on days before the completion of %s (%d of them) are not counted here; see whether they needed an exception", num(round(before, 6)), completed, early))
	}
	if len(shut) > 0 {
		out.Arithmetic = append(out.Arithmetic, "gas was flared on days on which the well is said not to produce: "+strings.Join(shut, ", ")+"; check them")
	}
	return out, nil
}

// Period is one of days, both ends counted.
type Period struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Cumulative says how many days an exception comes to, and who may grant it.
type Cumulative struct {
	Granted    int      `json:"days_granted"`
	Requested  int      `json:"days_requested"`
	Days       int      `json:"days_cumulative"`
	Route      string   `json:"route"`
	Hearing    bool     `json:"hearing"`
	MoreDocs   bool     `json:"extra_documentation"`
	Arithmetic []string `json:"arithmetic"`
}

// Routes of an exception.
const (
	Administrative = "administrative exception"
	FinalOrder     = "final order of the Commission after a hearing"
)

// Accumulate counts the days of periods that were granted and of one that is asked for.
// A day in two periods counts once. Without a rate (nil) who grants more than
// AdministrativeDays is not known: that is a Problem, and the days are counted all the same.
func Accumulate(granted []Period, requested Period, mcfPerDay *float64) (Cumulative, error) {
	out := Cumulative{}
	if mcfPerDay != nil && !(*mcfPerDay >= 0) {
		return out, wrong([]string{"requested_mcf_per_day"}, "the rate is %s mcf a day; it cannot be negative", num(*mcfPerDay))
	}
	seen := map[time.Time]bool{}
	count := func(p Period) (n int, err error) {
		from, err := day(p.From)
		if err != nil {
			return 0, err
		}
		to, err := day(p.To)
		if err != nil {
			return 0, err
		}
		if to.Before(from) || to.Sub(from) > 20*366*24*time.Hour {
			return 0, wrong([]string{p.From, p.To}, "the period from %s to %s ends before it begins, or is longer than 20 years", p.From, p.To)
		}
		twice := 0
		for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
			if seen[d] {
				twice++
				continue
			}
			seen[d] = true
			n++
		}
		text := fmt.Sprintf("%s to %s, both counted = %s", p.From, p.To, counted(n+twice, "day"))
		if twice > 0 {
			text += fmt.Sprintf(", %d of them counted before", twice)
		}
		out.Arithmetic = append(out.Arithmetic, text)
		return n, nil
	}
	for _, p := range granted {
		n, err := count(p)
		if err != nil {
			return out, err
		}
		out.Granted += n
	}
	n, err := count(requested)
	if err != nil {
		return out, err
	}
	out.Requested = n
	out.Days = out.Granted + n
	out.MoreDocs = out.Days > MoreDocuments
	if out.Days > AdministrativeDays && mcfPerDay == nil {
		out.Arithmetic = append(out.Arithmetic, fmt.Sprintf("requested %d, cumulative %d, limit %d; the rate is not known", out.Requested, out.Days, AdministrativeDays))
		return out, wanting([]string{"requested_mcf_per_day"}, "%d days cumulative are more than %d, and of those the release rate decides who grants them; give it in mcf a day", out.Days, AdministrativeDays)
	}
	out.Route = Administrative
	if out.Hearing = out.Days > AdministrativeDays && *mcfPerDay > OilLeaseMcf; out.Hearing {
		out.Route = FinalOrder
	}
	text := fmt.Sprintf("requested %d, cumulative %d, limit %d", out.Requested, out.Days, AdministrativeDays)
	if mcfPerDay != nil {
		text += fmt.Sprintf("; rate %s mcf/d against %s", num(*mcfPerDay), num(OilLeaseMcf))
	}
	out.Arithmetic = append(out.Arithmetic, text)
	return out, nil
}

// counted is a number of things by their name in the singular.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Flag is a yes or no that files also write as 1 and 0.
type Flag bool

// UnmarshalJSON reads both forms.
func (f *Flag) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case "true", "1", "1.0", `"Y"`:
		*f = true
	case "false", "0", "0.0", `"N"`:
		*f = false
	default:
		return fmt.Errorf("filing: %s is neither yes nor no", raw)
	}
	return nil
}
