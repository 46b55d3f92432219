package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// topology is all of a graph that decides what a run of it does, and nothing of how
// it looks, is worded or how fast it is: a run that waits goes on with a graph of the
// same topology and with no other. Of what is code only its being there counts; what a
// file sets of such code is in Settings. Not part of it: titles, descriptions, roles, the
// time that a stage should take, Quick, Ends, limits and steps (a run keeps its own),
// hooks of the host, and what only watches of all others. A change of this struct needs a
// new version, and the old form kept below.
type topology struct {
	Version    int    `json:"version"`
	Agent      string `json:"agent"`
	Reply      string `json:"reply,omitempty"`
	Context    string `json:"context,omitempty"`
	History    string `json:"history,omitempty"`
	Tolerant   bool   `json:"tolerant,omitempty"`
	Summarizes bool   `json:"summarizes,omitempty"`
	Grows      bool   `json:"grows,omitempty"`
	// Tells is Spec.Failed.
	Tells      bool            `json:"tells,omitempty"`
	Hooks      []topologyHooks `json:"hooks,omitempty"`
	Stages     []topologyStage `json:"stages"`
	Edges      []Edge          `json:"edges"`
	Conditions []ManifestRule  `json:"conditions,omitempty"`
	Channels   []topologySlot  `json:"channels,omitempty"`
	Mutations  []Mutation      `json:"mutations,omitempty"`
	Settings   string          `json:"settings,omitempty"`
}

