package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// interviewer is an agent that asks a person and repeats the answer. Each stage
// beyond the first two is one more step.
func interviewer(t testing.TB, question string, more ...graph.StageID) agent.Agent {
	t.Helper()
	reply := graph.Value[string]("reply")
	ask := func(_ context.Context, task *graph.Task) (graph.Result, error) {
		id := "ask." + task.Run.Turn
		raw, ok := task.Answer(id)
		if !ok {
			return graph.Result{Pauses: []graph.Pause{{ID: id, Kind: "question", Data: json.RawMessage(question)}}}, nil
		}
		var a struct{ Answer string }
		if err := json.Unmarshal(raw, &a); err != nil {
			return graph.Result{}, err
		}
		return graph.Result{Patch: graph.Patch{reply.Set("You said: " + a.Answer)}}, nil
	}
	nothing := func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }
	s := graph.Spec{Agent: "interviewer", Title: "Interviewer", MaxSteps: 2, Channels: []graph.AnyChannel{reply}, Reply: reply,
		Stages: []graph.Stage{{ID: "begin", Run: nothing}, {ID: "ask", Run: ask}},
		Edges:  []graph.Edge{{From: graph.Start, To: "begin", Type: graph.Entry}, {From: "begin", To: "ask", Type: graph.Sequence}}}
	last := graph.StageID("ask")
	for _, id := range more {
		s.Stages = append(s.Stages, graph.Stage{ID: id, Run: nothing})
		s.Edges = append(s.Edges, graph.Edge{From: last, To: id, Type: graph.Sequence})
		last = id
	}
	s.Edges = append(s.Edges, graph.Edge{From: last, To: graph.End, Type: graph.Exit})
	g, err := graph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Agent{ID: "interviewer", Title: "Interviewer", Graph: func(map[string]string) (*graph.Graph, error) { return g, nil },
		Begin: func(turn.Message) graph.Patch { return nil }}
}

