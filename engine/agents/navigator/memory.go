package navigator

import (
	"encoding/json"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
	"holdpoint/engine/turn"
)

// notesOf are what a turn leaves in the session's working memory: what the person named, who
// may fit, and the records that it was about.
func notesOf(t *graph.Task, bundle map[string]json.RawMessage) (n memory.Notes) {
	if about := turn.SubjectOf(t); about.ID != "" {
		n.Recent = append(n.Recent, about.String())
	}
	for _, x := range needs(bundle["client_signal"]) {
		n.Entities = append(n.Entities, memory.Entity{Kind: x.Kind, Text: x.Text})
	}
	var f Fit
	if json.Unmarshal(bundle["therapeutic_fit"], &f) == nil {
		for _, p := range f.Ranked {
			n.Recent = append(n.Recent, "Practitioner/"+p.ID)
			n.Entities = append(n.Entities, memory.Entity{Kind: "provider", ID: "Practitioner/" + p.ID, Text: p.Name})
		}
	}
	return n
}

// memoryViews is what people see of the context tools' findings.
func memoryViews(tools []string) []agent.MemoryView {
	out := make([]agent.MemoryView, len(tools))
	for i, name := range tools {
		out[i] = agent.MemoryView{Tool: name, Title: sectionTitle(name)}
		switch name {
		case "client_signal":
			out[i].Signal, out[i].Entities = true, needs
		case "therapeutic_fit":
			out[i].Entities = ranked
		}
	}
	return out
}

// needs are what the person named.
func needs(output json.RawMessage) (out []agent.Entity) {
	var s Signal
	if json.Unmarshal(output, &s) != nil {
		return nil
	}
	for _, x := range []struct {
		kind string
		list []string
	}{{"concern", s.Concerns}, {"goal", s.Goals}, {"preference", s.Preferences}} {
		for _, text := range x.list {
			out = append(out, agent.Entity{Kind: x.kind, Text: text})
		}
	}
	return out
}

// ranked are the providers that may fit.
func ranked(output json.RawMessage) (out []agent.Entity) {
	var f Fit
	if json.Unmarshal(output, &f) != nil {
		return nil
	}
	for _, p := range f.Ranked {
		out = append(out, agent.Entity{Kind: "provider", Text: p.Name})
	}
	return out
}
