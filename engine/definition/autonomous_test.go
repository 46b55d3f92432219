package definition_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// pool is an autonomous graph whose pool needs no model of its own.
const pool = `
name: x
nodes:
  - name: work
    kind: autonomous
    max_steps: 5
    instructions: Be quick.
    output: result
    default_next: after
    pool:
      - {name: look, kind: transform, description: look at it, template: "looked at {{.input}}"}
      - {name: fail, kind: transform, description: fails, pick: vars.nothing}
      - {name: finish, kind: transform, description: say it, flags: [terminal], template: "finished {{.look_output}}"}
  - {name: after, kind: transform, template: "{{.result}}", default_next: end}
`

// choosing answers the choices with these in turn, then with __done__.
func choosing(choices ...string) func(string, model.Request) model.Message {
	n := 0
	return func(string, model.Request) model.Message {
		n++
		if n > len(choices) {
			return text(`{"next_node":"__done__","reason":"enough"}`)
		}
		if c := choices[n-1]; strings.HasPrefix(c, "!") {
			return text(c[1:])
		}
		return text(fmt.Sprintf(`{"next_node":%q,"reason":"because %d"}`, choices[n-1], n))
	}
}

func TestReasoner_R21_CatalogueIsSentAtEachStep(t *testing.T) {
	d := newDesk(t)
	d.main.say = choosing("look", "finish")
	d.status(d.run(d.def(pool), "this"), run.Completed)
	asked := d.main.requests()
	same(t, "questions", len(asked), 2)
	for i, r := range asked {
		for _, want := range []string{"look: look at it\n", "fail: fails\n", "finish: say it (terminal: ends the work)\n", "__done__: ", "Be quick.", "<message>\nthis\n"} {
			if !strings.Contains(all(r), want) {
				t.Errorf("question %d lacks %q:\n%s", i+1, want, all(r))
			}
		}
		if want := `"enum":["look","fail","finish","__done__"]`; !strings.Contains(string(r.Format), want) {
			t.Errorf("the answer's form is %s, want %s in it", r.Format, want)
		}
	}
	if strings.Contains(all(asked[0]), "ran so far") || !strings.Contains(all(asked[1]), "Nodes that ran so far: look\n") || !strings.Contains(all(asked[1]), "looked at this") {
		t.Errorf("the second question does not say what the first step gave:\n%s", all(asked[1]))
	}
}

func TestReasoner_R22_ChoiceAndReasonAreOnTheEdge(t *testing.T) {
	d := newDesk(t)
	d.main.say = choosing("look", "finish")
	out := d.status(d.run(d.def(pool), "this"), run.Completed)
	sameList(t, "the path", d.path(out), []string{"work/work_choose>work/look(goto)", "work/look>work/work_choose(static)", "work/work_choose>work/finish(goto)",
		"work/finish>work/end(terminal)", "work>after(static)", "after>end(static)"})
	var reasons []string
	for _, e := range d.of(out, journal.Transition) {
		reasons = append(reasons, e.Reason)
	}
	if reasons[0] != "because 1" || reasons[2] != "because 2" {
		t.Errorf("the reasons on the edges are %q", reasons)
	}
	same(t, "the reply", out.Run.Output, "finished looked at this")
}

func TestReasoner_R23_JSONIsFoundByBalancedBraces(t *testing.T) {
	d := newDesk(t)
	a := d.def(pool)
	for _, answer := range []string{
		"Sure!\n```json\n{\"next_node\": \"finish\", \"reason\": \"a {brace} and a \\\"quote\\\" }\"}\n```\nHope that helps {",
		`{"next_node":"finish","reason":{"nested":{"deep":[1,{"x":"}"}]}}}`,
		`{{"next_node":"finish","reason":"the first try is no JSON"}}`,
		`{ broken { {"reason":"order does not matter","next_node":"finish","more":{}}`,
	} {
		d.main.say = choosing("!" + answer)
		out := d.status(d.run(a, "this"), run.Completed)
		if p := d.path(out); p[0] != "work/work_choose>work/finish(goto)" {
			t.Errorf("the answer %s leads along %v", answer, p)
		}
	}
}

