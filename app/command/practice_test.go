package command_test

import (
	"strings"
	"testing"
)

// rounds is a graph that asks a person, then works until somebody is content.
const rounds = `name: rounds
nodes:
  - {name: ask, kind: human, question: "Shall I?", default_next: work}
  - name: work
    kind: loop
    times: 3
    until: {key: verdict.verdict, equals: accept}
    nodes:
      - {name: draft, kind: prompt, instructions: Draft it., output: draft, default_next: judge}
      - {name: judge, kind: critique, inputs: [draft], output: verdict}
`

func TestPractice_BehavesBadlyOnRequestAndStaysSoOverAPause(t *testing.T) {
	x := newTerminal(t)
	file := x.write("rounds.yaml", rounds)
	count := func(list []object, kind, stage string) (n int) {
		for _, o := range list {
			if o.text("kind") == kind && (stage == "" || o.text("stage") == stage) {
				n++
			}
		}
		return n
	}
	for manner, want := range map[string]int{"--practice": 1, "--practice=stubborn": 3} {
		began := lines(t, x.want(3, "run", "--agent", file, manner, "--json", "go on").out)
		turn, pause := began[0].text("turn"), began[len(began)-1]
		open := pause["data"].(map[string]any)["pauses"].([]any)[0].(map[string]any)["id"].(string)
		rest := lines(t, x.want(0, "resume", turn, "--json", "--answer", open+`="yes"`).out)
		if got := count(rest, "stage_completed", "work/judge"); got != want {
			t.Errorf("%s: %d rounds, want %d", manner, got, want)
		}
	}
	if out := lines(t, x.want(0, "run", "--agent", "reasoner", "--practice=wrong", "--json", "What is 3 * 60?").out); count(out, "tool_refused", "") != 1 || count(out, "tool_completed", "") != 1 {
		t.Error("a wrong call is not made, or not mended")
	}
	if err := x.want(2, "run", "--practice=rude", "hi").err; !strings.Contains(err, "stubborn, wrong or slow") {
		t.Error(err)
	}
	x.want(0, "settings", "set", "practice", "stubborn")
	if s := lines(t, x.want(0, "settings", "list", "--json").out)[0]; s["practice"] != true || s["practice_manner"] != "stubborn" {
		t.Error(s)
	}
	x.want(0, "settings", "set", "practice", "false")
	if s := lines(t, x.want(0, "settings", "list", "--json").out)[0]; s["practice"] != false || s["practice_manner"] != nil {
		t.Error(s)
	}
	x.want(2, "settings", "set", "practice", "rude")
}
