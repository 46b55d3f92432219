package wells_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/record"
	"holdpoint/engine/survey"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

const sharedWells = "../../../../../shared/data/wells"

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func options() record.ImportOptions {
	return record.ImportOptions{Now: func() time.Time { return noon }, Formats: wells.Formats()}
}

func imported(t *testing.T, db *store.DB, from fs.FS) record.Report {
	t.Helper()
	r, err := record.Import(t.Context(), db, from, options())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Total.Created + r.Total.Updated + r.Total.Unchanged + r.Total.Failed; got != r.Total.Read {
		t.Errorf("%d lines read, %d told of", r.Total.Read, got)
	}
	return r
}

func countOf(r record.Report, typ string) record.Count {
	i := slices.IndexFunc(r.Types, func(c record.Count) bool { return c.Type == typ })
	if i < 0 {
		return record.Count{}
	}
	return r.Types[i]
}

// saidOf are the errors of an import by their lines.
func saidOf(r record.Report) map[int]string {
	said := map[int]string{}
	for _, e := range r.Errors {
		said[e.Line] = e.Error
	}
	return said
}

func well(t *testing.T, db *store.DB, id string) (w wells.Well) {
	t.Helper()
	err := db.ViewRecords(func(tx record.Tx) (err error) { w, err = wells.ReadWell(tx, id); return err })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestImport_CountsEveryLineAndReadingAgainChangesNothing(t *testing.T) {
	db := storetest.Open(t)
	from := os.DirFS("../testdata")
	r := imported(t, db, from)
	for typ, want := range map[string][2]int{"Permit": {4, 4}, "Well": {4, 3}, "Operator": {2, 2}, "Lease": {3, 3}, "Field": {2, 2}} {
		if c := countOf(r, typ); c.Read != want[0] || c.Created != want[1] {
			t.Errorf("%s: %+v, want %d read and %d created", typ, c, want[0], want[1])
		}
	}
	if r = imported(t, db, from); r.Total.Created+r.Total.Updated+r.Total.Failed != 0 || r.Total.Unchanged == 0 {
		t.Errorf("reading again changes something: %+v", r.Total)
	}
	w := well(t, db, "42-329-97102")
	if w.Lease.Display != "TEST RANCH" || w.Surface.Lon != -102.0990728 || !slices.Contains(w.Alias, "OLD RANCH 2") {
		t.Errorf("the newest permit counts, the older name stays as an alias: %+v", w)
	}
	if w.Surface.Datum != "NAD27" {
		t.Errorf("permits are NAD27, not %q", w.Surface.Datum)
	}
}

func TestImport_TheSharedRecordsHaveExactCounts(t *testing.T) {
	if _, err := os.Stat(sharedWells); err != nil {
		t.Skip("the shared records are not here")
	}
	db := storetest.Open(t)
	r := imported(t, db, os.DirFS(sharedWells))
	// What the folder's own description says of its files: 349 wells in 356 permits, 619
	// filings; 138 operators and 317 leases by name over all files; of 490 months 12 stand
	// there twice.
	for typ, want := range map[string]int{"Permit": 356, "Well": 349, "Operator": 138, "Lease": 317, "Field": 105, "FlaringException": 619, "MonthlyFlaring": 478} {
		if c := countOf(r, typ); c.Created != want || c.Failed != 0 {
			t.Errorf("%s: %+v, want %d created", typ, c, want)
		}
	}
	if r = imported(t, db, os.DirFS(sharedWells)); r.Total.Created+r.Total.Updated+r.Total.Failed != 0 || r.Total.Unchanged != r.Total.Read {
		t.Errorf("reading again changes something: %+v", r.Total)
	}
	if r.RemarkedLines != 0 {
		t.Errorf("%d lines of one folder are said to differ: %+v", r.RemarkedLines, r.Remarks[:3])
	}
}

// "I corrected the place of the well in a second file. It said unchanged, and the old place stayed."
func TestImport_SaysWhatAnotherFileSaysOtherwise(t *testing.T) {
	db := storetest.Open(t)
	const head = "api,well_name,surface_lon,surface_lat,datum\n"
	file := func(name, text string) record.Report {
		return imported(t, db, fstest.MapFS{name: &fstest.MapFile{Data: []byte(head + text)}})
	}
	file("take.csv", "42-329-97401,ONE 1,-102.1,31.85,\n")
	if r := file("t2.csv", "42-329-97401,ONE 1,-102.1,31.85,NAD27\n"); r.Total.Updated != 1 || r.RemarkedLines != 0 {
		t.Errorf("the datum that was missing: %+v", r)
	}
	if w := well(t, db, "42-329-97401"); w.Surface.Datum != "NAD27" {
		t.Errorf("the datum that was said second is not kept: %+v", w.Surface)
	}
	r := file("t3.csv", "42-329-97401,ONE 1,-102.2,31.86,NAD83\n")
	if r.RemarkedLines != 1 || len(r.Remarks) != 1 || r.Remarks[0].Line != 2 || r.Remarks[0].File != "t3.csv" ||
		!strings.Contains(r.Remarks[0].Error, "Well/42-329-97401") || !strings.Contains(r.Remarks[0].Error, "surface") || !strings.Contains(r.Remarks[0].Error, "take.csv") {
		t.Errorf("another place in another file: %+v", r)
	}
	if w := well(t, db, "42-329-97401"); w.Surface.Lon != -102.1 {
		t.Errorf("the place is %+v", w.Surface)
	}
	if r = file("take.csv", "42-329-97401,ONE 1,-102.2,31.86,NAD83\n"); r.Total.Updated != 1 || well(t, db, "42-329-97401").Surface.Lon != -102.2 {
		t.Errorf("the file itself, corrected: %+v", r)
	}
}

// "I had the two columns the wrong way round: five times as much gas flared as produced, and no word about it."
func TestImport_RemarksOnMoreGasFlaredThanProduced(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"months.csv": &fstest.MapFile{Data: []byte("lease_district,lease_number,oil_gas_code,operator_name,lease_name,month,flared_or_vented_mcf,gas_produced_mcf\n" +
		"08,1,O,ACME,SMITH,2024-07,500,100\n08,1,O,ACME,SMITH,2024-08,100,100\n08,1,O,ACME,SMITH,2024-09,500,\n")}})
	if c := countOf(r, "MonthlyFlaring"); c.Created != 3 || c.Failed != 0 || r.RemarkedLines != 1 || r.Remarks[0].Line != 2 || !strings.Contains(r.Remarks[0].Error, "500 mcf") {
		t.Errorf("%+v", r)
	}
}

