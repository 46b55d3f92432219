package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/peterstace/simplefeatures/geom"
)

// Rings are a tract's boundary as GeoJSON has it: the outer ring first, then those of
// what is not part of it. Each ring ends where it begins.
type Rings [][]Point

// ParseRings reads the geometry of a GeoJSON Polygon, or a MultiPolygon of one.
func ParseRings(geometry json.RawMessage) (Rings, error) {
	var g struct {
		Type        string
		Coordinates json.RawMessage
	}
	if err := json.Unmarshal(geometry, &g); err != nil {
		return nil, fmt.Errorf("survey: not a GeoJSON geometry: %w", err)
	}
	switch g.Type {
	case "Polygon":
		var r Rings
		if err := json.Unmarshal(g.Coordinates, &r); err != nil {
			return nil, fmt.Errorf("survey: the polygon's coordinates cannot be read: %w", err)
		}
		return r, nil
	case "MultiPolygon":
		var all []Rings
		if err := json.Unmarshal(g.Coordinates, &all); err != nil {
			return nil, fmt.Errorf("survey: the polygons' coordinates cannot be read: %w", err)
		}
		if len(all) != 1 {
			return nil, fmt.Errorf("survey: %d separate polygons; a lease or unit is measured as one tract, so import each as its own", len(all))
		}
		return all[0], nil
	}
	return nil, fmt.Errorf("survey: a %q is not a tract; a Polygon is wanted", g.Type)
}

// MarshalGeometry writes the rings as a GeoJSON Polygon.
func (r Rings) MarshalGeometry() json.RawMessage {
	raw, err := json.Marshal(struct {
		Type        string    `json:"type"`
		Coordinates [][]Point `json:"coordinates"`
	}{"Polygon", r})
	if err != nil {
		return nil // numbers that came out of JSON go into it
	}
	return raw
}

// Tract is a checked boundary in the plane of a frame.
type Tract struct {
	rings [][]XY
	shape geom.Polygon
}

// ErrTract says that rings bound no tract.
var ErrTract = errors.New("survey: not a boundary")

// Check says what is wrong with the rings, wherever they lie.
func (r Rings) Check(d Datum) error {
	if len(r) == 0 || len(r[0]) == 0 {
		return fmt.Errorf("%w: there is no ring", ErrTract)
	}
	_, err := NewFrame(d, r[0][0]).Tract(r)
	return err
}

// Tract puts rings into the plane, and refuses what bounds no tract: a ring that is open,
// too short or crosses itself, a hole that is not inside. Nothing is repaired.
func (f Frame) Tract(r Rings) (Tract, error) {
	if len(r) == 0 {
		return Tract{}, fmt.Errorf("%w: there is no ring", ErrTract)
	}
	t := Tract{}
	lines := make([]geom.LineString, len(r))
	for i, ring := range r {
		if len(ring) < 4 {
			return Tract{}, fmt.Errorf("%w: ring %d has %d points, and it takes three corners and the first once more", ErrTract, i, len(ring))
		}
		if ring[0] != ring[len(ring)-1] {
			return Tract{}, fmt.Errorf("%w: ring %d is not closed; it must end where it begins", ErrTract, i)
		}
		flat := make([]float64, 0, 2*len(ring))
		line := make([]XY, len(ring))
		for k, p := range ring {
			if err := p.Check(); err != nil {
				return Tract{}, fmt.Errorf("%w: ring %d, point %d: %w", ErrTract, i, k, err)
			}
			line[k] = f.XY(p)
			flat = append(flat, line[k].X, line[k].Y)
		}
		t.rings = append(t.rings, line)
		lines[i] = geom.NewLineString(geom.NewSequence(flat, geom.DimXY))
	}
	t.shape = geom.NewPolygon(lines)
	if err := t.shape.Validate(); err != nil {
		return Tract{}, fmt.Errorf("%w: %s. Correct it in its source; it is not repaired here", ErrTract, told(err))
	}
	return t, nil
}

