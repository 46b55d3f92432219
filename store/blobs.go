package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// blob is a body under the name that its bytes have.
type blob struct {
	Name string
	Body []byte
}

// holder says that a session holds a blob; the session of what is kept outside runs is "".
type holder struct{ Blob, Session string }

var (
	blobs = table[blob]{name: "blobs", since: 1,
		key:    func(r *blob) []byte { return key(r.Name) },
		encode: func(r *blob) ([]byte, error) { return r.Body, nil },
		decode: func(k, raw []byte) (blob, error) {
			name, err := id(k)
			return blob{name, raw}, err
		}}

	holders = table[holder]{name: "blob_owners", since: 1,
		key:    func(r *holder) []byte { return key(r.Blob, r.Session) },
		encode: func(*holder) ([]byte, error) { return nil, nil },
		decode: func(k, raw []byte) (holder, error) {
			parts, err := splitTexts(k, 2)
			if err == nil && len(raw) > 0 {
				err = fmt.Errorf("store: holder %q: %w", k, ErrDamaged)
			}
			if err != nil {
				return holder{}, err
			}
			return holder{parts[0], parts[1]}, nil
		},
		indexes: []*index[holder]{&holdersBySession},
		owner:   &owner[holder]{table: "sessions", key: func(r *holder) []byte { return key(r.Session) }, by: &holdersBySession, loose: true}}

	holdersBySession = index[holder]{name: "blobs_by_session", since: 1,
		keys: func(r *holder) [][]byte { return [][]byte{key(r.Session, r.Blob)} },
		rest: func(k []byte) ([]byte, error) {
			parts, err := splitTexts(k, 2)
			if err != nil {
				return nil, err
			}
			return key(parts[1], parts[0]), nil
		}}
)

func init() {
	blobs.verify = func(c *checker) func(*blob) error {
		return func(r *blob) error {
			if blobName(r.Body) != r.Name {
				return fmt.Errorf("its bytes have another name: %w", ErrDamaged)
			}
			if held, err := c.tx.held(r.Name); err != nil || held {
				return err
			}
			return errors.New("nobody owns it")
		}
	}
	blobs.advice = func(t *tx, k []byte, _ bool) (do error) {
		if err := t.readable(holders.bucket, k, func(held, _ []byte, _ error) bool {
			do = holders.remedy(t, held, false)
			return do == nil
		}); err != nil {
			return nil
		}
		return do
	}
	blobs.declare()
	holders.verify = func(c *checker) func(*holder) error {
		return func(r *holder) error { return blobs.has(c.tx, key(r.Blob)) }
	}
	// A blob goes with the last that holds it.
	holders.deleted = func(t *tx, r *holder) error {
		if held, err := t.held(r.Blob); err != nil || held {
			return err
		}
		return t.del(blobs.bucket, key(r.Blob))
	}
	holders.declare()
}

// held says whether anybody holds a blob.
func (t *tx) held(name string) (bool, error) { return t.some(holders.bucket, key(name)) }

const blobPrefix = "sha256:"

func blobName(body []byte) string {
	sum := sha256.Sum256(body)
	return blobPrefix + hex.EncodeToString(sum[:])
}

// PutBlob stores body under "sha256:" + hex and returns that name. The session
// whose run puts it owns it with all others that did; it goes with the last of them.
// A blob that is put outside a run stays.
func (t *tx) PutBlob(body []byte) (string, error) {
	if err := t.mayWrite(); err != nil {
		return "", err
	}
	name := blobName(body)
	if old, err := t.get(blobs.bucket, key(name)); err != nil {
		return "", err
	} else if old == nil {
		if err := t.put(blobs.bucket, key(name), body); err != nil {
			return "", err
		}
	}
	h := holder{name, t.session}
	if old, err := t.get(holders.bucket, holders.key(&h)); err != nil || old != nil {
		return name, err
	}
	return name, holders.put(t, nil, &h)
}

// Blob returns the body of a blob. One whose bytes do not hash to its name is ErrDamaged.
func (t *tx) Blob(name string) ([]byte, error) {
	body, err := t.get(blobs.bucket, key(name))
	switch {
	case err != nil:
		return nil, err
	case body == nil:
		return nil, fmt.Errorf("store: blob %q: %w", name, ErrNoBlob)
	case blobName(body) != name:
		return nil, fmt.Errorf("store: blob %q: %w", name, ErrDamaged)
	}
	return body, nil
}
