package navigator

import (
	"encoding/json"

	"holdpoint/engine/graph"
	"holdpoint/engine/journal"
	"holdpoint/engine/memory"
	"holdpoint/engine/model"
	"holdpoint/engine/turn"
)

// Section names a part of the context that could not be assembled.
type Section = journal.Section

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
	// Standing is how many bytes of the context hold for the session; the rest is the turn's.
	Standing int `json:"standing,omitempty"`
	// Memories are the earlier conversations that fit the message.
	Memories []memory.Used `json:"memories,omitempty"`
}

// Channels of the navigator's state, beside those of package turn. The history's
// type has moved.
var (
	ChannelMessage   = graph.Value[string]("message")
	ChannelPatient   = graph.Value[string]("patient")
	ChannelHistory   = graph.Value[[]turn.Exchange]("history").Formerly("[]navigator.Exchange")
	ChannelFailed    = graph.Value[bool]("assembly_failed")
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
