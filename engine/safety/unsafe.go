package safety

import (
	"slices"
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Unsafe is how sure it is that a message answers "are you safe right now?" with no.
type Unsafe int

// The answers, the mildest first.
const (
	NoAnswer    Unsafe = iota // it says yes, or something else
	PerhapsNot                // it may: a no that goes on with something else, or a doubt
	PlainNo                   // it is a no, and nothing else
	NoInWords                 // it denies it of another person, or wholly: “no, she isn't”, “not at all”
	SaysNotSafe               // it says in words that somebody is not safe
)

// mostAnswer is how many words an answer has at most: who writes more is read for what they write.
const mostAnswer = 12

// The words of answers, as a scan has them: small letters without marks, apostrophes left out. Several in a
// row are joined by “_”.
var (
	answerNo = wordSet(strings.Fields(`no nope nah noo nooo non nop
not_really not_at_all not_quite not_now not_right_now not_at_the_moment not_anymore not_any_more i_am_not im_not she_isnt he_isnt they_arent shes_not hes_not theyre_not i_dont_think_so dont_think_so i_guess_not i_suppose_not probably_not no_i_am_not no_im_not no_not_really no_not_at_all
pas_vraiment pas_du_tout pas_trop plus_vraiment pas_maintenant je_crois_pas je_ne_crois_pas je_pense_pas je_ne_pense_pas jcrois_pas jpense_pas non_pas_vraiment non_pas_du_tout non_pas_trop elle_non lui_non moi_non je_le_suis_pas je_ne_le_suis_pas malheureusement_non pas_en_ce_moment`))
	answerDoubt = wordSet(strings.Fields(`not_sure im_not_sure i_am_not_sure idk dunno i_dont_know dont_know no_idea maybe maybe_not i_doubt_it hard_to_say
je_sais_pas je_ne_sais_pas jsais_pas jsp chais_pas sais_pas pas_sur pas_sure je_suis_pas_sur je_suis_pas_sure je_ne_suis_pas_sur je_ne_suis_pas_sure peut_etre peutetre peut_etre_pas bof aucune_idee jen_doute`))
	// calming are words behind a no that deny something else: “no, I'm fine”, “non merci”.
	calming = wordSet(strings.Fields(`fine ok okay okey safe good great alright thanks thank thx worries problem danger risk need joke joking kidding misread misunderstood mistake wrong sorry course lol haha
merci bien va vas tranquille securite souci soucis probleme risque besoin blague rigole malentendu erreur trompe trompes trompez desole grave inquiete inquietez mdr ptdr`))
	// deniesIt is such a no in words.
	deniesIt = lazyregexp.New(`^(?:no |nope |nah |non )?(?:(?:(?:he|she|they|everyone|everybody|(?:my|the|his|her|our|their) \w+) (?:\w+ly )?(?:is not|is \w+ly not|isnt|aint|are not|are \w+ly not|arent)|(?:hes|shes|theyre) (?:\w+ly )?not)(?: (?:at all|really|now|right now|at the moment|anymore|any more|yet|any longer))?` +
		`|(?:il|elle|ils|elles|on|(?:ma|mon|mes|la|le|les) \w+) (?:ne )?(?:lest|le sont|les sont|sont|est) (?:pas|plus|pas du tout|vraiment pas|toujours pas|absolument pas|pas vraiment|pas encore)(?: (?:du tout|maintenant|en ce moment))?` +
		`|(?:absolutely |definitely |certainly |really |clearly )not|not at all|not in the least|pas du tout|absolument pas|surement pas|certainement pas|vraiment pas|clairement pas|mais non)$`)
	notSafe = lazyregexp.New(`\b(?:not|never|isnt|arent|dont|doesnt|wasnt|wont|no longer)(?: \w+){0,3} safe\b|\bunsafe\b|\b(?:pas|plus|jamais)(?: \w+){0,3} en securite\b|\b(?:am|im|is|are|suis|est|sommes|sont) (?:in|en) (?:\w+ )?danger\b`)
	// safeFor are what a road or a tablet is, and denied says that there is no danger.
	safeFor = lazyregexp.New(`\bsafe (?:to|for|with|at work)\b`)
	denied  = lazyregexp.New(`\b(?:not|no|isnt|arent|pas|plus|aucun|never|jamais)(?: \w+){0,2} danger\b|\bdanger pas\b`)
)

// AnswersUnsafe reads a message as the answer to the question of a check-in, whether somebody is
// safe right now, in English or French.
func AnswersUnsafe(text string) Unsafe {
	tokens := uncorrected.scan(text)
	if len(tokens) == 0 || len(tokens) > mostAnswer {
		return NoAnswer
	}
	said, calm := NoAnswer, false
	for i, c := range clausesOf(text) {
		words, joined := c.words, c.said
		if notSafe.MatchString(joined) && !safeFor.MatchString(joined) && !denied.MatchString(joined) {
			return SaysNotSafe
		}
		answer := strings.Join(words, "_")
		switch {
		case deniesIt.MatchString(joined) && (i == 0 || said >= PlainNo):
			said = NoInWords
		case answerNo[answer] && i == 0:
			said = PlainNo
		case answerNo[answer]:
		case i == 0 && (answerDoubt[answer] || answerNo[words[0]]):
			said = PerhapsNot
		case i > 0:
			said = min(said, PerhapsNot) // it goes on with something else
		}
		calm = calm || slices.ContainsFunc(words, func(w string) bool { return calming[w] })
	}
	if calm {
		return NoAnswer
	}
	return said
}
