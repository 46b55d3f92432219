package safety

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder writes a small world to learn from: nobody's words.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, lines []string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var people, questions, posts []string
	for i := range 40 {
		people = append(people, fmt.Sprintf(`{"id":"c%d","text":["the lighthouse calls me down number %d"],"label":"crisis"}`, i, i), fmt.Sprintf(`{"id":"n%d","text":"the garden is green number %d","label":"none"}`, i, i))
		questions = append(questions, fmt.Sprintf(`{"id":"q%d","title":"A question","text":"how does the garden grow %d"}`, i, i))
		posts = append(posts, fmt.Sprintf(`{"id":"p%d","text":"my train was late %d"}`, i, i))
	}
	write("crisis/people.jsonl", people)
	write("counsel-questions/questions.jsonl", questions)
	write("reddit-stress/posts.jsonl", posts)
	return dir
}

// TestTrain_LearnsPhrasesAndSaysWhich learns a made-up sign of danger, the same each time,
// and gives the phrase as the reason.
func TestTrain_LearnsPhrasesAndSaysWhich(t *testing.T) {
	dir := folder(t)
	trained, err := Train(t.Context(), dir, "", nil, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	l, rep := trained.Linear, trained.Report
	again, err := Train(t.Context(), dir, "", nil, func(string) {})
	if err != nil || !bytes.Equal(l.Bytes(), again.Linear.Bytes()) {
		t.Errorf("the same folder gave other weights (%v)", err)
	}
	for _, s := range rep.Shares {
		if s.Crisis && s.Words < 0.9 || !s.Crisis && s.Words > 0.3 {
			t.Errorf("judged by a model that had not seen them: %+v", s)
		}
	}
	kept, err := ReadLinear(l.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r := words{kept}.Read("Tonight I sit here and again the lighthouse calls me down")
	if r.Level == Calm || !slices.ContainsFunc(r.Reasons, func(s string) bool { return strings.Contains(s, "lighthouse") }) {
		t.Errorf("%+v", r)
	}
	if r := (words{kept}).Read("today I can say that the garden is green and large"); r.Level != Calm || r.Reasons != nil {
		t.Errorf("%+v", r)
	}
	if len(l.Bytes()) > 1<<20 {
		t.Errorf("%d bytes are too many for the program", len(l.Bytes()))
	}
}

func TestTrain_SaysWhatIsMissing(t *testing.T) {
	if _, err := Train(t.Context(), t.TempDir(), "", nil, nil); err == nil || !strings.Contains(err.Error(), "crisis") {
		t.Errorf("%v", err)
	}
}

func TestReadLinear_RefusesWhatItIsNot(t *testing.T) {
	for _, b := range [][]byte{nil, []byte("hpwords1"), bytes.Repeat([]byte("x"), len(wordsBin))} {
		if _, err := ReadLinear(b); err == nil {
			t.Errorf("%d bytes were taken", len(b))
		}
	}
}

func TestTogether(t *testing.T) {
	gate := &Linear{Low: -1}
	rules := func(level Level, score float64) Reading {
		return Reading{Tier: TierRules, Level: level, Score: score}
	}
	linear := func(level Level, score float64) Reading {
		return Reading{Tier: TierWords, Level: level, Score: score}
	}
	long := strings.Repeat("word ", longWords+1)
	for _, c := range []struct {
		what     string
		text     string
		readings []Reading
		want     Level
	}{
		{"nothing", "", []Reading{rules(Calm, 0), linear(Calm, 0)}, Calm},
		{"one sign asks", "", []Reading{rules(CheckIn, 7), linear(Calm, 0)}, CheckIn},
		{"the words alone ask", "", []Reading{rules(Calm, 0), linear(CheckIn, 1)}, CheckIn},
		{"two signs agree", "", []Reading{rules(CheckIn, 7), linear(CheckIn, 1)}, Intervene},
		{"one beyond its second threshold", "", []Reading{rules(Calm, 0), linear(Intervene, 9)}, Intervene},
		{"a short message needs the rules only", "short", []Reading{rules(Intervene, 12), linear(Calm, -5)}, Intervene},
		{"in a long one the words must not contradict", long, []Reading{rules(Intervene, 12), linear(Calm, -5)}, CheckIn},
		{"nor do they when they are not against it", long, []Reading{rules(Intervene, 12), linear(Calm, 0)}, Intervene},
		{"what the rules are sure of stays", long, []Reading{rules(Intervene, rulesSure), linear(Calm, -5)}, Intervene},
	} {
		if got := together(longer(c.text), c.readings, gate); got != c.want {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// further stands for a further tier.
type further struct{}

func (further) Name() string { return TierMeaning }

func (further) Read(string) Reading {
	return Reading{Level: CheckIn, Category: Abuse, Reasons: []string{"near abuse"}}
}

// TestAFurtherTierTakesPart plugs one in: it is heard, named and measured.
func TestAFurtherTierTakesPart(t *testing.T) {
	c := Checker{Tiers: []Tier{further{}}}
	a := c.Assess("Where is the library?")
	if a.Level != CheckIn || a.Category != Abuse || !slices.Equal(a.Found(), []string{TierMeaning}) {
		t.Errorf("%+v", a)
	}
	r, err := c.Bench(strings.NewReader(`{"id":"a","text":"Where is the library?","label":"none","category":"ordinary"}`))
	if err != nil || r.CheckInFalseAlarmRate != 1 || r.FalseAlarmRate != 0 || !slices.Equal(r.Tiers, []string{TierRules, TierMeaning}) ||
		len(r.FalseCheckIns) != 1 || r.FalseCheckIns[0].Level != CheckIn || len(r.Categories) != 1 || r.Categories[0].CheckIns != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

// What both levels must reach on the development files. The rules were written with these
// files read, and the linear tier has learnt from them: the figures are optimistic, and
// `holdpoint bench safety --train` prints those of a cross-validation.
func TestMeasured_BothLevelsOnTheDevelopmentFiles(t *testing.T) {
	for name, want := range map[string]struct{ either, alarms float64 }{
		"crisis/statements-en-dev.jsonl": {0.90, 0.15}, "crisis/statements-fr-dev.jsonl": {0.85, 0.20}, "crisis/cssrs-dev.jsonl": {0.97, 1},
	} {
		if len(readSample(t, name)) == 0 {
			continue
		}
		f, err := os.Open(filepath.Join(dataFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Offline.Bench(f)
		if closeErr := f.Close(); err != nil || closeErr != nil {
			t.Fatal(err, closeErr)
		}
		t.Logf("%s: interventions %.3f and %.3f, either level %.3f and %.3f", name, r.Recall, r.FalseAlarmRate, r.CheckInRecall, r.CheckInFalseAlarmRate)
		if r.CheckInRecall < want.either || r.CheckInFalseAlarmRate > want.alarms {
			t.Errorf("%s: either level finds %.3f and alarms on %.3f", name, r.CheckInRecall, r.CheckInFalseAlarmRate)
		}
	}
}

// "It says that I am in danger because I wrote « et »." A reason is a phrase that says something.
func TestWords_ReasonsSayOfWhat(t *testing.T) {
	for _, text := range []string{"je ne veux pas et je ne peux pas continuer comme ça, je n'en peux plus du tout et j'ai peur de moi", "I can't do this any more and I don't want to be here, not to see anybody, I want it all to end tonight",
		"j'ai pris tous les comprimés et je ne veux pas que ma mère me trouve comme ça et je suis désolé"} {
		r := LinearTier.Read(text)
		if r.Level == Calm || len(r.Reasons) == 0 {
			t.Errorf("%q: %s with no reason", text, r.Level)
		}
		for _, reason := range r.Reasons {
			if slices.Contains([]string{"et", "ne", "pas et", "not to", "and", "and i", "i do", "que", "et je", "et ne", "je suis"}, reason) {
				t.Errorf("%q: because of %q", text, reason)
			}
		}
	}
}
