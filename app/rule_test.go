package app_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
)

// ruled is the sample clinic with rules of a person.
func ruled(t *testing.T, rules string) *app.App {
	t.Helper()
	a := clinic(t, 0)
	if _, err := a.AddRules(rules, app.Proof{}); err != nil {
		t.Fatal(err)
	}
	return a
}

func asks(t *testing.T, a *app.App, text string) run.Outcome {
	t.Helper()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: "pat-alder", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pending is the one approval that waits.
func pending(t *testing.T, a *app.App) app.ApprovalView {
	t.Helper()
	list, err := a.Approvals("pending")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d approvals wait (%v), want one", len(list), err)
	}
	return list[0]
}

func decides(t *testing.T, a *app.App, v app.ApprovalView, yes bool, by string) run.Outcome {
	t.Helper()
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: by, Comment: "not in this letter"}, yes); err != nil {
		t.Fatal(err)
	}
	return resumes(t, a, v.Turn)
}

func resumes(t *testing.T, a *app.App, turn string) run.Outcome {
	t.Helper()
	out, err := a.ResumeTurn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wants(t *testing.T, out run.Outcome, status run.Status) {
	t.Helper()
	if out.Run.Status != status {
		t.Fatalf("the turn is %s (%v), want %s", out.Run.Status, out.Err, status)
	}
}

// firings are the rules that fired in a turn, with their verdicts.
func firings(t *testing.T, a *app.App, out run.Outcome) (list []string) {
	t.Helper()
	for _, e := range turnEvents(t, a, out, journal.RuleFired) {
		d, err := journal.Read[journal.RuleFiredData](e)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d.Rule+" "+e.Status)
	}
	return list
}

const question = "What medication does the record list?" // the practice navigator reads patient_summary

func TestRules_RefuseACall(t *testing.T) {
	a := ruled(t, `- {name: no_records, event: before_tool_call, tools: [patient_summary], verdict: refuse, reason: Records are closed today.}`)
	out := asks(t, a, question)
	wants(t, out, run.Completed)
	refused := turnEvents(t, a, out, journal.ToolRefused)
	if len(refused) == 0 || refused[0].Reason != "Records are closed today." || len(turnEvents(t, a, out, journal.ToolStarted)) != countContext(t, a, out) {
		t.Errorf("the call was not refused: %+v", refused)
	}
	if got := firings(t, a, out); len(got) == 0 || got[0] != "no_records refuse" {
		t.Errorf("fired: %v", got)
	}
	rules, err := a.Rules()
	if err != nil || rules[len(rules)-1].Fired == nil || rules[len(rules)-1].Fired.Turn != out.Run.Turn || rules[len(rules)-1].Source != "user" {
		t.Errorf("the list does not tell of the last firing: %+v %v", rules[len(rules)-1], err)
	}
}

// countContext counts the tools that the context pipeline started: not the model's calls.
func countContext(t *testing.T, a *app.App, out run.Outcome) (n int) {
	t.Helper()
	for _, e := range turnEvents(t, a, out, journal.ToolStarted) {
		if e.Call == "" {
			n++
		}
	}
	return n
}

// signs approves with a passphrase, and goes on.
func signs(t *testing.T, a *app.App, v app.ApprovalView, who string) run.Outcome {
	t.Helper()
	if _, err := a.SetPassphrase(who, "", secret, app.Proof{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: who, Passphrase: secret}, true); err != nil {
		t.Fatal(err)
	}
	return resumes(t, a, v.Turn)
}

func TestRules_HoldAReadCallUntilItsReviewerApproved(t *testing.T) {
	a := ruled(t, `- {name: look_first, event: before_tool_call, tools: [patient_summary], verdict: hold, checkpoint: records, reviewer: {name: Ann Bell}, reason: Somebody has to look first.}`)
	out := asks(t, a, question)
	wants(t, out, run.Paused)
	v := pending(t, a)
	if v.Tool != "patient_summary" || v.Checkpoint != "records" || v.For == nil || v.For.Name != "Ann Bell" {
		t.Fatalf("what waits is %+v", v.Approval)
	}
	for _, e := range turnEvents(t, a, out, journal.ToolStarted) {
		if e.Call != "" {
			t.Errorf("%s ran before anybody approved it", e.Tool)
		}
	}
	if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Somebody Else"}, true); !errors.Is(err, ledger.ErrReviewer) || app.AsFault(err).Code != "reviewer" {
		t.Errorf("another reviewer: %v", err)
	}
	out = signs(t, a, v, "ann  bell")
	wants(t, out, run.Completed)
	ran := 0
	for _, e := range turnEvents(t, a, out, journal.ToolCompleted) {
		if e.Call == v.Call {
			ran++
		}
	}
	if ran != 1 {
		t.Errorf("the approved call ran %d times", ran)
	}
	if v, err := a.Approval(v.ID, false); err != nil || v.Status != ledger.Used {
		t.Errorf("the approval is %s (%v), want used up", v.Status, err)
	}
}

