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
)

// runRow keeps a run's place among the runs of its session.
type runRow struct {
	N   uint64  `json:"n"`
	Run run.Run `json:"run"`
}

// pauseRow and pendingRow keep the order in which they were added.
type pauseRow struct {
	N     uint64      `json:"n"`
	Pause graph.Pause `json:"pause"`
}

type pendingRow struct {
	N       uint64      `json:"n"`
	Pending run.Pending `json:"pending"`
}

func (t *tx) runRow(id graph.RunID) (runRow, bool, error) {
	var row runRow
	ok, err := t.getJSON(runsBucket, key(string(id)), &row)
	if err == nil && ok && row.Run.ID != id {
		err = misplaced(runsBucket, string(id))
	}
	return row, ok, err
}

func (t *tx) needRun(id graph.RunID) (runRow, error) {
	row, ok, err := t.runRow(id)
	if err == nil && !ok {
		err = fmt.Errorf("store: run %q: %w", id, run.ErrNoRun)
	}
	return row, err
}

// putRun writes the row; was is the status it had, "" for a new one.
func (t *tx) putRun(row runRow, was run.Status) error {
	id := string(row.Run.ID)
	if was != row.Run.Status {
		if was != "" {
			if err := t.del(runsByStatus, key(string(was), id)); err != nil {
				return err
			}
		}
		if err := t.put(runsByStatus, key(string(row.Run.Status), id), nil); err != nil {
			return err
		}
	}
	raw, err := encode(row)
	if err != nil {
		return err
	}
	t.remember(row.Run.ID, raw, row)
	return t.put(runsBucket, key(id), raw)
}

func (t *tx) setChannels(run graph.RunID, set []graph.ChannelValue) error {
	for _, c := range set {
		if err := checkID("channel", c.Channel); err != nil {
			return err
		}
		k := key(string(run), c.Channel)
		if c.Key != "" {
			if err := checkID("key of a channel", c.Key); err != nil {
				return err
			}
			k = textKey(k, c.Key)
		}
		if c.Key != "" && (c.Value == nil || string(c.Value) == "null") {
			if err := t.del(channelsBucket, k); err != nil {
				return err
			}
			continue
		}
		if err := t.put(channelsBucket, k, c.Value); err != nil {
			return err
		}
	}
	return nil
}

// Admit records a new run with its first channels and events, and its session if
// that is new: titled with the beginning of the message. An empty run or session
// id is ErrID, a taken run id graph.ErrRunExists.
func (db *DB) Admit(row run.Run, set []graph.ChannelValue, events []journal.Event) error {
	return db.Apply(&run.Commit{Run: row.ID, Admit: true, Row: &row, Set: set, Events: events})
}

// admit writes the row of a new run and of its session.
func (t *tx) admit(c *run.Commit) (row runRow, old, srow sessionRow, err error) {
	if c.Row == nil || c.Do != nil {
		return row, old, srow, fmt.Errorf("store: an admission has a row and runs no code: %w", ErrID)
	}
	first := *c.Row
	if err = checkID("run", string(first.ID)); err == nil {
		err = checkID("session of a run", first.Session)
	}
	if err == nil {
		err = checkID("status of a run", string(first.Status))
	}
	if err != nil {
		return row, old, srow, err
	}
	if _, taken, err := t.runRow(first.ID); err != nil {
		return row, old, srow, err
	} else if taken {
		return row, old, srow, fmt.Errorf("store: run %q: %w", first.ID, run.ErrRunExists)
	}
	if old, srow, err = t.admitted(first); err != nil {
		return row, old, srow, err
	}
	row = runRow{N: srow.Runs, Run: first}
	if err = t.put(runsBySession, numKey(key(first.Session), srow.Runs), []byte(first.ID)); err == nil {
		err = t.putRun(row, "")
	}
	return row, old, srow, err
}

