package expression_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/expression"
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
		"score >= 0.8 && size(items) > 0":                 true,
		"score >= 0.95 || len(none) == 0":                 true,
		"score > 1":                                       false,
		"whole == 3":                                      true,
		"whole == 3.0":                                    true,
		"big == 9007199254740993":                         true,
		"big == 9007199254740992":                         false,
		"done":                                            true,
		"not done":                                        false,
		`draft.verdict == "accept"`:                       true,
		`draft["verdict"] == 'accept'`:                    true,
		"draft.claims[0].sure > 0.5":                      true,
		"all(draft.claims, .sure > 0.5)":                  true,
		"all(items, # < whole)":                           false,
		"any(items, # == 2.5)":                            true,
		"count(items, # > 1) == 2":                        true,
		"one(names, # == 'b')":                            true,
		"none(names, # startsWith 'c')":                   true,
		"sum(items) == 6.5":                               true,
		"max(items) == 3":                                 true,
		"'a' in names":                                    true,
		"vars.tone in ['plain', 'warm']":                  true,
		"int(vars.most) == whole":                         true,
		`lower(input) contains "hell"`:                    true,
		`input matches "^H.+o$"`:                          true,
		`said.verdict == "revise"`:                        true, // a model's JSON may arrive as text
		"said contains 'Here'":                            true,
		"draft.nothing == nil":                            true,
		"draft.nothing != nil && size(draft.nothing) > 0": false,
		"size(missing ?? []) == 0":                        true,
		"(missing ?? draft.nothing ?? 'x') == 'x'":        true,
		"draft?.nothing != 'accept'":                      true,
		"missing?.verdict == 'accept'":                    false,
		"(draft?.nothing?.more ?? 7) == 7":                true,
		"missing == nil":                                  true,
		"items[7] == nil && (items[7] ?? 5) == 5":         true,
		"draft.nothing.more == nil":                       true,
		"(draft.nothing.more ?? missing.too ?? 7) == 7":   true,
		"items[-1] == 3 && items[-7] == nil":              true,
		"size(input) == 5":                                true,
		"whole > 2 ? done : false":                        true,
		"(score + 0.1) * 10 >= 10 && -whole < 0":          true,
		"items == [1, 2.5, 3]":                            true,
	} {
		e, err := expression.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Eval(context); err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
		// What is shown for it means the same.
		again, err := expression.Compile(e.String())
		if err != nil {
			t.Errorf("%s is shown as %s: %v", text, e, err)
		} else if got, err := again.Eval(context); err != nil || got != want {
			t.Errorf("%s is shown as %s, which is %v (%v)", text, e, got, err)
		}
	}
	for text, want := range map[string]string{
		"missing > 2":              "missing has no value",
		"missing":                  "missing has no value",
		"draft.nothing":            "draft.nothing has no value",
		"size(whole) > 0":          "stands where a text, a list or an object is wanted",
		"input.length > 2":         "!type string has no field",
		"names > 2":                "> does not go between a list and a number",
		"done && score":            "bool",
		"items[7] == 1":            "items[7] has no value",
		"whole.part == 1":          "a number has no member part",
		"items['a'] == 1":          "items by number",
		"whole % size(none) == 1":  "divided by 0",
		"draft":                    "bool",
		"any(score, # > 1)":        "",
		"float(draft.verdict) > 1": "accept is not a number",
	} {
		e, err := expression.Compile(text)
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
		if got, err := e.Eval(context); got || !errors.Is(err, expression.ErrUndecided) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is %v (%v), want one line with %q", text, got, err, want)
		}
	}
}

