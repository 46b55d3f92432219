package companion_test

import (
	"strings"
	"testing"
)

// "I asked whether we can speak French, and it asked in English how old I am."
func TestCompanion_C27_ALanguageIsAskedForInWords(t *testing.T) {
	a, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"can we speak French?": "fr", "Could you answer in French please": "fr", "in French please": "fr", "French please!": "fr", "let's talk in french from now on": "fr", "Hi, can we write in French? My English is not so good.": "fr",
		"I'd rather speak French": "fr", "switch to French": "fr", "do you speak French?": "fr", "would you mind switching to French": "fr", "please reply to me in French": "fr", "Is it ok if we speak French?": "fr", "I don't speak English very well": "fr",
		"peut-on parler anglais ?": "en", "en anglais s'il te plaît": "en", "on peut parler en anglais stp ?": "en", "tu peux répondre en anglais ?": "en", "Réponds-moi en anglais.": "en", "est-ce qu'on peut continuer en anglais ?": "en", "je préfère parler anglais": "en",
		"parle anglais s'il te plait": "en", "passe à l'anglais": "en", "je comprends pas le français": "en", "Vous pourriez écrire en anglais, s'il vous plaît ?": "en", "j'aimerais qu'on parle anglais": "en",
		"en français s'il te plaît": "fr", "in English please": "en", "can we speak English instead?": "en", "peut-on parler français ?": "fr", "parlons français": "fr",
	} {
		if got, asked := a.Tongue(message); got != want || !asked {
			t.Errorf("%q asks for %q (%v), not %s", message, got, asked, want)
		}
	}
	for _, message := range []string{"I have a French exam", "my French teacher hates me", "I can't speak French in class", "Should I learn English?", "my mum wants me to speak French at home", "in English, maths and French", "how do I write better in French",
		"French", "on parle anglais à la maison", "mon prof d'anglais me déteste", "j'ai une interro de français", "je suis nul en anglais", "faut que je parle anglais devant tout le monde", "please don't make me speak French", "I failed in French"} {
		if got, asked := a.Tongue(message); asked {
			t.Errorf("%q asks for %q", message, got)
		}
	}
	// Who goes on in a language as a whole is answered in it.
	for message, want := range map[string]string{
		"I cannot sleep because my parents argue every night and I hear it": "en", "my friends do not talk to me at school any more": "en", "It has been like this for weeks and I have tried to talk to them": "en",
		"Je n'arrive pas à dormir parce que mes parents se disputent tout le temps": "fr", "depuis la rentrée mes copines ne me parlent plus du tout": "fr", "jsais pas quoi faire avec ma mère, elle me crie dessus pour rien": "fr",
		"Elle m'a dit « I don't want to be your friend any more, you are a loser » et ça me rend triste, je ne sais pas quoi faire": "fr",
		"ok": "", "France": "", "yes": "", "oui": "", "16": "", "some weeks": "", "quelques semaines": "", "my maths teacher": "", "She wrote je ne veux plus te voir and I do not know what to do with that": "",
		"No puedo dormir porque mis padres discuten todas las noches y me da miedo": "", "“I don't want to be your friend any more, you are a loser”": "",
	} {
		if got, asked := a.Tongue(message); got != want || asked {
			t.Errorf("%q is in %q (%v), not %q", message, got, asked, want)
		}
	}
}

// The answer to it is no answer to the question that was open, which is asked again in that language.
func TestCompanion_C27_AnAskedLanguageAnswersNothingElse(t *testing.T) {
	w := newWorld(t, "teen", "en")
	w.say("s", "...", "region", "FR", "age", "at_15")
	x := w.say("s", "can we speak French?", "language", "fr")
	if !strings.Contains(x.reply, "on continue en français") || !strings.Contains(x.reply, "Question 3 sur 6") {
		t.Errorf("%q", x.reply)
	}
	if answers := answersIn(t, w.card("s", "fr").Row); answers["situation"].Value != "" {
		t.Errorf("it is taken for an answer: %+v", answers)
	}
	if x = w.say("s", "en anglais s'il te plaît"); !strings.Contains(x.reply, "English from here on") || !strings.Contains(x.reply, "Question 3 of 6") {
		t.Errorf("%q", x.reply)
	}
	if x = w.say("s", "in English please"); strings.Contains(x.reply, "English from here on") || !strings.Contains(x.reply, "Question 3 of 6") {
		t.Errorf("nothing changed, and it says so: %q", x.reply)
	}
}
