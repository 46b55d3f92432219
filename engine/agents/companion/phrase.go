package companion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/text/unicode/norm"

	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/text"
)

// A phrase of a list is words as they are typed. Between bars stand the words that may take a
// place, and an empty one says that the place may be left out: “delete|erase all| my data” is
// “delete my data” and “erase all my data”. Words that are wanted again have a name: after
// “$erase = delete|erase”, “$erase|drop it” is “delete it”, “erase it” and “drop it”. A star is any word: a name.

// A phrase is the words that may take each of its places, sorted; "" for one that may be left out.
type phrase [][]string

// Bounds of a list: the places of a phrase, and the words that may take one.
const mostPlaces, mostInPlace = 64, 256

// parsed are the newest lists, as phrases: a message is held against the same ones again and again.
var parsed, _ = lru.New[string, parsedList](128) // only a size below 1 is an error

type parsedList struct {
	all []phrase
	err error
}

// phrases are those of a list.
func phrases(list string) []phrase { return parse(list).all }

// parse reads a list. The error says what is wrong with the first phrase that is left out.
func parse(list string) parsedList {
	if l, ok := parsed.Get(list); ok {
		return l
	}
	l, named := parsedList{}, map[string][]string{}
	for text := range strings.SplitSeq(list, ",") {
		name, words, is := strings.Cut(text, "=")
		if !is {
			name, words = "", text
		}
		p, err := placesOf(words, named)
		switch name = typed(name); {
		case err != nil:
		case is && !wordName.MatchString(name):
			err = bad("“%s” is no name for words; it is $ and letters", name)
		case is:
			named[name] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p...))))
		case len(p) > 0 && !slices.ContainsFunc(p, func(place []string) bool { return place[0] != "" }):
			err = bad("every word of “%s” may be left out; one has to be said", strings.TrimSpace(text))
		case len(p) > 0:
			l.all = append(l.all, p)
		}
		l.err = cmp.Or(l.err, err)
	}
	if len(l.all) == 0 && l.err == nil {
		l.err = bad("it has no phrases; between commas stand the words that are recognised")
	}
	parsed.Add(list, l)
	return l
}

var wordName = lazyregexp.New(`^\$[a-z0-9_]+$`)

// placesOf are those of one phrase; named are the words that have a name.
func placesOf(words string, named map[string][]string) (p phrase, err error) {
	for place := range strings.FieldsSeq(typed(words)) {
		var alternatives []string
		for a := range strings.SplitSeq(place, "|") {
			switch under, ok := named[a]; {
			case ok:
				alternatives = append(alternatives, under...)
			case strings.Contains(a, "$"):
				_, wanted, _ := strings.Cut(a, "$")
				return nil, bad("no words are called $%s; “$%s = …” has to stand before", wanted, wanted)
			default:
				alternatives = append(alternatives, a)
			}
			if len(alternatives) > 2*mostInPlace { // before many names make many words of it
				break
			}
		}
		slices.Sort(alternatives)
		if alternatives = slices.Compact(alternatives); len(alternatives) > mostInPlace {
			return nil, bad("more than %d words may take one place", mostInPlace)
		}
		if p = append(p, alternatives); len(p) > mostPlaces {
			return nil, bad("a phrase has more than %d words", mostPlaces)
		}
	}
	return p, nil
}

// promised are the phrases that the card for consent names. Whatever takes the place of a list,
// they go on saying what they say.
var promised = map[string][]string{"words_yes": {"yes", "oui"}, "words_no": {"no", "non"}, "words_withdraw": {"withdraw consent", "je retire mon accord"}, "words_delete": nil}

// fits says what is wrong with a text that is a list of phrases.
func fits(name, words string) error {
	if !strings.HasPrefix(name, "words_") {
		return nil
	}
	if err := parse(words).err; err != nil {
		return err
	}
	if first, _, _ := strings.Cut(words, ","); name == "words_skip" && strings.ContainsAny(first, "|=") {
		return bad("a button says its first phrase; write it in plain words")
	}
	if _, says := promised[name]; !says {
		return nil
	}
	for list, all := range promised {
		for _, said := range all {
			if list != name && len(begun(strings.Fields(said), words)) > 0 {
				return bad("“%s” has another meaning, which the question for consent promises", said)
			}
		}
	}
	return nil
}

// checkPhrases says which list of phrases cannot be read.
func checkPhrases(words *text.Files, audience, language string) error {
	for _, name := range required {
		list, err := words.Get(audience, language, name)
		if err != nil {
			return err
		}
		if err := fits(name, list); err != nil {
			return fmt.Errorf("companion: %s/%s: %s: %w", audience, language, name, err)
		}
	}
	return nil
}

