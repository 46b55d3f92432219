package filing

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/agents/filing/flaring"
	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// vectorFile is a file of worked examples: cases with their expected results, and the
// conventions that hold for all in meta.
type vectorFile struct {
	Meta struct {
		Coordinates string
		ToleranceFt float64 `json:"tolerance_ft"`
	}
	Spacing, Offsets, Flare, Edge []vector
}

type vector struct {
	ID        string
	Kind      string
	Tool      string
	Input     json.RawMessage
	Expected  json.RawMessage
	Tolerance float64 `json:"tolerance_relative"`
}

// vectors computes each case of a file and compares what came out with what is expected:
// every value that is expected must be there, distances within the file's tolerance.
func vectors(_ context.Context, f agent.VectorFile) ([]agent.Case, error) {
	var file vectorFile
	if err := json.Unmarshal(f.Body, &file); err != nil {
		return nil, fmt.Errorf("filing: the vectors cannot be read: %w", err)
	}
	c := &comparer{feet: file.Meta.ToleranceFt}
	if c.feet == 0 {
		c.feet = 0.5
	}
	datum := survey.Datum("")
	for _, d := range []survey.Datum{survey.NAD83, survey.NAD27, survey.WGS84} {
		if strings.Contains(file.Meta.Coordinates, string(d)) {
			datum = d
			break
		}
	}
	var out []agent.Case
	add := func(list []vector, got func(vector) any) {
		for _, v := range list {
			g := model.JSON(got(v))
			c.relative = v.Tolerance
			out = append(out, agent.Case{ID: v.ID, OK: c.holds(v.Expected, g), Expected: v.Expected, Got: g})
		}
	}
	add(file.Spacing, func(v vector) any { return assessVector(v.Input, datum) })
	add(file.Offsets, func(v vector) any { return offsetVector(f, v.Input, datum) })
	add(file.Flare, func(v vector) any { return flareVector(v.Kind, v.Input) })
	add(file.Edge, func(v vector) any { return edgeVector(f, v, datum) })
	if len(out) == 0 {
		return nil, errors.New("filing: there are no cases in the file: it takes lists named spacing, offsets, flare and edge")
	}
	return out, nil
}

// outcome is a result as the tools give it.
type outcome struct {
	Status  string   `json:"status"`
	Message string   `json:"message"`
	Missing []string `json:"missing,omitempty"`
	Result  any      `json:"result,omitempty"`
}

func failure(err error) outcome {
	var p *flaring.Problem
	if errors.As(err, &p) {
		return outcome{Status: p.Status, Message: p.Message, Missing: p.Names}
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		name := kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		return outcome{Status: spacing.Failed, Message: fmt.Sprintf("%s: a %s stands where a value of another kind is wanted; write numbers without quotes and units", name, kind.Value), Missing: []string{name}}
	}
	message := err.Error()
	for _, part := range []string{"filing: ", "survey: "} {
		message = strings.TrimPrefix(message, part)
	}
	return outcome{Status: spacing.Failed, Message: message}
}

// bareOr is a result without its wrapper, or the failure.
func bareOr[T any](v T, err error) any {
	if err != nil {
		return failure(err)
	}
	return v
}

func wrapped[T any](v T, err error) any {
	if err != nil {
		return failure(err)
	}
	return outcome{Status: spacing.OK, Result: v}
}

type boreVector struct {
	API        string
	Profile    string
	Datum      json.RawMessage
	Surface    json.RawMessage
	Location   json.RawMessage
	BottomHole json.RawMessage                        `json:"bottom_hole"`
	TakePoints *struct{ First, Last json.RawMessage } `json:"take_points"`

	SameLease     *bool `json:"same_lease"`
	SameReservoir *bool `json:"same_reservoir"`
	Status        string
}

// place reads coordinates; none, and null in their place, is nil.
func place(raw json.RawMessage) (*survey.Point, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var p survey.Point
	if err := json.Unmarshal(raw, &p); errors.Is(err, survey.ErrNoPlace) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &p, nil
}

// datumOr reads a datum; where none is said the usual one holds, and null is an unknown one.
func datumOr(raw json.RawMessage, usual survey.Datum) (survey.Datum, error) {
	if len(raw) == 0 {
		return usual, nil
	}
	var name string
	if err := json.Unmarshal(raw, &name); err != nil {
		return "", fmt.Errorf("the datum %s is not text", raw)
	}
	return survey.ParseDatum(name)
}

