// Package visible makes text that a model, a tool, a record or a file wrote fit to be
// shown: what a person cannot see, what moves other text about and what passes for
// another letter is written as its code point, ⟨U+202E⟩. Every way out uses it; the
// screens have the same rules (frontend/src/text/visible.ts), tested on the same corpus.
package visible

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Text is text of any number of lines: line breaks and tabs stay.
func Text(s string) string { return write(s, false) }

// Line is a name, a title or anything else that has one line: in it a line break and a
// tab are written as code points, too.
func Line(s string) string { return write(s, true) }

// Short is Line of the first n characters, with blanks and line breaks made one blank.
func Short(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " ")
	if utf8.RuneCountInString(s) > n {
		s = string([]rune(s)[:n]) + "…"
	}
	return Line(s)
}

// JSON is JSON text as UTF-8 in which everything that Text would write as a code point
// is escaped as \uXXXX: whoever reads it as JSON gets the same strings.
func JSON(b []byte) []byte {
	s := strings.ToValidUTF8(string(b), "\ufffd")
	odd := find(s, true)
	if odd == nil {
		return []byte(s)
	}
	var out strings.Builder
	for i, r := range s {
		switch {
		case !odd[i] || r < ' ': // JSON text has line breaks of its own
			out.WriteRune(r)
		case r >= 0x10000:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return []byte(out.String())
}

func write(s string, line bool) string {
	odd := find(s, line)
	if odd == nil {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
		case odd[i]:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// find says at which bytes characters stand that must not be shown as they are; nil when
// there are none. Lines have nothing to do with each other.
func find(s string, line bool) (odd map[int]bool) {
	for from := 0; from < len(s); {
		to := len(s)
		if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
			to = from + i + 1
		}
		if !plain(s[from:to], line) {
			if odd == nil {
				odd = map[int]bool{}
			}
			findIn(s, from, to, line, odd)
		}
		from = to
	}
	if len(odd) == 0 {
		return nil
	}
	return odd
}

// plain says that a line has only what ASCII shows.
func plain(s string, line bool) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && (line || c != '\n' && c != '\t') {
			return false
		}
	}
	return true
}

func findIn(s string, from, to int, line bool, odd map[int]bool) {
	var p phrase
	marks := 0
	signs := false
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(s[i:to])
		k := kindOf(r)
		if marks++; k&mark == 0 {
			marks = 0
		}
		if marks > mostMarks {
			odd[i] = true
		}
		signs = signs || k&sign != 0
		if k&odds != 0 && !french(s[from:to], i-from, r) || r == utf8.RuneError && size == 1 || line && (r == '\n' || r == '\t') {
			odd[i] = true
		}
		if k&inWord != 0 {
			p.word = append(p.word, letter{i, r, k})
		} else {
			p.endWord(odd)
		}
		i += size
	}
	p.endWord(odd)
	p.end(odd)
	if signs {
		findSigns(s[from:to], from, odd)
	}
}

// french says that an unbreakable blank stands where French has one: behind a word, before ; : ? ! » or %,
// or after «. What it hides there is that a line does not end.
func french(line string, at int, r rune) bool {
	if r != '\u00a0' && r != '\u202f' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(line[:at])
	after, _ := utf8.DecodeRuneInString(line[at+utf8.RuneLen(r):])
	return before == '«' || strings.ContainsRune(";:?!»%", after) && !unicode.IsSpace(before) && before != utf8.RuneError
}

// mostMarks is how many combining marks one letter may have: more of them strike through
// what stands beside it.
const mostMarks = 4

// kind is what matters of a character.
type kind uint32

const (
	known   kind = 1 << iota
	odds         // nobody sees it, it moves or hides others, or it is a letter in another shape
	inWord       // part of a word
	latin        // a Latin letter
	foreign      // a letter of another script
	twin         // one that is drawn like a Latin letter or a digit
	beside       // one that may stand in one word with Latin letters
	plainDigit
	foreignDigit
	mark // combines with the letter before it
	sign // passes for an ASCII sign or letters at some places; see findSigns
)

// kinds remembers the kinds of the characters of the basic plane: most text has few.
var kinds [0x10000]atomic.Uint32

func kindOf(r rune) kind {
	if int(r) >= len(kinds) {
		return newKind(r)
	}
	k := kind(kinds[r].Load())
	if k == 0 {
		k = newKind(r)
		kinds[r].Store(uint32(k))
	}
	return k
}

func newKind(r rune) kind {
	k := known
	set := func(is bool, bit kind) {
		if is {
			k |= bit
		}
	}
	isLetter := unicode.IsLetter(r)
	isLatin := isLetter && unicode.Is(unicode.Latin, r)
	isDigit := unicode.Is(unicode.Nd, r)
	t := tables()
	set(hidden(r) || r >= utf8.RuneSelf && unicode.Is(t.styled, r), odds)
	set(r == '_' || isLetter || isDigit || unicode.Is(unicode.M, r), inWord)
	set(isLatin, latin)
	if isLetter && !isLatin && r != 'µ' && r != 'º' && r != 'ª' {
		k |= foreign
		set(unicode.Is(t.twins, r), twin)
		set(besideLatin(r), beside)
	}
	set(unicode.In(r, unicode.Mn, unicode.Me), mark)
	set(strings.ContainsRune(signs, r), sign)
	set(isDigit && r < utf8.RuneSelf, plainDigit)
	set(isDigit && r >= utf8.RuneSelf, foreignDigit)
	return k
}

