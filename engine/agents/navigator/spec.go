// Package navigator is a clinical care navigator: one graph for the whole turn,
// with a tool pipeline that assembles context and a tool loop that asks before
// it changes anything.
package navigator

import (
	"holdpoint/engine/graph"
	"holdpoint/engine/tool"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "navigator"

// Stages of the whole turn.
const (
	Preflight          graph.StageID = "preflight"
	SafetyIntervention graph.StageID = "safety_intervention"
	AssemblyGate       graph.StageID = "assembly_gate"
	ContextAssembly    graph.StageID = "context_assembly"
	EmpathyStage       graph.StageID = "empathy"
	ContextFormat      graph.StageID = "context_format"
	Navigate           graph.StageID = "navigator"
	Finalize           graph.StageID = "finalize"

	// Stages inside navigator.
	Think graph.StageID = "think"
	Act   graph.StageID = "act"
)

// Conditions, each a question to one channel.
const (
	SafetyHijacked    = "safety_hijacked"
	NotSafetyHijacked = "not_safety_hijacked"
	AssemblyFailed    = "assembly_failed"
	NotAssemblyFailed = "not_assembly_failed"
	HasCalls          = "has_calls"
	NoCalls           = "no_calls"
)

// maxSteps bounds a turn: six tool rounds are twelve super-steps beside the six
// of the outer graph.
const maxSteps = 30

// Edges of the whole turn: the one place that says what follows what.
func Edges() []graph.Edge {
	return []graph.Edge{
		{From: graph.Start, To: Preflight, Type: graph.Entry},
		{From: Preflight, To: SafetyIntervention, Type: graph.Conditional, Condition: SafetyHijacked},
		{From: Preflight, To: AssemblyGate, Type: graph.Conditional, Condition: NotSafetyHijacked},
		{From: SafetyIntervention, To: Finalize, Type: graph.TerminalPath},
		{From: AssemblyGate, To: ContextAssembly, Type: graph.ParallelBranch},
		{From: AssemblyGate, To: EmpathyStage, Type: graph.ParallelBranch},
		{From: ContextAssembly, To: ContextFormat, Type: graph.JoinInput},
		{From: EmpathyStage, To: ContextFormat, Type: graph.JoinInput},
		{From: ContextFormat, To: Navigate, Type: graph.Conditional, Condition: NotAssemblyFailed},
		{From: ContextFormat, To: Finalize, Type: graph.Conditional, Condition: AssemblyFailed},
		{From: Navigate, To: Finalize, Type: graph.Sequence},
		{From: Finalize, To: graph.End, Type: graph.Exit},
	}
}

// Agent is the navigator, ready to run. It is immutable and safe for concurrent use.
type Agent struct {
	Graph *graph.Graph
	Tools *tool.Set
	// Context is the pipeline that context_assembly runs.
	Context *Context
}

// New builds the agent; an error is a mistake in its own declarations.
func New() (*Agent, error) {
	a := &Agent{}
	var err error
	if a.Tools, err = tool.NewSet(tools()...); err != nil {
		return nil, err
	}
	if a.Context, err = newContext(); err != nil {
		return nil, err
	}
	a.Graph, err = graph.New(a.spec())
	return a, err
}

func (a *Agent) spec() graph.Spec {
	inner := graph.Spec{
		Stages: []graph.Stage{
			{ID: Think, Role: graph.RoleReply, Title: "Think", Description: "Asks the main model for the reply or for tool calls", Run: a.think},
			{ID: Act, Role: graph.RoleHold, Title: "Act", Description: "Runs read tools; holds every change until a person approved it", Acts: true, Run: a.act},
		},
		Edges: []graph.Edge{
			{From: graph.Start, To: Think, Type: graph.Entry},
			{From: Think, To: Act, Type: graph.Conditional, Condition: HasCalls},
			{From: Think, To: graph.End, Type: graph.Conditional, Condition: NoCalls},
			{From: Act, To: Think, Type: graph.Sequence},
		},
		Conditions: []graph.Condition{graph.When(HasCalls, ChannelHasCalls), graph.Unless(NoCalls, ChannelHasCalls)},
	}
	return graph.Spec{
		Agent: Name, Title: "Care navigator", MaxSteps: maxSteps,
		Description: "Answers about a patient's care, finds providers and books visits, and asks before it changes anything.",
		Stages: []graph.Stage{
			{ID: Preflight, Role: graph.RolePreflight, Title: "Preflight", Description: "Checks the message for danger and says what it is about", Run: a.preflight},
			{ID: SafetyIntervention, Role: graph.RoleIntervention, Title: "Safety intervention", Description: "Answers with a reviewed crisis text", Run: a.intervene},
			{ID: AssemblyGate, Role: graph.RoleGate, Title: "Assembly gate", Description: "Chooses the context tools of this turn", Run: a.gate},
			{ID: ContextAssembly, Role: graph.RoleAssembly, Title: "Context assembly", Description: "Runs the context tools that are due", Run: a.assemble},
			{ID: EmpathyStage, Title: "Empathy", Description: "Reads the tone of the message", Run: a.empathy},
			{ID: ContextFormat, Role: graph.RoleFormat, Title: "Context format", Description: "Puts the bundles into the prompt", Run: a.format},
			{ID: Navigate, Role: graph.RoleLoop, Title: "Navigator", Description: "Talks, looks things up, proposes changes", Graph: &inner},
			{ID: Finalize, Role: graph.RoleFinalize, Title: "Finalize", Description: "Closes the turn", Run: a.finalize},
		},
		Edges: Edges(),
		Conditions: []graph.Condition{
			graph.When(SafetyHijacked, ChannelHijacked).AsSafety(), graph.Unless(NotSafetyHijacked, ChannelHijacked).AsSafety(),
			graph.When(AssemblyFailed, ChannelFailed), graph.Unless(NotAssemblyFailed, ChannelFailed),
		},
		Channels: []graph.AnyChannel{ChannelMessage, ChannelPatient, ChannelHistory, ChannelHijacked, ChannelFailed, ChannelSafety, ChannelIntent,
			ChannelTools, ChannelBundle, ChannelAssembly, ChannelEmpathy, ChannelContext, ChannelMessages, ChannelHasCalls, ChannelReply, ChannelCompleted},
		Reply: ChannelReply,
	}
}