func TestRules_AHoldForARoleIsDecidedByAPersonWhoHasIt(t *testing.T) {
	a := ruled(t, `- {name: look_first, event: before_tool_call, tools: [patient_summary], verdict: hold, reviewer: {role: engineer}}`)
	wants(t, asks(t, a, question), run.Paused)
	v := pending(t, a)
	for _, yes := range []bool{true, false} {
		if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Ann Bell", Comment: "x"}, yes); !errors.Is(err, ledger.ErrReviewer) {
			t.Errorf("without the role: %v", err)
		}
	}
	if err := a.Set("people.Ann Bell", json.RawMessage(`"geologist, Engineer"`)); err != nil {
		t.Fatal(err)
	}
	wants(t, signs(t, a, v, "ann bell"), run.Completed)
	if err := a.SetRoles("ann  bell", "", app.Proof{Name: "ann bell", Passphrase: secret}); err != nil {
		t.Fatal(err)
	}
	if s, err := a.Settings(); err != nil || len(s.People) != 0 {
		t.Errorf("people: %v %v", s.People, err)
	}
}

// "Our rule says that only Bob may decide on bookings, and Ann's approval was carried out."
func TestRules_WhoAloneMayDecideIsSoForWhatChangesSomething(t *testing.T) {
	const booking = "Please book a visit for the insomnia next week"
	holds := func(name, who string) string {
		return "- {name: " + name + ", event: before_tool_call, tools: [book_appointment], verdict: hold, checkpoint: visits, reviewer: " + who + ", reason: " + name + " wants it}\n"
	}
	bob := holds("bob_only", "{name: Bob Cole}")
	for _, c := range []struct {
		name, rules, term string
		who               *rule.Reviewer
		checkpoint        string
	}{
		{"a rule of one's own", bob, "", &rule.Reviewer{Name: "Bob Cole"}, "visits"},
		{"a person, and a role", bob + holds("doctors", "{role: doctor}"), "", &rule.Reviewer{Name: "Bob Cole", Role: "doctor"}, "visits"},
		{"the same twice", bob + holds("bob_again", "{name: bob  cole}"), "", &rule.Reviewer{Name: "Bob Cole"}, "visits"},
		{"a term of the other's type", "- {name: looked, event: before_tool_call, tools: [book_appointment], verdict: hold, checkpoint: visits}", "mutation", &rule.Reviewer{Role: "doctor"}, "visits"},
		{"a rule before a term", bob, "mutation", &rule.Reviewer{Name: "Bob Cole"}, "visits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ruled(t, c.rules)
			if c.term != "" {
				if err := a.Set("checkpoint."+c.term, json.RawMessage(`{"reviewer":{"role":"doctor"}}`)); err != nil {
					t.Fatal(err)
				}
			}
			wants(t, asks(t, a, booking), run.Paused)
			v := pending(t, a)
			if v.Tool != "book_appointment" || v.Checkpoint != c.checkpoint || v.For == nil || *v.For != *c.who {
				t.Fatalf("what waits is %s at %s for %v", v.Tool, v.Checkpoint, v.For)
			}
			if _, err := a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Ann Bell"}, true); !errors.Is(err, ledger.ErrReviewer) {
				t.Errorf("Ann approves: %v", err)
			}
		})
	}
	a := ruled(t, bob+holds("ann_only", "{name: Ann Bell}"))
	out := asks(t, a, booking)
	list, err := a.Approvals("pending")
	if err != nil || len(list) != 0 {
		t.Errorf("what nobody may decide waits: %+v, %v", list, err)
	}
	refused := turnEvents(t, a, out, journal.ToolRefused)
	if len(refused) == 0 || !strings.Contains(refused[0].Reason, "rules want different ones: Bob Cole and Ann Bell") {
		t.Errorf("two people: %+v", refused)
	}
}

func TestRules_AHeldReadCallThatIsRejectedDoesNotRun(t *testing.T) {
	a := ruled(t, `- {name: look_first, event: before_tool_call, tools: [patient_summary], verdict: hold}`)
	wants(t, asks(t, a, question), run.Paused)
	out := decides(t, a, pending(t, a), false, "Ann Bell")
	wants(t, out, run.Completed)
	for _, e := range turnEvents(t, a, out, journal.ToolStarted) {
		if e.Call != "" {
			t.Errorf("%s ran although a person said no", e.Tool)
		}
	}
}

