package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/run"
)

// "I followed a citation on the screen, and the paper was gone." The screens ask these routes.
func TestLibrary_TheScreensReadACitationAfterItsDocumentWasRemoved(t *testing.T) {
	w := open(t)
	papers := t.TempDir()
	if err := os.WriteFile(filepath.Join(papers, "one.txt"), []byte("In a trial of adults exercise helped people sleep better."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.ImportDocuments(t.Context(), papers, func(int64, int64, string, string) {}); err != nil {
		t.Fatal(err)
	}
	out, err := w.app.RunTurn(t.Context(), app.TurnRequest{Session: w.app.NewSessionID(), Agent: "researcher", Text: "Does exercise help people sleep better?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	e := get[app.BoardView](w, "/api/boards/"+out.Run.Turn).Evidence[0]
	document := "/api/library/documents/" + e.Document
	if citing := get[struct{ Boards []app.BoardInfo }](w, document+"/boards"); len(citing.Boards) != 1 || citing.Boards[0].Turn != out.Run.Turn {
		t.Errorf("it is cited by %+v", citing)
	}
	if c := get[app.CitedPassage](w, document+"/passages/1"); c.N != 1 || c.Text != e.Text || c.Left != nil {
		t.Errorf("it is there, and opens as %+v", c)
	}
	if res := w.call("remove_document", map[string]string{"id": e.Document}); res.status != http.StatusOK {
		t.Fatalf("%d %s", res.status, res.body)
	}
	if c := get[app.CitedPassage](w, document+"/passages/1"); c.N != 0 || c.Text != e.Text || c.Left == nil || c.Left.At.IsZero() {
		t.Errorf("removed it opens as %+v", c)
	}
	for _, nothing := range []string{document + "/passages/7", document + "/passages/x", "/api/library/documents/none/passages/1"} {
		if res := w.do(http.MethodGet, nothing, "", nil); res.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", nothing, res.status, res.body)
		}
	}
}
