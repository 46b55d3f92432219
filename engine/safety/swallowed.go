package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// Words by which a message tells that somebody has taken what may kill them: it is in the body, so that the poison
// line and the emergency number help before any other.
var (
	swallowedWord = `(?:took|taken|swallowed|downed|necked|drank|drunk|ingested|gulped|eaten|ate|injected|pris|prise|prises|avale|avalee|avaler|bu|boire|gobe|ingere|ingeree|absorbe|mange|sest injecte|injecte|viens de prendre|vient de prendre)`
	swallowedWhat = `(?:pills|tablets|meds|medications?|medicines?|capsules|painkillers?|paracetamols?|tylenol|ibuprofens?|aspirins?|morphine|methadone|insulin|antidepressants?|benzos?|xanax|opiates|opioids?|sedatives?|bleach|antifreeze|weedkiller|cleaner|acid|poison|overdose|box|packet|pack|strip|bottle|amitriptyline|metformin|warfarin|propranolol|sertraline|citalopram|tramadol|codeine|zopiclone|diazepam|lithium|quetiapine|digoxin|venlafaxine|oxycodone|petrol|detergent` +
		`|cachets|comprimes|medicaments|medocs|pilules|gelules|somniferes|doliprane|morphine|insuline|antidepresseurs?|anxiolytiques?|javel|antigel|desherbant|deboucheur|detartrant|acide|boites?|plaquettes?|flacon|xanax|lexomil|metformine|warfarine|sertraline|amitriptyline|paracetamols?|ibuprofenes?|tramadol|codeine|lithium|valium|seresta|zolpidem|produit)`
	swallowedIt = lazyregexp.New(`\b` + swallowedWord + ` (?:\w+ ){0,7}?` + swallowedWhat + `\b|\b(?:overdosed|oded|od d on|odd on|took an od)\b|\b(?:has|have|had|ive|took|taken|a fait|fait) (?:\w+ )?(?:an |une )?(?:overdose|surdose)\b`)
	byMistake   = lazyregexp.New(`\b(?:by (?:mistake|accident)|accidentally|mistook|mixed up|instead of|twice|par (?:erreur|accident|megarde)|sest trompee?|confondu|deux fois|au lieu d)\b`)
)

// inBody is the category of a danger to somebody's life where they have swallowed the means: a poisoning where it was
// a mistake, else an overdose.
func (c Category) inBody(text string) Category {
	switch c {
	case Intent, Plan, Means, SelfHarm:
	default:
		return c
	}
	if len(strings.Fields(text)) > mostReport {
		return c // in a story somebody takes their tablets in passing
	}
	said := strings.Join(scanned(text), " ")
	switch {
	case !swallowedIt.MatchString(said):
		return c
	case byMistake.MatchString(said):
		return Poisoned
	}
	return Overdose
}

// lifeless says that somebody cannot be woken, does not breathe as usual, does not move or has a fit.
var lifeless = lazyregexp.New(`\b(?:unconscious|unresponsive|lifeless|limp|floppy|comatose|coma|collapsed|unrous\w+|passed out|blacked out|seizing|convuls\w+|seizures?|gasping|gurgling|(?:having|had|has|in) (?:a |some kind of )?fits?|fitting|(?:gone|turned|turning|went|is|lips are|lips) (?:blue|grey|purple)|out cold` +
	`|(?:not|isnt|isn|wont|doesnt|didnt|cant|cannot|couldnt|stopped|barely|hardly|never|arent|unable to|impossible to|fails? to|tried to|no longer|trouble|struggling to)(?: \w+){0,3}? (?:wak(?:e|es|ing|en)|woken|breath(?:e|es|ing)|mov(?:e|es|ing)|respond(?:s|ing)?|react(?:s|ing)?|rous(?:e|es|ing|ed)|com(?:e|ing) (?:to|round)|stir(?:ring)?|open(?:ing)? (?:his|her|their) eyes|answer(?:s|ing)?)|no pulse|no breath|slow breathing|breathing (?:\w+ )?(?:slow\w*|shallow|funny|badly|strange\w*)|snoring (?:strange\w*|weird\w*)` +
	`|inconscient\w*|evanoui\w*|inanime\w*|inerte|(?:tout|toute|devenue?|est) (?:mou|molle|bleue?|violette?|grise?)|comateu\w*|convuls\w*|crise (?:depilepsie|convulsive)|perdu connaissance|sans connaissance|dans le coma|ralait?|rale|(?:levres|visage) (?:sont |est )?(?:bleue?s?|violettes?)|suffoque|agonise` +
	`|(?:respir\w*|reveill\w*|boug\w*|reagi\w*|repond\w*|ouvre)(?: \w+){0,2}? (?:plus|pas|mal|a peine|difficilement)|(?:pas|plus|peux|impossible|narrive|arrive|arrivons)(?: \w+){0,3}? (?:reveiller|respirer|bouger)|ne (?:se )?(?:respire|reveille|bouge|reagit|repond) (?:plus|pas)|pas de pouls|plus de pouls)\b`)

// emptied are what stands beside somebody who cannot say what they took, or is in them without a word for taking.
var emptied = lazyregexp.New(`\b(?:(?:empty|emptied|open) (?:\w+ ){0,3}?(?:box(?:es)?|packets?|packs?|bottles?|blisters?|strips?|foils?|syringes?)|(?:box(?:es)?|packets?|packs?|bottles?|blisters?|syringes?|needles?|strips?|pills|tablets|packaging) (?:\w+ ){0,4}?(?:empty|beside|next to|by|around|all over|in (?:his|her|their))|(?:boites?|plaquettes?|flacons?|blisters?|bouteilles?|tube) (?:\w+ ){0,4}?(?:vides?|a cote|pres de|par terre)|(?:seringue|aiguille|garrot)s?|overdose|overdosed|overdosing|surdose|od|oded|poison\w*|intoxi\w*|empoisonn\w*|needle|fentanyl|heroin|heroine|methadone|morphine|ghb|shot up|injected)\b`)

// unresponsive is the category of a danger to the body or the life of somebody else who took something and cannot be
// woken, breathes badly or has a fit, in whatever order that is told: there the emergency number comes first, and
// nobody asks them what they meant.
func (c Category) unresponsive(text string) Category {
	switch c {
	case Intent, Plan, Means, SelfHarm, Overdose, Poisoned, Medical:
	default:
		return c
	}
	if longer(text) {
		return c
	}
	said := strings.Join(scanned(text), " ")
	if (swallowedIt.MatchString(said) || emptied.MatchString(said)) && lifeless.MatchString(said) && ofBody(text) != Self {
		return Unresponsive
	}
	return c
}

// With is the category where somebody else, such as a model, names another of the same message: a danger to one's own life
// whose means were swallowed gets the poison line as well, and so does an emergency of the body. Nothing else changes what was found.
func (c Category) With(named Category) Category {
	if named == Overdose || named == Poisoned {
		switch c {
		case Intent, Plan, Means, SelfHarm:
			return Overdose
		case Medical:
			return Unresponsive
		}
	}
	return c
}
