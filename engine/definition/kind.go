package definition

import (
	"slices"
	"strings"
)

// Kinds of nodes. docs/nodes.md says what each does.
const (
	KindPrompt     = "prompt"
	KindTool       = "tool"
	KindTransform  = "transform"
	KindRouter     = "router"
	KindGuard      = "guard"
	KindLoop       = "loop"
	KindHuman      = "human"
	KindParallel   = "parallel"
	KindSubgraph   = "subgraph"
	KindObserve    = "observe"
	KindCritique   = "critique"
	KindJustify    = "justify"
	KindSynthesize = "synthesize"
	KindValidate   = "validate"
	KindRetry      = "retry"
	KindFanOut     = "fan_out"
	KindAutonomous = "autonomous"
	KindPlan       = "plan"
	KindAct        = "act"
	KindThink      = "think"
	KindReflect    = "reflect"
	KindAnswer     = "answer"
)

// form is what a kind takes beside the fields that every node has.
type form struct {
	kind  string
	asks  bool // fields of nodes that ask a model
	needs []string
	takes []string
}

var (
	everyField = []string{"name", "kind", "title", "description", "flags", "inputs", "output", "inherit_context_from", "max_retries", "within",
		"output_schema", "default_next", "transitions", "on_error"}
	askFields = []string{"instructions", "blocks", "strategies", "perspective", "perspective_text", "tools", "skills", "max_tokens", "temperature", "guards"}
)

var forms = []form{
	{kind: KindPrompt, asks: true, needs: []string{"instructions"}, takes: []string{"routes"}},
	{kind: KindTool, needs: []string{"tool"}, takes: []string{"arguments"}},
	{kind: KindTransform, takes: []string{"template", "pick", "set", "count"}},
	{kind: KindRouter, needs: []string{"choices"}, takes: []string{"instructions"}},
	{kind: KindGuard, needs: []string{"guards", "inputs"}, takes: []string{"retry_at"}},
	{kind: KindLoop, needs: []string{"nodes"}, takes: []string{"edges", "entry", "until", "times"}},
	{kind: KindHuman, needs: []string{"question"}, takes: []string{"answers"}},
	{kind: KindParallel, needs: []string{"nodes"}},
	{kind: KindSubgraph, takes: []string{"nodes", "edges", "entry", "use"}},
	{kind: KindObserve, asks: true},
	{kind: KindCritique, asks: true},
	{kind: KindJustify, asks: true},
	{kind: KindSynthesize, asks: true},
	{kind: KindValidate, needs: []string{"inputs", "guards"}},
	{kind: KindRetry, needs: []string{"nodes", "until"}, takes: []string{"times"}},
	{kind: KindFanOut, needs: []string{"over"}, takes: []string{"at_once", "instructions", "tool", "arguments", "max_tokens", "temperature"}},
	{kind: KindAutonomous, needs: []string{"pool"}, takes: []string{"instructions", "max_steps"}},
	{kind: KindPlan, asks: true},
	{kind: KindAct, asks: true, takes: []string{"routes"}},
	{kind: KindThink, asks: true, takes: []string{"routes"}},
	{kind: KindReflect, asks: true},
	{kind: KindAnswer, asks: true},
}

var edgeTypes = []string{"sequence", "conditional", "safety", "parallel_branch", "join_input", "choice", "match", "error"}

// Names of strategies and perspectives that a prompt can ask for.
var (
	strategyNames    = []string{"chain_of_thought", "structured_reasoning", "self_critique", "plan_and_execute", "decompose"}
	perspectiveNames = []string{"analyst", "critic", "advisor", "creative", "custom"}
)

// KindNames lists the kinds of nodes.
func KindNames() []string {
	out := make([]string, len(forms))
	for i, f := range forms {
		out[i] = f.kind
	}
	return out
}

// StrategyNames and PerspectiveNames list what prompts can ask for.
func StrategyNames() []string    { return slices.Clone(strategyNames) }
func PerspectiveNames() []string { return slices.Clone(perspectiveNames) }

func formOf(kind string) form {
	i := slices.IndexFunc(forms, func(f form) bool { return f.kind == kind })
	if i < 0 {
		return form{}
	}
	return forms[i]
}

// fields are all that the kind takes, in the order that people are told.
func (f form) fields() []string {
	out := slices.Clone(everyField)
	if f.asks {
		out = append(out, askFields...)
	}
	return append(append(out, f.needs...), f.takes...)
}

// nested says that the kind is a graph of its own.
func nested(kind string) bool {
	return slices.Contains([]string{KindLoop, KindRetry, KindParallel, KindSubgraph, KindAutonomous}, kind)
}

// KindDoc is the paragraph on a kind from docs/nodes.md; "" for a name that is none.
func KindDoc(kind string) string { return section(Doc("nodes"), kind) }

// section is the text under a heading "## name" of a document.
func section(doc, name string) string {
	_, after, ok := strings.Cut("\n"+doc, "\n## "+name+"\n")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(after, "\n## ")
	return strings.TrimSpace(text)
}
