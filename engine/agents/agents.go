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

// French are the agents' own words in French, the English ones before them; {0} stands for a value.
//
//   - AGENT/names.json is what screens show of an agent: titles of the agent, its stages and tools, descriptions of tools
//     and of what they take, reasons, refusals and plans; its types of records in small letters (home medicine),
//     and what their members are called.
//   - AGENT/printed.json is the formats, as they are, of what its replies, its practice script and its forms Say.
//   - AGENT/errors.json is the texts of its errors, each without its package's name and without the
//     error that it wraps. What stands in an error as a value is there behind "= ".
//
// A stage, tool or type that is called as a word of everybody's (store, Medicine) is found outside of the agents by a test of
// package engine: it is called otherwise, or said to be such a word there.
//
//go:embed */names.json */printed.json */errors.json
var French embed.FS

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
