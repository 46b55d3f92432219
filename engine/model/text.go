package model

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// JSON marshals values of our own types, which cannot fail.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("model: " + err.Error())
	}
	return b
}

// Shorten trims text and cuts it to n characters, for a prompt or an event.
func Shorten(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s // no more characters than bytes
	}
	at := 0
	for i := range s {
		if at == n {
			return s[:i] + "…"
		}
		at++
	}
	return s
}

// Opening is the beginning of a text of at most n characters; what is longer ends at a word, with "…".
func Opening(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n || n < 2 {
		return string(runes[:min(len(runes), n)])
	}
	at := n - 1
	if !unicode.IsSpace(runes[at]) {
		// Half a word says something else or nothing; one that is as long as the room is cut.
		for i := at - 1; i > at/2; i-- {
			if unicode.IsSpace(runes[i]) {
				at = i
				break
			}
		}
	}
	return strings.TrimRightFunc(string(runes[:at]), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:", r) }) + "…"
}

// Filled is a text that a model wrote under a schema with room for n characters: one that fills
// them was most likely cut in the middle of a word, and ends like an Opening then.
func Filled(s string, n int) string {
	if s = strings.TrimSpace(s); utf8.RuneCountInString(s) < n || strings.HasSuffix(s, "…") || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return Opening(s+"x", n) // of the last word nobody knows whether it is whole
}
