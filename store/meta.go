package store

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// metaBucket holds schema, id and created. It is never sealed.
var metaBucket = newBucket("meta", 1)

// Meta says what a store is.
type Meta struct {
	Schema  int
	ID      string // 32 hex digits, made with the store
	Created time.Time
}

// writeMeta marks a new store. Meta values are never sealed: they are read before
// there is a key.
func writeMeta(t *tx) error {
	var id [16]byte
	rand.Read(id[:]) // never fails
	for k, v := range map[string]string{
		"schema":  strconv.Itoa(schema()),
		"id":      hex.EncodeToString(id[:]),
		"created": time.Now().UTC().Format(time.RFC3339Nano),
	} {
		if err := t.kv.put(metaBucket, []byte(k), []byte(v)); err != nil {
			return err
		}
		t.writes++
	}
	return nil
}

// readMeta fails with ErrDamaged when this is no Holdpoint store and ErrSchema when
// a newer program wrote it.
func readMeta(get func(k []byte) ([]byte, error)) (Meta, error) {
	var m Meta
	var text [3]string
	for i, k := range []string{"schema", "id", "created"} {
		v, err := get([]byte(k))
		if err != nil {
			return m, err
		}
		text[i] = string(v)
	}
	var err error
	if m.Schema, err = strconv.Atoi(text[0]); err != nil || m.Schema < 1 {
		return m, fmt.Errorf("schema is %q: %w", text[0], ErrDamaged)
	}
	if m.Schema > schema() {
		return m, fmt.Errorf("schema %d, this program knows %d: %w", m.Schema, schema(), ErrSchema)
	}
	m.ID = text[1]
	if m.Created, err = time.Parse(time.RFC3339Nano, text[2]); err != nil || len(m.ID) != 32 {
		return m, fmt.Errorf("meta is unreadable: %w", ErrDamaged)
	}
	return m, nil
}

// Meta says what this store is.
func (db *DB) Meta() (Meta, error) {
	var m Meta
	err := db.view(func(t *tx) (err error) {
		m, err = readMeta(func(k []byte) ([]byte, error) { return t.kv.get(metaBucket, k) })
		return err
	})
	return m, err
}
