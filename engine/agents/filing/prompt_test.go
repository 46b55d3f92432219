package filing_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/filing"
	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/skill"
)

func first(l *lab) model.Request { return l.model.requests()[0] }

func TestFiling_F15_TheRootSkillBeginsTheTurn(t *testing.T) {
	for kind, root := range map[string]string{filing.Rule37: "rrc_rule37", filing.Rule32: "rrc_rule32"} {
		l := newLab(t, kind, says("Hello."))
		status(t, l.ask("Hello"), run.Completed)
		want(t, "root of "+kind, l.span("agent.resolve_definition")["root_skill_key"], any(root))
		loaded := l.of(journal.SkillLoaded)
		if len(loaded) != 1 || loaded[0].Stage != filing.SystemPrompt {
			t.Errorf("%s loaded %+v", kind, loaded)
		}
	}
	l := newLab(t, filing.Rule37, says("Hello."))
	l.live.Skills = skill.NewShelf(skill.Jail{})
	out := l.ask("Hello")
	status(t, out, run.Failed)
	has(t, "the error", out.Err.Error(), "rrc_rule37", "holdpoint skills list")
}

func TestFiling_F16_ThePersonaIsTheAskedOneTheRootsOrThePlatforms(t *testing.T) {
	voice := made(t, map[string]string{"SKILL.md": "---\nname: pirate\ndescription: Speaks.\n---\n", "persona.md": "You are a pirate."})
	base := func(l *lab, vars ...string) string {
		status(t, l.ask("Hello", vars...), run.Completed)
		return first(l).Messages[0].Text
	}
	root := base(newLab(t, filing.Rule37, says("Hello.")))
	has(t, "the root's", root, "regulatory analyst's assistant for spacing")
	has(t, "the asked one", base(newLab(t, filing.Rule37, says("Hello.")).with(voice), "persona", "pirate"), "You are a pirate.")
	has(t, "the platform's", base(newLab(t, filing.General, says("Hello."))), "You are a careful assistant.")
	// A skill that is loaded beside the root has no say.
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{pirate}"), says("Hello.")).with(voice)
	status(t, l.ask("Hello"), run.Completed)
	for _, r := range l.model.requests() {
		want(t, "base", r.Messages[0].Text, root)
	}
	status(t, newLab(t, filing.Rule37, says("Hello.")).ask("Hello", "persona", "nobody"), run.Failed)
}

func TestFiling_F17_TheUserBlockFallsBack(t *testing.T) {
	block := func(caller identity.Caller, vars ...string) string {
		l := newLab(t, filing.Rule37, says("Hello."))
		l.live.Caller = caller
		status(t, l.ask("Hello", vars...), run.Completed)
		_, b, ok := strings.Cut(first(l).Messages[0].Text, "=== User ===\n")
		if !ok {
			t.Fatal("there is no block")
		}
		return b
	}
	want(t, "metadata", block(identity.Caller{Subject: "u-7"}, "display_name", "Ada", "role", "analyst"), "Name: Ada\nRole: analyst")
	want(t, "user id", block(identity.Caller{Subject: "u-7"}), "Name: u-7")
	want(t, "nobody", block(identity.Caller{}), "Name: user")
}

func TestFiling_F18_ContextTemplatesAreMessagesOfTheirOwn(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	n := 0
	for _, m := range first(l).Messages {
		if strings.HasPrefix(m.Text, "Facts of spacing") {
			n++
			want(t, "role", m.Role, "system")
			lacks(t, "the template", m.Text, "=== Skill Activated")
		}
	}
	want(t, "templates", n, 1)
}

func TestFiling_F19_TheBaseComesFirstAndStaysTheSame(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."), says("Hello.")).remembers("Filed the spacing exception before.")
	status(t, l.ask("The spacing exception"), run.Completed)
	status(t, l.ask("Another question about wells"), run.Completed)
	base := first(l).Messages[0]
	for i, r := range l.model.requests() {
		want(t, fmt.Sprint("message 0 of prompt ", i), r.Messages[0].Text, base.Text)
		order := []int{}
		for _, part := range []string{"=== User ===", "=== Skill Activated"} {
			order = append(order, slices.IndexFunc(r.Messages, func(m model.Message) bool { return strings.Contains(m.Text, part) }))
		}
		said := slices.IndexFunc(r.Messages, func(m model.Message) bool { return m.Role == "user" })
		if order[0] != 0 || order[1] < 1 || order[1] > said {
			t.Errorf("prompt %d: base at %d, skills at %d, message at %d", i, order[0], order[1], said)
		}
	}
	lacks(t, "the base", base.Text, "=== Skill Activated", "[Working Memory", "[Episodic", "SKILL_SELECT")
}

