package model

import (
	"context"
	"fmt"
	"strings"
)

// Embedding is an embedding model on an Ollama server as an encoder of sentences: its
// name and dimension are known without asking. It is safe for concurrent use.
type Embedding struct {
	model     *Ollama
	name      string
	dimension int
}

// NewEmbedding asks the server about the model. Where that does not know how many values
// a vector has, one is made.
func NewEmbedding(ctx context.Context, m *Ollama) (*Embedding, error) {
	info, err := m.Info(ctx)
	if err != nil {
		return nil, err
	}
	t, err := m.traits(ctx)
	if err != nil {
		return nil, err
	}
	e := &Embedding{model: m, name: info.Name, dimension: t.width}
	if digest := strings.TrimPrefix(info.Digest, "sha256:"); digest != "" {
		e.name += "@" + digest[:min(len(digest), 12)]
	}
	if e.dimension == 0 {
		v, err := m.Embed(ctx, []string{"a"})
		if err != nil {
			return nil, err
		}
		e.dimension = len(v[0])
	}
	return e, nil
}

// Name is the model's, with the beginning of its digest: a model that was pulled anew
// under its old name makes other vectors.
func (e *Embedding) Name() string { return e.name }

// Dimension is the number of values of each vector.
func (e *Embedding) Dimension() int { return e.dimension }

// Vector makes a vector of length 1 of each text. The error wraps ErrBroken when the
// server's are of another dimension than it said.
func (e *Embedding) Vector(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return [][]float32{}, nil
	}
	out, err := e.model.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(out[0]) != e.dimension {
		return nil, fmt.Errorf("%w: embed: vectors of %d values, not %d", ErrBroken, len(out[0]), e.dimension)
	}
	return out, nil
}
