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

// How people say where they live, as typed has it.
const (
	placeOpening = `(?:(?:en fait|enfin|actually|in fact|well|so|hey|hi|hello|bonjour|salut|coucou|non|nan|no|nope|pardon|sorry|desolee?|ok|okay|oui|yes|yeah|alors|du coup|bah|ben|bon|euh|um|uh|maintenant|now|moi|sinon|au fait|btw|by the way|oh|wait|attends|mais|but|et|and|donc|aujourdhui|ca y est|je precise|je corrige|correction|finalement|desormais) )*`
	placeBetween = `(?:(?:maintenant|now|actually|desormais|en fait|actuellement|currently|aussi|just|only|still|toujours|encore|bien|vraiment|really|here|ici|back) )*`
	placeEnding  = `(?: (?:maintenant|now|actually|en fait|en ce moment|right now|currently|at the moment|atm|these days|aujourdhui|today|desormais|a present|for now|pour linstant|depuis (?:peu|hier|longtemps|toujours|(?:un|une|deux|trois|quelques|\d+) (?:jours?|semaines?|mois|ans?))|` +
		`since (?:yesterday|last (?:week|month|year|summer))|for (?:a|one|two|three|\d+|some|a few) (?:days?|weeks?|months?|years?)|btw|tho|though|lol|mdr|stp|svp|please|cette annee|this year|too|aussi|again|a nouveau|moi|hein|en vrai|en realite|in fact|la))*(?: (?:because|cause|cuz|parce|car|chez|with|avec) .*)?`
	placeVerb = `(?:jhabite|j habite|je vis|jvis|je reside|on habite|on vit|nous habitons|nous vivons|i live|we live|im living|i am living|were living|we are living|im based|` +
		`(?:jai|on a|nous avons|je viens de|on vient de) (?:demenage|demenager|emmenage|emmenager)|je suis (?:(?:partie?|venue?) (?:vivre|habiter)|arrivee?)|(?:i|we|ive|weve|i have|we have)(?: just| recently)? moved(?: back)?|i now live|we now live|je me trouve|on se trouve|mon pays (?:cest|est)|moi cest|my country is)`
	placeBy = `(?:(?:en|au|aux|a|dans|in|to|into) )?`
	placeIs = `(?:je suis|jsuis|on est|nous sommes|im|i am|we are|were)`
	places  = `(?:(?:the|la|le|les|l) )?`
	// placeNo is who writes and a verb, denied.
	placeNo = `(?:(?:je|j|on|nous) ?(?:ne |n)?(?:habite|vis|reside|vit|habitons|vivons|suis|est|sommes|me trouve) ` + placeHow + `(?:pas|plus|jamais) ` + placeHow + `|` +
		`(?:i|we) ` + placeHow + `(?:dont|do not|no longer|never) ` + placeHow + `(?:live|stay|reside) |` + placeIs + ` ` + placeHow + `(?:not|no longer) ` + placeHow + `(?:(?:living|based) )?|` + placeVerb + ` ` + placeHow + `(?:pas|plus|jamais|not) ` + placeHow + `|` +
		`(?:cest |its )?(?:pas|plus|not) |(?:` + placeVerb + `|` + placeIs + `) (?:[^ ]+ ){0,6}?` + placeRest + `)`
	// placeRest denies another country behind the one lived in.
	placeRest = `(?:pas|plus|not|no longer) (?:en|au|aux|in|the) `
	placeHow  = `(?:(?:vraiment|du tout|toujours|encore|meme|actuellement|absolument|franchement|maintenant|en fait|non plus|tout a fait|actually|really|currently|even|still|now|here|at all|in fact|to be honest) )*`
)

