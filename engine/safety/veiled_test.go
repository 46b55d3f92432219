package safety

import (
	"slices"
	"testing"
)

// spoken are messages that a first version let pass: some have none of the usual words.
var spoken = []struct {
	text     string
	category Category
	speaker  Speaker
	hinted   bool // without usual words: the meaning tells them as well
}{
	{"his hands around my throat", Abuse, Self, false},
	{"the gun is loaded", Means, Self, false},
	{"the voices tell me to hurt my baby", Voices, Self, false},
	{"I have the pills next to me", Means, Self, false},
	{"my stepdad comes in my room when mums on nights", ChildAbuse, Self, true},
	{"been thinking about how id do it all week, know exactly where too", Plan, Self, true},
	{"Community nurse here, he has laid out all his morphine patches for tonight", Means, Clinician, true},
	{"he has laid out all his morphine patches for tonight", Means, Other, true},
}

// "I said that the gun is loaded, and it asked about my sleep." "I am a nurse, he has laid out his
// patches for tonight, and it wrote a note." Each is helped for what it tells, with no model anywhere.
func TestVeiled_WhatWasLetPassIsHelpedByRulesAndWords(t *testing.T) {
	for _, s := range spoken {
		a := Offline.Assess(s.text)
		if a.Level != Intervene || a.Category != s.category || a.Speaker != s.speaker || !slices.Contains(a.Found(), TierRules) {
			t.Errorf("%q is %s about %s by %s, found by %v", s.text, a.Level, a.Category, a.Speaker, a.Found())
		}
		if s.hinted && !slices.Contains(a.Found(), TierWords) {
			t.Errorf("%q: the words see nothing: %+v", s.text, a.Tiers)
		}
	}
}

// "Nobody had thought of my words, and so nobody heard me." Who uses none of the usual words is heard
// by what they mean, where no rule and no turn of phrase is asked.
func TestVeiled_WhoUsesNoUsualWordsIsHeardByMeaningAlone(t *testing.T) {
	tiers := withMeaning(t).Tiers
	for _, s := range spoken {
		if r := tiers[len(tiers)-1].Read(s.text); s.hinted && (r.Tier != TierMeaning || r.Level == Calm || len(r.Reasons) == 0) {
			t.Errorf("%q: %+v", s.text, r)
		}
	}
}
