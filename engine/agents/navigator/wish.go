package navigator

import (
	"slices"
	"strings"

	"holdpoint/engine/encoder"
	"holdpoint/engine/lazyregexp"
)

// asksFor says whether a message asks for the change that a tool makes, or agrees to one that was
// offered before: goesOn says that there was a before. A very small model proposes no other change.
func asksFor(tool, message string, goesOn bool) bool {
	message = straight.Replace(message)
	if asksIt(tool, message) {
		return true
	}
	if !goesOn || len(message) > longestYes || !agrees.MatchString(message) {
		return false
	}
	for other := range changes { // “please book a visit” agrees to no note
		if asksIt(other, message) {
			return false
		}
	}
	return true
}

// asksIt says that a message has the words that ask for the change of a tool.
func asksIt(tool, message string) bool {
	for _, s := range askSentences.Split(message, -1) {
		if s = denied.ReplaceAllString(s, " "); asksWhat.MatchString(s) && !asksWhether.MatchString(s) {
			continue
		}
		if slices.ContainsFunc(changes[tool], func(r *lazyregexp.Regexp) bool { return r.MatchString(s) }) {
			return true
		}
	}
	return false
}

// offers says that a reply asks whether it should change something: a yes to it asks for that.
func offers(reply string) bool {
	reply = straight.Replace(reply)
	for _, s := range encoder.Sentences(reply) {
		if !strings.HasSuffix(strings.TrimSpace(s), "?") {
			continue
		}
		for _, list := range changes {
			if slices.ContainsFunc(list, func(r *lazyregexp.Regexp) bool { return r.MatchString(s) }) {
				return true
			}
		}
	}
	return false
}

// longestYes is how long a message is that only agrees.
const longestYes = 80

var (
	askSentences = lazyregexp.New(`[.!?;]+\s+|\n+`)
	agrees       = lazyregexp.New(`(?i)^\W*(?:yes|yep|yeah|yup|ok(?:ay)?|sure|please do|go ahead|go on|do (?:it|that|so)|that(?:'s| is| one is) (?:fine|good)|(?:that|this) works|(?:that|this|the (?:first|second|last)) one|sounds good|perfect|agreed|please|oui|d'accord|vas-y|allez-y|fai(?:s|tes)-le|volontiers|parfait|entendu|bien sûr|(?:le|la) (?:premi[èe]re?|deuxi[èe]me|derni[èe]re?)|s'il (?:te|vous) pla[îi]t|ça (?:me )?va|ça (?:me )?convient)(?:[^\pL]|$)`)
	// denied is what the person does not want.
	denied = lazyregexp.New(`(?i)\b(?:do not|don't|never|no need to|not to|without|rather than|instead of|ne\b|n'|sans\b|inutile d[e']|pas besoin d[e'])[^.,;!?]{0,50}`)
	// asksWhat begins a sentence that only asks, asksWhether is one that asks for something politely.
	asksWhat    = lazyregexp.New(`(?i)^\W*(?:(?:and|but|so|then|also|et|mais|alors) )?(?:what|which|who|whom|whose|when|where|why|how|did|does|do|has|have|had|is|are|was|were|am|quel|quelle|quels|quelles|qui|que|quand|o[ùu]|pourquoi|comment|combien|est-ce|qu'est|qu'a|a-t|as-tu|avez-vous|ont|y a-t|est-(?:il|elle))\b`)
	asksWhether = lazyregexp.New(`(?i)\b(?:possible|able|could you|can you|can we|would you|will you|mind|willing|how about|what about|why (?:don't|not)|que (?:tu|vous|je|nous|l'on|on) (?:peu|pui|pour)\pL*|peu[xt]|peut-on|pouvez|pourr\pL*|pourrais|et si)\b|^\W*(?:(?:and|but|so) )?(?:who|when) (?:can|could)\b.*\band\b`)
)

const (
	aVisit   = `(?:appointments?|visits?|slots?|sessions?|consultations?|meetings?|check-?ups?|follow-?ups?|reviews?|reservations?|bookings?|appts?|time (?:with|for|on|to see))\b`
	aVisitFR = `(?:rendez-vous|rendez vous|rdv|visite|consultation|séance|cr[ée]neau|r[ée]servation|contr[ôo]le)`
	aNote    = `(?:notes?|records?|charts?|files?|entry|entries|down)\b`
	aNoteFR  = `(?:notes?|dossier|fiche|mention)\b`
	moves    = `(?:re-?schedul(?:e|ing)|mov(?:e|ing)|postpon(?:e|ing)|put off|(?:bring|push|put) (?:\w+ ){1,3}(?:forward|back|off)|(?:chang(?:e|ing)|swap|switch)\b.{0,40}\b` + aVisit + `|d[ée]plac(?:e[rz]?|ons)|report(?:er|ez|ons)|d[ée]cal(?:e[rz]?|ons)|repouss(?:e[rz]?|ons)|avanc(?:er|ez|ons))\b`
)

