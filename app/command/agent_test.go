package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agents"
)

// write puts a graph file into the person's folder.
func (x terminal) write(name, body string) string {
	x.t.Helper()
	path := filepath.Join(x.data, name)
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		x.t.Fatal(err)
	}
	return path
}

// asker asks a person and says the answer back.
const asker = `name: asker
title: Asker
description: Asks which colour and says it back.
nodes:
  - name: ask
    kind: human
    question: "Which colour do you like?"
    answers: [red, blue]
    output: colour
    default_next: tell
  - name: tell
    kind: transform
    template: "You like {{.colour}}."
`

// walker goes through five nodes that ask nobody.
const walker = `name: walker
limits: {max_iterations: 3}
nodes:
  - {name: one, kind: transform, template: "1", default_next: two}
  - {name: two, kind: transform, template: "2", default_next: three}
  - {name: three, kind: transform, template: "3", default_next: four}
  - {name: four, kind: transform, template: "4", default_next: five}
  - {name: five, kind: transform, template: "arrived"}
`

const broken = `name: broken
nodes:
  - name: ask
    kind: prmpt
    colour: red
`

func patterns(t *testing.T) (out []string) {
	t.Helper()
	for _, o := range lines(t, newTerminal(t).want(0, "agents", "list", "--json").out) {
		if o.text("id") != "reasoner" {
			continue
		}
		for _, p := range o["patterns"].([]any) {
			out = append(out, object(p.(map[string]any)).text("id"))
		}
	}
	if len(out) < 8 {
		t.Fatalf("patterns: %v", out)
	}
	return out
}

func kinds(list []object) (out []string) {
	for _, o := range list {
		out = append(out, o.text("kind"))
	}
	return out
}

func TestReasoner_R03_EveryPatternRunsAndNamesWhoDecidedOnEachStep(t *testing.T) {
	for _, p := range patterns(t) {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			x := inClinic(t)
			list := lines(t, x.want(0, "run", "--practice", "--agent", "reasoner", "--var", "pattern="+p, "--var", "patient=pat-alder", "--json", "What medication does the patient take?").out)
			if last := list[len(list)-1]; last.text("kind") != "turn_completed" || last.text("text") == "" {
				t.Fatalf("it ends with %v", last)
			}
			steps := 0
			for _, o := range list {
				if o.text("kind") != "transition" {
					continue
				}
				steps++
				if !slices.Contains([]string{"safety", "again", "route", "goto", "terminal", "conditional", "match", "static", "end"}, o.text("resolver")) {
					t.Errorf("nobody decided on %v", o)
				}
				if o.text("resolver") == "again" && o.text("reason") == "" {
					t.Errorf("again without a reason: %v", o)
				}
			}
			if steps < 2 {
				t.Errorf("%d transitions: %v", steps, kinds(list))
			}
			data, _ := list[0]["data"].(map[string]any)
			if vars, _ := data["vars"].(map[string]any); data["agent"] != "reasoner" || vars["pattern"] != p {
				t.Errorf("it began with %v", data)
			}
			x.want(0, "check")
		})
	}
}

func TestReasoner_R03_WithoutAPatternItIsReact(t *testing.T) {
	x := inClinic(t)
	list := lines(t, x.want(0, "run", "--practice", "--agent", "reasoner", "--json", "hello").out)
	if data := list[0]["data"].(map[string]any); data["vars"].(map[string]any)["pattern"] != "react" {
		t.Errorf("%v", data)
	}
	for _, args := range [][]string{{"--agent", "reasoner", "--var", "pattern=nothing"}, {"--agent", "nobody"}, {"--var", "pattern=react"}, {"--agent", "reasoner", "--var", "definition=x"}} {
		if got := x.run(append(append([]string{"run", "--practice"}, args...), "hello")...); got.code != 2 || got.out != "" {
			t.Errorf("%v: exit %d %s", args, got.code, got.out)
		}
	}
	if n := len(lines(t, x.want(0, "sessions", "list", "--json").out)); n != 1 {
		t.Errorf("%d sessions, one run was begun", n)
	}
}

func TestReasoner_R14_ForPeopleEachStepNamesItsResolverAndReason(t *testing.T) {
	x := inClinic(t)
	got := x.want(0, "run", "--practice", "--agent", "reasoner", "--var", "patient=pat-alder", "What medication does the patient take?")
	for _, want := range []string{"preflight → reason by safety (not_safety_hijacked)", "reason → reason by again: tool_calls_present"} {
		if !strings.Contains(got.err, want) {
			t.Errorf("standard error lacks %q:\n%s", want, got.err)
		}
	}
	if !strings.Contains(got.out, "Sertraline") || strings.Contains(got.out, "→") {
		t.Errorf("standard output: %s", got.out)
	}
}

