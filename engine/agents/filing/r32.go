package filing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/agents/filing/flaring"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

// r32Args are the arguments of the assembly of Form R-32. What is not given is missing in
// the form, not assumed.
type r32Args struct {
	Lease     string   `json:"lease"`
	Effective string   `json:"effective"`
	Expires   string   `json:"expires"`
	Rate      *float64 `json:"release_rate_mcf_day"`
	Reasons   []string `json:"reasons"`
	// Granted are the periods that were granted before.
	Granted []flaring.Period `json:"granted_periods"`
	Flares  []flare          `json:"flares"`
	Values  []entry          `json:"values"`
	Source  string           `json:"source"`
}

// flare is a flare or vent of the filing.
type flare struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Height *float64 `json:"height_ft"`
	Lon    *float64 `json:"longitude"`
	Lat    *float64 `json:"latitude"`
	Datum  string   `json:"datum"`
	H2S    *float64 `json:"h2s_ppm"`
}

// reasons are those that filings give (as the Commission's query shows them).
var reasons = []string{"System Upset (Operator)", "System Upset (Third Party)", "Scheduled Maintenance", "Unscheduled Maintenance", "Insufficient Gas Gathering Capacity",
	"Avoiding curtailment that reduces ultimate recovery", "Low pressure gas with authorized uses constrained by mechanical, physical, or economic impracticability",
	"Clean-up beyond 10 days", "Unloading fluid", "Casinghead gas without pipeline or market", "Other"}

// leaseOf finds the lease that a tool is asked about: the one that is named, else the
// session's, else that of the session's well.
func leaseOf(tx record.Tx, subject record.Ref, named string) (wells.Lease, error) {
	if named == "" {
		switch subject.Type {
		case wells.LeaseType:
			named = subject.String()
		case wells.WellType:
			w, err := wells.ReadWell(tx, subject.ID)
			if err != nil {
				return wells.Lease{}, err
			}
			if w.Lease != nil {
				named = w.Lease.Reference
			}
		}
	}
	if named == "" {
		return wells.Lease{}, &tool.Refusal{Reason: "no lease was named, and " + aboutElse(subject) + "; name it"}
	}
	r, err := wells.Resolve(tx, wells.Query{Text: named, Type: wells.LeaseType})
	if err != nil {
		return wells.Lease{}, err
	}
	if !r.Decisive {
		return wells.Lease{}, &tool.Refusal{Reason: choices(r)}
	}
	ref, _ := record.ParseRef(r.Ref) // a resolution's ref is one
	l, _, err := wells.ReadLease(tx, &wells.Link{Reference: ref.String()})
	return l, err
}

