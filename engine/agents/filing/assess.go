package filing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
	"holdpoint/engine/tool"
)

// spacingArgs are the arguments of the tools that look at a well's spacing.
type spacingArgs struct {
	Well         string  `json:"well"`
	LeaseLine    float64 `json:"lease_line_ft"`
	BetweenWells float64 `json:"between_wells_ft"`
	Source       string  `json:"limits_source"`
	Conversion   string  `json:"datum_conversion"`
	Radius       float64 `json:"radius_ft"`

	// profile is what somebody gave for the well's in a form: it is measured by that.
	profile string
}

// filed is a distance as it stands on the permit.
type filed struct {
	What      string  `json:"what"`
	Ft        float64 `json:"ft"`
	Direction string  `json:"direction,omitempty"`
}

// located is an assessment with what the permit says.
type located struct {
	spacing.Assessment
	Well  string `json:"well"`
	Name  string `json:"name"`
	Lease string `json:"lease,omitempty"`
	Field string `json:"field,omitempty"`
	// AsFiled are the distances of the permit's plat: they govern, and those from
	// coordinates are a check.
	AsFiled       []filed      `json:"as_filed,omitempty"`
	AsFiledSource string       `json:"as_filed_source,omitempty"`
	AsFiledShort  []string     `json:"as_filed_violations,omitempty"`
	Assumptions   []assumption `json:"assumptions,omitempty"`

	// well has the profile that it is measured by, recorded is the one in the records.
	well     wells.Well
	recorded string
	permit   wells.Permit
	lease    *wells.Lease
	input    spacing.Input
}

// apartFt is by how much a distance from coordinates and one of the plat may differ
// before the answer says so: our choice.
const apartFt = 25.0

// wellOf finds the well that a tool is asked about: the one that is named, else the
// session's.
func wellOf(tx record.Tx, subject record.Ref, named string) (wells.Well, error) {
	if named == "" {
		if subject.Type != wells.WellType {
			return wells.Well{}, &tool.Refusal{Reason: "no well was named, and " + aboutElse(subject) + "; name it by API number or name"}
		}
		named = subject.String()
	}
	r, err := wells.Resolve(tx, wells.Query{Text: named, Type: wells.WellType})
	if err != nil {
		return wells.Well{}, err
	}
	if !r.Decisive {
		return wells.Well{}, &tool.Refusal{Reason: choices(r)}
	}
	ref, _ := record.ParseRef(r.Ref) // a resolution's ref is one
	return wells.ReadWell(tx, ref.ID)
}

// aboutElse says what a session is about that is not about what a tool needs.
func aboutElse(subject record.Ref) string {
	if subject.ID == "" {
		return "the session is about none"
	}
	return "the session is about " + subject.String()
}

// choices says what was found where nothing decides.
func choices(r wells.Resolution) string {
	text := r.Message
	for i, c := range r.Candidates {
		text += map[bool]string{true: ": ", false: "; "}[i == 0] + c.Ref + " " + c.Name
		if c.About != "" {
			text += " (" + c.About + ")"
		}
	}
	return text
}

// limitsOf are the limits for a well: those that are given, else its fields' own, else
// the statewide ones where these govern.
func limitsOf(tx record.Tx, w wells.Well, a spacingArgs) (l spacing.Limits, note, field string, err error) {
	if a.LeaseLine > 0 || a.BetweenWells > 0 {
		if strings.TrimSpace(a.Source) == "" {
			return l, "", "", &tool.Refusal{Reason: "limits were given without their source; name the rule or order (limits_source)"}
		}
		l.Source = a.Source
		// Nobody means a 0 that stands beside one distance.
		if a.LeaseLine > 0 {
			l.LeaseLine = &a.LeaseLine
		}
		if a.BetweenWells > 0 {
			l.BetweenWells = &a.BetweenWells
		}
		return l, "", "", nil
	}
	var own []string
	governs, unknown := false, false
	for _, link := range w.Fields {
		f, ok, err := wells.ReadField(tx, link)
		if err != nil {
			return l, "", "", err
		}
		switch {
		case ok && (f.LeaseLineFt != nil || f.BetweenWellsFt != nil):
			fields := spacing.Limits{LeaseLine: f.LeaseLineFt, BetweenWells: f.BetweenWellsFt}
			if len(own) > 0 {
				fields = stricter(l, fields)
			}
			l = fields
			own = append(own, fmt.Sprintf("%s (field %s)", f.RuleSource, f.ID))
		case ok && f.Statewide37 != nil && *f.Statewide37:
			governs = true
		case ok && f.Statewide37 != nil:
			unknown = true
			field = f.ID
		}
	}
	state := spacing.Statewide()
	switch {
	case unknown:
		return spacing.Limits{}, "the permit says that Statewide Rule 37 does not govern field " + field + ": enter the field's own rules (update_entity Field/" + field + " with lease_line_ft, between_wells_ft, rule_source)", field, nil
	case len(own) > 0 && governs:
		l = stricter(l, state)
		own = append(own, state.Source)
		fallthrough
	case len(own) > 0:
		l.Source = strings.Join(own, " and ")
		return l, "", "", nil
	case governs:
		return state, "", "", nil
	}
	return state, "no field rules are known for this well; the statewide ones were taken", "", nil
}

