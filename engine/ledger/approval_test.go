package ledger_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/ledger"
)

func TestRequest_KeepsTheFirstRowAndRefusesAmbiguity(t *testing.T) {
	d := newDesk(t)
	a := sample()
	a.Status, a.Reviewer, a.Comment, a.Original = ledger.Approved, "Mallory", "self-made", &ledger.Original{}
	a.DecidedAt, a.UsedAt = &t0, &t0
	first, err := d.request(a)
	must(t, err)
	if first.Status != ledger.Pending || first.Reviewer != "" || first.DecidedAt != nil || first.UsedAt != nil || first.Original != nil {
		t.Errorf("a request brought its own verdict: %+v", first)
	}
	if e := d.entry("c1"); e.State != ledger.Proposed || e.Digest != first.Digest || e.Approval != "ap1" {
		t.Errorf("entry %+v", e)
	}
	again := sample()
	again.Args = json.RawMessage(`{"start":"10:00"}`)
	kept, err := d.request(again)
	must(t, err)
	if kept.Digest != first.Digest {
		t.Error("asking again changed the request")
	}
	before := d.rows()
	for name, change := range map[string]func(*ledger.Approval){
		"no id":                          func(a *ledger.Approval) { a.ID = "" },
		"no call":                        func(a *ledger.Approval) { a.Call = "" },
		"arguments out of order":         func(a *ledger.Approval) { a.ID, a.Call, a.Args = "x", "x", json.RawMessage(`{"b":1,"a":2}`) },
		"ambiguous arguments":            func(a *ledger.Approval) { a.ID, a.Call, a.Args = "x", "x", json.RawMessage(`{"a":1,"a":2}`) },
		"its id is of another call":      func(a *ledger.Approval) { a.Call = "c2" },
		"its id is of another tool":      func(a *ledger.Approval) { a.Tool = "cancel" },
		"its call is of another turn":    func(a *ledger.Approval) { a.ID, a.Turn = "x", "t2" },
		"its call is of another tool":    func(a *ledger.Approval) { a.ID, a.Tool = "x", "cancel" },
		"its call is of another session": func(a *ledger.Approval) { a.ID, a.Session = "x", "s2" },
	} {
		a := sample()
		change(&a)
		if _, err := d.request(a); err == nil {
			t.Errorf("%s: taken", name)
		}
		if d.rows() != before {
			t.Fatalf("%s: something changed", name)
		}
	}
}

func TestRequest_AFurtherApprovalTakesThePlaceOfTheOneBefore(t *testing.T) {
	d := newDesk(t)
	first, err := d.request(sample())
	must(t, err)
	next := sample()
	next.ID, next.Args = "ap2", json.RawMessage(`{"start":"11:00"}`)
	second, err := d.request(next)
	must(t, err)
	if got := d.approval("ap1").Status; got != ledger.Void {
		t.Errorf("the first is %s", got)
	}
	_, err = d.decide(ledger.Verdict{ID: "ap1", Digest: first.Digest, Approve: true, Reviewer: "Dr. A"}, t0)
	wantErr(t, err, ledger.ErrDecided)
	d.approve("ap2")
	if _, ran, err := d.execute(sample(), t0); ran != 0 || !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("the first arguments ran %d times (%v)", ran, err)
	}
	if _, ran, err := d.execute(second, t0); ran != 1 || err != nil {
		t.Errorf("the second ran %d times (%v)", ran, err)
	}
}

func TestRequest_NeverReopensACallThatWasAnswered(t *testing.T) {
	for _, state := range []ledger.State{ledger.Started, ledger.Committed, ledger.Refused, ledger.Unknown} {
		d := newDesk(t)
		_, err := d.request(sample())
		must(t, err)
		d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = state })
		before := d.rows()
		again := sample()
		again.ID = "ap2"
		_, err = d.request(again)
		wantErr(t, err, ledger.ErrDecided)
		if d.rows() != before {
			t.Errorf("%s: something changed", state)
		}
	}
}

