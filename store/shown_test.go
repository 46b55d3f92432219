package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/library"
	"holdpoint/engine/library/online"
	"holdpoint/engine/memory"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
)

// furnish puts rows of every noun into a store, those of sessions s and s2.
func furnish(t *testing.T, db *DB) {
	t.Helper()
	for i, s := range []string{"s", "s2"} {
		r := "r" + s
		admit(t, db, r, s)
		began(t, db, r+"-own", s, "name: "+s)
		must(t, db.Apply(&run.Commit{Run: graph.RunID(r), LeaseEpoch: 1, Set: append(chans("c", "1"), graph.ChannelValue{Channel: "list", Append: []json.RawMessage{[]byte(`2`)}}), Add: []run.Pending{{Stage: "x"}}, Pauses: []graph.Pause{{ID: "p"}},
			Do: func(x graph.Tx, _ graph.Tell) error { _, err := x.(*tx).PutBlob([]byte("of " + s)); return err }}))
		must(t, db.Update(func(tx Tx) error {
			used := approval(t, "used-"+s, s)
			used.Status, used.Reviewer, used.DecidedAt = ledger.Used, "Dr. Vance", &t0
			a := approval(t, "a-"+s, s)
			e := memory.Episode{ID: memory.EpisodeID("Patient/p", s), About: "Patient/p", Session: s, Text: "x", At: t0}
			return errors.Join(tx.PutApproval(a), tx.PutEntry(entryOf(a, ledger.Proposed)), tx.PutApproval(used), tx.PutEntry(entryOf(used, ledger.Committed)),
				tx.PutEpisode(e), tx.PutVectors(memory.Vectors{Episode: e.ID}), tx.PutWorking(s, memory.Working{Scratchpad: "x"}), tx.Enqueue(memory.Waiting{About: "Patient/p", Session: s, At: t0, Due: t0}),
				tx.PutSkip(s, "tool", []byte(`{}`)), tx.PutConsent(session.Consent{Whom: "agent:adult:as:" + s, Scope: session.FullConsent, Session: s, At: t0}),
				tx.PutRecord(rec(t, "Patient", "p"+s, "{}")), tx.PutEvidence(r, board.Evidence{ID: board.EvidenceID(1), Passage: 1, Document: "d" + s}), tx.AddDecision(r, &board.Decision{}))
		}))
		must(t, db.UpdateTexts(func(tx text.Tx) error {
			return tx.PutText(text.Row{Key: text.Key{Agent: "agent", Audience: "adult", Language: "en", Name: s}, Text: "x"})
		}))
		must(t, db.UpdateOnline(func(tx online.Tx) error { return tx.PutRequest(online.Request{ID: "q" + s}) }))
		must(t, db.UpdateLibrary(func(tx library.Tx) error {
			d := library.Document{ID: "d" + s, Name: "n", Source: "papers", Path: s, Kind: library.KindMarkdown, Language: "en"}
			return tx.AddDocument(&d, []library.Passage{{Text: fmt.Sprintf("Salt %d.", i)}}, []byte("x"))
		}))
		must(t, db.PutSetting("setting "+s, true))
		must(t, db.PutVectors("encoder", map[string][]float32{"hash" + s: {1}}))
	}
	must(t, library.New(library.Options{Store: db}).Index(t.Context(), nil))
	sane(t, db)
}

// firstOf is the first row of a bucket as it is stored.
func firstOf(t testing.TB, db *DB, b bucket) (k, stored []byte) {
	t.Helper()
	must(t, db.view(func(x *tx) (err error) {
		k, stored, err = x.kv.cursor(b, nil, nil).seek(nil)
		return err
	}))
	return k, stored
}

// spoilt puts what is stored in the place of a row, as it is.
func spoilt(t testing.TB, db *DB, b bucket, k, stored []byte) {
	t.Helper()
	must(t, db.update(func(x *tx) error {
		x.writes++
		return x.kv.put(b, k, stored)
	}))
}

