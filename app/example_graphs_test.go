package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// played is how a turn of an example went.
type played struct {
	run.ExecutionReport
	reply     string
	approvals int   // how often a person was asked for verdicts, and
	asked     []int // for how many at a time
	events    []journal.Event
}

// play runs an example to its end; a person approves what verdict says yes to, and answers
// questions in order, the last answer again and again.
func play(t *testing.T, a *app.App, name string, vars map[string]string, manner model.Manner, verdict func(n int) bool, answers ...string) played {
	t.Helper()
	x, err := app.ExampleOf(name)
	if err != nil {
		t.Fatal(err)
	}
	plays++
	if text, ok := vars["message"]; ok {
		vars, x.Message = nil, text
	}
	id := fmt.Sprint(name, plays)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: id, Subject: "Patient/pat-alder", Definition: x.Text, Text: x.Message, Vars: vars, Practice: true, Manner: manner})
	if err != nil {
		t.Fatal(err)
	}
	p := played{}
	for n := 0; out.Run.Status == run.Paused && n < 20; n++ {
		list, err := a.Approvals("pending")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			p.approvals, p.asked = p.approvals+1, append(p.asked, len(list))
		}
		for _, ap := range list {
			decided(t, a, ap, verdict(p.approvals))
		}
		for _, pause := range out.Pauses {
			if pause.Kind == turn.ApprovalPause || len(answers) == 0 {
				continue
			}
			if err := a.KeepAnswer(out.Run.Turn, pause.ID, json.RawMessage(answers[0])); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(answers) > 1 {
				answers = answers[1:]
			}
		}
		if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil {
			t.Fatal(err)
		}
	}
	r, err := a.Report(out)
	if err != nil {
		t.Fatal(err)
	}
	p.ExecutionReport, p.reply = r, out.Run.Output
	events, _, err := a.Journal(id, 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	p.events = events
	return p
}

func (p *played) count(kind journal.Kind) (n int) {
	for _, e := range p.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// plays numbers the sessions of the examples.
var plays int

func always(yes bool) func(int) bool { return func(int) bool { return yes } }

func exampleApp(t *testing.T) *app.App {
	t.Helper()
	a, err := app.Open(app.Options{Dir: t.TempDir(), Practice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := a.ImportNow(t.Context(), "sample", func(int64, int64, string) {}); err != nil {
		t.Fatal(err)
	}
	return a
}

// "It answered “On your question: all”, in the middle of a sentence, and said that it was done."
func TestReasoner_R82_TheLastOfABudgetBreaksNoAnswerOff(t *testing.T) {
	a := exampleApp(t)
	answer := func(limits string) run.Run {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Practice: true, Text: "Hello",
			Definition: "name: x\nnodes:\n  - {name: answer, kind: answer, instructions: Answer.}\n" + limits})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatal(out.Run.Status, err, out.Err)
		}
		return out.Run
	}
	whole := answer("")
	bounded := answer(fmt.Sprintf("limits: {max_tokens: %d}\n", whole.Used.Tokens-5))
	if bounded.Output != whole.Output || bounded.Used.Tokens != whole.Used.Tokens {
		t.Errorf("five tokens before its end it says %q with %d tokens, and without a limit %q with %d", bounded.Output, bounded.Used.Tokens, whole.Output, whole.Used.Tokens)
	}
}

// "The draft ended in the middle, and the next step went on as if that was all of it."
func TestReasoner_AnAnswerAsLongAsItMayBeIsWarnedOf(t *testing.T) {
	a := exampleApp(t)
	session := a.NewSessionID()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Practice: true, Text: "Hello",
		Definition: "name: x\nnodes:\n  - {name: draft, kind: prompt, instructions: Draft., max_tokens: 3, default_next: say}\n  - {name: say, kind: transform, template: done, default_next: end}\n"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	if r, err := a.Report(out); err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "broken off after 3 tokens") {
		t.Errorf("warned of %q (%v)", r.Warnings, err)
	}
}