func TestFiling_F20_AGeneralAgentHasNoDomain(t *testing.T) {
	l := newLab(t, filing.General, says("SKILL_SELECT:{rrc_rule37}"))
	status(t, l.ask("Prepare the Rule 37 exception"), run.Completed)
	r := first(l)
	want(t, "tools", names(r.Tools), []string{"entity_resolve", "context_assemble"})
	lacks(t, "the prompt", text(r), "SKILL_SELECT", "rrc_rule", "467", "Railroad Commission")
	has(t, "the base", r.Messages[0].Text, "does not do it")
	want(t, "loaded", len(l.of(journal.SkillLoaded)), 0)
}

func TestFiling_F21_TheCallersPromptWins(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello", "system_prompt", "You are terse."), run.Completed)
	want(t, "base", first(l).Messages[0].Text, "You are terse.")
}

func TestFiling_F22_TheTraceHasTheSpans(t *testing.T) {
	l := newLab(t, filing.Rule37, signsOff()...)
	status(t, l.ask("Prepare it."), run.Paused)
	want(t, "resolve", l.span("agent.resolve_definition")["persona"], any("rrc_rule37"))
	p := l.span("prompt.assemble")
	want(t, "assemble", []any{p["persona_key"], p["persona_source"], p["context_template_count"], p["user_identity_injected"], p["token_estimate"].(float64) > 50}, []any{"rrc_rule37", "root_skill", 1, true, true})
	a := l.span("tools.assemble")
	want(t, "tools", []any{a["core_capability_count"], a["skill_exposed_tool_count"], a["total_tools_visible"], a["skills_loaded"]}, []any{2, 8, 10, 1})
	f := l.span("hitl.rule_fire")
	want(t, "fire", []any{f["skill"], f["rule"]}, []any{"rrc_rule37", "rule37_filing_is_signed"})
}

func TestFiling_F23_TheFirstNodeSetsTheTrackingAndAResumeKeepsIt(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), wants("create_entity", newOperator), says("Done."))
	out := l.ask("Add it.")
	status(t, out, run.Paused)
	has(t, "the first node", string(l.of(journal.StageCompleted)[1].Data), `"llm_phase":"initial"`, `"skill_injection_done":false`, `"selected_skill_ids":[]`, `"status":"running"`)
	l.decide(true, "")
	out = l.resume()
	status(t, out, run.Completed)
	n := 0
	for _, s := range l.path() {
		if s == "system_prompt_node" {
			n++
		}
	}
	want(t, "times the first node ran", n, 1)
	want(t, "kept", []any{filing.ChannelPhase.Get(out.State), filing.ChannelInjected.Get(out.State), filing.ChannelSelected.Get(out.State)}, []any{"synthesis", true, []string{"rrc_rule32"}})
}

