package visible_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"holdpoint/engine/visible"
	"holdpoint/engine/visible/visibletest"
)

// "A name looked like another one, and I could not see that it was not."
func TestVisible_EveryLineOfTheCorpus(t *testing.T) {
	for _, c := range visibletest.Corpus(t) {
		if got := visible.Text(c.Raw); got != c.Shown {
			t.Errorf("%s: %+q is shown as %q, want %q", c.Name, c.Raw, got, c.Shown)
		}
		if got := visible.Line(c.Raw); got != c.Line {
			t.Errorf("%s: as a line %+q is shown as %q, want %q", c.Name, c.Raw, got, c.Line)
		}
		in, err := json.Marshal([]string{c.Raw})
		if err != nil {
			t.Fatal(err)
		}
		out := visible.JSON(in)
		var back []string
		if err := json.Unmarshal(out, &back); err != nil || back[0] != c.Raw {
			t.Errorf("%s: as JSON %s reads %+q (%v)", c.Name, out, back, err)
		}
		if shown := visible.Text(string(out)); shown != string(out) {
			t.Errorf("%s: JSON still hides something: %s", c.Name, shown)
		}
	}
}

func TestVisible_BytesThatAreNoText(t *testing.T) {
	if got := visible.Text("a\xffb\xe2\x82"); got != "a⟨0xFF⟩b⟨0xE2⟩⟨0x82⟩" {
		t.Errorf("shown as %q", got)
	}
	if got := visible.JSON([]byte("{\"a\":\"\xff\"}")); !utf8.Valid(got) || !json.Valid(got) {
		t.Errorf("%q is no JSON in UTF-8", got)
	}
	if got := visible.Short("a\n  b\tc\u202e d", 5); got != "a b c…" {
		t.Errorf("short: %q", got)
	}
}

// "The screens escaped it and the export did not."
func TestVisible_TheScreensHaveTheSameTable(t *testing.T) {
	quoted := regexp.MustCompile(`"([0-9a-f -]+)"`)
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range quoted.FindAllStringSubmatch(string(b), -1) {
			all = append(all, m[1])
		}
		return strings.Join(all, "")
	}
	if here, there := read("lookalikes.go"), read("../../frontend/src/text/lookalikes.ts"); here != there || len(here) < 1000 {
		t.Error("lookalikes.go and frontend/src/text/lookalikes.ts differ")
	}
}

// "The message names the folder with my name in it."
func TestWithoutPaths_ErrorsNameNoFolders(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"open /srv/clinic/dr-a/x.json: no such file":                           "open x.json: no such file",
		"open " + home + "/My Clinic/holdpoint.db: permission denied":          "",
		`open C:\Users\Dr A\x.db: Access is denied`:                            "",
		`store: "/srv/clinic/holdpoint.db" is damaged`:                         `store: "holdpoint.db" is damaged`,
		"rename /srv/clinic/a /srv/clinic/b: exists":                           "rename a b: exists",
		"dial http://127.0.0.1:11434/api/chat: refused":                        "dial http://127.0.0.1:11434/api/chat: refused",
		"Patient/1 and Appointment/2 differ, 1/2 of it; text/html; 2026/03/01": "Patient/1 and Appointment/2 differ, 1/2 of it; text/html; 2026/03/01",
		"(/srv/clinic/logs/ollama.log)":                                        "(ollama.log)",
	} {
		got := visible.WithoutPaths(in)
		if want != "" && got != want || strings.Contains(got, home) || strings.Contains(got, `C:\`) {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, c := range visibletest.Corpus(f) {
		f.Add(c.Raw)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := visible.Line(s)
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%+q is shown as %+q", s, out)
		}
		if in, err := json.Marshal(s); err == nil {
			var back, want string
			if json.Unmarshal(in, &want) != nil || json.Unmarshal(visible.JSON(in), &back) != nil || back != want {
				t.Errorf("%s became %s", in, visible.JSON(in))
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := bytes.Repeat([]byte("The patient – Élise – sleeps badly; Анна Иванова said so.\n"), 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		visible.Text(string(text))
	}
}
