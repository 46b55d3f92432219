package safety

import (
	"strings"

	"holdpoint/engine/lazyregexp"
)

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

// minor is whom somebody tells of by an age below 18, or as one who goes to school, as package safety scans words.
var minor = lazyregexp.New(` (?:(?:a|an|my|our|the|this|une?|m[ao]n?|cette|cet|ce) (?:\w+ )?(?:\d|1[0-7]) ?(?:years?|yrs?|y|months?) ?o(?:ld)? |(?:girl|boy|child|kid|patient|patiente|pt|client|cliente|niece|nephew|cousin|cousine|daughter|son|sister|brother|friend|fille|fils|garcon|enfant|eleve|niece|neveu|soeur|frere|amie?|jeune|ado|student) (?:who is |qui a |is |aged |agee? |de )*(?:\d|1[0-7]) (?:ans? )?|(?:a|an|my|our|the|this|of my|of our) (?:\w+ )?(?:pupils?|toddler|schoolgirl|schoolboy) |(?:une?|m[ao]n?|mes|cette|cet|notre) (?:\w+ )?(?:eleves?|ecoliere?|collegienne?|lyceenne?) )`)

// ofMinor says that a message tells of somebody who is no adult.
func ofMinor(text string) bool {
	return minor.MatchString(" " + strings.ReplaceAll(strings.Join(scanned(text), " "), "œ", "oe") + " ")
}
