package navigator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/turn"
)

// TestNavigator_N39_TheToolsServeOtherAgents books a visit from a graph of prompt
// nodes: the same tools, the same hold point.
func TestNavigator_N39_TheToolsServeOtherAgents(t *testing.T) {
	h := newHouse(t)
	slot := h.slots("prov-okafor")[0]
	h.model.think = func(r model.Request) model.Message {
		switch len(results(r)) {
		case 0:
			return model.Message{Role: "assistant", Calls: []model.Call{call("find_providers", `{"query":"sleep"}`), call("patient_summary", `{}`)}}
		case 2:
			return model.Message{Role: "assistant", Text: "I propose this.", Calls: []model.Call{h.book("prov-okafor", slot)}}
		}
		return model.Message{Role: "assistant", Text: fmt.Sprintf("Done: %d results are here.", len(results(r)))}
	}
	g, live, out := h.other([]string{"*"}, "Book it")
	h.status(out, run.Paused)
	if len(h.all("Appointment")) != 0 {
		t.Fatal("a visit was booked before anybody approved it")
	}
	a := h.only()
	h.decide(a, true, "")
	out, err := h.exec.Resume(t.Context(), g, "turn:o", run.Resumption{Dependencies: live, Answers: map[string]json.RawMessage{a.ID: json.RawMessage(`{"decided":true}`)}})
	if err != nil {
		t.Fatal(err)
	}
	h.status(out, run.Completed)
	for _, m := range prompt.Messages.Get(out.State) {
		if m.Role == "tool" && (strings.Contains(m.Text, `"failed"`) || strings.Contains(m.Text, `"refused"`)) {
			t.Errorf("%s said %s", m.Tool, m.Text)
		}
	}
	if !strings.Contains(out.Run.Output, "Done: ") || len(h.all("Appointment")) != 1 {
		t.Errorf("the reply is %q", out.Run.Output)
	}
	h.sound()
}

// "Another agent gave up on my patient, and told me nothing of what the record says."
func TestNavigator_WhereNoWordsComeEveryAgentTellsTheRecordsFacts(t *testing.T) {
	for _, tools := range [][]string{nil, {"*"}} {
		h := newTwin(t)
		h.model.think = func(model.Request) model.Message {
			return model.Message{Role: "assistant", Text: `{"name": "find_it", "parameters": {}}`}
		}
		_, _, out := h.other(tools, "What is known?")
		if h.status(out, run.Completed); !strings.Contains(out.Run.Output, "no answer that can be used") || !strings.Contains(out.Run.Output, "Insomnia") || strings.Contains(out.Run.Output, "find_it") {
			t.Errorf("with tools %v the reply is %q", tools, out.Run.Output)
		}
	}
}

// other runs a message through another agent's graph, of one prompt node with these tools.
func (h *house) other(tools []string, text string) (*graph.Graph, *turn.Dependencies, run.Outcome) {
	h.t.Helper()
	n := &prompt.Node{Name: "act", Says: true, Tools: tools}
	g, err := graph.New(graph.Spec{Agent: "other", Channels: prompt.Channels(), Context: prompt.Context, History: prompt.History(), Reply: prompt.Reply,
		Stages: []graph.Stage{n.Stage()}, Edges: []graph.Edge{{From: graph.Start, To: "act", Type: graph.Entry}, {From: "act", To: graph.End, Type: graph.Exit}}})
	if err != nil {
		h.t.Fatal(err)
	}
	live := &turn.Dependencies{Models: h.live.Models, Tools: h.set}
	out, err := h.exec.Start(h.t.Context(), g, run.StartRequest{ID: "turn:o", Session: "s", Turn: "o", Dependencies: live, Vars: map[string]string{"patient": "pat-alder"},
		State: graph.Patch{prompt.Messages.Add(model.Message{Role: "user", Text: text})}})
	if err != nil {
		h.t.Fatal(err)
	}
	return g, live, out
}
