package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// goldenRows are some rows of every bucket of the golden store.
func goldenRows(f *testing.F, visit func(bucket string, k, v []byte)) {
	f.Helper()
	db, err := bolt.Open(golden(f, 1), 0o600, &bolt.Options{ReadOnly: true})
	must(f, err)
	must(f, db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			n := 0
			return b.ForEach(func(k, v []byte) error {
				if n++; n%50 == 1 {
					visit(string(name), bytes.Clone(k), bytes.Clone(v))
				}
				return nil
			})
		})
	}))
	must(f, db.Close())
}

// FuzzKeys takes keys apart: whatever comes apart goes together to the same bytes.
func FuzzKeys(f *testing.F) {
	goldenRows(f, func(_ string, k, _ []byte) { f.Add(k) })
	f.Fuzz(func(t *testing.T, k []byte) {
		var again, rest = []byte(nil), k
		for {
			part, more, err := splitText(rest)
			if err != nil {
				break
			}
			again, rest = textKey(again, part), more
		}
		if !bytes.Equal(append(again, rest...), k) {
			t.Errorf("%x became %x", k, append(again, rest...))
		}
		if end := pastPrefix(k); end != nil && (bytes.Compare(end, k) <= 0 || bytes.HasPrefix(end, k) && len(k) > 0) {
			t.Errorf("%x is not past %x", end, k)
		}
		if parts, err := splitTexts(k, 2); err == nil && !bytes.Equal(key(parts...), k) {
			t.Errorf("%x has the parts %q", k, parts)
		}
	})
}

// FuzzKeysOrder compares the order of keys with that of their parts.
func FuzzKeysOrder(f *testing.F) {
	f.Add("a", "b", "a\x00", "b")
	f.Add("", "\x00\x01", "\x00", "\x01")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		want := bytes.Compare([]byte(a), []byte(c))
		if want == 0 {
			want = bytes.Compare([]byte(b), []byte(d))
		}
		if got := bytes.Compare(key(a, b), key(c, d)); got != want {
			t.Errorf("(%q, %q) against (%q, %q): %d, want %d", a, b, c, d, got, want)
		}
	})
}

// FuzzRows reads what is not a row as one, in every table that is declared: ErrDamaged or a row whose
// key is the one that it was read from, and whose indexes lead back to it, never a panic.
func FuzzRows(f *testing.F) {
	goldenRows(f, func(bucket string, k, v []byte) {
		if len(v) > 0 && v[0] == markWhole {
			f.Add(k, v[1:])
		}
	})
	f.Fuzz(func(t *testing.T, k, v []byte) {
		for name, tb := range tables {
			if err := tb.legible(k, v); err != nil && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for b := range buckets {
			if whole, p, err := parseValue(bucket(b), v); err == nil && whole == nil && !bare(bucket(b)) && p.count() > p.size {
				t.Errorf("%d bytes in %d pieces", p.size, p.count())
			}
		}
	})
}

// FuzzPages damages the golden store's file in two places and walks its pages: that
// ends, without a panic.
func FuzzPages(f *testing.F) {
	good, err := os.ReadFile(golden(f, 1))
	must(f, err)
	page := os.Getpagesize()
	used := int(binary.LittleEndian.Uint64(good[pageHead+40:])) * page
	for n := range 12 {
		at := n * used / 12
		f.Add(uint32(at), good[at:at+32], uint32(at+page), []byte{0xff, 0xff, 0xff, 0xff})
	}
	f.Add(uint32(pageHead+16), []byte{3}, uint32(page+8), []byte{0x01})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, at2 uint32, patch2 []byte) {
		body := bytes.Clone(good)
		copy(body[int(at)%len(body):], patch)
		copy(body[int(at2)%len(body):], patch2)
		s := &pageScan{f: bytes.NewReader(body), deep: true, seen: map[uint64]bool{}}
		if err := s.all(); err == nil && len(s.seen) > len(body)/512 {
			t.Errorf("%d pages in %d bytes", len(s.seen), len(body))
		}
	})
}
