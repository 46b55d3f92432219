package filing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/agents/filing/flaring"
	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/call"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/tool"
)

// Names of the tools.
const (
	EntityResolve      = "entity_resolve"
	ContextAssemble    = "context_assemble"
	SpacingAssessment  = "spacing_assessment"
	OffsetWellAnalysis = "offset_well_analysis"
	Rule37Assembly     = "rule37_filing_assembly"
	GoodCause          = "good_cause_narrative"
	FlaringVolume      = "flaring_volume_calc"
	GasAnalysis        = "gas_analysis"
	Rule32Assembly     = "rule32_filing_assembly"
	EmissionsEstimate  = "emissions_estimate"
	CreateEntity       = "create_entity"
	UpdateEntity       = "update_entity"
	LinkEntities       = "link_entities"
)

// subjects are the records that the agent's sessions may be about.
var subjects = []string{wells.WellType, wells.LeaseType, wells.FieldType, wells.OperatorType}

// object is the JSON Schema of arguments, by their properties.
func object(required []string, properties string) json.RawMessage {
	out := `{"type":"object","properties":{` + properties + `},"additionalProperties":false`
	if len(required) > 0 {
		out += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(out + "}")
}

// Properties that several tools have.
const (
	wellProperty   = `"well":{"type":"string","maxLength":120,"description":"API number or name; the session's well when left out"}`
	leaseProperty  = `"lease":{"type":"string","maxLength":120,"description":"name or id; that of the session when left out"}`
	limitsProperty = `"lease_line_ft":{"type":"number","minimum":0,"description":"limit to lease lines, when the field has rules of its own"},"between_wells_ft":{"type":"number","minimum":0},"limits_source":{"type":"string","maxLength":300,"description":"rule or order that the limits are from"},"datum_conversion":{"enum":["refuse","estimate"],"description":"estimate allows to convert datums with a stated accuracy"}`
	valuesProperty = `"values":{"type":"array","maxItems":80,"description":"values for boxes that the records do not fill, each with its source","items":{"type":"object","properties":{"box":{"type":"string","maxLength":40},"value":{"type":["string","number","boolean"]},"source":{"type":"string","maxLength":300}},"required":["box","value","source"],"additionalProperties":false}}`
	fractions      = `"mole_fractions":{"type":"object","description":"c1, c2, c3, c4, c5plus, co2, n2, h2s as shares of 1","additionalProperties":{"type":"number"}}`
	daysProperty   = `{"type":"object","properties":{"from":{"type":"string","maxLength":10,"description":"YYYY-MM-DD"},"to":{"type":"string","maxLength":10,"description":"YYYY-MM-DD"}},"required":["from","to"],"additionalProperties":false}`
	entityMembers  = `"name":{"type":"string","maxLength":120},"number":{"type":"string","maxLength":20,"description":"P-5, lease or field number"},"district":{"type":"string","maxLength":4},"county":{"type":"string","maxLength":60},"status":{"type":"string","maxLength":40},"profile":{"enum":["vertical","horizontal","directional"]},"well_no":{"type":"string","maxLength":12},"oil_gas_code":{"enum":["O","G"]},"address":{"type":"string","maxLength":200},"phone":{"type":"string","maxLength":40},"operator":{"type":"string","maxLength":120},"lease":{"type":"string","maxLength":120},"acres":{"type":"number","minimum":0},"surface":{"type":"array","items":{"type":"number"},"maxItems":2,"description":"[longitude, latitude]"},"bottom_hole":{"type":"array","items":{"type":"number"},"maxItems":2},"first_take_point":{"type":"array","items":{"type":"number"},"maxItems":2},"last_take_point":{"type":"array","items":{"type":"number"},"maxItems":2},"datum":{"enum":["NAD27","NAD83","WGS84"]},"lease_line_ft":{"type":"number","minimum":0},"between_wells_ft":{"type":"number","minimum":0},"rule_source":{"type":"string","maxLength":300},"boundary":{"type":"object","description":"GeoJSON Polygon of a lease"},"boundary_confirmed":{"type":"boolean"},"boundary_accuracy_ft":{"type":"number","minimum":0}`
)

// tools are the agent's registry.
func tools() []tool.Tool {
	list := []tool.Tool{
		{Name: EntityResolve, Description: "Find the well, lease, field or operator that is meant, by API number, name, similar name or place. Says whether that is certain, else names candidates.",
			Parameters: object(nil, `"query":{"type":"string","maxLength":200},"type":{"enum":["Well","Lease","Field","Operator"]},"near":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,"description":"[longitude, latitude]"},"datum":{"enum":["NAD27","NAD83","WGS84"]},"radius_ft":{"type":"number","minimum":1,"maximum":100000}`),
			Read:       reading(resolve)},
		{Name: ContextAssemble, Description: "Read a well, lease, field or operator with what is linked to it: permits, wells, volumes, exceptions.",
			Parameters: object(nil, `"entity":{"type":"string","maxLength":160,"description":"TYPE/ID, API number or name; the session's when left out"}`),
			Read:       reading(assemble)},
		{Name: SpacingAssessment, Description: "Compare a well with the spacing rule: distances to lease lines and neighbouring wells, violations, who is to be notified.",
			Parameters: object(nil, wellProperty+","+limitsProperty), Read: reading(assess)},
		{Name: OffsetWellAnalysis, Description: "List the wells around a well with their distances and operators.",
			Parameters: object(nil, wellProperty+`,"radius_ft":{"type":"number","minimum":1,"maximum":100000,"description":"5,280 when left out"}`), Read: reading(offsets)},
		{Name: Rule37Assembly, Description: "Put Form W-1 with a Rule 37 exception together: every box with its source, and what is missing.",
			Parameters: object(nil, wellProperty+","+limitsProperty+","+valuesProperty), Read: reading(assembleW1), Keep: keeping(assembleW1)},
		{Name: GoodCause, Description: "Gather the facts for the good cause of a Rule 37 exception, each with its source, and what is still to be shown.",
			Parameters: object(nil, wellProperty+","+limitsProperty), Read: reading(cause)},
		{Name: FlaringVolume, Description: "Add up flared or vented gas and hold it against what is allowed: days, units, thresholds, ten producing days, cumulative days of an exception. Without volumes: what a lease reported.",
			Parameters: object(nil, leaseProperty+`,"start":{"type":"string","maxLength":10,"description":"first day, YYYY-MM-DD"},"daily_mcf":{"type":"array","maxItems":800,"items":{"type":"number"}},"volumes":{"type":"array","maxItems":800,"items":{"type":"object","properties":{"value":{"type":"number"},"unit":{"type":["string","null"],"maxLength":12}},"required":["value","unit"],"additionalProperties":false}},"authorised_mcf_per_day":{"type":"number"},"unit":{"enum":["gas_well","oil_lease","commingle_point"],"description":"compare with what is allowed of low-pressure gas"},"initial_completion":{"type":"string","maxLength":10,"description":"YYYY-MM-DD"},"days":{"type":"array","maxItems":800,"items":{"type":"object","properties":{"date":{"type":"string","maxLength":10},"producing":{"type":["boolean","integer"]},"flared_mcf":{"type":"number"}},"required":["date","producing","flared_mcf"],"additionalProperties":false}},"granted_periods":{"type":"array","maxItems":100,"items":`+daysProperty+`},"requested":`+daysProperty+`,"requested_mcf_per_day":{"type":"number"}`),
			Read:       reading(volumes)},
		{Name: GasAnalysis, Description: "Read a gas analysis: heating value, CO2, H2S, whether it is sour, and whether it meets a pipeline's tariff.",
			Parameters: object([]string{"mole_fractions"}, fractions+`,"tariff":{"type":"object","properties":{"hhv_min_btu_per_scf":{"type":"number"},"hhv_max_btu_per_scf":{"type":"number"},"co2_max_percent":{"type":"number"},"h2s_max_grains_per_100_scf":{"type":"number"},"water_max_lb_per_mmscf":{"type":"number"},"source":{"type":"string","maxLength":300}},"additionalProperties":false},"water_lb_per_mmscf":{"type":"number","minimum":0},"gas_cf_per_bbl":{"type":"number","minimum":0}`),
			Read:       reading(analyse)},
		{Name: Rule32Assembly, Description: "Put Form R-32, an exception to the flaring rule, together: every box with its source, and what is missing.",
			Parameters: object(nil, leaseProperty+`,"effective":{"type":"string","maxLength":10,"description":"YYYY-MM-DD"},"expires":{"type":"string","maxLength":10,"description":"YYYY-MM-DD"},"release_rate_mcf_day":{"type":"number"},"reasons":{"type":"array","maxItems":11,"items":{"type":"string","maxLength":160,"examples":`+string(model.JSON(reasons))+`}},"granted_periods":{"type":"array","maxItems":100,"items":`+daysProperty+`},"flares":{"type":"array","maxItems":40,"items":{"type":"object","properties":{"name":{"type":"string","maxLength":80},"type":{"type":"string","maxLength":40},"height_ft":{"type":"number","minimum":0},"longitude":{"type":"number"},"latitude":{"type":"number"},"datum":{"enum":["NAD27","NAD83","WGS84"]},"h2s_ppm":{"type":"number","minimum":0}},"required":["name"],"additionalProperties":false}},"source":{"type":"string","maxLength":300,"description":"where rate, dates, reasons and flares are from"},`+valuesProperty),
			Read:       reading(assembleR32), Keep: keeping(assembleR32)},
		{Name: EmissionsEstimate, Description: "Estimate CH4, CO2, N2O and CO2e of flared or vented gas by 40 CFR 98: subpart_w is the flare method, subpart_c an estimate without a gas analysis.",
			Parameters: object([]string{"method", "volume_mcf", "gwp_set"}, `"method":{"enum":["subpart_w","subpart_c"]},"volume_mcf":{"type":"number"},"gwp_set":{"enum":["AR5","AR4"]},`+fractions+`,"destruction_efficiency":{"type":"number"},"combustion_efficiency":{"type":"number"},"unlit_fraction":{"type":"number"},"hhv_mmbtu_per_scf":{"type":"number"}`),
			Read:       reading(estimate)},
		{Name: CreateEntity, Description: "Propose a new well, lease, field or operator. A person approves it first.",
			Parameters: object([]string{"type"}, `"type":{"enum":["Well","Lease","Field","Operator"]},"api":{"type":"string","maxLength":20,"description":"of a well"},`+entityMembers), Plan: planCreate, Capabilities: []string{CreateEntity}},
		{Name: UpdateEntity, Description: "Propose a change of a well, lease, field or operator. A person approves it first.",
			Parameters: object(nil, `"entity":{"type":"string","maxLength":160,"description":"TYPE/ID; the session's when left out"},`+entityMembers), Plan: planUpdate, Capabilities: []string{UpdateEntity}},
		{Name: LinkEntities, Description: "Propose a link of a well to its operator, lease or field, or of a lease to its operator. A person approves it first.",
			Parameters: object([]string{"from", "to"}, `"from":{"type":"string","minLength":1,"maxLength":160,"description":"TYPE/ID"},"to":{"type":"string","minLength":1,"maxLength":160,"description":"TYPE/ID"}`), Plan: planLink, Capabilities: []string{LinkEntities}},
	}
	for i := range list {
		list[i].About = subjects
		list[i].Complete = completing(list[i])
	}
	return list
}

// completing names the records that a call of a tool is about as TYPE/ID, also those that
// the session stands for; what names none, or one that is not certain, stays as it is.
func completing(t tool.Tool) func(record.Tx, tool.Env, json.RawMessage) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return nil // the registry says what is wrong with it
	}
	about := map[string]func(record.Tx, record.Ref, string) (record.Ref, error){}
	switch {
	case t.Name == CreateEntity:
		return nil // what it names is not there yet
	case schema.Properties["well"] != nil:
		about["well"] = func(tx record.Tx, subject record.Ref, named string) (record.Ref, error) {
			w, err := wellOf(tx, subject, named)
			return record.Ref{Type: wells.WellType, ID: w.ID}, err
		}
	case t.Name == Rule32Assembly || t.Name == FlaringVolume:
		about["lease"] = func(tx record.Tx, subject record.Ref, named string) (record.Ref, error) {
			l, err := leaseOf(tx, subject, named)
			return record.Ref{Type: wells.LeaseType, ID: l.ID}, err
		}
	case schema.Properties["entity"] != nil:
		about["entity"] = refOf
	case t.Name == LinkEntities:
		for _, name := range []string{"from", "to"} {
			about[name] = func(tx record.Tx, _ record.Ref, named string) (record.Ref, error) {
				return refOf(tx, record.Ref{}, named)
			}
		}
	}
	if len(about) == 0 {
		return nil
	}
	return func(tx record.Tx, env tool.Env, args json.RawMessage) json.RawMessage {
		var have map[string]any
		if json.Unmarshal(args, &have) != nil {
			return args
		}
		for _, name := range slices.Sorted(maps.Keys(about)) {
			named, _ := have[name].(string)
			if ref, err := about[name](tx, env.Subject, named); err == nil {
				args = complete(args, name, ref.String())
			}
		}
		return args
	}
}

