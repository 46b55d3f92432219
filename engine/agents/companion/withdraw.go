package companion

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	tongue "holdpoint/engine/language"
	"holdpoint/engine/lazyregexp"
)

// Words by which consent is taken back, as typed has them, whatever stands between: what is meant by it, and what is done
// to it. A slip of one letter in a longer one is heard, too.
var (
	consentWords = strings.Fields("accord consentement autorisation permission consent agreement")
	// anyWords are those that are often of something else.
	anyWords      = strings.Fields("autorisation permission agreement")
	yesWords      = strings.Fields("oui yes")
	withdrawWords = strings.Fields("retire retires retirer retiree retirez reprends reprendre annule annules annuler annulee revoque revoques revoquer revoquee enleve enleves enlever enlevee withdraw withdrawn withdrawing withdrew revoke revoked revoking cancel canceled cancelled cancelling canceling rescind retract retracted take taking took undo supprime supprimer supprimez efface effacer delete remove jretire jannule jenleve jreprends")
	takeBack      = strings.Fields("take taking took")
	// sounding are words within a letter of those that are others.
	sounding = strings.Fields("daccord content contents contenu record records accords accorde raccord consens intent contend retina retiens retient retard cancer takes taken")
	// Of what is said before it: notOf makes it the opposite, whether a question or a case to think of, mineOf a yes one's own.
	notOf   = strings.Fields("ne n pas plus jamais not never dont wont didnt doesnt cant cannot nevertheless sans without nannule nenleve")
	whether = lazyregexp.New(`\b(?:si|if|how|comment|when|quand|whether|why|pourquoi|what happens|que se passe|(?:can|could|may|should|shall|must|do|did|will) i|(?:puis|peux|dois) je|(?:je|j) (?:peux|pourrais|pourrai|dois|devrais)|i (?:can|could|may|might|should)|on peut|est ce que je|possible|allowed|permis|droit|right to|able to|faut|faire pour|way to|moyen)\b`)
	later   = lazyregexp.New(`\b(?:later|someday|one day|in the future|plus tard|un jour|apres)\b`)
	mineOf  = strings.Fields("my mon le the ce this that")
	ofTheir = strings.Fields("son sa leur leurs his her their your ton votre notre our parental parentale")
	beyond  = strings.Fields("pour for to de du from concernant regarding about a au aux avec with")
)

// nearTo says that a word is one of a list, or one letter away from a longer one of it.
func nearTo(word string, list []string) bool {
	if slices.Contains(list, word) {
		return true
	}
	if utf8.RuneCountInString(word) < leastSlip || slices.Contains(sounding, word) || known(word) {
		return false
	}
	return slices.ContainsFunc(list, func(w string) bool {
		return utf8.RuneCountInString(w) >= leastSlip && levenshtein.ComputeDistance(word, w) == 1
	})
}

// known says that a word is a frequent one of a language that is spoken here, and no slip of another.
func known(word string) bool {
	return slices.ContainsFunc(languages, func(l string) bool { return tongue.Common(l, word) })
}

// leastSlip is how many letters a word has in which one may be wrong; between is how many words stand at most between
// consent and what is done to it.
const leastSlip, between = 5, 8

// withdraws says that a message takes consent back in one's own words, as “mon accord, je le retire” does; asks that it
// asks whether or how that is done.
func withdraws(message, about string) (yes, asks bool) {
	for _, sentence := range sentencesOf(message) {
		words := strings.Fields(strings.Map(func(r rune) rune {
			if strings.ContainsRune(".:!?()", r) {
				return ' '
			}
			return r
		}, strings.NewReplacer(",", " , ", ";", " , ").Replace(typed(sentence))))
		if noSummary.MatchString(strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "," }), " ")) && !strings.HasSuffix(sentence, "?") {
			yes = true
			continue
		}
		what := slices.IndexFunc(words, func(w string) bool { return nearTo(w, consentWords) })
		if what < 0 {
			what = slices.IndexFunc(words, func(w string) bool { return slices.Contains(yesWords, w) })
			if what < 1 || !slices.Contains(mineOf, words[what-1]) {
				continue
			}
		}
		done := -1
		for i, w := range words {
			if max(i-what, what-i) <= between+1 && nearTo(w, withdrawWords) && (done < 0 || max(i-what, what-i) < max(done-what, what-done)) {
				if slices.Contains(takeBack, w) && !slices.Contains(words[i:min(len(words), max(i, what)+4)], "back") {
					continue
				}
				done = i
			}
		}
		if m := hasNone.FindStringIndex(strings.Join(words, " ")); m != nil && !strings.HasSuffix(sentence, "?") && of(strings.Fields(strings.Join(words, " ")[m[1]:]), about) {
			yes = true
			continue
		}
		if done < 0 || what > 0 && slices.Contains(ofTheir, words[what-1]) {
			continue
		}
		first, last := min(what, done), max(what, done)
		// Of another thing: “l'accord de mes parents”, “without my consent”, “I cancelled my trip with permission”.
		if what < done && slices.Contains(beyond, words[what+1]) || what > 0 && slices.ContainsFunc(words[max(0, what-2):what], func(w string) bool { return w == "without" || w == "sans" }) ||
			slices.Contains(anyWords, words[what]) && what != done+1 && what > 0 && !slices.Contains(mineOf, words[what-1]) {
			continue
		}
		// Across a comma it is said to be the one: “mon accord, je le retire”.
		if slices.Contains(words[first:last], ",") && !strings.HasPrefix(words[done], "l") && !slices.ContainsFunc(words[max(0, done-1):min(len(words), done+2)], func(w string) bool { return slices.Contains([]string{"le", "la", "it"}, w) }) {
			continue
		}
		before := strings.Join(words[:first], " ")
		if another.MatchString(strings.Join(words[:last], " ")) || quotes.MatchString(before) {
			continue // somebody else's, or told by them
		}
		// Behind it stands nothing else that was agreed to: “for the school trip”.
		if after := words[last+1:]; len(after) > 0 && after[0] == "back" {
			last++
		}
		if after := words[last+1:]; len(after) > 0 && (slices.Contains(beyond, after[0]) || slices.Contains(anyWords, words[what])) && !of(slices.DeleteFunc(slices.Clone(after), func(w string) bool { return w == "," }), about) {
			continue
		}
		if whether.MatchString(strings.Join(words[:last], " ")) || later.MatchString(strings.Join(words[last:], " ")) || strings.HasSuffix(sentence, "?") && !ordering.MatchString(before) {
			asks = true
			continue
		}
		if denies(words, done, what) {
			continue
		}
		yes = true
	}
	return yes, asks
}

