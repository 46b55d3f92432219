package definition_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
)

// first is the transition out of a stage.
func first(t *testing.T, d *desk, out run.Outcome, from graph.StageID) journal.Event {
	t.Helper()
	for _, e := range d.of(out, journal.Transition) {
		if e.From == from {
			return e
		}
	}
	t.Fatalf("nothing led on from %s: %v", from, d.path(out))
	return journal.Event{}
}

func TestReasoner_R14_ToolCallsEnterTheSameNodeAgain(t *testing.T) {
	d := newDesk(t)
	d.main.say = func(_ string, r model.Request) model.Message {
		if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
			return text("It is " + last.Text)
		}
		return model.Message{Calls: []model.Call{{Tool: "calculator", Arguments: json.RawMessage(`{"expression":"6*7"}`)}}}
	}
	out := d.status(d.run(d.pattern("react"), "6 times 7?"), run.Completed)
	sameList(t, "the path", d.path(out), []string{"reason>reason(again)", "reason>reason(again)", "reason>end(static)"})
	same(t, "the reason", first(t, d, out, "reason").Reason, "tool_calls_present")
	if !strings.Contains(out.Run.Output, `"result":"42"`) {
		t.Errorf("the reply is %q", out.Run.Output)
	}
}

// chained has every way out of its first node at once; what the model says decides.
const chained = `
name: x
nodes:
  - name: a
    kind: prompt
    instructions: Say something.
    output: said
    transitions: {"to b": b}
    routes: [b, d]
    default_next: c
  - {name: b, kind: transform, template: b, default_next: end}
  - {name: c, kind: transform, template: c, default_next: end}
  - {name: d, kind: transform, template: d, default_next: end}
  - {name: e, kind: transform, template: e, default_next: end}
edges:
  - {from: a, to: d, when: {key: said, contains: low}, priority: 1}
  - {from: a, to: e, when: {key: said, contains: "low and high"}, priority: 5}
`

func TestReasoner_R15toR20_TransitionChainDecidesInItsOrder(t *testing.T) {
	d := newDesk(t)
	a := d.def(chained)
	for _, c := range []struct{ said, to, resolver string }{
		{`{"route":"b","text":"low and high"}`, "b", "route"},          // R15 before R17
		{`{"goto":"d"}`, "d", "route"},                                 // R15 in its other words
		{`{"_next":"nowhere","x":"low and high"}`, "e", "conditional"}, // R15 only for nodes that exist; R17 by priority
		{"low", "d", "conditional"},                                    // R17
		{"to b", "b", "match"},                                         // R18
		{"anything", "c", "static"},                                    // R19
	} {
		d.main.say = always(c.said)
		out := d.status(d.run(a, "go"), run.Completed)
		if e := first(t, d, out, "a"); string(e.To) != c.to || e.Resolver != c.resolver {
			t.Errorf("after %s it goes to %s by %s, want %s by %s", c.said, e.To, e.Resolver, c.to, c.resolver)
		}
	}
	// R20: nothing is said, so the graph ends.
	b := d.def("name: x\nnodes: [{name: a, kind: transform, template: bye}]")
	out := d.status(d.run(b, "go"), run.Completed)
	if e := first(t, d, out, "a"); e.To != graph.End || e.Resolver != "end" || out.Run.Output != "bye" {
		t.Errorf("it ends by %s at %s with %q", e.Resolver, e.To, out.Run.Output)
	}
}

func TestReasoner_R16_TheNodesOwnChoiceComesBeforeConditionalEdges(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: a, kind: router, choices: [{to: b, when: {key: input, exists: true}}], default_next: c}
  - {name: b, kind: transform, template: b, default_next: end}
  - {name: c, kind: transform, template: c, default_next: end}
