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
