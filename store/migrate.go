package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// step changes rows of an older format, and nothing else; buckets and indexes that a schema brings
// are made before its steps run. All steps to today's format run in one transaction, and the older file stays beside
// the new one until that was opened once more. A step to a schema that is out never runs on
// files that have that schema already: it takes the next number.
type step func(t *tx) error

var (
	steps   = map[int][]step{}
	retired = map[string]int{} // bucket → the schema that no longer has it
)

// migrate declares a step to a schema; in an init function of the noun's file.
func migrate(to int, s step) { steps[to] = append(steps[to], s) }

// retire declares that a schema no longer has a bucket.
func retire(to int, bucket string) {
	retired[bucket] = to
	migrate(to, func(t *tx) error { t.writes++; return t.kv.dropBucket(bucket) })
}

// schema is the version of the file format that this program writes: the newest
// that anything was declared for.
var schema = sync.OnceValue(func() int {
	newest := 1
	for _, b := range buckets {
		newest = max(newest, b.since)
	}
	for to := range steps {
		newest = max(newest, to)
	}
	for _, name := range order {
		for _, to := range tables[name].grew() {
			newest = max(newest, to)
		}
	}
	return newest
})

// bringTo takes the rows of a store from one schema to another.
func bringTo(t *tx, from, target int) error {
	for to := from + 1; to <= target; to++ {
		for _, name := range order {
			if err := tables[name].fill(t, to); err != nil {
				return fmt.Errorf("schema %d; the file is as it was: %w", to, err)
			}
		}
		for _, s := range steps[to] {
			if err := s(t); err != nil {
				return fmt.Errorf("schema %d; the file is as it was: %w", to, err)
			}
		}
	}
	if t.bad != nil {
		return t.bad
	}
	t.writes++
	return t.kv.put(metaBucket, []byte("schema"), []byte(strconv.Itoa(target)))
}

// migrating is told where a migration is; for tests, which end the process there.
var migrating = func(at string) error { return nil }

// beside is the name that the file of an older format is kept under while a newer one
// is new.
func beside(path string, to int) string { return path + ".before-" + strconv.Itoa(to) }

// upgrade brings a file to today's format, in one transaction. A copy stays beside
// it until the new one was opened once more, see dropOlder. After an error or a crash
// the file is as it was, or done.
func upgrade(f *boltFile, path string, from int) error {
	if err := keepOlder(f, beside(path, schema())); err != nil {
		return fmt.Errorf("keep the older file: %w", err)
	}
	if err := migrating("kept"); err != nil {
		return err
	}
	return rewriteRows(f, from)
}

func rewriteRows(f *boltFile, from int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	kv, err := f.begin(true)
	if err != nil {
		return err
	}
	t := &tx{kv: kv, write: true}
	open := true
	defer func() {
		t.done = true
		if open {
			err = errors.Join(err, kv.rollback())
		}
	}()
	b := kv.(*boltTx).tx
	for _, info := range buckets {
		if info.since > from && info.interleave.in == "" {
			if _, err := b.CreateBucketIfNotExists([]byte(info.name)); err != nil {
				return err
			}
		}
	}
	if err := intoParents(kv.(*boltTx), from); err != nil {
		return err
	}
	if err := bringTo(t, from, schema()); err != nil {
		return err
	}
	if err := migrating("written"); err != nil {
		return err
	}
	open = false
	if err := kv.commit(); err != nil {
		return err
	}
	return migrating("committed")
}

// rowsAt visits the rows of a bucket where a file of a schema has them.
func rowsAt(t *boltTx, b bucket, schema int, fn func(k, v []byte) error) error {
	if g := buckets[b].interleave; g.in != "" && !g.is(schema) {
		if in := t.tx.Bucket([]byte(b.String())); in != nil {
			return in.ForEach(fn)
		}
		return nil
	}
	c := t.cursor(b, nil, nil)
	k, v, err := c.seek(nil)
	for ; k != nil && err == nil; k, v, err = c.next() {
		if err := fn(k, v); err != nil {
			return err
		}
	}
	return err
}

// intoParents brings the rows of buckets that have become interleaved to their parents.
func intoParents(t *boltTx, from int) error {
	for i, info := range buckets {
		if info.interleave.in == "" || info.interleave.is(from) || info.since > from {
			continue
		}
		if err := rowsAt(t, bucket(i), from, func(k, v []byte) error { return t.put(bucket(i), k, v) }); err != nil {
			return err
		}
		if err := t.tx.DeleteBucket([]byte(info.name)); err != nil {
			return err
		}
	}
	return nil
}

// keepOlder copies the store to a name, complete or not at all.
func keepOlder(f *boltFile, name string) error {
	temp := name + ".new"
	err := f.db.View(func(tx *bolt.Tx) (err error) {
		file, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, fileMode)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		if _, err := tx.WriteTo(file); err != nil {
			return err
		}
		return file.Sync()
	})
	if err == nil {
		err = migrating("copied")
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(temp))
	}
	return syncFolder(filepath.Dir(name))
}

// dropOlder removes what upgrade kept, now that the file of today's format was opened,
// and what a crash left of a compaction: both hold what people deleted since. The lock
// on the store makes these names ours.
func dropOlder(path string) error {
	err := removeIfThere(compacting(path))
	// A first start that was killed left a store without a name. One that goes on just now
	// finds that there is a store.
	unnamed, globErr := filepath.Glob(filepath.Join(filepath.Dir(path), unnamedStores(path)))
	err = errors.Join(err, globErr)
	for _, name := range unnamed {
		err = errors.Join(err, removeIfThere(name))
	}
	for to := 2; to <= schema(); to++ {
		err = errors.Join(err, removeIfThere(beside(path, to)), removeIfThere(beside(path, to)+".new"))
	}
	return err
}

// migratedCopy reads a file of an older format and brings the copy to today's, for those
// who must not write the file.
func migratedCopy(f *boltFile, from int) (*inMemory, error) {
	m := newInMemory()
	kv, err := m.begin(true)
	if err != nil {
		return nil, err
	}
	if err := f.db.View(func(b *bolt.Tx) error {
		for i, info := range buckets {
			if info.since > from {
				continue
			}
			if err := rowsAt(&boltTx{f: f, tx: b}, bucket(i), from, func(k, v []byte) error { return kv.put(bucket(i), k, v) }); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	t := &tx{kv: kv, write: true}
	if err := bringTo(t, from, schema()); err != nil {
		return nil, err
	}
	return m, kv.commit()
}
