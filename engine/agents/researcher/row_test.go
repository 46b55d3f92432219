package researcher_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/researcher"
	"holdpoint/engine/board"
	"holdpoint/engine/encoder"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

var agreeing = map[string]string{
	"one":   "Tea helps people sleep in a trial of forty adults. It was green tea.",
	"two":   "A cup of tea helps older people to sleep longer. They drank it at nine.",
	"other": "Bridges rust where salt is strewn on the tea road. Steel needs paint and people.",
}

var quarrelling = map[string]string{
	"one":   "Tea helps people sleep in a trial of forty adults. It was green tea.",
	"two":   "A cup of tea helps older people to sleep longer. They drank it at nine.",
	"three": "Strong tea harms the sleep of people in a ward. It was black tea.",
}

func TestResearcher_H1_StateDrivesAStudyNotTalk(t *testing.T) {
	h := open(t, agreeing)
	h.study()
	// A second study in the same conversation knows nothing of the first one's words.
	begin := h.agent.Begin(turn.Message{Text: question, History: []turn.Exchange{{User: "SECRET-BEFORE", Reply: "SECRET-REPLY"}}})
	out, err := h.executor().Start(t.Context(), h.graph, run.StartRequest{ID: "turn:next", Session: "s1", Turn: "next", Input: question, State: begin, Dependencies: h.dependencies()})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	for _, r := range h.model.asked {
		for _, m := range r.Messages {
			if strings.Contains(m.Text, "SECRET") || strings.Contains(m.Text, "new passages") {
				t.Errorf("a prompt holds talk: %s", m.Text)
			}
		}
	}
	b := h.board("next")
	if len(b.Hypotheses) != 1 || len(b.Evidence) == 0 || b.Query != question {
		t.Errorf("the board is %+v", b)
	}
}

func TestResearcher_H5_EvidenceIsFoundByItsIDAfterARestart(t *testing.T) {
	h := open(t, agreeing)
	b, _, events := h.study()
	turn := events[0].Turn
	h.reopen()
	again := h.board(turn)
	if len(again.Evidence) == 0 || len(again.Evidence) != len(b.Evidence) {
		t.Fatalf("%d ids after the restart, %d before", len(again.Evidence), len(b.Evidence))
	}
	for _, p := range again.Evidence {
		if err := h.db.View(func(tx graph.Tx) error {
			rows, err := graph.Rows[board.Tx](tx)
			if err != nil {
				return err
			}
			e, err := rows.Evidence("turn:"+turn, p.ID)
			if err == nil && (e.Text == "" || e.Document != p.Document) {
				err = fmt.Errorf("it is empty: %+v", e)
			}
			return err
		}); err != nil {
			t.Error(p.ID, err)
		}
	}
}

