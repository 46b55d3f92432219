package graph

import "slices"

// Resolvers choose where a finished stage leads; the first in this order that can
// decides, and the transition's event names it.
const (
	BySafety      = "safety"
	ByAgain       = "again"
	ByError       = "error"
	ByRoute       = "route"
	ByGoto        = "goto"
	ByTerminal    = "terminal"
	ByConditional = "conditional"
	ByMatch       = "match"
	ByStatic      = "static"
	ByEnd         = "end"
)

var resolvers = []string{BySafety, ByAgain, ByError, ByRoute, ByGoto, ByTerminal, ByConditional, ByMatch, ByStatic, ByEnd}

// Resolvers names all in their order.
func Resolvers() []string { return slices.Clone(resolvers) }