func with(t testing.TB, dir string, agents ...agent.Agent) *app.App {
	t.Helper()
	var more []agent.New
	for _, x := range agents {
		more = append(more, func(turn.Kit) (agent.Agent, error) { return x, nil })
	}
	a, err := app.Open(app.Options{Dir: dir, Version: "test", Practice: true, Agents: more})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const colours = `{"prompt":"Which colour?","choices":["red","blue"]}`

func TestQuestion_WaitsOverARestartAndGoesOnWithTheAnswer(t *testing.T) {
	dir := t.TempDir()
	a := with(t, dir, interviewer(t, colours))
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	turn := out.Run.Turn
	closeApp(t, a)

	a = with(t, dir, interviewer(t, colours))
	defer closeApp(t, a)
	list, err := a.Questions()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	q := list[0]
	if q.Turn != turn || q.Session != "s1" || q.Stage != "ask" || q.Prompt != "Which colour?" || !slices.Equal(q.Choices, []string{"red", "blue"}) || q.SessionTitle != "hello" || q.AskedAt.IsZero() {
		t.Errorf("%+v", q)
	}
	turns, err := a.Turns("s1")
	if err != nil || len(turns[0].Questions) != 1 || turns[0].Questions[0].ID != q.Pause || turns[0].Agent != "interviewer" {
		t.Errorf("%+v %v", turns, err)
	}
	if out, err = a.ResumeTurn(t.Context(), turn); err != nil || out.Run.Status != run.Paused {
		t.Errorf("resumed without an answer: %s %v", out.Run.Status, err)
	}
	for name, c := range map[string]struct {
		pause, answer, code string
	}{
		"another pause":          {"ask.other", `"red"`, "unknown_pause"},
		"an empty answer":        {q.Pause, `"  "`, "empty_answer"},
		"no JSON":                {q.Pause, `red`, "bad_request"},
		"none of the choices":    {q.Pause, `"green"`, "bad_request"},
		"a number":               {q.Pause, `7`, "bad_request"},
		"null":                   {q.Pause, `null`, "bad_request"},
		"an object without it":   {q.Pause, `{"other":1}`, "bad_request"},
		"more than a person has": {q.Pause, `"` + strings.Repeat("x", 20<<10) + `"`, "bad_request"},
	} {
		if _, err := a.Answer(t.Context(), turn, c.pause, json.RawMessage(c.answer)); err == nil || app.AsFault(err).Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again, err := a.Questions(); err != nil || len(again) != 1 {
		t.Fatalf("a refused answer changed the question: %+v %v", again, err)
	}
	events, stop := a.Listen("s1")
	defer stop()
	if _, err := a.Answer(t.Context(), turn, q.Pause, json.RawMessage(`"blue"`)); err != nil {
		t.Fatal(err)
	}
	if e := until(t, events, journal.TurnCompleted); e.Text != "You said: blue" {
		t.Errorf("reply %q", e.Text)
	}
	if list, err := a.Questions(); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := a.Answer(t.Context(), turn, q.Pause, json.RawMessage(`"red"`)); err == nil {
		t.Error("an answered question took another answer")
	}
	for _, format := range []string{"md", "html", "json"} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Which colour?", "red", "blue", "interviewer"} {
			if !strings.Contains(exported(t, e), want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
}

// TestQuestion_AnAnswerThatWasKeptSurvivesACrashBeforeTheResume stores the answer
// and ends the process's app before the turn went on.
func TestQuestion_AnAnswerThatWasKeptSurvivesACrashBeforeTheResume(t *testing.T) {
	dir := t.TempDir()
	a := with(t, dir, interviewer(t, colours))
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"red"`)); err != nil {
		t.Fatal(err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"blue"`)); !errors.Is(err, run.ErrAnswered) {
		t.Errorf("a second, other answer: %v", err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`{"answer":"red"}`)); err != nil {
		t.Errorf("the same answer again: %v", err)
	}
	closeApp(t, a)
	a = with(t, dir, interviewer(t, colours))
	defer closeApp(t, a)
	if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed || out.Run.Output != "You said: red" {
		t.Fatalf("%s %q %v", out.Run.Status, out.Run.Output, err)
	}
	list, _, err := a.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, e := range list {
		if e.Kind == journal.QuestionAnswered {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("%d answers in the journal", answers)
	}
}

// askedInBritain is an app whose turn waits for an answer.
func askedInBritain(t *testing.T, question string) (*app.App, run.Outcome) {
	t.Helper()
	a := with(t, t.TempDir(), interviewer(t, question))
	if err := a.Set("region", json.RawMessage(`"GB"`)); err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	return a, out
}

func TestQuestion_AnAnswerThatSpeaksOfDangerGetsTheReviewedText(t *testing.T) {
	a, out := askedInBritain(t, `{"prompt":"How are you?"}`)
	defer closeApp(t, a)
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"I want to kill myself tonight, I have the pills here"`)); err != nil {
		t.Fatal(err)
	}
	list, _, err := a.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := list[len(list)-1]
	if last.Kind != journal.Message || !strings.Contains(last.Text, "116 123") || !strings.Contains(string(last.Data), `"template":"intervention"`) {
		t.Errorf("the journal ends with %+v", last)
	}
}

// "I wrote that I had taken the pills, and was told how an answer is quoted."
func TestQuestion_ARefusedAnswerThatSpeaksOfDangerGetsHelp(t *testing.T) {
	a, out := askedInBritain(t, `{"prompt":"May it run?","choices":["yes","no"]}`)
	defer closeApp(t, a)
	turn, pause := out.Run.Turn, out.Pauses[0].ID
	for _, said := range []string{`"I want to kill myself tonight, I have the pills here"`, `{"answer":"je veux mourir, j'ai avalé toute la boîte"}`} {
		for name, err := range map[string]error{"no choice": a.KeepAnswer(turn, pause, json.RawMessage(said)), "another question": a.KeepAnswer(turn, "other", json.RawMessage(said)), "another turn": a.KeepAnswer("nope", pause, json.RawMessage(said))} {
			if f := app.AsFault(err); err == nil || !strings.Contains(f.Help, "116 123") {
				t.Errorf("%s, %s: %v, help %q", name, said, err, f.Help)
			}
		}
	}
	if f := app.AsFault(a.KeepAnswer(turn, pause, json.RawMessage(`"blue"`))); f.Help != "" {
		t.Errorf("an ordinary answer that is refused gets %q", f.Help)
	}
	help, err := a.Answer(t.Context(), turn, pause, json.RawMessage(`"yes"`))
	if err != nil || help != nil {
		t.Errorf("an answer gets %v, %v", help, err)
	}
}

func TestQuestion_YesAndNoAreTheirOwnForm(t *testing.T) {
	a := with(t, t.TempDir(), interviewer(t, `{"prompt":"May it run?","choices":["approve","reject"]}`))
	defer closeApp(t, a)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	pause := out.Pauses[0].ID
	if err := a.KeepAnswer(out.Run.Turn, pause, json.RawMessage(`"maybe"`)); app.AsFault(err).Code != "bad_request" {
		t.Errorf("maybe: %v", err)
	}
	if err := a.KeepAnswer(out.Run.Turn, pause, json.RawMessage(`"reject"`)); err != nil {
		t.Fatal(err)
	}
	cp, err := a.Store.Load(out.Run.ID)
	if err != nil || string(cp.Pauses[0].Answer) != `{"approved":false}` {
		t.Errorf("%s %v", cp.Pauses[0].Answer, err)
	}
}

func TestLimit_IsNamedAndGoesOnOnlyWithMore(t *testing.T) {
	dir := t.TempDir()
	agent := interviewer(t, colours, "three", "four", "five")
	a := with(t, dir, agent)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	turn := out.Run.Turn
	if err := a.KeepAnswer(turn, out.Pauses[0].ID, json.RawMessage(`"red"`)); err != nil {
		t.Fatal(err)
	}
	if out, err = a.ResumeTurn(t.Context(), turn); err != nil || out.Run.Status != run.Limited {
		t.Fatalf("%s %v", out.Run.Status, err)
	}
	if l := app.LimitOf(out.Run); l.Words != "the step limit" || l.More != "2" || l.Max != "2" {
		t.Errorf("%+v", l)
	}
	closeApp(t, a)

	a = with(t, dir, agent)
	defer closeApp(t, a)
	turns, err := a.Turns("s1")
	if err != nil || turns[0].Status != run.Limited || turns[0].MaxSteps != 2 || turns[0].Steps != 2 || turns[0].More != "2" {
		t.Errorf("a restart changed what was used: %+v %v", turns, err)
	}
	if _, err := a.ResumeTurn(t.Context(), turn); app.AsFault(err).Code != "limit" {
		t.Errorf("resumed without more: %v", err)
	}
	for _, g := range []app.Grant{{Turn: turn, N: 0}, {Turn: turn, N: -3}, {Turn: turn, N: 1.5}, {Turn: turn, N: 1e18}, {Turn: turn, N: 1, Limit: "tokens"}} {
		if err := a.More(t.Context(), g); app.AsFault(err).Code != "bad_request" {
			t.Errorf("%+v: %v", g, err)
		}
	}
	if out, err = a.MoreTurn(t.Context(), app.Grant{Turn: turn, N: 1}); err != nil || out.Run.Status != run.Limited || out.Run.MaxSteps != 3 {
		t.Fatalf("one more step: %s of %d %v", out.Run.Status, out.Run.MaxSteps, err)
	}
	if out, err = a.MoreTurn(t.Context(), app.Grant{Turn: turn, Limit: "steps", N: 10}); err != nil || out.Run.Status != run.Completed {
		t.Fatalf("ten more: %s %v", out.Run.Status, err)
	}
	if err := a.More(t.Context(), app.Grant{Turn: turn, N: 5}); app.AsFault(err).Code != "bad_request" {
		t.Errorf("more for a completed turn: %v", err)
	}
	e, err := a.Export(app.ExportQuery{Session: "s1"})
	if err != nil || !strings.Contains(exported(t, e), "at the step limit") {
		t.Errorf("%v\n%s", err, exported(t, e))
	}
}

func TestAgent_ATurnWhoseAgentIsGoneOrChangedSaysSoAndCanBeAbandoned(t *testing.T) {
	for name, c := range map[string]struct {
		later []agent.Agent
		code  string
	}{
		"gone":    {nil, "unknown_agent"},
		"changed": {[]agent.Agent{interviewer(t, colours, "another")}, "topology"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := with(t, dir, interviewer(t, colours))
			out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
			if err != nil {
				t.Fatal(err)
			}
			closeApp(t, a)
			a = with(t, dir, c.later...)
			defer closeApp(t, a)
			before, _, err := a.Journal("s1", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for door, open := range map[string]func() error{
				"resume": func() error { return a.Resume(t.Context(), out.Run.Turn) },
				"answer": func() error {
					_, err := a.Answer(t.Context(), out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"red"`))
					return err
				},
			} {
				err := open()
				if f := app.AsFault(err); f.Code != c.code || !strings.Contains(f.Hint, "bandon") || f.Safe == "" {
					t.Errorf("%s: %+v", door, f)
				}
			}
			after, _, err := a.Journal("s1", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range after[len(before):] {
				if e.Kind != journal.QuestionAnswered {
					t.Errorf("something ran: %+v", e)
				}
			}
			if err := a.Abandon(out.Run.Turn); err != nil {
				t.Fatal(err)
			}
			turns, err := a.Turns("s1")
			if err != nil || turns[0].Status != run.Abandoned {
				t.Errorf("%+v %v", turns, err)
			}
			if e, err := a.Export(app.ExportQuery{Session: "s1"}); err != nil || !strings.Contains(exported(t, e), "interviewer") {
				t.Errorf("the transcript: %v", err)
			}
		})
	}
}

