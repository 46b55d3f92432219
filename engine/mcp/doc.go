// Package mcp lets agents use tools of servers that speak the Model Context
// Protocol, over stdio and streamable HTTP. It is a client only.
//
// A server is added by a person, who is shown what it offers; nothing of it is used
// before the person trusts exactly that. What was trusted is kept, and is what
// models are offered. When the server shows anything else later on, it is disabled
// and its approvals that still wait are void. Everything that a server says is
// hostile text.
package mcp

import "embed"

// docs holds the help page tools-from-outside.
//
//go:embed docs
var docs embed.FS

// HelpID is the id of the help page.
const HelpID = "tools-from-outside"

// Help is the help page in Markdown.
func Help() string {
	body, err := docs.ReadFile("docs/" + HelpID + ".md")
	if err != nil {
		panic("mcp: " + err.Error()) // it is part of the program
	}
	return string(body)
}
