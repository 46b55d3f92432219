package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// opened reads a file behind its byte order mark; one of UTF-16 makes UTF-8 of it.
func opened(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 256<<10)
	mark, err := in.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, err := in.Discard(3)
		return in, err
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return bufio.NewReaderSize(transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), 256<<10), nil
	}
	return in, nil
}

// western passes UTF-8 on and reads every byte that is none as Windows-1252. It is a
// transform.Transformer for one file.
type western struct {
	line int // that is being read, from 0
	// first is the line of the first byte that was no UTF-8, from 1; 0 before there was one.
	first int
}

func (w *western) Reset() { *w = western{} }

func (w *western) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
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
		if strange && w.first == 0 {
			w.first = w.line + 1
		}
	}
	return nDst, nSrc, nil
}

// remark says how a file was read that is not UTF-8 throughout; nil for others.
func (w *western) remark() *Remark {
	if w.first == 0 {
		return nil
	}
	return &Remark{Reason: "The file is not UTF-8 from here on and was read as Windows-1252; if letters look wrong, save it as UTF-8 and import it again."}
}

// westernHead is the beginning of a file as western reads it.
func westernHead(head []byte) []byte {
	// The last letter may be cut off; then it is none of the heading's.
	out, _, err := transform.Bytes(&western{}, head)
	if err != nil {
		panic(fmt.Sprintf("record: %v", err)) // Transform has no errors of its own
	}
	return out
}
