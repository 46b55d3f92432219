package store

import (
	"fmt"

	"holdpoint/engine/library/online"
)

// requests are those to sources of literature: what waits for a person, and what left this machine.
var requests = table[online.Request]{name: "requests", since: 7,
	key: func(r *online.Request) []byte { return key(r.ID) }}

func init() {
	requests.advice = func(_ *tx, k []byte, _ bool) error {
		return fmt.Errorf("its row is damaged; holdpoint library refuse %s removes it", shownKey(k))
	}
	requests.declare()
}

var _ online.Store = (*DB)(nil)

// ViewOnline is View for code that only knows requests to online sources.
func (db *DB) ViewOnline(fn func(online.Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// UpdateOnline is Update for code that only knows requests to online sources.
func (db *DB) UpdateOnline(fn func(online.Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

func (t *tx) Request(id string) (online.Request, error) {
	r, ok, err := requests.get(t, key(id))
	if err == nil && !ok {
		err = fmt.Errorf("request %q: %w", id, online.ErrNotFound)
	}
	return r, err
}

func (t *tx) Requests(fn func(online.Request) (bool, error)) error {
	return t.scan(requests.bucket, nil, nil, func(k, v []byte) (bool, error) {
		r, err := requests.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(r)
	})
}

func (t *tx) PutRequest(r online.Request) error {
	if err := checkID("request", r.ID); err != nil {
		return err
	}
	return requests.put(t, nil, &r)
}

func (t *tx) DeleteRequest(id string) error { return t.del(requests.bucket, key(id)) }