func TestDecide_TakesOneVerdictOfANamedPersonOnWhatWasShown(t *testing.T) {
	good := ledger.Verdict{ID: "ap1", Approve: true, Reviewer: "Dr. A"}
	reject := ledger.Verdict{ID: "ap1", Reviewer: "Dr. A", Comment: "no"}
	for name, c := range map[string]struct {
		verdict ledger.Verdict
		high    bool
		before  func(d desk)
		now     time.Time
		want    error // nil: some error; errOK: none
	}{
		"an approval":                   {verdict: good, want: errOK},
		"a rejection":                   {verdict: reject, want: errOK},
		"of a risky tool, with meaning": {verdict: with(good, func(v *ledger.Verdict) { v.Meaning = "I checked it" }), high: true, want: errOK},
		"of a risky tool, without":      {verdict: good, high: true},
		"a rejection of a risky tool":   {verdict: reject, high: true, want: errOK},
		"by nobody":                     {verdict: with(good, func(v *ledger.Verdict) { v.Reviewer = "" })},
		"a rejection without a reason":  {verdict: with(reject, func(v *ledger.Verdict) { v.Comment = "" })},
		"on something else":             {verdict: with(good, func(v *ledger.Verdict) { v.Digest = "sha256:00" }), want: ledger.ErrDigest},
		"on nothing":                    {verdict: with(good, func(v *ledger.Verdict) { v.Digest = " " }), want: ledger.ErrDigest},
		"of an unknown approval":        {verdict: with(good, func(v *ledger.Verdict) { v.ID = "ap9" }), want: ledger.ErrNotFound},
		"a second one":                  {verdict: reject, before: func(d desk) { d.approve("ap1") }, want: ledger.ErrDecided},
		"the same again":                {verdict: good, before: func(d desk) { d.approve("ap1") }, want: ledger.ErrDecided},
		"after it was voided":           {verdict: good, before: func(d desk) { must(d.t, d.do(func(tx ledger.Tx) error { return ledger.Refuse(tx, "c1", nil, t0) })) }, want: ledger.ErrDecided},
		"just before it runs out":       {verdict: good, now: t0.Add(time.Hour - 1), want: errOK},
		"at the moment it runs out":     {verdict: good, now: t0.Add(time.Hour), want: ledger.ErrExpired},
		"long after":                    {verdict: good, now: t0.AddDate(10, 0, 0), want: ledger.ErrExpired},
		"with a clock ten years back":   {verdict: good, now: t0.AddDate(-10, 0, 0), want: ledger.ErrExpired},
		"with a clock a minute back":    {verdict: good, now: t0.Add(-time.Minute), want: errOK},
		"after the arguments changed": {verdict: good, before: func(d desk) {
			d.tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Args = json.RawMessage(`{"start":"23:00"}`) })
		}, want: ledger.ErrDigest},
		"after the entry's digest moved": {verdict: good, before: func(d desk) { d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.Digest = "sha256:00" }) }, want: ledger.ErrDigest},
		"after the entry's row moved":    {verdict: good, before: func(d desk) { d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.Approval = "ap2" }) }, want: ledger.ErrDigest},
		"after the call ran":             {verdict: good, before: func(d desk) { d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = ledger.Committed }) }, want: ledger.ErrDigest},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			a := sample()
			a.RiskHigh = c.high
			shown, err := d.request(a)
			must(t, err)
			if c.before != nil {
				c.before(d)
			}
			if c.verdict.Digest == "" {
				c.verdict.Digest = shown.Digest
			}
			if c.now.IsZero() {
				c.now = t0
			}
			before := d.rows()
			got, err := d.decide(c.verdict, c.now)
			if c.want == errOK {
				must(t, err)
				want, state := ledger.Rejected, ledger.Refused
				if c.verdict.Approve {
					want, state = ledger.Approved, ledger.Cleared
				}
				if s := d.approval("ap1"); s.Status != want || got.Status != want || s.Reviewer != "Dr. A" || s.DecidedAt == nil || !s.DecidedAt.Equal(c.now) {
					t.Errorf("row %+v", s)
				}
				if e := d.entry("c1"); e.State != state {
					t.Errorf("entry is %s", e.State)
				}
				return
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error is %v, want %v", err, c.want)
			}
			if d.rows() != before {
				t.Error("a refused verdict changed something")
			}
		})
	}
}