// desk is what a tool works at.
type desk struct {
	tx  record.Tx
	env tool.Env
}

// reading is a read tool of arguments A: it reads the records, and its answer has a
// status, a message and a result.
func reading[A any](fn func(d desk, a A) (any, error)) func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, env tool.Env, raw json.RawMessage) (json.RawMessage, error) {
		var a A
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("%w: %w", tool.ErrArguments, err)
		}
		t, err := call.TaskOf(ctx)
		if err != nil {
			return nil, err
		}
		var out json.RawMessage
		err = recordRows.View(t, func(tx record.Tx) error {
			v, err := fn(desk{tx, env}, a)
			var p *flaring.Problem
			switch {
			case errors.As(err, &p):
				out = model.JSON(failure(p))
			case err != nil:
				return refusal(err)
			default:
				out = model.JSON(v)
			}
			return nil
		})
		return out, err
	}
}

// refusal turns what the records say no to into a business refusal.
func refusal(err error) error {
	var no *record.Refusal
	switch {
	case errors.As(err, &no):
		return &tool.Refusal{Reason: no.Reason}
	case errors.Is(err, record.ErrNotFound):
		return &tool.Refusal{Reason: strings.TrimPrefix(err.Error(), "record: ")}
	}
	return err
}

func done(message string, result any) outcome {
	return outcome{Status: spacing.OK, Message: message, Result: result}
}

