package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdpoint/engine/agents/navigator"
	"holdpoint/engine/agents/reasoner"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/prompt"
	"holdpoint/engine/run"
	"holdpoint/engine/tool"
	"holdpoint/engine/tool/calculator"
)

// reasonerAgent is the built-in agent of prompt nodes, with its patterns.
func reasonerAgent(tools *tool.Set) *Agent {
	x := promptAgent(tools, AgentInfo{ID: reasoner.Name, Title: "Reasoner", Kind: BuiltIn,
		Description: "Works on a question by a pattern of your choice: plans, acts, looks things up, checks itself, and asks before it changes anything."})
	for _, p := range definition.Patterns() {
		x.Patterns = append(x.Patterns, Pattern{ID: p.ID, Title: p.Title, Description: p.Description, Example: p.Example})
	}
	x.Graph = func(vars map[string]string) (*graph.Graph, error) {
		def, err := reasoner.Definition(vars[patternVar])
		if err != nil {
			return nil, err
		}
		return compiled(def)
	}
	return x
}

// promptTools are those of every agent of prompt nodes: the navigator's, on the
// same records, and a calculator.
func promptTools(nav *navigator.Agent) (*tool.Set, error) {
	return joined(nav.Tools, calculator.New())
}

// joined is a set with further tools.
func joined(s *tool.Set, more ...tool.Tool) (*tool.Set, error) {
	var all []tool.Tool
	for _, d := range s.Describe() {
		t, err := s.Get(d.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return tool.NewSet(append(all, more...)...)
}

// promptAgent is an agent whose graph is made of prompt nodes; tools from outside
// come to its own.
func promptAgent(tools *tool.Set, info AgentInfo) *Agent {
	return &Agent{AgentInfo: info, Tools: tools, Outside: true,
		Admit: func(a run.Admission, history []navigator.Exchange) run.Admission {
			said := make([]reasoner.Exchange, len(history))
			for i, h := range history {
				said[i] = reasoner.Exchange(h)
			}
			return reasoner.Admit(a, said)
		},
		Live: func(b Beside) any {
			return &prompt.Live{Models: b.Models, Tools: b.Tools, Region: b.Region, Caller: b.Caller}
		}}
}

// compiled makes the graph of a definition, behind the reviewed safety rules.
func compiled(def definition.Definition) (*graph.Graph, error) {
	spec, err := definition.Compile(def)
	if err != nil {
		return nil, err
	}
	spec, err = guarded(spec, func(t *graph.Task) string {
		if l, ok := t.Live.(*prompt.Live); ok {
			return l.Region
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return graph.New(spec)
}

// parseAgent makes an agent and its graph of a definition, or says all that is
// wrong with it.
func parseAgent(tools *tool.Set, body string) (*Agent, *graph.Graph, []Problem) {
	def, err := definition.Parse([]byte(body))
	if err != nil {
		return nil, nil, problemsOf(err)
	}
	if taken := ownNames(def, body); len(taken) > 0 {
		return nil, nil, taken
	}
	g, err := compiled(def)
	if err != nil {
		return nil, nil, problemsOf(err)
	}
	title := def.Title
	if title == "" {
		title = def.Name
	}
	return promptAgent(tools, AgentInfo{ID: def.Name, Title: title, Description: def.Description, Example: def.Example}), g, nil
}

func problemsOf(err error) []Problem {
	var found definition.Problems
	if !errors.As(err, &found) {
		return []Problem{{Message: err.Error()}}
	}
	out := make([]Problem, len(found))
	for i, p := range found {
		out[i] = Problem{Line: p.Line, Column: p.Column, Path: p.Path, Message: p.Message}
	}
	return out
}

// ownNames finds nodes that have the name of a stage that every graph gets.
func ownNames(def definition.Definition, body string) []Problem {
	var found definition.Problems
	for i, n := range def.Nodes {
		if !slices.Contains(guardedStages, graph.StageID(n.Name)) {
			continue
		}
		found = append(found, definition.ProblemAt([]byte(body), fmt.Sprintf("nodes[%d].name", i), "%s is the name of a stage that every graph begins with; choose another", n.Name))
	}
	return problemsOf(found)
}

// grown is the graph of a run with the changes that the run made to it.
func grown(g *graph.Graph, row run.Run) (*graph.Graph, error) { return g.Grown(row.Mutations) }

// AgentSchema is the JSON Schema of agents' files.
func AgentSchema() json.RawMessage { return definition.Schema() }

// agentHelp are the help pages for authors of graphs.
func agentHelp() []HelpPage {
	var out []HelpPage
	for _, id := range definition.Topics() {
		text := strings.TrimSpace(definition.Doc(id))
		title := id
		if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
			title = strings.TrimSpace(first[2:])
		}
		out = append(out, HelpPage{ID: id, Title: title, Markdown: text})
	}
	return out
}