edges: [{from: a, to: c, when: {key: input, exists: true}, priority: 9}]
`)
	out := d.status(d.run(a, "go"), run.Completed)
	if e := first(t, d, out, "a"); e.To != "b" || e.Resolver != "goto" {
		t.Errorf("it goes to %s by %s", e.To, e.Resolver)
	}
}

func TestReasoner_R32_StrategiesAndPerspectivesReachThePrompt(t *testing.T) {
	d := newDesk(t)
	seen := map[string]string{}
	for _, s := range definition.StrategyNames() {
		def := d.def("name: x\ninstructions: The house rules.\nnodes: [{name: a, kind: prompt, instructions: Do it., blocks: [A block.], strategies: [" + s + "]}]")
		d.status(d.run(def, "go"), run.Completed)
		asked := d.main.requests()
		prompt := all(asked[len(asked)-1])
		for _, want := range []string{"The house rules.", "Your step is a (prompt).", "Do it.", "A block."} {
			if !strings.Contains(prompt, want) {
				t.Errorf("the prompt lacks %q:\n%s", want, prompt)
			}
		}
		seen[prompt] = s
	}
	for _, p := range definition.PerspectiveNames() {
		more := ""
		if p == "custom" {
			more = ", perspective_text: Look as a sailor would."
		}
		d.status(d.run(d.def("name: x\nnodes: [{name: a, kind: prompt, instructions: Do it., perspective: "+p+more+"}]"), "go"), run.Completed)
		asked := d.main.requests()
		seen[all(asked[len(asked)-1])] = p
		if p == "custom" && !strings.Contains(all(asked[len(asked)-1]), "Look as a sailor would.") {
			t.Error("the custom perspective does not reach the prompt")
		}
	}
	if want := len(definition.StrategyNames()) + len(definition.PerspectiveNames()); len(seen) != want {
		t.Errorf("%d different prompts of %d strategies and perspectives", len(seen), want)
	}
}

func TestReasoner_R53_RequiresHumanWaitsBeforeTheNodeRuns(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: a, kind: prompt, instructions: Do it., flags: [requires_human], default_next: end, on_error: no}
  - {name: no, kind: transform, template: not done, default_next: end}
`)
	out := d.status(d.run(a, "go"), run.Paused)
	same(t, "questions to the model", len(d.main.requests()), 0)
	no := d.resume(a, out, run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"approved":false,"comment":"no"}`)}})
	same(t, "the reply", d.status(no, run.Completed).Run.Output, "not done")
	same(t, "questions to the model", len(d.main.requests()), 0)
	out = d.status(d.run(a, "go"), run.Paused)
	out = d.resume(a, out, run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"approved":true}`)}})
	same(t, "the reply", d.status(out, run.Completed).Run.Output, "Noted.")
}

func TestReasoner_R63_OutputsReachInputs(t *testing.T) {
	d := newDesk(t)
	d.main.say = always("the moon is new")
	a := d.def(`
name: x
nodes:
  - {name: a, kind: prompt, instructions: Say it., output: findings, default_next: b}
  - {name: b, kind: prompt, instructions: Use it., inputs: [findings], default_next: end}
`)
	out := d.status(d.run(a, "go"), run.Completed)
	asked := d.main.requests()
	if !strings.Contains(all(asked[1]), `<input name="findings">the moon is new</input>`) || strings.Contains(all(asked[0]), "moon") {
		t.Errorf("the second prompt is\n%s", all(asked[1]))
	}
	same(t, "the key", value(out, "findings"), `"the moon is new"`)
}

func TestReasoner_R64_InheritPutsAnotherNodesRawOutputIntoThePrompt(t *testing.T) {
	d := newDesk(t)
	d.main.say = always("the moon is new")
	a := d.def(`
name: x
nodes:
  - {name: a, kind: prompt, instructions: Say it., default_next: b}
  - {name: b, kind: prompt, instructions: Use it., inherit_context_from: [a], default_next: end}
`)
	d.status(d.run(a, "go"), run.Completed)
	if asked := d.main.requests(); !strings.Contains(all(asked[1]), `<output of="a">the moon is new</output>`) {
		t.Errorf("the second prompt is\n%s", all(asked[1]))
	}
}

func TestReasoner_R65_EveryNodeCanReadTheContextItself(t *testing.T) {
	d := newDesk(t)
	a := d.def("name: x\nnodes: [{name: a, kind: transform, template: \"{{.input}} {{.vars.tone}}\"}]")
	same(t, "the reply", d.status(d.run(a, "go"), run.Completed).Run.Output, "go plain")
}

// circle goes round for ever.
const circle = `
name: x
nodes:
  - {name: a, kind: transform, template: a, default_next: b}
  - {name: b, kind: transform, template: b, default_next: a}
edges: [{from: b, to: end, when: {key: input, equals: stop}}]
`

