package safety

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is one normalised word with its place in the original text.
type token struct {
	word       string
	id         int // index into the rules' vocabulary, 0 for a word no rule mentions
	start, end int // bytes in the original text
	sentence   int // patterns never cross a sentence
	clause     int // negation never crosses a clause
	quoted     bool
}

// lookalike maps letters of other scripts that are drawn like a Latin one.
// Only cheap, unambiguous pairs: this is no full confusables table.
var lookalike = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'х': 'x', 'у': 'y', 'і': 'i', 'ѕ': 's', 'ј': 'j', 'ԁ': 'd', 'һ': 'h', 'к': 'k', 'м': 'm', 'т': 't', 'в': 'b', 'н': 'h',
	'А': 'a', 'Е': 'e', 'О': 'o', 'Р': 'p', 'С': 'c', 'Х': 'x', 'У': 'y', 'І': 'i', 'Ѕ': 's', 'К': 'k', 'М': 'm', 'Т': 't', 'В': 'b', 'Н': 'h',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'ν': 'v', 'ı': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd',
}

// disguise maps digits and signs that stand for letters inside a word (su1cide).
var disguise = map[rune]rune{'1': 'i', '0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's'}

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '`', '´', '′', '＇':
		return true
	}
	return false
}

func isInvisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) || unicode.Is(unicode.Variation_Selector, r)
}

// plainLetters has fold's answer for each sign of ASCII.
var plainLetters = func() (of [utf8.RuneSelf]string) {
	for r := range rune(utf8.RuneSelf) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			of[r] = string(unicode.ToLower(r))
		}
	}
	return of
}()

// fold returns the lower-case Latin letters and digits a rune stands for;
// empty when it is no part of a word.
func fold(r rune) string {
	if r < utf8.RuneSelf {
		return plainLetters[r]
	}
	if l, ok := lookalike[r]; ok {
		return string(l)
	}
	var b strings.Builder
	for _, d := range norm.NFKD.String(string(r)) {
		d = unicode.ToLower(d)
		if l, ok := lookalike[d]; ok {
			d = l
		}
		if unicode.IsLetter(d) || unicode.IsDigit(d) || unicode.Is(unicode.Mc, d) { // Indian vowels stand beside their letter
			b.WriteRune(d)
		}
	}
	return b.String()
}

// unspaced says that a letter is of a script whose words have no space between them.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.IsLetter(r) && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー')
}

// longestUnspaced is how many letters a word of such a script has at most.
const longestUnspaced = 12

// cut takes the longest word that rules know from the start of a text without spaces, else its first letter: the word
// and how many bytes it has.
func (rs *ruleset) cut(text string) (word string, n int) {
	var b strings.Builder
	letters := 0
	for i, r := range text {
		f := fold(r)
		if f == "" && !isInvisible(r) || letters == longestUnspaced {
			break
		}
		letters++
		b.WriteString(f)
		if _, ok := rs.vocabulary[b.String()]; ok || n == 0 {
			word, n = b.String(), i+utf8.RuneLen(r)
		}
	}
	return word, n
}

// scanner cuts a text into tokens. One scanner serves one text.
type scanner struct {
	rules    *ruleset
	text     string
	tokens   []token
	word     []byte
	start    int
	end      int
	sentence int
	clause   int
	letters  bool
	elided   int  // where the word has its apostrophe, 0 without one
	signs    bool // the word holds a digit or sign that may stand for a letter
}

