package store

import (
	"errors"
	"strings"

	"holdpoint/engine/session"
)

var consents = table[session.Consent]{name: "consents", since: 6,
	key: func(c *session.Consent) []byte { return key(c.Whom) }}

func init() {
	consents.advice = func(*tx, []byte, bool) error {
		return errors.New("its row is damaged; taking consent back writes it anew: holdpoint sessions consent SESSION withdraw")
	}
	consents.declare()
}

var _ session.ConsentTx = (*tx)(nil)

func (t *tx) ConsentOf(whom string) (session.Consent, bool, error) {
	return consents.get(t, key(whom))
}

func (t *tx) PutConsent(c session.Consent) error {
	if err := errors.Join(checkID("whose consent it is", c.Whom), checkID("session of a consent", c.Session)); err != nil {
		return err
	}
	row, there, err := t.sessionRow(c.Session)
	if err != nil {
		return err
	}
	if there && row.Session.Consent != c.Scope {
		old := row
		row.Session.Consent = c.Scope
		if err := sessions.put(t, &old, &row); err != nil {
			return err
		}
	}
	return consents.put(t, nil, &c)
}

// endConsents deletes the consent of those who end with a session, and of who is known by nothing but it: whose id ends
// with that of the session.
func (t *tx) endConsents(id string, ends []string) error {
	ended := [][]byte{}
	for _, whom := range ends {
		ended = append(ended, key(whom))
	}
	if err := t.scan(consents.bucket, nil, nil, func(k, v []byte) (bool, error) {
		c, err := consents.read(k, v)
		if err == nil && c.Session == id && strings.HasSuffix(c.Whom, ":"+id) {
			ended = append(ended, k)
		}
		return true, err
	}); err != nil {
		return err
	}
	for _, k := range ended {
		if _, err := consents.remove(t, k); err != nil {
			return err
		}
	}
	return nil
}