func TestReasoner_R80_MaxIterationsIsFiftyAndResumable(t *testing.T) {
	d := newDesk(t)
	def := d.def(circle).Definition
	def.Limits.MaxNodeIterations = 100
	a := d.agent(def)
	out := d.status(d.run(a, "go"), run.Limited)
	if out.Run.Limit != "steps" || out.Run.Step != 50 {
		t.Errorf("it ended at %s after %d steps", out.Run.Limit, out.Run.Step)
	}
	d.cold()
	if _, err := d.x.Resume(context.Background(), a.Graph, out.Run.ID, run.Resumption{Dependencies: d.live}); !errors.Is(err, run.ErrLimit) {
		t.Errorf("without more steps it goes on: %v", err)
	}
	out = d.status(d.resume(a, out, run.Resumption{MoreSteps: 7}), run.Limited)
	same(t, "steps", out.Run.Step, 57)
	def.Limits.MaxIterations = 6
	same(t, "steps", d.status(d.run(d.agent(def), "go"), run.Limited).Run.Step, 6)
}

func TestReasoner_R81_NodeIterationsAreTwentyFiveThenTheErrorEdge(t *testing.T) {
	d := newDesk(t)
	def := d.def(circle).Definition
	def.Limits.MaxIterations = 200
	out := d.status(d.run(d.agent(def), "go"), run.Limited)
	if out.Run.Limit != "node_iterations" || out.Run.Finished.Of("a") != 25 {
		t.Errorf("it ended at %s after %d visits", out.Run.Limit, out.Run.Finished.Of("a"))
	}
	with := d.def(strings.Replace(strings.Replace(circle, "template: a,", "template: a, on_error: sorry,", 1), "edges:",
		"  - {name: sorry, kind: transform, template: sorry, default_next: end}\nedges:", 1)).Definition
	with.Limits.MaxIterations = 200
	out = d.status(d.run(d.agent(with), "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "sorry")
	if p := d.path(out); p[len(p)-2] != "a>sorry(error)" {
		t.Errorf("the path ends with %v", p[len(p)-2:])
	}
}

func TestReasoner_R82_TokenBudgetEndsTheRunResumably(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: a, kind: prompt, instructions: Go., default_next: b}
  - {name: b, kind: prompt, instructions: Go., default_next: c}
  - {name: c, kind: prompt, instructions: Go., default_next: end}
limits: {max_tokens: 25}
`)
	out := d.status(d.run(a, "go"), run.Limited)
	if out.Run.Limit != "tokens" || out.Run.Used.Tokens != 30 || len(d.main.requests()) != 2 {
		t.Errorf("it ended at %s after %d tokens and %d questions", out.Run.Limit, out.Run.Used.Tokens, len(d.main.requests()))
	}
	d.cold()
	out = d.status(d.resume(a, out, run.Resumption{More: graph.Limits{Tokens: 100}}), run.Completed)
	same(t, "questions", len(d.main.requests()), 3)
}

func TestReasoner_R83_CyclesAreNoticed(t *testing.T) {
	d := newDesk(t)
	def := d.def(circle).Definition
	def.Limits.Cycle = 3
	out := d.status(d.run(d.agent(def), "go"), run.Limited)
	if out.Run.Limit != "cycle" || out.Run.Step > 8 {
		t.Errorf("it ended at %s after %d steps", out.Run.Limit, out.Run.Step)
	}
}

func TestReasoner_R84_TimingOnlyMarks(t *testing.T) {
	def, err := definition.Parse([]byte("name: x\nnodes: [{name: a, kind: think, temperature: 0.7}]"))
	if err != nil || def.Nodes[0].Temperature != 0.7 {
		t.Errorf("the temperature is %v (%v)", def.Nodes[0].Temperature, err)
	}
	a, err := definition.Parse([]byte("name: x\nnodes: [{name: a, kind: transform, template: hi, within: 1.5, flags: [observable]}]\nlimits: {max_time: 5m}"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := definition.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	if s := spec.Stages[0]; s.SoftTimeout != 1500*time.Millisecond || s.Flags.Has(graph.Critical) != true || spec.Limits.Time != 5*time.Minute {
		t.Errorf("the stage is %+v, the limits %+v", s, spec.Limits)
	}
}

func TestReasoner_R85_AFailureIsTheReportsErrorOnlyWhereItIsCritical(t *testing.T) {
	d := newDesk(t)
	d.main.fail = func(_ string, r model.Request) error {
		if strings.Contains(all(r), "Your step is a ") {
			return model.ErrServer
		}
		return nil
	}
	a := d.def(`
name: x
nodes:
  - {name: a, kind: prompt, instructions: Go., default_next: b}
  - {name: b, kind: prompt, instructions: Go., default_next: end}
`)
	out := d.status(d.run(a, "go"), run.Completed)
	events := d.of(out)
	if r := run.Report(out, events); r.Error != "" || !strings.Contains(r.Errors["a"], "server error") || r.Failed["a"] != 1 {
		t.Errorf("the report is %+v", r)
	}
	def := a.Definition
	def.Nodes[0].Flags = []string{"critical"}
	out = d.status(d.run(d.agent(def), "go"), run.Failed)
	if r := run.Report(out, d.of(out)); !strings.Contains(r.Error, "server error") || r.ErrorStage != "a" || r.Ran["b"] != 0 {
		t.Errorf("the report is %+v", r)
	}
	// A last word that failed is no success, flag or not.
	def.Nodes[0].Flags = nil
	d.main.fail = func(string, model.Request) error { return model.ErrServer }
	same(t, "the stage that failed", d.status(d.run(d.agent(def), "go"), run.Failed).Run.ErrorStage, "b")
}

func TestReasoner_R86_RetriesAreTheNodesOwnAndRefusedWhereToolsMayChangeSomething(t *testing.T) {
	problems(t, "name: x\nnodes: [{name: a, kind: act, flags: [retryable]}]")
	def, err := definition.Parse([]byte("name: x\nnodes: [{name: a, kind: think, flags: [retryable], max_retries: 5}]"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := definition.Compile(def)
	if err != nil || spec.Stages[0].MaxRetries != 5 || !spec.Stages[0].Flags.Has(graph.Retryable) {
		t.Errorf("the stage is %+v (%v)", spec.Stages[0], err)
	}
}

const growing = `
name: x
mutable: true
may_add: [transform]
limits: {max_mutations: 4}
nodes:
  - {name: a, kind: think, default_next: b}
  - {name: b, kind: transform, template: "{{.a_output}} {{.extra_output}}", default_next: end}
`

func thought(mutations, route string) string {
	return `{"thought":"hm","route":"` + route + `","mutations":[` + mutations + `]}`
}

func TestReasoner_R88_TheModelGrowsTheGraphWithinItsRules(t *testing.T) {
	d := newDesk(t)
	a := d.def(growing)
	add := func(name, kind string) string {
		return `{"op":"add_stage","reason":"more is needed","stage":{"name":"` + name + `","kind":"` + kind + `","template":"from ` + name + `"}}`
	}
	// The new node is added with its ways, and the thought leads there.
	d.main.say = always(thought(add("extra", "transform"), "extra"))
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "the reply", out.Run.Output, `{"route":"extra","thought":"hm"} from extra`)
	sameList(t, "the path", d.path(out), []string{"a>extra(route)", "extra>b(static)", "b>end(static)"})
	if e := d.of(out, journal.GraphMutated); len(e) != 3 || e[0].Reason != "more is needed" || e[0].Stage != "a" || out.Run.Used.Mutations != 3 {
		t.Errorf("the journal says %+v of %d changes", e, out.Run.Used.Mutations)
	}
	if !strings.Contains(string(d.main.requests()[0].Format), `"enum":["transform"]`) {
		t.Errorf("the model is offered %s", d.main.requests()[0].Format)
	}
	g, err := a.Graph.Grown(out.Run.Mutations)
	if err != nil {
		t.Fatal(err)
	}
	added := false
	for _, s := range g.Manifest().Stages {
		added = added || s.ID == "extra" && s.Added && s.Kind == "transform"
	}
	if !added {
		t.Errorf("the run's own graph does not show the node: %+v", g.Manifest().Stages)
	}
	// R5: the next run begins on the graph as it was written.
	d.main.say = always(thought("", ""))
	out = d.status(d.run(a, "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "hm ")
	if g.Fingerprint() == a.Graph.Fingerprint() || out.Run.Fingerprint != a.Graph.Fingerprint() {
		t.Error("one run's change reached another")
	}

	for name, c := range map[string]struct{ mutations, why string }{
		"a name that is taken":      {add("b", "transform"), "has the name b, too"},
		"a node that is none":       {`{"op":"add_stage","reason":"","stage":{"name":"../x","kind":"transform","template":"x"}}`, "is not a name"},
		"a template that runs away": {`{"op":"add_stage","reason":"","stage":{"name":"y","kind":"transform","template":"{{range 9}}{{end}}"}}`, "a range goes over"},
		"a way to nowhere":          {`{"op":"add_edge","edge":{"from":"a","to":"nobody"}}`, "nobody"},
		"an edge that is not there": {`{"op":"remove_edge","edge":{"from":"b","to":"a"}}`, "no edge"},
		"an edge without an edge":   {`{"op":"add_edge"}`, "needs an edge"},
		"what leaves no way out":    {`{"op":"remove_edge","edge":{"from":"a","to":"b"}}`, ""},
		"more than max_mutations":   {add("c", "transform") + "," + add("d", "transform"), "4 times"},
	} {
		d.main.say = always(thought(c.mutations, ""))
		out = d.run(a, "go")
		refused := d.of(out, journal.MutationRefused)
		if len(refused) == 0 || out.Run.Used.Mutations != 0 || !strings.Contains(refused[0].Error, c.why) {
			t.Errorf("%s: %d changes made, refused %+v", name, out.Run.Used.Mutations, refused)
		}
		d.status(out, run.Completed)
	}
	// What is no change at all does not even fit the form of the answer.
	for _, nonsense := range []string{`{"op":"drop_table"}`, `7`, add("extra", "think")} {
		d.main.say = always(thought(nonsense, ""))
		if out = d.status(d.run(a, "go"), run.Completed); out.Run.Used.Mutations != 0 || out.Run.Errors["a"] == "" {
			t.Errorf("%s is taken: %+v", nonsense, out.Run.Errors)
		}
	}
	// The list holds where no form does.
	spec, err := definition.Compile(a.Definition)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Grow(json.RawMessage(`{"name":"extra","kind":"think"}`)); err == nil || !strings.Contains(err.Error(), "may not be added") {
		t.Errorf("a kind that is not listed gives %v", err)
	}
	// A graph that is not mutable does not ask and does not listen.
	def := a.Definition
	def.Mutable, def.MayAdd = false, nil
	def.Nodes = append(definition.Nodes(nil), def.Nodes...)
	def.Nodes[1].Template = "{{.a_output}}" // nobody can add extra now
	d.main.say = always(thought(add("extra", "transform"), ""))
	out = d.status(d.run(d.agent(def), "go"), run.Completed)
	if out.Run.Used.Mutations != 0 || len(d.of(out, journal.GraphMutated)) > 0 {
		t.Error("a graph that is not mutable was changed")
	}
}

// TestReasoner_R88_ToolsOfAddedNodesNeedApproval: a model cannot add its way around the gate.
func TestReasoner_R88_ToolsOfAddedNodesNeedApproval(t *testing.T) {
	d := newDesk(t)
	sent := 0
	set, err := tool.NewSet(tool.Tool{Name: "send", Description: "sends", Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		Outside: func(context.Context, tool.Env, json.RawMessage, string) (json.RawMessage, error) {
			sent++
			return json.RawMessage(`{}`), nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	a := d.def(strings.Replace(growing, "[transform]", "[tool]", 1))
	d.main.say = always(thought(`{"op":"add_stage","reason":"x","stage":{"name":"extra","kind":"tool","tool":"send"}}`, "extra"))
	out := d.status(d.run(a, "go"), run.Paused)
	if sent != 0 || len(out.Pauses) != 1 || out.Pauses[0].Kind != "approval" {
		t.Errorf("sent %d times; it waits for %+v", sent, out.Pauses)
	}
}

func TestReasoner_Nodes_RetryTellsWhatWasNotGoodEnough(t *testing.T) {
	d := newDesk(t)
	tries := 0
	d.main.say = func(string, model.Request) model.Message {
		if tries++; tries < 3 {
			return text("bad")
		}
		return text("ok now")
	}
	a := d.def(`
name: x
nodes:
  - name: tries
    kind: retry
    times: 4
    until: {key: work_output, contains: ok}
    default_next: end
    nodes: [{name: work, kind: prompt, instructions: Try.}]
`)
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "ok now")
	same(t, "tries", tries, 3)
	if last := all(d.main.requests()[2]); !strings.Contains(last, "Attempt 2 was not good enough; wanted: work_output contains ok") {
		t.Errorf("the third attempt is not told:\n%s", last)
	}
}

func TestReasoner_Nodes_PresetsKeepWhatTheySay(t *testing.T) {
	d := newDesk(t)
	d.main.say = func(title string, _ model.Request) model.Message {
		switch title {
		case "plan":
			return text(`{"steps":["first thing","second thing"]}`)
		case "reflection":
			return text(`{"assessment":"looks thin","again":false}`)
		case "critique":
			return text(`{"verdict":"revise","problems":["a hole"]}`)
		}
		return text("I saw it.")
	}
	a := d.def(`
name: x
nodes:
  - {name: p, kind: plan, default_next: o}
  - {name: o, kind: observe, default_next: r}
  - {name: r, kind: reflect, default_next: c}
  - {name: c, kind: critique, inputs: [p_output], default_next: j}
  - {name: j, kind: justify, default_next: s}
  - {name: s, kind: synthesize, default_next: t}
  - {name: t, kind: think, default_next: a}
  - {name: a, kind: answer, inputs: [c_output], default_next: end}
`)
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "the critique", value(out, "c_output"), `{"verdict":"revise","problems":["a hole"]}`)
	asked := d.main.requests()
	last := all(asked[len(asked)-1])
	for _, want := range []string{"first thing", "second thing", "I saw it.", "looks thin", "a hole"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last prompt lacks %q:\n%s", want, last)
		}
	}
}

func TestReasoner_R06_ANodeHasTheToolsThatItNames(t *testing.T) {
	d := newDesk(t)
	d.status(d.run(d.def("name: x\nnodes: [{name: a, kind: act, tools: [calculator], default_next: b}, {name: b, kind: think, default_next: c}, {name: c, kind: act, default_next: end}]"), "go"), run.Completed)
	asked := d.main.requests()
	if len(asked[0].Tools) != 1 || asked[0].Tools[0].Name != "calculator" || len(asked[1].Tools) != 0 || len(asked[2].Tools) != 1 {
		t.Errorf("the nodes were offered %v, %v and %v", asked[0].Tools, asked[1].Tools, asked[2].Tools)
	}
	out := d.status(d.run(d.def("name: x\nnodes: [{name: a, kind: act, tools: [teleport], default_next: end}]"), "go"), run.Failed)
	if !strings.Contains(out.Err.Error(), "teleport") {
		t.Errorf("an unknown tool gives %v", out.Err)
	}
	// Others that are there are neither offered nor carried out.
	set, err := tool.NewSet(calculator.New(), echo())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	asked = nil
	d.main.say = func(_ string, r model.Request) model.Message {
		if asked = append(asked, r); len(asked) == 1 {
			return model.Message{Calls: []model.Call{{Tool: "echo", Arguments: json.RawMessage(`{"value":"hello"}`)}}}
		}
		return text("Done.")
	}
	out = d.status(d.run(d.def("name: x\nnodes: [{name: a, kind: act, tools: [calculator], default_next: end}]"), "go"), run.Completed)
	if len(asked[0].Tools) != 1 || len(d.of(out, journal.ToolCompleted)) != 0 || len(d.of(out, journal.ToolRefused)) != 1 {
		t.Errorf("a tool that the node does not name: offered %v, carried out %d times", asked[0].Tools, len(d.of(out, journal.ToolCompleted)))
	}
}

func TestReasoner_R07_TheRunBeginsWithTheConversation(t *testing.T) {
	d := newDesk(t)
	d.status(d.runAfter(d.pattern("react"), "and now?", model.Message{Role: "user", Text: "hello"}, model.Message{Role: "assistant", Text: "good day"}), run.Completed)
	r := d.main.requests()[0]
	if len(r.Messages) != 4 || r.Messages[1].Text != "hello" || r.Messages[2].Role != "assistant" || r.Messages[2].Text != "good day" || r.Messages[3].Text != "and now?" {
		t.Errorf("the model hears\n%s", all(r))
	}
	// R50 through a file: without the history the earlier words are gone.
	d.status(d.runAfter(d.def("name: x\nnodes: [{name: a, kind: prompt, instructions: Go., flags: [no_history]}]"), "and now?", model.Message{Role: "user", Text: "hello"}, model.Message{Role: "assistant", Text: "good day"}), run.Completed)
	if r = d.main.requests()[1]; strings.Contains(all(r), "good day") {
		t.Errorf("the model hears\n%s", all(r))
	}
}

func TestReasoner_R52_TheLightModelIsAskedWhereTheFlagSaysSo(t *testing.T) {
	d := newDesk(t)
	d.status(d.run(d.def("name: x\nnodes: [{name: a, kind: think, flags: [lightweight], default_next: b}, {name: b, kind: think}]"), "go"), run.Completed)
	same(t, "questions to the light model", len(d.light.requests()), 1)
	same(t, "questions to the main model", len(d.main.requests()), 1)
}

func TestReasoner_R38_GuardsOfAFileActOnAnswers(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: a
    kind: prompt
    instructions: Go.
    default_next: end
    guards:
      - {name: phone, matches: '\d{5,}', action: transform, replace: "[number]"}
      - {name: polite, lacks: "(?i)please", action: retry, reason: say please}
      - {name: secret, contains: secret}
      - {name: kind, ask: "Is it kind?"}
`)
	d.light.say = always(`{"verdict":"pass","reason":""}`)
	n := 0
	d.main.say = func(string, model.Request) model.Message {
		if n++; n == 1 {
			return text("Call 5551234.")
		}
		return text("Please call 5551234.")
	}
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "Please call [number].")
	same(t, "tokens, the guards' included", out.Run.Used.Tokens, 15*(len(d.main.requests())+len(d.light.requests())))
	if last := all(d.main.requests()[1]); !strings.Contains(last, "say please") {
		t.Errorf("the model is not told why:\n%s", last)
	}
	d.main.say = always("Please keep the secret.")
	if out = d.status(d.run(a, "go"), run.Failed); !strings.Contains(out.Err.Error(), "secret") {
		t.Errorf("the block says %v", out.Err)
	}
	d.main.say, d.light.say = always("Please go."), always(`{"verdict":"fail","reason":"it is cold"}`)
	if out = d.status(d.run(a, "go"), run.Failed); !strings.Contains(out.Err.Error(), "it is cold") {
		t.Errorf("the block says %v", out.Err)
	}
	// What could not be checked does not pass.
	d.light.say = always("maybe")
	d.status(d.run(a, "go"), run.Failed)
}

