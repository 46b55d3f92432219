package board_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
)

var day = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

func TestResearcher_H2_AMalformedHypothesisIsRefused(t *testing.T) {
	good := board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Validating, Confidence: 0.5, Supporting: []string{"e1"}, Contradicting: []string{"e2"}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*board.Hypothesis){
		"an unknown status":         func(h *board.Hypothesis) { h.Status = "likely" },
		"no status":                 func(h *board.Hypothesis) { h.Status = "" },
		"a confidence above 1":      func(h *board.Hypothesis) { h.Confidence = 1.01 },
		"a confidence below 0":      func(h *board.Hypothesis) { h.Confidence = -0.01 },
		"a confidence of no number": func(h *board.Hypothesis) { h.Confidence = math.NaN() },
		"no statement":              func(h *board.Hypothesis) { h.Statement = " \n" },
		"a statement without end":   func(h *board.Hypothesis) { h.Statement = strings.Repeat("x", board.MaxStatement+1) },
		"no id":                     func(h *board.Hypothesis) { h.ID = "" },
		"an id with a separator":    func(h *board.Hypothesis) { h.ID = "h/1" },
		"evidence for and against":  func(h *board.Hypothesis) { h.Contradicting = []string{"e1"} },
	} {
		h := good
		spoil(&h)
		if err := h.Check(); !errors.Is(err, board.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "a confidence of no number" {
			continue // JSON has no such number
		}
		// Neither is it read from a run's state.
		if _, err := read(board.ChannelHypotheses.Put(good.ID, must(json.Marshal(h)))); !errors.Is(err, board.ErrMalformed) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func read(writes ...graph.Write) (*board.State, error) {
	g := must(graph.New(graph.Spec{Agent: "a", Channels: board.Channels(), Stages: []graph.Stage{{ID: "s", Run: nothing}},
		Edges: []graph.Edge{{From: graph.Start, To: "s", Type: graph.Entry}, {From: "s", To: graph.End, Type: graph.Exit}}}))
	return board.Read(must(g.Empty().With(writes)))
}

var nothing graph.Func = func(context.Context, *graph.Task) (graph.Result, error) { return graph.Result{}, nil }

func TestResearcher_H3_AMalformedConflictIsRefused(t *testing.T) {
	open := board.Between("e2", "e1", "h1", "they differ")
	resolved := open
	resolved.Status, resolved.Outcome, resolved.Resolution = board.Resolved, board.SourceA, "it is larger"
	for _, c := range []board.Conflict{open, resolved} {
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		of    board.Conflict
		spoil func(*board.Conflict)
	}{
		"an unknown status":        {open, func(c *board.Conflict) { c.Status = "closed" }},
		"open with a resolution":   {open, func(c *board.Conflict) { c.Resolution = "done" }},
		"resolved without words":   {resolved, func(c *board.Conflict) { c.Resolution = "" }},
		"resolved without outcome": {resolved, func(c *board.Conflict) { c.Outcome = "" }},
		"an unknown outcome":       {resolved, func(c *board.Conflict) { c.Outcome = "neither" }},
		"the id of another pair":   {open, func(c *board.Conflict) { c.ID = "e1+e3" }},
		"sources out of order":     {open, func(c *board.Conflict) { c.SourceA, c.SourceB, c.ID = "e2", "e1", "e2+e1" }},
		"a source against itself":  {open, func(c *board.Conflict) { c.SourceB, c.ID = "e1", "e1+e1" }},
		"no description":           {open, func(c *board.Conflict) { c.Description = "" }},
	} {
		x := c.of
		c.spoil(&x)
		if err := x.Check(); !errors.Is(err, board.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := read(board.ChannelConflicts.Put(c.of.ID, must(json.Marshal(x)))); !errors.Is(err, board.ErrMalformed) {
			t.Errorf("%s is read: %v", name, err)
		}
	}
}

// of is a board with hypotheses h1 and h2 and evidence e1 to e4, each of a document of its own.
func of(t *testing.T) *board.State {
	t.Helper()
	s, err := read(board.ChannelQuery.Set("Does tea help?"),
		board.ChannelHypotheses.Put("h1", must(json.Marshal(board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Proposed, Confidence: 0.5}))),
		board.ChannelHypotheses.Put("h2", must(json.Marshal(board.Hypothesis{ID: "h2", Statement: "Coffee helps", Status: board.Proposed, Confidence: 0.5}))),
		piece("e1", "d1", ""), piece("e2", "d2", ""), piece("e3", "d3", ""), piece("e4", "d4", ""))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func piece(id, document, duplicate string) graph.Write {
	return board.ChannelEvidence.Put(id, must(json.Marshal(board.Piece{Document: document, DuplicateOf: duplicate})))
}

func say(s *board.State, evidence, hypothesis string, v board.Verdict) {
	s.Judge(board.Judgement{Evidence: evidence, Hypothesis: hypothesis, Verdict: v, Quote: "a sentence of it"})
}

func TestResearcher_H4_ConflictsAndHypothesesMergeByTheirIDs(t *testing.T) {
	if board.ConflictID("e1", "e2") != board.ConflictID("e2", "e1") {
		t.Error("a pair has two ids")
	}
	s := of(t)
	say(s, "e1", "h1", board.Supports)
	say(s, "e2", "h1", board.Contradicts)
	titles := func(id string) string { return id }
	s.FindConflicts(titles)
	s.FindConflicts(titles)
	if len(s.Conflicts) != 1 {
		t.Fatalf("%+v", s.Conflicts)
	}
	id := s.Conflicts[0].ID
	if err := s.Close(id, board.Both, "different people"); err != nil {
		t.Fatal(err)
	}
	// Resolved stays resolved, whoever finds the pair again or resolves it otherwise.
	s.FindConflicts(titles)
	if err := s.Close(id, board.SourceA, "another word"); err != nil {
		t.Fatal(err)
	}
	if len(s.Conflicts) != 1 || s.Conflicts[0].Status != board.Resolved || s.Conflicts[0].Outcome != board.Both {
		t.Errorf("%+v", s.Conflicts)
	}
	if again, ok := s.Propose("  tea   HELPS. "); ok || again != "h1" || len(s.Hypotheses) != 2 {
		t.Errorf("the same hypothesis is %q, %v", again, ok)
	}
	if next, ok := s.Propose("Milk helps"); !ok || next != "h3" {
		t.Errorf("the next hypothesis is %q", next)
	}
	// What is written is what changed, by id.
	patch, err := of(t).Writes(s)
	if err != nil || len(patch) != 2+1+1 {
		t.Errorf("%d writes for two judgements, a conflict and a hypothesis, %v", len(patch), err)
	}
}

func TestResearcher_H4_NothingMalformedIsWritten(t *testing.T) {
	s := of(t)
	next := of(t)
	next.Hypotheses[0].Confidence = 2
	if _, err := s.Writes(next); !errors.Is(err, board.ErrMalformed) {
		t.Errorf("%v", err)
	}
}

// TestResearcher_H8_TheFormulaOfConfidence has the figures of the formula's documentation.
func TestResearcher_H8_TheFormulaOfConfidence(t *testing.T) {
	for _, c := range []struct {
		for_, against float64
		confidence    float64
		status        board.Status
	}{
		{0, 0, 0.5, board.Proposed}, {1, 0, 2.0 / 3, board.Validating}, {2, 0, 0.75, board.Confirmed}, {0, 2, 0.25, board.Refuted},
		{0, 1, 1.0 / 3, board.Validating}, {3, 1, 4.0 / 6, board.Validating}, {5, 1, 0.75, board.Confirmed}, {2, 2, 0.5, board.Validating},
	} {
		w := board.Weight{For: c.for_, Against: c.against}
		if math.Abs(w.Confidence()-c.confidence) > 1e-9 || w.Status() != c.status {
			t.Errorf("%v for, %v against: %v %s", c.for_, c.against, w.Confidence(), w.Status())
		}
	}
}

func TestResearcher_H8_ADocumentCountsOnceAndWhatWasSetAsideNotAtAll(t *testing.T) {
	s, err := read(board.ChannelHypotheses.Put("h1", must(json.Marshal(board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Proposed, Confidence: 0.5}))),
		piece("e1", "d1", ""), piece("e2", "d1", ""), piece("e3", "d1", ""), piece("e4", "d1", ""), piece("e5", "d2", "e1"), piece("e6", "d3", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"e1", "e2", "e3", "e5"} {
		say(s, id, "h1", board.Supports)
	}
	say(s, "e4", "h1", board.Contradicts)
	say(s, "e6", "h1", board.Contradicts)
	w := s.Weigh(s.Hypothesis("h1"))
	if w.For != 0.75 || w.Against != 1.25 {
		t.Errorf("three of four passages of one document, a near-duplicate and another document: %+v", w)
	}
	s.Conflicts = append(s.Conflicts, board.Between("e1", "e6", "h1", "they differ"))
	if err := s.Close("e1+e6", board.SourceA, "it is larger"); err != nil {
		t.Fatal(err)
	}
	if w = s.Weigh(s.Hypothesis("h1")); w.For != 0.75 || w.Against != 0.25 {
		t.Errorf("after e6 was set aside: %+v", w)
	}
}

// "One paper says that it helps, another one that it does not, in nearly the same words: only the first was counted."
func TestResearcher_H19_ANearDuplicateThatSaysTheOppositeCounts(t *testing.T) {
	differing := func(id, document string) graph.Write {
		return board.ChannelEvidence.Put(id, must(json.Marshal(board.Piece{Document: document, DuplicateOf: "e1", Differs: true})))
	}
	s, err := read(board.ChannelHypotheses.Put("h1", must(json.Marshal(board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Proposed, Confidence: 0.5}))),
		piece("e1", "d1", ""), piece("e2", "d2", "e1"), differing("e3", "d3"), differing("e4", "d4"), differing("e5", "d5"))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Unjudged()); got != 4 {
		t.Errorf("%d pieces are to be judged; all but the one in the same words are", got)
	}
	say(s, "e1", "h1", board.Supports)
	say(s, "e3", "h1", board.Supports)
	say(s, "e4", "h1", board.Contradicts)
	say(s, "e5", "h1", board.Contradicts)
	if w := s.Weigh(s.Hypothesis("h1")); w.For != 1 || w.Against != 1 {
		t.Errorf("two near-duplicates for and two against count as one each: %+v", w)
	}
	s.FindConflicts(func(string) string { return "" })
	if len(s.OpenConflicts()) != 1 || s.Conflicts[0].ID != "e1+e4" {
		t.Errorf("the two sides are no conflict: %+v", s.Conflicts)
	}
}

// "I set a source aside as a fraud; the model worded the hypothesis again and counted it."
func TestResearcher_H8_WhatAPersonSetAsideCountsForNoHypothesis(t *testing.T) {
	hypothesis := func(id, statement string) []byte {
		return must(json.Marshal(board.Hypothesis{ID: id, Statement: statement, Status: board.Proposed, Confidence: 0.5}))
	}
	s, err := read(board.ChannelHypotheses.Put("h1", hypothesis("h1", "Tea helps")), board.ChannelHypotheses.Put("h2", hypothesis("h2", "Tea helps people")),
		piece("e1", "d1", ""), piece("e2", "d2", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{"h1", "h2"} {
		say(s, "e1", h, board.Supports)
		say(s, "e2", h, board.Contradicts)
	}
	s.Conflicts = append(s.Conflicts, board.Between("e1", "e2", "h1", "they differ"))
	if err := s.Close("e1+e2", board.SourceA, "it is larger"); err != nil {
		t.Fatal(err)
	}
	if w := s.Weigh(s.Hypothesis("h2")); w.For != 1 || w.Against != 1 {
		t.Errorf("what a model set aside for another hypothesis: %+v", w)
	}
	by := s.Decided([]board.Decision{{N: 1, Op: board.Resolve, On: "e1+e2", Outcome: board.SourceB, Reason: "the first is a fraud", Who: "Ann"}})
	for _, h := range []string{"h1", "h2"} {
		if w := by.Weigh(by.Hypothesis(h)); w.For != 0 || w.Against != 1 {
			t.Errorf("what a person set aside counts for %s: %+v", h, w)
		}
	}
}

func TestResearcher_H8_AQuoteMustStandInThePassage(t *testing.T) {
	passage := "In a trial — of “forty” adults —\n tea helped. It was green."
	for quote, stands := range map[string]bool{
		"in a trial - of 'forty' adults - tea helped.": true,
		"IN A TRIAL – OF \"FORTY\" ADULTS":             true,
		"tea helped everybody there":                   false,
		"":                                             false,
		"tea":                                          false, // one word is in every passage
	} {
		j := board.Judgement{Evidence: "e1", Hypothesis: "h1", Verdict: board.Supports, Quote: quote}.Founded(passage)
		if (j.Verdict == board.Supports) != stands || (j.Note == "") != stands || !stands && j.Quote != "" && j.Quote != quote {
			t.Errorf("%q: %+v", quote, j)
		}
	}
}

func decision(n int, op board.Op, on string) board.Decision {
	return board.Decision{N: n, Op: op, On: on, Reason: "I read it", Who: "a reviewer", At: day}
}

func TestResearcher_H4_AModelCannotOverturnAPerson(t *testing.T) {
	s := of(t)
	list := []board.Decision{decision(1, board.Refute, "h1")}
	for _, e := range []string{"e1", "e2", "e3"} {
		say(s, e, "h1", board.Supports)
	}
	// Whatever a model writes into the state.
	s.Hypotheses[0].Status, s.Hypotheses[0].Confidence, s.Hypotheses[0].Decision = board.Confirmed, 1, nil
	h := s.Decided(list).Hypothesis("h1")
	if h.Status != board.Refuted || h.Decision == nil || !h.Dissent {
		t.Errorf("the person's verdict became %+v", h)
	}
	if h.Confidence != 0.8 {
		t.Errorf("what the evidence says is hidden: %v", h.Confidence)
	}
	// The person takes it back, or words it anew: then the evidence decides.
	if h = s.Decided(append(list, decision(2, board.Reopen, "h1"))).Hypothesis("h1"); h.Status != board.Confirmed || h.Dissent {
		t.Errorf("reopened: %+v", h)
	}
	edit := decision(2, board.Edit, "h1")
	edit.Statement = "Green tea helps"
	edited := s.Decided(append(list, edit))
	if h = edited.Hypothesis("h1"); h.Status != board.Proposed || h.Statement != "Green tea helps" || len(h.Supporting) != 0 {
		t.Errorf("judgements of another statement count: %+v", h)
	}
	if len(edited.Missing("e1")) != 2 {
		t.Errorf("it is not judged anew: %+v", edited.Missing("e1"))
	}
}

func TestResearcher_H4_AModelCannotOverturnAPersonsResolution(t *testing.T) {
	s := of(t)
	say(s, "e1", "h1", board.Supports)
	say(s, "e2", "h1", board.Contradicts)
	s.FindConflicts(func(id string) string { return id })
	d := decision(1, board.Resolve, "e1+e2")
	d.Outcome = board.SourceB
	if err := s.Close("e1+e2", board.SourceA, "the model's word"); err != nil {
		t.Fatal(err)
	}
	after := s.Decided([]board.Decision{d})
	if c := after.Conflict("e1+e2"); c.Outcome != board.SourceB || c.Resolution != d.Reason || c.Decision == nil {
		t.Errorf("%+v", c)
	}
	if h := after.Hypothesis("h1"); len(h.Supporting) != 0 || len(h.Contradicting) != 1 {
		t.Errorf("%+v", h)
	}
	told := s.Told(after, journal.ChangedByPerson, d.Who, d.Reason)
	if len(told) != 2 {
		t.Errorf("%d changes are told", len(told))
	}
}

func TestResearcher_H4_ADecisionIsChecked(t *testing.T) {
	s := of(t)
	for name, d := range map[string]board.Decision{
		"no name":            {Op: board.Confirm, On: "h1", Reason: "r"},
		"no reason":          {Op: board.Confirm, On: "h1", Who: "w"},
		"nothing of the id":  {Op: board.Confirm, On: "h9", Reason: "r", Who: "w"},
		"no conflict":        {Op: board.Resolve, On: "e1+e2", Outcome: board.Both, Reason: "r", Who: "w"},
		"no statement":       {Op: board.Add, Who: "w"},
		"an edit of nothing": {Op: board.Edit, On: "h1", Reason: "r", Who: "w"},
		"an unknown wish":    {Op: "burn", On: "h1", Reason: "r", Who: "w"},
	} {
		if err := s.Check(d); err == nil {
			t.Errorf("%s is let through", name)
		}
	}
	if err := s.Check(board.Decision{Op: board.Add, Statement: "Milk helps", Who: "w"}); err != nil {
		t.Error(err)
	}
}

func TestResearcher_H10_WhatDocumentsSayIsNoMarkup(t *testing.T) {
	s := of(t)
	s.Query = "Is <script>alert(1)</script> [a](javascript:x) bad?"
	say(s, "e1", "h1", board.Supports)
	say(s, "e2", "h1", board.Supports)
	s = s.Decided(nil)
	all := map[string]board.Evidence{}
	for i := range 2 {
		id := fmt.Sprintf("e%d", i+1)
		all[id] = board.Evidence{ID: id, Passage: uint64(i + 1), Document: fmt.Sprintf("d%d", i+1), Name: "n", Title: "T{x} & <b>\nER  - ", Source: "papers", Date: "2011-05-03", Page: 4, Place: 1, Text: "<img src=x>"}
	}
	r := board.NewReport(s, all, nil, board.English)
	if md := r.Markdown(); strings.Contains(md, "<script") && !strings.Contains(md, `\<script`) || strings.Contains(md, "[a](javascript") || !strings.Contains(md, "(#/library/d1/1)") || !strings.Contains(md, "page 4, passage 1") {
		t.Errorf("%s", md)
	}
	if page := r.HTML(); strings.Contains(page, "<script") || strings.Contains(page, "<img") || !strings.Contains(page, `<a href="#ref-1">[1]</a>`) || !strings.Contains(page, `id="ref-1"`) {
		t.Errorf("%s", page)
	}
	if bib := r.BibTeX(); strings.Count(bib, "@misc{") != 2 || !strings.Contains(bib, `T\textbraceleft{}x\textbraceright{} \& <b>`) || !strings.Contains(bib, "year = {2011}") {
		t.Errorf("%s", bib)
	}
	lines := strings.Split(r.RIS(), "\r\n")
	if n := len(slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "ER  - ") })); n != 2 {
		t.Errorf("a title ends an entry: %d ends", n)
	}
}

