package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

// runRow keeps a run's place among the runs of its session.
type runRow struct {
	N   uint64  `json:"n"`
	Run run.Run `json:"run"`
}

// pauseRow and pendingRow keep the order in which they were added; the key has the run.
type pauseRow struct {
	Of    graph.RunID `json:"-"`
	N     uint64      `json:"n"`
	Pause graph.Pause `json:"pause"`
}

type pendingRow struct {
	Of      graph.RunID `json:"-"`
	N       uint64      `json:"n"`
	Pending run.Pending `json:"pending"`
}

var (
	runs = table[runRow]{name: "runs", since: 1, ascending: true,
		key:     func(r *runRow) []byte { return key(string(r.Run.ID)) },
		indexes: []*index[runRow]{&runsBySession, &runsByStatus, &runsByDefinition},
		owner:   &owner[runRow]{table: "sessions", key: runSession, by: &runsBySession}}

	runsBySession = byNumber("runs_by_session", 1, runSession, func(r *runRow) uint64 { return r.N }, func(r *runRow) string { return string(r.Run.ID) })

	runsByStatus = index[runRow]{name: "runs_by_status", since: 1,
		keys: func(r *runRow) [][]byte {
			if r.Run.Status == run.Completed {
				return nil // most are, and nobody looks for them
			}
			return [][]byte{key(string(r.Run.Status), string(r.Run.ID))}
		},
		rest: func(k []byte) ([]byte, error) {
			_, rest, err := splitText(k)
			return rest, err
		}}

	pending = table[pendingRow]{name: "pending", since: 1, interleave: interleave{"runs", 2, 9},
		key: func(r *pendingRow) []byte { return key(string(r.Of), string(r.Pending.Stage)) },
		decode: func(k, raw []byte) (r pendingRow, err error) {
			r.Of, err = runOf(k, raw, &r)
			return r, err
		},
		owner: &owner[pendingRow]{table: "runs", key: func(r *pendingRow) []byte { return key(string(r.Of)) }}}

	pauses = table[pauseRow]{name: "pauses", since: 1, interleave: interleave{"runs", 3, 9},
		key: func(r *pauseRow) []byte { return key(string(r.Of), r.Pause.ID) },
		decode: func(k, raw []byte) (r pauseRow, err error) {
			r.Of, err = runOf(k, raw, &r)
			return r, err
		},
		owner: &owner[pauseRow]{table: "runs", key: func(r *pauseRow) []byte { return key(string(r.Of)) }}}
)

func init() {
	runsBySession.interleave = interleave{"journal", 1, 9}
	runs.declare()
	pending.declare()
	pauses.declare()
	migrate(9, func(t *tx) error { return t.delPrefix(runsByStatus.bucket, key(string(run.Completed))) })
}

func runSession(r *runRow) []byte { return key(r.Run.Session) }

// runOf reads a row that has its run in the key.
func runOf(k, raw []byte, into any) (graph.RunID, error) {
	run, _, err := splitText(k)
	if err == nil {
		if err = json.Unmarshal(raw, into); err != nil {
			err = fmt.Errorf("store: row %q: %w (%v)", k, ErrDamaged, err)
		}
	}
	return graph.RunID(run), err
}

func (t *tx) needRun(id graph.RunID) (runRow, error) {
	row, ok, err := runs.get(t, key(string(id)))
	if err == nil && !ok {
		err = fmt.Errorf("store: run %q: %w", id, run.ErrNoRun)
	}
	return row, err
}

// putRun writes the row; was is what it was, as far as the indexes need it, or nil.
func (t *tx) putRun(was *runRow, row runRow) error {
	raw, err := encode(row)
	if err != nil {
		return err
	}
	t.remember(row.Run.ID, raw, row)
	return runs.putRaw(t, was, &row, raw)
}

