package navigator

import (
	"regexp"
	"strings"

	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/lazyregexp"
	"holdpoint/engine/safety"
	"holdpoint/engine/turn"
)

// corrected is a reply that claims a change, with a sentence behind it that nothing was changed, in
// the language of the claim. changed says that the turn changed something.
func corrected(t *graph.Task, text string, changed bool) string {
	if changed {
		return text
	}
	s := turn.SummaryOf(t)
	l, claims := claimed(text, ChannelMessage.Get(t.State), s != nil && len(s.Upcoming) > 0)
	if !claims {
		return text
	}
	return text + "\n\n" + turn.PhrasingIn(t, l).Say("Nothing was booked, cancelled or written into the record in this turn, whatever the reply above says.")
}

// undone is a reply with a sentence behind it that nothing was changed, where the person asked for a change, or was asked
// about one, and the reply leaves open what became of it.
func undone(t *graph.Task, text string) string {
	message, history := ChannelMessage.Get(t.State), ChannelHistory.Get(t.State)
	offered := len(history) > 0 && offers(history[len(history)-1].Reply)
	wished := false
	for tool := range changes {
		wished = wished || asksFor(tool, message, offered)
	}
	return turn.Undone(t, text, wished, turn.Tongue(t).Say("Nothing was booked, cancelled or written into the record in this turn."))
}

// claims are the words of a language that say that something was changed.
type claims struct {
	language safety.Language
	// made says it for certain; stands may speak of what the record has, and told of what became
	// of it long ago.
	made, stands, told []*lazyregexp.Regexp
	// not before a claim takes it back or leaves it open, of before or behind one says that it is
	// the record's; polite is what looks like the first and is not.
	not, of, polite *lazyregexp.Regexp
}

// claimed says whether a reply claims that something was booked, cancelled or written, and in which
// language. What may be said of the record counts where the person asked for a change, or
// where nothing is coming up.
func claimed(reply, message string, upcoming bool) (safety.Language, bool) {
	asked := asksChange.MatchString(message)
	for _, line := range strings.Split(shortTitle.ReplaceAllString(straight.Replace(reply), "$1 "), "\n") {
		if bullet.MatchString(line) {
			continue // an item of a list tells what there is
		}
		for _, s := range encoder.Sentences(line) {
			s = strings.TrimSpace(s)
			if strings.HasSuffix(s, "?") {
				continue
			}
			for _, c := range []*claims{&englishClaims, &frenchClaims} {
				said := c.polite.ReplaceAllString(s, "")
				if c.in(said, c.made) || (asked || !upcoming) && c.in(said, c.stands) || asked && c.in(said, c.told) {
					return c.language, true
				}
			}
		}
	}
	return "", false
}

func (c *claims) in(sentence string, list []*lazyregexp.Regexp) bool {
	for _, r := range list {
		for _, at := range r.FindAllStringIndex(sentence, -1) {
			if !c.not.MatchString(sentence[:at[0]]) && !c.of.MatchString(sentence) {
				return true
			}
		}
	}
	return false
}

var (
	straight = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ", "*", "", "_", "")
	// shortTitle has a dot that ends no sentence.
	shortTitle = lazyregexp.New(`\b((?i:dr|mr|mrs|ms|prof|mme|st))\. `)
	bullet     = regexp.MustCompile(`^\s*(?:[-•–>#|]|\d+[.)])`)
	// asksChange is a message that asks for a change, or agrees to one.
	asksChange = lazyregexp.New(`(?i)\b(?:re)?(?:book|schedul|cancel|mov(?:e|ing)\b|arrang|reserv|make\b|set up|write|note\b|record (?:it|that|this)|sav(?:e|ing)\b|add\b|put\b|chang|yes\b|yep|yeah|ok(?:ay)?\b|sure\b|go ahead|do it|please|r[ée]serv|annul|d[ée]plac|report|prend|prenez|fix|note[rz]?\b|[ée]cri|enregistr|ajout|oui\b|d'accord|vas-y|allez-y|s'il|svp)`)
)

