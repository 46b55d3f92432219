package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// worn is a graph with one of each that a report tells: a cache hit, a node that was
// passed by, one that was tried again, and a warning.
const worn = `name: worn
limits: {max_tokens: 100000}
nodes:
  - name: rounds
    kind: loop
    times: 2
    until: "input == 'never'"
    default_next: lost
    nodes:
      - {name: once, kind: transform, template: "{{.input}}", flags: [cacheable], output: kept}
  - {name: lost, kind: transform, pick: vars.nobody, default_next: plan}
  - {name: plan, kind: plan, flags: [skip_on_error], default_next: last}
  - {name: last, kind: transform, template: done}
`

func TestReasoner_R13_TheReportReachesThePersonAndTheScript(t *testing.T) {
	x := newTerminal(t)
	file := x.write("worn.yaml", worn)
	out := lines(t, x.want(0, "run", "--agent", file, "--practice", "--json", "hi").out)
	for _, e := range out[:len(out)-1] {
		if e["report"] != nil {
			t.Errorf("%s has a report before the end", e.text("kind"))
		}
	}
	last := out[len(out)-1]
	r, ok := last["report"].(map[string]any)
	if last.text("kind") != "turn_completed" || last["seq"] == nil || !ok {
		t.Fatalf("the last line is %v", last)
	}
	check := func(r map[string]any) {
		t.Helper()
		at := func(member, stage string) any {
			m, _ := r[member].(map[string]any)
			return m[stage]
		}
		if at("ran", "last") != 1.0 || at("cached", "rounds/once") != 1.0 || at("skipped", "plan") != 1.0 || at("failed", "lost") != 1.0 || at("errors", "lost") == nil {
			t.Errorf("the report is %v", r)
		}
		if path, _ := r["path"].([]any); len(path) != 9 || path[0].(map[string]any)["resolver"] != "safety" {
			t.Errorf("the way is %v", r["path"])
		}
		if r["status"] != "completed" || r["steps"] == 0.0 || r["max_steps"] != 50.0 {
			t.Errorf("status and steps are %v %v", r["status"], r["steps"])
		}
	}
	check(r)
	turn := last.text("turn")
	check(lines(t, x.want(0, "report", turn, "--json").out)[0])
	said := x.want(0, "report", turn).err
	for _, want := range []string{"completed after", "cached     rounds/once", "skipped    plan", "failed     lost", "rounds → lost by static", "of 100000 tokens", "passed by  lost: ", "warned     "} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, said)
		}
	}
	if said := x.want(0, "run", "--agent", file, "--practice", "hi").err; !strings.Contains(said, "holdpoint report ") {
		t.Errorf("nobody says where the report is:\n%s", said)
	}
	x.want(1, "report", "nosuchturn")
	// What waits has a report, too, and going on has another.
	asks := x.write("asker.yaml", asker)
	began := lines(t, x.want(3, "run", "--agent", asks, "--practice", "--json", "hi").out)
	pause := began[len(began)-1]
	if r, _ := pause["report"].(map[string]any); pause.text("kind") != "turn_paused" || r["status"] != "awaiting_approval" && r["status"] != "paused" {
		t.Errorf("a pause ends with %v", pause)
	}
	id := pause["data"].(map[string]any)["pauses"].([]any)[0].(map[string]any)["id"].(string)
	rest := lines(t, x.want(0, "resume", pause.text("turn"), "--json", "--answer", id+`="red"`).out)
	if r, _ := rest[len(rest)-1]["report"].(map[string]any); r["status"] != "completed" {
		t.Errorf("it ends with %v", rest[len(rest)-1])
	}
}

