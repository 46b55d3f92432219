package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// quote is what a message quotes another person with: bytes of the text, and the text without it.
type quote struct {
	start, end int
	outside    string
}

var (
	// inMarks is what stands between quotation marks; behindColon what follows a colon without them.
	inMarks     = lazyregexp.New(`“([^”]{3,600})”|«\s*([^»]{3,600})»|"([^"]{3,600})"|(?:^|[\s:(])['‘]([^'’]?(?:[^'’]|['’]\p{L}){3,600})['’](?:[\s.,;:!?)]|$)`)
	behindColon = lazyregexp.New(`:\s+(\S[^:]{3,600})$`)
	// reportedBy says that somebody else says or writes something, ownSpeech that the writer does, and madeUp that nobody does.
	reportedBy = lazyregexp.New(`\b(?:says?|said|saying|tells?|told|texts?|texted|texting|wrote|writes|written|messaged?|messages|emailed|email|posted|posts|post|sent|sends|rang|called|calls|call|phoned|voicemail|note|quote|quoted|verbatim|letter|story|chat|word|answered|replied|replies|shouted|shouts|screamed|whispered|whispers|repeats|repeated|keeps|got this` +
		`|m?(?:dit|disait|dite|repete|raconte|ecrit|ecrivait|envoye|envoie)|poste|publie|appele|appelle|laisse|mot|message|vocal|lettre|sms|texto|mail|verbatim|cite|recu|statut|groupe|story|confie|hurle|crie|murmure|repond|repondu|annonce)\b`)
	ownSpeech = lazyregexp.New(`\b(?:i (?:just |then |also |have )?(?:said|told|wrote|texted|answered|replied|say|tell|posted|sent)|ive (?:said|told|written|sent)|jai (?:\w+ )?(?:dit|ecrit|envoye|repondu|poste)|je (?:lui |leur |me |vous |te )?(?:dis|ecris|reponds|ai dit|ai ecrit))\b`)
	madeUp    = lazyregexp.New(`\b(?:song|lyrics?|film|movie|novel|book|chapter|script|role ?play|poem|play|game|character|series|headline|article|example|translate|translation|proofread|training|slide|quiz|exam|chanson|paroles|roman|livre|chapitre|scenario|jeu de role|poeme|piece|personnage|serie|titre|exemple|traduis|traduire|traduction|formation|diapo|examen)\b`)
	someone   = lazyregexp.New(`\b(?:mr|mrs|ms|mme|bed|lit|patron|boss|someone|somebody|quelquun|he|she|ex|beaufrere|maitresse|coloc|meilleure|mate|they|ils|elles|on)\b`)
)

// quoteIn finds what another person is quoted with, where a message says that somebody else said or wrote it.
func quoteIn(text string) (q quote, ok bool) {
	if len(strings.Fields(text)) > mostReport {
		return q, false
	}
	m := inMarks.FindStringSubmatchIndex(text)
	if m == nil {
		m = behindColon.FindStringSubmatchIndex(text)
	}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			q = quote{m[i], m[i+1], text[:m[i]] + " … " + text[m[i+1]:]}
		}
	}
	if q.end == 0 {
		return q, false
	}
	tokens := uncorrected.scan(q.outside)
	words, named := make([]string, len(tokens)), false
	for i, t := range tokens {
		words[i] = t.word
		named = named || people[strings.ReplaceAll(t.word, "œ", "oe")] || thirds[t.word] || wards[t.word]
	}
	said := strings.Join(words, " ")
	if !named && !someone.MatchString(said) || !reportedBy.MatchString(said) || ownSpeech.MatchString(said) || madeUp.MatchString(said) {
		return q, false
	}
	return q, true
}

// quoting is the assessment of a message with what it quotes another person with.
func (c Checker) quoting(a Assessment, text string, q quote) Assessment {
	b := c.assess(text[q.start:q.end])
	if b.Level == Calm {
		// A harmless quotation, harmlessly told, has at most the shape of danger.
		if a.Level == CheckIn && a.Rules.Score == 0 && c.assess(q.outside).Level == Calm {
			return b.calm(a)
		}
		return a
	}
	if !b.Level.atLeast(a.Level) {
		return a
	}
	b.Rules.shift(q.start)
	b.Language, b.Coverage, b.Unread = a.Language, a.Coverage, a.Unread || b.Unread
	b.Speaker, b.Rules.Speaker = Other, Other
	if reports(q.outside) {
		b.Speaker, b.Rules.Speaker = Clinician, Clinician
	}
	return b
}

// calm is an assessment of nothing, in the language and for the speaker of another.
func (a Assessment) calm(of Assessment) Assessment {
	a.Language, a.Rules, a.Coverage = of.Language, of.Rules, of.Coverage
	return a
}
