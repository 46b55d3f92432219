package store

import (
	"errors"
	"fmt"

	"holdpoint/engine/text"
)

func keyOfText(k text.Key) []byte { return key(k.Agent, k.Audience, k.Language, k.Name) }

var texts = table[text.Row]{name: "texts", since: 6,
	key: func(r *text.Row) []byte { return keyOfText(r.Key) }}

func init() {
	texts.advice = func(_ *tx, k []byte, _ bool) error {
		return fmt.Errorf("its row is damaged; holdpoint texts reset %s goes back to the file's text", shownKey(k))
	}
	texts.declare()
}

var _ text.Store = (*DB)(nil)

// ViewTexts is View for code that only knows texts.
func (db *DB) ViewTexts(fn func(text.Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// UpdateTexts is Update for code that only knows texts.
func (db *DB) UpdateTexts(fn func(text.Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

func (t *tx) Text(k text.Key) (text.Row, bool, error) { return texts.get(t, keyOfText(k)) }

func (t *tx) Texts(fn func(text.Row) (bool, error)) error {
	return t.scan(texts.bucket, nil, nil, func(k, v []byte) (bool, error) {
		r, err := texts.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(r)
	})
}

func (t *tx) PutText(r text.Row) error {
	if err := errors.Join(checkID("agent of a text", r.Agent), checkID("audience of a text", r.Audience), checkID("language of a text", r.Language), checkID("name of a text", r.Name)); err != nil {
		return err
	}
	return texts.put(t, nil, &r)
}

func (t *tx) DeleteText(k text.Key) error { return t.del(texts.bucket, keyOfText(k)) }
