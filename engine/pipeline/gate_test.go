package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
)

var patient = record.Ref{Type: "Patient", ID: "1"}

// chart is a tool that reads one record and is as complete as it is told to be.
func chart(k **kit, completeness float64) fn {
	return func(context.Context, Input) (Output, error) {
		v := (*k).version[patient]
		return Output{Value: map[string]any{"version": v}, Completeness: completeness,
			Reads: []ledger.Target{{Ref: patient, Version: v}}}, nil
	}
}

func newChart(t testing.TB, completeness float64) *kit {
	var k *kit
	k = newKit(t, []Config{config("chart"), config("fit", "chart")}, map[string]fn{"chart": chart(&k, completeness)})
	k.version[patient] = "v1"
	return k
}

func TestNavigator_N31_TheCompletenessGate(t *testing.T) {
	for name, c := range map[string]struct {
		completeness, threshold float64
		skipped                 bool
	}{
		"above the threshold":            {0.7, 0.4, true},
		"exactly at it":                  {0.4, 0.4, true},
		"just below it":                  {0.39, 0.4, false},
		"a higher threshold":             {0.7, 0.8, false},
		"nothing found, lowest possible": {0, 1e-9, false},
		"complete, the highest":          {1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			k := newChart(t, c.completeness)
			first := k.request("my knee hurts")
			first.Threshold = c.threshold
			if res := k.turn(first); len(res.Skipped) != 0 {
				t.Fatal("a tool without an earlier output did not run")
			}
			next := k.request("my knee hurts", "as I said, it hurts") // the conversation goes on, with nothing new in it
			next.Threshold = c.threshold
			res := k.turn(next)
			if got := gates(res)["chart"] == journal.GateCompleteness; got != c.skipped || (k.calls("chart") == 0) != c.skipped {
				t.Errorf("%+v", res)
			}
			if string(res.Outputs["chart"]) != `{"version":"v1"}` || res.Completeness["chart"] != c.completeness {
				t.Errorf("the bundle lacks it: %+v", res)
			}
		})
	}
}

func TestNavigator_N31_AChangedRecordOverridesBothGates(t *testing.T) {
	k := newChart(t, 1)
	k.turn(k.request("hi"))
	if res := k.turn(k.request("hi", "ok, thanks")); len(res.Skipped) != 2 {
		t.Fatalf("%+v", res)
	}
	k.version[patient] = "v2"
	res := k.turn(k.request("hi", "ok, thanks")) // the same words: gate 2 alone would skip
	equal(t, "ran, and what builds on it", res.Ran, []string{"chart", "fit"})
	if e := k.event(journal.ToolStarted, "chart"); e.Reason != "The record Patient/1 has changed." {
		t.Error(e.Reason)
	}
	if e := k.event(journal.ToolStarted, "fit"); e.Reason != "What it builds on has changed: chart." {
		t.Error(e.Reason)
	}
	// A record that is gone has changed, too.
	delete(k.version, patient)
	if res := k.turn(k.request("hi", "ok, thanks")); len(res.Ran) != 2 {
		t.Errorf("%+v", res)
	}
}

func TestNavigator_N31_UnchangedUpstreamIsLookedAtPhaseByPhase(t *testing.T) {
	// The first phase runs again for little completeness, but says the same: the second is kept.
	k := newChart(t, 0.1)
	k.turn(k.request("my knee hurts"))
	res := k.turn(k.request("my knee hurts", "it hurts"))
	equal(t, "ran", res.Ran, []string{"chart"})
	if gates(res)["fit"] != journal.GateCompleteness {
		t.Errorf("%+v", res)
	}
}

