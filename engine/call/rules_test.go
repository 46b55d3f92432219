package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// ruled makes the lab's rounds ask rules, those of the program first.
func (l *lab) ruled(text string) {
	l.t.Helper()
	var own []rule.Rule
	if text != "" {
		var err error
		own, err = rule.Parse([]byte(text))
		must(l.t, err)
	}
	set, err := rule.Compile(rule.With(own)...)
	must(l.t, err)
	l.rules = set
}

const holdLook = `- {name: look_first, event: before_tool_call, tools: [held], verdict: hold, checkpoint: records, reviewer: {name: Test Reviewer}}`

func TestFiling_F48_TheWholeRoundIsJudgedBeforeAnyOfItRuns(t *testing.T) {
	l := newLab(t)
	l.use(l.read("free"), l.read("held"), l.note("note"))
	l.ruled(holdLook)
	out := l.start(wants("free", `{}`), wants("held", `{"q":"a"}`), wants("note", `{"q":"b"}`))
	wantStatus(t, out, run.Paused)
	if len(out.Pauses) != 2 || l.times("free")+l.times("held") != 0 || len(l.notes()) != 0 {
		t.Fatalf("it waits for %+v; free ran %d times, held %d, notes %v", out.Pauses, l.times("free"), l.times("held"), l.notes())
	}
	if a := l.approval("ap.c3"); a.Checkpoint != rule.Mutation || a.Rule != rule.OnMutation {
		t.Errorf("the change waits as %+v", a)
	}
	l.decide("ap.c2", true)
	if out = l.resume(); out.Run.Status != run.Paused || l.times("free")+l.times("held") != 0 {
		t.Fatalf("with one verdict of two the round ran: %s", out.Run.Status)
	}
	l.decide("ap.c3", true)
	out = l.resume()
	wantStatus(t, out, run.Completed)
	if l.times("free") != 1 || l.times("held") != 1 || !slices.Equal(l.notes(), []string{`{"q":"b"}`}) {
		t.Errorf("free ran %d times, held %d, notes %v", l.times("free"), l.times("held"), l.notes())
	}
	if got := l.answers(out); got[1] != `{"q":"a"}` {
		t.Errorf("answers: %v", got)
	}
	if e := l.entry("c2"); e.State != ledger.Committed {
		t.Errorf("the held call is %s in the ledger", e.State)
	}
}

func TestFiling_F50_TheApprovedReplaySkipsTheGateAndRunsOnce(t *testing.T) {
	l := newLab(t)
	l.use(l.read("held"))
	l.ruled(holdLook)
	wantStatus(t, l.start(wants("held", `{"q":"a"}`)), run.Paused)
	l.decide("ap.c1", true)
	l.ruled(`- {name: never, event: before_tool_call, verdict: refuse}`)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if l.times("held") != 1 || l.answers(out)[0] != `{"q":"a"}` {
		t.Errorf("it ran %d times: %v", l.times("held"), l.answers(out))
	}
}

func TestFiling_F47_AHeldCallWhoseApprovalRanOutAsksAnew(t *testing.T) {
	l := newLab(t)
	l.use(l.read("held"))
	l.ruled(holdLook)
	wantStatus(t, l.start(wants("held", `{}`)), run.Paused)
	l.decide("ap.c1", true)
	l.pass(8 * 24 * time.Hour)
	out := l.resume()
	wantStatus(t, out, run.Paused)
	if l.times("held") != 0 || out.Pauses[0].ID != "ap.c1-2" || l.approval("ap.c1").At(l.clock()) == ledger.Approved {
		t.Errorf("it ran %d times and waits for %+v", l.times("held"), out.Pauses)
	}
}

func TestFiling_F47_AHeldCallRunsWithWhatWasShownOnly(t *testing.T) {
	l := newLab(t)
	l.use(l.read("held"))
	l.ruled(holdLook)
	wantStatus(t, l.start(wants("held", `{"q":"shown"}`)), run.Paused)
	l.decide("ap.c1", true)
	l.calls[0].Arguments = json.RawMessage(`{"q":"other"}`)
	out := l.resume()
	wantStatus(t, out, run.Completed)
	if got := l.answers(out)[0]; got != `{"q":"shown"}` {
		t.Errorf("it ran with %s, shown was {\"q\":\"shown\"}", got)
	}
}

