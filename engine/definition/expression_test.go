package definition_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/definition"
	"holdpoint/engine/expression"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func TestExpression_mistakes_have_their_place_in_the_file(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"in quotes":         {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "score >= 1"}]`), "7:33 edges[0].when no node writes score"},
		"plain":             {one("  - {name: b, kind: think}", "edges:", "  - from: a", "    to: b", "    when: input == 'x' && scroe > 1", "    priority: 1"), "10:27 edges[0].when no node writes scroe"},
		"a misprint":        {one("    output: score", "  - {name: b, kind: think}", `edges: [{from: a, to: b, when: 'scor >= 1'}]`), "8:33 edges[0].when no node writes scor; did you mean score?"},
		"unfinished":        {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "input =="}]`), "7:41 edges[0].when something is missing at the end"},
		"types":             {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "input > 3"}]`), "7:39 edges[0].when > does not go between a text and a number"},
		"with escapes":      {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "input == \"x\" && b == 1"}]`), "7:32 edges[0].when at character 17: no node writes b;"},
		"folded":            {one("  - {name: b, kind: think}", "edges:", "  - from: a", "    to: b", "    when: >-", "      input == 'x' &&", "      scroe > 1"), "10:11 edges[0].when at character 17: no node writes scroe"},
		"of a router":       {"name: x\nnodes: [{name: a, kind: router, choices: [{to: b, when: 'x > 1'}, {to: b, about: y}]}, {name: b, kind: think}]", "2:58 nodes[0].choices[0].when no node writes x"},
		"of a loop":         {"name: x\nnodes: [{name: a, kind: loop, until: 'b_outptu > 1', nodes: [{name: b, kind: think}]}]", "2:39 nodes[0].until no node writes b_outptu; did you mean b_output?"},
		"empty":             {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: ""}]`), "7:32 edges[0].when this text is empty"},
		"too long":          {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "`+strings.Repeat("x", 600)+`"}]`), "7:32 edges[0].when this text has 600 characters"},
		"a number":          {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: 5}]`), "7:32 edges[0].when this is a number; it must be a string or object"},
		"begins with a not": {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: !done }]`), "in quotes"},
		"no test":           {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: {equals: 1}}]`), "7:32 edges[0].when key is missing"},
	} {
		var got []string
		for _, p := range problems(t, c.file) {
			got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, p.Path, p.Message))
		}
		if !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, strings.Join(got, "\n"))
		}
	}
}

func TestExpression_decides_on_edges_routers_and_loops(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: list, kind: transform, set: {score: 0.9, items: [1, 2]}, output: draft, default_next: low}
  - {name: sort, kind: router, choices: [{to: low, when: "draft.score < 0.5"}, {to: rounds, when: "draft.scores[3] > 1"}, {to: rounds, when: "any(draft.items, # == 2)"}], default_next: end}
  - {name: low, kind: transform, template: low, default_next: end}
  - {name: rounds, kind: loop, times: 3, until: "'again' in [rounds_output] && size(input) > 1", nodes: [{name: b, kind: transform, template: again}], default_next: end}
edges:
  - {from: list, to: sort, when: "draft.score >= 0.8 && size(draft.items) > 0"}
`)
	out := d.status(d.run(a, "go"), run.Completed)
	sameList(t, "the path", d.path(out), []string{"list>sort(conditional)", "sort>rounds(goto)", "rounds/b>rounds/rounds_check(static)", "rounds/rounds_check>rounds/end(static)", "rounds>end(static)"})
	for _, e := range d.of(out, journal.Transition) {
		if e.From == "list" && e.Condition != "draft.score >= 0.8 && size(draft.items) > 0" {
			t.Errorf("the edge says %q", e.Condition)
		}
	}
	// A rule that cannot be decided is told, and does not hold.
	warned := d.of(out, journal.Warned)
	if len(warned) != 1 || !strings.Contains(warned[0].Reason, "draft.scores[3] > 1: the rule cannot be decided") {
		t.Errorf("warnings are %+v", warned)
	}
	// The manifest and the fingerprint name the rule.
	m := a.Graph.Manifest()
	if len(m.Conditions) != 1 || m.Conditions[0].Test != "draft.score >= 0.8 && size(draft.items) > 0" || m.Conditions[0].Key != "" {
		t.Errorf("the manifest's rules are %+v", m.Conditions)
	}
	other := a.Definition
	other.Edges = []definition.Edge{{From: "list", To: "sort", When: &definition.When{Expression: "draft.score >= 0.7 && size(draft.items) > 0"}}}
	if d.agent(other).Graph.Fingerprint() == a.Graph.Fingerprint() {
		t.Error("another rule has the same fingerprint")
	}
	// Written to JSON and back it is the same rule.
	raw, err := json.Marshal(a.Definition)
	if err != nil {
		t.Fatal(err)
	}
	var back definition.Definition
	if err := json.Unmarshal(raw, &back); err != nil || d.agent(back).Graph.Fingerprint() != a.Graph.Fingerprint() {
		t.Errorf("after JSON the graph is another (%v)", err)
	}
}

// TestExpression_cost_is_bounded: the dearest expressions on the largest values that
// are read cost little time and memory.
func TestExpression_cost_is_bounded(t *testing.T) {
	long, list := strings.Repeat("a", 120_000), "["+strings.TrimSuffix(strings.Repeat("1,", 60_000), ",")+"]"
	context := map[string]json.RawMessage{"s": json.RawMessage(`"` + long + `"`), "l": json.RawMessage(list), "deep": json.RawMessage(strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)),
		"huge": json.RawMessage(`"` + strings.Repeat("a", 300<<10) + `"`)}
	for text, want := range map[string]string{
		`s matches "(a*)*(a*)*(a*)*(a*)*b"` + strings.Repeat(` || s matches "(a|aa)+b"`, 3): "",
		"s" + strings.Repeat("+s", 60) + " == 'x'":                                          "",
		"all(l, # == 1)" + strings.Repeat(" && all(l, # == 1)", 20):                         "",
		"all(l, # < 2 && # < s)":                                                            "< does not go between a number and a text",
		"deep == deep && deep == [deep]":                                                    "",
		"huge == 'x'":                                                                       "too long",
		"s contains 'b'" + strings.Repeat(" || s contains 'ab'", 20):                        "",
	} {
		e, err := expression.Compile(text)
		if err != nil {
			t.Errorf("%.60s: %v", text, err)
			continue
		}
		var before, after runtime.MemStats
		unit := readingAMegabyte(t)
		runtime.ReadMemStats(&before)
		began := time.Now()
		_, err = e.Eval(context)
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
		t.Logf("%.40s: %.1f units", text, float64(took)/float64(unit))
		if grew := (after.TotalAlloc - before.TotalAlloc) >> 20; took > bombTime*unit || grew > 600 {
			t.Errorf("%.60s took %v, %d times what reading a megabyte of JSON takes here, and %d MB", text, took, took/unit, grew)
		}
	}
}
