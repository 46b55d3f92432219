package encoder

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Ids with a meaning of their own.
const (
	unknown = 0 // one character that no piece stands for
	begin   = 1
	end     = 2
)

const (
	space           = "\u2581" // stands for a blank in pieces
	unknownPenalty  = 10       // below the worst piece: an unknown character is the last resort
	replacementChar = "\uFFFD"
)

// tokenizer cuts text into the pieces of a SentencePiece unigram vocabulary
// (Kudo 2018, "Subword Regularization"). It is read-only after newTokenizer.
type tokenizer struct {
	units   []uint32 // double array of the character map, in Darts' layout
	replace []byte   // what the map writes: texts that end with a zero byte

	nodes   []node
	roots   [256]int32 // the root's children, by their byte; 0 for none
	scores  []float32  // by id
	unknown float64    // score of an unknown character
}

// node is one byte of a piece. Its children are nodes[first:first+count], by rising byte.
type node struct {
	first int32
	id    int32 // of the piece that ends here; -1 for none
	count uint16
	char  byte
}

// newTokenizer takes the vocabulary's pieces by rising text, each with its id, the scores
// by id, and the character map. The error says which of them is broken.
func newTokenizer(pieces []string, ids []int32, scores []float32, charmap []byte) (*tokenizer, error) {
	if len(pieces) != len(ids) || len(pieces) == 0 || len(scores) <= end {
		return nil, fmt.Errorf("%w: %d pieces, %d ids, %d scores", ErrBroken, len(pieces), len(ids), len(scores))
	}
	for i, p := range pieces {
		if ids[i] <= end || int(ids[i]) >= len(scores) || p == "" || (i > 0 && pieces[i-1] >= p) {
			return nil, fmt.Errorf("%w: the piece %q", ErrBroken, p)
		}
	}
	if len(charmap) < 4 {
		return nil, fmt.Errorf("%w: the character map is empty", ErrBroken)
	}
	size := int(binary.LittleEndian.Uint32(charmap))
	if size%4 != 0 || size == 0 || size > len(charmap)-4 {
		return nil, fmt.Errorf("%w: the character map's size", ErrBroken)
	}
	t := &tokenizer{units: make([]uint32, size/4), replace: charmap[4+size:], scores: scores}
	for i := range t.units {
		t.units[i] = binary.LittleEndian.Uint32(charmap[4+4*i:])
	}
	if n := len(t.replace); n > 0 && t.replace[n-1] != 0 {
		return nil, fmt.Errorf("%w: the character map has no end", ErrBroken)
	}
	t.unknown = float64(slices.Min(scores)) - unknownPenalty
	t.plant(pieces, ids)
	return t, nil
}

// plant builds the trie, breadth first, so that siblings lie side by side.
func (t *tokenizer) plant(pieces []string, ids []int32) {
	// span is the pieces that share a node's way from the root.
	type span struct{ from, to, node int32 }
	t.nodes = append(make([]node, 0, 4*len(pieces)), node{id: -1})
	level, next := []span{{0, int32(len(pieces)), 0}}, []span(nil)
	for depth := 0; len(level) > 0; depth++ {
		next = next[:0]
		for _, s := range level {
			i := s.from
			if len(pieces[i]) == depth {
				t.nodes[s.node].id = ids[i]
				i++
			}
			t.nodes[s.node].first = int32(len(t.nodes))
			for i < s.to {
				char, from := pieces[i][depth], i
				for i < s.to && pieces[i][depth] == char {
					i++
				}
				next = append(next, span{from, i, int32(len(t.nodes))})
				t.nodes = append(t.nodes, node{id: -1, char: char})
			}
			t.nodes[s.node].count = uint16(len(t.nodes) - int(t.nodes[s.node].first))
		}
		level, next = next, level
	}
	root := t.nodes[0]
	for i := root.first; i < root.first+int32(root.count); i++ {
		t.roots[t.nodes[i].char] = i
	}
}

// child is the node behind n for a byte; 0 when there is none.
func (t *tokenizer) child(n int32, char byte) int32 {
	at := &t.nodes[n]
	low, high := at.first, at.first+int32(at.count)
	for high-low > 8 {
		middle := int32(uint32(low+high) / 2)
		if t.nodes[middle].char <= char {
			low = middle
		} else {
			high = middle
		}
	}
	for ; low < high; low++ {
		if t.nodes[low].char == char {
			return low
		}
	}
	return 0
}

