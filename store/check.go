package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Report is what Check counted and found.
type Report struct {
	Sessions  int `json:"sessions"`
	Runs      int `json:"runs"`
	Events    int `json:"events"`
	Records   int `json:"records"`
	Approvals int `json:"approvals"`
	Entries   int `json:"entries"`
	// Rows are the rows of each table by its name, the ones above included.
	Rows     map[string]int `json:"rows,omitempty"`
	Problems []string       `json:"problems"` // empty for a sound store; at most 100
}

const maxReported = 100

func (r *Report) problem(format string, args ...any) {
	p := fmt.Sprintf(format, args...)
	if len(r.Problems) < maxReported && !slices.Contains(r.Problems, p) {
		r.Problems = append(r.Problems, p)
	}
}

// Check reads a whole store without changing it: the pages, then every row and
// index. What is wrong with the contents is in Problems; the error says that the
// file cannot be looked at (missing, ErrLocked, ErrReadOnly, ErrSchema). It never panics.
func Check(path string) (Report, error) {
	r := Report{Problems: []string{}}
	if _, err := os.Stat(path); err != nil {
		return r, explain(path, err)
	}
	f, err := openBolt(path, true)
	if err == nil {
		err = checkFile(f, &r)
		err = errors.Join(err, f.close())
	}
	if err == nil {
		return r, nil
	}
	if err = explain(path, err); errors.Is(err, ErrDamaged) {
		r.problem("%s", strings.ReplaceAll(err.Error(), path, filepath.Base(path)))
		return r, nil
	}
	return r, err
}

func checkFile(f *boltFile, r *Report) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	for _, p := range scanPages(f.path, true) {
		r.problem("pages: %s", p)
	}
	if len(r.Problems) > 0 {
		return nil // bbolt could not bear to read further
	}
	if err := f.db.View(func(tx *bolt.Tx) error {
		for p := range tx.Check() {
			r.problem("pages: %v", p)
		}
		return nil
	}); err != nil || len(r.Problems) > 0 {
		return err // what is read of such pages says nothing
	}
	back, err := today(f)
	if err != nil {
		return err
	}
	return newDB(back, true).checkRows(r)
}

// checkRows checks every row and index of either backend.
func (db *DB) checkRows(r *Report) error {
	r.Rows = map[string]int{}
	err := db.view(func(t *tx) error {
		c := &checker{tx: t, r: r}
		if err := c.pieces(); err != nil {
			return err
		}
		for _, name := range order {
			if err := tables[name].check(c); err != nil {
				return err
			}
		}
		return nil
	})
	r.Sessions, r.Runs, r.Events = r.Rows[sessions.name], r.Rows[runs.name], r.Rows[journaled.name]
	r.Records, r.Approvals, r.Entries = r.Rows[records.name], r.Rows[approvals.name], r.Rows[entries.name]
	return err
}

type checker struct {
	tx *tx
	r  *Report
}

// each visits every row; an error of fn is a problem of that row, not the end.
func (c *checker) each(b bucket, fn func(k, v []byte) error) error {
	if err := c.tx.readable(b, nil, func(k, v []byte, err error) bool {
		if err != nil {
			c.unreadable(b, k, err)
		} else {
			c.problems(b, k, fn(k, v))
		}
		c.tx.passOver()
		return c.tx.bad == nil
	}); err != nil {
		return err
	}
	return c.tx.bad
}

// errAstray is about a row of an index that leads to no row, or to another one.
var errAstray = errors.New("it does not lead to its row; no row is lost: holdpoint compact makes the index anew")

// problems names what is wrong with a row, each by itself. What is wrong with another row is said of that one.
func (c *checker) problems(b bucket, k []byte, err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(all.Unwrap()...).Error() == err.Error() {
		for _, err := range all.Unwrap() {
			c.problems(b, k, err)
		}
		return
	}
	var row *rowError
	switch {
	case err == nil:
	case errors.As(err, &row) && (row.b != b || !bytes.Equal(row.k, k)):
		c.r.problem("%s %q: %v", b, k, fmt.Errorf("it needs %s %q, which is damaged", row.b, shownKey(row.k)))
	default:
		c.r.problem("%s %q: %v", b, k, err)
	}
}

// unreadable names a row that cannot be read, and what to do where that is known.
func (c *checker) unreadable(b bucket, k []byte, err error) {
	if isIndex[b] {
		c.r.problem("%s %q: %v", b, k, errAstray)
		return
	}
	if buckets[b].derived {
		c.r.problem("%s %q is damaged; no document is lost: holdpoint library reindex rebuilds it", b, k)
		return
	}
	if tb := tables[b.String()]; tb != nil {
		if do := tb.remedy(c.tx, k, true); do != nil {
			c.r.problem("%s %q: %v", b, shownKey(k), do)
			return
		}
	}
	if row := (*rowError)(nil); errors.As(err, &row) {
		err = row.err // this is the check that it leads to
	}
	c.r.problem("%s %q: %v", b, k, err)
}

// unlessDamaged leaves out damage of a row, which the check of its own table names.
func unlessDamaged(err error) error {
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// points says whether the row k of an index holds exactly v.
func (c *checker) points(b bucket, k, v []byte) error {
	got, err := c.tx.get(b, k)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if err != nil || got == nil || !bytes.Equal(got, v) {
		return fmt.Errorf("%s does not lead to it; it is not lost: holdpoint compact makes the index anew", b)
	}
	return nil
}

// pieces checks that all parts of large values are there, and no others.
func (c *checker) pieces() error {
	owned := map[uint64]pieces{}
	adrift := errors.New("it belongs to no value any more: holdpoint compact removes it")
	if err := c.tx.eachValue(func(b bucket, k []byte, whole bool, p pieces, err error) {
		if err != nil {
			c.unreadable(b, k, err)
			adrift = errors.New("it may belong to a value that is damaged, and goes with that")
		} else if !whole {
			if _, twice := owned[p.n]; twice {
				c.r.problem("%s %q: shares its pieces with another value", b, k)
			}
			owned[p.n] = p
		}
	}); err != nil {
		return err
	}
	found := map[uint64]uint64{}
	if err := c.each(piecesBucket, func(k, v []byte) error {
		if len(k) != 16 {
			return adrift
		}
		n, i := binary.BigEndian.Uint64(k), binary.BigEndian.Uint64(k[8:])
		if p, ok := owned[n]; !ok {
			return adrift
		} else if i >= p.count() {
			return errors.New("it belongs to a value that is damaged, and goes with that")
		}
		found[n] += uint64(len(v))
		return nil
	}); err != nil {
		return err
	}
	for n, p := range owned {
		if found[n] != p.size {
			c.r.problem("pieces of %d: %d of %d bytes are there", n, found[n], p.size)
		}
	}
	return nil
}

// id takes a key of one text part.
func id(k []byte) (string, error) {
	parts, err := splitTexts(k, 1)
	if err != nil {
		return "", err
	}
	return parts[0], nil
}
