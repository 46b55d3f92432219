package filing_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/agents/filing"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
)

const wish = "Prepare the Rule 37 exception for this well"

// weak are models that do not manage to prepare a form.
var weak = map[string][]model.Message{
	"silent":            {says("")},
	"prose":             {says("Sure! I have prepared and filed the Rule 37 exception with the Commission.")},
	"wrong tool":        {wants("spacing_calculation", `{}`), says("The tool is not there.")},
	"unknown tool":      {wants("file_w1_now", `{"sure":true}`), says("Filed.")},
	"invalid arguments": {wants("rule37_filing_assembly", `{"well":7,"nonsense":true}`), says("It was refused.")},
	"unreadable":        {wants("rule37_filing_assembly", `{"well":`), says("Done.")},
	"unknown well":      {wants("rule37_filing_assembly", `{"well":"Well/42-000-00000"}`), says("There is no such well.")},
	"loop of one call":  {wants("entity_resolve", `{}`)},
	"reads and talks":   {wants("context_assemble", `{}`), wants("offset_well_analysis", `{}`), says("The nearest well is far away.")},
	"other skill":       {says("SKILL_SELECT:{rrc_rule32}"), says("Both rules are loaded.")},
	"the call as text":  {says("I would call rule37_filing_assembly with the well."), says("Anything else?")},
}

func TestFiling_WeakModelsEndInAHoldAndNeverInAFilingThatNobodySigned(t *testing.T) {
	for name, answers := range weak {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, filing.Rule37, answers...)
			out := l.ask(wish)
			if out.Run.Status == run.Limited {
				return // a typed limit: nothing was said to be filed
			}
			status(t, out, run.Paused)
			a := l.one()
			want(t, "holds", []string{a.Tool, a.Checkpoint}, []string{"rule37_filing_assembly", "pre_filing"})
			has(t, "what is signed", a.Title, "Form W-1", subject)
			want(t, "filings before anybody signed", len(l.filings()), 0)
			for _, e := range l.of(journal.Message) {
				if strings.Contains(e.Text, "filed the Rule 37") {
					t.Errorf("a person was told %q", e.Text)
				}
			}
			l.decide(true, "")
			out = l.resume()
			status(t, out, run.Completed)
			want(t, "filings", len(l.filings()), 1)
		})
	}
}

func TestFiling_F3_TheStatusAwaitsWhileTheFormDoes(t *testing.T) {
	for name, answers := range map[string][]model.Message{"of a strong model": signsOff(), "of a weak one": {says("Done.")}, "in the second phase": {says("SKILL_SELECT:{rrc_rule32}"), wants("rule37_filing_assembly", `{}`), says("It is put together.")}} {
		l := newLab(t, filing.Rule37, answers...)
		out := l.ask(wish)
		status(t, out, run.Paused)
		want(t, "status "+name, filing.ChannelStatus.Get(out.State), "awaiting_hitl")
		l.decide(true, "")
		want(t, "status after the verdict", filing.ChannelStatus.Get(l.resume().State), "completed")
	}
	l := newLab(t, filing.Rule37, wants("rule37_filing_assembly", `{"well":"Well/42-000-00000"}`), wants("entity_resolve", `{}`), says("It is another."))
	out := l.ask("Which well?")
	seen := []string{}
	for _, e := range l.of(journal.StageCompleted) {
		if strings.Contains(string(e.Data), `"error":"`) {
			seen = append(seen, string(e.Stage))
		}
	}
	want(t, "errors", seen, []string{"tool_node", "tool_node"})
	want(t, "error at the end", filing.ChannelError.Get(out.State), "")
}

func TestFiling_AModelThatStallsKeepsNoFormFromItsHold(t *testing.T) {
	for name, err := range map[string]error{"stalled": model.ErrStalled, "broken": model.ErrBroken} {
		l := newLab(t, filing.Rule37, says(""))
		l.model.fails = err
		status(t, l.ask(wish), run.Paused)
		want(t, name+" holds", l.one().Tool, "rule37_filing_assembly")
		l.decide(true, "")
		status(t, l.resume(), run.Completed)
		l.turn++
		if out := l.ask("Which well?"); out.Run.Status != run.Failed {
			t.Errorf("a question without a model is %s", out.Run.Status)
		}
	}
	l := newLab(t, filing.Rule37, wants("rule37_filing_assembly", `{}`), says("It is put together."))
	status(t, l.ask(wish), run.Paused)
	l.decide(true, "")
	l.model.fails = model.ErrStalled
	out := l.resume()
	status(t, out, run.Completed)
	has(t, "the reply", filing.ChannelReply.Get(out.State), "is signed and kept as Filing/w-1-")
}

func TestFiling_WhatWasSignedIsToldWhereTheModelIsSilent(t *testing.T) {
	l := newLab(t, filing.Rule37, says(""))
	status(t, l.ask(wish), run.Paused)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	has(t, "the reply", filing.ChannelReply.Get(out.State), "is signed and kept as Filing/w-1-", "Test Reviewer", "Missing: ")
	l = newLab(t, filing.Rule37, wants("rule37_filing_assembly", `{}`), says(""), says(""))
	status(t, l.ask(wish), run.Paused)
	l.decide(true, "")
	out = l.resume()
	status(t, out, run.Completed)
	has(t, "the reply of a model that fell silent", filing.ChannelReply.Get(out.State), "is signed and kept as Filing/w-1-")
}

