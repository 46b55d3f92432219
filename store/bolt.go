package store

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// boltFile is the backend in one file. bbolt panics on pages that it cannot
// read; every call into it therefore turns a panic into ErrDamaged. (Faults of
// the memory map are panics only where debug.SetPanicOnFault is on; DB sees to that.)
type boltFile struct {
	db   *bolt.DB
	path string   // its name now; bbolt knows the one that it was opened by
	file *os.File // the one that db has open
	// stuck says that a transaction could not be ended, so bbolt's locks are held for ever.
	stuck atomic.Bool
}

func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w (%v)", ErrDamaged, r)
	}
}

func (f *boltFile) begin(write bool) (_ kvTx, err error) {
	defer guard(&err)
	tx, err := f.db.Begin(write)
	if err != nil {
		return nil, err
	}
	return &boltTx{f: f, tx: tx}, nil
}

func (f *boltFile) close() (err error) {
	if f.stuck.Load() {
		return abandon(f.file)
	}
	defer guard(&err)
	return f.db.Close()
}

// full is how full bbolt leaves a page of an ascending bucket that it splits. Where nothing
// comes in between any more, half of it would stay empty for good.
const full = 0.95

type boltTx struct {
	f       *boltFile
	tx      *bolt.Tx
	buckets [maxBuckets]*bolt.Bucket
}

// in finds a bucket when it is first used; a transaction uses few. A missing one
// panics, which guard makes damage; nil for a derived one that is missing in a file that is only read.
func (t *boltTx) in(b bucket) *bolt.Bucket {
	if t.buckets[b] == nil {
		if t.buckets[b] = t.tx.Bucket([]byte(b.String())); t.buckets[b] == nil && !buckets[b].derived {
			panic("bucket " + b.String() + " is missing")
		}
		if buckets[b].ascending && t.buckets[b] != nil {
			t.buckets[b].FillPercent = full
		}
	}
	return t.buckets[b]
}

func (t *boltTx) get(b bucket, k []byte) (v []byte, err error) {
	defer guard(&err)
	if in := t.in(b); in != nil {
		if v := in.Get(k); v != nil {
			return append([]byte{}, v...), nil
		}
	}
	return nil, nil
}

func (t *boltTx) put(b bucket, k, v []byte) (err error) {
	defer guard(&err)
	return t.in(b).Put(k, v)
}

func (t *boltTx) del(b bucket, k []byte) (err error) {
	defer guard(&err)
	return t.in(b).Delete(k)
}

func (t *boltTx) dropBucket(name string) (err error) {
	defer guard(&err)
	if t.tx.Bucket([]byte(name)) == nil {
		return nil
	}
	return t.tx.DeleteBucket([]byte(name))
}

// commit always ends the transaction: after a panic half-way bbolt still holds
// the writer's lock, so it is rolled back in memory. Nobody writes afterwards.
func (t *boltTx) commit() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(fmt.Errorf("%w (%v)", ErrDamaged, r), t.rollback())
		}
	}()
	return t.tx.Commit()
}

func (t *boltTx) rollback() (err error) {
	defer func() {
		if r := recover(); r != nil {
			t.f.stuck.Store(true)
			err = fmt.Errorf("%w (%v)", ErrDamaged, r)
		}
	}()
	return t.tx.Rollback()
}

func (t *boltTx) cursor(b bucket) cursor { return &boltCursor{t: t, b: b} }

type boltCursor struct {
	t *boltTx
	b bucket
	c *bolt.Cursor
}

// open finds the place where the cursor begins; nil where there is no bucket.
func (c *boltCursor) open() *bolt.Cursor {
	if c.c == nil {
		if in := c.t.in(c.b); in != nil {
			c.c = in.Cursor()
		}
	}
	return c.c
}

func (c *boltCursor) at(k, v []byte) ([]byte, []byte, error) {
	if k == nil {
		return nil, nil, nil
	}
	return append([]byte{}, k...), append([]byte{}, v...), nil
}

func (c *boltCursor) move(step func(*bolt.Cursor) (k, v []byte)) (_, _ []byte, err error) {
	defer guard(&err)
	if in := c.open(); in != nil {
		return c.at(step(in))
	}
	return nil, nil, nil
}

func (c *boltCursor) seek(k []byte) (key, value []byte, err error) {
	return c.move(func(in *bolt.Cursor) ([]byte, []byte) { return in.Seek(k) })
}

func (c *boltCursor) next() (key, value []byte, err error) { return c.move((*bolt.Cursor).Next) }
func (c *boltCursor) prev() (key, value []byte, err error) { return c.move((*bolt.Cursor).Prev) }
func (c *boltCursor) last() (key, value []byte, err error) { return c.move((*bolt.Cursor).Last) }
