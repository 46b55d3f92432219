package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/gowebpki/jcs"
	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// Report is what Check counted and found.
type Report struct {
	Sessions  int      `json:"sessions"`
	Runs      int      `json:"runs"`
	Events    int      `json:"events"`
	Records   int      `json:"records"`
	Approvals int      `json:"approvals"`
	Entries   int      `json:"entries"`
	Problems  []string `json:"problems"` // empty for a sound store; at most 100
}

const maxReported = 100

func (r *Report) problem(format string, args ...any) {
	if len(r.Problems) < maxReported {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Check reads a whole store without changing it: the pages, then every row and
// index. What is wrong with the contents is in Problems; the error says that the
// file cannot be looked at (missing, ErrLocked, ErrReadOnly, ErrSchema). It never panics.
func Check(path string) (Report, error) {
	r := Report{Problems: []string{}}
	if _, err := os.Stat(path); err != nil {
		return r, explain(path, err)
	}
	f, err := openBolt(path, true)
	if err == nil {
		err = checkFile(f, &r)
		err = errors.Join(err, f.close())
	}
	if err == nil {
		return r, nil
	}
	if err = explain(path, err); errors.Is(err, ErrDamaged) {
		r.problem("%v", err)
		return r, nil
	}
	return r, err
}

func checkFile(f *boltFile, r *Report) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(&err)
	for _, p := range scanPages(f.db.Path(), true) {
		r.problem("pages: %s", p)
	}
	if len(r.Problems) > 0 {
		return nil // bbolt could not bear to read further
	}
	if err := f.db.View(func(tx *bolt.Tx) error {
		for p := range tx.Check() {
			r.problem("pages: %v", p)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := inspect(f); err != nil {
		return err
	}
	db := &DB{back: f, readOnly: true}
	return db.checkRows(r)
}

// checkRows checks every row and index of either backend.
func (db *DB) checkRows(r *Report) error {
	return db.view(func(t *tx) error {
		c := &checker{tx: t, r: r, journal: map[string]uint64{}}
		for _, step := range []func() error{
			c.pieces, c.events, c.sessions, c.runs, c.state, c.blobs, c.records, c.approvals, c.entries,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

type checker struct {
	tx      *tx
	r       *Report
	journal map[string]uint64 // session → newest seq found
}

// each visits every row; an error of fn is a problem of that row, not the end.
func (c *checker) each(b bucket, fn func(k, v []byte) error) error {
	return c.tx.scan(b, nil, nil, func(k, v []byte) (bool, error) {
		if err := fn(k, v); err != nil {
			c.r.problem("%s %q: %v", bucketNames[b], k, err)
		}
		return true, c.tx.bad
	})
}

// points says whether the row k of an index holds exactly v.
func (c *checker) points(b bucket, k, v []byte) error {
	got, err := c.tx.get(b, k)
	if err != nil {
		return err
	}
	if got == nil || !bytes.Equal(got, v) {
		return fmt.Errorf("%s does not lead to it", bucketNames[b])
	}
	return nil
}

func (c *checker) has(b bucket, k []byte) error {
	if got, err := c.tx.get(b, k); err != nil || got != nil {
		return err
	}
	return fmt.Errorf("%s has no such row", bucketNames[b])
}

// pieces checks that all parts of large values are there, and no others.
func (c *checker) pieces() error {
	owned := map[uint64]pieces{}
	for b := range bucketCount {
		cur := c.tx.kv.cursor(b)
		for k, v, err := cur.seek(nil); ; k, v, err = cur.next() {
			if err != nil {
				return err
			}
			if k == nil {
				break
			}
			whole, p, err := parseValue(b, v)
			if err != nil {
				c.r.problem("%s %q: %v", bucketNames[b], k, err)
			} else if whole == nil {
				if _, twice := owned[p.n]; twice {
					c.r.problem("%s %q: shares its pieces with another value", bucketNames[b], k)
				}
				owned[p.n] = p
			}
		}
	}
	found := map[uint64]uint64{}
	if err := c.each(piecesBucket, func(k, v []byte) error {
		if len(k) != 16 {
			return ErrDamaged
		}
		n, i := binary.BigEndian.Uint64(k), binary.BigEndian.Uint64(k[8:])
		if p, ok := owned[n]; !ok || i >= p.count() {
			return errors.New("it belongs to no value")
		}
		found[n] += uint64(len(v))
		return nil
	}); err != nil {
		return err
	}
	for n, p := range owned {
		if found[n] != p.size {
			c.r.problem("pieces of %d: %d of %d bytes are there", n, found[n], p.size)
		}
	}
	return nil
}

// id takes a key of one text part.
func id(k []byte) (string, error) {
	parts, err := splitTexts(k, 1)
	if err != nil {
		return "", err
	}
	return parts[0], nil
}

func (c *checker) events() error {
	return c.each(journalBucket, func(k, v []byte) error {
		s, rest, err := splitText(k)
		if err != nil {
			return err
		}
		e, err := readEvent(s, k[:len(k)-len(rest)], k, v)
		if err != nil {
			return err
		}
		c.r.Events++
		was := c.journal[s]
		c.journal[s] = e.Seq
		if was == 0 {
			if err := c.has(sessionsBucket, key(s)); err != nil {
				return err
			}
		}
		if e.Seq != was+1 {
			return fmt.Errorf("event %d follows %d", e.Seq, was)
		}
		return nil
	})
}

func (c *checker) sessions() error {
	if err := c.each(sessionsBucket, func(k, _ []byte) error {
		s, err := id(k)
		if err != nil {
			return err
		}
		row, err := c.tx.needSession(s)
		if err != nil {
			return err
		}
		c.r.Sessions++
		if row.LastSeq != c.journal[s] {
			return fmt.Errorf("newest event is %d, the row says %d", c.journal[s], row.LastSeq)
		}
		pending, err := c.tx.pendingOf(s)
		if err != nil {
			return err
		}
		if pending != row.Session.Approvals {
			return fmt.Errorf("%d approvals are pending, the row says %d", pending, row.Session.Approvals)
		}
		if err := c.sessionRuns(s, row); err != nil {
			return err
		}
		return c.has(sessionsByTime, sessionTimeKey(row.Session))
	}); err != nil {
		return err
	}
	return c.each(sessionsByTime, func(k, _ []byte) error {
		if len(k) < timeKeyLen {
			return ErrDamaged
		}
		s, err := id(k[timeKeyLen:])
		if err != nil {
			return err
		}
		row, err := c.tx.needSession(s)
		if err == nil && !bytes.Equal(sessionTimeKey(row.Session), k) {
			err = errors.New("the session was updated at another time")
		}
		return err
	})
}

func (c *checker) sessionRuns(s string, row sessionRow) error {
	turns, newest := 0, uint64(0)
	var status run.Status
	if err := c.tx.scanPrefix(runsBySession, key(s), func(k, v []byte) (bool, error) {
		n, err := splitNum(k[len(key(s)):])
		if err != nil {
			return false, err
		}
		run, err := c.tx.needRun(graph.RunID(v))
		turns, newest, status = turns+1, n, run.Run.Status
		return true, err
	}); err != nil {
		return err
	}
	if turns != row.Session.Turns || newest != row.Runs || turns > 0 && string(status) != row.Session.Status {
		return fmt.Errorf("it has %d runs, the newest is %d and %s; the row says %d, %d and %s",
			turns, newest, status, row.Session.Turns, row.Runs, row.Session.Status)
	}
	return nil
}

func (c *checker) runs() error {
	if err := c.each(runsBucket, func(k, _ []byte) error {
		r, err := id(k)
		if err != nil {
			return err
		}
		row, err := c.tx.needRun(graph.RunID(r))
		if err != nil {
			return err
		}
		c.r.Runs++
		return errors.Join(
			c.has(sessionsBucket, key(row.Run.Session)),
			c.points(runsBySession, numKey(key(row.Run.Session), row.N), []byte(r)),
			c.has(runsByStatus, key(string(row.Run.Status), r)))
	}); err != nil {
		return err
	}
	if err := c.each(runsBySession, func(k, v []byte) error {
		s, rest, err := splitText(k)
		if err != nil {
			return err
		}
		n, err := splitNum(rest)
		if err != nil {
			return err
		}
		row, err := c.tx.needRun(graph.RunID(v))
		if err == nil && (row.N != n || row.Run.Session != s) {
			err = errors.New("the run has another place")
		}
		return err
	}); err != nil {
		return err
	}
	return c.each(runsByStatus, func(k, _ []byte) error {
		parts, err := splitTexts(k, 2)
		if err != nil {
			return err
		}
		row, err := c.tx.needRun(graph.RunID(parts[1]))
		if err == nil && string(row.Run.Status) != parts[0] {
			err = fmt.Errorf("the run is %s", row.Run.Status)
		}
		return err
	})
}

// state checks what belongs to a run: channels, pending results, pauses.
func (c *checker) state() error {
	of := func(fn func(name string, k, v []byte) error) func(k, v []byte) error {
		return func(k, v []byte) error {
			parts, err := splitTexts(k, 2)
			if err != nil {
				return err
			}
			return errors.Join(c.has(runsBucket, key(parts[0])), fn(parts[1], k, v))
		}
	}
	if err := c.each(channelsBucket, func(k, _ []byte) error {
		run, rest, err := splitText(k)
		if err != nil {
			return err
		}
		if _, err = splitTexts(rest, 1); err != nil { // a channel, or a channel and its key
			_, err = splitTexts(rest, 2)
		}
		return errors.Join(c.has(runsBucket, key(run)), err)
	}); err != nil {
		return err
	}
	if err := c.each(pendingBucket, of(func(name string, k, v []byte) error {
		var row pendingRow
		err := decode(pendingBucket, k, v, &row)
		if err == nil && string(row.Pending.Stage) != name {
			err = misplaced(pendingBucket, name)
		}
		return err
	})); err != nil {
		return err
	}
	return c.each(pausesBucket, of(func(name string, k, v []byte) error {
		var row pauseRow
		err := decode(pausesBucket, k, v, &row)
		if err == nil && row.Pause.ID != name {
			err = misplaced(pausesBucket, name)
		}
		return err
	}))
}

func (c *checker) blobs() error {
	if err := c.each(blobsBucket, func(k, _ []byte) error {
		name, err := id(k)
		if err != nil {
			return err
		}
		if _, err := c.tx.Blob(name); err != nil {
			return err
		}
		owned := false
		err = c.tx.scanPrefix(blobOwners, k, func(_, _ []byte) (bool, error) {
			owned = true
			return false, nil
		})
		if err == nil && !owned {
			err = errors.New("nobody owns it")
		}
		return err
	}); err != nil {
		return err
	}
	mirror := func(b, other bucket, nameAt int) error {
		return c.each(b, func(k, _ []byte) error {
			parts, err := splitTexts(k, 2)
			if err != nil {
				return err
			}
			return errors.Join(c.has(other, key(parts[1], parts[0])), c.has(blobsBucket, key(parts[nameAt])))
		})
	}
	if err := mirror(blobOwners, blobsBySession, 0); err != nil {
		return err
	}
	return mirror(blobsBySession, blobOwners, 1)
}

func (c *checker) records() error {
	counts := map[string]int{}
	if err := c.each(recordsBucket, func(k, v []byte) error {
		parts, err := splitTexts(k, 2)
		if err != nil {
			return err
		}
		c.r.Records++
		counts[parts[0]]++
		r, err := unpackRecord(k, v, record.Ref{Type: parts[0], ID: parts[1]})
		if err != nil {
			return err
		}
		for _, p := range record.PatientsOf(r) {
			if err := c.has(recordsByPatient, key(p, r.Type, r.ID)); err != nil {
				return err
			}
		}
		canonical, err := jcs.Transform(r.Resource)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(canonical); hex.EncodeToString(sum[:]) != r.Version {
			return errors.New("the resource is not the one that its version names")
		}
		return nil
	}); err != nil {
		return err
	}
	types, err := c.tx.RecordTypes()
	if err != nil {
		return err
	}
	for typ, n := range types {
		if counts[typ] != n {
			c.r.problem("records: there are %d of type %s, the counter says %d", counts[typ], typ, n)
		}
		delete(counts, typ)
	}
	for typ, n := range counts {
		c.r.problem("records: there are %d of type %s, the counter says 0", n, typ)
	}
	return c.each(recordsByPatient, func(k, _ []byte) error {
		parts, err := splitTexts(k, 3)
		if err != nil {
			return err
		}
		r, err := c.tx.Record(record.Ref{Type: parts[1], ID: parts[2]})
		if err != nil {
			return err
		}
		for _, p := range record.PatientsOf(r) {
			if p == parts[0] {
				return nil
			}
		}
		return errors.New("the record is not about this patient")
	})
}

func (c *checker) approvals() error {
	if err := c.each(approvalsBucket, func(k, _ []byte) error {
		a, err := id(k)
		if err != nil {
			return err
		}
		row, _, err := c.tx.approvalRow(a)
		if err != nil {
			return err
		}
		c.r.Approvals++
		return errors.Join(
			c.points(approvalsByOrder, numKey(nil, row.N), []byte(a)),
			c.points(approvalsByStatus, numKey(key(string(row.Approval.Status)), row.N), []byte(a)),
			c.points(approvalsBySession, numKey(key(row.Approval.Session), row.N), []byte(a)),
			c.verdict(row.Approval))
	}); err != nil {
		return err
	}
	back := func(b bucket, prefix func(ledger.Approval) []byte) error {
		return c.each(b, func(k, v []byte) error {
			row, ok, err := c.tx.approvalRow(string(v))
			if err == nil && (!ok || !bytes.Equal(k, numKey(prefix(row.Approval), row.N))) {
				err = fmt.Errorf("no approval %q belongs here", v)
			}
			return err
		})
	}
	return errors.Join(
		back(approvalsByOrder, func(ledger.Approval) []byte { return nil }),
		back(approvalsByStatus, func(a ledger.Approval) []byte { return key(string(a.Status)) }),
		back(approvalsBySession, func(a ledger.Approval) []byte { return key(a.Session) }))
}

// verdict checks that an approval says what was shown, and that a used one was
// used by its own call.
func (c *checker) verdict(a ledger.Approval) error {
	digest, err := ledger.Digest(a)
	if err != nil {
		return err
	}
	if digest != a.Digest {
		return errors.New("its digest is not that of its contents")
	}
	if a.Status != ledger.Used {
		return nil
	}
	e, err := c.tx.Entry(a.Call)
	switch {
	case err != nil:
		return err
	case e.Approval != a.ID || e.Digest != a.Digest || e.Session != a.Session:
		return fmt.Errorf("it was used, but call %q names another approval", a.Call)
	case e.State == ledger.Proposed || e.State == ledger.Cleared:
		return fmt.Errorf("it was used, but call %q is %s", a.Call, e.State)
	}
	return nil
}

func (c *checker) entries() error {
	if err := c.each(entriesBucket, func(k, _ []byte) error {
		call, err := id(k)
		if err != nil {
			return err
		}
		row, _, err := c.tx.entryRow(call)
		if err != nil {
			return err
		}
		c.r.Entries++
		return errors.Join(
			c.points(entriesByOrder, numKey(nil, row.N), []byte(call)),
			c.points(entriesByTurn, numKey(key(row.Entry.Turn), row.N), []byte(call)),
			c.execution(row.Entry))
	}); err != nil {
		return err
	}
	back := func(b bucket, prefix func(ledger.Entry) []byte) error {
		return c.each(b, func(k, v []byte) error {
			row, ok, err := c.tx.entryRow(string(v))
			if err == nil && (!ok || !bytes.Equal(k, numKey(prefix(row.Entry), row.N))) {
				err = fmt.Errorf("no call %q belongs here", v)
			}
			return err
		})
	}
	return errors.Join(
		back(entriesByOrder, func(ledger.Entry) []byte { return nil }),
		back(entriesByTurn, func(e ledger.Entry) []byte { return key(e.Turn) }))
}

// execution checks that what was done had been approved, unless the session and
// with it the approval was deleted since.
func (c *checker) execution(e ledger.Entry) error {
	if e.State != ledger.Committed && e.State != ledger.Cleared {
		return nil
	}
	if gone := c.has(sessionsBucket, key(e.Session)); gone != nil && c.tx.bad == nil && e.State == ledger.Committed {
		return nil
	}
	a, err := c.tx.Approval(e.Approval)
	switch {
	case err != nil:
		return err
	case a.Call != e.Call || a.Digest != e.Digest:
		return fmt.Errorf("it is %s, but approval %q is for another call", e.State, a.ID)
	case e.State == ledger.Committed && a.Status != ledger.Used,
		e.State == ledger.Cleared && a.Status != ledger.Approved && a.Status != ledger.Void:
		return fmt.Errorf("it is %s, but approval %q is %s", e.State, a.ID, a.Status)
	}
	return nil
}
