package app_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agents"
	"holdpoint/engine/run"
)

// fieldOf is the name of a member in a trace; the lines of a text are indented.
var fieldOf = regexp.MustCompile(`^(\S[^:\n]*?)[ \x{a0}]?:(?: |$)`)

// "In the French trace the fields were called Evaluated, Prompt ms and Completed stages." What an event tells is called in
// French there, member by member.
func TestExport_TheFieldsOfAFrenchTraceAreInFrench(t *testing.T) {
	french := map[string]bool{}
	read := func(body []byte, err error) {
		t.Helper()
		words := map[string]string{}
		if err == nil {
			err = json.Unmarshal(body, &words)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range words {
			french[said] = true
		}
	}
	read(os.ReadFile("tongue/names.json"))
	files, err := fs.Glob(agents.French, "*/names.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		read(fs.ReadFile(agents.French, name))
	}
	a := exampleApp(t)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: "navigator", Subject: "Patient/pat-alder", Practice: true, Text: "Quels médicaments prend-elle ?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	x, err := a.Export(app.ExportQuery{Session: out.Run.Session, Format: "md", Language: "fr", Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	fenced, fields := false, 0
	for line := range strings.Lines(exported(t, x)) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		m := fieldOf.FindStringSubmatch(line)
		if !fenced || m == nil {
			continue
		}
		if fields++; !strings.HasPrefix(line, m[1]+" :") && !strings.HasPrefix(line, m[1]+"\u00a0:") {
			t.Errorf("no blank before the colon: %q", line)
		}
		for part := range strings.SplitSeq(m[1], ", ") {
			if part = strings.TrimRight(part, " 0123456789"); !french[part] {
				t.Errorf("%q is not in French: %q", part, line)
			}
		}
	}
	if fields < 50 {
		t.Errorf("%d fields were read", fields)
	}
}

// "In the trace stood a message that nobody had written: Thank you, that helps. Which papers do I bring on Monday?" It says what it is for.
func TestExport_TheControlOfAVerySmallModelIsExplained(t *testing.T) {
	a, err := app.Open(app.Options{Dir: t.TempDir(), Ollama: judging(t, 134_515_008, func(string) string { return "crisis" }, func(string) {})})
	if err != nil {
		t.Fatal(err)
	}
	defer closeApp(t, a)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "Which papers do I need?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	for language, says := range map[string]string{"en": "a control with a harmless sentence that nobody wrote", "fr": "un contrôle avec une phrase anodine que personne n’a écrite"} {
		x, err := a.Export(app.ExportQuery{Session: out.Run.Session, Format: "md", Language: language, Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		if text := exported(t, x); strings.Count(text, says) != 1 || !strings.Contains(text[strings.Index(text, says):], "on Monday?") {
			t.Errorf("%s: the control is not explained once", language)
		}
	}
}

// "The page that I printed for her was full of stages and digests; and where the trace is, nothing says."
func TestExport_WithoutTheTraceSaysWhatBringsIt(t *testing.T) {
	a := clinic(t, 0)
	carriedOut(t, a, "s1")
	for _, format := range []string{"md", "html"} {
		for language, want := range map[string]string{"en": "“Include the trace” in the export, or --trace", "fr": "Inclure la trace"} {
			for _, trace := range []bool{false, true} {
				e, err := a.Export(app.ExportQuery{Session: "s1", Format: format, Language: language, Trace: trace})
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(exported(t, e), want); got == trace {
					t.Errorf("%s in %s with trace %v says where it is: %v", format, language, trace, got)
				}
			}
		}
	}
}

// "The trace said “Ms: 6”, “Evaluated: 337” and “Failed:” with nothing." Numbers say what they count and in what, and
// what is empty is left out.
func TestExport_TheNumbersOfATraceHaveWordsAndUnits(t *testing.T) {
	a := exampleApp(t)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Agent: "navigator", Subject: "Patient/pat-alder", Practice: true, Text: "Which medicines does she take?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	bare := regexp.MustCompile(`(?m)^.*(?:\b[Mm]s\b *[\x{a0}]?: *\d|Evaluated|\bDurée[^:\n]*[ \x{a0}]: *\d+ *$).*$`)
	empty := regexp.MustCompile(`(?m)^[\pL ]+[ \x{a0}]?: *$`)
	for language, want := range map[string]string{"en": `Time taken: \d+ ms`, "fr": `Durée[ \x{a0}]: \d+ ms`} {
		for _, format := range []string{"md", "html"} {
			x, err := a.Export(app.ExportQuery{Session: out.Run.Session, Format: format, Language: language, Trace: true})
			if err != nil {
				t.Fatal(err)
			}
			text := exported(t, x)
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%s, %s: no time with its unit", format, language)
			}
			if got := bare.FindString(text); got != "" {
				t.Errorf("%s, %s: a bare number: %q", format, language, got)
			}
			if got := empty.FindString(text); got != "" {
				t.Errorf("%s, %s: nothing behind %q", format, language, got)
			}
		}
	}
}
