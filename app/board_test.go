package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"holdpoint/app"
	"holdpoint/engine/board"
	"holdpoint/engine/run"
)

// "I added a hypothesis in one window, and the board in the other never showed it." And: "I gave a
// verdict on a board that was out of date, and nobody told me that a colleague had decided."
func TestBoard_EveryWindowHearsOfADecisionAndAStaleOneIsRefused(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer func() { closeApp(t, a) }()
	papers := t.TempDir()
	if err := os.WriteFile(filepath.Join(papers, "one.txt"), []byte("In a trial of adults exercise helped people sleep better."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportDocuments(t.Context(), papers, quietIn); err != nil {
		t.Fatal(err)
	}
	session := a.NewSessionID()
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: session, Agent: "researcher", Text: "Does exercise help people sleep better?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	notices, stop := a.Watch()
	defer stop()
	none := 0
	change := func(op board.Op, reviewer string, seen *int) error {
		_, err := a.ChangeBoard(app.BoardChange{Turn: out.Run.Turn, Op: op, On: "h1", Reason: "Too small.", Reviewer: reviewer, Seen: seen})
		return err
	}
	if err := change(board.Refute, "Ada", &none); err != nil {
		t.Fatal(err)
	}
	heard := false
	for len(notices) > 0 {
		n := <-notices
		heard = heard || n.Kind == app.NoticeBoard && n.ID == session
	}
	if !heard {
		t.Error("no screen heard of the decision")
	}
	var f *app.Fault
	if err := change(board.Confirm, "Ben", &none); !errors.As(err, &f) || f.Code != "decided" || f.HTTP != 409 || f.Message != "Ada decided on this meanwhile." {
		t.Errorf("a verdict on the board before Ada's: %v", err)
	}
	if v := mustBoard(t, a, out.Run.Turn); len(v.Decisions) != 1 || v.Hypotheses[0].Status != board.Refuted {
		t.Errorf("the board has %+v", v.Decisions)
	}
	one := 1
	for name, seen := range map[string]*int{"who saw it": &one, "the command line": nil} {
		if err := change(board.Confirm, "Ben", seen); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		one = 9
	}
}