func TestRules_AskBeforeACall(t *testing.T) {
	a := ruled(t, `- {name: sure, event: before_tool_call, tools: [patient_summary], verdict: ask, question: 'May it read the record?'}`)
	for answer, runs := range map[string]int{`"approve"`: 1, `{"approved":false,"comment":"not now"}`: 0} {
		out := asks(t, a, question)
		wants(t, out, run.Paused)
		open, err := a.Questions()
		if err != nil || len(open) != 1 || open[0].Prompt != "May it read the record?" {
			t.Fatalf("questions: %+v %v", open, err)
		}
		if err := a.KeepAnswer(out.Run.Turn, open[0].Pause, json.RawMessage(answer)); err != nil {
			t.Fatal(err)
		}
		out = resumes(t, a, out.Run.Turn)
		wants(t, out, run.Completed)
		ran := 0
		for _, e := range turnEvents(t, a, out, journal.ToolCompleted) {
			if e.Call != "" {
				ran++
			}
		}
		if ran != runs {
			t.Errorf("after %s it ran %d times, want %d", answer, ran, runs)
		}
		if got := firings(t, a, out); len(got) != 1 || got[0] != "sure ask" {
			t.Errorf("fired: %v, want it told once", got)
		}
	}
}

func TestRules_WarnGoesOnAndIsTold(t *testing.T) {
	a := ruled(t, `- {name: careful, event: before_tool_call, verdict: warn, when: tool.name == "patient_summary", reason: This reads the record.}`)
	out := asks(t, a, question)
	wants(t, out, run.Completed)
	if got := firings(t, a, out); len(got) != 1 || got[0] != "careful warn" {
		t.Errorf("fired: %v", got)
	}
}

func TestRules_OneThatThrowsPausesTheCall(t *testing.T) {
	a := ruled(t, `- {name: broken, event: before_tool_call, tools: [patient_summary], verdict: warn, when: args.no.such > 5}`)
	out := asks(t, a, question)
	wants(t, out, run.Paused)
	if v := pending(t, a); v.Checkpoint != "rule_error" {
		t.Errorf("what waits is %+v", v.Approval)
	}
}

func TestRules_HoldWhatACallGave(t *testing.T) {
	a := ruled(t, `- {name: check_result, event: after_tool_call, tools: [patient_summary], verdict: hold, checkpoint: pre_filing}`)
	for _, yes := range []bool{true, false} {
		out := asks(t, a, question)
		wants(t, out, run.Paused)
		v := pending(t, a)
		if v.Checkpoint != "pre_filing" || !strings.Contains(string(v.Args), `"tool":"patient_summary"`) {
			t.Fatalf("what waits is %+v", v.Approval)
		}
		out = decides(t, a, v, yes, "Ann Bell")
		wants(t, out, run.Completed)
		started := 0
		for _, e := range turnEvents(t, a, out, journal.ToolStarted) {
			if e.Call+".after" == v.Call {
				started++
			}
		}
		if started != 1 {
			t.Errorf("the call was made %d times, want once: what was shown goes on", started)
		}
	}
}

func TestRules_RefuseWhatACallGaveEndsTheTurn(t *testing.T) {
	a := ruled(t, `- {name: never, event: after_tool_call, tools: [patient_summary], verdict: refuse, reason: This may not be used.}`)
	out := asks(t, a, question)
	wants(t, out, run.Failed)
	if out.Err == nil || !strings.Contains(out.Err.Error(), "This may not be used.") {
		t.Errorf("it failed with %v", out.Err)
	}
}

func TestRules_BeforeAModelIsAsked(t *testing.T) {
	a := ruled(t, `- {name: no_model, event: before_model_call, when: model.role == "main", verdict: refuse, reason: No model today.}`)
	out := asks(t, a, question)
	wants(t, out, run.Failed)
	for _, e := range turnEvents(t, a, out, journal.ModelCalled) {
		if d, _ := journal.Read[journal.ModelCalledData](e); d.Role == "main" && d.Purpose == "reply" {
			t.Errorf("the model was asked: %+v", d)
		}
	}
	a = ruled(t, `- {name: look, event: before_model_call, when: model.purpose == "reply", verdict: hold}`)
	out = asks(t, a, "hello")
	wants(t, out, run.Paused)
	out = decides(t, a, pending(t, a), true, "Ann Bell")
	wants(t, out, run.Completed)
}

