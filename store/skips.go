package store

import (
	"encoding/json"
	"fmt"
)

// skip is the durable skip gate of a tool in a session.
type skip struct {
	Session, Tool string
	Row           json.RawMessage
}

var skips = table[skip]{name: "skips", since: 1,
	key:    func(r *skip) []byte { return key(r.Session, r.Tool) },
	encode: func(r *skip) ([]byte, error) { return r.Row, nil },
	decode: func(k, raw []byte) (skip, error) {
		parts, err := splitTexts(k, 2)
		if err != nil {
			return skip{}, err
		}
		if !json.Valid(raw) && raw != nil {
			return skip{}, fmt.Errorf("store: skip gate %q: %w", k, ErrDamaged)
		}
		return skip{parts[0], parts[1], raw}, nil
	},
	owner: &owner[skip]{table: "sessions", key: func(r *skip) []byte { return key(r.Session) }, loose: true}}

func init() { skips.declare() }

// Skip returns the skip gate of a tool in a session; nil, nil when there is none.
func (t *tx) Skip(session, tool string) (json.RawMessage, error) {
	return t.get(skips.bucket, key(session, tool))
}

// PutSkip sets the skip gate of a tool in a session; a nil row removes it.
func (t *tx) PutSkip(session, tool string, row json.RawMessage) error {
	if err := checkID("session of a skip row", session); err != nil {
		return err
	}
	if err := checkID("tool of a skip row", tool); err != nil {
		return err
	}
	if row == nil {
		return t.del(skips.bucket, key(session, tool))
	}
	return t.put(skips.bucket, key(session, tool), row)
}
