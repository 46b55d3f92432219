package safety

import "testing"

// “I'm afraid of never waking up after the anaesthetic tomorrow”, “I take too many pills, can we stop some of them?” and
// “my printer is driving me mad, I am going to end it” were stopped.
func TestHarmless_EverydayMessagesWithTheWordsOfDangerAskForNothing(t *testing.T) {
	for _, text := range []string{
		"I'm afraid of never waking up after the anaesthetic tomorrow",
		"I'm so nervous about my colonoscopy, what if I don't wake up",
		"I'm having surgery on Monday and terrified of not waking up",
		"What are the chances of not waking up from general anaesthesia?",
		"j'ai peur de ne pas me réveiller après l'anesthésie",
		"J'ai peur de ne jamais me réveiller de ma sédation demain",
		"I take too many pills, can we stop some of them?",
		"There are just too many pills in my day, I'm fed up with it",
		"I'm tired of all these pills every morning",
		"Trop de comprimés, j'en ai marre de tout avaler chaque matin",
		"my printer is driving me mad, I am going to end it",
		"Je vais en finir avec cette imprimante",
		"can I overdose on vitamin D if I take two a day?",
		"J'ai pris deux fois ma vitamine D aujourd'hui",
		"j'ai avalé mon ampoule de vitamine D ce matin",
		"The pharmacist will kill me if I lose this prescription again",
		"La pharmacienne dit que je prends trop de comprimés",
	} {
		if a := Offline.Assess(text); a.Level != Calm {
			t.Errorf("%q: %s %s: %+v", text, a.Level, a.Category, a.Rules)
		}
	}
}

// The same things are heard where there is more to them.
func TestHarmless_DangerBesideThemIsHeard(t *testing.T) {
	heard(t, []saidCase{
		{Intervene, "", Self, "I hope I don't wake up after my surgery"},
		{Intervene, "", Self, "I'm afraid I will kill myself before my operation"},
		{Intervene, "", Self, "what if I never wake up, I'd be glad, the surgery is tomorrow"},
		{Intervene, "", Self, "I took too many pills last night"},
		{Intervene, "", Self, "J'ai pris trop de comprimés"},
		{Intervene, "", Self, "I have swallowed too many pills, can we stop it?"},
		{Intervene, "", Self, "I take too many pills and I want to stop living"},
		{Intervene, "", Self, "I took a whole bottle of vitamin D"},
		{Intervene, "", Self, "The printer hates me, I want to die"},
	})
}

// « Je veux mourir chez moi » is mostly a wish for where to die: it is asked about, and stops nothing.
func TestHarmless_AWishWhereToDieIsAskedAbout(t *testing.T) {
	for _, text := range []string{
		"Je veux mourir chez moi",
		"je voudrais mourir chez moi, entourée de ma famille",
		"Je préfère mourir à la maison plutôt qu'à l'hôpital",
		"when the time comes I want to die in my own bed",
		"I want to die in my own bed, I have cancer",
	} {
		if a := Offline.Assess(text); a.Level != CheckIn {
			t.Errorf("%q: %s %s: %+v", text, a.Level, a.Category, a.Rules)
		}
	}
	heard(t, []saidCase{
		{Intervene, "", Self, "Je veux mourir"},
		{Intervene, "", Self, "Je veux mourir, je suis seul chez moi"},
		{Intervene, "", Self, "Je veux mourir chez moi ce soir"},
		{Intervene, "", Self, "Je vais mourir chez moi ce soir avec mes comprimés"},
		{Intervene, "", Other, "mon mari veut mourir chez nous, il a gardé toute sa morphine"},
	})
}

// "I asked what it had done just now, and it asked me whether I was safe." What is said beside such a question, and of whom it
// is asked otherwise, is heard as ever.
func TestHarmless_AQuestionToTheProgramAboutWhatItDidIsNoSign(t *testing.T) {
	c := withMeaning(t)
	for _, text := range []string{
		"What did you do just now?",
		"What did you just do?",
		"And what have you changed?",
		"What are you doing?",
		"How do you know that?",
		"Show me what you found",
		"What happened just now?",
		"Qu'as-tu fait à l'instant ?",
		"Qu'est-ce que vous venez de faire ?",
		"Pourquoi avez-vous réservé ça ?",
	} {
		if a := c.Assess(text); a.Level != Calm {
			t.Errorf("%q: %s %s", text, a.Level, a.Category)
		}
	}
	for _, text := range []string{
		"What did you do? I took them all",
		"What can you do? It is all laid out on the table, tonight",
		"why did you answer. he has his hands around my throat",
		"what do you do when you want to die",
		"what can you do for me i cant go on",
	} {
		if a := c.Assess(text); a.Level == Calm {
			t.Errorf("%q is not heard", text)
		}
	}
}
