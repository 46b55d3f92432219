package encoder

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/huff0"
)

// A part is packed in frames of 128 KB, each with the length of what follows and a Huffman
// code of its own. The weights' bytes are worn down to the few that matter, and hardly
// repeat: a code of bytes is shorter here than what looks for repetitions, and unpacks
// several times as fast.
const (
	frame  = huff0.BlockSizeMax
	stored = 1 << 31 // set in a frame's length: bytes as they are
)

func pack(data []byte) ([]byte, error) {
	var out []byte
	s := huff0.Scratch{Reuse: huff0.ReusePolicyNone}
	for len(data) > 0 {
		n := min(len(data), frame)
		packed, _, err := huff0.Compress4X(data[:n], &s)
		switch {
		case err == nil:
			out = append(binary.LittleEndian.AppendUint32(out, uint32(len(packed))), packed...)
		case errors.Is(err, huff0.ErrIncompressible) || errors.Is(err, huff0.ErrUseRLE):
			out = append(binary.LittleEndian.AppendUint32(out, uint32(n)|stored), data[:n]...)
		default:
			return nil, fmt.Errorf("encoder: pack: %w", err)
		}
		data = data[n:]
	}
	return out, nil
}

// unpack fills out with what was packed; it is as long as that was. The error wraps ErrBroken.
func unpack(out, data []byte) error {
	var s huff0.Scratch
	for len(out) > 0 {
		if len(data) < 4 {
			return fmt.Errorf("%w: a frame is cut off", ErrBroken)
		}
		length := binary.LittleEndian.Uint32(data)
		data = data[4:]
		size, n := int(length&^stored), min(len(out), frame)
		if size > len(data) {
			return fmt.Errorf("%w: a frame is cut off", ErrBroken)
		}
		if length&stored != 0 {
			if size != n {
				return fmt.Errorf("%w: a frame's length", ErrBroken)
			}
			copy(out, data[:size])
		} else {
			code, rest, err := huff0.ReadTable(data[:size], &s)
			if err != nil {
				return fmt.Errorf("%w: a frame's code: %w", ErrBroken, err)
			}
			got, err := code.Decoder().Decompress4X(out[:0:n], rest)
			if err != nil || len(got) != n {
				return fmt.Errorf("%w: a frame's content", ErrBroken)
			}
		}
		out, data = out[n:], data[size:]
	}
	if len(data) > 0 {
		return fmt.Errorf("%w: there is more than the part needs", ErrBroken)
	}
	return nil
}