// admit writes the row of a new run and of its session.
func (t *tx) admit(c *run.Commit) (row runRow, old, srow sessionRow, err error) {
	first := *c.Row
	if _, taken, err := runs.get(t, key(string(first.ID))); err != nil {
		return row, old, srow, err
	} else if taken {
		return row, old, srow, fmt.Errorf("store: run %q: %w", first.ID, run.ErrRunExists)
	}
	if old, srow, err = t.admitted(first); err != nil {
		return row, old, srow, err
	}
	row = runRow{N: srow.Runs, Run: first}
	return row, old, srow, t.putRun(nil, row)
}

// Acquire raises the lease epoch, so that the writer before it can do nothing more, and
// returns the checkpoint. An unknown run is run.ErrNoRun.
func (db *DB) Acquire(id graph.RunID) (run.Checkpoint, error) {
	var cp run.Checkpoint
	err := db.update(func(t *tx) error {
		row, err := t.needRun(id)
		if err != nil {
			return err
		}
		old := row
		row.Run.LeaseEpoch++
		if err := t.putRun(&old, row); err != nil {
			return err
		}
		cp, err = t.checkpoint(id)
		return err
	})
	if err != nil {
		return run.Checkpoint{}, err
	}
	return cp, nil
}

// Load reads a checkpoint without taking the run. An unknown run is run.ErrNoRun.
func (db *DB) Load(id graph.RunID) (run.Checkpoint, error) {
	var cp run.Checkpoint
	err := db.view(func(t *tx) (err error) {
		cp, err = t.checkpoint(id)
		return err
	})
	if err != nil {
		return run.Checkpoint{}, err
	}
	return cp, nil
}

// checkpoint reads all of a run: channels by name, pending results and pauses in
// the order in which they were added.
func (t *tx) checkpoint(id graph.RunID) (run.Checkpoint, error) {
	row, err := t.needRun(id)
	if err != nil {
		return run.Checkpoint{}, err
	}
	cp := run.Checkpoint{Run: row.Run}
	p := key(string(id))
	if cp.Channels, err = t.channels(id); err != nil {
		return cp, err
	}
	waiting, err := rowsOf(t, &pending, p)
	if err != nil {
		return cp, err
	}
	slices.SortFunc(waiting, func(a, b pendingRow) int { return cmp.Compare(a.N, b.N) })
	for _, r := range waiting {
		cp.Pending = append(cp.Pending, r.Pending)
	}
	asked, err := rowsOf(t, &pauses, p)
	if err != nil {
		return cp, err
	}
	slices.SortFunc(asked, func(a, b pauseRow) int { return cmp.Compare(a.N, b.N) })
	for _, r := range asked {
		cp.Pauses = append(cp.Pauses, r.Pause)
	}
	srow, err := t.needSession(row.Run.Session)
	cp.LastSeq = srow.LastSeq
	return cp, err
}

func rowsOf[R any](t *tx, tb *table[R], prefix []byte) (rows []R, err error) {
	err = t.scanPrefix(tb.bucket, prefix, func(k, v []byte) (bool, error) {
		r, err := tb.read(k, v)
		if err == nil {
			rows = append(rows, r)
		}
		return true, err
	})
	return rows, err
}

// Apply writes all commits, in order, in one transaction with one fsync. One with Admit
// records a new run and its session if that is new: titled with the beginning of the message;
// an empty run or session id is ErrID, a taken run id run.ErrRunExists. One that
// fails (run.ErrNoRun, run.ErrFenced, an error of its Do) fails the whole call:
// nothing is left behind, and the events are as they were handed in. Events of
// kind journal.Token are not stored and keep seq 0.
func (db *DB) Apply(commits ...*run.Commit) error {
	given := make([]int, len(commits))
	for i, c := range commits {
		c.Unfold()
		given[i] = len(c.Events)
	}
	ok := false
	defer func() { // also when a Do panics
		if ok {
			return
		}
		for i, c := range commits {
			c.Events = c.Events[:min(given[i], len(c.Events))]
			unnumber(c.Events)
		}
	}()
	err := db.update(func(t *tx) error {
		for _, c := range commits {
			if err := t.apply(c); err != nil {
				return err
			}
		}
		return nil
	})
	ok = err == nil
	return err
}

