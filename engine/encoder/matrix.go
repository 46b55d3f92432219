package encoder

import "unsafe"

const (
	tile    = 16 // columns of a panel
	rowsOf  = 6  // rows that are multiplied at once
	maxSum  = 1<<31 - 1
	maxByte = 127
)

// matrix is k×n weights of 8 bits: value = weight × step. They lie in panels of 16
// columns, in a panel by pairs along k: column 0's two, column 1's two, …
type matrix struct {
	k, n   int
	step   float32
	packed []int8
}

// newMatrix packs weights that lie row by row. k is even and n a multiple of 16.
func newMatrix(k, n int, step float32, rows []int8) matrix {
	m := matrix{k: k, n: n, step: step, packed: make([]int8, k*n)}
	for i := range k {
		for j := range n {
			m.packed[j/tile*tile*k+i/2*2*tile+j%tile*2+i%2] = rows[i*n+j]
		}
	}
	return m
}

// reach is the largest value of a row of k that no sum of products overflows.
func reach(k int) int { return min(maxSum/(maxByte*k), 1<<15-1) }

// multiply writes rows × weights, exactly, to out: row r from out[r*m.n] on. Each row is
// k values, none beyond reach.
func (m *matrix) multiply(out []int32, rows []*int16) {
	if !vector {
		m.multiplyPlain(out, rows)
		return
	}
	var sums [rowsOf * tile]int32 // of rows that are too few to be written at once
	var few [rowsOf]*int16
	for column := 0; column < m.n; column += tile {
		panel := &m.packed[column*m.k]
		for r := 0; r < len(rows); {
			left := len(rows) - r
			if left >= rowsOf {
				_ = out[(r+rowsOf)*m.n-1]
				multiply6(&out[r*m.n+column], m.n, (*[rowsOf]*int16)(rows[r:]), panel, m.k/2)
				r += rowsOf
				continue
			}
			if left > 2 {
				copy(few[:], rows[r:])
				for i := left; i < rowsOf; i++ {
					few[i] = few[0]
				}
				multiply6(&sums[0], tile, &few, panel, m.k/2)
			} else {
				few[0], few[1] = rows[r], rows[len(rows)-1]
				multiply2(&sums[0], tile, &few, panel, m.k/2)
			}
			for i := range left {
				copy(out[(r+i)*m.n+column:][:tile], sums[i*tile:])
			}
			break
		}
	}
}

// multiplyPlain is the same without vector instructions. A 64-bit product carries two
// columns: the low half's sum fits 32 bits, so what it borrows from the high half is known.
func (m *matrix) multiplyPlain(out []int32, rows []*int16) {
	pairs := make([][tile / 2]int64, m.k)
	for column := 0; column < m.n; column += tile {
		panel := m.packed[column*m.k:][:tile*m.k]
		for i := range pairs {
			line := panel[i/2*2*tile+i%2:]
			for j := range tile / 2 {
				pairs[i][j] = int64(line[4*j]) + int64(line[4*j+2])<<32
			}
		}
		for r, row := range rows {
			var s0, s1, s2, s3, s4, s5, s6, s7 int64
			for i, value := range unsafe.Slice(row, m.k) {
				a, p := int64(value), &pairs[i]
				s0 += a * p[0]
				s1 += a * p[1]
				s2 += a * p[2]
				s3 += a * p[3]
				s4 += a * p[4]
				s5 += a * p[5]
				s6 += a * p[6]
				s7 += a * p[7]
			}
			to := out[r*m.n+column:][:tile]
			for j, s := range [tile / 2]int64{s0, s1, s2, s3, s4, s5, s6, s7} {
				low := int32(s)
				to[2*j], to[2*j+1] = low, int32((s-int64(low))>>32)
			}
		}
	}
}
