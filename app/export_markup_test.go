package app_test

import (
	"strings"
	"testing"

	"holdpoint/app"
)

// "I printed the transcript for the file, and it was full of stars and pipes." What Holdpoint and its models said is laid
// out in the page as on the screens, in both languages; what the person wrote stands as it was typed, and the JSON that is
// verified has every sign.
func TestExport_ThePageLaysOutWhatWasSaid(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	const reply = "**Rowan Alder**\n- Allergies: Penicillin\n\n| Drug | Dose |\n|---|---|\n| Sertraline | `50 mg` |"
	told(t, a, "s1", 1, func(int) (string, string) { return "what does **she** take?", reply })
	for format, wants := range map[string][]string{
		"html": {"<strong>Rowan Alder</strong>", "<ul><li>Allergies: Penicillin</li></ul>", "<tr><td>Sertraline</td><td><code>50 mg</code></td></tr>", "what does **she** take?"},
		"json": {`**Rowan Alder**\n- Allergies: Penicillin`},
	} {
		for _, language := range []string{"en", "fr"} {
			e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Language: language})
			if err != nil {
				t.Fatal(err)
			}
			out := exported(t, e)
			for _, want := range wants {
				if !strings.Contains(out, want) {
					t.Errorf("%s in %s has no %q:\n%s", format, language, want, out)
				}
			}
		}
	}
}
