package companion

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// What is said to the help after a sign of danger: that somebody is safe, that it was long ago or a joke, whom they called.
var ofDanger = lazyregexp.New(`\b(?:safe|safer|unharmed|in danger|any danger|no danger|secure|out of the woods|supervised|under control|sorted|handled|dealt with|(?:watching|looking after|look after|taking care of|takes care of|took care of) (?:him|her|them|it|me|that|this)|with (?:his|her|my|their|our) \w+ (?:now|right now)|(?:is|are|am|im|hes|shes|theyre|stays?|staying) (?:\w+ )?with (?:him|her|them|me|us)|with (?:him|her|them|me|us) (?:now|right now)|` +
	`(?:is|are|am|im|hes|shes|its|theyre|were|feel|feels|feeling|doing) (?:\w+ ){0,2}(?:fine|ok|okay|alright|all right|better|stable|good|calm|calmer|well)|` +
	`jok(?:e|es|ing|ed)|kidding|sarcas\w*|exaggerat\w*|figure of speech|(?:said|wrote|saying) (?:it |that )?(?:like that|for fun)|misunder\w+|got (?:me|it|that) wrong|(?:did ?nt|dont|do not|did not|not|never) (?:really |actually |literally )?(?:mean|meant)|(?:wont|will not|would ?nt|not going to|not gonna|never gonna|would never|will never) (?:do|hurt|kill|harm|try)|` +
	`thanks?|thank you|thx|ty|cheers|hot ?line|help ?line|ambulance|hospital|emergency|paramedics?|doctors?|gp|nurse|therap\w+|counsell?ors?|psych\w+|police|` +
	`(?:i|we|ive|weve|he|she|they|mum|mom|dad) (?:have |has |already |just |then )*(?:called|rang|phoned|texted|contacted|dialled|dialed)|` +
	`cut|cuts|cutting|hurt(?:ing|s)? (?:himself|herself|myself|themsel\w+|him|her|me)|self ?harm\w*|suicid\w*|kill\w*|die|dying|dead|scars?|wounds?|blades?|razors?|pills|overdose|` +
	`en securite|hors de danger|aucun danger|pas (?:en )?danger|sain et sauf|sen occupe|soccupe (?:de lui|delle|de moi)|regle|saine et sauve|(?:va|vais|vont|est|suis|sens|sent|ira) (?:\w+ ){0,2}(?:bien|mieux|calme|calmee?|stable)|ca (?:va|ira)|avec (?:lui|elle|moi|nous) (?:la|maintenant)|` +
	`blagu\w*|plaisant\w*|rigol\w*|deconn\w*|exager\w*|mal compris|malentendu|facon de parler|(?:dit|disais|ecrit) (?:ca )?(?:comme ca|pour rire)|(?:pas|rien) (?:de )?(?:serieux|grave)|(?:je|j|il|elle|on) (?:ne |n|le |la )*(?:ferai|fera|ferais|ferait|vais|va) (?:jamais|pas|rien)|(?:voulais|voulait) pas dire|` +
	`merci|mercii+|urgences?|hopital|medecins?|infirmi\w+|psys?|psycho\w*|pompiers|samu|(?:jai|jl ai|je les ai|je lai|je l ai|on a|on les a|il a|elle a|nous avons) (?:deja |bien |juste )?(?:appele\w*|rappele\w*|contacte\w*|telephone)|` +
	`coup(?:e|es|er|ait|ures?)|scarifi\w*|mutil\w*|tuer|tue|mourir|mort|cicatrices?|plaies?|lames?|cachets|medicaments)\b|` +
	`^(?:(?:and|but|no|oh|well|non|mais|en fait|actually|dont worry|tkt|t inquiete) )*(?:that|it|this|all that|cetait|ca|cela|c etait|ce n?est|cest|cest arrive|thats|its)(?: all| just| only| deja| tout)? (?:was|were|happened|(?:is|s)? ?(?:over|past|finished|long ago|in the past|old)|stopped|etait|date|remonte|s ?est passe|sest passe|fini|termine|passe|du passe|arrive|vieux|ancien|il y a|le (?:mois|an))\b|` +
	`^(?:\w+ )?(?:il|elle|he|she|i|we|jai|on) (?:\w+ )?(?:stopped|arrete|plus recommence)$|\b(?:long|months?|weeks?|years?|days?) ago$`)

// leastLeft is how many words of a message tell something after it answered the help.
const leastLeft = 3

// besideHelp is what a message says besides what it answers to the help before it; "" where that is nothing:
// “he is safe, that was last month” tells nobody what is going on.
func besideHelp(message string) string {
	var rest strings.Builder
	words, dropped, from := 0, false, 0
	ends := append(clause.FindAllStringIndex(message, -1), []int{len(message), len(message)})
	for _, end := range ends {
		if text := typed(message[from:end[0]]); ofDanger.MatchString(text) {
			dropped = true
		} else if !placeNothing.MatchString(text + " ") {
			rest.WriteString(message[from:end[1]])
			words += len(strings.Fields(text))
		}
		from = end[1]
	}
	switch {
	case !dropped:
		return message
	case words < leastLeft:
		return ""
	}
	return strings.TrimSpace(rest.String())
}
