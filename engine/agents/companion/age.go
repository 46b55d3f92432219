package companion

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"holdpoint/engine/lazyregexp"
)

// How people put an age, in plain words with figures, see figures.
const (
	// opening are words that begin a sentence and say nothing of their own, admit, or put right.
	opening = `(?:(?:sorry|actually|really|honestly|seriously|in (?:fact|truth|reality|all honesty)|(?:the |well the )?(?:truth|fact) is(?: that)?|truth be told|to (?:be|tell you the) (?:honest|truth)|to be (?:totally |completely )?honest|tbh|ngl|` +
		`well|no|nope|nah|oh|oops|ups|um|uh|erm|wait|hey|so|right|yeah|yes|look|listen|ok|okay|please|correction|fine|lol|haha|my (?:bad|mistake)|because|cause|cuz|turns out|now|` +
		`i (?:said|told you|wrote|put) (?:that )?(?:i was |i'm |i am |im )?\d{1,2}(?: ?` + units + `)?|j'ai (?:dit|ecrit|mis) (?:que j'avais |que j'ai )?\d{1,2}(?: ?` + units + `)?|` +
		`i (?:just )?(?:lied|was lying|made it up|was joking|messed up)|jk|(?:i'm |im |i am )?(?:just |only )?(?:kidding|joking)|no wait|i (?:mean|meant)(?: to say)?|i should (?:say|have said)|i (?:have to |must |should |gotta |want to )?(?:say|confess|admit|correct myself)(?: that| something)?|` +
		lie + `|` + notThat + `|` +
		`en (?:fait|realite|verite|vrai)|pour de vrai|a vrai dire|pour etre (?:honnete|franc|franche)|honnetement|franchement|serieux|serieusement|(?:la )?verite c'est que|la verite est que|desolee?|pardon|excuse moi|excuse-moi|` +
		`non|nan|nope|oups|euh|bon|ben|bah|oui|ouais|ok|du coup|mdr|ptdr|attends|alors|en faite|enfin|je (?:rigole|plaisante|deconne|blague)|` +
		`j'ai (?:menti|ment|dit n'importe quoi)|jai menti|je mentais|je (?:voulais|veux|dois) (?:dire|avouer|rectifier|corriger)(?: que)?|je rectifie|j'avoue(?: que)?|parce que|parce qu'|car)[ ,]+)*`
	// within are words that stand between the verb and the number.
	within = `(?:(?:actually|really|in fact|in reality|in truth|just|only|still|truly|honestly|barely|like|more like|en fait|en realite|en vrai|en verite|vraiment|que|seulement|juste|encore|bien|a peine|tout juste|reellement|tout simplement) )*`
	// ending are words after it.
	ending = `(?:(?:[ ,]+(?:actually|really|in fact|in reality|tbh|ngl|lol|haha|mdr|ptdr|sorry|now|for real|though|only|here|today|yesterday|recently|(?:last|this) (?:week|month|year)|maintenant|en fait|en vrai|en realite|desolee?|pour de vrai|seulement|hein|quoi|enfin|promis|i swear|i promise|` + atSchool + `|` +
		`(?:and )?not \d{1,2}|(?:et )?(?:non )?pas \d{1,2}|instead of \d{1,2}|rather than \d{1,2}|au lieu de \d{1,2})(?: ?` + units + `)?)*)`
	units = `(?:years?(?: old| of age)?|yrs?(?: old)?|yo|y[./]?o|ans?(?: et demi)?|piges)`
	// atSchool is a school year, which tells no age.
	atSchool = `(?:(?:i'm |im |je suis |and |et )?(?:in|en|au|a l') ?(?:the |my )?)?(?:(?:year|grade|form) \d{1,2}|\d{1,2}(?:st|nd|rd|th)? ?(?:grade|form|grader)|\d{1,2} ?(?:e|eme)\b|cp|ce[12]|cm[12]|sixieme|cinquieme|quatrieme|troisieme|seconde|premiere|terminale|` +
		`(?:elementary|primary|middle|high|secondary) school|freshman(?: year)?|sophomore(?: year)?|college|lycee)`
	// lie says of an age that was told that it is none, without another.
	lie = `(?:i (?:just |kind of |kinda )?(?:lied|was lying|wasn't (?:honest|truthful)|wasnt honest|made a mistake)(?: to you)? about (?:my|the) age|i (?:told|gave|said|put|wrote|entered|typed|picked|chose|clicked)(?: you| in| down)? (?:the |a |my )?(?:wrong|fake|false) age|` +
		`(?:my|the|that) age(?: that)?(?: i (?:gave|told|said|put|wrote)(?: you)?)? (?:is|was|isn't|wasn't|isnt|wasnt|is not|was not)(?: actually| really)? (?:wrong|not right|not true|not correct|not real|false|fake|a lie|made up|incorrect|right|true|correct|real)|` +
		`that's not (?:really )?my (?:real )?age|(?:i'm|im|i am) (?:actually |really |a (?:bit|lot|year) |much |way |a little )*younger than (?:that|i (?:said|told you|wrote|put)|what i (?:said|told you|wrote|put))|` +
		`j'ai (?:un peu )?menti (?:sur|pour|a propos de) (?:mon|l'|l) ?age|je t'ai menti sur mon age|je vous ai menti sur mon age|je (?:me suis|m'suis) trompee? (?:d'|dans (?:mon|l')|sur (?:mon|l')|de ) ?age|` +
		`j'ai (?:mis|donne|dit|ecrit|choisi|tape|clique) (?:un|le) (?:faux|mauvais) age|(?:mon|cet|l') ?age(?: que j'ai (?:donne|dit|mis|ecrit))? (?:est|etait|c'est|n'est|n'etait|est pas|etait pas) ?(?:pas )?(?:faux|mauvais|un mensonge|le bon|vrai|le vrai|juste|correct|bon)|` +
		`(?:c'est|ce n'est|c'etait) pas mon (?:vrai )?age|je suis (?:en fait |beaucoup |bien |un peu )*plus jeune que (?:ca|ce que j'ai (?:dit|ecrit|mis)))`
	// notThat denies an age.
	notThat = `(?:(?:i'm|im|i am) (?:actually |really )?not (?:actually |really )?\d{1,2}|i (?:ain't|aint) \d{1,2}|(?:je n'ai|j'ai|jai|jn'ai) (?:en fait )?pas (?:vraiment )?\d{1,2})(?: ?` + units + `)?(?: yet| actually| really| en fait| en vrai)?`
	// oneself says that what follows is the writer's age, where it is one.
	oneself = `i am|i'm|im|i (?:only )?(?:just )?turned|i've (?:only )?just turned|my (?:real |true |actual |right |correct )*age is|my (?:real |true |actual )?age's|i am aged|` +
		`j'ai|j ai|jai|je n'ai|jn'ai|j'en ai|moi c'est|je viens d'avoir|je suis (?:en fait )?agee? de|mon (?:vrai )?age (?:c'est|est)|mon (?:vrai )?age|g`
	others = `he is|he's|hes|she is|she's|shes|they are|my (?:son|daughter|child|kid|teen|teenager) is|il a|elle a|il n'a|elle n'a|mon (?:fils|enfant|ado) (?:a|n'a)|ma fille (?:a|n'a)`
)

