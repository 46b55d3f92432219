package library_test

import (
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/engine/library"
)

// "The list says 2014-02-30, a day that never was, and the line in my export that says so is nowhere named."
func TestImport_ADateThatIsNotInTheCalendarIsLeftOutAndItsLineIsNamed(t *testing.T) {
	l, _ := open(t, nil)
	rep := imported(t, l, folder(t, map[string]string{
		"table.csv":   "id,abstract,date\nc1,Mint cools the mouth.,2014-02-30\nc2,Sage warms the throat.,2012-02-29\nc3,Dill calms the child.,n.d.\nc4,Anise wakes the uncle.,2014-00-00\nc5,Thyme helps the aunt.,2014-12-00\nc6,Cumin settles it.,20141301\n",
		"refs.ris":    "TY  - JOUR\nTI  - Garlic\nDA  - 2014/13/01\nPY  - 2014\nDP  - PubMed\nAB  - Garlic prevented colds.\nID  - r1\nER  - \nTY  - JOUR\nTI  - Onion\nDA  - 2011/05//\nAB  - Onions did not.\nID  - r2\nER  - \n",
		"pubmed.nbib": "PMID- 7\nTI  - Leeks\nDP  - 2014 Apr 31\nAB  - Leeks did less.\n\nPMID- 8\nTI  - Chives\nDP  - 2014 Apr-May\nAB  - Chives did more.\n",
		"lines.jsonl": "{\"id\":\"j1\",\"abstract\":\"Basil is green.\",\"date\":\"2020-01-01\"}\n{\"id\":\"j2\",\"abstract\":\"Basil is not red.\",\"date\":\"2021-02-29\"}\n",
		"note.md":     "---\ntitle: Parsley\ndate: 2019-06-31\n---\nParsley is flat.",
	}))
	want := map[string]string{"c1": "", "c2": "2012-02-29", "c3": "", "c4": "2014", "c5": "2014-12", "c6": "", "r1": "2014", "r2": "2011-05", "7": "", "8": "2014-04", "j1": "2020-01-01", "j2": "", "note.md": ""}
	if err := l.Documents(func(d library.Document) (bool, error) {
		if date, known := want[d.Name]; !known || d.Date != date {
			t.Errorf("%s has the date %q, not %q", d.Name, d.Date, date)
		}
		delete(want, d.Name)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(want) > 0 {
		t.Errorf("not imported: %v", want)
	}
	notes := map[string]string{}
	for _, x := range rep.Notes {
		notes[x.File+" "+x.Entry] = x.Error
	}
	for place, said := range map[string]string{
		"table.csv c1": "line 2: “2014-02-30” is not a date of the calendar", "table.csv c6": "line 7: “20141301”", "refs.ris r1": "line 3: “2014/13/01”",
		"pubmed.nbib 7": "line 3: “2014 Apr 31”", "lines.jsonl j2": "line 2: “2021-02-29”", "note.md ": "line 3: “2019-06-31”",
	} {
		if !strings.HasPrefix(notes[place], said) {
			t.Errorf("of %s it is noted %q", place, notes[place])
		}
		delete(notes, place)
	}
	if len(notes) > 0 {
		t.Errorf("noted as well: %v", notes)
	}
}

// "It says that the guideline is of last Tuesday: that is when I printed it."
func TestImport_WhenAPDFWasMadeIsNotItsDate(t *testing.T) {
	l := withPDF(t)
	if _, err := l.ImportPath(t.Context(), filepath.Join("testdata", "pdf"), nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Documents(func(d library.Document) (bool, error) {
		if d.Date != "" {
			t.Errorf("%s has the date %s", d.Name, d.Date)
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
}
