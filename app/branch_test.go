package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/journal"
)

func askIn(t *testing.T, a *app.App, r app.TurnRequest) app.Started {
	t.Helper()
	out, err := a.RunTurn(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return app.Started{Session: out.Run.Session, Turn: out.Run.Turn}
}

// promptsOf are the prompts of the replies of a turn, as the journal has them.
func promptsOf(t *testing.T, a *app.App, s app.Started) string {
	t.Helper()
	events, _, err := a.Journal(s.Session, 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range events {
		if e.Turn != s.Turn || e.Kind != journal.ModelCalled {
			continue
		}
		data := e.Data
		var long struct {
			Prompt struct{ Blob string } `json:"prompt"`
		}
		if json.Unmarshal(data, &long) == nil && long.Prompt.Blob != "" {
			if data, err = a.Blob(long.Prompt.Blob); err != nil {
				t.Fatal(err)
			}
		}
		all.Write(data)
	}
	return all.String()
}

// "I only wanted to word my second question otherwise, and what I had is gone."
func TestBranch_AsksSomethingElseWithThePastAndChangesNothing(t *testing.T) {
	a := clinic(t, 0)
	first := askIn(t, a, app.TurnRequest{Patient: "pat-alder", Text: "My cat is called Aristotle."})
	second := askIn(t, a, app.TurnRequest{Session: first.Session, Text: "What helps against hiccups?"})
	branch := askIn(t, a, app.TurnRequest{Branch: second.Turn, Text: "What helps against jet lag?"})
	if branch.Session == first.Session {
		t.Fatal("the branch went into the same session")
	}
	said := promptsOf(t, a, branch)
	if !strings.Contains(said, "Aristotle") || strings.Contains(said, "hiccups") {
		t.Errorf("the branch remembers what was before the turn and not the turn: %.2000s", said)
	}
	row, err := a.Session(branch.Session)
	if err != nil || row.BranchOf == nil || row.BranchOf.Session != first.Session || row.BranchOf.Input != "What helps against hiccups?" || row.Branch != second.Turn || row.Patient != "pat-alder" || row.Turns != 1 {
		t.Errorf("%+v, %v", row, err)
	}
	if old, err := a.Session(first.Session); err != nil || old.Turns != 2 {
		t.Errorf("the session it was made from has %d turns, %v", old.Turns, err)
	}
	// Later turns remember all of it, too; and so does a branch of the branch.
	next := askIn(t, a, app.TurnRequest{Session: branch.Session, Text: "And for children?"})
	if said := promptsOf(t, a, next); !strings.Contains(said, "Aristotle") || !strings.Contains(said, "jet lag") {
		t.Errorf("the turn after it: %.2000s", said)
	}
	third := askIn(t, a, app.TurnRequest{Branch: next.Turn, Text: "And for pilots?"})
	if said := promptsOf(t, a, third); !strings.Contains(said, "Aristotle") || !strings.Contains(said, "jet lag") || strings.Contains(said, "children") {
		t.Errorf("a branch of a branch: %.2000s", said)
	}
	again, err := a.Regenerate(t.Context(), branch.Turn)
	if err != nil || again.Session != branch.Session {
		t.Errorf("asking the same again: %+v, %v", again, err)
	}
	for _, wrong := range []app.TurnRequest{
		{Branch: second.Turn, Session: first.Session, Text: "x"}, {Branch: "nothing", Text: "x"}, {Text: "x", Vars: map[string]string{"branch": second.Turn}},
	} {
		if _, err := a.StartTurn(t.Context(), wrong); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
}

// "The browser crashed, and the long message I was writing is gone."
func TestDrafts_AreKeptUntilSentAndGoWithTheirSession(t *testing.T) {
	dir := t.TempDir()
	open := func() *app.App {
		a, err := app.Open(app.Options{Dir: dir, Practice: true})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	s := askIn(t, a, app.TurnRequest{Text: "hello"})
	for session, text := range map[string]string{s.Session: "half a thought", app.NewDraft: "of a new one"} {
		if err := a.SaveDraft(session, text); err != nil {
			t.Fatal(err)
		}
	}
	if a.SaveDraft("nobody", "x") == nil || a.SaveDraft(app.NewDraft, strings.Repeat("x", 70_000)) == nil {
		t.Error("a draft of nothing, or one that is too long, was kept")
	}
	closeApp(t, a)
	a = open()
	defer closeApp(t, a)
	for session, text := range map[string]string{s.Session: "half a thought", app.NewDraft: "of a new one", "other": ""} {
		if d, err := a.Draft(session); err != nil || d.Text != text {
			t.Errorf("%s: %+v, %v", session, d, err)
		}
	}
	if err := a.SaveDraft(app.NewDraft, ""); err != nil {
		t.Fatal(err)
	}
	if d, _ := a.Draft(app.NewDraft); d.Text != "" {
		t.Error("what was sent is still a draft")
	}
	if err := a.DeleteSession(s.Session); err != nil {
		t.Fatal(err)
	}
	if d, _ := a.Draft(s.Session); d.Text != "" {
		t.Error("the draft outlived its session")
	}
}

// "I know that we talked about it, but not when."
func TestSearch_FindsWhatWasSaidAndAnsweredAndSessionsByThePatientsName(t *testing.T) {
	a := clinic(t, 0)
	s := askIn(t, a, app.TurnRequest{Patient: "pat-alder", Text: "Good morning. " + strings.Repeat("Well. ", 40) + "I dreamt of a Zeppelin over İzmir " + strings.Repeat("again ", 50)})
	other := askIn(t, a, app.TurnRequest{Text: "hello"})
	page, err := a.Search("zeppelin DREAMT", "", "")
	if err != nil || len(page.Hits) != 1 || page.Next != "" {
		t.Fatalf("%+v, %v", page, err)
	}
	h := page.Hits[0]
	if h.Session != s.Session || h.Turn != s.Turn || h.Reply || h.SubjectName == "" || !strings.Contains(strings.ToLower(h.Excerpt), "zeppelin") || !strings.HasPrefix(h.Excerpt, "…") || !strings.HasSuffix(h.Excerpt, "…") || len(h.Excerpt) > 260 {
		t.Errorf("%+v", h)
	}
	turns, err := a.Turns(other.Session)
	if err != nil || turns[0].Output == "" {
		t.Fatal(err)
	}
	word := strings.Fields(turns[0].Output)[0]
	if page, err = a.Search(word, "", ""); err != nil || len(page.Hits) == 0 || !page.Hits[0].Reply {
		t.Errorf("a word of a reply, %q: %+v, %v", word, page, err)
	}
	if page, err = a.Search("zeppelin submarine", "", ""); err != nil || len(page.Hits) != 0 {
		t.Errorf("all words have to be there: %+v, %v", page, err)
	}
	if _, err = a.Search("  ", "", ""); err == nil {
		t.Error("nothing was searched for")
	}
	list, _, err := a.Sessions(storeSearch("alder"))
	if err != nil || len(list) != 1 || list[0].ID != s.Session {
		t.Errorf("by the patient's name: %+v, %v", list, err)
	}
}

// "The form wants a date and a time, and I have to guess which are free."
func TestSlots_AreThoseOfTheProvider(t *testing.T) {
	a := clinic(t, 0)
	page, err := a.Slots("Practitioner/prov-okafor")
	if err != nil || len(page.Slots) == 0 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, s := range page.Slots {
		if !s.End.After(s.Start) {
			t.Errorf("%+v", s)
		}
	}
	if _, err := a.Slots("prov-nobody"); err == nil {
		t.Error("nobody has slots")
	}
}

// "The tool is called patient_context everywhere; what is that?"
func TestNames_EveryToolOfTheAgentsIsCalledSomething(t *testing.T) {
	a := clinic(t, 0)
	s, err := a.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Manifest("navigator", "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range m.Tools {
		names = append(names, d.Name)
	}
	for _, p := range m.Pipeline {
		names = append(names, p...)
	}
	for _, n := range names {
		if title := s.Names[n]; title == "" || strings.Contains(title, "_") {
			t.Errorf("%s is called %q", n, title)
		}
	}
	for _, c := range m.Conditions {
		if c.Title == "" || strings.Contains(c.Title, "_") {
			t.Errorf("the condition %s is called %q", c.Name, c.Title)
		}
	}
}

// "I asked otherwise from an earlier turn, and my own graph said that there is no var branch."
func TestBranch_GoesOnWithAnOwnGraphThatDeclaresVars(t *testing.T) {
	a := clinic(t, 0)
	if _, err := a.AddAgent("name: own_vars\nvars: {most: {type: integer, default: 2}}\nnodes: [{name: all, kind: transform, pick: vars, default_next: end}]\n"); err != nil {
		t.Fatal(err)
	}
	first := askIn(t, a, app.TurnRequest{Agent: "own_vars", Text: "one"})
	branch := askIn(t, a, app.TurnRequest{Branch: first.Turn, Agent: "own_vars", Text: "two"})
	for _, s := range []app.Started{first, branch} {
		run, err := a.Store.Run(app.RunID(s.Turn))
		if err != nil || !strings.Contains(run.Output, `"most":2`) || strings.Contains(run.Output, "sha256") || strings.Contains(run.Output, "branch") {
			t.Errorf("the graph's vars are %q, %v", run.Output, err)
		}
	}
}
