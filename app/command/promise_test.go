package command_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"holdpoint/app"
	"holdpoint/engine/run"
)

// damage changes rows of the store's file past the program.
func damage(t *testing.T, x terminal, bucket string, change func(b *bbolt.Bucket, k, v []byte) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(x.data, app.StoreFile), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		var keys, values [][]byte
		if err := b.ForEach(func(k, v []byte) error {
			keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
			return nil
		}); err != nil {
			return err
		}
		n = len(keys)
		for i := range keys {
			if err := change(b, keys[i], values[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatal(err, n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPromise2_AVerdictThatCannotBeReadRunsNothing damages an approved approval on
// disk, each time in another way, and resumes.
func TestPromise2_AVerdictThatCannotBeReadRunsNothing(t *testing.T) {
	paused, turn, _, _, _ := undisturbed(t)
	remove := func(b *bbolt.Bucket, k, _ []byte) error { return b.Delete(k) }
	for _, c := range []struct {
		name   string
		bucket string
		change func(b *bbolt.Bucket, k, v []byte) error
	}{
		{"the approval is gone", "approvals", remove},
		{"the approval is no JSON", "approvals", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, append(v[:1:1], "{oops"...)) }},
		{"the approval is empty", "approvals", func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, nil) }},
		{"the approval breaks off", "approvals", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, v[:len(v)/2]) }},
		{"the approval is another one's", "pieces", func(b *bbolt.Bucket, k, v []byte) error {
			return b.Put(k, bytes.ReplaceAll(v, []byte(".3.1"), []byte(".3.2")))
		}},
		{"the arguments are others", "pieces", func(b *bbolt.Bucket, k, v []byte) error {
			if !bytes.Contains(v, []byte(`"policy_version"`)) {
				return nil // not the approval
			}
			return b.Put(k, bytes.ReplaceAll(v, []byte("okafor"), []byte("haddad")))
		}},
		{"the large values are gone", "pieces", remove},
		{"the call's row is gone", "entries", remove},
		{"the call's row is no JSON", "entries", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, append(v[:1:1], "{oops"...)) }},
		{"the call's row names another approval", "entries", func(b *bbolt.Bucket, k, v []byte) error {
			return b.Put(k, bytes.ReplaceAll(v, []byte("ap."), []byte("xx.")))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := paused.copy(t)
			damaged := false
			damage(t, x, c.bucket, func(b *bbolt.Bucket, k, v []byte) error {
				err := c.change(b, k, v)
				if err == nil && !bytes.Equal(b.Get(k), v) {
					damaged = true
				}
				return err
			})
			if !damaged {
				t.Fatal("the store keeps this elsewhere; nothing was damaged")
			}
			for range 2 {
				if got := x.run("resume", "--json", turn); got.code == 0 || bytes.Contains([]byte(got.out), []byte("mutation_committed")) {
					t.Errorf("resume: exit %d\n%s", got.code, got.out)
				}
			}
			x.open(func(a *app.App) {
				row, err := a.Store.Run(app.RunID(turn))
				if err != nil || row.Status == run.Completed {
					t.Errorf("the turn is %s (%v)", row.Status, err)
				}
				if err := a.EachRecord("Appointment", func(r app.RecordRow) error {
					t.Errorf("booked: %s", r.Resource)
					return nil
				}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
