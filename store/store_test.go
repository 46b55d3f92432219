package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

var t0 = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// conform runs a test on both backends. The rows must be sound afterwards.
func conform(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	for name, open := range map[string]func(t *testing.T) *DB{
		"bolt":   func(t *testing.T) *DB { return openFile(t, filepath.Join(t.TempDir(), "holdpoint.db")) },
		"memory": func(t *testing.T) *DB { return openInMemory() },
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			t.Cleanup(func() { must(t, db.Close()) })
			test(t, db)
			sane(t, db)
		})
	}
}

func openFile(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(path)
	must(t, err)
	return db
}

func sane(t *testing.T, db *DB) Report {
	t.Helper()
	var r Report
	must(t, db.checkRows(&r))
	if len(r.Problems) > 0 {
		t.Errorf("the check found %q", r.Problems)
	}
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func newRun(id, session string) run.Run {
	return run.Run{ID: graph.RunID(id), Session: session, Turn: id, Agent: "navigator", Status: run.Running,
		Input: "book " + id, Vars: map[string]string{"patient": "p1"}, StartedAt: t0, UpdatedAt: t0}
}

func events(kinds ...journal.Kind) []journal.Event {
	var out []journal.Event
	for _, k := range kinds {
		out = append(out, journal.Event{Kind: k, At: t0})
	}
	return out
}

// admit starts a run and takes it.
func admit(t testing.TB, db *DB, id, session string) run.Checkpoint {
	t.Helper()
	must(t, admitRow(db, newRun(id, session), nil, events(journal.TurnStarted)))
	cp, err := db.Acquire(graph.RunID(id))
	must(t, err)
	return cp
}

func chans(kv ...string) []graph.ChannelValue {
	var out []graph.ChannelValue
	for i := 0; i < len(kv); i += 2 {
		out = append(out, graph.ChannelValue{Channel: kv[i], Value: json.RawMessage(kv[i+1])})
	}
	return out
}

func approval(t testing.TB, id, session string) ledger.Approval {
	t.Helper()
	a, err := newApproval(id, session)
	must(t, err)
	return a
}

func newApproval(id, session string) (ledger.Approval, error) {
	a := ledger.Approval{ID: id, Session: session, Turn: "turn", Call: "call-" + id, Tool: "book", Args: json.RawMessage(`{"a":"<&>"}`),
		Targets: []ledger.Target{}, Changes: []ledger.Change{}, PolicyVersion: "1", Status: ledger.Pending,
		RequestedAt: t0, ExpiresAt: t0.Add(time.Hour)}
	var err error
	a.Digest, err = ledger.Digest(a)
	return a, err
}

func entryOf(a ledger.Approval, state ledger.State) ledger.Entry {
	return ledger.Entry{Call: a.Call, Session: a.Session, Turn: a.Turn, Tool: a.Tool, Approval: a.ID, Digest: a.Digest, State: state, UpdatedAt: t0}
}

func rec(t testing.TB, typ, id, resource string) record.Record {
	t.Helper()
	r, err := newRecord(typ, id, resource)
	must(t, err)
	return r
}

func newRecord(typ, id, resource string) (record.Record, error) {
	canonical, err := jcs.Transform([]byte(resource))
	sum := sha256.Sum256(canonical)
	return record.Record{Ref: record.Ref{Type: typ, ID: id}, Version: hex.EncodeToString(sum[:]), Resource: json.RawMessage(resource), UpdatedAt: t0}, err
}

// snapshot renders all rows of a store, to see that something changed nothing.
func snapshot(t testing.TB, db *DB) string {
	t.Helper()
	out := ""
	must(t, db.view(func(x *tx) error {
		for i := range buckets {
			b := bucket(i)
			if err := x.scan(b, nil, nil, func(k, v []byte) (bool, error) {
				out += fmt.Sprintf("%s %q %q\n", b, k, v)
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	return out
}

// admitRow records a new run with its first channels and events.
func admitRow(db *DB, row run.Run, set []graph.ChannelValue, events []journal.Event) error {
	return db.Apply(&run.Commit{Run: row.ID, Admit: true, Row: &row, Set: set, Events: events})
}

// openInMemory returns an empty store that is gone when it is closed.
func openInMemory() *DB {
	db := newDB(newInMemory(), false)
	if err := db.update(writeMeta); err != nil {
		panic(err) // memory cannot fail
	}
	db.commits.Store(0)
	return db
}
