package reasoner

import (
	"holdpoint/engine/definition"
	"holdpoint/engine/model"
	"holdpoint/engine/run"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "reasoner"

// DefaultPattern is what runs when none is named.
const DefaultPattern = "react"

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

// Exchange is one earlier turn of the conversation.
type Exchange struct {
	User  string `json:"user"`
	Reply string `json:"reply"`
}

// maxHistory is how many earlier turns a run is shown.
const maxHistory = 20

// Admit makes the admission of a turn: the message and what was said before it.
func Admit(a run.Admission, history []Exchange) run.Admission {
	said := make([]model.Message, 0, 2*maxHistory+1)
	for _, e := range history[max(0, len(history)-maxHistory):] {
		said = append(said, model.Message{Role: "user", Text: e.User}, model.Message{Role: "assistant", Text: e.Reply})
	}
	a.State = append(a.State, definition.State(a.Input, a.Vars, said...)...)
	return a
}