// stricter are the greater distances of two rules that hold for one well. What one of them
// does not say is not known.
func stricter(a, b spacing.Limits) (out spacing.Limits) {
	greater := func(a, b *float64) *float64 {
		if a == nil || b == nil || *a > *b {
			return a
		}
		return b
	}
	out.LeaseLine, out.BetweenWells = greater(a.LeaseLine, b.LeaseLine), greater(a.BetweenWells, b.BetweenWells)
	if b.LeaseLine == nil {
		out.LeaseLine = nil
	}
	if b.BetweenWells == nil {
		out.BetweenWells = nil
	}
	return out
}

// locate assesses a well's spacing from the records.
func locate(tx record.Tx, subject record.Ref, a spacingArgs) (located, error) {
	w, err := wellOf(tx, subject, a.Well)
	if err != nil {
		return located{}, err
	}
	out := located{Well: wells.WellType + "/" + w.ID, Name: w.Name, recorded: w.Profile}
	w.Profile = cmp.Or(a.profile, w.Profile)
	out.well = w
	limits, note, field, err := limitsOf(tx, w, a)
	if err != nil {
		return out, err
	}
	out.Field = field
	in := spacing.Input{API: w.API, Limits: limits, Convert: a.Conversion == "estimate"}
	var same bool
	if in.Bore, same = w.Bore(); !same {
		out.Assessment = spacing.Assessment{Status: spacing.NeedsInput, Message: "the places of the well are in two datums; give all of them in one", Missing: []string{"datum"}, Neighbours: []spacing.Seen{}, Violations: []string{}}
		return out, nil
	}
	if l, ok, err := wells.ReadLease(tx, w.Lease); err != nil {
		return out, err
	} else if ok {
		out.lease, out.Lease = &l, l.Name
		if in.Lease, err = tractOf(l); err != nil {
			return out, err
		}
	}
	if in.Neighbours, err = neighbours(tx, w, limits); err != nil {
		return out, err
	}
	out.Assessment, out.input = spacing.Assess(in), in
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	p, ok, err := wells.PermitOf(tx, w.ID)
	if err != nil {
		return out, err
	}
	if ok {
		out.permit = p
		out.plat(limits)
	}
	return out, nil
}

// tractOf are a lease's lines, with how far they may be trusted; nil without any.
func tractOf(l wells.Lease) (*spacing.Lease, error) {
	if l.Boundary == nil {
		return nil, nil
	}
	rings, err := survey.ParseRings(l.Boundary.Geometry)
	if err != nil {
		return nil, err
	}
	t := &spacing.Lease{Rings: rings, Datum: l.Boundary.Datum, AccuracyFt: l.Boundary.AccuracyFt, Source: l.Boundary.Source}
	if !l.Boundary.Confirmed {
		t.AccuracyFt = math.Inf(1)
		t.Source += ", not confirmed to be the lease's lines"
	}
	return t, nil
}

// neighbours are the wells of the lease, and all others that are within the distance
// between wells.
func neighbours(tx record.Tx, w wells.Well, l spacing.Limits) (out []spacing.Neighbour, err error) {
	seen := map[string]bool{w.ID: true}
	add := func(n wells.Well, same bool) {
		seen[n.ID] = true
		b, ok := n.Bore()
		if !ok {
			b = spacing.Bore{Profile: b.Profile} // in two datums: it has no place that can be measured
		}
		x := spacing.Neighbour{API: n.ID, Bore: b, SameLease: &same, Status: n.Status}
		if len(w.Fields) > 0 && len(n.Fields) > 0 {
			shared := slices.ContainsFunc(w.Fields, func(f *wells.Link) bool {
				return slices.ContainsFunc(n.Fields, func(g *wells.Link) bool { return g.Reference == f.Reference })
			})
			x.SameReservoir = &shared
		}
		out = append(out, x)
	}
	if w.Lease != nil {
		on, err := wells.WellsOf(tx, w.Lease.Ref())
		if err != nil {
			return nil, err
		}
		for _, n := range on {
			if !seen[n.ID] {
				add(n, true)
			}
		}
	}
	if w.Surface == nil || l.Between() == 0 {
		return out, nil
	}
	all, err := wells.Candidates(tx)
	if err != nil {
		return nil, err
	}
	for _, o := range spacing.FindOffsets(w.ID, *w.Surface.Point(), w.Surface.Datum, l.Between(), all).Offsets {
		if seen[o.API] {
			continue
		}
		n, err := wells.ReadWell(tx, o.API)
		if err != nil {
			return nil, err
		}
		add(n, false)
	}
	return out, nil
}

