package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

func TestAdmit_MakesTheSessionAndItsFirstEvents(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		run := newRun("turn:1", "s")
		run.Input = "  Book\ta visit\nfor \u202ehim " + strings.Repeat("ä", 80)
		run.Practice = true
		ev := events(journal.TurnStarted, journal.Token, journal.StageStarted)
		must(t, admitRow(db, run, chans("c", "1"), ev))
		if ev[0].Seq != 1 || ev[1].Seq != 0 || ev[2].Seq != 2 {
			t.Errorf("seqs are %d %d %d; tokens are not numbered", ev[0].Seq, ev[1].Seq, ev[2].Seq)
		}
		s, err := db.Session("s")
		must(t, err)
		if want := "Book a visit for \u202ehim " + strings.Repeat("ä", 37) + "…"; s.Title != want {
			t.Errorf("title %q, want %q", s.Title, want)
		}
		if s.Agent != "navigator" || s.Patient != "p1" || !s.Practice || s.Turns != 1 || s.Status != "running" || !s.UpdatedAt.Equal(t0) {
			t.Errorf("session is %+v", s)
		}
		cp, err := db.Load("turn:1")
		must(t, err)
		if cp.Run.LeaseEpoch != 0 || cp.LastSeq != 2 || len(cp.Channels) != 1 || string(cp.Channels[0].Value) != "1" {
			t.Errorf("checkpoint is %+v", cp)
		}
	})
}

func TestAdmit_RefusesEmptyAndTakenIDs(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		before := snapshot(t, db)
		ev := events(journal.TurnStarted)
		wantErr(t, admitRow(db, newRun("r", "other"), chans("c", "2"), ev), run.ErrRunExists)
		wantErr(t, admitRow(db, newRun("", "s"), nil, ev), ErrID)
		wantErr(t, admitRow(db, newRun("r2", ""), nil, ev), ErrID)
		wantErr(t, admitRow(db, newRun("r\xff", "s"), nil, ev), ErrID)
		wantErr(t, admitRow(db, newRun(strings.Repeat("r", 5000), "s"), nil, ev), ErrID)
		if ev[0].Seq != 0 {
			t.Errorf("seq %d on an event that was not stored", ev[0].Seq)
		}
		if snapshot(t, db) != before {
			t.Error("a refused run left something behind")
		}
	})
}

func TestAcquire_FencesTheWriterBefore(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		first := admit(t, db, "r", "s")
		second, err := db.Acquire("r")
		must(t, err)
		if first.Run.LeaseEpoch != 1 || second.Run.LeaseEpoch != 2 {
			t.Fatalf("fences %d, %d", first.Run.LeaseEpoch, second.Run.LeaseEpoch)
		}
		before := snapshot(t, db)
		ev := events(journal.StageStarted)
		wantErr(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: chans("c", "1"), Events: ev}), run.ErrFenced)
		if ev[0].Seq != 0 || snapshot(t, db) != before {
			t.Error("a fenced writer left something behind")
		}
		row := second.Run
		row.LeaseEpoch, row.Step = 99, 4
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 2, Row: &row}))
		got, err := db.Run("r")
		must(t, err)
		if got.LeaseEpoch != 2 || got.Step != 4 {
			t.Errorf("fence %d step %d", got.LeaseEpoch, got.Step)
		}
		_, err = db.Acquire("none")
		wantErr(t, err, run.ErrNoRun)
		_, err = db.Load("none")
		wantErr(t, err, run.ErrNoRun)
		wantErr(t, db.Apply(&run.Commit{Run: "none"}), run.ErrNoRun)
	})
}

func TestApply_OneFailingCommitLeavesNothingOfAny(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		before, commits := snapshot(t, db), db.Commits()
		boom := errors.New("boom")
		one := &run.Commit{Run: "r", LeaseEpoch: 1, Set: chans("c", "1"), Events: events(journal.StageCompleted)}
		two := &run.Commit{Run: "r", LeaseEpoch: 1, Events: events(journal.StageStarted), Do: graph.In(func(tx Tx, tell graph.Tell) error {
			must(t, tx.PutApproval(approval(t, "a", "s")))
			_, err := tx.PutBlob([]byte("x"))
			must(t, err)
			tell(events(journal.ApprovalRequested)...)
			return boom
		})}
		wantErr(t, db.Apply(one, two), boom)
		if one.Events[0].Seq != 0 || len(two.Events) != 1 || two.Events[0].Seq != 0 {
			t.Errorf("events are %+v and %+v", one.Events, two.Events)
		}
		if snapshot(t, db) != before || db.Commits() != commits {
			t.Error("a failed call left something behind")
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic of a Do was swallowed")
				}
			}()
			two.Do = graph.In(func(tx Tx, _ graph.Tell) error { panic("boom") })
			t.Error(db.Apply(one, two))
		}()
		if snapshot(t, db) != before || one.Events[0].Seq != 0 {
			t.Error("a panic left something behind")
		}
		must(t, db.Apply(one)) // the store still works
	})
}

