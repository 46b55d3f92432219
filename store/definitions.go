package store

import (
	"errors"
	"fmt"
	"strings"

	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// definition is the text of a file that runs were built from, under its digest. A run of it can go on, be replayed
// and asked again whatever becomes of the file; so it goes with the last of them.
type definition struct{ Digest, Text string }

var definitions = table[definition]{name: "definitions", since: 12,
	key:    func(r *definition) []byte { return key(r.Digest) },
	encode: func(r *definition) ([]byte, error) { return []byte(r.Text), nil },
	decode: func(k, raw []byte) (definition, error) {
		digest, err := id(k)
		return definition{digest, string(raw)}, err
	}}

var runsByDefinition = index[runRow]{name: "runs_by_definition", since: 12,
	keys: func(r *runRow) [][]byte {
		if digest := r.Run.Vars[session.DefinitionVar]; digest != "" {
			return [][]byte{key(digest, string(r.Run.ID))}
		}
		return nil
	},
	rest: func(k []byte) ([]byte, error) {
		_, rest, err := splitText(k)
		return rest, err
	}}

func init() {
	runs.deleted = func(t *tx, r *runRow) error {
		if digest := r.Run.Vars[session.DefinitionVar]; digest != "" {
			return t.dropDefinition(digest)
		}
		if r.Run.ID != "" {
			return nil
		}
		// One that cannot be read does not say which was its own.
		var all []string
		if err := t.readable(definitions.bucket, nil, func(k, _ []byte, _ error) bool {
			if digest, err := id(k); err == nil {
				all = append(all, digest)
			}
			return true
		}); err != nil {
			return err
		}
		for _, digest := range all {
			if err := t.dropDefinition(digest); err != nil {
				return err
			}
		}
		return nil
	}
	definitions.verify = func(c *checker) func(*definition) error {
		return func(r *definition) error {
			if run.BlobName([]byte(r.Text)) != r.Digest {
				return fmt.Errorf("its text has another digest: %w", ErrDamaged)
			}
			if used, err := c.tx.beganWith(r.Digest); err != nil || used {
				return err
			}
			return errors.New("no turn began with it")
		}
	}
	definitions.advice = func(t *tx, k []byte, _ bool) (do error) {
		if err := t.readable(runsByDefinition.bucket, k, func(at, v []byte, err error) bool {
			if err == nil {
				if row, bad := runsByDefinition.row(at, v); bad == nil {
					do = runs.remedy(t, row, false)
				}
			}
			return do == nil
		}); err != nil {
			return nil
		}
		return do
	}
	definitions.declare()
	migrate(12, definitionsOfSettings)
}

// beganWith says whether a run began with a definition.
func (t *tx) beganWith(digest string) (bool, error) {
	return t.some(runsByDefinition.bucket, key(digest))
}

// dropDefinition deletes a definition that no run began with.
func (t *tx) dropDefinition(digest string) error {
	used, err := t.beganWith(digest)
	if err == nil && !used {
		_, err = definitions.remove(t, key(digest))
	}
	return err
}

// PutDefinition keeps what a run begins with, in the transaction that admits it.
func (t *tx) PutDefinition(text string) error {
	r := definition{run.BlobName([]byte(text)), text}
	if have, ok, err := definitions.get(t, key(r.Digest)); ok && (err == nil && have == r) {
		return nil
	} else if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	return definitions.put(t, nil, &r)
}

// Definition is a text that a run began with. One that does not hash to its digest is ErrDamaged.
func (db *DB) Definition(digest string) (text string, err error) {
	err = db.view(func(t *tx) error {
		r, ok, err := definitions.get(t, key(digest))
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("store: the definition %.19s… is not in the store", digest)
		case run.BlobName([]byte(r.Text)) != digest:
			return atRow(definitions.bucket, key(digest), fmt.Errorf("store: definition %.19s…: %w", digest, ErrDamaged))
		}
		text = r.Text
		return nil
	})
	return text, err
}

// definitionsOfSettings brings what was kept as settings, and for ever, to the runs that began with it.
func definitionsOfSettings(t *tx) error {
	const before = "definition/"
	kept := map[string]setting{}
	if err := t.readable(settings.bucket, nil, func(k, v []byte, err error) bool {
		if name, bad := id(k); bad == nil && strings.HasPrefix(name, before) {
			kept[strings.TrimPrefix(name, before)] = setting{Name: name, Value: v}
		}
		return true
	}); err != nil {
		return err
	}
	for digest, s := range kept {
		used, err := t.beganWith(digest)
		if err != nil {
			return err
		}
		r := definition{Digest: digest}
		if decode(settings.bucket, settings.key(&s), s.Value, &r.Text) == nil && used {
			if err := definitions.put(t, nil, &r); err != nil {
				return err
			}
		}
		if err := t.del(settings.bucket, settings.key(&s)); err != nil {
			return err
		}
	}
	return nil
}
