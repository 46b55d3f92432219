package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// grower is an agent whose first stage adds another one, which asks a person. It
// has a hook that fails, a stage that is skipped and one that is retried.
func grower(t testing.TB) agent.Agent {
	t.Helper()
	reply, content := graph.Value[string]("reply"), graph.Keyed("context")
	tries := 0
	s := graph.Spec{Agent: "grower", Title: "Grower", Channels: []graph.AnyChannel{reply, content}, Reply: reply, Context: content, Tolerant: true,
		Hooks: []graph.Hooks{{Name: "metrics", PreStage: func(context.Context, *graph.Task) (graph.Patch, error) { return nil, errors.New("no room left") }}},
		Stages: []graph.Stage{
			{ID: "fails", Run: func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, errors.New("broke") }},
			{ID: "careful", Flags: graph.SkipOnError, Run: func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }},
			{ID: "flaky", Flags: graph.Retryable, Run: func(context.Context, *graph.Task) (graph.Result, error) {
				if tries++; tries == 1 {
					return graph.Result{}, errors.New("not this time")
				}
				return graph.Result{Usage: graph.Usage{Tokens: 42},
					Events: []journal.Event{{Kind: journal.GuardActed, Status: "transform", Reason: "a name was in it", Data: json.RawMessage(`{"guard":"names"}`)},
						{Kind: journal.Warned, Reason: "the tide is high"}}}, nil
			}},
			{ID: "first", Run: func(context.Context, *graph.Task) (graph.Result, error) {
				return graph.Result{Goto: "added", Reason: "somebody has to be asked", Mutations: []graph.Mutation{
					{Op: graph.AddStage, Stage: json.RawMessage(`"added"`), Reason: "nobody here knows"},
					{Op: graph.AddEdge, Edge: &graph.Edge{From: "first", To: "added", Type: graph.Choice}},
					{Op: graph.AddEdge, Edge: &graph.Edge{From: "added", To: graph.End, Type: graph.Exit}}}}, nil
			}, MayEnd: true}},
		Edges: []graph.Edge{{From: graph.Start, To: "fails", Type: graph.Entry}, {From: "fails", To: "careful", Type: graph.Sequence},
			{From: "careful", To: "flaky", Type: graph.Sequence}, {From: "flaky", To: "first", Type: graph.Sequence}, {From: "first", To: graph.End, Type: graph.Exit}},
		Grow: func(raw json.RawMessage) (graph.Stage, error) {
			var id graph.StageID
			if err := json.Unmarshal(raw, &id); err != nil {
				return graph.Stage{}, err
			}
			return graph.Stage{ID: id, Title: "Added", Run: func(_ context.Context, task *graph.Task) (graph.Result, error) {
				pause := "grown." + task.Run.Turn
				if _, ok := task.Answer(pause); !ok {
					return graph.Result{Pauses: []graph.Pause{{ID: pause, Kind: "question", Data: json.RawMessage(`{"prompt":"Who knows?"}`)}}}, nil
				}
				return graph.Result{Patch: graph.Patch{reply.Set("asked and answered")}}, nil
			}}, nil
		}}
	g, err := graph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Agent{ID: "grower", Graph: func(map[string]string) (*graph.Graph, error) { return g, nil },
		Begin: func(turn.Message) graph.Patch { return nil }}
}

