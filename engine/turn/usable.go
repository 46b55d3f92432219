package turn

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"holdpoint/engine/language"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/model"
)

// For is what is for people in an answer to a message: asked is what the person wrote in the
// session, given what else the model was given to go by, as records and what tools found. Both may
// speak of what else is no answer, as of JSON.
func (p Spoken) For(asked, given string) Spoken {
	p.judges, p.asked, p.given = true, plainly(asked), plainly(given)
	return p
}

// Repeating adds what the model said before in the session to another message, but for sentences with a name or a
// number: a very small one says the same to whatever is asked. It goes behind For.
func (p Spoken) Repeating(history []Exchange, message string) Spoken {
	if askedAgain.MatchString(plainly(message)) {
		return p
	}
	p.again = slices.Clip(p.again)
	for _, e := range history {
		if plainly(e.User) == plainly(message) {
			continue
		}
		for _, o := range OwnWords(e.Reply) {
			if len(o.words) >= recited && !ofSomebody.MatchString(o.text) {
				p.again = append(p.again, o)
			}
		}
	}
	return p
}

// Exact is for a very small model, which makes figures up: a text with a number of three digits or more or a dose that neither
// the person nor what the model was given has is no answer, and neither is one that is plainly in another language than
// the one it is to be in, a code of ISO 639-1. It goes behind For.
func (p Spoken) Exact(in string) Spoken {
	p.exact = cmp.Or(in, "en")
	return p
}

// unfounded says that a text has such a number or dose, or is in another language.
func (p Spoken) unfounded(text string) bool {
	all := p.asked + " " + p.given
	if MadeUpNumber(text, all, fewestDigits) != "" {
		return true
	}
	known := blanks.ReplaceAllString(all, "")
	for _, d := range doses.FindAllString(text, -1) {
		if !strings.Contains(known, blanks.ReplaceAllString(d, "")) {
			return true
		}
	}
	other := language.Other(tokens.FindAllString(text, -1), p.exact)
	return other == "en" || other == "fr" // who writes in a third language may be answered in it
}

// MadeUpNumber is a number of at least so many digits in what was said that stands in nothing that was given; "" for none.
func MadeUpNumber(said, given string, digits int) string {
	known := notDigits.ReplaceAllString(given, "")
	for _, n := range figures.FindAllString(said, -1) {
		if d := notDigits.ReplaceAllString(n, ""); len(d) >= digits && !strings.Contains(known, d) {
			return n
		}
	}
	return ""
}

// fewestDigits is how many digits a number has that is no count.
const fewestDigits = 3

var (
	figures   = lazyregexp.New(`\+?\d(?:[ .\-/()\x{a0}\x{202f}]?\d)+`)
	doses     = lazyregexp.New(`\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ml|g|iu|ui|units?|unités?)\b`)
	notDigits = lazyregexp.New(`[^0-9]+`)
	blanks    = lazyregexp.New(`\s+`)
)

// ofSomebody is a name within a sentence, or a number.
var ofSomebody = lazyregexp.New(`\pN|[\pL,;:)] +[“"(]?\p{Lu}\p{Ll}`)

// askedAgain asks for the same once more.
var askedAgain = lazyregexp.New(`\b(?:again|repeat|once more|encore|répète|répétez|redis|redites)\b`)

// Asked is what the person wrote in a session, for Spoken.For.
func Asked(history []Exchange, message string) string {
	for _, e := range history {
		message += "\n" + e.User
	}
	return message
}

// Given is what tools found, for Spoken.For.
func Given(messages []model.Message) (out string) {
	for _, m := range messages {
		if m.Role == "tool" {
			out += "\n" + m.Text
		}
	}
	return out
}

// answers says that a text for people answers them: it has a word, and most of it is neither what
// the model was told to do nor about the form of its own answer.
func (p Spoken) answers(text string) bool {
	if !p.judges {
		return true
	}
	if p.bare(text) {
		return false
	}
	text = plainly(text)
	words := tokens.FindAllString(text, -1)
	if !p.hasWords(text, words) || p.exact != "" && p.unfounded(text) {
		return false
	}
	aside := 0
	for _, s := range endOfSentence.Split(text, -1) {
		if p.aside(s) {
			aside += len(tokens.FindAllString(s, -1))
		}
	}
	return aside == 0 || len(words)-aside >= fewLeft && float64(aside) < mostAside*float64(len(words))
}

