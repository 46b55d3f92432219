package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// "I put the same hypothesis on the board twice, and one paper counted for both of them." And: "Two of
// us added one at the same moment, and one of them was gone."
func TestBoard_WhatIsThereAlreadyIsNotAddedAndTwoAtOnceAreBothKept(t *testing.T) {
	a := openApp(t, t.TempDir(), 0)
	defer func() { closeApp(t, a) }()
	papers := t.TempDir()
	if err := os.WriteFile(filepath.Join(papers, "one.txt"), []byte("In a trial of adults exercise helped people sleep better."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportDocuments(t.Context(), papers, quietIn); err != nil {
		t.Fatal(err)
	}
	out, err := a.RunTurn(t.Context(), app.TurnRequest{Session: a.NewSessionID(), Agent: "researcher", Text: "Does exercise help people sleep better?"})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	turn := out.Run.Turn
	words := mustBoard(t, a, turn).Hypotheses[0].Statement
	change := func(op board.Op, on, statement string) error {
		_, err := a.ChangeBoard(app.BoardChange{Turn: turn, Op: op, On: on, Statement: statement, Reason: "r", Reviewer: "Ada"})
		return err
	}
	refused := func(what string, err error, id string) {
		t.Helper()
		var f *app.Fault
		if !errors.As(err, &f) || f.HTTP != 400 || f.Message != "Hypothesis "+id+" says that already." {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("the model's again", change(board.Add, "", "  "+strings.ToUpper(strings.ReplaceAll(words, " ", "  "))+" "), "h1")
	if err := change(board.Add, "", "Naps help"); err != nil {
		t.Fatal(err)
	}
	refused("a person's again", change(board.Add, "", "naps  HELP"), "p1")
	refused("one worded as another", change(board.Edit, "h1", "Naps help"), "p1")
	if err := change(board.Edit, "p1", "Naps  help"); err != nil {
		t.Errorf("its own words with other spaces: %v", err)
	}
	errs := make(chan error, 8)
	for i := range cap(errs) {
		go func() { errs <- change(board.Add, "", fmt.Sprintf("Reason number %d", i)) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := len(mustBoard(t, a, turn).Hypotheses); n != 2+cap(errs) {
		t.Errorf("the board has %d hypotheses of %d", n, 2+cap(errs))
	}
}
