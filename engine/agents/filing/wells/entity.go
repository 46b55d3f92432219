package wells

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// Entity is what a person or a model says of a well, a lease, a field or an operator.
// What is not given stays as it is.
type Entity struct {
	Type     string `json:"type,omitempty"`
	Name     string `json:"name,omitempty"`
	API      string `json:"api,omitempty"`
	Number   string `json:"number,omitempty"`
	District string `json:"district,omitempty"`
	County   string `json:"county,omitempty"`
	Status   string `json:"status,omitempty"`
	Profile  string `json:"profile,omitempty"`
	WellNo   string `json:"well_no,omitempty"`
	Code     string `json:"oil_gas_code,omitempty"`
	Address  string `json:"address,omitempty"`
	Phone    string `json:"phone,omitempty"`
	// Operator and Lease are names of those that a new well or lease belongs to.
	Operator string  `json:"operator,omitempty"`
	Lease    string  `json:"lease,omitempty"`
	Acres    float64 `json:"acres,omitempty"`
	// Places, with one datum for all of them.
	Surface    []float64 `json:"surface,omitempty"`
	BottomHole []float64 `json:"bottom_hole,omitempty"`
	FirstPoint []float64 `json:"first_take_point,omitempty"`
	LastPoint  []float64 `json:"last_take_point,omitempty"`
	Datum      string    `json:"datum,omitempty"`
	// Rules of a field.
	LeaseLineFt    *float64 `json:"lease_line_ft,omitempty"`
	BetweenWellsFt *float64 `json:"between_wells_ft,omitempty"`
	RuleSource     string   `json:"rule_source,omitempty"`
	// Boundary is a lease's, as GeoJSON; Confirmed says that it is the legal one, exact to
	// AccuracyFt.
	Boundary          json.RawMessage `json:"boundary,omitempty"`
	BoundaryConfirmed *bool           `json:"boundary_confirmed,omitempty"`
	AccuracyFt        float64         `json:"boundary_accuracy_ft,omitempty"`
}