// scan normalises text: NFKC-folded, look-alikes and zero-width characters
// resolved, apostrophes dropped, contractions written out, misspellings and
// disguises of the words that rules mention put right.
func (rs *ruleset) scan(text string) []token {
	s := &scanner{rules: rs, text: text, tokens: make([]token, 0, len(text)/4+8)}
	lineStart, lineQuoted := true, false
	quotedFrom := -1 // first token of a quoted line
	var doubleAt, singleAt = -1, -1
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		next := i + n
		if r >= utf8.RuneSelf && isInvisible(r) {
			i = next
			continue
		}
		if isApostrophe(r) {
			inWord := len(s.word) > 0
			after, _ := utf8.DecodeRuneInString(text[next:])
			letterAfter := next < len(text) && fold(after) != ""
			switch {
			case inWord && letterAfter: // don't
				s.elided = len(s.word)
			case inWord:
				s.flush()
				if singleAt >= 0 {
					s.quote(singleAt)
					singleAt = -1
				}
			case letterAfter:
				singleAt = len(s.tokens)
			}
			i = next
			continue
		}
		if rs.unspaced && unspaced(r) {
			s.flush()
			word, length := rs.cut(text[i:])
			s.add(word, i, i+length)
			lineStart = false
			i += length
			continue
		}
		f := ""
		switch {
		case r == utf8.RuneError && n <= 1:
		case (r == '*' || r == '@' || r == '$') && len(s.word) > 0 && next < len(text) && letterAt(text, next):
			f = string(r)
		case (r == 'œ' || r == 'Œ') && len(rs.vocabulary) > 0: // the linear tier has learnt “sœur” as it is
			f = "oe"
		default:
			f = fold(r)
		}
		if f != "" {
			if len(s.word) == 0 {
				s.start = i
			}
			for _, c := range f {
				if unicode.IsLetter(c) {
					s.letters = true
				} else {
					s.signs = true
				}
			}
			s.word = append(s.word, f...)
			s.end = next
			lineStart = false
			i = next
			continue
		}
		s.flush()
		within := (r == '.' || r == ',') && i > 0 && isDigit(text[i-1]) && next < len(text) && isDigit(text[next]) // 2.1
		switch r {
		case '.', '!', '?', ';', '…', '。', '！', '？', '؟', '।', '۔':
			if !within {
				s.sentence++
				s.clause++
			}
		case ',', ':', '—', '–', '(', ')', '[', ']', '|', '，', '、', '،':
			if !within {
				s.clause++
			}
		case '"', '“', '”', '„', '«', '»', '＂':
			if doubleAt >= 0 {
				s.quote(doubleAt)
				doubleAt = -1
			} else {
				doubleAt = len(s.tokens)
			}
		case '\n', '\r', '\u2028', '\u2029':
			s.sentence++
			s.clause++
			if lineQuoted {
				s.quote(quotedFrom)
				lineQuoted = false
			}
			lineStart = true
		}
		// "> " (or its HTML form) at the start of a line quotes the line, as in
		// mail and Markdown.
		if lineStart && (r == '>' || (r == '&' && strings.HasPrefix(text[i:], "&gt;"))) {
			lineQuoted, quotedFrom = true, len(s.tokens)
			if r == '&' {
				next = i + len("&gt;")
			}
		}
		if !unicode.IsSpace(r) && r != '>' {
			lineStart = false
		}
		i = next
	}
	s.flush()
	if lineQuoted {
		s.quote(quotedFrom)
	}
	return rs.merge(rs.spelledOut(s.tokens))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r != utf8.RuneError && unicode.IsLetter(r)
}

// maxQuote is the longest quotation in tokens; a mark that closes later than
// that was no quotation mark.
const maxQuote = 80

func (s *scanner) quote(from int) {
	if from < 0 || len(s.tokens)-from > maxQuote {
		return
	}
	for i := from; i < len(s.tokens); i++ {
		s.tokens[i].quoted = true
	}
}

// maxWord bounds the work a single run of letters can cause.
const maxWord = 64

func (s *scanner) flush() {
	if len(s.word) == 0 {
		return
	}
	word, signs, letters, at := string(s.word), s.signs, s.letters, s.elided
	s.word, s.signs, s.letters, s.elided = s.word[:0], false, false, 0
	if at > 0 && len(s.rules.elided) > 0 {
		if other, ok := s.rules.elided[word[:at]+"'"+word[at:]]; ok {
			s.add(other, s.start, s.end)
			return
		}
	}
	if len(word) > maxWord {
		s.add("", s.start, s.end)
		return
	}
	if letters && signs {
		word = s.rules.undisguise(word)
	}
	word = s.rules.spell(word)
	for {
		first, rest, more := strings.Cut(word, " ")
		s.add(first, s.start, s.end)
		if !more {
			return
		}
		word = rest
	}
}