func TestApply_ManyCommitsAreOneTransactionInOrder(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		admit(t, db, "q", "other")
		before := db.Commits()
		var commits []*run.Commit
		for i := range 6 {
			id := graph.RunID("r")
			if i == 3 {
				id = "q"
			}
			commits = append(commits, &run.Commit{Run: id, LeaseEpoch: 1, Set: chans("c", fmt.Sprint(i)), Events: events(journal.StageStarted, journal.StageCompleted)})
		}
		must(t, db.Apply(commits...))
		if got := db.Commits() - before; got != 1 {
			t.Errorf("%d transactions", got)
		}
		seq := uint64(1)
		for i, c := range commits {
			if i == 3 {
				if c.Events[0].Seq != 2 {
					t.Errorf("the other session's seq is %d", c.Events[0].Seq)
				}
				continue
			}
			for _, e := range c.Events {
				if seq++; e.Seq != seq || e.Session != "s" {
					t.Errorf("commit %d has seq %d of %q, want %d", i, e.Seq, e.Session, seq)
				}
			}
		}
		cp, err := db.Load("r")
		must(t, err)
		if string(cp.Channels[0].Value) != "5" || cp.LastSeq != seq {
			t.Errorf("channel %s, last seq %d", cp.Channels[0].Value, cp.LastSeq)
		}
	})
}

func TestApply_KeepsPendingResultsAndPausesInOrder(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		cp := admit(t, db, "r", "s")
		pause := func(id, answer string) graph.Pause {
			p := graph.Pause{ID: id, Kind: "approval", Stage: "act"}
			if answer != "" {
				p.Answer = json.RawMessage(answer)
			}
			return p
		}
		row := cp.Run
		row.Status = run.Paused
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Row: &row,
			Add:    []run.Pending{{Stage: "z"}, {Stage: "a", Writes: chans("c", "1")}},
			Pauses: []graph.Pause{pause("p2", ""), pause("p1", ""), pause("p0", "")}}))
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Pauses: []graph.Pause{pause("p1", `"yes"`)}, Unask: []string{"p0", "unknown"}}))
		got, err := db.Load("r")
		must(t, err)
		if len(got.Pending) != 2 || got.Pending[0].Stage != "z" || string(got.Pending[1].Writes[0].Value) != "1" {
			t.Errorf("pending is %+v", got.Pending)
		}
		if len(got.Pauses) != 2 || got.Pauses[0].ID != "p2" || got.Pauses[0].Answer != nil || string(got.Pauses[1].Answer) != `"yes"` {
			t.Errorf("pauses are %+v", got.Pauses)
		}
		if s, err := db.Session("s"); err != nil || s.Status != "paused" {
			t.Errorf("session is %+v, %v", s, err)
		}
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Clear: true, Add: []run.Pending{{Stage: "next"}}}))
		if got, err = db.Load("r"); err != nil || len(got.Pending) != 1 || got.Pending[0].Stage != "next" {
			t.Errorf("pending is %+v, %v", got.Pending, err)
		}
	})
}

func TestApply_DoSharesTheTransactionAndAddsEvents(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		var kept Tx
		c := &run.Commit{Run: "r", LeaseEpoch: 1, Events: events(journal.ToolStarted), Do: graph.In(func(tx Tx, tell graph.Tell) error {
			kept = tx
			a := approval(t, "a", "s")
			if err := tx.PutApproval(a); err != nil {
				return err
			}
			if _, err := tx.Approval("a"); err != nil {
				return err // its own writes are seen
			}
			tell(events(journal.ApprovalRequested)...)
			return tx.PutEntry(entryOf(a, ledger.Proposed))
		})}
		must(t, db.Apply(c))
		if len(c.Events) != 2 || c.Events[1].Seq != 3 {
			t.Errorf("events are %+v", c.Events)
		}
		if s, err := db.Session("s"); err != nil || s.Approvals != 1 {
			t.Errorf("session is %+v, %v", s, err)
		}
		_, err := kept.Approval("a")
		wantErr(t, err, ErrTxDone)
		wantErr(t, kept.PutSkip("s", "x", json.RawMessage("1")), ErrTxDone)
	})
}

