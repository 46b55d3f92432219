package library_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/encoder"
	"holdpoint/engine/library"
)

// HealthVer's table (sarrouti/HealthVer), for measurements only; nothing of it is in the product.
const claimsTable = "../../../shared/data/healthver/healthver_dev.csv"

func TestLibrary_ClaimsFindTheirEvidenceBetterByBothThanByWords(t *testing.T) {
	e := encoder.New(encoder.Options{File: os.Getenv("HOLDPOINT_ENCODER")})
	if _, err := e.Header(); err != nil {
		t.Skip("no weights: HOLDPOINT_ENCODER names no file, and none is inside")
	}
	f, err := os.Open(filepath.FromSlash(claimsTable))
	if err != nil {
		t.Skip("the table of claims is not there: ", err)
	}
	defer f.Close() // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	text, claim, label := column("evidence"), column("claim"), column("label")
	names, files, wanted, claims := map[string]string{}, map[string]string{}, map[string]map[string]bool{}, []string{}
	for _, r := range rows[1:] {
		if r[label] == "Neutral" {
			continue
		}
		if names[r[text]] == "" {
			names[r[text]] = fmt.Sprintf("evidence-%d.txt", len(names)+1)
			files[names[r[text]]] = r[text]
		}
		c := strings.TrimSpace(r[claim])
		if wanted[c] == nil {
			wanted[c], claims = map[string]bool{}, append(claims, c)
		}
		wanted[c][names[r[text]]] = true
	}
	l, _ := open(t, e)
	imported(t, l, folder(t, files))
	mrr := func(by string) (sum float64) {
		for _, c := range claims {
			if i := slices.IndexFunc(found(t, l, library.Query{Text: c, By: by, Limit: 100}), func(name string) bool { return wanted[c][name] }); i >= 0 {
				sum += 1 / float64(i+1) / float64(len(claims))
			}
		}
		return sum
	}
	words, both := mrr(library.ByWords), mrr(library.ByBoth)
	t.Logf("%d claims, %d pieces of evidence: MRR %.4f by words, %.4f by both", len(claims), len(names), words, both)
	if both < 1.12*words {
		t.Errorf("MRR by both is %.3f × by words, not 1.12", both/words)
	}
}

// "I look for the one page that has this code, and what comes first is a page about something else."
func TestLibrary_APassageWithTheOneWordThatWasAskedForComesFirst(t *testing.T) {
	e := encoder.New(encoder.Options{File: os.Getenv("HOLDPOINT_ENCODER")})
	if _, err := e.Header(); err != nil {
		t.Skip("no weights: HOLDPOINT_ENCODER names no file, and none is inside")
	}
	l, _ := open(t, e)
	files := map[string]string{"note.txt": "first text of warfarin", "deep.txt": "deep text", "review.txt": "Überprüfung: the fi ligature, éclairs and the efficacy of zylophanate in dogs. 1/2", "gout.txt": "Colchicine in gout."}
	var pages strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&pages, "{\"id\": \"page-%d\", \"text\": \"Page %d of the long filing about formation top %d and marker%d.\"}\n", i, i, i, i)
	}
	files["filing.jsonl"] = pages.String()
	long := strings.Repeat("Participants were randomised to one arm of the trial and followed for a year. ", 8)
	files["arms.txt"], files["x.txt"], files["rag.txt"], files["tool.txt"] = long+"The needlexylophone arm stopped early. "+long, "x", "one rag", "ndjson frobble one"
	imported(t, l, folder(t, files))
	for text, name := range map[string]string{"marker177": "page-177", "formation marker177": "page-177", "zylophanate": "review.txt", "Überprüfung": "review.txt", "warfarin": "note.txt", "needlexylophone": "arms.txt"} {
		a, err := l.Search(t.Context(), library.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Hits) == 0 || !strings.HasSuffix(a.Hits[0].Path, name) {
			t.Errorf("%q does not find %s first", text, name)
		}
	}
	// "What I put in quotes does not stand there."
	for _, by := range []string{library.ByBoth, library.ByWords, library.ByMeaning} {
		a, err := l.Search(t.Context(), library.Query{Text: `"needlexylophone"`, By: by})
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range a.Hits {
			if hit.Path != "arms.txt" {
				t.Errorf("a quoted word by %s finds %s", by, hit.Path)
			}
		}
	}
}
