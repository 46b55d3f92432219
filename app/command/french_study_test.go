package command_test

import (
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
