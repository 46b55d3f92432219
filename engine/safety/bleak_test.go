package safety

import "testing"

// « J’ai écrit que je ne vois plus d’issue, et rien ne m’a été demandé. » Plain hopelessness in a few words is asked about; the
// same words of a sentence, a form or a fridge are not.
func TestBleak_AFewFrenchWordsWithoutHopeAreAskedAbout(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"Je ne vois plus d'issue", "La vie n'a plus de sens", "Plus rien n'a d'importance", "Je me déteste", "Je me sens vide à l'intérieur",
		"À quoi bon continuer ?", "Je ne sers à rien", "j'ai plus aucun avenir", "Il n'y a pas d'issue pour moi", "Plus rien ne compte",
	} {
		if a := c.Assess(text); !a.Level.atLeast(CheckIn) {
			t.Errorf("%q: %s", text, a.Level)
		}
	}
	for _, text := range []string{
		"Cette phrase n'a pas de sens", "À quoi sert ce formulaire ?", "Mon frigo est vide", "Je déteste les épinards", "Cette touche ne sert à rien",
		"Il n'y a pas d'issue de secours au sous-sol", "Plus rien ne s'affiche à l'écran", "La réunion n'a pas de but",
	} {
		if a := c.Assess(text); a.Level.atLeast(CheckIn) {
			t.Errorf("%q is harmless: %s, %v", text, a.Level, a.Found())
		}
	}
}
