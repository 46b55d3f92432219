package wells

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"holdpoint/engine/record"
)

// Kinds of lines in a file.
const (
	kindWells      = "wells"
	kindMonths     = "monthly flaring"
	kindExceptions = "flaring exceptions"
	kindLeases     = "leases"
	kindFields     = "fields"
	kindOperators  = "operators"
)

// field is something that a column may say, with the names that it goes by in files.
type field struct {
	name, about string
	also        []string
}

// fields are all that is read; the Commission's own names come first.
var fields = []field{
	{"api", "API number of the well", []string{"api_no", "api_number", "api10", "api_10", "api14", "api_14", "api_well_number", "uwi", "well_api"}},
	{"well_name", "name of the well", []string{"name", "well", "well_nm"}},
	{"well_no", "number of the well on its lease", []string{"well_number", "well_num", "well_nbr"}},
	{"status", "status, e.g. producing, plugged", []string{"well_status", "filing_status", "stat", "well_stat"}},
	{"profile", "vertical, horizontal or directional", []string{"well_profile", "trajectory", "wellbore_profile"}},
	{"operator_no", "P-5 number of the operator", []string{"operator_number", "p5", "p5_no", "operator_p5"}},
	{"operator_name", "name of the operator", []string{"operator", "company", "lease_operator", "oper", "oper_name", "operator_nm"}},
	{"operator_address", "address of the operator", []string{"address"}},
	{"operator_phone", "telephone number of the operator", []string{"phone"}},
	{"lease_name", "name of the lease or unit", []string{"lease", "unit_name", "unit", "lease_nm", "lse", "lse_name", "lse_nm"}},
	{"lease_number", "the Commission's number of the lease", []string{"lease_no", "rrc_lease", "rrc_id"}},
	{"oil_gas_code", "O for an oil lease, G for a gas well", []string{"well_class"}},
	{"district", "district of the Commission", []string{"lease_district", "rrc_district", "dist", "rrc_dist"}},
	{"county", "county", []string{"county_name", "cnty", "county_nm"}},
	{"county_code", "code of the county", []string{"county_no", "fips"}},
	{"acres", "acres of the lease or unit", []string{"lease_acres", "unit_acres", "ac", "lse_ac", "lease_ac"}},
	{"field_nos", "numbers of the fields, with semicolons", []string{"field_no", "field_number", "field_num", "fld_no", "fld_num"}},
	{"field_name", "name of the field", []string{"field", "reservoir", "fld", "fld_name", "field_nm"}},
	{"field_rule37", "whether Statewide Rule 37 governs the field, Y or N", nil},
	{"field_rule38", "whether Statewide Rule 38 governs the field, Y or N", nil},
	{"lease_line_ft", "the field's own distance to lease lines, feet", []string{"lease_spacing", "lease_line_spacing"}},
	{"between_wells_ft", "the field's own distance between wells, feet", []string{"well_spacing", "between_well_spacing"}},
	{"rule_source", "order or table that the field's rules are from", []string{"docket"}},
	{"surf_lon", "longitude of the surface location, degrees", []string{"longitude", "lon", "long", "x", "surface_longitude", "surface_lon", "wh_longitude"}},
	{"surf_lat", "latitude of the surface location, degrees", []string{"latitude", "lat", "y", "surface_latitude", "surface_lat", "wh_latitude"}},
	{"bh_lon", "longitude of the bottom hole", []string{"bottom_longitude", "bottomhole_longitude", "bh_longitude", "bhl_lon"}},
	{"bh_lat", "latitude of the bottom hole", []string{"bottom_latitude", "bottomhole_latitude", "bh_latitude", "bhl_lat"}},
	{"first_lon", "longitude of the first take point", []string{"ftp_lon", "first_take_point_lon"}},
	{"first_lat", "latitude of the first take point", []string{"ftp_lat", "first_take_point_lat"}},
	{"last_lon", "longitude of the last take point", []string{"ltp_lon", "last_take_point_lon"}},
	{"last_lat", "latitude of the last take point", []string{"ltp_lat", "last_take_point_lat"}},
	{"datum", "datum of the coordinates: NAD27, NAD83, WGS84", []string{"gps_datum", "horizontal_datum", "crs"}},
	{"permit_no", "number of the drilling permit", []string{"permit", "permit_number"}},
	{"sequence", "the permit's sequence: 99 original, 98 first amendment", nil},
	{"issued", "day on which the permit was issued", []string{"issue_date", "approved"}},
	{"amended", "day on which the permit was amended", nil},
	{"horizontal", "Y for a horizontal well", nil},
	{"directional", "Y for a directional well", nil},
	{"month", "month, YYYY-MM", []string{"cycle_year_month", "prod_month"}},
	{"flared_or_vented_mcf", "gas flared or vented, mcf", []string{"flared_mcf", "vented_or_flared_mcf"}},
	{"gas_produced_mcf", "gas produced, mcf", []string{"gas_mcf", "gas_production_mcf"}},
	{"filing_no", "number of the filing for an exception", []string{"filing_number", "exception_number"}},
	{"site_name", "name of the site", []string{"site", "facility_name"}},
	{"release_type", "Flare or Vent", nil},
	{"release_rate_mcf_day", "rate of release, mcf a day", []string{"release_rate"}},
	{"effective", "first day of the exception", []string{"effective_date"}},
	{"expires", "last day of the exception or permit", []string{"expiration_date", "expiry_date", "expiration"}},
	{"exception_reasons", "reasons of the filing, with semicolons", []string{"reasons"}},
	{"boundary_confirmed", "Y where the lines of the map are the lease's legal ones, which a person confirmed", []string{"lines_confirmed"}},
	{"boundary_accuracy_ft", "how exact the confirmed lines are, feet", nil},
	// The rest of a permit, as Form W-1 asks for it.
	{"application", "purpose of filing", nil}, {"total_depth_ft", "total depth, feet", []string{"total_depth", "td", "td_ft", "planned_td", "planned_td_ft", "proposed_td", "proposed_td_ft"}}, {"section", "section", nil}, {"block", "block", nil},
	{"survey", "survey", nil}, {"abstract", "abstract", nil},
	{"lease_ft_1", "first perpendicular to a lease line, feet", nil}, {"lease_dir_1", "its direction", nil},
	{"lease_ft_2", "second perpendicular to a lease line, feet", nil}, {"lease_dir_2", "its direction", nil},
	{"survey_ft_1", "first perpendicular to a survey line, feet", nil}, {"survey_dir_1", "its direction", nil},
	{"survey_ft_2", "second perpendicular to a survey line, feet", nil}, {"survey_dir_2", "its direction", nil},
	{"nearest_well_ft", "distance to the nearest well of the reservoir, feet", nil},
	{"pp_lease_ft_1", "penetration point to a lease line, feet", nil}, {"pp_lease_dir_1", "its direction", nil},
	{"pp_lease_ft_2", "penetration point to another lease line, feet", nil}, {"pp_lease_dir_2", "its direction", nil},
	{"term_lease_ft_1", "terminus to a lease line, feet", nil}, {"term_lease_dir_1", "its direction", nil},
	{"term_lease_ft_2", "terminus to another lease line, feet", nil}, {"term_lease_dir_2", "its direction", nil},
	{"field_well_types", "types of the well by field, with semicolons", nil}, {"npz", "Y with a no-perforation zone", nil}, {"rule36", "Y where Rule 36 (H2S) applies", nil},
	{"received", "day on which the application was received", nil},
}