// some is a number that was given; 0 stands for none.
func some(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

func refuse(format string, args ...any) error {
	return &record.Refusal{Reason: fmt.Sprintf(format, args...)}
}

// places puts the places that are given into members, with their datum.
func (e Entity) places(into map[string]any) error {
	for name, at := range map[string][]float64{"surface": e.Surface, "bottom_hole": e.BottomHole, "first_take_point": e.FirstPoint, "last_take_point": e.LastPoint} {
		if len(at) == 0 {
			continue
		}
		if len(at) != 2 {
			return refuse("%s is [longitude, latitude]", name)
		}
		d, err := survey.ParseDatum(e.Datum)
		if err != nil {
			return refuse("%s", trimmed(err))
		}
		if d == "" {
			return refuse("%s has no datum; say whether it is NAD27, NAD83 or WGS84", name)
		}
		p := Place{at[0], at[1], d}
		if err := p.Point().Check(); err != nil {
			return refuse("%s: %s", name, trimmed(err))
		}
		into[name] = p
	}
	return nil
}

// members are what is given, as members of the record. tx finds what names stand for.
func (e Entity) members(tx record.Tx, typ string) (map[string]any, error) {
	m := map[string]any{}
	text := func(name, v string, types ...string) error {
		if v == "" {
			return nil
		}
		if !slices.Contains(types, typ) {
			return refuse("a %s has no %s", typ, name)
		}
		m[name] = v
		return nil
	}
	number := func(name string, v *float64, typs string) error {
		if v == nil || *v == 0 && typ != typs {
			return nil // small models fill in what nobody asks for
		}
		if *v < 0 {
			return refuse("%s is %v; it cannot be negative", name, *v)
		}
		if typ != typs {
			return refuse("a %s has no %s", typ, name)
		}
		m[name] = *v
		return nil
	}
	err := errors.Join(text("name", e.Name, allTypes...), text("number", e.Number, LeaseType, OperatorType, FieldType), text("district", e.District, WellType, LeaseType),
		text("county", e.County, WellType), text("status", e.Status, WellType), text("profile", e.Profile, WellType), text("well_no", e.WellNo, WellType),
		text("oil_gas_code", e.Code, LeaseType), text("address", e.Address, OperatorType), text("phone", e.Phone, OperatorType), text("rule_source", e.RuleSource, FieldType),
		number("acres", some(e.Acres), LeaseType), number("lease_line_ft", e.LeaseLineFt, FieldType), number("between_wells_ft", e.BetweenWellsFt, FieldType))
	if err != nil {
		return nil, firstOf(err)
	}
	if (e.LeaseLineFt != nil || e.BetweenWellsFt != nil) && e.RuleSource == "" {
		return nil, refuse("limits need their source: the order or table that they are from (rule_source)")
	}
	if typ == WellType {
		if err := e.places(m); err != nil {
			return nil, err
		}
	} else if len(e.Surface)+len(e.BottomHole)+len(e.FirstPoint)+len(e.LastPoint) > 0 {
		return nil, refuse("a %s has no place; a well has", typ)
	}
	for name, l := range map[string]struct{ text, typ string }{"operator": {e.Operator, OperatorType}, "lease": {e.Lease, LeaseType}} {
		if l.text == "" {
			continue
		}
		if typ != WellType && (typ != LeaseType || name != "operator") {
			return nil, refuse("a %s has no %s", typ, name)
		}
		to, err := one(tx, l.text, l.typ)
		if err != nil {
			return nil, err
		}
		m[name] = to
	}
	return m, nil
}

// firstOf is the first of joined errors: one thing to correct at a time.
func firstOf(err error) error {
	var no *record.Refusal
	if errors.As(err, &no) {
		return no
	}
	return err
}

// one is the record that a name stands for, or a refusal that names who may be meant.
func one(tx record.Tx, text, typ string) (*Link, error) {
	r, err := Resolve(tx, Query{Text: text, Type: typ})
	if err != nil {
		return nil, err
	}
	if !r.Decisive {
		var names []string
		for _, c := range r.Candidates {
			names = append(names, c.Ref+" ("+c.Name+")")
		}
		reason := r.Message
		if len(names) > 0 {
			reason += ": " + strings.Join(names, "; ")
		}
		return nil, refuse("%s", reason)
	}
	ref, _ := record.ParseRef(r.Ref) // a resolution's ref is one
	return linkTo(ref.Type, ref.ID, r.Candidates[0].Name), nil
}

// Write is a record as it would be written.
type Write struct {
	Ref    record.Ref
	Before *record.Record
	After  json.RawMessage
	Title  string
}

// byPerson is the source of what somebody entered.
const byPerson = "entered by a person"

// Create works out a new record. Its id is made of what it is, so the same again is
// refused.
func Create(tx record.Tx, e Entity) (Write, error) {
	if !slices.Contains(allTypes, e.Type) {
		return Write{}, refuse("%q is none of %s", e.Type, strings.Join(allTypes, ", "))
	}
	m, err := e.members(tx, e.Type)
	if err != nil {
		return Write{}, err
	}
	var id string
	switch e.Type {
	case WellType:
		n, err := api.Parse(e.API)
		if err != nil {
			return Write{}, refuse("%s", strings.TrimPrefix(err.Error(), "api: "))
		}
		id = n.String()
		m["api"] = id
		if e.Name == "" {
			m["name"] = id
		}
	case FieldType:
		if id, err = fieldID(e.Number); e.Number == "" || err != nil {
			return Write{}, refuse("a field is known by its number; give it")
		}
		delete(m, "number")
	case OperatorType:
		if e.Name == "" {
			return Write{}, refuse("an operator is known by its name; give it as it stands on Form P-5")
		}
		id, err = operatorID(tx, e.Name, e.Number)
	case LeaseType:
		if e.Name == "" {
			return Write{}, refuse("a lease is known by its name, its district and its operator; give them")
		}
		operator := ""
		if l, ok := m["operator"].(*Link); ok {
			operator = l.Display
		}
		id, err = leaseID(tx, e.District, e.Name, operator, e.Number, e.Code)
	}
	if err != nil {
		return Write{}, err
	}
	ref := record.Ref{Type: e.Type, ID: id}
	if _, err := tx.Record(ref); err == nil {
		return Write{}, refuse("%s is there already; update it instead", ref)
	} else if !errors.Is(err, record.ErrNotFound) {
		return Write{}, err
	}
	if err := e.boundary(m, nil, e.Type); err != nil {
		return Write{}, err
	}
	m["resourceType"], m["id"], m["source"] = e.Type, id, Source{Name: byPerson}
	after, err := ordered(e.Type, m)
	name, _ := m["name"].(string)
	return Write{Ref: ref, After: after, Title: strings.TrimSpace(fmt.Sprintf("Create %s %s", ref, name))}, err
}

// boundary puts lines of a lease into the members.
func (e Entity) boundary(m map[string]any, old *Boundary, typ string) error {
	if len(e.Boundary) == 0 && e.BoundaryConfirmed == nil {
		return nil
	}
	if typ != LeaseType {
		return refuse("a %s has no boundary; a lease has", typ)
	}
	b := Boundary{}
	if old != nil {
		b = *old
	}
	if len(e.Boundary) > 0 {
		rings, err := survey.ParseRings(e.Boundary)
		if err != nil {
			return refuse("%s", trimmed(err))
		}
		d, err := survey.ParseDatum(e.Datum)
		if err != nil || d == "" {
			return refuse("the boundary has no datum; say whether it is NAD27, NAD83 or WGS84")
		}
		if err := rings.Check(d); err != nil {
			return refuse("%s", trimmed(err))
		}
		b = Boundary{Geometry: rings.MarshalGeometry(), Datum: d, Source: byPerson}
	}
	if e.BoundaryConfirmed != nil {
		if b.Geometry == nil {
			return refuse("the lease has no lines to confirm; give its boundary")
		}
		b.Confirmed, b.AccuracyFt = *e.BoundaryConfirmed, e.AccuracyFt
	}
	m["boundary"] = b
	return nil
}

// Update works out a change of a record. call is remembered beside each member: imports
// leave them alone from then on.
func Update(tx record.Tx, ref record.Ref, e Entity, call string) (Write, error) {
	if !slices.Contains(allTypes, ref.Type) {
		return Write{}, refuse("%s is none of %s", ref, strings.Join(allTypes, ", "))
	}
	if e.API != "" || ref.Type == FieldType && e.Number != "" {
		return Write{}, refuse("the number is what %s is known by; create another record instead", ref)
	}
	old, err := tx.Record(ref)
	if errors.Is(err, record.ErrNotFound) {
		return Write{}, refuse("there is no %s; create it, or say which is meant", ref)
	}
	if err != nil {
		return Write{}, err
	}
	m, err := e.members(tx, ref.Type)
	if err != nil {
		return Write{}, err
	}
	if ref.Type == LeaseType {
		l, err := read[Lease](tx, ref)
		if err != nil {
			return Write{}, err
		}
		if err := e.boundary(m, l.Boundary, ref.Type); err != nil {
			return Write{}, err
		}
	} else if err := e.boundary(m, nil, ref.Type); err != nil {
		return Write{}, err
	}
	if len(m) == 0 {
		return Write{}, refuse("nothing to change was given")
	}
	return change(old, m, call, "Change "+ref.String())
}

// change is a record with members replaced.
func change(old record.Record, members map[string]any, call, title string) (Write, error) {
	var was map[string]any
	var kept struct {
		Alias     []string
		Name      string
		Corrected map[string]string
	}
	if err := errors.Join(json.Unmarshal(old.Resource, &was), json.Unmarshal(old.Resource, &kept)); err != nil {
		return Write{}, refuse("%s has another form than this agent's records and was left as it is", old.Ref)
	}
	if kept.Corrected == nil {
		kept.Corrected = map[string]string{}
	}
	for name, v := range members {
		if name == "name" {
			was["alias"] = withAlias(kept.Alias, kept.Name)
		}
		was[name], kept.Corrected[name] = v, call
	}
	was["corrected"] = kept.Corrected
	after, err := ordered(old.Type, was)
	return Write{Ref: old.Ref, Before: &old, After: after, Title: title + ": " + strings.Join(slices.Sorted(maps.Keys(members)), ", ")}, err
}

// LinkEntities works out a link: of a well to its operator, lease or field, of a lease to
// its operator.
func LinkEntities(tx record.Tx, from, to record.Ref, call string) (Write, error) {
	member := map[[2]string]string{{WellType, OperatorType}: "operator", {WellType, LeaseType}: "lease", {WellType, FieldType}: "field", {LeaseType, OperatorType}: "operator"}[[2]string{from.Type, to.Type}]
	if member == "" {
		return Write{}, refuse("a %s is not linked to a %s; a well is to its operator, lease and field, a lease to its operator", from.Type, to.Type)
	}
	old, err := tx.Record(from)
	if errors.Is(err, record.ErrNotFound) {
		return Write{}, refuse("there is no %s", from)
	}
	if err != nil {
		return Write{}, err
	}
	target, err := tx.Record(to)
	if errors.Is(err, record.ErrNotFound) {
		return Write{}, refuse("there is no %s; create it first", to)
	}
	if err != nil {
		return Write{}, err
	}
	name, _ := Describe(target, target.UpdatedAt)
	link := linkTo(to.Type, to.ID, name)
	m := map[string]any{member: link}
	if member == "field" {
		w, err := read[Well](tx, from)
		if err != nil {
			return Write{}, err
		}
		for _, f := range w.Fields {
			if f.Reference == link.Reference {
				return Write{}, refuse("%s is linked to %s already", from, to)
			}
		}
		m[member] = append(w.Fields, link)
	}
	return change(old, m, call, fmt.Sprintf("Link %s to %s (%s)", from, to, name))
}

// ordered is a record with its members in the order of its type.
func ordered(typ string, m map[string]any) (json.RawMessage, error) {
	raw := model.JSON(m)
	into := map[string]any{WellType: &Well{}, LeaseType: &Lease{}, FieldType: &Field{}, OperatorType: &Operator{}}[typ]
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, refuse("the record would have another form: %v", err)
	}
	return model.JSON(into), nil
}
