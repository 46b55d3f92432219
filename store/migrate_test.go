package store

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

func init() {
	roles["migrator"] = migratorRole
	roles["noun"] = nounRole
	roles["grown"] = grownRole
}

// golden copies the store that the release with a format left behind.
func golden(t testing.TB, format int) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", fmt.Sprint("golden-", format), "holdpoint.db.gz"))
	must(t, err)
	z, err := gzip.NewReader(f)
	must(t, err)
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	_, err = io.Copy(to, z)
	must(t, errors.Join(err, to.Close(), f.Close()))
	return path
}

// formatOf reads the schema of a file without bringing it anywhere.
func formatOf(t testing.TB, path string) int {
	t.Helper()
	f, err := openBolt(path, true)
	must(t, err)
	from, err := inspect(f)
	must(t, errors.Join(err, f.close()))
	return from
}

// soundFile checks a file and counts what is in it.
func soundFile(t testing.TB, path string) Report {
	t.Helper()
	r, err := Check(path)
	must(t, err)
	if len(r.Problems) > 0 {
		t.Fatalf("the check of %s found %q", filepath.Base(path), r.Problems)
	}
	return r
}

func beside1(t testing.TB, path string) []string {
	t.Helper()
	left, err := filepath.Glob(path + "?*")
	must(t, err)
	return left
}

func TestMigrate_AnOldFileIsBroughtToTodaysFormatAndKeptUntilItOpenedAgain(t *testing.T) {
	path := golden(t, 1)
	was := soundFile(t, path)
	if formatOf(t, path) != 1 {
		t.Fatal("reading changed the file")
	}
	old, err := os.ReadFile(path)
	must(t, err)

	db := openFile(t, path)
	m, err := db.Meta()
	must(t, err)
	if m.Schema != schema() || schema() < 2 {
		t.Errorf("schema %d, this program's is %d", m.Schema, schema())
	}
	must(t, db.Close())
	kept := beside(path, schema())
	if left := beside1(t, path); len(left) != 1 || left[0] != kept {
		t.Fatalf("beside the new file are %v", left)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode() != 0o600 {
		t.Errorf("the older file has mode %v, %v", info.Mode(), err)
	}
	if formatOf(t, kept) != 1 || fmt.Sprint(soundFile(t, kept)) != fmt.Sprint(was) {
		t.Error("the older file is not what there was")
	}
	if now := soundFile(t, path); fmt.Sprint(now) != fmt.Sprint(was) {
		t.Errorf("there were %v, now %v", was, now)
	}

	db = openFile(t, path) // once more
	must(t, db.Close())
	if left := beside1(t, path); len(left) != 0 {
		t.Errorf("beside it are still %v", left)
	}

	// Whoever goes back to the older program puts the older file back.
	must(t, os.WriteFile(path, old, 0o600))
	soundFile(t, path)
}

func TestMigrate_FillsTheIndexesAndDropsTheOldBucket(t *testing.T) {
	path := golden(t, 1)
	db := openFile(t, path)
	defer func() { must(t, db.Close()) }()
	must(t, db.Read(func(x Tx) error {
		all, of, conditions := 0, 0, 0
		must(t, x.Entries("", func(e ledger.Entry) (bool, error) {
			all++
			return true, entries.find(x.(*tx), &entriesBySession, key(e.Session), func(r entryRow) (bool, error) {
				if r.Entry.Call == e.Call {
					of++
				}
				return true, nil
			})
		}))
		if all != 4 || of != all {
			t.Errorf("%d of %d entries are found by their session", of, all)
		}
		must(t, x.RecordsAbout(record.Ref{Type: "Patient", ID: "pat-alder"}, "Condition", func(record.Record) (bool, error) { conditions++; return true, nil }))
		if conditions != 2 {
			t.Errorf("%d conditions of a patient", conditions)
		}
		slots := 0
		must(t, x.Records("Schedule", "", func(s record.Record) (bool, error) {
			return true, x.RecordsAbout(s.Ref, "Slot", func(record.Record) (bool, error) { slots++; return true, nil })
		}))
		if slots != 384 {
			t.Errorf("%d slots are found by their schedules", slots)
		}
		return nil
	}))
	must(t, db.back.(*boltFile).db.View(func(x *bolt.Tx) error {
		if x.Bucket([]byte("records_by_patient")) != nil {
			t.Error("the retired bucket is still there")
		}
		return nil
	}))
}

func TestMigrate_ReadingOnlyLeavesTheOldFileAlone(t *testing.T) {
	path := golden(t, 1)
	before, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Chmod(path, 0o400))
	db, err := OpenReadOnly(path)
	must(t, err)
	list, err := db.Sessions(SessionQuery{})
	if err != nil || len(list) != 11 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
	if r := sane(t, db); r.Entries != 4 {
		t.Errorf("%d entries", r.Entries)
	}
	wantErr(t, db.PutSetting("x", 1), ErrReadOnly)
	must(t, db.Close())
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) || len(beside1(t, path)) != 0 {
		t.Error("the file changed, or another is beside it")
	}
}

