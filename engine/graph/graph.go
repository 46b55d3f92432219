package graph

import "slices"

// Graph is a checked spec, ready to run. It is safe for concurrent use as long as nobody changes what the spec's stages
// and edges point to; stages and edges themselves are copies.
type Graph struct {
	agent       string
	title       string
	description string
	maxSteps    int
	fingerprint string
	members     []byte
	reply       *definition
	Stages      []CompiledStage // every stage, nested ones behind their parent, in spec order
	Index       map[StageID]int
	Entries     []int // of the outermost graph
	channels    []*definition
	zeros       []any // of the channels
	slots       map[*definition]int
	byName      map[string]*definition
	conditions  []Condition
	spec        *Spec
	mutations   []Mutation
	hosted      int // how many of the spec's hooks are of the host; they come first
	agents      int // how many behind those are of the agent

	Nested             bool // has graphs inside stages
	Watches            bool // stages may ask what changes in the run's row
	TracksPredecessors bool // somebody asks for the predecessors of a stage
}

// New checks a spec and compiles it. The error joins every mistake found.
func New(spec Spec) (*Graph, error) { return compile(spec, nil, 0, 0) }

// Grown returns the graph with mutations, each of which must have been accepted
// on it before in this order; the graph itself stays as it is.
func (g *Graph) Grown(mutations []Mutation) (*Graph, error) {
	if len(mutations) == 0 {
		return g, nil
	}
	spec := clone(*g.spec)
	for _, m := range mutations {
		if err := spec.mutate(m); err != nil {
			return nil, err
		}
	}
	return compile(spec, append(slices.Clone(g.mutations), mutations...), g.hosted, g.agents)
}

// HookOwner says whose hooks are put around a graph.
type HookOwner int

const (
	// OfHost are those of the program that runs the graph: no part of its fingerprint.
	OfHost HookOwner = iota
	// OfAgent are those of the graph's agent: what decides among them is part of its fingerprint.
	OfAgent
)

// Hooked is the graph with further hooks ahead of its own, those of the host first.
func (g *Graph) Hooked(of HookOwner, hooks ...Hooks) (*Graph, error) {
	if len(hooks) == 0 {
		return g, nil
	}
	spec := clone(*g.spec)
	if of == OfHost {
		spec.Hooks = slices.Insert(spec.Hooks, 0, hooks...)
		return compile(spec, g.mutations, g.hosted+len(hooks), g.agents)
	}
	spec.Hooks = slices.Insert(spec.Hooks, g.hosted, hooks...)
	return compile(spec, g.mutations, g.hosted, g.agents+len(hooks))
}

func (g *Graph) agentHooks() []Hooks { return g.spec.Hooks[g.hosted : g.hosted+g.agents] }

func (g *Graph) ownHooks() []Hooks { return g.spec.Hooks[g.hosted+g.agents:] }

// Prefix is what stands before the ids of the level that stage n belongs to.
func (g *Graph) Prefix(n int) StageID {
	if p := g.Stages[n].Parent; p >= 0 {
		return g.Stages[p].ID + "/"
	}
	return ""
}

// Agent is the name of the agent that the graph belongs to.
func (g *Graph) Agent() string { return g.agent }

// Fingerprint is a hash of the graph's topology ("sha256:…"): of all that the spec says of
// what a run does, not of titles, limits or code.
func (g *Graph) Fingerprint() string { return g.fingerprint }

// Members are the graph's agent and fingerprint as members of a JSON object; read-only.
func (g *Graph) Members() []byte { return g.members }

// Spec is what the graph was made of; read-only.
func (g *Graph) Spec() *Spec { return g.spec }

// MaxSteps bounds the super-steps of a run.
func (g *Graph) MaxSteps() int { return g.maxSteps }

// Reply reads the run's answer to the person; ok is false for a graph without one.
func (g *Graph) Reply(s Snapshot) (text string, ok bool) {
	if g.reply == nil {
		return "", false
	}
	text, _ = s.value(g.reply).(string)
	return text, true
}

// Inside says whether stage n is the stage p or one of its inner stages.
func (g *Graph) Inside(n, p int) bool {
	for ; n >= 0; n = g.Stages[n].Parent {
		if n == p {
			return true
		}
	}
	return false
}
