package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"holdpoint/app"
)

// stages are those that a turn finished, and its last message.
func stages(list []object) (out []string, said string) {
	for _, o := range list {
		switch o.text("kind") {
		case "stage_completed":
			out = append(out, o.text("stage"))
		case "message":
			said = o.text("text")
		}
	}
	return out, said
}

const told = "J'ai 15 ans et je vis en France. Depuis quelques semaines les examens me rendent nerveux. J'ai essayé de réviser la nuit. J'aimerais mieux dormir."

// "I told it about my exams yesterday, and today it still knew."
func TestCompanion_C9_C18_CollectsAdvisesRemembersAndGoesOnInASecondSession(t *testing.T) {
	x := newTerminal(t)
	companion := func(session, message string, more ...string) ([]string, string) {
		return stages(lines(t, x.want(0, slices.Concat([]string{"run", "--practice", "--agent", "companion", "--session", session, "--json"}, more, []string{message})...).out))
	}
	vars := []string{"--var", "audience=teen", "--var", "language=fr"}
	if went, said := companion("s1", "Les examens arrivent bientôt, c'est dur.", append(vars, "--var", "region=FR", "--var", "age=at_15")...); !slices.Contains(went, "collect_context") || slices.Contains(went, "give_advice") || !strings.Contains(said, "Question 4 sur 6") || !strings.Contains(said, "oui") {
		t.Fatalf("%v %q", went, said)
	}
	went, said := companion("s1", "Oui. "+told)
	for _, stage := range []string{"give_advice", "research_tools", "summarize_conversation", "user_feedback"} {
		if !slices.Contains(went, stage) {
			t.Errorf("it did not go through %s: %v", stage, went)
		}
	}
	if !strings.Contains(said, "D'où cela vient") || !strings.Contains(said, "S1 ") {
		t.Errorf("no sources: %q", said)
	}
	companion("s1", "Merci, au revoir") // summarised again
	kept := lines(t, x.want(0, "memory", "search", "--json").out)
	if len(kept) != 2 || kept[0].text("session") != "s1" || kept[0].text("about") != "companion:teen:practice" {
		t.Fatalf("not exactly one summary: %v", kept)
	}
	if went, said = companion("s2", "Bonjour", vars...); !slices.Contains(went, "ongoing_support") || slices.Contains(went, "collect_context") || !strings.Contains(said, "déjà parlé") {
		t.Errorf("%v %q", went, said)
	}
	// A parent begins anew, and a session stays with whom it began.
	if went, _ = companion("s3", "Bonjour", "--var", "audience=parent"); !slices.Contains(went, "collect_context") {
		t.Errorf("the parent goes %v", went)
	}
	if err := x.want(2, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=parent", "x").err; !strings.Contains(err, "Start a new session") {
		t.Error(err)
	}
	if err := x.want(2, "run", "--practice", "--agent", "companion", "x").err; !strings.Contains(err, "teen or parent") {
		t.Error(err)
	}
}

// "My sister wrote on my laptop, and it knew from me what I had told it."
func TestCompanion_C29_EachOfADeviceHasTheirOwnOnTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	as := func(session, name, message string, more ...string) ([]string, string) {
		return stages(lines(t, x.want(0, slices.Concat([]string{"run", "--practice", "--agent", "companion", "--session", session, "--json", "--var", "audience=teen", "--var", "language=fr", "--var", "person=" + name}, more, []string{message})...).out))
	}
	as("s1", "Léa", told, "--var", "region=FR", "--var", "age=at_15", "--var", "consent=full")
	if went, said := as("s2", "LÉA", "Bonjour"); !slices.Contains(went, "ongoing_support") {
		t.Errorf("she is not known again: %v %q", went, said)
	}
	for i, name := range []string{"Zoé", "somebody_new", "unnamed"} {
		if went, said := as("o"+string(rune('a'+i)), name, "Bonjour"); slices.Contains(went, "ongoing_support") || !strings.Contains(said, "Dans quel pays") {
			t.Errorf("%s is taken for her: %v %q", name, went, said)
		}
	}
	if c := lines(t, x.want(0, "sessions", "consent", "oa", "--json").out)[0]; c["kept"] != 0.0 || c.text("scope") == "full" {
		t.Error(c)
	}
	if list := x.want(0, "sessions", "list", "--json").out; !strings.Contains(list, "Léa, a teenager (Companion)") {
		t.Error(list)
	}
	// A session stays with whom it began, and a name is one.
	if err := x.want(2, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "person=Zoé", "x").err; !strings.Contains(err, "Start a new session") {
		t.Error(err)
	}
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "Merci")
	for _, bad := range []string{"", "   ", strings.Repeat("é", 41), "\u200b"} {
		x.want(2, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "person="+bad, "x")
	}
	// Sessions from before names were asked for are not taken over by one.
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "old", "--var", "audience=teen", "Bonjour")
	x.want(2, "run", "--practice", "--agent", "companion", "--session", "old", "--var", "person=Léa", "x")
}

