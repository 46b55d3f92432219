package board_test

import (
	"strings"
	"testing"

	"holdpoint/engine/board"
	"holdpoint/engine/library"
)

// "I gave the sources to my reference manager, and it had titles without authors, journals and DOIs."
func TestReport_SourcesCarryTheirPublication(t *testing.T) {
	s := of(t)
	say(s, "e1", "h1", board.Supports)
	say(s, "e2", "h1", board.Supports)
	s = s.Decided(nil)
	all := map[string]board.Evidence{
		"e1": {ID: "e1", Passage: 1, Document: "d1", Name: "26852225", Title: "Honey", Source: "papers", Date: "2016-02-08", Place: 1, Text: "x", URL: "https://pubmed.ncbi.nlm.nih.gov/26852225/",
			Publication: &library.Publication{Authors: []string{"Müller, Anna", "Cough & Cold\nER  - "}, Journal: "J Small Rem", Volume: "12", Issue: "3", Pages: "101-9", DOI: "10.1000/jsr_1", PMID: "26852225"}},
		"e2": {ID: "e2", Passage: 2, Document: "d2", Name: "note.txt", Title: "Note", Source: "papers", Place: 1, Text: "x"},
	}
	r := board.NewReport(s, all, nil, board.English)
	bib := r.BibTeX()
	for _, want := range []string{"@article{holdpoint1,", "author = {Müller, Anna and {Cough \\& Cold ER  - }}", "journal = {J Small Rem}", "year = {2016}", "volume = {12}", "number = {3}", "pages = {101--9}", `doi = {10.1000/jsr\_1}`, "@misc{holdpoint2,"} {
		if !strings.Contains(bib, want) {
			t.Errorf("BibTeX has no %q:\n%s", want, bib)
		}
	}
	// "BibTeX stopped at a journal with a single brace, and all sources behind it were lost": it counts braces, with a backslash or without.
	odd := of(t)
	say(odd, "e1", "h1", board.Supports)
	e := all["e1"]
	e.Title = "Ends } early { and \\} late"
	bib = board.NewReport(odd.Decided(nil), map[string]board.Evidence{"e1": e}, nil, board.English).BibTeX()
	depth := 0
	for _, line := range strings.Split(strings.TrimSpace(bib), "\n") {
		before := depth
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if strings.Contains(line, " = {") && depth != before || depth < 0 {
			t.Errorf("a field of BibTeX does not end where it seems to: %s", line)
		}
	}
	ris := r.RIS()
	for _, want := range []string{"TY  - JOUR\r\n", "AU  - Müller, Anna\r\n", "JO  - J Small Rem\r\n", "VL  - 12\r\nIS  - 3\r\nSP  - 101\r\nEP  - 9\r\nDO  - 10.1000/jsr_1\r\n", "AN  - 26852225\r\n", "TY  - GEN\r\n"} {
		if !strings.Contains(ris, want) {
			t.Errorf("RIS has no %q:\n%s", want, ris)
		}
	}
	if strings.Count(ris, "\r\nER  - ") != 2 {
		t.Errorf("a name ends an entry:\n%s", ris)
	}
	if md := r.Markdown(); !strings.Contains(md, "J Small Rem 12(3):101") || !strings.Contains(md, "PMID 26852225") {
		t.Errorf("the references are\n%s", md)
	}
}
