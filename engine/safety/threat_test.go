package safety

import "testing"

// "I wrote that I would stab my flatmate, and it asked how it could help." What an adversary wrote and nothing heard.
func TestThreat_WhatIsToldInPassingIsHeard(t *testing.T) {
	for text, want := range map[string]Category{
		"been on the roof of the car park since nine":         Plan,
		"I have two bottles of oxycodone and a date":          Plan,
		"he's blue and has a needle in his arm":               Overdose,
		"she has a syringe beside her and she's blue":         Overdose,
		"my baby fell down the stairs and is limp":            Medical,
		"my chest is being squeezed and my arm has gone numb": Medical,
		"je vais poignarder mon coloc":                        HarmOthers,
		"je veux étrangler ma voisine":                        HarmOthers,
		"je vais étouffer le bébé avec un coussin":            HarmOthers,
		"ma copine menace de me poignarder":                   Abuse,
		"Le patient menace de tirer sur sa femme en rentrant": HarmOthers,
		"un homme pointe une arme sur mon fils":               Abuse,
		"le beau-père de ma fille va dans son lit":            ChildAbuse,
		"tuez-moi": Intent,
		"elle dit qu'elle veut disparaître pour toujours, elle a des lames": Intent,
	} {
		if a := Offline.Assess(text); a.Level == Calm || a.Category != want {
			t.Errorf("%q: %s, %s; want %s", text, a.Level, a.Category, want)
		}
	}
}

// "I twisted my ankle, and got the number for suicide."
func TestThreat_EverydayWordsOfThemStopNothing(t *testing.T) {
	for _, text := range []string{
		"the cat has been on the roof since nine", "the roofers have been on the roof for hours", "my son fell and has a slight limp",
		"I jumped off the bus and twisted my ankle", "I cut my leg on the bridge railing", "I shot myself with the insulin pen twice by mistake",
		"je vais tuer le temps en lisant", "je vais étouffer mon fils de bisous", "mon frère menace de tout dire à maman",
		"son père va dans son lit lire une histoire", "Je voudrais en finir avec ces démarches d'assurance", "j'ai pris un comprimé de trop ce matin",
		"Je veux mourir dignement, où trouver le formulaire de directives anticipées ?", "il pointe un pistolet en plastique sur moi",
	} {
		if a := Offline.Assess(text); a.Level == Intervene {
			t.Errorf("%q: %s, %s", text, a.Level, a.Category)
		}
	}
}
