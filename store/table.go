package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// table is the rows of one noun. It is declared once, in the noun's file, and the
// store does the rest: indexes follow their rows, rows go with their owner, check
// proves all of it, and a file from before the table gets it when it is opened.
//
// To add a table:
//
//  1. write the row: a struct, kept as JSON unless encode and decode say otherwise;
//  2. declare it: var letters = table[letter]{name: "letters", since: 3, key: …}, with
//     its indexes, each with id or rest, and its owner, and func init() { letters.declare() };
//  3. since is the number of the first file format that has it, one above today's; older
//     files get the bucket and filled indexes when opened. A step of your own: migrate;
//  4. read with get and find, write with put, which takes the row as it was before (nil
//     for a new one), and delete, inside a transaction;
//  5. what else must hold of a row goes into verify, for check, and what a person can do about one that cannot be
//     read into advice, unless it goes with its owner. Nothing else changes.
type table[R any] struct {
	name  string
	since int
	// key is the row's place; of a table that is owned by key it begins with the owner's.
	key func(r *R) []byte
	// encode and decode are JSON by default. decode gets the key as well, for rows that
	// hold a part of themselves there.
	encode     func(r *R) ([]byte, error)
	decode     func(k, raw []byte) (R, error)
	indexes    []*index[R]
	owner      *owner[R]
	interleave interleave // where its rows lie in the file; see there
	// ascending says that the keys of new rows mostly come behind all others, or behind their
	// owner's: ids are made in the order of time.
	ascending bool
	// derived says that its rows are made anew from others: a file without them is sound.
	derived bool
	// advice is remedy, of a table that does not leave it to its owner.
	advice func(t *tx, k []byte, itself bool) error
	// deleted does what else there is to do when a row went.
	deleted func(t *tx, r *R) error
	// verify makes, for one check, what looks at each row besides its place, its indexes
	// and its owner; audit looks at the whole.
	verify func(c *checker) func(r *R) error
	audit  func(c *checker) error

	bucket
}

// index finds rows of a table by something else than their key. Its keys are made
// of the row alone, so it can always be made anew.
type index[R any] struct {
	name  string
	since int
	keys  func(r *R) [][]byte
	// again are the schemas from which on keys gives more than before: rows of older files get
	// their new keys when they are opened.
	again []int
	// id is what stands under the keys and names the row; nil when the end of the key does.
	id func(r *R) string
	// rest takes off a key what stands before the row's own key; for indexes without id.
	rest func(k []byte) ([]byte, error)
	// costly says that keys takes long: only check compares them with what is there.
	costly     bool
	interleave interleave // as of a table

	bucket
}

// owner says with what the rows of a table are deleted.
type owner[R any] struct {
	table string
	key   func(r *R) []byte
	// by finds the rows of an owner: its keys begin with the owner's. nil: so do the rows'.
	by *index[R]
	// loose rows may be there before their owner, and those that are kept after it.
	loose bool
	keep  func(r *R) bool
}

// anyTable is a table for those who don't know its rows.
type anyTable interface {
	check(c *checker) error
	// drop deletes the rows of an owner by the owner's key.
	drop(t *tx, owner []byte) error
	has(t *tx, k []byte) error
	// legible fails unless what stands under k is a row of it.
	legible(k, raw []byte) error
	// remedy says what a person can do about a row that cannot be read, or about one that goes with it; nil where
	// nothing is known.
	remedy(t *tx, k []byte, itself bool) error
	// fill makes the indexes that a schema brought, and fills up those that have more since.
	fill(t *tx, since int) error
	// grew are the schemas that an index of it has more since.
	grew() []int
	mendIndexes(t *tx, owner []byte) (changed int, err error)
}

var (
	tables     = map[string]anyTable{}
	order      []string // of declaration, in which check goes
	isIndex    = map[bucket]bool{}
	dependents = map[string][]string{} // by the owner's name
)

