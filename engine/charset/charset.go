// Package charset reads text files of whatever encoding: UTF-8, UTF-16 and UTF-32 by their
// marks, and what is none of them as Windows-1252, byte for byte, saying where that began.
package charset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// buffer is how far ahead a file is read, in bytes.
const buffer = 256 << 10

// marks are byte order marks, the longer before those that they begin with.
var marks = []struct {
	mark     string
	encoding encoding.Encoding // nil is UTF-8
}{
	{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
	{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
	{"\xef\xbb\xbf", nil},
	{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// Open reads a file behind its byte order mark; one of UTF-16 or UTF-32 makes UTF-8 of it.
func Open(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, buffer)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	for _, m := range marks {
		switch {
		case !bytes.HasPrefix(head, []byte(m.mark)):
		case m.encoding == nil:
			_, err := in.Discard(len(m.mark))
			return in, err
		default:
			return bufio.NewReaderSize(transform.NewReader(in, m.encoding.NewDecoder()), buffer), nil
		}
	}
	return in, nil
}

// Western passes UTF-8 on and reads every byte that is none as Windows-1252. It is a
// transform.Transformer for one file.
type Western struct {
	line int // that is being read, from 0
	// First is the line of the first byte that was no UTF-8, from 1; 0 before there was one.
	First int
}

// Reset makes it one for another file.
func (w *Western) Reset() { *w = Western{} }

// Transform is that of transform.Transformer.
func (w *Western) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := utf8.DecodeRune(src[nSrc:])
		strange := r == utf8.RuneError && size == 1
		if strange {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r = charmap.Windows1252.DecodeByte(src[nSrc])
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += size
		if r == '\n' {
			w.line++
		}
		if strange && w.First == 0 {
			w.First = w.line + 1
		}
	}
	return nDst, nSrc, nil
}

// Head is the beginning of a file, behind its mark, as Western reads it.
func Head(head []byte) []byte {
	// The last letter may be cut off; then it is none of the heading's.
	out, _, err := transform.Bytes(&Western{}, head)
	if err != nil {
		panic(fmt.Sprintf("charset: %v", err)) // Transform has no errors of its own
	}
	return out
}

// Decode is a whole file as UTF-8, and the line, from 1, of the first byte that was read as
// Windows-1252; 0 for none.
func Decode(body []byte) (text string, first int, err error) {
	in, err := Open(bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	var out strings.Builder
	western := &Western{}
	_, err = io.Copy(&out, transform.NewReader(in, western))
	return out.String(), western.First, err
}
