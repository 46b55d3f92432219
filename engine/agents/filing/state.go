package filing

import (
	"encoding/json"

	"holdpoint/engine/graph"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/rule"
	"holdpoint/engine/skill"
	"holdpoint/engine/turn"
)

// Values of channels.
const (
	running   = "running"
	awaiting  = "awaiting_hitl"
	completed = "completed"

	initial   = "initial"
	synthesis = "synthesis"
)

// Channels of the flow, under the names of its description. The run's row holds the ids,
// what was used and what may be: those here repeat it for conditions and for people.
var (
	ChannelType      = graph.Value[string]("agent_type")
	ChannelStatus    = graph.Value[string]("status")
	ChannelNode      = graph.Value[string]("current_node")
	ChannelIteration = graph.Value[int]("iteration")
	// ChannelError is why a call of the last round did not succeed; "" when all did. What
	// ends a turn is in the run's row.
	ChannelError = graph.Value[string]("error")

	ChannelMessages = graph.Value[[]model.Message]("messages")
	ChannelHistory  = graph.Value[[]turn.Exchange]("history")
	ChannelSystem   = graph.Value[string]("system_prompt")
	ChannelModel    = graph.Value[string]("model")

	ChannelTokens    = graph.Value[int]("tokens_used")
	ChannelCost      = graph.Value[float64]("cost_usd")
	ChannelMaxTokens = graph.Value[int]("max_tokens")
	ChannelMaxCost   = graph.Value[float64]("max_cost_usd")

	ChannelCalls = graph.Value[[]model.Call]("pending_tool_calls")

	// ChannelRecord is the record of what was injected; the ids beside it are its summary.
	ChannelRecord        = graph.Value[[]skill.Injected]("injection_record")
	ChannelSkills        = graph.Value[[]string]("injected_skill_ids")
	ChannelEntities      = graph.Value[[]string]("injected_entity_ids")
	ChannelActive        = graph.Value[map[string]int]("active_skills")
	ChannelSelected      = graph.Value[[]string]("selected_skill_ids")
	ChannelInjected      = graph.Value[bool]("skill_injection_done")
	ChannelSkillMessages = graph.Value[[]string]("skill_messages")
	// ChannelDropped are skills that changed and that nobody accepted as they are now.
	ChannelDropped = graph.Value[[]string]("dropped_skill_ids")

	ChannelPhase  = graph.Value[string]("llm_phase")
	ChannelMemory = graph.Value[Memory]("memory_context")

	ChannelRequired   = graph.Value[bool]("hitl_required")
	ChannelCheckpoint = graph.Value[string]("hitl_checkpoint_type")
	ChannelApproval   = graph.Value[string]("hitl_approval_id")
	ChannelReviewer   = graph.Value[string]("hitl_reviewer_id")
	ChannelStrategy   = graph.Value[string]("hitl_reviewer_strategy")
	// ChannelHolds are the results that wait, ChannelPassed says that the checkpoint of the
	// metadata was passed.
	ChannelHolds  = graph.Value[[]Hold]("holds")
	ChannelPassed = graph.Value[bool]("metadata_checkpoint_passed")

	ChannelRecent   = graph.Value[[]string]("recent_entity_context")
	ChannelMutation = graph.Value[*Mutation]("pending_mutation")
	ChannelUnclear  = graph.Value[int]("consecutive_failed_resolves")
	ChannelMetadata = graph.Value[map[string]string]("metadata")

	// ChannelDraft is what the model said last, ChannelTold that it was asked since
	// something changed, ChannelSpoken that the person was given the reply.
	ChannelDraft  = graph.Value[string]("draft")
	ChannelNews   = graph.Value[bool]("news_for_synthesis")
	ChannelSpoken = graph.Value[bool]("spoken")
	// ChannelTaken says that the agent made the calls for the form in the model's place,
	// ChannelDeclined that a person said no to making them. ChannelOutcome is what people
	// are told of verdicts where the model has no words for it.
	ChannelTaken    = graph.Value[bool]("taken_over")
	ChannelDeclined = graph.Value[bool]("assembly_declined")
	ChannelOutcome  = graph.Value[string]("outcome")
	ChannelReply    = graph.Value[string]("reply")
)

// channels are all of them.
func channels() []graph.AnyChannel {
	return []graph.AnyChannel{ChannelType, ChannelStatus, ChannelNode, ChannelIteration, ChannelError, ChannelMessages, ChannelHistory, ChannelSystem, ChannelModel,
		ChannelTokens, ChannelCost, ChannelMaxTokens, ChannelMaxCost, ChannelCalls, ChannelRecord, ChannelSkills, ChannelEntities, ChannelActive, ChannelSelected,
		ChannelInjected, ChannelSkillMessages, ChannelDropped, ChannelPhase, ChannelMemory, ChannelRequired, ChannelCheckpoint, ChannelApproval, ChannelReviewer,
		ChannelStrategy, ChannelHolds, ChannelPassed, ChannelRecent, ChannelMutation, ChannelUnclear, ChannelMetadata, ChannelDraft, ChannelNews, ChannelSpoken, ChannelTaken, ChannelDeclined, ChannelOutcome, ChannelReply}
}

// Memory is what the turn recalled. Only names are kept: what was forgotten since is in no
// later prompt.
type Memory struct {
	Episodes []memory.Used `json:"episodes"`
}

// Mutation is a round of calls that waits for a person, frozen: nothing of it was
// dispatched, and no verdict is in it.
type Mutation struct {
	// Call is the first that waits, with its approval; Approvals are those of all, by call.
	Call      string            `json:"tool_call_id"`
	Tool      string            `json:"tool"`
	Args      json.RawMessage   `json:"args"`
	Approval  string            `json:"hitl_approval_id"`
	Approvals map[string]string `json:"approvals"`
	Status    string            `json:"status"` // pending
	// Round is the whole message with its calls, Phase the one that it was asked in.
	Round model.Message `json:"round"`
	Phase string        `json:"llm_phase"`
}

// Hold is a result that nobody may go by until it was signed.
type Hold struct {
	Call   model.Call      `json:"call"`
	Result json.RawMessage `json:"result"`
	Rule   rule.Firing     `json:"rule"`
}
