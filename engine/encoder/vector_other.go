//go:build !amd64

package encoder

// There are vector instructions for amd64 alone.
const vector = false

func multiply6(*int32, int, *[rowsOf]*int16, *int8, int) {}
func multiply2(*int32, int, *[rowsOf]*int16, *int8, int) {}

func sum(x []float32) float32 { return sumPlain(x) }

func squares(x []float32, mean float32) float32 { return squaresPlain(x, mean) }

func peak(x []float32) float32 { return peakPlain(x) }

func whiten(out, x, gain, offset []float32, mean, scale float32) {
	whitenPlain(out, x, gain, offset, mean, scale)
}

func gather(out, x []float32, mean, scale float32) { gatherPlain(out, x, mean, scale) }

func quantise(out []int16, x []float32, scale float32) { quantisePlain(out, x, scale) }

func affine(out []float32, x []int32, scale float32, offset []float32) {
	affinePlain(out, x, scale, offset)
}

func add(out, x []float32) { addPlain(out, x) }

func reluAdd(out, x []float32) { reluAddPlain(out, x) }

func spread(out []float32, x []byte, scale, offset float32) { spreadPlain(out, x, scale, offset) }

func halve(out []half, x []float32) { halvePlain(out, x) }

func addTaps(out []float32, tokens []*token, layer, first int) {
	addTapsPlain(out, tokens, layer, first)
}

func bend(out, x []float32, plus []half, marks []uint64) { bendPlain(out, x, plus, marks) }

func addLines(out []float32, weights []int8, pairs []pair, shift int, scale float32) {
	addLinesPlain(out, weights, pairs, shift, scale)
}
