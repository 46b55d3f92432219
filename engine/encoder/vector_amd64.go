package encoder

import "golang.org/x/sys/cpu"

// vector says that the processor has the instructions of the .s files.
var vector = cpu.X86.HasAVX2

//go:noescape
func multiply6(out *[rowsOf * tile]int32, rows *[rowsOf]*int16, weights *int8, pairs int)

//go:noescape
func multiply2(out *[rowsOf * tile]int32, rows *[rowsOf]*int16, weights *int8, pairs int)

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
func addLineVector(out *float32, x *int8, n int, scale float32)

// The lengths of all slices are those of x: a multiple of eight, at least eight.

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

// addLine adds x × scale to out, which is a multiple of 32 long, as far as that goes.
func addLine(out []float32, x []int8, scale float32) {
	if vector {
		_ = x[len(out)-1]
		addLineVector(&out[0], &x[0], len(out), scale)
		return
	}
	addLinePlain(out, x, scale)
}
