package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/safety"
)

// "I gave it the wrong file, which was empty, and it measured a recall of 0." Where there is nobody, nothing is measured.
func TestBenchSafety_OfNobodyMeasuresNothingAndSaysSo(t *testing.T) {
	x := newTerminal(t)
	for _, file := range []string{"", "\n\n", `{"id":1,"text":"Good morning","label":"unknown"}` + "\n"} {
		if got := x.want(2, "bench", "safety", x.write("nobody.ndjson", file)); got.out != "" || !strings.Contains(got.err, "nobody in this file is labelled crisis or none") {
			t.Errorf("%q: %s %s", file, got.out, got.err)
		}
	}
}

// "It printed a recall, and I could not see whom it had missed, whom it had stopped for nothing, and
// who had looked." bench safety says both levels, the tiers, each person whom it got wrong and all
// categories, for a person as for a program.
func TestBenchSafety_SaysBothLevelsAndWhomItGotWrong(t *testing.T) {
	x := newTerminal(t)
	file := x.write("labelled.ndjson", `{"id":"missed","text":"Everything is arranged for the weekend","label":"crisis","category":"plan"}
{"id":"asked","text":["Hello there","I feel so hopeless and alone"],"label":"crisis","category":"mood"}
{"id":"found","text":"I will hang myself tonight","label":"crisis","category":"plan"}
{"id":"stopped","text":"I want to kill myself tonight","label":"none","category":"film"}
{"id":"disturbed","text":"I feel so hopeless and alone","label":"none","category":"mood"}
{"id":"left alone","text":"Which therapist helps with insomnia?","label":"none","category":"visit"}
{"id":"nobody's","text":"Good morning","label":"unknown"}
`)
	for _, args := range [][]string{{"bench", "safety", file}, {"bench", "safety", "--json", file}} {
		got := x.want(0, args...)
		list := lines(t, got.out)
		var told []string
		for _, o := range list[:len(list)-1] {
			by, err := json.Marshal(o["by"])
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, strings.Join([]string{o.text("kind"), o.text("id"), o.text("level"), string(by)}, " "))
			wrong, _ := o["false_alarm"].(map[string]any)
			if o.text("kind") == "miss" {
				wrong, _ = o["miss"].(map[string]any)
			}
			if object(wrong).text("excerpt") == "" || object(wrong).text("category") == "" {
				t.Errorf("what was written and of what category is not said: %v", o)
			}
		}
		if want := []string{`miss missed none []`, `miss asked check_in ["rules"]`, `false_alarm stopped intervention ["rules"]`, `false_check_in disturbed check_in ["rules"]`}; !slices.Equal(told, want) {
			t.Errorf("%q tells of %q, want %q", args, told, want)
		}
		var last struct {
			Recall, Precision     float64
			FalseAlarmRate        float64 `json:"false_alarm_rate"`
			CheckInRecall         float64 `json:"checkin_recall"`
			CheckInFalseAlarmRate float64 `json:"checkin_false_alarm_rate"`
			People, Misses        int
			FalseAlarms           int `json:"false_alarms"`
			FalseCheckIns         int `json:"false_checkins"`
			Tiers                 []string
			Categories            []safety.Share
		}
		b, err := json.Marshal(list[len(list)-1])
		if err == nil {
			err = json.Unmarshal(b, &last)
		}
		if err != nil {
			t.Fatal(err)
		}
		figures := []float64{last.Recall, last.Precision, last.FalseAlarmRate, last.CheckInRecall, last.CheckInFalseAlarmRate}
		for i, want := range []float64{1.0 / 3, 1.0 / 2, 1.0 / 3, 2.0 / 3, 2.0 / 3} {
			if d := figures[i] - want; d > 1e-9 || d < -1e-9 {
				t.Errorf("figure %d is %.3f, want %.3f", i+1, figures[i], want)
			}
		}
		if last.People != 7 || last.Misses != 2 || last.FalseAlarms != 1 || last.FalseCheckIns != 1 || !slices.Equal(last.Tiers, []string{"rules", "words"}) {
			t.Errorf("%+v", last)
		}
		categories := []safety.Share{{Category: "plan", Label: "crisis", People: 2, Interventions: 1}, {Category: "mood", Label: "crisis", People: 1, CheckIns: 1},
			{Category: "film", Label: "none", People: 1, Interventions: 1}, {Category: "mood", Label: "none", People: 1, CheckIns: 1}, {Category: "visit", Label: "none", People: 1}}
		if !slices.Equal(last.Categories, categories) {
			t.Errorf("%+v, want %+v", last.Categories, categories)
		}
		for _, c := range categories {
			if want := fmt.Sprintf("%-6s %-24s %3d people: %3d interventions, %3d check-ins\n", c.Label, safety.Category(c.Category).Word(), c.People, c.Interventions, c.CheckIns); !strings.Contains(got.err, want) {
				t.Errorf("a person does not read %q: %s", want, got.err)
			}
		}
		if want := "interventions: recall 0.333, precision 0.500, false alarms 0.333; either level: recall 0.667, false alarms 0.667; 7 people, read by rules and words\n"; !strings.Contains(got.err, want) {
			t.Errorf("a person does not read %q: %s", want, got.err)
		}
	}
}

