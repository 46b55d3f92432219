package wells

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"holdpoint/engine/record"
	"holdpoint/engine/survey"
)

// feature is one of a GeoJSON file.
type feature struct {
	Type       string
	Properties map[string]any
	Geometry   *struct {
		Type        string
		Coordinates json.RawMessage
	}
}

// brokenError is a file that is no GeoJSON from a feature on; those before it are read.
type brokenError struct {
	feature int // counts from 1
	why     error
}

func (e *brokenError) Error() string { return e.why.Error() }

// broken is an error of JSON as one of the file; one of reading it stays.
func broken(feature int, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &brokenError{feature, bad("the JSON breaks off or has a bracket too many; what came before is kept")}
	}
	return err
}

// collection reads the features of a GeoJSON file one by one. each is told the crs that
// older files name before their features; what it returns ends the reading.
func collection(in io.Reader, each func(n int, crs string, raw json.RawMessage) error) error {
	d := json.NewDecoder(in)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return &brokenError{1, bad("not a GeoJSON object")}
	}
	crs, found, last := "", false, 1
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return broken(last, err)
		}
		switch key {
		case "crs":
			var c struct {
				Properties struct{ Name, Href string }
			}
			if err := d.Decode(&c); err != nil {
				return broken(last, err)
			}
			crs = cmp.Or(c.Properties.Name, c.Properties.Href)
		case "features":
			found = true
			if t, err := d.Token(); err != nil || t != json.Delim('[') {
				return &brokenError{1, bad("features is not a list")}
			}
			for n := 1; d.More(); n++ {
				var raw json.RawMessage
				last = n
				if err := d.Decode(&raw); err != nil {
					return broken(n, err)
				}
				if err := each(n, crs, raw); err != nil {
					return err
				}
			}
			if _, err := d.Token(); err != nil {
				return broken(last, err)
			}
		default:
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return broken(last, err)
			}
		}
	}
	if !found {
		return &brokenError{1, bad("there are no features; a GeoJSON FeatureCollection is wanted")}
	}
	if t, err := d.Token(); err != nil || t != json.Delim('}') {
		return broken(last, io.ErrUnexpectedEOF)
	}
	return nil
}

var errEnough = errors.New("enough")

// sampled reads the features in the first bytes of a file: their properties, in order of
// name, what they are, and the crs.
func sampled(head []byte) (columns []string, polygons bool, crs string, n int) {
	seen := map[string]bool{}
	// The head breaks off somewhere; what came before counts.
	_ = collection(bytes.NewReader(head), func(_ int, c string, raw json.RawMessage) error {
		var f feature
		if json.Unmarshal(raw, &f) != nil {
			return nil
		}
		crs = c
		n++
		polygons = polygons || f.Geometry != nil && (f.Geometry.Type == "Polygon" || f.Geometry.Type == "MultiPolygon")
		for k := range f.Properties {
			seen[k] = true
		}
		if n == 50 {
			return errEnough
		}
		return nil
	})
	return slices.Sorted(maps.Keys(seen)), polygons, crs, n
}

func fitsGeoJSON(head []byte) bool {
	_, _, _, n := sampled(head)
	return n > 0 || bytes.Contains(head, []byte(`"features"`))
}

// columnsOfGeoJSON are the properties of the features. A polygon is a lease's, a point or
// a line a well's. RFC 7946 has WGS 84 for all files, which most do not keep to: without a
// crs the datum is not known.
func columnsOfGeoJSON(head []byte) (record.Mapping, error) {
	columns, polygons, crs, _ := sampled(head)
	m := mapping(columns)
	if polygons && m.Kind != kindMonths {
		m.Kind, m.KindOf = kindLeases, nil
	}
	if crs != "" && m.Set["datum"] == "" {
		d, err := survey.ParseDatum(crs)
		if err != nil {
			return m, trimmed(err)
		}
		m.Set["datum"] = string(d)
	}
	return m, nil
}

