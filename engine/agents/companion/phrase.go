package companion

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/text/unicode/norm"

	"holdpoint/engine/text"
)

// A phrase of a list is words as they are typed. Between bars stand the words that may take a
// place, and an empty one says that the place may be left out: “delete|erase all| my data” is
// “delete my data” and “erase all my data”. Words that are wanted again have a name: after
// “$erase = delete|erase”, “$erase|drop it” is “delete it”, “erase it” and “drop it”.

// A phrase is the words that may take each of its places.
type phrase [][]string

// parsed are the newest lists, as phrases: a message is held against the same ones again and again.
var parsed, _ = lru.New[string, []phrase](128) // only a size below 1 is an error

// phrases are those of a list.
func phrases(list string) (all []phrase) {
	if all, ok := parsed.Get(list); ok {
		return all
	}
	named := map[string][]string{}
	for text := range strings.SplitSeq(list, ",") {
		name, words, is := strings.Cut(text, "=")
		if is {
			text = words
		}
		var p phrase
		for place := range strings.FieldsSeq(typed(text)) {
			var alternatives []string
			for a := range strings.SplitSeq(place, "|") {
				if words, ok := named[a]; ok {
					alternatives = append(alternatives, words...)
				} else {
					alternatives = append(alternatives, a)
				}
			}
			p = append(p, alternatives)
		}
		switch {
		case is:
			named[typed(name)] = slices.Concat(p...)
		case len(p) > 0:
			all = append(all, p)
		}
	}
	parsed.Add(list, all)
	return all
}

// checkPhrases says which list of phrases wants words by a name that it gives none.
func checkPhrases(words *text.Files, audience, language string) error {
	for _, name := range required {
		if !strings.HasPrefix(name, "words_") {
			continue
		}
		list, err := words.Get(audience, language, name)
		if err != nil {
			return err
		}
		given := map[string]bool{}
		for text := range strings.SplitSeq(list, ",") {
			called, words, is := strings.Cut(text, "=")
			if !is {
				words = text
			}
			for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == '|' || unicode.IsSpace(r) }) {
				if _, wanted, is := strings.Cut(strings.TrimRight(word, ".!?;:"), "$"); is && !given["$"+wanted] {
					return fmt.Errorf("companion: %s/%s: %s: no words are called $%s; “$%s = …” has to stand before", audience, language, name, wanted, wanted)
				}
			}
			if is {
				given[strings.TrimSpace(called)] = true
			}
		}
	}
	return nil
}

// follows says after how many words a message may stand where it begins with a phrase.
func follows(words []string, p phrase) []int {
	if len(p) == 0 {
		return []int{0}
	}
	var all []int
	for _, alternative := range p[0] {
		skip := 0
		switch {
		case alternative == "":
		case len(words) > 0 && words[0] == alternative:
			skip = 1
		default:
			continue
		}
		for _, n := range follows(words[skip:], p[1:]) {
			all = append(all, n+skip)
		}
	}
	return all
}

// begun gives after how many words a message stands where it begins with one of a list of
// phrases, the most first; nothing where it does not.
func begun(words []string, list string) []int {
	var all []int
	for _, p := range phrases(list) {
		for _, n := range follows(words, p) {
			if n > 0 {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// oneOf says that a message is one of a list of phrases.
func oneOf(message, list string) bool {
	words := strings.Fields(typed(message))
	n := begun(words, list)
	return len(n) > 0 && n[0] == len(words)
}

// opens is oneOf for the first sentence of a message.
func opens(message, list string) bool {
	if oneOf(message, list) {
		return true
	}
	first := strings.IndexAny(message, ".!,;\n")
	return first > 0 && oneOf(message[:first], list)
}

// sentences are those of a message and their parts between commas, each with what ends it.
func sentences(message string) (out []string) {
	for len(message) > 0 {
		at := strings.IndexAny(message, ".!?,;\n") + 1
		if at == 0 {
			at = len(message)
		}
		if strings.ContainsFunc(message[:at], unicode.IsLetter) {
			out = append(out, message[:at])
		}
		message = message[at:]
	}
	return out
}

// asks says that a sentence of a message begins with one of a list of phrases; first that the
// message begins with it. rest is what it says besides, without other questions.
func asks(message, list string) (yes, first bool, rest string) {
	for i, s := range sentences(message) {
		words := wordsIn(s)
		switch {
		case len(begun(words, list)) > 0:
			yes, first = true, first || i == 0
		case !strings.HasSuffix(s, "?"):
			rest += s
		}
	}
	return yes, first, strings.TrimSpace(rest)
}

// asksOf is asks for a message that is short enough to ask for one thing.
func asksOf(message, list string) bool {
	yes, _, _ := asks(message, list)
	return yes && len(wordsIn(message)) <= 2*mostOrder
}

// orders says that a message begins with one of a list of phrases, after a please or what else
// asks for something: “stp efface tout ce que je t'ai dit”, “can you delete my data?”. A long
// message tells of something else, and so does one that says when or if.
func orders(message, list, asks string) bool {
	words := wordsIn(message)
	if len(words) > mostOrder {
		return false
	}
	for {
		if n := begun(words, list); len(n) > 0 {
			return !slices.ContainsFunc(words[n[0]:], func(w string) bool { return slices.Contains(provisos, w) })
		}
		n := begun(words, asks)
		if len(n) == 0 {
			return false
		}
		words = words[n[0]:]
	}
}

// mostOrder is how many words such a message has; provisos make it none.
const mostOrder = 12

var provisos = strings.Fields("if when unless si quand lorsque")

// wordsIn are the words of a text as they are typed, without what stands between them.
func wordsIn(s string) []string {
	return strings.FieldsFunc(typed(s), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?", r) })
}

// typed is plainWords as they are typed in haste: without apostrophes, and with a blank for a
// hyphen. “daccord”, “ok vas y” and “oublie moi” say what “d'accord” and “oublie-moi” do.
func typed(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '`' || r == '´':
			return -1
		case unicode.Is(unicode.Pd, r):
			return ' '
		}
		return r
	}, plainWords(s))
	return strings.Join(strings.Fields(s), " ")
}

// straight writes apostrophes and blanks as keyboards do, and leaves quotation marks out.
var straight = strings.NewReplacer("’", "'", "\u00a0", " ", "“", "", "”", "", "«", "", "»", "", `"`, "")

// plainWords is a text in small letters without accents, with straight apostrophes and single blanks.
func plainWords(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
	s = strings.ToLower(straight.Replace(s))
	return strings.Trim(strings.Join(strings.Fields(s), " "), " .!?,;:")
}
