package companion_test

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/companion"
	"holdpoint/engine/model"
)

// "She wrote that she is 13, and was asked again how old she is."
func TestCompanion_C30_AnAgeIsItsBracket(t *testing.T) {
	for said, want := range map[string]string{"13": "from_13_to_14", "j'ai 15 ans": "at_15", "17 ans": "from_16_to_17", "bientôt 16 ans": "at_15", "12": "under_13", "2": "from_13_to_14"} {
		w := newWorld(t, "teen", "fr")
		w.vars["person"] = "Zoe"
		w.say("s", "Bonjour", "region", "FR")
		w.say("s", said)
		if got := w.consent(teen + ":as:zoe").Age; got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// "I said yes, it said that I am too young, and then my yes was what weighs on me."
func TestCompanion_C31_ABareYesAnswersNoOpenQuestion(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.say("s", "Bonjour", "region", "FR", "age", "from_13_to_14", "consent", "full")
	if x := w.say("s", "oui"); !strings.Contains(x.reply, "Question 3") || !strings.Contains(x.reply, "Qu'est-ce qui se passe") {
		t.Errorf("it is not asked again: %q", x.reply)
	}
}

func TestCompanion_C30_ChoicesAreEnumsOfASchemaMadeOfTheQuestions(t *testing.T) {
	w := newWorld(t, "parent", "fr")
	w.say("s", "Bonjour")
	asked := w.voice.asked["ContextAnswers"][0]
	for _, part := range []string{`"enum":["unknown","under_13","from_13_to_14","at_15","from_16_to_17","from_18"]`, `"situation"`, `"reasoning"`, `"confidence"`, `"FR"`} {
		if !strings.Contains(string(asked.Format), part) {
			t.Errorf("the schema has no %s: %s", part, asked.Format)
		}
	}
	w.say("s", "5")
	if again := w.voice.asked["ContextAnswers"]; len(again) != 1 {
		t.Error("a choice by its number needed a model")
	}
	w.say("s", "13 ou 14 ans")
	w.say("s", "Il ne dort plus.")
	if last := w.voice.asked["ContextAnswers"]; strings.Contains(string(last[len(last)-1].Format), `"region"`) {
		t.Error("what was answered is asked of the model again")
	}
}

// "My friend is twelve. It took me for twelve and said that a parent has to agree."
func TestCompanion_C31_TheAgeAndCountryOfOthersAreNobodysOwn(t *testing.T) {
	read := func(id, quote, answer string) string {
		return `{"` + id + `":{"quote":"` + quote + `","reasoning":"x","answer":"` + answer + `","confidence":0.99}}`
	}
	for _, x := range []struct{ audience, message, answers, region, age string }{
		{"teen", "ma copine de 14 ans m'a largué", read("age", "14 ans", "from_13_to_14"), "", ""},
		{"teen", "j'ai pas encore 15 ans", read("age", "15 ans", "at_15"), "", ""},
		{"teen", "mon frère a 12 ans, on s'engueule", read("age", "a 12 ans", "under_13"), "", ""},
		{"teen", "I moved from France to Spain when I was 9", read("region", "France", "FR"), "", ""},
		{"teen", "quand j'avais 16 ans ça allait", read("age", "16 ans", "from_16_to_17"), "", ""},
		{"parent", "J'ai 17 ans de mariage, mon fils est triste", read("age", "17 ans", "from_16_to_17"), "", ""},
		{"teen", "I am a fifteen year old boy from Lyon in France", read("age", "fifteen year old", "at_15"), "", "at_15"},
		{"teen", "mon copain habite en Belgique", read("region", "Belgique", "BE"), "", ""}, {"teen", "mon copain est loin, il habite en Belgique", read("region", "en Belgique", "BE"), "", ""},
		{"teen", "je vais en vacances en Espagne", read("region", "en Espagne", "ES"), "", ""}, {"teen", "je pars en Espagne cet été", read("region", "Espagne", "ES"), "", ""}, {"teen", "I don't live in France", read("region", "live in France", "FR"), "", ""},
		{"teen", "I wish I lived in Canada", read("region", "I lived in Canada", "CA"), "", ""}, {"teen", "I'm going to Spain with my class", read("region", "Spain", "ES"), "", ""}, {"teen", "mes grands-parents vivent en Italie", read("region", "Italie", "IT"), "", ""},
		{"teen", "my pen pal from Ireland ghosted me", read("region", "Ireland", "IE"), "", ""}, {"teen", "je vis pas en France", read("region", "en France", "FR"), "", ""}, {"parent", "ma fille étudie en Espagne", read("region", "en Espagne", "ES"), "", ""}, {"teen", "if I moved to Canada", read("region", "Canada", "CA"), "", ""},
		{"teen", "ça fait 15 ans que mes parents se disputent", read("age", "15 ans", "at_15"), "", ""}, {"teen", "j'ai dit à Insta que j'ai 18 ans", read("age", "j'ai 18 ans", "from_18"), "", ""}, {"teen", "they have been fighting for 15 years", read("age", "15 years", "at_15"), "", ""},
		{"teen", "mes parents ont 45 ans", read("age", "45 ans", "from_18"), "", ""}, {"teen", "my tiktok account says 18 years", read("age", "18 years", "from_18"), "", ""}, {"teen", "il faut avoir 18 ans pour le permis", read("age", "18 ans", "from_18"), "", ""}, {"teen", "I have to wait, in 2 years I can leave, 16 years of this", read("age", "16 years of this", "from_16_to_17"), "", ""},
		{"teen", "we go to school in Ireland and it is hard", read("region", "in Ireland", "IE"), "IE", ""}, {"teen", "ici en Belgique les profs crient", read("region", "en Belgique", "BE"), "BE", ""},
		{"teen", "Chez nous en Suisse tout ferme tôt", read("region", "en Suisse", "CH"), "CH", ""},
	} {
		w := newWorld(t, x.audience, "fr")
		w.voice.answers["ContextAnswers"] = x.answers
		w.say("s", x.message)
		var row struct {
			Output struct{ Answers map[string]companion.Answer }
		}
		if err := json.Unmarshal(w.card("s", "fr").Row, &row); err != nil {
			t.Fatal(err)
		}
		if row.Output.Answers["region"].Value != x.region || row.Output.Answers["age"].Value != x.age {
			t.Errorf("%q is heard as %q, %q", x.message, row.Output.Answers["region"].Value, row.Output.Answers["age"].Value)
		}
	}
}

func TestCompanion_C31_OnlyExplicitFactsCount(t *testing.T) {
	w := newWorld(t, "teen", "en")
	one := func(quote, answer string, sure string) string {
		return `{"quote":"` + quote + `","reasoning":"x","answer":"` + answer + `","confidence":` + sure + `}`
	}
	w.voice.answers["ContextAnswers"] = `{"region":` + one("", "FR", "0.99") + `,"age":` + one("fifteen years", "at_15", "0.99") + `,"situation":` + one("Everything is hard", "everything is hard", "0.9") +
		`,"since":` + one("hard", "months", "0.4") + `,"tried":` + one("Everything", "unknown", "0.9") + `,"hope":` + one("Everything", "", "0.9") + `}`
	x := w.say("s", "everything  is hard.")
	if !strings.Contains(x.reply, "Question 2 of 6") {
		t.Errorf("not one answer counts: %q", x.reply)
	}
	w.voice.answers["ContextAnswers"] = ""
	w.say("s", "5")
	w.say("s", "2")
	if x = w.say("s", "3"); !strings.Contains(x.reply, "What have you tried") {
		t.Errorf("%q", x.reply)
	}
}

func TestCompanion_C32_FurtherQuestionsAreSwitchedAtRunTimeCappedAndNeverWaitedFor(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.answers["TwoQuestions"] = `{"questions":["Who knows?","When is it easier?","What else?"]}`
	x := w.say("s0", "I am nervous about exams.", "consent", "full", "region", "FR", "age", "at_15")
	if strings.Contains(x.reply, "Who knows?") || w.voice.count("TwoQuestions") != 0 {
		t.Error("it asks more though that is off")
	}
	w.deps.Features = map[string]bool{"enable_dynamic_question_generation": true}
	x = w.say("s1", "I am nervous about exams.")
	if !strings.Contains(x.reply, "Who knows?") || strings.Contains(x.reply, "What else?") {
		t.Errorf("%q", x.reply)
	}
	// They are not waited for, and an answer to one is used.
	w.say("s1", "5")
	w.voice.mu.Lock()
	w.voice.answers["ContextAnswers"] = `{"extra_1":{"quote":"My sister knows","reasoning":"x","answer":"my sister","confidence":0.9}}`
	w.voice.mu.Unlock()
	w.say("s1", "My sister knows")
	w.voice.answers["ContextAnswers"] = ""
	x = w.say("s1", everything["en"])
	if !x.visited(companion.GiveAdvice) || !strings.Contains(w.voice.last(t, "GiveAdviceAnswer"), "my sister") {
		t.Errorf("%v", x.stages)
	}
	// A scope without consent asks none.
	w = newWorld(t, "parent", "en")
	w.deps.Features = map[string]bool{"enable_dynamic_question_generation": true}
	w.voice.fails["TwoQuestions"] = model.ErrBroken
	w.say("s", "My son does not sleep.")
	if w.voice.count("TwoQuestions") != 0 {
		t.Error("it asks more without consent")
	}
	// A failure costs nothing but the questions.
	if x = w.say("s", "yes. I live in France"); x.reply == "" || w.voice.count("TwoQuestions") != 1 || !x.warned("no further questions") {
		t.Errorf("%q", x.reply)
	}
}

// "I had gone on in French, and below each reply stood ‘Si tu veux, dis-moi aussi : When is it a little easier?’"
func TestCompanion_C32_FurtherQuestionsAreAskedInTheLanguageOfTheTurnOrNotAtAll(t *testing.T) {
	cards := func(w *world) agent.CardView {
		t.Helper()
		view, err := w.agent.Cards.Show(w.card("s", "fr"), w.agent.Wording.Get)
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	const english, french = "When is it a little easier?", "Quand est-ce un peu plus facile"
	w := newWorld(t, "teen", "en")
	w.deps.Features = map[string]bool{"enable_dynamic_question_generation": true}
	if x := w.say("s", "I am nervous about exams.", "consent", "full", "region", "FR", "age", "at_15"); !strings.Contains(x.reply, english) {
		t.Fatalf("%q", x.reply)
	}
	w.vars["language"] = "fr"
	for _, message := range []string{"on peut parler français ?", "depuis quelques semaines"} {
		if x := w.say("s", message); strings.Contains(x.reply, english) || !strings.Contains(x.reply, french) {
			t.Errorf("%q: %q", message, x.reply)
		}
	}
	for _, q := range cards(w).Asked {
		if q.Say == english {
			t.Error("the card shows it in the language before")
		}
	}
	if w.voice.count("TwoQuestions") != 2 {
		t.Errorf("it is asked %d times for them", w.voice.count("TwoQuestions"))
	}
	// One that was answered stays as it was asked, and is not asked again; the others are left out.
	w = newWorld(t, "teen", "en")
	w.deps.Features = map[string]bool{"enable_dynamic_question_generation": true}
	w.voice.answers["TwoQuestions"] = `{"questions":["Who knows?","When is it easier?"]}`
	w.say("s", "I am nervous about exams.", "consent", "full", "region", "FR", "age", "at_15")
	w.voice.answers["ContextAnswers"] = `{"extra_2":{"quote":"at night","reasoning":"x","answer":"at night","confidence":0.9}}`
	if x := w.say("s", "It is easier at night"); strings.Contains(x.reply, "When is it easier?") || !strings.Contains(x.reply, "Who knows?") {
		t.Errorf("%q", x.reply)
	}
	w.voice.answers["ContextAnswers"] = ""
	w.vars["language"] = "fr"
	if x := w.say("s", "on peut parler français ?"); strings.Contains(x.reply, "Who knows?") || strings.Contains(x.reply, "dis-moi aussi") {
		t.Errorf("%q", x.reply)
	}
	said := ""
	for _, q := range cards(w).Asked {
		if said += q.Say + "\n"; q.Say == "When is it easier?" && q.Answer != "at night" {
			t.Errorf("%+v", q)
		}
	}
	if !strings.Contains(said, "When is it easier?") || strings.Contains(said, "Who knows?") {
		t.Errorf("the card shows %q", said)
	}
}

// "It asked where I am, I wrote 16, and it took me to be in India. I wrote ‘UK’, and it asked my age again."
func TestCompanion_C4_ANumberIsSaidBackAndACountryIsToldAnew(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", "My friends ignore me.")
	if x := w.say("s", "16"); !strings.Contains(x.reply, "Noted: India.") {
		t.Errorf("nobody sees what the number was taken for: %q", x.reply)
	}
	x := w.say("s", "UK")
	if !strings.Contains(x.reply, "Noted: United Kingdom.") || !strings.Contains(x.reply, "How old are you") {
		t.Errorf("the country cannot be told anew: %q", x.reply)
	}
	if x = w.say("s", "16"); strings.Contains(x.reply, "How old are you") || !strings.Contains(x.reply, "May I keep it?") {
		t.Errorf("the age is not heard: %q", x.reply)
	}
	for words, country := range map[string]string{"etats unis": "États-Unis", "Angleterre": "Royaume-Uni", "au Québec": "Canada"} {
		w = newWorld(t, "teen", "fr")
		w.say("s", "Mes amis m'ignorent.")
		if x = w.say("s", words); strings.Contains(x.reply, "Dans quel pays") {
			t.Errorf("%s is not heard as %s: %q", words, country, x.reply)
		}
	}
}

// "I wrote that I am 16 and live in France. It asked me where I live."
func TestCompanion_C4_AgeAndCountryAreHeardInASentenceWhateverAModelMakesOfIt(t *testing.T) {
	for _, x := range []struct{ audience, language, message, region, age string }{
		{"teen", "fr", "J'ai 16 ans et j'habite en France", "FR", "from_16_to_17"},
		{"teen", "fr", "jhabite au Québec, jai 13 ans", "CA", "from_13_to_14"},
		{"teen", "fr", "Je vis en Belgique. J'ai presque 16 ans.", "BE", "at_15"},
		{"teen", "en", "I'm 15 and I live in the UK", "GB", "at_15"},
		{"teen", "en", "we live in it, my friend is 14 years old", "", ""},
		{"teen", "fr", "mon copain habite en Suisse et elle a 14 ans", "", ""},
		{"teen", "fr", "je n'habite pas en France", "", ""},
		{"parent", "en", "I am 45 and we live in Ireland, my son is 14", "IE", "from_13_to_14"},
		{"parent", "fr", "J'ai 45 ans, ma fille a 12 ans", "", "under_13"},
		{"teen", "en", "im 17 and live in the UK", "GB", "from_16_to_17"},
		{"teen", "en", "I'm 17, UK", "GB", "from_16_to_17"},
		{"teen", "fr", "g 16 ans, on vit au Luxembourg", "LU", "from_16_to_17"},
		{"teen", "fr", "j'ai 15 ans et demi", "", "at_15"},
		{"parent", "en", "my daughter lies to me, she is 17 and we live in Ireland", "IE", "from_16_to_17"},
		{"parent", "en", "My 14-year-old won't come out of his room", "", "from_13_to_14"},
		{"parent", "en", "my 12 year old niece is rude to my kid", "", ""},
		{"parent", "en", "my daughter's boyfriend is rude, he is 19", "", ""},
		{"parent", "fr", "Mon fils de 14 ans ne sort plus de sa chambre", "", "from_13_to_14"},
	} {
		w := newWorld(t, x.audience, x.language)
		w.voice.answers["ContextAnswers"] = "{}" // the model hears nothing
		w.say("s", "...")
		w.say("s", x.message)
		var row struct {
			Output struct {
				Answers map[string]companion.Answer
			}
		}
		if err := json.Unmarshal(w.card("s", x.language).Row, &row); err != nil {
			t.Fatal(err)
		}
		if row.Output.Answers["region"].Value != x.region || row.Output.Answers["age"].Value != x.age {
			t.Errorf("%s: %q is heard as %q, %q", x.audience, x.message, row.Output.Answers["region"].Value, row.Output.Answers["age"].Value)
		}
	}
}

// answersIn are the answers of a conversation in a session's row.
func answersIn(t *testing.T, row json.RawMessage) map[string]companion.Answer {
	t.Helper()
	var r struct{ Output companion.Conversation }
	if err := json.Unmarshal(row, &r); err != nil {
		t.Fatal(err)
	}
	return r.Output.Answers
}

// "It said that I may answer in my own words, I did, twice, and it stands there as not said. The number that I gave then is what I have tried."
func TestCompanion_C4_ALengthOfTimeIsKeptInOwnWordsAndANumberAnswersNoQuestionWithoutChoices(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"since 9th grade", "dunno, ages", "ever since my parents split up", "it started when we moved", "too long", "a good while now", "all my life tbh", "about two and a half years ago", "always"},
		"fr": {"jsp lgtps", "depuis ke jsuis en 3e", "ça a commencé à la rentrée", "depuis que mon frère est parti", "trop longtemps", "toute ma vie", "y a genre 3 semaines", "tjrs", "l'été dernier"},
	} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", everythingBut(language), "region", "FR", "age", "at_15", "consent", "full")
			w.voice.answers["ContextAnswers"] = "{}" // the model hears nothing
			x := w.say("s", message)
			if a := answersIn(t, w.card("s", language).Row)["since"]; a.Value != message || !strings.Contains(x.reply, "Question 5") {
				t.Errorf("%q stands as %+v: %q", message, a, x.reply)
			}
			w.voice.answers["ContextAnswers"] = `{"tried":{"quote":"3","reasoning":"x","answer":"3","confidence":0.9}}`
			x = w.say("s", "3")
			if a, ok := answersIn(t, w.card("s", language).Row)["tried"]; ok || !strings.Contains(x.reply, "Question 5") {
				t.Errorf("3 is what was tried: %+v, %q", a, x.reply)
			}
		}
	}
	// What says nothing of a time is asked about once more, and then it stands as it was said, or the question is said to stay open.
	for language, said := range map[string][3]string{"en": {"my dad hates me", "he really does", "stays open"}, "fr": {"mon père me déteste", "ben comme ça", "question ouverte"}} {
		w := newWorld(t, "teen", language)
		w.say("s", everythingBut(language), "region", "FR", "age", "at_15", "consent", "full")
		w.voice.answers["ContextAnswers"] = "{}"
		if x := w.say("s", said[0]); !strings.Contains(x.reply, "Question 4") || strings.Contains(x.reply, said[2]) {
			t.Errorf("%q", x.reply)
		}
		if x := w.say("s", said[1]); !strings.Contains(x.reply, "Question 5") || answersIn(t, w.card("s", language).Row)["since"].Value != said[1] {
			t.Errorf("%q", x.reply)
		}
		w = newWorld(t, "teen", language)
		w.say("s", everythingBut(language), "region", "FR", "age", "at_15", "consent", "full")
		w.say("s", said[0])
		if x := w.say("s", "?!"); !strings.Contains(x.reply, said[2]) || !strings.Contains(x.reply, "Question 5") {
			t.Errorf("it is dropped without a word: %q", x.reply)
		}
		if x := w.say("s", map[string]string{"en": "some weeks", "fr": "quelques semaines"}[language]); answersIn(t, w.card("s", language).Row)["since"].Value != "weeks" {
			t.Errorf("it cannot be answered any more: %q", x.reply)
		}
	}
}

