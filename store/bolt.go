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
	t := &boltTx{f: f, tx: tx}
	if err := t.open(); err != nil {
		if rerr := t.rollback(); rerr != nil {
			return nil, fmt.Errorf("%w; then %w", err, rerr)
		}
		return nil, err
	}
	return t, nil
}

func (f *boltFile) close() (err error) {
	if f.stuck.Load() {
		return abandon(f.file)
	}
	defer guard(&err)
	return f.db.Close()
}

type boltTx struct {
	f       *boltFile
	tx      *bolt.Tx
	buckets [bucketCount]*bolt.Bucket
}

// open finds the buckets. They were all made with the file, so a missing one is damage.
func (t *boltTx) open() (err error) {
	defer guard(&err)
	for i, name := range bucketNames {
		if t.buckets[i] = t.tx.Bucket([]byte(name)); t.buckets[i] == nil {
			return fmt.Errorf("bucket %s is missing: %w", name, ErrDamaged)
		}
	}
	return nil
}

func (t *boltTx) get(b bucket, k []byte) (v []byte, err error) {
	defer guard(&err)
	if v := t.buckets[b].Get(k); v != nil {
		return append([]byte{}, v...), nil
	}
	return nil, nil
}

func (t *boltTx) put(b bucket, k, v []byte) (err error) {
	defer guard(&err)
	return t.buckets[b].Put(k, v)
}

func (t *boltTx) del(b bucket, k []byte) (err error) {
	defer guard(&err)
	return t.buckets[b].Delete(k)
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

func (t *boltTx) cursor(b bucket) cursor { return &boltCursor{c: t.buckets[b].Cursor()} }

type boltCursor struct{ c *bolt.Cursor }

func (c *boltCursor) at(k, v []byte) ([]byte, []byte, error) {
	if k == nil {
		return nil, nil, nil
	}
	return append([]byte{}, k...), append([]byte{}, v...), nil
}

func (c *boltCursor) seek(k []byte) (_, _ []byte, err error) {
	defer guard(&err)
	return c.at(c.c.Seek(k))
}

func (c *boltCursor) next() (_, _ []byte, err error) {
	defer guard(&err)
	return c.at(c.c.Next())
}

func (c *boltCursor) prev() (_, _ []byte, err error) {
	defer guard(&err)
	return c.at(c.c.Prev())
}

func (c *boltCursor) last() (_, _ []byte, err error) {
	defer guard(&err)
	return c.at(c.c.Last())
}