const (
	// fewLeft is with how many words the rest of a text may answer, mostAside which share of all
	// may be about something else.
	fewLeft, mostAside = 5, 0.6
	// recited is how many words in a row are those of the instructions.
	recited = 5
	// mostSigns is how many signs that no sentence needs a text without a known word may have, if it
	// is not three times as long.
	mostSigns = 1
)

// plainly is a text in small letters, with straight quotes and plain blanks.
func plainly(text string) string {
	return strings.ToLower(straight.Replace(text))
}

var straight = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ", "*", "", "“", `"`, "”", `"`)

// hasWords says that a text has a word or a number that somebody knows, or at least no signs around it
// that stand in no sentence.
func (p Spoken) hasWords(text string, words []string) bool {
	for _, w := range words {
		if known(w) || strings.Contains(p.asked, w) || strings.Contains(p.given, w) {
			return true
		}
	}
	signs, letters := 0, 0
	text = rowOfTable.ReplaceAllStringFunc(text, func(row string) string { return strings.ReplaceAll(row, "|", " ") })
	for _, r := range bracketed.ReplaceAllString(text, "$1") {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		} else if strings.ContainsRune("%[]{}<>|\\^~@$&=+#_`", r) || r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) {
			signs++
		}
	}
	return len(words) > 0 && (signs <= mostSigns || 3*signs < letters)
}

// bracketed is a word or two in brackets, as in “call [number]”.
var bracketed = lazyregexp.New(`[\[{<]([\pL\pN][^\[\]{}<>]*)[\]}>]`)

// rowOfTable is a line of a table.
var rowOfTable = lazyregexp.New(`(?m:^[ \t]*\|.*\|[ \t]*$)`)

func known(word string) bool { return language.Common("en", word) || language.Common("fr", word) }

// aside says that a sentence is about the model's own answer or its instructions.
func (p Spoken) aside(sentence string) bool {
	for _, a := range asides {
		if at := a.says.FindString(sentence); at != "" && !a.unless.MatchString(p.asked) && !strings.Contains(p.given, at) && (a.given == nil || !a.given.MatchString(p.given)) {
			return true
		}
	}
	return !aboutIt.MatchString(p.asked) && p.recites(sentence)
}

// recites says that most of a sentence are words of the instructions, in a row, which nobody else gave.
func (p Spoken) recites(sentence string) bool {
	words := tokens.FindAllString(sentence, -1)
	same := make([]bool, len(words))
	for i := 0; i+recited <= len(words); i++ {
		row := strings.Join(words[i:i+recited], " ")
		if p.told(row) {
			for j := i; j < i+recited; j++ {
				same[j] = true
			}
		}
	}
	n := 0
	for _, s := range same {
		if s {
			n++
		}
	}
	return 2*n > len(words)
}

// told says that words stand in a row in a sentence that the model was told and that nobody else gave, or in one
// that it says again.
func (p Spoken) told(row string) bool {
	has := func(o Own) bool { return strings.Contains(" "+o.row()+" ", " "+row+" ") }
	if slices.ContainsFunc(p.again, has) {
		return true
	}
	if strings.Contains(p.given, row) {
		return false
	}
	for _, list := range [][]Own{p.Own, ownOfLanguage, p.Told, ownOfActions} {
		if slices.ContainsFunc(list, has) {
			return true
		}
	}
	return false
}

// ownOfActions is what a model without a tool template is told of how it calls tools.
var ownOfActions = OwnWords(model.ActionRules)

// aside is talk about an answer instead of one. unless is what a person asks who wants that, given what
// stands in a prompt that does. may is what each such sentence has: what may stand early in it, and in few others.
type aside struct{ says, unless, given, may *lazyregexp.Regexp }