// "After the update it did not know me any more." "After the update it took me for my sister."
func TestCompanion_C29_WhatWasKeptBeforeNamesGoesOnForWhoeverHasNone(t *testing.T) {
	x := inGolden(t, "unnamed")
	x.want(0, "check")
	as := func(session, message string, more ...string) ([]string, string) {
		return stages(lines(t, x.want(0, slices.Concat([]string{"run", "--practice", "--agent", "companion", "--session", session, "--json"}, more, []string{message})...).out))
	}
	vars := []string{"--var", "audience=teen", "--var", "language=fr"}
	for session, more := range map[string][]string{"told": nil, "new1": vars, "new2": append(slices.Clip(vars), "--var", "person=unnamed")} {
		if went, said := as(session, "Bonjour, encore moi", more...); !slices.Contains(went, "ongoing_support") {
			t.Errorf("%s is not known again: %v %q", session, went, said)
		}
	}
	for session, name := range map[string]string{"other1": "Zoé", "other2": "somebody_new"} {
		if went, said := as(session, "Bonjour", append(slices.Clip(vars), "--var", "person="+name)...); slices.Contains(went, "ongoing_support") || !strings.Contains(said, "Dans quel pays") {
			t.Errorf("%s is taken for who was here before: %v %q", name, went, said)
		}
	}
	if _, said := as("asked", "In France"); !strings.Contains(said, "Question 3 of 6") {
		t.Errorf("a session that was begun does not go on: %q", said)
	}
	x.want(2, "run", "--practice", "--agent", "companion", "--session", "told", "--var", "person=Zoé", "x")
	if c := lines(t, x.want(0, "sessions", "consent", "told", "--json").out)[0]; c.text("whom") != "companion:teen:practice" || c.text("region") != "FR" || c.text("age") != "at_15" || c.text("scope") != "full" {
		t.Error(c)
	}
	if kept := x.want(0, "memory", "search").err; !strings.Contains(kept, "A teenager (Companion), in practice") || !strings.Contains(kept, "by Companion") {
		t.Error(kept)
	}
	x.want(0, "check")
}

func TestCompanion_C29_ConsentIsShownAndTakenBackOnTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "--var", "language=fr", "--var", "consent=full", told)
	if c := lines(t, x.want(0, "sessions", "consent", "s1", "--json").out)[0]; c.text("scope") != "full" || c["kept"] != 1.0 || c.text("whom") != "companion:teen:practice" {
		t.Error(c)
	}
	if s := lines(t, x.want(0, "sessions", "list", "--json").out)[0]; s.text("consent") != "full" {
		t.Error(s)
	}
	if got := x.want(0, "sessions", "consent", "s1", "withdraw"); !strings.Contains(got.err, "summaries kept: 1") || !strings.Contains(got.err, "--delete") {
		t.Error(got.err)
	}
	// Nothing more is remembered, nor recalled.
	if went, _ := stages(lines(t, x.want(0, "run", "--practice", "--agent", "companion", "--session", "s2", "--var", "audience=teen", "--var", "language=fr", "--json", told).out)); !slices.Contains(went, "summarize_conversation") {
		t.Fatal(went)
	}
	if kept := lines(t, x.want(0, "memory", "search", "--json").out); len(kept) != 2 || kept[0].text("session") != "s1" {
		t.Error(kept)
	}
	if c := lines(t, x.want(0, "sessions", "consent", "s1", "withdraw", "--delete", "--json").out)[0]; c["kept"] != 0.0 || c.text("scope") != "pending_consent" {
		t.Error(c)
	}
	if kept := lines(t, x.want(0, "memory", "search", "--json").out); len(kept) != 1 {
		t.Error(kept)
	}
	if got := x.want(2, "sessions", "consent", "s1", "perhaps"); !strings.Contains(got.err, "full or withdraw") || strings.Contains(got.err, "pending_consent") {
		t.Errorf("what consent may be is said as %q", got.err)
	}
	x.want(2, "sessions", "consent", "s1", "--delete")
	x.want(0, "run", "--practice", "--session", "n1", "hello")
	x.want(2, "sessions", "consent", "n1")
}

func TestCompanion_C24_C26_TextsAreListedSetSyncedAndResetOnTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	const key = "companion/teen/fr/question.region"
	find := func() object {
		for _, o := range lines(t, x.want(0, "texts", "list", "companion", "--json").out) {
			if o.text("name") == "question.region" && o.text("audience") == "teen" && o.text("language") == "fr" {
				return o
			}
		}
		t.Fatal("the text is not listed")
		return nil
	}
	if o := find(); o.text("source") != "file" {
		t.Error(o)
	}
	x.want(0, "texts", "set", key, "Où vis-tu ?")
	folder := filepath.Join(t.TempDir(), "teen")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "fr.yaml"), []byte("question.region: Ton pays ?\nquestion.age: Ton âge ?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := lines(t, x.want(0, "texts", "sync", "companion", filepath.Dir(folder), "--json").out)[0]; r["written"] != 1.0 || r["kept"] != 1.0 {
		t.Error(r)
	}
	if o := find(); o.text("source") != "override" || o.text("text") != "Où vis-tu ?" || !strings.Contains(o.text("original"), "Dans quel pays") {
		t.Error(o)
	}
	_, said := stages(lines(t, x.want(0, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "language=fr", "--json", "Bof").out))
	if !strings.Contains(said, "Où vis-tu ?") {
		t.Errorf("%q", said)
	}
	x.want(0, "texts", "reset", key)
	if o := find(); o.text("source") != "file" || !strings.Contains(o.text("text"), "Dans quel pays") {
		t.Error(o)
	}
	for _, bad := range [][]string{{"set", "companion/teen/fr/progress", "no places"}, {"sync", "companion"}, {"sync", "navigator", "."}, {"list", "navigator"}} {
		x.want(2, append([]string{"texts"}, bad...)...)
	}
	x.want(1, "texts", "set", "companion/teen/fr/nothing", "x")
}

