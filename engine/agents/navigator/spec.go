// Package navigator is a clinical care navigator: one graph for the whole turn,
// with a tool pipeline that assembles context and a tool loop that asks before
// it changes anything.
package navigator

import (
	"holdpoint/engine/agent"
	"holdpoint/engine/graph"
	"holdpoint/engine/pipeline"
	"holdpoint/engine/record"
	"holdpoint/engine/session"
	"holdpoint/engine/tool"
	"holdpoint/engine/turn"
)

// Name is the agent's name on the command line and in stored runs.
const Name = "navigator"

// Stages of the whole turn.
const (
	Preflight                        = turn.Preflight
	SafetyIntervention               = turn.SafetyIntervention
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
		{From: Preflight, To: SafetyIntervention, Type: graph.Conditional, Condition: turn.SafetyHijacked},
		{From: Preflight, To: AssemblyGate, Type: graph.Conditional, Condition: turn.NotSafetyHijacked},
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

// navigator is what the stages share. It is immutable and safe for concurrent use.
type navigator struct {
	tools *tool.Set
	// context is the pipeline that context_assembly runs.
	context *contextTools
	light   *turn.Light
}

// The rows that its stages and tools work on.
var (
	recordRows turn.Rows[record.Tx]
	skipRows   turn.Rows[pipeline.SkipTx]
)

// New builds the agent; an error is a mistake in its own declarations.
func New(kit turn.Kit) (agent.Agent, error) {
	if err := kit.Needs(recordRows, skipRows); err != nil {
		return agent.Agent{}, err
	}
	own := tools()
	set, err := tool.NewSet(own...)
	if err != nil {
		return agent.Agent{}, err
	}
	pipeline, err := newContext(kit)
	if err != nil {
		return agent.Agent{}, err
	}
	phases, err := pipeline.phases()
	if err != nil {
		return agent.Agent{}, err
	}
	light, err := newLight()
	if err != nil {
		return agent.Agent{}, err
	}
	spec, err := (&navigator{set, pipeline, light}).spec()
	if err == nil {
		err = turn.LateCheck(&spec)
	}
	if err != nil {
		return agent.Agent{}, err
	}
	g, err := graph.New(spec)
	return agent.Agent{ID: Name, Title: spec.Title, Description: spec.Description,
		Graph: func(map[string]string) (*graph.Graph, error) { return g, nil }, Begin: begin,
		Light: light, Tools: own, Phases: phases, Plan: pipeline.registry.Plan, Memory: memoryViews(pipeline.list), Texts: texts, Subjects: []string{patientType}, Script: script()}, err
}

// begin is the first state of a turn.
func begin(m turn.Message) graph.Patch {
	return graph.Patch{ChannelMessage.Set(m.Text), ChannelPatient.Set(patientOf(session.SubjectOf(m.Vars))), ChannelHistory.Set(m.History)}
}

func (a *navigator) spec() (graph.Spec, error) {
	preflight, err := a.preflight()
	inner := graph.Spec{
		Stages: []graph.Stage{
			{ID: Think, Role: graph.RoleReply, Title: "Write the reply", Description: "Asks the main model for the reply or for tool calls", Run: a.think},
			{ID: Act, Role: graph.RoleHold, Title: "Look up, or propose", Description: "Runs read tools; holds every change until a person approved it", SideEffects: true, Run: a.act},
		},
		Edges: []graph.Edge{
			{From: graph.Start, To: Think, Type: graph.Entry},
			{From: Think, To: Act, Type: graph.Conditional, Condition: HasCalls},
			{From: Think, To: graph.End, Type: graph.Conditional, Condition: NoCalls},
			{From: Act, To: Think, Type: graph.Sequence},
		},
		Conditions: []graph.Condition{graph.When(HasCalls, ChannelHasCalls).Called("something to look up or propose"), graph.Unless(NoCalls, ChannelHasCalls).Called("the reply is written")},
	}
	return graph.Spec{
		Agent: Name, Title: "Care navigator", MaxSteps: maxSteps,
		Description: "Answers about a patient's care, finds providers and books visits, and asks before it changes anything.",
		Stages: []graph.Stage{
			preflight,
			turn.InterventionStage(ChannelReply, ChannelCompleted.Add(SafetyIntervention)),
			{ID: AssemblyGate, Role: graph.RoleGate, Title: "Choose what to read", Description: "Chooses the context tools of this turn", Run: a.gate},
			{ID: ContextAssembly, Role: graph.RoleAssembly, Title: "Read the record", Description: "Runs the context tools that are due", Run: a.assemble},
			{ID: EmpathyStage, Quick: true, Title: "Hear the tone", Description: "Reads the tone of the message", Run: a.empathy},
			{ID: ContextFormat, Role: graph.RoleFormat, Title: "Sum up for the model", Description: "Puts the bundles into the prompt", Run: a.format},
			{ID: Navigate, Role: graph.RoleLoop, Title: "Answer", Description: "Talks, looks things up, proposes changes", Graph: &inner},
			{ID: Finalize, Role: graph.RoleFinalize, Title: "Finish", Description: "Closes the turn", Run: a.finalize},
		},
		Edges:      Edges(),
		Conditions: append(turn.CrisisConditions(), graph.When(AssemblyFailed, ChannelFailed).Called("the record is missing"), graph.Unless(NotAssemblyFailed, ChannelFailed).Called("the record was read")),
		Channels: []graph.AnyChannel{ChannelMessage, ChannelPatient, ChannelHistory, turn.ChannelHijacked, ChannelFailed, turn.ChannelSafety, ChannelIntent,
			ChannelTools, ChannelBundle, ChannelAssembly, ChannelEmpathy, ChannelContext, ChannelMessages, ChannelHasCalls, ChannelReply, ChannelCompleted},
		Reply:  ChannelReply,
		Failed: turn.Unanswered,
	}, err
}
