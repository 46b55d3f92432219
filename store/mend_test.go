package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
)

// inBolt changes a store's file behind the store's back.
func inBolt(t *testing.T, path string, do func(*bolt.Tx) error) {
	t.Helper()
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, b.Update(do))
	must(t, b.Close())
}

// spoiledFirst damages the first row of a bucket that begins with a prefix and satisfies is, and returns its key.
func spoiledFirst(t *testing.T, path, in string, prefix []byte, is func(v []byte) bool, with []byte) (key []byte) {
	t.Helper()
	inBolt(t, path, func(x *bolt.Tx) error {
		c := x.Bucket([]byte(in)).Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if is(v) {
				key = bytes.Clone(k)
				return x.Bucket([]byte(in)).Put(key, with)
			}
		}
		t.Fatalf("%s has no such row", in)
		return nil
	})
	return key
}

func inPieces(v []byte) bool { return len(v) == 17 && v[0] == markPieces }

func holds(t *testing.T, path, text string) bool {
	t.Helper()
	body, err := os.ReadFile(path)
	must(t, err)
	return bytes.Contains(body, []byte(text))
}

const kept = "text-of-a-session-that-stays"

// asStored is all that a store has, byte by byte.
func asStored(t *testing.T, db *DB) string {
	t.Helper()
	var out strings.Builder
	must(t, db.view(func(x *tx) error {
		for i := range buckets {
			if err := x.eachStored(bucket(i), func(k, v []byte) { fmt.Fprintf(&out, "%s %q %q\n", bucket(i), k, v) }); err != nil {
				return err
			}
		}
		return nil
	}))
	return out.String()
}

// large has two sessions, each with an event and an approval that lie in pieces; that of the first is told by a canary.
func large(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "holdpoint.db")
	db := openFile(t, path)
	for s, text := range map[string]string{"s": canary, "s2": kept} {
		long := strings.Repeat(text+" ", 300)
		must(t, admitRow(db, newRun("r"+s, s), chans("c", `"x"`), []journal.Event{{Kind: journal.TurnStarted, At: t0}, {Kind: journal.Message, At: t0, Text: long}, {Kind: journal.TurnCompleted, At: t0}}))
		must(t, db.Update(func(tx Tx) error {
			a := approval(t, "a-"+s, s)
			a.Title = long
			var err error
			if a.Digest, err = ledger.Digest(a); err != nil {
				return err
			}
			return tx.PutApproval(a)
		}))
	}
	sane(t, db)
	must(t, db.Close())
	return path
}

// "check told me to delete the session. I did, and it still finds a problem, and compact refuses: every conversation that I
// ever deleted is still in the file." With a damaged row go its pieces, whatever is damaged of it.
func TestDeleteSession_TakesThePiecesOfDamagedRows(t *testing.T) {
	for _, in := range []string{"journal", "approvals"} {
		for name, with := range map[string][]byte{
			"junk":              []byte("\xffgarbage"),
			"a value of no row": []byte("\x00\xffgarbage"),
			"nothing":           {},
			"another number":    {1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0x10, 0},
			"another size":      {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9},
		} {
			t.Run(in+", "+name, func(t *testing.T) {
				path := large(t)
				prefix := key("s")
				if in == "approvals" {
					prefix = key("a-s")
				}
				spoiledFirst(t, path, in, prefix, inPieces, with)
				r, err := Check(path)
				if err != nil || !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "holdpoint sessions delete s") }) {
					t.Errorf("check says %q, %v", r.Problems, err)
				}
				db := openFile(t, path)
				must(t, db.RebuildSession("s"))
				must(t, db.DeleteSession("s"))
				must(t, db.Close())
				_, err = Compact(path)
				must(t, err)
				soundFile(t, path)
				if holds(t, path, canary) || !holds(t, path, kept) {
					t.Errorf("the deleted text is there: %v; the kept: %v", holds(t, path, canary), holds(t, path, kept))
				}
				db = openFile(t, path)
				defer func() { must(t, db.Close()) }()
				if e, err := db.Journal("s2", 0, 0); err != nil || len(e) != 3 || !strings.Contains(e[1].Text, kept) {
					t.Errorf("the other session has %d events, %v", len(e), err)
				}
			})
		}
	}
}