// hidden says that nobody sees the character, or that it moves or hides others.
func hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
		return false
	case r == '\u2800', r == '\ufffc', r == 0x1d159: // blank, or drawn as nothing
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r >= 0xe0000 && r <= 0xe0fff
}

// phrase is a run of words without Latin letters, on one line. A word whose letters all
// pass for Latin ones imitates a Latin word, unless a word beside it shows its script.
type phrase struct {
	word    []letter
	imitate []int // places of the letters of words that only have twins
	shown   bool  // a word of the run has a letter that passes for no other
}

type letter struct {
	at int
	r  rune
	k  kind
}

func (p *phrase) end(odd map[int]bool) {
	if !p.shown {
		for _, i := range p.imitate {
			odd[i] = true
		}
	}
	p.imitate, p.shown = p.imitate[:0], false
}

func (p *phrase) endWord(odd map[int]bool) {
	if len(p.word) == 0 {
		return
	}
	var all kind
	own := false // a foreign letter that passes for no other
	for _, l := range p.word {
		all |= l.k
		own = own || l.k&(foreign|twin) == foreign
	}
	switch {
	case all&latin != 0:
		p.end(odd)
		if all&foreign != 0 {
			for _, l := range p.word {
				if l.k&foreign != 0 && (l.k&twin != 0 || l.k&beside == 0) && !p.greek(l) {
					odd[l.at] = true
				}
			}
		}
	case own:
		p.shown = true
	case all&foreign != 0 && !(len(p.word) == 1 && p.word[0].r == 'α'):
		for _, l := range p.word {
			if l.k&foreign != 0 {
				p.imitate = append(p.imitate, l.at)
			}
		}
	}
	if all&foreignDigit != 0 && all&(latin|plainDigit) != 0 {
		for _, l := range p.word {
			if l.k&foreignDigit != 0 {
				odd[l.at] = true
			}
		}
	}
	p.word = p.word[:0]
}

// greek says that l is the letter of a name such as TNFα or γGT: the first or the last
// beside capitals and digits.
func (p *phrase) greek(l letter) bool {
	first, last := p.word[0], p.word[len(p.word)-1]
	if l.r != 'α' && l.r != 'γ' || l != first && l != last {
		return false
	}
	for _, other := range p.word {
		if other != l && !(other.r >= 'A' && other.r <= 'Z' || other.r >= '0' && other.r <= '9') {
			return false
		}
	}
	return true
}

// besideLatin says that a letter may stand in one word with Latin ones: scripts that put
// no blanks between words, Greek letters of units and names, and signs.
func besideLatin(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar, unicode.Greek, unicode.Common)
}

type lookalikes struct{ styled, twins *unicode.RangeTable }

var tables = sync.OnceValue(func() lookalikes { return lookalikes{table(styledCodes), table(twinCodes)} })

// table reads ranges in hex; they are in order.
func table(codes string) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for _, part := range strings.Fields(codes) {
		from, to, ok := strings.Cut(part, "-")
		if !ok {
			to = from
		}
		lo, err := strconv.ParseUint(from, 16, 32)
		hi, err2 := strconv.ParseUint(to, 16, 32)
		if err != nil || err2 != nil {
			panic("visible: " + part) // our own text
		}
		if hi <= 0xffff {
			t.R16 = append(t.R16, unicode.Range16{Lo: uint16(lo), Hi: uint16(hi), Stride: 1})
		} else {
			t.R32 = append(t.R32, unicode.Range32{Lo: uint32(lo), Hi: uint32(hi), Stride: 1})
		}
	}
	return t
}

// WithoutPaths is an error's text without the folders of this machine: of a path only
// the last name stays. Addresses of servers and references such as Patient/1 stay.
func WithoutPaths(s string) string {
	if !strings.ContainsAny(s, `/\`) {
		return s
	}
	for _, folder := range folders() {
		s = strings.ReplaceAll(s, folder+string(filepath.Separator), "/./")
		s = strings.ReplaceAll(s, folder, "/./")
	}
	return anyPath.ReplaceAllStringFunc(s, func(found string) string {
		lead, path := "", found
		if i := strings.IndexAny(found, `/\`); i > 0 && !windows.MatchString(found) {
			lead, path = found[:i], found[i:]
		} else if loc := windows.FindStringIndex(found); loc != nil {
			lead, path = found[:loc[0]], found[loc[0]:]
		}
		path = strings.TrimRight(path, `/\`)
		return lead + path[strings.LastIndexAny(path, `/\`)+1:]
	})
}

var (
	// anyPath is an absolute path of at least two names, or one behind a drive's letter.
	anyPath = regexp.MustCompile(`(?:^|[\s"'“‘(=,;:\[])(?:(?:/[^\s/\\"'”’:;,()\[\]]+){2,}/?|[A-Za-z]:\\[^\s"'”’:;,()\[\]]+)`)
	windows = regexp.MustCompile(`[A-Za-z]:\\`)
)

// folders are those whose names may have blanks in them; the longest is first.
var folders = sync.OnceValue(func() (out []string) {
	for _, f := range []func() (string, error){os.UserConfigDir, os.UserCacheDir, os.UserHomeDir, os.Getwd, func() (string, error) { return os.TempDir(), nil }} {
		if dir, err := f(); err == nil && len(dir) > 1 {
			out = append(out, filepath.Clean(dir))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
})
