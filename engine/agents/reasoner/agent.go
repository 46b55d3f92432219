package reasoner

import (
	"context"

	"holdpoint/engine/agent"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "reasoner"

// DefaultPattern is what runs when none is named.
const DefaultPattern = "react"

// New builds the agent.
func New(k turn.Kit) (agent.Agent, error) {
	a := definition.Open(Name)
	// A log may be read by whoever helps with the machine: figures and kinds, and no names
	// that a model made up.
	k.Hook(graph.Hooks{Name: "log", OnObservable: func(_ context.Context, t *graph.Task, m graph.Metrics) {
		k.Debug("a stage was observed", "kind", t.Compiled.Stage.Kind, "took", m.Took, "tokens", m.Usage.Tokens, "failed", m.Failed, "cached", m.Cached)
	}})
	a.Title = "Reasoner"
	a.Description = "Works on a question by a pattern of your choice: plans, acts, looks things up, checks itself, and asks before it changes anything."
	a.Tools = []tool.Tool{calculator.New()}
	for _, p := range definition.Patterns() {
		a.Patterns = append(a.Patterns, agent.Pattern{ID: p.ID, Title: p.Title, Description: p.Description, Example: p.Example})
	}
	a.Graph = func(vars map[string]string) (*graph.Graph, error) {
		def, err := Definition(vars[agent.PatternVar])
		if err != nil {
			return nil, err
		}
		return definition.Graph(def)
	}
	a.Accept = func(vars map[string]string) error {
		def, err := Definition(vars[agent.PatternVar])
		if err == nil {
			err = def.Accept(vars)
		}
		return err
	}
	a.Begin = func(m turn.Message) graph.Patch {
		def, err := Definition(m.Vars[agent.PatternVar])
		if err != nil {
			return definition.State(m.Text, m.Vars, turn.Conversation(m.History)...) // there is no graph for it either
		}
		return def.First(m)
	}
	a.Earlier = func(vars map[string]string) (*graph.Graph, error) {
		def, ok, err := definition.EarlierPattern(vars[agent.PatternVar])
		if err != nil || !ok {
			return nil, err
		}
		def.Name = Name
		return definition.Graph(def)
	}
	return a, nil
}

// Definition is the agent's graph by a pattern; "" is the default one. The error
// wraps definition.ErrPattern.
func Definition(pattern string) (definition.Definition, error) {
	if pattern == "" {
		pattern = DefaultPattern
	}
	p, err := definition.ByPattern(pattern)
	p.Definition.Name = Name
	return p.Definition, err
}
