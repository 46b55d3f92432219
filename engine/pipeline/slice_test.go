package pipeline

import (
	"strings"
	"testing"

	"holdpoint/engine/model"
)

func TestNavigator_N33_AcknowledgementsAreLeftOut(t *testing.T) {
	for text, want := range map[string]bool{
		"ok, thanks": true, "OK": true, "Thanks!": true, "thank you so much for your help": true, "Got it.": true, "👍": true,
		"👍🏽": true, "🙏🙏": true, "Okay great, thank you!": true, "merci beaucoup": true, "sounds good": true, "that’s fine, thanks": true,
		"": false, "   ": false, "...": true, "… …": true, "?": false, "ok?": false, "yes": false, "no": false, "no thanks": false, "😭": false,
		"ok but it hurts": false, "thanks, I feel worse": false, "not ok": false, "I'm not okay": false, "fine": false, "right": false,
		"good": false, "so much": false, "ok 5": false, "thanks for nothing, I want to die": false, "all": false, "book it": false,
		"goodbye cruel world": false, strings.Repeat("ok ", 25): false,
	} {
		if got, _ := acknowledges(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// "I said thank you in my own words, and it took that for what I need"; "I thanked it and told
// it that it hurts: it heard the thanks only."
func TestNavigator_N33_ThanksInAnyWordsAcknowledgeAndNothingElseDoes(t *testing.T) {
	for _, text := range []string{
		"Thank you doctor", "Ok thanks, that's very kind", "Perfect, that works for me", "Parfait, merci beaucoup docteur", "Super, merci pour votre aide",
		"Très bien, merci à vous", "C'est noté, merci", "oui merci", "ça marche", "Much obliged, Dr. Okafor!", "Merci Docteur Martin, à bientôt", "(thanks!) :)",
		"Thank you so much doctor, that's very kind of you, have a lovely day!", "Yes that works, thanks", "Oui, c'est parfait", "Thanks for getting back to me",
		"Merci de m'avoir aidé", "Je vous remercie beaucoup pour votre gentillesse, madame.", "Excellent — many thanks 🙏", "Bonjour, merci beaucoup", "c'est tres gentil",
		"Merci beaucoup, ce sera tout pour aujourd'hui.", "Thanks, that will be all for today", "That's exactly what I needed, cheers", "Entendu, bonne journée !", "pas de souci", "Thanks, I'm happy with that", "Very clear, thank you nurse",
	} {
		if ack, _ := acknowledges(text); !ack {
			t.Errorf("%q is more than an acknowledgement", text)
		}
	}
	for _, text := range []string{
		"thanks, and book it for Monday", "ok but I can't sleep", "yes please book it", "yes please", "oui s'il vous plaît", "go ahead", "vas-y", "oui", "yes doctor",
		"non merci", "merci mais j'ai mal", "Perfect, book it", "OK, Monday", "ok today", "Morning, thanks", "a woman, thank you", "both, thanks", "thanks, help me",
		"Merci de me rappeler demain", "merci d'annuler", "Thanks for your help with my insomnia", "I'm great", "ça va mieux", "Perfect storm", "Thanks doctor I cut myself",
		"It helps me sleep", "I get it from my mother", "je comprends pas", "Très fatiguée, merci", "goodbye forever", "Noted: no penicillin", "c'est bien trop tard",
		"that's fine?", "great pain", "Hello", "Bonjour docteur", "Dr. Okafor", "so good, so sad", "très bien, le premier",
	} {
		if ack, _ := acknowledges(text); ack {
			t.Errorf("%q is taken for an acknowledgement", text)
		}
	}
	for text, want := range map[string]bool{"Hello": true, "Bonjour docteur, comment allez-vous ?": true, "Hi there! How are you today?": true, "Good evening Dr. Brandt": true, "ok, thanks": true,
		"": false, "?": false, "Hello, I can't sleep": false, "Bonjour, j'ai mal": false, "Salut, qui peut m'aider ?": false, "Hello, book me in": false} {
		if Courtesy(text) != want {
			t.Errorf("%q is a courtesy: %v", text, !want)
		}
	}
}

// "I wrote oki doki, and it took that for what I need, and asked again what I had said before."
func TestNavigator_N33_WhatIsSaidInPassingOrInSlangAcknowledgesToo(t *testing.T) {
	for _, text := range []string{
		"oki doki", "Okey dokey", "okie-dokie!", "okidoki", "alrighty then", "Righto", "right you are", "roger that", "Roger, wilco", "that's a roger", "10-4", "message received",
		"all good", "It's all good", "all set, thanks", "hm", "Hmm.", "hmm ok", "hum", "mhm", "mm-hmm", "uh-huh", "um okay", "oh", "ah ok", "oh I see", "...", "…", "ok...", "okkk", "thaaanks", "sooo much, thanks",
		"okok", "fine by me", "c'est tout bon", "oh right", "compris chef", "du coup ok", "gracias", "thanks doctor whitlock", "Thanks Dr Whitlock", "thanks dr whitlock", "Thank you Dr Whitlock for your help", "Merci Dr Whitlock pour tout", "Many thanks Dr Anna McDonald, see you soon", "ok Mme Dupont-Durand merci", "Thanks Dr O'Neil 🙏",
		"tip top merci", "Tip-top!", "top notch, cheers", "thumbs up", "two thumbs up from me", "👍 thumbs up", "+1", "🆗", "🫡", "nice one", "cool beans", "spot on", "haha thanks", "no probs", "np", "got ya", "I hear you", "point taken",
		"loud and clear", "crystal clear", "thanks a million", "ta muchly", "hats off", "ok d'ac", "dac", "daccord", "ça roule", "ça roule ma poule", "bien vu", "pigé", "j'ai capté", "bien reçu", "reçu cinq sur cinq", "message reçu, merci",
		"pouce en l'air", "pouce levé", "j'en prends bonne note", "je note", "tkt", "t'inquiète", "nickel chrome", "euh ok", "ah d'accord", "bah ok", "tout bon", "chapeau", "merki", "à +", "mdr merci",
	} {
		if ack, _ := acknowledges(text); !ack {
			t.Errorf("%q is more than an acknowledgement", text)
		}
	}
	for _, text := range []string{
		"hm, it hurts", "hmm ok but not Monday", "oki doki, book it", "all good except my knee", "roger that, and cancel it", "Thanks Dr Whitlock, my leg hurts", "Thanks doctor Monday is fine", "ok doctor Tomorrow", "ok dr tomorrow", "thanks dr help",
		"Thanks, Dr Whitlock sounds good", "ok, Dr Whitlock works for me", "Dr Whitlock is perfect", "THANKS DOCTOR MY LEG HURTS", "Thanks Dr Whitlock Monday works", "inquiète", "ER", "uh uh", "uh-uh", "he", "hi", "m", "M", "aye", "ouaip", "... help", "...?", "tout sauf lundi", "pouce cassé",
		"ok doctor sertraline", "thumbs down", "oh no", "pas top", "heard voices", "vu que j'ai mal", "thumbs hurt", "my thumb is up", "top left", "star anise", "Merci Dr Whitlock demain", "j'ai vu du sang", "je note une douleur", "no", "nope", "nah", "non", "huh?", "all good things end", "so low",
	} {
		if ack, _ := acknowledges(text); ack {
			t.Errorf("%q is taken for an acknowledgement", text)
		}
	}
}

func TestNavigator_N33_TheSliceHashFollowsWhatWasSaid(t *testing.T) {
	u := func(s string) model.Message { return model.Message{Role: "user", Text: s} }
	a := func(s string) model.Message { return model.Message{Role: "assistant", Text: s} }
	hash := func(m []model.Message) string { return hashMessages(WithoutAcknowledgements(m)) }
	base := hash([]model.Message{u("I sleep badly")})
	for name, c := range map[string]struct {
		messages []model.Message
		same     bool
	}{
		"an acknowledgement changes nothing":    {[]model.Message{u("I sleep badly"), u("ok, thanks")}, true},
		"space around changes nothing":          {[]model.Message{u(" I sleep badly\n")}, true},
		"more said changes it":                  {[]model.Message{u("I sleep badly"), u("since May")}, false},
		"the same text by another changes it":   {[]model.Message{a("I sleep badly")}, false},
		"two messages are not one":              {[]model.Message{u("I sleep"), u("badly")}, false},
		"a bare ok to a question is an answer":  {[]model.Message{u("I sleep badly"), a("Shall I look for a clinic?"), u("ok")}, false},
		"so is one that thanks as well":         {[]model.Message{u("I sleep badly"), a("Shall I look for a clinic?"), u("yes, thank you")}, false},
		"and the question alone is none either": {[]model.Message{u("I sleep badly"), a("Shall I look for a clinic?")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hash(c.messages) == base; got != c.same {
				t.Errorf("same hash: %v", got)
			}
		})
	}
	q := []model.Message{u("I sleep badly"), a("Shall I look for a clinic?")}
	if hash(append(q[:2:2], u("ok"))) == hash(q) {
		t.Error("the ok that answers a question was left out")
	}
	if hash(append(q[:2:2], u("thanks"))) != hash(q) {
		t.Error("thanks after a question is still only thanks")
	}
	// Who reads only what the person said learns nothing from it.
	if said := Said(append(q[:2:2], u("Perfect, that works for me"), u("yes"))); len(said) != 2 || said[1].Text != "yes" {
		t.Errorf("%+v", said)
	}
}

// "I said who I am and good morning, and it asked whether there was an emergency."
func TestCourtesy_WhoSaysWhoTheyAreGreets(t *testing.T) {
	for text, want := range map[string]bool{
		"Hello, I'm the community nurse. Bonjour!": true, "Bonjour, je suis l'infirmière": true, "Good morning, this is the doctor": true, "Je suis la sage-femme, merci": true,
		"Hello, I'm the nurse and he won't wake up": false, "I'm the patient": false, "Je suis malade": false, "I'm a nurse, which medicines does she take?": false, "That is all he eats": false,
	} {
		if Courtesy(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