func TestExamples_AreListedPrintedKeptAndRun(t *testing.T) {
	x := newTerminal(t)
	list := lines(t, x.want(0, "agents", "examples", "--json").out)
	if len(list) < 12 {
		t.Fatalf("%d examples", len(list))
	}
	needs(t, list, "name", "title", "description", "message", "text")
	if text := x.want(0, "agents", "examples", "booking_form").out; !strings.HasPrefix(text, "name: booking_form\n") {
		t.Errorf("it prints %q", text)
	}
	x.want(0, "records", "import", "sample")
	x.want(0, "agents", "examples", "asked_once", "--add")
	x.want(0, "run", "--practice", "--agent", "asked_once", "Explain a sleep diary.")
	x.want(0, "run", "--practice", "--agent", "example:uneven_joins", "--subject", "Patient/pat-alder", "Please prepare my visit.")
	if err := x.want(1, "agents", "examples", "nonsense").err; !strings.Contains(err, "booking_form") {
		t.Error(err)
	}
}

// TestQuestions_ATypedAnswerIsSaidInWordsAndTakenAsWhatItIs: nobody knew that a number was
// asked for, and 4 was refused where "4" was taken.
func TestQuestions_ATypedAnswerIsSaidInWordsAndTakenAsWhatItIs(t *testing.T) {
	x := newTerminal(t)
	asked := x.want(3, "run", "--practice", "--agent", "example:booking_form", "I need some visits.")
	if !strings.Contains(asked.err, "expected: a whole number from 1 to 20") {
		t.Fatalf("it asks\n%s", asked.err)
	}
	answer := func(with string, exit int) {
		t.Helper()
		m := howToAnswer.FindStringSubmatch(asked.err)
		if m == nil {
			t.Fatalf("nobody says how to answer:\n%s", asked.err)
		}
		asked = x.want(exit, "resume", m[1], "--answer", m[2]+"="+with)
	}
	answer(`"many"`, 3)
	if !strings.Contains(asked.err, `"many" is not a whole number from 1 to 20`) {
		t.Errorf("it asks again with\n%s", asked.err)
	}
	answer(`4`, 3)
	answer(`"mornings"`, 3)
	answer(`true`, 0)
	if !strings.Contains(asked.out, "4 visits at the clinic, mornings, 200 minutes in all.") {
		t.Errorf("it ends with %s", asked.out)
	}
}

// "My form was answered as it asks, and it said that nothing was an object."
func TestQuestions_AnObjectIsAnAnswer(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "form.yaml")
	if err := os.WriteFile(file, []byte(`name: form
nodes:
  - {name: ask, kind: human, question: "How many?", answer: {type: object}, output: form, default_next: say}
  - {name: say, kind: transform, template: "{{ form.n }} and {{ form.why }}", default_next: end}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := howToAnswer.FindStringSubmatch(x.want(3, "run", "--practice", "--agent", file, "Hello").err)
	if m == nil {
		t.Fatal("nobody says how to answer")
	}
	if end := x.want(0, "resume", m[1], "--answer", m[2]+`={"n": 5, "why": "so"}`); !strings.Contains(end.out, "5 and so") {
		t.Errorf("it ends with %s", end.out)
	}
}

// "The report of a turn that was stopped said the way, and not what danger was found nor by what."
func TestReport_SaysWhichDangerWasFoundAndByWhat(t *testing.T) {
	x := inClinic(t)
	run := func(message string) string {
		return lines(t, x.want(0, "run", "--practice", "--json", message).out)[0].text("turn")
	}
	turn := run("I took all my tablets an hour ago, I want to die")
	if got := x.want(0, "report", turn); !strings.Contains(got.out+got.err, "safety     intervention (overdose), found by rules") {
		t.Error(got)
	}
	if s, _ := lines(t, x.want(0, "report", turn, "--json").out)[0]["safety"].(map[string]any); s["level"] != "intervention" || s["category"] != "overdose" {
		t.Error(s)
	}
	calm := run("Which allergies are there?")
	if got := x.want(0, "report", calm); strings.Contains(got.out+got.err, "safety     ") {
		t.Error(got)
	}
}