func TestCompanion_C16_C17_PromptsAreShownAndManifestsCheckedOnTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	got := x.want(0, "agents", "prompt", "companion", "--node", "give_advice", "--var", "language=fr", "--var", "audience=parent")
	if !strings.Contains(got.out, "pour parents d'adolescents") || !strings.Contains(got.err, "tools: research_strategies") {
		t.Errorf("%s %s", got.out, got.err)
	}
	x.want(0, "texts", "set", "companion/parent/fr/give_advice_system_prompt", "Sois bref.")
	var p struct {
		Text  string
		Parts []struct{ Name, Text string }
	}
	if err := json.Unmarshal([]byte(x.want(0, "agents", "prompt", "companion", "--node", "give_advice", "--var", "language=fr", "--var", "audience=parent", "--json").out), &p); err != nil || !strings.HasPrefix(p.Text, "Sois bref.") || p.Parts[0].Name != "give_advice_system_prompt" {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range [][]string{{"--node", "nowhere", "--var", "audience=teen"}, {"--node", "give_advice"}, {"--node", "give_advice", "--var", "audience=teen", "--var", "mood=bad"}, {}} {
		x.want(2, append([]string{"agents", "prompt", "companion"}, bad...)...)
	}
	x.want(2, "agents", "prompt", "navigator", "--node", "think")
	good := x.write("good.yaml", "node: give_advice\nprompts: {base: give_advice_system_prompt}\n")
	x.want(0, "agents", "check", "--manifest-of", "companion", good)
	bad := x.write("bad.yaml", "node: give_advice\nprompts: {base: no_such}\n")
	if err := x.want(2, "agents", "check", "--manifest-of", "companion", bad).err; !strings.Contains(err, `no text "no_such"`) {
		t.Error(err)
	}
	if out := x.want(0, "agents", "schema", "--manifest").out; !strings.Contains(out, `"response_schema"`) {
		t.Error(out)
	}
}

