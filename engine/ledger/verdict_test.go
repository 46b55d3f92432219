package ledger_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/session"
	"holdpoint/store"
)

// "The card said one thing when I signed, and says another now."
func TestDigest_CoversTheTitleTheReasonTheRiskAndTheTimes(t *testing.T) {
	d := newDesk(t)
	a := sample()
	a.Reason = "the patient asked"
	asked, err := d.request(a)
	must(t, err)
	for name, change := range map[string]func(*ledger.Approval){
		"title":      func(a *ledger.Approval) { a.Title = "Book nothing" },
		"reason":     func(a *ledger.Approval) { a.Reason = "" },
		"risk":       func(a *ledger.Approval) { a.RiskHigh = true },
		"request":    func(a *ledger.Approval) { a.RequestedAt = a.RequestedAt.Add(time.Second) },
		"expiry":     func(a *ledger.Approval) { a.ExpiresAt = a.ExpiresAt.AddDate(1, 0, 0) },
		"version":    func(a *ledger.Approval) { a.DigestVersion = 0 },
		"before":     func(a *ledger.Approval) { a.Changes[0].Before = json.RawMessage(`{}`) },
		"no version": func(a *ledger.Approval) { a.DigestVersion = 99 },
	} {
		changed := d.approval("ap1")
		change(&changed)
		if digest, err := ledger.Digest(changed); err == nil && digest == asked.Digest {
			t.Errorf("another %s has the same digest", name)
		}
		must(t, d.do(func(tx ledger.Tx) error { return tx.PutApproval(changed) }))
		if _, err := d.decide(ledger.Verdict{ID: "ap1", Digest: asked.Digest, Approve: true, Reviewer: "Dr. A", Meaning: "seen"}, t0); err == nil {
			t.Fatalf("another %s was signed", name)
		}
		must(t, d.do(func(tx ledger.Tx) error { return tx.PutApproval(asked) }))
	}
	elsewhere := asked
	elsewhere.ExpiresAt = asked.ExpiresAt.In(time.FixedZone("elsewhere", 3600))
	if digest, err := ledger.Digest(elsewhere); err != nil || digest != asked.Digest {
		t.Errorf("the same moment in another zone has another digest (%v)", err)
	}
}

// "I had a request open when I installed the new version."
func TestDigest_ARequestOfAnOlderStoreIsDecidedAsItWasShown(t *testing.T) {
	d := newDesk(t)
	_, err := d.request(sample())
	must(t, err)
	d.tamper(func(a *ledger.Approval, e *ledger.Entry) {
		a.DigestVersion = 0
		shown := sha256.Sum256([]byte(`{"args":{"start":"09:00"},"call":"c1","changes":[{"after":{"status":"booked"},"before":null,"ref":{"id":"a1","type":"Appointment"}}],` +
			`"policy":"gate/1","session":"s1","targets":[{"id":"p1","type":"Patient","version":"v1"}],"tool":"book","turn":"t1"}`))
		a.Digest = "sha256:" + hex.EncodeToString(shown[:])
		e.Digest = a.Digest
	})
	d.approve("ap1")
	if _, ran, err := d.execute(sample(), t0); ran != 1 || err != nil {
		t.Errorf("it ran %d times (%v)", ran, err)
	}
}

// "Somebody wrote approved into the file."
func TestThreat16_NothingRunsWithoutTheJournalsVerdictOnTheSameDigest(t *testing.T) {
	for name, forge := range map[string]func(d desk){
		"rows that say approved": func(d desk) {
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) {
				a.Status, a.Reviewer, a.DecidedAt, e.State = ledger.Approved, "Dr. A", &t0, ledger.Cleared
			})
		},
		"a verdict without a word in the journal": func(d desk) {
			must(d.t, d.do(func(tx ledger.Tx) error {
				_, err := ledger.Decide(tx, ledger.Verdict{ID: "ap1", Digest: d.approval("ap1").Digest, Approve: true, Reviewer: "Dr. A"}, t0)
				return err
			}))
		},
		"another title with its own digest": func(d desk) {
			d.approve("ap1")
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) {
				a.Title = "Cancel a visit"
				a.Digest, _ = ledger.Digest(*a)
				e.Digest = a.Digest
			})
		},
		"an older version of the digest": func(d desk) {
			d.approve("ap1")
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) {
				a.DigestVersion, a.Title = 0, "Cancel a visit"
				a.Digest, _ = ledger.Digest(*a)
				e.Digest = a.Digest
			})
		},
		"a longer life": func(d desk) {
			d.approve("ap1")
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) {
				a.ExpiresAt = a.ExpiresAt.AddDate(1, 0, 0)
				a.Digest, _ = ledger.Digest(*a)
				e.Digest = a.Digest
			})
		},
		"a rejection turned round": func(d desk) {
			a := d.approval("ap1")
			_, err := d.decide(ledger.Verdict{ID: "ap1", Digest: a.Digest, Reviewer: "Dr. A", Comment: "no"}, t0)
			must(d.t, err)
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) { a.Status, e.State = ledger.Approved, ledger.Cleared })
		},
		"a word in the journal of another session": func(d desk) {
			a := d.approval("ap1")
			v := ledger.Verdict{ID: "ap1", Digest: a.Digest, Approve: true, Reviewer: "Dr. A"}
			e := v.Event(a, t0)
			e.Session = "s2"
			must(d.t, d.db.PutSession(session.Session{ID: "s2"}))
			must(d.t, d.db.AppendEvents("s2", a.Turn, []journal.Event{e}, func(tx store.Tx) error { _, err := ledger.Decide(tx, v, t0); return err }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			_, err := d.request(sample())
			must(t, err)
			forge(d)
			// What would run is made to fit whatever the row says.
			present := sample()
			present.Title = d.approval("ap1").Title
			_, ran, err := d.execute(present, t0)
			wantErr(t, err, ledger.ErrDigest)
			if ran != 0 {
				t.Errorf("it ran %d times", ran)
			}
		})
	}
}

// "It had run out, and the next morning it could be approved again."
func TestThreat18_WhatRanOutStaysSo(t *testing.T) {
	for _, approved := range []bool{false, true} {
		d := newDesk(t)
		_, err := d.request(sample())
		must(t, err)
		if approved {
			d.approve("ap1")
		}
		lapse := func(now time.Time) (news bool) {
			t.Helper()
			must(t, d.do(func(tx ledger.Tx) (err error) { news, err = ledger.Lapse(tx, "ap1", now); return err }))
			return news
		}
		if lapse(t0) || !lapse(t0.Add(time.Hour)) || lapse(t0.Add(2*time.Hour)) || lapse(t0) {
			t.Error("it lapses once, and not before its time")
		}
		if s := d.approval("ap1").At(t0); s != ledger.Expired {
			t.Errorf("with the clock back it is %s", s)
		}
		if _, ran, err := d.execute(sample(), t0); ran != 0 || err == nil {
			t.Errorf("it ran %d times (%v)", ran, err)
		}
		_, err = d.decide(ledger.Verdict{ID: "ap1", Approve: true, Reviewer: "Dr. A"}, t0)
		wantErr(t, err, ledger.ErrExpired)
		next := sample()
		next.ID = "ap2"
		if _, err := d.request(next); err != nil || d.approval("ap1").Status != ledger.Expired {
			t.Errorf("asked anew: %v, the first is %s", err, d.approval("ap1").Status)
		}
		if !strings.Contains(string(d.entry("c1").Approval), "ap2") {
			t.Error("the call names the old approval")
		}
	}
}
