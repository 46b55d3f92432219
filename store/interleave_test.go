package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/run/bench"
)

// leave takes the rows of an interleaved bucket back to a bucket of its own, as files had them before.
func leave(x *bolt.Tx, b bucket) error {
	own, err := x.CreateBucket([]byte(b.String()))
	if err != nil {
		return err
	}
	t := &boltTx{tx: x}
	var keys [][]byte
	if err := rowsAt(t, b, schema(), func(k, v []byte) error {
		keys = append(keys, k)
		return own.Put(k, v)
	}); err != nil {
		return err
	}
	for _, k := range keys {
		if err := t.del(b, k); err != nil {
			return err
		}
	}
	return nil
}

// "Each turn waits for the disk longer than the disk takes." A run that goes through in one commit writes
// few pages: what belongs to one run or one session lies together.
func TestApply_ARunOfFiveStagesWritesFewPages(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "a.db"))
	defer func() { must(t, db.Close()) }()
	g, err := graph.New(bench.Chain(5))
	must(t, err)
	x := run.NewExecutor(run.Options{Store: db, Now: time.Now, NewID: func() string { return "x" }})
	n, written := 0, func() int64 {
		s := db.back.(*boltFile).db.Stats()
		return s.TxStats.GetPageCount()
	}
	runs := func(session string, more int) {
		for range more {
			n++
			out, err := x.Start(context.Background(), g, run.StartRequest{ID: graph.RunID(strconv.Itoa(n)), Session: session, Turn: strconv.Itoa(n), Input: "hello"})
			if err != nil || out.Run.Status != run.Completed {
				t.Fatal(out.Run.Status, out.Err, err)
			}
		}
	}
	const some = 100
	runs("long", 400)
	before := written()
	runs("long", some)
	if pages := float64(written()-before) / some; pages > 12 {
		t.Errorf("a run in a long session writes %.1f pages", pages)
	}
	sane(t, db)
}

// Rows at a parent read as in a bucket of their own, whatever lies between.
func TestInterleave_ReadsAsABucketOfItsOwn(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "a.db"))
	defer func() { must(t, db.Close()) }()
	family := []bucket{runs.bucket, channels.bucket, pending.bucket, pauses.bucket, journaled.bucket, runsBySession.bucket}
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"a", "a\x00", "ab", "b", "\x00", "ÿ"}
	random := func(b bucket) []byte {
		k := key(texts[r.IntN(len(texts))])
		switch {
		case b == journaled.bucket || b == runsBySession.bucket:
			k = numKey(k, uint64(r.IntN(5)))
		case b != runs.bucket:
			k = textKey(k, texts[r.IntN(len(texts))])
		}
		return k
	}
	file, err := db.back.begin(true)
	must(t, err)
	plain, err := newInMemory().begin(true)
	must(t, err)
	type row struct{ K, V []byte }
	same := func(what string, got, want func() ([]byte, []byte, error)) {
		t.Helper()
		k, v, err := got()
		k2, v2, err2 := want()
		if err != nil || err2 != nil || !reflect.DeepEqual(row{k, v}, row{k2, v2}) {
			t.Fatalf("%s: %q %q (%v), not %q %q (%v)", what, k, v, err, k2, v2, err2)
		}
	}
	for i := range 4000 {
		b := family[r.IntN(len(family))]
		k := random(b)
		v := []byte(strconv.Itoa(i))
		if r.IntN(3) == 0 {
			must(t, errors.Join(file.del(b, k), plain.del(b, k)))
		} else {
			must(t, errors.Join(file.put(b, k, v), plain.put(b, k, v)))
		}
		b = family[r.IntN(len(family))]
		k = random(b)
		same("get", func() ([]byte, []byte, error) { v, err := file.get(b, k); return nil, v, err }, func() ([]byte, []byte, error) { v, err := plain.get(b, k); return nil, v, err })
		switch r.IntN(4) {
		case 0:
			k = nil
		case 1:
			k = pastPrefix(k)
		case 2:
			k = k[:r.IntN(len(k))]
		}
		x, y := file.cursor(b, nil, nil), plain.cursor(b, nil, nil)
		what := fmt.Sprintf("%s from %q", b, k)
		if k2, _, err := x.seek(k); err != nil || k2 == nil {
			same(what+", last", x.last, y.last)
		} else {
			same(what, func() ([]byte, []byte, error) { return x.seek(k) }, func() ([]byte, []byte, error) { return y.seek(k) })
		}
		if k != nil {
			z, w := file.cursor(b, nil, nil), plain.cursor(b, nil, nil)
			same(what+", before", func() ([]byte, []byte, error) { return z.before(k) }, func() ([]byte, []byte, error) { return w.before(k) })
		}
		for range r.IntN(8) {
			step, step2, name := x.next, y.next, "next"
			if r.IntN(2) == 0 {
				step, step2, name = x.prev, y.prev, "prev"
			}
			k, v, err := step()
			k2, v2, err2 := step2()
			if err != nil || err2 != nil || !bytes.Equal(k, k2) || !bytes.Equal(v, v2) {
				t.Fatalf("%s, %s: %q %q (%v), not %q %q (%v)", what, name, k, v, err, k2, v2, err2)
			}
			if k == nil {
				break // where a cursor is after an end is nobody's business
			}
		}
	}
	must(t, file.rollback())
}