var errOK = errors.New("no error")

func with(v ledger.Verdict, change func(*ledger.Verdict)) ledger.Verdict { change(&v); return v }

func TestModify_NeedsANewVerdictOnTheNewDigest(t *testing.T) {
	d := newDesk(t)
	first := sample()
	first.Reason = "the person asked for it"
	shown, err := d.request(first)
	must(t, err)
	modify := func(digest string, args string, now time.Time) (out ledger.Approval, err error) {
		err = d.do(func(tx ledger.Tx) (err error) {
			next := sample()
			next.Args, next.Reviewer = json.RawMessage(args), "Dr. B"
			out, err = ledger.Modify(tx, "ap1", digest, next, nil, now)
			return err
		})
		return out, err
	}
	before := d.rows()
	for name, c := range map[string]struct {
		digest, args string
		now          time.Time
		want         error
	}{
		"of something else":    {"sha256:00", `{"start":"10:00"}`, t0, ledger.ErrDigest},
		"after it ran out":     {shown.Digest, `{"start":"10:00"}`, t0.Add(time.Hour), ledger.ErrExpired},
		"to ambiguous ones":    {shown.Digest, `{"start":"10:00","start":"11:00"}`, t0, ledger.ErrArguments},
		"to an unordered form": {shown.Digest, `{"b":1,"a":2}`, t0, ledger.ErrArguments},
		"to nothing":           {shown.Digest, ``, t0, ledger.ErrArguments},
	} {
		if _, err := modify(c.digest, c.args, c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if d.rows() != before {
			t.Fatalf("%s: something changed", name)
		}
	}
	edited, err := modify(shown.Digest, `{"start":"10:00"}`, t0)
	must(t, err)
	// "It says why the other appointment was to be made."
	if edited.Reason != "" || edited.Original == nil || edited.Original.Reason != first.Reason {
		t.Errorf("what was changed is explained by %q", edited.Reason)
	}
	if edited.Status != ledger.Pending || edited.Digest == shown.Digest || edited.Original == nil || edited.Original.Digest != shown.Digest || d.entry("c1").State != ledger.Proposed {
		t.Errorf("row %+v", edited)
	}
	_, err = d.decide(ledger.Verdict{ID: "ap1", Digest: shown.Digest, Approve: true, Reviewer: "Dr. A"}, t0)
	wantErr(t, err, ledger.ErrDigest)
	twice, err := modify(edited.Digest, `{"start":"11:00"}`, t0)
	must(t, err)
	if string(twice.Original.Args) != `{"start":"09:00"}` {
		t.Errorf("the first request is lost: %s", twice.Original.Args)
	}
	d.approve("ap1")
	if _, err := modify(twice.Digest, `{"start":"12:00"}`, t0); !errors.Is(err, ledger.ErrDecided) {
		t.Errorf("an approved one was edited: %v", err)
	}
	if _, ran, err := d.execute(sample(), t0); ran != 0 || !errors.Is(err, ledger.ErrDigest) {
		t.Errorf("the first arguments ran %d times (%v)", ran, err)
	}
	if _, ran, err := d.execute(twice, t0); ran != 1 || err != nil {
		t.Errorf("the edited arguments ran %d times (%v)", ran, err)
	}
}

func TestSafety_16_WhatRunsIsWhatWasApproved(t *testing.T) {
	for name, c := range map[string]struct {
		memory func(a *ledger.Approval)
		disk   func(a *ledger.Approval, e *ledger.Entry)
	}{
		"other arguments in memory":        {memory: func(a *ledger.Approval) { a.Args = json.RawMessage(`{"start":"10:00"}`) }},
		"another target version in memory": {memory: func(a *ledger.Approval) { a.Targets[0].Version = "v2" }},
		"another change in memory":         {memory: func(a *ledger.Approval) { a.Changes[0].After = json.RawMessage(`{"status":"x"}`) }},
		"another policy in memory":         {memory: func(a *ledger.Approval) { a.PolicyVersion = "gate/2" }},
		"other arguments on disk":          {disk: func(a *ledger.Approval, _ *ledger.Entry) { a.Args = json.RawMessage(`{"start":"10:00"}`) }},
		"other arguments in both": {memory: func(a *ledger.Approval) { a.Args = json.RawMessage(`{"start":"10:00"}`) },
			disk: func(a *ledger.Approval, _ *ledger.Entry) { a.Args = json.RawMessage(`{"start":"10:00"}`) }},
		"the approval's digest on disk": {disk: func(a *ledger.Approval, _ *ledger.Entry) { a.Digest = "sha256:00" }},
		"the entry's digest on disk":    {disk: func(_ *ledger.Approval, e *ledger.Entry) { e.Digest = "sha256:00" }},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			_, err := d.request(sample())
			must(t, err)
			d.approve("ap1")
			present := sample()
			if c.memory != nil {
				c.memory(&present)
			}
			if c.disk != nil {
				d.tamper(c.disk)
			}
			before := d.rows()
			_, ran, err := d.execute(present, t0)
			wantErr(t, err, ledger.ErrDigest)
			if ran != 0 || d.rows() != before {
				t.Errorf("it ran %d times", ran)
			}
		})
	}
}

