package companion_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/companion"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// first is the way of a turn that has everything.
var first = []graph.StageID{companion.Begin, companion.CollectContext, companion.GiveAdvice, companion.Research, companion.GiveAdvice, companion.Summarize, companion.UserFeedback}

func TestCompanion_C1_TheGraphDrawsItself(t *testing.T) {
	m := newWorld(t, "teen", "en").graph.Manifest()
	for _, edge := range []string{"collect_context -. context_complete .-> give_advice", "give_advice -. has_calls .-> research_tools", "agent1 --> ongoing_support", "summarize_conversation --> user_feedback"} {
		if !strings.Contains(m.Mermaid, edge) {
			t.Errorf("the diagram has no %q", edge)
		}
	}
}

func TestCompanion_C3_TheActionChoosesAmongTheRoutesOfTheManifest(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.answers["GiveAdviceAnswer"] = `{"advice":"I can't help with that.","sources":[],"action":"user_feedback"}`
	w.say("s", everything["en"]) // no advice came of it, so the next message meets agent1
	delete(w.voice.answers, "GiveAdviceAnswer")
	w.voice.answers["NextAction"] = `{"reasoning":"unclear","action":"ask_for_context"}`
	w.say("s", "It is complicated.").must(t, companion.Begin, companion.Agent1, companion.AskForContext)
	w.voice.answers["NextAction"] = `{"reasoning":"bye","action":"summarize_conversation"}`
	w.say("s", "Bye.").must(t, companion.Begin, companion.Agent1, companion.Summarize, companion.UserFeedback)
	for _, action := range []string{"ask_for_context", "summarize_conversation", "give_advice"} {
		if !strings.Contains(w.voice.last(t, "NextAction"), action) || !slices.Contains(w.agent.Prompts.Manifests.Actions("agent1"), action) {
			t.Errorf("the action %s is not declared", action)
		}
	}
}

func TestCompanion_C4_QuestionsAreAskedUntilAllIsKnownAndEveryMessageIsRead(t *testing.T) {
	w := newWorld(t, "teen", "en")
	x := w.say("s", "I am nervous about all my exams.")
	x.must(t, companion.Begin, companion.CollectContext)
	if !strings.Contains(x.reply, "Which country are you in?") || !strings.Contains(x.reply, "Question 2 of 6") {
		t.Errorf("it asks %q", x.reply)
	}
	// The second message answers what was not asked, too.
	x = w.say("s", "France, and I am 15 years old")
	if !strings.Contains(x.reply, "How long") || !strings.Contains(x.reply, "Question 4 of 6") {
		t.Errorf("it asks %q", x.reply)
	}
	x = w.say("s", "2")
	if !strings.Contains(x.reply, "What have you tried") {
		t.Errorf("it asks %q", x.reply)
	}
	w.say("s", "Learning at night.")
	x = w.say("s", "skip")
	x.must(t, first...)
	if told := w.voice.last(t, "GiveAdviceAnswer"); !strings.Contains(told, "some weeks") || !strings.Contains(told, "15") || !strings.Contains(told, "Learning at night.") {
		t.Errorf("the advice is told %s", told)
	}
}

// "I wrote ‘skip, please just advise me’, and it asked me the same question again."
func TestCompanion_C4_AMessageThatBeginsWithSkipPassesTheQuestionAndTheRestIsRead(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", "I am nervous about all my exams.")
	x := w.say("s", "Skip, please: I am 15 years old")
	if strings.Contains(x.reply, "Which country are you in?") || !strings.Contains(x.reply, "How long") {
		t.Errorf("it asks %q", x.reply)
	}
	// What is told behind it counts all the same.
	w = newWorld(t, "teen", "en")
	w.say("s", "I am nervous about all my exams.")
	w.say("s", "I don't know. France, and I am 15 years old")
	if x := w.say("s", "2"); !strings.Contains(x.reply, "What have you tried") {
		t.Errorf("it asks %q", x.reply)
	}
}

