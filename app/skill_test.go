package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// skillFolder writes a skill "sums" with these steps.
func skillFolder(t *testing.T, steps string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"SKILL.md":   "---\nname: sums\ndescription: Adds up numbers, with their units.\nallowed-tools: calculator nowhere\n---\n## Steps\n" + steps + "\n",
		"units.md":   "Feet are US survey feet.",
		"rules.yaml": "- {name: sums_are_read, event: after_tool_call, tools: [calculator], verdict: warn, reason: read the units}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const adder = `name: adder
nodes:
  - {name: reply, kind: prompt, instructions: Add up what the person names., skills: [sums]}
`

func TestSkills_AnAgentOfAFileLoadsOneThatAPersonAdded(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	v, err := a.AddSkill(skillFolder(t, "Add them."))
	if err != nil {
		t.Fatal(err)
	}
	if v.Source != "user" || v.Digest == "" || !slices.Equal(v.Missing, []string{"nowhere"}) || !slices.Equal(v.Tools, []string{"calculator", "nowhere"}) || len(v.Rules) != 1 || v.Loaded != nil {
		t.Errorf("it is shown as %+v", v)
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "please use sums", Definition: adder})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, run.Completed)
	loaded := turnEvents(t, a, out, journal.SkillLoaded)
	if len(loaded) != 1 || strings.Contains(out.Run.Output, "SKILL_SELECT") {
		t.Fatalf("loaded: %+v; the reply is %q", loaded, out.Run.Output)
	}
	for _, e := range turnEvents(t, a, out, journal.Message) {
		if strings.Contains(e.Text, "SKILL_SELECT") {
			t.Errorf("the person read %q", e.Text)
		}
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	v, err = a.Skill("sums")
	if err != nil || v.Loaded == nil || v.Loaded.Turn != out.Run.Turn || v.Loaded.Tier != 3 || v.Loaded.Digest != v.Digest || !strings.Contains(v.Definition, "Add them.") {
		t.Errorf("after a restart it is shown as %+v (%v)", v, err)
	}
}

func TestSkills_OneThatChangesVoidsWhatWaitsAndAsks(t *testing.T) {
	a := ruled(t, `- {name: read_it, event: before_output, agents: [adder], verdict: hold}`)
	if _, err := a.AddSkill(skillFolder(t, "Add them.")); err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Text: "please use sums", Definition: adder})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, out, run.Paused)
	v := pending(t, a)
	if _, err := a.AddSkill(skillFolder(t, "Multiply them.")); err != nil {
		t.Fatal(err)
	}
	if now, err := a.Approval(v.ID, false); err != nil || now.Status != ledger.Void {
		t.Errorf("the approval is %s (%v), want void", now.Status, err)
	}
	out = resumes(t, a, out.Run.Turn)
	wants(t, out, run.Paused)
	open, err := a.Questions()
	if err != nil || len(open) != 1 || !strings.Contains(open[0].Prompt, "The skill sums has changed") {
		t.Fatalf("the turn asks %+v (%v)", open, err)
	}
	if err := a.KeepAnswer(out.Run.Turn, open[0].Pause, []byte(`"approve"`)); err != nil {
		t.Fatal(err)
	}
	out = resumes(t, a, out.Run.Turn)
	wants(t, out, run.Paused) // what was void is asked anew
	out = decides(t, a, pending(t, a), true, "Ann Bell")
	wants(t, out, run.Completed)
	if loaded := turnEvents(t, a, out, journal.SkillLoaded); len(loaded) != 2 {
		t.Errorf("loaded %d times, want once a version", len(loaded))
	}
	// The same again changes nothing; what is not theirs cannot be removed.
	before, _ := a.Skill("sums")
	if again, err := a.AddSkill(skillFolder(t, "Multiply them.")); err != nil || !again.AddedAt.Equal(*before.AddedAt) {
		t.Errorf("adding the same again: %+v %v", again, err)
	}
	if err := a.RemoveSkill("rrc_rule37"); err == nil {
		t.Error("a skill of the program was removed")
	}
	if err := a.RemoveSkill("sums"); err != nil {
		t.Error(err)
	}
	if _, err := a.Skill("sums"); err == nil {
		t.Error("it is there after it was removed")
	}
}

// A call that waits for a skill's block names the skill's digest; another version of the
// skill takes the request back at once.
func TestSkills_AnApprovalForABlockIsVoidOnceTheSkillChanges(t *testing.T) {
	a := clinic(t, 0)
	v, err := a.AddSkill(skillFolder(t, "Add them."))
	if err != nil {
		t.Fatal(err)
	}
	held(t, a, "")
	waits := pending(t, a)
	if err := a.Store.Update(func(tx store.Tx) error {
		ap, err := tx.Approval(waits.ID)
		ap.PolicyVersion += " from skill sums@" + v.Digest
		return errors.Join(err, tx.PutApproval(ap))
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.AddSkill(skillFolder(t, "Something else.")); err != nil {
		t.Fatal(err)
	}
	if now, err := a.Approval(waits.ID, false); err != nil || now.Status != ledger.Void || !strings.Contains(now.Why, "changed") {
		t.Errorf("the request is %s: %q (%v)", now.Status, now.Why, err)
	}
}

func TestSkills_WhatIsWrongIsSaidAndNothingIsKept(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer closeApp(t, a)
	empty := t.TempDir()
	if _, err := a.AddSkill(empty); err == nil || !strings.Contains(app.AsFault(err).Message, "SKILL.md") || app.AsFault(err).Code != "bad_request" {
		t.Errorf("a folder without SKILL.md: %v", err)
	}
	file := filepath.Join(empty, "x.zip")
	if err := os.WriteFile(file, []byte("no zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.AddSkill(file); err == nil || !strings.Contains(app.AsFault(err).Message, "zip") {
		t.Errorf("no zip file: %v", err)
	}
	builtin, err := must(app.NewAgents("", nil)).Skills()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := a.Skills(); err != nil || len(all) != len(builtin) {
		t.Errorf("%d skills (%v), want the %d that come along", len(all), err, len(builtin))
	}
}
