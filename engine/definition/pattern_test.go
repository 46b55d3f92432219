package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
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

// saysIn answers by the step that asks, one answer after another.
func saysIn(answers map[string][]model.Message) func(string, model.Request) model.Message {
	asked := map[string]int{}
	return func(_ string, r model.Request) model.Message {
		step := ""
		if m := stepName.FindStringSubmatch(r.Messages[0].Text); m != nil {
			step = m[1]
		}
		list := answers[step]
		if len(list) == 0 {
			return text(step + " said")
		}
		asked[step]++
		return list[min(asked[step], len(list))-1]
	}
}

// asked are the requests of a step.
func (p *puppet) askedIn(step string) (out []model.Request) {
	for _, r := range p.requests() {
		if m := stepName.FindStringSubmatch(r.Messages[0].Text); m != nil && m[1] == step {
			out = append(out, r)
		}
	}
	return out
}

func TestReasoner_Patterns_TheJudgeOfADebateSeesAllRounds(t *testing.T) {
	d := newDesk(t)
	d.main.say = saysIn(map[string][]model.Message{"for_it": {text("for, first"), text("for, second")}, "against_it": {text("against, first"), text("against, second")}})
	d.status(d.run(d.pattern("debate"), "Is it so?"), run.Completed)
	judged := all(d.main.askedIn("judge")[0])
	at := -1
	for _, want := range []string{"For: for, first", "Against: against, first", "For: for, second", "Against: against, second"} {
		i := strings.Index(judged, want)
		if i <= at {
			t.Errorf("the judge does not see %q, or not in its place:\n%s", want, judged)
		}
		at = i
	}
}

func TestReasoner_Patterns_TheCheckerOfVerifySeesTheDraftOnly(t *testing.T) {
	d := newDesk(t)
	d.main.say = saysIn(map[string][]model.Message{
		"draft":  {{Calls: []model.Call{{Tool: "calculator", Arguments: []byte(`{"expression":"3*61"}`)}}}, text("It is one hundred and eighty three.")},
		"verify": {text(`{"verdict":"accept","problems":[]}`)}})
	d.status(d.runAfter(d.pattern("verify"), "The secret question", model.Message{Role: "user", Text: "An older question"}, model.Message{Role: "assistant", Text: "An older answer"}), run.Completed)
	checked := all(d.main.askedIn("verify")[0])
	if !strings.Contains(checked, "one hundred and eighty three") {
		t.Errorf("the checker does not see the draft:\n%s", checked)
	}
	for _, other := range []string{"secret question", "older", "3*61", `"result"`} {
		if strings.Contains(checked, other) {
			t.Errorf("the checker also sees %q:\n%s", other, checked)
		}
	}
}

func TestReasoner_Patterns_ResearchInsideAGraphLooksThingsUp(t *testing.T) {
	d := newDesk(t)
	set, err := tool.NewSet(calculator.New(), post())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	a := d.def(`
name: mine
nodes:
  - {name: study, kind: subgraph, use: research, default_next: end}
`)
	d.main.say = saysIn(map[string][]model.Message{
		"split":  {text(`{"questions":["q"],"replies":["r"],"value":{"steps":["how many"]}}`)},
		"find":   {{Calls: []model.Call{{Tool: "calculator", Arguments: []byte(`{"expression":"6*7"}`)}, {Tool: "post", Arguments: []byte(`{"text":"hi"}`)}}}, text("Forty-two.")},
		"review": {text(`{"verdict":"accept","problems":[]}`)},
	})
	out := d.status(d.run(a, "How many?"), run.Completed)
	asked := d.main.askedIn("find")
	if len(asked) != 2 || len(asked[0].Tools) != 1 || asked[0].Tools[0].Name != "calculator" {
		t.Fatalf("an item is asked %d times with the tools %v; it may look, and change nothing", len(asked), asked[0].Tools)
	}
	if !strings.Contains(all(asked[1]), `"result":"42"`) || !strings.Contains(all(asked[1]), "refused") {
		t.Errorf("the model is not told what came of its calls:\n%s", all(asked[1]))
	}
	same(t, "the calls that ran", len(d.of(out, journal.ToolCompleted)), 1)
	same(t, "what was posted", len(d.of(out, journal.ApprovalRequested)), 0)
	if !strings.Contains(all(d.main.askedIn("combine")[0]), "Forty-two.") {
		t.Error("the finding is not brought together")
	}
}