func TestRules_AHookCannotPassARuleBy(t *testing.T) {
	l := newLab(t)
	l.use(l.read("look"))
	l.hooks = []graph.Hooks{{Name: "change", PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		u.Arguments = json.RawMessage(`{"q":"secret"}`)
		return nil
	}}}
	l.ruled(`- {name: no_secrets, event: before_tool_call, when: args.q == "secret", verdict: refuse, reason: No secrets.}`)
	out := l.start(wants("look", `{"q":"plain"}`))
	wantStatus(t, out, run.Completed)
	if l.times("look") != 0 || !strings.Contains(l.answers(out)[0], "No secrets.") {
		t.Errorf("it ran %d times: %v", l.times("look"), l.answers(out))
	}
}

func TestRules_AStepThatOnlyReadsRefusesWhatWouldWait(t *testing.T) {
	l := newLab(t)
	l.use(l.read("held"))
	l.ruled(holdLook)
	l.readOnly = true
	out := l.start(wants("held", `{}`))
	wantStatus(t, out, run.Completed)
	if l.times("held") != 0 || !strings.Contains(l.answers(out)[0], "look_first") {
		t.Errorf("it ran %d times: %v", l.times("held"), l.answers(out))
	}
}

func TestFiling_F61_AnApprovalThatCannotBeReadPausesOrFailsAndNothingRuns(t *testing.T) {
	l := newLab(t)
	l.use(l.read("held"))
	l.ruled(holdLook)
	wantStatus(t, l.start(wants("held", `{}`)), run.Paused)
	l.decide("ap.c1", true)
	a := l.approval("ap.c1")
	a.Args = json.RawMessage(`{"q":"tampered"}`)
	must(t, l.db.Update(func(tx store.Tx) error { return tx.PutApproval(a) }))
	out := l.resume()
	if out.Run.Status != run.Paused || l.times("held") != 0 {
		t.Errorf("a tampered approval: the run is %s, the call ran %d times", out.Run.Status, l.times("held"))
	}
	if refused := l.of(journal.ApprovalRefused); len(refused) != 1 {
		t.Errorf("the journal says %+v", refused)
	}
}

// "No morphine, says the rule. I wrote it into the request, signed it, and it was done."
func TestRules_WhatAReviewerPutsInFallsUnderTheRules(t *testing.T) {
	const refuse, hold = `- {name: no_secrets, event: before_tool_call, when: args.q == "secret", verdict: refuse, reason: No secrets.}`,
		`- {name: chief, event: before_tool_call, when: args.q == "secret", verdict: hold, reviewer: {name: The Chief}}`
	hook := []graph.Hooks{{Name: "guard", PreTool: func(_ context.Context, _ *graph.Task, u *graph.ToolUse) error {
		if strings.Contains(string(u.Arguments), "secret") {
			u.Err = errors.New("No secrets.")
		}
		return nil
	}}}
	for name, c := range map[string]struct {
		rules string
		hooks []graph.Hooks
		q     string
		want  string // why it is not done
	}{
		"a rule refuses":        {refuse, nil, "secret", "No secrets."},
		"another decides":       {hold, nil, "secret", "The Chief"},
		"a rule of the graph":   {"", hook, "secret", "No secrets."},
		"nothing forbids it":    {refuse, hook, "open", ""},
		"no rule but its usual": {"", nil, "secret", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.use(l.note("note"))
			l.hooks = c.hooks
			l.ruled(c.rules)
			wantStatus(t, l.start(wants("note", `{"q":"plain"}`)), run.Paused)
			ap := l.approval("ap.c1")
			args := json.RawMessage(`{"q":"` + c.q + `"}`)
			changes := slices.Clone(ap.Changes)
			changes[0].After = json.RawMessage(strings.ReplaceAll(string(changes[0].After), "plain", c.q))
			must(t, l.db.AppendEvents(ap.Session, ap.Turn, nil, func(tx store.Tx) error {
				_, err := ledger.Modify(tx, ap.ID, ap.Digest, ledger.Approval{Args: args, Targets: ap.Targets, Changes: changes, Title: ap.Title, Reviewer: "Test Reviewer"}, nil, l.clock())
				return err
			}))
			l.decide("ap.c1", true)
			out := l.resume()
			wantStatus(t, out, run.Completed)
			if done := len(l.notes()) == 1; done != (c.want == "") {
				t.Errorf("notes: %v", l.notes())
			}
			if got := l.answers(out)[0]; c.want != "" && !strings.Contains(got, c.want) {
				t.Errorf("the model was told %s", got)
			}
			if c.want != "" && (len(l.of(journal.ToolRefused)) != 1 || l.entry("c1").State != ledger.Refused) {
				t.Errorf("told of %d refusals, the ledger says %s", len(l.of(journal.ToolRefused)), l.entry("c1").State)
			}
		})
	}
}
