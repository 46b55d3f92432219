package companion

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/graph"
	tongue "holdpoint/engine/language"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/safety"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
)

// How people ask for a language, as typed has it.
const (
	askBefore = `(?:(?:hi|hey|hello|yo|ok|okay|please|pls|plz|sorry|um|uh|so|and|but|also|actually|oh|btw|thanks|excuse me|salut|bonjour|coucou|pardon|desolee?|stp|svp|sil te plait|sil vous plait|dis|alors|du coup|en fait|et|mais|euh|ben|bon|excuse moi|excusez moi|merci) )*`
	askAfter  = `(?: (?:please|pls|plz|now|instead(?: of (?:english|french))?|from now on|from here on|from this point on|with me|to me|here|together|again|then|if possible|if you can|if thats ok|if thats okay|if thats possible|if you dont mind|ok|okay|thanks|thank you|` +
		`stp|svp|sil te plait|sil vous plait|maintenant|plutot|avec moi|a partir de maintenant|desormais|dorenavant|merci|si possible|si cest possible|ensemble|ici|si ca te va|si ca vous va|si tu veux|si tu peux|si vous voulez|si vous pouvez|a la place|my (?:english|french) is (?:so |really |very |not )?(?:bad|good|great|terrible|rusty|poor)|mon (?:anglais|francais) est (?:trop |tres |pas )?(?:nul|mauvais|bon|naze|terrible)|au lieu d(?:u francais|e langlais)|(?:et )?pas (?:en )?(?:francais|anglais)))*`
	askName   = `(?:the |l|le )?(english|anglais|french|francais)`
	askPolite = `please|pls|plz|stp|svp|sil te plait|sil vous plait|from now on|a partir de maintenant|desormais|instead|maintenant|now|plutot`

	askEnglish = `(?:(?:(?:can|could|may|shall|would|will|cud) (?:we|you|u|ya|i)|should we|lets|let us|id like (?:us |you )?to|id (?:rather|prefer)(?: to| we| you| if we| if you| it if we)?|i would (?:like|prefer|rather)(?: to| you to| us to)?|i (?:want|wanna|prefer)(?: you| us)?(?: to)?|` +
		`is it (?:ok|okay|possible|fine|alright|cool) (?:if (?:we|i|you)|to|for us to|for you to)|are you able to|do (?:you|u)|(?:do|would) (?:you|u) mind(?: if (?:we|i|you))?|we (?:can|could|should)|you (?:can|could)|why dont (?:we|you)|how about(?: we)?|what about) (?:please |maybe |just |also |rather |perhaps )?)?` +
		`(?:speak|speaking|talk|talking|write|writing|chat|chatting|answer|answering|reply|replying|respond|responding|continue|continuing|go on|carry on|keep going|switch|switching|change|changing|use|using|do (?:this|it)|have this(?: conversation| chat)?|type|text|swap|move)` +
		`(?: (?:to|with) (?:me|you|each other))?(?: me)?(?: this| it| (?:the )?language)?(?: over| back)?(?: (?:in|to|into))? ` + askName + `|` +
		`(?:its|it is|it would be|itd be|it will be) (?:easier|better|nicer|simpler)(?: for me)?(?: if we (?:speak|talk|write)| to (?:speak|talk|write))?(?: in)? ` + askName + `|` +
		askName + ` (?:would be|is better|works better|is easier)(?: (?:easier|better|nicer|simpler))? for me|(?:id be|im|i am|i would be|id feel|i feel) (?:more|much more|way more) (?:comfortable|at ease) (?:in|with|speaking|writing|talking(?: in)?|writing in) ` + askName + `|` +
		`(?:(?:can|could) (?:we|you|u|i)|lets) (?:please |maybe |just )?(?:do|have|get|try) (?:it |this )?(?:in )?` + askName + `|` +
		`i (?:speak|write|know) ` + askName + ` (?:much |way |a lot )?better|i (?:speak|write) better ` + askName
	askFrench = `(?:est ce (?:quon|que lon|que tu|que vous|que nous) )?(?:(?:tu veux(?: bien)?|vous voulez(?: bien)?|tu voudrais|vous voudriez|veux tu|voulez vous|voudrais tu|nous|peut on|peux tu|pouvez vous|pouvons nous|pourrait on|pourrais tu|pourriez vous|pourrions nous|on peut|on pourrait|tu peux|tu pourrais|vous pouvez|vous pourriez|nous pouvons|peut|peux|pouvez|pourrait|pourrais|pourriez|puis je|` +
		`jaimerais(?: quon| que lon| que tu| que vous)?|je (?:voudrais|veux|prefere|prefererais)(?: quon| que lon| que tu| que vous)?|jprefere|jveux|ca te (?:va|derange|gene)(?: pas)? (?:si on|quon)|ca vous (?:va|derange|gene)(?: pas)? (?:si on|si nous|quon)|(?:cest|ce serait|est ce) possible (?:de|quon)|on|tu|vous|si on|et si on|il vaut mieux) )?(?:plutot )?(?:me |m|te |nous )?` +
		`(?:parl(?:er|e|es|ez|ons|ait|ions)|discut(?:er|e|es|ez|ons|ait)|ecri(?:re|s|t|vez|ve|ves|vons)|continu(?:er|e|es|ez|ons|ait)|repond(?:re|s|ez|es|e)|(?:re)?pass(?:er|e|es|ez|ons|ait)|chang(?:er|e|es|ez|eons)|utilis(?:er|e|es|ez|ons)|faire (?:ca|cela)|mets toi|mettez vous|switche?r?|caus(?:er|e)|bascul(?:er|e|ez|ons))` +
		`(?: moi| nous)?(?: (?:plutot|maintenant|tout|de langue|la suite))?(?: (?:en|a|au|vers|pour))? ` + askName + `|(?:cest|c|est ce|ce serait|ca serait|serait ce) (?:possible|ok|bon|bien) (?:en|si (?:cest|c) en) ` + askName + `|` +
		`je (?:parle|ecris) (?:mieux|plus facilement|bien mieux) (?:en )?` + askName + `|(?:je suis|jsuis|je serais|jserais) plus a laise (?:en|avec) ` + askName + `|(?:cest|ce serait|ca serait) (?:plus (?:facile|simple)|mieux)(?: pour moi)? en ` + askName + `(?: pour moi)?`
	// without says which language somebody does not know.
	askWithout = `(?:(?:i|we) (?:(?:dont|do not|cant|cannot|can not) (?:really |even |actually )?|barely |hardly )(?:speak|understand|read|know|get) (?:any |much )?` + askName + `(?: very well| well| at all| that well| so well| that good| good| much)?|` +
		`(?:je|j) ?(?:ne |n)?(?:parle|comprends|comprend|lis|connais|maitrise) (?:pas|mal|rien a|pas bien|pas trop|pas du tout|pas tres bien) ` + askName + `)`
)

