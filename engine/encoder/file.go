package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/sourcegraph/conc/pool"
)

// Errors that callers distinguish.
var (
	// ErrMissing says that there are no weights: none in the program, no file.
	ErrMissing = errors.New("encoder: no weights at hand")
	// ErrBroken says that weights cannot be used: cut off, altered, or of another kind.
	ErrBroken = errors.New("encoder: broken weights")
)

// A weights file is the line of magic, the header's length (4 bytes, little-endian), the
// header in JSON, and the parts one behind the other, packed each for itself.
const (
	magic      = "holdpoint encoder 2\n"
	headerMost = 64 << 10
)

// Header says what is in a weights file.
type Header struct {
	Name      string `json:"name"`
	Dimension int    `json:"dimension"` // values of a vector
	Title     string `json:"title"`
	License   string `json:"license"` // SPDX
	Source    string `json:"source"`
	// SourceDigest is the SHA-256 of what the file was converted from, Digest that of this
	// header without a digest and of the parts behind it.
	SourceDigest string `json:"source_digest"`
	Digest       string `json:"digest"`
	Parts        []Part `json:"parts"`
}

// Part is one array. Values of kind int8 are to be multiplied with Step.
type Part struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // int8, uint8, and in little-endian order int32 and float32
	Shape  []int   `json:"shape"`
	Step   float64 `json:"step,omitempty"`
	Offset int     `json:"offset"` // behind the header
	Size   int     `json:"size"`   // as packed
}

// partMost is how many values a part may have.
const partMost = 1 << 28

// bytes is the part's length when unpacked; negative for one that cannot be.
func (p Part) bytes() int {
	n := 1
	for _, d := range p.Shape {
		if d < 0 || d > partMost {
			return -1
		}
		if n *= d; n > partMost {
			return -1
		}
	}
	if p.Kind == "float32" || p.Kind == "int32" {
		n *= 4
	}
	return n
}

// parseHeader reads a file's header and checks that its parts lie within it. The parts
// are what is behind the header.
func parseHeader(file []byte) (h Header, parts []byte, err error) {
	rest, ok := bytes.CutPrefix(file, []byte(magic))
	if !ok || len(rest) < 4 {
		return h, nil, fmt.Errorf("%w: this is not a weights file", ErrBroken)
	}
	n := binary.LittleEndian.Uint32(rest)
	if n > headerMost || int(n) > len(rest)-4 {
		return h, nil, fmt.Errorf("%w: the file is cut off", ErrBroken)
	}
	rest = rest[4:]
	if err := json.Unmarshal(rest[:n], &h); err != nil {
		return h, nil, fmt.Errorf("%w: the header: %w", ErrBroken, err)
	}
	for _, text := range []string{h.Name, h.Title, h.License, h.Source, h.SourceDigest, h.Digest} {
		// They are shown, and name the vectors that are kept.
		if len(text) > 300 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return h, nil, fmt.Errorf("%w: the header does not say what they are", ErrBroken)
		}
	}
	if h.Name == "" || h.Digest == "" {
		return h, nil, fmt.Errorf("%w: the header does not say what they are", ErrBroken)
	}
	parts = rest[n:]
	for _, p := range h.Parts {
		if !(p.Step >= 0 && p.Step <= 1) {
			return h, nil, fmt.Errorf("%w: the part %q is out of measure", ErrBroken, p.Name)
		}
		if p.Offset < 0 || p.Size < 0 || p.Offset > len(parts) || p.Size > len(parts)-p.Offset || p.bytes() < 0 {
			return h, nil, fmt.Errorf("%w: the part %q lies outside the file", ErrBroken, p.Name)
		}
	}
	return h, parts, nil
}

