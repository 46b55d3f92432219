package store

import (
	"errors"
	"fmt"
	"math"
	"path"

	"github.com/klauspost/compress/zstd"

	"holdpoint/engine/library"
)

// original is what a document was read from; it is kept compressed.
type original struct {
	Document string
	Body     []byte
}

var (
	documents = table[library.Document]{name: "documents", since: 3,
		key:     func(r *library.Document) []byte { return key(r.ID) },
		indexes: []*index[library.Document]{&documentsByPlace, &documentsInOrder}}

	// documentsByPlace leads from where a document came from to it.
	documentsByPlace = index[library.Document]{name: "documents_by_place", since: 3,
		keys: func(r *library.Document) [][]byte { return [][]byte{key(r.Source, r.Path)} },
		id:   func(r *library.Document) string { return r.ID }}

	// documentsInOrder has them in the order of their passages.
	documentsInOrder = index[library.Document]{name: "documents_in_order", since: 3,
		keys: func(r *library.Document) [][]byte { return [][]byte{numKey(nil, r.First)} },
		id:   func(r *library.Document) string { return r.ID }}

	// A document's passages are consecutive: they need no index to be found by it.
	passages = table[library.Passage]{name: "passages", since: 3,
		key: func(r *library.Passage) []byte { return numKey(nil, r.N) }}

	originals = table[original]{name: "originals", since: 3,
		key:    func(r *original) []byte { return key(r.Document) },
		encode: func(r *original) ([]byte, error) { return zstdWriter.EncodeAll(r.Body, nil), nil },
		decode: func(k, raw []byte) (original, error) {
			name, err := id(k)
			if err != nil {
				return original{}, err
			}
			body, err := zstdReader.DecodeAll(raw, nil)
			if err != nil {
				return original{}, fmt.Errorf("store: original %q: %w (%v)", k, ErrDamaged, err)
			}
			return original{name, body}, nil
		},
		owner: &owner[original]{table: "documents", key: func(r *original) []byte { return key(r.Document) }}}

	// Both can be made anew from the passages.
	words   = derived("library_words", 3, library.CheckWords)
	meaning = derived("library_meaning", 3, library.CheckMeaning)
)

// derivedRow is one of an index that a noun keeps for itself.
type derivedRow struct{ K, V []byte }

func derived(name string, since int, check func(k, v []byte) error) table[derivedRow] {
	return table[derivedRow]{name: name, since: since, derived: true,
		key:    func(r *derivedRow) []byte { return r.K },
		encode: func(r *derivedRow) ([]byte, error) { return r.V, nil },
		decode: func(k, raw []byte) (derivedRow, error) {
			if err := check(k, raw); err != nil {
				return derivedRow{}, fmt.Errorf("store: %s %q: %w (%v)", name, k, ErrDamaged, err)
			}
			return derivedRow{k, raw}, nil
		}}
}

// maxOriginal bounds what an original is when it is decompressed, in bytes.
const maxOriginal = 256 << 20

var (
	zstdWriter = constant(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))
	zstdReader = constant(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxOriginal)))
)

func constant[T any](v T, err error) T {
	if err != nil {
		panic("store: " + err.Error()) // the options are constants
	}
	return v
}

func init() {
	documents.deleted = func(t *tx, r *library.Document) error {
		for n := r.First; n < r.First+uint64(r.Passages); n++ {
			if _, err := passages.remove(t, numKey(nil, n)); err != nil {
				return err
			}
		}
		return nil
	}
	documents.verify = func(c *checker) func(*library.Document) error {
		return func(r *library.Document) error {
			if r.Passages < 1 {
				return errors.New("it has no passages")
			}
			errs := []error{originals.has(c.tx, key(r.ID))}
			for n := r.First; n < r.First+uint64(r.Passages); n++ {
				errs = append(errs, passages.has(c.tx, numKey(nil, n)))
			}
			return errors.Join(errs...)
		}
	}
	passages.verify = func(c *checker) func(*library.Passage) error {
		return func(r *library.Passage) error {
			d, ok, err := documents.get(c.tx, key(r.Document))
			if err != nil {
				return err
			}
			if !ok || r.N < d.First || r.N >= d.First+uint64(d.Passages) {
				return errors.New("it is not its document's")
			}
			return nil
		}
	}
	documents.advice = func(_ *tx, k []byte, _ bool) error {
		return fmt.Errorf("its row is damaged; holdpoint library rm %s removes the document, and an import brings it back", shownKey(k))
	}
	passages.advice = func(t *tx, k []byte, _ bool) (do error) {
		n, err := splitNum(k)
		if err != nil {
			return nil
		}
		if err := t.leavingOut(func() error {
			return t.Documents(func(d library.Document) (bool, error) {
				if n >= d.First && n < d.First+uint64(d.Passages) {
					do = documents.advice(t, key(d.ID), false)
				}
				return do == nil, nil
			})
		}); err != nil {
			return nil
		}
		return do
	}
	migrate(8, undatedPDFs)
	documents.declare()
	passages.declare()
	originals.declare()
	words.declare()
	meaning.declare()
}

