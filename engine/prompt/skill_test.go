package prompt

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/ledger"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/run"
	"holdpoint/engine/skill"
	"holdpoint/engine/tool"
	"holdpoint/store"
)

// shelved is a shelf with the skill "filing", which offers the tool look, a block that
// declares nothing, and a checkpoint after look.
func shelved(t *testing.T, steps string) *skill.Shelf {
	t.Helper()
	s, err := skill.New(map[string][]byte{
		"SKILL.md": []byte("---\nname: filing\ndescription: How to file.\nallowed-tools: look gone\n---\n## Steps\n" + steps + "\n"),
		"form.md":  []byte("Box 1 is the name."), "stamp.star": []byte("def run(args):\n    return 1\n"),
		"blocks.yaml": []byte("- {name: stamp, description: Stamps., file: stamp.star}\n"),
		"rules.yaml":  []byte("- {name: looked_at, event: after_tool_call, tools: [look], verdict: hold, checkpoint: pre_filing}\n")})
	must(t, err)
	other, err := skill.New(map[string][]byte{"SKILL.md": []byte("---\nname: other\ndescription: Something else.\n---\n")})
	must(t, err)
	return skill.NewShelf(skill.Jail{}, s, other)
}

func skilled(t *testing.T, p *puppet, ran *counter) *lab {
	t.Helper()
	l := newLab(t, p, look("look", ran))
	l.live.Skills = shelved(t, "Look first.")
	n := &Node{Name: "talk", Instructions: "Talk.", Skills: []string{"*"}, Says: true}
	g := spec(n.Stage())
	g.Channels = append(g.Channels, Skills)
	return l.build(g)
}

func (l *lab) loaded(t *testing.T) (out []journal.SkillLoadedData) {
	t.Helper()
	for _, e := range l.of(journal.SkillLoaded) {
		d, err := journal.Read[journal.SkillLoadedData](e)
		must(t, err)
		out = append(out, d)
	}
	return out
}

func TestFiling_F51F57_ASelectedSkillIsLoadedOnceWithItsTools(t *testing.T) {
	p := says("SKILL_SELECT:{filing}", "SKILL_SELECT:{filing} I have it.", "Done.")
	l := skilled(t, p, nil)
	out := l.ask("File it.")
	wantStatus(t, out, run.Completed)
	first, second := p.request(0), p.request(1)
	holds(t, text(first), "SKILL_SELECT:{filing}", "- filing: How to file.", "- other: Something else.")
	lacks(t, text(first), "## Steps", "Box 1")
	if len(first.Tools) != 0 {
		t.Errorf("before it was loaded its tools were offered: %+v", first.Tools)
	}
	holds(t, text(second), "system: === Skill Activated: filing ===", "## Steps\nLook first.", "## Artifact: form.md\nBox 1 is the name.", "- other: ")
	lacks(t, text(second), "- filing: ")
	var names []string
	for _, o := range second.Tools {
		names = append(names, o.Name)
	}
	if !slices.Equal(names, []string{"look", "stamp"}) {
		t.Errorf("offered after loading: %v", names)
	}
	got := l.loaded(t)
	if len(got) != 1 || got[0].Skill != "filing" || got[0].Tier != skill.Complete || !slices.Equal(got[0].Missing, []string{"filing: gone"}) || got[0].Digest == "" {
		t.Errorf("loaded: %+v, want it once", got)
	}
	// Selecting again what is loaded is an answer like any other.
	if p.count() != 2 || !strings.Contains(out.Run.Output, "I have it.") {
		t.Errorf("%d questions; the reply is %q", p.count(), out.Run.Output)
	}
	if list := Skills.Get(out.State); len(list) != 1 {
		t.Errorf("the record is %+v", list)
	}
}

func TestFiling_F58_ARuleOfALoadedSkillHoldsAndOnlyThen(t *testing.T) {
	var ran counter
	p := &puppet{answers: []model.Message{{Text: "SKILL_SELECT:{filing}"}, calling(wants("look", `{"q":"x"}`)), {Text: "Filed."}}}
	l := skilled(t, p, &ran)
	out := l.ask("File it.")
	wantStatus(t, out, run.Paused)
	var ap ledger.Approval
	must(t, l.db.Read(func(tx store.Tx) error {
		return tx.Approvals(ledger.Pending, func(a ledger.Approval) (bool, error) { ap = a; return true, nil })
	}))
	if ap.Checkpoint != "pre_filing" || len(ran.all()) != 1 || p.count() != 2 {
		t.Fatalf("what waits is %+v; the tool ran %v, the model was asked %d times", ap, ran.all(), p.count())
	}
	if fired := l.of(journal.RuleFired); len(fired) != 1 || !strings.Contains(string(fired[0].Data), `"skill:filing"`) {
		t.Errorf("fired: %+v", fired)
	}
	l.approve(ap.ID)
	out = l.resume(ap.ID)
	wantStatus(t, out, run.Completed)
	if len(ran.all()) != 1 || out.Run.Output != "Filed." {
		t.Errorf("the tool ran %v; the reply is %q", ran.all(), out.Run.Output)
	}
	// Without the skill the same tool is just a tool.
	free := newLab(t, &puppet{answers: []model.Message{calling(wants("look", `{"q":"x"}`)), {Text: "Filed."}}}, look("look", nil))
	free.live.Skills = shelved(t, "Look first.")
	n := &Node{Name: "talk", Instructions: "Talk.", Tools: []string{"look"}, Says: true}
	wantStatus(t, free.build(spec(n.Stage())).ask("File it."), run.Completed)
}

