package model

import (
	"encoding/json"
	"strings"
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
