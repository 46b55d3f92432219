package library_test

import (
	"encoding/json"
	"slices"
	"testing"

	"holdpoint/engine/library"
)

const medline = "PMID- 26852225\nDP  - 2016 Feb 8\nTI  - Honey for cough\nVI  - 12\nIP  - 3\nPG  - 101-9\nAB  - Honey was better than nothing.\nFAU - Müller, Anna\nAU  - Müller A\n" +
	"FAU - Smith, Bo\nAU  - Smith B\nCN  - Cough Group\nJT  - Journal of Small Remedies\nTA  - J Small Rem\nLID - S0022(16)00001-2 [pii]\nLID - 10.1000/jsr.2016.17 [doi]\n"

// "The authors, the journal and the DOI were in my export, and the library has lost them." And: "I typed
// the author, the DOI, the PMID, and nothing was found."
func TestPublication_WhatAnExportSaysOfItIsKeptAndFound(t *testing.T) {
	l, _ := open(t, nil)
	imported(t, l, folder(t, map[string]string{
		"pubmed.nbib": medline + "\nPMID- 2\nAU  - Okafor C\nTI  - Zinc\nAB  - Zinc did little.\n",
		"refs.ris": "TY  - JOUR\nAU  - Rossi, Carla\nTI  - Garlic and colds\nT2  - Annals of Bulbs\nVL  - 4\nIS  - 2\nSP  - 7\nEP  - 11\nDO  - https://doi.org/10.1000/bulb.7\nPY  - 2012\nDP  - PubMed\n" +
			"AB  - Garlic prevented few colds.\nID  - g1\nER  - \n",
		"table.csv":  "pmid,title,abstract,year,authors,journal,doi\n31415926,Ginger,Ginger settles the stomach.,2014,\"Ndiaye F, Tran AB\",Root Letters,10.1000/root.1\n",
		"lines.json": `[{"id":"q1","title":"Mint","abstract":"Mint cools.","authors":["Olsen, Per","Mint Study"],"volume":9,"journal":"Leaves"}]`,
	}))
	want := map[string]string{
		"26852225": `{"authors":["Müller, Anna","Smith, Bo","Cough Group"],"journal":"Journal of Small Remedies","volume":"12","issue":"3","pages":"101-9","doi":"10.1000/jsr.2016.17","pmid":"26852225"}`,
		"2":        `{"authors":["Okafor, C"],"pmid":"2"}`,
		"g1":       `{"authors":["Rossi, Carla"],"journal":"Annals of Bulbs","volume":"4","issue":"2","pages":"7-11","doi":"10.1000/bulb.7"}`,
		"31415926": `{"authors":["Ndiaye, F","Tran, AB"],"journal":"Root Letters","doi":"10.1000/root.1","pmid":"31415926"}`,
		"q1":       `{"authors":["Olsen, Per","Mint Study"],"journal":"Leaves","volume":"9"}`,
	}
	addresses := map[string]string{"26852225": "https://pubmed.ncbi.nlm.nih.gov/26852225/", "2": "https://pubmed.ncbi.nlm.nih.gov/2/", "g1": "https://doi.org/10.1000/bulb.7", "31415926": "https://pubmed.ncbi.nlm.nih.gov/31415926/"}
	if err := l.Documents(func(d library.Document) (bool, error) {
		got, err := json.Marshal(d.Publication)
		if err != nil || string(got) != want[d.Name] {
			t.Errorf("%s: %s, %v", d.Name, got, err)
		}
		if d.URL != addresses[d.Name] {
			t.Errorf("%s is at %q", d.Name, d.URL)
		}
		if d.Name == "g1" && d.Date != "2012" {
			t.Errorf("its date is %q", d.Date)
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	questions := map[string]string{"Müller": "26852225", "smith": "26852225", "Small Remedies": "26852225", "10.1000/jsr.2016.17": "26852225", "26852225": "26852225", "Rossi": "g1", "bulbs": "g1", "31415926": "31415926", "Tran": "31415926", "olsen": "q1", "q1": "q1"}
	look := func(what string, in *library.Library) {
		for question, name := range questions {
			if got := found(t, in, library.Query{Text: question, By: library.ByWords}); len(got) == 0 || got[0] != name {
				t.Errorf("%s: %q finds %v, not %s", what, question, got, name)
			}
		}
	}
	look("imported", l)
	if err := l.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	look("indexed anew", l)
	var id string
	if err := l.Documents(func(d library.Document) (bool, error) {
		if d.Name == "26852225" {
			id = d.ID
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Remove(id); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"Müller", "26852225"} {
		if got := found(t, l, library.Query{Text: gone, By: library.ByWords}); slices.Contains(got, "26852225") {
			t.Errorf("removed, and %q finds it", gone)
		}
	}
}

// "A hostile export made the list of authors as long as it liked, and its DOI was a script."
func TestPublication_WhatAFileSaysIsCut(t *testing.T) {
	l, _ := open(t, nil)
	long := ""
	for range 900 {
		long += "Zz"
	}
	text := "PMID- 7\nTI  - T\nAB  - Some text.\nLID - javascript:alert(1) [doi]\nJT  - " + long + "\n"
	for i := range 300 {
		text += "AU  - " + string(rune('A'+i%26)) + long[:i] + " X\n"
	}
	imported(t, l, folder(t, map[string]string{"a.nbib": text}))
	if err := l.Documents(func(d library.Document) (bool, error) {
		if p := d.Publication; p == nil || p.DOI != "" || len(p.Journal) > 300 || len(p.Authors) != 200 {
			t.Errorf("%+v", d.Publication)
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// "I imported the export again to get its authors, and it said unchanged." And: "My report's citations
// went dead when I did."
func TestPublication_ImportingAgainAddsWhatWasNotKnown(t *testing.T) {
	l, db := open(t, nil)
	dir := folder(t, map[string]string{"pubmed.nbib": medline + "\nPMID- 2\nTI  - Zinc\nAB  - Zinc did little.\n"})
	imported(t, l, dir)
	var before library.Document
	// As an earlier release kept it: without publication.
	if err := db.UpdateLibrary(func(tx library.Tx) error {
		return tx.Documents(func(d library.Document) (bool, error) {
			if d.Name != "26852225" {
				return true, nil
			}
			d.Publication, d.URL = nil, ""
			before = d
			return false, tx.SetDocument(d)
		})
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := found(t, l, library.Query{Text: "Müller", By: library.ByWords}); len(got) != 0 {
		t.Fatalf("the author finds %v before it is known", got)
	}
	rep := imported(t, l, dir)
	if rep.Read != 2 || rep.Created != 0 || rep.Updated != 1 || rep.Unchanged != 1 {
		t.Errorf("%+v", rep)
	}
	after, _, err := l.Passages(before.ID, 0, 1)
	if err != nil || after.Publication == nil || after.Publication.PMID != "26852225" || after.URL == "" {
		t.Errorf("%+v, %v", after, err)
	}
	if after.First != before.First || after.Passages != before.Passages || !after.ImportedAt.Equal(before.ImportedAt) {
		t.Errorf("its passages are others: %d, %d", after.First, before.First)
	}
	if got := found(t, l, library.Query{Text: "Müller", By: library.ByWords}); !slices.Equal(got, []string{"26852225"}) {
		t.Errorf("the author finds %v", got)
	}
	if again := imported(t, l, dir); again.Unchanged != 2 {
		t.Errorf("the third time: %+v", again)
	}
}