func TestSafety_18_AnApprovalServesOneCallOfOneTurnOnce(t *testing.T) {
	t.Run("used twice", func(t *testing.T) {
		d := newDesk(t)
		_, err := d.request(sample())
		must(t, err)
		d.approve("ap1")
		_, ran, err := d.execute(sample(), t0)
		must(t, err)
		if a := d.approval("ap1"); ran != 1 || a.Status != ledger.Used || a.UsedAt == nil {
			t.Errorf("ran %d times, row %+v", ran, a)
		}
		before := d.rows()
		out, ran, err := d.execute(sample(), t0.AddDate(1, 0, 0))
		if ran != 0 || err != nil || string(out.Result) != `"done"` || d.rows() != before {
			t.Errorf("the second time it ran %d times and gave %s (%v)", ran, out.Result, err)
		}
		// Even when the call's row is lost and made anew, the approval is spent.
		d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State = ledger.Cleared })
		_, ran, err = d.execute(sample(), t0)
		wantErr(t, err, ledger.ErrUsed)
		if ran != 0 {
			t.Error("it ran again")
		}
	})
	for name, move := range map[string]func(a *ledger.Approval, e *ledger.Entry){
		"to another session": func(a *ledger.Approval, e *ledger.Entry) { a.Session, e.Session = "s2", "s2" },
		"to another turn":    func(a *ledger.Approval, e *ledger.Entry) { a.Turn, e.Turn = "t2", "t2" },
		"to another call":    func(a *ledger.Approval, e *ledger.Entry) { a.Call, e.Call = "c2", "c2" },
		"to another tool":    func(a *ledger.Approval, e *ledger.Entry) { a.Tool, e.Tool = "cancel", "cancel" },
	} {
		t.Run("moved "+name, func(t *testing.T) {
			d := newDesk(t)
			_, err := d.request(sample())
			must(t, err)
			good := d.approve("ap1")
			moved, entry := good, d.entry("c1")
			move(&moved, &entry)
			// The thief's rows stand in a store of their own, approval and all.
			d = newDesk(t)
			must(t, d.do(func(tx ledger.Tx) error { return errors.Join(tx.PutApproval(moved), tx.PutEntry(entry)) }))
			for _, present := range []ledger.Approval{moved, good} {
				if _, ran, err := d.execute(present, t0); ran != 0 || err == nil {
					t.Errorf("it ran %d times (%v)", ran, err)
				}
			}
		})
	}
	t.Run("a call's entry points at another call's approval", func(t *testing.T) {
		d := newDesk(t)
		_, err := d.request(sample())
		must(t, err)
		d.approve("ap1")
		other := sample()
		other.ID, other.Call = "ap2", "c2"
		asked, err := d.request(other)
		must(t, err)
		e := d.entry("c2")
		e.Approval, e.State, e.Digest = "ap1", ledger.Cleared, d.approval("ap1").Digest
		must(t, d.do(func(tx ledger.Tx) error { return tx.PutEntry(e) }))
		_, ran, err := d.execute(asked, t0)
		wantErr(t, err, ledger.ErrDigest)
		if ran != 0 {
			t.Error("it ran")
		}
	})
}