// ageWords are a whole clause that says an age: whose, how nearly, how many years, and the word for years.
var ageWords = lazyregexp.New(`^` + opening + `(?:(` + oneself + `|` + others + `) )?` + within + `(?:an? )?(almost|nearly|about|presque|bientot|environ|not even|under|below|younger than|less than|meme pas|moins de)? ?(\d{1,2}) ?(` + units + `)?(?: (?:girl|boy|kid|child|teen|teenager|guy))?` + ending + `$`)

// dotted is “y.o.”, which ends no sentence.
var dotted = lazyregexp.New(`(?i)\b(y)\. ?o\b\.?`)

// schoolYear is a message that names one.
var schoolYear = lazyregexp.New(`\b` + atSchool + `\b`)

var (
	ofSelf = lazyregexp.New(`^(?:` + oneself + `)$`)
	// lied and denied are a whole clause that takes an age back; corrects is a message that puts one right.
	lied     = lazyregexp.New(`^` + opening + lie + `(?: to you| here| before| earlier| at first| at the start| just now| tout a l'heure| avant| au debut)?` + ending + `$`)
	denied   = lazyregexp.New(`^` + opening + notThat + ending + `$`)
	figure   = lazyregexp.New(`\d{1,2}`)
	corrects = lazyregexp.New(lie + `|` + notThat + `|\bi (?:lied|said \d)|\b(?:j'ai|jai) (?:menti|dit \d)|\bi meant\b|je voulais dire|\bje me suis (?:trompee?|plantee?|gouree?)\b|\b(?:dit|demande) de mettre \d|\b(?:not|pas) \d`)
	// itsAge is one that puts an age right; instead names the number that was wrong.
	itsAge  = lazyregexp.New(lie + `|` + notThat + `|\bage\b`)
	instead = lazyregexp.New(`\b(?:not|pas|instead of|rather than|au lieu de) (\d{1,2})\b`)
	// atEnd is a clause at whose end the writer says an age, whatever they begin it with.
	atEnd = lazyregexp.New(`^((?:[^ ]+ ){1,8}?)((?:` + oneself + `) .+)$`)
	// ofNow are words before it with which it is no age of theirs, of now, or of this world.
	ofNow = lazyregexp.New(`\b(?:if|when|whenever|whether|since|asked|asks|nobody|noone|believe|believes|like|as|wish|wished|feel|felt|look|looks|act|acts|pretend|think|thinks|thought|say|says|said|tell everyone|until|till|once|before|after|by|time|imagine|suppose|assume|guess|game|role|character|than|as if|not|never|people|everyone|everybody|teachers?|parents|dont|don't|` +
		`si|quand|lorsque|comme|avant|apres|jusqu|jusqu'a|depuis|des|fois|imagine|genre|jeu|perso|personnage|croit|croient|pense|pensent|dit|disent|croire|gens|pas|jamais|que quand|tout le monde|on|cru)\b`)
	// itIs says a bare number, which is an age where the message puts one right.
	itIs = lazyregexp.New(`^` + opening + `(?:it's|its|it is|it should (?:be|say)|c'est|ca devrait etre|the right one is|le bon c'est|i meant|je voulais dire)? ?` + within + `\d{1,2}(?: ?` + units + `)?` + ending + `$`)
	// inItsPlace is a clause that puts a number in the place of one that was said, by one of the words of turnsDown.
	inItsPlace = lazyregexp.New(`^` + opening + `(?:make (?:that|it) |plutot |c'est plutot |it's |c'est |je voulais dire |i meant )?` + within + `\d{1,2}(?: ?` + units + `)?` + ending + `$`)
	turnsDown  = lazyregexp.New(`\b(?:non|nan|no|nope|oops|oups|make (?:that|it)|plutot|je voulais dire|i meant)\b`)
	// inFact puts an age right that is said with its unit: “11 ans en fait”.
	inFact = lazyregexp.New(`\d ?` + units + `.*\b(?:actually|in fact|in reality|en fait|en vrai|en realite)\b|\b(?:actually|in fact|en fait|en vrai)\b.*\d ?` + units)
	// quotes is a clause after which somebody else speaks.
	quotes = lazyregexp.New(`\b(?:said|says|say|goes|went|is like|was like|told me|tells me|wrote|texted|shouted|asked|asks|asked me|asks me|a dit|dit|disait|m'a dit|me dit|demande|repond|m'ecrit|crie)$`)
)