func TestFiling_F24_WorkingMemoryIsTold(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{"query":"42-329-97102"}`), says("Found."), says("Hello."))
	status(t, l.ask("Which well?"), run.Completed)
	pad := "the plat is of 2019"
	w := l.working()
	w.Scratchpad = pad
	must(t, l.db.UpdateMemory(func(tx memory.Tx) error { return tx.PutWorking("s", w) }))
	status(t, l.ask("And now?"), run.Completed)
	has(t, "the next turn's prompt", text(l.model.requests()[2]), "[Working Memory -- Scratchpad]\n"+pad, "[Working Memory -- Extracted Entities]\n- Well: 42-329-97102")
}

func TestFiling_F25_ThreeEarlierConversationsAreFound(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello.")).remembers("Filed the spacing exception of well one.", "Filed the spacing exception of well two.", "Measured the spacing once.", "Asked about spacing and an exception.", "Talked of lunch.")
	out := l.ask("The spacing exception again")
	status(t, out, run.Completed)
	want(t, "found", len(filing.ChannelMemory.Get(out.State).Episodes), 3)
	has(t, "the prompt", text(first(l)), "spacing exception of well one")
	lacks(t, "the prompt", text(first(l)), "lunch")
}

func TestFiling_F26_MemoryIsOneMessageBehindTheBase(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done.")).remembers("Filed the spacing exception before.")
	must(t, l.db.UpdateMemory(func(tx memory.Tx) error {
		return tx.PutWorking("s", memory.Working{Scratchpad: "a note", Entities: []memory.Entity{{Kind: "operator", ID: "op-1", Text: "Made Up Oil"}}})
	}))
	status(t, l.ask("The spacing exception"), run.Paused)
	at := -1
	for i, m := range first(l).Messages {
		if !strings.HasPrefix(m.Text, "=== Memory Context ===") {
			continue
		}
		if at >= 0 || i == 0 || m.Role != "system" {
			t.Errorf("a second message, or before the base: %d", i)
		}
		at = i
		order := -1
		for _, part := range []string{"[Working Memory -- Scratchpad]\na note", "[Working Memory -- Extracted Entities]\n- Operator: op-1 (Made Up Oil)", "[Episodic Memory -- Relevant Past Conversations]\n- (similarity: "} {
			k := strings.Index(m.Text, part)
			if k <= order {
				t.Errorf("%q is missing or out of order in:\n%s", part, m.Text)
			}
			order = k
		}
	}
	if at < 0 {
		t.Fatal("memory is not told")
	}
	// What was forgotten while the turn waited is in no later prompt.
	must(t, memory.Forget(l.db, memory.EpisodeID(subject, "olda"), 1, l.clock()))
	l.decide(true, "")
	status(t, l.resume(), run.Completed)
	lacks(t, "the prompt after forgetting", text(l.model.requests()[1]), "Filed the spacing exception before")
}

func TestFiling_F31_TheBudgetRefusesAtTheLimit(t *testing.T) {
	// One call uses 15 tokens; the price makes it cost the whole budget.
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	l.live.Price = 10.0 / 15 * 1e6
	out := l.ask("Which well?")
	status(t, out, run.Limited)
	want(t, "limit", out.Run.Limit, graph.LimitCost)
	want(t, "calls of the model", len(l.model.requests()), 1)
	l = newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	l.live.Price = 9.99 / 15 / 2 * 1e6
	status(t, l.ask("Which well?"), run.Completed)
	// Tokens likewise: the one that uses up the budget is the last.
	for budget, calls := range map[int]int{15: 1, 16: 2} {
		l = newLab(t, filing.Rule37, wants("entity_resolve", `{}`), wants("offset_well_analysis", `{}`), says("Done."))
		l.limits = &graph.Limits{Tokens: budget, Rounds: 20}
		out = l.ask("Which well?")
		status(t, out, run.Limited)
		want(t, "limit", out.Run.Limit, graph.LimitTokens)
		want(t, "calls of the model", len(l.model.requests()), calls)
	}
}

func TestFiling_F32_VisibleToolsAreCoreAndSkillsEachOnce(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	before, after := names(first(l).Tools), names(l.model.requests()[1].Tools)
	want(t, "before", before, []string{"entity_resolve", "context_assemble", "spacing_assessment", "offset_well_analysis", "rule37_filing_assembly", "good_cause_narrative",
		"create_entity", "update_entity", "link_entities", "affected_distance"})
	for _, name := range []string{"flaring_volume_calc", "gas_analysis", "rule32_filing_assembly", "emissions_estimate", "exception_term"} {
		if slices.Contains(before, name) || !slices.Contains(after, name) {
			t.Errorf("%s is offered before its skill, or not after it", name)
		}
	}
	sorted := slices.Sorted(slices.Values(after))
	want(t, "each once", len(slices.Compact(sorted)), len(after))
}

func TestFiling_F33_MonitorsHaveFixedToolsAndBareResults(t *testing.T) {
	for _, kind := range []string{filing.FlaringMonitor, filing.ComplianceMonitor} {
		l := newLab(t, kind, wants("emissions_estimate", `{"method":"subpart_c","gwp_set":"AR5","volume_mcf":100}`), says("Done."))
		out := l.ask("How much?")
		status(t, out, run.Completed)
		want(t, kind, names(first(l).Tools), []string{"entity_resolve", "context_assemble", "flaring_volume_calc", "emissions_estimate"})
		want(t, "skills", len(l.of(journal.SkillLoaded)), 0)
		last := l.model.requests()[1].Messages
		got := last[len(last)-1].Text
		has(t, "the result", got, `"emissions"`)
		lacks(t, "the result", got, `"status":"ok"`)
	}
	// The gate is the same: a call that is held waits.
	l := newLab(t, filing.FlaringMonitor, wants("emissions_estimate", `{"method":"subpart_c","gwp_set":"AR5","volume_mcf":100}`)).
		rules(rule.Rule{Name: "ask_first", Event: rule.BeforeToolCall, Tools: []string{"emissions_estimate"}, Verdict: rule.Hold})
	status(t, l.ask("How much?"), run.Paused)
	want(t, "ran", len(l.ran()), 0)
}

func TestFiling_F34_TheCountsOfToolsAddUp(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	a := l.span("tools.assemble")
	if a["core_capability_count"].(float64)+a["skill_exposed_tool_count"].(float64) != a["total_tools_visible"].(float64) || a["skills_loaded"] != 2.0 {
		t.Errorf("counts: %v", a)
	}
	want(t, "offered", len(l.model.requests()[1].Tools), int(a["total_tools_visible"].(float64)))
}

func TestFiling_F35_TokensAndCostAreCounted(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`), says("Done."))
	l.live.Price = 1000
	out := l.ask("Which well?")
	want(t, "tokens", []int{out.Run.Used.Tokens, filing.ChannelTokens.Get(out.State)}, []int{30, 30})
	want(t, "cost", fmt.Sprintf("%.3f %.3f", out.Run.Used.Cost, filing.ChannelCost.Get(out.State)), "0.030 0.030")
}

