package store

import "sync"

// interleave says that a bucket's rows lie in another one in the file, its parent, each behind the rows there whose
// keys begin with the same text: rows of one run that are written together share their pages.
// Only the file knows; everybody else sees two buckets.
//
// The key of such a row is the text, 0xFF, the bucket's mark and the rest. A parent's own keys never
// have 0xFF there: it begins no text, and no number in use.
type interleave struct {
	in    string // the parent's name; "" for a bucket of its own
	mark  byte   // from 1, part of the file format
	since int    // the schema from which on they lie there; before, the file had a bucket of its name
}

const interleaved = 0xFF

// is says whether a file of a schema has the rows at the parent.
func (g interleave) is(schema int) bool { return g.in != "" && g.since <= schema }

// marksOf are the marks of a parent's interleaved buckets.
var marksOf = sync.OnceValue(func() map[string][]byte {
	marks := map[string][]byte{}
	for _, b := range buckets {
		if b.interleave.in != "" {
			marks[b.interleave.in] = append(marks[b.interleave.in], b.interleave.mark)
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
func (g interleave) outer(k []byte) []byte {
	n := textLen(k)
	if g.in == "" || n == 0 {
		return k
	}
	return append(append(append(make([]byte, 0, len(k)+2), k[:n]...), interleaved, g.mark), k[n:]...)
}

// inner is the key of an interleaved row in the file without its mark.
func (g interleave) inner(k []byte) []byte {
	if g.in == "" {
		return k
	}
	n := textLen(k)
	return append(append(make([]byte, 0, len(k)-2), k[:n]...), k[n+2:]...)
}

// whose is the mark in a row's key, 0 for the parent's own, and the length of the text it begins with.
func whose(k []byte) (mark byte, n int) {
	if n = textLen(k); n > 0 && len(k) > n+1 && k[n] == interleaved {
		mark = k[n+1]
	}
	return mark, n
}
