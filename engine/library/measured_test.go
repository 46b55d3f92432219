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