func TestReasoner_R24_MaxStepsIsATypedResumableOutcome(t *testing.T) {
	d := newDesk(t)
	a := d.def(pool)
	d.main.say = func(string, model.Request) model.Message { return text(`{"next_node":"look","reason":"again"}`) }
	out := d.status(d.run(a, "this"), run.Limited)
	same(t, "the limit", out.Run.Limit, "autonomous_steps")
	same(t, "choices", len(d.main.requests()), 5)
	if e := d.of(out, journal.TurnLimited); len(e) != 1 || e[0].Status != "autonomous_steps" && !strings.Contains(string(e[0].Data), "autonomous_steps") {
		t.Errorf("the journal says %+v", e)
	}
	// A new process does not begin at nothing, and two more are two more.
	d.cold()
	out = d.status(d.resume(a, out, run.Resumption{More: graph.Limits{Own: map[string]int{"autonomous_steps": 2}}}), run.Limited)
	same(t, "choices", len(d.main.requests()), 7)
	d.main.say = choosing("finish")
	out = d.status(d.resume(a, out, run.Resumption{More: graph.Limits{Own: map[string]int{"autonomous_steps": 1}}}), run.Completed)
	same(t, "the reply", out.Run.Output, "finished looked at this")
}

func TestReasoner_R25_EndsOnDoneOrATerminalNodesSuccess(t *testing.T) {
	d := newDesk(t)
	a := d.def(pool)
	d.main.say = choosing("look", "__done__")
	out := d.status(d.run(a, "this"), run.Completed)
	same(t, "the reply", out.Run.Output, "looked at this")
	same(t, "choices", len(d.main.requests()), 2)

	// A terminal node that fails is no end.
	def := a.Definition
	def.Nodes[0].Pool[2].Template, def.Nodes[0].Pool[2].Pick = "", "vars.nothing"
	d.main.say = choosing("finish", "look")
	out = d.status(d.run(d.agent(def), "this"), run.Completed)
	same(t, "the reply", out.Run.Output, "looked at this")
	if last := d.main.requests()[len(d.main.requests())-2]; !strings.Contains(all(last), `<failed node="finish">`) {
		t.Errorf("the model is not told of the failure:\n%s", all(last))
	}
	// Done at once, with nothing to show.
	d.main.say = choosing()
	solo := d.def(strings.Replace(pool, "default_next: after", "default_next: end", 1)[:strings.Index(pool, "  - {name: after")-2])
	if out = d.status(d.run(solo, "this"), run.Completed); !strings.Contains(out.Run.Output, "without an answer") {
		t.Errorf("the reply is %q", out.Run.Output)
	}
}

func TestReasoner_R26_InvalidNameWarnsCostsAStepAndAsksAgain(t *testing.T) {
	d := newDesk(t)
	d.main.say = choosing("nobody", "!no JSON at all", "finish")
	out := d.status(d.run(d.def(pool), "this"), run.Completed)
	warned := d.of(out, journal.Warned)
	if len(warned) != 2 || !strings.Contains(warned[0].Reason, `"nobody"`) || warned[0].Stage != "work/work_choose" {
		t.Fatalf("warnings are %+v", warned)
	}
	if p := d.path(out); !strings.HasSuffix(p[0], "(again)") && p[0] != "work/work_choose>work/finish(goto)" {
		t.Errorf("the path is %v", p)
	}
	if r := d.main.requests()[1]; !strings.Contains(all(r), "Your last answer was no choice") {
		t.Errorf("the model is not told:\n%s", all(r))
	}
	steps := value(out, "work_steps")
	if strings.Count(steps, "invalid") != 2 || !strings.Contains(steps, `"finish"`) {
		t.Errorf("the steps are kept as %s", steps)
	}
	// An answer that broke off is no choice either.
	d.main.say = always("?")
	d.main.fail = func(string, model.Request) error { return model.ErrBroken }
	same(t, "the limit", d.status(d.run(d.def(pool), "this"), run.Limited).Run.Limit, "autonomous_steps")
	d.main.fail = nil
	// Five useless answers use the five steps up.
	d.main.say = always("?")
	same(t, "the limit", d.status(d.run(d.def(pool), "this"), run.Limited).Run.Limit, "autonomous_steps")
}

