// Package prompt is the stage that asks a model: it assembles the prompt, runs the
// tool loop, lets guards act on the answer and reads it. Any graph may use it.
package prompt

import (
	"errors"
	"time"

	"holdpoint/engine/graph"
	"holdpoint/engine/identity"
	"holdpoint/engine/model"
	"holdpoint/engine/tool"
)

// Channels that graphs of prompt nodes share. Spec.Channels lists them all.
var (
	// Messages is the conversation with the person and the calls and results of the
	// run's tools.
	Messages = graph.Append[model.Message]("messages")
	// Context holds inputs and outputs by key; Spec.Context.
	Context = graph.Keyed("context")
	// Observations, Plan and Reflections are what earlier stages saw, mean to do and
	// think of what was done.
	Observations = graph.Append[string]("observations")
	Plan         = graph.Value[[]string]("plan")
	Reflections  = graph.Append[string]("reflections")
	// Reply is the answer to the person; Spec.Reply.
	Reply = graph.Value[string]("reply")
)

// Channels lists the channels above, for Spec.Channels.
func Channels() []graph.AnyChannel {
	return []graph.AnyChannel{Messages, Context, Observations, Plan, Reflections, Reply}
}

// History is what NoHistory hides of Messages: all but system messages; Spec.History.
func History() graph.History {
	return graph.HistoryOf(Messages, func(m model.Message) bool { return m.Role == "system" })
}

// Live is what Task.Live holds, as a pointer, in every graph of prompt nodes. It
// is never stored.
type Live struct {
	Models model.Set
	// Tools are all that the agent has; nodes choose from them by name.
	Tools *tool.Set
	// Caller is who asked; tools with a guard are refused to others.
	Caller identity.Caller
	// ApprovalTTL is how long a person has for a verdict; 0 means 7 days.
	ApprovalTTL time.Duration
	Region      string
}

func live(t *graph.Task) (*Live, error) {
	l, ok := t.Live.(*Live)
	if !ok || l.Models.Main == nil || l.Models.Light == nil {
		return nil, errors.New("prompt: no model at hand; choose one under Models, or practice mode")
	}
	return l, nil
}
