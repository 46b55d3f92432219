package definition_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
)

func TestReasoner_Nodes_TransformWorksOutValuesWithoutAModel(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: made, kind: transform, output: made, default_next: text, set: {who: "{{.input}}", list: [1, 2, 3], same: "{{.vars}}"}}
  - {name: text, kind: transform, default_next: n, template: "{{upper .made.who}}: {{range .made.list}}<{{.}}>{{end}}{{if .n_output}}!{{end}}{{.made.nobody}} {{.made.list}}"}
  - {name: n, kind: transform, default_next: one, count: made.list}
  - {name: one, kind: transform, default_next: end, pick: made.list.1}
`)
	out := d.status(d.run(a, "hello"), run.Completed)
	same(t, "set", value(out, "made"), `{"list":[1,2,3],"same":{"tone":"plain"},"who":"hello"}`)
	same(t, "template", value(out, "text_output"), `"HELLO: \u003c1\u003e\u003c2\u003e\u003c3\u003e [1,2,3]"`)
	same(t, "count", value(out, "n_output"), "3")
	same(t, "pick", value(out, "one_output"), "2")
	same(t, "the reply", out.Run.Output, "2")
	if n := len(d.main.requests()) + len(d.light.requests()); n > 0 {
		t.Errorf("%d models were asked", n)
	}
}

func TestReasoner_Nodes_TransformIsBounded(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: big, kind: transform, default_next: end, template: "{{.input}}{{.input}}{{.input}}"}
`)
	out := d.status(d.run(a, strings.Repeat("x", 30_000)), run.Failed)
	if out.Err == nil || !strings.Contains(out.Err.Error(), "longer than 65536 bytes") {
		t.Errorf("the error is %v", out.Err)
	}
}

const routed = `
name: x
nodes:
  - name: sort
    kind: router
    instructions: Sort it.
    default_next: c
    choices:
      - {to: a, when: {key: input, contains: Alpha}}
      - {to: b, about: it is about numbers}
      - {to: c, about: it is about words}
  - {name: a, kind: transform, template: to a, default_next: end}
  - {name: b, kind: transform, template: to b, default_next: end}
  - {name: c, kind: transform, template: to c, default_next: end}
`

func TestReasoner_Nodes_RouterGoesByRuleThenByTheModel(t *testing.T) {
	d := newDesk(t)
	a := d.def(routed)
	out := d.status(d.run(a, "an ALPHA case"), run.Completed)
	same(t, "the reply", out.Run.Output, "to a")
	same(t, "questions to a model", len(d.light.requests()), 0)
	if e := d.of(out, journal.Transition)[0]; e.Resolver != "goto" || e.Reason != "input contains Alpha" {
		t.Errorf("the edge says %q because of %q", e.Resolver, e.Reason)
	}

	d.light.say = always("I think {\"next_node\": \"b\",\n \"reason\": \"there are {digits} in it\"} is best")
	out = d.status(d.run(a, "123"), run.Completed)
	same(t, "the reply", out.Run.Output, "to b")
	if e := d.of(out, journal.Transition)[0]; e.Resolver != "goto" || e.Reason != "there are {digits} in it" {
		t.Errorf("the edge says %q because of %q", e.Resolver, e.Reason)
	}
	asked := d.light.requests()[0]
	if titleOf(asked) != "route" || !strings.Contains(string(asked.Format), `"enum":["b","c"]`) || !strings.Contains(all(asked), "b: it is about numbers") {
		t.Errorf("the model was asked %s under %s", all(asked), asked.Format)
	}

	for _, nonsense := range []string{"", "b", `{"next_node":"a","reason":"only a rule leads there"}`, `{"next_node":["b"]}`, "{{{{"} {
		d.light.say = always(nonsense)
		out = d.status(d.run(a, "123"), run.Completed)
		same(t, "the reply after "+nonsense, out.Run.Output, "to c")
		if len(d.of(out, journal.Warned)) != 1 {
			t.Errorf("nobody was warned of the answer %q", nonsense)
		}
	}
}

