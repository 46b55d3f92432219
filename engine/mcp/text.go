package mcp

import (
	"strings"
	"unicode/utf8"

	"holdpoint/engine/visible"
)

// bounded is text of at most so many characters that a person can see.
func bounded(s string, most int) string {
	if len(s) > 8*most {
		s = s[:8*most] // more can't be shown, whatever it is
	}
	s = visible.Text(strings.ToValidUTF8(s, "\ufffd"))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return string(runes[:most-1]) + "…"
}
