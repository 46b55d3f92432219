package tongue

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed errors.json
var errorsJSON []byte

//go:embed outside.json
var outsideJSON []byte

// errorTexts are the texts of errors that have French.
var errorTexts = sync.OnceValue(func() (c struct {
	whole, outside map[string]string
	shapes         []errorShape
}) {
	c.whole, c.outside = map[string]string{}, map[string]string{}
	read(errorsJSON, c.whole)
	readAgents("errors.json", c.whole)
	read(outsideJSON, c.outside)
	for i, catalog := range []map[string]string{c.whole, c.outside} {
		for english, french := range catalog {
			if value.MatchString(english) {
				one := errorShape{fixed: value.Split(english, -1), french: french, words: lettersIn(english)}
				for at := range len(one.fixed) - 1 {
					one.quoted = append(one.quoted, strings.HasSuffix(one.fixed[at], `"`) && strings.HasPrefix(one.fixed[at+1], `"`))
				}
				one.opens = i == 1 && one.fixed[0] != "" // as "open FILE" does
				c.shapes = append(c.shapes, one)
				delete(catalog, english)
			}
		}
	}
	slices.SortFunc(c.shapes, func(one, other errorShape) int {
		return cmp.Or(other.words-one.words, len(other.fixed)-len(one.fixed), strings.Compare(one.french, other.french))
	})
	return c
})

// errorShape is the text of an error with values in it.
type errorShape struct {
	// fixed is what stands around the values; quoted says which of them are in quotation marks,
	// and so are somebody's words.
	fixed  []string
	quoted []bool
	french string
	// words is how many letters are not values. opens says that a value may be any text.
	words int
	opens bool
}

var (
	// aName is a file, an id or a text in quotation marks: what stands before an error and is
	// no error itself.
	aName = regexp.MustCompile(`^(?:\S+|"[^"]*")$`)
	// aClause is English that is no value: a sentence with it is another one.
	aClause = regexp.MustCompile(`^(?i:the|an?|this|these|that|its?|what|no|not|there) `)
)

// aValue stands before a word that is one as a value of an error.
const aValue = "= "

// theirs are the parts of an error that others' words follow: a person's, a program's or a server's.
var theirs = regexp.MustCompile(`(?:^|: )(?:rejected by a person|the program wrote|it answered that it cannot|the server failed): `)

// Bounds of an error that is looked at, in bytes and parts; and how few letters a sentence that
// begins with a value has when that value may be more than a name. What stands before an error
// may be more than a name where much of what follows is known.
const (
	longestError = 4000
	mostJoints   = 20
	mostAtOnce   = 5
	fewLetters   = 8
	manyLetters  = 20
	longestName  = 60
)

// Problem is the text of an error in the language, and whether the program has words for it. An
// error says what it wraps behind a colon, in parentheses or on a line of its own: each part that
// is known is said, and what is a value, or comes from outside, stays. It is for errors only:
// what people and models wrote may read like a part of one.
func (t Tongue) Problem(english string) (told string, known bool) {
	if t != French {
		return english, true
	}
	if len(english) > longestError {
		return english, false
	}
	english, behind := own(english)
	lines := strings.Split(english, "\n")
	p := problems{}
	for i, line := range lines {
		french := p.whole(line, 0)
		lines[i], known = french.text, known || french.words > 0
	}
	if known && behind != "" {
		behind = " " + behind
	}
	return strings.Join(lines, "\n") + behind, known
}

// Caution is a warning beside a request in the language: where it says why one cannot be carried out any more it
// has an error's text in it.
func (t Tongue) Caution(english string) string {
	if strings.HasPrefix(english, "It cannot be carried out any more: ") {
		told, _ := t.Problem(english)
		return told
	}
	return t.Told(english)
}

