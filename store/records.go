package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gowebpki/jcs"

	"holdpoint/engine/record"
)

// recordHead is the part of a record that is not the resource. A stored record is
// the head's length, the head and the resource's own bytes: JSON inside JSON
// would lose its white space.
type recordHead struct {
	Ref       record.Ref `json:"ref"`
	Version   string     `json:"version"`
	UpdatedAt time.Time  `json:"updated_at"`
}

func packRecord(r *record.Record) ([]byte, error) {
	head, err := encode(recordHead{r.Ref, r.Version, r.UpdatedAt})
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(make([]byte, 0, len(head)+len(r.Resource)+4), uint64(len(head)))
	out = append(out, head...)
	return append(out, r.Resource...), nil
}

func unpackRecord(k, raw []byte) (record.Record, error) {
	size, n := binary.Uvarint(raw)
	if n <= 0 || size > uint64(len(raw)-n) {
		return record.Record{}, fmt.Errorf("store: record %q: %w", k, ErrDamaged)
	}
	var head recordHead
	resource := raw[n+int(size):]
	if json.Unmarshal(raw[n:n+int(size)], &head) != nil || !json.Valid(resource) {
		return record.Record{}, fmt.Errorf("store: record %q: %w", k, ErrDamaged)
	}
	return record.Record{Ref: head.Ref, Version: head.Version, Resource: resource, UpdatedAt: head.UpdatedAt}, nil
}

var (
	records = table[record.Record]{name: "records", since: 1,
		key:     func(r *record.Record) []byte { return key(r.Type, r.ID) },
		encode:  packRecord,
		decode:  unpackRecord,
		indexes: []*index[record.Record]{&references, &names}}

	// references leads from what a record refers to to the record. Before schema 10 it had
	// what a list of members named.
	references = index[record.Record]{name: "references", since: 2, again: []int{10}, costly: true,
		keys: func(r *record.Record) (keys [][]byte) {
			for _, to := range record.References(*r) {
				keys = append(keys, key(to.Type, to.ID, r.Type, r.ID))
			}
			return keys
		},
		rest: func(k []byte) ([]byte, error) {
			_, rest, err := splitText(k)
			if err == nil {
				_, rest, err = splitText(rest)
			}
			return rest, err
		}}

	// names leads from a type and a folded name to the records that bear it.
	names = index[record.Record]{name: "record_names", since: 3, costly: true,
		keys: func(r *record.Record) (keys [][]byte) {
			for _, name := range record.Names(*r) {
				keys = append(keys, key(r.Type, name, r.ID))
			}
			return keys
		},
		rest: func(k []byte) ([]byte, error) {
			parts, err := splitTexts(k, 3)
			if err != nil {
				return nil, err
			}
			return key(parts[0], parts[2]), nil
		}}
)

func init() {
	records.verify = func(*checker) func(*record.Record) error {
		return func(r *record.Record) error {
			canonical, err := jcs.Transform(r.Resource)
			if err != nil {
				return err
			}
			if sum := sha256.Sum256(canonical); hex.EncodeToString(sum[:]) != r.Version {
				return errors.New("the resource is not the one that its version names")
			}
			return nil
		}
	}
	records.audit = countedByType
	records.advice = func(_ *tx, k []byte, _ bool) error {
		return fmt.Errorf("its row is damaged; holdpoint records rm %s removes it, and an import brings it back", shownKey(k))
	}
	records.declare()
	retire(2, "records_by_patient") // references has more
}

// countedByType checks the numbers of records of each type.
func countedByType(c *checker) error {
	there := map[string]int{}
	if err := c.tx.readable(records.bucket, nil, func(k, _ []byte, _ error) bool {
		if typ, _, err := splitText(k); err == nil {
			there[typ]++
		}
		return true
	}); err != nil {
		return err
	}
	types, err := c.tx.RecordTypes()
	if err != nil {
		return unlessDamaged(err)
	}
	for typ := range there {
		types[typ] += 0
	}
	for typ, n := range types {
		if there[typ] != n {
			c.r.problem("records: there are %d of type %s, the counter says %d", there[typ], typ, n)
		}
	}
	return nil
}

func recordCounter(typ string) string { return "records/" + typ }