// "One row of one conversation is damaged, and now nothing that I delete leaves the file." A damaged row keeps nobody from
// compacting: it is copied as it is, and said.
func TestCompact_CopiesDamagedRowsAsTheyAre(t *testing.T) {
	path := large(t)
	db := openFile(t, path)
	must(t, db.DeleteSession("s"))
	must(t, db.Close())
	if !holds(t, path, canary) {
		t.Fatal("the test deletes nothing")
	}
	spoiledFirst(t, path, "journal", key("s2"), inPieces, []byte("\xffgarbage"))
	m, err := Compact(path)
	must(t, err)
	if !slices.ContainsFunc(m.Left, func(p string) bool { return strings.Contains(p, "holdpoint sessions delete s2") }) || m.Pieces != 0 {
		t.Errorf("it says %+v", m)
	}
	if holds(t, path, canary) || !holds(t, path, kept) || !holds(t, path, "\xffgarbage") {
		t.Error("a deleted text stayed, or a row that cannot be read went")
	}
	db = openFile(t, path)
	if m := compacted(t, db); len(m.Left) == 0 {
		t.Error("an open store says nothing of the row")
	}
	must(t, db.DeleteSession("s2"))
	must(t, db.Close())
	_, err = Compact(path)
	must(t, err)
	soundFile(t, path)
	if holds(t, path, kept) {
		t.Error("what was deleted is still in the file")
	}
}

// "I deleted it with the version before." Pieces that belong to no value go when the file is compacted.
func TestCompact_DropsPiecesOfNoValue(t *testing.T) {
	path := large(t)
	inBolt(t, path, func(x *bolt.Tx) error {
		return x.Bucket([]byte("pieces")).Put(pieces{n: 1 << 40}.key(0), []byte(canary+"-of-nobody"))
	})
	r, err := Check(path)
	if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "holdpoint compact") {
		t.Errorf("check says %q, %v", r.Problems, err)
	}
	m, err := Compact(path)
	if err != nil || m.Pieces != 1 || len(m.Left) > 0 || holds(t, path, canary+"-of-nobody") || !holds(t, path, canary) {
		t.Errorf("it says %+v, %v", m, err)
	}
	soundFile(t, path)
}

// "check found a damaged index and did not say what I could do." Every index is made anew out of its rows: check says by
// what, and no row is lost.
func TestCompact_MakesIndexesAnew(t *testing.T) {
	for i, info := range buckets {
		if !isIndex[bucket(i)] {
			continue
		}
		t.Run(info.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "holdpoint.db")
			db := openFile(t, path)
			furnish(t, db)
			must(t, db.Update(func(tx Tx) error {
				return tx.PutRecord(rec(t, "Patient", "named", `{"name":"Doe"}`))
			}))
			before := asStored(t, db)
			k, stored := firstOf(t, db, bucket(i))
			if k == nil {
				t.Fatal("no row has it")
			}
			for what, do := range map[string]func(*tx) error{
				"no value":     func(x *tx) error { return x.kv.put(bucket(i), k, []byte("\xffgarbage")) },
				"no row":       func(x *tx) error { return x.kv.put(bucket(i), k, []byte("\x00nobody")) },
				"not there":    func(x *tx) error { return x.kv.del(bucket(i), k) },
				"one too many": func(x *tx) error { return x.kv.put(bucket(i), besideKey(k), stored) },
			} {
				must(t, db.update(func(x *tx) error { x.writes++; return do(x) }))
				r := Report{}
				must(t, db.checkRows(&r))
				spoilt := asStored(t, db) != before
				if spoilt && (!slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "holdpoint compact") }) ||
					slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, "afresh") })) {
					t.Errorf("%s: check says %q", what, r.Problems)
				}
				m := compacted(t, db)
				if spoilt && m.Indexes == 0 && len(r.Problems) > 0 || len(m.Left) > 0 || asStored(t, db) != before {
					t.Errorf("%s: it says %+v, and the same again is there: %v", what, m, asStored(t, db) == before)
				}
			}
			must(t, db.Close())
			soundFile(t, path)
		})
	}
}

// besideKey is a key like k, of nothing.
func besideKey(k []byte) []byte {
	if bytes.HasSuffix(k, []byte{0, 1}) {
		return append(bytes.Clone(k[:len(k)-2]), '!', 0, 1)
	}
	return append(bytes.Clone(k[:len(k)-1]), 0x7F)
}

// "I deleted a conversation, and its request is still in the list." What belongs to a session goes with it although
// the index that leads to it is damaged.
func TestDeleteSession_TakesWhatADamagedIndexDoesNotLeadTo(t *testing.T) {
	for _, in := range []string{"approvals_by_session", "entries_by_session", "runs_by_session", "blobs_by_session"} {
		t.Run(in, func(t *testing.T) {
			conform(t, func(t *testing.T, db *DB) {
				furnish(t, db)
				b := bucket(slices.IndexFunc(buckets, func(i bucketInfo) bool { return i.name == in }))
				var k []byte
				must(t, db.view(func(x *tx) (err error) {
					k, _, err = x.kv.cursor(b, key("s"), pastPrefix(key("s"))).seek(key("s"))
					return err
				}))
				spoilt(t, db, b, k, []byte("\xffgarbage"))
				must(t, db.RebuildSession("s"))
				must(t, db.DeleteSession("s"))
				if r := sane(t, db); r.Sessions != 1 || r.Runs != 2 || r.Approvals != 3 || r.Entries != 3 {
					t.Errorf("left are %+v", r)
				}
			})
		})
	}
}