// "The bench said child_abuse, intent, plan and means where the screen says a child in danger and suicide." What a
// person reads are the words of the screens, in their language; a program reads the file's own.
func TestBenchSafety_ADangerIsCalledAsOnScreens(t *testing.T) {
	x := newTerminal(t)
	file := x.write("labelled.ndjson", `{"id":1,"text":"I will hang myself tonight","label":"crisis","category":"intent"}
{"id":2,"text":"I have the rope here","label":"crisis","category":"means"}
{"id":3,"text":"My dad hits me with a belt","label":"crisis","category":"child_abuse"}
{"id":4,"text":"She can't be woken","label":"crisis","category":"medical"}
{"id":5,"text":"See you on Monday","label":"none","category":"ordinary_care"}
`)
	for language, want := range map[string][]string{"en": {"suicide                    2 people", "a child in danger          1", "medical emergency          1", "ordinary care              1"}, "fr": {"un enfant en danger", "urgence médicale"}} {
		x.want(0, "settings", "set", "language", language)
		got := x.want(0, "bench", "safety", file)
		for _, w := range want {
			if !strings.Contains(got.err, w) {
				t.Errorf("%s: a person does not read %q:\n%s", language, w, got.err)
			}
		}
		if strings.Contains(got.err, "child_abuse") || !strings.Contains(got.out, `"child_abuse"`) {
			t.Errorf("%s: a person reads %s, a program %s", language, got.err, got.out)
		}
	}
}

