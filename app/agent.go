package app

import (
	"fmt"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
	"holdpoint/engine/tool"
)

// AgentInfo names an agent.
type AgentInfo struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// AgentManifest is a graph's manifest with the agent's tools.
type AgentManifest struct {
	graph.Manifest
	Tools    []tool.Description `json:"tools"`
	Pipeline [][]string         `json:"pipeline"`
}

// AgentList lists the agents; it needs no store.
func AgentList() ([]AgentInfo, error) {
	n, err := navigator.New()
	if err != nil {
		return nil, err
	}
	m := n.Graph.Manifest()
	return []AgentInfo{{m.Agent, m.Title, m.Description}}, nil
}

// ManifestOf describes an agent; it needs no store.
func ManifestOf(id string) (AgentManifest, error) {
	if id != navigator.Name {
		return AgentManifest{}, &Fault{Code: "not_found", Message: fmt.Sprintf("There is no agent %q.", id), Hint: "See holdpoint agents list.", HTTP: 404}
	}
	n, err := navigator.New()
	if err != nil {
		return AgentManifest{}, err
	}
	phases, err := n.Context.Phases()
	return AgentManifest{Manifest: n.Graph.Manifest(), Tools: n.Tools.Describe(), Pipeline: phases}, err
}

// Agents lists the agents.
func (a *App) Agents() ([]AgentInfo, error) { return AgentList() }

// Manifest describes an agent.
func (a *App) Manifest(id string) (AgentManifest, error) { return ManifestOf(id) }
