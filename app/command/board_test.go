package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/store"
)

// withPapers has a library in which sources are at odds.
func withPapers(t *testing.T) terminal {
	t.Helper()
	x := newTerminal(t)
	dir := filepath.Join(x.data, "papers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"one.txt":   "Exercise training improves sleep quality in older adults.",
		"two.md":    "# Walking\n\nRegular exercise improves the sleep quality of patients after surgery.",
		"three.txt": "Exercise had no effect on sleep quality in shift workers. They were tired before.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.want(0, "library", "import", dir)
	return x
}

var studying = []string{"run", "--json", "--practice", "--agent", "researcher", "--session", "s1", "--var", "max_iterations=4", "Does exercise improve sleep quality?"}

// shownBoard reads the board as scripts do.
func shownBoard(x terminal, turn string) app.BoardView {
	x.t.Helper()
	var v app.BoardView
	if err := json.Unmarshal([]byte(x.want(0, "board", "show", turn, "--json").out), &v); err != nil {
		x.t.Fatal(err)
	}
	return v
}

func TestResearcher_H18_TheListOfAgentsSaysWhichAreExperimental(t *testing.T) {
	x := newTerminal(t)
	told := x.want(0, "agents", "list").err
	want := map[string]bool{"navigator": false, "reasoner": false, "filing": true, "researcher": true, "companion": true}
	experimental := 0
	for _, a := range lines(t, x.want(0, "agents", "list", "--json").out) {
		is := a["experimental"] == true
		if of, known := want[a.text("id")]; known && is != of {
			t.Errorf("%s: experimental %v", a["id"], is)
		}
		if is {
			experimental++
		}
	}
	if experimental < 3 || strings.Count(told, "(experimental)") != experimental {
		t.Errorf("a person reads %s", told)
	}
}

func TestResearcher_H4_APersonDecidesAtTheCommandLine(t *testing.T) {
	x := withPapers(t)
	list := lines(t, x.want(0, studying...).out)
	turn := list[0].text("turn")
	for _, kind := range []string{"board_searched", "evidence_added", "evidence_judged", "hypothesis_changed", "conflict_changed"} {
		if count(list, "kind", kind) == 0 {
			t.Errorf("no %s is printed", kind)
		}
	}
	needs(t, lines(t, x.want(0, "board", "list", "--json").out), "turn", "session", "query", "status")
	needs(t, lines(t, x.want(0, "board", "show", turn, "--json").out), "turn", "session", "query", "status", "hypotheses", "conflicts", "judgements", "searches", "evidence", "decisions", "timeline", "next_step", "iteration_count", "max_iterations", "report")
	v := shownBoard(x, turn)
	if len(v.Hypotheses) != 1 || len(v.Conflicts) != 1 || len(v.Evidence) != 3 || !v.Report || len(v.Timeline) < 2 {
		t.Fatalf("the board is %+v", v)
	}
	conflict := v.Conflicts[0].ID
	x.want(2, "board", "confirm", turn, "h1") // a reason is asked for
	x.want(1, "board", "confirm", turn, "h7", "--reason", "r")
	x.want(0, "board", "refute", turn, "h1", "--reason", "the wrong people", "--reviewer", "Reviewer One")
	x.want(0, "board", "resolve", turn, conflict, "--outcome", "source_a", "--reason", "the larger one", "--reviewer", "Reviewer One")
	x.want(0, "board", "add", turn, "Exercise helps athletes only", "--reviewer", "Reviewer One")
	x.want(0, "board", "edit", turn, "p1", "Exercise helps athletes", "--reason", "shorter", "--reviewer", "Reviewer One")
	v = shownBoard(x, turn)
	if h := v.Hypotheses[0]; h.Status != "refuted" || h.Decision == nil || h.Decision.Who != "Reviewer One" {
		t.Errorf("%+v", h)
	}
	if c := v.Conflicts[0]; c.Outcome != "source_a" || c.Resolution != "the larger one" {
		t.Errorf("%+v", c)
	}
	if h := v.Hypotheses[1]; h.ID != "p1" || h.Statement != "Exercise helps athletes" || h.Status != "proposed" {
		t.Errorf("%+v", h)
	}
	// Who, what and why are in the journal.
	people := 0
	x.open(func(a *app.App) {
		for _, e := range sessionJournal(t, a, "s1") {
			if strings.Contains(string(e.Data), `"by":"person"`) {
				people++
				if e.Turn != turn || e.Reason == "" && !strings.Contains(string(e.Data), "p1") {
					t.Errorf("told as %s: %s", e.Kind, e.Reason)
				}
			}
		}
	})
	if people != 4 {
		t.Errorf("%d decisions of a person are told", people)
	}
	report := x.want(0, "board", "report", turn).out
	for _, part := range []string{"Refuted by Reviewer One", "the wrong people", "Resolved by Reviewer One", "the larger one", "## Unresolved", "Exercise helps athletes"} {
		if !strings.Contains(report, part) {
			t.Errorf("the report says nothing of %q:\n%s", part, report)
		}
	}
	// Every citation of the report opens.
	for _, e := range v.Evidence {
		if !strings.Contains(report, e.Link) {
			t.Errorf("%s is not cited", e.ID)
		}
		if got := x.want(0, "library", "show", e.Document); !strings.Contains(got.out, e.Text) {
			t.Errorf("%s does not open", e.ID)
		}
	}
	for format, part := range map[string]string{"html": "<!doctype html>", "bib": "@misc{", "ris": "TY  - GEN"} {
		file := filepath.Join(x.data, "report."+format)
		x.want(0, "board", "report", turn, "--format", format, "-o", file)
		if body, err := os.ReadFile(file); err != nil || !strings.Contains(string(body), part) {
			t.Errorf("%s: %v", format, err)
		}
	}
	// "I read French, and the report's headings were English."
	for _, format := range []string{"md", "html"} {
		got := x.want(0, "board", "report", turn, "--format", format, "--language", "fr").out
		for _, wants := range []string{"Rapport : ", "Méthodes", "Jugements : ", "Références"} {
			if !strings.Contains(got, wants) {
				t.Errorf("%s in French has no %q:\n%s", format, wants, got)
			}
		}
		for _, english := range []string{"Methods", "Judgements:", "Confidence ", "passage 1,"} {
			if strings.Contains(got, english) {
				t.Errorf("%s in French says %q:\n%s", format, english, got)
			}
		}
	}
	x.want(2, "board", "report", turn, "--format", "doc")
	if got := x.want(0, "check"); !strings.Contains(got.err, "No problem found.") {
		t.Errorf("check: %s", got.err)
	}
	// The board goes with its conversation.
	x.want(0, "sessions", "delete", "s1")
	x.want(1, "board", "show")
}

// core is what of a board does not depend on when it was made.
func core(v app.BoardView) string {
	for i := range v.Hypotheses {
		v.Hypotheses[i].Decision = nil
	}
	b, err := json.Marshal(map[string]any{"h": v.Hypotheses, "c": v.Conflicts, "j": v.Judgements, "s": v.Searches, "n": v.NextStep, "i": v.Iterations, "f": v.Forced, "r": v.Report})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestResearcher_H13_Kill9AtEachStepResumesToTheSameBoard kills the process after each
// checkpoint of a study.
func TestResearcher_H13_Kill9AtEachStepResumesToTheSameBoard(t *testing.T) {
	papers := withPapers(t)
	x := papers.copy(t)
	list := lines(t, x.want(0, studying...).out)
	undisturbed := shownBoard(x, list[0].text("turn"))
	want, evidence := core(undisturbed), len(undisturbed.Evidence)
	var at []int
	for i, o := range list {
		if o.text("kind") == "checkpoint" {
			at = append(at, i+1)
		}
	}
	if len(at) < 10 {
		t.Fatalf("%d steps", len(at))
	}
	for _, n := range at {
		t.Run(fmt.Sprintf("line %d", n), func(t *testing.T) {
			t.Parallel()
			x := papers.copy(t)
			turn := turnOf(t, x.killed(n, studying...))
			x.want(0, "resume", "--json", turn)
			got := shownBoard(x, turn)
			if core(got) != want {
				t.Errorf("the board is\n%s\nundisturbed it is\n%s", core(got), want)
			}
			if len(got.Evidence) != evidence {
				t.Errorf("%d pieces of evidence", len(got.Evidence))
			}
			if rep, err := store.Check(app.StorePath(x.data)); err != nil || len(rep.Problems) > 0 {
				t.Errorf("check: %v %v", rep.Problems, err)
			}
		})
	}
}

// TestResearcher_H13_APersonsVerdictSurvivesAKill decides while the study lies killed, and
// kills it again at each step of the resume.
func TestResearcher_H13_APersonsVerdictSurvivesAKill(t *testing.T) {
	x := withPapers(t)
	n := 0
	for i, o := range lines(t, x.copy(t).want(0, studying...).out) {
		if o.text("kind") == "hypothesis_changed" && n == 0 {
			n = i + 1
		}
	}
	turn := turnOf(t, x.killed(n+3, studying...))
	x.want(0, "board", "refute", turn, "h1", "--reason", "the wrong people", "--reviewer", "Reviewer One")
	steps := len(lines(t, x.copy(t).want(0, "resume", "--json", turn).out))
	for _, n := range []int{1, steps / 4, steps / 2, 3 * steps / 4, steps} {
		t.Run(fmt.Sprintf("line %d", n), func(t *testing.T) {
			t.Parallel()
			x := x.copy(t)
			x.killed(max(1, n), "resume", "--json", turn)
			x.want(0, "resume", "--json", turn)
			v := shownBoard(x, turn)
			if h := v.Hypotheses[0]; h.Status != "refuted" || h.Decision == nil || h.Decision.Reason != "the wrong people" {
				t.Errorf("the verdict became %+v", h)
			}
			if !reflect.DeepEqual(v.Decisions, shownBoard(x, turn).Decisions) || len(v.Decisions) != 1 {
				t.Errorf("decisions: %+v", v.Decisions)
			}
			if report := x.want(0, "board", "report", turn).out; !strings.Contains(report, "Refuted by Reviewer One") {
				t.Errorf("the report:\n%s", report)
			}
		})
	}
}