// listed are the ids that each list of a store shows.
func listed(s Shown) (map[string][]string, error) {
	out := map[string][]string{}
	add := func(list, id string) (bool, error) {
		out[list] = append(out[list], id)
		return true, nil
	}
	errs := []error{s.Read(func(tx Tx) error {
		var errs []error
		for _, status := range []ledger.Status{"", ledger.Pending, ledger.Used} {
			errs = append(errs, tx.Approvals(status, func(a ledger.Approval) (bool, error) { return add("approvals "+string(status), a.ID) }),
				tx.NewestApprovals(status, func(a ledger.Approval) (bool, error) { return add("newest approvals "+string(status), a.ID) }))
		}
		return errors.Join(append(errs, tx.Entries("", func(e ledger.Entry) (bool, error) { return add("entries", e.Call) }),
			tx.EntriesIn(ledger.Committed, func(e ledger.Entry) (bool, error) { return add("entries committed", e.Call) }),
			tx.Records("Patient", "", func(r record.Record) (bool, error) { return add("records", r.ID) }))...)
	}), s.ViewMemory(func(tx memory.Tx) error {
		return errors.Join(tx.Episodes("", func(e memory.Episode) (bool, error) { return add("episodes", e.Session) }),
			tx.Episodes("Patient/p", func(e memory.Episode) (bool, error) { return add("episodes about", e.Session) }),
			tx.Due(func(w memory.Waiting) (bool, error) { return add("queue", w.Session) }))
	}), s.ViewTexts(func(tx text.Tx) error {
		return tx.Texts(func(r text.Row) (bool, error) { return add("texts", r.Name) })
	}), s.ViewOnline(func(tx online.Tx) error {
		return tx.Requests(func(r online.Request) (bool, error) { return add("requests", r.ID) })
	}), s.ViewLibrary(func(tx library.Tx) error {
		return errors.Join(tx.Documents(func(d library.Document) (bool, error) { return add("documents", d.ID) }),
			tx.Passages(0, 100, func(p library.Passage) (bool, error) { return add("passages", p.Document) }))
	})}
	for _, of := range []string{"s", "s2"} {
		list, err := s.RunsOf(of)
		errs = append(errs, err)
		for _, r := range list {
			add("runs of a session", string(r.ID))
		}
	}
	for _, status := range []run.Status{run.Running, run.Completed} {
		list, err := s.RunsWith(status)
		errs = append(errs, err)
		for _, r := range list {
			add("runs "+string(status), string(r.ID))
		}
	}
	return out, errors.Join(errs...)
}

// "One request was damaged, and no other could be decided on: the whole list was an error." Whatever table has a row
// that cannot be read, lists show all others, say which is left out, and check says what to do.
func TestShown_OneDamagedRowHidesNoOther(t *testing.T) {
	remedies := map[string]string{"approvals": "sessions delete s", "entries": "sessions delete s", "runs": "sessions delete s", "records": "records rm Patient/ps",
		"episodes": "sessions delete s", "lake": "sessions delete s", "texts": "texts reset agent/adult/en/s", "requests": "refuse qs", "documents": "library rm ds", "passages": "library rm ds",
		"consents": "consent SESSION withdraw", "working": "sessions delete s", "skips": "sessions delete s", "journal": "sessions delete s", "channels": "sessions delete s", "definitions": "sessions delete s"}
	conform(t, func(t *testing.T, db *DB) {
		furnish(t, db)
		all, err := listed(db.Shown())
		must(t, err)
		if lost, err := db.Lost(); err != nil || len(lost) > 0 {
			t.Fatalf("lost in a sound store: %v, %v", lost, err)
		}
		for name := range tables {
			b := bucket(slices.IndexFunc(buckets, func(i bucketInfo) bool { return i.name == name }))
			k, stored := firstOf(t, db, b)
			if k == nil || name == "sessions" {
				continue
			}
			for _, bad := range [][]byte{{0xFF, 0xFF}, stored[:len(stored)/2], []byte("\x00{}"), {markPieces, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 9}} {
				spoilt(t, db, b, k, bad)
				now, err := listed(db.Shown())
				if err != nil {
					t.Errorf("%s with %q: %v", name, bad, err)
				}
				gone := 0
				for list, ids := range all {
					lacks := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(now[list], id) })
					if gone += len(lacks); len(lacks) > 1 {
						t.Errorf("%s with %q: %s lacks %v", name, bad, list, lacks)
					}
				}
				lost, err := db.Lost()
				if err != nil || gone > 0 && !slices.Contains(lost, Lost{name, shownKey(k)}) || gone == 0 && len(lost) > 0 {
					t.Errorf("%s with %q: %d are left out, named are %v (%v)", name, bad, gone, lost, err)
				}
				var r Report
				must(t, db.checkRows(&r))
				if want := remedies[name]; tables[name].legible(k, bytes.TrimPrefix(bad, []byte{0})) != nil && !slices.ContainsFunc(r.Problems, func(p string) bool {
					return strings.HasPrefix(p, name+" ") && strings.Contains(p, want)
				}) {
					t.Errorf("%s with %q: no problem says %q: %q", name, bad, want, r.Problems)
				}
			}
			spoilt(t, db, b, k, stored)
			if lost, err := db.Lost(); err != nil || len(lost) > 0 {
				t.Errorf("%s: named once it is whole again: %v, %v", name, lost, err)
			}
		}
		sane(t, db)
	})
}

