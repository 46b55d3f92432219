package library

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"holdpoint/engine/encoder"
)

// The index of words holds, for each term, the passages that it stands in and how often,
// and each passage's length. It knows passages up to a number, through; those after it
// are not found by words yet.
//
// Rows: 's' → state; 'l' block → lengths of passages; 'p' term first → postings: some
// passages with that term, the first of which has the number first. A posting row begins
// with how many there are; each is what its number is above the one before, times two, plus
// one when the term stands there once; else how often follows. All are varints.

const (
	wordsVersion   = 2 // 2: ligatures and letters with strokes are written out
	lengthsPerRow  = 512
	postingsPerRow = 900 // at most 2 bytes each in a common term: below what the store keeps in one piece
)

// progressOf is how far an index is.
type progressOf struct {
	Version int    `json:"version"`
	Through uint64 `json:"through"`
	// Encoder and Dimension are those of the index of meanings.
	Encoder   string `json:"encoder,omitempty"`
	Dimension int    `json:"dimension,omitempty"`
}

// of says whether it is that of an encoder.
func (p progressOf) of(e encoder.Encoder) bool {
	return p.Encoder == e.Name() && p.Dimension == e.Dimension()
}

var stateKey = []byte("s")

func readProgress(rows Rows) (p progressOf, err error) {
	raw, err := rows.Get(stateKey)
	if err == nil && raw != nil && json.Unmarshal(raw, &p) != nil {
		err = fmt.Errorf("%w: its state", ErrBroken)
	}
	return p, err
}

func (p progressOf) write(rows Rows) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return rows.Put(stateKey, raw)
}

// CheckWords fails with ErrBroken unless a row of the index of words can be read.
func CheckWords(k, v []byte) error {
	switch {
	case string(k) == string(stateKey):
		return checkProgress(v)
	case len(k) == 5 && k[0] == 'l' && len(v) == 2*lengthsPerRow:
		return nil
	case len(k) > 0 && k[0] == 'p':
		row, err := openPostings(k, v)
		if err != nil {
			return err
		}
		return row.each(func(uint64, uint32) {})
	}
	return fmt.Errorf("%w: a row of words", ErrBroken)
}

func checkProgress(v []byte) error {
	if json.Unmarshal(v, new(progressOf)) != nil {
		return fmt.Errorf("%w: its state", ErrBroken)
	}
	return nil
}

func numbered(prefix byte, n uint64) []byte {
	return binary.BigEndian.AppendUint32([]byte{prefix}, uint32(n))
}

func postingPrefix(t term) []byte { return binary.BigEndian.AppendUint64([]byte{'p'}, uint64(t)) }

func postingKey(t term, first uint64) []byte {
	return binary.BigEndian.AppendUint32(postingPrefix(t), uint32(first))
}

// posting says that a term stands in a passage, and how often.
type posting struct {
	n     uint64
	times uint32
}

func packPostings(list []posting) []byte {
	out := binary.AppendUvarint(make([]byte, 0, 2*len(list)+4), uint64(len(list)))
	last := list[0].n
	for _, p := range list {
		step := (p.n - last) << 1
		last = p.n
		if p.times == 1 {
			out = binary.AppendUvarint(out, step|1)
			continue
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, step), uint64(p.times))
	}
	return out
}

// postingRow is a row as it was read.
type postingRow struct {
	first uint64
	count int
	data  []byte
}

func openPostings(k, v []byte) (postingRow, error) {
	count, n := binary.Uvarint(v)
	if len(k) != 13 || n <= 0 || count == 0 || count > uint64(len(v)) {
		return postingRow{}, fmt.Errorf("%w: postings", ErrBroken)
	}
	return postingRow{uint64(binary.BigEndian.Uint32(k[9:])), int(count), v[n:]}, nil
}

func (r postingRow) each(fn func(n uint64, times uint32)) error {
	at, data := r.first, r.data
	for range r.count {
		var step uint64
		if len(data) > 0 && data[0] < 0x80 { // nearly always
			step, data = uint64(data[0]), data[1:]
		} else {
			size := 0
			if step, size = binary.Uvarint(data); size <= 0 {
				return fmt.Errorf("%w: postings end early", ErrBroken)
			}
			data = data[size:]
		}
		at += step >> 1
		times := uint64(1)
		if step&1 == 0 {
			size := 0
			if times, size = binary.Uvarint(data); size <= 0 {
				return fmt.Errorf("%w: postings end early", ErrBroken)
			}
			data = data[size:]
		}
		fn(at, uint32(times))
	}
	return nil
}

