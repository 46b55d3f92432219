package store

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/ledger"
)

// "One number of the file was damaged, and the next conversation was written over an older one." A counter that is too
// low gives out no number that stands somewhere.
func TestCounter_ThatIsTooLowOverwritesNothing(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		text := func(of string) json.RawMessage { return json.RawMessage(`"` + strings.Repeat(of+" ", 900) + `"`) }
		keep := func(id string) {
			must(t, db.Update(func(x Tx) error {
				t := x.(*tx)
				t.writes++
				return t.put(settings.bucket, key(id), text(id))
			}))
			must(t, db.Update(func(x Tx) error { return x.PutApproval(approval(t, id, "s")) }))
		}
		admit(t, db, "r", "s")
		keep("first")
		must(t, db.update(func(x *tx) error {
			x.writes++
			for _, name := range []string{"pieces", "approvals"} {
				if err := x.setCounter(name, 0); err != nil {
					return err
				}
			}
			return nil
		}))
		keep("second")
		must(t, db.Read(func(x Tx) error {
			for _, id := range []string{"first", "second"} {
				if got, err := x.(*tx).get(settings.bucket, key(id)); err != nil || string(got) != string(text(id)) {
					t.Errorf("%s: %v, %d bytes", id, err, len(got))
				}
			}
			listed := ""
			err := x.Approvals("", func(a ledger.Approval) (bool, error) { listed += a.ID + " "; return true, nil })
			if !strings.Contains(listed, "first") || !strings.Contains(listed, "second") {
				t.Errorf("the list has %s", listed)
			}
			return err
		}))
		sane(t, db)
	})
}