// mapped is what the character map makes of the text's start, and how many bytes
// that takes. The longest entry wins; a character without one stays, and a byte
// that is no UTF-8 becomes U+FFFD.
func (t *tokenizer) mapped(text string) (out string, took int) {
	at, found := t.unit(0), -1
	pos := offset(at)
	for i := 0; i < len(text); i++ {
		pos ^= uint32(text[i])
		at = t.unit(pos)
		if at&(1<<31|0xff) != uint32(text[i]) {
			break
		}
		pos ^= offset(at)
		if at>>8&1 == 1 {
			found, took = int(t.unit(pos)&^(1<<31)), i+1
		}
	}
	if found >= 0 && found < len(t.replace) {
		for n, b := range t.replace[found:] {
			if b == 0 {
				return byteString(t.replace[found : found+n]), took
			}
		}
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n == 1 {
		return replacementChar, 1
	}
	return text[:n], n
}

func (t *tokenizer) unit(i uint32) uint32 {
	if int(i) < len(t.units) {
		return t.units[i]
	}
	return 1 << 31 // no byte's label
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// words are the buffers of one tokenisation, for reuse.
type words struct {
	text []byte
	best []step
}

// step is the best way to a place in the text.
type step struct {
	score float64
	from  int32 // where the last piece begins; -1 while no way is known
	id    int32
}

// normalise writes the text as pieces are written: mapped characters, one U+2581 in
// front and for each run of blanks within, none behind.
func (t *tokenizer) normalise(out []byte, text string) []byte {
	blank := true // the text's start counts as one
	for len(text) > 0 {
		piece, n := t.mapped(text)
		text = text[n:]
		for i := 0; i < len(piece); i++ {
			if piece[i] == ' ' {
				blank = true
				continue
			}
			if blank {
				out, blank = append(out, space...), false
			}
			out = append(out, piece[i])
		}
	}
	return out
}

// letters counts the letters of a text, and those of them that no piece stands for. Most
// letters of Greek have a piece, as signs; a word of them is as strange for that.
func (t *tokenizer) letters(text string) (all, strange int) {
	sign := false
	for _, r := range string(t.normalise(nil, text)) {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			sign = false
			continue
		}
		all++
		before := sign
		if sign = unicode.Is(unicode.Greek, r); sign && before {
			strange++
			continue
		}
		n, char := int32(0), string(r)
		if n = t.roots[char[0]]; n != 0 {
			for i := 1; i < len(char) && n != 0; i++ {
				n = t.child(n, char[i])
			}
		}
		if n == 0 || t.nodes[n].id < 0 {
			strange++
		}
	}
	return all, strange
}

// tokens appends the text's ids to out: begin, the pieces with the highest sum of
// scores, end. A text of blanks has one unknown between them; one that spells out a
// control piece does not become it.
func (t *tokenizer) tokens(out []int32, text string, w *words) []int32 {
	w.text = t.normalise(w.text[:0], text)
	s := w.text
	out = append(out, begin)
	if len(s) == 0 {
		return append(out, unknown, end)
	}
	w.best = slices.Grow(w.best[:0], len(s)+1)[:len(s)+1]
	best := w.best
	for i := range best {
		best[i].from = -1
	}
	best[0] = step{}
	for i := 0; i < len(s); {
		_, char := utf8.DecodeRune(s[i:])
		here, alone := best[i].score, false
		for n, to := t.roots[s[i]], i+1; n != 0; to++ {
			if id := t.nodes[n].id; id >= 0 {
				alone = alone || to == i+char
				if score := here + float64(t.scores[id]); best[to].from < 0 || score > best[to].score {
					best[to] = step{score, int32(i), id}
				}
			}
			if to == len(s) {
				break
			}
			n = t.child(n, s[to])
		}
		if to := i + char; !alone {
			if score := here + t.unknown; best[to].from < 0 || score > best[to].score {
				best[to] = step{score, int32(i), unknown}
			}
		}
		i += char
	}
	first := len(out)
	for i := int32(len(s)); i > 0; i = best[i].from {
		out = append(out, best[i].id)
	}
	slices.Reverse(out[first:])
	return append(out, end)
}