func TestCompanion_C32_C36_FeaturesAndCollectionsAreSettings(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "feature.enable_dynamic_question_generation", "true")
	_, said := stages(lines(t, x.want(0, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "consent=full", "--var", "region=FR", "--var", "age=at_15", "--json", "Hello you").out))
	if !strings.Contains(said, "If you like, tell me also") {
		t.Errorf("%q", said)
	}
	x.want(0, "settings", "set", "feature.enable_dynamic_question_generation", "false")
	x.want(2, "settings", "set", "feature.flying", "true")
	x.want(2, "settings", "set", "collection.grandparents", "/x")
	// A document of the collection is found; one beside it is not.
	docs := t.TempDir()
	for name, body := range map[string]string{"teens/nerves.md": "# Exam nerves\n\nBefore an exam breathe out slowly, longer than you breathe in; exam nerves get smaller within minutes.", "clinic/notes.md": "# Clinic\n\nThe exam nerves of a patient are written here in confidence."} {
		if err := os.MkdirAll(filepath.Join(docs, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(docs, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.want(0, "library", "import", filepath.Join(docs, "teens"))
	x.want(0, "library", "import", filepath.Join(docs, "clinic"))
	x.want(0, "settings", "set", "collection.teen", "teens") // as holdpoint library list names the source
	out := x.want(0, "run", "--practice", "--agent", "companion", "--session", "s5", "--var", "audience=teen", "--json", "I am 15 years old, in France. For some weeks exam nerves. I tried tea. I wish exam nerves would go.").out
	if !strings.Contains(out, "breathe out slowly") || strings.Contains(out, "in confidence") {
		t.Error("the collection of the audience is not what is searched")
	}
}

// "My daughter wrote that she wants to die, and it said that no line can be named: it knew the country from the week before."
func TestCompanion_C14_ARegionThatWasGivenNamesLinesInLaterSessions(t *testing.T) {
	x := newTerminal(t)
	run := []string{"run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "language=fr", "--session"}
	for _, said := range []string{"Bonjour, je dors mal", "France", "15 ans", "oui"} { // who agreed is known again
		x.want(0, append(run, "first", said)...)
	}
	if out := x.want(0, append(run, "second", "je veux me suicider")...).out; !strings.Contains(out, "3114") || !strings.Contains(out, "Tu as bien fait de l'écrire") || strings.Contains(out, "vous") {
		t.Errorf("no line of the region is named, or a teenager is addressed as an adult:\n%s", out)
	}
	// The parent's sessions know nothing of it.
	run[5] = "audience=parent"
	if out := x.want(0, append(run, "third", "je veux me suicider")...).out; strings.Contains(out, "3114") || !strings.Contains(out, "Vous avez bien fait") {
		t.Errorf("what a teenager said is known to the parent's session:\n%s", out)
	}
	// A child that is hit is helped as a child.
	run[5] = "audience=teen"
	if out := x.want(0, append(run, "fourth", "mon père me frappe tous les soirs")...).out; !strings.Contains(out, "119") {
		t.Errorf("the line for children is not named:\n%s", out)
	}
}

// "My sister had said Belgium. I said that I would rather not say, and it gave me Belgian numbers."
func TestCompanion_C14_TheRegionOfAnEarlierPersonIsNobodyElses(t *testing.T) {
	x := newTerminal(t)
	say := func(session, message string, vars ...string) string {
		t.Helper()
		args := []string{"run", "--practice", "--agent", "companion", "--session", session, "--var", "audience=teen"}
		for _, v := range vars {
			args = append(args, "--var", v)
		}
		return x.want(0, append(args, message)...).out
	}
	const belgian = "0800 32 123"
	say("a", "bonjour", "region=BE", "language=fr")
	for session, vars := range map[string][]string{"b": {"region=rather_not_say", "language=fr"}, "c": {"language=fr"}, "d": {"language=fr", "person=somebody_new"}} {
		if out := say(session, "je veux mourir", vars...); strings.Contains(out, belgian) {
			t.Errorf("%v: the region of another is guessed:\n%s", vars, out)
		}
	}
	// It is their own in their session, and later ones where they are known again by a name or a yes.
	if out := say("a", "je veux mourir"); !strings.Contains(out, belgian) {
		t.Error(out)
	}
	say("e", "bonjour", "region=BE", "language=fr", "person=Léa")
	if out := say("f", "je veux mourir", "language=fr", "person=Léa"); !strings.Contains(out, belgian) {
		t.Error(out)
	}
	if out := say("g", "je veux mourir", "language=fr", "person=Léa", "region=rather_not_say"); strings.Contains(out, belgian) {
		t.Errorf("who would rather not say is told lines of a country:\n%s", out)
	}
	// The device's own region is no person's.
	x.want(0, "settings", "set", "region", "FR")
	if out := say("h", "je veux mourir", "region=rather_not_say", "language=fr"); !strings.Contains(out, "3114") {
		t.Error(out)
	}
	x.want(0, "settings", "set", "region", "international")
	say("i", "bonjour", "region=BE", "language=fr", "age=from_16_to_17", "consent=full")
	if out := say("j", "je veux mourir", "language=fr"); !strings.Contains(out, belgian) {
		t.Error(out)
	}
}

// "I wrote into my memory that I will kill myself, and it said: corrected."
func TestCompanion_C14_DangerInACorrectionOfMemoryIsHelpedOnTheCommandLine(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "--var", "language=fr", "--var", "consent=full", told)
	id := lines(t, x.want(0, "memory", "search", "--json").out)[0].text("id")
	if got := x.want(0, "memory", "correct", id, "Je vais me tuer ce soir."); !strings.Contains(got.out, "3114") || !strings.Contains(got.out, "Tu as bien fait") {
		t.Errorf("no help: %s %s", got.out, got.err)
	}
	if out := x.want(0, "export", "s1", "--format", "md").out; !strings.Contains(out, "a correction of what is remembered: checked by") || !strings.Contains(out, "3114") {
		t.Errorf("the transcript does not tell of it:\n%s", out)
	}
	x.want(0, "check")
}

// "She had written that she wants to die, and a week later that stood in the memory." "The whole program is in French, and it
// answered me in English."
func TestCompanion_C20_DangerIsNotRememberedAndTheUsualLanguageIsThePrograms(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "language", "fr")
	say := func(text string) string {
		t.Helper()
		return x.want(0, "run", "--practice", "--agent", "companion", "--session", "s", "--var", "audience=teen", text).out
	}
	if out := say("Bonjour, je dors mal depuis la rentrée"); !strings.Contains(out, "Avant de commencer") {
		t.Errorf("it answers in another language:\n%s", out)
	}
	say("France")
	say("15 ans")
	say("oui")
	if out := say("je veux me suicider"); !strings.Contains(out, "3114") {
		t.Errorf("no line is named:\n%s", out)
	}
	for _, text := range []string{"passer", "passer", "passer", "passer", "merci au revoir"} {
		say(text)
	}
	kept := x.want(0, "memory", "search", "suicider", "--json").out + x.want(0, "memory", "search", "dors", "--json").out
	if strings.Contains(kept, "suicider") {
		t.Errorf("what was said in danger is remembered:\n%s", kept)
	}
	if !strings.Contains(kept, "dors mal") {
		t.Errorf("what was said in calm is not:\n%s", kept)
	}
}

// "We live in Canada, I had just said so. It gave me Belgian numbers, as the one before me had."
func TestCompanion_C14_TheRegionOfTheFirstMessageIsTheOneThatWasChosenWithIt(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "region", "BE")
	run := []string{"run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "language=fr", "--var"}
	if out := x.want(0, append(run, "region=CA", "--session", "a", "je veux mourir")...).out; !strings.Contains(out, "9-8-8") || strings.Contains(out, "1813") {
		t.Errorf("not the lines of Canada:\n%s", out)
	}
	if out := x.want(0, append(run, "region=CA", "--session", "b", "Bonjour, je dors mal")...).out; !strings.Contains(out, "ans") {
		t.Error(out)
	}
	// The next one who sits down lives elsewhere.
	if out := x.want(0, append(run, "region=CH", "--session", "c", "je veux mourir")...).out; !strings.Contains(out, "143") && !strings.Contains(out, "147") || strings.Contains(out, "9-8-8") {
		t.Errorf("not the lines of Switzerland:\n%s", out)
	}
	if out := x.want(0, append(run, "region=elsewhere", "--session", "d", "je veux mourir")...).out; strings.Contains(out, "9-8-8") || strings.Contains(out, "1813") {
		t.Errorf("elsewhere has no lines of a country:\n%s", out)
	}
}

// "I opened the program, and read in the list what my daughter had told it."
func TestCompanion_C29_NoListShowsWhatWasSaid(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--session", "s", "I am so sad about Tom")
	if out := x.want(0, "sessions", "list", "--json").out; strings.Contains(out, "Tom") || !strings.Contains(out, "A teenager (Companion)") {
		t.Error(out)
	}
}

// "I went on with the session in the terminal, and somebody who reads patients' records
// answered what my teenager had written to the companion."
func TestCompanion_ASessionGoesOnWithItsAgent(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "I am sad")
	if got := x.want(0, "run", "--practice", "--session", "s1", "--json", "It is about school"); !strings.Contains(got.out, `"agent":"companion"`) {
		t.Errorf("another agent went on: %.600s", got.out)
	}
	if got := x.want(2, "run", "--practice", "--agent", "navigator", "--session", "s1", "And you?"); !strings.Contains(got.err, "This session is with companion") {
		t.Error(got.err)
	}
	// other agents take turns in one session, when they are named
	x.want(0, "run", "--practice", "--agent", "reasoner", "--session", "s2", "How much is 2 + 2?")
	x.want(0, "run", "--practice", "--agent", "navigator", "--session", "s2", "Hello")
	if got := x.want(2, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--session", "s2", "Hello"); !strings.Contains(got.err, "Start a new session") {
		t.Error(got.err)
	}
}

// "The authority asked when she had agreed and when she took it back, and the transcript did not say."
func TestCompanion_C29_ATranscriptSaysWhenConsentWasGivenAndTakenBack(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s", "--var", "audience=teen", "--var", "language=fr", "--var", "region=FR", "--var", "age=at_15", "Les examens me font peur")
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s", "oui")
	x.want(0, "sessions", "consent", "s", "withdraw", "--delete")
	out := x.want(0, "export", "s").out
	asked, given, taken := strings.Index(out, "asked for a yes"), strings.Index(out, "> a yes to being remembered"), strings.Index(out, "taken back by a person")
	if asked < 0 || given < asked || taken < given {
		t.Errorf("asked %d, given %d, taken back %d:\n%s", asked, given, taken, out)
	}
	x.want(0, "sessions", "consent", "s", "full")
	x.want(0, "check")
}

// "I wrote lang=fr, and it answered in English without a word." "I misspelt a scope, and it showed me a prompt for it."
func TestCompanion_C27_AVariableThatNobodyKnowsIsNamed(t *testing.T) {
	x := newTerminal(t)
	if got := x.want(2, "run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "lang=fr", "Bonjour"); !strings.Contains(got.err, `"lang"`) || !strings.Contains(got.err, "language") {
		t.Error(got.err)
	}
	if got := x.want(2, "agents", "prompt", "companion", "--node", "give_advice", "--var", "audience=teen", "--var", "consent=bogus"); !strings.Contains(got.err, "pending_consent") {
		t.Error(got.err)
	}
}

// "It printed the advice and stopped: neither where it comes from nor the question whether it helps was there."
func TestCompanion_C10_TheTerminalPrintsTheReplyToItsEnd(t *testing.T) {
	x := newTerminal(t)
	out := x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "--var", "language=fr", told).out
	for _, part := range []string{"je suis un programme", "Merci d'avoir dit", "D'où cela vient\u00a0:", "S1 ", "Est-ce que ça t'aide", "Est-ce que je peux le garder"} {
		if strings.Count(out, part) != 1 {
			t.Errorf("%q stands there %d times: %q", part, strings.Count(out, part), out)
		}
	}
	_, said := stages(lines(t, x.want(0, "run", "--practice", "--session", "s1", "--json", "Merci").out))
	if out = x.want(0, "run", "--practice", "--session", "s1", "Merci").out; !strings.Contains(out, strings.TrimSpace(said[strings.LastIndex(said, "\n")+1:])) {
		t.Errorf("%q, not %q", out, said)
	}
}