func TestReasoner_R18_WhoeverSpeaksOfDangerGetsTheReviewedTextInEveryGraph(t *testing.T) {
	x := inClinic(t)
	x.want(0, "settings", "set", "region", "US")
	crisis := "I want to kill myself tonight, I have the pills here"
	check := func(name string, args ...string) {
		t.Helper()
		list := lines(t, x.want(0, append(append([]string{"run", "--practice", "--json"}, args...), crisis)...).out)
		if count(list, "kind", "model_called") != 0 || count(list, "kind", "stage_started") != 2 || count(list, "stage", "safety_intervention") == 0 {
			t.Errorf("%s: %v", name, kinds(list))
		}
		if last := list[len(list)-1]; last.text("kind") != "turn_completed" || !strings.Contains(last.text("text"), "988") {
			t.Errorf("%s: %v", name, last)
		}
	}
	for _, p := range patterns(t) {
		check(p, "--agent", "reasoner", "--var", "pattern="+p)
	}
	check("a file", "--agent", x.write("asker.yaml", asker))
	taken := x.want(2, "agents", "check", x.write("taken.yaml", strings.NewReplacer("name: ask\n", "name: preflight\n").Replace(asker)))
	if !strings.Contains(taken.err, "taken.yaml:5:11: preflight is the name of a stage") {
		t.Errorf("a node in the place of the safety check: %s", taken.err)
	}
}

var howToAnswer = regexp.MustCompile(`(?m)^ +holdpoint resume (\S+) --answer '([^=]+)=(.*)'$`)

