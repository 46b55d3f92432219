package companion_test

import (
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/companion"
	"holdpoint/engine/model"
	"holdpoint/engine/session"
)

// "I turn fourteen on Saturday; until then I am thirteen." "It took my school year for my age."
func TestCompanion_C31_AnAgeFollowsFromABirthdayOrABirthYearForCertainOrIsAsked(t *testing.T) {
	// The world's clock begins in March 2026.
	for _, x := range []struct{ audience, message, age string }{
		{"teen", "je fête mes 14 ans samedi", "from_13_to_14"}, {"teen", "je fête mes 13 ans samedi", "under_13"}, {"teen", "I turn 15 on Saturday", "from_13_to_14"}, {"teen", "samedi j'aurai 16 ans", "at_15"},
		{"teen", "I'll be 13 next week", "under_13"}, {"teen", "c'est bientôt, je vais avoir 15 ans dans deux semaines", "from_13_to_14"}, {"teen", "im turning 18 tomorrow!", "from_16_to_17"},
		{"teen", "my bday is on friday, ill be 15", "from_13_to_14"}, {"teen", "j'ai 14 ans la semaine prochaine", "from_13_to_14"}, {"teen", "bientôt 13 ans, dans 3 jours", ""}, {"teen", "15 in 2 weeks", ""}, {"teen", "j'ai 15 ans, je vois le prof demain", "at_15"},
		{"teen", "12 y.o. actually", "under_13"}, {"teen", "15 y.o.", "at_15"}, {"teen", "I'm 13 y.o, and sad", "from_13_to_14"},
		{"teen", "née en 2012", "from_13_to_14"}, {"teen", "je suis né en 2015", "under_13"}, {"teen", "I was born in 2012", "from_13_to_14"}, {"teen", "je suis de 2009", "from_16_to_17"}, {"teen", "born in 2007", "from_18"},
		{"teen", "born in 2011", ""}, {"teen", "née en 2010", ""}, {"teen", "I was born in march 2013", ""},
		{"teen", "en 4e", ""}, {"teen", "8th grade", ""}, {"teen", "year 9", ""}, {"teen", "je suis en terminale", ""}, {"teen", "I'm in 10th grade", ""}, {"teen", "j'aurai 16 ans dans 3 ans", ""}, {"teen", "ma sœur fête ses 14 ans samedi", ""},
		{"teen", "j'ai 14 ans en 4e", "from_13_to_14"},
		{"parent", "ma fille fête ses 13 ans samedi", "under_13"}, {"parent", "my son turns 16 next week", "at_15"}, {"parent", "he was born in 2012", "from_13_to_14"}, {"parent", "elle est née en 2012", "from_13_to_14"},
		{"parent", "I was born in 1980", ""}, {"parent", "he is in year 9", ""}, {"parent", "je fête mes 40 ans samedi", ""},
	} {
		w := newWorld(t, x.audience, "fr")
		// A model that guesses.
		w.voice.answers["ContextAnswers"] = `{"age":{"quote":"` + x.message + `","reasoning":"x","answer":"from_13_to_14","confidence":0.99}}`
		w.say("s", "Bonjour", "region", "FR")
		reply := w.say("s", x.message).reply
		if got := answersIn(t, w.card("s", "fr").Row)["age"].Value; got != x.age || x.age == "" && !strings.Contains(reply, "Quel âge") {
			t.Errorf("%q is heard as %q: %q", x.message, got, reply)
		}
	}
}