var (
	// aboutIt asks who or what answers, or what it was told.
	aboutIt = lazyregexp.New(`\b(?:who|what) (?:kind of \w+ )?(?:are|is|can|could|do|will|were) (?:you|this)\b|\bwhat (?:model|program|else can you)\b|\bare you\b|\bhow (?:do|can|could) you (?:work|help)\b|\byour (?:instructions?|rules|prompt|name|training|limits|job|purpose)\b|\b(?:ai|a\.i\.|chat ?bot|ro?bot|language model|llm|artificial|computer|machine)\b|` +
		`\b(?:qui|que|quoi) (?:es|êtes|peux|pouvez|sais|savez|fais|faites)[- ](?:tu|vous)|\b(?:es|êtes)[- ](?:tu|vous)\b|\b(?:tu es|vous êtes)\b|\b(?:tes|vos|ton|votre) (?:instructions?|règles|consignes?|nom|rôle|limites)\b|\b(?:ia|robot|intelligence artificielle|mod[èe]le de langage|ordinateur)\b`)
	// aboutForm asks for something in a form.
	// aboutAnyone asks about a person or what users do.
	aboutAnyone = lazyregexp.New(`\b(?:persons?|people|users?|individuals?|personnes?|utilisat(?:eur|rice)s?)\b`)
	aboutForm   = lazyregexp.New(`\b(?:json|yaml|xml|csv|format\w*|template|structured?|draft|letter|e-?mail|form\b|example|sample|mod[èe]le|gabarit|brouillon|lettre|courriel|exemple|formulaire|sch[ée]ma)`)
	aboutJSON   = lazyregexp.New(`\bjson\b`)
)

