package appointed_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/engine/record/appointed"
)

// "I asked for Tuesday morning, and nothing on the card said that this was Monday." The visit of each is
// on Monday 30 November 2026 at 09:00.
func TestTimes_SayWhatAVisitDoesNotHave(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	visit := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for message, want := range map[string]string{
		"Book her a visit about insomnia on Tuesday morning":                "Tuesday",
		"Book her a visit on Monday morning":                                "",
		"book a visit tuesday afternoon":                                    "tuesday, afternoon",
		"Please book Monday or Tuesday":                                     "",
		"Book a visit between Monday to Wednesday":                          "",
		"Book something from Tuesday to Thursday":                           "Tuesday to Thursday",
		"Book a visit at 14:00":                                             "14:00",
		"Book a visit at 9":                                                 "",
		"Book a visit at 2 pm on Monday":                                    "2 pm",
		"Book a visit after 3 pm":                                           "3 pm",
		"Book a visit before 10:00":                                         "",
		"Book a visit on 2 December":                                        "2 December",
		"Book a visit on November 30th":                                     "",
		"Book a visit for 2026-12-02 at 09:00":                              "2026-12-02",
		"Book a visit on 30/11":                                             "",
		"Book a visit on 12/1":                                              "12/1",
		"Book a visit on the 30th":                                          "",
		"Book a visit tomorrow evening":                                     "tomorrow, evening",
		"Book a visit this weekend":                                         "weekend",
		"Book a visit, but not on Monday":                                   "not on Monday",
		"Book a visit, not Tuesday":                                         "",
		"Good morning! Good evening! Book a visit about anxiety":            "",
		"She has not slept since Tuesday. Book a visit about it":            "",
		"She fell last Tuesday at 14:00. Book her a visit on Monday":        "",
		"She wakes at 3am; book a visit about sleep":                        "",
		"He was born on 2 December 1980: book a visit":                      "",
		"Book a visit about 3 tablets of 20 mg":                             "",
		"Réservez une visite pour l’insomnie mardi matin":                   "mardi",
		"Réserve une visite le mercredi 2 décembre à 14h":                   "2 décembre, mercredi, à 14h",
		"Réserve une visite lundi après-midi":                               "après-midi",
		"Réserve une visite lundi 30 novembre à 9h00":                       "",
		"Réserve une visite demain soir":                                    "demain, soir",
		"Il ne dort plus depuis mardi dernier : réserve une visite":         "",
		"Annule la visite de vendredi":                                      "vendredi",
		"Book a visit with Dr Marsh about her mother, who may be suffering": "",
	} {
		if got := strings.Join(appointed.In(message, now).Misses(visit), ", "); got != want {
			t.Errorf("%s: %q, not %q", message, got, want)
		}
	}
}

func TestTimes_AreNoPartOfAReason(t *testing.T) {
	for text, want := range map[string]string{
		"insomnia on Tuesday morning":         "insomnia",
		"insomnia, on Tuesday at 14:00":       "insomnia",
		"l’insomnie mardi matin":              "l’insomnie",
		"l’anxiété le 2 décembre à 14h30":     "l’anxiété",
		"on Tuesday morning about insomnia":   "about insomnia",
		"chest pain that she has since March": "chest pain that she has since March",
	} {
		if got := appointed.In(text, time.Now()).Without(text); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