var (
	askedFor   = lazyregexp.New(`^` + askBefore + `(?:` + askEnglish + `|` + askFrench + `)` + askAfter + `$`)
	shortFor   = lazyregexp.New(`^` + askBefore + `(?:in |en |plutot en |back to |back in |retour (?:a |au |en )?)?` + askName + `(?: (?:` + askPolite + `))+` + askAfter + `$|^(?:(?:` + askPolite + `) )+(?:in |en )?` + askName + askAfter + `$`)
	askedOnly  = lazyregexp.New(`^(?:in |en )?` + askName + `$`)
	withoutFor = lazyregexp.New(`^` + askBefore + askWithout + askAfter + `$`)
)

// tongueNames are the words of askName. longestAsked bounds a sentence that asks for a language, and
// mostOfMessage is enough of one to see what it is written in, in bytes.
var tongueNames = lazyregexp.New(`(?i)english|anglais|french|fran[cç]ais`)

const longestAsked, mostOfMessage = 200, 4 << 10

// languageIn is the one that patterns found.
func languageIn(found []string) string {
	for _, name := range found[1:] {
		switch name {
		case "english", "anglais":
			return "en"
		case "french", "francais":
			return "fr"
		}
	}
	return ""
}

// askedLanguage is the one of the agent's languages that a message asks for in words; only says
// that it says nothing else. “I have a French exam” asks for none.
func askedLanguage(message string) (code string, only bool) {
	if !tongueNames.MatchString(message) {
		return "", false
	}
	find := func(s string) string {
		if len(s) > longestAsked {
			return ""
		}
		s = strings.Join(wordsIn(s), " ")
		if m := askedFor.FindStringSubmatch(s); m != nil {
			return languageIn(m)
		}
		if m := withoutFor.FindStringSubmatch(s); m != nil {
			for _, l := range tongues {
				if l.code != languageIn(m) {
					return l.code
				}
			}
		}
		return ""
	}
	if len(message) <= longestAsked {
		if m := shortFor.FindStringSubmatch(strings.Join(wordsIn(message), " ")); m != nil {
			return languageIn(m), true
		}
	}
	if m := askedOnly.FindStringSubmatch(strings.Join(wordsIn(message), " ")); m != nil && strings.HasSuffix(strings.TrimSpace(message), "?") {
		return languageIn(m), true
	}
	if code = find(message); code != "" {
		return code, true
	}
	// “Sorry, can we speak French? My English is bad.” A clause in the middle of a sentence asks for nothing.
	for _, sentence := range strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(".?!\n;", r) }) {
		if code = find(sentence); code != "" {
			return code, false
		}
		for _, part := range pieces(sentence) {
			if code = find(part); code != "" {
				return code, false
			}
		}
	}
	return "", false
}

