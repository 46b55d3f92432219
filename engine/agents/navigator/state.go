package navigator

import (
	"encoding/json"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/model"
)

// Exchange is one earlier turn of the conversation.
type Exchange struct {
	User  string `json:"user"`
	Reply string `json:"reply"`
}

// Section names a part of the context that could not be assembled.
type Section = journal.Section

// Safety is the finding of preflight.
type Safety struct {
	// By says who checked: "rules+model" or, when the classifier failed, "rules".
	By       string `json:"by"`
	Category string `json:"category,omitempty"`
	Region   string `json:"region"`
	// Concern is set when the model saw a risk that the rules saw no sign of.
	Concern  bool   `json:"concern,omitempty"`
	Degraded bool   `json:"degraded,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Empathy guides the tone of the reply.
type Empathy struct {
	Tone            string `json:"tone"`
	Acknowledgement string `json:"acknowledgement"`
}

// Assembly is what context_assembly reports besides the bundle.
type Assembly struct {
	Ran      []string  `json:"ran"`
	Skipped  []Section `json:"skipped"` // tool and why it did not run
	Degraded []Section `json:"degraded"`
	Missing  []Section `json:"missing"`
}

// Channels of the navigator's state.
var (
	ChannelMessage   = graph.Value[string]("message")
	ChannelPatient   = graph.Value[string]("patient")
	ChannelHistory   = graph.Value[[]Exchange]("history")
	ChannelHijacked  = graph.Value[bool]("safety_hijacked")
	ChannelFailed    = graph.Value[bool]("assembly_failed")
	ChannelSafety    = graph.Value[Safety]("safety")
	ChannelIntent    = graph.Value[string]("intent")
	ChannelTools     = graph.Value[[]string]("assembly_tools")
	ChannelBundle    = graph.Value[map[string]json.RawMessage]("bundle")
	ChannelAssembly  = graph.Value[Assembly]("assembly")
	ChannelEmpathy   = graph.Value[Empathy]("empathy")
	ChannelContext   = graph.Value[string]("context")
	ChannelMessages  = graph.Append[model.Message]("navigator_messages")
	ChannelHasCalls  = graph.Value[bool]("has_calls")
	ChannelReply     = graph.Value[string]("reply")
	ChannelCompleted = graph.Append[graph.StageID]("completed_stages")
)