func TestFiling_F37_TheCoreIsAlwaysThere(t *testing.T) {
	for _, p := range newLab(t, filing.Rule37).agent.Patterns[1:] {
		l := newLab(t, p.ID, wants("context_assemble", `{}`), says("Done."))
		status(t, l.ask("Which well?"), run.Completed)
		want(t, p.ID, names(first(l).Tools)[:2], []string{"entity_resolve", "context_assemble"})
		want(t, "ran", l.ran(), []string{"context_assemble"})
	}
}

func TestFiling_F38_TheToolsOfRule37ComeWithTheirSkill(t *testing.T) {
	for _, c := range [][2]string{{"spacing_assessment", "16 TAC 3.37"}, {"offset_well_analysis", "2 wells"}, {"rule37_filing_assembly", "Form W-1"}, {"good_cause_narrative", "facts are at hand"}} {
		l := newLab(t, filing.Rule37, wants(c[0], `{}`), says("Done."))
		out := l.ask("Do it.")
		for _, m := range filing.ChannelMessages.Get(out.State) {
			if m.Role == "tool" {
				has(t, c[0], m.Text, c[1])
			}
		}
		want(t, "ran", l.ran(), []string{c[0]})
	}
}

func TestFiling_F39_TheToolsOfRule32ComeWithTheirSkill(t *testing.T) {
	for _, c := range [][3]string{{"flaring_volume_calc", `{"start":"2025-07-01","daily_mcf":[10,20]}`, `"total_mcf":30`}, {"gas_analysis", `{"mole_fractions":{"c1":0.95,"co2":0.05,"h2s":0}}`, "H2S 0 grains/100 scf"},
		{"rule32_filing_assembly", `{}`, "Form R-32"}, {"emissions_estimate", `{"method":"subpart_c","gwp_set":"AR5","volume_mcf":100}`, "CO2e"}} {
		l := newLab(t, filing.Rule32, wants(c[0], c[1]), says("Done."))
		out := l.ask("Do it.")
		for _, m := range filing.ChannelMessages.Get(out.State) {
			if m.Role == "tool" {
				has(t, c[0], m.Text, c[2])
			}
		}
		want(t, "ran", l.ran(), []string{c[0]})
	}
}

func TestFiling_F40_BlocksGoThroughResolveValidateAndJail(t *testing.T) {
	s := made(t, map[string]string{"SKILL.md": "---\nname: sums\ndescription: Adds.\n---\n", "s.star": "def run(args):\n    return {\"sum\": args[\"a\"] + 1}\n",
		"blocks.yaml": "- name: add_one\n  description: Adds one.\n  file: s.star\n  capabilities: [compute]\n  parameters: {type: object, additionalProperties: false, required: [a], properties: {a: {type: integer}}}\n"})
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{sums}"), wants("add_one", `{"a":"x"}`), wants("add_one", `{"a":1}`), wants("nobody", `{}`), says("Done.")).with(s)
	out := l.ask("Add")
	status(t, out, run.Completed)
	var got []string
	for _, m := range filing.ChannelMessages.Get(out.State) {
		if m.Role == "tool" {
			got = append(got, m.Text)
		}
	}
	if len(got) != 3 {
		t.Fatalf("answers: %v", got)
	}
	has(t, "what does not validate", got[0], "refused", "do not fit")
	var o struct {
		Status, Message string
		Result          json.RawMessage
	}
	must(t, json.Unmarshal([]byte(got[1]), &o))
	if o.Status == "" {
		t.Errorf("the block's answer has no status: %s", got[1])
	}
	has(t, "what does not resolve", got[2], "there is no tool")
}