// nothing is a clause that says nothing of its own.
var nothing = lazyregexp.New(`^` + opening + `$`)

// onlyAge says that a message says an age, or takes one back, and nothing else.
func onlyAge(message string) bool {
	for _, part := range clause.Split(message, -1) {
		words := figures(part)
		if words != "" && !ageWords.MatchString(words) && !itIs.MatchString(words) && !lied.MatchString(words) && !denied.MatchString(words) && !nothing.MatchString(words+" ") {
			return false
		}
	}
	return true
}

// figures is a text in plain words with figures for the numbers that are ages of the young.
func figures(s string) string {
	s = tens.ReplaceAllStringFunc(plainWords(s), func(w string) string { return numerals[strings.ReplaceAll(w, " ", "-")] })
	return strings.ReplaceAll(s, "-", " ")
}

var numerals = map[string]string{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
	"seventeen": "17", "eighteen": "18", "nineteen": "19", "cinq": "5", "sept": "7", "huit": "8", "neuf": "9", "dix": "10", "onze": "11", "douze": "12", "treize": "13", "quatorze": "14", "quinze": "15", "seize": "16",
	"dix-sept": "17", "dix-huit": "18", "dix-neuf": "19"}

var tens = lazyregexp.New(`\b(?:dix[- ](?:sept|huit|neuf)|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize)\b`)

