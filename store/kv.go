package store

import (
	"cmp"
	"fmt"
)

// bucket names one flat ordered map.
type bucket int

// maxBuckets bounds what a transaction keeps at hand.
const maxBuckets = 64

// buckets are all there are. Package variables and init functions add to them, each
// in the file of its noun; afterwards nobody does.
var buckets []bucketInfo

type bucketInfo struct {
	name  string // part of the file format
	since int    // the schema that brought it
	// ascending says that keys mostly come in order: pages that are passed stay full.
	ascending bool
	// derived says that its rows are made anew from others: a file without it is sound.
	derived    bool
	interleave interleave
}

// at names the bucket of the file that has its rows.
func (b bucketInfo) at() string { return cmp.Or(b.interleave.in, b.name) }

func (b bucket) String() string { return buckets[b].name }

// newBucket makes a bucket; one without a table is read, written and checked by hand.
func newBucket(name string, since int) bucket {
	for _, b := range buckets {
		if b.name == name {
			panic("store: two buckets are named " + name)
		}
	}
	if len(buckets) == maxBuckets {
		panic(fmt.Sprintf("store: more than %d buckets", maxBuckets))
	}
	buckets = append(buckets, bucketInfo{name: name, since: since})
	return bucket(len(buckets) - 1)
}

// backend is what a place to keep data must offer. DB sees to it that there is one
// write transaction at a time; readers see the state before or after it, never between.
type backend interface {
	begin(write bool) (kvTx, error)
	close() error
}

// kvTx is one transaction. Slices that it returns belong to the caller.
type kvTx interface {
	get(b bucket, k []byte) ([]byte, error) // nil when there is none
	put(b bucket, k, v []byte) error
	del(b bucket, k []byte) error
	// cursor need not find what lies before lo or, unless hi is nil, at hi or behind.
	cursor(b bucket, lo, hi []byte) cursor
	// dropBucket removes a bucket that no format has any more, if it is there.
	dropBucket(name string) error
	// commit and rollback end the transaction.
	commit() error
	rollback() error
}

// cursor walks one bucket in key order. A nil key says that there is nothing
// there. It is lost when the transaction writes.
type cursor interface {
	seek(k []byte) (key, value []byte, err error) // the first at or after k
	next() (key, value []byte, err error)
	prev() (key, value []byte, err error)
	before(k []byte) (key, value []byte, err error) // the last before k
	last() (key, value []byte, err error)
}
