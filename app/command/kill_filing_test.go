package command_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/store"
)

var filingRun = []string{"run", "--practice", "--agent", "filing", "--session", "s1", "--var", "type=rule_37", "--subject", "Well/42-329-97101", "--json", "Prepare the Rule 37 exception for this well"}

// steps are the numbers of the lines at which something was just finished: those a crash
// is most likely to come between.
func steps(list []object) (out []int) {
	for i, e := range list {
		if slices.Contains([]string{"checkpoint", "approval_requested", "turn_paused", "mutation_committed"}, e.text("kind")) {
			out = append(out, i+1)
		}
	}
	return out
}

// signedOnce checks a finished filing: one form, written once, in a sound store.
func signedOnce(x terminal) {
	t := x.t
	t.Helper()
	filings, mutations := 0, 0
	var last journal.Kind
	x.open(func(a *app.App) {
		if err := a.EachRecord("Filing", func(app.RecordRow) error { filings++; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, e := range sessionJournal(t, a, "s1") {
			if last = e.Kind; e.Kind == journal.MutationCommitted {
				mutations++
			}
		}
	})
	if filings != 1 || mutations != 1 || last != journal.TurnCompleted {
		t.Errorf("%d filings, %d mutation_committed, the journal ends with %s; want one of each and turn_completed", filings, mutations, last)
	}
	rep, err := store.Check(app.StorePath(x.data))
	if err != nil || len(rep.Problems) > 0 {
		t.Errorf("check: %v %v", rep.Problems, err)
	}
}

// TestFiling_F77_Kill9AtEachStepSignsOnce kills the process at each step of a filing and of
// the resume that carries it out: another process ends it with exactly one filing.
func TestFiling_F77_Kill9AtEachStepSignsOnce(t *testing.T) {
	whole := atTheRanch(t)
	fresh := whole.copy(t)
	ran := lines(t, whole.want(3, filingRun...).out)
	turn := ran[0].text("turn")
	whole.open(func(a *app.App) { approveAll(t, a) })
	approved := whole.copy(t)
	resumed := lines(t, whole.want(0, "resume", "--json", turn).out)
	signedOnce(whole)
	for _, n := range steps(ran) {
		t.Run(fmt.Sprintf("run line %d %s", n, ran[n-1].text("kind")), func(t *testing.T) {
			t.Parallel()
			x := fresh.copy(t)
			finish(x, turnOf(t, x.killed(n, filingRun...)))
			signedOnce(x)
		})
	}
	for _, n := range steps(resumed) {
		t.Run(fmt.Sprintf("resume line %d %s", n, resumed[n-1].text("kind")), func(t *testing.T) {
			t.Parallel()
			x := approved.copy(t)
			x.killed(n, "resume", "--json", turn)
			finish(x, turn)
			signedOnce(x)
		})
	}
}

// After eight days an approval has run out, approved or not: nothing was filed, and the turn asks anew.
func TestFiling_F47_AfterEightDaysTheTurnAsksAnew(t *testing.T) {
	for _, approved := range []bool{false, true} {
		x := atTheRanch(t)
		turn := lines(t, x.want(3, filingRun...).out)[0].text("turn")
		var first string
		x.open(func(a *app.App) {
			if approved {
				approveAll(t, a)
			}
		})
		for _, a := range lines(t, x.want(0, "approvals", "list", "--status", "all", "--json").out) {
			first = a.text("id")
		}
		a, err := app.Open(app.Options{Dir: x.data, Now: func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }})
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.ResumeTurn(t.Context(), turn)
		if err != nil {
			t.Fatal(err)
		}
		filings := 0
		if err := a.EachRecord("Filing", func(app.RecordRow) error { filings++; return nil }); err != nil {
			t.Fatal(err)
		}
		old, err := a.Approval(first, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Pauses) != 1 || out.Pauses[0].ID == first || filings != 0 || old.Status == ledger.Used {
			t.Errorf("approved %v: waits for %+v, %d filings, the first approval %s is %s", approved, out.Pauses, filings, first, old.Status)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