// placeWords is a clause that says where who writes lives, or by a verb without a subject, or where they are or are from.
// placeAtEnd says it after something else, which no quotesPlace ends; placeAlone names a country, placeBeyond one after with
// whom or in which town, said without a word of notBeyond. placeNot says where they do not live, placeButNot so behind where they do, placeNothing nothing of its own.
var (
	placeWords   = lazyregexp.New(`^` + placeOpening + `(?:` + placeVerb + ` ` + placeBetween + placeBy + `|(live|living|vis|habite|based) ` + placeBy + `|` + placeIs + ` ` + placeBetween + `(en|au|aux|in|from) )` + places + `(.+?)` + placeEnding + `$`)
	placeNot     = lazyregexp.New(`^` + placeOpening + placeNo + placeBy + places + `(.+?)(?: (?:anymore|any more|any longer|non plus|du tout|either|at all))?` + placeEnding + `$`)
	placeAtEnd   = lazyregexp.New(`^(.+) (?:` + placeVerb + ` ` + placeBetween + placeBy + `|` + placeIs + ` ` + placeBetween + `(en|au|aux|in) )` + places + `(.+?)` + placeEnding + `$`)
	placeAlone   = lazyregexp.New(`^` + placeOpening + placeBy + places + `(.+?)` + placeEnding + `$`)
	placeBeyond  = lazyregexp.New(`(?:^| )((?:en|au|aux|a|dans|in|to|into|with|avec|chez|near|close to|next to|pres|(?:tout |toute )?seule?s?|alone|ensemble|together|by myself|on my own)(?: [^ ]+){0,4}) (?:in|en|au|aux) ` + places + `([^ ]+(?: [^ ]+){0,3})$`)
	notBeyond    = lazyregexp.New(`\b(?:not|never|no|without|far|away|almost|nearly|sometimes|while|who|whose|but|pas|plus|jamais|non|sans|loin|hors|presque|quasi|quasiment|parfois|bientot|qui|dont|que|pendant|between|entre|ni)\b`)
	placeButNot  = lazyregexp.New(` ` + placeRest + `.*$`)
	placeNothing = lazyregexp.New(`^` + placeOpening + `$`)
	quotesPlace  = lazyregexp.New(`\b(?:que|dit|disait|said|says|say|told|that|si|if|quand|when|whenever|lorsque|comme|like|imagine|where|ou|est|wish|thinks?|thought|believes?|hopes?|dreams?|pretends?|crois|croit|croient|pense|pensent|espere|pas|not|never|jamais|until|since|depuis|before|avant)$`)
)

// clause parts a message where another thing may be said.
var clause = lazyregexp.New(`[.,;:!?()…–—\n]+|\s-\s|\s(?:et|and|but|mais)\s`)

// placeBeside is how many words a message has at most where a country stands beside an age: “I'm 17, UK”.
const placeBeside = 6

// told finds the choice of a country or an age that a clause of a message says in so many words, whatever
// was asked: of who writes where that is a young person, else of their child. The clause comes back with it; a clause alone
// says that there is one to ask about.
func (q Question) told(message string, young bool, asked string, now time.Time) (Choice, string, bool) {
	message = dotted.ReplaceAllString(message, "${1}o")
	if q.ID == regionID {
		return q.place(message, false)
	}
	if q.ID != ageID {
		return Choice{}, "", false
	}
	all := q.ages(message, "", young, false)
	if !slices.ContainsFunc(all, func(a spokenAge) bool { return a.sure }) && !(asked == ageID && len(all) > 1) {
		all = nil // it may be anybody's
	}
	if c, part, ok := q.reckoned(message, young, now); ok {
		all = append(all, spokenAge{c, part, true})
	} else if part != "" {
		return c, part, false
	}
	if least, lead, ok := q.inList(message); ok && !young && ofChildren.MatchString(lead) {
		all = append(all, least)
	}
	if years := ofThatAge.FindStringSubmatch(strings.ReplaceAll(plainWords(message), "-", " ")); len(all) == 0 && years != nil && !young && !slices.Contains(noChild, years[3]) {
		if c, ok := q.aged([]string{"", "", "", years[1] + years[2]}); ok {
			all = append(all, spokenAge{c, years[0], true})
		}
	}
	if len(all) == 0 {
		return Choice{}, "", false
	}
	least := youngest(all)
	return least.Choice, least.part, !young || !schoolDoubts(message, least.Choice)
}

