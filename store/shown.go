package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"holdpoint/engine/graph"
	"holdpoint/engine/library"
	"holdpoint/engine/library/online"
	"holdpoint/engine/memory"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/engine/text"
)

// Shown is a store for who looks at lists: one damaged row hides no other. Lists leave out what cannot be
// read, and Lost names it; a row that is asked for by its id is ErrDamaged as ever. What is decided is decided
// on all rows: it reads the DB.
type Shown struct{ *DB }

// Shown is the store as lists show it.
func (db *DB) Shown() Shown { return Shown{db} }

func (s Shown) view(fn func(*tx) error) error { return s.viewAs(true, fn) }

// Read is DB.Read.
func (s Shown) Read(fn func(Tx) error) error { return s.view(func(t *tx) error { return fn(t) }) }

// ViewRecords is DB.ViewRecords.
func (s Shown) ViewRecords(fn func(record.Tx) error) error {
	return s.view(func(t *tx) error { return fn(t) })
}

// ViewMemory is DB.ViewMemory.
func (s Shown) ViewMemory(fn func(memory.Tx) error) error {
	return s.view(func(t *tx) error { return fn(t) })
}

// ViewTexts is DB.ViewTexts.
func (s Shown) ViewTexts(fn func(text.Tx) error) error {
	return s.view(func(t *tx) error { return fn(t) })
}

// ViewOnline is DB.ViewOnline.
func (s Shown) ViewOnline(fn func(online.Tx) error) error {
	return s.view(func(t *tx) error { return fn(t) })
}

// ViewLibrary is DB.ViewLibrary.
func (s Shown) ViewLibrary(fn func(library.Tx) error) error {
	return s.view(func(t *tx) error { return relaxed(t, fn) })
}

// Update is DB.Update for who tidies up, and can leave a row that cannot be read as it is.
func (s Shown) Update(fn func(Tx) error) error {
	return s.update(func(t *tx) error { return t.leavingOut(func() error { return fn(t) }) })
}

// UpdateOnline is Update for code that only knows requests to online sources.
func (s Shown) UpdateOnline(fn func(online.Tx) error) error {
	return s.Update(func(t Tx) error { return fn(t.(*tx)) })
}

// RunsOf is DB.RunsOf.
func (s Shown) RunsOf(session string) ([]run.Run, error) {
	return findRuns(s.view, &runsBySession, key(session))
}

// RunsWith is DB.RunsWith.
func (s Shown) RunsWith(status run.Status) ([]run.Run, error) { return runsWith(s.view, status) }

// Pauses is DB.Pauses.
func (s Shown) Pauses(id graph.RunID) ([]graph.Pause, error) { return pausesOf(s.view, id) }

// Passes says whether an error is of a row that cannot be read, which Lost names then: a list goes on without
// what needed it.
func (s Shown) Passes(err error) bool {
	var row *rowError
	if !errors.As(err, &row) {
		return false
	}
	s.leftOut([]*rowError{row})
	return true
}

func (e *rowError) lost() Lost { return Lost{e.b.String(), shownKey(e.k)} }

// ReadLost is Read that also says which rows its lists left out.
func (s Shown) ReadLost(fn func(Tx) error) (lost []Lost, err error) {
	err = s.view(func(t *tx) error {
		err := fn(t)
		for _, row := range t.lost {
			lost = append(lost, row.lost())
		}
		return err
	})
	return lost, err
}

// Lost is a row that lists left out.
type Lost struct {
	Table string `json:"table"`
	ID    string `json:"id"`
}

func (db *DB) leftOut(rows []*rowError) {
	if len(rows) == 0 {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lost == nil {
		db.lost = map[Lost]*rowError{}
	}
	for _, r := range rows {
		if len(db.lost) < maxReported {
			db.lost[r.lost()] = r
		}
	}
}

// Lost are the rows that lists left out since the store was opened and that are damaged still; at most 100.
func (db *DB) Lost() ([]Lost, error) {
	db.mu.Lock()
	rows := make(map[Lost]*rowError, len(db.lost))
	for l, r := range db.lost {
		rows[l] = r
	}
	db.mu.Unlock()
	if len(rows) == 0 {
		return nil, nil
	}
	var still []Lost
	if err := db.view(func(t *tx) error {
		for l, r := range rows {
			if t.isLost(r) {
				still = append(still, l)
			}
			t.passOver()
		}
		return nil
	}); err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for l := range rows {
		if !slices.Contains(still, l) {
			delete(db.lost, l)
		}
	}
	slices.SortFunc(still, func(x, y Lost) int { return cmp.Or(cmp.Compare(x.Table, y.Table), cmp.Compare(x.ID, y.ID)) })
	return still, nil
}

// isLost says whether a row is there and cannot be read; of an index, whether it is there.
func (t *tx) isLost(r *rowError) bool {
	raw, err := t.get(r.b, r.k)
	if tb := tables[r.b.String()]; tb != nil && raw != nil {
		return tb.legible(r.k, raw) != nil
	}
	return raw != nil || err != nil
}

// shownKey is a key as people read it: its texts, and the number behind them.
func shownKey(k []byte) string {
	out := ""
	for len(k) > 0 {
		part, rest, err := splitText(k)
		if n, bad := splitNum(k); err != nil && bad == nil {
			part, rest, err = strconv.FormatUint(n, 10), nil, nil
		}
		if err != nil {
			part, rest = strconv.Quote(string(k)), nil
		}
		if k = rest; out != "" {
			out += "/"
		}
		out += part
	}
	return out
}
