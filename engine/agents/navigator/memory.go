package navigator

import (
	"encoding/json"

	"holdpoint/engine/agent"
)

// memory is what people see of the context tools' findings.
func memory(tools []string) []agent.MemoryView {
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