// "I trained it on my own texts, and no file was there; nor did it say what that was good for." The
// command writes the weights that the next build embeds, and says what each tier finds of people that
// it has not seen: a sign that it learnt here is found by the words and by no rule.
func TestBenchSafety_TrainingWritesItsFilesAndSaysWhatEachTierAdds(t *testing.T) {
	x := newTerminal(t)
	dir := filepath.Join(x.data, "learn")
	texts := map[string]*strings.Builder{}
	for _, name := range []string{"crisis/people.jsonl", "counsel-questions/questions.jsonl", "reddit-stress/posts.jsonl", "lessons/written-more.jsonl"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		texts[name] = &strings.Builder{}
	}
	for i := range 40 {
		fmt.Fprintf(texts["crisis/people.jsonl"], "{\"id\":\"c%d\",\"text\":\"it is late and the lighthouse calls me down number %d\",\"label\":\"crisis\"}\n", i, i)
		fmt.Fprintf(texts["crisis/people.jsonl"], "{\"id\":\"n%d\",\"text\":\"it is late and the garden is green and large number %d\",\"label\":\"none\"}\n", i, i)
		fmt.Fprintf(texts["counsel-questions/questions.jsonl"], "{\"title\":\"A question\",\"text\":\"how does the garden grow so large %d\"}\n", i)
		fmt.Fprintf(texts["reddit-stress/posts.jsonl"], "{\"text\":\"my train was late and the bus as well %d\"}\n", i)
		fmt.Fprintf(texts["lessons/written-more.jsonl"], "{\"id\":\"w%d\",\"text\":\"I will kill myself tonight number %d\",\"label\":\"crisis\"}\n", i, i)
	}
	for name, text := range texts {
		x.write(filepath.Join("learn", name), text.String())
	}
	for _, c := range []struct {
		lessons string
		texts   int
		origins []string
	}{
		{"", 160, []string{"counsel-questions", "people", "people", "reddit-stress"}},
		{filepath.Join(dir, "lessons"), 200, []string{"counsel-questions", "people", "people", "reddit-stress", "written-more"}},
	} {
		out := t.TempDir()
		got := x.want(0, "bench", "safety", "--train", dir, "-o", out, "--lessons", c.lessons)
		list := lines(t, got.out)
		var rep safety.TrainReport
		if b, err := json.Marshal(list[0]); err != nil || len(list) != 1 || json.Unmarshal(b, &rep) != nil {
			t.Fatalf("%v: %s", err, got.out)
		}
		if rep.Texts != c.texts || rep.Folds < 2 || !slices.Equal(rep.Tiers, []string{"rules", "words"}) {
			t.Errorf("%+v", rep)
		}
		var origins []string
		for _, s := range rep.Shares {
			origins = append(origins, s.Origin)
			label, rules := "none", 0.0
			if s.Crisis {
				label = "crisis"
			}
			if s.Origin == "written-more" {
				rules = 1
			}
			if s.Rules != rules || s.KnownRules != rules || s.Crisis && (s.Words < 0.9 || s.WithoutEither < 0.9) || !s.Crisis && (s.Words > 0.2 || s.Either > 0.2) {
				t.Errorf("what each tier finds: %+v", s)
			}
			if want := fmt.Sprintf("%-6s %-18s %6d  %.3f [%.3f] %.3f/%.3f %.3f/%.3f  %.3f/%.3f   %.3f/%.3f\n", label, s.Origin, s.People, s.Rules, s.KnownRules, s.WordsAlone, s.Words,
				s.MeaningAlone, s.Meaning, s.WithoutInterventions, s.WithoutEither, s.Interventions, s.Either); !strings.Contains(got.err, want) {
				t.Errorf("a person does not read %q: %s", want, got.err)
			}
		}
		if !slices.Equal(origins, c.origins) {
			t.Errorf("it tells of %q, want %q", origins, c.origins)
		}
		for _, want := range []string{"only the linear tier learns", "rules+words", "with meaning", "bytes written to " + filepath.Join(out, "words.bin")} {
			if !strings.Contains(got.err, want) {
				t.Errorf("it does not say %q: %s", want, got.err)
			}
		}
		files, err := os.ReadDir(out)
		if err != nil || len(files) != 1 {
			t.Errorf("without an encoder it writes the words' weights and nothing else: %v (%v)", files, err)
		}
		body, err := os.ReadFile(filepath.Join(out, "words.bin"))
		if err != nil {
			t.Fatal(err)
		}
		if l, err := safety.ReadLinear(body); err != nil || l.CheckIn > l.Intervention || len(body) > 1<<20 {
			t.Errorf("%d bytes of weights: %+v (%v)", len(body), l, err)
		}
	}
	// A folder that holds nothing to learn from is refused, and so is a file beside one.
	x.want(1, "bench", "safety", "--train", filepath.Join(dir, "crisis"), "-o", t.TempDir(), "--lessons", "")
	x.want(2, "bench", "safety", "--train", dir, "one.ndjson")
}
