package record_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/fstest"

	"holdpoint/engine/record"
	"holdpoint/store/storetest"
)

var errBadLine = errors.New("a bad line")

// lists reads lines of ids; the line "bad" ends the file.
var lists = record.Format{Extension: ".list", Read: func(_ context.Context, in record.File, keep func(record.Line) error) error {
	s := bufio.NewScanner(in)
	for n := 1; s.Scan(); n++ {
		if s.Text() == "bad" {
			return errBadLine
		}
		if err := keep(record.Line{No: n, Resource: json.RawMessage("{\"resourceType\": \"Well\",\n \"id\": \"" + s.Text() + "\"}")}); err != nil {
			return err
		}
	}
	return nil
}}

func TestImport_ReadsOtherFormatsBesideItsOwn(t *testing.T) {
	db := storetest.Open(t)
	o := at(noon)
	o.Formats = []record.Format{lists}
	folder := fstest.MapFS{
		"wells.LIST":  {Data: []byte("a\nb\nno id\n")},
		"more.ndjson": {Data: []byte(`{"resourceType":"Well","id":"c"}`)},
		"notes.txt":   {Data: []byte("d\n")},
	}
	r, err := record.Import(t.Context(), db, folder, o)
	if err != nil || r.Total.Created != 3 || r.Total.Failed != 1 || r.SkippedFiles != 1 || r.Errors[0].Line != 3 || r.Errors[0].File != "wells.LIST" {
		t.Errorf("%+v %v", r, err)
	}
	whole(t, r)
	stored(t, db, "Well", "b")

	if r, err = record.Import(t.Context(), db, fstest.MapFS{"wells.list": {Data: []byte("d\nbad\ne\n")}}, o); !errors.Is(err, errBadLine) {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := record.Import(t.Context(), db, folder, at(noon)); err != nil {
		t.Error(err)
	}
	if _, err := record.Import(t.Context(), db, fstest.MapFS{"wells.list": {Data: []byte("f\n")}}, at(noon)); !errors.Is(err, record.ErrNothing) {
		t.Errorf("a format that nobody knows was read: %v", err)
	}
}
