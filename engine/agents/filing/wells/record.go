package wells

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// Types of records.
const (
	WellType      = "Well"
	LeaseType     = "Lease"
	FieldType     = "Field"
	OperatorType  = "Operator"
	PermitType    = "Permit"
	ExceptionType = "FlaringException"
	MonthType     = "MonthlyFlaring"
)

// Link names another record.
type Link struct {
	Reference string `json:"reference"`
	Display   string `json:"display,omitempty"`
}

func linkTo(typ, id, display string) *Link { return &Link{typ + "/" + id, display} }

// Ref is the record that a link names.
func (l *Link) Ref() record.Ref {
	if l == nil {
		return record.Ref{}
	}
	ref, _ := record.ParseRef(l.Reference) // stays empty for what is none
	return ref
}

// Place is a point with its datum; "" is unknown.
type Place struct {
	Lon   float64      `json:"lon"`
	Lat   float64      `json:"lat"`
	Datum survey.Datum `json:"datum"`
}

// Point is the place without its datum.
func (p *Place) Point() *survey.Point {
	if p == nil {
		return nil
	}
	return &survey.Point{Lon: p.Lon, Lat: p.Lat}
}

// PlaceOf is a place that somebody wrote.
func PlaceOf(lon, lat float64, datum string) (Place, error) {
	d, err := survey.ParseDatum(datum)
	if err != nil {
		return Place{}, trimmed(err)
	}
	p := Place{lon, lat, d}
	if err := p.Point().Check(); err != nil {
		return Place{}, trimmed(err)
	}
	return p, nil
}

// Source says where a record's values come from.
type Source struct {
	// Name is the file's, or "a person".
	Name string `json:"name"`
	// Permit and Sequence are those of a drilling permit.
	Permit   string `json:"permit,omitempty"`
	Sequence string `json:"sequence,omitempty"`
	// Rank orders sources by age: the greater one is the newer.
	Rank string `json:"rank,omitempty"`
}

func (s Source) String() string {
	if s.Permit != "" {
		return fmt.Sprintf("%s, permit %s (sequence %s)", s.Name, s.Permit, s.Sequence)
	}
	return s.Name
}

// Well is one well.
type Well struct {
	ResourceType string   `json:"resourceType"`
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Alias        []string `json:"alias,omitempty"`
	API          string   `json:"api"`
	WellNo       string   `json:"well_no,omitempty"`
	District     string   `json:"district,omitempty"`
	County       string   `json:"county,omitempty"`
	// Profile is vertical, horizontal or directional; Status e.g. permitted, producing,
	// plugged.
	Profile    string  `json:"profile,omitempty"`
	Status     string  `json:"status,omitempty"`
	Operator   *Link   `json:"operator,omitempty"`
	Lease      *Link   `json:"lease,omitempty"`
	Fields     []*Link `json:"field,omitempty"`
	Surface    *Place  `json:"surface,omitempty"`
	Bottom     *Place  `json:"bottom_hole,omitempty"`
	FirstPoint *Place  `json:"first_take_point,omitempty"`
	LastPoint  *Place  `json:"last_take_point,omitempty"`

	Source Source `json:"source"`
	// Corrected names the members that a person set, with the call that was approved:
	// imports leave them alone.
	Corrected map[string]string `json:"corrected,omitempty"`
	Other     map[string]string `json:"other,omitempty"`
}

// Lease is a lease or pooled unit.
type Lease struct {
	ResourceType string            `json:"resourceType"`
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Alias        []string          `json:"alias,omitempty"`
	District     string            `json:"district,omitempty"`
	Number       string            `json:"number,omitempty"`
	Code         string            `json:"oil_gas_code,omitempty"` // O or G
	Acres        float64           `json:"acres,omitempty"`
	Operator     *Link             `json:"operator,omitempty"`
	Boundary     *Boundary         `json:"boundary,omitempty"`
	Source       Source            `json:"source"`
	Corrected    map[string]string `json:"corrected,omitempty"`
	Other        map[string]string `json:"other,omitempty"`
}