func TestReasoner_R13_ReportSumsUpARun(t *testing.T) {
	d := newDesk(t)
	d.light.say = always(`{"next_node":"b","reason":"numbers"}`)
	out := d.status(d.run(d.def(routed), "123"), run.Completed)
	// A turn of the same session beside it is not counted.
	d.run(d.def(routed), "alpha")
	all, err := d.db.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := run.Report(out, all)
	if r.Status != run.Completed || r.Steps != 2 || r.ModelCalls != 1 || r.PromptTokens != 10 || r.OutputTokens != 5 || r.Used.Tokens != 15 ||
		r.Ran["sort"] != 1 || r.Ran["b"] != 1 || len(r.Ran) != 2 || len(r.Path) != 2 || r.Path[0].To != "b" || r.Path[0].Reason != "numbers" || r.Error != "" {
		t.Errorf("the report is %+v", r)
	}
	d.light.fail = func(string, model.Request) error { return model.ErrUnreachable }
	out = d.run(d.def(strings.Replace(routed, "    kind: router", "    kind: router\n    flags: [critical]", 1)), "5")
	all, err = d.db.Journal("s1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r = run.Report(out, all)
	if r.Status != run.Failed || r.ErrorStage != "sort" || !strings.Contains(r.Error, "unreachable") || r.Failed["sort"] != 1 {
		t.Errorf("the report of a failed run is %+v", r)
	}
}

func TestReasoner_Nodes_GuardBlocksTransformsAndSendsBack(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: draft, kind: transform, output: draft, default_next: check, on_error: sorry, template: "{{.input}}"}
  - name: check
    kind: guard
    inputs: [draft]
    retry_at: draft
    default_next: end
    on_error: sorry
    guards:
      - {name: secret, contains: "top secret", action: block}
      - {name: digits, matches: '\d+', action: transform, replace: "#"}
      - {name: shout, matches: '^[A-Z ]+$', action: retry, reason: do not shout}
      - {name: long, max_length: 20, action: transform}
  - {name: sorry, kind: transform, template: blocked, default_next: end}
limits: {max_iterations: 80}
`)
	same(t, "what passes", d.status(d.run(a, "quiet words"), run.Completed).Run.Output, "quiet words")
	same(t, "what is changed", d.status(d.run(a, "room 12 and 13"), run.Completed).Run.Output, "room # and #")
	same(t, "what is cut", d.status(d.run(a, strings.Repeat("ab ", 20)), run.Completed).Run.Output, "ab ab ab ab ab ab ab")
	out := d.status(d.run(a, "a Top Secret"), run.Completed)
	same(t, "what is blocked", out.Run.Output, "blocked")
	acted := d.of(out, journal.GuardActed)
	if len(acted) != 1 || acted[0].Status != "block" || !strings.Contains(string(acted[0].Data), "secret") {
		t.Errorf("the journal says %+v of the guard", acted)
	}
	// Sent back for ever: the limit of one node ends it along its error edge.
	out = d.status(d.run(a, "LOUD"), run.Completed)
	same(t, "what is sent back too often", out.Run.Output, "blocked")
}

func TestReasoner_Nodes_LoopEndsByRuleOrRounds(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: rounds
    kind: loop
    times: 4
    until: {key: text, matches: "^xxx"}
    output: result
    default_next: after
    nodes:
      - {name: grow, kind: transform, output: text, template: "x{{.text}}"}
  - {name: after, kind: transform, template: "got {{.result}}", default_next: end}
`)
	out := d.status(d.run(a, "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "got xxx")
	same(t, "warnings", len(d.of(out, journal.Warned)), 0)
	sameList(t, "the path", d.path(out), []string{"rounds/grow>rounds/rounds_check(static)", "rounds/rounds_check>rounds/grow(goto)", "rounds/grow>rounds/rounds_check(static)",
		"rounds/rounds_check>rounds/grow(goto)", "rounds/grow>rounds/rounds_check(static)", "rounds/rounds_check>rounds/end(static)", "rounds>after(static)", "after>end(static)"})

	never := a.Definition
	never.Nodes[0].Until.Matches = "^y"
	out = d.status(d.run(d.agent(never), "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "got xxxx")
	same(t, "warnings", len(d.of(out, journal.Warned)), 1)
}

func TestReasoner_Nodes_HumanWaitsAndNeverAnswersItself(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: ask
    kind: human
    question: "Keep {{.input}}?"
    answers: [keep, drop]
    transitions: {keep: kept}
    default_next: dropped
  - {name: kept, kind: transform, template: "kept: {{.ask_output}}", default_next: end}
  - {name: dropped, kind: transform, template: dropped, default_next: end}
`)
	out := d.status(d.run(a, "this"), run.Paused)
	if len(out.Pauses) != 1 || out.Pauses[0].Kind != "question" {
		t.Fatalf("pauses are %+v", out.Pauses)
	}
	var data struct {
		Prompt  string
		Choices []string
	}
	if err := json.Unmarshal(out.Pauses[0].Data, &data); err != nil || data.Prompt != "Keep this?" || len(data.Choices) != 2 {
		t.Errorf("the person is asked %s", out.Pauses[0].Data)
	}
	// Nobody answers: it goes on waiting, in a new process as well.
	d.cold()
	out = d.status(d.resume(a, out, run.Resumption{}), run.Paused)
	id := out.Pauses[0].ID
	if _, err := d.x.Resume(t.Context(), a.Graph, out.Run.ID, run.Resumption{Answers: map[string]json.RawMessage{id: json.RawMessage(`""`)}, Dependencies: d.live}); !errors.Is(err, run.ErrEmptyAnswer) {
		t.Errorf("an empty answer gives %v", err)
	}
	// What is no choice is asked again rather than taken for one.
	out = d.status(d.resume(a, out, run.Resumption{Answers: map[string]json.RawMessage{id: json.RawMessage(`{"answer":"maybe"}`)}}), run.Paused)
	if len(out.Pauses) != 1 || out.Pauses[0].ID == id {
		t.Fatalf("it waits for %+v", out.Pauses)
	}
	out = d.status(d.resume(a, out, run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"answer":"Keep"}`)}}), run.Completed)
	same(t, "the reply", out.Run.Output, "kept: keep")
	if p := d.path(out); p[0] != "ask>kept(match)" {
		t.Errorf("the path is %v", p)
	}
}

