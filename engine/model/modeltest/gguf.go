// Package modeltest makes and finds models for tests of a real server.
package modeltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
)

// The tiny model: a llama of two layers over single bytes, with random weights. It
// answers any prompt with noise, in milliseconds.
const (
	width    = 64
	layers   = 2
	heads    = 4
	inner    = 128
	contexts = 8192
)

// GGUF's types of values (GGUF specification, version 3).
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeString  = 8
	typeArray   = 9
	alignment   = 32
)

// Token types of a llama vocabulary.
const (
	tokenUnknown = 2
	tokenControl = 3
	tokenByte    = 6
)

// WriteTinyGGUF writes the tiny model, the same bytes each time (about 470 kB).
func WriteTinyGGUF(w io.Writer) error {
	tokens, kinds := []string{"<unk>", "<s>", "</s>"}, []int32{tokenUnknown, tokenControl, tokenControl}
	for b := range 256 {
		tokens, kinds = append(tokens, fmt.Sprintf("<0x%02X>", b)), append(kinds, tokenByte)
	}
	var meta section
	meta.text("general.architecture", "llama")
	meta.text("general.name", "tiny")
	meta.number("general.file_type", 0)
	meta.number("llama.context_length", contexts)
	meta.number("llama.embedding_length", width)
	meta.number("llama.block_count", layers)
	meta.number("llama.feed_forward_length", inner)
	meta.number("llama.attention.head_count", heads)
	meta.number("llama.attention.head_count_kv", heads)
	meta.number("llama.rope.dimension_count", width/heads)
	meta.number("llama.vocab_size", uint32(len(tokens)))
	meta.key("llama.attention.layer_norm_rms_epsilon", typeFloat32)
	meta.put(float32(1e-5))
	meta.text("tokenizer.ggml.model", "llama")
	meta.array("tokenizer.ggml.tokens", typeString, len(tokens))
	for _, t := range tokens {
		meta.string(t)
	}
	meta.array("tokenizer.ggml.scores", typeFloat32, len(tokens))
	meta.put(make([]float32, len(tokens)))
	meta.array("tokenizer.ggml.token_type", typeInt32, len(tokens))
	meta.put(kinds)
	meta.number("tokenizer.ggml.unknown_token_id", 0)
	meta.number("tokenizer.ggml.bos_token_id", 1)
	meta.number("tokenizer.ggml.eos_token_id", 2)

	weights := tensors{random: rand.New(rand.NewPCG(1, 2))}
	weights.noise("token_embd.weight", width, len(tokens))
	weights.ones("output_norm.weight", width)
	weights.noise("output.weight", width, len(tokens))
	for l := range layers {
		block := fmt.Sprintf("blk.%d.", l)
		weights.ones(block+"attn_norm.weight", width)
		weights.ones(block+"ffn_norm.weight", width)
		for _, part := range []string{"q", "k", "v", "output"} {
			weights.noise(block+"attn_"+part+".weight", width, width)
		}
		weights.noise(block+"ffn_gate.weight", width, inner)
		weights.noise(block+"ffn_up.weight", width, inner)
		weights.noise(block+"ffn_down.weight", inner, width)
	}

	var head section
	head.WriteString("GGUF")
	head.put(uint32(3))
	head.put(uint64(weights.count))
	head.put(uint64(meta.count))
	head.Write(meta.Bytes())
	head.Write(weights.infos.Bytes())
	head.align()
	for _, part := range []*bytes.Buffer{&head.Buffer, &weights.data.Buffer} {
		if _, err := part.WriteTo(w); err != nil {
			return fmt.Errorf("modeltest: %w", err)
		}
	}
	return nil
}

// section collects little-endian values; it can't fail.
type section struct {
	bytes.Buffer
	count int // of keys
}

func (s *section) put(v any) {
	if err := binary.Write(&s.Buffer, binary.LittleEndian, v); err != nil {
		panic(err) // a type without a fixed size: a mistake here
	}
}

func (s *section) string(v string) {
	s.put(uint64(len(v)))
	s.WriteString(v)
}

func (s *section) key(name string, kind uint32) {
	s.count++
	s.string(name)
	s.put(kind)
}

func (s *section) text(name, v string) {
	s.key(name, typeString)
	s.string(v)
}

func (s *section) number(name string, v uint32) {
	s.key(name, typeUint32)
	s.put(v)
}

func (s *section) array(name string, kind uint32, n int) {
	s.key(name, typeArray)
	s.put(kind)
	s.put(uint64(n))
}

func (s *section) align() {
	for s.Len()%alignment != 0 {
		s.WriteByte(0)
	}
}

// tensors collects weights and where they lie.
type tensors struct {
	random *rand.Rand
	count  int
	infos  section
	data   section
}

func (t *tensors) add(name string, value func() float32, shape ...int) {
	t.count++
	t.infos.string(name)
	t.infos.put(uint32(len(shape)))
	n := 1
	for _, d := range shape {
		t.infos.put(uint64(d))
		n *= d
	}
	t.infos.put(uint32(0)) // 32-bit floats
	t.infos.put(uint64(t.data.Len()))
	values := make([]float32, n)
	for i := range values {
		values[i] = value()
	}
	t.data.put(values)
	t.data.align()
}

func (t *tensors) noise(name string, shape ...int) {
	t.add(name, func() float32 { return float32(t.random.NormFloat64() * 0.08) }, shape...)
}

func (t *tensors) ones(name string, shape ...int) {
	t.add(name, func() float32 { return 1 }, shape...)
}