// declare makes a table known; in an init function.
func (tb *table[R]) declare() {
	for _, ix := range tb.indexes {
		if ix.id == nil && ix.rest == nil {
			panic("store: the index " + ix.name + " needs id or rest: nothing leads from it to a row")
		}
	}
	tb.bucket = newBucket(tb.name, tb.since)
	buckets[tb.bucket].ascending = tb.ascending
	buckets[tb.bucket].interleave = tb.interleave
	buckets[tb.bucket].derived = tb.derived
	for _, ix := range tb.indexes {
		ix.bucket = newBucket(ix.name, ix.since)
		buckets[ix.bucket].interleave = ix.interleave
		isIndex[ix.bucket] = true
	}
	tables[tb.name] = tb
	order = append(order, tb.name)
	if tb.owner != nil {
		dependents[tb.owner.table] = append(dependents[tb.owner.table], tb.name)
	}
}

func (tb *table[R]) pack(r *R) ([]byte, error) {
	if tb.encode != nil {
		return tb.encode(r)
	}
	return encode(r)
}

// read turns what stands under k into a row and sees that it belongs there.
func (tb *table[R]) read(k, raw []byte) (r R, err error) {
	if tb.decode != nil {
		r, err = tb.decode(k, raw)
	} else {
		err = decode(tb.bucket, k, raw, &r)
	}
	if err == nil && !bytes.Equal(tb.key(&r), k) {
		err = misplaced(tb.bucket, k)
	}
	return r, atRow(tb.bucket, k, err)
}

func (tb *table[R]) legible(k, raw []byte) error {
	r, err := tb.read(k, raw)
	if err != nil {
		return err
	}
	for _, ix := range tb.indexes {
		for _, at := range ix.keys(&r) {
			if to, err := ix.row(at, ix.value(&r)); err != nil || !bytes.Equal(to, k) {
				return fmt.Errorf("store: %s leads to %q and not to %q (%v)", ix.name, to, k, err)
			}
		}
	}
	return nil
}

func (tb *table[R]) remedy(t *tx, k []byte, itself bool) error {
	if tb.advice != nil {
		return tb.advice(t, k, itself)
	}
	if tb.owner == nil {
		return nil
	}
	if of := tb.ownerOf(t, k); of != nil {
		return tables[tb.owner.table].remedy(t, of, false)
	}
	return nil
}

// ownerOf is the key of the row that a row goes with, which need not be readable; nil for none.
func (tb *table[R]) ownerOf(t *tx, k []byte) (of []byte) {
	if ix := tb.owner.by; ix != nil {
		led := k
		k = nil
		if err := t.readable(ix.bucket, nil, func(at, v []byte, err error) bool {
			if err == nil {
				if row, bad := ix.row(at, v); bad == nil && bytes.Equal(row, led) {
					k = at
				}
			}
			return k == nil
		}); err != nil {
			return nil
		}
	}
	if n := textLen(k); n > 0 { // every owner has a key of one text
		return k[:n]
	}
	return nil
}

// get reads a row; a missing one is false, an unreadable one ErrDamaged.
func (tb *table[R]) get(t *tx, k []byte) (r R, ok bool, err error) {
	raw, err := t.get(tb.bucket, k)
	if raw == nil || err != nil {
		return r, false, err
	}
	r, err = tb.read(k, raw)
	return r, true, err
}

func (tb *table[R]) has(t *tx, k []byte) error { return t.has(tb.bucket, k) }

// put writes a row and moves it in the indexes. old is the row before, nil for a new one.
func (tb *table[R]) put(t *tx, old, r *R) error {
	raw, err := tb.pack(r)
	if err != nil {
		return err
	}
	return tb.putRaw(t, old, r, raw)
}

func (tb *table[R]) putRaw(t *tx, old, r *R, raw []byte) error {
	for _, ix := range tb.indexes {
		if err := ix.move(t, old, r); err != nil {
			return err
		}
	}
	return t.put(tb.bucket, tb.key(r), raw)
}

func contains(keys [][]byte, k []byte) bool {
	for _, have := range keys {
		if bytes.Equal(have, k) {
			return true
		}
	}
	return false
}