func TestImport_OrderOfTheFilesDoesNotMatter(t *testing.T) {
	if _, err := os.Stat(sharedWells); err != nil {
		t.Skip("the shared records are not here")
	}
	wells := map[string]string{}
	for _, order := range [][]string{{"permits.csv", "permits.geojson"}, {"permits.geojson", "permits.csv"}} {
		db := storetest.Open(t)
		for range 2 {
			for _, name := range order {
				r, err := record.ImportPath(t.Context(), db, filepath.Join(sharedWells, name), options())
				if err != nil || r.Total.Failed > 0 {
					t.Fatalf("%s: %+v %v", name, r.Errors, err)
				}
			}
		}
		err := db.ViewRecords(func(tx record.Tx) error {
			return tx.Records("Well", "", func(r record.Record) (bool, error) {
				var v map[string]any
				err := json.Unmarshal(r.Resource, &v)
				delete(v, "lease") // a map alone does not know the district, which is a part of the id
				text, _ := json.Marshal(v)
				if old, ok := wells[r.ID]; ok && old != string(text) {
					t.Errorf("%s is %s and %s", r.ID, old, text)
				}
				wells[r.ID] = string(text)
				return true, err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(wells) != 349 {
		t.Errorf("%d wells", len(wells))
	}
}

func TestImport_SaysWhatIsWrongWithALineAndReadsOn(t *testing.T) {
	db := storetest.Open(t)
	const head = "api,well_name,operator_name,latitude,longitude,datum,acres\n"
	r := imported(t, db, fstest.MapFS{"wells.csv": {Data: []byte(head +
		"42-329-97301,Good 1,ACME,31.7476705,-101.8993482,NAD83,40\n" +
		"30-025-48213,Other state,ACME,31.7,-101.9,NAD83,40\n" +
		"42-330-97301,No county,ACME,31.7,-101.9,NAD83,40\n" +
		"42-329-97302,Exchanged,ACME,-101.9,31.7,NAD83,40\n" +
		"42-329-97303,Half,ACME,31.7,,NAD83,40\n" +
		"42-329-97304,Datum,ACME,31.7,-101.9,ED50,40\n" +
		"42-329-97305,Negative,ACME,31.7,-101.9,NAD83,-4\n" +
		"42-329-97306,short line\n" +
		"42-329-97301,Good 1,ACME,31.8,-101.8993482,NAD83,40\n" +
		"42-329-97307,No place,ACME,,,,\n" +
		"42-329-97308,\"a quote,ACME,31.7\n")}})
	said := saidOf(r)
	for line, want := range map[int]string{3: "New Mexico", 4: "no county 330", 5: "exchanged", 6: "surf_lon or surf_lat is missing", 7: "ED50", 8: "negative", 9: "2 columns and the heading 7", 10: "another surface", 12: "quote"} {
		if !strings.Contains(said[line], want) {
			t.Errorf("line %d: %q, want %q", line, said[line], want)
		}
	}
	if c := countOf(r, "Well"); c.Created != 2 || len(said) != 9 {
		t.Errorf("%+v %v", c, said)
	}
	if w := well(t, db, "42-329-97307"); w.Surface != nil {
		t.Errorf("a well without coordinates has some: %+v", w)
	}
}

// "One quote too many in line 2, and forty wells below it were gone: one read, one failed, nothing lost."
func TestImport_AStrayQuoteCostsItsOwnLineOnly(t *testing.T) {
	const head = "api,well_name,operator_name,latitude,longitude,datum\n"
	good := func(n int) string {
		return fmt.Sprintf("42-329-%05d,GOOD %d,ACME,31.7476705,-101.8993482,NAD83\n", 97300+n, n)
	}
	lines := func(from, to int) (s string) {
		for n := from; n < to; n++ {
			s += good(n)
		}
		return s
	}
	for name, c := range map[string]struct {
		text  string
		wells int
		said  map[int]string
		// inside are the ends of lines inside of values.
		inside int
	}{
		"never closed": {"42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 40, map[int]string{2: "nothing closes it"}, 0},
		"closed by a second one far below": {"42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83\n" + lines(0, 9) + "42-329-97114,GAMMA 12\",ACME,31.7,-101.9,NAD83\n" + lines(9, 40),
			40, map[int]string{2: "nothing closes it", 12: "not in quotes"}, 0},
		"in two lines, each its own":       {"42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83\n42-329-97114,\"GAMMA 12,ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 40, map[int]string{2: "nothing closes it", 3: "nothing closes it"}, 0},
		"in the middle of a value":         {"42-329-97113,GAMMA 5\" 11,ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 40, map[int]string{2: "not in quotes"}, 0},
		"behind the end of a value":        {"42-329-97113,\"GAMMA\" 11,ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 40, map[int]string{2: "more of it"}, 0},
		"in the last line":                 {lines(0, 40) + "42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83", 40, map[int]string{42: "nothing closes it"}, 0},
		"below a name that spans lines":    {"42-329-97113,\"GAMMA 11\r\n(was, they say, BETA)\n\nand older\",ACME,31.7,-101.9,NAD83\n42-329-97114,\"GAMMA 12,ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 41, map[int]string{6: "nothing closes it"}, 3},
		"above lines with quotes in order": {"42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83\n42-329-97114,\"GAMMA \"\"12\"\", A\",ACME,31.7,-101.9,NAD83\n" + lines(0, 40), 41, map[int]string{2: "nothing closes it"}, 0},
		"above more than is looked at":     {"42-329-97113,\"GAMMA 11,ACME,31.7,-101.9,NAD83\n" + strings.Repeat(strings.Repeat("x", 99)+"\n", 11000) + good(1), 1, map[int]string{2: "nothing closes it", 3: "1 columns", 90: "1 columns"}, 0},
		"in a line that never ends":        {"42-329-97113,\"" + strings.Repeat("x", 2<<20) + "\n" + good(1), 1, map[int]string{2: "longer than 1 MiB"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := imported(t, storetest.Open(t), fstest.MapFS{"q.csv": {Data: []byte(head + c.text)}})
			w := countOf(r, "Well")
			if rows := strings.Count(strings.TrimRight(c.text, "\n"), "\n") + 1 - c.inside; w.Created != c.wells || w.Created+w.Failed != rows {
				t.Errorf("%+v, want %d wells of %d rows: %v", w, c.wells, rows, r.Errors)
			}
			for line, want := range c.said {
				if said := saidOf(r); !strings.Contains(said[line], want) {
					t.Errorf("line %d: %q, want %q in %v", line, said[line], want, said)
				}
			}
		})
	}
}

// "Excel saved it, and Peñasco became a name with question marks; the second import changed it once more."
func TestImport_LettersOfOtherCharsetsAreReadAndSaid(t *testing.T) {
	const table = "api,well_name,operator_name,Año\n42-329-97301,PLAIN 1,ACME,1\n42-329-97302,PEÑASCO É 2 “A”,CAÑÓN OIL,2\n42-329-97303,MUÑOZ 3,CAÑÓN OIL,3\n"
	const shapes = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"api":"42-329-97302","well_name":"PEÑASCO É 2 “A”","operator_name":"CAÑÓN OIL","Año":"2"},"geometry":null}]}`
	in := func(e encoding.Encoding, s string) []byte {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(out)
	}
	western := charmap.Windows1252
	for name, c := range map[string]struct {
		file string
		text []byte
		line int // of the remark
	}{
		"UTF-8":                       {"w.csv", []byte(table), 0},
		"UTF-8 with a mark":           {"w.csv", []byte("\xef\xbb\xbf" + table), 0},
		"UTF-16, little end first":    {"w.csv", in(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), table), 0},
		"UTF-16, big end first":       {"w.csv", in(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), table), 0},
		"Windows-1252":                {"w.csv", in(western, table), 1},
		"Windows-1252 below the head": {"w.csv", append([]byte(table[:strings.Index(table, "\n")]), in(western, table[strings.Index(table, "\n"):])...), 3},
		"a map in Windows-1252":       {"w.geojson", in(western, shapes), 1},
		"a map in UTF-16":             {"w.geojson", in(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), shapes), 0},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			r := imported(t, db, fstest.MapFS{c.file: {Data: c.text}})
			switch {
			case r.Total.Failed != 0:
				t.Errorf("%+v", r)
			case c.line == 0 && r.RemarkedLines != 0, c.line > 0 && (r.RemarkedLines != 1 || r.Remarks[0].Line != c.line || !strings.Contains(r.Remarks[0].Error, "Windows-1252")):
				t.Errorf("%+v", r.Remarks)
			}
			if w := well(t, db, "42-329-97302"); w.Name != "PEÑASCO É 2 “A”" || w.Operator.Display != "CAÑÓN OIL" || w.Other["Año"] != "2" {
				t.Errorf("%+v", w)
			}
			if r = imported(t, db, fstest.MapFS{c.file: {Data: c.text}}); r.Total.Unchanged != r.Total.Read {
				t.Errorf("the second import changes something: %+v", r.Total)
			}
		})
	}
	r := imported(t, storetest.Open(t), fstest.MapFS{"w.csv": {Data: in(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), table)}})
	if r.SkippedFiles != 1 || !strings.Contains(r.Skipped[0].Reason, "save it as UTF-8") {
		t.Errorf("UTF-16 that does not say so: %+v", r)
	}
}

// "The file has 0, 0 for wells that nobody located. They came in without a place, and nobody said so."
func TestImport_SaysWhichWellsAreAtZero(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{
		"w.csv":     {Data: []byte("api,well_name,surf_lon,surf_lat,bh_lon,bh_lat,datum\n42-329-97301,NOWHERE 1,0,0.0,0,0,NAD27\n42-329-97302,THERE 2,-101.9,31.7,,,NAD27\n42-329-97303,NO PLACE 3,,,,,\n")},
		"x.geojson": {Data: []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"api":"42-329-97304"},"geometry":{"type":"Point","coordinates":[0,0]}}]}`)},
		"y.csv":     {Data: []byte("filing_no,site_name,release_rate_mcf_day,latitude,longitude\n1,SITE,5,0,0\n")}})
	if r.RemarkedLines != 3 || r.Total.Failed != 0 {
		t.Fatalf("%+v", r)
	}
	for i, file := range []string{"w.csv", "x.geojson", "y.csv"} {
		if x := r.Remarks[i]; x.File != file || x.Line != map[string]int{"w.csv": 2, "x.geojson": 1, "y.csv": 2}[file] || !strings.Contains(x.Error, "0, 0 usually stands for no coordinates") || strings.Contains(x.Error, "bh_lon, bh_lat") != (file == "w.csv") {
			t.Errorf("%+v", x)
		}
	}
	if well(t, db, "42-329-97301").Surface != nil || well(t, db, "42-329-97302").Surface == nil {
		t.Error("0, 0 is no place, and another one is")
	}
}

// "Our wells are P&A. They were counted as neighbours, and the import had taken the status without a word."
// "It took my own list's columns for something else, and nine of them for nothing."
func TestImport_ReadsTheColumnNamesOfOtherLists(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{
		"a.geojson": {Data: []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"HANNAH RANCH","operator":"CAPROCK BASIN","acres":160,"datum":"NAD27","lines_confirmed":"Y"},"geometry":{"type":"Polygon","coordinates":[[[-102.2,31.9],[-102.19,31.9],[-102.19,31.91],[-102.2,31.91],[-102.2,31.9]]]}}]}`)},
		"b.csv": {Data: []byte("API #,Lease Nm,Well #,Oper,P5 No,Cnty,RRC Dist,Fld,Fld #,Planned TD (ft),Lat,Long,Datum,Lse Ac,Stat,Horizontal\n" +
			"42-135-97001,HANNAH RANCH,1,CAPROCK BASIN,128765,ECTOR,08,SPRABERRY,85280300,9800,31.9036284,-102.1957468,NAD27,160,proposed,X\n" +
			"42-135-97002,HANNAH RANCH,2,CAPROCK BASIN,128765,ECTOR,08,SPRABERRY,85280300,9800,31.9035734,-102.1924602,NAD27,160,proposed,maybe\n")},
	})
	w := well(t, db, "42-135-97001")
	if w.WellNo != "1" || w.Name != "HANNAH RANCH 1" || w.County != "ECTOR" || w.District != "08" || w.Status != "proposed" || w.Profile != "horizontal" || len(w.Fields) != 1 || w.Other["total_depth_ft"] != "9800" || w.Other["acres"] != "160" {
		t.Errorf("%+v", w)
	}
	// The map came first and says no district: it is the same lease all the same.
	if c := countOf(r, "Lease"); c.Created != 1 || r.Total.Failed != 0 {
		t.Errorf("%+v, %+v", c, r.Errors)
	}
	if err := db.ViewRecords(func(tx record.Tx) error {
		l, ok, err := wells.ReadLease(tx, w.Lease)
		if err == nil && (!ok || l.Boundary == nil || !l.Boundary.Confirmed || l.District != "08" || l.Acres != 160) {
			t.Errorf("%+v", l)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(r.Remarks) != 1 || r.Remarks[0].Line != 3 || !strings.Contains(r.Remarks[0].Error, "neither yes nor no") {
		t.Errorf("%+v", r.Remarks)
	}
	if len(r.Tables) != 2 || r.Tables[1].File != "b.csv" || r.Tables[1].Mapping.Columns[2].Field != "well_no" {
		t.Errorf("%+v", r.Tables)
	}
}

// "I corrected the lines of my lease, and the old ones stayed for ever."
func TestImport_CorrectedLinesOfAMapTakeThePlaceOfItsOld(t *testing.T) {
	db := storetest.Open(t)
	lease := func(east string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"HANNAH RANCH","operator":"CAPROCK BASIN","district":"08","datum":"NAD27"},"geometry":{"type":"Polygon","coordinates":[[[-102.2,31.9],[` + east + `,31.9],[` + east + `,31.91],[-102.2,31.91],[-102.2,31.9]]]}}]}`)}
	}
	imported(t, db, fstest.MapFS{"wells.csv": {Data: []byte("api,lease_name,operator_name,district\n42-135-97001,HANNAH RANCH,CAPROCK BASIN,08\n")}})
	imported(t, db, fstest.MapFS{"leases.geojson": lease("-102.19")})
	r := imported(t, db, fstest.MapFS{"leases.geojson": lease("-102.18")})
	if c := countOf(r, "Lease"); c.Updated != 1 || len(r.Remarks) != 0 {
		t.Errorf("%+v, %+v", c, r.Remarks)
	}
	// Another map only tells what it says otherwise, and of which map.
	r = imported(t, db, fstest.MapFS{"other.geojson": lease("-102.17")})
	if len(r.Remarks) != 1 || !strings.Contains(r.Remarks[0].Error, "what leases.geojson says") {
		t.Errorf("%+v", r.Remarks)
	}
}