func TestReasoner_Nodes_ParallelRunsInOneStepAndGathers(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: both
    kind: parallel
    output: both
    default_next: end
    nodes:
      - {name: one, kind: transform, template: "1 {{.input}}"}
      - {name: two, kind: transform, pick: vars.missing}
      - {name: three, kind: loop, times: 2, nodes: [{name: inner, kind: transform, template: "3"}]}
`)
	out := d.status(d.run(a, "x"), run.Completed)
	same(t, "the outputs", value(out, "both"), `{"one":"1 x","three":"3"}`)
	if !strings.Contains(out.Run.Errors["both/two"], "no value at vars.missing") {
		t.Errorf("the failed branch is told as %v", out.Run.Errors)
	}
}

func TestReasoner_Nodes_SubgraphHandsOnWhatItsLastNodeSaid(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: sub
    kind: subgraph
    output: made
    default_next: after
    entry: second
    edges: [{from: second, to: third, when: {key: input, equals: long}}]
    nodes:
      - {name: third, kind: transform, template: third, default_next: end}
      - {name: second, kind: transform, template: second, default_next: end}
  - {name: after, kind: transform, template: "{{.made}} {{.sub_output}}", default_next: end}
`)
	same(t, "the reply", d.status(d.run(a, "short"), run.Completed).Run.Output, "second second")
	same(t, "the reply", d.status(d.run(a, "long"), run.Completed).Run.Output, "third third")
}

