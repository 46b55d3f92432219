package definition

import (
	"fmt"
	"slices"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// Graph makes the graph of a definition, behind the reviewed safety rules.
func Graph(def Definition) (*graph.Graph, error) {
	spec, err := Compile(def)
	if err != nil {
		return nil, err
	}
	if spec, err = turn.Guard(spec); err != nil {
		return nil, err
	}
	return graph.New(spec)
}

// Open is an agent whose graph is made of nodes, but for its graph: it may call every
// tool that is there.
func Open(id string) agent.Agent {
	return agent.Agent{ID: id, Open: true, Script: Script(), Begin: func(m turn.Message) graph.Patch {
		return State(m.Text, m.Vars, turn.Conversation(m.History)...)
	}}
}

// Agent makes an agent of a file's text. The error is Problems wherever the author can
// mend it.
func Agent(text []byte) (agent.Agent, error) {
	def, err := Parse(text)
	if err != nil {
		return agent.Agent{}, err
	}
	var taken Problems
	for i, n := range def.Nodes {
		if slices.Contains(turn.CrisisStages(), graph.StageID(n.Name)) {
			taken = append(taken, ProblemAt(text, fmt.Sprintf("nodes[%d].name", i), "%s is the name of a stage that every graph begins with; choose another", n.Name))
		}
	}
	if len(taken) > 0 {
		return agent.Agent{}, taken
	}
	g, err := Graph(def)
	if err != nil {
		return agent.Agent{}, err
	}
	a := Open(def.Name)
	a.Title, a.Description, a.Example = or(def.Title, def.Name), def.Description, def.Example
	a.Graph = func(map[string]string) (*graph.Graph, error) { return g, nil }
	return a, nil
}
