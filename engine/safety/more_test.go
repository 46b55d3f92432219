package safety_test

import (
	"testing"

	"holdpoint/engine/safety"
)

// "My son is Swiss and wrote in German that he wants to die. It asked which class he is in."
func TestCompanion_C30_PlainWordsOfOtherLanguagesAreHeardByTheRules(t *testing.T) {
	for _, text := range []string{
		"Ich will sterben, ich halte es nicht mehr aus", "Ich bringe mich um", "Ich möchte einfach nicht mehr leben", "ich habe Suizidgedanken und weiß nicht weiter",
		"ik wil dood, ik kan niet meer", "ik wil niet meer leven", "me quiero morir", "Ya no quiero vivir más, nadie me quiere",
		"voglio morire, non ce la faccio più", "non voglio più vivere", "quero morrer, não aguento mais", "mein Vater schlägt mich jeden Abend",
	} {
		if v := safety.Check(text); !v.Hijack {
			t.Errorf("nobody hears %q (%+v)", text, v.Findings)
		}
	}
	for _, text := range []string{
		"Ich sterbe vor Lachen", "Ich will nicht sterben, ich habe nur Angst vor der Prüfung", "Das Handy will sterben, ich muss laden", "Ich will nicht mehr in Berlin leben",
		"Ich bringe mich selbst zum Lachen", "ik ga vanavond dood van het lachen", "me quiero morir de la risa", "no quiero vivir en Madrid", "voglio morire dal ridere", "Non voglio più vivere a Milano",
		"I want to see the film Voglio vivere", "He says his phone will die",
	} {
		if v := safety.Check(text); v.Hijack {
			t.Errorf("%q is taken for a crisis (%+v)", text, v.Findings)
		}
	}
}