func TestReasoner_HumanNode_WaitsAndTheTerminalSaysHowToAnswer(t *testing.T) {
	x := newTerminal(t)
	file := x.write("asker.yaml", asker)
	got := x.want(3, "run", "--practice", "--session", "s1", "--agent", file, "hello")
	m := howToAnswer.FindStringSubmatch(got.err)
	if m == nil || !strings.Contains(got.err, "Which colour do you like?") || !strings.Contains(got.err, "red, blue") || got.out != "" {
		t.Fatalf("%s\n%s", got.err, got.out)
	}
	turn, pause := m[1], m[2]
	if err := os.Remove(file); err != nil { // the turn goes on with what it began with
		t.Fatal(err)
	}
	x.want(3, "resume", turn) // nobody answered: it waits
	for _, bad := range []string{"no equals sign", pause + "=red", pause + "=", "=1"} {
		if got := x.run("resume", turn, "--answer", bad); got.code != 2 {
			t.Errorf("--answer %q: exit %d %s", bad, got.code, got.err)
		}
	}
	x.want(0, "settings", "set", "region", "FR")
	for _, bad := range []string{pause + "=I want to die, I took all the pills", `other="I want to die, I took all the pills"`} {
		if got := x.run("resume", turn, "--answer", bad); got.code == 0 || !strings.Contains(got.out, "3114") {
			t.Errorf("--answer %q: exit %d, %q %s", bad, got.code, got.out, got.err)
		}
	}
	if got := x.run("resume", turn, "--json", "--answer", pause+`="I want to die, I took all the pills"`); got.code == 0 || !strings.HasPrefix(got.out, `{"error":`) || !strings.Contains(got.out, "3114") {
		t.Errorf("--json: exit %d, %q %s", got.code, got.out, got.err) // standard output is for programs
	}
	for _, bad := range []string{pause + `="green"`, pause + `=7`, pause + `={}`, `other="red"`} {
		if got := x.run("resume", turn, "--answer", bad); got.code != 1 && got.code != 2 {
			t.Errorf("--answer %q: exit %d %s", bad, got.code, got.err)
		}
	}
	done := x.want(0, "resume", turn, "--answer", pause+`="blue"`)
	if strings.TrimSpace(done.out) != "You like blue." {
		t.Errorf("it said %q", done.out)
	}
	if got := x.run("resume", turn, "--answer", pause+`="red"`); got.code != 1 && got.code != 2 {
		t.Errorf("answered twice: exit %d %s", got.code, got.err)
	}
	for _, format := range []string{"md", "html", "json"} {
		body := x.want(0, "export", "s1", "--format", format).out
		for _, want := range []string{"Which colour do you like?", "blue", "You like blue.", "asker"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
	if body := x.want(0, "export", "s1", "--format", "json").out; !strings.Contains(body, `"definitions"`) || !strings.Contains(body, "template: ") {
		t.Error("the transcript lacks the file that the turn ran on")
	}
	x.want(0, "check")
}

// TestReasoner_HumanNode_TheExampleIsOfTheKindThatIsAskedFor: "it showed me how to answer, I
// did just that, and it asked again", or "it said that my answer is empty, and it was not".
func TestReasoner_HumanNode_TheExampleIsOfTheKindThatIsAskedFor(t *testing.T) {
	const typed = `name: typed
nodes:
  - {name: count, kind: human, question: "How many?", answer: {type: integer, minimum: 3, maximum: 12}, default_next: share}
  - {name: share, kind: human, question: "Which share?", answer: {type: number, maximum: 0.5}, default_next: list}
  - {name: list, kind: human, question: "Which ones?", answer: {type: array}, default_next: form}
  - {name: form, kind: human, question: "Which form?", answer: {type: object}, default_next: text}
  - {name: text, kind: human, question: "And then?", default_next: told}
  - {name: told, kind: transform, template: "{{ count_output }} {{ share_output }} {{ json(list_output) }} {{ json(form_output) }} {{ text_output }}", default_next: end}
`
	x := newTerminal(t)
	how := regexp.MustCompile(`holdpoint resume (\S+) --answer '([^=]+)=(.*)'`)
	got := x.want(3, "run", "--practice", "--agent", x.write("typed.yaml", typed), "hello")
	for _, want := range []string{"3", "0.5", `["your answer"]`, `{"name": "your answer"}`} {
		m := how.FindStringSubmatch(got.err)
		if m == nil || m[3] != want {
			t.Fatalf("the example is not %s: %s", want, got.err)
		}
		got = x.want(3, "resume", m[1], "--answer", m[2]+"="+m[3])
	}
	m := how.FindStringSubmatch(got.err)
	if got = x.want(3, "resume", m[1], "--answer", m[2]+`={"first":"this"}`); !strings.Contains(got.err, `({"first":"this"} is not a text.)`) {
		t.Errorf("an object for a text: %s", got.err)
	}
	m = how.FindStringSubmatch(got.err)
	if got = x.want(0, "resume", m[1], "--answer", m[2]+"="+m[3]); strings.TrimSpace(got.out) != `3 0.5 ["your answer"] {"name":"your answer"} your answer` {
		t.Errorf("it said %q", got.out)
	}
}

func TestReasoner_R53_ANodeThatRequiresAPersonWaitsForYes(t *testing.T) {
	held := strings.Replace(walker, "{name: two, kind: transform,", "{name: two, kind: transform, flags: [requires_human],", 1)
	held = strings.Replace(held, "max_iterations: 3", "max_iterations: 30", 1)
	for answer, want := range map[string]string{`{"approved":true}`: "2", `{"approved":false,"comment":"not today"}`: ""} {
		x := newTerminal(t)
		got := x.want(3, "run", "--practice", "--session", "s1", "--agent", x.write("held.yaml", held), "hello")
		m := howToAnswer.FindStringSubmatch(got.err)
		if m == nil || m[3] != `"approve"` {
			t.Fatalf("%v in\n%s", m, got.err)
		}
		list := lines(t, x.want(0, "resume", "--json", m[1], "--answer", m[2]+"="+answer).out)
		ran := false
		for _, o := range list {
			ran = ran || o.text("kind") == "stage_completed" && o.text("stage") == "two"
		}
		if ran != (want != "") {
			t.Errorf("%s: two ran %v\n%v", answer, ran, kinds(list))
		}
	}
}

func TestReasoner_R80_ALimitIsNamedKeptOverRestartsAndGoesOnWithMore(t *testing.T) {
	x := newTerminal(t)
	got := x.want(1, "run", "--practice", "--session", "s1", "--agent", x.write("walker.yaml", walker), "go")
	m := regexp.MustCompile(`holdpoint resume (\S+) --more (\S+)`).FindStringSubmatch(got.err)
	if m == nil || m[2] != "3" || !strings.Contains(got.err, "the step limit") {
		t.Fatal(got.err)
	}
	turn := m[1]
	if got := x.want(1, "resume", turn); !strings.Contains(got.err, "--more") {
		t.Errorf("without more: %s", got.err)
	}
	for _, bad := range []string{"0", "-1", "1.5", "many"} {
		x.want(2, "resume", turn, "--more", bad)
	}
	if got := x.want(1, "resume", turn, "--more", "1"); !strings.Contains(got.err, "the step limit") {
		t.Errorf("one more is not enough: %s", got.err)
	}
	if got := x.want(0, "resume", turn, "--more", "10"); strings.TrimSpace(got.out) != "arrived" {
		t.Errorf("it said %q", got.out)
	}
	x.want(2, "resume", turn, "--more", "5") // it is not at a limit any more
	for _, format := range []string{"md", "html"} {
		body := x.want(0, "export", "s1", "--format", format).out
		if !strings.Contains(body, "at the step limit") || !strings.Contains(body, "6 of 14 steps") {
			t.Errorf("%s:\n%s", format, body)
		}
	}
}

// TestReasoner_R82_EveryLimitIsTheOneThatIsRaised comes to each limit that can be
// reached on purpose and goes on with more of it.
func TestReasoner_R82_EveryLimitIsTheOneThatIsRaised(t *testing.T) {
	const talker = `name: talker
limits: {%s}
nodes:
  - {name: first, kind: think, default_next: second}
  - {name: second, kind: think, default_next: last}
  - {name: last, kind: answer}
`
	const runner = `name: runner
limits: {max_iterations: 60, %s}
nodes:
  - {name: again, kind: transform, template: "x", default_next: and_again}
  - {name: and_again, kind: transform, template: "{{ input }}", default_next: again, transitions: {z: end}}
`
	const chooser = `name: chooser
nodes:
  - name: work
    kind: autonomous
    max_steps: 1
    pool:
      - {name: plan, kind: plan}
      - {name: answer, kind: answer}
`
	for name, c := range map[string]struct{ body, limit, more, then string }{
		"tokens":           {fmt.Sprintf(talker, "max_tokens: 5"), "tokens", "100000", "turn_completed"},
		"cycle":            {fmt.Sprintf(runner, "cycle: 3"), "cycle", "2", "turn_limited"},
		"rounds of a node": {fmt.Sprintf(runner, "max_node_iterations: 4"), "node_iterations", "3", "turn_limited"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			list := lines(t, x.want(1, "run", "--practice", "--json", "--agent", x.write("own.yaml", c.body), "go").out)
			last := list[len(list)-1]
			if last.text("kind") != "turn_limited" || last.text("status") != c.limit {
				t.Fatalf("it ends with %v", last)
			}
			before := count(list, "kind", "stage_completed")
			list = lines(t, x.run("resume", "--json", last.text("turn"), "--more", c.more).out)
			if end := list[len(list)-1]; end.text("kind") != c.then || count(list, "kind", "stage_completed") == 0 {
				t.Errorf("%d stages before, %d after; it ends with %v", before, count(list, "kind", "stage_completed"), end)
			}
		})
	}
	t.Run("a limit of a stage's own", func(t *testing.T) {
		t.Parallel()
		x := newTerminal(t)
		list := lines(t, x.run("run", "--practice", "--json", "--agent", x.write("own.yaml", chooser), "go").out)
		last := list[len(list)-1]
		if last.text("kind") != "turn_limited" || last.text("status") != "autonomous_steps" {
			t.Fatalf("it ends with %v", last)
		}
		more := lines(t, x.run("resume", "--json", last.text("turn"), "--more", "1").out)
		chosen := 0
		for _, o := range more {
			if o.text("kind") == "model_called" && strings.Contains(fmt.Sprint(o["data"]), "purpose:choose") {
				chosen++
			}
		}
		if end := more[len(more)-1]; chosen != 1 || end.text("kind") != "turn_limited" && end.text("kind") != "turn_completed" {
			t.Errorf("%d more choices, it ends with %v", chosen, end)
		}
	})
}

func TestCommand_AgentsCheckNamesEveryMistakeByLineAndColumn(t *testing.T) {
	x := newTerminal(t)
	good, bad := x.write("walker.yaml", walker), x.write("broken.yaml", broken)
	x.want(0, "agents", "check", good)
	for _, args := range [][]string{{"agents", "check", bad}, {"agents", "add", bad}, {"run", "--practice", "--agent", bad, "hello"}, {"agents", "show", bad}} {
		got := x.want(2, args...)
		if !strings.Contains(got.err, bad+":4:11: ") || !strings.Contains(got.err, bad+":5:5: ") || got.out != "" {
			t.Errorf("%v: %s%s", args, got.err, got.out)
		}
	}
	list := lines(t, x.run("agents", "check", "--json", bad).out)
	if len(list) != 1 || list[0]["ok"] != false || len(list[0]["errors"].([]any)) < 2 {
		t.Errorf("%v", list)
	}
	needs(t, []object{object(list[0]["errors"].([]any)[0].(map[string]any))}, "line", "column", "message", "path")
	if got := x.run("agents", "check", filepath.Join(x.data, "nothing.yaml")); got.code != 1 {
		t.Errorf("a file that is not there: exit %d %s", got.code, got.err)
	}
	if _, err := os.Stat(filepath.Join(x.data, app.StoreFile)); err == nil {
		t.Error("checking a file opened a store")
	}
	if n := len(lines(t, x.want(0, "agents", "list", "--json").out)); n != len(agents.BuiltIn()) {
		t.Errorf("%d agents after refused files", n)
	}
}

func TestCommand_AgentsOfOnesOwnAreAddedShownRunAndRemoved(t *testing.T) {
	x := newTerminal(t)
	id := lines(t, x.want(0, "agents", "add", "--json", x.write("a.yaml", asker)).out)[0].text("id")
	if id != "asker" {
		t.Fatalf("id %q", id)
	}
	if body, err := os.ReadFile(filepath.Join(x.data, app.AgentsDir, "asker.yaml")); err != nil || string(body) != asker {
		t.Errorf("the kept file: %v", err)
	}
	list := lines(t, x.want(0, "agents", "list", "--json").out)
	if len(list) != len(agents.BuiltIn())+1 || list[len(list)-1].text("id") != "asker" || list[len(list)-1].text("kind") != "file" || list[0].text("kind") != "builtin" {
		t.Errorf("%v", list)
	}
	if got := x.want(0, "agents", "show", "example:triage", "--mermaid"); !strings.HasPrefix(got.out, "flowchart") {
		t.Errorf("the diagram of an example is %q", got.out)
	}
	m := lines(t, x.want(0, "agents", "show", "asker").out)[0]
	if m.text("agent") != "asker" || m.text("kind") != "file" || len(m["stages"].([]any)) != 4 {
		t.Errorf("%v", m)
	}
	// "I have lost my file, and the program does not give it back."
	if got := x.want(0, "agents", "show", "asker", "--yaml"); got.out != asker {
		t.Errorf("the file comes back as %q", got.out)
	}
	x.want(2, "agents", "show", "navigator", "--yaml")
	x.want(1, "agents", "show", "nobody", "--yaml")
	x.want(2, "agents", "show", "asker", "--yaml", "--mermaid")
	if got := x.want(0, "agents", "show", "asker", "--mermaid"); !strings.Contains(got.out, "ask") || !strings.Contains(got.out, "safety_intervention") {
		t.Errorf("%s", got.out)
	}
	for _, p := range patterns(t) {
		m := lines(t, x.want(0, "agents", "show", "reasoner", "--var", "pattern="+p).out)[0]
		if m.text("pattern") != p || m.text("agent") != "reasoner" {
			t.Errorf("%s: %v %v", p, m["pattern"], m["agent"])
		}
		if got := x.want(0, "agents", "show", "reasoner", "--var", "pattern="+p, "--mermaid"); !strings.HasPrefix(got.out, "flowchart") {
			t.Errorf("%s: %.60s", p, got.out)
		}
	}

	waiting := howToAnswer.FindStringSubmatch(x.want(3, "run", "--practice", "--session", "s1", "--agent", "asker", "hello").err)
	if waiting == nil {
		t.Fatal("it does not say how to answer")
	}
	if got := x.want(1, "agents", "remove", "asker"); !strings.Contains(got.err, waiting[1]) || !strings.Contains(got.err, "--abandon") {
		t.Errorf("removed while a turn waits: %s", got.err)
	}
	// A changed file changes new turns only.
	x.want(0, "agents", "add", x.write("b.yaml", strings.Replace(asker, "You like", "You now like", 1)))
	if got := x.want(0, "resume", waiting[1], "--answer", waiting[2]+`="red"`); strings.TrimSpace(got.out) != "You like red." {
		t.Errorf("the old turn says %q", got.out)
	}
	again := howToAnswer.FindStringSubmatch(x.want(3, "run", "--practice", "--session", "s2", "--agent", "asker", "hello").err)
	if got := x.want(0, "resume", again[1], "--answer", again[2]+`="red"`); strings.TrimSpace(got.out) != "You now like red." {
		t.Errorf("the new turn says %q", got.out)
	}
	gone := howToAnswer.FindStringSubmatch(x.want(3, "run", "--practice", "--session", "s3", "--agent", "asker", "hello").err)
	x.want(0, "resume", gone[1], "--abandon")
	x.want(1, "resume", gone[1])
	x.want(0, "agents", "remove", "asker")
	x.want(1, "agents", "remove", "asker")
	x.want(2, "agents", "remove", "navigator")
	x.want(2, "run", "--practice", "--agent", "asker", "hello")
	if body := x.want(0, "export", "s1").out; !strings.Contains(body, "You like red.") {
		t.Error("the finished turn's transcript is gone with its agent")
	}
	for _, name := range []string{"navigator", "reasoner"} {
		got := x.want(2, "agents", "add", x.write("own.yaml", strings.Replace(asker, "name: asker", "name: "+name, 1)))
		if !strings.Contains(got.err, "built-in") {
			t.Errorf("%s: %s", name, got.err)
		}
	}
}

func TestCommand_AgentsInTheFolderThatCannotRunAreListedWithTheirMistake(t *testing.T) {
	x := newTerminal(t)
	dir := filepath.Join(x.data, app.AgentsDir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	outside := x.write("outside.txt", asker)
	for name, body := range map[string]string{"broken.yaml": broken, "other.yaml": asker, "walker.yaml": walker, "Notes.txt": "hello", ".hidden.yaml": asker} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "linked.yaml")); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range lines(t, x.want(0, "agents", "list", "--json").out) {
		got[o.text("id")] = o.text("error")
	}
	if len(got) != len(agents.BuiltIn())+3 || got["walker"] != "" || !strings.Contains(got["broken"], "4:11") || !strings.Contains(got["other"], "asker") {
		t.Errorf("%v", got)
	}
	if got := x.want(0, "agents", "show", "broken", "--yaml"); got.out != broken {
		t.Errorf("what has to be mended comes as %q", got.out)
	}
	x.want(1, "agents", "show", "linked", "--yaml")
	x.want(2, "run", "--practice", "--agent", "broken", "hello")
	x.want(2, "run", "--practice", "--agent", "linked", "hello")
}

