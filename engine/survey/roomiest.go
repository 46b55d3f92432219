package survey

import (
	"container/heap"
	"math"
)

// Roomiest finds the place in the tract where room is greatest: the distance to the
// boundary less margin, and to each of the paths less its own, whichever is smaller.
// Below 0 everywhere means that no place keeps all the distances. The answer is
// within precision feet of the greatest there is: the tract is cut into squares, and a
// square is given up when even its corner could not be better.
func (t Tract) Roomiest(margin float64, others []Path, apart []float64, precision float64) (at XY, room float64) {
	roomAt := func(p XY) float64 {
		here := Path{p}
		r := t.Nearest(here).Ft
		if inside, err := t.Holds(here); err != nil || !inside {
			r = -r
		}
		r -= margin
		for i, o := range others {
			r = math.Min(r, here.Distance(o)-apart[i])
		}
		return r
	}
	low, high := XY{math.Inf(1), math.Inf(1)}, XY{math.Inf(-1), math.Inf(-1)}
	for _, p := range t.rings[0] {
		low, high = XY{math.Min(low.X, p.X), math.Min(low.Y, p.Y)}, XY{math.Max(high.X, p.X), math.Max(high.Y, p.Y)}
	}
	size := math.Max(1, math.Min(high.X-low.X, high.Y-low.Y)/2)
	q := &squares{}
	add := func(p XY, half float64) {
		r := roomAt(p)
		if r > room {
			at, room = p, r
		}
		heap.Push(q, square{p, half, r + half*math.Sqrt2})
	}
	at, room = low, math.Inf(-1)
	for x := low.X; x < high.X; x += size {
		for y := low.Y; y < high.Y; y += size {
			add(XY{x + size/2, y + size/2}, size/2)
		}
	}
	for q.Len() > 0 {
		s := heap.Pop(q).(square)
		if s.most-room <= precision {
			break
		}
		for _, d := range []XY{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
			add(XY{s.at.X + d.X*s.half/2, s.at.Y + d.Y*s.half/2}, s.half/2)
		}
	}
	return at, room
}

// square is a part of the plane, with the most room that a place in it can have: room
// changes by no more than the way between two places.
type square struct {
	at   XY
	half float64
	most float64
}

type squares []square

func (s squares) Len() int           { return len(s) }
func (s squares) Less(i, j int) bool { return s[i].most > s[j].most }
func (s squares) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *squares) Push(x any)        { *s = append(*s, x.(square)) }
func (s *squares) Pop() any {
	old := *s
	last := old[len(old)-1]
	*s = old[:len(old)-1]
	return last
}