// place finds where a message says that who writes lives: the last country that it says, since who puts one right says it
// after the other. Where one is known, that somebody is from another says nothing of where they live.
func (q Question) place(message string, known bool) (c Choice, part string, ok bool) {
	parts, before, aged := clause.Split(message, -1), "", false
	for _, words := range parts {
		text := typed(words)
		if text == "" {
			continue
		}
		was := before
		before = text
		aged = aged || ageWords.MatchString(figures(words))
		text = placeButNot.ReplaceAllString(text, "")
		found := placeWords.FindStringSubmatch(text)
		if found != nil && found[1] != "" && another.MatchString(was) {
			found = nil // “mon copain a 14 ans et habite en Suisse”
		}
		if m := placeAtEnd.FindStringSubmatch(text); found == nil && m != nil && !quotesPlace.MatchString(m[1]) {
			found = []string{"", "", m[2], m[3]}
		}
		bare := found == nil
		if bare {
			m := placeAlone.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			found = []string{"", "", "", m[1]}
		} else if found[2] == "from" && (ok || known) {
			continue
		}
		choice, is := q.named(found[3])
		if !is && !bare && found[1] == "" && found[2] == "" {
			choice, is = q.beyond(text, found[3])
		}
		// “We live in it” names no country; “in IT” does.
		if !is || typed(found[3]) == typed(choice.Say) && choice.ID == elsewhere || strings.EqualFold(found[3], choice.ID) && !strings.Contains(words, choice.ID) {
			continue
		}
		if bare && !(placeWords.MatchString(was) && !notBeyond.MatchString(was) || placeNot.MatchString(was) || aged && len(strings.Fields(message)) <= placeBeside || onlyOne(parts)) {
			continue
		}
		c, part, ok = choice, words, true
	}
	return c, part, ok
}

// beyond finds the country in what a clause says behind the verb: “with my dad in Ireland”, “à Bruxelles en Belgique”.
func (q Question) beyond(clause, behind string) (Choice, bool) {
	if m := placeBeyond.FindStringSubmatch(clause); m != nil && strings.HasSuffix(behind, m[2]) && !notBeyond.MatchString(behind) {
		return q.named(m[2])
	}
	return Choice{}, false
}

// notThere is the country that a message says somebody does not live in, the last one; "" for none.
func (q Question) notThere(message string) (code string) {
	for _, words := range clause.Split(message, -1) {
		if m := placeNot.FindStringSubmatch(typed(words)); m != nil {
			if choice, is := q.named(m[1]); is && choice.ID != elsewhere {
				code = choice.ID
			}
		}
	}
	return code
}

// onlyOne says that one part of a message says something.
func onlyOne(parts []string) bool {
	n := 0
	for _, p := range parts {
		if p := typed(p); p != "" && !placeNothing.MatchString(p+" ") {
			n++
		}
	}
	return n == 1
}

// onlyPlace says that a message says where somebody lives and nothing else.
func (q Question) onlyPlace(message string) bool {
	for _, part := range clause.Split(message, -1) {
		text := typed(part)
		if text == "" || placeNothing.MatchString(text+" ") {
			continue
		}
		found := placeWords.FindStringSubmatch(text)
		_, _, ok := q.place(part, false)
		ok = ok && (found != nil || !placeAtEnd.MatchString(text))
		ok = ok || q.notThere(part) != ""
		town := found != nil && found[1] == "" && found[2] == "" && len(strings.Fields(text)) <= longestTown // “j'habite à Bruxelles, Belgique”
		if !ok && !town {
			return false
		}
	}
	return true
}

// longestTown is how many words a clause has that says in which town somebody lives.
const longestTown = 5