// Acquire raises the fence, so that the writer before it can do nothing more, and
// returns the checkpoint. An unknown run is graph.ErrNoRun.
func (db *DB) Acquire(id graph.RunID) (run.Checkpoint, error) {
	var cp run.Checkpoint
	err := db.update(func(t *tx) error {
		row, err := t.needRun(id)
		if err != nil {
			return err
		}
		row.Run.Fence++
		if err := t.putRun(row, row.Run.Status); err != nil {
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

// Load reads a checkpoint without taking the run. An unknown run is graph.ErrNoRun.
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
	if err := t.scanPrefix(channelsBucket, p, func(k, v []byte) (bool, error) {
		parts, err := splitTexts(k, 2)
		if err != nil {
			parts, err = splitTexts(k, 3)
		}
		if err == nil {
			cv := graph.ChannelValue{Channel: parts[1], Value: json.RawMessage(v)}
			if len(parts) == 3 {
				cv.Key = parts[2]
			}
			cp.Channels = append(cp.Channels, cv)
		}
		return true, err
	}); err != nil {
		return cp, err
	}
	pending, err := rowsOf[pendingRow](t, pendingBucket, p)
	if err != nil {
		return cp, err
	}
	slices.SortFunc(pending, func(a, b pendingRow) int { return cmp.Compare(a.N, b.N) })
	for _, r := range pending {
		cp.Pending = append(cp.Pending, r.Pending)
	}
	pauses, err := rowsOf[pauseRow](t, pausesBucket, p)
	if err != nil {
		return cp, err
	}
	slices.SortFunc(pauses, func(a, b pauseRow) int { return cmp.Compare(a.N, b.N) })
	for _, r := range pauses {
		cp.Pauses = append(cp.Pauses, r.Pause)
	}
	srow, err := t.needSession(row.Run.Session)
	cp.LastSeq = srow.LastSeq
	return cp, err
}

func rowsOf[R any](t *tx, b bucket, prefix []byte) ([]R, error) {
	var rows []R
	err := t.scanPrefix(b, prefix, func(k, v []byte) (bool, error) {
		var r R
		err := decode(b, k, v, &r)
		rows = append(rows, r)
		return true, err
	})
	return rows, err
}

// Apply writes all commits, in order, in one transaction with one fsync. One that
// fails (graph.ErrNoRun, graph.ErrFenced, an error of its Do) fails the whole call:
// nothing is left behind, and the events are as they were handed in. Events of
// kind graph.Token are not stored and keep seq 0.
func (db *DB) Apply(commits ...*run.Commit) error {
	given := make([]int, len(commits))
	for i, c := range commits {
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
	var before, srow sessionRow
	var err error
	if c.Admit {
		row, before, srow, err = t.admit(c)
	} else {
		row, err = t.head(c.Run)
	}
	if err != nil {
		return err
	}
	if !c.Admit && c.Fence != row.Run.Fence {
		return fmt.Errorf("store: run %q has fence %d, the writer %d: %w", c.Run, row.Run.Fence, c.Fence, run.ErrFenced)
	}
	if c.Do != nil {
		t.session = row.Run.Session
		err := c.Do(t, func(told ...journal.Event) { c.Events = append(c.Events, told...) })
		t.session = ""
		if err != nil {
			return err
		}
	}
	if err := t.setChannels(c.Run, c.Set); err != nil {
		return err
	}
	if c.Clear && !c.Admit {
		if err := t.delPrefix(pendingBucket, key(string(c.Run))); err != nil {
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
		if err := t.del(pausesBucket, key(string(c.Run), id)); err != nil {
			return err
		}
	}
	if !c.Admit {
		// Read after Do, which may have changed the number of approvals.
		if srow, err = t.needSession(row.Run.Session); err != nil {
			return err
		}
		before = srow
	}
	if c.Row != nil && !c.Admit {
		if err := t.replaceRun(row, *c.Row, &srow); err != nil {
			return err
		}
	}
	if err := t.appendEvents(&srow, c.Events); err != nil {
		return err
	}
	if srow == before {
		return nil
	}
	return t.replaceSession(before, srow)
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
	raw, err := t.get(runsBucket, k)
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
	t.heads[id] = head{raw, runRow{N: row.N, Run: run.Run{ID: r.ID, Session: r.Session, Status: r.Status, Fence: r.Fence}}}
}

func (t *tx) replaceRun(old runRow, next run.Run, srow *sessionRow) error {
	if next.ID != old.Run.ID || next.Session != old.Run.Session {
		return fmt.Errorf("store: run %q of session %q cannot become %q of %q", old.Run.ID, old.Run.Session, next.ID, next.Session)
	}
	if err := checkID("status of a run", string(next.Status)); err != nil {
		return err
	}
	next.Fence = old.Run.Fence
	if err := t.putRun(runRow{N: old.N, Run: next}, old.Run.Status); err != nil {
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
	if err := checkID("stage", string(p.Stage)); err != nil {
		return err
	}
	row := pendingRow{Pending: p}
	var err error
	if row.N, err = place(t, pendingBucket, string(run), string(p.Stage), func(r pendingRow) uint64 { return r.N }); err != nil {
		return err
	}
	return t.putJSON(pendingBucket, key(string(run), string(p.Stage)), row)
}

func (t *tx) addPause(run graph.RunID, p graph.Pause) error {
	if err := checkID("pause", p.ID); err != nil {
		return err
	}
	row := pauseRow{Pause: p}
	var err error
	if row.N, err = place(t, pausesBucket, string(run), p.ID, func(r pauseRow) uint64 { return r.N }); err != nil {
		return err
	}
	return t.putJSON(pausesBucket, key(string(run), p.ID), row)
}

// place is the number of the row that has the id, or the next one.
func place[R any](t *tx, b bucket, run, id string, number func(R) uint64) (uint64, error) {
	var old R
	if ok, err := t.getJSON(b, key(run, id), &old); err != nil || ok {
		return number(old), err
	}
	return t.number(bucketNames[b])
}

// Run returns the row of a run or graph.ErrNoRun.
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
	var runs []run.Run
	err := db.view(func(t *tx) error {
		return t.scanPrefix(runsBySession, key(session), func(_, id []byte) (bool, error) {
			row, ok, err := t.runRow(graph.RunID(id))
			if err == nil && !ok {
				err = dangling(runsBySession, string(id))
			}
			runs = append(runs, row.Run)
			return true, err
		})
	})
	if err != nil {
		return nil, err
	}
	return runs, nil
}

// RunsWith lists the runs that have a status, by id. Runs that say running when
// the program starts are those that a crash interrupted.
func (db *DB) RunsWith(status run.Status) ([]run.Run, error) {
	var runs []run.Run
	err := db.view(func(t *tx) error {
		return t.scanPrefix(runsByStatus, key(string(status)), func(k, _ []byte) (bool, error) {
			parts, err := splitTexts(k, 2)
			if err != nil {
				return false, err
			}
			row, ok, err := t.runRow(graph.RunID(parts[1]))
			if err == nil && !ok {
				err = dangling(runsByStatus, parts[1])
			}
			if err == nil && row.Run.Status != status {
				err = misplaced(runsByStatus, parts[1])
			}
			runs = append(runs, row.Run)
			return true, err
		})
	})
	if err != nil {
		return nil, err
	}
	return runs, nil
}