func (t *tx) apply(c *run.Commit) error {
	var row runRow
	var was, srow sessionRow
	err := c.Check()
	if err != nil {
		return err
	}
	if c.Admit {
		row, was, srow, err = t.admit(c)
	} else {
		row, err = t.head(c.Run)
	}
	if err != nil {
		return err
	}
	if !c.Admit && c.LeaseEpoch != row.Run.LeaseEpoch {
		return fmt.Errorf("store: run %q has lease epoch %d, the writer %d: %w", c.Run, row.Run.LeaseEpoch, c.LeaseEpoch, run.ErrFenced)
	}
	if c.Do != nil {
		t.session = row.Run.Session
		err := c.Do(t, func(told ...journal.Event) { c.Events = append(c.Events, told...) })
		t.session = ""
		if err != nil {
			return err
		}
	}
	if err := c.CheckSession(row.Run.Session); err != nil {
		return err
	}
	if err := t.setChannels(c.Run, c.Set); err != nil {
		return err
	}
	if c.Clear && !c.Admit {
		if err := t.delPrefix(pending.bucket, key(string(c.Run))); err != nil {
			return err
		}
	}
	for _, p := range c.Add {
		if err := t.addPending(c.Run, p); err != nil {
			return err
		}
	}
	for _, p := range c.Pauses {
		if err := t.addPause(c.Run, p); err != nil {
			return err
		}
	}
	for _, id := range c.Unask {
		if err := t.del(pauses.bucket, key(string(c.Run), id)); err != nil {
			return err
		}
	}
	if !c.Admit {
		// Read after Do, which may have changed the number of approvals.
		if srow, err = t.needSession(row.Run.Session); err != nil {
			return err
		}
		was = srow
	}
	if c.Row != nil && !c.Admit {
		if err := t.replaceRun(row, *c.Row, &srow); err != nil {
			return err
		}
	}
	if err := t.appendEvents(&srow, c.Events); err != nil {
		return err
	}
	if err := t.unname(c.Run, &srow.Session, c.Events); err != nil {
		return err
	}
	if srow == was {
		return nil
	}
	return sessions.put(t, before(&was), &srow)
}

// heads remembers what the rows of the last runs say about who may write them, by
// the bytes of the row; so it needs no undoing. Only the writer uses it.
type heads map[graph.RunID]head

type head struct {
	raw []byte
	row runRow
}

const headRoom = 64

// head is needRun without what the row counts by stage.
func (t *tx) head(id graph.RunID) (runRow, error) {
	k := key(string(id))
	raw, err := t.get(runs.bucket, k)
	if err != nil {
		return runRow{}, err
	}
	if h, ok := t.heads[id]; ok && raw != nil && bytes.Equal(h.raw, raw) {
		return h.row, nil
	}
	row, err := t.needRun(id)
	if err != nil {
		return row, err
	}
	t.remember(id, raw, row)
	return row, nil
}

func (t *tx) remember(id graph.RunID, raw []byte, row runRow) {
	if t.heads == nil {
		return
	}
	if len(t.heads) >= headRoom {
		clear(t.heads)
	}
	r := row.Run
	kept := run.Run{ID: r.ID, Session: r.Session, Status: r.Status, LeaseEpoch: r.LeaseEpoch}
	if digest := r.Vars[session.DefinitionVar]; digest != "" {
		kept.Vars = map[string]string{session.DefinitionVar: digest}
	}
	t.heads[id] = head{raw, runRow{N: row.N, Run: kept}}
}

func (t *tx) replaceRun(old runRow, next run.Run, srow *sessionRow) error {
	next.LeaseEpoch = old.Run.LeaseEpoch
	if err := t.putRun(&old, runRow{N: old.N, Run: next}); err != nil {
		return err
	}
	if old.N == srow.Runs {
		srow.Session.Status = string(next.Status)
	}
	touch(srow, next.UpdatedAt)
	return nil
}