// Words that make an age or a country in the same clause one of somebody else, of another time, or not said at all.
var (
	another  = lazyregexp.New(`\b(?:mother|father|mum|mom|dad|brothers?|sisters?|friend|friends|boyfriend|girlfriend|bf|gf|cousins?|teacher|aunt|uncle|he|she|his|her|they|their|mere|pere|freres?|soeurs?|amie?s?|potes?|copains?|copines?|mec|meuf|prof|cousines?|tante|oncle|il|elle|ils|elles)\b`)
	ofParent = lazyregexp.New(`^(?:i am|i'm|im|j'ai|jai)\b|\b(?:husband|wife|mari|femme|niece|nephew|neveu)\b`)
	notNow   = lazyregexp.New(`\b(?:not|was|were|when|turn|turning|turned|until|till|will|look|looks|act|born|birthday|anniversaire|fete|feter|fetes|moved|came|left|used|pas|plus|avais|avait|etais|quand|lorsque|aurai|aura|ne|nee|viens|vient|quitte|demenage)\b`)
	sinceAge = lazyregexp.New(`\b(?:since|depuis|ago|il y a|pendant|durant|(?:ca|cela) (?:fait|va faire)|voila|(?:for|over|in|after|every|dans|apres|tous les|plus de) (?:about |over |almost |nearly |more than |pres de |environ )*\d|years of (?:[b-z]|a[a-fh-z]))`)
	// kin are others whom an age or a country may be of, and what lives with somebody; myself is who writes.
	kin    = lazyregexp.New(`\b(?:parents?|grand ?-?(?:parents?|mother|father|mere|pere)s?|grandma|grandpa|granny|gran|nan|mamie|papi|papy|family|famille|husband|wife|mari|femme|fiancee?|ex|coach|boss|voisine?s?|neighbou?rs?|crush|classmates?|camarades?|people|gens|dog|cat|chien|chat)\b`)
	child  = lazyregexp.New(`\b(?:sons?|daughters?|fils|filles?|child|kids?|enfants?|ado|teen|teenager)\b`)
	myself = lazyregexp.New(`\b(?:i|i'm|im|i've|me|my|we|we're|our|us|here|je|j|j'[a-z]+|jsuis|moi|mon|ma|mes|on|nous|notre|nos|ici)\b`)
	// denying is a word by which a country is not the one lived in; astray are those before a country that is visited or
	// wished for, goesTo says where somebody goes, which workday does of school and work.
	denying = lazyregexp.New(`\b(?:(?:do|does|is|are|was|were|did|ca|wo|would|could|have|has|ai)n'?t|cannot|no|never|no longer|jamais|n'[a-z]+|ni|aucun)\b`)
	astray  = lazyregexp.New(`\b(?:vacances|holidays?|vacation|voyages?|trips?|visit[a-z]*|week ?-?ends?|sejour|camp|exchange|echange|erasmus|correspondante?s?|pen ?-?pals?|wish|wished|want|wanna|would|hope|dream[a-z]*|reve|aimerais|voudrais|prefererais|espere|veux|if|si|imagine|lived|vivais|habitais|vecu|grew|grandi|origin[a-z]*|almost|nearly|presque|near|far|pres|loin|outside|hors|between|entre|say|says|said|think|thinks|thought|dit|disent|croit|pense)\b`)
	goesTo  = lazyregexp.New(`\b(?:vais|va|vas|allons|vont|irai|iras?|irons|aller|pars|part|partons|partir|repars|go|goes|going|travell?ing|travel|fly|flying|move|moving)(?: [^ ]+){0,2}? (?:en|au|aux|a|to|in|dans) (?:(?:the|la|le|les|l') ?)?([^ ]+)`)
	workday = lazyregexp.New(`\b(?:school|college|uni|university|work|class|ecole|lycee|travail|cours|bosser|travailler|etudier)\b`)
)

// bears says that a message bears a model's reading of what the law goes by, an age or a country: that
// it is said of whom it is asked, now, and of no other. What it does not bear is asked.
func (q Question) bears(message string, a Answer, young bool) bool {
	quote := plainWords(a.Quote)
	if least, lead, ok := q.inList(message); ok && young && q.ID == ageID && another.MatchString(lead) && strings.Contains(least.part, figures(a.Quote)) {
		return false // “mes frères ont 13 et 17 ans”
	}
	before := ""
	for _, part := range clause.Split(message, -1) {
		if part = plainWords(part); part == "" {
			continue
		}
		was := before
		before = part
		if !strings.Contains(quote, part) && !strings.Contains(part, quote) {
			continue
		}
		if q.ID == regionID && !livedIn(part, was) {
			return false
		}
		if q.ID == ageID && figure.MatchString(figures(part)) { // “I told Insta that I am 18”, “my parents are 45”
			lead := figures(part)[:figure.FindStringIndex(figures(part))[0]]
			if ofNow.MatchString(lead) || young && kin.MatchString(part) || feigned.MatchString(part) {
				return false
			}
		}
		if notNow.MatchString(part) || q.ID == ageID && (schoolYear.MatchString(part) || fourDigits.MatchString(part) || soon.MatchString(part) || !q.agrees(part, a.Value) || sinceAge.MatchString(part) || young && another.MatchString(part) || !young && ofParent.MatchString(part)) {
			return false
		}
	}
	return true
}

