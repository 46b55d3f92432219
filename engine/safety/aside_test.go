package safety

import "testing"

// "I put a denial, a game, a book, my trade in a message, and it asked whether I am safe." What is said harmlessly with the words
// of danger is left out, and the rest is read.
func TestAside_WhatIsSaidHarmlesslyAsksForNothing(t *testing.T) {
	c := withMeaning(t)
	harmless(t, c, []string{
		"Please note: no suicidal thoughts, sleeping better",
		"Her mother died by suicide in 2009, please note it in the family history",
		"PMH: one overdose aged 16, nothing since.",
		"I took an overdose when I was nineteen and I have been well ever since.",
		"gun loaded photo lol",
		"my son beat me at chess",
		"I got killed on the last level again, this boss is impossible.",
		"They slaughtered us 6-1 in the cup and we still went for chips.",
		"I play Tosca next week, so I get to stab Scarpia twice a night.",
		"I'm a roofer, I stand on ledges all day and my knees ache.",
		"My husband drives a train and hit a fox on Sunday, he is fine.",
		"Fire drill at three, everybody was out in four minutes.",
		"I've got enough tablets until Friday, then I need a repeat.",
		"We had to have the old dog put to sleep, the house is quiet.",
		"corde à linge",
		"On a tendu une corde pour étendre le linge dans la cour.",
		"Sa tante maternelle s'est suicidée en 1987, à noter dans les antécédents familiaux.",
		"Pas d'idées suicidaires ce jour, appétit revenu.",
		"Ma fille est morte trois fois au dernier niveau avant le goûter.",
		"L'imprimante s'est encore suicidée avant la réunion.",
		"notre ado est enfermé dans sa chambre avec son téléphone",
		"il est parti sans laisser de mot",
		"mon fils s'est enfermé dans sa chambre avec sa console",
		"Je suis cordiste, je passe mes journées au bord du vide et j'adore ça.",
	})
}

// What stands beside such words is heard as ever, and what takes them back is, too.
func TestAside_WhatStandsBesideThemIsHeard(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"Denies SI on the form, then asked the nurse how many of these would do it.",
		"No plans to hurt myself, I told the nurse. That was a lie.",
		"Overdose in 2019, overdose on Monday.",
		"I overdosed at 17 and I have the same boxes in front of me.",
		"After they lost the cup final dad beat mum with the trophy.",
		"The washing line is strong enough, I tried it with a bag of sand.",
		"I cut the dose down and kept the rest, I have two hundred now.",
		"I'm a vet and I took the euthanasia drug home.",
		"The gun safe is open and I know what I came for.",
		"I have enough insulin left to sleep for good.",
		"I have the weed killer in front of me and a glass",
		"Mon père s'est pendu en 1999, j'ai fait le même nœud.",
		"La corde à linge est assez solide, j'ai essayé avec un sac.",
		"Mon fils s'est enfermé dans sa chambre avec une corde",
		"Antécédents familiaux de suicide : je serai le prochain.",
		"On a fait piquer le chien, j'ai demandé s'il en restait pour moi.",
	} {
		if a := c.Assess(text); a.Level == Calm {
			t.Errorf("%q is not heard", text)
		}
	}
}

// TestMeasured_Kinds: the half that was put away of 240 harmless sentences of many kinds, each with the words of danger, and of
// 120 dangerous neighbours. Before asides 0.25 and 0.20 were asked about, and 0.90 and 0.87 heard.
func TestMeasured_Kinds(t *testing.T) {
	c := withMeaning(t)
	for name, most := range map[string]float64{"kinds-en": 0.12, "kinds-fr": 0.07} {
		if r := benchFile(t, c, name); r.CheckInRecall < 0.86 || r.CheckInFalseAlarmRate > most || r.FalseAlarmRate > 0.05 {
			t.Errorf("%s: heard %.3f, asked about %.3f of the rest, interrupted %.3f", name, r.CheckInRecall, r.CheckInFalseAlarmRate, r.FalseAlarmRate)
		}
	}
}