func TestCompanion_C4_AQuestionThatNobodyAnswersIsAskedTwiceAndThenLetBe(t *testing.T) {
	w := newWorld(t, "parent", "fr")
	w.voice.fails["ContextAnswers"] = model.ErrBroken
	for range 14 {
		x := w.say("s", "Quoi ?")
		if x.status != run.Completed {
			t.Fatal(x.status)
		}
		if x.visited(companion.GiveAdvice) {
			return
		}
	}
	t.Error("it asks for ever")
}

func TestCompanion_C5_FurtherClarificationIsAskedForAndEndsTheTurn(t *testing.T) {
	w := newWorld(t, "parent", "en")
	w.voice.answers["GiveAdviceAnswer"] = `{"advice":"I cannot help with that","sources":[],"action":"user_feedback"}`
	w.say("s", everythingOfAParent)
	w.voice.answers["NextAction"] = `{"reasoning":"x","action":"ask_for_context"}`
	w.voice.answers["OneQuestion"] = `{"question":"Who else knows of it?"}`
	x := w.say("s", "It is about the phone.")
	x.must(t, companion.Begin, companion.Agent1, companion.AskForContext)
	if x.reply != "Who else knows of it?" {
		t.Error(x.reply)
	}
	w.say("s", "Nobody.")
	// A third time it is not asked, whatever the model wants.
	if x = w.say("s", "Really nobody."); !x.visited(companion.GiveAdvice) {
		t.Errorf("it goes %v", x.stages)
	}
}

func TestCompanion_C6_C12_AdviceFollowsStraightOnTheQuestionsAndMayResearch(t *testing.T) {
	w := newWorld(t, "teen", "en")
	x := w.say("s", everything["en"])
	x.must(t, first...)
	if w.voice.count("NextAction") != 0 {
		t.Error("agent1 was asked on the way")
	}
	if !strings.Contains(x.reply, "Where this comes from:") || !strings.Contains(x.reply, "S1 ") {
		t.Errorf("no sources in %q", x.reply)
	}
	// A model that calls nothing advises all the same.
	w = newWorld(t, "teen", "en")
	w.voice.silent = true
	w.say("s", everything["en"]).must(t, companion.Begin, companion.CollectContext, companion.GiveAdvice, companion.Summarize, companion.UserFeedback)
}

func TestCompanion_C7_SeveralQueriesAreAskedAtOnceAndWhatDoesNotHelpIsLeftOut(t *testing.T) {
	w := newWorld(t, "teen", "en")
	e := &counting{}
	w.deps.Encoder = e
	w.voice.answers["Queries"] = `{"queries":["how teenagers sleep better","phones at night","exam nerves"]}`
	w.voice.answers["Relevance"] = `{"scores":[{"id":"P1","score":9},{"id":"P2","score":6},{"id":"P3","score":5},{"id":"P9","score":10}]}`
	x := w.say("s", everything["en"])
	told := w.voice.last(t, "GiveAdviceAnswer")
	if !strings.Contains(told, "S1 Sleep enough") && !strings.Contains(told, "S2 Sleep enough") {
		t.Errorf("the advice is told %s", told)
	}
	if strings.Contains(told, "\nS3 ") {
		t.Error("a passage below the bar is kept")
	}
	asked := w.voice.last(t, "Relevance")
	if n := strings.Count(asked, "\nP"); n < 4 {
		t.Errorf("%d passages are judged: not those of several queries", n)
	}
	if e.calls < 4 {
		t.Errorf("%d calls of the encoder for four queries", e.calls)
	}
	i := slices.IndexFunc(x.events, func(e journal.Event) bool { return e.Kind == journal.ToolCompleted })
	if i < 0 || x.events[i].Tool != companion.ResearchTool {
		t.Error("the call of the tool is not in the journal")
	}
}

