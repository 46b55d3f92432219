package survey

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Datum is what longitude and latitude refer to; "" is unknown.
type Datum string

// The datums that records of wells are in.
const (
	NAD27 Datum = "NAD27"
	NAD83 Datum = "NAD83"
	WGS84 Datum = "WGS84"
)

// authority is how GeoJSON and other files name a coordinate system by who registered it:
// EPSG:4267, OGC:CRS27, urn:ogc:def:crs:EPSG::4267, http://www.opengis.net/def/crs/EPSG/0/4267
// or http://www.opengis.net/gml/srs/epsg.xml#4267, with or without a version.
var authority = regexp.MustCompile(`^(?:URN:(?:X-)?OGC:DEF:CRS:|HTTPS?://WWW\.OPENGIS\.NET/(?:DEF/CRS|GML/SRS)/)?(?:EPSG|OGC)(?:\.XML#|[:/][\d.]*[:/]|:)(\w+)$`)

// ParseDatum reads a datum as people and files write it; "" and "unknown" are the
// unknown one. Of the coordinate systems it knows those in degrees.
func ParseDatum(s string) (Datum, error) {
	name := strings.ReplaceAll(strings.ToUpper(s), " ", "")
	if code := authority.FindStringSubmatch(name); code != nil {
		name = code[1]
	}
	switch strings.NewReplacer("-", "", "_", "", "/", "").Replace(name) {
	case "", "UNKNOWN", "NULL", "NONE":
		return "", nil
	case "NAD27", "NAD1927", "NORTHAMERICANDATUM1927", "4267", "CRS27":
		return NAD27, nil
	case "NAD83", "NAD1983", "NORTHAMERICANDATUM1983", "4269", "CRS83":
		return NAD83, nil
	case "WGS84", "WGS1984", "4326", "CRS84":
		return WGS84, nil
	}
	return "", fmt.Errorf("survey: %q is not a datum that is known here; write NAD27, NAD83, WGS84, or leave it empty when it is not known", s)
}

// Name is the datum for people.
func (d Datum) Name() string {
	if d == "" {
		return "unknown datum"
	}
	return string(d)
}

// ellipsoid is a datum's figure of the earth: semi-major axis in metres and flattening.
type ellipsoid struct{ a, f float64 }

// Clarke 1866 under NAD27, GRS 1980 under NAD83, WGS 84 (EPSG 7008, 7019, 7030).
var ellipsoids = map[Datum]ellipsoid{
	NAD27: {6378206.4, 1 - 6356583.8/6378206.4},
	NAD83: {6378137, 1 / 298.257222101},
	WGS84: {6378137, 1 / 298.257223563},
}

// of is the figure to measure with; where the datum is not known, that of NAD83: the
// choice moves a distance of a mile by less than half a foot.
func (d Datum) ellipsoid() ellipsoid {
	if e, ok := ellipsoids[d]; ok {
		return e
	}
	return ellipsoids[NAD83]
}

func (e ellipsoid) e2() float64 { return e.f * (2 - e.f) }

// xyz are earth-centred coordinates in metres.
type xyz struct{ x, y, z float64 }

// geocentric is a point on the ellipsoid (height 0).
func (e ellipsoid) geocentric(p Point) xyz {
	lat, lon := radians(p.Lat), radians(p.Lon)
	n := e.a / math.Sqrt(1-e.e2()*math.Sin(lat)*math.Sin(lat))
	return xyz{n * math.Cos(lat) * math.Cos(lon), n * math.Cos(lat) * math.Sin(lon), n * (1 - e.e2()) * math.Sin(lat)}
}

// geographic is the point under earth-centred coordinates near the ellipsoid.
func (e ellipsoid) geographic(v xyz) Point {
	p := math.Hypot(v.x, v.y)
	lat := math.Atan2(v.z, p*(1-e.e2()))
	for range 6 { // each round gains four digits
		n := e.a / math.Sqrt(1-e.e2()*math.Sin(lat)*math.Sin(lat))
		lat = math.Atan2(v.z+e.e2()*n*math.Sin(lat), p)
	}
	return Point{Lon: degrees(math.Atan2(v.y, v.x)), Lat: degrees(lat)}
}

// Conversion says how points came from one datum to another.
type Conversion struct {
	From Datum `json:"from"`
	To   Datum `json:"to"`
	// Method names the transformation, AccuracyFt how far a result may be off, in US
	// survey feet.
	Method     string  `json:"method"`
	AccuracyFt float64 `json:"accuracy_ft"`
}

// The shift of NAD27 to WGS 84 for the contiguous United States, metres (EPSG:1173,
// accuracy 10 m). The grids that are exact to a foot are not on board.
var nad27ToWGS84 = xyz{-8, 160, 176}

const (
	threeParameters = "three-parameter shift for the contiguous United States (EPSG:1173)"
	sameFrame       = "taken as the same; the frames differ by one to two metres"
)

// metres of accuracy of the two ways.
const (
	shiftAccuracy = 10.0
	frameAccuracy = 2.0
)

// ConversionOf says how one datum is converted to another, or that it can't be.
func ConversionOf(from, to Datum) (Conversion, error) {
	c := Conversion{From: from, To: to}
	switch {
	case from == "" || to == "":
		return c, fmt.Errorf("survey: a place of unknown datum cannot be converted; find out its datum (permits of the Railroad Commission are NAD27)")
	case from == to:
		c.Method = "none needed"
	case from == NAD27 || to == NAD27:
		c.Method, c.AccuracyFt = threeParameters, shiftAccuracy/usFoot
	default:
		c.Method, c.AccuracyFt = sameFrame, frameAccuracy/usFoot
	}
	return c, nil
}

// Apply converts a point.
func (c Conversion) Apply(p Point) Point {
	sign := 0.0
	switch {
	case c.From == NAD27 && c.To != NAD27:
		sign = 1
	case c.To == NAD27 && c.From != NAD27:
		sign = -1
	default:
		return p
	}
	v := c.From.ellipsoid().geocentric(p)
	return c.To.ellipsoid().geographic(xyz{v.x + sign*nad27ToWGS84.x, v.y + sign*nad27ToWGS84.y, v.z + sign*nad27ToWGS84.z})
}

func radians(d float64) float64 { return d * math.Pi / 180 }
func degrees(r float64) float64 { return r * 180 / math.Pi }