func TestMigrate_AFailureAtAnyPointLeavesTheOldFile(t *testing.T) {
	for _, at := range []string{"copied", "kept", "written"} {
		path := golden(t, 1)
		boom := errors.New("no room")
		migrating = func(now string) error {
			if now == at {
				return boom
			}
			return nil
		}
		_, err := Open(path)
		migrating = func(string) error { return nil }
		wantErr(t, err, boom)
		if formatOf(t, path) != 1 {
			t.Errorf("%s: the file has format %d", at, formatOf(t, path))
		}
		soundFile(t, path)
		must(t, openFile(t, path).Close())
		if formatOf(t, path) != schema() {
			t.Errorf("%s: the next start did not bring it to today's format", at)
		}
	}
}

// migratorRole kills itself at a point of a migration.
func migratorRole(args []string) error {
	migrating = func(at string) error {
		if at == args[1] {
			return killSelf()
		}
		return nil
	}
	db, err := Open(args[0])
	if err != nil {
		return err
	}
	return db.Close()
}

func TestMigrate_AKillAtAnyPointLosesNothing(t *testing.T) {
	for _, at := range []string{"copied", "kept", "written", "committed"} {
		path := golden(t, 1)
		was := soundFile(t, path)
		if err := child(t, "migrator", path, at).Run(); err == nil {
			t.Fatal("the child was not killed")
		}
		if now := soundFile(t, path); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("%s: there were %v, now %v", at, was, now)
		}
		want := 1
		if at == "committed" {
			want = schema()
		}
		if got := formatOf(t, path); got != want {
			t.Errorf("%s: format %d, want %d", at, got, want)
		}
		for range 2 {
			must(t, openFile(t, path).Close())
		}
		if left := beside1(t, path); formatOf(t, path) != schema() || len(left) != 0 {
			t.Errorf("%s: after two more starts format %d, beside it %v", at, formatOf(t, path), left)
		}
		soundFile(t, path)
	}
}

// TestMigrate_StepsRunInOrderAndTogether tries steps of a noun to formats to come.
func TestMigrate_StepsRunInOrderAndTogether(t *testing.T) {
	db := openInMemory()
	now := schema()
	defer func() { delete(steps, now+1); delete(steps, now+2) }()
	var ran []int
	steps[now+2] = []step{func(*tx) error { ran = append(ran, now+2); return nil }}
	steps[now+1] = []step{func(x *tx) error { ran = append(ran, now+1); return x.putJSON(settings.bucket, key("a"), 1) }}
	must(t, db.update(func(x *tx) error { return bringTo(x, now, now+2) }))
	if fmt.Sprint(ran) != fmt.Sprint([]int{now + 1, now + 2}) {
		t.Errorf("ran %v", ran)
	}
	boom := errors.New("a step fails")
	steps[now+2] = []step{func(*tx) error { return boom }}
	steps[now+1] = []step{func(x *tx) error { return x.putJSON(settings.bucket, key("b"), 1) }}
	wantErr(t, db.update(func(x *tx) error { return bringTo(x, now, now+2) }), boom)
	var v int
	if ok, err := db.Setting("b", &v); ok || err != nil {
		t.Errorf("half of a failed migration is there: %v, %v", ok, err)
	}
}

