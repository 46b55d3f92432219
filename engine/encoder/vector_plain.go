package encoder

import "math"

// The lanes below are those of the vector instructions, so that both ways give the same
// bits: eight sums side by side, added in one order at the end. A product's conversion to
// float32 keeps compilers of other processors from joining it with the sum behind it.

// lanes adds eight sums.
func lanes(s *[8]float32) float32 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func sumPlain(x []float32) float32 {
	var s [8]float32
	for ; len(x) >= 8; x = x[8:] {
		for j, v := range x[:8] {
			s[j] += v
		}
	}
	return lanes(&s)
}

func squaresPlain(x []float32, mean float32) float32 {
	var s [8]float32
	for ; len(x) >= 8; x = x[8:] {
		for j, v := range x[:8] {
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

func addLinePlain(out []float32, x []int8, scale float32) {
	for i, v := range x[:len(out)] {
		out[i] += float32(float32(v) * scale)
	}
}