func TestFiling_F47_AChangedSkillAsksAndVoidsWhatWaits(t *testing.T) {
	p := &puppet{answers: []model.Message{{Text: "SKILL_SELECT:{filing}"}, calling(wants("stamp", `{}`)), {Text: "Stamped."}}}
	l := skilled(t, p, nil)
	out := l.ask("File it.")
	wantStatus(t, out, run.Paused)
	if len(out.Pauses) != 1 || out.Pauses[0].Kind != "approval" {
		t.Fatalf("a block without a capability did not wait for an approval: %+v", out.Pauses)
	}
	first := out.Pauses[0].ID
	l.approve(first)
	l.live.Skills = shelved(t, "Something quite different.")
	out = l.resume(first)
	wantStatus(t, out, run.Paused)
	if len(out.Pauses) != 1 || out.Pauses[0].Kind != "question" || !strings.Contains(string(out.Pauses[0].Data), "has changed") {
		t.Fatalf("the turn waits for %+v, want a question about the changed skill", out.Pauses)
	}
	question := out.Pauses[0].ID
	resumed, err := l.executor().Resume(context.Background(), l.g, "turn:1", run.Resumption{Dependencies: l.live, Answers: map[string]json.RawMessage{question: json.RawMessage(`{"approved":true}`)}})
	must(t, err)
	wantStatus(t, resumed, run.Paused)
	if got := l.loaded(t); len(got) != 2 || got[0].Digest == got[1].Digest {
		t.Errorf("loaded: %+v, want the new version, too", got)
	}
	must(t, l.db.Read(func(tx store.Tx) error {
		a, err := tx.Approval(first)
		if a.Status != ledger.Void {
			t.Errorf("the approval of the old version is %s", a.Status)
		}
		return err
	}))
	if len(resumed.Pauses) == 0 || resumed.Pauses[len(resumed.Pauses)-1].ID == first {
		t.Errorf("nothing new is asked: %+v", resumed.Pauses)
	}
}

func TestFiling_ASkillThatIsNotThereIsNamed(t *testing.T) {
	l := newLab(t, says("hello"))
	n := &Node{Name: "talk", Instructions: "Talk.", Skills: []string{"nobody"}, Says: true}
	g := spec(n.Stage())
	g.Channels = append(g.Channels, Skills)
	out := l.build(g).ask("File it.")
	if out.Err == nil || !strings.Contains(out.Err.Error(), `no skill "nobody"`) {
		t.Errorf("the run is %s: %v", out.Run.Status, out.Err)
	}
}

// "It asked me three times which well; I told it; it should not ask again."
func TestFiling_F83_TheCountOfUnclearSearchesRisesResetsAndAsks(t *testing.T) {
	results := []string{`{"decisive":false}`, `{"decisive":true}`, `{"decisive":false}`, `{"decisive":false}`, `{"decisive":false}`, `{"decisive":false}`}
	n := 0
	p := &puppet{}
	p.answer = func(model.Request) (model.Message, error) {
		if n >= len(results) {
			return model.Message{Text: "Done."}, nil
		}
		return calling(wants("entity_resolve", `{"q":"`+string(rune('a'+n))+`"}`)), nil
	}
	find := look("entity_resolve", nil)
	find.Read = func(context.Context, tool.Env, json.RawMessage) (json.RawMessage, error) {
		n++
		return json.RawMessage(results[n-1]), nil
	}
	l := newLab(t, p, find)
	set, err := rule.Compile(rule.With(nil)...)
	must(t, err)
	l.live.Rules = set
	node := &Node{Name: "talk", Instructions: "Talk.", Tools: []string{"entity_resolve"}, Says: true, Rounds: 20}
	out := l.build(spec(node.Stage())).ask("Which well?")
	wantStatus(t, out, run.Paused)
	if n != 5 || len(out.Pauses) != 1 || out.Pauses[0].Kind != "question" {
		t.Fatalf("it paused after %d searches with %+v; want 5 (one, reset, three) and a question", n, out.Pauses)
	}
	n = 4 // the search is made again on the way back
	out, err = l.executor().Resume(context.Background(), l.g, "turn:1", run.Resumption{Dependencies: l.live, Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"answer":"42-329-12345"}`)}})
	must(t, err)
	wantStatus(t, out, run.Completed)
	if got := text(p.request(p.count() - 1)); !strings.Contains(got, "42-329-12345") {
		t.Errorf("the model was not told the answer:\n%s", got)
	}
	if n != 6 {
		t.Errorf("%d searches were made; after the answer the count begins anew", n)
	}
}
