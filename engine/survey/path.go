package survey

import "math"

// Path is what a well is measured by: one point, or the straight way between two.
type Path []XY

// Path puts points into the plane.
func (f Frame) Path(points ...Point) Path {
	out := make(Path, len(points))
	for i, p := range points {
		out[i] = f.XY(p)
	}
	return out
}

// ends are the path's two ends; a point's are the same.
func (p Path) ends() (XY, XY) { return p[0], p[len(p)-1] }

// Distance is the shortest between two paths.
func (p Path) Distance(q Path) float64 {
	a, b := p.ends()
	c, d := q.ends()
	return between(a, b, c, d)
}

// Closest is where two paths are nearest to each other: a place on this one, and one on
// the other.
func (p Path) Closest(q Path) (here, there XY) {
	a, b := p.ends()
	c, d := q.ends()
	if crosses(a, b, c, d) {
		ab, cd := b.minus(a), d.minus(c)
		at := a.along(b, c.minus(a).cross(cd)/ab.cross(cd))
		return at, at
	}
	best := math.Inf(1)
	for _, x := range [][2]XY{{a, foot(a, c, d)}, {b, foot(b, c, d)}, {foot(c, a, b), c}, {foot(d, a, b), d}} {
		if ft := x[0].distance(x[1]); ft < best {
			best, here, there = ft, x[0], x[1]
		}
	}
	return here, there
}

// between is the shortest distance of two straight lines ab and cd, either of which may
// be a point.
func between(a, b, c, d XY) float64 {
	if crosses(a, b, c, d) {
		return 0
	}
	return math.Min(math.Min(toLine(a, c, d), toLine(b, c, d)), math.Min(toLine(c, a, b), toLine(d, a, b)))
}

// toLine is the shortest distance of a point to a straight line.
func toLine(p, a, b XY) float64 { return p.distance(foot(p, a, b)) }

// foot is the place on a straight line that is nearest to a point.
func foot(p, a, b XY) XY {
	ab := b.minus(a)
	length := ab.dot(ab)
	if length == 0 {
		return a
	}
	return a.along(b, math.Max(0, math.Min(1, p.minus(a).dot(ab)/length)))
}

func crosses(a, b, c, d XY) bool {
	side := func(p, q, r XY) float64 { return q.minus(p).cross(r.minus(p)) }
	return side(a, b, c)*side(a, b, d) < 0 && side(c, d, a)*side(c, d, b) < 0
}

// Nearest is the place on the path that is nearest to a point.
func (p Path) Nearest(to XY) XY {
	a, b := p.ends()
	return foot(to, a, b)
}

// Box is the extent of the path: west, south, east and north, US survey feet in its plane.
func (p Path) Box() (w, s, e, n float64) {
	a, b := p.ends()
	return math.Min(a.X, b.X), math.Min(a.Y, b.Y), math.Max(a.X, b.X), math.Max(a.Y, b.Y)
}
