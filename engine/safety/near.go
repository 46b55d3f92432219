package safety

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
)

// near.bin is what `holdpoint bench safety --train DIR` wrote beside words.bin: the signs of
// the vectors of what was written to learn from (lessons). Nobody's words are in it.
//
//go:embed near.bin
var nearFile []byte

// A short message has so many words at least and at most. Some ten words say little of what
// they are about: what lies nearest says it. A greeting lies near nothing.
const leastShort, mostShort = 4, 24

func short(text string) bool {
	n := wordsOf(text, mostShort)
	return leastShort <= n && n <= mostShort
}

// few says that a message has too few words for its meaning: a greeting lies anywhere.
func few(text string) bool { return wordsOf(text, leastShort) < leastShort }

// nearSharp is how much more a nearer statement counts: e^(nearSharp × cosine).
const nearSharp = 26

// Near holds written statements, with and without danger, each as the signs of its vector's
// distance from their middle. It is read-only and safe for concurrent use.
type Near struct {
	middle []float32
	// scale is the middle distance from the middle, of one value.
	scale  float32
	danger []bool
	signs  []byte    // len(middle)/8 bytes for each statement
	length []float64 // of the statements as they are kept
}

var nearMagic = []byte("hpnear01")

// ReadNear reads what Near.Bytes wrote.
func ReadNear(b []byte) (*Near, error) {
	bad := fmt.Errorf("safety: %d bytes are not the statements of the meaning tier", len(b))
	if !bytes.HasPrefix(b, nearMagic) || len(b) < len(nearMagic)+12 {
		return nil, bad
	}
	b = b[len(nearMagic):]
	dimension, count := int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))
	n := &Near{scale: math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))}
	b = b[12:]
	if dimension <= 0 || dimension%8 != 0 || dimension > 1<<16 || count <= 0 || count > 1<<16 || len(b) != 4*dimension+count*(1+dimension/8) {
		return nil, bad
	}
	for i := range dimension {
		n.middle = append(n.middle, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	b = b[4*dimension:]
	for _, x := range b[:count] {
		n.danger = append(n.danger, x == 1)
	}
	n.signs = b[count:]
	n.measure()
	return n, nil
}

// Bytes is the file form, 65 bytes for a statement.
func (n *Near) Bytes() []byte {
	b := append([]byte{}, nearMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(n.middle)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(n.danger)))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n.scale))
	for _, x := range n.middle {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	for _, d := range n.danger {
		b = append(b, byte(side(d)))
	}
	return append(b, n.signs...)
}

// measure fills the lengths.
func (n *Near) measure() {
	own := 0.0
	for _, x := range n.middle {
		own += float64(x) * float64(x)
	}
	table := n.table(n.middle)
	n.length = make([]float64, len(n.danger))
	for i := range n.length {
		s := float64(n.scale)
		n.length[i] = math.Sqrt(max(1e-9, own+2*s*n.sum(table, i)+s*s*float64(len(n.middle))))
	}
}

// table has, for each byte of signs and each value of it, the sum of a vector's values there.
func (n *Near) table(v []float32) []float32 {
	out := make([]float32, 256*(len(v)/8))
	for at := 0; at < len(v)/8; at++ {
		row, part := out[256*at:256*(at+1)], v[8*at:8*(at+1)]
		for _, x := range part {
			row[0] -= x
		}
		for value := 1; value < 256; value++ {
			low := value & -value
			bit := 0
			for low>>bit != 1 {
				bit++
			}
			row[value] = row[value&^low] + 2*part[bit]
		}
	}
	return out
}

// sum is the product of a vector, of which the table is, with the signs of a statement.
func (n *Near) sum(table []float32, statement int) float64 {
	width := len(n.middle) / 8
	sum := float32(0)
	for at, b := range n.signs[statement*width : (statement+1)*width] {
		sum += table[256*at+int(b)]
	}
	return float64(sum)
}

// score is how much nearer a vector of length 1 is to the statements of danger than to the
// others, as log-odds.
func (n *Near) score(v []float32) float64 {
	middle := 0.0
	for i, x := range v {
		middle += float64(x) * float64(n.middle[i])
	}
	table := n.table(v)
	danger, rest := 0.0, 0.0
	for i, d := range n.danger {
		e := math.Exp(nearSharp * (middle + float64(n.scale)*n.sum(table, i)) / n.length[i])
		if d {
			danger += e
		} else {
			rest += e
		}
	}
	return math.Log(danger) - math.Log(rest)
}

// fitNear keeps the statements that were written to learn from; nil without them or without
// vectors.
func fitNear(list lessons) *Near {
	list = list.of(func(s lesson) bool { return s.written() && s.whole != nil })
	danger := list.of(func(s lesson) bool { return s.crisis })
	if len(danger) == 0 || len(danger) == len(list) {
		return nil
	}
	n := &Near{middle: make([]float32, len(list[0].whole))}
	for _, s := range list {
		for i, x := range s.whole {
			n.middle[i] += x / float32(len(list))
		}
	}
	total := 0.0
	for _, s := range list {
		n.danger = append(n.danger, s.crisis)
		signs := make([]byte, len(s.whole)/8)
		for i, x := range s.whole {
			d := x - n.middle[i]
			total += math.Abs(float64(d))
			if d > 0 {
				signs[i/8] |= 1 << (i % 8)
			}
		}
		n.signs = append(n.signs, signs...)
	}
	n.scale = float32(total / float64(len(list)*len(n.middle)))
	n.measure()
	return n
}