// Boundary are the lines of a lease as they are known.
type Boundary struct {
	Geometry json.RawMessage `json:"geometry"` // GeoJSON Polygon
	Datum    survey.Datum    `json:"datum"`
	// Confirmed says that a person confirmed that these are the lease's lines, AccuracyFt
	// how exact they are then. Others are shown and decide nothing.
	Confirmed  bool    `json:"confirmed"`
	AccuracyFt float64 `json:"accuracy_ft,omitempty"`
	Source     string  `json:"source,omitempty"`
}

// Field is a field or reservoir, with its own spacing rules where it has some.
type Field struct {
	ResourceType string   `json:"resourceType"`
	ID           string   `json:"id"`
	Name         string   `json:"name,omitempty"`
	Alias        []string `json:"alias,omitempty"`
	// Statewide37 and Statewide38 say whether Statewide Rules 37 and 38 govern it, as the
	// permits have it; nil where none says.
	Statewide37 *bool `json:"statewide_rule37,omitempty"`
	Statewide38 *bool `json:"statewide_rule38,omitempty"`
	// LeaseLineFt and BetweenWellsFt are the field's own rules, in US survey feet; nil where one
	// is not known, 0 where the rule asks for none. RuleSource names the order.
	LeaseLineFt    *float64          `json:"lease_line_ft,omitempty"`
	BetweenWellsFt *float64          `json:"between_wells_ft,omitempty"`
	RuleSource     string            `json:"rule_source,omitempty"`
	Source         Source            `json:"source"`
	Corrected      map[string]string `json:"corrected,omitempty"`
	Other          map[string]string `json:"other,omitempty"`
}

// Operator is who runs wells.
type Operator struct {
	ResourceType string            `json:"resourceType"`
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Alias        []string          `json:"alias,omitempty"`
	Number       string            `json:"number,omitempty"` // P-5
	Address      string            `json:"address,omitempty"`
	Phone        string            `json:"phone,omitempty"`
	Source       Source            `json:"source"`
	Corrected    map[string]string `json:"corrected,omitempty"`
	Other        map[string]string `json:"other,omitempty"`
}

// Permit is an application as it was approved: the columns of its line.
type Permit struct {
	ResourceType string            `json:"resourceType"`
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Well         *Link             `json:"well"`
	Values       map[string]string `json:"values"`
	Source       Source            `json:"source"`
}

// Exception is a filing for an exception to the flaring rule, at one flare or vent.
type Exception struct {
	ResourceType string            `json:"resourceType"`
	ID           string            `json:"id"`
	Name         string            `json:"name"` // site
	Filing       string            `json:"filing_no"`
	Release      string            `json:"release_type,omitempty"`
	District     string            `json:"district,omitempty"`
	County       string            `json:"county,omitempty"`
	Status       string            `json:"status,omitempty"`
	Effective    string            `json:"effective,omitempty"`
	Expires      string            `json:"expires,omitempty"`
	Rate         float64           `json:"release_rate_mcf_day"`
	Reasons      string            `json:"exception_reasons,omitempty"`
	Operator     *Link             `json:"operator,omitempty"`
	Place        *Place            `json:"place,omitempty"`
	Source       Source            `json:"source"`
	Other        map[string]string `json:"other,omitempty"`
}

// Month is what a lease flared or vented in a month, and produced, mcf.
type Month struct {
	ResourceType string            `json:"resourceType"`
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Month        string            `json:"month"` // YYYY-MM
	Flared       float64           `json:"flared_or_vented_mcf"`
	Produced     float64           `json:"gas_produced_mcf"`
	Lease        *Link             `json:"lease"`
	Source       Source            `json:"source"`
	Other        map[string]string `json:"other,omitempty"`
}

// longest is the longest name that is an id as it is: a number may be put behind it.
const longest = 50

