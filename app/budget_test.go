package app_test

import (
	"errors"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func (r *ranch) budget(pattern string, b app.Budget) {
	r.t.Helper()
	if _, err := r.app.SetBudget("filing", pattern, &b); err != nil {
		r.t.Fatal(err)
	}
}

// bar is one line of a turn's budget.
func (r *ranch) bar(out run.Outcome, limit string) app.BudgetLine {
	r.t.Helper()
	list, err := r.app.Turns(out.Run.Session)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range list {
		if v.Turn == out.Run.Turn {
			for _, l := range v.Budget {
				if l.Limit == limit {
					return l
				}
			}
		}
	}
	r.t.Fatalf("no bar of %s", limit)
	return app.BudgetLine{}
}

// "I allowed two rounds; it stopped after two, over a restart, and went on only when I said so."
func TestFiling_F71_RoundsAreASettingAndMoreIsGivenByAPersonOnly(t *testing.T) {
	r := newRanch(t)
	r.budget("rule_37", app.Budget{Iterations: 2})
	out := r.prepares()
	wants(t, out, run.Limited)
	if out.Run.Limit != "iterations" {
		t.Fatalf("it came to the limit of %s", out.Run.Limit)
	}
	if l := r.bar(out, "iterations"); l.Used != 2 || l.Max != 2 || !l.Reached || l.More == "" || l.Unit != "rounds" {
		t.Errorf("%+v", l)
	}
	r.restart()
	if _, err := r.app.ResumeTurn(t.Context(), out.Run.Turn); !errors.Is(err, run.ErrLimit) {
		t.Errorf("without more: %v", err)
	}
	// A new budget is for new turns.
	r.budget("rule_37", app.Budget{Iterations: 50})
	if _, err := r.app.ResumeTurn(t.Context(), out.Run.Turn); !errors.Is(err, run.ErrLimit) {
		t.Errorf("with a new budget: %v", err)
	}
	out, err := r.app.MoreTurn(t.Context(), app.Grant{Turn: out.Run.Turn, N: 1, By: "Ann Bell"})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, run.Limited)
	if l := r.bar(out, "iterations"); l.Used != 3 || l.Max != 3 {
		t.Errorf("%+v", l)
	}
	if out, err = r.app.MoreTurn(t.Context(), app.Grant{Turn: out.Run.Turn, N: 5, By: "Ann Bell"}); err != nil {
		t.Fatal(err)
	}
	wants(t, out, run.Paused)
	given := 0.0
	for _, e := range turnEvents(t, r.app, out, journal.TurnResumed) {
		d, err := journal.Read[journal.TurnResumedData](e)
		if err != nil || d.Limit != "iterations" || d.By != "Ann Bell" {
			t.Errorf("%+v %v", d, err)
		}
		given += d.More
	}
	r.told(out, "Ann Bell gave it 5 more of the limit of rounds of tool calls")
	if given != 6 {
		t.Errorf("the journal says that %v were given", given)
	}
}

// What was used counts over pauses and restarts.
func TestFiling_F70_TokensAreASettingRefusedAtTheLimit(t *testing.T) {
	r := newRanch(t)
	first := r.prepares()
	wants(t, first, run.Paused)
	used := first.Run.Used.Tokens
	v := pending(t, r.app)
	if err := r.approves(v, "Test Reviewer"); err != nil {
		t.Fatal(err)
	}
	done := resumes(t, r.app, first.Run.Turn)
	wants(t, done, run.Completed)
	if done.Run.Used.Tokens <= used || r.bar(done, "tokens").Used != float64(done.Run.Used.Tokens) {
		t.Fatalf("%d tokens, then %d", used, done.Run.Used.Tokens)
	}
	// Prompts name ids, so that a turn may use a few tokens more or less than the one before.
	for limit, want := range map[int]run.Status{used - 300: run.Limited, used + 300: run.Paused} {
		r.budget("rule_37", app.Budget{Tokens: limit})
		out := r.prepares()
		wants(t, out, want)
		if l := r.bar(out, "tokens"); l.Max != float64(limit) || l.Used < float64(limit) == (want == run.Limited) || l.Reached != (want == run.Limited) {
			t.Errorf("%d: %+v", limit, l)
		}
		if want == run.Paused {
			// What was used before the pause counts behind it.
			if err := r.approves(pending(t, r.app), "Test Reviewer"); err != nil {
				t.Fatal(err)
			}
			r.restart()
			out = resumes(t, r.app, out.Run.Turn)
			wants(t, out, run.Limited)
			if l := r.bar(out, "tokens"); l.Used <= float64(used) || !l.Reached {
				t.Errorf("%+v", l)
			}
		}
	}
}

func TestFiling_F70_BudgetsAreListedSetAndRefused(t *testing.T) {
	r := newRanch(t)
	find := func(agent, typ string) app.BudgetView {
		list, err := r.app.Budgets()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.Agent == agent && v.Type == typ {
				return v
			}
		}
		t.Fatalf("no budget of %s %s", agent, typ)
		return app.BudgetView{}
	}
	for typ, want := range map[string]app.Budget{
		"rule_37": {150_000, 10, 20, 7200}, "rule_32": {100_000, 8, 20, 7200}, "compliance_monitor": {200_000, 15, 20, 7200}, "flaring_monitor": {300_000, 20, 20, 7200}, "general": {100_000, 5, 20, 7200},
	} {
		if v := find("filing", typ); v.Budget != want || v.Usual != want || v.Set {
			t.Errorf("%s: %+v", typ, v)
		}
	}
	r.budget("rule_37", app.Budget{Cost: 2.5, Seconds: 60})
	if v := find("filing", "rule_37"); v.Budget != (app.Budget{Tokens: 150_000, Cost: 2.5, Iterations: 20, Seconds: 60}) || !v.Set || v.Usual.Cost != 10 {
		t.Errorf("%+v", v)
	}
	if v := find("filing", "rule_32"); v.Set || v.Budget.Cost != 8 {
		t.Errorf("another type: %+v", v)
	}
	if _, err := r.app.SetBudget("filing", "rule_37", nil); err != nil || find("filing", "rule_37").Set {
		t.Errorf("as usual again: %v", err)
	}
	for name, set := range map[string]func() error{
		"a negative one":            func() error { _, err := r.app.SetBudget("filing", "rule_37", &app.Budget{Tokens: -1}); return err },
		"no agent":                  func() error { _, err := r.app.SetBudget("nobody", "", &app.Budget{Tokens: 1}); return err },
		"no type":                   func() error { _, err := r.app.SetBudget("filing", "rule_99", &app.Budget{Tokens: 1}); return err },
		"rounds that nobody counts": func() error { _, err := r.app.SetBudget("navigator", "", &app.Budget{Iterations: 3}); return err },
		"a member nobody knows":     func() error { return r.app.Set("budget.filing.rule_37", []byte(`{"tokenz":3}`)) },
	} {
		if err := set(); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	// Agents without types have one, too.
	if _, err := r.app.SetBudget("navigator", "", &app.Budget{Tokens: 1}); err != nil || find("navigator", "").Budget.Tokens != 1 {
		t.Errorf("%v", err)
	}
}
