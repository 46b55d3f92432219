package model_test

import (
	"testing"
	"unicode/utf8"

	"holdpoint/engine/model"
)

// "Under what it remembers stood: I wake at three every night and lie awa." What is cut ends at a word, and says so.
func TestOpening_EndsAtAWordAndSaysThatThereIsMore(t *testing.T) {
	for text, want := range map[string]string{
		"a visit with a psychiatrist":     "a visit with a…",
		"a visit with a psy chiatrist":    "a visit with a…",
		"please a visit, with haste":      "please a visit…",
		"a visit with a ps":               "a visit with a ps",
		"a visit with an x":               "a visit with an x",
		"nospaceinallofthiswordatallhere": "nospaceinallofthi…",
		"été été été été été été":         "été été été été…",
	} {
		if got := model.Opening(text, 18); got != want || utf8.RuneCountInString(got) > 18 {
			t.Errorf("%q, not %q", got, want)
		}
	}
	for n := range 4 {
		if got := model.Opening("words", n); utf8.RuneCountInString(got) > n {
			t.Errorf("%q has more than %d characters", got, n)
		}
	}
}

// What a model wrote up to the last character that its schema allows was cut there.
func TestFilled_WasCutByItsSchema(t *testing.T) {
	for text, want := range map[string]string{
		"I wake at three and lie awa": "I wake at three and lie…",
		"I wake at three and lie aw.": "I wake at three and lie aw.",
		"I wake at three":             "I wake at three",
		"":                            "",
	} {
		if got := model.Filled(text, 27); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
