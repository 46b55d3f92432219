package mcp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes hostile text look the same to a person as to a model: characters without
// a shape of their own (controls, direction marks, joiners, tags, private-use letters)
// are written out as their numbers. Line ends and tabs stay.
func visible(s string) string {
	plain := true
	for _, r := range s {
		if hidden(r) {
			plain = false
			break
		}
	}
	if plain && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "\\x%02x", s[i])
		} else if hidden(r) {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func hidden(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0: // fillers and blanks that look like nothing
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) || r >= 0xe0000 && r <= 0xe0fff
}

// bounded is visible text of at most so many characters.
func bounded(s string, most int) string {
	if len(s) > 8*most {
		s = s[:8*most] // more can't be shown, whatever it is
	}
	s = visible(strings.ToValidUTF8(s, "\ufffd"))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return string(runes[:most-1]) + "…"
}
