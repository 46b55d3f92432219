package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/board"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
	"holdpoint/store"
)

// placed is where a person typed something: the words that only it has, and what deletes it; "" goes with the session.
type placed struct {
	word   string
	delete func(a *app.App) error
}

// "I deleted all that I had written about her, compacted the file, and her name was still in it." Everywhere where a
// person can type stands a word of its own; with the session, and what a person can delete besides, they are all gone.
func TestCanary_NothingOfWhatAPersonDeletesStaysInTheFile(t *testing.T) {
	dir := t.TempDir()
	a := openOnline(t, dir, &sources{})
	sample(t, a)
	var all []placed
	put := func(word string, delete func(*app.App) error, err error) string {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		all = append(all, placed{word, delete})
		return word
	}
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	// A turn of a graph that need not be in the agents folder, one that waits, and one of an agent in the folder.
	graph := "name: own\nnodes:\n  - {name: ask, kind: human, question: \"Is it so, %s?\", default_next: last}\n  - {name: last, kind: transform, template: \"well\"}\n"
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "quokkasession", Text: put("quokkamessage", nil, nil), Definition: fmt.Sprintf(graph, put("quokkagraph", nil, nil)), Vars: map[string]string{"note": put("quokkavar", nil, nil)}})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatal(out.Run.Status, err)
	}
	err = a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"quokkaanswer"`))
	put("quokkaanswer", nil, err)
	if _, err := a.ResumeTurn(t.Context(), out.Run.Turn); err != nil {
		t.Fatal(err)
	}
	if out, err = a.RunTurn(t.Context(), app.TurnRequest{Session: "quokkasession", Text: "again", Definition: fmt.Sprintf(graph, put("quokkawaits", nil, nil))}); err != nil || out.Run.Status != run.Paused {
		t.Fatal(out.Run.Status, err)
	}
	added, err := a.AddAgent(strings.Replace(fmt.Sprintf(graph, put("quokkafolder", func(a *app.App) error { return a.RemoveAgent("mine") }, nil)), "own", "mine", 1))
	if err != nil {
		t.Fatal(err)
	}
	if out, err = a.RunTurn(t.Context(), app.TurnRequest{Session: "other", Agent: added, Text: "go"}); err != nil || out.Run.Status != run.Paused {
		t.Fatal(out.Run.Status, err)
	}
	_, err = a.AddRules("rules:\n  - name: quokkarule\n    event: before_tool_call\n    verdict: warn\n    reason: quokkareason\n", app.Proof{})
	put("quokkareason", nil, nil)
	put("quokkarule", func(a *app.App) error { return a.RemoveRule("quokkarule", app.Proof{}) }, err)
	// A call that a person approves, with a comment, and another that they reject.
	for _, approve := range []bool{true, false} {
		session := fmt.Sprint("booking", approve)
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Patient: "pat-alder", Text: "Please book me a visit for my insomnia next week, " + put("quokkaasks"+session, nil, nil)})
		if err != nil || out.Run.Status != run.Paused {
			t.Fatal(out.Run.Status, err)
		}
		v := warned(a, t, out.Pauses[0].ID)
		var made []record.Ref
		for _, c := range v.Changes {
			made = append(made, c.Ref)
		}
		_, err = a.Decide(app.Decision{ID: v.ID, Digest: v.Digest, Reviewer: "Dr. A", Comment: "fine, quokkacomment" + session}, approve)
		put("quokkacomment"+session, nil, err)
		if _, err := a.ResumeTurn(t.Context(), out.Run.Turn); err != nil {
			t.Fatal(err)
		}
		if approve { // what it made is a record, and stays until it is removed
			put("quokkarecordof"+session, func(a *app.App) error { return a.RemoveRecords(made...) }, nil)
		}
	}
	_, err = a.ImportDocuments(t.Context(), file("quokkafile.txt", "In a trial of adults exercise helped people sleep better, quokkadocument."), quietIn)
	forget := func(a *app.App) error {
		list, err := a.Documents("", "", "", "", 100)
		for _, d := range list.Documents {
			err = errors.Join(err, a.DeleteDocument(d.ID))
		}
		return err
	}
	put("quokkadocument", forget, err)
	put("quokkafile", nil, nil)
	// A skill that is loaded, and a person's verdict on a board.
	skill := filepath.Join(t.TempDir(), "quokkaskill")
	if err := os.Mkdir(skill, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: quokkaskill\ndescription: Adds up numbers, with their units.\n---\n## Steps\nquokkasteps\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = a.AddSkill(skill)
	put("quokkaskill", func(a *app.App) error { return a.RemoveSkill("quokkaskill") }, err)
	_, err = a.RunTurn(t.Context(), app.TurnRequest{Session: "skilled", Text: "please use quokkaskill", Definition: strings.ReplaceAll(adder, "[sums]", "[quokkaskill]")})
	put("quokkasteps", nil, err)
	if out, err = a.RunTurn(t.Context(), app.TurnRequest{Session: "study", Agent: "researcher", Text: "Does exercise help people sleep better? " + put("quokkastudy", nil, nil)}); err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	_, err = a.ChangeBoard(app.BoardChange{Turn: out.Run.Turn, Op: board.Refute, On: "h1", Reason: "Too small, quokkaverdict.", Reviewer: "Ada"})
	put("quokkaverdict", nil, err)
	// What is said to who asks for consent.
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "friend", Agent: "companion", Vars: map[string]string{"audience": "teen"}, Text: "I sleep badly, " + put("quokkafriend", nil, nil)}); err != nil {
		t.Fatal(err)
	}
	for _, session := range []string{"quokkasession", "friend"} {
		put("quokkatitle"+session, nil, a.Rename(session, "Talk of quokkatitle"+session))
		put("quokkadraft"+session, nil, a.SaveDraft(session, "and then quokkadraft"+session))
	}
	put("quokkanewdraft", func(a *app.App) error { return a.SaveDraft(app.NewDraft, "") }, a.SaveDraft(app.NewDraft, "quokkanewdraft"))

	// What belongs to no session.
	_, err = a.ImportNow(t.Context(), file("a.ndjson", `{"resourceType":"Patient","id":"pq","name":[{"family":"Quokkarecord"}],"birthDate":"1980-01-01"}`), quiet)
	put("Quokkarecord", func(a *app.App) error { return a.RemoveRecords(record.Ref{Type: "Patient", ID: "pq"}) }, err)
	texts, err := a.Texts("companion")
	if err != nil {
		t.Fatal(err)
	}
	key := texts[0].Key.String()
	_, err = a.SetText(key, texts[0].Text+" quokkatext", "")
	put("quokkatext", func(a *app.App) error { _, err := a.ResetText(key, ""); return err }, err)
	put("quokkareviewer", func(a *app.App) error { return a.Set("reviewer", []byte(`""`)) }, a.Set("reviewer", []byte(`"Dr. quokkareviewer"`)))
	if err := a.Set("network", []byte("true")); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"refused", "sent"} {
		list, err := a.PlanOnline("sleep of quokkaonline"+what, []string{"pubmed"}, 1)
		if err == nil && what == "refused" {
			err = a.RefuseOnline([]string{list[0].ID}, "Dr. A")
		} else if err == nil {
			_, err = a.SendOnline(t.Context(), []string{list[0].ID}, "Dr. A", quiet)
		}
		put("quokkaonline"+what, nil, err)
	}
	put("quokkaonline", func(a *app.App) error {
		v, err := a.Online()
		for _, r := range v.Requests {
			if r.Status == "waiting" {
				err = errors.Join(err, a.RefuseOnline([]string{r.ID}, "Dr. A"))
			}
		}
		if err == nil {
			_, err = a.ForgetOnline(nil)
		}
		return err
	}, nil)

	for _, p := range all {
		if !strings.HasPrefix(p.word, "quokkarecordof") && !fileHas(t, dir, p.word) {
			t.Errorf("%s is nowhere: it shows nothing", p.word)
		}
	}
	list, _, err := a.Sessions(store.SessionQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if err := a.DeleteSession(s.ID); err != nil {
			t.Fatal(s.ID, err)
		}
	}
	for _, p := range all {
		if p.delete != nil {
			if err := p.delete(a); err != nil {
				t.Errorf("%s: %v", p.word, err)
			}
		}
	}
	if _, err := a.Store.Compact(); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(app.StorePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ToLower(string(body))
	for rest := text; ; {
		at := strings.Index(rest, "quokka")
		if at < 0 {
			break
		}
		t.Errorf("still there: %q", rest[max(0, at-60):min(len(rest), at+60)])
		rest = rest[at+6:]
	}
	closeApp(t, a)
}
