package companion_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/companion"
	"holdpoint/engine/manifest"
	"holdpoint/engine/model"
	"holdpoint/engine/text"
	"holdpoint/engine/turn"
)

// shown is what a node asks with, by the files.
func shown(t *testing.T, node string, vars map[string]string) manifest.Compiled {
	t.Helper()
	a, err := companion.New(turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Prompts.Show(node, vars, func(k text.Key) (string, error) { return a.Wording.Get(k.Audience, k.Language, k.Name) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompanion_C2_WhatANodeSaysAndMayCallIsNotInItsCode(t *testing.T) {
	source, err := filepath.Glob("*.go")
	if err != nil || len(source) == 0 {
		t.Fatal(err)
	}
	for _, file := range source {
		if strings.HasSuffix(file, "_test.go") || file == "practice.go" {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"You are", "Tu es", "teenagers.", "Write in"} {
			if strings.Contains(string(body), `"`+part) || strings.Contains(string(body), "`"+part) {
				t.Errorf("%s has a prompt in it (%q)", file, part)
			}
		}
	}
	for _, node := range []string{"agent1", "collect_context", "ask_for_context", "give_advice", "research_tools", "ongoing_support", "summarize_conversation"} {
		if _, err := fs.Stat(os.DirFS("manifests"), node+".yaml"); err != nil {
			t.Error(err)
		}
	}
}

func TestCompanion_C15_ResearchIsBoundOnTheFirstAdviceOnly(t *testing.T) {
	c := shown(t, "give_advice", map[string]string{"audience": "teen", "first_advice": "true"})
	if !slices.Equal(c.Tools, []string{companion.ResearchTool}) || c.Schema != "" || !strings.Contains(c.Prompt(), "first advice") {
		t.Errorf("%+v", c)
	}
	c = shown(t, "give_advice", map[string]string{"audience": "teen", "first_advice": "false"})
	if len(c.Tools) != 0 || c.Schema != "GiveAdviceAnswer" || strings.Contains(c.Prompt(), "first advice") {
		t.Errorf("%+v", c)
	}
	// And in a conversation: the second piece of advice is written without.
	w := newWorld(t, "teen", "en")
	w.voice.answers["Summary"] = `{"summary":"Nervous."}`
	w.say("s", everything["en"])
	if n := w.voice.count(""); n != 1 {
		t.Errorf("%d requests with tools", n)
	}
}

func TestCompanion_C16_PromptsGoByLanguageAudienceAndState(t *testing.T) {
	teen, parent := shown(t, "give_advice", map[string]string{"audience": "teen", "language": "fr"}), shown(t, "give_advice", map[string]string{"audience": "parent", "language": "fr"})
	if !strings.Contains(teen.Prompt(), "pour adolescents") || !strings.Contains(parent.Prompt(), "pour parents") || strings.Contains(teen.Prompt(), "You are") {
		t.Errorf("%s\n%s", teen.Prompt(), parent.Prompt())
	}
	if c := shown(t, "give_advice", map[string]string{"audience": "teen", "earlier": "true", "concern": "true"}); !strings.Contains(c.Prompt(), "previous_conversations") || !slices.Contains(c.Tools, companion.ContactTool) {
		t.Errorf("%+v", c)
	}
	// Tools first; after their results the schema only.
	if c := shown(t, "give_advice", map[string]string{"audience": "teen", "answered": "true"}); len(c.Tools) != 0 || c.Schema != "GiveAdviceAnswer" {
		t.Errorf("%+v", c)
	}
	w := newWorld(t, "teen", "en")
	w.say("s", everything["en"])
	for _, r := range w.voice.asked["GiveAdviceAnswer"] {
		if len(r.Tools) > 0 {
			t.Error("tools and a schema in one request")
		}
	}
}

func TestCompanion_C17_TheSchemaOfManifestsIsInStepAndMistakesAreFound(t *testing.T) {
	kept, err := os.ReadFile("../../manifest/node_manifest.schema.json")
	if err != nil || strings.TrimSpace(string(kept)) != string(manifest.Schema()) {
		t.Errorf("the schema is stale (%v); write it with: holdpoint agents schema --manifest > engine/manifest/node_manifest.schema.json", err)
	}
	set := func() *manifest.Set {
		a, err := companion.New(turn.Kit{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Prompts.Manifests
	}()
	good := "node: give_advice\nprompts: {base: give_advice_system_prompt, snippets: [privacy_guidelines, {text: earlier_extension, condition: 'earlier && language == \"fr\"'}]}\n"
	if err := set.Check([]byte(good)); err != nil {
		t.Error(err)
	}
	for broken, want := range map[string]string{
		"node: nowhere\nprompts: {base: give_advice_system_prompt}":                                                     `no node "nowhere"`,
		"node: give_advice\nprompts: {base: no_such}":                                                                   `no text "no_such"`,
		"node: give_advice\nprompts: {base: give_advice_system_prompt, snipets: []}":                                    "line 2",
		good + "tools: {catalog: [{tool: rm}]}":                                                                         `no tool "rm"`,
		good + "tools: {catalog: [{tool: research_strategies, condition: 'mood == 1'}]}":                                "mood",
		good + "tools: {catalog: [{tool: research_strategies, condition: 'language + 1'}]}":                             "condition",
		good + "response_schema: Nothing":                                                                               `no schema "Nothing"`,
		good + "routes: [{action: fly, to: the_moon}]":                                                                  `no node "the_moon"`,
		"node: agent1\nprompts: {base: agent1_system_prompt, snippets: [{text: privacy_guidelines, condition: 'a ='}]}": "condition",
	} {
		if err := set.Check([]byte(broken)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}

func TestCompanion_C22_C23_EveryTextIsThereForEachAudienceInBothLanguages(t *testing.T) {
	a, err := companion.New(turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"consent_card", "question.situation", "give_advice_system_prompt"} {
		seen := map[string]bool{}
		for _, audience := range []string{"teen", "parent"} {
			for _, language := range []string{"en", "fr"} {
				words, err := a.Wording.Get(audience, language, name)
				if err != nil || seen[words] {
					t.Errorf("%s %s %s: %q (%v)", audience, language, name, words, err)
				}
				seen[words] = true
			}
		}
	}
}

func TestCompanion_C24_C27_AnOverrideHoldsFromTheNextTurnAndLanguageDrivesAll(t *testing.T) {
	w := newWorld(t, "teen", "en")
	x := w.say("s", "I am nervous.")
	if err := w.deps.Texts.Set(text.Key{Agent: companion.Name, Audience: "teen", Language: "fr", Name: "question.region"}, "Où vis-tu ?", ""); err != nil {
		t.Fatal(err)
	}
	// The language changes in the middle of a session: every text of the next turn is French.
	x = w.say("s", "Bof.", "language", "fr")
	if !strings.Contains(x.reply, "Où vis-tu ?") || !strings.Contains(x.reply, "Question 2 sur 6") && !strings.Contains(x.reply, "Question 1 sur 6") || strings.Contains(x.reply, "You can skip") || strings.Contains(x.reply, "France\n") && strings.Contains(x.reply, "United States") {
		t.Errorf("%q", x.reply)
	}
	if err := w.deps.Texts.Reset(text.Key{Agent: companion.Name, Audience: "teen", Language: "fr", Name: "question.region"}, ""); err != nil {
		t.Fatal(err)
	}
	if x = w.say("s2", "Bof.", "language", "fr"); !strings.Contains(x.reply, "Dans quel pays es-tu ?") {
		t.Errorf("%q", x.reply)
	}
}

func TestCompanion_C36_ContactsAreThoseOfTheRegionThatWasGiven(t *testing.T) {
	w := newWorld(t, "teen", "fr")
	w.say("s", "Je vis en France. J'ai 15 ans.")
	w.voice.calls = []model.Call{{Tool: companion.ContactTool, Arguments: json.RawMessage(`{"kind":"suicide"}`)}}
	x := w.say("s", everything["fr"]+" Je suis stressé et je dors mal.")
	x.must(t, first...)
	told := w.voice.last(t, "GiveAdviceAnswer")
	if !strings.Contains(told, "3114") || !strings.Contains(told, "112") || strings.Contains(told, "988") {
		t.Errorf("the advice is told %s", told)
	}
	for _, r := range w.agent.Tools {
		if r.Read == nil || r.Plan != nil || r.Outside != nil {
			t.Errorf("%s does more than look", r.Name)
		}
	}
}
