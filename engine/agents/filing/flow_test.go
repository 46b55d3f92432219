package filing_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/agents/filing"
	"holdpoint/engine/call"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/record"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/skill"
	"holdpoint/engine/turn"
	"holdpoint/store"
	"holdpoint/store/storetest"
)

func TestFiling_F1_TheFlowRunsInItsOrder(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("SKILL_SELECT:{rrc_rule32}"), wants("context_assemble", `{}`), says("Done."))
	status(t, l.ask("Look at both rules."), run.Completed)
	want(t, "path", l.path(), []string{"preflight", "system_prompt_node", "memory_node", "resume_guard", "initial_llm_call", "tool_node", "initial_llm_call",
		"skill_select_node", "skill_inject_node", "approval_node", "synthesis_llm_call", "tool_node", "synthesis_llm_call", "output_format"})
}

func TestFiling_F2_TheKindsAreKnownAndNoOthers(t *testing.T) {
	for _, kind := range []string{"rule_37", "rule_32", "flaring_monitor", "compliance_monitor", "general"} {
		l := newLab(t, kind, says("Hello."))
		out := l.ask("Hello")
		status(t, out, run.Completed)
		want(t, "agent_type", filing.ChannelType.Get(out.State), kind)
		want(t, "ids", []string{out.Run.Session, out.Run.Turn, out.Run.Agent}, []string{"s", "1", "filing"})
	}
	l := newLab(t, filing.General)
	if _, err := l.agent.Graph(map[string]string{"type": "rule_99"}); err == nil {
		t.Error("a type that is not there has a graph")
	}
}

func TestFiling_F3_TheStatusFollowsTheTurn(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Proposed."), says("Done."))
	out := l.ask("Add the operator.")
	status(t, out, run.Paused)
	want(t, "status", filing.ChannelStatus.Get(out.State), "awaiting_hitl")
	l.decide(true, "")
	out = l.resume()
	status(t, out, run.Completed)
	want(t, "status", filing.ChannelStatus.Get(out.State), "completed")
	want(t, "node", filing.ChannelNode.Get(out.State), "output_format")
	first := l.of(journal.StageCompleted)[1]
	has(t, "the first node", string(first.Data), `"status":"running"`)
}

func TestFiling_F4_MessagesPromptAndModelAreState(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("It is the test ranch."))
	out := l.ask("Which well?")
	var roles []string
	for _, m := range filing.ChannelMessages.Get(out.State) {
		roles = append(roles, m.Role)
	}
	want(t, "roles", roles, []string{"user", "assistant", "tool", "assistant"})
	want(t, "model", filing.ChannelModel.Get(out.State), "puppet")
	has(t, "system_prompt", filing.ChannelSystem.Get(out.State), "=== User ===")
}

func TestFiling_F5_TheBudgetIsPartOfTheState(t *testing.T) {
	l := newLab(t, filing.General, says("Hello."))
	out := l.ask("Hello")
	want(t, "max_tokens", filing.ChannelMaxTokens.Get(out.State), 100_000)
	want(t, "max_cost_usd", filing.ChannelMaxCost.Get(out.State), 5.0)
	want(t, "tokens_used", filing.ChannelTokens.Get(out.State), 15)
	want(t, "used by the run", out.Run.Used.Tokens, 15)
}

func TestFiling_F6_PendingCallsAreStateUntilTheyAreAnswered(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	out := l.ask("Which well?")
	want(t, "pending after the turn", len(filing.ChannelCalls.Get(out.State)), 0)
	for _, e := range l.of(journal.StageCompleted) {
		if e.Stage == "initial_llm_call" {
			has(t, "the first answer", string(e.Data), `"pending_tool_calls":[{`, `"entity_resolve"`)
			return
		}
	}
	t.Error("no model was asked")
}

func TestFiling_F7_WhatWasInjectedIsState(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	out := l.ask("Look at both rules.")
	want(t, "injected", filing.ChannelSkills.Get(out.State), []string{"rrc_rule37", "rrc_rule32"})
	want(t, "active", filing.ChannelActive.Get(out.State), map[string]int{"rrc_rule37": skill.Complete, "rrc_rule32": skill.Complete})
	want(t, "selected", filing.ChannelSelected.Get(out.State), []string{"rrc_rule32"})
	want(t, "done", filing.ChannelInjected.Get(out.State), true)
	if got := filing.ChannelEntities.Get(out.State); !slices.Contains(got, subject) {
		t.Errorf("entities: %v", got)
	}
}

func TestFiling_F8_ThePhaseSaysWhichCallItIs(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator))
	want(t, "before", filing.ChannelPhase.Get(l.ask("Add it.").State), "initial")
	l = newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), wants("create_entity", newOperator), says("Done."))
	out := l.ask("Add it.")
	status(t, out, run.Paused)
	want(t, "after", filing.ChannelPhase.Get(out.State), "synthesis")
	l.decide(true, "")
	out = l.resume()
	want(t, "a resume keeps it", l.path()[len(l.path())-2], "synthesis_llm_call")
}

func TestFiling_F50_TheFrozenRoundKeepsThePhaseThatItWasAskedIn(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), wants("create_entity", newOperator), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	// The state says another phase than the frozen round: the round is what was held.
	cp, err := l.db.Load(l.id())
	must(t, err)
	must(t, l.db.Apply(&run.Commit{Run: l.id(), LeaseEpoch: cp.Run.LeaseEpoch, Set: []graph.ChannelValue{{Channel: "llm_phase", Value: json.RawMessage(`"initial"`)}}}))
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	want(t, "after the frozen call", l.after("tool_node"), []string{"resume_guard", "synthesis_llm_call"})
	want(t, "phase", filing.ChannelPhase.Get(out.State), "synthesis")
}

