package library_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/engine/library"
	"holdpoint/store"
)

func withPDF(t *testing.T) *library.Library {
	t.Helper()
	if !library.HasPDF() {
		t.Skip("this build reads no PDFs: it was built without PDFium")
	}
	db, err := store.Open(filepath.Join(t.TempDir(), "holdpoint.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return library.New(library.Options{Store: db, PDF: library.NewPDF(t.TempDir())})
}

// "It found the paper that I printed from the browser, and none of those from elsewhere."
func TestImport_ReadsPDFsOfSeveralPrograms(t *testing.T) {
	l := withPDF(t)
	dir := filepath.Join("testdata", "pdf")
	rep, err := l.ImportPath(t.Context(), dir, nil)
	if err != nil || rep.Created != 10 || rep.Failed != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, x := range []struct {
		file, query, says string
		page              int
	}{
		{"chromium.pdf", "vitamin falls", "vitamin D supplementation did not reduce the rate of falls", 1},
		{"chromium.pdf", `"efficient affluent office"`, "Ligatures: efficient affluent office.", 1},
		{"chromium.pdf", "thiamine", "α and β blockers", 1},
		{"pango.pdf", "gabapentin", "Schwächere Schmerzmittel genügten nicht.", 1},
		{"gs.pdf", "dysfunction", "thyroid dysfunction in older adults", 1}, // divided there
		{"fpdf.pdf", "bromelain", "Bromelain did not shorten convalescence.", 2},
		{"reportlab.pdf", "naïve", "Metformin 106 18.2", 1},
		{"owner.pdf", "bromelain", "Second page.", 2},
		{"tex.pdf", `"effect differs between efficient and inefficient"`, "“Fièvre” was rare; a fifth had nausea — nobody was afflicted", 1},
		{"tex.pdf", "fièvre", "at the first symptoms", 1},
		{"oldtex.pdf", `"staff offered flucloxacillin first"`, "the afflicted finger was no longer stiff", 1},
		{"oldtex.pdf", "naïve fièvre élevée", "the œuvre of Straßburg", 1},
		{"cmtex.pdf", `"supplémentation a été reçue"`, "avec réserve : l’île naïve, un goût amère à la fin", 1},
	} {
		found, err := l.Search(t.Context(), library.Query{Text: x.query, By: library.ByWords, Kind: library.KindPDF})
		if err != nil {
			t.Fatal(err)
		}
		var hit *library.Hit
		for i := range found.Hits {
			if found.Hits[i].Path == x.file {
				hit = &found.Hits[i]
			}
		}
		if hit == nil {
			t.Errorf("%s is not found by %s", x.file, x.query)
			continue
		}
		f := hit.Found[0]
		marked := ""
		for _, p := range f.Parts {
			if p.Marked {
				marked += p.Text + " "
			}
		}
		if !strings.Contains(f.Text, x.says) || f.Page != x.page || marked == "" {
			t.Errorf("%s by %s: page %d, marked %q: %s", x.file, x.query, f.Page, marked, f.Text)
		}
		// The reader shows the page, and the passage on it stands out.
		if x.query == "thiamine" || strings.HasPrefix(x.file, "p") {
			continue // a drawing is a process of its own; one for each kind will do
		}
		if plain, with := drawn(t, l, hit.ID, f.Page, 0), drawn(t, l, hit.ID, f.Page, f.N); same(plain, with) {
			t.Errorf("%s: nothing is marked on page %d", x.file, f.Page)
		}
	}
	// Columns are read one after the other.
	found, err := l.Search(t.Context(), library.Query{Text: "magnesium headache", By: library.ByWords})
	if err != nil || len(found.Hits) == 0 {
		t.Fatal(err)
	}
	if text := found.Hits[0].Found[0].Text; !strings.Contains(text, "magnesium had no effect on headache days in the second cohort") {
		t.Errorf("the columns are mixed: %s", text)
	}
	again, err := l.ImportPath(t.Context(), dir, nil)
	if err != nil || again.Unchanged != 10 || again.Passages != 0 {
		t.Errorf("the same again: %+v, %v", again, err)
	}
}

// "Our letters are PDFs inside of FHIR documents, and it took none of them."
func TestImport_ReadsThePDFInADocumentReference(t *testing.T) {
	l := withPDF(t)
	attachment := func(file string) map[string]any {
		body, err := os.ReadFile(filepath.Join("testdata", "pdf", file))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"attachment": map[string]any{"contentType": "application/pdf", "data": body}}
	}
	lines := ""
	for _, d := range []map[string]any{
		{"id": "letter", "description": "Letter of the clinic", "content": []any{attachment("fpdf.pdf")}},
		{"id": "trial", "content": []any{attachment("reportlab.pdf"), map[string]any{"attachment": map[string]any{"contentType": "text/plain", "data": []byte("See the dosage of orlistat.")}}}},
		{"id": "two", "content": []any{attachment("fpdf.pdf"), attachment("reportlab.pdf")}},
		{"id": "hollow", "content": []any{map[string]any{"attachment": map[string]any{"contentType": "application/pdf", "data": []byte("%PDF-1.4")}}}},
	} {
		d["resourceType"] = "DocumentReference"
		line, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		lines += string(line) + "\n"
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.ndjson"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	rep, err := l.ImportPath(t.Context(), dir, nil)
	if err != nil || rep.Created != 2 || rep.Failed != 2 || !strings.Contains(rep.Problems[0].Error, "more than one PDF") {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, x := range []struct {
		query, path, title string
		page               int
	}{
		{"bromelain", "notes.ndjson#letter", "Letter of the clinic", 2},
		{`"Arm n AHI"`, "notes.ndjson#trial", "", 1},
		{"orlistat", "notes.ndjson#trial", "", 0},
	} {
		found, err := l.Search(t.Context(), library.Query{Text: x.query, By: library.ByWords})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Path != x.path || found.Hits[0].Kind != library.KindPDF {
			t.Fatalf("%s: %+v, %v", x.query, found, err)
		}
		hit := found.Hits[0]
		if x.title != "" && hit.Title != x.title || hit.Found[0].Page != x.page {
			t.Errorf("%s: page %d of %q", x.query, hit.Found[0].Page, hit.Title)
		}
		if x.page > 0 && same(drawn(t, l, hit.ID, x.page, 0), drawn(t, l, hit.ID, x.page, hit.Found[0].N)) {
			t.Errorf("%s: nothing is marked on page %d", x.query, x.page)
		}
	}
	again, err := l.ImportPath(t.Context(), dir, nil)
	if err != nil || again.Unchanged != 2 || again.Passages != 0 {
		t.Errorf("the same again: %+v, %v", again, err)
	}
}

func drawn(t *testing.T, l *library.Library, id string, page int, passage uint64) image.Image {
	t.Helper()
	body, err := l.Page(t.Context(), id, page, 400, passage)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func same(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}

// What cannot be read is told with the reason for each file.
func TestImport_SaysWhyAPDFCannotBeRead(t *testing.T) {
	l := withPDF(t)
	rep, err := l.ImportPath(t.Context(), filepath.Join("testdata", "bad"), nil)
	if err != nil || rep.Failed != 4 || rep.Created != 0 {
		t.Fatalf("%+v, %v", rep, err)
	}
	want := map[string]string{"encrypted.pdf": "with its password", "truncated.pdf": "broken or cut off", "scan.pdf": "its only page has no text", "blankpage.pdf": "its only page has no text"}
	for _, p := range rep.Problems {
		if !strings.Contains(p.Error, want[p.File]) {
			t.Errorf("%s: %s", p.File, p.Error)
		}
	}
}
