package record_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"holdpoint/engine/record"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) // a Monday

// bulkFolder holds a public bulk export of ten synthetic patients (smart-on-fhir,
// Apache-2.0), where it is at hand; it is no part of the repository.
func bulkFolder() string {
	if given := os.Getenv("HOLDPOINT_FHIR_BULK"); given != "" {
		return given
	}
	return filepath.Join("..", "..", "..", "shared", "data", "fhir-bulk-10-patients")
}

func at(t time.Time) record.ImportOptions {
	return record.ImportOptions{Now: func() time.Time { return t }}
}

func imported(t *testing.T, db record.Store, name, text string) record.Report {
	t.Helper()
	r, err := record.ImportReader(t.Context(), db, name, strings.NewReader(text), at(noon))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, r)
	return r
}

// whole checks that the report accounts for everything.
func whole(t *testing.T, r record.Report) {
	t.Helper()
	var sum record.Count
	for _, c := range append(r.Types, r.Total) {
		if c.Read != c.Created+c.Updated+c.Unchanged+c.Failed {
			t.Errorf("%+v does not add up", c)
		}
		sum.Read += c.Read
	}
	if sum.Read != 2*r.Total.Read {
		t.Errorf("types do not add up to the total %+v", r.Total)
	}
	if len(r.Errors) != min(r.Total.Failed, 100) {
		t.Errorf("%d errors for %d failed", len(r.Errors), r.Total.Failed)
	}
}

