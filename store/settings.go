package store

import (
	"encoding/binary"
	"fmt"
	"math"
)

var (
	settingsBucket = newBucket("settings", 1) // name → JSON
	vectorsBucket  = newBucket("vectors", 1)  // model, text hash → float32s
)

// Setting reads a setting into the value that into points at, and says whether
// there was one.
func (db *DB) Setting(name string, into any) (bool, error) {
	var ok bool
	err := db.view(func(t *tx) (err error) {
		ok, err = t.getJSON(settingsBucket, key(name), into)
		return err
	})
	return ok && err == nil, err
}

// PutSetting writes a setting as JSON.
func (db *DB) PutSetting(name string, v any) error {
	if err := checkID("setting", name); err != nil {
		return err
	}
	return db.update(func(t *tx) error { return t.putJSON(settingsBucket, key(name), v) })
}

// Vector returns what a model made of the text with this hash.
func (db *DB) Vector(model, textHash string) ([]float32, bool, error) {
	var raw []byte
	err := db.view(func(t *tx) (err error) {
		raw, err = t.get(vectorsBucket, key(model, textHash))
		return err
	})
	if err != nil || raw == nil {
		return nil, false, err
	}
	if len(raw)%4 != 0 {
		return nil, false, fmt.Errorf("store: vector %q of %q: %w", textHash, model, ErrDamaged)
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, true, nil
}

// PutVectors keeps what a model made of texts, by their hashes, in one transaction.
func (db *DB) PutVectors(model string, vectors map[string][]float32) error {
	if err := checkID("model", model); err != nil {
		return err
	}
	return db.update(func(t *tx) error {
		for hash, v := range vectors {
			if err := checkID("text hash", hash); err != nil {
				return err
			}
			raw := make([]byte, 0, 4*len(v))
			for _, f := range v {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
			}
			if err := t.put(vectorsBucket, key(model, hash), raw); err != nil {
				return err
			}
		}
		return nil
	})
}
