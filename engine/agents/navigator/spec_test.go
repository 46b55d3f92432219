package navigator_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// built is the agent as another process would make it, with what it is made of.
func built(t *testing.T) (agent.Agent, *graph.Graph, *tool.Set) {
	t.Helper()
	a, err := navigator.New(turn.Kit{Log: slog.New(slog.NewTextHandler(failing{t}, nil))})
	if err != nil {
		t.Fatal(err)
	}
	g, err := a.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(a.Tools...)
	if err != nil {
		t.Fatal(err)
	}
	return a, g, set
}

// failing fails the test over anything that is logged at start-up.
type failing struct{ t *testing.T }

func (f failing) Write(line []byte) (int, error) {
	f.t.Errorf("logged at start-up: %s", line)
	return len(line), nil
}

// contextTools are the names of the agent's context tools, in order.
func contextTools(a agent.Agent) (names []string) {
	for _, v := range a.Memory {
		names = append(names, v.Tool)
	}
	return names
}

func TestNavigator_N01_StagesAreTheEight(t *testing.T) {
	_, g, _ := built(t)
	var got []string
	for _, s := range g.Manifest().Stages {
		got = append(got, string(s.ID))
		if s.Title == "" || s.Description == "" {
			t.Errorf("stage %s has no title or description for people", s.ID)
		}
	}
	want := "preflight safety_intervention assembly_gate context_assembly empathy context_format navigator finalize"
	if strings.Join(got, " ") != want {
		t.Errorf("stages are %v, want %s", got, want)
	}
}

func TestNavigator_N05_EdgesAreTheTwelve(t *testing.T) {
	want := []string{
		"start preflight entry ",
		"preflight safety_intervention conditional safety_hijacked",
		"preflight assembly_gate conditional not_safety_hijacked",
		"safety_intervention finalize terminal_path ",
		"assembly_gate context_assembly parallel_branch ",
		"assembly_gate empathy parallel_branch ",
		"context_assembly context_format join_input ",
		"empathy context_format join_input ",
		"context_format navigator conditional not_assembly_failed",
		"context_format finalize conditional assembly_failed",
		"navigator finalize sequence ",
		"finalize end exit ",
	}
	var got []string
	for _, e := range navigator.Edges() {
		got = append(got, strings.Join([]string{strings.Trim(string(e.From), "_"), strings.Trim(string(e.To), "_"), string(e.Type), e.Condition}, " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("edges are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The list is a copy: changing it changes no graph.
	navigator.Edges()[0].To = "elsewhere"
	if navigator.Edges()[0].To != navigator.Preflight {
		t.Error("the edges can be changed from outside")
	}
}

func TestNavigator_N04_ConditionsReadOneField(t *testing.T) {
	_, g, _ := built(t)
	want := map[string]graph.ManifestRule{
		"safety_hijacked":     {Name: "safety_hijacked", Channel: "safety_hijacked", Want: true, Safety: true},
		"not_safety_hijacked": {Name: "not_safety_hijacked", Channel: "safety_hijacked", Safety: true},
		"assembly_failed":     {Name: "assembly_failed", Channel: "assembly_failed", Want: true},
		"not_assembly_failed": {Name: "not_assembly_failed", Channel: "assembly_failed"},
	}
	found := 0
	for _, c := range g.Manifest().Conditions {
		if w, ok := want[c.Name]; ok {
			found++
			if c.Title = ""; c != w { // how it is worded is another matter
				t.Errorf("condition %+v, want %+v", c, w)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of the four conditions are there", found)
	}
}

func TestNavigator_N08_ManifestComesFromTheSpec(t *testing.T) {
	_, g, _ := built(t)
	raw, err := json.Marshal(g.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	var m graph.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Edges, navigator.Edges()) {
		t.Error("the manifest's edges are not the spec's")
	}
	for _, s := range m.Stages {
		if !strings.Contains(m.Mermaid, string(s.ID)) {
			t.Errorf("the diagram lacks %s", s.ID)
		}
		if s.ID == navigator.Navigate && len(s.Stages) != 2 {
			t.Errorf("the navigator stage has %d stages inside, want think and act", len(s.Stages))
		}
		if s.ID == navigator.ContextFormat && !s.Join {
			t.Error("context_format is not marked as a join")
		}
	}
	_, b, _ := built(t)
	if m.Fingerprint == "" || m.Fingerprint != b.Manifest().Fingerprint {
		t.Error("the same spec has another fingerprint")
	}
}

func TestNavigator_N18_RegisteredTools(t *testing.T) {
	a, _, set := built(t)
	want := []string{"client_signal", "provider_genome", "patient_context", "session_narrative", "therapeutic_fit"}
	if got := contextTools(a); !slices.Equal(got, want) {
		t.Errorf("context tools are %v, want %v", got, want)
	}
	a.Memory[0].Tool, a.Tools[0].Name = "other", "other"
	a, _, _ = built(t)
	if contextTools(a)[0] != "client_signal" || a.Tools[0].Name != "find_providers" {
		t.Error("the lists can be changed from outside")
	}
	var names []string
	for _, d := range set.Describe() {
		names = append(names, d.Name)
		if d.Mutates != slices.Contains([]string{"book_appointment", "cancel_appointment", "add_care_note"}, d.Name) {
			t.Errorf("%s: mutates is %v", d.Name, d.Mutates)
		}
	}
	if len(names) != 7 {
		t.Errorf("tools of the navigator stage are %v", names)
	}
}

func TestNavigator_N19_PhasesAreThese(t *testing.T) {
	a, _, _ := built(t)
	phases := a.Phases
	if len(phases) != 2 ||
		!slices.Equal(phases[0], []string{"client_signal", "provider_genome", "patient_context", "session_narrative"}) ||
		!slices.Equal(phases[1], []string{"therapeutic_fit"}) {
		t.Errorf("phases are %v", phases)
	}
}

// TestNavigator_N38_AssemblyToolsAreReadOnly runs them all on a store and compares
// the records.
func TestNavigator_N38_AssemblyToolsAreReadOnly(t *testing.T) {
	h := newHouse(t)
	before := h.contents()
	out := h.status(h.ask("pat-alder", "I can't sleep and would like to talk to somebody."), run.Completed)
	if ran := h.tools(out, journal.ToolCompleted); len(ran) != 5 {
		t.Errorf("ran %v, want all five", ran)
	}
	if h.contents() != before || len(h.approvals()) > 0 {
		t.Error("assembling context changed the records or asked for approvals")
	}
	a, _, set := built(t)
	for _, name := range contextTools(a) {
		if _, err := set.Get(name); err == nil {
			t.Errorf("%s is a tool that the model can call, too", name)
		}
	}
}
