package companion_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/engine/agents/companion"
	"holdpoint/engine/memory"
	"holdpoint/engine/session"
	"holdpoint/engine/turn"
)

// "My son wrote that he is sixteen, no, twelve. It took him for sixteen, and his yes for one."
func TestCompanion_C31_OfTwoAgesInAMessageTheYoungerOneCounts(t *testing.T) {
	for language, said := range map[string]map[string]string{
		"fr": {"J'ai 16 ans, en fait 12. J'habite en France.": "under_13", "J'ai 16 ans. Pardon, j'ai 12 ans": "under_13", "15 ans, non je rigole j'en ai 11": "under_13", "J'ai 16 ans (enfin, 13)": "from_13_to_14",
			"15 ans. 12 en vrai. France": "under_13", "J'ai 17 ans, non 14": "from_13_to_14", "j'ai 12 ans, je rigole, j'ai 16 ans": "under_13", "J'ai 18 ans mais je suis en 5e": "", "j'ai 17 ans et je suis en CM2": "",
			"J'ai 16 ans, ma sœur a 8 ans": "from_16_to_17", "Ma soeur, 12 ans, m'énerve. J'ai 16 ans": "from_16_to_17", "J'ai 15 ans, je suis en seconde": "at_15", "mes frères ont 9 et 12 ans et j'ai 16 ans": "from_16_to_17", "mes frères ont 9 et 12 ans": "",
			"J'ai 16 ans, né en 2014": "under_13", "j'ai 16 ans… pardon 13 ans": "from_13_to_14", "J'ai pas 12 ans, j'ai 16 ans": "from_16_to_17", "j'ai 16 ans, j'ai 12 en maths": "from_16_to_17", "j'ai dit 16 ans mais c'est 12": "under_13", "j'ai 16 ans et demi, enfin 15": "at_15"},
		"en": {"I'm 16, actually 12, I live in the UK": "under_13", "I live in Ireland and I'm 17, no wait, 14": "from_13_to_14", "I'm 16 and my brother is 9": "from_16_to_17", "I'm 16, just kidding, I'm 13": "from_13_to_14", "I'm 18 and in year 7": "", "I am 17 (well, 12)": "under_13",
			"I'm 16. My friend is 12 years old. She hates me": "from_16_to_17", "im 15, jk 11": "under_13", "I'm 16 and in 10th grade": "from_16_to_17", "I have two brothers, 9 and 12, and I'm 16": "from_16_to_17"},
	} {
		for message, age := range said {
			for _, before := range []bool{false, true} {
				w := newWorld(t, "teen", language)
				if before {
					w.say("s", "...")
				}
				w.say("s", message)
				if got := answersIn(t, w.card("s", language).Row)["age"].Value; got != age {
					t.Errorf("%q (asked before: %v) is heard as %q", message, before, got)
				}
			}
		}
	}
	w := newWorld(t, "teen", "fr")
	w.say("s", "J'ai 16 ans, en fait 12. J'habite en France.")
	if x := w.say("s", "oui"); w.consent(teen).Scope == session.FullConsent {
		t.Errorf("the yes of a child counts: %q", x.reply)
	}
	// Told anew, it is the same.
	for message, age := range map[string]string{"I'm 17, no wait, 14": "from_13_to_14", "I'm 16 (well, 12)": "under_13", "I'm 16 and my brother is 9": "from_16_to_17"} {
		w := agreed(t, "en")
		if w.say("s", message); answersIn(t, w.card("s", "en").Row)["age"].Value != age {
			t.Errorf("%q is heard as %q", message, answersIn(t, w.card("s", "en").Row)["age"].Value)
		}
	}
	for message, age := range map[string]string{"ils ont 13 et 17 ans": "from_13_to_14", "my kids are 12 and 17": "under_13", "My son is 16, sorry, 13": "from_13_to_14", "Mon fils a 16 ans, son frère 9 ans": "from_16_to_17", "J'ai deux enfants, 15 ans et 17 ans": "at_15"} {
		w := newWorld(t, "parent", "fr")
		w.say("s", "Bonjour", "region", "FR")
		w.say("s", message)
		if got := answersIn(t, w.card("s", "fr").Row)["age"].Value; got != age {
			t.Errorf("of a parent, %q is heard as %q", message, got)
		}
	}
}

// remembering is somebody of whom one summary is kept, in the language.
func remembering(t *testing.T, language string) *world {
	t.Helper()
	w := newWorld(t, "teen", language)
	w.voice.answers["Summary"] = `{"summary":"Nervous."}`
	w.say("s", everything[language], "consent", "full")
	w.settle()
	if len(w.remembered(teen)) != 1 {
		t.Fatal("nothing is kept")
	}
	return w
}

