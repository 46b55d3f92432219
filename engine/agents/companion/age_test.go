package companion_test

import (
	"strings"
	"testing"

	"holdpoint/engine/session"
)

// agreed is a young person of 16 in Ireland, where 16 is enough, who said yes.
func agreed(t *testing.T, language string) *world {
	t.Helper()
	w := newWorld(t, "teen", language)
	w.voice.answers["Summary"] = `{"summary":"Nervous about exams."}`
	about := strings.NewReplacer("I am 15 years old and live in France. ", "", "J'ai 15 ans et je vis en France. ", "").Replace(everything[language])
	w.say("s", about, "region", "IE", "age", "from_16_to_17", "consent", "full")
	if w.consent(teen).Scope != session.FullConsent {
		t.Fatalf("%+v", w.consent(teen))
	}
	return w
}

// "I said that I had lied and am twelve. It thanked me, and wrote down what I said."
func TestCompanion_C29_AnAgeThatIsPutRightCountsInTheTurnThatSaysIt(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"sorry I lied, I'm actually 12", "I'm not 16, I'm 12", "my age is wrong, I'm 12", "I'm 12", "honestly? I am only twelve years old", "tbh im 12 lol", "I told you I was 16 but I'm really 12", "I lied about my age, it's 12",
			"Wait no, I just turned 12!", "i put the wrong age im 11 actually", "12, not 16", "my real age is 11", "The truth is that I'm a 12 year old girl", "I'm not even 13", "I said 16, sorry, I'm 13 or so. I'm 13.", "Im not sixteen im twelve",
			"in reality I am 13 yrs old, don't be mad", "I'm 12 and my exams are next week", "ok I have to confess something: I'm eleven", "actually make that 13", "no, 13", "oops I meant 14"},
		"fr": {"en fait j'ai 12 ans", "j'ai menti, j'ai 11 ans", "désolée j'ai 12 ans en vrai", "j'ai pas 16 ans, j'ai 12 ans", "je n'ai que 12 ans", "j'ai dit 16 mais j'ai 12", "je me suis trompé d'âge, c'est 12", "en vérité j'ai douze ans",
			"mon vrai âge c'est 12 ans", "nan mais j'ai 12 ans mdr", "j'ai menti sur mon âge. J'ai 13 ans.", "pardon, j'ai que 11 ans", "je viens d'avoir 12 ans", "j'avoue j'ai 12 ans", "pour être honnête, j'ai treize ans et j'ai peur des examens", "attends en fait je me suis trompé, j'en ai 13", "je me suis planté, j'en ai douze",
			"on m'a dit de mettre 16 mais j'en ai 12", "oups je voulais dire 14", "non 13", "16 ? non treize"},
	} {
		for _, message := range said {
			w := agreed(t, language)
			w.voice.answers["Summary"] = `{"summary":"Is a child."}`
			x := w.say("s", message)
			if w.consent(teen).Scope != session.PendingConsent || !strings.Contains(x.reply, map[string]string{"en": "younger than 16", "fr": "Avant 16 ans"}[language]) {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
			w.settle()
			for _, e := range w.remembered(teen) {
				if strings.Contains(e.Text, "child") {
					t.Errorf("%q: the turn is remembered", message)
				}
			}
		}
	}
}

func TestCompanion_C29_TheAgeOfOthersAndOtherNumbersPutNothingRight(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"my sister is 12", "my friend who is 12 smokes", "she lied, she's actually 12", "I have 12 exams", "when I was 12 it was easier", "I feel like I'm 12", "my brother said: I'm 12, leave me alone", "they treat me like I'm 12", "I lied to my mum", "it's not 2 weeks, it's 3",
			"I'm not 12 anymore", "my best friend just turned 12", "I lied about my age on TikTok", "I'm 16", "I wish I was 12 again", "my cousin is not 16, he is 12", "sorry, 3 times", "I'm 12 minutes late", "no, 17", "no, 3", "no 12 hours of sleep", "make that 2"},
		"fr": {"ma sœur a 12 ans", "j'ai un ami de 12 ans", "elle a menti, elle a 12 ans", "quand j'avais 12 ans", "j'ai 12 en maths", "mon frère a dit : j'ai 12 ans", "j'ai menti à ma mère", "j'ai 16 ans", "j'ai plus 12 ans", "on me traite comme si j'avais 12 ans", "j'ai 12", "non 17", "j'en ai 12 dans ma classe", "non, 2 fois", "non 12 heures"},
	} {
		for _, message := range said {
			w := agreed(t, language)
			if x := w.say("s", message); w.consent(teen).Scope != session.FullConsent {
				t.Errorf("%q: %s, %q", message, w.consent(teen).Scope, x.reply)
			}
		}
	}
}

