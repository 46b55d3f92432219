package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/store"
)

// completions counts how often each stage completed, by stage.
func completions(list []journal.Event) map[graph.StageID]int {
	out := map[graph.StageID]int{}
	for _, e := range list {
		if e.Kind == journal.StageCompleted {
			out[e.Stage]++
		}
	}
	return out
}

// finish approves what waits and resumes until the turn is done.
func finish(x terminal, turn string) {
	x.t.Helper()
	for range 6 {
		x.open(func(a *app.App) { approveAll(x.t, a) })
		if got := x.run("resume", "--json", turn); got.code == 0 {
			return
		} else if got.code != 3 {
			x.t.Fatalf("resume: exit %d\n%s\n%s", got.code, got.err, got.out)
		}
	}
	x.t.Fatal("the turn does not come to its end")
}

// soundAfter checks a finished turn whose first process printed these lines
// before it died: nothing of them is lost, nothing is done twice.
func soundAfter(x terminal, printed []string, want map[graph.StageID]int) {
	t := x.t
	t.Helper()
	var list []journal.Event
	appointments := 0
	x.open(func(a *app.App) {
		list = sessionJournal(t, a, "s1")
		err := a.EachRecord("Appointment", func(app.RecordRow) error { appointments++; return nil })
		if err != nil {
			t.Fatal(err)
		}
	})
	mutations := 0
	open, completed := map[graph.StageID]bool{}, map[graph.StageID]bool{}
	bySeq := map[uint64]journal.Event{}
	for i, e := range list {
		bySeq[e.Seq] = e
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		switch e.Kind {
		case journal.MutationCommitted:
			mutations++
		case journal.StageStarted:
			if completed[e.Stage] && !strings.HasPrefix(string(e.Stage), "navigator/") {
				t.Errorf("stage %s was completed and is started again at %d", e.Stage, e.Seq)
			}
			open[e.Stage] = true
		case journal.StageCompleted:
			completed[e.Stage] = true
			if !open[e.Stage] {
				t.Errorf("stage %s is completed at %d without a start", e.Stage, e.Seq)
			}
			delete(open, e.Stage)
		}
	}
	if appointments != 1 || mutations != 1 {
		t.Errorf("%d appointments, %d mutation_committed; want one of each", appointments, mutations)
	}
	if got := completions(list); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("stages completed %v, undisturbed they complete %v", got, want)
	}
	if len(list) == 0 || list[len(list)-1].Kind != journal.TurnCompleted {
		t.Error("the journal does not end with turn_completed")
	}
	for _, line := range printed {
		var e journal.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("printed %q: %v", line, err)
		}
		stored, err := json.Marshal(bySeq[e.Seq])
		if err != nil {
			t.Fatal(err)
		}
		if string(stored) != withoutReport(line) {
			t.Errorf("event %d was acknowledged as\n%s\nand is on disk as\n%s", e.Seq, line, stored)
		}
	}
	rep, err := store.Check(app.StorePath(x.data))
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Problems) > 0 {
		t.Errorf("check: %v", rep.Problems)
	}
}

// undisturbed runs the booking without a crash and returns the turn, the number of
// lines that run and resume print, and how often each stage completes. paused is
// the store with the approved approval.
func undisturbed(t *testing.T) (paused terminal, turn string, runLines, resumeLines int, want map[graph.StageID]int) {
	t.Helper()
	x := inClinic(t)
	list := lines(t, x.want(3, booking...).out)
	turn, runLines = list[0].text("turn"), len(list)
	x.open(func(a *app.App) {
		if n := approveAll(t, a); n != 1 {
			t.Fatalf("%d approvals, want one", n)
		}
	})
	paused = x.copy(t)
	resumeLines = len(lines(t, x.want(0, "resume", "--json", turn).out))
	x.open(func(a *app.App) { want = completions(sessionJournal(t, a, "s1")) })
	soundAfter(x, nil, want)
	return paused, turn, runLines, resumeLines, want
}

func turnOf(t *testing.T, printed []string) string {
	t.Helper()
	var e journal.Event
	if err := json.Unmarshal([]byte(printed[0]), &e); err != nil {
		t.Fatal(err)
	}
	return e.Turn
}

// withoutReport is a printed line as the journal has it: the last one also sums the turn up.
func withoutReport(line string) string {
	event, _, summed := strings.Cut(line, `,"report":{`)
	if summed {
		event += "}"
	}
	return event
}