func TestResearcher_H6_StagesAreFromStateToPatch(t *testing.T) {
	h := open(t, quarrelling)
	_, _, events := h.study()
	// The patches of the journal alone make the board.
	state, err := h.graph.Empty().With(h.agent.Begin(turn.Message{Text: question}))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind != journal.StageCompleted {
			continue
		}
		d, err := journal.Read[journal.StageCompletedData](e)
		if err != nil {
			t.Fatal(err)
		}
		if d.Patch["reply"] != nil {
			continue // a long report stands in a blob
		}
		p, err := h.graph.ReadPatch(d.Patch)
		if err != nil {
			t.Fatal(err)
		}
		if state, err = state.With(p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := board.Read(state)
	if err != nil {
		t.Fatal(err)
	}
	if want := h.board(events[0].Turn); !reflect.DeepEqual(got.Hypotheses, want.Hypotheses) || !reflect.DeepEqual(got.Conflicts, want.Conflicts) || !reflect.DeepEqual(got.Evidence, want.Evidence) {
		t.Errorf("the patches make\n%+v\nthe checkpoint has\n%+v", got, want)
	}
}

func TestResearcher_H7_TheLibraryIsSearchedForTheQuestionAndWhatLacksEvidence(t *testing.T) {
	h := open(t, map[string]string{"one": "Tea helps people sleep in a trial of forty adults. It was green tea."})
	h.vars[researcher.MaxIterationsVar] = "5"
	b, _, events := h.study()
	if len(h.queries) < 2 {
		t.Fatalf("%d searches", len(h.queries))
	}
	if h.queries[0].Text != question {
		t.Errorf("the first search is for %q", h.queries[0].Text)
	}
	if want := question + " Tea helps people sleep"; h.queries[1].Text != want {
		t.Errorf("the second search is for %q, not %q", h.queries[1].Text, want)
	}
	if b.Searches[1].For != "h1" || b.Searches[1].Source != "library" {
		t.Errorf("it stands on the board as %+v", b.Searches[1])
	}
	told := of[journal.BoardSearchedData](t, events)
	if len(told) != len(h.queries) || told[0].New != 1 || told[1].New != 0 {
		t.Errorf("the journal tells %+v", told)
	}
}

func TestResearcher_H7_AnEmptyLibraryIsSaid(t *testing.T) {
	h := open(t, nil)
	_, report, _ := h.study()
	if !strings.Contains(report, "import documents first") {
		t.Errorf("the report does not say what to do:\n%s", report)
	}
}

func TestResearcher_H8_TheJudgeProposesAndConfidenceIsComputed(t *testing.T) {
	h := open(t, agreeing)
	b, _, events := h.study()
	if len(b.Hypotheses) != 1 {
		t.Fatalf("%+v", b.Hypotheses)
	}
	x := b.Hypotheses[0]
	if x.Statement != "Tea helps people sleep" || x.Status != board.Confirmed || x.Confidence != 0.75 || len(x.Supporting) != 2 {
		t.Errorf("%+v", x)
	}
	changes := of[journal.HypothesisChangedData](t, events)
	if changes[0].By != journal.ChangedByModel || changes[0].Confidence != 0.5 || changes[0].Status != "proposed" {
		t.Errorf("it begins as %+v", changes[0])
	}
	if last := changes[len(changes)-1]; last.By != journal.ChangedByRule || last.Status != "confirmed" || last.Before == nil {
		t.Errorf("it ends as %+v", last)
	}
}

func TestResearcher_H8_AQuoteThatIsNotInThePassageCountsForNothing(t *testing.T) {
	h := open(t, agreeing)
	h.vars[researcher.MaxIterationsVar] = "3"
	h.model.answers["judgements"] = func(prompt string) string {
		return judged(prompt, func(string) (string, string) { return "supports", "Tea cures everything at once." })
	}
	b, _, events := h.study()
	if x := b.Hypotheses[0]; x.Confidence != 0.5 || len(x.Supporting) != 0 {
		t.Errorf("%+v", x)
	}
	for _, j := range b.Judgements {
		if j.Verdict != board.Neutral || j.Quote != "" || j.Note == "" {
			t.Errorf("%+v", j)
		}
	}
	if told := of[journal.EvidenceJudgedData](t, events); len(told) != len(b.Judgements) {
		t.Errorf("%d judgements, %d told", len(b.Judgements), len(told))
	}
}

func TestResearcher_H8_ThePassageComesBeforeTheHypothesesSoThatItsPrefixIsReused(t *testing.T) {
	h := open(t, map[string]string{"one": "Tea helps people sleep in a trial of forty adults. It was green tea."})
	h.vars[researcher.MaxIterationsVar] = "3"
	h.model.answers["hypotheses"] = func(string) string {
		return `{"hypotheses":[{"statement":"Tea helps people sleep"},{"statement":"Green tea is best"},{"statement":"Adults like tea"}]}`
	}
	begin := append(h.agent.Begin(turn.Message{Text: question, Vars: h.vars}), more(t, 3)...)
	out, err := h.executor().Start(t.Context(), h.graph, run.StartRequest{ID: "turn:x", Session: "s1", Turn: "x", Input: question, State: begin, Dependencies: h.dependencies(), Vars: h.vars})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	list := h.model.prompts("judgements")
	if len(list) != 2 {
		t.Fatalf("%d questions for six hypotheses", len(list))
	}
	shared := 0
	for shared < min(len(list[0]), len(list[1])) && list[0][shared] == list[1][shared] {
		shared++
	}
	if end := strings.Index(list[0], "</passage>"); end < 0 || shared < end {
		t.Errorf("the two questions share %d characters, the passage ends at %d", shared, end)
	}
}

// more are further hypotheses on the board from the beginning.
func more(t *testing.T, n int) graph.Patch {
	t.Helper()
	var p graph.Patch
	for i := range n + 3 {
		h := board.Hypothesis{ID: fmt.Sprintf("h%d", i+1), Statement: fmt.Sprintf("Statement number %d about tea", i+1), Status: board.Proposed, Confidence: 0.5}
		p = append(p, board.ChannelHypotheses.Put(h.ID, model.JSON(h)))
	}
	return p
}

func TestResearcher_H9_AConflictIsSearchedForAndResolved(t *testing.T) {
	h := open(t, quarrelling)
	h.model.answers["resolution"] = func(string) string {
		return `{"outcome":"source_a","resolution":"The trial was larger than the ward."}`
	}
	b, report, events := h.study()
	if !slices.Contains(path(events), "resolve") {
		t.Fatalf("the way was %v", path(events))
	}
	if len(b.Conflicts) != 1 || b.Conflicts[0].Status != board.Resolved || b.Conflicts[0].Resolution == "" {
		t.Fatalf("%+v", b.Conflicts)
	}
	c := b.Conflicts[0]
	if c.ID != board.ConflictID(c.SourceB, c.SourceA) {
		t.Errorf("its id is %s", c.ID)
	}
	if !slices.ContainsFunc(b.Searches, func(s board.Search) bool { return s.For == c.ID }) {
		t.Errorf("nothing was searched for it: %+v", b.Searches)
	}
	told := of[journal.ConflictChangedData](t, events)
	if len(told) != 2 || told[0].Status != "open" || told[1].Status != "resolved" || told[1].By != journal.ChangedByModel {
		t.Errorf("told: %+v", told)
	}
	if !strings.Contains(report, "## Conflicts resolved") || !strings.Contains(report, "The trial was larger than the ward.") {
		t.Errorf("the report:\n%s", report)
	}
	// What was set aside counts no more, and the hypothesis' confidence follows.
	x := b.Hypotheses[0]
	if slices.Contains(append(slices.Clone(x.Supporting), x.Contradicting...), c.SourceB) {
		t.Errorf("%s was set aside and counts: %+v", c.SourceB, x)
	}
}

func TestResearcher_H10_ConfirmedRefutedAndUnresolvedStandApart(t *testing.T) {
	h := open(t, agreeing)
	b, report, _ := h.study()
	if b.Forced != "" || strings.Contains(report, "forced") || strings.Contains(report, "## Unresolved") {
		t.Errorf("nothing was forced:\n%s", report)
	}
	if confirmed, refuted := strings.Index(report, "## Confirmed"), strings.Index(report, "## Refuted"); confirmed < 0 || refuted < confirmed || strings.Index(report, "### Tea helps people sleep") > refuted {
		t.Errorf("the report:\n%s", report)
	}
	if !strings.Contains(report, "sha256:puppet") || !strings.Contains(report, "2026-05-04") {
		t.Errorf("the report does not say who wrote it when:\n%s", report)
	}
	if !strings.Contains(report, "Passages found") || !strings.Contains(report, question) {
		t.Errorf("the report does not tell its methods:\n%s", report)
	}
	// Every citation leads to a passage of the library.
	if strings.Count(report, "](#/library/") < 3 {
		t.Errorf("the report cites too little:\n%s", report)
	}
	if b.NextStep != researcher.Finish {
		t.Errorf("the next step is %q", b.NextStep)
	}
}

func TestResearcher_H10_AForcedReportSaysSoAndListsWhatIsUnresolved(t *testing.T) {
	h := open(t, map[string]string{"one": "Tea helps people sleep in a trial of forty adults. It was green tea."})
	b, report, _ := h.study()
	if b.Forced == "" || !strings.Contains(report, "This report was forced") || !strings.Contains(report, "## Unresolved") {
		t.Errorf("forced %q:\n%s", b.Forced, report)
	}
	if un := strings.Index(report, "## Unresolved"); strings.LastIndex(report, "### Tea helps people sleep") < un {
		t.Errorf("the unconfirmed hypothesis does not stand under Unresolved:\n%s", report)
	}
}

// at is a board for a route.
func at(t *testing.T, change func(put func(c graph.KeyedChannel, id string, v any), set func(...graph.Write))) *board.State {
	t.Helper()
	var p graph.Patch
	a, err := researcher.New(turn.Kit{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := a.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	p = append(p, a.Begin(turn.Message{Text: question})...)
	change(func(c graph.KeyedChannel, id string, v any) { p = append(p, c.Put(id, model.JSON(v))) }, func(w ...graph.Write) { p = append(p, w...) })
	s, err := g.Empty().With(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := board.Read(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestResearcher_H11_TheRulesAreAskedInThisOrder has boards on which two rules hold at once.
func TestResearcher_H11_TheRulesAreAskedInThisOrder(t *testing.T) {
	type put = func(c graph.KeyedChannel, id string, v any)
	type set = func(...graph.Write)
	confirmed := func(p put) {
		p(board.ChannelHypotheses, "h1", board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Confirmed, Confidence: 0.75})
	}
	open := func(p put) {
		c := board.Between("e1", "e2", "h1", "they differ")
		p(board.ChannelConflicts, c.ID, c)
	}
	unjudged := func(p put) { p(board.ChannelEvidence, "e3", board.Piece{Document: "d3"}) }
	limit := func(s set) { s(board.ChannelCount.Set(10)) }
	for _, c := range []struct {
		name   string
		change func(put, set)
		want   graph.StageID
		forced bool
	}{
		{"nothing is there: search", func(put, set) {}, researcher.Search, false},
		{"unjudged before search", func(p put, _ set) { unjudged(p) }, researcher.Judge, false},
		{"settled before unjudged", func(p put, _ set) { confirmed(p); unjudged(p) }, researcher.Synthesize, false},
		{"a conflict before settled", func(p put, _ set) { confirmed(p); open(p) }, researcher.Resolve, false},
		{"a conflict before unjudged", func(p put, _ set) { open(p); unjudged(p) }, researcher.Resolve, false},
		{"the limit before a conflict", func(p put, s set) { open(p); limit(s) }, researcher.Synthesize, true},
		{"the limit before all", func(p put, s set) { confirmed(p); open(p); unjudged(p); limit(s) }, researcher.Synthesize, true},
		{"one step before the limit", func(_ put, s set) { s(board.ChannelCount.Set(9)) }, researcher.Search, false},
		{"no hypothesis is no settled study", func(p put, _ set) { unjudged(p) }, researcher.Judge, false},
		{"refuted is settled", func(p put, _ set) {
			p(board.ChannelHypotheses, "h1", board.Hypothesis{ID: "h1", Statement: "Tea helps", Status: board.Refuted, Confidence: 0.1})
		}, researcher.Synthesize, false},
		{"one is not settled", func(p put, _ set) {
			confirmed(p)
			p(board.ChannelHypotheses, "h2", board.Hypothesis{ID: "h2", Statement: "Tea harms", Status: board.Validating, Confidence: 0.5})
		}, researcher.Search, false},
	} {
		next, why, forced := researcher.Route(at(t, func(p put, s set) { c.change(p, s) }))
		if next != c.want || forced != c.forced || why == "" {
			t.Errorf("%s: %s (forced %v, %q), want %s (%v)", c.name, next, forced, why, c.want, c.forced)
		}
	}
}

func TestResearcher_H11_TheSupervisorCountsAndAsksNoModel(t *testing.T) {
	h := open(t, agreeing)
	b, _, events := h.study()
	if got := path(events); b.Iterations != len(got) {
		t.Errorf("the count is %d after %v", b.Iterations, got)
	}
	for _, e := range events {
		if e.Kind == journal.ModelCalled && e.Stage == researcher.Supervisor {
			t.Error("the supervisor asked a model")
		}
	}
}

func TestResearcher_H12_TheEdgesAreThese(t *testing.T) {
	want := []string{"start→supervisor", "supervisor→search search", "supervisor→judge judge", "supervisor→resolve resolve", "supervisor→synthesize synthesize", "supervisor→end finish",
		"search→supervisor", "judge→supervisor", "resolve→supervisor", "synthesize→end"}
	var got []string
	for _, e := range researcher.Edges() {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s→%s %s", e.From, e.To, e.Match)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the edges are %v", got)
	}
	h := open(t, agreeing)
	_, _, events := h.study()
	if got := path(events); !slices.Equal(got, []string{"search", "judge", "synthesize"}) {
		t.Errorf("the way was %v", got)
	}
	// The safety check that every graph begins with stands before the entry.
	if first := h.graph.Manifest().Stages[0].ID; first != turn.Preflight {
		t.Errorf("the graph begins with %s", first)
	}
}

func TestResearcher_H13_AStudyThatCameToALimitGoesOnFromItsCheckpoint(t *testing.T) {
	h := open(t, quarrelling)
	h.model.tokens = 150_000
	out, err := h.executor().Start(t.Context(), h.graph, run.StartRequest{ID: "turn:x", Session: "s1", Turn: "x", Input: question, Model: "puppet", State: h.agent.Begin(turn.Message{Text: question}), Dependencies: h.dependencies()})
	if err != nil || out.Run.Status != run.Limited || out.Run.Limit != graph.LimitTokens {
		t.Fatalf("it ended as %s by %q, %v", out.Run.Status, out.Run.Limit, err)
	}
	before := h.board("x")
	if len(before.Hypotheses) != 1 {
		t.Fatalf("the checkpoint has %+v", before)
	}
	h.reopen()
	h.model.tokens = 1
	out, err = h.executor().Resume(t.Context(), h.graph, "turn:x", run.Resumption{Dependencies: h.dependencies(), More: graph.Limits{Tokens: 400_000}})
	if err != nil || out.Run.Status != run.Completed {
		t.Fatal(out.Run.Status, err)
	}
	if n := len(h.model.prompts("hypotheses")); n != 1 {
		t.Errorf("hypotheses were asked for %d times: the resume began anew", n)
	}
	after := h.board("x")
	for _, j := range before.Judgements {
		if !slices.Contains(after.Judgements, j) {
			t.Errorf("lost: %+v", j)
		}
	}
}

func TestResearcher_H14_TenStepsAreTheLimitAndTheSupervisorComesFirst(t *testing.T) {
	h := open(t, nil)
	b, _, events := h.study()
	want := append(slices.Repeat([]string{"search"}, 10), "synthesize")
	if got := path(events); !slices.Equal(got, want) {
		t.Errorf("the way was %v", got)
	}
	if b.Max != 10 || b.Iterations != 11 || b.Forced == "" {
		t.Errorf("%d of %d steps, forced %q", b.Iterations, b.Max, b.Forced)
	}
	state, err := h.graph.Empty().With(h.agent.Begin(turn.Message{Text: question}))
	if err != nil || board.ChannelNext.Get(state) != "search" || board.ChannelCount.Get(state) != 0 {
		t.Errorf("a study begins with %q, %v", board.ChannelNext.Get(state), err)
	}
	for vars, ok := range map[string]bool{"1": true, "50": true, "0": false, "51": false, "ten": false} {
		if err := h.agent.Accept(map[string]string{researcher.MaxIterationsVar: vars}); (err == nil) != ok {
			t.Errorf("%s steps: %v", vars, err)
		}
	}
}

func TestResearcher_H15_AStartedEventAndThenTheGraphs(t *testing.T) {
	h := open(t, agreeing)
	_, _, events := h.study()
	if events[0].Kind != journal.TurnStarted || events[0].Text != question {
		t.Fatalf("it begins with %+v", events[0])
	}
	if last := events[len(events)-1]; last.Kind != journal.TurnCompleted {
		t.Errorf("it ends with %s", last.Kind)
	}
	for _, kind := range []journal.Kind{journal.BoardSearched, journal.EvidenceAdded, journal.EvidenceJudged, journal.HypothesisChanged, journal.StageCompleted, journal.Message} {
		if !slices.ContainsFunc(events, func(e journal.Event) bool { return e.Kind == kind }) {
			t.Errorf("no %s", kind)
		}
	}
}

func TestResearcher_H16_NoReplyIsLongerThan2048Tokens(t *testing.T) {
	h := open(t, quarrelling)
	h.study()
	for _, r := range h.model.asked {
		if r.MaxTokens < 1 || r.MaxTokens > 2048 {
			t.Errorf("%d tokens for %.80s", r.MaxTokens, r.Format)
		}
	}
}

func TestResearcher_H17_EveryAnswerFollowsASchema(t *testing.T) {
	h := open(t, quarrelling)
	h.study()
	if len(h.model.asked) < 5 {
		t.Fatalf("only %d questions", len(h.model.asked))
	}
	for _, r := range h.model.asked {
		if len(r.Format) == 0 || len(r.Tools) > 0 {
			t.Errorf("a question without a schema: %+v", r.Messages)
		}
	}
}

func TestResearcher_H18_TheAgentSaysThatItIsExperimental(t *testing.T) {
	a, err := researcher.New(turn.Kit{})
	if err != nil || !a.Experimental {
		t.Errorf("experimental %v, %v", a.Experimental, err)
	}
}

// alike says that all texts with a word point the same way.
type alike struct{ near float32 }

func (alike) Name() string   { return "alike" }
func (alike) Dimension() int { return 2 }
func (a alike) Vector(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		switch {
		case strings.Contains(text, "green"):
			out[i] = []float32{1, 0}
		case strings.Contains(text, "nine"):
			out[i] = []float32{a.near, sqrt(1 - a.near*a.near)}
		default:
			out[i] = []float32{0, 1}
		}
	}
	return out, nil
}

func sqrt(x float32) float32 {
	z := x + 0.1
	for range 40 {
		z = (z + x/z) / 2
	}
	return z
}

func TestResearcher_H19_NearDuplicatesCountOnce(t *testing.T) {
	for _, c := range []struct {
		near       float32
		duplicates int
		confidence float64
	}{{0.91, 1, 2.0 / 3}, {0.89, 0, 0.75}} {
		h := open(t, map[string]string{"one": agreeing["one"], "two": agreeing["two"]})
		h.encoder = encoder.Encoder(alike{c.near})
		h.vars[researcher.MaxIterationsVar] = "4"
		b, report, _ := h.study()
		n := 0
		for _, p := range b.Evidence {
			if p.DuplicateOf != "" {
				n++
			}
		}
		if n != c.duplicates {
			t.Errorf("cosine %v: %d near-duplicates, want %d", c.near, n, c.duplicates)
		}
		if got := b.Hypotheses[0].Confidence; got != c.confidence {
			t.Errorf("cosine %v: confidence %v, want %v", c.near, got, c.confidence)
		}
		if want := fmt.Sprintf("near-duplicates %d", c.duplicates); !strings.Contains(report, want) {
			t.Errorf("the report does not count %s", want)
		}
	}
}

// "Two trials, one for and one against, worded alike: the study confirmed what the first said and never read the second."
func TestResearcher_H19_ANearDuplicateInOtherWordsIsJudged(t *testing.T) {
	h := open(t, map[string]string{"one": agreeing["one"], "two": quarrelling["three"] + " They drank it at nine."})
	h.encoder = encoder.Encoder(alike{0.95})
	b, report, _ := h.study()
	if len(b.Conflicts) != 1 || len(b.Hypotheses[0].Contradicting) == 0 {
		t.Errorf("both sides are not on the board: %+v, %+v", b.Hypotheses, b.Conflicts)
	}
	if !strings.Contains(report, "near-duplicates 1") {
		t.Errorf("the report:\n%s", report)
	}
}

func TestResearcher_H19_ACitationOfUnknownEvidenceIsDropped(t *testing.T) {
	h := open(t, agreeing)
	h.model.answers["synthesis"] = func(string) string {
		return `{"sentences":[{"text":"Known.","evidence":["e1","e999"]},{"text":"Invented altogether.","evidence":["e777"]}]}`
	}
	b, report, _ := h.study()
	if len(b.Synthesis.Sentences) != 1 || !slices.Equal(b.Synthesis.Sentences[0].Evidence, []string{"e1"}) || b.Synthesis.Dropped != 3 {
		t.Errorf("%+v", b.Synthesis)
	}
	if strings.Contains(report, "Invented") || strings.Contains(report, "e999") {
		t.Errorf("the report:\n%s", report)
	}
}

// "The summary of my study was a tool call in curly brackets."
func TestResearcher_H19_ASentenceOfToolSyntaxIsNone(t *testing.T) {
	h := open(t, agreeing)
	h.model.answers["synthesis"] = func(string) string {
		return `{"sentences":[{"text":"{\"name\": \"find_it\", \"arguments\": {}}","evidence":["e1"]},{"text":"Known.","evidence":["e1"]}]}`
	}
	if b, report, _ := h.study(); len(b.Synthesis.Sentences) != 1 || strings.Contains(report, "find_it") {
		t.Errorf("%+v", b.Synthesis)
	}
	h = open(t, agreeing)
	h.model.answers["synthesis"] = func(string) string {
		return `{"sentences":[{"text":"tool: find_it","evidence":["e1"]}]}`
	}
	if b, report, _ := h.study(); len(b.Synthesis.Sentences) != 0 || strings.Contains(report, "find_it") || !strings.Contains(report, "no usable summary") {
		t.Errorf("%+v in\n%s", b.Synthesis, report)
	}
}

func TestResearcher_H20_AJudgeThatKeepsFailingEndsTheStudyWithWhatItHas(t *testing.T) {
	h := open(t, agreeing)
	n := 0
	h.model.answers["judgements"] = func(prompt string) string {
		if n++; n > 1 {
			return "I would rather not say"
		}
		return judged(prompt, byWords)
	}
	b, report, events := h.study()
	if got := path(events); !slices.Equal(got, []string{"search", "judge", "judge", "judge", "synthesize"}) {
		t.Errorf("the way was %v", got)
	}
	if n != 4 || len(b.Judgements) != 1 || !strings.Contains(b.Forced, "no usable answer 3 times") || !strings.Contains(report, "This report was forced") {
		t.Errorf("asked %d times, %d judgements, forced %q", n, len(b.Judgements), b.Forced)
	}
	// One that answers again is trusted again.
	h = open(t, agreeing)
	n = 0
	h.model.answers["judgements"] = func(prompt string) string {
		if n++; n%2 == 0 {
			return "{}{"
		}
		return judged(prompt, byWords)
	}
	if b, _, _ := h.study(); b.Forced != "" {
		t.Errorf("forced: %s", b.Forced)
	}
}

func TestResearcher_H20_AModelThatCannotBeHadFailsTheTurn(t *testing.T) {
	h := open(t, agreeing)
	d := h.dependencies()
	d.Models = model.Set{}
	out, err := h.executor().Start(t.Context(), h.graph, run.StartRequest{ID: "turn:x", Session: "s1", Turn: "x", Input: question, State: h.agent.Begin(turn.Message{Text: question}), Dependencies: d})
	if err != nil && !errors.Is(err, turn.ErrNoModel) {
		t.Fatal(err)
	}
	if out.Run.Status != run.Failed {
		t.Errorf("it ended as %s", out.Run.Status)
	}
}

func TestResearcher_H4_ADecisionMadeWhileTheStudyRunsIsTakenOver(t *testing.T) {
	h := open(t, agreeing)
	asked := 0
	h.model.answers["judgements"] = func(prompt string) string {
		if asked++; asked == 1 {
			d := board.Decision{Op: board.Refute, On: "h1", Reason: "the wrong people", Who: "Reviewer One", At: day}
			if err := h.db.AppendEvents("s1", "", []journal.Event{journal.Event{At: day, Session: "s1"}.With(journal.HypothesisChangedData{ID: "h1", By: journal.ChangedByPerson})}, func(tx store.Tx) error {
				return tx.AddDecision("turn:t1", &d)
			}); err != nil {
				t.Error(err)
			}
		}
		return judged(prompt, byWords)
	}
	b, report, events := h.study()
	if events[0].Turn != "t1" {
		t.Fatalf("the study is %s", events[0].Turn)
	}
	x := b.Hypotheses[0]
	if x.Status != board.Refuted || x.Decision == nil || x.Decision.Who != "Reviewer One" {
		t.Errorf("the verdict became %+v", x)
	}
	if !strings.Contains(report, "Refuted by Reviewer One") {
		t.Errorf("the report:\n%s", report)
	}
	// Nothing more is asked about what a person decided.
	if asked != 1 {
		t.Errorf("%d passages were judged for a hypothesis that was decided", asked)
	}
}

func TestResearcher_H5_AReplayFindsItsEvidenceInTheLibraryAndACitationOutlivesItsDocument(t *testing.T) {
	h := open(t, agreeing)
	b, _, events := h.study()
	p := b.Evidence[0]
	find := func(study string) (e board.Evidence, err error) {
		err = h.db.View(func(tx graph.Tx) error {
			rows, err := graph.Rows[board.Tx](tx)
			if err == nil {
				e, err = board.Find(rows, study, p)
			}
			return err
		})
		return e, err
	}
	own, err := find("turn:" + events[0].Turn)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := find("turn:another"); err != nil || other.Text != own.Text || other.Document != own.Document || other.Place != own.Place {
		t.Errorf("a replay reads %+v, %v", other, err)
	}
	if err := h.lib.Remove(p.Document); err != nil {
		t.Fatal(err)
	}
	if again, err := find("turn:" + events[0].Turn); err != nil || again.Text != own.Text {
		t.Errorf("the citation went with its document: %v", err)
	}
	if other, err := find("turn:another"); err != nil || other.Text != own.Text || other.Left == nil || other.Left.At.IsZero() {
		t.Errorf("the replay lost it, although the first study keeps it: %+v, %v", other, err)
	}
	p.ID = "e999"
	if _, err := find("turn:another"); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("what is gone everywhere gives %v", err)
	}
}

// "My study was asked for in French, and its hypotheses came in English." A quotation stays as it
// stands in its passage.
func TestResearcher_WritesInThePersonsLanguageAndQuotesWordForWord(t *testing.T) {
	for _, language := range []string{"", "fr"} {
		asked := map[string]bool{}
		for _, documents := range []map[string]string{
			{"one": "Tea helps people sleep at night.", "two": "Tea harms people who sleep at night."},
			{"one": "Tea helps people sleep in a trial of forty adults. It was green tea.", "two": "A cup of tea helps older people to sleep longer. They drank it at nine."},
		} {
			h := open(t, documents)
			h.vars[turn.LanguageVar] = language
			h.study()
			for _, r := range h.model.asked {
				var schema struct{ Title string }
				if err := json.Unmarshal(r.Format, &schema); err != nil {
					t.Fatal(err)
				}
				asked[schema.Title] = true
				in := language == "fr" && schema.Title != "judgements" && schema.Title != "safety"
				if got := strings.Contains(r.Messages[0].Text, "write in French"); got != in {
					t.Errorf("%q: %s is asked with %s", language, schema.Title, r.Messages[0].Text)
				}
			}
		}
		if len(asked) != 5 {
			t.Errorf("asked %v", asked)
		}
	}
}
