package encoder

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vector says that the processor has the instructions of the .s files.
var vector = cpu.X86.HasAVX2

//go:noescape
func multiply6(out *int32, stride int, rows *[rowsOf]*int16, weights *int8, pairs int)

//go:noescape
func multiply2(out *int32, stride int, rows *[rowsOf]*int16, weights *int8, pairs int)

//go:noescape
func sumVector(x *float32, n int) float32

//go:noescape
func squaresVector(x *float32, n int, mean float32) float32

//go:noescape
func peakVector(x *float32, n int) float32

//go:noescape
func whitenVector(out, x, gain, offset *float32, n int, mean, scale float32)

//go:noescape
func gatherVector(out, x *float32, n int, mean, scale float32)

//go:noescape
func quantiseVector(out *int16, x *float32, n int, scale float32)

//go:noescape
func affineVector(out *float32, x *int32, offset *float32, n int, scale float32)

//go:noescape
func addVector(out, x *float32, n int)

//go:noescape
func reluAddVector(out, x *float32, n int)

//go:noescape
func spreadVector(out *float32, x *byte, n int, scale, offset float32)

//go:noescape
func halveVector(out *half, x *float32, n int)

//go:noescape
func addTapsVector(out *float32, tokens **token, offset, count int)

//go:noescape
func bendVector(out, x *float32, plus *half, marks *uint64)

//go:noescape
func addLinesVector(out *float32, weights *int8, pairs *pair, count, shift int, scale float32)

// The lengths of all slices are those of x: a multiple of 32, at least 32.

// sum adds up x.
func sum(x []float32) float32 {
	if vector {
		return sumVector(&x[0], len(x))
	}
	return sumPlain(x)
}

// squares adds up the squares of x - mean.
func squares(x []float32, mean float32) float32 {
	if vector {
		return squaresVector(&x[0], len(x), mean)
	}
	return squaresPlain(x, mean)
}

// peak is the largest magnitude in x.
func peak(x []float32) float32 {
	if vector {
		return peakVector(&x[0], len(x))
	}
	return peakPlain(x)
}

// whiten writes (x - mean) × scale × gain + offset.
func whiten(out, x, gain, offset []float32, mean, scale float32) {
	if vector {
		_ = out[len(x)-1]
		_ = gain[len(x)-1]
		_ = offset[len(x)-1]
		whitenVector(&out[0], &x[0], &gain[0], &offset[0], len(x), mean, scale)
		return
	}
	whitenPlain(out, x, gain, offset, mean, scale)
}

// gather adds (x - mean) × scale to out.
func gather(out, x []float32, mean, scale float32) {
	if vector {
		_ = out[len(x)-1]
		gatherVector(&out[0], &x[0], len(x), mean, scale)
		return
	}
	gatherPlain(out, x, mean, scale)
}

// quantise writes x × scale, rounded to the nearest, halves to the even one; none is beyond 16 bits.
func quantise(out []int16, x []float32, scale float32) {
	if vector {
		_ = out[len(x)-1]
		quantiseVector(&out[0], &x[0], len(x), scale)
		return
	}
	quantisePlain(out, x, scale)
}

// affine writes x × scale + offset.
func affine(out []float32, x []int32, scale float32, offset []float32) {
	if vector {
		_ = out[len(x)-1]
		_ = offset[len(x)-1]
		affineVector(&out[0], &x[0], &offset[0], len(x), scale)
		return
	}
	affinePlain(out, x, scale, offset)
}

// add adds x to out.
func add(out, x []float32) {
	if vector {
		_ = out[len(x)-1]
		addVector(&out[0], &x[0], len(x))
		return
	}
	addPlain(out, x)
}

// reluAdd makes each negative value of out zero and adds x.
func reluAdd(out, x []float32) {
	if vector {
		_ = out[len(x)-1]
		reluAddVector(&out[0], &x[0], len(x))
		return
	}
	reluAddPlain(out, x)
}

// spread writes x × scale + offset.
func spread(out []float32, x []byte, scale, offset float32) {
	if vector {
		_ = out[len(x)-1]
		spreadVector(&out[0], &x[0], len(x), scale, offset)
		return
	}
	spreadPlain(out, x, scale, offset)
}

// halve writes the upper half of each value, rounded to the nearest, halves to the even one.
func halve(out []half, x []float32) {
	if vector {
		_ = out[len(x)-1]
		halveVector(&out[0], &x[0], len(x))
		return
	}
	halvePlain(out, x)
}

// The functions below work on the values of one branch.

// addTaps writes the sum of the tokens' parts in a layer's window: the first token's at
// place first, the next one's at the place behind it. There is one token at least, and
// behind the tokens there are ahead more.
func addTaps(out []float32, tokens []*token, layer, first int) {
	if vector {
		_ = out[side-1]
		_ = tokens[:len(tokens)+ahead]
		_ = tokens[0].part[layer][(first+len(tokens))*side-1]
		offset := unsafe.Offsetof(token{}.part) + uintptr(layer*taps+first)*side*unsafe.Sizeof(half(0))
		addTapsVector(&out[0], &tokens[0], int(offset), len(tokens))
		return
	}
	addTapsPlain(out, tokens, layer, first)
}

// bend writes x + plus where x is above zero, else plus, and marks where that is.
func bend(out, x []float32, plus []half, marks []uint64) {
	if vector {
		_, _, _, _ = out[side-1], x[side-1], plus[side-1], marks[side/64-1]
		bendVector(&out[0], &x[0], &plus[0], &marks[0])
		return
	}
	bendPlain(out, x, plus, marks)
}

// addLines adds scale × the pairs' lines of weights, which begin shift behind where they
// say. Up to 256 lines are added exactly before they are scaled.
func addLines(out []float32, weights []int8, pairs []pair, shift int, scale float32) {
	if len(pairs) == 0 {
		return
	}
	if vector {
		_ = out[side-1]
		addLinesVector(&out[0], &weights[0], &pairs[0], len(pairs), shift, scale)
		return
	}
	addLinesPlain(out, weights, pairs, shift, scale)
}
