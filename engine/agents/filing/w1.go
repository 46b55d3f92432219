package filing

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"holdpoint/engine/agents/filing/spacing"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
)

// w1 puts an application for a permit to drill with a Rule 37 exception together: Form
// W-1 in its order, each value with where it is from.
func w1(tx record.Tx, o located, given []entry, assumed []assumption) (document, error) {
	d := document{Form: "W-1", Title: "Application for permit to drill, recomplete or re-enter, with a Rule 37 exception", Subject: o.Well + " " + o.Name,
		Layout: "Form W-1 in the order that public instructions and approved permits give; compare with the current form", Assumptions: assumed,
		Attachments: []string{"plat, certified by a registered surveyor or engineer", "fee", "certificate by someone who knows the facts (16 TAC 3.37(a)(2))",
			"names and addresses of affected persons, or their waivers", "current P-5 organization report on file", "P-16 acreage designation"}}
	w, p := o.well, o.permit.Values
	permit := o.permit.Source.String()
	own := "Well/" + w.ID + ", " + w.Source.String()
	if o.permit.ID == "" {
		p, permit = w.Other, own // what a list says of a well that nobody permitted yet
	}
	from := func(member, source string) string {
		if call := w.Corrected[member]; call != "" {
			return "Well/" + w.ID + ", entered by a person (approved call " + call + ")"
		}
		return source
	}
	operator, ok, err := wells.ReadOperator(tx, w.Operator)
	if err != nil {
		return d, err
	}
	who := "Operator/" + operator.ID + ", " + operator.Source.String()
	if !ok {
		who = ""
	}
	d.put("1", "operator number (P-5)", operator.Number, "", who)
	d.put("2", "operator name, as on P-5", operator.Name, "", who)
	d.put("3", "operator address", operator.Address, "", who)
	lease := ""
	if w.Lease != nil {
		lease = w.Lease.Display
	}
	d.put("4", "lease name", lease, "", from("lease", own)).Note = longName(lease)
	d.put("5", "well number", w.WellNo, "", from("well_no", own))
	d.put("6", "purpose of filing", p["application"], "", permit)
	d.put("7", "wellbore profile", o.recorded, "", from("profile", own)).check = isProfile
	d.put("8", "total depth", p["total_depth_ft"], "ft", permit)
	d.put("9", "right to develop minerals under a right of way", nil, "", "")
	d.put("10", "Rule 36 (H2S)", p["rule36"], "", permit)
	d.put("11", "district", w.District, "", from("district", own))
	d.put("12", "county", w.County, "", from("county", own))
	d.put("13", "API number", w.API, "", own).check = isWell
	d.put("14", "surface: land, bay or estuary, inland waterway, offshore", nil, "", "")
	d.put("15", "distance, direction and name of the nearest town", nil, "", "")
	d.put("16", "section", p["section"], "", permit)
	d.put("17", "block", p["block"], "", permit)
	d.put("18", "survey", p["survey"], "", permit)
	d.put("19", "abstract", p["abstract"], "", permit)
	// The plat governs; what coordinates say stands beside it.
	nearest := d.put("20", "distance to the nearest lease line", strings.TrimSuffix(p["lease_ft_1"], ".0"), "ft", permit)
	if a, b := p["lease_ft_1"], p["lease_ft_2"]; a != "" && b != "" {
		nearest.Value = lesser(a, b)
		nearest.Note = "the lesser of the two perpendiculars of the surface location"
	}
	if o.LeaseLineFt != nil {
		nearest.Note = strings.TrimPrefix(nearest.Note+"; from coordinates "+trimFloat(*o.LeaseLineFt)+" ft from the "+o.MeasuredFrom, "; ")
		if nearest.Status == missing {
			nearest.Value, nearest.Status, nearest.Source = *o.LeaseLineFt, filled, "computed from coordinates ("+o.Datum+", "+o.LeaseSource+"); the plat governs"
		}
	}
	d.put("21", "contiguous acres of the lease, pooled unit or unitized tract", p["acres"], "acres", permit)
	d.put("22", "lease perpendiculars", perpendiculars(p, "lease"), "", permit)
	d.put("23", "survey perpendiculars", perpendiculars(p, "survey"), "", permit)
	d.put("24", "pooled unit", nil, "", "")
	d.none("24a", "unitization docket", "only for a unitized tract")
	d.put("25", "substandard acreage", nil, "", "")
	for i, l := range w.Fields {
		f, ok, err := wells.ReadField(tx, l)
		if err != nil {
			return d, err
		}
		id := "26." + trimFloat(float64(i+1))
		source := "Field/" + l.Ref().ID
		if ok {
			source += ", " + f.Source.String()
		}
		d.put(id+".district", "field: district", w.District, "", own)
		d.put(id+".number", "field: number", l.Ref().ID, "", source)
		d.put(id+".name", "field: name", f.Name, "", source)
		d.put(id+".type", "field: well type", nth(p["field_well_types"], i), "", permit)
		d.put(id+".depth", "field: completion depth", nil, "ft", "")
		well := d.put(id+".nearest_well", "field: distance to the nearest well in this reservoir on the lease", strings.TrimSuffix(p["nearest_well_ft"], ".0"), "ft", permit)
		if n, unknown := nearestOf(o.Neighbours); n != nil {
			well.Note = "from coordinates " + trimFloat(*n.DistanceFt) + " ft to " + n.API
			if unknown != "" {
				well.Note += "; well " + unknown + " counts as well and has no coordinates, so it may be nearer"
			}
			if well.Status == missing && unknown == "" {
				well.Value, well.Status, well.Source = *n.DistanceFt, filled, "computed from coordinates ("+o.Datum+")"
			}
		}
		count := 1
		for _, n := range o.Neighbours {
			if n.Counts {
				count++
			}
		}
		d.put(id+".wells", "field: number of wells on the lease in this reservoir", count, "", "counted in the records, this well included").Note = "only the wells that were imported are counted"
	}
	if len(w.Fields) == 0 {
		d.put("26", "field: district, number, name, well type, completion depth", nil, "", "")
	}
	profile := w.Profile
	for _, e := range given {
		if e.Box == "7" {
			profile = profileOf(text(e.Value))
		}
	}
	if profile == spacing.Vertical {
		d.none("27", "bottom hole (W-1D, W-1H)", "a vertical well")
	} else {
		d.put("27.penetration", "penetration point: lease perpendiculars", perpendiculars(p, "pp_lease"), "", permit)
		d.put("27.terminus", "terminus: lease perpendiculars", perpendiculars(p, "term_lease"), "", permit)
		var bottom any
		if w.Bottom != nil {
			bottom = w.Bottom
		}
		d.put("27.bottom", "bottom hole: longitude and latitude", bottom, "", from("bottom_hole", own))
	}
	var surface any
	if w.Surface != nil {
		surface = w.Surface
	}
	d.put("28", "surface location: longitude and latitude, with datum", surface, "", from("surface", own))
	basis, rule := "", ""
	if o.Notice != nil {
		basis, rule = o.Notice.Basis+", tracts within "+trimFloat(o.Notice.RadiusFt)+" ft", o.Rule
	}
	if o.Exception != nil && *o.Exception {
		d.put("37", "Rule 37 exception: why it is needed", strings.Join(append(slices.Clone(o.AsFiledShort), tooShort(o.Violations)...), "; "), "", cmp.Or(o.AsFiledSource, rule)).Note = o.Message
		d.put("37.notice", "Rule 37 exception: who is to be notified", basis, "", "computed, 16 TAC 3.37(a)(2)")
		if err := d.affected(tx, o); err != nil {
			return d, err
		}
		d.put("37.basis", "Rule 37 exception: granted under (h)(2)(A) notice or (h)(2)(B) waivers", nil, "", "")
		d.put("37.cause", "Rule 37 exception: waste or confiscation", nil, "", "")
	} else {
		d.put("37", "Rule 37 exception: why it is needed", nil, "", "").Note = o.Message
	}
	d.put("40", "remarks", nil, "", "")
	d.put("41", "certificate: name", nil, "", "")
	d.put("42", "certificate: date", nil, "", "").check = isDay
	d.put("44", "certificate: e-mail", nil, "", "")
	d.put("43", "certificate: telephone", operator.Phone, "", who)
	d.Notes = o.Notes
	if err := d.fill(given); err != nil {
		return d, err
	}
	d.close()
	return d, nil
}

