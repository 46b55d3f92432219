package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// routine says that a message tells of nothing but medicines that somebody takes as they are to be taken or carries, or of what was
// swallowed and harms nobody, in English and
// French: “he has taken his tablets this morning” has the shape of an overdose. One's own, “his”, have no number.
func routine(text string) bool {
	said := strings.Join(scanned(text), " ")
	return takesOwn.MatchString(said) || prendLesSiens.MatchString(said) ||
		wordsOf(said, mostTrifle) <= mostTrifle && !choked.MatchString(said) && (swallowedTrifle.MatchString(said) || avaleRien.MatchString(said) || carried.MatchString(said) || emporte.MatchString(said)) ||
		wordsOf(said, mostTrifle) <= mostTrifle && notSwallowed.MatchString(said) && !ill.MatchString(said) ||
		wordsOf(said, mostShort) <= mostShort && bumped.MatchString(said) && wellAgain.MatchString(said) && !notWell.MatchString(said)
}

// mostTrifle is how many words tell of something that was swallowed and harms nobody, or of medicines that were carried.
const mostTrifle = 20

var (
	swallowedTrifle = lazyregexp.New(`\b(?:swallowed|ate|eaten|drank|licked|chewed) (?:\w+ )?(?:(?:a|an|some|his|her|the|my|one|two|three|whole|bit|bits|piece|mouthful|sip|little|of|entire) )*(?:grapes?|cherry|cherries|plum|olive|date|orange|apple|lemon|melon|watermelon|pumpkin|sunflower|fruit|seeds?|pips?|stones?|pits?|gum|chewing gum|bubble gum|crayons?|chalk|playdough|play dough|plasticine|bath ?water|pool water|sea ?water|rainwater|soup|peas?|sand|mud|grass|snow|paper|tissue|hair|fly|ant|bug|spider|tooth|lollipop|sweets?|candy|toast|banana|carrots?|bread|egg ?shell|bogeys?)\b`)
	avaleRien       = lazyregexp.New(`\b(?:a|ai|jai|ont|davaler|de|dans) (?:\w+ )?(?:avale|avalee|avaler|mange|mangee|manger|bu|boire|leche|croque|gobe) (?:\w+ )?(?:(?:un|une|des|du|de|le|les|l|son|sa|ses|la|petit|petite|bout|morceau|peu|gorgee|grain|tout|entier) )*(?:raisins?|noyaux?|pepins?|cerises?|olives?|prunes?|graines? de (?:pasteque|melon|tournesol|courge)|chewing ?gum|chewinggum|craie|crayons?|pate a (?:modeler|sel)|leau du bain|eau du bain|leau de (?:la piscine|mer)|eau de (?:la piscine|mer)|soupe|petits? pois|sable|terre|herbe|neige|papier|mouchoir|cheveux?|la tasse|mouche|fourmi|moucheron|dent de lait|bonbons?|pain|banane|carottes?|coquille doeuf|tasse)\b`)
	// choked is what makes a danger of it.
	choked  = lazyregexp.New(`\b(?:chok\w*|cough\w*|breath\w*|blue|purple|stuck|gag\w*|wheez\w*|drool\w*|throat|vomit\w*|swell\w*|swollen|rash|limp|sleepy|drowsy|help|kill|die|dead|dying|end|goodbye|sorry|etouff\w*|etrangl\w*|touss\w*|respir\w*|bleue?s?|violet\w*|coince\w*|bloque\w*|siffl\w*|bave\w*|gorge|vomi\w*|gonfl\w*|mou|molle|mourir|mort|adieu|pardon|finir|all|tout|toute|tous|toutes)\b`)
	carried = lazyregexp.New(`\b(?:(?:took|take|brought|bring|carried|sent) (?:\w+ ){0,8}?` + drugs + ` (?:\w+ ){0,4}?(?:to|back to|through) (?:the |my |our |his |her |a )?(?:airport|work|school|office|gym|hotel|station|pharmacy|chemists?|surgery|clinic|ward|customs|security|club|nursery|college|meeting)|(?:packed|forgot|mislaid|left behind|misplaced|unpacked) (?:\w+ ){0,6}?` + drugs + `)\b`)
	emporte = lazyregexp.New(`\b(?:(?:pris|prise|emporte|emportee|amene|apporte|rapporte|oublie|range|laisse|mis) (?:\w+ ){0,6}?` + drogues + ` (?:\w+ ){0,4}?(?:a|au|aux|dans|en|pour) (?:la |l |le |ma |mon |les )?(?:laeroport|aeroport|bureau|travail|boulot|lecole|ecole|salle|lhotel|hotel|gare|pharmacie|cabinet|clinique|valise|sac|bagages?|douane|voyage|partir)|(?:emporte|emportee|emballe|oublie|egare) (?:\w+ ){0,6}?` + drogues + `)\b`)
)