const (
	visits  = `(?:appointment|visit|booking|session|consultation|meeting|check-?up|follow-?up|reservation|cancellation)`
	notes   = `(?:(?:care )?note|message|entry|change|record|chart|file|preference|allergy|medication|request)`
	whose   = `(?:your|the|this|that|her|his|their|my|our|\pL+'s)`
	now     = `(?: (?:now|already|just|also|successfully|officially|all|hereby|been|gone ahead and|went ahead and|managed to get))*`
	booked  = `(?:booked|scheduled|rescheduled|re-?booked|reserved|cancell?ed)`
	settled = `(?:` + booked + `|confirmed|arranged|set(?: up)?|moved|changed|made|created|secured|postponed)`
	written = `(?:saved|recorded|written(?: down)?|added|logged|documented|entered|stored|updated|filed|put|removed|deleted|noted)`
	records = `(?:in|into|to|on|from) (?:` + whose + `|\pL+'s) (?:[\pL\d:.-]+ ){0,2}(?:records?|files?|charts?|calendar|diary|notes|schedule)`

	visitsFR  = `(?:rendez-vous|rdv|visite|consultation|séance|réservation|annulation)`
	whoseFR   = `(?:votre|ton|ta|le|la|ce|cette|son|sa|un|une|mon|ma)`
	nowFR     = `(?: (?:bien|donc|déjà|aussi|également|désormais|maintenant|tout juste|de suite))*`
	bookedFR  = `(?:réservé|annulé|planifié|programmé|calé|reporté|déplacé)e?s?`
	settledFR = `(?:` + bookedFR + `|(?:confirmé|fixé|modifié|créé|enregistré|validé)e?s?|prise?s?)`
	writtenFR = `(?:enregistré|noté|inscrit|ajouté|sauvegardé|consigné|écrit|supprimé|saisi|rédigé)e?s?`
	recordsFR = `(?:dans|à|au|sur|de) (?:(?:votre|ton|le|la|son|l'|mon) ?)?(?:dossier|agenda|fiche|calendrier|planning)`
)

