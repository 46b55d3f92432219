package companion_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"holdpoint/engine/agents/companion"
	"holdpoint/engine/session"
	"holdpoint/engine/text"
)

func ofATeen(language, name string) text.Key {
	return text.Key{Agent: companion.Name, Audience: "teen", Language: language, Name: name}
}

// "I saved a list of words with a slip in it, and from then on nobody could say yes."
func TestCompanion_C24_AListOfWordsIsReadBeforeItIsKept(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	twice := "$a = x|y"
	for i := 'b'; i <= 'z'; i++ {
		twice += fmt.Sprintf(", $%c = $%c|a%c|$%c|b%c", i, i-1, i, i-1, i)
	}
	for _, x := range [][3]string{
		{"words_yes", "$foo oui", "no words are called $foo"},
		{"words_no", "non, $nope merci", "no words are called $nope"},
		{"words_withdraw", "x|,|y,,,|||", "every word of “x|” may be left out"},
		{"words_yes", ", ,", "it has no phrases"},
		{"words_delete", "$x = efface|oublie", "it has no phrases"},
		{"words_asking", "stp = svp, stp", "“stp” is no name for words"},
		{"words_unsure", strings.Repeat("a b ", 40), "a phrase has more than 64 words"},
		{"words_refuse", strings.Repeat("a|b|c|", 200) + " x" + strings.Repeat("|d", 3) + ", " + many("|"), "more than 256 words may take one place"},
		{"words_privacy", twice + strings.Repeat(", "+many("|"), 2), "more than 256 words may take one place"},
		{"words_skip", "passe|passer, suivante", "a button says its first phrase"},
		{"words_no", "non, oui", "“oui” has another meaning"},
		{"words_withdraw", "stop, oui", "“oui” has another meaning"},
		{"words_delete", "efface tout, je retire mon accord| merci|", "“je retire mon accord” has another meaning"},
		{"words_yes", "oui, no|non", "“no” has another meaning"},
	} {
		name, words, says := x[0], x[1], x[2]
		err := w.deps.Texts.Set(ofATeen("fr", name), words, "")
		if !errors.Is(err, text.ErrRefused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s %.60q: %v", name, words, err)
		}
		own, err := text.Read(companion.Name, fstest.MapFS{"teen/fr.yaml": {Data: fmt.Appendf(nil, "progress: \"{n} sur {total}\"\n%s: %q\n", name, words)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.deps.Texts.Sync(own); !errors.Is(err, text.ErrRefused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s %.60q is synced: %v", name, words, err)
		}
	}
	list, err := w.deps.Texts.List(companion.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Source != text.FromFile {
			t.Errorf("%s is %s", e.Key, e.Source)
		}
	}
	if err := w.deps.Texts.Set(ofATeen("fr", "words_yes"), "$Dac = Dac|Banco, $Dac| c'est bon", ""); err != nil {
		t.Error(err)
	}
}

// many are more words than may take a place.
func many(between string) string {
	var words []string
	for i := range 300 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	return strings.Join(words, between)
}

// "We put our own words for yes in, and the “oui” that the card asks for was no yes any more."
func TestCompanion_C29_WhatTheCardPromisesIsHeardWhateverTookTheListsPlace(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		w := newWorld(t, "teen", language)
		for _, name := range []string{"words_yes", "words_no", "words_agree", "words_withdraw"} {
			for _, l := range []string{"en", "fr"} {
				if err := w.deps.Texts.Set(ofATeen(l, name), "abracadabra "+strings.TrimPrefix(name, "words_"), ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		// What an older program kept unread does not count.
		broken := text.Row{Key: ofATeen(language, "words_delete"), Text: "oui, yes, withdraw|je consent|retire mon| accord|", Manual: true, At: w.now()}
		if err := w.db.UpdateTexts(func(tx text.Tx) error { return tx.PutText(broken) }); err != nil {
			t.Fatal(err)
		}
		said := map[string][3]string{"en": {"Write “yes” or “no”", "Yes", "Withdraw consent."}, "fr": {"Écris « oui » ou « non »", "Oui", "Je retire mon accord."}}[language]
		x := w.say("s", map[string]string{"en": "I am nervous about all my exams.", "fr": "Je suis stressé par tous mes examens."}[language], "region", "IE", "age", "from_16_to_17")
		if !strings.Contains(x.reply, said[0]) {
			t.Fatalf("nothing is asked: %q", x.reply)
		}
		if x = w.say("s", said[1]); w.consent(teen).Scope != session.FullConsent {
			t.Errorf("%q: %s %q", said[1], w.consent(teen).Scope, x.reply)
		}
		if x = w.say("s", said[2]); w.consent(teen).Scope != session.PendingConsent {
			t.Errorf("%q: %s %q", said[2], w.consent(teen).Scope, x.reply)
		}
	}
}

// "One message took eleven minutes and all the memory."
func TestCompanion_C24_AMessageIsHeldAgainstAListInTimeForBoth(t *testing.T) {
	w := newWorld(t, "teen", "en")
	list := strings.Repeat(strings.Repeat("a|b|c|d| ", 40)+"e,", 8)
	if err := w.deps.Texts.Set(ofATeen("en", "words_yes"), list, ""); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	w.say("s", strings.Repeat("a b c d ", 2000))
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it takes %v", took)
	}
}