func TestRules_AReplyWaitsAndGoesOutAsItWasShown(t *testing.T) {
	a := ruled(t, `- {name: read_it, event: before_output, verdict: hold, checkpoint: letter}`)
	out := asks(t, a, "hello")
	wants(t, out, run.Paused)
	v := pending(t, a)
	var shown struct{ Output string }
	if err := json.Unmarshal(v.Args, &shown); err != nil || shown.Output == "" {
		t.Fatalf("what is shown is %s (%v)", v.Args, err)
	}
	if said := turnEvents(t, a, out, journal.Message); len(said) != 0 {
		t.Errorf("the person has it already: %+v", said)
	}
	out = decides(t, a, v, true, "Ann Bell")
	wants(t, out, run.Completed)
	if out.Run.Output != shown.Output {
		t.Errorf("the reply is %q, shown was %q", out.Run.Output, shown.Output)
	}
	out = asks(t, a, "hello")
	out = decides(t, a, pending(t, a), false, "Ann Bell")
	wants(t, out, run.Completed)
	if want := "This reply was withheld: not in this letter."; out.Run.Output != want {
		t.Errorf("the rejected reply is %q, want %q", out.Run.Output, want)
	}
}

func TestRules_AreTheSameForAgentsOfFiles(t *testing.T) {
	a := ruled(t, `
- {name: no_sums, event: before_tool_call, agents: [sums], tools: [calculator], verdict: refuse, reason: No sums.}
- {name: polite, event: before_output, agents: [sums], verdict: refuse, reason: It is not polite enough.}`)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "2+2", Definition: `name: sums
nodes:
  - {name: add, kind: tool, tool: calculator, arguments: {expression: "2+2"}}
  - {name: reply, kind: transform, template: "it says {{.add_output}}"}
edges: [{from: add, to: reply}]
`})
	if err != nil {
		t.Fatal(err)
	}
	if got := firings(t, a, out); len(got) != 2 || got[0] != "no_sums refuse" || got[1] != "polite refuse" {
		t.Errorf("fired: %v; the turn is %s (%v)", got, out.Run.Status, out.Err)
	}
	if out.Run.Output != "This reply was withheld: It is not polite enough." {
		t.Errorf("the reply is %q", out.Run.Output)
	}
}

func TestRules_ASetThatCannotBeReadStopsEveryTurn(t *testing.T) {
	a := clinic(t, 0)
	if err := a.Store.PutSetting("rules", []map[string]string{{"name": "x", "event": "before_tool_call", "verdict": "explode"}}); err != nil {
		t.Fatal(err)
	}
	_, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "hello"})
	if f := app.AsFault(err); err == nil || f.Code != "rules" {
		t.Errorf("a turn began without its rules: %v", err)
	}
}

func TestFiling_F82_SeedingIsIdempotent(t *testing.T) {
	dir := t.TempDir()
	var before []app.RuleView
	for range 3 {
		a := openApp(t, dir, 0)
		rules, err := a.Rules()
		if err != nil || len(rules) != 2 || before != nil && rules[0].Name != before[0].Name {
			t.Errorf("rules: %+v %v", rules, err)
		}
		before = rules
		closeApp(t, a)
	}
	a := openApp(t, dir, 0)
	defer closeApp(t, a)
	if err := a.SwitchRule("hitl_on_mutating_capability", true, app.Proof{}); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	rules, err := a.Rules()
	if err != nil || len(rules) != 2 {
		t.Fatalf("rules: %+v %v", rules, err)
	}
	for _, r := range rules {
		if r.Name == "hitl_on_mutating_capability" && !r.Off {
			t.Error("opening switched a rule on again that a person had switched off")
		}
	}
	if err := a.RemoveRule("hitl_on_mutating_capability", app.Proof{}); err != nil {
		t.Fatal(err)
	}
	if err := a.RemoveRule("hitl_on_mutating_capability", app.Proof{}); err == nil {
		t.Error("a rule of the program was removed")
	}
}

func TestRules_WithTheSeedOffAChangeStillWaits(t *testing.T) {
	a := clinic(t, 0)
	if err := a.SwitchRule("hitl_on_mutating_capability", true, app.Proof{}); err != nil {
		t.Fatal(err)
	}
	held(t, a, "")
}

// "The rule says no visit without a reason; I took the reason out of the request, and it was booked."
func TestRules_AReviewerCannotEditPastARule(t *testing.T) {
	a := ruled(t, `- {name: reasons, event: before_tool_call, tools: [book_*], when: "lower(args.reason) contains 'opioid'", verdict: refuse, reason: Opioids are asked for on paper.}`)
	asks(t, a, "Book Alder with a sleep specialist")
	v := pending(t, a)
	var args map[string]any
	if err := json.Unmarshal(v.Args, &args); err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[string]bool{"opioids again": false, "sleep": true} {
		args["reason"] = reason
		raw, _ := json.Marshal(args)
		m, err := a.Modify(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. Jane Smith", Args: raw})
		switch {
		case (err == nil) != want:
			t.Errorf("%s: %v", reason, err)
		case want:
			v = m
		case !strings.Contains(err.Error(), "Opioids are asked for on paper"):
			t.Errorf("%s: %v", reason, err)
		}
	}
}