// follows says after how many words a message may stand where it begins with a phrase.
func follows(words []string, p phrase) (all []int) {
	at := make([]bool, min(len(words), len(p))+1)
	at[0] = true
	for _, place := range p {
		some := false
		for n := len(at) - 1; n >= 0; n-- {
			at[n] = at[n] && place[0] == "" || n > 0 && at[n-1] && holds(place, words[n-1])
			some = some || at[n]
		}
		if !some {
			return nil
		}
	}
	for n, is := range at {
		if is {
			all = append(all, n)
		}
	}
	return all
}

// holds says that a word may take a place.
func holds(place []string, word string) bool {
	_, ok := slices.BinarySearch(place, word)
	_, any := slices.BinarySearch(place, "*")
	return ok || any
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

// refuses is opens, also for “no, I don't feel like it”, which is one phrase.
func refuses(message, list string) bool {
	return opens(message, list) || oneOf(strings.ReplaceAll(message, ",", " "), list)
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

// asksAlone says that a message asks one of a list of phrases first, or beside a greeting and little else:
// “hi again. what do you remember?”
func asksAlone(message, list, asks string) bool {
	yes, only := orders(message, list, asks, asks)
	return opens(message, list) || yes && (only || len(wordsIn(message)) <= mostOrder)
}

// orders says that a part of a message between commas is one of a list of phrases, after a please or what else asks for
// something and with no words behind it but those of about: “stp efface tout ce que je t'ai dit”, “can you delete my
// data?”. What follows a reason does not count. only says that the message has no other part; a question has none.
func orders(message, list, asks, about string) (yes, only bool) {
	only = true
	for _, sentence := range sentencesOf(message) {
		found, other, before, parts := false, false, "", pieces(sentence)
		for i, piece := range parts {
			switch ordered, nothing := order(wordsIn(piece), list, asks, about); {
			case ordered && (quotes.MatchString(before) && another.MatchString(before) || i+1 < len(parts) && attributed.MatchString(plainWords(parts[i+1])) && another.MatchString(plainWords(parts[i+1]))):
				other = true // somebody else says it
			case ordered:
				found = true
			case !nothing:
				other = true
			}
			before = plainWords(piece)
		}
		yes = yes || found && !(other && strings.HasSuffix(sentence, "?"))
		only = only && !other
	}
	return yes, only
}

// order says that words are one of a list of phrases, or only ask.
func order(words []string, list, asks, about string) (yes, nothing bool) {
	for len(words) > 0 {
		for _, n := range begun(words, list) {
			if of(words[n:], about) {
				return true, false
			}
		}
		n := begun(words, asks)
		if len(n) == 0 {
			return false, false
		}
		words = words[n[0]:]
	}
	return false, true
}

// of says that words are phrases of a list, up to a reason.
func of(words []string, list string) bool {
	for len(words) > 0 && !slices.Contains(reasons, words[0]) {
		n := begun(words, list)
		if len(n) == 0 {
			return false
		}
		words = words[n[0]:]
	}
	return true
}

// attributed says after a sentence whose it is: “she said”, “m'a dit ma prof”.
var attributed = lazyregexp.New(`^(?:[^ ]+ ){0,2}(?:said|says|told me|tells me|shouted|a dit|dit|disait|repete|crie)\b`)

// reasons begin what is said beside an order.
var reasons = strings.Fields("because cause cuz since and but so or parce car puisque et mais donc sinon ou")

// mostOrder is how many words a message has that asks for one thing.
const mostOrder = 12

// sentencesOf are those of a message, each with what ends it.
func sentencesOf(message string) (out []string) {
	for len(message) > 0 {
		at := strings.IndexAny(message, ".!?\n") + 1
		if at == 0 {
			at = len(message)
		}
		if s := strings.TrimSpace(message[:at]); strings.ContainsFunc(s, unicode.IsLetter) {
			out = append(out, s)
		}
		message = message[at:]
	}
	return out
}

// wordsIn are the words of a text as they are typed, without what stands between them.
func wordsIn(s string) []string {
	return strings.FieldsFunc(typed(s), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?", r) })
}

// typed is plainWords as they are typed in haste: without apostrophes, with a blank for a hyphen, and with a letter once that
// is drawn out. “daccord”, “ok vas y”, “oublie moi” and “ouiiii” say what “d'accord”, “oublie-moi” and “oui” do.
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
	return undrawn(strings.Join(strings.Fields(s), " "))
}

// undrawn writes a letter once that stands three times or more: no word has it so.
func undrawn(s string) string {
	var b strings.Builder
	all := []rune(s)
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && all[n] == all[i] && unicode.IsLetter(all[i]) {
			n++
		}
		times := n - i
		if times > 2 {
			times = 1
		}
		b.WriteString(string(all[i : i+times]))
		i = n
	}
	return b.String()
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