func TestCommand_AgentsSchemaAndHelpAreForAuthors(t *testing.T) {
	x := newTerminal(t)
	var schema struct {
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal([]byte(x.want(0, "agents", "schema").out), &schema); err != nil || schema.Type != "object" || schema.Properties["nodes"] == nil {
		t.Errorf("%v %+v", err, schema)
	}
	help := x.want(0, "agents", "check", "--help").out
	pages := 0
	for _, p := range app.AuthorsHelp() {
		pages++
		if !strings.Contains(help, strings.TrimSpace(p.Markdown)) {
			t.Errorf("--help lacks the page %s", p.ID)
		}
	}
	if pages < 5 || !strings.Contains(help, "safety_intervention") {
		t.Errorf("%d pages", pages)
	}
}

func TestCommand_RegistryWorksWhileTheAppIsOpen(t *testing.T) {
	x := newTerminal(t)
	x.open(func(*app.App) {
		x.want(0, "agents", "list")
		x.want(0, "agents", "add", x.write("a.yaml", asker))
		x.want(0, "agents", "show", "asker")
		x.want(0, "agents", "check", filepath.Join(x.data, "a.yaml"))
		if got := x.want(1, "agents", "remove", "asker"); !strings.Contains(got.err, "other window") {
			t.Errorf("%s", got.err)
		}
	})
	x.want(0, "agents", "remove", "asker")
}

func TestReasoner_R04_TheSessionGoesOnWithWhatWasSaid(t *testing.T) {
	x := inClinic(t)
	x.want(0, "run", "--practice", "--session", "s1", "--agent", "reasoner", "--var", "patient=pat-alder", "What medication does the patient take?")
	list := lines(t, x.want(0, "run", "--practice", "--json", "--session", "s1", "--agent", "reasoner", "hello again").out)
	for _, o := range list {
		if s := fmt.Sprint(o["data"]); o.text("kind") == "model_called" && !strings.Contains(s, "purpose:safety") {
			if !strings.Contains(s, "What medication") && !strings.Contains(s, "blob") {
				t.Errorf("the model is not told what was said before: %s", s)
			}
			break
		}
	}
	if data := list[0]["data"].(map[string]any); data["vars"].(map[string]any)["patient"] != "pat-alder" {
		t.Errorf("the session's patient is forgotten: %v", data)
	}
}

// TestAgents_CheckWarnsAndVarsAreTyped: what is odd is told before it surprises anybody, and a
// wrong var never begins a turn.
func TestAgents_CheckWarnsAndVarsAreTyped(t *testing.T) {
	x := newTerminal(t)
	file := x.write("visits.yaml", "name: visits\nvars: {most: {type: integer, minimum: 1, maximum: 9, default: 2}}\nnodes:\n  - {name: say, kind: transform, template: \"at most {{ vars.most }}\"}\n")
	if got := x.want(0, "agents", "check", file); !strings.Contains(got.err, ":4:5: warning: nothing follows say, so the graph ends there; write default_next: end") {
		t.Errorf("check says %q", got.err)
	}
	list := lines(t, x.want(0, "agents", "check", "--json", file).out)
	if w, ok := list[0]["warnings"].([]any); !ok || len(w) != 1 || list[0]["ok"] != true {
		t.Errorf("check --json says %v", list)
	}
	if got := x.want(2, "run", "--practice", "--agent", file, "--var", "most=many", "hello"); !strings.Contains(got.err, `most: "many" is not a whole number from 1 to 9`) {
		t.Errorf("a wrong var gives %q", got.err)
	}
	if got := x.want(0, "run", "--practice", "--agent", file, "--var", "most=3", "hello"); !strings.Contains(got.out+got.err, "at most 3") {
		t.Errorf("the turn says %q %q", got.out, got.err)
	}
}

// "It only waited for my answer, and then it wanted a model that it never asks."
func TestReasoner_ATurnThatAsksNoModelGoesOnWithoutOne(t *testing.T) {
	x := newTerminal(t)
	began := lines(t, x.want(3, "run", "--agent", x.write("asker.yaml", asker), "--json", "hi").out)
	pause := began[len(began)-1]
	id := pause["data"].(map[string]any)["pauses"].([]any)[0].(map[string]any)["id"].(string)
	rest := lines(t, x.want(0, "resume", pause.text("turn"), "--json", "--answer", id+`="red"`).out)
	if end := rest[len(rest)-1]; end.text("kind") != "turn_completed" || end.text("text") != "You like red." {
		t.Errorf("it ends with %v", end)
	}
}

// "My graph needs the ward, and the window gave me no place to say which."
func TestAgents_ListSaysWhatAGraphIsStartedWith(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "agents", "add", x.write("need.yaml", `name: need
vars:
  ward: {type: string, required: true, description: Which ward}
  beds: {type: integer, minimum: 1, maximum: 9, default: 2}
  warm: {type: boolean, default: true}
  tone: {type: string, enum: [plain, kind]}
nodes:
  - {name: a, kind: transform, template: "{{ vars.ward }} {{ vars.beds }} {{ vars.warm }}", default_next: end}
`))
	for _, one := range lines(t, x.want(0, "agents", "list", "--json").out) {
		if one.text("id") != "need" {
			if one["asks"] != nil {
				t.Errorf("%s asks for %v", one.text("id"), one["asks"])
			}
			continue
		}
		got, err := json.Marshal(one["asks"])
		if err != nil {
			t.Fatal(err)
		}
		want := `[{"default":"2","name":"beds","schema":{"maximum":9,"minimum":1,"type":"integer"}},{"name":"tone","schema":{"enum":["plain","kind"],"type":"string"},"values":["plain","kind"]},` +
			`{"name":"ward","required":true,"schema":{"description":"Which ward","type":"string"}},{"default":"yes","name":"warm","schema":{"type":"boolean"},"values":["yes","no"]}]`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := x.want(0, "run", "--practice", "--agent", "need", "--var", "ward=N", "--var", "warm=no", "go"); !strings.Contains(got.out, "N 2 false") {
		t.Errorf("what screens send is not read: %s", got.out)
	}
}

// "I wanted to search the manual, and to know which tools there are and what they take."
func TestAgents_ManualAndToolsArePrinted(t *testing.T) {
	x := newTerminal(t)
	whole := x.want(0, "agents", "manual").out
	for _, part := range []string{"# Graphs of your own", "# Nodes", "# Flags", "# Patterns", "# Limits", "# Examples", "- with `lacks: \"[0-9]\"` when nothing in the text fits it,"} {
		if !strings.Contains(whole, part) {
			t.Errorf("the manual has no %q", part)
		}
	}
	chapter := func(name string) string { return x.want(0, "agents", "manual", name).out }
	if got := chapter("fan_out"); !strings.HasPrefix(got, "## fan_out\n") || strings.Contains(got, "## autonomous") {
		t.Errorf("a chapter is\n%s", got)
	}
	if got := chapter("Nodes"); !strings.Contains(got, "## fan_out") || strings.Contains(got, "# Flags") {
		t.Errorf("a chapter of chapters is\n%.300s", got)
	}
	if got := chapter("examples"); !strings.HasPrefix(got, "# Examples") || !strings.HasSuffix(strings.TrimSpace(got), "question to a person.") {
		t.Errorf("the last chapter is\n%s", got)
	}
	if got := x.want(1, "agents", "manual", "nothing like it").err; !strings.Contains(got, "fan_out") {
		t.Errorf("which chapters there are is not said: %s", got)
	}
	all := x.want(0, "agents", "tools").out
	for _, part := range []string{"add_care_note\n", "It changes something, so each call waits for approval.", "text (needed)", "find_providers\n"} {
		if !strings.Contains(all, part) {
			t.Errorf("the tools have no %q", part)
		}
	}
	if got := lines(t, x.want(0, "agents", "tools", "calculator", "--json").out); len(got) != 1 || got[0]["mutates"] != false || got[0]["parameters"] == nil {
		t.Errorf("a tool is %v", got)
	}
	if got := x.want(1, "agents", "tools", "nope").err; !strings.Contains(got, "calculator") {
		t.Errorf("which tools there are is not said: %s", got)
	}
	// A pattern is printed whole, and runs as a graph of one's own.
	file := x.write("verify.yaml", x.want(0, "agents", "examples", "verify").out)
	x.want(0, "agents", "check", file)
}

// "In practice mode my list was empty, so nothing was ever asked."
func TestRun_PracticeWorksOnListsThatAGraphsOwnFormHas(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "records", "import", "sample")
	patient := "Patient/" + lines(t, x.want(0, "records", "list", "Patient", "--json").out)[0].text("id")
	file := x.write("notes.yaml", `name: notes
nodes:
  - name: topics
    kind: prompt
    instructions: List the topics.
    output_schema: {type: object, properties: {topics: {type: array, items: {type: string}}, points: {type: integer, minimum: 0, maximum: 10}}, required: [topics, points]}
    output: list
    default_next: note
  - {name: note, kind: fan_out, over: list.topics, tool: add_care_note, arguments: {text: "{{ item }}, {{ list.points }}"}, default_next: end}
`)
	x.want(3, "run", "--practice", "--agent", file, "--subject", patient, "sleep")
	var asked []string
	for _, one := range lines(t, x.want(0, "approvals", "list", "--json").out) {
		args, _ := one["args"].(map[string]any)
		text, _ := args["text"].(string)
		asked = append(asked, text)
	}
	if len(asked) != 2 || asked[0] == asked[1] || !strings.HasSuffix(asked[0], ", 8") {
		t.Errorf("it asked for %q", asked)
	}
}