// "I was told to delete the session, and that failed on the very row that was damaged."
func TestDeleteSession_TakesRowsThatCannotBeRead(t *testing.T) {
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			conform(t, func(t *testing.T, db *DB) {
				furnish(t, db)
				b := bucket(slices.IndexFunc(buckets, func(i bucketInfo) bool { return i.name == name }))
				k, _ := firstOf(t, db, b)
				if k == nil {
					t.Skip("it has no rows")
				}
				spoilt(t, db, b, k, []byte{0xFF})
				var do error
				must(t, db.view(func(x *tx) error { do = tables[name].remedy(x, k, true); return nil }))
				of, ok := "", false
				if do != nil {
					_, of, ok = strings.Cut(do.Error(), "holdpoint sessions delete ")
				}
				if !ok {
					t.Skip("it goes with no session")
				}
				of, _, _ = strings.Cut(of, " ")
				must(t, errors.Join(db.RebuildSession(of), db.DeleteSession(of)))
				if r := sane(t, db); r.Sessions != 1 || r.Runs != 2 {
					t.Errorf("left are %+v", r)
				}
			})
		})
	}
}

// "check said that there is no problem, and the program would not start." Each row of each bucket is decoded.
func TestCheck_ReadsEveryRowOfEveryBucket(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		furnish(t, db)
		seen := 0
		for i, info := range buckets {
			b := bucket(i)
			if b == metaBucket {
				continue // without it the store is none
			}
			k, stored := firstOf(t, db, b)
			if k == nil {
				continue
			}
			seen++
			for _, bad := range [][]byte{[]byte("\x00\xFEno row"), {0xFF, 0xFF}} {
				spoilt(t, db, b, k, bad)
				var r Report
				must(t, db.checkRows(&r))
				if len(r.Problems) == 0 {
					t.Errorf("%s: %q under %q is no problem", info.name, bad, k)
				}
			}
			spoilt(t, db, b, k, stored)
		}
		if seen < 40 {
			t.Errorf("only %d buckets have rows", seen)
		}
		sane(t, db)
	})
}

// "My own words of one text were damaged, and every agent stopped; or worse, it went on with words that I had changed." Only
// the text whose row cannot be read is an error, and the file's words never stand in its place.
func TestTexts_ADamagedOneStopsWhoeverAsksForItAlone(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		f := text.New("agent")
		keyOf := func(name string) text.Key {
			return text.Key{Agent: "agent", Audience: "adult", Language: "en", Name: name}
		}
		for _, name := range []string{"spoilt", "whole", "plain"} {
			must(t, f.Add("adult", "en", name, "of the file"))
		}
		c, err := text.Open(db.Shown(), time.Now, map[string]*text.Files{"agent": f})
		must(t, err)
		must(t, errors.Join(c.Set(keyOf("spoilt"), "my own words", ""), c.Set(keyOf("whole"), "my own words", "")))
		k := keyOfText(keyOf("spoilt"))
		spoilt(t, db, texts.bucket, k, []byte("ink"))
		for name, want := range map[string]string{"whole": "my own words", "plain": "of the file"} {
			if got, err := c.Get(keyOf(name)); err != nil || got != want {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		got, err := c.Get(keyOf("spoilt"))
		if wantErr(t, err, ErrDamaged); got != "" {
			t.Errorf("it is %q", got)
		}
		if list, err := c.List("agent"); err != nil || len(list) != 3 {
			t.Errorf("listed are %v, %v", list, err)
		}
		must(t, c.Reset(keyOf("spoilt"), ""))
		if got, err := c.Get(keyOf("spoilt")); err != nil || got != "of the file" {
			t.Errorf("reset, it is %q, %v", got, err)
		}
	})
}
