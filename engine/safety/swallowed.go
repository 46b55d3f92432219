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

// With is the category where somebody else, such as a model, names another of the same message: a danger to one's own life
// whose means were swallowed gets the poison line as well. Nothing else changes what was found.
func (c Category) With(named Category) Category {
	if named == Overdose || named == Poisoned {
		switch c {
		case Intent, Plan, Means, SelfHarm:
			return Overdose
		}
	}
	return c
}
