package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"holdpoint/engine/graph"
)

// runRow keeps a run's place among the runs of its session.
type runRow struct {
	N   uint64    `json:"n"`
	Run graph.Run `json:"run"`
}

// pauseRow and pendingRow keep the order in which they were added.
type pauseRow struct {
	N     uint64      `json:"n"`
	Pause graph.Pause `json:"pause"`
}

type pendingRow struct {
	N       uint64        `json:"n"`
	Pending graph.Pending `json:"pending"`
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
		err = fmt.Errorf("store: run %q: %w", id, graph.ErrNoRun)
	}
	return row, err
}

// putRun writes the row; was is the status it had, "" for a new one.
func (t *tx) putRun(row runRow, was graph.Status) error {
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
	return t.putJSON(runsBucket, key(id), row)
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
func (db *DB) Admit(run graph.Run, set []graph.ChannelValue, events []graph.Event) error {
	return db.Apply(&graph.Commit{Run: run.ID, Admit: true, Row: &run, Set: set, Events: events})
}

// admit writes the row of a new run and of its session.
func (t *tx) admit(c *graph.Commit) (runRow, error) {
	if c.Row == nil {
		return runRow{}, checkID("run", "")
	}
	run := *c.Row
	if err := checkID("run", string(run.ID)); err != nil {
		return runRow{}, err
	}
	if err := checkID("session of a run", run.Session); err != nil {
		return runRow{}, err
	}
	if err := checkID("status of a run", string(run.Status)); err != nil {
		return runRow{}, err
	}
	if _, taken, err := t.runRow(run.ID); err != nil {
		return runRow{}, err
	} else if taken {
		return runRow{}, fmt.Errorf("store: run %q: %w", run.ID, graph.ErrRunExists)
	}
	srow, err := t.admitted(run)
	if err != nil {
		return runRow{}, err
	}
	if err := t.put(runsBySession, numKey(key(run.Session), srow.Runs), []byte(run.ID)); err != nil {
		return runRow{}, err
	}
	row := runRow{N: srow.Runs, Run: run}
	if err := t.putRun(row, ""); err != nil {
		return runRow{}, err
	}
	return row, t.putSession(srow)
}

// Acquire raises the fence, so that the writer before it can do nothing more, and
// returns the checkpoint. An unknown run is graph.ErrNoRun.
func (db *DB) Acquire(id graph.RunID) (graph.Checkpoint, error) {
	var cp graph.Checkpoint
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
		return graph.Checkpoint{}, err
	}
	return cp, nil
}

// Load reads a checkpoint without taking the run. An unknown run is graph.ErrNoRun.
func (db *DB) Load(id graph.RunID) (graph.Checkpoint, error) {
	var cp graph.Checkpoint
	err := db.view(func(t *tx) (err error) {
		cp, err = t.checkpoint(id)
		return err
	})
	if err != nil {
		return graph.Checkpoint{}, err
	}
	return cp, nil
}

// checkpoint reads all of a run: channels by name, pending results and pauses in
// the order in which they were added.
func (t *tx) checkpoint(id graph.RunID) (graph.Checkpoint, error) {
	row, err := t.needRun(id)
	if err != nil {
		return graph.Checkpoint{}, err
	}
	cp := graph.Checkpoint{Run: row.Run}
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
func (db *DB) Apply(commits ...*graph.Commit) error {
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

func (t *tx) apply(c *graph.Commit) error {
	var row runRow
	var err error
	if c.Admit {
		row, err = t.admit(c)
	} else {
		row, err = t.needRun(c.Run)
	}
	if err != nil {
		return err
	}
	if !c.Admit && c.Fence != row.Run.Fence {
		return fmt.Errorf("store: run %q has fence %d, the writer %d: %w", c.Run, row.Run.Fence, c.Fence, graph.ErrFenced)
	}
	if c.Do != nil {
		t.session = row.Run.Session
		err := c.Do(t, c)
		t.session = ""
		if err != nil {
			return err
		}
	}
	if err := t.setChannels(c.Run, c.Set); err != nil {
		return err
	}
	if c.Clear {
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
	// Read after Do, which may have changed the number of approvals.
	srow, err := t.needSession(row.Run.Session)
	if err != nil {
		return err
	}
	before := srow
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
	return t.putSession(srow)
}

func (t *tx) replaceRun(old runRow, next graph.Run, srow *sessionRow) error {
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
func (t *tx) addPending(run graph.RunID, p graph.Pending) error {
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
func (db *DB) Run(id graph.RunID) (graph.Run, error) {
	var row runRow
	err := db.view(func(t *tx) (err error) {
		row, err = t.needRun(id)
		return err
	})
	return row.Run, err
}

// RunsOf lists the runs of a session in the order in which they started.
func (db *DB) RunsOf(session string) ([]graph.Run, error) {
	var runs []graph.Run
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
func (db *DB) RunsWith(status graph.Status) ([]graph.Run, error) {
	var runs []graph.Run
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