// "I said which column is the month and which the volume, and three months were gone without a word."
func TestImport_ColumnsThatAPersonNamesSayWhatALineIs(t *testing.T) {
	db := storetest.Open(t)
	o := options()
	o.Mapping = func(string) (record.Choice, bool) {
		return record.Choice{Columns: map[string]string{"Mo": "month", "Burnt": "flared_or_vented_mcf"}}, true
	}
	r, err := record.Import(t.Context(), db, fstest.MapFS{"gas.csv": {Data: []byte("Lease Nm,Mo,Burnt\nHANNAH RANCH,2025-01,100\nHANNAH RANCH,2025-02,-50\n")}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if c := countOf(r, "MonthlyFlaring"); c.Created != 1 || c.Failed != 1 {
		t.Errorf("%+v, %+v", r.Types, r.Errors)
	}
}

// "A permit of 2019 took the place of the one of this year."
func TestImport_TheNewestPermitCountsHoweverItsDayIsWritten(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"p.csv": {Data: []byte("api,permit_no,sequence,issued,operator_name,lease_name,district,application\n" +
		"42-135-97001,900002,99,01/15/2025,NEW CO,A,08,New Drill\n42-135-97001,900001,99,12/31/2019,OLD CO,A,08,New Drill\n42-135-97002,900003,99,soon,NEW CO,A,08,New Drill\n")}})
	if w := well(t, db, "42-135-97001"); w.Operator.Display != "NEW CO" {
		t.Errorf("%+v", w.Operator)
	}
	if len(r.Remarks) != 1 || r.Remarks[0].Line != 4 || !strings.Contains(r.Remarks[0].Error, "YYYY-MM-DD") {
		t.Errorf("%+v", r.Remarks)
	}
}