func readGeoJSON(ctx context.Context, in record.File, keep func(record.Line) error) error {
	rd := newReader(in.Name, keep)
	m := in.Mapping
	column := map[string]bool{}
	for _, c := range m.Columns {
		column[c.Name] = true
	}
	err := collection(in, func(n int, _ string, raw json.RawMessage) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var f feature
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&f); err != nil {
			return rd.failed(row{no: n, kind: m.Kind}, fmt.Errorf("not a feature: %w", err))
		}
		// Properties that only later features have are kept as they are.
		own := m
		for k := range f.Properties {
			if !column[k] {
				own.Columns = append(slices.Clip(own.Columns), record.Column{Name: k})
			}
		}
		r := rowOf(n, own, func(_ int, name string) string { return text(f.Properties[name]) })
		if err := rd.feature(r, f); err != nil && rd.ended == nil {
			return rd.failed(r, err)
		}
		return rd.ended
	})
	var wrong *brokenError
	if errors.As(err, &wrong) {
		return rd.failed(row{no: wrong.feature, kind: m.Kind}, wrong)
	}
	return err
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// feature puts a feature's shape into its row.
func (rd *reader) feature(r row, f feature) error {
	if f.Geometry == nil {
		return rd.take(r)
	}
	put := func(of string, p json.RawMessage) error {
		var at survey.Point
		if err := json.Unmarshal(p, &at); err != nil {
			return trimmed(err)
		}
		if r.v[of+"_lon"] == "" {
			r.v[of+"_lon"], r.v[of+"_lat"] = fmt.Sprint(at.Lon), fmt.Sprint(at.Lat)
		}
		return nil
	}
	switch f.Geometry.Type {
	case "Point":
		if err := r.well("point"); err != nil {
			return err
		}
		if err := put("surf", f.Geometry.Coordinates); err != nil {
			return err
		}
	case "LineString":
		if err := r.well("line"); err != nil {
			return err
		}
		var line []json.RawMessage
		if err := json.Unmarshal(f.Geometry.Coordinates, &line); err != nil || len(line) < 2 {
			return bad("a line of a well has two ends: the surface location and the bottom hole")
		}
		for of, p := range map[string]json.RawMessage{"surf": line[0], "bh": line[len(line)-1]} {
			if err := put(of, p); err != nil {
				return err
			}
		}
	case "Polygon", "MultiPolygon":
		raw, err := json.Marshal(f.Geometry)
		if err != nil {
			return err
		}
		return rd.polygon(r, raw)
	default:
		return bad("a %s says nothing of wells or leases; points, lines and polygons do", f.Geometry.Type)
	}
	return rd.take(r)
}

// well makes a point or a line one of a well where the file has lines of leases, too.
func (r *row) well(shape string) error {
	if r.kind != kindLeases {
		return nil
	}
	if r.v["api"] == "" {
		return bad("a %s is a well's, and this one has no API number; lines of a lease are a polygon", shape)
	}
	r.kind = kindWells
	return nil
}

// polygon is the boundary of a lease. It counts as not confirmed where the file or whoever
// imports it does not say so: what is in files of public data are often survey sections, not
// lease lines.
func (rd *reader) polygon(r row, geometry json.RawMessage) error {
	rings, err := survey.ParseRings(geometry)
	if err != nil {
		return trimmed(err)
	}
	d, err := survey.ParseDatum(r.v["datum"])
	if err != nil {
		return trimmed(err)
	}
	if err := rings.Check(d); err != nil {
		return bad("the lines of %s: %w", r.v["lease_name"], trimmed(err))
	}
	r.kind = kindLeases
	b := Boundary{Geometry: rings.MarshalGeometry(), Datum: d, Source: rd.file}
	if b.AccuracyFt, err = r.number("boundary_accuracy_ft"); err != nil {
		return err
	}
	if said := r.v["boundary_confirmed"]; said != "" {
		confirmed := yes(said)
		if confirmed == nil {
			return bad("boundary_confirmed is %q; write Y or N", said)
		}
		b.Confirmed = *confirmed
	}
	return rd.leases(r, &b)
}