func TestNavigator_N31_ADependencyThatFailsIsAChangeToo(t *testing.T) {
	var fail error
	k := newKit(t, []Config{optional(config("a")), config("b", "a")}, map[string]fn{"a": func(context.Context, Input) (Output, error) {
		return Output{Value: 1, Completeness: 0.1}, fail
	}})
	k.turn(k.request("hi"))
	fail = errors.New("boom")
	res := k.turn(k.request("hi", "more"))
	equal(t, "b without a", res.Ran, []string{"b"})
	fail = nil
	res = k.turn(k.request("hi", "more", "still more"))
	equal(t, "b with a again", res.Ran, []string{"a", "b"})
	// An agent whose list has no a any more is another case, too.
	req := k.request("hi", "more", "still more")
	req.Tools = []string{"b"}
	equal(t, "b on its own", k.turn(req).Ran, []string{"b"})
}

func TestNavigator_N31_AnOutputThatAToolLookedAtIsUpstream(t *testing.T) {
	n := 0
	k := newKit(t, []Config{config("a"), config("x"), config("b", "a")}, map[string]fn{
		"x": func(context.Context, Input) (Output, error) { n++; return Output{Value: n, Completeness: 0.1}, nil },
		"b": func(_ context.Context, in Input) (Output, error) {
			raw, _ := in.Outputs.Get("x") // not declared
			return Output{Value: raw, Completeness: 1}, nil
		}})
	k.turn(k.request("my knee hurts"))
	res := k.turn(k.request("my knee hurts", "it hurts"))
	equal(t, "ran", res.Ran, []string{"x", "b"})
}

func TestNavigator_N31_OtherArgumentsOverrideBothGates(t *testing.T) {
	k := newChart(t, 1)
	req := k.request("hi")
	req.Args = map[string]map[string]any{"chart": {"patient": "1"}}
	k.turn(req)
	if res := k.turn(req); len(res.Skipped) != 2 {
		t.Fatalf("%+v", res)
	}
	req.Args = map[string]map[string]any{"chart": {"patient": "2"}}
	res := k.turn(req)
	equal(t, "ran", res.Ran, []string{"chart"})
	if e := k.event(journal.ToolStarted, "chart"); e.Reason != "It is asked for something else than before." {
		t.Error(e.Reason)
	}
}

func TestNavigator_N32_TheThresholdIs04UnlessSet(t *testing.T) {
	for completeness, skipped := range map[float64]bool{0.4: true, 0.399: false} {
		k := newChart(t, completeness)
		k.turn(k.request("my knee hurts"))
		if res := k.turn(k.request("my knee hurts", "it hurts")); (gates(res)["chart"] == journal.GateCompleteness) != skipped {
			t.Errorf("%v: %+v", completeness, res)
		}
	}
	k := newChart(t, 1)
	for _, bad := range []float64{-0.1, 1.1} {
		req := k.request("hi")
		req.Threshold = bad
		_, err := k.reg.Run(context.Background(), struct{}{}, req)
		wantError(t, err, "threshold")
	}
}

func TestNavigator_N33_TheContentHashGate(t *testing.T) {
	k := newChart(t, 0.1)
	k.turn(k.request("I sleep badly"))
	res := k.turn(k.request("I sleep badly", "ok, thanks"))
	if gates(res)["chart"] != journal.GateContentHash {
		t.Errorf("%+v", res)
	}
	res = k.turn(k.request("I sleep badly", "ok, thanks", "I do sleep badly"))
	if e := k.event(journal.ToolStarted, "chart"); e.Reason != "The conversation went on, and the earlier result is only 10 % complete." {
		t.Error(e.Reason)
	}
	if len(res.Ran) != 1 {
		t.Errorf("%+v", res)
	}
}