// noSummary asks for no summary, or says that somebody has thought better of it.
var noSummary = lazyregexp.New(`^(?:(?:actually|finally|well|no|nah|nope|please|pls|sorry|ok|okay|i|ive|changed my mind|i changed my mind|ive changed my mind|finalement|en fait|non|nan|stp|svp|jai change davis|ok) )*` +
	`(?:(?:dont|do not|never|no longer|stop|you dont have to|you shouldnt|i dont want you to|id rather you didnt) (?:save|keep|store|write|make|saving|keeping|storing|writing|making) (?:a |any |the |my |this )?summar(?:y|ies)|i dont want (?:a|any|the) summar(?:y|ies)|no (?:more )?summar(?:y|ies)|(?:je )?(?:ne |n)?(?:veux |veux plus |plus |pas )?(?:pas de|plus de|sans) resumes?|(?:ne )?(?:garde|gardez|fais|faites|ecris|note) (?:pas|plus) (?:de|le|un) resumes?` +
	`|(?:jai |i |ive )?(?:change davis|changed my mind|non|no) (?:pour|sur|about|on|for) (?:le|ce|the|that|this) (?:resume|summary)|(?:tu|vous) ?(?:ne |n)?(?:as|avez) plus le droit de (?:garder|noter|retenir|memoriser|enregistrer)(?: [^ ]+){0,3})(?: (?:please|pls|stp|svp|merci|thanks|finalement|after all|of me|for me|anymore|any more))*$`)

// hasNone says that the program has no consent, or no longer.
var hasNone = lazyregexp.New(`^(?:tu|vous|t|(?:you|u)) ?(?:(?:ne |n)?(?:as|avez) (?:plus|pas) (?:mon |l)|(?:no longer|dont|do not) have my )(?:accord|consentement|autorisation|consent|permission|agreement)\b`)

// ordering begins a question that asks for it to be done.
var ordering = lazyregexp.New(`\b(?:(?:peux|pourrais|veux) tu|(?:pouvez|pourriez|voulez) vous|(?:tu|vous) (?:peux|pourrais|pouvez|pourriez)|(?:can|could|will|would) (?:you|u)|please|stp|svp)\b`)

// denies says that a word is denied, right before it or between it and what it is about.
func denies(words []string, at, about int) bool {
	for i := at - 1; i >= max(0, at-2) && words[i] != ","; i-- {
		if slices.Contains(notOf, words[i]) && !(words[i] == "plus" && i+1 < at) {
			return true
		}
	}
	for i := at - 1; i >= max(0, at-4) && !slices.Contains(reasons, words[i]) && words[i] != ","; i-- {
		if slices.Contains([]string{"not", "dont", "never", "wont"}, words[i]) {
			return true // “I don't want to withdraw it”
		}
	}
	for i := at + 1; i < len(words) && i <= max(at+2, about) && words[i] != ","; i++ {
		if slices.Contains([]string{"pas", "jamais", "not", "plus"}, words[i]) {
			return true
		}
	}
	return strings.HasPrefix(words[at], "n") && nearTo(words[at][1:], withdrawWords)
}

// longestSlip is how many words a message has at most in which slips are put right.
const longestSlip = 4 * mostOrder

// righted is a message in which the longer words that are a letter away from one of the lists are that one.
func righted(message string, lists ...string) string {
	var all []string
	for _, list := range lists {
		for _, p := range phrases(list) {
			all = append(all, slices.Concat(p...)...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	words := strings.Fields(message)
	if len(words) > longestSlip {
		return message
	}
	for i, w := range words {
		core := strings.Trim(w, ".,;:!?()…")
		plain := typed(core)
		if utf8.RuneCountInString(plain) < leastSlip || strings.Contains(plain, " ") || slices.Contains(sounding, plain) || known(plain) {
			continue
		}
		if _, is := slices.BinarySearch(all, plain); is {
			continue
		}
		near := slices.DeleteFunc(slices.Clone(all), func(x string) bool {
			return utf8.RuneCountInString(x) < leastSlip || levenshtein.ComputeDistance(plain, x) != 1
		})
		if len(near) > 0 {
			words[i] = strings.Replace(w, core, near[0], 1)
		}
	}
	return strings.Join(words, " ")
}