// tongueOf is the language that a message asks for, or is written in as a whole.
func tongueOf(message string) (code string, asked bool) {
	if code, _ = askedLanguage(message); code != "" {
		return code, true
	}
	return string(safety.Wholly(message[:min(len(message), mostOfMessage)])), false
}

// elsewhereIn is the language that a message is written in where the agent does not speak it; "" for
// its own, and where nothing says.
func elsewhereIn(message string) string {
	message = dotted.ReplaceAllString(message[:min(len(message), mostOfMessage)], "${1}o")
	if found := inScript(message); found != "" {
		return found
	}
	words := tokens(message)
	if len(words) < leastElsewhere || !safety.Foreign(message) {
		return ""
	}
	// Whoever says their age in a language that is spoken here writes it: “j'ai 17 ans, non 14” is no Italian.
	for _, part := range clause.Split(message, -1) {
		if years := ageWords.FindStringSubmatch(figures(part)); years != nil && years[1] != "" {
			return ""
		}
	}
	// “Y.o.” and a name are no language.
	frequent := func(l string) (n int) {
		for _, w := range words {
			if len(w) > 1 && (tongue.Common(l, w) || beginnings[l][w]) {
				n++
			}
		}
		return n
	}
	best := tongue.Of(words)
	for _, l := range slices.Sorted(maps.Keys(beginnings)) {
		if best == "" && frequent(l) >= leastFrequent && frequent(l) > max(frequent("en"), frequent("fr")) {
			best = l
		}
	}
	// In doubt it is in a language that is spoken here: “ma”, “le” and “te” are frequent in several.
	if best == "" || frequent(best) < leastFrequent || slices.ContainsFunc(languages, func(l string) bool { return frequent(l) >= frequent(best) }) {
		return ""
	}
	return best
}

// inScript is the language of a message that is mostly in letters that neither English nor French has: by its
// words where they tell, else Arabic, or what has no words here.
func inScript(message string) string {
	other, arabic, all := 0, 0, 0
	for _, r := range message {
		if unicode.IsLetter(r) {
			all++
			if !unicode.Is(unicode.Latin, r) {
				other++
			}
			if unicode.Is(unicode.Arabic, r) {
				arabic++
			}
		}
	}
	switch found := tongue.Of(tokens(message)); {
	case other < leastElsewhere || other*2 < all:
		return ""
	case found != "":
		return found
	case arabic*2 > all:
		return "ar"
	}
	return "another"
}

// beginnings are words by which people begin to tell of themselves, as they type them.
var beginnings = func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for l, words := range map[string]string{
		"en": "hi hey me im ive am dont cant mum mom dad u ur just like really", "fr": "salut coucou wsh moi jai jsuis jme jte jvais jveux chui cest tt tjrs pk pcq ke ki koi mm jms vs mec meuf daron daronne reum mere pere bcp trop grave",
		"es": "hola mi me mis yo soy estoy tengo necesito quiero ayuda muy madre padre", "de": "hallo mein meine meinen mir mich bin habe brauche hilfe mutter vater", "it": "ciao mio mia mi sono ho bisogno aiuto madre padre", "pt": "olá ola meu minha meus eu estou tenho preciso ajuda mãe pai",
		"nl": "hallo mijn ben heb hulp nodig moeder vader", "pl": "cześć czesc mam mój moja moje jestem pomocy mama tata", "tr": "merhaba annem babam benim bana yardım çok ve",
	} {
		out[l] = map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			out[l][w] = true
		}
	}
	return out
}()

// leastElsewhere is how many words, or letters of another script, show that somebody writes in another language,
// and leastFrequent how many of them have to be its frequent ones.
const leastElsewhere, leastFrequent = 4, 2

// speaks says which languages are spoken here, and whom to call in danger, in the language that
// somebody writes where there are words for it.
func (c *companion) speaks(t *graph.Task, language string) (string, error) {
	region := regionOf(t)
	if d, ok := t.Dependencies.(*turn.Dependencies); ok {
		region = cmp.Or(region, d.Region)
	}
	r := safety.RegionOf(region)
	number := r.Emergency.Call.In("")
	if r.Choose { // of an unknown country
		number = "112 (EU)"
	}
	if words := c.elsewhere[language]; words != "" {
		return text.Fill(words, "emergency", number), nil
	}
	return c.say(t, "other_language", "emergency", number)
}