// Record returns the record or an error that wraps record.ErrNotFound.
func (t *tx) Record(ref record.Ref) (record.Record, error) {
	r, ok, err := records.get(t, key(ref.Type, ref.ID))
	switch {
	case err != nil || ok:
	case ref == record.Ref{}:
		err = fmt.Errorf("no record is chosen; choose what the conversation is about: %w", record.ErrNotFound)
	default:
		err = fmt.Errorf("%s: %w", ref, record.ErrNotFound)
	}
	return r, err
}

// PutRecord inserts or replaces a record and moves it in the index of references.
func (t *tx) PutRecord(r record.Record) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if err := checkID("type of a record", r.Type); err != nil {
		return err
	}
	if err := checkID("id of a record", r.ID); err != nil {
		return err
	}
	if !json.Valid(r.Resource) {
		return fmt.Errorf("store: record %s: the resource is not JSON", r.Ref)
	}
	old, existed, err := records.get(t, records.key(&r))
	if err != nil {
		return err
	}
	if existed {
		return records.put(t, &old, &r)
	}
	if _, err := t.number(recordCounter(r.Type)); err != nil {
		return err
	}
	return records.put(t, nil, &r)
}

// DeleteRecord removes a record; a missing one is record.ErrNotFound.
func (t *tx) DeleteRecord(ref record.Ref) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	k := key(ref.Type, ref.ID)
	if err := t.hasRecord(ref); err != nil {
		return err
	}
	n, err := t.counter(recordCounter(ref.Type))
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("store: number of %s records: %w", ref.Type, ErrDamaged)
	}
	if err := t.setCounter(recordCounter(ref.Type), n-1); err != nil {
		return err
	}
	_, err = records.remove(t, k)
	return err
}

// hasRecord fails with record.ErrNotFound unless the record is there, readable or not.
func (t *tx) hasRecord(ref record.Ref) error {
	if _, err := t.Record(ref); err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

// afterText is the first key behind prefix + the text part after; all of prefix for "".
func afterText(prefix []byte, after string) []byte {
	if after == "" {
		return prefix
	}
	return pastPrefix(textKey(append([]byte(nil), prefix...), after))
}

// Records calls fn for each record of a type in id order, after the given id.
func (t *tx) Records(typ, after string, fn func(record.Record) (bool, error)) error {
	p := key(typ)
	return t.scan(records.bucket, afterText(p, after), pastPrefix(p), func(k, v []byte) (bool, error) {
		r, err := records.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(r)
	})
}

// RecordsReferring calls fn for each record of a type that refers to another, in id order.
func (t *tx) RecordsReferring(to record.Ref, typ string, fn func(record.Record) (bool, error)) error {
	return records.find(t, &references, key(to.Type, to.ID, typ), fn)
}

// RecordsAbout calls fn for each record of a type that is about another, in id order.
func (t *tx) RecordsAbout(to record.Ref, typ string, fn func(record.Record) (bool, error)) error {
	return t.RecordsReferring(to, typ, func(r record.Record) (bool, error) {
		if !record.IsAbout(r, to) {
			return true, nil
		}
		return fn(r)
	})
}

// RecordNames calls fn for the names of a type's records that begin with a text.
func (t *tx) RecordNames(typ, prefix string, fn func(name, id string) (bool, error)) error {
	p := key(typ)
	if prefix != "" {
		whole := key(typ, prefix)
		p = whole[:len(whole)-2] // without its end: every name that begins so
	}
	return t.scanPrefix(names.bucket, p, func(k, _ []byte) (bool, error) {
		parts, err := splitTexts(k, 3)
		if err != nil {
			return false, err
		}
		return fn(parts[1], parts[2])
	})
}

// RecordTypes returns how many records each type has.
func (t *tx) RecordTypes() (map[string]int, error) {
	types := map[string]int{}
	const prefix = "records/"
	p := key(prefix)
	p = p[:len(p)-2] // without its end: every counter that begins so
	err := t.scanPrefix(counters.bucket, p, func(k, v []byte) (bool, error) {
		parts, err := splitTexts(k, 1)
		if err != nil {
			return false, err
		}
		n, err := splitNum(v)
		if err != nil {
			return false, err
		}
		types[parts[0][len(prefix):]] = int(n)
		return true, nil
	})
	return types, err
}