// "I said Hello, then that my wife had died: it still answered to Hello."
func TestNavigator_N31_WhatThePersonSaysNewIsUpstream(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		runs bool
	}{
		"something new":                    {[]string{"Hello", "My wife died"}, true},
		"a little, after much":             {[]string{"I sleep badly, wake at three, worry about work and eat too little", "My wife died"}, true},
		"one new word in much that is old": {[]string{"I sleep badly and worry about work", "As I said I sleep badly and worry about work and drink"}, true},
		"the opposite":                     {[]string{"I want to see somebody about sleep", "I do not want to see somebody about sleep"}, true},
		"the opposite, in short":           {[]string{"I can't sleep. I want help with work.", "I can't work"}, true},
		"no":                               {[]string{"I sleep badly", "no"}, true},
		"yes":                              {[]string{"I sleep badly", "yes"}, true},
		"another language":                 {[]string{"I sleep badly", "夜、眠れません"}, true},
		"a number":                         {[]string{"I sleep badly", "5"}, true},
		"a face":                           {[]string{"I sleep badly", "😭"}, true},
		"the same again":                   {[]string{"I sleep badly", "I sleep badly"}, false},
		"the same in other words around":   {[]string{"I can’t sleep, and I worry about work", "Well, it is that I can't sleep"}, false},
		"thanks":                           {[]string{"I sleep badly", "ok thanks"}, false},
		"an older thing, then thanks":      {[]string{"I sleep badly", "I sleep badly", "merci bien"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, []Config{config("hears")}, nil) // as complete as can be
			k.turn(k.request(c.said[0]))
			res := k.turn(k.request(c.said...))
			if (len(res.Ran) == 1) != c.runs {
				t.Errorf("ran %v", res.Ran)
			}
			if c.runs && k.event(journal.ToolStarted, "hears").Reason != "The person said something new." {
				t.Error(k.event(journal.ToolStarted, "hears").Reason)
			}
		})
	}
	// What was said in a turn that skipped the tool is not taken for known in the next.
	k := newKit(t, []Config{config("hears")}, nil)
	k.turn(k.request("I sleep badly"))
	k.turn(k.request("I sleep badly", "thanks", "ok"))
	if res := k.turn(k.request("I sleep badly", "thanks", "ok", "My wife died")); len(res.Ran) != 1 {
		t.Errorf("%+v", res)
	}
	// A tool that hears nothing of the conversation is kept, whatever is said.
	k = newKit(t, []Config{config("deaf")}, nil)
	k.reg.tools["deaf"] = Tool[struct{}]{Run: k.reg.tools["deaf"].Run, Slice: func([]model.Message) []model.Message { return nil }}
	k.turn(k.request("Hello"))
	if res := k.turn(k.request("Hello", "My wife died")); len(res.Skipped) != 1 {
		t.Errorf("%+v", res)
	}
}

func TestNavigator_N33_AFailedToolRunsAgain(t *testing.T) {
	fail := errors.New("boom")
	k := newKit(t, []Config{optional(config("a"))}, map[string]fn{"a": func(context.Context, Input) (Output, error) {
		return Output{Value: 1, Completeness: 1}, fail
	}})
	for range 2 {
		if k.turn(k.request("hi")); k.calls("a") != 1 || len(k.rows) != 0 {
			t.Errorf("%d calls, rows %v", k.calls("a"), k.rows)
		}
	}
	fail = nil
	k.turn(k.request("hi"))
	if k.turn(k.request("hi")); k.calls("a") != 0 {
		t.Error("it ran again after a success")
	}
}

func TestNavigator_N34_EventsSayWhatRanAndWhatDidNot(t *testing.T) {
	k := newChart(t, 0.1)
	k.turn(k.request("hi"))
	k.turn(k.request("hi", "thanks"))
	e := k.event(journal.ToolSkipped, "chart")
	if e.Phase != 1 || e.Reason != "Earlier result kept: nothing was said since that bears on it." || string(e.Data) != `{"completeness":0.1,"gate":"content_hash"}` {
		t.Errorf("%+v %s", e, e.Data)
	}
	e = k.event(journal.ToolSkipped, "fit")
	if e.Phase != 2 || e.Reason != "Earlier result kept: it is 100 % complete and nothing it builds on has changed." || string(e.Data) != `{"completeness":1,"gate":"completeness"}` {
		t.Errorf("%+v %s", e, e.Data)
	}
	k.turn(k.request("hi", "thanks", "hi"))
	e = k.event(journal.PhaseCompleted, "")
	if string(e.Data) != `{"failed":[],"ran":["chart"],"skipped":[]}` {
		t.Errorf("%s", e.Data)
	}
	e = k.event(journal.ToolCompleted, "chart")
	if string(e.Data) != `{"completeness":0.1,"ms":0,"result":{"version":"v1"}}` || e.Attempt != 1 {
		t.Errorf("%+v %s", e, e.Data)
	}
}

