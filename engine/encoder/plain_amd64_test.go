package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainly switches the vector instructions off until the test ends.
func plainly(t testing.TB) {
	before := vector
	vector = false
	t.Cleanup(func() { vector = before })
}

// "The numbers are wrong on processors with AVX2": each function against its plain twin.
func TestVectorFunctions_give_the_bits_of_their_plain_twins(t *testing.T) {
	if !vector {
		t.Skip("this processor has none that are used")
	}
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(random.NormFloat64() * 10)
		}
		return out
	}
	twice := func(name string, n int, run func(out []float32)) {
		t.Helper()
		start := draw(n)
		with, without := slices.Clone(start), slices.Clone(start)
		run(with)
		vector = false
		run(without)
		vector = true
		if !slices.Equal(with, without) {
			t.Errorf("%s of %d values differs", name, n)
		}
	}
	for _, n := range []int{32, 256, 320, 512, 768, 1280} {
		x, gain, offset := draw(n), draw(n), draw(n)
		whole, bytes := make([]int32, n), make([]byte, n)
		for i := range n {
			whole[i], bytes[i] = random.Int32()-1<<30, byte(random.IntN(256))
		}
		twice("sum", n, func(out []float32) { out[0] = sum(x) })
		twice("squares", n, func(out []float32) { out[0] = squares(x, 1.5) })
		twice("peak", n, func(out []float32) { out[0] = peak(x) })
		twice("whiten", n, func(out []float32) { whiten(out, x, gain, offset, 0.3, 1.7) })
		twice("gather", n, func(out []float32) { gather(out, x, 0.3, 1.7) })
		twice("affine", n, func(out []float32) { affine(out, whole, 1e-3, offset) })
		twice("add", n, func(out []float32) { add(out, x) })
		twice("reluAdd", n, func(out []float32) { reluAdd(out, x) })
		twice("spread", n, func(out []float32) { spread(out, bytes, 0.1, -3) })
		twice("quantise", n, func(out []float32) {
			narrow := make([]int16, n)
			halves := slices.Clone(x)
			halves[0], halves[1], halves[2] = 0.5, 1.5, -2.5 // to the even one
			quantise(narrow, halves, 1)
			for i, v := range narrow {
				out[i] = float32(v)
			}
		})
	}
}

// The same for the functions that work on a branch's values.
func TestBranchFunctions_give_the_bits_of_their_plain_twins(t *testing.T) {
	if !vector {
		t.Skip("this processor has none that are used")
	}
	random := rand.New(rand.NewPCG(9, 10))
	draw := func(out []float32) []float32 {
		for i := range out {
			out[i] = float32(random.NormFloat64())
		}
		return out
	}
	// both runs it with the vector instructions and without, on the same values.
	both := func(run func()) {
		run()
		vector = false
		run()
		vector = true
	}
	tokens := make([]*token, 5+ahead)
	for i := range tokens {
		tokens[i] = new(token)
		for l := range tokens[i].part {
			part := tokens[i].part[l][:]
			values := draw(make([]float32, len(part)))
			values[0], values[1] = math.Float32frombits(0x3f808000), math.Float32frombits(0x3f818000) // halves, to the even one
			var got [][]half
			both(func() {
				halve(part, values)
				got = append(got, slices.Clone(part))
			})
			if !slices.Equal(got[0], got[1]) || part[0] != 0x3f80 || part[1] != 0x3f82 {
				t.Fatalf("halve differs: %x and %x", part[0], part[1])
			}
		}
		halve(tokens[i].x[:], draw(make([]float32, joined)))
	}
	weights, pairs := make([]int8, 40*side), make([]pair, side/2)
	for i := range weights {
		weights[i] = int8(random.IntN(256) - 128)
	}
	for i := range pairs {
		for k := range 2 {
			pairs[i].at[k], pairs[i].by[k] = int32(random.IntN(38)+2)*side, int16(random.IntN(reach(side)+1))
		}
	}
	for count := 1; count <= len(tokens)-ahead; count++ {
		for layer := range 2 {
			var got [][]float32
			var marked [][]uint64
			both(func() {
				sum, out, marks := make([]float32, side), make([]float32, side), make([]uint64, side/64)
				addTaps(sum, tokens[:count], layer, taps-count)
				sum[0], sum[1] = 0, -sum[2]
				bend(out, sum, tokens[0].x[side:], marks)
				got, marked = append(got, sum, slices.Clone(out)), append(marked, marks)
				addLines(out, weights, pairs[:len(pairs)/(len(tokens)-ahead)*count], -2*side, 0.7e-3)
				got = append(got, out)
			})
			for i, name := range []string{"addTaps", "bend", "addLines"} {
				if !slices.Equal(got[i], got[i+3]) {
					t.Errorf("%s differs, %d tokens", name, count)
				}
			}
			for j, v := range got[0] {
				if above := marked[0][j/64]>>(j%64)&1 == 1; above != (v > 0) {
					t.Fatalf("%v is marked: %v", v, above)
				}
			}
			if !slices.Equal(marked[0], marked[1]) {
				t.Errorf("the marks differ, %d tokens", count)
			}
		}
	}
}

// The products at the ends of what 16 and 8 bits hold, for all numbers of rows.
func TestMultiply_is_exact(t *testing.T) {
	if !vector {
		t.Skip("this processor has none that are used")
	}
	random := rand.New(rand.NewPCG(7, 8))
	for _, k := range []int{side, hidden, wide, all} {
		const n = 48
		weights := make([]int8, k*n)
		for i := range weights {
			weights[i] = []int8{-127, 127, int8(random.IntN(255) - 127)}[random.IntN(3)]
		}
		m := newMatrix(k, n, 1, weights)
		for count := range 15 {
			rows, values := make([]*int16, count), make([][]int16, count)
			for r := range rows {
				values[r] = make([]int16, k)
				for i := range values[r] {
					values[r][i] = int16([]int{-reach(k), reach(k), random.IntN(2*reach(k)) - reach(k)}[random.IntN(3)])
				}
				rows[r] = &values[r][0]
			}
			want := make([]int32, count*n)
			for r := range count {
				for j := range n {
					for i := range k {
						want[r*n+j] += int32(values[r][i]) * int32(weights[i*n+j])
					}
				}
			}
			got, plain := make([]int32, count*n), make([]int32, count*n)
			m.multiply(got, rows)
			m.multiplyPlain(plain, rows)
			if !slices.Equal(got, want) || !slices.Equal(plain, want) {
				t.Fatalf("%d rows of %d: the products are not exact", count, k)
			}
		}
	}
}
