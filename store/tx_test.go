package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

func TestRecords_KeepTheirBytesAndThePatientIndex(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		odd := "{ \"resourceType\":\"Appointment\",\n \"x\": 1.50, \"h\":\"<b>&\u2028\", \"participant\":[{\"actor\":{\"reference\":\"Patient/p1\"}},{\"actor\":{\"reference\":\"Practitioner/x\"}}] }"
		all := []record.Record{
			rec(t, "Patient", "p1", `{"resourceType":"Patient"}`),
			rec(t, "Patient", "p2", `{"resourceType":"Patient"}`),
			rec(t, "Appointment", "a1", odd),
			rec(t, "Condition", "c1", `{"subject":{"reference":"http://x.test/fhir/Patient/p1/_history/3"}}`),
			rec(t, "Condition", "c2", `{"subject":{"reference":"NotPatient/p1"},"patient":"p1"}`),
			rec(t, "Task", "t1", `{"for":{"reference":"Patient/p2"}}`),
			rec(t, "Coverage", "v1", `{"beneficiary":{"reference":"Patient/p2"},"subject":{"reference":"Patient/p1"}}`),
			rec(t, "Condition", "c3", `{"subject":{"reference":"Patient/p1"}}`),
		}
		must(t, db.UpdateRecords(func(tx record.Tx) error {
			for _, r := range all {
				if err := tx.PutRecord(r); err != nil {
					return err
				}
			}
			return nil
		}))
		of := func(patient, typ string) (out string) {
			must(t, db.ViewRecords(func(tx record.Tx) error {
				return tx.RecordsAbout(record.Ref{Type: "Patient", ID: patient}, typ, func(r record.Record) (bool, error) {
					out += r.String() + " "
					return true, nil
				})
			}))
			return out
		}
		for _, c := range [][3]string{{"p1", "Appointment", "Appointment/a1 "}, {"p1", "Condition", "Condition/c1 Condition/c3 "},
			{"p1", "Patient", "Patient/p1 "}, {"p2", "Task", "Task/t1 "}, {"p1", "Coverage", "Coverage/v1 "}, {"p2", "Coverage", "Coverage/v1 "}, {"p", "Patient", ""}} {
			if got := of(c[0], c[1]); got != c[2] {
				t.Errorf("%s of %s: %q, want %q", c[1], c[0], got, c[2])
			}
		}
		must(t, db.ViewRecords(func(tx record.Tx) error {
			got, err := tx.Record(all[2].Ref)
			must(t, err)
			if string(got.Resource) != odd || got.Version != all[2].Version || !got.UpdatedAt.Equal(t0) {
				t.Errorf("came back as %+v %s", got, got.Resource)
			}
			// "/: record not found" says nothing to who wrote a tool and had no subject.
			if _, err := tx.Record(record.Ref{}); !errors.Is(err, record.ErrNotFound) || !strings.HasPrefix(err.Error(), "no record is chosen; choose what") {
				t.Errorf("reading no record says %v", err)
			}
			_, err = tx.Record(record.Ref{Type: "Patient", ID: "none"})
			wantErr(t, err, record.ErrNotFound)
			return nil
		}))
		// A changed record moves to its new patient; a deleted one is found nowhere.
		must(t, db.UpdateRecords(func(tx record.Tx) error {
			if err := tx.PutRecord(rec(t, "Condition", "c1", `{"subject":{"reference":"Patient/p2"}}`)); err != nil {
				return err
			}
			wantErr(t, tx.DeleteRecord(record.Ref{Type: "Task", ID: "none"}), record.ErrNotFound)
			return tx.DeleteRecord(record.Ref{Type: "Task", ID: "t1"})
		}))
		if a, b, c := of("p1", "Condition"), of("p2", "Condition"), of("p2", "Task"); a != "Condition/c3 " || b != "Condition/c1 " || c != "" {
			t.Errorf("after the change: %q %q %q", a, b, c)
		}
		must(t, db.ViewRecords(func(tx record.Tx) error {
			types, err := tx.RecordTypes()
			must(t, err)
			if fmt.Sprint(types) != "map[Appointment:1 Condition:3 Coverage:1 Patient:2]" {
				t.Errorf("types are %v", types)
			}
			return nil
		}))
		for _, bad := range []record.Record{rec(t, "", "x", "{}"), rec(t, "X", "", "{}"), {Ref: record.Ref{Type: "X", ID: "1"}, Resource: json.RawMessage("{")}} {
			if err := db.UpdateRecords(func(tx record.Tx) error { return tx.PutRecord(bad) }); err == nil {
				t.Errorf("%+v was taken", bad)
			}
		}
	})
}