// Whoever says that their age was a lie, and no other, is asked; nothing is kept meanwhile, and a
// later age alone brings no consent back.
func TestCompanion_C29_AnAgeThatIsTakenBackIsNone(t *testing.T) {
	for language, said := range map[string][]string{
		"en": {"I lied about my age", "I'm not 16", "sorry, I told you the wrong age", "I'm not really 16", "I'm younger than I said", "the age I gave you isn't true"},
		"fr": {"j'ai menti sur mon âge", "j'ai pas 16 ans", "je me suis trompée d'âge", "en fait je n'ai pas 16 ans", "je suis plus jeune que ce que j'ai dit", "mon âge est faux"},
	} {
		for _, message := range said {
			w := agreed(t, language)
			x := w.say("s", message)
			if w.consent(teen).Scope != session.PendingConsent || w.consent(teen).Age != "" || !strings.Contains(x.reply, map[string]string{"en": "As long as I do not have both", "fr": "Tant que je n'ai pas ton âge"}[language]) {
				t.Errorf("%q: %+v, %q", message, w.consent(teen), x.reply)
			}
			w.say("s", map[string]string{"en": "I'm 17", "fr": "j'ai 17 ans"}[language])
			if w.consent(teen).Scope != session.PendingConsent {
				t.Errorf("%q: a later age is a yes", message)
			}
			w.say("s", map[string]string{"en": "yes, you can remember this", "fr": "oui tu peux te souvenir"}[language])
			if w.consent(teen).Scope != session.FullConsent {
				t.Errorf("%q: %+v: a new yes at a new age does not count", message, w.consent(teen))
			}
		}
	}
}

// Who was told that they are too young knows what to say next.
func TestCompanion_C29_AnOlderAgeUnlocksNothingByItself(t *testing.T) {
	for language, said := range map[string][3]string{
		"en": {"sorry, I'm actually 12", "just kidding, I'm 17", "yes, you can remember this"},
		"fr": {"en fait j'ai 12 ans", "je rigole, j'ai 17 ans", "oui tu peux te souvenir"},
	} {
		w := agreed(t, language)
		w.say("s", said[0])
		x := w.say("s", said[1])
		if w.consent(teen).Scope != session.PendingConsent || !strings.Contains(x.reply, map[string]string{"en": "You gave a younger age", "fr": "Tu as donné un âge plus jeune"}[language]) {
			t.Errorf("%s, %q", w.consent(teen).Scope, x.reply)
		}
		for _, vars := range [][]string{nil, {"age", "from_16_to_17"}, {"consent", "full"}} {
			if x = w.say("s", said[2], vars...); w.consent(teen).Scope != session.PendingConsent {
				t.Errorf("%v: %q", vars, x.reply)
			}
		}
	}
	// What was kept before can be deleted.
	w := agreed(t, "en")
	w.settle()
	if x := w.say("s", "sorry, I'm actually 12"); !strings.Contains(x.reply, "still kept on this device: 1") {
		t.Errorf("nobody offers to delete what is kept: %q", x.reply)
	}
	if w.say("s", "delete my data"); len(w.remembered(teen)) != 0 {
		t.Errorf("%+v", w.remembered(teen))
	}
	// A yes that waited for an age and was then taken back stays taken back.
	w = newWorld(t, "teen", "en")
	w.say("s", "I am nervous.", "consent", "full", "region", "FR")
	w.say("s", "I take back my consent")
	if w.say("s", "I'm 15"); w.consent(teen).Scope != session.PendingConsent {
		t.Errorf("an age brings back what was withdrawn: %+v", w.consent(teen))
	}
}
