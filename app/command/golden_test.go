package command_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// golden is a store that a release left behind; what is in it is written in the README beside it.
type golden struct {
	// name is its folder, by the format of its file.
	name string
	// day is within the time in which its approvals can be decided.
	day time.Time
	// later says that agents which the first format did not know have sessions in it.
	later bool
	// counts are what a check finds.
	counts map[string]float64
}

var goldens = []golden{
	{name: "golden-1", day: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC),
		counts: map[string]float64{"sessions": 11, "runs": 12, "events": 599, "records": 471, "approvals": 3, "entries": 4}},
	{name: "golden-8", day: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC), later: true,
		counts: map[string]float64{"sessions": 14, "runs": 17, "events": 823, "records": 485, "approvals": 4, "entries": 5}},
	{name: "golden-10", day: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC), later: true,
		counts: map[string]float64{"sessions": 14, "runs": 17, "events": 823, "records": 485, "approvals": 4, "entries": 5}},
}

func goldenFile(t *testing.T, golden, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "store", "testdata", golden, name))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return body
}

// inGolden has a data folder with a copy of a golden store.
func inGolden(t *testing.T, golden string) terminal {
	t.Helper()
	x := newTerminal(t)
	if err := os.WriteFile(filepath.Join(x.data, app.StoreFile), goldenFile(t, golden, "holdpoint.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	return x
}

// openOn opens the store in this process on a day of the store's own time.
func (x terminal) openOn(day time.Time, fn func(a *app.App)) {
	x.t.Helper()
	var tick atomic.Int64
	now := func() time.Time { return day.Add(time.Duration(tick.Add(1)) * time.Millisecond) }
	a, err := app.Open(app.Options{Dir: x.data, Now: now})
	if err != nil {
		x.t.Fatal(err)
	}
	fn(a)
	if err := a.Close(); err != nil {
		x.t.Fatal(err)
	}
}

func onGoldens(t *testing.T, test func(t *testing.T, x terminal, g golden)) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			test(t, inGolden(t, g.name), g)
		})
	}
}

// oneTurn is the only turn of a session.
func oneTurn(t *testing.T, a *app.App, session string) app.TurnView {
	t.Helper()
	turns, err := a.Turns(session)
	if err != nil || len(turns) != 1 {
		t.Fatalf("session %s has %d turns (%v)", session, len(turns), err)
	}
	return turns[0]
}

// appointments counts visits that are booked.
func appointments(t *testing.T, a *app.App) (n int) {
	t.Helper()
	if err := a.EachRecord("Appointment", func(app.RecordRow) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestGolden_EveryCommandThatReadsReadsIt(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		// Before the store is opened: then the journals also hold what ran out since.
		report := lines(t, x.want(0, "check", "--json").out)[0]
		for name, n := range g.counts {
			if report[name] != n {
				t.Errorf("the check counts %v %s, want %v", report[name], name, n)
			}
		}
		status := map[string]string{"talked": "completed", "reasoned": "completed", "reacted": "completed", "booked": "completed", "refused": "completed",
			"forgot": "completed", "waiting": "paused", "asked": "paused", "limited": "limited", "abandoned": "abandoned", "killed": "interrupted"}
		if g.later {
			maps.Copy(status, map[string]string{"signing": "paused", "studied": "completed", "remembered": "completed"})
		}
		sessions := lines(t, x.want(0, "sessions", "list", "--json").out)
		needs(t, sessions, "id", "title", "agent", "turns", "status", "updated_at")
		if len(sessions) != len(status) {
			t.Errorf("%d sessions, want %d", len(sessions), len(status))
		}
		for _, s := range sessions {
			id := s.text("id")
			if s.text("status") != status[id] {
				t.Errorf("session %s is %s, want %s", id, s.text("status"), status[id])
			}
			if got := x.want(0, "sessions", "show", id); !strings.Contains(got.err, "> ") {
				t.Errorf("session %s shows %q", id, got.err)
			}
			lines(t, x.want(0, "memory", "show", id, "--json").out)
			for _, format := range []string{"md", "html", "json"} {
				if got := x.want(0, "export", id, "--format", format, "--trace"); len(got.out) < 200 {
					t.Errorf("export of %s as %s has %d bytes", id, format, len(got.out))
				}
			}
		}
		if tools := lines(t, x.want(0, "memory", "show", "talked", "--json").out)[0]["tools"].([]any); len(tools) != 5 {
			t.Errorf("the memory of talked has %d tools", len(tools))
		}
		if tools := lines(t, x.want(0, "memory", "show", "forgot", "--json").out)[0]["tools"].([]any); len(tools) != 4 {
			t.Errorf("the memory of forgot has %d tools", len(tools))
		}
		approvals := lines(t, x.want(0, "approvals", "list", "--json", "--status", "all").out)
		needs(t, approvals, "id", "session", "turn", "call", "tool", "args", "digest", "status", "requested_at", "expires_at")
		if float64(len(approvals)) != g.counts["approvals"] || count(approvals, "status", "used") != 1+erased(approvals) || count(approvals, "status", "rejected") != 1 {
			t.Errorf("approvals: %v", approvals)
		}
		for _, a := range approvals {
			if got := lines(t, x.want(0, "approvals", "show", a.text("id"), "--json").out)[0]; got.text("digest") != a.text("digest") {
				t.Errorf("approval %s has two digests", a.text("id"))
			}
			x.want(0, "approvals", "show", a.text("id"))
		}
		for typ, n := range map[string]int{"Patient": 8, "Practitioner": 12, "Slot": 384, "Appointment": 2, "DocumentReference": 8} {
			if got := lines(t, x.want(0, "records", "list", typ, "--json").out); len(got) != n {
				t.Errorf("%d records of type %s, want %d", len(got), typ, n)
			}
		}
		if one := lines(t, x.want(0, "records", "show", "Patient/pat-alder").out); one[0].text("id") != "pat-alder" {
			t.Errorf("show printed %v", one)
		}
		for _, args := range [][]string{{"doctor"}, {"agents", "list"}, {"approvals", "list"}, {"models", "list"}, {"mcp", "list"}} {
			x.run(args...)
			x.want(0, "check")
		}
	})
}

