package store

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// "I deleted the conversation. The visit stayed, and nobody can say any more who had approved it." Who did, when and on
// which digest stays; what was said of it does not.
func TestDeleteSession_KeepsWhoApprovedWhatStays(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		a := approval(t, "done", "s")
		a.Title, a.Reason, a.Comment, a.Warned = "Book a visit for Amara", "she sleeps badly", "fine", []string{"There is a visit already"}
		a.Changes = []ledger.Change{{Ref: record.Ref{Type: "Appointment", ID: "a-1"}, Before: json.RawMessage("null"), After: json.RawMessage(`{"description":"insomnia"}`)}}
		a.Original = &ledger.Original{Args: json.RawMessage(`{"a":"first"}`), Digest: "sha256:first", Title: "Book another visit"}
		a.Status, a.Reviewer, a.Identity, a.Meaning, a.DecidedAt, a.UsedAt = ledger.Used, "Dr. A", ledger.IdentityTyped, "I take it on me", &t0, &t0
		var err error
		a.Digest, err = ledger.Digest(a)
		must(t, err)
		never := approval(t, "never", "s")
		never.Status, never.Reviewer, never.DecidedAt = ledger.Rejected, "Dr. B", &t0
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Do: graph.In(func(tx Tx, _ graph.Tell) error {
			for e, ap := range map[ledger.State]ledger.Approval{ledger.Committed: a, ledger.Refused: never} {
				if err := tx.PutApproval(ap); err != nil {
					return err
				}
				entry := entryOf(ap, e)
				entry.Result = json.RawMessage(`{"patient":"Amara Okello"}`)
				if err := tx.PutEntry(entry); err != nil {
					return err
				}
			}
			return nil
		})}))
		sane(t, db)
		must(t, db.DeleteSession("s"))
		sane(t, db)
		var kept ledger.Approval
		must(t, db.Read(func(tx Tx) error {
			_, err := tx.Approval("never")
			wantErr(t, err, ledger.ErrNotFound)
			kept, err = tx.Approval("done")
			if err != nil {
				return err
			}
			e, err := tx.Entry(kept.Call)
			if len(e.Result) > 0 || e.State != ledger.Committed {
				t.Errorf("what the tool answered is still there: %+v", e)
			}
			return err
		}))
		raw, err := json.Marshal(kept)
		must(t, err)
		for _, want := range []string{"Dr. A", "typed", "I take it on me", a.Digest, "sha256:first", "a-1"} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%q is not kept: %s", want, raw)
			}
		}
		for _, gone := range []string{"Amara", "sleeps badly", "fine", "already", "insomnia", `"a":`, "another visit"} {
			if strings.Contains(string(raw), gone) {
				t.Errorf("%q is still there: %s", gone, raw)
			}
		}
		if !kept.Erased || kept.DecidedAt == nil || !kept.DecidedAt.Equal(t0) {
			t.Errorf("kept is %s", raw)
		}
		// Whoever names a session so again and deletes it takes nothing of this.
		admit(t, db, "r2", "s")
		must(t, db.DeleteSession("s"))
		must(t, db.Read(func(tx Tx) error { _, err := tx.Approval("done"); return err }))

		for name, spoil := range map[string]func(a *ledger.Approval){
			"nobody gave it":          func(a *ledger.Approval) { a.Reviewer = "" },
			"nobody knows when":       func(a *ledger.Approval) { a.DecidedAt = nil },
			"what it said is there":   func(a *ledger.Approval) { a.Title = "Book a visit for Amara" },
			"it is on another digest": func(a *ledger.Approval) { a.Digest = "sha256:other" },
			"it was not used":         func(a *ledger.Approval) { a.Status = ledger.Approved },
			"its call is another":     func(a *ledger.Approval) { a.Call = "call-other" },
		} {
			bad := kept
			spoil(&bad)
			must(t, db.Update(func(tx Tx) error { return tx.PutApproval(bad) }))
			var r Report
			must(t, db.checkRows(&r))
			if len(r.Problems) == 0 {
				t.Errorf("the check missed that %s", name)
			}
			must(t, db.Update(func(tx Tx) error { return tx.PutApproval(kept) }))
		}
		sane(t, db)
	})
}

// "The conversation was deleted last year, and the file still says whom the visit was for." What calls of sessions that
// are gone were answered goes with the step to this format; that of a session that is there stays.
func TestMigrate_WhatCallsOfDeletedSessionsWereAnsweredGoes(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		must(t, db.update(func(t *tx) error {
			for call, of := range map[string]string{"here": "s", "gone": "deleted"} {
				e := ledger.Entry{Call: call, Session: of, Turn: "t", Tool: "book", State: ledger.Committed, Result: json.RawMessage(`{"patient":"Amara"}`), UpdatedAt: t0}
				if err := t.PutEntry(e); err != nil {
					return err
				}
			}
			return forgetOrphans(t)
		}))
		must(t, db.Read(func(tx Tx) error {
			here, err := tx.Entry("here")
			if err != nil {
				return err
			}
			gone, err := tx.Entry("gone")
			if len(here.Result) == 0 || len(gone.Result) > 0 || gone.State != ledger.Committed {
				t.Errorf("%+v, %+v", here, gone)
			}
			return err
		}))
	})
}

// "I was nobody to it, and what I had agreed to stayed when I deleted the conversation." Consent of who is known by the
// session alone goes with it; that of somebody with a name stays.
func TestDeleteSession_EndsTheConsentOfWhoIsKnownByNothingElse(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		admit(t, db, "r2", "s2")
		for _, whom := range []string{"agent:teen:new:s", "agent:teen:as:lea", "agent:teen:new:s2"} {
			of := "s"
			if whom == "agent:teen:new:s2" {
				of = "s2"
			}
			must(t, db.Update(func(tx Tx) error {
				return tx.PutConsent(session.Consent{Whom: whom, Scope: "full", Session: of, At: t0})
			}))
		}
		must(t, db.DeleteSession("s"))
		must(t, db.Read(func(tx Tx) error {
			for whom, want := range map[string]bool{"agent:teen:new:s": false, "agent:teen:as:lea": true, "agent:teen:new:s2": true} {
				if _, there, err := tx.ConsentOf(whom); err != nil || there != want {
					t.Errorf("%s is there: %t (%v)", whom, there, err)
				}
			}
			return nil
		}))
		sane(t, db)
	})
}