// affected puts in who is to be heard of an exception, and what has to be found out of that.
func (d *document) affected(tx record.Tx, o located) error {
	const tracts, others = "Rule 37 exception: tracts to be notified, with their operators", "Rule 37 exception: tracts to be notified that no record names"
	if o.Notice == nil {
		d.put("37.tracts", tracts, nil, "", "").Note = "within which distance follows from both limits of the field, and one of them is not known"
		return nil
	}
	h, err := affected(tx, o)
	if err != nil {
		return err
	}
	d.put("37.tracts", tracts, h.names, "", h.source).Note = "as far as the records say it"
	if h.open == "" {
		d.none("37.others", others, "the lines in the records cover all of the land")
		return nil
	}
	d.put("37.others", others, nil, "", "").Note = h.open
	return nil
}

// isProfile checks the profile of a well.
func isProfile(text string) error {
	if !slices.Contains([]string{spacing.Vertical, spacing.Horizontal, spacing.Directional, sidetrack}, profileOf(text)) {
		return errors.New("the profile is vertical, horizontal, directional or sidetrack")
	}
	return nil
}

// sidetrack is the profile of the form that says nothing of how a well is measured.
const sidetrack = "sidetrack"

func profileOf(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// longName warns of what the form's box does not hold.
func longName(s string) string {
	if len([]rune(s)) > 32 {
		return "longer than the 32 letters that the form takes"
	}
	return ""
}

// nth is one of a list with semicolons.
func nth(s string, i int) string {
	parts := strings.Split(s, ";")
	if i < len(parts) {
		return strings.TrimSpace(parts[i])
	}
	return ""
}

// perpendiculars are two distances with their directions.
func perpendiculars(p map[string]string, key string) (out []string) {
	for _, i := range []string{"1", "2"} {
		if ft := p[key+"_ft_"+i]; ft != "" {
			out = append(out, strings.TrimSpace(strings.TrimSuffix(ft, ".0")+" ft "+p[key+"_dir_"+i]))
		}
	}
	return out
}

// unknown is one that counts and has no distance.
func nearestOf(all []spacing.Seen) (best *spacing.Seen, unknown string) {
	for i, n := range all {
		if n.Counts && n.DistanceFt == nil {
			unknown = n.API
		}
		if n.Counts && n.DistanceFt != nil && (best == nil || *n.DistanceFt < *best.DistanceFt) {
			best = &all[i]
		}
	}
	return best, unknown
}

// tooShort are the distances that are too short, in words.
func tooShort(violations []string) (out []string) {
	for _, v := range violations {
		switch v {
		case spacing.LeaseLine:
			v = "distance to the nearest lease line"
		case spacing.BetweenWells:
			v = "distance between wells"
		}
		out = append(out, v)
	}
	return out
}
