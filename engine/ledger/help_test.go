package ledger_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

var t0 = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

// sample is an approval of a booking with every field that a digest covers.
func sample() ledger.Approval {
	return ledger.Approval{ID: "ap1", Session: "s1", Turn: "t1", Call: "c1", Tool: "book", Args: json.RawMessage(`{"start":"09:00"}`),
		Targets:       []ledger.Target{{Ref: record.Ref{Type: "Patient", ID: "p1"}, Version: "v1"}},
		Changes:       []ledger.Change{{Ref: record.Ref{Type: "Appointment", ID: "a1"}, After: json.RawMessage(`{"status":"booked"}`)}},
		PolicyVersion: "gate/1", Title: "Book a visit", RequestedAt: t0, ExpiresAt: t0.Add(time.Hour)}
}

type desk struct {
	t  *testing.T
	db *store.DB
}

func newDesk(t *testing.T) desk {
	db := storetest.Open(t)
	t.Cleanup(func() { must(t, db.Close()) })
	return desk{t, db}
}

// do runs fn in a transaction; an error rolls it back.
func (d desk) do(fn func(tx ledger.Tx) error) error {
	return d.db.Update(func(tx store.Tx) error { return fn(tx) })
}

func (d desk) request(a ledger.Approval) (out ledger.Approval, err error) {
	err = d.do(func(tx ledger.Tx) (err error) { out, err = ledger.Request(tx, a); return err })
	return out, err
}

func (d desk) decide(v ledger.Verdict, now time.Time) (out ledger.Approval, err error) {
	return storetest.Decide(d.db, v, now)
}

func (d desk) approve(id string) ledger.Approval {
	d.t.Helper()
	a, err := d.decide(ledger.Verdict{ID: id, Digest: d.approval(id).Digest, Approve: true, Reviewer: "Dr. A", Comment: "ok"}, t0)
	must(d.t, err)
	return a
}

// execute runs the effect and says how often it ran.
func (d desk) execute(present ledger.Approval, now time.Time) (out ledger.Outcome, ran int, err error) {
	err = d.do(func(tx ledger.Tx) (err error) {
		out, err = ledger.Execute(tx, present, now, func() (ledger.Outcome, error) {
			ran++
			return ledger.Outcome{Result: json.RawMessage(`"done"`)}, nil
		})
		return err
	})
	return out, ran, err
}

func (d desk) approval(id string) (a ledger.Approval) {
	d.t.Helper()
	must(d.t, d.db.Read(func(tx store.Tx) (err error) { a, err = tx.Approval(id); return err }))
	return a
}

func (d desk) entry(call string) (e ledger.Entry) {
	d.t.Helper()
	must(d.t, d.db.Read(func(tx store.Tx) (err error) { e, err = tx.Entry(call); return err }))
	return e
}

// rows renders both rows, to see that something changed nothing.
func (d desk) rows() string {
	d.t.Helper()
	var all []any
	must(d.t, d.db.Read(func(tx store.Tx) error {
		if err := tx.Approvals("", func(a ledger.Approval) (bool, error) { all = append(all, a); return true, nil }); err != nil {
			return err
		}
		return tx.Entries("", func(e ledger.Entry) (bool, error) { all = append(all, e); return true, nil })
	}))
	b, err := json.Marshal(all)
	must(d.t, err)
	return string(b)
}

// tamper changes both rows behind the ledger's back.
func (d desk) tamper(change func(a *ledger.Approval, e *ledger.Entry)) {
	d.t.Helper()
	a, e := d.approval("ap1"), d.entry("c1")
	change(&a, &e)
	must(d.t, d.do(func(tx ledger.Tx) error { return errors.Join(tx.PutApproval(a), tx.PutEntry(e)) }))
}