// move brings an index from one state of a row to the next; either may be nil.
func (ix *index[R]) move(t *tx, old, r *R) error {
	var was, now [][]byte
	if old != nil {
		was = ix.keys(old)
	}
	if r != nil {
		now = ix.keys(r)
	}
	for _, k := range was {
		if !contains(now, k) {
			if err := t.del(ix.bucket, k); err != nil {
				return err
			}
		}
	}
	for _, k := range now {
		if !contains(was, k) {
			if err := t.put(ix.bucket, k, ix.value(r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (ix *index[R]) value(r *R) []byte {
	if ix.id == nil {
		return nil
	}
	return []byte(ix.id(r))
}

// row is the key of the row that an index row leads to.
func (ix *index[R]) row(k, v []byte) ([]byte, error) {
	if ix.id != nil {
		return key(string(v)), nil
	}
	return ix.rest(k)
}

// follow reads the row that an index row leads to.
func (tb *table[R]) follow(t *tx, ix *index[R], k, v []byte) (R, error) {
	at, err := ix.row(k, v)
	if err != nil {
		var none R
		return none, atRow(ix.bucket, k, err)
	}
	r, ok, err := tb.get(t, at)
	switch {
	case err != nil:
	case !ok:
		err = dangling(ix.bucket, at)
	case !ix.costly:
		err = ix.leadsTo(&r, k)
	}
	return r, atRow(ix.bucket, k, err)
}

// leadsTo fails unless k is among the keys of a row.
func (ix *index[R]) leadsTo(r *R, k []byte) error {
	if contains(ix.keys(r), k) {
		return nil
	}
	return misplaced(ix.bucket, k)
}

// find visits the rows whose index keys begin with prefix, in the order of the keys.
func (tb *table[R]) find(t *tx, ix *index[R], prefix []byte, fn func(r R) (bool, error)) error {
	return t.scanPrefix(ix.bucket, prefix, func(k, v []byte) (bool, error) {
		r, err := tb.follow(t, ix, k, v)
		if err != nil {
			return false, err
		}
		return fn(r)
	})
}

// delete removes a row with what belongs to it.
func (tb *table[R]) delete(t *tx, r *R) error {
	k := tb.key(r)
	for _, name := range dependents[tb.name] {
		if err := tables[name].drop(t, k); err != nil {
			return err
		}
	}
	for _, ix := range tb.indexes {
		if err := ix.move(t, r, nil); err != nil {
			return err
		}
	}
	if err := t.del(tb.bucket, k); err != nil || tb.deleted == nil {
		return err
	}
	return tb.deleted(t, r)
}

func (tb *table[R]) drop(t *tx, owner []byte) error {
	o, in := tb.owner, tb.bucket
	switch {
	case o.by != nil:
		in = o.by.bucket
	case len(tb.indexes) == 0 && len(dependents[tb.name]) == 0 && tb.deleted == nil && o.keep == nil:
		return t.delPrefix(tb.bucket, owner) // needs no look at the rows
	}
	var rows [][]byte // a bucket is not read and written at once
	if err := t.readable(in, owner, func(k, v []byte, err error) bool {
		if o.by != nil && err == nil {
			k, err = o.by.row(k, v)
		}
		if err == nil || o.by == nil {
			rows = append(rows, k)
		}
		return true
	}); err != nil {
		return err
	}
	for _, k := range rows {
		r, ok, err := tb.get(t, k)
		switch {
		case errors.Is(err, ErrDamaged):
			err = tb.erase(t, k)
		case err == nil && ok && (o.keep == nil || !o.keep(&r)):
			err = tb.delete(t, &r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a row by its key, whether it can be read or not. A missing one is false.
func (tb *table[R]) remove(t *tx, k []byte) (bool, error) {
	r, ok, err := tb.get(t, k)
	switch {
	case errors.Is(err, ErrDamaged):
		return true, tb.erase(t, k)
	case err != nil || !ok:
		return false, err
	}
	return true, tb.delete(t, &r)
}

// erase removes a row that cannot be read, with what belongs to it. It does not say which rows of indexes are its own:
// they are looked for.
func (tb *table[R]) erase(t *tx, k []byte) error {
	for _, name := range dependents[tb.name] {
		if err := tables[name].drop(t, k); err != nil {
			return err
		}
	}
	for _, ix := range tb.indexes {
		var own [][]byte
		if err := t.readable(ix.bucket, nil, func(at, v []byte, err error) bool {
			if err == nil {
				if row, bad := ix.row(at, v); bad == nil && bytes.Equal(row, k) {
					own = append(own, at)
				}
			}
			return true
		}); err != nil {
			return err
		}
		for _, at := range own {
			if err := t.del(ix.bucket, at); err != nil {
				return err
			}
		}
	}
	if err := t.del(tb.bucket, k); err != nil || tb.deleted == nil {
		return err
	}
	var r R
	if tb.decode != nil {
		if of, err := tb.decode(k, nil); err == nil {
			r = of // what its key says of it
		}
	}
	return tb.deleted(t, &r)
}

func (tb *table[R]) grew() (all []int) {
	for _, ix := range tb.indexes {
		all = append(all, ix.again...)
	}
	return all
}

func (tb *table[R]) fill(t *tx, since int) error {
	for _, ix := range tb.indexes {
		if ix.since != since && !slices.Contains(ix.again, since) {
			continue
		}
		if err := t.leavingOut(func() error { // check names what cannot be read
			return t.scan(tb.bucket, nil, nil, func(k, v []byte) (bool, error) {
				r, err := tb.read(k, v)
				if err != nil {
					return false, err
				}
				return true, ix.move(t, nil, &r)
			})
		}); err != nil {
			return fmt.Errorf("%s: %w", ix.name, err)
		}
	}
	return nil
}

// check proves that every row is where it belongs and readable, that its owner is
// there, and that rows and indexes lead to each other.
func (tb *table[R]) check(c *checker) error {
	verify := func(*R) error { return nil }
	if tb.verify != nil {
		verify = tb.verify(c)
	}
	right := make([]int, len(tb.indexes)) // index rows that a row accounts for
	if err := c.each(tb.bucket, func(k, v []byte) error {
		r, err := tb.read(k, v)
		if err != nil {
			c.unreadable(tb.bucket, k, err)
			return nil
		}
		c.r.Rows[tb.name]++
		return errors.Join(tb.checkPlace(c, k, &r, right), verify(&r))
	}); err != nil {
		return err
	}
	for i, ix := range tb.indexes {
		all := 0
		if err := c.tx.scan(ix.bucket, nil, nil, func(_, _ []byte) (bool, error) { all++; return true, nil }); err == nil && all == right[i] {
			continue // to read the row of each again would take long where one row has many
		}
		if err := c.each(ix.bucket, func(k, v []byte) error {
			r, err := tb.follow(c.tx, ix, k, v)
			if err == nil {
				err = ix.leadsTo(&r, k)
			}
			if err == nil || of(err, tb.bucket) {
				return nil // its row was named above
			}
			return errAstray
		}); err != nil {
			return err
		}
	}
	if tb.audit != nil {
		return tb.audit(c)
	}
	return nil
}

func (tb *table[R]) checkPlace(c *checker, k []byte, r *R, right []int) error {
	var errs []error
	if o := tb.owner; o != nil {
		if o.by == nil && !bytes.HasPrefix(k, o.key(r)) {
			errs = append(errs, misplaced(tb.bucket, k))
		}
		if !o.loose && (o.keep == nil || !o.keep(r)) {
			errs = append(errs, tables[o.table].has(c.tx, o.key(r)))
		}
	}
	for i, ix := range tb.indexes {
		found := map[string]bool{}
		for _, at := range ix.keys(r) {
			err := c.points(ix.bucket, at, ix.value(r))
			if found[string(at)] = err == nil; err != nil {
				errs = append(errs, err)
			}
		}
		for _, ok := range found {
			if ok {
				right[i]++
			}
		}
	}
	return errors.Join(errs...)
}