// undatedPDFs takes from PDFs, and from evidence of them, the date that was when the file was made.
// That of a PDF in a DocumentReference is the resource's own, and stays.
func undatedPDFs(t *tx) error {
	var dated []library.Document
	if err := t.Documents(func(d library.Document) (bool, error) {
		if d.Kind == library.KindPDF && d.Date != "" && d.Name == path.Base(d.Path) {
			dated = append(dated, d)
		}
		return true, nil
	}); err != nil {
		return err
	}
	for _, d := range dated {
		next := d
		next.Date = ""
		if err := documents.put(t, &d, &next); err != nil {
			return err
		}
		var cited []evidenceRow
		if err := evidence.find(t, &evidenceByDocument, key(d.ID), func(r evidenceRow) (bool, error) {
			cited = append(cited, r)
			return true, nil
		}); err != nil {
			return err
		}
		for i := range cited {
			next := cited[i]
			next.Evidence.Date = ""
			if err := evidence.put(t, &cited[i], &next); err != nil {
				return err
			}
		}
	}
	return nil
}

var _ library.Store = (*DB)(nil)

// ViewLibrary is View for code that only knows the library. What it read does not stay in
// memory when that becomes much.
func (db *DB) ViewLibrary(fn func(library.Tx) error) error {
	return db.view(func(t *tx) error { return relaxed(t, fn) })
}

func relaxed(t *tx, fn func(library.Tx) error) error {
	err := fn(t)
	if b, ok := t.kv.(*boltTx); ok {
		b.relax()
	}
	return err
}

// UpdateLibrary is Update for code that only knows the library.
func (db *DB) UpdateLibrary(fn func(library.Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

// Document returns a document or an error that wraps library.ErrNotFound.
func (t *tx) Document(id string) (library.Document, error) {
	d, ok, err := documents.get(t, key(id))
	if err == nil && !ok {
		err = fmt.Errorf("document %q: %w", id, library.ErrNotFound)
	}
	return d, err
}

// DocumentAt finds the document that came from a place.
func (t *tx) DocumentAt(source, path string) (d library.Document, ok bool, err error) {
	id, err := t.get(documentsByPlace.bucket, key(source, path))
	if err != nil || id == nil {
		return d, false, err
	}
	d, err = t.Document(string(id))
	return d, err == nil, err
}

// Documents visits all in the order of their passages.
func (t *tx) Documents(fn func(library.Document) (bool, error)) error {
	return documents.find(t, &documentsInOrder, nil, fn)
}

const passageCounter = "passages"

// AddDocument keeps a new document, numbers its passages and keeps them and the original.
func (t *tx) AddDocument(d *library.Document, list []library.Passage, body []byte) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	for what, id := range map[string]string{"document": d.ID, "source of a document": d.Source, "path of a document": d.Path} {
		if err := checkID(what, id); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("store: document %q has no passages", d.ID)
	}
	last, err := t.counter(passageCounter)
	if err != nil {
		return err
	}
	d.First, d.Passages = last+1, len(list)
	if err := t.setCounter(passageCounter, last+uint64(len(list))); err != nil {
		return err
	}
	if err := documents.put(t, nil, d); err != nil {
		return err
	}
	for i := range list {
		list[i].N, list[i].Document = d.First+uint64(i), d.ID
		if err := passages.put(t, nil, &list[i]); err != nil {
			return err
		}
	}
	return originals.put(t, nil, &original{d.ID, body})
}

// SetDocument replaces what is said of a document; its passages and its original stay.
func (t *tx) SetDocument(d library.Document) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	old, err := t.Document(d.ID)
	if err != nil {
		return err
	}
	return documents.put(t, &old, &d)
}

