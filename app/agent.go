package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents"
	"holdpoint/engine/board"
	"holdpoint/engine/graph"
	"holdpoint/engine/library"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
	"holdpoint/store"
)

// registered is an agent with what the app works out about it once.
type registered struct {
	agent.Agent
	kind string
	// tools are those that come with Holdpoint; an open agent's may be more, see toolsOf.
	tools *tool.Set
	// scripts are what practice mode plays.
	scripts []model.Script
	// hooks are those that the agent registered.
	hooks []graph.Hooks
	// digest ("sha256:…") and body are those of a file's definition.
	digest, body string
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
	// Experimental says that the agent is new and may be wrong in ways that nobody knows yet.
	Experimental bool `json:"experimental,omitempty"`
	// Patterns are the graphs to choose from by the var "pattern", the usual one first.
	Patterns []agent.Pattern `json:"patterns,omitempty"`
	// Example is a message to try the agent with.
	Example string `json:"example,omitempty"`
	// Subjects are the types of records that its sessions may be about; none means any.
	Subjects []string `json:"subjects,omitempty"`
	// Maps are the types of records that it draws.
	Maps []string `json:"maps,omitempty"`
	// Records are the types that it brings along.
	Records []RecordInfo `json:"records,omitempty"`
	// Vars are the inputs that each of its turns has, e.g. a language.
	Vars []agent.Var `json:"vars,omitempty"`
	// Asks are the values that a graph of one's own is started with.
	Asks []agent.Asked `json:"asks,omitempty"`
	// Cards says that it asks people questions and shows cards, Texts that its texts can be
	// changed.
	Cards bool `json:"cards,omitempty"`
	Texts bool `json:"texts,omitempty"`
	// Boards says that it keeps a board of hypotheses and evidence.
	Boards bool `json:"boards,omitempty"`
	// Error says why a file's agent cannot run.
	Error string `json:"error,omitempty"`
}

// RecordInfo is a type of records that an agent brings along.
type RecordInfo struct {
	Type string `json:"type"`
	// Plural heads lists of its records; "" leaves the type's name in words.
	Plural string `json:"plural,omitempty"`
	// Names are what people call its members.
	Names map[string]string `json:"names,omitempty"`
	// Form says that its records are forms with boxes, Map that one can be drawn.
	Form bool `json:"form,omitempty"`
	Map  bool `json:"map,omitempty"`
}

// AgentManifest is a graph's manifest with the agent's tools.
type AgentManifest struct {
	graph.Manifest
	Kind     string             `json:"kind"`
	Pattern  string             `json:"pattern,omitempty"`
	Patterns []agent.Pattern    `json:"patterns,omitempty"`
	Tools    []tool.Description `json:"tools"`
	Pipeline [][]string         `json:"pipeline"`
	// Warnings say what the chosen context tools leave without what they build on.
	Warnings []string `json:"warnings,omitempty"`
}

// Agents is the registry: what is built in, and the files in a data folder. It
// needs no store.
type Agents struct {
	dir     string
	builtIn []*registered
	tools   *tool.Set      // of all of them, for open agents
	shared  []tool.Tool    // that every agent may call: the search of the library
	search  library.Search // nil without a store
	scripts []model.Script // likewise

	// changing is held while files of agents are added, changed and removed.
	changing sync.Mutex

	mu     sync.Mutex
	graphs map[string]*graph.Graph // by agent, pattern and definition
	files  map[string]*registered  // by digest of the definition
}

