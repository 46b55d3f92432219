package navigator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/run"
)

func TestNavigator_N01_StagesAreTheEight(t *testing.T) {
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range a.Graph.Manifest().Stages {
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
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]graph.ManifestRule{
		"safety_hijacked":     {Name: "safety_hijacked", Channel: "safety_hijacked", Want: true, Safety: true},
		"not_safety_hijacked": {Name: "not_safety_hijacked", Channel: "safety_hijacked", Safety: true},
		"assembly_failed":     {Name: "assembly_failed", Channel: "assembly_failed", Want: true},
		"not_assembly_failed": {Name: "not_assembly_failed", Channel: "assembly_failed"},
	}
	found := 0
	for _, c := range a.Graph.Manifest().Conditions {
		if w, ok := want[c.Name]; ok {
			found++
			if c != w {
				t.Errorf("condition %+v, want %+v", c, w)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of the four conditions are there", found)
	}
}

func TestNavigator_N08_ManifestComesFromTheSpec(t *testing.T) {
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(a.Graph.Manifest())
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
	b, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	if m.Fingerprint == "" || m.Fingerprint != b.Graph.Manifest().Fingerprint {
		t.Error("the same spec has another fingerprint")
	}
}

func TestNavigator_N18_RegisteredTools(t *testing.T) {
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"client_signal", "provider_genome", "patient_context", "session_narrative", "therapeutic_fit"}
	if got := a.Context.List(); !slices.Equal(got, want) {
		t.Errorf("context tools are %v, want %v", got, want)
	}
	if len(a.Context.Warnings) > 0 {
		t.Errorf("warnings at start-up: %v", a.Context.Warnings)
	}
	a.Context.List()[0] = "other"
	if a.Context.List()[0] != "client_signal" {
		t.Error("the list can be changed from outside")
	}
	var names []string
	for _, d := range a.Tools.Describe() {
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
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	phases, err := a.Context.Phases()
	if err != nil || len(phases) != 2 ||
		!slices.Equal(phases[0], []string{"client_signal", "provider_genome", "patient_context", "session_narrative"}) ||
		!slices.Equal(phases[1], []string{"therapeutic_fit"}) {
		t.Errorf("phases are %v (%v)", phases, err)
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
	a, err := navigator.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range a.Context.List() {
		if _, err := a.Tools.Get(name); err == nil {
			t.Errorf("%s is a tool that the model can call, too", name)
		}
	}
}