func TestReasoner_Nodes_ItemsWithToolsGiveTheirAnswerInItsForm(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: list, kind: transform, set: {items: [one, two]}, default_next: each}
  - name: each
    kind: fan_out
    over: list_output.items
    instructions: Say it.
    tools: [calculator]
    output_schema: {type: object, properties: {n: {type: integer}}, required: [n]}
    default_next: end
`)
	d.main.say = func(title string, r model.Request) model.Message {
		switch {
		case r.Format != nil && strings.Contains(all(r), `"result":"3"`):
			return text(`{"n":3}`)
		case r.Messages[len(r.Messages)-1].Role == "tool":
			return text("It is three.")
		}
		return model.Message{Calls: []model.Call{{Tool: "calculator", Arguments: []byte(`{"expression":"1+2"}`)}}}
	}
	out := d.status(d.run(a, "x"), run.Completed)
	same(t, "the list", value(out, "each_output"), `[{"n":3},{"n":3}]`)
	ids := map[string]bool{}
	for _, e := range d.of(out, journal.ToolCompleted) {
		ids[e.Call] = true
	}
	same(t, "the ids of the calls", len(ids), 2)
	// A model that only ever calls has to answer in the end.
	d.main.say = func(_ string, r model.Request) model.Message {
		if r.Tools == nil {
			return text(`{"n":1}`)
		}
		return model.Message{Calls: []model.Call{{Tool: "calculator", Arguments: []byte(`{"expression":"1+2"}`)}}}
	}
	same(t, "the list of a model that loves tools", value(d.status(d.run(a, "x"), run.Completed), "each_output"), `[{"n":1},{"n":1}]`)
}

// weak is a model that follows a form where it is given one, and else writes what it was never
// asked for.
type weak struct {
	*model.Practice
	writes string
	called *atomic.Int64 // parts of a pattern ask beside each other
	tool   string
}

func (w weak) Chat(ctx context.Context, r model.Request, onText func(string)) (model.Response, error) {
	if r.Format != nil {
		return w.Practice.Chat(ctx, r, onText)
	}
	m := model.Message{Role: "assistant", Text: w.writes}
	if w.called != nil && len(r.Tools) > 0 {
		w.called.Add(1)
		m = model.Message{Role: "assistant", Calls: []model.Call{{Tool: w.tool, Arguments: json.RawMessage(`{"q":"x"}`)}}}
	}
	if onText != nil && m.Text != "" {
		onText(m.Text)
	}
	return model.Response{Message: m}, nil
}

// "I asked for three points of view and got curly brackets as the advice."
func TestReasoner_Patterns_ToolSyntaxNeverReachesThePerson(t *testing.T) {
	for _, writes := range []string{`{"name": "find_it", "parameters": {"query": "cardiology"}}`, "Let me look that up.\n<tool_call>\n{\"name\": \"find_it\"}", "tool: find_it\narguments:\n  query: x", "```python\nfind_it(\"x\")", "<think>I use find_it</think>"} {
		for _, p := range definition.Patterns() {
			d := newDesk(t)
			d.live.Models = model.Set{Main: weak{Practice: practice, writes: writes}, Light: practice}
			out := d.status(d.run(d.pattern(p.ID), p.Example), run.Completed)
			if !strings.Contains(out.Run.Output, "no answer that can be used") || strings.Contains(out.Run.Output, "find_it") {
				t.Errorf("%s: %q became %q", p.ID, writes, out.Run.Output)
			}
			for _, e := range d.of(out, journal.Token, journal.Message) {
				if strings.Contains(e.Text, "find_it") || strings.Contains(e.Text, "{") {
					t.Errorf("%s: the person saw %q", p.ID, e.Text)
				}
			}
		}
	}
}

// "It called a tool that is not there eight times with the same words."
func TestReasoner_Patterns_AToolThatIsNotThereIsCalledTwice(t *testing.T) {
	for id, want := range map[string]int64{"react": 2, "verify": 2, "peoatr": 2, "research": 2 * 3} { // research has three parts
		d, called := newDesk(t), atomic.Int64{}
		d.live.Models = model.Set{Main: weak{practice, "It is forty two.", &called, "no_such_tool"}, Light: practice}
		out := d.status(d.runWith(d.pattern(id), "What is six times seven?", map[string]string{}), run.Completed)
		if got := called.Load(); got != want || !strings.Contains(out.Run.Output, "It is forty two.") {
			t.Errorf("%s: called %d times, want %d; the reply is %q", id, got, want, out.Run.Output)
		}
	}
}
