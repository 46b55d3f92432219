package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
)

// "I threw a paper out of the library and imported a newer version of another, and the report I had
// signed cited passages that nobody could open any more. Nothing had told me that it cites them."
func TestLibrary_ACitationOpensAfterItsDocumentWasRemovedOrReplaced(t *testing.T) {
	x := withPapers(t)
	turn := lines(t, x.want(0, studying...).out)[0]["turn"].(string)
	before := shownBoard(x, turn)
	by := map[string]app.EvidenceView{}
	for _, e := range before.Evidence {
		if e.Left != nil {
			t.Errorf("%s is in the library, and is said to have left it: %+v", e.Name, e.Left)
		}
		by[e.Name] = e
	}
	gone, replaced := by["one.txt"], by["three.txt"]
	open := func(e app.EvidenceView) (c app.CitedPassage, said string) {
		t.Helper()
		number := fmt.Sprint(e.Passage)
		if err := json.Unmarshal([]byte(x.want(0, "library", "show", e.Document, "--passage", number, "--json").out), &c); err != nil {
			t.Fatal(err)
		}
		shown := x.want(0, "library", "show", e.Document, "--passage", number)
		if c.Text != e.Text || !strings.Contains(shown.out, e.Text) {
			t.Errorf("%s opens with %q", e.Name, shown.out)
		}
		return c, shown.err
	}
	if c, said := open(gone); c.N != gone.Passage || strings.Contains(said, "board") {
		t.Errorf("what is there is opened as %d: %s", c.N, said)
	}

	// Who removes is told first, and may go on.
	if got := x.want(2, "library", "rm", gone.Document); !strings.Contains(got.err, "Boards that cite document "+gone.Document+": 1.") {
		t.Errorf("before it is removed: %s", got.err)
	}
	x.want(0, "library", "show", gone.Document)
	x.want(0, "library", "rm", gone.Document, "--yes")
	dir := filepath.Join(x.data, "papers")
	if err := os.WriteFile(filepath.Join(dir, "three.txt"), []byte("Exercise was not studied after all."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "one.txt")); err != nil {
		t.Fatal(err)
	}
	x.want(0, "library", "import", dir)

	if c, said := open(gone); c.N != 0 || c.Left == nil || c.Left.At.IsZero() || c.Left.Next != "" || !strings.Contains(said, "The document was removed from the library on "+c.Left.At.Format("2006-01-02")) {
		t.Errorf("the removed one opens as %+v: %s", c, said)
	}
	if c, said := open(replaced); c.N != 0 || c.Now == nil || c.Now.Name != "three.txt" || c.Now.ID == replaced.Document || !strings.Contains(said, "earlier version") || !strings.Contains(said, c.Now.ID) {
		t.Errorf("the replaced one opens as %+v: %s", c, said)
	}
	if got := x.want(1, "library", "show", gone.Document, "--passage", "999"); !strings.Contains(got.err, "no board keeps it") {
		t.Errorf("what nobody keeps: %s", got.err)
	}
	for _, e := range shownBoard(x, turn).Evidence {
		if want := e.Name == "one.txt" || e.Name == "three.txt"; (e.Left != nil) != want || e.Text != by[e.Name].Text {
			t.Errorf("the board shows %s as %+v", e.Name, e)
		}
	}
	for _, format := range []string{"md", "html"} {
		report := x.want(0, "board", "report", turn, "--format", format).out
		if !strings.Contains(report, "The document was removed from the library on ") || !strings.Contains(report, "This text is of an earlier version of the document") {
			t.Errorf("the report as %s does not say what became of its sources:\n%s", format, report)
		}
	}
	if got := x.want(0, "check"); !strings.Contains(got.err, "No problem found.") {
		t.Errorf("check: %s", got.err)
	}

	// The same document once more: its citation opens in the library again.
	if err := os.WriteFile(filepath.Join(dir, "one.txt"), []byte(gone.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	x.want(0, "library", "import", dir)
	if c, said := open(gone); c.N == 0 || c.N == gone.Passage || c.Left != nil || strings.Contains(said, "board") {
		t.Errorf("imported again it opens as %+v: %s", c, said)
	}
	x.want(2, "library", "rm", gone.Document) // cited still

	// A board that is deleted cites nothing.
	x.want(0, "sessions", "delete", "s1")
	x.want(0, "library", "rm", gone.Document)
}
