package graph

import (
	"encoding/json"
	"slices"
)

// Names of resolvers, which choose where a finished stage leads: the first in this order that
// can decides, and the transition's event names it.
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

// Resolvers are the names of all resolvers, in the order in which they are asked.
func Resolvers() []string { return slices.Clone(resolvers) }

// RouteOf is what an output says about the way on: an object's member "route", "_next"
// or "goto"; "" for none. Only a stage whose work is to decide may go by it: data that a
// tool, a record or a person brought must lead nowhere.
func RouteOf(output json.RawMessage) StageID {
	if len(output) == 0 || output[0] != '{' {
		return ""
	}
	var way struct {
		Route StageID `json:"route"`
		Next  StageID `json:"_next"`
		Goto  StageID `json:"goto"`
	}
	if json.Unmarshal(output, &way) != nil {
		return "" // members of another type are no route
	}
	for _, id := range []StageID{way.Route, way.Next, way.Goto} {
		if id != "" {
			return id
		}
	}
	return ""
}
