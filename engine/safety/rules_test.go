package safety

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRulesAreReviewable(t *testing.T) {
	rs, err := compile(rulesFS, "rules")
	if err != nil {
		t.Fatal(err)
	}
	fr, err := compile(rulesFS, "rules/fr")
	if err != nil {
		t.Fatal(err)
	}
	other, err := compile(rulesFS, "rules/more")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(rulesFS, "rules/told"); err != nil {
		t.Fatal(err)
	}
	for _, r := range slices.Concat(rs.rules, fr.rules, other.rules) {
		if strings.Contains(r.Reason, "\n") || len(r.Reason) > 120 {
			t.Errorf("rule %s: the reason is one line of at most 120 bytes", r.ID)
		}
		if r.past > r.Weight {
			t.Errorf("rule %s weighs more in the past than now", r.ID)
		}
	}
	for _, s := range rs.styles {
		if s.ID == "" || s.Reason == "" || s.Weight == 0 {
			t.Errorf("style %q needs id, reason and weight", s.ID)
		}
	}
}

func TestAMistakeInTheRulesIsFound(t *testing.T) {
	words := `
classes: {negator: "not", not_negating: "know", barrier: "you", past_mark: "was", remote_mark: "once", clause_word: "but", before_ill: "am", writer: "i", reader: "you", reporter: "says", other: "he", relative: "mother"}
phrases: {counsel: [stay strong], recovery: [am fine], context: [my essay]}
`
	good := "threshold: 10\nrules:\n  - {id: a, category: intent, reason: r, weight: 5, patterns: [i @writer]}\n"
	for name, c := range map[string]struct{ rules, want string }{
		"a good file":                      {good, ""},
		"no threshold":                     {strings.Replace(good, "threshold: 10", "threshold: 0", 1), "threshold"},
		"an unknown class":                 {strings.Replace(good, "@writer", "@nobody", 1), "unknown class @nobody"},
		"an unknown phrase":                {strings.Replace(good, "[i @writer]", "['#nothing']", 1), "unknown phrase #nothing"},
		"an unknown category":              {strings.Replace(good, "intent", "sadness", 1), "unknown category"},
		"no reason":                        {strings.Replace(good, "reason: r, ", "", 1), "needs id, reason"},
		"a gap without a size":             {strings.Replace(good, "[i @writer]", "['i *x me']", 1), "gap"},
		"only gaps":                        {strings.Replace(good, "[i @writer]", "['*3']", 1), "needs one word"},
		"an unknown field":                 {strings.Replace(good, "weight: 5", "weight: 5, heavy: true", 1), "heavy"},
		"a phrase within itself":           {"phrases: {one: ['a #two'], two: ['b #one']}\n" + good, "contains itself"},
		"an unknown phrase beside":         {strings.Replace(good, "reason: r,", "reason: r, beside: [nothing],", 1), "unknown phrase"},
		"an intervention that is ordinary": {"ordinary:\n  - {id: o, reason: r, level: intervention, beside: [counsel]}\n" + good, "below an intervention"},
		"a rule twice":                     {good + "  - {id: a, category: intent, reason: r, weight: 5, patterns: [me]}\n", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(fstest.MapFS{"rules/a.yaml": {Data: []byte(c.rules)}, "rules/words.yaml": {Data: []byte(words)}}, "rules")
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Fatalf("error %v should name %q", err, c.want)
			}
		})
	}
}

// “Coloscopie”, “colonoscopy” and “colonoscopies” are one stem; a phrase may name others, and a rule what must stand
// beside it or must not
func TestRules_StemsPhrasesInPhrasesAndWhatStandsBesideThem(t *testing.T) {
	src := `
threshold: 10
classes: {negator: "not", not_negating: "know", barrier: "you", past_mark: "was", remote_mark: "once", clause_word: "but", before_ill: "am", writer: "i", reader: "you", reporter: "says", other: "he", relative: "mother"}
phrases:
  counsel: [stay strong]
  recovery: [am fine]
  context: [my essay]
  act: ['stab* #whom']
  whom: ['my sister', 'stabby']
  taken: ['hasit +2 away']
  joke: [haha]
elided: {"m'a": hasit}
rules:
  - {id: b, category: intent, reason: r, weight: 10, patterns: ['#taken']}
  - {id: a, category: intent, reason: r, weight: 10, beside: [act], without: [joke], patterns: ['i will']}
`
	rs, err := compile(fstest.MapFS{"rules/a.yaml": {Data: []byte(src)}}, "rules")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"I will. Stabbing my sister is all I think of": true, "I will, he stabs stabby": true, "I will stab stabby": true, "I will. I go stabbing": false, "I will, stabbing my sister, haha": false, "stabbing my sister": false,
		"m'a it away": true, "m’a it away": true, "m'a away": false, "ma it away": false,
	} {
		if v := rs.check(text); v.Hijack != want {
			t.Errorf("%q: %+v", text, v)
		}
	}
}
