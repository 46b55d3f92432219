//go:build race

package store

import (
	"path/filepath"
	"testing"
)

// "I looked at a request just as a turn was saved, and the whole program stood still."
func TestView_OneWithinAnotherIsFoundBeforeItStopsTheProgram(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "one.db"))
	defer func() { must(t, db.Close()) }()
	for name, within := range map[string]func(){
		"a view":    func() { _ = db.Read(func(Tx) error { return nil }) },
		"an update": func() { _ = db.Update(func(Tx) error { return nil }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s within a view goes through", name)
				}
			}()
			_ = db.Read(func(Tx) error { within(); return nil })
		}()
	}
	// One after another, and of another store, they may be.
	other := openFile(t, filepath.Join(t.TempDir(), "other.db"))
	defer func() { must(t, other.Close()) }()
	if err := db.Read(func(Tx) error { return other.Read(func(Tx) error { return nil }) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
}