// "A month that nobody reported looked like one without flaring."
func TestImport_AMonthWithoutAVolumeIsNotZero(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"m.csv": {Data: []byte("month,lease_name,district,lease_number,flared_or_vented_mcf\n2025-01,A,08,1,0\n2025-02,A,08,1,\n")}})
	if c := countOf(r, "MonthlyFlaring"); c.Created != 1 || c.Failed != 1 || !strings.Contains(saidOf(r)[3], "write 0 for a month without flaring") {
		t.Errorf("%+v, %+v", r.Types, r.Errors)
	}
}

func TestImport_SaysThatAStatusIsNotKnown(t *testing.T) {
	r := imported(t, storetest.Open(t), fstest.MapFS{"w.csv": {Data: []byte("api,well_name,status\n42-329-97301,A 1,producing\n42-329-97302,B 2,code 7\n42-329-97303,C 3,explodded\n42-329-97304,D 4,code 7\n" +
		"42-329-97305,E 5,Plugged and abandoned\n42-329-97306,F 6,SHUT-IN\n42-329-97307,G 7,\n42-329-97308,H 8,Inactive\n42-329-97309,I 9,Cancelled\n")}})
	if r.Total.Created != 9 || r.RemarkedLines != 2 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{`"code 7"`, `"explodded"`} {
		if x := r.Remarks[i]; x.Line != 3+i || !strings.Contains(x.Error, want) || !strings.Contains(x.Error, "plugged") {
			t.Errorf("%+v", x)
		}
	}
}

