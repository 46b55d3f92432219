package safety

import "testing"

// “I'm afraid of never waking up after the anaesthetic tomorrow”, “I take too many pills, can we stop some of them?” and
// “my printer is driving me mad, I am going to end it” were stopped.
func TestHarmless_EverydayMessagesWithTheWordsOfDangerAskForNothing(t *testing.T) {
	harmless(t, Offline, []string{
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
	})
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
	harmless(t, c, []string{
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
	})
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

// "I asked whether I may take an Advil, and it told me to call 15: I had taken something that can kill me." One or two doses,
// all of what was prescribed, what is locked away, what is years ago, a box of chocolates: nobody is in danger.
func TestHarmless_MedicineHandledRightlyStopsNothing(t *testing.T) {
	harmless(t, Offline, []string{
		"J'ai pris deux Doliprane ce matin, puis-je prendre un Advil ce soir ?",
		"I had one ibuprofen tonight, can I take a paracetamol?",
		"I take all my pills at 8, is that ok?",
		"took all my tablets like the nurse said, one in the morning one at night",
		"ma fille a pris tout son Doliprane prescrit, une dose toutes les six heures",
		"Le patient a pris tout son traitement, renouvellement s'il vous plaît",
		"wife took all the paracetamol out of the house as the crisis team told us",
		"We locked all her tablets away in the cupboard",
		"The patient overdosed in 2009, no thoughts since, stable on lithium",
		"mon fils a mangé toute la boîte de chocolats",
		"my daughter ate the whole box of chocolates",
		"j'ai fini ma boîte de Doliprane, ordonnance svp",
		"je prends tous mes cachets le matin",
		"Je serai plus là vendredi, je déménage à Lyon, peut-on annuler ?",
		"that workout killed me, I want to die laughing",
		"Did she ever have an anaphylactic reaction to penicillin?",
		"Record: previous anaphylaxis to nuts, carries an EpiPen",
		"a-t-elle déjà fait un choc anaphylactique à la pénicilline ?",
	})
	for _, text := range []string{
		"J'ai pris deux boîtes de Doliprane ce matin, puis-je prendre un Advil ?",
		"I took 40 paracetamol, is that ok?",
		"I take all my pills tonight and then it is over",
		"took all my tablets as always and then the whole bottle of vodka",
		"I took all the paracetamol out of the drawer and swallowed it",
		"I took all my pills like the voices said",
		"I overdosed again last night, first time since 2019",
		"She overdosed in 2009 and now she has taken all her lithium",
		"my son had anaphylaxis before and his lips are swelling now",
		"je serai plus là vendredi, adieu",
	} {
		if a := Offline.Assess(text); a.Level == Calm {
			t.Errorf("%q is not heard", text)
		}
	}
}

// "I wrote 'Patient suicidal', and it answered me in French, as if I were the patient." A note as records are written is a
// clinician's, in the language of the screens.
func TestWhose_ANoteThatBeginsWithThePatientIsAClinicians(t *testing.T) {
	for text, want := range map[string]Speaker{"Patient suicidal": Clinician, "Pt suicidal, has a plan": Clinician, "Client wants to die": Clinician, "Patient suicidaire": Clinician, "Patient here, I want to die": Self, "I am suicidal": Self} {
		if a := Offline.Assess(text); a.Level != Intervene || a.Speaker != want {
			t.Errorf("%q is %s of %s, want %s", text, a.Level, a.Speaker, want)
		}
	}
	for _, text := range []string{"Patient suicidal", "Patient overdosed", "Son attends tomorrow"} {
		if Speaks(text) {
			t.Errorf("%q is taken for %s", text, LanguageOf(text))
		}
	}
}