// everythingBut is a first message that says what is going on and no more.
func everythingBut(language string) string {
	return map[string]string{"en": "My parents argue every night.", "fr": "Mes parents se disputent chaque soir."}[language]
}

// "I put my age right, and it said ‘Noted: 16 or 17’ twice." "I gave my country with each message, and from the second on it noted that."
func TestCompanion_C4_WhatIsPutRightIsSaidBackOnce(t *testing.T) {
	for language, x := range map[string]struct {
		said  []string
		noted string
	}{
		"en": {[]string{"sorry, I'm 16 actually", "I am 17, not 15", "wait I'm 16"}, "Noted: 16 or 17."},
		"fr": {[]string{"pardon j'ai 16 ans en fait", "j'ai 17 ans, pas 15", "en fait j'ai 16 ans"}, "Noté : 16 ou 17 ans."},
	} {
		for _, message := range x.said {
			for _, asked := range []int{0, 1, 2} {
				w := newWorld(t, "teen", language)
				w.say("s", "...", "region", "GB", "age", "at_15", "consent", "full")
				for i := range asked {
					w.say("s", []string{everythingBut(language), "2"}[i])
				}
				y := w.say("s", message)
				if strings.Count(y.reply, x.noted) != 1 || answersIn(t, w.card("s", language).Row)["age"].Value != "from_16_to_17" {
					t.Errorf("%q after %d: %q", message, asked, y.reply)
				}
			}
		}
		w := newWorld(t, "teen", language)
		w.say("s", everythingBut(language), "region", "BE")
		for _, message := range []string{"17", "2"} {
			if y := w.say("s", message, "region", "BE"); strings.Contains(y.reply, "Belgi") {
				t.Errorf("%q with a country again: %q", message, y.reply)
			}
		}
		if y := w.say("s", "...", "region", "FR"); !strings.Contains(y.reply, "France") {
			t.Errorf("another country is not said back: %q", y.reply)
		}
	}
}

