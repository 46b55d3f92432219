package command_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/store"
)

// cancelling is a turn of the reasoner with two rounds of tools: it reads the
// record and then proposes to cancel the visit.
var cancelling = []string{"run", "--json", "--practice", "--agent", "reasoner", "--session", "s2", "--var", "patient=pat-alder", "Please cancel the visit"}

// withVisit has a clinic in which a visit was booked.
func withVisit(t *testing.T) terminal {
	t.Helper()
	x := inClinic(t)
	list := lines(t, x.want(3, booking...).out)
	x.open(func(a *app.App) { approveAll(t, a) })
	x.want(0, "resume", "--json", list[0].text("turn"))
	return x
}

// asked are the events of model calls of the loop, and how many of them belong to a round that
// the journal has to its end.
func asked(list []journal.Event) (calls []journal.Event, acknowledged int) {
	open := 0
	for _, e := range list {
		switch {
		case e.Kind == journal.ModelCalled && e.Stage == "reason":
			calls = append(calls, e)
			open = 1
		case e.Kind == journal.StageCompleted && e.Stage == "reason":
			acknowledged += open
			open = 0
		case e.Kind == journal.StageStarted && e.Stage == "reason":
			open = 0
		}
	}
	return calls, acknowledged
}

// TestReasoner_R37_Kill9BetweenRoundsOfAToolLoopAsksNothingTwice kills the process
// when its n-th event has been acknowledged, for every n of a turn with a tool loop
// and of the resume after its verdict.
func TestReasoner_R37_Kill9BetweenRoundsOfAToolLoopAsksNothingTwice(t *testing.T) {
	visit := withVisit(t)
	x := visit.copy(t)
	first := lines(t, x.want(3, cancelling...).out)
	turn := first[0].text("turn")
	x.open(func(a *app.App) { approveAll(t, a) })
	paused := x.copy(t)
	second := lines(t, x.want(0, "resume", "--json", turn).out)
	var want []journal.Event
	x.open(func(a *app.App) { want = sessionJournal(t, a, "s2") })
	calls, _ := asked(want)
	done := completions(want)
	if len(calls) != 3 || done["reason"] != 5 {
		t.Fatalf("undisturbed: %d model calls, stages %v; want two rounds of tools and an answer", len(calls), done)
	}
	t.Logf("%d lines of run, %d of resume", len(first), len(second))

	try := func(name string, from terminal, n int, args ...string) {
		t.Run(fmt.Sprintf("%s line %d", name, n), func(t *testing.T) {
			t.Parallel()
			x := from.copy(t)
			printed := x.killed(n, args...)
			var before []journal.Event
			x.open(func(a *app.App) { before = sessionJournal(t, a, "s2") })
			bySeq := map[uint64]string{}
			for _, e := range before {
				raw, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				bySeq[e.Seq] = string(raw)
			}
			for _, line := range printed {
				var e journal.Event
				if err := json.Unmarshal([]byte(line), &e); err != nil || bySeq[e.Seq] != withoutReport(line) {
					t.Errorf("acknowledged and not on disk (%v): %s", err, line)
				}
			}
			_, acknowledged := asked(before)
			finish(x, turnOf(t, printed))
			var after []journal.Event
			cancelled := 0
			x.open(func(a *app.App) {
				after = sessionJournal(t, a, "s2")
				if err := a.EachRecord("Appointment", func(r app.RecordRow) error {
					var v struct{ Status string }
					if err := json.Unmarshal(r.Resource, &v); err != nil {
						return err
					}
					if v.Status == "cancelled" {
						cancelled++
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			})
			again, _ := asked(after[len(before):])
			if len(again) != len(calls)-acknowledged {
				t.Errorf("%d of %d answers of the model were on disk, and it was asked %d times more", acknowledged, len(calls), len(again))
			}
			if got := completions(after); fmt.Sprint(got) != fmt.Sprint(done) {
				t.Errorf("stages completed %v, undisturbed %v", got, done)
			}
			mutations := 0
			for i, e := range after {
				if e.Seq != uint64(i+1) {
					t.Fatalf("event %d has number %d", i+1, e.Seq)
				}
				if e.Kind == journal.MutationCommitted {
					mutations++
				}
			}
			if mutations != 1 || cancelled != 1 || after[len(after)-1].Kind != journal.TurnCompleted {
				t.Errorf("%d mutations, %d visits cancelled, the journal ends with %s", mutations, cancelled, after[len(after)-1].Kind)
			}
			rep, err := store.Check(app.StorePath(x.data))
			if err != nil || len(rep.Problems) > 0 {
				t.Errorf("check: %v %v", rep.Problems, err)
			}
		})
	}
	for n := 1; n <= len(first); n++ {
		try("run", visit, n, cancelling...)
	}
	for n := 1; n <= len(second); n++ {
		try("resume", paused, n, "resume", "--json", turn)
	}
}
