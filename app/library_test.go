package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"holdpoint/app"
)

// "It said 4,149 documents of 6,053 documents, and there were seventeen."
func TestLibrary_AnImportCountsDocumentsWhileItReadsAndEntriesWhileItIndexes(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer func() { closeApp(t, a) }()
	papers := t.TempDir()
	if err := os.WriteFile(filepath.Join(papers, "one.txt"), []byte("Exercise helps.\n\nIt does."), 0o600); err != nil {
		t.Fatal(err)
	}
	notices, stop := a.Watch()
	defer stop()
	j, err := a.StartImportDocuments(papers)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WaitJob(j.ID, func(app.Job) {}); err != nil {
		t.Fatal(err)
	}
	var last app.Job
	for len(notices) > 0 {
		n := <-notices
		if n.Kind != app.NoticeJob || n.ID != j.ID {
			continue
		}
		if err := json.Unmarshal(n.Data, &last); err != nil {
			t.Fatal(err)
		}
		if (last.Unit == "documents") != (last.Detail == "") || last.Unit == "documents" && last.Total != 0 {
			t.Errorf("it says %d of %d %s: %q", last.Done, last.Total, last.Unit, last.Detail)
		}
	}
	if last.Unit != "entries" || last.Done != last.Total || last.Total == 0 {
		t.Errorf("it ends with %+v", last)
	}
}

// "I know who wrote it and its DOI, and the list finds nothing by either."
func TestLibrary_TheListIsFilteredByAuthorJournalAndNumbers(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer func() { closeApp(t, a) }()
	file := filepath.Join(t.TempDir(), "refs.ris")
	if err := os.WriteFile(file, []byte("TY  - JOUR\nAU  - Rossi, Carla\nTI  - Garlic and colds\nT2  - Annals of Bulbs\nDO  - 10.1000/bulb.7\nAB  - Garlic prevented few colds.\nID  - g1\nER  - \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportDocuments(t.Context(), file, quietIn); err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]int{"rossi": 1, "Annals of Bulbs": 1, "10.1000/bulb.7": 1, "Okafor": 0} {
		if page, err := a.Documents(filter, "", "", "", 10); err != nil || page.Matching != want {
			t.Errorf("%q lets %d through, %v", filter, page.Matching, err)
		}
	}
}
