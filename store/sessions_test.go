package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

func titles(t *testing.T, db *DB, q SessionQuery) string {
	t.Helper()
	found, err := db.Sessions(q)
	must(t, err)
	var out []string
	for _, s := range found {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func TestSessions_NewestFirstInPagesSearchedAndFiltered(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		for i, title := range []string{"Asthma review", "Booking ÄRZTE", "asthma plan", "Filing"} {
			s := session.Session{ID: fmt.Sprint("s", i), Title: title, Status: []string{"paused", "completed"}[i%2], CreatedAt: t0, UpdatedAt: t0.Add(time.Duration(i) * time.Second)}
			must(t, db.PutSession(s))
		}
		// Years before 1970 and after 2262 sort as well.
		must(t, db.PutSession(session.Session{ID: "old", UpdatedAt: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)}))
		must(t, db.PutSession(session.Session{ID: "new", UpdatedAt: time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC)}))
		if got := titles(t, db, SessionQuery{}); got != "new s3 s2 s1 s0 old" {
			t.Errorf("all: %s", got)
		}
		if got := titles(t, db, SessionQuery{Search: "ASTHMA"}); got != "s2 s0" {
			t.Errorf("search: %s", got)
		}
		if got := titles(t, db, SessionQuery{Search: "ärzte", Status: "completed"}); got != "s1" {
			t.Errorf("search and status: %s", got)
		}
		var pages []string
		q := SessionQuery{Limit: 2}
		for {
			page, err := db.Sessions(q)
			must(t, err)
			if len(page) == 0 {
				break
			}
			for _, s := range page {
				pages = append(pages, s.ID)
			}
			q.Before = CursorOf(page[len(page)-1])
		}
		if got := strings.Join(pages, " "); got != "new s3 s2 s1 s0 old" {
			t.Errorf("in pages: %s", got)
		}
		// A change moves a session to the front and leaves no trace at its old place.
		s, err := db.Session("s0")
		must(t, err)
		s.UpdatedAt = t0.Add(time.Hour)
		must(t, db.PutSession(s))
		if got := titles(t, db, SessionQuery{}); got != "new s0 s3 s2 s1 old" {
			t.Errorf("after a change: %s", got)
		}
		_, err = db.Sessions(SessionQuery{Before: "!"})
		wantErr(t, err, ErrCursor)
		_, err = db.Session("none")
		wantErr(t, err, session.ErrNotFound)
		wantErr(t, db.PutSession(session.Session{}), ErrID)
	})
}

func TestPutSession_CannotMiscount(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		must(t, db.Update(func(tx Tx) error { return tx.PutApproval(approval(t, "a", "s")) }))
		must(t, db.PutSession(session.Session{ID: "s", Title: "Mine", Turns: 7, Approvals: 7, UpdatedAt: t0}))
		admit(t, db, "r", "s")
		must(t, db.PutSession(session.Session{ID: "s", Title: "Renamed", Status: "odd", UpdatedAt: t0}))
		s, err := db.Session("s")
		must(t, err)
		if s.Title != "Renamed" || s.Turns != 1 || s.Approvals != 1 || s.Status != "running" {
			t.Errorf("session is %+v", s)
		}
	})
}

func TestJournal_ReadsFromAnyPlace(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		admit(t, db, "q", "s\x00") // a neighbour's events are not mixed in
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Events: events(journal.StageStarted, journal.Token, journal.StageCompleted, journal.TurnCompleted)}))
		seqs := func(after uint64, limit int) string {
			all, err := db.Journal("s", after, limit)
			must(t, err)
			out := ""
			for _, e := range all {
				out += fmt.Sprint(e.Seq)
			}
			return out
		}
		for _, c := range []struct {
			after uint64
			limit int
			want  string
		}{{0, 0, "1234"}, {2, 0, "34"}, {1, 2, "23"}, {4, 0, ""}, {99, 0, ""}, {^uint64(0), 0, ""}} {
			if got := seqs(c.after, c.limit); got != c.want {
				t.Errorf("after %d limit %d: %q, want %q", c.after, c.limit, got, c.want)
			}
		}
		if n, err := db.LastSeq("s"); err != nil || n != 4 {
			t.Errorf("last seq %d, %v", n, err)
		}
		if n, err := db.LastSeq("none"); err != nil || n != 0 {
			t.Errorf("last seq %d, %v", n, err)
		}
	})
}