// "I put my age right, and it went on remembering."
func TestCompanion_C29_AYoungerAgeInOtherWordsCountsAtOnce(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"12 y.o. actually", "I was born in 2014", "I turn 13 on Saturday", "tbh born in 2013"},
		"fr": {"en fait je suis née en 2014", "je fête mes 12 ans samedi", "11 ans en fait"},
	} {
		for _, message := range said {
			w := agreed(t, language)
			if x := w.say("s", message); w.consent(teen).Scope != session.PendingConsent {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
		for _, message := range map[string][]string{"en": {"my sister was born in 2014", "my friend turns 12 on Saturday", "I was born in 2009"}, "fr": {"ma cousine est née en 2014", "mon frère fête ses 12 ans samedi"}}[language] {
			w := agreed(t, language)
			if x := w.say("s", message); w.consent(teen).Scope != session.FullConsent {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
	}
}

// "I had set my country in the settings, and it asked me for it."
func TestCompanion_C29_TheRegionOfTheSettingsIsNotAskedAgain(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.deps.Region = "FR"
	w.vars["person"] = "Zoe"
	x := w.say("s", "I am nervous about all my exams.")
	if strings.Contains(x.reply, "Which country") || !strings.Contains(x.reply, "How old are you") {
		t.Errorf("it asks %q", x.reply)
	}
	if a := answersIn(t, w.card("s", "en").Row)["region"]; a.Value != "FR" || a.From != "settings" {
		t.Errorf("%+v", a)
	}
	// From 15 on in France, whose law it goes by; what was set for the program is nobody's own.
	x = w.say("s", "I'm 14")
	if !strings.Contains(x.reply, "younger than 15") || w.consent(teen+":as:zoe").Region != "" {
		t.Errorf("%q %+v", x.reply, w.consent(teen+":as:zoe"))
	}
	// Who says another one is heard.
	w.say("s", "I live in Canada")
	if a := answersIn(t, w.card("s", "en").Row)["region"]; a.Value != "CA" {
		t.Errorf("%+v", a)
	}
	// Who would rather not say is not told for.
	w = newWorld(t, "teen", "en")
	w.deps.Region = "FR"
	w.say("s", "Hello", "region", "rather_not_say")
	if a, ok := answersIn(t, w.card("s", "en").Row)["region"]; ok {
		t.Errorf("%+v", a)
	}
}

// "I asked what my daughter had written, and a model made something up."
func TestCompanion_C29_WhatSomebodyElseWroteIsToldNobodyAndWhy(t *testing.T) {
	for _, x := range []struct {
		audience, language string
		said               []string
		answer             string
	}{
		{"parent", "en", []string{"what did my son write?", "What has my daughter told you?", "can you show me what my kid wrote", "can I see my daughter's conversations?", "did my son talk to you?", "show me my son's messages", "I want to know what my daughter says to you", "has my son used this?", "What do you know about my son?", "tell me what my teenager said", "Could you let me read my son's chat?", "is my daughter writing to you too?", "what does my daughter write to you about?"}, "I keep the talks of different people apart"},
		{"parent", "fr", []string{"qu'est-ce que ma fille t'a écrit ?", "Que t'a dit mon fils ?", "mon fils t'a parlé ?", "Est-ce que ma fille vous a parlé ?", "montre-moi ce que mon fils a écrit", "je peux lire les messages de ma fille ?", "Je voudrais savoir ce que mon fils vous a dit", "qu'a écrit ma fille ?", "J'ai le droit de voir les messages de mon fils", "Qu'est-ce que mon ado te raconte ?", "je veux lire ce que ma fille écrit", "mon fils vous a-t-il écrit ?", "Qu'est-ce qu'elle t'a raconté ?", "Ma fille vous parle de quoi ?"}, "je garde les conversations de chacun à part"},
		{"teen", "en", []string{"what did my mum tell you?", "did my dad write to you?", "can i see what my mom wrote", "show me my mums messages", "what does my dad say about me"}, "I keep the talks of different people apart"},
		{"teen", "fr", []string{"qu'est-ce que ma mère t'a dit ?", "ma daronne t'a parlé ?", "je veux voir les messages de mon père", "mon père t'a écrit ?", "montre ce que ma mère a écrit", "elle t'a dit quoi ma mère ?", "est-ce que mes parents t'écrivent ?"}, "je garde les conversations de chacun à part"},
	} {
		for _, message := range x.said {
			w := newWorld(t, x.audience, x.language)
			w.say("s", "...", "region", "GB")
			asked := w.voice.count("ContextAnswers")
			y := w.say("s", message)
			if !strings.Contains(y.reply, x.answer) || y.visited(companion.CollectContext) || w.voice.count("ContextAnswers") != asked {
				t.Errorf("%q is answered by %v: %q", message, y.stages, y.reply)
			}
			// The question stays open.
			if y = w.say("s", "16"); !strings.Contains(y.reply, map[string]string{"en": "What is going on", "fr": "ue se passe-t-il"}[x.language]) && !strings.Contains(y.reply, "Qu'est-ce qui se passe") {
				t.Errorf("after %q: %q", message, y.reply)
			}
		}
	}
	for _, x := range [][3]string{
		{"parent", "en", "My son told me that he hates school"}, {"parent", "en", "What my daughter said hurt me"}, {"parent", "en", "does my son talk enough for his age?"}, {"parent", "en", "what should I write to my son?"},
		{"parent", "fr", "mon fils a dit qu'il déteste l'école"}, {"parent", "fr", "Ce que ma fille a écrit m'a blessée"}, {"parent", "fr", "Que dire à mon fils ?"}, {"teen", "fr", "ma mère me dit que je suis nul"}, {"teen", "en", "my mum told everyone my secret"},
	} {
		w := newWorld(t, x[0], x[1])
		w.say("s", "...", "region", "GB")
		if y := w.say("s", x[2]); strings.Contains(y.reply, "talks of different people") || strings.Contains(y.reply, "conversations de chacun") {
			t.Errorf("%q is taken for a question about somebody else's talk", x[2])
		}
	}
}

// "I wrote in Spanish, and it asked me in English how old I am."
func TestCompanion_C27_WhoWritesAnotherLanguageIsToldWhichAreSpokenOnce(t *testing.T) {
	for message, says := range map[string]string{
		"No puedo dormir porque mis padres discuten todas las noches": "Solo hablo inglés y francés", "Ich kann nicht schlafen, weil meine Eltern sich immer streiten": "Ich spreche nur Englisch und Französisch",
		"لا أستطيع النوم لأن والدي يتشاجران كل ليلة": "أتحدث الإنجليزية والفرنسية", "Nie mogę spać, bo moi rodzice się kłócą i nie wiem co robić": "Mówię tylko po angielsku",
		"Non riesco a dormire perché i miei genitori litigano con me e non so che fare": "Parlo solo inglese", "Я не могу спать, потому что мои родители все время кричат": "I speak English and French",
	} {
		w := newWorld(t, "teen", "en")
		x := w.say("s", message, "region", "FR", "age", "at_15")
		if !strings.Contains(x.reply, says) || !strings.Contains(x.reply, "112") || strings.Contains(x.reply, "911") {
			t.Errorf("%q: %q", message, x.reply)
		}
		if a, ok := answersIn(t, w.card("s", "en").Row)["situation"]; ok {
			t.Errorf("%q is taken for an answer: %+v", message, a)
		}
		if x = w.say("s", message); strings.Contains(x.reply, says) {
			t.Errorf("it is said again: %q", x.reply)
		}
	}
	// "I wrote French, and it answered in Italian."
	for _, message := range []string{"ma daronne pleure tt le temps", "salut, tu te souviens de quoi ?", "salut, de quoi tu te souviens ?", "un client m'a engueulée, j'ai failli pleurer", "forty kilos is still too much of me", "le test de pression a tenu trente minutes", "wsh jarrive pa a dormir", "jsuis trop triste la", "mdr la prof elle abuse grave", "I can't sleep because my parents argue", "Je vis à la campagne avec ma mère", "Marie Curie, Pablo Picasso", "i luv my bf but he no talk 2 me"} {
		w := newWorld(t, "teen", "fr")
		if x := w.say("s", message, "region", "FR", "age", "at_15"); strings.Contains(x.reply, "112") {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	a, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{"french pls": "fr", "english pls": "en", "can we do french": "fr", "french plz my english is bad": "fr", "pls french": "fr", "anglais stp": "en", "could we do this in english": "en", "lets do english": "en", "français svp mon anglais est nul": "fr", "en français ?": "fr", "english??": "en", "back to english please": "en", "on repasse en français": "fr"} {
		if got, asked := a.Tongue(message); got != want || !asked {
			t.Errorf("%q asks for %q (%v)", message, got, asked)
		}
	}
}

// "I am twelve, and it offered to know me again under a name."
func TestCompanion_C29_WhoIsTooYoungIsNotOfferedToBeKnownAgain(t *testing.T) {
	a, err := built()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "teen", "fr")
	say := func(audience, language, name string) (string, error) {
		return a.Wording.Get(audience, language, name)
	}
	for _, x := range []struct {
		region, age string
		offered     bool
	}{{"FR", "under_13", false}, {"FR", "from_13_to_14", false}, {"FR", "at_15", true}, {"GB", "from_13_to_14", true}, {"", "under_13", false}, {"FR", "", true}, {"FR", "rather_not_say", true}, {"rather_not_say", "at_15", false}} {
		vars := map[string]string{"audience": "teen", "language": "fr", "region": x.region, "age": x.age}
		card, err := a.Cards.Start(vars, say, func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(card.Fields, func(f agent.CardField) bool { return f.Own != "" }); got != x.offered {
			t.Errorf("%+v: %v", x, got)
		}
	}
	w.vars["audience"] = "parent"
	card, err := a.Cards.Start(map[string]string{"audience": "parent", "language": "fr", "region": "FR", "age": "under_13"}, say, func(string) bool { return false })
	if err != nil || card.Fields[len(card.Fields)-1].Own == "" {
		t.Errorf("a parent of a child is not: %v", err)
	}
}

// "Under its advice about sleep stood a source on bullying."
func TestCompanion_C7_OnlySourcesThatAreCitedOrWereJudgedToHelpAreShown(t *testing.T) {
	const advice = `{"advice":"Go to bed at ten every evening, and put the phone away for the exams.","sources":[],"action":"user_feedback"}`
	shown := func(change func(*voice)) string {
		w := newWorld(t, "teen", "en")
		w.voice.answers["GiveAdviceAnswer"] = advice
		change(w.voice)
		_, sources, _ := strings.Cut(w.say("s", everything["en"]).reply, "Where this comes from:")
		return sources
	}
	if s := shown(func(v *voice) { v.fails["Relevance"] = model.ErrBroken }); s != "" {
		t.Errorf("what nobody judged and nobody cites is shown: %s", s)
	}
	if s := shown(func(v *voice) {
		v.fails["Relevance"] = model.ErrBroken
		v.answers["GiveAdviceAnswer"] = strings.Replace(advice, "exams.", "exams (S2).", 1)
	}); !strings.Contains(s, "S2 ") || strings.Contains(s, "S1 ") {
		t.Errorf("what the advice names in its words is not what is shown: %s", s)
	}
	if s := shown(func(v *voice) { v.answers["Relevance"] = `{"scores":[{"id":"P1","score":9},{"id":"P2","score":2}]}` }); !strings.Contains(s, "S1 ") || strings.Contains(s, "S2 ") {
		t.Errorf("not what was judged to help: %s", s)
	}
}
