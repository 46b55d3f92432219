package safety

import (
	"strings"
	"testing"
)

// bleakWords are hopelessness and self-hatred in plain words, which are no danger by themselves; bleakOfOthers are such words
// of which somebody else tells.
var bleakWords = []string{
	"Je ne vois plus d'issue", "La vie n'a plus de sens", "Plus rien n'a d'importance", "Je me déteste", "Je me sens vide à l'intérieur",
	"À quoi bon continuer ?", "Je ne sers à rien", "j'ai plus aucun avenir", "Il n'y a pas d'issue pour moi", "Plus rien ne compte",
	"Je pense parfois à la mort", "je pense souvent à la mort ces temps-ci", "Je ne vois plus de porte de sortie", "J'en ai marre de la vie",
	"J'ai perdu tout espoir", "Plus rien n'a de sens pour moi", "Je n'attends plus rien de la vie", "Ma vie est foutue", "je me deteste trop", "Je me dégoûte",
	"Tout le monde irait bien sans moi", "Je suis mort à l'intérieur", "ça sert à quoi de continuer", "Je ne supporte plus d'être moi",
	"I see no way out", "I can't see a way out of this", "there's no way out for me", "I hate myself", "i h8 myself so much", "I despise who I am", "Can't stand being me",
	"nothing matters any more", "Nothing means anything to me these days", "life is pointless", "whats the point anymore", "What's the point in going on anymore", "I've lost all hope and I can't keep fighting", "what's the point of going on", "What's the use in carrying on",
	"I'm fed up with life", "I've given up on myself", "I've lost all hope", "everyone would be fine without me", "They'd manage just fine without me",
	"I've got no future", "I have nothing to look forward to", "it's never going to get better", "I feel dead inside", "I don't care what happens to me any more",
	"I think about death sometimes", "dying crosses my mind now and then",
	"feels like there's no way out 4 me", "i hate myself sm rn", "my life's pointless", "nothing matters 2 me anymore", "Why carry on?", "my kids would cope without me", "Lost all hope now",
	"j'vois plus d'issue", "j'ai plus goût à rien", "je pense des fois à la mort",
}

var bleakOfOthers = []string{
	"My daughter says she hates herself and nothing matters", "He keeps saying there's no way out for him", "My mum said everyone would be fine without her",
	"Patient states “nothing matters any more”", "The lad on bay 3 told me he's fed up with life",
	"Ma fille dit qu'elle se déteste et que rien ne compte", "Mon mari répète qu'il ne voit plus d'issue", "La patiente dit « à quoi bon continuer »",
}

// « J’ai écrit que je ne vois plus d’issue, et rien ne m’a été demandé. » Plain hopelessness in a few words is asked about and
// stops no turn, with the encoder and without; the same words of a car park, a form or a fridge are nothing.
func TestBleak_PlainWordsWithoutHopeAreAskedAboutAndStopNothing(t *testing.T) {
	for name, c := range map[string]Checker{"rules and words": Offline, "with meaning": withMeaning(t)} {
		for _, text := range append(bleakWords, bleakOfOthers...) {
			if a := c.Assess(text); a.Level != CheckIn {
				t.Errorf("%s: %q: %s, %v %v", name, text, a.Level, a.Found(), a.Rules.Findings)
			}
		}
		for _, text := range bleakOfOthers {
			if a := c.Assess(text); a.Speaker == Self {
				t.Errorf("%s: %q is of somebody else", name, text)
			}
		}
	}
	c := withMeaning(t)
	harmless(t, c, []string{
		"Cette phrase n'a pas de sens", "À quoi sert ce formulaire ?", "Mon frigo est vide", "Je déteste les épinards", "Cette touche ne sert à rien",
		"Il n'y a pas d'issue de secours au sous-sol", "Plus rien ne s'affiche à l'écran", "La réunion n'a pas de but",
		"Je ne trouve plus la sortie du parking", "J'en ai marre de la vie de bureau", "Tout le monde ira bien sans moi à la réunion", "J'ai perdu tout espoir de retrouver mes lunettes",
		"À quoi bon continuer ce régime si je peux manger des frites ?", "Je suis nul en maths", "Ma voiture est foutue",
		"no way out of the car park", "There is no way out of this contract before June", "I see no way out of the menu, which key closes it?", "I hate my hair",
		"nothing matters more than a good night's sleep", "I'm fed up with the parking machine", "what's the point of going on a diet if I can eat fish and chips on Friday?",
		"What's the point of this form?", "The team will be fine without me on Friday, I'm on leave", "I can't do this sum any more, can you help?", "I give up on this crossword",
		"I've lost all hope of finding my glasses", "I hate myself for eating that whole cake lol",
		"I feel like a failure because I can't breastfeed, the health visitor was lovely", "I'm writing a song called I Hate Myself", "No future bookings are shown",
	})
}

// “I wrote half a page and said in it that I hate myself.” Such words are asked about amid others, too.
func TestBleak_IsAskedAboutInALongerMessage(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"Work has been long and the kids are loud, my wife is in Leeds until Thursday, we had the roof done and it still leaks, and if I am honest I just hate myself and cannot see a way out of any of it",
		"Hi, I wanted to ask for my test results from Tuesday. Also my knee is better. Nothing really matters any more though, I do not know why I even bother with the exercises you gave me.",
		"Bonjour, je voulais mes résultats de mardi. Mon genou va mieux. Mais bon, plus rien n'a d'importance, je ne sais même pas pourquoi je fais encore les exercices.",
	} {
		if a := c.Assess(text); a.Level != CheckIn {
			t.Errorf("%q: %s, %v %v", text, a.Level, a.Found(), a.Rules.Findings)
		}
	}
}

// “I hate myself, and I have the rope.” What may only ask takes nothing from what stops a turn beside it.
func TestBleak_WhatStopsATurnStopsItBesideHopelessWords(t *testing.T) {
	c := withMeaning(t)
	for _, with := range []string{"I hate myself.", "I see no way out.", "Nothing matters any more."} {
		for _, danger := range []string{"I am going to kill myself tonight.", "I have tied a rope to the beam.", "I swallowed all my pills an hour ago."} {
			if a := c.Assess(with + " " + danger); a.Level != Intervene {
				t.Errorf("%s %s: %s", with, danger, a.Level)
			}
		}
	}
	if a := c.Assess("Je me déteste, je vais me tuer ce soir"); a.Level != Intervene {
		t.Errorf("a plan in French: %s", a.Level)
	}
}

// A rule that may only ask never reaches the sum that stops a turn, however many of its kind stand together.
func TestBleak_WhatMayOnlyAskNeverAddsUp(t *testing.T) {
	v := Check(strings.Join([]string{"I hate myself.", "I see no way out.", "Nothing matters any more.", "I've lost all hope.", "I've got no future."}, " "))
	if v.Hijack || v.Score < rulesCheckIn || v.Score >= v.Threshold {
		t.Errorf("%+v", v)
	}
}
