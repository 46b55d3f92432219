package filing

import (
	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// Nodes of the flow.
const (
	SystemPrompt graph.StageID = "system_prompt_node"
	MemoryNode   graph.StageID = "memory_node"
	ResumeGuard  graph.StageID = "resume_guard"
	InitialCall  graph.StageID = "initial_llm_call"
	ToolNode     graph.StageID = "tool_node"
	SkillSelect  graph.StageID = "skill_select_node"
	SkillInject  graph.StageID = "skill_inject_node"
	ApprovalNode graph.StageID = "approval_node"
	Synthesis    graph.StageID = "synthesis_llm_call"
	OutputFormat graph.StageID = "output_format"
)

// Edges of the flow: the one place that says what may follow what. A node names the way it
// takes, and why.
//
// Where the description ends the turn to wait for a person (tool_node and resume_guard to
// output_format), a turn here pauses: tool_node hands the frozen round to resume_guard,
// which waits there for the verdicts and is where a turn goes on after them.
func Edges() []graph.Edge {
	way := func(from graph.StageID, to ...graph.StageID) (out []graph.Edge) {
		for _, t := range to {
			out = append(out, graph.Edge{From: from, To: t, Type: graph.Choice})
		}
		return out
	}
	edges := []graph.Edge{
		{From: graph.Start, To: SystemPrompt, Type: graph.Entry},
		{From: SystemPrompt, To: MemoryNode, Type: graph.Sequence},
		{From: MemoryNode, To: ResumeGuard, Type: graph.Sequence},
		{From: SkillInject, To: ApprovalNode, Type: graph.Sequence},
		{From: OutputFormat, To: graph.End, Type: graph.Exit},
	}
	edges = append(edges, way(ResumeGuard, InitialCall, ToolNode)...)
	edges = append(edges, way(InitialCall, ToolNode, SkillSelect)...)
	edges = append(edges, way(ToolNode, InitialCall, Synthesis, ResumeGuard)...)
	edges = append(edges, way(SkillSelect, SkillInject, ApprovalNode)...)
	edges = append(edges, way(ApprovalNode, Synthesis, OutputFormat)...)
	return append(edges, way(Synthesis, ToolNode, ApprovalNode, OutputFormat)...)
}

// maxSteps bounds a turn's super-steps: its rounds of calls are bounded before, by
// iterations, and a person may grant more of them.
const maxSteps = 500

// flow is what the nodes of a kind share. It is immutable.
type flow struct{ kind kind }

func (f flow) graph() (*graph.Graph, error) {
	spec, err := turn.Guard(graph.Spec{
		Agent: Name, Title: f.kind.title, Description: f.kind.description + ".", MaxSteps: maxSteps, Limits: f.kind.limits(),
		Stages: []graph.Stage{
			{ID: SystemPrompt, Title: "Who speaks", Description: "Loads the root skill and puts persona and user together", Role: graph.RoleGate, Run: f.system},
			{ID: MemoryNode, Title: "Remember", Description: "Finds working memory and earlier conversations", Role: graph.RoleAssembly, Run: f.remember},
			{ID: ResumeGuard, Title: "Wait for the verdict", Description: "Holds a frozen round of calls until each of them has a verdict", Role: graph.RoleHold, Run: f.guard},
			{ID: InitialCall, Title: "Think", Description: "Asks the model for calls, skills or an answer", Role: graph.RoleFormat, Run: f.initial},
			{ID: ToolNode, Title: "Look up, compute, propose", Description: "Gates the whole round, then runs it", Role: graph.RoleHold, SideEffects: true, Run: f.act},
			{ID: SkillSelect, Quick: true, Title: "Select skills", Description: "Reads which skills the model asks for", Run: f.choose},
			{ID: SkillInject, Title: "Load skills", Description: "Adds definition, artifacts and what is known of the records", Run: f.inject},
			{ID: ApprovalNode, Title: "Hold point", Description: "Waits until what was put together is signed", Role: graph.RoleHold, SideEffects: true, Run: f.approve},
			{ID: Synthesis, Title: "Answer", Description: "Asks the model again with skills and verdicts", Role: graph.RoleReply, Run: f.synthesise},
			{ID: OutputFormat, Title: "Finish", Description: "Closes the turn and says what came of it", Role: graph.RoleFinalize, Run: f.output},
		},
		Edges: Edges(), Channels: channels(), Reply: ChannelReply,
	})
	if err != nil {
		return nil, err
	}
	return graph.New(spec)
}

// begin is the first state of a turn.
func begin(k kind, m turn.Message) graph.Patch {
	return graph.Patch{ChannelType.Set(k.id), ChannelStatus.Set("pending"), ChannelMessages.Set(userSays(m.Text)), ChannelHistory.Set(m.History), ChannelMetadata.Set(metadata(m.Vars))}
}

// leave is the result of a node that goes on.
func leave(node, to graph.StageID, why string, patch ...graph.Write) graph.Result {
	return graph.Result{Patch: append(graph.Patch{ChannelNode.Set(string(node))}, patch...), Goto: to, Reason: why}
}
