package wells

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"holdpoint/engine/agents/filing/api"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// Ways in which a record was found.
const (
	byID       = "exact id"
	byName     = "name"
	bySimilar  = "similar name"
	byDistance = "distance"
)

// Query is what somebody calls a record.
type Query struct {
	Text string
	// Type bounds the search; "" is all four.
	Type string
	// Near orders wells by distance; with no text it finds those within Radius US survey feet.
	Near   *Place
	Radius float64
}

// Candidate is a record that may be meant.
type Candidate struct {
	Ref   string  `json:"ref"`
	Name  string  `json:"name"`
	About string  `json:"about,omitempty"`
	How   string  `json:"how"`
	Score float64 `json:"score"` // 0 to 1
	// DistanceFt is that from the place that was asked about.
	DistanceFt *float64 `json:"distance_ft_us,omitempty"`
}

// Resolution is what was found.
type Resolution struct {
	// Decisive says that Ref is meant; else one of the candidates may be, and somebody has
	// to say which.
	Decisive   bool        `json:"decisive"`
	Ref        string      `json:"ref,omitempty"`
	How        string      `json:"how,omitempty"`
	Message    string      `json:"message"`
	Candidates []Candidate `json:"candidates"`
}

// When a similar name decides, and how near the next best may come; what is less alike
// than leastAlike is not even named.
const (
	surelyAlike = 0.9
	clearMargin = 0.1
	leastAlike  = 0.6
	mostNamed   = 8
	// nearFt is the distance within which the only well is the one that is meant.
	nearFt = 50.0
)

var allTypes = []string{WellType, LeaseType, FieldType, OperatorType}

// Resolve finds what somebody calls a record: by its id or API number, by its name, by a
// similar name, by where it is.
func Resolve(tx record.Tx, q Query) (Resolution, error) {
	types := allTypes
	if q.Type != "" {
		if !slices.Contains(allTypes, q.Type) {
			return Resolution{}, fmt.Errorf("filing: %q is none of %s", q.Type, strings.Join(allTypes, ", "))
		}
		types = []string{q.Type}
	}
	text := strings.TrimSpace(q.Text)
	if text == "" && q.Near == nil {
		return Resolution{Message: "say what is looked for: a name, an API number, or a place", Candidates: []Candidate{}}, nil
	}
	if text == "" {
		return near(tx, q)
	}
	for _, find := range []func(record.Tx, string, []string, *Place) (Resolution, bool, error){exactly, named, alike} {
		r, found, err := find(tx, text, types, q.Near)
		if found || err != nil {
			return r, err
		}
	}
	return Resolution{Candidates: []Candidate{}, Message: fmt.Sprintf("there is no %s called %q and none with a similar name; import it, or create it", strings.ToLower(strings.Join(types, ", ")), text)}, nil
}

// candidate describes a record; false where it is gone.
func candidate(tx record.Tx, ref record.Ref, how string, score float64, near *Place) (Candidate, bool, error) {
	r, err := tx.Record(ref)
	if errors.Is(err, record.ErrNotFound) {
		return Candidate{}, false, nil
	}
	if err != nil {
		return Candidate{}, false, err
	}
	c := Candidate{Ref: ref.String(), How: how, Score: score}
	c.Name, c.About = Describe(r, r.UpdatedAt)
	if near != nil && ref.Type == WellType {
		if w, err := ReadWell(tx, ref.ID); err == nil && w.Surface != nil && w.Surface.Datum == near.Datum {
			ft := survey.Distance(near.Datum, *near.Point(), *w.Surface.Point())
			c.DistanceFt = &ft
		}
	}
	return c, true, nil
}

func decided(c Candidate) Resolution {
	return Resolution{Decisive: true, Ref: c.Ref, How: c.How, Message: fmt.Sprintf("%s is %s, by %s", c.Ref, c.Name, c.How), Candidates: []Candidate{c}}
}

// exactly finds a record by its id.
func exactly(tx record.Tx, text string, types []string, at *Place) (Resolution, bool, error) {
	ids := []string{text}
	if ref, ok := record.ParseRef(text); ok {
		if !slices.Contains(types, ref.Type) {
			return Resolution{}, false, nil
		}
		ids, types = []string{ref.ID}, []string{ref.Type}
	}
	if n, err := api.Parse(ids[0]); err == nil && slices.Contains(types, WellType) {
		if c, ok, err := candidate(tx, record.Ref{Type: WellType, ID: n.String()}, byID, 1, at); ok || err != nil {
			return decided(c), ok, err
		}
		if len(types) == 1 || looksLikeAPI(ids[0]) {
			return Resolution{Candidates: []Candidate{}, Message: fmt.Sprintf("there is no well %s in the records; import its permit, or create it", n)}, true, nil
		}
	} else if looksLikeAPI(ids[0]) && slices.Contains(types, WellType) {
		return Resolution{Candidates: []Candidate{}, Message: strings.TrimPrefix(err.Error(), "api: ")}, true, nil
	}
	for _, typ := range types {
		if _, ok := record.ParseRef(typ + "/" + ids[0]); !ok {
			continue
		}
		if c, ok, err := candidate(tx, record.Ref{Type: typ, ID: ids[0]}, byID, 1, at); ok || err != nil {
			return decided(c), ok, err
		}
	}
	return Resolution{}, false, nil
}

// looksLikeAPI says that a text is meant as an API number: digits in groups, or many.
func looksLikeAPI(s string) bool {
	digits := strings.Count(s, "-")
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r != '-':
			return false
		}
	}
	return strings.Count(s, "-") == 2 || len(s) >= 9 && digits == len(s)
}