var englishClaims = claims{
	language: safety.English,
	made: anyOf(
		`\b(?:i|we)(?:'ve| have)?`+now+` (?:`+booked+`|(?:written|wrote|put|noted) (?:it|this|that|them|everything|all of (?:it|this|that)) down|(?:written|wrote|noted) down)\b`,
		`\b(?:i|we)(?:'ve| have)?`+now+` `+settled+` (?:(?:`+whose+`|an?|you an?) (?:[\pL\d:.-]+ ){0,4}`+visits+`|you in\b)`,
		`\b(?:i|we)(?:'ve| have)?`+now+` (?:`+written+`|wrote|made|left|created) (?:`+whose+`|an?) (?:[\pL\d:.-]+ ){0,3}(?:care )?(?:note|entry)\b`,
		`\b(?:i|we)(?:'ve| have)?`+now+` (?:`+written+`|wrote) [^;:]{0,60}?`+records,
		`\b(?:i|we)(?:'ve| have)?`+now+` (?:saved|recorded|logged|documented|stored) (?:it|this|that|everything|`+whose+` `+notes+`)(?: for you)?\s*(?:[.,!;]|and\b|$)`,
		`\b`+whose+` (?:[\pL\d:.-]+ ){0,3}(?:`+visits+`|slot)\b[^;:]{0,60}?(?: has|'s)(?: now| already| just| also| successfully)* been`+now+` `+settled+`\b`,
		`\b(?:`+whose+`|an?) (?:[\pL\d:.-]+ ){0,3}`+notes+`\b[^;:]{0,60}?(?: has|'s)(?: now| already| just| also| successfully)* been`+now+` `+written+`\b`,
		`\ban? (?:[\pL\d:.-]+ ){0,3}`+visits+`\b[^;:]{0,60}? has(?: now| already| just| also| successfully)* been`+now+` `+settled+`\b`,
		`\b(?:it|that|this|everything)(?:'s| is| has been|'s been)`+now+` (?:`+booked+`|saved|written down|recorded|(?:added|written) `+records+`)(?: (?:for|in|with|on|at|now)\b|\s*(?:[.,!;]|$))`,
		`\b(?:i|we) (?:was able|were able|managed|have managed) to (?:book|schedule|reschedule|re-?book|cancel|reserve|save|write (?:it|this|that) down|secure|arrange)\b`,
		`\b(?:i|we)(?:'ve| have)?`+now+` updated `+whose+` (?:[\pL-]+ ){0,2}(?:records?|file|chart|calendar|diary)\b`,
		`\b(?:i|we)(?:'ve| have)?`+now+` (?:sent|submitted|placed|completed|processed) (?:`+whose+`|an?) (?:[\pL-]+ ){0,3}`+visits+`\b`,
		`\b(?:i|we)(?:'ve| have)?`+now+` put you (?:down|in) (?:for|on|with)\b`,
		`\byou(?:'ve| have) (?:now |just |already )*been (?:`+booked+`|put down)(?: in)?\b`,
		`^(?:done|all done|all set|great|perfect|ok|okay|sure|success)[\s,.!:–—-]+(?:`+booked+`|saved)\b`,
		`^(?:(?:done|all done|all set|great|perfect|ok|okay|sure|good news|success)[\s,.!:–—-]+)?(?:(?:your |the )?(?:`+visits+`|(?:care )?note) (?:successfully )?(?:`+booked+`|confirmed|completed?|saved|added|written)|(?:successfully )?(?:`+booked+`|saved|written down))(?: (?:for|on|with|at|it|your|the|in|to)\b|\s*[.!]|$)`,
	),
	stands: anyOf(
		`\b`+whose+` (?:[\pL\d:.-]+ ){0,3}`+visits+`\b[^;:]{0,60}? (?:is|are)`+now+` `+settled+`\b`,
		`\b`+whose+` (?:[\pL\d:.-]+ ){0,3}`+visits+`'s`+now+` `+settled+`\b`,
		`\b`+whose+` (?:[\pL\d:.-]+ ){0,3}`+notes+`\b[^;:]{0,40}? (?:is|are)`+now+` (?:saved|recorded|written(?: down)?|added|logged|documented)\b`,
		`\b(?:i|we)(?:'ve| have)(?: now| got)? you (?:booked|scheduled|down)(?: in)? (?:for|on|with|at)\b`,
		`\byou(?:'re| are)`+now+` (?:booked|scheduled|rescheduled)(?: in)?\b`,
	),
	told: anyOf(
		`\b(?:`+whose+`|an?) (?:[\pL\d:.-]+ ){0,3}`+visits+`\b[^;:]{0,60}? (?:was|were)`+now+` `+settled+`\b`,
		`\b(?:`+whose+`|an?) (?:[\pL\d:.-]+ ){0,3}`+notes+`\b[^;:]{0,60}? (?:was|were)`+now+` `+written+`\b`,
	),
	not:    lazyregexp.New(`(?i)\b(?:no|not|never|nothing|none|neither|nobody|without|cannot|if|once|when|after|until|before|unless|as soon as|whether|would|could|like|think|thought|said|says)\b|n't\b`),
	of:     lazyregexp.New(`(?i)\b(?:according to|(?:record|file|chart|calendar|diary|note|document)s? (?:says?|shows?|states?|has (?:an?|no|the|your|one|two)|lists?)|i (?:can )?see|on file|listed|your (?:next|upcoming|existing|current|previous|last|earlier|first|only)|the (?:next|upcoming|existing|current|previous|last|earlier|first|only)|earlier|previously|last (?:time|week|month|year|visit)|yesterday|ago|back in|since|in (?:our|the) (?:last|earlier|previous))\b|(?i:` + settled + `|` + written + `) (?:(?:on|in|for|at|with) [^.;]{0,40})?\bby (?:dr|the|your|her|his|phone|calling|\p{Lu})`),
	polite: lazyregexp.New(`(?i)\b(?:no (?:problem|worries|trouble)|not to worry|don't worry|not a problem)\b`),
}