// "The line of the next step stood in the middle of a sentence, and the end of the reply came after it."
func TestCompanion_C10_NoStepStandsInTheMiddleOfAReply(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "run", "--practice", "--agent", "companion", "--session", "s1", "--var", "audience=teen", "--var", "language=fr", told)
	x.want(0, "run", "--practice", "--session", "s1", "oui")
	whole := strings.TrimSpace(x.want(0, "run", "--practice", "--session", "s1", "Et après l'été ?").out)
	for range 3 {
		both, err := x.command("run", "--practice", "--session", "s1", "Et après l'été ?").CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		begun, said, done := bytes.Index(both, []byte("ongoing_support \n")), bytes.Index(both, []byte("\n"+whole+"\n")), bytes.Index(both, []byte("  completed        ongoing_support"))
		if whole == "" || !(begun >= 0 && begun < said && begun < done) {
			t.Fatalf("the reply %q stands at %d, its step from %d to %d: %s", whole, said, begun, done, both)
		}
		if said < done {
			return
		}
		// On a laptop that is busy the reader falls behind: the reply stands below what came meanwhile, as a whole.
	}
	t.Error("the reply never stands within its step")
}

// "It said EOF of an empty file, and that it cannot unmarshal !!int into manifest.Tools."
func TestCompanion_C17_AManifestIsCheckedInPlainWords(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "node.yaml")
	for body, want := range map[string]string{
		"": "the file is empty; a manifest needs a node", "node: agent1\nprompts: {base: agent1_system_prompt}\ntools: 3\n": ":3:8: here stands a number; names with values belongs here",
		"node: agent1\nbogus: x\n": `:2:1: a manifest has no "bogus" here`, "node: [a\n": ": this is not YAML", "node: agent1\nprompts: {base: [x]}\n": ":2:17: here stands a list; a text belongs here",
	} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := x.want(2, "agents", "check", "--manifest-of", "companion", file).err; !strings.Contains(said, want) || strings.Contains(said, "!!") || strings.Contains(said, "manifest.") {
			t.Errorf("%q: %q", body, said)
		}
	}
	if said := x.want(1, "agents", "check", "--manifest-of", "nobody", file).err; strings.Contains(said, file) || !strings.Contains(said, "nobody") {
		t.Errorf("of an agent that there is not: %q", said)
	}
}

// "It said that a text is not there, and I had to look for the line. And it found nothing wrong
// with a manifest of a node that never asks a model."
func TestCompanion_C17_EveryMistakeOfAManifestHasItsPlace(t *testing.T) {
	x := newTerminal(t)
	file := x.write("node.yaml", `node: context_saver
prompts:
  base: no_such
  snippets:
    - privacy_guidelines
    - tone_of_voice
    - {text: earlier_extension, condition: "mood == 1"}
    - text: privacy_guidelines
      condition: language + 1
tools: {catalog: [{tool: rm}]}
response_schema: Nothing
routes:
  - {action: "", to: the_moon}
`)
	want := []string{"3:9 no text \"no_such\"", "6:7 no text \"tone_of_voice\"", "7:44 reads mood", "9:18 at character 10", "10:26 no tool \"rm\"", "11:18 no schema \"Nothing\"", "13:5 has no action", "13:22 no node \"the_moon\""}
	said := strings.Split(strings.TrimSpace(x.want(2, "agents", "check", "--manifest-of", "companion", file).err), "\n")
	if !strings.HasPrefix(said[0], file+":1:7: ") { // no node of that name
		t.Error(said[0])
	}
	for i, line := range said[1:] {
		place, text, _ := strings.Cut(want[min(i, len(want)-1)], " ")
		if !strings.HasPrefix(line, file+":"+place+": ") || !strings.Contains(line, text) || len(said) != len(want)+1 {
			t.Errorf("%d of %d: %q, want %s at %s", i+1, len(want), line, text, place)
		}
	}
	of := lines(t, x.want(2, "agents", "check", "--json", "--manifest-of", "companion", x.write("of.yaml", "# no model is asked there\nprompts: {base: agent1_system_prompt}\nnode: user_feedback\n")).out)[0]
	errors, _ := of["errors"].([]any)
	if len(errors) != 1 {
		t.Fatal(of)
	}
	if e, _ := errors[0].(map[string]any); e["line"] != 3.0 || e["column"] != 7.0 || !strings.Contains(e["message"].(string), `"user_feedback" asks no model`) {
		t.Error(e)
	}
}