// nounRole follows the recipe of table.go: a later program with a table of notes opens
// a store from before it.
func nounRole(args []string) error {
	type note struct {
		ID, Session, Text string
		About             record.Ref
	}
	byAbout := index[note]{name: "notes_by_record", since: 99,
		keys: func(r *note) [][]byte { return [][]byte{key(r.About.Type, r.About.ID, r.Session, r.ID)} },
		rest: func(k []byte) ([]byte, error) {
			_, rest, err := splitText(k)
			if err == nil {
				_, rest, err = splitText(rest)
			}
			return rest, err
		}}
	notes := table[note]{name: "notes", since: 99,
		key:     func(r *note) []byte { return key(r.Session, r.ID) },
		indexes: []*index[note]{&byAbout},
		owner:   &owner[note]{table: "sessions", key: func(r *note) []byte { return key(r.Session) }}}
	notes.declare()

	db, err := Open(args[0])
	if err != nil {
		return err
	}
	about := record.Ref{Type: "Patient", ID: "pat-alder"}
	found := func() (n int, err error) {
		err = db.view(func(x *tx) error {
			return notes.find(x, &byAbout, key(about.Type, about.ID), func(note) (bool, error) { n++; return true, nil })
		})
		return n, err
	}
	if err := db.update(func(x *tx) error {
		return errors.Join(notes.put(x, nil, &note{"1", "talked", "slept badly", about}), notes.put(x, nil, &note{"2", "booked", "on time", about}))
	}); err != nil {
		return err
	}
	if n, err := found(); n != 2 || err != nil {
		return fmt.Errorf("%d notes, %w", n, err)
	}
	if err := db.DeleteSession("talked"); err != nil {
		return err
	}
	if n, err := found(); n != 1 || err != nil {
		return fmt.Errorf("%d notes after their session was deleted, %w", n, err)
	}
	if err := db.Close(); err != nil {
		return err
	}
	r, err := Check(args[0])
	if err != nil || len(r.Problems) > 0 || r.Rows["notes"] != 1 {
		return fmt.Errorf("check: %v, %w", r, err)
	}
	if db, err = Open(args[0]); err != nil {
		return err
	}
	if err := db.update(func(x *tx) error { return x.del(byAbout.bucket, key(about.Type, about.ID, "booked", "2")) }); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if r, err = Check(args[0]); err != nil || len(r.Problems) != 1 {
		return fmt.Errorf("check of a note without its index: %v, %w", r, err)
	}
	return nil
}

// TestTable_ANewNounIsOneDeclaration also shows that the program before it refuses the
// store afterwards.
func TestTable_ANewNounIsOneDeclaration(t *testing.T) {
	path := golden(t, 1)
	if out, err := child(t, "noun", path).Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err := Open(path)
	wantErr(t, err, ErrSchema)
}

// grownRole is a later program whose records have a reference more.
func grownRole(args []string) error {
	keys := references.keys
	references.keys = func(r *record.Record) [][]byte {
		return append(keys(r), key("Clinic", "ours", r.Type, r.ID))
	}
	references.again = []int{98, 99}
	seen := func(db *DB) (n int, err error) {
		err = db.view(func(x *tx) error {
			return records.find(x, &references, key("Clinic", "ours"), func(record.Record) (bool, error) { n++; return true, nil })
		})
		return n, err
	}
	for _, open := range []func(string) (*DB, error){OpenReadOnly, Open, OpenReadOnly} {
		db, err := open(args[0])
		if err != nil {
			return err
		}
		n, err := seen(db)
		if err = errors.Join(err, db.Close()); err != nil || n == 0 {
			return fmt.Errorf("%d records refer to the clinic: %w", n, err)
		}
	}
	r, err := Check(args[0])
	if err != nil || len(r.Problems) > 0 {
		return fmt.Errorf("check: %v, %w", r.Problems, err)
	}
	// A row that is not found from there is no secret, either.
	references.keys = func(r *record.Record) [][]byte { return append(keys(r), key("Clinic", "theirs", r.Type, r.ID)) }
	if r, err = Check(args[0]); err != nil || len(r.Problems) == 0 {
		return fmt.Errorf("check of an index that lacks rows: %v, %w", r.Problems, err)
	}
	return nil
}