// remembers gives the lab's turns memory of other sessions.
func (l *lab) remembers(texts ...string) *lab {
	must(l.t, l.db.UpdateMemory(func(tx memory.Tx) error {
		for i, text := range texts {
			old := "old" + string(rune('a'+i))
			if err := tx.PutEpisode(memory.Episode{ID: memory.EpisodeID(subject, old), About: subject, Session: old, Text: text, By: memory.ByCode, At: t0, Turns: 1}); err != nil {
				return err
			}
		}
		return nil
	}))
	l.live.Memory = &memory.Recaller{Store: l.db}
	return l
}

func TestFiling_F9_MemoryContextNamesWhatWasRecalled(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello.")).remembers("Filed the spacing exception of the ranch before.")
	out := l.ask("The spacing exception again")
	if got := filing.ChannelMemory.Get(out.State).Episodes; len(got) != 1 || got[0].ID != memory.EpisodeID(subject, "olda") || got[0].Similarity <= 0 {
		t.Errorf("memory_context: %+v", got)
	}
}

func TestFiling_F10_TheHoldIsPartOfTheState(t *testing.T) {
	for _, c := range []struct {
		who            rule.Reviewer
		name, strategy string
	}{{rule.Reviewer{Name: "Pat Example"}, "Pat Example", "named_individual"}, {rule.Reviewer{Role: "engineer"}, "engineer", "role_based"}} {
		l := newLab(t, filing.Rule37, wants("offset_well_analysis", `{}`), says("Two wells.")).
			rules(rule.Rule{Name: "look_first", Event: rule.AfterToolCall, Tools: []string{"offset_well_analysis"}, Verdict: rule.Hold, Checkpoint: "offsets", Reviewer: &c.who})
		out := l.ask("Which wells are near?")
		status(t, out, run.Paused)
		want(t, "hold", []any{filing.ChannelRequired.Get(out.State), filing.ChannelCheckpoint.Get(out.State), filing.ChannelReviewer.Get(out.State), filing.ChannelStrategy.Get(out.State)},
			[]any{true, "offsets", c.name, c.strategy})
		want(t, "for", *l.one().For, c.who)
	}
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator))
	out := l.ask("Add it.")
	want(t, "hitl_approval_id", filing.ChannelApproval.Get(out.State), l.one().ID)
}

func TestFiling_F11_TenEntitiesAreRememberedTheOldestLeaves(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{"query":"42-329-97102"}`), says("Done."))
	var recent []string
	for i := range 10 {
		recent = append(recent, "Operator/"+string(rune('a'+i)))
	}
	must(t, l.db.UpdateMemory(func(tx memory.Tx) error { return tx.PutWorking("s", memory.Working{Recent: recent}) }))
	out := l.ask("Which well?")
	got := filing.ChannelRecent.Get(out.State)
	want(t, "recent", got, append(slices.Clone(recent[1:]), "Well/42-329-97102"))
	want(t, "working memory", l.working().Recent, got)
}

func TestFiling_F12_AGatedCallIsPendingMutation(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator))
	m := filing.ChannelMutation.Get(l.ask("Add it.").State)
	if m == nil || m.Tool != "create_entity" || m.Approval != l.one().ID || m.Status != "pending" || m.Call != l.one().Call {
		t.Errorf("pending_mutation: %+v", m)
	}
}

func TestFiling_F13_FailedResolvesAreCounted(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{"query":"nobody"}`), wants("entity_resolve", `{"query":"no one"}`), says("Which one?"))
	want(t, "count", filing.ChannelUnclear.Get(l.ask("Find it.").State), 2)
}

func TestFiling_F14_MetadataIsKept(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	out := l.ask("Hello", "display_name", "Ada", "role", "analyst", "pattern", "rule_37")
	want(t, "metadata", filing.ChannelMetadata.Get(out.State), map[string]string{"display_name": "Ada", "role": "analyst"})
}

func TestFiling_F27_WithoutAPendingCallTheGuardPasses(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	p := l.path()
	want(t, "after the guard", p[slices.Index(p, "resume_guard")+1], "initial_llm_call")
}

func TestFiling_F28_AnApprovedCallRunsOnceUnderItsOwnID(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	id := l.one().Call
	l.decide(true, "")
	before := len(l.path())
	status(t, l.resume(), run.Completed)
	want(t, "way", l.path()[before:before+3], []string{"resume_guard", "tool_node", "initial_llm_call"})
	done := l.of(journal.MutationCommitted)
	if len(done) != 1 || done[0].Call != id {
		t.Errorf("committed: %+v, want %s once", done, id)
	}
	want(t, "operators", len(l.records("Operator")), 3)
}

func TestFiling_F29_ARejectedCallIsDroppedAndTheModelHearsWhy(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("I see."))
	status(t, l.ask("Add it."), run.Paused)
	l.decide(false, "it is there under another name")
	before := len(l.path())
	out := l.resume()
	status(t, out, run.Completed)
	want(t, "way", l.path()[before:before+2], []string{"resume_guard", "initial_llm_call"})
	last := l.model.requests()[1]
	has(t, "the next prompt", text(last), "rejected the call create_entity", "it is there under another name")
	if filing.ChannelMutation.Get(out.State) != nil || len(l.records("Operator")) != 2 {
		t.Error("the call is not dropped")
	}
}