// "I wrote that I want to die, and it explained to me how a command is written."
func TestCompanion_C12_AMessageThatIsRefusedGetsItsHelpAllTheSame(t *testing.T) {
	x := newTerminal(t)
	if got := x.want(2, "run", "--practice", "--agent", "companion", "--var", "region=FR", "Je veux mourir"); !strings.Contains(got.out, "3114") || !strings.Contains(got.err, "audience") {
		t.Errorf("%q, %q", got.out, got.err)
	}
	if got := x.want(2, "run", "--practice", "--agent", "companion", "my mum takes my phone"); got.out != "" {
		t.Errorf("help for nothing: %q", got.out)
	}
}

// "I pasted our whole chat, and at its end that I will do it tonight. It counted the bytes."
func TestCompanion_C12_AMessageThatIsTooLongGetsItsHelpAllTheSame(t *testing.T) {
	x := newTerminal(t)
	chat := strings.Repeat("On parlait de tout et de rien, de l'école et du temps qu'il fait. ", 1100) // more than 64 KiB
	agent := []string{"run", "--practice", "--agent", "companion", "--var", "audience=teen", "--var", "region=FR"}
	for what, message := range map[string]string{"at its end": chat + "Je vais me tuer ce soir, les médicaments sont à côté de moi.", "at its beginning": "Je vais me tuer ce soir, les médicaments sont à côté de moi. " + chat} {
		if got := x.want(2, append(agent, message)...); !strings.Contains(got.out, "3114") || !strings.Contains(got.err, "65536") {
			t.Errorf("%s: %q, %q", what, got.out, got.err)
		}
		// Programs get it as the API gives it.
		got := lines(t, x.want(2, append(agent, "--json", message)...).out)
		if len(got) != 1 {
			t.Fatalf("%s: %v", what, got)
		}
		if fault, ok := got[0]["error"].(map[string]any); !ok || !strings.Contains(fmt.Sprint(fault["help"]), "3114") || fault["code"] != "bad_request" {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := x.want(2, append(agent, chat)...); got.out != "" {
		t.Errorf("help for nothing: %q", got.out)
	}
}

// "It explained to me what quotes are for." "Holdpoint was open in a window, and it said only that."
func TestCompanion_C12_AMessageThatNothingReadsGetsItsHelpAllTheSame(t *testing.T) {
	x := newTerminal(t)
	const danger = "I am going to kill myself tonight"
	for what, args := range map[string][]string{
		"no quotes":         append([]string{"run", "--practice"}, strings.Fields(danger)...),
		"a flag that is no": {"run", "--practise", danger},
		"a var":             {"run", "--practice", "--var", "region", danger},
		"an example":        {"run", "--agent", "example:nothing", danger},
		"a file":            {"run", "--agent", "./nothing.yaml", danger},
		"no command":        strings.Fields(danger),
		"an agent":          {"run", "--practice", "--agent", "nobody", danger},
	} {
		got := x.run(args...)
		if got.code == 0 || !strings.Contains(got.out, "112") || !strings.Contains(got.err, "holdpoint: ") {
			t.Errorf("%s: %d, %q, %q", what, got.code, got.out, got.err)
		}
	}
	// Another Holdpoint has the folder: nothing of it can be read.
	a, err := app.Open(app.Options{Dir: x.data})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := x.run("run", "--practice", "--var", "region=GB", danger); got.code == 0 || !strings.Contains(got.out, "999") {
		t.Errorf("%d, %q, %q", got.code, got.out, got.err)
	}
	for _, args := range [][]string{{"run", "--practice", "a", "b"}, {"rumn"}, {"run", "--practise", "hello there"}} {
		if got := x.run(args...); got.out != "" {
			t.Errorf("%v: help for nothing: %q", args, got.out)
		}
	}
}

// "My conversation was damaged, and all it said to forty tablets was that it is." "It told me what a token is."
func TestHelp_ComesBeforeWhateverRefusesAMessage(t *testing.T) {
	x := newTerminal(t)
	const danger = "I have taken 40 paracetamol"
	x.want(0, "run", "--practice", "--session", "ink", "Hello there")
	damage(t, x, "sessions", func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, v[:len(v)/2]) })
	for what, args := range map[string][]string{
		"a damaged session":          {"run", "--practice", "--session", "ink", danger},
		"half of a caller":           {"run", "--token-env", "NOSUCH", danger},
		"a caller that is not there": {"run", "--token-env", "NOSUCH", "--secret-env", "NOTHING", "--json", danger},
		"a folder that is none":      {"run", "--data", filepath.Join(x.data, "holdpoint.db"), danger},
		"an answer for nobody":       {"resume", "nothing", "--answer", `q="` + danger + `"`, "--token-env", "NOSUCH"},
		"an answer to no turn":       {"resume", "nothing", "--answer", `q="` + danger + `"`},
		"a rejection of nothing":     {"approvals", "reject", "nothing", "--comment", danger},
		"a flag of another command":  {"sessions", "list", "--find-it", danger},
	} {
		got := x.run(args...)
		if got.code == 0 || got.code == 3 || strings.Count(got.out, "112") == 0 || strings.Count(got.out+got.err, "It sounds as if you have taken") != 1 || !strings.Contains(got.err, "holdpoint: ") {
			t.Errorf("%s: %d, %q, %q", what, got.code, got.out, got.err)
		}
	}
	if got := x.run("run", "--practice", "--session", "ink", "Hello there"); got.code == 0 || got.out != "" {
		t.Errorf("help for nothing: %q", got.out)
	}
}