// wholes ask what holds for all lines of a file, by field.
var wholes = map[string]*record.Whole{
	"datum": {Title: "Datum of the coordinates", Unsaid: "not known", Files: []string{".geojson"}, With: []string{"surf_lon", "surf_lat", "bh_lon", "bh_lat", "first_lon", "first_lat", "last_lon", "last_lat"},
		Choices: []record.WholeChoice{{Value: "NAD27", Title: "NAD27"}, {Value: "NAD83", Title: "NAD83"}, {Value: "WGS84", Title: "WGS84"}}},
	"boundary_confirmed": {Title: "Lines of the leases", Unsaid: "not confirmed: shown, and decide nothing", Files: []string{".geojson"}, Kinds: []string{kindLeases},
		Choices: []record.WholeChoice{{Value: "Y", Title: "I confirm: these are the legal lines"}}},
}

// ofPermit are the fields that a permit keeps by their names; of a well without one, the well.
var ofPermit = func() (names []string) {
	for i := slices.IndexFunc(fields, func(f field) bool { return f.name == "application" }); i < len(fields); i++ {
		names = append(names, fields[i].name)
	}
	return append(names, "acres")
}()

// needs are the fields that make a line one of a kind; the first kind that has all of its
// own is it.
var needs = []struct {
	kind string
	all  []string
}{
	{kindMonths, []string{"month", "flared_or_vented_mcf"}},
	{kindExceptions, []string{"filing_no", "release_rate_mcf_day"}},
	{kindWells, []string{"api"}},
	{kindLeases, []string{"lease_name"}},
	{kindFields, []string{"field_nos"}},
	{kindOperators, []string{"operator_name"}},
}

// kindOf is what a line is whose columns mean this; "" where they do not tell.
func kindOf(columns []record.Column) string {
	for _, n := range needs {
		if !slices.ContainsFunc(n.all, func(f string) bool {
			return !slices.ContainsFunc(columns, func(c record.Column) bool { return c.Field == f })
		}) {
			return n.kind
		}
	}
	return ""
}

// plain is a column's name as it is compared: # stands for number.
func plain(s string) string {
	return strings.ReplaceAll(record.FoldName(strings.ReplaceAll(s, "#", " no ")), " ", "_")
}

func fieldOf(column string) string {
	name := plain(column)
	for _, f := range fields {
		if f.name == name || slices.Contains(f.also, name) {
			return f.name
		}
	}
	return ""
}

// mapping proposes what the columns of a file mean. Coordinates have the datum that the
// source is known for: the Commission plots its permits in NAD27 (manual OGA049M), and
// the survey polygons of its leases lie in the same.
func mapping(columns []string) record.Mapping {
	sum := sha256.Sum256([]byte(strings.Join(columns, "\x1f")))
	m := record.Mapping{Source: hex.EncodeToString(sum[:6]), Set: map[string]string{}}
	have := map[string]bool{}
	for _, c := range columns {
		f := fieldOf(c)
		if have[f] {
			f = "" // the first column of a meaning has it
		}
		have[f] = true
		m.Columns = append(m.Columns, record.Column{Name: c, Field: f})
	}
	// In a table without wells, a name is a lease's.
	if i := slices.IndexFunc(m.Columns, func(c record.Column) bool { return plain(c.Name) == "name" }); i >= 0 && have["well_name"] && !have["api"] && !have["lease_name"] && !have["permit_no"] && !have["field_nos"] {
		m.Columns[i].Field, have["well_name"], have["lease_name"] = "lease_name", false, true
	}
	for _, n := range needs {
		m.Kinds = append(m.Kinds, n.kind)
	}
	m.Kind = kindOf(m.Columns)
	m.KindOf = kindOf
	for _, f := range fields {
		m.Fields = append(m.Fields, record.Field{Name: f.name, About: f.about, Whole: wholes[f.name]})
	}
	commission := have["permit_no"] && have["sequence"] || slices.Contains(columns, "survey_count")
	if commission && !have["datum"] {
		m.Set["datum"] = "NAD27"
	}
	return m
}
