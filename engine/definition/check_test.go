package definition_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
)

// told are the mistakes and the warnings of a file.
func told(file string) (bad, odd string) {
	_, err := definition.Parse([]byte(file))
	if err != nil {
		bad = err.Error()
	}
	if w := definition.Warnings([]byte(file)); len(w) > 0 {
		odd = w.Error()
	}
	return bad, odd
}

func nodes(lines ...string) string {
	return "name: x\nnodes:\n  - " + strings.Join(lines, "\n  - ") + "\n"
}

func TestCheck_FindsCyclesThatNeverEnd(t *testing.T) {
	circle := nodes("{name: a, kind: transform, template: '{{ input }}', output: n, default_next: b}", "{name: b, kind: transform, template: y, default_next: a}")
	for name, c := range map[string]struct{ edges, want string }{
		"no way out":               {"", "line 3, column 5: nodes[0]: a, b never ends: there is no way to the end"},
		"a rule that is false":     {`edges: [{from: b, to: end, when: "1 > 2"}]`, "it is false whatever happens"},
		"bounds that exclude":      {`edges: [{from: b, to: end, when: "size(n) > 5 && size(n) < 3"}]`, "size(n) > 5 and size(n) < 3 exclude each other"},
		"two values at once":       {`edges: [{from: b, to: end, when: "n == 'x' and n == 'y'"}]`, `n == "x" and n == "y" exclude each other`},
		"a value and its opposite": {`edges: [{from: b, to: end, when: "n == 'x' && !(n == 'x')"}]`, "exclude each other"},
		"a test and its opposite":  {`edges: [{from: b, to: end, when: "n contains 'x' && not (n contains 'x')"}]`, "cannot be true and false"},
		"none of the ways to hold": {`edges: [{from: b, to: end, when: "(n == 'x' || n == 'y') && n == 'z'"}]`, "exclude each other"},
		"not in its own list":      {`edges: [{from: b, to: end, when: "n in ['x', 'y'] && n not in ['x', 'y']"}]`, "exclude each other"},
		"a rule that always leads": {`edges: [{from: b, to: a, when: "true", priority: 5}, {from: b, to: end, when: "n == 'x'"}]`, "the rule of another edge always holds"},
		"two dead ways":            {`edges: [{from: b, to: end, when: "false"}, {from: a, to: end, when: "n > 3 && n < 3"}]`, "a → end"},
	} {
		if bad, _ := told(circle + c.edges); !strings.Contains(bad, c.want) || !strings.Contains(bad, "never ends") {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
	for name, edges := range map[string]string{
		"a rule that may hold":   `edges: [{from: b, to: end, when: "n == 'x' || n == 'y'"}]`,
		"bounds with room":       `edges: [{from: b, to: end, when: "size(n) > 3 && size(n) < 5"}]`,
		"a failure leads out":    `edges: [{from: b, to: c, type: error}]` + "\n",
		"one of two may hold":    `edges: [{from: b, to: end, when: "n == 'x' && n == 'y' || n == 'z'"}]`,
		"equal bounds that meet": `edges: [{from: b, to: end, when: "size(n) >= 3 && size(n) <= 3"}]`,
	} {
		file := circle
		if strings.Contains(edges, "to: c") {
			file += "  - {name: c, kind: transform, template: z, default_next: end}\n"
		}
		if bad, _ := told(file + edges); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

func TestCheck_KnowsWhatNodesCanPutOut(t *testing.T) {
	for name, c := range map[string]struct{ node, rule, want string }{
		"a critique":           {"{name: a, kind: critique, output: v, default_next: b}", `v.verdict == "good"`, "v.verdict is one of accept, revise"},
		"its rule of one test": {"{name: a, kind: critique, output: v, default_next: b}", `{key: v.verdict, equals: good}`, "v.verdict is one of accept, revise"},
		"a person's choice":    {"{name: a, kind: human, question: Go on, answers: [now, later], output: v, default_next: b}", `v == "never"`, "v is one of now, later"},
		"a person's number":    {"{name: a, kind: human, question: Visits, answer: {type: integer, maximum: 5}, output: v, default_next: b}", `v > 5`, "v is a whole number of at most 5"},
		"a schema":             {"{name: a, kind: prompt, instructions: x, output: v, default_next: b, output_schema: {type: object, properties: {mood: {type: string, enum: [good, bad]}}}}", `v.mood == "fair"`, "v.mood is one of good, bad"},
		"a reflection":         {"{name: a, kind: reflect, output: v, default_next: b}", `v.again == "yes"`, "v.again is one of true, false"},
	} {
		file := nodes(c.node, "{name: b, kind: transform, template: y, default_next: a}") + "edges: [{from: b, to: end, when: " + quoteRule(c.rule) + "}]"
		if bad, odd := told(file); !strings.Contains(bad, c.want) || !strings.Contains(odd, "this can never hold: "+c.want) {
			t.Errorf("%s: want %q in\n%s\n%s", name, c.want, bad, odd)
		}
	}
	bad, odd := told(nodes("{name: a, kind: human, question: Go on, answers: [now, later], transitions: {never: b}, default_next: end}", "{name: b, kind: transform, template: y, default_next: end}"))
	if bad != "" || !strings.Contains(odd, "never is never what a puts out") {
		t.Errorf("a transition that is never taken: %q, %q", bad, odd)
	}
	if _, odd := told("name: x\nvars: {n: {type: integer, minimum: 1, maximum: 3, default: 1}}\n" + nodes("{name: a, kind: loop, until: 'vars.n > 3', nodes: [{name: b, kind: transform, template: x, default_next: end}], default_next: end}")[8:]); !strings.Contains(odd, "so every round is run: vars.n is a whole number from 1 to 3") {
		t.Errorf("an until that never holds: %s", odd)
	}
}

func TestCheck_R54_SaysThatCriticalComesBeforeOnError(t *testing.T) {
	last := "{name: b, kind: transform, template: y, default_next: end}"
	for name, file := range map[string]string{
		"a way":        nodes("{name: a, kind: tool, tool: echo, flags: [critical], on_error: b, default_next: b}", last),
		"an edge":      nodes("{name: a, kind: tool, tool: echo, flags: [critical], default_next: b}", last) + "edges: [{from: a, to: b, type: error}]",
		"nodes inside": nodes("{name: a, kind: subgraph, flags: [critical], on_error: b, default_next: b, nodes: [{name: c, kind: tool, tool: echo, default_next: end}]}", last),
		"further in":   nodes("{name: a, kind: subgraph, default_next: b, nodes: [{name: c, kind: tool, tool: echo, flags: [critical], default_next: end, on_error: d}, {name: d, kind: transform, template: y, default_next: end}]}", last),
	} {
		if bad, odd := told(file); bad != "" || strings.Count(odd, "critical ends the run when") != 1 || !strings.Contains(odd, "leave one of them out") {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
}

func TestCheck_R72_ARuleReplacesAnOutputByItsKey(t *testing.T) {
	file := nodes("{name: a, kind: transform, template: x, output: said, default_next: end}") + "rules: [{name: r, event: after_node, verdict: set, set: {output: y}}]"
	if bad, _ := told(file); !strings.Contains(bad, "to replace it set the key that the node writes") {
		t.Error(bad)
	}
	for _, with := range []string{"set: {said: y}", "set: {said: y}, when: 'output == \"x\"'"} {
		if bad, odd := told(strings.Replace(file, "set: {output: y}", with, 1)); bad != "" || odd != "" {
			t.Errorf("%q %q", bad, odd)
		}
	}
	if bad, _ := told(strings.Replace(file, "output: said", "output: output", 1)); bad != "" {
		t.Error(bad)
	}
}

// tools are a calculator, which changes nothing, and one that does.
func tools(t *testing.T) []tool.Description { return described(t, calculator.New(), post()) }

func TestCheck_KnowsWhichToolsChangeSomething(t *testing.T) {
	for node, want := range map[string]string{
		"{name: a, kind: tool, tool: calculator, arguments: {expression: 1+1}, output: n, flags: [FLAG], default_next: end}":                         "",
		"{name: a, kind: prompt, instructions: x, tools: [calculator], output: n, flags: [FLAG], default_next: end}":                                 "",
		"{name: a, kind: fan_out, over: list, tool: calculator, arguments: {expression: '{{ item }}'}, output: n, flags: [FLAG], default_next: end}": "",
		"{name: a, kind: tool, tool: post, arguments: {text: x}, output: n, flags: [FLAG], default_next: end}":                                       "FLAG is not for nodes that can change something",
		"{name: a, kind: prompt, instructions: x, tools: [calculator, post], output: n, flags: [FLAG], default_next: end}":                           "FLAG is not for nodes that can change something",
		"{name: a, kind: fan_out, over: list, tool: post, arguments: {text: '{{ item }}'}, output: n, flags: [FLAG], default_next: end}":             "FLAG is not for nodes that can change something",
		"{name: a, kind: act, output: n, flags: [FLAG], default_next: end}":                                                                          "FLAG is not for nodes that can change something",
		"{name: a, kind: prompt, instructions: x, tools: [calculator], skills: ['*'], output: n, flags: [FLAG], default_next: end}":                  "FLAG is not for nodes that can change something",
		"{name: a, kind: tool, tool: away.look, output: n, flags: [FLAG], default_next: end}":                                                        "FLAG is not for nodes that can change something",
		"{name: a, kind: act, output: n, flags: [FLAG, readonly], default_next: end}":                                                                "",
	} {
		for _, flag := range []string{"retryable", "cacheable"} {
			file := strings.ReplaceAll(nodes("{name: l, kind: plan, output: list, default_next: a}", node), "FLAG", flag)
			_, err := definition.Agent([]byte(file), tools(t))
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(want, "FLAG", flag)) || !strings.Contains(err.Error(), "line 4")) {
				t.Errorf("%s %s: %v", flag, node, err)
			}
		}
	}
}

func TestCheck_TellsOfFlagsWithAllOtherMistakes(t *testing.T) {
	bad, _ := told(nodes(
		"{name: a, kind: tool, tool: post, flags: [cacheable], output: n, default_next: b}",
		"{name: b, kind: transform, template: x, flags: [cacheable], default_next: c}",
		"{name: c, kind: prompt, instructions: x, flags: [stateful, isolated_context], default_next: d}",
		"{name: d, kind: transform, template: x, output_schema: {type: string}, default_next: e}",
		"{name: e, kind: transform, template: '{{ nothing }}', default_next: end}"))
	for line, want := range []string{"cacheable is not for nodes that can change something", "cacheable keeps what goes to the output key, and b has none", "so stateful shows nothing; add c_output to inputs",
		"held to its output_schema only with the flag validate_output", "no node writes nothing"} {
		if !strings.Contains(bad, want) || !strings.Contains(bad, "line "+string(rune('3'+line))) {
			t.Errorf("want %q at line %d in\n%s", want, line+3, bad)
		}
	}
	// In rounds: a node that runs once has nothing to be shown.
	if bad, odd := told(nodes("{name: l, kind: loop, default_next: end, nodes: [{name: a, kind: prompt, instructions: x, inputs: [a_output], flags: [stateful, isolated_context], default_next: end}]}")); bad != "" || odd != "" {
		t.Errorf("%q %q", bad, odd)
	}
	if bad, odd := told(nodes("{name: a, kind: transform, template: x, output_schema: {type: string}, flags: [validate_output], default_next: end}")); bad != "" || odd != "" {
		t.Errorf("%q %q", bad, odd)
	}
}

func TestCheck_FindsWhatCannotBeReachedBehindAMisspeltName(t *testing.T) {
	lost := "nothing leads to lost"
	b := "{name: other, kind: transform, template: x, default_next: end}"
	for name, c := range map[string]struct {
		file  string
		found bool
	}{
		"a default_next":          {nodes("{name: a, kind: transform, template: x, default_next: othr}", b, "{name: lost, kind: transform, template: x, default_next: end}"), true},
		"the end of an edge":      {nodes("{name: a, kind: transform, template: x}", b, "{name: lost, kind: transform, template: x, default_next: end}") + "edges: [{from: a, to: othr}]", true},
		"the start of an edge":    {nodes("{name: first, kind: transform, template: x}", b, "{name: lost, kind: transform, template: x, default_next: end}") + "edges: [{from: frist, to: other}]", true},
		"it is what was meant":    {nodes("{name: a, kind: transform, template: x, default_next: lots}", b, "{name: lost, kind: transform, template: x, default_next: other}"), false},
		"it may be what is meant": {nodes("{name: a, kind: transform, template: x, default_next: quite_different}", "{name: lost, kind: transform, template: x, default_next: end}"), false},
	} {
		if bad, _ := told(c.file); strings.Contains(bad, lost) != c.found || strings.Contains(bad, "nothing leads to other") || bad == "" {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

func TestCheck_R15_RulesThatLeaveNothingOutAreEnough(t *testing.T) {
	file := func(vars string, node string, rules ...string) string {
		var choices []string
		for i, r := range rules {
			choices = append(choices, "{to: "+[]string{"a", "b", "c"}[i%3]+", when: "+quoteRule(r)+"}")
		}
		last := "{name: NAME, kind: transform, template: x, default_next: end}"
		return strings.Replace(nodes(node, "{name: r, kind: router, choices: ["+strings.Join(choices, ", ")+"]}", strings.Replace(last, "NAME", "a", 1), strings.Replace(last, "NAME", "b", 1),
			strings.Replace(last, "NAME", "c", 1)), "nodes:", vars+"nodes:", 1)
	}
	model := "{name: m, kind: prompt, instructions: x, output: n, default_next: r}"
	for name, c := range map[string]struct {
		vars, node string
		rules      []string
		odd        bool
	}{
		"a value and no other":      {"", model, []string{`n == "x"`, `n != "x"`, `n == "y"`}, false},
		"a test and its opposite":   {"", model, []string{`n contains "x"`, `!(n contains "x")`, `n == "y"`}, false},
		"bounds that meet":          {"", model, []string{`size(n) > 3`, `size(n) <= 3`, `n == "y"`}, false},
		"three that cover":          {"", model, []string{`size(n) > 5`, `size(n) < 2`, `size(n) >= 2 && size(n) <= 5`}, false},
		"one and the rest":          {"", model, []string{`n == "x" || n == "y"`, `n == "z"`, `n not in ["x", "y", "z"]`}, false},
		"single tests":              {"", model, []string{`{key: n, exists: true}`, `{key: n, exists: false}`, `{key: n, equals: x}`}, false},
		"equals and not":            {"", model, []string{`{key: n, equals: x}`, `{key: n, not: x}`, `{key: n, equals: y}`}, false},
		"all that a person answers": {"", "{name: m, kind: human, question: Go on, answers: [now, later], output: n, default_next: r}", []string{`n == "now"`, `n == "later"`, `size(n) > 30`}, false},
		"yes or no":                 {"vars: {v: {type: boolean, default: true}}\n", model, []string{`vars.v`, `!vars.v`, `n == "x"`}, false},
	} {
		if bad, odd := told(file(c.vars, c.node, c.rules...)); bad != "" || strings.Contains(odd, "ends after r") {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
	for name, rules := range map[string][]string{
		"a gap in the middle": {`size(n) > 5`, `size(n) < 5`, `size(n) < 3`},
		"only two of many":    {`n == "x"`, `n == "y"`, `n == "z"`},
		"about another value": {`n == "x"`, `input != "x"`, `n == "y"`},
		"narrower than that":  {`n == "x"`, `n != "x" && input == "y"`, `n == "y"`},
	} {
		if bad, _ := told(file("", model, rules...)); !strings.Contains(bad, "all rules of r may be false") {
			t.Errorf("%s passes: %s", name, bad)
		}
	}
}

func TestCheck_FindsCyclesThatGoByWhatNeverChanges(t *testing.T) {
	circle := func(a, b, rule string) (string, string) {
		return told(nodes("{name: a, "+a+", output: n, default_next: b}", "{name: b, "+b+", output: m, default_next: a}") + "edges: [{from: b, to: end, when: " + quoteRule(rule) + "}]")
	}
	const model = "kind: prompt, instructions: x"
	for name, c := range map[string][4]string{
		"a text that is no other":   {"kind: transform, template: draft", model, `n == "done"`, `n is always "draft"`},
		"a member that is no other": {"kind: transform, set: {state: open, by: '{{ input }}'}", model, `n.state == "done"`, `n.state is always "open"`},
		"a number":                  {"kind: transform, set: {level: 3}", model, `n.level == 4`, `n.level is always 3`},
	} {
		if bad, _ := circle(c[0], c[1], c[2]); !strings.Contains(bad, "never ends") || !strings.Contains(bad, c[3]) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	for name, c := range map[string][3]string{
		"of what was said once": {"kind: transform, template: '{{ input }}'", "kind: transform, template: '{{ n }}!'", `m == "done"`},
	} {
		if bad, odd := circle(c[0], c[1], c[2]); bad != "" || !strings.Contains(odd, "goes round for ever") {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
	for name, c := range map[string][3]string{
		"a model's word":       {model, "kind: transform, template: '{{ n }}!'", `m == "done"`},
		"what grows in a ring": {"kind: transform, template: '{{ m }}!'", "kind: transform, template: '{{ n }}'", `size(n) > 30`},
		"the text itself":      {"kind: transform, template: done", model, `n == "done" && m != "no"`},
		"how often it ran":     {"kind: transform, template: '{{ run.iterations }}'", "kind: transform, template: x", `n == "9"`},
	} {
		if bad, odd := circle(c[0], c[1], c[2]); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
	if bad, odd := told(nodes("{name: a, kind: transform, template: x, output: n, default_next: b}", "{name: b, kind: transform, template: y, default_next: a}") +
		"edges: [{from: b, to: end, when: 'n == \"z\"'}]\nrules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {n: '{{ run.iterations }}'}}]"); bad != "" || odd != "" {
		t.Errorf("what a rule sets moves on: %q, %q", bad, odd)
	}
}

func TestCheck_R81_EachListMayHaveItsErrorNode(t *testing.T) {
	box := func(name string) string {
		return "{name: " + name + ", kind: subgraph, nodes: [{name: in_" + name + ", kind: transform, template: x, default_next: end}, {name: __error__, kind: transform, template: y, default_next: end}], default_next: NEXT}"
	}
	if bad, odd := told(nodes(strings.Replace(box("a"), "NEXT", "b", 1), strings.Replace(box("b"), "NEXT", "end", 1), "{name: __error__, kind: transform, template: z, default_next: end}")); bad != "" || odd != "" {
		t.Errorf("%q %q", bad, odd)
	}
	error := "{name: __error__, kind: transform, template: z, default_next: end}"
	if bad, _ := told(nodes("{name: a, kind: transform, template: x, default_next: end}", error, error)); !strings.Contains(bad, "has the name __error__, too") {
		t.Errorf("two in one list: %s", bad)
	}
}

func quoteRule(rule string) string {
	if rule[0] == '{' {
		return rule
	}
	return "'" + rule + "'"
}

func TestCheck_WarnsOfACycleThatNothingInItCanEnd(t *testing.T) {
	file := nodes("{name: a, kind: prompt, instructions: x, default_next: b}", "{name: b, kind: transform, template: y, default_next: a}") + `edges: [{from: b, to: end, when: "input == 'stop'"}]`
	if bad, odd := told(file); bad != "" || !strings.Contains(odd, "go by values that nothing in it writes") {
		t.Errorf("%q, %q", bad, odd)
	}
	for _, rule := range []string{"a_output == 'z'", "run.iterations > 9", "error != nil"} {
		if bad, odd := told(strings.Replace(file, "input == 'stop'", rule, 1)); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", rule, bad, odd)
		}
	}
}

func TestCheck_FindsWritersSideBySideAlongEdges(t *testing.T) {
	fan := func(more ...string) string {
		return nodes(append([]string{"{name: s, kind: transform, template: x}", "{name: a, kind: transform, template: a, default_next: a2}",
			"{name: b, kind: transform, template: b, output: o}", "{name: j, kind: transform, template: j, output: o, default_next: end}"}, more...)...) +
			"edges:\n  - {from: s, to: a, type: parallel_branch}\n  - {from: s, to: b, type: parallel_branch}\n  - {from: a2, to: j, type: join_input}\n  - {from: b, to: j, type: join_input}\n"
	}
	if bad, _ := told(fan("{name: a2, kind: transform, template: z, output: p}")); bad != "" {
		t.Errorf("branches with keys of their own, and a join that writes one of them: %s", bad)
	}
	for name, c := range map[string]struct{ node, want string }{
		"further down a branch": {"{name: a2, kind: transform, template: z, output: o}", "run side by side and both write o"},
		"inside a loop":         {"{name: a2, kind: loop, nodes: [{name: in, kind: transform, template: z, output: o, default_next: end}]}", "in and b run side by side and both write o"},
		"taken from a pattern":  {"{name: a2, kind: subgraph, use: verify, takes: {o: draft}}", "a2 and b run side by side and both write o"},
	} {
		bad, _ := told(fan(c.node))
		if !strings.Contains(bad, "both write o; give one of them another key") {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
}

func TestCheck_ReportsEveryMistakeAtOnceEachAtItsLine(t *testing.T) {
	file := `name: x
limits: {max_time: soon, max_iterations: many}
nodes:
  - name: a
    kind: prompt
    instructions: "Say {{ nmae }}."
    flags: [critcal]
    within: later
    default_next: b
  - name: b
    kind: transform
    template: "{{ size( }}"
    default_next: c
  - name: c
    kind: rooter
  - name: d
    kind: tool
    tool: nothing
    output: input
    default_next: nowhere
edges:
  - {from: a, to: b, when: "a_output >"}
`
	_, err := definition.Agent([]byte(file), described(t, calculator.New()))
	if err == nil {
		t.Fatal("it passes")
	}
	for _, want := range []string{"line 2, column 20: limits.max_time: \"soon\" is not a time", "line 2, column 42: limits.max_iterations", "nodes[0].instructions: no node writes nmae",
		"line 7, column 13: nodes[0].flags[0]", "line 8, column 13: nodes[0].within: \"later\" is not a time", "line 12, column 24: nodes[1].template: something is missing at the end",
		"line 15, column 11: nodes[2].kind", "line 18, column 11: nodes[3].tool: there is no tool nothing", "line 19, column 13: nodes[3].output", "line 20, column 19: nodes[3].default_next", "line 22, column 39: edges[0].when"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in\n%s", want, err)
		}
	}
}

func TestCheck_ReadingTheStatusOfACallIsToldToWriteOnError(t *testing.T) {
	for name, c := range map[string]struct{ read, more, bad, odd string }{
		"a rule":        {`choices: [{to: end, when: "booked.status == 'refused'"}], default_next: end, kind: router`, "", `Write on_error at book and ask there for error.kind == "refused"`, ""},
		"one test":      {`choices: [{to: end, when: {key: book_output.status, equals: rejected}}], default_next: end, kind: router`, "", `error.kind == "rejected"`, ""},
		"a template":    {`kind: transform, template: "{{if eq .booked.status \"failed\"}}no{{end}}", default_next: end`, "", "Write on_error at book", ""},
		"its own":       {`kind: transform, template: "{{.booked.status}}", default_next: end`, "", "", "write on_error at book for that"},
		"with on_error": {`kind: transform, pick: booked.status, default_next: end`, ", on_error: b", "", ""},
		"never now":     {`choices: [{to: end, when: "booked?.status == 'refused'"}], default_next: end, kind: router`, ", on_error: b", "so this never holds", ""},
	} {
		bad, odd := told(nodes("{name: book, kind: tool, tool: t, output: booked, default_next: b"+c.more+"}", "{name: b, "+c.read+"}"))
		if (c.bad == "") != (bad == "") || !strings.Contains(bad, c.bad) || !strings.Contains(odd, c.odd) || c.odd == "" && strings.Contains(odd, "status") {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
}

func TestCheck_WarnsOfAnEndThatNobodyWrote(t *testing.T) {
	for file, want := range map[string]string{
		nodes("{name: a, kind: transform, template: x}"):                                                               "nothing follows a, so the graph ends there; write default_next: end",
		nodes("{name: a, kind: router, choices: [{to: b, about: x}]}", "{name: b, kind: answer}"):                      "the graph ends after a when none of its ways is taken",
		nodes("{name: l, kind: loop, default_next: end, nodes: [{name: a, kind: transform, template: x}]}"):            "nothing follows a",
		nodes("{name: a, kind: transform, template: x, default_next: end}"):                                            "",
		nodes("{name: a, kind: answer}"):                                                                               "",
		nodes("{name: a, kind: transform, template: x, flags: [terminal]}"):                                            "",
		nodes("{name: p, kind: parallel, default_next: end, nodes: [{name: a, kind: think}, {name: b, kind: think}]}"): "",
		nodes("{name: r, kind: retry, default_next: end, until: 'a_output == 1', nodes: [{name: a, kind: think}]}"):    "",
	} {
		if bad, odd := told(file); bad != "" || !strings.Contains(odd, want) || want == "" && odd != "" {
			t.Errorf("%s: %q, %q, want %q", file, bad, odd, want)
		}
	}
	for _, p := range definition.Patterns() {
		if odd := definition.Warnings([]byte(p.Text)); len(odd) > 0 {
			t.Errorf("pattern %s: %v", p.ID, odd)
		}
	}
}

func TestCheck_PatternsTakeWhatTheyDeclare(t *testing.T) {
	for name, c := range map[string]struct{ node, more, want string }{
		"an unknown var":      {"with: {round: 2}", "", "debate has no var round; did you mean rounds?"},
		"a wrong value":       {"with: {rounds: 99}", "", "rounds must be a whole number from 1 to 10"},
		"a text for a number": {"with: {rounds: many}", "", "rounds must be a whole number"},
		"an unknown key":      {`with: {rounds: "{{ nmber }}"}`, "", "no node writes nmber"},
		"an unknown output":   {"takes: {x: debat}", "", "debate gives out no debat; did you mean debate?"},
		"a key of the run":    {"takes: {input: debate}", "", "input is what the run was started with"},
		"a key inside":        {"with: {rounds: 2}", "{name: b, kind: transform, template: '{{ debate }}', default_next: end}", "debate is written inside a (pattern debate) and not seen outside; write takes: {debate: debate} at a"},
	} {
		file := nodes("{name: a, kind: subgraph, use: debate, " + c.node + ", default_next: end}")
		if c.more != "" {
			file = nodes("{name: a, kind: subgraph, use: debate, "+c.node+", default_next: b}", c.more)
		}
		if bad, _ := told(file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
	if bad, _ := told(nodes("{name: a, kind: subgraph, nodes: [{name: b, kind: think}], with: {x: 1}, default_next: end}")); !strings.Contains(bad, "with is for a pattern") {
		t.Error(bad)
	}
}

// "check passed it, and the rule could never be decided: the answer is a number, and I compared it with a text."
func TestCheck_SaysWhatTheTypesNeverAllow(t *testing.T) {
	answer := func(of string) string { return "{name: h, kind: human, question: How, answer: " + of + ", output: n}" }
	for _, c := range []struct{ node, expression, want string }{
		{answer("{type: integer, minimum: 1}"), "n > 'a'", "4:56 > does not go between a number and a text"},
		{answer("{type: integer}"), "n == '5'", "== does not go between a number and a text"},
		{answer("{type: number}"), "n contains 'a'", "contains does not go"},
		{answer("{type: boolean}"), "n >= 2", ">= does not go between true or false and a number"},
		{answer("{type: integer}"), "size(n) > 2", "size"},
		{answer("{type: integer}"), "n.x == 3", "has no members, so there is no x in it"},
		{"{name: h, kind: human, question: How, output: n}", "n > 3", "> does not go between a text and a number"},
		{"{name: h, kind: human, question: How, answers: [few, many], output: n}", "n + 1 > 3", "+ does not go between a text and a number"},
		{"{name: h, kind: transform, template: 'a {{ input }}', output: n}", "n < 2", "< does not go between a text and a number"},
		{"{name: h, kind: transform, count: input, output: n}", "n startsWith 'x'", "startsWith does not go between a number and a text"},
		{"{name: h, kind: think, output: n, output_schema: {type: object, properties: {score: {type: number}}, required: [score], additionalProperties: false}}", "n.scor > 2", "there is no scor in it"},
		{"{name: h, kind: think, output: n, output_schema: {type: object, properties: {score: {type: number}}}}", "n.score == 'high'", "== does not go between a number and a text"},
		{"{name: h, kind: critique, output: n}", "n.verdct == 'accept'", "there is no verdct in it"},
		{"{name: h, kind: critique, after: 'It says {{ output.verdict }}.', output: n}", "n > 3", "> does not go between a text and a number"},
	} {
		for where, file := range map[string]string{
			"rule":     nodes(strings.Replace(c.node, "{name: h,", "{name: h, default_next: b,", 1), "{name: b, kind: router, choices: [{to: d, when: \""+c.expression+"\"}], default_next: d}", "{name: d, kind: think, default_next: end}"),
			"template": nodes(strings.Replace(c.node, "{name: h,", "{name: h, default_next: b,", 1), "{name: b, kind: transform, template: \"it is {{ "+c.expression+" }}\", default_next: end}"),
		} {
			bad, odd := told(file)
			at, want, placed := strings.Cut(c.want, " ")
			if !placed || !strings.Contains(at, ":") {
				at, want = "4:", c.want
			}
			if where == "template" {
				at = "4:"
			}
			line, column, _ := strings.Cut(at, ":")
			if column != "" {
				column = ", column " + column + ":"
			}
			if bad != "" || !strings.Contains(odd, "line "+line+column) || !strings.Contains(odd, "this can never be worked out") || !strings.Contains(odd, want) {
				t.Errorf("%s %s: %q, %q", where, c.expression, bad, odd)
			}
		}
	}
	for _, c := range []struct{ node, expression string }{
		{answer("{type: integer}"), "n > 2.5 && n != 7 && (n ?? 0) < 9"},
		{answer("{type: number}"), "n > 2 && n == 3"},
		{answer("{type: boolean}"), "n && input != ''"},
		{answer("{type: array}"), "size(n) > 2 && n[0] == 'x'"},
		{answer("{type: object}"), "n.any.thing > 2"},
		{"{name: h, kind: human, question: How, output: n}", "n contains 'x' && size(n) > 3 && lower(n) != 'y'"},
		{"{name: h, kind: human, question: Give it as JSON, output: n}", "n.score > 2"},
		{"{name: h, kind: think, output: n}", "n.score > 2 || n contains '3'"},
		{"{name: h, kind: think, output: n, output_schema: {type: object, properties: {score: {type: number}}}}", "n.other == 'x' && n.score < 3"},
		{"{name: h, kind: tool, tool: calculator, arguments: {expression: '1'}, output: n}", "n > 2"},
		{"{name: h, kind: critique, after: '{{ size(output.problems) }}', output: n}", "n > 2"},
		{"{name: h, kind: critique, after: '{{ output.problems }}', output: n}", "n[0] == 'x'"},
	} {
		file := nodes(strings.Replace(c.node, "{name: h,", "{name: h, default_next: b,", 1), "{name: b, kind: router, choices: [{to: d, when: \""+c.expression+"\"}], default_next: d}", "{name: d, kind: think, default_next: end}")
		if bad, odd := told(file); bad != "" || strings.Contains(odd, "worked out") {
			t.Errorf("%s: %q, %q", c.expression, bad, odd)
		}
	}
}

// "My rule replaces the verdict, and check said that what it sets can never be."
func TestCheck_WhatAfterOrARuleReplacesIsNotWhatTheModelAnswers(t *testing.T) {
	after := nodes("{name: h, kind: critique, after: '{{ output.verdict }}', output: n, default_next: b}", "{name: b, kind: router, choices: [{to: d, when: \"n == 'accept'\"}, {to: d, when: \"n.verdict == 'other'\"}], default_next: d}", "{name: d, kind: think, default_next: end}")
	ruled := nodes("{name: h, kind: critique, output: n, default_next: b}", "{name: b, kind: router, choices: [{to: d, when: \"n.verdict == 'other'\"}, {to: d, when: \"h_output.verdict == 'other'\"}], default_next: d}", "{name: d, kind: think, default_next: end}") +
		"rules:\n  - {name: r, event: after_node, nodes: [h], verdict: set, set: {n: {verdict: other}}}\n"
	for what, file := range map[string]string{"after": after, "a rule": ruled} {
		if bad, odd := told(file); bad+odd != "" {
			t.Errorf("%s: %q, %q", what, bad, odd)
		}
	}
	schema := "output_schema: {type: object, properties: {n: {type: number}}}, flags: [validate_output]"
	for text, want := range map[string]string{"'{{ output.n }} points'": "after makes a text of the answer", "'{{ output }}'": ""} {
		if bad, _ := told(nodes("{name: h, kind: prompt, instructions: x, after: " + text + ", " + schema + ", default_next: end}")); want == "" && bad != "" || !strings.Contains(bad, want) {
			t.Errorf("after %s: %q", text, bad)
		}
	}
}

// "The person was told {{ stage }}, with the braces."
func TestCheck_WarnsOfValuesInTextsThatAreNoTemplates(t *testing.T) {
	whole := nodes("{name: h, kind: human, title: 'Ask {{ input }}', question: 'Now {{ input }}', answers: ['{{ input }}', no], default_next: g}",
		"{name: g, kind: guard, inputs: [input], guards: [{ask: 'Is it {{ vars.tone }}?', action: block}], default_next: r}",
		"{name: r, kind: router, choices: [{to: end, about: '{{ input }}'}], default_next: end}") +
		"rules:\n  - {name: r, event: before_node, verdict: warn, reason: 'at {{ stage }}'}\n"
	_, odd := told(whole)
	for _, field := range []string{"title", "answers[0]", "ask", "about", "reason"} {
		if !strings.Contains(odd, field+" is not a template") {
			t.Errorf("nothing is said of %s: %s", field, odd)
		}
	}
	if strings.Contains(odd, "question is not a template") {
		t.Error(odd)
	}
}

// "I was told that l_check is declared twice. I had declared it once."
func TestCheck_ANameThatANodeNeedsItselfIsSaidToBe(t *testing.T) {
	for file, want := range map[string]string{
		"{name: l, kind: loop, times: 2, nodes: [{name: l_check, kind: transform, template: x, default_next: end}], default_next: end}": "l_check is the name of a step that l has of its own",
		"{name: w, kind: autonomous, pool: [{name: w_choose, kind: answer, description: d}], default_next: end}":                        "w_choose is the name of a step that w has of its own",
		"{name: p, kind: parallel, nodes: [{name: p_join, kind: observe}, {name: q, kind: transform, template: x}], default_next: end}": "p_join is the name of a step that p has of its own",
		"{name: a, kind: transform, template: '{{ input }}', transitions: {'': end}, default_next: end}":                                "an empty text is nothing to go by",
		"{name: a, kind: transform, template: '{{ 5 % 2.5 }}', default_next: end}":                                                      "% goes between whole numbers only",
	} {
		if bad, _ := told(nodes(file)); !strings.Contains(bad, want) || strings.Contains(bad, "declared twice") || strings.Contains(bad, "match edges") {
			t.Errorf("%s: %q, want %q", file, bad, want)
		}
	}
	if bad, _ := told(nodes("{name: l, kind: loop, times: 2, nodes: [{name: x, kind: transform, template: x, default_next: end}], default_next: l_check}", "{name: l_check, kind: transform, template: x, default_next: end}")); bad != "" {
		t.Errorf("beside the loop the name is free: %s", bad)
	}
}

// "My veto was on add_node, which nothing is called: check passed it, and it never fired."
func TestCheck_WarnsOfRulesThatNeverFire(t *testing.T) {
	graph := nodes("{name: a, kind: think, on_error: b, default_next: b}", "{name: b, kind: transform, template: x, default_next: end}")
	for rule, want := range map[string]string{
		"{name: r, event: on_graph_mutation, when: \"mutation.op == 'add_node'\", verdict: refuse}":                           "mutation.op is one of add_stage, add_edge, remove_edge",
		"{name: r, event: on_graph_mutation, when: {key: mutation.op, equals: add}, verdict: refuse}":                         "mutation.op is one of add_stage, add_edge, remove_edge",
		"{name: r, event: on_error, when: \"error.kind == 'reject'\", verdict: warn}":                                         "error.kind is one of failed, refused, rejected, unknown, limited",
		"{name: r, event: before_node, nodes: [b], when: \"error.kind == 'timeout'\", verdict: skip}":                         "error.kind is one of",
		"{name: r, event: before_node, nodes: [b], when: \"input == 'a' && input == 'b'\", verdict: skip}":                    "exclude each other",
		"{name: r, event: on_graph_mutation, when: \"mutation.op == 'add_stage' || mutation.id == 'x'\", verdict: refuse}":    "",
		"{name: r, event: on_error, when: \"error.kind == 'rejected' || error.node == 'a'\", verdict: warn}":                  "",
		"{name: r, event: after_node, nodes: [a], when: \"output.op == 'add_node' && stage == 'a'\", verdict: warn}":          "",
		"{name: r, event: before_tool_call, when: \"tool.name == 'calculator' && args.op == 'x'\", verdict: warn, tools: []}": "",
	} {
		_, odd := told(graph + "rules:\n  - " + rule + "\n")
		if want == "" && strings.Contains(odd, "never hold") || want != "" && !strings.Contains(odd, "this can never hold: "+want) && !(strings.Contains(odd, "this can never hold") && strings.Contains(odd, want)) {
			t.Errorf("%s: %q, want %q", rule, odd, want)
		}
	}
	// A way by the kind of a failure, too.
	if _, odd := told(nodes("{name: a, kind: think, on_error: h, default_next: h}", "{name: h, kind: router, choices: [{to: d, when: \"error.kind == 'reject'\"}], default_next: d}", "{name: d, kind: think, default_next: end}")); !strings.Contains(odd, "error.kind is one of") {
		t.Error(odd)
	}
}

// "I gave a way for each of the three numbers, and was told that all of them may be false."
func TestCheck_WholeNumbersBetweenBoundsAreAllThereIs(t *testing.T) {
	file := func(answer string, rules ...string) string {
		choices := make([]string, len(rules))
		for i, r := range rules {
			choices[i] = fmt.Sprintf("{to: d, when: '%s'}", r)
		}
		return nodes("{name: h, kind: human, question: How many, answer: "+answer+", output: k, default_next: r}",
			"{name: r, kind: router, choices: ["+strings.Join(choices, ", ")+"]}", "{name: d, kind: think, default_next: end}")
	}
	for _, rules := range [][]string{{"k == 1", "k == 2 || k == 3"}, {"k < 2", "k == 2", "k > 2"}, {"k in [3, 1]", "k == 2"}, {"k <= 1.5", "k >= 1.6"}} {
		if bad, odd := told(file("{type: integer, minimum: 1, maximum: 3}", rules...)); bad != "" || odd != "" {
			t.Errorf("%v: %q, %q", rules, bad, odd)
		}
	}
	for answer, rules := range map[string][]string{"{type: integer, minimum: 1, maximum: 3}": {"k == 1", "k == 2"}, "{type: integer, minimum: 1}": {"k == 1", "k == 2"}, "{type: number, minimum: 1, maximum: 2}": {"k == 1", "k == 2"}} {
		if bad, _ := told(file(answer, rules...)); !strings.Contains(bad, "all rules of r may be false") {
			t.Errorf("%s %v: %q", answer, rules, bad)
		}
	}
	if _, odd := told(file("{type: integer, minimum: 1, maximum: 3}", "k > 1 && k < 2", "k > 0")); !strings.Contains(odd, "is a whole number from 1 to 3") {
		t.Errorf("%q", odd)
	}
}

// "A million rounds passed check, and the run failed."
func TestCheck_ANumberOfRoundsThatIsWrittenAsAnExpressionIsChecked(t *testing.T) {
	for times, want := range map[string]string{"{{ 1000000 }}": "1000000 is 1000000, and must be a whole number from 1 to 100", "{{ 2 - 2 }}": "from 1 to 100", "{{ 'x' }}": "from 1 to 100", "{{ 2 + 2 }}": ""} {
		bad, _ := told(nodes("{name: a, kind: loop, times: \"" + times + "\", nodes: [{name: b, kind: think}], default_next: end}"))
		if want == "" && bad != "" || !strings.Contains(bad, want) {
			t.Errorf("%s: %q", times, bad)
		}
	}
	bad, _ := told(nodes("{name: lp, kind: loop, nodes: [{name: a, kind: transform, template: x, flags: [terminal], default_next: b}, {name: b, kind: transform, template: y, default_next: a}], default_next: end}"))
	if !strings.Contains(bad, "line 3, column 5") || !strings.Contains(bad, "no round of lp comes to its end") || strings.Contains(bad, "lp_check") {
		t.Errorf("%q", bad)
	}
}

func TestCheck_VarsAreNamedAsDeclared(t *testing.T) {
	head := "name: x\nvars: {tone: {type: string, default: plain}, n: {type: integer, default: 1}}\n"
	for body, want := range map[string]string{
		"nodes: [{name: a, kind: transform, template: '{{ vars.tnoe }}', default_next: end}]":                                 "there is no tnoe here; did you mean tone?",
		"nodes: [{name: a, kind: transform, template: '{{ run.token }}', default_next: end}]":                                 "there is no token here; did you mean tokens?",
		"nodes: [{name: a, kind: transform, template: '{{ vars.n + vars.tone }}', default_next: end}]":                        "+ does not go between a number and a text",
		"nodes: [{name: a, kind: loop, times: '{{ vars.tone', nodes: [{name: b, kind: think}], default_next: end}]":           "every {{ needs its }}",
		"nodes: [{name: a, kind: transform, template: '{{ run.tokens }}', output: o, flags: [cacheable], default_next: end}]": "what cacheable kept would be wrong",
		"nodes: [{name: a, kind: loop, times: many, nodes: [{name: b, kind: think}], default_next: end}]":                     "is not a number",
		"nodes: [{name: a, kind: transform, template: x, output: error, default_next: end}]":                                  "error is the last failure of the run",
		"nodes: [{name: a, kind: human, question: x, answers: [a], answer: {type: string}, default_next: end}]":               "not both",
		"nodes: [{name: a, kind: human, question: x, answer: {type: integer, minimum: 3, maximum: 1}, default_next: end}]":    "no number is at least 3 and at most 1",
	} {
		if bad, _ := told(head + body); !strings.Contains(bad, want) {
			t.Errorf("%s: want %q in\n%s", body, want, bad)
		}
	}
	for decl, want := range map[string]string{"{type: integer, default: x}": "default: ", "{type: text}": "is not known", "{type: string, required: true, default: x}": "has no default", "{type: string, minimum: 1}": "are for numbers"} {
		if bad, _ := told("name: x\nvars: {v: " + decl + "}\nnodes: [{name: a, kind: think, default_next: end}]"); !strings.Contains(bad, want) {
			t.Errorf("%s: want %q in\n%s", decl, want, bad)
		}
	}
}

// TestCheck_NobodyOverwritesWhatIsKept: a key of another node, or a loop's count, whatever writes it.
func TestCheck_NobodyOverwritesWhatIsKept(t *testing.T) {
	loop := func(inside string) string {
		return nodes("{name: l, kind: loop, times: 2, default_next: s, nodes: ["+inside+"]}", "{name: s, kind: transform, template: x, default_next: end}")
	}
	for name, c := range map[string]struct{ file, want string }{
		"worked out before a prompt":   {loop("{name: a, kind: prompt, instructions: hi, before: {l_rounds: '7'}, default_next: end}"), "line 3, column 113: nodes[0].nodes[0].before.l_rounds: l_rounds is what node l counts"},
		"another's output before":      {loop("{name: a, kind: prompt, instructions: hi, before: {s_output: '7'}, default_next: end}"), "s_output is what node s puts out"},
		"taken from a pattern":         {loop("{name: a, kind: subgraph, use: verify, takes: {l_rounds: verdict}, default_next: end}"), "takes.l_rounds: l_rounds is what node l counts"},
		"set by a rule":                {loop("{name: a, kind: transform, template: x, default_next: end}") + "rules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {l_rounds: 1}}]", "rules[0].set.l_rounds: l_rounds is what node l counts"},
		"a node's output, by a rule":   {loop("{name: a, kind: transform, template: x, default_next: end}") + "rules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {a_output: 1}}]", "a_output is what node a puts out"},
		"flags of a node made of some": {nodes("{name: l, kind: loop, flags: [cacheable], default_next: end, nodes: [{name: a, kind: transform, template: '{{ nobody }}', default_next: end}]}"), "cacheable has no effect on a node of kind loop, but on the nodes inside it"},
	} {
		if bad, _ := told(c.file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
}

// TestCheck_FindsEveryKindOfWriterSideBySide: what is worked out before a prompt, and what
// rules set, ended the run when two branches wrote it.
func TestCheck_FindsEveryKindOfWriterSideBySide(t *testing.T) {
	fan := func(a, b, more string) string {
		return nodes("{name: s, kind: transform, template: x}", a, b, "{name: j, kind: transform, template: j, default_next: end}") +
			"edges:\n  - {from: s, to: a, type: parallel_branch}\n  - {from: s, to: b, type: parallel_branch}\n  - {from: a, to: j, type: join_input}\n  - {from: b, to: j, type: join_input}\n" + more
	}
	plain := func(name string) string { return "{name: " + name + ", kind: transform, template: x}" }
	for name, c := range map[string]struct{ file, want string }{
		"before both":                  {fan("{name: a, kind: prompt, instructions: x, before: {k: '1'}}", "{name: b, kind: prompt, instructions: x, before: {k: '2'}}", ""), "a and b run side by side and both write k"},
		"a rule about both":            {fan(plain("a"), plain("b"), "rules: [{name: r, event: before_node, nodes: [a, b], verdict: set, set: {k: 1}}]"), "a (rule r) and b (rule r) run side by side and both write k"},
		"two rules":                    {fan(plain("a"), plain("b"), "rules: [{name: r, event: before_node, nodes: [a], verdict: set, set: {k: 1}}, {name: q, event: after_node, nodes: [b], verdict: set, set: {k: 1}}]"), "a (rule r) and b (rule q) run side by side and both write k"},
		"a rule and a node":            {fan(plain("a"), "{name: b, kind: transform, template: x, output: k}", "rules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {k: 1}}]"), "both write k"},
		"inside a pattern":             {nodes("{name: d, kind: subgraph, use: deliberate, default_next: end}") + "rules: [{name: r, event: after_node, verdict: set, set: {k: 1}}]", "branches of views run side by side"},
		"a rule and a node of a group": {nodes("{name: p, kind: parallel, default_next: end, nodes: [{name: a, kind: transform, template: x}, {name: b, kind: transform, template: x, output: k}]}") + "rules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {k: 1}}]", "both write k"},
	} {
		if bad, _ := told(c.file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
	for name, file := range map[string]string{
		"keys of their own":   fan(plain("a"), plain("b"), "rules: [{name: r, event: after_node, nodes: [a], verdict: set, set: {k: 1}}, {name: q, event: after_node, nodes: [b], verdict: set, set: {q: 1}}]"),
		"one after the other": nodes("{name: a, kind: transform, template: x, default_next: b}", "{name: b, kind: transform, template: y, default_next: end}") + "rules: [{name: r, event: after_node, verdict: set, set: {k: 1}}]",
		"a rule that warns":   nodes("{name: d, kind: subgraph, use: deliberate, default_next: end}") + "rules: [{name: r, event: after_node, verdict: warn}]",
	} {
		if bad, _ := told(file); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

// TestCheck_HasNothingToSayAboutWhatComesWithTheProgram: authors begin with these.
func TestCheck_HasNothingToSayAboutWhatComesWithTheProgram(t *testing.T) {
	examples, err := definition.Examples()
	if err != nil || len(examples) < 12 {
		t.Fatal(err, len(examples))
	}
	texts := map[string]string{}
	for _, e := range examples {
		texts["example "+e.Name] = e.Text
	}
	for _, p := range definition.Patterns() {
		texts["pattern "+p.ID] = p.Text
	}
	for name, text := range texts {
		if bad, odd := told(text); bad != "" || odd != "" {
			t.Errorf("%s: %s %s", name, bad, odd)
		}
	}
	file := nodes("{name: a, kind: human, question: Go on, answers: [now, later], transitions: {now: b, later: end}}", "{name: b, kind: transform, template: x, default_next: end}")
	if _, odd := told(file); odd != "" {
		t.Errorf("each answer has its way, and it warns: %s", odd)
	}
	if _, odd := told(strings.Replace(file, ", later: end", "", 1)); !strings.Contains(odd, "the graph ends after a when none of its ways is taken") {
		t.Errorf("an answer has no way, and it says %q", odd)
	}
}

func TestCheck_ARouterMayEndACycleWithADefault(t *testing.T) {
	for name, file := range map[string]string{
		"a choice":      nodes("{name: a, kind: think, default_next: b}", "{name: b, kind: critique, inputs: [a_output], default_next: c}", `{name: c, kind: router, choices: [{to: end, when: "b_output.verdict == 'accept'"}], default_next: a}`),
		"a choice edge": nodes("{name: a, kind: think, default_next: b}", `{name: b, kind: router, choices: [{to: a, about: not good yet}], default_next: a}`) + "edges: [{from: b, to: end, type: choice}]",
		"in a subgraph": nodes(`{name: s, kind: subgraph, default_next: end, nodes: [{name: a, kind: think, default_next: c}, {name: c, kind: router, choices: [{to: end, when: "a_output contains 'x'"}], default_next: a}]}`),
	} {
		if bad, odd := told(file); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
}

// One mistake is told once, and nothing that only follows from it.
func TestCheck_AMistakeBringsNoOthersAlong(t *testing.T) {
	for name, c := range map[string]struct {
		file, want string
		n          int
	}{
		"a pattern that is not there": {nodes("{name: s, kind: subgraph, use: debat, with: {rounds: 3}, takes: {x: debate}, default_next: end}"), `"debat" is not known`, 1},
		"a template that is none":     {nodes("{name: a, kind: transform, template: 12, default_next: end}"), "this is a number; it must be a string", 1},
		"a template without a text":   {nodes("{name: a, kind: transform, template: , default_next: end}"), "this is empty; it must be a string", 1},
		"a name that is none":         {nodes("{name: a, kind: transform, template: x, default_next: b}", "{name: 12, kind: transform, template: x, default_next: end}", "{name: b, kind: transform, template: x, default_next: end}"), "this is a number; it must be a string", 1},
		"a way that is none":          {nodes("{name: a, kind: transform, template: x, default_next: 12}"), "this is a number; it must be a string", 1},
	} {
		_, err := definition.Parse([]byte(c.file))
		var found definition.Problems
		if !errors.As(err, &found) || len(found) != c.n || !strings.Contains(found[0].Message, c.want) {
			t.Errorf("%s: want %d with %q in\n%v", name, c.n, c.want, err)
		}
		if _, odd := told(c.file); odd != "" {
			t.Errorf("%s: it warns: %s", name, odd)
		}
	}
}

func TestCheck_RefusesWhatCanNeverWork(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"an empty text that its kind needs":   {nodes(`{name: a, kind: prompt, instructions: "", default_next: end}`), "line 3, column 43: nodes[0].instructions: instructions is empty, and a node of kind prompt needs it; write it"},
		"an empty question":                   {nodes(`{name: a, kind: human, question: "", default_next: end}`), "question is empty"},
		"an answer that nobody can choose":    {nodes(`{name: a, kind: human, question: Go on, answers: [now, " "], default_next: end}`), "nodes[0].answers[1]: nobody can choose an empty answer"},
		"the same answer twice":               {nodes(`{name: a, kind: human, question: Go on, answers: [now, later, Now], default_next: end}`), `nodes[0].answers[2]: "Now" stands twice; keep one of them`},
		"a loop without a round":              {nodes("{name: a, kind: loop, times: 0, nodes: [{name: b, kind: think, default_next: end}], default_next: end}"), "line 3, column 34: nodes[0].times: 0 is too small; use at least 1"},
		"a choice without a step":             {nodes("{name: a, kind: autonomous, max_steps: 0, pool: [{name: b, kind: answer}, {name: c, kind: think}], default_next: end}"), "nodes[0].max_steps: 0 is too small"},
		"a text as a list":                    {nodes(`{name: a, kind: fan_out, over: input, instructions: "{{ item }}", default_next: end}`), "nodes[0].over: input is a text, and fan_out works on a list"},
		"a member that no error has":          {nodes(`{name: a, kind: transform, template: "{{ error.knd }}", default_next: end}`), "there is no knd here; did you mean kind? Vars are declared under vars"},
		"a member that no error has, in when": {nodes("{name: a, kind: transform, template: x, default_next: end}") + `edges: [{from: a, to: end, when: "error.nod == 'x'"}]`, "there is no nod here; did you mean node?"},
	} {
		if bad, _ := told(c.file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
	if bad, _ := told(nodes(`{name: a, kind: transform, template: "{{ error.kind ?? 'none' }} {{ error.message }}", default_next: b}`, "{name: b, kind: transform, template: x, default_next: end}") + `edges: [{from: a, to: end, when: "error != nil && error.stage contains 'x'"}]`); bad != "" {
		t.Errorf("what an error has: %s", bad)
	}
}

func TestCheck_NamesTheLineWhereYAMLBreaks(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"a field that is not under its node": {"name: x\nnodes:\n  - name: a\n    kind: transform\n    template: x\n   default_next: end\n  - name: b\n    kind: think\n", "line 6, column 4: this is not YAML: this line is indented otherwise"},
		"a tab":                              {"name: x\nnodes:\n\t- {name: a}\n", "line 3, column 1: this is not YAML: this line begins with a tab"},
		"a colon in a text":                  {"name: x\nnodes:\n  - name: a\n    kind: human\n    question: What: this?\n    default_next: end\n", "line 5, column 15: this is not YAML: a text with a colon and a space in it needs quotes"},
		"a line that is too deep":            {"name: x\nnodes:\n  - name: a\n    kind: transform\n     template: x\n", "line 5, column 6: this is not YAML: this line is indented otherwise"},
		"a question between braces":          {nodes("{name: a, kind: human, question: How many nights?, default_next: end}"), `line 3, column 38: this is not YAML: a text with ? in it needs quotes between braces; write "How many nights?"`},
		"a question in the middle":           {nodes("{name: a, kind: human, question: Là? Oui, default_next: end}"), `write "Là? Oui"`},
		"a template without quotes":          {nodes("{name: a, kind: transform, template: {{ input }}, default_next: end}"), "line 3, column 43: nodes[0].template: a key must be a plain word; a text with {{ }} needs quotes"},
		"a template inside a text":           {nodes("{name: a, kind: transform, template: Hello {{ input }}, default_next: end}"), "line 3, column 42: this is not YAML: a text with {{ }} needs quotes"},
		"a rule that begins with !":          {"name: x\nnodes:\n  - name: r\n    kind: router\n    choices:\n      - {to: end, when: !input}\n", `line 6, column 25: this is not YAML: a text that begins with ! needs quotes; write "!input"`},
		"a text that begins with @":          {"name: x\nnodes:\n  - name: a\n    kind: prompt\n    instructions: @all hear\n", `line 5, column 19: this is not YAML: a text that begins with @ needs quotes; write "@all hear"`},
		"quotes inside quotes":               {"name: x\nnodes:\n  - name: a\n    kind: prompt\n    instructions: \"Say \"hi\" now\"\n    default_next: end\n", "line 5, column 19: this is not YAML: quotes inside a quoted text end it"},
		"a brace that is not closed":         {nodes("{name: a, kind: think, default_next: b", "{name: b, kind: think, default_next: end}"), "line 3, column 5: this is not YAML: { is opened here and not closed"},
		"what nobody knows a name for":       {"name: x\nnodes: \"open\n", "this is not YAML: "},
	} {
		if bad, _ := told(c.file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
}

// What the engine's rules find is said in the words of the file, at the field to change.
func TestCheck_SaysWhatToDoAboutWays(t *testing.T) {
	three := func(first, edges string) string {
		return nodes(first, "{name: b, kind: transform, template: x, default_next: d}", "{name: c, kind: transform, template: x, default_next: d}", "{name: d, kind: transform, template: x, default_next: end}") + "edges: [" + edges + "]"
	}
	for name, c := range map[string]struct{ file, want string }{
		"branches and another way":    {three("{name: a, kind: transform, template: x, default_next: b}", "{from: a, to: c, type: parallel_branch}, {from: a, to: d, type: parallel_branch}"), "line 3, column 59: nodes[0].default_next: a starts branches side by side (parallel_branch) and leads to another node as well; leave default_next"},
		"two ways and nothing chosen": {three("{name: a, kind: transform, template: x, default_next: b}", "{from: a, to: c}"), "line 3, column 59: nodes[0].default_next: a leads to several nodes and nothing says which"},
		"words of rules":              {nodes(`{name: a, kind: transform, template: "{{ args.x }}", default_next: end}`), "no node writes args; it can be read by rules at before_tool_call, after_tool_call"},
	} {
		if bad, _ := told(c.file); !strings.Contains(bad, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, bad)
		}
	}
	if bad, _ := told(nodes("{name: a, kind: fan_out, instructions: x, default_next: end}")); strings.Contains(bad, "writes ;") {
		t.Errorf("a key that is missing is told as one that nobody writes: %s", bad)
	}
}

// A call that its tool would refuse in every run is found before any.
func TestAgent_KnowsWhatToolsTake(t *testing.T) {
	tools := described(t, calculator.New(), post())
	for name, c := range map[string]struct{ file, want string }{
		"a misspelt argument":   {nodes(`{name: a, kind: tool, tool: calculator, arguments: {expresion: "1+1"}, default_next: end}`), "definition: line 3, column 57: nodes[0].arguments.expresion: calculator takes no expresion; did you mean expression? It takes expression"},
		"one that is missing":   {nodes("{name: a, kind: tool, tool: calculator, default_next: end}"), "nodes[0].arguments: calculator needs expression; add it to arguments"},
		"one of another type":   {nodes("{name: a, kind: tool, tool: calculator, arguments: {expression: [1]}, default_next: end}"), "line 3, column 69: nodes[0].arguments.expression: this is an array; it must be a string"},
		"for each item":         {nodes("{name: l, kind: transform, set: {l: [1]}, default_next: a}", `{name: a, kind: fan_out, over: l_output.l, tool: post, arguments: {txt: "{{ item }}"}, default_next: end}`), "post takes no txt; did you mean text?"},
		"deep inside the graph": {nodes("{name: l, kind: loop, default_next: end, nodes: [{name: a, kind: tool, tool: post, arguments: {text: 3}, default_next: end}]}"), "nodes[0].nodes[0].arguments.text: this is a number; it must be a string"},
	} {
		if _, err := definition.Agent([]byte(c.file), tools); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q in\n%v", name, c.want, err)
		}
	}
	for name, file := range map[string]string{
		"what a template makes":     nodes(`{name: a, kind: tool, tool: calculator, arguments: {expression: "{{ input }}"}, default_next: end}`),
		"what a rule sets":          nodes("{name: a, kind: tool, tool: calculator, default_next: end}") + "rules: [{name: r, event: before_tool_call, verdict: set, set: {expression: '1+1'}}]",
		"a tool of another program": nodes("{name: a, kind: tool, tool: office.post, arguments: {any: 1}, default_next: end}"),
	} {
		if _, err := definition.Agent([]byte(file), tools); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// In parallel a router has no default_next, so a rule that always holds is the only way to say
// "otherwise" without asking a model.
func TestCheck_ARouterWhoseLastRuleAlwaysHoldsIsComplete(t *testing.T) {
	for _, always := range []string{"true", "1 < 2"} {
		file := nodes(`{name: p, kind: parallel, default_next: end, nodes: [{name: r, kind: router, choices: [{to: a, when: "input == 'go'"}, {to: b, when: "`+always+`"}]}, {name: a, kind: transform, template: a}, {name: b, kind: transform, template: b}]}`,
			"{name: unused, kind: transform, template: x, default_next: end}")
		file = strings.Replace(file, "default_next: end, nodes", "default_next: unused, nodes", 1)
		if bad, odd := told(file); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", always, bad, odd)
		}
	}
}

func TestCheck_WarnsOfWhatAnIsolatedNodeNeverSees(t *testing.T) {
	for name, c := range map[string]struct{ node, want string }{
		"a key":       {`{name: a, kind: transform, flags: [isolated_context], template: "{{ kept }} {{ input }}", default_next: end}`, "so kept, input always reads as missing in a"},
		"a var":       {`{name: a, kind: prompt, flags: [isolated_context], inputs: [kept], instructions: "{{ vars.tone }} {{ kept }}", default_next: end}`, "so vars always reads as missing in a"},
		"an output":   {"{name: a, kind: think, flags: [isolated_context], inherit_context_from: [s], default_next: end}", "so s_output always reads as missing in a"},
		"an input":    {`{name: a, kind: transform, flags: [isolated_context], inputs: [kept, input], template: "{{ kept }} {{ input }} {{ run.tokens }}", default_next: end}`, ""},
		"no template": {"{name: a, kind: think, flags: [isolated_context], inputs: [kept], default_next: end}", ""},
	} {
		bad, odd := told(nodes("{name: s, kind: transform, template: x, output: kept, default_next: a}", c.node))
		if bad != "" || c.want == "" && odd != "" || !strings.Contains(odd, c.want) {
			t.Errorf("%s: want %q in\n%s\n%s", name, c.want, bad, odd)
		}
	}
}

// "It says that my steps go round for ever because of a text that another node writes."
func TestCheck_ANodeWithoutAnOutputSaysNothingOfCounts(t *testing.T) {
	for _, rule := range []string{"size(m) == 3", "len(m) > 3", `lower(m) == "x"`, `m[0] == "x"`} {
		bad, odd := told(nodes("{name: a, kind: prompt, instructions: x, output: m, default_next: b}", "{name: b, kind: prompt, instructions: y, output: q, default_next: a}",
			"{name: c, kind: transform, template: done, default_next: end}") + "edges: [{from: b, to: c, when: " + quoteRule(rule) + "}]")
		if bad != "" || strings.Contains(odd, "never") {
			t.Errorf("%s: %q %q", rule, bad, odd)
		}
	}
}

// "My graph goes round for ever, and check only shrugged."
func TestCheck_RefusesCyclesWhoseWayOutIsBeyondWhatIsKnown(t *testing.T) {
	const b = "{name: b, kind: prompt, instructions: x, output: q, default_next: a}"
	for name, c := range map[string][3]string{
		"above a number":           {"{name: a, kind: transform, set: {n: 1}, output: k, default_next: b}", "k.n > 5", "k.n is always 1"},
		"another than the only":    {"{name: a, kind: transform, set: {n: 1}, output: k, default_next: b}", "k.n != 1", "k.n is always 1"},
		"a template of a constant": {"{name: a, kind: transform, template: '{{ 1 + 1 }}', output: k, default_next: b}", `k == "3"`, `k is always "2"`},
		"fewer than none":          {"{name: a, kind: prompt, instructions: x, output: k, default_next: b}", "size(k) < 0", "never ends"},
		"none and some":            {"{name: a, kind: prompt, instructions: x, output: k, default_next: b}", "size(k) <= 0 && size(k) > 0", "never ends"},
	} {
		if bad, _ := told(nodes(c[0], b) + "edges: [{from: b, to: end, when: " + quoteRule(c[1]) + "}]"); !strings.Contains(bad, "never ends") || !strings.Contains(bad, c[2]) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	back := nodes("{name: a, kind: prompt, instructions: x, output: k, default_next: b}", "{name: b, kind: transform, template: y, default_next: end}") + "edges: [{from: b, to: a, when: "
	for _, rule := range []string{"size(input) > 0 || size(input) == 0", `input == "x" || input != "x"`} {
		if bad, _ := told(back + quoteRule(rule) + "}]"); !strings.Contains(bad, "never ends") || !strings.Contains(bad, "always holds") {
			t.Errorf("%s: %s", rule, bad)
		}
	}
	// What may be missing decides nothing then.
	if bad, _ := told(back + quoteRule(`k == "x" || k != "x"`) + "}]"); bad != "" {
		t.Error(bad)
	}
}

// "The rule that was to stop the tool was about a tool that is not there, and nobody said so."
func TestCheck_R78_ARuleIsAboutWhatIsThere(t *testing.T) {
	const node = "{name: ask, kind: act, tools: [post], default_next: end}"
	for rule, want := range map[string]string{
		"event: before_tool_call, tools: [pots], verdict: refuse":                                           "rules[0].tools[0]: there is no tool pots; did you mean post?",
		"event: before_tool_call, tools: [nope_*], verdict: refuse":                                         "rules[0].tools[0]: there is no tool nope_*",
		"event: before_tool_call, nodes: [b_*], verdict: refuse":                                            "rules[0].nodes[0]: no node is called like b_*",
		"event: before_tool_call, verdict: refuse, when: \"tool.nam == 'post'\"":                            "tool has no nam; did you mean name?",
		"event: before_tool_call, verdict: refuse, when: {key: tool.nam, equals: post}":                     "tool has no nam; did you mean name?",
		"event: before_tool_call, tools: [post], verdict: refuse, when: \"args.txt == 'x'\"":                "post takes no txt; did you mean text?",
		"event: on_observable_event, verdict: warn, when: \"metrics.token > 3\"":                            "metrics has no token; did you mean tokens?",
		"event: before_tool_call, tools: [post], verdict: set, set: {text: \"{{ tool.nam }}\"}":             "tool has no nam",
		"event: before_tool_call, tools: [p*, office.*], nodes: ['as?'], verdict: refuse, when: \"args.x\"": "",
		"event: before_tool_call, verdict: refuse, when: \"tool.server == 'office' && args.text == 'x'\"":   "",
		"event: before_tool_call, tools: ['*'], verdict: refuse, when: \"args.anything == 'x'\"":            "",
		"event: after_tool_call, tools: [post], verdict: warn, when: \"failed && args.text == tool.name\"":  "",
	} {
		_, err := definition.Agent([]byte(nodes(node)+"rules: [{name: r, reason: x, "+rule+"}]"), tools(t))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", rule, err, want)
		}
	}
}

// "It ran through without choosing anything."
func TestCheck_WarnsOfARouterThatCannotChooseWithoutAValue(t *testing.T) {
	graph := func(a, r string) string {
		_, odd := told(nodes("{name: a, kind: prompt, instructions: x, output: k, "+a+"default_next: r}", "{name: r, kind: router, "+r+"choices: [{to: b, when: \"k.v == 'a'\"}, {to: c, when: \"k.v != 'a'\"}]}",
			"{name: b, kind: transform, template: y, default_next: end}", "{name: c, kind: transform, template: y, default_next: end}"))
		return odd
	}
	if odd := graph("", ""); !strings.Contains(odd, "no rule of r holds when k has no value, and r fails then") {
		t.Error(odd)
	}
	for _, odd := range []string{graph("on_error: c, ", ""), graph("", "default_next: c, ")} {
		if strings.Contains(odd, "has no value") {
			t.Error(odd)
		}
	}
}

// "The count was always empty": a loop counts its rounds inside only.
func TestCheck_WarnsOfACountOfRoundsOutsideOfItsLoop(t *testing.T) {
	const loop = "{name: l, kind: loop, until: 'l_rounds > 1', nodes: [{name: i, kind: transform, template: '{{ l_rounds }}', default_next: end}], default_next: z}"
	for z, want := range map[string]string{"{name: z, kind: transform, template: '{{ l_rounds }}', default_next: end}": "l_rounds is counted inside l", "{name: z, kind: transform, template: done, default_next: end}": ""} {
		if bad, odd := told(nodes(loop, z)); bad != "" || (want == "") != (odd == "") || !strings.Contains(odd, want) {
			t.Errorf("%s: %q %q", z, bad, odd)
		}
	}
	if bad, odd := told(nodes(loop, "{name: z, kind: transform, template: done, default_next: end}") + "edges: [{from: l, to: end, type: safety, when: 'l_rounds > 1'}]"); bad != "" || !strings.Contains(odd, "l_rounds is counted inside l") {
		t.Errorf("%q %q", bad, odd)
	}
}

// "It told me to use parallel_branch, and what was wrong was that I had said the same twice."
func TestCheck_ANodeMayNameItsJoinTwice(t *testing.T) {
	if bad, _ := told(nodes("{name: s, kind: transform, template: s}", "{name: a, kind: transform, template: a, default_next: j}", "{name: b, kind: transform, template: b, default_next: j}", "{name: j, kind: transform, template: j, default_next: end}") +
		"edges: [{from: s, to: a, type: parallel_branch}, {from: s, to: b, type: parallel_branch}, {from: a, to: j, type: join_input}, {from: b, to: j, type: join_input}]"); bad != "" {
		t.Error(bad)
	}
}

func TestCheck_TellsEachMistakeInItsOwnWords(t *testing.T) {
	for file, want := range map[string]string{
		nodes("{name: a, kind: transform, template: '{{ input.foo }}', default_next: end}") + "vars: {o: {type: string, default: x}}":                                                       "a text has no members, so there is no foo",
		nodes("{name: a, kind: transform, template: '{{ vars.n.a }}', default_next: end}") + "vars: {n: {type: integer, default: 3}}":                                                       "a number has no members, so there is no a",
		nodes("{name: a, kind: transform, template: '{{ vars.n.b }}', default_next: end}") + "vars: {n: {type: boolean, default: true}}":                                                    "true and false have no members, so there is no b",
		nodes("{name: a, kind: prompt, instructions: x, flags: [validate_output], max_retries: 3, default_next: end}"):                                                                      "max_retries works with the flag retryable",
		nodes("{name: a, kind: router, choices: [{to: b, about: 'a {{ b_output }}'}, {to: end, about: x}], default_next: b}", "{name: b, kind: transform, template: x, default_next: end}"): "about is not a template",
	} {
		if bad, odd := told(file); !strings.Contains(bad+odd, want) {
			t.Errorf("want %q in %s %s", want, bad, odd)
		}
	}
}

// "I mended what it told me, and then it told me of the next one in the same text."
func TestCheck_TellsEveryMistakeOfATemplate(t *testing.T) {
	_, err := definition.Agent([]byte(`name: x
vars: {who: {type: string, default: x}}
nodes:
  - name: a
    kind: prompt
    instructions: "Say {{ size( }} of {{ vars.whom }} to {{ vars.who }} and {{ input.foo }}."
    default_next: b
  - name: b
    kind: transform
    template: "{{ input + 1 }}, {{if lower(3) }}yes{{end}}"
    default_next: end
`), described(t, calculator.New()))
	if err == nil {
		t.Fatal("it passes")
	}
	for _, want := range []string{"line 6, column 32: ", "there is no whom here", "a text has no members, so there is no foo", "line 10, column 25: ", "line 10, column 44: "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in\n%s", want, err)
		}
	}
}

// "I wrote max_mutations: 0, so that nothing may be changed, and it changed the graph ten times."
func TestCheck_ALimitOfNothingIsRefused(t *testing.T) {
	for field, at := range map[string]string{"max_mutations: 0": "limits.max_mutations", "max_tokens: 0": "limits.max_tokens", "max_time: 0s": "limits.max_time", "max_iterations: 0": "limits.max_iterations", "cycle: 0": "limits.cycle"} {
		_, err := definition.Parse([]byte("name: x\nlimits: {" + field + "}\nnodes: [{name: a, kind: transform, template: x, default_next: end}]\n"))
		if err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestCheck_WarnsOfWhatIsReadBeforeItIsThere: a branch that reads what another one writes side
// by side runs without it, and nobody says so.
func TestCheck_WarnsOfWhatIsReadBeforeItIsThere(t *testing.T) {
	const model = "kind: prompt, instructions: x"
	edges := "edges:\n  - {from: s, to: a, type: parallel_branch}\n  - {from: s, to: b, type: parallel_branch}\n  - {from: a, to: j, type: join_input}\n  - {from: b, to: j, type: join_input}\n"
	forked := func(a, b string) string {
		return nodes("{name: s, kind: transform, template: x}", "{name: a, "+a+", output: o}", "{name: b, "+b+"}", "{name: j, kind: answer, inputs: [o, b_output]}") + edges
	}
	side := func(a, b, next string) string {
		return nodes("{name: p, kind: parallel, default_next: "+next+", nodes: [{name: a, "+a+", output: o}, {name: b, "+b+"}]}", "{name: z, kind: answer, inputs: [o]}")
	}
	for name, c := range map[string]struct{ file, want string }{
		"an input of a branch":            {side(model, model+", inputs: [o]", "z"), "line 3, column 159: nodes[0].nodes[1].inputs[0]: a and b run side by side, so o may not be there yet"},
		"a template of a branch":          {side(model, "kind: transform, template: 'so: {{ o }}'", "z"), "a and b run side by side"},
		"what a branch inherits":          {side(model, model+", inherit_context_from: [a]", "z"), "a and b run side by side, so a_output"},
		"what is deep inside of branches": {side(model, "kind: subgraph, nodes: [{name: c, "+model+", default_next: d}, {name: d, kind: transform, template: '{{ o }}', default_next: end}]", "z"), "a and d run side by side"},
		"the list of a fan-out":           {side("kind: plan", "kind: fan_out, over: o.steps, instructions: x", "z"), "a and b run side by side, so o"},
		"arguments of a call":             {side(model, "kind: tool, tool: post, arguments: {text: '{{ o }}'}", "z"), "a and b run side by side"},
		"a rule of a router":              {side(model, "kind: router, choices: [{to: end, when: 'size(o) > 3'}, {to: end, when: 'true'}]", "z"), "a and b run side by side"},
		"along edges":                     {forked(model, model+", inputs: [o]"), "a and b run side by side, so o"},
		"behind the first of a branch": {nodes("{name: s, kind: transform, template: x}", "{name: a, "+model+", output: o}", "{name: b, "+model+", default_next: b2}", "{name: b2, "+model+", inputs: [o]}", "{name: j, kind: answer, inputs: [o]}") +
			strings.Replace(edges, "from: b, to: j", "from: b2, to: j", 1), "a and b2 run side by side"},
		"what comes later":            {nodes("{name: a, kind: transform, template: '{{ o }}', default_next: b}", "{name: b, "+model+", output: o, default_next: end}"), "b never runs before a, so o always reads as missing"},
		"a way that was not taken":    {nodes("{name: r, kind: router, choices: [{to: a, about: x}, {to: b, about: y}], default_next: end}", "{name: a, "+model+", output: o, default_next: end}", "{name: b, "+model+", inputs: [o], default_next: end}"), "a never runs before b"},
		"its own output":              {nodes("{name: a, kind: transform, template: '{{ a_output ?? 1 }}', default_next: end}"), "a runs once and reads what it puts out itself"},
		"of a fan-out its own":        {nodes("{name: q, kind: plan, output: s, default_next: a}", "{name: a, kind: fan_out, over: s.steps, instructions: '{{ item }} {{ o }}', output: o, default_next: end}"), "a runs once"},
		"what a pattern gives":        {side("kind: subgraph, use: verify, takes: {v: verdict}", model+", inputs: [v]", "z"), "a and b run side by side, so v"},
		"what is handed to a pattern": {side(model, "kind: subgraph, use: verify, with: {input: '{{ o }}'}", "z"), "a and b run side by side, so o"},
		"a cache that runs once":      {nodes("{name: a, " + model + ", output: o, flags: [cacheable], default_next: end}"), "a runs once, so cacheable has no effect"},
	} {
		if bad, odd := told(c.file); bad != "" || strings.Count(odd, c.want) != 1 {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
	loop := func(file string) string {
		return strings.Replace(strings.Replace(file, "nodes:\n  - {name: p", "nodes:\n  - {name: l, kind: loop, default_next: end, nodes: [{name: p", 1), "\n  - {name: z, kind: answer, inputs: [o]}", "]}", 1)
	}
	for name, file := range map[string]string{
		"two sides that hear each other in rounds": loop(side(model, model+", inputs: [o]", "end")),
		"a cycle of edges":                         strings.Replace(side(model, model+", inputs: [o]", "z"), "{name: z, kind: answer, inputs: [o]}", "{name: z, kind: router, choices: [{to: p, about: x}, {to: end, about: y}], default_next: end}", 1),
		"a pool":                                   nodes("{name: l, kind: autonomous, default_next: end, pool: [{name: a, " + model + ", inputs: [o]}, {name: b, kind: answer, output: o}]}"),
		"the loop's own output":                    nodes("{name: l, kind: loop, output: o, until: \"o == 'x'\", default_next: end, nodes: [{name: a, " + model + ", inputs: [o, l_output], default_next: end}]}"),
		"a router that leads to another branch":    nodes("{name: p, kind: parallel, default_next: end, nodes: [{name: a, kind: router, choices: [{to: b, about: x}, {to: c, about: y}]}, {name: b, " + model + ", inputs: [a_output]}, {name: c, " + model + "}]}"),
		"behind the join":                          forked(model, model),
		"the way that on_error leads to":           nodes("{name: a, "+model+", output: o, on_error: b, default_next: b}", "{name: b, "+model+", inputs: [o], default_next: end}"),
		"the node of too many runs":                nodes("{name: a, "+model+", output: o, default_next: end}", "{name: __error__, kind: transform, template: '{{ o }}', default_next: end}"),
		"what is worked out before":                nodes("{name: a, kind: prompt, instructions: '{{ b }}', before: {b: '{{ input }}'}, default_next: end}"),
		"what a rule may write": nodes("{name: a, kind: transform, template: '{{ o }}', default_next: b}", "{name: b, "+model+", output: o, default_next: end}") +
			"rules: [{name: r, event: before_node, nodes: [a], verdict: set, set: {o: x}}]",
	} {
		if bad, odd := told(file); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
}

// TestCheck_WarnsOfRoundsThatChangeNothing: what failed once is tried again with the same.
func TestCheck_WarnsOfRoundsThatChangeNothing(t *testing.T) {
	const model = "kind: prompt, instructions: x"
	retry := func(inner, until string) string {
		return nodes("{name: r, kind: retry, default_next: end, until: " + quoteRule(until) + ", nodes: [{name: a, " + inner + ", output: o}]}")
	}
	loop := func(until string, inner ...string) string {
		return nodes("{name: q, kind: human, question: x, output: p, default_next: l}", "{name: l, kind: loop, default_next: end, until: "+quoteRule(until)+", nodes: ["+strings.Join(inner, ", ")+"]}")
	}
	still := map[string]string{
		"a retry of a template":                       retry("kind: transform, template: '{{ input }}!'", `o contains "good"`),
		"a retry of what is kept":                     retry(model+", flags: [cacheable]", `o contains "good"`),
		"by the name of the retry":                    retry(model+", flags: [cacheable]", `r_output contains "good"`),
		"one test of a value":                         retry("kind: transform, template: '{{ input }}!'", `{key: o, contains: good}`),
		"a loop by a value from before it":            loop(`p == "stop"`, "{name: a, "+model+", default_next: end}"),
		"a cached call":                               loop(`o == "good"`, "{name: a, kind: tool, tool: echo, arguments: {value: '{{ p }}'}, flags: [cacheable, readonly], output: o, default_next: end}"),
		"a chain of what stays":                       loop(`o2 == "good"`, "{name: a, kind: transform, pick: p, output: o1, default_next: b}", "{name: b, kind: transform, template: '{{ o1 }}!', output: o2, default_next: c}", "{name: c, "+model+", default_next: end}"),
		"a guard that sends back to what is the same": nodes("{name: a, kind: transform, template: '{{ input }}', output: o, default_next: g}", "{name: g, kind: guard, inputs: [o], guards: [{lacks: '[0-9]', action: retry}], retry_at: a, default_next: end}"),
	}
	for name, file := range still {
		if bad, odd := told(file); bad != "" || !strings.Contains(odd, "says the same after each") && !strings.Contains(odd, "goes round for ever") || strings.Count(odd, "line ") != 1 {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
	for name, file := range map[string]string{
		"a model":                     retry(model, `o contains "good"`),
		"a call":                      retry("kind: tool, tool: echo", `o == "good"`),
		"whether there is a value":    retry(model+", flags: [cacheable]", `o != nil`),
		"a cache that a count opens":  loop(`o == "good"`, "{name: a, kind: prompt, instructions: 'draft {{ l_rounds }}', flags: [cacheable], output: o, default_next: end}"),
		"a cache behind a change":     loop(`o == "good"`, "{name: w, kind: tool, tool: post, default_next: a}", "{name: a, "+model+", flags: [cacheable], output: o, default_next: end}"),
		"a cache that sees results":   loop(`o == "good"`, "{name: w, kind: act, flags: [readonly], default_next: a}", "{name: a, "+model+", flags: [cacheable], output: o, default_next: end}"),
		"how often it went round":     loop(`run.rounds > 1`, "{name: a, kind: transform, template: x, default_next: end}"),
		"a setting of the run":        "vars: {quick: {type: boolean, default: false}}\n" + loop(`vars.quick`, "{name: a, "+model+", default_next: end}"),
		"what is not in every round":  loop(`d == "yes"`, "{name: a, kind: router, choices: [{to: b, about: x}, {to: c, about: y}], default_next: c}", "{name: b, kind: transform, template: '{{ input }}', output: d, default_next: end}", "{name: c, "+model+", default_next: end}"),
		"what a rule may pass over":   loop(`d == "yes"`, "{name: a, kind: transform, template: '{{ input }}', output: d, default_next: end}") + "rules: [{name: r, event: before_node, nodes: [a], when: 'run.tokens < 9', verdict: skip}]",
		"a guard that a model judges": nodes("{name: a, kind: transform, template: '{{ input }}', output: o, default_next: g}", "{name: g, kind: guard, inputs: [o], guards: [{ask: 'Is it good?', action: retry}], retry_at: a, default_next: end}"),
		"a cycle with a way round": nodes("{name: r, kind: router, choices: [{to: m, about: enough}, {to: w, about: more}], default_next: w}", "{name: m, kind: transform, template: 'yes', output: d, default_next: c}",
			"{name: w, "+model+", default_next: c}", "{name: c, kind: transform, template: x, default_next: r}") + "edges: [{from: c, to: end, when: \"(d ?? 'no') == 'yes'\"}]",
	} {
		if bad, odd := told(file); bad != "" || odd != "" {
			t.Errorf("%s: %q, %q", name, bad, odd)
		}
	}
}

// TestCheck_R15_AJoinHasNoOtherWaysInFromItsBranches: it would run for each of them, and once
// more for those that it waits for.
func TestCheck_R15_AJoinHasNoOtherWaysInFromItsBranches(t *testing.T) {
	fork := func(b, edges string, more ...string) string {
		return nodes(append([]string{"{name: s, kind: transform, template: x}", "{name: a, kind: transform, template: x}", "{name: b, " + b + "}", "{name: j, kind: transform, template: x, default_next: end}"}, more...)...) +
			"edges:\n  - {from: s, to: a, type: parallel_branch}\n  - {from: s, to: b, type: parallel_branch}\n  - {from: a, to: j, type: join_input}\n" + edges
	}
	c, joins, rule := "{name: c, kind: transform, template: x}", "  - {from: c, to: j, type: join_input}\n", "  - {from: b, to: j, when: \"input == 'x'\"}\n"
	const add, before = "add {from: b, to: j, type: join_input} to the edges", "lead to a node of its own first"
	for name, each := range map[string][2]string{
		"a default":            {fork("kind: transform, template: x, default_next: j", joins, "{name: c, kind: transform, template: x, default_next: s}"), add},
		"a choice":             {fork("kind: router, choices: [{to: j, about: x}, {to: c, about: y}], default_next: j", joins, c), add},
		"a choice of a model":  {fork("kind: prompt, instructions: x, routes: [j], default_next: c", joins, c), before},
		"a rule":               {fork("kind: transform, template: x, default_next: c", joins+rule, c), before},
		"a failure":            {fork("kind: transform, template: x, on_error: j, default_next: c", joins, c), before},
		"an answer":            {fork("kind: human, question: x, answers: [y, z], transitions: {y: j, z: c}, default_next: c", joins, c), before},
		"deep inside a branch": {fork("kind: transform, template: x, default_next: c", "  - {from: a2, to: j, type: join_input}\n  - {from: a, to: a2, type: sequence}\n", "{name: c, kind: transform, template: x, default_next: j}", "{name: a2, kind: transform, template: x}"), "add {from: c, to: j"},
		"behind another join": {fork("kind: transform, template: x", "  - {from: b, to: b1, type: parallel_branch}\n  - {from: b, to: b2, type: parallel_branch}\n  - {from: b1, to: jb, type: join_input}\n  - {from: b2, to: jb, type: join_input}\n  - {from: d, to: j, type: join_input}\n  - {from: a, to: d, type: sequence}\n",
			"{name: b1, kind: transform, template: x}", "{name: b2, kind: transform, template: x}", "{name: jb, kind: transform, template: x, default_next: j}", "{name: d, kind: transform, template: x}"), "add {from: jb, to: j"},
		"the fork itself": {fork("kind: transform, template: x", "  - {from: b, to: j, type: join_input}\n  - {from: s, to: j, type: parallel_branch}\n"), "write type: join_input"},
	} {
		if bad, _ := told(each[0]); !strings.Contains(bad, each[1]) || strings.Count(bad, "run more than once")+strings.Count(bad, "begin it besides") != 1 {
			t.Errorf("%s: %s", name, bad)
		}
	}
	again := "  - {from: b, to: j, type: join_input}\n"
	for name, file := range map[string]string{
		"a choice that is declared":    fork("kind: router, choices: [{to: j, when: \"input == 'x'\"}, {to: j, about: else}]", again),
		"a failure that is declared":   fork("kind: transform, template: x, on_error: j", again),
		"a default that is declared":   fork("kind: transform, template: x, default_next: j", again),
		"back to the join from behind": strings.Replace(fork("kind: transform, template: x", again, "{name: r, kind: router, choices: [{to: j, about: again}, {to: end, about: done}], default_next: end}"), "{name: j, kind: transform, template: x, default_next: end}", "{name: j, kind: transform, template: x, default_next: r}", 1),
	} {
		if bad, odd := told(file); bad != "" || odd != "" {
			t.Errorf("%s: %q %q", name, bad, odd)
		}
	}
}

// TestCheck_ANodeWithRoutesPutsOutItsText: what reads the text of {text, route} is told that
// nothing is around it.
func TestCheck_ANodeWithRoutesPutsOutItsText(t *testing.T) {
	file := func(ask, read string) string {
		return nodes("{name: a, kind: prompt, instructions: x, routes: [b, end], output: o"+ask+", default_next: b}", "{name: b, "+read+", default_next: end}")
	}
	for name, read := range map[string]string{
		"a template":             "kind: transform, template: 'so: {{ upper(a_output.text) }}'",
		"the older form":         "kind: transform, template: 'so: {{upper .o.text}}'",
		"a path":                 "kind: transform, pick: o.text",
		"an input":               "kind: prompt, instructions: x, inputs: [o.text]",
		"a rule":                 "kind: router, choices: [{to: end, when: \"o.text == 'x'\"}, {to: end, when: 'true'}]",
		"a test":                 "kind: router, choices: [{to: end, when: {key: o.text, equals: x}}, {to: end, when: 'true'}]",
		"a question of a member": "kind: transform, template: \"{{ o?.text ?? '' }}\"",
	} {
		if bad, _ := told(file("", read)); strings.Count(bad, "what a puts out is its text, without the route") != 1 {
			t.Errorf("%s: %s", name, bad)
		}
		for _, ask := range []string{", after: '{{ output }}'", ", output_schema: {type: object, properties: {text: {type: string}, route: {type: string}}}"} {
			if bad, odd := told(file(ask, read)); bad != "" || odd != "" {
				t.Errorf("%s %s: %s %s", name, ask, bad, odd)
			}
		}
	}
}
