package model

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// StringDecoder decodes what stands in a JSON string while a model writes it. Half an
// escape, and half a character, wait for the rest.
type StringDecoder struct {
	raw    []byte // what is not decoded yet
	closed bool
}

// Add takes what follows behind the opening quote and returns the text that it completes.
func (d *StringDecoder) Add(piece string) string {
	if d.closed {
		return ""
	}
	d.raw = append(d.raw, piece...)
	var out strings.Builder
	for len(d.raw) > 0 {
		n, text, end := decodeChar(d.raw)
		if end {
			d.closed = true
			break
		}
		if n == 0 {
			break
		}
		out.WriteString(text)
		d.raw = d.raw[n:]
	}
	return out.String()
}

// decodeChar decodes the first character inside a JSON string; n is 0 when more
// bytes are needed and end is true at the closing quote.
func decodeChar(raw []byte) (n int, text string, end bool) {
	switch {
	case raw[0] == '"':
		return 0, "", true
	case raw[0] != '\\':
		if !utf8.FullRune(raw) {
			return 0, "", false
		}
		_, size := utf8.DecodeRune(raw)
		return size, strings.ToValidUTF8(string(raw[:size]), "\uFFFD"), false
	case len(raw) < 2:
		return 0, "", false
	case raw[1] != 'u':
		short := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f"}
		if s, ok := short[raw[1]]; ok {
			return 2, s, false
		}
		return 2, string(raw[1:2]), false
	}
	first, ok := hex4(raw)
	if !ok {
		return 0, "", false
	}
	if !utf16.IsSurrogate(first) {
		return 6, string(first), false
	}
	if len(raw) < 8 {
		return 0, "", false
	}
	if raw[6] != '\\' || raw[7] != 'u' {
		return 6, "\uFFFD", false
	}
	second, ok := hex4(raw[6:])
	if !ok {
		return 0, "", false
	}
	if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
		return 12, string(r), false
	}
	return 6, "\uFFFD", false
}

// hex4 reads \uXXXX; without all six bytes it isn't ok.
func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	if err != nil {
		// Not JSON; the whole answer is refused at its end.
		return utf8.RuneError, true
	}
	return rune(v), true
}