// "I asked whether it does any good to delete my Insta messages, and it forgot all that I had told it."
func TestCompanion_C29_OnlyAnOrderAboutItsOwnMemoryTakesConsentBackOrDeletes(t *testing.T) {
	for language, said := range map[string][]string{
		"fr": {"Supprimer mes messages Insta, ça sert à quelque chose ?", "Supprimer toutes mes photos m'a fait du bien", "Virer tous mes amis de Snap, bonne idée ?", "efface tout mon travail, mon frère a fait ça", "Effacer les messages de ma fille sans lui dire, c'est grave ?",
			"ne garde rien pour lui, mon petit frère", "supprimer mes messages, bonne idée ?", "Je ne suis plus d'accord avec ma mère", "oublie tes parents m'a dit ma prof", "arrête de tout noter, m'a dit la prof", "je ne veux plus de notes en dessous de dix", "je garde rien, je vomis tout", "je retiens rien en maths"},
		"en": {"Delete my messages with him, should I?", "remove all my photos of her, good idea?", "stop saving money for the trip, she said", "stop recording me in class, I told him", "clear everything off my desk is what mum wants", "I don't want notes from my teacher", "delete everything he sent me?"},
	} {
		for _, message := range said {
			w := remembering(t, language)
			x := w.say("s2", message)
			if strings.Contains(x.reply, "Shall I delete") || strings.Contains(x.reply, "Est-ce que j'efface") || w.consent(teen).Scope != session.FullConsent || len(w.remembered(teen)) != 1 {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
	}
}

// "I wrote that I don't agree any more, and it asked which of the steps had worked."
func TestCompanion_C29_AWithdrawalIsHeardHoweverItIsPutAndCanBeUndone(t *testing.T) {
	for language, said := range map[string][]string{
		"fr": {"Je ne suis plus d'accord", "je ne consens plus", "je ne veux plus de résumé", "Peux-tu arrêter de te souvenir de moi ?", "Je change d'avis, n'enregistre plus rien",
			"En fait non, finalement je ne veux plus que tu te souviennes de moi, c'est trop bizarre pour moi", "J'ai réfléchi et je ne veux plus que tu gardes quoi que ce soit sur moi", "jsuis plus d'accord", "Désolée, je retire mon accord parce que ma mère lit tout"},
		"en": {"No thanks, I'd rather you didn't keep anything.", "I don't consent anymore", "I no longer agree", "I don't want any more summaries", "I changed my mind, please stop remembering me because my mum reads it"},
	} {
		for _, message := range said {
			w := remembering(t, language)
			if x := w.say("s", message); w.consent(teen).Scope != session.PendingConsent || len(w.remembered(teen)) != 1 {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
			if x := w.say("s", map[string]string{"fr": "tu peux garder un résumé", "en": "you can keep a summary"}[language]); w.consent(teen).Scope != session.FullConsent {
				t.Errorf("%q cannot be undone as the answer says: %q", message, x.reply)
			}
		}
	}
	// Right after the question for consent it is a no.
	w := newWorld(t, "teen", "en")
	w.say("s", "I am afraid of exams.", "region", "FR", "age", "at_15")
	if x := w.say("s", "No thanks, I'd rather you didn't keep anything."); !strings.Contains(x.reply, "I will not keep anything") || !strings.Contains(x.reply, "How long") {
		t.Errorf("%q", x.reply)
	}
}

// "I wrote ‘forget me’ in anger, and a year of talks was gone." "I deleted, and nobody told me that my yes was gone, too."
func TestCompanion_C29_DeletionAsksBackAndSaysThatConsentEnds(t *testing.T) {
	for language, w4 := range map[string][5]string{
		"en": {"forget everything I told you", "Shall I delete all that I remember of you (summaries: 1)", "no", "yes", "Your yes to being remembered has ended"},
		"fr": {"oublie tout", "Est-ce que j'efface tout ce que je retiens de toi (résumés : 1)", "non", "oui", "Ton accord s'arrête"},
	} {
		w := remembering(t, language)
		if x := w.say("s2", w4[0]); !strings.Contains(x.reply, w4[1]) || len(w.remembered(teen)) != 1 || w.consent(teen).Scope != session.FullConsent {
			t.Errorf("%q: %q", w4[0], x.reply)
		}
		if x := w.say("s2", w4[2]); len(w.remembered(teen)) != 1 || w.consent(teen).Scope != session.FullConsent {
			t.Errorf("after a no: %q", x.reply)
		}
		// A yes to something else deletes nothing.
		if w.say("s2", w4[3]); len(w.remembered(teen)) != 1 {
			t.Error("a yes without the question deletes")
		}
		w.say("s2", w4[0])
		if x := w.say("s2", map[string]string{"en": "I want to die", "fr": "je veux mourir"}[language]); !x.visited(turn.SafetyIntervention) {
			t.Fatalf("%q", x.reply)
		}
		if w.say("s2", w4[3]); len(w.remembered(teen)) != 1 {
			t.Error("a yes after help in danger deletes")
		}
		w.say("s2", w4[0])
		if x := w.say("s2", w4[3]); len(w.remembered(teen)) != 0 || w.consent(teen).Scope != session.PendingConsent || !strings.Contains(x.reply, w4[4]) || !strings.Contains(x.reply, ": 1.") {
			t.Errorf("after the yes: %q", x.reply)
		}
	}
	// As it is offered, it is done at once.
	for language, message := range map[string]string{"en": "delete my data", "fr": "Supprime mes données, stp"} {
		w := remembering(t, language)
		if x := w.say("s2", message); len(w.remembered(teen)) != 0 || !strings.Contains(x.reply, map[string]string{"en": "Your yes", "fr": "Ton accord"}[language]) {
			t.Errorf("%q", x.reply)
		}
	}
	// What was just told may be meant by a short word.
	for language, w2 := range map[string][2]string{"en": {"what do you know about me?", "delete that"}, "fr": {"que sais-tu de moi ?", "supprime ça"}} {
		w := remembering(t, language)
		w.say("s2", w2[0])
		if x := w.say("s2", w2[1]); !strings.Contains(x.reply, "1)") || len(w.remembered(teen)) != 1 {
			t.Errorf("%q: %q", w2[1], x.reply)
		}
		if w.say("s2", map[string]string{"en": "yes, delete it", "fr": "oui supprime"}[language]); len(w.remembered(teen)) != 0 {
			t.Error("the yes is not heard")
		}
	}
}

// "It had told me that it keeps a summary. I asked what it knows, and it said nothing; I deleted, and it said: deleted 0."
func TestCompanion_C28_WhatWaitsToBeRememberedIsToldAndCounted(t *testing.T) {
	for language, words := range map[string][3]string{"en": {"what do you know about me?", "A summary of this conversation", "Summaries deleted: 1"}, "fr": {"tu sais quoi sur moi ?", "Un résumé de cette conversation", "Résumés effacés : 1"}} {
		w := newWorld(t, "teen", language)
		w.lake.Close(w.Context())
		w.lake = memory.Open(memory.Options{Store: w.db, Now: w.now, Rest: time.Hour, Make: nil})
		w.deps.Lake = w.lake
		w.voice.answers["Summary"] = `{"summary":"Nervous before exams."}`
		w.say("s", everything[language], "consent", "full")
		if x := w.say("s", words[0]); !strings.Contains(x.reply, words[1]) || !strings.Contains(x.reply, "- Nervous before exams.") {
			t.Errorf("%q", x.reply)
		}
		if x := w.say("s", map[string]string{"en": "delete my data", "fr": "supprime mes données"}[language]); !strings.Contains(x.reply, words[2]) {
			t.Errorf("%q", x.reply)
		}
		if w.settle(); len(w.remembered(teen)) != 0 {
			t.Error("it is remembered all the same")
		}
	}
}

// "I said no, thought about it, and wrote ‘actually yes you can keep a summary’. It asked how long this has been going on."
func TestCompanion_C29_AYesThatIsSaidLaterCountsByTheSameAge(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"actually yes you can keep a summary", "ok I changed my mind, you can keep a summary", "well, actually you can remember me"},
		"fr": {"en fait oui tu peux garder un résumé", "finalement tu peux te souvenir de moi", "j'ai changé d'avis, tu peux garder un résumé"},
	} {
		for _, message := range said {
			for age, scope := range map[string]string{"at_15": session.FullConsent, "from_13_to_14": session.PendingConsent} {
				w := newWorld(t, "teen", language)
				w.say("s", map[string]string{"en": "I am afraid of exams.", "fr": "J'ai peur des examens."}[language], "region", "FR", "age", age)
				w.say("s", map[string]string{"en": "no", "fr": "non"}[language])
				if x := w.say("s", message); w.consent(teen).Scope != scope {
					t.Errorf("%q at %s: %q", message, age, x.reply)
				}
			}
		}
	}
	for _, message := range []string{"actually you can keep your advice", "can you keep a summary?", "actually no, you can keep nothing", "my friend said you can keep a summary"} {
		w := newWorld(t, "teen", "en")
		w.say("s", "I am afraid of exams.", "region", "FR", "age", "at_15")
		w.say("s", "no")
		if w.say("s", message); w.consent(teen).Scope == session.FullConsent {
			t.Errorf("%q is a yes", message)
		}
	}
}

// "I had moved to Belgium and said so. The help lines stayed those of France."
func TestCompanion_C4_WhereSomebodyLivesNowCountsInEveryStateAndIsSaidBack(t *testing.T) {
	type said struct{ language, message, region, back string }
	all := []said{{"fr", "Je vis en Belgique", "BE", "Noté : Belgique."}, {"fr", "Belgique", "BE", "Noté : Belgique."}, {"fr", "j'habite en Belgique maintenant", "BE", "Noté : Belgique."}, {"fr", "en fait j'ai déménagé en Belgique", "BE", "Noté : Belgique."},
		{"fr", "en fait je suis en Belgique", "BE", "Noté : Belgique."}, {"fr", "Je suis en Suisse", "CH", "Noté : Suisse."}, {"fr", "je suis en Suisse chez ma mère", "CH", "Noté : Suisse."}, {"en", "I live with my dad in Ireland", "IE", "Noted: Ireland."}, {"fr", "j'habite à Bruxelles, Belgique", "BE", "Noté : Belgique."}, {"en", "I live in Belgium now", "BE", "Noted: Belgium."}, {"en", "actually we moved to Ireland last month", "", ""}, {"en", "we just moved to Ireland", "IE", "Noted: Ireland."},
		{"fr", "J'habite en France, en fait en Belgique", "BE", "Noté : Belgique."}, {"fr", "I live in Canada", "CA", "Noté : Canada."}, {"en", "I'm in the UK these days", "GB", "Noted: United Kingdom."}, {"en", "I live in Canada not the US", "CA", "Noted: Canada."},
		{"fr", "mon père habite en Belgique", "", ""}, {"fr", "quand je suis en Suisse ça va mieux", "", ""}, {"fr", "je voudrais vivre au Canada", "", ""}, {"fr", "je suis en vacances en Suisse", "", ""}, {"en", "I'm from Canada", "", ""}, {"en", "my mum says I live in Canada", "", ""}, {"en", "we are in it together", "", ""}, {"fr", "je n'habite pas en Belgique", "", ""}}
	for _, x := range all {
		for state, begin := range map[string]func(w *world){
			"after advice":             func(w *world) { w.say("s", everything[x.language], "consent", "full") },
			"in a new session":         func(w *world) { w.say("s0", everything[x.language], "consent", "full"); w.settle() },
			"between the questions":    func(w *world) { w.say("s", "...", "region", "FR", "age", "at_15", "consent", "full") },
			"with a no to the summary": func(w *world) { w.say("s", "...", "region", "FR", "age", "at_15"); w.say("s", "no") },
		} {
			w := newWorld(t, "teen", x.language)
			w.voice.answers["Summary"] = `{"summary":"Nervous."}`
			begin(w)
			y := w.say("s", x.message)
			answers := answersIn(t, w.card("s", x.language).Row)
			if got := answers["region"]; x.region != "" && (got.Value != x.region || !strings.Contains(y.reply, x.back) || strings.Count(y.reply, x.back) != 1) || x.region == "" && got.Value != "FR" && got.Value != "" {
				t.Errorf("%s, %q: %q, %q", state, x.message, got.Value, y.reply)
			}
			if a := answers["situation"]; x.region != "" && a.Turn == answers["region"].Turn {
				t.Errorf("%s, %q became the answer to another question", state, x.message)
			}
		}
	}
	// The law of the new country counts.
	w := newWorld(t, "teen", "fr")
	w.say("s", "...", "region", "FR")
	if x := w.say("s", "Je suis au Royaume-Uni, j'ai 13 ans"); strings.Contains(x.reply, "Avant") || !strings.Contains(x.reply, "Est-ce que je peux le garder") {
		t.Errorf("%q", x.reply)
	}
	w = agreed(t, "en")
	w.say("s", "I live in India")
	if w.consent(teen).Scope != session.PendingConsent {
		t.Error("where 18 is needed, a yes of 16 stands")
	}
	// In danger it counts in the same message, and stays.
	for _, message := range []string{"je veux mourir, je suis en Belgique", "je suis en Belgique et je veux mourir", "je veux mourir je suis en belgique"} {
		for _, known := range []bool{true, false} {
			w = newWorld(t, "teen", "fr")
			if known {
				w.say("s", "...", "region", "FR", "age", "at_15")
			}
			x := w.say("s", message)
			if !x.visited(turn.SafetyIntervention) || x.visited(companion.Begin) || strings.Contains(x.reply, "3114") || !strings.Contains(x.reply, "0800 32 123") {
				t.Errorf("%q: %q", message, x.reply)
			}
			if got := answersIn(t, w.card("s", "fr").Row)["region"].Value; got != "BE" {
				t.Errorf("%q: %q", message, got)
			}
		}
	}
}

// "I asked what my daughter Lila had told it, and got question 4 of 6."
func TestCompanion_C29_ANameAndTeenagersSpellingHideNoQuestion(t *testing.T) {
	for _, message := range []string{"qu'est-ce que ma fille lila t'a raconté ?", "est-ce que mon fils Tom vous a parlé ?", "je veux savoir ce que ma fille Zoé t'a dit"} {
		w := newWorld(t, "parent", "fr")
		w.say("s", "Bonjour", "region", "FR", "age", "at_15", "consent", "full")
		if x := w.say("s", message); !strings.Contains(x.reply, "je garde les conversations de chacun à part") {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	w := newWorld(t, "parent", "en")
	w.say("s", "Hello", "region", "GB", "age", "at_15", "consent", "full")
	for _, message := range []string{"what did my daughter Lila tell you?", "can I read my daughter Lila's messages"} {
		if x := w.say("s", message); !strings.Contains(x.reply, "I keep the talks of different people apart") {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	if x := w.say("s", "my daughter Lila told me that she is sad"); strings.Contains(x.reply, "talks of different people") {
		t.Errorf("%q", x.reply)
	}
	for language, said := range map[string][]string{"fr": {"tu te souvien de moi ?", "tu sais koi sur moi", "tu te souvient de moi", "tu sai quoi de moi", "t'as retenu koi sur moi", "ke sais tu de moi", "tu te rapel de moi ?"}, "en": {"wat do u kno about me", "do u rember me?"}} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", "...", "region", "GB", "age", "at_15", "consent", "full")
			if x := w.say("s", message); !strings.Contains(x.reply, map[string]string{"fr": "Je ne retiens rien", "en": "I remember nothing"}[language]) {
				t.Errorf("%q: %q", message, x.reply)
			}
		}
	}
}

// "I wrote ‘c'est privé’, and it asked me the same again."
func TestCompanion_C33_AShortRefusalIsOne(t *testing.T) {
	for language, said := range map[string][]string{"fr": {"c'est privé", "pas envie", "nan mais lâche-moi", "secret", "c'est un secret", "laisse-moi", "aucune envie", "fous-moi la paix", "je garde ça pour moi"}, "en": {"secret", "it's private", "don't feel like it", "back off", "it's a secret", "not telling you", "this is private", "i don't feel like it"}} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", map[string]string{"en": "Hello", "fr": "Bonjour"}[language], "region", "FR", "age", "at_15", "consent", "full")
			if x := w.say("s", message); len(answersIn(t, w.card("s", language).Row)) != 2 || !x.warned("does not want to answer") || !strings.Contains(x.reply, map[string]string{"en": "How long", "fr": "Depuis combien de temps"}[language]) {
				t.Errorf("%q: %q", message, x.reply)
			}
		}
	}
	w := newWorld(t, "teen", "fr")
	w.say("s", "Bonjour", "region", "FR", "age", "at_15")
	if x := w.say("s", "c'est privé ?"); !strings.Contains(x.reply, "Holdpoint") {
		t.Errorf("the question is taken for a refusal: %q", x.reply)
	}
	for _, message := range []string{"mes parents lisent mon journal secret", "pas envie de vivre chez lui"} {
		w := newWorld(t, "teen", "fr")
		w.say("s", "Bonjour", "region", "FR", "age", "at_15", "consent", "full")
		if x := w.say("s", message); x.warned("does not want to answer") {
			t.Errorf("%q is taken for a refusal", message)
		}
	}
}

// "It gave me the number, I called, and wrote thanks, I called him. That stands there now as what I have tried about school."
func TestCompanion_C5_WhatIsSaidAfterHelpAnswersNoQuestionFromBeforeIt(t *testing.T) {
	for language, said := range map[string][3]string{
		"fr": {"mes parents se disputent", "je vais me tuer ce soir", "merci jl ai appelé"},
		"en": {"my parents fight all the time", "im going to kill myself tonight", "thanks i rang them"},
	} {
		w := agreed(t, language)
		w.say("s", said[0])
		before := answersIn(t, w.card("s", language).Row)
		if x := w.say("s", said[1]); !x.visited(turn.SafetyIntervention) {
			t.Fatalf("%s: no help: %s", language, x.reply)
		}
		x := w.say("s", said[2])
		if after := answersIn(t, w.card("s", language).Row); len(after) != len(before) {
			t.Errorf("%s: an answer is made of it: %v", language, after)
		}
		if !strings.Contains(x.reply, "?") {
			t.Errorf("%s: the question does not come back: %q", language, x.reply)
		}
	}
}

// "I wrote that he is safe, that was last month. That stands there as what is going on, for some months." "Nobody asked me again what I had come for."
func TestCompanion_C5_ReassuranceAfterHelpTellsNobodyWhatIsGoingOn(t *testing.T) {
	for _, x := range []struct {
		audience, language, danger string
		said                       []string
		asks, told                 string
	}{
		{"parent", "en", "My son plays games all night and yesterday I saw that he is cutting his arms", []string{"He is safe, that was last month.", "No, he is fine now, my wife is with him", "Thanks, we called the doctor this morning.", "It happened a year ago and he gets therapy", "Sorry, I did not mean that he would die"}, "Let us go on", "He plays online until four in the morning"},
		{"parent", "fr", "Ma fille joue toute la nuit, elle dit qu'elle veut mourir", []string{"Elle est en sécurité, c'était le mois dernier.", "Merci, on l'a emmenée aux urgences hier soir", "Elle va mieux, son psy la suit depuis deux mois", "C'est du passé, elle a arrêté"}, "Reprenons", "Elle joue jusqu'à quatre heures du matin"},
		{"teen", "en", "my parents fight and im going to kill myself tonight", []string{"im safe, it was just a figure of speech", "i called them, thank you so much", "i was kidding, i would never do it"}, "Let us go on", "my parents argue about money all the time"},
		{"teen", "fr", "mes parents se disputent, je vais me tuer ce soir", []string{"c'est bon je rigolais je vais pas le faire", "jl'ai dit comme ça, je ferai rien", "merci, j'ai appelé le 3114 et ça va mieux maintenant"}, "On reprend", "mes parents se crient dessus chaque soir"},
	} {
		for _, message := range x.said {
			for _, rest := range []string{"", x.told} {
				w := newWorld(t, x.audience, x.language)
				if y := w.say("s", x.danger, "region", "GB", "age", "at_15"); !y.visited(turn.SafetyIntervention) {
					t.Fatalf("no help: %q", y.reply)
				}
				y := w.say("s", strings.TrimSuffix(message, ".")+". "+rest)
				answers := answersIn(t, w.card("s", x.language).Row)
				if rest == "" && (len(answers) != 2 || !strings.Contains(y.reply, x.asks) || !strings.Contains(y.reply, "Question 3")) || rest != "" && (answers["situation"].Value != rest || answers["since"].Value != "") {
					t.Errorf("%q %q is heard as %+v: %q", message, rest, answers, y.reply)
				}
			}
			// In the middle of a conversation it is no different, nor where nothing was told before.
			w := newWorld(t, x.audience, x.language)
			w.say("s", "...", "region", "GB", "age", "at_15")
			w.say("s", x.danger)
			w.say("s2", x.danger)
			for session, answers := range map[string]int{"s": 2, "s2": 0} {
				if y := w.say(session, message); len(answersIn(t, w.card(session, x.language).Row)) != answers || !strings.Contains(y.reply, x.asks) {
					t.Errorf("%s: %q is heard as %+v: %q", session, message, answersIn(t, w.card(session, x.language).Row), y.reply)
				}
			}
			w = newWorld(t, x.audience, x.language)
			w.say("s", x.danger, "region", "GB", "age", "at_15")
			if w.say("s", x.told); answersIn(t, w.card("s", x.language).Row)["situation"].Value != x.told {
				t.Errorf("%q is not heard after help", x.told)
			}
		}
	}
}

// "I wrote that I do not live in France, and that I want to die. It gave me the lines of France."
func TestCompanion_C4_ACountryThatIsDeniedIsNotTheOneLivedIn(t *testing.T) {
	calm := []struct{ language, message, region string }{{"fr", "je vis pas en France", ""}, {"fr", "j'habite plus en France", ""}, {"fr", "j'habite toujours pas en France", ""}, {"fr", "je n'habite pas du tout en France", ""}, {"fr", "je vis presque en France, à la frontière", ""},
		{"fr", "je vis loin de mes enfants en France", ""}, {"en", "i live far from my dad in France", ""}, {"en", "I live alone not in France", ""}, {"en", "I don't live in France anymore", ""}, {"en", "my dad thinks I live in France", ""}, {"en", "I'm not in France", ""}, {"fr", "je vis avec ma mère pas en France", ""},
		{"en", "I live between France and Belgium", ""}, {"fr", "j'habite pas en France, mais en Suisse", "CH"}, {"en", "I don't live in France but in Switzerland", "CH"}, {"fr", "pas en France, en Belgique", "BE"}, {"fr", "j'habite seul en Suisse", "CH"}, {"fr", "j'habite dans un village en Suisse", "CH"}, {"en", "I live near Dublin in Ireland", "IE"}, {"fr", "je vis encore en Suisse", "CH"}}
	for _, x := range calm {
		for _, known := range []string{"", "BE", "FR"} {
			w := newWorld(t, "teen", x.language)
			w.voice.answers["ContextAnswers"] = `{}`
			if known != "" {
				w.say("s", "...", "region", known, "age", "at_15", "consent", "full")
			}
			y := w.say("s", x.message)
			want := x.region
			if got := answersIn(t, w.card("s", x.language).Row)["region"].Value; want == "" && got == "FR" && (known != "FR" || strings.Contains(x.message, "not in") || strings.Contains(x.message, "pas en")) || want != "" && got != want || want == "" && known == "BE" && got != "BE" {
				t.Errorf("%q, where %q is known, is heard as %q: %q", x.message, known, got, y.reply)
			}
			if strings.Contains(y.reply, "France.") {
				t.Errorf("%q, where %q is known: %q", x.message, known, y.reply)
			}
		}
	}
	// Where it was known, it is asked anew, also after advice; who says nothing of another one is given no country's lines.
	w := newWorld(t, "teen", "fr")
	w.say("s", everything["fr"], "region", "FR", "age", "from_16_to_17", "consent", "full")
	if x := w.say("s", "j'habite plus en France"); !strings.Contains(x.reply, "Dans quel pays es-tu") {
		t.Errorf("%q", x.reply)
	}
	if x := w.say("s", "je veux mourir"); !x.visited(turn.SafetyIntervention) || strings.Contains(x.reply, "3114") {
		t.Errorf("%q", x.reply)
	}
	if x := w.say("s", "Belgique"); answersIn(t, w.card("s", "fr").Row)["region"].Value != "BE" || !strings.Contains(x.reply, "Noté : Belgique.") {
		t.Errorf("%q", x.reply)
	}
	for _, x := range []struct{ audience, region, message, has, not string }{
		{"teen", "BE", "je vis pas en France, je veux mourir", "0800 32 123", "3114"}, {"teen", "FR", "je vis pas en France, je veux mourir", "112", "3114"}, {"teen", "FR", "je n'habite plus en France, j'habite en Belgique et je veux mourir", "0800 32 123", "3114"},
		{"parent", "FR", "j'habite pas en France, mais en Suisse, et mon fils veut se suicider", "143", "3114"}, {"parent", "", "j'habite pas en France, mais en Suisse, et mon fils veut se suicider", "143", "3114"}} {
		w := newWorld(t, x.audience, "fr")
		if x.region != "" {
			w.say("s", "...", "region", x.region, "age", "at_15")
		}
		if y := w.say("s", x.message); !y.visited(turn.SafetyIntervention) || !strings.Contains(y.reply, x.has) || strings.Contains(y.reply, x.not) {
			t.Errorf("%s in %q, %q: %q", x.audience, x.region, x.message, y.reply)
		}
		if y := w.say("s", "je veux mourir"); strings.Contains(y.reply, x.not) {
			t.Errorf("after %q: %q", x.message, y.reply)
		}
	}
}

// "I asked it for a number to call, three times. It asked me which of the steps had worked."
func TestCompanion_C4_WhoAsksForANumberOrWhomToCallGetsTheLinesOfTheirRegion(t *testing.T) {
	for language, said := range map[string][]string{
		"fr": {"quel numéro je peux appeler pour parler à quelqu'un ?", "c'est quoi le numéro pour les jeunes en difficulté", "qui appeler", "tu n'aurais pas un numéro d'écoute ?", "je ne sais pas à qui en parler", "est-ce qu'il y a une ligne d'écoute ?", "donne-moi un numéro à appeler stp", "on peut appeler qui ?", "comment joindre une ligne d'écoute ?", "un num stp", "who can I call?"},
		"en": {"who can I call?", "is there a hotline", "can you give me a number to call?", "What's the number for Childline?", "I don't know who to call", "any helpline for teens?", "is there anyone I can text?", "helpline please", "gimme a number", "how do I reach a helpline"},
	} {
		lines := map[string]string{"fr": "0800 32 123", "en": "0800 1111"}[language]
		region := map[string]string{"fr": "BE", "en": "GB"}[language]
		for _, message := range said {
			// While questions are open it is answered first, and the question stays.
			w := newWorld(t, "teen", language)
			w.say("s", map[string]string{"fr": "Bonjour", "en": "Hello"}[language], "region", region, "age", "at_15", "consent", "full")
			x := w.say("s", message)
			if question := map[string]string{"fr": "Qu'est-ce qui se passe", "en": "What is going on"}[language]; !strings.Contains(x.reply, lines) || !strings.Contains(x.reply, question) || len(answersIn(t, w.card("s", language).Row)) != 2 {
				t.Errorf("%q, while questions are open: %q", message, x.reply)
			}
			if strings.Contains(x.reply, "appelez") {
				t.Errorf("a young person is addressed formally: %q", x.reply)
			}
			// Once advice was given, no model stands between.
			w = agreed(t, language)
			w.say("s", everything[language])
			if x = w.say("s", message); !strings.Contains(x.reply, "3114") || x.visited(companion.OngoingSupport) {
				t.Errorf("%q, after advice: %q", message, x.reply)
			}
		}
	}
	// What is told beside it is heard as well.
	w := newWorld(t, "teen", "fr")
	w.say("s", "Bonjour", "region", "FR", "age", "at_15", "consent", "full")
	if x := w.say("s", "ma meilleure amie ne me parle plus. qui appeler ?"); !strings.Contains(x.reply, "appelle le 119") || !strings.Contains(answersIn(t, w.card("s", "fr").Row)["situation"].Value, "ne me parle plus") {
		t.Errorf("%q", x.reply)
	}
	// A parent gets those for who worries, and who has not said where they live is told so.
	w = newWorld(t, "parent", "en")
	if x := w.say("s", "Do you have a number I can call about my son?"); !strings.Contains(x.reply, "116 111") || !strings.Contains(x.reply, "I do not know your country") || !strings.Contains(x.reply, "Which country are you in?") {
		t.Errorf("%q", x.reply)
	}
	if x := w.say("s", "United Kingdom. Which number can I call?"); !strings.Contains(x.reply, "NSPCC") {
		t.Errorf("%q", x.reply)
	}
	// A country that is asked for counts, wherever they live.
	for message, has := range map[string]string{"c'est quoi les numéros d'aide en Belgique ?": "0800 32 123", "un numéro pour mon fils en Suisse svp": "143", "y a un numéro ?": "3114", "vous auriez un numéro pour ma fille ?": "3114", "is there a number for us?": "3114", "who can I call in the UK?": "0800 1111", "je ne vis pas en Espagne, j'appelle qui ?": "3114"} {
		w := newWorld(t, "parent", "fr")
		w.say("s", "Bonjour", "region", "FR", "age", "at_15", "consent", "full")
		if x := w.say("s", message); !strings.Contains(x.reply, has) {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	for language, said := range map[string][]string{
		"fr": {"je veux pas de numéro d'urgence", "mon copain m'a donné son numéro", "j'ai déjà appelé une ligne d'écoute", "je n'ai personne à qui parler", "donne-moi un numéro de 1 à 10", "j'aimerais que mon père m'appelle", "quel est ton numéro ?", "je sais qui appeler"},
		"en": {"I don't want a helpline", "he wants my phone number", "we rang a helpline last week", "I have nobody to talk to", "what number am I on?", "can you call me Sam?", "my mum works for a helpline"},
	} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", map[string]string{"fr": "Bonjour", "en": "Hello"}[language], "region", "GB", "age", "at_15", "consent", "full")
			if x := w.say("s", message); strings.Contains(x.reply, "0800 1111") {
				t.Errorf("%q is taken for a question for a number: %q", message, x.reply)
			}
		}
	}
}

// "I wrote ‘je retire mon acord’, and ‘mon accord, je le retire’. It went on remembering and said nothing."
func TestCompanion_C29_AWithdrawalInOtherWordsOrWithASlipIsOneAndAQuestionHowIsAnswered(t *testing.T) {
	for language, said := range map[string][]string{
		"fr": {"je retire mon acord", "mon accord, je le retire", "je voudrais retirer l'accord que je t'ai donné", "ne garde rien finalement", "peux-tu ne plus retenir mes messages ?", "mon consentement est retiré", "mon accord que je t'avais donné, je le reprends", "arrette de tout retenir", "tu n'as plus mon accord", "supprime mon accord", "ne garde plus aucun résumé", "finalement non, pas de résumé", "j'ai changé d'avis pour le résumé", "finalement non pour le résumé", "tu n'as plus le droit de garder mes trucs"},
		"en": {"withdraw concent", "my consent is withdrawn", "i want to withdraw the consent i gave you", "please don't keep anything after all", "I'm taking my consent back", "consent: revoked", "the consent I gave you, I take it back", "please stop rememberring me", "you no longer have my consent", "please cancel my agreement to be remembered", "dont save anything else", "don't save a summary", "no summary please", "I changed my mind, don't save a summary", "actually don't keep a summary"},
	} {
		for _, message := range said {
			w := remembering(t, language)
			if x := w.say("s2", message); w.consent(teen).Scope != session.PendingConsent || !strings.Contains(x.reply, ": 1.") {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
	}
	for language, said := range map[string][]string{
		"fr": {"je ne retire pas mon accord", "je retire pas mon accord", "ma mère a retiré son accord", "mes parents retirent leur autorisation de sortie", "d'accord, j'enlève mes chaussures", "je suis d'accord de reprendre les cours", "ne pas noter mes cours", "je ne veux pas retirer mon accord", "tu n'as pas mon accord pour sortir avec lui", "pas de résumé de lecture à rendre demain", "je dois écrire un résumé du livre", "j'ai l'accord de mes parents pour annuler"},
		"en": {"I won't withdraw my consent", "I don't want to withdraw my consent", "I withdraw my consent for the school trip", "he touched me and I gave no consent, so I cancelled", "my mum says I should withdraw my consent", "we had an agreement and he took it back", "I cancelled my trip with permission", "consent is important, I want to undo what happened", "I'm content and I take my time", "no summary of the book is due", "my teacher says don't write a summary"},
	} {
		for _, message := range said {
			w := remembering(t, language)
			if x := w.say("s2", message); w.consent(teen).Scope != session.FullConsent {
				t.Errorf("%q takes consent back: %q", message, x.reply)
			}
		}
	}
	for language, said := range map[string][]string{
		"fr": {"comment retirer mon accord ?", "si je retire mon accord, que se passe-t-il ?", "est-ce que je peux retirer mon accord plus tard ?"},
		"en": {"can I withdraw my consent later?", "how do I withdraw my consent", "is it possible to revoke consent?"},
	} {
		for _, message := range said {
			w := remembering(t, language)
			if x := w.say("s2", message); w.consent(teen).Scope != session.FullConsent || !strings.Contains(x.reply, map[string]string{"fr": "écris « je retire mon accord »", "en": "write “withdraw consent”"}[language]) || x.visited(companion.OngoingSupport) {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
	}
}

// "I am twelve, deleted what it knew of me, and it told me to write that it can keep a summary. I wrote it, and it said no."
func TestCompanion_C29_WhoIsTooYoungIsNotToldHowToGiveAYes(t *testing.T) {
	for language, said := range map[string][4]string{"fr": {"je retire mon accord", "tu peux garder un résumé", "supprime mes données", "en fait j'ai 12 ans"}, "en": {"withdraw consent", "you can keep a summary", "delete my data", "actually I'm 12"}} {
		for _, order := range []string{said[0], said[2]} {
			w := remembering(t, language)
			if x := w.say("s", order); !strings.Contains(x.reply, said[1]) {
				t.Errorf("%q: %q", order, x.reply)
			}
			w = remembering(t, language)
			if x := w.say("s", said[3]); strings.Contains(x.reply, said[1]) || w.consent(teen).Scope != session.PendingConsent {
				t.Errorf("%q: %q", said[3], x.reply)
			}
			if x := w.say("s", order); strings.Contains(x.reply, said[1]) {
				t.Errorf("%q of who is too young: %q", order, x.reply)
			}
		}
	}
}

// "It asked for my country, I wrote Maroc, and it asked again as if I had said nothing."
func TestCompanion_C4_ACountryWithoutLinesIsTakenAsElsewhereAndSaidBack(t *testing.T) {
	for message, language := range map[string]string{"Maroc": "fr", "au Sénégal": "fr", "j'habite en Algérie": "fr", "Morocco": "en", "I live in Poland": "en", "the Philippines": "en"} {
		w := newWorld(t, "teen", language)
		w.voice.answers["ContextAnswers"] = `{}`
		w.say("s", "...")
		if x := w.say("s", message); answersIn(t, w.card("s", language).Row)["region"].Value != "elsewhere" || !strings.Contains(x.reply, map[string]string{"fr": "Noté : ailleurs.", "en": "Noted: elsewhere."}[language]) {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	// It counts where another one was known, for help in danger as well, and for the sessions to come.
	w := newWorld(t, "teen", "fr")
	w.say("s", everything["fr"], "consent", "full", "age", "from_16_to_17")
	if x := w.say("s", "j'habite au Maroc maintenant"); !strings.Contains(x.reply, "Noté : ailleurs.") || w.consent(teen).Region != "" {
		t.Errorf("%q, %+v", x.reply, w.consent(teen))
	}
	if x := w.say("s", "quel numéro je peux appeler ?"); strings.Contains(x.reply, "3114") || !strings.Contains(x.reply, "Je ne connais pas de ligne d'écoute de ton pays") {
		t.Errorf("%q", x.reply)
	}
	if x := newWorld(t, "teen", "fr").say("s", "je suis au Maroc et je veux mourir", "region", "FR"); !x.visited(turn.SafetyIntervention) || strings.Contains(x.reply, "3114") {
		t.Errorf("%q", x.reply)
	}
	// What is no country is asked again with a hint.
	for language, hint := range map[string]string{"fr": "Si ton pays n'est pas dans la liste, écris « ailleurs ».", "en": "If your country is not in the list, write “elsewhere”."} {
		w := newWorld(t, "teen", language)
		if x := w.say("s", "..."); strings.Contains(x.reply, hint) {
			t.Errorf("%q", x.reply)
		}
		if x := w.say("s", "Wakanda"); !strings.Contains(x.reply, hint) {
			t.Errorf("%q", x.reply)
		}
	}
}

// "I wrote </3, and under what I had told stood < /3."
func TestCompanion_C31_WhatSomebodyTypedStandsThereAsTheyTypedIt(t *testing.T) {
	for _, message := range []string{"Mon copain m'a quittée hier </3", "il a dit </b> et je pleure depuis"} {
		w := newWorld(t, "teen", "fr")
		w.voice.answers["Summary"] = ""
		w.say("s", "...", "region", "FR", "age", "at_15", "consent", "full")
		w.say("s", message)
		if a := answersIn(t, w.card("s", "fr").Row)["situation"]; a.Value != message || a.Quote != message {
			t.Errorf("%q stands there as %q, quoted %q", message, a.Value, a.Quote)
		}
	}
}

// "I wrote that I told Snapchat I am 18, and it let me agree for myself. I am thirteen."
func TestCompanion_C31_AnAgeThatIsToldToSomebodyElseIsNone(t *testing.T) {
	for message, language := range map[string]string{"I told Snapchat I'm 18": "en", "I told my boss that I'm 18": "en", "told them I'm 18": "en", "on Insta I'm 18 and a guy wrote to me": "en",
		"sur Snap j'ai 18 ans et un type m'écrit": "fr", "pour le site j'ai 18 ans": "fr", "j'ai dit à Insta que j'ai 18 ans": "fr"} {
		for _, before := range []bool{false, true} {
			w := newWorld(t, "teen", language)
			w.voice.answers["ContextAnswers"] = "{}"
			if before {
				w.say("s", "...")
			}
			w.say("s", message, "region", "FR")
			if got := answersIn(t, w.card("s", language).Row)["age"].Value; got != "" {
				t.Errorf("%q is heard as %q", message, got)
			}
		}
	}
	w := newWorld(t, "teen", "en")
	w.say("s", "I told Snapchat I'm 18 but I'm 13", "region", "FR")
	if got := answersIn(t, w.card("s", "en").Row)["age"].Value; got != "from_13_to_14" {
		t.Errorf("the own age is %q", got)
	}
}

// "I agreed as sixteen, and wrote: sorry, 12. It went on remembering me by my own yes."
func TestCompanion_C29_AnAgeThatIsPutRightWithASorryEndsTheYesOfAChild(t *testing.T) {
	for language, said := range map[string][]string{"fr": {"pardon 12", "pardon 12 ans", "jsuis désolé, 12 ans", "Erreur, 12 ans !", "oups je voulais dire 12"}, "en": {"sorry 12", "Sorry, 12 years old.", "typo, 12", "oops I meant 12", "wait no sorry i'm 12"}} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", map[string]string{"en": "Hello", "fr": "Bonjour"}[language], "region", "FR", "age", "from_16_to_17", "consent", "full")
			w.say("s", message)
			if got := answersIn(t, w.card("s", language).Row)["age"].Value; got != "under_13" || w.consent(teen).Scope == session.FullConsent {
				t.Errorf("%q: %s, %s", message, got, w.consent(teen).Scope)
			}
		}
	}
}
