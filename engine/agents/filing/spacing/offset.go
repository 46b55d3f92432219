package spacing

import (
	"cmp"
	"math"
	"slices"

	"holdpoint/engine/survey"
)

// Candidate is a well that may be an offset.
type Candidate struct {
	API        string
	Operator   string // name
	OperatorNo string
	Lease      string
	Place      *survey.Point
	Datum      survey.Datum
}

// Offset is a well within a radius.
type Offset struct {
	API        string  `json:"api"`
	OperatorNo string  `json:"operator_no,omitempty"`
	Operator   string  `json:"operator,omitempty"`
	Lease      string  `json:"lease_name,omitempty"`
	DistanceFt float64 `json:"distance_ft_us"`
}

// Offsets are the wells around one.
type Offsets struct {
	Count     int      `json:"count"`
	Operators int      `json:"operators"`
	Offsets   []Offset `json:"offsets"`
	// Unplaced are wells that could not be measured: no coordinates, or another datum.
	Unplaced []string `json:"unplaced,omitempty"`
}

// FindOffsets lists the wells within radius US survey feet of a surface location, the
// nearest first. A well of another datum is not measured, and named.
func FindOffsets(subject string, at survey.Point, d survey.Datum, radius float64, all []Candidate) Offsets {
	out := Offsets{Offsets: []Offset{}}
	f := survey.NewFrame(d, at)
	// A box keeps the far ones from being measured: a degree of latitude has at least
	// 362,000 ft, one of longitude in Texas at least 290,000.
	const latFt, lonFt = 362000.0, 290000.0
	operators := map[string]bool{}
	exact := map[string]float64{}
	for _, c := range all {
		if c.API == subject {
			continue
		}
		if c.Place == nil {
			out.Unplaced = append(out.Unplaced, c.API)
			continue
		}
		if math.Abs(c.Place.Lat-at.Lat)*latFt > radius+1000 || math.Abs(c.Place.Lon-at.Lon)*lonFt > radius+1000 {
			continue
		}
		if c.Datum != d {
			out.Unplaced = append(out.Unplaced, c.API)
			continue
		}
		ft := f.Path(at).Distance(f.Path(*c.Place))
		if ft > radius {
			continue
		}
		exact[c.API] = ft
		operators[cmp.Or(c.OperatorNo, c.Operator)] = true
		out.Offsets = append(out.Offsets, Offset{c.API, c.OperatorNo, c.Operator, c.Lease, *tenth(ft)})
	}
	slices.SortFunc(out.Offsets, func(a, b Offset) int {
		return cmp.Or(cmp.Compare(exact[a.API], exact[b.API]), cmp.Compare(a.API, b.API))
	})
	slices.Sort(out.Unplaced)
	out.Count, out.Operators = len(out.Offsets), len(operators)
	return out
}