func TestAgent_AnUnknownOneOrPatternIsRefusedBeforeAnything(t *testing.T) {
	a := clinic(t, 0)
	for _, s := range []app.TurnRequest{{Agent: "nobody", Text: "hi"}, {Agent: "../navigator", Text: "hi"}, {Text: "hi", Vars: map[string]string{"pattern": "react"}},
		{Text: "hi", Vars: map[string]string{"definition": "sha256:0"}}} {
		if _, err := a.StartTurn(t.Context(), s); app.AsFault(err).Code != "bad_request" {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if n, err := a.Store.RunsWith(run.Running); err != nil || len(n) != 0 {
		t.Errorf("%d runs, %v", len(n), err)
	}
}

// "It offered red, I typed RED, and it was none of the choices."
func TestQuestion_AChoiceIsTakenHoweverItIsTyped(t *testing.T) {
	a := with(t, t.TempDir(), interviewer(t, colours))
	defer closeApp(t, a)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "interviewer", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	pause := out.Pauses[0].ID
	for _, bad := range []string{`"reddish"`, `{"answer":"red","Answer":"blue"}`, `{"answer":"red","answer":"blue"}`} {
		if err := a.KeepAnswer(out.Run.Turn, pause, json.RawMessage(bad)); app.AsFault(err).Code != "bad_request" {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if err := a.KeepAnswer(out.Run.Turn, pause, json.RawMessage(`" RED "`)); err != nil {
		t.Fatal(err)
	}
	cp, err := a.Store.Load(out.Run.ID)
	if err != nil || string(cp.Pauses[0].Answer) != `{"answer":"red"}` {
		t.Errorf("%s %v", cp.Pauses[0].Answer, err)
	}
}

// "It came to the autonomous step limit of a dot." Older versions did not keep whose limit it was.
func TestLimit_OfAnOlderRunHasNoStage(t *testing.T) {
	if l := app.LimitOf(run.Run{Status: run.Limited, Limit: definition.LimitAutonomous}); l.Stage != "" || l.Max != "" || l.More != "10" {
		t.Errorf("%+v", l)
	}
}