// named finds records by the index of names.
func named(tx record.Tx, text string, types []string, at *Place) (Resolution, bool, error) {
	folded := record.FoldName(text)
	if folded == "" {
		return Resolution{}, false, nil
	}
	var list []Candidate
	for _, typ := range types {
		var ids []string
		err := tx.RecordNames(typ, folded, func(name, id string) (bool, error) {
			if name != folded {
				return false, nil
			}
			ids = append(ids, id)
			return len(ids) < mostNamed, nil
		})
		if err != nil {
			return Resolution{}, false, err
		}
		for _, id := range ids {
			c, ok, err := candidate(tx, record.Ref{Type: typ, ID: id}, byName, 1, at)
			if err != nil {
				return Resolution{}, false, err
			}
			if ok {
				list = append(list, c)
			}
		}
	}
	switch len(list) {
	case 0:
		return Resolution{}, false, nil
	case 1:
		return decided(list[0]), true, nil
	}
	byPlace(list)
	return Resolution{How: byName, Candidates: list, Message: fmt.Sprintf("%d records are called %q; say which is meant, by its id", len(list), text)}, true, nil
}

func byPlace(list []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int {
		if a.DistanceFt == nil || b.DistanceFt == nil {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(*a.DistanceFt, *b.DistanceFt)
	})
}

// alike finds records whose names are similar. One alone decides only when it is very
// much alike, no other comes near it, and the words with digits are the same: wells differ
// in their numbers.
func alike(tx record.Tx, text string, types []string, at *Place) (Resolution, bool, error) {
	folded := record.FoldName(text)
	type hit struct {
		ref   record.Ref
		name  string
		score float64
	}
	best := map[record.Ref]hit{}
	for _, typ := range types {
		err := tx.RecordNames(typ, "", func(name, id string) (bool, error) {
			ref := record.Ref{Type: typ, ID: id}
			if s := similarity(folded, name); s >= leastAlike && s > best[ref].score {
				best[ref] = hit{ref, name, s}
			}
			return true, nil
		})
		if err != nil {
			return Resolution{}, false, err
		}
	}
	var hits []hit
	for _, h := range best {
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.name, b.name), strings.Compare(a.ref.String(), b.ref.String()))
	})
	if len(hits) == 0 {
		return Resolution{}, false, nil
	}
	r := Resolution{How: bySimilar}
	for _, h := range hits[:min(len(hits), mostNamed)] {
		c, ok, err := candidate(tx, h.ref, bySimilar, h.score, at)
		if err != nil {
			return Resolution{}, false, err
		}
		if ok {
			r.Candidates = append(r.Candidates, c)
		}
	}
	first := hits[0]
	alone := len(hits) == 1 || first.score-hits[1].score >= clearMargin
	if first.score >= surelyAlike && alone && slices.Equal(numerals(folded), numerals(first.name)) {
		return decided(r.Candidates[0]), true, nil
	}
	if len(hits) == 1 {
		r.Message = fmt.Sprintf("nothing is called %q; one name is similar; say whether that is meant, by its id", text)
		return r, true, nil
	}
	r.Message = fmt.Sprintf("nothing is called %q; %d names are similar; say which is meant, by its id", text, len(hits))
	return r, true, nil
}

// similarity of two folded names, 0 to 1: how few letters have to change; words of the
// query that are all in the name in their order count as nearly the same.
func similarity(query, name string) float64 {
	longer := max(len([]rune(query)), len([]rune(name)))
	if longer == 0 {
		return 0
	}
	s := 1 - float64(levenshtein.ComputeDistance(query, name))/float64(longer)
	if strings.Contains(" "+name+" ", " "+query+" ") {
		s = max(s, 0.7+0.19*float64(len(query))/float64(len(name)))
	}
	return s
}

// numerals are the words with digits.
func numerals(s string) (out []string) {
	for w := range strings.FieldsSeq(s) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			out = append(out, w)
		}
	}
	return out
}

// near finds wells by where they are.
func near(tx record.Tx, q Query) (Resolution, error) {
	if err := q.Near.Point().Check(); err != nil {
		return Resolution{Message: trimmed(err).Error(), Candidates: []Candidate{}}, nil
	}
	if q.Near.Datum == "" {
		return Resolution{Message: "the place has no datum; say whether it is NAD27 or NAD83", Candidates: []Candidate{}}, nil
	}
	radius := cmp.Or(q.Radius, 1200)
	var list []Candidate
	others := 0
	err := tx.Records(WellType, "", func(r record.Record) (bool, error) {
		w, err := ReadWell(tx, r.ID)
		if err != nil || w.Surface == nil {
			return true, nil // a well of another agent, or without a place
		}
		if w.Surface.Datum != q.Near.Datum {
			others++
			return true, nil
		}
		if ft := survey.Distance(q.Near.Datum, *q.Near.Point(), *w.Surface.Point()); ft <= radius {
			name, about := Describe(r, r.UpdatedAt)
			list = append(list, Candidate{Ref: r.Ref.String(), Name: name, About: about, How: byDistance, Score: 1 - ft/radius, DistanceFt: &ft})
		}
		return true, nil
	})
	if err != nil {
		return Resolution{}, err
	}
	byPlace(list)
	list = list[:min(len(list), mostNamed)]
	if list == nil {
		list = []Candidate{}
	}
	r := Resolution{How: byDistance, Candidates: list, Message: fmt.Sprintf("%d wells are within %.0f ft of the place", len(list), radius)}
	if others > 0 {
		r.Message += fmt.Sprintf("; %d wells of another datum were not measured", others)
	}
	if len(list) > 0 && *list[0].DistanceFt <= nearFt && (len(list) == 1 || *list[1].DistanceFt > 4*nearFt) {
		return decided(list[0]), nil
	}
	return r, nil
}
