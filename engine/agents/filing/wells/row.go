package wells

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// row is a line of a file with its values by their fields.
type row struct {
	no    int
	v     map[string]string
	other map[string]string
	kind  string
}

// reader turns the lines of one file into records.
type reader struct {
	file string
	keep func(record.Line) error
	// seen are the lines of wells, leases and so on that had been there.
	seen map[string]int
	// ended is why the import ends.
	ended error
}

func bad(format string, args ...any) error { return fmt.Errorf(format, args...) }

// rowOf takes values by the mapping; what no field takes is kept by the column's name.
func rowOf(no int, m record.Mapping, value func(column int, name string) string) row {
	r := row{no: no, v: map[string]string{}, kind: m.Kind}
	for field, v := range m.Set {
		r.v[field] = v
	}
	for i, c := range m.Columns {
		v := strings.TrimSpace(value(i, c.Name))
		switch {
		case v == "":
		case c.Field != "":
			r.v[c.Field] = v
		default:
			if r.other == nil {
				r.other = map[string]string{}
			}
			r.other[c.Name] = v
		}
	}
	for _, field := range days {
		if iso := day(r.v[field]); iso != "" {
			r.v[field] = iso
		}
	}
	return r
}

// thousands is a number with commas between its thousands.
var thousands = regexp.MustCompile(`^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$`)

func (r row) number(field string) (float64, error) {
	s := r.v[field]
	if strings.Contains(s, ",") {
		if !thousands.MatchString(s) {
			return 0, bad("%s is %q; a comma stands between thousands only (1,250): write decimals with a point (12.5)", field, s)
		}
		s = strings.ReplaceAll(s, ",", "")
	}
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, bad("%s is %q, which is not a number", field, r.v[field])
	}
	if v > 1e12 {
		return 0, bad("%s is %s; it is far more than it can be", field, r.v[field])
	}
	if v < 0 && !strings.HasSuffix(field, "lon") && !strings.HasSuffix(field, "lat") {
		return 0, bad("%s is %s; it cannot be negative", field, r.v[field])
	}
	return v, nil
}

// errNowhere says that a place is 0, 0, which stands for none.
var errNowhere = trimmed(survey.Point{}.Check())

// place reads a pair of columns; nil where both are empty, and errNowhere where both are zero.
func (r row) place(of string) (*Place, error) {
	if r.v[of+"_lon"] == "" && r.v[of+"_lat"] == "" {
		return nil, nil
	}
	if r.v[of+"_lon"] == "" || r.v[of+"_lat"] == "" {
		return nil, bad("%s_lon or %s_lat is missing; a place has both", of, of)
	}
	lon, err := r.number(of + "_lon")
	if err != nil {
		return nil, err
	}
	lat, err := r.number(of + "_lat")
	if err != nil {
		return nil, err
	}
	if lon == 0 && lat == 0 {
		return nil, errNowhere
	}
	d, err := survey.ParseDatum(r.v["datum"])
	if err != nil {
		return nil, trimmed(err)
	}
	p := Place{lon, lat, d}
	if err := p.Point().Check(); err != nil {
		return nil, bad("the place %s_lon, %s_lat: %w", of, of, trimmed(err))
	}
	return &p, nil
}

// places reads pairs of columns into what they are of. Of one that stands for none a remark
// is told, and it stays nil.
func (rd *reader) places(r row, into map[string]**Place) error {
	var nowhere []string
	for _, of := range slices.Sorted(maps.Keys(into)) {
		p, err := r.place(of)
		if *into[of] = p; err == errNowhere {
			nowhere = append(nowhere, of+"_lon, "+of+"_lat")
		} else if err != nil {
			return err
		}
	}
	if nowhere == nil {
		return nil
	}
	return rd.remark(r, &record.Remark{Reason: fmt.Sprintf("the place %s: %v. The line was kept without it", strings.Join(nowhere, "; "), errNowhere)})
}

func trimmed(err error) error { return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "survey: ")) }

func yes(s string) *bool {
	var v bool
	switch strings.ToUpper(s) {
	case "Y", "YES", "TRUE", "T", "1", "X":
		v = true
	case "N", "NO", "FALSE", "F", "0":
	default:
		return nil
	}
	return &v
}