// TestGolden_CheckDoesNotNeedTheStoreToBeOpenedFirst checks the file as the old
// release left it: nothing is changed by that.
func TestGolden_CheckDoesNotNeedTheStoreToBeOpenedFirst(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		path := app.StorePath(x.data)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		x.want(0, "check")
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the check changed the file (%v)", err)
		}
		if left, err := filepath.Glob(path + "?*"); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

// TestGolden_JournalsReplayAsTheyWerePrinted compares with what the old release
// printed: a later one may say more, but nothing else.
func TestGolden_JournalsReplayAsTheyWerePrinted(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			x := inGolden(t, g.name)
			was := map[string][]object{}
			for _, e := range lines(t, string(goldenFile(t, g.name, "journals.ndjson.gz"))) {
				was[e.text("session")] = append(was[e.text("session")], e)
			}
			if len(was) == 0 {
				t.Fatal("nothing to compare with")
			}
			for session, old := range was {
				now := lines(t, x.want(0, "sessions", "show", session, "--json").out)
				since := now[min(len(now), len(old)):]
				if !slices.ContainsFunc(since, func(e object) bool { return !strings.HasPrefix(e.text("kind"), "approval_") }) {
					now = now[:len(now)-len(since)] // somebody was reminded since, or its time ran out
				}
				if len(now) != len(old) {
					t.Errorf("session %s has %d events, it had %d", session, len(now), len(old))
					continue
				}
				for i := range old {
					for name, v := range old[i] {
						if !reflect.DeepEqual(now[i][name], v) {
							t.Errorf("session %s event %d: %s is %v, it was %v", session, i+1, name, now[i][name], v)
						}
					}
				}
			}
		})
	}
}

// TestGolden_ThePausedBookingIsApprovedAndCommittedExactlyOnce also guards that the
// topology of the release that paused it is still recognised.
func TestGolden_ThePausedBookingIsApprovedAndCommittedExactlyOnce(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		var turn string
		x.openOn(g.day, func(a *app.App) {
			turn = oneTurn(t, a, "waiting").Turn
			if out, err := a.ResumeTurn(t.Context(), turn); err != nil || out.Run.Status != run.Paused {
				t.Fatalf("without a verdict: %v, %s", err, out.Run.Status)
			}
			if n := appointments(t, a); n != 2 {
				t.Fatalf("%d appointments before the verdict", n)
			}
			pending, err := a.Approvals("pending")
			pending = slices.DeleteFunc(pending, func(v app.ApprovalView) bool { return v.Turn != turn })
			if err != nil || len(pending) != 1 {
				t.Fatalf("pending: %v, %v", pending, err)
			}
			v := pending[0]
			d := app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Test Reviewer"}
			if _, err := a.Decide(d, true); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Decide(d, true); !errors.Is(err, ledger.ErrDecided) {
				t.Errorf("approved twice: %v", err)
			}
		})
		x.openOn(g.day.Add(time.Hour), func(a *app.App) { // another process
			for range 2 {
				out, err := a.ResumeTurn(t.Context(), turn)
				if err != nil || out.Run.Status != run.Completed {
					t.Fatalf("resume: %v, %s %s", err, out.Run.Status, out.Run.Error)
				}
			}
			if n := appointments(t, a); n != 3 {
				t.Errorf("%d appointments after two resumes", n)
			}
			mutations := 0
			for i, e := range sessionJournal(t, a, "waiting") {
				if e.Seq != uint64(i+1) {
					t.Fatalf("event %d has number %d", i+1, e.Seq)
				}
				if e.Kind == journal.MutationCommitted {
					mutations++
				}
			}
			if mutations != 1 {
				t.Errorf("%d mutations in the journal", mutations)
			}
		})
		x.want(0, "check")
	})
}