func TestExecute_RunsOnlyAClearedCallWithALiveApproval(t *testing.T) {
	approve := func(d desk) { d.approve("ap1") }
	state := func(s ledger.State) func(desk) {
		return func(d desk) {
			d.approve("ap1")
			d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.State, e.Result = s, json.RawMessage(`"old"`) })
		}
	}
	for name, c := range map[string]struct {
		before  func(desk)
		now     time.Time
		present func(*ledger.Approval)
		ran     int
		result  string
		refused bool
		want    error
	}{
		"an approved call":               {before: approve, ran: 1, result: `"done"`},
		"just before it runs out":        {before: approve, now: t0.Add(time.Hour - 1), ran: 1, result: `"done"`},
		"at the moment it runs out":      {before: approve, now: t0.Add(time.Hour), want: ledger.ErrExpired},
		"with a clock ten years ahead":   {before: approve, now: t0.AddDate(10, 0, 0), want: ledger.ErrExpired},
		"with a clock ten years back":    {before: approve, now: t0.AddDate(-10, 0, 0), want: ledger.ErrExpired},
		"with a clock four minutes back": {before: approve, now: t0.Add(-4 * time.Minute), ran: 1, result: `"done"`},
		"a pending one":                  {before: func(desk) {}, want: ledger.ErrNotApproved},
		"a pending one that ran out":     {before: func(desk) {}, now: t0.Add(2 * time.Hour), want: ledger.ErrExpired},
		"a voided one": {before: func(d desk) {
			d.approve("ap1")
			d.tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Status = ledger.Void })
		}, want: ledger.ErrNotApproved},
		"a status that nobody knows": {before: func(d desk) {
			d.approve("ap1")
			d.tamper(func(a *ledger.Approval, _ *ledger.Entry) { a.Status = "yes" })
		}, want: ledger.ErrNotApproved},
		"an approval that is gone": {before: func(d desk) {
			d.approve("ap1")
			d.tamper(func(_ *ledger.Approval, e *ledger.Entry) { e.Approval = "ap9" })
		}, want: ledger.ErrNotFound},
		"a call that nobody proposed":      {before: approve, present: func(a *ledger.Approval) { a.Call = "c9" }, want: ledger.ErrNotFound},
		"a committed call":                 {before: state(ledger.Committed), result: `"old"`},
		"a committed call of another turn": {before: state(ledger.Committed), present: func(a *ledger.Approval) { a.Turn = "t2" }, want: ledger.ErrDigest},
		"a refused call":                   {before: state(ledger.Refused), result: `"old"`, refused: true},
		"a call that is only proposed":     {before: state(ledger.Proposed), want: ledger.ErrNotApproved},
		"a state that nobody knows":        {before: state("go"), want: ledger.ErrNotApproved},
		"a started call":                   {before: state(ledger.Started), want: errAny},
		"an unknown outcome":               {before: state(ledger.Unknown), want: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			_, err := d.request(sample())
			must(t, err)
			c.before(d)
			present := sample()
			if c.present != nil {
				c.present(&present)
			}
			if c.now.IsZero() {
				c.now = t0
			}
			before := d.rows()
			out, ran, err := d.execute(present, c.now)
			if ran != c.ran || string(out.Result) != c.result || out.Refused != c.refused {
				t.Errorf("it ran %d times and gave %s, refused %v", ran, out.Result, out.Refused)
			}
			switch {
			case c.want == nil:
				must(t, err)
			case err == nil || c.want != errAny && !errors.Is(err, c.want):
				t.Errorf("error is %v, want %v", err, c.want)
			}
			if c.ran == 0 && d.rows() != before {
				t.Error("something changed")
			}
			if e := d.entry("c1"); c.ran == 1 && (e.State != ledger.Committed || string(e.Result) != `"done"`) {
				t.Errorf("entry %+v", e)
			}
		})
	}
}