// "I said no and why, twice, and it came a third time under another name." What a person said no to twice is not
// proposed again in the turn.
func TestFiling_WhatAPersonSaidNoToTwiceIsNotProposedAgain(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), wants("create_entity", strings.Replace(newOperator, "name\":\"", "name\":\"New ", 1)),
		wants("create_entity", strings.Replace(newOperator, "name\":\"", "name\":\"Other ", 1)), says("I see."))
	status(t, l.ask("Add it."), run.Paused)
	l.decide(false, "it is there under another name")
	status(t, l.resume(), run.Paused)
	l.decide(false, "neither is that one")
	out := l.resume()
	status(t, out, run.Completed)
	requests := l.model.requests()
	if last := requests[len(requests)-1]; slices.ContainsFunc(last.Tools, func(o model.Tool) bool { return o.Name == "create_entity" }) || len(last.Tools) == 0 {
		t.Errorf("it is offered: %+v", last.Tools)
	}
	if asked := l.of(journal.ApprovalRequested); len(asked) != 2 || len(l.records("Operator")) != 2 {
		t.Errorf("%d approvals were asked for", len(asked))
	}
}

func TestFiling_F30_WhatCannotBeReadPausesAgain(t *testing.T) {
	begin := func() *lab {
		l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
		status(t, l.ask("Add it."), run.Paused)
		return l
	}
	still := func(what string, l *lab) {
		t.Helper()
		out := l.resume()
		if out.Run.Status != run.Paused || len(l.records("Operator")) != 2 || len(l.model.requests()) != 1 {
			t.Errorf("%s: the turn is %s (%v), %d operators, the model was asked %d times", what, out.Run.Status, out.Err, len(l.records("Operator")), len(l.model.requests()))
		}
	}
	still("pending", begin())
	l := begin()
	a := l.one()
	must(t, l.db.Update(func(tx store.Tx) error {
		e, err := tx.Entry(a.Call)
		if err != nil {
			return err
		}
		e.Approval = "ap.gone"
		return tx.PutEntry(e)
	}))
	still("the record is missing", l)
	l = begin()
	l.meddle(l.one().ID, func(a *ledger.Approval) { a.Status = ledger.Approved })
	still("approved by nobody", l)
	l = begin()
	l.meddle(l.one().ID, func(a *ledger.Approval) {
		a.Args = json.RawMessage(`{"name":"ELSE","type":"Operator"}`)
		a.Status = ledger.Approved
	})
	still("other arguments", l)
}