func TestCompanion_C7_AnUnjudgedSearchKeepsTheNearest(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.fails["Relevance"] = model.ErrBroken
	w.voice.fails["Queries"] = model.ErrBroken
	x := w.say("s", everything["en"])
	x.must(t, first...)
	if told := w.voice.last(t, "GiveAdviceAnswer"); !strings.Contains(told, "S1 ") {
		t.Errorf("the advice is told %s", told)
	}
}

func TestCompanion_C8_SupportGoesOnAfterTheFirstAdviceWithTheSummary(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.answers["Summary"] = `{"summary":"Nervous about exams, was told to sleep."}`
	w.say("s", everything["en"])
	x := w.say("s", "I slept a bit better.")
	x.must(t, companion.Begin, companion.Agent1, companion.OngoingSupport, companion.UserFeedback)
	if !strings.Contains(w.voice.last(t, "SupportAnswer"), "was told to sleep.") {
		t.Error("support does not know the summary")
	}
}

func TestCompanion_C10_TheTurnEndsWithFeedbackAndTheNextBeginsAtTheRouter(t *testing.T) {
	w := newWorld(t, "teen", "en")
	x := w.say("s", everything["en"])
	if x.stages[len(x.stages)-1] != string(companion.UserFeedback) || !strings.Contains(x.reply, "Did that help?") {
		t.Errorf("%v %q", x.stages, x.reply)
	}
	if x = w.say("s", "It did."); x.stages[1] != string(companion.Begin) || strings.Contains(x.reply, "Did that help?") {
		t.Errorf("%v %q", x.stages, x.reply)
	}
}

func TestCompanion_C11_WhatIsOpenIsAskedAndElseAgent1Decides(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", "Hello").must(t, companion.Begin, companion.CollectContext)
	w.say("s", everything["en"])
	if x := w.say("s", "And now?"); x.stages[2] != string(companion.Agent1) {
		t.Errorf("%v", x.stages)
	}
}

func TestCompanion_C13_InSupportModeAgent1AsksNoModel(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", everything["en"])
	w.say("s", "And now?").must(t, companion.Begin, companion.Agent1, companion.OngoingSupport, companion.UserFeedback)
	if n := w.voice.count("NextAction"); n != 0 {
		t.Errorf("agent1 asked %d times", n)
	}
	// The action of support leads on to the summary, and from there to the end.
	w.voice.answers["SupportAnswer"] = `{"reply":"Bye!","action":"summarize_conversation"}`
	w.say("s", "Bye.").must(t, companion.Begin, companion.Agent1, companion.OngoingSupport, companion.Summarize, companion.UserFeedback)
	// One that is not declared leads to the end.
	w.voice.answers["SupportAnswer"] = `{"reply":"Hm.","action":"give_advice"}`
	w.say("s", "Hm.").must(t, companion.Begin, companion.Agent1, companion.OngoingSupport, companion.UserFeedback)
}

func TestCompanion_C14_CallsComeBeforeTheSummaryAndTheSummaryBeforeTheAction(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.answers["GiveAdviceAnswer"] = `{"advice":"Go to bed at ten, and get up at seven.","sources":["S1","S99"],"action":"give_advice"}`
	x := w.say("s", everything["en"])
	x.must(t, first...) // though the action names give_advice
	if strings.Contains(x.reply, "S99") || strings.Contains(x.reply, "S2") {
		t.Errorf("sources that were not used: %q", x.reply)
	}
}

func TestCompanion_DangerIsAnsweredWithTheLinesOfTheRegionThatWasGiven(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.say("s", "Je vis en France et les examens m'inquiètent beaucoup")
	x := w.say("s", "Je veux mourir, je vais me tuer ce soir avec les cachets que j'ai gardés")
	if !x.visited(turn.SafetyIntervention) || x.visited(companion.Begin) || !strings.Contains(x.reply, "3114") {
		t.Errorf("%v %q", x.stages, x.reply)
	}
}

func TestCompanion_AModelThatIsGoneFailsTheTurnAndNothingIsInvented(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.fails["ContextAnswers"] = errors.Join(model.ErrUnreachable)
	if x := w.say("s", "I am nervous."); x.status != run.Failed || x.reply != "" {
		t.Errorf("%s %q", x.status, x.reply)
	}
}