// aged finds the bracket of the age that ageWords found.
func (q Question) aged(years []string) (Choice, bool) {
	n, err := strconv.Atoi(years[3])
	switch years[2] {
	case "almost", "nearly", "presque", "bientot":
		n-- // who is nearly 16 is 15
	case "not even", "under", "below", "younger than", "less than", "meme pas", "moins de":
		// Who is under 16 may be 10: only the youngest bracket says that.
		for _, c := range q.Choices {
			if err == nil && c.To > 0 && c.From == 0 && n-1 <= c.To {
				return c, true
			}
		}
		return Choice{}, false
	}
	for _, c := range q.Choices {
		if err == nil && c.To > 0 && n >= c.From && n <= c.To {
			return c, true
		}
	}
	return Choice{}, false
}

// near is a day or a span soon to come, within which somebody is one year older once.
const near = `(?:tomorrow|soon|(?:on |this |next )*(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|week|month)|in (?:a few|a couple of|\d{1,2}|a|one|two|three|four|five|six) (?:days?|weeks?|months?)|(?:in |this |next )+(?:january|february|march|april|may|june|july|august|september|october|november|december|summer|spring|autumn|winter)|` +
	`demain|apres-demain|apres demain|bientot|(?:ce |le )?(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|week ?end|weekend|mois)(?: prochain| qui vient)?|la semaine prochaine|cette semaine|dans (?:quelques|\d{1,2}|une?|deux|trois|quatre|cinq|six) (?:jours?|semaines?|mois)|(?:en |cet |cette )(?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|ete|hiver|automne))`

// How people say that they, or their child, will be an age, and in which year they were born.
var (
	soon   = lazyregexp.New(`\b` + near + `\b`)
	willBe = lazyregexp.New(`^` + opening + `(?:` + near + `,? )?(` +
		`i(?:'ll|ll| will|'m going to|m going to| am going to|'m gonna|m gonna) (?:be|turn)|i'm turning|im turning|i am turning|i turn|turning|je (?:vais )?(?:fete|feter|celebre|celebrer)|j'aurai|jaurai|je vais avoir|jvais avoir|j'vais avoir|je vais sur|on (?:va )?(?:fete|feter)|` +
		`(?:he|she|my (?:son|daughter|child|kid|teen|teenager))(?:'ll| will|'s going to| is going to)? (?:be|turn|turns)|(?:he's|she's|he is|she is|my (?:son|daughter|child|kid|teen|teenager) is) turning|(?:il|elle|mon (?:fils|enfant|ado)|ma fille) (?:va )?(?:fete|feter|aura|avoir)` +
		`)( mes| ses)? (\d{1,2})(?: ?` + units + `)?(?: (?:on |le )?` + near + `)?` + ending + `$`)
	isSoon = lazyregexp.New(`^` + opening + `(?:(j'ai|jai|i'm|im|i am|(?:il|elle|mon (?:fils|enfant|ado)|ma fille) a|(?:he|she|my (?:son|daughter|child|kid|teen|teenager)) is|he's|she's) )?(\d{1,2})(?: ?` + units + `)? (?:on |le )?` + near + ending + `$`)
	bornIn = lazyregexp.New(`^` + opening + `(?:((?:i was|i'm|im|i am|je suis|j'suis|jsuis|he was|she was|he's|she's|my (?:son|daughter|child|kid|teen|teenager) was|il est|elle est|mon (?:fils|enfant|ado) est|ma fille est)) )?` +
		`(?:(?:born|nee?)(?: (?:[a-z]+|\d{1,2}(?:st|nd|rd|th|er)?))*|de|from|an?) ?(?:\d{1,2}/\d{1,2}/)?((?:19|20)\d\d)(?: (?:kid|baby))?` + ending + `$`)
	// theirs is somebody else's than the writer's; fourDigits is a year.
	theirs     = lazyregexp.New(`\b(?:he|she|he's|she's|il|elle|ses|my (?:son|daughter|child|kid|teen|teenager)|mon (?:fils|enfant|ado)|ma fille)\b`)
	fourDigits = lazyregexp.New(`\b(?:19|20)\d\d\b`)
)