func TestReasoner_R27_ResultsGoToStateAndPoolNodesAreOrdinaryStages(t *testing.T) {
	d := newDesk(t)
	d.main.say = choosing("look", "fail", "finish")
	def := d.def(pool).Definition
	def.Nodes[0].Pool[0].Flags = []string{"observable"}
	out := d.status(d.run(d.agent(def), "this"), run.Completed)
	same(t, "what look gave", value(out, "look_output"), `"looked at this"`)
	same(t, "what the whole gave", value(out, "result"), `"finished looked at this"`)
	if e := d.of(out, journal.Observed); len(e) != 1 || e[0].Stage != "work/look" {
		t.Errorf("the flag of a pool node gives %+v", e)
	}
	if out.Run.Errors["work/fail"] == "" {
		t.Error("the failure of a pool node is not kept")
	}
}

// TestReasoner_R24_LimitsEndARunWhateverTheModelSays plays models that say anything.
func TestReasoner_R24_LimitsEndARunWhateverTheModelSays(t *testing.T) {
	huge := strings.Repeat("x", 30_000)
	garbage := map[string]func(r *rand.Rand) string{
		"empty":  func(*rand.Rand) string { return "" },
		"huge":   func(*rand.Rand) string { return huge },
		"braces": func(*rand.Rand) string { return strings.Repeat("{", 10_000) },
		"nested braces": func(*rand.Rand) string {
			return strings.Repeat(`{"next_node":`, 1500) + "1" + strings.Repeat("}", 1500)
		},
		"wrong enum":  func(r *rand.Rand) string { return fmt.Sprintf(`{"next_node":"n%d","reason":"x"}`, r.Intn(9)) },
		"wrong types": func(*rand.Rand) string { return `{"next_node":{"a":[null]},"reason":7}` },
		"bytes": func(r *rand.Rand) string {
			b := make([]byte, r.Intn(400))
			r.Read(b)
			return string(b)
		},
		"start":     func(*rand.Rand) string { return `{"next_node":"start","reason":""}` },
		"own stage": func(*rand.Rand) string { return `{"next_node":"work_choose","reason":""}` },
		"always plan": func(*rand.Rand) string {
			return `{"next_node":"plan","reason":"","steps":["a"],"verdict":"revise","thought":"x"}`
		},
		"mutations": func(r *rand.Rand) string {
			return fmt.Sprintf(`{"next_node":"think","reason":"","thought":"t","mutations":[{"op":"add_stage","stage":{"name":"n%d","kind":"think"},"reason":"r"},`+
				`{"op":"remove_edge","edge":{"from":"plan","to":"work_choose"}},{"op":"add_edge","edge":{"from":"end","to":"start"}},{"op":"add_stage","stage":{"kind":"act"}},{"op":"drop"},7]}`, r.Intn(50))
		},
		"routes": func(r *rand.Rand) string {
			return fmt.Sprintf(`{"route":"%s","next_node":"act","reason":""}`, []string{"start", "end", "answer", "../work", ""}[r.Intn(5)])
		},
	}
	for _, name := range slices.Sorted(maps.Keys(garbage)) {
		for _, pattern := range []string{"autonomous", "peoatr", "verify", "react", "research", "debate", "deliberate", "pipeline"} {
			d := newDesk(t)
			r := rand.New(rand.NewSource(int64(len(name))))
			say := func(string, model.Request) model.Message { return text(garbage[name](r)) }
			d.main.say, d.light.say = say, say
			a := d.pattern(pattern)
			if pattern == "research" {
				// Its retries wait for seconds; the failure is the same without.
				def := a.Definition
				def.Nodes = slices.Clone(def.Nodes)
				def.Nodes[1].Flags, def.Nodes[1].MaxRetries = nil, 0
				a = d.agent(def)
			}
			out := d.run(a, "What is (17 + 4) * 2.5?")
			if !slices.Contains([]run.Status{run.Completed, run.Limited, run.Failed}, out.Run.Status) {
				t.Errorf("%s with %s is %s", pattern, name, out.Run.Status)
			}
			if n := len(d.main.requests()) + len(d.light.requests()); n > 150 || out.Run.Step > a.Graph.Manifest().MaxSteps {
				t.Errorf("%s with %s asked %d times in %d steps", pattern, name, n, out.Run.Step)
			}
			if out.Run.Used.Mutations > 10 {
				t.Errorf("%s with %s changed the graph %d times", pattern, name, out.Run.Used.Mutations)
			}
		}
	}
}