// digest is what Header.Digest has to be.
func digest(h Header, parts []byte) (string, error) {
	h.Digest = ""
	header, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(header)
	sum.Write(parts)
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// verify compares a file with its digest.
func verify(h Header, parts []byte) error {
	if sum, err := digest(h, parts); err != nil || sum != h.Digest {
		return fmt.Errorf("%w: the file's content is not what its header names", ErrBroken)
	}
	return nil
}

// writer collects the parts of a weights file.
type writer struct {
	header Header
	parts  bytes.Buffer
	err    error
}

func (w *writer) add(name, kind string, shape []int, step float64, data []byte) {
	before := w.parts.Len()
	packed, err := pack(data)
	w.err = errors.Join(w.err, err)
	w.parts.Write(packed)
	w.header.Parts = append(w.header.Parts, Part{Name: name, Kind: kind, Shape: shape, Step: step, Offset: before, Size: w.parts.Len() - before})
}

func (w *writer) to(out io.Writer) error {
	if w.err != nil {
		return w.err
	}
	var err error
	if w.header.Digest, err = digest(w.header, w.parts.Bytes()); err != nil {
		return err
	}
	header, err := json.Marshal(w.header)
	if err != nil {
		return err
	}
	front := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header)))
	for _, b := range [][]byte{front, header, w.parts.Bytes()} {
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// load unpacks a weights file. The table goes into memory that reserve gives; done is
// called with each part that was read, so that the system may have its memory back.
func load(h Header, parts []byte, reserve func(int) []byte, done func([]byte)) (*weights, error) {
	by := map[string]Part{}
	for _, p := range h.Parts {
		by[p.Name] = p
	}
	if h.Dimension != wide {
		return nil, fmt.Errorf("%w: vectors of %d values", ErrBroken, h.Dimension)
	}
	// part unpacks into to, or into memory of its own when to is nil.
	part := func(name, kind string, to []byte, shape ...int) (Part, []byte, error) {
		p, ok := by[name]
		if !ok || p.Kind != kind || (shape != nil && !slices.Equal(p.Shape, shape)) {
			return p, nil, fmt.Errorf("%w: the part %q is missing or of another kind", ErrBroken, name)
		}
		if to == nil {
			to = make([]byte, p.bytes())
		}
		if len(to) != p.bytes() {
			return p, nil, fmt.Errorf("%w: the part %q is of another size", ErrBroken, name)
		}
		packed := parts[p.Offset : p.Offset+p.Size]
		if err := unpack(to, packed); err != nil {
			return p, nil, fmt.Errorf("the part %q: %w", name, err)
		}
		done(packed)
		return p, to, nil
	}

	w := &weights{none: make([]float32, wide)}
	work := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	vector := func(name string, into *[]float32, n int) {
		work.Go(func() error {
			_, raw, err := part(name, "float32", nil, n)
			if err != nil {
				return err
			}
			*into = numbers[float32](raw)
			return nil
		})
	}
	product := func(name string, into *matrix, k, n int) {
		work.Go(func() error {
			p, raw, err := part(name, "int8", nil, k, n)
			if err != nil {
				return err
			}
			*into = newMatrix(k, n, float32(p.Step), signed(raw))
			return nil
		})
	}

	// What takes longest comes first.
	work.Go(func() error {
		_, text, err := part("pieces", "uint8", nil)
		if err != nil {
			return err
		}
		_, ids, err := part("ids", "int32", nil)
		if err != nil {
			return err
		}
		_, scores, err := part("scores", "float32", nil)
		if err != nil {
			return err
		}
		_, charmap, err := part("charmap", "uint8", nil)
		if err != nil {
			return err
		}
		w.tokenizer, err = newTokenizer(strings.Split(byteString(text), "\n"), numbers[int32](ids), numbers[float32](scores), charmap)
		return err
	})
	first, ok := by["table1"]
	if !ok || len(first.Shape) != 2 || first.Shape[1] != wide || first.Shape[0] < 1 || first.Shape[0] > 1<<16 {
		return nil, fmt.Errorf("%w: the part %q is missing or of another kind", ErrBroken, "table1")
	}
	w.rows = first.Shape[0]
	w.table = reserve(blocks * w.rows * wide)
	for b := range blocks {
		work.Go(func() error {
			at := b * w.rows * wide
			_, _, err := part(fmt.Sprintf("table%d", b+1), "uint8", w.table[at:at+w.rows*wide], w.rows, wide)
			return err
		})
	}
	vector("scale", &w.scale, blocks)
	vector("low", &w.low, blocks)
	vector("gain", &w.gain, joined)
	vector("offset", &w.offset, joined)
	vector("all_gain", &w.allGain, all)
	vector("all_offset", &w.allOffset, all)
	vector("mean_offset", &w.meanOffset, wide)
	product("mean", &w.mean, all, wide)
	product("d0", &w.d0, wide, hidden)
	product("p1", &w.p1, wide, hidden)
	product("d1", &w.d1, hidden, hidden)
	product("d2", &w.d2, hidden, wide)
	product("p3", &w.p3, hidden, wide)
	product("d3", &w.d3, wide, wide)
	var eps []float32
	vector("eps", &eps, 1)
	for i, n := range []int{2, 3, 5} {
		b := &w.branch[i]
		b.n, b.left = n, i
		vector(fmt.Sprintf("project%d_offset", n), &b.projectOffset, side)
		work.Go(func() error {
			p, raw, err := part(fmt.Sprintf("project%d", n), "int8", nil, wide, side)
			if err != nil {
				return err
			}
			b.project = newMatrix(wide, side, float32(p.Step), signed(raw))
			b.sums = make([]float32, side)
			for j := range b.sums {
				column := 0
				for k := range wide {
					column += int(int8(raw[k*side+j]))
				}
				b.sums[j] = float32(p.Step * float64(column))
			}
			return nil
		})
		for l, name := range []string{"first", "second"} {
			vector(fmt.Sprintf("%s%d_offset", name, n), &b.layers[l].offset, side)
			work.Go(func() error {
				p, raw, err := part(fmt.Sprintf("%s%d", name, n), "int8", nil, n*side, side)
				if err != nil {
					return err
				}
				b.layers[l].at = make([]matrix, n)
				for k := range n {
					b.layers[l].at[k] = newMatrix(side, side, float32(p.Step), signed(raw[k*side*side:][:side*side]))
				}
				if l == 1 {
					b.lines = make([]int8, len(raw))
					for row := range n * side {
						k, j := row/side, row%side
						copy(b.lines[(j*n+k)*side:], signed(raw[row*side:][:side]))
					}
				}
				return nil
			})
		}
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	if w.eps = eps[0]; len(w.tokenizer.scores) > blocks*w.rows {
		return nil, fmt.Errorf("%w: %d pieces and %d rows", ErrBroken, len(w.tokenizer.scores), blocks*w.rows)
	}
	return w, nil
}

// numbers reads little-endian values.
func numbers[T any](raw []byte) []T {
	var zero T
	out := make([]T, len(raw)/binary.Size(zero))
	if _, err := binary.Decode(raw, binary.LittleEndian, out); err != nil {
		panic(err) // the length is right
	}
	return out
}

// bytesOf writes values in little-endian order.
func bytesOf[T any](values []T) []byte {
	out, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // they are numbers
	}
	return out
}
