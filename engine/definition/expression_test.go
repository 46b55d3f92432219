package definition_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

// values is a context out of JSON.
func values(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	var out map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestExpression_answers_for_the_values_of_a_context(t *testing.T) {
	context := values(t, `{"input":"Hello","vars":{"tone":"plain","most":"3"},"score":0.9,"whole":3,"big":9007199254740993,"items":[1,2.5,3],"names":["a","b"],
		"draft":{"verdict":"accept","claims":[{"text":"x","sure":0.7}]},"said":"Here you are: {\"verdict\":\"revise\"}","done":true,"none":[]}`)
	for text, want := range map[string]bool{
		"score >= 0.8 && size(items) > 0":        true,
		"score >= 0.95 || len(none) == 0":        true,
		"score > 1":                              false,
		"missing":                                false,
		"draft.nothing":                          false,
		"whole == 3":                             true,
		"whole == 3.0":                           true,
		"big == 9007199254740993":                true,
		"big == 9007199254740992":                false,
		"done":                                   true,
		"not done":                               false,
		`draft.verdict == "accept"`:              true,
		`draft["verdict"] == 'accept'`:           true,
		"draft.claims[0].sure > 0.5":             true,
		"all(draft.claims, .sure > 0.5)":         true,
		"all(items, # < whole)":                  false,
		"any(items, # == 2.5)":                   true,
		"count(items, # > 1) == 2":               true,
		"one(names, # == 'b')":                   true,
		"none(names, # startsWith 'c')":          true,
		"sum(items) == 6.5":                      true,
		"max(items) == 3":                        true,
		"'a' in names":                           true,
		"vars.tone in ['plain', 'warm']":         true,
		"int(vars.most) == whole":                true,
		`lower(input) contains "hell"`:           true,
		`input matches "^H.+o$"`:                 true,
		`said.verdict == "revise"`:               true, // a model's JSON may arrive as text
		"said contains 'Here'":                   true,
		"draft.nothing == nil":                   true,
		"(draft?.nothing?.more ?? 7) == 7":       true,
		"missing == nil":                         true,
		"size(missing) == 0":                     true,
		"size(input) == 5":                       true,
		"whole > 2 ? done : false":               true,
		"(score + 0.1) * 10 >= 10 && -whole < 0": true,
		"items == [1, 2.5, 3]":                   true,
	} {
		e, err := definition.CompileExpression(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Eval(context); err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		// What is shown for it means the same.
		again, err := definition.CompileExpression(e.String())
		if err != nil {
			t.Errorf("%s is shown as %s: %v", text, e, err)
		} else if got, err := again.Eval(context); err != nil || got != want {
			t.Errorf("%s is shown as %s, which is %v (%v)", text, e, got, err)
		}
	}
	for text, want := range map[string]string{
		"missing > 2":              "missing has no value",
		"input.length > 2":         "!type string has no field",
		"names > 2":                "invalid operation",
		"done && score":            "bool",
		"items[7] == 1":            "index out of range",
		"whole % size(none) == 1":  "divide by zero",
		"draft":                    "bool",
		"any(score, # > 1)":        "",
		"float(draft.verdict) > 1": "invalid operation",
	} {
		e, err := definition.CompileExpression(text)
		if found := strings.TrimPrefix(want, "!"); found != want {
			if err == nil {
				t.Errorf("%s passes, want %q", text, found)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Eval(context); got || !errors.Is(err, definition.ErrUndecided) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is %v (%v), want one line with %q", text, got, err, want)
		}
	}
}

func TestExpression_refuses_what_it_cannot_do_with_its_place(t *testing.T) {
	for text, want := range map[string]string{
		"score >=":                            "9: something is missing at the end",
		"score = 1":                           "7: = is not an operator; compare with ==",
		"score > 'a' + 1":                     "13: invalid operation",
		"1 < 'a'":                             "3: invalid operation",
		"size(items)":                         "expected bool",
		"input > 3":                           "7: invalid operation",
		"vars.most > 3":                       "11: invalid operation",
		"sise(items) > 0":                     "1: there is no function sise; did you mean size?",
		"now() > 1":                           "1: there is no function now",
		"score > 1 && env('HOME') == 'x'":     "14: there is no function env",
		"filter(items, # > 1) == []":          "1: there is no function filter",
		"reduce(items, #acc + #) > 1":         "there is no function reduce",
		"len(map(items, #)) > 1":              "there is no function map",
		"repeat('a', 1000000000) == ''":       "there is no function repeat",
		"1 in 1..1000000000":                  ".. is more than an expression can do",
		"let a = input + input; a == ''":      "more than an expression can do",
		"true; true":                          "more than an expression can do",
		"$env.score > 1":                      "1: $env is not known here",
		"2 ** 100000 > 1":                     "** is more than an expression can do",
		"{'a': 1} == score":                   "more than an expression can do",
		"input matches '('":                   "error parsing regexp",
		"input matches score":                 "must stand there in quotes",
		"all(items, all(items, # > 1))":       "12: all cannot stand inside another",
		"any(items, # in names)":              "17: inside all, any",
		"any(names, input contains #)":        "inside all, any",
		"items.sort() == items":               "there is no function",
		"#":                                   "not",
		"":                                    "missing",
		strings.Repeat("a", 501):              "at most 500",
		strings.Repeat("(", 250) + "x":        "missing at the end",
		"x" + strings.Repeat(" or x", 99):     "nodes",
		"[" + strings.Repeat("1,", 200) + "]": "nodes",
		"x\x00":                               "character",
		"\xff":                                "character",
	} {
		_, err := definition.CompileExpression(text)
		var at *definition.ExpressionError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) || strings.Contains(at.Message, "\n") || at.At < 0 || at.At > len([]rune(text)) {
			t.Errorf("%.60s: %v, want one line with %q", text, err, want)
		}
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
		"all(l, # < 2 && # < s)":                                                            "invalid operation",
		"deep == deep && deep == [deep]":                                                    "",
		"huge == 'x'":                                                                       "too long",
		"s contains 'b'" + strings.Repeat(" || s contains 'ab'", 20):                        "",
	} {
		e, err := definition.CompileExpression(text)
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

func TestExpression_mistakes_have_their_place_in_the_file(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"in quotes":         {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "score >= 1"}]`), "7:33 edges[0].when no node writes score"},
		"plain":             {one("  - {name: b, kind: think}", "edges:", "  - from: a", "    to: b", "    when: input == 'x' && scroe > 1", "    priority: 1"), "10:27 edges[0].when no node writes scroe"},
		"a misprint":        {one("    output: score", "  - {name: b, kind: think}", `edges: [{from: a, to: b, when: 'scor >= 1'}]`), "8:33 edges[0].when no node writes scor; did you mean score?"},
		"unfinished":        {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "input =="}]`), "7:41 edges[0].when something is missing at the end"},
		"types":             {one("  - {name: b, kind: think}", `edges: [{from: a, to: b, when: "input > 3"}]`), "7:39 edges[0].when invalid operation: > (mismatched types string and int)"},
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

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"score >= 0.8 && size(items) > 0", "all(items, .a == 'x')", "a?.b ?? 1 == 2", "input matches \"(a*)*\"", "!x", "1..2", "x[1:3] == #"} {
		f.Add(text, `{"score":1,"items":[{"a":"x"}],"a":null,"x":true}`)
	}
	f.Fuzz(func(t *testing.T, text, context string) {
		e, err := definition.CompileExpression(text)
		var at *definition.ExpressionError
		if err != nil {
			if !errors.As(err, &at) || at.At < 0 || at.At > len([]rune(text)) {
				t.Fatalf("%v has no place", err)
			}
			return
		}
		var with map[string]json.RawMessage
		if json.Unmarshal([]byte(context), &with) != nil {
			with = nil
		}
		began := time.Now()
		if _, err := e.Eval(with); err != nil && !errors.Is(err, definition.ErrUndecided) {
			t.Fatal(err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("it took %v", took)
		}
	})
}

// A share of nothing is no share: it must not pass for a high one.
func TestExpression_ADivisionByZeroDecidesNothing(t *testing.T) {
	for text, want := range map[string]bool{"ok / total >= 0.8": false, "ok / 0 > 1": false, "-ok / total < 1": false, "ok / two == 0.5": true} {
		e, err := definition.CompileExpression(text)
		if err != nil {
			t.Fatal(text, err)
		}
		got, err := e.Eval(map[string]json.RawMessage{"ok": json.RawMessage("1"), "total": json.RawMessage("0"), "two": json.RawMessage("2")})
		if got != want || (err == nil) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