// elsewhereSaid is an age that somebody says of themselves to somebody else, as to a network that asks for one.
var elsewhereSaid = lazyregexp.New(`(?i)\b(?:told|tell|tells|said to|say to) (?:him|her|them|people|everyone|everybody|it|(?:my|the|a|this|that) [\pL]+|snap(?:chat)?|insta(?:gram)?|tik ?tok|discord|facebook|roblox|google) (?:that )?(?:i am|i['’]m|im|i was) \d{1,2}\b(?: ?(?:years? old|yo)\b)?` +
	`|\bon (?:snap(?:chat)?|insta(?:gram)?|tik ?tok|discord|facebook|roblox|my (?:profile|account)|the (?:app|site)),? (?:i am|i['’]m|im) \d{1,2}\b` +
	`|\b(?:sur|pour|chez|selon) (?:snap(?:chat)?|insta(?:gram)?|tik ?tok|discord|facebook|roblox|le site|l['’]appli|l['’]app|mon (?:profil|compte)),? (?:j['’]?ai|g) \d{1,2}(?: ?ans\b)?` +
	`|\b(?:dit|[ée]crit|mis) (?:[àa]|sur) [\pL]+(?: [\pL]+)? (?:que )?j['’]?(?:ai|avais) \d{1,2}(?: ?ans\b)?`)

// feigned is an age that somebody gives for another purpose, or has to have for it.
var feigned = lazyregexp.New(`\b(?:insta|instagram|tiktok|snap|snapchat|discord|facebook|account|compte|fake|faux|fausse|pretend[a-z]*|semblant|menti|mens|lied|lie|told|tell|put|minimum|allowed|interdit|faut|must|have to be|need to be|a partir de|doit avoir|jeux?|game|film|movie|wish|aimerais|voudrais|reve|dream)\b`)

// livedIn says that a part of a message may say that who writes lives in a country: nobody else does, they are not there
// for some days, and nothing denies it or wishes for it. was is the part before.
func livedIn(part, was string) bool {
	if another.MatchString(part) || kin.MatchString(part) || child.MatchString(part) || denying.MatchString(part) || astray.MatchString(part) || !myself.MatchString(part) && (another.MatchString(was) || kin.MatchString(was)) {
		return false
	}
	to := goesTo.FindStringSubmatch(part)
	return to == nil || workday.MatchString(to[1])
}

// least is the age that a model read in a message, or a younger one that it may say as well.
func (q Question) least(message string, c Choice, young bool) Choice {
	all := append(q.ages(message, "", young, false), spokenAge{Choice: c})
	if least, lead, ok := q.inList(message); ok && !(young && another.MatchString(lead)) {
		all = append(all, least)
	}
	return youngest(all).Choice
}

// agrees says that an age in figures is one of the bracket that was read, and that no other one stands beside it.
func (q Question) agrees(part, bracket string) bool {
	agree, all := false, figure.FindAllString(figures(part), -1)
	for _, n := range all {
		c, ok := q.aged([]string{"", "", "", n})
		if years, err := strconv.Atoi(n); ok && c.ID != bracket && err == nil && years >= leastWriter {
			return false
		}
		agree = agree || ok && c.ID == bracket
	}
	return agree || len(all) == 0
}

// leastWriter is how old somebody is at least who writes.
const leastWriter = 8