// days are the fields that say a day.
var days = []string{"issued", "amended", "received", "effective", "expires"}

// dayForms are how files write a day, the Commission's own second.
var dayForms = []string{time.DateOnly, "01/02/2006", "1/2/2006", "20060102", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05"}

// day is a day as YYYY-MM-DD; "" for what is none.
func day(s string) string {
	for _, form := range dayForms {
		if at, err := time.Parse(form, s); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return ""
}

// source is where the row's values come from. Permits order each other by the day of
// their last change and their sequence, which counts down.
func (r row) source(file string) Source {
	s := Source{Name: file, Permit: r.v["permit_no"], Sequence: r.v["sequence"]}
	if s.Permit != "" {
		sequence, err := strconv.Atoi(s.Sequence)
		if err != nil {
			sequence = 99
		}
		s.Rank = fmt.Sprintf("%10s/%03d/%s", max(day(r.v["issued"]), day(r.v["amended"])), 100-sequence, s.Permit)
	}
	return s
}

// take makes the records of a row.
func (rd *reader) take(r row) error {
	var err error
	switch r.kind {
	case kindWells:
		err = rd.well(r)
	case kindLeases:
		err = rd.leases(r, nil)
	case kindMonths:
		err = rd.month(r)
	case kindExceptions:
		err = rd.exception(r)
	case kindFields:
		err = rd.fields(r, true)
	case kindOperators:
		if r.v["operator_name"] == "" {
			err = bad("the operator has no name")
		} else {
			err = rd.operator(r)
		}
	default:
		err = bad("what the line is was not said")
	}
	return err
}

var kindTypes = map[string]string{kindWells: WellType, kindLeases: LeaseType, kindMonths: MonthType, kindExceptions: ExceptionType, kindFields: FieldType, kindOperators: OperatorType}

func newReader(file string, keep func(record.Line) error) *reader {
	rd := &reader{file: file, seen: map[string]int{}}
	rd.keep = func(l record.Line) error {
		rd.ended = keep(l)
		return rd.ended
	}
	return rd
}

// line reads a row; what is wrong with it is told, and reading goes on.
func (rd *reader) line(r row) error {
	err := rd.take(r)
	if err != nil && rd.ended == nil {
		err = rd.failed(r, err)
	}
	return err
}

// failed hands on what is wrong with a line.
func (rd *reader) failed(r row, err error) error {
	return rd.keep(record.Line{No: r.no, Type: kindTypes[r.kind], Err: err})
}

// remark hands on what there is to look at in a line that is read.
func (rd *reader) remark(r row, what *record.Remark) error {
	return rd.keep(record.Line{No: r.no, Type: kindTypes[r.kind], Remark: what})
}

// made hands on a record that is made of what is there.
func (rd *reader) made(r row, typ string, make func(tx record.Tx) (json.RawMessage, error)) error {
	return rd.keep(record.Line{No: r.no, Type: typ, Make: make})
}

// first says that something is seen for the first time in the file.
func (rd *reader) first(no int, parts ...string) bool {
	k := strings.Join(parts, "\x1f")
	if rd.seen[k] != 0 {
		return false
	}
	rd.seen[k] = no
	return true
}

func (rd *reader) operator(r row) error {
	name, number := r.v["operator_name"], r.v["operator_no"]
	if name == "" || !rd.first(r.no, OperatorType, name, number, r.v["operator_address"], r.v["operator_phone"]) {
		return nil
	}
	in := Operator{ResourceType: OperatorType, Name: name, Number: number, Address: r.v["operator_address"], Phone: r.v["operator_phone"], Source: Source{Name: rd.file}}
	if r.kind == kindOperators {
		in.Other = r.other
	}
	return rd.made(r, OperatorType, func(tx record.Tx) (json.RawMessage, error) {
		id, err := operatorID(tx, name, number)
		in.ID = id
		return merge(tx, in, record.Ref{Type: OperatorType, ID: id}, in.Source, false, err)
	})
}

// operatorID is made of the name; a second operator of the same name has its number behind.
func operatorID(tx record.Tx, name, number string) (string, error) {
	id := slug(name)
	o, ok, err := find[Operator](tx, record.Ref{Type: OperatorType, ID: id})
	if ok && number != "" && o.Number != "" && o.Number != number {
		id += "-" + slug(number)
	}
	return id, err
}

func operatorLink(tx record.Tx, r row) (*Link, error) {
	if r.v["operator_name"] == "" {
		return nil, nil
	}
	id, err := operatorID(tx, r.v["operator_name"], r.v["operator_no"])
	return linkTo(OperatorType, id, r.v["operator_name"]), err
}

// leaseID is made of district, name and operator; a second lease of the same has its
// number behind.
func leaseID(tx record.Tx, district, name, operator, number, code string) (string, error) {
	id := slug(district, name, operator)
	l, ok, err := find[Lease](tx, record.Ref{Type: LeaseType, ID: id})
	if ok && number != "" && l.Number != "" && l.Number != number {
		id += "-" + slug(number, code)
	}
	return id, err
}

// rowLease is the id of a row's lease. A row that does not say the district means the
// lease that its well is on, or the only one of the name and operator.
func rowLease(tx record.Tx, r row) (string, error) {
	name, operator := r.v["lease_name"], r.v["operator_name"]
	if r.v["district"] != "" || r.v["lease_number"] != "" {
		return numberedLease(tx, r)
	}
	if r.v["permit_no"] != "" {
		p, ok, err := find[Permit](tx, record.Ref{Type: PermitType, ID: slug(r.v["permit_no"], r.v["sequence"])})
		if err != nil {
			return "", err
		}
		if district := p.Values["district"]; ok && district != "" {
			return leaseID(tx, district, name, operator, "", "")
		}
	}
	folded := record.FoldName(name)
	if n, err := api.Parse(r.v["api"]); err == nil {
		w, _, err := find[Well](tx, record.Ref{Type: WellType, ID: n.String()})
		if err != nil {
			return "", err
		}
		if w.Lease != nil && record.FoldName(w.Lease.Display) == folded {
			return w.Lease.Ref().ID, nil
		}
	}
	who, err := operatorID(tx, operator, r.v["operator_no"])
	if err != nil {
		return "", err
	}
	var ids []string
	if err := tx.RecordNames(LeaseType, folded, func(found, id string) (bool, error) {
		if found != folded {
			return false, nil
		}
		ids = append(ids, id)
		return true, nil
	}); err != nil {
		return "", err
	}
	var fit []string
	for _, id := range ids {
		l, ok, err := find[Lease](tx, record.Ref{Type: LeaseType, ID: id})
		if err != nil {
			return "", err
		}
		if ok && (operator == "" || l.Operator.Ref().ID == who) {
			fit = append(fit, id)
		}
	}
	if len(fit) == 1 {
		return fit[0], nil
	}
	return slug(name, operator), nil
}

// numberedLease is the id of the lease of a row that says the district or the number. It is
// one that another source knows without them, as a map does, where there is no other.
func numberedLease(tx record.Tx, r row) (string, error) {
	name, operator := r.v["lease_name"], r.v["operator_name"]
	id, err := leaseID(tx, r.v["district"], name, operator, r.v["lease_number"], r.v["oil_gas_code"])
	if err != nil {
		return "", err
	}
	bare := slug(name, operator)
	if _, there, err := find[Lease](tx, record.Ref{Type: LeaseType, ID: id}); err != nil || there || id == bare {
		return id, err
	}
	l, there, err := find[Lease](tx, record.Ref{Type: LeaseType, ID: bare})
	same := func(has, says string) bool { return has == "" || says == "" || has == says }
	if err == nil && there && same(l.District, r.v["district"]) && same(l.Number, r.v["lease_number"]) {
		return bare, nil
	}
	return id, err
}

func leaseLink(tx record.Tx, r row) (*Link, error) {
	if r.v["lease_name"] == "" {
		return nil, nil
	}
	id, err := rowLease(tx, r)
	return linkTo(LeaseType, id, r.v["lease_name"]), err
}

// leases makes the lease of a row and its operator.
func (rd *reader) leases(r row, b *Boundary) error {
	if r.v["lease_name"] == "" {
		return bad("the lease has no name; say which column means lease_name")
	}
	if err := rd.operator(r); err != nil {
		return err
	}
	return rd.lease(r, b)
}

func (rd *reader) lease(r row, b *Boundary) error {
	if r.v["lease_name"] == "" {
		return nil
	}
	again := !rd.first(r.no, LeaseType, r.v["district"], r.v["lease_name"], r.v["operator_name"], r.v["lease_number"])
	if again && b == nil {
		return nil
	}
	acres, err := r.number("acres")
	if err != nil {
		return err
	}
	in := Lease{ResourceType: LeaseType, Name: r.v["lease_name"], District: r.v["district"], Number: r.v["lease_number"], Code: r.v["oil_gas_code"], Boundary: b, Source: Source{Name: rd.file}}
	if r.kind == kindLeases {
		in.Other = r.other
	}
	if r.v["permit_no"] == "" {
		in.Acres = acres // those of a permit are its unit's
	}
	return rd.made(r, LeaseType, func(tx record.Tx) (json.RawMessage, error) {
		id, err := rowLease(tx, r)
		if err != nil {
			return nil, err
		}
		in.ID = id
		if in.Operator, err = operatorLink(tx, r); err != nil {
			return nil, err
		}
		out, err := merge(tx, in, record.Ref{Type: LeaseType, ID: id}, in.Source, again, nil)
		return out, told(err, "lease "+in.Name)
	})
}

func list(s string) []string {
	var out []string
	for v := range strings.SplitSeq(s, ";") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// fieldID is a field's number.
func fieldID(number string) (string, error) {
	id := slug(number)
	if id == "" || len(id) > 20 {
		return "", bad("%q is not the number of a field", number)
	}
	return id, nil
}

// fields makes the fields of a row. whole says that the row is about the field.
func (rd *reader) fields(r row, whole bool) error {
	numbers, rule37, rule38 := list(r.v["field_nos"]), list(r.v["field_rule37"]), list(r.v["field_rule38"])
	if whole && len(numbers) == 0 {
		return bad("the field has no number")
	}
	line, err := r.number("lease_line_ft")
	if err != nil {
		return err
	}
	between, err := r.number("between_wells_ft")
	if err != nil {
		return err
	}
	for i, number := range numbers {
		id, err := fieldID(number)
		if err != nil {
			return err
		}
		in := Field{ResourceType: FieldType, ID: id, Source: r.source(rd.file)}
		if i < len(rule37) {
			in.Statewide37 = yes(rule37[i])
		}
		if i < len(rule38) {
			in.Statewide38 = yes(rule38[i])
		}
		if len(numbers) == 1 {
			in.Name, in.RuleSource = r.v["field_name"], r.v["rule_source"]
			if r.v["lease_line_ft"] != "" {
				in.LeaseLineFt = &line
			}
			if r.v["between_wells_ft"] != "" {
				in.BetweenWellsFt = &between
			}
		}
		if (in.LeaseLineFt != nil || in.BetweenWellsFt != nil) && in.RuleSource == "" {
			in.RuleSource = "field rules from " + rd.file
		}
		if whole {
			in.Other = r.other
		}
		if !rd.first(r.no, FieldType, string(model.JSON(in.Statewide37)), string(model.JSON(in.Statewide38)), id, in.Name) {
			continue
		}
		if err := rd.made(r, FieldType, func(tx record.Tx) (json.RawMessage, error) {
			return merge(tx, in, record.Ref{Type: FieldType, ID: id}, in.Source, false, nil)
		}); err != nil {
			return err
		}
	}
	return nil
}

// measures are the columns of a line about a well that must be numbers.
var measures = []string{"total_depth_ft", "acres", "lease_ft_1", "lease_ft_2", "survey_ft_1", "survey_ft_2", "nearest_well_ft", "pp_lease_ft_1", "pp_lease_ft_2", "term_lease_ft_1", "term_lease_ft_2"}

// well makes the records of a line about a well.
func (rd *reader) well(r row) error {
	n, err := api.Parse(r.v["api"])
	if err != nil {
		return bad("%s", strings.TrimPrefix(err.Error(), "api: "))
	}
	in := Well{ResourceType: WellType, ID: n.String(), API: n.String(), WellNo: r.v["well_no"], District: r.v["district"], County: r.v["county"],
		Name: r.v["well_name"], Profile: strings.ToLower(r.v["profile"]), Status: r.v["status"], Source: r.source(rd.file), Other: r.other}
	if in.Name == "" {
		in.Name = strings.TrimSpace(r.v["lease_name"] + " " + r.v["well_no"])
	}
	for _, f := range measures {
		if _, err := r.number(f); err != nil {
			return err
		}
	}
	horizontal, directional := yes(r.v["horizontal"]), yes(r.v["directional"])
	switch {
	case in.Profile != "":
	case horizontal != nil && *horizontal:
		in.Profile = "horizontal"
	case directional != nil && *directional:
		in.Profile = "directional"
	case horizontal != nil || directional != nil:
		in.Profile = "vertical"
	}
	if in.Status == "" && in.Source.Permit != "" {
		in.Status = "permitted"
	}
	if err := rd.places(r, map[string]**Place{"surf": &in.Surface, "bh": &in.Bottom, "first": &in.FirstPoint, "last": &in.LastPoint}); err != nil {
		return err
	}
	for _, field := range []string{"issued", "amended"} {
		if said := r.v[field]; said != "" && day(said) == "" && rd.first(r.no, field, said) {
			if err := rd.remark(r, &record.Remark{Reason: fmt.Sprintf("%s is %q, which is not a day known here, so that the permit counts as older than others; write it as YYYY-MM-DD", field, said)}); err != nil {
				return err
			}
		}
	}
	for _, field := range []string{"horizontal", "directional"} {
		if said := r.v[field]; said != "" && yes(said) == nil && rd.first(r.no, field, said) {
			if err := rd.remark(r, &record.Remark{Reason: fmt.Sprintf("%s is %q, which says neither yes nor no, so that the profile is not known; write Y or N", field, said)}); err != nil {
				return err
			}
		}
	}
	if !spacing.Known(in.Status) && rd.first(r.no, "status", in.Status) {
		if err := rd.remark(r, &record.Remark{Reason: fmt.Sprintf("the status %q is not known here, so that a well of it counts beside others as one that is there, in this and all other lines of the file. If it is none, write plugged or cancelled", in.Status)}); err != nil {
			return err
		}
	}
	for _, f := range list(r.v["field_nos"]) {
		id, err := fieldID(f)
		if err != nil {
			return err
		}
		in.Fields = append(in.Fields, linkTo(FieldType, id, r.v["field_name"]))
	}
	if err := rd.operator(r); err != nil {
		return err
	}
	if err := rd.fields(r, false); err != nil {
		return err
	}
	if err := rd.lease(r, nil); err != nil {
		return err
	}
	in.Other = maps.Clone(in.Other)
	if in.Source.Rank != "" {
		in.Other = nil // they are with the permit
	}
	for _, field := range ofPermit {
		if said := r.v[field]; said != "" && in.Source.Rank == "" {
			if in.Other == nil {
				in.Other = map[string]string{}
			}
			in.Other[field] = said
		}
	}
	// Maps of permits say no more than which it is.
	if in.Source.Rank != "" && r.v["issued"]+r.v["application"] != "" {
		if err := rd.permit(r, in); err != nil {
			return err
		}
	}
	again := !rd.first(r.no, WellType, in.ID)
	return rd.made(r, WellType, func(tx record.Tx) (json.RawMessage, error) {
		if in.Operator, err = operatorLink(tx, r); err != nil {
			return nil, err
		}
		if in.Lease, err = leaseLink(tx, r); err != nil {
			return nil, err
		}
		out, err := merge(tx, in, record.Ref{Type: WellType, ID: in.ID}, in.Source, again, nil)
		return out, told(err, "well "+in.ID)
	})
}

func (rd *reader) permit(r row, w Well) error {
	values := map[string]string{}
	for k, v := range r.v {
		values[k] = v
	}
	for k, v := range r.other {
		values[k] = v
	}
	p := Permit{ResourceType: PermitType, ID: slug(r.v["permit_no"], r.v["sequence"]), Name: "Permit " + r.v["permit_no"] + ", " + w.Name, Well: linkTo(WellType, w.ID, w.Name), Values: values, Source: w.Source}
	return rd.keep(record.Line{No: r.no, Type: PermitType, Resource: model.JSON(p)})
}

func (rd *reader) month(r row) error {
	flared, err := r.number("flared_or_vented_mcf")
	if err != nil {
		return err
	}
	produced, err := r.number("gas_produced_mcf")
	if err != nil {
		return err
	}
	if r.v["flared_or_vented_mcf"] == "" {
		return bad("flared_or_vented_mcf is empty; write 0 for a month without flaring, and leave a month that nobody reported out")
	}
	month := r.v["month"]
	if _, err := time.Parse("2006-01", month); err != nil {
		return bad("month is %q; write a month as YYYY-MM, such as 2024-09", month)
	}
	if err := rd.leases(r, nil); err != nil {
		return err
	}
	in := Month{ResourceType: MonthType, Name: r.v["lease_name"] + " " + month, Month: month, Flared: flared, Produced: produced, Source: Source{Name: rd.file}, Other: r.other}
	return rd.made(r, MonthType, func(tx record.Tx) (json.RawMessage, error) {
		if in.Lease, err = leaseLink(tx, r); err != nil {
			return nil, err
		}
		in.ID = slug(r.v["district"], r.v["lease_number"], r.v["oil_gas_code"], month)
		if r.v["lease_number"] == "" {
			in.ID = slug(in.Lease.Ref().ID, month)
		}
		raw, err := rd.once(tx, r, record.Ref{Type: MonthType, ID: in.ID}, model.JSON(in))
		if err == nil && r.v["gas_produced_mcf"] != "" && flared > produced {
			err = &record.Remark{Reason: fmt.Sprintf("%s mcf were flared or vented of %s mcf produced; look at the units and at the columns. The line was kept as it is", r.v["flared_or_vented_mcf"], r.v["gas_produced_mcf"])}
		}
		return raw, err
	})
}

func (rd *reader) exception(r row) error {
	rate, err := r.number("release_rate_mcf_day")
	if err != nil {
		return err
	}
	if r.v["filing_no"] == "" {
		return bad("the filing has no number")
	}
	in := Exception{ResourceType: ExceptionType, Name: r.v["site_name"], Filing: r.v["filing_no"], Release: r.v["release_type"], District: r.v["district"], County: r.v["county"],
		Status: r.v["status"], Effective: r.v["effective"], Expires: r.v["expires"], Rate: rate, Reasons: r.v["exception_reasons"], Source: Source{Name: rd.file}, Other: r.other}
	if err := rd.places(r, map[string]**Place{"surf": &in.Place}); err != nil {
		return err
	}
	// A filing has several flares or vents: what tells them apart is where and what they are.
	in.ID = slug(in.Filing, in.Name, in.Release, r.v["surf_lon"], r.v["surf_lat"], in.Effective)
	if err := rd.operator(r); err != nil {
		return err
	}
	return rd.made(r, ExceptionType, func(tx record.Tx) (json.RawMessage, error) {
		if in.Operator, err = operatorLink(tx, r); err != nil {
			return nil, err
		}
		return rd.once(tx, r, record.Ref{Type: ExceptionType, ID: in.ID}, model.JSON(in))
	})
}

// once is a record of which a file has one: a second line with other values is told, and
// the first stays.
func (rd *reader) once(tx record.Tx, r row, ref record.Ref, raw json.RawMessage) (json.RawMessage, error) {
	if rd.first(r.no, ref.Type, ref.ID) {
		return raw, nil
	}
	old, err := tx.Record(ref)
	if err == nil && !bytes.Equal(old.Resource, raw) {
		err = &record.Refusal{Reason: fmt.Sprintf("%s is on line %d with other values; correct one of them", ref, rd.seen[ref.Type+"\x1f"+ref.ID])}
	}
	return raw, err
}