// own is what of an error is the program's, and what others' words are behind it, with the colon.
func own(english string) (before, behind string) {
	if at := theirs.FindStringIndex(english); at != nil {
		return english[:at[1]-len(": ")], english[at[1]-len(": "):]
	}
	return english, ""
}

// problems are the texts that were looked at for one error, each once.
type problems map[looked]french

type looked struct {
	text  string
	depth int
	part  bool
}

// french is what a text came to: itself where it has no words of the program's.
type french struct {
	text string
	// words is how many letters are the program's.
	words int
}

// whole is an error with all that it wraps.
func (p problems) whole(english string, depth int) french {
	return p.once(looked{english, depth, false}, p.composed)
}

// once looks at a text where nobody has before.
func (p problems) once(key looked, look func(english string, depth int) french) french {
	said, ok := p[key]
	if !ok {
		said = look(key.text, key.depth)
		p[key] = said
	}
	return said
}

func (p problems) composed(english string, depth int) french {
	most := p.part(english, depth)
	if depth == deepest {
		return most
	}
	for _, other := range []french{p.parenthesis(english, depth), p.chain(english, depth)} {
		if other.words > most.words {
			most = other
		}
	}
	if end, ok := strings.CutSuffix(english, "."); ok && most.words < lettersIn(end) {
		if other := p.whole(end, depth+1); other.words > most.words {
			most = french{other.text + ".", other.words}
		}
	}
	return most
}

// chain is an error with what it wraps behind a colon.
func (p problems) chain(english string, depth int) french {
	parts := strings.Split(english, ": ")
	if len(parts) == 1 || len(parts) > mostJoints {
		return french{english, 0}
	}
	// The parts are put together so that the most of it is the program's.
	best := make([]french, len(parts)+1)
	ends := make([]int, len(parts))
	named := make([]bool, len(parts)) // whether the first of the parts is known
	for i := len(parts) - 1; i >= 0; i-- {
		best[i].words = -1
		for n := 1; n <= len(parts)-i && n <= mostAtOnce; n++ {
			joined := strings.Join(parts[i:i+n], ": ")
			one := p.part(joined, depth)
			if one.words == 0 && n == 1 {
				one = p.parenthesis(joined, depth)
			}
			if one.words == 0 && n > 1 {
				continue
			}
			exact := n > 1 && one.words == lettersIn(joined) // a sentence of its own, and not its parts
			if words := one.words + best[i+n].words; words > best[i].words || exact && words == best[i].words {
				best[i], ends[i], named[i] = french{one.text, words}, i+n, one.words > 0
			}
		}
	}
	if best[0].words == 0 || !named[0] && !aName.MatchString(parts[0]) && (len(parts[0]) > longestName || best[0].words < manyLetters) {
		return french{english, 0}
	}
	var out []string
	for i := 0; i < len(parts); i = ends[i] {
		out = append(out, best[i].text)
	}
	return french{strings.Join(out, " : "), best[0].words}
}

// parenthesis is an error that says more of itself in parentheses at its end.
func (p problems) parenthesis(english string, depth int) french {
	if head, inside, ok := parenthesis(english); ok && depth < deepest {
		if said := p.whole(head, depth+1); said.words > 0 {
			inner := p.whole(inside, depth+1)
			return french{said.text + " (" + inner.text + ")", said.words + inner.words}
		}
	}
	return french{english, 0}
}

// parenthesis is what stands before a parenthesis at the end of a text, and in it.
func parenthesis(english string) (head, inside string, ok bool) {
	if !strings.HasSuffix(english, ")") {
		return "", "", false
	}
	open := 0
	for i := len(english) - 1; i > 0; i-- {
		switch english[i] {
		case ')':
			open++
		case '(':
			if open--; open == 0 {
				if english[i-1] != ' ' {
					return "", "", false
				}
				return english[:i-1], english[i+1 : len(english)-1], true
			}
		}
	}
	return "", "", false
}

// part is one part of an error.
func (p problems) part(english string, depth int) french {
	return p.once(looked{english, depth, true}, p.looked)
}