func (b boreVector) bore(usual survey.Datum) (out spacing.Bore, err error) {
	out = spacing.Bore{Profile: b.Profile, Datum: usual}
	if out.Datum, err = datumOr(b.Datum, usual); err != nil {
		return out, err
	}
	if out.Surface, err = place(b.Surface); err != nil {
		return out, err
	}
	if out.Surface == nil {
		if out.Surface, err = place(b.Location); err != nil {
			return out, err
		}
	}
	if out.Bottom, err = place(b.BottomHole); err != nil || b.TakePoints == nil {
		return out, err
	}
	first, err := place(b.TakePoints.First)
	if err != nil {
		return out, err
	}
	last, err := place(b.TakePoints.Last)
	if err == nil && first != nil && last != nil {
		out.TakePoints = []survey.Point{*first, *last}
	}
	return out, err
}

// assessVector assesses the spacing of a case.
func assessVector(raw json.RawMessage, usual survey.Datum) any {
	var v struct {
		Datum      json.RawMessage
		Well       boreVector
		Neighbours []boreVector
		Lease      json.RawMessage
		Limits     spacing.Limits `json:"limits_ft"`
		Conversion string         `json:"datum_conversion"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return failure(err)
	}
	usual, err := datumOr(v.Datum, usual)
	if err != nil {
		return failure(err)
	}
	in := spacing.Input{API: v.Well.API, Limits: v.Limits, Convert: v.Conversion == "estimate"}
	if in.Bore, err = v.Well.bore(usual); err != nil {
		return failure(err)
	}
	for _, n := range v.Neighbours {
		b, err := n.bore(usual)
		if err != nil {
			return failure(fmt.Errorf("%s: %w", n.API, err))
		}
		in.Neighbours = append(in.Neighbours, spacing.Neighbour{API: n.API, Bore: b, SameLease: n.SameLease, SameReservoir: n.SameReservoir, Status: n.Status})
	}
	if len(v.Lease) > 0 && string(v.Lease) != "null" {
		lease := &spacing.Lease{Datum: usual}
		var named struct{ Datum json.RawMessage }
		if err := json.Unmarshal(v.Lease, &named); err != nil {
			return failure(err)
		}
		if lease.Datum, err = datumOr(named.Datum, usual); err != nil {
			return failure(err)
		}
		if lease.Rings, err = survey.ParseRings(v.Lease); err != nil {
			return failure(err)
		}
		in.Lease = lease
	}
	return spacing.Assess(in)
}

// offsetVector finds the offset wells of a case in the table that it names, which lies
// beside the file, or else among the wells that were imported.
func offsetVector(f agent.VectorFile, raw json.RawMessage, usual survey.Datum) any {
	var v struct {
		Table   string
		Subject string  `json:"subject_api"`
		Radius  float64 `json:"radius_ft"`
		Point   string
		Datum   json.RawMessage
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return failure(err)
	}
	usual, err := datumOr(v.Datum, usual)
	if err != nil {
		return failure(err)
	}
	if v.Radius <= 0 {
		return outcome{Status: spacing.NeedsInput, Message: "the radius is missing; give it in feet", Missing: []string{"radius_ft"}}
	}
	number, err := api.Parse(v.Subject)
	if err != nil {
		return outcome{Status: spacing.Failed, Message: err.Error(), Missing: []string{v.Subject}}
	}
	all, err := candidates(f, v.Table, strings.Contains(v.Point, "bottom"), usual)
	if err != nil {
		return failure(err)
	}
	at := slices.IndexFunc(all, func(c spacing.Candidate) bool { return c.API == number.String() })
	if at < 0 {
		return outcome{Status: spacing.Failed, Message: "there is no well " + number.String() + " in " + v.Table, Missing: []string{v.Subject}}
	}
	if all[at].Place == nil {
		return outcome{Status: spacing.Failed, Message: "well " + number.String() + " has no coordinates", Missing: []string{"surface"}}
	}
	return spacing.FindOffsets(number.String(), *all[at].Place, usual, v.Radius, all)
}

// candidates reads a table of permits: of a well with several, the newest counts. bottom
// takes the bottom holes in the place of the surface locations.
func candidates(f agent.VectorFile, table string, bottom bool, d survey.Datum) ([]spacing.Candidate, error) {
	body, err := fs.ReadFile(f.Folder, table)
	if errors.Is(err, fs.ErrNotExist) || table == "" {
		var out []spacing.Candidate
		err := f.Records(func(tx record.Tx) (err error) { out, err = wells.Candidates(tx); return err })
		if err == nil && len(out) == 0 {
			err = fmt.Errorf("%s is not beside the file of vectors, and no wells are imported; put it there, or run holdpoint records import on its folder", table)
		}
		for i := range out {
			out[i].Datum = d // the file says what its coordinates are
		}
		return out, err
	}
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s cannot be read: %w", table, err)
	}
	col := map[string]int{}
	for i, name := range rows[0] {
		col[name] = i
	}
	lonName, latName := "surf_lon", "surf_lat"
	if bottom {
		lonName, latName = "bh_lon", "bh_lat"
	}
	for _, name := range []string{"api", "sequence", "operator_no", "operator_name", "lease_name", lonName, latName} {
		if _, ok := col[name]; !ok {
			return nil, fmt.Errorf("%s has no column %s", table, name)
		}
	}
	newest := map[string]int{}
	var out []spacing.Candidate
	sequences := map[string]int{}
	for _, row := range rows[1:] {
		c := spacing.Candidate{API: row[col["api"]], OperatorNo: row[col["operator_no"]], Operator: row[col["operator_name"]], Lease: row[col["lease_name"]], Datum: d}
		lon, err1 := strconv.ParseFloat(row[col[lonName]], 64)
		lat, err2 := strconv.ParseFloat(row[col[latName]], 64)
		if err1 == nil && err2 == nil {
			c.Place = &survey.Point{Lon: lon, Lat: lat}
		}
		sequence, err := strconv.Atoi(row[col["sequence"]])
		if err != nil {
			return nil, fmt.Errorf("%s: the sequence %q of %s is not a number", table, row[col["sequence"]], c.API)
		}
		at, seen := newest[c.API]
		switch {
		case !seen:
			newest[c.API], sequences[c.API] = len(out), sequence
			out = append(out, c)
		case sequence < sequences[c.API]:
			out[at], sequences[c.API] = c, sequence
		}
	}
	return out, nil
}

// flareVector computes a case of volumes or emissions, by its kind or, without one, by
// what its input has.
func flareVector(kind string, raw json.RawMessage) any {
	var v struct {
		flaring.Volumes
		Cases []struct {
			Unit  string
			Total float64 `json:"total_mcf"`
			Days  int
		}
		Completion string           `json:"initial_completion"`
		Days       []flaring.Day    `json:"days"`
		Granted    []flaring.Period `json:"granted_periods"`
		Requested  flaring.Period   `json:"requested"`
		Rate       *float64         `json:"requested_mcf_per_day"`
	}
	if kind == "co2e" {
		var e flaring.Emission
		if err := json.Unmarshal(raw, &e); err != nil {
			return failure(err)
		}
		return bareOr(flaring.Estimate(e))
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return failure(err)
	}
	switch {
	case kind == "threshold" || v.Cases != nil:
		list := []flaring.Threshold{}
		for _, c := range v.Cases {
			t, err := flaring.Compare(c.Unit, c.Total, c.Days)
			if err != nil {
				return failure(err)
			}
			list = append(list, t)
		}
		return map[string]any{"cases": list}
	case kind == "ten_producing_days" || v.Completion != "":
		return bareOr(flaring.AfterCompletion(v.Completion, v.Days))
	case kind == "cumulative_days" || v.Granted != nil || v.Requested.From != "":
		return bareOr(flaring.Accumulate(v.Granted, v.Requested, v.Rate))
	}
	return bareOr(flaring.Add(v.Volumes))
}

// edgeVector puts bad input to a tool.
func edgeVector(f agent.VectorFile, v vector, usual survey.Datum) any {
	switch v.Tool {
	case SpacingAssessment:
		return assessVector(v.Input, usual)
	case OffsetWellAnalysis:
		return offsetVector(f, v.Input, usual)
	case EntityResolve:
		var q struct{ Queries []string }
		if err := json.Unmarshal(v.Input, &q); err != nil {
			return failure(err)
		}
		return numbers(q.Queries)
	case EmissionsEstimate:
		var e flaring.Emission
		if err := json.Unmarshal(v.Input, &e); err != nil {
			return failure(err)
		}
		return wrapped(flaring.Estimate(e))
	case GasAnalysis:
		var g struct {
			Gas    flaring.Gas    `json:"mole_fractions"`
			Tariff flaring.Tariff `json:"tariff"`
			Water  *float64       `json:"water_lb_per_mmscf"`
			Ratio  *float64       `json:"gas_cf_per_bbl"`
		}
		if err := json.Unmarshal(v.Input, &g); err != nil {
			return failure(err)
		}
		return wrapped(flaring.Analyse(g.Gas, g.Tariff, g.Water, g.Ratio))
	}
	got := flareVector("", v.Input)
	if _, failed := got.(outcome); failed {
		return got
	}
	return outcome{Status: spacing.OK, Result: got}
}

// numbers reads API numbers: all of them must be some.
func numbers(queries []string) any {
	type read struct {
		Query  string `json:"query"`
		API    string `json:"api,omitempty"`
		Suffix string `json:"suffix,omitempty"`
		Error  string `json:"error,omitempty"`
	}
	out := struct {
		outcome
		Result  any    `json:"result,omitempty"`
		Results []read `json:"results"`
	}{outcome: outcome{Status: spacing.OK}}
	good := 0
	var why []string
	for _, q := range queries {
		n, err := api.Parse(q)
		r := read{Query: q}
		if err != nil {
			r.Error = strings.TrimPrefix(err.Error(), "api: ")
			out.Missing = append(out.Missing, q)
			why = append(why, r.Error)
		} else {
			r.API, r.Suffix = n.String(), n.Suffix
			good++
		}
		out.Results = append(out.Results, r)
	}
	same := func(a, b read) bool { return a.API == b.API && a.Suffix == b.Suffix }
	switch {
	case len(queries) == 0:
		out.Status, out.Message, out.Missing = spacing.NeedsInput, "no API number was given", []string{"queries"}
	case good == 0:
		out.Status, out.Message = spacing.Failed, strings.Join(why, "; ")
	case good < len(queries):
		out.Status, out.Message = spacing.NeedsInput, fmt.Sprintf("%d of %d are not API numbers: %s", len(queries)-good, len(queries), strings.Join(why, "; "))
	case len(slices.CompactFunc(slices.Clone(out.Results), same)) == 1:
		out.Result = map[string]string{"api": out.Results[0].API, "suffix": out.Results[0].Suffix}
		out.Message = "all of them name one well"
	}
	return out
}

// comparer compares what came out with what is expected.
type comparer struct{ feet, relative float64 }

// words are members whose text is for people; the status and the values decide.
var words = []string{"reason", "must_not", "note", "names"}

func (c *comparer) holds(expected, got json.RawMessage) bool {
	var e, g any
	if json.Unmarshal(expected, &e) != nil || json.Unmarshal(got, &g) != nil {
		return false
	}
	em, ok := e.(map[string]any)
	gm, ok2 := g.(map[string]any)
	if !ok || !ok2 {
		return false
	}
	// What must be named stands in what is missing or in the message.
	said, _ := json.Marshal([]any{gm["missing"], gm["message"]})
	if names, ok := em["names"].([]any); ok {
		for _, n := range names {
			if name, ok := n.(string); !ok || !bytes.Contains(said, []byte(name)) {
				return false
			}
		}
	}
	if em["reason"] != nil && (gm["message"] == nil || gm["message"] == "") {
		return false
	}
	return c.same("", e, g)
}

var reasonNames = []string{"counts", "different lease", "different reservoir"}

// byOrder says that a route leads to a final order after a hearing, whatever its words.
func byOrder(route string) bool {
	return strings.Contains(route, "final order") || strings.Contains(route, "after a hearing")
}

func (c *comparer) same(key string, expected, got any) bool {
	switch e := expected.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range e {
			if !slices.Contains(words, k) && !c.same(k, v, g[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(e) != len(g) {
			return false
		}
		for i := range e {
			if !c.same(key, e[i], g[i]) {
				return false
			}
		}
		return true
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(g-e) <= c.tolerance(key, e)
	case string:
		g, ok := got.(string)
		switch {
		case !ok:
			return false
		case key == "route":
			return byOrder(e) == byOrder(g)
		case key == "why":
			// Three reasons have names; any other is told in words of one's own.
			return e == g || !slices.Contains(reasonNames, e) && !slices.Contains(reasonNames, g)
		}
		return e == g
	}
	return expected == got
}

// tolerance of a value: distances by the file's, others by the case's share of them or
// by their last decimal.
func (c *comparer) tolerance(key string, v float64) float64 {
	switch {
	case strings.Contains(key, "_ft"):
		return c.feet
	case c.relative > 0:
		return math.Abs(v)*c.relative + 1e-12
	}
	return 0.0006
}