type topologyStage struct {
	ID           StageID         `json:"id"`
	Kind         string          `json:"kind,omitempty"`
	Acts         bool            `json:"acts,omitempty"`
	Join         JoinPolicy      `json:"join,omitempty"`
	Flags        []string        `json:"flags,omitempty"`
	Inputs       []string        `json:"inputs,omitempty"`
	Output       string          `json:"output,omitempty"`
	Inherit      []StageID       `json:"inherit,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	MaxRetries   int             `json:"max_retries,omitempty"`
	MayEnd       bool            `json:"may_end,omitempty"`
	// Shows are those of the stage's scope.
	Shows  map[string][]string `json:"shows,omitempty"`
	Stages []topologyStage     `json:"stages,omitempty"`
	Edges  []Edge              `json:"edges,omitempty"`
	// Flow is what version 4 brought; nil where there is nothing of it.
	Flow *topologyFlow `json:"flow,omitempty"`
}

// topologyFlow is what a stage takes from the context and leaves there besides its inputs
// and its output.
type topologyFlow struct {
	Begins   map[string]json.RawMessage `json:"begins,omitempty"`
	Sinks    []Sink                     `json:"sinks,omitempty"`
	Reads    []string                   `json:"reads,omitempty"`
	Sees     bool                       `json:"sees,omitempty"`
	Prepares []string                   `json:"prepares,omitempty"`
	Hears    bool                       `json:"hears,omitempty"`
	// Scoped and Own are the stage's scope.
	Scoped bool           `json:"scoped,omitempty"`
	Own    []topologySlot `json:"own,omitempty"`
}

// topologyHooks are hooks of the spec itself or of its agent, with the points that they stand at.
type topologyHooks struct {
	Name   string   `json:"name"`
	Points []string `json:"points"`
}

// topologySlot is a channel. Of its Go type only the kind counts: a type may move, and
// a value that cannot be read back stops the resume anyway.
type topologySlot struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Reducer string `json:"reducer,omitempty"`
}

const topologyVersion = 6

func (g *Graph) topology() topology {
	s := g.spec
	t := topology{Version: topologyVersion, Agent: g.agent, Tolerant: s.Tolerant, Summarizes: s.Summarize != nil, Grows: s.Grow != nil, Tells: s.Failed != nil,
		Hooks: deciding(topologyHooksOf(slices.Concat(g.agentHooks(), g.ownHooks()))), Stages: topologyStages(s), Edges: s.Edges, Conditions: g.rules(), Mutations: g.mutations, Settings: s.Settings}
	if g.reply != nil {
		t.Reply = g.reply.name
	}
	if s.Context.definition != nil {
		t.Context = s.Context.name
	}
	if s.History.channel != nil {
		t.History = s.History.channel.name
	}
	for _, d := range g.channels {
		if d.scoped {
			continue
		}
		t.Channels = append(t.Channels, slotOf(d))
	}
	return t
}

func topologyStages(s *Spec) []topologyStage {
	var out []topologyStage
	for _, st := range s.Stages {
		t := topologyStage{ID: st.ID, Kind: st.Kind, Acts: st.SideEffects, Join: st.Join, Flags: st.Flags.Names(), Inputs: st.Inputs, Output: st.Output,
			Inherit: st.Inherit, OutputSchema: st.OutputSchema, MaxRetries: st.MaxRetries, MayEnd: st.MayEnd}
		if st.Scope != nil {
			t.Shows = st.Scope.Shows
		}
		t.Flow = flowOf(st)
		if st.Graph != nil {
			t.Stages, t.Edges = topologyStages(st.Graph), st.Graph.Edges
		}
		out = append(out, t)
	}
	return out
}

func flowOf(st Stage) *topologyFlow {
	f := topologyFlow{Begins: st.Begins, Sinks: st.Sinks, Reads: sorted(st.Reads), Sees: st.Sees != nil, Prepares: sorted(st.Prepares), Hears: st.Hears}
	if st.Scope != nil {
		f.Scoped = true
		for _, c := range st.Scope.Own {
			f.Own = append(f.Own, slotOf(c.declared()))
		}
	}
	if reflect.ValueOf(f).IsZero() {
		return nil
	}
	return &f
}

// sorted are keys whose order means nothing.
func sorted(keys []string) []string { return slices.Sorted(slices.Values(keys)) }

func slotOf(d *definition) topologySlot { return topologySlot{d.name, d.kind, d.reducer} }

func topologyHooksOf(list []Hooks) (out []topologyHooks) {
	for _, h := range list {
		t := topologyHooks{Name: h.Name, Points: []string{}}
		for _, p := range []struct {
			name string
			set  bool
		}{
			{"pre_stage", h.PreStage != nil}, {"post_stage", h.PostStage != nil}, {"pre_tool", h.PreTool != nil}, {"post_tool", h.PostTool != nil},
			{"observable", h.OnObservable != nil}, {"human", h.OnHuman != nil}, {"mutation", h.OnMutation != nil}, {"error", h.OnError != nil},
		} {
			if p.set {
				t.Points = append(t.Points, p.name)
			}
		}
		out = append(out, t)
	}
	return out
}

// watching are the points where a hook changes nothing of what a run does.
var watching = []string{"observable", "human", "error"}

// deciding leaves out what only watches.
func deciding(list []topologyHooks) (out []topologyHooks) {
	for _, h := range list {
		h.Points = slices.DeleteFunc(h.Points, func(p string) bool { return slices.Contains(watching, p) })
		if len(h.Points) > 0 {
			out = append(out, h)
		}
	}
	return out
}

func fingerprintOf(v any) string {
	sum := sha256.Sum256(raw(v))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Recognizes says whether a run that began on a graph of this fingerprint may go on
// with g: it is g's own, or the one that an earlier version of Holdpoint gave it.
func (g *Graph) Recognizes(fingerprint string) bool {
	if fingerprint == g.fingerprint {
		return true
	}
	for _, form := range []any{g.topology5(), g.topology4(), g.topology3(), g.topology2(), g.topology1()} {
		if fingerprint == fingerprintOf(form) {
			return true
		}
	}
	return false
}

// topology5 is the fifth form, in which also those of the graph's own hooks counted that only watch.
func (g *Graph) topology5() topology {
	t := g.topology()
	t.Version, t.Hooks = 5, append(deciding(topologyHooksOf(g.agentHooks())), topologyHooksOf(g.ownHooks())...)
	return t
}

// topology4 is the fourth form, which knew nothing of hooks of the agent.
func (g *Graph) topology4() topology {
	t := g.topology()
	t.Version, t.Hooks = 4, topologyHooksOf(g.ownHooks())
	return t
}

// topology3 is the third form, which knew nothing of hooks, Failed and the flow.
func (g *Graph) topology3() topology {
	t := g.topology()
	t.Version, t.Tells, t.Hooks = 3, false, nil
	withoutFlow(t.Stages)
	return t
}

func withoutFlow(stages []topologyStage) {
	for i := range stages {
		stages[i].Flow = nil
		withoutFlow(stages[i].Stages)
	}
}

// topology2 is the second form, which knew nothing of Settings either.
func (g *Graph) topology2() topology {
	t := g.topology3()
	t.Version, t.Settings = 2, ""
	return t
}

// The first form hashed what the screens were sent, types of channels included.

type topology1 struct {
	M manifest1
	P map[StageID]JoinPolicy
}

type manifest1 struct {
	Agent       string            `json:"agent"`
	Title       string            `json:"title"`
	Fingerprint string            `json:"fingerprint"`
	MaxSteps    int               `json:"max_steps"`
	Stages      []stage1          `json:"stages"`
	Edges       []Edge            `json:"edges"`
	Conditions  []ManifestRule    `json:"conditions"`
	Channels    []ManifestChannel `json:"channels"`
	Resolvers   []string          `json:"resolvers"`
	Mermaid     string            `json:"mermaid"`
	Mutations   []Mutation        `json:"mutations,omitempty"`
}

type stage1 struct {
	ID     StageID  `json:"id"`
	Title  string   `json:"title"`
	Join   bool     `json:"join,omitempty"`
	Acts   bool     `json:"acts,omitempty"`
	Layer  int      `json:"layer"`
	Lane   int      `json:"lane"`
	Kind   string   `json:"kind,omitempty"`
	Flags  []string `json:"flags,omitempty"`
	Inputs []string `json:"inputs,omitempty"`
	Output string   `json:"output,omitempty"`
	Stages []stage1 `json:"stages,omitempty"`
	Edges  []Edge   `json:"edges,omitempty"`
}

func (g *Graph) topology1() topology1 {
	m := manifest1{Agent: g.agent, Stages: stages1(g.spec), Edges: g.spec.Edges, Conditions: g.rules(), Mutations: g.mutations}
	for _, d := range g.channels {
		if d.scoped {
			continue
		}
		typ := d.former
		if typ == "" {
			typ = strings.ReplaceAll(d.typ, "journal.StageID", "graph.StageID")
		}
		m.Channels = append(m.Channels, ManifestChannel{d.name, typ, d.reducer})
	}
	policies := map[StageID]JoinPolicy{}
	for _, n := range g.Stages {
		policies[n.ID] = n.Stage.Join
	}
	return topology1{m, policies}
}

func stages1(s *Spec) []stage1 {
	var out []stage1
	for _, st := range s.Stages {
		t := stage1{ID: st.ID, Acts: st.SideEffects, Kind: st.Kind, Flags: st.Flags.Names(), Inputs: st.Inputs, Output: st.Output,
			Join: slices.ContainsFunc(s.Edges, func(e Edge) bool { return e.To == st.ID && e.Type == JoinInput })}
		if st.Graph != nil {
			t.Stages, t.Edges = stages1(st.Graph), st.Graph.Edges
		}
		out = append(out, t)
	}
	return out
}
