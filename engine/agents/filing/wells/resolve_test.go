package wells_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

func resolved(t *testing.T, db *store.DB, q wells.Query) (r wells.Resolution) {
	t.Helper()
	if err := db.ViewRecords(func(tx record.Tx) (err error) { r, err = wells.Resolve(tx, q); return err }); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFiling_F37_AnEntityIsFoundByIdNameSimilarNameAndPlace(t *testing.T) {
	db := storetest.Open(t)
	imported(t, db, os.DirFS("../testdata"))
	for _, x := range []struct {
		q   wells.Query
		ref string
		how string
	}{
		{wells.Query{Text: "32997101"}, "Well/42-329-97101", "exact id"},
		{wells.Query{Text: "42329971010000", Type: "Well"}, "Well/42-329-97101", "exact id"},
		{wells.Query{Text: "Field/97000100"}, "Field/97000100", "exact id"},
		{wells.Query{Text: "test ranch #1"}, "Well/42-329-97101", "name"},
		{wells.Query{Text: "Old Ranch 2"}, "Well/42-329-97102", "name"},
		{wells.Query{Text: "970200"}, "Operator/other-made-up-llc", "name"},
		{wells.Query{Text: "Made Up Oil Inc"}, "Operator/made-up-oil-inc", "name"},
		{wells.Query{Text: "Made Up Oill Inc"}, "Operator/made-up-oil-inc", "similar name"},
		{wells.Query{Near: &wells.Place{Lon: -102.1032729, Lat: 31.8510972, Datum: "NAD27"}, Radius: 500}, "Well/42-329-97101", "distance"},
	} {
		if r := resolved(t, db, x.q); !r.Decisive || r.Ref != x.ref || r.How != x.how {
			t.Errorf("%+v: %+v", x.q, r)
		}
	}
	for _, x := range []struct {
		q    wells.Query
		want string
	}{
		{wells.Query{Text: "TEST RANCH"}, ""},                                   // a lease; wells begin with it too, but have other names
		{wells.Query{Text: "Test Ranch 3", Type: "Well"}, "say which is meant"}, // wells differ in their numbers
		{wells.Query{Text: "Ranch"}, "say which is meant"},                      // a part of several names
		{wells.Query{Text: "42-330-97101"}, "no county 330"},                    // no such number
		{wells.Query{Text: "42-329-99999"}, "no well 42-329-99999"},             // none here
		{wells.Query{Text: "zzzz qqqq"}, "none with a similar name"},            // nothing alike
		{wells.Query{Near: &wells.Place{Lon: -102.1, Lat: 31.85}}, "no datum"},  // a place without its datum
		{wells.Query{Near: &wells.Place{Lon: 31.85, Lat: -102.1}}, "exchanged"}, // an impossible place
		{wells.Query{Near: &wells.Place{Lon: -102.1, Lat: 31.85, Datum: "NAD83"}}, "another datum"},
		{wells.Query{}, "say what is looked for"},
	} {
		r := resolved(t, db, x.q)
		if x.want == "" {
			if !r.Decisive || r.Ref != "Lease/08-test-ranch-made-up-oil-inc" {
				t.Errorf("%+v: %+v", x.q, r)
			}
			continue
		}
		if r.Decisive || !strings.Contains(r.Message, x.want) {
			t.Errorf("%+v: %+v", x.q, r)
		}
	}
}

func TestResolve_TwoWellsOfOneNameAreNamedWithTheirDistance(t *testing.T) {
	db := storetest.Open(t)
	imported(t, db, fstest.MapFS{"wells.csv": {Data: []byte("api,name,county,latitude,longitude,datum\n42-329-97301,TWIN 1,MIDLAND,31.7476705,-101.8993482,NAD83\n42-317-97302,TWIN 1,MARTIN,32.2,-101.9,NAD83\n")}})
	r := resolved(t, db, wells.Query{Text: "Twin 1", Near: &wells.Place{Lon: -101.9, Lat: 32.2, Datum: "NAD83"}})
	if r.Decisive || len(r.Candidates) != 2 || !strings.Contains(r.Message, "2 records are called") {
		t.Fatalf("%+v", r)
	}
	if c := r.Candidates[0]; c.Ref != "Well/42-317-97302" || c.DistanceFt == nil || *c.DistanceFt > 1 || !strings.Contains(c.About, "MARTIN") {
		t.Errorf("the nearer one comes first: %+v", c)
	}
}

func TestEntity_WhatCannotBeIsRefusedWithWhatToDo(t *testing.T) {
	db := storetest.Open(t)
	imported(t, db, os.DirFS("../testdata"))
	err := db.ViewRecords(func(tx record.Tx) error {
		for _, x := range []struct {
			e    wells.Entity
			want string
		}{
			{wells.Entity{Type: "Well", API: "42-329-9731"}, "has 9 digits"},
			{wells.Entity{Type: "Well", API: "42-329-97101"}, "there already"},
			{wells.Entity{Type: "Well", API: "42-329-97401", Surface: []float64{-102.1, 31.85}}, "has no datum"},
			{wells.Entity{Type: "Well", API: "42-329-97401", Surface: []float64{31.85, -102.1}, Datum: "NAD83"}, "exchanged"},
			{wells.Entity{Type: "Well", API: "42-329-97401", Operator: "Nobody Known"}, "none with a similar name"},
			{wells.Entity{Type: "Well", API: "42-329-97401", Acres: 40}, "a Well has no acres"},
			{wells.Entity{Type: "Field", Number: "97000300", LeaseLineFt: new(330.0)}, "source"},
			{wells.Entity{Type: "Field"}, "known by its number"},
			{wells.Entity{Type: "Lease", Name: "X", Boundary: []byte(`{"type":"Polygon","coordinates":[[[-101.9,31.7],[-101.8,31.7],[-101.9,31.7]]]}`), Datum: "NAD83"}, "3 points"},
			{wells.Entity{Type: "Reservoir", Name: "X"}, "is none of"},
		} {
			if _, err := wells.Create(tx, x.e); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%+v: %v, want %q", x.e, err, x.want)
			}
		}
		if _, err := wells.LinkEntities(tx, record.Ref{Type: "Operator", ID: "made-up-oil-inc"}, record.Ref{Type: "Well", ID: "42-329-97101"}, "c"); err == nil || !strings.Contains(err.Error(), "not linked") {
			t.Errorf("%v", err)
		}
		w, err := wells.LinkEntities(tx, record.Ref{Type: "Well", ID: "42-329-97101"}, record.Ref{Type: "Operator", ID: "other-made-up-llc"}, "c")
		if err != nil || !strings.Contains(string(w.After), `"operator":{"reference":"Operator/other-made-up-llc"`) {
			t.Errorf("%s %v", w.After, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
