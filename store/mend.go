package store

import (
	"bytes"
	"errors"
	"runtime/debug"
)

// Mended is what Compact made anew, and what it left as it is, of a store with damage.
type Mended struct {
	// Indexes are the rows of indexes that were made anew out of the rows that they lead to, or dropped since they led
	// to none.
	Indexes int `json:"indexes,omitempty"`
	// Pieces are parts of large values that belonged to no value any more.
	Pieces int `json:"pieces,omitempty"`
	// Left are the problems that stay, as Check names them: what cannot be read is kept byte by byte.
	Left []string `json:"left,omitempty"`
}

// mend makes anew what can be made anew of a file whose check finds a problem. It is one transaction.
func mend(f *boltFile) (m Mended, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	if m.Left, err = problemsOf(f); err != nil || len(m.Left) == 0 {
		return m, err
	}
	if m, err = f.mendRows(); err == nil {
		m.Left, err = problemsOf(f)
	}
	return m, err
}

func (f *boltFile) mendRows() (m Mended, err error) {
	kv, err := f.begin(true)
	if err != nil {
		return m, err
	}
	t, open := &tx{kv: kv, write: true}, true
	defer func() {
		t.done = true
		if open {
			err = errors.Join(err, kv.rollback())
		}
	}()
	if m, err = t.mend(); err == nil {
		err = t.bad
	}
	if err != nil || t.writes == 0 {
		return m, err
	}
	open = false
	if err := kv.commit(); err != nil {
		return m, uncertain{err}
	}
	return m, nil
}

// uncertain is a commit that failed: nobody knows whether it is on disk.
type uncertain struct{ error }

func (e uncertain) Unwrap() error { return e.error }

// mend makes anew what can be made out of what is readable, and drops what belongs to nothing. No row goes, whether it
// can be read or not.
func (t *tx) mend() (m Mended, err error) {
	for _, name := range order {
		n, err := tables[name].mendIndexes(t, nil)
		if err != nil {
			return m, err
		}
		m.Indexes += n
	}
	t.adrift = false
	// As long as some value does not say which pieces are its own, they may be those.
	if _, unsaid, err := t.owners(); err != nil || unsaid > 0 {
		return m, err
	}
	m.Pieces, err = t.dropAdrift()
	return m, err
}

// mendIndexes makes the indexes agree with the rows that can be read, and says how many rows of indexes it changed. What
// leads to a row that cannot be read stays: nothing else may say that it is there. With an owner's key only the index by
// owner is looked at, and only if what it has under the key leads astray.
func (tb *table[R]) mendIndexes(t *tx, owner []byte) (changed int, err error) {
	for _, ix := range tb.indexes {
		if owner != nil && (tb.owner == nil || tb.owner.by != ix) {
			continue
		}
		if owner != nil {
			if right, err := tb.leadsRight(t, ix, owner); err != nil || right {
				return 0, err
			}
		}
		n, err := tb.mendIndex(t, ix)
		if err != nil {
			return changed, err
		}
		changed += n
	}
	return changed, nil
}

// leadsRight says that each index row under a prefix leads to a row.
func (tb *table[R]) leadsRight(t *tx, ix *index[R], prefix []byte) (right bool, err error) {
	right = true
	bad := t.readable(ix.bucket, prefix, func(k, v []byte, e error) bool {
		if e == nil {
			_, e = tb.follow(t, ix, k, v)
		}
		right = e == nil || of(e, tb.bucket)
		return right
	})
	return right, bad
}

// of says that an error is of a row of a bucket.
func of(err error, b bucket) bool {
	var row *rowError
	return errors.As(err, &row) && row.b == b
}

func (tb *table[R]) mendIndex(t *tx, ix *index[R]) (changed int, err error) {
	want := map[string][]byte{}
	unread := map[string]bool{}
	if err := t.readable(tb.bucket, nil, func(k, v []byte, err error) bool {
		var r R
		if err == nil {
			r, err = tb.read(k, v)
		}
		if err != nil {
			unread[string(k)] = true
			return true
		}
		for _, at := range ix.keys(&r) {
			want[string(at)] = ix.value(&r)
		}
		return true
	}); err != nil {
		return 0, err
	}
	var gone [][]byte
	if err := t.readable(ix.bucket, nil, func(k, v []byte, err error) bool {
		value, wanted := want[string(k)]
		switch {
		case wanted && err == nil && bytes.Equal(v, value):
			delete(want, string(k))
		case wanted: // it is written below
		default:
			if err == nil {
				var at []byte
				if at, err = ix.row(k, v); err == nil && unread[string(at)] {
					break
				}
			}
			gone = append(gone, k)
		}
		return true
	}); err != nil {
		return 0, err
	}
	for _, k := range gone {
		if err := t.del(ix.bucket, k); err != nil {
			return changed, err
		}
		changed++
	}
	for k, v := range want {
		if err := t.put(ix.bucket, []byte(k), v); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// mendIndexesOf sees that everything that goes with the owner of a key is found by it.
func (t *tx) mendIndexesOf(table string, owner []byte) error {
	for _, name := range dependents[table] {
		if _, err := tables[name].mendIndexes(t, owner); err != nil {
			return err
		}
	}
	return nil
}
