package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/journal"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
)

// asked are the arguments of the calls in a conversation.
func asked(messages []model.Message) (out []string) {
	for _, m := range messages {
		for _, c := range m.Calls {
			out = append(out, c.Tool+" "+string(c.Arguments))
		}
	}
	return out
}

const maskedCalls = `
rules:
  - {name: masked, event: before_tool_call, tools: [echo], verdict: set, set: {value: masked}}
  - {name: short, event: before_tool_call, tools: [post], verdict: set, set: {text: short}}
`

func TestReasoner_R73_TheConversationShowsTheCallsAsTheyWereMade(t *testing.T) {
	d := newDesk(t)
	set, err := tool.NewSet(echo(), post())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	var shown []string
	d.main.say = func(_ string, r model.Request) model.Message {
		shown = asked(r.Messages)
		switch len(shown) {
		case 0:
			return model.Message{Calls: []model.Call{{Tool: "echo", Arguments: json.RawMessage(`{"value":"secret"}`)}}}
		case 1:
			return model.Message{Calls: []model.Call{{Tool: "post", Arguments: json.RawMessage(`{"text":"a long secret"}`)}}}
		}
		return text("done")
	}
	a := d.def("name: x\nnodes:\n  - {name: ask, kind: act, tools: [echo, post], default_next: end}" + maskedCalls)
	out := d.status(d.runWith(a, "Hello", nil), run.Paused)
	sameList(t, "what the model was shown before the hold", shown, []string{`echo {"value":"masked"}`})
	d.verdict("approval", out.Pauses[0].ID, "approve")
	d.cold()
	out = d.status(d.resume(a, out, run.Resumption{Answers: map[string]json.RawMessage{out.Pauses[0].ID: json.RawMessage(`{"decided":true}`)}}), run.Completed)
	sameList(t, "what the model was shown at last", shown, []string{`echo {"value":"masked"}`, `post {"text":"short"}`})
	for _, e := range d.of(out, journal.ToolStarted) {
		if strings.Contains(string(e.Data), "secret") {
			t.Errorf("the journal has what was not called: %s", e.Data)
		}
	}
}

func TestReasoner_R73_ACallOfANodeWithoutAModelStandsInTheConversationAsItWasMade(t *testing.T) {
	d := newDesk(t)
	set, err := tool.NewSet(echo(), post())
	if err != nil {
		t.Fatal(err)
	}
	d.live.Tools = set
	a := d.def("name: x\nnodes:\n  - {name: look, kind: tool, tool: echo, arguments: {value: secret}, default_next: end}" + maskedCalls)
	out := d.status(d.runWith(a, "Hello", nil), run.Completed)
	sameList(t, "the conversation", asked(prompt.Messages.Get(out.State)), []string{`echo {"value":"masked"}`})
}

func TestReasoner_R72_TheConversationHasWhatARuleMadeOfAToolsResult(t *testing.T) {
	for _, next := range []string{"end", "on"} {
		d := newDesk(t)
		set, err := tool.NewSet(echo())
		if err != nil {
			t.Fatal(err)
		}
		d.live.Tools = set
		a := d.def("name: x\nnodes:\n  - {name: look, kind: tool, tool: echo, arguments: {value: the secret}, output: got, default_next: " + next + "}\n  - {name: on, kind: transform, template: '{{ got }}', default_next: end}\n" +
			"rules:\n  - {name: masked, event: after_node, nodes: [look], verdict: set, set: {got: masked}}\n" + map[string]string{"end": "edges: [{from: look, to: on, type: error}]\n"}[next])
		out := d.status(d.run(a, "Hello"), run.Completed)
		if out.Run.Output != "masked" {
			t.Errorf("the reply is %q", out.Run.Output)
		}
		for _, m := range prompt.Messages.Get(out.State) {
			if m.Role == "tool" && m.Text != `"masked"` {
				t.Errorf("later prompts see that the tool gave %s", m.Text)
			}
		}
	}
}

// TestReasoner_R72_NothingOfWhatARuleReplacedIsLeft looks at all that leaves a node of each
// kind that asks a model.
func TestReasoner_R72_NothingOfWhatARuleReplacedIsLeft(t *testing.T) {
	for kind, says := range map[string]string{"prompt": "the secret", "answer": "the secret", "think": "the secret", "observe": "the secret", "justify": "the secret", "synthesize": "the secret",
		"plan": `{"steps":["the secret"]}`, "reflect": `{"assessment":"the secret","again":false}`, "critique": `{"verdict":"revise","problems":["the secret"]}`} {
		for _, last := range []bool{true, false} {
			d := newDesk(t)
			d.main.say = func(string, model.Request) model.Message { return text(says) }
			next := "end"
			more := ""
			if !last && kind != "answer" {
				next, more = "on", "\n  - {name: on, kind: transform, template: \"{{ said }}\", default_next: end}"
			}
			instructions := ""
			if kind == "prompt" {
				instructions = "instructions: x, "
			}
			end := ", default_next: " + next
			if kind == "answer" {
				end = ""
			}
			a := d.def(fmt.Sprintf("name: x\nnodes:\n  - {name: a, kind: %s, %soutput: said%s}%s\nrules:\n  - {name: masked, event: after_node, nodes: [a], verdict: set, set: {said: masked}}\n", kind, instructions, end, more))
			out := d.status(d.run(a, "Hello"), run.Completed)
			if out.Run.Output != "masked" {
				t.Errorf("%s: the reply is %q", kind, out.Run.Output)
			}
			values, err := out.State.Values()
			if err != nil {
				t.Fatal(err)
			}
			for channel, v := range values {
				if strings.Contains(string(v), "secret") {
					t.Errorf("%s: %s holds %s", kind, channel, v)
				}
			}
			for _, e := range d.of(out) {
				if e.Kind != journal.ModelCalled && strings.Contains(e.Text+string(e.Data), "secret") {
					t.Errorf("%s: the journal's %s has %s %s", kind, e.Kind, e.Text, e.Data)
				}
			}
		}
	}
}