func (s *scanner) add(word string, start, end int) {
	rs := s.rules
	if word == "ill" && !s.afterIllness(start, end) {
		s.add("i", start, end)
		word = "will"
	}
	id := rs.id(word)
	if id != 0 && rs.clauseWords.has(id) {
		s.clause++
	}
	s.tokens = append(s.tokens, token{word: word, id: id, start: start, end: end, sentence: s.sentence, clause: s.clause})
}

// afterIllness reports whether "ill" means sick here and not "I'll": it is
// written without an apostrophe and follows a word like feel or mentally.
func (s *scanner) afterIllness(start, end int) bool {
	if strings.ContainsFunc(s.text[start:end], isApostrophe) {
		return false
	}
	if len(s.tokens) == 0 {
		return false
	}
	last := s.tokens[len(s.tokens)-1]
	return last.sentence == s.sentence && s.rules.beforeIll.has(last.id)
}

// undisguise reads signs as letters when that gives a word some rule knows.
func (rs *ruleset) undisguise(word string) string {
	if rs.known(word) {
		return word
	}
	letters := strings.Map(func(r rune) rune {
		if l, ok := disguise[r]; ok {
			return l
		}
		return r
	}, word)
	if rs.known(letters) {
		return letters
	}
	if strings.Contains(letters, "*") {
		for _, w := range rs.masked {
			if len(w) == len(letters) && maskFits(letters, w) {
				return w
			}
		}
	}
	return strings.NewReplacer("*", "", "@", "", "$", "").Replace(word)
}

func maskFits(mask, word string) bool {
	shown := 0
	for i := range len(mask) {
		if mask[i] == '*' {
			continue
		}
		if mask[i] != word[i] {
			return false
		}
		shown++
	}
	return shown >= 2
}

func (rs *ruleset) known(word string) bool {
	if _, ok := rs.vocabulary[word]; ok {
		return true
	}
	_, ok := rs.spelling[word]
	return ok
}

// spell puts one word right; the answer may be several words.
func (rs *ruleset) spell(word string) string {
	if w, ok := rs.spelling[word]; ok {
		return w
	}
	if _, ok := rs.vocabulary[word]; ok {
		return word
	}
	for _, keep := range []int{2, 1} {
		if !stretched(word) {
			break
		}
		if w := squeeze(word, keep); w != word && rs.known(w) {
			if full, ok := rs.spelling[w]; ok {
				return full
			}
			return w
		}
	}
	if len(word) >= 6 {
		for _, target := range rs.fuzzy {
			if oneEdit(word, target) {
				return target
			}
		}
	}
	if w, ok := rs.named(word); ok {
		return w
	}
	if len(rs.sounds) > 0 && len(word) <= longestHeard {
		if w, ok := rs.sounds[soundOf(word)]; ok {
			return w
		}
	}
	return word
}

// Names of so many letters are put right where one letter is wrong or they are written as they sound, and of so many
// where two are.
const nameOneEdit, nameTwoEdits = 8, 9

// nameAll takes in names that are put right.
func (rs *ruleset) nameAll(names []string) {
	for _, n := range names {
		if len(n) < nameOneEdit {
			continue
		}
		for len(rs.names) <= len(n) {
			rs.names = append(rs.names, nil)
		}
		rs.names[len(n)] = append(rs.names[len(n)], n)
		if s := soundOf(n); rs.sounds[s] == "" {
			rs.sounds[s] = n
		}
	}
}

// named is the name that a word with a mistake or two stands for.
func (rs *ruleset) named(word string) (string, bool) {
	for _, most := range []int{1, 2} {
		for n := max(len(word)-most, nameOneEdit); n <= len(word)+most && n < len(rs.names); n++ {
			if most == 2 && min(n, len(word)) < nameTwoEdits {
				continue
			}
			for _, name := range rs.names[n] {
				if most == 1 && oneEdit(word, name) || most == 2 && word[0] == name[0] && twoEdits(word, name) {
					return name, true
				}
			}
		}
	}
	return "", false
}