type resolveArgs struct {
	Query  string    `json:"query"`
	Type   string    `json:"type"`
	Near   []float64 `json:"near"`
	Datum  string    `json:"datum"`
	Radius float64   `json:"radius_ft"`
}

func resolve(d desk, a resolveArgs) (any, error) {
	q := wells.Query{Text: a.Query, Type: a.Type, Radius: a.Radius}
	if len(a.Near) == 2 {
		p, err := wells.PlaceOf(a.Near[0], a.Near[1], a.Datum)
		if err != nil {
			return nil, &tool.Refusal{Reason: err.Error()}
		}
		q.Near = &p
	}
	if a.Query == "" && q.Near == nil && d.env.Subject.ID != "" {
		q.Text = d.env.Subject.String() // what the session is about
	}
	r, err := wells.Resolve(d.tx, q)
	if err != nil {
		return nil, err
	}
	out := done(r.Message, r)
	if !r.Decisive {
		out.Status = spacing.NeedsInput
	}
	return out, nil
}

type contextArgs struct {
	Entity string `json:"entity"`
}

// contextLimit bounds each list of what is linked.
const contextLimit = 20

func assemble(d desk, a contextArgs) (any, error) {
	ref := d.env.Subject
	if a.Entity != "" {
		r, err := wells.Resolve(d.tx, wells.Query{Text: a.Entity})
		if err != nil {
			return nil, err
		}
		if !r.Decisive {
			return outcome{Status: spacing.NeedsInput, Message: choices(r), Result: r}, nil
		}
		ref, _ = record.ParseRef(r.Ref) // a resolution's ref is one
	}
	if ref.ID == "" {
		return nil, &tool.Refusal{Reason: "nothing was named, and the session is about nothing; name a record"}
	}
	r, err := d.tx.Record(ref)
	if err != nil {
		return nil, err
	}
	title, subtitle := wells.Describe(r, d.env.Now)
	type line struct {
		Ref   string `json:"ref"`
		Title string `json:"title"`
		About string `json:"about,omitempty"`
	}
	linked := map[string][]line{}
	left := map[string]int{}
	for _, typ := range []string{wells.PermitType, wells.WellType, wells.LeaseType, wells.MonthType, wells.ExceptionType} {
		err := d.tx.RecordsAbout(ref, typ, func(r record.Record) (bool, error) {
			if len(linked[typ]) == contextLimit {
				left[typ]++
				return true, nil
			}
			title, about := wells.Describe(r, d.env.Now)
			linked[typ] = append(linked[typ], line{r.String(), title, about})
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return done(strings.TrimSuffix(title+", "+subtitle, ", "), map[string]any{"record": r.Resource, "linked": linked, "left_out": left}), nil
}

func assess(d desk, a spacingArgs) (any, error) {
	o, err := locate(d.tx, d.env.Subject, a)
	if err != nil {
		return nil, err
	}
	o.Assumptions = assumedFor(d, o)
	return o, nil
}

func assumedFor(d desk, o located) []assumption {
	ids := []string{}
	if o.well.Profile == spacing.Horizontal {
		ids = append(ids, factTakePoints)
	}
	if o.Notice != nil {
		ids = append(ids, factNotice)
	}
	return builtOn(d.env.Facts, ids...)
}

func offsets(d desk, a spacingArgs) (any, error) {
	w, err := wellOf(d.tx, d.env.Subject, a.Well)
	if err != nil {
		return nil, err
	}
	if w.Surface == nil {
		return outcome{Status: spacing.Failed, Message: "the well has no surface coordinates; enter its longitude and latitude with their datum", Missing: []string{"surface"}}, nil
	}
	if a.Radius == 0 {
		a.Radius = offsetRadius
	}
	all, err := wells.Candidates(d.tx)
	if err != nil {
		return nil, err
	}
	found := spacing.FindOffsets(w.ID, *w.Surface.Point(), w.Surface.Datum, a.Radius, all)
	near := "none is nearer"
	if len(found.Offsets) > 0 {
		o := found.Offsets[0]
		near = fmt.Sprintf("the nearest is %s, %.1f ft away, of %s", o.API, o.DistanceFt, o.Operator)
	}
	return done(fmt.Sprintf("%d wells of %d operators lie within %.0f ft of the surface location (%s); %s", found.Count, found.Operators, a.Radius, w.Surface.Datum.Name(), near), found), nil
}

type w1Args struct {
	spacingArgs
	Values []entry `json:"values"`
}

// measured are the arguments that the well's spacing is measured by: the profile that is
// given for the form is the well's.
func (a w1Args) measured() spacingArgs {
	for _, e := range a.Values {
		if p := profileOf(text(e.Value)); e.Box == "7" && p != sidetrack && isProfile(p) == nil {
			a.profile = p
		}
	}
	return a.spacingArgs
}

func assembleW1(d desk, a w1Args) (any, error) {
	o, err := locate(d.tx, d.env.Subject, a.measured())
	if err != nil {
		return nil, err
	}
	ids := []string{factBurden, factProtest, factWaivers, factNotice}
	if o.well.Profile == spacing.Horizontal {
		ids = append(ids, factTakePoints)
	}
	doc, err := w1(d.tx, o, a.Values, builtOn(d.env.Facts, ids...))
	if err != nil {
		return nil, err
	}
	doc.about = o.Well
	return assembled(doc), nil
}

// assembled is a form as an answer.
func assembled(doc document) outcome {
	out := outcome{Status: spacing.OK, Message: fmt.Sprintf("Form %s for %s: every box is filled", doc.Form, doc.Subject), Result: doc, Missing: doc.Missing}
	if !doc.Complete {
		out.Status = spacing.NeedsInput
		out.Message = fmt.Sprintf("Form %s for %s: %d of %d boxes are missing", doc.Form, doc.Subject, len(doc.Missing), len(doc.Boxes))
	}
	return out
}

func cause(d desk, a spacingArgs) (any, error) {
	o, err := locate(d.tx, d.env.Subject, a)
	if err != nil {
		return nil, err
	}
	if o.Status == spacing.Failed {
		return outcome{Status: o.Status, Message: o.Message, Missing: o.Missing}, nil
	}
	g, err := causeOf(d.tx, o)
	if err != nil {
		return nil, err
	}
	g.Assumed = builtOn(d.env.Facts, factBurden)
	return outcome{Status: spacing.NeedsInput, Message: fmt.Sprintf("%d facts are at hand; the ground, waste or confiscation, has to be shown by a person", len(g.Facts)), Missing: g.Missing, Result: g}, nil
}

type volumeArgs struct {
	flaring.Volumes
	Lease      string           `json:"lease"`
	Unit       string           `json:"unit"`
	Completion string           `json:"initial_completion"`
	Days       []flaring.Day    `json:"days"`
	Granted    []flaring.Period `json:"granted_periods"`
	Requested  *flaring.Period  `json:"requested"`
	Rate       *float64         `json:"requested_mcf_per_day"`
}

// volumes answers what the arguments ask: each part by itself.
func volumes(d desk, a volumeArgs) (any, error) {
	result := map[string]any{}
	var said []string
	if a.Completion != "" || len(a.Days) > 0 {
		t, err := flaring.AfterCompletion(a.Completion, a.Days)
		if err != nil {
			return nil, err
		}
		result["ten_producing_days"] = t
		said = append(said, t.Arithmetic...)
	}
	if a.Requested != nil {
		c, err := flaring.Accumulate(a.Granted, *a.Requested, a.Rate)
		if err != nil {
			return nil, err
		}
		result["cumulative_days"] = c
		said = append(said, fmt.Sprintf("%d days cumulative: %s", c.Days, c.Route))
	}
	if len(a.Daily) > 0 || len(a.Amounts) > 0 {
		v, err := flaring.Add(a.Volumes)
		if err != nil {
			return nil, err
		}
		result["volume"] = v
		said = append(said, v.Arithmetic...)
		if a.Unit != "" {
			t, err := flaring.Compare(a.Unit, v.Total, v.Days)
			if err != nil {
				return nil, err
			}
			result["threshold"] = t
			said = append(said, t.Arithmetic)
		}
	}
	if len(result) == 0 {
		months, l, err := reported(d, a.Lease)
		if err != nil {
			return nil, err
		}
		result["reported"] = months
		said = append(said, fmt.Sprintf("%s reported %d months; compared with %v mcf a day of low-pressure gas from an oil lease", l.Name, len(months), flaring.OilLeaseMcf))
	}
	out := map[string]any{"assumptions": builtOn(d.env.Facts, factMonthDays, factFlareHours), "rule": flaring.Source}
	for k, v := range result {
		out[k] = v
	}
	return done(strings.Join(said, "; "), out), nil
}

// reportedMonth is a month of a lease beside what is allowed.
type reportedMonth struct {
	Month     string            `json:"month"`
	Flared    float64           `json:"flared_or_vented_mcf"`
	Produced  float64           `json:"gas_produced_mcf"`
	Share     float64           `json:"share_percent"`
	Threshold flaring.Threshold `json:"threshold"`
	Source    string            `json:"source"`
}

func reported(d desk, named string) ([]reportedMonth, wells.Lease, error) {
	l, err := leaseOf(d.tx, d.env.Subject, named)
	if err != nil {
		return nil, l, err
	}
	months, err := wells.MonthsOf(d.tx, record.Ref{Type: wells.LeaseType, ID: l.ID})
	if err != nil {
		return nil, l, err
	}
	if len(months) == 0 {
		return nil, l, &flaring.Problem{Status: flaring.NeedsInput, Message: "the records have no volumes of lease " + l.Name + "; import them, or give daily_mcf or volumes", Names: []string{"daily_mcf"}}
	}
	unit := flaring.OilLease
	if l.Code == "G" {
		unit = flaring.GasWell
	}
	var out []reportedMonth
	for _, m := range months {
		first, err := time.Parse("2006-01", m.Month)
		if err != nil {
			return nil, l, fmt.Errorf("filing: month %q of lease %s: %w", m.Month, l.ID, err)
		}
		t, err := flaring.Compare(unit, m.Flared, first.AddDate(0, 1, -1).Day())
		if err != nil {
			return nil, l, err
		}
		r := reportedMonth{m.Month, m.Flared, m.Produced, 0, t, "MonthlyFlaring/" + m.ID + ", " + m.Source.String()}
		if m.Produced > 0 {
			r.Share = float64(int(m.Flared/m.Produced*10000+0.5)) / 100
		}
		out = append(out, r)
	}
	return out, l, nil
}

type gasArgs struct {
	Gas    flaring.Gas    `json:"mole_fractions"`
	Tariff flaring.Tariff `json:"tariff"`
	Water  *float64       `json:"water_lb_per_mmscf"`
	Ratio  *float64       `json:"gas_cf_per_bbl"`
}

func analyse(d desk, a gasArgs) (any, error) {
	q, err := flaring.Analyse(a.Gas, a.Tariff, a.Water, a.Ratio)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%.0f Btu/scf, CO2 %v %%", q.HHV, q.CO2)
	if q.H2S != nil {
		text += fmt.Sprintf(", H2S %v grains/100 scf", *q.H2S)
	} else {
		text += ", H2S not analysed"
	}
	switch {
	case q.Ready == nil:
		text += "; whether a pipeline takes it is not known: " + strings.Join(q.Missing, ", ") + " is missing"
	case *q.Ready:
		text += "; it meets the tariff"
	default:
		text += "; it does not meet the tariff"
	}
	out := outcome{Status: spacing.OK, Message: text, Result: map[string]any{"quality": q, "assumptions": builtOn(d.env.Facts, factTariff)}, Missing: q.Missing}
	if q.Ready == nil {
		out.Status = spacing.NeedsInput
	}
	return out, nil
}

func assembleR32(d desk, a r32Args) (any, error) {
	doc, err := r32(d.tx, d.env.Subject, a, builtOn(d.env.Facts, factMonthDays, factFlareHours, factTariff))
	if err != nil {
		return nil, err
	}
	return assembled(doc), nil
}

func estimate(d desk, a flaring.Emission) (any, error) {
	e, err := flaring.Estimate(a)
	if err != nil {
		return nil, err
	}
	return done(fmt.Sprintf("%.3f t CO2e (CO2 %.3f t, CH4 %.3f t, N2O %.6f t) by the %s, %s", e.CO2e, e.CO2, e.CH4, e.N2O, e.Label, e.GWP),
		map[string]any{"emissions": e, "assumptions": builtOn(d.env.Facts, factEquations, factHHV)}), nil
}

// planned is a write as a tool's plan: exactly this version of the record is changed.
func planned(w wells.Write, args json.RawMessage) tool.Plan {
	target, change := ledger.Target{Ref: w.Ref}, ledger.Change{Ref: w.Ref, After: w.After}
	if w.Before != nil {
		target.Version, change.Before = w.Before.Version, w.Before.Resource
	}
	return tool.Plan{Args: args, Title: w.Title, Targets: []ledger.Target{target}, Changes: []ledger.Change{change},
		Result: model.JSON(map[string]string{"status": "done", "entity": w.Ref.String(), "message": w.Title})}
}

func planCreate(tx record.Tx, _ tool.Env, raw json.RawMessage) (tool.Plan, error) {
	var e wells.Entity
	if err := json.Unmarshal(raw, &e); err != nil {
		return tool.Plan{}, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	w, err := wells.Create(tx, e)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	return planned(w, raw), nil
}

// refOf is the record that a text names; the subject for none.
func refOf(tx record.Tx, subject record.Ref, text string) (record.Ref, error) {
	if text == "" {
		if subject.ID == "" {
			return subject, &tool.Refusal{Reason: "no record was named; write it as TYPE/ID"}
		}
		return subject, nil
	}
	if ref, ok := record.ParseRef(text); ok {
		return ref, nil
	}
	r, err := wells.Resolve(tx, wells.Query{Text: text})
	if err != nil {
		return record.Ref{}, err
	}
	if !r.Decisive {
		return record.Ref{}, &tool.Refusal{Reason: choices(r)}
	}
	ref, _ := record.ParseRef(r.Ref) // a resolution's ref is one
	return ref, nil
}

func planUpdate(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
	var a struct {
		Entity string `json:"entity"`
	}
	var e wells.Entity
	if err := errors.Join(json.Unmarshal(raw, &a), json.Unmarshal(raw, &e)); err != nil {
		return tool.Plan{}, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	ref, err := refOf(tx, env.Subject, a.Entity)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	w, err := wells.Update(tx, ref, e, env.Call)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	return planned(w, complete(raw, "entity", ref.String())), nil
}

func planLink(tx record.Tx, env tool.Env, raw json.RawMessage) (tool.Plan, error) {
	var a struct{ From, To string }
	if err := json.Unmarshal(raw, &a); err != nil {
		return tool.Plan{}, fmt.Errorf("%w: %w", tool.ErrArguments, err)
	}
	from, err := refOf(tx, record.Ref{}, a.From)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	to, err := refOf(tx, record.Ref{}, a.To)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	w, err := wells.LinkEntities(tx, from, to, env.Call)
	if err != nil {
		return tool.Plan{}, refusal(err)
	}
	return planned(w, complete(complete(raw, "from", from.String()), "to", to.String())), nil
}

// complete are arguments with one member as it was understood: what is approved says
// which record is meant.
func complete(raw json.RawMessage, name, value string) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	m[name] = model.JSON(value)
	return model.JSON(m)
}
