package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

// ailing says that a message is of somebody's ordinary complaints, in French and English: “il tousse et il ne mange
// plus” has the shape of despair.
func ailing(text string) bool {
	said := strings.Join(scanned(text), " ")
	return complaint.MatchString(said) && noLonger.MatchString(said)
}

var (
	complaint = lazyregexp.New(`\b(?:tousse|mal (?:au|aux|a la|a l)|fievre|rhume|grippe|angine|vomit|diarrhee|coughs?|coughing|fever|flu|sore|aches?|hurts?|bad (?:back|knee|hip))\b`)
	noLonger  = lazyregexp.New(`\b(?:dort|mange|boit|marche|voit|entend|sort|parle|joue) (?:plus|pas|presque plus|guere)\b|\b(?:not|longer|doesnt|stopped|hardly|cant) (?:sleep|eat|drink|walk|see|hear|sleeping|eating|walking|sleeps|eats|walks)\b`)
)