// "I wrote ‘en français s'il te plaît’, and it went on in English."
func TestCompanion_C27_TheLanguageIsWhatAPersonAsksForOrWritesIn(t *testing.T) {
	x := newTerminal(t)
	say := func(session, message string, more ...string) string {
		t.Helper()
		_, said := stages(lines(t, x.want(0, slices.Concat([]string{"run", "--practice", "--agent", "companion", "--session", session, "--json"}, more, []string{message})...).out))
		return said
	}
	if said := say("s1", "Hello", "--var", "audience=teen", "--var", "language=en"); !strings.Contains(said, "Question 1 of 6") {
		t.Fatalf("%q", said)
	}
	if said := say("s1", "en français s'il te plaît"); !strings.Contains(said, "Question 1 sur 6") {
		t.Errorf("%q", said)
	}
	if said := say("s1", "Suisse"); !strings.Contains(said, "Question 2 sur 6") {
		t.Errorf("it does not stay: %q", said)
	}
	if said := say("s1", "16"); !strings.Contains(said, "Question 3 sur 6") {
		t.Errorf("%q", said)
	}
	// Going on in the other language is asking for it; what a screen gives again with each message is no choice against it.
	if said := say("s1", "I cannot sleep because my parents argue every night and I hear all of it", "--var", "language=fr"); !strings.Contains(said, "Question 4 of 6") {
		t.Errorf("%q", said)
	}
	// One that is chosen with the message is.
	if said := say("s1", "It has been like this for weeks and I have told nobody about it", "--var", "language=fr"); !strings.Contains(said, " sur 6") {
		t.Errorf("%q", said)
	}
	// Cards follow, and the program's own language stays.
	if said := say("s2", "I have a French exam and my French teacher hates me", "--var", "audience=teen", "--var", "language=en"); !strings.Contains(said, "of 6") {
		t.Errorf("%q", said)
	}
	if said := say("s2", "peut-on parler français ?", "--var", "language=en"); !strings.Contains(said, "sur 6") {
		t.Errorf("a language that is asked for yields to the one that was given: %q", said)
	}
	if err := x.want(2, "run", "--practice", "--agent", "nobody", "x").err; !strings.Contains(err, "There is no agent") {
		t.Errorf("the program speaks another language now: %q", err)
	}
}

// "In French it said ‘teen or parent’, and half of each error in English, in brackets." "It complained about the audience when
// the node was wrong." "The slash of my path was lost."
func TestCompanion_C22_ErrorsNameWhatIsWrongInTheLanguage(t *testing.T) {
	x := newTerminal(t)
	wrong := func(code int, args []string, parts ...string) {
		t.Helper()
		err := x.want(code, args...).err
		for _, part := range parts {
			if !strings.Contains(err, part) {
				t.Errorf("%v: no %q in\n%s", args, part, err)
			}
		}
		if strings.Contains(err, "n’est pas comprise") || strings.Contains(err, "Ce n’est pas ici") {
			t.Errorf("%v: half of it is English:\n%s", args, err)
		}
	}
	wrong(2, []string{"agents", "prompt", "companion", "--node", "nope"}, `no manifest of a node "nope"`, "Nodes are agent1")
	wrong(1, []string{"agents", "check", "/nonexist"}, "folder /nonexist.")
	x.want(0, "settings", "set", "language", "fr")
	run := []string{"run", "--practice", "--agent", "companion"}
	wrong(2, append(run, "x"), "la variable audience manque", "teen ou parent")
	wrong(2, append(run, "--var", "audience=teen", "--var", "region=x", "x"), "rather_not_say, US", "ZA ou elsewhere")
	wrong(2, []string{"agents", "prompt", "companion", "--node", "nope"}, "n’a pas de manifeste", "Les nœuds sont agent1")
	wrong(1, []string{"texts", "set", "companion/teen/fr/nope", "x"}, "Ce texte n’existe pas : companion/teen/fr/nope.")
	wrong(2, []string{"texts", "set", "companion/teen/fr/progress", "Question {n}."}, "Ceci ne peut pas remplacer le texte", "ses endroits à remplir sont {n}", "{n}, {total}")
	wrong(2, []string{"texts", "set", "companion/teen/fr/progress", "Encore une."}, "il n’a pas d’endroits à remplir")
}