// "I corrected the note, approved it, and was told that a rule wants other words: no correction could ever be made."
func TestReasoner_R73_WhatAReviewerWroteIsNotRewrittenByARule(t *testing.T) {
	a := exampleApp(t)
	for text, want := range map[string]string{"corrected": "corrected", "never": "err refused"} {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Subject: "Patient/pat-alder", Practice: true, Text: "hello", Definition: `name: x
nodes:
  - {name: note, kind: tool, tool: add_care_note, arguments: {text: "{{ input }}"}, on_error: no, default_next: say}
  - {name: say, kind: transform, template: "{{ note_output.was }}", default_next: end}
  - {name: no, kind: transform, template: "err {{ error.kind }}", default_next: end}
rules:
  - {name: stamp, event: before_tool_call, tools: [add_care_note], verdict: set, set: {text: "{{ args.text }} (stamped)"}}
  - {name: words, event: before_tool_call, tools: [add_care_note], when: "args.text contains 'never'", verdict: refuse, reason: we never say never}
  - {name: told, event: after_tool_call, tools: [add_care_note], verdict: set, set: {was: "{{ args.text }}"}}
`})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatal(out.Run.Status, err)
		}
		list, err := a.Approvals("pending")
		if err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		if !strings.Contains(string(list[0].Args), "hello (stamped)") {
			t.Errorf("the reviewer is shown %s", list[0].Args)
		}
		args, err := json.Marshal(map[string]string{"patient": "pat-alder", "text": text})
		if err != nil {
			t.Fatal(err)
		}
		v, err := a.Modify(app.Decision{ID: list[0].ID, Digest: list[0].Digest, Reviewer: "Dr. Test", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		decided(t, a, v, true)
		if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Output != want {
			t.Errorf("%s: it says %q (%v), want %q", text, out.Run.Output, err, want)
		}
	}
}

// "I typed YES, and it said that this is none of the choices: yes, no."
func TestReasoner_AChoiceIsTakenWhateverItsCapitals(t *testing.T) {
	a := exampleApp(t)
	for said, want := range map[string]string{`"YES"`: "Yes, do", `" yes, DO "`: "Yes, do", `{"answer":"no"}`: "No"} {
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Practice: true, Text: "Hello",
			Definition: "name: x\nnodes:\n  - {name: ask, kind: human, question: Go on, answers: ['Yes, do', 'No', 'yes'], default_next: end}\n"})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatal(out.Run.Status, err)
		}
		if said == `"YES"` {
			want = "yes"
		}
		if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(said)); err != nil {
			t.Errorf("%s: %v", said, err)
			continue
		}
		if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Output != want {
			t.Errorf("%s: it goes on with %q (%v), want %q", said, out.Run.Output, err, want)
		}
	}
}