func TestView_CannotWrite(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		before := snapshot(t, db)
		must(t, db.Read(func(tx Tx) error {
			wantErr(t, tx.PutApproval(approval(t, "a", "s")), ErrView)
			wantErr(t, tx.PutEntry(ledger.Entry{Call: "c", Turn: "t", Session: "s"}), ErrView)
			wantErr(t, tx.PutRecord(rec(t, "Patient", "1", "{}")), ErrView)
			wantErr(t, tx.DeleteRecord(rec(t, "Patient", "1", "{}").Ref), ErrView)
			wantErr(t, tx.PutSkip("s", "t", json.RawMessage("1")), ErrView)
			_, err := tx.PutBlob([]byte("x"))
			wantErr(t, err, ErrView)
			return nil
		}))
		if snapshot(t, db) != before {
			t.Error("a view wrote")
		}
	})
}

func TestApply_ConcurrentWritersNumberTheJournalWithoutGaps(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		const runs, each = 6, 15
		for i := range runs {
			admit(t, db, fmt.Sprint("r", i), "s")
		}
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				for range each {
					if err := db.Apply(&run.Commit{Run: graph.RunID(fmt.Sprint("r", i)), LeaseEpoch: 1, Events: events(journal.StageStarted)}); err != nil {
						t.Error(err)
					}
					if _, err := db.Journal("s", 0, 5); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		all, err := db.Journal("s", 0, 0)
		must(t, err)
		if len(all) != runs*each+runs {
			t.Errorf("%d events", len(all))
		}
		for i, e := range all {
			if e.Seq != uint64(i+1) {
				t.Fatalf("event %d has seq %d", i, e.Seq)
			}
		}
	})
}

func TestRuns_AreListedByStartAndByStatus(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		for _, id := range []string{"c", "a", "b"} {
			admit(t, db, id, "s")
		}
		admit(t, db, "x", "s2")
		row, err := db.Run("a")
		must(t, err)
		row.Status = run.Completed
		must(t, db.Apply(&run.Commit{Run: "a", LeaseEpoch: 1, Row: &row}))
		ids := func(runs []run.Run, err error) string {
			must(t, err)
			out := ""
			for _, r := range runs {
				out += string(r.ID)
			}
			return out
		}
		if got := ids(db.RunsOf("s")); got != "cab" {
			t.Errorf("runs of s: %s", got)
		}
		if got := ids(db.RunsWith(run.Running)); got != "bcx" {
			t.Errorf("running: %s", got)
		}
		if got := ids(db.RunsWith(run.Completed)); got != "a" {
			t.Errorf("completed: %s", got)
		}
		// The session's status is that of its newest run, b.
		if s, err := db.Session("s"); err != nil || s.Status != "running" || s.Turns != 3 {
			t.Errorf("session is %+v, %v", s, err)
		}
	})
}