// told puts the library's finding into words.
func told(err error) string {
	for _, w := range [][2]string{
		{"ring not simple", "the ring crosses itself"},
		{"ring not closed", "a ring is not closed"},
		{"outside of exterior", "a hole lies outside the outer ring"},
		{"nested", "one hole lies in another"},
		{"multiple points", "two rings meet in more than one point"},
		{"disconnected", "the inside falls into parts"},
		{"one distinct", "a ring has no extent"},
	} {
		if strings.Contains(err.Error(), w[0]) {
			return w[1]
		}
	}
	return err.Error()
}

// Nearest is where a boundary is nearest.
type Nearest struct {
	Ft   float64 // US survey feet
	Ring int     // 0 is the outer one
	// Edges are those of the ring that are equally near: two at a corner. An edge's
	// number is that of its first point.
	Edges []int
}

// sameFt is how much two distances may differ and still count as the same: half of the tenth
// of a foot that answers are told in, which is also what a distance of a mile is good for.
const sameFt = 0.05

// Nearest finds where the boundary is nearest to a path.
func (t Tract) Nearest(p Path) Nearest {
	a, b := p.ends()
	best := Nearest{Ft: math.Inf(1)}
	for i, ring := range t.rings {
		for k := range len(ring) - 1 {
			d := between(a, b, ring[k], ring[k+1])
			switch {
			case d < best.Ft-sameFt:
				best = Nearest{d, i, []int{k}}
			case d <= best.Ft+sameFt && i == best.Ring:
				best.Edges = append(best.Edges, k)
				best.Ft = math.Min(best.Ft, d)
			}
		}
	}
	return best
}

// Holds says whether all of a path lies in the tract, its boundary included.
func (t Tract) Holds(p Path) (bool, error) {
	a, b := p.ends()
	what := geom.NewPoint(geom.Coordinates{XY: geom.XY{X: a.X, Y: a.Y}, Type: geom.DimXY}).AsGeometry()
	if a != b {
		what = geom.NewLineString(geom.NewSequence([]float64{a.X, a.Y, b.X, b.Y}, geom.DimXY)).AsGeometry()
	}
	ok, err := geom.Covers(t.shape.AsGeometry(), what)
	if err != nil {
		return false, fmt.Errorf("survey: is it inside: %w", err)
	}
	return ok, nil
}

// Covers says whether a place lies in the tract or within ft of its boundary.
func (t Tract) Covers(p XY, ft float64) bool {
	// A ray to the east: the boundary that it crosses an odd number of times is around it.
	inside := false
	for _, ring := range t.rings {
		for k := range len(ring) - 1 {
			a, b := ring[k], ring[k+1]
			if toLine(p, a, b) <= ft {
				return true
			}
			if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
				inside = !inside
			}
		}
	}
	return inside
}

// Distance is how far a path is from the tract, US survey feet; 0 where some of it lies in it.
func (t Tract) Distance(p Path) float64 {
	a, b := p.ends()
	if t.Covers(a, 0) || t.Covers(b, 0) {
		return 0
	}
	return t.Nearest(p).Ft
}

// Apart is how far the boundaries of two tracts are from each other, US survey feet.
func (t Tract) Apart(u Tract) float64 {
	least := math.Inf(1)
	for _, ring := range u.rings {
		for k := range len(ring) - 1 {
			least = math.Min(least, t.Nearest(Path{ring[k], ring[k+1]}).Ft)
		}
	}
	return least
}

// Farthest is how far the corners of the tract are from a path at most, US survey feet.
func (t Tract) Farthest(p Path) float64 {
	most := 0.0
	for _, ring := range t.rings {
		for _, c := range ring {
			most = math.Max(most, p.Distance(Path{c}))
		}
	}
	return most
}

// Outside are places beside the outer boundary, by ft out of the tract and at most every feet
// from each other.
func (t Tract) Outside(ft, every float64) (out []XY) {
	ring := t.rings[0]
	for k := range len(ring) - 1 {
		a, b := ring[k], ring[k+1]
		length := a.distance(b)
		if length == 0 {
			continue
		}
		normal := XY{-(b.Y - a.Y) / length, (b.X - a.X) / length}
		n := math.Ceil(length / every)
		for i := range int(n) {
			on := a.along(b, (float64(i)+0.5)/n)
			for _, side := range []float64{ft, -ft} {
				if p := (XY{on.X + side*normal.X, on.Y + side*normal.Y}); !t.Covers(p, 0) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}
