package visible

import (
	"regexp"
	"strings"
)

// Signs that are ordinary typography at most places, and imitate ASCII within ids, tokens
// and words. frontend/src/text/visible.ts has the same rules.
const (
	hyphens = "\u2010\u02d7\u2043\u2796\ufe58" // prose has none of them between letters or digits
	dashes  = "\u2011\u2012\u2013"             // prose has them there: 2020–2024, well–known
	minus   = "\u2212"
	dotless = "\u0131"                                                                               // a letter of Turkish
	strokes = "\ua781\u01c3\u01c1\u2223\u23ae\u066d\u2217\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06" // l ! || | * ff fi …
	quotes  = "\u2032\u02b9\u055a"                                                                   // a prime stands behind a figure
	colons  = "\uff1a"                                                                               // Chinese has it beside its own letters

	signs = hyphens + dashes + minus + dotless + strokes + quotes + colons
)

var (
	// token is what blanks and the quotes of JSON part.
	token = regexp.MustCompile(`[^ \t\n"]+`)
	// ofType is the beginning of a record's name or of a tool's, such as Patient/.
	ofType = regexp.MustCompile(`(?:^|[^A-Za-z])[A-Z][A-Za-z]+/[^/]*$|_`)
	// idLike is a token with what ids have and words have not; without an apostrophe (or one of HTML), as in
	// a Turkish ending of a number.
	idLike = regexp.MustCompile(`^[^'’&]*(?:[0-9_-]|[A-Z][A-Za-z]+/)[^'’&]*$`)
	// signed is a number that begins with something like a minus.
	signed = regexp.MustCompile(`^[` + hyphens + dashes + minus + `][0-9]+(?:[.,][0-9]+)?$`)
)

// findSigns finds the signs of a line that imitate ASCII where they stand.
func findSigns(line string, from int, odd map[int]bool) {
	for _, at := range token.FindAllStringIndex(line, -1) {
		t := line[at[0]:at[1]]
		if !strings.ContainsAny(t, signs) {
			continue
		}
		// It is the whole text, or a whole string of JSON.
		whole := (at[0] == 0 || line[at[0]-1] == '"') && (at[1] == len(line) || line[at[1]] == '"' || line[at[1]:] == "\n")
		plain := !strings.ContainsFunc(t, func(r rune) bool { return r >= 0x80 && !strings.ContainsRune(signs, r) })
		for i, r := range t {
			if !strings.ContainsRune(signs, r) {
				continue
			}
			var before, after byte
			if i > 0 {
				before = t[i-1]
			}
			if j := i + len(string(r)); j < len(t) {
				after = t[j]
			}
			between := alnum(before) && alnum(after)
			is := func(set string) bool { return strings.ContainsRune(set, r) }
			if is(hyphens) && between ||
				is(minus) && between && (letterIn(before) || letterIn(after)) ||
				is(dashes) && between && (ofType.MatchString(t[:i]) || whole && (lower(before) || lower(after))) ||
				is(hyphens+dashes+minus) && i == 0 && whole && signed.MatchString(t) ||
				is(dotless) && plain && idLike.MatchString(t) ||
				is(strokes) && (alnum(before) || alnum(after)) ||
				is(quotes) && letterIn(before) && letterIn(after) ||
				is(colons) && between {
				odd[from+at[0]+i] = true
			}
		}
	}
}

func lower(b byte) bool    { return b >= 'a' && b <= 'z' }
func letterIn(b byte) bool { return lower(b) || b >= 'A' && b <= 'Z' }
func alnum(b byte) bool    { return letterIn(b) || b >= '0' && b <= '9' }