// twoEdits reports whether a becomes b by two of the changes of oneEdit, of which the first is where they first differ.
func twoEdits(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a)-len(b) <= 2 && len(b)-len(a) <= 2
	}
	a, b = a[i:], b[i:]
	return oneEdit(a[1:], b) || oneEdit(a, b[1:]) || oneEdit(a[1:], b[1:]) || len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && oneEdit(a[2:], b[2:])
}

// longestHeard bounds the letters of a word that is written as it is heard.
const longestHeard = 16

// bySound are words by their sound.
func bySound(words []string) map[string]string {
	sounds := make(map[string]string, len(words))
	for _, w := range words {
		sounds[soundOf(w)] = w
	}
	return sounds
}

// heardAlike are letters that sound the same in English and French; what stands first is replaced first.
var heardAlike = strings.NewReplacer("ph", "f", "qu", "k", "ck", "k", "ce", "se", "ci", "si", "cy", "si", "sc", "s", "c", "k", "z", "s", "y", "i", "h", "", "eau", "o", "au", "o", "ai", "e", "en", "an", "em", "an", "am", "an", "oo", "u")

// soundOf is how a word sounds, roughly: letters that sound alike are one, doubled ones and those that end it in silence are none.
func soundOf(word string) string {
	s := squeeze(heardAlike.Replace(word), 1)
	for _, ending := range []string{"er", "ez"} {
		if rest, ok := strings.CutSuffix(s, ending); ok && len(rest) > 3 {
			s = rest
			break
		}
	}
	return strings.TrimRight(s, "estx")
}

// squeeze shortens every run of three or more equal letters to keep of them
// (keep 2), or every run to one letter (keep 1).
func squeeze(word string, keep int) string {
	b := make([]byte, 0, len(word))
	for i := 0; i < len(word); {
		j := i
		for j < len(word) && word[j] == word[i] {
			j++
		}
		n := j - i
		if n > keep && (n > 2 || keep == 1) {
			n = keep
		}
		for range n {
			b = append(b, word[i])
		}
		i = j
	}
	return string(b)
}

// stretched reports a run of three or more equal letters ("diiie").
func stretched(word string) bool {
	for i := 2; i < len(word); i++ {
		if word[i] == word[i-1] && word[i] == word[i-2] {
			return true
		}
	}
	return false
}

// oneEdit reports whether a becomes b by one insertion, deletion, substitution
// or swap of neighbours.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i == len(a) || a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// spelledOut joins runs of single letters ("k i l l") to words rules know.
func (rs *ruleset) spelledOut(in []token) []token {
	run := 0
	found := false
	for _, t := range in {
		if len(t.word) == 1 {
			run++
			found = found || run >= 3
		} else {
			run = 0
		}
	}
	if !found {
		return in
	}
	out := make([]token, 0, len(in))
	joined := 0 // sentence ends that were dots between letters
	for i := 0; i < len(in); {
		n := rs.spelledLength(in[i:])
		t := in[i]
		t.sentence -= joined
		if n > 0 {
			t.word, t.end = spelledWord(in[i:i+n]), in[i+n-1].end
			t.id = rs.vocabulary[t.word]
			joined += in[i+n-1].sentence - in[i].sentence
		}
		out = append(out, t)
		i += max(n, 1)
	}
	return out
}

// longestSpelled bounds a word written letter by letter.
const longestSpelled = 12

// spelledLength is how many single letters at the start of in make the longest
// word rules know, or 0.
func (rs *ruleset) spelledLength(in []token) int {
	n := 0
	for n < len(in) && n < longestSpelled && len(in[n].word) == 1 {
		n++
	}
	for ; n >= 3; n-- {
		if _, ok := rs.vocabulary[spelledWord(in[:n])]; ok {
			return n
		}
	}
	return 0
}

func spelledWord(letters []token) string {
	var b strings.Builder
	for _, t := range letters {
		b.WriteString(t.word)
	}
	return b.String()
}

// merge joins the pairs that the rules treat as one word ("do not"), and puts right those that are two others (“want too”).
func (rs *ruleset) merge(in []token) []token {
	out := in[:0]
	for i := 0; i < len(in); i++ {
		t := in[i]
		if i+1 < len(in) && in[i+1].sentence == t.sentence && t.id != 0 && in[i+1].id != 0 {
			switch w := rs.pairs[[2]int{t.id, in[i+1].id}]; len(w) {
			case 1:
				t.id, t.word, t.end = w[0], rs.words[w[0]], in[i+1].end
				i++
			case 2:
				t.id, t.word = w[0], rs.words[w[0]]
				in[i+1].id, in[i+1].word = w[1], rs.words[w[1]]
			}
		}
		out = append(out, t)
	}
	return out
}