func TestNavigator_N35_RowsAreKeyedBySessionAndToolAndSurviveARestart(t *testing.T) {
	k := newChart(t, 1)
	k.turn(k.request("hi"))
	other := newChart(t, 1) // another process on the same store
	other.rows = k.rows
	if res := other.turn(other.request("hi", "thanks")); len(res.Skipped) != 2 {
		t.Errorf("%+v", res)
	}
	req := other.request("hi", "thanks")
	req.Session = "s2"
	if res := other.turn(req); len(res.Ran) != 2 {
		t.Errorf("another session was served from this one: %+v", res)
	}
}

func TestNavigator_N35_ARowThatCannotBeUsedNeverCrashesAndNeverSkips(t *testing.T) {
	edit := func(change func(map[string]any)) func(json.RawMessage) json.RawMessage {
		return func(raw json.RawMessage) json.RawMessage {
			var m map[string]any
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			change(m)
			return data(m)
		}
	}
	for name, damage := range map[string]func(json.RawMessage) json.RawMessage{
		"empty":                func(json.RawMessage) json.RawMessage { return json.RawMessage{} },
		"null":                 func(json.RawMessage) json.RawMessage { return json.RawMessage("null") },
		"half":                 func(raw json.RawMessage) json.RawMessage { return raw[:len(raw)/2] },
		"another output":       edit(func(m map[string]any) { m["output"] = "forged" }),
		"no output":            edit(func(m map[string]any) { delete(m, "output") }),
		"too complete":         edit(func(m map[string]any) { m["completeness"] = 2 }),
		"no hashes":            edit(func(m map[string]any) { delete(m, "dep_hashes") }),
		"another session's":    edit(func(m map[string]any) { m["session"] = "s2" }),
		"another tool's":       edit(func(m map[string]any) { m["tool"] = "fit" }),
		"a number for a field": edit(func(m map[string]any) { m["reads"] = 3 }),
	} {
		t.Run(name, func(t *testing.T) {
			k := newChart(t, 1)
			k.turn(k.request("hi"))
			k.rows["s1/chart"] = damage(k.rows["s1/chart"])
			res := k.turn(k.request("hi"))
			equal(t, "ran", res.Ran, []string{"chart"})
			if e := k.event(journal.ToolStarted, "chart"); !strings.Contains(e.Reason, "damaged") {
				t.Error(e.Reason)
			}
			if res := k.turn(k.request("hi")); len(res.Skipped) != 2 {
				t.Errorf("the row was not replaced: %+v", res)
			}
		})
	}
}

func TestNavigator_N35_WhatCannotBeReadOrToldRuns(t *testing.T) {
	k := newChart(t, 1)
	k.turn(k.request("hi"))
	for name, change := range map[string]func(*Request){
		"the store fails":         func(r *Request) { r.Skips = brokenStore{} },
		"there is no store":       func(r *Request) { r.Skips = nil },
		"no versions to be had":   func(r *Request) { r.Version = nil },
		"versions cannot be read": func(r *Request) { r.Version = func(record.Ref) (string, error) { return "v1", errors.New("boom") } },
	} {
		t.Run(name, func(t *testing.T) {
			req := k.request("hi")
			change(&req)
			if res := k.turn(req); len(res.Ran) == 0 || res.Ran[0] != "chart" {
				t.Errorf("%+v", res)
			}
			if e := k.event(journal.ToolStarted, "chart"); e.Reason == "" {
				t.Error("no reason is given")
			}
		})
	}
}

type brokenStore struct{}

func (brokenStore) Skip(string, string) (json.RawMessage, error) { return nil, errors.New("boom") }
