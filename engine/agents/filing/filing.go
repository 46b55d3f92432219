// Package filing prepares filings for the Railroad Commission of Texas: exceptions to the
// spacing rule (Rule 37, Form W-1) and to the flaring rule (Rule 32, Form R-32), from
// records of wells, leases, fields and operators.
//
// The computing is in packages of its own: spacing (distances against limits), flaring
// (volumes, thresholds, emissions), wells (the records, their import and who is meant by a
// name), api (API numbers). Geometry is engine/survey's. What they take from rules is in
// fact.go, with sources; what no source confirms is a person's to confirm.
//
// Kinds of the agent that prepare a filing go through one flow (flow.go): memory, skills,
// calls behind a gate, and a hold point at which a person signs the whole form. The kind
// that only drafts is a graph of one step (graph.yaml).
package filing

import (
	_ "embed"
	"fmt"
	"sync"

	"holdpoint/engine/agent"
	"holdpoint/engine/agents/filing/wells"
	"holdpoint/engine/definition"
	"holdpoint/engine/graph"
	"holdpoint/engine/ledger"
	"holdpoint/engine/record"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "filing"

//go:embed graph.yaml
var graphYAML []byte

// The rows that its stages and tools work on.
var (
	recordRows turn.Rows[record.Tx]
	entryRows  turn.Rows[ledger.Tx]
)

// New builds the agent; an error is a mistake in its own declarations.
func New(kit turn.Kit) (agent.Agent, error) {
	if err := kit.Needs(recordRows, entryRows); err != nil {
		return agent.Agent{ID: Name}, err
	}
	def, err := definition.Read(graphYAML)
	if err != nil {
		return agent.Agent{ID: Name}, err
	}
	by := map[string]kind{}
	for _, k := range kinds {
		by[k.id] = k
	}
	// Most commands ask for no graph.
	built := sync.OnceValues(func() (_ map[string]*graph.Graph, err error) {
		graphs := map[string]*graph.Graph{}
		if graphs[Desk], err = definition.Graph(def); err != nil {
			return nil, err
		}
		for _, k := range kinds {
			if graphs[k.id], err = (flow{k}).graph(); err != nil {
				return nil, err
			}
		}
		return graphs, nil
	})
	a := definition.Open(Name)
	a.Open, a.Experimental = false, true
	a.Title, a.Description, a.Example = def.Title, def.Description, def.Example
	a.SafetyLine = "Decision support, not legal or engineering advice: what is filed is checked and signed by a person."
	a.Patterns, a.PatternName = patterns(), TypeVar
	a.Graph = func(vars map[string]string) (*graph.Graph, error) {
		graphs, err := built()
		if err != nil {
			return nil, err
		}
		if g := graphs[a.Pattern(vars)]; g != nil {
			return g, nil
		}
		return nil, fmt.Errorf("filing: there is no type %q", a.Pattern(vars))
	}
	draft := a.Begin
	a.Begin = func(m turn.Message) graph.Patch {
		if k, ok := by[a.Pattern(m.Vars)]; ok {
			return begin(k, m)
		}
		return draft(m)
	}
	a.Tools, a.Subjects, a.Formats = tools(), subjects, wells.Formats()
	for _, of := range [...]struct{ typ, plural string }{{wells.WellType, "Wells"}, {wells.LeaseType, "Leases"}, {wells.FieldType, "Fields"}, {wells.OperatorType, "Operators"},
		{wells.PermitType, "Permits"}, {wells.ExceptionType, "Flaring exceptions"}, {wells.MonthType, "Months of flaring"}} {
		a.Records = append(a.Records, agent.RecordType{Type: of.typ, Plural: of.plural, Describe: wells.Describe, Names: wells.Names})
	}
	a.Records = append(a.Records, agent.RecordType{Type: FilingType, Plural: "Filings", Describe: describeFiling, Form: formOf})
	a.Maps, a.Map = []string{wells.WellType, wells.LeaseType}, draw
	a.Facts, a.Vectors, a.Skills = facts(), vectors, comeAlong
	a.Script = script(a.Script)
	return a, nil
}