// "I tried it out with friends who ignore somebody. It advised to sleep, and to study by testing oneself."
func TestCompanion_PracticeLooksForWhatWasTold(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.voice.answers["ContextAnswers"] = ""
	w.say("s", "Others at school exclude me and are mean to me online.", "region", "FR", "age", "at_15", "consent", "full")
	for range 8 {
		if x := w.say("s", "I talked to them"); x.visited(companion.GiveAdvice) {
			if !strings.Contains(x.reply, "S1 [Bullying") && !strings.Contains(x.reply, "Bullying: tell somebody") {
				t.Errorf("%q", x.reply)
			}
			break
		}
	}
	w.settle()
	w.say("s2", "My exam went well.")
	w.say("s2", "Thanks, bye")
	var row struct {
		Output struct{ Summary string }
	}
	if err := json.Unmarshal(w.card("s2", "en").Row, &row); err != nil {
		t.Fatal(err)
	}
	if got := row.Output.Summary; !strings.Contains(got, "My exam went well") || strings.Contains(got, "PERSON") || strings.Contains(got, "I hear you") {
		t.Errorf("it is the transcript, no summary: %q", got)
	}
}

// "I had written since September, and it asked how long it has been like this."
func TestCompanion_PracticeReadsSinceWhen(t *testing.T) {
	for language, told := range map[string][3]string{
		"en": {"Others at school exclude me since September.", "How long", "What have you tried"},
		"fr": {"On m'exclut au collège depuis septembre.", "depuis combien", "as-tu déjà essayé"},
	} {
		w := newWorld(t, "teen", language)
		w.voice.answers["ContextAnswers"] = ""
		x := w.say("s", told[0], "region", "FR", "age", "at_15", "consent", "full")
		if strings.Contains(x.reply, told[1]) || !strings.Contains(x.reply, told[2]) {
			t.Errorf("%s: %q", language, x.reply)
		}
	}
}

// "I chose France and 15, and wrote that I want to die. When I was well enough to go on, it asked me again for my country."
func TestCompanion_C30_WhatWasChosenWithAMessageInDangerIsKept(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	x := w.say("s", "je veux mourir", "region", "FR", "age", "at_15")
	if !x.visited(turn.SafetyIntervention) || x.visited(companion.Begin) || !strings.Contains(x.reply, "3114") {
		t.Fatalf("%v %q", x.stages, x.reply)
	}
	if view, err := w.agent.Cards.Show(w.card("s", "fr"), w.agent.Wording.Get); err != nil || view.Progress.Done != 2 {
		t.Errorf("the cards say %+v, %v", view.Progress, err)
	}
	x = w.say("s", "non, je suis juste fatigué")
	if strings.Contains(x.reply, "Dans quel pays") || strings.Contains(x.reply, "Quel âge") || !strings.Contains(x.reply, "je suis un programme") {
		t.Errorf("it asks %q", x.reply)
	}
	// Without any, nothing is kept.
	w.say("s2", "je veux mourir")
	if raw := w.card("s2", "fr").Row; raw != nil {
		t.Errorf("%s", raw)
	}
}

