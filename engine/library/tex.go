package library

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TeX's own bitmap fonts do not say which letters their codes are, and PDFium passes on the codes as
// they are: “first” is “\x1crst”. Codes are those of the encodings T1 (Cork) and OT1 ("TeX text", Knuth,
// The TeXbook, appendix F); only those below a blank are here, for the others are letters by chance.
var (
	cork  = map[rune]string{0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–", 0x16: "—", 0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}
	knuth = map[rune]string{0x0B: "ff", 0x0C: "fi", '\r': "fl", 0x0E: "ffi", 0x0F: "ffl", 0x10: "i", 0x19: "ß", 0x1A: "æ", 0x1B: "œ", 0x1C: "ø", 0x1D: "Æ", 0x1E: "Œ", 0x1F: "Ø"}
	// accents stand before their letter in OT1; here is what stands behind it in Unicode.
	accents = map[rune]rune{0x12: 0x300, 0x13: 0x301, 0x14: 0x30C, 0x15: 0x306, 0x16: 0x304, 0x17: 0x30A, 0x18: 0x327, 0x7F: 0x308}
	// spacing are the same where a font does name its codes: “é” is “´e”.
	spacing = map[rune]rune{'`': 0x300, '´': 0x301, 'ˆ': 0x302, '˜': 0x303, '¯': 0x304, '˘': 0x306, '¨': 0x308, '˚': 0x30A, '˝': 0x30B, 'ˇ': 0x30C, '¸': 0x327}
)

// spelled is a page's text with the codes of TeX's fonts written out, and for each of its characters
// which of the page's it comes from.
func spelled(page string) (text []rune, at []int) {
	codes := []rune(page)
	letter := func(i int) bool { return i >= 0 && i < len(codes) && unicode.IsLetter(codes[i]) }
	over := func(i int) (rune, bool) { // the letter that the accent before it makes of it
		if !letter(i) {
			return 0, false
		}
		r := codes[i]
		if r == 'ı' {
			r = 'i'
		}
		one := []rune(norm.NFC.String(string([]rune{r, spacing[codes[i-1]]})))
		return one[0], len(one) == 1
	}
	apart := false // accents of their own stand before letters, which a grave alone does not show: it is a quote as well
	for i, r := range codes {
		if _, ok := spacing[r]; ok && r != '`' {
			if _, ok := over(i + 1); ok {
				apart = true
				break
			}
		}
	}
	written := func(list ...rune) bool {
		for i, r := range codes {
			if slices.Contains(list, r) && (letter(i-1) || letter(i+1)) {
				return true
			}
		}
		return false
	}
	var letters map[rune]string
	accented := false
	switch {
	case written(0x0B, 0x0C, 0x0E, 0x0F):
		letters, accented = knuth, true
	case written(0x1B, 0x1C, 0x1D, 0x1E, 0x1F):
		letters = cork
	}
	put := func(i int, list ...rune) {
		for _, r := range list {
			text, at = append(text, r), append(at, i)
		}
	}
	var accent rune
	for i, r := range codes {
		if _, ok := spacing[r]; ok && apart {
			if _, ok := over(i + 1); ok {
				continue
			}
		}
		if i > 0 && apart && spacing[codes[i-1]] != 0 {
			if one, ok := over(i); ok {
				put(i, one)
				continue
			}
		}
		if above, ok := accents[r]; ok && accented {
			accent = above
			continue
		}
		out := []rune{r}
		if r != '\r' || i+1 == len(codes) || codes[i+1] != '\n' { // else a line's end
			if s, ok := letters[r]; ok {
				out = []rune(s)
			}
		}
		if accent != 0 && unicode.IsLetter(out[0]) {
			out = append([]rune(norm.NFC.String(string([]rune{out[0], accent}))), out[1:]...)
		}
		accent = 0
		put(i, out...)
	}
	return text, at
}