func TestFiling_F41_TheReservedNameIsNeverOffered(t *testing.T) {
	_, err := skill.New(map[string][]byte{"SKILL.md": []byte("---\nname: shadow\ndescription: x\n---\n"), "s.star": []byte("def run(args):\n    return 1\n"), "blocks.yaml": []byte("- {name: spacing_calculation, description: x, file: s.star}\n")})
	if err == nil || !strings.Contains(err.Error(), "reserved") {
		t.Errorf("a block shadows it: %v", err)
	}
	l := newLab(t, filing.Rule37, wants("spacing_calculation", `{}`), says("Done."))
	out := l.ask("Calculate")
	if slices.Contains(names(first(l).Tools), "spacing_calculation") || len(l.ran()) != 0 {
		t.Error("it is offered, or ran")
	}
	has(t, "the answer", filing.ChannelMessages.Get(out.State)[2].Text, "there is no tool")
}

func TestFiling_F42_CoreToolsKnowWhatTheTurnIsAbout(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("entity_resolve", `{}`, "context_assemble", `{}`), says("Done."))
	m := filing.ChannelMessages.Get(l.ask("Which well?").State)
	has(t, "the resolved one", m[2].Text, `"ref":"Well/42-329-97101"`)
	has(t, "the assembled one", m[3].Text, "42-329-97101")
	// Without a subject it is the one that the session saw last.
	l = newLab(t, filing.Rule37, wants("context_assemble", `{}`), says("Done."))
	delete(l.vars, "subject")
	must(t, l.db.UpdateMemory(func(tx memory.Tx) error {
		return tx.PutWorking("s", memory.Working{Recent: []string{"Well/42-329-97102"}})
	}))
	has(t, "from working memory", filing.ChannelMessages.Get(l.ask("And this one?").State)[2].Text, "42-329-97102")
	// The three that change something wait.
	for name, args := range map[string]string{"create_entity": newOperator, "update_entity": `{"status":"plugged"}`, "link_entities": `{"from":"Well/42-329-97103","to":"Operator/made-up-oil-inc"}`} {
		l := newLab(t, filing.Rule37, wants(name, args))
		status(t, l.ask("Change it."), run.Paused)
		want(t, "waits", l.one().Tool, name)
	}
}

func TestFiling_F43_ResultsUpdateStateAndWorkingMemory(t *testing.T) {
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	status(t, l.ask("Add it."), run.Paused)
	want(t, "before the verdict", len(l.working().Recent), 0)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Completed)
	want(t, "recent", filing.ChannelRecent.Get(out.State), []string{"Operator/made-up-two-llc"})
	want(t, "working memory", l.working().Recent, []string{"Operator/made-up-two-llc"})
	want(t, "told", len(l.of(journal.MemoryUpdated)), 1)
}

func TestFiling_F51_ASkillIsSelectedByItsPatternAndOnlyOnce(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule37} SKILL_SELECT:{rrc_rule32} SKILL_SELECT:{nobody}"), says("Done."))
	out := l.ask("Both")
	status(t, out, run.Completed)
	want(t, "selected", filing.ChannelSelected.Get(out.State), []string{"rrc_rule32"})
	p := text(first(l))
	has(t, "the prompt", p, "SKILL_SELECT:{", "- rrc_rule32: ")
	lacks(t, "the prompt", p, "- rrc_rule37: ")
}

func TestFiling_F52_TheRecordKeepsASkillFromComingTwice(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32} SKILL_SELECT:{rrc_rule32}"), says("SKILL_SELECT:{rrc_rule32} Done."))
	out := l.ask("Both")
	status(t, out, run.Completed)
	want(t, "loaded", len(l.of(journal.SkillLoaded)), 2)
	want(t, "record", len(filing.ChannelRecord.Get(out.State)), 2)
	want(t, "messages", strings.Count(text(l.model.requests()[1]), "=== Skill Activated: Rule 32"), 1)
}

