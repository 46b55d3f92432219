package store

import (
	"encoding/binary"
	"fmt"
	"math"
)

var (
	settingsBucket = newBucket("settings", 1) // name → JSON
	vectorsBucket  = newBucket("vectors", 1)  // encoder, text hash → float32s
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

// Vector returns what an encoder made of the text with this hash.
func (db *DB) Vector(encoder, textHash string) ([]float32, bool, error) {
	var raw []byte
	err := db.view(func(t *tx) (err error) {
		raw, err = t.get(vectorsBucket, key(encoder, textHash))
		return err
	})
	if err != nil || raw == nil {
		return nil, false, err
	}
	if len(raw)%4 != 0 {
		return nil, false, fmt.Errorf("store: vector %q of %q: %w", textHash, encoder, ErrDamaged)
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, true, nil
}

// PutVectors keeps what an encoder made of texts, by their hashes, in one transaction.
func (db *DB) PutVectors(encoder string, vectors map[string][]float32) error {
	if err := checkID("encoder", encoder); err != nil {
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
			if err := t.put(vectorsBucket, key(encoder, hash), raw); err != nil {
				return err
			}
		}
		return nil
	})
}

// Encoders are the names under which vectors are kept, sorted.
func (db *DB) Encoders() ([]string, error) {
	names := []string{}
	err := db.view(func(t *tx) error {
		// One row of each is enough: the search goes on behind all of its rows.
		for lo := []byte{}; lo != nil; {
			found := ""
			if err := t.scan(vectorsBucket, lo, nil, func(k, _ []byte) (bool, error) {
				name, _, err := splitText(k)
				found = name
				return false, err
			}); err != nil {
				return err
			}
			if lo = nil; found != "" {
				names = append(names, found)
				lo = pastPrefix(key(found))
			}
		}
		return nil
	})
	return names, err
}

// vectorsAtOnce is how many rows one transaction deletes.
const vectorsAtOnce = 2000

// DropVectors deletes what is kept under an encoder's name.
func (db *DB) DropVectors(encoder string) error {
	for more := true; more; {
		err := db.update(func(t *tx) error {
			n := 0
			err := t.scanPrefix(vectorsBucket, key(encoder), func(k, _ []byte) (bool, error) {
				n++
				return n < vectorsAtOnce, t.del(vectorsBucket, k)
			})
			more = n == vectorsAtOnce
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
