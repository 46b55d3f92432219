package store

import (
	"encoding/json"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/graph"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// began admits a run that began with a definition.
func began(t *testing.T, db *DB, id, of, text string) string {
	t.Helper()
	digest := run.BlobName([]byte(text))
	must(t, db.Apply(&run.Commit{Run: graph.RunID(id), Admit: true, Row: &run.Run{ID: graph.RunID(id), Session: of, Turn: id, Agent: "own", Input: "go", Status: run.Running, Vars: map[string]string{session.DefinitionVar: digest}},
		Do: func(x graph.Tx, _ graph.Tell) error { return x.(*tx).PutDefinition(text) }}))
	return digest
}

// "I had tried a graph of mine with --agent, deleted the conversation and compacted the file; my prompts are still in it."
// A definition goes with the last run that began with it, and not before: those can go on, and be replayed.
func TestDefinitions_GoWithTheLastRunThatBeganWithThem(t *testing.T) {
	conform(t, func(t *testing.T, db *DB) {
		shared := began(t, db, "r1", "s1", "name: own")
		if began(t, db, "r2", "s2", "name: own") != shared {
			t.Fatal("two digests")
		}
		alone := began(t, db, "r3", "s3", "name: another")
		has := func(digest string, want bool) {
			t.Helper()
			sane(t, db)
			if text, err := db.Definition(digest); (err == nil && text != "") != want {
				t.Errorf("there is %q, %v", text, err)
			}
		}
		must(t, db.DeleteSession("s1"))
		has(shared, true)
		// A run's row changes, and it is still its own.
		must(t, db.Apply(&run.Commit{Run: "r2", LeaseEpoch: 0, Row: &run.Run{ID: "r2", Session: "s2", Turn: "r2", Agent: "own", Status: run.Completed, Vars: map[string]string{session.DefinitionVar: shared}}}))
		has(shared, true)
		must(t, db.DeleteSession("s2"))
		has(shared, false)
		has(alone, true)
		// A run that cannot be read does not say what it began with.
		spoilt(t, db, runs.bucket, key("r3"), []byte("{damaged"))
		must(t, db.DeleteSession("s3"))
		has(alone, false)
		// One that cannot be read goes like the others.
		alone = began(t, db, "r4", "s4", "name: another")
		spoilt(t, db, definitions.bucket, key(alone), []byte("{damaged"))
		_, err := db.Definition(alone)
		wantErr(t, err, ErrDamaged)
		must(t, db.DeleteSession("s4"))
		has(alone, false)
	})
}

// "After the update the turn that waited could not find its graph any more." Older files keep definitions as settings, and
// for ever.
func TestMigrate_DefinitionsGoToTheRunsThatBeganWithThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	used, left := began(t, db, "r", "s", "name: used"), run.BlobName([]byte("name: left"))
	must(t, db.update(func(x *tx) error { _, err := definitions.remove(x, key(used)); return err }))
	for digest, text := range map[string]string{used: "name: used", left: "name: left"} {
		must(t, db.PutSetting("definition/"+digest, text))
	}
	must(t, db.PutSetting("theme", "dark"))
	must(t, db.Close())
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, b.Update(func(x *bolt.Tx) error { return x.Bucket([]byte("meta")).Put([]byte("schema"), []byte("11")) }))
	must(t, b.Close())
	db = openFile(t, path)
	defer db.Close()
	sane(t, db)
	if text, err := db.Definition(used); text != "name: used" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := db.Definition(left); err == nil {
		t.Errorf("nobody began with %q", text)
	}
	for name, want := range map[string]bool{"definition/" + used: false, "definition/" + left: false, "theme": true} {
		var v json.RawMessage
		if ok, err := db.Setting(name, &v); ok != want {
			t.Errorf("the setting %s: %v, %v", name, ok, err)
		}
	}
}
