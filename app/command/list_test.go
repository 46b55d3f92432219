package command_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"holdpoint/app"
	"holdpoint/engine/ledger"
	"holdpoint/engine/session"
	"holdpoint/engine/visible"
	"holdpoint/engine/visible/visibletest"
	"holdpoint/store"
)

// "I mistyped the status, and it said that nothing waits."
func TestCommand_ApprovalsListRefusesUnknownWordsAndListsUnknownOutcomes(t *testing.T) {
	x := inClinic(t)
	// "An empty word was refused in other words than a wrong one."
	for _, empty := range []string{"", " "} {
		if got := x.want(2, "approvals", "list", "--status", empty); !strings.Contains(got.err, "There is no status") || !strings.Contains(got.err, "do:") || !strings.Contains(got.err, "expired") {
			t.Errorf("%q: %s", empty, got.err)
		}
	}
	if got := x.want(2, "approvals", "list", "--status", "pendign"); !strings.Contains(got.err, "pendign") || !strings.Contains(got.err, "expired") {
		t.Errorf("it says %s", got.err)
	}
	x.want(3, "run", "--practice", "--subject", "Patient/pat-alder", "Please book me a visit for my insomnia next week")
	x.open(func(a *app.App) {
		if err := a.Store.Update(func(tx store.Tx) error {
			var e ledger.Entry
			if err := tx.Entries("", func(found ledger.Entry) (bool, error) { e = found; return false, nil }); err != nil {
				return err
			}
			e.State = ledger.Unknown
			return tx.PutEntry(e)
		}); err != nil {
			t.Fatal(err)
		}
	})
	list := lines(t, x.want(0, "approvals", "list", "--status", "unknown", "--json").out)
	needs(t, list, "call", "tool", "state", "check")
	if len(list) != 1 || list[0].text("state") != "unknown" {
		t.Errorf("%v", list)
	}
	if got := x.want(0, "approvals", "list", "--status", "unknown"); !strings.Contains(got.err, list[0].text("call")) {
		t.Errorf("people read %s", got.err)
	}
}

