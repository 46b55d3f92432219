package library

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// The index of meanings holds a vector for each passage, and for a quick look the signs of
// its values, a bit each. Of the passages whose signs differ least from the question's, those
// are taken whose signs go best with the question's values, and their vectors are compared: each
// of them may lie on a page of the file of its own. Vectors are kept as whole numbers of 8 bits with one scale; that
// changes a cosine by about 0.001.
//
// Rows: 's' → state; 'c' block → signs of codesPerRow passages; 'v' n → vector.

const (
	meaningVersion = 1
	codesPerRow    = 16
	// alike are how many passages have their signs weighed, at least; candidates how many have
	// their vectors compared.
	alike, candidates = 4000, 400
)

// codeWords is how many words of 64 bits the signs of a vector fill.
func codeWords(dimension int) int { return (dimension + 63) / 64 }

func codeOf(v []float32, into []uint64) {
	clear(into)
	for i, x := range v {
		if x > 0 {
			into[i/64] |= 1 << (i % 64)
		}
	}
}

// packVector keeps a vector in 4 + dimension bytes.
func packVector(v []float32) []byte {
	var top float32
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	scale := top / 127
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(v)), math.Float32bits(scale))
	for _, x := range v {
		q := 0.0
		if scale > 0 {
			q = math.Round(float64(x / scale))
		}
		out = append(out, byte(int8(q)))
	}
	return out
}

// unpackVector is the vector that was packed, in dimension values.
func unpackVector(packed []byte, dimension int) ([]float32, error) {
	if len(packed) != 4+dimension {
		return nil, fmt.Errorf("%w: a vector", ErrBroken)
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(packed))
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(int8(packed[4+i])) * scale
	}
	return v, nil
}

// CheckMeaning fails with ErrBroken unless a row of the index of meanings can be read. How long it has to be the
// state says, which a search compares.
func CheckMeaning(k, v []byte) error {
	switch {
	case string(k) == string(stateKey):
		return checkProgress(v)
	case len(k) == 5 && k[0] == 'c' && len(v) > 0 && len(v)%(8*codesPerRow) == 0, len(k) == 5 && k[0] == 'v' && len(v) > 4:
		return nil
	}
	return fmt.Errorf("%w: a row of meanings", ErrBroken)
}

// addMeaning keeps the vectors of passages, which follow each other.
func addMeaning(rows Rows, passages []Passage, vectors [][]float32, dimension int) (codes []uint64, err error) {
	words := codeWords(dimension)
	codes = make([]uint64, len(passages)*words)
	for i := range passages {
		code := codes[i*words : (i+1)*words]
		codeOf(vectors[i], code)
		if err := rows.Put(numbered('v', passages[i].N), packVector(vectors[i])); err != nil {
			return nil, err
		}
	}
	return codes, putCodes(rows, passages, codes, words)
}

func putCodes(rows Rows, passages []Passage, codes []uint64, words int) error {
	var row []byte
	for i := range passages {
		block, at := passages[i].N/codesPerRow, int(passages[i].N%codesPerRow)
		if i == 0 || passages[i-1].N/codesPerRow != block {
			var err error
			if row, err = codeRow(rows, block, words); err != nil {
				return err
			}
		}
		for k, w := range codes[i*words : (i+1)*words] {
			binary.LittleEndian.PutUint64(row[8*(at*words+k):], w)
		}
		if i+1 == len(passages) || passages[i+1].N/codesPerRow != block {
			if err := rows.Put(numbered('c', block), row); err != nil {
				return err
			}
		}
	}
	return nil
}

func codeRow(rows Rows, block uint64, words int) ([]byte, error) {
	row, err := rows.Get(numbered('c', block))
	if err == nil && row == nil {
		row = make([]byte, 8*words*codesPerRow)
	}
	if err == nil && len(row) != 8*words*codesPerRow {
		err = fmt.Errorf("%w: signs", ErrBroken)
	}
	return row, err
}

func removeMeaning(rows Rows, passages []Passage, dimension int) error {
	for i := range passages {
		if err := rows.Delete(numbered('v', passages[i].N)); err != nil {
			return err
		}
	}
	words := codeWords(dimension)
	return putCodes(rows, passages, make([]uint64, len(passages)*words), words)
}

// nearest are the passages whose vectors are worth comparing, in their order: of the many whose
// signs differ least from those of v, the k for which the values of weights with these signs have
// the largest sum (asymmetric distance: Gordo et al., "Asymmetric Distances for Binary
// Embeddings", 2014). allowed says which count.
func nearest(v, weights []float32, codes []uint64, through, many, k int, allowed func(n int) bool) []uint64 {
	words := codeWords(len(v))
	code := make([]uint64, words)
	codeOf(v, code)
	far := make([]uint16, through+1) // 1 above the distance; 0 for what does not count
	histogram := make([]int, 64*words+2)
	for n := 1; n <= through; n++ {
		if !allowed(n) {
			continue
		}
		d := 1
		for i, w := range codes[n*words : (n+1)*words] {
			d += bits.OnesCount64(w ^ code[i])
		}
		far[n] = uint16(d)
		histogram[d]++
	}
	most, sum := 0, 0
	for d, n := range histogram {
		if sum += n; sum >= many {
			most = d
			break
		}
		most = d
	}
	sums := signSums(weights)
	t := top{k: k, floor: -math.MaxFloat32}
	for n, d := range far {
		if d == 0 || int(d) > most {
			continue
		}
		var sum float32
		for i, w := range codes[n*words : (n+1)*words] {
			for k := range 8 {
				sum += sums[8*i+k][byte(w>>(8*k))]
			}
		}
		t.add(uint64(n), sum)
	}
	out := make([]uint64, 0, k)
	for _, s := range t.end() {
		out = append(out, s.n)
	}
	slices.Sort(out) // as they lie in the store
	return out
}

// signSums are, for every 8 values and each choice of their signs, the sum of those that are chosen.
func signSums(values []float32) [][256]float32 {
	out := make([][256]float32, 8*codeWords(len(values)))
	for i, x := range values {
		sums, bit := &out[i/8], 1<<(i%8)
		for choice := bit; choice < 256; choice++ {
			if choice&bit != 0 {
				sums[choice] += x
			}
		}
	}
	return out
}