func TestFiling_F36_WithoutASkillThereIsNoSecondCall(t *testing.T) {
	l := newLab(t, filing.General, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	want(t, "calls of a model without a skill", len(l.model.requests()), 1)
	l = newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	want(t, "with one", len(l.model.requests()), 2)
}

func TestFiling_F44_ARoundCountsAndLeavesNoCalls(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`, "context_assemble", `{}`), wants("offset_well_analysis", `{}`), says("Done."))
	out := l.ask("Look")
	want(t, "iteration", filing.ChannelIteration.Get(out.State), 3) // two rounds, and the end
	want(t, "calls", len(filing.ChannelCalls.Get(out.State)), 0)
}

func TestFiling_F45_ABareToolIsGatedAsAMutation(t *testing.T) {
	s := made(t, map[string]string{"SKILL.md": "---\nname: stamps\ndescription: Stamps.\n---\n", "s.star": "def run(args):\n    return 1\n", "blocks.yaml": "- {name: stamp, description: Stamps., file: s.star}\n"})
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{stamps}"), wants("stamp", `{}`)).with(s)
	status(t, l.ask("Stamp it."), run.Paused)
	a := l.one()
	want(t, "gated", []string{a.Tool, a.Checkpoint, a.Rule}, []string{"stamp", "mutation", "hitl_on_mutating_capability"})
	want(t, "dispatched", len(l.ran()), 0)
}

func TestFiling_F46_TheApprovalRecordIsThereBeforeTheTurnPauses(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator))
	seen := 0
	l.db.Subscribe(func(e *journal.Event) {
		if e.Kind == journal.StageCompleted && e.Stage == "tool_node" {
			seen = len(l.waiting()) // what a screen that hears of the frozen round finds on disk
		}
	})
	out := l.ask("Add it.")
	want(t, "records when the round is frozen", seen, 1)
	want(t, "the pause names it", out.Pauses[0].ID, l.one().ID)
	var order []journal.Kind
	for _, k := range []journal.Kind{journal.ApprovalRequested, journal.TurnPaused} {
		order = append(order, k)
		want(t, string(k), len(l.of(k)), 1)
	}
	if l.of(order[0])[0].Seq >= l.of(order[1])[0].Seq {
		t.Error("the turn pauses before the approval is requested")
	}
}

func TestFiling_F47_TheFrozenCallLastsAsLongAsItsApproval(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	m := filing.ChannelMutation.Get(l.ask("Add it.").State)
	first := l.one()
	want(t, "frozen", []string{m.Call, string(m.Args), m.Approval}, []string{first.Call, string(m.Args), first.ID})
	has(t, "frozen arguments", string(m.Args), "MADE UP TWO LLC")
	want(t, "kept", first.ExpiresAt.Sub(first.RequestedAt), 7*24*time.Hour)
	l.later(8 * 24 * time.Hour)
	out := l.resume()
	status(t, out, run.Paused)
	again := l.one()
	if again.ID == first.ID || again.Call != first.Call || len(l.records("Operator")) != 2 {
		t.Errorf("after eight days %s waits for call %s; it was %s", again.ID, again.Call, first.ID)
	}
	l.decide(true, "")
	status(t, l.resume(), run.Completed)
	want(t, "operators", len(l.records("Operator")), 3)
}

func TestFiling_F48_TheWholeRoundIsGatedBeforeAnyOfIt(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("offset_well_analysis", `{}`, "create_entity", newOperator, "link_entities", `{"from":"Well/42-329-97103","to":"Operator/made-up-oil-inc"}`), says("Done."))
	out := l.ask("Do all of it.")
	status(t, out, run.Paused)
	want(t, "one approval per mutating call", len(l.waiting()), 2)
	want(t, "dispatched", len(l.ran()), 0)
	for _, m := range filing.ChannelMessages.Get(out.State) {
		if len(m.Calls) > 0 {
			t.Errorf("a call dangles: %+v", m)
		}
	}
	want(t, "siblings in the frozen round", len(filing.ChannelMutation.Get(out.State).Round.Calls), 3)
	// One verdict of two releases nothing; both release the round as it was asked, under its ids.
	both := l.waiting()
	approve := func(a ledger.Approval) {
		t.Helper()
		_, err := storetest.Decide(l.db, ledger.Verdict{ID: a.ID, Digest: a.Digest, Approve: true, Reviewer: "Test Reviewer"}, l.clock())
		must(t, err)
	}
	approve(both[0])
	status(t, l.resume(run.Resumption{Answers: map[string]json.RawMessage{both[0].ID: json.RawMessage(`{"decided":true}`)}}), run.Paused)
	want(t, "dispatched after one verdict", []int{len(l.ran()), len(l.of(journal.MutationCommitted)), len(l.records("Operator"))}, []int{0, 0, 2})
	approve(both[1])
	out = l.resume(run.Resumption{Answers: map[string]json.RawMessage{both[1].ID: json.RawMessage(`{"decided":true}`)}})
	status(t, out, run.Completed)
	want(t, "changes", len(l.of(journal.MutationCommitted)), 2)
	var answered []string
	for _, m := range filing.ChannelMessages.Get(out.State) {
		if m.Role == "tool" {
			answered = append(answered, m.Tool)
		}
	}
	want(t, "answered in their order", answered, []string{"offset_well_analysis", "create_entity", "link_entities"})
}

func TestFiling_F49_NothingIsDispatchedWhileItWaits(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator))
	out := l.ask("Add it.")
	want(t, "state", []any{filing.ChannelStatus.Get(out.State), len(l.ran()), len(l.of(journal.MutationCommitted)), len(l.records("Operator"))}, []any{"awaiting_hitl", 0, 0, 2})
}

func TestFiling_F50_TheReplayReadsItsApprovalAgainAndClears(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	state := l.ask("Add it.").State
	raw, err := json.Marshal(filing.ChannelMutation.Get(state))
	must(t, err)
	lacks(t, "the frozen call", string(raw), "approved", "verdict")
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	if filing.ChannelMutation.Get(out.State) != nil || len(l.of(journal.ApprovalRequested)) != 1 || len(l.of(journal.MutationCommitted)) != 1 {
		t.Error("the replay was gated again, ran twice, or was not cleared")
	}
	// What the record says is read when it runs, not when it was approved: it has to be the
	// call that was approved, to the byte.
	for what, meddle := range map[string]func(a *ledger.Approval, e *ledger.Entry){
		"other arguments": func(a *ledger.Approval, _ *ledger.Entry) {
			a.Args = json.RawMessage(`{"name":"ELSE","type":"Operator"}`)
		},
		"another call":      func(a *ledger.Approval, _ *ledger.Entry) { a.Call = "another" },
		"another digest":    func(_ *ledger.Approval, e *ledger.Entry) { e.Digest = "sha256:00" },
		"taken back":        func(a *ledger.Approval, _ *ledger.Entry) { a.Status = ledger.Void },
		"for somebody else": func(a *ledger.Approval, _ *ledger.Entry) { a.For = &rule.Reviewer{Name: "Else"} },
		"passed on unheard": func(a *ledger.Approval, _ *ledger.Entry) { a.Delegations = []ledger.Delegation{{From: "x", To: "y"}} },
	} {
		l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
		status(t, l.ask("Add it."), run.Paused)
		approved := l.decide(true, "")
		must(t, l.db.Update(func(tx store.Tx) error {
			e, err := tx.Entry(approved.Call)
			if err != nil {
				return err
			}
			meddle(&approved, &e)
			return errors.Join(tx.PutApproval(approved), tx.PutEntry(e))
		}))
		out := l.resume()
		if out.Run.Status == run.Completed || len(l.records("Operator")) != 2 || len(l.of(journal.MutationCommitted)) != 0 {
			t.Errorf("%s: the turn is %s with %d operators", what, out.Run.Status, len(l.records("Operator")))
		}
	}
}

func TestFiling_F58_AFilingAndAnArgumentAreHeldByTheirSkill(t *testing.T) {
	for name, checkpoint := range map[string]string{"rule37_filing_assembly": "pre_filing", "good_cause_narrative": "good_cause_review"} {
		l := newLab(t, filing.Rule37, wants(name, `{}`), says("Here it is."))
		out := l.ask("Prepare it.")
		status(t, out, run.Paused)
		want(t, name, []any{l.one().Checkpoint, out.Pauses[0].Stage}, []any{checkpoint, "approval_node"})
	}
	l := newLab(t, filing.Rule32, wants("rule32_filing_assembly", `{}`), says("Here it is."))
	status(t, l.ask("Prepare it."), run.Paused)
	want(t, "rule 32", l.one().Checkpoint, "pre_filing")
}

func TestFiling_F59_MetadataForcesAPauseAndLiftsNone(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello", "hitl_checkpoint_type", "legal_review"), run.Paused)
	want(t, "checkpoint", l.one().Checkpoint, "legal_review")
	want(t, "told before", len(l.of(journal.Message)), 0)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	want(t, "reply", out.Run.Output, "Hello.")
	for _, v := range []string{"none", "", "false"} {
		l = newLab(t, filing.Rule37, signsOff()...)
		status(t, l.ask("Prepare it.", "hitl_checkpoint_type", v), run.Paused)
		if !slices.ContainsFunc(l.waiting(), func(a ledger.Approval) bool { return a.Checkpoint == "pre_filing" }) {
			t.Errorf("%q lifted the hold of the filing", v)
		}
	}
}

func TestFiling_F59_NeitherWordLiftsAHoldThatIsOn(t *testing.T) {
	// Only that hold is left when the forced one was passed: no word in the metadata takes it away.
	for _, v := range []string{"none", "off", "false", "0"} {
		l := newLab(t, filing.Rule37, signsOff()...)
		status(t, l.ask("Prepare it.", "hitl_checkpoint_type", v), run.Paused)
		for _, a := range l.waiting() {
			if a.Checkpoint == "pre_filing" {
				continue
			}
			_, err := storetest.Decide(l.db, ledger.Verdict{ID: a.ID, Approve: true, Reviewer: "Test Reviewer"}, l.clock())
			must(t, err)
		}
		out := l.resume()
		if out.Run.Status != run.Paused || len(l.filings()) != 0 {
			t.Errorf("%q: the turn is %s with %d filings before the form was signed", v, out.Run.Status, len(l.filings()))
		}
	}
}

func TestFiling_F60_TheSnapshotIsOnDiskAndSynthesisWaits(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	cp, err := l.db.Load(l.id())
	must(t, err)
	stored, err := json.Marshal(cp.Channels)
	must(t, err)
	has(t, "the snapshot", string(stored), "rule37_filing_assembly", `injected_skill_ids`, `rrc_rule37`, `tokens_used`, `metadata`, `injected_entity_ids`)
	want(t, "synthesis before the verdict", slices.Contains(l.path(), "synthesis_llm_call"), false)
	l.decide(true, "")
	before := len(l.path())
	out := l.resume()
	status(t, out, run.Completed)
	want(t, "after it", l.path()[before:], []string{"approval_node", "synthesis_llm_call", "output_format"})
	want(t, "flags", []any{filing.ChannelRequired.Get(out.State), filing.ChannelCheckpoint.Get(out.State), len(filing.ChannelHolds.Get(out.State))}, []any{false, "", 0})
	want(t, "filings", len(l.filings()), 1)

	l = newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	l.decide(false, "the plat is old")
	before = len(l.path())
	out = l.resume()
	status(t, out, run.Completed)
	want(t, "after a rejection", l.path()[before:], []string{"approval_node", "output_format"})
	has(t, "the output", out.Run.Output, "the plat is old", "Nothing was filed: Form W-1 was rejected")
	want(t, "filings", len(l.filings()), 0)
	want(t, "flags", filing.ChannelRequired.Get(out.State), false)

	l = newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	status(t, l.resume(), run.Paused)
	want(t, "filings without a verdict", len(l.filings()), 0)
}

func TestFiling_F61_WithoutAReadableApprovalNothingGoesOn(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	a := l.one()
	must(t, l.db.Update(func(tx store.Tx) error {
		e, err := tx.Entry(a.Call)
		if err != nil {
			return err
		}
		e.Approval = "ap.gone"
		return tx.PutEntry(e)
	}))
	out := l.resume()
	if out.Run.Status == run.Completed || len(l.filings()) != 0 || slices.Contains(l.path(), "synthesis_llm_call") {
		t.Errorf("the turn is %s with %d filings", out.Run.Status, len(l.filings()))
	}
	l = newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	l.meddle(l.one().ID, func(a *ledger.Approval) { a.Status, a.Reviewer = ledger.Approved, "Nobody" })
	out = l.resume()
	if out.Run.Status == run.Completed || len(l.filings()) != 0 {
		t.Errorf("approved by nobody: the turn is %s with %d filings", out.Run.Status, len(l.filings()))
	}
}

func TestFiling_F62_AnErrorFailsAndALimitCanBeRaised(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	l.live.Skills = skill.NewShelf(skill.Jail{})
	status(t, l.ask("Hello"), run.Failed)
	l = newLab(t, filing.Rule37, says("Hello."))
	out := l.ask("Hello")
	want(t, "done", []any{filing.ChannelStatus.Get(out.State), filing.ChannelIteration.Get(out.State)}, []any{"completed", 1})
	// A budget that is used up and the limit of rounds end the turn without an answer, and say which it was.
	for limit, more := range map[string]graph.Limits{graph.LimitTokens: {Tokens: 100}, filing.Iterations: {Own: map[string]int{filing.Iterations: 5}}} {
		l = newLab(t, filing.Rule37, wants("offset_well_analysis", `{}`), wants("entity_resolve", `{}`), says("Done."))
		l.limits = &graph.Limits{Tokens: map[bool]int{true: 15, false: 1000}[limit == graph.LimitTokens], Rounds: 1}
		out = l.ask("Look")
		status(t, out, run.Limited)
		want(t, "limit", []any{out.Run.Limit, out.Run.Output, len(l.of(journal.TurnLimited)), slices.Contains(l.path(), "output_format")}, []any{limit, "", 1, false})
		more.Own = map[string]int{filing.Iterations: 5}
		if limit == filing.Iterations {
			more.Tokens = 0
		}
		out = l.resume(run.Resumption{Answers: map[string]json.RawMessage{}, More: more, By: "Test Reviewer"})
		status(t, out, run.Completed)
		want(t, "after more", []any{out.Run.Output, filing.ChannelStatus.Get(out.State), filing.ChannelIteration.Get(out.State), out.Run.Used.Rounds}, []any{"Done.", "completed", 3, 2})
	}
}

// routes are the ways that edges of the graph lead from a node.
func routes(t *testing.T, from graph.StageID) (out []string) {
	for _, e := range newLab(t, filing.Rule37).g.Manifest().Edges {
		if e.From == from {
			out = append(out, string(e.To))
		}
	}
	slices.Sort(out)
	return out
}

func TestFiling_F63_RoutesOfTheGuard(t *testing.T) {
	want(t, "ways", routes(t, filing.ResumeGuard), []string{"initial_llm_call", "tool_node"})
	begin := func() *lab {
		l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
		status(t, l.ask("Add it."), run.Paused)
		return l
	}
	l := begin()
	before := len(l.path())
	out := l.resume() // nobody decided
	status(t, out, run.Paused)
	want(t, "while it waits", []any{len(l.path()) - before, out.Pauses[0].Stage}, []any{0, filing.ResumeGuard})
	for approve, next := range map[bool]string{true: "tool_node", false: "initial_llm_call"} {
		l := begin()
		l.decide(approve, "why")
		before := len(l.path())
		status(t, l.resume(), run.Completed)
		want(t, "after the verdict", l.path()[before:before+2], []string{"resume_guard", next})
	}
	l = newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	want(t, "without a call", l.after("resume_guard"), []string{"initial_llm_call"})
}

func TestFiling_F64_RoutesOfTheFirstCall(t *testing.T) {
	want(t, "ways", routes(t, filing.InitialCall), []string{"skill_select_node", "tool_node"})
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	status(t, l.ask("Which well?"), run.Completed)
	want(t, "with calls, then without", l.after("initial_llm_call"), []string{"tool_node", "skill_select_node"})
	// With an error the turn ends there: nothing is answered, nothing goes on.
	l = newLab(t, filing.Rule37, says("Hello."))
	l.model.fails = errors.New("the model is gone")
	out := l.ask("Hello")
	status(t, out, run.Failed)
	want(t, "with an error", []any{out.Run.ErrorStage, out.Run.Output, slices.Contains(l.path(), "skill_select_node")}, []any{filing.InitialCall, "", false})
}

func TestFiling_F65_RoutesOfTheTools(t *testing.T) {
	want(t, "ways", routes(t, filing.ToolNode), []string{"initial_llm_call", "resume_guard", "synthesis_llm_call"})
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), wants("entity_resolve", `{}`), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	p := l.path()
	want(t, "in the second phase", p[slices.Index(p, "tool_node")+1], "synthesis_llm_call")
	l = newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	status(t, l.ask("Which well?"), run.Completed)
	want(t, "in the first phase", l.after("tool_node"), []string{"initial_llm_call"})
	l = newLab(t, filing.Rule37, wants("create_entity", newOperator))
	out := l.ask("Add it.")
	want(t, "at the gate", []any{l.path()[len(l.path())-1], out.Pauses[0].Stage}, []any{"tool_node", filing.ResumeGuard})
}

func TestFiling_F66_RoutesOfTheSelection(t *testing.T) {
	want(t, "ways", routes(t, filing.SkillSelect), []string{"approval_node", "skill_inject_node"})
	for said, next := range map[string]string{"SKILL_SELECT:{rrc_rule32}": "skill_inject_node", "Nothing to load.": "approval_node", "SKILL_SELECT:{rrc_rule37}": "approval_node", "SKILL_SELECT:{nobody}": "approval_node"} {
		l := newLab(t, filing.Rule37, says(said), says("Done."))
		status(t, l.ask("Look"), run.Completed)
		want(t, "after "+said, l.after("skill_select_node"), []string{next})
	}
}

func TestFiling_F67_InjectionLeadsToApproval(t *testing.T) {
	want(t, "ways", routes(t, filing.SkillInject), []string{"approval_node"})
	// What waits to be signed is not passed by because a skill was loaded.
	l := newLab(t, filing.Rule37, wants("rule37_filing_assembly", `{}`), says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	out := l.ask("Both")
	status(t, out, run.Paused)
	want(t, "behind the injection", []any{l.path()[len(l.path())-1], out.Pauses[0].Stage}, []any{"skill_inject_node", filing.ApprovalNode})
}

func TestFiling_F68_RoutesOfApproval(t *testing.T) {
	want(t, "ways", routes(t, filing.ApprovalNode), []string{"output_format", "synthesis_llm_call"})
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	want(t, "with nothing to sign", l.after("approval_node"), []string{"synthesis_llm_call"})
	for approve, next := range map[bool]string{true: "synthesis_llm_call", false: "output_format"} {
		l := newLab(t, filing.Rule37, signsOff()...)
		status(t, l.ask("Prepare it."), run.Paused)
		want(t, "while it waits", len(l.after("approval_node")), 0)
		l.decide(approve, "why")
		status(t, l.resume(), run.Completed)
		want(t, "after the verdict", l.after("approval_node"), []string{next})
	}
}

func TestFiling_F69_AHoldOfTheSecondPhaseGoesToApprovalFirst(t *testing.T) {
	want(t, "ways", routes(t, filing.Synthesis), []string{"approval_node", "output_format", "tool_node"})
	l := newLab(t, filing.Rule32, says("SKILL_SELECT:{rrc_rule37}"), wants("rule37_filing_assembly", `{}`), says("Here it is."), says("Signed."))
	out := l.ask("Both")
	status(t, out, run.Paused)
	want(t, "where", out.Pauses[0].Stage, "approval_node")
	want(t, "told before", len(l.of(journal.Message)), 0)
	l.decide(true, "")
	out = l.resume()
	status(t, out, run.Completed)
	want(t, "reply", out.Run.Output, "Signed.")
}

func TestFiling_F72_TheGraphIsMadeOnceAndRunsShareNoState(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	one, err := l.agent.Graph(l.vars)
	must(t, err)
	if one != l.g {
		t.Error("the graph is built anew")
	}
	first := l.ask("One")
	second := l.ask("Two")
	want(t, "messages of the second", filing.ChannelMessages.Get(second.State)[0].Text, "Two")
	want(t, "and of the first", filing.ChannelMessages.Get(first.State)[0].Text, "One")
}

func TestFiling_F75_TheApprovalRecordIsTheOnlyAuthority(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	id := l.one().ID
	// What a resume brings along says yes; the record does not.
	out := l.resume(run.Resumption{Answers: map[string]json.RawMessage{id: json.RawMessage(`{"approved":true,"decided":true,"status":"approved"}`)}})
	status(t, out, run.Paused)
	want(t, "operators", len(l.records("Operator")), 2)
}

func TestFiling_F76_NoCallDanglesInAnyPrompt(t *testing.T) {
	for what, way := range map[string]func(l *lab){
		"rejected": func(l *lab) { l.decide(false, "no"); status(t, l.resume(), run.Completed) },
		"approved": func(l *lab) { l.decide(true, ""); status(t, l.resume(), run.Completed) },
		"run out and approved": func(l *lab) {
			l.later(8 * 24 * time.Hour)
			status(t, l.resume(), run.Paused)
			l.decide(true, "")
			status(t, l.resume(), run.Completed)
		},
		"left open": func(*lab) {},
	} {
		l := newLab(t, filing.Rule37, wants("offset_well_analysis", `{}`, "create_entity", newOperator), says("I see."), says("Hello."))
		status(t, l.ask("Add it."), run.Paused)
		way(l)
		status(t, l.ask("And now?"), run.Completed) // the next turn of the conversation
		for i, r := range l.model.requests() {
			open := map[string]bool{}
			for _, m := range r.Messages {
				if m.Role == "tool" && !open[m.Call] {
					t.Errorf("%s: prompt %d has an answer to no call: %s", what, i, m.Call)
				}
				for _, c := range m.Calls {
					open[c.ID] = true
				}
				delete(open, m.Call)
			}
			want(t, what+": open calls of prompt "+string(rune('0'+i)), len(open), 0)
		}
	}
}

func TestFiling_F77_TheReplayUsesTheFrozenArguments(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), wants("create_entity", `{"type":"Operator","name":"ANOTHER","number":"970998"}`), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Paused) // the model's next wish waits again
	r := l.records("Operator")
	want(t, "operators", len(r), 3)
	has(t, "what was written", string(r[0].Resource)+string(r[1].Resource)+string(r[2].Resource), "MADE UP TWO LLC")
}

func TestFiling_F78_AWarmAndAColdResumeGiveTheSame(t *testing.T) {
	journalOf := func(cold bool) (out []string) {
		l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
		warm := l.executor()
		status(t, l.ask("Add it."), run.Paused)
		l.decide(true, "")
		before := len(l.all())
		if cold {
			l.resume()
		} else {
			cp, err := l.db.Load(l.id())
			must(t, err)
			_, err = warm.Resume(t.Context(), l.g, l.id(), run.Resumption{Dependencies: l.live, Answers: map[string]json.RawMessage{cp.Pauses[0].ID: json.RawMessage(`{"decided":true}`)}})
			must(t, err)
		}
		for _, e := range l.all()[before:] {
			e.Seq, e.At = 0, time.Time{}
			raw, err := json.Marshal(e)
			must(t, err)
			out = append(out, took.ReplaceAllString(string(raw), `$1:0`))
		}
		return out
	}
	warm, cold := journalOf(false), journalOf(true)
	if len(warm) == 0 || len(warm) != len(cold) {
		t.Fatalf("%d events warm, %d cold", len(warm), len(cold))
	}
	for i := range warm {
		want(t, "event", warm[i], cold[i])
	}
}

// took are the members of events that say how long something took.
var took = regexp.MustCompile(`("(?:ms|prompt_ms|output_ms|took_ms|time_ns)"):[0-9]+`)

func TestFiling_F79_AnEntityAndItsNameAreOneTransaction(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), wants("entity_resolve", `{"query":"MADE UP TWO LLC"}`), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	last := l.model.requests()[2]
	has(t, "the search by name", last.Messages[len(last.Messages)-1].Text, `"decisive":true`, "Operator/made-up-two-llc")
}

func TestFiling_F80_TheRuleNamesTheMutatingCapabilities(t *testing.T) {
	seed := rule.Seeds()[0]
	want(t, "name", seed.Name, "hitl_on_mutating_capability")
	set, err := rule.Compile(rule.Group{Source: rule.Platform, Rules: rule.Seeds()})
	must(t, err)
	for capability, verdict := range map[string]rule.Verdict{"create_entity": rule.Hold, "update_entity": rule.Hold, "link_entities": rule.Hold, "batch_import": rule.Hold, "read": rule.Allow} {
		got := set.Judge(rule.Occasion{Event: rule.BeforeToolCall, Tool: &rule.Tool{Name: "x", Capabilities: []string{capability}}})
		want(t, capability, got.Verdict(), verdict)
	}
	got := set.Judge(rule.Occasion{Event: rule.BeforeToolCall, Tool: &rule.Tool{Name: "x"}})
	want(t, "no capability", got.Verdict(), rule.Hold)
}

func TestFiling_F81_ThreeFailedSearchesAskAtOnce(t *testing.T) {
	searches := []model.Message{wants("entity_resolve", `{"query":"nobody"}`), wants("entity_resolve", `{"query":"no one"}`), wants("entity_resolve", `{"query":"none"}`), says("Thank you.")}
	l := newLab(t, filing.Rule37, searches...)
	out := l.ask("Find it.")
	status(t, out, run.Paused)
	if len(out.Pauses) != 1 || out.Pauses[0].Kind != turn.QuestionPause {
		t.Fatalf("it waits for %+v", out.Pauses)
	}
	out = l.resume(run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"answer":"42-329-97101"}`)}})
	status(t, out, run.Completed)
	want(t, "the answer resets the count", filing.ChannelUnclear.Get(out.State), 0)
	has(t, "the prompt", text(l.model.requests()[3]), "42-329-97101")

	l = newLab(t, filing.Rule37, searches...).rules(rule.Rule{Name: rule.OnUnclear, Event: rule.AfterToolCall, Verdict: rule.Refuse, When: "(state.consecutive_failed_resolves ?? 0) >= 3"})
	out = l.ask("Find it.")
	status(t, out, run.Failed)
	if !errors.Is(out.Err, call.ErrRule) {
		t.Errorf("failed for %v", out.Err)
	}
}