// r32 puts an application for an exception to the flaring rule together.
func r32(tx record.Tx, subject record.Ref, a r32Args, assumed []assumption) (document, error) {
	l, err := leaseOf(tx, subject, a.Lease)
	if err != nil {
		return document{}, err
	}
	d := document{Form: "R-32", Title: "Application for exception to Statewide Rule 32", Subject: wells.LeaseType + "/" + l.ID + " " + l.Name, about: wells.LeaseType + "/" + l.ID,
		Layout: "Form R-32 by the fields of its public query; compare with the current form", Assumptions: assumed,
		Attachments: []string{"fee", "cost and benefit or other proof where a pipeline is near", "gas analysis", "further documents where the exception passes 45 days"}}
	a.Source = strings.TrimSpace(a.Source)
	given := "given with the call"
	if a.Source != "" {
		given = "given: " + a.Source
	}
	if (a.Rate != nil || a.Effective != "" || len(a.Flares) > 0 || len(a.Reasons) > 0) && a.Source == "" {
		return d, &tool.Refusal{Reason: "rate, dates, reasons and flares were given without their source; say where they are from (source)"}
	}
	own := "Lease/" + l.ID + ", " + l.Source.String()
	operator, ok, err := wells.ReadOperator(tx, l.Operator)
	if err != nil {
		return d, err
	}
	who := "Operator/" + operator.ID + ", " + operator.Source.String()
	if !ok {
		who = ""
	}
	var prior []wells.Exception
	if l.Operator != nil {
		if prior, err = wells.ExceptionsOf(tx, l.Operator.Ref()); err != nil {
			return d, err
		}
	}
	for _, b := range [][2]string{{"1", "filing number"}, {"2", "exception number"}, {"3", "sequence number"}, {"4", "status"}} {
		d.none(b[0], b[1], "given by the Commission")
	}
	d.put("5", "operator", strings.TrimSpace(operator.Name+" "+operator.Number), "", who)
	d.put("6", "filing type", nil, "", "")
	here, elsewhere := ofSite(prior, l)
	b := d.put("7", "prior exception", priorOf(here), "", "the operator's filings in the records for a site of this name and district")
	if len(elsewhere) > 0 {
		b.Note = "the operator's filings for other sites in the records, none of which was taken: " + strings.Join(priorOf(elsewhere), "; ")
	}
	var days any
	daysSource := ""
	var c flaring.Cumulative
	if a.Effective != "" && a.Expires != "" {
		var err error
		c, err = flaring.Accumulate(a.Granted, flaring.Period{From: a.Effective, To: a.Expires}, a.Rate)
		var p *flaring.Problem
		open := errors.As(err, &p) && p.Status == flaring.NeedsInput // the days are counted
		if err != nil && !open {
			return d, &tool.Refusal{Reason: err.Error()}
		}
		days, daysSource = c.Days, "computed: "+strings.Join(c.Arithmetic, "; ")
		if open {
			d.Notes = append(d.Notes, fmt.Sprintf("route: not known; of more than %d days the release rate decides it", flaring.AdministrativeDays))
		} else {
			d.Notes = append(d.Notes, "route: "+c.Route)
		}
		if c.MoreDocs {
			d.Notes = append(d.Notes, fmt.Sprintf("beyond %d days further documents are asked for", flaring.MoreDocuments))
		}
	}
	d.put("8", "cumulative days authorised, with those asked for", days, "days", daysSource).check = followsFrom("granted_periods, effective and expires")
	d.put("9", "site", l.Name, "", own)
	heard := hearing(a, c)
	d.put("10", "hearing requested", nil, "", "").check = func(text string) error {
		if yes, err := isYes(text); err != nil || yes || heard == "" {
			return err
		}
		return errors.New(heard + ", so the form cannot say that none is requested. Say yes, or ask for less")
	}
	if heard != "" {
		d.box("10").Note = heard
	}
	d.put("11", "(h)(8) shutdown", nil, "", "").check = isYesNo
	d.put("12", "permanent exception requested", nil, "", "").check = isYesNo
	d.put("13", "effective", a.Effective, "", given).check = followsFrom("effective")
	d.put("14", "expires", a.Expires, "", given).check = followsFrom("expires")
	d.put("15", "number of days", requested(a), "days", "computed, both days counted").check = followsFrom("effective and expires")
	d.put("16", "every day, or days per month", nil, "", "")
	d.put("17", "connected to a gathering system", nil, "", "").check = isYesNo
	d.put("18", "distance to the nearest pipeline", nil, "", "")
	for _, r := range a.Reasons {
		if !oneOf(r, reasons) {
			return d, &tool.Refusal{Reason: fmt.Sprintf("%q is none of the reasons of the form: %s", r, strings.Join(reasons, "; "))}
		}
	}
	d.put("19", "reasons", a.Reasons, "", given)
	d.put("20.type", "property: type", map[string]string{"O": "oil lease", "G": "gas well"}[l.Code], "", own)
	d.put("20.district", "property: district", l.District, "", own)
	d.put("20.id", "property: number", l.Number, "", own)
	d.put("20.lease", "property: lease", l.Name, "", own)
	var rate any
	rateSource := given
	if a.Rate != nil {
		if *a.Rate < 0 {
			return d, &tool.Refusal{Reason: fmt.Sprintf("the release rate is %v mcf a day; it cannot be negative", *a.Rate)}
		}
		rate = *a.Rate
	}
	months, err := wells.MonthsOf(tx, record.Ref{Type: wells.LeaseType, ID: l.ID})
	if err != nil {
		return d, err
	}
	b = d.put("20.rate", "property: release rate", rate, "mcf/d", rateSource)
	b.check = followsFrom("release_rate_mcf_day")
	if n := len(months); n > 0 {
		last := months[n-1]
		b.Note = fmt.Sprintf("reported for %s: %v mcf in the month, of %v produced (MonthlyFlaring/%s, %s)", last.Month, last.Flared, last.Produced, last.ID, last.Source.String())
	}
	d.put("20.method", "property: measuring method", nil, "", "")
	for i, f := range a.Flares {
		id := fmt.Sprintf("21.%d", i+1)
		d.put(id+".name", "flare or vent: name", f.Name, "", given)
		d.put(id+".type", "flare or vent: type", f.Type, "", given)
		d.put(id+".height", "flare or vent: height", number(f.Height), "ft", given)
		var at any
		switch {
		case (f.Lon == nil) != (f.Lat == nil):
			return d, &tool.Refusal{Reason: fmt.Sprintf("the place of flare %q takes both, longitude and latitude", f.Name)}
		case f.H2S != nil && *f.H2S > 1e6:
			return d, &tool.Refusal{Reason: fmt.Sprintf("flare %q: %s ppm of H2S is more than all of the gas", f.Name, trimFloat(*f.H2S))}
		}
		if f.Lon != nil {
			if f.Datum == "" {
				return d, &tool.Refusal{Reason: fmt.Sprintf("the place of flare %q has no datum; the form asks for it", f.Name)}
			}
			p := wells.Place{Lon: *f.Lon, Lat: *f.Lat}
			if err := p.Point().Check(); err != nil {
				return d, &tool.Refusal{Reason: strings.TrimPrefix(err.Error(), "survey: ")}
			}
			at = fmt.Sprintf("%v, %v (%s)", *f.Lon, *f.Lat, f.Datum)
		}
		d.put(id+".place", "flare or vent: datum, latitude, longitude", at, "", given)
		d.put(id+".h2s", "flare or vent: H2S", number(f.H2S), "ppm", given)
		for _, b := range [][2]string{{".county", "county and district"}, {".area", "H2S area, distance and kind of public area"}} {
			d.put(id+b[0], "flare or vent: "+b[1], nil, "", "")
		}
	}
	if len(a.Flares) == 0 {
		d.put("21", "flares or vents: name, county, district, type, height, datum, latitude, longitude, H2S", nil, "", "")
	}
	if err := d.fill(a.Values); err != nil {
		return d, err
	}
	d.close()
	return d, nil
}