func TestIDs_WithSeparatorsDoNotCollide(t *testing.T) {
	ids := []string{"a", "a\x00", "a\x00b", "a\x00\x01b", "a\x00\xc3\xbf", "a/b", "a//b", "ab", "\x00", "\x00\x00", "\x01", "/"}
	gate := func(s, tool string) string {
		raw, err := json.Marshal(s + "|" + tool)
		must(t, err)
		return string(raw)
	}
	conform(t, func(t *testing.T, db *DB) {
		for _, s := range ids {
			for _, r := range ids {
				run := newRun(s+"|"+r, s)
				must(t, admitRow(db, run, chans(r, `"`+"x"+`"`), events(journal.TurnStarted)))
			}
			must(t, db.Update(func(tx Tx) error {
				for _, tool := range ids {
					if err := tx.PutSkip(s, tool, json.RawMessage(gate(s, tool))); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		for i, s := range ids {
			all, err := db.Journal(s, 0, 0)
			must(t, err)
			if len(all) != len(ids) {
				t.Errorf("session %q has %d events", s, len(all))
			}
			if runs, err := db.RunsOf(s); err != nil || len(runs) != len(ids) {
				t.Errorf("session %q has %d runs, %v", s, len(runs), err)
			}
			if i%2 == 0 {
				must(t, db.DeleteSession(s))
			}
		}
		for i, s := range ids {
			must(t, db.Read(func(tx Tx) error {
				for _, tool := range ids {
					row, err := tx.Skip(s, tool)
					must(t, err)
					if want := gate(s, tool); i%2 == 1 && string(row) != want || i%2 == 0 && row != nil {
						t.Errorf("skip row of %q, %q is %s", s, tool, row)
					}
				}
				return nil
			}))
		}
	})
}

func TestKeys_KeepTheOrderOfTheirParts(t *testing.T) {
	order := [][]string{{"", "b"}, {"\x00"}, {"\x00", "z"}, {"\x00\x00"}, {"\x01"}, {"a"}, {"a", ""}, {"a", "b"}, {"a\x00"}, {"a\x00\x01"}, {"ab"}}
	for i := 1; i < len(order); i++ {
		if a, b := string(key(order[i-1]...)), string(key(order[i]...)); a >= b {
			t.Errorf("key of %q is not below that of %q", order[i-1], order[i])
		}
		parts, err := splitTexts(key(order[i]...), len(order[i]))
		if err != nil || strings.Join(parts, "|") != strings.Join(order[i], "|") {
			t.Errorf("%q came back as %q, %v", order[i], parts, err)
		}
	}
	for _, bad := range []string{"", "a", "a\x00", "a\x00\x02", "a\x00\x01b"} {
		_, err := splitTexts([]byte(bad), 1)
		wantErr(t, err, ErrDamaged)
	}
}

func TestLatch_AFailedCommitStopsAllWritesButNotReads(t *testing.T) {
	for name, arm := range map[string]func(*DB, func() error){
		"before the commit": func(db *DB, f func() error) { db.beforeCommit = f },
		"after the commit":  func(db *DB, f func() error) { db.afterCommit = f },
	} {
		t.Run(name, func(t *testing.T) {
			conform(t, func(t *testing.T, db *DB) {
				admit(t, db, "r", "s")
				broken := errors.New("disk is gone")
				arm(db, func() error { return broken })
				ev := events(journal.StageStarted)
				err := db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Events: ev})
				wantErr(t, err, broken)
				wantErr(t, err, ErrLatched)
				if ev[0].Seq != 0 {
					t.Errorf("seq is %d", ev[0].Seq)
				}
				arm(db, nil)
				for _, err := range []error{
					db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Events: ev}),
					admitRow(db, newRun("r2", "s"), nil, nil),
					db.AppendEvents("s", "", ev, nil),
					db.PutSession(session.Session{ID: "new"}),
					db.DeleteSession("s"),
					db.PutSetting("x", 1),
					db.PutVectors("m", map[string][]float32{"h": {1}}),
				} {
					wantErr(t, err, ErrLatched)
				}
				if err != nil && !strings.Contains(err.Error(), "opened again") {
					t.Errorf("%q does not say what to do", err)
				}
				if _, err := db.Session("s"); err != nil {
					t.Errorf("reading: %v", err)
				}
				if _, err := db.Acquire("r"); !errors.Is(err, ErrLatched) {
					t.Errorf("acquire: %v", err)
				}
			})
		})
	}
}

// "The turn had failed with: write holdpoint.db: no space left on device (store: …)."
func TestLatch_AFullDiskIsSaidInWords(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		db.beforeCommit = func() error { return &os.PathError{Op: "write", Path: "holdpoint.db", Err: syscall.ENOSPC} }
		err := db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Events: events(journal.StageStarted)})
		wantErr(t, err, syscall.ENOSPC)
		wantErr(t, err, ErrLatched)
		if said := err.Error(); !strings.Contains(said, "the disk is full; free some space") || strings.Contains(said, "device") {
			t.Errorf("%q", said)
		}
	})
}

func TestFile_500StepsWithUnchangedStateStaySmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	defer func() { must(t, db.Close()) }()
	big := chans("big", `"`+strings.Repeat("x", 1<<20)+`"`)
	must(t, admitRow(db, newRun("r", "s"), big, events(journal.TurnStarted)))
	cp, err := db.Acquire("r")
	must(t, err)
	size := func() int64 {
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	before := size()
	row := cp.Run
	for i := range 500 {
		row.Step = i
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Row: &row, Set: chans("small", fmt.Sprint(i)), Events: events(journal.StageStarted, journal.StageCompleted)}))
	}
	grown := size() - before
	t.Logf("500 steps grew the file from %d by %d bytes", before, grown)
	if grown >= 3<<20 {
		t.Errorf("grew by %d bytes", grown)
	}
}
