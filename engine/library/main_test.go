package library_test

import (
	"os"
	"testing"

	"holdpoint/engine/library/pdfium"
)

// The tests' own program is what reads PDFs, too.
func TestMain(m *testing.M) {
	if handled, code := pdfium.RunChild(os.Args[1:]); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
