package companion_test

import (
	"strings"
	"testing"

	"holdpoint/engine/agents/companion"
	"holdpoint/engine/model"
)

// "It is a small model, and what it said to my daughter was no French, and nothing at all."
func TestCompanion_C33_WhatNobodyCanUseGivesWayToTheSources(t *testing.T) {
	for language, useless := range map[string][]string{
		"fr": {
			"I am sorry to hear that you are nervous about the exams. You should try to sleep and talk to somebody about it.",
			strings.Repeat("Je suis un assistant et je suis là pour les examens. ", 12),
			"Tu dois dormir dormir dormir dormir dormir avant les examens.",
			"Les volcans d'Islande sont connus pour leurs coulées, et des gens viennent de loin pour voir les champs noirs et les grandes cascades.",
			"Tu es un assistant chaleureux et direct pour adolescents. Tu n'es pas thérapeute et tu ne poses aucun diagnostic sur les examens.",
			"Tu peux appeler le 01 99 88 77 66 dès ce soir, ils parlent des examens avec toi.",
			"examens sommeil nuit téléphone révision stress fatigue école bruit lumière matin soir semaine",
			"试着早点睡觉，和你信任的大人谈谈考试，然后深呼吸，慢慢来。",
		},
		"en": {
			"Je comprends que les examens te rendent nerveux. Essaie de dormir et parle avec un adulte de ce qui te pèse.",
			strings.Repeat("The exams are the exams. ", 10),
			"You are a warm, plain-spoken assistant for teenagers. You are not a therapist and make no diagnosis of exams.",
			"Call 0800 999 8877 tonight, they know about exams.",
			"The response about exams will be in JSON format, so you can use it as a template for your next message.",
		},
	} {
		for _, words := range useless {
			w := newWorld(t, "teen", language)
			w.voice.answers["GiveAdviceAnswer"] = string(model.JSON(map[string]any{"advice": words, "sources": []string{}, "action": "user_feedback"}))
			x := w.say("s", everything[language], "consent", "full", "region", "FR", "age", "at_15")
			quote, mark := "Voici donc ce que j'ai trouvé", "C'est un résumé écrit pour Holdpoint. Il s'appuie sur : "
			if language == "en" {
				quote, mark = "here is what I found", "This is a summary written for Holdpoint. It rests on: "
			}
			if !strings.Contains(x.reply, quote) || !strings.Contains(x.reply, mark) || strings.Contains(x.reply, words[:20]) || strings.Contains(x.reply, "« ") || strings.Contains(x.reply, "own words") || !x.warned("cannot be used") {
				t.Errorf("%s is passed on, or nothing in its place: %q", words, x.reply)
			}
			if !x.visited(companion.Summarize) {
				t.Errorf("it does not go on: %v", x.stages)
			}
			if strings.HasPrefix(words, "Les volcans") {
				continue // what people say in support may have nothing to do with anything before
			}
			// In support the same holds, and a summary is made of facts.
			w.voice.answers["SupportAnswer"] = string(model.JSON(map[string]any{"reply": words, "action": "summarize_conversation"}))
			w.voice.answers["Summary"] = string(model.JSON(map[string]any{"summary": words}))
			if x = w.say("s", map[string]string{"fr": "Les examens me rendent encore nerveux et je dors mal", "en": "Exams still make me nervous and I sleep badly"}[language]); strings.Contains(x.reply, words[:20]) || !x.warned("what the model wrote cannot be used") {
				t.Errorf("support passes on %q: %q", words, x.reply)
			}
			w.settle()
			for _, e := range w.remembered(teen) {
				if strings.Contains(e.Text, words[:20]) {
					t.Errorf("it is remembered: %q", e.Text)
				}
			}
		}
	}
}

// "It told my daughter curly brackets about search_library."
func TestCompanion_C33_ToolSyntaxGivesWayToTheSources(t *testing.T) {
	for _, words := range []string{`{"name": "search_library", "parameters": {"query": "exams and sleep"}}`, "Let me look that up.\ntool: search_library\narguments:\n  query: exams", "<think>They sleep badly before exams, so I use search_library</think>", `search_library(query="exams")`} {
		w := newWorld(t, "teen", "en")
		w.voice.answers["GiveAdviceAnswer"] = string(model.JSON(map[string]any{"advice": words, "sources": []string{}, "action": "user_feedback"}))
		x := w.say("s", everything["en"], "consent", "full", "region", "FR", "age", "at_15")
		if !strings.Contains(x.reply, "here is what I found") || strings.Contains(x.reply, "search_library") || strings.Contains(x.reply, "Let me look") {
			t.Errorf("%s is passed on, or nothing in its place: %q", words, x.reply)
		}
		w.voice.answers["SupportAnswer"] = string(model.JSON(map[string]any{"reply": words, "action": "user_feedback"}))
		if x = w.say("s", "Exams still make me nervous and I sleep badly"); x.reply == "" || strings.Contains(x.reply, "search_library") || strings.Contains(x.reply, "Let me look") {
			t.Errorf("support passes on %q: %q", words, x.reply)
		}
	}
}

// "Of our talk it remembered: 15."
func TestCompanion_C28_ASummaryOfNothingIsMadeOfWhatWasSaid(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.voice.answers["Summary"] = `{"summary": "15 ans"}`
	w.say("s", everything["fr"], "consent", "full", "region", "FR", "age", "at_15")
	w.settle()
	if e := w.remembered(teen); len(e) != 1 || !strings.Contains(e[0].Text, "examens") {
		t.Errorf("it remembers %v", e)
	}
}