var errAny = errors.New("any error")

func TestExecute_AFailedEffectLeavesTheApprovalAsItWas(t *testing.T) {
	d := newDesk(t)
	_, err := d.request(sample())
	must(t, err)
	d.approve("ap1")
	before := d.rows()
	broken := errors.New("the record is gone")
	err = d.do(func(tx ledger.Tx) error {
		_, err := ledger.Execute(tx, sample(), t0, func() (ledger.Outcome, error) { return ledger.Outcome{}, broken })
		return err
	})
	wantErr(t, err, broken)
	if d.rows() != before {
		t.Error("something changed")
	}
	err = d.do(func(tx ledger.Tx) error {
		out, err := ledger.Execute(tx, sample(), t0, func() (ledger.Outcome, error) {
			return ledger.Outcome{Refused: true, Result: json.RawMessage(`"the slot is taken"`)}, nil
		})
		if !out.Refused {
			t.Error("the refusal got lost")
		}
		return err
	})
	must(t, err)
	if e := d.entry("c1"); e.State != ledger.Refused || d.approval("ap1").Status != ledger.Used {
		t.Errorf("entry %s, approval %s", e.State, d.approval("ap1").Status)
	}
}

func TestRefuse_AnswersACallThatDidNotStart(t *testing.T) {
	for name, c := range map[string]struct {
		state  ledger.State
		status ledger.Status
		ok     bool
		after  ledger.Status
	}{
		"a proposed call":  {ledger.Proposed, ledger.Pending, true, ledger.Void},
		"an approved call": {ledger.Cleared, ledger.Approved, true, ledger.Void},
		"a rejected one":   {ledger.Refused, ledger.Rejected, false, ledger.Rejected},
		"a started call":   {ledger.Started, ledger.Used, false, ledger.Used},
		"a committed call": {ledger.Committed, ledger.Used, false, ledger.Used},
		"an unknown one":   {ledger.Unknown, ledger.Used, false, ledger.Used},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			_, err := d.request(sample())
			must(t, err)
			d.tamper(func(a *ledger.Approval, e *ledger.Entry) { a.Status, e.State = c.status, c.state })
			err = d.do(func(tx ledger.Tx) error { return ledger.Refuse(tx, "c1", json.RawMessage(`"why"`), t0) })
			if (err == nil) != c.ok {
				t.Errorf("error is %v", err)
			}
			if got := d.approval("ap1").Status; got != c.after {
				t.Errorf("the approval is %s", got)
			}
			if e := d.entry("c1"); c.ok && (e.State != ledger.Refused || string(e.Result) != `"why"`) {
				t.Errorf("entry %+v", e)
			}
		})
	}
	d := newDesk(t)
	wantErr(t, d.do(func(tx ledger.Tx) error { return ledger.Refuse(tx, "none", nil, t0) }), ledger.ErrNotFound)
}

func TestAt_KnowsNoVerdictThatIsNotInTheRow(t *testing.T) {
	for _, s := range []ledger.Status{ledger.Rejected, ledger.Used, ledger.Void, ledger.Expired, "", "Approved"} {
		a := sample()
		a.Status = s
		for _, now := range []time.Time{t0, t0.AddDate(100, 0, 0), t0.AddDate(-100, 0, 0)} {
			if got := a.At(now); got != s {
				t.Errorf("%q at %v is %q", s, now, got)
			}
		}
	}
	a := sample()
	a.Status, a.ExpiresAt = ledger.Approved, time.Time{}
	if got := a.At(t0); got != ledger.Expired {
		t.Errorf("an approval without an end is %s", got)
	}
	late := t0.Add(50 * time.Minute)
	a = sample()
	a.Status, a.DecidedAt = ledger.Approved, &late
	if got := a.At(t0.Add(10 * time.Minute)); got != ledger.Expired {
		t.Errorf("with a clock set back behind the verdict it is %s", got)
	}
	if !strings.Contains(string(a.Status), "approved") {
		t.Error("At changed the row")
	}
}
