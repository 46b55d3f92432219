package record

import (
	"cmp"
	"slices"
	"strings"
)

// Provider is a practitioner with the roles that the records give them.
type Provider struct {
	ID          string   `json:"id"` // of the Practitioner
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	Languages   []string `json:"languages,omitempty"`
	Places      []string `json:"places,omitempty"`
	// About is free text: approach, experience.
	About string `json:"about,omitempty"`
	// Roles are the ids of the PractitionerRoles; schedules may belong to either.
	Roles []string `json:"roles,omitempty"`
}

// aboutURL is our own extension of Practitioner: a few sentences about them.
const aboutURL = "urn:holdpoint:about"

type role struct {
	Practitioner struct {
		reference
		Identifier struct {
			Value string `json:"value"`
		} `json:"identifier"`
	} `json:"practitioner"`
	Specialty []concept   `json:"specialty"`
	Code      []concept   `json:"code"`
	Location  []reference `json:"location"`
}

// Providers lists all practitioners by name, with what their roles add. A role
// names its practitioner by reference or by identifier.
func Providers(tx Tx) ([]Provider, error) {
	var list []*Provider
	by := map[string]*Provider{}
	err := tx.Records("Practitioner", "", func(r Record) (bool, error) {
		var v struct {
			Name       []humanName `json:"name"`
			Identifier []struct {
				Value string `json:"value"`
			} `json:"identifier"`
			Communication []concept `json:"communication"`
			Qualification []struct {
				Code concept `json:"code"`
			} `json:"qualification"`
			Extension []struct {
				URL         string `json:"url"`
				ValueString string `json:"valueString"`
			} `json:"extension"`
		}
		if err := read(r, &v); err != nil {
			return false, err
		}
		p := &Provider{ID: r.ID, Name: cmp.Or(fullName(v.Name), r.ID)}
		for _, c := range v.Communication {
			p.Languages = append(p.Languages, c.String())
		}
		for _, e := range v.Extension {
			if e.URL == aboutURL {
				p.About = e.ValueString
			}
		}
		by["Practitioner/"+r.ID] = p
		for _, i := range v.Identifier {
			if i.Value != "" {
				by[i.Value] = p
			}
		}
		list = append(list, p)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	err = tx.Records("PractitionerRole", "", func(r Record) (bool, error) {
		var v role
		if err := read(r, &v); err != nil {
			return false, err
		}
		p := by[v.Practitioner.Identifier.Value]
		if typ, id := splitReference(v.Practitioner.Reference); typ == "Practitioner" {
			p = by["Practitioner/"+id]
		}
		if p == nil {
			return true, nil // a role of nobody we know
		}
		p.Roles = append(p.Roles, r.ID)
		for _, c := range slices.Concat(v.Specialty, v.Code) {
			if s := c.String(); s != "" && !slices.Contains(p.Specialties, s) {
				p.Specialties = append(p.Specialties, s)
			}
		}
		for _, l := range v.Location {
			if l.Display != "" && !slices.Contains(p.Places, l.Display) {
				p.Places = append(p.Places, l.Display)
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Provider, len(list))
	for i, p := range list {
		out[i] = *p
	}
	slices.SortFunc(out, func(a, b Provider) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return out, nil
}

// provider finds one provider; an unknown one is ErrNotFound.
func provider(tx Tx, id string) (Provider, error) {
	if _, err := tx.Record(Ref{"Practitioner", id}); err != nil {
		return Provider{}, err
	}
	all, err := Providers(tx)
	if err != nil {
		return Provider{}, err
	}
	return all[slices.IndexFunc(all, func(p Provider) bool { return p.ID == id })], nil
}