// TestKill9AtEveryJournalLine kills the process when its n-th event has been
// acknowledged, for every n of a booking and of the resume that carries it out.
func TestKill9AtEveryJournalLine(t *testing.T) {
	paused, turn, runLines, resumeLines, want := undisturbed(t)
	t.Logf("%d lines of run, %d of resume", runLines, resumeLines)
	for n := 1; n <= runLines; n++ {
		t.Run(fmt.Sprintf("run line %d", n), func(t *testing.T) {
			t.Parallel()
			x := inClinic(t)
			printed := x.killed(n, booking...)
			finish(x, turnOf(t, printed))
			soundAfter(x, printed, want)
		})
	}
	for n := 1; n <= resumeLines; n++ {
		t.Run(fmt.Sprintf("resume line %d", n), func(t *testing.T) {
			t.Parallel()
			x := paused.copy(t)
			printed := x.killed(n, "resume", "--json", turn)
			finish(x, turn)
			soundAfter(x, printed, want)
		})
	}
}

// TestKill9AtRandomTimes kills at any time, also between two lines and in the
// middle of a transaction. The times are random, the seed is in the log.
func TestKill9AtRandomTimes(t *testing.T) {
	_, _, _, _, want := undisturbed(t)
	const seed = 20260302
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range 20 {
		after := time.Duration(random.IntN(120_000)) * time.Microsecond
		t.Run(fmt.Sprintf("%d after %v", i, after), func(t *testing.T) {
			t.Parallel()
			x := inClinic(t)
			cmd := x.command(booking...)
			var out strings.Builder
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// The time itself is what is tried here; nothing waits for it to be right.
			timer := time.AfterFunc(after, func() { cmd.Process.Kill() }) // it may have ended already
			var exit *exec.ExitError
			if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			timer.Stop()
			var turns []string
			x.open(func(a *app.App) {
				list, _, err := a.Sessions(store.SessionQuery{})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range list {
					views, err := a.Turns(s.ID)
					if err != nil {
						t.Fatal(err)
					}
					for _, v := range views {
						turns = append(turns, v.Turn)
					}
				}
			})
			printed := strings.SplitAfter(out.String(), "\n")
			printed = slices.DeleteFunc(printed, func(s string) bool { return !strings.HasSuffix(s, "\n") })
			for i := range printed {
				printed[i] = strings.TrimSuffix(printed[i], "\n")
			}
			if len(turns) == 0 {
				if len(printed) > 0 {
					t.Fatal("a turn was acknowledged and is not on disk")
				}
				return // it died before the turn was admitted
			}
			finish(x, turns[0])
			soundAfter(x, printed, want)
		})
	}
}

// TestNavigator_N11_ARestartAfterPreflightDoesNotRunItAgain kills the process once
// preflight's result is acknowledged and resumes in another one.
func TestNavigator_N11_ARestartAfterPreflightDoesNotRunItAgain(t *testing.T) {
	x := inClinic(t)
	cmd := x.command(booking...)
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var turn string
	for dec := json.NewDecoder(pipe); ; {
		var e journal.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		turn = e.Turn
		if e.Kind == journal.StageCompleted && e.Stage == "preflight" {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	resumed := lines(t, x.run("resume", "--json", turn).out)
	for _, e := range resumed {
		if e.text("stage") == "preflight" {
			t.Errorf("preflight is touched again: %v", e)
		}
	}
	finish(x, turn)
	x.open(func(a *app.App) {
		starts := 0
		for _, e := range sessionJournal(t, a, "s1") {
			if e.Kind == journal.StageStarted && e.Stage == "preflight" {
				starts++
			}
		}
		if starts != 1 {
			t.Errorf("preflight was started %d times", starts)
		}
	})
}

// "It was killed in the middle of my turn. The list said that it runs, the next message took its place, and nothing named it."
func TestCommand_ATurnThatWasKilledIsNamedWithHowItGoesOn(t *testing.T) {
	x := newTerminal(t)
	killed := x.command("run", "--practice=slow", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "--json", "Exams frighten me.")
	out, err := killed.StdoutPipe()
	if err != nil || killed.Start() != nil {
		t.Fatal(err)
	}
	var first journal.Event
	if err := json.NewDecoder(out).Decode(&first); err != nil {
		t.Fatal(err)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	how := "holdpoint resume " + first.Turn
	for _, args := range [][]string{{"sessions", "list"}, {"run", "--practice", "--session", "s1", "Hello?"}} {
		if said := x.want(0, args...).err; !strings.Contains(said, how) || !strings.Contains(said, "s1") {
			t.Errorf("%v does not name it: %q", args, said)
		}
	}
	if said := x.want(0, "run", "--practice", "--agent", "companion", "--session", "s2", "--var", "audience=teen", "Hello?").err; strings.Contains(said, how) {
		t.Errorf("another session names it: %q", said)
	}
	x.want(0, "resume", first.Turn)
	if said := x.want(0, "sessions", "list").err; strings.Contains(said, "under way") {
		t.Errorf("it is named once it is done: %q", said)
	}
}