// "After the update, what refers to a record was shown for new records only." Rows of an older file are in an index that has more since.
func TestMigrate_AnIndexThatHasMoreIsFilledForRowsThatAreThere(t *testing.T) {
	path := golden(t, 1)
	must(t, openFile(t, path).Close()) // today's format, in which the index is filled
	if out, err := child(t, "grown", path).Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err := Open(path)
	wantErr(t, err, ErrSchema) // the program before it would leave gaps
}

func TestOpen_RemovesWhatACrashLeftOfACompaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	must(t, openFile(t, path).Close())
	must(t, os.WriteFile(compacting(path), []byte("words that were deleted since"), 0o600))
	must(t, openFile(t, path).Close())
	if left := beside1(t, path); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOpen_RefusesABucketThatItDoesNotKnow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	must(t, openFile(t, path).Close())
	change := func(fn func(x *bolt.Tx) error) {
		t.Helper()
		b, err := bolt.Open(path, 0o600, nil)
		must(t, err)
		must(t, errors.Join(b.Update(fn), b.Close()))
	}
	change(func(x *bolt.Tx) error { _, err := x.CreateBucket([]byte("dreams")); return err })
	_, err := Open(path)
	wantErr(t, err, ErrSchema)
	change(func(x *bolt.Tx) error { return x.DeleteBucket([]byte("dreams")) })
	change(func(x *bolt.Tx) error { return x.DeleteBucket([]byte("skips")) })
	_, err = Open(path)
	wantErr(t, err, ErrDamaged)
}

// TestMigrate_AMissingBucketOfANewerFormatIsMade is a store from before a table.
func TestMigrate_AMissingBucketOfANewerFormatIsMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	admit(t, db, "r", "s")
	must(t, db.Close())
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(b.Update(func(x *bolt.Tx) error {
		for i, info := range buckets {
			if info.interleave.in != "" { // it was not interleaved then
				if err := leave(x, bucket(i)); err != nil {
					return err
				}
				continue
			}
			if info.since > 1 {
				if err := x.DeleteBucket([]byte(info.name)); err != nil {
					return err
				}
			}
		}
		return x.Bucket([]byte("meta")).Put([]byte("schema"), []byte("1"))
	}), b.Close()))
	must(t, openFile(t, path).Close())
	soundFile(t, path)
	if _, err := os.Stat(beside(path, schema())); errors.Is(err, fs.ErrNotExist) {
		t.Error("the older file was not kept")
	}
}