// "I wrote that I don't want to answer its questions, and it noted that as what is going on."
func TestCompanion_C34_ARefusalPassesTheQuestionAndIsNoAnswer(t *testing.T) {
	for language, refusals := range map[string][]string{
		"en": {"none of your business", "it's none of your business!", "I don't want to talk about it", "i do not want to answer your questions", "I'd rather not talk about that", "not your business", "I won't answer that.",
			"i dont wanna answer", "No, I don't feel like talking about it", "why do you ask?", "stop asking questions", "that's private"},
		"fr": {"je ne veux pas répondre à tes questions", "ça te regarde pas", "Ça ne te regarde pas !", "jveux pas en parler", "j'ai pas envie d'en parler", "je n'ai pas envie de répondre", "c'est pas tes affaires", "mêle-toi de tes oignons",
			"je préfère ne pas en parler", "je ne veux pas te le dire", "je refuse de répondre", "Je ne souhaite pas répondre à cette question", "ça ne vous regarde pas"},
	} {
		for _, message := range refusals {
			for _, audience := range []string{"teen", "parent"} {
				w := newWorld(t, audience, language)
				w.say("s", map[string]string{"en": "Hello", "fr": "Bonjour"}[language], "region", "FR", "age", "at_15", "consent", "full")
				x := w.say("s", message) // to what is going on
				if got := answersIn(t, w.card("s", language).Row); len(got) != 2 {
					t.Errorf("%q is an answer: %v", message, got["situation"])
				}
				if !strings.Contains(x.reply, map[string]string{"en": "How long", "fr": "Depuis combien de temps"}[language]) || !x.warned("does not want to answer") {
					t.Errorf("%q: %q", message, x.reply)
				}
				// "An orange bar in my chat said that I do not want to answer." It is in the trace, and the answer takes it kindly.
				held := slices.ContainsFunc(x.events, func(e journal.Event) bool { return e.Kind == journal.Warned && e.Status != string(journal.Declined) })
				if kindly := map[string]string{"enteen": "That's fine.", "enparent": "That's fine.", "frteen": "Pas de souci.", "frparent": "Ce n'est pas grave."}[language+audience]; held || !strings.HasPrefix(x.reply, kindly) {
					t.Errorf("%q is held up: %v, %q", message, held, x.reply)
				}
			}
		}
	}
	// A country is no different, and what is said beyond a refusal is heard.
	w := newWorld(t, "teen", "fr")
	w.say("s", "Bonjour")
	if x := w.say("s", "ça te regarde pas"); strings.Contains(x.reply, "Dans quel pays") {
		t.Errorf("%q", x.reply)
	}
	for language, said := range map[string][]string{"en": {"I don't want to talk to my dad any more", "I want to talk about it", "He says it is none of my business"}, "fr": {"je veux en parler", "je ne veux pas parler à mes parents de ça", "mes parents disent que ça me regarde pas"}} {
		for _, message := range said {
			w := newWorld(t, "teen", language)
			w.say("s", map[string]string{"en": "Hello", "fr": "Bonjour"}[language], "region", "FR", "age", "at_15", "consent", "full")
			if x := w.say("s", message); answersIn(t, w.card("s", language).Row)["situation"].Value == "" || x.warned("does not want") {
				t.Errorf("%q is not heard", message)
			}
		}
	}
}

// "In practice ‘and now?’ became what would be better, and control characters what I had tried."
func TestCompanion_C34_AQuestionBackAndWhatHasNoLettersAnswerNothing(t *testing.T) {
	for _, message := range []string{"and now?", "Et maintenant ?", "...", "\x01\x02\x03", "?!", "👍"} {
		w := newWorld(t, "teen", "en")
		w.say("s", "Hello", "region", "FR", "age", "at_15", "consent", "full")
		if w.say("s", message); len(answersIn(t, w.card("s", "en").Row)) != 2 {
			t.Errorf("%q is an answer: %v", message, answersIn(t, w.card("s", "en").Row))
		}
	}
}

// "It asked for my country. I wrote ‘some months’, and question 3 of 6 was question 4 of 6, with the same words."
func TestCompanion_C4_WhatAnswersAnotherQuestionIsNotedWhereTheSameIsAskedAgain(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.say("s", "Mes parents se disputent tous les soirs.")
	if x := w.say("s", "quelques mois"); !strings.Contains(x.reply, "Noté : quelques mois.") || !strings.Contains(x.reply, "Dans quel pays") || !strings.Contains(x.reply, "Question 3 sur 6") {
		t.Errorf("%q", x.reply)
	}
	// Who answers what was asked is told nothing that they know.
	if x := w.say("s", "France"); strings.Contains(x.reply, "Noté") {
		t.Errorf("%q", x.reply)
	}
}