func TestExpression_refuses_what_it_cannot_do_with_its_place(t *testing.T) {
	for text, want := range map[string]string{
		"score >=":                            "9: something is missing at the end",
		"score = 1":                           "7: = is not an operator; compare with ==",
		"score > 'a' + 1":                     "13: + does not go between a text and a number",
		"score % 2.5 == 1":                    "7: % goes between whole numbers only",
		"1 < 'a'":                             "3: < does not go between a number and a text",
		"size(items)":                         "expected bool",
		"input > 3":                           "7: > does not go between a text and a number",
		"vars.most > 3":                       "11: > does not go between a text and a number",
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
		_, err := expression.Compile(text)
		var at *expression.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) || strings.Contains(at.Message, "\n") || at.At < 0 || at.At > len([]rune(text)) {
			t.Errorf("%.60s: %v, want one line with %q", text, err, want)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"score >= 0.8 && size(items) > 0", "all(items, .a == 'x')", "a?.b ?? 1 == 2", "input matches \"(a*)*\"", "!x", "1..2", "x[1:3] == #"} {
		f.Add(text, `{"score":1,"items":[{"a":"x"}],"a":null,"x":true}`)
	}
	f.Fuzz(func(t *testing.T, text, context string) {
		e, err := expression.Compile(text)
		var at *expression.Error
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
		if _, err := e.Eval(with); err != nil && !errors.Is(err, expression.ErrUndecided) {
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
		e, err := expression.Compile(text)
		if err != nil {
			t.Fatal(text, err)
		}
		got, err := e.Eval(map[string]json.RawMessage{"ok": json.RawMessage("1"), "total": json.RawMessage("0"), "two": json.RawMessage("2")})
		if got != want || (err == nil) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestExpression_WhatCannotBeDecidedIsToldInPlainWords(t *testing.T) {
	context := map[string]json.RawMessage{"o": json.RawMessage(`{"a":1}`), "s": json.RawMessage(`"x"`), "n": json.RawMessage(`3`)}
	for text, want := range map[string]string{
		`o contains "x"`: "an object stands where a text is wanted", `lower(n) == "x"`: "a number stands where a text is wanted", `!s`: "a text stands where true or false is wanted",
		`sum(o) > 1`: "a value is of another type than it is used as", `n % 0 == 1`: "nothing can be divided by 0", `n % s == 1`: "% does not go between a number and a text",
	} {
		e, err := expression.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = e.Eval(context); !errors.Is(err, expression.ErrUndecided) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// "It said: % does not go between a numbererface {} and a number."
func TestExpression_OfAnyValueIsToldInPlainWords(t *testing.T) {
	for text, want := range map[string]string{"n % 0.5 == 1": "% goes between whole numbers only", "5 % 2.5 == 1": "% goes between whole numbers only", `n + true > 1`: "+ does not go between a value and true or false", `"a" % 2 == 1`: "% does not go between a text and a number"} {
		if _, err := expression.Compile(text); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A guard that lets through what it never saw is no guard: "the score was missing, and the letter went out all the same".
func TestExpression_WhatIsMissingDecidesNothingWhateverReadsIt(t *testing.T) {
	context := values(t, `{"o":{"list":[{}]},"null":null,"text":"x"}`)
	for _, read := range []string{"m", "o.m", "o['m']", "o.list[0].m", "null", "m?.n", "o?.m?.n"} {
		for _, text := range []string{"size(%) > 3", "size(%) <= 3", "len(%) == 0", "json(%) contains 'x'", "join(%, ',') contains 'x'", "clip(%, 3) == 'x'", "% contains 'x'",
			"not (% contains 'x')", "% startsWith 'x'", "% endsWith 'x'", "% matches 'x'", "% in ['x']", "% not in ['x']", "'x' in %", "% > 3", "lower(%) == 'x'", "int(%) > 3",
			"float(%) < 3", "min(%, 3) == 3", "any(%, # == 'x')", "none(%, # == 'x')", "all(%, # == 'x')", "count(%, # == 'x') == 0", "%", "!%", "% ? true : false", "[%] == [1]",
			"'x' == text && size(%) < 3", "% / 2 < 1", "-% < 1", "any(o.list, .m == 'x')", "none(o.list, .m == 'x')", "all(o.list, .m != 'x')"} {
			undecided(t, strings.ReplaceAll(text, "%", read), context)
		}
		if !strings.Contains(read, "?") { // a?.b says itself that there may be none
			for _, text := range []string{"% == 'x'", "% != 'x'", "'x' != %", "% == text"} {
				undecided(t, strings.ReplaceAll(text, "%", read), context)
			}
		}
	}
}

func undecided(t *testing.T, text string, context map[string]json.RawMessage) {
	t.Helper()
	e, err := expression.Compile(text)
	if err != nil {
		t.Fatal(text, err)
	}
	if got, err := e.Eval(context); got || !errors.Is(err, expression.ErrAbsent) || strings.Contains(err.Error(), "__") {
		t.Errorf("%s is %v (%v), want that a value is missing", text, got, err)
	}
}

// "I asked for the third of two and for a part of what is not there, and the node failed."
func TestExpression_AMemberThatIsNotThereIsNothing(t *testing.T) {
	context := map[string]json.RawMessage{"v": json.RawMessage(`{"l": [1, 2], "t": "3"}`)}
	for text, want := range map[string]any{
		"v.l[7]": nil, "v.l[7] ?? 'none'": "none", "[1, 2][7]": nil, "v.nope.deep": nil, "v.nope.deep ?? 'z'": "z", "v?.nope.deep ?? 'z'": "z", "missing.deep": nil, "v.l[-1]": 2, "v.l[5].name": nil,
	} {
		e, err := expression.CompileFor(text, nil, false)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Value(context, nil); err != nil && !errors.Is(err, expression.ErrAbsent) || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"v.t.deep": "a text has no member deep", "v.nope + 1": "+ does not go between nothing and "} {
		e, err := expression.CompileFor(text, nil, false)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := e.Value(context, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