// TestDeleteSession_DoesNotTouchTheEntriesOfOthers counts what is read: it must not
// grow with the ledger.
func TestDeleteSession_DoesNotTouchTheEntriesOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	defer func() { must(t, db.Close()) }()
	fill := func(session string, n int) {
		must(t, db.Update(func(x Tx) error {
			for i := range n {
				id := fmt.Sprint(session, "-", i)
				if err := x.PutEntry(ledger.Entry{Call: id, Session: session, Turn: id, Tool: "book", State: ledger.Refused, UpdatedAt: t0}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	reads := func(session string) int {
		admit(t, db, session, session)
		fill(session, 3)
		back := db.back
		counted := &counting{backend: back}
		db.back = counted
		must(t, db.DeleteSession(session))
		db.back = back
		return counted.reads
	}
	alone := reads("alone")
	fill("other", 10_000)
	among := reads("among")
	if alone == 0 || among > alone+5 {
		t.Errorf("%d rows were read for a session alone, %d among 10,000 entries of others", alone, among)
	}
	if r := sane(t, db); r.Entries != 10_000 {
		t.Errorf("%d entries are left", r.Entries)
	}
}

// counting counts the rows that are read.
type counting struct {
	backend
	reads int
}

func (c *counting) begin(write bool) (kvTx, error) {
	kv, err := c.backend.begin(write)
	return &countingTx{kv, c}, err
}

type countingTx struct {
	kvTx
	c *counting
}

func (t *countingTx) get(b bucket, k []byte) ([]byte, error) {
	t.c.reads++
	return t.kvTx.get(b, k)
}

func (t *countingTx) cursor(b bucket, lo, hi []byte) cursor {
	return &countingCursor{t.kvTx.cursor(b, lo, hi), t.c}
}

type countingCursor struct {
	cursor
	c *counting
}

func (c *countingCursor) seek(k []byte) ([]byte, []byte, error) {
	c.c.reads++
	return c.cursor.seek(k)
}

func (c *countingCursor) next() ([]byte, []byte, error) {
	c.c.reads++
	return c.cursor.next()
}

// Who deletes a talk and compacts expects it to be gone, also on the day of the update.
func TestCompact_WipesTheOlderFileToo(t *testing.T) {
	for name, compact := range map[string]func(path string) error{
		"by itself": func(path string) error { _, err := Compact(path); return err },
		"while it is open": func(path string) error {
			db, err := Open(path)
			if err != nil {
				return err
			}
			_, err = db.Compact()
			return errors.Join(err, db.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := golden(t, 1)
			must(t, compact(path))
			if more := beside1(t, path); len(more) != 0 {
				t.Errorf("beside the store there are %q", more)
			}
			sane(t, openFile(t, path))
		})
	}
}

// A data folder may hold a link to where the file really is.
func TestCompact_RewritesWhatALinkLeadsTo(t *testing.T) {
	path := golden(t, 1)
	link := filepath.Join(t.TempDir(), "holdpoint.db")
	must(t, os.Symlink(path, link))
	db := openFile(t, link)
	must(t, db.DeleteSession("talked"))
	must(t, db.Close())
	_, err := Compact(link)
	must(t, err)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if body, err := os.ReadFile(path); err != nil || strings.Contains(string(body), "slept badly") {
		t.Errorf("what was deleted is still in the file (%v)", err)
	}
}

// "The schedule says whose it is, and the practitioner could be removed all the same." Files from before schema 10
// had references of some members only; theirs are found from the other side once they are opened.
func TestMigrate_ReferencesOfEveryMemberAreFoundInOlderFiles(t *testing.T) {
	for _, format := range []int{1, 8} {
		db := openFile(t, golden(t, format))
		must(t, db.Read(func(x Tx) error {
			n := 0
			must(t, x.Records("Schedule", "", func(s record.Record) (bool, error) {
				for _, to := range record.References(s) {
					found := false
					must(t, x.RecordsReferring(to, "Schedule", func(r record.Record) (bool, error) {
						found = found || r.Ref == s.Ref
						return true, nil
					}))
					if n++; !found {
						t.Errorf("format %d: %s is not found from %s", format, s.Ref, to)
					}
				}
				return true, nil
			}))
			if n == 0 {
				t.Errorf("format %d: no schedule refers to anything", format)
			}
			return nil
		}))
		must(t, db.Close())
	}
}

// "A group of three thousand, and check took a minute." A record that refers to many is read for its own place, not
// again for each of its references.
func TestCheck_ARecordThatRefersToManyIsReadOnce(t *testing.T) {
	db := newDB(newInMemory(), false)
	members := make([]string, 300)
	for i := range members {
		members[i] = fmt.Sprintf(`{"entity":{"reference":"Device/d%d"}}`, i)
	}
	must(t, db.UpdateRecords(func(tx record.Tx) error {
		return tx.PutRecord(rec(t, "Group", "g", `{"member":[`+strings.Join(members, ",")+`]}`))
	}))
	made, keys := 0, references.keys
	references.keys = func(r *record.Record) [][]byte { made++; return keys(r) }
	defer func() { references.keys = keys }()
	var r Report
	must(t, db.checkRows(&r))
	if len(r.Problems) > 0 || made > 2 {
		t.Errorf("its references were made %d times; %v", made, r.Problems)
	}
}

// "My old conversations still stand in the list with what I wrote on my worst days." Files from before schema 11 are
// told by their journals which first messages brought help.
func TestMigrate_TitlesOfOlderFilesLoseTheWordsThatBroughtHelp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	concern, hijack := journal.SafetyCheckedData{Concern: true}, journal.SafetyCheckedData{Hijack: true}
	turn := func(session, id, text string, checks ...journal.SafetyCheckedData) {
		t.Helper()
		c := &run.Commit{Run: graph.RunID(id), Admit: true, Row: &run.Run{ID: graph.RunID(id), Session: session, Turn: id, Agent: "navigator", Input: text, Status: run.Running}}
		for _, d := range checks {
			c.Events = append(c.Events, journal.Event{Turn: id, Session: session}.With(d))
		}
		c.Events = append(c.Events, journal.Event{Turn: id, Session: session, Kind: journal.TurnCompleted})
		must(t, db.Apply(c))
	}
	const low = "some days are too much,  and nobody sees it; and this goes on for longer than any title has room for"
	turn("asked", "a1", low, concern)
	turn("helped", "h1", low, concern, hijack)
	turn("calm", "c1", "which appointments are free?", journal.SafetyCheckedData{})
	turn("calm", "c2", low, concern)
	turn("answered", "w1", "a form", journal.SafetyCheckedData{Concern: true, Written: "answer"})
	turn("renamed", "r1", low, concern)
	turn("alarmed", "m1", "Hello there", journal.SafetyCheckedData{Concern: true, FoundBy: []string{"model"}, Model: &journal.SafetyJudgement{Risk: "crisis", Weak: true}})
	turn("hidden", "d1", "\ufeffI want to\u200b end it \U0001F469\u200d\U0001F467 now", hijack)
	for id, title := range map[string]string{"asked": titleOf(low), "helped": titleOf(low), "calm": "which appointments are free?", "answered": "a form", "renamed": "Monday", "alarmed": "Hello there", "hidden": "I want to end it \U0001F469\U0001F467 now"} {
		s, err := db.Session(id)
		must(t, err)
		s.Title = title // as programs before it left it
		must(t, db.PutSession(s))
	}
	must(t, db.Close())
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(b.Update(func(x *bolt.Tx) error { return x.Bucket([]byte("meta")).Put([]byte("schema"), []byte("10")) }), b.Close()))
	db = openFile(t, path)
	for id, title := range map[string]string{"hidden": session.InDanger, "asked": session.Unnamed, "helped": session.InDanger, "calm": "which appointments are free?", "answered": "a form", "renamed": "Monday", "alarmed": "Hello there"} {
		if s, err := db.Session(id); err != nil || s.Title != title {
			t.Errorf("%s is called %q, %v", id, s.Title, err)
		}
	}
	must(t, db.Close())
	soundFile(t, path)
}

// "One line of an old conversation was damaged, and after the update nothing opened at all: no records, no approvals." What
// cannot be read keeps no file from opening; a first turn with it goes without its words, and check names it as before.
func TestMigrate_ADamagedRowKeepsNoOlderFileFromOpening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	for _, id := range []string{"event", "run", "session", "whole"} {
		must(t, db.Apply(&run.Commit{Run: graph.RunID(id), Admit: true, Row: &run.Run{ID: graph.RunID(id), Session: id, Turn: id, Agent: "navigator", Input: "some days are too much", Status: run.Running},
			Events: []journal.Event{journal.Event{Turn: id, Session: id}.With(journal.SafetyCheckedData{Concern: true}), {Turn: id, Session: id, Kind: journal.TurnCompleted}}}))
		s, err := db.Session(id)
		must(t, err)
		s.Title = s.ID
		if id == "whole" || id == "event" {
			s.Title = "some days are too much"
		}
		must(t, db.PutSession(s))
	}
	must(t, db.Close())
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(b.Update(func(x *bolt.Tx) error {
		var all []error
		for bucket, id := range map[string]string{"journal": "event", "runs": "run", "sessions": "session"} {
			k, _ := x.Bucket([]byte(bucket)).Cursor().Seek([]byte(id))
			all = append(all, x.Bucket([]byte(bucket)).Put(k, []byte("{damaged")))
		}
		return errors.Join(append(all, x.Bucket([]byte("meta")).Put([]byte("schema"), []byte("10")))...)
	}), b.Close()))
	db = openFile(t, path)
	defer db.Close()
	for id, title := range map[string]string{"whole": session.Unnamed, "event": session.Unnamed, "run": "run"} {
		if s, err := db.Session(id); err != nil || s.Title != title {
			t.Errorf("%s is called %q, %v", id, s.Title, err)
		}
	}
	var r Report
	if err := db.checkRows(&r); err != nil || !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.HasPrefix(p, "journal") }) || !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.HasPrefix(p, "sessions") }) {
		t.Errorf("the check found %q, %v", r.Problems, err)
	}
}