var frenchClaims = claims{
	language: safety.French,
	made: anyOf(
		`(?:^|[\s,(])(?:j'ai|nous avons|on a|je (?:viens|vous ai))(?: de)?`+nowFR+` (?:vous |t'|l')?(?:`+bookedFR+`|réserver|annuler|planifier|programmer)(?:[\s.,!;]|$)`,
		`(?:^|[\s,(])(?:j'ai|nous avons|on a|je vous ai)`+nowFR+` `+settledFR+` (?:`+whoseFR+` )?(?:[\pL'-]+ ){0,3}`+visitsFR,
		`(?:^|[\s,(])(?:j'ai|nous avons|on a)`+nowFR+` pu (?:vous |la |le )?(?:réserver|annuler|planifier|programmer|déplacer|reporter|enregistrer|fixer|prendre)(?:[\s.,!;]|$)`,
		`(?:^|[\s,(])(?:j'ai|nous avons|on a)`+nowFR+` (?:effectué|procédé à|fait|finalisé) (?:`+whoseFR+` |l')?(?:réservation|annulation|prise de rendez-vous|modification)`,
		`(?:^|[\s,(])(?:je vous ai|nous vous avons|on vous a|vous avez été|vous êtes)`+nowFR+` inscrite? (?:pour|à|le|au|chez)(?:\s|$)`,
		`^(?:(?:voilà|fait|parfait|très bien|d'accord|entendu|c'est bon)[\s,.!:–—-]+)?(?:réservé|annulé|enregistré)e?\s*[.!]?$`,
		`(?:^|[\s,(])(?:l'|la |votre )(?:réservation|annulation|prise de rendez-vous) (?:a été|est)`+nowFR+` (?:effectuée|faite|finalisée|validée|terminée)`,
		`(?:^|[\s,(])(?:le|votre|ce) créneau [^;:]{0,40}?(?:a été`+nowFR+` réservé|est`+nowFR+` réservé pour vous)`,
		`(?:^|[\s,(])(?:je l'ai|nous l'avons|je les ai|on l'a)`+nowFR+` (?:`+bookedFR+`|`+writtenFR+`)(?:[\s.,!;]|$)`,
		`(?:^|[\s,(])(?:j'ai|nous avons|on a)`+nowFR+` (?:`+writtenFR+`|laissé|créé|fait) (?:`+whoseFR+`) (?:[\pL'-]+ ){0,2}note\b`,
		`(?:^|[\s,(])(?:j'ai|nous avons|on a|je l'ai)`+nowFR+` `+writtenFR+` [^;:]{0,60}?`+recordsFR,
		`(?:^|[\s,(])`+whoseFR+` (?:[\pL'-]+ ){0,3}`+visitsFR+`[^;:]{0,60}? (?:a|vient)`+nowFR+` (?:été|d'être)`+nowFR+` `+settledFR,
		`(?:^|[\s,(])`+whoseFR+` (?:[\pL'-]+ ){0,3}note\b[^;:]{0,60}? (?:a|vient)`+nowFR+` (?:été|d'être)`+nowFR+` (?:`+writtenFR+`|créée?)`,
		`(?:^|[\s,(])(?:c'est|tout est|ça y est,? c'est)`+nowFR+` (?:réservé|annulé|enregistré|sauvegardé|planifié|inscrit|noté `+recordsFR+`)(?:[\s.,!;]|$)`,
		`^(?:(?:voilà|c'est fait|fait|parfait|très bien|d'accord|entendu)[\s,.!:–—-]+)?(?:votre )?(?:rendez-vous|rdv|visite|consultation|réservation|note) (?:bien )?(?:`+bookedFR+`|prise?|confirmée?|fixée?|enregistrée?|ajoutée?|validée?)(?: (?:pour|le|avec|à|au|dans)(?:\s|$)|\s*[.!]|$)`,
	),
	stands: anyOf(
		`(?:^|[\s,(])`+whoseFR+` (?:[\pL'-]+ ){0,3}`+visitsFR+`[^;:]{0,60}? (?:est|sont)`+nowFR+` `+settledFR,
		`(?:^|[\s,(])(?:votre|ta|la|cette) (?:[\pL'-]+ ){0,2}note\b[^;:]{0,40}? est`+nowFR+` `+writtenFR,
	),
	not:    lazyregexp.New(`(?i)(?:^|[\s'])(?:ne|n'|pas|aucune?|rien|jamais|ni|sans|si|s'il|s'ils|une fois|lorsque|lorsqu'|quand|dès que|après|avant|tant que|jusqu'à|pourrait|serait|aurait)(?:[\s']|$)|n'`),
	of:     lazyregexp.New(`(?i)(?:^|[\s'])(?:selon|d'après|(?:dossier|agenda|note|document|calendrier) (?:indique|montre|dit|mentionne|contient)|je vois|prochaine?|précédente?|dernière?|dernier|existante?|actuelle?|hier|auparavant|la dernière fois|la semaine dernière|il y a|depuis)(?:[\s.,']|$)|(?:` + settledFR + `|` + writtenFR + `) (?:(?:le|en|pour|à|avec) [^.;]{0,40})?par (?:le|la|votre|son|sa|dr|téléphone|l'|\p{Lu})`),
	polite: lazyregexp.New(`(?i)\b(?:pas de (?:souci|problème)s?|aucun (?:souci|problème)|ne vous inquiétez pas|sans problème)\b`),
}

func anyOf(expressions ...string) (out []*lazyregexp.Regexp) {
	for _, e := range expressions {
		out = append(out, lazyregexp.New(`(?i)`+e))
	}
	return out
}