func (p problems) looked(english string, depth int) french {
	sentence := strings.Contains(english, " ") // a single word is a value, where it is no error
	whole := cmp.Or(errorTexts().whole[english], errorTexts().outside[english])
	if sentence && whole == "" {
		whole = catalogs().whole[english]
	}
	if whole != "" {
		return french{whole, lettersIn(english)}
	}
	most := french{english, 0}
	if sentence && len(english) <= longest {
		inside := 0
		most.text, most.words = shapedBy(english, func(v string) string {
			one := p.value(v, depth)
			if own := told(v, depth+1); own != v && one.words == 0 {
				one = french{own, lettersIn(v)}
			}
			inside += one.words
			return one.text
		})
		if most.words > 0 {
			most.words += inside
		}
	}
	if other := p.shaped(english, depth); other.words > most.words {
		most = other
	}
	if other := p.each(english, depth); other.words > most.words {
		most = other
	}
	return most
}

// shaped is an error's text with values in it.
func (p problems) shaped(english string, depth int) french {
shapes:
	for _, s := range errorTexts().shapes {
		found := s.values(english)
		if found == nil {
			continue
		}
		said, words := make([]string, len(found)), s.words
		for i, v := range found {
			if said[i] = v; s.quoted[i] {
				continue
			}
			one := p.value(v, depth)
			if one.text == v && (aClause.MatchString(v) || s.words < fewLetters && !s.opens && strings.Contains(v, " ")) {
				continue shapes
			}
			said[i], words = one.text, words+one.words
		}
		return french{s.fill(said), words}
	}
	return french{english, 0}
}

// each are errors between semicolons.
func (p problems) each(english string, depth int) french {
	parts := strings.Split(english, "; ")
	if len(parts) == 1 || len(parts) > mostParts || depth == deepest {
		return french{english, 0}
	}
	words := 0
	for i, part := range parts {
		said := p.whole(part, depth+1)
		if i == 0 && said.words == 0 {
			return french{english, 0}
		}
		parts[i], words = said.text, words+said.words
	}
	return french{strings.Join(parts, " ; "), words}
}

// value is what stands at a place of an error's text.
func (p problems) value(v string, depth int) french {
	if depth == deepest {
		return french{v, 0}
	}
	if word := cmp.Or(errorTexts().outside[aValue+v], errorTexts().whole[aValue+v], frenchMoment(v)); word != "" {
		return french{word, 0}
	}
	if strings.Contains(v, " ") {
		return p.whole(v, depth+1)
	}
	return french{v, 0}
}

// values are those of a text that is made of the sentence; nil for another one.
func (s errorShape) values(english string) (found []string) {
	rest, ok := strings.CutPrefix(english, s.fixed[0])
	last := len(s.fixed) - 1
	for _, f := range s.fixed[1:last] {
		v, behind, there := strings.Cut(rest, f)
		found, rest, ok = append(found, v), behind, ok && there
	}
	v, ends := strings.CutSuffix(rest, s.fixed[last])
	if !ok || !ends {
		return nil
	}
	found = append(found, v)
	for at, f := range s.fixed[1:last] {
		if f == "" { // a value right behind another is what is added to it
			if before, behind, ok := strings.Cut(found[at+1], "; "); ok {
				found[at], found[at+1] = before, "; "+behind
			} else {
				found[at], found[at+1] = found[at+1], ""
			}
		}
	}
	return found
}

// fill is the French with its values.
func (s errorShape) fill(values []string) string {
	return value.ReplaceAllStringFunc(s.french, func(v string) string {
		if at, _ := strconv.Atoi(strings.Trim(v, "{}")); at < len(values) {
			return values[at]
		}
		return v
	})
}

func lettersIn(s string) (n int) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.IsLetter(r) {
			n++
		}
		s = s[size:]
	}
	return n
}
