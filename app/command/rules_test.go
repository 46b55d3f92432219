package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "I wrote a rule; before it holds for my patients I want to see what it would have said."
func TestCommand_RulesAreTriedAddedSwitchedAndRemoved(t *testing.T) {
	x := newTerminal(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	broken := write("broken.yaml", "rules:\n  - name: a\n    event: before_tool_call\n    when: tool.name = 1\n    verdict: refuse\n")
	if got := x.want(2, "rules", "test", broken); !strings.Contains(got.err, "line 4, column 21") || !strings.Contains(got.err, "compare with ==") {
		t.Errorf("a mistake is told as %s", got.err)
	}
	x.want(2, "rules", "add", broken)
	rules := write("rules.yaml", "rules:\n  - name: no_saturdays\n    event: before_tool_call\n    tools: [book_*]\n    when: args.day == \"sat\"\n    verdict: refuse\n    reason: Closed.\n")
	events := write("events.ndjson", `{"event":"before_tool_call","tool":{"name":"book_visit","capabilities":["create_entity"]},"args":{"day":"sat"}}
{"event":"before_tool_call","tool":{"name":"book_visit","capabilities":["create_entity"]},"args":{"day":"mon"}}
{"event":"before_tool_call","tool":{"name":"book_visit"},"args":{}}
`)
	got := lines(t, x.want(0, "rules", "test", rules, events, "--json").out)
	var verdicts []string
	for _, l := range got {
		verdicts = append(verdicts, l["verdict"].(string))
	}
	// The third call has no day: whether the rule is about it cannot be decided, so a person does.
	if strings.Join(verdicts, " ") != "refuse allow hold" {
		t.Errorf("the rules say %v", verdicts)
	}
	x.want(0, "rules", "add", rules)
	// With those in force, a tool that declares nothing waits, and each is named.
	got = lines(t, x.want(0, "rules", "test", "-", events, "--json").out)
	if fired := got[0]["fired"].([]any); len(fired) != 2 || fired[0].(map[string]any)["rule"] != "no_saturdays" || got[2]["verdict"] != "hold" {
		t.Errorf("those in force say %v", got)
	}
	needs(t, lines(t, x.want(0, "rules", "list", "--json").out), "name", "event", "verdict", "source")
	if got := x.want(2, "rules", "off", "rule37_filing_is_signed"); !strings.Contains(got.err, "rrc_rule37") {
		t.Errorf("a skill's rule: %s", got.err)
	}
	x.want(0, "rules", "off", "no_saturdays")
	if got := lines(t, x.want(0, "rules", "test", "-", events, "--json").out); got[0]["verdict"] != "hold" {
		t.Errorf("a rule that is off says %v", got[0])
	}
	// What is shown can be added again.
	shown := x.want(0, "rules", "show").out
	x.want(0, "rules", "test", write("shown.yaml", shown))
	x.want(0, "rules", "rm", "no_saturdays")
	x.want(1, "rules", "rm", "no_saturdays")
	x.want(2, "rules", "rm", "hitl_on_mutating_capability")
}

func TestCommand_SkillsAreAddedShownRunAndRemoved(t *testing.T) {
	x := newTerminal(t)
	got := lines(t, x.want(0, "skills", "list", "--json").out)
	needs(t, got, "name", "title", "description", "digest", "source", "tools", "missing", "blocks", "rules", "artifacts")
	if len(got) != 2 {
		t.Errorf("%d skills come along", len(got))
	}
	ran := x.want(0, "skills", "run", "affected_distance", "--args", `{"lease_line_ft":467,"between_wells_ft":1200,"rule":"statewide"}`)
	var out struct {
		Status string
		Result struct{ Feet float64 }
	}
	if err := json.Unmarshal([]byte(ran.out), &out); err != nil || out.Status != "ok" || out.Result.Feet != 600 {
		t.Errorf("the block says %s (%v)", ran.out, err)
	}
	x.want(1, "skills", "run", "affected_distance", "--args", `{"lease_line_ft":"near"}`)
	x.want(2, "skills", "run", "affected_distance", "--args", `{`)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"SKILL.md":    "---\nname: endless\ndescription: Never ends.\n---\n",
		"blocks.yaml": "- {name: forever, description: Never ends., file: f.star, capabilities: [compute]}\n",
		"f.star":      "def run(args):\n    for i in range(1000000000):\n        pass\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := x.want(0, "skills", "add", dir); !strings.Contains(got.err, "block forever") {
		t.Errorf("what it may call is not shown: %s", got.err)
	}
	if got := x.want(1, "skills", "run", "forever"); !strings.Contains(got.err, "steps") {
		t.Errorf("an endless block: %s", got.err)
	}
	x.want(0, "skills", "rm", "endless")
	x.want(1, "skills", "show", "endless")
	x.want(2, "skills", "add", t.TempDir())
}
