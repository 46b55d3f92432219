package reasoner

import (
	"encoding/json"

	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "reasoner"

// Exchange is one earlier turn of the conversation.
type Exchange struct {
	User  string `json:"user"`
	Reply string `json:"reply"`
}

// Agent is a graph, ready to run. It is immutable and safe for concurrent use.
type Agent struct {
	Definition Definition
	Graph      *graph.Graph
}

// New builds the agent on a pattern; "" is the default one.
func New(pattern string) (*Agent, error) {
	p, err := ByPattern(pattern)
	if err != nil {
		return nil, err
	}
	def := p.Definition
	def.Name = Name
	return FromDefinition(def)
}

// FromDefinition builds an agent on a graph of somebody's own.
func FromDefinition(def Definition) (*Agent, error) {
	spec, err := Compile(def)
	if err != nil {
		return nil, err
	}
	g, err := graph.New(spec)
	if err != nil {
		return nil, err
	}
	return &Agent{def, g}, nil
}

// maxHistory is how many earlier turns a run is shown.
const maxHistory = 20

// Admit makes the admission of a turn: the message and what was said before it.
func (a *Agent) Admit(ad run.Admission, history []Exchange) run.Admission {
	return Admit(ad, history)
}

// Admit is the same for any graph of this package.
func Admit(a run.Admission, history []Exchange) run.Admission {
	messages := make([]model.Message, 0, 2*maxHistory+1)
	for _, e := range history[max(0, len(history)-maxHistory):] {
		messages = append(messages, model.Message{Role: "user", Text: e.User}, model.Message{Role: "assistant", Text: e.Reply})
	}
	vars := a.Vars
	if vars == nil {
		vars = map[string]string{}
	}
	a.State = append(a.State, prompt.Messages.Add(append(messages, model.Message{Role: "user", Text: a.Input})...),
		prompt.Context.Put("input", textOf(a.Input)), prompt.Context.Put("vars", json.RawMessage(model.JSON(vars))))
	return a
}
