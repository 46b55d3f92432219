// Package agents lists the agents that come with Holdpoint. Each is one folder below
// and one line here.
package agents

import (
	"embed"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/companion"
	"holdpoint/engine/agents/filing"
	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/agents/reasoner"
	"holdpoint/engine/agents/researcher"
)

// Names are the agents' own words in French, AGENT/names.json, the English ones before
// them: titles of agents, types, stages and tools, and reasons of routes.
//
//go:embed */names.json
var Names embed.FS

// BuiltIn builds them in the order in which people see them. The first answers when
// none is named.
func BuiltIn() []agent.New {
	return []agent.New{
		navigator.New,
		reasoner.New,
		filing.New,
		researcher.New,
		companion.New,
	}
}