// "I wrote ‘Salut, j'habite en France, j'ai 16 ans’. It never asked what is going on, and what I told next it had no use for."
func TestCompanion_C31_WhoSomebodyIsAnswersNoOtherQuestion(t *testing.T) {
	for _, x := range []struct{ audience, language, message, ask, problem string }{
		{"teen", "fr", "Salut, j'habite en France, j'ai 16 ans", "Qu'est-ce qui se passe", "Mes parents se disputent tous les soirs"}, {"teen", "fr", "coucou je m'appelle Léa, j'ai 14 ans et j'habite à Lyon en France", "Qu'est-ce qui se passe", "Je dors mal"},
		{"teen", "fr", "slt 17 ans france", "Qu'est-ce qui se passe", "Je dors mal"}, {"teen", "en", "hey 16yo UK", "What is going on", "I fail every exam"},
		{"teen", "en", "Hi, I'm a 15 year old girl from Ireland", "What is going on", "I fail every exam"}, {"teen", "en", "I live in Leeds in the UK and my name is Sam, I'm 15", "What is going on", "I fail every exam"},
		{"parent", "fr", "Bonjour, j'habite en Suisse, ma fille a 14 ans", "Que se passe-t-il", "Elle ne dort plus"}, {"parent", "en", "Hello, I have a 14-year-old daughter. We live in Ireland.", "What is going on", "She fails every exam"},
	} {
		for _, read := range []string{"", "situation", "hope", "since"} {
			w := newWorld(t, x.audience, x.language)
			if read != "" { // one that makes an answer of it
				answer := map[string]any{"quote": x.message, "reasoning": "r", "answer": x.message, "confidence": 0.9}
				if read == "since" {
					answer["answer"] = "longer"
				}
				w.voice.answers["ContextAnswers"] = string(model.JSON(map[string]any{read: answer}))
			}
			y := w.say("s", x.message)
			if answers := answersIn(t, w.card("s", x.language).Row); len(answers) > 2 || read == "" && answers["region"].Value == "" {
				t.Errorf("%q (%s) is heard as %v", x.message, read, answers)
			}
			for range 3 {
				if !strings.Contains(y.reply, x.ask) { // the age or the country may still be asked for
					y = w.say("s", "skip")
				}
			}
			if !strings.Contains(y.reply, x.ask) {
				t.Errorf("after %q (%s) it does not ask what is going on: %q", x.message, read, y.reply)
			}
			delete(w.voice.answers, "ContextAnswers")
			if w.say("s", x.problem); answersIn(t, w.card("s", x.language).Row)["situation"].Value != x.problem {
				t.Errorf("after %q (%s), %q is not what is going on", x.message, read, x.problem)
			}
		}
	}
	// Nor is a greeting an answer to what was asked; what is told beside who somebody is, is one.
	for message, taken := range map[string]bool{"Bonjour": false, "J'ai 16 ans et je suis harcelée au lycée": true, "je vis un enfer en France": true, "je vis mal en ce moment": true} {
		w := newWorld(t, "teen", "fr")
		w.say("s", "...", "region", "FR", "age", "from_16_to_17", "consent", "full")
		if w.say("s", message); (answersIn(t, w.card("s", "fr").Row)["situation"].Value != "") != taken {
			t.Errorf("%q is heard as what is going on, or not: %v", message, !taken)
		}
	}
	// How long it has been is no age.
	w := newWorld(t, "teen", "fr")
	w.say("s", "Mes parents se disputent tous les soirs", "region", "FR", "age", "from_16_to_17", "consent", "full")
	w.voice.answers["ContextAnswers"] = `{"since":{"quote":"2 ans","reasoning":"r","answer":"longer","confidence":0.9}}`
	if w.say("s", "2 ans"); answersIn(t, w.card("s", "fr").Row)["since"].Value != "longer" {
		t.Error("“2 ans” is not heard")
	}
}