func TestResearcher_H10_TheReportTellsSearchesThatWereTheSameOnce(t *testing.T) {
	s := &board.State{Query: "Does tea help?", Max: 10}
	for range 3 {
		s.Searches = append(s.Searches, board.Search{Text: "tea", Source: "library", Found: 4})
	}
	s.Searches = append(s.Searches, board.Search{Text: "green tea", Source: "library", Found: 2, New: 1})
	md := board.NewReport(s, nil, nil, board.English).Markdown()
	if strings.Count(md, "“tea”") != 1 || !strings.Contains(md, "4 found, 0 new. (3 times in a row)") || strings.Count(md, "in a row") != 1 || !strings.Contains(md, "14 → new 1") {
		t.Errorf("the methods are told as\n%s", md)
	}
}

// "I settled the last one myself, and the report still said that nothing was, and sent me to a chapter that it does not have."
func TestResearcher_H10_AReportWhereAllWasSettledSinceSaysSo(t *testing.T) {
	s := of(t)
	say(s, "e1", "h1", board.Supports)
	s.Forced = "the limit was reached."
	s.Searches = []board.Search{{Text: "tea", Source: "library", Found: 9, New: 2, Passed: 4}}
	written := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s.Synthesis = &board.Synthesis{At: written, Note: board.NothingSettled}
	var decisions []board.Decision
	report := func() string { return board.NewReport(s.Decided(decisions), nil, decisions, board.English).Markdown() }
	if md := report(); !strings.Contains(md, "stands under Unresolved") || !strings.Contains(md, board.NothingSettled) || !strings.Contains(md, "Of those found, 4 were not taken") {
		t.Errorf("before:\n%s", md)
	}
	for i := range s.Hypotheses {
		decisions = append(decisions, board.Decision{N: i + 1, Op: board.Confirm, On: s.Hypotheses[i].ID, Statement: s.Hypotheses[i].Statement, Reason: "read", Who: "Ada", At: written.Add(time.Hour)})
	}
	if md := report(); strings.Contains(md, "Unresolved") || strings.Contains(md, board.NothingSettled) || !strings.Contains(md, "when this was written, nothing") || !strings.Contains(md, "the limit was reached.") {
		t.Errorf("after:\n%s", md)
	}
}