// "The auditor asked for whom the turn had run, and nothing said it."
func TestReasoner_R66_ATurnSaysForWhomItRan(t *testing.T) {
	a := exampleApp(t)
	as := func(who string) context.Context { return identity.With(t.Context(), identity.Caller{Subject: who}) }
	session := a.NewSessionID()
	out, err := a.RunTurn(as("dr-alder"), app.TurnRequest{Session: session, Practice: true, Text: "Hello",
		Definition: "name: x\nnodes:\n  - {name: ask, kind: human, question: How many, answers: [one], default_next: end}\n"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatal(out.Run.Status, err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"one"`)); err != nil {
		t.Fatal(err)
	}
	if out, err = a.ResumeTurn(as("dr-birch"), out.Run.Turn); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	events, _, err := a.Journal(session, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var callers []string
	for _, e := range events {
		switch e.Kind {
		case journal.TurnStarted:
			d, _ := journal.Read[journal.TurnStartedData](e)
			callers = append(callers, d.Caller)
		case journal.TurnResumed:
			d, _ := journal.Read[journal.TurnResumedData](e)
			callers = append(callers, d.Caller)
		}
	}
	if !slices.Equal(callers, []string{"dr-alder", "dr-birch"}) {
		t.Errorf("the journal names %q", callers)
	}
	if r, err := a.Report(out); err != nil || r.Caller != "dr-alder" {
		t.Errorf("the report names %q (%v)", r.Caller, err)
	}
	x, err := a.Export(app.ExportQuery{Session: session, Format: "md"})
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	if err := x.Write(&told); err != nil || !strings.Contains(told.String(), "agent x for dr-alder") {
		t.Errorf("the transcript does not say for whom: %s (%v)", told.String(), err)
	}
}

// TestExamples_EachDoesWhatItShows runs each in practice mode, good and bad, and looks for
// what its description promises.
func TestExamples_EachDoesWhatItShows(t *testing.T) {
	a, whole := exampleApp(t), t
	want := func(p played, status run.Status, reply string) {
		t.Helper()
		if p.Status != status || !strings.Contains(p.reply, reply) {
			t.Fatalf("it is %s with %q (%s, limit %s), want %s with %q", p.Status, p.reply, p.Error, p.Limit, status, reply)
		}
	}
	ran := func(p played, counts map[graph.StageID]int) {
		t.Helper()
		for id, n := range counts {
			if p.Ran[id] != n {
				t.Errorf("%s ran %d times, want %d; all: %v", id, p.Ran[id], n, p.Ran)
			}
		}
	}
	yes, no := always(true), always(false)
	seen := map[string]bool{}
	story := func(name string, tell func()) {
		seen[name] = true
		whole.Run(name, func(one *testing.T) { t = one; tell() })
		t = whole
	}
	story("letter_in_rounds", func() {
		p := play(t, a, "letter_in_rounds", nil, "", yes)
		want(p, run.Completed, "Accepted by the second reader")
		ran(p, map[graph.StageID]int{"letters/draft": 1, "letters/mending/criticise": 1, "letters/read": 1})
		p = play(t, a, "letter_in_rounds", map[string]string{"drafts": "3"}, model.Stubborn, yes)
		want(p, run.Completed, "was not content")
		ran(p, map[graph.StageID]int{"letters/draft": 3, "letters/mending/criticise": 6, "letters/mending/mend": 6, "letters/read": 3})
	})
	story("notes_for_all", func() {
		p := play(t, a, "notes_for_all", nil, "", yes)
		want(p, run.Completed, "3 notes were written")
		if !slices.Equal(p.asked, []int{2, 1}) || p.count(journal.MutationCommitted) != 3 {
			t.Errorf("asked for %v, %d notes", p.asked, p.count(journal.MutationCommitted))
		}
		p = play(t, a, "notes_for_all", nil, "", no, "x")
		want(p, run.Completed, "Not all notes were written (rejected)")
		if p.approvals != 1 || p.count(journal.MutationCommitted) != 0 {
			t.Errorf("after a no it asked %d times more", p.approvals-1)
		}
	})
	story("when_it_fails", func() {
		want(play(t, a, "when_it_fails", nil, "", yes), run.Completed, "The note is in the record.")
		want(play(t, a, "when_it_fails", nil, "", no, `"drop"`), run.Completed, "Nothing was written.")
		p := play(t, a, "when_it_fails", nil, "", func(n int) bool { return n > 1 }, `"reword"`, `"reword"`)
		want(p, run.Completed, "The note is in the record.")
		if p.approvals != 2 || p.count(journal.MutationCommitted) != 1 {
			t.Errorf("%d approvals, %d notes", p.approvals, p.count(journal.MutationCommitted))
		}
	})
	story("on_a_budget", func() {
		p := play(t, a, "on_a_budget", nil, "", yes)
		want(p, run.Completed, "tokens of 4000")
		ran(p, map[graph.StageID]int{"rounds/draft": 1, "rounds/review": 1})
		p = play(t, a, "on_a_budget", map[string]string{"tokens": "600"}, model.Stubborn, yes)
		want(p, run.Completed, ", cut short")
		if p.Ran["rounds/draft"] >= 6 {
			t.Errorf("the budget of 600 tokens let it go on: %v", p.Ran)
		}
		p = play(t, a, "on_a_budget", map[string]string{"tokens": "100"}, model.Stubborn, yes)
		want(p, run.Completed, ", cut short")
		if p.Skipped["rounds/review"] != 1 || p.Ran["rounds/draft"] != 1 {
			t.Errorf("the budget of 100 tokens let it go on: %v, skipped %v", p.Ran, p.Skipped)
		}
	})
	story("two_opinions", func() {
		p := play(t, a, "two_opinions", nil, "", yes)
		want(p, run.Completed, "Practice mode")
		ran(p, map[graph.StageID]int{"both/pro/rounds/draft": 1, "both/con/rounds/draft": 1, "weigh": 1})
	})
	story("safe_letters", func() {
		want(play(t, a, "safe_letters", nil, "", yes), run.Completed, "this step would say its part")
		said := map[string]string{"message": "Write that the new password is on the back."}
		want(play(t, a, "safe_letters", said, model.Stubborn, yes, `"no"`), run.Completed, "The letter was kept back.")
		p := play(t, a, "safe_letters", map[string]string{"message": said["message"]}, model.Stubborn, yes, `"yes"`)
		want(p, run.Completed, "password")
		ran(p, map[graph.StageID]int{"rounds/draft": 1, "rounds/check": 0, "person": 1})
		if !slices.ContainsFunc(p.Path, func(w run.Passed) bool { return w.From == "rounds/draft" && w.Resolver == graph.BySafety }) {
			t.Errorf("no safety edge led on: %v", p.Path)
		}
	})
	story("booking_form", func() {
		p := play(t, a, "booking_form", nil, "", yes, `"a few"`, `"4"`, `"mornings"`, `"yes"`)
		want(p, run.Completed, "4 visits at the clinic, mornings, 200 minutes in all.")
		want(play(t, a, "booking_form", map[string]string{"most": "3"}, "", yes, `"4"`, `"mornings"`, `"yes"`), run.Completed, "4 visits are more than 3")
		want(play(t, a, "booking_form", nil, "", yes, `"2"`, `"afternoons"`, `"no"`), run.Completed, "2 visits at home, afternoons")
	})
	story("free_hand", func() {
		p := play(t, a, "free_hand", nil, "", yes)
		want(p, run.Completed, "Practice mode")
		if len(p.Mutations) == 0 || len(p.Mutations) > 3 || p.Ran["work/second_look"] != 1 {
			t.Errorf("the graph grew by %v", p.Mutations)
		}
		p = play(t, a, "free_hand", nil, model.Stubborn, yes)
		if p.Status != run.Limited {
			t.Errorf("a stubborn model ends as %s", p.Status)
		}
	})
	story("asked_once", func() {
		p := play(t, a, "asked_once", nil, model.Stubborn, yes)
		want(p, run.Completed, "this step would say its part")
		if p.Ran["rounds/facts"] != 1 || p.Cached["rounds/facts"] != 2 || p.Ran["rounds/draft"] != 3 {
			t.Errorf("the facts were asked for %d times and cached %d times in %d rounds", p.Ran["rounds/facts"], p.Cached["rounds/facts"], p.Ran["rounds/draft"])
		}
	})
	story("uneven_joins", func() {
		p := play(t, a, "uneven_joins", nil, "", yes)
		want(p, run.Completed, "No hurry.")
		ran(p, map[graph.StageID]int{"gather": 1, "check": 1, "short": 1, "calm": 1, "call": 0})
	})
	story("ask_first", func() { want(play(t, a, "ask_first", nil, "", yes, `"keep"`), run.Completed, "Alpha, beta") })
	story("triage", func() { want(play(t, a, "triage", nil, "", yes), run.Completed, "Practice mode") })
	list, err := app.Examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		if !seen[x.Name] {
			t.Errorf("nobody tried the example %s", x.Name)
		}
	}
}

// TestExamples_EachComesToAVisibleEndWhateverTheModelDoes lets practice act badly.
func TestExamples_EachComesToAVisibleEndWhateverTheModelDoes(t *testing.T) {
	a := exampleApp(t)
	list, err := app.Examples()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{"booking_form": {`"3"`, `"mornings"`, `"yes"`}, "ask_first": {`"keep"`}, "when_it_fails": {`"drop"`}, "safe_letters": {`"no"`}}
	for _, x := range list {
		for _, m := range []model.Manner{model.Stubborn, model.Wrong} {
			p := play(t, a, x.Name, nil, m, always(true), answers[x.Name]...)
			switch {
			case p.Status == run.Completed && p.reply != "":
			case p.Status == run.Limited && p.Limit != "":
			case p.Status == run.Failed && p.Error != "" && p.ErrorStage != "":
			default:
				t.Errorf("%s with a %s model ends as %s with %q (%s at %s)", x.Name, m, p.Status, p.reply, p.Error, p.ErrorStage)
			}
		}
	}
}