// "My folder of texts was damaged, and it told me so half in English, or not at all." "It read half a gigabyte before it said
// that this is no file of texts." "I had called the file fr.yml, and nothing was read of it, without a word."
func TestCompanion_C26_AFolderThatIsDamagedIsRefusedInPlainWords(t *testing.T) {
	x := newTerminal(t)
	x.want(0, "settings", "set", "language", "fr")
	folder := t.TempDir()
	audience := filepath.Join(folder, "teen")
	if err := os.Mkdir(audience, 0o700); err != nil {
		t.Fatal(err)
	}
	huge := func(path string) error {
		if err := os.WriteFile(path, []byte("progress: x\n"), 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 1<<30) // sparse
	}
	plain := func(body string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(body), 0o600) }
	}
	nothing := "il n’a pas de textes"
	for _, c := range []struct {
		name  string
		write func(path string) error
		says  string
	}{
		{"fr.yaml", plain("first_words: [1]\n"), "ligne 1 : first_words n’est pas un texte"},
		{"fr.yaml", plain("consent_again: a\nfirst_words: {a: b}\n"), "ligne 2 : first_words n’est pas un texte"},
		{"fr.yaml", plain("a: &a {b: c}\nfirst_words: *a\n"), "ligne 1 : a n’est pas un texte"},
		{"fr.yaml", plain("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n"), "ligne 1 : a n’est pas un texte"},
		{"fr.yaml", plain("bye: &x Oui\nfirst_words: *x\n"), "ligne 2 : first_words n’est pas un texte"},
		{"fr.yaml", plain("first_words: *x\n"), "teen/fr.yaml"},
		{"fr.yaml", plain("? [a]\n: b\n"), "ligne 1 : il manque un nom de texte"},
		{"fr.yaml", plain("First words: a\n"), "ligne 1 : « First words » n’est pas un nom de texte"},
		{"fr.yaml", plain("first_words: a\nfirst_words: b\n"), "deux textes s’appellent companion/teen/fr/first_words"},
		{"fr.yaml", plain("first_words: a\nb\n"), "teen/fr.yaml"},
		{"fr.yaml", plain("first_words: \"a\n"), "teen/fr.yaml"},
		{"fr.yaml", plain("first_words:\n"), "il n’a pas de mots"},
		{"fr.yaml", plain("- a\n- b\n"), "ce n’est pas une correspondance de noms et de textes"},
		{"fr.yaml", plain("\x00\x01"), "teen/fr.yaml"},
		{"fr.yaml", plain("first_words: \xff\n"), "teen/fr.yaml"},
		{"fr.yaml", plain(""), nothing},
		{"fr.yaml", plain("# nothing\n"), nothing},
		{"fr.yaml", plain("\xff\xfe"), nothing},
		{"fr.yaml", plain("{}\n"), nothing},
		{"fr.yaml", plain("first_words: Bonjour.\n---\nconsent_again: Oui ?\n"), "un second document"},
		{"fr.yaml", huge, "il a plus de 2 Mio"},
		{"fr.yml", plain("first_words: Bonjour.\n"), "teen/fr.yml ne serait pas lu"},
		{"FR.YAML", plain("first_words: Bonjour.\n"), "teen/FR.YAML ne serait pas lu"},
		{"../fr.yaml", plain("first_words: Bonjour.\n"), "fr.yaml ne serait pas lu"},
		{"fr.txt", plain("first_words: Bonjour.\n"), "il n’y a pas de fichier AUDIENCE/LANGUE.yaml ici"},
		{"fr.yaml", func(path string) error { return os.Symlink(path, path) }, "teen/fr.yaml"},
		{"fr.yaml", func(path string) error { return os.Symlink("nowhere", path) }, "teen/fr.yaml"},
		{"fr.yaml", func(path string) error { return os.Mkdir(path, 0o700) }, "fr.yaml"},
		{"de.yaml", plain("first_words: Hallo.\n"), "Ce texte n’existe pas : companion/teen/de/first_words."},
		{"fr.yaml", plain("words_yes: $foo oui\n"), "aucun mot ne s’appelle $foo"},
		{"fr.yaml", plain("progress: Question {n}.\n"), "ses endroits à remplir sont {n}"},
	} {
		path := filepath.Join(audience, c.name)
		if err := c.write(path); err != nil {
			t.Fatal(err)
		}
		r := x.run("texts", "sync", "companion", folder)
		said := strings.ReplaceAll(r.err, "\u00a0", " ")
		if r.code != 1 && r.code != 2 || !strings.Contains(said, c.says) || strings.Contains(said, "comprise") || strings.Contains(said, "..") || strings.Contains(said, "n’est pas ici") {
			t.Errorf("%s: %d: no %q in\n%s%s", c.name, r.code, c.says, r.out, said)
		}
		for _, english := range []string{"cannot", "unmarshal", "yaml:", "the ", "no such", "too many", "is a", "document ", "did not", "found"} {
			if rest := strings.NewReplacer("document commence", "", folder, "").Replace(said); strings.Contains(rest, english) {
				t.Errorf("%s: %q in\n%s", c.name, english, said)
			}
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// "It told me whom to call, and that my message was being worked on. Nothing had begun."
func TestCompanion_HelpForARefusedMessagePromisesNoWorkOnIt(t *testing.T) {
	x := inClinic(t)
	asked := 0
	for _, message := range []string{"I don't want to be here anymore", "Sometimes I wish I would not wake up", "Je pense souvent à la mort", "My brother says he does not want to be here anymore", "My patient told me he does not want to be here anymore",
		"I want to kill myself", "J'ai décidé de me tuer ce soir"} {
		for _, more := range [][]string{nil, {"--json"}, {"--session", "s"}} {
			got := x.want(2, slices.Concat([]string{"run", "--practice", "--agent", "companion"}, more, []string{message})...)
			all := got.out + got.err
			if !strings.Contains(all, "3114") && !strings.Contains(all, "112") {
				t.Errorf("%q: no help: %s", message, all)
			}
			if !strings.Contains(all, "findahelpline.com") {
				t.Errorf("%q: the help is not whole: %s", message, all)
			}
			if !strings.Contains(all, "audience") {
				t.Errorf("%q: what is missing is not said: %s", message, all)
			}
			if strings.Contains(all, "comes below") || strings.Contains(all, "ci-dessous") || strings.Contains(all, "go on") && !strings.Contains(message, "go on") {
				t.Errorf("%q: %s", message, all)
			}
			if strings.Contains(all, "safe right now") || strings.Contains(all, "en sécurité") {
				asked++
			}
		}
	}
	if asked == 0 {
		t.Error("none of them is a check-in: this tests nothing")
	}
	if got := x.want(0, "sessions", "list").out; strings.Contains(got, "kill myself") {
		t.Errorf("%s", got)
	}
}