// hearing says why an exception takes one, 16 TAC 3.32; "" where it does not, or it is not
// known.
func hearing(a r32Args, c flaring.Cumulative) string {
	if c.Hearing {
		return fmt.Sprintf("%d days at %s mcf a day take a final order after a hearing: more than %d days and more than %v mcf a day", c.Days, trimFloat(*a.Rate), flaring.AdministrativeDays, flaring.OilLeaseMcf)
	}
	permanent := slices.ContainsFunc(a.Values, func(e entry) bool {
		yes, err := isYes(text(e.Value))
		return e.Box == "12" && err == nil && yes
	})
	if permanent && a.Rate != nil && *a.Rate > flaring.OilLeaseMcf {
		return fmt.Sprintf("a permanent exception at %s mcf a day takes a final order after a hearing: it is for more than %d days, and for more than %v mcf a day", trimFloat(*a.Rate), flaring.AdministrativeDays, flaring.OilLeaseMcf)
	}
	return ""
}

// isYes reads a box that takes yes or no.
func isYes(text string) (yes bool, err error) {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	switch strings.Trim(first, ".,;:!") {
	case "yes", "y", "true", "oui":
		return true, nil
	case "no", "n", "false", "non", "none", "not":
		return false, nil
	}
	return false, errors.New("it takes yes or no")
}

func isYesNo(text string) error {
	_, err := isYes(text)
	return err
}

func requested(a r32Args) any {
	if a.Effective == "" || a.Expires == "" {
		return nil
	}
	c, err := flaring.Accumulate(nil, flaring.Period{From: a.Effective, To: a.Expires}, new(0.0))
	if err != nil {
		return nil
	}
	return c.Requested
}

// ofSite divides an operator's exceptions into those for the lease's site and those for others.
// A site has no number in the records: its name and district tell it.
func ofSite(list []wells.Exception, l wells.Lease) (here, elsewhere []wells.Exception) {
	for _, e := range list {
		if strings.EqualFold(strings.TrimSpace(e.Name), l.Name) && e.District == l.District {
			here = append(here, e)
		} else {
			elsewhere = append(elsewhere, e)
		}
	}
	return here, elsewhere
}

func priorOf(list []wells.Exception) []string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("%s %s: %s to %s, %s", e.Filing, e.Name, e.Effective, e.Expires, e.Status))
	}
	if len(out) > 10 {
		out = append(out[len(out)-10:], fmt.Sprintf("and %d before", len(out)-10))
	}
	return out
}

func number(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func oneOf(s string, list []string) bool {
	for _, x := range list {
		if strings.EqualFold(s, x) {
			return true
		}
	}
	return false
}

// trimFloat writes a number without needless zeros.
func trimFloat(v float64) string { return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64) }

// lesser is the smaller of two numbers as text.
func lesser(a, b string) string {
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return b
	}
	if y, err := strconv.ParseFloat(b, 64); err == nil && y < x {
		a = b
	}
	return strings.TrimSuffix(a, ".0")
}