// "I refuted it after the report came, and the report still counted and summed up as if I had not."
func TestResearcher_H10_TheReportSaysWhatWasDecidedAfterItWasWritten(t *testing.T) {
	s := of(t)
	say(s, "e1", "h1", board.Supports)
	say(s, "e2", "h1", board.Contradicts)
	s.FindConflicts(func(id string) string { return id })
	written := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s.Synthesis = &board.Synthesis{Sentences: []board.Sentence{{Text: "Tea helps.", Evidence: []string{"e1"}}}, At: written}
	decisions := []board.Decision{
		{N: 1, Op: board.Confirm, On: "h1", Statement: s.Hypothesis("h1").Statement, Reason: "read them", Who: "Ada", At: written.Add(-time.Hour)},
	}
	words := s.Hypothesis("h1").Statement
	report := func() string { return board.NewReport(s.Decided(decisions), nil, decisions, board.English).Markdown() }
	if md := report(); strings.Contains(md, "Decided since") || !strings.Contains(md, "1 support, 1 contradict") {
		t.Errorf("nobody decided after it was written:\n%s", md)
	}
	decisions = append(decisions, board.Decision{N: 2, Op: board.Resolve, On: "e1+e2", Outcome: board.SourceB, Reason: "larger", Who: "Ada", At: written.Add(time.Hour)},
		board.Decision{N: 3, Op: board.Refute, On: "h1", Statement: words, Reason: "read them again", Who: "Mo", At: written.Add(2 * time.Hour)})
	md := report()
	for _, want := range []string{"2 decisions of people came after", "by Mo on 2026-03-01 11:00 UTC", "the summary does not know of it", "1 of those that support or contradict count for nothing", "“" + words + "” — Refuted by Mo on 2026-03-01: read them again"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is missing in\n%s", want, md)
		}
	}
	if strings.Contains(md, "e1+e2") || strings.Contains(md, " h1") {
		t.Errorf("ids stand where words should:\n%s", md)
	}
	decisions = append(decisions, board.Decision{N: 4, Op: board.Edit, On: "h1", Statement: "Green tea helps", Reason: "narrower", Who: "Mo", At: written.Add(3 * time.Hour)})
	if md := report(); !strings.Contains(md, "0 support, 0 contradict") || !strings.Contains(md, "2 others were about words that a person replaced") {
		t.Errorf("judgements of other words are counted:\n%s", md)
	}
}

// "The conflict that I was reading jumped to another place when the study took its next step."
func TestBoard_ConflictsStandByTheirIDsFromTheFirstMomentOn(t *testing.T) {
	s := of(t)
	say(s, "e3", "h1", board.Supports)
	say(s, "e4", "h1", board.Contradicts)
	say(s, "e1", "h2", board.Supports)
	say(s, "e2", "h2", board.Contradicts)
	s.FindConflicts(func(id string) string { return id })
	if len(s.Conflicts) != 2 || s.Conflicts[0].ID != "e1+e2" || s.Conflicts[1].ID != "e3+e4" {
		t.Errorf("they stand as %+v", s.Conflicts)
	}
}
