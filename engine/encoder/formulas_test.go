package encoder

import (
	"fmt"
	"math"
	"testing"
)

func tableName(b int) string { return fmt.Sprintf("table%d", b+1) }

// formulas are the model written down one to one, in 64 bits.
type formulas struct {
	t     *testing.T
	parts map[string][]float64
	shape map[string][]int
}

func (f formulas) read(p Part, parts []byte) {
	raw := make([]byte, p.bytes())
	if err := unpack(raw, parts[p.Offset:p.Offset+p.Size]); err != nil {
		f.t.Fatal(err)
	}
	var out []float64
	switch p.Kind {
	case "float32":
		for _, v := range numbers[float32](raw) {
			out = append(out, float64(v))
		}
	case "int8":
		k, n := p.Shape[0], p.Shape[1] // by columns here
		for j := range n {
			for i := range k {
				out = append(out, float64(int8(raw[i*n+j]))*p.Step)
			}
		}
	case "uint8":
		for _, v := range raw {
			out = append(out, float64(v))
		}
	}
	f.parts[p.Name], f.shape[p.Name] = out, p.Shape
}

// times is x × the matrix + the offset ("" for none).
func (f formulas) times(x []float64, name, offset string) []float64 {
	k, n := f.shape[name][0], f.shape[name][1]
	if len(x) != k {
		f.t.Fatalf("%d values for %s", len(x), name)
	}
	m, out := f.parts[name], make([]float64, n)
	if offset != "" {
		copy(out, f.parts[offset])
	}
	for j := range n {
		sum, column := out[j], m[j*k:][:k]
		for i, v := range x {
			sum += v * column[i]
		}
		out[j] = sum
	}
	return out
}

func (f formulas) norm(x []float64, gain, offset string) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v-mean)/math.Sqrt(variance+f.parts["eps"][0])*f.parts[gain][i] + f.parts[offset][i]
	}
	return out
}

// layer is relu(window × weights + offset) + the token itself, for all tokens.
func (f formulas) layer(x [][]float64, n, left int, name string) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		var window []float64
		for k := range n {
			if j := i + k - left; j >= 0 && j < len(x) {
				window = append(window, x[j]...)
			} else {
				window = append(window, make([]float64, side)...)
			}
		}
		out[i] = f.times(window, name, name+"_offset")
		for j := range out[i] {
			out[i][j] = max(out[i][j], 0) + x[i][j]
		}
	}
	return out
}

func (f formulas) vector(ids []int32) []float64 {
	var e, x [][]float64
	for _, id := range ids {
		b := int(id) % blocks
		var row []float64
		for _, v := range f.parts[tableName(b)][int(id)/blocks*wide:][:wide] {
			row = append(row, v*f.parts["scale"][b]+f.parts["low"][b])
		}
		e = append(e, row)
		var joined []float64
		for _, n := range []string{"2", "3", "5"} {
			joined = append(joined, f.times(row, "project"+n, "project"+n+"_offset")...)
		}
		x = append(x, f.norm(joined, "gain", "offset"))
	}
	rest := e
	for b, n := range []int{2, 3, 5} {
		var own [][]float64
		for i := range x {
			own = append(own, x[i][b*side:(b+1)*side])
		}
		h := f.layer(own, n, b, fmt.Sprintf("first%d", n))
		for i, c := range f.layer(h, n, b, fmt.Sprintf("second%d", n)) {
			rest[i] = append(rest[i], c...)
		}
	}
	m := make([]float64, wide)
	for i := range rest {
		for j, v := range f.times(f.norm(rest[i], "all_gain", "all_offset"), "mean", "mean_offset") {
			m[j] += v / math.Sqrt(float64(len(ids)))
		}
	}
	plus := func(a, b []float64) []float64 {
		for i := range a {
			a[i] += b[i]
		}
		return a
	}
	positive := func(a []float64) []float64 {
		for i, v := range a {
			a[i] = max(v, 0)
		}
		return a
	}
	y0 := positive(f.times(m, "d0", ""))
	y1 := positive(plus(f.times(m, "p1", ""), f.times(y0, "d1", "")))
	y2 := positive(f.times(y1, "d2", ""))
	z := plus(f.times(y1, "p3", ""), f.times(y2, "d3", ""))
	length := 0.0
	for i, v := range z {
		z[i] = math.Tanh(v)
		length += z[i] * z[i]
	}
	for i := range z {
		z[i] /= math.Sqrt(length)
	}
	return z
}
