package language_test

import (
	"strings"
	"testing"
	"unicode"

	"holdpoint/engine/language"
)

func told(text string) string {
	var tally language.Tally
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		tally.Add(w)
	}
	return tally.Language()
}

// "I imported an English abstract about men who die, and the library takes it for Dutch: it finds neither men nor die."
func TestLanguage_OrdinaryEnglishWordsAreNoSignOfAnotherLanguage(t *testing.T) {
	for _, text := range []string{
		"Men over 65 die sooner.", "Do men die over this?", "Men die, women die.", "Old men die", "Men who die over the age of 80",
		"Over half die within one year", "Patients die over time", "Door to door time over ninety minutes", "Die casting operators over 40",
		"Many die. Some men die twice as often. Over time more men die.", "Men under 40, men over 40", "Men van drivers over 60",
		"Die Zeit reported that men die sooner than women", "Deaths of men over 60 who die at home", "Con men over 60", "War: men die",
		"Is renal warm ischemia over 30 minutes during laparoscopic partial nephrectomy possible?",
		"Two rural, private care clinics in southeastern Idaho providing immediate care services.",
		"Operative complications were fundus tear (n = 8), bleeding (n = 4), bougie perforation (n = 1) and tension pneumothorax (n = 1), one institution (n = 567) and another institution (n = 1,620).",
	} {
		if got := told(text); got != "en" {
			t.Errorf("%q is said to be %q", text, got)
		}
	}
}

// "Our Dutch and Danish papers count as English now."
func TestLanguage_TheOtherLanguagesAreStillTold(t *testing.T) {
	for text, want := range map[string]string{
		"De man die over het water liep":                               "nl",
		"Patiënten die over pijn klagen":                               "nl",
		"Mannen die roken overlijden eerder dan mannen die niet roken": "nl",
		"Over halvdelen dør inden for et år":                           "da",
		"Mennene dør tidligere, men ikke over natten":                  "no",
		"Det är inte farligt men det gör ont":                          "sv",
		"Die Patienten waren über 60":                                  "de",
		"Die Männer, die rauchen, starben früher als die Frauen":       "de",
		"Son fils est malade":                                          "fr",
		"L'homme n'a pas d'enfant et s'ennuie":                         "fr",
		"Son pacientes con fiebre":                                     "es",
		"Pazienti con dolore per tre giorni":                           "it",
		"Os homens morrem mais cedo":                                   "pt",
		"A betegek egy része a kórházban volt":                         "hu",
	} {
		if got := told(text); got != want {
			t.Errorf("%q is said to be %q, not %q", text, got, want)
		}
	}
}
