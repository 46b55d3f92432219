package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

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

func packRecord(r record.Record) ([]byte, error) {
	head, err := encode(recordHead{r.Ref, r.Version, r.UpdatedAt})
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(make([]byte, 0, len(head)+len(r.Resource)+4), uint64(len(head)))
	out = append(out, head...)
	return append(out, r.Resource...), nil
}

func unpackRecord(k, raw []byte, want record.Ref) (record.Record, error) {
	size, n := binary.Uvarint(raw)
	if n <= 0 || size > uint64(len(raw)-n) {
		return record.Record{}, fmt.Errorf("store: record %s: %w", want, ErrDamaged)
	}
	var head recordHead
	if err := decode(recordsBucket, k, raw[n:n+int(size)], &head); err != nil {
		return record.Record{}, err
	}
	if head.Ref != want {
		return record.Record{}, misplaced(recordsBucket, want.String())
	}
	resource := raw[n+int(size):]
	if !json.Valid(resource) {
		return record.Record{}, fmt.Errorf("store: record %s: %w", want, ErrDamaged)
	}
	return record.Record{Ref: head.Ref, Version: head.Version, Resource: resource, UpdatedAt: head.UpdatedAt}, nil
}

func recordCounter(typ string) string { return "records/" + typ }

func (t *tx) findRecord(ref record.Ref) (record.Record, bool, error) {
	k := key(ref.Type, ref.ID)
	raw, err := t.get(recordsBucket, k)
	if raw == nil || err != nil {
		return record.Record{}, false, err
	}
	r, err := unpackRecord(k, raw, ref)
	return r, err == nil, err
}

// Record returns the record or an error that wraps record.ErrNotFound.
func (t *tx) Record(ref record.Ref) (record.Record, error) {
	r, ok, err := t.findRecord(ref)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", ref, record.ErrNotFound)
	}
	return r, err
}

// PutRecord inserts or replaces a record and moves it in the patient index.
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
	old, existed, err := t.findRecord(r.Ref)
	if err != nil {
		return err
	}
	raw, err := packRecord(r)
	if err != nil {
		return err
	}
	if existed {
		if err := t.unindexRecord(old); err != nil {
			return err
		}
	} else if _, err := t.number(recordCounter(r.Type)); err != nil {
		return err
	}
	for _, p := range record.PatientsOf(r) {
		if err := t.put(recordsByPatient, key(p, r.Type, r.ID), nil); err != nil {
			return err
		}
	}
	return t.put(recordsBucket, key(r.Type, r.ID), raw)
}

func (t *tx) unindexRecord(r record.Record) error {
	for _, p := range record.PatientsOf(r) {
		if err := t.del(recordsByPatient, key(p, r.Type, r.ID)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteRecord removes a record; a missing one is record.ErrNotFound.
func (t *tx) DeleteRecord(ref record.Ref) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	old, err := t.Record(ref)
	if err != nil {
		return err
	}
	if err := t.unindexRecord(old); err != nil {
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
	return t.del(recordsBucket, key(ref.Type, ref.ID))
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
	return t.scan(recordsBucket, afterText(p, after), pastPrefix(p), func(k, v []byte) (bool, error) {
		parts, err := splitTexts(k, 2)
		if err != nil {
			return false, err
		}
		r, err := unpackRecord(k, v, record.Ref{Type: parts[0], ID: parts[1]})
		if err != nil {
			return false, err
		}
		return fn(r)
	})
}

// RecordsOf calls fn for each record of a type that belongs to a patient, in id order.
func (t *tx) RecordsOf(patientID, typ string, fn func(record.Record) (bool, error)) error {
	return t.scanPrefix(recordsByPatient, key(patientID, typ), func(k, _ []byte) (bool, error) {
		parts, err := splitTexts(k, 3)
		if err != nil {
			return false, err
		}
		r, ok, err := t.findRecord(record.Ref{Type: parts[1], ID: parts[2]})
		if err != nil {
			return false, err
		}
		if !ok {
			return false, dangling(recordsByPatient, parts[1]+"/"+parts[2])
		}
		return fn(r)
	})
}

// RecordTypes returns how many records each type has.
func (t *tx) RecordTypes() (map[string]int, error) {
	types := map[string]int{}
	const prefix = "records/"
	p := key(prefix)
	p = p[:len(p)-2] // without its end: every counter that begins so
	err := t.scanPrefix(countersBucket, p, func(k, v []byte) (bool, error) {
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
