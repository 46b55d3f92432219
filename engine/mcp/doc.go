// Package mcp lets agents use tools of servers that speak the Model Context
// Protocol, over stdio and streamable HTTP. It is a client only.
//
// A person adds a server and is shown what it offers; none of it is used before the
// person trusts exactly that. What was trusted is stored, and models are offered that
// and nothing else. If the server later shows anything different, it is disabled and its
// pending approvals become void. Everything that a server says is treated as hostile
// text.
package mcp

import "embed"

// docs holds the help page tools-from-outside.
//
//go:embed docs
var docs embed.FS

// HelpID is the id of the help page.
const HelpID = "tools-from-outside"

// Help is the help page in Markdown.
func Help() string { return page("") }

// HelpInFrench is the same in French.
func HelpInFrench() string { return page(".fr") }

func page(language string) string {
	body, err := docs.ReadFile("docs/" + HelpID + language + ".md")
	if err != nil {
		panic("mcp: " + err.Error()) // it is part of the program
	}
	return string(body)
}