func TestAppendEvents_WritesAVerdictAndItsEventTogether(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "r", "s")
		must(t, db.Update(func(tx Tx) error { return tx.PutApproval(approval(t, "a", "s")) }))
		decide := func(status ledger.Status, fail error) func(Tx) error {
			return func(tx Tx) error {
				a, err := tx.Approval("a")
				if err != nil {
					return err
				}
				a.Status = status
				if err := tx.PutApproval(a); err != nil {
					return err
				}
				return fail
			}
		}
		before := snapshot(t, db)
		ev := events(journal.ApprovalDecided)
		boom := errors.New("boom")
		wantErr(t, db.AppendEvents("s", "t", ev, decide(ledger.Approved, boom)), boom)
		wantErr(t, db.AppendEvents("none", "t", ev, decide(ledger.Approved, nil)), session.ErrNotFound)
		foreign := []journal.Event{{Kind: journal.ApprovalDecided, Session: "other"}}
		if err := db.AppendEvents("s", "t", foreign, decide(ledger.Approved, nil)); err == nil {
			t.Error("an event of another session was taken")
		}
		if snapshot(t, db) != before || ev[0].Seq != 0 {
			t.Error("a failed verdict left something behind")
		}
		must(t, db.AppendEvents("s", "t", ev, decide(ledger.Rejected, nil)))
		if ev[0].Seq != 2 || ev[0].Turn != "t" || ev[0].Session != "s" {
			t.Errorf("event is %+v", ev[0])
		}
		if s, err := db.Session("s"); err != nil || s.Approvals != 0 {
			t.Errorf("session is %+v, %v", s, err)
		}
	})
}

func TestDeleteSession_LeavesOnlyWhatItDid(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		admit(t, db, "keep", "kept")
		must(t, db.Apply(&run.Commit{Run: "keep", LeaseEpoch: 1, Do: graph.In(func(tx Tx, _ graph.Tell) error {
			_, err := tx.PutBlob([]byte("shared"))
			return err
		})}))
		must(t, db.Update(func(tx Tx) error { // numbers are never given out twice, so use some first
			for _, id := range []string{"done", "open", "hung"} {
				a := approval(t, "kept-"+id, "kept")
				if err := errors.Join(tx.PutApproval(a), tx.PutEntry(entryOf(a, ledger.Proposed))); err != nil {
					return err
				}
			}
			return nil
		}))
		before := snapshot(t, db)

		admit(t, db, "r", "s")
		var mine, shared string
		must(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1, Set: chans("c", "1"), Add: []run.Pending{{Stage: "x"}},
			Pauses: []graph.Pause{{ID: "p"}}, Events: events(journal.StageStarted), Do: graph.In(func(tx Tx, _ graph.Tell) (err error) {
				for _, id := range []string{"done", "open", "hung"} {
					a := approval(t, id, "s")
					state := map[string]ledger.State{"done": ledger.Committed, "open": ledger.Proposed, "hung": ledger.Unknown}[id]
					if id == "done" {
						a.Status, a.Reviewer, a.DecidedAt = ledger.Used, "Dr. A", &t0
					}
					if err := errors.Join(tx.PutApproval(a), tx.PutEntry(entryOf(a, state))); err != nil {
						return err
					}
				}
				if mine, err = tx.PutBlob([]byte("mine")); err != nil {
					return err
				}
				if shared, err = tx.PutBlob([]byte("shared")); err != nil {
					return err
				}
				return tx.PutSkip("s", "tool", json.RawMessage("1"))
			})}))
		sane(t, db)
		must(t, db.DeleteSession("s"))
		sane(t, db)
		must(t, db.Read(func(tx Tx) error {
			_, err := tx.Blob(mine)
			wantErr(t, err, ErrNoBlob)
			if body, err := tx.Blob(shared); err != nil || string(body) != "shared" {
				t.Errorf("the other session's blob is %q, %v", body, err)
			}
			for call, want := range map[string]bool{"call-done": true, "call-hung": true, "call-open": false} {
				if _, err := tx.Entry(call); (err == nil) != want {
					t.Errorf("entry of %s: %v", call, err)
				}
			}
			return nil
		}))
		wantErr(t, db.DeleteSession("s"), session.ErrNotFound)
		wantErr(t, db.Apply(&run.Commit{Run: "r", LeaseEpoch: 1}), run.ErrNoRun)

		// Besides the two effects, each with its four index rows, and who approved one of them, all is as before.
		var extra []string
		for _, line := range strings.Split(snapshot(t, db), "\n") {
			if !strings.Contains(before, line+"\n") && line != "" && !strings.HasPrefix(line, "counters") {
				extra = append(extra, line)
			}
		}
		if len(extra) != 14 || slices.ContainsFunc(extra, func(l string) bool { return !strings.HasPrefix(l, "entries") && !strings.HasPrefix(l, "approvals") }) {
			t.Errorf("left behind: %q", extra)
		}
	})
}