// said finds the choice that a message names, by its number, its words, or an age that is in it.
func (q Question) said(message string) (Choice, bool) {
	message = plainWords(dotted.ReplaceAllString(elsewhereSaid.ReplaceAllString(message, ""), "${1}o"))
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

// Clauses of who begins to tell that say who they are, and nothing of what is going on.
var (
	greets   = lazyregexp.New(`^(?:hi|hey|hello|hiya|yo|good (?:morning|evening|afternoon|day)|bonjour|bonsoir|salut|coucou|slt|bjr|bsr|cc|wesh|wsh)(?: (?:there|all|you|everyone|toi|vous|a toi|a vous|a tous|tout le monde))?(?:,? |$)`)
	ofYears  = `(?: (?:aged |of |de |d'|who is |who's |qui a |agee? de )?\d{1,2}(?: ?` + units + `)?)?`
	whoIAm   = lazyregexp.New(`^(?:(?:je m ?'?appelle|mon (?:pre)?nom (?:est|c'est)|my name(?: is|'s)|i am called|i'm called|call me) [^ ]+(?: [^ ]+)?|(?:je suis|j'suis|i'm|im|i am) (?:une?|an?|the|la|le) ` + aPerson + `(?: (?:d'|de |of )(?:une? |an? )?` + aPerson + `)?` + ofYears + `)$`)
	aPerson  = `(?:\d{1,2} (?:year old|yo) )?(?:fille|fils|garcon|ado|adolescente?|enfant|lyceenne?|collegienne?|eleve|mere|pere|maman|papa|parent|girl|boy|son|daughter|child|kid|teen|teenager|student|pupil|mother|father|mum|mom|dad)`
	ofAChild = lazyregexp.New(`^(?:notre|nos|our|mon|ma|mes|my) ` + aPerson + `s? (?:a|ont|is|are)(?: aged)? \d{1,2}(?: ?` + units + `)?$|^(?:j'ai|jai|nous avons|on a|i have|i've got|ive got|i've|we have) (?:une?|an?|deux|two|trois|three) ` + aPerson + `s?` + ofYears + `$`)
	inSchool = lazyregexp.New(`^` + opening + atSchool + `$`)
	// whoFrom ends with a country, aTown with a name; alongside says with whom somebody lives.
	whoFrom   = lazyregexp.New(`^(.+) (?:from|in|living in|en|au|aux|de) ` + places + `(.+)$`)
	besideAge = lazyregexp.New(`(?i)^(.*\b\d{1,2}(?: ?` + units + `)?) ([\pL][\pL '’-]+)$`)
	aTown     = lazyregexp.New(`^` + placeVerb + ` (?:a|in|near|pres de) [^ ]+(?: [^ ]+)?$`)
	alongside = lazyregexp.New(` (?:because|cause|cuz|parce|car)\b| (?:chez|with|avec)(?: [^ ]+){3}`)
)

// onlyWho says that words say who somebody is and no more: a greeting, a name, an age, where they live. They answer no
// question for anything else. An age without a subject counts where bare is set: “2 ans” may be how long it has been.
func (c *companion) onlyWho(words string, bare bool) bool {
	some := false
	words = c.parted(words)
	for _, part := range clause.Split(words, -1) {
		plain := figures(part)
		hello := greets.FindString(plain)
		if hello != "" {
			part, plain, some = strings.TrimPrefix(plainWords(part), hello), strings.TrimPrefix(plain, hello), true
		}
		if m := whoFrom.FindStringSubmatch(typed(plain)); m != nil && !c.onlyPlace(words, part) && c.country(m[2]) != "" {
			plain = plain[:strings.LastIndex(plain, " "+strings.Fields(m[0][len(m[1]):])[0]+" ")]
		}
		years := ageWords.FindStringSubmatch(plain)
		switch {
		case part == "":
		case whoIAm.MatchString(plain), ofAChild.MatchString(plain), years != nil && (years[1] != "" || bare), inSchool.MatchString(plain), c.onlyPlace(words, part):
			some = true
		case !placeNothing.MatchString(typed(part) + " "):
			return false
		}
	}
	return some
}

// onlyPlace says in any language of the agent that a part of a message says where somebody lives and nothing else.
func (c *companion) onlyPlace(message, part string) bool {
	if text := typed(part); aTown.MatchString(text) && !alongside.MatchString(text) {
		town := text[strings.LastIndex(text, " ")+1:]
		return slices.ContainsFunc(strings.Fields(message), func(w string) bool { return typed(w) == town && w != strings.ToLower(w) })
	}
	for _, l := range languages {
		for _, q := range c.questions[l] {
			if q.ID != regionID || alongside.MatchString(typed(part)) {
				continue
			}
			if _, _, ok := q.place(part, false); ok && q.onlyPlace(part) {
				return true
			}
		}
	}
	return false
}

// parted puts a comma between an age and a country that stand beside each other at the end of a message: “17 ans france”.
func (c *companion) parted(message string) string {
	if m := besideAge.FindStringSubmatch(strings.TrimRight(message, " .!")); m != nil && c.country(m[2]) != "" {
		return m[1] + ", " + m[2]
	}
	return message
}

// country is the one that words name, in any language of the agent; "" for none.
func (c *companion) country(words string) string {
	for _, l := range languages {
		for _, q := range c.questions[l] {
			if choice, is := q.named(words); q.ID == regionID && is {
				return choice.ID
			}
		}
	}
	return ""
}
