package safety

import "strings"

// The words by which somebody tells of violence that another person does or threatens.
var (
	hitting   = wordSet(strings.Fields("hit hits hitting slap slaps slapped punch punches punched beat beats kicked kicks strangled strangles choked chokes throat shoves shoved raped frappe frappee gifle giflee cogne bat battue etrangle etranglee viole violee gorge tabasse"))
	threatens = wordSet(strings.Fields("drown smother stab shoot rifle gun poison noyer etouffer poignarder tirer fusil empoisonner"))
)

// violence is the category of a report in which only the meaning saw danger: to the help for whoever is
// hit or threatened leads another way than to that for who wants to die.
func violence(text string) Category {
	for _, word := range scanned(text) {
		switch {
		case threatens[word]:
			return HarmOthers
		case hitting[word]:
			return Abuse
		}
	}
	return Intent
}