// NewAgents opens the registry of a data folder; more are further built-in agents.
func NewAgents(dir string, log *slog.Logger, more ...agent.New) (*Agents, error) {
	r := &Agents{dir: dir, graphs: map[string]*graph.Graph{}, files: map[string]*registered{}}
	var all []tool.Tool
	for _, build := range append(agents.BuiltIn(), more...) {
		hooks := new([]graph.Hooks)
		x, err := build(turn.Kit{Log: log, Hooks: hooks, Keeps: store.Kept()})
		if err != nil {
			return nil, fmt.Errorf("app: agent %q: %w", cmp.Or(x.ID, nameOf(build)), err)
		}
		for _, has := range []struct {
			name string
			is   bool
		}{{"ID", x.ID != ""}, {"Graph", x.Graph != nil}, {"Begin", x.Begin != nil}} {
			if !has.is {
				return nil, fmt.Errorf("app: the agent %q has no %s; ID, Graph and Begin are required", cmp.Or(x.ID, nameOf(build)), has.name)
			}
		}
		if slices.ContainsFunc(r.builtIn, func(b *registered) bool { return b.ID == x.ID }) {
			return nil, fmt.Errorf("app: two agents are called %q; rename one", x.ID)
		}
		r.builtIn = append(r.builtIn, &registered{Agent: x, kind: BuiltIn, hooks: *hooks})
		all, r.scripts = append(all, x.Tools...), append(r.scripts, x.Script)
	}
	r.shared = []tool.Tool{library.Tool(func(ctx context.Context, q library.Query) (library.Answer, error) {
		if r.search == nil {
			return library.Answer{}, errors.New("app: there is no library here")
		}
		return r.search(ctx, q)
	})}
	var err error
	if r.tools, err = tool.NewSet(append(all, r.shared...)...); err != nil {
		return nil, err
	}
	for _, x := range r.builtIn {
		if err := r.equip(x); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// nameOf is the package of a function that builds an agent.
func nameOf(build agent.New) string {
	full := runtime.FuncForPC(reflect.ValueOf(build).Pointer()).Name()
	name, _, _ := strings.Cut(path.Base(full), ".")
	return name
}

// equip gives an agent the tools that it may call, and the scripts that play them.
func (r *Agents) equip(x *registered) (err error) {
	x.tools, x.scripts = r.tools, r.scripts
	if !x.Open {
		x.tools, err = tool.NewSet(x.Tools...)
		x.scripts = []model.Script{x.Script}
	}
	return err
}

// Default is the agent that answers when none is named.
func (r *Agents) Default() string { return r.builtIn[0].ID }

func (x *registered) info() AgentInfo {
	boards := false
	if x.Graph != nil {
		if g, err := x.Graph(nil); err == nil {
			boards = board.Has(g)
		}
	}
	var records []RecordInfo
	for _, t := range x.Records {
		records = append(records, RecordInfo{Type: t.Type, Plural: t.Plural, Names: t.Names, Form: t.Form != nil, Map: slices.Contains(x.Maps, t.Type)})
	}
	return AgentInfo{Boards: boards, Records: records, ID: x.ID, Title: x.Title, Description: x.Description, Kind: x.kind, Experimental: x.Experimental, Patterns: x.Patterns, Example: x.Example, Subjects: x.Subjects, Maps: x.Maps, Vars: x.Vars, Asks: x.Asks, Cards: x.Cards != nil, Texts: x.Wording != nil}
}

// List names all agents: built-in ones first, then files by name. A file that
// cannot run is listed with what is wrong with it.
func (r *Agents) List() ([]AgentInfo, error) {
	var out []AgentInfo
	for _, x := range r.builtIn {
		out = append(out, x.info())
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
		out = append(out, f.info())
	}
	return out, nil
}

// find finds an agent by its id.
func (r *Agents) find(id string) (*registered, error) {
	for _, x := range r.builtIn {
		if x.ID == id {
			return x, nil
		}
	}
	if err := r.owned(id); err != nil {
		return nil, err
	}
	return r.file(id)
}

// graphOf builds an agent's graph for these vars, once.
func (r *Agents) graphOf(x *registered, vars map[string]string) (*graph.Graph, error) {
	if p := x.Pattern(vars); p != "" && !slices.ContainsFunc(x.Patterns, func(k agent.Pattern) bool { return k.ID == p }) {
		if len(x.Patterns) == 0 {
			return nil, Bad(fmt.Sprintf("The agent %s has no patterns to choose from.", x.ID), "Leave out the var pattern.")
		}
		ids := make([]string, len(x.Patterns))
		for i, k := range x.Patterns {
			ids[i] = k.ID
		}
		return nil, Bad(fmt.Sprintf("The agent %s has no pattern %q.", x.ID, p), "Patterns are "+strings.Join(ids, ", ")+".")
	}
	key := x.ID + "\x00" + x.Pattern(vars) + "\x00" + vars[session.DefinitionVar]
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.graphs[key]; g != nil {
		return g, nil
	}
	g, err := x.Graph(vars)
	if err == nil {
		g, err = g.Hooked(graph.OfAgent, x.hooks...)
	}
	if err == nil {
		r.graphs[key] = g
	}
	return g, err
}

// Manifest describes an agent's graph.
func (r *Agents) Manifest(id string, vars map[string]string) (AgentManifest, error) {
	x, err := r.find(id)
	if err != nil {
		return AgentManifest{}, err
	}
	if x.digest != "" {
		vars = maps.Clone(vars)
		if vars == nil {
			vars = map[string]string{}
		}
		vars[session.DefinitionVar] = x.digest
	}
	g, err := r.graphOf(x, vars)
	if err != nil {
		return AgentManifest{}, err
	}
	return x.manifest(g, vars, x.tools), nil
}

func (x *registered) manifest(g *graph.Graph, vars map[string]string, tools *tool.Set) AgentManifest {
	m := AgentManifest{Manifest: g.Manifest(), Kind: x.kind, Pattern: x.Pattern(vars), Patterns: x.Patterns, Tools: tools.Describe(), Pipeline: x.Phases}
	if m.Pipeline == nil {
		m.Pipeline = [][]string{}
	}
	return m
}

// ManifestOfFile describes the agent of a definition that need not be kept.
func (r *Agents) ManifestOfFile(body string) (AgentManifest, error) {
	f, err := r.compile(body)
	if err != nil {
		return AgentManifest{}, err
	}
	vars := map[string]string{session.DefinitionVar: f.digest}
	g, err := r.graphOf(f, vars)
	if err != nil {
		return AgentManifest{}, err
	}
	return f.manifest(g, vars, f.tools), nil
}

// Agents lists the agents.
func (a *App) Agents() ([]AgentInfo, error) {
	list, err := a.agents.List()
	for i := range list {
		list[i].Vars = slices.Clone(list[i].Vars)
		for k, v := range list[i].Vars {
			list[i].Vars[k].Default = a.usual(v)
		}
	}
	return list, err
}

// Manifest describes an agent's graph with the given pattern, or the usual one for "".
func (a *App) Manifest(id, pattern string) (AgentManifest, error) {
	m, err := a.agents.Manifest(id, map[string]string{agent.PatternVar: pattern})
	if err != nil {
		return m, err
	}
	x, err := a.agents.find(id)
	if err != nil {
		return m, err
	}
	tools, err := a.toolsOf(x)
	if err != nil {
		return m, err
	}
	m.Tools = tools.Describe()
	s, err := a.Settings()
	if err != nil || x.Plan == nil || s.Context[id] == nil {
		return m, err
	}
	m.Pipeline, m.Warnings, err = x.Plan(s.Context[id])
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
	m := x.manifest(g, row.Vars, tools)
	// A person may have raised them for this run.
	if m.MaxSteps = max(m.MaxSteps, row.MaxSteps); m.Limits != nil {
		m.Limits = &row.Limits
	}
	return m, nil
}

// agentOf finds the agent of a stored run and the graph that it began with.
func (a *App) agentOf(row run.Run) (*registered, *graph.Graph, error) {
	x, err := a.runAgent(row)
	if err != nil {
		return nil, nil, err
	}
	g, err := a.agents.graphOf(x, row.Vars)
	if err != nil {
		return nil, nil, lost(row, err)
	}
	if x.Earlier != nil && len(row.Mutations) == 0 && !g.Recognizes(row.Fingerprint) {
		before, err := x.Earlier(row.Vars)
		if err == nil && before != nil {
			before, err = before.Hooked(graph.OfAgent, x.hooks...)
		}
		if err != nil {
			return nil, nil, lost(row, err)
		}
		if before != nil && before.Recognizes(row.Fingerprint) {
			return x, before, nil
		}
	}
	return x, g, nil
}

func (a *App) runAgent(row run.Run) (*registered, error) {
	digest := row.Vars[session.DefinitionVar]
	if digest == "" {
		x, err := a.agents.find(row.Agent)
		if err != nil || x.digest != "" { // a file's run always names its definition
			return nil, lost(row, err)
		}
		return x, nil
	}
	body, err := a.Store.Definition(digest)
	if err != nil {
		return nil, lost(row, err)
	}
	f, err := a.agents.compile(body)
	if err != nil {
		return nil, lost(row, err)
	}
	return f, nil
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

// toolsOf is what a turn of the agent may call. Who has nothing in the library is not offered
// its search; graphs of files may name it all the same.
func (a *App) toolsOf(x *registered) (*tool.Set, error) {
	if !x.Open {
		if a.Library.Empty() {
			return x.tools, nil
		}
		return tool.NewSet(slices.Concat(x.Tools, a.agents.shared)...)
	}
	if a.outside == nil {
		return x.tools, nil
	}
	var all []tool.Tool
	for _, b := range a.agents.builtIn {
		all = append(all, b.Tools...)
	}
	return tool.NewSet(slices.Concat(all, a.agents.shared, a.outside())...)
}

// grown is the graph of a run with the changes that the run made to it.
func grown(g *graph.Graph, row run.Run) (*graph.Graph, error) { return g.Grown(row.Mutations) }
