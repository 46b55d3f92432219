package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// holderRole keeps a store open until it is killed.
func holderRole(args []string) error {
	db, err := Open(args[0])
	if err != nil {
		return err
	}
	fmt.Println("open")
	<-time.After(time.Minute) // the parent is gone
	return db.Close()
}

func TestOpen_ASecondProcessIsToldWithin2sAndAKillFreesTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	cmd := child(t, "holder", path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatal(line, err)
	}
	for name, try := range map[string]func() error{
		"open":    func() error { _, err := Open(path); return err },
		"check":   func() error { _, err := Check(path); return err },
		"compact": func() error { _, err := Compact(path); return err },
	} {
		start := time.Now()
		wantErr(t, try(), ErrLocked)
		if d := time.Since(start); d > 20*time.Second { // it does not wait
			t.Errorf("%s said so after %s", name, d)
		}
	}
	must(t, cmd.Process.Kill())
	if cmd.Wait() == nil {
		t.Fatal("the child was not killed")
	}
	must(t, openFile(t, path).Close())
}

func TestOpen_MakesAPrivateFileInAPrivateFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(folder, "holdpoint.db")
	db := openFile(t, path)
	m, err := db.Meta()
	must(t, err)
	must(t, db.Close())
	must(t, db.Close()) // harmless
	_, err = db.Session("s")
	wantErr(t, err, ErrClosed)
	wantErr(t, db.PutSetting("x", 1), ErrClosed)
	for p, want := range map[string]fs.FileMode{folder: 0o700 | fs.ModeDir, path: 0o600} {
		info, err := os.Stat(p)
		must(t, err)
		if info.Mode() != want {
			t.Errorf("%s has mode %v", p, info.Mode())
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	db = openFile(t, path)
	again, err := db.Meta()
	must(t, err)
	must(t, db.Close())
	if m.Schema != schema() || len(m.ID) != 32 || again != m {
		t.Errorf("meta is %+v, then %+v", m, again)
	}
}

func TestOpen_RefusesWhatIsNoStoreAndLeavesItAlone(t *testing.T) {
	folder := t.TempDir()
	foreign := filepath.Join(folder, "foreign")
	b, err := bolt.Open(foreign, 0o600, nil)
	must(t, err)
	must(t, b.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err }))
	must(t, b.Close())
	foreignBody, err := os.ReadFile(foreign)
	must(t, err)
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	for name, body := range map[string][]byte{
		"an empty file":         {},
		"one byte":              {0},
		"text":                  []byte("hello\n"),
		"zeros":                 make([]byte, 65536),
		"random bytes":          random,
		"another bbolt program": foreignBody,
		"half a meta page":      foreignBody[:40],
		"its meta pages only":   foreignBody[:2*os.Getpagesize()],
	} {
		path := filepath.Join(folder, "store")
		must(t, os.WriteFile(path, body, 0o600))
		_, err := Open(path)
		wantErr(t, err, ErrDamaged)
		_, err = OpenReadOnly(path)
		wantErr(t, err, ErrDamaged)
		_, err = Compact(path)
		wantErr(t, err, ErrDamaged)
		if r, err := Check(path); err != nil || len(r.Problems) == 0 {
			t.Errorf("%s: check says %v, %v", name, r, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(body) {
			t.Errorf("%s was changed (%v)", name, err)
		}
	}
	if _, err := Open(folder); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := Check(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("check of nothing: %v", err)
	}
	if _, err := OpenReadOnly(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading nothing: %v", err)
	}
}

func TestOpen_RefusesANewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	must(t, db.update(func(x *tx) error {
		x.writes++
		return x.kv.put(metaBucket, []byte("schema"), []byte(strconv.Itoa(schema()+1)))
	}))
	must(t, db.Close())
	_, err := Open(path)
	wantErr(t, err, ErrSchema)
	_, err = Check(path)
	wantErr(t, err, ErrSchema)
}