func TestReasoner_Nodes_SubgraphRunsAPattern(t *testing.T) {
	d := newDesk(t)
	d.main.say = always("The pattern's answer.")
	out := d.status(d.run(d.def(`
name: x
instructions: House rules.
nodes:
  - {name: sub, kind: subgraph, use: react, output: made, default_next: after}
  - {name: after, kind: transform, template: "{{.made}}", default_next: end}
`), "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "The pattern's answer.")
	if p := all(d.main.requests()[0]); !strings.Contains(p, "House rules.\nYou are a careful assistant.") {
		t.Errorf("the pattern is asked\n%s", p)
	}
}

// TestReasoner_Nodes_BranchesByEdgesJoin fans out and in without the kind parallel.
func TestReasoner_Nodes_BranchesByEdgesJoin(t *testing.T) {
	d := newDesk(t)
	out := d.status(d.run(d.def(`
name: x
nodes:
  - {name: a, kind: transform, template: a}
  - {name: b, kind: transform, template: b}
  - {name: c, kind: transform, template: c}
  - {name: e, kind: transform, template: "{{.b_output}}{{.c_output}}", default_next: end}
edges:
  - {from: a, to: b, type: parallel_branch}
  - {from: a, to: c, type: parallel_branch}
  - {from: b, to: e, type: join_input}
  - {from: c, to: e, type: join_input}
`), "go"), run.Completed)
	same(t, "the reply", out.Run.Output, "bc")
	same(t, "steps", out.Run.Step, 3)
}

func TestReasoner_Nodes_ToolCallsGoThroughTheGate(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: sum, kind: tool, tool: calculator, arguments: {expression: "{{.input}}"}, output: sum, default_next: say}
  - {name: say, kind: transform, template: "{{.sum.result}}{{.sum.status}}", default_next: end}
`)
	out := d.status(d.run(a, "6*7"), run.Completed)
	same(t, "the reply", out.Run.Output, "42")
	if done := d.of(out, journal.ToolCompleted); len(done) != 1 || done[0].Tool != "calculator" || done[0].Call == "" {
		t.Errorf("the journal says %+v", done)
	}
	// A call that is refused fails its node.
	out = d.status(d.run(a, "six"), run.Completed)
	if why := out.Run.Errors["sum"]; value(out, "sum") != "" || !strings.Contains(why, "calculator was not done") {
		t.Errorf("after nonsense the output is %s, the error %q", value(out, "sum"), why)
	}
}

// TestFlags_stateful: without the flag a node in a loop would not know what it said before.
func TestFlags_stateful_shows_a_node_what_it_put_out_last(t *testing.T) {
	for _, flags := range []string{"", "stateful"} {
		d := newDesk(t)
		d.main.say = always("the first idea")
		d.status(d.run(d.def("name: x\nnodes: [{name: rounds, kind: loop, times: 2, default_next: end, nodes: [{name: a, kind: think, flags: ["+flags+"]}, {name: b, kind: transform, template: on}], edges: [{from: a, to: b}]}]"), "go"), run.Completed)
		asked := d.main.requests()
		if len(asked) != 2 || strings.Contains(all(asked[1]), "the first idea") != (flags != "") || strings.Contains(all(asked[0]), "the first idea") {
			t.Errorf("with flags [%s] it is asked\n%s", flags, all(asked[len(asked)-1]))
		}
	}
}

func TestReasoner_Nodes_ValidateGivesAVerdictThatRulesCanUse(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - name: check
    kind: validate
    inputs: [input]
    output: verdict
    default_next: bad
    guards:
      - {name: shape, json_schema: {type: object, required: [id]}}
      - {name: model, ask: "Is it polite?"}
  - {name: good, kind: transform, template: good, default_next: end}
  - {name: bad, kind: transform, template: "bad: {{join \"; \" .verdict.problems}}", default_next: end}
edges: [{from: check, to: good, when: {key: verdict.verdict, equals: valid}}]
`)
	d.light.say = always(`{"verdict":"pass","reason":"yes"}`)
	same(t, "the reply", d.status(d.run(a, `{"id":1}`), run.Completed).Run.Output, "good")
	d.light.say = always(`{"verdict":"fail","reason":"it is rude"}`)
	out := d.status(d.run(a, `{}`), run.Completed)
	if !strings.HasPrefix(out.Run.Output, "bad: does not fit the schema") || !strings.HasSuffix(out.Run.Output, "; it is rude") {
		t.Errorf("the reply is %s", out.Run.Output)
	}
}

