package encoder

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Sentences cuts a text where sentences end by the rules of Unicode (UAX #29), without the
// blanks around them. A text of blanks has none.
func Sentences(text string) []string {
	var out []string
	state := -1
	for len(text) > 0 {
		var s string
		s, text, state = uniseg.FirstSentenceInString(text, state)
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
