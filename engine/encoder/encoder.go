// Package encoder turns sentences of sixteen languages into vectors whose cosine says how
// close their meanings are, in plain Go and on this machine alone: Google's Universal
// Sentence Encoder, multilingual, version 3 (Yang et al., 2019, "Multilingual Universal
// Sentence Encoder for Semantic Retrieval"). Its languages are Arabic, Chinese (both
// scripts), Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
// Russian, Spanish, Thai and Turkish.
//
// # From a text to a vector
//
// A tokenizer maps characters and finds the best pieces of a vocabulary of 128,000. Each
// piece has a row of 512 values. Three branches look at windows of 2, 3 and 5 tokens in two
// layers; their output beside the rows is normed, added up and goes through a few dense
// layers. The weights are whole numbers of 8 bits. A row of activations gets 14 to 16 bits
// for a product, and products are added exactly: with and without vector instructions the
// bits are the same, alone or in a batch, and other processors differ in the last place at most.
//
// Nearly all multiplications depend on one token, not on its neighbours: what they give is
// kept for the last three thousand tokens (memo), in the upper halves of float32. The rest is
// short, because what the first layer adds to its input is zero in 97 of 100 places.
//
// By holdpoint bench encoder, on one core of a machine of 2 (AMD EPYC, AVX2): 0.17 ms for a
// sentence of 22 tokens, 1.1 ms when no word of it was seen before, 9,000 sentences of 13
// tokens a second, 100 ms to load; the encoder holds 88 MB then, the process 118. By
// BenchmarkLongMessage, on both: 70 to 90 ms for 64 KB of English, 95 to 115 for the first
// message after loading, of whose 2,700 different tokens none is known; the encoder holds 117 MB
// then. A third of that is learning tokens, a fifth what the second layer adds, an eighth the
// layers behind the sum.
//
// # Where the weights come from
//
// They are a file of our own format that Convert makes of a Python package. A build with
// the tag encoder has that file inside; any build takes it from the data folder. It is
// opened with the first text and dropped when no text came for a while.
package encoder

import (
	"context"
	"fmt"
	"math"
)

// Encoder makes vectors of texts. Universal is one; package model has another, for the
// embedding models of a server.
type Encoder interface {
	// Name tells the vectors of different encoders and of their versions apart: those
	// of two names cannot be compared, and what is kept with a vector keeps its name.
	Name() string
	// Dimension is the number of values of each vector.
	Dimension() int
	// Vector returns a vector of length 1 for each text.
	Vector(ctx context.Context, texts []string) ([][]float32, error)
}

// Reads says whether an encoder knows the letters of a text's language. One that does not
// still gives a vector, which says little more than that others are as foreign. Where an
// encoder has no way to tell, it is taken to.
func Reads(e Encoder, text string) bool {
	r, ok := e.(interface{ Reads(text string) bool })
	return !ok || r.Reads(text)
}

// Cosine says how close two vectors of length 1 are: 1 for the same direction, about 0 for
// nothing in common. Vectors of different encoders have no cosine.
func Cosine(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

// Mean is the direction in the middle of vectors, of length 1; nil for none.
func Mean(vectors [][]float32) []float32 {
	if len(vectors) == 0 {
		return nil
	}
	out := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			out[i] += x
		}
	}
	length := math.Sqrt(Cosine(out, out))
	if length == 0 {
		return vectors[0] // they cancel out: any is as good
	}
	for i, x := range out {
		out[i] = float32(float64(x) / length)
	}
	return out
}

// Best finds the vector that is closest to v, and its cosine; -1 without any.
func Best(v []float32, among [][]float32) (at int, cosine float64) {
	at = -1
	for i, x := range among {
		if c := Cosine(v, x); at < 0 || c > cosine {
			at, cosine = i, c
		}
	}
	return at, cosine
}

// BySentence makes a vector of each sentence of each text: out[i] are those of texts[i], in
// order; a text of blanks has none. A sentence that occurs again is not computed again.
func BySentence(ctx context.Context, e Encoder, texts []string) ([][][]float32, error) {
	at := map[string]int{}
	var all []string
	each := make([][]int, len(texts))
	for i, text := range texts {
		for _, s := range Sentences(text) {
			n, known := at[s]
			if !known {
				n = len(all)
				at[s], all = n, append(all, s)
			}
			each[i] = append(each[i], n)
		}
	}
	vectors, err := e.Vector(ctx, all)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(all) {
		return nil, fmt.Errorf("encoder: %d vectors for %d texts", len(vectors), len(all))
	}
	out := make([][][]float32, len(texts))
	for i, sentences := range each {
		for _, n := range sentences {
			if len(vectors[n]) != e.Dimension() {
				return nil, fmt.Errorf("encoder: a vector of %d values, not %d", len(vectors[n]), e.Dimension())
			}
			out[i] = append(out[i], vectors[n])
		}
	}
	return out, nil
}
