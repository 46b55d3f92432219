package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "I work in French, and the report of my study, its conflicts and its methods came in English."
func TestBoard_AStudyInFrenchReportsInFrench(t *testing.T) {
	x := withPapers(t)
	x.want(0, "settings", "set", "language", "fr")
	turn := lines(t, x.want(0, studying...).out)[0]["turn"].(string)
	for what, text := range map[string]string{
		"the answer":      x.want(0, "export", "s1", "--format", "md").out,
		"the report":      x.want(0, "board", "report", turn).out,
		"the board shown": x.want(0, "board", "show", turn).err,
	} {
		if !strings.Contains(text, "ne disent pas la même chose") {
			t.Errorf("%s tells no conflict in French:\n%s", what, text)
		}
		if what != "the board shown" && (!strings.Contains(text, "Passages trouvés ") || !strings.Contains(text, "bibliothèque : « ")) {
			t.Errorf("%s does not tell the methods in French:\n%s", what, text)
		}
		for _, english := range []string{"say different things", "Passages found", "library: “", "near-duplicates", "## Methods"} {
			if strings.Contains(text, english) {
				t.Errorf("%s says %q in English:\n%s", what, english, text)
			}
		}
	}
	x.want(0, "settings", "set", "network", "true")
	if got := x.want(0, "library", "fetch", "sommeil", "--sources", "pubmed").err; !strings.Contains(got, "en attente") || !strings.Contains(got, "qui conviennent le mieux") || strings.Contains(got, "waiting") || strings.Contains(got, "that fit best") {
		t.Errorf("what would be sent is told as %s", got)
	}
}

// "I tried it in French without a model: it answered Yes in English, and took a paper that says no for a yes."
func TestBoard_PracticeOfAFrenchStudyIsInFrench(t *testing.T) {
	x := newTerminal(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"un.txt":   "L'exercice physique régulier améliore la qualité du sommeil des personnes âgées.",
		"deux.txt": "Chez les travailleurs de nuit, l'exercice physique n'a nullement changé le repas ; il n'améliore pas la qualité du sommeil.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.want(0, "library", "import", dir)
	turn := lines(t, x.want(0, "run", "--practice", "--agent", "researcher", "--json", "L’exercice physique améliore-t-il la qualité du sommeil ?").out)[0]["turn"].(string)
	report := x.want(0, "board", "report", turn, "--language", "fr").out
	for _, want := range []string{"Oui : L’exercice physique améliore la qualité du sommeil", "ne pèse pas les sources", "**Contre :** « Chez les travailleurs"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report has no %q:\n%s", want, report)
		}
	}
	if strings.Contains(report, "Yes:") || strings.Contains(report, "A source says") {
		t.Errorf("the report is partly in English:\n%s", report)
	}
}

// "Does became an es, and the hypothesis read like a slip."
func TestBoard_PracticeLeavesAQuestionsWordsWhole(t *testing.T) {
	for question, want := range map[string]string{"Does tea help?": "Yes: tea help", "Isotretinoin and mood?": "Yes: Isotretinoin and mood", "Do naps help?": "Yes: naps help"} {
		x := newTerminal(t)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("Tea and naps and isotretinoin helped with mood."), 0o600); err != nil {
			t.Fatal(err)
		}
		x.want(0, "library", "import", dir)
		turn := lines(t, x.want(0, "run", "--practice", "--agent", "researcher", "--json", question).out)[0]["turn"].(string)
		if report := x.want(0, "board", "report", turn).out; !strings.Contains(report, "### "+want+"\n") {
			t.Errorf("%s: no %q in\n%s", question, want, report)
		}
	}
}