func touch(srow *sessionRow, at time.Time) {
	if !at.IsZero() {
		srow.Session.UpdatedAt = at
	}
}

// addPending adds a result; a second one of the same stage replaces the first.
func (t *tx) addPending(run graph.RunID, p run.Pending) error {
	row := pendingRow{Of: run, Pending: p}
	old, existed, err := pending.get(t, pending.key(&row))
	if row.N = old.N; err == nil && !existed {
		row.N, err = t.number("pending")
	}
	if err != nil {
		return err
	}
	return pending.put(t, nil, &row)
}

func (t *tx) addPause(run graph.RunID, p graph.Pause) error {
	row := pauseRow{Of: run, Pause: p}
	old, existed, err := pauses.get(t, pauses.key(&row))
	if row.N = old.N; err == nil && !existed {
		row.N, err = t.number("pauses")
	}
	if err != nil {
		return err
	}
	return pauses.put(t, nil, &row)
}

// Pauses are what a run waits for, in the order in which it was asked; an unknown run
// waits for nothing.
func (db *DB) Pauses(id graph.RunID) ([]graph.Pause, error) { return pausesOf(db.view, id) }

func pausesOf(view func(func(*tx) error) error, id graph.RunID) (found []graph.Pause, err error) {
	err = view(func(t *tx) error {
		rows, err := rowsOf(t, &pauses, key(string(id)))
		slices.SortFunc(rows, func(a, b pauseRow) int { return cmp.Compare(a.N, b.N) })
		found = make([]graph.Pause, len(rows))
		for i, r := range rows {
			found[i] = r.Pause
		}
		return err
	})
	return found, err
}

// Run returns the row of a run or run.ErrNoRun.
func (db *DB) Run(id graph.RunID) (run.Run, error) {
	var row runRow
	err := db.view(func(t *tx) (err error) {
		row, err = t.needRun(id)
		return err
	})
	return row.Run, err
}

// RunsOf lists the runs of a session in the order in which they started.
func (db *DB) RunsOf(session string) ([]run.Run, error) {
	return findRuns(db.view, &runsBySession, key(session))
}

// RunsAfter lists the runs of a session behind its first n, in the order in which they
// started and at most limit of them (0: all).
func (db *DB) RunsAfter(session string, n, limit int) (found []run.Run, err error) {
	from := key(session)
	err = db.view(func(t *tx) error {
		found = nil
		return t.scan(runsBySession.bucket, numKey(from, uint64(n)+1), pastPrefix(from), func(k, v []byte) (bool, error) {
			r, err := runs.follow(t, &runsBySession, k, v)
			found = append(found, r.Run)
			return limit <= 0 || len(found) < limit, err
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// RunsWith lists the runs that have a status, by id. Runs that say running when
// the program starts are those that a crash interrupted.
func (db *DB) RunsWith(status run.Status) ([]run.Run, error) { return runsWith(db.view, status) }

func runsWith(view func(func(*tx) error) error, status run.Status) (found []run.Run, err error) {
	if status == run.Completed { // the index lacks them
		err = view(func(t *tx) error {
			found = nil
			return t.scan(runs.bucket, nil, nil, func(k, v []byte) (bool, error) {
				r, err := runs.read(k, v)
				if err == nil && r.Run.Status == status {
					found = append(found, r.Run)
				}
				return true, err
			})
		})
		return found, err
	}
	return findRuns(view, &runsByStatus, key(string(status)))
}

func findRuns(view func(func(*tx) error) error, ix *index[runRow], prefix []byte) (found []run.Run, err error) {
	err = view(func(t *tx) error {
		found = nil
		return runs.find(t, ix, prefix, func(r runRow) (bool, error) {
			found = append(found, r.Run)
			return true, nil
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