// "It had answered well, and the program said that it had not."
func TestCompanion_C33_WhatPeopleCanReadIsPassedOn(t *testing.T) {
	for language, usable := range map[string][]string{
		"fr": {
			"Va au lit à dix heures, et pose ton téléphone dehors.",
			"Tu dors mal avant les examens. 1. Pose ton téléphone hors de la chambre. 2. Respire lentement, 4 secondes. 3. Parles-en à un adulte en qui tu as confiance.",
			"Essaie ce soir : pas d'écran après 22 h 30, puis un bain. Essaie demain : vingt minutes de révision, puis une pause. Essaie samedi : dors une heure de plus.",
			"Le « bullet journal » ou un « to do list planner » peuvent t'aider à réviser : écris tes trois matières, puis coche.",
		},
		"en": {
			"Go to bed at ten, and get up at seven.",
			"It sounds as if exams keep you awake. Try to put the phone away at ten, and try to study in small pieces. Try to tell your mother how it is.",
			"Déjà vu? Many feel like that before exams. Breathe out slowly, and sleep in the same room at the same time.",
		},
	} {
		for _, words := range usable {
			w := newWorld(t, "teen", language)
			w.voice.answers["GiveAdviceAnswer"] = string(model.JSON(map[string]any{"advice": words, "sources": []string{"S1"}, "action": "user_feedback"}))
			if x := w.say("s", everything[language], "consent", "full", "region", "FR", "age", "at_15"); !strings.Contains(x.reply, words) || x.warned("cannot be used") {
				t.Errorf("%q is held back: %q", words, x.reply)
			}
		}
	}
}

// "Below ‘advice’ stood ‘dont-ce-pas-en-cabinet’, and nothing of what it had found."
func TestCompanion_C33_AFewWordsAreNoAdvice(t *testing.T) {
	for language, said := range map[string][]string{"fr": {"dont-ce-pas-en-cabinet", "Bravo, continue comme ça !", "Oui", "examens sommeil nuit téléphone révision stress fatigue bruit"}, "en": {"not-in-the-cabinet", "Well done.", "exams sleep night phone stress school noise light"}} {
		for _, words := range said {
			w := newWorld(t, "teen", language)
			w.voice.answers["GiveAdviceAnswer"] = string(model.JSON(map[string]any{"advice": words, "sources": []string{}, "action": "user_feedback"}))
			x := w.say("s", everything[language], "consent", "full", "region", "FR", "age", "at_15")
			if quote := map[string]string{"fr": "Voici donc ce que j'ai trouvé", "en": "here is what I found"}[language]; !strings.Contains(x.reply, quote) || strings.Contains(x.reply, words) || !x.warned("cannot be used") {
				t.Errorf("%q is handed over as advice: %q", words, x.reply)
			}
			// Later on a few words may be an answer, but one that is none is not.
			w.voice.answers["SupportAnswer"] = string(model.JSON(map[string]any{"reply": words, "action": "user_feedback"}))
			x = w.say("s", map[string]string{"fr": "J'ai bien dormi avant les examens cette fois", "en": "I slept well before the exams this time"}[language])
			if short := words == "Well done." || strings.HasPrefix(words, "Bravo"); strings.Contains(x.reply, words) != short {
				t.Errorf("in support, %q: %q", words, x.reply)
			}
		}
	}
}

// "I had changed the question, and beside it stood what somebody had answered to the old one." "I went on in English, and the
// sources stayed French."
func TestCompanion_C24_C27_AnAnswerStandsBesideItsQuestionAndSourcesFollowTheLanguage(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.say("s", everything["fr"], "consent", "full", "region", "FR", "age", "at_15")
	words := w.override("teen", "fr", "question.hope", "Que souhaites-tu ?")
	show := func(language string) (asked, title string) {
		t.Helper()
		v, err := w.agent.Cards.Show(w.card("s", language), words)
		if err != nil || len(v.Sources) == 0 {
			t.Fatalf("%v %+v", err, v.Sources)
		}
		for _, q := range v.Asked {
			if q.ID == "hope" {
				asked = q.Say
			}
		}
		return asked, v.Sources[0].Title
	}
	asked, french := show("fr")
	if asked == "Que souhaites-tu ?" || asked == "" {
		t.Errorf("the new question stands beside the old answer: %q", asked)
	}
	english, title := show("en")
	if title == french || !strings.Contains(english, "?") || english == asked {
		t.Errorf("the sources or questions stay in the language before: %q %q", title, english)
	}
	if _, back := show("fr"); back != french {
		t.Errorf("back in French: %q", back)
	}
}

// "Read the passage showed sentences in a box as if the paper said them, and the paper says no such thing."
func TestCompanion_C28_ASummaryIsNotShownAsTheSourcesOwnWords(t *testing.T) {
	for language, says := range map[string]string{"en": "A summary written for Holdpoint. It rests on: ", "fr": "Un résumé écrit pour Holdpoint. Il s'appuie sur\u00a0: "} {
		w := newWorld(t, "teen", language)
		w.say("s", everything[language])
		view, err := w.agent.Cards.Show(w.card("s", language), w.agent.Wording.Get)
		if err != nil {
			t.Fatal(err)
		}
		sources := view.Sources
		if len(sources) == 0 {
			t.Fatal("no sources")
		}
		for _, s := range sources {
			if s.Document != "" || s.About != says+s.Source {
				t.Errorf("%+v", s)
			}
		}
	}
}
