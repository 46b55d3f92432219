package companion

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/engine/lazyregexp"
)

// ofOnesChild begin a clause that says, unasked, the age of a parent's child. ofHer and ofHim do
// where a parent names a daughter or a son.
var (
	ofOnesChild = []string{"my son is", "my daughter is", "my child is", "my kid is", "my teen is", "my teenager is", "mon fils a", "ma fille a", "mon enfant a", "mon ado a", "mon fils n'a", "ma fille n'a", "mon enfant n'a", "mon ado n'a"}
	ofHer       = []string{"she is", "she's", "shes", "elle a", "elle n'a"}
	ofHim       = []string{"he is", "he's", "hes", "il a", "il n'a"}
	her, him    = lazyregexp.New(`\b(?:my daughter|my girl|ma fille|my kid|my child|my teen|my teenager)\b`), lazyregexp.New(`\b(?:my son|my boy|mon fils|mon ado|mon enfant|my kid|my child|my teen|my teenager)\b`)
)

// ofThatAge names a parent's child by its age: “my 14-year-old son”, “ma fille de 15 ans”.
var ofThatAge = lazyregexp.New(`\b(?:mon fils|ma fille|mon ado|mon enfant|mon garcon)(?: (?:agee?))? de (\d{1,2}) ans\b|\bmy (\d{1,2}) (?:year old|yo|y o)(?: (\w+))?`)

// noChild are who may be of an age and is no child of who writes.
var noChild = strings.Fields("niece nephew neighbour neighbor dog cat car house friend cousin sister brother grandson granddaughter husband wife laptop phone")

// placeWords is a clause that says where who writes lives, as typed has it.
var placeWords = lazyregexp.New(`^(?:(?:jhabite|j habite|je vis|on habite|on vit|nous habitons|nous vivons|i live|we live|im living|i am living|live|living|vis|habite|based|im based)(?: (?:en|au|aux|a|dans|in))?|(?:je suis|on est|im|i am|we are|were) (?:en|au|aux|in|from)) (?:(?:the|la|le|les) )?(.+)$`)

// clause parts a message where another thing may be said.
var clause = lazyregexp.New(`[.,;:!?\n]+|\s(?:et|and|but|mais)\s`)

// placeBeside is how many words a message has at most where a country stands beside an age: “I'm 17, UK”.
const placeBeside = 6

// told finds the choice of a country or an age that a clause of a message says in so many words, whatever
// was asked: of who writes where that is a young person, else of their child. The clause comes back with it.
func (q Question) told(message string, young bool, now time.Time) (Choice, string, bool) {
	message = dotted.ReplaceAllString(message, "${1}o")
	if q.ID == ageID {
		if c, part, ok := q.reckoned(message, young, now); part != "" {
			return c, part, ok
		}
	}
	whose, all := ofOnesChild, plainWords(message)
	if !young {
		if her.MatchString(all) {
			whose = append(slices.Clone(whose), ofHer...)
		}
		if him.MatchString(all) {
			whose = append(slices.Clone(whose), ofHim...)
		}
	}
	aged := false
	for _, part := range clause.Split(message, -1) {
		if place := placeWords.FindStringSubmatch(typed(part)); place != nil && q.ID == regionID {
			c, ok := q.named(place[1])
			// “We live in it” names no country; “in IT” does.
			if ok && c.ID != elsewhere && (!strings.EqualFold(place[1], c.ID) || strings.Contains(part, c.ID)) {
				return c, part, true
			}
		}
		if years := ageWords.FindStringSubmatch(figures(part)); years != nil && (young && ofSelf.MatchString(years[1]) || !young && slices.Contains(whose, years[1])) {
			aged = true
			if c, ok := q.aged(years); ok {
				return c, part, true
			}
		}
		if c, ok := q.named(part); ok && aged && q.ID == regionID && c.ID != elsewhere && len(strings.Fields(message)) <= placeBeside {
			return c, part, true
		}
	}
	if years := ofThatAge.FindStringSubmatch(strings.ReplaceAll(all, "-", " ")); years != nil && !young && q.ID == ageID && !slices.Contains(noChild, years[3]) {
		if c, ok := q.aged([]string{"", "", "", years[1] + years[2]}); ok {
			return c, years[0], true
		}
	}
	return Choice{}, "", false
}

// Words that make an age or a country in the same clause one of somebody else, of another time, or not said at all.
var (
	another  = lazyregexp.New(`\b(?:mother|father|mum|mom|dad|brother|sister|friend|friends|boyfriend|girlfriend|bf|gf|cousin|teacher|aunt|uncle|he|she|his|her|they|their|mere|pere|frere|soeur|ami|amie|pote|copain|copine|mec|meuf|prof|cousine|tante|oncle|il|elle|ils|elles)\b`)
	ofParent = lazyregexp.New(`^(?:i am|i'm|im|j'ai|jai)\b|\b(?:husband|wife|mari|femme|niece|nephew|neveu)\b`)
	notNow   = lazyregexp.New(`\b(?:not|was|were|when|turn|turning|turned|until|till|will|look|looks|act|born|birthday|anniversaire|fete|feter|fetes|moved|came|left|used|pas|plus|avais|avait|etais|quand|lorsque|aurai|aura|ne|nee|viens|vient|quitte|demenage)\b`)
	sinceAge = lazyregexp.New(`\b(?:since|depuis|ago|il y a)\b`)
)

// bears says that a message bears a model's reading of what the law goes by, an age or a country: that
// it is said of whom it is asked, now, and of no other. What it does not bear is asked.
func (q Question) bears(message string, a Answer, young bool) bool {
	quote := plainWords(a.Quote)
	for _, part := range clause.Split(message, -1) {
		part = plainWords(part)
		if part == "" || !strings.Contains(quote, part) && !strings.Contains(part, quote) {
			continue
		}
		if notNow.MatchString(part) || q.ID == ageID && (schoolYear.MatchString(part) || fourDigits.MatchString(part) || soon.MatchString(part) || !q.agrees(part, a.Value) || sinceAge.MatchString(part) || young && another.MatchString(part) || !young && ofParent.MatchString(part)) {
			return false
		}
	}
	return true
}

// agrees says that an age in figures is one of the bracket that was read.
func (q Question) agrees(part, bracket string) bool {
	all := figure.FindAllString(figures(part), -1)
	return len(all) == 0 || slices.ContainsFunc(all, func(n string) bool {
		c, ok := q.aged([]string{"", "", "", n})
		return ok && c.ID == bracket
	})
}

// said finds the choice that a message names, by its number, its words, or an age that is in it.
func (q Question) said(message string) (Choice, bool) {
	message = plainWords(dotted.ReplaceAllString(message, "${1}o"))
	if n, err := strconv.Atoi(message); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1], true
	}
	if c, ok := q.named(message); ok {
		return c, true
	}
	if years := ageWords.FindStringSubmatch(figures(message)); years != nil {
		return q.aged(years)
	}
	return Choice{}, false
}

// named finds the choice whose words a message is.
func (q Question) named(message string) (Choice, bool) {
	message = typed(message)
	for _, c := range q.Choices {
		if message == typed(c.Say) || strings.EqualFold(message, c.ID) || slices.ContainsFunc(c.Also, func(word string) bool { return message == typed(word) }) {
			return c, true
		}
	}
	return Choice{}, false
}
