package filing

import (
	"cmp"
	_ "embed"
	"strings"
	"time"

	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
)

// Kinds of the agent, the values of the var "type".
const (
	Desk              = "desk"
	Rule37            = "rule_37"
	Rule32            = "rule_32"
	FlaringMonitor    = "flaring_monitor"
	ComplianceMonitor = "compliance_monitor"
	General           = "general"
)

// TypeVar chooses the kind.
const TypeVar = "type"

//go:embed personas/default.md
var defaultPersona string

//go:embed personas/general.md
var generalRefusal string

// kind is what an agent of a type has: its root skill or the tools in its place, and what a
// turn may use.
type kind struct {
	id, title, description, example string
	// root is the skill that the agent begins with; "" for none.
	root string
	// selects says that more skills may be selected.
	selects bool
	// fixed are tools that it has without a skill; they give bare results.
	fixed []string
	// refuses is told to the model of an agent without a domain.
	refuses string
	// assembly is the tool that puts its form together, before are those that compute what
	// people want to see beside it; both take the record that the form is about as the
	// argument about, which people name by what by says.
	assembly  string
	before    []string
	about, by string
	tokens    int
	cost      float64
}

// usualTokens and usualCost are the budget of a turn where its kind says nothing else.
const (
	usualTokens = 100_000
	usualCost   = 5
	// usualIterations bounds the rounds of calls of a turn, its pauses included.
	usualIterations = 20
	// usualTime is how long a turn may work, waits for people not counted: a small model on
	// a laptop reads a form for minutes.
	usualTime = 2 * time.Hour
)

// kinds are those that go through the flow. Budgets: rows 5 and 70 of the description.
var kinds = []kind{
	{id: Rule37, title: "Rule 37: spacing exception", description: "Prepares Form W-1 with a spacing exception and stops until it is signed", example: "Prepare the Rule 37 exception for this well",
		root: "rrc_rule37", selects: true, assembly: Rule37Assembly, before: []string{SpacingAssessment}, about: "well", by: "its API number or its name", tokens: 150_000, cost: 10},
	{id: Rule32, title: "Rule 32: flaring exception", description: "Prepares Form R-32 and stops until it is signed", example: "Prepare the Rule 32 exception for this lease",
		root: "rrc_rule32", selects: true, assembly: Rule32Assembly, about: "lease", by: "its name or its id", tokens: 100_000, cost: 8},
	{id: FlaringMonitor, title: "Flaring compliance", description: "Adds up flared gas and estimates emissions", example: "How much gas did this lease flare?",
		fixed: []string{FlaringVolume, EmissionsEstimate}, tokens: 300_000, cost: 20},
	{id: ComplianceMonitor, title: "Compliance monitor", description: "Watches volumes and emissions against what is allowed", example: "Is this lease within what is allowed?",
		fixed: []string{FlaringVolume, EmissionsEstimate}, tokens: 200_000, cost: 15},
	{id: General, title: "General", description: "Finds records and nothing else", example: "Which well is this?", refuses: generalRefusal},
}

func (k kind) limits() graph.Limits {
	return graph.Limits{Tokens: cmp.Or(k.tokens, usualTokens), Cost: cmp.Or(k.cost, usualCost), Time: usualTime, Rounds: usualIterations}
}

// patterns are the kinds as people choose among them; the first needs no signature,
// because nothing of what it drafts is kept.
func patterns() []agent.Pattern {
	out := []agent.Pattern{{ID: Desk, Title: "Ask and draft", Description: "Answers from the records, measures, and drafts forms that nobody signs", Example: "Does this well keep the spacing rule?"}}
	for _, k := range kinds {
		out = append(out, agent.Pattern{ID: k.id, Title: k.title, Description: k.description + ".", Example: k.example})
	}
	return out
}

// Metadata are the vars that the flow reads. Their names are those of the description.
const (
	metaPersona    = "persona"
	metaSystem     = "system_prompt"
	metaName       = "display_name"
	metaRole       = "role"
	metaCheckpoint = "hitl_checkpoint_type"
)

// metadata are the vars of a run that say something about it, as the state keeps them.
func metadata(vars map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range []string{metaPersona, metaName, metaRole, metaCheckpoint} {
		if v := strings.TrimSpace(vars[name]); v != "" {
			out[name] = v
		}
	}
	return out
}