// counts are the terms of a passage and how often each stands there.
func counts(s *speller, p *Passage, headed bool) (map[term]uint32, int) {
	out, length := map[term]uint32{}, 0
	add := func(t token) {
		if x := s.term(t.text); x != 0 {
			out[x]++
			length++
		}
	}
	tokens(p.Text, add)
	if headed {
		tokens(p.Heading, add)
	}
	told := length // what is no text makes no passage longer
	tokens(p.also, add)
	length = told
	return out, length
}

// addWords puts passages, which follow each other, into the index. spell gives the speller of a passage.
func addWords(rows Rows, passages []Passage, spell func(*Passage) (*speller, bool)) (lengths []uint16, err error) {
	byTerm := map[term][]posting{}
	lengths = make([]uint16, len(passages))
	for i := range passages {
		p := &passages[i]
		s, headed := spell(p)
		terms, length := counts(s, p, headed)
		for t, times := range terms {
			byTerm[t] = append(byTerm[t], posting{p.N, times})
		}
		lengths[i] = uint16(min(length+1, math.MaxUint16)) // 0 is for passages that are gone
	}
	order := make([]term, 0, len(byTerm))
	for t := range byTerm {
		order = append(order, t)
	}
	slices.Sort(order) // neighbours in the store are written together
	for _, t := range order {
		for chunk := range slices.Chunk(byTerm[t], postingsPerRow) {
			if err := rows.Put(postingKey(t, chunk[0].n), packPostings(chunk)); err != nil {
				return nil, err
			}
		}
	}
	for i := range passages {
		if err := putLength(rows, passages, lengths, i); err != nil {
			return nil, err
		}
	}
	return lengths, nil
}

// putLength writes the row of lengths that ends with passage i, if one does.
func putLength(rows Rows, passages []Passage, lengths []uint16, i int) error {
	block := passages[i].N / lengthsPerRow
	if i+1 < len(passages) && passages[i+1].N/lengthsPerRow == block {
		return nil
	}
	row, err := lengthRow(rows, block)
	if err != nil {
		return err
	}
	for k := i; k >= 0 && passages[k].N/lengthsPerRow == block; k-- {
		binary.LittleEndian.PutUint16(row[2*(passages[k].N%lengthsPerRow):], lengths[k])
	}
	return rows.Put(numbered('l', block), row)
}

func lengthRow(rows Rows, block uint64) ([]byte, error) {
	row, err := rows.Get(numbered('l', block))
	if err == nil && row == nil {
		row = make([]byte, 2*lengthsPerRow)
	}
	if err == nil && len(row) != 2*lengthsPerRow {
		err = fmt.Errorf("%w: lengths", ErrBroken)
	}
	return row, err
}

// removeWords takes passages out of the index.
func removeWords(rows Rows, passages []Passage, spell func(*Passage) (*speller, bool)) error {
	gone := map[term]map[uint64]bool{}
	for i := range passages {
		p := &passages[i]
		s, headed := spell(p)
		terms, _ := counts(s, p, headed)
		for t := range terms {
			if gone[t] == nil {
				gone[t] = map[uint64]bool{}
			}
			gone[t][p.N] = true
		}
	}
	if len(passages) == 0 {
		return nil
	}
	first, last := passages[0].N, passages[len(passages)-1].N
	for t, numbers := range gone {
		type change struct{ k, v []byte }
		var changes []change
		if err := rows.Scan(postingPrefix(t), func(k, v []byte) (bool, error) {
			row, err := openPostings(k, v)
			if err != nil || row.first > last {
				return false, err
			}
			var keep []posting
			end := uint64(0)
			if err := row.each(func(n uint64, times uint32) {
				end = n
				if !numbers[n] {
					keep = append(keep, posting{n, times})
				}
			}); err != nil {
				return false, err
			}
			if end >= first && len(keep) < row.count {
				changes = append(changes, change{k: slices.Clone(k)})
				if len(keep) > 0 {
					changes = append(changes, change{postingKey(t, keep[0].n), packPostings(keep)})
				}
			}
			return true, nil
		}); err != nil {
			return err
		}
		for _, c := range changes {
			do := func() error { return rows.Delete(c.k) }
			if c.v != nil {
				do = func() error { return rows.Put(c.k, c.v) }
			}
			if err := do(); err != nil {
				return err
			}
		}
	}
	zero := make([]uint16, len(passages))
	for i := range passages {
		if err := putLength(rows, passages, zero, i); err != nil {
			return err
		}
	}
	return nil
}

// BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), with the
// usual constants: how soon more of a word counts no more, and how much length counts.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// scored is a passage and how well it fits.
type scored struct {
	n     uint64
	score float32
}

// byScore orders the best first; equal ones by their number, so that an answer is the same each time.
func byScore(a, b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.n, b.n))
}

// best keeps the k best of what it is given.
func best(list []scored, k int) []scored {
	slices.SortFunc(list, byScore)
	return list[:min(k, len(list))]
}
