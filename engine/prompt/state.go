// Package prompt is the stage that asks a model: it assembles the prompt, runs the
// tool loop, lets guards act on the answer and reads it. Any graph may use it.
package prompt

import (
	"holdpoint/engine/graph"
	"holdpoint/engine/model"
	"holdpoint/engine/skill"
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

// Skills is the record of what was loaded, for graphs with a Node.Skills.
var Skills = graph.Append[skill.Injected]("injected_skills")

// Channels lists the channels above but Skills, for Spec.Channels.
func Channels() []graph.AnyChannel {
	return []graph.AnyChannel{Messages, Context, Observations, Plan, Reflections, Reply}
}

// History is what NoHistory hides of Messages: all but system messages; Spec.History.
func History() graph.History {
	return graph.HistoryOf(Messages, func(m model.Message) bool { return m.Role == "system" })
}