// changes are the words that ask for the change of a tool.
var changes = map[string][]*lazyregexp.Regexp{
	"book_appointment": {
		lazyregexp.New(`(?i)\b(?:re-?)?book\b|\b(?:re-?)?booking (?:him|her|them|me|us|a|an)\b|\b(?:re-?)?schedul(?:e|ing) (?:a|an|the|him|her|them|me|us|it|this|that|another|my|his|their|our|for|something|with|mr|mrs|ms|\p{Lu})|\b(?:reserve|arrange|organi[sz]e|set (?:\w+ )?up|fix (?:me |him |her |them |us )?(?:up|an?))\b`),
		lazyregexp.New(`(?i)\b(?:make|making|get|getting|want|wants|need|needs|like|find|give|plan|have|request|take|sort out|propose|suggest)\b.{0,60}\b` + aVisit),
		lazyregexp.New(`(?i)\b(?:want|wants|need|needs|like|get|let|has|have|ought|should|must|can|could)\b.{0,30}\b(?:see|seen by|in with|talk to|speak (?:to|with)|consult)\b`),
		lazyregexp.New(`(?i)\b` + moves),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:r[ée]serv(?:e[rz]?|ons)|planifi(?:e[rz]?|ons)|programm(?:e[rz]?|ons)|organis(?:e[rz]?|ons)|cal(?:e[rz]?|ons)|prévo(?:i[rs]|yez))(?:[^\pL]|$)`),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:pren(?:d|ds|dre|ez|ons)|fix|donn|obten|obtien|veu[xt]|voudr|voul|souhait|faut|faudr|besoin|aimer|trouv|cherch|propos)\pL*.{0,60}` + aVisitFR),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:veu[xt]|voudr\pL*|souhait\pL*|faut|faudr\pL*|besoin|aimer\pL*|doit|devr\pL*)(?:[^\pL]).{0,30}(?:voir|consulter|parler)`),
	},
	"cancel_appointment": {
		lazyregexp.New(`(?i)\b(?:cancel(?:l?ing)?|call(?:ing)? (?:\w+ ){0,3}off)\b|\b(?:drop|delete|remove|scrap|get rid of)\b.{0,40}\b` + aVisit + `|\b` + moves),
		lazyregexp.New(`(?i)\b(?:can't|cannot|won't|will not|unable to|not able to) (?:make|come|attend|be there|keep)\b`),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:annul(?:e[rz]?|ons)|d[ée]command(?:e[rz]?|ons)|supprim(?:e[rz]?|ons)|retir(?:e[rz]?|ons)|lib[ée]r(?:e[rz]?|ons))(?:[^\pL]|$)`),
	},
	"add_care_note": {
		lazyregexp.New(`(?i)\b(?:add|adding|write|writing|make|making|leave|put|putting|take|enter|create|draft|file|save|log|append|prepare|propose|start|include|attach|update)\b.{0,80}\b` + aNote),
		lazyregexp.New(`(?i)\b(?:note|record|document|log|write|jot|put|chart|register) (?:that|this|it|down|how|what|the|my|her|his|their|an?|as|in)\b|^\W*(?:(?:please|pls|kindly|can you|could you|would you|also) )*(?:note|record|document|log|chart|write|add|jot)\b|\b(?:to|please|also|and|you|should|must|want|let's|we|i'd like to) (?:note|record|document|log|chart|write|jot)\b|\b(?:keep|make) a (?:record|note)\b|\bcare note ?:`),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:ajout|inscri|r[ée]dig|enregistr|consign|mett|met[sz]?|laiss|pren[dse]|[ée]cri|cr[ée]e|saisi|fai)\pL*.{0,80}(?:^|[^\pL])` + aNoteFR),
		lazyregexp.New(`(?i)(?:^|[^\pL])(?:not(?:e|er|ez|ons)|consign(?:e[rz]?|ons)|[ée]cri(?:s|re|vez|vons)|inscri(?:s|re|vez|vons)|enregistr(?:e[rz]?|ons)|document(?:e[rz]?|ons))(?: bien| donc| aussi)? ?(?:que|qu'|ceci|cela|ça|:|dans|au|le |la |l'|son |sa |ses )|^\W*(?:notez|noter|consignez|inscrivez)\b`),
	},
}
