package library

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"golang.org/x/text/unicode/norm"

	"holdpoint/engine/language"
)

// stemmers are Snowball's (Porter; snowballstem.org), by language.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem, "hu": hungarian.Stem, "it": italian.Stem,
	"nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
}

// token is a word as it stands in a text, in small letters; from and to are bytes.
type token struct {
	text     string
	from, to int
}

// dense are scripts that put no space between words: two characters at a time are a word.
var dense = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// tokens cuts a text into words: letters, digits and their marks.
func tokens(text string, each func(token)) {
	var pair string // the dense character before, when it was right before
	at, lonely := 0, false
	end := func(to int) {
		if lonely { // a dense character with no neighbour
			each(token{pair, at, to})
		}
		pair, lonely = "", false
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r >= 0x0E00 && unicode.In(r, dense...):
			c := text[i : i+n]
			if pair != "" {
				each(token{pair + c, at, i + n})
			}
			lonely = pair == ""
			pair, at = c, i
			i += n
		case inWord(r):
			end(i)
			from, ascii := i, true
			for i < len(text) {
				r, n = utf8.DecodeRuneInString(text[i:])
				if !inWord(r) || r >= 0x0E00 && unicode.In(r, dense...) {
					break
				}
				ascii = ascii && r < utf8.RuneSelf
				i += n
			}
			word := text[from:i]
			if !ascii {
				word = norm.NFKC.String(word)
			}
			each(token{strings.ToLower(word), from, i})
		default:
			end(i)
			i += n
		}
	}
	end(len(text))
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// term is a stem as the index knows it: rows say no words.
type term uint64

// speller turns the words of one language into terms, and remembers those it had. It
// belongs to one goroutine.
type speller struct {
	language string
	stem     func(*snowballstem.Env) bool
	env      *snowballstem.Env
	known    map[string]term
}

// longestWord is where what is no word begins: keys, sequences, noise.
const longestWord = 64

// newSpeller spells a language. A text too short to tell its language is stemmed as English is:
// what matters is that a question is stemmed alike.
func newSpeller(code string) *speller {
	stem := stemmers[code]
	if code == "" {
		stem = english.Stem
	}
	return &speller{language: code, stem: stem, env: snowballstem.NewEnv(""), known: map[string]term{}}
}

// term is a word's; 0 for one that says nothing.
func (s *speller) term(word string) term {
	t, ok := s.known[word]
	if !ok {
		if len(word) <= longestWord && !language.Common(s.language, word) {
			t = hashed(s.stemmed(word))
		}
		if len(s.known) > 200_000 {
			clear(s.known)
		}
		s.known[strings.Clone(word)] = t
	}
	return t
}

func (s *speller) stemmed(word string) string {
	if s.stem != nil {
		s.env.SetCurrent(word)
		s.stem(s.env)
		word = s.env.Current()
	}
	return plain(word)
}

// written are Latin letters that no accent is taken off and that many keyboards lack.
var written = strings.NewReplacer("œ", "oe", "æ", "ae", "ß", "ss", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th")

// plain takes the accents off Latin letters, which many leave out when they search.
func plain(word string) string {
	ascii := true
	for i := range len(word) {
		ascii = ascii && word[i] < utf8.RuneSelf
	}
	if ascii {
		return word
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(written.Replace(word)) {
		if unicode.Is(unicode.Mn, r) {
			if latin {
				continue
			}
		} else {
			latin = unicode.Is(unicode.Latin, r)
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

func hashed(stem string) term {
	if stem == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(stem))
	return term(binary.BigEndian.Uint64(sum[:]) | 1) // never 0
}