// plat puts the permit's distances beside those from coordinates.
func (o *located) plat(l spacing.Limits) {
	v := o.permit.Values
	o.AsFiledSource = o.permit.Source.String()
	least := math.Inf(1)
	add := func(what, key string, counts bool) {
		for _, i := range []string{"1", "2"} {
			ft, err := strconv.ParseFloat(v[key+"_ft_"+i], 64)
			if err != nil {
				continue // not filled in
			}
			o.AsFiled = append(o.AsFiled, filed{what + " to a lease line", ft, v[key+"_dir_"+i]})
			if counts {
				least = math.Min(least, ft)
			}
		}
	}
	level := o.well.Profile == spacing.Horizontal
	add("surface location", "lease", !level)
	add("penetration point", "pp_lease", level)
	add("terminus", "term_lease", level)
	if ft, err := strconv.ParseFloat(v["nearest_well_ft"], 64); err == nil {
		o.AsFiled = append(o.AsFiled, filed{What: "nearest well of the reservoir on the lease", Ft: ft})
		switch {
		case ft <= 1:
			o.Notes = append(o.Notes, fmt.Sprintf("the permit gives %v ft to the nearest well, which stands for none", ft))
		case ft < l.Between():
			o.AsFiledShort = append(o.AsFiledShort, fmt.Sprintf("nearest well %v ft, limit %v ft", ft, l.Between()))
		}
	}
	if !math.IsInf(least, 1) && least < l.Line() {
		o.AsFiledShort = append(o.AsFiledShort, fmt.Sprintf("lease line %v ft, limit %v ft", least, l.Line()))
	}
	if o.LeaseLineFt != nil && !math.IsInf(least, 1) && math.Abs(*o.LeaseLineFt-least) > apartFt {
		o.Notes = append(o.Notes, fmt.Sprintf("the plat says %v ft to the nearest lease line and the coordinates say %v ft: more than %.0f ft apart. The plat governs; have it checked", least, *o.LeaseLineFt, apartFt))
	}
	if v["npz"] == "Y" {
		o.Notes = append(o.Notes, "the permit carries a no-perforation zone: no take points there until an amended permit lifts it")
	}
	if o.Exception == nil && len(o.AsFiledShort) > 0 && o.Status != spacing.Failed {
		yes := true
		o.Exception = &yes
		o.Message += " By the distances on the permit (" + o.AsFiledSource + ") an exception is required: " + strings.Join(o.AsFiledShort, "; ") + "."
		if o.Notice == nil {
			if radius, ok := l.Radius(); ok {
				o.Notice = &spacing.Notice{Basis: "3.37(a)(2)(A)", RadiusFt: radius}
			}
			if o.Notice != nil && strings.Contains(strings.Join(o.AsFiledShort, ""), "nearest well") {
				o.Notice.Basis = "3.37(a)(2)(B)"
			}
		}
	}
}

// goodCause are the facts that an argument for an exception stands on.
type goodCause struct {
	Assessment located `json:"assessment"`
	// Regular says whether some place on the lease keeps all distances, and where.
	Regular *regular          `json:"regular_location,omitempty"`
	Offsets *spacing.Offsets  `json:"offsets,omitempty"`
	Facts   []statement       `json:"facts"`
	Missing []string          `json:"missing"`
	Grounds map[string]string `json:"grounds"`
	Assumed []assumption      `json:"assumptions"`
}

// statement is a sentence with its source.
type statement struct {
	Text   string `json:"text"`
	Source string `json:"source"`
}

// regular is the place on a lease that keeps most distance, for a vertical well.
type regular struct {
	Exists bool `json:"exists"`
	// SpareFt is by how much the distances are kept there, or missed where it is negative.
	SpareFt float64      `json:"spare_ft"`
	At      survey.Point `json:"at"`
	Datum   string       `json:"datum"`
	Note    string       `json:"note,omitempty"`
}