// "The form waited over the update, and then it could not be signed any more."
func TestGolden_TheFormIsSignedTheStudyAndTheConversationGoOn(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		if !g.later {
			t.Skip("this format knew none of them")
		}
		var id, turn string
		x.openOn(g.day, func(a *app.App) {
			turn = oneTurn(t, a, "signing").Turn
			pending, err := a.Approvals("pending")
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range pending {
				if v.Turn == turn {
					id = v.ID
					if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Test Reviewer"}, true); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 2 {
				if out, err := a.ResumeTurn(t.Context(), turn); err != nil || out.Run.Status != run.Completed {
					t.Fatalf("resume: %v, %s %s", err, out.Run.Status, out.Run.Error)
				}
			}
		})
		if id == "" {
			t.Fatal("nothing waited for a signature")
		}
		if forms := lines(t, x.want(0, "records", "list", "Filing", "--json").out); len(forms) != 1 {
			t.Errorf("%d forms are signed", len(forms))
		}
		study := turnIn(t, x, "studied")
		if v := shownBoard(x, study); len(v.Hypotheses) != 1 || v.Hypotheses[0].Status != "confirmed" || len(v.Decisions) != 1 || len(v.Evidence) != 2 {
			t.Errorf("the board is %+v", v)
		}
		x.want(0, "run", "--practice", "--session", "studied", "Does exercise help shift workers?")
		if found := lines(t, x.want(0, "library", "search", "shift workers", "--json").out); len(found) == 0 {
			t.Error("the document is not found")
		}
		vars := []string{"run", "--practice", "--agent", "companion", "--session", "again", "--var", "audience=teen", "--var", "language=fr", "Bonjour"}
		if got := x.want(0, vars...); !strings.Contains(got.out, "déjà parlé") {
			t.Errorf("it remembers nothing: %s", got.out)
		}
		x.want(0, "check")
	})
}

func TestGolden_ThePausedQuestionIsAnsweredAndTheLimitRaised(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		got := x.run("resume", turnIn(t, x, "asked"))
		m := howToAnswer.FindStringSubmatch(got.err)
		if got.code != 3 || m == nil {
			t.Fatalf("exit %d: %s", got.code, got.err)
		}
		if got := x.want(0, "resume", m[1], "--answer", m[2]+`="blue"`); strings.TrimSpace(got.out) != "You like blue." {
			t.Errorf("it said %q", got.out)
		}
		if got := x.want(0, "resume", turnIn(t, x, "limited"), "--more", "10"); strings.TrimSpace(got.out) != "arrived" {
			t.Errorf("it said %q", got.out)
		}
		x.want(0, "check")
	})
}

func TestGolden_TheKilledTurnGoesOnAndTheAbandonedOneDoesNot(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		x.want(1, "resume", turnIn(t, x, "abandoned"))
		x.want(0, "resume", turnIn(t, x, "killed"))
		kept := 0
		for _, e := range lines(t, x.want(0, "sessions", "show", "killed", "--json").out) {
			if e.text("kind") == "stage_completed" && e.text("stage") == "preflight" {
				kept++
			}
		}
		if kept != 1 {
			t.Errorf("preflight was done %d times", kept)
		}
		x.want(0, "run", "--practice", "--session", "talked", "And what else?") // an old session goes on
		x.want(0, "check")
	})
}

func TestGolden_EverySessionCanBeDeleted(t *testing.T) {
	onGoldens(t, func(t *testing.T, x terminal, g golden) {
		kept := erased(lines(t, x.want(0, "approvals", "list", "--json", "--status", "all").out))
		for _, s := range lines(t, x.want(0, "sessions", "list", "--json").out) {
			x.want(0, "sessions", "delete", s.text("id"))
		}
		r, err := store.Check(app.StorePath(x.data))
		// Of the one that was used stays who gave it; of a session that its own version deleted, nothing where that kept nothing.
		if err != nil || r.Sessions+r.Runs+r.Events != 0 || r.Approvals != 1+kept || len(r.Problems) > 0 || float64(r.Records) != g.counts["records"] || r.Entries != 2 {
			t.Errorf("left: %+v, %v", r, err)
		}
	})
}

// erased are the approvals that are kept of deleted sessions.
func erased(list []object) (n int) {
	for _, a := range list {
		if a["erased"] == true {
			n++
		}
	}
	return n
}

// turnIn is the last turn of a session.
func turnIn(t *testing.T, x terminal, session string) string {
	t.Helper()
	list := lines(t, x.want(0, "sessions", "show", session, "--json").out)
	return list[len(list)-1].text("turn")
}
