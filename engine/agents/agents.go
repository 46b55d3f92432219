// Package agents lists the agents that come with Holdpoint. Each is one folder below
// and one line here.
package agents

import (
	"holdpoint/engine/agent"
	"holdpoint/engine/agents/companion"
	"holdpoint/engine/agents/filing"
	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/agents/reasoner"
	"holdpoint/engine/agents/researcher"
)

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
