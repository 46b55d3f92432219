package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"holdpoint/engine/encoder"
	"holdpoint/engine/model"
)

// Meaning is the vectors that stand for a text.
type Meaning [][]float32

// Reading is how a text is turned into vectors.
type Reading byte

const (
	// Whole texts have one vector: what is short and about one thing.
	Whole Reading = 'w'
	// Sentences have a vector each, in order; a text of blanks has none.
	Sentences Reading = 's'
)

// Key is a text's key in a VectorCache.
func (r Reading) Key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(r) + hex.EncodeToString(sum[:])
}

// atATime is how many texts are encoded before what they gave is kept.
const atATime = 256

// Meanings are those of texts, from the cache where it has them. What is new is kept in
// it: use it for texts that will be asked for again. The cache may be nil, as may report,
// which hears how many of the texts are done.
func Meanings(ctx context.Context, e encoder.Encoder, cache VectorCache, how Reading, texts []string, report func(done int)) ([]Meaning, error) {
	name, dimension := e.Name(), e.Dimension()
	out := make([]Meaning, len(texts))
	var missing []int
	for i, text := range texts {
		var flat []float32
		ok := false
		if cache != nil {
			var err error
			if flat, ok, err = cache.Vector(name, how.Key(text)); err != nil {
				return nil, err
			}
		}
		if !ok || len(flat)%dimension != 0 { // a row of another length is made anew
			missing = append(missing, i)
			continue
		}
		for ; len(flat) > 0; flat = flat[dimension:] {
			out[i] = append(out[i], flat[:dimension:dimension])
		}
	}
	done := len(texts) - len(missing)
	for now := range slices.Chunk(missing, atATime) {
		batch := make([]string, len(now))
		for k, i := range now {
			batch[k] = texts[i]
		}
		fresh, err := how.encode(ctx, e, batch)
		if err != nil {
			return nil, err
		}
		put := map[string][]float32{}
		for k, i := range now {
			out[i] = fresh[k]
			put[how.Key(texts[i])] = slices.Concat(fresh[k]...)
		}
		if cache != nil {
			if err := cache.PutVectors(name, put); err != nil {
				return nil, err
			}
		}
		if done += len(now); report != nil {
			report(done)
		}
	}
	return out, nil
}

func (r Reading) encode(ctx context.Context, e encoder.Encoder, texts []string) ([][][]float32, error) {
	if r == Sentences {
		return encoder.BySentence(ctx, e, texts)
	}
	vectors, err := e.Vector(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", model.ErrBroken, len(vectors), len(texts))
	}
	out := make([][][]float32, len(texts))
	for i, v := range vectors {
		if len(v) != e.Dimension() {
			return nil, fmt.Errorf("%w: a vector of %d values, not %d", model.ErrBroken, len(v), e.Dimension())
		}
		out[i] = [][]float32{v}
	}
	return out, nil
}
