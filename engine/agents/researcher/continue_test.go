package researcher_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/researcher"
	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// goOn puts a question to the board of an earlier study of the session.
func (h *house) goOn(after, text string) (*board.State, string, []journal.Event) {
	h.t.Helper()
	cp, err := h.db.Load(graph.RunID("turn:" + after))
	if err != nil {
		h.t.Fatal(err)
	}
	earlier, err := h.graph.Restore(cp.Channels, true)
	if err != nil {
		h.t.Fatal(err)
	}
	id := after + "+"
	out, err := h.executor().Start(h.t.Context(), h.graph, run.StartRequest{ID: graph.RunID("turn:" + id), Session: "s1", Turn: id, Input: text, Model: "puppet", Vars: h.vars,
		State: h.agent.Begin(turn.Message{Text: text, Vars: h.vars, Earlier: earlier, EarlierRun: cp.Run.ID}), Dependencies: h.dependencies()})
	if err != nil || out.Run.Status != run.Completed {
		h.t.Fatalf("it ended as %s: %s, %v", out.Run.Status, out.Run.Error, err)
	}
	return h.board(id), out.Run.Output, h.events(id)
}

// decide keeps what a person does on a board.
func (h *house) decide(study string, d board.Decision) {
	h.t.Helper()
	if err := h.db.Update(func(tx store.Tx) error { return tx.AddDecision("turn:"+study, &d) }); err != nil {
		h.t.Fatal(err)
	}
}

// "I asked a second question and all that we had found was gone, with my verdict."
func TestResearcher_H13_AStudyGoesOnWithANewQuestion(t *testing.T) {
	h := open(t, map[string]string{
		"one":   agreeing["one"],
		"two":   agreeing["two"],
		"milk":  "Warm milk helps children fall asleep early. It was cow milk in a school.",
		"milk2": "A mug of milk helps adults to stay asleep. The milk was warm.",
	})
	h.model.answers["hypotheses"] = func(prompt string) string {
		if strings.Contains(prompt, "milk help people sleep?") {
			return `{"hypotheses":[{"statement":"Milk helps people sleep"},{"statement":"tea helps  people sleep"}]}`
		}
		return `{"hypotheses":[{"statement":"Tea helps people sleep"}]}`
	}
	first, _, events := h.study()
	study := events[0].Turn
	// The person decides after the end; what they said is nowhere in the state of the run.
	h.decide(study, board.Decision{Op: board.Refute, On: "h1", Reason: "The trials were paid by tea growers.", Who: "Ada", At: day})
	h.reopen()
	b, report, told := h.goOn(study, "Does milk help people sleep?")
	if b.Query != "Does milk help people sleep?" || len(b.Hypotheses) != 2 || b.Hypotheses[1].Statement != "Milk helps people sleep" {
		t.Fatalf("the board is %+v", b.Hypotheses)
	}
	if one := b.Hypotheses[0]; one.Status != board.Refuted || one.Decision == nil || one.Decision.Who != "Ada" {
		t.Errorf("the person's verdict became %+v", one)
	}
	for _, e := range first.Evidence {
		if b.Piece(e.ID) == nil {
			t.Errorf("the evidence %s is gone", e.ID)
		}
	}
	if got := path(told); !slices.Equal(got[:2], []string{"search", "judge"}) || got[len(got)-1] != "synthesize" {
		t.Errorf("it went %v", got)
	}
	// What was judged before is not judged again, and the person's hypothesis is left alone.
	for _, x := range of[journal.EvidenceJudgedData](t, told) {
		if x.Hypothesis == "h1" {
			t.Errorf("%s was judged about what a person decided", x.Evidence)
		}
	}
	if !strings.Contains(report, "Tea helps people sleep") || !strings.Contains(report, "Refuted by Ada") || !strings.Contains(report, "goes on with an earlier one: the first") || !strings.Contains(report, "# Report: Does milk") {
		t.Errorf("the report is\n%s", report)
	}
	if changed := of[journal.HypothesisChangedData](t, told); len(changed) == 0 || changed[0].ID != "h1" || changed[0].Who != "continued" {
		t.Errorf("the journal does not begin with what was taken over: %+v", changed)
	}
	// Evidence and decisions are the new study's own.
	if err := h.db.View(func(tx graph.Tx) error {
		rows, err := graph.Rows[board.Tx](tx)
		if err != nil {
			return err
		}
		decisions, err := board.DecisionsOf(rows, "turn:"+study+"+")
		if err != nil || len(decisions) != 1 {
			t.Errorf("decisions %v, %v", decisions, err)
		}
		for _, p := range b.Evidence {
			if _, err := rows.Evidence("turn:"+study+"+", p.ID); err != nil {
				t.Errorf("%s: %v", p.ID, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	// The earlier study stays as it was.
	if again := h.board(study); again.Query != question || len(again.Hypotheses) != 1 {
		t.Errorf("the earlier board became %+v", again)
	}
}

// "I imported a paper that says the opposite, and the study did not look at it."
func TestResearcher_H13_AStudyGoesOnWithMoreEvidence(t *testing.T) {
	h := open(t, agreeing)
	first, _, events := h.study()
	if first.Hypotheses[0].Status != board.Confirmed {
		t.Fatalf("the study begins as %+v", first.Hypotheses)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), []byte(quarrelling["three"]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.lib.ImportPath(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	h.vars[researcher.MaxIterationsVar] = "6"
	b, _, told := h.goOn(events[0].Turn, question)
	if len(b.Hypotheses) != 1 || len(b.Conflicts) != 1 {
		t.Fatalf("the board is %+v, %+v", b.Hypotheses, b.Conflicts)
	}
	if got := path(told); !slices.Contains(got, "resolve") {
		t.Errorf("it went %v", got)
	}
	if one := b.Hypotheses[0]; len(one.Contradicting) != 1 || one.Confidence >= first.Hypotheses[0].Confidence {
		t.Errorf("the new paper counts for nothing: %+v", one)
	}
}
