package store

import (
	"errors"
	"fmt"

	"holdpoint/engine/memory"
)

// workingRow is the working memory of a session.
type workingRow struct {
	Session string         `json:"session"`
	Working memory.Working `json:"working"`
}

var (
	working = table[workingRow]{name: "working", since: 3,
		key:   func(r *workingRow) []byte { return key(r.Session) },
		owner: &owner[workingRow]{table: "sessions", key: func(r *workingRow) []byte { return key(r.Session) }}}

	episodes = table[memory.Episode]{name: "episodes", since: 3,
		key:     func(e *memory.Episode) []byte { return key(e.ID) },
		indexes: []*index[memory.Episode]{&episodesByAbout, &episodesBySession},
		// An agent may remember what no session of ours was about.
		owner: &owner[memory.Episode]{table: "sessions", key: func(e *memory.Episode) []byte { return key(e.Session) }, by: &episodesBySession, loose: true}}

	episodesByAbout = index[memory.Episode]{name: "episodes_by_about", since: 3,
		keys: func(e *memory.Episode) [][]byte { return [][]byte{key(e.About, e.ID)} }, rest: afterPart}

	episodesBySession = index[memory.Episode]{name: "episodes_by_session", since: 3,
		keys: func(e *memory.Episode) [][]byte { return [][]byte{key(e.Session, e.ID)} }, rest: afterPart}

	episodeVectors = table[memory.Vectors]{name: "episode_vectors", since: 3,
		key:   func(v *memory.Vectors) []byte { return key(v.Episode) },
		owner: &owner[memory.Vectors]{table: "episodes", key: func(v *memory.Vectors) []byte { return key(v.Episode) }}}

	queue = table[memory.Waiting]{name: "lake", since: 3,
		key:     func(w *memory.Waiting) []byte { return key(w.ID()) },
		indexes: []*index[memory.Waiting]{&queueByDue, &queueBySession},
		owner:   &owner[memory.Waiting]{table: "sessions", key: func(w *memory.Waiting) []byte { return key(w.Session) }, by: &queueBySession, loose: true},
		deleted: func(t *tx, _ *memory.Waiting) error { return t.queued(-1) }}

	queueByDue = index[memory.Waiting]{name: "lake_by_due", since: 3,
		keys: func(w *memory.Waiting) [][]byte {
			return [][]byte{textKey(numKey(timeKey(nil, w.Due), w.N), w.ID())}
		},
		rest: func(k []byte) ([]byte, error) {
			if len(k) < timeKeyLen+8 {
				return nil, fmt.Errorf("store: lake_by_due: %w", ErrDamaged)
			}
			return k[timeKeyLen+8:], nil
		}}

	queueBySession = index[memory.Waiting]{name: "lake_by_session", since: 3,
		keys: func(w *memory.Waiting) [][]byte { return [][]byte{key(w.Session, w.ID())} }, rest: afterPart}
)

// Counters of the lake.
const (
	queueLength = "lake_length"
	queueNumber = "lake_number"
)

func init() {
	queue.audit = func(c *checker) error {
		wait := 0
		if err := c.tx.readable(queue.bucket, nil, func(_, _ []byte, _ error) bool { wait++; return true }); err != nil {
			return err
		}
		n, err := c.tx.counter(queueLength)
		if err == nil && int(n) != wait {
			c.r.problem("%s: %v", queue.name, fmt.Errorf("%d rows wait, the counter says %d", wait, n))
		}
		return unlessDamaged(err)
	}
	working.declare()
	episodes.declare()
	episodeVectors.declare()
	queue.declare()
}

// afterPart takes the first part off an index key.
func afterPart(k []byte) ([]byte, error) {
	_, rest, err := splitText(k)
	return rest, err
}

// queued counts the queue.
func (t *tx) queued(by int) error {
	n, err := t.counter(queueLength)
	if err != nil {
		return err
	}
	return t.setCounter(queueLength, uint64(max(0, int(n)+by)))
}

var _ memory.Store = (*DB)(nil)

