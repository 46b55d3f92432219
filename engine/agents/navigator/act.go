package navigator

import (
	"context"
	"errors"

	"holdpoint/engine/graph"
	"holdpoint/engine/turn"
)

// PolicyVersion names the rules by which calls are gated; part of every digest.
const PolicyVersion = "navigator-gate/1"

// act answers the calls of the last assistant message.
func (a *navigator) act(ctx context.Context, t *graph.Task) (graph.Result, error) {
	messages := ChannelMessages.Get(t.State)
	if len(messages) == 0 {
		return graph.Result{}, errors.New("navigator: no call to act on")
	}
	last := messages[len(messages)-1]
	answer, paused, err := turn.Act{Tools: a.tools, Calls: last.Calls, Earlier: messages[:len(messages)-1], Policy: PolicyVersion, Reason: last.Text, Echoes: spoken.With(ChannelHistory.Get(t.State)).Echoes}.Take(ctx, t)
	if err != nil {
		return graph.Result{}, err
	}
	if paused != nil {
		return *paused, nil
	}
	res := done(Navigate+"/"+Act, graph.Patch{ChannelMessages.Add(answer.Messages...), ChannelHasCalls.Set(false)})
	res.Events = answer.Events
	return res, nil
}