// reckoned is the age bracket of a birthday that is soon, or of the year of a birth, where it follows
// for certain; the part that says such a thing comes back in any case.
func (q Question) reckoned(message string, young bool, now time.Time) (c Choice, part string, ok bool) {
	for _, part := range clause.Split(message, -1) {
		words := figures(part)
		if len(words) > longestAge {
			continue
		}
		if m := willBe.FindStringSubmatch(words); m != nil && young != theirs.MatchString(m[1]+m[2]) && soon.MatchString(figures(message[:min(len(message), longestRight)])) && !fourDigits.MatchString(words) {
			n, err := strconv.Atoi(m[3])
			c, ok := q.aged([]string{"", "", "", strconv.Itoa(n - 1)}) // until then
			return c, part, ok && err == nil
		}
		if m := isSoon.FindStringSubmatch(words); m != nil && (m[1] == "" || young != theirs.MatchString(m[1])) {
			n, err := strconv.Atoi(m[2])
			c, ok := q.aged([]string{"", "", "", strconv.Itoa(n - 1)})
			return c, part, ok && err == nil && m[1] != "" // “14 in two weeks” is asked
		}
		if m := bornIn.FindStringSubmatch(words); m != nil && (m[1] == "" || young != theirs.MatchString(m[1])) {
			if all := q.bornIn(part, now); len(all) == 1 {
				return all[0], part, true
			}
			return Choice{}, part, false
		}
	}
	return Choice{}, "", false
}