func TestRecords_PagesSurviveChangesWhileWalking(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		must(t, db.UpdateRecords(func(tx record.Tx) error {
			for i := range 300 {
				if err := tx.PutRecord(rec(t, "Patient", fmt.Sprintf("%03d", i), `{"n":0}`)); err != nil {
					return err
				}
			}
			return tx.PutRecord(rec(t, "Patient\x00x", "other", `{}`))
		}))
		n := 0
		must(t, db.UpdateRecords(func(tx record.Tx) error {
			return tx.Records("Patient", "099", func(r record.Record) (bool, error) {
				n++
				if n%3 == 0 {
					return true, tx.DeleteRecord(r.Ref)
				}
				return n < 150, tx.PutRecord(rec(t, "Patient", r.ID, `{"n":"`+strings.Repeat("y", 500)+`"}`))
			})
		}))
		if n != 151 && n != 150 {
			t.Errorf("visited %d", n)
		}
		must(t, db.ViewRecords(func(tx record.Tx) error {
			types, err := tx.RecordTypes()
			must(t, err)
			if types["Patient"] != 300-n/3 {
				t.Errorf("%d are left of 300 after %d", types["Patient"], n)
			}
			return nil
		}))
	})
}

func TestApprovals_ListInTheOrderOfRequestsAndKeepTheirBytes(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		must(t, db.Update(func(tx Tx) error {
			for _, id := range []string{"z", "a", "m"} {
				if err := tx.PutApproval(approval(t, id, "s")); err != nil {
					return err
				}
			}
			a, err := tx.Approval("a")
			must(t, err)
			if string(a.Args) != `{"a":"<&>"}` {
				t.Errorf("args came back as %s", a.Args)
			}
			a.Status = ledger.Approved
			if err := tx.PutApproval(a); err != nil {
				return err
			}
			a.Session = "other"
			if err := tx.PutApproval(a); err == nil {
				t.Error("an approval moved to another session")
			}
			_, err = tx.Approval("none")
			wantErr(t, err, ledger.ErrNotFound)
			wantErr(t, tx.PutApproval(ledger.Approval{Session: "s", Status: ledger.Pending}), ErrID)
			return nil
		}))
		list := func(status ledger.Status) (out string) {
			must(t, db.Read(func(tx Tx) error {
				return tx.Approvals(status, func(a ledger.Approval) (bool, error) {
					out += a.ID
					return true, nil
				})
			}))
			return out
		}
		if all, pending, approved, used := list(""), list(ledger.Pending), list(ledger.Approved), list(ledger.Used); all != "zam" || pending != "zm" || approved != "a" || used != "" {
			t.Errorf("all %q pending %q approved %q used %q", all, pending, approved, used)
		}
		must(t, db.Update(func(tx Tx) error { // changing while walking
			return tx.Approvals(ledger.Pending, func(a ledger.Approval) (bool, error) {
				a.Status = ledger.Void
				return true, tx.PutApproval(a)
			})
		}))
		if got := list(ledger.Void); got != "zm" {
			t.Errorf("void: %q", got)
		}
	})
}