// slug is a name as an id: small letters, digits and dashes, at most 64; a longer one ends
// with a part of its hash.
func slug(parts ...string) string {
	s := strings.ReplaceAll(record.FoldName(strings.Join(parts, " ")), " ", "-")
	ascii := strings.Map(func(r rune) rune {
		if r > 126 {
			return -1
		}
		return r
	}, s)
	if len(ascii) > longest || ascii != s || ascii == "" {
		sum := sha256.Sum256([]byte(s))
		ascii = strings.Trim(ascii[:min(len(ascii), 40)]+"-"+hex.EncodeToString(sum[:6]), "-")
	}
	return ascii
}

// read reads a record of a type into its struct.
func read[T any](tx record.Tx, ref record.Ref) (v T, err error) {
	r, err := tx.Record(ref)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(r.Resource, &v); err != nil {
		return v, fmt.Errorf("filing: %s cannot be read: %w", ref, err)
	}
	return v, nil
}

// find is read, with false for a record that is not there.
func find[T any](tx record.Tx, ref record.Ref) (v T, ok bool, err error) {
	v, err = read[T](tx, ref)
	if errors.Is(err, record.ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

// ReadWell reads a well.
func ReadWell(tx record.Tx, id string) (Well, error) {
	return read[Well](tx, record.Ref{Type: WellType, ID: id})
}

// ReadLease reads a lease; ok is false where there is none.
func ReadLease(tx record.Tx, l *Link) (Lease, bool, error) { return find[Lease](tx, l.Ref()) }

// ReadField reads a field; ok is false where there is none.
func ReadField(tx record.Tx, l *Link) (Field, bool, error) { return find[Field](tx, l.Ref()) }

// ReadOperator reads an operator; ok is false where there is none.
func ReadOperator(tx record.Tx, l *Link) (Operator, bool, error) { return find[Operator](tx, l.Ref()) }

// PermitOf is the newest permit of a well; ok is false where there is none.
func PermitOf(tx record.Tx, well string) (newest Permit, ok bool, err error) {
	err = about(tx, record.Ref{Type: WellType, ID: well}, PermitType, func(p Permit) {
		if !ok || p.Source.Rank > newest.Source.Rank {
			newest, ok = p, true
		}
	})
	return newest, ok, err
}

// about reads all records of a type that refer to another.
func about[T any](tx record.Tx, to record.Ref, typ string, each func(T)) error {
	return tx.RecordsAbout(to, typ, func(r record.Record) (bool, error) {
		var v T
		if err := json.Unmarshal(r.Resource, &v); err != nil {
			return false, fmt.Errorf("filing: %s cannot be read: %w", r.Ref, err)
		}
		each(v)
		return true, nil
	})
}

// WellsOf are the wells of a lease.
func WellsOf(tx record.Tx, lease record.Ref) (out []Well, err error) {
	err = about(tx, lease, WellType, func(w Well) { out = append(out, w) })
	return out, err
}

// MonthsOf are the monthly volumes of a lease, by month.
func MonthsOf(tx record.Tx, lease record.Ref) (out []Month, err error) {
	err = about(tx, lease, MonthType, func(m Month) { out = append(out, m) })
	return out, err
}

// ExceptionsOf are the exceptions of an operator.
func ExceptionsOf(tx record.Tx, operator record.Ref) (out []Exception, err error) {
	err = about(tx, operator, ExceptionType, func(e Exception) { out = append(out, e) })
	return out, err
}

// Bore is where a well is, for measuring. ok is false where its places are of two datums.
func (w Well) Bore() (b spacing.Bore, ok bool) {
	b = spacing.Bore{Profile: cmp.Or(w.Profile, spacing.Vertical)}
	set := false
	ok = true
	for _, p := range []*Place{w.Surface, w.Bottom, w.FirstPoint, w.LastPoint} {
		if p == nil {
			continue
		}
		ok = ok && (!set || b.Datum == p.Datum)
		b.Datum, set = p.Datum, true
	}
	b.Surface, b.Bottom = w.Surface.Point(), w.Bottom.Point()
	if w.FirstPoint != nil && w.LastPoint != nil {
		b.TakePoints = []survey.Point{*w.FirstPoint.Point(), *w.LastPoint.Point()}
	}
	return b, ok
}

// Candidates are all wells, for looking for offsets.
func Candidates(tx record.Tx) (out []spacing.Candidate, err error) {
	operators := map[string]string{}
	err = tx.Records(OperatorType, "", func(r record.Record) (bool, error) {
		var o Operator
		if err := json.Unmarshal(r.Resource, &o); err != nil {
			return false, fmt.Errorf("filing: %s cannot be read: %w", r.Ref, err)
		}
		operators[o.ID] = o.Number
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	err = tx.Records(WellType, "", func(r record.Record) (bool, error) {
		var w Well
		if json.Unmarshal(r.Resource, &w) != nil {
			return true, nil // another agent's well: it has no place that is known here
		}
		c := spacing.Candidate{API: w.ID, Place: w.Surface.Point(), OperatorNo: operators[w.Operator.Ref().ID]}
		if w.Surface != nil {
			c.Datum = w.Surface.Datum
		}
		if w.Operator != nil {
			c.Operator = w.Operator.Display
		}
		if w.Lease != nil {
			c.Lease = w.Lease.Display
		}
		out = append(out, c)
		return true, nil
	})
	return out, err
}

// Describe gives a record of any of the types its title and a line below it.
func Describe(r record.Record, _ time.Time) (title, subtitle string) {
	var v struct {
		Name, API, District, County, Month, Status, Filing string
		Number, Profile                                    string
		Field                                              any
		Operator, Lease                                    *Link
		Flared                                             float64  `json:"flared_or_vented_mcf"`
		Produced                                           float64  `json:"gas_produced_mcf"`
		FilingNo                                           string   `json:"filing_no"`
		Release                                            string   `json:"release_type"`
		Rate                                               float64  `json:"release_rate_mcf_day"`
		LeaseLine                                          *float64 `json:"lease_line_ft"`
		Between                                            *float64 `json:"between_wells_ft"`
		Boundary                                           *Boundary
	}
	if json.Unmarshal(r.Resource, &v) != nil {
		return r.ID, ""
	}
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if v.Operator != nil {
		add("%s", v.Operator.Display)
	}
	switch r.Type {
	case WellType:
		if field, ok := v.Field.(string); ok && v.API == "" {
			add("%s", field) // a well of somebody else's file
		}
		if v.API != "" {
			add("API %s", v.API)
		}
		add("%s", v.County)
		add("%s", v.Profile)
		add("%s", v.Status)
	case LeaseType:
		if v.District != "" {
			add("district %s", v.District)
		}
		if v.Number != "" {
			add("lease %s", v.Number)
		}
		if v.Boundary != nil {
			add("%s", map[bool]string{true: "lines confirmed", false: "lines not confirmed"}[v.Boundary.Confirmed])
		}
	case FieldType:
		add("number %s", r.ID)
		if v.LeaseLine != nil || v.Between != nil {
			word := func(ft *float64) string {
				if ft == nil {
					return "not known"
				}
				return fmt.Sprintf("%v ft", *ft)
			}
			add("own spacing: %s and %s", word(v.LeaseLine), word(v.Between))
		}
	case OperatorType:
		if v.Number != "" {
			add("P-5 %s", v.Number)
		}
	case ExceptionType:
		add("filing %s", v.FilingNo)
		add("%s", v.Release)
		add("%v mcf a day", v.Rate)
		add("%s", v.Status)
	case MonthType:
		add("%v mcf flared or vented of %v produced", v.Flared, v.Produced)
	}
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return cmp.Or(v.Name, r.ID), strings.Join(kept, " · ")
}
