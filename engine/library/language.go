package library

import (
	"unicode/utf8"

	"holdpoint/engine/language"
)

// looked is how much of a text says what language it is in, in bytes.
const looked = 8 << 10

// languageOf is the language of a document by its beginning; "" when that does not tell.
func languageOf(text string) string {
	if len(text) > looked {
		end := looked
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	var tally language.Tally
	tokens(text, func(t token) { tally.Add(t.text) })
	return tally.Language()
}