// "Opening a patient took seconds, once ten thousand requests had been decided." Those of another record are not decoded.
func TestApprovals_AreFoundByATextOfTheirs(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		must(t, db.Update(func(tx Tx) error {
			for id, about := range map[string]string{"a": `p"1`, "b": "p2", "c": `p"1`} {
				a := approval(t, id, "s")
				a.Changes = []ledger.Change{{Ref: record.Ref{Type: "Patient", ID: about}}}
				digest, err := ledger.Digest(a)
				if a.Digest, a.Status = digest, ledger.Rejected; id == "c" {
					a.Status = ledger.Pending
				}
				if err := errors.Join(err, tx.PutApproval(a)); err != nil {
					return err
				}
			}
			return nil
		}))
		for text, want := range map[string]string{`p"1`: "a", "p2": "b", "p": "", "p3": ""} {
			got := ""
			must(t, db.Read(func(tx Tx) error {
				return tx.ApprovalsNaming(text, ledger.Rejected, func(a ledger.Approval) (bool, error) {
					got += a.ID
					return true, nil
				})
			}))
			if got != want {
				t.Errorf("%q is named by %q, not %q", text, got, want)
			}
		}
	})
}

func TestEntries_ListByTurnAndNeverMove(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		put := func(call, turn string) error {
			return db.Update(func(tx Tx) error {
				return tx.PutEntry(ledger.Entry{Call: call, Turn: turn, Session: "s", State: ledger.Proposed})
			})
		}
		must(t, errors.Join(put("c", "t1"), put("a", "t2"), put("b", "t1"), put("c", "t1")))
		if put("c", "t2") == nil {
			t.Error("a call moved to another turn")
		}
		for turn, want := range map[string]string{"t1": "cb", "t2": "a", "": "cab", "t": ""} {
			got := ""
			must(t, db.Read(func(tx Tx) error {
				_, err := tx.Entry("none")
				wantErr(t, err, ledger.ErrNotFound)
				return tx.Entries(turn, func(e ledger.Entry) (bool, error) {
					got += e.Call
					return true, nil
				})
			}))
			if got != want {
				t.Errorf("turn %q: %q, want %q", turn, got, want)
			}
		}
	})
}

// Promise 2: an unreadable row stops what depends on it; it is never passed over.
func TestRows_UnreadableOnesAreErrors(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		must(t, db.Update(func(tx Tx) error {
			a := approval(t, "a", "s")
			b := approval(t, "b", "s")
			return errors.Join(tx.PutApproval(a), tx.PutApproval(b), tx.PutEntry(entryOf(a, ledger.Proposed)),
				tx.PutRecord(rec(t, "Patient", "p", "{}")))
		}))
		read := map[bucket]func() error{
			approvals.bucket: func() error {
				return db.Read(func(tx Tx) error {
					_, err := tx.Approval("a")
					lerr := tx.Approvals(ledger.Pending, func(ledger.Approval) (bool, error) { return true, nil })
					if err == nil || lerr == nil {
						t.Errorf("read %v, listed %v", err, lerr)
					}
					return err
				})
			},
			entries.bucket: func() error {
				return db.Read(func(tx Tx) error {
					return tx.Entries("", func(ledger.Entry) (bool, error) { return true, nil })
				})
			},
			runs.bucket: func() error { _, err := db.Load("r"); return err },
			sessions.bucket: func() error {
				if list, err := db.Sessions(SessionQuery{}); err != nil || len(list) != 1 || list[0].ID != "s" || !list[0].Damaged {
					t.Errorf("listed as %+v, %v", list, err) // it says so, and hides no other
				}
				_, err := db.Session("s")
				return err
			},
			journaled.bucket: func() error { _, err := db.Journal("s", 0, 0); return err },
			records.bucket: func() error {
				return db.ViewRecords(func(tx record.Tx) error {
					return tx.Records("Patient", "", func(record.Record) (bool, error) { return true, nil })
				})
			},
		}
		for b, fn := range read {
			var k, good []byte
			must(t, db.view(func(x *tx) error {
				return x.scan(b, nil, nil, func(key, v []byte) (bool, error) { k, good = key, v; return false, nil })
			}))
			spoil := func(v []byte) { must(t, db.update(func(x *tx) error { return x.put(b, k, v) })) }
			for _, bad := range [][]byte{good[:len(good)/2], []byte("{}"), {}, []byte("\x00\x01"), []byte(strings.Replace(string(good), `"id":"`, `"id":"x`, 1))} {
				if b == journaled.bucket && strings.Contains(string(bad), `"id":"`) || string(bad) == string(good) {
					continue
				}
				spoil(bad)
				if err := fn(); !errors.Is(err, ErrDamaged) {
					t.Errorf("%s with %q: %v", b, bad, err)
				}
				var r Report
				must(t, db.checkRows(&r))
				if len(r.Problems) == 0 {
					t.Errorf("the check missed %q in %s", bad, b)
				}
			}
			spoil(good)
		}
	})
}

