package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// usFoot and intlFoot are metres.
const (
	usFoot   = 1200.0 / 3937
	intlFoot = 0.3048
)

// International converts US survey feet to international feet.
func International(ft float64) float64 { return ft * usFoot / intlFoot }

// Point is a place in degrees, east and north positive.
type Point struct{ Lon, Lat float64 }

// MarshalJSON writes [longitude, latitude], as GeoJSON does.
func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]float64{p.Lon, p.Lat}) }

// Errors of places, to decide on.
var (
	ErrNoPlace   = errors.New("survey: no coordinates")
	ErrElsewhere = errors.New("survey: not in Texas")
)

// UnmarshalJSON reads [longitude, latitude]; null in either place is ErrNoPlace.
func (p *Point) UnmarshalJSON(raw []byte) error {
	var at []*float64
	if err := json.Unmarshal(raw, &at); err != nil {
		return fmt.Errorf("survey: coordinates are [longitude, latitude] in degrees: %w", err)
	}
	if len(at) < 2 || at[0] == nil || at[1] == nil {
		return ErrNoPlace
	}
	p.Lon, p.Lat = *at[0], *at[1]
	return nil
}

// The box around Texas with its waters out to three leagues, degrees.
const west, east, south, north = -106.7, -93.3, 25.7, 36.6

func (p Point) inTexas() bool {
	return p.Lon >= west && p.Lon <= east && p.Lat >= south && p.Lat <= north
}

// Check says why a place cannot be one in Texas. Nothing is put right.
func (p Point) Check() error {
	switch {
	case math.IsNaN(p.Lon) || math.IsNaN(p.Lat) || math.IsInf(p.Lon, 0) || math.IsInf(p.Lat, 0):
		return ErrNoPlace
	case p.inTexas():
		return nil
	case Point{p.Lat, p.Lon}.inTexas():
		return fmt.Errorf("%w; the two look exchanged: longitude %v, latitude %v. Write longitude first", ErrElsewhere, p.Lon, p.Lat)
	case Point{-p.Lon, p.Lat}.inTexas():
		return fmt.Errorf("%w; the longitude %v lacks its minus sign for west", ErrElsewhere, p.Lon)
	case p.Lon == 0 && p.Lat == 0:
		return fmt.Errorf("%w; 0, 0 usually stands for no coordinates", ErrElsewhere)
	}
	return fmt.Errorf("%w: longitude %v, latitude %v", ErrElsewhere, p.Lon, p.Lat)
}

// XY is a place in a frame's plane: US survey feet east and north of its origin.
type XY struct{ X, Y float64 }

func (a XY) minus(b XY) XY            { return XY{a.X - b.X, a.Y - b.Y} }
func (a XY) dot(b XY) float64         { return a.X*b.X + a.Y*b.Y }
func (a XY) distance(b XY) float64    { return math.Hypot(a.X-b.X, a.Y-b.Y) }
func (a XY) cross(b XY) float64       { return a.X*b.Y - a.Y*b.X }
func (a XY) along(b XY, t float64) XY { return XY{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)} }

// Frame is the plane that touches a datum's ellipsoid at its origin.
type Frame struct {
	origin         xyz
	e              ellipsoid
	at             Point
	sinLat, cosLat float64
	sinLon, cosLon float64
}

// NewFrame is the plane at a place.
func NewFrame(d Datum, at Point) Frame {
	f := Frame{e: d.ellipsoid(), at: at}
	f.origin = f.e.geocentric(at)
	f.sinLat, f.cosLat = math.Sincos(radians(at.Lat))
	f.sinLon, f.cosLon = math.Sincos(radians(at.Lon))
	return f
}

// XY is a point in the plane.
func (f Frame) XY(p Point) XY {
	v := f.e.geocentric(p)
	x, y, z := v.x-f.origin.x, v.y-f.origin.y, v.z-f.origin.z
	return XY{(-f.sinLon*x + f.cosLon*y) / usFoot, (-f.sinLat*f.cosLon*x - f.sinLat*f.sinLon*y + f.cosLat*z) / usFoot}
}

// Point is the place of a point of the plane, within a hundredth of a foot at a mile.
func (f Frame) Point(p XY) Point {
	e, n := p.X*usFoot, p.Y*usFoot
	v := xyz{f.origin.x - f.sinLon*e - f.sinLat*f.cosLon*n, f.origin.y + f.cosLon*e - f.sinLat*f.sinLon*n, f.origin.z + f.cosLat*n}
	return f.e.geographic(v)
}

// Distance is that of two points of one datum in US survey feet.
func Distance(d Datum, a, b Point) float64 {
	middle := Point{(a.Lon + b.Lon) / 2, (a.Lat + b.Lat) / 2}
	f := NewFrame(d, middle)
	return f.XY(a).distance(f.XY(b))
}
