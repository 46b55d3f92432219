package store

import "sync"

// A guest is a bucket whose rows lie in another one in the file, each behind the rows there whose
// keys begin with the same text: rows of one run that are written together share their pages.
// Only the file knows; everybody else sees two buckets.
//
// The key of such a row is the text, 0xFF, the guest's mark and the rest. A host's own keys never
// have 0xFF there: it begins no text, and no number in use.
type guest struct {
	of    string // the host's name; "" for a bucket of its own
	mark  byte   // from 1, part of the file format
	since int    // the schema from which on it is a guest; before, the file had a bucket of its name
}

const guestMark = 0xFF

// is says whether a file of a schema has the rows at a host.
func (g guest) is(schema int) bool { return g.of != "" && g.since <= schema }

// marksOf are the marks of a host's guests.
var marksOf = sync.OnceValue(func() map[string][]byte {
	marks := map[string][]byte{}
	for _, b := range buckets {
		if b.guest.of != "" {
			marks[b.guest.of] = append(marks[b.guest.of], b.guest.mark)
		}
	}
	return marks
})

// textLen is how long the first text of a key is, with its end; 0 for none.
func textLen(k []byte) int {
	for i := 0; i+1 < len(k); i++ {
		if k[i] == 0 {
			if k[i+1] == 1 {
				return i + 2
			}
			i++
		}
	}
	return 0
}

// outer is a key as the file has it. A bound without a whole text stays: nothing behind decides on it.
func (g guest) outer(k []byte) []byte {
	n := textLen(k)
	if g.of == "" || n == 0 {
		return k
	}
	return append(append(append(make([]byte, 0, len(k)+2), k[:n]...), guestMark, g.mark), k[n:]...)
}

// inner is the key of a guest's row in the file without its mark.
func (g guest) inner(k []byte) []byte {
	if g.of == "" {
		return k
	}
	n := textLen(k)
	return append(append(make([]byte, 0, len(k)-2), k[:n]...), k[n+2:]...)
}

// whose is the mark in a row's key, 0 for the host's own, and the length of the text it begins with.
func whose(k []byte) (mark byte, n int) {
	if n = textLen(k); n > 0 && len(k) > n+1 && k[n] == guestMark {
		mark = k[n+1]
	}
	return mark, n
}