func TestReasoner_R88_ARunsOwnGraphIsShownAndGoesOnAfterARestart(t *testing.T) {
	dir := t.TempDir()
	a := with(t, dir, grower(t))
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "grower", Text: "hello"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	closeApp(t, a)
	a = with(t, dir, grower(t))
	defer closeApp(t, a)
	base, err := a.Manifest("grower", "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.RunManifest(out.Run.Turn)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(m.Stages, func(s graph.ManifestStage) bool { return s.ID == "added" }); i < 0 || !m.Stages[i].Added || m.Stages[0].Added || len(m.Stages) != len(base.Stages)+1 ||
		m.Fingerprint == base.Fingerprint || m.Fingerprint != out.Run.Fingerprint || len(m.Mutations) != 3 {
		t.Errorf("%+v", m)
	}
	turns, err := a.Turns("s1")
	if err != nil || turns[0].Used.Mutations != 3 || turns[0].Used.Tokens != 42 || len(turns[0].Questions) != 1 {
		t.Errorf("%+v %v", turns, err)
	}
	if err := a.KeepAnswer(out.Run.Turn, out.Pauses[0].ID, json.RawMessage(`"I do"`)); err != nil {
		t.Fatal(err)
	}
	if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed || out.Run.Output != "asked and answered" {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}

	words := []string{"Who knows?", "I do", "add stage added (asked by first): nobody here knows", "names at flaky changed the answer: a name was in it",
		"flaky runs again in 500ms after attempt 1 failed: not this time", "careful: ", "metrics", "no room left", "the tide is high", "42 tokens", "3 changes of the graph", "asked and answered"}
	for _, format := range []string{"md", "html"} {
		e, err := a.Export(app.ExportQuery{Session: "s1", Format: format})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range words {
			if !strings.Contains(exported(t, e), want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		if t.Failed() {
			t.Fatalf("%s", exported(t, e))
		}
	}
	var tr app.Transcript
	e, err := a.Export(app.ExportQuery{Session: "s1", Format: "json"})
	if err != nil || json.Unmarshal([]byte(exported(t, e)), &tr) != nil || tr.Turns[0].Used.Mutations != 3 || tr.Turns[0].Agent != "grower" {
		t.Errorf("%v %+v", err, tr.Turns)
	}
}

func TestWords_SayEachEventOfTheGraphInFull(t *testing.T) {
	for want, e := range map[string]journal.Event{
		"Stopped|at the token limit of 500, used 512":                                          {Kind: journal.TurnLimited, Status: "tokens", Data: json.RawMessage(`{"limit":500,"name":"tokens","used":{"tokens":512}}`)},
		"Stopped|at the time limit of 1m30s, used 1m31s":                                       {Kind: journal.TurnLimited, Status: "time", Data: json.RawMessage(`{"limit":90,"name":"time","used":{"time_ns":91000000000}}`)},
		"Stopped|at the autonomous step limit of 12":                                           {Kind: journal.TurnLimited, Status: "autonomous_steps", Data: json.RawMessage(`{"limit":12,"name":"autonomous_steps"}`)},
		"Stopped|at the step limit":                                                            {Kind: journal.TurnLimited},
		"Graph change refused|add edge a → b (asked by think): it leads nowhere":               {Kind: journal.MutationRefused, Stage: "think", Error: "it leads nowhere", Data: json.RawMessage(`{"mutation":{"op":"add_edge","edge":{"from":"a","to":"b"}}}`)},
		"Guard|facts at answer blocked the answer: no source":                                  {Kind: journal.GuardActed, Stage: "answer", Status: "block", Reason: "no source", Data: json.RawMessage(`{"guard":"facts"}`)},
		"Rule or hook|metrics failed before plan; the turn went on: disk full":                 {Kind: journal.HookFailed, Stage: "plan", Tool: "metrics", Status: "pre_node", Error: "disk full"},
		"Reused|plan: the same inputs as before, so its earlier result was taken":              {Kind: journal.StageCompleted, Stage: "plan", Status: "cached"},
		"Skipped|act: the stage before it failed":                                              {Kind: journal.StageSkipped, Stage: "act", Reason: "the stage before it failed"},
		"Answer|to “Go on?”: no: not today":                                                    {Kind: journal.QuestionAnswered, Stage: "ask", Data: json.RawMessage(`{"prompt":"Go on?","answer":{"approved":false,"comment":"not today"}}`)},
		"|":                                                                                    {Kind: journal.StageStarted, Stage: "act"},
		"Question|Go on?\nchoices: approve, reject\nasked by ask, answer under human.turn:1.1": {Kind: journal.StagePaused, Stage: "ask", Data: json.RawMessage(`{"pauses":[{"id":"ap1","kind":"approval"},{"id":"human.turn:1.1","kind":"question","stage":"ask","data":{"prompt":"Go on?","choices":["approve","reject"]}}]}`)},
		"Warning|plan: unreadable data":                                                        {Kind: journal.Warned, Stage: "plan", Reason: "unreadable data", Data: json.RawMessage(`{`)},
	} {
		if label, text := app.EventWords("en", e); label+"|"+text != want {
			t.Errorf("%q, want %q", label+"|"+text, want)
		}
	}
}

func TestRegenerate_AsksTheSameAgentWithTheSamePattern(t *testing.T) {
	a := clinic(t, 0)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "reasoner", Patient: "pat-alder", Vars: map[string]string{"pattern": "verify"}, Text: "What medication does the patient take?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	events, stop := a.Listen("s1")
	defer stop()
	again, err := a.Regenerate(t.Context(), out.Run.Turn)
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.TurnCompleted)
	row, err := a.Store.Run(app.RunID(again.Turn))
	if err != nil || row.Agent != "reasoner" || row.Vars["pattern"] != "verify" || row.Vars["patient"] != "pat-alder" || row.Fingerprint != out.Run.Fingerprint {
		t.Errorf("%+v %v", row, err)
	}
}

func TestRegenerate_OfAFilesTurnTakesTheFileAsItIsNowAndTheOldOneOnceItIsGone(t *testing.T) {
	a := clinic(t, 0)
	said := func(text string) string {
		return "name: parrot\nnodes:\n  - {name: say, kind: transform, template: \"" + text + "\"}\n"
	}
	if _, err := a.AddAgent(said("one")); err != nil {
		t.Fatal(err)
	}
	first, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "parrot", Text: "hello"})
	if err != nil || first.Run.Output != "one" {
		t.Fatalf("%q %v %v", first.Run.Output, first.Err, err)
	}
	if _, err := a.AddAgent(said("two")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"two", "one"} {
		events, stop := a.Listen("s1")
		if _, err := a.Regenerate(t.Context(), first.Run.Turn); err != nil {
			t.Fatal(err)
		}
		if e := until(t, events, journal.TurnCompleted); e.Text != want {
			t.Errorf("it says %q, want %q", e.Text, want)
		}
		stop()
		if want == "two" {
			if err := a.RemoveAgent("parrot"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestApproval_OfAReasonersCallIsModifiedApprovedAndCarriedOut(t *testing.T) {
	a := clinic(t, 0)
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Agent: "reasoner", Patient: "pat-alder", Text: "Please write a note that she sleeps badly"})
	if err != nil || out.Run.Status != run.Paused {
		t.Fatalf("%s %v %v", out.Run.Status, out.Err, err)
	}
	v, err := a.Approval(out.Pauses[0].ID, true)
	if v.Message == "" {
		t.Error("the approval does not say what the person wrote")
	}
	if err != nil {
		t.Fatal(err)
	}
	if list, err := a.Questions(); err != nil || len(list) != 0 {
		t.Errorf("an approval is told as a question: %+v %v", list, err)
	}
	d := app.Decision{ID: v.ID, Digest: v.Digest, Nonce: v.Nonce, Reviewer: "Dr. Test", Args: json.RawMessage(`{"text":"Sleeps badly since March."}`)}
	if v, err = a.ModifyOnScreen(d); err != nil {
		t.Fatal(err)
	}
	events, stop := a.Listen("s1")
	defer stop()
	if _, err := a.DecideOnScreen(t.Context(), app.Decision{ID: v.ID, Digest: v.Digest, Nonce: v.Nonce, Reviewer: "Dr. Test"}, true); err != nil {
		t.Fatal(err)
	}
	if e := until(t, events, journal.MutationCommitted); e.Tool != "add_care_note" || e.Stage != "reason" {
		t.Errorf("%+v", e)
	}
	until(t, events, journal.TurnCompleted)
	e, err := a.Export(app.ExportQuery{Session: "s1"})
	if err != nil || !strings.Contains(exported(t, e), "Sleeps badly since March.") || !strings.Contains(exported(t, e), "modified by ") {
		t.Errorf("%v\n%s", err, exported(t, e))
	}
}

func TestInterrupted_NamesTheStagesOfAnyAgent(t *testing.T) {
	dir := t.TempDir()
	a, err := app.Open(app.Options{Dir: dir, Practice: true, Pace: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	events, stop := a.Listen("")
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "reasoner", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.Token)
	stop()
	closeApp(t, a)
	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	state, err := a.State(t.Context())
	if err != nil || len(state.Interrupted) != 1 {
		t.Fatalf("%+v %v", state.Interrupted, err)
	}
	i := state.Interrupted[0]
	if i.Turn != s.Turn || !slices.Equal(i.KeptStages, []graph.StageID{"preflight"}) || !slices.Equal(i.RerunStages, []graph.StageID{"reason"}) {
		t.Errorf("%+v", i)
	}
	if out, err := a.ResumeTurn(t.Context(), s.Turn); err != nil || out.Run.Status != run.Completed {
		t.Errorf("%s %v %v", out.Run.Status, out.Err, err)
	}
}

// "The program had gone down, and what my daughter had just written stood above everybody's screen."
func TestCompanion_C29_WhatWasInterruptedIsListedWithoutItsWords(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, time.Hour)
	events, stop := a.Listen("")
	vars := map[string]string{"audience": "teen", "language": "en", "person": "Léa"}
	if _, err := a.StartTurn(t.Context(), app.TurnRequest{Agent: "companion", Text: "I smoke in secret", Vars: vars}); err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.StageStarted)
	stop()
	closeApp(t, a)
	a = openApp(t, dir, 0)
	defer closeApp(t, a)
	state, err := a.State(t.Context())
	if err != nil || len(state.Interrupted) != 1 {
		t.Fatalf("%+v %v", state.Interrupted, err)
	}
	if i := state.Interrupted[0]; i.Input != "" || i.Title != "Léa, a teenager (Companion)" {
		t.Errorf("%+v", i)
	}
}
