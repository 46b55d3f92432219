package rule_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"holdpoint/engine/rule"
)

func parse(t testing.TB, text string) []rule.Rule {
	t.Helper()
	rules, err := rule.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func compiled(t testing.TB, groups ...rule.Group) *rule.Set {
	t.Helper()
	s, err := rule.Compile(groups...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(name string, capabilities ...string) rule.Occasion {
	return rule.Occasion{Event: rule.BeforeToolCall, Agent: "navigator", Tool: &rule.Tool{Name: name, Capabilities: capabilities}, Args: json.RawMessage(`{"day":"sat","amount":12}`)}
}

func TestRules_MergeStrictestFirst(t *testing.T) {
	s := compiled(t, rule.Group{Source: rule.User, Rules: parse(t, `
- {name: fine, event: before_tool_call, verdict: allow}
- {name: tell, event: before_tool_call, verdict: warn, when: "args.amount > 10"}
- {name: sure, event: before_tool_call, verdict: ask, question: 'Really?'}
- {name: sign, event: before_tool_call, verdict: hold, checkpoint: pre_filing, reviewer: {role: engineer}}
- {name: never, event: before_tool_call, verdict: refuse, when: 'args.day == "sat"', reason: No visits on Saturdays.}
- {name: later, event: after_tool_call, verdict: refuse}
- {name: other, event: before_tool_call, verdict: refuse, agents: [filing]}
- {name: far, event: before_tool_call, verdict: refuse, tools: [batch_*]}
`)})
	got := s.Judge(call("look_up", "read"))
	var names []string
	for _, f := range got.Fired {
		names = append(names, f.Rule)
	}
	if want := []string{"never", "sign", "sure", "tell", "fine"}; !reflect.DeepEqual(names, want) {
		t.Errorf("fired %v, want %v", names, want)
	}
	if got.Verdict() != rule.Refuse || got.First().Why() != "No visits on Saturdays." {
		t.Errorf("the outcome is %v: %s", got.Verdict(), got.First().Why())
	}
	if got := s.Judge(call("batch_update", "batch_update")).First().Rule; got != "never" && got != "far" {
		t.Errorf("a pattern does not match: %s", got)
	}
}

func TestRules_OneThatCannotBeEvaluatedHolds(t *testing.T) {
	s := compiled(t, rule.Group{Rules: parse(t, `- {name: big, event: before_tool_call, verdict: warn, when: args.nothing.more > 5}`)})
	got := s.Judge(call("x", "read"))
	if got.Verdict() != rule.Hold || got.First().Checkpoint != rule.Broken || got.First().Error == "" || !strings.Contains(got.First().Why(), "big") {
		t.Errorf("the outcome is %+v, want a hold that names the rule and says why", got)
	}
	// What is broken as a value holds, too.
	o := call("x", "read")
	o.Args = json.RawMessage(`{`)
	if got := compiled(t, rule.Group{Rules: parse(t, `- {name: big, event: before_tool_call, verdict: allow, when: args.amount > 5}`)}).Judge(o); got.Verdict() != rule.Hold {
		t.Errorf("with broken arguments the outcome is %+v", got)
	}
}

func TestFiling_F45_AToolWithoutACapabilityCountsAsMutating(t *testing.T) {
	s := compiled(t, rule.With(nil)...)
	if got := s.Judge(call("mystery")); got.Verdict() != rule.Hold || got.First().Checkpoint != "mutation" {
		t.Errorf("a tool that says nothing of itself: %+v, want a hold", got)
	}
	if got := s.Judge(call("look_up", "read")); len(got.Fired) != 0 {
		t.Errorf("a read tool: %+v, want nothing", got)
	}
}

func TestFiling_F80_HoldsOnMutatingCapabilities(t *testing.T) {
	s := compiled(t, rule.With(nil)...)
	for _, capability := range []string{"create_entity", "update_entity", "link_entities", "batch_update", "batch_"} {
		if got := s.Judge(call("any_name", capability)).First(); got.Rule != rule.OnMutation || got.Verdict != rule.Hold || got.Source != rule.Platform {
			t.Errorf("%s: %+v, want a hold by %s", capability, got, rule.OnMutation)
		}
	}
}

func TestFiling_F81_AsksAfterThreeFailedResolves(t *testing.T) {
	s := compiled(t, rule.With(nil)...)
	for count, want := range map[int]rule.Verdict{0: rule.Allow, 2: rule.Allow, 3: rule.Ask, 7: rule.Ask} {
		o := rule.Occasion{Event: rule.AfterToolCall, Tool: &rule.Tool{Name: "entity_resolve", Capabilities: []string{"read"}}, State: json.RawMessage(fmt.Sprintf(`{"consecutive_failed_resolves":%d}`, count))}
		if got := s.Judge(o); got.Verdict() != want || want == rule.Ask && got.First().Question == "" {
			t.Errorf("after %d: %+v, want %s", count, got, want)
		}
	}
	if got := s.Judge(rule.Occasion{Event: rule.AfterToolCall, Tool: &rule.Tool{Name: "x"}}); len(got.Fired) != 0 {
		t.Errorf("an agent without the counter: %+v, want nothing", got)
	}
	// A person may have the turn end instead.
	own := parse(t, `- {name: force_clarify_after_failed_resolves, event: after_tool_call, verdict: refuse, when: '(state.consecutive_failed_resolves ?? 0) >= 3'}`)
	o := rule.Occasion{Event: rule.AfterToolCall, Tool: &rule.Tool{Name: "x"}, State: json.RawMessage(`{"consecutive_failed_resolves":3}`)}
	if got := compiled(t, rule.With(own)...).Judge(o); len(got.Fired) != 1 || got.Verdict() != rule.Refuse || got.First().Source != rule.User {
		t.Errorf("with a rule of one's own: %+v", got)
	}
}

func TestRules_AMistakeNamesLineAndColumn(t *testing.T) {
	for text, want := range map[string][]string{
		"rules:\n  - name: a\n    event: before_tool_cal\n    verdict: refuse\n":                  {"line 3, column 12", "did you mean before_tool_call?"},
		"- name: a\n  event: before_tool_call\n  verdict: stop\n":                                 {"line 3, column 12", "allow, warn, ask, hold, refuse"},
		"- name: a\n  event: before_tool_call\n  wen: x\n  verdict: warn\n":                       {"line 3, column 3", "did you mean when?"},
		"- name: a\n  event: before_tool_call\n  when: tool.name = 1\n  verdict: warn\n":          {"line 3, column 19", "compare with =="},
		"- name: a\n  event: before_tool_call\n  when: 'output == \"x\"'\n  verdict: warn\n":      {"line 3, column 10", "output is nothing"},
		"- name: a\n  event: before_tool_call\n  when: tol.name == 1\n  verdict: warn\n":          {"line 3, column 9", "did you mean tool?"},
		"- name: a\n  event: before_tool_call\n  when: tool.naem == 1\n  verdict: warn\n":         {"line 3, column 14", "did you mean name?"},
		"- name: a\n  event: before_model_call\n  when: model?.rool == 1\n  verdict: warn\n":      {"line 3, column 16", "did you mean role?"},
		"- name: a\n  event: before_output\n  verdict: ask\n":                                     {"line 1, column 3", "question"},
		"- name: a\n  event: before_output\n  verdict: warn\n  reviewer: {role: x}\n":             {"line 4, column 13", "only the verdict hold"},
		"- name: a\n  event: before_output\n  verdict: hold\n  reviewer: {role: x, name: y}\n":    {"line 4", "one of the two"},
		"- name: a\n  event: before_output\n  verdict: hold\n- name: a\n  event: before_output\n": {"line 4", "verdict is missing", "two rules are named a"},
		"- name: A b\n  event: before_output\n  verdict: hold\n":                                  {"line 1, column 9", "is not a name"},
		"rules: x":            {"line 1, column 8", "not a list"},
		"a: [":                {"not YAML"},
		"":                    {"empty"},
		"- {name: a}\n---\nx": {"second document"},
		"- name: a\n  event: before_model_call\n  tools: [x]\n  verdict: warn\n":                     {"line 3, column 10", "about no tool"},
		"- name: a\n  event: before_tool_call\n  verdict: warn\n  verdict: warn\n":                   {"line 4, column 3", "stands twice"},
		"- name: &a a\n  event: before_tool_call\n  verdict: warn\n":                                 {"line 1, column 9", "anchors"},
		"- name: a\n  event: before_tool_call\n  when: |\n    tool.nam == \n  verdict: warn\n":       {"line 3", "at character"},
		"- name: a\n  event: before_tool_call\n  when: vars.x\n  verdict: warn\n  off: perhaps\n":    {"line 5, column 8", "true or false"},
		"- name: a\n  event: before_tool_call\n  verdict: hold\n  checkpoint: Before filing it\n":    {"line 4, column 15", "pre_filing"},
		"- name: a\n  event: before_tool_call\n  verdict: hold\n  tools: ['[']\n":                    {"line 4, column 11", "pattern"},
		"- name: a\n  event: before_tool_call\n  when: " + strings.Repeat("x", 600) + "\n  off: 1\n": {"line 4"},
	} {
		rules, err := rule.Parse([]byte(text))
		var found rule.Mistakes
		if !errors.As(err, &found) || rules != nil {
			t.Errorf("%q: %v, %v, want mistakes", text, rules, err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q:\n%v\nwant %q", text, err, w)
			}
		}
	}
}

func TestRules_AFileThatWasWrittenReadsTheSame(t *testing.T) {
	rules := append(rule.Seeds(), rule.Rule{Name: "all", Description: "two\nlines: here", Event: rule.BeforeToolCall, Agents: []string{"a"}, Tools: []string{"batch_*", "x"}, When: `args.x == "yes: 'no'"`,
		Verdict: rule.Hold, Checkpoint: "pre_filing", Reviewer: &rule.Reviewer{Name: "Ann: B."}, Reason: "- because", Off: true})
	text, err := rule.YAML(rules)
	if err != nil {
		t.Fatal(err)
	}
	if again := parse(t, string(text)); !reflect.DeepEqual(again, rules) {
		t.Errorf("read again:\n%+v\nfrom\n%s", again, text)
	}
}

func TestRules_OffIsNotAsked(t *testing.T) {
	s := compiled(t, rule.Group{Rules: parse(t, `- {name: a, event: before_output, verdict: refuse, off: true}`)})
	if got := s.Judge(rule.Occasion{Event: rule.BeforeOutput}); len(got.Fired) != 0 || s.Asks(rule.BeforeOutput, "x") {
		t.Errorf("a rule that is off fired: %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rules:\n  - {name: a, event: before_tool_call, verdict: warn, when: tool.name == 'x'}\n")
	f.Add("- name: [a\n")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := rule.Parse([]byte(text))
		if err == nil {
			if _, err := rule.Compile(rule.Group{Rules: rules}); err != nil {
				t.Errorf("what was read does not compile: %v", err)
			}
		}
	})
}

// BenchmarkRules_100 is what an occasion costs with a hundred rules, each with a condition.
func BenchmarkRules_100(b *testing.B) {
	var rules []rule.Rule
	for i := range 100 {
		rules = append(rules, rule.Rule{Name: fmt.Sprintf("r%d", i), Event: rule.BeforeToolCall, Verdict: rule.Warn, When: fmt.Sprintf(`tool.name == "tool_%d" && args.amount > %d`, i, i)})
	}
	s := compiled(b, rule.Group{Rules: rules})
	o := call("tool_50", "read")
	for b.Loop() {
		s.Judge(o)
	}
}
