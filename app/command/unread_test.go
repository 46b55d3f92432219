package command_test

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// "My colleague removed the patient while I wrote, and a record came broken out of the old system. It
// called the turn done, or told me what had failed and not what I could do about it."
func TestRun_ATurnWhoseRecordsCannotBeReadSaysWhatToDo(t *testing.T) {
	damaged := func(tx record.Tx, r record.Record) error {
		r.Resource, r.Version = json.RawMessage(`"ink was spilt here"`), "damaged"
		return tx.PutRecord(r)
	}
	for name, c := range map[string]struct {
		ref   record.Ref
		spoil func(tx record.Tx, r record.Record) error
		says  string
	}{
		"the patient is gone":    {record.Ref{Type: "Patient", ID: "pat-alder"}, func(tx record.Tx, r record.Record) error { return tx.DeleteRecord(r.Ref) }, `there is no patient "pat-alder" in the records; import it or choose another`},
		"the patient is damaged": {record.Ref{Type: "Patient", ID: "pat-alder"}, damaged, "the record Patient/pat-alder cannot be read; import it again"},
		"a provider is damaged":  {record.Ref{Type: "Practitioner", ID: "prov-okafor"}, damaged, "the record Practitioner/prov-okafor cannot be read; import it again"},
	} {
		t.Run(name, func(t *testing.T) {
			x := inClinic(t)
			change := func(fn func(record.Tx) error) {
				t.Helper()
				x.open(func(a *app.App) {
					if err := a.Store.UpdateRecords(fn); err != nil {
						t.Fatal(err)
					}
				})
			}
			var whole record.Record
			x.want(0, "run", "--practice", "--session", "s1", "--subject", "Patient/pat-alder", "Hello")
			change(func(tx record.Tx) (err error) {
				if whole, err = tx.Record(c.ref); err != nil {
					return err
				}
				return c.spoil(tx, whole)
			})
			got := x.want(1, "run", "--practice", "--session", "s1", "Which pills does he take?")
			turns := func() (status, turn string) {
				t.Helper()
				x.open(func(a *app.App) {
					list, err := a.Turns("s1")
					if err != nil || len(list) != 2 {
						t.Fatalf("%+v %v", list, err)
					}
					status, turn = string(list[1].Status), list[1].Turn
				})
				return status, turn
			}
			status, turn := turns()
			if status != string(run.Failed) {
				t.Errorf("the turn is %s", status)
			}
			if again := "holdpoint resume " + turn; !strings.Contains(got.out, c.says) || !strings.Contains(got.err, c.says+"\n") || !strings.Contains(got.err, again) || strings.Contains(got.out+got.err, "not known") {
				t.Errorf("what is said, without %q or %q:\n%s\n%s", c.says, again, got.out, got.err)
			}
			// As long as nothing was done about it, it fails again; then it is answered.
			if got := x.want(1, "resume", turn); !strings.Contains(got.err, c.says) {
				t.Errorf("tried again: %s", got.err)
			}
			change(func(tx record.Tx) error { return tx.PutRecord(whole) })
			if got := x.want(0, "resume", turn); strings.Contains(got.out, "could not be read") {
				t.Errorf("after it was mended: %s", got.out)
			}
			if status, _ := turns(); status != string(run.Completed) {
				t.Errorf("after it was mended the turn is %s", status)
			}
		})
	}
}