func TestReasoner_Nodes_FanOutRetriesOnlyWhatFailed(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
nodes:
  - {name: list, kind: transform, set: {items: [one, two, three]}, default_next: each}
  - {name: each, kind: fan_out, over: list_output.items, at_once: 2, instructions: Say it., flags: [retryable, critical], max_retries: 1, default_next: end}
`)
	failed := false
	count := map[string]int{}
	d.main.fail = func(_ string, r model.Request) error {
		for _, item := range []string{"one", "two", "three"} {
			if strings.Contains(all(r), "<item>\n"+item) {
				count[item]++
				if item == "two" && !failed {
					failed = true
					return model.ErrStalled
				}
			}
		}
		return nil
	}
	d.main.say = func(_ string, r model.Request) model.Message {
		_, after, _ := strings.Cut(all(r), "<item>\n")
		item, _, _ := strings.Cut(after, "\n")
		return text("said " + item)
	}
	out := d.status(d.run(a, "x"), run.Completed)
	same(t, "the list", value(out, "each_output"), `["said one","said two","said three"]`)
	if count["one"] != 1 || count["two"] != 2 || count["three"] != 1 {
		t.Errorf("the items were asked %v times", count)
	}
	same(t, "items in the journal", len(d.of(out, journal.StageOutput)), 3)
	same(t, "retries", len(d.of(out, journal.StageRetried)), 1)
	// A tool for each item goes through the gate as well.
	b := d.def(`
name: x
nodes:
  - {name: list, kind: transform, set: {items: ["1+1", "2+2"]}, default_next: each}
  - {name: each, kind: fan_out, over: list_output.items, tool: calculator, arguments: {expression: "{{.item}}"}, default_next: say}
  - {name: say, kind: transform, template: "{{range .each_output}}{{.result}} {{end}}", default_next: end}
`)
	same(t, "the sums", d.status(d.run(b, "x"), run.Completed).Run.Output, "2 4 ")
}

func TestReasoner_R82_AListStopsAtTheTokenLimitAndGoesOnWithMore(t *testing.T) {
	d := newDesk(t)
	a := d.def(`
name: x
limits: {max_tokens: 40}
nodes:
  - {name: list, kind: transform, set: {items: [1, 2, 3, 4, 5]}, default_next: each}
  - {name: each, kind: fan_out, over: list_output.items, at_once: 1, instructions: Say it., default_next: end}
`)
	out := d.status(d.run(a, "x"), run.Limited)
	if out.Run.Limit != "tokens" || len(d.main.requests()) != 3 || out.Run.Used.Tokens != 45 {
		t.Errorf("it ended at %s after %d questions and %d tokens", out.Run.Limit, len(d.main.requests()), out.Run.Used.Tokens)
	}
	d.cold()
	out = d.status(d.resume(a, out, run.Resumption{More: graph.Limits{Tokens: 100}}), run.Completed)
	same(t, "questions in all", len(d.main.requests()), 5)
	same(t, "the list", value(out, "each_output"), `["Noted.","Noted.","Noted.","Noted.","Noted."]`)
	same(t, "what is kept beside it", value(out, "each_items"), "")
}

func TestReasoner_Nodes_EachKindHasAParagraph(t *testing.T) {
	for _, kind := range definition.KindNames() {
		if doc := definition.KindDoc(kind); len(doc) < 60 || strings.Contains(doc, "\n\n") {
			t.Errorf("the paragraph on %s is %q", kind, doc)
		}
	}
	for _, p := range definition.Patterns() {
		if len(p.Doc) < 60 || strings.Contains(p.Doc, "\n\n") {
			t.Errorf("the paragraph on the pattern %s is %q", p.ID, p.Doc)
		}
	}
	for _, flag := range graph.FlagNames() {
		if !strings.Contains(definition.Doc("flags"), "**"+flag+"**") {
			t.Errorf("nothing is said about the flag %s", flag)
		}
	}
	for _, topic := range definition.Topics() {
		if len(definition.Doc(topic)) < 500 {
			t.Errorf("the document %s is missing", topic)
		}
	}
}

// "I approved three notes, and the report says that no tool was called."
func TestReasoner_R13_TheReportCountsCallsThatWereApproved(t *testing.T) {
	d := newDesk(t)
	set, err := tool.NewSet(echo(), post())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	a := d.def(`
name: x
nodes:
  - {name: look, kind: tool, tool: echo, arguments: {value: 1}, default_next: one}
  - {name: one, kind: tool, tool: post, arguments: {text: one}, default_next: two}
  - {name: two, kind: tool, tool: post, arguments: {text: two}, on_error: sorry, default_next: end}
  - {name: sorry, kind: transform, template: sorry, default_next: end}
`)
	out := d.run(a, "go")
	for _, said := range []string{"approve", "reject"} {
		d.status(out, run.Paused)
		answers := map[string]json.RawMessage{}
		for _, p := range out.Pauses {
			answers[p.ID] = d.verdict(p.Kind, p.ID, said)
		}
		out = d.resume(a, out, run.Resumption{Answers: answers})
	}
	d.status(out, run.Completed)
	if r := run.Report(out, d.of(out)); r.ToolCalls != 3 {
		t.Errorf("one was looked up, one done and one rejected; the report counts %d calls", r.ToolCalls)
	}
}

// "My graph answered a French message in English." Every question that a person may read the
// answer of says in which language; an author's own wish comes before that.
func TestReasoner_WritesInThePersonsLanguage(t *testing.T) {
	const yaml = `name: t
nodes:
  - {name: way, kind: router, choices: [{to: work, about: more to do}, {to: answer, about: done}], default_next: work}
  - {name: work, kind: prompt, instructions: Work., guards: [{name: kind, ask: "Is it kind?", action: retry}], default_next: made}
  - {name: made, kind: transform, output: made, set: {list: [1, 2]}, default_next: parts}
  - {name: parts, kind: fan_out, over: made.list, instructions: Work., default_next: answer}
  - {name: answer, kind: answer, default_next: end}
`
	for input, french := range map[string]bool{"Qu'est-ce qui aide à dormir ?": true, "What helps people to sleep?": false} {
		d := newDesk(t)
		answer := func(title string, r model.Request) model.Message {
			switch title {
			case "route":
				return text(`{"next_node":"work","reason":"so"}`)
			case "verdict":
				return text(`{"verdict":"pass","reason":"so"}`)
			}
			return text("Bien.")
		}
		d.main.say, d.light.say = answer, answer
		out := d.run(d.def(yaml), input)
		d.status(out, run.Completed)
		asked := append(d.main.requests(), d.light.requests()...)
		if len(asked) < 5 {
			t.Errorf("%d questions were asked", len(asked))
		}
		for _, r := range asked {
			if strings.Contains(r.Messages[0].Text, "Unless another language is asked for, write in French") != french {
				t.Errorf("%s is asked with %s", input, all(r))
			}
		}
	}
}
