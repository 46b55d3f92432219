package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
)

// Agent is what the app needs to know to run turns of one agent. It is immutable.
type Agent struct {
	AgentInfo
	// Graph builds the graph of a run with these vars; the same vars give the same
	// graph. Its errors are faults or mistakes of the definition.
	Graph func(vars map[string]string) (*graph.Graph, error)
	// Tools are the agent's own; Outside adds those of servers that the user trusts.
	Tools   *tool.Set
	Outside bool
	// Pipeline are the context tools by phase; nil for agents without such a pipeline.
	Pipeline func() ([][]string, error)
	// Admit puts the message and the session's earlier exchanges into the first state.
	Admit func(run.Admission, []navigator.Exchange) run.Admission
	// Live makes what a turn has beside its state.
	Live func(Beside) any
}

// Beside is what turns of any agent may use and what is never stored.
type Beside struct {
	Models    model.Set
	Region    string
	Threshold float64
	Vectors   navigator.VectorCache
	Tools     *tool.Set
	Caller    identity.Caller // who asked, for this run only
}

// Kinds of agents.
const (
	BuiltIn  = "builtin"
	FromFile = "file"
)

// AgentInfo names an agent.
type AgentInfo struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Kind        string `json:"kind"`
	// Patterns are the graphs to choose from by the var "pattern", the usual one first.
	Patterns []Pattern `json:"patterns,omitempty"`
	// Example is a message to try the agent with.
	Example string `json:"example,omitempty"`
	// Error says why a file's agent cannot run.
	Error string `json:"error,omitempty"`
}

// Pattern is one graph of an agent that has several.
type Pattern struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Example     string `json:"example"` // a message to try it with
}

// AgentManifest is a graph's manifest with the agent's tools.
type AgentManifest struct {
	graph.Manifest
	Kind     string             `json:"kind"`
	Pattern  string             `json:"pattern,omitempty"`
	Patterns []Pattern          `json:"patterns,omitempty"`
	Tools    []tool.Description `json:"tools"`
	Pipeline [][]string         `json:"pipeline"`
}

// patternVar chooses among an agent's patterns. definitionVar names, by digest, the
// file that a run's graph was built from; only the app sets it.
const (
	patternVar    = "pattern"
	definitionVar = "definition"
)

// Agents is the registry: what is built in, and the files in a data folder. It
// needs no store.
type Agents struct {
	Navigator *navigator.Agent
	dir       string
	tools     *tool.Set // of agents of prompt nodes
	builtIn   []*Agent

	mu     sync.Mutex
	graphs map[string]*graph.Graph // by agent, pattern and definition
	files  map[string]*fileAgent   // by digest of the definition
}

// NewAgents opens the registry of a data folder; more are further built-in agents.
func NewAgents(dir string, more ...*Agent) (*Agents, error) {
	nav, err := navigator.New()
	if err != nil {
		return nil, err
	}
	tools, err := promptTools(nav)
	if err != nil {
		return nil, err
	}
	r := &Agents{Navigator: nav, dir: dir, tools: tools, graphs: map[string]*graph.Graph{}, files: map[string]*fileAgent{}}
	r.builtIn = append([]*Agent{navigatorAgent(nav), reasonerAgent(tools)}, more...)
	return r, nil
}

func navigatorAgent(n *navigator.Agent) *Agent {
	m := n.Graph.Manifest()
	return &Agent{AgentInfo: AgentInfo{ID: m.Agent, Title: m.Title, Description: m.Description, Kind: BuiltIn},
		Graph: func(map[string]string) (*graph.Graph, error) { return n.Graph, nil },
		Tools: n.Tools, Pipeline: n.Context.Phases, Admit: navigator.Admit,
		Live: func(b Beside) any {
			return &navigator.Live{Models: b.Models, Region: b.Region, Threshold: b.Threshold, Vectors: b.Vectors}
		}}
}

// List names all agents: built-in ones first, then files by name. A file that
// cannot run is listed with what is wrong with it.
func (r *Agents) List() ([]AgentInfo, error) {
	var out []AgentInfo
	for _, x := range r.builtIn {
		out = append(out, x.AgentInfo)
	}
	names, err := r.fileNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := r.file(name)
		if err != nil {
			out = append(out, AgentInfo{ID: name, Title: name, Kind: FromFile, Error: AsFault(err).Message})
			continue
		}
		out = append(out, f.AgentInfo)
	}
	return out, nil
}

// Get finds an agent by its id.
func (r *Agents) Get(id string) (*Agent, error) {
	x, _, err := r.find(id)
	return x, err
}

// find also returns the file that the agent came from; nil for a built-in one.
func (r *Agents) find(id string) (*Agent, *fileAgent, error) {
	for _, x := range r.builtIn {
		if x.ID == id {
			return x, nil, nil
		}
	}
	names, err := r.fileNames()
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(names, id) {
		return nil, nil, &Fault{Code: "not_found", Message: fmt.Sprintf("There is no agent %q.", id), Hint: "See holdpoint agents list.", Safe: "Nothing was changed.", HTTP: 404}
	}
	f, err := r.file(id)
	if err != nil {
		return nil, nil, err
	}
	return f.Agent, f, nil
}

