package record

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// Practitioner is a person who gives care.
type Practitioner struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Active    bool     `json:"active"` // true unless the record says otherwise
	Languages []string `json:"languages,omitempty"`
	// About is free text: approach, experience.
	About          string   `json:"about,omitempty"`
	Qualifications []string `json:"qualifications,omitempty"`
	// Places are the cities of the addresses in use.
	Places      []string `json:"places,omitempty"`
	identifiers []Link
}

// aboutURL is our own extension of Practitioner: a few sentences about them.
const aboutURL = "urn:holdpoint:about"

// PractitionerOf reads a Practitioner resource.
func PractitionerOf(r Record) (Practitioner, error) {
	n, err := read(r)
	p := Practitioner{ID: r.ID, Name: cmp.Or(fullName(n.at("name")), r.ID), Active: !n.at("active").no(), Languages: concepts(n.at("communication")),
		Places: cities(n.at("address"))}
	for _, q := range n.at("qualification").each() {
		if s := q.at("code").concept(); s != "" {
			p.Qualifications = append(p.Qualifications, s)
		}
	}
	for _, e := range n.at("extension").each() {
		if e.at("url").text() == aboutURL {
			p.About = e.at("valueString").text()
		}
	}
	for _, i := range n.at("identifier").each() {
		if v := i.at("value").text(); v != "" {
			p.identifiers = append(p.identifiers, Link{System: i.at("system").text(), Value: v})
		}
	}
	return p, err
}

// PractitionerRole is what a practitioner does, where.
type PractitionerRole struct {
	ID           string   `json:"id"`
	Active       bool     `json:"active"` // true unless the record says otherwise
	Practitioner Link     `json:"practitioner"`
	Organization Link     `json:"organization"`
	Locations    []Link   `json:"locations,omitempty"`
	Specialties  []string `json:"specialties,omitempty"`
	Codes        []string `json:"codes,omitempty"`
}

// PractitionerRoleOf reads a PractitionerRole resource.
func PractitionerRoleOf(r Record) (PractitionerRole, error) {
	n, err := read(r)
	return PractitionerRole{ID: r.ID, Active: !n.at("active").no(), Practitioner: linkOf(n.at("practitioner")), Organization: linkOf(n.at("organization")),
		Locations: linksOf(n.at("location")), Specialties: concepts(n.at("specialty")), Codes: concepts(n.at("code"))}, err
}

// Provider is a practitioner with the roles that the records give them.
type Provider struct {
	ID          string   `json:"id"` // of the Practitioner
	Name        string   `json:"name"`
	Specialties []string `json:"specialties"`
	Languages   []string `json:"languages,omitempty"`
	Places      []string `json:"places,omitempty"`
	// Modalities are the kinds of work that the roles name beside the specialties.
	Modalities []string `json:"modalities,omitempty"`
	// About is free text: approach, experience.
	About string `json:"about,omitempty"`
	// Roles are the ids of the PractitionerRoles; schedules may belong to either.
	Roles    []string `json:"roles,omitempty"`
	inactive bool
	// names are what references to the provider look like.
	names []Link
}

// Providers lists the active practitioners by name, with what their active roles
// add. A role names its practitioner by reference or by identifier.
func Providers(tx Tx) ([]Provider, error) {
	all, err := providers(tx, "")
	all = slices.DeleteFunc(all, func(p Provider) bool { return p.inactive })
	slices.SortFunc(all, func(a, b Provider) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return all, err
}

// provider finds one provider, active or not; an unknown one is ErrNotFound.
func provider(tx Tx, id string) (Provider, error) {
	all, err := providers(tx, id)
	if err != nil {
		return Provider{}, err
	}
	return all[0], nil
}

// providers joins practitioners and roles: of one practitioner, or of all for "".
func providers(tx Tx, only string) ([]Provider, error) {
	var list []Provider
	by := map[Link]int{} // a reference or an identifier → place in list
	take := func(r Record) (bool, error) {
		v, err := PractitionerOf(r)
		if err != nil {
			return false, err
		}
		names := append(v.identifiers, Link{Ref: r.Ref})
		for _, l := range names {
			by[l] = len(list)
		}
		list = append(list, Provider{ID: v.ID, Name: v.Name, Languages: v.Languages, Places: v.Places, About: v.About, inactive: !v.Active, names: names})
		return true, nil
	}
	if only != "" {
		r, err := tx.Record(Ref{"Practitioner", only})
		if err != nil {
			return nil, err
		}
		if _, err := take(r); err != nil {
			return nil, err
		}
	} else if err := tx.Records("Practitioner", "", take); err != nil {
		return nil, err
	}
	places := map[Ref][]string{}
	err := tx.Records("PractitionerRole", "", func(r Record) (bool, error) {
		v, err := PractitionerRoleOf(r)
		if err != nil || !v.Active {
			return true, err
		}
		k, ok := by[v.Practitioner.bare()]
		if !ok {
			return true, nil // a role of nobody we know
		}
		p := &list[k]
		p.Roles = append(p.Roles, r.ID)
		p.names = append(p.names, Link{Ref: r.Ref})
		for _, s := range v.Specialties {
			p.Specialties = addOnce(p.Specialties, s)
		}
		for _, s := range v.Codes {
			p.Modalities = addOnce(p.Modalities, s)
		}
		for _, l := range append(v.Locations, v.Organization) {
			p.Places = addOnce(p.Places, l.Display)
			where, known := places[l.Ref]
			if !known {
				var err error
				if where, err = citiesOf(tx, l.Ref); err != nil {
					return false, err
				}
				places[l.Ref] = where
			}
			for _, city := range where {
				p.Places = addOnce(p.Places, city)
			}
		}
		return true, nil
	})
	for k := range list {
		p := &list[k]
		if len(p.Specialties) == 0 {
			// Some sources say what a role does in its code alone.
			p.Specialties, p.Modalities = p.Modalities, nil
		}
		p.Modalities = slices.DeleteFunc(p.Modalities, func(s string) bool { return slices.Contains(p.Specialties, s) })
	}
	return list, err
}

// citiesOf are those of a place that is a record of its own; none for others.
func citiesOf(tx Tx, place Ref) ([]string, error) {
	if place.Type != "Location" && place.Type != "Organization" {
		return nil, nil
	}
	r, err := tx.Record(place)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := read(r)
	return cities(n.at("address")), err
}

// coordinates are the words by which roles say that they arrange care, with the spelling
// of several languages.
var coordinates = regexp.MustCompile(`(?i)\b(c|k)oordin|case manage|care manage|care navigat|patient navigat`)

// Coordinator says that a role of theirs is to arrange care rather than to give it.
func (p Provider) Coordinator() bool {
	return slices.ContainsFunc(slices.Concat(p.Specialties, p.Modalities), coordinates.MatchString)
}

func addOnce(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
