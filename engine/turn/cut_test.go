package turn

import (
	"encoding/json"
	"strings"
	"testing"
)

// "It got half an object and made up the rest": what is cut of JSON is JSON, and says so.
func TestCut_LeavesWholeItemsAndSaysHowManyAreGone(t *testing.T) {
	long := `{"patient":{"name":"Ada"},"allergies":[{"text":"Penicillin"},{"text":"Latex"}],"notes":[{"text":"` + strings.Repeat("a", 90) + `"},{"text":"` + strings.Repeat("b", 90) + `"}],"n":1.50}`
	for _, c := range []struct {
		name, text string
		room       int
		want       string
	}{
		{"what fits", long, len(long), long},
		{"the last item of the last list", long, len(long) - 40, `{"patient":{"name":"Ada"},"allergies":[{"text":"Penicillin"},{"text":"Latex"}],"notes":[{"text":"` + strings.Repeat("a", 90) + `"}],"n":1.50,"not_shown":{"notes":1}}`},
		{"then the list before it", long, 120, `{"patient":{"name":"Ada"},"allergies":[{"text":"Penicillin"}],"notes":[],"n":1.50,"not_shown":{"allergies":1,"notes":2}}`},
		{"a list", `["aaaa","bbbb","cccc"]`, 15, `["aaaa","bbbb"]`},
		{"a long text", `{"text":"` + strings.Repeat("x", 400) + `"}`, 60, ""},
		{"nothing that could go", `{"` + strings.Repeat("k", 400) + `":1}`, 60, `{"note":"the result is too long for this model"}`},
		{"no JSON", strings.Repeat("word ", 100), 50, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Cut(c.text, c.room)
			if c.want != "" && got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(got) > max(c.room, 60)+len("…") || json.Valid([]byte(c.text)) && !json.Valid([]byte(got)) {
				t.Errorf("%d characters for a room of %d: %s", len(got), c.room, got)
			}
		})
	}
}