// shortened are endings that phones drop or change, and what they stand for.
var shortened = [][2]string{{"in", "ing"}, {"z", "s"}, {"d", "ed"}}

// unshorten is a word as it is written, where somebody wrote it as one writes to friends.
func (rs *ruleset) unshorten(word string) (string, bool) {
	if w, ok := rs.texting[word]; ok {
		return w, true
	}
	if rs.known(word) || len(word) < 5 {
		w := rs.spell(word)
		return w, w != word
	}
	for _, e := range shortened {
		if stem, ok := strings.CutSuffix(word, e[0]); ok && len(rs.texting) > 0 {
			if _, ok := rs.vocabulary[stem+e[1]]; ok {
				return stem + e[1], true
			}
		}
	}
	w := rs.spell(word)
	return w, w != word
}

// ordinaryShort are words without their apostrophe: alone they make no message one of a phone.
var ordinaryShort = wordSet(strings.Fields("im ive id cannot ill gonna wanna gotta dunno aint nite b c n r u w y"))

// beforeTo are words after which 2 is “to”.
var beforeTo = wordSet(strings.Fields("going goin want wnt need have trying tryin ready hav used about bout"))

// piece is a stretch that stands in two texts.
type piece struct{ start, end, was, wasEnd int }

// writtenOut is a message with the spellings of phones and children put right, as it is read by those who
// learnt from written language. It is not ok where there is nothing to put right.
func (rs *ruleset) writtenOut(text string) (out string, pieces []piece, ok bool) {
	var b strings.Builder
	from, last := 0, ""
	loud := strings.ToUpper(text) == text
	for _, t := range uncorrected.scan(text) {
		after := last
		last = t.word
		if t.start < from || t.end > len(text) || text[t.start:t.end] == strings.ToUpper(t.word) && len(t.word) > 1 && !loud {
			continue // initials
		}
		if t.word == "2" && beforeTo[after] {
			b.WriteString(text[from:t.start])
			p := piece{start: b.Len(), was: t.start, wasEnd: t.end}
			b.WriteString("to")
			p.end = b.Len()
			pieces, from, ok = append(pieces, p), t.end, true
			continue
		}
		if len(t.word) == 1 && after != "" && after[len(after)-1] <= '9' {
			continue // 5 g
		}
		word, changed := t.word, false
		if raw := strings.ToLower(strings.ReplaceAll(text[t.start:t.end], "’", "'")); strings.Contains(raw, "'") {
			word, changed = rs.texting[raw], rs.texting[raw] != ""
		} else if w, put := rs.unshorten(t.word); put {
			word, changed = w, true
		}
		if !changed {
			continue
		}
		ok = ok || !ordinaryShort[t.word]
		b.WriteString(text[from:t.start])
		p := piece{start: b.Len(), was: t.start, wasEnd: t.end}
		b.WriteString(word)
		p.end = b.Len()
		pieces = append(pieces, p)
		from = t.end
		if t.word == "w" && strings.HasPrefix(text[from:], "/") { // w/ is with
			from++
			if from < len(text) && text[from] != ' ' {
				b.WriteByte(' ')
			}
		}
	}
	b.WriteString(text[from:])
	return b.String(), pieces, ok
}

// asWritten moves the cues to where they stand in the text before it was written out.
func (v *Verdict) asWritten(pieces []piece, text string) {
	place := func(at int, end bool) int {
		by := 0
		for _, p := range pieces {
			switch {
			case at >= p.end:
				by = p.wasEnd - p.end
			case at > p.start && end:
				return p.wasEnd
			case at >= p.start && !end:
				return p.was
			}
		}
		return max(0, min(at+by, len(text)))
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.End > 0 {
			f.Start, f.End = place(f.Start, false), place(f.End, true)
		}
	}
}