func stored(t *testing.T, db record.Store, typ, id string) record.Record {
	t.Helper()
	var r record.Record
	err := db.ViewRecords(func(tx record.Tx) (err error) {
		r, err = tx.Record(record.Ref{Type: typ, ID: id})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestImport_TakesABulkExportAndASecondImportChangesNothing(t *testing.T) {
	folder := bulkFolder()
	names, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Log("no bulk export here; set HOLDPOINT_FHIR_BULK to a folder of .ndjson files")
		return
	}
	want := map[string]int{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		typ, _, _ := strings.Cut(filepath.Base(name), ".")
		want[typ] += bytes.Count(raw, []byte("\n"))
	}
	db := storetest.Open(t)
	for pass := range 2 {
		r, err := record.ImportPath(t.Context(), db, folder, at(noon))
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
		if len(r.Types) != len(want) {
			t.Errorf("%d types, want %d", len(r.Types), len(want))
		}
		for _, c := range r.Types {
			expect := record.Count{Type: c.Type, Read: want[c.Type], Created: want[c.Type]}
			if pass == 1 {
				expect.Created, expect.Unchanged = 0, want[c.Type]
			}
			if c != expect {
				t.Errorf("pass %d: %+v, want %+v", pass, c, expect)
			}
		}
	}
	err = db.ViewRecords(func(tx record.Tx) error {
		types, err := tx.RecordTypes()
		for typ, n := range want {
			if types[typ] != n {
				t.Errorf("%d %s stored, want %d", types[typ], typ, n)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImport_KeepsBytesAsTheyCame(t *testing.T) {
	db := storetest.Open(t)
	const line = `{ "id":"a",  "resourceType":"Observation","value":1.50, "big":12345678901234567890,"t":"\u00e4 <b>"}`
	for _, text := range []string{line, "\xef\xbb\xbf" + line + "\r\n", "\n\n  " + line + "\t\n\r\n"} {
		if r := imported(t, db, "x.ndjson", text); r.Total.Read != 1 || r.Total.Failed != 0 {
			t.Fatalf("%+v", r)
		}
		if got := string(stored(t, db, "Observation", "a").Resource); got != line {
			t.Errorf("got %s", got)
		}
	}
	if r := imported(t, db, "x.json", "\n"+line+"\n"); r.Total.Unchanged != 1 {
		t.Errorf("as a single resource: %+v", r)
	}
	if r := imported(t, db, "x.ndjson", `{"t":"ä <b>","resourceType":"Observation","id":"a","big":12345678901234567890,"value":1.50}`); r.Total.Unchanged != 1 {
		t.Errorf("another order and spelling of the same content: %+v", r)
	}
	if r := imported(t, db, "x.ndjson", strings.Replace(line, "890,", "891,", 1)); r.Total.Updated != 1 {
		t.Errorf("a digit that a double cannot hold: %+v", r)
	}
}

func TestImport_BadLinesAreNamedAndDoNotStopIt(t *testing.T) {
	deep := `{"resourceType":"Basic","id":"d","x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`
	for _, c := range []struct{ name, line, typ, says string }{
		{"not JSON", `{"resourceType":`, "(unreadable)", "EOF"},
		{"text", `Dear all`, "(unreadable)", ""},
		{"a list", `[]`, "(unreadable)", "not a JSON object"},
		{"two objects on a line", `{"resourceType":"Basic","id":"x"}{"resourceType":"Basic","id":"y"}`, "(unreadable)", ""},
		{"a key twice", `{"resourceType":"Patient","id":"a","id":"b"}`, "Patient", "Duplicate key"},
		{"a key twice deep inside", `{"resourceType":"Patient","id":"a","name":[{"family":"x","f\u0061mily":"y"}]}`, "Patient", "Duplicate key"},
		{"no type", `{"id":"a"}`, "(unreadable)", "resourceType"},
		{"a type in another spelling", `{"ResourceType":"Patient","id":"a"}`, "(unreadable)", "resourceType"},
		{"a type that is a path", `{"resourceType":"../x","id":"a"}`, "(unreadable)", "resourceType"},
		{"no id", `{"resourceType":"Patient"}`, "Patient", "id is missing"},
		{"an id of another kind", `{"resourceType":"Patient","id":7}`, "Patient", "id is missing"},
		{"an id that FHIR forbids", `{"resourceType":"Patient","id":"a_b"}`, "Patient", "id is missing"},
		{"an id with white space", `{"resourceType":"Patient","id":" a"}`, "Patient", "id is missing"},
		{"an id too long", `{"resourceType":"Patient","id":"` + strings.Repeat("a", 65) + `"}`, "Patient", "id is missing"},
		{"too deep", deep, "(unreadable)", "nested deeper than 64"},
		{"not UTF-8", "{\"resourceType\":\"Patient\",\"id\":\"a\",\"x\":\"\xff\"}", "Patient", "UTF-8"},
		{"too long", `{"resourceType":"Basic","id":"l","x":"` + strings.Repeat("a", 16<<20) + `"}`, "(unreadable)", "longer than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := storetest.Open(t)
			r := imported(t, db, "f.ndjson", `{"resourceType":"Basic","id":"before"}`+"\n"+c.line+"\n"+`{"resourceType":"Basic","id":"after"}`)
			if r.Total.Created != 2 || r.Total.Failed != 1 {
				t.Fatalf("%+v", r)
			}
			e := r.Errors[0]
			if e.File != "f.ndjson" || e.Line != 2 || !strings.Contains(e.Error, c.says) {
				t.Errorf("%+v", e)
			}
			for _, n := range r.Types {
				if n.Failed == 1 && n.Type != c.typ {
					t.Errorf("counted as %s", n.Type)
				}
			}
			stored(t, db, "Basic", "after")
		})
	}
	t.Run("64 levels are allowed", func(t *testing.T) {
		r := imported(t, storetest.Open(t), "f.ndjson", strings.Replace(strings.Replace(deep, "[[", "[", 1), "]]", "]", 1))
		if r.Total.Created != 1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("16 MiB are allowed", func(t *testing.T) {
		line := `{"resourceType":"Basic", "id":"l"}`
		line = strings.Replace(line, " ", strings.Repeat(" ", 16<<20-len(line)+1), 1)
		r := imported(t, storetest.Open(t), "f.ndjson", line+"\r\n"+`{"resourceType":"Basic","id":"m"}`)
		if r.Total.Created != 2 {
			t.Errorf("%+v", r.Total)
		}
	})
	t.Run("the first 100 errors are kept, all are counted", func(t *testing.T) {
		r := imported(t, storetest.Open(t), "f.ndjson", strings.Repeat("x\n", 250))
		if r.Total.Failed != 250 || len(r.Errors) != 100 {
			t.Errorf("%d failed, %d kept", r.Total.Failed, len(r.Errors))
		}
	})
}

func TestImport_ReadsABundleEntryByEntry(t *testing.T) {
	const patient = `{"fullUrl":"urn:uuid:AA-1","resource":{"resourceType":"Patient","id":"p1"},"request":{"method":"POST"}}`
	const before = `{"fullUrl":"urn:uuid:cc-3","resource":{"resourceType":"Condition","id":"c0","subject":{"reference" : "urn:uuid:aa-1"},"note":"reference: urn:uuid:aa-1"}}`
	const after = `{"fullUrl":"urn:uuid:bb-2","resource":{"resourceType":"Condition","id":"c1","subject":{"reference":"urn:uuid:aa-1"}}}`
	for _, c := range []struct {
		name, text      string
		created, failed int
	}{
		{"a transaction", `{"resourceType":"Bundle","type":"transaction","entry":[` + before + `,` + patient + `,` + after + `]}`, 3, 0},
		{"the type behind the entries", `{"entry":[` + patient + "\n,\n" + before + `],"resourceType":"Bundle"}`, 2, 0},
		{"an entry that is no resource", `{"resourceType":"Bundle","entry":[` + patient + `,{"resource":{"resourceType":"Patient"}},{"fullUrl":"x"},7,` + before + `]}`, 2, 3},
		{"an entry that is no JSON", `{"resourceType":"Bundle","entry":[` + patient + `,{"resource":{"resourceType" "Patient"}},` + before + `]}`, 2, 1},
		{"an entry with two resources", `{"resourceType":"Bundle","entry":[` + patient + `,` + before + `,{"resource":{"resourceType":"Patient","id":"x"},"resource":{"resourceType":"Patient","id":"y"}}]}`, 2, 1},
		{"a Bundle that breaks off", `{"resourceType":"Bundle","entry":[` + patient + `,` + before + `,{"resource":{"resour`, 2, 2},
		{"a list of entries that stands twice", `{"resourceType":"Bundle","entry":[` + patient + `,` + before + `],"entry":[` + after + `]}`, 2, 1},
		{"an entry that is too deep", `{"resourceType":"Bundle","entry":[` + patient + `,` + before + `,{"resource":{"resourceType":"Basic","id":"x","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}]}`, 2, 1},
		{"an entry that is too long", `{"resourceType":"Bundle","entry":[` + patient + `,{"resource":{"x":"` + strings.Repeat("a", 17<<20) + `"}},` + before + `]}`, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := storetest.Open(t)
			for pass := range 2 {
				r := imported(t, db, "b.json", c.text)
				if r.Total.Created+r.Total.Unchanged != c.created || r.Total.Failed != c.failed || r.Total.Updated != 0 || pass == 1 && r.Total.Created > 0 {
					t.Fatalf("pass %d: %+v %+v", pass, r.Total, r.Errors)
				}
			}
			got := stored(t, db, "Condition", "c0")
			if want := `{"resourceType":"Condition","id":"c0","subject":{"reference" : "Patient/p1"},"note":"reference: urn:uuid:aa-1"}`; string(got.Resource) != want {
				t.Errorf("got %s", got.Resource)
			}
			if who := record.PatientsOf(got); len(who) != 1 || who[0] != "p1" {
				t.Errorf("belongs to %v", who)
			}
		})
	}
	t.Run("the line of a bad entry is where it begins", func(t *testing.T) {
		r := imported(t, storetest.Open(t), "b.json", "{\"resourceType\":\"Bundle\",\n\"entry\":[\n"+patient+",\n{\n}]}")
		if len(r.Errors) != 1 || r.Errors[0].Line != 4 {
			t.Errorf("%+v", r.Errors)
		}
	})
	t.Run("a reference to no entry is counted", func(t *testing.T) {
		r := imported(t, storetest.Open(t), "b.json", `{"resourceType":"Bundle","entry":[`+after+`]}`)
		if r.Unresolved != 1 || r.Total.Created != 1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("the last text of a resource wins, also when an earlier one had to wait", func(t *testing.T) {
		db := storetest.Open(t)
		r := imported(t, db, "b.json", `{"resourceType":"Bundle","entry":[`+before+`,{"resource":{"resourceType":"Condition","id":"c0","code":{"text":"last"}}},`+patient+`]}`)
		if r.Total.Failed != 0 || !strings.Contains(string(stored(t, db, "Condition", "c0").Resource), "last") {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a Bundle is never in memory as a whole", func(t *testing.T) {
		src := &endless{entries: 20_000}
		o := at(noon)
		o.Progress = func(p record.Progress) {
			if ahead := src.made - p.Read; ahead > 5000 {
				t.Errorf("%d entries were read ahead of what is written", ahead)
			}
		}
		r, err := record.ImportReader(t.Context(), storetest.Open(t), "b.json", src, o)
		if err != nil || r.Total.Created != 20_000 {
			t.Errorf("%+v %v", r.Total, err)
		}
	})
	t.Run("an empty Bundle", func(t *testing.T) {
		r := imported(t, storetest.Open(t), "b.json", `{"resourceType":"Bundle"}`)
		if r.Total.Read != 0 || r.SkippedFiles != 0 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a List has entries as well and is one resource", func(t *testing.T) {
		for _, text := range []string{`{"resourceType":"List","id":"l","entry":[{"item":{}}]}`, `{"entry":[{"item":{}}],"id":"l","resourceType":"List"}`} {
			db := storetest.Open(t)
			if r := imported(t, db, "l.json", text); r.Total.Created != 1 || string(stored(t, db, "List", "l").Resource) != text {
				t.Errorf("%+v", r)
			}
		}
	})
}

// endless makes a Bundle while it is read.
type endless struct {
	entries, made int
	left          []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.left) == 0 {
		switch {
		case e.made == 0:
			e.left = []byte(`{"resourceType":"Bundle","entry":[`)
		case e.made > e.entries:
			return 0, io.EOF
		case e.made == e.entries:
			e.made++
			e.left = []byte(`]}`)
		}
		if e.made < e.entries {
			if e.made > 0 {
				e.left = append(e.left, ',')
			}
			e.made++
			e.left = fmt.Appendf(e.left, `{"resource":{"resourceType":"Basic","id":"b%d","text":"%s"}}`, e.made, strings.Repeat("x", 100))
		}
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

func TestImport_NamesFilesThatAreNotFHIR(t *testing.T) {
	r, err := record.Import(t.Context(), storetest.Open(t), fstest.MapFS{
		"a/p.NDJSON":   {Data: []byte(`{"resourceType":"Patient","id":"p"}`)},
		"b.json":       {Data: []byte(`{"name":"something","version":"1"}`)},
		"c.json":       {Data: []byte(`[1,2]`)},
		"d.json":       {Data: []byte(`plain`)},
		"e.json":       {Data: nil},
		"notes.txt":    {Data: []byte(`x`)},
		"empty.ndjson": {Data: nil},
	}, at(noon))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, r)
	if r.Total.Created != 1 || r.Total.Failed != 0 || r.SkippedFiles != 5 || len(r.Skipped) != 5 {
		t.Errorf("%+v", r)
	}
	if _, err := record.Import(t.Context(), storetest.Open(t), fstest.MapFS{"x.txt": {}}, at(noon)); !errors.Is(err, record.ErrNothing) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestSafety_24_AnImportRefusesLinks(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "s.ndjson")
	if err := os.WriteFile(secret, []byte(`{"resourceType":"Patient","id":"s"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.ndjson"), []byte(`{"resourceType":"Patient","id":"a"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "l.ndjson")
	if err := os.Symlink(secret, link); err != nil {
		t.Skip("this file system has no links")
	}
	if err := os.Symlink(outside, filepath.Join(folder, "sub")); err != nil {
		t.Fatal(err)
	}
	r, err := record.ImportPath(t.Context(), storetest.Open(t), folder, at(noon))
	if err != nil || r.Total.Read != 1 || r.SkippedFiles != 2 {
		t.Errorf("%+v %v", r, err)
	}
	for _, name := range []string{link, filepath.Join(folder, "sub")} {
		if r, err := record.ImportPath(t.Context(), storetest.Open(t), name, at(noon)); !errors.Is(err, record.ErrNothing) || r.Total.Read != 0 {
			t.Errorf("a link by name: %+v %v", r, err)
		}
	}
	for _, name := range []string{"../a.ndjson", "a.ndjson/../../s.ndjson"} {
		if r, err := record.ImportPath(t.Context(), storetest.Open(t), filepath.Join(folder, "none")+"/"+name, at(noon)); err == nil || r.Total.Read != 0 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestImport_ACancelledImportKeepsWholeBatchesAndSaysSo(t *testing.T) {
	var lines strings.Builder
	for n := range 1700 {
		fmt.Fprintf(&lines, `{"resourceType":"Basic","id":"b%d"}`+"\n", n)
	}
	db := storetest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []record.Progress
	o := at(noon)
	o.Progress = func(p record.Progress) {
		if seen = append(seen, p); len(seen) == 2 {
			cancel()
		}
	}
	r, err := record.ImportReader(ctx, db, "f.ndjson", strings.NewReader(lines.String()), o)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1000 resources before are kept") {
		t.Fatal(err)
	}
	whole(t, r)
	if !r.Stopped || r.Total.Created != 1000 {
		t.Errorf("%+v", r)
	}
	if len(seen) != 2 || seen[1] != (record.Progress{File: "f.ndjson", Line: 1000, Read: 1000}) {
		t.Errorf("%+v", seen)
	}
	for _, name := range []string{"bad.ndjson", "bad.json"} {
		bad := strings.Repeat("bad\n", 5000)
		if name == "bad.json" {
			bad = `{"resourceType":"Bundle","entry":[` + strings.Repeat("1,", 5000) + `1]}`
		}
		r, err := record.ImportReader(ctx, db, name, strings.NewReader(bad), at(noon))
		if !errors.Is(err, context.Canceled) || r.Total.Read > 500 {
			t.Errorf("a file of bad lines goes on: %+v %v", r.Total, err)
		}
	}
	r, err = record.ImportReader(t.Context(), db, "f.ndjson", strings.NewReader(lines.String()), at(noon))
	if err != nil || r.Total.Created != 700 || r.Total.Unchanged != 1000 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestImport_TimesComeFromTheClock(t *testing.T) {
	db := storetest.Open(t)
	imported(t, db, "f.ndjson", `{"resourceType":"Basic","id":"a"}`)
	if got := stored(t, db, "Basic", "a").UpdatedAt; !got.Equal(noon) || got.Location() != time.UTC {
		t.Errorf("%v", got)
	}
}

func FuzzImport(f *testing.F) {
	f.Add("x.ndjson", []byte("{\"resourceType\":\"Patient\",\"id\":\"a\"}\n\n{}\r\nx"))
	f.Add("x.json", []byte(`{"resourceType":"Bundle","entry":[{"fullUrl":"urn:uuid:a","resource":{"resourceType":"Patient","id":"a"}},{"resource":{"resourceType":"Condition","id":"c","subject":{"reference":"urn:uuid:a"}}},1,{}]}`))
	f.Add("x.json", []byte(`{"entry":[{"resource":{}}],"resourceType":"List","id":"x"}`))
	f.Add("x.json", []byte(`{"a":"\\\"","b":[{]}`))
	f.Add("x.json", []byte("\xef\xbb\xbf{\"resourceType\":\"Patient\",\"id\":\"a\"} {"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if strings.HasSuffix(name, "n") {
			name = "f.json"
		} else {
			name = "f.ndjson"
		}
		db := storetest.Open(t)
		r, err := record.ImportReader(t.Context(), db, name, bytes.NewReader(text), at(noon))
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
		if name == "f.ndjson" {
			lines := 0
			for line := range bytes.SplitSeq(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\n")) {
				if len(bytes.TrimSpace(line)) > 0 {
					lines++
				}
			}
			if r.Total.Read != lines {
				t.Errorf("%d read of %d lines", r.Total.Read, lines)
			}
		}
		again, err := record.ImportReader(t.Context(), db, name, bytes.NewReader(text), at(noon))
		if err != nil {
			t.Fatal(err)
		}
		if again.Total.Created != 0 {
			t.Errorf("a second import created %+v", again.Total)
		}
		err = db.ViewRecords(func(tx record.Tx) error {
			_, err := record.Providers(tx)
			if err != nil {
				return err
			}
			return tx.Records("Patient", "", func(p record.Record) (bool, error) {
				_, err := record.PatientSummary(tx, p.ID, noon)
				return true, err
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Entries are told apart by brackets alone; for valid JSON that has to agree with a
// parser.
func FuzzImport_CountsTheEntriesThatAParserSees(f *testing.F) {
	f.Add(`{"resource":{"resourceType":"Patient","id":"a","x":"]}\"\\"}}`, " \n")
	f.Add(`"\\"`, "\t")
	f.Add(`[{"a":[]},{}]`, "\r\n")
	f.Add(`-1.5e9`, "")
	f.Fuzz(func(t *testing.T, entry, space string) {
		if strings.TrimLeft(space, " \t\r\n") != "" {
			return
		}
		text := `{"resourceType":` + space + `"Bundle",` + space + `"total":2` + space + `,"entry":[` + entry + space + `,` + space + entry + `]` + space + `}`
		var parsed struct {
			Entry []json.RawMessage `json:"entry"`
		}
		if !json.Valid([]byte(text)) || json.Unmarshal([]byte(text), &parsed) != nil || strings.Contains(entry, "entry") || strings.Contains(entry, "\\u") {
			return
		}
		r, err := record.ImportReader(t.Context(), storetest.Open(t), "b.json", strings.NewReader(text), at(noon))
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
		if len(r.Errors) > 0 && strings.Contains(r.Errors[0].Error, "twice at the top") {
			return // the entry closed the Bundle and opened another object
		}
		if r.Total.Read != len(parsed.Entry) {
			t.Errorf("%d read, %d entries: %s", r.Total.Read, len(parsed.Entry), text)
		}
	})
}

func BenchmarkImport(b *testing.B) {
	folder := bulkFolder()
	names, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, raw...)
	}
	if len(text) == 0 {
		for n := range 5000 {
			text = fmt.Appendf(text, `{"resourceType":"Condition","id":"c%d","subject":{"reference":"Patient/p"},"code":{"text":"Condition number %d"},"onsetDateTime":"2020-01-01"}`+"\n", n, n)
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		db, err := store.Open(filepath.Join(b.TempDir(), "holdpoint.db"))
		if err != nil {
			b.Fatal(err)
		}
		r, err := record.ImportReader(context.Background(), db, "b.ndjson", bytes.NewReader(text), at(noon))
		if err != nil || r.Total.Failed > 0 {
			b.Fatal(r, err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// "I dropped the folder of the export, and only the first file was there."
func TestImportFiles_AFolderWithAnArchiveIsOneReport(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"in/Patient.ndjson": `{"resourceType":"Patient","id":"z1"}` + "\n", "readme.txt": "hello", "in/deep/Bundle.json": `{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"z2"}}]}`} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	files := []struct{ name, text string }{
		{"clinic/a.ndjson", `{"resourceType":"Patient","id":"a1"}` + "\nnot json\n"}, {"clinic/notes.pdf", "%PDF"}, {"clinic/more.zip", archive.String()}, {"clinic/broken.zip", "PK no"},
	}
	next := func() (string, io.Reader, error) {
		if len(files) == 0 {
			return "", nil, io.EOF
		}
		f := files[0]
		files = files[1:]
		return f.name, strings.NewReader(f.text), nil
	}
	folder := t.TempDir()
	db := storetest.Open(t)
	report, err := record.ImportFiles(t.Context(), db, next, record.ImportOptions{Folder: folder})
	if err != nil || report.Total.Created != 3 || report.Total.Failed != 1 || report.SkippedFiles != 3 {
		t.Fatalf("%+v, %v", report, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("the archive was left in the folder: %v, %v", left, err)
	}
	// The same archive by its path.
	path := filepath.Join(t.TempDir(), "clinic.ZIP")
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := record.ImportPath(t.Context(), db, path, record.ImportOptions{}); err != nil || report.Total.Unchanged != 2 {
		t.Errorf("by its path: %+v, %v", report, err)
	}
	if _, err := record.ImportFiles(t.Context(), db, func() (string, io.Reader, error) { return "", nil, io.EOF }, record.ImportOptions{}); !errors.Is(err, record.ErrNothing) {
		t.Errorf("nothing at all: %v", err)
	}
}