// "I asked for one, and it printed them all." "It says used, and nothing was ever sent."
func TestCommand_ApprovalsListKeepsToTheLimitAndSaysWhatWasNotDone(t *testing.T) {
	x := inClinic(t)
	for range 2 {
		x.want(3, "run", "--practice", "--subject", "Patient/pat-alder", "Please book me a visit for my insomnia next week")
	}
	set := func(state ledger.State, status ledger.Status) {
		x.open(func(a *app.App) {
			if err := a.Store.Update(func(tx store.Tx) error {
				var all []ledger.Entry
				if err := tx.Entries("", func(e ledger.Entry) (bool, error) { all = append(all, e); return true, nil }); err != nil {
					return err
				}
				for _, e := range all {
					ap, err := tx.Approval(e.Approval)
					if err != nil {
						return err
					}
					e.State, ap.Status = state, status
					if err := errors.Join(tx.PutEntry(e), tx.PutApproval(ap)); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
	set(ledger.Unknown, ledger.Used)
	first := x.want(0, "approvals", "list", "--status", "unknown", "--limit", "1", "--json")
	_, next, more := strings.Cut(first.err, "--after ")
	if list := lines(t, first.out); !more || len(list) != 1 {
		t.Fatalf("%d calls, and it says %q", len(list), first.err)
	}
	rest := x.want(0, "approvals", "list", "--status", "unknown", "--limit", "1", "--json", "--after", strings.TrimSpace(next))
	if list := lines(t, rest.out); len(list) != 1 || list[0].text("call") == lines(t, first.out)[0].text("call") || rest.err != "" {
		t.Errorf("the next page is %s%s", rest.out, rest.err)
	}
	x.want(2, "approvals", "list", "--status", "unknown", "--after", "nobody")
	set(ledger.Refused, ledger.Used)
	if got := x.want(0, "approvals", "list", "--status", "used").err; strings.Count(got, "approved, nothing was done") != 2 {
		t.Errorf("people read %s", got)
	}
	set(ledger.Committed, ledger.Used)
	if got := x.want(0, "approvals", "list", "--status", "used").err; strings.Contains(got, "nothing was done") {
		t.Errorf("people read %s", got)
	}
}

// "The list ended, and nothing said that there was more." "A title did things to my terminal."
func TestThreat15_TheTerminalShowsWhatHidesAndSaysThatThereIsMore(t *testing.T) {
	x := newTerminal(t)
	corpus := visibletest.Corpus(t)
	x.open(func(a *app.App) {
		for i, c := range corpus {
			if err := a.Store.PutSession(session.Session{ID: "s" + string(rune('A'+i/26)) + string(rune('A'+i%26)), Title: c.Raw}); err != nil {
				t.Fatal(err)
			}
		}
	})
	people := x.want(0, "sessions", "list", "--limit", "500")
	asJSON := x.want(0, "sessions", "list", "--limit", "500", "--json")
	for _, out := range []string{people.err, asJSON.out} {
		for line := range strings.Lines(out) {
			if visible.Text(line) != line {
				t.Errorf("a line hides something: %+q", line)
			}
		}
	}
	for _, c := range corpus {
		if !strings.Contains(people.err, c.Line) {
			t.Errorf("%s is not shown as %q", c.Name, c.Line)
		}
	}
	titles := map[string]bool{}
	for _, o := range lines(t, asJSON.out) {
		titles[o.text("title")] = true
	}
	for _, c := range corpus {
		if !titles[c.Raw] {
			t.Errorf("--json has not the title %+q", c.Raw)
		}
	}
	first := x.want(0, "sessions", "list", "--limit", "10", "--json")
	_, next, more := strings.Cut(first.err, "--before ")
	if !more || len(lines(t, first.out)) != 10 {
		t.Fatalf("it does not say that there is more: %s", first.err)
	}
	second := lines(t, x.want(0, "sessions", "list", "--limit", "500", "--json", "--before", strings.TrimSpace(next)).out)
	if len(second) != len(corpus)-10 {
		t.Errorf("the next page has %d of %d", len(second), len(corpus)-10)
	}
}

// "It said completed, and a note was still waiting for me." The list and the verdict's way back are in words.
func TestSessions_TheListSaysWhatEachWaitsFor(t *testing.T) {
	x := inClinic(t)
	x.want(3, "run", "--practice", "--session", "note", "--subject", "Patient/pat-alder", "Please write a note that she sleeps better")
	x.want(0, "run", "--practice", "--session", "note", "--subject", "Patient/pat-alder", "Which medicines does she take?")
	list := func(want string) {
		t.Helper()
		if got := x.want(0, "sessions", "list"); !strings.Contains(got.err, want) {
			t.Errorf("no %q in %s", want, got.err)
		}
	}
	list("  waits for approval  ")
	id := lines(t, x.want(0, "approvals", "list", "--json").out)[0].text("id")
	x.want(0, "approvals", "reject", id, "--reviewer", "Dr. Test", "--comment", "not now")
	list("  decided, waits to be resumed  ")
	x.want(0, "settings", "set", "language", "fr")
	list("  décidé, attend d’être repris  ")
}

// "I asked for a second visit, and nothing said that the first one still waits."
func TestRun_ASecondBookingSaysThatOneWaits(t *testing.T) {
	x := inClinic(t)
	book := []string{"run", "--practice", "--subject", "Patient/pat-alder", "Please book a visit for the insomnia next week"}
	if got := x.want(3, book...); strings.Contains(got.err, "that waits wants") {
		t.Error(got.err)
	}
	if got := x.want(3, book...); !strings.Contains(got.err, "Warning: Another request that waits wants the same time") {
		t.Error(got.err)
	}
}

// "One row of my store was damaged, and no session could be listed any more, nor the bad one deleted."
func TestSessions_ADamagedOneIsListedAndDeletedWithWhatBelongsToIt(t *testing.T) {
	for name, spoil := range map[string]func(v []byte) []byte{
		"its row is no JSON":         func(v []byte) []byte { return append(v[:1:1], "{ink was spilt here"...) },
		"nothing of it is as it was": func([]byte) []byte { return []byte("ink") },
		"its row is another's":       func(v []byte) []byte { return bytes.Replace(v, []byte(`"id":"ink"`), []byte(`"id":"pen"`), 1) },
		"its row is gone":            func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			x := inClinic(t)
			x.want(0, "run", "--practice", "--session", "whole", "Hello there")
			x.want(3, "run", "--practice", "--session", "ink", "--subject", "Patient/pat-alder", "Please write a note that she sleeps better")
			damage(t, x, "sessions", func(b *bbolt.Bucket, k, v []byte) error {
				if !bytes.HasPrefix(k, []byte("ink")) {
					return nil
				}
				if v = spoil(v); v == nil {
					return b.Delete(k)
				}
				return b.Put(k, v)
			})
			list := x.want(0, "sessions", "list").err
			for _, want := range []string{"Hello there", "Damaged session", "holdpoint sessions delete ink"} {
				if !strings.Contains(list, want) {
					t.Errorf("no %q in %s", want, list)
				}
			}
			asJSON := lines(t, x.want(0, "sessions", "list", "--json").out)
			if len(asJSON) != 2 || asJSON[0].text("id") != "ink" || asJSON[0].text("status") != "damaged" {
				t.Errorf("%v", asJSON)
			}
			if name != "its row is gone" {
				if check := x.run("check"); check.code == 0 || !strings.Contains(check.out+check.err, `sessions "ink": its row is damaged; holdpoint sessions delete ink`) || !strings.Contains(check.out+check.err, "1 sessions, 2 runs") {
					t.Errorf("check: %+v", check)
				}
				if show := x.run("sessions", "show", "ink"); show.code == 0 || !strings.Contains(show.err, `the session "ink" is damaged`) {
					t.Errorf("show: %+v", show)
				}
			}
			x.want(0, "sessions", "delete", "ink")
			if list := x.want(0, "sessions", "list").err; strings.Contains(list, "amaged") || !strings.Contains(list, "Hello there") {
				t.Errorf("after it was deleted: %s", list)
			}
			if left := x.want(0, "approvals", "list", "--json").out; left != "" {
				t.Errorf("what it asked for is left: %s", left)
			}
			x.want(0, "check")
		})
	}
}

// "One damaged session had a turn that was cut off, and the program showed me nothing at all any more."
func TestSessions_ADamagedOneWithATurnThatWasCutOffHidesNothingElse(t *testing.T) {
	x := inGolden(t, "golden-10")
	damage(t, x, "sessions", func(b *bbolt.Bucket, k, v []byte) error {
		if !bytes.HasPrefix(k, []byte("killed\x00")) {
			return nil
		}
		return b.Put(k, []byte("ink"))
	})
	x.open(func(a *app.App) {
		state, err := a.State(t.Context())
		if err != nil || state.Counts["sessions"] != 14 || len(state.Interrupted) != 0 {
			t.Fatalf("%v, %+v", err, state)
		}
		list, _, err := a.Sessions(store.SessionQuery{Status: app.StatusDamaged})
		if err != nil || len(list) != 1 || list[0].ID != "killed" {
			t.Fatalf("%v, %+v", err, list)
		}
		if err := a.DeleteSession("killed"); err != nil {
			t.Fatal(err)
		}
	})
	x.want(0, "check")
}

// "One session has an id like a sentence, and every other line of the list runs off my screen."
func TestSessions_ALongIdWidensNoOtherRow(t *testing.T) {
	x := newTerminal(t)
	long := strings.Repeat("name-", 20)
	x.open(func(a *app.App) {
		for _, id := range []string{"short", long} {
			if err := a.Store.PutSession(session.Session{ID: id, Title: "called " + id}); err != nil {
				t.Fatal(err)
			}
		}
	})
	out := x.want(0, "sessions", "list").err
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "short") && len(line) > 100 || strings.HasPrefix(line, long) && !strings.HasPrefix(line, long+"  turns: 0") {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(out, "\n") != 2 {
		t.Error(out)
	}
}