// "It says 'definition:' before the reason; what is that?"
func TestRun_AWayByErrorSaysWhyWithoutPartsOfTheProgram(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "sum.yaml")
	if err := os.WriteFile(file, []byte(`
name: sum
nodes:
  - {name: divide, kind: tool, tool: calculator, arguments: {expression: "1/0"}, on_error: sorry}
  - {name: sorry, kind: transform, template: "{{.error.message}}", default_next: end}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := x.want(0, "run", "--practice", "--agent", file, "go")
	if said := got.out + got.err; !strings.Contains(said, "divide → sorry") || strings.Contains(said, "definition:") {
		t.Errorf("it printed\n%s", said)
	}
}

// "It stopped at a limit of rounds. Whose? Where do I raise it? And why 25 more, where I wrote 3?"
func TestRun_ALimitNamesItsNodeAndItsField(t *testing.T) {
	x := newTerminal(t)
	for _, c := range []struct{ file, says, more string }{
		{`
name: rounds
limits: {max_node_iterations: 3}
nodes:
  - {name: count, kind: transform, output: n, template: "{{ int(n ?? 0) + 1 }}", default_next: judge}
  - {name: judge, kind: transform, template: "{{ n }}", default_next: count}
edges:
  - {from: judge, to: end, when: "int(n) > 8"}
`, "the limit of rounds in one stage (count, max_node_iterations: 3)", "--more 3 "},
		{`
name: steps
limits: {max_iterations: 4}
nodes:
  - {name: count, kind: transform, output: n, template: "{{ int(n ?? 0) + 1 }}", default_next: judge}
  - {name: judge, kind: transform, template: "{{ n }}", default_next: count}
edges:
  - {from: judge, to: end, when: "int(n) > 8"}
`, "the step limit (max_iterations: 4)", "--more 4 "},
		{`
name: chooser
nodes:
  - name: work
    kind: autonomous
    instructions: Think and write.
    max_steps: 2
    pool:
      - {name: write, kind: prompt, instructions: Write.}
    default_next: end
`, "the autonomous step limit (work, max_steps: 2)", "--more 2 "},
	} {
		file := filepath.Join(t.TempDir(), "limited.yaml")
		if err := os.WriteFile(file, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got := x.want(1, "run", "--practice=stubborn", "--agent", file, "go")
		if said := got.out + got.err; !strings.Contains(said, c.says) || !strings.Contains(said, c.more) {
			t.Errorf("not %q with %q in\n%s", c.says, c.more, said)
		}
	}
}

// "I marked it as cacheable. Did it run again, or not?"
func TestRun_AStageFromTheCacheIsMarked(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "kept.yaml")
	if err := os.WriteFile(file, []byte(`
name: kept
nodes:
  - name: twice
    kind: loop
    times: 2
    nodes:
      - {name: say, kind: transform, inputs: [input], template: "{{ input }}", output: said, flags: [cacheable]}
    default_next: end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := x.want(0, "run", "--practice", "--agent", file, "go")
	if said := got.out + got.err; strings.Count(said, "twice/say from the cache") != 1 {
		t.Errorf("it printed\n%s", said)
	}
}

// "I sent the help to less, and sourced the completions: both were empty."
func TestHelp_WhatWasAskedForGoesToStandardOutput(t *testing.T) {
	x := newTerminal(t)
	for _, c := range [][]string{{"--help"}, {"help", "run"}, {"sessions", "list", "--help"}, {"completion", "bash"}} {
		if got := x.want(0, c...); got.out == "" || got.err != "" {
			t.Errorf("%v: %d bytes on standard output, %q on standard error", c, len(got.out), got.err)
		}
	}
	if got := x.run("sessions", "lost"); got.out != "" || got.err == "" {
		t.Errorf("a mistake: %q on standard output, %q on standard error", got.out, got.err)
	}
}
