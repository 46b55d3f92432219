package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/app"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/record"
	"holdpoint/engine/run"
)

// turnEvents are a turn's, of some kinds ("" for all).
func turnEvents(t *testing.T, a *app.App, out run.Outcome, kinds ...journal.Kind) (list []journal.Event) {
	t.Helper()
	all, _, err := a.Journal(out.Run.Session, 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Turn == out.Run.Turn && (len(kinds) == 0 || slices.Contains(kinds, e.Kind)) {
			list = append(list, e)
		}
	}
	return list
}

// "The reply was bad; I want another from the same reading, not wait for all of it again."
func TestNavigator_N40_ATurnIsReplayedFromItsCheckpoints(t *testing.T) {
	a := clinic(t, 0)
	ask := func(text string) run.Outcome {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	ask("I'd like to see someone about my sleep")
	out := ask("Good morning! Mornings suit me best.")
	later := ask("thanks")
	list, err := a.Checkpoints(out.Run.Turn)
	if err != nil || len(list) != out.Run.Step {
		t.Fatalf("%+v %v", list, err)
	}
	want := [][]graph.StageID{{"preflight"}, {"assembly_gate"}, {"context_assembly", "empathy"}, {"context_format"}, {"navigator/think"}, {"finalize"}}
	for i, c := range list {
		if c.Step != i || !slices.Equal(c.Next, want[i]) || c.Refused != "" {
			t.Fatalf("checkpoint %d is %+v", i, c)
		}
		again, err := a.ReplayTurn(t.Context(), out.Run.Turn, c.Step)
		if err != nil || again.Run.Status != run.Completed || again.Run.Turn == out.Run.Turn || again.Run.Step != out.Run.Step {
			t.Fatalf("from %d: %+v %v", i, again.Run, err)
		}
		// The same model on the same state says the same, and all channels are the same.
		if again.Run.Output != out.Run.Output {
			t.Errorf("from %d: %q, not %q", i, again.Run.Output, out.Run.Output)
		}
		before, err := out.State.Values()
		if err != nil {
			t.Fatal(err)
		}
		after, err := again.State.Values()
		if err != nil {
			t.Fatal(err)
		}
		for name := range before {
			// What context tools ran differs: what the turns before found is there now.
			if !slices.Contains([]string{"assembly", "bundle", "context"}, name) && string(before[name]) != string(after[name]) {
				t.Errorf("from %d: channel %s is %s, not %s", i, name, after[name], before[name])
			}
		}
		var ran []graph.StageID
		for _, e := range turnEvents(t, a, again, journal.StageStarted) {
			if !slices.Contains(ran, e.Stage) {
				ran = append(ran, e.Stage)
			}
		}
		for _, earlier := range slices.Concat(want[:i]...) {
			if slices.Contains(ran, earlier) {
				t.Errorf("from %d: %s ran again", i, earlier)
			}
		}
		started := turnEvents(t, a, again, journal.TurnStarted)
		if d, err := journal.Read[journal.TurnStartedData](started[0]); err != nil || d.Replays == nil || d.Replays.Turn != out.Run.Turn || d.Replays.Step != i {
			t.Errorf("from %d: turn_started says %+v %v", i, d, err)
		}
	}
	if _, err := a.ReplayTurn(t.Context(), out.Run.Turn, 99); app.AsFault(err).Code != "bad_request" {
		t.Errorf("a checkpoint that is none: %v", err)
	}
	if _, err := a.ReplayTurn(t.Context(), "nothing", 0); err == nil {
		t.Error("a turn that is none was replayed")
	}
	if again, err := a.Checkpoints(later.Run.Turn); err != nil || len(again) == 0 {
		t.Errorf("%v %v", again, err)
	}
}

// "I replayed the turn with the booking, and it was booked twice."
func TestNavigator_N40_WhatATurnProposedIsNotReplayed(t *testing.T) {
	a := clinic(t, 0)
	out := held(t, a, "s1")
	list, err := a.Checkpoints(out.Run.Turn)
	if err != nil {
		t.Fatal(err)
	}
	acts := 0
	for _, c := range list {
		if !slices.Contains(c.Next, "navigator/act") {
			continue
		}
		acts++
		if c.Refused == "" {
			t.Errorf("%+v", c)
		}
		if _, err := a.ReplayTurn(t.Context(), out.Run.Turn, c.Step); app.AsFault(err).Code != "bad_request" {
			t.Errorf("replayed from %+v: %v", c, err)
		}
	}
	if acts == 0 {
		t.Error("the turn never acted")
	}
	// From before it, the new turn asks for a verdict of its own.
	again, err := a.ReplayTurn(t.Context(), out.Run.Turn, 4)
	if err != nil || again.Run.Status != run.Paused {
		t.Fatalf("%+v %v", again.Run, err)
	}
	views, err := a.Approvals("pending")
	if err != nil || len(views) != 2 || views[0].Call == views[1].Call {
		t.Errorf("%d approvals, %v", len(views), err)
	}
}

// "I asked for a visit, it failed, and the next answer knew nothing of it."
func TestHistory_HoldsTurnsThatWereNotAnswered(t *testing.T) {
	a := clinic(t, 0)
	held(t, a, "s1")
	prompt := func() string {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: "And what now?"})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range turnEvents(t, a, out, journal.ModelCalled) {
			d, err := journal.Decode(e)
			if err != nil {
				continue // moved into a blob
			}
			for _, m := range d.(journal.ModelCalledData).Prompt {
				b.WriteString(m.Text + "\n")
			}
		}
		values, err := out.State.Values()
		if err != nil {
			t.Fatal(err)
		}
		return b.String() + string(values["history"])
	}
	if p := prompt(); !strings.Contains(p, "Please book me a visit for my insomnia next week") || !strings.Contains(p, "waits for a person") ||
		!strings.Contains(p, "It proposed, and nobody has decided yet: Book a visit") || !strings.Contains(p, "Nothing was changed") {
		t.Errorf("the paused turn is not in the history: %s", p)
	}
	// A turn whose patient is gone is failed, and can be tried again.
	err := a.Store.UpdateRecords(func(tx record.Tx) error { return tx.DeleteRecord(record.Ref{Type: "Patient", ID: "pat-alder"}) })
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "Which pills do I take?"})
	if err != nil || out.Run.Status != run.Failed || out.Run.ErrorStage != "context_assembly" {
		t.Fatalf("%+v %v", out.Run, err)
	}
	sample(t, a)
	if p := prompt(); !strings.Contains(p, "Which pills do I take?") || !strings.Contains(p, "This turn failed before it was answered. Nothing was changed.") {
		t.Errorf("the failed turn is not in the history: %s", p)
	}
	if out, err = a.ResumeTurn(t.Context(), out.Run.Turn); err != nil || out.Run.Status != run.Completed {
		t.Errorf("tried again: %+v %v", out.Run, err)
	}
}