// "With ten thousand turns behind me an old one opens slowly." What a run has not is not looked for among the others.
func TestInterleave_WhatIsNotThereIsNotLookedForFurtherOn(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "a.db"))
	defer func() { must(t, db.Close()) }()
	cost := func() float64 {
		return testing.AllocsPerRun(5, func() {
			for _, id := range []graph.RunID{"a", "m"} {
				if found, err := db.Pauses(id); err != nil || len(found) != 0 {
					t.Fatal(found, err)
				}
			}
			must(t, db.view(func(x *tx) error {
				_, err := x.newest("m")
				return errors.Join(err, x.scanDown(pending.bucket, key("m"), pastPrefix(key("m")), func(_, _ []byte) (bool, error) { return true, nil }))
			}))
		})
	}
	admit(t, db, "a", "a")
	admit(t, db, "m", "m")
	alone := cost()
	var more []*run.Commit
	for i := range 1000 {
		for _, at := range []string{"b", "z"} {
			row := newRun(fmt.Sprint(at, i), at)
			more = append(more, &run.Commit{Run: row.ID, Admit: true, Row: &row, Set: chans("x", "1")})
		}
	}
	must(t, db.Apply(more...))
	if among := cost(); among > alone+20 {
		t.Errorf("%v allocations alone, %v among others", alone, among)
	}
}

// "I updated with turns that waited, and they were gone." Rows that move to a parent are all there, in the file and read-only.
func TestMigrate_RowsThatMoveToAHostAreAllThere(t *testing.T) {
	tried := map[string]int{}
	for _, format := range []int{1, 8} {
		path := golden(t, format)
		was := soundFile(t, path) // of a copy in memory
		want := map[string]map[string]string{}
		rows := func(schema int, then func(name string, rows map[string]string)) {
			f, err := openBolt(path, true)
			must(t, err)
			must(t, f.db.View(func(x *bolt.Tx) error {
				for i, info := range buckets {
					if info.interleave.in == "" {
						continue
					}
					all := map[string]string{}
					must(t, rowsAt(&boltTx{f: f, tx: x}, bucket(i), schema, func(k, v []byte) error { all[string(k)] = string(v); return nil }))
					if own := x.Bucket([]byte(info.name)) != nil; own == info.interleave.is(schema) {
						t.Errorf("format %d, schema %d: a bucket of %s is there: %v", format, schema, info.name, own)
					}
					then(info.name, all)
				}
				return nil
			}))
			must(t, f.close())
		}
		rows(format, func(name string, all map[string]string) {
			want[name] = all
			tried[name] += len(all)
		})
		must(t, openFile(t, path).Close())
		rows(schema(), func(name string, all map[string]string) {
			if !reflect.DeepEqual(all, want[name]) {
				t.Errorf("format %d: %d rows of %s, there were %d", format, len(all), name, len(want[name]))
			}
		})
		if now := soundFile(t, path); fmt.Sprint(now) != fmt.Sprint(was) {
			t.Errorf("format %d: there were %v, now %v", format, was, now)
		}
		// A later schema reads them where they are now.
		f, err := openBolt(path, true)
		must(t, err)
		m, err := migratedCopy(f, schema())
		must(t, errors.Join(err, f.close()))
		r := Report{Problems: []string{}}
		must(t, newDB(m, true).checkRows(&r))
		if fmt.Sprint(r) != fmt.Sprint(was) {
			t.Errorf("format %d: the copy has %v, there were %v", format, r, was)
		}
	}
	for name, n := range tried {
		if n == 0 {
			t.Errorf("there is no row of %s in the golden stores", name)
		}
	}
}

// "Does check see what lies where nothing should?" A row at a parent that is nobody's is a problem, and so is a
// bucket with the name of an interleaved one.
func TestInterleave_WhatIsNobodysIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := openFile(t, path)
	must(t, admitRow(db, newRun("r", "s"), chans("x", "1"), events(journal.TurnStarted)))
	must(t, db.Close())
	change := func(fn func(x *bolt.Tx) error) {
		b, err := bolt.Open(path, 0o600, nil)
		must(t, err)
		must(t, errors.Join(b.Update(fn), b.Close()))
	}
	strays := [][]byte{append(key("r"), interleaved, 77), append(key("s"), interleaved, 255, 255), append(key("s"), interleaved), append(key("s"), interleaved, 0), {255, 255}, []byte("s"), {0}}
	for _, parent := range []string{"runs", "journal"} {
		for _, stray := range strays {
			change(func(x *bolt.Tx) error { return x.Bucket([]byte(parent)).Put(stray, []byte{markWhole, '{', '}'}) })
			r, err := Check(path)
			if err != nil || len(r.Problems) == 0 {
				t.Errorf("%s %q: nothing is found (%v)", parent, stray, err)
			}
			if r.Runs != 1 || r.Rows["channels"] != 1 || r.Events != 1 {
				t.Errorf("%s %q hides others: %v", parent, stray, r)
			}
			change(func(x *bolt.Tx) error { return x.Bucket([]byte(parent)).Delete(stray) })
		}
	}
	soundFile(t, path)
	change(func(x *bolt.Tx) error { _, err := x.CreateBucket([]byte("channels")); return err })
	_, err := Open(path)
	wantErr(t, err, ErrSchema)
}