func TestFiling_F82_SeedingTwiceChangesNothing(t *testing.T) {
	own := []rule.Rule{{Name: rule.OnUnclear, Event: rule.AfterToolCall, Verdict: rule.Warn}}
	for range 2 {
		groups := rule.With(own)
		n := 0
		for _, g := range groups {
			for _, r := range g.Rules {
				if r.Name == rule.OnUnclear {
					n++
					want(t, "verdict", r.Verdict, rule.Warn)
				}
			}
		}
		want(t, "rules of the name", n, 1)
	}
}

func TestFiling_F83_ADecisiveSearchResetsTheCount(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{"query":"nobody"}`), wants("entity_resolve", `{"query":"no one"}`), wants("entity_resolve", `{"query":"42-329-97101"}`),
		wants("entity_resolve", `{"query":"none"}`), says("Done."))
	out := l.ask("Find it.")
	status(t, out, run.Completed)
	want(t, "count", filing.ChannelUnclear.Get(out.State), 1)
}

// "She changed the form before she signed it; what she signed is what was filed."
func TestFiling_Modified_TheEditedArgumentsRunUnderTheSameCall(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	a := l.one()
	edited := json.RawMessage(`{"values":[{"box":"40","source":"a phone call","value":"Checked by hand"}],"well":"Well/42-329-97101"}`)
	tl, err := l.live.Tools.Get("rule37_filing_assembly")
	must(t, err)
	must(t, l.db.Update(func(tx store.Tx) error {
		p, err := tl.Keep(tx, l.env(a), edited)
		if err != nil {
			return err
		}
		_, err = ledger.Modify(tx, a.ID, a.Digest, ledger.Approval{Args: p.Args, Targets: p.Targets, Changes: p.Changes, Title: p.Title, Reviewer: "Test Reviewer"}, nil, l.clock())
		return err
	}))
	b := l.one()
	if b.Digest == a.Digest || b.Call != a.Call || b.Original == nil || string(b.Original.Args) != string(a.Args) {
		t.Fatalf("modified: %+v", b)
	}
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	has(t, "the filing", string(l.filings()[0].Resource), "Checked by hand", "given: a phone call")
	want(t, "call", l.of(journal.MutationCommitted)[0].Call, a.Call)
	has(t, "the model hears of it", text(l.model.requests()[2]), "modified_by_reviewer", "Checked by hand")
}

func TestFiling_F38_AFilingHasASourceForEveryBoxOrNamesItAsMissing(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	l.decide(true, "")
	status(t, l.resume(), run.Completed)
	var f struct {
		Boxes   []struct{ ID, Status, Source, Note string }
		Missing []string
	}
	must(t, json.Unmarshal(l.filings()[0].Resource, &f))
	missing := 0
	for _, b := range f.Boxes {
		switch {
		case b.Status == "filled" && b.Source == "":
			t.Errorf("box %s has no source", b.ID)
		case b.Status == "missing":
			missing++
		}
	}
	want(t, "missing boxes that are named", len(f.Missing), missing)
	if len(f.Boxes) < 25 || missing == 0 {
		t.Errorf("%d boxes, %d missing", len(f.Boxes), missing)
	}
}

// A record that changed since it was shown is not signed by accident.
func TestFiling_F50_AChangedRecordVoidsTheApproval(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	first := l.decide(true, "")
	must(t, l.db.UpdateRecords(func(tx record.Tx) error {
		r, err := tx.Record(record.Ref{Type: "Well", ID: "42-329-97101"})
		if err != nil {
			return err
		}
		next, err := record.New(json.RawMessage(strings.Replace(string(r.Resource), `"vertical"`, `"directional"`, 1)), l.clock())
		if err != nil {
			return err
		}
		return tx.PutRecord(next)
	}))
	status(t, l.resume(), run.Paused)
	if again := l.one(); again.ID == first.ID || len(l.filings()) != 0 {
		t.Errorf("%s waits, %d filings", again.ID, len(l.filings()))
	}
}
