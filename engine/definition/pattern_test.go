package definition_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

func TestReasoner_R03_EveryPatternBuildsAGraph(t *testing.T) {
	var ids []string
	for _, p := range definition.Patterns() {
		ids = append(ids, p.ID)
		if _, err := definition.Parse([]byte(p.Text)); err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		a, err := compile(p.Definition)
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			continue
		}
		if m := a.Graph.Manifest(); m.Agent != p.Definition.Name || p.Title == "" || p.Description == "" || p.Example == "" || p.Doc == "" {
			t.Errorf("%s lacks a title, a description, an example or a paragraph: %+v", p.ID, p)
		}
	}
	if want := []string{"react", "peoatr", "research", "autonomous", "deliberate", "debate", "pipeline", "verify"}; !slices.Equal(ids, want) {
		t.Errorf("patterns are %v, want %v", ids, want)
	}
	if _, err := definition.ByPattern("nonsense"); !errors.Is(err, definition.ErrPattern) {
		t.Errorf("an unknown pattern gives %v", err)
	}
}

var practice = &model.Practice{Scripts: []model.Script{definition.Script()}}

// TestReasoner_Patterns_RunInPracticeModeToAVisibleEnd runs each pattern's example.
func TestReasoner_Patterns_RunInPracticeModeToAVisibleEnd(t *testing.T) {
	nodes := map[string]string{
		"react":      "reason",
		"peoatr":     "plan rounds/act rounds/think rounds/observe rounds/reflect rounds/rounds_check answer",
		"research":   "split find polish/combine polish/review polish/polish_check answer",
		"autonomous": "work/plan work/act work/think work/reflect work/second_look work/answer",
		"deliberate": "views/analysis views/criticism views/ideas views/views_join weigh reasons answer",
		"debate":     "rounds/for_it rounds/against_it rounds/rounds_check rounds/for_it rounds/against_it rounds/rounds_check judge",
		"pipeline":   "count extract draft check answer",
		"verify":     "rounds/draft rounds/verify rounds/rounds_check answer",
	}
	for _, p := range definition.Patterns() {
		d := newDesk(t)
		d.live.Models = model.Set{Main: practice, Light: practice}
		out := d.status(d.run(d.pattern(p.ID), p.Example), run.Completed)
		if !strings.Contains(out.Run.Output, "(Practice mode: this answer is scripted.)") {
			t.Errorf("%s ends with %q, which does not say that it is practice", p.ID, out.Run.Output)
		}
		var ran []string
		for _, e := range d.of(out, journal.Transition) {
			if e.Resolver != "again" && !strings.HasSuffix(string(e.From), "_choose") {
				ran = append(ran, string(e.From))
			}
		}
		ran = slices.DeleteFunc(ran, func(id string) bool {
			return !strings.Contains(nodes[p.ID], id) || slices.Contains([]string{"rounds", "polish", "work", "views"}, id)
		})
		if got := strings.Join(ran, " "); got != nodes[p.ID] {
			t.Errorf("%s ran %s, want %s", p.ID, got, nodes[p.ID])
		}
		if n := len(out.Run.Errors); n > 0 {
			t.Errorf("%s: stages failed: %v", p.ID, out.Run.Errors)
		}
		for _, e := range d.of(out, journal.Transition) {
			if e.Resolver == "" {
				t.Errorf("%s: nobody decided on %s > %s", p.ID, e.From, e.To)
			}
		}
		if has := len(d.of(out, journal.ToolCompleted)) > 0; has != slices.Contains([]string{"react", "autonomous", "verify"}, p.ID) {
			t.Errorf("%s called tools: %v", p.ID, has)
		}
	}
}

func TestReasoner_Patterns_ThePipelineAsksWhenThereIsTooLittle(t *testing.T) {
	d := newDesk(t)
	d.live.Models = model.Set{Main: practice, Light: practice}
	out := d.status(d.run(d.pattern("pipeline"), "Hello"), run.Paused)
	if e := d.of(out, journal.Transition)[0]; e.Resolver != "conditional" || e.Condition != "characters < 12" {
		t.Errorf("the way to the question is %+v", e)
	}
}