// "It was 12,5 in our file, and it became 125. And there is no thirteenth month."
func TestImport_RefusesDecimalCommasAndMonthsThatThereAreNot(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"volumes.csv": {Data: []byte("lease_name;district;lease_number;oil_gas_code;month;flared_or_vented_mcf;gas_produced_mcf\n" +
		"SMITH;08;12345;O;2024-09;1,250;10,000.5\n" +
		"SMITH;08;12345;O;2024-10;12,5;100,25\n" +
		"SMITH;08;12345;O;2024-13;5;100\n")}})
	said := saidOf(r)
	if len(said) != 2 || !strings.Contains(said[3], "12,5") || !strings.Contains(said[3], "12.5") || !strings.Contains(said[4], "2024-13") {
		t.Errorf("%v", said)
	}
	if c := countOf(r, "MonthlyFlaring"); c.Created != 1 {
		t.Errorf("%+v", c)
	}
}

func TestImport_MapsGiveLeasesLinesAndWellsPlaces(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"map.geojson": {Data: []byte(`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:4269"}},"features":[
 {"type":"Feature","properties":{"api":"42-329-97301","operator_name":"ACME","lease_name":"TEST","district":"08"},"geometry":{"type":"Point","coordinates":[-101.8993482,31.7476705]}},
 {"type":"Feature","properties":{"api":"42-329-97302"},"geometry":{"type":"LineString","coordinates":[[-101.8993482,31.7476705],[-101.8978,31.749]]}}]}`)},
		"leases.geojson": {Data: []byte(`{"type":"FeatureCollection","features":[
 {"type":"Feature","properties":{"lease_name":"TEST","district":"08","operator_name":"ACME","datum":"NAD83"},"geometry":{"type":"Polygon","coordinates":[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.8958781,31.7520784],[-101.9041258,31.7503475],[-101.9021,31.7433]]]}},
 {"type":"Feature","properties":{"lease_name":"BOW TIE","district":"08","operator_name":"ACME","datum":"NAD83"},"geometry":{"type":"Polygon","coordinates":[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.9041258,31.7503475],[-101.8958781,31.7520784],[-101.9021,31.7433]]]}}]}`)}})
	if len(r.Errors) != 1 || r.Errors[0].Line != 2 || !strings.Contains(r.Errors[0].Error, "the ring crosses itself") || r.Errors[0].File != "leases.geojson" {
		t.Errorf("%+v", r.Errors)
	}
	w := well(t, db, "42-329-97302")
	if w.Bottom == nil || w.Bottom.Lat != 31.749 || w.Surface.Datum != "NAD83" {
		t.Errorf("%+v", w)
	}
	lease := well(t, db, "42-329-97301").Lease
	err := db.ViewRecords(func(tx record.Tx) error {
		l, ok, err := wells.ReadLease(tx, lease)
		if !ok || l.Boundary == nil || l.Boundary.Confirmed || l.Boundary.Datum != "NAD83" {
			t.Errorf("lines of a file are confirmed or missing: %+v", l)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// "Our GIS writes EPSG:4267 as urn:ogc:def:crs:EPSG::4267. That is NAD27, and the map was refused."
func TestImport_AMapsCoordinateSystemIsKnownInAllItsForms(t *testing.T) {
	read := func(crs string) (*store.DB, error) {
		db := storetest.Open(t)
		_, err := record.Import(t.Context(), db, fstest.MapFS{"m.geojson": {Data: []byte(`{"type":"FeatureCollection","crs":` + crs + `,"features":[{"type":"Feature","properties":{"api":"42-329-97301"},"geometry":{"type":"Point","coordinates":[-101.9,31.7]}}]}`)}}, options())
		return db, err
	}
	named := func(name string) string {
		return `{"type":"name","properties":{"name":"` + name + `"}}`
	}
	for datum, code := range map[survey.Datum]string{survey.NAD27: "4267", survey.NAD83: "4269", survey.WGS84: "4326"} {
		for _, form := range []string{"EPSG:%s", "epsg:%s", "urn:ogc:def:crs:EPSG::%s", "urn:ogc:def:crs:EPSG:9.8:%s", "urn:x-ogc:def:crs:EPSG:%s", "http://www.opengis.net/def/crs/EPSG/0/%s", "https://www.opengis.net/def/crs/EPSG/0/%s", "http://www.opengis.net/gml/srs/epsg.xml#%s"} {
			name := fmt.Sprintf(form, code)
			db, err := read(named(name))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if w := well(t, db, "42-329-97301"); w.Surface.Datum != datum {
				t.Errorf("%s is %q", name, w.Surface.Datum)
			}
		}
	}
	for name, datum := range map[string]survey.Datum{"OGC:CRS84": survey.WGS84, "CRS84": survey.WGS84, "urn:ogc:def:crs:OGC:1.3:CRS84": survey.WGS84, "urn:ogc:def:crs:OGC::CRS84": survey.WGS84,
		"http://www.opengis.net/def/crs/OGC/1.3/CRS84": survey.WGS84, "urn:ogc:def:crs:OGC:1.3:CRS27": survey.NAD27, "OGC:CRS83": survey.NAD83} {
		if d, err := survey.ParseDatum(name); err != nil || d != datum {
			t.Errorf("%s is %q (%v)", name, d, err)
		}
	}
	for _, name := range []string{"EPSG:2277", "urn:ogc:def:crs:EPSG::3857", "http://www.opengis.net/def/crs/EPSG/0/4258", "OGC:CRS1", "EPSG:NAD27:4267x"} {
		if _, err := read(named(name)); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "NAD27") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(`{"type":"link","properties":{"href":"http://example.com/crs/42"}}`); err == nil || !strings.Contains(err.Error(), "example.com/crs/42") {
		t.Errorf("a link: %v", err)
	}
	if db, err := read("null"); err != nil || well(t, db, "42-329-97301").Surface.Datum != "" {
		t.Errorf("no system is no datum: %v", err)
	}
}

// "vectors.json: not FHIR: no resourceType. I file wells; what is FHIR to me, and what can I import?"
func TestImport_SaysWhatAFileThatItPassesOverIs(t *testing.T) {
	r := imported(t, storetest.Open(t), fstest.MapFS{
		"a.csv":        {Data: []byte("api,well_name\n42-329-97301,A\n")},
		"b.txt":        {Data: []byte("wells")},
		"map.json":     {Data: []byte(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"api":"42-329-97302"},"geometry":{"type":"Point","coordinates":[-101.9,31.7]}}]}`)},
		"vectors.json": {Data: []byte(`{"spacing":[{"id":"a"}]}`)}})
	want := map[string]string{"b.txt": "none of .ndjson, .jsonl, .json, .csv, .geojson", "map.json": "reads like a .geojson file", "vectors.json": "nothing else that can be imported; that is FHIR R4 and files of agents, which end in .ndjson, .jsonl, .json, .csv, .geojson"}
	if r.SkippedFiles != len(want) || r.Total.Created != 1 {
		t.Fatalf("%+v", r)
	}
	for _, s := range r.Skipped {
		if !strings.Contains(s.Reason, want[s.File]) {
			t.Errorf("%s: %s", s.File, s.Reason)
		}
	}
}

// TestImport_AMapMayHaveLeasesAndWells: what a GIS exports in one file is read as what it is.
func TestImport_AMapMayHaveLeasesAndWells(t *testing.T) {
	db := storetest.Open(t)
	r := imported(t, db, fstest.MapFS{"map.geojson": {Data: []byte(`{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:4269"}},"features":[
 {"type":"Feature","properties":{"lease_name":"TEST","district":"08","operator_name":"ACME"},"geometry":{"type":"Polygon","coordinates":[[[-101.9021,31.7433],[-101.8938529,31.7450308],[-101.8958781,31.7520784],[-101.9041258,31.7503475],[-101.9021,31.7433]]]}},
 {"type":"Feature","properties":{"api":"42-329-97301","lease_name":"TEST","district":"08","operator_name":"ACME"},"geometry":{"type":"Point","coordinates":[-101.8993482,31.7476705]}},
 {"type":"Feature","properties":{"api":"42-329-97302","lease_name":"TEST","district":"08","operator_name":"ACME"},"geometry":{"type":"LineString","coordinates":[[-101.8993482,31.7476705],[-101.8978,31.749]]}},
 {"type":"Feature","properties":{"lease_name":"TEST"},"geometry":{"type":"Point","coordinates":[-101.8993482,31.7476705]}}]}`)}})
	if len(r.Errors) != 1 || r.Errors[0].Line != 4 || !strings.Contains(r.Errors[0].Error, "has no API number") {
		t.Errorf("%+v", r.Errors)
	}
	w := well(t, db, "42-329-97301")
	if w.Surface == nil || well(t, db, "42-329-97302").Bottom == nil {
		t.Errorf("a well of the map has no place: %+v", w)
	}
	err := db.ViewRecords(func(tx record.Tx) error {
		if l, ok, err := wells.ReadLease(tx, w.Lease); err != nil || !ok || l.Boundary == nil {
			t.Errorf("the well's lease has no lines: %+v", l)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestImport_ColumnsMeanWhatAPersonSays: a table that nobody knows is read once its
// columns have a meaning.
func TestImport_ColumnsMeanWhatAPersonSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "export.csv")
	if err := os.WriteFile(file, []byte("Well Code;Nord;Ost;Remark\n42-329-97301;31.7476705;-101.8993482;kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t)
	o := options()
	if r, err := record.ImportPath(t.Context(), db, file, o); err != nil || r.Total.Read != 0 || r.SkippedFiles != 1 || !strings.Contains(r.Skipped[0].Reason, "records mapping") {
		t.Fatalf("%+v %v", r, err)
	}
	m, err := record.MappingOf(file, o)
	if err != nil || len(m.Columns) != 4 {
		t.Fatalf("%+v %v", m, err)
	}
	o.Mapping = func(source string) (record.Choice, bool) {
		return record.Choice{Kind: "wells", Columns: map[string]string{"Well Code": "api", "Nord": "surf_lat", "Ost": "surf_lon"}, Set: map[string]string{"datum": "NAD83"}}, source == m.Source
	}
	if r, err := record.ImportPath(t.Context(), db, file, o); err != nil || r.Total.Created != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if w := well(t, db, "42-329-97301"); w.Surface.Lat != 31.7476705 || w.Surface.Datum != "NAD83" || w.Other["Remark"] != "kept" {
		t.Errorf("%+v", w)
	}
}

// TestFiling_F79_AnEntityAndItsNameComeTogether: a record and its place in the index of
// names are one transaction, so after a failure neither is there.
func TestFiling_F79_AnEntityAndItsNameComeTogether(t *testing.T) {
	db := storetest.Open(t)
	names := func() (list []string) {
		err := db.ViewRecords(func(tx record.Tx) error {
			return tx.RecordNames("Operator", "", func(name, id string) (bool, error) {
				list = append(list, name+"="+id)
				return true, nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	create := func(fail error) (ref record.Ref, err error) {
		err = db.UpdateRecords(func(tx record.Tx) error {
			w, err := wells.Create(tx, wells.Entity{Type: "Operator", Name: "O'Neil & Sons, Inc.", Number: "123456"})
			if err != nil {
				return err
			}
			ref = w.Ref
			r, err := record.New(w.After, noon)
			if err != nil {
				return err
			}
			return errors.Join(tx.PutRecord(r), fail)
		})
		return ref, err
	}
	broken := errors.New("the disk is full")
	if _, err := create(broken); !errors.Is(err, broken) || len(names()) != 0 {
		t.Fatalf("%v %v", names(), err)
	}
	ref, err := create(nil)
	if err != nil || ref.ID != "o-neil-sons-inc" {
		t.Fatalf("%v %v: the id is made of what the entity is", ref, err)
	}
	if got := names(); !slices.Equal(got, []string{"123456=o-neil-sons-inc", "o neil sons inc=o-neil-sons-inc"}) {
		t.Errorf("%v", got)
	}
	if _, err := create(nil); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("the same entity is created twice: %v", err)
	}
	// Another name leaves the index right.
	err = db.UpdateRecords(func(tx record.Tx) error {
		w, err := wells.Update(tx, ref, wells.Entity{Name: "ONEIL HOLDINGS"}, "call-1")
		if err != nil {
			return err
		}
		r, err := record.New(w.After, noon)
		return errors.Join(err, tx.PutRecord(r))
	})
	if got := names(); err != nil || !slices.Contains(got, "oneil holdings="+ref.ID) || !slices.Contains(got, "o neil sons inc="+ref.ID) {
		t.Errorf("the new name and, as an alias, the old one: %v %v", got, err)
	}
}

func TestImport_LeavesAloneWhatAPersonCorrected(t *testing.T) {
	db := storetest.Open(t)
	from := os.DirFS("../testdata")
	imported(t, db, from)
	ref := record.Ref{Type: "Well", ID: "42-329-97101"}
	err := db.UpdateRecords(func(tx record.Tx) error {
		w, err := wells.Update(tx, ref, wells.Entity{Status: "plugged", Surface: []float64{-102.1, 31.85}, Datum: "NAD83"}, "call-7")
		if err != nil {
			return err
		}
		r, err := record.New(w.After, noon)
		return errors.Join(err, tx.PutRecord(r))
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := imported(t, db, from); r.Total.Updated != 0 {
		t.Errorf("%+v", r.Total)
	}
	if w := well(t, db, ref.ID); w.Status != "plugged" || w.Surface.Datum != "NAD83" || w.Corrected["surface"] != "call-7" {
		t.Errorf("%+v", w)
	}
}

// "It complained of line 3 of a file that has two." Lines that end as on Windows count once.
func TestImport_CountsLinesThatEndAsOnWindows(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		for _, mark := range []string{"", "\ufeff"} {
			body := mark + strings.Join([]string{"API;Lease Name;Operator;Long;Lat", "42-329-97301;A;B;-102.1;31.86", "42-329-9730;A;B;-102.1;31.86", ""}, end)
			r := imported(t, storetest.Open(t), fstest.MapFS{"w.csv": {Data: []byte(body)}})
			if len(r.Errors) != 1 || r.Errors[0].Line != 3 || countOf(r, "Well").Created != 1 {
				t.Errorf("%q: %+v %+v", end, r.Errors, r.Types)
			}
		}
	}
}

// "The map had not been copied whole. It said EOF, and the other files of the folder were not read."
func TestImport_AMapThatBreaksOffIsOneErrorAmongOthers(t *testing.T) {
	const lease = `{"type":"Feature","properties":{"lease_name":"A","district":"08"},"geometry":null}`
	for body, want := range map[string]string{
		`{"type":"FeatureCollection","features":[` + lease + `,{"type":"Fea`:  "breaks off",
		`{"type":"FeatureCollection","features":[` + lease + `,`:              "breaks off",
		`{"type":"FeatureCollection","features":[` + lease + `]`:              "breaks off",
		`{"type":"FeatureCollection","features":[` + lease + `,{]}`:           "breaks off",
		`{"type":"FeatureCollection","features":{"lease_name":"A","name":1}}`: "features is not a list",
	} {
		r := imported(t, storetest.Open(t), fstest.MapFS{"a.geojson": {Data: []byte(body)}, "b.csv": {Data: []byte("api,well_name\n42-329-97301,A 1\n")}})
		if len(r.Errors) != 1 || r.Errors[0].File != "a.geojson" || !strings.Contains(r.Errors[0].Error, want) || countOf(r, "Well").Created != 1 || strings.Contains(body, lease) && countOf(r, "Lease").Created != 1 {
			t.Errorf("%s: %+v %+v", body, r.Errors, r.Types)
		}
	}
}
