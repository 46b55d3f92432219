package encoder

import "math"

// The lanes below are those of the vector instructions, so that both ways give the same
// bits: 32 sums side by side, added in one order at the end. A product's conversion to
// float32 keeps compilers of other processors from joining it with the sum behind it.

// lanes adds the sums.
func lanes(sums *[32]float32) float32 {
	var s [8]float32
	for j := range s {
		s[j] = (sums[j] + sums[j+8]) + (sums[j+16] + sums[j+24])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func sumPlain(x []float32) float32 {
	var s [32]float32
	for ; len(x) >= 32; x = x[32:] {
		for j, v := range x[:32] {
			s[j] += v
		}
	}
	return lanes(&s)
}

func squaresPlain(x []float32, mean float32) float32 {
	var s [32]float32
	for ; len(x) >= 32; x = x[32:] {
		for j, v := range x[:32] {
			d := v - mean
			s[j] += float32(d * d)
		}
	}
	return lanes(&s)
}

func peakPlain(x []float32) float32 {
	var most float32
	for _, v := range x {
		most = max(most, max(v, -v))
	}
	return most
}

func whitenPlain(out, x, gain, offset []float32, mean, scale float32) {
	for i, v := range x {
		out[i] = float32(float32((v-mean)*scale)*gain[i]) + offset[i]
	}
}

func gatherPlain(out, x []float32, mean, scale float32) {
	for i, v := range x {
		out[i] += float32((v - mean) * scale)
	}
}

func quantisePlain(out []int16, x []float32, scale float32) {
	for i, v := range x {
		out[i] = int16(math.RoundToEven(float64(v * scale)))
	}
}

func affinePlain(out []float32, x []int32, scale float32, offset []float32) {
	for i, v := range x {
		out[i] = float32(float32(v)*scale) + offset[i]
	}
}

func addPlain(out, x []float32) {
	for i, v := range x {
		out[i] += v
	}
}

func reluAddPlain(out, x []float32) {
	for i, v := range x {
		out[i] = max(out[i], 0) + v
	}
}

func spreadPlain(out []float32, x []byte, scale, offset float32) {
	for i, v := range x {
		out[i] = float32(float32(v)*scale) + offset
	}
}

// float is the value of a half.
func (h half) float() float32 { return math.Float32frombits(uint32(h) << 16) }

func halvePlain(out []half, x []float32) {
	for i, v := range x {
		b := math.Float32bits(v)
		out[i] = half((b + 0x7fff + b>>16&1) >> 16)
	}
}

func addTapsPlain(out []float32, tokens []*token, layer, first int) {
	clear(out)
	for k, t := range tokens {
		for i, v := range t.part[layer][(first+k)*side:][:side] {
			out[i] += v.float()
		}
	}
}

func bendPlain(out, x []float32, plus []half, marks []uint64) {
	clear(marks)
	for i, v := range x {
		out[i] = max(v, 0) + plus[i].float()
		if v > 0 {
			marks[i/64] |= 1 << (i % 64)
		}
	}
}

func addLinesPlain(out []float32, weights []int8, pairs []pair, shift int, scale float32) {
	var sums [side]int32
	for _, p := range pairs {
		a, b := weights[int(p.at[0])+shift:][:side], weights[int(p.at[1])+shift:][:side]
		for i := range sums {
			sums[i] += int32(p.by[0])*int32(a[i]) + int32(p.by[1])*int32(b[i])
		}
	}
	for i, sum := range sums {
		out[i] += float32(float32(sum) * scale)
	}
}