func TestCheck_SeesWhatDoesNotBelongTogether(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		must(t, db.Update(func(tx Tx) error {
			a := approval(t, "a", "s")
			a.Status = ledger.Used
			_, err := tx.PutBlob([]byte("x"))
			return errors.Join(err, tx.PutApproval(a), tx.PutEntry(entryOf(a, ledger.Committed)), tx.PutRecord(rec(t, "Patient", "p", "{}")))
		}))
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: chans("c", "1"), Events: events(journal.StageStarted), Add: []run.Pending{{Stage: "x"}}, Pauses: []graph.Pause{{ID: "p"}}}))
		sane(t, db)
		type row struct {
			b    bucket
			k, v []byte
		}
		var all []row
		must(t, db.view(func(x *tx) error {
			for i := range buckets {
				b := bucket(i)
				if b == metaBucket || b == counters.bucket || b == channels.bucket || b == pending.bucket || b == pauses.bucket {
					continue // a missing one of these cannot be told from one that never was
				}
				if err := x.scan(b, nil, nil, func(k, v []byte) (bool, error) { all = append(all, row{b, k, v}); return true, nil }); err != nil {
					return err
				}
			}
			return nil
		}))
		for _, gone := range all {
			must(t, db.update(func(x *tx) error { return x.del(gone.b, gone.k) }))
			var r Report
			must(t, db.checkRows(&r))
			if len(r.Problems) == 0 {
				t.Errorf("the check missed that %s lost %q", gone.b, gone.k)
			}
			must(t, db.update(func(x *tx) error { return x.put(gone.b, gone.k, gone.v) }))
		}
		for name, spoil := range map[string]func(tx Tx) error{
			"a committed call whose approval was not used": func(tx Tx) error { return tx.PutApproval(approval(t, "a", "s")) },
			"another digest": func(tx Tx) error {
				e := entryOf(approval(t, "a", "s"), ledger.Committed)
				e.Digest = "sha256:00"
				return tx.PutEntry(e)
			},
			"arguments changed under an approval": func(tx Tx) error {
				a := approval(t, "a", "s")
				a.Status, a.Args = ledger.Used, json.RawMessage(`{"a":"evil"}`)
				return tx.PutApproval(a)
			},
			"a used approval whose call never ran": func(tx Tx) error { return tx.PutEntry(entryOf(approval(t, "a", "s"), ledger.Proposed)) },
			"a record that is not its version": func(tx Tx) error {
				r := rec(t, "Patient", "p", "{}")
				r.Resource = json.RawMessage(`{"x":1}`)
				return tx.PutRecord(r)
			},
		} {
			good := approval(t, "a", "s")
			good.Status = ledger.Used
			must(t, db.Update(spoil))
			var r Report
			must(t, db.checkRows(&r))
			if len(r.Problems) == 0 {
				t.Errorf("the check missed %s", name)
			}
			must(t, db.Update(func(tx Tx) error {
				return errors.Join(tx.PutApproval(good), tx.PutEntry(entryOf(good, ledger.Committed)), tx.PutRecord(rec(t, "Patient", "p", "{}")))
			}))
		}
	})
}