// bornIn are the brackets that somebody may be in who says the year of their birth: their birthday may be still to come.
func (q Question) bornIn(part string, now time.Time) (out []Choice) {
	m := bornIn.FindStringSubmatch(figures(part))
	if m == nil {
		return nil
	}
	year, _ := strconv.Atoi(m[2]) // it has four digits
	for _, n := range []int{now.Year() - year - 1, now.Year() - year} {
		if c, ok := q.aged([]string{"", "", "", strconv.Itoa(n)}); ok && !slices.ContainsFunc(out, func(x Choice) bool { return x.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

// younger says that an age is of a younger bracket than the one that is known: to take a number
// for that of somebody younger costs them a question, the other way round it would cost more.
func (q Question) younger(years, known string) bool {
	c, ok := q.aged([]string{"", "", "", years})
	was := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.ID == known })
	n, err := strconv.Atoi(years)
	return ok && err == nil && n >= leastWriter && was >= 0 && q.Choices[was].To > 0 && c.To < q.Choices[was].From
}

// said anew: what a message says of an age that is known.
const (
	sameAge    = iota
	anotherAge // one of another bracket, or the same once more
	noAge      // only that it is not right
)

// pardoned is a whole message that begs pardon and says another figure: “sorry, 12”.
var pardoned = lazyregexp.New(`^(?:(?:euh|um|ah|non|nn|no|wait|attends|ouais|oui|yes|ok|en fait|actually) )*(?:pardon|sorry|typo|erreur|(?:je suis |jsuis |j'suis |chui )?desolee?|my bad|oups|oops|i meant(?: to say)?|je voulais dire|faute de frappe)` +
	`(?: (?:erreur|typo|i meant(?: to say)?|je voulais dire|pardon|sorry|non|no|j'ai|jai|i'm|im|i am|g|c'est))* (\d{1,2})(?: ?` + units + `)?(?: (?:en fait|actually|pas \d{1,2}|not \d{1,2}))*$`)

// longestAge bounds a clause that says an age, and longestRight what of a message may say that
// it puts one right, in bytes.
const longestAge, longestRight = 160, 4 << 10

// restated finds the age that a young person says anew of themselves, whatever was asked: “sorry
// I lied, I'm actually 12”. A bare number counts where the message puts one right.
func (q Question) restated(message, known string, now time.Time) (c Choice, part string, what int) {
	const young, anew = true, true
	message = dotted.ReplaceAllString(message, "${1}o")
	if n := pardoned.FindStringSubmatch(figures(strings.NewReplacer(",", " ", ".", " ", "!", " ", "…", " ", ":", " ").Replace(message))); n != nil && known != "" {
		if c, ok := q.aged([]string{"", "", "", n[1]}); ok && c.ID != known {
			return c, message, anotherAge
		}
	}
	if c, part, ok := q.reckoned(message, true, now); part != "" {
		if ok {
			least := youngest(append(q.ages(message, known, young, anew), spokenAge{c, part, true}))
			return least.Choice, least.part, anotherAge
		}
		if known != "" && !slices.ContainsFunc(q.bornIn(part, now), func(x Choice) bool { return x.ID == known }) {
			return Choice{}, part, noAge // it is another one, and which is asked
		}
	}
	if all := q.ages(message, known, young, anew); len(all) > 0 {
		least := youngest(all)
		if schoolDoubts(message, least.Choice) {
			return Choice{}, "", sameAge // it contradicts itself
		}
		return least.Choice, least.part, anotherAge
	}
	for _, part := range clause.Split(message, -1) {
		words := figures(part)
		if len(words) > longestAge {
			continue
		}
		n := figure.FindString(denied.FindString(words))
		c, ok := q.aged([]string{"", "", "", n})
		if lied.MatchString(words) || ok && c.ID == known {
			return Choice{}, part, noAge
		}
	}
	return Choice{}, "", sameAge
}

// spokenAge is an age in a message that is, or may be, that of whom it is asked of.
type spokenAge struct {
	Choice
	part string
	sure bool // it says whose it is
}

// youngest is the one that counts of several: who says two ages in one message is taken for the younger one.
func youngest(all []spokenAge) spokenAge {
	return slices.MinFunc(all, func(a, b spokenAge) int { return a.From - b.From })
}

// ages are those that a message may say of whom it is asked of, a young writer or a parent's child; known is the
// one that was told before. Where an age is told anew, a bare number counts only where it puts one right.
func (q Question) ages(message, known string, young, anew bool) (out []spokenAge) {
	message = dotted.ReplaceAllString(elsewhereSaid.ReplaceAllString(message, ""), "${1}o")
	all := figures(message[:min(len(message), longestRight)])
	mark, its := corrects.MatchString(all), itsAge.MatchString(all)
	if n := instead.FindStringSubmatch(all); n != nil && !its {
		c, ok := q.aged([]string{"", "", "", n[1]})
		its = ok && c.ID == known
	}
	whose := whoseAge(message)
	before, last := "", known
	// following says that the last clause with a number said an age of theirs, and of another one that it was about
	// somebody else, until the sentence ends.
	following, ofOther := false, false
	at := 0
	for i, part := range clause.Split(message, -1) {
		words := figures(part)
		if from := strings.Index(message[at:], part); part != "" && from >= 0 {
			if ended := strings.ContainsAny(message[at:at+from], ".!?\n"); ended && !figure.MatchString(before) {
				ofOther = false
			}
			at += from + len(part)
		}
		quoted := quotes.MatchString(before) && another.MatchString(before)
		corrected := young && inItsPlace.MatchString(words) && turnsDown.MatchString(before+" "+words) && (turnsDown.MatchString(words) || nothing.MatchString(before+" ")) && q.younger(figure.FindString(words), last)
		corrected = corrected || young && inItsPlace.MatchString(words) && inFact.MatchString(words) && q.younger(figure.FindString(words), last)
		right := following && inItsPlace.MatchString(words) && q.younger(figure.FindString(words), last)
		before = words
		switch {
		case quoted || len(words) > longestAge || denied.MatchString(words):
			following = false
			continue
		case !figure.MatchString(words):
			following = following && (nothing.MatchString(words+" ") || words == "demi") // “16 ans et demi, enfin 15”
			ofOther = ofOther || another.MatchString(words)
			continue
		}
		years := ageWords.FindStringSubmatch(words)
		if m := atEnd.FindStringSubmatch(words); young && years == nil && m != nil && !ofNow.MatchString(m[1]) && !another.MatchString(m[1]) {
			years = ageWords.FindStringSubmatch(m[2])
		}
		sure := true
		switch {
		case years == nil:
			if !corrected && !right && !((anew && its || !anew && mark) && itIs.MatchString(words)) {
				following, ofOther = false, another.MatchString(words)
				continue
			}
			years = []string{"", "", "", figure.FindString(words), ""}
			sure = !ofOther
		case years[1] == "" && (corrected || right): // “non 13”
			sure = !ofOther
		case years[1] == "" && anew && !its && (i > 0 || !strings.Contains(years[4], "o")), years[1] == "" && !anew && years[4] == "":
			continue
		case years[1] == "":
			sure = anew // else it may be anybody's
		case young && !ofSelf.MatchString(years[1]), !young && !slices.Contains(whose, years[1]):
			following, ofOther = false, true
			continue
		case anew && years[4] == "" && !mark && !following && slices.Contains([]string{"j'ai", "j ai", "jai", "g", "je n'ai", "j'en ai", "moi c'est"}, years[1]):
			continue // “j'ai 12” may be a mark at school
		default:
			ofOther = false
		}
		if ofOther {
			continue
		}
		if c, ok := q.aged(years); ok {
			out = append(out, spokenAge{c, part, sure})
			following, last = true, c.ID
		}
	}
	return out
}

// whoseAge begins a clause that says the age of a parent's child.
func whoseAge(message string) []string {
	whose, all := ofOnesChild, plainWords(message)
	if her.MatchString(all) {
		whose = append(slices.Clone(whose), ofHer...)
	}
	if him.MatchString(all) {
		whose = append(slices.Clone(whose), ofHim...)
	}
	return whose
}

// schoolAges are school years by what names them, with the oldest usual age in them; schoolPlus is what is added to
// the number of a year.
var (
	schoolAges = []struct {
		words *lazyregexp.Regexp
		age   int
	}{
		{lazyregexp.New(`\b(?:cp|ce[12]|cm[12]|elementary school|primary school|ecole primaire)\b`), 12}, {lazyregexp.New(`\b(?:6 ?(?:e|eme)|sixieme)\b`), 12}, {lazyregexp.New(`\b(?:5 ?(?:e|eme)|cinquieme)\b`), 13},
		{lazyregexp.New(`\b(?:4 ?(?:e|eme)|quatrieme|middle school)\b`), 14}, {lazyregexp.New(`\b(?:3 ?(?:e|eme)|troisieme)\b`), 15},
	}
	schoolPlus = []struct {
		words *lazyregexp.Regexp
		plus  int
	}{{lazyregexp.New(`\byear (\d{1,2})\b`), 5}, {lazyregexp.New(`\bgrade (\d{1,2})\b|\b(\d{1,2})(?:st|nd|rd|th)? ?(?:grade|grader)\b`), 6}}
	// otherSchools count their years in another way.
	otherSchools = lazyregexp.New(`\b(?:belgique|suisse|luxembourg|secondaire|humanites|harmos|college ?/? ?university|university|uni|fac|universite)\b`)
)

// mostRepeated is how many years older than usual somebody may be in a school year.
const mostRepeated = 2

// schoolDoubts says that a message names a school year of who writes that hardly anybody of this age is in: of the two,
// one is not true.
func schoolDoubts(message string, c Choice) bool {
	if otherSchools.MatchString(plainWords(message)) {
		return false
	}
	for _, part := range clause.Split(message, -1) {
		words := figures(part)
		if another.MatchString(words) || notNow.MatchString(words) || !schoolYear.MatchString(words) {
			continue
		}
		oldest := 0
		for _, x := range schoolAges {
			if x.words.MatchString(words) {
				oldest = x.age
			}
		}
		for _, x := range schoolPlus {
			if m := x.words.FindStringSubmatch(words); m != nil {
				n, _ := strconv.Atoi(strings.Join(m[1:], "")) // it has digits only
				oldest = n + x.plus
			}
		}
		if oldest > 0 && c.From > oldest+mostRepeated {
			return true
		}
	}
	return false
}

// several is a list of ages: “13 et 17 ans”; ofChildren says that it is of a parent's children.
var (
	several    = lazyregexp.New(`\b((?:\d{1,2}(?: ?` + units + `)?(?: ?, ?| et | and | ou | or | & ))+\d{1,2}) ?` + units + `?\b`)
	ofChildren = lazyregexp.New(`\b(?:ils|elles|they|they're|theyre|(?:kids|children|sons|daughters|boys|girls|twins|teens|teenagers|enfants|fils|filles|ados|gamins|garcons|jumeaux|jumelles))(?: (?:ont|are|aged|ages|is|de|sont|a))* $`)
)

// inList is the youngest of a list of ages in a message, and what stands before it.
func (q Question) inList(message string) (least spokenAge, lead string, ok bool) {
	all := figures(message[:min(len(message), longestRight)])
	at := several.FindStringSubmatchIndex(all)
	if at == nil {
		return spokenAge{}, "", false
	}
	var list []spokenAge
	for _, n := range figure.FindAllString(all[at[2]:at[3]], -1) {
		if c, ok := q.aged([]string{"", "", "", n}); ok {
			list = append(list, spokenAge{c, all[at[0]:at[1]], true})
		}
	}
	if len(list) < 2 {
		return spokenAge{}, "", false
	}
	lead = all[:at[0]]
	return youngest(list), lead[strings.LastIndexAny(lead, ".!?;")+1:], true
}
