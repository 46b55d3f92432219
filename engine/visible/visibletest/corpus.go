// Package visibletest has the corpus of hostile text for the tests of every way out.
package visibletest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Case is a text and how it is shown: as text of several lines, and as one line.
type Case struct{ Name, Raw, Shown, Line string }

// Corpus reads engine/visible/testdata/corpus.json, which the screens are tested on, too.
func Corpus(t testing.TB) (cases []Case) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "testdata", "corpus.json"))
	if err == nil {
		err = json.Unmarshal(b, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		if cases[i].Line == "" {
			cases[i].Line = cases[i].Shown
		}
	}
	return cases
}
