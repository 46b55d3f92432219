// Package filing prepares filings for the Railroad Commission of Texas: exceptions to the
// spacing rule (Rule 37, Form W-1) and to the flaring rule (Rule 32, Form R-32), from
// records of wells, leases, fields and operators.
//
// The computing is in packages of its own: spacing (distances against limits), flaring
// (volumes, thresholds, emissions), wells (the records, their import and who is meant by a
// name), api (API numbers). Geometry is engine/survey's. What they take from rules is in
// fact.go, with sources; what no source confirms is a person's to confirm.
//
// The agent is experimental: its graph is one step that asks a model and lets it use the
// tools, behind the safety check and the gate that all agents have.
package filing

import (
	_ "embed"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "filing"

//go:embed graph.yaml
var graphYAML []byte

// New builds the agent; an error is a mistake in its own declarations.
func New(turn.Kit) (agent.Agent, error) {
	def, err := definition.Parse(graphYAML)
	if err != nil {
		return agent.Agent{ID: Name}, err
	}
	g, err := definition.Graph(def)
	if err != nil {
		return agent.Agent{ID: Name}, err
	}
	a := definition.Open(Name)
	a.Open = false
	a.Title, a.Description, a.Example = def.Title, def.Description, def.Example
	a.Graph = func(map[string]string) (*graph.Graph, error) { return g, nil }
	a.Tools, a.Subjects, a.Formats = tools(), subjects, wells.Formats()
	for _, typ := range []string{wells.WellType, wells.LeaseType, wells.FieldType, wells.OperatorType, wells.PermitType, wells.ExceptionType, wells.MonthType} {
		a.Records = append(a.Records, agent.RecordType{Type: typ, Describe: wells.Describe})
	}
	a.Facts, a.Vectors = facts(), vectors
	a.Script = script(a.Script)
	return a, nil
}