// DeleteDocument removes a document with its passages and its original. Evidence of it stays with
// the studies that cite it, and says from then on what became of the document.
func (t *tx) DeleteDocument(id string, why library.Departure) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	d, err := t.Document(id)
	switch {
	case errors.Is(err, ErrDamaged):
		err = t.eraseDocument(id)
	case err == nil:
		err = documents.delete(t, &d)
	}
	if err != nil {
		return err
	}
	var cited []evidenceRow // an index is not read and written at once
	if err := evidence.find(t, &evidenceByDocument, key(id), func(r evidenceRow) (bool, error) {
		cited = append(cited, r)
		return true, nil
	}); err != nil {
		return err
	}
	for i := range cited {
		next := cited[i]
		next.Evidence.Left = &why
		if err := evidence.put(t, &cited[i], &next); err != nil {
			return err
		}
	}
	return nil
}

// eraseDocument removes one whose row does not say which passages are its own.
func (t *tx) eraseDocument(id string) error {
	var own []uint64
	if err := t.leavingOut(func() error {
		return t.Passages(0, math.MaxUint64, func(p library.Passage) (bool, error) {
			if p.Document == id {
				own = append(own, p.N)
			}
			return true, nil
		})
	}); err != nil {
		return err
	}
	for _, n := range own {
		if _, err := passages.remove(t, numKey(nil, n)); err != nil {
			return err
		}
	}
	return documents.erase(t, key(id))
}

// Original is what a document was read from.
func (t *tx) Original(id string) ([]byte, error) {
	o, ok, err := originals.get(t, key(id))
	if err == nil && !ok {
		err = fmt.Errorf("original of %q: %w", id, library.ErrNotFound)
	}
	return o.Body, err
}

// Passage returns a passage or an error that wraps library.ErrNotFound.
func (t *tx) Passage(n uint64) (library.Passage, error) {
	p, ok, err := passages.get(t, numKey(nil, n))
	if err == nil && !ok {
		err = fmt.Errorf("passage %d: %w", n, library.ErrNotFound)
	}
	return p, err
}

// Passages visits those from one number up to, not including, another.
func (t *tx) Passages(from, to uint64, fn func(library.Passage) (bool, error)) error {
	return t.scan(passages.bucket, numKey(nil, from), numKey(nil, to), func(k, v []byte) (bool, error) {
		p, err := passages.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(p)
	})
}

// LastPassage is the highest number that was given to a passage.
func (t *tx) LastPassage() (uint64, error) { return t.counter(passageCounter) }

// Words are the rows of the index of words.
func (t *tx) Words() library.Rows { return rows{t, words.bucket} }

// Meaning are the rows of the index of meanings.
func (t *tx) Meaning() library.Rows { return rows{t, meaning.bucket} }

// rows are a bucket for a noun that keeps its own index.
type rows struct {
	t *tx
	b bucket
}

func (r rows) Get(k []byte) ([]byte, error) { return r.t.get(r.b, k) }
func (r rows) Put(k, v []byte) error        { return r.t.put(r.b, k, v) }
func (r rows) Delete(k []byte) error        { return r.t.del(r.b, k) }

func (r rows) Scan(prefix []byte, fn func(k, v []byte) (bool, error)) error {
	return r.t.scanPrefix(r.b, prefix, fn)
}

// clearedAtOnce is how many rows one transaction deletes.
const clearedAtOnce = 20_000

// Clear deletes some rows and says whether there are more. It reads no values: a damaged one goes, too.
func (r rows) Clear() (more bool, err error) {
	if r.t.done {
		return false, ErrTxDone
	}
	var keys [][]byte
	c := r.t.kv.cursor(r.b, nil, nil)
	k, _, err := c.seek(nil)
	for ; err == nil && k != nil && len(keys) < clearedAtOnce; k, _, err = c.next() {
		keys = append(keys, k)
	}
	if err != nil {
		return false, r.t.broken(r.b, err)
	}
	for _, k := range keys {
		if err := r.t.del(r.b, k); err != nil {
			return false, err
		}
	}
	return len(keys) == clearedAtOnce, nil
}

// Weigh says how many bytes the keys and values of each bucket have.
func (db *DB) Weigh() (map[string]int64, error) {
	out := map[string]int64{}
	err := db.view(func(t *tx) error {
		for i := range buckets {
			b := bucket(i)
			if err := t.scan(b, nil, nil, func(k, v []byte) (bool, error) {
				out[b.String()] += int64(len(k) + len(v))
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
