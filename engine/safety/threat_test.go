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

// "He will burn the clinic down, I wrote, and it asked whether somebody near him thinks of suicide; he has a shotgun in case his wife goes, and there was no line for her."
func TestThreat_WhoThreatensAPlaceOrWhoLeavesThemIsADangerToOthers(t *testing.T) {
	heardAs(t, []kindCase{
		{Intervene, []Category{HarmOthers}, Other, []string{
			"He says he will burn the clinic down", "He threatened to burn down our practice tonight", "A relative says he'll set fire to the ward", "A man on the phone says he will come and burn the surgery",
			"Il dit qu'il va mettre le feu à la clinique", "Ce patient menace d'incendier le cabinet", "Il a juré d'incendier notre service",
			"He has a shotgun and says he will use it on himself if his wife goes", "He keeps a shotgun under the bed and says he will use it if his wife leaves him", "My patient has a rifle and says he'll use it if she leaves him",
			"Dad has a rifle and says he will use it if mum leaves him", "He got the gun out and says if his wife goes he will shoot", "If she leaves him he'll kill her", "He told his girlfriend he'd stab her if she leaves",
			"Il a sorti son fusil et dit que si sa femme part il tire", "Si sa femme le quitte il la tuera",
		}},
		{Intervene, []Category{HarmOthers}, Self, []string{"I want to burn the clinic down", "Je vais mettre le feu à la clinique"}},
		{Intervene, []Category{Abuse}, Self, []string{"He says if I leave he will kill me"}},
		{Intervene, []Category{Unresponsive, Medical}, Other, []string{"she shot up heroin and won't wake", "He was shot in the back"}},
	})
	harmless(t, withMeaning(t), []string{
		"I'll burn this place down", "He burned the toast", "Le feu a pris dans la cuisine", "The bonfire at school burned down early",
		"She shot up from her chair", "He shot up from the bed when I came in", "He shot back that he was fine", "he shot out of the door", "She will shoot off for lunch",
	})
}
