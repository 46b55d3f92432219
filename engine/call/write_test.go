package call

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/store/storetest"
)

// A plan is made again in the transaction that writes it. What a faulty plan says about
// the records is held against them all the same.
func TestWrite_RefusesARecordThatIsNotAsItWasShown(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	is, next := `{"resourceType":"Basic","id":"a","n":1}`, `{"resourceType":"Basic","id":"a","n":2}`
	for name, c := range map[string]struct {
		stored, before, after string
		ok, digest            bool
	}{
		"as it was shown":              {is, is, next, true, false},
		"new, shown with null":         {"", "null", next, true, false},
		"new, shown with nothing":      {"", "", next, true, false},
		"changed since":                {next, is, next, false, true},
		"there, and was shown as new":  {is, "null", next, false, true},
		"gone, and was shown as there": {"", is, next, false, true},
		"a change of another record":   {is, is, `{"resourceType":"Basic","id":"b"}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			defer db.Close()
			var refs []record.Ref
			err := db.UpdateRecords(func(tx record.Tx) error {
				if c.stored != "" {
					r, err := record.New(json.RawMessage(c.stored), now)
					if err == nil {
						err = tx.PutRecord(r)
					}
					if err != nil {
						return err
					}
				}
				var err error
				refs, err = write(tx, []ledger.Change{{Ref: record.Ref{Type: "Basic", ID: "a"}, Before: json.RawMessage(c.before), After: json.RawMessage(c.after)}}, now)
				return err
			})
			if (err == nil) != c.ok || errors.Is(err, ledger.ErrDigest) != c.digest || (len(refs) == 1) != c.ok {
				t.Errorf("%v %v", refs, err)
			}
		})
	}
}
