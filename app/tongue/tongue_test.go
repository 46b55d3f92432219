package tongue_test

import (
	"strings"
	"testing"
	"time"

	"holdpoint/app/tongue"
)

// "In French it said ‘1.077s’, ‘1 sautées’, ‘0 appels d'outil’, ‘16.2 Go’ and ‘2026-11-21’."
func TestTongue_NumbersDurationsAndDaysAreWrittenAsFrenchDoes(t *testing.T) {
	const g, english = tongue.French, tongue.Tongue("en")
	for got, want := range map[string]string{
		g.Say("%s under way", 1077*time.Millisecond):       "1,077 s",
		g.Say("%s under way", 3*time.Minute+49130*1e6):     "3 min 49,13 s",
		g.Say("%s under way", 2*time.Hour+5*time.Second):   "2 h 0 min 5 s",
		g.Say("%s under way", 12*time.Millisecond):         "12 ms",
		g.Say("%d skipped", 1):                             "1 sautée",
		g.Say("%d skipped", 2):                             "2 sautées",
		g.Say("%d tool calls", 0):                          "0 appel d’outil",
		g.Say("%d of %d steps", 1, 3):                      "1 étape sur 3",
		g.Told("16.2 GB free"):                             "16,2 Go",
		g.Told("7.5 GB in all"):                            "7,5 Go",
		g.Day("2026-11-21"):                                "21 novembre 2026",
		g.Day("2027-08-01"):                                "1er août 2027",
		g.Day("soon"):                                      "soon",
		english.Day("2026-11-21"):                          "21 November 2026",
		english.Say("%s under way", 1077*time.Millisecond): "1.077s",
		english.Told("16.2 GB free"):                       "16.2 GB free",

		g.Told("prompts in Q4_0 (at level avx2: 1.5 × Q8_0, 3.0 × Q4_1); to pull: llama3.2:3b-instruct-q4_0"): "1,5 × Q8_0, 3,0 × Q4_1) ; à télécharger : llama3.2:3b-instruct-q4_0",

		g.Say("one sentence of %.0f tokens    %8.2f ms  (at most 1)", 20.0, 0.5): "    0,50 ms",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
}

// "My French list says “à 10:00, UTC”."
func TestMoment_FrenchSaysTheZoneAsPeopleDo(t *testing.T) {
	at := time.Date(2026, 12, 1, 14, 30, 0, 0, time.UTC)
	place, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]time.Time{"mardi 1er décembre 2026 à 14:30 UTC": at, "mardi 1er décembre 2026 à 09:30, heure de New York (UTC-05:00)": at.In(place)} {
		if got := tongue.French.Moment(at); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
