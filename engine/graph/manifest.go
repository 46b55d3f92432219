package graph

import (
	"encoding/json"
	"slices"
)

// Manifest is the graph as the screens draw it.
type Manifest struct {
	Agent       string            `json:"agent"`
	Title       string            `json:"title"`
	Description string            `json:"description,omitempty"`
	Fingerprint string            `json:"fingerprint"`
	MaxSteps    int               `json:"max_steps"`
	Stages      []ManifestStage   `json:"stages"`
	Edges       []Edge            `json:"edges"`
	Conditions  []ManifestRule    `json:"conditions"`
	Channels    []ManifestChannel `json:"channels"`
	Resolvers   []string          `json:"resolvers"`
	Mermaid     string            `json:"mermaid"`
	Limits      *Limits           `json:"limits,omitempty"`
	Mutations   []Mutation        `json:"mutations,omitempty"`
}

// ManifestStage is one stage.
type ManifestStage struct {
	ID          StageID  `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Join        bool     `json:"join,omitempty"`
	Acts        bool     `json:"acts,omitempty"`
	Kind        string   `json:"kind,omitempty"`
	Role        string   `json:"role,omitempty"`
	Flags       []string `json:"flags,omitempty"`
	Inputs      []string `json:"inputs,omitempty"`
	Output      string   `json:"output,omitempty"`
	// Added says that a mutation brought the stage into the run.
	Added  bool            `json:"added,omitempty"`
	Stages []ManifestStage `json:"stages,omitempty"`
	Edges  []Edge          `json:"edges,omitempty"`
}

// ManifestRule is a condition.
type ManifestRule struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Channel string `json:"channel"`
	Want    bool   `json:"want"`
	Safety  bool   `json:"safety,omitempty"`
	// Key and Test are those of a condition on the context.
	Key  string `json:"key,omitempty"`
	Test string `json:"test,omitempty"`
}

// ManifestChannel is a channel.
type ManifestChannel struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Reducer string `json:"reducer,omitempty"`
}

// Manifest describes the graph for screens and scripts. The caller owns it.
func (g *Graph) Manifest() Manifest {
	m := Manifest{Agent: g.agent, Title: g.title, Description: g.description, Fingerprint: g.fingerprint, MaxSteps: g.maxSteps,
		Edges: slices.Clone(g.spec.Edges), Stages: g.describe(g.spec, ""), Resolvers: Resolvers(), Mermaid: g.Mermaid(), Mutations: slices.Clone(g.mutations)}
	if l := g.spec.Limits; l.Visits|l.Mutations|l.Tokens|l.Cycle|l.Rounds != 0 || l.Cost != 0 || l.Time != 0 || l.Own != nil {
		m.Limits = &l
	}
	m.Conditions = g.rules()
	for i, c := range g.conditions {
		m.Conditions[i].Title = c.Title
	}
	for _, d := range g.channels {
		m.Channels = append(m.Channels, ManifestChannel{d.name, d.typ, d.reducer})
	}
	return m
}

func (g *Graph) describe(s *Spec, prefix StageID) []ManifestStage {
	var out []ManifestStage
	for _, st := range s.Stages {
		ms := ManifestStage{ID: st.ID, Title: st.Title, Description: st.Description, Acts: st.SideEffects,
			Kind: st.Kind, Role: st.Role, Flags: st.Flags.Names(), Inputs: st.Inputs, Output: st.Output}
		ms.Added = slices.ContainsFunc(g.mutations, func(m Mutation) bool {
			return m.Op == AddStage && m.ID == st.ID && (m.Parent == "" && prefix == "" || m.Parent+"/" == prefix)
		})
		for _, e := range s.Edges {
			ms.Join = ms.Join || e.To == st.ID && e.Type == JoinInput
		}
		if st.Graph != nil {
			ms.Stages, ms.Edges = g.describe(st.Graph, prefix+st.ID+"/"), slices.Clone(st.Graph.Edges)
		}
		out = append(out, ms)
	}
	return out
}

func (g *Graph) rules() []ManifestRule {
	var out []ManifestRule
	for _, c := range g.conditions {
		out = append(out, ManifestRule{Name: c.Name, Channel: c.channel.name, Want: c.want, Safety: c.Safety, Key: c.key, Test: c.text})
	}
	return out
}

// raw marshals values of our own types, which cannot fail.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return b
}
