package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/board"
	"holdpoint/engine/run"
)

// "I asked the next question of the same study, and it began with an empty board."
func TestResearcher_H13_TheNextQuestionOfASessionGoesOnWithItsBoard(t *testing.T) {
	dir := t.TempDir()
	a := openApp(t, dir, 0)
	defer func() { closeApp(t, a) }()
	papers := t.TempDir()
	for name, text := range map[string]string{
		"one": "In a trial of adults exercise helped people sleep better. It was done in the morning.",
		"two": "Older people who took exercise said that they sleep better than before it began.",
	} {
		if err := os.WriteFile(filepath.Join(papers, name+".txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.ImportDocuments(t.Context(), papers, quietIn); err != nil {
		t.Fatal(err)
	}
	study := func(session, text string, vars map[string]string) run.Run {
		t.Helper()
		out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: "researcher", Text: text, Vars: vars})
		if err != nil || out.Run.Status != run.Completed {
			t.Fatal(out.Run.Status, err)
		}
		return out.Run
	}
	session := a.NewSessionID()
	first := study(session, "Does exercise help people sleep better?", nil)
	if first.Vars[board.ContinuesVar] != "" {
		t.Errorf("the first study goes on with %q", first.Vars[board.ContinuesVar])
	}
	if _, err := a.ChangeBoard(app.BoardChange{Turn: first.Turn, Op: board.Refute, On: "h1", Reason: "Too small.", Reviewer: "Ada"}); err != nil {
		t.Fatal(err)
	}
	closeApp(t, a)
	a = openApp(t, dir, 0)
	next := study(session, "Does exercise in the morning help older people?", nil)
	v, err := a.Board(next.Turn)
	if err != nil {
		t.Fatal(err)
	}
	if next.Vars[board.ContinuesVar] != first.Turn || len(v.Hypotheses) != 2 || v.Hypotheses[0].Status != board.Refuted || v.Hypotheses[0].Decision.Who != "Ada" {
		t.Fatalf("it goes on with %q: %+v", next.Vars[board.ContinuesVar], v.Hypotheses)
	}
	if len(v.Timeline) == 0 || len(v.Decisions) != 1 || v.Evidence[0].Text == "" {
		t.Errorf("timeline %v, decisions %v, evidence %v", v.Timeline, v.Decisions, v.Evidence)
	}
	// Replaying it begins with the same board.
	again, err := a.ReplayTurn(t.Context(), next.Turn, 2)
	if err != nil || again.Run.Status != run.Completed {
		t.Fatalf("its replay: %+v, %v", again.Run.Status, err)
	}
	if r := mustBoard(t, a, again.Run.Turn); len(r.Hypotheses) != 2 || r.Hypotheses[0].Statement != v.Hypotheses[0].Statement {
		t.Errorf("its replay has %+v", r.Hypotheses)
	}
	// The same again is the same: it does not go on with its own end. A branch goes on as its turn did.
	if again, err = a.ReplayTurn(t.Context(), first.Turn, 0); err != nil || len(mustBoard(t, a, again.Run.Turn).Hypotheses) != 1 {
		t.Errorf("the replay of the first: %v", err)
	}
	branch, err := a.RunTurn(t.Context(), app.TurnRequest{Branch: next.Turn, Text: "Does exercise in the evening help older people?"})
	if err != nil || branch.Run.Vars[board.ContinuesVar] != first.Turn || len(mustBoard(t, a, branch.Run.Turn).Hypotheses) != 2 {
		t.Errorf("a branch goes on with %q: %v", branch.Run.Vars[board.ContinuesVar], err)
	}
	// A board of its own when it is asked for, in another session, and never a study of another one.
	if alone := study(session, "Does exercise help people sleep better?", map[string]string{board.ContinuesVar: board.ContinuesNone}); len(mustBoard(t, a, alone.Turn).Hypotheses) != 1 {
		t.Error("continues=none goes on")
	}
	if other := study(a.NewSessionID(), "Does exercise help people sleep better?", nil); len(mustBoard(t, a, other.Turn).Hypotheses) != 1 {
		t.Error("another session goes on")
	}
	var fault *app.Fault
	if _, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Agent: "researcher", Text: "x", Vars: map[string]string{board.ContinuesVar: first.Turn}}); !errors.As(err, &fault) || !strings.Contains(fault.Message, "No finished study") {
		t.Errorf("a study of another session: %v", err)
	}
}

func mustBoard(t *testing.T, a *app.App, turn string) app.BoardView {
	t.Helper()
	v, err := a.Board(turn)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