var asides = []aside{
	{lazyregexp.New(`\bjson (?:format|object|response|schema|output|template|string|structure|reply|answer|array|valide|message)\b|\b(?:valid|format|objet|réponse|structure|schéma) json\b|\b(?:response|reply|answer|output|message|réponse|sortie)s?\b[^.!?]{0,40}\bjson\b|\bjson\b[^.!?]{0,40}\b(?:response|reply|answer|output|réponse|sortie)\b`), aboutForm, aboutJSON, lazyregexp.New(`\bjson\b`)},
	// What the prompt calls who asks.
	{lazyregexp.New(`\b(?:the|this) (?:person|user)(?:'s)? (?:last|latest|previous|next|final|current) (?:message|question|request|input|prompt|query)\b|\b(?:last|next|latest) message (?:needs|of the (?:person|user))\b|\b(?:reply|respond|answer) to the (?:person|user|prompt)\b|` +
		`\b(?:derni[èe]re?|prochaine?) (?:message|question|demande|requête) de (?:la personne|l'utilisat(?:eur|rice))|\b(?:répond(?:ez|s|re)|réponse) à (?:l'utilisat(?:eur|rice)|la personne)\b`), aboutIt, nil, lazyregexp.New(`\b(?:persons?|users?|prompts?|messages?|personne|utilisat\pL*)\b`)},
	{lazyregexp.New(`\bas an? (?:ai|a\.i\.|artificial intelligence|large language|language|virtual|digital)(?: \w+)? ?(?:model|assistant|language model|system|tool)?\b|\bi(?:'m| am) (?:just |only |merely )?an? (?:ai|artificial intelligence|large language model|language model)\b|\bmy (?:training data|knowledge cut-?off|programming)\b|` +
		`\ben tant qu(?:'|e )(?:une? )?(?:ia\b|intelligence artificielle|assistant(?:e)? (?:ia|virtuel(?:le)?|num[ée]rique)|(?:grand )?mod[èe]le de (?:langage|langue))|\bje (?:ne )?suis (?:qu')?une? (?:ia\b|intelligence artificielle|(?:grand )?mod[èe]le de (?:langage|langue))`), aboutIt, nil, lazyregexp.New(`\b(?:ai|a\.i|artificial\w*|language model|virtual|digital|my training|my knowledge|programming|ia|intelligence|assistante?|mod[èe]le)\b`)},
	// Who asks, told as of somebody else.
	{lazyregexp.New(`\b(?:the|this) (?:person|user|individual)(?:'s (?:condition|request|message|question|needs?|situation|concerns?|problem|statement)\b| (?:also |now |just |probably |likely )*(?:seems?|appears?|needs?|wants?|asks?|asked|says|said|would like|might|may (?:need|want|be|have)|is (?:also |now |likely |probably )*(?:asking|looking|seeking|trying|requesting|saying|describing|expressing)|has (?:asked|requested|expressed|stated|been (?:described|asked)))\b)[^.!?\n]{0,24}|` +
		`\b(?:la personne|l'utilisat(?:eur|rice)) (?:semble|para[iî]t|a besoin|souhaite|demande|veut|voudrait|cherche|exprime|indique|dit|a (?:demandé|exprimé|indiqué|dit))(?:[^\pL][^.!?\n]{0,24}|$)`), aboutAnyone, nil, lazyregexp.New(`\b(?:person|user|individual|personne|utilisat\pL*)\b`)},
	// The form of its own answer.
	{lazyregexp.New(`\b(?:the|this|my|your|each|every|an?) (?:response|reply|answer|output|message)s? (?:will|should|must|is|are|can|would|needs? to|has to|shall) (?:also |then |only )?(?:be )?(?:\w+ )?(?:in|as|using|following) (?:the |an? |this |that |valid |plain |same |following |correct |proper ){0,3}(?:format|template|structure|schema|style|object|key|english|french)\b|\bas an? (?:template|format|example|guide|starting point) for (?:your|the|my|this|any|a|future) (?:\w+ )?(?:message|response|reply|answer|prompt|request)s?\b|\byour next (?:response|reply|prompt)\b|\b(?:here is|here's|this is|below is) (?:an? |the )?(?:\w+ )?(?:example|sample|template|possible|suggested|draft) (?:of an? |of the |for the |for your )?(?:response|reply|answer|output|message)\b|\b(?:use|follow|using|following) (?:the |this |that )(?:following |above |below |same )?(?:format|template|structure|schema)\b|` +
		`\b(?:la|ma|votre|cette|ta) (?:r[ée]ponse|sortie) (?:sera|doit [êe]tre|est|devra [êe]tre|peut [êe]tre) (?:\pL+ )?(?:au|en|dans|sous|selon) (?:le |la |un |une |ce |cette )?(?:format|mod[èe]le|structure|forme|gabarit|schéma|français|anglais)\b|\bcomme (?:mod[èe]le|gabarit|format|exemple) (?:pour|de) (?:votre|la|ma|ta|une?) (?:prochaine? )?(?:message|r[ée]ponse)|\bvotre prochaine r[ée]ponse\b|\bvoici (?:un|le) (?:exemple|mod[èe]le) de (?:r[ée]ponse|message)|\b(?:utilise[rz]?|suive[rz]|suivre) (?:le |ce )(?:format|mod[èe]le|gabarit)`), aboutForm, nil, lazyregexp.New(`\b(?:responses?|reply|replies|answers?|outputs?|messages?|templates?|formats?|structures?|schemas?|examples?|prompts?|r[ée]ponses?|sortie|gabarit|mod[èe]le|exemple)\b`)},
	// Blanks that somebody else was to fill in.
	{lazyregexp.New(`\[(?:insert|enter|your|the |patient|person|client|provider|name|date|doctor|clinic|ins[ée]re[rz]|votre|nom|le nom)[^\]\n]{0,40}\]`), aboutForm, nil, lazyregexp.New(`\[`)},
	{lazyregexp.New(`\bsystem (?:prompt|message)\b|\bmy (?:instructions|guidelines|rules)\b|\bi (?:was|am|have been|'ve been) (?:instructed|programmed|trained|designed|prompted) to\b|\b(?:these|the|your) (?:instructions|rules) (?:above|below|provided|given)\b|` +
		`\b(?:invite|message) syst[èe]me\b|\bmes (?:instructions|consignes|règles)\b|\bj'ai (?:été|reçu) (?:pour )?(?:programmé|entraîné|conçu|l'instruction|la consigne)|\bje (?:suis|ai été) (?:programm|entraîn|con[çc]u)`), aboutIt, nil, lazyregexp.New(`\b(?:system|instruct\w*|guidelines|rules|programm\w*|trained|designed|prompted|syst[èe]me|consignes?|règles|entraîn|conçu|con[çc]u)`)},
}
