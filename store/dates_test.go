package store

import (
	"path/filepath"
	"testing"

	"holdpoint/engine/board"
	"holdpoint/engine/library"
)

// "The PDFs that I imported last year still have the day of my printer for a date."
func TestMigrate_APDFLosesTheDayOnWhichItWasMade(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "holdpoint.db"))
	defer func() { must(t, db.Close()) }()
	admit(t, db, "r", "s")
	list := []library.Document{
		{ID: "printed", Name: "guideline.pdf", Source: "papers", Path: "sub/guideline.pdf", Kind: library.KindPDF, Date: "2026-03-03"},
		{ID: "referenced", Name: "ref1", Source: "papers", Path: "bundle.json#ref1", Kind: library.KindPDF, Date: "2019-01-02"},
		{ID: "text", Name: "a.md", Source: "papers", Path: "a.md", Kind: library.KindMarkdown, Date: "2018"},
	}
	must(t, db.UpdateLibrary(func(x library.Tx) error {
		for i := range list {
			if err := x.AddDocument(&list[i], []library.Passage{{Text: "It helps."}}, []byte("x")); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, db.update(func(t *tx) error {
		for _, d := range list {
			if err := t.PutEvidence("r", board.Evidence{ID: board.EvidenceID(d.First), Passage: d.First, Document: d.ID, Date: d.Date}); err != nil {
				return err
			}
		}
		return bringTo(t, 7, 8)
	}))
	must(t, db.view(func(x *tx) error {
		for id, want := range map[string]string{"printed": "", "referenced": "2019-01-02", "text": "2018"} {
			d, err := x.Document(id)
			must(t, err)
			e, err := x.Evidence("r", board.EvidenceID(d.First))
			must(t, err)
			if d.Date != want || e.Date != want {
				t.Errorf("%s has the date %q, evidence of it %q", id, d.Date, e.Date)
			}
		}
		return nil
	}))
}