// graphOf builds an agent's graph for these vars, once.
func (r *Agents) graphOf(x *Agent, vars map[string]string) (*graph.Graph, error) {
	if p := vars[patternVar]; p != "" && !slices.ContainsFunc(x.Patterns, func(k Pattern) bool { return k.ID == p }) {
		if len(x.Patterns) == 0 {
			return nil, Bad(fmt.Sprintf("The agent %s has no patterns to choose from.", x.ID), "Leave out the var pattern.")
		}
		ids := make([]string, len(x.Patterns))
		for i, k := range x.Patterns {
			ids[i] = k.ID
		}
		return nil, Bad(fmt.Sprintf("The agent %s has no pattern %q.", x.ID, p), "Patterns are "+strings.Join(ids, ", ")+".")
	}
	key := x.ID + "\x00" + x.pattern(vars) + "\x00" + vars[definitionVar]
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.graphs[key]; g != nil {
		return g, nil
	}
	g, err := x.Graph(vars)
	if err == nil {
		r.graphs[key] = g
	}
	return g, err
}

// pattern is the chosen pattern or the usual one; "" for an agent without any.
func (x *Agent) pattern(vars map[string]string) string {
	if p := vars[patternVar]; p != "" || len(x.Patterns) == 0 {
		return p
	}
	return x.Patterns[0].ID
}

// Manifest describes an agent's graph.
func (r *Agents) Manifest(id string, vars map[string]string) (AgentManifest, error) {
	x, f, err := r.find(id)
	if err != nil {
		return AgentManifest{}, err
	}
	if f != nil {
		vars = maps.Clone(vars)
		if vars == nil {
			vars = map[string]string{}
		}
		vars[definitionVar] = f.digest
	}
	g, err := r.graphOf(x, vars)
	if err != nil {
		return AgentManifest{}, err
	}
	return x.manifest(g, vars, x.Tools)
}

func (x *Agent) manifest(g *graph.Graph, vars map[string]string, tools *tool.Set) (AgentManifest, error) {
	m := AgentManifest{Manifest: g.Manifest(), Kind: x.Kind, Pattern: x.pattern(vars), Patterns: x.Patterns, Tools: []tool.Description{}, Pipeline: [][]string{}}
	if tools != nil {
		m.Tools = tools.Describe()
	}
	var err error
	if x.Pipeline != nil {
		m.Pipeline, err = x.Pipeline()
	}
	return m, err
}

// ManifestOfFile describes the agent of a definition that need not be kept.
func (r *Agents) ManifestOfFile(body string) (AgentManifest, error) {
	f, err := r.compile(body)
	if err != nil {
		return AgentManifest{}, err
	}
	vars := map[string]string{definitionVar: f.digest}
	g, err := r.graphOf(f.Agent, vars)
	if err != nil {
		return AgentManifest{}, err
	}
	return f.manifest(g, vars, f.Tools)
}

// Agents lists the agents.
func (a *App) Agents() ([]AgentInfo, error) { return a.agents.List() }

// Manifest describes an agent's graph with the given pattern, or the usual one for "".
func (a *App) Manifest(id, pattern string) (AgentManifest, error) {
	m, err := a.agents.Manifest(id, map[string]string{patternVar: pattern})
	if err != nil {
		return m, err
	}
	x, err := a.agents.Get(id)
	if err != nil {
		return m, err
	}
	tools, err := a.toolsOf(x)
	if err == nil && tools != nil {
		m.Tools = tools.Describe()
	}
	return m, err
}

// RunManifest describes the graph of one run, with the changes that the run made to it.
func (a *App) RunManifest(turn string) (AgentManifest, error) {
	row, err := a.Store.Run(RunID(turn))
	if err != nil {
		return AgentManifest{}, err
	}
	x, g, err := a.agentOf(row)
	if err != nil {
		return AgentManifest{}, err
	}
	if g, err = grown(g, row); err != nil {
		return AgentManifest{}, err
	}
	tools, err := a.toolsOf(x)
	if err != nil {
		return AgentManifest{}, err
	}
	return x.manifest(g, row.Vars, tools)
}

// agentOf finds the agent of a stored run and the graph that it began with.
func (a *App) agentOf(row run.Run) (*Agent, *graph.Graph, error) {
	x, err := a.runAgent(row)
	if err != nil {
		return nil, nil, err
	}
	g, err := a.agents.graphOf(x, row.Vars)
	if err != nil {
		return nil, nil, lost(row, err)
	}
	return x, g, nil
}

func (a *App) runAgent(row run.Run) (*Agent, error) {
	digest := row.Vars[definitionVar]
	if digest == "" {
		x, f, err := a.agents.find(row.Agent)
		if err != nil || f != nil { // a file's run always names its definition
			return nil, lost(row, err)
		}
		return x, nil
	}
	body, err := a.definition(digest)
	if err != nil {
		return nil, lost(row, err)
	}
	f, err := a.agents.compile(body)
	if err != nil {
		return nil, lost(row, err)
	}
	return f.Agent, nil
}

// lost says that a turn's agent is not what it began with, and what is left to do.
func lost(row run.Run, err error) *Fault {
	why := ""
	if err != nil {
		why = " (" + strings.TrimSuffix(AsFault(err).Message, ".") + ")"
	}
	return &Fault{Code: "unknown_agent", Message: fmt.Sprintf("The agent %q that this turn began with is not here%s.", row.Agent, why),
		Hint: "Abandon the turn (holdpoint resume " + row.Turn + " --abandon) and ask again, or open it with the version of Holdpoint that it began with.",
		Safe: "Nothing was run. Everything the turn did so far is kept in the journal.", HTTP: 409, err: err}
}

// toolsOf is what a turn of the agent may call.
func (a *App) toolsOf(x *Agent) (*tool.Set, error) {
	if !x.Outside || a.outside == nil {
		return x.Tools, nil
	}
	return joined(x.Tools, a.outside()...)
}