func TestBlobs_AreNamedByContents(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		var name string
		must(t, db.Update(func(tx Tx) (err error) {
			name, err = tx.PutBlob([]byte("hello"))
			if again, err2 := tx.PutBlob([]byte("hello")); again != name || err2 != nil {
				t.Errorf("again: %q, %v", again, err2)
			}
			if empty, err := tx.PutBlob(nil); err != nil {
				t.Error(err)
			} else if body, err := tx.Blob(empty); err != nil || len(body) != 0 {
				t.Errorf("empty blob is %q, %v", body, err)
			}
			return err
		}))
		if name != "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
			t.Errorf("name is %s", name)
		}
		must(t, db.Read(func(tx Tx) error {
			if body, err := tx.Blob(name); string(body) != "hello" || err != nil {
				t.Errorf("%q, %v", body, err)
			}
			_, err := tx.Blob("sha256:00")
			wantErr(t, err, ErrNoBlob)
			return nil
		}))
		good := name
		must(t, db.update(func(x *tx) error { return x.put(blobs.bucket, key(good), []byte("evil")) }))
		must(t, db.Read(func(tx Tx) error {
			_, err := tx.Blob(good)
			wantErr(t, err, ErrDamaged)
			return nil
		}))
		must(t, db.update(func(x *tx) error { return x.put(blobs.bucket, key(good), []byte("hello")) }))
	})
}

func TestSkipsSettingsVectors_ComeBackAsTheyWere(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		must(t, db.Update(func(tx Tx) error { return tx.PutSkip("s", "t", json.RawMessage(`{"a": 1}`)) }))
		must(t, db.Read(func(tx Tx) error {
			row, err := tx.Skip("s", "t")
			none, err2 := tx.Skip("s", "other")
			if string(row) != `{"a": 1}` || none != nil || err != nil || err2 != nil {
				t.Errorf("%s %s %v %v", row, none, err, err2)
			}
			return nil
		}))
		must(t, db.Update(func(tx Tx) error { return tx.PutSkip("s", "t", nil) }))
		must(t, db.Read(func(tx Tx) error {
			row, err := tx.Skip("s", "t")
			if row != nil || err != nil {
				t.Errorf("%s %v", row, err)
			}
			return nil
		}))
		var got map[string]int
		ok, err := db.Setting("x", &got)
		if ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
		must(t, db.PutSetting("x", map[string]int{"a": 1}))
		if ok, err := db.Setting("x", &got); !ok || err != nil || got["a"] != 1 {
			t.Errorf("%v %v %v", ok, err, got)
		}
		var wrong []string
		ok, err = db.Setting("x", &wrong)
		if ok {
			t.Error("a setting of another shape was read")
		}
		wantErr(t, err, ErrDamaged)
		must(t, db.PutVectors("m", map[string][]float32{"h": {1.5, -2, 0}, "e": {}}))
		if v, ok, err := db.Vector("m", "h"); !ok || err != nil || fmt.Sprint(v) != "[1.5 -2 0]" {
			t.Errorf("%v %v %v", v, ok, err)
		}
		if v, ok, err := db.Vector("m", "e"); !ok || err != nil || len(v) != 0 {
			t.Errorf("%v %v %v", v, ok, err)
		}
		if _, ok, err := db.Vector("m2", "h"); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	})
}

// More rows than one transaction deletes, and names of which one begins the other.
func TestVectors_OfAnEncoderGoTogether(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		names := func(want ...string) {
			t.Helper()
			if got, err := db.Encoders(); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q %v", got, err)
			}
		}
		names()
		many := map[string][]float32{}
		for n := range vectorsAtOnce + 1 {
			many[fmt.Sprint(n)] = []float32{float32(n)}
		}
		must(t, db.PutVectors("model", many))
		must(t, db.PutVectors("model@2", map[string][]float32{"h": {1}}))
		must(t, db.PutVectors("other", map[string][]float32{"h": {2}}))
		names("model", "model@2", "other")
		must(t, db.DropVectors("model"))
		must(t, db.DropVectors("none"))
		names("model@2", "other")
		if v, ok, err := db.Vector("model@2", "h"); !ok || err != nil || fmt.Sprint(v) != "[1]" {
			t.Errorf("%v %v %v", v, ok, err)
		}
	})
}

func TestUpdate_ThatWritesNothingCostsNoCommit(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		before := db.Commits()
		must(t, db.Update(func(tx Tx) error { _, err := tx.RecordTypes(); return err }))
		if db.Commits() != before {
			t.Error("it was committed")
		}
		must(t, db.PutSetting("x", 1))
		if db.Commits() != before+1 {
			t.Error("a write was not counted")
		}
	})
}
