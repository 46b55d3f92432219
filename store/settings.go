package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// setting is what people or the program chose, as JSON that its reader knows.
type setting struct {
	Name  string
	Value json.RawMessage
}

// vector is what an encoder made of a text.
type vector struct {
	Encoder, Text string // the text's hash
	Values        []float32
}

var (
	settings = table[setting]{name: "settings", since: 1,
		key:    func(r *setting) []byte { return key(r.Name) },
		encode: func(r *setting) ([]byte, error) { return r.Value, nil },
		decode: func(k, raw []byte) (r setting, err error) {
			if r.Name, err = id(k); err == nil && !json.Valid(raw) {
				err = fmt.Errorf("store: setting %q: %w", r.Name, ErrDamaged)
			}
			r.Value = raw
			return r, err
		}}

	vectors = table[vector]{name: "vectors", since: 1,
		key: func(r *vector) []byte { return key(r.Encoder, r.Text) },
		encode: func(r *vector) ([]byte, error) {
			raw := make([]byte, 0, 4*len(r.Values))
			for _, f := range r.Values {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
			}
			return raw, nil
		},
		decode: func(k, raw []byte) (vector, error) {
			parts, err := splitTexts(k, 2)
			if err == nil && len(raw)%4 != 0 {
				err = fmt.Errorf("store: vector %q: %w", k, ErrDamaged)
			}
			if err != nil {
				return vector{}, err
			}
			r := vector{parts[0], parts[1], make([]float32, len(raw)/4)}
			for i := range r.Values {
				r.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			}
			return r, nil
		}}
)

func init() {
	settings.declare()
	vectors.advice = func(*tx, []byte, bool) error {
		return errors.New("its row is damaged; it is made anew when it is needed")
	}
	vectors.declare()
}

// Setting reads a setting into the value that into points at, and says whether
// there was one.
func (db *DB) Setting(name string, into any) (bool, error) {
	var ok bool
	err := db.view(func(t *tx) (err error) {
		ok, err = t.getJSON(settings.bucket, key(name), into)
		return err
	})
	return ok && err == nil, err
}

// PutSetting writes a setting as JSON.
func (db *DB) PutSetting(name string, v any) error {
	if err := checkID("setting", name); err != nil {
		return err
	}
	return db.update(func(t *tx) error { return t.putJSON(settings.bucket, key(name), v) })
}

// Vector returns what an encoder made of the text with this hash.
func (db *DB) Vector(encoder, textHash string) ([]float32, bool, error) {
	var r vector
	var ok bool
	err := db.view(func(t *tx) (err error) {
		r, ok, err = vectors.get(t, key(encoder, textHash))
		return err
	})
	if errors.Is(err, ErrDamaged) {
		return nil, false, nil // it is made anew
	}
	return r.Values, ok && err == nil, err
}

// PutVectors keeps what an encoder made of texts, by their hashes, in one transaction.
func (db *DB) PutVectors(encoder string, made map[string][]float32) error {
	if err := checkID("encoder", encoder); err != nil {
		return err
	}
	return db.update(func(t *tx) error {
		for hash, v := range made {
			if err := checkID("text hash", hash); err != nil {
				return err
			}
			if err := vectors.put(t, nil, &vector{encoder, hash, v}); err != nil {
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
			k, _, err := t.kv.cursor(vectors.bucket, lo, nil).seek(lo)
			if err != nil {
				return t.broken(vectors.bucket, err)
			}
			found := ""
			if k != nil {
				if found, _, err = splitText(k); err != nil {
					return err
				}
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
			var keys [][]byte
			if err := t.readable(vectors.bucket, key(encoder), func(k, _ []byte, _ error) bool {
				keys = append(keys, k)
				return len(keys) < vectorsAtOnce
			}); err != nil {
				return err
			}
			for _, k := range keys {
				if err := t.del(vectors.bucket, k); err != nil {
					return err
				}
			}
			more = len(keys) == vectorsAtOnce
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
