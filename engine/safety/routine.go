package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// routine says that a message tells of nothing but medicines that somebody takes as they are to be taken, in English and
// French: “he has taken his tablets this morning” has the shape of an overdose. One's own, “his”, have no number.
func routine(text string) bool {
	said := strings.Join(scanned(text), " ")
	return takesOwn.MatchString(said) || prendLesSiens.MatchString(said)
}

var (
	takesOwn = lazyregexp.New(`^(?:(?:today|tonight|yes|so|ok|note|fyi|this morning|last night|this evening) )*(?:(?:the|my|our|mr|mrs|ms|miss) )?(?:\w+ ){0,2}?(?:(?:says|said|confirms|confirmed|reports|reported|tells me|promises|promised)(?: that)? (?:\w+ )?)?` +
		`(?:(?:has|have|had|hes|shes|theyve|hell|shell|theyll|will|is going to|going to|already|always|usually|just|now) )*(?:take|takes|took|taken|taking|swallowed) (?:his|her|their|the)(?: (?:usual|morning|evening|night|bedtime|lunchtime|regular|daily|weekly|last|first|second|new|prescribed|blood|pressure|heart|water|pain|thyroid|diabetes))*` +
		` (?:meds?|medications?|medicines?|tablets?|pills?|capsules?|insulin|inhaler|drops|antibiotics?|dose)(?: (?:today|tonight|now|already|again|daily|this (?:morning|evening|afternoon)|last night|in the (?:morning|evening)|every (?:day|morning|night|evening)|on time|as (?:prescribed|usual|directed)|with (?:water|food|breakfast|lunch|dinner|(?:his|her|a|some) (?:tea|coffee|breakfast|meal|lunch|dinner|water|juice))|at \w+|before bed|after (?:breakfast|lunch|dinner)))*$`)
	prendLesSiens = lazyregexp.New(`^(?:(?:bon|ok|oui|note|ce matin|ce soir|ce midi|hier|hier soir|aujourdhui|a midi|a table) )*(?:(?:le|la|les|mon|ma|mes|mme|mr|m|monsieur|madame) )?(?:\w+ ){0,2}?(?:(?:dit|confirme|assure) (?:quil|quelle|avoir) )?` +
		`(?:(?:a|ont|va|vont|bien|deja|toujours|encore|tout juste) )*(?:pris|prend|prennent|prendra|prendre|avale) (?:bien )?(?:son|sa|ses|leur|leurs|le|la|les)(?: (?:bon|bons|deux|trois|premier|premiere))? (?:traitements?|medicaments?|medocs?|cachets?|comprimes?|gelules?|gouttes|antibiotiques?|insuline|doses?|pilule)` +
		`(?: (?:habituels?|prescrits?|quotidiens?|(?:du|de|ce|le|au|a) (?:matin|soir|midi|coucher|repas|petit dejeuner|jour|la journee)|aujourdhui|hier|hier soir|comme (?:prescrit|prevu|dhabitude|tous les (?:jours|matins|soirs))|tous les (?:jours|matins|soirs)|avec (?:de leau|un (?:verre deau|cafe|the)|son (?:cafe|the|repas))|et (?:son|sa) (?:cafe|the|repas|petit dejeuner|soupe)|sans (?:probleme|difficulte)|a l? ?heure|a lheure))*$`)
)