// activated is what a prompt tells of a skill.
func activated(t *testing.T, r model.Request, title string) string {
	t.Helper()
	for _, m := range r.Messages {
		if strings.HasPrefix(m.Text, "=== Skill Activated: "+title) {
			return m.Text
		}
	}
	t.Fatalf("%s is not in:\n%s", title, text(r))
	return ""
}

func TestFiling_F53_TheDefinitionIsInjected(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	has(t, "tier 2", activated(t, first(l), "Rule 37"), "## Steps", "Assess the spacing (spacing_assessment)")
}

func TestFiling_F54_TheArtifactsAreInjected(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	out := l.ask("Hello")
	has(t, "tier 3", activated(t, first(l), "Rule 37"), "## Artifact: references/limits.md", "16 TAC 3.37(a)(1)")
	want(t, "tier", filing.ChannelRecord.Get(out.State)[0].Tier, skill.Complete)
}

func TestFiling_F55_TheEntityContextIsInjected(t *testing.T) {
	l := newLab(t, filing.Rule37, says("Hello."))
	status(t, l.ask("Hello"), run.Completed)
	has(t, "tier 3.5", activated(t, first(l), "Rule 37"), "## Entity Context\nWell: TEST RANCH 1 (42-329-97101", "Lease: TEST RANCH", "Operator: MADE UP OIL, INC.")
	l = newLab(t, filing.Rule37, says("Hello."))
	delete(l.vars, "subject")
	must(t, l.db.UpdateMemory(func(tx memory.Tx) error {
		return tx.PutWorking("s", memory.Working{Recent: []string{"Well/42-329-97102"}})
	}))
	status(t, l.ask("Hello"), run.Completed)
	has(t, "keyed by working memory", activated(t, first(l), "Rule 37"), "TEST RANCH 2 (42-329-97102")
}

func TestFiling_F56_TheInjectionIsMarkedWithItsDigest(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	out := l.ask("Both")
	for i, x := range filing.ChannelRecord.Get(out.State) {
		want(t, "digest", x.Digest, l.live.Skills.Get([]string{"rrc_rule37", "rrc_rule32"}[i]).Digest)
	}
}

func TestFiling_F57_OneMessageASkillWithItsSections(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	m := activated(t, l.model.requests()[1], "Rule 32")
	at := -1
	for _, part := range []string{"=== Skill Activated: Rule 32: exception for flaring and venting ===", "## Description", "## Steps", "## Requirements", "## Output Format", "## Entity Context"} {
		i := strings.Index(m, part)
		if i <= at {
			t.Errorf("%q is missing or out of order", part)
		}
		at = i
	}
}

// "The skill was changed while my filing waited. It asked me before it went on."
func TestFiling_F52_AChangedSkillPauses(t *testing.T) {
	s := func(steps string) *skill.Skill {
		return made(t, map[string]string{"SKILL.md": "---\nname: rrc_rule37\ndescription: Changed.\nallowed-tools: create_entity\n---\n## Steps\n" + steps + "\n"})
	}
	for _, approved := range []bool{true, false} {
		l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
		l.with(s("one"))
		status(t, l.ask("Add it."), run.Paused)
		l.decide(true, "")
		l.with(s("two"))
		out := l.resume()
		status(t, out, run.Paused)
		has(t, "the question", string(out.Pauses[0].Data), "has changed since this turn loaded it")
		want(t, "operators", len(l.records("Operator")), 2)
		out = l.resume(run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(fmt.Sprintf(`{"approved":%v}`, approved))}})
		if approved {
			status(t, out, run.Completed)
			has(t, "the prompt", text(l.model.requests()[1]), "two")
			want(t, "operators", len(l.records("Operator")), 3)
		} else if len(l.records("Operator")) != 2 {
			t.Error("a call of a skill that nobody accepted ran")
		}
	}
}