// "It asked for the same form twice, I signed both, and we had two filings of one well."
func TestFiling_TheSameFormAskedForTwiceIsOneRequestAndOneFiling(t *testing.T) {
	const form, named = "rule37_filing_assembly", `{"well":"` + subject + `"}`
	for name, answers := range map[string][]model.Message{
		"one round after the other": {wants(form, named), wants(form, named), says("Done."), says("Done.")},
		"in one round":              {wants(form, named, form, named), says("Done."), says("Done.")},
		"again once it is signed":   {wants(form, named), says("Done."), wants(form, named), says("Done.")},
		"by its subject and named":  {wants(form, `{}`), wants(form, named), says("Done."), says("Done.")},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, filing.Rule37, answers...)
			status(t, l.ask(wish), run.Paused)
			l.decide(true, "")
			status(t, l.resume(), run.Completed)
			want(t, "requests that wait", len(l.waiting()), 0)
			want(t, "filings", len(l.filings()), 1)
		})
	}
}

func TestFiling_ARejectedFormIsNotPutTogetherAgain(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Done."))
	status(t, l.ask(wish), run.Paused)
	l.decide(false, "the plat is missing")
	out := l.resume()
	status(t, out, run.Completed)
	has(t, "the reply", filing.ChannelReply.Get(out.State), "Nothing was filed", "the plat is missing")
	want(t, "filings", len(l.filings()), 0)

	// Likewise where a rule of the house asks before the form is put together.
	l = newLab(t, filing.Rule37, says("Done.")).rules(rule.Rule{Name: "ask_first", Event: rule.BeforeToolCall, When: `tool.name == "rule37_filing_assembly"`, Verdict: rule.Hold, Checkpoint: "before_assembly", Reason: "the chief is asked"})
	status(t, l.ask(wish), run.Paused)
	want(t, "checkpoint", l.one().Checkpoint, "before_assembly")
	l.decide(false, "not this week")
	out = l.resume()
	status(t, out, run.Completed)
	want(t, "approvals that wait", len(l.waiting()), 0)
}

// "A rule of ours said not today, and it asked me which well I meant. I had named it."
func TestFiling_AFormThatARuleRefusesForAKnownWellSaysWhyAndAsksNothing(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Done.")).rules(rule.Rule{Name: "not_today", Event: rule.BeforeToolCall, When: `tool.name == "rule37_filing_assembly"`, Verdict: rule.Refuse, Reason: "not today"})
	out := l.ask(wish)
	status(t, out, run.Completed)
	has(t, "the reply", filing.ChannelReply.Get(out.State), "Nothing was filed", "not today")
	want(t, "filings", len(l.filings()), 0)
}

func TestFiling_AFormWithoutAKnownWellAsksForItAndGoesOn(t *testing.T) {
	for name, about := range map[string]string{"none": "", "one that is not there": "Well/42-000-00001"} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, filing.Rule37, says("I have filed it."))
			l.vars[session.SubjectVar] = about
			out := l.ask(wish)
			status(t, out, run.Paused)
			ask := func(answer string) run.Outcome {
				t.Helper()
				want(t, "questions", len(out.Pauses), 1)
				p := out.Pauses[0]
				want(t, "kind", p.Kind, string(journal.PauseQuestion))
				has(t, "the question", string(p.Data), "No filing was put together", "Which well is it for?")
				return l.resume(run.Resumption{Answers: map[string]json.RawMessage{p.ID: json.RawMessage(answer)}})
			}
			out = ask(`{"answer":"the blue one"}`)
			status(t, out, run.Paused)
			out = ask(fmt.Sprintf(`{"answer":"it is %s"}`, subject))
			status(t, out, run.Paused)
			has(t, "what is signed", l.one().Title, "Form W-1", subject)
			want(t, "filings", len(l.filings()), 0)
		})
	}
}

func TestFiling_AWellThatTheMessageNamesIsTheOneOfTheForm(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Done."))
	l.vars[session.SubjectVar] = ""
	status(t, l.ask("Please prepare the W-1 for 42-329-97102."), run.Paused)
	has(t, "what is signed", l.one().Title, "Well/42-329-97102")
}

func TestFiling_AWeakModelPreparesR32(t *testing.T) {
	l := newLab(t, filing.Rule32, says("Filed."))
	status(t, l.ask("Prepare the Rule 32 exception for this lease"), run.Paused)
	a := l.one()
	want(t, "holds", []string{a.Tool, a.Checkpoint}, []string{"rule32_filing_assembly", "pre_filing"})
	want(t, "filings", len(l.filings()), 0)
}

func TestFiling_OnlyAWishForAFormIsAWishForAForm(t *testing.T) {
	for text, form := range map[string]bool{
		wish: true, "Please file the W-1 for this well.": true, "Can you prepare it?": true, "Rule 37 exception for Well/42-329-97101": true, "Could you fill in Form W-1?": true,
		"Does this well need an exception? If so, prepare it.": true, "Préparez la dérogation à la règle 37 pour ce puits": true, "Établis le formulaire W-1": true, "Prepara la excepción de la Regla 37": true,
		"What is Rule 37?": false, "Is an exception needed for this well?": false, "Explain Form W-1.": false, "Hello": false, "Thank you": false, "How far is the nearest lease line?": false,
		"List the wells around this well": false, "Qu'est-ce que la règle 37 ?": false, "Don't file anything for this well.": false,
	} {
		l := newLab(t, filing.Rule37, says("All right."))
		out := l.ask(text)
		if got := len(l.waiting()) == 1; got != form {
			t.Errorf("%q puts a form together: %v, want %v (the turn is %s)", text, got, form, out.Run.Status)
		}
	}
}