func TestReasoner_R47_CacheableKeepsAnOutputByItsInputs(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: rounds
    kind: loop
    times: 3
    default_next: end
    nodes: [{name: work, kind: prompt, instructions: Go., inputs: [input], output: made, flags: [cacheable]}]
`)
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "questions", len(d.main.requests()), 1)
	if r := run.Report(out, d.of(out)); r.Cached["rounds/work"] != 2 || r.Ran["rounds/work"] != 1 {
		t.Errorf("the report counts %v from the cache, %v run", r.Cached, r.Ran)
	}
	same(t, "the reply", out.Run.Output, "Noted.")
}

func TestReasoner_R87_RunsOfOneGraphDoNotMix(t *testing.T) {
	d := newDesk(t)
	a := d.def(strings.Replace(circle, "template: b,", `template: "{{.input}}",`, 1))
	done := make(chan run.Outcome)
	const runs = 8
	for i := range runs {
		go func() {
			input := "stop"
			if i%2 == 1 {
				input = "go"
			}
			out, err := d.x.Start(context.Background(), a.Graph, admit(run.StartRequest{ID: graph.RunID("turn:r" + string(rune('a'+i))), Session: "s1", Turn: "r" + string(rune('a'+i)), Input: input, Dependencies: d.live}))
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
	}
	for range runs {
		out := <-done
		want := run.Completed
		if out.Run.Input == "go" {
			want = run.Limited
		}
		if out.Run.Status != want || value(out, "b_output") != `"`+out.Run.Input+`"` {
			t.Errorf("the run of %q is %s and holds %s", out.Run.Input, out.Run.Status, value(out, "b_output"))
		}
	}
}

// TestReasoner_Docs_HoldGraphsThatWork parses every graph that the documents show.
func TestReasoner_Docs_HoldGraphsThatWork(t *testing.T) {
	found := 0
	for _, topic := range definition.Topics() {
		rest := definition.Doc(topic)
		for {
			_, after, ok := strings.Cut(rest, "```yaml\n")
			if !ok {
				break
			}
			file, tail, _ := strings.Cut(after, "```")
			if _, err := definition.Parse([]byte(file)); err != nil {
				t.Errorf("%s: %v", topic, err)
			}
			found, rest = found+1, tail
		}
	}
	if found == 0 {
		t.Error("no document shows a graph")
	}
}