func TestOpenReadOnly_ReadsAndRefusesEveryWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	admit(t, db, "r", "s")
	must(t, db.Close())
	before, err := os.ReadFile(path)
	must(t, err)
	db, err = OpenReadOnly(path)
	must(t, err)
	if _, err := db.Load("r"); err != nil {
		t.Error(err)
	}
	wantErr(t, db.PutSetting("x", 1), ErrReadOnly)
	_, err = db.Acquire("r")
	wantErr(t, err, ErrReadOnly)
	must(t, db.Close())
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Error("the file changed")
	}
}

func TestExplain_NamesWhatForbidsWriting(t *testing.T) {
	for _, err := range []error{syscall.EROFS, syscall.EACCES, syscall.EPERM} {
		got := explain("x", &fs.PathError{Op: "open", Path: "x", Err: err})
		wantErr(t, got, ErrReadOnly)
		wantErr(t, got, err)
	}
}

func TestCompact_GivesSpaceBackAndRemovesDeletedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	admit(t, db, "keep", "kept")
	const secret = "canary-of-a-deleted-session"
	must(t, admitRow(db, newRun("r", "s"), chans("c", `"`+strings.Repeat(secret, 100_000)+`"`), events(journal.TurnStarted)))
	must(t, db.DeleteSession("s"))
	before := snapshot(t, db)
	must(t, db.Close())
	must(t, os.WriteFile(path+".compact", []byte("left from a crash"), 0o600))
	old, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(old), secret) {
		t.Fatal("the test writes nothing that could be removed")
	}
	_, err = Compact(path)
	must(t, err)
	now, err := os.ReadFile(path)
	must(t, err)
	if strings.Contains(string(now), secret) || len(now) > len(old)/4 {
		t.Errorf("%d bytes are left of %d", len(now), len(old))
	}
	if r, err := Check(path); err != nil || len(r.Problems) > 0 {
		t.Errorf("check says %v, %v", r, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	db = openFile(t, path)
	defer func() { must(t, db.Close()) }()
	if snapshot(t, db) != before {
		t.Error("the contents differ")
	}
	if left, err := filepath.Glob(path + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// sample fills a store with a row of everything.
func sample(t *testing.T, path string) {
	t.Helper()
	db := openFile(t, path)
	for i := range 14 {
		id := fmt.Sprint("r", i)
		cp := admit(t, db, id, fmt.Sprint("s", i))
		row := cp.Run
		row.Status = run.Paused
		must(t, db.Apply(&run.Commit{Run: cp.Run.ID, LeaseEpoch: 1, Row: &row, Set: chans("c", `"`+strings.Repeat("x", 300*i)+`"`),
			Add: []run.Pending{{Stage: "x"}}, Pauses: []graph.Pause{{ID: "p"}}, Events: events(journal.StageStarted, journal.StageCompleted),
			Do: graph.In(func(tx Tx, _ graph.Tell) error {
				a := approval(t, fmt.Sprint("a", i), cp.Run.Session)
				_, err := tx.PutBlob([]byte(id))
				return errors.Join(err, tx.PutApproval(a), tx.PutEntry(entryOf(a, ledger.Proposed)),
					tx.PutRecord(rec(t, "Condition", id, `{"subject":{"reference":"Patient/p"}}`)))
			})}))
	}
	for i := range 3 { // both meta pages know all that matters
		must(t, db.PutSetting("n", i))
	}
	must(t, db.Close())
}

// readerRole opens damaged copies of a store and uses all of them. Whatever happens
// must be an error: a crash ends this process, and the parent sees it.
func readerRole(args []string) error {
	source, work := args[0], args[1]
	good, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	db, err := Open(source)
	if err != nil {
		return err
	}
	meta, err := db.Meta()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	opened, refused := 0, 0
	try := func(what string, body []byte) error {
		fmt.Println(what) // the last line says what crashed
		if err := os.WriteFile(work, body, 0o600); err != nil {
			return err
		}
		report, err := Check(work)
		if err != nil && !errors.Is(err, ErrSchema) {
			return fmt.Errorf("%s: check: %w", what, err)
		}
		db, err := Open(work)
		if err != nil {
			refused++
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrSchema) {
				return fmt.Errorf("%s: an unclear error: %w", what, err)
			}
			if len(report.Problems) == 0 && !errors.Is(err, ErrSchema) {
				return fmt.Errorf("%s: refused with %w, but the check found nothing", what, err)
			}
			return nil
		}
		opened++
		if err := useAll(db, meta); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	page := os.Getpagesize()
	rng := rand.New(rand.NewPCG(1, 2))
	copyOf := func() []byte { return append([]byte(nil), good...) }
	meta0 := good[pageHead:]
	used := int(min(binary.LittleEndian.Uint64(meta0[40:]), uint64(len(good)/page)))
	for n := range used {
		at := n * page
		b := copyOf()
		clear(b[at : at+page])
		if err := try(fmt.Sprintf("page %d zeroed", n), b); err != nil {
			return err
		}
		b = copyOf()
		i := at + rng.IntN(96) // the head and the first elements
		b[i] ^= 1 << rng.IntN(8)
		if err := try(fmt.Sprintf("bit of byte %d of page %d flipped", i-at, n), b); err != nil {
			return err
		}
		b = copyOf()
		i = at + rng.IntN(page)
		b[i] ^= 1 << rng.IntN(8)
		if err := try(fmt.Sprintf("bit of byte %d of page %d flipped", i-at, n), b); err != nil {
			return err
		}
		if n%3 == 0 {
			b = copyOf()
			for i := range page {
				b[at+i] = byte(rng.Uint32())
			}
			if err := try(fmt.Sprintf("page %d random", n), b); err != nil {
				return err
			}
			other := rng.IntN(used) * page
			b = copyOf()
			copy(b[at:at+page], good[other:other+page])
			if err := try(fmt.Sprintf("page %d is a copy of page %d", n, other/page), b); err != nil {
				return err
			}
			if err := try(fmt.Sprintf("cut at page %d", n), good[:at]); err != nil {
				return err
			}
		}
	}
	for _, size := range []int{1, 100, page - 1, page + 1, 3*page + 7, used*page - 1} {
		if err := try(fmt.Sprintf("cut at byte %d", size), good[:size]); err != nil {
			return err
		}
	}
	fmt.Printf("opened %d, refused %d\n", opened, refused)
	return nil
}

// useAll reads and writes all there is. Errors are right; another store is not.
func useAll(db *DB, want Meta) error {
	if m, err := db.Meta(); err == nil && m != want {
		return errors.Join(fmt.Errorf("another store is there: %+v", m), db.Close())
	}
	list, err := db.Sessions(SessionQuery{})
	if err == nil && len(list) == 0 {
		return errors.Join(errors.New("a fresh store is there"), db.Close())
	}
	for i := range 14 {
		run, s := graph.RunID(fmt.Sprint("r", i)), fmt.Sprint("s", i)
		for _, fn := range []func() error{
			func() error { _, err := db.Load(run); return err },
			func() error { _, err := db.Journal(s, 0, 0); return err },
			func() error { _, err := db.RunsOf(s); return err },
		} {
			if err := fn(); err != nil && err.Error() == "" {
				return err
			}
		}
	}
	for _, fn := range []func() error{
		func() error { _, err := db.RunsWith(run.Paused); return err },
		func() error {
			return db.Read(func(tx Tx) error {
				return errors.Join(
					tx.Approvals("", func(ledger.Approval) (bool, error) { return true, nil }),
					tx.Entries("", func(ledger.Entry) (bool, error) { return true, nil }),
					tx.RecordsAbout(record.Ref{Type: "Patient", ID: "p"}, "Condition", func(record.Record) (bool, error) { return true, nil }))
			})
		},
		func() error {
			return db.Apply(&run.Commit{Run: "r1", LeaseEpoch: 1, Events: events(journal.StageStarted)})
		},
		func() error { return db.DeleteSession("s3") },
		func() error { return db.PutSetting("x", strings.Repeat("y", 50_000)) },
	} {
		if err := fn(); err != nil && err.Error() == "" {
			return err
		}
	}
	if err := db.Close(); err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

func TestDamage_IsAnErrorNeverAPanicNorAFreshStore(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "good.db")
	sample(t, source)
	out, err := child(t, "reader", source, filepath.Join(folder, "bad.db")).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		t.Fatalf("at %q: %v", lines[len(lines)-1], err)
	}
	t.Logf("%d damaged copies: %s", len(lines)-1, lines[len(lines)-1])
}