// regularLocation looks for a place on the lease that keeps all distances.
func regularLocation(in spacing.Input) *regular {
	if in.Lease == nil || in.Limits.LeaseLine == nil || in.Limits.BetweenWells == nil || in.Bore.Surface == nil || in.Lease.Datum != in.Bore.Datum {
		return nil
	}
	f := survey.NewFrame(in.Lease.Datum, *in.Bore.Surface)
	tract, err := f.Tract(in.Lease.Rings)
	if err != nil {
		return nil
	}
	var others []survey.Path
	var apart []float64
	for _, n := range in.Neighbours {
		if n.SameLease == nil || !*n.SameLease || n.Surface == nil || n.Datum != in.Lease.Datum || n.SameReservoir != nil && !*n.SameReservoir {
			continue
		}
		points := []survey.Point{*n.Surface}
		if len(n.TakePoints) == 2 {
			points = n.TakePoints
		}
		others, apart = append(others, f.Path(points...)), append(apart, in.Limits.Between())
	}
	at, spare := tract.Roomiest(in.Limits.Line(), others, apart, 1)
	r := &regular{Exists: spare >= 0, SpareFt: math.Round(spare), At: f.Point(at), Datum: in.Lease.Datum.Name()}
	r.At = survey.Point{Lon: math.Round(r.At.Lon*1e7) / 1e7, Lat: math.Round(r.At.Lat*1e7) / 1e7}
	if math.IsInf(in.Lease.AccuracyFt, 1) {
		r.Note = "the lines of the lease are not confirmed, so this shows the way and proves nothing"
	}
	return r
}

// causeOf gathers the facts.
func causeOf(tx record.Tx, o located) (goodCause, error) {
	g := goodCause{Assessment: o, Facts: []statement{}, Grounds: map[string]string{
		"waste":        "hydrocarbons that would stay in the ground without the exception",
		"confiscation": "the fair share of the owner that would be lost to neighbouring tracts"}}
	finding := func(source, format string, args ...any) {
		g.Facts = append(g.Facts, statement{fmt.Sprintf(format, args...), source})
	}
	by := "computed from the records' coordinates (" + cmp.Or(o.Datum, "unknown datum") + "), " + o.Rule
	for _, v := range o.Violations {
		if v == spacing.LeaseLine {
			finding(by, "The well is %.1f ft from the nearest lease line, %.1f ft less than the rule asks.", *o.LeaseLineFt, *o.Shortfall.LeaseLineFt)
		} else {
			finding(by, "The nearest well of the same lease and reservoir is nearer by %.1f ft than the rule asks.", *o.Shortfall.BetweenWellsFt)
		}
	}
	for _, s := range o.AsFiledShort {
		finding(o.AsFiledSource, "As filed: %s.", s)
	}
	g.Regular = regularLocation(o.input)
	switch {
	case g.Regular == nil:
		g.Missing = append(g.Missing, "the lines of the lease, to show whether a regular location exists")
	case g.Regular.Exists:
		finding("computed from the lease's lines: "+o.input.Lease.Source, "The lease has a regular location for a vertical well: %v, %v (%s) keeps all distances with %.0f ft to spare. The reason why it cannot be used has to be shown.", g.Regular.At.Lon, g.Regular.At.Lat, g.Regular.Datum, g.Regular.SpareFt)
		g.Missing = append(g.Missing, "why the regular location cannot be used (surface limits, geology)")
	default:
		finding("computed from the lease's lines: "+o.input.Lease.Source, "No place on the lease keeps all distances: the best one misses them by %.0f ft.", -g.Regular.SpareFt)
	}
	if o.well.Surface != nil {
		all, err := wells.Candidates(tx)
		if err != nil {
			return g, err
		}
		off := spacing.FindOffsets(o.well.ID, *o.well.Surface.Point(), o.well.Surface.Datum, offsetRadius, all)
		g.Offsets = &off
		finding("computed from the wells in the records", "Within a mile there are %d wells of %d operators in the records.", off.Count, off.Operators)
	}
	g.Missing = append(g.Missing, "whether the exception prevents waste or confiscation, and by how much (reserves, drainage)",
		"geology: structure, faults, where the reservoir is productive", "drainage by the offset wells: production history or a model")
	if len(g.Facts) == 0 {
		return g, errors.New("filing: no fact was found")
	}
	return g, nil
}

// offsetRadius is a mile, the usual radius for offset wells, feet.
const offsetRadius = 5280.0
