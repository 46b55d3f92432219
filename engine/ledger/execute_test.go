package ledger_test

import (
	"encoding/json"
	"testing"
	"time"

	"holdpoint/engine/ledger"
)

func (d desk) begin(present ledger.Approval, now time.Time) error {
	return d.do(func(tx ledger.Tx) error { return ledger.Begin(tx, present, now) })
}

func (d desk) finish(out ledger.Outcome) error {
	return d.do(func(tx ledger.Tx) error { return ledger.Finish(tx, "c1", out, t0) })
}

func (d desk) lose() error {
	return d.do(func(tx ledger.Tx) error { return ledger.Lost(tx, "c1", json.RawMessage(`{"status":"unknown"}`), t0) })
}

func TestBegin_UsesTheApprovalOfWhatWasApprovedOnce(t *testing.T) {
	d := newDesk(t)
	asked, err := d.request(sample())
	must(t, err)
	wantErr(t, d.begin(asked, t0), ledger.ErrNotApproved)
	d.approve("ap1")
	for name, change := range map[string]func(*ledger.Approval){
		"other arguments": func(a *ledger.Approval) { a.Args = json.RawMessage(`{"start":"10:00"}`) },
		"another tool":    func(a *ledger.Approval) { a.Tool = "cancel" },
		"another turn":    func(a *ledger.Approval) { a.Turn = "t2" },
	} {
		other, before := asked, d.rows()
		change(&other)
		if err := d.begin(other, t0); err == nil || d.rows() != before {
			t.Errorf("%s: began (%v)", name, err)
		}
	}
	wantErr(t, d.begin(asked, t0.Add(2*time.Hour)), ledger.ErrExpired)
	must(t, d.begin(asked, t0))
	if e, a := d.entry("c1"), d.approval("ap1"); e.State != ledger.Started || a.Status != ledger.Used || a.UsedAt == nil {
		t.Errorf("after Begin the call is %s and the approval %s", e.State, a.Status)
	}
	wantErr(t, d.begin(asked, t0), ledger.ErrUsed)
	if _, ran, err := d.execute(asked, t0); err == nil || ran != 0 {
		t.Errorf("a call that had started ran again: %d, %v", ran, err)
	}
}

func TestFinishAndLost_EndOnlyWhatHasStarted(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(desk) error
		want ledger.State
	}{
		"done":    {func(d desk) error { return d.finish(ledger.Outcome{Result: json.RawMessage(`"done"`)}) }, ledger.Committed},
		"refused": {func(d desk) error { return d.finish(ledger.Outcome{Refused: true, Result: json.RawMessage(`"no"`)}) }, ledger.Refused},
		"lost":    {desk.lose, ledger.Unknown},
	} {
		d := newDesk(t)
		asked, err := d.request(sample())
		must(t, err)
		d.approve("ap1")
		if before := d.rows(); c.end(d) == nil || d.rows() != before {
			t.Errorf("%s: a call that has not started was ended", name)
		}
		must(t, d.begin(asked, t0))
		must(t, c.end(d))
		if e := d.entry("c1"); e.State != c.want || e.Result == nil {
			t.Errorf("%s: the call is %s with result %s", name, e.State, e.Result)
		}
		if before := d.rows(); d.finish(ledger.Outcome{}) == nil || d.lose() == nil || d.begin(asked, t0) == nil || d.rows() != before {
			t.Errorf("%s: a call that had ended changed", name)
		}
	}
}