// "I stopped it because I had named the wrong man, and the next answer did not know what I meant by the other
// one." What a person stopped is part of what the model is told, by the words and by what became of them.
func TestHistory_HoldsTurnsThatAPersonStopped(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, time.Hour)
	sample(t, a)
	events, stop := a.Listen("")
	s, err := a.StartTurn(t.Context(), app.TurnRequest{Session: "s1", Patient: "pat-alder", Text: "Is the quince jam good for him?"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, events, journal.MessageStarted)
	stop()
	if err := a.Stop(s.Turn); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)

	a = openApp(t, dir, 0)
	defer func() { closeApp(t, a) }()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: "s1", Text: "And what now?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatalf("%+v %v", out.Run, err)
	}
	replies := 0
	for _, e := range turnEvents(t, a, out, journal.ModelCalled) {
		d, err := a.ModelCalled(e)
		if err != nil {
			t.Fatal(err)
		}
		if d.Purpose != "reply" {
			continue
		}
		replies++
		asked, became, now := -1, -1, -1
		for i, m := range d.Prompt {
			switch {
			case m.Role == "user" && m.Text == "Is the quince jam good for him?":
				asked = i
			case strings.Contains(m.Text, "The person stopped this turn before it was answered. Nothing was changed."):
				became = i
			case m.Role == "user" && strings.Contains(m.Text, "And what now?"):
				now = i
			}
		}
		if asked < 0 || became <= asked || now <= became {
			t.Errorf("the stopped message is message %d of the prompt, what became of it %d, the new one %d: %+v", asked, became, now, d.Prompt)
		}
	}
	if replies == 0 {
		t.Error("the model was not asked")
	}
	turns, err := a.Turns("s1")
	if err != nil || len(turns) != 2 || turns[0].Status != run.Cancelled {
		t.Errorf("%+v %v", turns, err)
	}
}

// "We have no use for the ranking; can that part be left out for our clinic?"
func TestNavigator_N18_TheSetOfContextToolsIsChosenForAnAgent(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	sample(t, a)
	for _, bad := range []string{`"client_signal,unknown"`, `"client_signal,client_signal"`} {
		if err := a.Set("context.navigator", []byte(bad)); app.AsFault(err).Code != "bad_request" {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, id := range []string{"context.reasoner", "context.nobody"} {
		if err := a.Set(id, []byte(`"all"`)); err == nil {
			t.Errorf("%s was set", id)
		}
	}
	if err := a.Set("context.navigator", []byte(`"patient_context, therapeutic_fit, client_signal"`)); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	defer func() { closeApp(t, a) }()
	missing := `tool "therapeutic_fit" depends on "provider_genome", which this list leaves out; it runs without that output`
	if w, err := a.ContextWarnings("navigator"); err != nil || !slices.Equal(w, []string{missing}) {
		t.Errorf("%v %v", w, err)
	}
	m, err := a.Manifest("navigator", "")
	if err != nil || !slices.Equal(m.Warnings, []string{missing}) || len(m.Pipeline) != 2 || !slices.Equal(m.Pipeline[0], []string{"patient_context", "client_signal"}) {
		t.Errorf("%v %v %v", m.Pipeline, m.Warnings, err)
	}
	ran := func() (tools []string, warnings []string) {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Patient: "pat-alder", Text: "I can't sleep"})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatalf("%+v %v", out.Run, err)
		}
		for _, e := range turnEvents(t, a, out, journal.ToolCompleted, journal.Warned) {
			if e.Kind == journal.Warned {
				warnings = append(warnings, e.Reason)
			} else if e.Phase > 0 {
				tools = append(tools, e.Tool)
			}
		}
		slices.Sort(tools)
		return tools, warnings
	}
	if tools, warnings := ran(); !slices.Equal(tools, []string{"client_signal", "patient_context", "therapeutic_fit"}) || !slices.Equal(warnings, []string{missing}) {
		t.Errorf("ran %v, warned of %v", tools, warnings)
	}
	if err := a.Set("context.navigator", []byte(`"none"`)); err != nil {
		t.Fatal(err)
	}
	if tools, warnings := ran(); len(tools)+len(warnings) != 0 {
		t.Errorf("ran %v, warned of %v", tools, warnings)
	}
	if err := a.Set("context.navigator", []byte(`"all"`)); err != nil {
		t.Fatal(err)
	}
	if tools, _ := ran(); len(tools) != 5 {
		t.Errorf("ran %v", tools)
	}
}
