package app

import (
	"encoding/json"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/graph"
)

// reasonerAgents are the agents of prompt nodes that are built in.
func reasonerAgents(*navigator.Agent) []*Agent { return nil }

// parseAgent makes an agent and its graph of a definition, or says all that is
// wrong with it.
func parseAgent(_ *navigator.Agent, _ string) (*Agent, *graph.Graph, []Problem) {
	return nil, nil, []Problem{{Message: "definitions cannot be read yet"}}
}

// grown is the graph of a run with the changes that the run made to it.
func grown(g *graph.Graph, _ graph.Run) (*graph.Graph, error) { return g, nil }

// AgentSchema is the JSON Schema of agents' files.
func AgentSchema() (json.RawMessage, error) { return json.RawMessage(`{}`), nil }

// agentHelp are the help pages for authors of graphs.
func agentHelp() []HelpPage { return nil }