// ViewMemory is View for code that only knows memory.
func (db *DB) ViewMemory(fn func(memory.Tx) error) error {
	return db.view(func(t *tx) error { return fn(t) })
}

// UpdateMemory is Update for code that only knows memory.
func (db *DB) UpdateMemory(fn func(memory.Tx) error) error {
	return db.update(func(t *tx) error { return fn(t) })
}

func (t *tx) Working(session string) (memory.Working, error) {
	r, _, err := working.get(t, key(session))
	return r.Working, err
}

func (t *tx) PutWorking(session string, w memory.Working) error {
	if err := checkID("session of a working memory", session); err != nil {
		return err
	}
	r := workingRow{session, w}
	if w.Empty() {
		return t.del(working.bucket, key(session))
	}
	return working.put(t, nil, &r)
}

func (t *tx) Episode(id string) (memory.Episode, error) {
	e, ok, err := episodes.get(t, key(id))
	if err == nil && !ok {
		err = memory.ErrNotFound
	}
	return e, err
}

func (t *tx) PutEpisode(e memory.Episode) error {
	if err := errors.Join(checkID("what an episode is about", e.About), checkID("session of an episode", e.Session)); err != nil {
		return err
	}
	if e.ID != memory.EpisodeID(e.About, e.Session) {
		return fmt.Errorf("store: episode %q: %w", e.ID, ErrID)
	}
	var before *memory.Episode
	old, ok, err := episodes.get(t, key(e.ID))
	if err != nil {
		return err
	}
	if ok {
		before = &old
		if old.Text != e.Text {
			if err := t.del(episodeVectors.bucket, key(e.ID)); err != nil {
				return err
			}
		}
	}
	return episodes.put(t, before, &e)
}

func (t *tx) Episodes(about string, fn func(memory.Episode) (bool, error)) error {
	if about != "" {
		return episodes.find(t, &episodesByAbout, key(about), fn)
	}
	return t.scan(episodes.bucket, nil, nil, func(k, v []byte) (bool, error) {
		e, err := episodes.read(k, v)
		if err != nil {
			return false, err
		}
		return fn(e)
	})
}

func (t *tx) EpisodesOf(session string, fn func(memory.Episode) (bool, error)) error {
	return episodes.find(t, &episodesBySession, key(session), fn)
}

func (t *tx) Vectors(episode string) (memory.Vectors, bool, error) {
	return episodeVectors.get(t, key(episode))
}

func (t *tx) PutVectors(v memory.Vectors) error {
	if err := episodes.has(t, key(v.Episode)); err != nil {
		return err
	}
	return episodeVectors.put(t, nil, &v)
}

func (t *tx) Enqueue(w memory.Waiting) error {
	if err := errors.Join(checkID("what a conversation is about", w.About), checkID("session of a conversation", w.Session)); err != nil {
		return err
	}
	n, err := t.number(queueNumber)
	if err != nil {
		return err
	}
	w.N = n
	old, ok, err := queue.get(t, key(w.ID()))
	if err != nil {
		return err
	}
	if ok {
		return queue.put(t, &old, &w)
	}
	if err := t.queued(+1); err != nil {
		return err
	}
	return queue.put(t, nil, &w)
}

func (t *tx) Queued(id string) (memory.Waiting, bool, error) { return queue.get(t, key(id)) }

func (t *tx) PutQueued(w memory.Waiting) error {
	old, ok, err := queue.get(t, key(w.ID()))
	if err != nil || !ok {
		return err
	}
	return queue.put(t, &old, &w)
}

func (t *tx) Dequeue(id string) error {
	w, ok, err := queue.get(t, key(id))
	if err != nil || !ok {
		return err
	}
	return queue.delete(t, &w)
}

func (t *tx) Due(fn func(memory.Waiting) (bool, error)) error {
	return queue.find(t, &queueByDue, nil, fn)
}

func (t *tx) QueueLength() (int, error) {
	n, err := t.counter(queueLength)
	return int(n), err
}
