package definition

import (
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/tool"
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

// reading makes a node that must not change anything, and names tools that do not, one that
// only reads: what a tool of that name does later cannot change that.
func (n *Node) reading(tools []tool.Description) {
	if !n.has("retryable") && !n.has("cacheable") || !n.acts() || len(n.Skills) > 0 || n.Kind == KindAct && n.Tools == nil {
		return
	}
	named := n.Tools
	if n.Tool != "" {
		named = append(slices.Clone(named), n.Tool)
	}
	for _, name := range named {
		i := slices.IndexFunc(tools, func(t tool.Description) bool { return t.Name == name })
		if i < 0 || tools[i].Mutates {
			return
		}
	}
	n.Flags = append(slices.Clone(n.Flags), "readonly")
}

// First is the first state of a turn whose vars were accepted.
func (def *Definition) First(m turn.Message) graph.Patch {
	said := turn.Conversation(m.History)
	p, err := def.Begin(m.Text, m.Vars, said...)
	if err != nil {
		return State(m.Text, m.Vars, said...) // one that began before the vars had types
	}
	return p
}

// Accept says what is wrong with the vars of a turn; the error wraps ErrVars.
func (def *Definition) Accept(vars map[string]string) error {
	_, err := def.values(vars)
	return err
}

// Agent makes an agent of a file's text. The error is Problems wherever the author can
// mend it. tools are those that are there; a name with a dot is that of a server's tool,
// and a server may be away.
func Agent(text []byte, tools []tool.Description) (agent.Agent, error) {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	r := inspect(text, tools)
	def, d, taken := r.def, r.d, r.found
	if d == nil {
		return agent.Agent{}, taken.sorted()
	}
	for i, n := range def.Nodes {
		if slices.Contains(turn.CrisisStages(), graph.StageID(n.Name)) {
			taken = append(taken, d.at(fmt.Sprintf("nodes[%d].name", i), "%s is the name of a stage that every graph begins with; choose another", n.Name))
		}
	}
	outputs(def.Nodes, "nodes", 0, func(n *Node, at string) {
		named, paths := n.Tools, make([]string, len(n.Tools))
		for i := range named {
			paths[i] = fmt.Sprintf("%s.tools[%d]", at, i)
		}
		if n.Tool != "" {
			named, paths = append(slices.Clone(named), n.Tool), append(paths, at+".tool")
		}
		for i, name := range named {
			if name != "" && name != "*" && !strings.Contains(name, ".") && !slices.Contains(names, name) {
				taken = append(taken, d.at(paths[i], "%s", noTool(name, names)))
			}
		}
		if i := slices.Index(names, n.Tool); i >= 0 && n.Tool != "" {
			taken = append(taken, d.misfits(n, at, &tools[i], def.Rules)...)
		}
	})
	for i := range def.Rules {
		taken = append(taken, d.toolsOf(&def.Rules[i], fmt.Sprintf("rules[%d]", i), tools)...)
	}
	if len(taken) > 0 {
		return agent.Agent{}, taken.sorted()
	}
	g, err := Graph(def)
	if err != nil {
		return agent.Agent{}, err
	}
	a := Open(def.Name)
	a.Title, a.Description, a.Example = or(def.Title, def.Name), def.Description, def.Example
	a.Graph = func(map[string]string) (*graph.Graph, error) { return g, nil }
	a.Asks, a.Accept = def.asks(), def.Accept
	a.Begin = def.First
	return a, nil
}