// notSwallowed says that nothing was swallowed after all; who bumped themselves and plays again is well.
var (
	notSwallowed = lazyregexp.New(`\b(?:didnt|did not|hasnt|has not|havent|never) (?:actually |really )?(?:(?:swallow(?:ed)?|ingest(?:ed)?) (?:any|anything|it)|(?:eat|eaten|drink|drunk) (?:it|any of (?:it|them)))\b|\b(?:nobody|no one|noone|none of (?:them|us|the children|the kids)) (?:took|ate|swallowed|drank|has (?:taken|eaten|swallowed|drunk)) (?:any|anything|it|one)\b|\b(?:nen a|nen ai|nen ont) (?:\w+ )?(?:pas|jamais) (?:\w+ )?(?:avale|mange|bu|ingere|pris)\b`)
	ill          = lazyregexp.New(`\b(?:since|days?|weeks?|depuis|jours?|semaines?|food|meals?|repas|insulin\w*|chok\w*|breath\w*|blue|vomit\w*|drowsy|sleepy|limp|wake|woken|hides?|hiding|hid|die|kill|respir\w*|bleue?s?|vomi\w*|somnole\w*|mou|molle|reveill\w*|cache\w*|mourir|tuer)\b`)
	bumped       = lazyregexp.New(`\b(?:bumped|banged|knocked|grazed|scraped|stubbed|fell|tripped|slipped|tumbled|toppled|cogne|cognee|tombe|tombee|glisse|glissee|trebuche|erafle|eraflee|ecorche|ecorchee)\b`)
	wellAgain    = lazyregexp.New(`\b(?:(?:went|gone|got) (?:straight |right |happily )?back to (?:his|her|the|playing|work|sleep|school)|back (?:to playing|on (?:his|her|the) (?:bike|feet|swing|slide))|playing (?:again|happily)|running (?:around|about|round)|laughing|giggling|smiling|laughed|(?:is|was|seems|hes|shes|im) (?:absolutely |totally |perfectly |completely )?(?:fine|ok|okay)(?: now)?|right as rain|no harm done|all (?:fine|good|well|ok|okay|clear)|discharged|nothing (?:broken|serious)|retournee? (?:a|jouer|dans|au)|reparti(?:e|s)? (?:jouer|en courant|au|a)|rejoue|rit|rigole|sourit|gambade|plus de peur que de mal|va (?:tres )?bien|rien de (?:grave|casse))\b`)
	notWell      = lazyregexp.New(`\b(?:vomit\w*|sick|sleepy|drowsy|confused|dizzy|unconscious|passed out|knocked out|fainted|blood|bleeding|thinners?|anticoag\w*|apixaban|warfarin|pushed|shoved|hit|thrown|dropped|stairs|window|cries|bruise[sd]?|again and again|die|dead|kill|vomi\w*|somnole\w*|confuse?|inconsciente?|evanouie?|sang|saigne\w*|pousse\w*|frappe\w*|jete\w*|escaliers?|fenetre|bleus|hematomes?|coup|coups|mourir|mort|tuer)\b`)
)

const (
	drugs   = `(?:pills|tablets?|meds|medication|medications|medicines?|metformin|insulin|inhaler|epipen|antibiotics|capsules|statins?|warfarin|prescription|drops)`
	drogues = `(?:cachets?|comprimes?|medicaments?|medocs|metformine|insuline|ventoline|inhalateur|antibiotiques?|gelules?|ordonnance|gouttes|traitement)`
)

var (
	takesOwn = lazyregexp.New(`^(?:(?:today|tonight|yes|so|ok|note|fyi|this morning|last night|this evening) )*(?:(?:the|my|our|mr|mrs|ms|miss) )?(?:\w+ ){0,2}?(?:(?:says|said|confirms|confirmed|reports|reported|tells me|promises|promised)(?: that)? (?:\w+ )?)?` +
		`(?:(?:has|have|had|hes|shes|theyve|hell|shell|theyll|will|is going to|going to|already|always|usually|just|now) )*(?:take|takes|took|taken|taking|swallowed) (?:his|her|their|the)(?: (?:usual|morning|evening|night|bedtime|lunchtime|regular|daily|weekly|last|first|second|new|prescribed|blood|pressure|heart|water|pain|thyroid|diabetes))*` +
		` (?:meds?|medications?|medicines?|tablets?|pills?|capsules?|insulin|inhaler|drops|antibiotics?|dose)(?: (?:today|tonight|now|already|again|daily|this (?:morning|evening|afternoon)|last night|in the (?:morning|evening)|every (?:day|morning|night|evening)|on time|as (?:prescribed|usual|directed)|with (?:water|food|breakfast|lunch|dinner|(?:his|her|a|some) (?:tea|coffee|breakfast|meal|lunch|dinner|water|juice))|at \w+|before bed|after (?:breakfast|lunch|dinner)))*$`)
	prendLesSiens = lazyregexp.New(`^(?:(?:bon|ok|oui|note|ce matin|ce soir|ce midi|hier|hier soir|aujourdhui|a midi|a table) )*(?:(?:le|la|les|mon|ma|mes|mme|mr|m|monsieur|madame) )?(?:\w+ ){0,2}?(?:(?:dit|confirme|assure) (?:quil|quelle|avoir) )?` +
		`(?:(?:a|ont|va|vont|bien|deja|toujours|encore|tout juste) )*(?:pris|prend|prennent|prendra|prendre|avale) (?:bien )?(?:son|sa|ses|leur|leurs|le|la|les)(?: (?:bon|bons|deux|trois|premier|premiere))? (?:traitements?|medicaments?|medocs?|cachets?|comprimes?|gelules?|gouttes|antibiotiques?|insuline|doses?|pilule)` +
		`(?: (?:habituels?|prescrits?|quotidiens?|(?:du|de|ce|le|au|a) (?:matin|soir|midi|coucher|repas|petit dejeuner|jour|la journee)|aujourdhui|hier|hier soir|comme (?:prescrit|prevu|dhabitude|tous les (?:jours|matins|soirs))|tous les (?:jours|matins|soirs)|avec (?:de leau|un (?:verre deau|cafe|the)|son (?:cafe|the|repas))|et (?:son|sa) (?:cafe|the|repas|petit dejeuner|soupe)|sans (?:probleme|difficulte)|a l? ?heure|a lheure))*$`)
)