func TestFiling_F52_ASkillThatChangedWhileTheTurnWaitedIsAskedAboutBeforeTheModelHearsOfIt(t *testing.T) {
	s := func(steps string) *skill.Skill {
		return made(t, map[string]string{"SKILL.md": "---\nname: rrc_rule37\ndescription: Changed.\nallowed-tools: create_entity\n---\n## Steps\n" + steps + "\n"})
	}
	l := newLab(t, filing.Rule37, wants("create_entity", newOperator), says("Done."))
	l.with(s("one"))
	status(t, l.ask("Add it."), run.Paused)
	l.decide(false, "not now") // the rejected round leads to the model, past the tools
	l.with(s("two"))
	out := l.resume()
	status(t, out, run.Paused)
	has(t, "the question", string(out.Pauses[0].Data), "has changed since this turn loaded it")
	want(t, "the model was asked", len(l.model.requests()), 1)
}

func TestFiling_F70_EachKindHasItsBudget(t *testing.T) {
	for kind, w := range map[string][2]float64{filing.Rule37: {150_000, 10}, filing.Rule32: {100_000, 8}, filing.ComplianceMonitor: {200_000, 15}, filing.FlaringMonitor: {300_000, 20}, filing.General: {100_000, 5}} {
		l := newLab(t, kind, says("Hello."))
		out := l.ask("Hello")
		want(t, kind, []float64{float64(out.Run.Limits.Tokens), out.Run.Limits.Cost}, []float64{w[0], w[1]})
		if out.Run.Limits.Time <= 0 {
			t.Error("there is no limit of time")
		}
	}
}

func TestFiling_F71_TwentyRoundsOverPausesAndMoreOnlyByAPerson(t *testing.T) {
	var answers []model.Message
	answers = append(answers, wants("create_entity", newOperator))
	for i := range 30 {
		answers = append(answers, wants("offset_well_analysis", fmt.Sprintf(`{"radius_ft":%d}`, 1000+i)))
	}
	l := newLab(t, filing.Rule37, answers...)
	status(t, l.ask("Go on and on."), run.Paused)
	l.decide(true, "")
	out := l.resume()
	status(t, out, run.Limited)
	want(t, "limit", out.Run.Limit, filing.Iterations)
	want(t, "rounds", filing.ChannelIteration.Get(out.State), 20)
	want(t, "the round that is left", len(filing.ChannelCalls.Get(out.State)), 1)
	if _, err := l.executor().Resume(t.Context(), l.g, l.id(), run.Resumption{Dependencies: l.live}); err == nil {
		t.Error("it goes on without more")
	}
	out = l.resume(run.Resumption{Answers: map[string]json.RawMessage{}, More: graph.Limits{Own: map[string]int{filing.Iterations: 2}}})
	status(t, out, run.Limited)
	want(t, "rounds after two more", filing.ChannelIteration.Get(out.State), 22)
}

// "The answer came in pieces that said SKILL_SELECT; I don't want to see that."
func TestFiling_F51_TheSelectionIsNotSaidToThePerson(t *testing.T) {
	l := newLab(t, filing.Rule37, says("SKILL_SELECT:{rrc_rule32}"), says("Done."))
	status(t, l.ask("Both"), run.Completed)
	m := l.of(journal.Message)
	if len(m) != 1 || m[0].Text != "Done." {
		t.Errorf("said: %+v", m)
	}
}

// "I asked in French, and was answered in English." The line stands behind what stays from turn
// to turn, and English prompts are without it.
func TestFiling_WritesInThePersonsLanguage(t *testing.T) {
	l := newLab(t, filing.General, says("Bien."))
	l.live.Language = "fr"
	for _, text := range []string{"Ce puits respecte-t-il la règle ?", "Et ses voisins, sont-ils trop près ?", "W-1"} {
		status(t, l.ask(text), run.Completed)
	}
	status(t, l.ask("Is this well too near to the lease line?"), run.Completed)
	asked := l.model.requests()
	for i, r := range asked {
		want(t, "the persona", r.Messages[0].Text, asked[0].Messages[0].Text)
		last := r.Messages[len(r.Messages)-2]
		if in := strings.Contains(last.Text, "écrivez en français") && last.Role == "system"; in != (i < 3) {
			t.Errorf("question %d is asked with %+v", i, r.Messages)
		}
	}
	l.model.answers, l.model.asked = []model.Message{says("{}")}, nil
	l.live.Phrasing = func(language string) board.Phrasing {
		return board.Phrasing{Language: language, Say: func(format string, _ ...any) string { return language + " " + format }, Told: func(english string) string { return english }}
	}
	out := l.ask("Ce puits respecte-t-il la règle ?")
	status(t, out, run.Completed)
	has(t, "the reply", out.Run.Output, "fr The model gave no answer that can be used.")
}
