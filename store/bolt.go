package store

import (
	"bytes"
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
	// Of the bucket that has all others: split in the middle, as is usual, its page becomes two that
	// most commits change, with one above them. Split at its end, those commits change the first.
	tx.Cursor().Bucket().FillPercent = 1
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
		if t.buckets[b] = t.tx.Bucket([]byte(buckets[b].at())); t.buckets[b] == nil && !buckets[b].derived {
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
		if v := in.Get(buckets[b].interleave.outer(k)); v != nil {
			return append([]byte{}, v...), nil
		}
	}
	return nil, nil
}

func (t *boltTx) put(b bucket, k, v []byte) (err error) {
	defer guard(&err)
	return t.in(b).Put(buckets[b].interleave.outer(k), v)
}

func (t *boltTx) del(b bucket, k []byte) (err error) {
	defer guard(&err)
	return t.in(b).Delete(buckets[b].interleave.outer(k))
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

func (t *boltTx) cursor(b bucket, lo, hi []byte) cursor {
	c := &boltCursor{t: t, b: b, interleave: buckets[b].interleave, marks: marksOf()[buckets[b].at()]}
	if len(c.marks) > 0 {
		c.lo, c.hi = c.interleave.outer(lo), c.interleave.outer(hi)
	}
	return c
}

type boltCursor struct {
	t          *boltTx
	b          bucket
	c          *bolt.Cursor
	interleave interleave
	marks      []byte // of the interleaved buckets there
	// Past these nothing of ours is looked for: among rows of others that may be far.
	lo, hi []byte
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
	return append([]byte{}, c.interleave.inner(k)...), append([]byte{}, v...), nil
}

// past goes on from the rows of others to the next one, or the one before, that is ours.
func (c *boltCursor) past(k, v []byte, back bool) ([]byte, []byte) {
	for k != nil && len(c.marks) > 0 {
		if back && bytes.Compare(k, c.lo) < 0 || !back && c.hi != nil && bytes.Compare(k, c.hi) >= 0 {
			return nil, nil
		}
		mark, n := whose(k)
		if mark == c.interleave.mark || c.interleave.mark == 0 && bytes.IndexByte(c.marks, mark) < 0 {
			break // what is nobody's is the parent's, which finds that it is no row
		}
		text := k[:n:n]
		behind := mark < c.interleave.mark // ours that begin with the same text are, or all lie before
		switch {
		case n == 0 && back:
			k, v = c.c.Prev()
		case n == 0:
			k, v = c.c.Next()
		case !back && behind:
			k, v = c.c.Seek(append(text, interleaved, c.interleave.mark))
		case !back:
			k, v = c.c.Seek(pastPrefix(append(text, interleaved, mark)))
		case behind:
			k, v = c.upTo(text)
		default:
			k, v = c.upTo(append(text, interleaved, mark))
		}
	}
	return k, v
}

func (c *boltCursor) upTo(k []byte) ([]byte, []byte) {
	if at, _ := c.c.Seek(k); at == nil {
		return c.c.Last()
	}
	return c.c.Prev()
}

func (c *boltCursor) move(back bool, step func(*bolt.Cursor) (k, v []byte)) (_, _ []byte, err error) {
	defer guard(&err)
	if in := c.open(); in != nil {
		k, v := step(in)
		return c.at(c.past(k, v, back))
	}
	return nil, nil, nil
}

func (c *boltCursor) seek(k []byte) (key, value []byte, err error) {
	return c.move(false, func(in *bolt.Cursor) ([]byte, []byte) { return in.Seek(c.interleave.outer(k)) })
}

func (c *boltCursor) before(k []byte) (key, value []byte, err error) {
	return c.move(true, func(*bolt.Cursor) ([]byte, []byte) { return c.upTo(c.interleave.outer(k)) })
}

func (c *boltCursor) next() (key, value []byte, err error) { return c.move(false, (*bolt.Cursor).Next) }
func (c *boltCursor) prev() (key, value []byte, err error) { return c.move(true, (*bolt.Cursor).Prev) }
func (c *boltCursor) last() (key, value []byte, err error) { return c.move(true, (*bolt.Cursor).Last) }
